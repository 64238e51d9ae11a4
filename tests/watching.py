"""A running `plan -watch`, for tests: e2e/watch.py, redaction.py and schemas.py."""
import json
import os
import queue
import re
import signal
import subprocess
import threading
import time


class WatchFailure(Exception):
    """It has ended, or says nothing."""


class Watch:
    """A running `plan -watch`, with its rounds as text and as messages."""

    def __init__(self, binary, folder, environment, *flags):
        self.messages = os.path.join(folder, "messages.json")
        # The output goes to a file of the same directory on purpose: it must not start a round.
        self.process = subprocess.Popen([binary, "plan", "-watch", "-no-color", "-json-into=" + self.messages, *flags],
                                        cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, bufsize=1)
        self.lines = queue.Queue()
        threading.Thread(target=self.read, daemon=True).start()
        self.position = 0

    def read(self):
        for line in self.process.stdout:
            self.lines.put(line.rstrip("\n"))
        self.lines.put(None)

    def new_lines(self):
        """The complete lines of the file of messages, each given once."""
        if os.path.exists(self.messages):
            with open(self.messages, "rb") as file:
                file.seek(self.position)
                for line in iter(file.readline, b""):
                    if not line.endswith(b"\n"):
                        break
                    self.position += len(line)
                    yield line.decode("utf-8")

    def next_round(self, seconds=60):
        """The message of the next round, and the messages and text lines that came with it."""
        end = time.time() + seconds
        found = []
        while time.time() < end:
            for line in self.new_lines():
                found.append(json.loads(line))
                if found[-1].get("type") == "watch_round":
                    return found[-1], found
            if self.process.poll() is not None:
                raise WatchFailure("the watch has ended: %s" % self.text())
            time.sleep(0.003)
        raise WatchFailure("no round after %d s" % seconds)

    def text(self):
        """The lines so far."""
        out = []
        while True:
            try:
                line = self.lines.get(timeout=0.15)
            except queue.Empty:
                return out
            if line is None:
                return out
            out.append(line)

    def memory(self):
        with open("/proc/%d/status" % self.process.pid, encoding="ascii") as file:
            return int(re.search(r"VmRSS:\s+(\d+)", file.read())[1])

    def end(self):
        self.process.send_signal(signal.SIGINT)
        if self.process.wait(60) != 0:
            raise WatchFailure("exit code %d" % self.process.returncode)


def watch_edits(binary, folder, environment, edits, *flags):
    """All that a watch prints, and its messages, while files are edited: {name: text} for each round."""
    watch = Watch(binary, folder, environment, *flags)
    lines, messages = [], []
    try:
        for edit in [{}] + edits:
            for name, text in edit.items():
                with open(os.path.join(folder, name), "w", encoding="utf-8") as handle:
                    handle.write(text)
            messages += watch.next_round()[1]
            lines += watch.text()
        watch.end()
    finally:
        watch.process.kill()
    return "\n".join(lines), messages
