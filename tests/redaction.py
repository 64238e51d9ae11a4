#!/usr/bin/env python3
"""Searches the output of the program for sensitive values of a configuration.

    tests/redaction.py --binary PATH [--seed N]

Fifty random texts are declared sensitive in every possible way: variables of all types, `sensitive()`, outputs, values
built from others. Some are copied to attributes that no mask covers (terraform_data.output). Output that hides
sensitive values must contain none of them: plan, apply, show and output in human form, messages, diagnostics, logs,
graphs, and redacted documents, summaries, queries and checks. Output that includes sensitive values by design, such as
`show -json`, must contain them; this proves that the search works.
"""
import argparse
import json
import os
import random
import subprocess
import sys
import tempfile

from watching import watch_edits

COUNT = 50
ODD = ['"', "\\", "<&>", "é", "%%{", " ", "'", "\t", "ü€"]


def secrets_of(generator):
    """Random texts. Each has a core that every quoting leaves unchanged; the core is searched for."""
    for number in range(COUNT):
        core = "S%02d" % number + "".join(generator.choice("abcdefghijkmnpqrstuvwxyz23456789")
                                         for _ in range(20))
        yield core, generator.choice(ODD) + core + generator.choice(ODD)


def configuration(texts):
    """A configuration that uses each text."""
    literal = [json.dumps(text, ensure_ascii=False).replace("${", "$${").replace("%{", "%%{") for text in texts]
    take = iter(literal)
    lines = []
    for name in range(10):
        lines.append('variable "text%d" {\n  sensitive = true\n  default   = %s\n}' % (name, next(take)))
    lines.append('variable "object" {\n  sensitive = true\n  type = object({ a = string, b = list(string), '
                 'c = map(string) })\n  default = {\n    a = %s\n    b = [%s, %s]\n    c = { k = %s }\n  }\n}'
                 % (next(take), next(take), next(take), next(take)))
    lines.append('variable "given" {\n  sensitive = true\n  type = string\n}')
    lines.append("locals {")
    for name in range(8):
        lines.append("  local%d = sensitive(%s)" % (name, next(take)))
    lines.append("}")
    # terraform_data copies `input` to `output`, but not `triggers_replace`.
    for name in range(10):
        lines.append('resource "terraform_data" "hidden%d" {\n  triggers_replace = { v = var.text%d, w = sensitive(%s) }'
                     '\n}' % (name, name, next(take)))
    for name in range(4):
        lines.append('resource "terraform_data" "nested%d" {\n  triggers_replace = [local.local%d, '
                     '{ deep = [sensitive(%s)] }]\n}' % (name, name, next(take)))
    lines.append('resource "terraform_data" "mixed" {\n  triggers_replace = "x-${var.object.a}-${var.given}"\n}')
    lines.append('resource "terraform_data" "each" {\n  for_each = { one = var.text1 == "" ? "" : "k" }\n'
                 '  triggers_replace = var.object\n}')
    lines.append('resource "terraform_data" "command" {\n  triggers_replace = 1\n  provisioner "local-exec" {\n'
                 '    command = "true ${local.local5}"\n    environment = { SECRET = %s }\n  }\n}'
                 % ("sensitive(%s)" % next(take)))
    lines.append('output "one" {\n  sensitive = true\n  value = var.text0\n}')
    lines.append('output "all" {\n  sensitive = true\n  value = [local.local6, var.object, sensitive(%s)]\n}'
                 % next(take))
    lines.append('check "shown" {\n  assert {\n    condition     = var.text2 == local.local7\n'
                 '    error_message = "They differ."\n  }\n}')
    lines.append('variable "fleeting" {\n  ephemeral = true\n  default   = %s\n}' % next(take))
    rest = list(take)
    return "\n".join(lines) + "\n", rest


COPIES = 'resource "terraform_data" "copy%d" {\n  input = { v = sensitive(%s), w = ["x", var.text%d] }\n}\n'

