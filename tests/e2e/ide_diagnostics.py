#!/usr/bin/env python3
"""Compares what `ide diagnostics` says of configurations with what `validate -json` says.

The configurations are those of random worlds (tests/worlds). Text and range are equal, less what provider processes
say, and what `validate` says only because a package is missing. Each configuration is checked from its own directory
and, under `ide`, from the directory above it, so that nothing depends on where the program runs.

Where an error ends `validate`, `ide` may say more. Each of these must be what `validate` says as well once such errors
are mended: a part of the text around them gives way to spaces, so that `validate` says nothing that neither of both has
said before.

    ide_diagnostics.py --binary build/dev/src/cli/tofu [--mirror build/dev/mirror] [--first N] [--count N]
"""
import argparse
import collections
import itertools
import json
import os
import re
import subprocess
import sys
import tempfile

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(TESTS, "lsp"))
sys.path.insert(0, os.path.join(TESTS, "worlds"))
import generate  # noqa: E402
from client import Client, uri_of  # noqa: E402

# Summaries of the tests' provider, of its SDK, and of missing packages.
OF_PROVIDERS = {"Attribute Deprecated", "Block Deprecated", "Odd behaviour", "Missing required provider",
                "Invalid provider configuration", "Failed to load plugin schemas", "Unable to Convert Attribute Path",
                "Configuration Read Error"}
# Summaries of texts that do not parse, or mean something else.
OF_SYNTAX = {"Argument or block definition required", "Extraneous data after value", "Invalid JSON string",
             "Invalid block definition", "Invalid expression", "Invalid object property name", "Invalid start of value",
             "Mismatched braces", "Mismatched brackets", "Missing JSON value", "Missing array element value",
             "Missing attribute seperator comma", "Missing newline after argument", "Missing object value",
             "Missing property value colon", "Missing value", "Root value must be object", "Trailing comma in array",
             "Trailing comma in object", "Unclosed configuration block", "Unclosed object", "Unsupported argument",
             "Unsupported block type"}
# Summaries of errors about what is not there.
OF_MISSING = {"Missing required argument", "Reference to undeclared input variable", "Reference to undeclared local value",
              "Reference to undeclared module", "Reference to undeclared resource", "Unsupported attribute"}
MOST_MENDS = 8
MOST_NEW = 3  # a part whose loss causes as many errors is too large


def run(binary, arguments, directory, env):
    return subprocess.run([binary, *arguments], cwd=directory, env=env, capture_output=True, text=True, timeout=60)


def told(diagnostic, place, above=""):
    where = None
    if place and place["filename"] not in (".", "", above.rstrip("/")):
        name = place["filename"]
        name = name[len(above):] if above and name.startswith(above) else name
        where = (name, place["start"]["byte"], place["end"]["byte"])
    return (diagnostic["severity"], diagnostic["summary"], diagnostic.get("detail", ""), where)


class Mending:
    """Mends the errors with which `validate` ends, one after the other, and collects what it says then."""

    def __init__(self, binary, directory, files, env):
        self.binary, self.directory, self.env = binary, directory, env
        self.texts = {name: text.encode() for name, text in files.items()}
        self.removed = ""

    def run(self, valid, known, extra):
        """Which of the extra errors `validate` says of mended texts. `known`: all that may be said."""
        said = set()
        errors = self.errors_of(valid)
        for _ in range(MOST_MENDS):
            mended = None
            for error in sorted(errors - (extra - said), key=str):
                if mended is None and error[0] == "error" and error[3] and error[3][0] in self.texts:
                    mended = self.mend(error, known)
            # Behind a package that is missing, nothing is said of what needs it; behind a cycle, nothing at all.
            if mended is None or any(
                    not error[3] and (error[1] in OF_PROVIDERS or error[1].startswith("Cycle: ")) for error in mended):
                return said if mended is None else extra
            errors = mended
            said |= {error for error in errors & extra if not self.is_caused(error)}
        return said

    def is_caused(self, error):
        """Whether an error may be about something that was taken away."""
        return error[1] in OF_MISSING and any(
            re.search(r"(?<![\w-])%s(?![\w-])" % re.escape(name), self.removed)
            for name in re.findall(r'"([^"]+)"', error[2]))

    @staticmethod
    def errors_of(valid):
        return {told(one, one.get("range")) for one in valid["diagnostics"]}

    def mend(self, error, known):
        """The errors that are left without a part around an error: the smallest one of those that add the fewest. None:
        no part mends it."""
        name, begin, _ = error[3]
        best, least = None, MOST_NEW
        # Providers show a block for what is wrong with a part of it.
        parts = self.parts(name, begin, error[1] in OF_PROVIDERS)
        if name.endswith(".json") and error[1] in OF_SYNTAX:
            parts.append((0, len(self.texts[name])))  # a file that begins with something else
        for spans in parts:
            blank = bytearray(self.texts[name])
            for at in range(*spans):
                blank[at] = blank[at] if blank[at] in b"\r\n" else ord(" ")
            if not blank.strip():
                blank[:2] = b"{}"
            left = self.errors_without(name, bytes(blank))
            new = [each for each in left - known if each[0] == "error" and each[1] not in OF_PROVIDERS]
            if error not in left and len(new) < least and not any(each[1] in OF_SYNTAX for each in new):
                best, least = (bytes(blank), left, self.texts[name][slice(*spans)]), len(new)
        if best:
            self.texts[name] = best[0]
            self.removed += best[2].decode(errors="replace") + "\n"
        self.write(name, self.texts[name])
        return best[1] if best else None

    def errors_without(self, name, text):
        self.write(name, text)
        run(self.binary, ["init", "-backend=false", "-no-color"], self.directory, self.env)
        return self.errors_of(json.loads(run(self.binary, ["validate", "-json"], self.directory, self.env).stdout))

    def write(self, name, text):
        with open(os.path.join(self.directory, name), "wb") as out:
            out.write(text)

    def parts(self, name, offset, inside):
        """Parts of the syntax around an offset, the innermost first; with `inside` before them those in the lines of the
        part around. In JSON with a comma behind or before each."""
        text = self.texts[name]
        starts = list(itertools.accumulate((len(line) + 1 for line in text.split(b"\n")), initial=0))
        line = text.count(b"\n", 0, offset)
        client = Client([self.binary, "lsp"])
        try:
            client.initialize({"general": {"positionEncodings": ["utf-8"]}})
            uri = uri_of(os.path.join(self.directory, name))
            client.open(uri, text.decode())

            def chains(places):
                answer = client.request("textDocument/selectionRange", {
                    "textDocument": {"uri": uri},
                    "positions": [{"line": line, "character": character} for line, character in places]})
                return [list(self.chain(part, starts)) for part in answer]

            around = chains([(line, offset - starts[line])])[0]
            if inside and around:
                block = next(part for part in around if b"\n" in text[slice(*part)])
                lines = range(text.count(b"\n", 0, block[0]) + 1, text.count(b"\n", 0, block[1]))
                firsts = [(at, len(text[starts[at]:starts[at + 1]]) - len(text[starts[at]:starts[at + 1]].lstrip()))
                          for at in lines if text[starts[at]:starts[at + 1]].strip()]
                within = {part for chain in chains(firsts) for part in chain if block[0] < part[0] and part[1] < block[1]}
                around = sorted(within, key=lambda part: part[0] - part[1]) + around
        finally:
            client.kill()
        out = []
        for begin, end in around:
            if not text[:begin].strip() and not text[end:].strip():
                break  # the whole file
            out.append((begin, end))
            if name.endswith(".json"):
                behind = len(text) - len(text[end:].lstrip())
                before = len(text[:begin].rstrip())
                out += [(begin, behind + 1)] if text[behind:behind + 1] == b"," else []
                out += [(before - 1, end)] if text[before - 1:before] == b"," else []
        return out

    @staticmethod
    def chain(part, starts):
        while part:
            yield tuple(starts[part["range"][side]["line"]] + part["range"][side]["character"]
                        for side in ("start", "end"))
            part = part.get("parent")


