#!/usr/bin/env python3
"""Applies damaged plan files: each must be applied like the original or refused before any change.

  damaged_plans.py --binary PATH [--planner PATH] [--count N] [--seed N]

Single bits are flipped, parts are removed or repeated, and entries are exchanged, removed, repeated and
overlapped with matching checksums. --planner makes the plan with another program. Then other commands
read plans with one damage each, and the summary of their error is compared.
"""
import argparse
import io
import itertools
import json
import os
import random
import shutil
import struct
import subprocess
import sys
import tempfile
import zipfile

FILES = {
    "main.tf": 'resource "terraform_data" "root" { input = 1 }\n'
               'module "m" { source = "./m" }\nmodule "n" { source = "./n" }\n'
               'output "o" { value = module.m.x }\n',
    "m/main.tf": 'resource "terraform_data" "in" { input = 2 }\n'
                 'output "x" { value = terraform_data.in.id }\n',
    "n/main.tf": 'resource "terraform_data" "other" { input = 3 }\n'
                 'output "y" { value = terraform_data.other.id }\n',
}


def run(binary, directory, *words):
    return subprocess.run([binary, *words, "-no-color"], cwd=directory, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, errors="replace", timeout=60,
                          check=False,
                          env={"PATH": os.environ.get("PATH", ""), "HOME": directory,
                               "TF_CLI_CONFIG_FILE": os.devnull})


def objects(directory):
    path = os.path.join(directory, "terraform.tfstate")
    if not os.path.exists(path):
        return None
    with open(path, encoding="utf-8") as file:
        resources = json.load(file)["resources"]
    return sorted(r["instances"][0]["attributes"]["input"]["value"] for r in resources)


def packed(entries):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in entries:
            archive.writestr(zipfile.ZipInfo(name, (2026, 1, 1, 0, 0, 0)), content)
    return out.getvalue()


def hidden_entries(plan):
    """Reduces the number of entries in the record of the directory by one."""
    end = plan.rfind(b"PK\x05\x06")
    count = struct.unpack_from("<H", plan, end + 10)[0]
    return plan[:end + 8] + struct.pack("<HH", count - 1, count - 1) + plan[end + 12:]


def overlapping(plan):
    """Lets two entries of the directory point to one place, with the name of either."""
    found = []
    at = plan.find(b"PK\x01\x02")
    while at >= 0:
        found.append(at)
        at = plan.find(b"PK\x01\x02", at + 4)
    for a, b in itertools.permutations(found, 2):
        changed = bytearray(plan)
        changed[b + 16:b + 28] = plan[a + 16:a + 28]  # checksum and sizes
        changed[b + 42:b + 46] = plan[a + 42:a + 46]  # the offset
        yield bytes(changed)


