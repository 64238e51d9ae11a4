#!/usr/bin/env python3
"""Runs commands under each pair of an `encryption` block and what overrides it, and looks at what they leave.

  sealed_worlds.py --binary PATH             compares with the recorded answers of OpenTofu
  sealed_worlds.py --binary TOFU --update    records them, each command under one of the ways of a pair
  sealed_worlds.py … --only CONFIG/OVERRIDE/WAY/COMMAND [--keep]    one of them, with its output

A world is a configuration, an override, a way (both as files, native or JSON, or the override as TF_ENCRYPTION, native
or JSON) and a command. Before the command, the world makes its own state by an apply, which is the command `apply`. An
answer has the exit codes, the summaries, and which files that the command left are sealed or clear: states, backups,
plans, journals, what a remote store got and all others, also those of TMPDIR.

Answers are in sealed_worlds.txt: lines "= N ANSWER", and one line per pair and ways with an answer for each command.
Lines "~ COMMAND: SUBSTITUTION  # reason" are differences on purpose.
"""
import argparse
import collections
import concurrent.futures
import http.server
import itertools
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading

import sealing
from sealing import Ref

HERE = os.path.dirname(os.path.abspath(__file__))
ANSWERS = os.path.join(HERE, "sealed_worlds.txt")
SECRET = "nobody-may-read-this"
SUMMARY = re.compile(r"^(?:│ )?((?:Error|Warning): .*)$", re.M)
WAYS = ("hcl", "json", "env", "env-json")


# --- Configurations and overrides ---

def method(key="external.k", **more):
    return dict({"keys": Ref("key_provider." + key)}, **more)


def use(name, fallback=None, **more):
    out = dict({"method": Ref("method." + name)}, **more)
    if fallback:
        out["fallback"] = {"method": Ref("method." + fallback)}
    return out


def block(keys=(), methods=(), **targets):
    """An `encryption` block with keys of programs, by name, and methods, by type and name."""
    out = {}
    if keys:
        out["key_provider"] = {"external": {key: sealing.external_key(key) for key in keys}}
    for kind, name, body in methods:
        out.setdefault("method", {}).setdefault(kind, {})[name] = body
    return dict(out, **targets)


PASSPHRASE = {"passphrase": "correct horse battery staple", "iterations": 200000, "hash_function": "sha256"}
M = ("aes_gcm", "m", method())
N = ("aes_gcm", "n", method("external.l"))
U = ("unencrypted", "u", {})
ROUND = {"encrypt_command": ["sh", "method"], "decrypt_command": ["sh", "method"]}

CONFIGURATIONS = {
    "none": None,
    "open": block((), [U], state=use("unencrypted.u"), plan=use("unencrypted.u")),
    "passphrase": {"key_provider": {"pbkdf2": {"k": PASSPHRASE}}, "method": {"aes_gcm": {"m": method("pbkdf2.k")}},
                   "state": use("aes_gcm.m")},
    "plan": block("k", [M], plan=use("aes_gcm.m")),
    "both": block("k", [M], state=use("aes_gcm.m"), plan=use("aes_gcm.m")),
    "enforced": block("k", [M], state=use("aes_gcm.m", enforced=True), plan=use("aes_gcm.m", enforced=True)),
    "into": block("k", [M, U], state=use("aes_gcm.m", "unencrypted.u"), plan=use("aes_gcm.m", "unencrypted.u")),
    "out-of": block("k", [M, U], state=use("unencrypted.u", "aes_gcm.m"), plan=use("unencrypted.u", "aes_gcm.m")),
    "remote": block("k", [M], state=use("aes_gcm.m"), remote_state_data_sources={
        "default": use("aes_gcm.m"), "remote_state_data_source": {"named": use("aes_gcm.m")}}),
    "two": block("kl", [M, N], state=use("aes_gcm.m"), plan=use("aes_gcm.n")),
    "unknown": block("k", [("aes_gcm", "m", method("external.nope"))], state=use("aes_gcm.m")),
    "program": block((), [("external", "m", ROUND)], state=use("external.m"), plan=use("external.m")),
    "unused": block("k", [M]),
}
OVERRIDES = {
    "nothing": None,
    "key": {"key_provider": {"external": {"k": sealing.external_key("other")},
                             "pbkdf2": {"k": {"passphrase": "another horse battery staple"}}}},
    "method": block((), [("aes_gcm", "m", method(aad=[1, 2, 3]))]),
    "plan": {"plan": use("aes_gcm.m")},
    "state": {"state": use("aes_gcm.m")},
    "enforce": {"state": {"enforced": True}, "plan": {"enforced": True}},
    "fallback": block((), [U], state={"fallback": {"method": Ref("method.unencrypted.u")}},
                      plan={"fallback": {"method": Ref("method.unencrypted.u")}}),
    "rotate": block("l", [N], state=use("aes_gcm.n", "aes_gcm.m"), plan=use("aes_gcm.n", "aes_gcm.m")),
    "open": block((), [U], state=use("unencrypted.u"), plan=use("unencrypted.u")),
    "remove": {"state": {"method": Ref("null")}, "plan": {"method": Ref("null")}},
    "empty": {},
    "targets": {"state": {}, "plan": {}},
    "wrong": {"state": use("aes_gcm.nope")},
    "type": block((), [("nope", "m", {})], state=use("nope.m")),
    "remote": {"remote_state_data_sources": {"default": use("aes_gcm.m")}},
    "whole": block("k", [M], state=use("aes_gcm.m", enforced=True), plan=use("aes_gcm.m")),
}

