#!/usr/bin/env python3
"""Runs worlds: random configurations with a history of commands, with two programs or against recorded answers.

    run.py --binary build/dev/src/cli/tofu --mirror build/dev/mirror [--first N]         the recorded worlds
    run.py --binary … --mirror … --reference tofu --seeds 1-1000 [--found FILE]          fresh ones, beside OpenTofu
    run.py --binary build/asan/src/cli/tofu --mirror … --seeds 1-1000                    fresh ones alone: crashes, sanitizers
    run.py --binary … --mirror … --reference tofu --seeds 1-1000 --kind damaged          with slips in their files
    run.py --binary … --mirror … --reference tofu --seeds 1-1000 --kind graphs           small graphs of objects with a life of partial applies
    run.py --binary … --mirror … --reference tofu --seeds 1-1000 --kind tests            the same graphs, tested by dense test files
    run.py --binary … --mirror … --reference tofu --seeds 1-1000 --kind forms            the same graphs in files of both syntaxes, with overrides
    run.py --binary … --mirror … --reference tofu --seeds 4711 --show [--reduce]         one of them, with its files
    run.py --binary … --mirror … --level 1.13 --reference tofu113 --seeds 1-500          beside a later release
    run.py --binary … --mirror … --only world/000017 --show                              a recorded one
    run.py --binary … --mirror … --reference tofu --seeds 1-1500 --record [--add]        records new ones, which coverage guides

Differences are grouped by kind. freedoms.py says what may differ. --found gets the first world of each kind, reduced.
"""
import argparse
import collections
import concurrent.futures
import os
import shutil
import sys

import compare
import recorded
import reduce
import session
import workers

class Report:
    """Groups differences by their kind."""

    def __init__(self):
        self.kinds, self.reasons, self.count = collections.defaultdict(list), collections.Counter(), 0
        self.exits = collections.Counter()
        self.complaints = []

    def complain(self, text):
        self.complaints.append(text)

    def add(self, name, kind, reason, found):
        self.count += 1
        if reason:
            self.reasons[reason] += 1
        elif found:
            self.kinds[kind].append((name, found))

    def write(self):
        for kind, worlds in sorted(self.kinds.items(), key=lambda pair: -len(pair[1])):
            print("FAIL %s\n  worlds: %s" % (kind, " ".join(str(name) for name, _ in worlds[:12])))
            print("\n".join(workers.shown(worlds[0][1])))
        for reason, count in self.reasons.most_common():
            print("allowed: %d %s" % (count, reason))
        if self.exits:
            print("exit codes: %s" % dict(self.exits.most_common()))
        failed = sum(map(len, self.kinds.values()))
        print("%d worlds, %d differ, in %d kinds" % (self.count, failed, len(self.kinds)))
        print("".join(text + "\n" for text in self.complaints), end="")
        return 1 if failed or self.complaints else 0


def run_fresh(pool, seeds, report):
    total = [0.0, 0.0]
    for seed, kind, reason, found, times, exits in pool.map(workers.fresh, seeds):
        report.add(seed, kind, reason, found)
        report.exits.update(exits)
        total = [a + b for a, b in zip(total, times)]
        if report.count % 100 == 0:
            print("%d worlds, %d kinds, reference %.0f s, program %.0f s" % (report.count, len(report.kinds), *total), flush=True)


def run_alone(pool, seeds, report):
    for seed, kind, found in pool.map(workers.alone, seeds):
        report.add(seed, kind, None, found)
        if report.count % 100 == 0:
            print("%d worlds, %d with a report" % (report.count, sum(map(len, report.kinds.values()))), flush=True)


def world_by_name(name, options):
    """A new world by its seed, or a recorded one by its name."""
    if isinstance(name, int):
        return workers.KINDS[options.kind](name)
    return next(world for world in recorded.read() if world["id"] == name)


def write_found(pool, report, options):
    kinds = [(kind, worlds) for kind, worlds in sorted(report.kinds.items(), key=lambda pair: -len(pair[1]))]
    with open(options.found, "a", encoding="utf-8", errors="backslashreplace") as file:
        for (kind, worlds), text in zip(kinds, pool.map(workers.small, [world_by_name(worlds[0][0], options) for _, worlds in kinds], [kind for kind, _ in kinds])):
            file.write("## %s\n%d worlds\n\n```\n%s\n```\n\n" % (kind, len(worlds), text))
            file.flush()


def show_world(seed, options):
    world = world_by_name(options.only or seed, options)
    workers.start(options.binary, options.reference, options.mirror, options.level, options.kind)
    print(reduce.text_of(world))
    if options.binary:
        wanted = workers.answers_of(world) if options.only and not options.reference else \
            session.run(world, workers.PLACE["reference"], workers.PLACE["attach"])
        got = session.run(world, workers.PLACE["program"], workers.PLACE["attach"], wanted)
        found = compare.differences(world, wanted, got)
        print("\n".join(workers.shown(found, 60)) or "no difference")
        if found and options.reduce:
            small = reduce.reduced(world, reduce.predicate(workers.PLACE, compare.kind_of(found)))
            print("=== reduced\n" + reduce.text_of(small))
            print("\n".join(workers.shown(reduce.found_in(workers.PLACE, small), 60)))
    workers.stop()
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary")
    parser.add_argument("--mirror")
    parser.add_argument("--reference")
    parser.add_argument("--seeds", help="A-B or one number")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--level", help="the level of compatibility of the program: 1.13, for a reference of that series")
    parser.add_argument("--kind", choices=sorted(workers.KINDS), default="worlds", help="what makes fresh worlds")
    parser.add_argument("--show", action="store_true")
    parser.add_argument("--reduce", action="store_true")
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--add", action="store_true", help="records beside the worlds that are recorded")
    parser.add_argument("--open", action="store_true", help="write open.txt anew: all recorded worlds that differ are known")
    parser.add_argument("--found", metavar="FILE", help="gets a reduced world of each kind of difference")
    parser.add_argument("--first", type=int, metavar="N", help="replay only the first N recorded worlds, which hit most pairs")
    parser.add_argument("--only", help="the name of one recorded world")
    options = parser.parse_args()
    options.mirror = options.mirror and os.path.realpath(options.mirror)
    if options.reference and not shutil.which(options.reference):
        parser.error("there is no program %s" % options.reference)
    options.reference = options.reference and shutil.which(options.reference)
    first, _, last = (options.seeds or "").partition("-")
    seeds = range(int(first or 0), int(last or first or 0) + 1)
    if options.show:
        return show_world(seeds[0], options)
    report = Report()
    with concurrent.futures.ProcessPoolExecutor(options.jobs, initializer=workers.start, initargs=(
            options.binary, options.reference, options.mirror, options.level, options.kind)) as pool:
        if options.record:
            recorded.record(pool, seeds, options.add)
        if options.record or not options.seeds:
            recorded.replay(pool, report, options.only, options.record or options.open, options.first)
        elif options.reference:
            run_fresh(pool, seeds, report)
        else:
            run_alone(pool, seeds, report)
        failed = report.write()
        if options.found:
            write_found(pool, report, options)
    return failed


if __name__ == "__main__":
    sys.exit(main())
