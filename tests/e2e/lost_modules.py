#!/usr/bin/env python3
"""Runs the program without its modules: what needs one says so, nothing is written open, and the rest works.

  lost_modules.py --binary PATH
"""
import argparse
import os
import shutil
import subprocess
import sys
import tempfile

from sealing import SETTINGS

MESSAGE = "the module that encrypts and signs is not installed"
RESOURCE = """
resource "terraform_data" "a" { input = "seeded secret" }
output "digest" { value = sha256("a") }
"""
ENCRYPTED = "terraform {\n  encryption {%splan { method = method.aes_gcm.m }\n}\n}\n" % SETTINGS + RESOURCE
RSA = 'output "plain" { value = rsadecrypt("YQ==", "no key") }\n'


class Program:
    """A copy of the program in a directory that has no modules."""

    def __init__(self, binary, root):
        self.path = os.path.join(root, "bin", "tofu")
        os.mkdir(os.path.dirname(self.path))
        shutil.copy(binary, self.path)
        self.root = root
        self.failures = 0

    def run(self, configuration, *words):
        """Runs the command in a new directory. Returns the directory and the process."""
        directory = tempfile.mkdtemp(dir=self.root)
        with open(os.path.join(directory, "main.tf"), "w") as out:
            out.write(configuration)
        env = {"PATH": os.environ.get("PATH", ""), "HOME": self.root, "TMPDIR": directory}
        done = subprocess.run([self.path, *words, "-no-color"], cwd=directory, env=env, timeout=60,
                              capture_output=True, text=True)
        done.output = " ".join((done.stdout + done.stderr).replace("│", " ").split())
        return directory, done

    def expect(self, holds, what, done):
        if not holds:
            self.failures += 1
            print("failed: %s\n  exit code %d: %s" % (what, done.returncode, done.output[:600]))


def files_with(directory, secret):
    """The files below a directory, but the configuration, that hold the secret."""
    found = []
    for place, _, names in os.walk(directory):
        for name in names:
            path = os.path.join(place, name)
            with open(path, "rb") as file:
                if name != "main.tf" and secret in file.read():
                    found.append(path)
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", required=True)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as root:
        program = Program(args.binary, root)
        _, done = program.run(RESOURCE, "apply", "-auto-approve")
        program.expect(done.returncode == 0 and "Apply complete!" in done.output, "an apply needs no module", done)
        for words in (["plan", "-out=p"], ["apply", "-auto-approve"]):
            directory, done = program.run(ENCRYPTED, *words)
            program.expect(done.returncode == 1 and MESSAGE in done.output, "%s cannot encrypt" % words, done)
            program.expect(not files_with(directory, b"seeded secret"), "%s writes nothing open" % words, done)
        _, done = program.run(RSA, "plan")
        program.expect(done.returncode == 1 and MESSAGE in done.output, "rsadecrypt() needs the module", done)
    if program.failures:
        sys.exit("%d failed" % program.failures)


if __name__ == "__main__":
    main()