CHECKS = """check "c" {
  plan {
    expect_known_value {
      selector = "$.resource_changes[*].change.after"
      value    = null()
    }
    expect_known_value {
      selector = "$..triggers_replace"
      value    = null()
    }
    expect_known_value {
      selector = "$.planned_values"
      value    = null()
    }
  }
  state {
    expect_known_value {
      selector = "$..values.*"
      value    = null()
    }
    expect_known_output_value {
      name  = "one"
      value = null()
    }
  }
}
"""

# Commands that hide sensitive values, by the command that must run before.
HIDING = [
    ["validate", "-json"],
    ["plan", "-no-color", "-out=p"],
    ["plan", "-json"],
    ["show", "-no-color", "p"],
    ["show", "-json", "-redact", "p"],
    ["show", "-json", "-redact", "-format=0.1", "p"],
    ["show", "-json", "-redact", "-positions", "p"],
    ["show", "-canonical", "-redact", "p"],
    ["show", "-fingerprint", "p"],
    ["show", "-summary", "p"],
    ["show", "-summary=tree", "p"],
    ["show", "-summary=markdown", "-group-by=type", "p"],
    ["show", "-summary=json", "p"],
    ["plan", "-summary"],
    ["show", "-no-color", "-json-into=p.json", "p"],
    ["show", "p.json"],
    ["show", "-summary=json", "p.json"],
    ["show", "-html", "p.json"],
    ["show", "-html", "p"],
    ["show", "-html", "-why", "p"],
    ["show", "-why", "p"],
    ["show", "-why", "-summary=json", "p"],
    ["show", "-why", "-json", "p"],
    ["show", "-risks", "p"],
    ["show", "-risks", "-json", "p"],
    ["show", "-html", "-risks", "p"],
    ["show", "-risks", "-summary=markdown", "p.json"],
    ["show", "-risks=risks.hcl", "-json", "revealed.json"],
    ["show", "-risks=risks.hcl", "-summary=json", "revealed.json"],
    ["query", "$", "p"],
    ["query", "-raw", "$..*", "p"],
    ["query", "-csv", "-paths", "$.resource_changes[*].change.after", "p"],
    ["query", "-table", "$.planned_values.root_module.resources[*].values", "p"],
    ["query", "-json", "-paths", "$.variables", "p"],
    ["query", "-flatten", "$.resource_changes[*].change", "p"],
    ["query", "-columns=address,change.after,length()", "$.resource_changes[*]", "p"],
    ["query", "-csv", "-group-by=@,length()", "$.resource_changes[*].change.after.*", "p"],
    ["export", "p"],
    ["export", "-table=changes", "p"],
    ["export", "-table=attributes", "-to=csv", "p"],
    ["export", "-table=outputs", "-to=arrow", "p.json"],
    ["export", "-table=references", "p.json"],
    ["graph", "-plan=p"],
    ["apply", "-no-color", "p"],
    ["state", "list"],
    ["state", "show", "-no-color", "terraform_data.hidden1"],
    ["state", "show", "-no-color", "terraform_data.mixed"],
    ["show", "-no-color"],
    ["show", "-summary", "terraform.tfstate"],
    ["show", "-no-color", "-json-into=s.json"],
    ["show", "s.json"],
    ["show", "-summary=markdown", "s.json"],
    ["show", "-html", "s.json"],
    ["output", "-no-color"],
    ["show", "-json", "-redact", "terraform.tfstate"],
    ["show", "-json", "-redact"],
    ["query", "$..*", "terraform.tfstate"],
    ["export", "terraform.tfstate"],
    ["export", "-table=attributes", "terraform.tfstate"],
    ["export", "-table=outputs", "terraform.tfstate"],
    ["export", "-table=attributes", "s.json"],
    ["query", "-raw", "$.values.root_module.resources[*].values", "terraform.tfstate"],
    ["plan", "-no-color", "-detailed-exitcode"],
    ["plan", "-json", "-destroy", "-out=d"],
    ["show", "-json", "-redact", "d"],
    ["diff", "p", "d"],
    ["diff", "-json", "d", "p"],
    ["diff", "-markdown", "p", "d"],
    ["diff", "terraform.tfstate", "changed.json"],
    ["diff", "-json", "changed.json", "s.json"],
    ["plan", "-offline", "-no-color"],
    ["plan", "-offline", "-json"],
    ["plan", "-offline", "-destroy", "-summary=markdown"],
    ["plan", "-risks=risks.hcl", "-no-color", "-destroy"],
    ["plan", "-risks=risks.hcl", "-json", "-destroy"],
    ["plan", "-risks=risks.hcl", "-summary=tree", "-destroy"],
    ["drift", "-plan=drifted.json"],
    ["drift", "-json", "-plan=drifted.json"],
    ["drift", "-markdown", "-plan=drifted.json"],
    ["drift", "-sarif", "-plan=drifted.json"],
    ["apply", "-json", "d"],
]
# Edits of a state in bulk, on a copy.
BULK = [
    ["state", "mv", "-state=copy.tfstate", "-dry-run", "-match", "terraform_data.*[*]", "module.m.terraform_data.*[*]"],
    ["state", "mv", "-state=copy.tfstate", "-dry-run", "-match", "$..resources[?@.name!='each']", "**.*.new_*[*]"],
    ["state", "mv", "-state=copy.tfstate", "-match", "terraform_data.hidden*", "terraform_data.shown*"],
    ["state", "rm", "-state=copy.tfstate", "-dry-run", "-match", "**.terraform_data.*"],
    ["state", "rm", "-state=copy.tfstate", "-dry-run", "-match", "$..resources[?@.values.triggers_replace]"],
    ["state", "rm", "-state=copy.tfstate", "-from=lines.txt"],
    ["import", "-dry-run", "-from=imports.txt"],
]
AFTER_APPLY = [
    ["check", "-plan=p", "-state=terraform.tfstate", "c.kinucheck.hcl"],
    ["check", "-json", "-plan=p", "-state=terraform.tfstate", "c.kinucheck.hcl"],
    ["check", "-junit", "-plan=p", "-state=terraform.tfstate", "c.kinucheck.hcl"],
    ["check", "-sarif", "-plan=p", "-state=terraform.tfstate", "c.kinucheck.hcl"],
    ["check", "-annotations", "-plan=p", "-state=terraform.tfstate", "c.kinucheck.hcl"],
    ["check", "-tap", "-plan=p", "-state=terraform.tfstate", "c.kinucheck.hcl"],
    ["check", "-markdown", "-plan=p", "-state=terraform.tfstate", "c.kinucheck.hcl"],
]
# Only for documents: human output may show a copy that no mask covers.
COPIES_SHOWN = {"plan", "apply", "state"}


