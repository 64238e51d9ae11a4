"""Damages worlds: one to three random changes of a file, from the beginning on or from a later step to another one.

A change is a slip (mutants.py: a word is removed, repeated, misspelt or exchanged, a line or a block is removed or added), or
something of another world: an expression, an argument or a block. Documents in JSON change as documents.
"""
import json
import random
import re

import generate
import mutants

# How files are told apart: what one has may be put into another of its kind.
KINDS = (".tftest.hcl", ".tftest.json", ".tfvars.json", ".tfvars", ".tf.json", ".tofu.json", ".tf", ".tofu")
ARGUMENT = re.compile(r"^( *)([\w-]+)( *= *)(.*[^\s{(\[])$", re.M)
JSON_VALUES = (None, True, 0, -1, 1.5, "", "x", [], {}, [None], [[]], [{}], {"a": 1}, ["a", "b"], "${nope}", "${var.nope}", "${", "$${a}",
               "%{ if true }x%{ endif }", "${null}", "${true}", "${[1]}", "a ${1} b", "terraform_data.nope", "count.index", "${each.key}",
               "${path.module}", "${sensitive(1)}", "${timestamp()}", "é", "number", "list(string)", "${{ a = 1 }}")
JSON_NAMES = ("//", "", "count", "for_each", "lifecycle", "provider", "dynamic", "nope", "depends_on", "provisioner", "connection", "resource",
              "locals", "output", "variable", "module", "moved", "check", "value", "default", "type", "${nope}", "é", "1", "a.b", "validation")


class Pairs(list):
    """A JSON object, in which names may come again."""


def kind_of(name):
    return next((kind for kind in KINDS if name.endswith(kind)), None)


