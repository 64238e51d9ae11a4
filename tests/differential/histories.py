#!/usr/bin/env python3
"""Random configurations and what happens to them, on two programs side by side.

A history is a configuration of terraform_data resources in
the root and in modules, and a few steps: change it, move, remove, import, fail, taint, target,
destroy. Each step is planned and applied by both programs in directories of their own. Compared
are exit codes, diagnostics, the plan's JSON, the objects worked on, and the state; identifiers and
times are replaced by their order of appearance.

    histories.py --binary build/dev/src/cli/kinu --reference tofu --count 100
    histories.py --binary … --reference … --seed 4711          # one of them again
    histories.py --binary … --corpus tests/differential/corpus # against recorded answers
    histories.py --reference … --corpus … --record SEED…       # record them
"""

import argparse
import concurrent.futures
import difflib
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
DEPOSED = re.compile(r"(?<=deposed[ \":])[ \"]*[0-9a-f]{8}")
KEYS = ["a", "b", "c", "d"]


class Resource:
    """One block, as numbers and flags; its text is made from them."""

    def __init__(self, rng, name, earlier):
        self.name = name
        self.kind = rng.choice(["single", "single", "count", "each"])
        self.size = rng.randint(1, 3)
        self.keys = sorted(rng.sample(KEYS, self.size))
        self.input = rng.randint(0, 9)
        self.trigger = rng.randint(0, 3)
        self.first = rng.random() < 0.2
        self.ignore = rng.random() < 0.1
        self.condition = rng.random() < 0.2
        self.fails = False
        self.fails_destroy = False
        self.uses = []
        for other in rng.sample(earlier, min(len(earlier), rng.choice([0, 1, 1, 2]))):
            self.uses.append((other, rng.randint(0, 5)))
        self.depends = [rng.choice(earlier)] if earlier and rng.random() < 0.15 else []
        self.triggered = rng.choice(earlier) if earlier and rng.random() < 0.1 else None


class Module:
    def __init__(self, rng, name, earlier):
        self.name = name
        self.kind = rng.choice(["single", "count", "each"])
        self.size = rng.randint(1, 2)
        self.keys = sorted(rng.sample(KEYS, self.size))
        self.input = (rng.choice(earlier), rng.randint(0, 5)) if earlier else None
        self.depends = [rng.choice(earlier)] if earlier and rng.random() < 0.15 else []
        self.inner = []
        for i in range(rng.randint(1, 3)):
            self.inner.append(Resource(rng, "%s_%d" % (name, i), [r.name for r in self.inner]))
        self.takes_input = rng.random() < 0.7


