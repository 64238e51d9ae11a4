"""Reads from the sources what can be combined: commands with their flags, blocks with their arguments, variables.

A row is a text "KIND NAME": "command plan", "flag plan -out", "argument variable.default", "block check.assert",
"setting http.address", "environment TF_WORKSPACE". What the sources gain appears here without a change of this file.
"""
import collections
import functools
import glob
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SRC = os.path.join(ROOT, "src")
# What other tests have, and worlds use.
for FOLDER in ("tests/conformance", "tests/e2e", "tests/differential", "tests/servers", "tools"):
    sys.path.append(os.path.join(ROOT, FOLDER))

# A flag of a command. `form` is how the help continues the name, `kind` is a value of FlagKind.
Flag = collections.namedtuple("Flag", "name kind form")
DEFINITION = re.compile(r"\bconstexpr\s+(?:auto|FlagSpec|std::array<[^;{]*>)\s+(k\w+)(?:\[\])?\s*(=)?\s*")
COMMAND = re.compile(r"\bconstexpr\s+CommandSpec\s+(k\w+)Command\s*\{")
PART = re.compile(r'\.name\s*=\s*"([^"]*)"|(?<![:\w])(k[A-Z]\w*)\b')
SCHEMA = re.compile(r"hcl::(Attribute|Block)Schema\s+(k\w+)\[\]\s*=\s*")
SCHEMA_ROW = re.compile(r'\{\s*(?:"(\w+)"|(k\w+))')
TEXT_CONSTANT = re.compile(r'constexpr\s+std::string_view\s+(k\w+)\s*=\s*"([^"]*)"')
SETTING = re.compile(r'\{\s*\.name\s*=\s*"(\w+)"|^\s*\{"(\w+)",\s*(?:k|SettingType)', re.M)
ENVIRONMENT = re.compile(r'"((?:TF|TOFU|OPENTOFU)_[A-Z][A-Z_]*)"')
# Backends and encryption that run on this machine alone.
BACKENDS = ("local", "http", "inmem", "s3", "pg")
# The settings of a backend that a scripted service on this machine answers to, where others need real services.
SCRIPTED = {"s3": (
    "access_key", "acl", "bucket", "encrypt", "endpoint", "endpoints", "force_path_style", "insecure", "key", "lock_tags", "max_retries",
    "region", "retry_mode", "secret_key", "skip_credentials_validation", "skip_metadata_api_check", "skip_region_validation",
    "skip_requesting_account_id", "skip_s3_checksum", "sse_customer_key", "state_tags", "use_lockfile", "use_path_style",
    "workspace_key_prefix")}
ENCRYPTION = ("pbkdf2", "aes_gcm", "external_keys", "external_method", "unencrypted")

# Faults that no world can have: one never ends, the other needs a lot of memory.
UNFIT_FAULTS = ("hang", "big")


def read(path):
    with open(path, encoding="utf-8") as file:
        return re.sub(r"(?m)^\s*//.*$|\s//[^\"\n]*$", "", file.read())


def files(*parts):
    """The sources below a folder of src/, without tests: {path below src: text}."""
    found = glob.glob(os.path.join(SRC, *parts), recursive=True)
    return {os.path.relpath(path, SRC): read(path) for path in sorted(found) if not path.endswith("_test.cc")}


def balanced(text, begin):
    """The text from an opening bracket to the one that closes it, quoted texts skipped."""
    depth, at = 0, begin
    while at < len(text):
        char = text[at]
        if text.startswith('R"(', at):
            at = text.index(')"', at) + 1
        elif char == '"':
            at = re.compile(r'"(?:[^"\\]|\\.)*"').match(text, at).end() - 1
        elif char in "([{":
            depth += 1
        elif char in ")]}":
            depth -= 1
            if depth == 0:
                return text[begin:at + 1]
        at += 1
    raise ValueError("no end of %s" % text[begin:begin + 60])


def definition_at(text, begin):
    """The text of the value that begins here, to the end of its statement."""
    end, at = begin, begin
    while text[end] != ";":
        opening = min((text.find(bracket, end) for bracket in "({" if text.find(bracket, end) >= 0), default=-1)
        stop = text.find(";", end)
        if opening < 0 or stop < opening:
            return text[at:stop]
        end = opening + len(balanced(text, opening))
    return text[at:end]


def flag_tables(text):
    """{name: text of its value} of the tables of flags in one file."""
    out = {}
    for match in DEFINITION.finditer(text):
        value = definition_at(text, match.end())
        if "FlagSpec" in match.group(0) or "FlagSpec" in value or "JoinFlags" in value or "Undocumented" in value:
            out[match.group(1)] = value
    return out


def flags_in(value, tables):
    """The flags of the text of a table, in order. Names of other tables stand for their flags."""
    out, at = [], 0
    while True:
        match = PART.search(value, at)
        if match is None:
            return out
        at = match.end()
        if match.group(2):
            out += flags_in(tables[match.group(2)], tables) if match.group(2) in tables else []
            continue
        rest = value[match.end():].split(".name", 1)[0].split("FlagSpec", 1)[0]
        kind = re.search(r"FlagKind::k(\w+)", rest)
        form = re.search(r'\.form\s*=\s*"([^"]*)"', rest)
        out.append(Flag(match.group(1), kind.group(1) if kind else "Bool", form.group(1) if form else ""))


