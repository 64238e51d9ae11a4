#!/usr/bin/env python3
"""Takes states in services through their whole life, with real services.

  backends.py --binary PATH [--other PATH] [--show]

Every other command runs with --other (OpenTofu), where there is one: both programs share the
service, the record of the directory and the locks.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
import peers  # noqa: E402

CONFIGURATION = """terraform {
  %s
}
resource "terraform_data" "a" {
  input = "%s"
}
output "o" {
  value = terraform_data.a.output
}
"""


class Life:
    """One directory, with commands by turns."""

    def __init__(self, programs, root, environment, show):
        self.programs, self.root, self.show = programs, root, show
        self.environment = dict(os.environ, **environment)
        self.failed, self.count = [], 0

    def write(self, block, text="x"):
        with open(os.path.join(self.root, "main.tf"), "w", encoding="utf-8") as file:
            file.write(CONFIGURATION % (block, text))

    def run(self, *words, wanted=0, says="", program=None):
        program = program or self.programs[self.count % len(self.programs)]
        self.count += 1
        at = 2 if words[0] in ("state", "workspace") else 1
        done = subprocess.run([program, *words[:at], "-no-color", *words[at:]], cwd=self.root,
                              env=self.environment, stdin=subprocess.DEVNULL, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if self.show:
            print("--- %s %s\n%s" % (program, " ".join(words), done.stdout))
        if done.returncode != wanted or says not in done.stdout:
            self.failed.append("%s %s: exit %d, wanted %d and %r\n%s" % (
                program, " ".join(words), done.returncode, wanted, says, done.stdout))
        return done.stdout

    def output(self, wanted, program):
        text = self.run("output", "-json", program=program)
        try:
            value = json.loads(text).get("o", {}).get("value")
        except ValueError:
            value = text
        if value != wanted:
            self.failed.append("%s output: %r, wanted %r" % (program, value, wanted))


def live(life, block):
    """From a local state to the service, through workspaces, and back."""
    life.write("")
    life.run("apply", "-auto-approve")
    life.write(block)
    for program in life.programs:
        life.run("plan", wanted=1, says="initialization required", program=program)
    life.run("init", "-force-copy", says="Successfully configured")
    for program in life.programs:
        life.output("x", program)
    for text in ("y", "z"):
        life.write(block, text)
        life.run("apply", "-auto-approve", says="1 changed")
        for program in life.programs:
            life.run("plan", says="No changes", program=program)
    for name in ("one", "two"):
        life.run("workspace", "new", name)
        life.run("apply", "-auto-approve", says="1 added")
    for program in life.programs:
        life.run("workspace", "list", says="* two", program=program)
    life.run("destroy", "-auto-approve")
    life.run("workspace", "select", "default")
    life.run("workspace", "delete", "two")
    life.run("workspace", "delete", "one", wanted=1, says="not empty")
    life.run("workspace", "delete", "-force", "one")
    for program in life.programs:
        life.output("z", program)
        life.run("state", "pull", says='"lineage"', program=program)
    life.write("", "z")
    life.run("init", "-force-copy", says="unset the backend")
    life.run("plan", says="No changes")
    life.run("destroy", "-auto-approve")


def hold(life, block, seconds=4):
    """While one program holds the lock, the other one is refused."""
    for holder in life.programs:
        for other in life.programs:
            life.write(block)
            life.run("init", "-reconfigure", program=holder)
            with open(os.path.join(life.root, "slow.tf"), "w", encoding="utf-8") as file:
                file.write('resource "terraform_data" "slow" {\n  provisioner "local-exec" {\n'
                           '    command = "touch started; sleep %d"\n  }\n}\n' % seconds)
            slow = subprocess.Popen([holder, "apply", "-auto-approve"], cwd=life.root,
                                    env=life.environment, stdin=subprocess.DEVNULL,
                                    stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            started = os.path.join(life.root, "started")
            while slow.poll() is None and not os.path.exists(started):
                pass
            life.run("plan", wanted=1, says="Error acquiring the state lock", program=other)
            life.run("plan", "-lock-timeout=60s", says="No changes", program=other)
            slow.wait()
            os.remove(started)
            life.run("destroy", "-auto-approve", program=other)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", required=True)
    parser.add_argument("--other", default="/usr/local/bin/tofu")
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    programs = [os.path.abspath(options.binary)]
    if os.access(options.other, os.X_OK):
        programs.append(options.other)
    failed, ran = 0, 0
    for name, block in (("pg", 'backend "pg" {}'),):
        try:
            with peers.start(name) as environment, tempfile.TemporaryDirectory() as root:
                life = Life(programs, root, environment, options.show)
                live(life, block)
                hold(life, block)
                ran += 1
                failed += len(life.failed)
                for text in life.failed:
                    print("FAIL %s: %s" % (name, text))
                print("%s: %d commands, %d failed" % (name, life.count, len(life.failed)))
        except peers.Unavailable as why:
            print("%s: skipped: %s" % (name, why))
    sys.exit(1 if failed else 0 if ran else 77)


if __name__ == "__main__":
    main()
