#!/usr/bin/env python3
"""Records the results of every function for null, unknown, marked and invalid arguments.

    function_cases.py --reference PROGRAM [tests/cases/functions.jsonl]

The calls are derived from the examples in docs/functions: one argument at a time is replaced.
The reference is a program with the interface of `kinu eval -json`. Each row has the call, the response,
the function and the kind of argument. kinu_functions_test compares its results with the rows. If two
runs of the reference differ (random results), or the result depends on the working directory, the row
has only type and marks.
"""

import argparse
import json
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")

UNKNOWN = {"string": "us", "number": "un", "bool": "ub", "list of string": "uls",
           "list of number": "uln", "set of any type": "uset"}
VARIABLES = {
    "us": {"unknown": "string"}, "un": {"unknown": "number"}, "ub": {"unknown": "bool"},
    "ud": {"unknown": "dynamic"}, "uls": {"unknown": ["list", "string"]},
    "uln": {"unknown": ["list", "number"]}, "uset": {"unknown": ["set", "string"]},
    "um": {"unknown": ["map", "string"]},
    "uo": {"object": {"a": {"unknown": "string"}, "b": {"number": "1"}}},
    "uss": {"marked": ["sensitive"], "value": {"unknown": "string"}},
    "eph": {"marked": ["ephemeral"], "value": "fleeting"},
    "both": {"marked": ["ephemeral", "sensitive"], "value": "hidden"},
}


def split_arguments(text):
    """Splits the arguments of a call. The text starts after the opening parenthesis."""
    arguments, depth, start, i = [], 0, 0, 0
    while i < len(text):
        char = text[i]
        if char == '"':
            i += 1
            while text[i] != '"':
                i += 2 if text[i] == "\\" else 1
        elif char in "([{":
            depth += 1
        elif char in ")]}":
            if depth == 0:
                if text[start:i].strip():
                    arguments.append(text[start:i].strip())
                return arguments
            depth -= 1
        elif char == "," and depth == 0:
            arguments.append(text[start:i].strip())
            start = i + 1
        i += 1
    return arguments


def read_page(path):
    """(name, types of the parameters, argument lists of the examples) of a function."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    name = re.match(r"# (\w+)", text).group(1)
    types = re.findall(r"^\* `(\w+)(?:\.\.\.)?`: ([^;,.\n]+)", text, re.M)
    calls = []
    for example in re.findall(r"^> (.*)$", text, re.M):
        for match in re.finditer(r"(?<!\w)%s\(" % name, example):
            calls.append(split_arguments(example[match.end():]))
            break
    return name, [kind for _, kind in types], calls


def cases_of(name, types, calls):
    """(kind of argument, expression) for each row."""
    def call(arguments):
        return "%s(%s)" % (name, ", ".join(arguments))

    for arguments in calls:
        yield "known", call(arguments)
        for i, argument in enumerate(arguments):
            if argument.endswith("..."):
                continue
            kind = types[min(i, len(types) - 1)].strip() if types else "any type"
            changed = {
                "null": ["null", "tostring(null)"],
                "unknown": ["ud", UNKNOWN.get(kind, "us"), "uls", "um", "uo", "[us]"],
                "marked": ["sensitive(%s)" % argument, "[sensitive(%s)]" % argument,
                           "{a = sensitive(%s)}" % argument, "uss", "eph", "both"],
                "wrong": ["[{}]", "{a = {}}", "\"\\u0001x\"", "-1.5", "true", "[]", "{}"],
            }
            for about, values in changed.items():
                for value in values:
                    yield about, call(arguments[:i] + [value] + arguments[i + 1:])
        if len(arguments) > 1:
            yield "marked", call(["sensitive(%s)" % a for a in arguments if "..." not in a])
            yield "unknown", call([arguments[0]] + ["ud"] * (len(arguments) - 1))
        if arguments:
            yield "wrong", call(arguments[:-1])
        yield "wrong", call(arguments + ["{}"])
        yield "wrong", call(arguments + ["[]..."])
        yield "wrong", call(arguments + ["null..."])
        yield "wrong", call(arguments + ["1..."])
        yield "null", call(arguments + ["null"])
        yield "unknown", call(arguments + ["uls..."])
        yield "marked", call(arguments + ["sensitive([])..."])


def type_of(value):
    """The type of a value in the notation of `kinu eval`."""
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, str):
        return "string"
    if "marked" in value:
        return type_of(value["value"])
    if "number" in value:
        return "number"
    for key in ("null", "unknown"):
        if key in value:
            return value[key]
    for key in ("list", "set", "map"):
        if key in value:
            return [key, value["of"]]
    if "tuple" in value:
        return ["tuple", [type_of(item) for item in value["tuple"]]]
    return ["object", {name: type_of(item) for name, item in value["object"].items()}]


def ask(reference, requests, folder):
    text = "".join(json.dumps(request) + "\n" for request in requests)
    done = subprocess.run([reference], input=text, stdout=subprocess.PIPE, check=True, cwd=folder,
                          env=dict(os.environ, HOME=folder),
                          encoding="utf-8")
    return [json.loads(line) for line in done.stdout.splitlines()]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--reference", required=True)
    parser.add_argument("output", nargs="?",
                        default=os.path.join(ROOT, "tests", "cases", "functions.jsonl"))
    args = parser.parse_args()
    folder = os.path.join(ROOT, "docs", "functions")
    asked, requests = [], []
    for page in sorted(os.listdir(folder)):
        if page == "README.md":
            continue
        seen = set()
        for about, expression in cases_of(*read_page(os.path.join(folder, page))):
            if expression in seen:
                continue
            seen.add(expression)
            asked.append((page[:-3], about, expression))
            requests.append({"id": "", "kind": "expression", "source": expression,
                             "variables": VARIABLES, "functions": True})
    reference = os.path.realpath(args.reference)
    first, second = ask(reference, requests, ROOT), ask(reference, requests, "/")
    rows = 0
    with open(args.output, "w", encoding="utf-8") as file:
        file.write(json.dumps({"variables": VARIABLES}) + "\n")
        for (name, about, expression), one, two in zip(asked, first, second):
            if "panic" in one:
                continue
            row = {"function": name, "about": about, "call": expression}
            if one.get("diagnostics"):
                row["problems"] = [d["summary"] for d in one["diagnostics"]]
            elif one["value"] == two["value"]:
                row["value"] = one["value"]
            else:
                row["type"] = type_of(one["value"])
                row["marks"] = one["value"].get("marked", []) if isinstance(one["value"], dict) \
                    else []
            file.write(json.dumps(row, ensure_ascii=False, sort_keys=True) + "\n")
            rows += 1
    print("%d rows" % rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