class World:
    """The configuration as it is now, and how to change it."""

    def __init__(self, rng):
        self.rng = rng
        self.serial = 0
        self.resources = []
        self.modules = []
        self.extra = []      # moved, removed and import blocks of this step
        self.broken = False  # a directory's last apply failed
        for _ in range(rng.randint(2, 5)):
            self.add_resource()
        if rng.random() < 0.6:
            self.add_module()
        for _ in range(rng.randint(0, 2)):
            self.add_resource()
        self.local = rng.random() < 0.5

    def names(self):
        return [r.name for r in self.resources]

    def add_resource(self):
        self.serial += 1
        earlier = self.names() + ["module." + m.name for m in self.modules]
        self.resources.append(Resource(self.rng, "r%d" % self.serial, earlier))

    def add_module(self):
        self.serial += 1
        self.modules.append(Module(self.rng, "m%d" % self.serial, self.names()))

    # --- Text ---

    def reference(self, resources, name, style):
        """An expression for something of that name that fits what it is now."""
        if name.startswith("module."):
            module = next((m for m in self.modules if "module." + m.name == name), None)
            if module is None:
                return None
            if module.kind == "single":
                return "%s.out" % name
            if style % 2 == 0:
                return "jsonencode([for x in %s : x.out])" % (
                    name if module.kind == "count" else "values(%s)" % name)
            key = "0" if module.kind == "count" else '"%s"' % module.keys[0]
            return "%s[%s].out" % (name, key)
        other = next((r for r in resources if r.name == name), None)
        if other is None:
            return None
        at = "terraform_data.%s" % name
        if other.kind == "single":
            return at + (".id" if style % 2 else ".output")
        if style in (0, 1):
            return "jsonencode(%s)" % (at + "[*].id" if other.kind == "count"
                                       else "[for x in %s : x.id]" % at)
        if style == 2:
            return "tostring(length(%s))" % at
        key = "0" if other.kind == "count" else '"%s"' % other.keys[0]
        return "%s[%s].%s" % (at, key, "id" if style % 2 else "output")

    def resource_text(self, resources, r, extra_input=None):
        lines = ['resource "terraform_data" "%s" {' % r.name]
        if r.kind == "count":
            lines.append("  count = %d" % r.size)
        elif r.kind == "each":
            lines.append("  for_each = toset(%s)" % json.dumps(r.keys))
        parts = ["v%d" % r.input]
        if r.kind == "count":
            parts.append("${count.index}")
        elif r.kind == "each":
            parts.append("${each.key}")
        for name, style in r.uses:
            expression = self.reference(resources, name, style)
            if expression:
                parts.append("${%s}" % expression)
        if extra_input:
            parts.append("${%s}" % extra_input)
        lines.append('  input = "%s"' % "-".join(parts))
        lines.append("  triggers_replace = %d" % r.trigger)
        depends = [d for d in r.depends if self.reference(resources, d, 0)]
        if depends:
            lines.append("  depends_on = [%s]" % ", ".join(
                d if d.startswith("module.") else "terraform_data." + d for d in depends))
        life = []
        if r.first:
            life.append("    create_before_destroy = true")
        if r.ignore:
            life.append("    ignore_changes = [input]")
        if r.triggered and self.reference(resources, r.triggered, 0) and \
                not r.triggered.startswith("module."):
            life.append("    replace_triggered_by = [terraform_data.%s]" % r.triggered)
        if r.condition:
            life.append('    precondition {\n      condition = path.module != "none"\n      error_message = "no"\n'
                        '    }')
        if life:
            lines += ["  lifecycle {"] + life + ["  }"]
        if r.fails:
            lines.append('  provisioner "local-exec" {\n    command = "exit 1"\n  }')
        if r.fails_destroy:
            lines.append('  provisioner "local-exec" {\n    when = destroy\n'
                         '    command = "exit 1"\n  }')
        return "\n".join(lines + ["}", ""])

    def write(self, directory):
        text = []
        for r in self.resources:
            extra = "local.l" if self.local and r is self.resources[-1] and \
                len(self.resources) > 1 else None
            text.append(self.resource_text(self.resources, r, extra))
        if self.local and self.resources:
            text.append("locals {\n  l = %s\n}\n" % (
                self.reference(self.resources, self.resources[0].name, 1)))
        for m in self.modules:
            lines = ['module "%s" {' % m.name, '  source = "./%s"' % m.name]
            if m.kind == "count":
                lines.append("  count = %d" % m.size)
            elif m.kind == "each":
                lines.append("  for_each = toset(%s)" % json.dumps(m.keys))
            value = m.input and self.reference(self.resources, m.input[0], m.input[1])
            lines.append("  in = %s" % (value or '"x"'))
            depends = [d for d in m.depends if self.reference(self.resources, d, 0)]
            if depends:
                lines.append("  depends_on = [%s]" % ", ".join(
                    "terraform_data." + d for d in depends))
            text.append("\n".join(lines + ["}", ""]))
            inner = ['variable "in" {}\n']
            for r in m.inner:
                inner.append(self.resource_text(
                    m.inner, r, "var.in" if m.takes_input and r is m.inner[0] else None))
            last = self.reference(m.inner, m.inner[-1].name, 1) if m.inner else "var.in"
            inner.append('output "out" {\n  value = %s\n}\n' % last)
            os.makedirs(os.path.join(directory, m.name), exist_ok=True)
            with open(os.path.join(directory, m.name, "main.tf"), "w") as handle:
                handle.write("\n".join(inner))
        for r in self.resources:
            text.append('output "o_%s" {\n  value = %s\n}\n' % (
                r.name, self.reference(self.resources, r.name, 1)))
        with open(os.path.join(directory, "main.tf"), "w") as handle:
            handle.write("\n".join(text + self.extra))

    # --- Changes ---

    def any_resource(self):
        every = list(self.resources)
        for m in self.modules:
            every += m.inner
        return self.rng.choice(every) if every else None

    def change(self):
        rng = self.rng
        self.extra = []
        for _ in range(rng.randint(1, 3)):
            r = self.any_resource()
            what = rng.choice(["trigger", "trigger", "input", "size", "kind", "first", "add",
                               "drop", "move", "remove", "module", "uses", "import", "fail",
                               "heal", "drop_module", "invert"])
            if r is None or what == "add":
                self.add_resource()
            elif what == "trigger":
                r.trigger += 1
            elif what == "input":
                r.input += 1
            elif what == "size":
                r.size = rng.randint(1, 3)
                r.keys = sorted(rng.sample(KEYS, r.size))
            elif what == "kind":
                r.kind = rng.choice(["single", "count", "each"])
            elif what == "first":
                r.first = not r.first
            elif what == "uses" and r.uses:
                r.uses.pop()
            elif what == "fail":
                r.fails = not r.fails
            elif what == "heal":
                r.fails = r.fails_destroy = False
            elif what == "drop" and r in self.resources and len(self.resources) > 1:
                self.resources.remove(r)
            elif what == "remove" and r in self.resources and len(self.resources) > 1:
                self.resources.remove(r)
                self.extra.append("removed {\n  from = terraform_data.%s\n  lifecycle {\n"
                                  "    destroy = %s\n  }\n}\n"
                                  % (r.name, rng.choice(["true", "false"])))
            elif what == "move" and r in self.resources:
                self.serial += 1
                new = "r%d" % self.serial
                self.extra.append("moved {\n  from = terraform_data.%s\n  to = terraform_data.%s\n"
                                  "}\n" % (r.name, new))
                self.rename(r, new)
            elif what == "module":
                if self.modules:
                    m = rng.choice(self.modules)
                    m.size = rng.randint(1, 2)
                    m.keys = sorted(rng.sample(KEYS, m.size))
                else:
                    self.add_module()
            elif what == "drop_module" and self.modules:
                self.modules.pop()
            elif what == "invert":
                self.invert()
            elif what == "import":
                self.add_resource()
                new = self.resources[-1]
                new.kind = "single"
                self.extra.append('import {\n  to = terraform_data.%s\n  id = "imported-%s"\n}\n'
                                  % (new.name, new.name))

    def rename(self, r, new):
        old = r.name
        for other in self.resources:
            other.uses = [(new if n == old else n, s) for n, s in other.uses]
            other.depends = [new if n == old else n for n in other.depends]
            other.triggered = new if other.triggered == old else other.triggered
        for m in self.modules:
            if m.input and m.input[0] == old:
                m.input = (new, m.input[1])
            m.depends = [new if n == old else n for n in m.depends]
        r.name = new

    def invert(self):
        """What used another is now used by it."""
        for r in self.resources:
            for name, style in list(r.uses):
                other = next((o for o in self.resources if o.name == name), None)
                if other is not None and not other.uses and not other.depends and \
                        not other.triggered:
                    r.uses = []
                    r.depends = []
                    r.triggered = None
                    other.uses = [(r.name, style)]
                    # Modules keep the order of the list.
                    self.resources.remove(other)
                    self.resources.append(other)
                    for m in self.modules:
                        m.input = None
                        m.depends = []
                    for o in self.resources:
                        o.uses = [(n, s) for n, s in o.uses if not n.startswith("module.")]
                        o.depends = []
                    return

    def options(self):
        rng = self.rng
        roll = rng.random()
        r = self.any_resource()
        if roll < 0.12 and self.resources:
            return ["-target=terraform_data.%s" % rng.choice(self.names())]
        if roll < 0.2 and self.resources:
            return ["-exclude=terraform_data.%s" % rng.choice(self.names())]
        if roll < 0.24 and self.modules:
            return ["-target=module.%s" % rng.choice(self.modules).name]
        if roll < 0.28 and r is not None and r in self.resources:
            key = {"single": "", "count": "[0]", "each": '["%s"]' % r.keys[0]}[r.kind]
            return ["-replace=terraform_data.%s%s" % (r.name, key)]
        if roll < 0.34:
            return ["-refresh=false"]
        if roll < 0.38:
            return ["-refresh-only"]
        if roll < 0.44:
            return ["-destroy"]
        if roll < 0.47 and self.resources:
            return ["-destroy", "-target=terraform_data.%s" % rng.choice(self.names())]
        return []


