"""Plans one directory: what a worker of a fleet does."""

from __future__ import annotations

import contextlib
import json
import os
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import kinu
from kinu import sources
from kinu._pool import Reply

#: Errors whose remedy is `init`: they name the command.
_NEEDS_INIT = re.compile(r"\b(?:tofu|terraform|kinu) init\b")

#: So long a program may take to end after it was interrupted.
_INTERRUPT = 10.0

_MEMBERS = ("severity", "summary", "detail", "address", "range")


@dataclass(frozen=True)
class Options:
    """How directories are planned; see kinu.fleet.plan()."""

    program: str
    arguments: list[str] = field(default_factory=list)
    init: str = "needed"
    init_arguments: list[str] = field(default_factory=list)
    mirror: str | None = None
    environment: dict[str, str] = field(default_factory=dict)
    timeout: float | None = None
    lock: bool = False
    tables: list[str] = field(default_factory=lambda: ["changes"])
    show_sensitive: bool = False
    #: The names and texts of files with rules for drift; empty: those of each directory; None: all drift counts.
    drift_rules: list[tuple[str, str]] | None = None
    #: Holds what the plans need for a while; None: a new one
    scratch: str | None = None
    #: Each program leads a group of processes; otherwise it is in that of the worker.
    own_group: bool = False

    def request(self, directory: str) -> bytes:
        return json.dumps({"directory": directory, "name": name_of(directory), "options": asdict(self)}).encode()


def name_of(directory: str) -> str:
    """A directory as results name it."""
    return sources.Source(directory).name


class Timeout(Exception):
    """The time of a directory is over."""


class Failure(Exception):
    """A step of a directory failed; `diagnostics` has the reasons."""

    def __init__(self, diagnostics: list[dict[str, Any]]):
        self.diagnostics = diagnostics
        super().__init__()


def _problem(summary: str, detail: str = "") -> dict[str, Any]:
    return {"severity": "error", "summary": summary, "detail": detail}


def _lines_with(text: bytes, words: Sequence[bytes]) -> Iterator[bytes]:
    """The lines that have one of the words. Most of many lines have none, and are not looked at one by one."""
    found = set()
    for word in words:
        at = text.find(word)
        while at >= 0:
            end = text.find(b"\n", at)
            end = len(text) if end < 0 else end
            found.add((text.rfind(b"\n", 0, at) + 1, end))
            at = text.find(word, end)
    for start, end in sorted(found):
        yield text[start:end]


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("${", "$${").replace("%{", "%%{")


def _mirror_settings(mirror: str) -> str:
    if re.match(r"https?://", mirror):
        inner = "network_mirror {\n    url = %s\n  }" % _quoted(mirror.rstrip("/") + "/")
    else:
        inner = "filesystem_mirror {\n    path = %s\n  }" % _quoted(os.path.abspath(mirror))
    return "provider_installation {\n  %s\n}\n" % inner


def _copied(place: str, scratch: str) -> str:
    """A local copy of a directory or archive, which may be in a store."""
    copy = os.path.join(scratch, "copy")
    if not sources.is_uri(place):
        archive = place
    elif sources.is_archive(place):
        archive = os.path.join(scratch, os.path.basename(sources.Source(place).name))
        system, path = sources.file_system(place)
        with system.open_input_stream(path) as stream, open(archive, "wb") as file:
            shutil.copyfileobj(stream, file)
    else:
        from pyarrow import fs
        system, path = sources.file_system(place)
        fs.copy_files(path, copy, source_filesystem=system, destination_filesystem=fs.LocalFileSystem())
        return copy
    if archive.lower().endswith(".zip"):
        shutil.unpack_archive(archive, copy)
    else:
        shutil.unpack_archive(archive, copy, filter="data")
    return copy


def _local(directory: str, scratch: str) -> str:
    """The directory to plan in. PLACE//DIRECTORY is a directory of a store or an archive, as in the sources of
    modules, so that what is beside it is there too."""
    scheme, mark, rest = directory.partition("://")
    path, question, settings = rest.partition("?")  # of a URI
    place, _, inner = (path if mark else directory).partition("//")
    place = scheme + mark + place + question + settings if mark else place
    if not mark and not (sources.is_archive(place) and os.path.isfile(place)):
        return directory
    return os.path.normpath(os.path.join(_copied(place, scratch), inner))


def _ended(process: subprocess.Popen[bytes], seconds: float | None) -> bool:
    """Waits for a process. False where it is still there after that time. Popen.wait() looks at intervals of up to
    0.05 s, longer than a plan takes."""
    if seconds is None:
        process.wait()
        return True
    try:
        ending = os.pidfd_open(process.pid)
    except (AttributeError, OSError):  # another system than Linux
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            return False
        return True
    try:
        return bool(select.select([ending], [], [], seconds)[0])
    finally:
        os.close(ending)


