#!/usr/bin/env python3
"""Kills each command that writes a state, many times in one directory, and checks the files.

  kill_commands.py --binary PATH [--reference PATH] [--count N] [--objects N] [--seed N]

A life is a sequence of commands in one directory, most of them killed (SIGKILL) after a
random delay, a third of them with -lock=false. Often the next command runs, and is killed, before
the state is checked. Each check requires that:

- each object that was reported as created exists with the reported id, unless a later command
  removed it; no object exists that was reported as destroyed;
- objects that no command changed are unchanged; objects that a command moves, forgets or imports are
  as before that command or as after it;
- files beside the state are complete (a plan can be read, or does not exist), and no remains of a
  killed command block the next one.

With --reference that program reads the state after kinu and must show the same.
"""
import argparse
import collections
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time

CREATED = re.compile(r"^(terraform_data\.\S+): Creation complete after \d+s \[id=([^\]]+)\]$", re.M)
DESTROYED = re.compile(r"^(terraform_data\.\S+): Destruction complete after \d+s$", re.M)
DESTROYING = re.compile(r"^(terraform_data\.\S+): Destroying\.\.\. \[id=([^\]]+)\]$", re.M)
FILLING = "0123456789" * 60


class Life:
    def __init__(self, options, rng):
        self.options = options
        self.rng = rng
        self.directory = tempfile.mkdtemp(prefix="kinu-life-")
        self.env = {"PATH": os.environ.get("PATH", ""), "HOME": self.directory, "TZ": "UTC",
                    "TF_CLI_CONFIG_FILE": os.devnull}
        self.problems = []
        self.must = {}  # address -> id: must exist
        self.gone = set()  # ids that must not exist
        self.unlooked = 0  # kills since the last check
        self.version = 0
        self.configure()

    def path(self, name):
        return os.path.join(self.directory, name)

    def configure(self):
        """Writes a configuration with more objects than the last one."""
        self.version += 1
        count = self.options.objects * min(self.version, 3) // 3
        with open(self.path("main.tf"), "w", encoding="utf-8") as file:
            file.write('resource "terraform_data" "imported" {\n  input = null\n}\n')
            file.write('resource "terraform_data" "all" {\n  count = %d\n  input = "%s"\n}\n'
                       % (count, FILLING))
            for i in range(8):
                file.write('resource "terraform_data" "r%d" {\n  input = %s\n}\n' % (
                    i, "terraform_data.r%d.id" % (i - 1) if i else '"root"'))

    def start(self, words, out):
        return subprocess.Popen([self.options.binary, *words], cwd=self.directory, env=self.env,
                                stdin=subprocess.DEVNULL, stdout=out, stderr=out)

    def run(self, words, kill_after=None):
        """Returns the output up to the last complete line, and the exit code (-9: killed)."""
        log = self.path("log")
        with open(log, "w", encoding="utf-8") as out:
            process = self.start(words, out)
            if kill_after is not None:
                time.sleep(kill_after)
                process.kill()
            code = process.wait(timeout=120)
        with open(log, encoding="utf-8") as file:
            text = file.read()
        return text[:text.rfind("\n") + 1], code

    def ids(self, binary):
        shown = subprocess.run([binary, "show", "-json"], cwd=self.directory, env=self.env,
                               capture_output=True, text=True, timeout=120, check=False)
        if shown.returncode != 0:
            self.problems.append("show failed: " + shown.stderr)
            return None
        resources = json.loads(shown.stdout).get("values", {}).get("root_module", {})
        return {r["address"]: r["values"]["id"] for r in resources.get("resources", [])}

    def check_state(self):
        """Compares the state with the possible ones. The actual state is the new starting point."""
        found = self.ids(self.options.binary)
        if found is None:
            return
        for address, identity in self.must.items():
            if found.get(address) != identity:
                self.problems.append("%s is %s, not %s" % (address, found.get(address), identity))
        for address, identity in found.items():
            if identity in self.gone:
                self.problems.append("%s was destroyed and is there" % address)
        if self.options.reference and self.rng.random() < 0.2:
            if self.ids(self.options.reference) != found:
                self.problems.append("the reference reads another state")
        if os.path.exists(self.path(".terraform.tfstate.journal")):
            self.problems.append("the journal is there after the state was read")
        self.must = found
        self.unlooked = 0

    def end(self):
        """After one more command, without a kill, no temporary file is left beside the state."""
        self.check_state()
        for words in (["apply", "-auto-approve", "-no-color"], ["plan", "-out=p"]):
            text, code = self.run(words)
            if code != 0:
                self.problems.append("the last %s failed: %s" % (words[0], text[-2000:]))
        left = [n for n in os.listdir(self.directory) if n.endswith((".new", ".journal", ".info"))]
        if left:
            self.problems.append("left in the end: %s" % left)

    # For each command: its arguments, and what its output says about the state.

    def created_and_destroyed(self, text):
        for address, identity in DESTROYING.findall(text):
            if self.must.get(address) == identity:
                del self.must[address]  # may or may not exist
        for address in DESTROYED.findall(text):
            begun = dict(DESTROYING.findall(text))
            if begun.get(address) != "given":  # can be imported again
                self.gone.add(begun.get(address))
        for address, identity in CREATED.findall(text):
            self.must[address] = identity

    def apply(self):
        if self.rng.random() < 0.5:
            self.configure()
        return ["apply", "-auto-approve", "-no-color"], self.created_and_destroyed

    def replace(self):
        words = ["apply", "-auto-approve", "-no-color"]
        return words + ["-replace=terraform_data.r%d" % self.rng.randrange(8)
                        for _ in range(3)], self.created_and_destroyed

    def destroy(self):
        words = ["destroy", "-auto-approve", "-no-color"]
        if self.rng.random() < 0.6:
            words.append("-target=terraform_data.r%d" % self.rng.randrange(8))
        return words, self.created_and_destroyed

    def refresh(self):
        return ["refresh", "-no-color"], lambda text: None

    def move(self):
        if not self.must:
            return self.apply()
        source = self.rng.choice(sorted(self.must))
        target = "terraform_data.moved%d" % self.rng.randrange(10**6)
        identity = self.must[source]

        def moved(_):
            found = self.ids(self.options.binary) or {}
            here = [a for a in (source, target) if found.get(a) == identity]
            if len(here) != 1:
                self.problems.append("%s was to be moved to %s: it is under %s" % (
                    source, target, here))
            self.must.pop(source, None)
        return ["state", "mv", source, target], moved

    def remove(self):
        if not self.must:
            return self.apply()
        source = self.rng.choice(sorted(self.must))
        return ["state", "rm", source], lambda text: self.must.pop(source, None)

    def taint(self):
        if not self.must:
            return self.apply()
        return [self.rng.choice(["taint", "untaint"]), self.rng.choice(sorted(self.must))], \
            lambda text: None

    def import_object(self):
        if "terraform_data.imported" in self.must:
            return ["state", "rm", "terraform_data.imported"], \
                lambda text: self.must.pop("terraform_data.imported", None)
        self.gone.discard("given")  # may exist again from now on

        def imported(text):
            if "Import successful" in text:
                self.must["terraform_data.imported"] = "given"
        return ["import", "-no-color", "terraform_data.imported", "given"], imported

    def push(self):
        """Pushes the state with a higher serial number."""
        pulled = subprocess.run([self.options.binary, "state", "pull"], cwd=self.directory,
                                env=self.env, capture_output=True, text=True, check=False)
        if not pulled.stdout:
            return self.apply()
        state = json.loads(pulled.stdout)
        state["serial"] += 1
        with open(self.path("pushed"), "w", encoding="utf-8") as file:
            json.dump(state, file)
        return ["state", "push", "pushed"], lambda text: None

    def plan(self):
        return ["plan", "-out=p", "-no-color"], lambda text: None

    def others(self):
        return self.rng.choice([["init", "-no-color"], ["workspace", "list"], ["state", "list"],
                                ["output"], ["fmt"], ["validate"]]), lambda text: None

    LOCKING = ("apply", "destroy", "refresh", "state", "taint", "untaint", "import", "plan")
    WITHOUT_LOCK_FLAG = ("list", "pull")

    def step(self, times):
        """Runs one command, with or without a kill."""
        kind = self.rng.choices(
            ["apply", "replace", "destroy", "move", "remove", "taint", "import_object", "push",
             "plan", "refresh", "others"], [6, 2, 3, 2, 1, 1, 3, 1, 1, 1, 1])[0]
        earliest = 0
        if self.options.only and (self.must or self.options.only == "import_object"):
            kind, earliest = self.options.only, 0.5
        if self.unlooked and kind not in ("apply", "replace", "destroy", "plan", "refresh"):
            self.check_state()
        words, meaning = getattr(self, kind)()
        if words[0] in self.LOCKING and (len(words) < 2 or
                                         words[1] not in self.WITHOUT_LOCK_FLAG):
            if self.rng.random() < 0.33:
                at = 2 if words[0] == "state" else 1
                words = words[:at] + ["-lock=false"] + words[at:]
        kill = self.rng.random() < 0.9
        begin = time.monotonic()
        text, code = self.run(words, self.rng.uniform(earliest * times[kind], times[kind])
                              if kill else None)
        took = time.monotonic() - begin
        said = ("is not currently tainted", "No state file was found")  # possible after a kill
        if code not in (0, -9) and not any(words in text for words in said):
            self.problems.append("%s: exit %d: %s" % (words, code, text[-2000:]))
        if code == 0:
            times[kind] = 0.7 * times[kind] + 0.3 * took if kill else max(0.01, took)
        meaning(text)
        if code == -9:
            self.unlooked += 1
        if kind == "plan" and os.path.exists(self.path("p")):
            shown = subprocess.run([self.options.binary, "show", "p"], cwd=self.directory,
                                   env=self.env, capture_output=True, text=True, check=False)
            if shown.returncode != 0:
                self.problems.append("a damaged plan: " + shown.stderr)
            os.remove(self.path("p"))
        if code == 0 or self.rng.random() < 0.5:
            self.check_state()
        if self.problems:
            self.problems[-1] += " (after %s, exit %d)" % (words, code)
        return kind, code == -9, "-lock=false" in words


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", required=True)
    parser.add_argument("--reference")
    parser.add_argument("--count", type=int, default=60, help="how many kills")
    parser.add_argument("--objects", type=int, default=150)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", help="one kind of command, killed in the second half of its time")
    options = parser.parse_args()
    options.binary = os.path.abspath(options.binary)
    rng = random.Random(options.seed)
    times = collections.defaultdict(lambda: 0.2)
    kills = collections.Counter()
    unlocked = failed = lives = 0
    while kills.total() < options.count:
        lives += 1
        life = Life(options, rng)
        try:
            for _ in range(30):
                kind, killed, without_lock = life.step(times)
                kills[kind] += killed
                unlocked += killed and without_lock
                if life.problems or kills.total() >= options.count:
                    break
            if not life.problems:
                life.end()
        finally:
            if not life.problems:
                shutil.rmtree(life.directory, ignore_errors=True)
        for problem in life.problems:
            failed += 1
            print("FAIL life %d (%s): %s" % (lives, life.directory, problem), flush=True)
    print("kills: %d in %d lives, %d of them without a lock; %s" % (
        kills.total(), lives, unlocked, dict(kills)))
    print("kill commands: %d problems" % failed)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
