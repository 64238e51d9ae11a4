#!/usr/bin/env python3
"""Kills commands of sealed configurations at random moments and looks for secrets in all files.

  kill_secrets.py --binary PATH [--mirror DIRECTORY] [--count N] [--seed N]

Each life is a configuration whose state and plan are sealed, `enforced`, with 50 secrets in variables, resources and
outputs, and a sequence of commands: plans, applies, changes of the state, workspaces, imports, migrations between files
and a store that refuses now and then, runs that fail. Nine of ten are killed (SIGKILL). After each command all files of
the directory, of TMPDIR and of HOME and all that the store ever got are read: none may hold a secret, as text, as Base64
or within an archive. Secrets come by TF_VAR_*, so that no file given to the program has them. With --mirror every third
life has objects of the tests' own provider, which keeps its objects elsewhere.

One life without encryption shows that secrets would be found.
"""
import argparse
import base64
import collections
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import http.server

import sealing
from sealing import Ref
from sealed_worlds import Store

MARK = "Qx9SecretZz7"  # begins each secret
SECRETS = 50
FILLING = "0123456789" * 20
LEAST = {"external": 0.004, "pbkdf2": 0.02}
PROVIDER = """terraform {
  required_providers {
    kinutest = { source = "kinu/kinutest" }
  }
}
provider "kinutest" { directory = "%s" }
"""
THING = """resource "kinutest_thing" "t%d" {
  name  = "t%d"
  value = "${var.s%d}-${var.round}"
}
"""


def marks():
    """What secrets look like: the mark as text, and in Base64 behind 0, 1 or 2 bytes that are not known."""
    out = [MARK.encode()]
    for shift in range(3):
        text = base64.b64encode(b"\0" * shift + MARK.encode())
        out.append(text[4 if shift else 0:-4])
    return out


def encryption(kind):
    provider = {"external": {"k": sealing.external_key("k")}} if kind == "external" else \
        {"pbkdf2": {"k": {"passphrase": "correct horse battery", "iterations": 200000, "hash_function": "sha256"}}}
    target = {"method": Ref("method.aes_gcm.m"), "enforced": True}
    return {"terraform": {"encryption": {
        "key_provider": provider, "method": {"aes_gcm": {"m": {"keys": Ref("key_provider.%s.k" % kind)}}},
        "state": target, "plan": target}}}


class Refusing(Store):
    """A store that says no while `refuses` is set, and remembers all that it got."""

    refuses = False
    got = []

    def do_POST(self):
        if not self.refuses:
            super().do_POST()
            self.got.append(self.kept[self.path])
        else:
            self.got.append(self.rfile.read(int(self.headers.get("Content-Length", 0))))
            self.answer(500)


