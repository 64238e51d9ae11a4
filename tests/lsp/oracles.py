#!/usr/bin/env python3
"""Asks the language server about files of other people, and compares with what is known otherwise.

    tests/lsp/oracles.py --binary PROGRAM [--schema FILE]... [--sample N] [--floors FILE] [--oracle NAME]...
        [--cases DIRECTORY] [FOLDER...]

deletion    a name is cut, or all of it but its first letter: is it among the completions, and among the first five?
soundness   a completion that is accepted adds no error about a name that is not known
binding     a declaration gets another name: where the engine then misses it, the server had seen a reference
hover       the value of a variable or local value is that which `console` says
other       what another server (--other PROGRAM) finds as definition or references is found, too: definitions that have a
            word of the reference, and references to what is declared. In the value of a declaration, some say what refers
            to the declaration

Without --sample every name is asked for. With --floors the run fails if a share is below that in the file.
"""
import argparse
import collections
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from urllib.parse import unquote

from client import Client, Refused, uri_of
from corpus import Corpus, Schemas

CAPABILITIES = {
    "general": {"positionEncodings": ["utf-8"]},
    "textDocument": {"completion": {"completionItem": {"snippetSupport": True}},
                     "hover": {"contentFormat": ["markdown"]}, "diagnostic": {}},
}
INDEXING = 10  # seconds that another server has to look at the files before it is asked
KEYWORDS = {"var", "local", "module", "data", "each", "count", "path", "self"}  # of references, before names
UNKNOWN_NAME = re.compile("undeclared|Unsupported|unknown function|no package|Invalid resource type|Invalid data", re.I)

PROPOSAL = re.compile(r" Did you mean | This variable can be declared ")


class Editor:
    """A client with the files of one corpus."""

    def __init__(self, command, corpus):
        self.client = Client(command, cwd=corpus.folder, stderr=subprocess.DEVNULL)
        self.corpus = corpus
        folder = {"uri": uri_of(corpus.folder), "name": "corpus"}
        answer = self.client.initialize(CAPABILITIES, rootUri=folder["uri"], workspaceFolders=[folder])
        self.is_utf8 = answer["capabilities"].get("positionEncoding") == "utf-8"
        self.texts = {}

    def end(self):
        self.client.kill()

    def show(self, path, text=None):
        """Opens a file, or gives it another text."""
        if path not in self.texts:
            self.client.open(uri_of(path), text if text is not None else self.original(path))
        elif text != self.texts[path]:
            self.client.change(uri_of(path), {"text": text if text is not None else self.original(path)})
        self.texts[path] = text if text is not None else self.original(path)

    def original(self, path):
        return self.corpus.modules[os.path.dirname(path)].texts[path]

    def position(self, path, offset):
        before = self.texts[path][:offset]
        line = before.rsplit("\n", 1)[-1]
        size = len(line.encode()) if self.is_utf8 else len(line.encode("utf-16-le")) // 2
        return {"line": before.count("\n"), "character": size}

    def offset(self, path, position):
        text = self.texts.get(path) or self.original(path)
        lines = text.split("\n")
        line = lines[position["line"]] if position["line"] < len(lines) else ""
        encoded = line.encode("utf-8" if self.is_utf8 else "utf-16-le")
        size = position["character"] * (1 if self.is_utf8 else 2)
        part = encoded[:size].decode("utf-8" if self.is_utf8 else "utf-16-le", "ignore")
        return sum(len(each) + 1 for each in lines[:position["line"]]) + len(part)

    def at(self, path, offset, **more):
        return {"textDocument": {"uri": uri_of(path)}, "position": self.position(path, offset), **more}

    def completions(self, path, offset):
        answer = self.client.request("textDocument/completion", self.at(path, offset))
        items = answer["items"] if isinstance(answer, dict) else answer or []
        return sorted(items, key=lambda item: item.get("sortText", item["label"]))

    def places(self, method, path, offset, **more):
        """The places that an answer has: paths and offsets of their begins."""
        answer = self.client.request(method, self.at(path, offset, **more)) or []
        out = set()
        for place in answer if isinstance(answer, list) else [answer]:
            uri = place.get("uri") or place["targetUri"]
            found = place.get("range") or place["targetSelectionRange"]
            file = unquote(uri[len("file://"):])
            if os.path.dirname(file) in self.corpus.modules and (
                    file in self.corpus.modules[os.path.dirname(file)].texts):
                out.add((file, self.offset(file, found["start"])))
        return out

    def problems(self, path):
        answer = self.client.request("textDocument/diagnostic", {"textDocument": {"uri": uri_of(path)}})
        return answer["items"]


