#!/usr/bin/env python3
"""Runs the hooks of .pre-commit-hooks.yaml and the steps of action.yml.

    review.py --binary PATH [--work DIRECTORY]

The hooks run by themselves, and under pre-commit if that is installed or can be installed into DIRECTORY. The steps
run in the order of action.yml with a `gh` that records its arguments.
"""
import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import venv

ROOT = os.path.realpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
PRE_COMMIT = "pre-commit==4.3.0"
MAIN = 'variable "n" {\n  default = 2\n}\n\nresource "terraform_data" "a" {\n  count = var.n\n  input = "secret, 100%"\n}\n'
POLICY = """check "no objects" {
  plan {
    expect_condition {
      condition = false
      message   = "is an object"
    }
  }
}

test "objects are found" {
  plans = ["plan.json"]

  fails "no objects" {}
}
"""
GH = """#!/bin/sh
echo "$@" >>"$GH_LOG"
case "$*" in *--paginate*) cat "$GH_COMMENTS" ;; esac
"""
MARK = "<!-- a review by kinu -->"


class Test:
    def __init__(self, binary):
        self.binary, self.failures = binary, 0

    def expect(self, condition, message):
        if not condition:
            self.failures += 1
            print("FAILED:", message)

    def run(self, words, folder, code=0, **more):
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("TF_", "GIT_", "GITHUB_"))}
        environment.update({"KINU": self.binary, "HOME": folder, **more})
        done = subprocess.run(words, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, timeout=240)
        self.expect(done.returncode == code, "%s ends with %d, not %d:\n%s" % (words, done.returncode, code, done.stdout))
        return done.stdout


def write(folder, files):
    for name, text in files.items():
        os.makedirs(os.path.dirname(os.path.join(folder, name)), exist_ok=True)
        with open(os.path.join(folder, name), "w", encoding="utf-8") as handle:
            handle.write(text)


def read(*path):
    with open(os.path.join(*path), encoding="utf-8") as handle:
        return handle.read()


def project(folder):
    """A project with a file that is not formatted, one with an error, and a policy with a test."""
    write(folder, {"good/main.tf": MAIN, "loose/main.tf": "locals {\na=1\n}\n", "bad/main.tf": "locals {\n  a = var.x\n}\n",
                   "policies/p.kinucheck.hcl": POLICY})
    shutil.copy(os.path.join(ROOT, "docs", "examples", "plan.json"), os.path.join(folder, "policies"))


def hooks(test, folder):
    script = lambda name: os.path.join(ROOT, "tools", "hooks", name)
    project(folder)
    said = test.run([script("validate.sh"), "good/main.tf", "loose/main.tf"], folder)
    test.expect(said == "", "validate.sh prints:\n" + said)
    said = test.run([script("validate.sh"), "good/main.tf", "bad/main.tf"], folder, 1)
    test.expect("bad:" in said and "Reference to undeclared input variable" in said and "good:" not in said, said)
    test.expect(sorted(os.listdir(os.path.join(folder, "good"))) == ["main.tf"], "validate.sh leaves files")
    said = test.run([script("fmt.sh"), "good/main.tf", "loose/main.tf"], folder)
    test.expect(said == "loose/main.tf\n" and read(folder, "loose/main.tf") == "locals {\n  a = 1\n}\n", said)
    said = test.run([script("check.sh"), "policies/p.kinucheck.hcl"], folder)
    test.expect(said == "1 test passed, 0 failed.\n", said)
    write(folder, {"policies/p.kinucheck.hcl": POLICY.replace("condition = false", "condition = true")})
    test.run([script("check.sh"), "policies/p.kinucheck.hcl"], folder, 1)


def installed(work):
    """The program pre-commit, or None."""
    found = shutil.which("pre-commit")
    if found:
        return found
    home = os.path.join(work, "pre-commit")
    program = os.path.join(home, "bin", "pre-commit")
    if not os.path.exists(program):
        try:
            venv.create(home, clear=True, with_pip=True)
            subprocess.run([os.path.join(home, "bin", "python"), "-m", "pip", "install", "-q", "--retries=0", "--timeout=5",
                            PRE_COMMIT], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=180)
        except (OSError, subprocess.SubprocessError):
            return None
    return program


def commit(test, folder):
    git = ["git", "-c", "user.name=t", "-c", "user.email=t@localhost", "-c", "init.defaultBranch=main"]
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "all"]):
        test.run([*git, *words], folder)
    return test.run([*git, "rev-parse", "HEAD"], folder).strip()


