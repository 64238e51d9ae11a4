#!/usr/bin/env python3
"""Tests the JSON Schemas in docs/schemas with valid and with damaged documents.

    tests/schemas.py --binary PATH

Valid documents are: the output of the program here, all examples, and the documents among the conformance cases. A
document without a required member, or with a member of another type, must be invalid. `schema NAME` must print each
schema as it is in the repository.
"""
import argparse
import copy
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "conformance"))
import recordings  # noqa: E402
from watching import watch_edits  # noqa: E402

ROOT = os.path.join(HERE, "..")
DRIFTED = {
    "format_version": "1.2",
    "resource_drift": [
        {"address": "t.a", "change": {"before": {"a": 1, "b": [{"c": 1}]}, "after": {"b": [{"c": 2}]}},
         "position": {"filename": "main.tf", "start": {"line": 1, "column": 1, "byte": 0},
                      "end": {"line": 1, "column": 9, "byte": 8}}},
        {"address": "t.b", "deposed": "00000001", "change": {"before": {"a": 1}, "after": None}}]}
TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}


def is_type(value, name):
    if name in ("integer", "number"):
        return isinstance(value, int if name == "integer" else (int, float)) and \
            not isinstance(value, bool)
    return isinstance(value, TYPES[name])


def problems(schema, value, root, place="$"):
    """The errors of a value. Knows only the keywords that these schemas use."""
    if schema is True:
        return
    if "$ref" in schema:
        yield from problems(root["$defs"][schema["$ref"].split("/")[-1]], value, root, place)
        return
    if "anyOf" in schema and all(any(True for _ in problems(each, value, root, place))
                                 for each in schema["anyOf"]):
        yield "%s: none of several" % place
    names = schema.get("type", [])
    names = [names] if isinstance(names, str) else names
    if names and not any(is_type(value, name) for name in names):
        yield "%s: not of type %s" % (place, " or ".join(names))
        return
    if "enum" in schema and not any(value == each and type(value) is type(each)
                                    for each in schema["enum"]):
        yield "%s: %r is none of %r" % (place, value, schema["enum"])
    if "pattern" in schema and not re.search(schema["pattern"], value):
        yield "%s: %r does not match" % (place, value)
    if "minimum" in schema and value < schema["minimum"]:
        yield "%s: too small" % place
    if isinstance(value, dict):
        for name in schema.get("required", []):
            if name not in value:
                yield "%s: %s is missing" % (place, name)
        for name, member in value.items():
            inner = schema.get("properties", {}).get(name, schema.get("additionalProperties", True))
            if inner is False:
                yield "%s: %s does not belong here" % (place, name)
            else:
                yield from problems(inner, member, root, "%s.%s" % (place, name))
    if isinstance(value, list):
        if not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value)):
            yield "%s: wrong number of elements" % place
        first = schema.get("prefixItems", [])
        for index, element in enumerate(value):
            inner = first[index] if index < len(first) else schema.get("items", True)
            yield from problems(inner, element, root, "%s[%d]" % (place, index))


def mutations(value):
    """Copies of a document. In each, one member of an outer object is missing or has another type."""
    for name in value:
        mutated = copy.deepcopy(value)
        mutated[name] = 12.5 if not isinstance(value[name], (int, float)) else "text"
        yield name, mutated
        missing = {key: member for key, member in value.items() if key != name}
        yield name, missing


# Members of messages that may hold anything, or that have members of any name.
OPEN = {"value", "state", "identity", "before", "after", "after_unknown", "before_sensitive", "after_sensitive",
        "test_plan", "test_state", "test_abstract", "outputs", "states"}


def deep_mutations(value, place=()):
    """(path, copy) for each member of any object in a strictly described value; the copy changes that member."""
    if isinstance(value, list):
        for index, element in enumerate(value):
            for path, mutated in deep_mutations(element, place + (index,)):
                yield path, value[:index] + [mutated] + value[index + 1:]
        return
    if not isinstance(value, dict):
        return
    if not place or place[-1] != "outputs":
        yield place + ("+",), dict(value, surprise=1)
    for name, member in value.items():
        if name in OPEN - {"outputs"} or (name == "type" and place):
            continue
        yield place + (name,), dict(value, **{name: {"other": ["type"]}})
        for path, mutated in deep_mutations(member, place + (name,)):
            yield path, dict(value, **{name: mutated})


