#!/usr/bin/env python3
"""Installs, uses and removes every file of a release in roots that have nothing else, and prints the table of docs/release.md.

    tests/package/everywhere.py RELEASE [--arch amd64] [--work DIR] [--mirror DIR] [--only GLOB] [--suites bookworm,trixie]

RELEASE is a directory of `make release` or `make package`. Each program passes tools/quickstart.sh in its root, with the part that
has a provider if MIRROR (build/dev/mirror) is there: packages of Debian in new systems, by apt; the archive and the .rpm beside
glibc alone; images in themselves, as their user; the wheel beside Python (wheel_root.sh). Then it is removed, and no file but
apt's and rpm's own memory may have come, gone or changed. Programs of another processor than this one's are run by QEMU
(tools/emulated.sh), apt's and dpkg's among them.

Needs root, debootstrap and a mirror of Debian (KINU_DEBIAN_MIRROR); KINU_PYTHON is the Python that the wheel is for. WORK is
kept: a second run reuses its systems. Exits with 77 and the reason if something is missing, with 1 if anything fails.
"""
import argparse
import fnmatch
import os
import re
import shutil
import stat
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import archive  # noqa: E402

SOURCE = os.path.dirname(os.path.dirname(archive.HERE))
MACHINES = {"amd64": "x86_64", "arm64": "aarch64"}
QUICKSTART_DIRECTORY = "quickstart"
# What apt, dpkg and rpm remember, and what any program may leave.
MEMORY = {"proc", "dev", "tmp", "root", "var/lib/apt", "var/lib/dpkg", "var/lib/rpm", "var/cache", "var/log", "etc/ld.so.cache"}
ENVIRONMENT = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin:" + os.environ.get("PATH", ""), "HOME": "/root", "LANG": "C.UTF-8",
               "DEBIAN_FRONTEND": "noninteractive", "TERM": "dumb"}
APT = ["/usr/bin/apt-get", "-y", "-qq"]
# What apt or the C library recommend or suggest would stay otherwise.
FORGET = ["--purge", "-o", "APT::AutoRemove::RecommendsImportant=false", "-o", "APT::AutoRemove::SuggestsImportant=false"]


class Failure(Exception):
    """Why a file of the release does not do what it must."""


def run(words, **more):
    """The output of a command that must succeed."""
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", check=False, **more)
    if done.returncode != 0:
        raise Failure("%s: exit %d\n%s" % (" ".join(words), done.returncode, done.stdout[-1500:]))
    return done.stdout


def listing(root):
    """{path: what it is} of all files below a root but those of MEMORY."""
    found = {}
    for folder, folders, files in os.walk(root):
        within = os.path.relpath(folder, root)
        folders[:] = [each for each in folders if os.path.normpath(os.path.join(within, each)) not in MEMORY]
        for name in folders + files:
            path = os.path.normpath(os.path.join(within, name))
            if path in MEMORY:
                continue
            status = os.lstat(os.path.join(root, path))
            size = 0 if stat.S_ISDIR(status.st_mode) else status.st_size
            found[path] = (stat.filemode(status.st_mode), size, status.st_uid, status.st_gid)
    return found


def trace(before, after):
    """What a removal left behind, in words. Raises if it is more than empty directories."""
    changed = sorted(path for path in before.keys() | after.keys() if before.get(path) != after.get(path))
    files = [path for path in changed if path in before or not after[path][0].startswith("d")]
    if files:
        raise Failure("removed, and other than before: " + ", ".join(files[:10]))
    return "no file; %d directories stay" % len(changed) if changed else "yes"


