#!/usr/bin/env python3
"""Compares the message streams of whole commands with those that OpenTofu printed.

    streams.py --binary PATH [--mirror DIR] [NAME...]
    streams.py --reference PATH --record [--mirror DIR] [NAME...]

Each scenario is a configuration and a few commands with `-json`, run with parallelism 1. Times,
durations and identifiers are replaced. Everything else in every message must be equal, and the
messages of each object must have the same order.
Recordings are in tests/golden/streams/NAME.jsonl. A scenario with a provider of tests/providers is
skipped unless the mirror has it.
"""
import argparse
import difflib
import json
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
GOLDEN = os.path.join(ROOT, "tests", "golden", "streams")
UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
PROVIDER = """terraform {
  required_providers {
    kinutest = {
      source = "kinu/kinutest"
    }
  }
}
"""


def write(text):
    def step(folder):
        with open(os.path.join(folder, "main.tf"), "w", encoding="utf-8") as file:
            file.write(text)
    return step



def overwrite_objects(folder):
    """Changes the objects of the provider, which are files, outside of the program."""
    for place, _, names in os.walk(os.path.join(folder, "objects")):
        for name in names:
            path = os.path.join(place, name)
            with open(path, encoding="utf-8") as file:
                text = file.read()
            with open(path, "w", encoding="utf-8") as file:
                file.write(text.replace("before", "elsewhere"))


DATA = 'resource "terraform_data" "%s" {\n  input = %s\n}\n'
APPLY = ["apply", "-auto-approve"]

SCENARIOS = {
    # version, planned_change, change_summary, apply_start, apply_complete, outputs
    "apply": [write(DATA % ("a", '"x"') + 'output "o" {\n  value = terraform_data.a.output\n}\n'
                    'output "s" {\n  value     = terraform_data.a.id != ""\n  sensitive = true\n}\n'),
              APPLY],
    # every action, including objects with keys, in modules, and a forgotten one
    "actions": [write('resource "terraform_data" "n" {\n  count = 2\n  input = count.index\n}\n'
                      'resource "terraform_data" "e" {\n  for_each = toset(["p q", "r"])\n'
                      '  triggers_replace = each.key\n}\n' + DATA % ("gone", 1) + DATA % ("moved", 2)
                      + DATA % ("left", 3)), APPLY,
                write('resource "terraform_data" "n" {\n  count = 1\n  input = "new"\n}\n'
                      'resource "terraform_data" "e" {\n  for_each = toset(["p q", "r"])\n'
                      '  triggers_replace = "${each.key}!"\n  lifecycle {\n'
                      '    create_before_destroy = true\n  }\n}\n' + DATA % ("there", 2) +
                      'moved {\n  from = terraform_data.moved\n  to = terraform_data.there\n}\n'
                      'removed {\n  from = terraform_data.left\n  lifecycle {\n    destroy = false\n'
                      '  }\n}\n'),
                ["plan"], APPLY, ["plan"], ["plan", "-destroy"], ["destroy", "-auto-approve"]],
    # refresh_start, refresh_complete, without changes
    "refresh": [write(DATA % ("a", 1) + DATA % ("b", 2)), APPLY, ["refresh"], ["plan", "-refresh-only"],
                ["apply", "-refresh-only", "-auto-approve"]],
    # planned_change with an import and its summary
    "import": [write('import {\n  to = terraform_data.a\n  id = "an-id"\n}\n' + DATA % ("a", '"x"')),
               ["plan"], APPLY],
    # provision_start, provision_progress, provision_complete, provision_errored, apply_errored
    "provision": [write('resource "terraform_data" "a" {\n  provisioner "local-exec" {\n'
                        '    command = "echo one; echo two >&2"\n  }\n}\n'
                        'resource "terraform_data" "b" {\n  depends_on = [terraform_data.a]\n'
                        '  provisioner "local-exec" {\n    command = "exit 3"\n  }\n'
                        '  provisioner "local-exec" {\n    command    = "exit 4"\n'
                        '    on_failure = continue\n  }\n}\n'), APPLY,
                  ["plan"], ["apply", "-replace=terraform_data.a", "-target=terraform_data.a",
                             "-auto-approve"]],
    # apply_progress, which needs an operation of more than ten seconds
    "progress": [write('resource "terraform_data" "slow" {\n  provisioner "local-exec" {\n'
                       '    command = "sleep 11"\n  }\n}\n'), APPLY],
    # diagnostic: with and without a place, warnings, checks, conditions
    "diagnostics": [write('variable "v" {\n  default = 1\n  validation {\n'
                          '    condition     = var.v > 0\n    error_message = "Too small."\n  }\n}\n'
                          'check "c" {\n  assert {\n    condition     = terraform_data.a.output == "y"\n'
                          '    error_message = "It is ${terraform_data.a.output}."\n  }\n}\n'
                          'resource "terraform_data" "a" {\n  input = "x"\n  lifecycle {\n'
                          '    postcondition {\n      condition     = self.input != "z"\n'
                          '      error_message = "No z."\n    }\n  }\n}\n'),
                    APPLY, ["plan", "-var=v=0"], ["plan", "-var=w=0"],
                    ["plan", "-target=terraform_data.none"],
                    write(DATA % ("a", "nothing")), ["plan"], write("resource {\n"), ["plan"],
                    write(DATA % ("a", 'terraform_data.a.id\n  lifecycle {\n    postcondition {\n'
                                  '      condition     = false\n      error_message = "Never."\n'
                                  '    }\n  }')), ["plan"]],
    # replace_provider, resource_address, and messages without a type
    "state": [write(DATA % ("a", 1) + DATA % ("b", 2)), APPLY, ["state list"],
              ["state mv", "terraform_data.a", "terraform_data.c"], ["state rm", "terraform_data.b"],
              ["state rm", "terraform_data.b"],
              ["state replace-provider", "-auto-approve", "terraform.io/builtin/terraform", "a/b"],
              ["state list"]],
    # outputs that change, are added and are removed; sensitive ones
    "outputs": [write('output "a" {\n  value = 1\n}\noutput "b" {\n  value = [true, null]\n}\n'), APPLY,
                write('output "a" {\n  value = "one"\n}\noutput "c" {\n  value     = { k = 1.50 }\n'
                      '  sensitive = true\n}\n'), ["plan"], APPLY, ["refresh"],
                ["destroy", "-auto-approve"]],
    # resource_drift
    "kinutest-drift": [write(PROVIDER + 'provider "kinutest" {\n  directory = "objects"\n}\n'
                             'resource "kinutest_thing" "t" {\n  name  = "n"\n  value = "before"\n}\n'
                             'resource "kinutest_thing" "gone" {\n  name  = "g"\n}\n'),
                       lambda folder: os.mkdir(os.path.join(folder, "objects")), ["init"], APPLY,
                       overwrite_objects, ["plan"], ["plan", "-refresh-only"],
                       ["apply", "-refresh-only", "-auto-approve"], APPLY, ["destroy", "-auto-approve"]],
    # ephemeral_action_started, ephemeral_action_complete
    "kinutest-ephemeral": [write(PROVIDER + 'ephemeral "kinutest_token" "t" {\n  name = "n"\n}\n'
                                 'resource "terraform_data" "a" {\n  input = 1\n'
                                 '  provisioner "local-exec" {\n'
                                 '    command = "test -n \\"${ephemeral.kinutest_token.t.token}\\""\n  }\n}\n'),
                           ["init"], ["plan"], APPLY, ["plan"]],
}
ONE_BY_ONE = {"plan", "apply", "destroy", "refresh"}


