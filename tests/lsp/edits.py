#!/usr/bin/env python3
"""Compares a language server that has seen many edits with one that starts on the final texts.

    tests/lsp/edits.py --binary PROGRAM [--runs 40] [--seed 1] [--keep]

A run makes a workspace of two root modules that call one module, edits it in the editor and on the disk (each prefix of
typing a block, pastes, deletions, undo, files made, removed, renamed, opened, closed and saved), and compares the
answers to every request and all diagnostics with those of a fresh server, several times. The number of a run is its
seed: `--seed 17 --runs 1` repeats one.
"""
import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from urllib.parse import quote

PATIENCE = 10  # seconds until diagnostics that differ count
TIMEOUT = 60
NAMES = ["a", "b", "web", "name_1"]
# "@" is a name, "#" a number. Each may stand in any configuration file.
SNIPPETS = [
    'variable "@" {\n  type    = string\n  default = "#"\n}\n',
    'variable "@" {\n}\n',
    'variable "@" {\n  type = object({\n    x = number\n    y = optional(string, "é")\n  })\n}\n',
    'locals {\n  @ = var.@\n  @ = "é𝄞${local.@}"\n}\n',
    'output "@" {\n  value = local.@\n}\n',
    'output "@" {\n  value     = [for k, v in var.@ : upper(v) if k != "#"]\n  sensitive = true\n}\n',
    'resource "terraform_data" "@" {\n  input = {\n    x = var.@\n  }\n  triggers_replace = terraform_data.@.id\n}\n',
    'resource "terraform_data" "@" {\n  count = #\n  input = "${terraform_data.@[count.index].output}"\n}\n',
    'resource "terraform_data" "@" {\n  for_each = toset(["#"])\n  input    = each.value\n  lifecycle {\n'
    '    ignore_changes = [input]\n  }\n}\n',
    'data "terraform_remote_state" "@" {\n  backend = "local"\n}\n',
    'module "@" {\n  source = "../m"\n  @      = "#"\n}\n',
    'module "@" {\n  source = "./sub"\n}\n',
    'check "@" {\n  assert {\n    condition     = length(var.@) > #\n    error_message = "No."\n  }\n}\n',
    'moved {\n  from = terraform_data.@\n  to   = terraform_data.@\n}\n',
    'removed {\n  from = terraform_data.@\n}\n',
    'provider "aws" {\n  alias = "@"\n}\n',
    'resource "aws_vpc" "@" {\n  cidr_block = cidrsubnet("10.0.0.0/16", 8, #)\n}\n',
    'terraform {\n  required_version = ">= 1.#"\n}\n',
    'output "@" {\n  value = module.@.@\n}\n',
    'locals {\n  @ = <<-EOT\n    ${var.@} and %{ if true }#%{ endif }\n  EOT\n}\n',
    '# a comment\n\n/* another\n one */\n',
    'nothing "of" "this" {\n',
    '  x = = #\n',
    '}\n',
    '"',
    'local.',
    'var.@',
    '${',
]
VALUES = ['@ = "#"\n', '@ = {\n  x = #\n}\n', '@ = [\n', 'other = #\n']
TESTS = ['run "@" {\n  command = plan\n  variables {\n    @ = "#"\n  }\n  assert {\n    condition     = output.@ == "#"\n'
         '    error_message = "No."\n  }\n}\n', 'variables {\n  @ = "#"\n}\n', 'run "@" {\n  module {\n'
         '    source = "../m"\n  }\n}\n',
         'run "@" {\n  module {\n    source = "../m"\n  }\n  variables {\n    @ = var.@\n  }\n  assert {\n'
         '    condition     = var.@ == run.@.@ && local.@ == output.@\n    error_message = "No."\n  }\n}\n']
