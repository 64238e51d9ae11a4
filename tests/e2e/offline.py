#!/usr/bin/env python3
"""Compares offline plans with plans that ask providers, in random worlds.

  offline.py --binary PATH --mirror DIRECTORY [--seeds A-B] [--report]

A world is applied, its files are edited at random, and it is planned offline, with -refresh=false and with a refresh.
What the offline plan calls certain must be what both other plans have, outputs with their values, and what it calls
the least must at least happen. An offline plan reads nothing but files: it works without the directory of `init`, starts no process (the
provider's program is gone) and opens no socket (strace, where there is one). --report prints how much is certain.
Without the provider the test is skipped (exit code 77).
"""
import collections
import concurrent.futures
import json
import os
import random
import re
import shutil
import sys
import tempfile

from world_directory import Failure, WorldDirectory, read_options

HEAD = """terraform {
  required_providers {
    kinutest = { source = "kinu/kinutest" }
  }
}
provider "kinutest" {
  directory = "things"
}
variable "names" {
  default = ["a", "b", "c"]
}
variable "word" {
  default = "word"
}
locals {
  upper = upper(var.word)
}
"""
RESULTS = collections.Counter()


# A world is a list of blocks: name -> (kind, arguments). Arguments are expressions.


def value(rng, names):
    """An expression, which may refer to other blocks."""
    choices = ['"v%d"' % rng.randrange(4), "var.word", "local.upper", '"${var.word}-%d"' % rng.randrange(3)]
    for kind, name, several in names:
        at = "[0]" if several == "count" else '["a"]' if several == "for_each" else ""
        if kind == "terraform_data":
            choices += ["terraform_data.%s%s.%s" % (name, at, rng.choice(("input", "output", "id")))]
        elif kind == "kinutest_thing":
            choices += ["kinutest_thing.%s%s.%s" % (name, at, rng.choice(("id", "name", "value")))]
        elif kind == "data":
            choices += ["data.kinutest_lookup.%s%s.value" % (name, at)]
    return rng.choice(choices)


def block(rng, index, names):
    kind = rng.choice(("terraform_data", "terraform_data", "kinutest_thing", "kinutest_thing", "kinutest_thing", "data"))
    several = rng.choice(("", "", "", "count", "for_each"))
    out = {"kind": kind, "name": "b%d" % index, "several": several, "arguments": {}, "repeat": 2, "nested": 0,
           "lifecycle": rng.choice(("", "", "", "create_before_destroy = true", "ignore_changes = [value]"))}
    if kind == "terraform_data":
        out["lifecycle"] = ""
        out["arguments"]["input"] = value(rng, names)
        if rng.random() < 0.3:
            out["arguments"]["triggers_replace"] = value(rng, names)
    elif kind == "kinutest_thing":
        for name in ("value", "secret"):
            if rng.random() < 0.6:
                out["arguments"][name] = value(rng, names)
        if rng.random() < 0.4:
            out["arguments"]["size"] = str(rng.randrange(5))
        if rng.random() < 0.3:
            out["arguments"]["tags"] = "{ t = %s }" % value(rng, names)
        if rng.random() < 0.3:
            out["arguments"]["password"] = '"p%d"' % rng.randrange(3)
        if rng.random() < 0.3:
            out["arguments"]["settings"] = "{ enabled = %s }" % rng.choice(("true", "false"))
        if rng.random() < 0.3:
            out["arguments"]["rules"] = "[{ port = %d }]" % rng.randrange(9)
        if rng.random() < 0.3:
            out["arguments"]["members"] = "[{ port = %d, label = %s }]" % (rng.randrange(9), value(rng, names))
        out["nested"] = rng.randrange(3)
    else:
        out["lifecycle"] = ""
        out["arguments"]["anything"] = value(rng, names)
    return out


def text_of(blocks):
    out = HEAD
    for b in blocks:
        kind = b["kind"]
        out += 'data "kinutest_lookup" "%s" {\n' % b["name"] if kind == "data" else 'resource "%s" "%s" {\n' % (
            kind, b["name"])
        suffix = ""
        if b["several"] == "count":
            out += "  count = %d\n" % b["repeat"]
            suffix = "-${count.index}"
        elif b["several"] == "for_each":
            keys = "var.names" if b["repeat"] == 2 else '["a", "z"]'
            out += "  for_each = toset(%s)\n" % b.get("keys", keys)
            suffix = "-${each.key}"
        if kind in ("kinutest_thing", "data"):
            out += '  %s = "%s%s"\n' % ("key" if kind == "data" else "name", b.get("real", b["name"]), suffix)
        for name, expression in sorted(b["arguments"].items()):
            out += "  %s = %s\n" % (name, expression)
        for number in range(b["nested"]):
            out += "  disk {\n    size = %d\n  }\n" % (number + b.get("disk", 0))
        if b["lifecycle"]:
            out += "  lifecycle {\n    %s\n  }\n" % b["lifecycle"]
        out += "}\n"
    return out


