#!/usr/bin/env python3
"""Writes docs/performance.md: where the instructions of whole commands go.

    make bench -- -profile
    bench/profile.py [--build DIR] [--size N] [--out FILE]

Instructions come from valgrind's callgrind, which counts them one by one, so that the load of the machine does
not matter. Page faults, system calls and the largest resident size are those of a run without valgrind. Every
resource is a terraform_data, which is built in: no provider process is part of the figures.
"""
import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
# name, arguments, whether the resources are applied before
COMMANDS = [
    ("validate", ["validate"], False),
    ("plan of new resources", ["plan", "-out=p.bin"], False),
    ("show -json of that plan", ["show", "-json", "p.bin"], False),
    ("plan without changes", ["plan", "-out=q.bin"], True),
    ("state list", ["state", "list"], True),
    ("show -json of the state", ["show", "-json"], True),
]
PLANS = ["plan of new resources", "plan without changes"]
# What is done, the function that does it, with all that it calls, and the commands that call it.
PARTS = [
    ("reading the files of the configuration", "hcl::Parser::ParseFile(",
     ["validate", "show -json of that plan"] + PLANS),
    ("building modules of their blocks", "config::ReadFileBlocks(",
     ["validate", "show -json of that plan"] + PLANS),
    ("reading the state", "state::StateReader::Read(",
     ["plan without changes", "state list", "show -json of the state"]),
    ("graphs of blocks", "engine::BuildGraph(", ["validate"] + PLANS),
    ("blocks against their schemas, with unknown values", "engine::ValidateResource(", ["validate"] + PLANS),
    ("planning objects", "engine::PlanResource(", PLANS),
    ("assembling the plan", "engine::AssemblePlan(", PLANS),
    ("which attributes the changes follow from", "engine::RelevantAttributes(", PLANS),
    ("the text of the plan", "PlanText::RenderChanges(", PLANS[:1]),
    ("writing the plan file", "plan::WritePlanFile(", PLANS),
    ("reading the plan file", "plan::DecodePlan(", ["show -json of that plan"]),
]
# What the whole program does everywhere, by itself.
EVERYWHERE = [
    ("taking and freeing memory", r"mi_|operator new|operator delete|malloc|^free$|_mi_"),
    ("copying and comparing bytes", r"mem(cpy|move|cmp|set|chr)"),
    ("digests, compression", r"crc32|deflate|inflate|sha256|SHA256|libcrypto|libz"),
]


