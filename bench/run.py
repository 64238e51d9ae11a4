#!/usr/bin/env python3
"""Measures whole commands on generated configurations and compares them with the goals.

    bench/run.py [--build DIR] [--shapes LIST] [--sizes LIST] [--steps LIST] [--repeat N]
                 [--parsing-only]

CPU is user and system time of the process and its children, memory is the largest resident size, both
as medians. The generators of the configurations are not part of the repository: they are in the folder
`perf` of KINU_SHARED, by default of `shared` beside the repository. Never fails because of a missed
goal, since the load of the machine changes the results.
"""
import argparse
import math
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
SHAPES = ["blocks", "count", "foreach", "modules"]
# step: (arguments, needs an applied state, needs the plan file p.bin)
STEPS = {
    "validate": (["validate"], False, False),
    "plan": (["plan", "-out=p.bin"], False, False),
    "show -json": (["show", "-json", "p.bin"], False, True),
    "no-op plan": (["plan", "-out=q.bin"], True, False),
    "apply": (["apply", "-auto-approve"], False, False),
    "console": (["console"], True, False),
    "refresh": (["refresh"], True, False),
    "state mv": (["state", "mv", "terraform_data.r0", "terraform_data.moved"], True, False),
    "destroy": (["destroy", "-auto-approve"], True, False),
}
# (shape, size, step): (seconds of CPU, megabytes)
GOALS = {
    ("blocks", 10000, "validate"): (0.065, 60),
    ("blocks", 10000, "plan"): (0.24, 80),
    ("blocks", 10000, "show -json"): (0.07, 60),
    ("blocks", 10000, "no-op plan"): (0.26, 120),
    ("blocks", 1000, "apply"): (0.055, None),
    ("blocks", 10000, "apply"): (0.6, None),
    ("blocks", 1000, "destroy"): (0.055, None),
    ("blocks", 100000, "plan"): (3.0, 700),
    ("corr", 1000, "plan"): (0.04, 30),
    ("count", 10000, "plan"): (0.10, 60),
    ("count", 10000, "no-op plan"): (0.195, None),
    ("foreach", 5000, "plan"): (0.08, None),
    ("modules", 10000, "plan"): (0.28, 80),
    ("blocks", 1000, "console"): (0.006, None),
    ("start", 0, "version"): (0.0016, 4),
    ("text", 1000000, "fmt -check"): (0.013, 12),
    ("plan", 300000000, "query"): (0.2, 64),
    ("plan", 10000000, "check"): (0.05, None),
    ("plan", 50000, "show -summary"): (0.05, None),
    ("plan", 10000, "show -html"): (0.3, None),
    ("plan", 10000, "check conditions"): (0.25, None),
    ("plan", 40000000, "diff"): (0.2, None),
    ("state", 66000, "show -json"): (0.25, 150),
    ("state", 66000, "output -json"): (0.054, None),
    ("state", 66000, "state list"): (0.065, None),
    ("strings", 1000, "show -json"): (0.13, None),
}
EXPONENT_GOAL = 1.05
# The input for `fmt`, repeated: it needs alignment, indentation, spaces and new syntax.
UNFORMATTED = """resource "thing" "web_%d" {
  image = data.image.ubuntu.id # the image
  instance_type="small"
    tags = {
      Name = "web-${var.env}-%d"
    Owner= "${var.owner}"
  }
  count = var.enabled?1:0
  dynamic "disk" {
    for_each = [for d in var.disks:d if d.size>10]
    content {
       size = disk.value.size
       type = lookup(disk.value,"type","fast")
    }
  }
}

"""