class Side:
    """One program in its directory."""

    def __init__(self, binary, directory, environment):
        self.binary = binary
        self.directory = directory
        self.environment = environment
        self.known = {}

    def run(self, *args):
        return subprocess.run([self.binary, *args], cwd=self.directory, env=self.environment,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=120)

    def name(self, match):
        found = match.group(0)
        return self.known.setdefault(found, "id%d" % len(self.known))

    def normal(self, value):
        """JSON as text with identifiers by order of appearance."""
        text = json.dumps(value, indent=1, sort_keys=True)
        text = UUID.sub(self.name, text)
        text = re.sub(r'("deposed(?:_key)?": )"([0-9a-f]{8})"', r'\1"KEY"', text)
        text = re.sub(r"\(destroy deposed [0-9a-f]{8}\)", "(destroy deposed KEY)", text)
        return text


def diagnostics(process):
    """Severity and summary of each, in order of text."""
    found = re.findall(r"^(?:│ )?(Error|Warning): (.*)$",
                       process.stdout + "\n" + process.stderr, re.M)
    out = []
    for severity, summary in found:
        if summary.startswith("Cycle:"):
            parts = sorted(p.strip() for p in summary[6:].split(","))
            summary = "Cycle"  # its members depend on the width of the terminal
            del parts
        out.append("%s: %s" % (severity, re.sub(r"deposed [0-9a-f]{8}", "deposed KEY", summary)))
    return sorted(out)


