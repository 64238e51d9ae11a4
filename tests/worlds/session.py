"""Runs a world with a program, and says what it did: exit codes, output, files and requests, in comparable forms."""
import contextlib
import importlib
import os
import re
import stat
import time

import sources  # noqa: F401 (says where the next ones are)
import cli_cases
import histories
from exact_json import Mismatch, load
from normal_form import ANSI, FORMS

STAMP = re.compile(r"\.\d{9,}\.backup\b")
# What installation leaves is compared by name, not by content.
PACKAGES = re.compile(r"(^|/)(providers|cache|plugins|mirrored)/")
# Times of files are not more exact than so many nanoseconds.
CLOCK = 20_000_000
# The servers of this process, by name.
SERVERS = {}
# How long a command may take. A slow machine must not change an answer.
SECONDS = 60


class Providers(histories.Providers):
    """The tests' own provider, which both programs attach to."""

    NAMES = ("kinu/kinutest",)


class Session(cli_cases.Session):
    """A run of a world in a directory of its own. `attach` is what TF_REATTACH_PROVIDERS is for attached worlds."""

    def __init__(self, world, program, attach=None):
        super().__init__(world, program)
        self.attach = attach if world.get("attached") else None
        self.known = {}  # what files were after the last step: {name: (mode, bytes)}
        self.read = {}  # {path: (what its status was, (mode, bytes))}

    def __exit__(self, *_):
        for server in self.servers:
            server.reset()
        self.servers = []
        super().__exit__()

    def start_servers(self):
        """Takes the servers of this process, which start once and forget each world."""
        paths = []
        for name in self.settings.get("servers", []):
            if name not in SERVERS:
                SERVERS[name] = importlib.import_module(name).start(self.work)
            self.servers.append(SERVERS[name])
            for key, text in SERVERS[name].names().items():
                self.values["{%s}" % key] = text
                paths.append((text, "{%s}" % key))
        return paths

    def prepare(self):
        super().prepare()
        self.values["{MIRROR}"] = self.program.mirror or "/nonexistent"
        if self.attach:
            self.environment["TF_REATTACH_PROVIDERS"] = self.attach
        for link, target in self.case.get("links", {}).items():
            os.symlink(target, os.path.join(self.work, link))
        self.known = self.files()

    def files(self):
        """{name: (mode, content)} of all files. Links have where they lead to, packages nothing as content."""
        out, folders = {}, [""]
        while folders:
            folder = folders.pop()
            with os.scandir(os.path.join(self.work, folder)) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        folders.append(folder + entry.name + "/")
                    else:
                        out[folder + entry.name] = self.file_at(folder + entry.name, entry)
        return out

    def file_at(self, name, entry):
        """The mode and the content of a file. Content is read again only where the status of the file has changed."""
        status = entry.stat(follow_symlinks=False)
        key = status.st_ino, status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_mode
        known, found = self.read.get(name, (None, None))
        if known != key:
            found = self.read_file(name, entry.path, status)
            # A file that was just written may change again without a new time.
            self.read[name] = key if time.time_ns() - status.st_mtime_ns > CLOCK else None, found
        return found

    @staticmethod
    def read_file(name, path, status):
        if stat.S_ISLNK(status.st_mode):
            return "link", os.readlink(path).encode("utf-8", "surrogateescape")
        if PACKAGES.search(name):
            return "package", b""
        with open(path, "rb") as file:
            content = file.read()
        if content.startswith(b"PK"):
            # Two plans that are made within a second can have the same bytes.
            content += b"%d" % status.st_mtime_ns
        return "%o" % (status.st_mode & 0o777), content

    def run_step(self, step):
        for name, text in self.case.get("put", {}).get(step.get("put"), {}).items():
            path = os.path.join(self.work, name)
            if os.path.isdir(path) and not os.path.islink(path):
                self.remove(name)
        before = self.files() if "put" in step or "remove" in step else self.known
        status, out, err, log = super().run_step(dict({"timeout": SECONDS}, **step))
        if "put" in step or "remove" in step:
            laid = {name: text for name, text in self.case.get("put", {}).get(step.get("put"), {}).items()}
            before = {name: kept for name, kept in before.items() if name not in step.get("remove", [])}
            for name, text in laid.items():
                text = self.filled(text) if self.with_placeholders else text
                before[name] = ("644", text.encode("utf-8", "surrogateescape"))
        return status, out, err, log, before

    def observe(self, step, forms=None):
        """Runs a step. Returns {subject: (form, text)}; `forms` are those that another program's answer has."""
        status, out, err, log, before = self.run_step(step)
        seen = {"exit": ("raw", status)}
        forms = forms or {}
        for name, text in (("stdout", out), ("stderr", err)):
            form = forms.get(name) or form_of(text)
            seen[name] = (form, self.normal(form, text))
        if self.servers:
            seen["requests"] = ("raw", "".join(self.placeholders.string(line, False) + "\n" for line in log))
        self.known = self.files()
        for name in sorted(set(before) | set(self.known)):
            if before.get(name) != self.known.get(name):
                subject = "file " + self.file_name(name)
                seen[subject] = self.content(name, forms.get(subject))
        return seen

    def file_name(self, name):
        return STAMP.sub(".N.backup", self.placeholders.string(name, False))

    def content(self, name, form):
        """The form and the text of a file that a step has changed."""
        if name not in self.known:
            return "raw", "(removed)"
        mode, data = self.known[name]
        if mode in ("link", "package"):
            return "raw", "(%s) %s" % (mode, self.placeholders.string(data.decode("utf-8", "surrogateescape"), False))
        if data.startswith(b"PK"):
            return "raw", "(archive) " + mode
        text = data.decode("utf-8", "surrogateescape")
        if b'"encrypted_data"' in data:
            with contextlib.suppress(Mismatch):
                return "raw", mode + "\n" + "".join(line + "\n" for line in cli_cases.shape(load(text)))
        form = form if form and form != "raw" else form_of(text).replace("text", "plain")
        return form, mode + "\n" + self.normal(form, text)

    def normal(self, form, text):
        try:
            if form == "plain":
                return self.placeholders.string(text)
            return FORMS[form](text, self.placeholders)
        except (Mismatch, ValueError, TypeError) as error:
            return "(%s: %s)\n%s" % (form, error, self.placeholders.string(text, False))


def is_json(text):
    try:
        load(text)
    except (Mismatch, ValueError, RecursionError):
        return False
    return True


def form_of(text):
    """How a stream is compared: as messages, as a document or as text for people."""
    if not text.lstrip().startswith("{"):
        return "json" if text.lstrip().startswith("[") and is_json(text) else "text"
    lines = [line for line in ANSI.sub("", text).split("\n") if line.strip()]
    if '"@level"' in text and all(line.startswith("{") and is_json(line) for line in lines):
        return "jsonl"
    return "json" if is_json(text) else "text"


def run(world, program, attach=None, wanted=None, limit=None):
    """What a program does in a world: a dictionary for each step. `wanted` is another program's answer, which gives the forms."""
    out = []
    with Session(world, program, attach) as session:
        session.prepare()
        for number, step in enumerate(world["case"]["steps"][:limit]):
            forms = {name: form for name, (form, _) in wanted[number].items()} if wanted and number < len(wanted) else None
            out.append(session.observe(step, forms))
    return out