class Roots:
    """The systems of a processor, in a directory."""

    def __init__(self, arch, work, mirror):
        self.arch, self.work, self.mirror = arch, work, mirror
        if MACHINES[arch] != os.uname().machine:
            # An image's PATH need not have what emulated.sh calls.
            archive.LAUNCHER = ["/bin/bash", "-c", 'own=$PATH; PATH=$0 exec "$1" "$2" /usr/bin/env PATH="$own" "${@:3}"',
                                archive.PATHS, os.path.join(archive.TOOLS, "emulated.sh"), arch]

    def system(self, suite):
        """A minimal system of Debian, made once."""
        root = os.path.join(self.work, "%s-%s" % (suite, self.arch))
        if os.path.exists(root + ".done"):
            return root
        shutil.rmtree(root, ignore_errors=True)
        server = os.environ.get("KINU_DEBIAN_MIRROR", "http://deb.debian.org/debian")
        foreign = ["--foreign"] if archive.LAUNCHER else []
        run(["debootstrap", "--variant=minbase", "--arch=" + self.arch, *foreign, suite, root, server])
        if foreign:
            # The first stage has made the devices, which is not allowed in QEMU's namespace: debootstrap knows that of lxc.
            run([*archive.LAUNCHER, "bash", "-c", 'mount --rbind /dev "$1/dev" && unshare --pid --fork bash -c '
                 '\'mount -t proc proc "$1/proc" && chroot "$1" /debootstrap/debootstrap --second-stage\' - "$1"', "-", root],
                env={**ENVIRONMENT, "container": "lxc"})
        shutil.copy("/etc/resolv.conf", os.path.join(root, "etc/resolv.conf"))
        with open(os.path.join(root, "etc/apt/apt.conf.d/99kinu"), "w", encoding="utf-8") as file:
            file.write('Acquire::Check-Valid-Until "false";\nAPT::Sandbox::User "";\n')
        self.inside(root, [*APT, "update"])
        self.inside(root, [*APT, "clean"])
        open(root + ".done", "w", encoding="utf-8").close()
        return root

    def copy(self, root, name):
        target = os.path.join(self.work, "%s-%s" % (name, self.arch))
        run(["rm", "-rf", "--one-file-system", target])
        run(["cp", "-a", "--reflink=auto", root, target])
        return target

    def glibc(self, name):
        """A root that has the libraries of Debian 12's glibc and nothing else."""
        system = self.system("bookworm")
        root = os.path.join(self.work, "%s-%s" % (name, self.arch))
        run(["rm", "-rf", "--one-file-system", root])
        # The linker of arm64 is asked for in /lib, that of x86-64 in /lib64.
        for folder in ("etc", "tmp", "lib", "opt"):
            os.makedirs(os.path.join(root, folder))
        os.symlink("lib", os.path.join(root, "lib64"))
        info = os.path.join(system, "var/lib/dpkg/info/libc6:%s.list" % self.arch)
        with open(info, encoding="utf-8") as file:
            libraries = {line.strip() for line in file if re.search(r"/[^/]*\.so\.[0-9]+$", line.strip())}
        for path in libraries:
            shutil.copy(os.path.realpath(os.path.join(system, path.lstrip("/"))), os.path.join(root, "lib", os.path.basename(path)))
        archive.prepare(root)
        return root

    def inside(self, root, words, user="0:0"):
        return run(archive.inside(root, user, *words), env=ENVIRONMENT)

    def quickstart(self, root, program, parent="", user="0:0"):
        """Passes the quickstart with a program of a root; its files are gone afterwards."""
        seen = os.path.join("/", parent, QUICKSTART_DIRECTORY)
        copy = root + seen
        os.makedirs(copy)
        os.chown(copy, *(int(each) for each in user.split(":")))
        home = {**ENVIRONMENT, "HOME": "/tmp"}
        said = run([os.path.join(archive.TOOLS, "quickstart.sh"), "--in", copy, seen, self.mirror, *archive.inside(root, user, program)],
                   env=home)
        shutil.rmtree(copy)
        return "passes" + ("" if "time_static.start" in said else ", without a provider")


def two_names(mirror, folder):
    """A copy of the provider that the quickstart needs, for both processors: the kernel runs the one of this machine as well."""
    package = "registry.opentofu.org/hashicorp/time/0.13.1"
    built = os.path.join(mirror, package, "linux_amd64")
    if not os.path.isdir(built):
        return ""
    for arch in MACHINES:
        shutil.copytree(built, os.path.join(folder, package, "linux_" + arch))
    return folder


