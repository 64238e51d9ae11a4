"""Blocks of a configuration as values, and their text in the native and in the JSON syntax."""
import json


class Expr(str):
    """An expression."""


class Name(str):
    """A traversal, a keyword or a type, which the JSON syntax writes as a plain text."""


class Block:
    """A block. `prefix` is how the rows of sources.py name its arguments."""

    def __init__(self, kind, *labels, prefix=None):
        self.kind, self.labels, self.prefix = kind, labels, prefix or kind
        self.arguments, self.blocks = {}, []

    def set(self, name, value):
        self.arguments[name] = value
        return self

    def add(self, block):
        self.blocks.append(block)
        return block

    def rows(self, outer="file"):
        """The names of its rows, those of nested blocks too."""
        yield "block %s.%s" % (outer, self.kind)
        for name in self.arguments:
            yield "%s.%s" % (self.prefix if self.prefix.startswith("setting ") else "argument " + self.prefix, name)
        for block in self.blocks:
            yield from block.rows(self.prefix)


def native_value(value, pad=""):
    if isinstance(value, (Expr, Name)):
        return str(value)
    if isinstance(value, dict):
        inner = pad + "  "
        rows = "".join("%s%s = %s\n" % (inner, key if key.isidentifier() else json.dumps(key), native_value(item, inner))
                       for key, item in value.items())
        return "{\n%s%s}" % (rows, pad) if value else "{}"
    if isinstance(value, (list, tuple)):
        return "[%s]" % ", ".join(native_value(item, pad) for item in value)
    return json.dumps(value, ensure_ascii=False)


def native(blocks, pad=""):
    """The native text of blocks."""
    out = []
    for block in blocks:
        out.append("%s%s {\n" % (pad, " ".join([block.kind, *map(json.dumps, block.labels)])))
        for name, value in block.arguments.items():
            out.append("%s  %s = %s\n" % (pad, name, native_value(value, pad + "  ")))
        out.append(native(block.blocks, pad + "  "))
        out.append(pad + "}\n")
    return "".join(out)


def json_value(value):
    if isinstance(value, Expr):
        return "${%s}" % value
    if isinstance(value, dict):
        return {key: json_value(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [json_value(item) for item in value]
    return value


def json_body(block):
    body = {name: json_value(value) for name, value in block.arguments.items()}
    for inner in block.blocks:
        body.setdefault(inner.kind, []).append(labelled(inner))
    return body


def labelled(block):
    body = json_body(block)
    for label in reversed(block.labels):
        body = {label: body}
    return body


def in_json(blocks):
    """The text of blocks in the JSON syntax, each as an element of the list of its kind."""
    body = {}
    for block in blocks:
        body.setdefault(block.kind, []).append(labelled(block))
    return json.dumps({kind: found[0] if len(found) == 1 else found for kind, found in body.items()},
                      indent=2, ensure_ascii=False) + "\n"


def variable_file(name, values):
    """The text of a variable file."""
    if name.endswith(".json"):
        return json.dumps(values, indent=1) + "\n"
    return "".join("%s = %s\n" % (key, json.dumps(value, ensure_ascii=False)) for key, value in values.items())