def execute(build, arguments, folder):
    """Runs kinu once. Returns (seconds of CPU, megabytes); raises if the run fails."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("TF_")}
    environment["TF_IN_AUTOMATION"] = "1"
    command = [os.path.join(build, "bench", "kinu_measure"), ".report",
               os.path.join(build, "src", "cli", "kinu")]
    with open(os.path.join(folder, ".err"), "w+", encoding="utf-8", errors="replace") as err:
        # Input of the console; other commands do not read it.
        subprocess.run(command + arguments, cwd=folder, env=environment, input=b"1 + 1\n",
                       stdout=subprocess.DEVNULL, stderr=err, check=True)
        with open(os.path.join(folder, ".report"), encoding="utf-8") as report:
            code, seconds, kilobytes = report.read().split()
        if code != "0":
            err.seek(0)
            raise RuntimeError("kinu %s: exit status %s\n%s"
                               % (" ".join(arguments), code, err.read(2000)))
    return float(seconds), int(kilobytes) / 1024


# Assertions that pass for the plans of write_plan().
CHECKED = [
    ("expect_resource_action", '      action  = "Create"\n'),
    ("expect_unknown_value", '      path    = ["id"]\n'),
    ("expect_known_value", '      path    = ["tags", "Name"]\n      value   = not_null()\n'),
]


# Conditions about the plans of write_plan(); 50 of them are asked for.
CONDITIONS = [
    "can(cidrhost(after.cidr_block, 1))",
    "startswith(after.tags.Name, \"subnet\") && length(after.tags.Name) > 3",
    "after.size >= 0 && after.enabled",
    "contains([\"create\", \"update\"], actions[0])",
    "after.tags.Owner == null || can(regex(\"^[a-z]+$\", after.tags.Owner))",
]
# The same, with regular expressions.
PATTERNS = [
    "can(regex(\"^subnet\", after.tags.Name))",
    "length(regexall(\"[0-9]+\", after.cidr_block)) == 5",
    "replace(address, \"/\\\\[.*/\", \"\") == \"module.m.thing.t\"",
]
# A plan for summaries and reports.
MANY = """resource "terraform_data" "a" {
  count = %d
  input = { name = "server-${count.index}", port = 8000 + count.index }
}
"""


def write_plan(path, size, changed=-1):
    """Writes a plan document of about `size` bytes; returns the number of its changes. One of them is different if
    `changed` is its index."""
    count = 0
    with open(path, "w", encoding="utf-8") as file:
        file.write('{"format_version":"1.2","terraform_version":"1.12.6","resource_changes":[')
        while file.tell() < size:
            file.write("" if count == 0 else ",")
            file.write(",".join(
                '{"address":"module.m.thing.t[%d]","module_address":"module.m","mode":"managed",'
                '"type":"thing","name":"t","index":%d,"provider_name":"registry.opentofu.org/x/y",'
                '"change":{"actions":["create"],"before":null,"after":{"cidr_block":"10.0.%d.0/24",'
                '"enabled":true,"tags":{"Name":"subnet \\"%d\\"","Owner":null},"size":%d},'
                '"after_unknown":{"arn":true,"id":true,"tags":{}},"before_sensitive":false,'
                '"after_sensitive":{"tags":{}}}}' % (i, i, i % 256, i, -1 if i == changed else i)
                for i in range(count, count + 1000)))
            count += 1000
        file.write("]}\n")
    return count


# Instances whose attributes are long strings: the plan's document has 66 MB of them.
STRINGS = """resource "terraform_data" "r" {
  count = 1000
  input = join("", [for i in range(1000) : "line ${i} of ${count.index} and a bit of text"])
}
"""


class Bench:
    def __init__(self, build, perf, work, repeat):
        self.build = build
        self.perf = perf
        self.work = work
        self.repeat = repeat
        self.results = {}

    def generate(self, script, shape, size, folder):
        subprocess.check_call([sys.executable, os.path.join(self.perf, script), shape, str(size),
                               folder])

    def set_state(self, shape, size, folder, wanted):
        for name in ("terraform.tfstate", "terraform.tfstate.backup"):
            path = os.path.join(folder, name)
            if os.path.exists(path):
                os.remove(path)
        if wanted:
            self.generate("applied_state.py", shape, size, folder)

    def shape(self, shape, size, steps):
        folder = os.path.join(self.work, "%s-%d" % (shape, size))
        os.makedirs(folder)
        self.generate("shapes.py", shape, size, folder)
        execute(self.build, ["init"], folder)
        for step in steps:
            arguments, needs_state, needs_plan = STEPS[step]
            if step == "state mv" and shape != "blocks":
                continue  # other shapes have no object with that address
            if needs_plan and not os.path.exists(os.path.join(folder, "p.bin")):
                continue
            runs = []
            try:
                for attempt in range(self.repeat + 1):  # the first run is a warm-up
                    self.set_state(shape, size, folder, needs_state)
                    measured = execute(self.build, arguments, folder)
                    if attempt > 0:
                        runs.append(measured)
            except RuntimeError as error:
                print("%-8s %7d  %-11s failed: %s" % (shape, size, step, error), flush=True)
                continue
            self.note(shape, size, step, runs)
        shutil.rmtree(folder)

    def formatting(self, size):
        """Formats a file of about `size` bytes. Uses -write=false instead of -check, which exits
        with 3."""
        folder = os.path.join(self.work, "fmt-%d" % size)
        os.makedirs(folder)
        with open(os.path.join(folder, "main.tf"), "w", encoding="utf-8") as file:
            for i in range(size // len(UNFORMATTED % (0, 0))):
                file.write(UNFORMATTED % (i, i))
        runs = [execute(self.build, ["fmt", "-write=false"], folder)
                for _ in range(self.repeat + 1)][1:]
        self.note("text", size, "fmt -check", runs)
        shutil.rmtree(folder)

    def documents(self):
        """A query over a plan document of 300 MB (compared with jq if it is installed), and 10,000
        assertions about one of 10 MB."""
        folder = os.path.join(self.work, "documents")
        os.makedirs(folder)
        large, small = 300000000, 10000000
        write_plan(os.path.join(folder, "large.json"), large)
        runs = [execute(self.build, ["query", "-count", "$.resource_changes[*].address",
                                     "large.json"], folder) for _ in range(self.repeat + 1)][1:]
        self.note("plan", large, "query", runs)
        if shutil.which("jq"):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run(["jq", "[.resource_changes[].address] | length", "large.json"],
                           cwd=folder, stdout=subprocess.DEVNULL, check=True)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            print("%-8s %9d  jq: %.2f s" % ("plan", large, after.ru_utime + after.ru_stime -
                                            before.ru_utime - before.ru_stime))
        count = write_plan(os.path.join(folder, "small.json"), small)
        with open(os.path.join(folder, "c.kinucheck.hcl"), "w", encoding="utf-8") as file:
            file.write('check "all" {\n  plan {\n')
            for i in range(10000):
                kind, rest = CHECKED[i % len(CHECKED)]
                file.write('    %s {\n      address = "module.m.thing.t[%d]"\n%s    }\n'
                           % (kind, i % count, rest))
            file.write("  }\n}\n")
        runs = [execute(self.build, ["check", "-plan=small.json", "c.kinucheck.hcl"], folder)
                for _ in range(self.repeat + 1)][1:]
        self.note("plan", small, "check", runs)
        shutil.rmtree(folder)

    def reviews(self):
        """A summary of 50,000 changes, a report of 10,000, 50 conditions about 10,000, and what differs in two
        documents of 40 MB."""
        folder = os.path.join(self.work, "reviews")
        os.makedirs(folder)
        for count, step, arguments in ((50000, "show -summary", ["show", "-summary", "p.bin"]),
                                       (10000, "show -html", ["show", "-html=r.html", "p.bin"])):
            with open(os.path.join(folder, "main.tf"), "w", encoding="utf-8") as file:
                file.write(MANY % count)
            execute(self.build, ["plan", "-out=p.bin"], folder)
            runs = [execute(self.build, arguments, folder) for _ in range(self.repeat + 1)][1:]
            self.note("plan", count, step, runs)
        count = write_plan(os.path.join(folder, "p.json"), 4100000)
        for step, conditions in (("check conditions", CONDITIONS), ("check patterns", PATTERNS)):
            with open(os.path.join(folder, "c.kinucheck.hcl"), "w", encoding="utf-8") as file:
                for i in range(50):
                    file.write('check "c%d" {\n  plan {\n    expect_condition {\n      condition = %s\n    }\n  }\n}\n'
                               % (i, conditions[i % len(conditions)]))
            runs = [execute(self.build, ["check", "-plan=p.json", "c.kinucheck.hcl"], folder)
                    for _ in range(self.repeat + 1)][1:]
            self.note("plan", count, step, runs)
        count = write_plan(os.path.join(folder, "a.json"), 40000000)
        write_plan(os.path.join(folder, "b.json"), 40000000, changed=count // 2)
        runs = [execute(self.build, ["diff", "a.json", "b.json"], folder) for _ in range(self.repeat + 1)][1:]
        self.note("plan", 40000000, "diff", runs)
        shutil.rmtree(folder)

    def states(self, count):
        """Commands that read a state of 102 MB, and a plan of long strings."""
        folder = os.path.join(self.work, "state-%d" % count)
        os.makedirs(folder)
        self.generate("applied_state.py", "blocks", count, folder)
        for command in ("show -json", "output -json", "state list"):
            runs = [execute(self.build, command.split(), folder) for _ in range(self.repeat + 1)][1:]
            self.note("state", count, command, runs)
        shutil.rmtree(folder)
        folder = os.path.join(self.work, "strings")
        os.makedirs(folder)
        with open(os.path.join(folder, "main.tf"), "w", encoding="utf-8") as file:
            file.write(STRINGS)
        execute(self.build, ["plan", "-out=p.bin"], folder)
        runs = [execute(self.build, ["show", "-json", "p.bin"], folder)
                for _ in range(self.repeat + 1)][1:]
        self.note("strings", 1000, "show -json", runs)
        shutil.rmtree(folder)

    def note(self, shape, size, step, runs):
        cpu = statistics.median(run[0] for run in runs)
        memory = statistics.median(run[1] for run in runs)
        self.results[shape, size, step] = cpu, memory
        goal = ""
        if (shape, size, step) in GOALS:
            wanted_cpu, wanted_memory = GOALS[shape, size, step]
            met = cpu <= wanted_cpu and (wanted_memory is None or memory <= wanted_memory)
            goal = "  goal %.4f s%s  %s" % (
                wanted_cpu, "" if wanted_memory is None else ", %d MB" % wanted_memory,
                "met" if met else "MISSED (%.1f times the CPU)" % (cpu / wanted_cpu))
        cost = "%8.2f us each" % (cpu / size * 1e6) if size else " " * 16
        print("%-8s %7d  %-11s %9.4f s %8.1f MB %s%s" % (shape, size, step, cpu, memory, cost, goal),
              flush=True)

    def growth(self, sizes):
        print("\nGrowth (goal: an exponent of at most %.2f)" % EXPONENT_GOAL)
        start = self.results["start", 0, "version"][0]
        for shape in SHAPES:
            for step in STEPS:
                measured = [size for size in sizes if (shape, size, step) in self.results]
                if len(measured) < 2:
                    continue
                small, large = measured[0], measured[-1]
                # Subtracts the time that every command needs to start.
                a, b = (max(self.results[shape, size, step][0] - start, 1e-6)
                        for size in (small, large))
                if b < 0.002:
                    continue  # too short to measure
                exponent = math.log(b / a) / math.log(large / small)
                print("%-8s %-11s %d -> %d: %.2f%s" % (
                    shape, step, small, large, exponent,
                    "" if exponent <= EXPONENT_GOAL else "  above"))


def reference_program(work):
    """Builds bench/reference. Returns (program, ""), or (None, the reason why it is not built)."""
    if not shutil.which("go"):
        return None, "Go is not installed"
    program = os.path.join(work, "reference")
    environment = dict(os.environ, CGO_ENABLED="0", GOFLAGS="-trimpath -buildvcs=false")
    built = subprocess.run(["go", "build", "-o", program, "."], cwd=os.path.join(HERE, "reference"),
                           env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                           encoding="utf-8")
    return (program, "") if built.returncode == 0 else (None, built.stdout.strip()[-300:])


def parsing(build, perf, work):
    """Measures parsers and formatter on a configuration of 10,000 blocks, in both syntaxes, and
    compares them with the Go library of HCL."""
    program = os.path.join(build, "bench", "kinu_parse_bench")
    if not os.path.exists(program):
        print("\nParsing and formatting: skipped, %s is not built" % program)
        return
    print("\nParsing and formatting", flush=True)
    reference, why_not = reference_program(work)
    if reference is None:
        print("Go: skipped, %s" % why_not, flush=True)
    for shape, name in (("blocks", "main.tf"), ("json", "main.tf.json")):
        folder = os.path.join(work, "parse-" + shape)
        subprocess.check_call([sys.executable, os.path.join(perf, "shapes.py"), shape, "10000",
                               folder])
        # A process for each file, so that its first run is in a fresh process.
        subprocess.check_call([program, name], cwd=folder)
        if reference is not None:
            subprocess.check_call([reference, name], cwd=folder)


def functions(build):
    """Measures functions and decoders of values on large inputs."""
    program = os.path.join(build, "bench", "kinu_functions_bench")
    if os.path.exists(program):
        print("\nFunctions and values", flush=True)
        subprocess.check_call([program])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", default="build/release")
    parser.add_argument("--shapes", default=",".join(SHAPES))
    parser.add_argument("--sizes", default="1000,5000,10000")
    parser.add_argument("--steps", default=",".join(STEPS))
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--parsing-only", action="store_true",
                        help="parsers and formatter, nothing else")
    args = parser.parse_args()
    shared = os.environ.get("KINU_SHARED") or os.path.join(HERE, "..", "..", "shared")
    perf = os.path.join(os.path.realpath(shared), "perf")
    if not os.path.isdir(perf):
        print("bench: skipped, shared/perf is not beside the repository (KINU_SHARED names another "
              "place)")
        return 0
    sizes = [int(size) for size in args.sizes.split(",")]
    with tempfile.TemporaryDirectory(prefix="kinu-bench-") as work:
        bench = Bench(os.path.abspath(args.build), perf, work, args.repeat)
        if args.parsing_only:
            bench.formatting(1000000)
            parsing(bench.build, perf, work)
            return 0
        bench.note("start", 0, "version",
                   [execute(bench.build, ["version"], work) for _ in range(20)])
        bench.formatting(1000000)
        bench.documents()
        bench.reviews()
        bench.states(66000)
        bench.shape("corr", 1000, ["plan"])
        for shape in args.shapes.split(","):
            for size in sizes:
                bench.shape(shape, size, args.steps.split(","))
        bench.growth(sizes)
        parsing(bench.build, perf, work)
        functions(bench.build)
    return 0


if __name__ == "__main__":
    sys.exit(main())