class Life:
    """A directory with a configuration, and commands in it."""

    def __init__(self, options, rng, number, store, sealed=True):
        self.options, self.rng = options, rng
        self.root = tempfile.mkdtemp(prefix="kinu-secrets-")
        self.directory = os.path.join(self.root, "work")
        self.outside = os.path.join(self.root, "things")
        for name in ("work", "tmp", "home", "things"):
            os.mkdir(os.path.join(self.root, name))
        self.url = "http://127.0.0.1:%d/%d" % (store.server_port, number)
        self.secrets = {"s%d" % i: "%s-%d-%06d" % (MARK, i, rng.randrange(10**6)) for i in range(SECRETS)}
        self.round = self.moves = 0
        self.provided = bool(options.mirror) and number % 3 == 0
        self.kind = "pbkdf2" if number % 8 == 0 else "external"
        self.path_of_state = 0
        self.problems = []
        self.write("keys", sealing.key_script(["k"]))
        if sealed:
            self.write("enc.tf", sealing.native(encryption(self.kind)))
        self.configure()
        self.prepare()

    def write(self, name, text):
        with open(os.path.join(self.directory, name), "w", encoding="utf-8") as file:
            file.write(text)

    def prepare(self):
        self.environment = {
            "PATH": os.environ.get("PATH", ""), "HOME": os.path.join(self.root, "home"), "TZ": "UTC",
            "TMPDIR": os.path.join(self.root, "tmp"), "TF_CLI_CONFIG_FILE": os.devnull, "TF_IN_AUTOMATION": "1",
            "CHECKPOINT_DISABLE": "1", **{"TF_VAR_" + name: text for name, text in self.secrets.items()}}
        if self.provided:
            settings = os.path.join(self.root, "settings")
            with open(settings, "w", encoding="utf-8") as file:
                file.write('provider_installation {\n  filesystem_mirror { path = "%s" }\n}\n' % self.options.mirror)
            self.environment["TF_CLI_CONFIG_FILE"] = settings
        self.run(["init"])

    def configure(self):
        """The configuration of the next round."""
        self.round += 1
        fails = self.rng.random() < 0.15
        out = [PROVIDER % self.outside if self.provided else ""]
        out += ['variable "s%d" { sensitive = %s }\n' % (i, "true" if i % 2 else "false") for i in range(SECRETS)]
        out.append('variable "round" { default = %d }\n' % self.round)
        for i in range(SECRETS):
            if self.provided and i % 10 == 0:
                out.append(THING % (i, i, i))
                continue
            after = "terraform_data.r%d" % (i - 1) if i % 3 and not (self.provided and i % 10 == 1) else ""
            broken = '  provisioner "local-exec" { command = "exit 1" }\n  triggers_replace = var.round\n' \
                if fails and i == 40 else ""
            out.append('resource "terraform_data" "r%d" {\n  input = "${var.s%d}-${var.round}-%s"\n  depends_on = [%s]\n%s}\n' % (
                i, i, FILLING, after, broken))
        out.append('resource "terraform_data" "imported" {}\n')
        out += ['output "o%d" {\n  value = var.s%d\n  sensitive = true\n}\n' % (i, i) for i in range(0, SECRETS, 5)]
        self.write("main.tf", "".join(out))

    def run(self, words, kill_after=None, given=None):
        """The exit code (-9: killed), and the seconds."""
        begin = time.monotonic()
        with open(os.path.join(self.root, "log"), "w", encoding="utf-8") as log:
            process = subprocess.Popen(
                [self.options.binary, *words], cwd=self.directory, env=self.environment, stdout=log, stderr=log,
                stdin=subprocess.PIPE if given else subprocess.DEVNULL, start_new_session=True)
            if given:
                process.stdin.write(given)
                process.stdin.close()
            try:
                process.wait(timeout=kill_after if kill_after is not None else 120)
            except subprocess.TimeoutExpired:
                process.kill()
            code = process.wait(timeout=120)
            took = time.monotonic() - begin
            try:
                os.killpg(process.pid, signal.SIGKILL)  # providers that outlive it
            except ProcessLookupError:
                pass
        return code, took

    def backend(self):
        """Moves the state to another file or to the store."""
        self.moves += 1
        to_store = self.rng.random() < 0.5
        self.write("backend.tf", 'terraform {\n  backend "http" {\n    address = "%s/%d"\n    retry_max = 0\n  }\n}\n' % (
            self.url, self.moves) if to_store else 'terraform {\n  backend "local" { path = "state%d/s" }\n}\n' % self.moves)
        return ["init", "-migrate-state", "-force-copy"]

    def state_to_push(self):
        return json.dumps({
            "version": 4, "terraform_version": "1.12.6", "serial": self.rng.randrange(10**6), "lineage": "pushed",
            "outputs": {"o%d" % i: {"value": text, "type": "string"} for i, text in enumerate(self.secrets.values())},
            "resources": [], "check_results": None}).encode()

    def choose(self):
        """The name of a command, its arguments and its input."""
        rng = self.rng
        kind = rng.choices(["apply", "replace", "plan", "saved", "destroy", "refresh", "mv", "rm", "taint", "import", "push",
                            "workspace", "backend", "out", "copies"], [8, 4, 4, 2, 2, 1, 1, 1, 1, 1, 2, 2, 3, 1, 1])[0]
        one = "terraform_data.r%d" % (1 + 3 * rng.randrange(16))
        apply = ["apply", "-auto-approve"]
        words = {
            "apply": apply, "replace": apply + ["-replace=" + one] * 2, "plan": ["plan", "-out=p"], "saved": ["apply", "p"],
            "destroy": ["destroy", "-auto-approve"] + ["-target=" + one] * rng.randrange(2),
            "refresh": apply + ["-refresh-only"], "mv": ["state", "mv", one, "terraform_data.z%d" % rng.randrange(10**6)],
            "rm": ["state", "rm", one], "taint": ["taint", one], "import": ["import", "terraform_data.imported", "given"],
            "push": ["state", "push", "-force", "-"], "out": apply + ["-state-out=out"],
            "copies": apply + ["-backup=copy"],
            "workspace": ["workspace", "new", "w%d" % rng.randrange(10**6)]}
        if kind == "backend":
            return kind, self.backend(), None
        if kind in ("apply", "plan", "out", "copies") and rng.random() < 0.7:
            self.configure()
        return kind, words[kind], self.state_to_push() if kind == "push" else None

    def step(self, times):
        """Runs one command. Returns its name and whether it was killed."""
        Refusing.refuses = self.rng.random() < 0.15
        kind, words, given = self.choose()
        at = (kind, self.provided, self.kind)
        kill = self.rng.random() < 0.9
        after = self.rng.uniform(LEAST[self.kind], times[at]) if kill else None
        code, took = self.run(words, after, given)
        Refusing.refuses = False
        if code != -9:
            times[at] = 0.7 * times[at] + 0.3 * took if kill else took
        self.look(kind, code)
        return kind, code

    def look(self, kind, code):
        """Reads all files and what the store got."""
        for top in ("work", "tmp", "home"):
            folder = os.path.join(self.root, top)
            for name in sealing.files_below(folder):
                if sealing.found_secret(os.path.join(folder, name), MARKS):
                    self.problems.append("%s (exit %d) left a secret in %s/%s" % (kind, code, top, name))
        if any(mark in body for body in Refusing.got for mark in MARKS):
            self.problems.append("%s (exit %d) sent a secret to the store" % (kind, code))
        Refusing.got.clear()

    def end(self):
        """A last command still works. A migration that was killed may leave a workspace that the store does not have."""
        for words in (["init", "-no-color", "-migrate-state", "-force-copy"], ["destroy", "-no-color", "-auto-approve"]):
            code, _ = self.run(words)
        with open(os.path.join(self.root, "log"), encoding="utf-8") as log:
            text = log.read()
        if code != 0 and "lock" not in text and "workspaces not supported" not in text:
            self.problems.append("the last %s failed: %s" % (words[0], text[-1500:]))

    def close(self):
        shutil.rmtree(self.root, ignore_errors=True)


