#!/usr/bin/env python3
"""The libraries that kinu is made of: packaging/libraries.json, the one list of them.

    tools/bundled.py check [ROOT]           compares the list with CMake's files, the sources and docs/layers.txt
    tools/bundled.py packages [WHAT]        the Debian packages: direct (what kinu itself uses), carried (and what that brings
                                            along), or all
    tools/bundled.py licenses               the licence of the archive with all that it carries, as an expression
    tools/bundled.py pins [--update]        compares packaging/pins.txt with the packages of this machine, or writes it
    tools/bundled.py files PATH...          names libraries there, or asked for there, that no row has

Each row has a name, the Debian package that tells the version, a licence (SPDX), the source, and how it is linked:
`static` (its code is in the files of `in`), `dynamic` (those load it), `header` (headers alone), `carried` (others
bring it along; the archive has it, packages of distributions depend on it), `image` (only the container images have it),
`git-image` (only the image with git and ssh has it) or `python` (only the wheel has it). `cmake` has its names in CMake's files, `headers` how its headers are included, `files`
what the linker calls it.

KINU_SYSROOT: the packages are those that tools/sysroot.sh has unpacked there.

`check` and `files` print a line per problem and exit with 1.
"""
import json
import os
import re
import struct
import subprocess
import sys

ROOT = os.path.realpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
LIST = os.path.join("packaging", "libraries.json")
PINS = os.path.join("packaging", "pins.txt")
# What else decides the bytes of a release.
TOOLS = ["binutils", "cmake", "dpkg-dev", "g++-12", "libc6-dev", "mold", "ninja-build", "patchelf", "xz-utils"]
LINKED = ("static", "dynamic", "header", "carried", "image", "git-image", "python")

# What CMake's files look for and nothing holds: tools, tests, the parts of a platform.
NOT_BUNDLED = {"PkgConfig", "Threads", "GTest", "Python3", "Python"}
EXTERNAL = re.compile(r"kinu_external\(\s*\w+\s+(\S+)")
MODULES = re.compile(r"pkg_check_modules\(([^)]*)\)")
PACKAGE = re.compile(r"find_package\(\s*(\w+)")
LIBRARY = re.compile(r"find_library\(\s*\w+\s+NAMES\s+([\w.+-]+)")
WORDS_OF_MODULES = {"REQUIRED", "IMPORTED_TARGET", "GLOBAL", "QUIET"}

INCLUDE = re.compile(r"^\s*#\s*include\s*<([^>]+)>", re.M)
# Headers of the C library, the kernel and the processor, of the tests, and kinu's own.
NO_LIBRARY = re.compile(r"(arpa|linux|net|netinet|sys|kinu|gtest|gmock|rapidcheck)/|rapidcheck\.h|"
                        r"(cpuid|dirent|dlfcn|emmintrin|fcntl|glob|iconv|immintrin|netdb|poll|pthread|pwd|sched|signal|"
                        r"spawn|stddef|stdint|stdio|stdlib|string|termios|time|unistd|arm_acle|arm_neon)\.h")
THIRD_PARTY = re.compile(r"^third-party (\S+):", re.M)
MACHINES = {62: "x86_64", 183: "aarch64"}  # e_machine
OF_LIBC = re.compile(r"(ld-linux.*|lib(c|m|dl|rt|pthread|resolv|anl|util))\.so(\.\d+)?$")


def libraries(root=ROOT):
    """The rows, in the order of the list."""
    with open(os.path.join(root, LIST), encoding="utf-8") as file:
        return json.load(file)["libraries"]


def upstream(version):
    """The version of the project from one of Debian: 2:6.2.1+dfsg1-1.1 is 6.2.1."""
    version = version.partition(":")[2] or version
    version = version.rpartition("-")[0] or version
    return re.split(r"[+.](dfsg|ds|repack)", version)[0]


def versions(rows):
    """Debian's version of each row's package on this machine; nothing for those that are not installed."""
    return versions_of(sorted(row["package"] for row in rows if "package" in row))


