"""Makes tests of graphs: the configurations of graphs.py, with test files whose runs plan, apply, replace and fail parts of them.

What module_tests.py adds to a world is small, since a world is about all commands. Here every command is `test`, and the files
are dense: runs that share a state or have their own, that read what earlier runs have, with mocks, overrides and failures.
"""

import graphs

VALUES = ('"given"', '"other"', '"bad"', '"refused"')
# "-verbose -json" is left out: differences.md says how it takes outputs of modules for those of the root.
OPTIONS = ("", "", "", "-verbose", "-json", "-filter=t1.tftest.hcl", "-var=in=other", "-var=in=bad",
           "-filter=gone.tftest.hcl")


class Maker(graphs.Maker):
    """A configuration with test files. Its input can make conditions fail."""

    def __init__(self, name):
        super().__init__(name)
        self.tests = {}
        self.remake_tests()

    def edit(self):
        if self.random.random() < 0.6:
            self.remake_tests()
        else:
            super().edit()

    def files(self):
        return {**super().files(), **self.tests}

    def head(self, module):
        text = super().head(module).replace('"%s"' % self.flag, 'var.in == "bad" ? "bad" : "%s"' % self.flag)
        return text.replace('default = "given"\n', 'default = "given"\n  validation {\n    condition     = var.in != "refused"\n'
                            '    error_message = "Refused value."\n  }\n')

    # --- Test files ---

    def remake_tests(self):
        names = ["t1.tftest.hcl", self.random.choice(("t2.tftest.hcl", "tests/t2.tftest.hcl", "tests/t2.tofutest.hcl"))]
        names = names[:self.random.choice((1, 1, 2))]
        self.tests = {name: self.test_file(name == names[-1]) for name in names}

    def test_file(self, last):
        chance, out, self.mocked = self.random.random, [], None
        if chance() < 0.3:
            out.append(self.variables(None))
        if self.provider and chance() < 0.6:
            out.append(self.provider_of_file())
        if last:  # in OpenTofu they hold for the files after it, too (differences.md)
            out += self.overrides(self.root, 0.15)
        runs, self.last, self.kept = [], {}, set()
        for number in range(self.random.choice((1, 2, 2, 3, 4))):
            out.append(self.run_block("r%d" % number, runs))
            runs.append("r%d" % number)
        return "\n".join(out)

    def variables(self, module):
        """Values of a run of a module. What they read has to stay: OpenTofu cleans nothing up that it cannot evaluate again."""
        others = sorted((each for each in self.last if each is not module), key=lambda each: each.folder) if module else []
        if not others or self.random.random() < 0.6:
            return "variables {\n  in = %s\n}\n" % self.random.choice(VALUES)
        other = self.random.choice(others)
        self.kept.add(other)
        return "variables {\n  in = %s\n}\n" % (self.random.choice(("run.%s.out", '"${jsonencode(run.%s.out)}-x"')) % self.last[other])

    def provider_of_file(self):
        pick, chance = self.random.choice, self.random.random
        if chance() < 0.3:
            return 'provider "kinutest" {\n  prefix = "tested"\n}\n'
        self.mocked = pick(("kinutest", "kinutest.fake"))
        text = 'mock_provider "kinutest" {\n' + ('  alias = "fake"\n' if self.mocked.endswith("fake") else "")
        if chance() < 0.5:
            text += '  mock_resource "kinutest_thing" {\n    defaults = {\n      id = "mocked"\n    }\n  }\n'
        if chance() < 0.4:
            text += '  mock_data "kinutest_lookup" {\n    defaults = {\n      value = "mocked"\n    }\n  }\n'
        return text + "".join(self.overrides(self.root, 0.15, modules=False)) + "}\n"

    def overrides(self, module, share, modules=True):
        """Blocks that give values to objects and modules."""
        pick, chance, out = self.random.choice, self.random.random, []
        while chance() < share:
            parts = [part for part in self.places(module) if modules or part[1].__class__ is graphs.Node]
            if not parts:
                break
            address, part = pick(parts)
            if isinstance(part, graphs.Call):
                values = "  outputs = {\n    out = \"overridden\"\n  }\n" if chance() < 0.8 else ""
                out.append("override_module {\n  target = %s\n%s}\n" % (address, values))
            elif part.mode != "ephemeral":
                leaf = "value" if part.mode == "data" else pick(("id", "id", "output" if part.kind == "terraform_data" else "value"))
                values = "  values = {\n    %s = \"overridden\"\n  }\n" % leaf if chance() < 0.8 else ""
                out.append("override_%s {\n  target = %s\n%s}\n" % (part.mode, address, values))
        return out

    def places(self, module, prefix=""):
        """Blocks and instances of a module and of those that it calls, with their addresses."""
        out = []
        for part in module.parts:
            for index in {"", self.random.choice(part.indexes() or [""])}:
                out.append((prefix + part.address + index, part))
            if isinstance(part, graphs.Call):
                out += self.places(part.child, prefix + part.address + self.random.choice(part.indexes() or [""]) + ".")
        return sorted(out, key=lambda each: each[0])

    def run_block(self, name, runs):
        pick, chance = self.random.choice, self.random.random
        module, lines = self.root, []
        if chance() < 0.45:
            lines.append("  command = %s\n" % pick(("plan", "apply")))
        free = [each for each in self.modules if each not in self.kept] or self.modules
        if self.root not in free or len(free) > 1 and chance() < 0.25:
            module = pick([each for each in free if each is not self.root])
            lines.append('  module {\n    source = "./%s"\n  }\n' % module.folder)
        if self.mocked and chance() < 0.6:
            lines.append("  providers = {\n    kinutest = %s\n  }\n" % self.mocked)
        if chance() < 0.5:
            lines.append(indented(self.variables(module)))
        if chance() < 0.25:
            lines.append(self.plan_options(module))
        lines += map(indented, self.overrides(module, 0.15))
        lines += [self.assertion(module, runs) for _ in range(pick((0, 1, 1, 2)))]
        if chance() < 0.25:
            lines.append("  expect_failures = [%s]\n" % ", ".join(self.failing_parts(module)))
        self.last[module] = name
        return 'run "%s" {\n%s}\n' % (name, "".join(lines))

    def plan_options(self, module):
        chance, out = self.random.random, []
        if chance() < 0.2:
            out.append("mode = %s" % self.random.choice(("refresh-only", "normal")))
        if chance() < 0.2:
            out.append("refresh = %s" % self.random.choice(("true", "false")))
        for name, share in (("target", 0.5), ("replace", 0.4)):
            if chance() < share:
                out.append("%s = [%s]" % (name, self.random.choice(self.places(module))[0]))
        return "  plan_options {\n%s  }\n" % "".join("    %s\n" % line for line in out)

    def assertion(self, module, runs):
        reads = [(part, self.random.random()) for part in module.parts] * 2 + [("var.in",), ("output.out",)] + [("run.%s.out" % name,) for name in runs]
        value = self.reference(self.random.choice(reads), module, None)
        condition = self.random.choice(('jsonencode(%s) != "never"', 'jsonencode(%s) != "never"', 'jsonencode(%s) == "never"',
                                        "try(%s, null) != null", '%s != "never"', 'length(jsonencode(%s)) > 4')) % value
        return "  assert {\n    condition     = %s\n    error_message = \"About ${jsonencode(%s)}.\"\n  }\n" % (condition, value if self.random.random() < 0.2 else '"it"')

    def failing_parts(self, module):
        found = ["var.in", "output.out"] + (["check.c"] * 2 if module.check else [])
        found += [part.address + index for part in module.nodes() if set(part.life) & {"precondition", "postcondition"}
                  for index in {"", self.random.choice(part.indexes() or [""])}] * 3
        return self.random.sample(sorted(found), self.random.choice((1, 1, 2)))


def indented(text):
    return "".join("  %s\n" % line for line in text.splitlines())


class Graph(graphs.Graph):
    """A graph whose commands are tests."""

    NAME, MAKER = "tests", Maker

    def live(self):
        known = self.sources()
        for number in range(self.random.randint(1, 4)):
            while number and self.random.random() < 0.6:
                self.maker.edit()
            if self.sources() != known:
                known = self.sources()
                self.add(["init"])
            if number and self.random.random() < 0.08:
                self.add(["validate", "-json"])
            self.add(["test"] + self.random.choice(OPTIONS).split())

    def sources(self):
        """What `init` must see again."""
        return self.calls(), [line for text in self.maker.tests.values() for line in text.splitlines() if "source" in line], sorted(self.maker.tests)


def make(seed):
    """The graph of a seed, with tests."""
    return Graph(seed).case()