class Table:
    """Counts by class of question."""

    def __init__(self):
        self.counts = collections.defaultdict(collections.Counter)
        self.failed = collections.defaultdict(list)

    def add(self, oracle, of_class, **found):
        for key in (of_class, "all"):
            row = self.counts[oracle, key]
            row["asked"] += 1
            for name, value in found.items():
                row[name] += bool(value)

    def fail(self, oracle, of_class, text):
        self.failed[oracle, of_class].append(text)

    def share(self, oracle, of_class, name):
        row = self.counts[oracle, of_class]
        return 100.0 * row[name] / row["asked"] if row["asked"] else 100.0


# --- Deletion and soundness ---


def matches(item, name):
    """Whether an item is the name that was cut, or the begin of the reference that it stands in."""
    label = item["label"]
    if label == name.word:
        return True
    if name.kind != "root" or not label.startswith(name.word + "."):
        return False
    return (".".join((name.word,) + name.steps) + ".").startswith(label + ".")


def cuts_of(name):
    """The ways to cut a name: (mode, begin, end, letters that stay)."""
    end = name.path_end if name.kind == "root" else name.end
    yield "empty", name.begin, end, ""
    if len(name.word) > 1:
        yield "typed", name.begin, end, name.word[0]
    if name.kind == "argument":
        yield "whole", name.begin, name.item_end, ""


def ask_deletion(editor, path, name, of_class, table):
    text = editor.original(path)
    for mode, begin, end, letters in cuts_of(name):
        editor.show(path, text[:begin] + letters + text[end:])
        items = editor.completions(path, begin + len(letters))
        if letters:
            items = [item for item in items if item["label"].lower().startswith(letters.lower())]
        at = next((number for number, item in enumerate(items) if matches(item, name)), None)
        of_all = "deletion " + mode if of_class != "value" else "values " + mode
        table.add(of_all, of_class, found=at is not None, five=at is not None and at < 5)
        if at is None or at >= 5:
            line = text.count("\n", 0, begin) + 1
            first = " ".join(item["label"] for item in items[:6])
            table.fail(of_all, of_class, "%s:%d %s at %s; first %s" % (path, line, name.word, at, first))
    editor.show(path)


def plain(snippet):
    """The text of a snippet, with values that are no names in place of its stops."""
    snippet = re.sub(r"\$\{\d+\|([^,|]*)[^}]*\}", r"\1", snippet)
    snippet = re.sub(r'"\$\{?(\d+)(:[^}]*)?\}?"', '"x"', snippet)
    snippet = re.sub(r"\$\{\d+:[^}]*\}", "null", snippet)
    snippet = re.sub(r"\$0", "", snippet)
    snippet = re.sub(r"([\[{]\s*)\$\d+(\s*[\]}])", r"\1\2", snippet)
    return re.sub(r"\$\d+", "null", snippet).replace("\\$", "$").replace("\\}", "}")


def unknown_names(editor, path):
    """What the problems are, without what they propose."""
    return collections.Counter(PROPOSAL.split(item["message"])[0] for item in editor.problems(path)
                               if UNKNOWN_NAME.search(item["message"]))


def ask_soundness(editor, path, name, of_class, table, rng):
    text = editor.original(path)
    editor.show(path)
    before = unknown_names(editor, path)
    # A whole item goes: what stood in it belongs to that item.
    end = {"root": name.path_end, "argument": name.item_end, "block": name.item_end}.get(name.kind, name.end)
    without = text[:name.begin] + text[end:]
    editor.show(path, without)
    before |= unknown_names(editor, path)  # of what refers to it
    items = editor.completions(path, name.begin)
    for item in items if len(items) <= 10 else rng.sample(items, 6):
        edit = item.get("textEdit")
        if edit is None:
            continue
        editor.show(path, without)
        span = edit.get("range") or edit["replace"]
        begin, end_of = editor.offset(path, span["start"]), editor.offset(path, span["end"])
        written = edit["newText"]
        if item.get("insertTextFormat") == 2:
            written = plain(written)
        editor.show(path, without[:begin] + written + without[end_of:])
        added = unknown_names(editor, path) - before
        if name.kind == "label":  # what refers to an object of the old type does not count
            added = [message for message in added if item["label"] in message]
        table.add("soundness", of_class, sound=not added)
        if added:
            line = text.count("\n", 0, begin) + 1
            table.fail("soundness", of_class, "%s:%d %s: %s" % (path, line, item["label"], list(added)[0]))
    editor.show(path)


