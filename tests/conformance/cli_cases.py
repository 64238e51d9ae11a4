"""Runs the cases of command lines: what a program prints and leaves behind, step by step.

A case has `id` (GROUP/NAME), `case` (title, steps, servers and more: docs/testing.md), `in` (the files of the working
directory), `put` (files laid over it before a step), `executable` (those of `in` that are programs) and `expect` (what
each step gives, in the forms of normal_form.py).
"""
import base64
import difflib
import glob
import json
import os
import shutil
import subprocess
import sys
import tempfile

import packs
import platforms
from exact_json import Digits, Mismatch, differences, dump, load
from normal_form import FORMS, UUID, Placeholders

SERVERS = os.path.join(os.path.dirname(packs.HERE), "servers")
GIT = {"GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@example.test", "GIT_COMMITTER_NAME": "A",
       "GIT_COMMITTER_EMAIL": "a@example.test", "GIT_AUTHOR_DATE": "2020-01-01T00:00:00+0000",
       "GIT_COMMITTER_DATE": "2020-01-01T00:00:00+0000", "GIT_CONFIG_NOSYSTEM": "1"}


PATIENCE = 10  # for a program that an emulator runs


class Program:
    """The program that runs the cases, the directory of its providers, and what its environment has more."""

    def __init__(self, binary, mirror=None, environment=None):
        self.binary = os.path.abspath(binary)
        self.environment = environment or {}
        self.mirror = os.path.realpath(mirror) if mirror and os.path.isdir(mirror) else None
        asked = self.asked()
        self.version, self.platform = asked["terraform_version"], asked["platform"]
        machine = os.uname().machine
        self.is_emulated = not self.platform.endswith({"x86_64": "amd64", "aarch64": "arm64"}.get(machine, machine))

    def asked(self):
        with tempfile.TemporaryDirectory(prefix="cli-") as home:
            environment = {"CHECKPOINT_DISABLE": "1", "HOME": home, "PATH": os.environ.get("PATH", ""), **self.environment}
            done = subprocess.run([self.binary, "version", "-json"], stdout=subprocess.PIPE, env=environment,
                                  check=True, timeout=60)
        return json.loads(done.stdout)

    def lacks(self, case):
        """A provider that the case needs and the mirror does not have, or None."""
        for tag in case.get("tags", []):
            if tag.startswith("provider:"):
                name, _, version = tag[len("provider:"):].partition("@")
                place = os.path.join(glob.escape(self.mirror or "none"), "*", "*", name, version or "*")
                if not glob.glob(place):
                    return name
        return None


def read(path):
    with open(path, encoding="utf-8", errors="surrogateescape", newline="") as file:
        return file.read()


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8", errors="surrogateescape", newline="") as file:
        file.write(text)


