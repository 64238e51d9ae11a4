#!/usr/bin/env python3
"""Runs the conformance cases against a binary. Every case must pass.

    tests/conformance.py [--binary PATH] [--mirror DIR] [--only GLOB] [--show N] [--jobs N] [--record]

The cases are packed in tests/conformance (its README.md). Cases derived from the tests of other projects are not part of
the repository: they run if a folder `shared` is beside it, or where KINU_SHARED says. tests/conformance_floor.tsv has the
number of cases that each suite must at least have, so that a pack that loses cases fails; --record raises these numbers
and never lowers one. --only runs the cases whose name matches; no number is compared then.
"""
import argparse
import collections
import concurrent.futures
import fnmatch
import functools
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "conformance"))
import check_cases  # noqa: E402
import cli_cases  # noqa: E402
import language_cases  # noqa: E402

FLOORS = os.path.join(HERE, "conformance_floor.tsv")
SHARED = re.compile(r"json/|language/(?!gen-)")  # suites that are not part of the repository
JSON_ROW = re.compile(r"^(json-\S+) (\d+)/(\d+)$")


def shared_folder():
    """The folder of cases that are not part of the repository. It need not exist."""
    place = os.environ.get("KINU_SHARED") or os.path.join(HERE, "..", "..", "shared")
    return os.path.realpath(place)


def call(task):
    function, arguments = task
    return function(*arguments)


def run_tasks(tasks, jobs):
    """Runs calls in processes of their own. Yields (suite, case, status, lines) in the order of the calls."""
    with concurrent.futures.ProcessPoolExecutor(jobs) as pool:
        for rows in pool.map(call, tasks):
            yield from rows


def read_floors():
    """{suite: the number of cases that it must at least have}. Without the file nothing can be tested: that is an error."""
    with open(FLOORS, encoding="utf-8") as file:
        rows = [line.rstrip("\n").split("\t") for line in list(file)[1:]]
    return {suite: int(floor) for suite, floor in rows}


def raise_floors(floors, report):
    raised = {suite: max(report.cases(suite), floors.get(suite, 0)) for suite in report.suites() | set(floors)}
    with open(FLOORS, "w", encoding="utf-8") as file:
        file.write("suite\tfloor\n")
        file.writelines("%s\t%d\n" % row for row in sorted(raised.items()))


def shared_tasks(binary, wanted):
    folder = os.path.join(shared_folder(), "conformance", "language")
    return list(language_cases.shared_tasks(binary, folder, wanted))


def run_json(binary, folder):
    """Runs the cases of JSONPath and of JSON parsing. Returns {suite: number that pass}."""
    done = subprocess.run([sys.executable, os.path.join(HERE, "json_query.py"), "--binary", binary,
                           "--suites", folder, "--show", "20"], stdout=subprocess.PIPE, text=True)
    passed = {}
    for line in done.stdout.splitlines():
        match = JSON_ROW.match(line)
        if match:
            passed["json/" + match.group(1)] = int(match.group(2))
        elif line.startswith("FAIL"):
            print(line)
    return passed


class Report:
    """Counts what the cases give, and prints those that fail."""

    def __init__(self, show):
        self.show = show
        self.passed, self.failed, self.skipped = (collections.Counter() for _ in range(3))
        self.reasons = collections.Counter()

    def add(self, suite, case, status, lines):
        getattr(self, status)[suite] += 1
        if status == "skipped":
            self.reasons[lines[0]] += 1
        if status == "failed":
            print("FAIL %s (%s)" % (case, suite))
            for line in lines[:self.show]:
                print("     " + line)
            if len(lines) > self.show:
                print("     … %d more lines" % (len(lines) - self.show))

    def add_all(self, rows):
        for row in rows:
            self.add(*row)

    def suites(self):
        return set(self.passed) | set(self.failed) | set(self.skipped)

    def cases(self, suite):
        """The cases that ran or had no provider."""
        return self.passed[suite] + self.failed[suite] + self.skipped[suite]

    def bad_suites(self, floors):
        """The suites with failures, with fewer cases than their floor, or without a floor."""
        bad = {suite for suite in self.suites() if self.failed[suite]}
        for suite in sorted(self.suites() | set(floors)):
            if suite not in floors:
                print("FAIL %s has no floor (--record)" % suite)
                bad.add(suite)
            elif self.cases(suite) < floors[suite]:
                print("FAIL %s has %d cases, its floor is %d" % (suite, self.cases(suite), floors[suite]))
                bad.add(suite)
        return bad


def run_packed(report, program, jobs, wanted):
    with tempfile.TemporaryDirectory(prefix="documents-") as documents:
        check_cases.write_documents(documents)
        tasks = language_cases.tasks(program.binary, wanted)
        tasks += check_cases.tasks(program.binary, documents, wanted)
        tasks += cli_cases.tasks(program, wanted)
        report.add_all(run_tasks(tasks, jobs))


def run_shared(report, binary, jobs, wanted):
    """Runs the cases beside the repository. Returns whether there are any."""
    folder = os.path.join(shared_folder(), "conformance")
    if not os.path.isdir(folder):
        return False
    report.add_all(run_tasks(shared_tasks(binary, wanted), jobs))
    report.passed.update(run_json(binary, folder))
    return True


def wants(pattern, name):
    return pattern is None or fnmatch.fnmatch(name, pattern)


def run(binary, mirror, only=None, show=12, jobs=2, record=False):
    """Runs all cases. Returns (number of suites that are as they must be, number of others)."""
    report, program = Report(show), cli_cases.Program(binary, mirror)
    wanted = functools.partial(wants, only)
    run_packed(report, program, jobs, wanted)
    floors = read_floors()
    if only:
        floors = {suite: 0 for suite in report.suites()}
    elif not run_shared(report, program.binary, jobs, wanted):
        missing = {suite for suite in floors if SHARED.match(suite)}
        print("conformance: skipped, %d cases from the tests of other projects are not beside the repository "
              "(KINU_SHARED names another place)" % sum(floors[suite] for suite in missing))
        floors = {suite: floor for suite, floor in floors.items() if suite not in missing}
    if record:
        raise_floors(read_floors(), report)
    bad = report.bad_suites(floors)
    for reason, count in sorted(report.reasons.items()):
        print("conformance: skipped, %d cases: %s" % (count, reason))
    passed, failed = sum(report.passed.values()), sum(report.failed.values())
    print("conformance: %d of %d cases pass, in %d suites" % (passed, passed + failed, len(report.suites())))
    return len(report.suites() - bad), len(bad) if passed or failed else max(len(bad), 1)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--binary", default="build/dev/src/cli/tofu")
    parser.add_argument("--mirror", default="build/dev/mirror")
    parser.add_argument("--only", help="only the cases whose name matches this pattern")
    parser.add_argument("--show", type=int, default=12, help="lines shown of each failure")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--record", action="store_true", help="raise the floors to what there is now")
    args = parser.parse_args()
    if args.record and args.only:
        parser.error("--record needs all cases")
    for name in [name for name in os.environ if name.startswith("TF_")]:
        del os.environ[name]  # settings of the user must not influence the cases
    passed, failed = run(args.binary, args.mirror, args.only, args.show, args.jobs, args.record)
    print("%d suites passed, %d failed" % (passed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
