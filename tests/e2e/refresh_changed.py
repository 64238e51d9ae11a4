#!/usr/bin/env python3
"""Compares plans with -refresh=changed with full plans, in random worlds.

  refresh_changed.py --binary PATH --mirror DIRECTORY [--seeds A-B]

A world is applied with -refresh=changed, its files are edited at random, and it is planned with and without the
option: nothing was changed outside, so both plans must have the same actions and values. What is read is counted:
nothing of 1,000 unchanged objects, and one after one edit. Commands without the option write no digest, and read
everything. Without the provider the test is skipped (exit code 77).
"""
import concurrent.futures
import json
import os
import random
import shutil
import sys
import tempfile

from offline import HEAD, block, edit, names_of, text_of
from world_directory import Failure, WorldDirectory, check, read_options

MEMBER = "kinu_configuration"


def planned(here, *flags):
    """The planned changes by address; nothing if the plan fails."""
    done = here.run("plan", "-out=p", *flags, codes=(0, 1))
    if done.returncode == 1:
        return None
    document = json.loads(here.run("show", "-json", "p").stdout)
    changes = {}
    for change in document.get("resource_changes", []):
        change["change"].pop("before_identity", None)
        changes[(change["address"], change.get("deposed"))] = (
            change["change"]["actions"], change["change"]["before"], change["change"]["after"],
            change["change"].get("after_unknown"), change.get("action_reason"))
    return changes, document.get("output_changes")


def messages(here, *words, kind=None):
    found = [json.loads(line) for line in here.run(*words, "-json").stdout.splitlines()]
    return [m for m in found if m.get("type") == kind] if kind else found


def reads(here, *flags):
    """The addresses that a plan reads, and how many it says that it did not."""
    found = messages(here, "plan", *flags)
    notes = [int(m["not_refreshed"]) for m in found if m.get("type") == "refresh_changed"]
    return sorted(m["hook"]["resource"]["addr"] for m in found if m.get("type") == "refresh_start"), notes


def one_world(options, seed, base):
    rng = random.Random(seed)
    path = os.path.join(base, str(seed))
    shutil.copytree(os.path.join(base, "initialized"), path, symlinks=True)
    here = WorldDirectory(options, path)
    blocks = []
    for index in range(rng.randrange(3, 9)):
        blocks.append(block(rng, index, names_of(blocks)))
    here.write("main.tf", text_of(blocks))
    if rng.random() < 0.5:
        here.run("apply", "-auto-approve", "-refresh=changed")
    else:
        here.run("plan", "-out=saved", "-refresh=changed")
        here.run("apply", "saved")
    if rng.random() < 0.2:  # taints an object
        state = json.loads(here.read("terraform.tfstate"))
        managed = [r for r in state["resources"] if r["mode"] == "managed"]
        if managed:
            rng.choice(rng.choice(managed)["instances"])["status"] = "tainted"
            state["serial"] += 1
            here.write("terraform.tfstate", json.dumps(state))
    for _ in range(3):
        compare(here, seed, rng)
        blocks = edit(rng, blocks)
        here.write("main.tf", text_of(blocks))
        compare(here, seed, rng)
        if here.run("apply", "-auto-approve", *rng.choice((["-refresh=changed"], [])), codes=(0, 1)).returncode:
            break
        if not all_exist(here):
            break
    shutil.rmtree(path)


def all_exist(here):
    """Whether each object of the state is there. A tainted object of a block that creates before it destroys has the
    name of the new one, so that its destruction removes both: for a plan that is a change from outside."""
    state = json.loads(here.read("terraform.tfstate"))
    return all(os.path.exists(os.path.join(here.path, "things", instance["attributes"]["id"] + ".json"))
               for resource in state["resources"] if resource["type"] == "kinutest_thing"
               for instance in resource["instances"])


def compare(here, seed, rng):
    flags = rng.choice(([], [], [], ["-var", "word=other"], ["-destroy"]))
    changed = planned(here, "-refresh=changed", *flags)
    full = planned(here, *flags)
    check(changed == full, "seed %d %s: with -refresh=changed\n%s\nand in full\n%s" % (seed, flags, changed, full))


def new_directory(options, base, name, text):
    path = os.path.join(base, name)
    shutil.copytree(os.path.join(base, "initialized"), path, symlinks=True)
    here = WorldDirectory(options, path)
    here.write("main.tf", text)
    return here