def versions_of(packages):
    """Debian's versions of packages on this machine; nothing for those that are not installed."""
    found, sysroot = {}, os.environ.get("KINU_SYSROOT")
    database = ["--admindir=" + os.path.join(sysroot, "var", "lib", "dpkg")] if sysroot else []
    try:
        done = subprocess.run(["dpkg-query", *database, "-W", "-f=${Package} ${db:Status-Status} ${Version}\n", *packages],
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
    except OSError:
        return found
    for line in done.stdout.splitlines():
        package, status, version = line.split(" ", 2)
        if status == "installed":
            found[package] = version
    return found


def pins(root=ROOT):
    """The packages that a release is made with and their versions, as packaging/pins.txt has them."""
    return dict(line.split() for line in read(root, PINS).splitlines() if line and not line.startswith("#"))


def pin(update, root=ROOT):
    """Compares the pins with this machine; with `update` writes them instead."""
    packages = sorted({row["package"] for row in libraries(root) if "package" in row} | set(TOOLS))
    here = versions_of(packages)
    if update:
        with open(os.path.join(root, PINS), "w", encoding="utf-8") as file:
            file.write("# Packages of Debian 12 that a release is made with: tools/bundled.py pins --update\n")
            file.writelines("%s %s\n" % (package, here[package]) for package in packages if package in here)
    pinned = pins(root)
    problems = ["%s has %s, which is not needed" % (PINS, package) for package in sorted(pinned.keys() - set(packages))]
    for package in packages:
        if package not in pinned:
            problems.append("%s does not have %s" % (PINS, package))
        elif here.get(package) != pinned[package]:
            problems.append("%s is %s here, and a release is made with %s"
                            % (package, here.get(package, "not installed"), pinned[package]))
    return problems


def license_of_archive():
    """The licence of the archive and of what is in it, as an expression of SPDX."""
    found = sorted({each for row in libraries() if row["linked"] not in ("image", "git-image", "python")
                    for each in row["license"].split(" AND ")})
    return " AND ".join(["MPL-2.0"] + ["(%s)" % each if " OR " in each else each for each in found])


def read(root, path):
    with open(os.path.join(root, path), encoding="utf-8", errors="replace") as file:
        return file.read()


def files_below(root, folders, suffixes):
    for folder in folders:
        for place, _, names in os.walk(os.path.join(root, folder)):
            for name in sorted(names):
                if name.endswith(suffixes):
                    yield os.path.relpath(os.path.join(place, name), root) if root else os.path.join(place, name)


def names_in_cmake(text):
    """What a file of CMake looks for outside the tree."""
    names = EXTERNAL.findall(text) + PACKAGE.findall(text) + LIBRARY.findall(text)
    for words in MODULES.findall(text):
        names += [word for word in words.split()[1:] if word not in WORDS_OF_MODULES]
    return [name for name in names if name not in NOT_BUNDLED and "$" not in name]


def check(root=ROOT):
    """The problems of the list, and of the tree that it should describe."""
    problems, rows = [], libraries(root)
    known = {name for row in rows for name in row.get("cmake", [])}
    headers = tuple(name for row in rows for name in row.get("headers", []))
    for row in rows:
        for key in ("name", "license", "source", "linked"):
            if not row.get(key):
                problems.append("%s: %s has no %s" % (LIST, row.get("name", "a row"), key))
        if row.get("linked") not in LINKED:
            problems.append("%s: %s is linked %s, which is none of %s"
                            % (LIST, row.get("name"), row.get("linked"), ", ".join(LINKED)))
        if "package" not in row and row.get("linked") != "python":
            problems.append("%s: %s has no package" % (LIST, row.get("name")))
    used = set()
    for path in ["CMakeLists.txt", *files_below(root, ["cmake", "python"], (".cmake", "CMakeLists.txt")),
                 *files_below(root, ["src"], ("CMakeLists.txt",))]:
        for name in names_in_cmake(read(root, path)):
            used.add(name)
            if name not in known:
                problems.append("%s: no row of %s has %s" % (path, LIST, name))
    problems += ["%s: nothing in CMake's files looks for %s" % (LIST, name) for name in sorted(known - used)]
    for path in files_below(root, ["src", "include", "python"], (".h", ".cc")):
        for name in INCLUDE.findall(read(root, path)):
            if "." not in name and "/" not in name:
                continue  # the standard library
            if not NO_LIBRARY.match(name) and not name.startswith(headers):
                problems.append("%s: no row of %s has the header %s" % (path, LIST, name))
    for prefix in THIRD_PARTY.findall(read(root, os.path.join("docs", "layers.txt"))):
        if not NO_LIBRARY.match(prefix + "/") and not NO_LIBRARY.match(prefix) and \
                not any(name.startswith(prefix) or prefix.startswith(name) for name in headers):
            problems.append("docs/layers.txt: no row of %s has the header %s" % (LIST, prefix))
    return problems


def needed(path):
    """The libraries that an ELF file asks for."""
    done = subprocess.run([objdump_of(path), "-p", path], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
    return re.findall(r"^\s+NEEDED\s+(\S+)", done.stdout, re.M)


def glibc_of(path):
    """The newest version of glibc that an ELF file asks for, as two numbers; (0, 0) if none."""
    done = subprocess.run([objdump_of(path), "-T", path], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
    return max(((int(one), int(two)) for one, two in re.findall(r"\bGLIBC_(\d+)\.(\d+)", done.stdout)), default=(0, 0))


def machine_of(path):
    """The processor that an ELF file is for, as `uname -m` calls it."""
    with open(path, "rb") as file:
        machine, = struct.unpack_from("<H", file.read(20), 18)
    return MACHINES.get(machine)


def objdump_of(path):
    """The program that reads an ELF file: that of this machine knows the machine's own processor alone."""
    name = machine_of(path)
    return "objdump" if name in (None, os.uname().machine) else name + "-linux-gnu-objdump"


def is_elf(path):
    with open(path, "rb") as file:
        return file.read(4) == b"\x7fELF"


def unknown_files(paths, root=ROOT):
    """Problems of files and directories: libraries there, or asked for by what is there, that no row has."""
    rows = libraries(root)
    known = {name for row in rows for name in row.get("files", [])}
    problems = []
    for path in [*(each for each in paths if os.path.isfile(each)), *files_below("", paths, ("",))]:
        if os.path.islink(path) or not is_elf(path):
            continue
        name = os.path.basename(path)
        if re.match(r"lib.*\.so\.", name) and name not in known:
            problems.append("%s: no row of %s has %s" % (path, LIST, name))
        problems += ["%s asks for %s, which no row of %s has" % (path, each, LIST)
                     for each in needed(path) if each not in known and not OF_LIBC.match(each)]
    return problems


def main(words):
    command, rest = (words[0], words[1:]) if words else ("", [])
    if command == "packages" and rest in ([], ["direct"], ["carried"], ["all"]):
        without = {"all": (), "carried": ("git-image",)}.get("".join(rest), ("carried", "image", "git-image"))
        for row in libraries():
            if "package" in row and row["linked"] not in without:
                print(row["package"])
        return 0
    if command == "licenses" and not rest:
        print(license_of_archive())
        return 0
    if command == "check" and len(rest) < 2:
        problems = check(*rest)
    elif command == "pins" and rest in ([], ["--update"]):
        problems = pin(bool(rest))
    elif command == "files" and rest:
        problems = unknown_files(rest)
    else:
        sys.exit(__doc__)
    print("\n".join(problems) or "ok")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
