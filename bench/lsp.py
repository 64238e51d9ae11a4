#!/usr/bin/env python3
"""Measures a language server over pipes and compares it with the goals.

    bench/lsp.py [--server "build/release/src/cli/kinu lsp"] [--repeat 30] [--edits 100000] [--only WORD]
                 [--short]

Times are wall times between a message's last byte and its answer's first one, as median and 95th percentile. The client
searches the bytes of answers and parses no JSON while it measures. Memory is what the process has for itself
(smaps_rollup). Never fails because of a missed goal, since the load of the machine changes the results. The AWS schema
is that of the folder `schemas` of KINU_SHARED.
"""
import argparse
import json
import os
import select
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import schema_store

HERE = os.path.dirname(os.path.abspath(__file__))
TIMEOUT = 60
BLOCK = """resource "terraform_data" "r%d" {
  input = {
    name   = "item-%d-${var.env}"
    idx    = %d
    parent = %s
  }
  triggers_replace = "v1-%d"
}

"""
TAIL = """variable "env" {
  default = "prod"
}

output "last" {
  value = local.missing_0
}
"""
AWS = """terraform {
  required_providers {
    aws = {
      source = "hashicorp/aws"
    }
  }
}
"""
AWS_BLOCK = """
resource "aws_instance" "i%d" {
  ami           = "ami-%d"
  instance_type = "t3.micro"
  subnet_id     = aws_subnet.s%d.id
}

resource "aws_subnet" "s%d" {
  vpc_id     = aws_vpc.main.id
  cidr_block = "10.0.%d.0/24"
}
"""
AWS_TAIL = """
resource "aws_vpc" "main" {
  cidr_block = "10.0.0.0/16"
}

resource "aws_instance" "typed" {

}

output "typed" {
  value = aws_vpc.main.id
}
"""


def uri(path):
    return "file://" + path