def lengthened(value):
    """The value with longer strings."""
    if isinstance(value, dict):
        return {name: lengthened(item) for name, item in value.items()}
    if isinstance(value, list):
        return [lengthened(item) for item in value]
    return value + "!" if isinstance(value, str) else value


def write_changed_state(folder):
    """Writes changed.json: s.json with other values of outputs and resources."""
    with open(os.path.join(folder, "s.json"), encoding="utf-8") as handle:
        state = json.load(handle)
    for output in state["values"].get("outputs", {}).values():
        output["value"] = lengthened(output["value"])
    for resource in state["values"]["root_module"].get("resources", []):
        resource["values"] = lengthened(resource["values"])
    with open(os.path.join(folder, "changed.json"), "w", encoding="utf-8") as handle:
        json.dump(state, handle)


def write_drifted_plan(folder):
    """Writes drifted.json: p.json in which each object has drifted from what it is planned to be."""
    with open(os.path.join(folder, "p.json"), encoding="utf-8") as handle:
        plan = json.load(handle)
    plan["resource_drift"] = [
        dict(entry, change={"actions": ["update"], "before": entry["change"]["after"],
                            "before_sensitive": entry["change"]["after_sensitive"],
                            "after": lengthened(entry["change"]["after"]),
                            "after_sensitive": entry["change"]["after_sensitive"]})
        for entry in plan["resource_changes"]]
    with open(os.path.join(folder, "drifted.json"), "w", encoding="utf-8") as handle:
        json.dump(plan, handle)