@functools.lru_cache(None)
def commands():
    """{name of a command: its flags}. Groups, which only lead to others, are left out."""
    sources = files("commands", "cli", "**", "*.*")
    shared = {}
    for path, text in sources.items():
        if path.endswith(".h"):
            shared.update(flag_tables(text))
    out = {}
    for text in sources.values():
        tables = dict(shared, **flag_tables(text))
        for match in COMMAND.finditer(text):
            spec = balanced(text, match.end() - 1)
            name = re.search(r'\.name\s*=\s*"([^"]*)"', spec).group(1)
            table = re.search(r"\.flags\s*=\s*(k\w+)", spec)
            if ".run =" in spec:
                found = flags_in(tables[table.group(1)], tables) if table else []
                out[name] = list({flag.name: flag for flag in found}.values())
    return out


def schema_rows(path, text):
    """The arguments and blocks of a file that declares schemas: "argument FILE[.PART].NAME"."""
    stem = os.path.splitext(os.path.basename(path))[0]
    names = dict(TEXT_CONSTANT.findall(text))
    for match in SCHEMA.finditer(text):
        part = re.sub(r"^k|(Nested)?(Arguments|Blocks|Attributes)$", "", match.group(2))
        if part == "Override" and stem != "module_test_file":
            continue  # the same arguments, none of them required
        part = re.sub(r"(?<!^)(?=[A-Z])", "_", part).lower()
        for literal, constant in SCHEMA_ROW.findall(balanced(text, text.index("{", match.end()))[1:]):
            name = literal or names.get(constant, constant)
            kind = "argument" if match.group(1) == "Attribute" else "block"
            yield "%s %s.%s" % (kind, stem + ("." + part if part and part != stem else ""), name)


@functools.lru_cache(None)
def language():
    """The rows of the language: block types of the top level, nested blocks and arguments, of test files too."""
    table = read(os.path.join(SRC, "model", "config", "block_table.cc"))
    names = re.findall(r'\{"(\w+)", (?:\{\}|k\w+), Read', table)
    out = ["block file." + name for name in names]
    for path, text in files("model", "config", "**", "*.cc").items():
        if "/blocks/" in path or path.endswith("module_test_file.cc"):
            out += schema_rows(path, text)
    return list(dict.fromkeys(out))


@functools.lru_cache(None)
def settings():
    """The settings of the backends, key providers and methods that need nothing but this machine."""
    out = []
    for folder, names in (("backend", BACKENDS), ("encryption", ENCRYPTION)):
        for name in names:
            text = read(os.path.join(SRC, "outside", folder, name + ".cc"))
            found = [a or b for a, b in SETTING.findall(text)]
            out += ["setting %s.%s" % (name, setting) for setting in dict.fromkeys(found)
                    if name not in SCRIPTED or setting in SCRIPTED[name]]
    return out


@functools.lru_cache(None)
def faults():
    """The faults of the tests' own provider: "fault KIND", and the calls that can have one: "fault CALL"."""
    folder = os.path.join(ROOT, "tests", "providers", "kinutest")
    text = "".join(open(os.path.join(folder, name), encoding="utf-8").read() for name in ("faults.go", "server.go"))
    kinds = [name for name in re.findall(r"(?m)^//\t(\w+) ", text) if name not in UNFIT_FAULTS]
    calls = re.findall(r'before\("(\w+)"\)', text)
    return ["fault " + name for name in dict.fromkeys(kinds + calls)]


@functools.lru_cache(None)
def environment():
    """The environment variables of the program that begin with TF_, TOFU_ or OPENTOFU_."""
    found = set()
    for text in files("**", "*.*").values():
        found.update(name.rstrip("_") for name in ENVIRONMENT.findall(text))
    return sorted("environment " + name for name in found)


@functools.lru_cache(None)
def provider():
    """The attributes and blocks of the tests' own provider and of terraform_data: "attribute TYPE.NAME"."""
    folder = os.path.join(ROOT, "tests", "providers", "kinutest")
    types = {"thing.go": "kinutest_thing", "entry.go": "kinutest_entry", "provider.go": "provider", "others.go": "kinutest_lookup"}
    out = ["attribute terraform_data.triggers_replace", "attribute terraform_data.store"]
    for name, kind in types.items():
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            text = file.read()
        for match in re.finditer(r'^\t{%d}"(\w+)":\s+\w+\.\w+(?:Attribute|Block)\{' % (2 if name == "others.go" else 3), text, re.M):
            owner = "kinutest_token" if name == "others.go" and match.group(1) in ("name", "token") else kind
            out.append("attribute %s.%s" % (owner, match.group(1)))
    return list(dict.fromkeys(out))
