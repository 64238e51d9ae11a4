"""Changes of a configuration between two commands, as a user makes them."""
import re

import features
from blocks import Block, Expr, Name, variable_file
from commands import PUSHED
from expressions import LITERALS, grouped

BROKEN = ('resource "terraform_data" {\n', "output \"x\" {\n", 'locals {\n  a = 1\n  a = 2\n}\n', 'variable "v1" {}\nvariable "v1" {}\n',
          'nope "x" {\n}\n', 'output "x" {\n  value = nope\n}\n', 'resource "terraform_data" "x" {\n  nope = 1\n}\n',
          'output "x" {\n}\n', "a = 1\n", 'module "x" {\n  source = "./gone"\n}\n', 'data "terraform_remote_state" "x" {\n}\n',
          'terraform {\n  backend "nope" {\n  }\n}\n', 'resource "nope_thing" "x" {\n}\n', 'output "x" {\n  value = "${"\n}\n',
          'provider "nope" {\n}\n', 'check "x" {\n}\n', 'moved {\n  from = terraform_data.r3\n  to = terraform_data.r3\n}\n',
          'import {\n  to = terraform_data.zzz\n  id = "x"\n}\n', 'variable "t" {\n  type = nope\n}\n')


class Edits:
    def __init__(self, choice, config):
        self.choice, self.config = choice, config
        self.removed, self.laid = [], {}  # files beside the configuration that the edit takes away or puts there

    def edit(self):
        """Makes one change. Files that are no part of the configuration are in `removed` and `laid`."""
        self.removed, self.laid = [], {}
        if "broken.tf" in self.config.extra and self.choice.random.random() < 0.7:
            del self.config.extra["broken.tf"]
            return
        kinds = [(self.change, 8), (self.add, 3), (self.remove, 2), (self.rename, 3), (self.repeat, 3), (self.lifecycle, 3),
                 (self.output, 2), (self.break_it, 2 * self.choice.reckless), (self.disturb, 2), (self.forget, 1), (self.move_backend, 1),
                 (self.values, 2), (self.relations, 2), (self.retype, self.chance_of_retyping())]
        self.choice.random.choices([kind for kind, _ in kinds], [weight for _, weight in kinds])[0]()
        if not self.choice.reckless:
            self.leave_overrides()

    def leave_overrides(self):
        """Takes away what overrides a block that is not there any more."""
        present = {(part.block.kind, part.block.labels) for part in self.config.root.parts}
        for name, content in self.config.extra.items():
            if "override" in name:
                self.config.extra[name] = [block for block in content if (block.kind, block.labels) in present]

    def some_module(self):
        return self.choice.pick([module for module in self.config.modules if module.found("resource")])

    def some_resource(self, module):
        return self.choice.pick(module.found("resource"))

    def change(self):
        module = self.some_module()
        part = self.some_resource(module)
        name = {"terraform_data": "input", "kinutest_thing": "value", "kinutest_entry": "old"}[part.block.labels[0]]
        if name == "input" and not self.choice.reckless and part.value not in (None, "string"):
            part.block.set(name, Expr(self.choice.pick(LITERALS.get(part.value, ["1"]))))
            return
        if part.block.labels[0] == "kinutest_thing" and self.choice.pick((0, 0, 1)):
            part.block.set("size", self.choice.pick((4, 5)))
        elif part.block.labels[0] == "terraform_data" and self.choice.pick((0, 0, 1)):
            part.block.set("triggers_replace", self.choice.pick(("x", "y", 3)))
        else:
            part.block.set(name, self.choice.pick(("changed", "changed again", Expr('"c-${1 + 1}"'))))

    def add(self):
        self.config.root.resource(self.config.name("r"))

    def remove(self):
        module = self.some_module()
        part = self.some_resource(module)
        module.parts.remove(part)
        if module is self.config.root and self.choice.pick((0, 1)):
            if self.choice.reckless:
                self.refer(module, part.address + ".", '"gone".')
            if self.choice.use("block file.removed", 0.4):
                features.add_removed(self.config, part.address)
        if not self.choice.reckless:
            self.release(module, part)
            self.forget_address(module, part.address)
        if not self.config.resources():
            self.add()

    # --- References, which stay valid in a calm world ---

    def blocks_of(self, module):
        """All blocks that can refer to objects of a module."""
        left = list(module.blocks())
        if module is self.config.root:
            left += [block for content in self.config.extra.values() if not isinstance(content, str) for block in content]
        while left:
            block = left.pop()
            yield block
            left += block.blocks

    def release(self, module, part):
        """Lets no expression refer to what an object has given: other expressions of that kind stand there."""
        old = sorted((one for one in module.make.scope if one.owner == part.address), key=lambda one: -len(one.text))
        module.make.scope = [one for one in module.make.scope if one.owner != part.address]
        if part in module.parts:
            module.declare_results(part)
        given = [one for one in module.make.scope if one.owner == part.address]
        for one in old:
            same = [other.text for other in given if other.kind == one.kind and other.sensitive <= one.sensitive]
            # A condition must refer to something.
            new = same[0] if same else "path.module" if one.kind == "string" else grouped(self.choice.pick(LITERALS[one.kind]))
            self.substitute(module, r"(?<![\w.])%s(?!\w)" % re.escape(one.text), new)
        self.substitute(module, r"(?<![\w.])%s(\[[^\]]*\])?\.id\b" % re.escape(part.address), "path.module")

    def substitute(self, module, pattern, new):
        """Replaces a pattern in all expressions of a module."""
        for block in self.blocks_of(module):
            block.arguments = {name: self.replaced(value, pattern, new) for name, value in block.arguments.items()}

    def forget_address(self, module, address):
        """Takes away what names an object that is not there any more."""
        names = lambda value: isinstance(value, Name) and re.match(r"%s(?!\w)" % re.escape(address), value)
        for block in list(self.blocks_of(module)):
            for name, value in list(block.arguments.items()):
                if isinstance(value, list) and any(map(names, value)):
                    block.arguments[name] = [item for item in value if not names(item)]
                    if not block.arguments[name] and name not in ("depends_on", "replace", "target", "ignore_changes"):
                        del block.arguments[name]
            block.blocks = [inner for inner in block.blocks if not names(inner.arguments.get("target"))]
        module.parts = [part for part in module.parts if part.block.kind != "import" or not names(part.block.arguments["to"])]
        for name, content in self.config.extra.items():
            if not isinstance(content, str):
                self.config.extra[name] = [block for block in content if not names(block.arguments.get("target"))]

    @staticmethod
    def replaced(value, pattern, new):
        if isinstance(value, (Expr, Name)):
            return type(value)(re.sub(pattern, lambda _: new, value))
        if isinstance(value, dict):
            return {key: Edits.replaced(item, pattern, new) for key, item in value.items()}
        if isinstance(value, list):
            return [Edits.replaced(item, pattern, new) for item in value]
        return value

    def refer(self, module, old, new):
        """Lets all expressions of a module refer to something else."""
        pattern = r"(?<![\w.])" + re.escape(old) + (r"(?!\w)" if old[-1] != "." else "")
        self.substitute(module, pattern, new)
        if new != '"gone".':
            module.make.scope = [one._replace(text=re.sub(pattern, lambda _: new, one.text)) for one in module.make.scope]

    def rename(self):
        module = self.some_module()
        part = self.some_resource(module)
        kind, old = part.block.labels
        new = self.config.name("r")
        before = part.address
        part.block.labels, part.address = (kind, new), "%s.%s" % (kind, new)
        self.refer(module, before, part.address)
        module.make.scope = [one._replace(owner=part.address) if one.owner == before else one for one in module.make.scope]
        if isinstance(part.block.arguments.get("name"), str) and not isinstance(part.block.arguments["name"], Expr):
            part.block.set("name", new)
        if self.choice.use("block file.moved", 0.7):
            module.add(Block("moved").set("from", Name(before)).set("to", Name(part.address)))

    def repeat(self):
        """Gives an object `count` or `for_each`, or takes it away."""
        module = self.some_module()
        part = self.some_resource(module)
        before = part.instance()
        if part.repeated:
            part.block.arguments.pop(part.repeated, None)
            part.repeated = ""
            if isinstance(part.block.arguments.get("name"), Expr):
                part.block.set("name", part.block.labels[1])
        else:
            part.repeated = self.choice.pick(("count", "for_each"))
            if part.block.labels[0] == "kinutest_thing":
                own = {"count": "count.index", "for_each": "each.key"}[part.repeated]
                part.block.set("name", Expr('"%s-${%s}"' % (part.block.labels[1], own)))
            part.block.set(part.repeated, 2 if part.repeated == "count" else Expr('toset(["a", "b"])'))
        if not self.choice.reckless:
            enabled = [inner for inner in part.block.blocks if inner.kind == "lifecycle" and part.repeated]
            for inner in enabled:
                inner.arguments.pop("enabled", None)
            self.substitute(module, r"(?<![\w.])%s(\[[^\]]*\])?$" % re.escape(part.address), part.address)
            module.parts = [one for one in module.parts if one.block.kind != "import" or
                            not re.match(r"%s(?!\w)" % re.escape(part.address), one.block.arguments["to"])]
            self.release(module, part)
        elif self.choice.pick((0, 1)):
            self.refer(module, before + ".", part.instance() + ".")

    def lifecycle(self):
        module = self.some_module()
        part = self.some_resource(module)
        found = [block for block in part.block.blocks if block.kind == "lifecycle"]
        life = found[0] if found else part.block.add(Block("lifecycle", prefix="resource_parts.lifecycle"))
        name = self.choice.pick(("create_before_destroy", "prevent_destroy", "destroy", "enabled"))
        if self.choice.reckless or name != "enabled" or not part.repeated:
            life.set(name, self.choice.pick((True, False)) and (name != "prevent_destroy" or self.choice.odd((False, False, True), (True,))))
        if name == "enabled" and not self.choice.reckless:
            self.release(module, part)

    def retypable(self):
        """Objects that another type of the tests' own provider can take over."""
        if not self.config.provider:
            return []
        return [part for part in self.config.resources() if not part.repeated and part.block.labels[0] != "kinutest_thing"
                and (part.block.labels[0] != "terraform_data" or part.value == "string")]

    def chance_of_retyping(self):
        return 0 if not self.retypable() else 30 if "feature moved type" in self.choice.focus else 1

    def retype(self):
        """Lets an object of another type take over."""
        self.choice.use("feature moved type", 1)
        root, old = self.config.root, self.choice.pick(self.retypable())
        root.parts.remove(old)
        new = root.add(Block("resource", "kinutest_thing", old.block.labels[1], prefix="resource_parts"), "kinutest_thing." + old.block.labels[1])
        new.block.set("name", old.block.arguments["name"] if "name" in old.block.arguments else old.block.arguments["input"])
        self.release(root, old)
        self.forget_address(root, old.address)
        root.declare_results(new)
        root.add(Block("moved").set("from", Name(old.address)).set("to", Name(new.address)))

    def output(self):
        outputs = self.config.root.found("output")
        if outputs and self.choice.pick((0, 1)):
            self.choice.pick(outputs).block.set("value", self.config.root.make.value("any", clear=True))
            self.config.root.output_kinds.update({part.block.labels[0]: ("any", False, False) for part in outputs})
        else:
            self.config.root.output(self.config.name("o"))

    def break_it(self):
        self.config.extra["broken.tf"] = self.choice.pick(BROKEN)

    def disturb(self):
        """Changes what objects or states are outside of the program."""
        kind = self.choice.odd(("thing", "thing", "state", "lock", "directory"), ("thing", "state", "damage", "damage", "lock", "directory"), 1.0)
        things = [part.block.labels[1] for part in self.config.resources() if part.block.labels[0] == "kinutest_thing"]
        if kind == "thing" and things:
            self.laid["things/thing-%s.json" % things[0]] = '{"name":"%s","value":"drifted"}' % things[0]
        elif kind == "state":
            self.removed.append("terraform.tfstate")
        elif kind == "damage":
            self.laid["terraform.tfstate"] = self.choice.pick(("", "{}", "not a state", '{"version": 99}', PUSHED, "[]", "{"))
        elif kind == "lock":
            self.removed.append(".terraform.lock.hcl")
        else:
            self.removed.append(".terraform")

    def forget(self):
        names = sorted(name for name in self.config.extra if not name.startswith("t") and (self.choice.reckless or self.is_spare(name)))
        if names:
            del self.config.extra[self.choice.pick(names)]

    def is_spare(self, name):
        """Whether a world still works without a file."""
        return not name.endswith((".tfvars", ".tfvars.json")) and name not in self.config.links.values() and "main.tf" not in name

    def move_backend(self):
        if self.config.override_has("terraform"):
            return
        for part in self.config.root.found("terraform"):
            for block in part.block.blocks:
                if block.kind == "backend":
                    if self.choice.pick((0, 1)):
                        self.config.root.parts.remove(part)
                    elif block.labels == ("local",):
                        block.set("path", "moved.tfstate")
                    return
        self.config.root.add(Block("terraform")).block.add(Block("backend", "local")).set("path", "new.tfstate")

    def values(self):
        for variable in self.config.root.variables:
            if self.choice.pick((0, 1)):
                self.config.extra["z.auto.tfvars"] = variable_file("x", {variable.name: self.config.root.make.literal(variable.kind)})
                self.choice.taken.add("form auto tfvars")

    def relations(self):
        self.choice.pick((features.add_check, features.add_import))(self.config)
