"""A random configuration: a root module, child modules, what refers to objects, and the forms of its files."""

import features
from blocks import Block, Expr, Name, in_json, native
from modules import Module

BOM = "\ufeff"


class Configuration:
    """Files of a world. `provider` says whether the tests' own provider takes part, `backend` where the state is."""

    def __init__(self, choice, provider, backend, encryption):
        self.choice, self.provider, self.backend = choice, provider, backend
        self.wrong = 0.05 if choice.reckless and choice.random.random() < 0.4 else 0.0
        self.functions = ["provider::kinutest::shout(%s)" if choice.reckless else 'provider::kinutest::shout("s-${%s}")'] if provider and choice.use("feature provider function", 0.4) else []
        if any(".module_test_file." in row or " module_test_file." in row for row in choice.focus):
            choice.focus.add("form test file")
        self.refused = None  # a variable that refuses a value, for test files
        self.number, self.extra, self.links, self.forms = 0, {}, {}, {}
        self.root = Module(self, "")
        self.modules = [self.root]
        self.fill_root(encryption)
        features.add_forms(self)
        if choice.reckless:
            self.add_focus()

    def name(self, letter):
        self.number += 1
        return "%s%d" % (letter, self.number)

    def fill_root(self, encryption):
        root, pick, use = self.root, self.choice.pick, self.choice.use
        if self.provider:
            root.requirements()
        features.add_settings(self, encryption)
        for _ in range(pick((0, 1, 2, 3))):
            root.variable(self.name("v"))
        if self.provider:
            if use("block file.provider", 0.6):
                root.provider_block()
            if use("argument provider.alias", 0.3):
                root.provider_block("other")
        if use("block file.locals", 0.4):
            root.locals()
        if self.provider and use("block file.ephemeral", 0.15):
            root.ephemeral(self.name("e"))
        for _ in range(pick((1, 2, 2, 3))):
            root.resource(self.name("r"))
        if use("block file.data", 0.2):
            root.data(self.name("d"))
        if use("block file.module", 0.3):
            self.add_child(root)
        if use("block file.locals", 0.15):
            root.locals()
        for _ in range(pick((0, 1))):
            root.resource(self.name("r"))
        for _ in range(pick((0, 1, 2))):
            root.output(self.name("o"))
        features.add_relations(self)

    def add_child(self, parent, depth=0):
        name = self.name("m")
        child = Module(self, (parent.folder + "/" if parent.folder else "") + name)
        self.modules.append(child)
        child.uses_provider = self.provider and self.choice.random.random() < 0.6
        if child.uses_provider:
            child.requirements()
        for _ in range(self.choice.pick((0, 1, 2))):
            child.variable(self.name("v"))
        for _ in range(self.choice.pick((1, 1, 2))):
            child.resource(self.name("r"))
        if depth == 0 and self.choice.use("feature nested modules", 0.2):
            self.add_child(child, 1)
        for _ in range(self.choice.pick((0, 1, 1))):
            child.output(self.name("o"))
        source = "./" + name
        if self.choice.use("form link module", 0.08):
            link = (parent.folder + "/" if parent.folder else "") + "to_" + name
            self.links[link] = name
            source = "./to_" + name
        parent.call(name, child, self.choice.pick((source, source, "./../w/" + name if not parent.folder else source)))
        return child

    def override_has(self, kind):
        """Whether an override file has blocks of a kind."""
        return any(block.kind == kind for name, content in self.extra.items() if "override" in name for block in content)

    # --- What commands refer to ---

    def addresses(self):
        """Addresses of objects, with and without keys, those in modules too."""
        out = []
        for part in self.root.parts:
            if part.address:
                out += [part.address, part.instance()]
        for name, child, part in self.root.calls:
            for inner in child.parts:
                if inner.address:
                    out.append("%s.%s" % (part.instance(), inner.instance()))
            out.append("module." + name)
        return list(dict.fromkeys(out)) or ["terraform_data.none"]

    def resources(self):
        return [part for part in self.root.parts if part.block.kind == "resource"]

    # --- Rows of the focus that nothing has made ---

    def add_focus(self):
        """Gives some block each argument and nested block of the focus that no block has, with any value."""
        blocks = self.all_blocks()
        present = self.rows()
        for row in self.choice.wants("argument ") + self.choice.wants("block "):
            kind, _, name = row.partition(" ")
            prefix, _, word = name.rpartition(".")
            if row in present or self.choice.random.random() < (0.3 if self.choice.reckless else 0.85):
                continue
            if prefix == "file":
                self.add_top(word)
                continue
            hosts = [block for block in blocks if block.prefix == prefix]
            if not hosts:
                host = self.add_top(prefix.split(".")[0])
                if host is None:
                    continue
                hosts = [host] if host.prefix == prefix else [host.add(Block(prefix.split(".")[-1], prefix=prefix))]
                blocks += hosts
            host = self.choice.pick(hosts)
            if kind == "argument":
                host.set(word, self.choice.pick((True, 1, "x", "true", [], Expr("null"), self.root.make.value("any"))))
            else:
                labels = {"provisioner": ["local-exec"], "data": ["terraform_remote_state", "n"]}.get(word, [])
                host.add(Block(word, *labels, prefix="%s.%s" % (prefix, word)))

    def add_top(self, word):
        """Adds a block of the top level without much in it."""
        labels = {"resource": ["terraform_data", self.name("g")], "data": ["terraform_remote_state", self.name("g")],
                  "provider": ["terraform"], "variable": [self.name("g")], "output": [self.name("g")],
                  "module": [self.name("g")], "check": [self.name("g")], "ephemeral": ["kinutest_token", self.name("g")]}
        word = {"module_call": "module", "resource_parts": "resource", "provisioner": "resource"}.get(word, word)
        known = set(labels) | {"language", "locals", "terraform", "removed", "moved", "import", "required_providers"}
        if word not in known:
            return None
        block = Block(word, *labels.get(word, []), prefix={"module": "module_call", "resource": "resource_parts",
                                                          "data": "resource_parts"}.get(word, word))
        required = {"output": ("value", 1), "module": ("source", "./sub"), "moved": ("from", Name("terraform_data.gone")),
                    "removed": ("from", Name("terraform_data.gone")), "import": ("id", "one"), "ephemeral": ("name", "one")}
        if word in required:
            block.set(*required[word])
        if word in ("moved", "import"):
            block.set("to", Name(self.choice.pick(self.resources()).instance()))
        if word == "check":
            block.add(self.root.objects.condition("assert"))
        part = self.root.add(block)
        if word in ("resource", "data", "ephemeral"):
            part.address = ".".join([*(() if word == "resource" else (word,)), *block.labels])
        return part.block

    def all_blocks(self):
        out, left = [], [block for block, _ in self.top_blocks()]
        while left:
            block = left.pop(0)
            out.append(block)
            left += block.blocks
        return out

    # --- Text ---

    def rows(self):
        """The rows of the configuration as it is."""
        out = set(self.choice.taken)
        for block, outer in self.top_blocks():
            out.update(block.rows(outer))
        return out

    def top_blocks(self):
        """The blocks of the top level of all files, each with how rows name that level."""
        for module in self.modules:
            for block in module.blocks():
                yield block, "file"
        for name, content in self.extra.items():
            if not isinstance(content, str):
                for block in content:
                    yield block, "module_test_file.file" if ".tftest." in name else "file"

    def files(self):
        """{path: text} of everything, as it is now."""
        out = {}
        for module in self.modules:
            out.update(module.files())
        for name, content in self.extra.items():
            out[name] = content if isinstance(content, str) else \
                in_json(content) if name.endswith(".json") else native(content)
        for name, form in self.forms.items():
            if name in out:
                out[name] = self.formed(out[name], form)
        return out

    @staticmethod
    def formed(text, form):
        if form == "form bom":
            return BOM + text
        if form == "form crlf":
            return text.replace("\n", "\r\n")
        return text.rstrip("\n") if form == "form no newline" else "# a comment\n" + text
