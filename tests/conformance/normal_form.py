"""Brings the output of a command into a form that is equal in every run.

What cannot be equal (times, random names, directories, ports) becomes a placeholder. Diagnostics for people are reduced
to severity, summary and place, because the details are each program's own words. Lists and lines whose order differs
between two runs of OpenTofu are sorted. docs/testing.md describes the modes of FORMS.
"""
import datetime
import re

from exact_json import Digits, Mismatch, dump, load

ANSI = re.compile(r"\x1b\[[0-9;]*m")
UUID = re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b")
STAMP = re.compile(r"\b(\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d)(\.\d+)?( ?(?:Z|UTC|[+-]\d\d:?\d\d)(?: UTC)?)")
AFTER = re.compile(r"\bafter (?:\d+h)?(?:\d+m)?\d+s\b")
DEPOSED = re.compile(r"(deposed (?:object )?|deposed key |\.)\b([0-9a-f]{8})\b(?=[\)\s:]|$)")
CYCLE = re.compile(r"(Cycle: )([^\n|\"}]+)")
CYCLE_PARTS = re.compile(r", (?![^()]*\))")
REGISTRY_LINK = re.compile(r"https://registry\.[^\s)\"]+")
HEX8 = re.compile(r"^[0-9a-f]{8}$")
# Printed only when a lock takes long.
SLOW = re.compile(r"^(Acquiring|Releasing) state lock\. This may take")
# The address of an object, whose keys can have spaces.
ADDRESS = r"^((?:module\.|data\.|ephemeral\.)*[A-Za-z_](?:\"[^\"\n]*\"|[^\s:(\"])*)"
PROGRESS = re.compile(
    ADDRESS + r"( \(deposed [^)]*\))?(?: \((?:local-exec|remote-exec|file)\))?: ?"
    r"(?:Refreshing state|Creating|Creation complete|Modifying|Modifications complete|Destroying|"
    r"Destruction complete|Reading|Read complete|Still |Provisioning with|Opening|Open complete|"
    r"Closing|Close complete|Renewing|Preparing import|Import prepared|Importing|Import complete|"
    r"Executing:|Forgetting|Removal complete|Removing|Forgotten)")
OPEN_ID = re.compile(r"\[id=[^\]]*\Z")  # an id that goes on in the next line
PROVISIONER = re.compile(ADDRESS + r"( \(deposed [^)]*\))? \((?:local-exec|remote-exec|file)\):")
# What can follow a plain (uncoloured) warning on the standard output.
TRAILER = re.compile(
    r"^(Apply complete!|Destroy complete!|Apply cancelled|Plan:|No changes|Success!|Failure!|"
    r"Executed \d|─|Note:|Saved the plan|Outputs:|Changes to Outputs|"
    r"OpenTofu (?:used the selected|will perform|has been successfully|has created a lock|has made some|has compared|v\d[\w.+-]*$|"
    r"planned the|initialized in|detected)|"
    r"Initializing|You can|"
    r"To perform|Refresh complete|Import successful|Releasing|Do you|"
    r".*\.\.\. (pass|fail|skip|tearing down|in progress|pending)$|  run \")")
DIAGNOSTIC = re.compile(r"^(Error|Warning): (.*)$")
DIAGNOSTIC_PLACE = re.compile(r"^\s+on (.+?) line (\d+)(?:, in .*|:.*)?$")
FRAME = re.compile(r"^[│╷╵] ?")
# Lists whose order differs between two runs of OpenTofu.
UNORDERED = ("diagnostics", "relevant_attributes", "check_results")


def place_order(item):
    """The key by which an unordered list is sorted."""
    place = item.get("range") if isinstance(item, dict) else None
    if not isinstance(place, dict):
        return ("", 0, dump(item))
    return (str(place.get("filename", "")), int(place.get("start", {}).get("byte", 0)), dump(item))


def without_descriptions(value):
    if isinstance(value, dict):
        return {name: without_descriptions(member) for name, member in value.items() if name != "description"}
    if isinstance(value, list):
        return [without_descriptions(element) for element in value]
    return value


