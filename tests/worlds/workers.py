"""What the processes of the pool do: each has both programs and a provider to attach to."""
import contextlib
import json
import multiprocessing.util
import os
import re
import shutil
import tempfile
import time

import compare
import damage
import generate
import graph_forms
import graph_tests
import graphs
import reduce
import session

# What makes the world of a seed.
KINDS = {"worlds": generate.make, "damaged": damage.make, "graphs": graphs.make, "tests": graph_tests.make,
         "forms": graph_forms.make}
# What a process of the pool has.
PLACE = {}
# What a command may end with, and how a sanitizer begins.
EXITS = ("0", "1", "2", "3")
REPORT = re.compile(r"\w+Sanitizer|runtime error: ")
# A file system in memory, where writing a state to the end costs nothing, and the bytes that worlds may need of it.
MEMORY, ENOUGH = "/dev/shm", 1 << 28


def directory_of_worlds():
    """Where worlds run: in memory if programs can be started there, or where temporary files are."""
    with contextlib.suppress(OSError):
        status = os.statvfs(MEMORY)
        if os.access(MEMORY, os.W_OK) and not status.f_flag & os.ST_NOEXEC and status.f_bavail * status.f_frsize > ENOUGH:
            return MEMORY
    return None


def start(binary, reference, mirror, level=None, kind="worlds"):
    """Prepares a process of the pool: its programs, and a provider to attach to. `level` is that of the first, which gets
    the options of sanitizers too."""
    for name in [name for name in os.environ if name.startswith(("TF_", "TOFU_"))]:
        del os.environ[name]
    tempfile.tempdir = directory_of_worlds()
    environment = {name: value for name, value in os.environ.items() if name.endswith("SAN_OPTIONS")}
    if level:
        environment["KINU_COMPATIBILITY"] = level
    PLACE["level"] = level
    PLACE["make"] = KINDS[kind]
    PLACE["program"] = binary and session.cli_cases.Program(binary, mirror, environment)
    PLACE["reference"] = reference and session.cli_cases.Program(reference, mirror)
    PLACE["attach"] = None
    if mirror and os.path.isdir(os.path.join(mirror, session.Providers.HOST)):
        PLACE["providers"] = session.Providers(mirror, tempfile.gettempdir())
        PLACE["attach"] = PLACE["providers"].__enter__()
    multiprocessing.util.Finalize(None, stop, exitpriority=100)


def stop():
    """Ends what this process has started: its provider and its servers."""
    if "providers" in PLACE:
        PLACE.pop("providers").__exit__()
    while session.SERVERS:
        session.SERVERS.popitem()[1].stop()


def lacks(world):
    """What a world needs and this machine does not have, or None."""
    if world["case"].get("tags") and not PLACE["attach"]:
        return "the provider of the tests is not built"
    if "pg_state" in world["case"].get("servers", ()) and not shutil.which("psql"):
        return "PostgreSQL is not installed"
    return None


def fresh(seed):
    """Compares one new world. Returns (seed, kind, reason or None, differences, seconds of both programs)."""
    world = PLACE["make"](seed)
    if lacking := lacks(world):
        return seed, "left out", lacking, ["left out"], (0, 0), []
    began = time.monotonic()
    wanted = session.run(world, PLACE["reference"], PLACE["attach"])
    between = time.monotonic()
    got = session.run(world, PLACE["program"], PLACE["attach"], wanted)
    times = between - began, time.monotonic() - between
    found = compare.differences(world, wanted, got)
    exits = [step["exit"][1] for step in wanted]
    if not found:
        return seed, None, None, found, times, exits
    row = compare.reason_of(world, found, PLACE["level"])
    if compare.crashes(wanted, found):
        return seed, "crash", "the reference crashes or takes too long", found, times, exits
    if row is None and compare.written_again(world, found):
        return seed, "again", "the reference writes a state again, whose checks come in random order", found, times, exits
    if row is None and compare.given_a_state(world, found):
        return seed, "given", "a new workspace in a service has the state that it was given", found, times, exits
    if row is None and compare.configured_twice(world) and not differs_apart(world):
        return seed, "twice", "an attached provider is configured twice, the last time decides", found, times, exits
    if row is None and not compare.stable(world, wanted, PLACE["reference"], PLACE["attach"], found):
        return seed, "unstable", "the reference answers differently each time", found, times, exits
    return seed, compare.kind_of(found), row and row.name, found, times, exits