def outputs_of(blocks):
    """An output for each block, and some that no provider has a part in. What a block is made of may be sensitive."""
    out = 'output "word" {\n  value = "${var.word}-${local.upper}"\n}\n'
    for b in blocks:
        kind = {"terraform_data": "terraform_data", "kinutest_thing": "kinutest_thing"}.get(b["kind"], "data.kinutest_lookup")
        part = {"terraform_data": "input", "kinutest_thing": "name"}.get(b["kind"], "value")
        values = {"": "%s.%s.%s", "count": "%s.%s[*].%s", "for_each": "[for o in %s.%s : o.%s]"}[b["several"]]
        out += 'output "%s" {\n  value     = %s\n  sensitive = %s\n}\n' % (
            b["name"], values % (kind, b["name"], part), "true" if b["kind"] == "terraform_data" else "false")
    return out


def names_of(blocks):
    return [(b["kind"], b["name"], b["several"]) for b in blocks]


def edit(rng, blocks):
    """Edited blocks. Later blocks refer to earlier ones only."""
    out = []
    for position, old in enumerate(blocks):
        b = json.loads(json.dumps(old))
        what = rng.choice(("keep", "keep", "value", "value", "add", "drop", "rename", "repeat", "nested", "remove"))
        changed = sorted(b["arguments"])
        if what == "value" and changed:
            name = rng.choice(changed)
            if name in ("input", "value", "secret", "triggers_replace", "anything"):
                b["arguments"][name] = value(rng, names_of(out))
            elif name == "size":
                b["arguments"][name] = str(rng.randrange(5))
            elif name == "rules":
                b["arguments"][name] = "[{ port = %d }, { port = 3 }]" % rng.randrange(9)
            elif name == "tags":
                b["arguments"][name] = '{ t = "new", u = %s }' % value(rng, names_of(out))
        elif what == "add" and b["kind"] == "kinutest_thing":
            b["arguments"].setdefault(rng.choice(("value", "secret")), value(rng, names_of(out)))
        elif what == "drop" and b["kind"] == "kinutest_thing" and changed:
            del b["arguments"][rng.choice(changed)]
        elif what == "rename" and b["kind"] != "terraform_data":
            b["real"] = b["name"] + "-again"
        elif what == "repeat":
            b["repeat"] = rng.choice((1, 3))
            if rng.random() < 0.3:
                b["keys"] = '["a", %s]' % value(rng, names_of(out))
        elif what == "nested":
            b["nested"], b["disk"] = rng.randrange(3), rng.randrange(2)
        elif what == "remove" and position == len(blocks) - 1:
            continue  # nothing refers to the last one
        out.append(b)
    for number in range(rng.randrange(3)):
        out.append(block(rng, 100 + number, names_of(out)))
    return out


def real_actions(here, *flags):
    """The actions of a plan with providers, by address; nothing if it fails."""
    done = here.run("plan", "-out=p", *flags, codes=(0, 1))
    if done.returncode == 1:
        return None
    document = json.loads(here.run("show", "-json", "p").stdout)
    return Plan({(c["address"], c.get("deposed")): action_of(c["change"]["actions"])
                 for c in document.get("resource_changes", [])}, document.get("output_changes", {}))


class Plan(dict):
    """The actions of a plan, by address and key of a deposed object, and its changes of outputs."""

    def __init__(self, actions, outputs):
        super().__init__(actions)
        self.outputs = outputs


def action_of(actions):
    return "replace" if set(actions) == {"create", "delete"} else "-".join(actions)


def offline_changes(here, *flags, codes=(0,), before=()):
    done = here.run("plan", "-offline", "-json", *flags, codes=codes, before=before)
    messages = [json.loads(line) for line in done.stdout.splitlines()]
    found = [m for m in messages if m.get("type") == "offline_plan"]
    if done.returncode == 1:
        return None
    if len(found) != 1 or found[0]["complete"] is not False:
        raise Failure("no mark of an incomplete plan: " + done.stdout)
    return found[0]["changes"], found[0]["outputs"]


def texts_of_outputs(text):
    """What a plan's text says of each output that changes."""
    out, name = {}, None
    for line in text.partition("\nChanges to Outputs:\n")[2].splitlines():
        if not line.startswith("  "):
            break
        found = re.match(r"^  [-+~] (\S+) +=", line)
        name = found[1] if found else name
        out[name] = out.get(name, "") + re.sub(r"^(  [-+~] \S+) +=", r"\1 =", line) + "\n"
    return out


