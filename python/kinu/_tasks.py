"""Plans directories in tasks of Spark.

A task that Spark tries again finds what an earlier try on the same machine has planned, so that only the directory at
which it ended is planned a second time. Spark itself takes the rows of one try of a task alone.
"""

from __future__ import annotations

import contextlib
import fcntl
import io
import os
import shutil
import tempfile
import uuid
from collections.abc import Generator, Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from kinu import sources
from kinu._planning import Options, name_of, plan_directory
from kinu._pool import Answer, Reply, share

if TYPE_CHECKING:
    import pyarrow
    from pyspark.sql import DataFrame, SparkSession


def folder_of(job: str) -> str:
    return os.path.join(tempfile.gettempdir(), "kinu-fleet-" + job)


def tasks_at_once(spark: SparkSession) -> int:
    """How many tasks an executor has at a time; 0 where the session does not say it."""
    try:
        context = spark.sparkContext
    except Exception:  # a session of Spark Connect has none
        return 0
    configuration = context.getConf()
    cores = configuration.get("spark.executor.cores")
    if cores is None and (context.master or "").startswith("local"):
        cores = str(context.defaultParallelism)
    return int(cores or 0) // int(configuration.get("spark.task.cpus") or 1)


def processors_folder() -> str:
    return os.path.join(tempfile.gettempdir(), "kinu-processors-%d" % os.getuid())


@contextlib.contextmanager
def own_processors(tasks: int) -> Iterator[None]:
    """Gives a task, and what it starts, its share of the processors of an executor that has so many tasks at a time.

    A task does not know its slot: it takes a number that no other task of its user on this machine has. The system frees
    the number of a task that is killed."""
    with contextlib.ExitStack() as held:
        with contextlib.suppress(AttributeError, OSError):  # another system than Linux, or no place for files
            os.makedirs(processors_folder(), mode=0o700, exist_ok=True)
            processors = os.sched_getaffinity(0)
            for index in range(tasks):
                number = os.open(os.path.join(processors_folder(), str(index)), os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW,
                                 0o600)
                file = held.enter_context(open(number, "w"))
                try:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    continue
                held.callback(os.sched_setaffinity, 0, processors)
                os.sched_setaffinity(0, share(index, tasks, processors))
                break
        yield


class Kept:
    """The answers of a task while it runs, in files of this machine which only its user reads."""

    def __init__(self, job: str, task: int):
        self._folder = os.path.join(folder_of(job), str(task))

    def read(self, index: int) -> tuple[int, Reply] | None:
        """How often a directory was tried, and its reply, where there is one."""
        try:
            with open(self._file(index), "rb") as file:
                attempt = int(file.readline())
                reply = Reply.read(file)
        except (OSError, ValueError):
            return None
        return None if reply is None else (attempt, reply)

    def write(self, index: int, attempt: int, reply: Reply) -> None:
        # Without room on the disk the directory is planned again after a death.
        with contextlib.suppress(OSError):
            for folder in (os.path.dirname(self._folder), self._folder):
                os.makedirs(folder, mode=0o700, exist_ok=True)
            with tempfile.NamedTemporaryFile("wb", dir=self._folder, delete=False) as file:
                file.write(b"%d\n" % attempt)
                reply.write(file)
            os.replace(file.name, self._file(index))

    def forget(self) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)
        with contextlib.suppress(OSError):  # other tasks have answers there
            os.rmdir(os.path.dirname(self._folder))

    def _file(self, index: int) -> str:
        return os.path.join(self._folder, "%d.reply" % index)


def _planned(name: str, directory: str, options: Options, attempts: int) -> tuple[int, Reply]:
    for attempt in range(1, attempts + 1):
        reply = plan_directory(directory, name, options)
        if not reply.was_killed:
            break
    return attempt, reply


#: The columns of an answer in Spark; a reply is compressed, for it passes through several processes.
_COLUMNS = "index bigint, attempts bigint, size bigint, reply binary"


def _row(index: int, attempt: int, reply: Reply) -> pyarrow.RecordBatch:
    import pyarrow
    data = reply.to_bytes()
    columns = [*(pyarrow.array([number], pyarrow.int64()) for number in (index, attempt, len(data))),
               pyarrow.array([pyarrow.compress(data, "zstd", asbytes=True)], pyarrow.binary())]
    return pyarrow.RecordBatch.from_arrays(columns, ["index", "attempts", "size", "reply"])


def _answer(index: int, attempts: int, size: int, reply: bytes) -> Answer:
    import pyarrow
    return Answer(index, Reply.read(io.BytesIO(pyarrow.decompress(reply, size, "zstd", asbytes=True))), attempts)


def _collect(frame: DataFrame) -> Iterator[tuple[int, int, int, bytes]]:
    """The rows of a data frame of answers."""
    if hasattr(frame, "toArrow"):  # from Spark 4 on; Python need not unpickle the rows
        for batch in frame.toArrow().to_batches():
            yield from zip(*(column.to_pylist() for column in batch.columns))
    else:
        yield from frame.collect()


def plan_task(task: int, first: int, names: list[str], directories: list[str], options: Options, attempts: int,
              job: str) -> Iterator[pyarrow.RecordBatch]:
    """A row for each directory of a task: its number, from `first`, how often it was tried, and its reply."""
    kept = Kept(job, task)
    for index, (name, directory) in enumerate(zip(names, directories), first):
        answer = kept.read(index)
        if answer is None:
            answer = _planned(name, directory, options, attempts)
            if len(directories) > 1:
                kept.write(index, *answer)
        yield _row(index, *answer)
    kept.forget()


def plan_on_spark(spark: SparkSession, directories: list[str], options: Options, attempts: int,
                  directories_per_task: int) -> Generator[Answer, None, None]:
    from kinu.spark import end_task, one_a_task
    options = replace(options, own_group=True)
    job = uuid.uuid4().hex
    at_once = tasks_at_once(spark)

    def plan_part(parts: Iterable[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        try:
            with own_processors(at_once):
                for part in parts:
                    for task, first, names, given in zip(*(column.to_pylist() for column in part.columns)):
                        yield from plan_task(task, first, names, given, options, attempts, job)
        finally:
            end_task()

    rows = []
    for first in range(0, len(directories), directories_per_task):
        given = directories[first:first + directories_per_task]
        rows.append((first, [name_of(path) for path in given],
                     [path if sources.is_uri(path) else os.path.abspath(path) for path in given]))
    frame = one_a_task(spark, rows, "first bigint, names array<string>, directories array<string>")
    try:
        answers = list(_collect(frame.mapInArrow(plan_part, _COLUMNS)))
    finally:
        shutil.rmtree(folder_of(job), ignore_errors=True)  # on this machine, where a job has failed
    for answer in answers:
        yield _answer(*answer)
