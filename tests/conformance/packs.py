"""Reads and writes the packed cases of packs/FAMILY/SUITE.jsonl.xz, one case a line.

A line is kept as its text, because the digits of numbers matter. The same cases always give the same bytes (of one
version of liblzma).
"""
import glob
import json
import lzma
import os

HERE = os.path.dirname(os.path.abspath(__file__))
PACKS = os.path.join(HERE, "packs")
ENDING = ".jsonl.xz"


def suites(family=None):
    """The names of all suites, `FAMILY/SUITE`, in order."""
    found = glob.glob(os.path.join(PACKS, family or "*", "*" + ENDING))
    return sorted(os.path.relpath(path, PACKS)[:-len(ENDING)] for path in found)


def lines(suite):
    """The cases of a suite, as texts."""
    with lzma.open(os.path.join(PACKS, suite + ENDING), "rt", encoding="utf-8", newline="\n") as file:
        return file.read().split("\n")[:-1]


def cases(suite):
    """The cases of a suite, as values. Not for those in which the digits of a number matter."""
    return [json.loads(line) for line in lines(suite)]


def identity(line):
    """The name of a case. It is unique among all suites."""
    case = json.loads(line)
    return case["id"] if "id" in case else case["request"]["id"]


def find(name):
    """The suite that has a case and the text of the case, or None."""
    for suite in suites():
        for line in lines(suite):
            if name in line and identity(line) == name:
                return suite, line
    return None


def write(suite, texts):
    """Packs a suite anew."""
    path = os.path.join(PACKS, suite + ENDING)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    text = "".join(line + "\n" for line in texts).encode("utf-8")
    with open(path, "wb") as file:
        file.write(lzma.compress(text, check=lzma.CHECK_CRC64, preset=9 | lzma.PRESET_EXTREME))


def put(suite, line):
    """Adds a case to a suite, or replaces the case of the same name. The cases of a suite are ordered by name."""
    present = lines(suite) if suite in suites() else []
    named = {identity(text): text for text in present}
    named[identity(line)] = line
    write(suite, [named[name] for name in sorted(named)])


def remove(suite, name):
    """Takes a case out of a suite."""
    write(suite, [line for line in lines(suite) if identity(line) != name])
