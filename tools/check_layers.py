#!/usr/bin/env python3
"""Checks the rules of docs/layers.txt, which a compiler does not check: includes, threads, length.

    tools/check_layers.py [ROOT]

Prints a line per problem and exits with 1, or prints `ok`.
"""
import os
import re
import sys

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
SYNCHRONISATION = {"atomic", "barrier", "condition_variable", "future", "latch", "mutex", "pthread.h",
                   "semaphore", "shared_mutex", "stdatomic.h", "stop_token", "thread", "threads.h"}
# Headers of the C library, the system and the processor.
SYSTEM = re.compile(r"(arpa|linux|net|netinet|sys)/\w+\.h|(arm_neon|cpuid|dirent|dlfcn|emmintrin|fcntl|glob|immintrin|netdb|poll|"
                    r"pwd|sched|signal|spawn|stdlib|termios|time|unistd)\.h")
LINES_REFUSED = 700


class Rules:
    """The rules of docs/layers.txt."""

    def __init__(self, path):
        self.allowed = {}     # library: the libraries that it may include, with itself
        self.uses = {}        # library: those of its line
        self.only = {}        # (library, other): the only headers of `other` that it may include
        self.third_party = []  # (prefix of a header, paths that may include it)
        self.wing = {}        # outermost folder of a library: the folder of src/ that has it
        self.threads = set()  # paths that may use threads and locks
        self.problems = []
        with open(path, encoding="utf-8") as handle:
            for number, line in enumerate(handle, 1):
                line = line.split("#")[0].strip()
                if not line:
                    continue
                head, colon, tail = line.partition(":")
                words, values = head.split(), tail.split()
                if not colon:
                    self.problems.append("%s:%d: no colon" % (path, number))
                elif words[0] == "wing":
                    self.wing.update((library, words[1]) for library in values)
                elif words[0] == "third-party":
                    self.third_party.append((words[1], values))
                elif words[0] == "threads":
                    self.threads.update(values)
                elif words[0] == "only":
                    self.only[words[1], words[2]] = set(values)
                else:
                    self.add_library(words[0], values, path, number)

    def add_library(self, name, values, path, number):
        closure = {name}
        self.uses[name] = values
        for value in values:
            if value not in self.allowed:
                self.problems.append("%s:%d: %s uses %s, which no line above defines"
                                     % (path, number, name, value))
            closure |= self.allowed.get(value, set())
        self.allowed[name] = closure


def covers(places, path):
    """Whether one of the places (a file, or a directory with a final slash) contains the path."""
    return any(path == place or (place.endswith("/") and path.startswith(place))
               for place in places)


def is_test(path):
    return path.endswith("_test.cc") or "/testing/" in path


def library_of(rules, path):
    """The library of a file: the innermost of its folders that is one; without any, the outermost folder."""
    folders = path.split("/")[:-1]
    for depth in range(len(folders), 0, -1):
        if "/".join(folders[:depth]) in rules.allowed:
            return "/".join(folders[:depth])
    return folders[0]


def check_include(rules, path, quoted, header):
    """The problem with an #include in the file `path` (below src/); None if it is permitted."""
    library = library_of(rules, path)
    if not quoted:
        if header in SYNCHRONISATION:
            if not is_test(path) and not covers(rules.threads, path):
                return "<%s>: docs/layers.txt does not list it among those with threads" % header
            return None
        for prefix, places in rules.third_party:
            if header.startswith(prefix):
                if is_test(path) and covers(places, "tests/"):
                    return None
                if not covers(places, path):
                    return "<%s>: only %s may include it" % (header, ", ".join(places))
                return None
        if (header.endswith(".h") or "/" in header) and not SYSTEM.fullmatch(header):
            return "<%s>: a library that docs/layers.txt does not list" % header
        return None
    if "/" not in header:
        return '"%s": written without its library' % header
    other = library_of(rules, header)
    if other not in rules.allowed:
        return '"%s": %s is no library' % (header, other)
    if "/testing/" in header and not is_test(path):
        return '"%s": for tests only' % header
    if is_test(path):
        return None
    if other not in rules.allowed[library]:
        return '"%s": %s may not use %s' % (header, library, other)
    headers = rules.only.get((library, other))
    if headers is not None and header not in headers:
        return '"%s": of %s, %s may use only %s' % (header, other, library,
                                                   ", ".join(sorted(headers)))
    return None


def source_files(root):
    """(path, path below src/) of the files of code."""
    source = os.path.join(root, "src")
    for folder, _, names in sorted(os.walk(source)):
        for name in sorted(names):
            if name.endswith((".cc", ".h")):
                full = os.path.join(folder, name)
                yield full, os.path.relpath(full, source)


def path_in_wing(rules, place):
    """How includes and docs/layers.txt name the file src/PLACE; None if it is in no wing that has its library."""
    wing, _, rest = place.partition("/")
    if rules.wing.get(wing) == wing:  # a wing of one library
        return place
    return rest if rules.wing.get(rest.split("/")[0]) == wing else None


def check_file(rules, path, text):
    """The problems of a file, by its path in its wing: (line or none, what is wrong)."""
    lines = text.split("\n")
    code = sum(1 for line in lines if line.strip() and not line.lstrip().startswith("//"))
    if code > LINES_REFUSED:
        yield None, "%d lines of code, more than %d" % (code, LINES_REFUSED)
    for number, line in enumerate(lines, 1):
        match = INCLUDE.match(line)
        problem = match and check_include(rules, path, match.group(1) == '"', match.group(2))
        if problem:
            yield number, "includes " + problem


def check(root):
    rules = Rules(os.path.join(root, "docs", "layers.txt"))
    problems = list(rules.problems)
    for full, place in source_files(root):
        path = path_in_wing(rules, place)
        if path is None or library_of(rules, path) not in rules.allowed:
            problems.append("src/%s: docs/layers.txt does not know its library" % place)
            continue
        with open(full, encoding="utf-8") as handle:
            for number, problem in check_file(rules, path, handle.read()):
                problems.append("src/%s:%s %s" % (place, "%d:" % number if number else "", problem))
    return problems


def main():
    root = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(__file__), "..")
    problems = check(root)
    for problem in problems:
        print(problem)
    if not problems:
        print("ok")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
