#!/usr/bin/env python3
"""Runs plan, apply, destroy, init and test in terminals of several widths, which change their width meanwhile.

  status_line.py --binary PATH [--frames FILE]
  status_line.py --binary PATH --measure

A small terminal emulator (below) keeps the screen and what scrolled out of it. While the program runs, the status line
must be on the screen, in one line; afterwards nothing of it may be left, and all other lines must be those of a run
without a status line. --frames writes the screens of one run.
--measure runs nothing of this, but prints the least CPU of some applies with the line, without it, and without a terminal.
"""
import argparse
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "servers"))
import loopback  # noqa: E402

CONFIGURATION = """resource "terraform_data" "a" {
  count = 60
  input = count.index
  provisioner "local-exec" {
    command = count.index == %d ? "exit 3" : "sleep 0.2"
  }
}
"""
STATUS = re.compile(r"^(plan|apply|destroy|refresh|init|test) \d+(/\d+)?( · |$)")
SEQUENCE = re.compile(r"\x1b(\[[0-9;?]*[a-zA-Z]|\][^\x1b\x07]*(\x07|\x1b\\))")
ROWS = 12


class Screen:
    """Lines of a terminal with automatic margins. Lines that scroll out are kept."""

    def __init__(self, columns):
        self.columns, self.lines, self.scrolled = columns, [""] * ROWS, []
        self.row = self.column = 0
        self.rest = ""
        self.status = []  # status lines, which stand where the cursor returns to the first column

    def resize(self, columns):
        self.columns = columns
        self.lines = [line[:columns] for line in self.lines]
        self.column = min(self.column, columns - 1)

    def feed(self, text):
        text = self.rest + text
        self.rest = ""
        at = 0
        while at < len(text):
            if text[at] == "\x1b":
                match = SEQUENCE.match(text, at)
                if not match:
                    self.rest = text[at:]
                    return
                self.control(match.group(1))
                at = match.end()
            else:
                self.put(text[at])
                at += 1

    def control(self, sequence):
        if sequence in ("[J", "[0J"):
            self.lines[self.row] = self.lines[self.row][:self.column]
            self.lines[self.row + 1:] = [""] * (ROWS - self.row - 1)
        elif sequence in ("[K", "[0K"):
            self.lines[self.row] = self.lines[self.row][:self.column]

    def down(self):
        if self.row < ROWS - 1:
            self.row += 1
        else:
            self.scrolled.append(self.lines.pop(0))
            self.lines.append("")

    def put(self, char):
        if char == "\r":
            if STATUS.match(self.lines[self.row]):
                self.status.append(self.lines[self.row].rstrip())
            self.column = 0
        elif char == "\n":
            self.down()
        elif char >= " ":
            if self.column == self.columns:
                self.column = 0
                self.down()
            line = self.lines[self.row].ljust(self.column)
            self.lines[self.row] = line[:self.column] + char + line[self.column + 1:]
            self.column += 1

    def shown(self):
        return [line.rstrip() for line in self.lines]

    def all(self):
        return [line.rstrip() for line in self.scrolled + self.lines]


class Run:
    def __init__(self, binary, folder, words, columns, extra=None):
        self.screen = Screen(columns)
        self.process, self.master = pty.fork()
        if self.process == 0:
            os.chdir(folder)
            environment = {"PATH": os.environ["PATH"], "HOME": folder, "TERM": "xterm", **(extra or {})}
            os.execve(binary, [binary, *words], environment)
        self.size(columns)
        self.frames = []

    @property
    def status(self):
        return self.screen.status

    def size(self, columns):
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, columns, 0, 0))
        self.screen.resize(columns)

    def finish(self, widths=(), interrupt=False, seconds=60):
        """Feeds the screen until the program ends. Returns its exit code."""
        start = last = time.monotonic()
        widths = list(widths)
        decoder = ""
        while time.monotonic() - start < seconds:
            ready, _, _ = select.select([self.master], [], [], 0.05)
            if ready:
                try:
                    data = os.read(self.master, 65536)
                except OSError:
                    break
                if not data:
                    break
                decoder += data.decode("utf-8", "surrogateescape")
                self.screen.feed(decoder)
                decoder = ""
            frame = self.screen.shown()
            if not self.frames or self.frames[-1] != frame:
                self.frames.append(frame)
            now = time.monotonic()
            if interrupt and any(line.startswith("apply ") for line in self.status):
                os.kill(self.process, signal.SIGINT)
                interrupt = False
            if widths and now - last > 0.3:
                last = now
                self.size(widths.pop(0))
        _, status = os.waitpid(self.process, 0)
        return os.waitstatus_to_exitcode(status)


