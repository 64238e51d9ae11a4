#!/usr/bin/env python3
"""Makes one random edit in random worlds, and checks that `why` names it for each change.

  why.py --binary PATH --mirror DIRECTORY [--seeds A-B]

A world has variables, local values, a file, a module and objects that depend on each other; it is applied, and then one
thing is edited: an argument, a variable, a local value, the file, a real object, a key and the like. `why` must have the
edit among the roots of each change, and only that if it says that it is certain. With the earlier configuration
(-since) it must name the edit alone. What it names is then undone, and the plan must be empty. Without the provider the
test is skipped (exit code 77).
"""
import json
import os
import random
import shutil
import sys
import tempfile

from world_directory import Failure, WorldDirectory, check, read_options

HEAD = """terraform {
  required_providers {
    kinutest = { source = "kinu/kinutest" }
  }
}
provider "kinutest" {
  directory = "things"
}
"""
MODULE = """terraform {
  required_providers {
    kinutest = { source = "kinu/kinutest" }
  }
}
variable "in" {}
locals {
  inner = "${var.in}-inner"
}
resource "kinutest_thing" "x" {
  name  = "m-${substr(sha1(var.in), 0, 12)}"
  value = local.inner
}
output "out" {
  value = kinutest_thing.x.value
}
output "id" {
  value = kinutest_thing.x.id
}
"""


class World:
    """A configuration. Blocks are lists of lines, so that an edit of one leaves the places of the others."""

    def __init__(self, rng):
        self.rng = rng
        self.values = {"v%d" % i: "val%d" % rng.randrange(100) for i in range(3)}
        self.given = {name for name in self.values if rng.random() < 0.6}
        self.count = rng.randrange(2, 4)
        self.keys = ["k%d" % i for i in range(rng.randrange(2, 4))]
        self.file = "text %d\n" % rng.randrange(1000)
        self.locals = {}
        atoms = ["var." + name for name in self.values] + ['trimspace(file("f.txt"))']
        for i in range(3):
            self.locals["l%d" % i] = self.template(atoms, "l%d" % i)
            atoms.append("local.l%d" % i)
        self.things = {}
        self.module_repetition = rng.choice(("", "", "count    = var.n", "for_each = toset(var.keys)"))
        module_at = rng.randrange(1, 5)
        for i in range(5):
            if i == module_at:
                self.module_input = self.template(atoms, "in")
                # Behind which nothing refers to the module as a whole.
                atoms += {"": ["module.m.out", "module.m.id"], "c": ["module.m[0].out", "module.m[1].id"],
                          "f": ['module.m["k0"].out', 'module.m["k1"].id']}[self.module_repetition[:1]]
            name = "t%d" % i
            repetition = rng.choice(("", "", "count    = var.n", "for_each = toset(var.keys)", "count    = 2"))
            thing = {"repetition": repetition, "name": '"%s%s"' % (name, {
                "": "", "c": "-${count.index}", "f": "-${each.key}"}[repetition[:1]])}
            if rng.random() < 0.25:
                thing["name"] = thing["name"][:-1] + "-${%s}\"" % rng.choice(
                    [a for a in atoms if a.startswith(("var", "local"))])
            own = list(atoms)
            if repetition:
                own.append("count.index" if repetition[0] == "c" else "each.value")
                same = [other for other, block in self.things.items()
                        if block["repetition"][:8] == repetition[:8] and "2" not in block["repetition"] + repetition]
                own += ["kinutest_thing.%s[%s].value" % (other, "count.index" if repetition[0] == "c" else "each.key")
                        for other in same]
            thing["value"] = self.template(own, name)
            if rng.random() < 0.4:
                thing["tags"] = "{ one = %s, two = \"fixed\" }" % self.template(own, "tag")
            self.things[name] = thing
            atoms.append("kinutest_thing.%s%s.%s" % (
                name, {"": "", "c": "[%d]" % rng.randrange(2), "f": '["k%d"]' % rng.randrange(2)}[repetition[:1]],
                rng.choice(("value", "id"))))
        self.module_at = module_at
        # One names a single thing, so that an edit of it can change nothing but the output.
        self.outputs = {"o%d" % i: self.template(atoms, "o%d" % i) for i in range(2)}
        self.outputs["single"] = rng.choice(atoms)

    def template(self, atoms, word):
        chosen = self.rng.sample(atoms, min(len(atoms), self.rng.choice((0, 1, 1, 2))))
        if len(chosen) == 1 and self.rng.random() < 0.3:
            return chosen[0]
        return '"%s"' % "-".join([word + str(self.rng.randrange(100))] + ["${%s}" % atom for atom in chosen])

    def main(self, without=(), more=""):
        lines = [HEAD]
        for name, value in self.values.items():
            lines.append('variable "%s" {\n  default = "%s"\n}\n' % (
                name, "other" if name in self.given else value))
        lines.append('variable "n" {\n  default = 0\n}\nvariable "keys" {\n  default = []\n}\n')
        for name, text in self.locals.items():
            lines.append("locals {\n  %s = %s\n}\n" % (name, text))
        for name, thing in self.things.items():
            if name not in without:
                lines.append('resource "kinutest_thing" "%s" {\n%s  name  = %s\n  value = %s\n%s}\n' % (
                    name, "  %s\n" % thing["repetition"] if thing["repetition"] else "", thing["name"],
                    thing["value"], "  tags  = %s\n" % thing["tags"] if "tags" in thing else ""))
        lines.append('module "m" {\n  source   = "./m"\n%s  in       = %s\n}\n' % (
            "  %s\n" % self.module_repetition if self.module_repetition else "",
            self.module_input))
        for name, text in self.outputs.items():
            if "output." + name not in without:
                lines.append('output "%s" {\n  value = %s\n}\n' % (name, text))
        return "".join(lines) + more

    def tfvars(self):
        lines = ['%s = "%s"\n' % (name, self.values[name]) for name in sorted(self.given)]
        lines.append("n = %d\nkeys = %s\n" % (self.count, json.dumps(self.keys)))
        return "".join(lines)

    def write(self, here, **options):
        here.write("main.tf", self.main(**options))
        here.write("terraform.tfvars", self.tfvars())
        here.write("f.txt", self.file)
        here.write("m/main.tf", MODULE)


