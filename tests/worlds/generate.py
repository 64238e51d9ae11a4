"""Makes worlds: a configuration, and 3 to 12 commands with edits between them. A seed gives the same world always."""
import itertools
import json
import re

import sources
import commands
import features
import old_states
import sealing
from blocks import native
from choice import Choice
from commands import PUSHED, Commands
from configuration import Configuration
from edits import Edits
from progress import Progress

OTHER_STATE = PUSHED.replace('"pushed"', '"remote"').replace('"serial": 40', '"serial": 3')


# What the backend `s3` needs of its surroundings.
AWS = {"AWS_ACCESS_KEY_ID": "t", "AWS_SECRET_ACCESS_KEY": "t", "AWS_EC2_METADATA_DISABLED": "true"}


class World:
    """A world while it is made. `case` is what session.py runs."""

    def __init__(self, seed, focus=()):
        self.seed = seed
        choice = self.choice = Choice(seed, focus)
        provider = choice.weighted((("none", 5), ("feature provider attached", 4), ("feature provider installed", 1)))
        if any(row.startswith(("attribute kinutest", "attribute provider")) for row in focus) and provider == "none":
            provider = "feature provider attached"
        backend = choice.weighted((("", 12), ("feature backend local", 3), ("feature backend http", 2), ("feature backend s3", 1), ("feature backend pg", 0.7), ("feature backend inmem", 0.2)))
        if any(row.startswith("environment TF_HTTP") for row in focus):
            backend = "feature backend http"
        settings = {row.split(" ")[1].split(".")[0] for row in focus if row.startswith("setting ")}
        if any(row.startswith("fault ") for row in focus):
            provider = "feature provider installed"
        if settings and choice.random.random() < 0.9:
            backend = "feature backend " + sorted(settings)[0]
        encryption = choice.weighted((("", 14), ("feature encryption block", 2), ("feature encryption variable", 1)))
        if choice.wants("block encryption") + choice.wants("argument encryption") and choice.random.random() < 0.8:
            encryption = encryption or "feature encryption block"
        choice.taken |= {row for row in (provider, backend, encryption) if row.startswith("feature ")}
        self.attached = provider.endswith("attached")
        self.config = Configuration(choice, provider != "none", backend.rpartition(" ")[2], encryption.rpartition(" ")[2])
        self.progress = Progress(self.config)
        self.older = old_states.make(self.config) if choice.use("feature older state", 0.06) else None
        self.commands, self.edits = Commands(choice, self.config, self.progress), Edits(choice, self.config)
        self.env = self.commands.env = self.commands.environment("")
        if self.config.backend == "s3":
            self.env.update(AWS)
        if encryption.endswith("variable"):
            self.env["TF_ENCRYPTION"] = native(features.encryption_body(self.config))
            choice.taken.add("environment TF_ENCRYPTION")
        self.steps, self.rows, self.put = [], [], {}
        self.known = self.first = self.files()  # the files as they are
        if self.older and not choice.reckless:
            self.progress.adopt(["%s.%s" % (resource["type"], resource["name"]) for resource in json.loads(self.older)["resources"]])
        if choice.reckless:
            self.make()
        else:
            self.make_calm()

    # --- Files ---

    def files(self):
        return dict(self.statics(), **self.config.files())

    def statics(self):
        out = {"targets.txt": "# objects\n%s\n" % self.config.addresses()[0], "other.tfstate": OTHER_STATE,
               "pushed.tfstate": PUSHED, "backend.hcl": 'path = "hcl.tfstate"\n', "sub/empty.tf": "locals {}\n", "cache/.keep": "", "plugins/.keep": "", "things/.keep": "",
               "things/imported.json": '{"name":"imported","value":"found"}'}
        if self.older:
            out["terraform.tfstate"] = self.older
        if "TF_ENCRYPTION" in self.env or any(row.startswith("feature encryption") for row in self.choice.taken):
            out["keys"] = sealing.key_script(["k", "l"])
        return out

    # --- Steps ---

    def make(self):
        choice, random = self.choice, self.choice.random
        needs_init = bool(self.config.backend or self.config.root.calls or self.config.provider)
        for number in range(min(random.randint(3, 12), random.randint(3, 12))):
            if number and random.random() < 0.55:
                self.edits.edit()
            command = "init" if number == 0 and random.random() < (0.93 if needs_init else 0.3) else \
                "apply" if number == 1 and random.random() < 0.6 else self.commands.choose()
            step, rows = self.commands.line(command)
            plan = self.new_plan()
            if plan and random.random() < 0.5:
                step, rows = self.commands.follow(plan)
            if number == 0 and command == "init" and random.random() < 0.8:
                step, rows = {"args": ["init"]}, {"command init"}
            self.add_step(step, rows)
            self.init_again(step)

    def make_calm(self):
        """Adds steps that are meant to succeed: what needs `init` comes after one, what needs a state after an apply."""
        random, progress = self.choice.random, self.progress
        for number in range(min(random.randint(3, 10), random.randint(3, 10))):
            if number and random.random() < 0.45:
                self.edits.edit()
                progress.lose(self.edits.removed)
            command = "init" if number == 0 and self.commands.needs_first_init() else \
                "apply" if not progress.state().exists and random.random() < 0.45 else self.commands.choose()
            if number == 0 and command == "init" and random.random() < 0.8:
                self.add_step(*self.commands.init())
                continue
            if progress.needs_init(command) and (self.steps or self.commands.needs_first_init()):
                self.add_step(*self.commands.init())
                command = command if progress.possible(command) else self.commands.choose()
            plan = self.new_plan()
            if plan in progress.fresh_plans() and random.random() < 0.6:
                self.add_step(*self.commands.follow(plan))
            else:
                self.add_step(*self.commands.line(command))

    def add_step(self, step, rows):
        """Adds a step, and before it what has changed since the last one."""
        now = self.files()
        changed = {name: text for name, text in now.items() if self.known.get(name) != text}
        changed.update(self.edits.laid)
        gone = sorted(set(self.known) - set(now)) + self.edits.removed
        self.edits.laid, self.edits.removed = {}, []
        if self.steps and changed:
            step["put"] = "%02d" % (len(self.steps) + 1)
            self.put[step["put"]] = changed
        if self.steps and gone:
            step["remove"] = gone
        self.known = now
        self.steps.append(step)
        self.rows.append(sorted(rows | self.config.rows() & known_rows()))

    def new_plan(self):
        """The plan that the last step has made, or None."""
        made = [name for name in self.commands.plans if self.steps and any(name in word for word in self.steps[-1]["args"])]
        return made[0] if made and self.steps[-1]["args"][0] == "plan" else None

    def init_again(self, step):
        """Now and then the working directory is initialised after an edit that may need it."""
        needed = any("module" in text or "backend" in text for text in self.put.get(step.get("put"), {}).values())
        if needed and step["args"][0] != "init" and self.choice.random.random() < 0.3:
            self.steps.insert(-1, {"args": ["init", "-reconfigure"]})
            self.steps[-2].update({name: step.pop(name) for name in ("put", "remove") if name in step})
            self.rows.insert(-1, sorted({"command init", "flag init -reconfigure"} | self.config.rows() & known_rows()))

    def needed(self, settings):
        """The files of the beginning without those beside the configuration that nothing names."""
        spare = dict(self.statics(), **{"given.tfvars": ""})
        texts = [text for files in (self.first, *self.put.values()) for name, text in files.items() if name not in spare]
        said = "\n".join([json.dumps(settings), *texts])
        return {name: text for name, text in sorted(self.first.items())
                if name not in spare or name == "terraform.tfstate" or re.search(r"\b%s\b" % re.escape(name.split("/")[0]), said)}

    def case(self):
        """The world in the form of a conformance case of command lines, with `links`, `attached` and the rows of each step."""
        settings = {"title": "world %d" % self.seed, "steps": self.steps}
        if self.env:
            settings["env"] = self.env
        if self.config.backend == "http" or "{HTTP_STATE}" in str([self.env, self.steps]):
            settings["servers"] = ["http_state"]
        elif self.config.backend in ("s3", "pg"):
            settings["servers"] = [self.config.backend + "_state"]
        if self.config.provider:
            settings["tags"] = ["provider:kinutest@1.0.0"]
        out = {"id": "world/%06d" % self.seed, "case": settings, "in": self.needed(settings), "rows": self.rows}
        if self.put:
            out["put"] = self.put
        if self.config.links:
            out["links"] = self.config.links
        if self.attached:
            out["attached"] = True
        return out