# --- Binding ---

DECLARED_BY = {"variable", "local", "output", "resource", "data", "module"}


def files_that_see(corpus, module):
    """The files of a module and of those that call it."""
    files = list(module.texts)
    for caller in corpus.modules.values():
        if any(caller.called(call) == module.directory for call in caller.sources):
            files += list(caller.texts)
    return files


def missed(editor, files):
    """What the engine says about names that it misses: by file, the ranges of messages."""
    out = collections.Counter()
    for path in files:
        for item in editor.problems(path):
            if UNKNOWN_NAME.search(item["message"]):
                span = item["range"]
                out[path, editor.offset(path, span["start"]), editor.offset(path, span["end"]),
                    item["message"]] += 1
    return out


def ask_binding(editor, corpus, module, key, table):
    path, name = module.declared[key]
    text = editor.original(path)
    files = files_that_see(corpus, module)
    for file in files:
        editor.show(file)
    places = editor.places("textDocument/references", path, name.begin, context={"includeDeclaration": False})
    before = missed(editor, files)
    length = len(name.word)
    editor.show(path, text[:name.begin] + "Q" * length + text[name.end:])  # as long: all offsets stay
    after = missed(editor, files)
    editor.show(path)
    bound = set()
    for file, begin, end, message in after - before:
        of_file = corpus.modules[os.path.dirname(file)].names[file]
        uses = [use for use in of_file
                if use.word == name.word and begin <= use.begin and use.end <= end and
                (use.kind in ("step", "argument"))]
        if not uses:
            continue
        bound.update((file, use.begin) for use in uses)
        seen = any((file, use.begin) in places for use in uses)
        at = next((use for use in uses if (file, use.begin) in places), uses[0])
        targets = editor.places("textDocument/definition", file, at.begin)
        leads = (path, name.begin) in targets
        table.add("binding", key[0], reference=seen, definition=leads)
        if not seen or not leads:
            line = editor.original(file).count("\n", 0, begin) + 1
            table.fail("binding", key[0], "%s:%d %s (%s)%s%s" % (
                file, line, name.word, message.split("\n")[0], "" if seen else ": no reference",
                "" if leads else ": no definition"))
    for file, offset in places if bound else ():
        # Engines do not look at all: addresses in `moved`, calls without their module.
        table.add("references", key[0], engine=(file, offset) in bound)
        if (file, offset) not in bound:
            text = editor.original(file)
            table.fail("references", key[0], "%s:%d %s" % (file, text.count("\n", 0, offset) + 1, name.word))


# --- Hover ---

VALUE = re.compile(r"^(?:Default|Value|In `[^`]*`): `(.*)`$", re.MULTILINE)


def console(binary, folder, lines):
    """The answers to expressions whose values have one line each, without warnings before them, and the errors."""
    environment = dict(os.environ)
    environment.pop("TF_CLI_CONFIG_FILE", None)
    answer = subprocess.run([binary, "console"], cwd=folder, input="".join(line + "\n" for line in lines),
                            env=environment, capture_output=True, text=True, timeout=60)
    return answer.stdout.splitlines()[-len(lines):], answer.stderr


def ask_hover(editor, corpus, module, table, binary):
    told = []  # (name, value, its declaration)
    for (kind, words), (path, name) in sorted(module.declared.items()):
        if kind not in ("variable", "local"):
            continue
        editor.show(path)
        answer = editor.client.request("textDocument/hover", editor.at(path, name.begin))
        value = VALUE.search(answer["contents"]["value"]) if answer else None
        if value:
            text = module.texts[path]
            declared = declaration_of(text, module.names[path], name)
            told.append((("var." if kind == "variable" else "local.") + words[0], value.group(1), declared))
    # Each alone: nothing needs a provider, and no other declaration is evaluated.
    for key, value, declared in told:
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "main.tf"), "w", encoding="utf-8") as out:
                out.write(declared)
            for entry in os.listdir(module.directory):
                if entry == "terraform.tfvars" or entry.endswith(".auto.tfvars"):
                    shutil.copy(os.path.join(module.directory, entry), folder)
            lines, errors = console(binary, folder, ["jsonencode(%s)" % key, "jsonencode(%s)" % value])
        equal = len(lines) == 2 and same_value(lines[0], lines[1])
        table.add("hover", key.split(".")[0], equal=equal)
        if not equal:
            table.fail("hover", key.split(".")[0], "%s %s: %s; console %s %s" % (
                module.directory, key, value, lines, errors.strip()[:200]))