def counts_reads(options, base):
    text = HEAD + "".join('resource "kinutest_thing" "t%d" {\n  count = 100\n  name = "t%d-${count.index}"\n}\n' % (i, i)
                          for i in range(10))
    text += 'resource "kinutest_thing" "user" {\n  name = "user"\n  value = kinutest_thing.t0[0].name\n}\n'
    here = new_directory(options, base, "thousand", text)
    here.run("apply", "-auto-approve", "-refresh=changed")
    check(reads(here, "-refresh=changed") == ([], [1001]), "unchanged objects are read")
    check(len(reads(here)[0]) == 1001, "a full plan does not read all")
    here.write("main.tf", "# a comment\n" + text.replace("count = 100", "count   =   100 // more"))
    check(reads(here, "-refresh=changed") == ([], [1001]), "comments count")
    here.write("main.tf", text.replace('"user"\n  value', '"user"\n  size = 3\n  value'))
    check(reads(here, "-refresh=changed") == (["kinutest_thing.user"], [1000]), reads(here, "-refresh=changed"))
    # An edit of a block whose value another one has: the block, and what depends on it.
    here.write("main.tf", text.replace("t0-$", "new-$"))
    read = reads(here, "-refresh=changed")[0]
    check(len(read) == 101 and "kinutest_thing.user" in read, read)
    # Another reference with the same value.
    here.write("main.tf", text.replace("kinutest_thing.t0[0].name", 'coalesce(kinutest_thing.t0[0].name, var.word)'))
    check(reads(here, "-refresh=changed") == (["kinutest_thing.user"], [1000]), "a new reference")
    here.write("main.tf", text.replace('directory = "things"', 'directory = "./things"'))
    check(len(reads(here, "-refresh=changed")[0]) == 1001, "the provider's configuration has changed")


def keeps_out(options, base):
    """Without the option there is no trace of it, and what is changed outside is found."""
    text = HEAD + 'resource "kinutest_thing" "a" {\n  name = "a"\n  password = "hunter2"\n}\n'
    here = new_directory(options, base, "plain", text)
    here.run("apply", "-auto-approve")
    check(MEMBER not in here.read("terraform.tfstate"), "a plain apply writes digests")
    first = here.read("terraform.tfstate")
    check(reads(here, "-refresh=changed") == (["kinutest_thing.a"], [0]), "an object without digest is not read")
    check(here.read("terraform.tfstate") == first, "a plan writes the state")
    here.run("apply", "-auto-approve", "-refresh=changed")
    digest = json.loads(here.read("terraform.tfstate"))["resources"][0]["instances"][0][MEMBER]
    here.write("main.tf", text.replace("hunter2", "hunter3"))
    here.run("apply", "-auto-approve", "-refresh=changed")
    again = json.loads(here.read("terraform.tfstate"))["resources"][0]["instances"][0][MEMBER]
    check(digest == again, "the digest tells something of a value")
    here.run("state", "mv", "kinutest_thing.a", "kinutest_thing.b")
    here.write("main.tf", text.replace("hunter2", "hunter3").replace('"kinutest_thing" "a"', '"kinutest_thing" "b"'))
    check(reads(here, "-refresh=changed") == ([], [1]), "a moved object loses its digest")
    here.run("apply", "-refresh-only", "-refresh=changed", codes=(1,))
    here.run("plan", "-offline", "-refresh=changed", codes=(1,))
    here.run("plan", "-refresh=some", codes=(1,))
    said = here.run("plan", "-refresh=changed", "-no-color").stdout
    check("1 object was not refreshed" in said, said)


def main():
    options = read_options(__doc__, "1-24")
    with tempfile.TemporaryDirectory(prefix="refresh-changed-") as base:
        initialized = os.path.join(base, "initialized")
        os.makedirs(os.path.join(initialized, "things"))
        here = WorldDirectory(options, initialized)
        here.write("main.tf", HEAD)
        here.run("init")
        failures = []
        try:
            keeps_out(options, base)
            counts_reads(options, base)
            with concurrent.futures.ThreadPoolExecutor(2) as pool:
                worlds = [pool.submit(one_world, options, seed, base) for seed in range(options.first, options.last + 1)]
                for done in concurrent.futures.as_completed(worlds):
                    done.result()
        except Failure as failure:
            failures.append(str(failure))
        for failure in failures:
            print(failure)
        return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
