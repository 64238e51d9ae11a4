#!/usr/bin/env python3
"""Evaluates random expressions with two programs and compares the results.

The generator calls every function with valid and unusual arguments (null, unknown, sensitive and
ephemeral values, wrong types, empty collections, large numbers, unusual texts) and combines the calls
with operators, conditions, `for`, splats, indexes and templates. Variables of a small configuration
supply the values that have no literal.

With --reference the console of that program evaluates too. Output and error summaries are compared:

    expressions.py --binary build/dev/src/cli/tofu --reference tofu --count 20000 [--seed 1]

With --evaluators both programs have the interface of `kinu eval -json`. Then types, marks and
refinements of results and the ranges of problems are compared too:

    expressions.py --binary build/dev/src/cli/tofu --reference PROGRAM --evaluators --count 20000

With --values only values are compared: an expression that fails in kinu is evaluated as `can(…)`. A
console ends with its first error, and restarting it for each one takes an hour:

    expressions.py --binary build/dev/src/cli/tofu --reference tofu --values --count 20000 [--seed 1]

With recorded answers of OpenTofu's console:

    expressions.py --binary … --corpus tests/differential/expressions.jsonl
    expressions.py --reference … --record tests/differential/expressions.jsonl --count 500

KINU_UPDATE=1 replaces the recorded answers by those of the program.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

from random_expressions import FILES, UNKNOWN, UNKNOWN_TYPES, VARIABLES, generate, quoted


# --- the configuration of the expressions ---


def literal(value):
    """A value in the notation of `kinu eval` as source text."""
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if "number" in value:
        return value["number"]
    if "null" in value:
        return "null"
    for kind in ("list", "set", "tuple"):
        if kind in value:
            return "[%s]" % ", ".join(literal(item) for item in value[kind])
    entries = value.get("map", value.get("object"))
    return "{%s}" % ", ".join("%s = %s" % (quoted(k), literal(v)) for k, v in entries.items())


def write_fixture(folder):
    for name, text in FILES.items():
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(text.encode("utf-8", "surrogateescape"))
    with open(os.path.join(folder, "main.tf"), "w", encoding="utf-8") as file:
        for name, (kind, value, flag) in VARIABLES.items():
            file.write('variable "%s" {\n  type = %s\n' % (name, kind))
            if value is not UNKNOWN:
                file.write("  default = %s\n" % literal(value))
            if flag:
                file.write("  %s = true\n" % flag)
            file.write("}\n")


def tagged_variables():
    out = {}
    for name, (_, value, flag) in VARIABLES.items():
        tagged = {"unknown": UNKNOWN_TYPES[name]} if value is UNKNOWN else value
        out[name] = {"marked": [flag], "value": tagged} if flag else tagged
    return {"var": {"object": out}}


def environment():
    clean = {name: value for name, value in os.environ.items() if not name.startswith("TF_")}
    clean.update({"CHECKPOINT_DISABLE": "1", "HOME": "/home/nobody"})
    return clean


# --- consoles ---

MARK = "@@%d@@"
LOCKING = "Acquiring state lock. This may take a few moments...\n"  # printed after a delay
SUMMARY = re.compile(r"^[│╷ ]*Error: (.*)$", re.M)
COLOUR = re.compile(r"\x1b\[[0-9;]*m")


def console_answers(program, folder, expressions, batch=400):
    """The console's answer for each expression: ["text", …] or ["error", summaries…]."""
    answers = []
    env = environment()
    while len(answers) < len(expressions):
        start = len(answers)
        part = expressions[start:start + batch]
        lines = []
        for i, expression in enumerate(part):
            lines += [expression, quoted(MARK % i)]
        try:
            done = subprocess.run([program, "console"], cwd=folder, env=env, timeout=120,
                                  input="\n".join(lines) + "\n", stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, encoding="utf-8", errors="replace")
            out, err, code = done.stdout, COLOUR.sub("", done.stderr), done.returncode
        except subprocess.TimeoutExpired:
            out, err, code = "", "Error: timeout", -1
        out = out.replace(folder, "{folder}").replace(LOCKING, "")
        at = 0
        for i in range(len(part)):
            mark = '"%s"\n' % (MARK % i)
            end = out.find(mark, at)
            if end < 0:
                break
            answers.append(["text", out[at:end]])
            at = end + len(mark)
        if len(answers) < start + len(part):
            if code == 0:
                answers.append(["text", "no answer: " + out[at:]])
            else:
                summaries = SUMMARY.findall(err)
                answers.append(["error"] + sorted(summaries) if summaries else
                               ["crash", "exit %d: %s" % (code, err[:300])])
    return answers


