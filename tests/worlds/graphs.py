"""Makes graphs: small configurations of which every block takes part in the plan, and a life of partial applies and edits.

A world of generate.py tries the whole language and all commands. A graph has objects alone, in nested modules that are called
once or for several keys, with references, provisioners that fail and replacements in both orders. What happens between two
commands are the edits that people make: values, keys, names, places, lifecycles, with and without `moved`, `removed` and `import`.
"""
import json
import random

KEYS = ("a", "b", "c")
# What a step can run, with weights. {targets} stands for options that choose objects.
COMMANDS = (
    ("apply -auto-approve {targets}", 10), ("plan -out=p.plan {targets}", 3), ("plan {targets}", 2), ("apply p.plan", 2),
    ("show -json p.plan", 2), ("destroy -auto-approve {targets}", 1.5), ("plan -destroy {targets}", 0.7),
    ("plan -destroy -out=p.plan {targets}", 0.7), ("apply -auto-approve -refresh=false {targets}", 1),
    ("apply -auto-approve -refresh-only {targets}", 0.8), ("plan -refresh-only {targets}", 0.5), ("refresh {targets}", 0.4),
    ("apply -auto-approve -replace={object} {targets}", 1.2), ("taint {object}", 0.8), ("untaint {object}", 0.4),
    ("state mv {object} {place}", 0.8), ("state rm {object}", 0.7), ("import {place} imported", 0.6), ("graph", 0.3),
    ("graph -type=apply", 0.2), ("show -json", 0.6), ("output -json", 0.5), ("apply -auto-approve -json {targets}", 0.7),
    ("plan -json {targets}", 0.4), ("validate", 0.3), ("apply -auto-approve -parallelism=1 {targets}", 0.4),
    ("plan -generate-config-out=made.tf", 0.2), ("state list", 0.2), ("refresh -json {targets}", 0.2))


class Node:
    """An object of a module. `reads` are what its input is made of: texts, or (node or call, form)."""

    def __init__(self, maker, module, name):
        pick = maker.random.choice
        self.module, self.name = module, name
        self.mode, self.kind = pick((("resource", "kinutest_thing"),) * 4 + (("resource", "terraform_data"),) * 3 + (("data", "kinutest_lookup"),) * 2 + (
            ("ephemeral", "kinutest_token"),)) if maker.provider else ("resource", "terraform_data")
        self.version, self.trigger, self.reads = 1, None, []
        self.repeat, self.keys = pick((None, None, "count", "for_each")), list(KEYS[:pick((1, 2, 2, 3))])
        self.life, self.provisioners, self.waits, self.instance, self.secret = {}, [], [], None, None

    @property
    def address(self):
        return "%s%s.%s" % ("" if self.mode == "resource" else self.mode + ".", self.kind, self.name)

    def indexes(self):
        """The keys of its instances as they are written behind the address."""
        if self.repeat == "count":
            return ["[%d]" % number for number in range(len(self.keys))]
        return ['["%s"]' % key for key in self.keys] if self.repeat else [""]


class Call:
    """A call of a module: its instances are named as those of a node."""

    def __init__(self, maker, module, name, child):
        self.module, self.name, self.child = module, name, child
        self.repeat, self.keys = maker.random.choice((None, None, "count", "for_each")), list(KEYS[:maker.random.choice((1, 2, 2))])
        self.given, self.waits, self.instance, self.enabled = [], [], None, maker.random.choice((None,) * 8 + ("true", "false"))

    address = property(lambda self: "module." + self.name)
    indexes = Node.indexes


class Module:
    """A directory. `parts` are its nodes and calls in the order in which they may refer to each other."""

    def __init__(self, folder):
        self.folder, self.parts, self.out, self.check, self.blocks = folder, [], [], [], []

    def nodes(self):
        return [part for part in self.parts if isinstance(part, Node)]

    def calls(self):
        return [part for part in self.parts if isinstance(part, Call)]


