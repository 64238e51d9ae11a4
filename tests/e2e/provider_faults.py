#!/usr/bin/env python3
"""Lets a provider fail in each of its calls, and checks diagnostics and state.

  provider_faults.py --binary PATH --mirror DIRECTORY [--update | --reference PATH] [NAME...]

The test provider fails as KINUTEST_FAULT says (tests/providers/kinutest/faults.go). Each case
starts with or without a state, runs one command and produces one line of provider_faults.txt: the
exit code, the summaries of the diagnostics without duplicates, and the objects of the state with
their statuses. With --reference the expected lines come from that program and not from the file (it
keeps write-only values that a provider returns: docs/differences.md). KINU_UPDATE=1 is --update.
Without the provider the test is skipped (77).
"""
import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
RECORD = os.path.join(HERE, "provider_faults.txt")
CONFIGURATION = """terraform {
  required_providers {
    kinutest = { source = "kinu/kinutest" }
  }
}
variable "value" { default = "one" }
variable "name" { default = "a" }
ephemeral "kinutest_token" "t" {
  name = "x"
}
resource "kinutest_thing" "a" {
  name     = var.name
  value    = var.value
  password = ephemeral.kinutest_token.t.token
}
resource "terraform_data" "after" {
  input = kinutest_thing.a.id
}
data "kinutest_lookup" "l" {
  key = "k"
}
"""
# A second resource, which an import block adds.
IMPORT = """import {
  to = kinutest_thing.b
  id = "b"
}
resource "kinutest_thing" "b" {
  name = "b"
}
"""
# In its own output: a process that crashes may or may not fail running function calls too.
FUNCTION = """output "f" {
  value = provider::kinutest::shout("x", var.value)
}
"""
PLAN = ["plan", "-json"]
APPLY = ["apply", "-auto-approve", "-json"]
DESTROY = ["destroy", "-auto-approve", "-json"]
UPDATE = ["-var", "value=two"]
REPLACE = ["-var", "name=b"]
CALL = ["crash", "error"]
OBJECT = CALL + ["garbage", "type", "null"]
RESOURCE = OBJECT + ["unknown", "write"]


def cases():
    """(name, call, fault, whether there is a state, arguments)."""
    def each(name, call, faults, state, args):
        for fault in faults:
            yield "%s %s=%s" % (name, call, fault), call, fault, state, args
    yield from each("configure", "ConfigureProvider", CALL + ["refuse"], True, PLAN)
    for call in ("ValidateProviderConfig", "ValidateResourceConfig", "ValidateDataResourceConfig",
                 "ValidateEphemeralResourceConfig", "CallFunction"):
        yield from each("plan", call, CALL, True, PLAN)
    for call in ("OpenEphemeralResource", "ReadDataSource"):
        yield from each("plan", call, OBJECT, True, PLAN)
    yield from each("create", "OpenEphemeralResource", OBJECT, False, APPLY)
    yield from each("plan", "CloseEphemeralResource", ["error"], True, PLAN)
    yield from each("import", "ImportResourceState", OBJECT + ["none", "two"], True, PLAN)
    yield from each("import", "ReadResource", ["null"], True, PLAN)
    yield from each("saved", "PlanResourceChange", OBJECT + ["unknown"], True, UPDATE)
    # kinu reports unknown values after a refresh: docs/differences.md.
    yield from each("plan", "ReadResource", OBJECT + ["unknown", "write"], True, PLAN)
    yield from each("plan", "UpgradeResourceState", RESOURCE, True, PLAN)
    for name, state, args in (("create", False, []), ("update", True, UPDATE),
                              ("replace", True, REPLACE)):
        yield from each(name, "PlanResourceChange", RESOURCE, state, PLAN + args)
        yield from each(name, "ApplyResourceChange", RESOURCE, state, APPLY + args)
    yield from each("destroy", "ApplyResourceChange", RESOURCE, True, DESTROY)


