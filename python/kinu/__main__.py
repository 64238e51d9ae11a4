"""Tables of plans and states as Parquet.

    python -m kinu export --table=resources OUT SOURCE...

writes a table. SOURCE is a file, a directory, an archive (.zip, .tar, .tar.gz, .tgz) or a URI of an object store
(s3://, gs://, abfs://, hdfs://). OUT is a directory or such a URI: one file for each part of the work.

    python -m kinu fleet OUT DIRECTORY...

plans directories and writes OUT/directories.parquet and OUT/changes.parquet.
"""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import importlib.metadata
import os
import re
import sys
import threading
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import kinu
from kinu import fleet
from kinu.sources import SourceTable, file_system, find, is_uri, split


#: Columns whose values are too different for a dictionary or statistics to pay.
_DISTINCT = ("id", "values", "before", "after")

#: Columns with few values or long runs, of which dictionaries leave a few bytes: to compress them takes as long as
#: thousands of bytes of others.
_FEW = ("source", "lineage", "serial", "terraform_version", "module", "mode", "type", "provider", "schema_version",
        "tainted", "deposed", "drift")

#: Of pages in bytes. The default takes 25 MB more memory and 2 % more CPU, and makes no smaller files.
_PAGE = 1 << 16


def _write(table: object, path: str, system: Any, ended: threading.Event) -> int:
    import pyarrow
    from pyarrow import parquet
    reader = pyarrow.RecordBatchReader.from_stream(table)
    rows = 0
    repeated = [name for name in reader.schema.names if name not in _DISTINCT]
    compression = {name: "none" if name in _FEW else "zstd" for name in reader.schema.names}
    with parquet.ParquetWriter(path, reader.schema, filesystem=system, compression=compression,
                               use_dictionary=repeated, write_statistics=repeated, data_page_size=_PAGE) as writer:
        for batch in reader:
            if ended.is_set():
                break
            writer.write_batch(batch)
            rows += batch.num_rows
            del batch  # before the next one is made
    return rows


def _names(system: Any, directory: str) -> list[str]:
    """The names of what is in a directory."""
    from pyarrow import fs
    return [info.base_name for info in system.get_file_info(fs.FileSelector(directory, allow_not_found=True))]


def export(out: str, sources: Sequence[kinu.Path], table: str = "resources", show_sensitive: bool = False,
           workers: int | None = None) -> int:
    """Writes the table as Parquet files in the directory `out`, in place of earlier ones, which stay until all is
    written. `out` may be a URI of an object store. Returns the number of rows."""
    from pyarrow import fs
    workers = workers or fleet.cores()
    system, folder = file_system(out) if is_uri(out) else (fs.LocalFileSystem(), os.path.abspath(out))
    system.create_dir(folder)
    parts = [SourceTable(part, table, show_sensitive) for part in split(find(sources), workers) or [[]]]
    names = ["part-%05d.parquet" % i for i in range(len(parts))]
    # Those who read the directory leave out what begins with a dot.
    new = [".%s.%d" % (name, os.getpid()) for name in names]
    ended = threading.Event()
    try:
        with ThreadPoolExecutor(workers) as pool:
            try:
                rows = sum(pool.map(lambda part, name: _write(part, folder + "/" + name, system, ended), parts, new))
            finally:
                ended.set()  # the others need not go on after an error or an interrupt
        for name in _names(system, folder):
            if re.fullmatch(r"part-\d+\.parquet", name) and name not in names:
                system.delete_file(folder + "/" + name)
        for written, name in zip(new, names):
            system.move(folder + "/" + written, folder + "/" + name)
    finally:
        for name in set(_names(system, folder)).intersection(new):
            system.delete_file(folder + "/" + name)
    return rows


#: Settings of mallopt() of the GNU C library: from how many bytes at the end of the heap on it gives them back, and
#: from how many bytes on something has pages of its own.
_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3


def _keep_memory() -> None:
    """Lets malloc keep what is freed, some megabytes for each document, which the system would have to clear again."""
    with contextlib.suppress(AttributeError, OSError):  # another library
        library = ctypes.CDLL(None)
        library.mallopt(_M_TRIM_THRESHOLD, 32 << 20)
        library.mallopt(_M_MMAP_THRESHOLD, 32 << 20)


def _leave_out_numpy() -> None:
    """Lets pyarrow not load numpy, which takes longer than an export of some files."""
    # For the versions that need it: its threads for matrices would wait busily for work that never comes.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    with contextlib.suppress(importlib.metadata.PackageNotFoundError, ValueError):
        if int(importlib.metadata.version("pyarrow").partition(".")[0]) >= 18:
            sys.modules.setdefault("numpy", None)  # type: ignore[arg-type]


