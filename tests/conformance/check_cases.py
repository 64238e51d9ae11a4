"""Runs the cases of `check` and of `query -path`.

The suites, each a pack of checks/: `cases` has one assertion a case, `runs` whole invocations of `check`, `paths`
invocations of `query -path`, `documents` the plans and states that they look at. The assertions about the same
documents go into one check file, in JSON or in native syntax. A batch without usable answer is halved until the
guilty case stands alone.
"""
import collections
import os
import subprocess
import tempfile

import packs
from exact_json import Digits, Mismatch, dump, load, same

BATCH = 250
PATIENCE = 60.0  # seconds
QUERY_STATUS = {"found": 0, "not_found": 2, "invalid_path": 1}


def loaded(suite):
    return [load(line) for line in packs.lines(suite)]


def write_documents(folder):
    """Writes all documents into a folder."""
    for document in packs.cases("checks/documents"):
        write(os.path.join(folder, document["id"]), document["text"])


def write(path, text):
    with open(path, "w", encoding="utf-8", newline="") as file:
        file.write(text)


class Problem(Exception):
    """Why a program's answer cannot be used."""


def call(binary, arguments, folder):
    """Exit status and standard output of a run."""
    try:
        done = subprocess.run([binary, *arguments], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        raise Problem("no answer within %g s" % PATIENCE) from None
    return done.returncode, done.stdout.decode("utf-8", "replace")


def answer(binary, arguments, folder):
    """Exit status and the object that a run prints."""
    status, out = call(binary, arguments, folder)
    try:
        value = load(out)
    except Mismatch as error:
        raise Problem("exit status %d, %s: %r" % (status, error, out[:160])) from None
    if not isinstance(value, dict):
        raise Problem("the result is no object")
    return status, value


def documents_of(case):
    return case["documents"] if "documents" in case else [case["document"]]


def inconsistent(status, got):
    """How version, summary and exit status contradict the results, or None."""
    if got.get("format_version") != "1.0":
        return "format_version is %r" % got.get("format_version")
    count = collections.Counter(result.get("status") for result in got["results"])
    summary = {"passed": Digits(count["pass"]), "failed": Digits(count["fail"]), "errored": Digits(count["error"])}
    if not same(got.get("summary"), summary):
        return "summary %s does not agree with the results" % dump(got.get("summary"))
    if status != (2 if count["fail"] + count["error"] else 0):
        return "exit status %d does not agree with the results" % status
    return None


def results_of(status, got):
    results = got.get("results")
    if not isinstance(results, list) or not all(isinstance(result, dict) for result in results):
        raise Problem("exit status %d without results: %s" % (status, dump(got)[:300]))
    return results


def check_file(cases, native):
    """Name and text of the file that has all cases."""
    if native:
        return "batch.kinucheck.hcl", "\n".join(case["native"] for case in cases)
    merged = {}
    for case in cases:
        merged.update(case["check_file"]["check"])
    return "batch.kinucheck.json", dump({"check": merged}, ordered=False) + "\n"


def try_batch(cases, native, binary, documents):
    """Runs assertions about the same documents. Returns {case: what is wrong, or None}."""
    arguments = ["check", "-json"] + ["-%s=%s" % (cases[0]["of"], os.path.join(documents, name))
                                      for name in documents_of(cases[0])]
    with tempfile.TemporaryDirectory(prefix="checks-") as folder:
        name, text = check_file(cases, native)
        write(os.path.join(folder, name), text)
        status, got = answer(binary, arguments + [name], folder)
    results = collections.defaultdict(list)
    for result in results_of(status, got):
        results[result.get("check")].append(result)
    if status not in (0, 2):
        raise Problem("exit status %d: %s" % (status, dump(got)[:300]))
    whole = inconsistent(status, got)
    return {case["id"]: wrong(case, results[case["id"]]) or whole for case in cases}


def wrong(case, results):
    if len(results) != 1:
        return "%d results, want 1" % len(results)
    result = results[0]
    if result.get("status") != case["status"]:
        return "want %s, got %s (%s)" % (case["status"], result.get("status"), result.get("message"))
    if result.get("kind") != case["kind"] or result.get("index") != "0":
        return "kind %s, index %s; want %s, 0" % (result.get("kind"), result.get("index"), case["kind"])
    return None


def run_batch(cases, native, binary, documents):
    try:
        return try_batch(cases, native, binary, documents)
    except Problem as problem:
        if len(cases) == 1:
            return {cases[0]["id"]: str(problem)}
    half = len(cases) // 2
    return {**run_batch(cases[:half], native, binary, documents),
            **run_batch(cases[half:], native, binary, documents)}


def invocation(case, binary, documents):
    """What is wrong with a whole invocation of `check`, or None."""
    arguments = ["check", "-json"]
    for word in case["arguments"]:
        option, separator, name = word.partition("=@")
        arguments.append("%s=%s" % (option, os.path.join(documents, name)) if separator else word)
    with tempfile.TemporaryDirectory(prefix="checks-") as folder:
        for name, text in case["files"].items():
            write(os.path.join(folder, name), text)
        status, got = answer(binary, arguments, folder)
    if str(status) != case["exit"]:
        return "exit status %d, want %s: %s" % (status, case["exit"], dump(got)[:300])
    if status == 1:
        usable = not got.get("results") and got.get("diagnostics")
        return None if usable else "want diagnostics and no results, got %s" % dump(got)[:200]
    found = [{name: result.get(name) for name in ("check", "kind", "index", "status")}
             for result in results_of(status, got)]
    if not same(found, case["results"]):
        return "want %s, got %s" % (dump(case["results"]), dump(found))
    return inconsistent(status, got)


def path_query(case, binary, _):
    """What is wrong with an invocation of `query -path`, or None."""
    text = case["path_text"] if "path_text" in case else dump(case["path"], ordered=False)
    with tempfile.TemporaryDirectory(prefix="checks-") as folder:
        write(os.path.join(folder, "value.json"), dump(case["value"], ordered=False) + "\n")
        status, got = answer(binary, ["query", "-json", "-path=" + text, "value.json"], folder)
    found = {name: value for name, value in got.items() if name in ("status", "value", "step", "reason")}
    if not same(found, case["result"]):
        return "want %s, got %s" % (dump(case["result"])[:200], dump(found)[:200])
    expected = QUERY_STATUS[case["result"]["status"]]
    return None if status == expected else "exit status %d, want %d" % (status, expected)


def rows(suite, problems):
    return [(suite, name, "failed" if problem else "passed", [problem] if problem else [])
            for name, problem in problems.items()]


def run_assertions(suite, cases, native, binary, documents):
    return rows(suite, run_batch(cases, native, binary, documents))


def run_each(suite, function, cases, binary, documents):
    problems = {}
    for case in cases:
        try:
            problems[case["id"]] = function(case, binary, documents)
        except Problem as problem:
            problems[case["id"]] = str(problem)
    return rows(suite, problems)


def batches(cases):
    """Cases about the same documents, in lists of at most BATCH."""
    groups = collections.OrderedDict()
    for case in cases:
        groups.setdefault((case["of"], tuple(documents_of(case))), []).append(case)
    for group in groups.values():
        yield from (group[at:at + BATCH] for at in range(0, len(group), BATCH))


def tasks(binary, documents, wanted):
    """The calls that run all cases. `documents` is a folder that write_documents has filled."""
    cases = [case for case in loaded("checks/cases") if wanted(case["id"])]
    for batch in batches(cases):
        yield run_assertions, ("checks/cases", batch, False, binary, documents)
        yield run_assertions, ("checks-native/cases", batch, True, binary, documents)
    for suite, function in (("checks/runs", invocation), ("checks/paths", path_query)):
        cases = [case for case in loaded(suite) if wanted(case["id"])]
        for at in range(0, len(cases), 20):
            yield run_each, (suite, function, cases[at:at + 20], binary, documents)
