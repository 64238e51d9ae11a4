#!/usr/bin/env python3
"""Reads the sources with clang: clang-tidy over the groups that are compiled, and each file alone.

  tidy.py BUILD [--only tidy|alone] [PART...]

BUILD is a configured build directory of the preset `tidy`; nothing is built. A file is compiled alone, without code,
because what it forgot to include hides behind the other files of its group. PARTs limit the run to files whose paths
have one of them.
"""
import argparse
import concurrent.futures
import json
import os
import re
import shlex
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
INCLUDED = re.compile(r'^#include "(.*)"$', re.M)
OUTPUT = {"-o", "-MT", "-MF"}  # each with a value
MODES = {"-c", "-MD"}


class Unit:
    """What one compiler call reads: a file, or a group of files."""

    def __init__(self, entry):
        self.file = os.path.relpath(entry["file"], ROOT)
        self.flags = []
        words = iter(shlex.split(entry["command"]))
        self.compiler = next(words)
        for word in words:
            if word in OUTPUT:
                next(words)
            elif word not in MODES and word != entry["file"]:
                self.flags.append(word)

    def sources(self):
        """The files of the tree that it reads."""
        if os.sep + "groups" + os.sep not in self.file:
            return [self.file]
        with open(os.path.join(ROOT, self.file)) as file:
            names = INCLUDED.findall(file.read())
        roots = [word[2:] for word in self.flags if word.startswith("-I")]
        found = [os.path.join(root, name) for name in names for root in roots]
        return [os.path.relpath(path, ROOT) for path in found if os.path.exists(path)]

    def tidy(self):
        return ["clang-tidy-19", "--quiet", "--extra-arg-before=--driver-mode=g++", self.file, "--", *self.flags]

    def alone(self, source):
        return [self.compiler, *self.flags, "-fsyntax-only", source]


def units(build):
    """The compiler calls of the libraries and programs; a file that the build has yet to make is left out."""
    with open(os.path.join(build, "compile_commands.json")) as file:
        found = [Unit(entry) for entry in json.load(file) if os.path.exists(entry["file"])]
    return sorted(found, key=lambda unit: unit.file)


def run(job):
    """What a checker says of a file; empty if it is good."""
    name, command = job
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    said = re.sub(r"^\d+ warnings? generated\.\n", "", done.stdout + done.stderr, flags=re.M)
    return "" if done.returncode == 0 else "%s\n%s" % (name, said)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("--only", choices=["tidy", "alone"])
    parser.add_argument("parts", nargs="*")
    args = parser.parse_intermixed_args()

    jobs, seen = [], set()
    for unit in units(args.build):
        sources = [source for source in unit.sources() if source.startswith("src" + os.sep) and source not in seen]
        seen.update(sources)
        chosen = [source for source in sources if not args.parts or any(part in source for part in args.parts)]
        if chosen and args.only != "alone":
            jobs.append((unit.file, unit.tidy()))
        if args.only != "tidy":
            jobs += [(source, unit.alone(source)) for source in chosen]
    problems = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for said in pool.map(run, jobs):
            if said:
                problems += 1
                print(said, flush=True)
    if problems or not jobs:
        sys.exit("tidy: problems in %d of %d runs" % (problems, len(jobs)))
    print("tidy: %d runs, no problem" % len(jobs))


if __name__ == "__main__":
    main()
