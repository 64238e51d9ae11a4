#!/usr/bin/env python3
"""Runs the example provider in C++ under kinu, and under OpenTofu where it is installed.

    cpp_provider.py --binary kinu --provider terraform-provider-kv [--reference tofu]

Each program creates, updates, replaces, recreates, imports and destroys an object, reads a data
source, calls a function and opens an ephemeral resource. Exit codes, files, states and the errors of
a wrong configuration must be equal, and no process or directory of a socket may remain. Then the
provider serves both as a debugger would have it: attached.
"""
import argparse
import json
import os
import re
import signal
import subprocess
import sys
import tempfile

CONFIG = """
terraform {
  required_providers {
    kv = { source = "example.com/test/kv" }
  }
}
provider "kv" {
  directory = "../kv"
}
ephemeral "kv_lock" "a" {
  key = "KEY"
}
resource "kv_pair" "a" {
  key   = provider::kv::join("-", "KEY")
  value = "VALUE"
  depends_on = [ephemeral.kv_lock.a]
}
data "kv_pair" "a" {
  key = kv_pair.a.id
}
output "value" {
  value = data.kv_pair.a.value
}
"""


# A key with a slash, and a function with an empty argument.
WRONG = """
provider "kv" {
  directory = "../kv"
}
resource "kv_pair" "a" {
  key = "a/b"
}
output "join" {
  value = provider::kv::join("-", "a", "")
}
"""
REQUIRED = CONFIG[:CONFIG.index('provider "kv"')]


def errors(output):
    """The errors of a run: what each says first, where, and whether the provider's words are in it."""
    found = []
    for line in output.splitlines():
        message = json.loads(line)
        if message.get("type") == "diagnostic" and message["diagnostic"]["severity"] == "error":
            one = message["diagnostic"]
            place = one.get("range", {}).get("start", {}).get("line")
            own = "must not contain a slash" in one["detail"] or "must not be empty" in one["detail"]
            found.append((one["summary"], place, own))
    return sorted(found)


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
    results += [step("plan", "-detailed-exitcode"), step(*apply)]
    os.remove(os.path.join(root, "terraform.tfstate"))
    results += [step("import", "kv_pair.a", "b"), step("plan", "-detailed-exitcode"),
                step("destroy", "-auto-approve")]
    logged = subprocess.run([binary, "plan"], cwd=root, env=dict(environment, TF_LOG="DEBUG"), timeout=60,
                            capture_output=True, text=True).stderr
    with open(os.path.join(root, "main.tf"), "w") as file:
        file.write(REQUIRED + WRONG)
    done = subprocess.run([binary, "plan", "-json"], cwd=root, env=environment, timeout=60,
                          capture_output=True, text=True)
    results.append((done.returncode, errors(done.stdout), "the files are in ../kv" in logged))
    return results, os.listdir(sockets)


def run_attached(binary, provider, directory):
    """What is wrong with the provider when it is debugged, and attached to a program."""
    root, sockets = os.path.join(directory, "root"), os.path.join(directory, "tmp")
    for path in (root, sockets, os.path.join(directory, "kv")):
        os.makedirs(path)
    with open(os.path.join(root, "main.tf"), "w") as file:
        file.write(CONFIG.replace("KEY", "a").replace("VALUE", "one"))
    environment = dict(os.environ, TMPDIR=sockets)
    server = subprocess.Popen([provider, "-debug"], cwd=root, env=environment,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    found = None
    while found is None:
        found = re.search("TF_REATTACH_PROVIDERS='(.*)'", server.stdout.readline())
    done = subprocess.run([binary, "apply", "-auto-approve", "-no-color"], cwd=root, timeout=60,
                          env=dict(environment, TF_REATTACH_PROVIDERS=found[1]),
                          capture_output=True, text=True)
    running = server.poll() is None
    server.send_signal(signal.SIGINT)
    log = server.communicate(timeout=60)[1].splitlines()
    stored = [line for line in map(json.loads, log) if line["@message"] == "stored"]
    expected = [("info", "a")]
    if done.returncode != 0 or not running or server.returncode != 0 or os.listdir(sockets) or \
            [(line["@level"], line["key"]) for line in stored] != expected:
        yield "attached to %s: %s, %s, %s" % (binary, done, server.returncode, log)


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
            failures += run_attached(binary, os.path.abspath(args.provider),
                                     os.path.join(directory, "attached"))
        if left:
            failures.append("%s leaves %s" % (binary, left))
    expected = [(0, {"a": "one"}), (0, {"a": "one"}), (0, {"a": "two"}), (0, {"b": "two"}), (2, {}),
                (0, {"b": "two"}), (0, {"b": "two"}), (0, {"b": "two"}), (0, {})]
    wrong = [("Invalid function argument", 15, True), ("Invalid key", 12, True)]
    for binary, steps in results.items():
        if [step[:2] for step in steps[:-1]] != expected or \
                steps[-1] != (1, wrong, True):
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
