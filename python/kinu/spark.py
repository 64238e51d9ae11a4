"""Tables of plans and states in Spark: each task reads its files, in constant memory.

    spark = SparkSession.builder.getOrCreate()
    kinu.spark.read(spark, ["s3://bucket/states/"], "resources").createOrReplaceTempView("resources")

The package must be installed where the tasks run (PYSPARK_PYTHON), and local paths must be there too. Credentials of
stores are those of the environment of the tasks.
"""

from __future__ import annotations

import contextlib
import functools
import gc
import os
import socket
import sys
import zipimport
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

import kinu
from kinu.sources import Source, SourceTable, find

if TYPE_CHECKING:
    import pyarrow
    from pyspark.sql import DataFrame, SparkSession

_TYPES = {"text": "string", "integer": "bigint", "number": "double", "boolean": "boolean"}

#: At most so many tasks, unless `partitions` says how many.
_TASKS = 10_000
#: So many sources a task, where there are more of them than cores.
_SHARE = 64


def schema(table: str) -> str:
    """The columns of a table in Spark's words (`source string, serial bigint, …`)."""
    columns = next((each["columns"] for each in kinu.table_schemas() if each["name"] == table), None)
    if columns is None:
        raise ValueError("there is no table %r" % table)
    return ", ".join("`%s` %s" % (column["name"], _TYPES[column["type"]]) for column in columns)


def batches(sources: list[Source], table: str, show_sensitive: bool) -> Iterator[pyarrow.RecordBatch]:
    """The rows of sources, batch by batch."""
    import pyarrow
    yield from pyarrow.RecordBatchReader.from_stream(SourceTable(sources, table, show_sensitive))


def end_task() -> None:
    """Saves what Spark lets Python do between two tasks of a worker, which takes longer than a small plan.

    Python looks for changes of its path, for which it reads the index of each archive that it imported from. An archive
    that is forgotten here is found again when it is needed. And it searches all its objects for garbage: those of imported
    modules are no garbage, and are not searched any more.

    Spark sends a task in two parts, the second of them when the first is acknowledged."""
    for path, finder in list(sys.path_importer_cache.items()):
        if isinstance(finder, zipimport.zipimporter):
            sys.path_importer_cache.pop(path, None)
    _keep_objects()
    _acknowledge_at_once()


def _acknowledge_at_once() -> None:
    """Lets the system acknowledge what arrives on the connections of this process. By default it waits 40 ms for an answer
    that could take the acknowledgement along."""
    # A default timeout would be set on each connection.
    if not hasattr(socket, "TCP_QUICKACK") or socket.getdefaulttimeout() is not None:
        return
    folder = "/proc/self/fd"
    for number in map(int, os.listdir(folder) if os.path.isdir(folder) else []):
        with contextlib.suppress(OSError):  # no connection, or the folder just listed
            connection = socket.socket(fileno=number)
            try:
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_QUICKACK, 1)
            finally:
                connection.detach()


@functools.cache
def _keep_objects() -> None:
    """Keeps what there is for good, once in the life of a worker."""
    gc.collect()
    gc.freeze()


def _reader(table: str, show_sensitive: bool) -> Callable[[Iterable[Any]], Iterator[Any]]:
    def read_part(parts: Iterable[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        try:
            for part in parts:
                columns = part.to_pydict()
                for paths, found in zip(columns["paths"], columns["found"]):
                    sources = [Source(path, found) for path in paths]
                    yield from batches(sources, table, show_sensitive)
        finally:
            end_task()
    return read_part


def read(spark: SparkSession, paths: Iterable[kinu.Path] | kinu.Path, table: str = "resources",
         show_sensitive: bool = False, partitions: int | None = None) -> DataFrame:
    """A table (see kinu.table_schemas()) of files, directories, archives and URIs as a data frame.

    Directories are listed here; `partitions` tasks read the files. A file that cannot be read is a row of the table
    "problems", and the other files are read. As all data frames, it is read anew by each action unless it is cached.
    """
    columns = schema(table)
    sources = find(paths)
    tasks = partitions or _tasks(spark, len(sources))
    rows = [([source.path for source in part], part[0].found) for part in _parts(sources, tasks)]
    return one_a_task(spark, rows, "paths array<string>, found boolean").mapInArrow(
        _reader(table, show_sensitive), columns)


def _parts(sources: list[Source], tasks: int) -> list[list[Source]]:
    """So many lists of neighbours, and one more where those begin that were found in stores."""
    step = -(-len(sources) // tasks) or 1
    groups = ([source for source in sources if source.found is found] for found in (False, True))
    return [group[at:at + step] for group in groups for at in range(0, len(group), step)]


def _tasks(spark: SparkSession, sources: int) -> int:
    cores = spark.sparkContext.defaultParallelism
    return max(1, min(sources, max(2 * cores, -(-sources // _SHARE)), _TASKS))


def one_a_task(spark: SparkSession, rows: list[tuple[Any, ...]], columns: str) -> DataFrame:
    """A data frame with a partition for each row; a partition is a task. The rows need no Python to be read."""
    numbered = [(index, *row) for index, row in enumerate(rows)]
    frame = spark.createDataFrame(numbered, "index bigint, " + columns)
    return frame.repartitionByRange(max(1, len(rows)), "index")
