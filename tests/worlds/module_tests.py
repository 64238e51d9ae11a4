"""Test files of a configuration: runs, variables, mocks and overrides."""
from blocks import Block, Expr, Name, variable_file

PREFIX = "module_test_file."


def add(config):
    """Adds one or two test files, native or JSON, in the root or in the directory `tests`."""
    pick, use = config.choice.pick, config.choice.use
    row = "argument %srun.expect_failures" % PREFIX
    config.refused = refusing_variable(config) if row in config.choice.focus or config.choice.random.random() < 0.1 else None
    names = [pick(("", "tests/")) + "t%d.tftest." % number + ("json" if use("form test json", 0.2) else "hcl")
             for number in range(pick((1, 1, 2)))]
    for name in names:
        config.extra[name] = test_file(config, name == max(names))
    if use("form test tfvars", 0.1):
        config.extra["tests/terraform.tfvars"] = variable_file("x", {v.name: config.root.make.literal(v.kind) for v in config.root.variables})


def values_block(config, kind="variables"):
    block = Block(kind, prefix="test_values")
    if config.refused:
        block.set(config.refused, "fine")
    for variable in config.root.variables:
        if config.choice.pick((0, 1)) or variable.default is None:
            block.set(variable.name, config.root.make.literal(variable.kind))
    return block


def override(config, kind, level):
    prefix = PREFIX + ("override_module" if kind == "override_module" else "override")
    block = Block(kind, prefix=prefix)
    if kind == "override_module":
        calls = config.root.calls
        block.set("target", Name("module." + (calls[0][0] if calls else "gone")))
        if config.choice.use("argument %s.outputs" % prefix, 0.7):
            outputs = {name: child.output_kinds[name][0] for _, child, _ in calls[:1] for name in child.outputs}
            block.set("outputs", {name: config.choice.odd((config.root.make.literal("string" if kind == "any" else kind),), ("given",), 0.5)
                                  for name, kind in outputs.items()})
        return block
    mode = "data" if kind == "override_data" else "resource"
    found = [part.address for part in config.root.parts if part.block.kind == mode]
    block.set("target", Name(config.choice.pick(found or ["terraform_data.gone"])))
    if config.choice.use("argument %s.values" % prefix, 0.7):
        block.set("values", {config.choice.odd(("id",), ("output", "value", "nope"), 0.6): "given"})
    return block


def overrides(config, outer):
    kinds = ["override_resource", "override_data", "override_module"]
    if outer == "mock_provider":
        kinds.pop()
    return [override(config, kind, outer) for kind in kinds
            if config.choice.use("block %s%s.%s" % (PREFIX, outer, kind), 0.1) and (config.choice.reckless or can_override(config, kind))]


def can_override(config, kind):
    """Whether there is something that a block of this kind can override."""
    return bool(config.root.calls if kind == "override_module" else config.root.found("data" if kind == "override_data" else "resource"))


def mock_provider(config):
    use, row = config.choice.use, PREFIX + "mock_provider."
    block = Block("mock_provider", "kinutest", prefix=PREFIX + "mock_provider")
    if use("argument %salias" % row, 0.2):
        block.set("alias", "fake")
    for kind, name in (("mock_resource", "kinutest_thing"), ("mock_data", "kinutest_lookup")):
        if use("block " + row + kind, 0.4):
            inner = block.add(Block(kind, name, prefix=PREFIX + "mock"))
            if use("argument %smock.defaults" % PREFIX, 0.8):
                inner.set("defaults", {"value": "mocked"})
    block.blocks += overrides(config, "mock_provider")
    return block


def plan_options(config):
    use, pick = config.choice.use, config.choice.pick
    options, name = Block("plan_options", prefix=PREFIX + "option"), "argument %soption." % PREFIX
    addresses = [Name(part.instance()) for part in config.resources()][:1]
    for argument, value in (("mode", Name(pick(("normal", "refresh-only")))), ("refresh", pick((True, False))),
                            ("replace", addresses), ("target", addresses)):
        only = options.arguments.get("mode") == "refresh-only" and argument in ("refresh", "replace")
        if (config.choice.reckless or not only) and use(name + argument, 0.4):
            options.set(argument, value)
    return options