def same_value(one, two):
    """Whether both are equal, but for attributes that a type added as null."""
    def strip(value):
        if isinstance(value, dict):
            return {key: strip(each) for key, each in value.items() if each is not None}
        return [strip(each) for each in value] if isinstance(value, list) else value
    try:
        return strip(json.loads(json.loads(one))) == strip(json.loads(json.loads(two)))
    except ValueError:
        return one == two


def declaration_of(text, names, name):
    """The block of a variable without its rules, or a block with a local value alone."""
    if name.kind == "argument":
        return "locals {\n%s\n}\n" % text[name.begin:name.item_end]
    block = max((each for each in names if each.kind == "block" and not each.blocks and each.begin < name.begin),
                key=lambda each: each.begin)
    rules = [each for each in names if each.kind == "block" and each.blocks and
             block.begin < each.begin < block.item_end]
    out, at = "", block.begin
    for rule in rules:
        out += text[at:rule.begin]
        at = rule.item_end
    return out + text[at:block.item_end] + "\n"


# --- Another server ---


def ask_other(editor, other, path, name, table):
    for each in (editor, other):
        each.show(path)
    for method, more in (("textDocument/definition", {}),
                         ("textDocument/references", {"context": {"includeDeclaration": False}})):
        if method.endswith("references") and name.kind in ("root", "step"):
            continue
        try:
            theirs = other.places(method, path, name.begin, **more)
        except (Refused, AssertionError):
            continue
        known = words_of(editor.corpus, path, name)
        theirs = {place for place in theirs if known & words_at(editor, place)}
        if not theirs:
            continue
        ours = editor.places(method, path, name.begin, **more)
        wide = method.endswith("definition")
        answered = bool(ours)
        if wide:  # they say of each word of a reference where all of them lead
            for part in parts_around(editor.corpus, path, name):
                ours |= editor.places(method, path, part.begin, **more)
        missing = [place for place in theirs
                   if not any(place[0] == mine[0] and near(editor, place, mine, wide) for mine in ours)]
        table.add("other " + method.split("/")[1], name.kind, found=not missing, answered=answered)
        if missing:
            line = editor.texts[path].count("\n", 0, name.begin) + 1
            file, offset = missing[0]
            text = editor.original(file)
            table.fail("other " + method.split("/")[1], name.kind, "%s:%d %s; they %s:%d %r; we %d places" % (
                path, line, name.word, file, text.count("\n", 0, offset) + 1, text[offset:offset + 30], len(ours)))


def parts_around(corpus, path, name):
    """The words of the reference that a name is a part of."""
    names = corpus.modules[os.path.dirname(path)].names[path]
    roots = [each for each in names if each.kind == "root" and each.begin <= name.begin < each.path_end]
    return [each for root in roots for each in names
            if root.begin <= each.begin < root.path_end and each.kind in ("root", "step")]


def words_of(corpus, path, name):
    """What a name, or the reference that it is a part of, is about."""
    found = {each.word for each in parts_around(corpus, path, name)} - KEYWORDS
    return {name.word} if name.kind in ("label", "argument") else found


def words_at(editor, place):
    """The words of the line at a place."""
    text = editor.original(place[0])
    end = text.find("\n", place[1])
    return set(re.findall(r"[\w-]+", text[place[1]:end if end >= 0 else len(text)]))


def near(editor, theirs, ours, wide):
    """Their places are whole blocks or references; ours are the names in them."""
    if theirs == ours:
        return True
    begin, text = theirs[1], editor.original(theirs[0])
    if wide:
        return text.count("\n", 0, begin) == text.count("\n", 0, ours[1]) or begin <= ours[1] <= begin + 400
    end = text.find("\n", begin)
    return begin <= ours[1] <= (end if end >= 0 else len(text))


# --- The run ---


def sample_of(things, size, rng):
    things = list(things)
    return things if size is None or len(things) <= size else rng.sample(things, size)


