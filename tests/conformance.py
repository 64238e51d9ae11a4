#!/usr/bin/env python3
"""Runs the conformance cases against a binary. Every case must pass.

    tests/conformance.py [--binary PATH] [--mirror DIR] [--only GLOB] [--show N] [--jobs N]

The cases are packed in tests/conformance (its README.md). tests/conformance/suites.tsv has the number of cases of each
suite, and a suite that has another number fails. Cases derived from the tests of other projects are not part of the
repository: they run if a folder `shared` is beside it, or where KINU_SHARED says, and shared_suites.tsv has the number
that must pass. --only runs the cases whose name matches; no number is compared then.
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
import packs  # noqa: E402

SHARED_COUNTS = os.path.join(packs.HERE, "shared_suites.tsv")
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


def packed_counts():
    """The number of results that each suite must have."""
    counts = packs.counts()
    counts.pop("checks/documents", None)
    counts["checks-native/cases"] = counts.get("checks/cases")  # the same cases in the other syntax
    return counts


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

    def bad_suites(self, counts, found):
        """The suites with failures, or with another number of cases than `counts` says. `found` gives the number."""
        bad = {suite for suite in self.suites() if self.failed[suite]}
        for suite, count in sorted(counts.items()):
            if found(suite) != count:
                print("FAIL %s has %d cases, not %d" % (suite, found(suite), count))
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


def run(binary, mirror, only=None, show=12, jobs=2):
    """Runs all cases. Returns (number of suites that are as they must be, number of others)."""
    report, program = Report(show), cli_cases.Program(binary, mirror)
    wanted = functools.partial(wants, only)
    run_packed(report, program, jobs, wanted)
    counts = {} if only else packed_counts()
    bad = report.bad_suites(counts, lambda suite: report.passed[suite] + report.failed[suite] + report.skipped[suite])
    if not only:
        floors = packs.read_counts(SHARED_COUNTS)
        if run_shared(report, program.binary, jobs, wanted):
            bad |= report.bad_suites(floors, lambda suite: min(report.passed[suite], floors[suite]))
        else:
            print("conformance: skipped, %d cases from the tests of other projects are not beside the repository "
                  "(KINU_SHARED names another place)" % sum(floors.values()))
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
    args = parser.parse_args()
    for name in [name for name in os.environ if name.startswith("TF_")]:
        del os.environ[name]  # settings of the user must not influence the cases
    passed, failed = run(args.binary, args.mirror, args.only, args.show, args.jobs)
    print("%d suites passed, %d failed" % (passed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
