"""Command lines of a world: which command, with which flags and words, about the configuration as it is."""
import json

import calm
import mistakes
import sources
# Commands that only kinu has: there is nothing to compare them with.
OWN_COMMANDS = ("about", "check", "convert", "diff", "drift", "eval", "export", "hcldec", "ide", "lsp",
                "query", "schema", "why")
# Flags that only kinu has.
OWN_FLAGS = {
    "apply": ("timings", "actions", "summary", "group-by", "pager"), "destroy": ("timings",), "import": ("from", "dry-run"),
    "plan": ("summary", "group-by", "actions", "pager", "timings", "why", "risks", "offline", "schemas", "watch"),
    "show": ("canonical", "fingerprint", "format", "html", "pager", "positions", "redact", "summary", "group-by", "actions", "why",
             "risks"),
    "providers lock": ("oci-mirror",), "state mv": ("from", "match"), "state rm": ("from", "match"), "validate": ("duplicate-keys",),
    "test": ("parallelism-files", "check-dir", "coverage", "junit-xml", "sarif", "annotations"),
}
OWN_FLAGS_OF_ALL = ("color",)
# How often a command is chosen, where that is not 2.
WEIGHTS = {"apply": 14, "plan": 12, "init": 4, "destroy": 5, "refresh": 3, "show": 5, "output": 4, "validate": 5, "test": 4,
           "import": 4, "state mv": 4, "state rm": 3, "console": 3, "login": 1, "logout": 1, "version": 1,
           "providers mirror": 1, "providers lock": 1, "metadata functions": 0.3, "workspace": 0.5}
# Flags of which a command takes one.
UNFIT = {"destroy": ("destroy", "refresh-only", "replace"), "refresh": ("destroy", "refresh-only", "replace", "refresh")}
CLASHES = (("json", "json-into"), ("target", "target-file", "exclude", "exclude-file"), ("destroy", "refresh-only"),
           ("state", "plan", "config", "module"), ("refresh-only", "replace", "refresh"), ("migrate-state", "reconfigure"),
           ("force-copy", "reconfigure"), ("json", "raw"), ("upgrade", "lockfile"), ("destroy", "replace"),
           ("generate-config-out", "destroy", "refresh-only"))
# Flags that are given rarely, since they change what most others mean.
RARE = {"from-module": 0.03, "plugin-dir": 0.03, "net-mirror": 0.03, "backend": 0.04, "cloud": 0.03, "get": 0.05, "destroy": 0.1,
        "refresh-only": 0.12, "test-directory": 0.08, "state": 0.08, "state-out": 0.08, "generate-config-out": 0.07,
        "json-into": 0.12, "json": 0.2, "lock-timeout": 0.07, "ignore-remote-version": 0.05, "help": 0.0, "lockfile": 0.1,
        "migrate-state": 0.08, "reconfigure": 0.08, "module-depth": 0.05, "draw-cycles": 0.05, "no-color": 0.15, "out": 0.3,
        "auto-approve": 0.9, "force": 0.4, "write": 0.15, "var": 0.25, "target": 0.15, "exclude": 0.1, "replace": 0.15,
        "fs-mirror": 0.4, "update": 0.3, "input": 0.2, "check": 0.06, "detailed-exitcode": 0.06}
# Commands that say little where nothing is applied.
OF_STATES = ("state mv", "state rm", "state show", "state list", "state replace-provider", "taint", "untaint", "output", "refresh", "destroy")
BOOLEANS = ("=true", "=false", "", "", "", "")


def flags_of(command):
    """The flags of a command that OpenTofu has too."""
    own = OWN_FLAGS.get(command, ()) + OWN_FLAGS_OF_ALL
    return [flag for flag in sources.commands()[command] if flag.name not in own]


def names():
    return [name for name in sources.commands() if name.split()[0] not in OWN_COMMANDS]


def rows():
    """The rows of the command line."""
    out = []
    for command in names():
        out.append("command " + command)
        out += ["flag %s -%s" % (command, flag.name) for flag in flags_of(command)]
    return out


