#!/usr/bin/env python3
"""A small client of language servers, for tests. It checks every message that it gets."""
import json
import os
import subprocess
import threading
from urllib.parse import quote

TIMEOUT = 20


def uri_of(path):
    return "file://" + quote(path)


def frame(body):
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    return b"Content-Length: %d\r\n\r\n" % len(data) + data


class Refused(Exception):
    """The server has answered a request with an error."""

    def __init__(self, error):
        super().__init__("%d: %s" % (error["code"], error["message"]))
        self.code = error["code"]
        self.data = error.get("data")


class Client:
    """Starts a server and speaks with it. `model` (model.Model, may be None) checks what it says; what is wrong is in
    `problems`."""

    def __init__(self, command, model=None, **options):
        environment = dict(os.environ)
        environment.pop("TF_CLI_CONFIG_FILE", None)
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        env=environment, **options)
        self.model = model
        self.problems = []
        self.answers = {}
        self.asked = {}         # method by id
        self.calls = []         # requests and notifications of the server
        self.replies = {}       # result by method, for requests of the server
        self.changed = threading.Condition()
        self.ended = False
        self.next_id = 0
        self.versions = {}
        threading.Thread(target=self.read, daemon=True).start()

    # --- What the server says ---

    def read(self):
        stream = self.process.stdout
        while True:
            length = None
            line = stream.readline()
            while line and line != b"\r\n":
                name, _, value = line.partition(b":")
                if name == b"Content-Length":
                    length = int(value)
                else:
                    self.problems.append("unexpected line %r" % line)
                line = stream.readline()
            if not line:
                break
            self.take(json.loads(stream.read(length).decode("utf-8", "strict")))
        with self.changed:
            self.ended = True
            self.changed.notify_all()

    def take(self, message):
        if message.get("jsonrpc") != "2.0":
            self.problems.append("no JSON-RPC 2.0: %r" % message)
        found = []
        with self.changed:
            if "method" in message:
                self.calls.append(message)
                found = self.model.problems_of_call(message) if self.model else []
                if "id" in message:
                    self.send({"jsonrpc": "2.0", "id": message["id"],
                               "result": self.replies.get(message["method"])})
            else:
                if message["id"] in self.answers and message["id"] in self.asked:
                    found.append("answered twice")
                self.answers[message["id"]] = message
                method = self.asked.get(message["id"])
                if self.model and method in self.model.requests and "result" in message:
                    found += self.model.problems_of_result(method, message["result"])
            self.problems += ["%s: %s" % (message.get("method") or self.asked.get(message["id"]), problem)
                              for problem in found]
            self.changed.notify_all()

    def wait(self, condition, what):
        with self.changed:
            if not self.changed.wait_for(condition, TIMEOUT):
                raise AssertionError("no " + what)

    def answer(self, number):
        """The result of a request that was sent."""
        self.wait(lambda: number in self.answers or self.ended, "answer to %r" % self.asked.get(number))
        if number not in self.answers:
            raise AssertionError("the server ended without answer to %r" % self.asked.get(number))
        message = self.answers[number]
        if "error" in message:
            raise Refused(message["error"])
        return message["result"]

    def published(self, uri, version=None):
        """The diagnostics that were published last for a document (of that version), when they come."""
        def newest():
            for call in reversed(self.calls):
                params = call.get("params") or {}
                if call["method"] == "textDocument/publishDiagnostics" and params["uri"] == uri:
                    return params if version is None or params.get("version") == version else None
            return None
        self.wait(newest, "diagnostics of %s" % uri)
        return newest()["diagnostics"]

    # --- What the client says ---

    def send_bytes(self, data):
        try:
            self.process.stdin.write(data)
            self.process.stdin.flush()
        except BrokenPipeError:
            pass

    def send(self, message):
        self.send_bytes(frame(message))

    def ask(self, method, params=None):
        """Sends a request and returns its id."""
        self.next_id += 1
        self.asked[self.next_id] = method
        message = {"jsonrpc": "2.0", "id": self.next_id, "method": method}
        if params is not None:
            message["params"] = params
        self.send(message)
        return self.next_id

    def request(self, method, params=None):
        return self.answer(self.ask(method, params))

    def notify(self, method, params=None):
        message = {"jsonrpc": "2.0", "method": method}
        if params is not None:
            message["params"] = params
        self.send(message)

    def initialize(self, capabilities=None, **params):
        result = self.request("initialize", dict({"processId": os.getpid(), "rootUri": None,
                                                  "capabilities": capabilities or {}}, **params))
        self.notify("initialized", {})
        return result

    def open(self, uri, text, language="opentofu"):
        self.versions[uri] = 1
        self.notify("textDocument/didOpen", {"textDocument": {
            "uri": uri, "languageId": language, "version": 1, "text": text}})

    def change(self, uri, *changes):
        self.versions[uri] += 1
        self.notify("textDocument/didChange", {
            "textDocument": {"uri": uri, "version": self.versions[uri]}, "contentChanges": list(changes)})

    def close(self, uri):
        self.notify("textDocument/didClose", {"textDocument": {"uri": uri}})

    def end(self):
        """Says good-bye and returns the exit status."""
        self.request("shutdown")
        self.notify("exit")
        return self.process.wait(TIMEOUT)

    def kill(self):
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout):
            try:
                stream.close()
            except OSError:
                pass
