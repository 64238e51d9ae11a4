#!/usr/bin/env python3
"""Completion scripts driven in bash, zsh and fish, and manual pages as `man` renders them.

  completions.py --share DIR

A shell or program that is not installed is passed over, with a line that says so.
"""
import argparse
import glob
import os
import pty
import select
import shutil
import subprocess
import sys
import time

# What is typed, and the words that must be offered.
LINES = [
    ("kinu wor", ["workspace"]),
    ("kinu workspace s", ["select", "show"]),
    ("kinu -chdir=x state re", ["replace-provider"]),
    ("kinu output -ra", ["-raw"]),
    ("kinu plan -detailed", ["-detailed-exitcode"]),
    ("kinu plan nothing", []),
]
# A flag with a value ends in "=" where the shell does not add it.
BASH = LINES + [("kinu plan -out", ["-out="]), ("kinu -v", ["-version"])]

# Replaces compadd, through which all completions of zsh go, by one that prints them.
ZSH_START = r'''
PROMPT= ; PS2= ; unsetopt zle_bracketed_paste prompt_sp
fpath=(%s $fpath)
autoload -U compinit; compinit -D -u
bindkey -e
zstyle ':completion:*' insert-tab false  # typed ahead: a tab completes all the same
compadd() {
  if [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\ * ]]; then builtin compadd "$@"; return $?; fi
  local -a matches
  builtin compadd -A matches "$@"
  print -rl -- "MATCH:"$^matches
}
print -r -- REA""DY
'''


def run(words, text=None):
    return subprocess.run(words, input=text, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, timeout=60, check=False)


def bash(script, line):
    words = line.split(" ")
    text = ("source %s\ncompopt() { :; }\nCOMP_WORDS=(%s)\nCOMP_CWORD=%d\n_kinu\n"
            "printf '%%s\\n' \"${COMPREPLY[@]}\"\n"
            % (script, " ".join("'%s'" % word for word in words), len(words) - 1))
    return run(["bash", "--norc"], text).stdout.split()


class Terminal:
    """A shell on a terminal of its own."""

    def __init__(self, command):
        self.text = ""
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.environ["TERM"] = "dumb"
            os.execvp(command[0], command)

    def type(self, text):
        os.write(self.fd, text.encode())

    def wait_for(self, text):
        """What was printed up to `text`, which stands at the beginning of a line."""
        end = time.time() + 60
        while "\n" + text not in self.text and time.time() < end:
            if select.select([self.fd], [], [], 0.2)[0]:
                self.text += os.read(self.fd, 65536).decode(errors="replace")
        before, _, self.text = self.text.partition("\n" + text)
        return before

    def close(self):
        os.close(self.fd)
        os.waitpid(self.pid, 0)


def zsh(script, line):
    shell = Terminal(["zsh", "-f", "-i"])
    shell.type(ZSH_START % os.path.dirname(script))
    shell.wait_for("READY")
    # Control-A and Control-K drop the line after its completion, so that it is not run. The terminal
    # itself would act on Control-U while the shell does not read yet.
    shell.type(line + "\t" + "\x01\x0bprint -r -- DO''NE\n")
    printed = shell.wait_for("DONE")
    shell.type("exit\n")
    shell.close()
    out = []
    for piece in printed.split("MATCH:")[1:]:
        word = piece.splitlines()[0].strip()
        if word:
            out.append(word.split(" ")[0])
    return out


def fish(script, line):
    done = run(["fish", "--no-config", "-c", "source %s; complete -C '%s'" % (script, line)])
    return [row.split("\t")[0] for row in done.stdout.splitlines()]


SHELLS = [(bash, "bash-completion/completions/kinu", BASH),
          (zsh, "zsh/site-functions/_kinu", LINES),
          (fish, "fish/vendor_completions.d/kinu.fish", LINES)]


def check_shell(shell, script, lines):
    name = shell.__name__
    if shutil.which(name) is None:
        print("%s is not installed: its completion is not checked" % name)
        return []
    problems = []
    for line, expected in lines:
        # A busy machine may start the line editor late, which then loses what was typed ahead.
        for _ in range(3):
            got = sorted(shell(script, line))
            if got == expected:
                break
        else:
            problems.append("%s: %s gives %s, not %s" % (name, line, got, expected))
    return problems


def check_pages(share):
    pages = sorted(glob.glob(os.path.join(share, "man/man1/*.1")))
    problems = []
    if len(pages) < 40:
        problems.append("there are %d manual pages" % len(pages))
    if shutil.which("man") is None:
        print("man is not installed: the pages are not rendered")
        return problems
    for page in pages:
        done = subprocess.run(["man", "--warnings", "-l", page], stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, text=True, timeout=60, check=False)
        if done.returncode != 0 or done.stderr:
            problems.append("%s: %s" % (page, done.stderr.strip()[:200]))
    return problems


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--share", required=True)
    share = os.path.abspath(parser.parse_args().share)
    problems = check_pages(share)
    # Where nothing else is offered, shells offer files: there are none.
    os.makedirs(os.path.join(share, "..", "empty"), exist_ok=True)
    os.chdir(os.path.join(share, "..", "empty"))
    for shell, script, lines in SHELLS:
        problems += check_shell(shell, os.path.join(share, script), lines)
    for problem in problems:
        print(problem)
    print("%d problems" % len(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
