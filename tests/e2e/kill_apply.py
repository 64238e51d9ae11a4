#!/usr/bin/env python3
"""Kills an apply at random moments and checks that no finished object is lost.

  kill_apply.py --binary PATH [--reference PATH] [--count N] [--objects N] [--seed N]

Each round applies a configuration in an empty directory, kills the process (SIGKILL) after a random
delay or a random number of lines, and reads the state with the next command. Every object whose
completion was printed before the kill must be in the state with the printed id. In every other round
the state is encrypted. The state file must be valid JSON or absent. A second apply must create all
missing objects and none twice. With --reference that program must read the file that the kill left,
and show the same state as kinu at the end.
"""
import argparse
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time

import sealing

COMPLETE = re.compile(r"^(terraform_data\.\S+): Creation complete after \d+s \[id=([0-9a-f-]{36})\]$",
                      re.M)


def configuration(objects):
    blocks = []
    for i in range(objects):
        parent = "terraform_data.r%d.id" % (i // 10) if i else '"root"'
        blocks.append('resource "terraform_data" "r%d" {\n  input = %s\n}\n' % (i, parent))
    return "".join(blocks)


def state_ids(binary, directory, env):
    """Addresses and ids in the state, as the next command reads it."""
    shown = subprocess.run([binary, "show", "-json"], cwd=directory, env=env, check=True,
                           capture_output=True, text=True)
    document = json.loads(shown.stdout)
    resources = document.get("values", {}).get("root_module", {}).get("resources", [])
    return {r["address"]: r["values"]["id"] for r in resources}


def killed_apply(binary, directory, delay, lines, env):
    """What an apply prints that is killed after a delay, and after that many lines."""
    process = subprocess.Popen([binary, "apply", "-no-color", "-auto-approve"], cwd=directory,
                               env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    time.sleep(delay)
    text = "".join(process.stdout.readline() for _ in range(lines))
    process.kill()
    text += process.stdout.read()
    process.wait()
    return text


def one_round(binary, reference, objects, delay, lines, env):
    directory = tempfile.mkdtemp(prefix="kinu-kill-")
    try:
        with open(os.path.join(directory, "main.tf"), "w") as f:
            f.write(configuration(objects))
        text = killed_apply(binary, directory, delay, lines, env)
        # The last line may be incomplete: then nothing was announced.
        finished = dict(COMPLETE.findall(text[:text.rfind("\n") + 1]))
        found = state_ids(binary, directory, env)
        for address, identity in finished.items():
            if found.get(address) != identity:
                return "%s was finished with id %s, the state has %s" % (
                    address, identity, found.get(address)), len(finished)
        if reference:
            left = os.path.join(directory, "left")
            os.mkdir(left)
            if os.path.exists(os.path.join(directory, "terraform.tfstate")):
                shutil.copy(os.path.join(directory, "terraform.tfstate"), left)
            seen = state_ids(reference, left, env)
            shutil.rmtree(left)
            for address, identity in seen.items():
                if found.get(address) != identity:
                    return "the reference reads %s, which is not there" % address, len(finished)
        again = subprocess.run([binary, "apply", "-no-color", "-auto-approve"], cwd=directory,
                               env=env, capture_output=True, text=True)
        if again.returncode != 0:
            return "apply after the kill failed: " + again.stderr, len(finished)
        after = state_ids(binary, directory, env)
        if len(after) != objects:
            return "%d objects after the second apply, not %d" % (len(after), objects), len(finished)
        if reference:
            subprocess.run([reference, "init"], cwd=directory, env=env, capture_output=True)
            if state_ids(reference, directory, env) != after:
                return "the reference reads another state", len(finished)
        for address, identity in found.items():
            if after.get(address) != identity:
                return "%s was made a second time" % address, len(finished)
        return None, len(finished)
    finally:
        shutil.rmtree(directory, ignore_errors=True)


def whole_run(binary, objects, env):
    """The duration of an apply without a kill, in seconds."""
    directory = tempfile.mkdtemp(prefix="kinu-kill-")
    try:
        with open(os.path.join(directory, "main.tf"), "w") as f:
            f.write(configuration(objects))
        begin = time.monotonic()
        subprocess.run([binary, "apply", "-no-color", "-auto-approve"], cwd=directory, env=env,
                       check=True, capture_output=True)
        return time.monotonic() - begin
    finally:
        shutil.rmtree(directory, ignore_errors=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", required=True)
    parser.add_argument("--reference")
    parser.add_argument("--count", type=int, default=20, help="how often it is killed")
    parser.add_argument("--objects", type=int, default=1200)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    binary = os.path.abspath(args.binary)
    env = {"PATH": os.environ.get("PATH", ""), "HOME": tempfile.gettempdir(), "TZ": "UTC"}
    encrypted = env | {"TF_ENCRYPTION": sealing.SETTINGS}
    kinds = [(kind, whole_run(binary, args.objects, kind)) for kind in (env, encrypted)]
    rng = random.Random(args.seed)
    failed = partial = 0
    for i in range(args.count):
        surroundings, whole = kinds[i % 2]
        # Kills by time are spread over a whole run; those by lines fall while objects are made.
        # The plan of an object has six lines, its creation two.
        delay, lines = ((rng.uniform(0, whole), 0) if i // 2 % 2 else
                        (0, 6 * args.objects + rng.randrange(2 * args.objects)))
        problem, finished = one_round(binary, args.reference, args.objects, delay, lines, surroundings)
        if problem:
            failed += 1
            print("FAIL", problem)
        elif 0 < finished < args.objects:
            partial += 1
    print("%d rounds, %d of them killed half way" % (args.count, partial))
    print("kill: %d passed, %d failed" % (args.count - failed, failed))
    if partial == 0:
        print("FAIL no kill fell while objects were made")
    return 1 if failed or partial == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