def damaged(plan, count, rng):
    """Damaged forms of a plan file: (description, bytes)."""
    for _ in range(count):
        at, bit = rng.randrange(len(plan)), rng.randrange(8)
        changed = bytearray(plan)
        changed[at] ^= 1 << bit
        yield "bit %d of byte %d flipped" % (bit, at), bytes(changed)
    for _ in range(count // 4):
        a, b = sorted(rng.sample(range(len(plan)), 2))
        yield "%d to %d left out" % (a, b), plan[:a] + plan[b:]
        yield "%d to %d doubled" % (a, b), plan[:b] + plan[a:]
    yield "one entry hidden", hidden_entries(plan)
    for i, changed in enumerate(overlapping(plan)):
        yield "overlap %d" % i, changed
    with zipfile.ZipFile(io.BytesIO(plan)) as archive:
        entries = [(name, archive.read(name)) for name in archive.namelist()]
    for i, j in itertools.combinations(range(len(entries)), 2):
        changed = list(entries)
        changed[i] = (entries[i][0], entries[j][1])
        changed[j] = (entries[j][0], entries[i][1])
        yield "%s and %s exchanged" % (entries[i][0], entries[j][0]), packed(changed)
        changed[j] = entries[j]
        yield "%s instead of %s" % (entries[j][0], entries[i][0]), packed(changed)
    for i, (name, content) in enumerate(entries):
        yield name + " left out", packed(entries[:i] + entries[i + 1:])
        yield name + " empty", packed(entries[:i] + [(name, b"")] + entries[i + 1:])
        yield name + " renamed", packed(entries[:i] + [(name + "x", content)] + entries[i + 1:])
    yield "one more", packed(entries + [("tfconfig/m-/more.tf", b"locals {\n}\n")])


def faults(plan):
    """Plans with one damage, a command line, and the error that it must report."""
    with zipfile.ZipFile(io.BytesIO(plan)) as archive:
        entries = [(name, archive.read(name)) for name in archive.namelist()]

    def with_entry(name, change):
        changed = [(n, change(c) if n == name else c) for n, c in entries]
        return packed([(n, c) for n, c in changed if c is not None])

    def with_bad_checksum(name):
        changed = bytearray(packed(entries))
        for signature, checksum, at_name in ((b"PK\x03\x04", 14, 30), (b"PK\x01\x02", 16, 46)):
            at = changed.find(name.encode())
            while changed[at - at_name:at - at_name + 4] != signature:
                at = changed.find(name.encode(), at + 1)
            changed[at - at_name + checksum] ^= 1
        return bytes(changed)

    no_locks = with_entry(".terraform.lock.hcl", lambda c: None)
    no_plan = with_entry("tfplan", lambda c: b"")
    no_state = with_entry("tfstate", lambda c: b"{")
    other_name = with_entry("tfplan", lambda c: c.replace(b"terraform_data.root", b"terraform_data.rooo"))
    invalid = with_entry("tfconfig/m-/main.tf", lambda c: b"nonsense {\n}\n")
    needs_variable = with_entry("tfconfig/m-/main.tf",
                                lambda c: c.replace(b'"./m"', b"var.x") + b'variable "x" {\n}\n')
    return [
        (no_plan, ["show", "p"], "Couldn't show local plan"),
        (no_plan, ["show", "-plan=p"], "unsupported plan file format version 0; only version 3 is supported"),
        (no_plan, ["apply", "p"], "Failed to read plan from plan file"),
        (no_plan, ["query", "$.a", "p"], "Failed to read plan file"),
        (no_state, ["query", "$.a", "p"], "Failed to read plan from plan file"),
        (invalid, ["query", "$.a", "p"], "Failed to read configuration from plan file"),
        (needs_variable, ["query", "$.a", "p"], "Missing plan variable x; Unable to compute static value"),
        (plan[:-1], ["query", "$.a", "p"], "Failed to read the given file as a plan file"),
        (no_locks, ["graph", "-plan=p"], "Saved plan has no dependency lock information"),
        (with_bad_checksum(".terraform.lock.hcl"), ["graph", "-plan=p"],
         "Failed to read dependency locks from plan file"),
        (other_name, ["apply", "p"], "Resource instance is not in the configuration any more"),
    ]


def check_faults(binary, place, plan):
    """The faults whose error is missing."""
    found = []
    for content, words, summary in faults(plan):
        with open(os.path.join(place, "p"), "wb") as file:
            file.write(content)
        done = run(binary, place, *words)
        if done.returncode != 1 or summary not in done.stderr:
            found.append("%s: exit %d, without \"%s\": %s"
                         % (" ".join(words), done.returncode, summary, done.stderr))
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", required=True)
    parser.add_argument("--planner")
    parser.add_argument("--count", type=int, default=120)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    binary = os.path.abspath(options.binary)
    root = tempfile.mkdtemp(prefix="kinu-plans-")
    refused = applied = failed = 0
    try:
        first = os.path.join(root, "first")
        for name, text in FILES.items():
            os.makedirs(os.path.dirname(os.path.join(first, name)), exist_ok=True)
            with open(os.path.join(first, name), "w", encoding="utf-8") as file:
                file.write(text)
        assert run(binary, first, "init").returncode == 0
        assert run(options.planner or binary, first, "plan", "-out=p").returncode == 0
        with open(os.path.join(first, "p"), "rb") as file:
            plan = file.read()
        place = os.path.join(root, "place")
        for what, content in damaged(plan, options.count, random.Random(options.seed)):
            shutil.copytree(first, place)
            with open(os.path.join(place, "p"), "wb") as file:
                file.write(content)
            done = run(binary, place, "apply", "p")
            found = objects(place)
            begun = "Creating..." in done.stdout
            if done.returncode == 0 and found == [1, 2, 3]:
                applied += 1
            elif done.returncode == 1 and not begun and not found:
                refused += 1
            else:
                failed += 1
                print("FAIL %s: exit %d, objects %s%s" % (what, done.returncode, found,
                                                          ", begun" if begun else ""))
            shutil.rmtree(place)
        for problem in check_faults(binary, first, plan):
            failed += 1
            print("FAIL " + problem)
    finally:
        shutil.rmtree(root, ignore_errors=True)
    sys.stdout.flush()
    print("damaged plans: %d refused, %d applied as made, %d failed" % (refused, applied, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