def write_configuration(folder, size):
    with open(os.path.join(folder, "main.tf"), "w", encoding="utf-8") as file:
        file.write('variable "name" {\n  default = "n"\n}\n')
        for i in range(size):
            other = "terraform_data.r%d.id" % (i // 10) if i > 0 else "var.name"
            file.write('resource "terraform_data" "r%d" {\n'
                       '  input = {\n    name = "${var.name}-%d"\n    index = %d\n    parent = %s\n  }\n}\n'
                       % (i, i, i, other))


class Profiler:
    def __init__(self, build, folder):
        self.program = os.path.join(build, "src", "cli", "kinu")
        self.folder = folder
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith("TF_")}

    def execute(self, command):
        done = subprocess.run(command, cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        if done.returncode != 0:
            sys.exit("profile: %s: %s" % (" ".join(command), done.stderr.decode()[-2000:]))

    def usage(self, arguments):
        """Page faults and megabytes of one run."""
        process = subprocess.Popen([self.program] + arguments, cwd=self.folder, env=self.environment,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        used = os.wait4(process.pid, 0)[2]
        return used.ru_minflt, used.ru_maxrss / 1024

    def calls(self, arguments):
        """System calls of one run; nothing without strace."""
        if not shutil.which("strace"):
            return None
        self.execute(["strace", "-f", "-c", "-o", "calls.txt", self.program] + arguments)
        with open(os.path.join(self.folder, "calls.txt"), encoding="utf-8") as file:
            total = re.search(r"^100\.00\s+\S+\s+(?:\S+\s+)?(\d+)\s.*total$", file.read(), re.MULTILINE)
        return int(total.group(1)) if total else None

    def functions(self, arguments, inclusive):
        """Instructions by function, and in all. `inclusive`: with what a function calls, of the run
        that was counted last."""
        if not inclusive:
            self.execute(["valgrind", "--tool=callgrind", "--callgrind-out-file=callgrind.out", self.program]
                         + arguments)
        text = subprocess.run(["callgrind_annotate", "--threshold=100", "--inclusive=%s" %
                               ("yes" if inclusive else "no"), "callgrind.out"],
                              cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                              encoding="utf-8", errors="replace").stdout
        counted = {}
        for line in text.splitlines():
            found = re.match(r"\s*([\d,]+) \(\s*[\d.]+%\)\s+(.*)$", line)
            if found:
                name = found.group(2)
                place, _, function = name.partition(":")
                counted.setdefault(function or place, 0)
                counted[function or place] = (max if inclusive else int.__add__)(
                    counted[function or place], int(found.group(1).replace(",", "")))
        total = re.search(r"([\d,]+)\s+\(100\.0%\)\s+PROGRAM TOTALS", text)
        return counted, int(total.group(1).replace(",", ""))


def table(rows, header):
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    return lines + ["| " + " | ".join(row) + " |" for row in rows]


def share(part, total):
    return "%.1f M, %d %%" % (part / 1e6, round(100 * part / total))


def profile(profiler, size):
    summary, chapters = [], []
    for name, arguments, applied in COMMANDS:
        state = os.path.join(profiler.folder, "terraform.tfstate")
        if applied and not os.path.exists(state):
            profiler.execute([profiler.program, "apply", "-auto-approve"])
        print("profile: " + name, file=sys.stderr, flush=True)
        faults, megabytes = profiler.usage(arguments)
        calls = profiler.calls(arguments)
        alone, total = profiler.functions(arguments, False)
        together, _ = profiler.functions(arguments, True)
        summary.append([name, "%.0f M" % (total / 1e6), "%.0f" % (total / size), str(faults),
                        str(calls) if calls is not None else "", "%.0f MB" % megabytes])
        rows = []
        for part, function, callers in PARTS:
            spent = max((count for key, count in together.items() if function in key), default=0)
            if spent == 0 and name in callers:
                sys.exit("profile: %s does not call %s: renamed, or part of its caller?" % (name, function))
            if spent >= total / 100:
                rows.append([part, "`%s`" % function.rstrip("(").split("::")[-1], share(spent, total)])
        for part, pattern in EVERYWHERE:
            spent = sum(count for key, count in alone.items() if re.search(pattern, key))
            if spent >= total / 100:
                rows.append([part, "everywhere", share(spent, total)])
        chapters += ["", "## " + name[0].upper() + name[1:], ""] + table(rows, ["what", "where", "instructions"])
    return summary, chapters


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default="build/release")
    parser.add_argument("--size", type=int, default=10000)
    parser.add_argument("--out", default=os.path.join(ROOT, "docs", "performance.md"))
    arguments = parser.parse_args()
    if not shutil.which("valgrind"):
        sys.exit("profile: valgrind is not installed")
    with tempfile.TemporaryDirectory() as folder:
        write_configuration(folder, arguments.size)
        profiler = Profiler(os.path.abspath(arguments.build), folder)
        profiler.execute([profiler.program, "init"])
        summary, chapters = profile(profiler, arguments.size)
    lines = ["# Performance", "",
             "Where the instructions of whole commands go, with %s resource blocks that refer to each other. Made by"
             % format(arguments.size, ","),
             "`make bench -- -profile` from a release build; `make bench` measures time and memory against goals.",
             "Instructions are those of all threads. What one function does may be part of what another does.", ""]
    lines += table(summary, ["command", "instructions", "per block", "page faults", "system calls", "memory"])
    with open(arguments.out, "w", encoding="utf-8") as file:
        file.write("\n".join(lines + chapters) + "\n")


if __name__ == "__main__":
    main()
