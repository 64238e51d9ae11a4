#!/usr/bin/env python3
"""Interrupts `test` while a run applies: after one interrupt the run ends and everything is destroyed, after two what
exists is named and stored.

  test_interrupts.py --binary PATH
"""
import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time

MAIN = """
variable "seconds" {
  default = 0
}
resource "terraform_data" "first" {
}
resource "terraform_data" "slow" {
  input = terraform_data.first.id
  provisioner "local-exec" {
    command = "[ ${var.seconds} = 0 ] || touch started; sleep ${var.seconds}"
  }
}
"""
TESTS = """
run "quick" {
}
run "slow" {
  variables {
    seconds = 1
  }
  plan_options {
    replace = [terraform_data.slow]
  }
}
run "never" {
}
"""


def interrupted(binary, directory, arguments, times):
    """Runs the tests and interrupts the slow run; (exit code, stdout, stderr)."""
    started = os.path.join(directory, "started")
    with subprocess.Popen([binary, "test", "-no-color", *arguments], cwd=directory, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True) as process:
        deadline = time.monotonic() + 30
        while not os.path.exists(started) and time.monotonic() < deadline:
            time.sleep(0.01)
        os.unlink(started)
        for _ in range(times):
            process.send_signal(signal.SIGINT)
            time.sleep(0.2)
        out, err = process.communicate(timeout=60)
        return process.returncode, out, err


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", required=True)
    binary = os.path.abspath(parser.parse_args().binary)
    problems = []

    def expect(what, condition, shown):
        if not condition:
            problems.append("%s\n%s" % (what, shown))

    with tempfile.TemporaryDirectory() as directory:
        for name, text in (("main.tf", MAIN), ("main.tftest.hcl", TESTS)):
            with open(os.path.join(directory, name), "w", encoding="utf-8") as file:
                file.write(text)
        kept = os.path.join(directory, "errored_test.tfstate")

        code, out, err = interrupted(binary, directory, [], 1)
        shown = out + err
        expect("one interrupt: exit code 0", code == 0, shown)
        expect("one interrupt: the run ends", 'run "slow"... pass' in out, shown)
        expect("one interrupt: the rest is skipped", 'run "never"... skip' in out, shown)
        expect("one interrupt: summary", "Success! 2 passed, 0 failed, 1 skipped." in out, shown)
        expect("one interrupt: a notice", "Gracefully shutting down..." in err, shown)
        expect("one interrupt: nothing is left", not os.path.exists(kept), shown)

        code, out, err = interrupted(binary, directory, [], 2)
        shown = out + err
        expect("two interrupts: exit code 1", code == 1, shown)
        expect("two interrupts: no results", out == "", shown)
        expect("two interrupts: what exists", "  - terraform_data.first" in err, shown)
        expect("two interrupts: a state", os.path.exists(kept), shown)
        if os.path.exists(kept):
            with open(kept, encoding="utf-8") as file:
                stored = {resource["name"] for resource in json.load(file)["resources"]}
            expect("two interrupts: all objects are stored", stored == {"first", "slow"}, str(stored))

        code, out, err = interrupted(binary, directory, ["-json"], 2)
        types = [json.loads(line).get("type") for line in out.splitlines()]
        expect("two interrupts, JSON", code == 1 and types[:2] == ["version", "test_abstract"] and
               "test_interrupt" in types and "test_summary" not in types, out + err)

    for problem in problems:
        print("FAIL", problem)
    print("%d problems" % len(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
