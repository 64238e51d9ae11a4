#!/usr/bin/env python3
"""Validates configurations with random errors with two programs and compares the results.

A mutant is a working configuration with one to three random changes: a word is removed, repeated,
misspelt or exchanged, a line or block is removed, an argument is added. Both programs validate it and,
if it is valid, plan it. Compared are exit codes, all diagnostics with severity, summary, range and
snippet, the messages of the plan, and the plan as JSON.

    mutants.py --binary build/dev/src/cli/tofu --reference tofu --count 1000
    mutants.py … --seed 4711              # one of them again, with its files
    mutants.py … --from DIR…              # mutants of the configurations below these directories

Without --from the configurations are those of tests/cases and of seeds. The latter need providers, which
are installed according to TF_CLI_CONFIG_FILE.
"""

import argparse
import collections
import concurrent.futures
import contextlib
import difflib
import glob
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TOKEN = re.compile(r'"(?:[^"\\\n]|\\.)*"|[A-Za-z_][\w-]*|\d+(?:\.\d+)?|\s+|[^\s\w]')
CRASH = "the reference crashes"
UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
LITERALS = ["null", "true", "false", "0", "-1", "1.5", '""', '"x"', "[]", "{}", "[null]",
            '{ a = 1 }', '["a", "b"]', 'toset(["a"])', "nope", "var.nope", "local.nope",
            "terraform_data.nope", "module.nope.x", "data.terraform_data.x", "each.key",
            "count.index", "self", "path.module", "1 / 0", 'tonumber("x")', "sensitive(1)",
            "timestamp()", "uuid()", "nope(1)", 'file("nope")', "[for x in [1]: x]",
            "{ for k, v in { a = 1 } : k => v }", "[1, 2][*]", "terraform.workspace"]
LINES = ["count = 2", "count = 0", "count = nope", 'for_each = toset(["a"])', "for_each = { a = 1 }",
         "for_each = [1]", "depends_on = [terraform_data.nope]", "depends_on = []",
         "provider = terraform.nope", "lifecycle {\n  prevent_destroy = true\n}",
         "lifecycle {\n  ignore_changes = [nope]\n}", "lifecycle {\n  ignore_changes = all\n}",
         "lifecycle {\n  create_before_destroy = true\n}", "lifecycle {\n  enabled = false\n}",
         "lifecycle {\n  replace_triggered_by = [terraform_data.nope]\n}",
         'lifecycle {\n  precondition {\n    condition = true\n    error_message = "no"\n  }\n}',
         'lifecycle {\n  postcondition {\n    condition = self.id == ""\n    error_message = "no"\n  }\n}',
         "nope = 1", "nope {\n}", "sensitive = true", "ephemeral = true", "deprecated = \"old\"",
         "default = 1", "type = number", "nullable = false", "value = 1", "description = 1",
         'provisioner "local-exec" {\n  command = "true"\n}', "input = 1", 'dynamic "x" {\n'
         "  for_each = [1]\n  content {\n  }\n}", 'validation {\n  condition = false\n'
         '  error_message = "no"\n}']
BLOCKS = ['variable "extra" {\n  default = 1\n}\n', 'output "extra" {\n  value = terraform_data.nope\n}\n',
          "locals {\n  extra = local.extra\n}\n", 'check "extra" {\n  assert {\n    condition = false\n'
          '    error_message = "no"\n  }\n}\n', 'moved {\n  from = terraform_data.a\n'
          "  to   = terraform_data.moved\n}\n", "removed {\n  from = terraform_data.a\n}\n",
          'import {\n  to = terraform_data.a\n  id = "x"\n}\n', 'terraform {\n  required_version = ">= 99"\n}\n',
          'provider "terraform" {\n}\n', 'module "extra" {\n  source = "./nope"\n}\n',
          'data "terraform_remote_state" "extra" {\n  backend = "local"\n}\n',
          'resource "terraform_data" "extra" {\n  input = terraform_data.extra\n}\n',
          'resource "nope_thing" "extra" {\n}\n', 'ephemeral "nope_thing" "extra" {\n}\n']


def seeds_of_cases():
    """The configurations in the case files. Each is a dictionary of files."""
    out = []
    for path in sorted(glob.glob(os.path.join(HERE, "..", "cases", "**", "*.case"), recursive=True)):
        files, name = {}, None
        with open(path, encoding="utf-8") as handle:
            for line in handle:
                if line.startswith("=== "):
                    words = line[4:].split(None, 1)
                    name = words[1].strip() if words[0] == "file" and len(words) > 1 else None
                    if words[0] == "run" and files:
                        out.append(dict(files))
                    if name:
                        files[name] = ""
                elif name:
                    files[name] += line
    return [f for f in out if any(n.endswith(".tf") for n in f)]


