#!/usr/bin/env python3
"""Measures how well the calls of a slow provider overlap: the wall time of a plan beside calls / parallelism.

    bench/refresh.py [--build DIR] [--count 5000] [--delay 50] [--parallelism 10]

The provider waits `delay` milliseconds to validate a block, to read an object and to plan it, and does nothing else.
One half of the objects is of one block with count, the other half of blocks of their own that refer to each other.
"""
import argparse
import os
import subprocess
import sys
import tempfile
import time

HEAD = """terraform {
  required_providers {
    slow = { source = "example.com/test/slow" }
  }
}
resource "slow_thing" "many" {
  count = %d
  name  = "many-${count.index}"
}
"""
BLOCK = """resource "slow_thing" "b%d" {
  name  = "b%d"
  value = %s
}
"""


def write(folder, count):
    half = count // 2
    with open(os.path.join(folder, "main.tf"), "w", encoding="utf-8") as file:
        file.write(HEAD % (count - half))
        for i in range(half):
            file.write(BLOCK % (i, i, '"root"' if i == 0 else "slow_thing.b%d.name" % (i // 10)))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", default="build/release")
    parser.add_argument("--count", type=int, default=5000)
    parser.add_argument("--delay", type=int, default=50, help="milliseconds")
    parser.add_argument("--parallelism", type=int, default=10)
    args = parser.parse_args()
    binary = os.path.abspath(os.path.join(args.build, "src", "cli", "kinu"))
    provider = os.path.abspath(os.path.join(args.build, "bench"))
    if not os.path.exists(os.path.join(provider, "terraform-provider-slow")):
        sys.exit("refresh: build the target terraform-provider-slow first")
    with tempfile.TemporaryDirectory(prefix="kinu-refresh-") as folder:
        write(folder, args.count)
        with open(os.path.join(folder, "cli.tfrc"), "w", encoding="utf-8") as file:
            file.write('provider_installation {\n  dev_overrides { "example.com/test/slow" = "%s" }\n}\n' % provider)
        environment = dict(os.environ, TF_CLI_CONFIG_FILE=os.path.join(folder, "cli.tfrc"))

        def run(*arguments, **more):
            begin = time.monotonic()
            subprocess.run([binary, *arguments], cwd=folder, env=dict(environment, **more), check=True,
                           stdout=subprocess.DEVNULL)
            return time.monotonic() - begin

        run("apply", "-auto-approve")
        parallelism = "-parallelism=%d" % args.parallelism
        alone = run("plan", parallelism)
        wall = run("plan", parallelism, SLOW_MILLISECONDS=str(args.delay))
        calls = 1 + args.count // 2 + 3 * args.count  # blocks; configuration, object and plan of each
        ideal = calls * args.delay / 1000 / args.parallelism
        print("%d calls of %d ms, %d at once: %.2f s, ideal %.2f s, %+.1f %% (the same plan without delays: %.2f s)"
              % (calls, args.delay, args.parallelism, wall, ideal, 100 * (wall / ideal - 1), alone))


if __name__ == "__main__":
    main()