class Placeholders:
    """Replaces what differs between two runs of one case.

    `paths` are pairs of a text and its placeholder, `version` is the program's own, `kept` are the UUIDs that the
    case's own files contain. `ports` says that a server's port takes part in the hash of a backend.
    """

    def __init__(self, paths, version, kept, ports):
        self.paths = sorted(paths, key=lambda pair: -len(pair[0]))
        self.version = re.compile(r"(?<![\d.])" + re.escape(version) + r"(?![\d.]\d)") if version else None
        self.kept = kept
        self.ports = ports
        self.numbers = {}
        self.now = datetime.datetime.now(datetime.timezone.utc)

    def uuid(self, match):
        text = match.group(0)
        if text in self.kept:
            return text
        return self.numbers.setdefault(text, "{UUID%d}" % (len(self.numbers) + 1))

    def stamp(self, match):
        try:
            when = datetime.datetime.strptime(match.group(1)[:10], "%Y-%m-%d")
        except ValueError:
            return match.group(0)
        distance = when.replace(tzinfo=datetime.timezone.utc) - self.now
        return "{TIME}" if abs(distance.days) <= 2 else match.group(0)

    def string(self, text, numbered=True):
        """A text with placeholders. UUIDs are numbered by their first appearance, or all alike."""
        for path, name in self.paths:
            text = text.replace(path, name)
        if self.version:
            text = self.version.sub("{VERSION}", text)
        text = REGISTRY_LINK.sub("{REGISTRY-LINK}", text)
        text = STAMP.sub(self.stamp, text)
        text = AFTER.sub("after {T}", text)
        text = DEPOSED.sub(r"\1{HEX8}", text)
        text = CYCLE.sub(lambda match: match.group(1) + ", ".join(sorted(CYCLE_PARTS.split(match.group(2)))), text)
        if numbered:
            return UUID.sub(self.uuid, text)
        return UUID.sub(lambda match: match.group(0) if match.group(0) in self.kept else "{UUID}", text)

    def members(self, value, numbered, name):
        if {"severity", "summary", "detail"} <= set(value):
            value = {key: member for key, member in value.items() if key not in ("detail", "address")}
        if name == "function_signatures":
            value = without_descriptions(value)  # prose, as details are
        return {self.string(key, numbered): self.value(value[key], numbered, key) for key in sorted(value)}

    def value(self, value, numbered=True, name=None):
        """A JSON value with placeholders. `name` is the member that has it."""
        if isinstance(value, dict):
            return self.members(value, numbered, name)
        if isinstance(value, list):
            items = [self.value(element, numbered) for element in value]
            if name in UNORDERED or (items and all(isinstance(item, dict) and "object_addr" in item
                                                   for item in items)):
                items.sort(key=place_order)
            return items
        if isinstance(value, Digits):
            if name == "hash" and self.ports:
                return "{HASH}"
            return "{T}" if name == "elapsed_seconds" else value
        if isinstance(value, str):
            if name in ("deposed", "deposed_key") and HEX8.match(value):
                return "{HEX8}"
            return "{LINEAGE}" if name == "lineage" else self.string(value, numbered)
        return value


def diagnostics(text):
    """Severity, summary and file:line of each diagnostic for people."""
    out = []
    lines = [FRAME.sub("", line).rstrip() for line in ANSI.sub("", text).split("\n")]
    for i, line in enumerate(lines):
        head = DIAGNOSTIC.match(line)
        if head and (i == 0 or not lines[i - 1]):
            out.append([head.group(1).lower(), head.group(2), ""])
            continue
        place = DIAGNOSTIC_PLACE.match(line)
        if place and out and not out[-1][2]:
            out[-1][2] = "%s:%s" % (place.group(1), place.group(2))
    return out


def diagnostics_form(text, placeholders):
    found = sorted("|".join(placeholders.string(part, False) for part in diagnostic)
                   for diagnostic in diagnostics(text))
    if not found:
        found = ["(other text)"] if text.strip() else []
    return "".join(line + "\n" for line in found)


