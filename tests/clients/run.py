#!/usr/bin/env python3
"""Reads and rewrites documents with terraform-json, the Go module that other tools use.

    tests/clients/run.py --binary KINU --work DIRECTORY

The documents are the output of the program here, the recordings in tests/golden/documents, and those among the
conformance cases. The driver is main.go. go.mod and go.sum pin the
module. DIRECTORY receives the built driver. Without Go, or without the module and a network to download it, the exit
status is 77: the test is skipped.
"""
import argparse
import glob
import json
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "conformance"))
import recordings  # noqa: E402
import schemas  # noqa: E402

SKIPPED = 77


def kind_of(document):
    """The driver's name for a document, or None."""
    if not isinstance(document, dict):
        return None
    if "@message" in document:
        return "messages"
    if "terraform_version" in document and "provider_selections" in document:
        return "version"
    if "format_version" not in document:
        return None
    for name, kind in (("valid", "validate"), ("function_signatures", "functions"),
                       ("provider_schemas", "provider-schemas"), ("planned_values", "plan"),
                       ("resource_changes", "plan"),
                       ("results", None), ("equal", None), ("objects", None)):
        if name in document:
            return kind
    return "state"


def build(work):
    if shutil.which("go") is None:
        print("tests/clients: Go is not installed, skipped")
        return None
    os.makedirs(work, exist_ok=True)
    driver = os.path.abspath(os.path.join(work, "clients"))
    environment = dict(os.environ, CGO_ENABLED="0", GOFLAGS="-trimpath -buildvcs=false")
    if subprocess.run(["go", "build", "-o", driver, "."], cwd=HERE, env=environment).returncode != 0:
        print("tests/clients: the driver could not be built, skipped")
        return None
    return driver


def texts():
    """Recorded output that may be documents: (name, text)."""
    paths = glob.glob(os.path.join(HERE, "..", "golden", "documents", "*.json*"))
    paths += glob.glob(os.path.join(HERE, "..", "..", "docs", "examples", "*.json"))
    for path in sorted(paths):
        with open(path, encoding="utf-8", errors="replace") as handle:
            yield path, handle.read()
    yield from recordings.documents().items()
    yield from recordings.outputs().items()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--binary", required=True)
    parser.add_argument("--work", required=True)
    args = parser.parse_args()
    driver = build(args.work)
    if driver is None:
        return SKIPPED
    arguments = []
    with tempfile.TemporaryDirectory(prefix="clients-") as folder:
        def add(kind, text, name="own.json"):
            path = os.path.join(folder, "%d-%s" % (len(arguments), os.path.basename(name)))
            with open(path, "w", encoding="utf-8") as handle:
                handle.write(text)
            arguments.append("%s=%s" % (kind, path))

        with tempfile.TemporaryDirectory(prefix="clients-") as configuration:
            own = list(schemas.written(args.binary, configuration))
        stream = ""
        for _, document in own:
            if '"position"' in json.dumps(document):
                continue  # that is ours: other tools do not know positions
            if kind_of(document) == "messages":
                stream += json.dumps(document) + "\n"
            elif kind_of(document):
                add(kind_of(document), json.dumps(document))
        add("messages", stream)
        for path, text in texts():
            try:
                kind = kind_of(json.loads(text.split("\n")[0] if path.endswith("jsonl") else text))
            except ValueError:
                lines = [line for line in text.split("\n") if line]
                # A stream of messages, unless it also contains human output.
                if not lines or not all(line.startswith('{"@level"') for line in lines):
                    continue
                kind = "messages"
            if kind:
                add(kind, text, path)
        return subprocess.run([driver] + arguments).returncode


if __name__ == "__main__":
    sys.exit(main())