def edited(text):
    """The text of an expression with one more word in it."""
    return text[:-1] + '-edited"' if text.startswith('"') else '"${%s}-edited"' % text


class Edit:
    """What is done, and which root says so."""

    def __init__(self, kind, address=None, path=None, flags=(), changes=True):
        self.kind = kind
        self.address = address
        self.path = path
        self.flags = flags

    def matches(self, root):
        return root["kind"] in self.kind.split("|") and (
            self.address is None or root.get("address") == self.address or
            root.get("address", "").startswith(self.address + "[")) and (
                self.path is None or root.get("path") == self.path)

    def __str__(self):
        return "%s %s %s" % (self.kind, self.address, self.path)


def stored(here):
    """The addresses of the objects in the state."""
    return here.run("state", "list").stdout.split()


def make_edit(rng, world, here, base):
    what = rng.choice(("value", "value", "name", "tags", "local", "local", "variable", "flag", "default", "file", "drift",
                       "gone", "taint", "replace", "moved", "removed", "count", "keys", "input", "inner", "output", "output", "no output", "sensitive"))
    name = rng.choice(list(world.things))
    thing = world.things[name]
    address = "kinutest_thing." + name
    options = {}
    edit = None
    if what == "tags" and "tags" not in thing:
        what = "value"
    if what in ("value", "name"):
        thing[what] = edited(thing[what])
        edit = Edit("edited_argument", address, what)
    elif what == "tags":
        thing["tags"] = thing["tags"].replace("fixed", "edited")
        edit = Edit("edited_argument", address, "tags")
    elif what == "local":
        local = rng.choice(list(world.locals))
        world.locals[local] = edited(world.locals[local])
        edit = Edit("edited_argument", "local." + local)
    elif what in ("variable", "default", "flag"):
        names = [v for v in world.values if (v in world.given) != (what == "default")] or list(world.values)
        variable = rng.choice(names)
        edit = Edit("variable", "var." + variable)
        if what == "flag":
            edit.flags = ("-var=%s=changed" % variable,)
        else:
            world.values[variable] = "changed"
    elif what == "file":
        world.file = "another text\n"
        edit = Edit("file", "f.txt")
    elif what in ("drift", "gone"):
        things = os.path.join(here.path, "things")
        chosen = rng.choice(sorted(os.listdir(things)))
        path = os.path.join(things, chosen)
        with open(path, encoding="utf-8") as file:
            content = json.load(file)
        if what == "gone":
            os.remove(path)
            edit = Edit("gone")
        else:
            content["value"] = "drifted"
            with open(path, "w", encoding="utf-8") as file:
                json.dump(content, file)
            edit = Edit("drift", None, "value")
    elif what in ("taint", "replace"):
        chosen = rng.choice(stored(here))
        if what == "taint":
            here.run("taint", chosen)
            edit = Edit("tainted", chosen)
        else:
            edit = Edit("requested", chosen, flags=("-replace=" + chosen,))
    elif what == "moved":
        world.things = {("moved" if n == name else n): t for n, t in world.things.items()}
        for n, t in world.things.items():
            for key in t:
                t[key] = t[key].replace(address + "[", "kinutest_thing.moved[").replace(
                    address + ".", "kinutest_thing.moved.")
        world.module_input = world.module_input.replace(address + "[", "kinutest_thing.moved[").replace(
            address + ".", "kinutest_thing.moved.")
        world.outputs = {output: text.replace(address + "[", "kinutest_thing.moved[").replace(
            address + ".", "kinutest_thing.moved.") for output, text in world.outputs.items()}
        options["more"] = "moved {\n  from = %s\n  to   = kinutest_thing.moved\n}\n" % address
        edit = Edit("moved", "kinutest_thing.moved")
    elif what == "removed":
        text = world.main(without=(name,))
        if address + "." in text or address + "[" in text:
            return None
        options["without"] = (name,)
        edit = Edit("no_block", address)
    elif what == "count":
        world.count += rng.choice((-1, 1)) if world.count > 2 else 1
        edit = Edit("variable", "var.n")
    elif what == "keys":
        world.keys = world.keys + ["new"] if len(world.keys) == 2 or rng.random() < 0.5 else world.keys[:-1]
        edit = Edit("variable", "var.keys")
    elif what == "input":
        world.module_input = edited(world.module_input)
        edit = Edit("edited_argument", "module.m", "in")
    elif what == "inner":
        edit = Edit("edited_argument")
    elif what == "output":
        output = rng.choice(list(world.outputs))
        world.outputs[output] = edited(world.outputs[output])
        edit = Edit("edited_argument", "output." + output)
    elif what == "no output":
        output = rng.choice(list(world.outputs))
        options["without"] = ("output." + output,)
        edit = Edit("no_block", "output." + output)
    elif what == "sensitive":
        output = rng.choice(list(world.outputs))
        world.outputs[output] += "\n  sensitive = true"
        edit = Edit("edited_argument", "output." + output, "sensitive")
    world.write(here, **options)
    if what == "inner":
        here.write("m/main.tf", here.read("m/main.tf").replace('-inner"', '-edited"'))
        edit = Edit("edited_argument", "module.m")
        edit.matches = lambda root: (root["kind"] == "edited_argument" and
                                     root["address"].startswith("module.m") and
                                     root["address"].endswith("local.inner"))
    edit.what = what
    return edit