def judge_outputs(seed, outputs, real, what):
    """Compares the outputs of an offline plan with those of a real one."""
    for output in outputs:
        name = output["name"]
        change = real.outputs.get(name)
        if output["certainty"] != "certain":
            continue
        if change is None or "-".join(change["actions"]) != output["action"]:
            raise Failure("seed %d: output %s is certain to be %s, but %s has %s" % (
                seed, name, output["action"], what, change))
    # A refresh before a destruction brings outputs that it then removes.
    lacks = set(real.outputs) - {output["name"] for output in outputs}
    if lacks and what == "the plan":
        raise Failure("seed %d: the offline plan lacks outputs %s" % (seed, lacks))


def judge(seed, changes, real, what):
    """Compares an offline plan with a real one."""
    for change in changes:
        action = real.get((change["addr"], change.get("deposed")), "none")
        certainty = change["certainty"]
        if certainty == "certain" and action != change["action"]:
            raise Failure("seed %d: %s is certain to be %s, but %s has %s" % (
                seed, change["addr"], change["action"], what, action))
        if certainty == "at_least" and action not in ("update", "replace"):
            raise Failure("seed %d: %s is at least %s, but %s has %s" % (
                seed, change["addr"], change["action"], what, action))
    known = {(c["addr"], c.get("deposed")) for c in changes}
    for (address, deposed), action in real.items():
        if (address, deposed) not in known and action not in ("no-op", "read"):
            raise Failure("seed %d: the offline plan lacks %s of %s" % (seed, action, address))


def count(changes, outputs, real):
    for output in outputs:
        RESULTS[("output " + output["action"], output["certainty"])] += 1
    for change in changes:
        action = change["action"]
        RESULTS[("all", change["certainty"])] += 1
        if action != "no-op":
            RESULTS[("changes", change["certainty"])] += 1
        same = real.get((change["addr"], change.get("deposed")), "none") == action
        RESULTS[(action, change["certainty"], "same" if same else "other")] += 1


def one_world(options, seed, base):
    rng = random.Random(seed)
    path = os.path.join(base, str(seed))
    shutil.copytree(os.path.join(base, "initialized"), path, symlinks=True)
    here = WorldDirectory(options, path, XDG_CACHE_HOME=options.cache)
    blocks = []
    for index in range(rng.randrange(3, 9)):
        blocks.append(block(rng, index, names_of(blocks)))
    here.write("main.tf", text_of(blocks) + outputs_of(blocks))
    here.run("apply", "-auto-approve")
    if rng.random() < 0.3:
        state = json.loads(open(os.path.join(path, "terraform.tfstate"), encoding="utf-8").read())
        managed = [r for r in state["resources"] if r["mode"] == "managed"]
        if managed:
            rng.choice(rng.choice(managed)["instances"])["status"] = "tainted"
            state["serial"] += 1
            here.write("terraform.tfstate", json.dumps(state))
    edited = edit(rng, blocks)
    here.write("main.tf", text_of(edited) + outputs_of(edited))
    flags = []
    if rng.random() < 0.2:
        flags = ["-var", "word=other"]
    elif rng.random() < 0.1:
        flags = ["-destroy"]
    before = here.files()
    data = os.path.join(path, ".terraform")
    os.rename(data, data + "-away")  # no program of a provider, no module, no lock of a backend
    try:
        planned = offline_changes(here, *flags, codes=(0, 1))
        text = here.run("plan", "-offline", "-no-color", *flags, codes=(0, 1)).stdout
    finally:
        os.rename(data + "-away", data)
    if here.files() != before:
        raise Failure("seed %d: an offline plan has written something" % seed)
    plain = real_actions(here, "-refresh=false", *flags)
    full = real_actions(here, *flags)
    if planned is None:
        RESULTS["offline plan fails" if plain is not None else "both plans fail"] += 1
        return
    if "incomplete" not in text:
        raise Failure("seed %d: the text says nothing" % seed)
    changes, outputs = planned
    for real, what in ((plain, "the plan"), (full, "the plan with refresh")):
        if real is not None:
            judge(seed, changes, real, what)
            judge_outputs(seed, outputs, real, what)
    if plain is not None:
        real_text = texts_of_outputs(here.run("plan", "-refresh=false", "-no-color", *flags).stdout)
        shown = texts_of_outputs(text)
        for output in outputs:
            name = output["name"]
            if output["certainty"] == "certain" and shown.get(name) != real_text.get(name):
                raise Failure("seed %d: output %s is certain to be %s, but the plan has %s" % (
                    seed, name, shown.get(name), real_text.get(name)))
        RESULTS["worlds"] += 1
        count(changes, outputs, plain)
    shutil.rmtree(path)