def packages(root):
    with open(os.path.join(root, "var/lib/dpkg/status"), encoding="utf-8") as file:
        return {match.group(1) for match in re.finditer(r"^Package: (.*)\nStatus: install ok installed$", file.read(), re.M)}


def try_deb(roots, files, suite):
    """Both packages of Debian in a system: rows for each."""
    root = roots.copy(roots.system(suite), suite + "-clean")
    before, known = listing(root), packages(root)
    for path in files:
        shutil.copy(path, os.path.join(root, "tmp"))
    program, library = ["/tmp/" + os.path.basename(path) for path in sorted(files)]
    install = [*APT, "--no-install-recommends", "install"]
    roots.inside(root, [*install, program])
    passes = roots.quickstart(root, "/usr/bin/kinu")
    roots.inside(root, [*APT, "purge", "kinu"])
    roots.inside(root, [*APT, "autoremove", *FORGET])
    removed = [trace(before, listing(root))]
    roots.inside(root, [*install, program, library])
    if not os.path.exists(os.path.join(root, "usr/include/kinu/version.h")):
        raise Failure("libkinu-dev has no headers")
    roots.inside(root, [*APT, "purge", "kinu", "libkinu-dev"])
    roots.inside(root, [*APT, "autoremove", *FORGET])
    removed.append(trace(before, listing(root)))
    if packages(root) != known:
        raise Failure("packages stay: %s" % ", ".join(sorted(packages(root) ^ known)))
    run(["rm", "-rf", "--one-file-system", root])
    name = {"bookworm": "Debian 12", "trixie": "Debian 13"}[suite] + ", by apt"
    return [(sorted(files)[0], name, passes, removed[0]), (sorted(files)[1], name, "installed", removed[1])]


def try_archive(roots, path):
    root = roots.glibc("archive")
    before = listing(root)
    run(["tar", "-xJf", path, "-C", os.path.join(root, "opt")])
    folder = os.listdir(os.path.join(root, "opt"))[0]
    passes = roots.quickstart(root, "/opt/%s/bin/kinu" % folder)
    shutil.rmtree(os.path.join(root, "opt", folder))
    return [(path, "glibc 2.36 alone", passes, trace(before, listing(root)))]


def try_rpm(roots, path):
    root = roots.glibc("rpm")
    before = listing(root)
    rpm = ["rpm", "--root", root, "--dbpath", "/var/lib/rpm"]
    run([*rpm, "--nodeps", "--ignorearch", "-i", path])
    passes = roots.quickstart(root, "/usr/bin/kinu")
    run([*rpm, "-e", "kinu"])
    return [(path, "glibc 2.36 alone, by `rpm --root`", passes, trace(before, listing(root)))]


def try_image(roots, path):
    """Also what archive.py tries: init with modules, plan, apply; modules by git."""
    with_git = path.endswith("-git.oci.tar")
    with tempfile.TemporaryDirectory(dir=roots.work) as folder:
        tried, fresh = os.path.join(folder, "tried"), os.path.join(folder, "fresh")
        os.chmod(folder, 0o755)
        os.mkdir(tried)
        os.mkdir(fresh)
        failed = len(archive.failures)
        skipped = archive.test_image(path, tried, None if with_git else archive.MOST_BYTES)
        if skipped or len(archive.failures) > failed:
            raise Failure("; ".join(archive.failures[failed:]) or "skipped")
        settings, _ = archive.unpack(path, fresh)
        root = os.path.join(fresh, "root")
        archive.prepare(root)
        passes = roots.quickstart(root, settings["Entrypoint"][0], "work", settings["User"])
    return [(path, "itself, as its user", passes + "; modules" + (", also by git" if with_git else ""), "")]


