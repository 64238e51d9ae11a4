#!/usr/bin/env python3
"""Compares the problems that a language server finds in damaged configurations with those of `validate`.

    tests/lsp/damage.py --binary PROGRAM [--runs 20] [--seed 1] [--damages 12] [--keep]

A run makes a root module that calls two others, with files of each kind, names that lead from each file to others, and
errors that do not depend on each other, so that `validate` reports them all. It damages one thing after the other
(letters, lines and blocks of one file, the manifest of modules, a module's directory). The server must then have every
problem that `validate` has, and nothing else but what `validate` has of the text without the damage. The number of a run
is its seed.
"""
import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile

from edits import Server, uri_of

# "#" is a number that makes names distinct, "@" a line with an error or nothing.
BLOCKS = [
    'variable "v#" {\n  type    = string\n  default = "x"\n@}\n',
    'variable "w#" {\n  type = object({\n    x = number\n    y = optional(string, "é")\n  })\n  default = { x = 1 }\n@}\n',
    'locals {\n  l# = [for k in ["a", "b"] : upper(k)]\n  n# = {\n    x = 1\n  }\n@}\n',
    'output "o#" {\n  value = "text"\n@}\n',
    'output "p#" {\n  value = <<-EOT\n    one\n    ${upper("two")}\n  EOT\n@}\n',
    'resource "terraform_data" "r#" {\n  input = {\n    x = 1\n  }\n@  lifecycle {\n    ignore_changes = [input]\n  }\n}\n',
    'resource "terraform_data" "s#" {\n  for_each = toset(["a"])\n  input    = each.value\n@}\n',
    'check "c#" {\n  assert {\n    condition     = terraform_data.r1.id != ""\n    error_message = "No."\n  }\n@}\n',
    'data "terraform_remote_state" "d#" {\n  backend = "local"\n@}\n',
    '// a comment\n\n/* another\n  { one } */\n',
    'resource "terraform_data" "t#" {\n  input = <<EOT\n{\n}\nresource "a" "b" {\n}\nEOT\n@}\n',
]
JSON_BLOCKS = ['{"variable": {"v#": {"default": "x"}}, "output": {"o#": {"value": "${upper(\\"é\\")}"}}}\n',
               '{"resource": {"terraform_data": {"r#": {"input": "${path.module}"}}}}\n']
# Errors that nothing else depends on.
ERRORS = ['output "e#" {\n  value = local.none_#\n}\n', 'output "e#" {\n  value = upper()\n}\n',
          'resource "terraform_data" "e#" {\n  none = 1\n}\n', 'output "e#" {\n  value = terraform_data.none_#.id\n}\n',
          'output "e#" {\n  value = {}.x\n}\n', 'output "e#" {\n  value = nofunction(1)\n}\n',
          'resource "terraform_data" "e#" {\n  count = "x"\n}\n', 'output "e#" {\n  value = each.key\n}\n']
# Uses of what all files together declare: "var.v1".
USES = ['output "u#" {\n  value = $\n}\n', 'resource "terraform_data" "u#" {\n  input = $\n}\n',
        'locals {\n  u# = [$, 1]\n}\n', 'resource "terraform_data" "x#" {\n  depends_on = [terraform_data.r1]\n}\n',
        'resource "terraform_data" "x#" {\n  lifecycle {\n    replace_triggered_by = [terraform_data.r1]\n  }\n}\n']
NAMES = ["var.v1", "var.w1.x", "local.l1[0]", "local.n1.x", "terraform_data.r1.id", "terraform_data.s1[\"a\"].output",
         "data.terraform_remote_state.d1.outputs"]
CALL_ERRORS = ("Module not installed", "Unsupported argument", "Missing required argument")
LETTERS = '"{}[]()=$%<>#/*\n\\ ,.:aé'


