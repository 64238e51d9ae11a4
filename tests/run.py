#!/usr/bin/env python3
"""Runs all tests of a built tree: ctest, then the conformance suites.

    tests/run.py BUILD

Ends with `N passed, N failed`. Each test program of ctest and each conformance suite counts as one.
"""
import os
import re
import subprocess
import sys

import conformance

SUMMARY = re.compile(r"tests passed, (\d+) tests? failed out of (\d+)")


def run_ctest(build):
    """Runs the registered tests and passes their output through. Returns (passed, failed)."""
    jobs = 2 * (os.cpu_count() or 1)  # they wait for half of their time
    command = ["ctest", "--test-dir", build, "--output-on-failure", "-j%d" % jobs]
    passed = failed = 0
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, errors="replace") as process:
        for line in process.stdout:
            print(line, end="", flush=True)
            match = SUMMARY.search(line)
            if match:
                failed = int(match.group(1))
                passed = int(match.group(2)) - failed
    if process.returncode != 0 and failed == 0:
        failed = 1
    return passed, failed


def main():
    for name in [name for name in os.environ if name.startswith("TF_")]:
        del os.environ[name]  # settings of the user must not influence the tests
    build = sys.argv[1] if len(sys.argv) > 1 else "build/dev"
    passed, failed = run_ctest(build)
    suites_passed, suites_failed = conformance.run(
        os.path.join(build, "src", "cli", "tofu"), os.path.join(build, "mirror"))
    passed += suites_passed
    failed += suites_failed
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
