"""Plans directories in tasks of Spark.

A task that Spark tries again finds what an earlier try on the same machine has planned, so that only the directory at
which it ended is planned a second time. Spark itself takes the rows of one try of a task alone.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import tempfile
import uuid
from collections.abc import Generator, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import IO, TYPE_CHECKING, NamedTuple

from kinu import sources
from kinu._planning import Options, name_of, plan_directory
from kinu._pool import Answer, Reply, share

if TYPE_CHECKING:
    import pyarrow
    from pyspark.sql import DataFrame, SparkSession


def folder_of(job: str) -> str:
    return os.path.join(tempfile.gettempdir(), "kinu-fleet-" + job)


def tasks_at_once(spark: SparkSession) -> tuple[int, int]:
    """How many tasks an executor and the whole session have at a time; 0 where the session does not say it."""
    try:
        context = spark.sparkContext
    except Exception:  # a session of Spark Connect has none
        return 0, 0
    configuration = context.getConf()
    cores = configuration.get("spark.executor.cores")
    if cores is None and (context.master or "").startswith("local"):
        cores = str(context.defaultParallelism)
    each = int(configuration.get("spark.task.cpus") or 1)
    return int(cores or 0) // each, context.defaultParallelism // each


def task_ranges(count: int, largest: int, at_once: int) -> Iterator[tuple[int, int]]:
    """The ranges [first, end) of tasks in a list of `count` directories. A task has at most `largest`; the last ones have
    fewer, so that the `at_once` that run together (0: not known) end at about the same time."""
    smallest = -(-largest // 16)
    first = 0
    while first < count:
        rest = count - first
        size = min(rest, max(smallest, min(largest, rest // (2 * at_once) if at_once else largest)))
        yield first, first + size
        first += size


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


class Packed(NamedTuple):
    """The answer of a task about a directory. Its reply is compressed, for it passes through several processes."""

    #: The directory's place in the list of all of them.
    number: int
    #: How often the directory was tried.
    attempts: int
    #: Bytes of the reply before it was compressed.
    size: int
    reply: bytes

    @classmethod
    def of(cls, number: int, attempts: int, reply: Reply) -> Packed:
        import pyarrow
        data = reply.to_bytes()
        return cls(number, attempts, len(data), pyarrow.compress(data, _CODEC, asbytes=True))

    def answer(self) -> Answer:
        import pyarrow
        data = pyarrow.decompress(self.reply, self.size, _CODEC)
        return Answer(self.number, Reply.of(memoryview(data)), self.attempts)


_CODEC = "zstd"
#: The columns of answers in Spark.
_COLUMNS = "number bigint, attempts bigint, size bigint, reply binary"
#: A task passes its answers on when it has so many bytes of them: each time costs as much as a part of a small plan.
_MOST_BYTES = 1 << 20


def _rows(answers: list[Packed]) -> pyarrow.RecordBatch:
    import pyarrow
    *counts, replies = zip(*answers)
    columns = [*(pyarrow.array(each, pyarrow.int64()) for each in counts), pyarrow.array(replies, pyarrow.binary())]
    return pyarrow.RecordBatch.from_arrays(columns, list(Packed._fields))


class Kept:
    """The answers of a task while it runs, in files of this machine which only its user reads: one for each try."""

    def __init__(self, job: str, task: int):
        self._folder = os.path.join(folder_of(job), str(task))
        self._file: IO[bytes] | None = None
        self._is_full = False

    def read(self) -> dict[int, Packed]:
        """What earlier tries have answered, by the numbers of the directories."""
        answers: dict[int, Packed] = {}
        with contextlib.suppress(OSError):  # there was none
            for name in os.listdir(self._folder):
                with open(os.path.join(self._folder, name), "rb") as file:
                    answers.update((answer.number, answer) for answer in _answers_in(file))
        return answers

    def write(self, answer: Packed) -> None:
        """Keeps an answer. Without room on the disk this one and those that follow are not kept: their directories are
        planned again after a death."""
        if self._is_full:
            return
        try:
            if self._file is None:
                for folder in (os.path.dirname(self._folder), self._folder):
                    os.makedirs(folder, mode=0o700, exist_ok=True)
                self._file = tempfile.NamedTemporaryFile("wb", dir=self._folder, buffering=0, delete=False)
            record = b"%d %d %d %d\n" % (*answer[:3], len(answer.reply)) + answer.reply
            self._is_full = self._file.write(record) != len(record)
        except OSError:
            self._is_full = True

    def forget(self) -> None:
        if self._file is not None:
            self._file.close()
        shutil.rmtree(self._folder, ignore_errors=True)
        with contextlib.suppress(OSError):  # other tasks have answers there
            os.rmdir(os.path.dirname(self._folder))


def _answers_in(file: IO[bytes]) -> Iterator[Packed]:
    """The answers in a file, up to one that was not written to its end."""
    with contextlib.suppress(ValueError):
        while line := file.readline():
            number, attempts, size, length = map(int, line.split())
            reply = file.read(length)
            if len(reply) == length:
                yield Packed(number, attempts, size, reply)


def _planned(number: int, name: str, directory: str, options: Options, attempts: int) -> Packed:
    for attempt in range(1, attempts + 1):
        reply = plan_directory(directory, name, options)
        if not reply.was_killed:
            break
    return Packed.of(number, attempt, reply)


def _collect(frame: DataFrame) -> Iterator[tuple[int, int, int, bytes]]:
    """The rows of a data frame of answers."""
    if hasattr(frame, "toArrow"):  # from Spark 4 on; Python need not unpickle the rows
        for batch in frame.toArrow().to_batches():
            yield from zip(*(column.to_pylist() for column in batch.columns))
    else:
        yield from frame.collect()


def plan_task(task: int, first: int, names: list[str], directories: list[str], options: Options, attempts: int,
              job: str) -> Iterator[pyarrow.RecordBatch]:
    """An answer for each directory of a task; their numbers begin with `first`."""
    kept = Kept(job, task)
    before = kept.read()
    ready: list[Packed] = []
    size = 0
    for number, (name, directory) in enumerate(zip(names, directories), first):
        answer = before.get(number)
        if answer is None:
            answer = _planned(number, name, directory, options, attempts)
            if len(directories) > 1:
                kept.write(answer)
        ready.append(answer)
        size += len(answer.reply)
        if size >= _MOST_BYTES:
            yield _rows(ready)
            ready, size = [], 0
    if ready:
        yield _rows(ready)
    kept.forget()


def plan_on_spark(spark: SparkSession, directories: list[str], options: Options, attempts: int,
                  directories_per_task: int) -> Generator[Answer, None, None]:
    from kinu.spark import end_task
    options = replace(options, own_group=True)
    job = uuid.uuid4().hex
    of_executor, of_session = tasks_at_once(spark)
    names = [name_of(path) for path in directories]
    paths = [path if sources.is_uri(path) else os.path.abspath(path) for path in directories]
    tasks = list(task_ranges(len(directories), directories_per_task, of_session))

    # The function has all directories; a table of them would take two more jobs of Spark to distribute.
    def plan_part(parts: Iterable[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        try:
            with own_processors(of_executor):
                for part in parts:
                    for task in part.column(0).to_pylist():
                        first, end = tasks[task]
                        yield from plan_task(task, first, names[first:end], paths[first:end], options, attempts, job)
        finally:
            end_task()

    frame = spark.range(0, len(tasks), 1, max(1, len(tasks)))
    try:
        answers = list(_collect(frame.mapInArrow(plan_part, _COLUMNS)))
    finally:
        shutil.rmtree(folder_of(job), ignore_errors=True)  # on this machine, where a job has failed
    with ThreadPoolExecutor() as threads:
        yield from threads.map(lambda answer: Packed(*answer).answer(), answers)