class Test:
    def __init__(self, binary):
        self.binary, self.failures = os.path.abspath(binary), 0

    def expect(self, good, what):
        if not good:
            self.failures += 1
            print("FAIL", what)

    def clean(self, run, what):
        """The status line was seen, in one line each, and nothing of it is left."""
        left = [line for line in run.screen.all() if STATUS.match(line) or re.search(r" \d+ running", line) and "done and" not in line]
        self.expect(not left, "%s leaves %r" % (what, left[:3]))
        for frame in run.frames:
            self.expect(sum(1 for line in frame if STATUS.match(line)) <= 1, "%s has two lines: %r" % (what, frame))

    def folder(self, root, name, failing=-1):
        folder = os.path.join(root, name)
        os.makedirs(folder)
        with open(os.path.join(folder, "main.tf"), "w", encoding="utf-8") as file:
            file.write(CONFIGURATION % failing)
        return folder


def record(path, mode, run, title):
    """Writes every fifth picture of the screen, and the last one, if a file is named."""
    if path:
        with open(path, mode, encoding="utf-8") as file:
            file.write("==== %s\n" % title)
            for frame in run.frames[::5] + run.frames[-1:]:
                file.write("\n".join(frame) + "\n" + "-" * 80 + "\n")


def widths(test, root, frames):
    for columns in (40, 80, 200):
        folder = test.folder(root, "w%d" % columns)
        run = Run(test.binary, folder, ["apply", "-auto-approve", "-no-color"], columns)
        code = run.finish()
        what = "apply at %d columns" % columns
        test.expect(code == 0, "%s exits %d: %s" % (what, code, run.screen.all()[-5:]))
        test.expect(run.status and all(len(line) < columns for line in run.status), "%s: status %r" % (what, run.status[:3]))
        test.expect(any("/60" in line and "running" in line for line in run.status), "%s: no count: %r" % (what, run.status[:3]))
        test.clean(run, what)
        text = "\n".join(run.screen.all())
        test.expect("Time: " in text, what + " has no closing line")
        if columns == 80:
            record(frames, "w", run, "apply of 60 objects")
        again = Run(test.binary, folder, ["destroy", "-auto-approve", "-no-color"], columns, {"KINU_STATUS": "0"})
        test.expect(again.finish() == 0, "destroy without a status line")
        test.expect(not again.status, "KINU_STATUS=0 draws %r" % again.status[:1])


def resized(test, root):
    folder = test.folder(root, "resized")
    run = Run(test.binary, folder, ["apply", "-auto-approve", "-no-color"], 120)
    test.expect(run.finish([60, 40, 100, 50, 200]) == 0, "apply while resized")
    test.expect(bool(run.status), "no status line while resized")
    test.clean(run, "resized apply")


def failures(test, root, frames):
    folder = test.folder(root, "failing", failing=25)
    run = Run(test.binary, folder, ["apply", "-auto-approve", "-no-color"], 100)
    test.expect(run.finish() == 1, "a failing apply")
    test.clean(run, "failing apply")
    record(frames, "a", run, "apply of which an object fails")
    folder = test.folder(root, "interrupted")
    run = Run(test.binary, folder, ["apply", "-auto-approve", "-no-color"], 100)
    test.expect(run.finish(interrupt=True) == 1, "an interrupted apply")
    text = "\n".join(run.screen.all())
    test.expect(re.search(r"\d+ of 60 done and recorded, \d+ running", text), "no line about the interrupt: " + text[-600:])
    test.clean(run, "interrupted apply")
    record(frames, "a", run, "apply that is interrupted")


