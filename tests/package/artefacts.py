#!/usr/bin/env python3
"""What the files of a release must not have: paths of the machine that made them, debug information, libraries that no bill
of materials names.

    tests/package/artefacts.py RELEASE [--path TEXT...]      the files in a directory of tools/release.sh
    tests/package/artefacts.py                               tries itself on small artefacts, of which one is good

Every artefact is opened, and every archive in it. A path is the directory of this tree, the home directory, or a TEXT; the
sections of debug information of a file may have 1 MB together; each library that is there or is asked for must stand in the
release's bill of materials, or in that of the wheel. Exits with 77 where something that is needed is missing.
"""
import argparse
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tarfile
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tools"))
import bundled  # noqa: E402
import compare_releases  # noqa: E402

MOST_DEBUG = 1_000_000
COPIED = re.compile(r"^(lib.*?)-[0-9a-f]{8}(\.so.*)$")  # by auditwheel, with a digest in its name
# Names that programs look up by themselves: modules of Python and of kinu.
LIBRARY = re.compile(r"^lib.+\.so(\.|$)")


def cpio_members(data):
    """The members of a cpio archive of the format newc."""
    at = 0
    while at + 110 <= len(data):
        fields = [int(data[at + 6 + 8 * i:at + 14 + 8 * i], 16) for i in range(13)]
        size, name_size = fields[6], fields[11]
        name = data[at + 110:at + 110 + name_size - 1].decode()
        start = (at + 110 + name_size + 3) & ~3
        if name == "TRAILER!!!":
            return
        yield name, data[start:start + size]
        at = (start + size + 3) & ~3


def contents(name, data):
    """The files in a file, as path and bytes; itself if it is no archive."""
    if data.startswith(b"\xed\xab\xee\xdb"):
        done = subprocess.run(["rpm2cpio", "-"], input=data, stdout=subprocess.PIPE, check=True)
        for inner, content in cpio_members(done.stdout):
            yield from contents(name + ":" + inner, content)
        return
    inner = compare_releases.unpacked(data)
    if inner is not None:
        yield from contents(name, inner)
        return
    found = compare_releases.members(data)
    if found is None or name.endswith(".a"):
        yield name, data
        return
    for member, _, content in found:
        yield from contents(name + ":" + member, content)


def sections(data):
    """The names and sizes of the sections of a 64-bit ELF file."""
    table, = struct.unpack_from("<Q", data, 0x28)
    size, count, names = struct.unpack_from("<HHH", data, 0x3A)
    headers = [struct.unpack_from("<IIQQQQ", data, table + i * size) for i in range(count)]
    if not headers:
        return
    start = headers[names][4]
    for name, _, _, _, _, length in headers:
        end = data.index(b"\0", start + name)
        yield data[start + name:end].decode(), length


def objects_of(name, data):
    """The ELF files that a file is or, as an archive of a linker, has."""
    if data.startswith(b"\x7fELF"):
        return [data]
    if data.startswith(b"!<arch>\n") and name.endswith(".a"):
        return [each for _, _, each in compare_releases.members(data) if each.startswith(b"\x7fELF")]
    return []


def needed(data):
    with tempfile.NamedTemporaryFile() as file:
        file.write(data)
        file.flush()
        return bundled.needed(file.name)


def listed_files(text):
    """The files of libraries that a bill of materials (CycloneDX) names."""
    return {each["value"] for component in json.loads(text)["components"] for each in component["properties"]
            if each["name"] == "kinu:file"}


class Checks:
    def __init__(self, paths):
        self.paths = [path.encode() for path in paths]
        self.problems, self.seen = [], 0

    def artefact(self, name, data, listed):
        files = list(contents(name, data))
        for path, content in files:
            if path.endswith(".dist-info/sboms/kinu.cdx.json"):
                listed = listed | listed_files(content)
        for path, content in files:
            self.file(path, content, listed)

    def file(self, path, content, listed):
        self.seen += 1
        for text in self.paths:
            if text in content:
                self.problems.append("%s names %s" % (path, text.decode()))
        objects = objects_of(path, content)
        debug = sum(length for each in objects for name, length in sections(each) if name.startswith(".debug_"))
        if debug > MOST_DEBUG:
            self.problems.append("%s has %d bytes of debug information" % (path, debug))
        if not objects or path.endswith(".a"):
            return
        base = re.split("[:/]", path)[-1]
        for soname in [base, *needed(content)]:
            soname = COPIED.sub(r"\1\2", soname)
            # libre2.so.9.0.0 is the file of libre2.so.9.
            known = any((soname + ".").startswith(file + ".") for file in listed)
            if LIBRARY.match(soname) and not bundled.OF_LIBC.match(soname) and not known:
                self.problems.append("%s: no bill of materials names %s" % (path, soname))


def check(directory, paths):
    bill = next((name for name in os.listdir(directory) if name.endswith(".cdx.json")), None)
    if bill is None:
        return ["there is no bill of materials"], 0
    with open(os.path.join(directory, bill), encoding="utf-8") as file:
        listed = listed_files(file.read())
    checks = Checks(paths)
    for name in sorted(os.listdir(directory)):
        with open(os.path.join(directory, name), "rb") as file:
            checks.artefact(name, file.read(), listed)
    return checks.problems, checks.seen


def try_itself():
    """Artefacts that have what they must not have."""
    if not shutil.which("cc"):
        print("tests/package/artefacts.py: skipped: no cc")
        return 77
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        release = os.path.join(folder, "release")

        def problems(source, *flags, soname="libx.so.1"):
            shutil.rmtree(release, ignore_errors=True)
            os.mkdir(release)
            with open(os.path.join(release, "kinu-1.cdx.json"), "w", encoding="utf-8") as file:
                json.dump({"components": [{"properties": [{"name": "kinu:file", "value": "libx.so.1"}]}]}, file)
            library = os.path.join(folder, soname)
            subprocess.run(["cc", "-shared", "-fPIC", "-x", "c", "-Wl,-soname," + soname, *flags, "-o", library, "-"],
                           input=source.encode(), check=True)
            with tarfile.open(os.path.join(release, "kinu-1.tar.xz"), "w:xz") as tar:
                tar.add(library, "kinu/" + soname)
            return check(release, ["/the/machine"])[0]

        good = problems("int x;", "-s")
        if good:
            failures.append("a good release: %s" % good)
        for said, found in (
                ("names /the/machine", problems('const char *where = "/the/machine/src";', "-s")),
                ("no bill of materials names liby.so.2", problems("int x;", "-s", soname="liby.so.2")),
                ("bytes of debug information", problems('asm(".section .debug_info\\n.zero 1100000\\n.text\\n"); int x;'))):
            if not any(said in each for each in found):
                failures.append("not said: %s, but %s" % (said, found))
    for failure in failures:
        print("FAILED: " + failure)
    print("artefacts: %d failures" % len(failures) if failures else "artefacts: ok")
    return 1 if failures else 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("release", nargs="?")
    parser.add_argument("--path", action="append", default=[])
    options = parser.parse_args()
    if options.release is None:
        return try_itself()
    home = os.path.expanduser("~")
    # What stands in texts of every system is no path of this machine.
    paths = [ROOT, *([home + "/"] if home not in ("/", "/root") else ["/root" + "/."]), *options.path]
    problems, seen = check(options.release, paths)
    print("\n".join(problems) or "%d files of %s: ok" % (seen, options.release))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
