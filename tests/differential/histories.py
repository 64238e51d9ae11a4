#!/usr/bin/env python3
"""Applies random sequences of changes with two programs and compares the results.

A history is a configuration of resources, data sources and checks in the root and in modules, and
a few steps: change it, move, remove, import, fail, drift, taint, target, destroy. Both programs plan
and apply each step in their own directories. Compared are exit codes, diagnostics, the plan as JSON,
the graph of the plan (which row waits for which), the objects of the apply and whether they kept that
order, and the state. Identifiers are replaced by their order of appearance.

A quarter of the histories uses real providers: null, random, tfcoremock and the one in
tests/providers, installed according to TF_CLI_CONFIG_FILE.

    histories.py --binary build/dev/src/cli/tofu --reference tofu --count 100
    histories.py --binary … --reference … --seed 4711          # one of them again
    histories.py --binary … --corpus tests/differential/corpus # against recorded answers
    histories.py --reference … --corpus … --record SEED…       # record them; KINU_UPDATE=1: by --binary

With --answers DIR the reference's results are stored there and reused.
With --providers MIRROR the providers are started from that filesystem mirror once per history and
program, and the programs attach to them: much faster, as neither verifies nor starts them again.
"""

import argparse
import concurrent.futures
import contextlib
import difflib
import glob
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

from random_worlds import World

UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", re.I)
NUMBER = re.compile(r"\b\d{15,20}\b")
UNSTABLE = "not the same order each time"


class Providers:
    """Provider processes that both programs attach to during a history."""

    NAMES = ("hashicorp/null", "hashicorp/random", "hashicorp/tfcoremock", "kinu/kinutest")
    HOST = "registry.opentofu.org"

    def __init__(self, mirror, directory):
        self.processes = []
        self.addresses = {}
        for name in self.NAMES:
            found = glob.glob(os.path.join(mirror, self.HOST, name, "*", "*", "terraform-provider-*"))
            if not found:
                raise RuntimeError("no provider %s in %s" % (name, mirror))
            self.processes.append(subprocess.Popen(
                [sorted(found)[-1], "-debug"], cwd=directory, stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True))
        for name, process in zip(self.NAMES, self.processes):
            for line in process.stdout:
                said = re.search(r"TF_REATTACH_PROVIDERS='(.*)'", line)
                if said:
                    self.addresses["%s/%s" % (self.HOST, name)], = json.loads(said[1]).values()
                    break

    def __enter__(self):
        return json.dumps(self.addresses)

    def __exit__(self, *_):
        for process in self.processes:
            process.kill()
            process.wait()
            process.stdout.close()


class Side:
    """One program in its own directory."""

    def __init__(self, binary, directory, environment):
        self.binary = binary
        self.directory = directory
        self.environment = environment
        self.known = {}
        self.modules = None  # the installed ones
        self.looks = 1  # how often the order of a plan is read

    def run(self, *args):
        return subprocess.run([self.binary, *args], cwd=self.directory, env=self.environment,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=120)

    def name(self, match):
        found = match.group(0).lower()
        return self.known.setdefault(found, "id%d" % len(self.known))

    def normal(self, value):
        """JSON as text. Identifiers are replaced by their order of appearance."""
        settle(value, masked)
        text = json.dumps(value, indent=1, sort_keys=True)
        text = UUID.sub(self.name, text)
        text = NUMBER.sub(self.name, text)
        text = re.sub(r'("deposed(?:_key)?": )"([0-9a-f]{8})"', r'\1"KEY"', text)
        text = re.sub(r"\(destroy deposed [0-9a-f]{8}\)", "(destroy deposed KEY)", text)
        # If nothing else distinguishes two of them, their names from earlier steps do.
        value = json.loads(text)
        settle(value, lambda entry: json.dumps(entry, sort_keys=True))
        return json.dumps(value, indent=1, sort_keys=True)


def masked(entry):
    """The text of an object without random parts."""
    text = json.dumps(entry, sort_keys=True)
    return re.sub(r'"[0-9a-f]{8}"', "", NUMBER.sub("", UUID.sub("", text)))