def expressions_with_values(program, folder, expressions):
    """The expressions, with `can(…)` around those that fail. Expressions that fail even so (invalid syntax
    or unknown names) are omitted."""
    plain = console_answers(program, folder, expressions)
    wrapped = [expression if answer[0] == "text" else "can(%s)" % expression
               for expression, answer in zip(expressions, plain)]
    asked = console_answers(program, folder, wrapped)
    return [expression for expression, answer in zip(wrapped, asked) if answer[0] == "text"]


# --- evaluators ---


def evaluator_answers(program, folder, expressions):
    """The answer of the evaluator for each expression: ["value", value, problems…]. After a crash, it is
    restarted with the next expression."""
    variables = tagged_variables()
    command = [program] + (["eval", "-json"] if program.endswith("kinu") else [])
    answers = []
    while len(answers) < len(expressions):
        requests = "".join(json.dumps({"id": str(i), "kind": "expression", "source": expression,
                                       "variables": variables, "functions": True}) + "\n"
                           for i, expression in enumerate(expressions[len(answers):]))
        done = subprocess.run(command, cwd=folder, env=environment(), input=requests,
                              stdout=subprocess.PIPE, encoding="utf-8", errors="surrogateescape",
                              check=False)
        for line in done.stdout.splitlines():
            response = json.loads(line)
            if "panic" in response:
                answers.append(["crash", response["panic"]])
                continue
            problems = sorted(json.dumps([d["severity"], d["summary"], d.get("subject")],
                                         sort_keys=True)
                              for d in response.get("diagnostics", []))
            answers.append(["value", json.dumps(response.get("value"), sort_keys=True,
                                                ensure_ascii=False)] + problems)
        if len(answers) < len(expressions):
            answers.append(["crash", "exit %d" % done.returncode])
    return answers


# --- comparison ---


def compare(expressions, wanted, got, show):
    """Returns the number of differences. Crashes of the reference are ignored."""
    differences = crashes = problems = 0
    kinds = {}
    for expression, want, have in zip(expressions, wanted, got):
        if want[0] == "crash":
            crashes += 1
            if have[0] != "crash":
                continue
        problems += want[0] == "error" or len(want) > 2
        if want == have and want[0] != "crash":
            continue
        differences += 1
        kind = re.match(r"[\w:]*", expression).group(0)
        kinds[kind] = kinds.get(kind, 0) + 1
        if differences <= show:
            print("DIFFERS %s\n  wanted %s\n  got    %s" % (expression, want, have))
    print("%d expressions: %d with problems, %d crash the reference, %d differ%s" % (
        len(expressions), problems, crashes, differences,
        " (%s)" % ", ".join("%s %d" % kv for kv in sorted(kinds.items())) if kinds else ""))
    return differences


def write_answers(path, expressions, answers):
    with open(path, "w", encoding="utf-8") as file:
        for expression, answer in zip(expressions, answers):
            if answer[0] != "crash":
                file.write(json.dumps([expression, answer], ensure_ascii=False) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--binary")
    parser.add_argument("--reference")
    parser.add_argument("--evaluators", action="store_true")
    parser.add_argument("--values", action="store_true", help="compare values, not errors")
    parser.add_argument("--count", type=int, default=20000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--corpus")
    parser.add_argument("--record")
    parser.add_argument("--show", type=int, default=20)
    parser.add_argument("--print", action="store_true", help="only print the expressions")
    args = parser.parse_args()

    if args.corpus:
        with open(args.corpus, encoding="utf-8") as file:
            rows = [json.loads(line) for line in file]
        expressions = [row[0] for row in rows]
        wanted = [row[1] for row in rows]
    else:
        expressions = generate(args.seed, args.count)
    if args.print:
        print("\n".join(expressions))
        return 0
    with tempfile.TemporaryDirectory(prefix="expressions-") as folder:
        write_fixture(folder)
        ask = evaluator_answers if args.evaluators else console_answers
        if args.values:
            expressions = expressions_with_values(os.path.realpath(args.binary), folder, expressions)
        if not args.corpus:
            wanted = ask(os.path.realpath(args.reference), folder, expressions)
        if args.record:
            write_answers(args.record, expressions, wanted)
            return 0
        got = ask(os.path.realpath(args.binary), folder, expressions)
    if args.corpus and os.environ.get("KINU_UPDATE"):
        write_answers(args.corpus, expressions, got)
        wanted = got
    differences = compare(expressions, wanted, got, args.show)
    print("%d passed, %d failed" % (len(expressions) - differences, differences))
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