def roots_of(report, entry):
    return [report["causes"][at] for at in entry["roots"]]


def undo(root, here, base, flags):
    """Undoes what a root names, and that alone. Returns the flags that are left."""
    kind = root["kind"]
    detail = root.get("detail", "")
    if kind == "edited_argument" and root.get("path") == "sensitive":
        here.write("main.tf", base.read("main.tf"))
    elif kind == "edited_argument" or (kind == "variable" and detail == "default"):
        name = root["position"]["filename"]
        old, new = base.read(name).split("\n"), here.read(name).split("\n")
        check(len(old) == len(new), "lines differ in number")
        line = root["position"]["start"]["line"] - 1
        for at in (line, line + 1) if kind == "variable" else (line,):
            new[at] = old[at]
        here.write(name, "\n".join(new))
    elif kind == "variable" and detail.startswith("file"):
        variable = root["address"][len("var."):]
        lines = {text.split(" = ")[0]: text for text in base.read("terraform.tfvars").split("\n")}
        here.write("terraform.tfvars", "\n".join(
            lines[variable] if text.startswith(variable + " = ") else text
            for text in here.read("terraform.tfvars").split("\n")))
    elif kind == "variable":
        check(detail == "-var", "given by", detail)
        return [flag for flag in flags if not flag.startswith("-var=%s=" % root["address"][len("var."):])]
    elif kind == "file":
        here.write(root["address"], base.read(root["address"]))
    elif kind in ("drift", "gone"):
        shutil.rmtree(os.path.join(here.path, "things"))
        shutil.copytree(os.path.join(base.path, "things"), os.path.join(here.path, "things"))
    elif kind == "tainted":
        here.run("untaint", root["address"])
    elif kind == "requested":
        return [flag for flag in flags if flag != "-replace=" + root["address"]]
    elif kind in ("moved", "no_block"):
        here.write("main.tf", base.read("main.tf"))
    else:
        raise Failure("cannot undo " + kind)
    return flags


