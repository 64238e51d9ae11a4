#!/usr/bin/env python3
"""Takes states in services through their whole life, with real services.

  backends.py --binary PATH [--other PATH] [--only NAME] [--jobs N] [--show]

At the end several programs change one state at once.
Every other command runs with --other (OpenTofu), where there is one: both programs share the
service, the record of the directory and the locks.
"""
import argparse
import concurrent.futures
import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
import peers  # noqa: E402

CONFIGURATION = """terraform {
  %s
}
resource "terraform_data" "a" {
  input = "%s"
}
output "o" {
  value = terraform_data.a.output
}
"""


S3 = """backend "s3" {
    bucket         = "states"
    key            = "s"
    use_path_style = true
    %s
  }"""
# The name, the service (tests/peers.py), the block, and whether the backend has workspaces.
BACKENDS = (
    ("pg", "pg", 'backend "pg" {}', True),
    ("http", "http", 'backend "http" {}', False),
    ("s3 with a table", "moto", S3 % 'dynamodb_table = "locks"', True),
    ("s3 with lock files", "moto", S3 % "use_lockfile = true", True),
    ("gcs", "gcs", 'backend "gcs" { bucket = "states" }', True),
    ("azurerm", "azure", """backend "azurerm" {
    storage_account_name = "account"
    container_name       = "states"
    key                  = "some/where.tfstate"
  }""", True),
    ("consul", "consul", 'backend "consul" { path = "some/where" }', True),
    ("kubernetes", "kubernetes", 'backend "kubernetes" { secret_suffix = "s" }', True),
    ("oss", "oss", """backend "oss" {
    bucket           = "states"
    tablestore_table = "locks"
    encrypt          = true
    acl              = "private"
  }""", True),
    ("cos", "cos", """backend "cos" {
    bucket = "states-1"
    prefix = "some/where"
  }""", True),
)


