"""What a calm world knows about its directory and its states, so that each command comes where it can succeed."""
import re

from blocks import native

# What makes a command possible that is not yet.
BEFORE = {"untaint": "taint", "workspace select": "workspace new", "workspace delete": "workspace new"}
NEEDS_OBJECTS = ("taint", "state show", "state mv", "state rm", "state list", "state replace-provider")
WITHOUT_INIT = ("fmt", "version", "login", "logout", "metadata functions", "init", "get")


class State:
    """A state: instances of objects, {output: kind}, tainted ones, and how often it was written."""

    def __init__(self):
        self.exists, self.objects, self.outputs, self.tainted, self.serial = False, [], {}, set(), 0

    def write(self, objects, outputs=None):
        self.exists, self.serial = True, self.serial + 1
        self.objects = sorted(set(objects))
        self.outputs = self.outputs if outputs is None else outputs
        self.tainted &= set(self.objects)


class Plan:
    """A saved plan: what its apply will leave, and the state that it is for."""

    def __init__(self, state, objects, outputs):
        self.state, self.serial, self.objects, self.outputs = state, state.serial, objects, outputs


class Progress:
    def __init__(self, config):
        self.config = config
        self.ready, self.known_backend, self.known_before = None, None, False
        self.workspace, self.spaces = "default", {"default"}
        self.states, self.plans = {}, {}

    def adopt(self, objects):
        """Notes that there is a state from before."""
        self.states.setdefault(("", "default"), State()).write(objects)

    # --- Initialisation ---

    def backend(self):
        """The text of the backend block: where states are."""
        return "".join(native([inner]) for part in self.config.root.found("terraform") for inner in part.block.blocks if inner.kind == "backend")

    def parts(self):
        """What `init` installs: calls of modules, also those of test files, and providers."""
        out = []
        for module in self.config.modules:
            out += ["%s %s" % (name, child.folder) for name, child, _ in module.calls]
        tests = [block for name, content in self.config.extra.items() if ".tftest." in name for block in content]
        out += ["%s %s" % (block.labels, inner.arguments) for block in tests for inner in block.blocks if inner.kind == "module"]
        return sorted(out)

    def needs_init(self, command):
        return command not in WITHOUT_INIT and self.ready != (self.backend(), self.parts())

    def initialise(self, migrated=False):
        before, self.known_backend = self.state(), self.backend()
        self.ready, self.known_before = (self.backend(), self.parts()), True
        if migrated and not self.state().exists and before.exists:
            self.state().write(before.objects, before.outputs)

    def changed_backend(self):
        return self.known_backend is not None and self.known_backend != self.backend()

    def lose(self, names):
        """Notes that files were removed."""
        if ".terraform" in names:
            self.ready, self.workspace = None, "default"
        if ".terraform.lock.hcl" in names:
            self.ready = None
        if "terraform.tfstate" in names:
            self.states.pop(("", "default"), None)

    # --- States ---

    def place(self):
        path = re.search(r'path = "(.*)"', self.known_backend or "")
        return path.group(1) if path else "" if "local" in (self.known_backend or "local") else self.known_backend

    def state(self, workspace=None):
        if 'backend "inmem"' in (self.known_backend or ""):
            return State()
        return self.states.setdefault((self.place(), workspace or self.workspace), State())

    def has_workspaces(self):
        return 'backend "http"' not in self.backend() and "TF_WORKSPACE" not in self.config.choice.taken

    def fresh_plans(self):
        state = self.state()
        return sorted(name for name, plan in self.plans.items() if plan.state is state and plan.serial == state.serial)

    def importable(self):
        return [address for part in self.config.resources() for address in part.instances() if address not in self.state().objects]

    def possible(self, command):
        """Whether a command can succeed now."""
        state = self.state()
        if command in NEEDS_OBJECTS:
            return bool(state.objects)
        if command.startswith("workspace"):
            empty = {name for name in self.spaces if name not in ("default", self.workspace)}
            return self.has_workspaces() and (command != "workspace delete" or bool(empty)) and \
                (command != "workspace select" or len(self.spaces) > 1) and (command != "workspace new" or not {"w1", "w2"} <= self.spaces)
        if command == "providers mirror":
            return not self.config.provider  # it asks the registry for others than its own
        return command != "untaint" and command != "import" or bool(state.tainted if command == "untaint" else self.importable())

    def before(self, command):
        """A command that helps to make another one possible."""
        if command.startswith("workspace") and not self.has_workspaces():
            return None
        return BEFORE.get(command, "apply" if command in NEEDS_OBJECTS else None)

    # --- What commands do ---

    def note(self, command, given, words, workspace=None):
        """Notes what a command does if it succeeds."""
        state = self.state(workspace)
        if command in ("apply", "destroy", "refresh", "plan"):
            self.note_operation(command, given, words, state)
        elif command == "init":
            self.initialise("migrate-state" in given or "force-copy" in given)
        elif {"state", "state-out", "dry-run"} & set(given):
            return
        elif command == "import":
            state.write(state.objects + [words[0]])
        elif command == "state rm":
            state.write([name for name in state.objects if not any(covers(word, name) for word in words)])
        elif command == "state mv":
            state.write([words[1] + name[len(words[0]):] if covers(words[0], name) else name for name in state.objects])
        elif command == "state push":
            state.write(["terraform_data.r3"], {"o": "string"})
        elif command in ("taint", "untaint"):
            state.serial += 1
            state.tainted = state.tainted | {words[0]} if command == "taint" else state.tainted - {words[0]}
        elif command.startswith("workspace"):
            self.note_workspace(command.split()[1], words)

    def note_workspace(self, action, words):
        if action == "delete":
            self.spaces.discard(words[0])
            self.states.pop((self.place(), words[0]), None)
        elif words:
            self.spaces.add(words[0])
            self.workspace = words[0]

    def note_operation(self, command, given, words, state):
        if words:
            plan = self.plans[words[0]]
            objects, outputs = plan.objects, plan.outputs
        else:
            objects, outputs = self.result_of(command, given, state)
        if command == "plan":
            if "out" in given:
                self.plans[given["out"]] = Plan(state, objects, outputs)
        elif not {"state", "state-out"} & set(given):
            state.write(objects, outputs)

    def result_of(self, command, given, state):
        """The objects and outputs that an operation leaves, as far as they are sure."""
        objects = [] if command == "destroy" or given.get("destroy") else self.config.root.instances()
        outputs = {} if not objects and command == "destroy" else {
            name: self.config.root.output_kinds[name][0] for name in self.config.root.outputs}
        if command == "refresh" or given.get("refresh-only"):
            return state.objects, state.outputs
        if {"target", "target-file", "exclude", "exclude-file"} & set(given):
            return [name for name in state.objects if name in objects], {}
        return objects, outputs


def covers(address, instance):
    """Whether an address names an instance: itself, its resource or its module."""
    return instance == address or instance.startswith((address + "[", address + "."))