def settle(value, text_of):
    """Deposed objects are ordered by random keys, and instances with keys of two kinds are not ordered:
    sorts both by their text."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if key == "instances" and isinstance(inner, list):
                inner.sort(key=lambda i: (str(i.get("index_key")), "deposed" in i, text_of(i)))
            if key in ("resources", "resource_changes") and isinstance(inner, list):
                place = {}
                for entry in inner:
                    place.setdefault(entry.get("address"), len(place))
                inner.sort(key=lambda e: (place[e.get("address")],
                                          "deposed" in e or "deposed_key" in e,
                                          text_of(e) if "deposed" in e or "deposed_key" in e
                                          else ""))
            settle(inner, text_of)
    elif isinstance(value, list):
        for inner in value:
            settle(inner, text_of)


def diagnostics(process):
    """Severity and summary of each diagnostic, sorted."""
    found = re.findall(r"^(?:│ )?(Error|Warning): (.*)$",
                       process.stdout + "\n" + process.stderr, re.M)
    out = []
    for severity, summary in found:
        if summary.startswith("Cycle:"):
            parts = sorted(p.strip() for p in summary[6:].split(","))
            summary = "Cycle"  # which objects are listed depends on the terminal's width
            del parts
        out.append("%s: %s" % (severity, re.sub(r"deposed [0-9a-f]{8}", "deposed KEY", summary)))
    return sorted(out)


def events(process):
    """The messages of a stream."""
    out = []
    for line in process.stdout.splitlines():
        try:
            message = json.loads(line)
        except ValueError:
            continue
        if isinstance(message, dict):
            out.append(message)
    return out


def messages(process):
    """Diagnostics and finished operations in a stream of JSON messages."""
    out = []
    for message in events(process):
        if message.get("type") == "diagnostic":
            diagnostic = message["diagnostic"]
            out.append("%s: %s" % (diagnostic["severity"], diagnostic["summary"].split(":")[0]))
        elif message.get("type") in ("apply_start", "apply_complete", "apply_errored"):
            hook = message["hook"]
            out.append("%s %s %s" % (message["type"], hook["resource"]["addr"], hook["action"]))
    return sorted(set(out))


EDGE = re.compile(r'^\t\t"((?:[^"\\]|\\.)*)" -> "((?:[^"\\]|\\.)*)"$', re.M)


def order_of(side, path):
    """Which row waits for which while the plan is applied: the transitive edges of the graph."""
    drawn = side.run("graph", "-plan=" + path)
    if drawn.returncode != 0:
        return "no graph"
    waits = {}
    for a, b in EDGE.findall(drawn.stdout):
        waits.setdefault(a, set()).add(b)
        waits.setdefault(b, set())
    reached = {}

    def reach(node):
        stack = [node]
        while stack:
            top = stack[-1]
            if top in reached:
                stack.pop()
                continue
            missing = [n for n in waits[top] if n not in reached]
            if missing:
                stack.extend(missing)
                continue
            reached[top] = set(waits[top]).union(*(reached[n] for n in waits[top]))
            stack.pop()
        return reached[node]

    def row(name):
        name = name.replace("[root] ", "").replace('\\"', '"')
        if re.search(r"\((expand|close|reference)\b|^provider\[|^root$|(^|\.)(var|local|output|"
                     r"check)\.|^meta\.|^module\.[^.]*$", name):
            return None
        if re.search(r"(^|\.)data\..*\(destroy\)$", name):
            return None  # no provider is called to forget a data source
        return re.sub(r"deposed [0-9a-f]{8}", "deposed KEY", name)

    out = set()
    for name in waits:
        if row(name):
            out.add(row(name))
            for other in reach(name):
                if row(other) and row(other) != row(name):
                    out.add("%s waits for %s" % (row(name), row(other)))
    return "\n".join(sorted(out))


def violations(order, process):
    """Rows that started before the end of one that they wait for."""
    waits = {}
    for line in order.splitlines():
        if " waits for " in line:
            a, b = line.split(" waits for ")
            waits.setdefault(a, []).append(b)
    running, ended, out = {}, {}, []

    def names(hook):
        address = hook["resource"]["addr"]
        if hook["action"] != "delete":
            return [address]
        return [address + " (destroy)", address + " (destroy deposed KEY)"]

    total = {}
    stream = [m for m in events(process)
              if m.get("type") in ("apply_start", "apply_complete", "apply_errored")]
    for message in stream:
        if message["type"] == "apply_start":
            for name in names(message["hook"]):
                total[name] = total.get(name, 0) + 1
    for message in stream:
        for name in names(message["hook"]):
            if message["type"] == "apply_start":
                running[name] = True
                if total[name] > 1:
                    continue  # several objects of one address are destroyed
                for other in waits.get(name, []):
                    if total.get(other, 0) == 1 and ended.get(other, 0) == 0:
                        out.append("%s before %s" % (name, other))
            else:
                ended[name] = ended.get(name, 0) + 1
    return out


def plan_document(side, path):
    shown = side.run("show", "-json", path)
    try:
        document = json.loads(shown.stdout)
    except ValueError:
        return "no plan: " + shown.stderr
    document.pop("timestamp", None)
    document["relevant_attributes"] = sorted(document.get("relevant_attributes", []), key=str)
    for check in document.get("checks", []):
        check.get("instances", []).sort(key=str)
    sort_lists(document)
    return side.normal(document)


def sort_lists(value):
    """Sorts dependency lists and modules, which have no order. A failed apply of OpenTofu sometimes
    leaves modules without objects: they are removed."""
    if isinstance(value, dict):
        modules = [m for m in value.get("child_modules", []) if set(m) != {"address"}]
        if modules:
            value["child_modules"] = sorted(modules, key=lambda module: module.get("address", ""))
        else:
            value.pop("child_modules", None)
        for key, inner in value.items():
            if key in ("depends_on", "dependencies") and isinstance(inner, list):
                inner.sort(key=str)
            sort_lists(inner)
    elif isinstance(value, list):
        for inner in value:
            sort_lists(inner)


def state_document(side):
    path = os.path.join(side.directory, "terraform.tfstate")
    if not os.path.exists(path):
        return "no state"
    with open(path) as handle:
        state = json.load(handle)
    # OpenTofu writes an unchanged state again if the order of such a list differs.
    for key in ("lineage", "terraform_version", "serial"):
        state.pop(key, None)
    for check in state.get("check_results") or []:
        (check.get("objects") or []).sort(key=str)
    (state.get("check_results") or []).sort(key=str)
    # A failed destroy of OpenTofu sometimes leaves resources without objects.
    state["resources"] = [r for r in state.get("resources", []) if r.get("instances")]
    sort_lists(state)
    return side.normal(state)


def observe(side, options, commands):
    """Runs one step with one program. Returns a list of (kind, text)."""
    seen = []
    for command in commands:
        process = side.run(*command)
        seen.append((" ".join(command), "%d %s" % (process.returncode, diagnostics(process))))
    plan_path = os.path.join(side.directory, "plan.out")
    if os.path.exists(plan_path):
        os.remove(plan_path)
    planned = side.run("plan", "-no-color", "-out=plan.out", "-detailed-exitcode", *options)
    seen.append(("plan", "%d\n%s" % (planned.returncode, "\n".join(diagnostics(planned)))))
    if os.path.exists(plan_path):
        seen.append(("plan JSON", plan_document(side, "plan.out")))
        order = order_of(side, "plan.out")
        # OpenTofu drops edges between providers in random order.
        if any(order_of(side, "plan.out") != order for _ in range(side.looks - 1)):
            order = UNSTABLE
        seen.append(("order", order))
        applied = side.run("apply", "-json", "plan.out")
        seen.append(("apply", "%d\n%s" % (applied.returncode, "\n".join(messages(applied)))))
        seen.append(("order of the run", "\n".join(sorted(violations(order, applied)))))
    seen.append(("state", state_document(side)))
    return seen


def steps_of(seed):
    """The steps of a seed's history: writes the configuration, then yields options and commands."""
    rng = random.Random(seed)
    world = World(rng)
    for step in range(rng.randint(3, 6)):
        if step > 0:
            world.change()
        yield world, (world.options() if step > 0 else []), list(world.commands)


