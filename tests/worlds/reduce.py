"""Makes a world smaller as long as it shows the same difference: fewer steps, files, blocks, lines and words."""
import copy
import json

import compare
import session


def found_in(place, world):
    wanted = session.run(world, place["reference"], place["attach"])
    got = session.run(world, place["program"], place["attach"], wanted)
    return compare.differences(world, wanted, got)


def predicate(place, kind):
    """A function that says whether a world still differs in this kind."""
    def holds(world):
        found = found_in(place, world)
        return bool(found) and compare.kind_of(found) == kind
    return holds


def pieces(text):
    """The lines of a text in groups that belong together: a block is one group, and so are those inside it."""
    lines = text.splitlines(keepends=True)
    out = []
    for begin, line in enumerate(lines):
        depth, end = 0, begin
        while True:
            depth += sum(lines[end].count(bracket) for bracket in "{[(") - sum(lines[end].count(bracket) for bracket in "}])")
            end += 1
            if depth <= 0 or end == len(lines):
                break
        if depth == 0:
            out.append((begin, end))
    return lines, sorted(out, key=lambda span: span[0] - span[1])


def without(text, span):
    lines = text.splitlines(keepends=True)
    return "".join(lines[:span[0]] + lines[span[1]:])


def texts_of(world):
    """The places of all texts: (dictionary, name)."""
    yield from ((world["in"], name) for name in list(world["in"]))
    for laid in world.get("put", {}).values():
        yield from ((laid, name) for name in list(laid))


def candidates(world):
    """Smaller worlds, the boldest first, each made when it is asked for."""
    steps = world["case"]["steps"]
    for number in range(len(steps) - 1, -1, -1):
        if len(steps) > 1:
            smaller = copy.deepcopy(world)
            gone = smaller["case"]["steps"].pop(number)
            if number < len(steps) - 1:  # what it laid down goes to the next one
                after = smaller["case"]["steps"][number]
                if "put" in gone:
                    laid = dict(smaller["put"][gone["put"]], **smaller["put"].get(after.get("put"), {}))
                    after["put"] = after.get("put", gone["put"])
                    smaller["put"][after["put"]] = laid
                if "remove" in gone:
                    after["remove"] = sorted({*after.get("remove", []), *gone["remove"]})
            yield smaller
    for name in list(world["in"]):
        smaller = copy.deepcopy(world)
        del smaller["in"][name]
        yield smaller
    for number, step in enumerate(steps):
        for member in ("put", "remove", "env", "stdin"):
            if member in step:
                smaller = copy.deepcopy(world)
                del smaller["case"]["steps"][number][member]
                yield smaller
        for at in range(len(step["args"]) - 1, 0, -1):
            smaller = copy.deepcopy(world)
            del smaller["case"]["steps"][number]["args"][at]
            yield smaller
    for member in ("env", "servers"):
        if member in world["case"]:
            smaller = copy.deepcopy(world)
            del smaller["case"][member]
            yield smaller
    for index, (holder, name) in enumerate(texts_of(world)):
        for span in pieces(holder[name])[1]:
            smaller = copy.deepcopy(world)
            inner, at = list(texts_of(smaller))[index]
            inner[at] = without(inner[at], span)
            yield smaller


def reduced(world, holds, limit=400):
    """The smallest world that is found with so many attempts."""
    tried = 0
    world = copy.deepcopy(world)
    world.pop("rows", None)
    for last in range(1, len(world["case"]["steps"])):
        shorter = dict(world, case=dict(world["case"], steps=world["case"]["steps"][:last]))
        if holds(shorter):
            world = copy.deepcopy(shorter)
            break
    progress = True
    while progress and tried < limit:
        progress = False
        for smaller in candidates(world):
            tried += 1
            if tried >= limit:
                break
            if holds(smaller):
                world, progress = smaller, True
                break
    return world


def text_of(world):
    """A world as a text that people read."""
    out = ["# " + world["id"]]
    for name, value in world["case"].get("env", {}).items():
        out.append("env %s=%s" % (name, value))
    for name, text in world["in"].items():
        out.append("--- %s\n%s" % (name, text.rstrip("\n")))
    for link, target in world.get("links", {}).items():
        out.append("--- %s -> %s" % (link, target))
    for step in world["case"]["steps"]:
        for name, text in world.get("put", {}).get(step.get("put"), {}).items():
            out.append("--- now %s\n%s" % (name, text.rstrip("\n")))
        if "remove" in step:
            out.append("--- gone %s" % " ".join(step["remove"]))
        more = {name: step[name] for name in ("env", "stdin") if name in step}
        out.append("$ %s  %s" % (" ".join(step["args"]), json.dumps(more) if more else ""))
    return "\n".join(out)
