#!/usr/bin/env python3
"""Checks the coverage pages docs/seeds/*.md: each test case that they name must exist.

`Suite.Test` is a unit test, `….case` a file of tests/cases, and any other name a case of tests/conformance.
"""
import glob
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "conformance"))
import recordings  # noqa: E402

ROOT = os.path.join(HERE, "..")
ROW = re.compile(r"^\| (.+) \| (`.+`) \|$")


def unit_tests():
    names = set()
    for path in glob.glob(os.path.join(ROOT, "src", "**", "*_test.cc"), recursive=True):
        with open(path, encoding="utf-8") as handle:
            names.update(".".join(match) for match in
                         re.findall(r"^TEST(?:_[FP])?\((\w+), (\w+)\)", handle.read(), re.M))
    return names


def own_cases():
    folder = os.path.join(ROOT, "tests", "cases")
    return {os.path.relpath(path, folder)
            for path in glob.glob(os.path.join(folder, "**", "*.case"), recursive=True)}


def main():
    tests = unit_tests()
    own = own_cases()
    cases = recordings.names()
    passed = failed = 0
    for page in sorted(glob.glob(os.path.join(ROOT, "docs", "seeds", "*.md"))):
        with open(page, encoding="utf-8") as handle:
            text = handle.read()
        if "tests/seeds.py" not in text:
            continue  # another test checks these
        rows = [match for match in map(ROW.match, text.splitlines()) if match]
        if not rows:
            print("FAIL %s has no rows" % page)
            failed += 1
        for row in rows:
            for name in re.findall(r"`([^`]+)`", row.group(2)):
                if name.endswith(".case"):
                    known = name in own
                elif "." in name and "/" not in name:
                    known = name in tests
                else:
                    known = name in cases
                passed, failed = passed + known, failed + (not known)
                if not known:
                    print("FAIL %s: no case %s (%s)" % (os.path.basename(page), name, row.group(1)))
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