class Commands:
    """Makes command lines. `config` is the Configuration, `progress` what a calm world knows about itself."""

    def __init__(self, choice, config, progress):
        self.choice, self.config, self.progress, self.env = choice, config, progress, {}
        self.plans, self.states, self.applied = [], [], False

    # --- Values ---

    def address(self):
        addresses = self.config.addresses()
        roll = self.choice.random.random()
        if roll < 0.9 or not self.choice.reckless:
            return self.choice.pick(addresses)
        return self.choice.pick(("terraform_data.nope", "module.nope", "data.kinutest_lookup.d", "nope", "terraform_data.a[", "terraform_data.r3[0]"))

    def instance(self):
        """An address of an instance of a resource."""
        if self.choice.odd((0,), (1,), 0.3):
            return self.address()
        return self.choice.pick(self.config.resources()).instance()

    def variable(self):
        variables, roll = self.config.root.variables, self.choice.random.random()
        if not self.choice.reckless:
            variables = [variable for variable in variables if variable.typed]
            if not variables:
                return None
        if not variables or roll < 0.1 and self.choice.reckless:
            return self.choice.pick(("undeclared=1", "=1", "novalue", "n =1"))
        variable = self.choice.pick(variables)
        value = self.config.root.make.literal(variable.kind)
        if roll < 0.2 and self.choice.reckless:
            value = self.choice.pick(("[", '"x', "{}", "null", "bad"))
        return "%s=%s" % (variable.name, self.config.root.make.text_of(value))

    def value(self, command, flag):
        """A value of a flag that takes one."""
        pick, odd, name = self.choice.pick, self.choice.odd, flag.name
        values = {
            "var": self.variable, "target": self.address, "exclude": self.address, "replace": self.instance,
            "var-file": lambda: odd(("given.tfvars",), ("gone.tfvars", "terraform.tfvars")),
            "target-file": lambda: odd(("targets.txt",), ("gone.txt",)),
            "exclude-file": lambda: "targets.txt",
            "out": lambda: self.new_plan(),
            "plan": lambda: pick(self.plans or ["gone.plan"]) if self.choice.reckless else calm.plan(self),
            "state": lambda: pick(self.states + ["terraform.tfstate", "other.tfstate"]) if self.choice.reckless else calm.state(self, command),
            "state-out": lambda: self.new_state(pick(("out.tfstate", "sub/out.tfstate"))),
            "backup": lambda: pick(("kept.backup", "-")), "backup-out": lambda: "kept-out.backup",
            "lock-timeout": lambda: odd(("0s", "1s", "500ms"), ("bad", "5")), "parallelism": lambda: odd(("1", "3", "10"), ("0", "x", "-1")),
            "json-into": lambda: odd(("into.json",), ("gone/into.json", "sub")), "generate-config-out": lambda: odd(("generated.tf",), ("main.tf",)),
            "backend-config": lambda: odd(("retry_max=0",) if self.config.backend == "http" else ("path=cfg.tfstate", "backend.hcl"), ("nope=1", "path")),
            "from-module": lambda: pick(("./real", "./m9")), "lockfile": lambda: odd(("readonly",), ("nope",)),
            "plugin-dir": lambda: odd(("{MIRROR}",), ("plugins",), 0.5), "test-directory": lambda: odd(("tests", "sub"), ("gone", "../x")),
            "platform": lambda: odd(("linux_amd64",), ("nope",)), "net-mirror": lambda: pick(("https://127.0.0.1:1/", "http://x/")),
            "fs-mirror": lambda: odd(("{MIRROR}",), ("gone",)), "config": lambda: odd((".",), ("sub",), 0.5),
            "module": lambda: odd((".", "sub"), ("./m9",), 0.4), "id": lambda: pick(("thing-r3", "nope")),
            "type": lambda: odd(("plan", "plan-destroy", "plan-refresh-only"), ("apply", "nope"), 0.4),
            "module-depth": lambda: "1", "filter": lambda: self.test_file(),
        }
        return values[name]() if name in values else pick(("1", "x"))

    def test_file(self):
        found = sorted(name for name in self.config.extra if ".tftest." in name)
        if self.choice.reckless:
            found += ["t0.tftest.hcl", "gone"]
        return self.choice.pick(found) if found else None

    def new_plan(self):
        name = self.choice.pick(("p1", "p2"))
        self.plans = sorted({*self.plans, name})
        return name

    def new_state(self, name):
        self.states = sorted({*self.states, name})
        return name

    # --- Words behind the flags ---

    def words(self, command):
        pick, address = self.choice.pick, self.address
        if self.choice.reckless and self.choice.random.random() < 0.03:
            return pick(([], ["one"], ["one", "two"], ["-nope"], ["--", "x"]))
        if not self.choice.reckless and command in calm.WORDS:
            return calm.WORDS[command](self)
        outputs = self.config.root.outputs
        workspace = lambda: self.choice.odd(("w1", "w1", "w2", "default"), ("a/b",))
        values = {
            "apply": lambda: [pick(self.plans)] if self.plans and pick((0, 0, 1)) else [],
            "fmt": lambda: self.choice.odd(([], [], ["-"], ["sub"]), (["gone.tf"], ["main.tf"])),
            "force-unlock": lambda: ["0a1b2c3d-1111-2222-3333-444455556666"],
            "import": lambda: [self.instance(), pick(("imported", "imported", "missing", ""))],
            "login": lambda: ["127.0.0.1:1"], "logout": lambda: pick(([], ["example.org"])),
            "output": lambda: [pick(outputs + ["nope"])] if pick((0, 1)) else [],
            "providers lock": lambda: self.choice.odd(([], ["kinu/kinutest"]), (["kinu/nope"],), 0.4), "providers mirror": lambda: ["mirrored"],
            "show": lambda: [pick(self.plans + ["terraform.tfstate", "gone"])] if pick((0, 1)) else [],
            "state list": lambda: [address()] if pick((0, 0, 1)) else [],
            "state mv": lambda: [pick((address, self.instance))(), self.destination()],
            "state rm": lambda: [address()] + ([address()] if pick((0, 0, 1)) else []),
            "state replace-provider": lambda: pick((["terraform.io/builtin/terraform", "x/y"], ["kinu/kinutest", "kinu/other"],
                                                    ["x/y", "terraform.io/builtin/terraform"])),
            "state show": lambda: [self.instance()], "state push": lambda: [pick(("pushed.tfstate", "pushed.tfstate", "gone", "terraform.tfstate", "-"))],
            "taint": lambda: [self.instance()], "untaint": lambda: [self.instance()],
            "workspace new": lambda: [workspace()], "workspace select": lambda: [workspace()], "workspace delete": lambda: [workspace()],
        }
        return values[command]() if command in values else []

    def destination(self):
        return self.choice.pick(("terraform_data.moved", "terraform_data.moved[0]", 'terraform_data.moved["k"]', "kinutest_thing.moved",
                                 "module.box.terraform_data.moved", "module.moved", self.address()))

    def stdin(self, command, words):
        pick, make = self.choice.pick, self.config.root.make
        if command == "console":
            return "".join(make.make("any") + "\n" for _ in range(pick((1, 2, 3))))
        if command == "fmt":
            return "a  =   1\nb {\nc=[1,\n2]\n}\n"
        if command == "state push" and "-" in words:
            return PUSHED
        return pick(("yes\n", "yes\n", "yes\n", "no\n", "", "yes\nyes\n", "1\nyes\n"))

    # --- One command line ---

    def flags(self, command, words):
        """The words of the flags of a command, each in a list, and {flag: value}."""
        out, given = [], {}
        for flag in flags_of(command):
            row = "flag %s -%s" % (command, flag.name)
            clash = any(flag.name in group and set(given) & set(group) for group in CLASHES)
            clash = clash or flag.name in UNFIT.get(command, ()) or flag.name == "from-module" or calm.unfit(self, command, flag.name, words)
            if clash and not self.choice.reckless or not self.choice.use(row, RARE.get(flag.name, 0.1)):
                continue
            dashes = self.choice.pick(("-", "-", "-", "-", "--"))
            if flag.kind == "View" and not self.choice.reckless:
                dashes = "-"
            if flag.kind in ("Bool", "View"):
                form = self.choice.pick(BOOLEANS) if flag.kind == "Bool" and flag.name not in ("auto-approve",) else ""
                form = "=false" if flag.name in ("input", "color") and form == "" else form
                if flag.name in calm.ONLY_TRUE and not self.choice.reckless:
                    form = "=true"
                given[flag.name] = form != "=false"
                out.append([dashes + flag.name + form])
                continue
            for _ in range(2 if flag.kind == "List" and self.choice.pick((0, 0, 0, 1)) else 1):
                value = self.value(command, flag)
                if value is not None:
                    given[flag.name] = value
                    out.append([dashes + flag.name, value] if self.choice.pick((0, 0, 1)) else ["%s%s=%s" % (dashes, flag.name, value)])
        if command == "providers schema" and "json" not in given and self.choice.odd((1,), (0,)):
            out.append(["-json"])
            given["json"] = True
        if command == "providers lock" and not {"fs-mirror", "net-mirror"} & set(given):
            out.append(["-fs-mirror={MIRROR}"])  # without one it would ask a registry
            given["fs-mirror"] = "{MIRROR}"
        self.choice.random.shuffle(out)
        if self.choice.reckless and self.choice.random.random() < 0.02:
            out.append(["-nope"])
        return out, given

    def choose(self):
        wanted = [row.split(" ", 1)[1] for row in self.choice.wants("command ")]
        wanted += [row.split(" ", 1)[1].rpartition(" -")[0] for row in self.choice.wants("flag ")]
        wanted = [name for name in wanted if name in names()]
        if wanted and self.choice.random.random() < 0.4:
            name = self.choice.pick(wanted)
            while name and not self.choice.reckless and not self.progress.possible(name):
                name = self.progress.before(name)
            if name:
                return name
        while True:
            name = self.choice.random.choices(names(), [WEIGHTS.get(name, 2) for name in names()])[0]
            if self.choice.reckless or self.progress.possible(name) and "command " + name not in mistakes.ROWS:
                return name

    def line(self, command):
        """A step: arguments, standard input, environment, and the rows that it has."""
        before = set(self.choice.taken)
        words = self.words(command)
        environment = self.environment(command)
        flags, given = self.flags(command, words)
        text = self.stdin(command, words)
        if not self.choice.reckless:
            words = calm.settle(self, command, flags, given, words, environment)
            text = "yes\n" if command in calm.ASKING else text
            self.progress.note(command, given, words, environment.get("TF_WORKSPACE"))
        step = {"args": command.split() + [word for words in flags for word in words] + words}
        if environment:
            step["env"] = environment
        if text:
            step["stdin"] = text
        rows = {"command " + command} | {"flag %s -%s" % (command, name) for name in given}
        if self.choice.use("feature chdir", 0.015):
            step["args"].insert(0, "-chdir=" + self.choice.odd((".",), ("sub", "gone")))
        rows |= {"environment " + name for name in self.rows_of(environment)}
        rows |= {"fault " + name for name in environment.get("KINUTEST_FAULT", "").split("=") if name}
        rows |= {"feature chdir"} & self.choice.taken
        self.choice.taken = before
        return step, rows

    def needs_first_init(self):
        """Whether commands do not work before `init`."""
        return bool(self.config.backend or self.config.provider or self.progress.parts()) or self.choice.random.random() < 0.3

    def init(self):
        """A plain `init`, which moves the state if the backend is another one."""
        words = []
        if self.progress.changed_backend():
            words = self.choice.pick((["-reconfigure"], ["-migrate-state", "-force-copy"], ["-force-copy"]))
        self.progress.note("init", {word.lstrip("-"): True for word in words}, [])
        return dict({"args": ["init"] + words}, **({"stdin": "yes\n"} if words else {})), {"command init"} | {"flag init " + word for word in words}

    def follow(self, plan):
        """A step that uses a plan that has just been made."""
        args = self.choice.pick((["show", plan], ["show", "-json", plan], ["show", "-json", plan], ["apply", plan], ["apply", "-json", plan],
                                 ["graph", "-plan=" + plan]))
        if args[0] == "apply" and not self.choice.reckless:
            self.progress.note("apply", {}, [plan])
        named = {"flag %s -%s" % (args[0], word.strip("-").split("=")[0]) for word in args if word.startswith("-")}
        return {"args": args}, named | {"command " + args[0]}

    # --- Environment ---

    def rows_of(self, environment):
        for name in environment:
            if name == "KINUTEST_FAULT":
                continue
            yield "TF_VAR" if name.startswith("TF_VAR_") else "TF_CLI_ARGS" if name.startswith("TF_CLI_ARGS") else name

    def fault_wanted(self):
        return self.choice.random.random() < (0.6 if self.choice.wants("fault ") else 0.1)

    def fault(self):
        """A fault of the tests' own provider and the call that has it."""
        rows = [row[6:] for row in sources.faults()]
        wanted = [row[6:] for row in self.choice.wants("fault ")]
        kinds, calls = ([name for name in rows if name[0].isupper() == upper] for upper in (False, True))
        return "=".join(self.choice.pick([name for name in wanted if name in names] or names) for names in (calls, kinds))

    def environment(self, command):
        use, pick, out = self.choice.use, self.choice.pick, {}
        flags = flags_of(command) if command else []
        simple = {
            "TF_DATA_DIR": ("data", ".data/deep"), "TF_INPUT": ("0", "false", "1"), "TF_IN_AUTOMATION": ("1", "yes"),
            "TF_WORKSPACE": self.choice.odd((("w1", "w2", "default") if self.choice.reckless else sorted(self.progress.spaces),), (("a/b",),)),
            "TF_CLI_ARGS": self.choice.odd((("-no-color",),), (("-nope",),)),
            "TF_STATE_PERSIST_INTERVAL": ("20", "30"), "TF_APPEND_USER_AGENT": ("more/1",), "TF_REGISTRY_CLIENT_TIMEOUT": ("3",),
            "TF_REGISTRY_DISCOVERY_RETRY": ("0",), "TF_PROVIDER_DOWNLOAD_RETRY": ("0",), "TF_FORCE_LOCAL_BACKEND": ("1",),
            "TF_CLOUD_ORGANIZATION": ("acme",), "TF_CLOUD_HOSTNAME": ("127.0.0.1:1",), "TF_CLOUD_PROJECT": ("p",),
            "TF_PLUGIN_CACHE_DIR": ("{CWD}/cache",), "TF_PLUGIN_CACHE_MAY_BREAK_DEPENDENCY_LOCK_FILE": ("1",),
            "TF_TEMPLATE_RECURSION_DEPTH": self.choice.odd((("2",),), (("x",),)), "OPENTOFU_STATEFILE_PROVIDER_ADDRESS_TRANSLATION": ("0", "1"),
            "OPENTOFU_ENFORCE_GPG_VALIDATION": ("true",), "OPENTOFU_ENFORCE_GPG_EXPIRATION": ("true",), "TF_DISABLE_PLUGIN_TLS": ("1",),
        }
        for row in sources.environment():
            name = row.split(" ")[1]
            if (name in OF_WORLDS or name.startswith("TF_HTTP_")) != (command == "") and not self.choice.odd((0,), (1,), 0.1):
                continue
            if not self.choice.reckless and calm.unfit_variable(self, command, flags, name):
                continue
            if name in simple and use(row, 0.04 if command == "" else 0.012):
                out[name] = pick(simple[name])
            elif name.startswith("TF_HTTP_") and self.config.backend == "http" and use(row, 0.03):
                out[name] = "{HTTP_STATE}/s/one" if name.endswith("ADDRESS") else \
                    {"TF_HTTP_RETRY_MAX": "0", "TF_HTTP_RETRY_WAIT_MIN": "1", "TF_HTTP_RETRY_WAIT_MAX": "1", "TF_HTTP_USERNAME": "user",
                     "TF_HTTP_PASSWORD": "secret"}.get(name) or self.choice.odd((calm.HTTP_VALUES.get(name, "none"),), (
                         "PUT" if name.endswith("METHOD") else "none",), 0.7)
        if not command and not self.choice.reckless:
            calm.complete_pairs(out)
        if self.choice.reckless and command and "feature provider installed" in self.choice.taken and self.fault_wanted():
            out["KINUTEST_FAULT"] = self.fault()
        if command and use("environment TF_VAR", 0.06):
            name, _, text = (self.variable() or "undeclared=1").partition("=")
            out["TF_VAR_" + (name.strip() or "v1")] = text
        if command and not (not self.choice.reckless and calm.unfit_variable(self, command, flags, "TF_CLI_ARGS")) and use("environment TF_CLI_ARGS", 0.02):
            out["TF_CLI_ARGS_" + command.replace(" ", "_")] = self.choice.odd(("-no-color",), ("-json", "-nope", "-lock=false", "'"), 0.5)
        return out


# Variables that a user sets once and not for one command.
OF_WORLDS = ("TF_DATA_DIR", "TF_PLUGIN_CACHE_DIR", "TF_IN_AUTOMATION", "TF_INPUT", "TF_FORCE_LOCAL_BACKEND")


PUSHED = json.dumps({
    "version": 4, "terraform_version": "1.12.6", "serial": 40, "lineage": "00000000-0000-0000-0000-000000000001",
    "outputs": {"o": {"value": "pushed", "type": "string"}}, "resources": [
        {"mode": "managed", "type": "terraform_data", "name": "r3", "provider": 'provider["terraform.io/builtin/terraform"]',
         "instances": [{"schema_version": 0, "attributes": {"id": "11111111-0000-0000-0000-000000000001", "input": None, "output": None,
                                                            "triggers_replace": None}, "sensitive_attributes": []}]}],
    "check_results": None}, indent=2) + "\n"
