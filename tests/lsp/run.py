#!/usr/bin/env python3
"""Tests the language server by what it says to a client.

    tests/lsp/run.py --binary PROGRAM [--double PROGRAM] [NAME...]

PROGRAM is the program `kinu`; the double is a server with made-up answers (double.cc). Every message is checked
against the model of the protocol (model.py), where that is installed.
"""
import argparse
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time

import client
import model
from client import Client, Refused, frame, uri_of

EVERYTHING = {
    "general": {"positionEncodings": ["utf-16", "utf-8"]},
    "workspace": {
        "configuration": True,
        "didChangeWatchedFiles": {"dynamicRegistration": True},
        "workspaceEdit": {"documentChanges": True, "resourceOperations": ["create", "rename"]},
        "codeLens": {"refreshSupport": True}, "inlayHint": {"refreshSupport": True},
        "semanticTokens": {"refreshSupport": True},
    },
    "textDocument": {
        "completion": {"completionItem": {"snippetSupport": True, "documentationFormat": ["markdown"],
                                          "tagSupport": {"valueSet": [1]}}},
        "hover": {"contentFormat": ["markdown", "plaintext"]},
        "signatureHelp": {"signatureInformation": {"documentationFormat": ["markdown"],
                                                   "parameterInformation": {"labelOffsetSupport": True}}},
        "definition": {"linkSupport": True},
        "documentSymbol": {"hierarchicalDocumentSymbolSupport": True},
        "codeAction": {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": []}}},
        "rename": {"prepareSupport": True},
        "publishDiagnostics": {"tagSupport": {"valueSet": [1, 2]}},
    },
    "experimental": {"showReferencesCommandId": "client.showReferences"},
}
PULLS = {"textDocument": {"diagnostic": {}}, "workspace": {"diagnostics": {"refreshSupport": True}}}
URI = "file:///w/a.tf"
START = {"line": 0, "character": 0}
RANGE = {"start": START, "end": {"line": 0, "character": 3}}
AT = {"textDocument": {"uri": URI}, "position": START}
OF = {"textDocument": {"uri": URI}}
ITEM = {"item": {"name": "m", "kind": 2, "uri": URI, "range": RANGE, "selectionRange": RANGE, "data": "/m"}}
OPTIONS = {"tabSize": 2, "insertSpaces": True}
# The params of every request that the server answers from a document.
REQUESTS = {
    "textDocument/completion": AT,
    "textDocument/hover": AT,
    "textDocument/signatureHelp": AT,
    "textDocument/definition": AT,
    "textDocument/declaration": AT,
    "textDocument/references": {**AT, "context": {"includeDeclaration": True}},
    "textDocument/documentHighlight": AT,
    "textDocument/documentSymbol": OF,
    "workspace/symbol": {"query": "a"},
    "textDocument/codeAction": {**OF, "range": RANGE, "context": {"diagnostics": []}},
    "textDocument/codeLens": OF,
    "textDocument/documentLink": OF,
    "textDocument/formatting": {**OF, "options": OPTIONS},
    "textDocument/rangeFormatting": {**OF, "range": RANGE, "options": OPTIONS},
    "textDocument/onTypeFormatting": {**AT, "ch": "}", "options": OPTIONS},
    "textDocument/prepareRename": AT,
    "textDocument/rename": {**AT, "newName": "b"},
    "textDocument/foldingRange": OF,
    "textDocument/selectionRange": {**OF, "positions": [START, START]},
    "textDocument/semanticTokens/full": OF,
    "textDocument/semanticTokens/full/delta": {**OF, "previousResultId": "1"},
    "textDocument/semanticTokens/range": {**OF, "range": RANGE},
    "textDocument/inlayHint": {**OF, "range": RANGE},
    "textDocument/prepareCallHierarchy": AT,
    "callHierarchy/incomingCalls": ITEM,
    "callHierarchy/outgoingCalls": ITEM,
    "textDocument/diagnostic": OF,
}


def expect(found, expected):
    if found != expected:
        raise AssertionError("%r, expected %r" % (found, expected))


def code_of(function):
    """The code of the error that a request ends in; None: it has a result."""
    try:
        function()
    except Refused as error:
        return error.code
    return None


class Tests:
    def __init__(self, binary, double, checker, folder):
        self.command = [binary, "lsp"]
        self.double = [double]
        self.checker = checker
        self.folder = folder
        self.clients = []

    def start(self, command=None, capabilities=None, **params):
        started = self.connect(command)
        started.initialize(capabilities, **params)
        return started

    def connect(self, command=None, **options):
        started = Client(command or self.command, self.checker, cwd=self.folder, **options)
        self.clients.append(started)
        return started

    def end(self):
        problems = [problem for each in self.clients for problem in each.problems]
        for each in self.clients:
            each.kill()
        self.clients = []
        if problems:
            raise AssertionError("; ".join(problems))

    # --- Life ---

    def test_lifecycle(self):
        server = self.connect(stderr=subprocess.PIPE)
        expect(code_of(lambda: server.request("shutdown")), -32002)
        server.notify("textDocument/didOpen", {})  # dropped
        answer = server.initialize()
        expect(answer["capabilities"]["positionEncoding"], "utf-16")
        expect(answer["serverInfo"]["name"], "kinu")
        expect(code_of(lambda: server.request("initialize", {"capabilities": {}})), -32600)
        expect(server.request("shutdown"), None)
        expect(code_of(lambda: server.request("textDocument/hover", AT)), -32600)
        server.notify("exit")
        expect(server.process.wait(client.TIMEOUT), 0)
        expect(server.process.stderr.read(), b"")
        server.process.stderr.close()

    def test_exit_without_shutdown(self):
        for server in (self.connect(), self.start()):
            server.notify("exit")
            expect(server.process.wait(client.TIMEOUT), 1)

    def test_end_of_input(self):
        server = self.start()
        server.open(URI, "a = 1\n")
        asked = server.ask("textDocument/formatting", REQUESTS["textDocument/formatting"])
        server.process.stdin.close()
        expect(server.process.wait(client.TIMEOUT), 1)
        server.answer(asked)
        server = self.start()
        server.send_bytes(b"Content-Length: 100\r\n\r\n{")
        server.process.stdin.close()
        expect(server.process.wait(client.TIMEOUT), 1)

    def test_death_of_the_parent(self):
        parent = subprocess.Popen(["sleep", "60"])
        server = self.start(processId=parent.pid)
        expect(server.process.poll(), None)
        parent.kill()
        parent.wait()
        expect(server.process.wait(client.TIMEOUT), 1)
        server = self.connect()
        server.ask("initialize", {"processId": parent.pid, "rootUri": None, "capabilities": {}})
        expect(server.process.wait(client.TIMEOUT), 1)

    def test_client_that_is_gone(self):
        """Answers that nobody takes do not end the server."""
        with subprocess.Popen(self.double, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:
            server.stdout.close()
            server.stdin.write(frame({"jsonrpc": "2.0", "id": 1, "method": "initialize",
                                      "params": {"processId": None, "rootUri": None, "capabilities": {}}}))
            for number in range(100):
                server.stdin.write(frame({"jsonrpc": "2.0", "id": number, "method": "workspace/symbol",
                                          "params": {"query": ""}}))
            server.stdin.write(frame({"jsonrpc": "2.0", "id": 1, "method": "shutdown"}))
            server.stdin.write(frame({"jsonrpc": "2.0", "method": "exit"}))
            server.stdin.close()
            expect(server.wait(client.TIMEOUT), 0)

    def test_standard_streams_are_no_place_for_others(self):
        server = self.connect(self.command + ["-stdio"])
        server.initialize()
        links = ["/proc/%d/fd/%d" % (server.process.pid, number) for number in (0, 1)]
        expect([os.readlink(link) for link in links], ["/dev/null", "/dev/null"])
        expect(server.end(), 0)

    def test_idle(self):
        server = self.start(self.double)
        server.open(URI, "bad\n")
        server.published(URI, 1)
        time.sleep(1)  # half a second without work, memory is given back

        def used():
            with open("/proc/%d/stat" % server.process.pid, encoding="ascii") as handle:
                return handle.read().rsplit(")", 1)[1].split()[11:13]

        def switches():
            total = 0
            for task in os.listdir("/proc/%d/task" % server.process.pid):
                with open("/proc/%d/task/%s/status" % (server.process.pid, task), encoding="ascii") as handle:
                    total += sum(int(line.split()[1]) for line in handle if "ctxt_switches" in line)
            return total
        before = used(), switches()
        time.sleep(1)
        expect((used(), switches()), before)

    # --- Errors ---

    def test_errors(self):
        server = self.start()
        for body, code in ((b"{", -32700), (b"\xff\xfe", -32700), (b"", -32700), (b"[]", -32600), (b"1", -32600),
                           (b"{}", -32600), (b'{"jsonrpc":"2.0","id":{},"method":"shutdown"}', -32600),
                           (b'{"jsonrpc":"1.0","method":"shutdown"}', -32600),
                           (b'{"jsonrpc":"2.0","method":1}', -32600),
                           (b'{"jsonrpc":"2.0","method":"a","params":1}', -32600)):
            server.answers.pop(None, None)
            server.send_bytes(frame(body))
            expect(code_of(lambda: server.answer(None)), code)
        server.answers.pop(None, None)
        server.send_bytes(b"Hello: world\r\n\r\n")
        expect(code_of(lambda: server.answer(None)), -32700)
        expect(code_of(lambda: server.request("no/such")), -32601)
        expect(code_of(lambda: server.request("$/no/such")), -32601)
        expect(code_of(lambda: server.request("textDocument/didOpen", {})), -32601)
        server.notify("$/no/such", {})
        server.notify("no/such")
        expect(server.end(), 0)

    def test_bad_params(self):
        server = self.start(self.double)
        server.open(URI, "a = 1\n")
        for method, params in REQUESTS.items():
            for damaged in (None, {}, [], [1], {name: 7 for name in params},
                            {**params, "textDocument": {"uri": 1}, "item": None, "query": None}):
                expect((method, code_of(lambda: server.request(method, damaged))), (method, -32602))
        for damaged in (None, {}, [], {"textDocument": 1}, {"textDocument": {"uri": 1}}):
            for method in ("didOpen", "didChange", "didClose"):
                server.notify("textDocument/" + method, damaged)
        server.notify("textDocument/didOpen", OF)
        for changes in (None, 1, [1], [{}], [{"range": {}, "text": ""}], [{"range": RANGE, "text": 1}]):
            server.notify("textDocument/didChange", {
                "textDocument": {"uri": URI, "version": 2}, "contentChanges": changes})
        for method in ("workspace/didChangeConfiguration", "workspace/didChangeWorkspaceFolders",
                       "workspace/didChangeWatchedFiles", "$/cancelRequest", "$/setTrace"):
            for damaged in (None, {}, [], {"settings": 1, "event": 1, "changes": 1, "id": []}):
                server.notify(method, damaged)
        expect(server.request("textDocument/formatting", REQUESTS["textDocument/formatting"])[0]["range"]["start"],
               {"line": 1, "character": 0})
        expect(server.end(), 0)

    def test_garbage(self):
        draw = random.Random(7)
        valid = [{"jsonrpc": "2.0", "id": "g%d" % index, "method": method, "params": params}
                 for index, (method, params) in enumerate(REQUESTS.items())]
        for command in (self.command, self.double):
            server = self.start(command)
            server.open(URI, "a = 1\n")
            for _ in range(3000):
                data = bytearray(frame(draw.choice(valid)))
                for _ in range(draw.randrange(4)):
                    data[draw.randrange(len(data))] = draw.randrange(256)
                if draw.random() < 0.1:
                    data = data[:draw.randrange(len(data))]
                # A damaged length can make the server wait for what does not come: such frames are left out.
                if b"Content-Length: " not in data or int("0" + "".join(
                        chr(c) for c in data.split(b"Content-Length: ")[-1][:9].split(b"\r")[0] if 48 <= c < 58)) > 2000:
                    data = bytearray(b"\r\n\r\n")
                server.send_bytes(bytes(data))
            server.send_bytes(b" " * 4000 + b"\r\n\r\n")
            server.asked.clear()
            for attempt in range(8):  # what was cut short may swallow the first ones
                server.send({"jsonrpc": "2.0", "id": "last%d" % attempt, "method": "workspace/symbol",
                             "params": {"query": "q"}})
            server.wait(lambda: any(str(each).startswith("last") for each in server.answers), "answer")
            server.problems = [each for each in server.problems if "answered twice" not in each]

    # --- Answers ---

    def test_announced_methods_have_answers(self):
        server = self.start(None, EVERYTHING)
        server.open(URI, "a = 1\n")
        for method, params in REQUESTS.items():
            if method not in ("textDocument/prepareRename", "textDocument/rename"):
                server.request(method, params)
        expect(code_of(lambda: server.request("textDocument/rename", REQUESTS["textDocument/rename"])), -32803)
        other = self.start(None, EVERYTHING)
        for uri in ("untitled:Untitled-1", "git:/w/a.tf", "file:///never/opened.tf"):
            for method, params in REQUESTS.items():
                if "textDocument" in params and method != "textDocument/rename":
                    other.request(method, {**params, "textDocument": {"uri": uri}})

    def test_structures(self):
        for capabilities in (EVERYTHING, {}, PULLS):
            server = self.start(self.double, capabilities)
            server.open(URI, "a {\n  bad old far\n}\n")
            for method, params in REQUESTS.items():
                if server.request(method, params) in (None, [], {}) and method not in (
                        "textDocument/formatting", "textDocument/onTypeFormatting", "textDocument/codeAction"):
                    raise AssertionError("%s has an empty answer" % method)

    def test_degrees_of_clients(self):
        rich = self.start(self.double, EVERYTHING)
        poor = self.start(self.double, {})
        for server in (rich, poor):
            server.open(URI, "abc = 1\n")
        def both(method):
            return [server.request(method, REQUESTS[method]) for server in (rich, poor)]
        hovers = both("textDocument/hover")
        expect([hover["contents"] for hover in hovers], [{"kind": "markdown", "value": "**bold** `code`"},
                                                         {"kind": "plaintext", "value": "bold code"}])
        items = [answer["items"][0] for answer in both("textDocument/completion")]
        expect([item["textEdit"]["newText"] for item in items], ["c${1:x}$0", "cx"])
        expect([item.get("insertTextFormat") for item in items], [2, None])
        expect([item.get("deprecated") for item in items], [None, True])
        expect([item["filterText"] for item in items], [item["label"] for item in items])
        # A client that names no format may know only strings here.
        expect([type(item["documentation"]) for item in items], [dict, str])
        places = both("textDocument/definition")
        expect([sorted(place[0]) for place in places],
               [["originSelectionRange", "targetRange", "targetSelectionRange", "targetUri"], ["range", "uri"]])
        symbols = both("textDocument/documentSymbol")
        expect([("children" in answer[0], "location" in answer[0]) for answer in symbols],
               [(True, False), (False, True)])
        edits = both("textDocument/rename")
        expect([sorted(edit) for edit in edits], [["documentChanges"], ["changes"]])
        expect([change.get("kind") for change in edits[0]["documentChanges"]], [None, "create", None])
        expect([change["textDocument"]["version"] for change in edits[0]["documentChanges"] if "edits" in change],
               [1, None])
        labels = [answer["signatures"][0]["parameters"][0]["label"] for answer in both("textDocument/signatureHelp")]
        expect(labels, [[2, 3], "a"])
        expect([len(answer) for answer in both("textDocument/codeAction")], [5, 0])
        expect([answer[0]["command"]["command"] for answer in both("textDocument/codeLens")],
               ["client.showReferences", ""])

    def test_code_actions(self):
        server = self.start(self.double, EVERYTHING)
        server.open(URI, "bad\n")
        diagnostics = server.published(URI, 1)
        def actions(**context):
            return server.request("textDocument/codeAction", {
                **OF, "range": RANGE, "context": {"diagnostics": diagnostics, **context}})
        expect(actions()[0]["diagnostics"], diagnostics)
        expect([action["kind"] for action in actions(only=["refactor"])],
               ["refactor.extract", "refactor.inline", "refactor.rewrite"])
        expect([action["kind"] for action in actions(only=["refactor.inline", "quickfix"])],
               ["quickfix", "refactor.inline"])

    def test_folds(self):
        text = "a {\n  b\n}\n"
        folds = {}
        for lines_only in (False, True):
            server = self.start(self.double, {"textDocument": {"foldingRange": {"lineFoldingOnly": lines_only}}})
            server.open(URI, text)
            folds[lines_only] = server.request("textDocument/foldingRange", OF)
        expect(folds[False][0], {"startLine": 0, "startCharacter": 3, "endLine": 2, "endCharacter": 1})
        expect(folds[True], [{"startLine": 0, "endLine": 2}, {"startLine": 0, "endLine": 3, "kind": "comment"}])

    def test_tokens(self):
        server = self.start(self.double)
        server.open(URI, "a bb\n\U0001F600 c\n")
        first = server.request("textDocument/semanticTokens/full", OF)
        expect(first["data"], [0, 0, 1, 4, 2, 0, 2, 2, 4, 2, 1, 0, 2, 4, 2, 0, 3, 1, 4, 2])
        server.change(URI, {"range": {"start": {"line": 0, "character": 2}, "end": {"line": 0, "character": 2}},
                            "text": "b"})
        delta = server.request("textDocument/semanticTokens/full/delta", {**OF, "previousResultId": first["resultId"]})
        expect(delta["edits"], [{"start": 7, "deleteCount": 1, "data": [3]}])
        same = server.request("textDocument/semanticTokens/full/delta", {**OF, "previousResultId": delta["resultId"]})
        expect(same["edits"], [])
        full = server.request("textDocument/semanticTokens/full/delta", {**OF, "previousResultId": first["resultId"]})
        expect(len(full["data"]), 20)
        part = server.request("textDocument/semanticTokens/range", {**OF, "range": RANGE})
        expect(part["data"], [0, 0, 1, 4, 2, 0, 2, 3, 4, 2])

    def test_formatting(self):
        server = self.start(self.double)
        server.open(URI, "a {\n  b = {}\n}\n")
        end = {"line": 3, "character": 0}
        asked = REQUESTS["textDocument/formatting"]
        expect(server.request("textDocument/formatting", asked),
               [{"range": {"start": end, "end": end}, "newText": "\n"}])
        def typed(character, line, column):
            return server.request("textDocument/onTypeFormatting", {
                **OF, "position": {"line": line, "character": column}, "ch": character, "options": OPTIONS})
        expect(typed("}", 2, 1)[0]["newText"], "2-14")
        expect(typed("\n", 1, 0)[0]["newText"], "0-3")
        expect(typed("x", 1, 0), None)
        server.open("untitled:a", "{}", "opentofu-json")
        asked = {**asked, "textDocument": {"uri": "untitled:a"}}
        expect(server.request("textDocument/formatting", asked)[0]["newText"], " ")
        server.change(URI, {"text": "bad"})
        expect(server.request("textDocument/formatting", REQUESTS["textDocument/formatting"]), None)

    def test_rename_that_cannot_be_done(self):
        server = self.start(self.double)
        server.open(URI, "abcdef\n")
        there = {**OF, "position": {"line": 0, "character": 5}}
        for method, params in (("textDocument/prepareRename", there),
                               ("textDocument/rename", {**there, "newName": "x"})):
            try:
                server.request(method, params)
                raise AssertionError("no error")
            except Refused as error:
                expect(str(error), "-32803: this is no name.")

    # --- Documents and problems ---

    def test_edits(self):
        draw = random.Random(3)
        for encoding in ("utf-8", "utf-16"):
            server = self.start(self.double, {"general": {"positionEncodings": [encoding]}})
            text = "a\u00e4\U0001F600\n"
            server.open(URI, text)

            def position(offset):
                line = text.count("\n", 0, offset)
                before = text[text.rfind("\n", 0, offset) + 1:offset]
                return {"line": line, "character": len(before.encode(encoding + "-le" if "16" in encoding else encoding)) // (
                    2 if "16" in encoding else 1)}
            for _ in range(150):
                changes = []
                for _ in range(draw.randrange(1, 4)):
                    begin = draw.randrange(len(text) + 1)
                    end = min(len(text), begin + draw.randrange(3))
                    new = "".join(draw.choice(["a", "\u00e4", "\U0001F600", "\n", " bad ", ""]) for _ in range(2))
                    changes.append({"range": {"start": position(begin), "end": position(end)}, "text": new})
                    text = text[:begin] + new + text[end:]
                server.change(URI, *changes)
            found = server.published(URI, server.versions[URI])
            expected = [position(at) for at in range(len(text)) if text.startswith("bad", at)]
            expect([problem["range"]["start"] for problem in found], expected)

    def test_problems(self):
        server = self.start(self.double, EVERYTHING)
        far = "file:///elsewhere/b.tf"
        server.open(URI, "bad old far\n")
        # The syntax is told first.
        server.wait(lambda: [(problem["message"], problem["severity"], problem.get("tags"))
                             for problem in server.published(URI, 1)] ==
                    [("Bad\n\nIt is bad.", 1, None), ("Old", 2, [2])], "problems of the file")
        # Two roots report the same problem of this file, and different ones of another file.
        server.wait(lambda: [problem["message"] for problem in server.published(far)] ==
                    ["Far\n\n/other", "Far\n\n/root"], "problems of both roots")
        server.change(URI, {"text": "fine\n"})
        server.wait(lambda: server.published(URI, 2) == [], "end of the problems")
        server.request("workspace/symbol", {"query": ""})
        server.wait(lambda: server.published(far) == [], "end of the other problems")
        server.change(URI, {"text": "old"})
        server.wait(lambda: len(server.published(URI, 3)) == 1, "problem of the edited file")
        server.close(URI)
        server.wait(lambda: server.published(URI) == [], "end of the problems of the closed file")

    def test_only_newest_versions(self):
        server = self.start(self.double)
        server.open(URI, "")
        for number in range(300):
            server.change(URI, {"text": "bad " * (number % 3)})
        server.published(URI, 301)
        versions = [call["params"]["version"] for call in server.calls
                    if call["method"] == "textDocument/publishDiagnostics"]
        expect(versions, sorted(versions))
        expect(server.published(URI, 301), server.published(URI))

    def test_pulled_problems(self):
        server = self.start(self.double, PULLS)
        server.open(URI, "bad")
        full = server.request("textDocument/diagnostic", OF)
        expect((full["kind"], len(full["items"])), ("full", 1))
        again = server.request("textDocument/diagnostic", {**OF, "previousResultId": full["resultId"]})
        expect(again, {"kind": "unchanged", "resultId": full["resultId"]})
        # Another file has an effect on this one.
        server.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": URI, "type": 2}]})
        server.wait(lambda: any(call["method"] == "workspace/diagnostic/refresh" for call in server.calls), "refresh")
        expect([call for call in server.calls if call["method"] == "textDocument/publishDiagnostics"], [])

    def test_changed_meanwhile(self):
        server = self.start(self.double)
        server.open(URI, "a\n")
        server.published(URI, 1)
        change = {"jsonrpc": "2.0", "method": "textDocument/didChange", "params": {
            "textDocument": {"uri": URI, "version": 2}, "contentChanges": [{"text": "bad"}]}}
        codes = {}
        for method in ("textDocument/semanticTokens/full", "textDocument/inlayHint", "textDocument/codeLens",
                       "textDocument/hover", "textDocument/diagnostic"):
            server.next_id += 1
            server.send_bytes(frame({"jsonrpc": "2.0", "id": server.next_id, "method": method,
                                     "params": REQUESTS[method]}) + frame(change))
            codes[method] = code_of(lambda: server.answer(server.next_id))
        expect(list(codes.values()), [-32801, -32801, -32801, None, -32802])

    def test_cancel(self):
        server = self.start(self.double)
        server.send_bytes(frame({"jsonrpc": "2.0", "id": "x", "method": "workspace/symbol", "params": {"query": ""}})
                          + frame({"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": "x"}}))
        expect(code_of(lambda: server.answer("x")), -32800)
        server.notify("$/cancelRequest", {"id": "y"})
        expect(server.end(), 0)

    # --- Workspace ---

    def test_lenses_of_a_saved_plan(self):
        folder = os.path.join(self.folder, "planned")
        os.makedirs(os.path.join(folder, "m"))
        text = ('variable "secret" {\n  type      = string\n  sensitive = true\n  default   = "hush-hush"\n}\n'
                'resource "terraform_data" "one" {\n  input = var.secret\n}\n'
                'resource "terraform_data" "many" {\n  count = 3\n}\n'
                'module "m" {\n  source = "./m"\n}\n'
                'output "o" {\n  value = 1\n}\n')
        inside = 'resource "terraform_data" "in" {\n  for_each = toset(["a", "b"])\n}\n'
        for name, content in (("main.tf", text), ("m/main.tf", inside)):
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(content)

        def run(*words):
            environment = {name: value for name, value in os.environ.items() if not name.startswith("TF_")}
            subprocess.run([self.command[0], *words], cwd=folder, check=True, stdout=subprocess.DEVNULL,
                           env=environment)

        def planned(name="main.tf"):
            document = {"textDocument": {"uri": uri_of(os.path.join(folder, name))}}
            found = server.request("textDocument/codeLens", document)
            if "hush" in json.dumps(found):
                raise AssertionError("a lens shows a value")
            return {lens["range"]["start"]["line"]: lens["command"]["title"] for lens in found
                    if lens["command"]["title"].startswith("plan: ")}

        run("init")
        server = self.start(workspaceFolders=[{"uri": uri_of(folder), "name": "w"}], rootUri=None)
        uri = uri_of(os.path.join(folder, "main.tf"))
        server.open(uri, text)
        expect(planned(), {})
        run("plan", "-out=saved")
        all_created = {5: "plan: create", 8: "plan: 3 create", 11: "plan: 2 create", 14: "plan: create"}
        expect(planned(), all_created)
        expect(planned("m/main.tf"), {0: "plan: 2 create"})
        # What is typed was not planned; what is taken back was.
        server.change(uri, {"text": text + "# more\n"})
        expect(planned(), {})
        server.change(uri, {"text": text})
        expect(planned(), all_created)
        with open(os.path.join(folder, "x.auto.tfvars"), "w", encoding="utf-8") as file:
            file.write('secret = "hush"\n')
        server.notify("workspace/didChangeWatchedFiles",
                      {"changes": [{"uri": uri_of(os.path.join(folder, "x.auto.tfvars")), "type": 1}]})
        expect(planned(), {})
        os.remove(os.path.join(folder, "x.auto.tfvars"))
        server.notify("workspace/didChangeWatchedFiles",
                      {"changes": [{"uri": uri_of(os.path.join(folder, "x.auto.tfvars")), "type": 3}]})
        expect(planned(), all_created)
        run("apply", "saved")
        expect(planned(), {})
        changed = text.replace("count = 3", "count = 1").replace("value = 1", "value = 2")
        with open(os.path.join(folder, "main.tf"), "w", encoding="utf-8") as file:
            file.write(changed)
        run("plan", "-out=other.tfplan", "-replace=terraform_data.one")
        server.change(uri, {"text": changed})
        expect(planned(), {5: "plan: replace", 8: "plan: 2 delete", 14: "plan: update"})
        server.notify("workspace/didChangeConfiguration", {"settings": {"kinu": {"planLenses": False}}})
        expect(planned(), {})

    def test_settings(self):
        with open(os.path.join(model.ROOT, "docs", "schemas", "lsp-settings.json"), encoding="utf-8") as handle:
            names = json.load(handle)["properties"]
        server = self.start(self.double, {}, initializationOptions={name: True for name in names})
        server.request("workspace/symbol", {"query": ""})
        expect([call for call in server.calls if call["method"] == "window/logMessage"], [])

    def test_settings_that_change(self):
        server = self.connect(self.double)
        server.replies["workspace/configuration"] = [{"referenceLenses": False, "inlayValues": 1}]
        server.initialize(EVERYTHING, initializationOptions={"nonsense": True})
        def warnings():
            return [call["params"]["message"] for call in server.calls if call["method"] == "window/logMessage"]
        server.wait(lambda: len(warnings()) == 2, "warnings")
        expect(warnings(), ['There is no setting "nonsense".', 'The setting "inlayValues" must be true or false.'])
        server.notify("workspace/didChangeConfiguration", {"settings": {"kinu": {"inlayTypes": True}}})
        server.wait(lambda: any(call["method"] == "workspace/inlayHint/refresh" for call in server.calls), "refresh")
        asked = len([call for call in server.calls if call["method"] == "workspace/configuration"])
        server.notify("workspace/didChangeConfiguration", {"settings": None})
        server.wait(lambda: len([call for call in server.calls
                                 if call["method"] == "workspace/configuration"]) > asked, "question")

    def test_changes_on_the_disk(self):
        server = self.start(self.double, EVERYTHING)
        for name in ("b.tf", "c.tf"):
            server.notify("workspace/didChangeWatchedFiles",
                          {"changes": [{"uri": "file:///w/" + name, "type": 1}]})
        server.open(URI, "fine")
        expect([problem["message"] for problem in server.published("file:///w/c.tf")], ["Old"])
        for name in ("codeLens", "inlayHint", "semanticTokens"):
            server.wait(lambda: any(call["method"] == "workspace/%s/refresh" % name for call in server.calls), name)

    def test_registration(self):
        server = self.start(None, EVERYTHING)
        def registrations():
            return [call["params"]["registrations"] for call in server.calls
                    if call["method"] == "client/registerCapability"]
        server.wait(registrations, "registration")
        for watcher in registrations()[0][0]["registerOptions"]["watchers"]:
            # Clients differ in what they allow inside of braces: names are fine with all.
            expect(re.findall(r"\{[^{}]*[*?\[][^{}]*\}", watcher["globPattern"]), [])
        server = self.start(None, {})
        server.open(URI, "")
        server.published(URI)
        expect([call["method"] for call in server.calls], ["textDocument/publishDiagnostics"])

    def test_watched_by_itself(self):
        watched = os.path.join(self.folder, "watched")
        os.environ["KINU_TEST_WATCHED"] = watched
        try:
            server = self.start(self.double)
        finally:
            del os.environ["KINU_TEST_WATCHED"]
        os.makedirs(watched)
        server.open(URI, "")
        server.published(URI, 1)
        path = os.path.join(watched, "b \u00e4.tf")
        with open(path, "w", encoding="utf-8"):
            pass
        expect([problem["message"] for problem in server.published(uri_of(path))], ["Old"])

    def test_folders(self):
        folder = {"uri": uri_of(self.folder), "name": "w"}
        server = self.start(None, {}, workspaceFolders=[folder])
        server.notify("workspace/didChangeWorkspaceFolders", {"event": {"added": [
            {"uri": "file:///x%20y", "name": "x"}], "removed": [folder]}})
        server.request("workspace/symbol", {"query": ""})
        expect(server.end(), 0)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", required=True)
    parser.add_argument("--double", required=True)
    parser.add_argument("names", nargs="*")
    args = parser.parse_args()
    path = model.find()
    if path is None:
        print("The model of the protocol is not installed: messages are not checked against it.")
    checker = model.Model(path) if path else None
    names = ["test_" + name for name in args.names] or [name for name in dir(Tests) if name.startswith("test_")]
    failed = 0
    with tempfile.TemporaryDirectory(prefix="lsp-") as folder:
        for name in names:
            tests = Tests(os.path.abspath(args.binary), os.path.abspath(args.double), checker, folder)
            try:
                try:
                    getattr(tests, name)()
                finally:
                    tests.end()
            except Exception as error:  # a test that fails in any way
                failed += 1
                print("%s: %s: %s" % (name, type(error).__name__, error), flush=True)
    print("%d passed, %d failed" % (len(names) - failed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
