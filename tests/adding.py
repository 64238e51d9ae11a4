#!/usr/bin/env python3
"""Applies the steps of a page of docs/adding to a copy of the sources and runs what they add.

    tests/adding.py --build BUILD function|command|backend|block

A comment in front of a code block of the page says where the block goes:

    <!-- file: FILE -->                 the block is the new file FILE
    <!-- edit: FILE before "TEXT" -->   the block is inserted before TEXT, which FILE has once

The copy has changed and new files only; compilers look into it first. What depends on them is compiled
again with the flags of BUILD, which must be up to date, and linked in front of the libraries of BUILD.
"""
import argparse
import concurrent.futures
import os
import re
import shlex
import shutil
import subprocess
import sys
from typing import NamedTuple

ROOT = os.path.realpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
STEP = re.compile(r'^( *)<!-- (?:file: (?P<file>\S+)|edit: (?P<edit>\S+) before "(?P<before>(?:[^"\\]|\\.)*)") -->\n'
                  r'\1```\w*\n(?P<text>.*?)^\1```\n', re.M | re.S)
# ccache must read includes again: it does not see that a file is now found in front of another.
ENVIRONMENT = os.environ | {"CCACHE_NODIRECT": "1"}
MARK = re.compile(r"<!-- (?:file|edit)\b")
TEST = re.compile(r"^TEST(?:_F)?\((\w+), (\w+)\)", re.M)


class Step(NamedTuple):
    """A code block of a page. A new file has no `before`."""
    file: str
    before: str | None
    text: str


def steps_of(page):
    """The steps of a page, without the indentation of their blocks."""
    with open(os.path.join(ROOT, page), encoding="utf-8") as handle:
        content = handle.read()
    steps = []
    for found in STEP.finditer(content):
        text = re.sub("^" + found[1], "", found["text"], flags=re.M)
        before = found["before"].replace('\\"', '"') if found["edit"] else None
        steps.append(Step(found["file"] or found["edit"], before, text))
    if not steps or len(steps) != len(MARK.findall(content)):
        sys.exit("%s: %d of its %d steps can be read" % (page, len(steps), len(MARK.findall(content))))
    return steps


def changed(text, step):
    """The text of a file after a step. A line that begins with `before` keeps its indentation."""
    if text.count(step.before) != 1:
        sys.exit("%s has %r %d times, not once" % (step.file, step.before, text.count(step.before)))
    at = text.index(step.before)
    line = text.rindex("\n", 0, at) + 1
    if not text[line:at].strip():
        at = line
    return text[:at] + step.text + text[at:]


class Copy:
    """The changed and new files of a page, and what is made of them."""

    def __init__(self, build, folder, steps):
        self.build, self.folder = build, folder
        self.texts = {}  # of changed and new files
        self.new = set()
        self.objects = set()  # that are compiled already
        for step in steps:
            self._apply(step)
        shutil.rmtree(folder, ignore_errors=True)
        for name, text in self.texts.items():
            os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
            with open(self.path(name), "w", encoding="utf-8") as handle:
                handle.write(text)

    def path(self, name):
        """Where the copy has a file."""
        return os.path.join(self.folder, name)

    def tests(self):
        """The names of the tests in new files."""
        return ["%s.%s" % test for name in sorted(self.new) for test in TEST.findall(self.texts[name])]

    def link(self, target):
        """Makes a program of the build anew and returns its path."""
        lines = self._ninja("commands", target)
        commands = {found[1]: line for line in lines if (found := re.search(r" -o (\S+) -c ", line))}
        made, stale = self._compile(commands)
        words = shlex.split(next(part for part in lines[-1].split("&&") if " -o " in part))
        words = [made.pop(word, word) for word in words if word not in stale]
        at = words.index("-o")
        program = self.path(os.path.basename(target))
        words[at:at + 2] = list(made.values()) + ["-o", program]
        subprocess.run(words, cwd=self.build, check=True)
        return program

    def _apply(self, step):
        source = os.path.join(ROOT, step.file)
        if step.before is None:
            if os.path.exists(source) or step.file in self.texts:
                sys.exit("%s exists already" % step.file)
            self.new.add(step.file)
            self.texts[step.file] = step.text
            return
        if step.file not in self.texts:
            with open(source, encoding="utf-8") as handle:
                self.texts[step.file] = handle.read()
        self.texts[step.file] = changed(self.texts[step.file], step)

    def _ninja(self, tool, *arguments):
        return subprocess.run(["ninja", "-t", tool, *arguments], check=True, cwd=self.build,
                              stdout=subprocess.PIPE, text=True).stdout.splitlines()

    def _dependents(self, objects):
        """(object, changed files that it is made of) of the build's objects that have some."""
        found = {}
        for line in self._ninja("deps", *objects):
            if line and not line.startswith(" "):
                name = line.split(":")[0]
                if "(VALID)" not in line:
                    sys.exit("%s is not up to date: %s" % (self.build, line))
            elif line:
                path = os.path.relpath(os.path.join(self.build, line.strip()), ROOT)
                if path in self.texts:
                    found.setdefault(name, set()).add(path)
        if unused := set(self.texts) - self.new - set().union(*found.values()):
            sys.exit("nothing of the program depends on %s" % ", ".join(sorted(unused)))
        return found.items()

    def _compile(self, commands):
        """Compiles new files and what depends on changed ones: {object of the build: new object}, and
        the objects of tests that have only a changed header: they would test nothing new."""
        jobs, stale = {}, set()
        for name, files in self._dependents(commands):
            if "_test.dir/" in name and all(file.endswith(".h") for file in files):
                stale.add(name)
            else:
                jobs[name] = self._command(commands[name])
        for file in self.new:
            if file.endswith(".cc"):
                jobs[file] = self._command(commands[neighbour(file, commands)], self.path(file))
        outputs = {name: self.path(name.replace("/", "_") + ".o") for name in jobs}
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            list(pool.map(self._make, jobs.values(), outputs.values()))
        return outputs, stale

    def _make(self, words, output):
        if output not in self.objects:
            words[words.index("-o") + 1] = output
            if subprocess.run(words, cwd=self.build, env=ENVIRONMENT, check=False).returncode != 0:
                raise SystemExit("a changed or new file cannot be compiled")
            self.objects.add(output)

    def _command(self, command, source=None):
        """The words of a command that compiles with the copy's files in front of the others: another
        source, if it is given, or that of the command."""
        words = shlex.split(command)
        for option in ("-MT", "-MF"):
            at = words.index(option)
            del words[at:at + 2]
        at = words.index("-c") + 1
        name = os.path.relpath(words[at], ROOT)
        words[at] = source or (self.path(name) if name in self.texts else words[at])
        first = next(i for i, word in enumerate(words) if word.startswith("-I"))
        include = "-I" + ROOT + os.sep
        words[first:first] = ["-I" + self.path(word[len(include):]) for word in words if word.startswith(include)]
        return [word for word in words if word != "-MD"]


