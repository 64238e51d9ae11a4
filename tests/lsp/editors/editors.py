#!/usr/bin/env python3
"""Tests the language server with the clients that users have.

    tests/lsp/editors/editors.py --binary KINU --work DIRECTORY [--update] [--messages FILE] NAME...

NAME is a client of clients.py. It works through a copy of workspace/ by a script of its own, and writes down what its
user sees: texts of buffers, lists of places, problems. That must be equal to recorded/NAME.json; --update writes the
file anew. All messages of both sides are checked against the model of the protocol. DIRECTORY keeps what is installed
for the tests. The exit status is 77 where no client of those named is installed.
"""
import argparse
import json
import os
import shutil
import stat
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
sys.path.insert(0, os.path.dirname(HERE))
import model  # noqa: E402
from clients import CLIENTS, Unavailable  # noqa: E402

SKIPPED = 77
TIMEOUT = 120


def snippet(heading, number=0):
    """The text of a code block below a heading of docs/lsp.md."""
    with open(os.path.join(ROOT, "docs", "lsp.md"), encoding="utf-8") as handle:
        section = handle.read().split("\n## " + heading + "\n")[1].split("\n## ")[0]
    return section.split("\n```")[2 * number + 1].split("\n", 1)[1] + "\n"


class Session:
    """One run of a client: its folders, its environment, what was said and seen."""

    def __init__(self, binary, work, folder):
        self.work = work
        self.folder = os.path.join(folder, "w")
        self.home = os.path.join(folder, "home")
        self.seen_file = os.path.join(folder, "seen.json")
        self.messages_file = os.path.join(folder, "messages")
        shutil.copytree(os.path.join(HERE, "workspace"), self.folder)
        subprocess.run(["git", "init", "-q", self.folder], check=True)
        programs = os.path.join(folder, "bin")
        for made in (self.home, programs):
            os.makedirs(made)
        # The program that the editor finds in the path.
        command = os.path.join(programs, "kinu")
        with open(command, "w", encoding="utf-8") as handle:
            handle.write('#!/bin/sh\nexec "%s" "%s" "%s" "%s" "$@"\n' % (
                sys.executable, os.path.join(HERE, "proxy.py"), self.messages_file, binary))
        os.chmod(command, stat.S_IRWXU)
        self.environment = dict(
            os.environ, HOME=self.home, PATH=programs + os.pathsep + os.environ["PATH"], LC_ALL="C.UTF-8", TERM="dumb",
            EDITOR_HERE=HERE, EDITOR_SEEN=self.seen_file, EDITOR_WORKSPACE=self.folder)
        for name in list(self.environment):
            if name.startswith(("TF_", "XDG_", "NVIM", "EMACS")):
                del self.environment[name]
        subprocess.run([binary, "init"], cwd=self.folder, env=self.environment, check=True, stdout=subprocess.DEVNULL)

    def config(self, name, text):
        """Writes a file of the editor's configuration. Returns its path."""
        path = os.path.join(self.home, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as handle:
            handle.write(text)
        return path

    def run(self, command, **environment):
        """Runs a client to its end.

        SIGPIPE stays ignored, as Emacs has it where people use it. Emacs leaves the signal alone in batch mode: it
        would die of a message to a server that has ended as it was told to.
        """
        done = subprocess.run(command, cwd=self.folder, env=dict(self.environment, **environment), timeout=TIMEOUT,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              restore_signals=False)
        if done.returncode != 0 or not os.path.exists(self.seen_file):
            raise AssertionError("%s ended with %d:\n%s" % (command[0], done.returncode, done.stdout))

    def seen(self):
        with open(self.seen_file, encoding="utf-8") as handle:
            text = handle.read().replace(self.folder, "W").replace("W/", "")
        return json.loads(text)

    def messages(self):
        with open(self.messages_file, encoding="utf-8") as handle:
            return [json.loads(line) for line in handle]


def problems_of(messages, checker):
    """What the model refuses: (the sender, the problem) of each."""
    asked = {"client": {}, "server": {}}
    found = []
    for sender, message in messages:
        other = {"client": "server", "server": "client"}[sender]
        if "method" in message:
            name = message["method"]
            problems = checker.problems_of_call(message, sender)
            if "id" in message:
                asked[sender][message["id"]] = name
        else:
            name = asked[other].pop(message["id"], None)
            problems = []
            if name is None:
                problems = ["an answer to no question"]
            elif "error" not in message:
                problems = checker.problems_of_result(name, message.get("result"))
        found += [(sender, "%s: %s" % (name, problem)) for problem in problems]
    return found


def bad_answers(messages, expected):
    """Errors that the server answered before its end, but for those that a client must expect."""
    end = next((index for index, (_, message) in enumerate(messages) if message.get("method") == "shutdown"), None)
    return ["%s: %s" % (message["error"]["code"], message["error"]["message"]) for sender, message in messages[:end]
            if sender == "server" and "error" in message and message["error"]["code"] not in expected]


def differences(seen, recorded):
    found = []
    for name in sorted(set(seen) | set(recorded)):
        if seen.get(name) != recorded.get(name):
            found.append("%s:\n  is       %s\n  recorded %s" % (
                name, json.dumps(seen.get(name), ensure_ascii=False),
                json.dumps(recorded.get(name), ensure_ascii=False)))
    return found


def lines_of(value, indent, depth):
    """A JSON text with a line for each value that is not deeper than `depth`."""
    if depth == 0 or not value or not isinstance(value, (dict, list)):
        return json.dumps(value, ensure_ascii=False, sort_keys=True)
    inner = indent + " "
    rows = [json.dumps(name) + ": " + lines_of(value[name], inner, depth - 1) for name in sorted(value)] \
        if isinstance(value, dict) else [lines_of(each, inner, depth - 1) for each in value]
    first, last = "{}" if isinstance(value, dict) else "[]"
    return first + "\n" + inner + (",\n" + inner).join(rows) + "\n" + indent + last


def compare(seen, name, update):
    path = os.path.join(HERE, "recorded", name + ".json")
    if update:
        with open(path, "w", encoding="utf-8") as handle:
            handle.write(lines_of(seen, "", 2) + "\n")
        return []
    with open(path, encoding="utf-8") as handle:
        return differences(seen, json.load(handle))


def test(name, args, checker):
    """Runs one client. Returns what is wrong."""
    drive, tolerated = CLIENTS[name]
    begin = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="editor-") as folder:
        session = Session(os.path.abspath(args.binary), os.path.abspath(args.work), folder)
        try:
            drive(session, snippet)
        finally:
            if args.messages and os.path.exists(session.messages_file):
                shutil.copyfile(session.messages_file, args.messages)
        seen = session.seen()
        found = compare(seen, name, args.update)
        messages = session.messages()
        methods = {message["method"] for sender, message in messages if sender == "client" and "method" in message}
        # -32801, -32802, -32800: the document changed, or the client has lost interest.
        found += bad_answers(messages, (-32800, -32801, -32802))
        if checker:
            refused = problems_of(messages, checker)
            found += ["the server: " + text for sender, text in refused if sender == "server"]
            found += ["the client: " + text for sender, text in refused
                      if sender == "client" and not any(known in text for known in tolerated)]
    print("%s: %d messages, %d methods, %d things seen, %.1f s" % (
        name, len(messages), len(methods), len(seen), time.monotonic() - begin))
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", required=True)
    parser.add_argument("--work", required=True)
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--messages", help="a file for all messages of the last client")
    parser.add_argument("names", nargs="+", choices=list(CLIENTS))
    args = parser.parse_args()
    path = model.find()
    if path is None:
        print("The model of the protocol is not installed: messages are not checked against it.")
    checker = model.Model(path) if path else None
    failed = skipped = 0
    for name in args.names:
        try:
            found = test(name, args, checker)
        except Unavailable as error:
            skipped += 1
            print("%s: %s, skipped" % (name, error))
            continue
        except (AssertionError, OSError, subprocess.SubprocessError) as error:
            found = [str(error)]
        failed += bool(found)
        for text in found:
            print("%s: %s" % (name, text))
    print("%d passed, %d failed, %d skipped" % (len(args.names) - failed - skipped, failed, skipped))
    if failed:
        return 1
    return SKIPPED if skipped == len(args.names) else 0


if __name__ == "__main__":
    sys.exit(main())
