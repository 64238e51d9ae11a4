#!/usr/bin/env python3
"""Calls the program by several names: usage lines and hints speak of commands by the name that the user has.

  program_name.py --binary PATH
"""
import argparse
import os
import subprocess
import sys
import tempfile

NAMES = {"tofu": "tofu", "terraform": "terraform", "kinu": "kinu", "infra": "kinu"}
CONFIGURATION = 'module "m" {\n  source = "./m"\n}\n'


def run(program, directory, *words):
    environment = {"PATH": os.environ.get("PATH", ""), "HOME": directory, "TF_CLI_CONFIG_FILE": os.devnull}
    done = subprocess.run([program, *words], cwd=directory, env=environment, text=True, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.stdout


def problems_of(program, name, directory):
    """What the program says otherwise than by `name`."""
    grouped = name == "kinu"
    expected = [
        (["-help"], "Usage: %s [global options] <subcommand> [args]\n" % name),
        (["-help"], "\nWork with states:\n" if grouped else "\nAll other commands:\n"),
        (["plan", "-help"], "Usage: %s [global options] plan [options]\n" % name),
        (["diff", "-help"], "Usage: %s [global options] diff [options] A B\n" % name),
        (["plan", "-nosuch"], "\n  %s plan -help\n" % name),
        (["plan", "-no-color"], 'Run "%s init" to' % name),
        (["nosuch"], "%s has no command named" % ("kinu" if grouped else "OpenTofu")),
        (["nosuch"], "\n  %s -help\n" % name),
    ]
    for words, text in expected:
        said = " ".join(run(program, directory, *words).replace("│", "").split())
        if " ".join(text.split()) not in said:
            yield "%s %s does not say %r:\n%s" % (os.path.basename(program), " ".join(words), text, said)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", required=True)
    binary = os.path.realpath(parser.parse_args().binary)
    problems = []
    with tempfile.TemporaryDirectory() as directory:
        os.mkdir(os.path.join(directory, "m"))
        with open(os.path.join(directory, "main.tf"), "w") as file:
            file.write(CONFIGURATION)
        for link, name in NAMES.items():
            program = os.path.join(directory, link)
            os.symlink(binary, program)
            problems += problems_of(program, name, directory)
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
