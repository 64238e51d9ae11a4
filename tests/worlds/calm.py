"""The rules by which command lines of a calm world succeed: which words, flags and variables they can have."""
import re

from features import CERTIFICATE, PRIVATE_KEY

# Commands that ask for approval.
ASKING = ("apply", "destroy", "state replace-provider", "init", "workspace delete")
# Flags whose negation leaves a directory that most commands cannot use.
ONLY_TRUE = ("backend", "get")
# Flags that a command with a saved plan can have.
WITH_PLAN = ("auto-approve", "compact-warnings", "concise", "input", "json", "json-into", "lock", "lock-timeout", "no-color",
             "parallelism", "show-sensitive", "suppress-forget-errors", "backup")
HTTP_VALUES = {"TF_HTTP_UPDATE_METHOD": "PUT", "TF_HTTP_LOCK_METHOD": "LOCK", "TF_HTTP_UNLOCK_METHOD": "UNLOCK",
               "TF_HTTP_CLIENT_CA_CERTIFICATE_PEM": CERTIFICATE, "TF_HTTP_CLIENT_CERTIFICATE_PEM": CERTIFICATE,
               "TF_HTTP_CLIENT_PRIVATE_KEY_PEM": PRIVATE_KEY}
PAIRS = (("TF_HTTP_LOCK_ADDRESS", "TF_HTTP_UNLOCK_ADDRESS"), ("TF_HTTP_CLIENT_CERTIFICATE_PEM", "TF_HTTP_CLIENT_PRIVATE_KEY_PEM"))


def complete_pairs(environment):
    """Adds variables that others are no use without."""
    for pair in PAIRS:
        if set(pair) & set(environment):
            for name in pair:
                environment.setdefault(name, HTTP_VALUES.get(name, "{HTTP_STATE}/s/one"))


def unfit(commands, command, flag, words):
    """Whether a flag does not go with a command and its words."""
    progress = commands.progress
    if command in ("apply", "show") and words and words[0] in progress.plans and command == "apply":
        return flag not in WITH_PLAN
    if flag in ("config", "module", "state") and command == "show" and words:
        return True
    if flag == "state" and command not in ("plan", "apply", "destroy", "refresh", "console", "workspace new"):
        return not plain_state(progress)
    if command == "init":
        provider = commands.config.provider and not progress.known_before
        return flag == "lockfile" and provider or flag == "backend-config" and commands.config.backend not in ("", "http")
    if command == "output":
        return flag == "raw" and not words
    if command.startswith("state") and flag in ("backup", "backup-out"):
        return bool(progress.backend())
    return False


def unfit_variable(commands, command, flags, name):
    """Whether an environment variable does not go with a command, which has these flags."""
    if name == "TF_CLI_ARGS":
        return bool(command) and not any(flag.name == "no-color" for flag in flags)
    if name == "TF_WORKSPACE":
        return not commands.progress.has_workspaces() or command == "" or command == "init" or command.startswith("workspace")
    return False


def plain_state(progress):
    """Whether the state is in terraform.tfstate."""
    return progress.place() == "" and progress.workspace == "default" and progress.state().exists and not progress.backend()


def plan(commands):
    found = commands.progress.fresh_plans()
    return commands.choice.pick(found) if found else None


def state(commands, command):
    """A file for -state."""
    if command in ("plan", "apply", "destroy", "refresh", "console", "workspace new"):
        return commands.choice.pick(["pushed.tfstate"] * 2 + (["terraform.tfstate"] if plain_state(commands.progress) else []))
    return "terraform.tfstate"


# --- Words ---

def shown(commands):
    found = sorted(commands.progress.plans) + (["terraform.tfstate"] if plain_state(commands.progress) else [])
    return [commands.choice.pick(found)] if found and commands.choice.pick((0, 1)) else []


def moved(commands):
    """Two addresses: an instance or its resource, and one of that type that does not exist."""
    address = commands.choice.pick(commands.progress.state().objects)
    kind, key = re.search(r"(\w+)\.\w+(\[[^\]]*\])?$", address).groups()
    place = commands.choice.pick(("", "", "module.box."))
    return [address, "%s%s.%s%s" % (place, kind, commands.config.name("moved"), commands.choice.pick(("", key or '["k"]')))]


def words_of_workspace(action):
    def words(commands):
        progress, pick = commands.progress, commands.choice.pick
        if action == "new":
            return [pick(sorted({"w1", "w2"} - progress.spaces))]
        return [pick(sorted(progress.spaces - ({"default", progress.workspace} if action == "delete" else set())))]
    return words


def removed(commands):
    return sorted({commands.choice.pick(commands.progress.state().objects) for _ in range(commands.choice.pick((1, 1, 2)))})


def applied(commands):
    found = commands.progress.fresh_plans()
    return [commands.choice.pick(found)] if found and commands.choice.pick((0, 1)) else []


def listed(commands):
    return [commands.choice.pick(commands.progress.state().objects)] if commands.choice.pick((0, 0, 1)) else []


def output_name(commands):
    found = sorted(commands.progress.state().outputs)
    return [commands.choice.pick(found)] if found and commands.choice.pick((0, 1)) else []


WORDS = {
    "logout": lambda commands: ["example.org"],
    "apply": applied, "show": shown, "state mv": moved, "state rm": removed, "state list": listed, "output": output_name,
    "import": lambda commands: [commands.choice.pick(commands.progress.importable()), "imported"],
    "state show": lambda commands: [commands.choice.pick(commands.progress.state().objects)],
    "taint": lambda commands: [commands.choice.pick(commands.progress.state().objects)],
    "untaint": lambda commands: [commands.choice.pick(sorted(commands.progress.state().tainted))],
    "state push": lambda commands: [commands.choice.pick(("pushed.tfstate", "pushed.tfstate", "-"))],
    "workspace new": words_of_workspace("new"), "workspace select": words_of_workspace("select"),
    "workspace delete": words_of_workspace("delete"),
}


# --- What completes a command line ---

def settle(commands, command, flags, given, words, environment):
    """Adds the flags that a command line needs to succeed. Returns its words."""
    def add(name):
        if not given.get(name):
            flags[:] = [words for words in flags if words[0].lstrip("-") != name + "=false"] + [["-" + name]]
            given[name] = True

    variables = dict(commands.env, **environment)
    silent = given.get("input") is False or variables.get("TF_INPUT") in ("0", "false")
    if command in ("apply", "destroy", "state replace-provider") and (silent or given.get("json")) and not words[:command == "apply"]:
        add("auto-approve")
    if command == "state replace-provider" and (silent or given.get("json")):
        add("auto-approve")
    if command == "metadata functions" or command == "show" and {"config", "module"} & set(given):
        add("json")
    if command == "state push" and commands.progress.state().exists:
        add("force")
    if command == "workspace delete" and commands.progress.state(words[0]).objects:
        add("force")
    if command == "init" and (silent or given.get("json")) and given.get("migrate-state"):
        add("force-copy")
    if command == "output" and given.get("raw") and commands.progress.state().outputs.get((words or [""])[0]) not in ("string", "number", "bool"):
        flags[:] = [found for found in flags if found[0].lstrip("-").split("=")[0] != "raw"]
        given.pop("raw")
    return words
