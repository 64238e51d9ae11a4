"""Makes graphs in other forms: the configurations of graphs.py, spread over files of both syntaxes and changed by override files.
Every third has the test files of graph_tests.py, some of them in JSON.

The text of a graph is read into blocks, which are enough for what these write: one argument in a line, and braces at the ends of
lines.
"""
import copy
import json
import re

import graph_tests
import graphs

HEADER = re.compile(r'^(\w+)((?: "[^"]*")*) \{$')
ARGUMENT = re.compile(r"^(\w+) *= (.*)$")
# Arguments that are addresses or words, which JSON writes without a template.
PLAIN = {"depends_on", "ignore_changes", "replace_triggered_by", "from", "to", "provider", "when", "on_failure", "source",
         "target", "replace", "mode", "command", "expect_failures"}
FILES = ("main.tf", "main.tf", "two.tf", "a.tf.json", "z.tf.json", "more.tofu", "more.tofu.json", "main.tofu")
OVERRIDES = ("override.tf", "x_override.tf", "override.tf.json", "x_override.tf.json", "y_override.tofu", "x_override.tofu.json")
COMMANDS = graphs.COMMANDS + (("workspace new w", 0.4), ("workspace select default", 0.4), ("workspace select -or-create w", 0.3),
                              ("workspace delete w", 0.2), ("validate -json", 0.8), ("fmt -check -diff -recursive", 0.3),
                              ("providers", 0.3))


class Block:
    """A block, or the value of an argument in braces: `items` are blocks and pairs (name, text or Block)."""

    def __init__(self, kind, labels):
        self.kind, self.labels, self.items = kind, labels, []

    def head(self):
        return (self.kind, *self.labels)


def parse(text):
    """The blocks of a text of graphs.py."""
    root = Block("", [])
    stack = [root]
    for line in filter(None, map(str.strip, text.splitlines())):
        if line == "}":
            stack.pop()
            continue
        header, argument = HEADER.match(line), ARGUMENT.match(line)
        if header:
            inner = Block(header[1], re.findall(r'"([^"]*)"', header[2]))
            stack[-1].items.append(inner)
        elif argument[2] == "{":
            inner = Block(argument[1], [])
            stack[-1].items.append((argument[1], inner))
        else:
            stack[-1].items.append((argument[1], argument[2]))
            continue
        stack.append(inner)
    return root.items


def native(items, depth=0):
    """The text of blocks and arguments."""
    out, pad = [], "  " * depth
    for item in items:
        if isinstance(item, Block):
            out.append("%s%s {\n%s%s}\n" % (pad, " ".join([item.kind] + ['"%s"' % label for label in item.labels]), native(item.items, depth + 1), pad))
        elif isinstance(item[1], Block):
            out.append("%s%s = {\n%s%s}\n" % (pad, item[0], native(item[1].items, depth + 1), pad))
        else:
            out.append("%s%s = %s\n" % (pad, *item))
    return ("" if depth else "\n").join(out)


def json_value(name, text, within):
    """The JSON of an argument."""
    if isinstance(text, Block):
        return {key: json_value("provider" if name == "providers" else key, value, text) for key, value in text.items}
    if re.fullmatch(r'"[^"\\]*"|true|false|\d+', text):
        return json.loads(text)
    if name in PLAIN:
        return [each.strip() for each in text[1:-1].split(", ")] if text.startswith("[") else text
    return "${%s}" % text


def json_body(items):
    """The object of a body: several blocks of one type become an array."""
    out = {}
    for item in items:
        if not isinstance(item, Block):
            out[item[0]] = json_value(item[0], item[1], None)
            continue
        value = json_body(item.items)
        for label in reversed(item.labels):
            value = {label: value}
        out.setdefault(item.kind, []).append(value)
    blocks = {item.kind for item in items if isinstance(item, Block)}
    return {name: value[0] if name in blocks and len(value) == 1 else value for name, value in out.items()}


def in_json(items):
    return json.dumps(json_body(items), indent=2) + "\n"


