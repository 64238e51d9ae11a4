"""One module of a configuration: its variables, locals, objects, calls, outputs, and in which files they are."""
import json
import re

from blocks import Block, Expr, Name, in_json, native
from expressions import KINDS, Expressions
from objects import RESULTS, TYPES, Objects

TYPE_TEXTS = {"string": "string", "number": "number", "bool": "bool", "list": "list(string)", "map": "map(string)"}
FITTING_TYPES = {"list": ("set(string)", "any"), "map": ("object({ a = optional(string, \"x\") })", "any"), "string": ("any",),
                 "number": ("any", "string"), "bool": ("any",)}
LOOSE_TYPES = {"list": ("tuple([string])", "number"), "map": ("object({ a = string })", "list"), "string": ("number", "nope"),
               "number": ("bool", '"number"'), "bool": ("list(bool)", "map")}
PROVIDER = "kinutest"


def keys_of(block):
    """The keys of the instances of a block: [None] without `count` and `for_each`, None if they are not known."""
    arguments = block.arguments
    if any(inner.kind == "lifecycle" and inner.arguments.get("enabled", True) is not True for inner in block.blocks):
        return [] if all(inner.arguments.get("enabled") is False for inner in block.blocks if inner.kind == "lifecycle") else None
    if "count" in arguments:
        return list(range(arguments["count"])) if isinstance(arguments["count"], int) else None
    given = arguments.get("for_each")
    if given is None:
        return [None]
    if isinstance(given, dict):
        return list(given)
    listed = re.fullmatch(r"toset\((\[.*\])\)", given)
    named = re.fullmatch(r'\{ (\w+) = "[^"]*" \}', given)
    if listed:
        return json.loads(listed.group(1))
    return [named.group(1)] if named else [] if given == "{}" else None


def keyed(address, key):
    return address if key is None else "%s[%s]" % (address, json.dumps(key))


class Part:
    """A block and where it is. `address` is what its objects are called, for those that have some, `value` the kind of
    what it stores."""

    def __init__(self, block, file, address=None, repeated="", value=None):
        self.block, self.file, self.address, self.repeated, self.value = block, file, address, repeated, value

    def instances(self):
        """The addresses of its instances that are known to exist."""
        return [keyed(self.address, key) for key in keys_of(self.block) or []]

    def instance(self):
        """An address of one of its instances."""
        keys = self.block.arguments.get("for_each")
        key = {"count": "[0]", "for_each": '["%s"]' % (next(iter(keys), "a") if isinstance(keys, dict) else "a")}
        return self.address + key.get(self.repeated, "")


class Variable:
    """A variable. `typed` says that its type is one that texts of the command line are converted to, `fixed` that its
    value must be known before anything is evaluated."""

    def __init__(self, name, kind, default, ephemeral, typed, fixed):
        self.name, self.kind, self.default, self.ephemeral, self.typed, self.fixed = name, kind, default, ephemeral, typed, fixed