def write_revealed_plan(folder):
    """Writes revealed.json: p.json after which nothing is sensitive any more, as `-risks` is told of."""
    with open(os.path.join(folder, "p.json"), encoding="utf-8") as handle:
        plan = json.load(handle)
    for entry in plan["resource_changes"]:
        change = entry["change"]
        change.update(actions=["update"], before=change["after"], before_sensitive=change["after_sensitive"],
                      after_sensitive={})
    with open(os.path.join(folder, "revealed.json"), "w", encoding="utf-8") as handle:
        json.dump(plan, handle)
    with open(os.path.join(folder, "risks.hcl"), "w", encoding="utf-8") as handle:
        handle.write('data_types = ["terraform_data"]\n')


def write_lines(folder):
    """Writes the files of BULK."""
    with open(os.path.join(folder, "terraform.tfstate"), encoding="utf-8") as handle:
        state = handle.read()
    for name, text in (("copy.tfstate", state),
                       ("lines.txt", "terraform_data.mixed\nterraform_data.missing # an error\n"),
                       ("imports.txt", "terraform_data.mixed id\nterraform_data.hidden1 id\n")):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as handle:
            handle.write(text)


def without_difference(line):
    """Removes the difference of a JSON diagnostic: it is a change with masks, as in plans, and hides nothing."""
    try:
        message = json.loads(line)
        message["diagnostic"].pop("difference", None)
        return json.dumps(message, ensure_ascii=False)
    except (ValueError, KeyError, TypeError):
        return line