def packages(test, root):
    """init in a terminal and in a pipe, with packages that arrive slowly."""
    server = loopback.start()
    home = os.path.join(root, "home")
    os.makedirs(home)
    outputs = []
    for name, columns in (("wide", 100), ("narrow", 40), ("piped", 0)):
        folder = os.path.join(root, "init-" + name)
        os.makedirs(folder)
        with open(os.path.join(folder, "main.tf"), "w", encoding="utf-8") as file:
            file.write('terraform {\n  required_providers {\n    a = { source = "acme/trickle" }\n'
                       '    b = { source = "acme/trickle2" }\n  }\n}\n')
        with open(os.path.join(folder, "cli.tofurc"), "w", encoding="utf-8") as file:
            file.write('host "registry.opentofu.org" {\n  services = {\n    "providers.v1" = "%s/providers/"\n  }\n}\n'
                       % server.url)
        settings = {"TF_CLI_CONFIG_FILE": os.path.join(folder, "cli.tofurc")}
        if columns == 0:
            done = subprocess.run([test.binary, "init", "-no-color"], cwd=folder, capture_output=True, check=False, text=True,
                                  env={"PATH": os.environ["PATH"], "HOME": home, "TERM": "xterm", **settings})
            test.expect(done.returncode == 0 and "MB" not in done.stdout, "init in a pipe: " + done.stdout + done.stderr)
            outputs.append("".join(done.stdout.split()))
            continue
        run = Run(test.binary, folder, ["init", "-no-color"], columns, settings)
        test.expect(run.finish([60, 100] if columns == 40 else ()) == 0, "init: %s" % run.screen.all())
        test.expect(all(len(line) < 101 for line in run.status), "init: %r" % run.status[:3])
        if columns == 100:
            seen = r"^init 0/2 · 2 running: acme/trickle2? \d\.\d/2\.0 MB, acme/trickle2? .* · \d\.\d MB/s · 0:0\d$"
            test.expect(any(re.match(seen, line) for line in run.status), "init shows %r" % run.status)
            outputs.append("".join("".join(run.screen.all()).split()))
        test.clean(run, "init at %d columns" % columns)
    test.expect(outputs[0] == outputs[1], "init prints other text in a terminal: %r" % (outputs,))
    server.stop()


def suites(test, root):
    """Runs of test files, in a terminal and in a pipe."""
    folder = os.path.join(root, "suite")
    os.makedirs(folder)
    with open(os.path.join(folder, "main.tf"), "w", encoding="utf-8") as file:
        file.write('resource "terraform_data" "a" {\n  provisioner "local-exec" {\n    command = "sleep 0.5"\n  }\n}\n')
    with open(os.path.join(folder, "main.tftest.hcl"), "w", encoding="utf-8") as file:
        file.write('run "made" {}\nrun "planned" {\n  command = plan\n}\n')
    run = Run(test.binary, folder, ["test", "-no-color"], 100)
    test.expect(run.finish() == 0, "test: %s" % run.screen.all())
    test.expect(any(re.match(r"^test 0/2 · 1 running: main\.tftest\.hcl: made \ds · 0:0\d$", line) for line in run.status),
                "test shows %r" % run.status)
    test.clean(run, "test")
    done = subprocess.run([test.binary, "test", "-no-color"], cwd=folder, capture_output=True, check=False, text=True,
                          env={"PATH": os.environ["PATH"], "HOME": folder, "TERM": "xterm"})
    test.expect(done.stdout.split() == "\n".join(run.screen.all()).split(), "test prints other text in a terminal")