def address(message):
    part = message.get("hook") or message.get("change") or {}
    return part.get("resource", {}).get("addr", "")


def normal(message, names):
    """A message without the parts that differ between runs."""
    here = address(message)

    def walk(value, key=""):
        if isinstance(value, dict):
            return {name: walk(member, name) for name, member in value.items()}
        if isinstance(value, list):
            return [walk(member) for member in value]
        if key == "@timestamp":
            return "2026-01-02T03:04:05.678901Z"
        if key == "elapsed_seconds":
            return 0
        if isinstance(value, str):
            value = UUID.sub(lambda match: names.setdefault(match.group(0), "ID of " + here), value)
            return re.sub(r"after \d+s|\[\d+s elapsed\]", "SECONDS", value)
        return value
    message = walk(message)
    if "diagnostic" in message:  # OpenTofu and kinu word details differently
        diagnostic = message["diagnostic"]
        message["@message"] = diagnostic["severity"] + ": " + diagnostic["summary"]
        diagnostic["detail"] = ""
    return message


def ordered(messages):
    """The messages of each object in order, then all others in order; diagnostics are sorted. Independent
    objects have no fixed order between runs."""
    def key(message):
        if "diagnostic" in message:
            return 2, json.dumps(message, sort_keys=True)
        here = address(message)
        return (0, here) if here else (1, "")
    return sorted(messages, key=key)


def run(program, name, mirror):
    """Runs a scenario and returns its lines."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith("TF_")}
    names, lines = {}, []
    with tempfile.TemporaryDirectory(prefix="streams-") as folder:
        configuration = os.path.join(folder, ".cli")
        with open(configuration, "w", encoding="utf-8") as file:
            if mirror:
                file.write('provider_installation {\n  filesystem_mirror {\n    path = "%s"\n  }\n}\n'
                           % os.path.abspath(mirror))
        environment.update(TF_CLI_CONFIG_FILE=configuration, CHECKPOINT_DISABLE="1")
        for step in SCENARIOS[name]:
            if callable(step):
                step(folder)
                continue
            if step == ["init"]:
                subprocess.run([program, "init"], cwd=folder, env=environment, stdout=subprocess.DEVNULL,
                               check=True)
                continue
            extra = ["-json"] + (["-parallelism=1"] if step[0] in ONE_BY_ONE else [])
            done = subprocess.run([program] + step[0].split() + extra + step[1:], cwd=folder, env=environment,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            lines.append(json.dumps({"run": step, "exit": done.returncode}))
            printed = done.stdout.decode("utf-8").splitlines()
            for message in ordered([normal(json.loads(line), names) for line in printed]):
                lines.append(json.dumps(message, sort_keys=True, ensure_ascii=False))
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--binary")
    parser.add_argument("--reference")
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--mirror")
    parser.add_argument("names", nargs="*")
    args = parser.parse_args()
    program = os.path.abspath(args.reference if args.record else args.binary)
    rewrite = args.record or bool(os.environ.get("KINU_UPDATE"))
    failed = passed = 0
    for name in args.names or SCENARIOS:
        if name.startswith("kinutest") and not args.mirror:
            continue
        lines = run(program, name, args.mirror)
        path = os.path.join(GOLDEN, name + ".jsonl")
        if rewrite:
            with open(path, "w", encoding="utf-8") as file:
                file.write("".join(line + "\n" for line in lines))
            continue
        with open(path, encoding="utf-8") as file:
            wanted = file.read().splitlines()
        if lines == wanted:
            passed += 1
            continue
        failed += 1
        print("FAIL " + name)
        print("\n".join(list(difflib.unified_diff(wanted, lines, "recorded", "now", n=1, lineterm=""))[:60]))
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
