#!/usr/bin/env python3
"""Runs OpenTofu's equivalence tests: configurations and states with the recorded output of OpenTofu.

The cases are not in this repository. They are in testing/equivalence-tests of OpenTofu: `tests` has
the files to start from and `outputs` the recordings. Providers are installed according to the CLI
configuration (TF_CLI_CONFIG_FILE).

    equivalence.py --binary build/dev/src/cli/tofu --cases opentofu/testing/equivalence-tests
    equivalence.py --binary … --cases … --reference tofu  # compares with that program, not with the recordings
    equivalence.py … --version hashicorp/null=3.2.4       # where that version is installed

With --reference a second program runs the same cases, and its output is the expected one: recordings
age, and their provider versions are not always the installed ones.
"""

import argparse
import difflib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

PLAN = "equivalence_test_plan"
COMMANDS = [
    (["init"], None),
    (["plan", "-out=" + PLAN, "-no-color"], "plan"),
    (["apply", "-json", PLAN], "apply.json"),
    (["show", "-no-color"], "state"),
    (["show", "-json"], "state.json"),
    (["show", "-json", PLAN], "plan.json"),
]


def commands_of(case):
    """The commands of a case, and the names of the outputs to compare."""
    path = os.path.join(case, "spec.json")
    with open(path) as handle:
        spec = json.load(handle)
    if not spec.get("commands"):
        return COMMANDS, spec.get("include_files", [])
    out = []
    for command in spec["commands"]:
        name = command.get("output_file_name") if command.get("capture_output") else None
        out.append((command["arguments"], name))
    return out, spec.get("include_files", [])


def strip_message(message):
    for key in ("@timestamp", "@module"):
        message.pop(key, None)
    message.get("hook", {}).pop("elapsed_seconds", None)
    message["@message"] = re.sub(r"after \d+\w+", "after TIME", message.get("@message", ""))
    return message


def normal(name, text):
    """An output without the parts that differ between runs."""
    if name == "apply.json":
        if text.lstrip().startswith("["):
            messages = json.loads(text)
        else:
            messages = [json.loads(line) for line in text.splitlines() if line.startswith("{")]
        messages = [strip_message(m) for m in messages if m.get("type") != "version"]
        return "\n".join(sorted(json.dumps(m, sort_keys=True, indent=1) for m in messages))
    if name.endswith(".json"):
        document = json.loads(text)
        for key in ("terraform_version", "timestamp"):
            document.pop(key, None)
        for key in ("prior_state", "planned_values"):
            if isinstance(document.get(key), dict):
                document[key].pop("terraform_version", None)
        if "relevant_attributes" in document:
            document["relevant_attributes"].sort(
                key=lambda entry: json.dumps(entry, sort_keys=True))
        return json.dumps(document, sort_keys=True, indent=1)
    # Progress lines that follow each other have no fixed order.
    lines = text.strip().splitlines()
    progress = re.compile(r": (Refreshing state|Reading|Read complete|Still )")
    out, run = [], []
    for line in lines + [None]:
        if line is not None and progress.search(line):
            run.append(re.sub(r"after \d+\w+", "after TIME", line))
            continue
        out += sorted(run)
        run = []
        if line is not None:
            out.append(line)
    return "\n".join(out)


def pin(directory, versions):
    """Replaces the provider versions of a case by installed ones. Returns the replacements as pairs of
    texts."""
    replaced = []
    for base, _, names in os.walk(directory):
        for name in names:
            if not name.endswith(".tf"):
                continue
            path = os.path.join(base, name)
            with open(path) as handle:
                text = handle.read()
            for provider, version in versions.items():
                pattern = re.compile(r'(source\s*=\s*"%s"\s*version\s*=\s*)("[^"]*")' %
                                     re.escape(provider))
                for found in pattern.finditer(text):
                    replaced.append((found.group(2), '"%s"' % version))
                text = pattern.sub(lambda m: m.group(1) + '"%s"' % version, text)
            with open(path, "w") as handle:
                handle.write(text)
    return replaced


def run(binary, case, versions):
    """Returns the outputs of a case by name, and the replacements in it."""
    commands, included = commands_of(case)
    base = tempfile.mkdtemp(prefix="equivalence-")
    directory = os.path.join(base, "work")
    try:
        # A lock file would require the versions of the recording.
        shutil.copytree(case, directory, ignore=shutil.ignore_patterns("spec.json",
                                                                       ".terraform.lock.hcl"))
        replaced = pin(directory, versions)
        env = dict(os.environ, CHECKPOINT_DISABLE="1")
        out = {}
        for arguments, name in commands:
            process = subprocess.run([binary, *arguments], cwd=directory, env=env,
                                     stdin=subprocess.DEVNULL, capture_output=True, text=True,
                                     timeout=300)
            if process.returncode != 0:
                out["failed"] = " ".join(arguments) + "\n" + process.stdout + process.stderr
                break
            if name:
                out[name] = process.stdout.replace(directory, "DIRECTORY")
        for name in included:
            path = os.path.join(directory, name)
            if os.path.exists(path):
                with open(path) as handle:
                    out[name] = handle.read()
        return out, replaced
    finally:
        shutil.rmtree(base, ignore_errors=True)


def recorded(directory, replaced):
    out = {}
    for name in os.listdir(directory):
        with open(os.path.join(directory, name)) as handle:
            text = handle.read()
        for old, new in replaced:
            text = text.replace('"version_constraint": ' + old, '"version_constraint": ' + new)
        out[name] = text
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", required=True)
    parser.add_argument("--cases", required=True)
    parser.add_argument("--reference", help="compare with this program instead of the records")
    parser.add_argument("--version", action="append", default=[], metavar="PROVIDER=VERSION",
                        help="use this version of hashicorp/null, say, where a case asks for one")
    parser.add_argument("--only", nargs="*", help="names of cases")
    parser.add_argument("--show", type=int, default=20, help="lines of each difference")
    parser.add_argument("--least", type=int, default=0, help="fail below this count of equal cases")
    options = parser.parse_args()
    for name in ("binary", "reference"):
        path = getattr(options, name)
        setattr(options, name, os.path.abspath(path) if path and os.sep in path else path)
    versions = dict(v.split("=", 1) for v in options.version)
    names = sorted(options.only or os.listdir(os.path.join(options.cases, "tests")))
    equal = 0
    for name in names:
        case = os.path.join(options.cases, "tests", name)
        got, replaced = run(options.binary, case, versions)
        if options.reference:
            wanted = run(options.reference, case, versions)[0]
        else:
            wanted = recorded(os.path.join(options.cases, "outputs", name), replaced)
        same = True
        for output in sorted(set(wanted) | set(got)):
            a = wanted.get(output)
            b = got.get(output)
            if a is not None and b is not None and normal(output, a) == normal(output, b):
                continue
            same = False
            print("%s: %s differs" % (name, output))
            print("\n".join(list(difflib.unified_diff(
                [] if a is None else normal(output, a).splitlines(),
                [] if b is None else (b if output == "failed" else normal(output, b)).splitlines(),
                "wanted", "got", lineterm="", n=2))[:options.show]))
        equal += same
    print("%d cases, %d equal" % (len(names), equal))
    return 0 if equal >= (options.least or len(names)) else 1


if __name__ == "__main__":
    sys.exit(main())
