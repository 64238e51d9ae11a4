#!/usr/bin/env python3
"""Writes src/foundation/text/unicode17_identifiers.h and unicode17_table.h: what Unicode 17 has, for level 1.13.

OpenTofu 1.13 has identifiers, grapheme clusters, case and NFC of Unicode 17. The data come from where it has them: the Unicode
files in the Go module go-textseg/v17, and the packages unicode and golang.org/x/text/unicode/norm of Go 1.27. What utf8proc has
(Unicode 15.0, like Go 1.26) is left out where it is the same.

    tools/gen_unicode17.py
"""
import contextlib
import os
import re
import subprocess
import tempfile

TEXTSEG, TEXT = "github.com/apparentlymart/go-textseg/v17@v17.0.1", "golang.org/x/text v0.41.0"
GOS = {"15.0.0": "go1.26.0", "17.0.0": "go1.27.0"}
LINE = re.compile(r"^([0-9A-F]+)(?:\.\.([0-9A-F]+))?\s*;\s*([A-Za-z0-9_.]+)(?:\s*;\s*(\w+))?")
# Prints a line for each code point: class, case mappings, combining class, canonical decomposition, and whether NFC keeps it.
PROGRAM = """package main

import (
	"bufio"
	"fmt"
	"os"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

func class(r rune) string {
	switch {
	case unicode.IsLetter(r):
		return "Letter"
	case unicode.IsDigit(r):
		return "Digit"
	case unicode.IsPrint(r):
		return "Print"
	case unicode.IsSpace(r):
		return "Space"
	}
	return "Other"
}

func main() {
	if unicode.Version != os.Args[1] || norm.Version != os.Args[1] {
		panic(unicode.Version + " " + norm.Version)
	}
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for r := rune(0x80); r <= unicode.MaxRune; r++ {
		if r >= 0xD800 && r <= 0xDFFF {
			continue
		}
		p := norm.NFD.PropertiesString(string(r))
		fmt.Fprintf(out, "%x %s %x %x %x %d %t", r, class(r), unicode.ToUpper(r), unicode.ToLower(r), unicode.ToTitle(r), p.CCC(),
			norm.NFC.String(string(r)) == string(r))
		if r < 0xAC00 || r > 0xD7A3 {
			for _, d := range string(p.Decomposition()) {
				fmt.Fprintf(out, " %x", d)
			}
		}
		fmt.Fprintln(out)
	}
}
"""
# The numbers of Grapheme_Cluster_Break and of Indic_Conjunct_Break in text/unicode17_rows.h.
BREAKS = ("Other", "CR", "LF", "Control", "Extend", "ZWJ", "Regional_Indicator", "Prepend", "SpacingMark", "L", "V", "T", "LV", "LVT",
          "Pictographic")
CONJUNCTS = ("None", "Consonant", "Extend", "Linker")


def go(folder, version, *words):
    environment = dict(os.environ, GOTOOLCHAIN=version, GOFLAGS="-mod=mod")
    return subprocess.run(["go", *words], cwd=folder, env=environment, check=True, stdout=subprocess.PIPE, text=True).stdout


def code_points(folder):
    """{Unicode version: {code point: (class, case mappings, combining class, is NFC, decomposition)}}."""
    out = {}
    for unicode, version in GOS.items():
        out[unicode] = {}
        for line in go(folder, version, "run", ".", unicode).splitlines():
            point, kind, upper, lower, title, marks, kept, *parts = line.split()
            out[unicode][int(point, 16)] = (kind, tuple(int(each, 16) for each in (upper, lower, title)), int(marks), kept == "true",
                                            tuple(int(each, 16) for each in parts))
    return out


def entries(path):
    with open(path, encoding="utf-8") as lines:
        for match in filter(None, map(LINE.match, lines)):
            first = int(match.group(1), 16)
            for point in range(first, int(match.group(2) or match.group(1), 16) + 1):
                yield point, match.group(3), match.group(4)


def ranges(values):
    """(first, last, value) of a dictionary by code point."""
    out = []
    for point in sorted(values):
        if out and out[-1][1] == point - 1 and out[-1][2] == values[point]:
            out[-1][1] = point
        else:
            out.append([point, point, values[point]])
    return out


def array(kind, name, comment, rows):
    print("/// %s.\ninline constexpr %s %s[] = {" % (comment, kind, name))
    line = "   "
    for row in rows:
        item = " {%s}," % ", ".join(row)
        if len(line) + len(item) > 100:
            print(line)
            line = "   "
        line += item
    print("%s\n};\n" % line)


