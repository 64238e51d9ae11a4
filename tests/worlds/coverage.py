#!/usr/bin/env python3
"""Writes docs/worlds.md: what the recorded worlds reach, and which diagnostics they show.

    coverage.py            writes the page
    coverage.py --check    fails if the page is not what this would write
"""
import collections
import os
import re
import sys

import sources
import generate
import recorded

import diagnostic_coverage

PAGE = os.path.join(sources.ROOT, "docs", "worlds.md")
SUMMARY = re.compile(r'\{DIAG (?:error|warning)\|(.*?)\|[^|\n]*\}|"summary": ?"((?:[^"\\]|\\.)*)"')
HEAD = """# Worlds

`tests/worlds/run.py` makes worlds: a random configuration and 3 to 12 commands with edits between them. It runs the recorded
ones, without OpenTofu, and compares everything with its recorded answers: exit codes, both streams, every file and every request
to a server. `make test` runs them all. `tests/worlds/coverage.py` writes this page.

    tests/worlds/run.py --binary build/dev/src/cli/tofu --mirror build/dev/mirror
    tests/worlds/run.py --binary … --mirror … --reference tofu --seeds 1-1000     # fresh ones, beside OpenTofu
    tests/worlds/run.py --binary … --mirror … --reference tofu --seeds 1-1000 --kind damaged # with slips in their files
    tests/worlds/run.py --binary … --mirror … --reference tofu --seeds 1-1000 --kind graphs # objects alone, with a life of partial applies
    tests/worlds/run.py --binary … --mirror … --reference tofu --seeds 1-1000 --kind tests # the same, tested by dense test files
    tests/worlds/run.py --binary … --mirror … --reference tofu --seeds 1-1000 --kind forms # the same, in files of both syntaxes and with overrides
    tests/worlds/run.py --binary … --mirror … --reference tofu --seeds 4711 --show --reduce

What can be combined, a *row*, is read from the sources: a command, a flag, a type of block, an argument, a setting, an environment
variable, an attribute of the tests' provider, a form of a file. A *pair* is two rows in one step of a world. What a difference may
be is in `tests/worlds/freedoms.py`; worlds in `tests/worlds/open.txt` differ by a known defect, and that list may only shrink.
"""


def seen_summaries(worlds):
    """{summary: number of worlds that show it}."""
    out = collections.Counter()
    for world in worlds:
        found = set()
        for step in world["expect"]:
            for name in ("stdout", "stderr"):
                for text, quoted in SUMMARY.findall(step.get(name, ("", ""))[1]):
                    found.add(text or re.sub(r"\\(.)", r"\1", quoted))
        out.update(found)
    return out


def pattern_of(summary):
    return re.compile(r".{0,300}?".join(re.escape(piece) for piece in summary.split("{}")) + r"\Z", re.S)


def shortened(summary):
    """A summary of an answer without the names of its world."""
    text = summary.replace("`", "'").replace("\n", " ").replace("registry.opentofu.org/", "")
    return re.sub(r"kinutest_(?:thing|entry)|terraform_data|\b[a-z]\d+\b(?:\[[^\]]*\])?", "N", text)[:120]


def own_summaries():
    """The summaries of the sources, with {} for computed parts."""
    return sorted({summary.replace("\n", " ") for summary, _ in diagnostic_coverage.summaries()})


def table(head, rows):
    yield "| %s |" % " | ".join(head)
    yield "|" + "---|" * len(head)
    for row in rows:
        yield "| %s |" % " | ".join(str(cell) for cell in row)


def share(part, whole):
    return "%d of %d (%.1f %%)" % (part, whole, 100.0 * part / max(whole, 1))


def rows_part(rows, hit):
    kinds = collections.defaultdict(list)
    for row in rows:
        kinds[row.split(" ", 1)[0]].append(row)
    yield from table(("rows", "hit"), [(kind, share(sum(row in hit for row in found), len(found))) for kind, found in kinds.items()])
    left = [row for row in rows if row not in hit]
    yield ""
    yield "Rows that no recorded world has: %s." % (", ".join("`%s`" % row for row in left) or "none")


def pairs_part(rows, pairs):
    total, hit = collections.Counter(), collections.Counter()
    for one, other in generate.possible_pairs():
        kind = " and ".join(sorted(rows[at].split(" ", 1)[0] for at in (one, other)))
        total[kind] += 1
        hit[kind] += (one, other) in pairs
    yield "%s pairs are hit." % share(sum(hit.values()), sum(total.values()))
    yield ""
    yield from table(("pairs of", "hit"), [(kind, share(hit[kind], total[kind])) for kind in sorted(total)])


def page(worlds):
    rows = list(generate.known_rows())
    hit, pairs, exits, steps = set(), set(), collections.Counter(), 0
    for world in worlds:
        for found, step in zip(world["rows"], world["expect"]):
            hit.update(found)
            pairs |= generate.pairs_of(found)
            exits[step["exit"][1]] += 1
            steps += 1
    seen, own = seen_summaries(worlds), own_summaries()
    patterns = [(summary, pattern_of(summary)) for summary in own]
    reached = {summary for summary, pattern in patterns if any(pattern.match(text) for text in seen)}
    unknown = sorted({shortened(text) for text in seen if not any(pattern.match(text) for _, pattern in patterns)})
    yield HEAD
    yield "## Coverage"
    yield ""
    yield "%d worlds with %d steps are recorded; %s steps end with 0." % (len(worlds), steps, share(exits["0"], steps))
    yield "%s rows are hit." % share(sum(row in hit for row in rows), len(rows))
    yield ""
    yield from rows_part(rows, hit)
    yield ""
    yield from pairs_part(rows, pairs)
    yield ""
    yield "## Rows that are left out"
    yield ""
    yield from table(("row", "why"), sorted(generate.LEFT_OUT.items()))
    yield ""
    yield "## Diagnostics"
    yield ""
    yield "The recorded worlds show %d summaries. Of the %d in the sources they reach %s." % (
        len(seen), len(own), share(len(reached), len(own)))
    yield ""
    yield "Summaries of OpenTofu's answers that the sources do not have as a text of their own (those of providers, configurations and "
    yield "computed ones are among them):"
    yield ""
    yield from ("* `%s`" % text for text in unknown)
    yield ""
    yield "Summaries of the sources that no recorded world reaches:"
    yield ""
    yield from ("* `%s`" % text.replace("`", "'") for text in own if text not in reached)


def main():
    text = "\n".join(line.rstrip() for line in page(recorded.read())).replace("\n\n\n", "\n\n") + "\n"
    if "--check" not in sys.argv[1:]:
        with open(PAGE, "w", encoding="utf-8") as file:
            file.write(text)
        return 0
    with open(PAGE, encoding="utf-8") as file:
        same = file.read() == text
    print("docs/worlds.md is %s" % ("as it must be" if same else "old: run tests/worlds/coverage.py"))
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