class Run:
    def __init__(self, binary, folder, cores, given):
        self.binary = os.path.abspath(binary)
        self.folder = folder
        self.cores = cores
        self.environment = {name: value for name, value in os.environ.items()
                            if not name.startswith("TF_")}
        self.environment["TF_VAR_given"] = given
        self.environment["TF_LOG"] = "trace"
        self.passed, self.failed = 0, 0

    def output(self, arguments, stdin=""):
        done = subprocess.run([self.binary] + arguments, cwd=self.folder, env=self.environment,
                              input=stdin.encode(), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        return (done.stdout + done.stderr).decode("utf-8", errors="replace")

    def expect_none(self, arguments, stdin=""):
        self.expect_no_secret(" ".join(arguments), self.output(arguments, stdin))

    def expect_no_secret(self, what, text):
        text = "\n".join(map(without_difference, text.split("\n")))
        found = [core for core in self.cores if core in text]
        self.passed, self.failed = self.passed + (not found), self.failed + bool(found)
        if found:
            at = text.index(found[0])
            print("FAIL %s: %d secrets, such as …%s…"
                  % (what, len(found), text[max(0, at - 80):at + 60].replace("\n", " ")))

    def expect_some(self, arguments):
        text = self.output(arguments)
        good = any(core in text for core in self.cores)
        self.passed, self.failed = self.passed + good, self.failed + (not good)
        if not good:
            print("FAIL %s: has no secret, so nothing is tested: %s" % (" ".join(arguments), text[:500]))


    def expect_risks(self):
        """Expects that the secrets of revealed.json are named as risks, so that their absence tests something."""
        text = self.output(["show", "-risks=risks.hcl", "-json", "revealed.json"])
        good = text.count('"secret-visible"') > 1
        self.passed, self.failed = self.passed + good, self.failed + (not good)
        if not good:
            print("FAIL show -risks: names no secrets: %s" % text[:500])


def explain_edits(run, text, cores):
    """Explains what a plan does after each secret was edited."""
    path = os.path.join(run.folder, "main.tf")
    edited = text
    for core in cores:
        edited = edited.replace(core, core + "9")
    with open(path, "w", encoding="utf-8") as handle:
        handle.write(edited)
    for words in (["why"], ["why", "-json"], ["why", "-since=p"], ["why", "-json", "-since=p"], ["drift", "-json"],
                  ["plan", "-why", "-summary=tree"], ["plan", "-why", "-summary=markdown"]):
        run.expect_none(words)
    with open(path, "w", encoding="utf-8") as handle:
        handle.write(text)


def watch_edits_of(run, text, cores, copies):
    """Plans again and again while each secret is edited, taken away and put back."""
    edited = text
    for core in cores:
        edited = edited.replace(core, core + "9")
    shown, messages = watch_edits(run.binary, run.folder, run.environment,
                                  [{"main.tf": edited}, {"main.tf": "# empty\n"}, {"main.tf": text}])
    run.expect_no_secret("plan -watch", "" if copies else shown)  # human output may show a copy that no mask covers
    run.expect_no_secret("plan -watch -json", "\n".join(json.dumps(m, ensure_ascii=False) for m in messages))
    rounds = [m for m in messages if m.get("type") == "watch_round"]
    good = len(rounds) == 4 and len(rounds[1]["other"]) + len(rounds[1]["new"]) > 5
    run.passed, run.failed = run.passed + good, run.failed + (not good)
    if not good:
        print("FAIL plan -watch: tests nothing: %s" % str(rounds)[:500])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--binary", required=True)
    parser.add_argument("--seed", type=int, default=20240501)
    args = parser.parse_args()
    passed = failed = 0
    for copies in (False, True):
        made = list(secrets_of(random.Random(args.seed)))
        cores = [core for core, _ in made]
        text, rest = configuration([secret for _, secret in made[1:]])
        with tempfile.TemporaryDirectory(prefix="redaction-") as folder:
            if copies:
                text += "".join(COPIES % (number, secret, number % 10)
                                for number, secret in enumerate(rest))
            with open(os.path.join(folder, "main.tf"), "w", encoding="utf-8") as handle:
                handle.write(text)
            with open(os.path.join(folder, "c.kinucheck.hcl"), "w", encoding="utf-8") as handle:
                handle.write(CHECKS)
            run = Run(args.binary, folder, cores, made[0][1])
            run.output(["init"])
            for arguments in HIDING:
                shown = copies and "-json" not in arguments and \
                    (arguments[0] in COPIES_SHOWN or arguments[:2] == ["show", "-no-color"])
                if "revealed.json" in arguments:
                    write_revealed_plan(folder)
                if "changed.json" in arguments:
                    write_changed_state(folder)
                    write_drifted_plan(folder)
                if not shown:
                    run.expect_none(arguments)
                else:
                    run.output(arguments)
                if arguments[0] == "apply" and arguments[-1] == "p":
                    run.expect_some(["show", "-json", "p"])
                    run.expect_some(["show", "-json"])
                    run.expect_some(["query", "-show-sensitive", "$", "p"])
                    for check in AFTER_APPLY:
                        run.expect_none(check)
                    write_lines(folder)
                    run.expect_risks()
                    for edit in BULK:
                        run.expect_none(edit)
                    explain_edits(run, text, cores)
                    watch_edits_of(run, text, cores, copies)
            for form in ("-no-color", "-json", "-raw"):
                run.expect_none(["eval", "-file=.", form, "var.object", "[local.local0]", "upper(var.text1)"])
                run.expect_none(["eval", "-file=main.tf", form, "{ a = var.given, b = local.missing }"])
            called = os.path.join(folder, "called.tf")
            os.makedirs(os.path.join(folder, "inner"))
            with open(called, "w", encoding="utf-8") as handle:
                handle.write('module "inner" {\n  source = "./inner"\n  text   = var.text1\n}\n')
            with open(os.path.join(folder, "inner", "main.tf"), "w", encoding="utf-8") as handle:
                handle.write('variable "text" {}\noutput "text" {\n  value = "x-${var.text}"\n}\n')
            for form in ("-no-color", "-json", "-raw"):
                run.expect_none(["eval", "-file=.", form, "module.inner.text", "module.inner", "{ m = module.inner }"])
            os.remove(called)
            run.expect_none(["console"], "var.object\nlocal.local0\nvar.text1\n")
            # An error in a line with a secret shows the line without the value.
            with open(os.path.join(folder, "wrong.tf"), "w", encoding="utf-8") as handle:
                handle.write('output "wrong" {\n  value = var.text3\n}\n'
                             'resource "terraform_data" "wrong" {\n  count = var.text4 + 1\n}\n'
                             'output "more" {\n  sensitive = true\n  value = tonumber(var.text5)\n}\n')
            for arguments in (["plan", "-no-color"], ["plan", "-json"], ["validate", "-json"],
                              ["validate", "-no-color"]):
                run.expect_none(arguments)
            passed, failed = passed + run.passed, failed + run.failed
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
