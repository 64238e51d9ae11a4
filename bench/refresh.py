#!/usr/bin/env python3
"""Measures how well the calls of a slow provider overlap: the wall time of a plan beside calls / parallelism.

    bench/refresh.py [--binary PATH] [--mirror DIR] [--count 5000] [--delay 50ms] [--parallelism 10]

The provider is that of the tests (build/dev/mirror after `make build`); to validate a block, to read an object and to
plan it takes the delay each. One half of the objects is of one block with count, the other half of blocks of their own
that refer to each other.
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile
import time

HEAD = """terraform {
  required_providers {
    kinutest = { source = "kinu/kinutest" }
  }
}
provider "kinutest" { prefix = "p" }
resource "kinutest_thing" "many" {
  count = %d
  name  = "many-${count.index}"
}
"""
BLOCK = """resource "kinutest_thing" "b%d" {
  name  = "b%d"
  value = %s
}
"""


def write(folder, count):
    half = count // 2
    with open(os.path.join(folder, "main.tf"), "w", encoding="utf-8") as file:
        file.write(HEAD % (count - half))
        for i in range(half):
            file.write(BLOCK % (i, i, '"root"' if i == 0 else "kinutest_thing.b%d.name" % (i // 10)))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--binary", default="build/release/src/cli/kinu")
    parser.add_argument("--mirror", default="build/dev/mirror")
    parser.add_argument("--count", type=int, default=5000)
    parser.add_argument("--delay", default="50ms")
    parser.add_argument("--parallelism", type=int, default=10)
    args = parser.parse_args()
    binary, mirror = os.path.abspath(args.binary), os.path.abspath(args.mirror)
    if not os.path.isdir(os.path.join(mirror, "registry.opentofu.org", "kinu")):
        sys.exit("refresh: the provider is not in %s" % mirror)
    seconds = float(re.fullmatch(r"(\d+)ms", args.delay).group(1)) / 1000
    with tempfile.TemporaryDirectory(prefix="kinu-refresh-") as folder:
        write(folder, args.count)
        with open(os.path.join(folder, "cli.tfrc"), "w", encoding="utf-8") as file:
            file.write('provider_installation {\n  filesystem_mirror { path = "%s" }\n}\n' % mirror)
        environment = dict(os.environ, TF_CLI_CONFIG_FILE=os.path.join(folder, "cli.tfrc"))

        def run(*arguments, **more):
            begin = time.monotonic()
            subprocess.run([binary, *arguments], cwd=folder, env=dict(environment, **more), check=True,
                           stdout=subprocess.DEVNULL)
            return time.monotonic() - begin

        run("init")
        run("apply", "-auto-approve")
        parallelism = "-parallelism=%d" % args.parallelism
        alone = run("plan", parallelism)
        wall = run("plan", parallelism, KINUTEST_DELAY=args.delay)
        calls = 1 + args.count // 2 + 3 * args.count
        ideal = calls * seconds / args.parallelism
        print("%d calls of %s, %d at once: %.2f s, ideal %.2f s, +%.1f %% (the same plan without delays: %.2f s)"
              % (calls, args.delay, args.parallelism, wall, ideal, 100 * (wall / ideal - 1), alone))


if __name__ == "__main__":
    main()