JSONS = ['{"variable": {"@": {"default": "#"}}}\n', '{"output": {"@": {"value": "${var.@}é"}}, "locals": {"@": #}}\n',
         '{"resource": {"terraform_data": {"@": {"input": "${local.@}"}}}}\n', '{"locals": {"@": ', '',
         '{\n  "variable": {\n    "@": {\n  "output": {\n    "@": {\n      "value": "${var.@ + ${local.\n    }\n  }\n}\n',
         '{\n  "module": {\n    "@": {\n      "source": "../m",\n      "@": "${var.@}",\n    }\n  }\n}\n']
JSON_VALUES = ['{"@": "#"}\n', '{\n  "@": #,\n  "@": [\n}\n', '{"@": ']
JSON_TESTS = ['{"variables": {"@": "#"}, "run": {"@": {"assert": {"condition": "${var.@ == \\"#\\"}"}}}}\n',
              '{"run": {"@": {"module": {"source": "../m"}, "variables": {"@": "${run.@.@}"}}}}\n', '{"run": {"@": {']
FILES = ["r/main.tf", "r/variables.tf", "r/more.tf.json", "r/terraform.tfvars", "r/tests/one.tftest.hcl", "r/sub/main.tf",
         "q/main.tf", "q/main.tofu", "q/override.tf", "q/x.auto.tfvars", "m/main.tf", "m/outputs.tf", "m/é.tf",
         "r/tests/two.tftest.json", "q/y.auto.tfvars.json", "m/more.tf.json"]
ROOTS = ["r", "q"]


def snippets_of(name):
    if name.endswith(".json"):
        return JSON_VALUES if "tfvars" in name else JSON_TESTS if "tftest" in name else JSONS
    if name.endswith(".tfvars"):
        return VALUES
    return TESTS + SNIPPETS[:3] if name.endswith(".hcl") else SNIPPETS


def without_names_of_results(value):
    """What is left of an answer without the names that a server gives its results."""
    if isinstance(value, dict):
        return {key: without_names_of_results(each) for key, each in value.items() if key != "resultId"}
    return [without_names_of_results(each) for each in value] if isinstance(value, list) else value


