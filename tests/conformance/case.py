#!/usr/bin/env python3
"""Reads, records and packs single conformance cases.

    tests/conformance/case.py list [GLOB]            the names of the cases
    tests/conformance/case.py show NAME              prints a case
    tests/conformance/case.py unpack NAME FOLDER     writes a case into a new folder, to change it
    tests/conformance/case.py pack NAME FOLDER       puts such a folder into the pack, as a new case too
    tests/conformance/case.py record NAME... --binary PATH [--mirror DIR]
                                                     records what OpenTofu does, in the pack
    tests/conformance/case.py remove NAME            takes a case out of its pack
    tests/conformance/case.py unpack-family FAMILY FOLDER
                                                     writes all suites of a family as they are, a case a line

A folder of a command-line case has case.json, in/, put/STEP/ and expect/; that of another case has case.json alone. A
new case of another kind than command lines needs --suite. Only command lines can be recorded: the answers of other
cases are written by hand.
"""
import argparse
import fnmatch
import json
import os
import sys

import cli_cases
import exact_json
import packs

CASE = "case.json"


def compact(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def found(name):
    """The suite that has a case, and its text."""
    place = packs.find(name)
    if place is None:
        sys.exit("no case %s; `list` prints the names" % name)
    return place


def is_command_line(suite):
    return suite.startswith("cli/")


def files_below(folder):
    """{path: text} of all files, in order."""
    out = {}
    for place, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(place, name)
            out[os.path.relpath(path, folder)] = cli_cases.read(path)
    return dict(sorted(out.items()))


def write_files(folder, files):
    for name, text in files.items():
        cli_cases.write(os.path.join(folder, name), text)


def folder_files(suite, line):
    """The files of the folder of a case: {path: text}."""
    if not is_command_line(suite):
        return {CASE: exact_json.dump(exact_json.load(line), 2, ordered=False) + "\n"}
    case = json.loads(line)
    files = {CASE: json.dumps(case["case"], ensure_ascii=False, indent=2) + "\n"}
    parts = {"in": case["in"], "expect": case["expect"]}
    parts.update(("put/" + step, laid) for step, laid in case.get("put", {}).items())
    for part, texts in parts.items():
        files.update(("%s/%s" % (part, name), text) for name, text in texts.items())
    return files


def command_line(name, folder):
    """The case that a folder has."""
    case = {"id": name, "case": json.loads(cli_cases.read(os.path.join(folder, CASE))),
            "in": files_below(os.path.join(folder, "in"))}
    put = os.path.join(folder, "put")
    if os.path.isdir(put):
        case["put"] = {step: files_below(os.path.join(put, step)) for step in sorted(os.listdir(put))}
    programs = [path for path in case["in"] if os.access(os.path.join(folder, "in", path), os.X_OK)]
    if programs:
        case["executable"] = programs
    case["expect"] = files_below(os.path.join(folder, "expect"))
    return compact(case)


def show(args):
    for name, text in sorted(folder_files(*found(args.name)).items()):
        print("=== " + name)
        print(text, end="" if text.endswith("\n") else "\n")


def list_names(args):
    for suite in packs.suites():
        for line in packs.lines(suite):
            name = packs.identity(line)
            if fnmatch.fnmatch(name, args.name or "*"):
                print("%s\t%s" % (suite, name))


def unpack(args):
    suite, line = found(args.name)
    if os.path.exists(args.folder):
        sys.exit("%s exists" % args.folder)
    write_files(args.folder, folder_files(suite, line))
    for name in json.loads(line).get("executable", []) if is_command_line(suite) else []:
        os.chmod(os.path.join(args.folder, "in", name), 0o755)


def pack(args):
    present = packs.find(args.name)
    suite = args.suite or (present[0] if present else "cli/" + args.name.split("/")[0])
    if is_command_line(suite):
        line = command_line(args.name, args.folder)
    else:
        line = exact_json.dump(exact_json.load(cli_cases.read(os.path.join(args.folder, CASE))), ordered=False)
        if packs.identity(line) != args.name:
            sys.exit("the case in %s is named %s" % (args.folder, packs.identity(line)))
    if present is None or present[1] != line:
        packs.put(suite, line)
    print("%s has %d cases" % (suite, len(packs.lines(suite))))


def record(args):
    program = cli_cases.Program(args.binary, args.mirror)
    for name in args.names:
        suite, line = found(name)
        if not is_command_line(suite):
            sys.exit("%s is no case of command lines" % name)
        case = json.loads(line)
        lacking = program.lacks(case["case"])
        if lacking:
            sys.exit("%s: no provider %s in the mirror" % (name, lacking))
        text = compact(cli_cases.recorded(case, program))
        print("%s: %s" % (name, "as before" if text == line else "changed"))
        if text != line:
            packs.put(suite, text)


def remove(args):
    packs.remove(found(args.name)[0], args.name)


def unpack_family(args):
    for suite in packs.suites(args.family):
        text = "".join(line + "\n" for line in packs.lines(suite))
        cli_cases.write(os.path.join(args.folder, suite + ".jsonl"), text)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    commands = parser.add_subparsers(required=True)
    for function, arguments in ((list_names, ["name"]), (show, ["name"]), (unpack, ["name", "folder"]),
                                (pack, ["name", "folder"]), (record, ["names"]), (remove, ["name"]),
                                (unpack_family, ["family", "folder"])):
        name = "list" if function is list_names else function.__name__.replace("_", "-")
        command = commands.add_parser(name)
        command.set_defaults(function=function)
        for argument in arguments:
            count = {"names": "+"}.get(argument, "?" if function is list_names else None)
            command.add_argument(argument, nargs=count)
        if function is pack:
            command.add_argument("--suite", help="FAMILY/SUITE of a new case")
        if function is record:
            command.add_argument("--binary", required=True)
            command.add_argument("--mirror")
    args = parser.parse_args()
    args.function(args)


if __name__ == "__main__":
    main()