def ask_corpus(options, corpus, table, rng):
    editor = Editor([options.binary, "lsp"], corpus)
    other = None
    try:
        by_class = collections.defaultdict(list)
        for module, path in corpus.files():
            for name in module.names[path]:
                by_class[corpus.class_of(module, name)].append((path, name))
        by_class.pop(None, None)
        for of_class, names in sorted(by_class.items()):
            if "deletion" in options.oracle:
                for path, name in sample_of(names, options.sample, rng):
                    ask_deletion(editor, path, name, of_class, table)
            if "soundness" in options.oracle:
                for path, name in sample_of(names, options.sample and max(options.sample // 8, 2), rng):
                    ask_soundness(editor, path, name, of_class, table, rng)
        if "binding" in options.oracle:
            declared = [(module, key) for module in corpus.modules.values() for key in sorted(module.declared)
                        if key[0] in DECLARED_BY]
            for module, key in sample_of(declared, options.sample, rng):
                ask_binding(editor, corpus, module, key, table)
        if "hover" in options.oracle:
            for module in sample_of(corpus.modules.values(), options.sample and max(options.sample // 10, 2), rng):
                ask_hover(editor, corpus, module, table, options.binary)
        if options.other and "other" in options.oracle:
            other = Editor([options.other, "serve"], corpus)
            time.sleep(INDEXING)
            names = [(path, name) for module, path in corpus.files() for name in module.names[path]
                     if name.kind in ("root", "step", "label", "argument")]
            for path, name in sample_of(names, options.sample, rng):
                ask_other(editor, other, path, name, table)
    finally:
        editor.end()
        if other:
            other.end()


def report(table, show):
    for (oracle, of_class), row in sorted(table.counts.items()):
        shares = ", ".join("%s %.2f %%" % (name, table.share(oracle, of_class, name))
                           for name in sorted(row) if name != "asked")
        for name in ("found", "five", "sound", "reference", "definition", "equal"):
            if name not in row and name in ("found", "five") and oracle.startswith("deletion"):
                shares += ", %s 0 %%" % name
        print("%-18s %-11s %6d  %s" % (oracle, of_class, row["asked"], shares))
    for key, lines in sorted(table.failed.items()):
        for line in lines[:show]:
            print("  %s %s: %s" % (key[0], key[1], line))


def below(table, path):
    """The shares that are below their floors."""
    with open(path, encoding="utf-8") as file:
        floors = json.load(file)
    out = []
    for oracle, wanted in floors.items():
        for name, floor in wanted.items():
            asked = table.counts[oracle, "all"]["asked"]
            if name == "asked":
                if asked < floor:
                    out.append("%s: %d questions, expected %d" % (oracle, asked, floor))
            elif table.share(oracle, "all", name) < floor:
                out.append("%s: %s %.2f %%, expected %.1f %%" % (
                    oracle, name, table.share(oracle, "all", name), floor))
    return out


def write_cases(directory, folder):
    """Writes the configurations of recorded sessions, each into a directory of its own."""
    for above, below, files in os.walk(directory):
        below.sort()
        for name in sorted(files):
            if not name.endswith(".case"):
                continue
            with open(os.path.join(above, name), encoding="utf-8") as file:
                sections = re.split(r"^=== ", file.read(), flags=re.MULTILINE)
            place = os.path.join(folder, os.path.relpath(os.path.join(above, name[:-5]), directory))
            for section in sections:
                head, _, text = section.partition("\n")
                path = os.path.normpath(os.path.join(place, head[5:]))
                if head.startswith("file ") and path.endswith(".tf") and path.startswith(place + "/"):
                    os.makedirs(os.path.dirname(path), exist_ok=True)
                    with open(path, "w", encoding="utf-8") as out:
                        out.write(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", required=True)
    parser.add_argument("--other")
    parser.add_argument("--schema", action="append", default=[])
    parser.add_argument("--sample", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--floors")
    parser.add_argument("--show", type=int, default=0, help="so many failures of each kind are printed")
    parser.add_argument("--oracle", action="append",
                        choices=["deletion", "soundness", "binding", "hover", "other"])
    parser.add_argument("--cases", help="a directory with recorded sessions, whose configurations are a corpus")
    parser.add_argument("folders", nargs="*")
    options = parser.parse_args()
    options.binary = os.path.abspath(options.binary)
    options.oracle = options.oracle or ["deletion", "soundness", "binding", "hover"]
    schemas = Schemas(options.schema)
    functions = set(json.loads(subprocess.run([options.binary, "metadata", "functions", "-json"], check=True,
                                              capture_output=True).stdout)["function_signatures"])
    table = Table()
    files = 0
    with tempfile.TemporaryDirectory() as scratch:
        if options.cases:
            write_cases(options.cases, scratch)
        for folder in options.folders + [scratch] * bool(options.cases):
            corpus = Corpus(folder, schemas, functions)
            files += len(corpus.files())
            ask_corpus(options, corpus, table, random.Random(options.seed))
    print("%d files" % files)
    report(table, options.show)
    wrong = below(table, options.floors) if options.floors else []
    for line in wrong:
        print("FAILED " + line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
