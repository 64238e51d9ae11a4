#!/usr/bin/env python3
"""Edits random worlds while `plan -watch` runs, and compares each of its rounds with a fresh plan.

  watch.py --binary PATH --mirror DIRECTORY [--seeds A-B] [--edits N] [--blocks N] [--sample N] [--figures]

What a round says (new, other, gone) is laid over what was known before; the result must be the changes of a fresh plan,
with the text of each. No round leaves a lock or writes a file. --blocks: so many more blocks, which need no provider;
--sample: only every Nth round is compared with a fresh plan. --figures prints how long it takes from a save to the text,
and how the memory grows. Without the provider the test is skipped (exit code 77).
"""
import json
import os
import random
import re
import shutil
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import offline
from watching import Watch, WatchFailure
from world_directory import Failure, WorldDirectory, check, read_options

BLOCK = re.compile(r"^  # (\S.*?) (?:will be|must be|is tainted|has moved|will no longer)")


def key(change):
    return change.get("addr") or change["resource"]["addr"], change.get("deposed") or ""


def planned(messages):
    """What the messages of a plan say of each object."""
    return {key(m["change"]): (m["change"]["action"], m["change"].get("reason"), m["change"].get("previous_resource"))
            for m in messages if m.get("type") == "planned_change" and m["change"]["action"] != "noop"}


def blocks_of(lines):
    """The text of each change, by its address."""
    out, name = {}, None
    for line in lines:
        found = BLOCK.match(line)
        if found:
            name = found[1]
            out[name] = [line]
        elif name and (line.startswith(" ") or line == ""):
            if line == "":
                name = None if out[name][-1] == "    }" else name
            else:
                out[name].append(line)
        else:
            name = None
    return out


def lay_over(known, messages, result):
    """What is planned after a round."""
    now = dict(known)
    for change in result["gone"]:
        check(now.pop(key(change), None) is not None, "gone, but was not there:", change)
    said = planned(messages)
    for change in result["new"]:
        check(key(change) not in known, "new, but was there:", change)
    for change in result["other"]:
        check(key(change) in known, "other, but was not there:", change)
    for change in result["new"] + result["other"]:
        if key(change) in said:
            now[key(change)] = said[key(change)]
    return now


def save(rng, here, name, text):
    """Saves as editors do: in place, or beside and renamed."""
    path = os.path.join(here.path, name)
    if rng.random() < 0.5:
        here.write(name, text)
    else:
        with open(path + ".new~", "w", encoding="utf-8") as file:
            file.write(text)
        os.rename(path + ".new~", path)


def fresh(here, *flags):
    """Changes and texts of a plan of its own; nothing if it fails."""
    done = here.run("plan", "-json", *flags, codes=(0, 1))
    if done.returncode:
        return None, None
    text = here.run("plan", "-no-color", *flags).stdout.splitlines()
    return planned([json.loads(line) for line in done.stdout.splitlines()]), blocks_of(text)


def compare(what, known, texts, here):
    real, real_texts = fresh(here)
    check(real is not None, what, "a fresh plan fails, the watch has a plan")
    check(known == real, what, "only the watch has", sorted(set(known.items()) - set(real.items()), key=str),
          "only a fresh plan has", sorted(set(real.items()) - set(known.items()), key=str))
    for name, block in real_texts.items():
        check(texts.get(name) == block, what, "text of", name, texts.get(name), "instead of", block)


