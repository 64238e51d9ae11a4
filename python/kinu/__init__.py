"""HCL, and the plans and states of OpenTofu and Terraform.

    kinu.evaluate('cidrsubnet("10.0.0.0/8", 8, n)', {"n": 1})
    kinu.load_module("network/").variables["size"]["type"]
    kinu.open("plan.tfplan").query("$.resource_changes[*].address")
    pyarrow.table(kinu.tables("states/", table="resources"))
    kinu.fleet.plan(kinu.fleet.find("infrastructure/")).changes
    kinu.spark.read(spark, "s3://bucket/states/")

Sensitive values are replaced or null unless `show_sensitive` is set.
"""

from __future__ import annotations

import importlib
import io
import json
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar, Union

from . import _kinu

__all__ = ["Body", "Document", "Error", "Module", "PlanFile", "Problem", "Table", "check", "convert", "evaluate",
           "format", "load_module", "load_plan_file", "open", "parse", "table_schemas", "tables"]
__version__ = _kinu.version()

#: Modules that are loaded when they are first used.
_PARTS = ("fleet", "sources", "spark")

Path = Union[str, "os.PathLike[str]"]


def __getattr__(name: str) -> Any:
    if name in _PARTS:
        return importlib.import_module("kinu." + name)
    raise AttributeError("module 'kinu' has no attribute %r" % name)


@dataclass(frozen=True)
class Problem:
    """An error or a warning. Positions are (line, column, byte), lines and columns from 1."""

    is_error: bool
    summary: str
    detail: str
    file: str | None
    start: tuple[int, int, int]
    end: tuple[int, int, int]

    def __str__(self) -> str:
        place = "" if self.file is None else "%s:%d:%d: " % (self.file, *self.start[:2])
        return "%s%s%s" % (place, self.summary, ": " + self.detail if self.detail else "")


_Result = TypeVar("_Result", str, bytes)


class Error(ValueError):
    """What could not be read or evaluated; `problems` has the reasons with their places."""

    def __init__(self, problems: list[Problem]):
        self.problems = problems
        super().__init__("\n".join(str(problem) for problem in problems if problem.is_error))


def _result(answer: tuple[_Result | None, list[tuple]]) -> _Result:
    text, problems = answer
    if text is None:
        raise Error([Problem(*problem) for problem in problems])
    return text


# --- The language ---


@dataclass(frozen=True)
class Body:
    """The attributes and blocks of a file or block."""

    #: {name: {"text": source, "references": [...], "line": n, "value": ...}}; "value" where it needs no variables
    attributes: dict[str, dict[str, Any]]
    #: [(type, labels, line, body)]
    blocks: list[tuple[str, list[str], int, Body]]

    @classmethod
    def _of(cls, body: dict[str, Any]) -> Body:
        return cls(body["attributes"], [(block["type"], block["labels"], block["line"], cls._of(block["body"]))
                                        for block in body["blocks"]])


def parse(text: str | bytes, name: str = "<text>") -> Body:
    """Parses a file of the native syntax."""
    return Body._of(json.loads(_result(_kinu.parse(name, text))))


def evaluate(expression: str, variables: dict[str, Any] | None = None, directory: Path = ".") -> Any:
    """The value of an expression, with the functions of the language that have no side effects."""
    given = json.dumps(variables) if variables else None
    return json.loads(_result(_kinu.evaluate(expression, given, os.fspath(directory))))


def format(text: str | bytes) -> str:  # noqa: A001
    """A file of the native syntax in canonical layout."""
    return _result(_kinu.format(text))


def convert(text: str | bytes, name: str = "main.tf", to: str = "json") -> str:
    """A file in the syntax `to`, "json" or "native". The end of the name says what the file is: of a module
    (".tf"), values of variables (".tfvars"), or of another language."""
    return _result(_kinu.convert(name, text, to))


# --- Modules ---


