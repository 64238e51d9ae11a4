"""Directories of configurations as the oracles see them: the names in their files, what modules declare, and which
names somebody who completes could know."""
import json
import lzma
import os
import re

from written_names import NotRead, names_in

# What the language itself has in bodies whose other members come from schemas or called modules.
META = {
    "resource": {"count", "for_each", "provider", "depends_on", "lifecycle", "provisioner", "connection", "dynamic"},
    "data": {"count", "for_each", "provider", "depends_on", "lifecycle", "dynamic"},
    "ephemeral": {"count", "for_each", "provider", "depends_on", "lifecycle", "dynamic"},
    "module": {"source", "version", "count", "for_each", "providers", "depends_on"},
    "provider": {"alias", "for_each"},
}
BUILT_IN = {"terraform_data": {"input", "triggers_replace", "output", "id"}}
ROOTS_OF_LANGUAGE = {"path", "terraform", "each", "count", "self"}
DECLARED_ROOTS = {"var": "variable", "local": "local", "module": "module", "data": "data", "ephemeral": "ephemeral"}
TYPE_WORDS = {"string", "number", "bool", "any", "list", "set", "map", "object", "tuple", "optional"}
SOURCE = re.compile(r'\s*=\s*"([^"$]*)"')


class Schemas:
    """The schemas of providers as `providers schema -json` says; with none, what is built in."""

    def __init__(self, paths=()):
        self.types = {"resource": {}, "data": {}, "ephemeral": {}, "provider": {}}
        for path in paths:
            with (lzma.open if path.endswith(".xz") else open)(path) as file:
                document = json.load(file)
            for address, provider in document["provider_schemas"].items():
                self.types["provider"][address.split("/")[-1]] = provider.get("provider")
                for kind, key in (("resource", "resource_schemas"), ("data", "data_source_schemas"),
                                  ("ephemeral", "ephemeral_resource_schemas")):
                    self.types[kind].update(provider.get(key, {}))

    def block(self, blocks):
        """The schema of the innermost block of those around; None if it has none."""
        kind, labels = blocks[0]
        schema = self.types.get(kind, {}).get(labels[0] if labels else "")
        found = schema["block"] if schema else None
        inner = list(blocks[1:])
        while found is not None and inner:
            kind, labels = inner.pop(0)
            if kind == "dynamic" and labels and inner and inner[0][0] == "content":
                kind = labels[0]
                inner.pop(0)
            nested = found.get("block_types", {}).get(kind)
            found = nested["block"] if nested else None
        return found

    def has(self, kind, type_name, attribute):
        if type_name in BUILT_IN:
            return attribute in BUILT_IN[type_name]
        schema = self.types[kind].get(type_name)
        return schema is not None and (attribute in schema["block"].get("attributes", {}) or
                                       attribute in schema["block"].get("block_types", {}))


class Module:
    """A directory with its files: text and names by path, and what they declare."""

    def __init__(self, directory):
        self.directory = directory
        self.texts = {}
        self.names = {}
        self.declared = {}  # (kind, words) to (path, Name): ("variable", ("a",)), ("local", ("a",))
        self.sources = {}   # of calls, as far as they are constant
        self.providers = set()  # names that configurations of this module may have
        self.unread = []
        for entry in sorted(os.listdir(directory)):
            if entry.endswith((".tf", ".tofu")):
                self.read(os.path.join(directory, entry))

    def read(self, path):
        with open(path, encoding="utf-8", newline="") as file:
            text = file.read()
        try:
            self.names[path] = names_in(text)
        except NotRead:
            self.unread.append(path)
            return
        self.texts[path] = text
        for name in self.names[path]:
            kind = name.blocks[0][0] if name.blocks else ""
            if name.kind == "label" and len(name.blocks) == 1:
                wanted = 2 if kind in ("resource", "data", "ephemeral") else 1
                labels = name.blocks[0][1] + (name.word,)
                if kind == "provider":
                    self.providers.add(name.word)
                if len(labels) == wanted:
                    self.declared.setdefault((kind, labels), (path, name))
            elif name.kind == "argument" and name.blocks and name.blocks[-1][0] == "required_providers":
                self.providers.add(name.word)
            elif name.kind == "argument" and kind == "locals":
                self.declared.setdefault(("local", (name.word,)), (path, name))
            elif name.kind == "argument" and kind == "module" and name.word == "source" and len(name.blocks) == 1:
                source = SOURCE.match(text, name.end)
                if source:
                    self.sources[name.blocks[0][1][0]] = source.group(1)

    def called(self, call):
        """The directory that a call leads to, if that is in the corpus."""
        source = self.sources.get(call, "")
        if not source.startswith(("./", "../")):
            return None
        path = os.path.normpath(os.path.join(self.directory, source))
        return path if os.path.isdir(path) else None


