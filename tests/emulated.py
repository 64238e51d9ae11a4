#!/usr/bin/env python3
"""Runs the unit tests of a build for another processor, which QEMU runs.

    tests/emulated.py ARCH [--only GLOB] [--jobs N]        ARCH as Debian calls it; the build is build/ARCH

The programs are those that ctest has (`ninja -C build/ARCH unit_tests` builds them); tools/emulated.sh starts this script
again where they can run. tests/emulated.tsv has the tests that cannot pass there, with the reason: they are left out, and
the reasons printed. The tests' providers are those of this processor, in folders that name the other. Prints a line for each program, and the tests that fail. Exits with 77 where nothing can be emulated.
"""
import argparse
import collections
import concurrent.futures
import fnmatch
import glob
import json
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
ROWS = os.path.join(HERE, "emulated.tsv")
PATIENCE = 3600  # seconds: twelve times what ctest gives a program of this processor
INSIDE = "KINU_EMULATED"

Outcome = collections.namedtuple("Outcome", "name passed skipped failed")


def left_out():
    """{program: {test: reason}} of the tests that cannot pass under QEMU."""
    rows = collections.defaultdict(dict)
    with open(ROWS, encoding="utf-8") as file:
        for line in list(file)[1:]:
            program, test, reason = line.rstrip("\n").split("\t")
            rows[program][test] = reason
    return rows


def programs(build):
    """(name, command, environment) of each unit test of ctest that is a program of the build."""
    done = subprocess.run(["ctest", "--show-only=json-v1", "-L", "^unit$"], cwd=build, stdout=subprocess.PIPE, check=True)
    for test in json.loads(done.stdout)["tests"]:
        words = test.get("command", [])
        # What stands before it is QEMU, as ctest would call it.
        begin = next((at for at, word in enumerate(words) if word.endswith("_test")), None)
        if begin is not None:
            settings = next((each["value"] for each in test["properties"] if each["name"] == "ENVIRONMENT"), [])
            yield test["name"], words[begin:], dict(each.split("=", 1) for each in settings)


def lay_inputs(build, arch):
    """What the tests read: cases of the language (ctest would have QEMU run this script), and providers."""
    subprocess.run([sys.executable, os.path.join(HERE, "conformance", "case.py"), "unpack-family", "language",
                    os.path.join(build, "tests", "conformance")], stdout=subprocess.DEVNULL, check=True)
    for folder in glob.glob(os.path.join(glob.escape(build), "mirror", "*", "*", "*", "*", "linux_*")):
        other = os.path.join(os.path.dirname(folder), "linux_" + arch)
        if not os.path.exists(other):
            shutil.copytree(folder, other)


def tests_of(report):
    for suite in report["testsuites"]:
        for test in suite["testsuite"]:
            yield "%s.%s" % (suite["name"], test["name"]), test


def run(name, command, environment, without):
    """Runs a program without the tests that cannot pass. One with arguments is no test of GoogleTest, and one test."""
    if not os.path.exists(command[0]):
        return Outcome(name, 0, 0, ["was not built"])
    with tempfile.TemporaryDirectory() as folder:
        report, has_report = os.path.join(folder, "report.json"), len(command) == 1
        words = [*command, *(["--gtest_output=json:" + report] if has_report else [])]
        if without:
            words.append("--gtest_filter=-" + ":".join(without))
        try:
            done = subprocess.run(words, env={**os.environ, **environment}, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, text=True, errors="replace", timeout=PATIENCE, check=False)
        except subprocess.TimeoutExpired:
            return Outcome(name, 0, 0, ["did not end in %d seconds" % PATIENCE])
        if not has_report and done.returncode == 0:
            return Outcome(name, 1, 0, [])
        if not os.path.exists(report):
            return Outcome(name, 0, 0, ["ended by %d: %s" % (done.returncode, done.stdout[-600:])])
        with open(report, encoding="utf-8") as file:
            found = list(tests_of(json.load(file)))
    failed = ["%s: %s" % (test, each["failures"][0]["failure"][:300]) for test, each in found if each.get("failures")]
    skipped = sum(each["result"] == "SKIPPED" for _, each in found)
    if done.returncode != 0 and not failed:
        failed = ["ended by %d" % done.returncode]
    return Outcome(name, len(found) - skipped - len(failed), skipped, failed)


def run_all(build, only, jobs):
    rows, outcomes = left_out(), []
    wanted = [each for each in programs(build) if fnmatch.fnmatch(each[0], only)]
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for outcome in pool.map(lambda each: run(*each, rows.get(each[0], {})), wanted):
            outcomes.append(outcome)
            reasons = rows.get(outcome.name, {})
            print("%-24s %4d pass, %d fail, %d skipped, %d left out" % (
                outcome.name, outcome.passed, len(outcome.failed), outcome.skipped, len(reasons)), flush=True)
            for line in outcome.failed:
                print("  FAILED " + line)
            for test, reason in reasons.items():
                print("  left out %s: %s" % (test, reason))
    return outcomes


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("arch")
    parser.add_argument("--only", default="*", help="only the programs whose name in ctest matches")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    build = os.path.join(ROOT, "build", options.arch)
    if INSIDE not in os.environ:
        lay_inputs(build, options.arch)
        words = [os.path.join(ROOT, "tools", "emulated.sh"), options.arch, sys.executable, os.path.abspath(__file__), *sys.argv[1:]]
        return subprocess.run(words, env={**os.environ, INSIDE: "1"}, check=False).returncode
    outcomes = run_all(build, options.only, options.jobs)
    passed, failed = sum(each.passed for each in outcomes), sum(len(each.failed) for each in outcomes)
    print("emulated: %d programs" % len(outcomes))
    print("%d passed, %d failed, %d skipped" % (passed, failed, sum(each.skipped for each in outcomes)))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