class Server:
    """Asks many questions at once. Its environment has no provider schema and no settings of the user."""

    def __init__(self, command, folder, encoding):
        environment = {name: value for name, value in os.environ.items() if not name.startswith("TF_")}
        environment["XDG_CACHE_HOME"] = os.path.join(folder, ".cache")
        environment["TF_CLI_CONFIG_FILE"] = os.path.join(folder, ".cli")
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment,
                                        stderr=subprocess.DEVNULL if not os.environ.get("KINU_EDITS_ERRORS") else None)
        self.published = {}
        self.next_id = 0
        self.ask([("initialize", {
            "processId": None, "rootUri": None, "workspaceFolders": [{"uri": uri_of(folder), "name": "w"}],
            "initializationOptions": {"inlayValues": True, "inlayTypes": True},
            "capabilities": {
                "general": {"positionEncodings": [encoding]},
                "workspace": {"didChangeWatchedFiles": {"dynamicRegistration": True},
                              "workspaceEdit": {"documentChanges": True, "resourceOperations": ["create", "rename"]}},
                "textDocument": {
                    "completion": {"completionItem": {"snippetSupport": True}},
                    "documentSymbol": {"hierarchicalDocumentSymbolSupport": True},
                    "codeAction": {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": []}}},
                    "publishDiagnostics": {"tagSupport": {"valueSet": [1, 2]}}}}})])
        self.notify("initialized", {})

    def send(self, messages):
        out = b""
        for message in messages:
            body = json.dumps(dict({"jsonrpc": "2.0"}, **message)).encode()
            out += b"Content-Length: %d\r\n\r\n%s" % (len(body), body)
        self.process.stdin.write(out)
        self.process.stdin.flush()

    def notify(self, method, params):
        self.send([{"method": method, "params": params}])

    def ask(self, questions):
        """The answers to questions, in their order."""
        first = self.next_id + 1
        self.next_id += len(questions)
        self.send([{"id": first + i, "method": method, "params": params}
                   for i, (method, params) in enumerate(questions)])
        answers = {}
        while len(answers) < len(questions):
            message = self.take()
            if message.get("method") == "textDocument/publishDiagnostics":
                self.published[message["params"]["uri"]] = message["params"]
            elif "method" in message and "id" in message:
                self.send([{"id": message["id"], "result": None}])
            elif "id" in message:
                answers[message["id"]] = message.get("result", message.get("error"))
        return [without_names_of_results(answers[first + i]) for i in range(len(questions))]

    def take(self):
        line = self.process.stdout.readline()
        if not line.startswith(b"Content-Length: "):
            raise RuntimeError("the server has ended: %r" % line)
        self.process.stdout.readline()
        return json.loads(self.process.stdout.read(int(line[16:])))

    def problems(self):
        """The diagnostics that it shows, without those that were taken back."""
        return {uri: each for uri, each in self.published.items() if each["diagnostics"]}

    def end(self):
        """Whether it ends as it should."""
        try:
            self.ask([("shutdown", None)])
            self.notify("exit", None)
            return self.process.wait(TIMEOUT) == 0
        except (RuntimeError, OSError, subprocess.TimeoutExpired):
            return False
        finally:
            self.process.kill()
            self.process.stdin.close()
            self.process.stdout.close()
            self.process.wait()


def uri_of(path):
    return "file://" + quote(path)


class Run:
    def __init__(self, command, seed, folder):
        self.command = command
        self.chance = random.Random(seed)
        self.encoding = self.chance.choice(["utf-8", "utf-16"])
        self.folder = folder
        self.open = {}      # text by name
        self.versions = {}
        self.undo = []      # (name, text)
        self.done = []      # what was done, for reports
        for root in ROOTS:
            self.manifest(root)
        for name in self.chance.sample(FILES, 6):
            self.write(name, self.text_for(name, 3))
        self.server = Server(command, folder, self.encoding)
        self.started = set(self.open)

    def manifest(self, root):
        """What `init` leaves behind: all calls that a snippet may have are installed."""
        os.makedirs(os.path.join(self.folder, root, ".terraform/modules"), exist_ok=True)
        modules = [{"Key": "", "Source": "", "Dir": "."}]
        for name in NAMES:
            modules.append({"Key": name, "Source": "../m", "Dir": "../m"})
        with open(os.path.join(self.folder, root, ".terraform/modules/modules.json"), "w", encoding="utf-8") as file:
            json.dump({"Modules": modules}, file)

    def path(self, name):
        return os.path.join(self.folder, name)

    def snippet(self, name):
        out = ""
        for letter in self.chance.choice(snippets_of(name)):
            if letter == "@":
                letter = self.chance.choice(NAMES)
            elif letter == "#":
                letter = str(self.chance.randrange(10))
            out += letter
        return out

    def text_for(self, name, count):
        return "\n".join(self.snippet(name) for _ in range(1 if name.endswith(".json") else count))

    def write(self, name, text):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)

    def on_disk(self):
        return [name for name in FILES if os.path.isfile(self.path(name))]

    # --- What the editor does ---

    def units(self, text):
        return len(text.encode()) if self.encoding == "utf-8" else len(text.encode("utf-16-le")) // 2

    def position(self, text, offset):
        line = text.count("\n", 0, offset)
        return {"line": line, "character": self.units(text[text.rfind("\n", 0, offset) + 1:offset])}

    def open_file(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            self.open[name] = file.read()
        self.versions[name] = self.versions.get(name, 0) + 1
        self.server.notify("textDocument/didOpen", self.opening(name))

    def opening(self, name):
        return {"textDocument": {"uri": uri_of(self.path(name)), "languageId": "opentofu",
                                 "version": self.versions[name], "text": self.open[name]}}

    def replace(self, name, begin, end, text):
        before = self.open[name]
        self.open[name] = before[:begin] + text + before[end:]
        self.versions[name] += 1
        self.server.notify("textDocument/didChange", {
            "textDocument": {"uri": uri_of(self.path(name)), "version": self.versions[name]},
            "contentChanges": [{"range": {"start": self.position(before, begin), "end": self.position(before, end)},
                                "text": text}]})

    def watched(self, name, kind):
        self.server.notify("workspace/didChangeWatchedFiles",
                           {"changes": [{"uri": uri_of(self.path(name)), "type": kind}]})

    def some_open(self):
        if not self.open:
            names = self.on_disk()
            if not names:
                self.make()
                names = self.on_disk()
            self.open_file(self.chance.choice(names))
        return self.chance.choice(sorted(self.open))

    def place(self, text):
        """Where something is inserted: mostly at the start of a line."""
        offset = self.chance.randrange(len(text) + 1)
        return offset if self.chance.random() < 0.3 else text.rfind("\n", 0, offset) + 1

    def type(self):
        name = self.some_open()
        at = self.place(self.open[name])
        self.undo.append((name, self.open[name]))
        snippet = self.snippet(name)
        pause = self.chance.randrange(len(snippet) + 1)
        for i, letter in enumerate(snippet):
            self.replace(name, at + i, at + i, letter)
            if i == pause:
                self.compare()

    def paste(self):
        name = self.some_open()
        self.undo.append((name, self.open[name]))
        at = self.place(self.open[name])
        self.replace(name, at, at, self.snippet(name))

    def delete(self):
        name = self.some_open()
        text = self.open[name]
        self.undo.append((name, text))
        begin = self.place(text)
        self.replace(name, begin, min(len(text), begin + self.chance.choice([1, 1, 5, 40])), "")

    def take_back(self):
        while self.undo:
            name, text = self.undo.pop()
            if name in self.open:
                return self.replace(name, 0, len(self.open[name]), text)
        return self.paste()

    def open_one(self):
        names = [name for name in self.on_disk() if name not in self.open]
        if names:
            self.open_file(self.chance.choice(names))

    def close(self):
        name = self.some_open()
        del self.open[name]
        self.server.notify("textDocument/didClose", {"textDocument": {"uri": uri_of(self.path(name))}})

    def save(self):
        name = self.some_open()
        is_new = not os.path.exists(self.path(name))
        self.write(name, self.open[name])
        self.server.notify("textDocument/didSave", {"textDocument": {"uri": uri_of(self.path(name))}})
        self.watched(name, 1 if is_new else 2)

    # --- What others do on the disk ---

    def make(self):
        name = self.chance.choice(FILES)
        is_new = not os.path.exists(self.path(name))
        self.write(name, self.text_for(name, 2))
        self.watched(name, 1 if is_new else 2)

    def remove(self):
        names = self.on_disk()
        if names:
            name = self.chance.choice(names)
            os.remove(self.path(name))
            self.watched(name, 3)

    def rename(self):
        names = self.on_disk()
        free = [name for name in FILES if name not in names and name not in self.open]
        if not names or not free:
            return
        old, new = self.chance.choice(names), self.chance.choice(free)
        was_open = old in self.open
        if was_open:
            self.write(old, self.open.pop(old))
            self.server.notify("textDocument/didClose", {"textDocument": {"uri": uri_of(self.path(old))}})
        os.makedirs(os.path.dirname(self.path(new)), exist_ok=True)
        os.rename(self.path(old), self.path(new))
        self.watched(old, 3)
        self.watched(new, 1)
        if was_open:
            self.open_file(new)

    # --- What is compared ---

    def questions(self):
        asked = [("workspace/symbol", {"query": ""}), ("workspace/symbol", {"query": "web"})]
        for name, text in sorted(self.open.items()):
            document = {"uri": uri_of(self.path(name))}
            whole = {"start": {"line": 0, "character": 0}, "end": self.position(text, len(text))}
            of = {"textDocument": document}
            options = {"tabSize": 2, "insertSpaces": True}
            asked += [("textDocument/" + method, of) for method in (
                "documentSymbol", "semanticTokens/full", "foldingRange", "documentLink", "codeLens", "diagnostic")]
            asked += [("textDocument/formatting", dict(of, options=options)),
                      ("textDocument/inlayHint", dict(of, range=whole)),
                      ("textDocument/semanticTokens/range", dict(of, range=whole)),
                      ("textDocument/rangeFormatting", dict(of, range=whole, options=options))]
            for _ in range(3):
                at = self.position(text, self.chance.randrange(len(text) + 1))
                here = dict(of, position=at)
                asked += [("textDocument/" + method, here) for method in (
                    "completion", "hover", "signatureHelp", "definition", "declaration", "documentHighlight",
                    "prepareRename", "prepareCallHierarchy")]
                asked += [("textDocument/references", dict(here, context={"includeDeclaration": True})),
                          ("textDocument/rename", dict(here, newName="other")),
                          ("textDocument/selectionRange", dict(of, positions=[at])),
                          ("textDocument/codeAction", dict(of, range={"start": at, "end": at},
                                                           context={"diagnostics": []}))]
            for root in ROOTS:
                item = {"item": {"name": root, "kind": 2, "uri": uri_of(self.path(root)), "range": whole,
                                 "selectionRange": whole, "data": self.path(root)}}
                asked += [("callHierarchy/incomingCalls", item), ("callHierarchy/outgoingCalls", item)]
        return asked

    def compare(self):
        asked = self.questions()
        # At rest: what is asked while a check runs may be refused.
        rest = [("textDocument/diagnostic", {"textDocument": {"uri": uri_of(self.path(name))}}) for name in self.open]
        fresh = Server(self.command, self.folder, self.encoding)
        try:
            for name in sorted(self.open):
                fresh.notify("textDocument/didOpen", self.opening(name))
            for server in (self.server, fresh):
                server.ask(rest)
            expected = fresh.ask(asked)
            found = self.server.ask(asked)
            for question, one, other in zip(asked, found, expected):
                if one != other:
                    raise Different("%s %s\n  after the edits: %s\n  fresh start:     %s" % (
                        question[0], json.dumps(question[1]), short(one), short(other)))
            # Without an open file nothing waits for the check that takes the last ones back.
            end = time.monotonic() + PATIENCE
            while self.server.problems() != fresh.problems() and time.monotonic() < end:
                time.sleep(0.05)
                for server in (self.server, fresh):
                    server.ask([("workspace/symbol", {"query": "nothing has this name"})])
            one, other = self.server.problems(), fresh.problems()
            for uri in sorted(one.keys() | other.keys()):
                if one.get(uri) != other.get(uri):
                    raise Different("diagnostics of %s\n  after the edits: %s\n  fresh start:     %s" % (
                        uri, short(one.get(uri)), short(other.get(uri))))
        finally:
            if not fresh.end():
                raise Different("the fresh server does not end well")

    def step(self):
        steps = [self.type, self.type, self.paste, self.paste, self.delete, self.delete, self.take_back, self.open_one,
                 self.close, self.save, self.make, self.remove, self.rename]
        step = self.chance.choice(steps)
        self.done.append(step.__name__)
        step()

    def run(self):
        try:
            for _ in range(3):
                for _ in range(self.chance.randrange(1, 5)):
                    self.step()
                self.compare()
        finally:
            if not self.server.end():
                raise Different("the edited server does not end well")


class Different(Exception):
    pass


def short(value):
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) < 1000 else text[:1000] + "..."


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--binary", required=True)
    parser.add_argument("--runs", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", action="store_true", help="keep the workspaces of runs that fail")
    args = parser.parse_args()
    failed = 0
    for seed in range(args.seed, args.seed + args.runs):
        folder = os.path.realpath(tempfile.mkdtemp(prefix="kinu-edits-"))
        run = None
        try:
            run = Run([args.binary, "lsp"], seed, folder)
            run.run()
        except (Different, RuntimeError, OSError) as error:
            failed += 1
            print("seed %d: %s: %s" % (seed, ", ".join(run.done) if run else "start", error), flush=True)
            if args.keep:
                for name, text in (run.open if run else {}).items():
                    run.write(name + ".open", text)
                print("  kept in " + folder)
                continue
        shutil.rmtree(folder)
    print("%d passed, %d failed" % (args.runs - failed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
