#!/usr/bin/env python3
"""Changes real objects at random, and compares `drift` with the drift of `plan -refresh-only`.

  drift.py --binary PATH --mirror DIRECTORY [--seeds A-B]

The objects of the tests' provider are files, which are changed, removed and left alone. What `drift` reports must be
what a refresh-only plan has: the same objects, the same values, none of them sensitive. An apply does what `drift`
says about it. Neither the state nor anything else is written. Without the provider the test is skipped (exit code 77).
"""
import json
import os
import random
import shutil
import sys
import tempfile

from world_directory import WorldDirectory, check, read_options

CONFIGURATION = """terraform {
  required_providers {
    kinutest = { source = "kinu/kinutest" }
  }
}
provider "kinutest" {
  directory = "things"
}
resource "kinutest_thing" "many" {
  count = 4
  name  = "many${count.index}"
  value = "v${count.index}"
}
resource "kinutest_thing" "hidden" {
  for_each = toset(["x", "y"])
  name     = "hidden-${each.key}"
  value    = sensitive("top-secret-${each.key}")
}
resource "kinutest_thing" "kept" {
  name  = "kept"
  value = "kept"
  lifecycle {
    ignore_changes = [value]
  }
}
resource "terraform_data" "user" {
  input = kinutest_thing.many[0].id
}
"""
RULES = """ignore "kinutest_thing.many[0]" {
  attributes = ["value"]
  reason     = "a rule"
}
"""


def disturb(rng, things):
    """Changes and removes some of the objects. Returns whether any is another one now."""
    touched = False
    for name in sorted(os.listdir(things)):
        path = os.path.join(things, name)
        what = rng.choice(("leave", "leave", "change", "remove"))
        if what == "remove":
            os.remove(path)
        elif what == "change":
            with open(path, encoding="utf-8") as file:
                content = json.load(file)
            content["value"] = "changed-%d" % rng.randrange(10 ** 6)
            with open(path, "w", encoding="utf-8") as file:
                json.dump(content, file)
        touched = touched or what != "leave"
    return touched


def differences(before, after, sensitive):
    out = {}
    for key in sorted(set(before) | set(after)):
        if before.get(key) != after.get(key):
            hidden = sensitive is True or (isinstance(sensitive, dict) and sensitive.get(key) is True)
            out[key] = ("(sensitive value)",) * 2 if hidden else (before.get(key), after.get(key))
    return out


def expected(document):
    """What a refresh-only plan says: the differences of each object, None if it is gone."""
    out = {}
    for entry in document.get("resource_drift", []):
        change = entry["change"]
        out[entry["address"]] = None if change["after"] is None else differences(
            change["before"], change["after"], change["before_sensitive"])
    return out


def one_world(options, seed, base):
    rng = random.Random(seed)
    path = os.path.join(base, str(seed))
    shutil.copytree(os.path.join(base, "applied"), path, symlinks=True)
    here = WorldDirectory(options, path)
    touched = disturb(rng, os.path.join(path, "things"))
    before = here.files()
    found = here.run("drift", "-json", codes=(0, 2))
    text = here.run("drift", codes=(0, 2))
    check(here.files() == before, seed, "drift has written something")
    check("top-secret" not in found.stdout + text.stdout, seed, "a secret is shown")
    report = json.loads(found.stdout)
    got = {o["address"]: None if o["status"] == "gone" else {
        ".".join(map(str, d["path"])): (d.get("before"), d.get("after")) for d in o["differences"]}
        for o in report["objects"]}
    here.run("plan", "-refresh-only", "-out=p")
    document = json.loads(here.run("show", "-json", "p").stdout)
    check(got == expected(document), seed, "differs from plan -refresh-only:", got, expected(document))
    check((found.returncode == 2) == bool(got) == touched, seed, "exit", found.returncode, got, touched)
    here.run("plan", "-out=q")
    changes = json.loads(here.run("show", "-json", "q").stdout)["resource_changes"]
    actions = {c["address"]: "-".join(c["change"]["actions"]) for c in changes}
    for o in report["objects"]:
        check(o.get("action") == actions.get(o["address"]), seed, o, actions.get(o["address"]))
        check(o["position"]["filename"] == "main.tf", seed, o)
    saved = json.loads(here.run("drift", "-json", "-plan=q", codes=(0, 2)).stdout)
    check(saved == report, seed, "differs from that of a saved plan")
    here.write("r.kinudrift.hcl", RULES)
    again = json.loads(here.run("drift", "-json", codes=(0, 2)).stdout)
    ignored = [o["address"] for o in again["objects"] if "ignored" in o]
    changed = [a for a, d in got.items() if a == "kinutest_thing.many[0]" and d is not None]
    check(ignored == changed, seed, "ignored", ignored, changed)


def broken(options, base):
    """What fails on the way is an error, and the drift that was seen is shown."""
    path = os.path.join(base, "broken")
    shutil.copytree(os.path.join(base, "applied"), path, symlinks=True)
    here = WorldDirectory(options, path)
    here.write("things/thing-many0.json", "no JSON")
    os.remove(os.path.join(path, "things", "thing-kept.json"))
    report = json.loads(here.run("drift", "-json", codes=(1,)).stdout)
    check(report["errored"] and report["diagnostics"], "broken", report)
    check([o["address"] for o in report["objects"]] == ["kinutest_thing.kept"], "broken", report)
    here.write("main.tf", "nothing = 1\n")
    report = json.loads(here.run("drift", "-json", codes=(1,)).stdout)
    check(report["errored"] and report["diagnostics"] and not report["objects"], "invalid", report)


def main():
    options = read_options(__doc__, "1-12")
    with tempfile.TemporaryDirectory(prefix="drift-") as base:
        applied = os.path.join(base, "applied")
        os.makedirs(os.path.join(applied, "things"))
        here = WorldDirectory(options, applied)
        here.write("main.tf", CONFIGURATION)
        here.run("init")
        here.run("apply", "-auto-approve")
        for seed in range(options.first, options.last + 1):
            one_world(options, seed, base)
        broken(options, base)
    print("drift: %d worlds as plan -refresh-only has them" % (options.last - options.first + 1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