def many_blocks(count):
    return {"many%d.tf" % part: "".join('resource "terraform_data" "m%d" {\n  input = "v%d"\n}\n' % (n, n)
                                        for n in range(part * 100, min(count, part * 100 + 100)))
            for part in range((count + 99) // 100)}


def one_world(options, seed, base):
    rng = random.Random(seed)
    path = os.path.join(base, str(seed))
    shutil.copytree(os.path.join(base, "initialized"), path, symlinks=True)
    here = WorldDirectory(options, path, XDG_CACHE_HOME=options.cache)
    blocks = []
    for index in range(rng.randrange(3, 9)):
        blocks.append(offline.block(rng, index, offline.names_of(blocks)))
    here.write("main.tf", offline.text_of(blocks))
    many = many_blocks(options.blocks)
    for name, text in many.items():
        here.write(name, text)
    here.run("apply", "-auto-approve")
    watch = Watch(here.binary, here.path, here.environment)
    times = []
    try:
        _, messages = watch.next_round()
        known = planned(messages)
        texts = blocks_of(watch.text())
        compare("seed %d, first plan:" % seed, known, texts, here)
        memory = None
        for number in range(options.edits):
            what = "seed %d, edit %d:" % (seed, number)
            begin = time.time()
            if many and rng.random() < 0.9:
                name = rng.choice(sorted(many))
                many[name] = re.sub(r'"v\d+(-\d+)?"', '"v%d-%d"' % (rng.randrange(9), number), many[name],
                                    count=rng.randrange(1, 4))
                save(rng, here, name, many[name])
            else:
                edited = offline.edit(rng, blocks)
                text = offline.text_of(edited)
                if rng.random() < 0.15:
                    text += rng.choice(('resource "kinutest_thing" {', 'output "o" { value = nothing.at_all }\n'))
                text += "# %d\n" % number
                save(rng, here, "main.tf", text)
            result, messages = watch.next_round()
            times.append(time.time() - begin)
            lines = watch.text() if options.sample == 1 or number % options.sample == 0 or many == {} else []
            if not lines:
                lines = watch.text()
            if os.environ.get("WATCH_DEBUG"):
                print(number, result, "\n".join(lines))
            if result["planned"]:
                known = lay_over(known, messages, result)
                for name in [key(c)[0] for c in result["gone"]]:
                    texts.pop(name, None)
                texts.update({name: block for name, block in blocks_of(lines).items()
                              if "no longer" not in block[0]})
            if number % options.sample == 0:
                if result["planned"]:
                    compare(what, known, texts, here)
                else:
                    check(fresh(here)[0] is None, what, "a fresh plan succeeds, the watch has none:", "\n".join(lines))
            if number == min(options.edits - 1, 20):
                memory = watch.memory()
        leftovers = [name for name in os.listdir(path) if "lock.info" in name]
        check(not leftovers, "locks are left:", leftovers)
        if options.figures:
            times.sort()
            print("%d edits: p50 %.0f ms, p95 %.0f ms, most %.0f ms; memory %d KiB after 20, %d KiB after all (%+.1f %%)" % (
                len(times), times[len(times) // 2] * 1000, times[int(len(times) * 0.95)] * 1000, times[-1] * 1000, memory,
                watch.memory(), (watch.memory() / memory - 1) * 100))
        watch.end()
    finally:
        watch.process.kill()
    shutil.rmtree(path)


def options_of():
    extra = {"--edits": 12, "--blocks": 0, "--sample": 1}
    words = sys.argv[1:]
    values = {}
    for name, default in extra.items():
        values[name[2:]] = default
        if name in words:
            at = words.index(name)
            values[name[2:]] = int(words[at + 1])
            del words[at:at + 2]
    sys.argv[1:] = words
    options = read_options(__doc__, "1-6", "--figures")
    for name, value in values.items():
        setattr(options, name, value)
    return options


def main():
    options = options_of()
    with tempfile.TemporaryDirectory() as base:
        options.cache = os.path.join(base, "cache")
        first = WorldDirectory(options, os.path.join(base, "initialized"), XDG_CACHE_HOME=options.cache)
        os.makedirs(os.path.join(first.path, "things"))
        first.write("main.tf", offline.HEAD)
        first.run("init")
        for seed in range(options.first, options.last + 1):
            try:
                one_world(options, seed, base)
            except (Failure, WatchFailure) as failure:
                print("seed %d: %s" % (seed, failure))
                return 1
    print("%d worlds" % (options.last - options.first + 1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