class Server:
    """A server that has just been started. Nothing is read from it but while it is waited for."""

    def __init__(self, command, cache):
        environment = {name: value for name, value in os.environ.items() if not name.startswith("TF_")}
        environment["XDG_CACHE_HOME"] = cache
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, env=environment, bufsize=0)
        self.descriptor = self.process.stdout.fileno()
        self.buffer = b""
        self.next_id = 0
        self.versions = {}
        self.passed = []  # messages that came before the last answer

    def send(self, method, params, number=None):
        message = {"jsonrpc": "2.0", "method": method, "params": params}
        if number is not None:
            message["id"] = number
        body = json.dumps(message).encode()
        data = b"Content-Length: %d\r\n\r\n%s" % (len(body), body)
        while data:
            data = data[os.write(self.process.stdin.fileno(), data):]

    def take(self):
        """The bytes of the next message."""
        while True:
            end = self.buffer.find(b"\r\n\r\n")
            if end >= 0:
                length = int(self.buffer[:end].lower().split(b"content-length:")[1].split(b"\r\n")[0])
                while len(self.buffer) < end + 4 + length:
                    self.fill()
                body = self.buffer[end + 4:end + 4 + length]
                self.buffer = self.buffer[end + 4 + length:]
                return body
            self.fill()

    def fill(self):
        if not select.select([self.descriptor], [], [], TIMEOUT)[0]:
            raise RuntimeError("the server says nothing")
        data = os.read(self.descriptor, 1 << 20)
        if not data:
            raise RuntimeError("the server has ended")
        self.buffer += data

    def until(self, *words):
        """The next message that contains all of the words. It may have come before the last answer."""
        passed, self.passed = self.passed, []
        while True:
            body = passed.pop(0) if passed else self.take()
            if b'"method"' in body[:400] and b'"id"' in body[:400]:
                self.reply(body)
            if all(word in body for word in words):
                return body

    def reply(self, body):
        message = json.loads(body)
        if "method" in message and "id" in message:
            items = message.get("params", {}).get("items", [])
            result = [None] * len(items) if message["method"] == "workspace/configuration" else None
            answer = json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}).encode()
            os.write(self.process.stdin.fileno(), b"Content-Length: %d\r\n\r\n%s" % (len(answer), answer))

    def request(self, method, params):
        self.next_id += 1
        self.send(method, params, self.next_id)
        self.passed = []
        while True:
            body = self.take()
            head = body[:60] + body[-60:]
            if b'"method"' in body[:400]:
                if b'"id"' in body[:400]:
                    self.reply(body)
                else:
                    self.passed.append(body)
                continue
            if b'"id":%d,' % self.next_id in head or b'"id":%d}' % self.next_id in head:
                return body

    def initialize(self, folder):
        self.request("initialize", {"processId": os.getpid(), "rootUri": folder and uri(folder), "capabilities": {},
                                    "workspaceFolders": folder and [{"uri": uri(folder), "name": "w"}]})
        self.send("initialized", {})

    def open(self, path, text, language):
        self.versions[path] = 1
        self.send("textDocument/didOpen", {"textDocument": {"uri": uri(path), "languageId": language, "version": 1,
                                                            "text": text}})

    def change(self, path, line, begin, end, text):
        self.versions[path] += 1
        self.send("textDocument/didChange", {
            "textDocument": {"uri": uri(path), "version": self.versions[path]},
            "contentChanges": [{"range": {"start": {"line": line, "character": begin},
                                          "end": {"line": line, "character": end}}, "text": text}]})

    def at(self, path, line, character, **more):
        return dict({"textDocument": {"uri": uri(path)}, "position": {"line": line, "character": character}}, **more)

    def memory(self):
        """Megabytes of the process alone."""
        with open("/proc/%d/smaps_rollup" % self.process.pid, encoding="ascii") as file:
            rows = dict(line.split(":") for line in file if ":" in line and line.startswith("Private"))
        return sum(int(rows[name].split()[0]) for name in ("Private_Clean", "Private_Dirty")) / 1024

    def resident(self):
        with open("/proc/%d/statm" % self.process.pid, encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6

    def cpu(self):
        with open("/proc/%d/stat" % self.process.pid, encoding="ascii") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()


class Bench:
    def __init__(self, args, work):
        self.command = args.server.split()
        self.language = args.language
        self.repeat = args.repeat
        self.edits = args.edits
        self.work = work
        self.cache = os.path.join(work, "cache")

    def start(self, folder):
        server = Server(self.command, self.cache)
        server.initialize(folder)
        return server

    def note(self, what, times, goal):
        times = sorted(times)
        high = times[min(len(times) - 1, int(len(times) * 0.95))] * 1e3
        print("%-52s %9.2f %9.2f ms  goal %5g  %s" % (what, statistics.median(times) * 1e3, high, goal,
                                                      "met" if high <= goal else "MISSED"), flush=True)

    def note_memory(self, what, megabytes, goal, more=""):
        print("%-52s %19.1f MB  goal %5g  %s%s" % (what, megabytes, goal, "met" if megabytes <= goal else "MISSED",
                                                   more), flush=True)

    def blocks(self, count, files):
        """A root module of so many blocks and files. Returns its directory and its last file, which has the tail."""
        folder = os.path.join(self.work, "blocks-%d" % files)
        os.makedirs(folder, exist_ok=True)
        each = count // files
        for at in range(files):
            text = "".join(BLOCK % (i, i, i, "terraform_data.r%d.id" % (i // 10) if i else '"root"', i % 7)
                           for i in range(at * each, (at + 1) * each))
            last = os.path.join(folder, "f%03d.tf" % at)
            with open(last, "w", encoding="utf-8") as file:
                file.write(text + (TAIL if at == files - 1 else ""))
        return folder, last

    def starts(self):
        times = []
        for _ in range(self.repeat):
            begin = time.perf_counter()
            server = self.start(None)
            times.append(time.perf_counter() - begin)
            server.kill()
        self.note("start to answer of initialize", times, 10)

    def workspace(self, files, goals):
        folder, path = self.blocks(10000, files)
        name = "10,000 blocks, %d file%s: " % (files, "" if files == 1 else "s")
        with open(path, encoding="utf-8") as file:
            text = file.read()
        times = []
        for _ in range(self.repeat):
            begin = time.perf_counter()
            server = self.start(folder)
            server.open(path, text, self.language)
            server.until(b"publishDiagnostics", b"missing_0")
            times.append(time.perf_counter() - begin)
            server.kill()
        self.note(name + "start to diagnostics", times, goals["start"])
        server = self.start(folder)
        server.open(path, text, self.language)
        server.until(b"publishDiagnostics", b"missing_0")
        time.sleep(0.3)
        memory, resident = server.memory(), server.resident()
        self.root_keys(server, path, text, name, goals)
        try:
            self.file_keys(server, path, text, name, goals)
        except RuntimeError:
            print("%-52s nothing is said of the version" % (name + "key to the file's diagnostics"), flush=True)
        self.answers(server, path, text, name, goals)
        self.note_memory(name + "private memory, loaded", memory, 100, " (resident %.0f MB)" % resident)
        time.sleep(1)
        self.note_memory(name + "private memory, later", server.memory(), 100)
        self.idle(server, name)
        server.kill()

    def root_keys(self, server, path, text, name, goals):
        lines = text.split("\n")
        last = next(i for i, line in enumerate(lines) if "missing_0" in line)
        column = lines[last].index("missing_0") + len("missing_")
        times = []
        width = 1
        for i in range(1, self.repeat + 1):
            begin = time.perf_counter()
            server.change(path, last, column, column + width, str(i))
            server.until(b"publishDiagnostics", b"missing_%d" % i)
            times.append(time.perf_counter() - begin)
            width = len(str(i))
            time.sleep(0.01)
        self.note(name + "key to the root's diagnostics", times, goals["root"])

    def file_keys(self, server, path, text, name, goals):
        lines = text.split("\n")
        times = []
        line = next(i for i, each in enumerate(lines) if each.startswith("  triggers_replace"))
        is_broken = False
        try:
            for _ in range(self.repeat):
                begin = time.perf_counter()
                server.change(path, line, 2, 3, "t" if is_broken else "(")
                is_broken = not is_broken
                server.until(b"publishDiagnostics", b'"version":%d' % server.versions[path])
                times.append(time.perf_counter() - begin)
                time.sleep(0.25)
        finally:
            if is_broken:
                server.change(path, line, 2, 3, "t")
            time.sleep(0.5)
        self.note(name + "key to the file's diagnostics", times, goals["file"])

    def answers(self, server, path, text, name, goals):
        lines = text.split("\n")
        use = next(i for i, line in enumerate(lines) if "var.env" in line)
        at = server.at(path, use, lines[use].index("var.env") + 5)
        options = {"tabSize": 2, "insertSpaces": True}
        for method, params, goal in (
                ("textDocument/references", dict(at, context={"includeDeclaration": True}), 30),
                ("textDocument/rename", dict(at, newName="stage"), 30),
                ("textDocument/formatting", {"textDocument": at["textDocument"], "options": options},
                 goals["formatting"]),
                ("textDocument/hover", at, 10),
                ("textDocument/completion", at, 10),
                ("textDocument/definition", at, 10),
                ("textDocument/documentSymbol", {"textDocument": at["textDocument"]}, 100),
                ("textDocument/semanticTokens/full", {"textDocument": at["textDocument"]}, 100)):
            self.ask(server, name + method.split("/", 1)[1], method, params, goal)

    def ask(self, server, what, method, params, goal, before=None):
        times = []
        for i in range(self.repeat):
            begin = time.perf_counter()
            if before:
                before(i)
            body = server.request(method, params)
            times.append(time.perf_counter() - begin)
        if b'"error"' in body[:200]:
            print("%-52s refused: %s" % (what, body[:200]))
            return
        self.note("%s (%s kB)" % (what, len(body) // 1000), times, goal)

    def aws(self):
        schema = os.path.join(SHARED, "schemas", "hashicorp-aws-5.100.0.json.xz")
        if not os.path.exists(schema):
            print("AWS: skipped, there is no " + schema)
            return
        schema_store.store(self.cache, schema, "registry.opentofu.org/hashicorp/aws", "5.100.0")
        folder = os.path.join(self.work, "aws")
        os.makedirs(folder)
        path = os.path.join(folder, "main.tf")
        text = AWS + "".join(AWS_BLOCK % (i, i, i, i, i % 256) for i in range(200)) + AWS_TAIL
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        server = self.start(folder)
        server.open(path, text, self.language)
        server.request("textDocument/formatting", {"textDocument": {"uri": uri(path)},
                                                   "options": {"tabSize": 2, "insertSpaces": True}})
        time.sleep(0.5)
        before = server.memory()
        lines = text.split("\n")
        empty = lines.index('resource "aws_instance" "typed" {') + 1
        value = next(i for i, line in enumerate(lines) if line.startswith("  value ="))
        header = lines.index('resource "aws_vpc" "main" {')
        subnet = next(i for i, line in enumerate(lines) if "subnet_id" in line)

        def key(i):
            server.change(path, empty, 0, 0 if i % 2 == 0 else 1, "a" if i % 2 == 0 else "")
        self.ask(server, "AWS: first completion in a body", "textDocument/completion", server.at(path, empty, 0), 1000)
        for what, line, character in (("completion in a body", empty, 0), ("completion of a type", header, 14),
                                      ("completion of a value", value, 10),
                                      ("completion of `aws_vpc.main.`", value, 23),
                                      ("completion of `aws_subnet.`", subnet, 29)):
            self.ask(server, "AWS: " + what, "textDocument/completion", server.at(path, line, character), 10)
        self.ask(server, "AWS: key and completion in a body", "textDocument/completion",
                 server.at(path, empty, 0), 10, key)
        for what, line, character in (("hover of an argument", subnet, 5), ("hover of a type", header, 14),
                                      ("hover of a reference", subnet, 32)):
            self.ask(server, "AWS: " + what, "textDocument/hover", server.at(path, line, character), 10)
        time.sleep(0.5)
        self.note_memory("AWS: private memory more than before", server.memory() - before, 15,
                         " (%.1f MB in all)" % server.memory())
        server.kill()

    def empty(self):
        server = self.start(None)
        time.sleep(0.3)
        self.note_memory("empty: private memory", server.memory(), 12, " (resident %.1f MB)" % server.resident())
        self.idle(server, "empty: ")
        server.kill()

    def idle(self, server, name):
        before = server.cpu()
        time.sleep(3)
        print("%-52s %18.0f ms of CPU in 3 s  goal 0" % (name + "idle", (server.cpu() - before) * 1e3), flush=True)

    def directories(self):
        """3,000 files in 400 directories: one root with its modules, and many that nobody calls."""
        folder = os.path.join(self.work, "many")
        for directory in range(400):
            for file in range(8 if directory % 2 else 7):
                path = os.path.join(folder, "d%03d" % directory, "f%d.tf" % file)
                os.makedirs(os.path.dirname(path), exist_ok=True)
                with open(path, "w", encoding="utf-8") as opened:
                    opened.write('variable "v%d" {\n  default = "%s"\n}\n\n' % (file, "x" * 20) + "".join(
                        'resource "terraform_data" "d%d_%d" {\n  input = {\n    name = "n-${var.v%d}"\n'
                        '    more = [for s in ["a", "b"] : upper(s)]\n  }\n}\n\n' % (file, i, file)
                        for i in range(10)))
        path = os.path.join(folder, "d000", "f0.tf")
        with open(path, "a", encoding="utf-8") as opened:
            opened.write("".join('module "m%d" {\n  source = "../d%03d"\n}\n' % (i, i) for i in range(1, 6)))
            opened.write('output "last" {\n  value = local.missing_0\n}\n')
        with open(path, encoding="utf-8") as opened:
            text = opened.read()
        os.makedirs(os.path.join(folder, "d000", ".terraform", "modules"))
        with open(os.path.join(folder, "d000", ".terraform", "modules", "modules.json"), "w", encoding="utf-8") as opened:
            modules = [{"Key": "", "Source": "", "Dir": "."}] + [
                {"Key": "m%d" % i, "Source": "../d%03d" % i, "Dir": "../d%03d" % i} for i in range(1, 6)]
            json.dump({"Modules": modules}, opened)
        times = []
        for _ in range(min(self.repeat, 10)):
            begin = time.perf_counter()
            server = self.start(folder)
            server.open(path, text, self.language)
            server.until(b"publishDiagnostics", b"missing_0")
            server.request("textDocument/hover", server.at(path, 0, 12))
            times.append(time.perf_counter() - begin)
            server.kill()
        self.note("3,000 files, 400 directories: ready", times, 500)
        server = self.start(folder)
        server.open(path, text, self.language)
        server.until(b"publishDiagnostics", b"missing_0")
        time.sleep(1)
        self.note_memory("3,000 files, 400 directories: private memory", server.memory(), 80)
        self.ask(server, "3,000 files: workspace/symbol", "workspace/symbol", {"query": "d0_1"}, 100)
        server.kill()

    @staticmethod
    def memory_at_rest(server):
        """Threads give memory back when they had nothing to do for half a second, one after the other."""
        found = []
        for _ in range(4):
            time.sleep(0.75)
            found.append(server.memory())
        return min(found)

    def many_edits(self):
        """Memory after many edits of one of 100 files with 10,000 blocks, in bursts."""
        folder, path = self.blocks(10000, 100)
        with open(path, encoding="utf-8") as file:
            text = file.read()
        server = self.start(folder)
        server.open(path, text, self.language)
        server.until(b"publishDiagnostics", b"missing_0")
        lines = text.split("\n")
        last = next(i for i, line in enumerate(lines) if "missing_0" in line)
        column = lines[last].index("missing_0") + len("missing_")
        width, sizes, done = 1, [], 0
        begin = time.perf_counter()
        hover = server.at(path, last, column)
        while done < self.edits:
            for _ in range(min(10, self.edits - done)):  # typed faster than the root is checked
                done += 1
                server.change(path, last, column, column + width, "%d" % done)
                width = len(str(done))
            server.request("textDocument/hover", hover)
            if done % 1000 < 10 or done <= 100:
                server.until(b"publishDiagnostics", b"missing_%d" % done)
            if done in (1000, self.edits) or done == self.edits // 2:
                server.request("textDocument/hover", hover)
                sizes.append((done, self.memory_at_rest(server)))
        seconds = time.perf_counter() - begin
        first, last_size = sizes[0][1], sizes[-1][1]
        print("%-52s %s  growth %+.1f %%  goal 10  %s  (%.0f us an edit)" % (
            "%d edits: private memory" % self.edits, ", ".join("%d: %.1f MB" % each for each in sizes),
            (last_size / first - 1) * 100, "met" if last_size <= first * 1.1 else "MISSED",
            seconds / self.edits * 1e6), flush=True)
        server.kill()


SHARED = os.path.realpath(os.environ.get("KINU_SHARED") or os.path.join(HERE, "..", "..", "shared"))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--server", default=os.path.join(HERE, "../build/release/src/cli/kinu") + " lsp")
    parser.add_argument("--language", default="opentofu")
    parser.add_argument("--repeat", type=int)
    parser.add_argument("--edits", type=int)
    parser.add_argument("--short", action="store_true", help="as a part of `make bench`: few repetitions and edits")
    parser.add_argument("--only", default="", help="starts, one, hundred, aws, empty, directories, edits")
    args = parser.parse_args()
    args.repeat = args.repeat or (5 if args.short else 30)
    args.edits = args.edits or (3000 if args.short else 100000)
    with tempfile.TemporaryDirectory(prefix="kinu-bench-") as work:
        bench = Bench(args, work)
        parts = {
            "starts": bench.starts,
            "empty": bench.empty,
            "one": lambda: bench.workspace(1, {"start": 150, "file": 15, "root": 90, "formatting": 40}),
            "hundred": lambda: bench.workspace(100, {"start": 120, "file": 3, "root": 75, "formatting": 2}),
            "aws": bench.aws,
            "directories": bench.directories,
            "edits": bench.many_edits,
        }
        print("%-52s %9s %9s" % ("", "median", "95 %"))
        for name, part in parts.items():
            if args.only in ("", name):
                try:
                    part()
                except RuntimeError as error:
                    print("%-52s failed: %s" % (name, error), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
