#!/usr/bin/env python3
"""Runs commands where files cannot be written: the old state stays, and the failure is reported.

  surroundings.py --binary PATH [--reference PATH]

Each case starts from its own state, applies a change under a limit, and checks exit code, summaries
and files. With --reference that program does the same, and differences of exit codes and summaries
are printed.
"""
import argparse
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile

CONFIGURATION = """variable "v" { default = "one" }
resource "terraform_data" "a" {
  count = 100
  input = "${var.v}-${join("", [for i in range(40) : "0123456789"])}"
}
resource "terraform_data" "b" {
  depends_on       = [terraform_data.a]
  triggers_replace = var.v
  provisioner "local-exec" { command = "sh ./hook" }
}
"""
SUMMARY = re.compile(r"^(?:Error|Warning): (.*)$", re.M)


class Place:
    """A directory with a configuration and, unless `empty`, the state of its first version."""

    def __init__(self, binary, root, empty=False):
        self.binary = binary
        self.directory = tempfile.mkdtemp(dir=root)
        self.env = {"PATH": os.environ.get("PATH", ""), "HOME": root, "TZ": "UTC",
                    "TF_IN_AUTOMATION": "1"}
        self.write("main.tf", CONFIGURATION)
        self.write("hook", "true")
        self.run("init")
        if not empty:
            assert self.run("apply", "-auto-approve").returncode == 0
        self.before = self.read("terraform.tfstate")

    def path(self, name):
        return os.path.join(self.directory, name)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)

    def read(self, name):
        if not os.path.isfile(self.path(name)):
            return None
        with open(self.path(name), encoding="utf-8") as file:
            return file.read()

    def run(self, *words, limit=None):
        def lower():
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        return subprocess.run([self.binary, *words, "-no-color"], cwd=self.directory, env=self.env,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              preexec_fn=lower if limit else None, timeout=120, check=False)

    def objects(self):
        """The inputs of all objects in the state, as the next command reads it."""
        shown = json.loads(self.run("show", "-json").stdout)
        return [r["values"].get("input") or "" for r in
                shown.get("values", {}).get("root_module", {}).get("resources", [])]


def expect(problems, what, holds):
    if not holds:
        problems.append(what)


def file_limit(binary, root):
    """No file may exceed 40 kB: neither state, journal nor errored.tfstate."""
    place = Place(binary, root)
    done = place.run("apply", "-auto-approve", "-var", "v=two", limit=40_000)
    problems = []
    expect(problems, "the exit code is %d" % done.returncode, done.returncode == 1)
    expect(problems, "no word of the failure", "Failed to save state" in done.stderr)
    # A change that cannot be recorded stops the run. Some objects were in progress.
    expect(problems, "no word of the journal", "Failed to record changes" in done.stderr)
    worked_on = done.stdout.count("Modifying...")
    recorded = sum(text.startswith("two-") for text in place.objects())
    expect(problems, "%d objects were worked on, %d recorded" % (worked_on, recorded),
           worked_on <= recorded + 10)
    now = place.read("terraform.tfstate")
    if now != place.before:  # a complete state, or the old one
        expect(problems, "the state is damaged", len(json.loads(now)["resources"]) in (1, 2))
    expect(problems, "the state is not shown", '"two-' in done.stdout + done.stderr)
    expect(problems, "an empty errored.tfstate", place.read("errored.tfstate") != "")
    return done, problems


def journal_only(binary, root):
    """The state exceeds the limit, the journal does not: without the limit nothing is lost."""
    place = Place(binary, root)
    place.write("hook", "true")
    done = place.run("apply", "-auto-approve", "-var", "v=two", "-target", "terraform_data.a[7]",
                     limit=40_000)
    problems = []
    expect(problems, "the exit code is %d" % done.returncode, done.returncode == 1)
    expect(problems, "the old state is gone", place.read("terraform.tfstate") == place.before)
    planned = place.run("plan", "-var", "v=two")
    expect(problems, "plan does not warn of the failed run",
           "Warning: An earlier run was interrupted" in planned.stdout + planned.stderr)
    found = [text for text in place.objects() if text.startswith("two-")]
    expect(problems, "%d objects were recovered" % len(found), len(found) == 1)
    return done, problems


