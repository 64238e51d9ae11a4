"""Processes that answer requests, of which any may be killed: each request is answered exactly once.

A worker has one request at a time. It leads a group of processes, which is killed with it, so that nothing that it
started is still at work when its request is tried again.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Collection, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import IO, Any

#: A worker that has not answered so long after the time of a request is killed.
_GRACE = 30.0
#: The tables of replies begin at multiples of so many bytes, as Arrow wants the numbers in them.
_ALIGNED = 64


@dataclass
class Reply:
    """What a worker found: a report, and tables as streams of Arrow IPC."""

    report: dict[str, Any]
    tables: Mapping[str, bytes | memoryview] = field(default_factory=dict)
    #: The worker ends after this reply.
    is_last: bool = False
    #: What the worker had started was killed: the request is tried again.
    was_killed: bool = False

    def to_bytes(self) -> bytes:
        sizes = {name: len(table) for name, table in self.tables.items()}
        header = json.dumps({"report": self.report, "tables": sizes, "is_last": self.is_last,
                             "was_killed": self.was_killed}).encode()
        header += b" " * (-len(header) % _ALIGNED)
        return b"".join([b"%*d" % (_ALIGNED, len(header)), header, *self.tables.values()])

    @classmethod
    def read(cls, take: Callable[[int], bytes | memoryview]) -> Reply | None:
        """`take` gives the next so many bytes, and fewer at their end. None where they end before the reply does."""
        digits = bytes(take(_ALIGNED))
        if len(digits) < _ALIGNED:
            return None
        text = bytes(take(int(digits)))
        if len(text) < int(digits):
            return None
        header = json.loads(text)
        tables = {name: take(size) for name, size in header["tables"].items()}
        if any(len(tables[name]) < size for name, size in header["tables"].items()):
            return None
        return cls(header["report"], tables, header["is_last"], header["was_killed"])

    @classmethod
    def of(cls, data: memoryview) -> Reply | None:
        """The reply in some bytes, which its tables share."""
        at = 0

        def take(size: int) -> memoryview:
            nonlocal at
            at += size
            return data[at - size:at]

        return cls.read(take)


@dataclass
class Answer:
    """The end of a request: its number, its reply, and how often it was tried."""

    index: int
    #: None where every try ended with the death of a worker.
    reply: Reply | None
    attempts: int
    #: The last worker was killed because it did not answer in time.
    is_late: bool = False


def share(index: int, workers: int, processors: Collection[int]) -> set[int]:
    """The processors of one of some workers: parts of equal size. Those of more workers than processors have all.

    What a worker starts then has its caches to itself, and starts no threads that wait for those of the others: a plan
    takes less time of processors than where it may run on all."""
    if workers > len(processors):
        return set(processors)
    return set(sorted(processors)[index::workers])


class _Worker:
    def __init__(self, module: str, environment: Mapping[str, str] | None, index: int, workers: int):
        code = "import sys; sys.path[:] = %r; from %s import serve; serve()" % (sys.path, module)
        self._process = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                         start_new_session=True, env=environment)
        with contextlib.suppress(AttributeError, OSError):  # another system than Linux, or it has died
            os.sched_setaffinity(self._process.pid, share(index, workers, os.sched_getaffinity(0)))
        assert self._process.stdin is not None and self._process.stdout is not None
        self._requests: IO[bytes] = self._process.stdin
        self._replies: IO[bytes] = self._process.stdout
        self._ended = threading.Lock()
        self._late = threading.Event()
        self._timer: threading.Timer | None = None

    def send(self, request: bytes, timeout: float | None) -> None:
        """Gives it a request, whose reply is read by receive(). The worker is killed when it is late."""
        def kill() -> None:
            self._late.set()
            self.kill()

        if timeout:
            self._timer = threading.Timer(timeout + _GRACE, kill)
            self._timer.daemon = True
            self._timer.start()
        # A worker that has died has no reply either.
        with contextlib.suppress(OSError):
            self._requests.write(request + b"\n")
            self._requests.flush()

    def receive(self) -> tuple[Reply | None, bool]:
        """The reply, or None if the worker died; and whether it was killed because it was late."""
        try:
            return Reply.read(self._replies.read), self._late.is_set()
        except OSError:
            return None, self._late.is_set()
        finally:
            if self._timer:
                self._timer.cancel()
                self._timer = None

    def kill(self) -> None:
        """Ends the worker and all that it started. Its id is not given away before it is waited for."""
        with self._ended:
            if self._process.returncode is None:
                try:
                    os.killpg(self._process.pid, signal.SIGKILL)
                except (ProcessLookupError, PermissionError):
                    pass  # none of them is left

    def close(self) -> None:
        self.kill()
        with self._ended:
            self._process.wait()
        for pipe in (self._requests, self._replies):
            try:
                pipe.close()
            except OSError:
                pass


class Pool:
    """Workers that run `serve()` of a module, and the requests that they have."""

    def __init__(self, module: str, workers: int, attempts: int, timeout: float | None,
                 environment: Mapping[str, str] | None = None):
        self._module = module
        self._count = workers
        self._attempts = attempts
        self._timeout = timeout
        self._environment = environment
        self._pending: queue.SimpleQueue[tuple[int, bytes, int] | None] = queue.SimpleQueue()
        #: None: a worker has its first request
        self._answers: queue.SimpleQueue[Answer | BaseException | None] = queue.SimpleQueue()
        self._running: set[_Worker] = set()
        self._lock = threading.Lock()
        self._is_closed = False

    def run(self, requests: Sequence[bytes], meanwhile: Callable[[], None]) -> Generator[Answer, None, None]:
        """The answers, in the order in which they come. `meanwhile` is called when each worker has a request."""
        for index, request in enumerate(requests):
            self._pending.put((index, request, 1))
        count = min(self._count, len(requests))
        threads = [threading.Thread(target=self._serve, args=(index, count), daemon=True) for index in range(count)]
        for thread in threads:
            thread.start()
        idle, waiting = count, len(requests)
        try:
            while waiting:
                answer = self._answers.get()
                if isinstance(answer, BaseException):
                    raise answer
                if answer is not None:
                    waiting -= 1
                    yield answer
                    continue
                idle -= 1
                if idle == 0:
                    meanwhile()
        finally:
            self._close(threads)

    def _close(self, threads: list[threading.Thread]) -> None:
        with self._lock:
            self._is_closed = True
            for worker in self._running:
                worker.kill()
        for thread in threads:
            self._pending.put(None)
        for thread in threads:
            thread.join()

    def _start(self, index: int, workers: int) -> _Worker | None:
        with self._lock:
            if self._is_closed:
                return None
            worker = _Worker(self._module, self._environment, index, workers)
            self._running.add(worker)
            return worker

    def _end(self, worker: _Worker) -> None:
        with self._lock:
            self._running.discard(worker)
        worker.close()

    def _serve(self, index: int, workers: int) -> None:
        """Keeps one of so many workers and hands it one request after the other."""
        worker = None
        is_first = True
        try:
            while True:
                task = self._pending.get()
                if task is None:
                    return
                worker = worker or self._start(index, workers)
                if worker is None:
                    return
                number, request, attempt = task
                worker.send(request, self._timeout)
                if is_first:
                    self._answers.put(None)
                    is_first = False
                reply, is_late = worker.receive()
                if reply is None or reply.is_last:
                    self._end(worker)
                    worker = None
                was_killed = not is_late if reply is None else reply.was_killed
                if was_killed and attempt < self._attempts:
                    self._pending.put((number, request, attempt + 1))
                else:
                    self._answers.put(Answer(number, reply, attempt, is_late))
        except BaseException as problem:  # noqa: BLE001: raised again by run()
            self._answers.put(problem)
        finally:
            if worker is not None:
                self._end(worker)