class Life:
    """One directory, with commands by turns."""

    def __init__(self, programs, root, environment, show):
        self.programs, self.root, self.show = programs, root, show
        self.environment = dict(os.environ, **environment)
        self.environment.pop("TF_CLI_CONFIG_FILE", None)
        self.failed, self.count = [], 0

    def write(self, block, text="x"):
        with open(os.path.join(self.root, "main.tf"), "w", encoding="utf-8") as file:
            file.write(CONFIGURATION % (block, text))

    def run(self, *words, wanted=0, says="", program=None):
        program = program or self.programs[self.count % len(self.programs)]
        self.count += 1
        at = 2 if words[0] in ("state", "workspace") else 1
        done = subprocess.run([program, *words[:at], "-no-color", *words[at:]], cwd=self.root,
                              env=self.environment, stdin=subprocess.DEVNULL, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if self.show:
            print("--- %s %s\n%s" % (program, " ".join(words), done.stdout))
        if done.returncode != wanted or says not in done.stdout:
            self.failed.append("%s %s: exit %d, wanted %d and %r\n%s" % (
                program, " ".join(words), done.returncode, wanted, says, done.stdout))
        return done.stdout

    def output(self, wanted, program):
        text = self.run("output", "-json", program=program)
        try:
            value = json.loads(text).get("o", {}).get("value")
        except ValueError:
            value = text
        if value != wanted:
            self.failed.append("%s output: %r, wanted %r" % (program, value, wanted))

    def pull(self):
        """The stored state; None if there is none."""
        text = self.run("state", "pull")
        return json.loads(text) if text.lstrip().startswith("{") else None

    def serial(self):
        state = self.pull()
        return state and state["serial"]


def live(life, block, workspaces=True):
    """From a local state to the service, through workspaces, and back."""
    life.write("")
    life.run("apply", "-auto-approve")
    life.write(block)
    for program in life.programs:
        life.run("plan", wanted=1, says="initialization required", program=program)
    life.run("init", "-force-copy", says="Successfully configured")
    for program in life.programs:
        life.output("x", program)
    for text in ("y", "z"):
        life.write(block, text)
        life.run("apply", "-auto-approve", says="1 changed")
        for program in life.programs:
            life.run("plan", says="No changes", program=program)
    push(life)
    if workspaces:
        use_workspaces(life)
    for program in life.programs:
        life.output("z", program)
        life.run("state", "pull", says='"lineage"', program=program)
    life.write("", "z")
    life.run("init", "-force-copy", says="unset the backend")
    life.run("plan", says="No changes")
    life.run("destroy", "-auto-approve")


def push(life):
    """A stored state gets the serial after the one that is pushed, whoever pushes it."""
    before = life.pull()
    path = os.path.join(life.root, "pushed.tfstate")
    for program in life.programs:
        for serial, flags in ((100, ()), (20, ("-force",))):
            outputs = {"o": {"value": "%s %d" % (program, serial), "type": "string"}}
            with open(path, "w", encoding="utf-8") as file:
                json.dump(dict(before, serial=serial, outputs=outputs), file)
            life.run("state", "push", *flags, path, program=program)
            if (found := life.serial()) != serial + 1:
                life.failed.append("%s pushed serial %d, %s is stored" % (program, serial, found))
    with open(path, "w", encoding="utf-8") as file:
        json.dump(dict(before, serial=200), file)
    life.run("state", "push", path)


def use_workspaces(life):
    for name in ("one", "two"):
        life.run("workspace", "new", name)
        life.run("apply", "-auto-approve", says="1 added")
    for program in life.programs:
        life.run("workspace", "list", says="* two", program=program)
    life.run("destroy", "-auto-approve")
    life.run("workspace", "select", "default")
    life.run("workspace", "delete", "two")
    life.run("workspace", "delete", "one", wanted=1, says="not empty")
    life.run("workspace", "delete", "-force", "one")


SLOW = """resource "terraform_data" "slow" {
  provisioner "local-exec" {
    command = "touch started; exec sleep %d"
  }
}
"""


@contextlib.contextmanager
def holding(life, block, holder, seconds):
    """A running command of that program which holds the lock."""
    life.write(block)
    life.run("init", "-reconfigure", program=holder)
    with open(os.path.join(life.root, "slow.tf"), "w", encoding="utf-8") as file:
        file.write(SLOW % seconds)
    # A group of its own, so that what it started ends with it.
    slow = subprocess.Popen([holder, "apply", "-auto-approve"], cwd=life.root, env=life.environment,
                            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                            stderr=subprocess.DEVNULL, start_new_session=True)
    started = os.path.join(life.root, "started")
    while slow.poll() is None and not os.path.exists(started):
        time.sleep(0.02)
    try:
        yield slow
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(slow.pid, signal.SIGKILL)
        slow.wait()
        with contextlib.suppress(FileNotFoundError):
            os.remove(started)


def refuse(life, other):
    """The lock's ID, which a refused command of that program shows."""
    told = life.run("plan", wanted=1, says="Error acquiring the state lock", program=other)
    if other == life.programs[0] and "Who:" not in told:
        life.failed.append("%s does not tell who holds the lock\n%s" % (other, told))
    found = re.search(r"^\W*ID: +(\S+)", told, re.M)
    return found.group(1) if found else "none"


def waiting_plan(life, program):
    """A plan that waits for the lock. OpenTofu does not find a holder that has just left: it tries again."""
    before = list(life.failed)
    told = life.run("plan", "-lock-timeout=60s", says="No changes", program=program)
    if program != life.programs[0] and "Error acquiring the state lock" in told and "Who:" not in told:
        life.failed[:] = before
        life.run("plan", "-lock-timeout=60s", says="No changes", program=program)


def hold(life, block, seconds=4):
    """While one program holds the lock, the other one is refused. What a killed one leaves can be removed."""
    for holder in life.programs:
        for other in life.programs:
            with holding(life, block, holder, seconds) as slow:
                refuse(life, other)
                waiting_plan(life, other)
                slow.wait()
            life.run("destroy", "-auto-approve", program=other)
        for other in life.programs:
            with holding(life, block, holder, 600):
                left = refuse(life, other)
            life.run("force-unlock", "-force", left, says="successfully unlocked", program=other)
            if other != life.programs[0] and 'backend "consul"' in block:
                time.sleep(6)  # nobody gets the lock so soon after a session, and OpenTofu does not wait
            life.run("destroy", "-auto-approve", "-lock-timeout=60s", program=other)
            os.remove(os.path.join(life.root, "slow.tf"))


def keep_texts(life, block):
    """In a database of another encoding, texts arrive as they were sent. The connection has a parameter of the server."""
    usual = life.environment["PG_CONN_STR"]
    subprocess.run(["psql", "-q", usual, "-c", "CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0 "
                    "LC_COLLATE 'C' LC_CTYPE 'C'"], check=True)
    life.environment["PG_CONN_STR"] = usual.replace("/postgres?", "/latin?statement_timeout=60000&")
    life.write(block, "\u00e9")
    life.run("init", "-reconfigure", program=life.programs[0])
    for program in life.programs:
        life.run("apply", "-auto-approve", program=program)
        for reader in life.programs:
            life.output("\u00e9", reader)
    life.run("destroy", "-auto-approve")
    life.environment["PG_CONN_STR"] = usual


class Member(threading.Thread):
    """One of several who change the same state, each from a directory of its own."""

    def __init__(self, life, block, number, applies):
        super().__init__()
        self.life, self.number, self.applies = life, number, applies
        self.program = life.programs[number % len(life.programs)]
        self.root = os.path.join(life.root, "member%d" % number)
        self.block, self.done, self.conflicts, self.odd = block, 0, 0, []

    def command(self, *words):
        return subprocess.run([self.program, *words], cwd=self.root, env=self.life.environment,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True)

    def run(self):
        os.mkdir(self.root)
        self.write(0)
        started = self.command("init", "-no-color")
        if started.returncode != 0:
            self.odd.append(started.stdout)
            return
        while self.done < self.applies and not self.odd:
            self.write(self.done)
            run = self.command("apply", "-auto-approve", "-no-color")
            if run.returncode == 0:
                self.done += 1
            elif "Error acquiring the state lock" in run.stdout and (
                    "Who:" in run.stdout or self.program != self.life.programs[0]):
                self.conflicts += 1  # OpenTofu does not find a holder that has just left
            else:
                self.odd.append(run.stdout)

    def write(self, step):
        with open(os.path.join(self.root, "main.tf"), "w", encoding="utf-8") as file:
            file.write(CONFIGURATION % (self.block, "member %d step %d" % (self.number, step)))


def crowd(life, block, members, applies):
    """Several change one state at once: each apply counts, and no lock stays. Returns what they did, in words."""
    life.write(block)
    life.run("init", "-reconfigure")
    before = life.serial() or 0
    everyone = [Member(life, block, number, -(-applies // members)) for number in range(members)]
    for member in everyone:
        member.start()
    for member in everyone:
        member.join()
    done = sum(member.done for member in everyone)
    conflicts = sum(member.conflicts for member in everyone)
    serial = life.serial()
    life.failed += [text for member in everyone for text in member.odd]
    if serial != before + done:
        life.failed.append("%d applies, but serial %s after %d" % (done, serial, before))
    life.run("destroy", "-auto-approve")  # nobody holds the lock
    return "%d applies of %d at once, %d conflicts" % (done, members, conflicts)


def test(options, programs, name, peer, block, workspaces):
    """Tests one backend. Returns the number of failures, or None if its service cannot run."""
    try:
        with peers.start(peer) as environment, tempfile.TemporaryDirectory() as root:
            life = Life(programs, root, environment, options.show)
            live(life, block, workspaces)
            hold(life, block)
            if name == "pg":
                keep_texts(life, block)
            applies = crowd(life, block, options.members, options.applies)
    except peers.Unavailable as why:
        print("%s: skipped: %s" % (name, why))
        return None
    text = "%s: %d commands, %s, %d failed" % (name, life.count, applies, len(life.failed))
    print("\n".join(["FAIL %s: %s" % (name, failure) for failure in life.failed] + [text]), flush=True)
    return len(life.failed)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", required=True)
    parser.add_argument("--other", default="/usr/local/bin/tofu")
    parser.add_argument("--show", action="store_true")
    parser.add_argument("--members", type=int, default=3, help="how many change a state at once")
    parser.add_argument("--applies", type=int, default=12, help="their applies together")
    parser.add_argument("--only", action="append", help="the name of a backend; may be repeated")
    parser.add_argument("--jobs", type=int, default=6, help="backends at once: they wait most of the time")
    parser.add_argument("--quick", action="store_true", help="without the services of peers.SLOW")
    options = parser.parse_args()
    programs = [os.path.abspath(options.binary)]
    if os.access(options.other, os.X_OK):
        programs.append(options.other)
    chosen = [row for row in BACKENDS
              if (not options.only or row[0] in options.only) and not (options.quick and row[1] in peers.SLOW)]
    with concurrent.futures.ThreadPoolExecutor(1 if options.show else options.jobs) as pool:
        failures = [count for count in pool.map(lambda row: test(options, programs, *row), chosen) if count is not None]
    sys.exit(1 if any(failures) else 0 if failures else 77)


if __name__ == "__main__":
    main()
