#!/usr/bin/env python3
"""Measures whole commands of kinu beside those of another program and prints a table.

    bench/beside.py [--reference PROGRAM] [--binary PATH] [--size N] [--repeat N]

The configuration has N resources (terraform_data, which is built in), each with a reference to another one,
so that no provider process is part of the figures. CPU is user and system time, memory is the largest
resident size; both are medians. The programs take turns, so that load on the machine affects both.
"""
import argparse
import os
import shutil
import statistics
import subprocess
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
# name, arguments, whether the resources are applied before
STEPS = [
    ("version", ["version"], False),
    ("validate", ["validate"], False),
    ("plan", ["plan", "-out=p.bin"], False),
    ("show -json", ["show", "-json", "p.bin"], False),
    ("apply", ["apply", "-auto-approve"], False),
    ("plan without changes", ["plan", "-out=p.bin"], True),
]


def write_configuration(folder, size):
    with open(os.path.join(folder, "main.tf"), "w", encoding="utf-8") as file:
        file.write('variable "name" {\n  default = "n"\n}\n')
        for i in range(size):
            other = "terraform_data.r%d.id" % (i // 10) if i > 0 else "var.name"
            file.write('resource "terraform_data" "r%d" {\n  input = "${var.name}-%d-${%s}"\n}\n'
                       % (i, i, other))


class Program:
    def __init__(self, binary, measure, folder, size):
        self.binary = binary
        self.measure = measure
        self.folder = folder
        os.makedirs(folder)
        write_configuration(folder, size)
        self.run(["init"])

    def run(self, arguments):
        """(seconds of CPU, megabytes) of one run."""
        environment = {name: value for name, value in os.environ.items()
                       if not name.startswith("TF_")}
        with open(os.path.join(self.folder, ".err"), "w+", encoding="utf-8") as err:
            subprocess.run([self.measure, ".report", self.binary] + arguments, cwd=self.folder,
                           env=environment, stdout=subprocess.DEVNULL, stderr=err, check=True)
            with open(os.path.join(self.folder, ".report"), encoding="utf-8") as report:
                code, seconds, kilobytes = report.read().split()
            if code != "0":
                err.seek(0)
                raise SystemExit("%s %s: exit code %s\n%s" % (self.binary, " ".join(arguments), code,
                                                              err.read(2000)))
        return float(seconds), int(kilobytes) / 1024

    def prepare(self, applied):
        """Removes the state, unless the step needs the one that the last apply left."""
        for name in ("terraform.tfstate", "terraform.tfstate.backup"):
            path = os.path.join(self.folder, name)
            if not applied and os.path.exists(path):
                os.remove(path)


def text(seconds, megabytes):
    milliseconds = seconds * 1000
    time = ("%.1f s" % seconds if milliseconds >= 1000 else
            "%.0f ms" % milliseconds if milliseconds >= 10 else "%.1f ms" % milliseconds)
    return "%s, %.0f MB" % (time, megabytes)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--reference", default="tofu")
    parser.add_argument("--binary", default="build/release/src/cli/kinu")
    parser.add_argument("--size", type=int, default=1000)
    parser.add_argument("--repeat", type=int, default=3)
    args = parser.parse_args()
    reference = shutil.which(args.reference)
    if reference is None:
        raise SystemExit("%s is not installed" % args.reference)
    with tempfile.TemporaryDirectory(prefix="kinu-beside-") as work:
        # A small program starts the commands: a child of Python would count Python's memory as its own.
        measure = os.path.join(work, "measure")
        subprocess.run(["cc", "-O1", "-o", measure, os.path.join(HERE, "measure.c")], check=True)
        programs = [Program(os.path.abspath(binary), measure, os.path.join(work, name), args.size)
                    for name, binary in (("a", reference), ("b", args.binary))]
        print("| %d resources | %s | kinu | CPU time |\n|---|---|---|---|"
              % (args.size, os.path.basename(args.reference)))
        for name, arguments, applied in STEPS:
            runs = [[], []]
            for _ in range(args.repeat):
                for program, measured in zip(programs, runs):
                    program.prepare(applied)
                    measured.append(program.run(arguments))
            medians = [[statistics.median(run[i] for run in measured) for i in (0, 1)]
                       for measured in runs]
            print("| `%s` | %s | %s | 1/%.0f |" % (name, text(*medians[0]), text(*medians[1]),
                                                  medians[0][0] / medians[1][0]), flush=True)


if __name__ == "__main__":
    main()
