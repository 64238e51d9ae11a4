"""The configurations of random histories, and their changes from step to step (histories.py)."""

import json
import os

KEYS = ["a", "b", "c", "d"]

# Resource types: block header, and how a value and a trigger are written. %s is the value.
TYPES = {
    "data": ("terraform_data", ["input = %s"], ["triggers_replace = %s"]),
    "null": ("null_resource", None, None),  # both in the map triggers
    "uuid": ("random_uuid", None, None),    # both in the map keepers
    "mock": ("tfcoremock_simple_resource", ["string = %s"], ["integer = %s"]),
    "thing": ("kinutest_thing", ["value = %s"], ["size = %s"]),
}
RESULT = {"data": "output", "null": "id", "uuid": "result", "mock": "string", "thing": "value",
          "lookup": "value"}
PROVIDERS = """terraform {
  required_providers {
    kinutest = {
      source = "kinu/kinutest"
    }
    null = {
      source = "hashicorp/null"
    }
    random = {
      source = "hashicorp/random"
    }
    tfcoremock = {
      source = "hashicorp/tfcoremock"
    }
  }
}
"""


class Resource:
    """A resource block as numbers and flags, from which its text is generated."""

    def __init__(self, rng, name, earlier, rich):
        self.name = name
        self.type = rng.choice(["data", "data", "data", "null", "uuid", "mock", "thing", "thing",
                                "lookup"]) if rich else "data"
        self.kind = rng.choice(["single", "single", "count", "each"])
        if self.type != "lookup" and rng.random() < 0.06:
            self.kind = "enabled"
        self.size = rng.randint(1, 3)
        self.keys = sorted(rng.sample(KEYS, self.size))
        self.input = rng.randint(0, 9)
        self.trigger = rng.randint(0, 3)
        self.first = rng.random() < 0.2
        self.ignore = rng.random() < 0.1
        self.condition = "ok" if rng.random() < 0.2 else None
        self.fails = None
        self.destroy_command = None
        self.keep = rng.random() < 0.04     # lifecycle.destroy = false
        self.prevent = False
        self.on = True                      # lifecycle.enabled
        self.uses = []
        for other in rng.sample(earlier, min(len(earlier), rng.choice([0, 1, 1, 2]))):
            self.uses.append((other, rng.randint(0, 5)))
        self.depends = [rng.choice(earlier)] if earlier and rng.random() < 0.15 else []
        self.triggered = (rng.choice(earlier), rng.randint(0, 1)) \
            if earlier and rng.random() < 0.12 else None

    @property
    def at(self):
        if self.type == "lookup":
            return "data.kinutest_lookup." + self.name
        return TYPES[self.type][0] + "." + self.name

    def instance(self):
        """An address of one of its instances."""
        return self.at + {"count": "[0]", "each": '["%s"]' % self.keys[0]}.get(self.kind, "")


class Module:
    def __init__(self, rng, name, earlier, rich, depth=0):
        self.name = name
        self.kind = rng.choice(["single", "count", "each"])
        self.size = rng.randint(1, 2)
        self.keys = sorted(rng.sample(KEYS, self.size))
        self.input = (rng.choice(earlier), rng.randint(0, 5)) if earlier else None
        self.depends = [rng.choice(earlier)] if earlier and rng.random() < 0.15 else []
        self.inner = []
        for i in range(rng.randint(1, 3)):
            self.inner.append(Resource(rng, "%s_%d" % (name, i), [r.name for r in self.inner],
                                       rich))
        self.takes_input = rng.random() < 0.7
        self.child = Module(rng, name + "n", [r.name for r in self.inner], rich, depth + 1) \
            if depth == 0 and rng.random() < 0.2 else None

    def makes_things(self):
        return any(r.type == "thing" for r in self.inner) or \
            self.child is not None and self.child.makes_things()

    def instance(self):
        return "module." + self.name + {"count": "[0]", "each": '["%s"]' % self.keys[0]}.get(
            self.kind, "")