class _Plan:
    """The steps of one directory."""

    def __init__(self, directory: str, scratch: str, options: Options):
        self._scratch = scratch
        self._options = options
        self._deadline = time.monotonic() + options.timeout if options.timeout else None
        self._directory = directory
        self.init_seconds: float | None = None
        self.is_spent = False
        self.was_killed = False
        self.version: str | None = None
        #: The numbers of drifted objects that count, and of those that do not, where rules say so.
        self.drift: int | None = None
        self.drift_ignored: int | None = None

    def run(self, name: str) -> tuple[bool, list[dict[str, Any]], dict[str, bytes]]:
        """Whether there are changes, the diagnostics, and the tables, whose rows have this name."""
        self._directory = _local(self._directory, self._scratch)
        if not os.path.isdir(self._directory):
            raise Failure([_problem("There is no such directory")])
        if self._options.init == "always":
            self._init()
        try:
            code, diagnostics = self._plan()
        except Failure as failure:
            if self._options.init != "needed" or not _needs_init(failure.diagnostics):
                raise
            self._init()
            code, diagnostics = self._plan()
        if self._options.drift_rules is not None:
            self._count_drift(self._options.drift_rules)
        return code == 2, diagnostics, self._tables(name)

    def _init(self) -> None:
        start = time.monotonic()
        try:
            self._step(["init", "-json", "-input=false", *self._options.init_arguments], (0,))
        finally:
            self.init_seconds = time.monotonic() - start

    def _plan(self) -> tuple[int, list[dict[str, Any]]]:
        return self._step(["plan", "-json", "-input=false", "-detailed-exitcode",
                           "-lock=%s" % str(self._options.lock).lower(), "-out=" + self._file("plan"),
                           *self._options.arguments], (0, 2))

    def _count_drift(self, rules: Sequence[tuple[str, str]]) -> None:
        """Counts the drift of the plan by the rules."""
        arguments = ["drift", "-json", "-plan=" + self._file("plan")]
        for number, (name, text) in enumerate(rules):
            file = self._file("%d-%s" % (number, name))  # two may have one name
            with open(file, "w", encoding="utf-8") as out:
                out.write(text)
            arguments.append("-ignore=" + file)
        code, output, errors = self._program(arguments)
        report = _report_of(output)
        if code not in (0, 2) or report is None:
            raise Failure((report or {}).get("diagnostics") or [_problem("The drift could not be counted", errors)])
        found = report["summary"]
        self.drift, self.drift_ignored = found["changed"] + found["gone"], found["ignored"]

    def _tables(self, name: str) -> dict[str, bytes]:
        """The tables of the plan. Only plan files that need their providers take a process, which makes a document."""
        def read(file: str) -> dict[str, bytes]:
            return {table: kinu.arrow(file, table, name, self._options.show_sensitive)
                    for table in self._options.tables}

        with contextlib.suppress(kinu.Error, OSError):
            return read(self._file("plan"))
        code, output, errors = self._program(["show", "-json", self._file("plan")])
        if code != 0:
            raise Failure([_problem("The plan could not be shown", errors)])
        return read(output)

    def _step(self, arguments: list[str], good: tuple[int, ...]) -> tuple[int, list[dict[str, Any]]]:
        """Runs a command with messages in JSON. Returns its exit code and diagnostics."""
        code, output, errors = self._program(arguments)
        diagnostics = list(self._diagnostics(output))
        if code not in good:
            if not any(each["severity"] == "error" for each in diagnostics):
                how = "signal %d" % -code if code < 0 else "exit code %d" % code
                diagnostics.append(_problem("The command %s ended with %s" % (arguments[0], how), errors))
            raise Failure(diagnostics)
        return code, diagnostics

    def _diagnostics(self, output: str) -> Iterator[dict[str, Any]]:
        with open(output, "rb") as file:
            text = file.read()
        for line in _lines_with(text, (b'"diagnostic"', b'"version"')):
            with contextlib.suppress(ValueError):
                message = json.loads(line)
                if message.get("type") == "version":
                    self.version = message.get("tofu") or message.get("terraform")
                if message.get("type") == "diagnostic":
                    found = message["diagnostic"]
                    yield {name: found[name] for name in _MEMBERS if name in found}

    def _file(self, name: str) -> str:
        return os.path.join(self._scratch, name)

    def _program(self, arguments: list[str]) -> tuple[int, str, str]:
        """Returns the exit code, the file of the output, and the end of the errors. Both are files, so that a process
        that stays cannot hold the worker."""
        output, errors = self._file("output"), self._file("errors")
        with open(output, "wb") as out, open(errors, "wb") as err:
            process = subprocess.Popen(
                [self._options.program, *arguments], cwd=self._directory, env=self._environment(),
                stdin=subprocess.DEVNULL, stdout=out, stderr=err, start_new_session=self._options.own_group)
            if not _ended(process, self._left()):
                self._stop(process)
                raise Timeout
            code = process.wait()
        self.was_killed = code == -signal.SIGKILL
        with open(errors, "rb") as file:
            file.seek(max(0, os.path.getsize(errors) - 4096))
            return code, output, file.read().decode(errors="replace").strip()

    def _left(self) -> float | None:
        return None if self._deadline is None else max(0.0, self._deadline - time.monotonic())

    def _stop(self, process: subprocess.Popen[bytes]) -> None:
        process.send_signal(signal.SIGINT)
        if not _ended(process, _INTERRUPT):
            self.is_spent = True
            if self._options.own_group:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
            process.kill()
        process.wait()

    def _environment(self) -> Mapping[str, str]:
        environment = {**os.environ, **self._options.environment, "TF_IN_AUTOMATION": "1", "TF_INPUT": "0"}
        if self._options.mirror is not None:
            path = self._file("settings.tfrc")
            with open(path, "w", encoding="utf-8") as file:
                file.write(_mirror_settings(self._options.mirror))
            environment["TF_CLI_CONFIG_FILE"] = path
        return environment