# --- Rows and pairs ---

_KNOWN = {}


def known_rows():
    """All rows, in order, as the keys of a dictionary."""
    if not _KNOWN:
        rows = commands.rows() + sources.language() + sources.settings() + sources.environment() + sources.provider() + sources.faults() + FEATURES
        _KNOWN.update((row, number) for number, row in enumerate(dict.fromkeys(row for row in rows if row not in LEFT_OUT)))
    return _KNOWN.keys()


FEATURES = [
    "form json", "form tofu", "form tofu twin", "form override", "form override json", "form bom", "form crlf", "form no newline",
    "form comment", "form link file", "form link module", "form other files", "form test file", "form test json", "form test tfvars",
    "form tfvars", "form tfvars json", "form auto tfvars", "form auto tfvars json", "form dynamic block",
    "feature chdir", "feature provider attached", "feature provider installed", "feature provider function", "feature version constraint",
    "feature nested modules", "feature local-exec settings", "feature backend local", "feature backend http", "feature backend s3", "feature backend pg", "feature backend inmem", "feature older state", "feature moved type",
    "feature encryption block", "feature encryption variable"]
# Rows that no world can have, with the reason.
LEFT_OUT = {
    "environment TF_CLI_CONFIG_FILE": "is set for all worlds", "environment TF_REATTACH_PROVIDERS": "is set where a provider is attached",
    "environment TF_PLUGIN_MAGIC_COOKIE": "is for providers", "environment TF_TOKEN": "is for hosts that are no loopback",
    "environment TF_LOG": "logs are each program's own", "environment TF_LOG_CORE": "logs are each program's own",
    "environment TF_LOG_PATH": "logs are each program's own", "environment TF_LOG_PROVIDER": "logs are each program's own",
    "block terraform.cloud": "needs a service", "block language.top_level.terraform": "is block file.terraform",
    "block language.top_level.language": "is block file.language",
    "argument language.required_version.required_version": "is argument terraform.required_version",
    "argument encryption.target.method": "is argument encryption.enforceable.method",
}