def seeds_of(directories):
    """Every directory with configuration files below `directories`, with its subdirectories."""
    out = []
    for root in directories:
        for directory, _, names in sorted(os.walk(root)):
            if any(n.endswith((".tf", ".tf.json")) for n in names):
                files = {}
                for inner, inner_dirs, inner_names in os.walk(directory):
                    inner_dirs[:] = [d for d in inner_dirs if d != ".terraform"]
                    for name in inner_names:
                        path = os.path.join(inner, name)
                        if os.path.getsize(path) < 50000 and not os.path.islink(path):
                            try:
                                with open(path, encoding="utf-8") as handle:
                                    files[os.path.relpath(path, directory)] = handle.read()
                            except ValueError:
                                pass
                if len(files) < 60:
                    out.append(files)
    return out


def blocks_of(text):
    """Start and end of every {...} whose brackets are on different lines."""
    out, stack = [], []
    for match in re.finditer(r"[{}]", text):
        if match.group() == "{":
            stack.append(text.rfind("\n", 0, match.start()) + 1)
        elif stack:
            out.append((stack.pop(), match.end()))
    return out


def mutate(rng, text):
    tokens = TOKEN.findall(text)
    words = [i for i, t in enumerate(tokens) if not t.isspace()]
    kind = rng.choice(["delete", "repeat", "misspell", "swap", "literal", "literal", "literal",
                       "delete line", "repeat line", "delete block", "add line", "add line",
                       "add block"])
    if not words and kind != "add block":
        return text
    if kind in ("delete", "repeat", "misspell", "swap", "literal"):
        i = rng.choice(words)
        if kind == "delete":
            tokens[i] = ""
        elif kind == "repeat":
            tokens[i] += " " + tokens[i]
        elif kind == "misspell":
            names = [j for j in words if re.match(r"\w", tokens[j]) or tokens[j].startswith('"')]
            i = rng.choice(names or words)
            at = rng.randrange(len(tokens[i]))
            tokens[i] = tokens[i][:at] + rng.choice(["", "x", "_", tokens[i][at] * 2]) + tokens[i][at + 1:]
        elif kind == "swap":
            j = rng.choice(words)
            tokens[i], tokens[j] = tokens[j], tokens[i]
        else:
            after_equals = [j for j in words if "=" in "".join(tokens[max(0, j - 2):j])]
            tokens[rng.choice(after_equals or words)] = rng.choice(LITERALS)
        return "".join(tokens)
    if kind == "add block":
        return text + "\n" + rng.choice(BLOCKS)
    if kind in ("delete line", "repeat line"):
        lines = text.split("\n")
        i = rng.randrange(len(lines))
        lines[i:i + 1] = [] if kind == "delete line" else [lines[i], lines[i]]
        return "\n".join(lines)
    blocks = blocks_of(text)
    if not blocks:
        return text
    begin, end = rng.choice(blocks)
    if kind == "delete block":
        return text[:begin] + text[end:]
    inside = text.find("{", begin) + 1
    return text[:inside] + "\n" + rng.choice(LINES) + "\n" + text[inside:]


def mutant(seed, seeds):
    """The files of a mutant."""
    rng = random.Random(seed)
    files = dict(rng.choice(seeds))
    names = sorted(n for n in files if n.endswith(".tf"))
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        if names:
            name = rng.choice(names)
            files[name] = mutate(rng, files[name])
    return files


def diagnostic(found):
    """The parts of a diagnostic that must be equal. The detail may differ."""
    out = {"severity": found["severity"], "summary": found["summary"].split("\n")[0],
           "address": found.get("address"), "range": found.get("range")}
    if out["summary"].startswith("Cycle:"):
        out["summary"] = "Cycle"
    snippet = found.get("snippet")
    if snippet:
        snippet = dict(snippet)
        snippet["values"] = sorted(snippet.get("values") or [], key=str)
        out["snippet"] = snippet
    return json.dumps(out, sort_keys=True)