def reduced(block):
    """A diagnostic for people as one line, without its detail."""
    return ["{DIAG %s|%s|%s}" % tuple(found) for found in diagnostics("\n".join(block))]


def ends_diagnostic(line):
    bare = ANSI.sub("", line)
    return DIAGNOSTIC.match(bare) or TRAILER.match(bare) or PROGRESS.match(bare)


def with_reduced_diagnostics(lines):
    """Lines in which each diagnostic, framed or plain, has become one line."""
    out, frame, at = [], None, 0
    while at < len(lines):
        line = lines[at]
        bare = ANSI.sub("", line)
        at += 1
        if frame is not None:
            frame.append(line)
            if bare.startswith("╵"):
                out += reduced(frame)
                frame = None
        elif bare.startswith("╷"):
            frame = [line]
        elif DIAGNOSTIC.match(bare):
            start = at - 1
            while at < len(lines) and not ends_diagnostic(lines[at]):
                at += 1
            out += reduced(lines[start:at])
        else:
            out.append(line)
    return out + reduced(frame or [])


def with_sorted_progress(lines):
    """Lines in which neighbouring lines of progress are ordered by resource. Each resource keeps its own order."""
    out, progress = [], []
    for line in lines:
        bare = ANSI.sub("", line)
        match = PROGRESS.match(bare) or PROVISIONER.match(bare)
        if not match and progress and OPEN_ID.search(progress[-1][1]):
            progress[-1] = (progress[-1][0], progress[-1][1] + "\n" + line)
            continue
        if match:
            progress.append((match.group(1) + (match.group(2) or ""), line))
            continue
        out += [text for _, text in sorted(progress, key=lambda pair: pair[0])] + [line]
        progress = []
    return out + [text for _, text in sorted(progress, key=lambda pair: pair[0])]


def text_form(text, placeholders):
    lines = [line for line in text.split("\n") if not SLOW.match(ANSI.sub("", line))]
    return placeholders.string("\n".join(with_sorted_progress(with_reduced_diagnostics(lines))))


def lines_form(text, placeholders):
    lines = [placeholders.string(line, False) for line in text.split("\n")]
    return "\n".join(sorted(with_reduced_diagnostics(lines))) + "\n"


def address_of(message):
    """The resource that a message of a stream is about."""
    for name in ("hook", "change"):
        part = message.get(name)
        if isinstance(part, dict) and isinstance(part.get("resource"), dict):
            address = str(part["resource"].get("addr", ""))
            if str(message.get("type", "")).startswith("refresh_"):
                address += " " + str(part.get("id_value", ""))
            return address
    return ""


def read_message(number, line):
    try:
        message = load(line)
    except Mismatch as error:
        raise Mismatch("line %d: %s" % (number, error)) from error
    if not isinstance(message, dict):
        raise Mismatch("line %d is not an object" % number)
    if "@level" in message and "@timestamp" not in message:
        raise Mismatch("line %d has no @timestamp" % number)
    return message


def messages_form(text, placeholders):
    """One message a line, grouped by resource, without progress and without the message of the version."""
    rows = []
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        message = read_message(number, line)
        kind = message.get("type")
        if kind in ("apply_progress", "provision_progress") or (not rows and kind == "version") or \
                SLOW.match(str(message.get("@message", ""))):
            continue
        message.pop("@timestamp", None)
        message = placeholders.value(message, False)
        diagnostic = message.get("type") == "diagnostic"
        rows.append((address_of(message), diagnostic, dump(message) if diagnostic else "", dump(message)))
    rows.sort(key=lambda row: row[:3])
    return "".join(row[3] + "\n" for row in rows)


def json_form(text, placeholders):
    if not text.strip():
        return "(empty)\n"
    return dump(placeholders.value(load(text)), 1) + "\n"


def raw_form(text, _):
    return text


# How a stream or a file is compared: a function of its text and of the placeholders.
FORMS = {"text": text_form, "json": json_form, "jsonl": messages_form, "lines": lines_form,
         "diags": diagnostics_form, "raw": raw_form}