def other_commands(binary, root):
    """Files of 1000 bytes at most, and a standard output that is full: commands report what they could
    not write."""
    place = Place(binary, root)
    problems = []
    os.mkdir(place.path("copy"))
    place.write("big.tf", "locals {\n" + "".join("a%d=1\n" % i for i in range(1000)) + "}\n")
    before = place.read("big.tf")
    done = place.run("fmt", "big.tf", limit=1000)
    expect(problems, "fmt: " + done.stderr,
           done.returncode != 0 and "Error: Writing formatted file failed" in done.stderr)
    expect(problems, "fmt left half a file", place.read("big.tf") == before)
    os.makedirs(os.path.join(root, ".terraform.d"), exist_ok=True)
    credentials = os.path.join(root, ".terraform.d", "credentials.tfrc.json")
    with open(credentials, "w", encoding="utf-8") as file:
        json.dump({"credentials": {"a.example": {"token": "1"}, "b.example": {"token": "2" * 2000}}}, file)
    done = place.run("logout", "a.example", limit=1000)
    expect(problems, "logout: " + done.stderr,
           done.returncode == 1 and "Error: Failed to remove API token" in done.stderr)
    os.remove(credentials)
    with open("/dev/full", "w", encoding="utf-8") as full:
        for words, summary in ((["fmt", "-diff", "-write=false", "big.tf"], "Failed to write format diff"),
                               (["fmt", "-"], "Writing results failed")):
            failed = subprocess.run([place.binary, *words, "-no-color"], cwd=place.directory, env=place.env,
                                    input=before, stdout=full, stderr=subprocess.PIPE, text=True,
                                    timeout=120, check=False)
            expect(problems, "%s: %s" % (" ".join(words), failed.stderr),
                   failed.returncode != 0 and "Error: " + summary in failed.stderr)
    done = subprocess.run([place.binary, "init", "-no-color", "-from-module=" + place.directory],
                          cwd=place.path("copy"), env=place.env, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=120, check=False,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000)))
    expect(problems, "init -from-module: " + done.stderr,
           done.returncode == 1 and "Error: Failed to copy root module" in done.stderr)
    return done, problems


def lost_lock(binary, root):
    """The lock info file is removed during the apply, which continues."""
    place = Place(binary, root)
    place.write("hook", "rm -f .terraform.tfstate.lock.info")
    done = place.run("apply", "-auto-approve", "-var", "v=two")
    problems = []
    expect(problems, "the exit code is %d: %s" % (done.returncode, done.stderr),
           done.returncode == 0)
    expect(problems, "the state is another",
           sum(t.startswith("two-") for t in place.objects()) == 100)
    return done, problems


def directory_in_the_way(binary, root):
    """A directory has the name of the state: errored.tfstate receives the state."""
    place = Place(binary, root)
    place.write("hook", "rm -f terraform.tfstate && mkdir terraform.tfstate")
    done = place.run("apply", "-auto-approve", "-var", "v=two")
    problems = []
    expect(problems, "the exit code is %d" % done.returncode, done.returncode == 1)
    left = json.loads(place.read("errored.tfstate") or "{}")
    expect(problems, "errored.tfstate is not whole", len(left.get("resources", [])) == 2)
    os.rmdir(place.path("terraform.tfstate"))
    pushed = place.run("state", "push", "errored.tfstate")
    expect(problems, "it cannot be pushed: " + pushed.stderr, pushed.returncode == 0)
    expect(problems, "the pushed state is another",
           sum(t.startswith("two-") for t in place.objects()) == 100)
    return done, problems


def damaged_files(binary, root):
    """A truncated state or plan is refused and not changed."""
    place = Place(binary, root)
    problems = []
    place.write("terraform.tfstate", place.before[:1000])
    done = place.run("apply", "-auto-approve")
    expect(problems, "the exit code is %d" % done.returncode, done.returncode == 1)
    expect(problems, "the damaged state was touched",
           place.read("terraform.tfstate") == place.before[:1000])
    place.write("terraform.tfstate", place.before)
    place.run("plan", "-out=p", "-var", "v=two")
    with open(place.path("p"), "r+b") as file:
        file.truncate(os.path.getsize(place.path("p")) // 2)
    planned = place.run("apply", "p")
    expect(problems, "the exit code is %d" % planned.returncode, planned.returncode == 1)
    expect(problems, "the plan is not named",
           'Failed to load "p" as a plan file' in planned.stderr)
    expect(problems, "the state was touched", place.read("terraform.tfstate") == place.before)
    return done, problems


def no_journal(binary, root):
    """If no journal can be created, no change is made."""
    place = Place(binary, root)
    os.mkdir(place.path(".terraform.tfstate.journal"))
    done = place.run("apply", "-auto-approve", "-var", "v=two", "-lock=false")
    problems = []
    expect(problems, "the exit code is %d" % done.returncode, done.returncode == 1)
    expect(problems, "something was changed", "Modifying..." not in done.stdout)
    expect(problems, "the state was touched", place.read("terraform.tfstate") == place.before)
    return done, problems


CASES = [no_journal, file_limit, journal_only, other_commands, lost_lock, directory_in_the_way, damaged_files]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", required=True)
    parser.add_argument("--reference")
    options = parser.parse_args()
    root = tempfile.mkdtemp(prefix="kinu-surroundings-")
    failed = 0
    try:
        for case in CASES:
            done, problems = case(os.path.abspath(options.binary), root)
            if problems:
                failed += 1
                print("FAIL %s: %s" % (case.__name__, "; ".join(problems)))
            if options.reference:
                theirs, found = case(options.reference, root)
                pair = [(p.returncode, sorted(SUMMARY.findall(p.stderr))) for p in (done, theirs)]
                if pair[0] != pair[1] or found:
                    print("%s: %s, the reference %s; %s" % (case.__name__, *pair, found))
    finally:
        shutil.rmtree(root, ignore_errors=True)
    print("%d passed, %d failed" % (len(CASES) - failed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