def try_wheel(roots, path):
    python = os.environ.get("KINU_PYTHON", "python3")
    arch = [roots.arch] if archive.LAUNCHER else []
    if arch:
        version = run([python, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"]).strip()
        run([os.path.join(archive.TOOLS, "sysroot.sh"), roots.arch, os.path.join(SOURCE, "build/python-" + roots.arch),
             {"3.11": "bookworm", "3.13": "trixie"}[version], "python3", "python3-venv", "libpython3-dev", "libstdc++6"])
    said = run([*archive.LAUNCHER, os.path.join(archive.HERE, "wheel_root.sh"), path, python, *arch],
               env={**os.environ, "KINU_QUICKSTART_MIRROR": roots.mirror})
    for wanted in ("went well in both syntaxes", "uninstalled without a trace"):
        if wanted not in said:
            raise Failure(said[-1500:])
    in_python = re.search(r"in Python ([0-9.]+)", said).group(1)
    passes = "passes" + ("" if roots.mirror else ", without a provider") + "; modules"
    return [(path, "glibc, libstdc++, zlib and Python " + in_python, passes, "yes, by pip")]


def files_of(release, arch):
    """{kind: files} of a processor."""
    machine = MACHINES[arch]
    kinds = {"deb": r"_%s\.deb$" % arch, "archive": r"-linux-%s\.tar\.xz$" % machine, "rpm": r"\.%s\.rpm$" % machine,
             "image": r"-linux-%s(-git)?\.oci\.tar$" % arch, "wheel": r"_%s\.whl$" % machine}
    names = sorted(os.listdir(release))
    return {kind: [os.path.join(release, name) for name in names if re.search(pattern, name)] for kind, pattern in kinds.items()}


def trials(roots, release, suites):
    """(name, function) of each thing to try."""
    found = files_of(release, roots.arch)
    for kind, function in (("archive", try_archive), ("rpm", try_rpm), ("image", try_image), ("wheel", try_wheel)):
        for path in found[kind]:
            yield os.path.basename(path), lambda function=function, path=path: function(roots, path)
    if found["deb"]:
        if len(found["deb"]) != 2:
            raise Failure("not two packages of Debian: %s" % found["deb"])
        for suite in suites:
            yield "deb " + suite, lambda suite=suite: try_deb(roots, found["deb"], suite)


def missing():
    if os.geteuid() != 0:
        return "needs root"
    for program in ("debootstrap", "unshare", "chroot", "rpm"):
        if not shutil.which(program, path=archive.PATHS):
            return program + " is not installed"
    if subprocess.run([archive.UNSHARE, "--mount", "--pid", "--fork", "true"], check=False).returncode != 0:
        return "no new namespaces here"
    return ""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("release")
    parser.add_argument("--arch", choices=sorted(MACHINES), default="amd64")
    parser.add_argument("--work")
    parser.add_argument("--mirror", default=os.path.join(SOURCE, "build/dev/mirror"))
    parser.add_argument("--only", default="*")
    parser.add_argument("--suites", default="bookworm,trixie")
    options = parser.parse_args()
    reason = missing()
    if reason:
        print("tests/package/everywhere.py: skipped: " + reason)
        return 77
    os.umask(0o022)
    with tempfile.TemporaryDirectory() as own:
        work = os.path.realpath(options.work or own)
        os.makedirs(work, exist_ok=True)
        roots = Roots(options.arch, work, two_names(options.mirror, os.path.join(own, "mirror")))
        return report(roots, options)


def report(roots, options):
    rows, failed = [], 0
    for name, function in trials(roots, os.path.realpath(options.release), options.suites.split(",")):
        if not fnmatch.fnmatch(name, options.only):
            continue
        start = time.monotonic()
        try:
            rows += function()
            print("ok %s (%d s)" % (name, time.monotonic() - start), flush=True)
        except (Failure, SystemExit) as failure:  # archive.py ends where a command fails
            failed += 1
            print("FAILED %s: %s" % (name, failure), flush=True)
    print("| file | size | root | quickstart | removed without a trace |\n|---|---|---|---|---|")
    for path, *columns in rows:
        print("| `%s` | %.1f MB | %s |" % (os.path.basename(path), os.path.getsize(path) / 1e6, " | ".join(columns)))
    print("everywhere: %s" % ("%d failed" % failed if failed else "ok, %d rows" % len(rows)))
    return 1 if failed or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