# --- Commands ---

MAIN = """variable "n" { default = 1 }
resource "terraform_data" "a" { input = "%s-${var.n}" }
resource "terraform_data" "b" { input = terraform_data.a.output }
output "o" { value = terraform_data.b.output }
""" % SECRET
PUSHED = json.dumps({
    "version": 4, "terraform_version": "1.12.6", "serial": 40, "lineage": "00000000-0000-0000-0000-000000000001",
    "outputs": {"o": {"value": SECRET, "type": "string"}}, "resources": [], "check_results": None})
PROVISIONED = """resource "terraform_data" "c" {
  input = terraform_data.b.output
}
resource "terraform_data" "d" {
  input = terraform_data.c.output
  provisioner "local-exec" { command = "%s" }
}
"""
REMOTE = """data "terraform_remote_state" "named" {
  backend = "local"
  config  = { path = "other.tfstate" }
}
output "p" { value = data.terraform_remote_state.named.outputs.o }
"""
IMPORTED = 'resource "terraform_data" "i" {}\n'
MOVED = 'terraform {\n  backend "local" { path = "moved.tfstate" }\n}\n'
HTTP = 'terraform {\n  backend "http" { retry_max = 0 }\n}\n'
APPLY = ["apply", "-auto-approve"]
ADDRESS = "-backend-config=address=%s/"
# What each command runs, and the files that it has beside the others.
COMMANDS = {
    "apply": ([APPLY], {}),
    "plan": ([["plan", "-out=p", "-var=n=2"], ["show", "-json", "p"], ["apply", "p"]], {}),
    "mv": ([["state", "mv", "terraform_data.b", "terraform_data.z"]], {}),
    "rm": ([["state", "rm", "terraform_data.b"]], {}),
    "replace": ([["state", "replace-provider", "-auto-approve", "terraform.io/builtin/terraform", "x/y"]], {}),
    "push": ([["state", "push", "-force", "pushed"]], {"pushed": PUSHED}),
    "import": ([["import", "terraform_data.i", "given"]], {"i.tf": IMPORTED}),
    "taint": ([["taint", "terraform_data.b"]], {}),
    "workspace": ([["workspace", "new", "w"], APPLY], {}),
    "copy": ([["workspace", "new", "-state=pushed", "w"]], {"pushed": PUSHED}),
    "migrate": ([["init", "-migrate-state", "-force-copy"]], {"moved.tf": MOVED}),
    "state-out": ([APPLY + ["-state-out=out", "-var=n=2"]], {}),
    "state": ([APPLY + ["-state=in"], APPLY + ["-state=in", "-var=n=2"]], {}),
    "backup": ([APPLY + ["-backup=b", "-var=n=2"]], {}),
    "fails": ([APPLY + ["-var=n=2"]], {"c.tf": PROVISIONED % "exit 1"}),
    "killed": ([APPLY + ["-var=n=2"]], {"c.tf": PROVISIONED % "kill -9 $PPID"}),
    "http": ([["init", ADDRESS + "good"], APPLY, APPLY + ["-var=n=2"]], {"http.tf": HTTP}),
    "http-killed": ([["init", ADDRESS + "good"], APPLY], {"http.tf": HTTP, "c.tf": PROVISIONED % "kill -9 $PPID"}),
    "to-http": ([["init", "-migrate-state", "-force-copy", ADDRESS + "good"], APPLY + ["-var=n=2"]], {"http.tf": HTTP}),
    "mv-out": ([["state", "mv", "-state=terraform.tfstate", "-state-out=out", "terraform_data.b", "terraform_data.z"]], {}),
    "errored": ([["init", ADDRESS + "fail"], APPLY], {"http.tf": HTTP}),
    "change": ([APPLY + ["-var=n=2"]], {}),
    "refresh": ([APPLY + ["-refresh-only"]], {}),
    "destroy": ([["destroy", "-auto-approve"]], {}),
    "remote": ([["plan", "-out=p"]], {"remote.tf": REMOTE}),
}
FRESH = ("http", "http-killed", "errored")  # start without a state
STORING = (*FRESH, "to-http")
UNCHANGED = ("change",)  # starts with what the configuration made without the override