def neighbour(file, commands):
    """An object of the library, or of its test program, that a new file belongs to."""
    library = file.split("/")[2]
    kind = "_test" if file.endswith("_test.cc") else ""
    folder = "src/%s/CMakeFiles/kinu_%s%s.dir/" % (library, library, kind)
    return next(name for name in commands if name.startswith(folder))


def run_tests(program, names):
    """Runs tests, by name or pattern; each must exist."""
    for name in names:
        done = subprocess.run([program, "--gtest_filter=" + name], stdout=subprocess.PIPE, text=True, check=False)
        if done.returncode != 0 or not re.search(r"^\[  PASSED  \] [1-9]", done.stdout, re.M):
            sys.exit("%s failed, or there is no such test:\n%s" % (name, done.stdout))
    return ", ".join(names)


def check_function(copy):
    """The function gets a page, and its examples hold."""
    docs = copy.path("pages")
    subprocess.run([copy.link("src/functions/kinu_function_docs"), docs], check=True)
    new = set(os.listdir(docs)) - set(os.listdir(os.path.join(ROOT, "docs", "functions")))
    if len(new) != 1:
        sys.exit("the steps must add one page to docs/functions, not %s" % sorted(new))
    run_tests(copy.link("src/functions/kinu_functions_test"), ["Examples.*", "Table.*"])
    return new.pop()


def check_command(copy):
    """The command runs and is in the help."""
    program = copy.link("src/cli/kinu")
    for arguments, text in ((["hello", "-name=you"], "Hello, you.\n"),
                            (["hello", "-help"], "Whom to greet."),
                            (["-help"], "  hello         Greet somebody\n")):
        done = subprocess.run([program] + arguments, stdout=subprocess.PIPE, text=True, check=False)
        if done.returncode != 0 or text not in done.stdout:
            sys.exit("kinu %s printed, without %r:\n%s" % (" ".join(arguments), text, done.stdout))
    return "hello"


def check_tests(target):
    """A check that runs the tests of the page, with a test program of the build."""
    def check(copy):
        names = copy.tests()
        if not names:
            sys.exit("the steps have no test")
        return run_tests(copy.link(target), names)
    return check


CHECKS = {
    "function": check_function,
    "command": check_command,
    "backend": check_tests("src/backend/kinu_backend_test"),
    "block": check_tests("src/config/kinu_config_test"),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--build", required=True)
    parser.add_argument("page", choices=CHECKS)
    arguments = parser.parse_args()
    build = os.path.realpath(arguments.build)
    page = "docs/adding/%s.md" % arguments.page
    copy = Copy(build, os.path.join(build, "tests", "adding", arguments.page), steps_of(page))
    print("%s adds %s" % (page, CHECKS[arguments.page](copy)))


if __name__ == "__main__":
    main()