def starts_nothing(options, base):
    """An offline plan opens no socket and starts no program."""
    path = os.path.join(base, "traced")
    shutil.copytree(os.path.join(base, "initialized"), path, symlinks=True)
    here = WorldDirectory(options, path, XDG_CACHE_HOME=options.cache)
    here.write("main.tf", HEAD + 'resource "kinutest_thing" "a" {\n  name = "a"\n}\ndata "kinutest_lookup" "d" {\n'
               '  key = "x"\n}\noutput "o" {\n  value = data.kinutest_lookup.d.value\n}\n')
    if shutil.which("strace") is None:
        return
    log = os.path.join(path, "calls")
    offline_changes(here, before=("strace", "-f", "-o", log, "-e",
                                  "trace=socket,connect,execve,fork,vfork"))
    with open(log, encoding="utf-8") as file:
        calls = [line for line in file if "(" in line and "resumed" not in line]
    bad = calls[1:] if calls and "execve(" in calls[0] else calls
    if not calls or bad:
        raise Failure("an offline plan calls: " + "".join(bad))


def plans_without_lock_file(options, base):
    """Without a lock file the newest known schema counts, and the plan says so."""
    path = os.path.join(base, "unlocked")
    shutil.copytree(os.path.join(base, "initialized"), path, symlinks=True)
    here = WorldDirectory(options, path, XDG_CACHE_HOME=options.cache)
    os.remove(os.path.join(path, ".terraform.lock.hcl"))
    shutil.rmtree(os.path.join(path, ".terraform"))
    text = here.run("plan", "-offline", "-no-color").stdout
    if "Version of provider not locked" not in text or "kinutest_thing.a will be created" not in text:
        raise Failure("without a lock file: " + text)


def explains_with_given_schemas(options, base):
    """The schemas of -schemas are all that there is, for the causes in a summary too."""
    path = os.path.join(base, "given")
    shutil.copytree(os.path.join(base, "initialized"), path, symlinks=True)
    cache = os.path.join(path, "cache")
    os.mkdir(cache, mode=0o700)
    here = WorldDirectory(options, path, XDG_CACHE_HOME=cache)
    here.write("schemas.json", here.run("providers", "schema", "-json").stdout)
    here.run("apply", "-auto-approve")
    here.write("main.tf", here.read("main.tf").replace('name = "a"', 'name = "b"'))
    for gone in (cache, os.path.join(path, ".terraform")):
        shutil.rmtree(gone)
    os.mkdir(cache, mode=0o700)
    os.remove(os.path.join(path, ".terraform.lock.hcl"))
    text = here.run("plan", "-offline", "-schemas=schemas.json", "-summary", "-why").stdout
    if "because of the text of kinutest_thing.a.name" not in text:
        raise Failure("with given schemas: " + text)


def main():
    options = read_options(__doc__, "1-24", "--report")
    with tempfile.TemporaryDirectory(prefix="offline-") as base:
        options.cache = os.path.join(base, "cache")
        os.makedirs(options.cache, mode=0o700)
        initialized = os.path.join(base, "initialized")
        os.makedirs(os.path.join(initialized, "things"))
        here = WorldDirectory(options, initialized, XDG_CACHE_HOME=options.cache)
        here.write("main.tf", HEAD + 'resource "kinutest_thing" "a" {\n  name = "a"\n}\n')
        here.run("init")
        here.run("plan")  # stores the schema
        failures = []
        try:
            starts_nothing(options, base)
            plans_without_lock_file(options, base)
            explains_with_given_schemas(options, base)
            with concurrent.futures.ThreadPoolExecutor(2) as pool:
                worlds = {pool.submit(one_world, options, seed, base): seed for seed in range(options.first, options.last + 1)}
                for done in concurrent.futures.as_completed(worlds):
                    if done.exception() is not None:
                        failures.append("%d: %s" % (worlds[done], done.exception()))
        except Failure as problem:
            failures.append(str(problem))
    if options.report:
        for key, number in sorted(RESULTS.items(), key=str):
            print(key, number)
    if failures:
        sys.exit("offline: " + "\noffline: ".join(failures[:8]))
    changes = sum(n for k, n in RESULTS.items() if k[0] == "changes")
    print("offline: %d worlds; %d of %d changes certain" % (RESULTS["worlds"], RESULTS[("changes", "certain")], changes))
    return 0


if __name__ == "__main__":
    sys.exit(main())
