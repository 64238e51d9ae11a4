"""Changes of a configuration between two commands, as a user makes them."""
import features
from blocks import Block, Expr, Name, variable_file
from commands import PUSHED

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
                 (self.output, 2), (self.break_it, 2), (self.disturb, 2), (self.forget, 1), (self.move_backend, 1), (self.values, 2),
                 (self.relations, 2)]
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
            self.refer(module, part.address + ".", '"gone".')
            if self.choice.use("block file.removed", 0.4):
                features.add_removed(self.config, part.address)
        if not self.config.resources():
            self.add()

    @staticmethod
    def replaced(value, old, new):
        if isinstance(value, (Expr, Name)):
            return type(value)(value.replace(old, new))
        if isinstance(value, dict):
            return {key: Edits.replaced(item, old, new) for key, item in value.items()}
        if isinstance(value, list):
            return [Edits.replaced(item, old, new) for item in value]
        return value

    def refer(self, module, old, new):
        """Lets all expressions of a module refer to something else."""
        left = list(module.blocks())
        while left:
            block = left.pop()
            block.arguments = {name: self.replaced(value, old, new) for name, value in block.arguments.items()}
            left += block.blocks
        if new != '"gone".':
            module.make.scope = [one._replace(text=one.text.replace(old, new)) for one in module.make.scope]

    def rename(self):
        module = self.some_module()
        part = self.some_resource(module)
        kind, old = part.block.labels
        new = self.config.name("r")
        before = part.address
        part.block.labels, part.address = (kind, new), "%s.%s" % (kind, new)
        self.refer(module, before, part.address)
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
        if self.choice.pick((0, 1)):
            self.refer(module, before + ".", part.instance() + ".")

    def lifecycle(self):
        part = self.some_resource(self.some_module())
        found = [block for block in part.block.blocks if block.kind == "lifecycle"]
        life = found[0] if found else part.block.add(Block("lifecycle", prefix="resource_parts.lifecycle"))
        name = self.choice.pick(("create_before_destroy", "prevent_destroy", "destroy", "enabled"))
        life.set(name, self.choice.pick((True, False)))

    def output(self):
        outputs = self.config.root.found("output")
        if outputs and self.choice.pick((0, 1)):
            self.choice.pick(outputs).block.set("value", self.config.root.make.value("any", clear=True))
        else:
            self.config.root.output(self.config.name("o"))

    def break_it(self):
        self.config.extra["broken.tf"] = self.choice.pick(BROKEN)

    def disturb(self):
        """Changes what objects or states are outside of the program."""
        kind = self.choice.pick(("thing", "thing", "state", "damage", "lock", "directory"))
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
        names = sorted(name for name in self.config.extra if not name.startswith("t") and (self.choice.reckless or name != "given.tfvars"))
        if names:
            del self.config.extra[self.choice.pick(names)]

    def move_backend(self):
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