def elsewhere(test, root):
    """Without a terminal nothing is drawn, whatever the environment says."""
    folder = test.folder(root, "piped")
    done = subprocess.run([test.binary, "apply", "-auto-approve", "-no-color"], cwd=folder, capture_output=True, check=False,
                          env={"PATH": os.environ["PATH"], "HOME": folder, "TERM": "xterm", "KINU_PAGER": "false"})
    test.expect(done.returncode == 0 and b"\x1b" not in done.stdout and b"Time:" not in done.stdout,
                "output without a terminal: %r" % done.stdout[-300:])
    run = Run(test.binary, folder, ["show", "-no-color"], 80, {"KINU_PAGER": "head -n 1 | tr a-z A-Z"})
    test.expect(run.finish() == 0 and run.screen.all()[0].startswith("# TERRAFORM_DATA.A[0]:"), "pager: %r" % run.screen.all()[:2])
    run = Run(test.binary, folder, ["plan", "-no-color", "-destroy", "-pager"], 80, {"PAGER": "grep -c destroyed"})
    test.expect(run.finish() == 0 and "60" in run.screen.all(), "plan -pager: %r" % run.screen.all()[-12:])
    with open(os.path.join(folder, "main.tf"), "a", encoding="utf-8") as file:
        file.write("x = 1\n")
    for words, extra, linked in ((["validate"], {}, True), (["validate", "-no-color"], {}, False), (["validate"], {"TERM": "dumb"}, False)):
        run = Run(test.binary, folder, words, 80, extra)
        raw = []
        feed, run.screen.feed = run.screen.feed, raw.append
        run.finish()
        link = "\x1b]8;;file://" + folder
        test.expect((link in "".join(raw)) == linked, "links of %s %s: %r" % (words, extra, "".join(raw)[:200]))
        del feed
    for words, extra, colored in ((["query", "$.["], {}, True), (["query", "$.["], {"NO_COLOR": "1"}, False),
                                  (["query", "-color=never", "$.["], {}, False), (["query", "-color=always", "$.["], {"NO_COLOR": "1"}, True)):
        run = Run(test.binary, folder, words, 80, extra)
        raw = []
        run.screen.feed = raw.append
        run.finish()
        test.expect(("\x1b[31m" in "".join(raw)) == colored, "colours of %s %s" % (words, extra))
    for extra, colored in (({}, False), ({"CLICOLOR_FORCE": "1"}, True)):
        done = subprocess.run([test.binary, "query", "$.["], cwd=folder, capture_output=True, check=False, stdin=subprocess.DEVNULL,
                              env={"PATH": os.environ["PATH"], **extra})
        test.expect((b"\x1b[31m" in done.stderr) == colored, "colours without a terminal, %s" % extra)


def cpu_of_apply(binary, root, configuration, status):
    """Seconds of CPU of one apply. `status`: the value of KINU_STATUS; None: no terminal."""
    folder = tempfile.mkdtemp(dir=root)
    with open(os.path.join(folder, "main.tf"), "w", encoding="utf-8") as file:
        file.write(configuration)
    ours, theirs = pty.openpty()
    stream = subprocess.DEVNULL if status is None else theirs
    process = subprocess.Popen([os.path.abspath(binary), "apply", "-auto-approve"], cwd=folder, stdin=subprocess.DEVNULL,
                               stdout=stream, stderr=stream,
                               env=dict(os.environ, TERM="xterm-256color", KINU_STATUS=status or "0"))
    os.close(theirs)
    try:
        while os.read(ours, 65536):
            pass
    except OSError:  # the last user of the terminal has closed it
        pass
    os.close(ours)
    _, _, usage = os.wait4(process.pid, 0)
    return usage.ru_utime + usage.ru_stime


def measure(binary, root):
    slow = CONFIGURATION.replace("%d", "-1").replace("sleep 0.2", "sleep 1")
    quick = 'resource "terraform_data" "a" {\n  count = 1000\n  input = count.index\n}\n'
    for name, configuration, runs in (("60 objects of a second", slow, 3), ("1,000 objects", quick, 30)):
        seconds = {"1": [], "0": [], None: []}
        for _ in range(runs):
            for status, spent in seconds.items():
                spent.append(cpu_of_apply(binary, root, configuration, status))
        print("%s: %.4f s with the line, %.4f s without, %.4f s without a terminal" % (
            name, *(min(spent) for spent in seconds.values())))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--binary", required=True)
    parser.add_argument("--frames")
    parser.add_argument("--measure", action="store_true")
    args = parser.parse_args()
    test = Test(args.binary)
    with tempfile.TemporaryDirectory(prefix="status-") as root:
        if args.measure:
            measure(args.binary, root)
            return 0
        widths(test, root, args.frames)
        resized(test, root)
        failures(test, root, args.frames)
        elsewhere(test, root)
        packages(test, root)
        suites(test, root)
    print("%d failed" % test.failures)
    return 1 if test.failures else 0


if __name__ == "__main__":
    sys.exit(main())
