#!/usr/bin/env python3
"""Makes the pictures of docs/manual from real runs.

    tools/pictures.py --binary PATH [--to docs/manual/pictures]

Terminals become SVG files. The report becomes PNG files if chromium is installed. The project is that of
docs/manual/review.md.
"""
import argparse
import fcntl
import html
import os
import pty
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import termios

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
sys.path.insert(0, os.path.join(ROOT, "tests"))
from docs_examples import examples, write  # noqa: E402

SEQUENCE = re.compile(r"\x1b(?:\[([0-9;?]*)([a-zA-Z])|\][^\x07\x1b]*(?:\x07|\x1b\\))")
COLORS = {"31": "#ff7b72", "32": "#7ee787", "33": "#e3b341", "34": "#79c0ff", "35": "#d2a8ff", "36": "#76e3ea",
          "90": "#8b949e"}
MORE = [[("⋮", "#8b949e", False)]]
SLOW = """resource "terraform_data" "server" {
  count = 24
  provisioner "local-exec" {
    command = "sleep ${count.index == 5 ? 3 : 0.4}"
  }
}
"""


class Screen:
    """The lines that a run has printed, as cells (character, colour, bold)."""

    def __init__(self):
        self.lines, self.column, self.style, self.rest = [[]], 0, (None, False), ""

    def feed(self, text):
        text, at = self.rest + text, 0
        self.rest = ""
        while at < len(text):
            if text[at] == "\x1b":
                match = SEQUENCE.match(text, at)
                if not match:
                    self.rest = text[at:]
                    return
                self.control(*match.groups())
                at = match.end()
                continue
            self.put(text[at])
            at += 1

    def control(self, numbers, letter):
        if letter in ("J", "K"):
            del self.lines[-1][self.column:]
        elif letter == "m":
            for number in (numbers or "0").split(";"):
                color, bold = self.style
                self.style = ((None, False) if number == "0" else (color, True) if number == "1" else
                              (None, bold) if number == "39" else (COLORS.get(number, color), bold))

    def put(self, char):
        if char == "\r":
            self.column = 0
        elif char == "\n":
            self.lines.append([])
            self.column = 0
        elif char >= " ":
            line = self.lines[-1]
            line.extend([(" ", None, False)] * (self.column - len(line)))
            line[self.column:self.column + 1] = [(char, *self.style)]
            self.column += 1

    def text(self):
        return "".join(cell[0] for cell in self.lines[-1])


def run(binary, folder, words, until=None, columns=100):
    """Runs kinu in a terminal. Returns its screen at the end, or when the last line matches until."""
    screen = Screen()
    process, master = pty.fork()
    if process == 0:
        os.chdir(folder)
        os.execve(binary, ["kinu", *words],
                  {"PATH": os.environ["PATH"], "HOME": folder, "TERM": "xterm", "CLICOLOR_FORCE": "1"})
    fcntl.ioctl(master, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    frame = None
    while True:
        try:
            data = os.read(master, 65536)
        except OSError:
            break
        if not data:
            break
        screen.feed(data.decode(errors="replace"))
        if until and frame is None and re.search(until, screen.text()):
            frame = [list(line) for line in screen.lines]
    os.waitpid(process, 0)
    os.close(master)
    if until:
        if frame is None:
            sys.exit("no line of %s has matched %s" % (" ".join(words), until))
        screen.lines = frame
    return screen.lines


def spans(line):
    """A line as SVG text with one tspan for each run of cells with the same style."""
    out, at = "", 0
    while at < len(line):
        end = at
        while end < len(line) and line[end][1:] == line[at][1:]:
            end += 1
        words = html.escape("".join(cell[0] for cell in line[at:end]))
        _, color, bold = line[at]
        style = (' fill="%s"' % color if color else "") + (' font-weight="bold"' if bold else "")
        out += "<tspan%s>%s</tspan>" % (style, words) if style else words
        at = end
    return out


def svg(path, command, lines, columns=100):
    """Writes the picture of a command and the lines below it."""
    while lines and not lines[-1]:
        lines = lines[:-1]
    prompt = [(char, "#8b949e", False) for char in "$ "] + [(char, None, True) for char in command]
    lines = [prompt, *lines]
    body = "".join('<text x="16" y="%d" xml:space="preserve">%s</text>\n' % (28 + 19 * i, spans(line))
                   for i, line in enumerate(lines) if line)
    width, height = 32 + round(8.43 * columns), 24 + 19 * len(lines)
    with open(path, "w", encoding="utf-8") as handle:
        handle.write('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" '
                     'font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" font-size="14" fill="#e6edf3">\n'
                     '<rect width="100%%" height="100%%" rx="8" fill="#0d1117"/>\n%s</svg>\n'
                     % (width, height, width, height, body))


def terminals(binary, folder, to):
    svg(os.path.join(to, "diff.svg"), "kinu show tf.plan", run(binary, folder, ["show", "tf.plan"])[:24] + MORE)
    svg(os.path.join(to, "summary.svg"), "kinu show -summary tf.plan", run(binary, folder, ["show", "-summary", "tf.plan"]))
    slow = os.path.join(folder, "slow")
    write({"main.tf": SLOW}, slow)
    frame = run(binary, slow, ["apply", "-auto-approve"], until=r"^apply 1\d/24 · \d+ running")
    svg(os.path.join(to, "progress.svg"), "kinu apply -auto-approve", MORE + frame[-12:])


def report(binary, folder, to):
    browser = shutil.which("chromium")
    if browser is None:
        print("skipped: chromium is not installed, so the pictures of the report stay as they are")
        return
    subprocess.run([binary, "show", "-html=report.html", "tf.plan"], cwd=folder, check=True)
    for theme, settings in (("light", []), ("dark", ["--blink-settings=preferredColorScheme=0"])):
        subprocess.run([browser, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", *settings,
                        "--user-data-dir=" + os.path.join(folder, "browser"), "--window-size=1100,640",
                        "--screenshot=" + os.path.join(to, "report-%s.png" % theme),
                        "file://%s/report.html#terraform_data.server[0]" % folder],
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=120)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--binary", required=True)
    parser.add_argument("--to", default=os.path.join(ROOT, "docs", "manual", "pictures"))
    args = parser.parse_args()
    binary, to = os.path.abspath(args.binary), os.path.abspath(args.to)
    os.makedirs(to, exist_ok=True)
    files, commands = examples(os.path.join(ROOT, "docs", "manual", "review.md"))
    with tempfile.TemporaryDirectory(prefix="pictures-") as folder:
        write(files, folder)
        os.mkdir(os.path.join(folder, "bin"))
        os.symlink(binary, os.path.join(folder, "bin", "kinu"))
        environment = {**os.environ, "PATH": os.path.join(folder, "bin") + ":" + os.environ["PATH"]}
        for command, _, _ in commands[:2]:  # those that make the plan
            subprocess.run(["sh", "-c", command], cwd=folder, env=environment, check=True)
        terminals(binary, folder, to)
        report(binary, folder, to)
    print("pictures in", to)
    return 0


if __name__ == "__main__":
    sys.exit(main())
