#!/usr/bin/env python3
"""Completion scripts and manual pages, as shells and `man` read them.

  completions.py --share DIR

A shell or program that is not installed is passed over, with a line that says so.
"""
import argparse
import glob
import os
import shutil
import subprocess
import sys

# What is typed, and some of the words that must come, or None where only files may.
BASH = [
    (["kinu", "wor"], ["workspace"]),
    (["kinu", "workspace", "s"], ["select", "show"]),
    (["kinu", "-chdir=x", "state", "re"], ["replace-provider"]),
    (["kinu", "output", "-ra"], ["-raw"]),
    (["kinu", "plan", "-out"], ["-out="]),
    (["kinu", "-v"], ["-version"]),
    (["kinu", "plan", "nothing"], []),
]


def run(words, text=None):
    return subprocess.run(words, input=text, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, timeout=60, check=False)


def bash(script):
    problems = []
    for words, expected in BASH:
        text = ("source %s\ncompopt() { :; }\nCOMP_WORDS=(%s)\nCOMP_CWORD=%d\n_kinu\n"
                "printf '%%s\\n' \"${COMPREPLY[@]}\"\n"
                % (script, " ".join("'%s'" % word for word in words), len(words) - 1))
        got = run(["bash", "--norc"], text).stdout.split()
        if got != expected:
            problems.append("bash: %s gives %s, not %s" % (" ".join(words), got, expected))
    return problems


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--share", required=True)
    share = parser.parse_args().share
    problems = bash(os.path.join(share, "bash-completion/completions/kinu"))
    for shell, path in (("zsh", "zsh/site-functions/_kinu"),
                        ("fish", "fish/vendor_completions.d/kinu.fish")):
        if shutil.which(shell) is None:
            print("%s is not installed: its script is not checked" % shell)
            continue
        done = run([shell, "-n", os.path.join(share, path)])
        if done.returncode != 0:
            problems.append("%s: %s" % (shell, done.stdout.strip()))
    pages = sorted(glob.glob(os.path.join(share, "man/man1/*.1")))
    if len(pages) < 40:
        problems.append("there are %d manual pages" % len(pages))
    if shutil.which("man") is None:
        print("man is not installed: the pages are not rendered")
    else:
        for page in pages:
            done = subprocess.run(["man", "--warnings", "-l", page], stdout=subprocess.DEVNULL,
                                  stderr=subprocess.PIPE, text=True, timeout=60, check=False)
            if done.returncode != 0 or done.stderr:
                problems.append("%s: %s" % (page, done.stderr.strip()[:200]))
    for problem in problems:
        print(problem)
    print("%d problems" % len(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