def differs_apart(world):
    """Whether a world differs where each configuration has a provider process of its own, in more than a state that
    the reference writes again."""
    apart = dict(world, attached=False)
    apart["case"] = dict(world["case"], steps=[{"args": ["init"]}, *world["case"]["steps"]])
    wanted = session.run(apart, PLACE["reference"])
    found = compare.differences(apart, wanted, session.run(apart, PLACE["program"], wanted=wanted))
    return found and not compare.written_again(apart, found)


def alone(seed):
    """Runs one new world with the program alone. Returns (seed, kind, steps that end as no command may)."""
    world = PLACE["make"](seed)
    if lacks(world):
        return seed, "left out", []
    found = []
    for number, step in enumerate(session.run(world, PLACE["program"], PLACE["attach"])):
        code, (_, text) = step["exit"][1], step["stderr"]
        if code not in EXITS or REPORT.search(text):
            command = compare.command_of(world["case"]["steps"][number])
            found.append(compare.Difference(number, command, "exit " + code, text.splitlines()))
    return seed, found and "end of a command", found


def small(world, kind):
    """The text of a world that is as small as possible and differs in this kind, with the difference."""
    world = reduce.reduced(world, reduce.predicate(PLACE, kind), 250)
    return reduce.text_of(world) + "\n" + "\n".join(shown(reduce.found_in(PLACE, world), 20))


def shown(found, limit=12):
    """Lines for people that say what differs."""
    for one in found[:4]:
        yield "  step %d %s: %s" % (one.step + 1, one.command, one.subject)
        for line in one.lines[:limit]:
            yield "    " + line[:300]


def world_of(line):
    """The world of a line of the recorded ones."""
    return json.loads(line.decode("utf-8", "surrogateescape"))


def answers_of(world):
    """What the reference did in a recorded world, as session.run() gives it."""
    return [{name: tuple(seen) for name, seen in step.items()} for step in world["expect"]]


def replay(line, known):
    """Compares the recorded world of a line, which may be known to differ. Returns (name, kind, reason or None, differences)."""
    world = world_of(line)
    world["expect"] = answers_of(world)
    lacking = lacks(world)
    if lacking:
        return world["id"], "skipped", "skipped, " + lacking, []
    found = compare_again(world, known)
    row = compare.reason_of(world, found, PLACE["level"]) if found else None
    return world["id"], found and compare.kind_of(found), row and row.name, found


def compare_again(world, known, tries=3):
    """The differences of a recorded world. Lines of parallel work may come in another order once: a world that is not
    known to differ does so if it differs in each of `tries` runs, and one that is known passes if it passes in each."""
    for _ in range(tries):
        got = session.run(world, PLACE["program"], PLACE["attach"], world["expect"])
        found = compare.differences(world, world["expect"], got)
        if bool(found) == known:
            break
    return found


def answer(world):
    """A world with the reference's answers, or None if it does not give the same twice. Where the program gives the same
    answers, nobody asks again."""
    wanted = session.run(world, PLACE["reference"], PLACE["attach"])
    if any(step["exit"][1] not in EXITS for step in wanted):
        return None
    for other in (PLACE["program"], PLACE["reference"]):
        found = other and compare.differences(world, wanted, session.run(world, other, PLACE["attach"], wanted))
        if found and compare.written_again(world, found):
            return None
        if found == []:
            world["expect"] = [{name: list(seen) for name, seen in step.items()} for step in wanted]
            return world
    return None
