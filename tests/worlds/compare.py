"""Compares what two programs did in a world."""
import collections
import difflib
import re

import freedoms
import session

# The first difference of a world: number of the step (from 0), its words, the subject and the lines that differ.
Difference = collections.namedtuple("Difference", "step command subject lines")
# A block whose result is a member of `check_results`, and a request that writes a state.
CHECK = re.compile(r"\b(?:check|validation|precondition|postcondition)\b")
REPEATED = re.compile(r"\b(?:count|for_each)\b")
PROVIDER = re.compile(r'(?m)^provider\s+"?kinutest\b|"provider":')
ALIAS = re.compile(r'(?m)^ *"?alias"? *[=:]')
WRITES = re.compile(r"-(?:POST|PUT) .*(?:state|encrypted)(?:\(|$)|-(?:POST|PUT) /states/|-(?:LOCK|UNLOCK) ")
SERIAL = re.compile(r'- *(?:"serial"|\$\.serial): \d+,? \+ *(?:"serial"|\$\.serial): \d+,?')
GIVEN = re.compile(r"--?state(=|$)")
NAMES = re.compile(r"\b[a-z]\d+\b|\d+")


def command_of(step):
    """The words of a step that name its command."""
    words = [word for word in step["args"] if not word.startswith("-chdir")] or [""]
    return " ".join(words[:2]) if words[0] in ("state", "workspace", "providers", "metadata") and \
        len(words) > 1 and not words[1].startswith("-") else words[0]


def texts_of(world):
    """The texts of all files of a world, those of edits too."""
    return [text for files in (world["in"], *world.get("put", {}).values()) for text in files.values()]


def lines_of(want, got):
    none = ("", "(nothing)")
    first, second = ((seen or none)[1].splitlines() for seen in (want, got))
    found = [line for line in difflib.unified_diff(first, second, "reference", "program", lineterm="", n=0)][2:]
    return [line for line in found if not line.startswith("@@")] or ["form %s / %s" % ((want or none)[0], (got or none)[0])]


def differences(world, wanted, got):
    """The differences of the first step that has some."""
    failed = set()
    for number, step in enumerate(world["case"]["steps"]):
        want = wanted[number] if number < len(wanted) else {}
        have = got[number] if number < len(got) else {}
        if want and want["exit"][1] not in ("0", "2"):
            failed.add(command_of(step))
        out = []
        for subject in sorted(set(want) | set(have), key=lambda name: (name != "exit", name)):
            a, b = (seen.get(subject) and freedoms.compared(subject, *seen[subject], failed) for seen in (want, have))
            if a != b:
                out.append(Difference(number, command_of(step), subject, lines_of(a, b)))
        if out:
            return out
    return []


def crashes(wanted, found):
    """Whether the reference has crashed before the first difference or in its step."""
    return any(step["exit"][1] not in ("0", "1", "2", "3") for step in wanted[:found[0].step + 1])


def several_checks(texts):
    """Whether several objects can have results of checks: several rules, or one of a block with several instances."""
    rules = sum(len(CHECK.findall(text)) for text in texts)
    return rules > 1 or rules == 1 and any(map(REPEATED.search, texts))


def written_again(world, found):
    """Whether only the reference writes a state in a step of a world with several checks, or counts it once more: it has
    one that is the same but for the order of the results, which is random."""
    again = [one for one in found if one.subject == "requests" and all(map(WRITES.match, one.lines)) or
             "tfstate" in one.subject and (one.lines[-1] == "+(nothing)" or SERIAL.fullmatch(" ".join(one.lines)))]
    return len(again) == len(found) and several_checks(texts_of(world))


def configured_twice(world):
    """Whether a world attaches one provider process to several configurations: the one that it gets last decides."""
    texts = texts_of(world) if world.get("attached") else []
    return sum(len(PROVIDER.findall(text)) for text in texts) > 1 or any(map(ALIAS.search, texts))


def given_a_state(world, found):
    """Whether an earlier step gave a state to a new workspace in a service: OpenTofu loses it (differences.md)."""
    return bool(world["case"].get("servers")) and any(
        command_of(step) == "workspace new" and any(map(GIVEN.match, step["args"]))
        for step in world["case"]["steps"][:found[0].step])


def reason_of(world, found, level=None):
    """Why all differences of a step are known at a level, or None."""
    texts, step = texts_of(world), "\n".join(line for one in found for line in one.lines)
    rows = [freedoms.known(texts, one.command, one.subject, "\n".join(one.lines), step, level) for one in found]
    return rows[0] if rows and all(rows) else None


def kind_of(found):
    """A text that is equal for differences of one kind."""
    one = found[0]
    shown = [NAMES.sub("N", line)[:110] for line in one.lines[:2]]
    return "%s: %s: %s" % (one.command, re.sub(r"[a-z0-9]{2,}\.tf", "F.tf", one.subject), " / ".join(shown))


def stable(world, wanted, program, attach, found):
    """Whether the reference gives the same answer again."""
    again = session.run(world, program, attach, wanted, found[0].step + 1)
    return not differences(dict(world, case=dict(world["case"], steps=world["case"]["steps"][:found[0].step + 1])), wanted, again)
