#!/usr/bin/env python3
"""Reads the tables of documents with pyarrow, DuckDB, Polars and pandas, and compares them with the rows as
JSON and CSV.

  tables.py --binary PATH

Programs that are not installed are left out with a line.
"""
import argparse
import csv
import glob
import importlib
import io
import json
import os
import shutil
import subprocess
import sys
import tempfile

TABLES = "resources changes attributes outputs checks providers modules references problems".split()
HERE = os.path.dirname(os.path.abspath(__file__))
FAILURES = []
sys.path.insert(0, os.path.dirname(HERE))
import schemas  # noqa: E402


def expect(what, holds):
    if not holds:
        FAILURES.append(what)
        print("FAILED:", what)


def library(name):
    try:
        return importlib.import_module(name)
    except ImportError:
        print("skipped: %s is not installed" % name)
        return None


def sources(folder):
    """Plans and states of the documentation and of recorded commands, and a damaged file."""
    golden = os.path.join(HERE, "..", "golden")
    for i, path in enumerate(sorted(glob.glob(os.path.join(HERE, "../../docs/examples/*.json")) +
                                    glob.glob(os.path.join(golden, "state", "*.tfstate")) +
                                    glob.glob(os.path.join(golden, "documents", "*.json")))):
        shutil.copy(path, os.path.join(folder, "%03d-%s" % (i, os.path.basename(path))))
    with open(os.path.join(folder, "damaged.tfstate"), "w", encoding="utf-8") as file:
        file.write('{"version":4,')


def export(binary, folder, table, form):
    run = subprocess.run([binary, "export", "-no-color", "-table=" + table, "-to=" + form, folder],
                         stdin=subprocess.DEVNULL, capture_output=True, check=False)
    expect("export -table=%s -to=%s" % (table, form), run.returncode == 0)
    expect("a damaged file is reported", table == "problems" or b"Left out: " in run.stderr)
    return run.stdout


def compare(binary, folder, table, arrow):
    rows = [json.loads(line) for line in export(binary, folder, table, "jsonl").splitlines()]
    cells = list(csv.reader(io.StringIO(export(binary, folder, table, "csv").decode())))
    names = cells.pop(0)
    expect(table + " has as many rows in CSV", len(cells) == len(rows))
    for row, line in zip(rows, cells):
        expect(table + " has the same columns", list(row) == names)
        for value, cell in zip(row.values(), line):
            text = "" if value is None else value if isinstance(value, str) else json.dumps(value)
            expect("%s: %r is %r" % (table, value, cell),
                   cell == text or (isinstance(value, float) and float(cell) == value))
    if arrow is None:
        return None
    whole = arrow.ipc.open_stream(export(binary, folder, table, "arrow")).read_all()
    whole.validate(full=True)
    expect(table + " has the same rows in Arrow", whole.to_pylist() == rows)
    return whole


def schema_of_rows(binary):
    """The JSON Schema of the rows, from the list of tables."""
    run = subprocess.run([binary, "export", "-tables"], capture_output=True, text=True, check=True)
    types = {"text": "string", "integer": "integer", "number": "number", "boolean": "boolean"}
    rows = {}
    for line in run.stdout.splitlines():
        if not line.startswith(" "):
            name, _, description = line.partition(": ")
            rows[name] = {"description": description, "type": "object", "properties": {}, "required": [],
                          "additionalProperties": False}
            continue
        column, kind, description = line.split(maxsplit=2)
        rows[name]["properties"][column] = {"description": description, "type": [types[kind], "null"]}
        rows[name]["required"].append(column)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Rows of tables",
            "description": "A line of `export`: a row of one of these tables.",
            "anyOf": [{"$ref": "#/$defs/" + name} for name in rows], "$defs": rows}


def check_schema(binary, folder):
    """docs/schemas/row.json is made from the list of tables (KINU_UPDATE=1 writes it), and rows have its form."""
    path = os.path.join(HERE, "..", "..", "docs", "schemas", "row.json")
    wanted = schema_of_rows(binary)
    text = json.dumps(wanted, indent=2, ensure_ascii=False) + "\n"
    if os.environ.get("KINU_UPDATE"):
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    with open(path, encoding="utf-8") as file:
        expect("docs/schemas/row.json has the columns of the tables", file.read() == text)
    for table in TABLES:
        form = wanted["$defs"][table]
        for line in export(binary, folder, table, "jsonl").splitlines():
            row = json.loads(line)
            found = next(schemas.problems(form, row, wanted), None)
            expect("a row of %s: %s" % (table, found), found is None)
            row.pop("source")
            expect("a row without source is none of " + table, any(True for _ in schemas.problems(form, row, wanted)))


def engines(tables):
    changes = tables["changes"]
    wanted = sum(1 for action in changes.column("action").to_pylist() if action == "create")
    if duckdb := library("duckdb"):
        found = duckdb.query("select count(*) from changes where action = 'create'").fetchall()
        expect("DuckDB counts", found == [(wanted,)])
    if polars := library("polars"):
        frame = polars.from_arrow(changes)
        expect("Polars counts", frame.filter(polars.col("action") == "create").height == wanted)
    if library("pandas"):
        expect("pandas counts", int((changes.to_pandas()["action"] == "create").sum()) == wanted)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", required=True)
    binary = os.path.abspath(parser.parse_args().binary)
    arrow = library("pyarrow")
    if arrow is not None:
        importlib.import_module("pyarrow.ipc")
    with tempfile.TemporaryDirectory() as folder:
        sources(folder)
        tables = {table: compare(binary, folder, table, arrow) for table in TABLES}
        if arrow is not None:
            engines(tables)
        check_schema(binary, folder)
        strict = subprocess.run([binary, "export", "-strict", folder], capture_output=True, check=False)
        expect("-strict", strict.returncode == 1)
    print("%d failed" % len(FAILURES))
    return 1 if FAILURES else 0


if __name__ == "__main__":
    sys.exit(main())