def _export(given: argparse.Namespace) -> int:
    _keep_memory()
    _leave_out_numpy()
    import pyarrow
    # Other allocators keep a third more memory over thousands of batches.
    pyarrow.set_memory_pool(pyarrow.system_memory_pool())
    print("%d rows" % export(given.out, given.sources, given.table, given.show_sensitive, given.workers))
    return 0


def _fleet(given: argparse.Namespace) -> int:
    directories = given.directories
    if given.find:
        directories = [path for root in directories for path in fleet.find(root)]
    ready = 0

    def show(row: dict[str, Any]) -> None:
        nonlocal ready
        ready += 1
        took = "" if row["seconds"] is None else " in %.1f s" % row["seconds"]
        print("[%d/%d] %s: %s%s" % (ready, len(directories), row["directory"], row["status"], took), file=sys.stderr)

    try:
        plans = fleet.plan(
            directories, program=given.program, arguments=given.argument, init=given.init,
            init_arguments=given.init_argument, mirror=given.mirror, timeout=given.timeout, lock=given.lock,
            tables=given.table, show_sensitive=given.show_sensitive,
            drift_rules=given.drift_ignore if given.drift_ignore or given.drift_rules else None,
            workers=given.workers, attempts=given.attempts, progress=None if given.quiet else show)
    except (OSError, ValueError) as problem:
        print(problem, file=sys.stderr)
        return 2
    except fleet.Interrupted as interrupt:
        _report(interrupt.plans, given.out)
        return 130
    _report(plans, given.out)
    return 0 if plans.is_complete else 1


def _report(plans: fleet.Plans, out: str) -> None:
    """Writes what a fleet found and prints its numbers."""
    plans.write(out)
    rows = plans.directories.select(["status", "changes", "drift", "drift_ignored"]).to_pylist()
    counts = Counter(row["status"] for row in rows)
    print("%d directories: %s" % (len(rows), ", ".join("%d %s" % (counts[name], name) for name in sorted(counts))))
    changes, drift, ignored = (sum(row[name] or 0 for row in rows) for name in ("changes", "drift", "drift_ignored"))
    print("%d changes, %d drifted%s" % (changes, drift, ", %d of no account" % ignored if ignored else ""))


def _parser() -> argparse.ArgumentParser:
    tables = [table["name"] for table in kinu.table_schemas()]
    parser = argparse.ArgumentParser(prog="python -m kinu", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    command = commands.add_parser("export", help="write a table as Parquet")
    command.set_defaults(run=_export)
    command.add_argument("--table", default="resources", choices=tables)
    command.add_argument("--to", default="parquet", choices=["parquet"])
    command.add_argument("out")
    command.add_argument("sources", nargs="+")
    _add_common(command)
    command = commands.add_parser("fleet", help="plan directories and write their changes as Parquet")
    command.set_defaults(run=_fleet)
    command.add_argument("--find", action="store_true", help="plan the root modules below the directories")
    command.add_argument("--program", help="kinu (or tofu); by default what is installed")
    command.add_argument("--argument", action="append", default=[],
                         help="an argument of plan, --argument=-refresh-only")
    command.add_argument("--init", default="needed", choices=["needed", "always", "never"])
    command.add_argument("--init-argument", action="append", default=[], help="an argument of init")
    command.add_argument("--mirror", help="the directory or URL from which providers are installed")
    command.add_argument("--timeout", type=float, help="seconds for a directory")
    command.add_argument("--lock", action="store_true", help="lock the states")
    command.add_argument("--table", action="append", default=[], choices=tables, help="a table beside changes")
    command.add_argument("--drift-rules", action="store_true",
                         help="count drift by the rules of each directory (*.kinudrift.hcl)")
    command.add_argument("--drift-ignore", action="append", default=[], metavar="FILE",
                         help="count drift by the rules of this file")
    command.add_argument("--attempts", type=int, default=3, help="tries of a directory whose worker dies")
    command.add_argument("--quiet", action="store_true", help="no line for each directory")
    command.add_argument("out")
    command.add_argument("directories", nargs="+")
    _add_common(command)
    return parser


def _add_common(command: argparse.ArgumentParser) -> None:
    command.add_argument("--show-sensitive", action="store_true", help="write sensitive values, too")
    command.add_argument("--workers", type=int, help="by default one a processor")


def main() -> int:
    given = _parser().parse_args()
    try:
        return given.run(given)
    except KeyboardInterrupt:
        return 130
    except ModuleNotFoundError as problem:
        if not (problem.name or "").startswith("pyarrow"):
            raise
        print("This command needs pyarrow: pip install kinu[arrow]", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
