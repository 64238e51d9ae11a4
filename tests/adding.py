#!/usr/bin/env python3
"""Applies the steps of docs/adding/function.md to a copy of the sources and runs the result.

    tests/adding.py --build BUILD

A comment `<!-- edit: FILE before "TEXT" -->` in front of a code block inserts the block before the first
line of FILE that begins with TEXT. The edited file is compiled, linked with the objects of BUILD, and
must generate the page of the function and pass the tests of the examples. Exits with 77, "skipped", where
BUILD compiles the sources of a library in groups.
"""
import argparse
import os
import re
import shlex
import subprocess
import sys
import tempfile

ROOT = os.path.realpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
EDIT = re.compile(r'^( *)<!-- edit: (\S+) before "((?:[^"\\]|\\.)*)" -->\n\1```\w*\n(.*?)^\1```\n', re.M | re.S)
SKIPPED = 77


def edits(page):
    """[(file, text of the line, inserted text)] of a page, without the indentation of its blocks."""
    with open(page, encoding="utf-8") as handle:
        found = EDIT.findall(handle.read())
    return [(name, line.replace('\\"', '"'), re.sub("^" + indent, "", body, flags=re.M))
            for indent, name, line, body in found]


def apply(name, changes, target):
    """Writes the file `name` with all changes to `target`."""
    with open(os.path.join(ROOT, name), encoding="utf-8") as handle:
        text = handle.read()
    for line, inserted in changes:
        at = text.find("\n" + line)
        if at < 0:
            sys.exit("docs/adding/function.md: %s has no line that begins with %r" % (name, line))
        text = text[:at + 1] + inserted + text[at + 1:]
    with open(target, "w", encoding="utf-8") as handle:
        handle.write(text)


def ninja_commands(build, target):
    """The commands that make a target; the last one links it."""
    return subprocess.run(["ninja", "-C", build, "-t", "commands", target], check=True,
                          stdout=subprocess.PIPE, text=True).stdout.splitlines()


def compile_command(commands, name, source, output):
    """The command that compiles the file `name`, for another source and output; None if there is none."""
    for command in commands:
        words = shlex.split(command)
        if "-c" in words and words[words.index("-c") + 1] == os.path.join(ROOT, name):
            for option in ("-MT", "-MF"):
                if option in words:
                    del words[words.index(option):words.index(option) + 2]
            words = [word for word in words if word != "-MD"]
            words[words.index("-o") + 1] = output
            words[words.index("-c") + 1] = source
            return words
    return None


def link(build, target, objects, output):
    """Links a target of the build with other objects in front of its libraries."""
    command = ninja_commands(build, target)[-1]
    words = [word for word in shlex.split(command) if word not in (":", "&&")]
    at = words.index("-o")
    words[at:at + 2] = objects + ["-o", output]
    subprocess.run(words, cwd=build, check=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", required=True)
    build = os.path.realpath(parser.parse_args().build)
    files = {}
    for name, line, inserted in edits(os.path.join(ROOT, "docs", "adding", "function.md")):
        files.setdefault(name, []).append((line, inserted))
    if not files:
        sys.exit("docs/adding/function.md has no steps that can be applied")
    functions = "src/functions/"
    commands = ninja_commands(build, functions + "kinu_functions_test")
    with tempfile.TemporaryDirectory(prefix="adding-") as folder:
        objects = []
        for name, changes in files.items():
            source = os.path.join(folder, os.path.basename(name))
            words = compile_command(commands, name, source, source + ".o")
            if words is None:
                print("skipped: %s compiles %s in a group" % (build, name))
                return SKIPPED
            apply(name, changes, source)
            subprocess.run(words, cwd=build, check=True)
            objects.append(source + ".o")
        docs, test = os.path.join(folder, "docs"), os.path.join(folder, "test")
        link(build, functions + "kinu_function_docs", objects, os.path.join(folder, "pages"))
        subprocess.run([os.path.join(folder, "pages"), docs], check=True)
        old = set(os.listdir(os.path.join(ROOT, "docs", "functions")))
        new = set(os.listdir(docs)) - old
        if len(new) != 1:
            sys.exit("the steps must add one page to docs/functions, not %s" % sorted(new))
        link(build, functions + "kinu_functions_test", objects, test)
        subprocess.run([test, "--gtest_filter=Examples.*:Table.*", "--gtest_brief=1"], check=True)
    print("adding: the steps of docs/adding/function.md add %s" % ", ".join(sorted(new)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
