#!/usr/bin/env python3
"""Kills an apply whose state is stored by a service, and runs the next command.

  remote_journals.py --binary PATH

A provisioner kills its own apply, so that the finished objects are only in the journal.
"""
import argparse
import http.server
import json
import os
import subprocess
import sys
import tempfile
import threading

import sealing

JOURNAL = ".terraform/default.journal"
BACKEND = """terraform {
  backend "http" {
    address        = "http://127.0.0.1:%d/state"
    lock_address   = "http://127.0.0.1:%d/lock"
    unlock_address = "http://127.0.0.1:%d/lock"
    retry_max      = 0
  }
}
"""
OBJECTS = """resource "terraform_data" "a" { input = "guarded" }
resource "terraform_data" "b" {
  depends_on = [terraform_data.a]
  provisioner "local-exec" { command = "%s" }
}
"""
KILL = "kill -9 $PPID"


class Service:
    """One state and its lock."""

    def __init__(self):
        self.state = None
        self.lock = None
        self.refuses = False
        service = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def answer(self, status, body=b""):
                self.send_response(status)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def body(self):
                return self.rfile.read(int(self.headers.get("Content-Length", 0)))

            def do_GET(self):
                self.answer(404) if service.state is None else self.answer(200, service.state)

            def do_POST(self):
                body = self.body()
                if service.refuses:
                    self.answer(500)
                else:
                    service.state = body
                    self.answer(200)

            def do_LOCK(self):
                body = self.body()
                if service.lock is not None:
                    self.answer(423, service.lock)
                else:
                    service.lock = body
                    self.answer(200)

            def do_UNLOCK(self):
                self.body()
                service.lock = None
                self.answer(200)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def names(self):
        if self.state is None:
            return []
        return sorted(r["name"] for r in json.loads(self.state)["resources"])


class Place:
    def __init__(self, binary, directory, service, encryption=""):
        self.binary = binary
        self.directory = directory
        self.service = service
        self.encryption = encryption

    def configure(self, command):
        with open(os.path.join(self.directory, "main.tf"), "w", encoding="utf-8") as file:
            file.write(BACKEND % ((self.service.port,) * 3) + OBJECTS % command)

    def run(self, *words):
        return subprocess.run([self.binary, *words], cwd=self.directory,
                              env={"PATH": os.environ.get("PATH", ""), "HOME": self.directory,
                                   "TF_CLI_CONFIG_FILE": os.devnull,
                                   "TF_ENCRYPTION": self.encryption},
                              stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              errors="replace", timeout=60, check=False)

    def has_journal(self):
        return os.path.exists(os.path.join(self.directory, JOURNAL))

    def journal_names(self, text):
        with open(os.path.join(self.directory, JOURNAL), "rb") as file:
            return text in file.read()


FAILURES = []


def expect(what, holds, run=None):
    if not holds:
        FAILURES.append(what)
        print("FAILED:", what)
        if run is not None:
            print(run.stdout, run.stderr)


def kill(place):
    """An apply that is killed: its lock stays."""
    place.configure(KILL)
    run = place.run("apply", "-auto-approve", "-no-color")
    expect("the apply is killed", run.returncode == -9, run)
    expect("nothing is stored", place.service.names() == [])
    expect("a journal is left", place.has_journal())
    expect("the lock is left", place.service.lock is not None)
    place.service.lock = None
    place.configure("true")


def recover(binary, encryption=""):
    with tempfile.TemporaryDirectory() as directory:
        place = Place(binary, directory, Service(), encryption)
        place.configure("true")
        expect("init", place.run("init", "-no-color").returncode == 0)
        kill(place)
        expect("the journal is as readable as the state",
               place.journal_names(b"guarded") == (encryption == ""))
        run = place.run("state", "list")
        expect("a command that only reads sees it",
               run.stdout.split() == ["terraform_data.a", "terraform_data.b"], run)
        expect("and stores nothing", place.service.names() == [] and place.has_journal())
        run = place.run("plan", "-no-color")
        expect("a provisioner that was killed leaves a tainted object",
               "terraform_data.b is tainted" in run.stdout and
               "1 to add, 0 to change, 1 to destroy" in run.stdout, run)
        expect("the plan tells", "An earlier run was interrupted" in run.stderr + run.stdout, run)
        expect("the journal is gone", not place.has_journal())
        if encryption:
            expect("what is stored is encrypted", b"encrypted_data" in place.service.state)
            run = place.run("state", "list")
            expect("it has what was left", run.stdout.split() == ["terraform_data.a",
                                                                  "terraform_data.b"], run)
        else:
            expect("what was left is stored", place.service.names() == ["a", "b"])
        run = place.run("apply", "-auto-approve", "-no-color")
        expect("it is replaced", "1 added, 0 changed, 1 destroyed" in run.stdout, run)


def keep(binary):
    """Another state was stored since: what was left is kept."""
    with tempfile.TemporaryDirectory() as directory:
        place = Place(binary, directory, Service())
        place.configure("true")
        place.run("init", "-no-color")
        kill(place)
        place.service.state = (b'{"version":4,"terraform_version":"1.12.6","serial":7,'
                               b'"lineage":"other","outputs":{},"resources":[]}')
        run = place.run("plan", "-no-color")
        expect("it is told", "They were not applied." in (run.stderr + run.stdout).replace("\n", " "),
               run)
        kept = [n for n in os.listdir(os.path.join(directory, ".terraform")) if "journal" in n]
        expect("and kept", len(kept) == 1 and kept[0] != os.path.basename(JOURNAL))


def refuse(binary):
    """The service refuses the state at the end: errored.tfstate replaces the journal."""
    with tempfile.TemporaryDirectory() as directory:
        place = Place(binary, directory, Service())
        place.configure("true")
        place.run("init", "-no-color")
        place.service.refuses = True
        run = place.run("apply", "-auto-approve", "-no-color")
        expect("the apply fails", run.returncode == 1, run)
        expect("errored.tfstate", os.path.exists(os.path.join(directory, "errored.tfstate")), run)
        expect("and no journal", not place.has_journal())
        place.service.refuses = False
        run = place.run("state", "push", "errored.tfstate")
        expect("it is pushed", run.returncode == 0 and place.service.names() == ["a", "b"], run)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", required=True)
    binary = parser.parse_args().binary
    recover(binary)
    recover(binary, sealing.SETTINGS)
    keep(binary)
    refuse(binary)
    print("%d failed" % len(FAILURES))
    return 1 if FAILURES else 0


if __name__ == "__main__":
    sys.exit(main())
