#!/usr/bin/env python3
"""Runs the recorded sessions of tests/cases: command lines, their output and the files they left.

  cases.py --binary PATH [--update] [FILE...]

A case file is a list of sections. Text before the first one is a comment.

  === file PATH        the lines below become that file; {no newline} at the end of the last one leaves
                       out its newline
  === append PATH      the lines below are added to that file
  === remove PATH      removes a file or directory
  === link PATH TO     makes PATH a symbolic link that leads to TO
  === stdin            the lines below are the input of the next run
  === env NAME=VALUE   set for all later runs
  === run WORDS        runs the program; below: "exit N", its standard output with "| " and its
                       errors with "! " in front of each line
  === do WORDS         runs the program, which must succeed; its output is ignored
  === show PATH        below: the file's content with "| " in front of each line

`--update` or KINU_UPDATE=1 rewrites the recorded output and file contents. Times, random names and directories are
replaced by {TIME}, {UUID}, {DIR}. Every case starts in an empty directory.
"""
import argparse
import glob
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
CASES = os.path.join(os.path.dirname(HERE), "cases")

REPLACED = [
    (re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"), "{UUID}"),
    (re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)"), "{TIME}"),
    (re.compile(r"after \d+s"), "after {T}"),
    (re.compile(r"after \d+ ms"), "after {T}"),
    (re.compile(r"tfstate\.\d+\.backup"), "tfstate.{TIME}.backup"),
]


def normal(text, directory):
    text = text.replace(directory, "{DIR}")
    for pattern, replacement in REPLACED:
        text = pattern.sub(replacement, text)
    return text


def parse(path):
    """The sections of a file: (words of the heading, lines)."""
    comment, sections = [], []
    with open(path, encoding="utf-8") as file:
        for line in file.read().splitlines():
            if line.startswith("=== "):
                kind, _, rest = line[4:].partition(" ")
                sections.append((kind, rest, []))
            elif sections:
                sections[-1][2].append(line)
            else:
                comment.append(line)
    return comment, sections


def quoted(prefix, text):
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    else:
        lines[-1] += "{no newline}"
    return [(prefix + line).rstrip() if not line.strip() else prefix + line for line in lines]


class Session:
    def __init__(self, binary):
        self.binary = binary
        self.root = os.path.realpath(tempfile.mkdtemp(prefix="kinu-case-"))
        self.work = os.path.join(self.root, "w")
        os.mkdir(self.work)
        home = os.path.join(self.root, "home")
        os.mkdir(home)
        config = os.path.join(self.root, "cli.tfrc")
        with open(config, "w", encoding="utf-8") as file:
            file.write('provider_installation {\n  filesystem_mirror {\n    path = "%s"\n  }\n}\n'
                       % os.path.join(self.work, "mirror"))
        self.env = {"PATH": os.environ.get("PATH", ""), "HOME": home, "TMPDIR": self.root,
                    "TZ": "UTC", "LANG": "C.UTF-8", "TF_CLI_CONFIG_FILE": config}
        self.stdin = ""

    def close(self):
        shutil.rmtree(self.root, ignore_errors=True)

    def path(self, name):
        return os.path.join(self.work, name)

    def step(self, kind, rest, lines):
        """Runs one section. Returns the lines that belong below its heading, or None."""
        if kind in ("file", "append"):
            os.makedirs(os.path.dirname(self.path(rest)) or self.work, exist_ok=True)
            with open(self.path(rest), "a" if kind == "append" else "w", encoding="utf-8") as file:
                file.write("".join(line + "\n" for line in lines).replace("{no newline}\n", ""))
        elif kind == "remove":
            if os.path.isdir(self.path(rest)) and not os.path.islink(self.path(rest)):
                shutil.rmtree(self.path(rest))
            else:
                os.remove(self.path(rest))
        elif kind == "link":
            name, target = rest.split()
            os.makedirs(os.path.dirname(self.path(name)) or self.work, exist_ok=True)
            os.symlink(target, self.path(name))
        elif kind == "stdin":
            self.stdin = "".join(line + "\n" for line in lines)
        elif kind == "env":
            name, _, value = rest.partition("=")
            self.env[name] = value
        elif kind in ("run", "do"):
            done = subprocess.run([self.binary] + shlex.split(rest), cwd=self.work, env=self.env,
                                  input=self.stdin.encode(), stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, timeout=60, check=False)
            self.stdin = ""
            if kind == "do":
                if done.returncode != 0:
                    raise RuntimeError("%s: %s" % (rest, done.stderr.decode("utf-8", "replace")))
                return None
            out = normal(done.stdout.decode("utf-8", "replace"), self.root)
            err = normal(done.stderr.decode("utf-8", "replace"), self.root)
            return ["exit %d" % done.returncode] + quoted("| ", out) + quoted("! ", err)
        elif kind == "show":
            if not os.path.exists(self.path(rest)):
                return ["no such file"]
            with open(self.path(rest), encoding="utf-8") as file:
                return quoted("| ", normal(file.read(), self.root))
        else:
            raise ValueError("no such section: " + kind)
        return None


def run_case(path, binary, update):
    comment, sections = parse(path)
    session = Session(binary)
    out, problems = list(comment), []
    try:
        for kind, rest, lines in sections:
            got = session.step(kind, rest, lines)
            out.append(("=== %s %s" % (kind, rest)).rstrip())
            if got is None:
                out += lines
                continue
            want = [line.rstrip() if not line[2:].strip() else line for line in lines]
            out += got
            if got != want and not update:
                problems.append("=== %s %s" % (kind, rest))
                problems += ["  want " + x for x in want if x not in got]
                problems += ["  got  " + x for x in got if x not in want]
                if sorted(got) == sorted(want):
                    problems.append("  the lines are in another order")
    finally:
        session.close()
    if update:
        with open(path, "w", encoding="utf-8") as file:
            file.write("".join(line + "\n" for line in out))
    return problems


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", required=True)
    parser.add_argument("--update", action="store_true", default=bool(os.environ.get("KINU_UPDATE")))
    parser.add_argument("files", nargs="*")
    options = parser.parse_args()
    binary = os.path.abspath(options.binary)
    files = options.files or sorted(glob.glob(os.path.join(CASES, "**", "*.case"), recursive=True))
    failed = 0
    for path in files:
        problems = run_case(path, binary, options.update)
        if problems:
            failed += 1
            print("FAIL " + os.path.relpath(path, CASES))
            print("\n".join(problems))
    print("%d passed, %d failed" % (len(files) - failed, failed))
    return 1 if failed or not files else 0


if __name__ == "__main__":
    sys.exit(main())