class Module:
    """`folder` is "" for the root. `config` is the Configuration that it belongs to."""

    def __init__(self, config, folder, address=""):
        self.config, self.choice, self.folder, self.address = config, config.choice, folder, address
        self.make = Expressions(self.choice.random, config.wrong, config.functions if config.choice.reckless or not folder else ())
        self.objects = Objects(self.choice, self.make)
        self.output_kinds = {}
        self.parts, self.variables, self.outputs, self.calls, self.aliases = [], [], [], [], []
        self.json_files = self.choice.use("form json", 0.25)
        self.uses_provider = config.provider

    # --- Where blocks go ---

    def file(self):
        names = ["main.tf", "main.tf", "more.tf"]
        if self.json_files:
            names += ["data.tf.json"] * 2
        if self.choice.use("form tofu", 0.08):
            names += ["extra.tofu"] * 3
        return self.choice.pick(names)

    def add(self, block, address=None, repeated="", file=None):
        part = Part(block, file or self.file(), address, repeated)
        self.parts.append(part)
        return part

    def found(self, kind):
        return [part for part in self.parts if part.block.kind == kind]

    # --- Values ---

    def variable(self, name, kind=None):
        use, pick = self.choice.use, self.choice.pick
        kind = kind or pick(KINDS)
        block, row = Block("variable", name), "argument variable."
        if use(row + "type", 0.7):
            block.set("type", Name(self.choice.odd((TYPE_TEXTS[kind],) * 3 + FITTING_TYPES[kind], LOOSE_TYPES[kind])))
        given = block.arguments.get("type", "any")
        default = self.make.literal(kind) if use(row + "default", 0.75) else None
        if default is not None:
            block.set("default", default)
        sensitive, ephemeral = use(row + "sensitive", 0.15), use(row + "ephemeral", 0.1)
        for argument, value in (("sensitive", sensitive), ("ephemeral", ephemeral)):
            if value or pick(range(12)) == 0:
                block.set(argument, value)
        for argument, chance, values in (("description", 0.2, ("Text.", "é \"q\"")), ("nullable", 0.15, (True, False)),
                                         ("deprecated", 0.08, ("Old.",)), ("const", 0.06, (True, False))):
            if use(row + argument, chance) and (argument != "const" or self.choice.reckless or not sensitive and not ephemeral):
                block.set(argument, pick(values))
        if use("block variable.validation", 0.15):
            check = self.objects.condition("validation")
            check.set("condition", Expr(self.choice.odd(('jsonencode(var.%s) != "\\"bad\\""', "var.%s == null || true"),
                                                        ('length(jsonencode(var.%s)) < 9',), 0.4) % name))
            if not self.choice.reckless:
                check.set("error_message", pick(("This value is refused.", Expr('"Refused by ${path.module}."'))))
            block.add(check)
        self.add(block)
        self.variables.append(Variable(name, kind, default, ephemeral, given == TYPE_TEXTS[kind], block.arguments.get("const")))
        shape = {"set(string)": "tolist(%s)", "string": "%s" if kind == "string" else "tonumber(%s)"}.get(given, "%s")
        self.make.declare(shape % ("var." + name), kind, sensitive, ephemeral)

    def locals(self):
        block = Block("locals")
        for number in range(self.choice.pick((1, 2))):
            kind, name = self.choice.pick(KINDS), "l%d" % (number + len(self.found("locals")) * 2)
            block.set(name, self.make.value(kind, clear=True))
            self.make.declare("local." + name, kind)
        self.add(block)

    def output(self, name, kind=None):
        use, block, row = self.choice.use, Block("output", name), "argument output."
        kind = kind or self.choice.pick(KINDS + ("any",))
        sensitive = use(row + "sensitive", 0.25)
        clear = not sensitive and not self.choice.reckless or self.choice.reckless and self.choice.pick(range(5)) > 0
        block.set("value", self.make.value(kind, clear=clear))
        if sensitive:
            block.set("sensitive", True)
        for argument, chance, value in (("description", 0.15, "Text."), ("ephemeral", 0.05, True), ("deprecated", 0.07, "Old.")):
            if (argument != "ephemeral" or self.folder or self.choice.reckless) and use(row + argument, chance):
                block.set(argument, value)
        addresses = self.own_addresses()
        if addresses and use(row + "depends_on", 0.1):
            block.set("depends_on", [Name(self.choice.pick(addresses))])
        for inner, chance in (("precondition", 0.12), ("postcondition", 0.02)):
            if use("block output." + inner, chance):
                block.add(self.objects.condition(inner))
        self.add(block)
        self.outputs.append(name)
        self.output_kinds[name] = (kind, "sensitive" in block.arguments, "ephemeral" in block.arguments)

    # --- Objects ---

    def own_addresses(self):
        return [part.address for part in self.parts if part.address]

    def declare_results(self, part):
        """Declares what an object gives, for those of its instances that exist."""
        address, kind, repeated = part.address, part.block.labels[0], part.repeated
        keys = keys_of(part.block)
        if not self.choice.reckless and (keys is None or not keys and not repeated):
            return
        for attribute, given, sensitive in RESULTS.get(kind, ()):
            given = given or part.value
            if given is None or given == "any" or attribute in ("secret", "name") and attribute not in part.block.arguments:
                continue
            if attribute == "output" and not self.choice.reckless:
                sensitive = self.make.is_sensitive(part.block.arguments["input"])
            if not repeated:
                self.make.declare("%s.%s" % (address, attribute), given, sensitive, owner=address)
                continue
            if keys or self.choice.reckless:
                self.make.declare("%s.%s" % (part.instance(), attribute), given, sensitive, owner=address)
            if given == "string":
                self.make.declare(("%s[*].%s" if repeated == "count" else "[for x in %s : x.%s]") % (address, attribute), "list", sensitive,
                                  owner=address)

    def resource(self, name):
        kinds = [(kind, weight) for kind, weight in TYPES if self.uses_provider or kind == "terraform_data"]
        kind = self.choice.weighted(kinds)
        block, repeated, value = self.objects.object("resource", kind, name, self.own_addresses(), self.aliases)
        part = self.add(block, "%s.%s" % (kind, name), repeated)
        part.value = value if "input" in block.arguments else None
        self.declare_results(part)
        return part

    def data(self, name):
        kind = "kinutest_lookup" if self.uses_provider and self.choice.random.random() < 0.7 else "terraform_remote_state"
        block, repeated, _ = self.objects.object("data", kind, name, self.own_addresses(), self.aliases)
        part = self.add(block, "data.%s.%s" % (kind, name), repeated)
        self.declare_results(part)

    def ephemeral(self, name):
        block, repeated, _ = self.objects.object("ephemeral", "kinutest_token", name, self.own_addresses(), self.aliases)
        part = self.add(block, "ephemeral.kinutest_token." + name, repeated)
        if keys_of(block) == [None]:
            self.make.declare(part.address + ".token", "string", True, True, part.address)

    # --- Calls of modules ---

    def call(self, name, child, source):
        use, pick, row = self.choice.use, self.choice.pick, "argument module_call."
        block = Block("module", name, prefix="module_call")
        block.set("source", source)
        repeated = ""
        if use(row + "count", 0.15):
            repeated = "count"
            block.set("count", self.choice.odd((0, 1, 2), (self.make.value("number", clear=True),), 0.4))
        elif use(row + "for_each", 0.15):
            repeated = "for_each"
            block.set("for_each", pick((Expr('toset(["a", "b"])'), {"a": "1"})))
        for variable in child.variables:
            if variable.default is None or pick((0, 1)):
                block.set(variable.name, self.make.literal(variable.kind) if variable.fixed and not self.choice.reckless else
                          self.make.value(variable.kind, clear=not self.choice.reckless, ephemeral=variable.ephemeral))
        if self.own_addresses() and use(row + "depends_on", 0.1):
            block.set("depends_on", [Name(pick(self.own_addresses()))])
        if self.aliases and child.uses_provider and use(row + "providers", 0.4):
            block.set("providers", {PROVIDER: Name(pick(self.aliases))})
        if use(row + "version", 0.02):
            block.set("version", "1.0.0")
        if not repeated and use("block module_call.lifecycle", 0.08):
            block.add(Block("lifecycle", prefix="module_call.lifecycle")).set("enabled", pick((True, False)))
        part = self.add(block, "module." + name, repeated)
        for output in child.outputs:
            if keys_of(block) == [None]:
                self.make.declare("module.%s.%s" % (name, output), *child.output_kinds[output])
        self.calls.append((name, child, part))

    # --- Providers ---

    def provider_block(self, alias=None):
        use, block = self.choice.use, Block("provider", PROVIDER)
        if alias:
            block.set("alias", alias)
        if alias and use("argument provider.for_each", 0.12):
            block.set("for_each", Expr('toset(["x", "y"])'))
            alias += '["x"]'
        for name, chance, value in (("prefix", 0.4, lambda: self.make.value("string", clear=True)),
                                    ("token", 0.15, lambda: self.make.value("string", ephemeral=True)),
                                    ("directory", 0.3, lambda: Expr('abspath("things")'))):
            self.make.functions, functions = [], self.make.functions  # a provider cannot call itself
            if use("attribute provider.%s" % name, chance):
                block.set(name, value())
            self.make.functions = functions
        if use("argument provider.version", 0.04):
            block.set("version", "~> 1.0")
        self.add(block)
        if alias:
            self.aliases.append("%s.%s" % (PROVIDER, alias))

    def instances(self, kinds=("resource",)):
        """The addresses of all instances of objects that exist for sure, those in called modules too."""
        out = [address for part in self.parts if part.address and part.block.kind in kinds for address in part.instances()]
        for _, child, part in self.calls:
            inner = child.instances(kinds)
            out += ["%s.%s" % (outer, address) for outer in part.instances() for address in inner]
        return out

    def requirements(self):
        """The block `terraform` with required providers."""
        block = Block("terraform")
        wanted = {"source": "kinu/kinutest"}
        if self.choice.use("feature version constraint", 0.3):
            wanted["version"] = self.choice.odd((">= 1.0", "1.0.0", "~> 1.0", "< 2.0, != 1.5"), (">= 2.0", "nope"))
        block.add(Block("required_providers")).set(PROVIDER, wanted)
        self.add(block, file="main.tf")

    # --- Text ---

    def blocks(self):
        return [part.block for part in self.parts]

    def files(self):
        """{path: text} of the module, from what its parts are now."""
        out = {}
        for part in self.parts:
            out.setdefault(part.file, []).append(part.block)
        return {(self.folder + "/" if self.folder else "") + name: in_json(blocks) if name.endswith(".json") else native(blocks)
                for name, blocks in out.items()}
