#!/usr/bin/env python3
"""Runs the example provider in C++ under kinu, and under OpenTofu where it is installed.

    cpp_provider.py --binary kinu --provider terraform-provider-kv [--reference tofu]

Each program creates, updates, replaces, recreates and destroys an object and reads a data source.
Exit codes, files and states must be equal, and no process or directory of a socket may remain.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

CONFIG = """
terraform {
  required_providers {
    kv = { source = "example.com/test/kv" }
  }
}
resource "kv_pair" "a" {
  key   = "KEY"
  value = "VALUE"
}
data "kv_pair" "a" {
  key = kv_pair.a.id
}
output "value" {
  value = data.kv_pair.a.value
}
"""


def run_steps(binary, provider, directory):
    """Returns what each step leaves: exit code, stored files, values of the state."""
    store, root, sockets = (os.path.join(directory, name) for name in ("kv", "root", "tmp"))
    for path in (store, root, sockets):
        os.makedirs(path)
    settings = os.path.join(directory, "settings.tfrc")
    with open(settings, "w") as file:
        file.write('provider_installation {\n  dev_overrides {\n    "example.com/test/kv" = "%s"\n'
                   "  }\n}\n" % os.path.dirname(provider))
    environment = dict(os.environ, TF_CLI_CONFIG_FILE=settings, KV_DIRECTORY=store, TMPDIR=sockets)

    def step(*arguments, key=None, value=None):
        if key is not None:
            with open(os.path.join(root, "main.tf"), "w") as file:
                file.write(CONFIG.replace("KEY", key).replace("VALUE", value))
        done = subprocess.run([binary, *arguments, "-no-color"], cwd=root, env=environment,
                              capture_output=True, text=True, timeout=60)
        stored = {name: open(os.path.join(store, name)).read() for name in sorted(os.listdir(store))}
        with open(os.path.join(root, "terraform.tfstate")) as file:
            state = json.load(file)
        values = [[resource["mode"], [one["attributes"] for one in resource["instances"]]]
                  for resource in state["resources"]]
        return done.returncode, stored, values, state["outputs"]

    apply = ("apply", "-auto-approve")
    results = [step(*apply, key="a", value="one"),
               step("plan", "-detailed-exitcode"),
               step(*apply, key="a", value="two"),
               step(*apply, key="b", value="two")]
    os.remove(os.path.join(store, "b"))
    results += [step("plan", "-detailed-exitcode"), step(*apply), step("destroy", "-auto-approve")]
    return results, os.listdir(sockets)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", required=True)
    parser.add_argument("--provider", required=True)
    parser.add_argument("--reference", default="/usr/local/bin/tofu")
    args = parser.parse_args()
    failures = []
    results = {}
    for binary in (args.binary, args.reference):
        if not os.path.exists(binary):
            print("skipped: no", binary)
            continue
        with tempfile.TemporaryDirectory(prefix="kv-") as directory:
            results[binary], left = run_steps(binary, os.path.abspath(args.provider), directory)
        if left:
            failures.append("%s leaves %s" % (binary, left))
    expected = [(0, {"a": "one"}), (0, {"a": "one"}), (0, {"a": "two"}), (0, {"b": "two"}), (2, {}),
                (0, {"b": "two"}), (0, {})]
    for binary, steps in results.items():
        if [step[:2] for step in steps] != expected:
            failures.append("%s: %s" % (binary, steps))
        if steps != results[args.binary]:
            failures.append("%s: other states than %s" % (binary, args.binary))
    refused = subprocess.run([args.provider], capture_output=True, text=True)
    if refused.returncode != 1 or "This binary is a plugin." not in refused.stderr:
        failures.append("a provider that no client started: %s" % refused)
    print("\n".join(failures) or "ok: " + ", ".join(results))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
