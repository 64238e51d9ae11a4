"""What tests of an organization's service share: configurations, and a directory with programs that
work with a service of its own (organization_server.py). main() runs a list of tests.
"""
import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "servers"))
import organization_server  # noqa: E402

HOST = "hosted.example.com"
RESOURCE = 'resource "terraform_data" "a" { input = "%s" }\noutput "o" { value = "%s" }\n'


def remote(workspaces, more=""):
    return """terraform {
  backend "remote" {
    hostname     = "%s"
    organization = "acme"
    %s
    workspaces { %s }
  }
}
""" % (HOST, more, workspaces)


def cloud(workspaces, more=""):
    return """terraform {
  cloud {
    hostname     = "%s"
    organization = "acme"
    %s
    workspaces {
      %s
    }
  }
}
""" % (HOST, more, "\n      ".join(workspaces))


FAILURES = []


class Place:
    """A directory, a service, and programs that work with them in turn."""

    def __init__(self, binaries, directory):
        self.binaries = binaries
        self.turn = 0
        self.directory = directory
        self.service = organization_server.start()
        self.variables = {}
        self.tokens = self.service.configuration(HOST)
        self.last = None
        self.interrupts = None  # what a command prints before it is interrupted

    def write(self, text, name="main.tf"):
        path = os.path.join(self.directory, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def exists(self, name):
        return os.path.exists(os.path.join(self.directory, name))

    def run(self, *words, answers=(), code=0):
        """Runs a command, and answers its questions in turn. Returns what it prints."""
        self.write(self.tokens, "cli.tfrc")
        binary = self.binaries[self.turn % len(self.binaries)]
        self.turn += 1
        environment = {"PATH": os.environ.get("PATH", ""), "HOME": self.directory,
                       "TMPDIR": self.directory, "CHECKPOINT_DISABLE": "1",
                       "TF_CLI_CONFIG_FILE": os.path.join(self.directory, "cli.tfrc"),
                       **self.variables}
        answers = list(answers)
        output = b""
        with subprocess.Popen([binary, *words], cwd=self.directory, env=environment,
                              stdin=subprocess.PIPE if answers else subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:
            asked = 0
            sent = self.interrupts is None
            while True:
                piece = os.read(process.stdout.fileno(), 65536)
                if not piece:
                    break
                output += piece
                if not sent and self.interrupts.encode() in output:
                    sent = True
                    process.send_signal(signal.SIGINT)
                while asked < min(output.count(b"Enter a value:"), len(answers)):
                    process.stdin.write(answers[asked].encode() + b"\n")
                    process.stdin.flush()
                    asked += 1
        self.last = (binary, words, process.returncode, output.decode(errors="replace"))
        self.expect("%s ends with %d" % (" ".join(words), code), process.returncode == code)
        return self.last[3]

    def expect(self, what, holds):
        if not holds:
            FAILURES.append(what)
            print("FAILED:", what)
            if self.last is not None:
                print(*self.last)

    def says(self, text, *words):
        for word in words:
            self.expect("says %r" % word, word in " ".join(text.replace("│", " ").split()))

    def state(self, name):
        return self.service.workspaces[name].state()


def main(tests, shared=()):
    """Runs tests; the steps of `shared` ones alternate between both programs."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", required=True)
    parser.add_argument("--other", help="another program for the same states")
    parser.add_argument("--only")
    arguments = parser.parse_args()
    for test in tests:
        if arguments.only and test.__name__ != arguments.only:
            continue
        binaries = [arguments.binary]
        if arguments.other and test in shared:
            binaries.append(arguments.other)
        began = time.monotonic()
        before = len(FAILURES)
        with tempfile.TemporaryDirectory() as directory:
            test(Place(binaries, directory))
        print("%s: %s (%.1f s)" % (test.__name__, "ok" if len(FAILURES) == before else "FAILED",
                                   time.monotonic() - began))
    print("%d failures" % len(FAILURES))
    return 1 if FAILURES else 0
