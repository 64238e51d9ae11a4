#!/usr/bin/env python3
"""Draws the wings of src/ and their libraries from docs/layers.txt, at the beginning of docs/architecture.md.

    tools/layer_picture.py [--check]

--check changes nothing and exits with 1 if the page has another picture.
"""
import os
import sys
import textwrap

from check_layers import Rules

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
PAGE = os.path.join(ROOT, "docs", "architecture.md")
BEGIN, END = "<!-- begin: tools/layer_picture.py -->\n", "<!-- end -->\n"
WIDTH = 96


def rows_of(rules):
    """The rows of the picture from top to bottom: a wing stands above all that it uses."""
    wing = lambda library: rules.wing[library.split("/")[0]]
    below = {name: set() for name in rules.wing.values()}
    for library, used in rules.uses.items():
        below[wing(library)] |= {wing(other) for other in used} - {wing(library)}
    level = {}

    def level_of(name, above=()):
        if name in above:
            sys.exit("layer_picture: wings use one another: %s" % " ".join(above + (name,)))
        if name not in level:
            level[name] = 1 + max((level_of(other, above + (name,)) for other in below[name]), default=-1)
        return level[name]

    for name in below:
        level_of(name)
    return [[name for name in below if level[name] == each] for each in range(max(level.values()), -1, -1)]


def draw(rules):
    """The lines of the picture."""
    lines = []
    previous = []
    for row in rows_of(rules):
        inner = (WIDTH - 1 - len(row)) // len(row)
        widths = [inner] * (len(row) - 1) + [WIDTH - 1 - len(row) - inner * (len(row) - 1)]
        cells = []
        for name, width in zip(row, widths):
            libraries = [library for library, wing in rules.wing.items() if wing == name and library != name]
            cells.append([name.upper()] + textwrap.wrap(" ".join(libraries), width - 2))
        edges = [sum(widths[:at + 1]) + at + 1 for at in range(len(row) - 1)]
        lines.append(border(previous, edges))
        for at in range(max(map(len, cells))):
            texts = [(cell[at] if at < len(cell) else "") for cell in cells]
            lines.append("│" + "│".join(" " + text.ljust(width - 1) for text, width in zip(texts, widths)) + "│")
        previous = edges
    lines.append(border(previous, []))
    lines[0] = "┌" + lines[0][1:-1] + "┐"
    lines[-1] = "└" + lines[-1][1:-1] + "┘"
    return lines


def border(above, below):
    line = ["─"] * WIDTH
    for at in set(above) | set(below):
        line[at] = "┼" if at in above and at in below else "┴" if at in above else "┬"
    line[0], line[-1] = "├", "┤"
    return "".join(line)


def main():
    rules = Rules(os.path.join(ROOT, "docs", "layers.txt"))
    picture = BEGIN + "```\n" + "\n".join(draw(rules)) + "\n```\n" + END
    with open(PAGE, encoding="utf-8") as file:
        page = file.read()
    begin, end = page.index(BEGIN), page.index(END) + len(END)
    changed = page[:begin] + picture + page[end:]
    if "--check" in sys.argv[1:]:
        if changed != page:
            sys.exit("docs/architecture.md has another picture than docs/layers.txt: run tools/layer_picture.py")
        return
    with open(PAGE, "w", encoding="utf-8") as file:
        file.write(changed)


if __name__ == "__main__":
    main()
