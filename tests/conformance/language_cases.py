"""Runs the cases of the language: requests to `eval -json` and its answers (docs/eval.md).

The program is started once for each suite, gets the requests on its standard input, and answers each with one line. A
case passes when the members of COMPARED are equal and the diagnostics agree, as a multiset, in severity, summary and
subject. When the program ends or does not answer in time, that case fails and the next one gets a new process.
"""
import glob
import json
import os
import queue
import subprocess
import threading

import packs

COMPARED = ("id", "value", "type", "text", "text_base64", "traversal", "content")
WINDOW = 64  # requests sent ahead of the answer that is waited for
PATIENCE = 30.0  # seconds


def canonical(value):
    return json.dumps(value, sort_keys=True)


def position(subject, end):
    return {name: subject.get(end, {}).get(name) for name in ("line", "column", "byte")}


def diagnostics(response):
    """What is compared of the diagnostics, in an order of its own."""
    out = []
    for diagnostic in response.get("diagnostics") or []:
        subject = diagnostic.get("subject")
        if subject:
            subject = {end: position(subject, end) for end in ("start", "end")}
        out.append(canonical([diagnostic.get("severity"), diagnostic.get("summary"), subject]))
    return sorted(out)


def difference(want, got):
    """What differs between two responses, or None."""
    if not isinstance(got, dict):
        return "the response is no JSON object"
    for name in COMPARED:
        a, b = canonical(want.get(name)), canonical(got.get(name))
        if a != b:
            return "%s: want %s, got %s" % (name, a, b)
    try:
        a, b = diagnostics(want), diagnostics(got)
    except (AttributeError, TypeError):
        return "malformed diagnostics: %s" % canonical(got.get("diagnostics"))
    return None if a == b else "diagnostics: want %s, got %s" % (", ".join(a), ", ".join(b))


class Process:
    """One run of `eval -json`."""

    def __init__(self, binary, folder):
        environment = {name: value for name, value in os.environ.items() if not name.startswith("TF_")}
        environment["HOME"] = "/home/conformance"
        self.process = subprocess.Popen([binary, "eval", "-json"], cwd=folder, env=environment,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.answers, self.requests = queue.Queue(), queue.Queue()
        threading.Thread(target=self.read, daemon=True).start()
        threading.Thread(target=self.write, daemon=True).start()

    def read(self):
        for line in self.process.stdout:
            self.answers.put(line)
        self.answers.put(None)

    def write(self):
        try:
            for request in iter(self.requests.get, None):
                self.process.stdin.write(request)
                self.process.stdin.flush()
            self.process.stdin.close()
        except (OSError, ValueError):
            pass  # the program ended, which the reader tells

    def send(self, request):
        self.requests.put((json.dumps(request) + "\n").encode())

    def close(self, kill=False):
        self.requests.put(None)
        if kill:
            self.process.kill()
        try:
            self.process.wait(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def verdict(case, process):
    """What is wrong with the next answer, or None, and whether the process can go on."""
    try:
        line = process.answers.get(timeout=PATIENCE)
    except queue.Empty:
        return "no response within %g s" % PATIENCE, False
    if line is None:
        process.close()
        return "the process ended (exit status %s)" % process.process.returncode, False
    try:
        return difference(case["response"], json.loads(line)), True
    except ValueError:
        return "the response is not JSON: %r" % line[:120], True


def run(cases, binary, folder):
    """Yields each case with what is wrong, or None."""
    process, sent = None, 0
    for at, case in enumerate(cases):
        if process is None:
            process, sent = Process(binary, folder), at
        while sent < min(len(cases), at + WINDOW):
            process.send(cases[sent]["request"])
            sent += 1
        problem, goes_on = verdict(case, process)
        if not goes_on:
            process.close(kill=True)
            process = None
        yield case, problem
    if process is not None:
        process.close()


def described(case, problem):
    request = {name: value for name, value in case["request"].items() if name not in ("id", "variables")}
    return ["request  " + json.dumps(request, ensure_ascii=False)[:600],
            "scope    " + json.dumps(case["request"].get("variables"), ensure_ascii=False)[:600], problem[:1500]]


def run_suite(suite, cases, binary, folder):
    """Runs the cases of a suite. Returns [(suite, case, status, lines)]."""
    return [(suite, case["request"]["id"], "failed" if problem else "passed",
             described(case, problem) if problem else []) for case, problem in run(cases, binary, folder)]


def run_packed(suite, binary, wanted):
    cases = [case for case in packs.cases(suite) if wanted(case["request"]["id"])]
    return run_suite(suite, cases, binary, packs.HERE)


def run_file(suite, path, binary, wanted):
    with open(path, encoding="utf-8") as file:
        cases = [json.loads(line) for line in file if line.strip()]
    cases = [case for case in cases if wanted(case["request"]["id"])]
    return run_suite(suite, cases, binary, os.path.dirname(path))


def tasks(binary, wanted):
    """The calls that run all packed suites. The files that some cases read are in testdata."""
    return [(run_packed, (suite, binary, wanted)) for suite in packs.suites("language")]


def shared_tasks(binary, folder, wanted):
    """The calls that run the suites of a folder, without those that are packed."""
    packed = packs.suites("language")
    for path in sorted(glob.glob(os.path.join(folder, "*.jsonl"))):
        suite = "language/" + os.path.basename(path)[:-len(".jsonl")]
        if suite not in packed:
            yield run_file, (suite, path, binary, wanted)
