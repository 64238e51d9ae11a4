#!/usr/bin/env python3
"""Holds docs/next.md to the program and to the tests that it names.

    tests/next_page.py --binary build/dev/src/cli/tofu

Each row says at which level the program does what an entry of OpenTofu's changelog describes, and what shows it: files
of the repository, which must exist, or the reason why there is nothing to show. The features of `about -json` are those
that rows name, with the same levels. `metadata functions` lists the functions of 1.13 at that level only.
"""
import argparse
import json
import os
import re
import subprocess
import sys

ROOT = os.path.realpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
PAGE = os.path.join(ROOT, "docs", "next.md")
STATES = {"both levels", "1.13", "not applicable", "not yet"}
PATH = re.compile(r"\]\(\.\./([^)#]+)\)")
FEATURE = re.compile(r"`([a-z-]+)`")


def rows(text):
    """The cells of the rows of the tables that have the column `level`."""
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if line.startswith("|") and len(cells) == 4 and cells[0] != "entry" and set(cells[0]) != {"-"}:
            yield cells


def run(binary, *words, level):
    environment = dict(os.environ, KINU_COMPATIBILITY=level)
    environment.pop("TF_CLI_CONFIG_FILE", None)
    return json.loads(subprocess.run([binary, *words], check=True, stdout=subprocess.PIPE, env=environment).stdout)


def page_problems(listed):
    for entry, level, feature, shown in listed:
        if level not in STATES:
            yield "%s: the level is none: %s" % (entry, level)
        paths = PATH.findall(shown)
        for path in paths:
            if not os.path.exists(os.path.join(ROOT, path)):
                yield "%s: %s does not exist" % (entry, path)
        if level in ("both levels", "1.13") and not paths:
            yield "%s: nothing shows it" % entry
        if level in ("not applicable", "not yet") and not shown:
            yield "%s: no reason" % entry
        if feature and not FEATURE.fullmatch(feature):
            yield "%s: not a feature: %s" % (entry, feature)


def feature_problems(listed, binary):
    named = {}
    for _, level, feature, _ in listed:
        if feature:
            named.setdefault(feature.strip("`"), level)
    for current in ("1.12", "1.13"):
        about = run(binary, "about", "-json", level=current)
        if about["compatibility"] != current:
            yield "about -json says level %s at %s" % (about["compatibility"], current)
        for feature in about["features"]:
            wanted = named.get(feature["name"])
            if wanted != ("both levels" if feature["every_level"] else "1.13"):
                yield "%s: the page says %s" % (feature["name"], wanted)
            if feature["active"] != (feature["every_level"] or current >= feature["since"]):
                yield "%s: active is %s at %s" % (feature["name"], feature["active"], current)
        for name in set(named) - {feature["name"] for feature in about["features"]}:
            yield "%s: the program knows no such feature" % name


def function_problems(binary):
    old, new = ({name for name in run(binary, "metadata", "functions", "-json", level=level)["function_signatures"]
                 if not name.startswith("core::")} for level in ("1.12", "1.13"))
    added = new - old
    if old - new or "convert" not in added or len(added) != 13:
        yield "metadata functions adds %s" % sorted(added)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", required=True)
    options = parser.parse_args()
    binary = os.path.abspath(options.binary)
    with open(PAGE, encoding="utf-8") as file:
        listed = list(rows(file.read()))
    found = [*page_problems(listed), *feature_problems(listed, binary), *function_problems(binary)]
    if len(listed) < 40:
        found.append("only %d rows" % len(listed))
    print("\n".join(found) or "ok: %d entries" % len(listed))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
