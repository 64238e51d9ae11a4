#!/usr/bin/env python3
"""Runs the program in a terminal: prompts, interrupts, and the lines of the console.

  terminal.py --binary PATH

Each row starts the program in its own terminal, answers its prompts, and checks the screen and the
exit code.
"""
import argparse
import os
import pty
import select
import shutil
import signal
import sys
import tempfile
import termios
import time

CONTROL_C = "\x03"
CONTROL_D = "\x04"
APPLY = {"main.tf": 'resource "terraform_data" "a" {\n  input = 1\n}\n'}
VARIABLES = {"main.tf": 'variable "v" {}\nvariable "w" {}\noutput "o" {\n  value = var.v\n}\n'}
SECRET = {"main.tf": 'variable "v" {\n  sensitive = true\n}\n'
                     'output "o" {\n  value = "<${nonsensitive(var.v)}>"\n}\n'}
CONSOLE = {"main.tf": 'locals {\n  w = { "日本" = "値" }\n}\n'}
ASKED = "Enter a value:"

# name, arguments, (text to wait for, input or signal to send)..., files, exit code, texts that must
# be on the screen in this order, texts that must not
ROWS = [
    ("approval, Control-C", ["apply", "-no-color"], [(ASKED, CONTROL_C)], APPLY, 1,
     ["Error: error asking for approval: interrupted"],
     ["Stopping operation", "Creating"]),
    ("approval, SIGTERM", ["apply", "-no-color"], [(ASKED, signal.SIGTERM)], APPLY, 1,
     ["Error: error asking for approval: context canceled"], ["Creating"]),
    ("approval, end of input", ["apply", "-no-color"], [(ASKED, CONTROL_D)], APPLY, 1,
     ["Error: error asking for approval: EOF"], ["Creating"]),
    ("approval, yes", ["apply", "-no-color"], [(ASKED, "yes\n")], APPLY, 0,
     ["Enter a value: yes\n\n", "1 added"], []),
    ("variable, Control-C", ["plan", "-no-color"], [(ASKED, CONTROL_C)], VARIABLES, 1,
     ["var.v", "Error: No value for required variable", 'variable "v"',
      "Error: No value for required variable", 'variable "w"'], ["var.w\n"]),
    ("second variable, Control-C", ["plan", "-no-color"], [(ASKED, "x\n"), (ASKED, CONTROL_C)],
     VARIABLES, 1, ["var.w", "Error: No value for required variable", 'variable "w"'],
     ['variable "v"']),
    ("console's variable, Control-C", ["refresh", "-no-color"], [(ASKED, CONTROL_C)], VARIABLES, 1,
     ["Error: No value for required variable"], []),
    ("hidden answer", ["plan", "-no-color"], [(ASKED, "secret\n")], SECRET, 0,
     ["Enter a value: \n\n\nChanges", '+ o = "<secret>"'], []),
    ("hidden answer, end of input", ["plan", "-no-color"], [(ASKED, CONTROL_D)], SECRET, 0,
     ['+ o = "<>"'], []),
    ("hidden answer, Control-C", ["plan", "-no-color"], [(ASKED, CONTROL_C)], SECRET, 1,
     ["Error: No value for required variable"], []),
    ("console, Control-C", ["console"], [("> ", CONTROL_C)], CONSOLE, 0, ["^C"], []),
    ("console, Control-C drops a line", ["console"],
     [("> ", "abc" + CONTROL_C), ("> ", "1+1\r"), ("> ", "exit\r")], CONSOLE, 0,
     ["abc^C\n> 1+1\n2\n> exit"], []),
    ("console, Tab completes names", ["console"],
     [("> ", "loca\t\t\r"), ("> ", "upp\t\"a\")\r"), ("> ", "terraform_data.a.tri\t\r"),
      ("> ", "exit\r")],
     {"main.tf": 'locals {\n  www = 1\n}\nresource "terraform_data" "a" {}\n'}, 0,
     ["www\n1\n", "\n\"A\"\n", "ggers_replace\n(known after apply)\n"], []),
    ("console, Tab completes behind keys", ["console"],
     [("> ", "terraform_data.a[0].tri\t\r"), ("> ", 'terraform_data.b["x] \\"y"].tri\t\r'), ("> ", "exit\r")],
     {"main.tf": 'resource "terraform_data" "a" {\n  count = 1\n}\n'
                 'resource "terraform_data" "b" {\n  for_each = toset(["x] \\"y"])\n}\n'}, 0,
     ["ggers_replace\n(known after apply)\n> terraform_data.b", "ggers_replace\n(known after apply)\n> exit"], []),
    ("console, Tab lists what a word may become", ["console"],
     [("> ", "time\t"), ("timestamp(", "\x03"), ("> ", "exit\r")], CONSOLE, 0,
     ["timeadd(    timecmp(    timestamp(\n"], []),
    ("console, Control-C inside brackets", ["console"],
     [("> ", "[1,\r"), (". ", "2" + CONTROL_C), (". ", "3]\r"), ("> ", "exit\r")], CONSOLE, 0,
     ["[\n  1,\n  3,\n]\n"], []),
    ("console, end of input", ["console"], [("> ", "1\r"), ("> ", CONTROL_D)], CONSOLE, 0,
     ["1\n> ", "exit\n"], []),
    ("console, letters beyond ASCII", ["console"], [("> ", 'local.w["日本"]\r'), ("> ", "exit\r")],
     CONSOLE, 0, ['"値"\n> exit'], []),
]


