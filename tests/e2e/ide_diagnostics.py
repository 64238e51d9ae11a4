#!/usr/bin/env python3
"""Compares what `ide diagnostics` says of configurations with what `validate -json` says.

The configurations are those of random worlds (tests/worlds). Text and range are equal, less what provider processes
say, and what `validate` says only because a package is missing. Each configuration is checked from its own directory
and, under `ide`, from the directory above it, so that nothing depends on where the program runs.

    ide_diagnostics.py --binary build/dev/src/cli/tofu [--mirror build/dev/mirror] [--first N] [--count N]
"""
import argparse
import collections
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "worlds"))
import generate  # noqa: E402

# Summaries of the tests' provider, of its SDK, and of missing packages.
OF_PROVIDERS = {"Attribute Deprecated", "Block Deprecated", "Odd behaviour", "Missing required provider",
                "Invalid provider configuration", "Failed to load plugin schemas"}


def run(binary, arguments, directory, env):
    return subprocess.run([binary, *arguments], cwd=directory, env=env, capture_output=True, text=True, timeout=60)


def told(diagnostic, place, above=""):
    where = None
    if place and place["filename"] not in (".", "", above.rstrip("/")):
        name = place["filename"]
        name = name[len(above):] if above and name.startswith(above) else name
        where = (name, place["start"]["byte"], place["end"]["byte"])
    return (diagnostic["severity"], diagnostic["summary"], diagnostic.get("detail", ""), where)


def compare(binary, files, work, env):
    directory = os.path.join(work, "root")
    for name, text in files.items():
        path = os.path.join(directory, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8", newline="") as out:
            out.write(text)
    run(binary, ["init", "-backend=false", "-no-color"], directory, env)
    valid = json.loads(run(binary, ["validate", "-json"], directory, env).stdout)
    wanted = collections.Counter(told(one, one.get("range")) for one in valid["diagnostics"]
                                 if one["summary"] not in OF_PROVIDERS)
    found = []
    for place, arguments, above in ((directory, [], ""), (work, ["root"], "root/")):
        answer = run(binary, ["ide", "diagnostics", "-json", *arguments], place, env)
        if answer.returncode not in (0, 1):
            return ["exit code %d in %s" % (answer.returncode, place)]
        got = collections.Counter(told(one, one, above) for one in json.loads(answer.stdout)
                                  if one["summary"] not in OF_PROVIDERS)
        found += ["missing: %s" % (key,) for key in wanted - got]
        # Where `validate` ends because of a missing package, more is known.
        if not any(one["summary"] in OF_PROVIDERS and one["severity"] == "error" for one in valid["diagnostics"]):
            # An error that ends `init` and `validate` hides that modules are not installed.
            ends = any(one["severity"] == "error" for one in valid["diagnostics"])
            found += ["extra: %s" % (key,) for key in got - wanted if not (ends and key[1] == "Module not installed")]
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", required=True)
    parser.add_argument("--mirror")
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--count", type=int, default=60)
    options = parser.parse_args()
    binary = os.path.abspath(options.binary)
    failed = compared = 0
    with tempfile.TemporaryDirectory() as scratch:
        env = {"PATH": os.environ["PATH"], "HOME": scratch, "TF_CLI_CONFIG_FILE": os.path.join(scratch, "rc")}
        with open(env["TF_CLI_CONFIG_FILE"], "w", encoding="utf-8") as out:
            mirror = os.path.abspath(options.mirror) if options.mirror else os.path.join(scratch, "none")
            out.write('provider_installation {\n  filesystem_mirror { path = "%s" }\n}\n' % mirror)
        for seed in range(options.first, options.first + options.count):
            files = {name: text for name, text in generate.make(seed)["in"].items() if isinstance(text, str)}
            with tempfile.TemporaryDirectory(dir=scratch) as work:
                found = compare(binary, files, os.path.realpath(work), env)
            compared += 1
            for line in found[:10]:
                print("world %d: %s" % (seed, line))
            failed += bool(found)
    print("ide diagnostics: %d configurations compared with validate, %d differ" % (compared, failed))
    return 1 if failed or not compared else 0


if __name__ == "__main__":
    sys.exit(main())
