#!/usr/bin/env python3
"""Checks that no statement moves an object into itself, which leaves many objects empty.

    tools/check_moves.py [ROOT]

Refused are `x = std::move(x)`, `x = c ? std::move(x) : y` (write an `if`), and `a[i] = std::move(a[j])`
without an `if` that compares the two places before it. Prints a line per problem and exits with 1, or
prints `ok`.
"""
import os
import re
import sys

PLACE = r"\*?[A-Za-z_]\w*(?:(?:\.|->)\w+|\[[^\]\n]*\]|\(\))*"
ASSIGNMENT = re.compile(r"(?:^|[;{})])\s*(%s)\s*=\s*([^;{}]*);" % PLACE, re.M)
MOVED = re.compile(r"(?:^|[?:])\s*std::move\(\s*(%s)\s*\)\s*(?=$|:)" % PLACE)
ELEMENT = re.compile(r"^(.*)\[([^\]]*)\]$")
COMPARES = re.compile(r"if \(.*(?:!=|==)")


def compared_before(lines, number):
    """Whether one of the two lines before has an `if` that compares."""
    return any(COMPARES.search(line) for line in lines[max(0, number - 3):number - 1])


def problems_in(text):
    """(line, what is wrong) of each statement that may move an object into itself."""
    lines = text.split("\n")
    for found in ASSIGNMENT.finditer(text):
        place, value = found.group(1), found.group(2)
        number = text.count("\n", 0, found.start(1)) + 1
        for moved in MOVED.findall(value):
            if moved == place:
                yield number, "%s is moved into itself" % place
                continue
            one, other = ELEMENT.match(place), ELEMENT.match(moved)
            if one and other and one.group(1) == other.group(1) and not compared_before(lines, number):
                yield number, "%s may be %s, which is moved into it" % (place, moved)


def check(root):
    out = []
    for folder, _, names in sorted(os.walk(os.path.join(root, "src"))):
        for name in sorted(names):
            if name.endswith((".cc", ".h")):
                path = os.path.join(folder, name)
                with open(path, encoding="utf-8") as handle:
                    for number, what in problems_in(handle.read()):
                        out.append("%s:%d: %s" % (os.path.relpath(path, root), number, what))
    return out


def test():
    """The check finds what it is for, and nothing else."""
    bad = ["x = std::move(x);", "t = t ? std::move(t) : std::move(o);",
           "a.b = c ? d : std::move(a.b);", "t =\n    long_condition ? std::move(t)\n    : u;",
           "v[i] = std::move(v[j]);"]
    good = ["x = F(std::move(x));", "x = std::move(x).Done();", "x = c ? std::move(y) : z;",
            "if (i != j) {\n  v[i] = std::move(v[j]);\n}", "v[i] = std::move(w[i]);",
            "const auto t = std::move(s);"]
    for text in bad:
        assert list(problems_in(text)), text
    for text in good:
        assert not list(problems_in(text)), text


def main():
    test()
    root = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(__file__), "..")
    problems = check(root)
    for problem in problems:
        print(problem)
    if not problems:
        print("ok")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
