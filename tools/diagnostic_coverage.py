#!/usr/bin/env python3
"""Lists the diagnostic summaries of src/ that occur in no test, and compares them with the record.

    tools/diagnostic_coverage.py [--all]

A summary is a string literal in a call that makes a diagnostic (CALLS) or the value of a variable
whose name ends in `summary`. Parts that are computed are written `{}` and match any text of a line.
A summary is tested if it occurs in a unit test, a test's data or a file of tests/. The others are in
tests/diagnostics_without_test.txt, which may only shrink: a new summary needs a test, and a line
whose summary has a test is removed. KINU_UPDATE=1 removes such lines. --all prints every summary.
"""
import argparse
import glob
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
RECORD = os.path.join(ROOT, "tests", "diagnostics_without_test.txt")

# Functions that make a diagnostic, and the positions that the summary may have among the arguments.
CALLS = {
    "Error": (0,), "Warning": (0,), "ReportError": (0,), "Bad": (0,), "Duplicate": (0,),
    "ReportBug": (0,), "Parse": (0,), "Fail": (0,), "FailAt": (0, 1), "Problem": (0,),
    "AddError": (1,), "ProviderBug": (1,), "Refuse": (1,), "FailAbout": (1,), "InvalidMessage": (0,),
    "ConstantString": (1,), "CheckName": (2,), "IsFirst": (2,), "RequireText": (2,),
}
# These names also make errors without a summary: only a text with a capital letter is one.
CAPITAL = {"Fail", "FailAt", "Problem", "Bad", "Parse", "Error"}
# Messages of these libraries are no diagnostics.
OTHER = ("src/documents/query/", "src/foundation/codec/", "src/language/functions/", "src/foundation/base/",
         "src/bindings/api/", "src/outside/install/hcl1.cc", "src/language/lang/type_expr.cc")
CALL = re.compile(r"(?<![\w:])(?:[\w\]\[()]+(?:\.|->))*(%s)\(" % "|".join(CALLS))
ASSIGNED = re.compile(r"\w*[sS]ummary\s*=(?!=)")
TOKEN = re.compile(r'//[^\n]*|R"\(.*?\)"|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)+\'|[()\[\]{},;]|\s+|[^"\'()\[\]{},;/\s]+|.',
                   re.DOTALL)


def arguments(text, begin):
    """The arguments of a call or the value of an assignment: lists of tokens."""
    depth, result = 0, [[]]
    for match in TOKEN.finditer(text, begin):
        token = match.group()
        if token.isspace() or token.startswith("//"):
            continue
        if token in "([{":
            depth += 1
        elif token in ")]}":
            depth -= 1
            if depth < 0:
                return result
        elif token == ";" and depth == 0:
            return result
        elif token == "," and depth == 0:
            result.append([])
            continue
        result[-1].append(token)
    return result


def unquoted(literal):
    return re.sub(r"\\(.)", lambda m: {"n": "\n", "t": "\t"}.get(m.group(1), m.group(1)), literal[1:-1])


def texts(tokens):
    """The summaries that an argument may be: none without a literal, several for `a ? "x" : "y"`."""
    parts, nested, computed = [""], 0, False
    for token in tokens:
        if token in "([{":
            nested += 1
        elif token in ")]}":
            nested -= 1
        is_text = token.startswith('"') and (nested == 0 or computed == "string")
        if is_text:
            parts[-1] += unquoted(token)
        elif token in ("?", ":"):
            parts = [""] if token == "?" else parts + [""]
        elif token == "std::string" or (token in "()" and computed == "string"):
            computed = "string" if token != ")" else False
        elif token not in "+{}" and not parts[-1].endswith("{}"):
            parts[-1] += "{}"
            computed = True
    return [part for part in parts if len(re.sub(r"\{\}|\W", "", part)) > 3]


def summaries():
    """Pairs of summary and file."""
    for path in sorted(glob.glob(os.path.join(ROOT, "src", "**", "*"), recursive=True)):
        name = os.path.relpath(path, ROOT)
        if not name.endswith((".cc", ".h", ".def")) or is_test(name) or name.startswith(OTHER):
            continue
        with open(path, encoding="utf-8") as file:
            source = file.read()
        for match in CALL.finditer(source):
            if match.group(1) == "Refuse" and not name.startswith("src/commands/cli/"):
                continue
            what = arguments(source, match.end())
            for position in CALLS[match.group(1)]:
                for text in texts(what[position]) if position < len(what) else []:
                    if match.group(1) not in CAPITAL or text[0].isupper():
                        yield text, name
        for match in ASSIGNED.finditer(source):
            for text in texts(arguments(source, match.end())[0]):
                if text[0].isupper():
                    yield text, name


def is_test(name):
    return name.endswith(("_test.cc", "_test.h", "_test.c")) or "/testing/" in name or "/testdata/" in name


def test_text():
    """The text of all tests and their data, with literals of several lines joined."""
    result = []
    for folder in ("src", "tests"):
        for path in sorted(glob.glob(os.path.join(ROOT, folder, "**", "*"), recursive=True)):
            name = os.path.relpath(path, ROOT)
            if os.path.isdir(path) or path == RECORD or (folder == "src" and not is_test(name)):
                continue
            with open(path, encoding="utf-8", errors="replace") as file:
                text = file.read()
            if name.endswith((".cc", ".h", ".py")):
                text = re.sub(r'"\s*\n\s*"', "", text)
            result.append(text.replace('\\"', '"'))
    return "\n".join(result)


def is_tested(summary, text):
    pieces = summary.split("{}")
    if len(pieces) == 1:
        return summary in text
    if max(pieces, key=len) not in text:
        return False
    return re.search(r"[^\n]{0,80}?".join(re.escape(piece) for piece in pieces), text) is not None


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--all", action="store_true", help="print every summary")
    options = parser.parse_args()
    files = {}
    for summary, name in summaries():
        files.setdefault(summary.replace("\n", " "), []).append(name)
    line_of = {summary: "%s\t%s" % (summary, " ".join(sorted(set(files[summary])))) for summary in files}
    if options.all:
        print("\n".join(line_of[summary] for summary in sorted(files)))
        return 0
    text = test_text()
    now = [summary for summary in sorted(files) if not is_tested(summary, text)]
    # The files of a line are for its readers: code may move.
    with open(RECORD, encoding="utf-8") as file:
        recorded = [line.split("\t")[0] for line in file.read().splitlines()]
    if os.environ.get("KINU_UPDATE"):
        recorded = sorted(set(now) & set(recorded))  # the list may only shrink
        with open(RECORD, "w", encoding="utf-8") as file:
            file.write("".join(line_of[summary] + "\n" for summary in recorded))
    for summary in sorted(set(now) - set(recorded)):
        print("no test has this summary; write one: " + line_of[summary])
    for summary in sorted(set(recorded) - set(now)):
        print("has a test or is gone; remove its line from tests/diagnostics_without_test.txt: " + summary)
    if recorded != sorted(set(recorded)):
        print("tests/diagnostics_without_test.txt is not sorted")
    print("%d summaries, %d without a test" % (len(files), len(now)))
    return 0 if now == recorded else 1


if __name__ == "__main__":
    sys.exit(main())