def can_meet(one, other):
    """Whether two rows can be in one step: a step has one command, and a configuration has one backend."""
    if one.startswith("setting ") and other.startswith("setting "):
        return one.split(".")[0] == other.split(".")[0]
    if one.startswith(("command ", "flag ")) and other.startswith(("command ", "flag ")):
        return command_of(one) == command_of(other)
    return True


def command_of(row):
    kind, _, name = row.partition(" ")
    return name if kind == "command" else name.rpartition(" -")[0]


def pairs_of(rows):
    """The pairs of the rows of one step, as pairs of numbers."""
    known = known_rows()
    numbers = sorted(_KNOWN[row] for row in rows if row in known)
    return set(itertools.combinations(numbers, 2))


_PAIRS = []


def possible_pairs():
    """All pairs of rows that can be in one step."""
    if not _PAIRS:
        rows = list(known_rows())
        _PAIRS.extend((one, other) for one in range(len(rows)) for other in range(one + 1, len(rows)) if can_meet(rows[one], rows[other]))
    return _PAIRS


def focus_of(seed, count=3):
    """The rows that a seed must try to have: `count` pairs, each of which comes once before any comes again."""
    pairs, rows = possible_pairs(), list(known_rows())
    step = 7919 if len(pairs) % 7919 else 7907
    out = set()
    for number in range(seed * count, (seed + 1) * count):
        out.update(rows[at] for at in pairs[number * step % len(pairs)])
    return out


def make(seed):
    return World(seed, sorted(focus_of(seed))).case()