def _report_of(file: str) -> dict[str, Any] | None:
    """The object that a command printed as JSON; None where it printed something else."""
    with open(file, "rb") as output, contextlib.suppress(ValueError):
        report = json.load(output)
        if isinstance(report, dict):
            return report
    return None


def _needs_init(diagnostics: list[dict[str, Any]]) -> bool:
    return any(_NEEDS_INIT.search(each["summary"] + "\n" + each.get("detail", "")) for each in diagnostics
               if each["severity"] == "error")


def _counts(tables: Mapping[str, bytes | memoryview]) -> tuple[int, int]:
    """The changes and the drifts of a plan."""
    import pyarrow
    rows = pyarrow.ipc.open_stream(tables["changes"]).read_all().select(["mode", "drift", "action"])
    changes = drift = 0
    for mode, is_drift, action in zip(*(column.to_pylist() for column in rows.columns)):
        drift += is_drift
        changes += not is_drift and mode == "managed" and action not in ("no-op", "read")
    return changes, drift


def plan_directory(directory: str, name: str, options: Options) -> Reply:
    """Plans a directory, which the result has by this name. Whatever goes wrong is in the reply."""
    return counted(_planned(directory, name, options))


def counted(reply: Reply) -> Reply:
    """A reply with the numbers of its changes. Workers do not count them: to import pyarrow takes longer than a small
    plan."""
    if reply.tables:
        changes, drift = _counts(reply.tables)
        reply.report["changes"] = changes
        if reply.report["drift_ignored"] is None:  # no rules
            reply.report["drift"] = drift
    return reply


def _planned(directory: str, name: str, options: Options) -> Reply:
    started, start = time.time(), time.monotonic()
    diagnostics: list[dict[str, Any]] = []
    tables: dict[str, bytes] = {}
    with tempfile.TemporaryDirectory(prefix="plan-", dir=options.scratch, ignore_cleanup_errors=True) as scratch:
        plan = _Plan(directory, scratch, options)
        try:
            has_changes, diagnostics, tables = plan.run(name)
            status = "changed" if has_changes else "unchanged"
        except Timeout:
            status = "timeout"
            diagnostics = [_problem("Not ready in %g seconds" % (options.timeout or 0))]
        except Failure as failure:
            status, diagnostics = "failed", failure.diagnostics
        except Exception as problem:  # noqa: BLE001: one directory must not end the others
            status, diagnostics = "failed", [_problem(type(problem).__name__, str(problem))]
    report = {"directory": name, "status": status, "started": started,
              "seconds": time.monotonic() - start, "init_seconds": plan.init_seconds, "changes": None,
              "drift": plan.drift, "drift_ignored": plan.drift_ignored, "version": plan.version, "diagnostics": diagnostics}
    return Reply(report, tables, is_last=plan.is_spent, was_killed=plan.was_killed)


def serve() -> None:
    """Answers the requests of a pool until there are no more."""
    # Only the programs that a worker starts end at an interrupt of its group.
    signal.signal(signal.SIGINT, lambda *_: None)
    replies = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)
    for line in sys.stdin.buffer:
        request = json.loads(line)
        reply = _planned(request["directory"], request["name"], Options(**request["options"]))
        try:
            rest = memoryview(reply.to_bytes())
            while rest:
                rest = rest[replies.write(rest):]
        except BrokenPipeError:
            break  # the pool was killed, and nobody waits for an answer
        if reply.is_last:
            break
