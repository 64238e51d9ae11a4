"""The recorded worlds: worlds.jsonl.xz, one world with the reference's answers a line."""
import collections
import heapq
import json
import lzma
import os
import random

import choice
import generate
import mistakes
import workers

HERE = os.path.dirname(os.path.abspath(__file__))
PLACE = os.path.join(HERE, "worlds.jsonl.xz")
OPEN = os.path.join(HERE, "open.txt")


def lines():
    """The lines of all recorded worlds. Without the file nothing can be tested: that is an error."""
    with lzma.open(PLACE, "rb") as file:
        found = file.read().splitlines()
    if not found:
        raise ValueError("%s has no worlds" % PLACE)
    return found


def id_of(line):
    """The name of the world of a line, which is its first member."""
    return line[len('{"id":"'):].partition(b'"')[0].decode()


def read():
    return list(map(workers.world_of, lines()))


def write(worlds):
    text = "".join(json.dumps(world, ensure_ascii=False, separators=(",", ":")) + "\n" for world in worlds)
    with open(PLACE, "wb") as file:
        file.write(lzma.compress(text.encode("utf-8", "surrogateescape"), check=lzma.CHECK_CRC64, preset=9 | lzma.PRESET_EXTREME))


def backend_of(row):
    """The backend that a row needs, as a set."""
    return frozenset(needed for needed in mistakes.with_needed({row}) if needed.startswith("feature backend "))


def guided(seeds, before=(), each=4):
    """Worlds of which each tries `each` pairs that no world before it has and that one backend has: reckless ones those
    that fail first."""
    rows, left = list(generate.known_rows()), set(generate.possible_pairs())
    for world in before:
        left.difference_update(*map(generate.pairs_of, world["rows"]))
    order, chance = list(generate.possible_pairs()), random.Random(seeds[0])
    chance.shuffle(order)
    failing = {number for number, row in enumerate(rows) if mistakes.always_fails(row)}
    backends = list(map(backend_of, rows))
    waiting = collections.defaultdict(lambda: collections.defaultdict(collections.deque))
    for pair in order:
        waiting[bool(failing & set(pair))][backends[pair[0]] | backends[pair[1]]].append(pair)
    for seed in seeds:
        wanted = []
        for kind in (True, False) if choice.is_reckless(seed) else (False,):
            groups = [pairs for pairs in waiting[kind].values() if pairs]
            if groups and not wanted:
                wanted = next_pairs(chance.choices(groups, list(map(len, groups)))[0], left, each)
        world = generate.World(seed, sorted({rows[at] for pair in wanted for at in pair})).case()
        left.difference_update(*map(generate.pairs_of, world["rows"]))
        yield world


def next_pairs(waiting, left, count):
    """The next pairs that no world has. They come again when all others were tried."""
    out = []
    for _ in range(len(waiting)):
        if len(out) == count:
            break
        pair = waiting.popleft()
        if pair in left:
            out.append(pair)
            waiting.append(pair)
    return out


def ordered(worlds):
    """The worlds, those first that have most new pairs for their steps: any number of them from the start on hits as many
    pairs as it can."""
    pairs = [set().union(*map(generate.pairs_of, world["rows"])) for world in worlds]
    left = set().union(*pairs)
    waiting = [(-len(found) / len(world["case"]["steps"]), at) for at, (world, found) in enumerate(zip(worlds, pairs))]
    heapq.heapify(waiting)
    out = []
    while waiting:
        _, at = heapq.heappop(waiting)
        worth = -len(pairs[at] & left) / len(worlds[at]["case"]["steps"])
        if waiting and worth > waiting[0][0]:  # others took its pairs: it waits for its turn
            heapq.heappush(waiting, (worth, at))
        else:
            left -= pairs[at]
            out.append(worlds[at])
    return out


def record(pool, seeds, add=False):
    """Records a world for each seed, in place of the recorded ones or beside them."""
    worlds, unstable = read() if add else [], 0
    known = {world["id"] for world in worlds}
    for number, world in enumerate(pool.map(workers.answer, guided(seeds, worlds)), 1):
        unstable += world is None
        if world and world["id"] not in known:
            worlds.append(world)
        if number % 100 == 0:
            print("%d recorded, %d without one answer" % (len(worlds), unstable), flush=True)
            write(worlds)
    write(ordered(worlds))
    print("%d worlds recorded, %d without one answer, %d bytes" % (len(worlds), unstable, os.path.getsize(PLACE)))
    return 0


def read_open():
    """{name of a world that differs by a known defect: the command and what differs}."""
    with open(OPEN, encoding="utf-8") as file:
        return dict(line.rstrip("\n").split("\t", 1) for line in file if line.strip() and not line.startswith("#"))


def write_open(worlds):
    with open(OPEN, "w", encoding="utf-8", errors="backslashreplace") as file:
        file.write("# Recorded worlds that differ by a known defect. This list may only shrink: KINU_UPDATE=1 takes out those that pass.\n")
        file.writelines("%s\t%s\n" % pair for pair in sorted(worlds.items()))


def replay(pool, report, only=None, anew=False, count=None):
    """Runs the recorded worlds, or the first `count` of them. `anew`: all that differ are known from now on."""
    worlds = [line for line in lines() if only is None or id_of(line) == only][:count]
    if not worlds:
        raise ValueError("no recorded world %s" % only)
    names = set(map(id_of, worlds))
    others = {} if anew else read_open()
    known = {name: others.pop(name) for name in names & set(others)}
    differing, skipped = {}, set()
    for name, kind, reason, found in pool.map(workers.replay, worlds, [id_of(line) in known for line in worlds], chunksize=8):
        if kind == "skipped":
            skipped.add(name)
        elif found and not reason:
            differing[name] = ": ".join(kind.split(": ")[:2])  # the words of diagnostics would count as tests of them
        report.add(name, kind, reason or ("a known defect (open.txt)" if found and name in known else None), found)
    passing = [] if only else sorted(set(known) - set(differing) - skipped)
    if anew or os.environ.get("KINU_UPDATE"):
        write_open({**others, **{name: kind for name, kind in {**known, **differing}.items()
                                 if name in differing and (anew or name in known) or name in skipped}})
    elif passing:
        report.complain("these worlds pass: take them out of open.txt (KINU_UPDATE=1): " + " ".join(passing))
