#!/usr/bin/env python3
"""Checks that every command accepts its flags and that its help lists them.

  flags.py --binary PATH

A flag is accepted if the parser complains only about the unknown flag after it.
"""
import argparse
import os
import re
import subprocess
import sys

VARIABLES = "var= var-file="
JSON = "json json-into="
LOCK = "lock lock-timeout=1s"
STATE = LOCK + " state= state-out= backup="
REMOTE = "ignore-remote-version"
INPUT = "input"
OPERATION = ("parallelism=1 refresh destroy refresh-only target= target-file= exclude= "
             "exclude-file= replace=")

# Flags of each command. "=" means that a value follows.
COMMANDS = {
    "init": [VARIABLES, JSON, LOCK, REMOTE, INPUT,
             "backend cloud backend-config= force-copy reconfigure migrate-state from-module= get "
             "upgrade plugin-dir= lockfile= test-directory="],
    "validate": [VARIABLES, JSON, "test-directory= no-tests"],
    "plan": [VARIABLES, JSON, STATE, OPERATION, INPUT,
             "detailed-exitcode out= generate-config-out= show-sensitive"],
    "apply": [VARIABLES, JSON, STATE, OPERATION, INPUT,
              "auto-approve show-sensitive suppress-forget-errors"],
    "destroy": [VARIABLES, JSON, STATE, OPERATION, INPUT,
                "auto-approve show-sensitive suppress-forget-errors"],
    "console": [VARIABLES, JSON, LOCK, INPUT, "state="],
    "force-unlock": [VARIABLES, JSON, "force"],
    "get": [VARIABLES, JSON, "update test-directory="],
    "login": [VARIABLES, JSON, INPUT],
    "logout": [JSON],
    "metadata functions": ["json"],
    "output": [VARIABLES, JSON, "raw state= show-sensitive"],
    "providers": [VARIABLES, "test-directory="],
    "providers lock": [VARIABLES, JSON, "platform= fs-mirror= net-mirror="],
    "providers mirror": [VARIABLES, JSON, "platform="],
    "providers schema": [VARIABLES, "json"],
    "show": [VARIABLES, JSON, "state plan= config module= show-sensitive"],
    "state list": [VARIABLES, JSON, "state= id="],
    "state mv": [VARIABLES, JSON, LOCK, REMOTE, "dry-run state= state-out= backup= backup-out="],
    "state pull": [VARIABLES],
    "state push": [VARIABLES, JSON, LOCK, REMOTE, "force"],
    "state replace-provider": [VARIABLES, JSON, LOCK, REMOTE, "auto-approve state= backup="],
    "state rm": [VARIABLES, JSON, LOCK, REMOTE, "dry-run state= backup="],
    "state show": [VARIABLES, JSON, "state= show-sensitive"],
    "taint": [VARIABLES, JSON, STATE, REMOTE, "allow-missing"],
    "untaint": [VARIABLES, JSON, STATE, REMOTE, "allow-missing"],
    "version": ["json"],
    "workspace list": [VARIABLES, JSON],
    "workspace new": [VARIABLES, JSON, LOCK, "state="],
    "workspace select": [VARIABLES, JSON, "or-create"],
    "workspace delete": [VARIABLES, JSON, LOCK, "force"],
    "workspace show": [VARIABLES],
}
# Accepted, but not in the help. The last two have no effect where the command sets them itself.
UNNAMED = {("console", "json"), ("console", "input"), ("destroy", "destroy"),
           ("destroy", "refresh-only")}


def run(binary, words):
    return subprocess.run([binary] + words, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          stdin=subprocess.DEVNULL, text=True, timeout=60, check=False, cwd="/",
                          env={"PATH": os.environ.get("PATH", ""), "HOME": "/nonexistent"})


def check(binary, command, flags):
    problems = []
    words = command.split()
    done = run(binary, words + ["-help"])
    if done.returncode != 0 or not done.stdout.startswith("Usage: "):
        return ["there is no help"]
    for flag in flags:
        name, _, value = flag.partition("=")
        arguments = ["-" + name] + ([value or "x=1"] if "=" in flag else [])
        answer = run(binary, words + ["-no-color"] + arguments + ["-no-such-flag"])
        if "flag provided but not defined: -no-such-flag" not in answer.stderr + answer.stdout:
            problems.append("-%s is not taken: %s" % (name, answer.stderr.strip()[:200]))
        named = re.search(r"^\s+-%s\b(?!-)" % re.escape(name), done.stdout, re.MULTILINE)
        if not named and (command, name) not in UNNAMED:
            problems.append("the help does not name -" + name)
    return problems


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", required=True)
    binary = os.path.abspath(parser.parse_args().binary)
    failed = 0
    for command, groups in COMMANDS.items():
        problems = check(binary, command, " ".join(groups).split())
        if problems:
            failed += 1
            print(command + ":\n  " + "\n  ".join(problems))
    print("%d passed, %d failed" % (len(COMMANDS) - failed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