class Session:
    """A run of one case, in a directory of its own."""

    def __init__(self, case, program):
        self.case, self.settings, self.program = case, case["case"], program
        self.root = os.path.realpath(tempfile.mkdtemp(prefix="cli-"))
        self.work, self.home = os.path.join(self.root, "w"), os.path.join(self.root, "home")
        self.values = {"{CWD}": self.work}
        self.servers = []
        self.with_placeholders = "servers" in self.settings or "setup" in self.settings

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for server in self.servers:
            server.stop()
        shutil.rmtree(self.root, ignore_errors=True)

    def filled(self, text):
        for name, value in self.values.items():
            text = text.replace(name, value)
        return text

    def lay(self, files):
        """Writes files over the working directory."""
        for name, text in files.items():
            write(os.path.join(self.work, name), self.filled(text) if self.with_placeholders else text)

    def start_servers(self):
        """Starts the servers of the case. Returns the pairs of their addresses and placeholders."""
        paths = []
        sys.path.insert(0, SERVERS)
        for name in self.settings.get("servers", []):
            server = __import__(name.replace("-", "_")).start(self.work)
            self.servers.append(server)
            for key, text in server.names().items():
                self.values["{%s}" % key] = text
                paths.append((text, "{%s}" % key))
        return paths

    def prepare(self):
        tmp, none = os.path.join(self.root, "tmp"), os.path.join(self.root, "none")
        for path in (self.home, tmp, none):
            os.mkdir(path)
        paths = self.start_servers()
        os.mkdir(self.work)
        self.lay(self.case["in"])
        for name in self.case.get("executable", []):
            os.chmod(os.path.join(self.work, name), 0o755)
        settings = os.path.join(self.root, "cli.tofurc")
        write(settings, 'provider_installation {\n  filesystem_mirror {\n    path = "%s"\n  }\n}\n'
              % (self.program.mirror or none))
        self.environment = {"PATH": os.environ.get("PATH", ""), "HOME": self.home, "TMPDIR": tmp, "TZ": "UTC",
                            "LANG": "C.UTF-8", "TF_CLI_CONFIG_FILE": settings, "CHECKPOINT_DISABLE": "1",
                            **self.program.environment}
        if "setup" in self.settings:
            subprocess.run(["sh", "-ec", self.filled(self.settings["setup"])], cwd=self.work, check=True, timeout=60,
                           env=dict(self.environment, **GIT), stdout=subprocess.DEVNULL)
        self.environment.update(self.filled_values(self.settings))
        paths += [(self.work, "{CWD}"), (self.home, "{HOME}"), (self.root, "{TMP}")]
        if self.program.mirror:
            paths.append((self.program.mirror, "{MIRROR}"))
        texts = [json.dumps(self.settings), *self.case["in"].values()]
        texts += [text for files in self.case.get("put", {}).values() for text in files.values()]
        self.placeholders = Placeholders(paths, self.program.version, set(UUID.findall("\n".join(texts))),
                                         "servers" in self.settings)

    def filled_values(self, holder):
        return {name: self.filled(value) for name, value in holder.get("env", {}).items()}

    def remove(self, name):
        path = os.path.join(self.work, name)
        if os.path.isdir(path):
            shutil.rmtree(path)
        elif os.path.exists(path):
            os.remove(path)

    def run_step(self, step):
        """Runs one step. Returns its exit status, standard output, standard error and the requests to servers."""
        if "put" in step:
            self.lay(self.case["put"][step["put"]])
        for name in step.get("remove", []):
            self.remove(name)
        for server in self.servers:
            server.take_log()
        try:
            done = subprocess.run(
                [self.program.binary, *map(self.filled, step["args"])], cwd=self.work,
                env=dict(self.environment, **self.filled_values(step)),
                input=self.filled(step.get("stdin", "")).encode(), capture_output=True,
                timeout=step.get("timeout", 60) * (PATIENCE if self.program.is_emulated else 1))
        except subprocess.TimeoutExpired:
            return "timeout", "", "", []
        log = [line for server in self.servers for line in server.take_log()]
        return (str(done.returncode), done.stdout.decode("utf-8", "surrogateescape"),
                done.stderr.decode("utf-8", "surrogateescape"), log)

    def observations(self, step, status, out, err, log):
        """What is compared after a step: (name, form, text)."""
        forms = step.get("compare", {})
        if forms.get("rc", True):
            yield "rc", "raw", status + "\n"
        for stream, text in (("stdout", out), ("stderr", err)):
            if forms.get(stream, "none") != "none":
                yield stream, forms[stream], text
        for name in step.get("files", []):
            yield ("files/" + name, *self.file(name))
        for name in step.get("keys", []):
            yield "keys/" + name, "raw", self.keys(name)
        if step.get("tree"):
            names = tree(self.work, step["tree"] == "all")
            yield "tree", "raw", "".join(self.placeholders.string(name, False) + "\n" for name in names)
        if step.get("requests"):
            log = [self.placeholders.string(line, False) for line in log]
            if step["requests"] == "lines":
                log.sort()
            yield "requests", "raw", "".join(line + "\n" for line in log)

    def file(self, name):
        path = os.path.join(self.work, name)
        if not os.path.isfile(path):
            return "raw", "(no such file)\n"
        if name.endswith((".json", ".tfstate", ".backup")):
            return "json", read(path)
        return "jsonl" if name.endswith(".jsonl") else "text", read(path)

    def keys(self, name):
        try:
            return "".join(line + "\n" for line in shape(load(read(os.path.join(self.work, name)))))
        except OSError:
            return "(no such file)\n"
        except (Mismatch, UnicodeError):
            return "(not JSON)\n"


def tree(work, everything):
    """The names of all files. With `everything`, those below .terraform too, and links with @ at their end."""
    found = []
    for folder, folders, files in os.walk(work):
        links = [name for name in folders if os.path.islink(os.path.join(folder, name))]
        folders[:] = [name for name in folders
                      if name not in links and name != ".git" and (everything or name != ".terraform")]
        found += [os.path.relpath(os.path.join(folder, name), work) for name in files]
        if everything:
            found += [os.path.relpath(os.path.join(folder, name), work) + "@" for name in links]
    return sorted(found)