class Damage:
    """One change after the other, of the files of one world."""

    def __init__(self, world, seed):
        self.random = random.Random("damage %s" % seed)
        self.world = world
        self.donor = [item for files in self.all_files(generate.make(seed + 7_000_000)) for item in files.items()]

    @staticmethod
    def all_files(world):
        return [world["in"], *world.get("put", {}).values()]

    def files_at(self, number):
        """The files as they are at a step, without those that programs write."""
        out = dict(self.world["in"])
        for step in self.world["case"]["steps"][:number + 1]:
            out.update(self.world.get("put", {}).get(step.get("put"), {}))
            for name in step.get("remove", []):
                out.pop(name, None)
        return {name: text for name, text in out.items() if kind_of(name)}

    def lay(self, number, files):
        """Puts files there before a step. Before the first one they are there from the beginning on."""
        if number == 0:
            self.world["in"].update(files)
            return
        step = self.world["case"]["steps"][number]
        put = self.world.setdefault("put", {})
        if "put" not in step:
            step["put"] = "%02d" % (number + 50)
            put[step["put"]] = {}
        put[step["put"]].update(files)

    def make(self):
        steps = len(self.world["case"]["steps"])
        number = 0 if self.random.random() < 0.3 else self.random.randrange(steps)
        before = self.files_at(number)
        if not before:
            return
        changed = {}
        for _ in range(self.random.choice((1, 1, 1, 2, 3))):
            name = self.random.choices(sorted(before), [4 if "json" in name else 1 for name in sorted(before)])[0]
            changed[name] = self.damaged(kind_of(name), changed.get(name, before[name]))
        self.lay(number, changed)
        after = number + self.random.randint(1, 3)
        if after < steps and self.random.random() < 0.6:
            now = self.files_at(after)
            self.lay(after, {name: before[name] for name, text in changed.items() if now.get(name) == text})

    def damaged(self, kind, text):
        if "json" in kind and self.random.random() < 0.9:
            return self.of_document(kind, text)
        if self.random.random() < 0.45:
            return mutants.mutate(self.random, text)
        return self.spliced(kind, text)

    # --- Native syntax ---

    def spliced(self, kind, text):
        """Puts something of another world there: a block, an argument or an expression."""
        others = [given for name, given in self.donor if kind_of(name) == kind] or [text]
        other = self.random.choice([*others, text])
        way = self.random.choice(("expression", "expression", "expression", "argument", "argument", "inner block", "block"))
        if way == "expression":
            return self.other_expression(text, other)
        spans = mutants.blocks_of(text)
        given = [other[begin:end] for begin, end in mutants.blocks_of(other)]
        if way == "argument" and spans:
            lines = ARGUMENT.findall(other)
            return self.inside(text, spans, "".join(self.random.choice(lines)) if lines else "nope = 1")
        if way == "inner block" and spans and given:
            return self.inside(text, spans, self.random.choice(given))
        return text + "\n" + (self.random.choice(given) if given else "nope {\n}") + "\n"

    def other_expression(self, text, other):
        here, there = list(ARGUMENT.finditer(text)), [found[3] for found in ARGUMENT.findall(other)]
        if not here or not there:
            return mutants.mutate(self.random, text)
        at = self.random.choice(here)
        return text[:at.start(4)] + self.random.choice(there) + text[at.end(4):]

    def inside(self, text, spans, piece):
        at = text.find("{", self.random.choice(spans)[0]) + 1
        return text[:at] + "\n" + piece + "\n" + text[at:]

    # --- JSON ---

    def of_document(self, kind, text):
        try:
            document = json.loads(text.lstrip("\ufeff"), object_pairs_hook=Pairs)
        except ValueError:
            return mutants.mutate(self.random, text)
        holder = [document]
        self.change_value(*self.random.choice(list(self.places(holder))), kind)
        return written(holder[0])

    def places(self, holder):
        """All places of values: what holds them, and where."""
        for at, item in enumerate(holder):
            value = item[1] if isinstance(holder, Pairs) else item
            yield holder, at
            if isinstance(value, list):
                yield from self.places(value)

    def value_of_donor(self, kind):
        texts = [given for name, given in self.donor if kind_of(name) == kind]
        found = []
        for text in texts:
            try:
                found += list(self.places([json.loads(text.lstrip("\ufeff"), object_pairs_hook=Pairs)]))
            except ValueError:
                continue
        if not found:
            return self.random.choice(JSON_VALUES)
        holder, at = self.random.choice(found)
        return holder[at][1] if isinstance(holder, Pairs) else holder[at]

    def change_value(self, holder, at, kind):
        pairs = isinstance(holder, Pairs)
        name, value = holder[at] if pairs else (None, holder[at])
        way = self.random.choice(("value", "value", "value", "other", "list", "object", "first", "remove", "again", "name", "add", "more"))
        if way == "remove" and len(holder) > 1:
            del holder[at]
            return
        if way in ("again", "add") and pairs:
            holder.insert(at + 1, (name if way == "again" else self.random.choice(JSON_NAMES), self.some_value(kind) if way == "add" else value))
            return
        if way == "name" and pairs:
            name = self.random.choice((*JSON_NAMES, name + "x", name[1:]))
        elif way == "other":
            value = self.value_of_donor(kind)
        elif way == "list":
            value = [value]
        elif way == "object":
            value = Pairs([(self.random.choice(JSON_NAMES), value)])
        elif way == "first" and isinstance(value, list) and value:
            value = value[0][1] if isinstance(value, Pairs) else value[0]
        elif way == "more" and isinstance(value, list) and not isinstance(value, Pairs):
            value = [*value, self.some_value(kind)]
        else:
            value = self.some_value(kind)
        holder[at] = (name, value) if pairs else value

    def some_value(self, kind):
        return self.value_of_donor(kind) if self.random.random() < 0.3 else self.random.choice(JSON_VALUES)


def written(value, indent=""):
    """JSON with one member per line, as people write it."""
    inner = indent + " "
    if isinstance(value, Pairs):
        members = ["%s%s: %s" % (inner, json.dumps(name, ensure_ascii=False), written(item, inner)) for name, item in value]
        return "{\n%s\n%s}" % (",\n".join(members), indent) if members else "{}"
    if isinstance(value, list):
        return "[%s]" % ", ".join(written(item, inner) for item in value)
    if isinstance(value, dict):
        return written(Pairs(value.items()), indent)
    return json.dumps(value, ensure_ascii=False)


def make(seed):
    """The world of a seed, damaged."""
    world = generate.make(seed)
    Damage(world, seed).make()
    return world