class Forms:
    """What makers in other forms have: the places of blocks among files, and override files."""

    def __init__(self, name):
        self.where, self.over = {}, {}
        super().__init__(name)
        self.spread, self.line = self.random.random() < 0.8, self.random.choice(("\n",) * 6 + ("\r\n",))
        for _ in range(self.random.choice((0, 1, 1, 2))):
            self.override()

    def edit(self):
        chance = self.random.random()
        if chance < 0.25:
            self.override()
        elif chance < 0.35:
            self.over = {}
        elif chance < 0.45:
            self.where = {}
        else:
            super().edit()

    def files(self):
        out = {"fail-" + name: "" for name in self.failing}
        for module in self.modules:
            for name, items in self.spread_out(module).items():
                text = in_json(items) if name.endswith(".json") else native(items)
                out[(module.folder + "/" if module.folder else "") + name] = text.replace("\n", self.line)
        return out

    def spread_out(self, module):
        """The blocks of each file of a module."""
        out = {}
        for block in parse(self.module_text(module)):
            place = (module.folder, block.head())
            if place not in self.where:
                # `main.tofu` hides what is in `main.tf`: now and then.
                self.where[place] = self.random.choice(FILES[:-1] if self.random.random() < 0.99 else FILES) if self.spread else "main.tf"
            out.setdefault(self.where[place], []).append(block)
        for (folder, name), items in self.over.items():
            if folder == module.folder:
                out.setdefault(name, []).extend(items)
        return out

    def override(self):
        """Adds an override of a block: another form of it, of which parts are left out."""
        module, pick = self.random.choice(self.modules), self.random.choice
        block = parse(self.other_form(module))[0]
        block.items = self.some(block.items)
        self.over.setdefault((module.folder, pick(OVERRIDES)), []).append(block)

    def some(self, items):
        """Some of the items of a body, at least one."""
        kept = [copy.copy(item) for item in items if self.random.random() < 0.5] or items[:1]
        for item in kept:
            if isinstance(item, Block) and item.kind == "lifecycle":
                item.items = self.some(item.items)
        return kept

    def other_form(self, module):
        """The text of a block of a module as it could have been made instead."""
        roll, part = self.random.random(), self.random.choice(module.parts)
        if roll < 0.08:
            return 'variable "in" {\n  default = %s\n  type = %s\n  sensitive = %s\n  nullable = false\n}\n' % (
                self.random.choice(('"over"', "null", "1", "true")), self.random.choice(("string", "any", "number")), self.random.choice(("true", "false")))
        if roll < 0.16:
            return 'locals {\n  l = "over"\n  flag = "%s"\n}\n' % self.random.choice(("ok", "bad"))
        if roll < 0.28:
            return 'output "out" {\n  value = %s\n  sensitive = true\n  description = "Over."\n  depends_on = [%s]\n  precondition {\n    condition = local.flag == "ok"\n    error_message = "Not ok."\n  }\n}\n' % (
                self.joined(self.some_reads(module, None, 1), module, None), part.address)
        if roll < 0.32:
            return 'terraform {\n  required_version = "%s"\n  required_providers {\n    other = {\n      source = "terraform.io/builtin/terraform"\n    }\n  }\n}\n' % self.random.choice((">= 1.6", ">= 9"))
        if roll < 0.34:
            return 'check "c" {\n  assert {\n    condition = local.flag != "ok"\n    error_message = "Over."\n  }\n}\n'
        if roll < 0.36:
            return self.random.choice(("moved", "removed", "import")) + " {\n  from = terraform_data.gone\n  to = terraform_data.gone2\n}\n"
        if roll < 0.38 and self.instances:
            return 'provider "kinutest" {\n  alias = "by"\n  prefix = "over"\n  for_each = toset(["a", "b"])\n}\n'
        other = copy.copy(part)
        if isinstance(part, graphs.Call):
            other.repeat, other.enabled = self.random.choice((None, "count", "for_each")), self.random.choice((None, "true", "false"))
            other.given = self.some_reads(module, part, 1)
            return self.call_text(other)
        other.life, other.version, other.reads = {}, part.version + 100, self.some_reads(module, part, 1)
        other.repeat = self.random.choice((None, part.repeat, "count", "for_each"))
        other.provisioners = self.random.choice(([], ["create"], ["destroy"], ["continue"]))
        self.choose_life(other)
        self.choose_instance(other)
        return self.node_text(other)


class Maker(Forms, graphs.Maker):
    """A configuration in other forms."""


class TestMaker(Forms, graph_tests.Maker):
    """The same with test files, some of them in JSON."""

    def files(self):
        out = super().files()
        for name, text in self.tests.items():
            place = ("test", name)
            if place not in self.where:
                self.where[place] = self.random.random() < 0.6
            if self.where[place]:
                out[name.replace(".hcl", ".json")] = in_json(parse(text))
            else:
                out[name] = text
        return out


class Graph(graphs.Graph):
    """A graph in other forms, in workspaces."""

    NAME, MAKER, COMMANDS = "forms", Maker, COMMANDS


class TestGraph(graph_tests.Graph):
    """A graph in other forms, whose commands are tests."""

    NAME, MAKER = "forms", TestMaker


def make(seed):
    """The graph of a seed, in other forms."""
    return (Graph if seed % 3 else TestGraph)(seed).case()
