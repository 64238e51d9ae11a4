#!/usr/bin/env python3
"""Compares the tables of all recorded plans and states with what `show -json` prints of them.

  table_values.py --binary PATH [FILE...]

Without FILE: the documents, plan files and state files below tests and docs/examples, and among the conformance cases.
The rows of the tables attributes, changes, resources and outputs are made here a second time, from
the document, with numbers as their digits.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import re
import subprocess
import sys
import tempfile
from decimal import Decimal

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "conformance"))
import packs  # noqa: E402
import recordings  # noqa: E402

ROOT = os.path.join(HERE, "..", "..")
TABLES = ("attributes", "changes", "resources", "outputs")
PLAN = ("planned_values", "resource_changes", "output_changes", "configuration", "prior_state")


class Digits(str):
    """A number as it is written."""

    def __eq__(self, other):
        return isinstance(other, Digits) and Decimal(self) == Decimal(other)

    __hash__ = None


def parse(text):
    """JSON with numbers as their digits, and objects as lists of their members in their order."""
    return json.loads(text, parse_int=Digits, parse_float=Digits, parse_constant=Digits)


# --- The rows that a document must have ---


def kind_of(value):
    kinds = {bool: "boolean", Digits: "number", str: "string", dict: "object", list: "array", type(None): "null"}
    return kinds[type(value)]


def is_identifier(name):
    """Whether a name needs no quotes in a path."""
    return bool(name) and (name[0].isidentifier() and name[0] != "_") and \
        all(c == "-" or ("a" + c).isidentifier() for c in name)


def quoted(name):
    out = json.dumps(name, ensure_ascii=False)
    return out.replace("${", "$${").replace("%{", "%%{")


def step(path, name):
    if isinstance(name, int):
        return "%s[%d]" % (path, name)
    if is_identifier(name):
        return path + "." + name if path else name
    return "%s[%s]" % (path, quoted(name))


def leaves(value, mask, path=""):
    """(path, value, sensitive) of what has no elements; a sensitive value is one, whatever it has."""
    if mask is True or not isinstance(value, (dict, list)) or not value:
        yield path, value, mask is True
        return
    for name, inner in value.items() if isinstance(value, dict) else enumerate(value):
        if isinstance(mask, dict):
            below = mask.get(name)
        else:
            below = mask[name] if isinstance(mask, list) and isinstance(name, int) and name < len(mask) else None
        yield from leaves(inner, below, step(path, name))


def any_true(mask):
    return mask is True or isinstance(mask, (dict, list)) and any(
        any_true(each) for each in (mask.values() if isinstance(mask, dict) else mask))


def attribute_rows(owner, value, mask):
    if value is None:
        return
    for path, leaf, sensitive in leaves(value, mask):
        kind = kind_of(leaf)
        yield {**owner, "path": path, "value_type": kind, "value": leaf, "sensitive": sensitive, "unknown": False}


def unknown_rows(owner, unknown, mask):
    for path, leaf, _ in leaves(unknown, None):
        if leaf is True:
            sensitive = mask_at(mask, path)
            yield {**owner, "path": path, "value_type": None, "value": None, "sensitive": sensitive, "unknown": True}


def mask_at(mask, path):
    """Whether a mask has a path. Written anew from the text of the path, so that it is no copy of leaves()."""
    for name, index, key in re.findall(r'(?:^|\.)([^.\[]+)|\[(\d+)\]|\["((?:[^"\\]|\\.)*)"\]', path):
        if mask is True:
            return True
        if index:
            mask = mask[int(index)] if isinstance(mask, list) and int(index) < len(mask) else None
        else:
            mask = mask.get(name or json.loads('"%s"' % key)) if isinstance(mask, dict) else None
    return mask is True


def resources_of(module):
    for resource in module.get("resources", []):
        yield module.get("address"), resource
    for child in module.get("child_modules", []):
        yield from resources_of(child)


def action_of(actions):
    if actions in (["delete", "create"], ["create", "delete"]):
        return "replace"
    return "-then-".join(actions) or None


def state_of(document):
    return ((document.get("prior_state") if is_plan(document) else document) or {}).get("values") or {}


def is_plan(document):
    return any(name in document for name in PLAN)


def expected(document):
    """The rows of a document: {table: [row]}. Values of JSON columns are values here."""
    rows = {table: [] for table in TABLES}
    for module, resource in resources_of(state_of(document).get("root_module") or {}):
        values, mask = resource.get("values"), resource.get("sensitive_values")
        identity = (values or {}).get("id")
        rows["resources"].append({
            "address": resource["address"], "module": module, "mode": resource.get("mode"), "type": resource["type"],
            "name": resource["name"], "index": resource.get("index"), "provider": resource.get("provider_name"),
            "schema_version": resource.get("schema_version"), "tainted": resource.get("tainted", False),
            "deposed": resource.get("deposed_key"), "values": values,
            "id": identity if type(identity) is str else None, "depends_on": resource.get("depends_on"),
            "sensitive": any_true(mask)})
        if not is_plan(document):
            owner = {"address": resource["address"], "deposed": resource.get("deposed_key"), "side": "state"}
            rows["attributes"] += attribute_rows(owner, values, mask)
    for drift, entries in ((True, "resource_drift"), (False, "resource_changes")):
        for entry in document.get(entries) or []:
            change = entry["change"]
            rows["changes"].append({
                "address": entry["address"], "previous_address": entry.get("previous_address"),
                "module": entry.get("module_address"), "mode": entry["mode"], "type": entry["type"],
                "name": entry["name"], "index": entry.get("index"), "provider": entry["provider_name"],
                "deposed": entry.get("deposed"), "drift": drift, "action": action_of(change["actions"]),
                "actions": change["actions"], "reason": entry.get("action_reason"),
                "import_id": (change.get("importing") or {}).get("id"), "before": change.get("before"),
                "after": change.get("after"), "after_unknown": change.get("after_unknown"),
                "replace_paths": change.get("replace_paths")})
            if drift:
                continue
            owner = {"address": entry["address"], "deposed": entry.get("deposed")}
            rows["attributes"] += attribute_rows({**owner, "side": "before"}, change.get("before"),
                                                 change.get("before_sensitive"))
            after = change.get("after_sensitive")
            rows["attributes"] += attribute_rows({**owner, "side": "after"}, change.get("after"), after)
            rows["attributes"] += unknown_rows({**owner, "side": "after"}, change.get("after_unknown"), after)
    rows["outputs"] = list(output_rows(document))
    return rows


def output_rows(document):
    if not is_plan(document):
        for name, output in (state_of(document).get("outputs") or {}).items():
            yield {"name": name, "value_type": output.get("type"), "value": output.get("value"), "before": None,
                   "action": None, "sensitive": output.get("sensitive", False), "unknown": False}
        return
    for name, outer in (document.get("output_changes") or {}).items():
        change = outer.get("change", outer)
        yield {"name": name, "value_type": None, "value": change.get("after"), "before": change.get("before"),
               "action": action_of(change["actions"]), "sensitive": any_true(change.get("after_sensitive")),
               "unknown": any_true(change.get("after_unknown"))}


# --- The rows of the program ---

JSON_COLUMNS = {"resources": ("index", "values", "depends_on"), "outputs": ("value_type", "value", "before"),
                "changes": ("index", "actions", "before", "after", "after_unknown", "replace_paths")}
COMMON = ("source", "lineage", "serial", "terraform_version")


def value_of(row, kind):
    """The value of a row of attributes, from its columns; an error where these do not agree."""
    text, number, boolean, exact = (row.pop(name) for name in ("text", "number", "bool", "exact"))
    if text is None and kind not in ("null", None):
        raise ValueError("a %s without text" % kind)
    if kind == "number":
        if exact not in (True, False) or exact is (number is None) or not exact and is_double(text) or \
                exact and not (is_double(text) or Decimal(float(text)) == Decimal(text)) or \
                exact and float(number) != float(text):
            raise ValueError("number %r, exact %r beside %r" % (number, exact, text))
        return Digits(text)
    if number is not None or exact is not None or (boolean is not None) is not (kind == "boolean"):
        raise ValueError("columns of another type beside %r" % text)
    if kind == "boolean":
        if text != json.dumps(boolean):
            raise ValueError("%r beside %r" % (boolean, text))
        return boolean
    return text if kind in ("string", "null", None) else parse(text)


def is_double(digits):
    """Whether the shortest text of the double is the number."""
    try:
        return Decimal(repr(float(digits))) == Decimal(digits)
    except (OverflowError, ArithmeticError):
        return False


def plain(row, table):
    """A row of the program in the form of expected()."""
    row = {name: value for name, value in row.items() if name not in COMMON}
    if table == "attributes":
        row["value"] = value_of(row, row["value_type"])
    if table == "resources" and row["schema_version"] is not None:
        row["schema_version"] = Digits(row["schema_version"])
    for name in JSON_COLUMNS.get(table, ()):
        row[name] = parse(row[name]) if row[name] is not None else None
    return row


def exported(binary, files, table, *flags):
    """The rows of files: {file: [row]}."""
    run = subprocess.run([binary, "export", "-no-color", "-table=" + table, *flags, *files],
                         stdin=subprocess.DEVNULL, capture_output=True, check=False)
    found = collections.defaultdict(list)
    for line in run.stdout.splitlines():
        row = parse(line)
        found[row["source"]].append(row)
    return found


# --- Documents ---


def candidates(roots):
    for root in roots:
        for parent, folders, names in os.walk(root):
            folders.sort()
            for name in sorted(names):
                yield os.path.join(parent, name)


def write_recorded(folder):
    """Writes the documents and states among the conformance cases, and returns the folder."""
    texts = {case["id"]: case["text"] for case in packs.cases("checks/documents")}
    texts.update((name, text) for name, text in recordings.files().items()
                 if name.endswith(".tfstate") or '"format_version"' in text)
    for name, text in texts.items():
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8", newline="") as file:
            file.write(text)
    return folder


def sort_of(path):
    """"document", "file" (a plan or state file), or None."""
    if path.endswith((".tfplan", ".tfstate")):
        return "file"
    try:
        with open(path, "rb") as file:
            text = file.read()
        document = json.loads(text) if text[:1] == b"{" and b'"format_version"' in text else None
    except (OSError, ValueError, RecursionError):
        return None
    if isinstance(document, dict) and isinstance(document.get("format_version"), str):
        if is_plan(document) and "output_changes" in document or "values" in document and not is_plan(document):
            return "document"
    return None


def with_types(value):
    """Recorded states have their members sorted; in states a type comes after the value that it is beside."""
    if isinstance(value, list):
        return [with_types(each) for each in value]
    if isinstance(value, dict) and list(value) == ["type", "value"] and isinstance(value["type"], (str, list)):
        return {"value": value["value"], "type": value["type"]}
    return {name: with_types(each) for name, each in value.items()} if isinstance(value, dict) else value


def prepared(path, folder):
    """The file, or a copy of a recorded state as the program wrote it, with a version in the place of its mark."""
    with open(path, "rb") as file:
        text = file.read()
    if b'"{VERSION}"' not in text:
        return path
    copy = os.path.join(folder, "%d-%s" % (len(os.listdir(folder)), os.path.basename(path)))
    try:
        document = json.loads(text.replace(b'"{VERSION}"', b'"1.12.6"'))
    except ValueError:
        return path
    for resource in document.get("resources", []):
        for instance in resource.get("instances", []):
            instance["attributes"] = with_types(instance.get("attributes"))
    with open(copy, "w", encoding="utf-8") as file:
        json.dump(document, file)
    return copy


def shown(binary, path):
    """The document of a plan or state file; None where it is encrypted, damaged, or needs its providers."""
    with tempfile.TemporaryDirectory() as empty:
        run = subprocess.run([binary, "show", "-json", os.path.abspath(path)], cwd=empty, stdin=subprocess.DEVNULL,
                             capture_output=True, check=False)
    return run.stdout if run.returncode == 0 else None


def by_place(rows):
    """Rows in an order that does not depend on that of the file."""
    return sorted(rows, key=lambda row: [str(row.get(name)) for name in
                                         ("address", "deposed", "drift", "side", "path", "unknown", "name")])


def first_difference(found, wanted):
    for one, other in zip(found, wanted):
        for name in wanted[0]:
            if one[name] != other[name]:
                return "%s of %s: %.300r, not %.300r" % (
                    name, other.get("address", other.get("name")), one[name], other[name])
    return "%d rows, not %d" % (len(found), len(wanted))


class Comparison:
    """Counts what was compared, and prints what differs."""

    def __init__(self):
        self.rows = collections.Counter()
        self.failed = 0

    def fail(self, path, text):
        self.failed += 1
        print("FAILED: %s: %s" % (path, text))

    def compare(self, path, document, tables, is_file):
        wanted = expected(document)
        for table in TABLES:
            try:
                found = [plain(row, table) for row in tables[table][path]]
            except ValueError as problem:
                self.fail(path, "%s: %s" % (table, problem))
                continue
            want = wanted[table]
            if is_file:
                found, want = by_place(found), by_place(want)
            self.rows[table] += len(want)
            if len(found) != len(want) or found != want:
                self.fail(path, "%s: %s" % (table, first_difference(found, want)))


def check_hidden(comparison, shown_rows, hidden_rows):
    """Without -show-sensitive, the same rows have no sensitive value, and every other value but copies of those."""
    hidden = 0
    for path, rows in shown_rows.items():
        if len(hidden_rows[path]) != len(rows):
            comparison.fail(path, "%d rows without sensitive values, not %d" % (len(hidden_rows[path]), len(rows)))
        for one, other in zip(rows, hidden_rows[path]):
            if other["sensitive"]:
                hidden += 1
                if other["text"] is not None:
                    comparison.fail(path, "the sensitive %s of %s is shown" % (other["path"], other["address"]))
            elif one["sensitive"] or one != other:
                comparison.fail(path, "%s of %s is %r, not %r" % (one["path"], one["address"], other, one))
    print("%d values hidden" % hidden)
    return hidden


def check_parts(comparison, binary, texts, folder):
    """Of plan files only a part of the document is made: the rows are those of the whole one, hidden values too."""
    documents = {}
    for path, text in texts.items():
        documents[path] = os.path.join(folder, "%d.json" % len(documents))
        with open(documents[path], "wb") as file:
            file.write(text)
    rows = 0
    for table in ("attributes", "changes", "checks", "modules", "outputs", "providers", "references", "resources"):
        of_files = exported(binary, list(documents), table)
        of_documents = exported(binary, list(documents.values()), table)
        for path, document in documents.items():
            wanted = [{**row, "source": path} for row in of_documents[document]]
            rows += len(wanted)
            if of_files[path] != wanted:
                comparison.fail(path, "the rows of %s are not those of its document" % table)
    print("%d rows of %d plan files and of their documents" % (rows, len(documents)))
    return rows


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", required=True)
    parser.add_argument("files", nargs="*")
    given = parser.parse_args()
    binary = os.path.abspath(given.binary)
    roots = [os.path.join(ROOT, *place) for place in (("tests",), ("docs", "examples"))]
    recorded = tempfile.TemporaryDirectory()
    roots.append(write_recorded(recorded.name))
    files = {path: sort_of(path) for path in given.files or candidates(roots)}
    copies = tempfile.TemporaryDirectory()
    files = {prepared(path, copies.name): sort for path, sort in files.items() if sort}
    tables = {table: exported(binary, list(files), table, "-show-sensitive") for table in TABLES}
    comparison = Comparison()
    if not check_hidden(comparison, tables["attributes"], exported(binary, list(files), "attributes")) and \
            not given.files:
        comparison.fail("tests", "nothing was hidden")
    counts = collections.Counter()
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        texts = dict(zip(files, pool.map(
            lambda path: open(path, "rb").read() if files[path] == "document" else shown(binary, path), files)))
    for path, sort in files.items():
        text = texts[path]
        counts[sort if text is not None else "not shown"] += 1
        if text is not None:
            comparison.compare(path, parse(text), tables, sort == "file")
    plans = {path: texts[path] for path in files if path.endswith(".tfplan") and texts[path] is not None}
    with tempfile.TemporaryDirectory() as folder:
        if not check_parts(comparison, binary, plans, folder) and not given.files:
            comparison.fail("tests", "no plan file was compared")
    print("%d documents, %d plan and state files, %d that cannot be shown" %
          (counts["document"], counts["file"], counts["not shown"]))
    print("compared: " + ", ".join("%d rows of %s" % (comparison.rows[table], table) for table in TABLES))
    if not given.files and (not comparison.rows["attributes"] or not counts["file"]):
        comparison.fail("tests", "nothing was compared")
    copies.cleanup()
    print("%d failed" % comparison.failed)
    return 1 if comparison.failed else 0


if __name__ == "__main__":
    sys.exit(main())
