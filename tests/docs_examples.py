#!/usr/bin/env python3
"""Runs the examples of documentation pages: every `console` block.

    tests/docs_examples.py --binary PATH [--path DIRECTORY] PAGE...
    tests/docs_examples.py --write DIRECTORY PAGE...

The commands of a block (lines that begin with "$ ") run in a copy of docs/examples, together with the files that
the page defines (a block after a comment `<!-- file: NAME -->`). Their standard output must equal the lines below
them, where "…" stands for any text in a line, and a line "…" for any lines. KINU_UPDATE=1 rewrites the lines that
differ. A block after a comment `<!-- needs: PROGRAM -->` is left out where that program is not installed. --path adds
a directory of programs to PATH. --write only writes the files of the pages.
"""
import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
BLOCK = re.compile(r"(?:<!-- (file|needs): (\S+) -->\n)?```(\w*)\n(.*?)```\n", re.S)


def examples(page):
    """Returns (files, [(command, expected output, program that must be there or "")]) of a page."""
    with open(page, encoding="utf-8") as handle:
        text = handle.read()
    files, commands = {}, []
    for kind, name, language, body in BLOCK.findall(text):
        if kind == "file":
            files[name] = body
        elif language == "console":
            for part in re.split(r"^\$ ", body, flags=re.M)[1:]:
                command, _, output = part.partition("\n")
                commands.append((command, output, name))
    return files, commands


def write(files, folder):
    for name, body in files.items():
        os.makedirs(os.path.dirname(os.path.join(folder, name)), exist_ok=True)
        with open(os.path.join(folder, name), "w", encoding="utf-8") as handle:
            handle.write(body)


def with_output(text, outputs):
    """The text of a page with other lines below its commands."""
    outputs = iter(outputs)

    def block(match):
        kind, name, language, body = match.groups()
        if kind == "file" or language != "console":
            return match.group(0)
        first, *commands = re.split(r"^\$ ", body, flags=re.M)
        body = first + "".join("$ %s\n%s" % (command.partition("\n")[0], next(outputs)) for command in commands)
        return ("<!-- needs: %s -->\n" % name if name else "") + "```console\n%s```\n" % body
    return BLOCK.sub(block, text)


def update(page, outputs):
    with open(page, encoding="utf-8") as handle:
        text = handle.read()
    with open(page, "w", encoding="utf-8") as handle:
        handle.write(with_output(text, outputs))


def same(expected, printed):
    """Whether printed has the form of expected; see the top for "…"."""
    pattern = "".join("(?:.*\n)*" if line == "…\n" else ".*".join(map(re.escape, line.split("…")))
                      for line in expected.splitlines(keepends=True))
    return expected == printed or re.fullmatch(pattern, printed) is not None


def run_page(page, binary, path):
    files, commands = examples(page)
    failed, skipped, outputs = 0, set(), []
    with tempfile.TemporaryDirectory(prefix="docs-") as folder:
        shutil.copytree(os.path.join(HERE, "..", "docs", "examples"), folder, dirs_exist_ok=True)
        os.mkdir(os.path.join(folder, "bin"))
        os.symlink(os.path.abspath(binary), os.path.join(folder, "bin", "kinu"))
        write(files, folder)
        environment = {name: value for name, value in os.environ.items()
                       if not name.startswith(("TF_", "KINU_", "CLICOLOR", "NO_COLOR"))}
        environment["PATH"] = ":".join([os.path.join(folder, "bin")] + path +
                                       [environment.get("PATH", "")])
        for command, expected, program in commands:
            if program and not shutil.which(program, path=environment["PATH"]):
                skipped.add(program)
                outputs.append(expected)
                continue
            done = subprocess.run(["sh", "-c", command], cwd=folder, env=environment,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            fits = same(expected, done.stdout)
            outputs.append(expected if fits else done.stdout)
            if not fits and not os.environ.get("KINU_UPDATE"):
                failed += 1
                print("FAIL %s: $ %s\n--- expected\n%s--- printed\n%s%s"
                      % (page, command, expected, done.stdout, done.stderr))
    if os.environ.get("KINU_UPDATE"):
        update(page, outputs)
    for program in sorted(skipped):
        print("skipped: the commands of %s that need %s" % (os.path.basename(page), program))
    return sum(not command[2] or command[2] not in skipped for command in commands) - failed, failed


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--binary")
    what.add_argument("--write", metavar="DIRECTORY")
    parser.add_argument("--path", metavar="DIRECTORY", action="append", default=[])
    parser.add_argument("pages", nargs="+")
    args = parser.parse_args()
    if args.write:
        for page in args.pages:
            write(examples(page)[0], args.write)
        return 0
    passed = failed = 0
    for page in args.pages:
        good, bad = run_page(page, args.binary, [os.path.abspath(each) for each in args.path])
        passed, failed = passed + good, failed + bad
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