def compare(binary, files, work, env):
    directory = os.path.join(work, "root")
    for name, text in files.items():
        path = os.path.join(directory, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8", newline="") as out:
            out.write(text)
    run(binary, ["init", "-backend=false", "-no-color"], directory, env)
    valid = json.loads(run(binary, ["validate", "-json"], directory, env).stdout)
    wanted = collections.Counter(told(one, one.get("range")) for one in valid["diagnostics"]
                                 if one["summary"] not in OF_PROVIDERS)
    found = []
    extra = collections.Counter()
    known = set(wanted)
    for place, arguments, above in ((directory, [], ""), (work, ["root"], "root/")):
        answer = run(binary, ["ide", "diagnostics", "-json", *arguments], place, env)
        if answer.returncode not in (0, 1):
            return ["exit code %d in %s" % (answer.returncode, place)]
        got = collections.Counter(told(one, one, above) for one in json.loads(answer.stdout)
                                  if one["summary"] not in OF_PROVIDERS)
        known |= set(got)
        found += ["missing: %s" % (key,) for key in wanted - got]
        # Where `validate` ends because of a missing package, more is known.
        if not any(one["summary"] in OF_PROVIDERS and one["severity"] == "error" for one in valid["diagnostics"]):
            # An error that ends `init` and `validate` hides that modules are not installed.
            ends = any(one["severity"] == "error" for one in valid["diagnostics"])
            extra |= collections.Counter({key: count for key, count in (got - wanted).items()
                                          if not (ends and key[1] == "Module not installed")})
    if extra:
        said = Mending(binary, directory, files, env).run(valid, known, set(extra)) if valid["error_count"] else set()
        found += ["extra: %s" % (key,) for key in extra if key not in said]
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", required=True)
    parser.add_argument("--mirror")
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--count", type=int, default=60)
    options = parser.parse_args()
    binary = os.path.abspath(options.binary)
    failed = compared = 0
    with tempfile.TemporaryDirectory() as scratch:
        env = {"PATH": os.environ["PATH"], "HOME": scratch, "TF_CLI_CONFIG_FILE": os.path.join(scratch, "rc")}
        with open(env["TF_CLI_CONFIG_FILE"], "w", encoding="utf-8") as out:
            mirror = os.path.abspath(options.mirror) if options.mirror else os.path.join(scratch, "none")
            out.write('provider_installation {\n  filesystem_mirror { path = "%s" }\n}\n' % mirror)
        for seed in range(options.first, options.first + options.count):
            files = {name: text for name, text in generate.make(seed)["in"].items() if isinstance(text, str)}
            with tempfile.TemporaryDirectory(dir=scratch) as work:
                found = compare(binary, files, os.path.realpath(work), env)
            compared += 1
            for line in found[:10]:
                print("world %d: %s" % (seed, line))
            failed += bool(found)
    print("ide diagnostics: %d configurations compared with validate, %d differ" % (compared, failed))
    return 1 if failed or not compared else 0


if __name__ == "__main__":
    sys.exit(main())
