#!/usr/bin/env python3
"""Applies the steps of docs/adding/command.md and runs the command that they make.

  adding_command.py --build DIR

The new file and the changed table are compiled with the build's own flags and linked, in place of the
table in its library, into a copy of the program.
"""
import argparse
import os
import re
import shlex
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PAGE = os.path.join(ROOT, "docs", "adding", "command.md")
TABLE = os.path.join(ROOT, "src", "commands", "cli", "command_table.cc")


def blocks():
    """The code of the page, without its indentation."""
    with open(PAGE, encoding="utf-8") as page:
        found = re.findall(r"^   ```cpp\n(.*?)^   ```$", page.read(), re.MULTILINE | re.DOTALL)
    return [re.sub(r"^   ", "", block, flags=re.MULTILINE) for block in found]


def command_for(build, output):
    """The command that makes a file of the build, in words."""
    text = subprocess.run(["ninja", "-C", build, "-t", "commands", "-s", output], check=True,
                          stdout=subprocess.PIPE, text=True).stdout
    return [line for line in text.splitlines() if not line.startswith("ninja:")][-1]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    build = os.path.abspath(parser.parse_args().build)
    source, row = blocks()[:2]
    with open(TABLE, encoding="utf-8") as table:
        changed = re.sub(r"(?=^  ROW\(Import\))", "  " + row, table.read(), flags=re.MULTILINE)
    assert row.strip() in changed, "the table has no place for the row"
    with tempfile.TemporaryDirectory() as directory:
        objects = []
        compile_table = shlex.split(
            command_for(build, "src/cli/CMakeFiles/kinu_cli.dir/command_table.cc.o"))
        for name, text in (("hello.cc", source), ("command_table.cc", changed)):
            path = os.path.join(directory, name)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            words = list(compile_table)
            words[words.index("-c") + 1] = path
            words[words.index("-o") + 1] = path + ".o"
            words[words.index("-MF") + 1] = path + ".d"
            subprocess.run(words, check=True, cwd=build)
            objects.append(path + ".o")
        program = os.path.join(directory, "kinu")
        link = command_for(build, "src/cli/kinu")
        link = link.split("&&")[1] if "&&" in link else link
        words = shlex.split(link)
        words[words.index("-o") + 1] = program
        first = next(i for i, word in enumerate(words) if word.endswith(".o"))
        subprocess.run(words[:first] + objects + words[first:], check=True, cwd=build)
        expected = (
            (["hello", "-name=you"], "Hello, you.\n"),
            (["hello", "-help"], "Whom to greet."),
            (["-help"], "  hello         Greet somebody\n"))
        problems = 0
        for arguments, text in expected:
            done = subprocess.run([program] + arguments, stdout=subprocess.PIPE, text=True,
                                  cwd=directory, check=False)
            if done.returncode != 0 or text not in done.stdout:
                problems += 1
                print("kinu %s printed:\n%s" % (" ".join(arguments), done.stdout))
        print("%d problems" % problems)
        return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
