"""Blocks of resources, data sources and ephemeral resources: their own arguments and the meta-arguments."""
from blocks import Block, Expr, Name

TYPES = (("terraform_data", 5), ("kinutest_thing", 3), ("kinutest_entry", 2))
# The references that an object gives: attribute, kind, sensitive.
RESULTS = {
    "terraform_data": [("id", "string", False), ("output", None, False)],
    "kinutest_thing": [("id", "string", False), ("size", "number", False), ("secret", "string", True), ("name", "string", False)],
    "kinutest_entry": [("id", "string", False), ("name", "string", False), ("former", "string", False)],
    "kinutest_lookup": [("value", "string", False)],
    "terraform_remote_state": [("backend", "string", False), ("outputs.o", "string", False)],
}
# Attributes that each object has: required ones and computed ones.
ALWAYS = {"kinutest_thing": ("id", "name", "revision"), "kinutest_entry": ("id", "name", "former"),
          "kinutest_lookup": ("key", "value", "echo"), "kinutest_token": ("name", "token")}
KEYS = (["a"], ["a", "b"], ["b", "c d"], [])
META = ("count", "for_each", "provider", "depends_on")


class Objects:
    """Makes the blocks of objects of one module. `module` is the configuration.Module that gets them."""

    def __init__(self, choice, expressions):
        self.choice, self.make = choice, expressions

    def optional(self, block, name, chance, value):
        """Sets an argument by chance. `value` is called for it."""
        if self.choice.use("argument %s.%s" % (block.prefix, name), chance):
            block.set(name, value())

    def whole(self):
        """A whole number."""
        return Expr(("floor(%s)" if self.choice.reckless else "floor(%s) %% 100") % self.make.make("number", clear=True))

    def several(self, make):
        """None, one or two objects of a set, which are not equal in a calm world."""
        out = [make() for _ in range(self.choice.pick((0, 1, 2)))]
        if not self.choice.reckless:
            for number, one in enumerate(out):
                one["port"] = number + 1
        return out

    def attribute(self, block, kind, name, chance, value):
        """Sets an attribute of the tests' own provider by chance."""
        if self.choice.use("attribute %s.%s" % (kind, name), chance):
            block.set(name, value())

    def nested(self, block, kind, name, chance, inside, distinct=False):
        """Adds one or two nested blocks of the tests' own provider by chance, or a dynamic one. With `distinct` they are
        members of a set."""
        if not self.choice.use("attribute %s.%s" % (kind, name), chance):
            return
        if self.choice.use("form dynamic block", 0.2):
            dynamic = Block("dynamic", name)
            elements = self.make.value("list", clear=True)
            dynamic.set("for_each", Expr("toset(%s)" % elements) if distinct and not self.choice.reckless else elements)
            content = dynamic.add(Block("content"))
            inside(content, Expr("%s.value" % name))
            block.add(dynamic)
            return
        for number in range(self.choice.pick((1, 1, 2))):
            inside(block.add(Block(name)), Expr('"%d-${%s}"' % (number, self.make.make("string"))) if distinct else None)

    # --- The arguments of each type ---

    def terraform_data(self, block, _):
        kind = self.choice.pick(("string", "string", "number", "list", "map", "any"))
        if self.choice.random.random() < 0.9:
            block.set("input", self.make.value(kind))
        if self.choice.use("attribute terraform_data.triggers_replace", 0.25):
            block.set("triggers_replace", self.make.value("any"))
        if self.choice.use("attribute terraform_data.store", 0.02):
            block.set("store", Expr("{ input = %s }" % self.make.make("string")))
        return kind

    def kinutest_thing(self, block, name):
        make, pick, kind = self.make, self.choice.pick, "kinutest_thing"
        rule = lambda: {"port": self.whole(), **({"label": make.value("string")} if pick((0, 1)) else {})}
        block.set("name", name)
        self.attribute(block, kind, "value", 0.5, lambda: make.value("string"))
        self.attribute(block, kind, "secret", 0.2, lambda: make.value("string"))
        self.attribute(block, kind, "password", 0.12, lambda: make.value("string", ephemeral=True))
        self.attribute(block, kind, "size", 0.3, lambda: pick((1, 2, 3, self.whole())))
        self.attribute(block, kind, "ratio", 0.15, lambda: pick((0.5, 1, 3.25, make.value("number"))))
        self.attribute(block, kind, "tags", 0.3, lambda: make.value("map"))
        self.attribute(block, kind, "behave", 0.1, lambda: self.choice.odd(("warn", "warn", "none"), ("fail-create", "fail-update", "fail-delete"), 0.6))
        self.attribute(block, kind, "settings", 0.2, lambda: {"enabled": make.value("bool"), "key": make.value("string")})
        self.attribute(block, kind, "rules", 0.15, lambda: [rule() for _ in range(pick((0, 1, 2)))])
        self.attribute(block, kind, "limits", 0.15, lambda: {key: rule() for key in pick((["a"], ["a", "b"]))})
        self.attribute(block, kind, "members", 0.15, lambda: self.several(rule))

        def disk(inner, each):
            inner.set("size", pick((1, 2, self.whole())))
            if each is not None or pick((0, 1)):
                inner.set("kind", each or "ssd")
            if pick((0, 0, 1)):
                inner.add(Block("partition")).set("mount", make.value("string"))
        self.nested(block, kind, "disk", 0.2, disk)
        self.nested(block, kind, "label", 0.15, lambda inner, each: inner.set("text", each), distinct=True)
        if self.choice.use("attribute kinutest_thing.network", 0.12):
            block.add(Block("network")).set("address", make.value("string"))

    def kinutest_entry(self, block, name):
        make, pick, kind = self.make, self.choice.pick, "kinutest_entry"
        part = lambda: {pick(("title", "title", "was")): make.value("string")}
        block.set("name", name)
        self.attribute(block, kind, "region", 0.4, lambda: pick(("eu", "us", make.value("string"))))
        self.attribute(block, kind, "old", 0.12, lambda: make.value("string"))
        self.attribute(block, kind, "one", 0.2, part)
        self.attribute(block, kind, "parts", 0.2, lambda: [part() for _ in range(pick((1, 2)))])
        self.attribute(block, kind, "keyed", 0.15, lambda: {"k": part()})
        self.nested(block, kind, "section", 0.15, lambda inner, each: inner.set("title", each or make.value("string")))
        self.nested(block, kind, "legacy", 0.1, lambda inner, each: inner.set("text", each or make.value("string")))
        self.nested(block, kind, "retired", 0.1, lambda inner, each: inner.set("title", each), distinct=True)

    def kinutest_lookup(self, block, _):
        block.set("key", self.make.value("string", clear=True) if self.choice.pick((0, 1)) else self.choice.odd(("k", "k2"), ("missing",)))
        self.attribute(block, "kinutest_lookup", "anything", 0.3, lambda: self.make.value("any"))

    def terraform_remote_state(self, block, _):
        block.set("backend", self.choice.odd(("local",), ("http", "nope")))
        block.set("config", {"path": self.choice.odd(("other.tfstate",), ("gone.tfstate",))})
        if self.choice.use("attribute terraform_remote_state.defaults", 0.3):
            block.set("defaults", {"o": "d"})
        if self.choice.use("attribute terraform_remote_state.workspace", 0.2):
            block.set("workspace", self.choice.odd(("default",), ("w1",), 0.5))

    def kinutest_token(self, block, _):
        block.set("name", self.make.value("string", ephemeral=True))

    # --- Meta-arguments ---

    def condition(self, kind, own=None):
        """A precondition, postcondition, validation or assertion, which holds mostly."""
        block = Block(kind, prefix="condition")
        names = [one.text for one in self.make.references("string", clear=True)] or ["path.module"]
        roll, about = self.choice.random.random(), own if own and self.choice.pick((0, 1)) else self.choice.pick(names)
        block.set("condition", Expr('%s %s "never"' % (about, "!=" if roll < 0.8 or not self.choice.reckless else "==")))
        if roll < 0.15:
            block.set("condition", Expr('length("${%s}") >= 0 %s %s' % (about, "&&" if self.choice.reckless else "||", self.make.make("bool"))))
        block.set("error_message", self.choice.pick(("This failed.", Expr('"Failed: ${%s}"' % self.make.make("string", clear=True)))))
        return block

    def lifecycle(self, block, mode, others):
        use, make = self.choice.use, self.make
        life, row = Block("lifecycle", prefix="resource_parts.lifecycle"), "argument resource_parts.lifecycle."
        boolean = lambda: self.choice.pick((True, True, False))
        if mode == "resource":
            self.optional(life, "create_before_destroy", 0.15, boolean)
            self.optional(life, "prevent_destroy", 0.07, boolean if self.choice.reckless else lambda: self.choice.pick((False, False, False, True)))
            self.optional(life, "destroy", 0.07, boolean)
            named = [name for name in block.arguments if self.choice.reckless or name not in META] or ["id"]
            self.optional(life, "ignore_changes", 0.12, lambda: self.choice.pick(
                ([Name(self.choice.pick(named))], [Name(self.choice.pick(named))], Name("all"))))
            targets = [other for other in others if other.startswith(("terraform_data", "kinutest"))]
            if targets and use(row + "replace_triggered_by", 0.1):
                life.set("replace_triggered_by", [Name(self.choice.pick(targets) + self.choice.odd(("",), (".id",), 0.5))])
        if not set(block.arguments) & {"count", "for_each"} or self.choice.odd((False,), (True,)):
            self.optional(life, "enabled", 0.08, lambda: self.choice.odd((True, True, False), (make.value("bool", clear=True),), 0.3))
        for kind, chance in (("precondition", 0.12), ("postcondition", 0.12)):
            if use("block resource_parts.lifecycle." + kind, chance):
                life.add(self.condition(kind, "self.id" if kind == "postcondition" and mode == "resource" else None))
        if life.arguments or life.blocks:
            block.add(life)
            self.choice.taken.add("block resource_parts.%s.lifecycle" % mode)

    def provisioner(self, prefix="provisioner", destroy=False):
        block = Block("provisioner", "local-exec", prefix=prefix)
        block.set("command", self.choice.pick(("echo provisioned", "echo to-stderr >&2", self.choice.odd(("true",), ("exit 3",), 0.7), Expr('"echo ${self.id} | wc -l"'), "true")))
        if destroy or self.choice.use("argument provisioner.when", 0.35):
            block.set("when", Name(self.choice.pick(("destroy", "destroy", "create"))))
        if self.choice.use("block provisioner.connection", 0.08):
            block.add(Block("connection")).set("host", "127.0.0.1")
        self.optional(block, "on_failure", 0.3, lambda: Name(self.choice.pick(("continue", "continue", "fail"))))
        if self.choice.use("feature local-exec settings", 0.3):
            block.set(*self.choice.pick((("environment", {"A": "b"}), ("quiet", True), ("working_dir", "."),
                                         ("interpreter", ["sh", "-c"]))))
        return block

    def meta(self, block, mode, others, aliases):
        """Adds meta-arguments. Returns how the instances are named: "", "count" or "for_each"."""
        use, make, pick = self.choice.use, self.make, self.choice.pick
        repeated = ""
        if mode != "nested":
            if use("argument resource_parts.count", 0.15):
                block.set("count", self.choice.odd((0, 1, 2, 2), (make.value("number", clear=True),), 0.4))
                repeated = "count"
            elif use("argument resource_parts.for_each", 0.15):
                keys = pick(KEYS)
                block.set("for_each", pick((Expr("toset(%s)" % str(keys).replace("'", '"')),
                                            {key: key for key in keys} or Expr("{}"), self.choice.odd((Expr('{ a = "1" }'),), (make.value("map", clear=True),), 0.8))))
                repeated = "for_each"
        if aliases and use("argument resource_parts.provider", 0.3):
            block.set("provider", Name(pick(aliases)))
        if others and use("argument resource_parts.depends_on", 0.15):
            block.set("depends_on", [Name(other) for other in sorted({pick(others), pick(others)})])
        if mode != "nested" or self.choice.reckless and pick((0, 1)):
            self.lifecycle(block, mode, others)
        if mode == "resource" and use("block resource_parts.resource.provisioner", 0.12):
            block.add(self.provisioner())
            if use("block resource_parts.resource.connection", 0.15):
                block.add(Block("connection")).set("host", "127.0.0.1")
        return repeated

    def object(self, mode, kind, name, others=(), aliases=()):
        """A block of an object, how its instances are named, and the kind of its value."""
        self.choice.taken.update("attribute %s.%s" % (kind, name) for name in ALWAYS.get(kind, ()))
        block = Block("data" if mode == "nested" else mode, kind, name, prefix="resource_parts")
        value = getattr(self, kind)(block, name)
        repeated = self.meta(block, mode, list(others), aliases if kind.startswith("kinutest") else ())
        if kind == "kinutest_thing" and repeated:
            own = {"count": "count.index", "for_each": "each.key"}[repeated]
            block.set("name", Expr('"%s-${%s}"' % (name, own)))
        return block, repeated, value