class Workspace:
    def __init__(self, chance, folder):
        self.chance = chance
        self.folder = folder
        self.count = 1
        self.texts = {}
        for module in ("r", "m", "m/n"):
            self.module(module)
        self.texts["r/calls.tf"] = ('module "m" {\n  source = "../m"\n  v1     = var.v1\n}\n\n'
                                    'module "many" {\n  source   = "../m/n"\n  for_each = toset(["a"])\n}\n\n'
                                    'output "of_m" {\n  value = module.m.o1\n}\n\n'
                                    'output "of_many" {\n  value = module.many["a"].o1\n}\n')
        self.texts["m/calls.tf"] = 'module "n" {\n  source = "./n"\n  v1     = var.v1\n}\n\noutput "x" {\n  value = module.n.o1\n}\n'
        self.texts["r/terraform.tfvars"] = 'v1 = "y"\n'
        self.texts["r/tests/one.tftest.hcl"] = ('run "one" {\n  command = plan\n  assert {\n    condition     = output.o1 == '
                                                '"text"\n    error_message = "No."\n  }\n}\n')
        keys = {"m": "../m", "m.n": "../m/n", "many": "../m/n"}
        self.texts["r/.terraform/modules/modules.json"] = json.dumps(
            {"Modules": [{"Key": "", "Source": "", "Dir": "."}] +
             [{"Key": key, "Source": self.source(key), "Dir": place} for key, place in keys.items()]})
        for name, text in self.texts.items():
            self.write(name, text)

    def source(self, key):
        return {"m": "../m", "m.n": "./n", "many": "../m/n"}[key]

    def number(self, text):
        self.count += 1
        return text.replace("#", str(self.count))

    def module(self, module):
        """One of each block first, so that every name is declared; then others, uses and errors, in several files."""
        blocks = [block.replace("#", "1") for block in BLOCKS]
        blocks += [self.number(self.chance.choice(BLOCKS)) for _ in range(3)]
        blocks += [self.number(self.chance.choice(USES)).replace("$", self.chance.choice(NAMES)) for _ in range(5)]
        blocks += [self.number(self.chance.choice(ERRORS)) for _ in range(3)]
        blocks = [block.replace("@", self.mistake(block)) for block in blocks]
        self.chance.shuffle(blocks)
        names = self.chance.sample(["main.tf", "variables.tf", "outputs.tofu"], self.chance.randrange(1, 4))
        for name in names:
            self.texts[module + "/" + name] = ""
        for block in blocks:
            self.texts[module + "/" + self.chance.choice(names)] += block + "\n"
        self.texts[module + "/more.tf.json"] = self.number(self.chance.choice(JSON_BLOCKS))

    def mistake(self, block):
        return "  none = 1\n" if block.startswith("resource") and self.chance.random() < 0.2 else ""

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8", newline="") as file:
            file.write(text)

    def damaged(self, name):
        """The text of a file with some damage."""
        text = self.texts[name]
        chance = self.chance
        at = chance.randrange(len(text))
        line = text.rfind("\n", 0, at) + 1
        end = (text.find("\n", at) + 1) or len(text)
        return chance.choice([
            lambda: text[:at] + chance.choice(LETTERS) + text[at:],
            lambda: text[:at] + text[at + 1:],
            lambda: text[:at] + text[at + chance.randrange(1, 60):],
            lambda: text[:line] + text[end:],
            lambda: text[:line] + chance.choice(["}\n", "x\n", "  x =\n", "{\n", "/*\n", "*/\n", "EOT\n", "  x = <<EOT\n",
                                                 'resource "a" "b"\n', 'variable "v', "local.\n"]) + text[line:],
            lambda: text[:at],
            lambda: text[:line] + 'terraform {\n  backend "none_such" {}\n  backend "local" {}\n}\n' + text[line:],
            lambda: text[:line] + text[line:end].replace("=", "", 1) + text[end:],
            lambda: text[:line] + text[line:end].replace('"', "", 1) + text[end:],
            lambda: text[:line] + text[line:end - 1][::-1] + text[end - 1:],
        ])()


