"""Plans of many working directories as tables.

    plans = kinu.fleet.plan(kinu.fleet.find("infrastructure/"), timeout=600)
    plans.directories   # status, time and diagnostics of each directory, as a pyarrow table
    plans.changes       # the changes of all of them; `source` is the directory

Each directory is planned in a process of a pool, or in a task of a Spark session. Nothing is applied.
"""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import pathlib
import shutil
import sysconfig
import tempfile
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import kinu
from kinu import sources
from kinu._planning import Options, counted, name_of
from kinu._pool import Answer, Pool, Reply

if TYPE_CHECKING:
    import pyarrow
    from pyspark.sql import SparkSession

__all__ = ["Interrupted", "Plans", "cores", "find", "plan"]


def cores() -> int:
    """The processors that this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:
        return os.cpu_count() or 1


# --- Directories ---

_CONFIGURATION = (".tf", ".tf.json", ".tofu", ".tofu.json")


def _called(directory: str, names: list[str]) -> Iterator[str]:
    """The local modules that the files of a directory call."""
    for name in names:
        if not name.endswith((".tf", ".tofu")):
            continue
        path = os.path.join(directory, name)
        try:
            with open(path, "rb") as file:
                blocks = kinu.parse(file.read(), path).blocks
        except (OSError, ValueError):
            continue
        for kind, _, _, body in blocks:
            source = body.attributes.get("source", {}).get("value") if kind == "module" else None
            if isinstance(source, str) and source.startswith(("./", "../")):
                yield os.path.realpath(os.path.join(directory, source))


def find(root: kinu.Path) -> list[str]:
    """The root modules in a directory and below: directories of configuration that no other one calls as a local
    module. Names that begin with a dot are left out."""
    found: dict[str, str] = {}
    called: set[str] = set()
    for parent, folders, names in os.walk(os.fspath(root)):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        files = [name for name in names if name.endswith(_CONFIGURATION) and not name.startswith(".")]
        if files:
            found[os.path.realpath(parent)] = parent
            called.update(_called(parent, files))
    return [path for real, path in found.items() if real not in called]


def _distinct(directories: Iterable[kinu.Path]) -> list[str]:
    """Each directory once, by the first of its names."""
    found: dict[str, str] = {}
    for directory in [os.fspath(each) for each in directories]:
        found.setdefault(directory if sources.is_uri(directory) else os.path.realpath(directory), directory)
    return list(found.values())


# --- Results ---


@dataclass(frozen=True)
class Plans:
    """What a fleet found, as pyarrow tables."""

    #: A row for each directory, in the order in which they were given:
    #: directory (text), status (changed, unchanged, failed, timeout, lost: each of its workers died, or interrupted),
    #: started (the time of the last attempt), seconds (of it), init_seconds (null where init was not needed),
    #: attempts, changes and drift (their numbers, null where there is no plan), drift_ignored (how many drifted objects
    #: rules leave out, null without rules), errors, warnings, version (of the program), diagnostics (a JSON array of
    #: objects with severity, summary, detail, and address and range if known)
    directories: pyarrow.Table
    #: The tables that were asked for, by their names. The column `source` is the directory.
    tables: dict[str, pyarrow.Table]

    @property
    def changes(self) -> pyarrow.Table:
        """The changes of all plans."""
        return self.tables["changes"]

    @property
    def is_complete(self) -> bool:
        """Whether each directory has a plan."""
        return all(status in ("changed", "unchanged") for status in self.directories.column("status").to_pylist())

    def write(self, out: kinu.Path) -> None:
        """Writes OUT/directories.parquet, and a file for each table."""
        from pyarrow import parquet
        os.makedirs(out, exist_ok=True)
        for name, table in {"directories": self.directories, **self.tables}.items():
            parquet.write_table(table, os.path.join(out, name + ".parquet"), compression="zstd")


class Interrupted(KeyboardInterrupt):
    """An interrupt of plan(); `plans` has what was ready. The other directories have the status "interrupted"."""

    def __init__(self, plans: Plans):
        self.plans = plans
        super().__init__()


def _directories_schema() -> pyarrow.Schema:
    import pyarrow
    text, number, count = pyarrow.string(), pyarrow.float64(), pyarrow.int64()
    return pyarrow.schema([
        ("directory", text), ("status", text), ("started", pyarrow.timestamp("ms", "UTC")), ("seconds", number),
        ("init_seconds", number), ("attempts", count), ("changes", count), ("drift", count),
        ("drift_ignored", count), ("errors", count), ("warnings", count), ("version", text), ("diagnostics", text)])


def _directories(rows: Iterable[Mapping[str, Any]]) -> pyarrow.Table:
    """The table of the directories. It is read from JSON, because pyarrow loads pandas, where that is installed, to make
    arrays of lists; that takes longer than many plans."""
    import pyarrow
    from pyarrow import json as reader
    schema = _directories_schema()
    lines = "\n".join(json.dumps(row) for row in rows).encode()
    if not lines:
        return pyarrow.Table.from_batches([], schema)
    moment = schema.field("started")
    place = schema.get_field_index("started")
    read = reader.read_json(
        pyarrow.BufferReader(lines), reader.ReadOptions(use_threads=False, block_size=len(lines) + 1),
        reader.ParseOptions(explicit_schema=schema.set(place, pyarrow.field("started", pyarrow.int64())),
                            unexpected_field_behavior="ignore"))
    batches = []
    for batch in read.to_batches():
        columns = list(batch.columns)
        columns[place] = columns[place].view(moment.type)
        batches.append(pyarrow.RecordBatch.from_arrays(columns, schema=schema))
    return pyarrow.Table.from_batches(batches, schema)


def _row(report: Mapping[str, Any], attempts: int) -> dict[str, Any]:
    diagnostics = report["diagnostics"]
    counts = {severity + "s": sum(each["severity"] == severity for each in diagnostics)
              for severity in ("error", "warning")}
    started = None if report["started"] is None else int(report["started"] * 1000)
    return {**report, **counts, "started": started, "attempts": attempts,
            "diagnostics": json.dumps(diagnostics, ensure_ascii=False)}


def _lost(directory: str, answer: Answer) -> dict[str, Any]:
    """The report of a directory whose workers did not answer."""
    problem = {"severity": "error", "summary": "The worker did not answer in time" if answer.is_late else
               "The worker was killed", "detail": "Attempts: %d" % answer.attempts}
    return _no_plan(directory, "timeout" if answer.is_late else "lost", [problem])


def _no_plan(directory: str, status: str, diagnostics: list[dict[str, Any]]) -> dict[str, Any]:
    return {"directory": name_of(directory), "status": status, "started": None, "seconds": None, "init_seconds": None,
            "changes": None, "drift": None, "drift_ignored": None, "version": None, "diagnostics": diagnostics}


#: Tables with fewer rows a part are made whole: parts cost their readers more than a copy.
_ROWS_OF_PART = 100


def _tables(replies: list[Reply | None], names: Iterable[str]) -> dict[str, pyarrow.Table]:
    import pyarrow
    found = {}
    for name in names:
        schema = pyarrow.RecordBatchReader.from_stream(kinu.tables([], name)).schema
        parts = [pyarrow.ipc.open_stream(reply.tables[name]).read_all() for reply in replies
                 if reply is not None and name in reply.tables]
        table = pyarrow.concat_tables([pyarrow.Table.from_batches([], schema), *parts])
        found[name] = table if table.num_rows > _ROWS_OF_PART * len(parts) else table.combine_chunks()
    return found


# --- Planning ---


def plan(directories: Iterable[kinu.Path], *, program: str | None = None, arguments: Sequence[str] = (),
         init: str = "needed", init_arguments: Sequence[str] = (), mirror: kinu.Path | None = None,
         environment: Mapping[str, str] | None = None, timeout: float | None = None, lock: bool = False,
         tables: Sequence[str] = ("changes",), show_sensitive: bool = False,
         drift_rules: Sequence[kinu.Path] | None = None, workers: int | None = None, attempts: int = 3,
         spark: SparkSession | None = None, directories_per_task: int = 1,
         progress: Callable[[dict[str, Any]], None] | None = None) -> Plans:
    """Plans directories. Each one has exactly one row in the result, whatever happens to the process that plans it.

    An interrupt ends the plans and is raised as Interrupted, which has the results so far.

    A directory is a path, or PLACE//DIRECTORY where PLACE is an archive or a URI (s3://…): a copy is planned.

    program         kinu (or tofu); by default what is installed
    arguments       more arguments of the command plan: ["-refresh-only"], ["-var=region=eu"]
    init            "needed": where a plan asks for it; "always"; "never"
    init_arguments  more arguments of the command init: ["-backend-config=…"]
    mirror          a directory or URL (https://) from which alone providers are installed
    environment     settings for the programs, such as TF_VAR_…; on Spark they are part of the job. Credentials belong
                    into the environment of this process or, on Spark, of the executors
    timeout         seconds for a directory
    lock            whether plans lock the state
    tables          the tables of the plans that are wanted (see kinu.table_schemas()); "changes" always is
    drift_rules     files with rules for drift that does not count (`kinu drift`); an empty list: those of each
                    directory; None: all drift counts. The program must be kinu. Wrong rules are a failed plan
    workers         processes, by default one a processor
    attempts        how often a directory is tried whose worker or program is killed
    spark           a session: each directory is a task there. Spark tries the tasks of lost workers again
    directories_per_task  at most so many; more than one saves what a task of Spark costs. A task that is tried again
                    goes on behind the directories that it had planned, on the same machine; on another one it plans
                    them all
    progress        called with the row of each directory when it is ready, as a dictionary (on Spark: at the end)
    """
    # It is imported while the first directories are planned.
    if importlib.util.find_spec("pyarrow") is None:
        raise ModuleNotFoundError("No module named 'pyarrow'", name="pyarrow")
    wanted = list(dict.fromkeys(["changes", *tables]))
    unknown = set(wanted) - {each["name"] for each in kinu.table_schemas()}
    if unknown or init not in ("needed", "always", "never"):
        raise ValueError("there is no table %r" % unknown.pop() if unknown else "init is needed, always or never")
    if timeout is not None and timeout <= 0:
        raise ValueError("timeout is a number of seconds")
    if directories_per_task < 1:
        raise ValueError("directories_per_task is at least 1")
    given = _distinct(directories)
    options = Options(_program(program, spark is not None), list(arguments), init, list(init_arguments),
                      _mirror(mirror), dict(environment or {}), timeout, lock, wanted, show_sensitive,
                      _texts(drift_rules))
    if spark is not None:
        from kinu._tasks import plan_on_spark
        answers = plan_on_spark(spark, given, options, max(1, attempts), directories_per_task)
    else:
        answers = _locally(given, options, workers or cores(), max(1, attempts))
    replies: list[Reply | None] = [None] * len(given)
    rows = [_row(_no_plan(directory, "interrupted", []), 0) for directory in given]
    interrupt = None
    try:
        with contextlib.closing(answers):
            for answer in answers:
                report = _lost(given[answer.index], answer) if answer.reply is None else answer.reply.report
                replies[answer.index] = answer.reply
                rows[answer.index] = _row(report, answer.attempts)
                if progress is not None:
                    progress(rows[answer.index])
    except KeyboardInterrupt as problem:
        interrupt = problem
    import pyarrow
    plans = Plans(_directories(rows), _tables(replies, wanted))
    if interrupt is not None:
        raise Interrupted(plans) from interrupt
    return plans


def _program(given: str | None, is_elsewhere: bool) -> str:
    if given is not None:
        return os.path.abspath(given) if os.sep in given else given
    if is_elsewhere:
        return "kinu"
    # A wheel with the program puts it beside Python, which need not be in PATH.
    found = shutil.which("kinu") or shutil.which("tofu") or shutil.which("kinu", path=sysconfig.get_path("scripts"))
    if found is None:
        raise FileNotFoundError("there is no program kinu; its place is the argument `program`")
    return os.path.abspath(found)


def _mirror(given: kinu.Path | None) -> str | None:
    if given is None or "://" in os.fspath(given):
        return given if given is None else os.fspath(given)
    return os.path.abspath(given)


def _texts(files: Sequence[kinu.Path] | None) -> list[tuple[str, str]] | None:
    """The names and texts of files: workers of Spark may be on machines that do not have them."""
    if files is None:
        return None
    return [(os.path.basename(path), pathlib.Path(path).read_text(encoding="utf-8")) for path in files]


def _locally(directories: list[str], options: Options, workers: int, attempts: int) -> Generator[Answer, None, None]:
    with tempfile.TemporaryDirectory(prefix="fleet-", ignore_cleanup_errors=True) as scratch:
        options = replace(options, scratch=scratch)
        pool = Pool("kinu._planning", workers, attempts, options.timeout)
        requests = [options.request(directory) for directory in directories]
        with contextlib.closing(pool.run(requests, _load_arrow)) as answers:
            for answer in answers:
                if answer.reply is not None:
                    answer.reply = counted(answer.reply)
                yield answer


def _load_arrow() -> None:
    """Imports pyarrow, which takes longer than many plans."""
    import pyarrow  # noqa: F401