def written(binary, folder):
    """(schema, document) for each document that the program writes."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("TF_")}

    def run(*arguments):
        done = subprocess.run([os.path.abspath(binary)] + list(arguments), cwd=folder,
                              env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        return done.stdout.decode("utf-8")

    with open(os.path.join(folder, "main.tf"), "w", encoding="utf-8") as handle:
        handle.write('variable "v" {\n  type = list(string)\n  default = ["a"]\n'
                     '  validation {\n    condition = var.v != []\n    error_message = "Empty."\n  }\n}\n'
                     'resource "terraform_data" "a" {\n  count = 2\n  input = var.v\n}\n'
                     'moved {\n  from = terraform_data.z\n  to = terraform_data.a[0]\n}\n'
                     'removed {\n  from = terraform_data.gone\n  lifecycle {\n    destroy = false\n  }\n}\n'
                     'import {\n  to = terraform_data.a[1]\n  id = "i"\n}\n'
                     'check "c" {\n  assert {\n    condition = var.v != []\n    error_message = "Empty."\n  }\n}\n'
                     'output "o" {\n  value = terraform_data.a[0].output\n}\n')
    run("init")
    yield "plan", json.loads(run("show", "-json", "p")) if run("plan", "-out=p") else None
    yield "plan", json.loads(run("show", "-json", "-positions", "p"))
    for line in run("plan", "-offline", "-json").splitlines():
        yield "message", json.loads(line)
    for line in run("plan", "-refresh=changed", "-json").splitlines():
        yield "message", json.loads(line)
    with open(os.path.join(folder, "main.tf"), encoding="utf-8") as handle:
        text = handle.read()
    for message in watch_edits(os.path.abspath(binary), folder, environment,
                               [{"main.tf": text.replace('"a"', '"b"', 1)}, {"main.tf": text + "nothing"}, {"main.tf": text}])[1]:
        yield "message", message
    yield "risks", json.loads(run("show", "-risks", "-json", "p"))  # without any
    for line in run("apply", "-json", "-auto-approve").splitlines():
        yield "message", json.loads(line)
    with open(os.path.join(folder, "r.kinurisks.hcl"), "w", encoding="utf-8") as handle:
        handle.write('data_types = ["terraform_data"]\nmany = 1\n'
                     'ignore "*[0]" {\n  reason = "r"\n}\n'
                     'ignore "*[1]" {\n  reason = "r"\n  expires = "2020-01-01"\n}\n')
    for line in run("plan", "-destroy", "-risks", "-json", "-out=d").splitlines():
        yield "message", json.loads(line)
    yield "risks", json.loads(run("show", "-risks", "-json", "d"))
    applied = run("show", "-json")
    yield "state", json.loads(applied)
    for name, text in (("applied", applied), ("other", applied.replace('"a"', '"b"'))):
        with open(os.path.join(folder, name + ".json"), "w", encoding="utf-8") as handle:
            handle.write(text)
    yield "diff", json.loads(run("diff", "-json", "applied.json", "other.json"))
    yield "diff", json.loads(run("diff", "-json", "applied.json", "applied.json"))
    yield "output", json.loads(run("output", "-json"))
    yield "version", json.loads(run("version", "-json"))
    yield "functions", json.loads(run("metadata", "functions", "-json"))
    yield "provider-schemas", json.loads(run("providers", "schema", "-json"))
    yield "configuration", json.loads(run("show", "-json", "-config"))
    yield "configuration", json.loads(run("show", "-json", "-config", "-positions"))
    yield "validate", json.loads(run("validate", "-json"))
    with open(os.path.join(folder, "main.tf"), "a", encoding="utf-8") as handle:
        handle.write("nothing = 1\n")
    yield "validate", json.loads(run("validate", "-json"))
    with open(os.path.join(folder, "c.kinucheck.hcl"), "w", encoding="utf-8") as handle:
        handle.write('check "c" {\n  state {\n    expect_nothing {}\n  }\n}\n')
    yield "check-result", json.loads(run("check", "-json", "c.kinucheck.hcl"))
    yield "check-result", json.loads(run("check", "-json", "none"))
    with open(os.path.join(folder, "drifted.json"), "w", encoding="utf-8") as handle:
        json.dump(DRIFTED, handle)
    with open(os.path.join(folder, "d.kinudrift.hcl"), "w", encoding="utf-8") as handle:
        handle.write('ignore "t.a" {\n  attributes = ["a"]\n  reason = "r"\n}\n'
                     'ignore "t.b" {\n  reason = "r"\n  expires = "2020-01-01"\n}\n')
    yield "drift", json.loads(run("drift", "-json", "-plan=drifted.json"))
    yield "drift", json.loads(run("drift", "-json", "-plan=none"))
    yield "why", json.loads(run("why", "-json"))  # with the error of the configuration
    with open(os.path.join(folder, "main.tf"), "w", encoding="utf-8") as handle:
        handle.write('variable "v" {\n  default = "x"\n}\nlocals {\n  l = var.v\n}\n'
                     'resource "terraform_data" "w" {\n  triggers_replace = [local.l, timestamp()]\n}\n')
    run("apply", "-auto-approve")
    run("plan", "-out=w")
    yield "why", json.loads(run("why", "-json", "-var=v=y"))
    yield "why", json.loads(run("why", "-json", "-var=v=y", "-since=w", "terraform_data.w"))


def recorded():
    for kind in ("plan", "state"):
        with open(os.path.join(ROOT, "docs", "examples", kind + ".json"), encoding="utf-8") as handle:
            document = json.load(handle)
        if kind == "state":
            yield kind, document
    names = {"functions": "functions", "invalid": "validate", "validate": "validate", "version": "version",
             "output": "output", "configuration": "configuration",
             "provider-schemas": "provider-schemas", "state-show": "state"}
    for path in sorted(glob.glob(os.path.join(ROOT, "tests", "golden", "documents", "*.json*"))):
        name = os.path.basename(path).split(".")
        with open(path, encoding="utf-8") as handle:
            if name[-1] == "jsonl":
                for line in handle:
                    yield "message", json.loads(line)
            elif name[0] == "state-show":
                for line in handle:
                    document = json.loads(line)
                    yield "message" if "@level" in document else "state", document
            else:
                yield name[1] if len(name) == 3 else names[name[0]], json.load(handle)
    # Recorded message streams.
    texts = list(recordings.outputs().values())
    for path in sorted(glob.glob(os.path.join(ROOT, "tests", "golden", "streams", "*.jsonl"))):
        with open(path, encoding="utf-8", errors="replace") as handle:
            texts.append(handle.read())
    for text in texts:
        for line in text.split("\n"):
            if line.startswith('{"@') and line.rstrip().endswith("}"):
                message = json.loads(line)
                # Recordings omit members that differ between runs.
                message.setdefault("@timestamp", "2026-01-02T03:04:05.678901Z")
                if "diagnostic" in message:
                    message["diagnostic"].setdefault("detail", "")
                if message.get("hook", {}).get("elapsed_seconds") == "{T}":
                    message["hook"]["elapsed_seconds"] = 0
                yield "message", message
    for name, text in recordings.documents().items():
        yield name.split(".")[-2], json.loads(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--binary", required=True)
    args = parser.parse_args()
    schemas = {}
    passed, failures = 0, []
    for path in sorted(glob.glob(os.path.join(ROOT, "docs", "schemas", "*.json"))):
        name = os.path.basename(path)[:-len(".json")]
        with open(path, encoding="utf-8") as handle:
            text = handle.read()
        schemas[name] = json.loads(text)
        printed = subprocess.run([args.binary, "schema", name], stdout=subprocess.PIPE).stdout
        if printed.decode("utf-8") == text:
            passed += 1
        else:
            failures.append("schema %s prints something else" % name)
    seen, types = set(), set()
    expected = {name[len("message_"):] for name in schemas["message"]["$defs"]
                if name.startswith("message_") and not name.startswith("message_test_")}
    # Messages about a state that cannot be written, and a lock that takes long.
    expected -= {"without_type", "log", "output", "state_lock_acquire", "state_lock_release"}
    with tempfile.TemporaryDirectory(prefix="schemas-") as folder:
        documents = list(written(args.binary, folder)) + list(recorded())
    for name, document in documents:
        found = list(problems(schemas[name], document, schemas[name]))
        if found:
            failures.append("%s: %s" % (name, found[0]))
            continue
        passed += 1
        kind = document.get("type") if name == "message" else name
        if name in ("message", "diff") and kind not in types:
            types.add(kind)
            for path, mutated in deep_mutations(document):
                if any(True for _ in problems(schemas[name], mutated, schemas[name])):
                    passed += 1
                else:
                    failures.append("%s %s: changed at %s it is still valid"
                                    % (name, kind, ".".join(map(str, path))))
        if name in seen or name in ("output", "message"):
            continue
        required = schemas[name].get("required", [])
        properties = schemas[name].get("properties", {})
        for member, mutated in mutations(document):
            bad = member in mutated or member in required
            if properties.get(member, True) is not True and bad:
                seen.add(name)
                if not any(True for _ in problems(schemas[name], mutated, schemas[name])):
                    failures.append("%s: a mutated %s is still valid" % (name, member))
                else:
                    passed += 1
    for name in sorted(expected - types):
        failures.append("no message of type %s is recorded" % name)
    for line in failures:
        print("FAIL " + line)
    print("%d passed, %d failed" % (passed, len(failures)))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