@dataclass(frozen=True)
class Module:
    """What the files of a directory declare, overrides merged. Expressions are as in Body.attributes; "file" and
    "line" say where a declaration is."""

    directory: str
    #: The names of the files in the order in which they are read, and those of them that override.
    files: list[str]
    overrides: list[str]
    #: {local name: {"source": ..., "version": ..., "aliases": [...]}}
    required_providers: dict[str, dict[str, Any]]
    #: {name: {"type": ..., "default": ..., "required": bool, "sensitive": bool, "validations": [...], ...}}
    variables: dict[str, dict[str, Any]]
    #: {name: expression}
    locals: dict[str, dict[str, Any]]
    #: {name: {"expression": ..., "sensitive": bool, ...}}
    outputs: dict[str, dict[str, Any]]
    #: {name: {"source": ..., "version": ..., "inputs": {name: expression}, ...}}
    module_calls: dict[str, dict[str, Any]]
    #: [{"address": ..., "mode": ..., "type": ..., "name": ..., "provider": ..., ...}]
    resources: list[dict[str, Any]]

    def values(self, variables: dict[str, Any] | None = None, show_sensitive: bool = False) -> dict[str, dict[str, Any]]:
        """{"variables": ..., "locals": ..., "outputs": ...} with these values of variables, which are converted and
        checked by the rules of the variables, and defaults for the others. Local values and outputs that need more
        than variables and functions are left out. Reads the directory again."""
        given = json.dumps(variables) if variables else None
        return json.loads(_result(_kinu.module_values(self.directory, given, show_sensitive)))


def load_module(directory: Path) -> Module:
    """The module in a directory. Modules that it calls, providers and networks are not needed."""
    return Module(**json.loads(_result(_kinu.load_module(os.fspath(directory)))))


# --- Documents ---


def _read(source: Path | bytes) -> bytes:
    if isinstance(source, bytes):
        return source
    with io.open(source, "rb") as file:
        return file.read()


class Document:
    """A plan, a state, or any other JSON document. A plan file stands for the document that `show -json` makes of it."""

    def __init__(self, text: bytes, name: str = "<document>"):
        self._set(text, name)

    @classmethod
    def _of_file(cls, path: str) -> Document:
        """The document in a file, of which a large one is mapped into memory and not read."""
        document = cls.__new__(cls)
        document._set(None, path)
        return document

    def _set(self, text: bytes | None, name: str) -> None:
        self.name = name
        self._text = text
        self._document = _kinu.Document(text, name if text is None else "")
        problems = [Problem(*problem) for problem in self._document.problems]
        if any(problem.is_error for problem in problems):
            raise Error(problems)

    def query(self, selector: str, paths: bool = False, show_sensitive: bool = False) -> list[Any]:
        """The values that a JSONPath selector (RFC 9535) finds; with `paths` pairs of path and value."""
        found = json.loads(_result(self._document.select(selector, show_sensitive)))
        return [(one["path"], one["value"]) if paths else one["value"] for one in found]

    def text(self) -> str:
        """The document as compact JSON, sensitive values included: of a plan file what `show -json` prints."""
        return _result(self._document.text())

    def redacted(self) -> Any:
        """The document with its sensitive values replaced."""
        return json.loads(_result(self._document.redacted()))

    def summary(self, size: int = 4096) -> str:
        """The changes of a plan as a text of at most `size` bytes, the most important first."""
        return _result(self._document.summary(size))

    def table(self, table: str, show_sensitive: bool = False) -> Table:
        """A table of this document."""
        return Table(table, [self.name] if self._text is None else [(self.name, self._text)], show_sensitive)

    def arrow(self, table: str, source: str | None = None, show_sensitive: bool = False) -> bytes:
        """A table of this plan or state as a stream of Arrow IPC, for files and other processes; no other package is
        needed. `source` is the first column of its rows, by default the name of the document."""
        return _result(self._document.arrow(table, self.name if source is None else source, show_sensitive))

    def check(self, *checks: Path) -> dict[str, Any]:
        """Runs check files on this plan or state: the document of `kinu check -json`."""
        source: list[Path | bytes] = [self.name if self._text is None else self._text]
        if self.query("$['planned_values','resource_changes','output_changes']"):
            return check(checks, plans=source)
        return check(checks, states=source)


def open(source: Path | bytes) -> Document:  # noqa: A001
    """A document from a file or from its text: JSON, or a plan file with the schemas that kinu's plan files have."""
    return Document(source) if isinstance(source, bytes) else Document._of_file(os.fspath(source))


@dataclass(frozen=True)
class PlanFile:
    """What a plan file holds besides the values of resources. Schemas of providers are not needed for it."""

    terraform_version: str
    #: The time of planning (RFC 3339).
    timestamp: str
    #: Planning failed.
    errored: bool
    #: `kinu.open` can read the file.
    has_schemas: bool
    #: [{"address": ..., "actions": [...], "provider": ..., "reason": ..., ...}]
    changes: list[dict[str, Any]]
    #: The same of changes that were made outside of the program.
    drift: list[dict[str, Any]]
    #: {name: {"actions": [...], "before": ..., "after": ..., "after_unknown": bool, "sensitive": bool}}
    outputs: dict[str, dict[str, Any]]
    #: {"type": ..., "workspace": ..., "config": ...}; "config" with `show_sensitive`
    backend: dict[str, Any]
    #: The files of the configuration: [{"module": "a.b", "directory": ..., "name": ..., "text": ...}]
    sources: list[dict[str, str]]
    lock_file: str
    #: {name: value} and the state before the plan, with `show_sensitive`; else None.
    variables: dict[str, Any] | None = None
    prior_state: dict[str, Any] | None = None