class Side:
    def __init__(self, program, directory, needs_providers):
        self.program, self.directory = program, directory
        self.needs_providers = needs_providers
        self.died = False  # whether a run ended in another way than with an exit status of its own
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith(("TF_", "TOFU_"))
                            or k == "TF_CLI_CONFIG_FILE"}
        self.environment.update(CHECKPOINT_DISABLE="1", GOGC="400", TF_IN_AUTOMATION="1")

    def run(self, *arguments):
        done = subprocess.run([self.program, *arguments], cwd=self.directory, text=True,
                              errors="replace", env=self.environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=300)
        self.died |= done.returncode not in (0, 1)  # 11 after a panic of OpenTofu
        return done

    def normal(self, text):
        return UUID.sub("UUID", text.replace(self.directory, "DIR"))

    def observe(self):
        got = self.run("init" if self.needs_providers else "get", "-no-color")
        seen = {"installation": str(got.returncode)}
        validated = self.run("validate", "-json")
        try:
            document = json.loads(validated.stdout)
        except ValueError:
            document = {"diagnostics": [], "text": validated.stdout + validated.stderr}
        seen["validate"] = "\n".join(
            [str(validated.returncode), document.get("text", "")] +
            sorted(diagnostic(d) for d in document["diagnostics"]))
        if validated.returncode == 0:
            self.observe_plan(seen)
        return {what: self.normal(text) for what, text in seen.items()}

    def observe_plan(self, seen):
        planned = self.run("plan", "-json", "-input=false", "-out=plan.out")
        lines = []
        for line in planned.stdout.splitlines():
            try:
                message = json.loads(line)
            except ValueError:
                lines.append(line)
                continue
            kind = message.get("type")
            if kind == "diagnostic":
                lines.append(diagnostic(message["diagnostic"]))
            elif kind in ("planned_change", "change_summary", "outputs", "resource_drift"):
                for key in ("@timestamp", "@module", "@level"):
                    message.pop(key, None)
                lines.append(json.dumps(message, sort_keys=True))
        seen["plan"] = "\n".join([str(planned.returncode)] + sorted(lines))
        if os.path.exists(os.path.join(self.directory, "plan.out")):
            shown = self.run("show", "-json", "plan.out")
            try:
                document = json.loads(shown.stdout)
                document.pop("timestamp", None)
                document["relevant_attributes"] = sorted(document.get("relevant_attributes", []), key=str)
                for check in document.get("checks", []):
                    check.get("instances", []).sort(key=str)
                seen["plan JSON"] = json.dumps(document, sort_keys=True, indent=1)
            except ValueError:
                seen["plan JSON"] = shown.stdout + shown.stderr


def observe(program, files):
    """What a program does with the files, and whether it died."""
    with tempfile.TemporaryDirectory(prefix="mutant-") as directory:
        directory = os.path.realpath(directory)
        for name, text in files.items():
            path = os.path.join(directory, name)
            if os.path.realpath(path).startswith(directory):
                # Steps of a case may use one name for a file and for a directory: the first stays.
                with contextlib.suppress(FileExistsError, IsADirectoryError, NotADirectoryError):
                    os.makedirs(os.path.dirname(path), exist_ok=True)
                    with open(path, "w", encoding="utf-8") as handle:
                        handle.write(text)
        side = Side(program, directory, any("required_providers" in t for t in files.values()))
        return side.observe(), side.died


def compare(seed, seeds, options):
    """The differences of a mutant as text. Empty if there are none."""
    files = mutant(seed, seeds)
    wanted, reference_died = observe(options.reference, files)
    got, died = observe(options.binary, files)
    if reference_died and not died:
        return "mutant %d: %s" % (seed, CRASH)
    out = []
    for what in wanted:
        a, b = wanted[what], got.get(what, "not run")
        if a != b:
            out.append("mutant %d: %s differs" % (seed, what))
            out += list(difflib.unified_diff(a.splitlines(), b.splitlines(), "reference", "kinu",
                                             lineterm="", n=0))[:30]
            break
    return "\n".join(out)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", required=True)
    parser.add_argument("--reference", required=True)
    parser.add_argument("--seed", type=int)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--from", dest="directories", nargs="*", default=[])
    options = parser.parse_args()
    for name in ("binary", "reference"):
        path = getattr(options, name)
        setattr(options, name, os.path.abspath(path) if os.sep in path else shutil.which(path))
    seeds = seeds_of(options.directories) if options.directories else seeds_of_cases()
    if options.seed is not None:
        for name, text in mutant(options.seed, seeds).items():
            print("=== file %s\n%s" % (name, text))
    numbers = [options.seed] if options.seed is not None else \
        range(options.first, options.first + options.count)
    failed, kinds = 0, collections.Counter()
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for report in pool.map(lambda n: compare(n, seeds, options), numbers):
            if report:
                kind = report.split("\n")[0].split(": ", 1)[1]
                failed += kind != CRASH
                kinds[kind] += 1
                print(report, flush=True)
    print("%d mutants, %d differ %s" % (len(numbers), failed, dict(kinds) or ""))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
