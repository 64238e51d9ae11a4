#!/usr/bin/env python3
"""Runs the cases of JSONPath (RFC 9535) and of JSON parsing against a binary, through `query`.

    tests/json_query.py --binary PATH --suites FOLDER [--show N]

FOLDER has json-query/rfc9535.json and json-parsing/*.json. Prints one line per suite in the format of the other
runners and ends with `N passed, N failed`.
"""
import argparse
import concurrent.futures
import glob
import json
import os
import subprocess
import sys
import tempfile


class Number(str):
    """A JSON number as written, digit by digit."""


def decode(text):
    return json.loads(text, parse_int=Number, parse_float=Number)


def same_number(a, b):
    return a == b or float(a) == float(b)


def same(a, b):
    if isinstance(a, Number) and isinstance(b, Number):
        return same_number(a, b)
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(same, a, b))
    return type(a) is type(b) and a == b


def call(binary, arguments):
    environment = {name: value for name, value in os.environ.items() if not name.startswith("TF_")}
    done = subprocess.run([binary, "query"] + arguments, stdin=subprocess.DEVNULL, env=environment,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
    return (done.returncode, done.stdout.decode("utf-8", "surrogatepass"),
            done.stderr.decode("utf-8", "replace"))


def selector_case(binary, case):
    """Returns None, or a description of the failure."""
    with tempfile.TemporaryDirectory(prefix="query-") as folder:
        path = os.path.join(folder, "document.json")
        with open(path, "w", encoding="utf-8") as handle:
            handle.write(json.dumps(case.get("document")))
        if "\0" in case["selector"]:
            return None  # a command line cannot contain this text; query_test has these cases
        code, out, err = call(binary, ["-json", case["selector"], path])
        if case.get("invalid_selector"):
            if code != 1 or out or "Invalid selector" not in err:
                return "want an invalid selector, got exit status %d: %s%s" % (code, out, err)
            return None
        if code != 0:
            return "exit status %d: %s" % (code, err)
        results = case["results"] if "results" in case else [case["result"]]
        wanted = [decode(json.dumps(result)) for result in results]
        if not any(same(decode(out), result) for result in wanted):
            return "want one of %s, got %s" % (json.dumps(results), out)
        code, out, err = call(binary, ["-json", "-paths", case["selector"], path])
        paths = case["results_paths"] if "results_paths" in case else [case["result_paths"]]
        found = [entry["path"] for entry in json.loads(out)] if code == 0 else None
        if found not in paths:
            return "want paths %s, got %s" % (json.dumps(paths), out + err)
    return None


def parsing_case(binary, path):
    name = os.path.basename(path)
    for selector in ("$", "$..*", "$.none[0]"):
        code, out, err = call(binary, ["-json", selector, path])
        if code not in (0, 1):
            return "%s: exit status %d: %s" % (selector, code, err[-200:])
        if name.startswith("y_") and code != 0:
            return "%s: refused: %s" % (selector, err)
        if name.startswith("n_") and (code != 1 or "at byte" not in err):
            return "%s: want an error with its byte, got exit status %d: %s" % (selector, code, err)
        if name.startswith("y_") and selector == "$":
            with open(path, encoding="utf-8") as handle:
                text = handle.read()
            if not same(decode(out), [decode(text)]):
                return "%s: the value changes: %s" % (selector, out)
    return None


def run(name, cases, function, show):
    failed = []
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for (label, _), problem in zip(cases, pool.map(lambda case: function(case[1]), cases)):
            if problem:
                failed.append("FAIL %s: %s" % (label, problem))
    for line in failed[:show]:
        print(line)
    print("%s %d/%d" % (name, len(cases) - len(failed), len(cases)))
    return len(cases) - len(failed), len(failed)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--binary", required=True)
    parser.add_argument("--suites", required=True)
    parser.add_argument("--show", type=int, default=0)
    args = parser.parse_args()
    binary = os.path.abspath(args.binary)
    passed = failed = 0
    selectors = os.path.join(args.suites, "json-query", "rfc9535.json")
    if os.path.exists(selectors):
        with open(selectors, encoding="utf-8") as handle:
            cases = [(case["name"], case) for case in json.load(handle)["tests"]]
        good, bad = run("json-query", cases, lambda case: selector_case(binary, case), args.show)
        passed, failed = passed + good, failed + bad
    files = sorted(glob.glob(os.path.join(args.suites, "json-parsing", "*.json")))
    if files:
        good, bad = run("json-parsing", [(os.path.basename(path), path) for path in files],
                        lambda path: parsing_case(binary, path), args.show)
        passed, failed = passed + good, failed + bad
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
