"""Writes a table of plans and states as Parquet.

    python -m kinu export --table=resources OUT SOURCE...

SOURCE is a file, a directory, an archive (.zip, .tar, .tar.gz, .tgz) or a URI of an object store (s3://, gs://,
abfs://, hdfs://). OUT is a directory: one file for each part of the work.
"""

from __future__ import annotations

import argparse
import os
import sys
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import kinu

#: Opens documents: pairs of a name and a text, or of a name and None where there is none to be had.
Part = Callable[[], Iterator[tuple[str, "bytes | None"]]]


def _zip(path: str) -> Iterator[tuple[str, bytes | None]]:
    with zipfile.ZipFile(path) as archive:
        for member in archive.infolist():
            if not member.is_dir():
                text = archive.read(member)
                if kinu.is_document(member.filename, text[:4096]):
                    yield "%s!%s" % (path, member.filename), text


def _tar(path: str) -> Iterator[tuple[str, bytes | None]]:
    with tarfile.open(path) as archive:
        for member in archive:
            file = archive.extractfile(member) if member.isfile() else None
            if file is not None:
                text = file.read()
                if kinu.is_document(member.name, text[:4096]):
                    yield "%s!%s" % (path, member.name), text


def _store(uri: str) -> Iterator[tuple[str, bytes | None]]:
    from pyarrow import fs
    system, path = fs.FileSystem.from_uri(uri)
    if system.get_file_info(path).type == fs.FileType.Directory:
        files = sorted(info.path for info in system.get_file_info(fs.FileSelector(path, recursive=True))
                       if info.type == fs.FileType.File)
    else:
        files = [path]
    for file in files:
        try:
            text = system.open_input_stream(file).read()
        except OSError:
            yield file, None
            continue
        if len(files) == 1 or kinu.is_document(file, text[:4096]):
            yield file, text


def _guarded(name: str, open_part: Part) -> Iterator[tuple[str, bytes | None]]:
    """The documents of a part; one that is damaged ends with a row of problems."""
    try:
        yield from open_part()
    except (OSError, tarfile.TarError, zipfile.BadZipFile):
        yield name, None


def _documents(source: str) -> Iterator[tuple[str, bytes | None]]:
    if "://" in source:
        return _guarded(source, lambda: _store(source))
    if source.endswith(".zip"):
        return _guarded(source, lambda: _zip(source))
    return _guarded(source, lambda: _tar(source))


def _is_plain(source: str) -> bool:
    return "://" not in source and not source.endswith((".zip", ".tar", ".tar.gz", ".tgz"))


class _Stream:
    """Documents of one source as a table."""

    def __init__(self, source: str, table: str, show_sensitive: bool):
        self._arguments = table, _documents(source), show_sensitive

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return kinu._kinu.table_of_documents(*self._arguments)


def _write(table: object, path: str) -> int:
    import pyarrow
    from pyarrow import parquet
    reader = pyarrow.RecordBatchReader.from_stream(table)
    rows = 0
    with parquet.ParquetWriter(path, reader.schema, compression="zstd") as writer:
        for batch in reader:
            writer.write_batch(batch)
            rows += batch.num_rows
    return rows


def export(out: str, sources: list[str], table: str = "resources", show_sensitive: bool = False,
           workers: int | None = None) -> int:
    """Writes the table as Parquet files in the directory `out`. Returns the number of rows."""
    workers = workers or len(os.sched_getaffinity(0))
    os.makedirs(out, exist_ok=True)
    files = [file for source in sources if _is_plain(source) for file in kinu._files(source)]
    step = max(1, -(-len(files) // workers))
    parts: list[object] = [kinu.Table(table, files[at:at + step], show_sensitive)
                           for at in range(0, len(files), step)]
    parts += [_Stream(source, table, show_sensitive) for source in sources if not _is_plain(source)]
    with ThreadPoolExecutor(workers) as pool:
        return sum(pool.map(_write, parts, [os.path.join(out, "part-%05d.parquet" % i) for i in range(len(parts))]))


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m kinu", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    command = commands.add_parser("export", help="write a table as Parquet")
    command.add_argument("--table", default="resources", choices=[t["name"] for t in kinu.table_schemas()])
    command.add_argument("--to", default="parquet", choices=["parquet"])
    command.add_argument("--show-sensitive", action="store_true")
    command.add_argument("--workers", type=int)
    command.add_argument("out")
    command.add_argument("sources", nargs="+")
    given = parser.parse_args()
    try:
        rows = export(given.out, given.sources, given.table, given.show_sensitive, given.workers)
    except ImportError:
        print("This command needs pyarrow: pip install kinu[arrow]", file=sys.stderr)
        return 1
    print("%d rows" % rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
