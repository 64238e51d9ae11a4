"""The recorded worlds: worlds.jsonl.xz, one world with the reference's answers a line."""
import json
import lzma
import os

import generate
import session
import workers

PLACE = os.path.join(session.HERE, "worlds.jsonl.xz")


def read():
    """All recorded worlds. Without the file nothing can be tested: that is an error."""
    with lzma.open(PLACE, "rt", encoding="utf-8", errors="surrogateescape", newline="\n") as file:
        worlds = [json.loads(line) for line in file]
    if not worlds:
        raise ValueError("%s has no worlds" % PLACE)
    return worlds


def write(worlds):
    text = "".join(json.dumps(world, ensure_ascii=False, separators=(",", ":")) + "\n" for world in worlds)
    with open(PLACE, "wb") as file:
        file.write(lzma.compress(text.encode("utf-8", "surrogateescape"), check=lzma.CHECK_CRC64, preset=9 | lzma.PRESET_EXTREME))


def chosen(seeds, count):
    """The seeds whose worlds have the most pairs that no world before them has."""
    hit, out, left = set(), [], []
    for seed in seeds:
        world = generate.make(seed)
        pairs = set().union(*map(generate.pairs_of, world["rows"]))
        left.append((len(pairs - hit) / (4 + len(world["rows"])), seed))
        if len(pairs - hit) / (4 + len(world["rows"])) > 6:
            hit |= pairs
            out.append(seed)
    more = [seed for _, seed in sorted(left, reverse=True) if seed not in set(out)]
    return sorted((out + more)[:count])


def record(pool, seeds, count):
    worlds, unstable = [], 0
    for world in pool.map(workers.answer, chosen(seeds, count)):
        unstable += world is None
        if world:
            worlds.append(world)
        if (len(worlds) + unstable) % 100 == 0:
            print("%d recorded, %d without one answer" % (len(worlds), unstable), flush=True)
    write(worlds)
    print("%d worlds recorded, %d without one answer, %d bytes" % (len(worlds), unstable, os.path.getsize(PLACE)))
    return 0


def replay(pool, report, only=None):
    worlds = [world for world in read() if only is None or world["id"] == only]
    for world in worlds:
        world["expect"] = [{name: tuple(seen) for name, seen in step.items()} for step in world["expect"]]
    if not worlds:
        raise ValueError("no recorded world %s" % only)
    for result in pool.map(workers.replay, worlds, chunksize=8):
        report.add(*result)