def shape(value, path="$", lengths=False):
    """The paths and types of a JSON value without most of its values, as lines. It looks into base64 too."""
    if isinstance(value, dict):
        if not value:
            return [path + ": {}"]
        return [line for name in sorted(value) for line in shape(value[name], "%s.%s" % (path, name), lengths)]
    if isinstance(value, list):
        return ["%s: list of %d" % (path, len(value))]
    if isinstance(value, (Digits, bool)) or value is None:
        return ["%s: %s" % (path, dump(value))]
    try:
        inner = load(base64.b64decode(value, validate=True).decode())
        if isinstance(inner, dict):
            return shape(inner, path + "<base64>", True)
    except (ValueError, Mismatch):
        pass
    if path.endswith(("version", "hash_function")):
        return ["%s: %s" % (path, value)]
    return ["%s: string%s" % (path, " of %d" % len(value) if lengths else "")]


def explained(form, want, got):
    """Lines that say how two texts differ."""
    if got in ("", "(empty)\n"):
        return ["nothing was printed; want:", *want.splitlines()[:6]]
    if form == "json" and "(empty)\n" not in (want, got):
        return list(differences(load(want), load(got)))
    wants, gots = want.splitlines(), got.splitlines()
    if form == "jsonl" and len(wants) == len(gots):
        return ["message %d: %s" % (number, line) for number, (a, b) in enumerate(zip(wants, gots), 1) if a != b
                for line in differences(load(a), load(b))]
    return [line.rstrip("\n") for line in difflib.unified_diff(wants, gots, "want", "got", lineterm="", n=2)]


def compared(expect, name, form, got):
    """Lines that say what is wrong with an observation, or none."""
    if name not in expect:
        return ["%s: nothing is recorded" % name]
    if expect[name] == got:
        return []
    return ["%s differs (%s)" % (name, form)] + ["  " + line for line in explained(form, expect[name], got)]


def run(case, program):
    """Runs a case. Returns its status (passed, failed or skipped) and lines that say what is wrong."""
    lacking = program.lacks(case["case"])
    if lacking:
        return "skipped", ["no provider %s in the mirror" % lacking]
    with Session(case, program) as session:
        session.prepare()
        for number, step in enumerate(case["case"]["steps"], 1):
            status, out, err, log = session.run_step(step)
            problems = []
            for name, form, text in session.observations(step, status, out, err, log):
                name = "%02d.%s" % (number, name)
                if program.is_emulated:
                    text = platforms.without_progress(text, case["expect"].get(name, ""))
                try:
                    problems += compared(case["expect"], name, form, FORMS[form](text, session.placeholders))
                except Mismatch as error:
                    problems += ["%s: %s" % (name, error)] + ["  " + line for line in text.split("\n")[:12]]
            if problems:
                if status != "0" and err.strip():
                    problems += ["stderr was:"] + ["  " + line for line in err.split("\n")[:20]]
                return "failed", ["step %02d: %s" % (number, " ".join(step["args"]))] + problems
    return "passed", []


def recorded(case, program):
    """The case with what the program gives as its expectations."""
    expect = {}
    with Session(case, program) as session:
        session.prepare()
        for number, step in enumerate(case["case"]["steps"], 1):
            for name, form, text in session.observations(step, *session.run_step(step)):
                expect["%02d.%s" % (number, name)] = FORMS[form](text, session.placeholders)
    return dict(case, expect=dict(sorted(expect.items())))


def run_packed(suite, line, program):
    """Runs a packed case. Returns [(suite, case, status, lines)]."""
    case = json.loads(line)
    if program.platform != platforms.RECORDED:
        case = platforms.renamed(case, program.platform)
    try:
        status, problems = run(case, program)
    except Exception as error:  # a broken case must not stop the others
        status, problems = "failed", ["%s: %s" % (type(error).__name__, error)]
    return [(suite, case["id"], status, problems)]


def tasks(program, wanted):
    """The calls that run all cases of which `wanted` is true."""
    return [(run_packed, (suite, line, program)) for suite in packs.suites("cli") for line in packs.lines(suite)
            if wanted(packs.identity(line))]
