#!/usr/bin/env python3
"""Lets a provider fail in each of its calls, and checks diagnostics, state and what really exists.

  provider_faults.py --binary PATH {--provider PATH | --mirror DIRECTORY} [--update] [--reference PATH] [NAME...]

The provider fails as FAULTY says (tests/providers/faulty). Each case runs one command and is one line of
provider_faults.txt: exit code, summaries of the diagnostics without duplicates, objects of the state, objects that
exist; for this program and for the reference (which leaves the sockets of crashed providers). --update (KINU_UPDATE=1) records anew, with --reference also the
reference's part, and writes docs/provider-faults.md from it. --mirror is the mirror of a build, whose provider is used. No process, socket or directory may be left.
"""
import argparse
import concurrent.futures
import functools
import json
import os
import platform
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
RECORD = os.path.join(HERE, "provider_faults.txt")
PAGE = os.path.join(os.path.dirname(os.path.dirname(HERE)), "docs", "provider-faults.md")
BASE = """terraform {
  required_providers {
    faulty = { source = "example.com/test/faulty" }
  }
}
variable "value" { default = "one" }
variable "name" { default = "a" }
"""
THING = """resource "faulty_thing" "a" {
  name  = var.name
  value = var.value
}
resource "terraform_data" "after" {
  input = faulty_thing.a.id
}
"""
DATA = """data "faulty_lookup" "l" {
}
"""
EPHEMERAL = """ephemeral "faulty_token" "t" {
}
resource "faulty_thing" "p" {
  name     = "p"
  password = ephemeral.faulty_token.t.id
}
"""
FUNCTION = """output "f" {
  value = provider::faulty::echo(var.value)
}
"""
IMPORT = """import {
  to = faulty_thing.b
  id = "b"
}
resource "faulty_thing" "b" {
  name = "b"
}
"""
MOVE = """moved {
  from = terraform_data.m
  to   = faulty_thing.a
}
"""
PLAN = ["plan", "-json", "-parallelism=1"]
APPLY = ["apply", "-auto-approve", "-json", "-parallelism=1"]
DESTROY = ["destroy", "-auto-approve", "-json", "-parallelism=1"]
UPDATE = ["-var", "value=two"]
REPLACE = ["-var", "name=b"]

TRANSPORT = ["crash", "hang", "error", "malformed", "reset", "goaway", "drop"]
LARGE = ["huge", "flood"]
OBJECT = ["garbage", "type", "null", "problem"]
THINGS = OBJECT + ["unknown", "write"]
FAULTS = {
    "crash": "the process ends",
    "hang": "no answer until an interrupt",
    "error": "the call fails with a status",
    "malformed": "the response is no message",
    "reset": "the stream is reset",
    "goaway": "the connection takes no more calls",
    "drop": "the connection is closed",
    "huge": "the response has 200 MB",
    "flood": "100,000 lines of log before the answer",
    "garbage": "the object is no encoded value",
    "type": "the object is a string",
    "null": "there is no object",
    "problem": "the provider reports an error",
    "unknown": "the object's id is unknown",
    "none": "there is no imported object",
    "two": "there are two imported objects",
    "write": "a write-only attribute has a value",
}
# What each command does: (call, what is done, configuration, whether there is a state, arguments, faults).
COMMANDS = [
    ("GetProviderSchema", "plan", THING, True, PLAN, TRANSPORT + LARGE),
    ("GetResourceIdentitySchemas", "plan", THING, True, PLAN, TRANSPORT),
    ("ValidateProviderConfig", "plan", THING, True, PLAN, TRANSPORT),
    ("ConfigureProvider", "plan", THING, True, PLAN, TRANSPORT + LARGE),
    ("ValidateResourceConfig", "plan", THING, True, PLAN, TRANSPORT + ["problem"]),
    ("ValidateDataResourceConfig", "plan", DATA, False, PLAN, TRANSPORT),
    ("ValidateEphemeralResourceConfig", "plan", EPHEMERAL, False, PLAN, TRANSPORT),
    ("CallFunction", "plan", FUNCTION, False, PLAN, TRANSPORT + LARGE + ["garbage", "null"]),
    ("UpgradeResourceState", "plan", THING, True, PLAN, TRANSPORT + LARGE + ["garbage", "type", "null", "unknown", "write"]),
    ("UpgradeResourceIdentity", "plan", THING, True, PLAN, TRANSPORT + ["problem"]),
    ("ReadResource", "plan", THING, True, PLAN, TRANSPORT + LARGE + THINGS),
    ("ReadDataSource", "plan", DATA, False, PLAN, TRANSPORT + LARGE + OBJECT),
    ("OpenEphemeralResource", "plan", EPHEMERAL, False, PLAN, TRANSPORT + LARGE + OBJECT),
    ("CloseEphemeralResource", "plan", EPHEMERAL, False, PLAN, TRANSPORT + ["problem"]),
    ("ImportResourceState", "plan", THING + IMPORT, True, PLAN,
     TRANSPORT + LARGE + THINGS + ["none", "two"]),
    ("MoveResourceState", "plan", THING + MOVE, "move", PLAN, TRANSPORT + THINGS),
    ("PlanResourceChange", "create", THING, False, PLAN, TRANSPORT + LARGE + THINGS),
    ("PlanResourceChange", "update", THING, True, PLAN + UPDATE, TRANSPORT + THINGS),
    ("PlanResourceChange", "replace", THING, True, PLAN + REPLACE, THINGS),
    ("PlanResourceChange", "apply of a saved plan", THING, True, UPDATE, TRANSPORT + THINGS),
    ("ApplyResourceChange", "create", THING, False, APPLY, TRANSPORT + LARGE + THINGS),
    ("ApplyResourceChange", "update", THING, True, APPLY + UPDATE, TRANSPORT + LARGE + THINGS),
    ("StopProvider", "create that hangs", THING, False, APPLY, ["crash", "hang", "error", "malformed", "reset"]),
    ("ApplyResourceChange", "replace", THING, True, APPLY + REPLACE, TRANSPORT + THINGS),
    ("ApplyResourceChange", "destroy", THING, True, DESTROY, TRANSPORT + LARGE + THINGS),
]