MARKS = marks()


def control(options, store):
    """Whether secrets are found of a life without encryption."""
    life = Life(options, random.Random(1), 1, store, sealed=False)
    life.run(["apply", "-auto-approve"])
    life.run(["plan", "-out=p", "-replace=terraform_data.r1"])
    life.look("apply", 0)
    life.close()
    files = {problem.rsplit(" ", 1)[1] for problem in life.problems}
    return {"work/terraform.tfstate", "work/p"} <= files


def campaign(options, store):
    rng = random.Random(options.seed)
    times, kills, runs, files = collections.defaultdict(lambda: 0.15), collections.Counter(), 0, 0
    failed = lives = 0
    while kills.total() < options.count:
        lives += 1
        life = Life(options, rng, lives, store)
        try:
            for _ in range(25):
                kind, code = life.step(times)
                runs += 1
                kills[kind] += code == -9
                files += len(sealing.files_below(life.root))
                if life.problems or kills.total() >= options.count:
                    break
            if not life.problems:
                life.end()
        finally:
            if not (life.problems and options.keep):
                life.close()
        for problem in life.problems:
            failed += 1
            print("FAIL life %d: %s" % (lives, problem), flush=True)
    print("kills: %d in %d lives and %d commands, %d files read; %s" % (kills.total(), lives, runs, files, dict(kills)))
    return failed


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--binary", required=True)
    parser.add_argument("--mirror", help="a filesystem mirror with the tests' own provider")
    parser.add_argument("--count", type=int, default=40, help="how many kills")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", action="store_true", help="leave the directories of failures")
    options = parser.parse_args()
    options.binary = os.path.abspath(options.binary)
    if options.mirror and not os.path.isdir(options.mirror):
        options.mirror = None
    store = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Refusing)
    threading.Thread(target=store.serve_forever, daemon=True).start()
    if not control(options, store):
        print("FAIL secrets of a run without encryption were not found")
        return 1
    failed = campaign(options, store)
    print("kill secrets: %d problems" % failed)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
