#!/usr/bin/env python3
"""Drives Helix in a terminal of tmux through what its users do, and writes down what they see (editors.py).

Helix has no way to be driven but its keys, and shows everything on the screen: each step types keys and waits for a text.
"""
import json
import os
import re
import subprocess
import sys
import time

PATIENCE = 30
WORKSPACE = os.environ["EDITOR_WORKSPACE"]
BORDERS = re.compile("[│┌┐└┘─]+")


class Screen:
    def __init__(self, command):
        self.tmux = ["tmux", "-f", "/dev/null", "-L", "helix-%d" % os.getpid()]
        self.run("new-session", "-d", "-x", "150", "-y", "45", *command)

    def run(self, *arguments):
        return subprocess.run([*self.tmux, *arguments], check=True, capture_output=True, text=True).stdout

    def lines(self):
        """The lines on the screen, without frames and the empty rest."""
        lines = [BORDERS.sub(" ", line).rstrip() for line in self.run("capture-pane", "-p").split("\n")]
        return [line for line in lines if line.strip() not in ("", "~")]

    def wait(self, text):
        end = time.monotonic() + PATIENCE
        while not any(text in line for line in self.lines()):
            if time.monotonic() > end:
                raise AssertionError("%r is not shown:\n%s" % (text, "\n".join(self.lines())))
            time.sleep(0.05)
        time.sleep(0.2)  # the rest of the frame
        return self.lines()

    def keys(self, *keys):
        for key in keys:
            self.run("send-keys", key)
            time.sleep(0.1)

    def ask(self, keys, text, back=("Escape",)):
        """Types keys again and again until the text is shown: at first the server may not be ready."""
        end = time.monotonic() + PATIENCE
        while True:
            self.keys(*keys)
            shown = time.monotonic() + 3
            while time.monotonic() < shown:
                if any(text in line for line in self.lines()):
                    return self.wait(text)
                time.sleep(0.05)
            if time.monotonic() > end:
                return self.wait(text)
            self.keys(*back)

    def type(self, text):
        self.run("send-keys", "-l", text)

    def command(self, text):
        self.type(":" + text)
        self.keys("Enter")

    def found(self, pattern):
        """What fits a regular expression, line by line, with single blanks."""
        return [each for line in self.lines() for each in re.findall(pattern, " ".join(line.split()))]

    def end(self):
        subprocess.run([*self.tmux, "kill-server"], check=False)


def read(name):
    """The text of a file; nothing while it is being replaced."""
    try:
        with open(os.path.join(WORKSPACE, name), encoding="utf-8") as file:
            return file.read()
    except FileNotFoundError:
        return ""


def wait_for_file(name, text):
    end = time.monotonic() + PATIENCE
    while text not in read(name):
        if time.monotonic() > end:
            raise AssertionError("%s does not have %r:\n%s" % (name, text, read(name)))
        time.sleep(0.05)
    return read(name)


def look_up(screen, seen):
    screen.wait("terraform_data")
    screen.command("goto 12")
    screen.keys("f", ".", "l")
    screen.wait("12:18")
    screen.ask(["Space", "k"], "Type: string")
    seen["hover"] = screen.found(r"Type: \w+")
    screen.keys("Escape", "g", "d")
    screen.wait("7:3")
    seen["definition"] = "7:3"
    screen.keys("g", "r")
    screen.wait("3/3")
    seen["references"] = screen.found(r"main\.tf:\d+")
    screen.keys("Escape", "Space", "s")
    screen.wait("11/11")
    seen["symbols"] = screen.found(r"(?:namespace|object|constant|module|class) [\w.]+")
    screen.keys("Escape", "Space", "S")
    screen.wait("container path")
    screen.type("label")
    screen.wait("output.label")
    seen["workspace symbols"] = screen.found(r"method output\.label child child/main\.tf")
    screen.keys("Escape")


def change(screen, seen):
    screen.keys("Space", "r")
    screen.wait("rename-to:")
    screen.keys("C-u")
    screen.type("start")
    screen.keys("Enter")
    screen.wait("local.start")
    screen.command("write-all")
    seen["rename, formatted when it was saved"] = wait_for_file("main.tf", "local.start")
    screen.command("open layout.tf")
    screen.wait("layout.tf")
    screen.command("format")
    screen.command("write")
    seen["format"] = wait_for_file("layout.tf", "\n  value")
    screen.command("open broken.tf")
    screen.wait("Reference to undeclared input variable")
    seen["problem"] = screen.found("Reference to undeclared input variable")
    screen.keys("g", "g")
    screen.command("goto 2")
    screen.keys("f", "{", "l", "l", "Space", "a")
    screen.wait("Declare")
    seen["fixes"] = screen.found(r'(?:Change|Declare) [\w "]+"(?: in [\w.]+)?')
    screen.keys("Escape")


def complete(screen, seen):
    screen.command("open new.tf")
    screen.wait("new.tf")
    screen.keys("i")
    screen.type('output "new" { value = var.sta')
    screen.wait("stage")
    screen.keys("Tab", "Escape")
    screen.command("write")
    seen["completion"] = wait_for_file("new.tf", "stage")
    screen.keys("A")
    screen.type("\nlocals {\nx = substr(")
    # The menu of completions may cover the signature, and another argument closes it.
    screen.ask(["1", ","], "substr(str, offset, length)", back=())
    seen["signature"] = "substr(str, offset, length)"
    screen.keys("Escape", "Escape")


def main():
    screen = Screen(["hx", "main.tf"])
    seen = {}
    try:
        look_up(screen, seen)
        change(screen, seen)
        complete(screen, seen)
        screen.command("quit-all!")
        time.sleep(1)
    finally:
        screen.end()
    with open(os.environ["EDITOR_SEEN"], "w", encoding="utf-8") as file:
        json.dump(seen, file)


if __name__ == "__main__":
    sys.exit(main())