def hexadecimal(*points):
    return ["0x%04X" % point for point in points]


def identifiers(ucd):
    found = {"ID_Start": {}, "ID_Continue": {}}
    for point, name, _ in entries(ucd + "/DerivedCoreProperties.txt"):
        if name in found and point >= 0x80:
            found[name][point] = None
    for name, constant in (("ID_Start", "kIdStart17"), ("ID_Continue", "kIdContinue17")):
        array("Range", constant, "Code points of %s, beyond ASCII" % name,
              [hexadecimal(first, last) for first, last, _ in ranges(found[name])])


def graphemes(ucd):
    """Both properties of a code point that decide where clusters end. Hangul syllables follow from their number."""
    breaks, conjuncts = {}, {}
    for point, name, _ in entries(ucd + "/emoji/emoji-data.txt"):
        if name == "Extended_Pictographic":
            breaks[point] = "Pictographic"
    for point, name, _ in entries(ucd + "/auxiliary/GraphemeBreakProperty.txt"):
        if name in ("LV", "LVT"):
            assert 0xAC00 <= point <= 0xD7A3 and (name == "LV") == ((point - 0xAC00) % 28 == 0)
        else:
            assert point not in breaks
            breaks[point] = name
    for point, name, value in entries(ucd + "/DerivedCoreProperties.txt"):
        if name == "InCB":
            conjuncts[point] = value
    values = {point: (breaks.get(point, "Other"), conjuncts.get(point, "None")) for point in set(breaks) | set(conjuncts)}
    array("GraphemeRange", "kGraphemes17", "How code points take part in grapheme clusters: 16 * Break + Conjunct",
          [hexadecimal(first, last) + ["0x%X%X" % (BREAKS.index(value[0]), CONJUNCTS.index(value[1]))]
           for first, last, value in ranges(values)])


def changes(points):
    old, new = points["15.0.0"], points["17.0.0"]
    array("ClassRange", "kClasses17", "Code points of another class than in Unicode 15",
          [hexadecimal(first, last) + ["Class::k" + kind] for first, last, kind in
           ranges({point: new[point][0] for point in new if new[point][0] != old[point][0]})])
    array("CaseRow", "kCases17", "Code points with other simple case mappings than in Unicode 15",
          [hexadecimal(point, *new[point][1][:2]) for point in sorted(new) if new[point][1] != old[point][1]])
    assert all(new[point][1][2] == new[point][1][0] for point in new if new[point][1] != old[point][1])
    array("MarkRange", "kMarks17", "Code points with another canonical combining class than in Unicode 15",
          [hexadecimal(first, last) + [str(marks)] for first, last, marks in
           ranges({point: new[point][2] for point in new if new[point][2] != old[point][2]})])
    array("Composite", "kComposites17", "Canonical decompositions that Unicode 15 lacks; NFC composes all of them",
          composites(old, new))


def composites(old, new):
    """Rows of a code point and the two that it is composed of. The first of them may be composed, too."""
    changed = {point: new[point][4] for point in new if new[point][4] != old[point][4]}
    assert all(new[point][3] and not old[point][4] for point in changed)
    by_parts = {parts: point for point, parts in changed.items()}
    for point in sorted(changed):
        *first, second = changed[point]
        yield hexadecimal(point, first[0] if len(first) == 1 else by_parts[tuple(first)], second)


@contextlib.contextmanager
def header(name):
    """What is printed below it is the content of a header."""
    path = os.path.join(os.path.dirname(__file__), "../src/foundation/text", name)
    with open(path, "w", encoding="utf-8") as file, contextlib.redirect_stdout(file):
        print("// Generated by tools/gen_unicode17.py from Unicode data; do not edit.\n// clang-format off\n#pragma once\n")
        print('#include "text/unicode17_rows.h"\n\nnamespace kinu::text::unicode17 {\n')
        yield
        print("}  // namespace kinu::text::unicode17")


def main():
    with tempfile.TemporaryDirectory() as folder:
        for name, text in (("go.mod", "module tables\n\ngo 1.25\n\nrequire %s\n" % TEXT), ("main.go", PROGRAM)):
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(text)
        points = code_points(folder)
        go(folder, GOS["17.0.0"], "mod", "download", TEXTSEG)
        ucd = os.path.join(go(folder, GOS["17.0.0"], "env", "GOMODCACHE").strip(), TEXTSEG, "textseg/internal/charprops/ucd")
    with header("unicode17_identifiers.h"):
        identifiers(ucd)
    with header("unicode17_table.h"):
        graphemes(ucd)
        changes(points)


main()
