#!/usr/bin/env python3
"""Compares the speed of the programs that users get with that of a build: none may need 5 % more.

    tests/package/speed.py RELEASE PROGRAM [--runs 20] [--resources 2000]

RELEASE is a directory of tools/release.sh, PROGRAM the kinu of the release build that it was made from. The program of each
package, archive, image and wheel for this processor is unpacked with what lies beside it and plans a configuration, in turns
with PROGRAM. Compared is the time that processors spent in a plan (user and system): it depends less than the time of day on
what else the machine does. A program is slower if both its median and its least time are. PROGRAM itself takes part a second
time, under the name "again", whose difference is that of the measurement. Prints a table.
"""
import argparse
import os
import re
import statistics
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import artefacts  # noqa: E402
import bundled  # noqa: E402

MOST = 1.05
PACKED = re.compile(r"\.(deb|rpm|whl|tar\.xz|oci\.tar)$")


def unpack(path, folder):
    """Puts the files of an artefact into a folder. Returns the program, or None."""
    program = None
    with open(path, "rb") as file:
        content = file.read()
    for name, data in artefacts.contents(os.path.basename(path), content):
        # In an environment, a wheel's programs lie in bin and its data in the environment itself.
        inner = re.sub(r"^[^/]*\.data/(data/)?", "", name.rpartition(":")[2].lstrip("./")).replace("scripts/kinu", "bin/kinu")
        target = os.path.join(folder, inner)
        if inner.endswith("/") or not data.startswith(b"\x7fELF"):
            continue
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(target, "wb") as file:
            file.write(data)
        os.chmod(target, 0o755)
        if inner.endswith("bin/kinu"):
            program = target
    return program if program and bundled.machine_of(program) == os.uname().machine else None


def write_configuration(folder, resources):
    """Resources of which each tenth stands on its own and the others on the one before."""
    with open(os.path.join(folder, "main.tf"), "w", encoding="utf-8") as file:
        for number in range(resources):
            before = '"start"' if number % 10 == 0 else "terraform_data.r%d.output" % (number - 1)
            file.write('resource "terraform_data" "r%d" {\n  input = {\n    name  = "r-${%d + 1}"\n    after = %s\n  }\n}\n'
                       % (number, number, before))


def seconds_of(program, folder):
    """The processor time of a plan."""
    environment = {"PATH": os.environ.get("PATH", ""), "HOME": folder, "CHECKPOINT_DISABLE": "1"}
    with open(os.devnull, "wb") as nothing:
        process = subprocess.Popen([program, "plan", "-no-color"], cwd=folder, env=environment, stdout=nothing, stderr=nothing)
        _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit("%s plan: exit %d" % (program, process.returncode))
    return usage.ru_utime + usage.ru_stime


def measured(programs, folder, runs):
    """The times of each program, which run in turns; the first turn warms what the system keeps in memory."""
    times = {name: [] for name in programs}
    for turn in range(runs + 1):
        for name, program in programs.items():
            seconds = seconds_of(program, folder)
            if turn:
                times[name].append(seconds)
    return times


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("release")
    parser.add_argument("program")
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--resources", type=int, default=2000)
    options = parser.parse_args()
    slow = []
    with tempfile.TemporaryDirectory() as work:
        programs = {"PROGRAM": os.path.abspath(options.program), "again": os.path.abspath(options.program)}
        for name in sorted(filter(PACKED.search, os.listdir(options.release))):
            folder = os.path.join(work, name)
            os.mkdir(folder)
            program = unpack(os.path.join(options.release, name), folder)
            if program:
                programs[name] = program
        if len(programs) == 2:
            sys.exit("%s has no program for this processor" % options.release)
        folder = os.path.join(work, "configuration")
        os.mkdir(folder)
        write_configuration(folder, options.resources)
        times = measured(programs, folder, options.runs)
    for name, each in times.items():
        ratios = [of(each) / of(times["PROGRAM"]) for of in (statistics.median, min)]
        print("%-50s median %6.1f ms  %.3f   least %6.1f ms  %.3f"
              % (name, 1000 * statistics.median(each), ratios[0], 1000 * min(each), ratios[1]))
        if min(ratios) > MOST:
            slow.append(name)
    print("FAILED: slower than %.2f: %s" % (MOST, ", ".join(slow)) if slow else "speed: ok")
    return 1 if slow else 0


if __name__ == "__main__":
    sys.exit(main())