def examine(report, edit, exact, counts):
    for entry in report["objects"] + report["outputs"]:
        roots = roots_of(report, entry)
        matching = [root for root in roots if edit.matches(root)]
        check(matching, entry["address"], "has no root", edit, json.dumps(roots, indent=1))
        others = [root for root in roots if not edit.matches(root)]
        certain = all(root["certain"] for root in roots)
        counts["changes"] += 1
        counts["certain"] += 1 if certain else 0
        # A plan has no files, so that those that are read remain possible.
        with_files = exact and any(root["kind"] == "file" and not root["certain"] for root in others)
        others = [root for root in others if not with_files or root["kind"] != "file"]
        if exact or certain:
            check(not others, entry["address"], "has other roots than", edit, json.dumps(others, indent=1))
        if exact and not with_files:
            # What -var said before is not known from a directory: on two ways the same root stays possible.
            check(certain or edit.kind == "file" or edit.what == "flag", entry["address"], "is not certain of", edit)
        wrong = [root for root in others if root["certain"]]
        check(not wrong, entry["address"], "is certain of", json.dumps(wrong, indent=1))


def one_world(options, seed, base_folder, counts):
    rng = random.Random(seed)
    path = os.path.join(base_folder, str(seed))
    shutil.copytree(os.path.join(base_folder, "initialized"), path, symlinks=True)
    here = WorldDirectory(options, path)
    world = World(rng)
    if world.module_repetition:
        # Objects of the instances need names of their own.
        key = "count.index" if world.module_repetition[0] == "c" else "each.key"
        world.module_input = world.module_input[:-1] + "-${%s}\"" % key if world.module_input.startswith(
            '"') else '"${%s}-${%s}"' % (world.module_input, key)
    world.write(here)
    here.run("apply", "-auto-approve")
    shutil.copytree(path, path + "-base", symlinks=True)
    base = WorldDirectory(options, path + "-base")
    since = os.path.join(base.path, "p") if seed % 2 else base.path
    if seed % 2:
        here.run("plan", "-out=" + since, "-refresh=false")
    edit = make_edit(rng, world, here, base)
    if edit is None:
        return
    flags = list(edit.flags)
    report = json.loads(here.run("why", "-json", *flags).stdout)
    counts["worlds"] += 1
    counts["kinds"].setdefault(edit.what, [0, 0])[0] += 1
    if not report["objects"] and not report["outputs"]:
        check(here.run("plan", "-detailed-exitcode", *flags, codes=(0, 2)).returncode == 0, "changes are missing")
        return
    counts["kinds"][edit.what][1] += 1
    examine(report, edit, False, counts)
    exact = json.loads(here.run("why", "-json", "-since=" + since, *flags).stdout)
    examine(exact, edit, True, counts["since"])
    roots = {json.dumps(root, sort_keys=True): root
             for entry in exact["objects"] + exact["outputs"] for root in roots_of(exact, entry)}
    for root in roots.values():
        flags = undo(root, here, base, flags)
    left = here.run("plan", "-detailed-exitcode", *flags, codes=(0, 2))
    check(left.returncode == 0, "changes are left after", list(roots.values()), left.stdout)


def main():
    options = read_options(__doc__, "1-12", "--keep-going")
    counts = {"worlds": 0, "changes": 0, "certain": 0, "kinds": {}, "since": {"changes": 0, "certain": 0}}
    failed = 0
    with tempfile.TemporaryDirectory(prefix="why-") as base:
        os.makedirs(os.path.join(base, "initialized", "things"))
        here = WorldDirectory(options, os.path.join(base, "initialized"))
        World(random.Random(0)).write(here)
        here.run("init")
        for seed in range(options.first, options.last + 1):
            try:
                one_world(options, seed, base, counts)
            except Failure as failure:
                failed += 1
                print("why: seed %d: %s" % (seed, failure))
                if not options.keep_going:
                    return 1
            for folder in (str(seed), "%d-base" % seed):
                shutil.rmtree(os.path.join(base, folder), ignore_errors=True)
    print("why: %d worlds, %d changes of which %d are certain without an earlier configuration; %d failures" % (
        counts["worlds"], counts["changes"], counts["certain"], failed))
    if options.keep_going:
        print(counts["kinds"])
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
