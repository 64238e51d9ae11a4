"""Test files of a configuration: runs, variables, mocks and overrides."""
from blocks import Block, Expr, Name, variable_file

PREFIX = "module_test_file."


def add(config):
    """Adds one or two test files, native or JSON, in the root or in the directory `tests`."""
    pick, use = config.choice.pick, config.choice.use
    for number in range(pick((1, 1, 2))):
        name = pick(("", "tests/")) + "t%d.tftest." % number + ("json" if use("form test json", 0.2) else "hcl")
        config.extra[name] = test_file(config)
    if use("form test tfvars", 0.1):
        config.extra["tests/terraform.tfvars"] = variable_file("x", {v.name: config.root.make.literal(v.kind) for v in config.root.variables})


def values_block(config, kind="variables"):
    block = Block(kind, prefix="test_values")
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
            block.set("outputs", {name: "given" for _, child, _ in calls[:1] for name in child.outputs})
        return block
    mode = "data" if kind == "override_data" else "resource"
    found = [part.address for part in config.root.parts if part.block.kind == mode]
    block.set("target", Name(config.choice.pick(found or ["terraform_data.gone"])))
    if config.choice.use("argument %s.values" % prefix, 0.7):
        block.set("values", {config.choice.pick(("id", "output", "value", "nope")): "given"})
    return block


def overrides(config, outer):
    kinds = ["override_resource", "override_data", "override_module"]
    if outer == "mock_provider":
        kinds.pop()
    return [override(config, kind, outer) for kind in kinds if config.choice.use("block %s%s.%s" % (PREFIX, outer, kind), 0.1)]


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


def run_block(config, number, mocked):
    use, pick, row = config.choice.use, config.choice.pick, "argument %srun." % PREFIX
    block = Block("run", "r%d" % number, prefix=PREFIX + "run")
    if use(row + "command", 0.5):
        block.set("command", Name(pick(("plan", "apply"))))
    if mocked and use(row + "providers", 0.3):
        block.set("providers", {"kinutest": Name("kinutest.fake" if "alias" in mocked.arguments else "kinutest")})
    if use("block %srun.variables" % PREFIX, 0.3):
        block.add(values_block(config))
    if use("block %srun.plan_options" % PREFIX, 0.2):
        options, name = block.add(Block("plan_options", prefix=PREFIX + "option")), "argument %soption." % PREFIX
        addresses = [Name(part.instance()) for part in config.resources()][:1]
        for argument, value in (("mode", Name(pick(("normal", "refresh-only")))), ("refresh", pick((True, False))),
                                ("replace", addresses), ("target", addresses)):
            if use(name + argument, 0.4):
                options.set(argument, value)
    if use("block %srun.module" % PREFIX, 0.08):
        inner = block.add(Block("module", prefix=PREFIX + "module"))
        inner.set("source", "./" + (config.root.calls[0][0] if config.root.calls else "sub"))
        if config.choice.reckless and use("argument %smodule.version" % PREFIX, 0.2):
            inner.set("version", "1.0.0")
    block.blocks += overrides(config, "run")
    for _ in range(pick((0, 1, 1))):
        about = pick([part.instance() + ".id" for part in config.resources()] + ["path.module"])
        condition = Expr('%s %s "never"' % (about, config.choice.odd(("!=",), ("==",), 0.4)))
        block.add(Block("assert", prefix="condition").set("condition", condition).set("error_message", "An assertion failed."))
    objects = [Name(about) for about in ["var." + v.name for v in config.root.variables] + ["output." + o for o in config.root.outputs]]
    if objects and use(row + "expect_failures", 0.12):
        block.set("expect_failures", [pick(objects)])
    return block


def test_file(config):
    use, out = config.choice.use, []
    if use("block %sfile.variables" % PREFIX, 0.4):
        out.append(values_block(config))
    mocked = mock_provider(config) if config.provider and use("block %sfile.mock_provider" % PREFIX, 0.5) else None
    if mocked:
        out.append(mocked)
    if config.provider and not mocked and use("block %sfile.provider" % PREFIX, 0.3):
        out.append(Block("provider", "kinutest", prefix="test_provider").set("prefix", "tested"))
    out += overrides(config, "file")
    for number in range(config.choice.pick((1, 2, 2))):
        out.append(run_block(config, number, mocked))
    return out
