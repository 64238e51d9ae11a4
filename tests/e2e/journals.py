#!/usr/bin/env python3
"""Runs commands beside journals: complete ones, damaged ones, those of other states, and other files.

  journals.py --binary PATH [--count N] [--seed N]

A provisioner kills its own apply, so that the finished objects are only in the journal.
"""
import argparse
import glob
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

JOURNAL = ".terraform.tfstate.journal"
CONFIGURATION = """resource "terraform_data" "before" { input = "there" }
"""
MORE = "".join("""resource "terraform_data" "r%d" {
  input      = "number %d"
  depends_on = [%s]
}
""" % (i, i, "terraform_data.r%d" % (i - 1) if i else "terraform_data.before") for i in range(5)) + """
resource "terraform_data" "end" {
  depends_on = [terraform_data.r4]
  provisioner "local-exec" { command = "kill -9 $PPID" }
}
"""


class Place:
    def __init__(self, binary, directory):
        self.binary = binary
        self.directory = directory

    def path(self, name):
        return os.path.join(self.directory, name)

    def write(self, name, content):
        with open(self.path(name), "wb") as file:
            file.write(content)

    def read(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def run(self, *words):
        return subprocess.run([self.binary, *words], cwd=self.directory,
                              env={"PATH": os.environ.get("PATH", ""), "HOME": self.directory,
                                   "TF_CLI_CONFIG_FILE": os.devnull},
                              stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              errors="replace", timeout=60, check=False)

    def ids(self):
        """The ids in the stored state."""
        resources = json.loads(self.read("terraform.tfstate"))["resources"]
        return {r["name"]: i["attributes"]["id"] for r in resources for i in r["instances"]}

    def set(self, **changes):
        state = json.loads(self.read("terraform.tfstate"))
        state.update(changes)
        self.write("terraform.tfstate", json.dumps(state).encode())

    def aside(self):
        return glob.glob(self.path(JOURNAL + ".*"))


def expect(problems, what, holds):
    if not holds:
        problems.append(what)


def whole(place, count, rng):
    """The first command, whichever it is, writes the state from the journal."""
    problems = []
    start = place.directory
    for words in (["show", "-json"], ["output"], ["state", "list"], ["plan", "-lock=false"],
                  ["state", "pull"], ["console"], ["query", "$", "terraform.tfstate"],
                  ["apply", "-auto-approve", "-lock=false", "-target=terraform_data.before"]):
        place.directory = start + "-" + "".join(words)[:12]
        shutil.copytree(start, place.directory)
        done = place.run(*words)
        expect(problems, "%s: exit %d: %s" % (words, done.returncode, done.stderr),
               done.returncode == 0)
        if words[0] != "query":  # reads only the state file
            expect(problems, "%s: the state has %s" % (words, sorted(place.ids())),
                   len(place.ids()) >= 6)
            expect(problems, "%s: the journal is left" % words,
                   not os.path.exists(place.path(JOURNAL)))
    return problems


def other_states(place, count, rng):
    """A journal that does not continue the state causes a warning, is kept, and does not change the state."""
    problems = []
    journal = place.read(JOURNAL)
    for changes in ({"lineage": "another"}, {"serial": 40}, {"lineage": "", "serial": 0}):
        for words in (["plan", "-no-color"], ["plan", "-no-color", "-lock=false"],
                      ["apply", "-no-color", "-auto-approve", "-lock=false",
                       "-target=terraform_data.before", "-replace=terraform_data.before"]):
            place.write(JOURNAL, journal)
            for left in place.aside():
                os.remove(left)
            place.set(lineage="x", serial=1)
            place.set(**changes)
            done = place.run(*words)
            expect(problems, "%s, %s: exit %d: %s" % (changes, words, done.returncode, done.stderr),
                   done.returncode == 0)
            expect(problems, "%s, %s: no word of it" % (changes, words),
                   "were not applied" in done.stdout + done.stderr)
            expect(problems, "%s, %s: objects came back" % (changes, words),
                   list(place.ids()) == ["before"])
            kept = [place.read(n) for n in place.aside() + glob.glob(place.path(JOURNAL))]
            expect(problems, "%s, %s: the journal is gone" % (changes, words), journal in kept)
    return problems


def damaged(place, count, rng):
    """Damage never crashes a command, loses an object of the state or adds one.

    One changed byte costs one record at most, unless the header is damaged; then the journal is kept.
    """
    problems = []
    journal = place.read(JOURNAL)
    state = place.read("terraform.tfstate")
    place.run("show")
    known = place.ids()
    changed_once = []

    def pieces():
        for _ in range(count):
            changed = bytearray(journal)
            changed[rng.randrange(len(changed))] ^= 1 << rng.randrange(8)
            changed_once.append(bytes(changed))
            yield bytes(changed)
            yield journal[:rng.randrange(len(journal))]
            at = rng.randrange(len(journal))
            yield journal[:at] + rng.randbytes(rng.randrange(64)) + journal[at:]
        yield b""
        yield journal[:8]
        yield journal[:8] + b"\xff" * 12
        yield journal + journal
        yield journal + b"\xff" * 100

    for piece in pieces():
        place.write("terraform.tfstate", state)
        place.write(JOURNAL, piece)
        for left in place.aside():
            os.remove(left)
        done = place.run("show", "-json")
        # Another digit in place of that of the format is a newer format, or an older one.
        refused = piece[:7] == journal[:7] and piece[7:8] != journal[7:8] and piece[7:8].isdigit()
        expect(problems, "exit %d: %s" % (done.returncode, done.stderr), done.returncode == (1 if refused else 0))
        if refused:
            expect(problems, "a refused journal is gone", place.read(JOURNAL) == piece)
            continue
        found = place.ids()
        expect(problems, "an object of the state is lost", "before" in found)
        expect(problems, "objects were invented: %s" % found,
               all(known.get(name) == identity for name, identity in found.items()))
        if changed_once and piece == changed_once[-1] and len(found) < len(known) - 1:
            expect(problems, "a changed byte cost %d records" % (len(known) - len(found)),
                   any(place.read(left) == piece for left in place.aside()))
    return problems


def newer(place, count, rng):
    """A journal of a newer format is neither read nor touched, and no command goes on without it."""
    problems = []
    journal = place.read(JOURNAL)[:7] + b"2" + place.read(JOURNAL)[8:]
    place.write(JOURNAL, journal)
    state = place.read("terraform.tfstate")
    for words in (["plan"], ["apply", "-auto-approve"], ["apply", "-auto-approve", "-lock=false"], ["destroy", "-auto-approve"],
                  ["state", "rm", "terraform_data.before"], ["refresh"], ["show"], ["output"]):
        done = place.run(*words)
        said = " ".join(re.sub("\u2502|\x1b[^m]*m", " ", done.stderr).split())
        expect(problems, "%s: exit %d: %s" % (words, done.returncode, done.stderr), done.returncode == 1)
        expect(problems, "%s: says %s" % (words, said), "has format 2, and this version of kinu reads format 1" in said)
        expect(problems, "%s: the files changed" % words, place.read(JOURNAL) == journal and place.read("terraform.tfstate") == state)
    return problems


def no_files(place, count, rng):
    """A special file in place of the journal never blocks a command."""
    problems = []
    os.remove(place.path(JOURNAL))
    os.mkfifo(place.path(JOURNAL))
    done = place.run("show", "-json")
    expect(problems, "a pipe: exit %d" % done.returncode, done.returncode in (0, 1))
    os.remove(place.path(JOURNAL))
    os.mkdir(place.path(JOURNAL))
    done = place.run("apply", "-auto-approve", "-target=terraform_data.before")
    expect(problems, "a directory: exit %d" % done.returncode, done.returncode == 1)
    return problems


CASES = [whole, other_states, damaged, newer, no_files]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", required=True)
    parser.add_argument("--count", type=int, default=25)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    rng = random.Random(options.seed)
    root = tempfile.mkdtemp(prefix="kinu-journals-")
    failed = 0
    try:
        first = Place(os.path.abspath(options.binary), os.path.join(root, "first"))
        os.mkdir(first.directory)
        first.write("main.tf", CONFIGURATION.encode())
        assert first.run("apply", "-auto-approve").returncode == 0
        first.write("main.tf", (CONFIGURATION + MORE).encode())
        killed = first.run("apply", "-auto-approve")
        assert killed.returncode == -9 and os.path.exists(first.path(JOURNAL)), killed
        for case in CASES:
            place = Place(first.binary, os.path.join(root, case.__name__))
            shutil.copytree(first.directory, place.directory)
            for problem in case(place, options.count, rng):
                failed += 1
                print("FAIL %s: %s" % (case.__name__, problem))
    finally:
        shutil.rmtree(root, ignore_errors=True)
    sys.stdout.flush()
    print("journals: %d cases, %d problems" % (len(CASES), failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
