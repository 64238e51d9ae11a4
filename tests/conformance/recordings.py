"""Documents among the conformance cases, for tests that read whatever was recorded."""
import packs


def documents():
    """The plans and states of the family checks that OpenTofu wrote: {name: text}."""
    return {case["id"]: case["text"] for case in packs.cases("checks/documents")
            if not case["id"].startswith("written-")}


def outputs():
    """What commands printed: {case/step: text of the standard output}."""
    return {"%s/%s" % (case["id"], name): text for case in command_lines()
            for name, text in sorted(case["expect"].items()) if name.endswith(".stdout")}


def files():
    """Every file of the cases of command lines, before and after: {case/path: text}."""
    out = {}
    for case in command_lines():
        for part in (case["in"], case["expect"], *case.get("put", {}).values()):
            for name, text in part.items():
                out.setdefault("%s/%s" % (case["id"], name), text)
    return out


def command_lines():
    return [case for suite in packs.suites("cli") for case in packs.cases(suite)]


def names():
    """The names of the cases of checks and command lines."""
    return {packs.identity(line) for family in ("checks", "cli") for suite in packs.suites(family)
            for line in packs.lines(suite)}