def pre_commit(test, folder, program):
    """A project whose hooks come from a repository that has only the hooks."""
    source, user = os.path.join(folder, "source"), os.path.join(folder, "user")
    shutil.copytree(os.path.join(ROOT, "tools", "hooks"), os.path.join(source, "tools", "hooks"))
    shutil.copy(os.path.join(ROOT, ".pre-commit-hooks.yaml"), source)
    revision = commit(test, source)
    project(user)
    os.remove(os.path.join(user, "bad", "main.tf"))
    write(user, {".pre-commit-config.yaml": "repos:\n- repo: %s\n  rev: %s\n  hooks: [{id: kinu-fmt}, {id: kinu-validate}, "
                                            "{id: kinu-check}]\n" % (source, revision)})
    commit(test, user)
    run = [program, "run", "--all-files", "--color=never"]
    said = test.run(run, user, 1, PRE_COMMIT_HOME=os.path.join(folder, "cache"))
    for line in (r"kinu fmt\.+Failed", r"kinu validate\.+Passed", r"kinu check\.+Passed", "files were modified"):
        test.expect(re.search(line, said), "no %s in\n%s" % (line, said))
    test.run(run, user, PRE_COMMIT_HOME=os.path.join(folder, "cache"))


def steps():
    """The scripts of action.yml in their order."""
    return re.findall(r"run: '\"\$GITHUB_ACTION_PATH/(\S+)\"'", read(ROOT, "action.yml"))


def action(test, folder):
    test.expect([os.path.basename(step) for step in steps()] == ["plan.sh", "summary.sh", "comment.sh", "policies.sh"],
                "action.yml has other steps: %s" % steps())
    write(folder, {"live/main.tf": MAIN, "rules/p.kinucheck.hcl": POLICY, "event.json": '{"pull_request":{"number":7}}',
                   "comments.json": json.dumps([{"id": 1, "body": "x"}]), "bin/gh": GH})
    os.chmod(os.path.join(folder, "bin", "gh"), 0o755)
    path = lambda name: os.path.join(folder, name)
    settings = {"KINU_REVIEW_DIRECTORY": "live", "KINU_REVIEW_POLICIES": "rules", "KINU_REVIEW_ARGUMENTS": "-var n=3",
                "GITHUB_OUTPUT": path("output"), "GITHUB_STEP_SUMMARY": path("steps"), "GITHUB_REPOSITORY": "o/r",
                "GITHUB_EVENT_PATH": path("event.json"), "GH_LOG": path("gh.log"), "GH_COMMENTS": path("comments.json"),
                "PATH": path("bin") + ":" + os.environ["PATH"]}
    said = [test.run([os.path.join(ROOT, step)], folder, 2 if "policies" in step else 0, **settings) for step in steps()]
    test.expect(read(folder, "output") == "changes=true\n", "the output is " + read(folder, "output"))
    summary = read(folder, "steps")
    test.expect(summary.startswith(MARK + "\n**Plan: 3 to add**") and "is an object" in summary, summary)
    test.expect("secret" not in summary, "a value in the summary")
    test.expect(said[3].count("::error file=live/main.tf,line=5") == 3, said[3])
    test.expect(len(json.loads(read(folder, "kinu-review/policies.sarif"))["runs"][0]["results"]) == 3, "SARIF")
    test.expect("<html" in read(folder, "kinu-review/report.html"), "no report")
    test.expect("-X POST repos/o/r/issues/7/comments -F body=@" in read(folder, "gh.log"), read(folder, "gh.log"))
    write(folder, {"comments.json": json.dumps([{"id": 1, "body": "x"}]) + json.dumps([{"id": 22, "body": MARK + "\nold"}])})
    test.run([os.path.join(ROOT, "tools/review/comment.sh")], folder, **settings)
    test.expect("-X PATCH repos/o/r/issues/comments/22 " in read(folder, "gh.log"), read(folder, "gh.log"))
    write(folder, {"live/bad.tf": 'output "o" {\n  value = "${var.x}%"\n}\n'})
    said = test.run([os.path.join(ROOT, "tools/review/plan.sh")], folder, 1, **settings)
    test.expect("::error file=live/bad.tf,line=2,endLine=2,title=Reference to undeclared input variable::An input" in said,
                said)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--binary", required=True)
    parser.add_argument("--work", default=tempfile.gettempdir())
    args = parser.parse_args()
    test = Test(os.path.abspath(args.binary))
    os.makedirs(args.work, exist_ok=True)
    program = installed(args.work)
    for run in (hooks, action):
        with tempfile.TemporaryDirectory(prefix="review-") as folder:
            run(test, folder)
    if program is None:
        print("skipped: pre-commit is not installed and cannot be")
    else:
        with tempfile.TemporaryDirectory(prefix="review-") as folder:
            pre_commit(test, folder, program)
    print("%d failed" % test.failures)
    return 1 if test.failures else 0


if __name__ == "__main__":
    sys.exit(main())