def load_plan_file(source: Path | bytes, show_sensitive: bool = False) -> PlanFile:
    """A plan file of kinu or OpenTofu. What may be secret is left out unless `show_sensitive` is set."""
    return PlanFile(**json.loads(_result(_kinu.plan_file(_read(source), show_sensitive))))


def check(checks: Iterable[Path], plans: Iterable[Path | bytes] = (), states: Iterable[Path | bytes] = (),
          show_sensitive: bool = False) -> dict[str, Any]:
    """Runs check files on plans and states: the document of `kinu check -json`."""
    def texts(sources: Iterable[Path | bytes]) -> list[tuple[str, str | bytes]]:
        return [("" if isinstance(source, bytes) else os.fspath(source), _read(source)) for source in sources]
    return json.loads(_result(_kinu.check(texts(checks), texts(plans), texts(states), show_sensitive)))


# --- Tables ---


def table_schemas() -> list[dict[str, Any]]:
    """The tables: [{"name": ..., "description": ..., "columns": [{"name": ..., "type": ..., ...}]}]."""
    return json.loads(_result(_kinu.tables()))


def is_document(name: str, head: bytes) -> bool:
    """Whether a file of this name that begins with these bytes is read as part of a directory."""
    return name.endswith((".tfstate", ".tfplan")) or (name.endswith(".json") and b'"format_version"' in head)


def _head(path: str) -> bytes:
    try:
        with io.open(path, "rb") as file:
            return file.read(4096)
    except OSError:
        return b""


def _files(path: str) -> Iterator[str]:
    """A file, or the documents in a directory and below, in the order of their names."""
    if not os.path.isdir(path):
        yield path
        return
    for parent, folders, names in os.walk(path):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            file = os.path.join(parent, name)
            if not name.startswith(".") and is_document(name, _head(file)):
                yield file


class Table:
    """A table of any number of documents, which Arrow libraries read (`pyarrow.table(table)`,
    `polars.from_arrow(table)`, DuckDB by its name). It is read anew each time, one document at a time."""

    def __init__(self, table: str, sources: Sequence[str] | Sequence[tuple[str, bytes]], show_sensitive: bool):
        if table not in {schema["name"] for schema in table_schemas()}:
            raise ValueError("there is no table %r" % table)
        self.name = table
        self._paths = [each for each in sources if isinstance(each, str)]
        self._texts = [each for each in sources if not isinstance(each, str)]
        self._show_sensitive = show_sensitive

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        if self._texts:
            return _kinu.table_of_documents(self.name, iter(self._texts), self._show_sensitive)
        return _kinu.table_of_files(self.name, self._paths, self._show_sensitive)


def arrow(source: Path | bytes, table: str = "changes", name: str | None = None, show_sensitive: bool = False) -> bytes:
    """A table of one plan or state (a file, or its bytes) as a stream of Arrow IPC, for files and other processes; no
    other package is needed. `name` is the first column of its rows, by default the file. Of a plan file only what the
    table needs is read. Raises Error if it is neither, or there is no such table; OSError if the file cannot be read."""
    given = name if name is not None else "" if isinstance(source, bytes) else os.fspath(source)
    return _result(_kinu.table_of_text(table, _read(source), given, show_sensitive))


def tables(sources: Path | Iterable[Path | tuple[str, bytes]], table: str = "resources",
           show_sensitive: bool = False) -> Table:
    """A table (see table_schemas()) of sources, or of pairs of a name and a text. A source is a file (a plan file, a
    state file, or a document), a directory (the documents in it and below), an archive or a URI: see kinu.sources. One
    that cannot be read is a row of the table "problems"."""
    given = [sources] if isinstance(sources, (str, os.PathLike)) else list(sources)
    texts = [each for each in given if isinstance(each, tuple)]
    if texts:
        if len(texts) < len(given):
            raise ValueError("a table is of paths, or of pairs of a name and a text")
        return Table(table, texts, show_sensitive)
    from . import sources as parts
    paths = [each for each in given if not isinstance(each, tuple)]
    return parts.SourceTable(parts.find(paths), table, show_sensitive)
