#!/usr/bin/env python3
"""Runs commands under random `encryption` blocks with two programs and compares what is sealed, read and refused.

A world is an `encryption` block in a file, native or JSON, with errors now and then; what overrides it, in further
files or in TF_ENCRYPTION; a stored state, which is absent, clear, sealed by one of several keys or damaged; and one
command. Compared are exit codes, summaries, which files are sealed or clear, and what commands print that only read.
Where a state was written, the other program reads it with the same configuration.

    encryption_worlds.py --binary build/dev/src/cli/kinu --reference tofu --count 1000
    encryption_worlds.py … --seed 4711          # one of them again, with its files and outputs

Differences that are KNOWN are counted, and do not fail.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "e2e"))
import sealing  # noqa: E402
from sealing import Ref  # noqa: E402

SECRET = "nobody-may-read-this"
# A summary may begin with a line break. The detail "Error: …" of a plan file is none.
SUMMARY = re.compile(r"^((?:Error|Warning): (?!couldn't load the provided|the given plan file)\n?.*)$", re.M)
# Of the reader of JSON.
OWN_WORDS = re.compile(r"invalid character '.*|unexpected end of JSON input.*|(?<=: )[^:]* is not a JSON .*|(?<=decryption: ).*|expected a value: .*|(?<=state: )json: .*")
UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
KEYS = ["a", "b", "c", "d"]
PROVIDERS = ["k1", "k2", "k3"]
METHODS = ["m1", "m2", "m3"]
MAIN = """variable "n" { default = 1 }
variable "key" { default = "a" }
locals { key = "b" }
resource "terraform_data" "a" { input = "%s-${var.n}" }
resource "terraform_data" "b" { input = terraform_data.a.output }
output "o" { value = terraform_data.b.output }
""" % SECRET
APPLY = ["apply", "-auto-approve"]
# Name: weight, arguments, whether it writes a state, and files that it needs.
COMMANDS = {
    "plan": (3, ["plan", "-out=p", "-var=n=2"], False, {}),
    "look": (1, ["plan"], False, {}),
    "apply": (6, APPLY + ["-var=n=2"], True, {}),
    "refresh": (1, APPLY + ["-refresh-only"], True, {}),
    "destroy": (1, ["destroy", "-auto-approve"], True, {}),
    "out": (1, APPLY + ["-state-out=out", "-var=n=2"], False, {}),
    "backup": (1, APPLY + ["-backup=b", "-var=n=2"], True, {}),
    "fails": (1, APPLY, True, {"c.tf": 'resource "terraform_data" "c" {\n  provisioner "local-exec" { command = "exit 1" }\n}\n'}),
    "list": (1, ["state", "list"], False, {}),
    "pull": (2, ["state", "pull"], False, {}),
    "output": (2, ["output", "-json"], False, {}),
    "show": (1, ["show", "-json"], False, {}),
    "file": (1, ["show", "-json", "stored"], False, {}),
    "shown": (2, ["show", "-json", "stored.plan"], False, {}),
    "named": (1, ["show", "-json", "-plan=stored.plan"], False, {}),
    "applied": (1, ["apply", "stored.plan"], False, {}),
    "mv": (1, ["state", "mv", "terraform_data.b", "terraform_data.z"], True, {}),
    "rm": (1, ["state", "rm", "terraform_data.b"], True, {}),
    "push": (2, ["state", "push", "-force", "stored"], True, {}),
    "import": (1, ["import", "terraform_data.i", "given"], True, {"i.tf": 'resource "terraform_data" "i" {}\n'}),
    "taint": (1, ["taint", "terraform_data.b"], True, {}),
    "workspace": (1, ["workspace", "new", "w"], False, {}),
    "migrate": (2, ["init", "-migrate-state", "-force-copy"], True,
                {"moved.tf": 'terraform {\n  backend "local" { path = "moved.tfstate" }\n}\n'}),
    "init": (1, ["init"], False, {}),
    "validate": (1, ["validate"], False, {}),
    "remote": (2, ["plan", "-out=p"], False, {"remote.tf": """data "terraform_remote_state" "named" {
  backend = "local"
  config  = { path = "stored" }
}
output "p" { value = data.terraform_remote_state.named.outputs }
"""}),
}
PRINTS = ("list", "pull", "output", "show", "file")
# Patterns of "COMMAND SUBJECT: FIRST <> SECOND", and why they are known.
KNOWN = [
    (re.compile(r"^\w+ crash: "), "the reference crashes where kinu reports an error"),
    (re.compile(r"^\w+ alias: "), "a key provider and that of a fallback with one name of their metadata"),
    (re.compile(r'errors: Error: Error fetching encryption method "nope" <> '), "an unknown method of a fallback is refused at once"),
    (re.compile(r"^\w+ errors: Error: Failed to record changes <> "), "a method that fails, fails before anything is changed"),
    (re.compile(r"^import warnings: "), "import shows its warnings once"),
]
# Errors that are found with the keys, once all names are right.
OF_KEYS = {"Error: Invalid method configuration", "Error: Unable to fetch encryption key data",
           "Error: Unable to build encryption key data", "Error: Unencrypted method is forbidden"}


# --- Random blocks ---

class Maker:
    def __init__(self, rng):
        self.rng = rng
        self.errors = 0.35 if rng.random() < 0.2 else 0.0  # how often a name is wrong, in worlds with errors
        self.key = rng.choice(KEYS)  # most key providers have it, and it seals most stored states

    def wrong(self):
        return self.rng.random() < self.errors * 0.35

    def some_key(self):
        return self.key if self.rng.random() < 0.75 else self.rng.choice(KEYS)

    def provider(self):
        """A type and a body."""
        rng, roll = self.rng, self.rng.random()
        if roll < 0.03:
            body = {"passphrase": rng.choice(["correct horse battery", "another horse battery"]),
                    "iterations": 200000, "hash_function": "sha256"}
            if self.wrong():
                body[rng.choice(["iterations", "key_length", "salt_length"])] = rng.choice([0, 1, 199999])
            return "pbkdf2", body
        if self.wrong():
            return rng.choice(["nope", "aes_gcm"]), {}
        key = self.some_key() if not self.wrong() else rng.choice(["short", "none", "junk"])
        words = [rng.choice([key] * 8 + [Ref("var.key"), Ref("local.key")])]
        body = {"command": Ref("[" + ", ".join(json.dumps(word) if not isinstance(word, Ref) else word
                                               for word in ["sh", "keys", *words]) + "]")}
        if not isinstance(words[0], Ref):
            body = {"command": ["sh", "keys", words[0]]}
        if rng.random() < 0.06:
            body["encrypted_metadata_alias"] = rng.choice(["one", "two"])
        if self.wrong():
            body[rng.choice(["nope", "keys"])] = 1
        return "external", body

    def keys(self, declared):
        kind, name = self.rng.choice(declared) if declared and not self.wrong() else ("external", self.rng.choice(PROVIDERS))
        return Ref("key_provider.%s.%s" % (kind, name))

    def method(self, declared):
        roll = self.rng.random()
        if roll < 0.2:
            return "unencrypted", {} if not self.wrong() else {"keys": 1}
        if roll < 0.28:
            body = {"encrypt_command": ["sh", "method"], "decrypt_command": ["sh", "method"]}
            if self.rng.random() < 0.3:
                body["keys"] = self.keys(declared)
            if self.wrong():
                body[self.rng.choice(list(body))] = self.rng.choice([[], ["false"], [""]])
            return "external", body
        if self.wrong():
            return "nope", {}
        body = {"keys": self.keys(declared)}
        if self.rng.random() < 0.1:
            body["aad"] = self.rng.choice([[1, 2, 3], [4]])
        if self.wrong():
            body = self.rng.choice([{}, {"keys": "x"}, dict(body, nope=1)])
        return "aes_gcm", body

    def reference(self, methods):
        if methods and not self.wrong():
            kind, name = self.rng.choice(methods)
        else:
            kind, name = self.rng.choice([("aes_gcm", "m1"), ("aes_gcm", "m9"), ("unencrypted", "m2")])
        if self.wrong():
            return Ref(self.rng.choice(["method.aes_gcm", "null", '"x"', "key_provider.external.k1"]))
        return Ref("method.%s.%s" % (kind, name))

    def target(self, methods, partial, depth=0, enforceable=True):
        rng, out = self.rng, {}
        if not partial or rng.random() < 0.85:
            out["method"] = self.reference(methods)
        if enforceable and rng.random() < 0.25:
            out["enforced"] = rng.random() < 0.85
        if depth < 2 and rng.random() < (0.4 if depth == 0 else 0.2):
            out["fallback"] = self.target(methods, partial and rng.random() < 0.1, depth + 1, False)
        return out

    def block(self, known, partial):
        """A block. `known` has the key providers and methods of earlier ones, and gets those of this one."""
        rng, out = self.rng, {}
        chance = 0.35 if partial else 1.0
        for name in PROVIDERS:
            if rng.random() < 0.75 * chance:
                kind, body = self.provider()
                same = [pair for pair in known["providers"] if pair[1] == name]
                if partial and same and rng.random() < 0.7 and kind != same[0][0]:
                    continue
                out.setdefault("key_provider", {}).setdefault(kind, {})[name] = body
                known["providers"].append((kind, name))
        for name in METHODS:
            if rng.random() < 0.75 * chance:
                kind, body = self.method(known["providers"])
                out.setdefault("method", {}).setdefault(kind, {})[name] = body
                known["methods"].append((kind, name))
        for name, often in (("state", 0.85), ("plan", 0.4)):
            if rng.random() < often * (0.6 if partial else 1.0):
                out[name] = self.target(known["methods"], partial)
        if rng.random() < 0.12 * (0.6 if partial else 1.0):
            remote = {}
            if rng.random() < 0.7:
                remote["default"] = self.target(known["methods"], partial, enforceable=False)
            if rng.random() < 0.5:
                remote["remote_state_data_source"] = {
                    rng.choice(["named", "terraform_remote_state.named", "other"]):
                    self.target(known["methods"], partial, enforceable=False)}
            out["remote_state_data_sources"] = remote
        return out


class World:
    def __init__(self, seed, stored):
        self.seed = seed
        rng = self.rng = random.Random(seed)
        maker = Maker(rng)
        known = {"providers": [], "methods": []}
        self.variables = {}
        self.files = {"main.tf": MAIN, "keys": KEYS_SCRIPT, "method": sealing.METHOD_SCRIPT}
        self.sealing = False  # whether a block says how states are sealed
        if rng.random() < 0.85:
            self.add("enc", maker.block(known, False))
        for name in ("a_override", "b_override"):
            if rng.random() < (0.4 if name.startswith("a") else 0.1):
                self.add(name, maker.block(known, rng.random() < 0.8))
        if rng.random() < 0.4:
            body = maker.block(known, rng.random() < 0.8)
            self.sealing |= "state" in body
            text = json.dumps(sealing.in_json(body)) if rng.random() < 0.4 else sealing.native(body)
            self.variables["TF_ENCRYPTION"] = text or "#"
        names = list(COMMANDS)
        self.command = rng.choices(names, [COMMANDS[name][0] for name in names])[0]
        self.files.update(COMMANDS[self.command][3])
        state = self.choose(stored, maker)
        if state:
            self.files["terraform.tfstate"] = stored[state]
        self.files["stored"] = stored[self.choose(stored, maker) or "clear"]
        self.files["stored.plan"] = stored[rng.choice([name for name in stored if name.startswith("plan")])]
        self.state = state

    def choose(self, stored, maker):
        """The name of a stored state, more often one of a key than a damaged one."""
        roll = self.rng.random()
        if roll < 0.12:
            return None
        if roll < (0.25 if self.sealing else 0.8):
            return "clear"
        if roll < 0.92:
            return "key-" + maker.some_key()
        return self.rng.choice([name for name in stored if not name.startswith("plan")])

    def add(self, name, body):
        self.sealing |= "state" in body
        body = {"terraform": {"encryption": body}}
        as_json = self.rng.random() < 0.35
        self.files[name + (".tf.json" if as_json else ".tf")] = \
            json.dumps(sealing.in_json(body)) if as_json else sealing.native(body)


def keys_script():
    script = sealing.key_script(KEYS)
    return script.replace("*) exit 1 ;;", "short) key=AAAA ;;\njunk) key=%%% ;;\n*) exit 1 ;;")


KEYS_SCRIPT = keys_script()


# --- Runs ---

def summaries(text, kind):
    return "; ".join(sorted(OWN_WORDS.sub("...", line).replace("\n", "") for line in SUMMARY.findall(text) if line.startswith(kind)))


class Side:
    """One program in a directory of its own."""

    def __init__(self, binary, root, world):
        self.binary = binary
        self.directory = tempfile.mkdtemp(dir=root)
        os.mkdir(os.path.join(self.directory, "tmp"))
        self.world = world
        for name, data in world.files.items():
            with open(os.path.join(self.directory, name), "wb") as file:
                file.write(data if isinstance(data, bytes) else data.encode())

    def run(self, words, binary=None):
        at = 2 if words[0] in ("state", "workspace") else 1
        environment = {"PATH": os.environ.get("PATH", ""), "HOME": os.path.dirname(self.directory), "TZ": "UTC",
                       "TF_CLI_CONFIG_FILE": os.devnull, "CHECKPOINT_DISABLE": "1", "TF_IN_AUTOMATION": "1",
                       "TMPDIR": os.path.join(self.directory, "tmp"), **self.world.variables}
        return subprocess.run([binary or self.binary, *words[:at], "-no-color", *words[at:]], cwd=self.directory,
                              env=environment, stdin=subprocess.DEVNULL, capture_output=True, errors="replace",
                              timeout=300, check=False)

    def command(self):
        """What the command of the world answers, as texts by subject."""
        done = self.run(COMMANDS[self.world.command][1])
        self.code, self.text = done.returncode, done.stdout + done.stderr
        out = {"exit": str(done.returncode), "errors": summaries(self.text, "Error"),
               "warnings": summaries(self.text, "Warning")}
        if done.returncode != 0 and not out["errors"]:
            out["errors"] = done.stderr.strip().split("\n")[0].split(":")[0]
        kinds = {}
        for name in sealing.files_below(self.directory):
            with open(os.path.join(self.directory, name), "rb") as file:
                data = file.read()
            kind = sealing.stored(data, [SECRET.encode()])
            if kind and not name.startswith("stored"):
                kinds[re.sub(r"\d{9,}", "N", name)] = kind
        out["files"] = " ".join("%s=%s" % pair for pair in sorted(kinds.items()))
        if self.world.command in PRINTS and done.returncode == 0:
            out["prints"] = UUID.sub("ID", done.stdout)
        return out

    def read_by(self, binary):
        done = self.run(["output", "-json"], binary)
        return "%d %s" % (done.returncode, UUID.sub("ID", done.stdout) if done.returncode == 0 else
                          summaries(done.stdout + done.stderr, "Error"))


def one_world(seed, binary, reference, root, stored, show=False):
    """Differences of a world, as texts, and the names of its command and state."""
    world = World(seed, stored)
    first, second = Side(binary, root, world), Side(reference, root, world)
    try:
        ours, theirs = first.command(), second.command()
        if COMMANDS[world.command][2] and first.code == 0 and second.code == 0:
            ours["read"], theirs["read"] = first.read_by(reference), second.read_by(binary)
        differences = ["%s: %s <> %s" % (subject, ours.get(subject), theirs.get(subject))
                       for subject in sorted(ours | theirs) if ours.get(subject) != theirs.get(subject)]
        if first.code == 1 and "OPENTOFU CRASH" in second.text:
            differences.append("crash: of the reference")
        if differences and "Duplicate metadata key" in " ".join(second.text.split()):
            differences.append("alias: a name of metadata is taken twice")
        if show:
            for name, data in world.files.items():
                if name not in ("keys", "method", "main.tf") and not name.startswith("stored") and isinstance(data, str):
                    print("--- %s\n%s" % (name, data))
            print("--- TF_ENCRYPTION\n%s" % world.variables.get("TF_ENCRYPTION"))
            print("--- state: %s, command: %s" % (world.state, world.command))
            print("--- ours\n%s\n--- theirs\n%s" % (first.text, second.text))
            print("--- directories: %s %s" % (first.directory, second.directory))
        return differences, world, ours
    finally:
        if not show:
            shutil.rmtree(first.directory, ignore_errors=True)
            shutil.rmtree(second.directory, ignore_errors=True)


def stored_states(reference, root):
    """States and plans by name: clear, sealed by each key in two ways, and damaged. The reference makes them."""
    out = {}

    def make(name, body):
        world = World.__new__(World)
        world.variables = {}
        world.files = {"main.tf": MAIN, "keys": KEYS_SCRIPT, "method": sealing.METHOD_SCRIPT,
                       "enc.tf": sealing.native({"terraform": {"encryption": body}}) if body else ""}
        side = Side(reference, root, world)
        for words in (["plan", "-out=p"], APPLY):
            done = side.run(words)
            if done.returncode != 0:
                raise SystemExit("%s: %s" % (name, done.stderr))
        for file, at in (("terraform.tfstate", name), ("p", "plan-" + name)):
            with open(os.path.join(side.directory, file), "rb") as handle:
                out[at] = handle.read()
        shutil.rmtree(side.directory)

    target = {"state": {"method": Ref("method.aes_gcm.m1")}, "plan": {"method": Ref("method.aes_gcm.m1")}}
    make("clear", None)
    for key in KEYS:
        make("key-" + key, dict(target, key_provider={"external": {"k1": sealing.external_key(key)}},
                                method={"aes_gcm": {"m1": {"keys": Ref("key_provider.external.k1")}}}))
    make("data", dict(target, key_provider={"external": {"k1": sealing.external_key("a")}},
                      method={"aes_gcm": {"m1": {"keys": Ref("key_provider.external.k1"), "aad": [1, 2, 3]}}}))
    make("pass", dict(target, key_provider={"pbkdf2": {"k1": {"passphrase": "correct horse battery", "iterations": 200000,
                                                              "hash_function": "sha256"}}},
                      method={"aes_gcm": {"m1": {"keys": Ref("key_provider.pbkdf2.k1")}}}))
    make("program", dict(state={"method": Ref("method.external.m1")}, plan={"method": Ref("method.external.m1")},
                         method={"external": {"m1": {"encrypt_command": ["sh", "method"], "decrypt_command": ["sh", "method"]}}}))
    sealed = json.loads(out["key-a"])
    for name, change in (("serial", {"serial": 77}), ("lineage", {"lineage": "another"}), ("version", {"encryption_version": "v1"}),
                         ("data-gone", {"encrypted_data": ""}), ("data-short", {"encrypted_data": "AAAA"})):
        out["bad-" + name] = json.dumps(dict(sealed, **change)).encode()
    for name, data in (("empty", b""), ("object", b"{}"), ("text", b"no state"), ("cut", out["clear"][:200]), ("list", b"[]")):
        out["bad-" + name] = data
    return out


def reason_of(command, differences):
    """Why all of the differences are known, or nothing."""
    for pattern, reason in KNOWN:
        if any(pattern.search("%s %s" % (command, text)) for text in differences):
            return reason
    if len(differences) == 1 and differences[0].startswith("errors: "):
        ours, theirs = [set(text.split("; ")) for text in differences[0][len("errors: "):].split(" <> ")]
        if ours < theirs and theirs - ours <= OF_KEYS:
            return "names are checked before keys"
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", required=True)
    parser.add_argument("--reference", required=True)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--first", type=int, default=1, help="the first seed")
    parser.add_argument("--seed", type=int, help="one world, with its files and outputs, which are left")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    binary, reference = os.path.abspath(options.binary), shutil.which(options.reference)
    root = tempfile.mkdtemp(prefix="encryption-worlds-")
    stored = stored_states(reference, root)
    if options.seed is not None:
        print(one_world(options.seed, binary, reference, root, stored, True)[0])
        return 0
    counts, exits, reasons = collections.Counter(), collections.Counter(), collections.Counter()
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        seeds = range(options.first, options.first + options.count)
        for number, (differences, world, ours) in enumerate(pool.map(
                lambda seed: one_world(seed, binary, reference, root, stored), seeds), 1):
            counts[world.command] += 1
            exits[ours["exit"]] += 1
            exits["with sealed files"] += "=sealed" in ours["files"]
            exits["with clear files"] += "=clear" in ours["files"]
            exits["read by the other"] += "read" in ours
            reason = reason_of(world.command, differences) if differences else None
            if reason:
                reasons[reason] += 1
            elif differences:
                failed += 1
                print("FAIL seed %d (%s, %s): %s" % (world.seed, world.command, world.state, " || ".join(differences)[:1200]))
            if number % 500 == 0:
                print("%d worlds, %d differences" % (number, failed), flush=True)
    shutil.rmtree(root, ignore_errors=True)
    print("commands: %s" % dict(counts))
    print("answers: %s" % dict(exits))
    print("known: %s" % dict(reasons))
    print("encryption worlds: %d compared, %d differ" % (options.count, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