class Corpus:
    def __init__(self, folder, schemas, functions):
        self.folder = os.path.abspath(folder)
        self.functions = functions
        self.schemas = schemas
        self.modules = {}
        for directory, below, files in os.walk(self.folder):
            below[:] = sorted(name for name in below if not name.startswith("."))
            if any(name.endswith((".tf", ".tofu")) for name in files):
                self.modules[directory] = Module(directory)

    def files(self):
        return [(module, path) for module in self.modules.values() for path in module.texts]

    def class_of(self, module, name):
        """The class that a name belongs to for the oracle; None: nobody can know it."""
        return getattr(self, "class_of_" + name.kind)(module, name)

    def class_of_argument(self, module, name):
        if not name.blocks:
            return None
        kind = name.blocks[0][0]
        innermost = name.blocks[-1][0]
        if innermost in ("locals", "required_providers", "variables", "provider_meta"):
            return None
        meta = META.get(kind)
        if meta is None or innermost in ("lifecycle", "provisioner", "connection", "precondition", "postcondition"):
            return "argument"
        if len(name.blocks) == 1 and name.word in meta:
            return "argument"
        if innermost == "dynamic":
            return "argument"
        if kind == "module":
            called = self.modules.get(module.called(name.blocks[0][1][0]))
            return "input" if called and ("variable", (name.word,)) in called.declared else None
        block = self.schemas.block(name.blocks)
        if block is None:
            known = len(name.blocks) == 1 and name.blocks[0][1] and \
                name.word in BUILT_IN.get(name.blocks[0][1][0], ())
            return "argument" if known else None
        return "argument" if name.word in block.get("attributes", {}) else None

    def class_of_block(self, _module, name):
        if not name.blocks or name.blocks[0][0] not in META or name.blocks[0][0] == "module":
            return "block"
        if len(name.blocks) == 1 and name.word in META[name.blocks[0][0]]:
            return "block"
        if name.blocks[-1][0] in ("lifecycle", "provisioner", "dynamic"):
            return "block"
        block = self.schemas.block(name.blocks)
        if block is None:
            return None
        return "block" if name.word in block.get("block_types", {}) or name.word == "dynamic" else None

    def class_of_label(self, _module, name):
        kind, before = name.blocks[-1]
        if before:
            return None
        if kind in ("resource", "data", "ephemeral"):
            return "label" if name.word in self.schemas.types[kind] or name.word in BUILT_IN else None
        if kind == "dynamic":
            block = self.schemas.block(name.blocks[:-1])
            return "label" if block and name.word in block.get("block_types", {}) else None
        return "label" if kind in ("backend", "provisioner", "key_provider", "method") else None

    def class_of_root(self, module, name):
        if name.blocks and name.blocks[-1][0] == "required_providers":
            return None
        if name.argument in ("provider", "providers"):
            return "word" if name.word in module.providers else None
        if name.argument in ("ignore_changes", "when", "on_failure"):
            return "word" if name.argument != "ignore_changes" else None
        if name.blocks and name.blocks[0][0] in ("moved", "removed"):
            return None  # names of the past
        is_declared = any(kind in ("resource", "data") and words[0] == name.word
                          for kind, words in module.declared)
        if name.word in DECLARED_ROOTS:
            is_declared = any(kind == DECLARED_ROOTS[name.word] for kind, _ in module.declared)
            return "root" if is_declared else None
        known = name.word in name.bound or name.word in ROOTS_OF_LANGUAGE or is_declared
        return "root" if known else None

    def class_of_type(self, _module, name):
        return "constraint" if name.word in TYPE_WORDS else None

    def class_of_function(self, _module, name):
        return "function" if name.word in self.functions else None

    def class_of_step(self, module, name):
        path = name.path
        if name.blocks and name.blocks[0][0] in ("moved", "removed"):
            return None
        if path[0] in name.bound or path[0] is None:
            return "value"
        if path[0] in ("path", "each", "count", "terraform") and len(path) == 1:
            return "name"
        if path[0] in ("var", "local", "module") and len(path) == 1:
            kind = "variable" if path[0] == "var" else path[0]
            return "name" if (kind, (name.word,)) in module.declared else None
        if path[0] == "module":
            called = self.modules.get(module.called(path[1] or ""))
            direct = len([step for step in path if step is not None]) == 2
            if called and direct and ("output", (name.word,)) in called.declared:
                return "output"
            return None if direct else "value"
        kind = path[0] if path[0] in ("data", "ephemeral") else "resource"
        rest = path[1:] if kind != "resource" else path
        if kind != "resource" and not rest:
            return "name" if any(of == kind and words[0] == name.word for of, words in module.declared) else None
        if len(rest) == 1:
            return "name" if (kind, (rest[0], name.word)) in module.declared else None
        if rest and len([step for step in rest if step is not None]) == 2 and rest[0]:
            return "attribute" if self.schemas.has(kind, rest[0], name.word) else None
        return "value"