def clear(directory):
    for entry in os.listdir(directory):
        path = os.path.join(directory, entry)
        if entry.endswith(".tf"):
            os.remove(path)
        elif os.path.isdir(path) and re.fullmatch(r"m\d+", entry):
            shutil.rmtree(path)


def environment():
    env = {k: v for k, v in os.environ.items()
           if not k.startswith(("TF_", "TOFU_")) or k == "TF_CLI_CONFIG_FILE"}
    env["CHECKPOINT_DISABLE"] = "1"
    env["TF_IN_AUTOMATION"] = "1"
    env["GOGC"] = "400"
    return env


def prepare(side, world):
    clear(side.directory)
    os.makedirs(os.path.join(side.directory, "things"), exist_ok=True)
    world.disturb(side.directory)
    world.write(side.directory)
    modules = world.module_paths()
    if side.modules is None:
        side.run("init", "-no-color")
    elif side.modules != modules:
        side.run("get", "-no-color")  # the providers are installed
    side.modules = modules


def observe_history(seed, program, reference, directory, mirror=None):
    """The results of a program: a list of (kind, text) for each step."""
    side = Side(program, directory, environment())
    out = []
    with contextlib.ExitStack() as stack:
        for world, options, commands in steps_of(seed):
            if world.rich and mirror and not out:
                side.environment["TF_REATTACH_PROVIDERS"] = stack.enter_context(
                    Providers(mirror, directory))
            side.looks = 3 if world.rich and reference else 1
            prepare(side, world)
            out.append(observe(side, options, commands))
    return out