class Terminal:
    """A run of the program in a terminal."""

    def __init__(self, binary, arguments, files):
        self.directory = tempfile.mkdtemp(prefix="kinu-terminal-")
        for name, text in files.items():
            with open(os.path.join(self.directory, name), "w", encoding="utf-8") as file:
                file.write(text)
        self.screen = b""
        self.pid, self.descriptor = pty.fork()
        if self.pid == 0:
            os.chdir(self.directory)
            environment = {k: v for k, v in os.environ.items() if not k.startswith(("TF_", "LC_", "LANG"))}
            environment.update(TERM="xterm", HOME=self.directory)
            os.execve(binary, [binary] + arguments, environment)

    def read(self, seconds):
        """Reads output for at most that many seconds. False at the end of the output."""
        ready, _, _ = select.select([self.descriptor], [], [], seconds)
        if ready:
            try:
                piece = os.read(self.descriptor, 65536)
            except OSError:
                return False
            self.screen += piece
            return bool(piece)
        return True

    def wait_for(self, text, begin):
        """Waits for a text on the screen. Returns the position after it."""
        deadline = time.monotonic() + 60
        while text.encode() not in self.screen[begin:] and time.monotonic() < deadline:
            if not self.read(0.1):
                break
        return len(self.screen)

    def wait_for_editor(self):
        """Waits until the line editor controls the terminal, which happens after it prints its prompt."""
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            if not termios.tcgetattr(self.descriptor)[3] & termios.ICANON:
                return
            time.sleep(0.01)

    def end(self):
        """The exit code, or None if the program does not end."""
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and self.read(0.1):
            pass
        ended = 0
        while not ended and time.monotonic() < deadline:
            ended, status = os.waitpid(self.pid, os.WNOHANG)
            time.sleep(0 if ended else 0.01)
        if not ended:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        os.close(self.descriptor)
        shutil.rmtree(self.directory)
        return os.waitstatus_to_exitcode(status) if ended else None


def problems_of(binary, row):
    _, arguments, steps, files, code, present, absent = row
    terminal = Terminal(binary, arguments, files)
    place = 0
    for awaited, answer in steps:
        place = terminal.wait_for(awaited, place)
        if arguments[0] == "console":
            terminal.wait_for_editor()
        if isinstance(answer, str):
            os.write(terminal.descriptor, answer.encode())
        else:
            os.kill(terminal.pid, answer)
    found = terminal.end()
    screen = terminal.screen.decode(errors="replace").replace("\r\n", "\n")
    out = []
    if found != code:
        out.append("exit code %s, not %s" % (found, code))
    place = 0
    for text in present:
        at = screen.find(text, place)
        if at < 0:
            out.append("not on the screen: %r" % text)
        else:
            place = at + len(text)
    out += ["on the screen: %r" % text for text in absent if text in screen]
    return out + ["screen: %r" % screen] if out else []


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--binary", required=True)
    binary = os.path.abspath(parser.parse_args().binary)
    failed = 0
    for row in ROWS:
        problems = problems_of(binary, row)
        failed += bool(problems)
        for problem in problems:
            print("%s: %s" % (row[0], problem))
    print("%d of %d dialogues as they must be" % (len(ROWS) - failed, len(ROWS)))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
