#!/usr/bin/env python3
"""Measures what a state costs that is elsewhere, or sealed: plan with it, beside plan with a local state.

    bench/remote.py [--binary PATH] [--megabytes 50] [--repeat N] [--only NAME] [--callgrind DIR]

The plan has no changes, so that it is the same with every state. Figures are the least user and system time of the
runs, and its difference to the local state. The services are those of tests/peers.py; what is not installed is left
out. With --callgrind, instructions are counted instead. The last lines are what OpenSSL itself takes for the key and
the cipher of the sealed states.
"""
import argparse
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "tests"))
import peers  # noqa: E402

GOAL = 0.25  # seconds of CPU for a state of 50 MB in s3 or pg
ITERATIONS = 200_000
OBJECTS = 1000
CONFIGURATION = """terraform {
  %s
}
resource "terraform_data" "r" {
  count = %d
  input = "${count.index} ${file("${path.module}/text")}"
}
"""
S3 = 'backend "s3" {\n bucket = "states"\n key = "s"\n use_path_style = true\n %s\n }'
SEALED = """encryption {
    key_provider "pbkdf2" "k" {
      passphrase = "correct horse battery staple"
      iterations = %d
    }
    method "aes_gcm" "m" { keys = key_provider.pbkdf2.k }
    method "unencrypted" "none" {}
    state {
      method = method.aes_gcm.m
      fallback { method = method.unencrypted.none }
    }
  }""" % ITERATIONS
# The name, the service, and what stands in the block `terraform`.
ROWS = (
    ("s3", "moto", S3 % ""),
    ("s3 with a table", "moto", S3 % 'dynamodb_table = "locks"'),
    ("s3 with lock files", "moto", S3 % "use_lockfile = true"),
    ("pg", "pg", 'backend "pg" {}'),
    ("http", "http", 'backend "http" {}'),
    ("sealed", None, SEALED),
)


class Directory:
    def __init__(self, options, root):
        self.options, self.root = options, root
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith("TF_")}

    def write(self, block):
        with open(os.path.join(self.root, "main.tf"), "w", encoding="utf-8") as file:
            file.write(CONFIGURATION % (block, OBJECTS))

    def run(self, *words, under=()):
        """Seconds of CPU of a command that succeeds."""
        process = subprocess.Popen([*under, self.options.binary, *words], cwd=self.root, env=self.environment,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        told = process.stderr.read().decode(errors="replace")
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        process.stderr.close()
        if process.returncode != 0:
            raise SystemExit("%s: exit %d\n%s" % (" ".join(words), process.returncode, told[-2000:]))
        return used.ru_utime + used.ru_stime

    def plan(self, name):
        if not self.options.callgrind:
            return min(self.run("plan") for _ in range(self.options.repeat))
        path = os.path.abspath(os.path.join(self.options.callgrind, name.replace(" ", "-")))
        self.run("plan", under=("valgrind", "--quiet", "--tool=callgrind", "--callgrind-out-file=" + path))
        with open(path, encoding="utf-8") as file:
            return int(re.search(r"^(?:summary|totals): (\d+)", file.read(), re.M).group(1)) / 1e9


def openssl(size):
    """Rows of what OpenSSL takes for the sealed state."""
    start = time.process_time()
    hashlib.pbkdf2_hmac("sha512", b"correct horse battery staple", b"0" * 32, ITERATIONS, 32)
    yield "OpenSSL: pbkdf2, %d iterations" % ITERATIONS, time.process_time() - start
    if shutil.which("openssl"):
        told = subprocess.run(["openssl", "speed", "-elapsed", "-seconds", "1", "-bytes", "1048576",
                               "-evp", "aes-256-gcm"], capture_output=True, text=True, check=False).stdout
        speed = re.search(r"([0-9.]+)k\s*$", told)
        if speed:
            yield "OpenSSL: AES-256-GCM of the state", size / (float(speed.group(1)) * 1000)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--binary", default="build/release/src/cli/kinu")
    parser.add_argument("--megabytes", type=int, default=50)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--only", action="append")
    parser.add_argument("--callgrind", metavar="DIR")
    options = parser.parse_args()
    options.binary = os.path.abspath(options.binary)
    with tempfile.TemporaryDirectory(prefix="kinu-remote-") as root:
        here = Directory(options, root)
        with open(os.path.join(root, "text"), "w", encoding="utf-8") as file:
            line = "a line of text with \"quotes\" and a name: server-%05d\n"
            while file.tell() < options.megabytes * 1_000_000 // (2 * OBJECTS):
                file.write(line % file.tell())
        here.write("")
        here.run("apply", "-auto-approve")
        size = os.path.getsize(os.path.join(root, "terraform.tfstate"))
        local = here.plan("local")
        unit = "billion instructions" if options.callgrind else "s of CPU"
        print("a state of %.1f MB; %s" % (size / 1e6, unit))
        print("%-34s %8.3f" % ("local", local))
        for name, peer, block in ROWS:
            if options.only and name not in options.only:
                continue
            try:
                with peers.start(peer) if peer else open(os.devnull, encoding="utf-8") as environment:
                    here.environment.update(environment if peer else {})
                    here.write(block)
                    here.run("init", "-force-copy")
                    if not peer:
                        here.run("apply", "-auto-approve")
                    taken = here.plan(name)
                    here.write("" if peer else block)
                    if peer:
                        here.run("init", "-force-copy")
            except peers.Unavailable as why:
                print("%-34s skipped: %s" % (name, why))
                continue
            goal = "" if options.callgrind or peer not in ("moto", "pg") else "   goal %.2f" % GOAL
            print("%-34s %8.3f   %+.3f%s" % (name, taken, taken - local, goal), flush=True)
        for name, seconds in openssl(size):
            print("%-34s %8.3f" % (name, seconds))


if __name__ == "__main__":
    main()