class Store(http.server.BaseHTTPRequestHandler):
    """Keeps states by path; below /fail/ it keeps none."""

    kept = {}

    def log_message(self, *_):
        pass

    def answer(self, code, body=b""):
        self.send_response(code)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        body = self.kept.get(self.path)
        self.answer(404 if body is None else 200, body or b"")

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.path.endswith("/fail"):
            self.answer(500)
            return
        self.kept[self.path] = body
        self.answer(200)


class Surroundings:
    """What all worlds share: the program, the store, and states to begin with."""

    def __init__(self, binary, root):
        self.binary = binary
        self.root = root
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Store)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.number = itertools.count()
        self.beginnings = {}
        self.other = b""

    def begin(self, configurations):
        """Makes the state of each configuration without an override, and that of the data source."""
        names = sorted(set(configurations) | {"both"})
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            for name, files in zip(names, pool.map(lambda name: World(self, name, "nothing", "hcl").own_state(), names)):
                self.beginnings[name] = files
        self.other = self.beginnings["both"]["terraform.tfstate"]


class World:
    def __init__(self, surroundings, configuration, override, way):
        self.surroundings = surroundings
        self.names = (configuration, override, way)
        self.url = ""
        self.directory = tempfile.mkdtemp(dir=surroundings.root)
        self.variables = {}
        self.inputs = {"main.tf": MAIN, "keys": sealing.key_script(["k", "l", "other"]), "method": sealing.METHOD_SCRIPT}
        json_files = way.endswith("json")
        self.add("enc", CONFIGURATIONS[configuration], json_files)
        added = OVERRIDES[override]
        if added is not None and way.startswith("env"):
            self.variables["TF_ENCRYPTION"] = json.dumps(sealing.in_json(added)) if json_files else sealing.native(added)
            self.variables["TF_ENCRYPTION"] = self.variables["TF_ENCRYPTION"] or "#"
        else:
            self.add("enc_override", added, json_files)
        self.files = {}
        self.output = []

    def add(self, name, encryption, json_files):
        if encryption is None:
            return
        body = {"terraform": {"encryption": encryption}}
        self.inputs[name + (".tf.json" if json_files else ".tf")] = \
            json.dumps(sealing.in_json(body)) if json_files else sealing.native(body)

    def run(self, words):
        place = self.directory
        environment = {"PATH": os.environ.get("PATH", ""), "HOME": self.surroundings.root, "TZ": "UTC",
                       "TF_CLI_CONFIG_FILE": os.devnull, "CHECKPOINT_DISABLE": "1", "TF_IN_AUTOMATION": "1",
                       "TMPDIR": os.path.join(place, "tmp"), **self.variables}
        words = [word % self.url if "%s" in word else word for word in words]
        at = 2 if words[0] in ("state", "workspace") else 1
        done = subprocess.run([self.surroundings.binary, *words[:at], "-no-color", *words[at:]], cwd=place, env=environment,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              errors="replace", timeout=300, check=False)
        self.output.append("$ %s: %d\n%s" % (" ".join(words), done.returncode, done.stdout))
        return done.returncode, SUMMARY.findall(done.stdout)

    def place(self, files):
        """The directory has these files and no others."""
        shutil.rmtree(self.directory)
        os.makedirs(os.path.join(self.directory, "tmp"))
        for name, data in files.items():
            path = os.path.join(self.directory, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as file:
                file.write(data if isinstance(data, bytes) else data.encode())

    def left(self, known):
        """The files of the directory that are no inputs."""
        out = {}
        for name in sealing.files_below(self.directory):
            if name not in known:
                with open(os.path.join(self.directory, name), "rb") as file:
                    out[name] = file.read()
        return out

    def own_state(self):
        return self.answer("apply") and self.files

    def answer(self, command):
        """Runs a command. Returns exit codes, summaries and files as one line."""
        steps, more = COMMANDS[command]
        number = next(self.surroundings.number)
        self.url = "http://127.0.0.1:%d/%d" % (self.surroundings.server.server_port, number)
        inputs = dict(self.inputs, **more)
        if command == "remote":
            inputs["other.tfstate"] = self.surroundings.other
        before = {} if command == "apply" or command in FRESH else \
            self.surroundings.beginnings[self.names[0]] if command in UNCHANGED else self.files
        self.place(dict(inputs, **before))
        codes, summaries = [], collections.Counter()
        for words in steps:
            code, found = self.run(words)
            codes.append(str(code))
            summaries.update(found)
        left = self.left(inputs)
        if command == "apply":
            self.files = left
        if command in STORING:
            left.update({"store": body for path, body in Store.kept.items() if path.startswith("/%d/" % number)})
        kinds = [(re.sub(r"\d{9,}", "N", name), sealing.stored(data, [SECRET.encode()])) for name, data in left.items()]
        files = sorted({"%s=%s" % (name, kind) for name, kind in kinds if kind})
        texts = ["%s%s" % (text, " (%d)" % count if count > 1 else "") for text, count in sorted(summaries.items())]
        return " | ".join((",".join(codes), "; ".join(texts), " ".join(files)))

    def close(self):
        shutil.rmtree(self.directory, ignore_errors=True)


# --- Recorded answers ---

class Recorded:
    def __init__(self):
        self.answers = {}      # (configuration, override, way, command) -> answer
        self.differences = []  # (command pattern, pattern, replacement, line)

    def read(self):
        texts = {}
        for line in open(ANSWERS, encoding="utf-8") if os.path.exists(ANSWERS) else []:
            line = line.rstrip("\n")
            if line.startswith("= "):
                _, number, text = line.split(" ", 2)
                texts[number] = text
            elif line.startswith("~ "):
                rule = line[2:].split("  # ")[0]
                commands, change = rule.split(": ", 1)
                old, new = change.split(" -> ")
                self.differences.append((re.compile(commands), re.compile(old), new, line))
            elif line and not line.startswith("#"):
                configuration, override, ways, *answers = line.split(" ")
                for way in ways.split(","):
                    for answer in answers:
                        command, number = answer.split("=")
                        self.answers[configuration, override, way, command] = texts[number]
        return self

    def write(self):
        """Replaces all lines but those of differences and comments."""
        kept = []
        if os.path.exists(ANSWERS):
            kept = [line for line in open(ANSWERS, encoding="utf-8") if line.startswith(("~", "#"))]
        counts = collections.Counter(self.answers.values())
        numbers = {text: number for number, (text, _) in enumerate(counts.most_common())}
        with open(ANSWERS, "w", encoding="utf-8") as file:
            file.writelines(kept)
            for text, number in numbers.items():
                file.write("= %d %s\n" % (number, text))
            for configuration, override in itertools.product(CONFIGURATIONS, OVERRIDES):
                rows = collections.defaultdict(list)
                for way in WAYS:
                    row = " ".join("%s=%d" % (command, numbers[self.answers[configuration, override, way, command]])
                                   for command in COMMANDS if (configuration, override, way, command) in self.answers)
                    if row:
                        rows[row].append(way)
                for row, ways in rows.items():
                    file.write("%s %s %s %s\n" % (configuration, override, ",".join(ways), row))

    def wanted(self, key, used):
        """The recorded answer, with the differences on purpose."""
        text = self.answers.get(key)
        for commands, old, new, line in self.differences:
            if text is not None and commands.fullmatch(key[3]):
                changed = old.sub(new, text)
                if changed != text:
                    used[line] += 1
                    text = changed
        return text


def each_world():
    """Pairs with their ways, and all commands."""
    for configuration, override in itertools.product(CONFIGURATIONS, OVERRIDES):
        for way in WAYS if OVERRIDES[override] is not None else WAYS[:2]:
            yield configuration, override, way, list(COMMANDS)


def rotated():
    """The same with a share of the commands: each command runs under one way of each pair."""
    others = [command for command in COMMANDS if command != "apply"]
    for number, (_, group) in enumerate(itertools.groupby(each_world(), lambda world: world[:2])):
        group = list(group)
        for at, world in enumerate(group):
            now = [command for turn, command in enumerate(others) if (turn + number) % len(group) == at]
            yield (*world[:3], ["apply", *now])


def recorded_worlds():
    """The same with what is recorded."""
    recorded = Recorded().read().answers
    for world in each_world():
        now = [command for command in world[3] if (*world[:3], command) in recorded]
        if now:
            yield (*world[:3], now)


def select(options):
    if not options.only:
        return list(each_world() if options.all else rotated() if options.update else recorded_worlds())
    *names, command = (options.only + "/*/*/*").split("/")[:4]
    options.all = True
    out = []
    for world in each_world():
        if all(word in ("*", name) for word, name in zip(names, world)):
            out.append((*world[:3], [name for name in COMMANDS if name == "apply" or command in ("*", name)]))
    return out


def run_worlds(surroundings, worlds, options, found):
    """Runs the worlds, two at a time; answers are added to `found`."""
    def run(names):
        world = World(surroundings, *names[:3])
        commands = names[3]
        first = world.answer("apply")
        if not first.startswith("0 ") and not options.all:
            commands = commands[:4]  # what refuses one command refuses the others
        found[(*names[:3], "apply")] = first
        for command in commands[1:]:
            found[(*names[:3], command)] = world.answer(command)
        if options.only:
            print("\n".join(world.output))
        if not options.keep:
            world.close()
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for _ in pool.map(run, worlds):
            pass


def compare(found, show):
    recorded = Recorded().read()
    used, failed = collections.Counter(), 0
    found = {key: text for key, text in found.items() if key in recorded.answers}
    for key, text in found.items():
        wanted = recorded.wanted(key, used)
        if wanted != text:
            failed += 1
            if failed <= show:
                print("FAIL %s\n  wanted %s\n  found  %s" % ("/".join(key), wanted, text))
    for line, count in used.items():
        print("%d times, on purpose: %s" % (count, line[2:]))
    print("sealed worlds: %d passed, %d failed" % (len(found) - failed, failed))
    return 1 if failed else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--binary", required=True)
    parser.add_argument("--all", action="store_true", help="run each command under each way")
    parser.add_argument("--update", action="store_true", help="record the answers of the program")
    parser.add_argument("--only", help="CONFIG/OVERRIDE/WAY/COMMAND; * is each one")
    parser.add_argument("--keep", action="store_true", help="leave the directories")
    parser.add_argument("--show", type=int, default=20, help="how many differences to print")
    options = parser.parse_args()
    worlds = select(options)
    found = {}
    root = tempfile.mkdtemp(prefix="sealed-worlds-")
    surroundings = Surroundings(os.path.abspath(options.binary), root)
    try:
        surroundings.begin({world[0] for world in worlds})
        run_worlds(surroundings, worlds, options, found)
    finally:
        if not options.keep:
            shutil.rmtree(root, ignore_errors=True)
    if not options.update:
        return compare(found, options.show)
    recorded = Recorded().read()
    recorded.answers = {**recorded.answers, **found} if options.only else found
    recorded.write()
    print("recorded %d answers, %d in all" % (len(found), len(recorded.answers)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