class World:
    """The present configuration, and its possible changes."""

    def __init__(self, rng):
        self.rng = rng
        self.rich = rng.random() < 0.25
        self.serial = 0
        self.resources = []
        self.modules = []
        self.checks = []  # (name, resource, condition holds, has its own data source)
        self.extra = []      # moved, removed and import blocks of this step
        self.commands = []  # commands that run before the plan
        self.drift = None  # the change of an object outside of the program
        for _ in range(rng.randint(2, 5)):
            self.add_resource()
        if rng.random() < 0.6:
            self.add_module()
        for _ in range(rng.randint(0, 2)):
            self.add_resource()
        self.local = rng.random() < 0.5
        self.prefix_from = rng.random() < 0.2

    def names(self):
        return [r.name for r in self.resources]

    def add_resource(self):
        self.serial += 1
        earlier = self.names() + ["module." + m.name for m in self.modules]
        self.resources.append(Resource(self.rng, "r%d" % self.serial, earlier, self.rich))

    def add_module(self):
        self.serial += 1
        self.modules.append(Module(self.rng, "m%d" % self.serial, self.names(), self.rich))

    def module_paths(self):
        return sorted((m.name, m.child.name if m.child else None) for m in self.modules)

    # --- Text ---

    @staticmethod
    def reference(resources, modules, name, style):
        """An expression that refers to `name` and fits its present form."""
        if name.startswith("module."):
            module = next((m for m in modules if "module." + m.name == name), None)
            if module is None:
                return None
            if module.kind == "single":
                return "%s.out" % name
            if style % 2 == 0:
                return "jsonencode([for x in %s : x.out])" % (
                    name if module.kind == "count" else "values(%s)" % name)
            key = "0" if module.kind == "count" else '"%s"' % module.keys[0]
            return "%s[%s].out" % (name, key)
        other = next((r for r in resources if r.name == name), None)
        if other is None:
            return None
        at = other.at
        result = RESULT[other.type]
        one = "value" if other.type == "lookup" else "id"
        if other.kind == "enabled":
            return 'try(%s.%s, "off")' % (at, one)
        if other.kind == "single":
            return at + "." + (one if style % 2 else result)
        if style in (0, 1):
            return "jsonencode(%s)" % (at + "[*]." + one if other.kind == "count"
                                       else "[for x in %s : x.%s]" % (at, one))
        if style == 2:
            return "tostring(length(%s))" % at
        key = "0" if other.kind == "count" else '"%s"' % other.keys[0]
        return "%s[%s].%s" % (at, key, one if style % 2 else result)

    def resource_text(self, resources, modules, r, extra_input=None, keyed=False):
        if r.type == "lookup":
            lines = ['data "kinutest_lookup" "%s" {' % r.name]
        else:
            lines = ['resource "%s" "%s" {' % (TYPES[r.type][0], r.name)]
        if r.kind == "count":
            lines.append("  count = %d" % r.size)
        elif r.kind == "each":
            lines.append("  for_each = toset(%s)" % json.dumps(r.keys))
        parts = ["v%d" % r.input]
        own = {"count": "${count.index}", "each": "${each.key}"}.get(r.kind)
        if own:
            parts.append(own)
        for name, style in r.uses:
            expression = self.reference(resources, modules, name, style)
            if expression:
                parts.append("${%s}" % expression)
        if extra_input:
            parts.append("${%s}" % extra_input)
        value = '"%s"' % "-".join(parts)
        ignored = None
        if r.type == "lookup":
            lines.append("  key = " + value)
        elif r.type in ("null", "uuid"):
            ignored = "triggers" if r.type == "null" else "keepers"
            lines += ["  %s = {" % ignored, "    v = " + value, "    t = %d" % r.trigger, "  }"]
        else:
            lines.append("  " + TYPES[r.type][1][0] % value)
            lines.append("  " + TYPES[r.type][2][0] % r.trigger)
            ignored = TYPES[r.type][1][0].split()[0]
        if r.type == "thing":
            lines.append('  name = "%s-%d%s%s"' % (r.name, r.trigger % 3, "-" + own if own else "",
                                                   "-${var.of}" if keyed else ""))
            if r.fails in ("create", "update", "delete"):
                lines.append('  behave = "fail-%s"' % r.fails)
        depends = [next((o.at for o in resources if o.name == d), d) for d in r.depends
                   if self.reference(resources, modules, d, 0)]
        if depends:
            lines.append("  depends_on = [%s]" % ", ".join(depends))
        life = []
        if r.type != "lookup":
            if r.kind == "enabled":
                life.append("    enabled = %s" % ("true" if r.on else "false"))
            if r.first:
                life.append("    create_before_destroy = true")
            if r.ignore and ignored:
                life.append("    ignore_changes = [%s]" % ignored)
            if r.keep:
                life.append("    destroy = false")
            if r.prevent:
                life.append("    prevent_destroy = true")
            if r.triggered:
                other = next((o for o in resources if o.name == r.triggered[0]), None)
                if other is not None and other.type != "lookup" and other.kind != "enabled":
                    life.append("    replace_triggered_by = [%s]" % (
                        other.instance() if r.triggered[1] else other.at))
        if r.condition:
            when = "postcondition" if r.condition == "after" else "precondition"
            holds = "false" if r.condition in ("no", "after") else 'path.module != "none"'
            if r.condition == "after":
                holds = 'self.%s == "never"' % ("value" if r.type == "lookup" else "id")
            life.append('    %s {\n      condition = %s\n      error_message = "no"\n    }' % (
                when, holds))
        if life:
            lines += ["  lifecycle {"] + life + ["  }"]
        if r.fails == "command" and r.type != "lookup":
            lines.append('  provisioner "local-exec" {\n    command = "exit 1"\n  }')
        if r.destroy_command and r.type != "lookup":
            lines.append('  provisioner "local-exec" {\n    when = destroy\n'
                         '    command = "%s"\n  }' % r.destroy_command)
        return "\n".join(lines + ["}", ""])

    def passes_key(self, m, keyed):
        """Whether instances of a module receive their key. Two objects of one name would be the same object,
        even if one of them is about to be destroyed."""
        return m.makes_things() and (keyed or m.kind != "single")

    def module_call(self, resources, modules, m, keyed=False):
        lines = ['module "%s" {' % m.name, '  source = "./%s"' % m.name]
        if m.kind == "count":
            lines.append("  count = %d" % m.size)
        elif m.kind == "each":
            lines.append("  for_each = toset(%s)" % json.dumps(m.keys))
        value = m.input and self.reference(resources, modules, m.input[0], m.input[1])
        lines.append("  in = %s" % (value or '"x"'))
        if self.passes_key(m, keyed):
            own = {"count": "${count.index}", "each": "${each.key}"}.get(m.kind, "")
            lines.append('  of = "%s%s"' % ("${var.of}" if keyed else "", own))
        depends = [o.at for o in resources if o.name in m.depends]
        if depends:
            lines.append("  depends_on = [%s]" % ", ".join(depends))
        return "\n".join(lines + ["}", ""])

    def write_module(self, directory, m, keyed=False):
        keyed = self.passes_key(m, keyed)
        inner = [PROVIDERS] if self.rich else []
        inner.append('variable "in" {}\n')
        if keyed:
            inner.append('variable "of" {}\n')
        for r in m.inner:
            inner.append(self.resource_text(
                m.inner, [], r, "var.in" if m.takes_input and r is m.inner[0] else None, keyed))
        if m.inner:
            last = self.reference(m.inner, [], m.inner[-1].name, 1)
        else:
            last = "var.in"
        inner.append('output "out" {\n  value = %s\n}\n' % last)
        directory = os.path.join(directory, m.name)
        os.makedirs(directory, exist_ok=True)
        if m.child:
            inner.append(self.module_call(m.inner, [], m.child, keyed))
            self.write_module(directory, m.child, keyed)
        with open(os.path.join(directory, "main.tf"), "w") as handle:
            handle.write("\n".join(inner))

    def write(self, directory):
        text = []
        if self.rich:
            prefix = '"p"'
            first = self.resources[0]
            if self.prefix_from and first.type in ("data", "uuid") and first.kind == "single":
                prefix = first.at + ".id"
            text.append(PROVIDERS)
            text.append('provider "kinutest" {\n  directory = "things"\n  prefix = %s\n}\n'
                        % prefix)
        for r in self.resources:
            extra = "local.l" if self.local and r is self.resources[-1] and \
                len(self.resources) > 1 else None
            text.append(self.resource_text(self.resources, self.modules, r, extra))
        if self.local and self.resources:
            text.append("locals {\n  l = %s\n}\n" % (
                self.reference(self.resources, self.modules, self.resources[0].name, 1)))
        for m in self.modules:
            text.append(self.module_call(self.resources, self.modules, m))
            self.write_module(directory, m)
        for r in self.resources:
            text.append('output "o_%s" {\n  value = %s\n}\n' % (
                r.name, self.reference(self.resources, self.modules, r.name, 1)))
        for name, about, holds, reads in self.checks:
            expression = self.reference(self.resources, self.modules, about, 1)
            if not expression:
                continue
            lines = ['check "%s" {' % name]
            if reads and self.rich:
                lines.append('  data "kinutest_lookup" "%s_d" {\n    key = %s\n  }' % (
                    name, '"x"' if holds else '"missing"'))
            lines.append('  assert {\n    condition = %s %s "never"\n'
                         '    error_message = "no"\n  }\n}\n' % (
                             expression, "!=" if holds else "=="))
            text.append("\n".join(lines))
        with open(os.path.join(directory, "main.tf"), "w") as handle:
            handle.write("\n".join(text + self.extra))

    def disturb(self, directory):
        """Changes an object outside of the program: the file of a thing is changed or removed."""
        if self.drift is None or not os.path.isdir(os.path.join(directory, "things")):
            return
        names = sorted(os.listdir(os.path.join(directory, "things")))
        if not names:
            return
        path = os.path.join(directory, "things", names[self.drift[0] % len(names)])
        if self.drift[1]:
            os.remove(path)
            return
        with open(path) as handle:
            stored = json.load(handle)
        stored["value"] = "drifted"
        with open(path, "w") as handle:
            json.dump(stored, handle)

    # --- Changes ---

    def every_resource(self):
        every = list(self.resources)
        for m in self.modules:
            every += m.inner
        return every

    CHANGES = ["trigger", "trigger", "trigger", "input", "input", "size", "size", "kind", "first",
               "add", "drop", "move", "move_key", "move_module", "move_into", "remove", "module",
               "uses", "import", "fail", "fail", "fail_destroy", "heal", "heal", "drop_module",
               "invert", "keep", "prevent", "enabled", "condition", "check", "depends",
               "triggered", "drift", "drift", "remove_module"]

    def change(self):
        rng = self.rng
        self.extra = []
        self.drift = None
        for r in self.every_resource():
            r.prevent = r.prevent and rng.random() < 0.5
            if r.condition in ("no", "after") and rng.random() < 0.7:
                r.condition = "ok"
        for _ in range(rng.randint(1, 3)):
            r = rng.choice(self.every_resource() or [None])
            what = rng.choice(self.CHANGES)
            if r is None or what == "add":
                self.add_resource()
            elif what == "trigger":
                r.trigger += 1
            elif what == "input":
                r.input += 1
            elif what == "size":
                r.size = rng.randint(1, 3)
                r.keys = sorted(rng.sample(KEYS, r.size))
            elif what == "kind":
                r.kind = rng.choice(["single", "count", "each"])
            elif what == "first":
                r.first = not r.first
            elif what == "uses" and r.uses:
                r.uses.pop()
            elif what == "fail":
                r.fails = None if r.fails else (
                    rng.choice(["create", "update", "delete"]) if r.type == "thing"
                    else "command")
            elif what == "fail_destroy":
                r.destroy_command = rng.choice([None, "exit 1", "true"])
            elif what == "heal":
                for other in self.every_resource():
                    other.fails = other.destroy_command = None
            elif what == "keep":
                r.keep = not r.keep
            elif what == "prevent":
                r.prevent = True
            elif what == "enabled":
                r.on = not r.on
            elif what == "condition":
                r.condition = rng.choice([None, "ok", "no", "after"])
            elif what == "check" and self.resources:
                self.serial += 1
                if len(self.checks) > 1:
                    self.checks.pop(0)
                self.checks.append(("c%d" % self.serial, rng.choice(self.names()),
                                    rng.random() < 0.6, rng.random() < 0.4))
            elif what == "depends" and r in self.resources:
                earlier = self.names()[:self.resources.index(r)]
                r.depends = [rng.choice(earlier)] if earlier and not r.depends else []
            elif what == "triggered" and r in self.resources:
                earlier = self.names()[:self.resources.index(r)]
                r.triggered = (rng.choice(earlier), rng.randint(0, 1)) \
                    if earlier and not r.triggered else None
            elif what == "drift":
                self.drift = (rng.randint(0, 9), rng.random() < 0.5)
            elif what == "drop" and r in self.resources and len(self.resources) > 1:
                self.resources.remove(r)
            elif what == "remove" and r in self.resources and len(self.resources) > 1 and \
                    r.type != "lookup":
                self.resources.remove(r)
                self.extra.append("removed {\n  from = %s\n  lifecycle {\n    destroy = %s\n  }\n"
                                  "}\n" % (r.at, rng.choice(["true", "false"])))
            elif what == "remove_module" and self.modules:
                m = self.modules.pop()
                self.extra.append("removed {\n  from = module.%s\n  lifecycle {\n    destroy = %s\n"
                                  "  }\n}\n" % (m.name, rng.choice(["true", "false"])))
            elif what == "move" and r in self.resources and r.type != "lookup":
                self.serial += 1
                old = r.at
                self.rename(r, "r%d" % self.serial)
                self.extra.append("moved {\n  from = %s\n  to = %s\n}\n" % (old, r.at))
            elif what == "move_key" and r in self.resources and r.type != "lookup":
                old = r.instance()
                if r.kind == "each":
                    new = rng.choice(KEYS)
                    r.keys = sorted(set(r.keys[1:]) | {new})
                    self.extra.append('moved {\n  from = %s\n  to = %s["%s"]\n}\n' % (
                        old, r.at, new))
                elif r.kind in ("single", "count"):
                    r.kind = "each"
                    self.extra.append("moved {\n  from = %s\n  to = %s\n}\n" % (
                        old, r.instance()))
            elif what == "move_module" and self.modules:
                m = rng.choice(self.modules)
                self.serial += 1
                old = "module." + m.name
                if rng.random() < 0.5:
                    old = m.instance()
                    m.kind = rng.choice(["single", "count", "each"])
                    new = m.instance()
                else:
                    for other in self.resources:
                        other.uses = [("module.m%d" % self.serial if n == old else n, s)
                                      for n, s in other.uses]
                        other.depends = ["module.m%d" % self.serial if n == old else n
                                         for n in other.depends]
                    m.name = "m%d" % self.serial
                    new = "module." + m.name
                if old != new:
                    self.extra.append("moved {\n  from = %s\n  to = %s\n}\n" % (old, new))
            elif what == "move_into" and self.modules and r in self.resources and \
                    len(self.resources) > 1 and r.type != "lookup":
                m = rng.choice(self.modules)
                if m.kind != "single":
                    continue
                self.resources.remove(r)
                old = r.at
                self.serial += 1
                r.name = "%s_%d" % (m.name, self.serial)
                r.uses, r.depends, r.triggered = [], [], None
                m.inner.append(r)
                self.extra.append("moved {\n  from = %s\n  to = module.%s.%s\n}\n" % (
                    old, m.name, r.at))
            elif what == "module":
                if self.modules:
                    m = rng.choice(self.modules)
                    m.size = rng.randint(1, 2)
                    m.keys = sorted(rng.sample(KEYS, m.size))
                else:
                    self.add_module()
            elif what == "drop_module" and self.modules:
                self.modules.pop()
            elif what == "invert":
                self.invert()
            elif what == "import":
                self.add_resource()
                new = self.resources[-1]
                new.kind = "single"
                if new.type in ("data", "thing"):
                    self.extra.append('import {\n  to = %s\n  id = "imported-%s"\n}\n' % (
                        new.at, new.name))
        self.commands = self.state_commands()

    def state_commands(self):
        rng = self.rng
        if rng.random() > 0.14 or not self.resources:
            return []
        r = rng.choice(self.resources)
        if r.type == "lookup":
            return []
        at = r.instance()
        return [rng.choice([["taint", at], ["taint", at], ["untaint", at], ["state", "rm", at],
                            ["state", "mv", at, TYPES[r.type][0] + ".moved_" + r.name]])]

    def rename(self, r, new):
        old = r.name
        for other in self.resources:
            other.uses = [(new if n == old else n, s) for n, s in other.uses]
            other.depends = [new if n == old else n for n in other.depends]
            if other.triggered and other.triggered[0] == old:
                other.triggered = (new, other.triggered[1])
        for m in self.modules:
            if m.input and m.input[0] == old:
                m.input = (new, m.input[1])
            m.depends = [new if n == old else n for n in m.depends]
        self.checks = [(c, new if n == old else n, h, d) for c, n, h, d in self.checks]
        r.name = new

    def invert(self):
        """Reverses a dependency between two resources."""
        for r in self.resources:
            for name, style in list(r.uses):
                other = next((o for o in self.resources if o.name == name), None)
                if other is not None and not other.uses and not other.depends and \
                        not other.triggered:
                    r.uses = []
                    r.depends = []
                    r.triggered = None
                    other.uses = [(r.name, style)]
                    # Modules keep their order.
                    self.resources.remove(other)
                    self.resources.append(other)
                    for m in self.modules:
                        m.input = None
                        m.depends = []
                    for o in self.resources:
                        o.uses = [(n, s) for n, s in o.uses if not n.startswith("module.")]
                        o.depends = []
                    return

    def options(self):
        rng = self.rng
        roll = rng.random()
        r = rng.choice(self.resources) if self.resources else None
        if r is None:
            return []
        at = r.instance() if rng.random() < 0.4 else r.at
        if roll < 0.1:
            return ["-target=" + at]
        if roll < 0.13:
            return ["-target=" + at, "-target=" + rng.choice(self.resources).at]
        if roll < 0.19:
            return ["-exclude=" + at]
        if self.modules and roll < 0.25:
            m = rng.choice(self.modules)
            address = rng.choice(["module." + m.name, m.instance(),
                                  "module.%s.%s" % (m.name, m.inner[0].at) if m.inner
                                  else m.instance()])
            return [rng.choice(["-target=", "-exclude="]) + address]
        if roll < 0.31 and r.type != "lookup":
            return ["-replace=" + r.instance()] + (["-refresh=false"] if roll < 0.27 else [])
        if roll < 0.37:
            return ["-refresh=false"]
        if roll < 0.42:
            return ["-refresh-only"]
        if roll < 0.48:
            return ["-destroy"]
        if roll < 0.5:
            return ["-destroy", "-refresh=false"]
        if roll < 0.54:
            return ["-destroy", rng.choice(["-target=", "-exclude="]) + at]
        return []