def cases():
    for command in COMMANDS:
        for fault in command[5]:
            yield "%s, %s, %s" % (command[0], command[1], fault), command, fault


class Side:
    """A program with its working directories."""

    def __init__(self, binary, provider, root):
        self.binary = os.path.abspath(binary)
        self.root = tempfile.mkdtemp(dir=root)
        package = os.path.join(self.root, "mirror/example.com/test/faulty/1.0.0",
                               "linux_" + {"x86_64": "amd64", "aarch64": "arm64"}[platform.machine()])
        os.makedirs(package)
        os.symlink(os.path.abspath(provider), os.path.join(package, "terraform-provider-faulty_v1.0.0"))
        self.config = os.path.join(self.root, "cli.tfrc")
        write(self.config, 'provider_installation {\n  filesystem_mirror {\n    path = "%s/mirror"\n  }\n}\n' % self.root)
        self.starts = {state: self.start(state) for state in (False, True, "move")}

    def start(self, state):
        """A directory where the configuration is installed, with the state that cases begin with."""
        directory = os.path.join(self.root, "start-%s" % state)
        for part in ("exists", "tmp"):
            os.makedirs(os.path.join(directory, part))
        write(os.path.join(directory, "main.tf"),
              BASE + THING if state != "move" else BASE + 'resource "terraform_data" "m" {\n}\n' + DATA)
        commands = [["init"]] + [["apply", "-auto-approve"]] * bool(state)
        for arguments in commands:
            done = self.run(directory, arguments)
            if done[0] != 0:
                sys.exit("%s %s: %s" % (self.binary, arguments[0], done[1:]))
        if state == "move":
            write(os.path.join(directory, "exists", "a"), "one")
        return directory

    def run(self, directory, arguments, fault=""):
        """(exit code, standard output, interrupts) of a command. One that hangs is interrupted."""
        # Schemas that an earlier case cached are not asked for again.
        home = directory if fault.startswith(("Get", "UpgradeResourceIdentity")) else self.root
        environment = {"PATH": os.environ.get("PATH", ""), "HOME": home, "TZ": "UTC", "LANG": "C.UTF-8",
                       "TMPDIR": os.path.join(directory, "tmp"), "TF_CLI_CONFIG_FILE": self.config,
                       "FAULTY": fault, "FAULTY_DIRECTORY": os.path.join(directory, "exists")}
        with tempfile.TemporaryFile("w+") as output:
            process = subprocess.Popen([self.binary] + arguments, cwd=directory, env=environment, stdout=output,
                                       stderr=subprocess.STDOUT)
            interrupts = 0
            if "=hang" in fault:
                marker = os.path.join(directory, "exists", ".hang")
                while process.poll() is None and not os.path.exists(marker):
                    time.sleep(0.01)
                while interrupts < 2 and process.poll() is None:
                    time.sleep(0.1)
                    process.send_signal(signal.SIGINT)
                    interrupts += 1
                    try:
                        process.wait(timeout=6)
                    except subprocess.TimeoutExpired:
                        pass
            try:
                code = process.wait(timeout=120)
            except subprocess.TimeoutExpired:
                process.kill()
                code = "no end"
            output.seek(0)
            return code, output.read(), interrupts

    def outcome(self, case, sockets):
        name, (call, what, text, state, arguments, _), fault = case
        directory = tempfile.mkdtemp(dir=self.root)
        shutil.rmtree(directory)
        shutil.copytree(self.starts[state], directory, symlinks=True)
        write(os.path.join(directory, "main.tf"), BASE + text)
        if what.endswith("saved plan"):
            self.run(directory, ["plan", "-out=plan"] + arguments)
            arguments = ["apply", "-json", "-parallelism=1", "plan"]
        faults = "%s=%s" % (call, fault)
        if call == "StopProvider":
            faults = "ApplyResourceChange=hang," + faults
        code, output, interrupts = self.run(directory, arguments, faults)
        told = "; ".join(sorted(set(summaries(output)))) or "nothing"
        if interrupts > 1:
            told += "; after a second interrupt"
        left = os.listdir(os.path.join(directory, "tmp")) if sockets else []
        line = "%s; %s; state: %s; exists: %s%s" % (code, told, kept(directory), existing(directory),
                                                   "; left: %s" % left if left else "")
        shutil.rmtree(directory)
        return line