class Maker:
    """A configuration while it is made and edited."""

    def __init__(self, name):
        self.random = random.Random(name)
        self.provider = self.random.random() < 0.4
        # Instances of the provider's configuration, which objects choose by their keys.
        self.instances = self.provider and self.random.random() < 0.4
        self.names, self.failing, self.flag, self.old = 0, set(), "ok", []
        self.root = Module("")
        self.modules = [self.root]
        for folder in ("m", "n")[:self.random.choice((0, 1, 1, 2))]:
            self.modules.append(Module(folder))
        for module in reversed(self.modules):
            self.fill(module)

    # --- What there is at first ---

    def name(self):
        self.names += 1
        return "abcdefghijklmnopqrstuvwxyz"[self.names % 26] + str(self.names // 26 or "")

    def fill(self, module):
        later = self.modules[self.modules.index(module) + 1:]
        for _ in range(self.random.randint(1, 4)):
            self.add_node(module)
        for child in later:
            if self.random.random() < 0.8:
                self.add_call(module, child)
        if self.random.random() < 0.3:
            self.add_node(module)
        module.out = self.some_reads(module, None, 1)
        module.check = self.some_reads(module, None, self.random.choice((0, 0, 0, 1)))

    def add_node(self, module, name=None):
        node = Node(self, module, name or self.name())
        node.reads = self.some_reads(module, node, self.random.choice((0, 1, 1, 2)))
        self.choose_life(node)
        self.choose_instance(node)
        tokens = [other for other in module.nodes() if other.mode == "ephemeral" and not other.repeat]
        if tokens and node.kind == "kinutest_thing" and self.random.random() < 0.7:
            node.secret = self.random.choice(tokens)
        if self.random.random() < 0.25 and node.mode == "resource":
            node.provisioners = [self.random.choice(("create", "create", "destroy", "continue"))]
        if module.parts and self.random.random() < 0.12:
            node.waits = [self.random.choice(module.parts)]
        module.parts.append(node)
        return node

    def add_call(self, module, child):
        call = Call(self, module, self.name(), child)
        call.given = self.some_reads(module, call, 1)
        self.choose_instance(call)
        if module.parts and self.random.random() < 0.15:
            call.waits = [self.random.choice(module.parts)]
        module.parts.append(call)

    def choose_instance(self, part):
        """Which instance of the provider's configuration a part gets, in the root module alone."""
        if self.instances and not part.module.folder and (isinstance(part, Call) or part.kind != "terraform_data"):
            part.instance = "each.key" if part.repeat == "for_each" and self.random.random() < 0.6 else '"%s"' % self.random.choice(KEYS)

    def choose_life(self, node):
        chance, pick = self.random.random, self.random.choice
        if chance() < 0.05 and not node.repeat:
            node.life["enabled"] = pick(("true", "false"))
        if node.mode == "resource":
            self.choose_life_of_resource(node)
        for condition in ("precondition", "postcondition"):
            if chance() < 0.12:
                node.life[condition] = True
        if chance() < 0.35:
            node.trigger = 1

    def choose_life_of_resource(self, node):
        chance, pick = self.random.random, self.random.choice
        if chance() < 0.3:
            node.life["create_before_destroy"] = pick(("true", "true", "false"))
        if chance() < 0.05:
            node.life["prevent_destroy"] = "true"
        if chance() < 0.04:
            node.life["destroy"] = "false"
        if chance() < 0.08:
            node.life["ignore_changes"] = pick(("all", "[input]" if node.kind == "terraform_data" else "[value]"))
        others = [other for other in node.module.nodes() if other is not node and other.mode == "resource"]
        if others and chance() < 0.15:
            node.life["replace_triggered_by"] = pick(others)

    def some_reads(self, module, part, count):
        """References to what stands before a part, and to the input of its module."""
        before = module.parts[:module.parts.index(part)] if part in module.parts else module.parts
        choices = [("var.in",), ("local.l",), ("path.module",)] + [(other, self.random.random()) for other in before] * 3
        return [self.random.choice(choices) for _ in range(count)]

    # --- Edits ---

    def any_node(self):
        return self.random.choice([node for module in self.modules for node in module.nodes()] or [self.add_node(self.root)])

    def any_part(self):
        return self.random.choice([part for module in self.modules for part in module.parts])

    def edit(self):
        node, module, chance = self.any_node(), self.random.choice(self.modules), self.random.random()
        for share, change in ((0.22, self.change_value), (0.14, self.change_trigger), (0.12, self.change_keys), (0.1, self.rename),
                              (0.08, self.remove), (0.06, self.move_away), (0.06, self.fail), (0.05, self.change_life),
                              (0.05, self.change_flag), (0.04, self.rename_call), (0.04, self.remove_call), (0.02, self.forget_blocks)):
            chance -= share
            if chance < 0:
                return change(node)
        return self.adopt(self.add_node(module))

    def change_value(self, node):
        node.version += 1
        if self.random.random() < 0.25:
            node.reads = self.some_reads(node.module, node, 1)

    def change_trigger(self, node):
        node.trigger = (node.trigger or 0) + 1

    def change_keys(self, _):
        part, before = self.any_part(), None
        roll = self.random.random()
        if part.repeat and roll < 0.7:
            part.keys = sorted(self.random.sample(KEYS, self.random.choice((0, 1, 2, 3))))
            return
        before, part.repeat = part.indexes(), self.random.choice((None, "count", "for_each"))
        if before and part.indexes() and self.random.random() < 0.5:
            self.moved(part.module, part.address + before[0], part.address + self.random.choice(part.indexes()))

    def change_life(self, node):
        node.life = {}
        self.choose_life(node)
        for call in node.module.calls():
            call.enabled = {"true": "false", "false": "true"}.get(call.enabled)

    def change_flag(self, _):
        self.flag = "bad" if self.flag == "ok" else "ok"

    def fail(self, node):
        """Makes the provisioners of a name fail, or all of them succeed again."""
        self.failing = set() if self.failing else {self.random.choice([node.name] + [one.name for one in self.any_node().module.nodes()])}

    def forget_blocks(self, node):
        node.module.blocks = []

    def moved(self, module, old, new):
        module.blocks.append("moved {\n  from = %s\n  to   = %s\n}\n" % (old, new))

    def rename(self, node):
        old, node.name = node.address, self.name()
        if self.random.random() < 0.75 and node.mode == "resource":
            if node.repeat and self.random.random() < 0.2 and node.indexes():
                index = self.random.choice(node.indexes())
                self.moved(node.module, old + index, node.address + index)
            else:
                self.moved(node.module, old, node.address)

    def rename_call(self, node):
        calls = node.module.calls() or self.root.calls()
        if calls:
            call = self.random.choice(calls)
            old, call.name = call.address, self.name()
            if self.random.random() < 0.75:
                self.moved(call.module, old, call.address)

    def remove(self, node):
        node.module.parts.remove(node)
        if not node.module.parts:
            self.add_node(node.module)
        if self.random.random() < 0.4 and node.mode == "resource":
            destroy = self.random.choice(("true", "false", "false"))
            text = "removed {\n  from = %s\n  lifecycle {\n    destroy = %s\n  }\n" % (node.address, destroy)
            if destroy == "true" and self.random.random() < 0.4:
                text += "  provisioner \"local-exec\" {\n    when    = destroy\n    command = \"test ! -e fail-%s\"\n  }\n" % node.name
            node.module.blocks.append(text + "}\n")

    def remove_call(self, node):
        calls = node.module.calls()
        if calls:
            call = self.random.choice(calls)
            call.module.parts.remove(call)
            if not call.module.parts:
                self.add_node(call.module)
            if self.random.random() < 0.4:
                call.module.blocks.append("removed {\n  from = %s%s\n}\n" % (call.address, self.random.choice(("", "." + call.child.parts[0].address))))

    def move_away(self, node):
        """Moves a node between the root and a module that it calls."""
        calls = self.root.calls()
        if not calls:
            return self.rename(node)
        call = self.random.choice(calls)
        here, there = (self.root, call.child) if self.random.random() < 0.5 else (call.child, self.root)
        nodes = here.nodes()
        if len(nodes) < 2:
            return self.rename(node)
        moved = self.random.choice(nodes)
        here.parts.remove(moved)
        moved.module, moved.instance, moved.reads, moved.waits, moved.secret = there, None, [], [], None
        moved.life.pop("replace_triggered_by", None)
        there.parts.insert(0, moved)
        index = self.random.choice(call.indexes() or [""])
        inner = "%s%s.%s" % (call.address, index, moved.address)
        if self.random.random() < 0.8 and moved.mode == "resource":
            self.moved(self.root, *((moved.address, inner) if here is self.root else (inner, moved.address)))
        return None

    def adopt(self, node):
        """Imports a new object now and then."""
        if self.random.random() < 0.35 and not node.module.folder and node.mode == "resource":
            to = node.address + (self.random.choice(node.indexes()) if node.indexes() else "")
            self.root.blocks.append("import {\n  to = %s\n  id = \"imported\"\n}\n" % to)

    # --- Text ---

    def files(self):
        out = {(module.folder + "/" if module.folder else "") + "main.tf": self.module_text(module) for module in self.modules}
        out.update({"fail-" + name: "" for name in self.failing})
        return out

    def module_text(self, module):
        parts = [self.head(module)]
        parts += [self.node_text(part) if isinstance(part, Node) else self.call_text(part) for part in module.parts]
        parts.append('output "out" {\n  value = %s\n}\n' % self.joined(module.out, module, None))
        if module.check:
            parts.append('check "c" {\n  assert {\n    condition     = !endswith("${jsonencode(%s)}${local.flag}", "bad")\n'
                         '    error_message = "Not good."\n  }\n}\n' % self.joined(module.check, module, None))
        return "\n".join(parts + module.blocks)

    def head(self, module):
        text = 'variable "in" {\n  default = "given"\n}\n\nlocals {\n  l    = "${var.in}-local"\n  flag = "%s"\n}\n' % self.flag
        if self.provider:
            text = 'terraform {\n  required_providers {\n    kinutest = {\n      source = "kinu/kinutest"\n    }\n  }\n}\n\n' + text
        if self.instances and not module.folder:
            text += '\nprovider "kinutest" {\n  alias    = "by"\n  for_each = toset(["a", "b", "c"])\n}\n'
        return text

    def reference(self, read, module, within):
        """The text of a reference, which must be one that exists in the module."""
        if isinstance(read[0], str):
            return read[0]
        part, roll = read
        if part not in module.parts or isinstance(part, Node) and part.mode == "ephemeral":
            return '"gone"'
        leaf = "out" if isinstance(part, Call) else "value" if part.mode == "data" else "id" if roll < 0.3 else \
            "output" if part.kind == "terraform_data" else "value"
        indexes = part.indexes()
        if not part.repeat:
            optional = part.enabled if isinstance(part, Call) else "enabled" in part.life
            return "try(%s.%s, null)" % (part.address, leaf) if optional else "%s.%s" % (part.address, leaf)
        if within and within.repeat == part.repeat and within.keys == part.keys and roll < 0.7:
            return "%s[%s].%s" % (part.address, "count.index" if part.repeat == "count" else "each.key", leaf)
        if indexes and (roll * 7) % 1 < 0.5:
            return "%s%s.%s" % (part.address, indexes[int(roll * 97) % len(indexes)], leaf)
        return "%s[*].%s" % (part.address, leaf) if part.repeat == "count" else "[for k, v in %s : v.%s]" % (part.address, leaf)

    def joined(self, reads, module, within):
        texts = [self.reference(read, module, within) for read in reads]
        return texts[0] if len(texts) == 1 else "[%s]" % ", ".join(texts)

    @staticmethod
    def repetition(part):
        if part.repeat == "count":
            return "  count = %d\n" % len(part.keys)
        return "  for_each = toset(%s)\n" % json.dumps(part.keys) if part.repeat else ""

    @staticmethod
    def waits(part):
        found = [other.address for other in part.waits if other in part.module.parts]
        return "  depends_on = [%s]\n" % ", ".join(found) if found else ""

    def node_text(self, node):
        own = {"count": "${count.index}", "for_each": "${each.key}"}.get(node.repeat, "")
        value = self.joined([('"%s-%d%s"' % (node.name, node.version, own),), *node.reads], node.module, node)
        text = '%s "%s" "%s" {\n%s' % (node.mode, node.kind, node.name, self.repetition(node))
        if node.kind == "terraform_data":
            text += "  input = %s\n" % value
            text += "  triggers_replace = %d\n" % node.trigger if node.trigger else ""
        elif node.mode == "data":
            text += "  key = jsonencode(%s)\n" % value
        elif node.mode == "ephemeral":
            text += '  name = "%s-%d%s"\n' % (node.name, node.version, own)
        else:
            text += '  password = %s.token\n' % node.secret.address if node.secret in node.module.parts else ""
            text += '  name  = "%s-%s%s"\n  value = jsonencode(%s)\n' % (node.name, node.trigger or 0, own, value)
        if node.instance:
            text += "  provider = kinutest.by[%s]\n" % (node.instance if node.repeat == "for_each" or node.instance != "each.key" else '"a"')
        return text + self.waits(node) + self.life_text(node) + "".join(map(lambda kind: self.provisioner_text(node, kind), node.provisioners)) + "}\n"

    def life_text(self, node):
        lines = []
        for name, value in node.life.items():
            if name == "replace_triggered_by":
                if value in node.module.parts:
                    lines.append("    %s = [%s]\n" % (name, value.address))
            elif name in ("precondition", "postcondition"):
                about = "local.flag" if name == "precondition" else '"${self.%s}${local.flag}"' % {"resource": "id", "data": "key", "ephemeral": "name"}[node.mode]
                lines.append('    %s {\n      condition     = !endswith(%s, "bad")\n      error_message = "Refused."\n    }\n' % (name, about))
            elif name != "enabled" or not node.repeat:
                lines.append("    %s = %s\n" % (name, value))
        return "  lifecycle {\n%s  }\n" % "".join(lines) if lines else ""

    @staticmethod
    def provisioner_text(node, kind):
        more = {"create": "", "destroy": "    when = destroy\n", "continue": "    on_failure = continue\n"}[kind]
        return '  provisioner "local-exec" {\n    command = "test ! -e %s/fail-%s"\n%s  }\n' % (".", node.name, more)

    def call_text(self, call):
        text = 'module "%s" {\n  source = "./%s"\n%s' % (call.name, ("" if not call.module.folder else "../") + call.child.folder, self.repetition(call))
        if call.given:
            text += "  in = %s\n" % self.joined(call.given, call.module, call)
        if call.instance:
            key = call.instance if call.repeat == "for_each" or call.instance != "each.key" else '"a"'
            text += "  providers = {\n    kinutest = kinutest.by[%s]\n  }\n" % key
        if call.enabled and not call.repeat:
            text += "  lifecycle {\n    enabled = %s\n  }\n" % call.enabled
        return text.replace("./../", "../") + self.waits(call) + "}\n"

    # --- Addresses ---

    def addresses(self, module=None, prefix="", instances=True):
        """The addresses of objects, or of blocks and calls."""
        out = []
        for part in (module or self.root).parts:
            for index in part.indexes() if instances else [""]:
                if isinstance(part, Node):
                    out.append(prefix + part.address + index)
                else:
                    out += self.addresses(part.child, prefix + part.address + index + ".", instances) + \
                        ([] if instances else [prefix + part.address])
        return out


class Graph:
    """A graph with its life, as a world that session.py runs."""

    NAME, MAKER, COMMANDS = "graph", Maker, COMMANDS

    def __init__(self, seed):
        self.seed, self.maker = seed, self.MAKER("%s %d" % (self.NAME, seed))
        self.random = self.maker.random
        self.steps, self.put = [{"args": ["init"]}], {}
        self.first = self.known = self.maker.files()
        self.live()

    def live(self):
        """Adds the edits and commands."""
        calls = self.calls()
        for number in range(self.random.randint(2, 9)):
            while number and self.random.random() < 0.5:
                self.maker.edit()
            command = "apply -auto-approve" if number == 0 and self.random.random() < 0.7 else \
                self.random.choices([name for name, _ in self.COMMANDS], [weight for _, weight in self.COMMANDS])[0]
            if self.calls() != calls:
                calls = self.calls()
                self.add(["get"])
            self.add(self.words(command))

    def calls(self):
        return sorted((call.module.folder, call.name) for module in self.maker.modules for call in module.calls())

    def some_address(self):
        """An address of an object, a block, a call or of something that is not there any more."""
        found = self.maker.addresses() * 3 + self.maker.addresses(instances=False) * 2 + self.maker.old[-4:]
        return self.random.choice(found or ["terraform_data.none"])

    def words(self, command):
        random, maker = self.random, self.maker
        chosen = []
        if random.random() < 0.35:
            option = random.choice(("-target=", "-exclude="))
            chosen = [option + self.some_address() for _ in range(random.choice((1, 1, 2)))]
        out = []
        for word in command.split():
            if word == "{targets}":
                out += chosen
            else:
                place = self.some_address() if random.random() < 0.3 else "terraform_data.%s" % maker.name()
                out.append(word.replace("{object}", self.some_address()).replace("{place}", place))
        maker.old = maker.addresses() + maker.old
        return out

    def add(self, words):
        step, now = {"args": words}, self.maker.files()
        changed = {name: text for name, text in now.items() if self.known.get(name) != text}
        gone = sorted(set(self.known) - set(now))
        if changed:
            step["put"] = "%02d" % (len(self.steps) + 1)
            self.put[step["put"]] = changed
        if gone:
            step["remove"] = gone
        self.known = now
        self.steps.append(step)

    def case(self):
        settings = {"title": "%s %d" % (self.NAME, self.seed), "steps": self.steps}
        out = {"id": "%s/%06d" % (self.NAME, self.seed), "case": settings, "in": self.first, "rows": [[] for _ in self.steps]}
        if self.put:
            out["put"] = self.put
        if self.maker.provider:
            settings["tags"] = ["provider:kinutest@1.0.0"]
            out["attached"] = True
        return out


def make(seed):
    """The graph of a seed."""
    return Graph(seed).case()