def messages(process):
    """Diagnostics and finished operations of a stream of JSON messages."""
    out = []
    for line in process.stdout.splitlines():
        try:
            message = json.loads(line)
        except ValueError:
            continue
        if message.get("type") == "diagnostic":
            diagnostic = message["diagnostic"]
            out.append("%s: %s" % (diagnostic["severity"], diagnostic["summary"].split(":")[0]))
        elif message.get("type") in ("apply_start", "apply_complete", "apply_errored"):
            hook = message["hook"]
            out.append("%s %s %s" % (message["type"], hook["resource"]["addr"], hook["action"]))
    return sorted(set(out))


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
    """Dependency lists have no order of their own."""
    if isinstance(value, dict):
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
    # Lists that the reference keeps in no order make it write a state anew that is the same.
    for key in ("lineage", "terraform_version", "serial"):
        state.pop(key, None)
    for check in state.get("check_results") or []:
        (check.get("objects") or []).sort(key=str)
    (state.get("check_results") or []).sort(key=str)
    sort_lists(state)
    return side.normal(state)


def observe(side, options, taint):
    """One step on one side: a list of (what, text)."""
    seen = []
    if taint:
        tainted = side.run("taint", taint)
        seen.append(("taint", "%d %s" % (tainted.returncode, diagnostics(tainted))))
    plan_path = os.path.join(side.directory, "plan.out")
    if os.path.exists(plan_path):
        os.remove(plan_path)
    planned = side.run("plan", "-no-color", "-out=plan.out", "-detailed-exitcode", *options)
    seen.append(("plan", "%d\n%s" % (planned.returncode, "\n".join(diagnostics(planned)))))
    if os.path.exists(plan_path):
        seen.append(("plan JSON", plan_document(side, "plan.out")))
        applied = side.run("apply", "-json", "plan.out")
        seen.append(("apply", "%d\n%s" % (applied.returncode, "\n".join(messages(applied)))))
    seen.append(("state", state_document(side)))
    return seen