def processes_of(directory):
    """The processes that were started with this directory in their environment."""
    found = []
    for number in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open("/proc/%s/environ" % number, "rb") as file:
                if directory.encode() in file.read():
                    found.append(int(number))
        except OSError:
            pass
    return found


def killed(side):
    """Kills a program whose provider works: what is wrong afterwards."""
    directory = os.path.join(side.root, "killed")
    shutil.copytree(side.starts[False], directory, symlinks=True)
    environment = {"PATH": os.environ.get("PATH", ""), "HOME": side.root, "TF_CLI_CONFIG_FILE": side.config,
                   "TMPDIR": os.path.join(directory, "tmp"), "FAULTY": "ApplyResourceChange=hang",
                   "FAULTY_DIRECTORY": os.path.join(directory, "exists")}
    process = subprocess.Popen([side.binary] + APPLY, cwd=directory, env=environment,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    marker = os.path.join(directory, "exists", ".hang")
    while process.poll() is None and not os.path.exists(marker):
        time.sleep(0.01)
    process.kill()
    process.wait()
    end = time.monotonic() + 10
    while processes_of(directory) and time.monotonic() < end:
        time.sleep(0.05)
    # The directory of the socket is left to the next command, unless it is young.
    for name in os.listdir(environment["TMPDIR"]):
        os.utime(os.path.join(environment["TMPDIR"], name), (0, 0))
    code, output, _ = side.run(directory, APPLY)
    if os.listdir(environment["TMPDIR"]):
        return "left: %s" % os.listdir(environment["TMPDIR"])
    if processes_of(directory):
        return "processes are left: %s" % processes_of(directory)
    return "" if code == 0 and kept(directory) == "a=one" else "the next apply: %s\n%s" % (code, output)


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def summaries(output):
    for line in output.splitlines():
        try:
            message = json.loads(line)
        except ValueError:
            continue
        if message.get("type") == "diagnostic":
            one = message["diagnostic"]
            # OpenTofu's summaries of failed schemas contain the whole error.
            yield ("" if one["severity"] == "error" else "?") + one["summary"].split(": The plugin")[0]


def kept(directory):
    path = os.path.join(directory, "terraform.tfstate")
    if not os.path.exists(path) or os.path.getsize(path) == 0:  # a lock on it makes an empty one
        return "none"
    with open(path, encoding="utf-8") as file:
        state = json.load(file)
    out = []
    for resource in state["resources"]:
        for instance in resource["instances"]:
            if resource["type"] == "faulty_thing":
                values = instance["attributes"]
                marks = [mark for mark, there in (("deposed", instance.get("deposed")),
                                                  (instance.get("status"), instance.get("status")),
                                                  ("secret", values.get("password"))) if there]
                out.append("%s=%s%s" % (values.get("name"), values.get("value"),
                                        " (%s)" % ", ".join(marks) if marks else ""))
    return ", ".join(sorted(out)) or "empty"


def existing(directory):
    out = []
    for name in sorted(os.listdir(os.path.join(directory, "exists"))):
        if not name.startswith("."):
            with open(os.path.join(directory, "exists", name), encoding="utf-8") as file:
                out.append("%s=%s" % (name, file.read()))
    return ", ".join(out) or "nothing"


def page(text):
    """The page that shows the record."""
    lines = ["# Faults of providers", "",
             "What a command reports when a call of a provider fails, what its state contains then, and what really",
             "exists. The tables are made by `tests/e2e/provider_faults.py` from real runs, with a provider in C++ that",
             "fails as it is told ([tests/providers/faulty](../tests/providers/faulty/main.cc)). Where OpenTofu 1.12.6 has",
             "another outcome, it follows in parentheses. Warnings have a `?`. An object is `name=value`; errors of a",
             "provider named `Failed as told` are its own."]
    heading = None
    for line in text.splitlines():
        name, ours, theirs = line.split(" | ")
        call, what, fault = name.split(", ")
        if (call, what) != heading:
            heading = (call, what)
            lines += ["", "## %s: %s" % heading, "", "| fault | reports | state | exists |", "|---|---|---|---|"]
        parts, others = ours.split("; state: "), theirs.split("; state: ")
        cells = [parts[0].split("; ", 1)[1]] + parts[1].split("; exists: ")
        their_cells = [others[0].split("; ", 1)[1]] + others[1].split("; exists: ")
        shown = [a if a == b else "%s (%s)" % (a, b) for a, b in zip(cells, their_cells)]
        lines.append("| %s | %s |" % (FAULTS[fault], " | ".join(shown)))
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", required=True)
    parser.add_argument("--provider")
    parser.add_argument("--mirror", default=".")
    parser.add_argument("--update", action="store_true", default=bool(os.environ.get("KINU_UPDATE")))
    parser.add_argument("--reference")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    options.provider = options.provider or os.path.join(os.path.dirname(os.path.abspath(options.mirror)),
                                                        "src/sdk/terraform-provider-faulty")
    wanted = [case for case in cases() if all(name in case[0] for name in options.names)]
    recorded = {}
    if os.path.exists(RECORD):
        with open(RECORD, encoding="utf-8") as file:
            recorded = {line.split(" | ")[0]: line.rstrip("\n").split(" | ")[1:] for line in file}
    outcomes = {}
    problem = ""
    with tempfile.TemporaryDirectory(prefix="faults-") as root, \
            concurrent.futures.ThreadPoolExecutor(6) as pool:  # cases mostly wait
        binaries = [options.binary] + ([options.reference] if options.reference else [])
        for binary in binaries:
            side = Side(binary, options.provider, root)
            ours = binary == options.binary
            if ours and not options.names:
                problem = killed(side)
            outcomes[binary] = dict(zip([case[0] for case in wanted], pool.map(
                functools.partial(side.outcome, sockets=ours), wanted)))
    differing = 0
    if problem:
        differing += 1
        print("a killed program: " + problem)
    for case in wanted:
        ours = outcomes[options.binary][case[0]]
        theirs = outcomes.get(options.reference, {}).get(case[0])
        want = recorded.get(case[0], ["", ""])
        if options.names or not options.update:
            if ours != want[0]:
                differing += 1
                print("%s\n  want %s\n  got  %s" % (case[0], want[0], ours))
            if theirs is not None and theirs != ours:
                print("%s\n  reference %s\n  ours      %s" % (case[0], theirs, ours))
        recorded[case[0]] = [ours, want[1] if theirs is None else theirs]
    text = "".join("%s | %s | %s\n" % (case[0], *recorded[case[0]]) for case in cases() if case[0] in recorded)
    if options.update:
        write(RECORD, text)
        write(PAGE, page(text))
        return 0
    if not options.names:
        with open(PAGE, encoding="utf-8") as file:
            if file.read() != page(text) and not differing:
                differing += 1
                print("docs/provider-faults.md is not what the record says")
    print("%d faults, %d differ" % (len(wanted), differing))
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
