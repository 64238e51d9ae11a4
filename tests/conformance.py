#!/usr/bin/env python3
"""Runs the conformance suites against a binary and compares the counts with their floors.

    tests/conformance.py [--binary PATH] [--mirror DIR] [--record]

The suites are in a folder `shared` beside the repository, or where KINU_SHARED says; without it
nothing runs. tests/conformance_floor.tsv has the number of cases of each suite that must pass. A suite
that passes fewer fails. --record or KINU_UPDATE=1 raises the floors to the present results and never lowers one.
"""
import argparse
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
FLOORS = os.path.join(HERE, "conformance_floor.tsv")
# (name of the family, its runner, arguments). Runners are in the folder of their suite, or here.
RUNNERS = [
    ("cli", "run_cli.py", ["--show", "0", "--jobs", "2"]),
    ("language", "run_language.py", []),
    ("checks", "run_checks.py", []),
    ("checks-native", "run_checks.py", ["--native"]),
    ("json", "json_query.py", ["--suites", "."]),
]
ROW = re.compile(r"^(\S+)\s+(\d+)/(\d+)(?:\s+\((\d+) skipped\))?$")
# The runner of checks prints the name of a group (one or two words), then the counts.
COUNTED_ROW = re.compile(r"^(\S+(?: \S+)?)\s+(\d+) passed\s+(\d+) failed$")


def shared_folder():
    place = os.environ.get("KINU_SHARED") or os.path.join(HERE, "..", "..", "shared")
    return os.path.realpath(place)


def read_floors():
    floors = {}
    if os.path.exists(FLOORS):
        with open(FLOORS, encoding="utf-8") as handle:
            for line in list(handle)[1:]:
                suite, floor = line.rstrip("\n").split("\t")
                floors[suite] = int(floor)
    return floors


def write_floors(floors):
    with open(FLOORS, "w", encoding="utf-8") as handle:
        handle.write("suite\tfloor\n")
        for suite in sorted(floors):
            handle.write("%s\t%d\n" % (suite, floors[suite]))


def run_family(folder, family, runner, arguments, binary, mirror):
    """Runs one family. Returns {suite: (passed, total, skipped)} as its runner reports them."""
    place = os.path.join(folder, runner)
    if not os.path.exists(place):
        place = os.path.join(HERE, runner)
    command = [sys.executable, place, "--binary", os.path.abspath(binary)]
    command += arguments
    if family == "cli" and os.path.isdir(mirror):
        command += ["--provider-mirror", os.path.abspath(mirror)]
    # Cases must not depend on the user's environment.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("TF_")}
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, errors="replace",
                          env=environment, cwd=folder)
    rows = {}
    for line in done.stdout.splitlines():
        match = ROW.match(line)
        if match:
            rows["%s/%s" % (family, match.group(1))] = (
                int(match.group(2)), int(match.group(3)), int(match.group(4) or 0))
            continue
        match = COUNTED_ROW.match(line)
        if match:
            passed, failed = int(match.group(2)), int(match.group(3))
            rows["%s/%s" % (family, match.group(1).replace(" ", "."))] = (
                passed, passed + failed, 0)
    if not rows:
        print(done.stdout)
        print("conformance: %s reported no suite (exit status %d)" % (runner, done.returncode))
    return rows


def run(binary, mirror, record=False):
    """Runs all suites and prints those whose count has changed. Returns (number at or above their floor, below it)."""
    folder = os.path.join(shared_folder(), "conformance")
    if not os.path.isdir(folder):
        print("conformance: skipped, there are no suites beside the repository (KINU_SHARED names "
              "another place)")
        return 0, 0
    floors = read_floors()
    rows = {}
    for family, runner, arguments in RUNNERS:
        rows.update(run_family(folder, family, runner, arguments, binary, mirror))
    suites = sorted(set(rows) | set(floors))
    below = 0
    for suite in suites:
        passed, total, skipped = rows.get(suite, (0, 0, 0))
        floor = floors.get(suite, 0)
        # A case that was skipped because its provider is missing neither passes nor fails.
        if passed < floor - skipped or suite not in rows:
            print("FAIL %-28s %d of %d pass, the floor is %d" % (suite, passed, total, floor))
            below += 1
        elif passed > floor:
            print("     %-28s %d of %d pass, above the floor of %d" % (suite, passed, total, floor))
    if record or os.environ.get("KINU_UPDATE"):
        for suite, (passed, _, _) in rows.items():
            floors[suite] = max(passed, floors.get(suite, 0))
        write_floors(floors)
    cases = sum(row[0] for row in rows.values())
    total = sum(row[1] for row in rows.values())
    print("conformance: %d of %d cases pass; %d suites at or above their floor, %d below"
          % (cases, total, len(suites) - below, below))
    return len(suites) - below, below if rows else max(below, 1)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--binary", default="build/dev/src/cli/tofu")
    parser.add_argument("--mirror", default="build/dev/mirror")
    parser.add_argument("--record", action="store_true")
    args = parser.parse_args()
    passed, failed = run(args.binary, args.mirror, args.record)
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
