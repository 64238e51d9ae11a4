#!/usr/bin/env python3
"""Writes to devices, pipes and links: they must stay what they are. Values of variables come from pipes.

  special_files.py --binary PATH

Cases that need their own device or mount run only as root.
"""
import argparse
import json
import os
import shutil
import stat
import subprocess
import sys
import tempfile
import threading

CONFIGURATION = """variable "v" { default = "one" }
resource "terraform_data" "a" { input = var.v }
"""


class Place:
    """A directory with an applied configuration."""

    def __init__(self, binary, root):
        self.binary = binary
        self.directory = tempfile.mkdtemp(dir=root)
        self.env = {"PATH": os.environ.get("PATH", ""), "HOME": root, "TZ": "UTC"}
        with open(self.path("main.tf"), "w", encoding="utf-8") as file:
            file.write(CONFIGURATION)
        done = self.run("apply", "-auto-approve")
        assert done.returncode == 0, done.stderr

    def path(self, name):
        return os.path.join(self.directory, name)

    def read(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def run(self, *words, prefix=()):
        return subprocess.run([*prefix, self.binary, *words, "-no-color"], cwd=self.directory,
                              env=self.env, stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, timeout=60, check=False)

    def null_device(self):
        os.mknod(self.path("null"), stat.S_IFCHR | 0o666, os.makedev(1, 3))

    def leftovers(self):
        return [n for n in os.listdir(self.directory) if n.endswith(".new")]


# Command lines that name a device, and their exit codes. A state file must be truncated, which a
# device refuses; OpenTofu fails in the same way.
ON_A_DEVICE = [
    (["plan", "-out=null"], 0),
    (["plan", "-json-into=null"], 0),
    (["apply", "-auto-approve", "-var=v=two", "-backup=null"], 0),
    (["refresh", "-backup=null"], 0),
    (["taint", "-backup=null", "terraform_data.a"], 0),
    (["untaint", "-backup=null", "terraform_data.a"], 0),
    (["state", "mv", "-backup=null", "terraform_data.a", "terraform_data.b"], 0),
    (["state", "rm", "-backup=null", "terraform_data.b"], 0),
    (["apply", "-auto-approve", "-state-out=null"], 1),
    (["apply", "-auto-approve", "-state=null"], 1),
    (["state", "mv", "-state-out=null", "terraform_data.a", "terraform_data.b"], 1),
    (["refresh", "-state=null"], 1),
]


def devices(binary, root):
    if os.geteuid() != 0:
        return []
    place = Place(binary, root)
    problems = []
    place.null_device()
    for words, code in ON_A_DEVICE:
        done = place.run(*words)
        if done.returncode != code:
            problems.append("%s: exit %d: %s" % (words, done.returncode, done.stderr))
        info = os.lstat(place.path("null"))
        if not stat.S_ISCHR(info.st_mode) or stat.S_IMODE(info.st_mode) & 0o111:
            return problems + ["%s: the device is gone" % words]
    if len(json.loads(place.read("errored.tfstate"))["resources"]) != 1:
        problems.append("errored.tfstate is not whole")
    os.remove(place.path("errored.tfstate"))
    os.mknod(place.path("errored.tfstate"), stat.S_IFCHR | 0o666, os.makedev(1, 3))
    done = place.run("apply", "-auto-approve", "-state-out=null")
    if done.returncode != 1 or '"resources"' not in done.stderr:
        problems.append("a state that found no place is not printed")
    if not stat.S_ISCHR(os.lstat(place.path("errored.tfstate")).st_mode):
        problems.append("errored.tfstate was replaced")
    return problems


def pipes(binary, root):
    place = Place(binary, root)
    problems = []
    os.mkfifo(place.path("pipe"))
    for words in (["plan", "-out=pipe", "-var=v=two"],
                  ["apply", "-auto-approve", "-var=v=two", "-backup=pipe"]):
        got = []
        reader = threading.Thread(target=lambda: got.append(place.read("pipe")), daemon=True)
        reader.start()
        done = place.run(*words)
        if not stat.S_ISFIFO(os.lstat(place.path("pipe")).st_mode):
            return problems + ["%s: the pipe is gone" % words]
        reader.join(10)
        if done.returncode != 0 or not got or not got[0]:
            problems.append("%s: exit %d, %s" % (words, done.returncode, got))
    done = subprocess.run([binary, "plan", "-out=/dev/stdout", "-no-color", "-var=v=three"],
                          cwd=place.directory, env=place.env, stdin=subprocess.DEVNULL,
                          capture_output=True, timeout=60, check=False)
    if done.returncode != 0 or b"PK\x03\x04" not in done.stdout:
        problems.append("-out=/dev/stdout onto a pipe gives no plan")
    with open(place.path("captured"), "wb") as out:
        inode = os.fstat(out.fileno()).st_ino
        subprocess.run([binary, "plan", "-out=/dev/stdout", "-var=v=three"], cwd=place.directory,
                       env=place.env, stdin=subprocess.DEVNULL, stdout=out, timeout=60, check=False)
    if os.stat(place.path("captured")).st_ino != inode:
        problems.append("the file behind /dev/stdout was replaced")
    return problems


def values_from_pipes(binary, root):
    """Variables come from a pipe, as of a process substitution, which can be read only once."""
    place, problems = Place(binary, root), []
    for words, wanted in ((["eval", "var.v"], '"two"\n'), (["eval", "-file=.", "var.v"], '"two"\n'),
                          (["eval", "-file=main.tf", "var.v"], '"two"\n'), (["plan"], '"two"')):
        done = subprocess.run([binary, words[0], "-var-file=/dev/stdin", "-no-color", *words[1:]], cwd=place.directory,
                              env=place.env, input='v = "two"\n', capture_output=True, text=True, timeout=60, check=False)
        if done.returncode != 0 or wanted not in done.stdout:
            problems.append("%s: %r %r" % (words, done.stdout[-200:], done.stderr[-200:]))
    return problems


def links(binary, root):
    """Links stay links, even if their target is missing."""
    place = Place(binary, root)
    problems = []
    os.mkdir(place.path("d"))
    for words, name in ((["plan", "-out=link"], "link"),
                        (["apply", "-auto-approve", "-state=link.tfstate"], "link.tfstate"),
                        (["apply", "-auto-approve", "-var=v=two", "-backup=link.backup"],
                         "link.backup"),
                        (["plan", "-json-into=link.json"], "link.json")):
        os.symlink("d/" + name, place.path(name))
        for _ in range(2):
            done = place.run(*words)
            if done.returncode != 0 or not os.path.islink(place.path(name)):
                problems.append("%s: exit %d, %s" % (words, done.returncode, done.stderr))
        if not os.path.isfile(place.path("d/" + name)) or not place.read("d/" + name):
            problems.append("%s: the target is empty" % words)
    return problems


def mounts(binary, root):
    """A mounted file cannot be replaced, so that it is overwritten in place."""
    if os.geteuid() != 0:
        return []
    place = Place(binary, root)
    with open(place.path("plan"), "w", encoding="utf-8"):
        pass
    problems = []
    for words, names in ((["plan", "-out=plan", "-var=v=two"], ["plan"]),
                         (["apply", "-auto-approve", "-var=v=two"],
                          ["terraform.tfstate", "terraform.tfstate.backup"])):
        for name in names:
            if not os.path.exists(place.path(name)):
                with open(place.path(name), "w", encoding="utf-8"):
                    pass
        mount = " && ".join('mount --bind "%s" "%s"' % (name, name) for name in names)
        before = [place.read(name) for name in names]
        done = place.run(*words, prefix=["unshare", "-m", "sh", "-c", mount + ' && exec "$@"', "-"])
        if "ermitted" in done.stderr or "ermission" in done.stderr:
            return []
        if done.returncode != 0:
            problems.append("%s: exit %d: %s" % (words, done.returncode, done.stderr))
        if before == [place.read(name) for name in names]:
            problems.append("%s: nothing was written" % words)
    done = place.run("convert", "-write", "main.tf",
                     prefix=["unshare", "-m", "sh", "-c", 'mount --bind main.tf main.tf && exec "$@"', "-"])
    if done.returncode != 1 or "Cannot remove file" not in done.stderr:
        problems.append("convert of a mounted file: exit %d: %s" % (done.returncode, done.stderr))
    os.remove(place.path("main.tf.json"))
    if place.leftovers():
        problems.append("left: %s" % place.leftovers())
    shown = place.run("show", "plan")
    if shown.returncode != 0:
        problems.append("the plan cannot be read: " + shown.stderr)
    return problems


def planted(binary, root):
    """Links that another user puts in place of temporary files are not followed."""
    place = Place(binary, root)
    problems = []
    with open(place.path("victim"), "w", encoding="utf-8") as file:
        file.write("untouched")
    for name in (".terraform.tfstate.journal", ".terraform.tfstate.lock.info",
                 ".terraform.tfstate.new"):
        os.symlink("victim", place.path(name))
    done = place.run("apply", "-auto-approve", "-var=v=two")
    if done.returncode != 0:
        problems.append("exit %d: %s" % (done.returncode, done.stderr))
    if place.read("victim") != b"untouched":
        problems.append("a planted link was written through")
    if os.path.islink(place.path("terraform.tfstate")):
        problems.append("the state became the link")
    return problems


def leftovers(binary, root):
    """Temporary files of killed runs are removed by the next run that writes the file."""
    place = Place(binary, root)
    for name in ("terraform.tfstate", "terraform.tfstate.backup", "p"):
        with open(place.path(".%s.0123abcd.new" % name), "w", encoding="utf-8") as file:
            file.write("{")
    place.run("plan", "-out=p", "-var=v=two")
    place.run("apply", "p")
    return ["left: %s" % place.leftovers()] if place.leftovers() else []


def full_device(binary, root):
    """The output of fmt is its result: fmt fails if it cannot be written."""
    if not os.path.exists("/dev/full"):
        return []
    place = Place(binary, root)
    with open(place.path("u.tf"), "w", encoding="utf-8") as file:
        file.write("locals {\na=1\n bb = 2\n}\n")
    problems = []
    for words, code in ((["fmt", "-"], 2), (["fmt", "-diff", "-"], 2), (["fmt", "-check"], 3),
                        (["fmt", "-list=false", "-write=false", "u.tf"], 2)):
        with open("/dev/full", "w", encoding="utf-8") as full, \
                open(place.path("u.tf"), encoding="utf-8") as text:
            done = subprocess.run([binary, *words], cwd=place.directory, env=place.env, stdin=text,
                                  stdout=full, stderr=subprocess.PIPE, timeout=60, check=False)
        if done.returncode != code:
            problems.append("%s: exit %d, not %d" % (words, done.returncode, code))
    return problems


CASES = [full_device, devices, pipes, values_from_pipes, links, mounts, planted, leftovers]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", required=True)
    options = parser.parse_args()
    root = tempfile.mkdtemp(prefix="kinu-special-")
    failed = 0
    try:
        for case in CASES:
            for problem in case(os.path.abspath(options.binary), root):
                failed += 1
                print("FAIL %s: %s" % (case.__name__, problem))
    finally:
        shutil.rmtree(root, ignore_errors=True)
    sys.stdout.flush()
    print("special files: %d cases, %d problems" % (len(CASES), failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