def module_block(config):
    inner = Block("module", prefix=PREFIX + "module")
    calls = [name for name, child, _ in config.root.calls if config.choice.reckless or all(v.default is not None for v in child.variables)]
    inner.set("source", "./" + (calls[0] if calls else "sub"))
    if config.choice.use("argument %smodule.version" % PREFIX, 0.2):
        inner.set("version", "1.0.0")
    return inner


def run_block(config, number, mocked):
    use, pick, row = config.choice.use, config.choice.pick, "argument %srun." % PREFIX
    block = Block("run", "r%d" % number, prefix=PREFIX + "run")
    if use(row + "command", 0.5):
        block.set("command", Name(pick(("plan", "apply"))))
    if mocked and (config.choice.reckless or not config.root.aliases) and use(row + "providers", 0.3):
        block.set("providers", {"kinutest": Name("kinutest.fake" if "alias" in mocked.arguments else "kinutest")})
    if use("block %srun.variables" % PREFIX, 0.3):
        block.add(values_block(config))
    if use("block %srun.plan_options" % PREFIX, 0.2):
        block.add(plan_options(config))
    if (config.choice.reckless or not config.provider) and use("block %srun.module" % PREFIX, 0.08):
        block.add(module_block(config))
    block.blocks += overrides(config, "run")
    # What a plan does not know, or what another module has, cannot be asserted.
    vague = block.blocks or "command" in block.arguments or "providers" in block.arguments
    for _ in range(pick((0, 1, 1))):
        known = [part.instance() + ".id" for part in config.resources() if config.choice.reckless or part.instances() and not vague]
        condition = Expr('%s %s "never"' % (pick(known + ["path.module"]), config.choice.odd(("!=",), ("==",), 0.4)))
        block.add(Block("assert", prefix="condition").set("condition", condition).set("error_message", "An assertion failed."))
    expect_failures(config, block)
    return block


def expect_failures(config, block):
    """Says what fails in a run. In a calm world that is a variable with a value that it refuses."""
    objects = [Name(about) for about in ["var." + v.name for v in config.root.variables] + ["output." + o for o in config.root.outputs]]
    if not config.choice.reckless:
        objects = [Name("var." + config.refused)] if config.refused else []
    if not objects or not config.choice.use("argument %srun.expect_failures" % PREFIX, 0.12):
        return
    block.set("expect_failures", [config.choice.pick(objects)])
    if config.choice.reckless:
        return
    block.blocks = [inner for inner in block.blocks if inner.kind not in ("module", "variables", "assert", "plan_options")]
    block.add(values_block(config)).set(config.refused, "bad")


def refusing_variable(config):
    """A variable that refuses a value. Returns its name."""
    name = config.name("v")
    block = Block("variable", name).set("type", Name("string")).set("default", "good")
    check = block.add(Block("validation", prefix="condition"))
    check.set("condition", Expr('var.%s != "bad"' % name)).set("error_message", "This is bad.")
    config.root.add(block)
    return name


def test_file(config, last):
    use, out = config.choice.use, []
    if use("block %sfile.variables" % PREFIX, 0.4):
        out.append(values_block(config))
    mocked = mock_provider(config) if config.provider and use("block %sfile.mock_provider" % PREFIX, 0.5) else None
    if mocked:
        out.append(mocked)
    if config.provider and not mocked and use("block %sfile.provider" % PREFIX, 0.3):
        out.append(Block("provider", "kinutest", prefix="test_provider").set("prefix", "tested"))
    if last:  # in OpenTofu they hold for the files after it, too (differences.md)
        out += overrides(config, "file")
    for number in range(config.choice.pick((1, 2, 2))):
        out.append(run_block(config, number, mocked))
    return out