class Side:
    def __init__(self, binary, mirror, root):
        self.binary = os.path.abspath(binary)
        self.root = tempfile.mkdtemp(dir=root)
        config = os.path.join(self.root, "cli.tfrc")
        with open(config, "w", encoding="utf-8") as file:
            file.write('provider_installation {\n  filesystem_mirror {\n    path = "%s"\n  }\n}\n'
                       % os.path.abspath(mirror))
        self.env = {"PATH": os.environ.get("PATH", ""), "HOME": self.root, "TZ": "UTC",
                    "LANG": "C.UTF-8", "TF_CLI_CONFIG_FILE": config}
        self.start = os.path.join(self.root, "start")
        os.mkdir(self.start)
        with open(os.path.join(self.start, "main.tf"), "w", encoding="utf-8") as file:
            file.write(CONFIGURATION)
        for args in (["init"], ["apply", "-auto-approve"]):
            done = self.run(self.start, args)
            if done.returncode != 0:
                sys.exit("%s %s: %s%s" % (binary, args[0], done.stdout, done.stderr))

    def run(self, directory, args, fault=None):
        env = dict(self.env, KINUTEST_FAULT=fault) if fault else self.env
        return subprocess.run([self.binary] + args, cwd=directory, env=env, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120,
                              check=False)

    def line(self, case):
        name, call, fault, state, args = case
        directory = os.path.join(self.root, "work")
        shutil.rmtree(directory, ignore_errors=True)
        shutil.copytree(self.start, directory, symlinks=True)
        if not state:
            os.remove(os.path.join(directory, "terraform.tfstate"))
        if call == "CallFunction":
            with open(os.path.join(directory, "f.tf"), "w", encoding="utf-8") as file:
                file.write(FUNCTION)
        if name.startswith("import"):
            with open(os.path.join(directory, "import.tf"), "w", encoding="utf-8") as file:
                file.write(IMPORT)
        if name.startswith("saved"):
            self.run(directory, ["plan", "-out=plan"] + args)
            args = ["apply", "-json", "plan"]
        done = self.run(directory, args, "%s=%s" % (call, fault))
        told = sorted({summary for summary in summaries(done.stdout)})
        return "%s | %d | %s | %s" % (name, done.returncode, "; ".join(told), kept(directory))


def summaries(stream):
    for line in stream.splitlines():
        message = json.loads(line)
        if message.get("type") == "diagnostic":
            yield message["diagnostic"]["severity"] + ": " + message["diagnostic"]["summary"]


def kept(directory):
    path = os.path.join(directory, "terraform.tfstate")
    if not os.path.exists(path):
        return "no state"
    with open(path, encoding="utf-8") as file:
        state = json.load(file)
    out = []
    for resource in state["resources"]:
        for instance in resource["instances"]:
            values = instance["attributes"]
            out.append("%s.%s%s%s(%s %s%s)" % (
                resource["type"], resource["name"], " deposed" if instance.get("deposed") else "",
                " " + instance["status"] if instance.get("status") else "", values.get("name"),
                values.get("value"), " secret" if values.get("password") else ""))
    return ", ".join(re.sub(r"\(None None\)$", "", text) for text in sorted(out)) or "nothing"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", required=True)
    parser.add_argument("--mirror", required=True)
    parser.add_argument("--update", action="store_true", default=bool(os.environ.get("KINU_UPDATE")))
    parser.add_argument("--reference")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    if not os.path.isdir(os.path.join(options.mirror, "registry.opentofu.org/kinu/kinutest")):
        print("the test provider is not built (tests/providers/build.sh)")
        return 77
    wanted = [case for case in cases()
              if not options.names or any(name in case[0] for name in options.names)]
    with tempfile.TemporaryDirectory(prefix="kinu-faults-") as root:
        side = Side(options.binary, options.mirror, root)
        got = [side.line(case) for case in wanted]
        if options.update and not options.reference and not options.names:
            with open(RECORD, "w", encoding="utf-8") as file:
                file.write("".join(line + "\n" for line in got))
            return 0
        if options.reference:
            other = Side(options.reference, options.mirror, root)
            want = [other.line(case) for case in wanted]
        else:
            names = {case[0] for case in wanted}
            with open(RECORD, encoding="utf-8") as file:
                want = [line for line in file.read().splitlines() if line.split(" | ")[0] in names]
    differing = [pair for pair in zip(want, got) if pair[0] != pair[1]]
    for expected, actual in differing:
        print("want " + expected + "\ngot  " + actual)
    print("%d cases, %d differ" % (len(got), len(differing)))
    return 1 if differing or len(want) != len(got) else 0


if __name__ == "__main__":
    sys.exit(main())