def steps_of(seed):
    """The history of a seed: writes the configuration, yields options and the row to taint."""
    rng = random.Random(seed)
    world = World(rng)
    for step in range(rng.randint(3, 6)):
        if step > 0:
            world.change()
        taint = None
        if step > 0 and rng.random() < 0.12:
            r = rng.choice(world.resources)
            if r.kind == "single":
                taint = "terraform_data." + r.name
        yield world, (world.options() if step > 0 else []), taint


def clear(directory):
    for entry in os.listdir(directory):
        path = os.path.join(directory, entry)
        if entry.endswith(".tf"):
            os.remove(path)
        elif os.path.isdir(path) and entry.startswith("m"):
            shutil.rmtree(path)


def environment():
    env = {k: v for k, v in os.environ.items() if not k.startswith(("TF_", "TOFU_"))}
    env["CHECKPOINT_DISABLE"] = "1"
    env["TF_IN_AUTOMATION"] = "1"
    return env


def prepare(side, world):
    clear(side.directory)
    world.write(side.directory)
    side.run("init", "-no-color")


def compare(seed, binary, reference, keep):
    """Differences of one history, as text; empty when there are none."""
    base = tempfile.mkdtemp(prefix="history-")
    report = []
    try:
        sides = []
        for name, program in (("reference", reference), ("kinu", binary)):
            os.mkdir(os.path.join(base, name))
            sides.append(Side(program, os.path.join(base, name), environment()))
        for number, (world, options, taint) in enumerate(steps_of(seed)):
            for side in sides:
                prepare(side, world)
            pair = [observe(side, options, taint) for side in sides]
            for (what, a), (_, b) in zip(*pair):
                if a != b:
                    lines = list(difflib.unified_diff(a.splitlines(), b.splitlines(), "reference",
                                                      "kinu", lineterm="", n=3))
                    report.append("seed %d step %d %s %s: %s differs\n  %s" % (
                        seed, number, " ".join(options), taint or "", what,
                        "\n  ".join(lines[:60])))
            if len(pair[0]) != len(pair[1]):
                report.append("seed %d step %d %s: only one side has a plan" % (
                    seed, number, " ".join(options)))
            if report:
                if keep:
                    shutil.copytree(base, os.path.join(keep, str(seed)), dirs_exist_ok=True)
                break
    finally:
        shutil.rmtree(base, ignore_errors=True)
    return "\n".join(report)


def record(seed, program):
    """What a program does in a history."""
    base = tempfile.mkdtemp(prefix="history-")
    try:
        side = Side(program, base, environment())
        out = []
        for world, options, taint in steps_of(seed):
            prepare(side, world)
            out.append({what: text for what, text in observe(side, options, taint)})
        return out
    finally:
        shutil.rmtree(base, ignore_errors=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary")
    parser.add_argument("--reference")
    parser.add_argument("--seed", type=int)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--keep", help="directory for histories that differ")
    parser.add_argument("--corpus")
    parser.add_argument("--record", type=int, nargs="*")
    options = parser.parse_args()
    for name in ("binary", "reference"):
        path = getattr(options, name)
        setattr(options, name, os.path.abspath(path) if path and os.sep in path else path)
    if options.record is not None:
        os.makedirs(options.corpus, exist_ok=True)
        for seed in options.record:
            with open(os.path.join(options.corpus, "%d.json" % seed), "w") as handle:
                json.dump(record(seed, options.reference), handle, indent=1, sort_keys=True)
                handle.write("\n")
        return 0
    failed = 0
    if options.corpus:
        names = sorted(os.listdir(options.corpus))
        for name in names:
            with open(os.path.join(options.corpus, name)) as handle:
                wanted = json.load(handle)
            seed = int(name.split(".")[0])
            got = record(seed, options.binary)
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
                lambda s: compare(s, options.binary, options.reference, options.keep), seeds)):
            if report:
                failed += 1
                print(report, flush=True)
    print("%d histories, %d differ" % (len(seeds), failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