def answers_of(seed, reference, answers, mirror):
    """The reference's results, from the directory of answers if they are stored there."""
    path = os.path.join(answers, "%d.json" % seed) if answers else None
    if path and os.path.exists(path):
        with open(path) as handle:
            return json.load(handle)
    with tempfile.TemporaryDirectory(prefix="history-", ignore_cleanup_errors=True) as base:
        out = observe_history(seed, reference, True, base, mirror)
    if path:
        os.makedirs(answers, exist_ok=True)
        with open(path + ".new", "w") as handle:
            json.dump(out, handle)
        os.replace(path + ".new", path)
    return out


def fails_to_forget(options, theirs):
    """Whether OpenTofu, in a destroy with targets, has evaluated arguments of an object that it was about
    to forget after it destroyed the objects that they refer to. The following steps cannot be compared."""
    seen = dict(theirs)
    limited = "-destroy" in options and len(options) > 1
    return limited and "(forget)" in seen.get("order", "") and \
        "error: Invalid index" in seen.get("apply", "")


def compare(seed, binary, reference, answers, mirror):
    """The differences of the first step that has some, as text."""
    wanted = answers_of(seed, reference, answers, mirror)
    if not binary:
        return ""
    with tempfile.TemporaryDirectory(prefix="history-", ignore_cleanup_errors=True) as base:
        got = observe_history(seed, binary, False, base, mirror)
    every_option = [options for _, options, _ in steps_of(seed)]
    for number, (options, theirs, ours) in enumerate(zip(every_option, wanted, got)):
        report = []
        if fails_to_forget(options, theirs):
            return ""
        for (what, a), (_, b) in zip(theirs, ours):
            if a != b and UNSTABLE not in (a, b):
                lines = list(difflib.unified_diff(a.splitlines(), b.splitlines(), "reference",
                                                  "kinu", lineterm="", n=3))
                report.append("seed %d step %d %s: %s differs\n  %s" % (
                    seed, number, " ".join(options), what, "\n  ".join(lines[:60])))
        if len(theirs) != len(ours):
            report.append("seed %d step %d %s: only one side has a plan" % (
                seed, number, " ".join(options)))
        if report:
            return "\n".join(report)
    return ""


def record(seed, program):
    """The results of a program, by name."""
    with tempfile.TemporaryDirectory(prefix="history-", ignore_cleanup_errors=True) as base:
        return [dict(step) for step in observe_history(seed, program, False, base)]


def write_record(path, steps):
    with open(path, "w") as handle:
        json.dump(steps, handle, indent=1, sort_keys=True)
        handle.write("\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary")
    parser.add_argument("--reference")
    parser.add_argument("--seed", type=int)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--answers", help="directory that keeps what the reference did")
    parser.add_argument("--providers", help="filesystem mirror to start providers from")
    parser.add_argument("--log", help="file that gets a line per history that is done")
    parser.add_argument("--corpus")
    parser.add_argument("--record", type=int, nargs="*")
    options = parser.parse_args()
    for name in ("binary", "reference"):
        path = getattr(options, name)
        setattr(options, name, os.path.abspath(path) if path and os.sep in path else path)
    if options.record is not None:
        os.makedirs(options.corpus, exist_ok=True)
        for seed in options.record:
            write_record(os.path.join(options.corpus, "%d.json" % seed), record(seed, options.reference))
        return 0
    failed = 0
    if options.corpus:
        names = sorted(os.listdir(options.corpus))
        for name in names:
            with open(os.path.join(options.corpus, name)) as handle:
                wanted = json.load(handle)
            seed = int(name.split(".")[0])
            got = record(seed, options.binary)
            if os.environ.get("KINU_UPDATE"):
                write_record(os.path.join(options.corpus, name), got)
                continue
            for step, (a, b) in enumerate(zip(wanted, got)):
                for what in a:
                    if a[what] != b.get(what):
                        failed += 1
                        print("seed %d step %d: %s differs" % (seed, step, what))
                        print("\n".join(list(difflib.unified_diff(
                            a[what].splitlines(), (b.get(what) or "").splitlines(), "recorded",
                            "kinu", lineterm=""))[:40]))
        print("%d recorded histories, %d differences" % (len(names), failed))
        return 1 if failed else 0
    seeds = [options.seed] if options.seed is not None else \
        list(range(options.first, options.first + options.count))
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for seed, report in zip(seeds, pool.map(
                lambda s: compare(s, options.binary, options.reference, options.answers,
                                  options.providers), seeds)):
            if options.log:
                with open(options.log, "a") as log:
                    log.write("%d %s\n" % (seed, "differs" if report else "equal"))
            if report:
                failed += 1
                print(report, flush=True)
    print("%d histories, %d differ" % (len(seeds), failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