def validate(command, folder):
    """What `validate` finds: (file, offsets or None, severity, message)."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("TF_")}
    run = subprocess.run([*command, "validate", "-json"], cwd=os.path.join(folder, "r"), env=environment,
                         capture_output=True, check=False)
    found = set()
    for each in json.loads(run.stdout)["diagnostics"]:
        place = each.get("range")
        name = os.path.normpath(os.path.join("r", place["filename"])) if place and place["filename"] else None
        span = None
        if name:  # an editor has no place behind the end of a text
            size = os.path.getsize(os.path.join(folder, name))
            span = min(place["start"]["byte"], size), min(place["end"]["byte"], size)
        if each["summary"] == "Missing required provider":
            continue  # what is installed is no matter of an editor
        message = each["summary"] + ("\n\n" + each["detail"] if each["detail"] else "")
        found.add((name, span, 1 if each["severity"] == "error" else 2, message))
    return found


class Checker:
    def __init__(self, command, seed):
        self.command = command
        self.folder = os.path.realpath(tempfile.mkdtemp(prefix="kinu-damage-"))
        self.workspace = Workspace(random.Random(seed), self.folder)
        self.server = Server([*command, "lsp"], self.folder, "utf-8")
        self.version = 1
        self.extra = 0

    def texts(self, changed):
        return {**self.workspace.texts, **changed}

    def found(self, texts):
        """What the server has at rest."""
        self.server.ask([("textDocument/diagnostic", {"textDocument": {"uri": uri_of(self.path("r/calls.tf"))}})])
        found = set()
        for uri, published in self.server.problems().items():
            name = next((name for name in texts if uri_of(self.path(name)) == uri), None)
            lines = texts[name].encode().split(b"\n") if name else None
            for each in published["diagnostics"]:
                span = name and tuple(sum(len(line) + 1 for line in lines[:at["line"]]) + at["character"]
                                      for at in (each["range"]["start"], each["range"]["end"]))
                found.add((name, span, each["severity"], each["message"]))
        return found

    def path(self, name):
        return os.path.join(self.folder, name)

    def set(self, changed):
        """Writes texts and tells the server. None: the file goes."""
        changes = []
        for name, text in changed.items():
            if text is None:
                os.remove(self.path(name))
            else:
                self.workspace.write(name, text)
            changes.append({"uri": uri_of(self.path(name)), "type": 3 if text is None else 1})
        if "r/calls.tf" in changed and changed["r/calls.tf"] is not None:
            self.version += 1
            self.server.notify("textDocument/didChange", {
                "textDocument": {"uri": uri_of(self.path("r/calls.tf")), "version": self.version},
                "contentChanges": [{"text": changed["r/calls.tf"]}]})
        self.server.notify("workspace/didChangeWatchedFiles", {"changes": changes})

    def damage(self):
        workspace = self.workspace
        name = workspace.chance.choice(sorted(workspace.texts))
        if name.endswith("modules.json"):
            without = json.loads(workspace.texts[name])
            del without["Modules"][workspace.chance.randrange(1, len(without["Modules"]))]
            return {name: json.dumps(without)}
        if workspace.chance.random() < 0.05 and name != "r/calls.tf":
            return {name: None}
        return {name: workspace.damaged(name)}

    def run(self, damages):
        folder = self.folder
        self.server.notify("textDocument/didOpen", {"textDocument": {
            "uri": uri_of(self.path("r/calls.tf")), "languageId": "opentofu", "version": 1,
            "text": self.workspace.texts["r/calls.tf"]}})
        sound = validate(self.command, folder)
        mended = {self.meaning(each, self.workspace.texts) for each in sound}
        if any(not self.has(sound, each) for each in self.found(self.workspace.texts)):
            yield "validate does not come to the end of the text without damage"
            return
        for _ in range(damages):
            changed = self.damage()
            self.set(changed)
            texts = {name: text or "" for name, text in self.texts(changed).items()}
            expected = validate(self.command, folder)
            found = self.found(texts)
            lost = [each for each in expected if not self.has(found, each)]
            more = {each for each in found if not self.has(expected, each)}
            false = [each for each in more if self.meaning(each, texts) not in mended]
            self.extra += len(more)
            if lost or (false and not self.is_other_text(changed, expected)):
                yield "%s\n  lost: %s\n  false: %s" % (self.show(changed), lost, false)
            self.set({name: self.workspace.texts[name] for name in changed})

    @staticmethod
    def is_other_text(changed, expected):
        """Whether nothing but calls is wrong now, because what they name has another name or is gone: what else is found
        is true of the text as it is, and not of the one before."""
        errors = [each for each in expected if each[2] == 1]
        of_calls = all(each[0] and each[0].endswith("calls.tf") and each[3].startswith(CALL_ERRORS) for each in errors)
        return any(text is None or not name.endswith(".json") for name, text in changed.items()) and of_calls

    @staticmethod
    def has(problems, each):
        """Problems without a file are at a place that the server chooses."""
        return each in problems or (None in (each[0], each[1]) and any(other[2:] == each[2:] for other in problems)) or \
            any(other[1] is None and other[2:] == each[2:] for other in problems)

    @staticmethod
    def meaning(each, texts):
        """The problem without its place, which damage moves: the bytes that it is about and those around."""
        name, span, severity, message = each
        text = texts[name].encode()[span[0]:span[1] + 1] if name and span else b""
        return name, text, severity, message

    def show(self, changed):
        return "\n".join("%s:\n%s" % (name, text) for name, text in changed.items())

    def end(self, keep):
        self.server.end()
        if not keep:
            shutil.rmtree(self.folder)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--binary", required=True)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--damages", type=int, default=12)
    parser.add_argument("--keep", action="store_true", help="keep the workspaces of runs that fail")
    args = parser.parse_args()
    failed = extra = 0
    for seed in range(args.seed, args.seed + args.runs):
        checker = Checker([args.binary], seed)
        faults = list(checker.run(args.damages))
        for fault in faults:
            print("seed %d: %s" % (seed, fault), flush=True)
        failed += len(faults)
        extra += checker.extra
        checker.end(args.keep and faults)
    print("%d damages, %d problems beside those of validate, %d failed" % (args.runs * args.damages, extra, failed))
    return 1 if failed or not extra else 0


if __name__ == "__main__":
    sys.exit(main())
