"""What may differ between the two programs, each with its reason. Nothing else is left out of a comparison.

A WORDS row changes both texts before they are compared. A KNOWN row says that a difference is deliberate; the rest of
that world is not compared, because the programs go different ways from there.
"""
import collections
import json
import re

import sources  # noqa: F401 (says where the next one is)
import normal_form

# `after`: the commands of which one must have failed before.
Words = collections.namedtuple("Words", "name reason subjects pattern replacement after", defaults=[""])
# `file` is what a file of the world must have, too, and `cause` what some difference of the step must have. `level`: the
# only level of compatibility that has the row.
Known = collections.namedtuple("Known", "name reason commands subjects pattern file cause level",
                               defaults=[re.compile(""), re.compile(""), ""])
DEFAULT_LEVEL = "1.12"

STREAMS = r"stdout|stderr"
# The last line of an import.
PREPARED = re.compile(r"(?m)^(?:\x1b\[\d*m)*  Prepared ")
# A line about an ephemeral object that is opened later.
DEFERRED = re.compile(r"(?m)^(?:\x1b\[\d*m)*\S+: (?:\x1b\[\d*m)*Deferred due to pending dependencies")


def without_empty_resources(text):
    """A state without resources that have no objects."""
    mode, _, rest = text.partition("\n")
    if '"instances": []' not in rest:
        return text
    try:
        state = json.loads(rest)
    except ValueError:
        return text
    state["resources"] = [resource for resource in state["resources"] if resource.get("instances")]
    return mode + "\n" + json.dumps(state, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def reduced(match):
    """A report behind other text of its line in the form of all others, which have lines of their own."""
    return "\n" + "\n".join(normal_form.reduced(match.group(0).splitlines()))


def with_sorted_progress(text):
    """A text whose runs of lines about progress with an import or a deferred object in them are ordered by resource. The last line of an import
    begins with spaces and belongs to the one before it."""
    if not PREPARED.search(text) and not DEFERRED.search(text):
        return text
    out, run = [], []
    for line in text.splitlines(True) + [""]:
        bare = normal_form.ANSI.sub("", line)
        if normal_form.PROGRESS.match(bare) or DEFERRED.match(bare):
            run.append([bare.partition(": ")[0], line])
        elif run and PREPARED.match(line):
            run[-1][1] += line
        else:
            mixed = any(PREPARED.search(row) or DEFERRED.search(row) for _, row in run)
            out += [row for _, row in (sorted(run, key=lambda pair: pair[0]) if mixed else run)] + [line]
            run = []
    return "".join(out)


def sorted_tree(lines):
    """A tree as `providers` draws it, with the branches of each node sorted."""
    branches = []
    for line in lines:
        if line.startswith(("├── ", "└── ")):
            branches.append((line[4:], []))
        else:
            branches[-1][1].append(line[4:])
    return [line for label, below in sorted((label, sorted_tree(below)) for label, below in branches)
            for line in ["├── " + label] + ["│   " + inner for inner in below]]


def with_sorted_tree(match):
    return "\n".join(sorted_tree(match.group(0).splitlines())) + "\n"


def with_sorted_cycle(match):
    return match.group(1) + ", ".join(sorted(match.group(2).split(", ")))


def with_sorted_names(match):
    return match.group(1) + json.dumps(sorted(json.loads(match.group(2))))


WORDS = [
    Words("order around an import", "objects are read while others are imported or put off", STREAMS,
          re.compile(r"(?s)\A.*"), lambda match: with_sorted_progress(match.group(0))),
    Words("report behind a prompt", "details are each program's own words", STREAMS,
          re.compile("╷[^╵]*╵"), reduced),
    Words("still going on", "lines that say so depend on the time that a machine takes", STREAMS,
          re.compile(r"(?m)^.*: Still \w+\.\.\. .*\n"), ""),
    Words("resets", "only the first of parallel lines has one more", STREAMS, re.compile(r"(?:\x1b\[0m)+"), "\x1b[0m"),
    Words("order of installed modules", "OpenTofu lists the modules of a directory in random order", STREAMS,
          re.compile(r'(?:^(?:- [\w.-]+ in |\{"@level": "info", "@message": "installing [\w.-]+ in ).*\n)+', re.M), lambda match: "".join(sorted(match.group(0).splitlines(True)))),
    Words("order of searched providers", "OpenTofu goes through maps: another order each time (differences.md)", STREAMS,
          re.compile(r"(?:^- (?:Finding|Reusing|\S+ is built in) .*\n)+", re.M),
          lambda match: "".join(sorted(match.group(0).splitlines(True)))),
    Words("order of searched providers in messages", "the same", STREAMS,
          re.compile(r'(?:^\{"@level": "info", "@message": "(?:Finding|Reusing|[\w./-]+ is built in) .*\n)+', re.M),
          lambda match: "".join(sorted(match.group(0).splitlines(True)))),
    Words("descriptions of settings", "prompts for settings of a backend have kinu's words (decision 3)", "stdout",
          re.compile(r"(?m)^(\S*(?:bucket|key|address|path|organization|secret_suffix|\w+_name)\S*\n)  .*\n(?=\s+\S*Enter a value)"), r"\1"),
    Words("description of a migration", "the same for the question whether all workspaces are copied", "stdout",
          re.compile(r"(?m)^(\S*Do you want to migrate all workspaces .*\n)(?:  (?!\S*Enter).*\n|\s*\n)+"), r"\1"),
    Words("order of required providers", "OpenTofu goes through maps: another order each time (differences.md)", "stdout",
          re.compile(r"^[├└]── .*\n(?:(?:[├└]── |│   |    ).*\n)*", re.M), with_sorted_tree),
    Words("order of replaced providers", "the same, for the resources of state replace-provider", STREAMS + "|file .*",
          re.compile(r'("resources": )(\[(?:"(?:[^"\\\n]|\\.)*"(?:, )?)*\])(?=.*"type": "replace_provider")'), with_sorted_names),
    Words("order of replaced providers in text", "the same", "stdout",
          re.compile(r"(?<= resources:\n\x1b\[0m\n)(?:  .*\n)+|(?<= resources:\x1b\[0m\n\n)(?:  .*\n)+|(?<= resources:\n\n)(?:  .*\n)+"),
          lambda match: "".join(sorted(match.group(0).splitlines(True)))),
    Words("order in a cycle", "OpenTofu begins anywhere in a cycle, and names its members in random order", STREAMS,
          re.compile(r"(Cycle: )((?:module\.|data\.|provider\[|[\w.-]+)[^|\n]*)"), with_sorted_cycle),
    Words("a workspace that does not exist", "without colour, the start of this detail looks like the end of a warning", STREAMS,
          re.compile(r'\nYou can create this workspace with the "new" subcommand \nor include .*\n\n'), ""),
    Words("hashes", "the provider of the tests is built on each machine", r".*", re.compile(r"h1:[A-Za-z0-9+/]{43}="), "h1:{HASH}"),
    Words("empty resources", "a failing apply of OpenTofu sometimes leaves resources without objects (differences.md)",
          r"file .*", re.compile(r"(?s)\A.*"), lambda match: without_empty_resources(match.group(0)),
          after="apply|destroy|test"),
    Words("errors of PostgreSQL", "another driver adds the code and the place (differences.md)", STREAMS + "|file .*",
          re.compile(r"(pq: [^\n|{}]*?)(?: at (?:position|column) [\d:]+)?(?: \(\w{5}\))(?=[\"\n|}])"), r"\1"),
    Words("connections to PostgreSQL", "each driver has words of its own (differences.md)", STREAMS,
          re.compile(r"(?:pq: )?(?:missing \"=\" after[^\n|{}]*|connection to server at [^\n|{}]*|dial tcp [^\n|{}]*connection refused)"),
          "{NO CONNECTION}"),
    Words("random keys", "as a key, an identifier that begins with a letter needs no quotes", STREAMS,
          re.compile(r'"?(\{UUID\d*\})"? *= '), r"\1 = "),
    Words("explanations in summaries", "what follows the first line of a summary explains it (decision 3)", STREAMS,
          re.compile(r'("(?:summary": "|@message": "(?:Error|Warning): )(?:[^"\\]|\\[^n])*)\\n\\n(?:[^"\\]|\\.)*"'), r'\1"'),
    Words("help", "help has kinu's words (decision 3)", STREAMS, re.compile(r"(?ms)\n?^Usage: .*"), "{HELP}\n"),
]
KNOWN = [
    Known("sealed again", "differences.md: a sealed state that a command leaves as it is", r".*", r"file .*tfstate",
          re.compile(r"(?s)\A-(?=.*encrypted_data).*\n\+\(nothing\)\Z")),
    Known("moved out of a sealed state", "differences.md: `state mv -state-out` from an encrypted state", r"state mv", r"file .*",
          re.compile(r"(?s)\A-(?=.*\"resources\").*\n\+.*encrypted_data")),
    Known("a sealed file is read", "differences.md: an encrypted file that `-state` or `-state-out` names", r"state (mv|rm|replace-provider)",
          r"exit|" + STREAMS + r"|file .*",
          re.compile(r'\A(?:-1\n\+0\Z|\+(?:Move|Removed|OpenTofu will perform|No matching)|-(?:\{DIAG error\||\{"@level": "error", "@message": "Error: )Error acquiring the state lock'
                     r'|-\(nothing\)\n\+\d+\n(?s:.*)encrypted_data)'), cause=re.compile("Error acquiring the state lock")),
    Known("a default that is given another value", "differences.md: a saved plan and another value of a variable that had its default", r"apply",
          r".*", re.compile(r"(?s)\A.*\Z"), cause=re.compile(r"(?m)^\+.*Mismatch between input and plan variable value")),
    Known("a backup before a change", "differences.md: `-state-out` where a change ends with the content that the file has", r"apply|destroy|refresh",
          r"file .*out\.tfstate\.backup", re.compile(r"\A-\(nothing\)\n\+\d+\n\+[{$]")),
    Known("graph of a plan with an ephemeral variable", "differences.md: `graph -plan=FILE`, for which no value is needed", r"graph",
          r"exit|" + STREAMS, re.compile(r"\A-1\n\+0\Z|\A-\{DIAG error\|No value for required variable|digraph \{"), re.compile(r"\bephemeral\b")),
    Known("a function that nothing calls", "differences.md: functions of required providers in `console`", r"console",
          r"exit|" + STREAMS, re.compile(r"\A-1\n\+0\Z|\A-\{DIAG error\|BUG: Uninitialized function provider|\A\+"),
          cause=re.compile("BUG: Uninitialized function provider")),
    Known("an object alone in an import", "differences.md: the first of two errors has neither a name nor a place", r".*", STREAMS + "|file .*",
          re.compile(r'\A-\{DIAG error\|(?:Reference to undeclared (?:local value|input variable)|Invalid "\w+" attribute)\|\}\Z')),
    Known("a state for a new workspace", "differences.md: `workspace new -state=FILE` with a service", r"workspace new", "requests",
          re.compile(r"\A-.*: 0 resources\n\+.*: [1-9]\d* resources\Z")),
    Known("sensitive and deprecated", "differences.md: an output that is sensitive and deprecated", r"console", "stdout",
          re.compile(r"\A-.*\n\+\(sensitive value\)\Z"), re.compile(r"\bdeprecated\b")),
    Known("planned and sensitive and deprecated", "differences.md: an output that is sensitive and deprecated", r"plan|apply|destroy|show", "stdout",
          re.compile(r"\A-.*(?:\n-.*|\n\+.*\(sensitive value\))*\n\+.*\(sensitive value\)(?:\n-.*)*\Z"), re.compile(r"\bdeprecated\b")),
    Known("ephemeral in a test", "differences.md: `test -verbose` with an ephemeral resource", r"test", "stdout|file .*",
          re.compile(r"\A(?:\+.*\n)*-.*Failed to render test state.*(?:\n-.*Failed to render test state.*|\n-|\n\+.*)*\Z"), re.compile(r"\bephemeral\b")),
    Known("overridden in a test", "differences.md: `test -verbose -json` with an overridden module", r"test", "stdout",
          re.compile(r'\A-.*"-verbose flag enabled, printing'), re.compile(r"\boverride_module\b")),
    Known("ephemeral objects are closed", "differences.md: ephemeral objects whose dependent fails are closed", r"apply|plan|refresh|destroy|import",
          STREAMS + "|file .*", re.compile(r"\A(\+.*ephemeral\..*: (Closing\.\.\.|Close complete).*\n?)+\Z")),
    Known("dependencies of one instance", "differences.md: stored dependencies of an object that names one instance of a resource beside it",
          r"apply|destroy", r"file .*tfstate", re.compile(r'\A(?:\+ +(?:"dependencies": \[|"[\w.]+",?|\],?)(?:\n|\Z))+\Z'), re.compile(r"\b(?:count|for_each)\b")),
    Known("ephemeral blocks in a plan", "differences.md: `show -json PLAN` of a configuration with ephemeral resources", r"show", r"exit|" + STREAMS,
          re.compile(r'\A(?:-1\n\+0\Z|-Failed to marshal plan to json: error marshaling config: no schema found for ephemeral\.|\+\{"format_version")'),
          re.compile(r"\bephemeral\b"), level="1.13"),
    Known("arguments of provisioners", "differences.md: arguments of provisioners in the configuration of `show -json PLAN`", r"show", "stdout",
          re.compile(r'\A(?:\+( +)"expressions": \{(?:\},|\n(?:\+\1 .*\n)*\+\1\},?)(?:\n|\Z))+\Z'), re.compile(r"\bprovisioner\b"), level="1.13"),
]


def compared(subject, form, text, failed=()):
    """A text as it is compared. `failed` are the commands that have failed up to its step."""
    for row in WORDS:
        if re.fullmatch(row.subjects, subject) and (not row.after or any(re.fullmatch(row.after, name) for name in failed)):
            text = row.pattern.sub(row.replacement, text)
    return form, text


def known(texts, command, subject, lines, step, level=None):
    """The KNOWN row that allows a difference in a world with these files, or None. `lines` are a text with - and +, `step`
    those of all differences of the step."""
    for row in KNOWN:
        if row.level in ("", level or DEFAULT_LEVEL) and re.match(row.commands, command) and re.fullmatch(row.subjects, subject) and \
                row.pattern.search(lines) and row.cause.search(step) and any(map(row.file.search, texts)):
            return row
    return None
