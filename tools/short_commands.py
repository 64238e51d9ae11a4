#!/usr/bin/env python3
"""Lists the functions that short commands run, most common first, for the layout of the next release build.

    tools/short_commands.py PROGRAM [--with-provider DIRECTORY] > build/profile/short_commands.txt

PROGRAM is of the preset `recording`: valgrind finds no symbols in sections of other names. It runs under callgrind with a small project, and with one of a provider where the plugin directory DIRECTORY holds
hashicorp/null. docs/decisions/0058-code-of-short-commands.md says what the list is for.
"""
import argparse
import collections
import os
import re
import subprocess
import sys
import tempfile

MAIN = """variable "name" {
  default = "x"
}
resource "terraform_data" "a" {
  input = "${var.name}-1"
}
resource "terraform_data" "b" {
  count = 2
  input = { id = terraform_data.a.id, at = count.index, name = upper(var.name) }
}
output "ids" {
  value = terraform_data.b[*].id
}
"""
PROVIDED = """terraform {
  required_providers {
    null = { source = "hashicorp/null" }
  }
}
resource "null_resource" "a" {
  triggers = { a = "1" }
}
"""
LIFE = [
    ["version"], ["init"], ["fmt", "-check"], ["validate"], ["validate", "-json"], ["plan"], ["plan", "-out=p"],
    ["show", "p"], ["show", "-json", "p"], ["apply", "p"], ["plan", "-json"], ["plan", "-out=q", "-json"], ["output"],
    ["output", "-json"], ["show"], ["show", "-json"], ["state", "list"], ["state", "show", "ADDRESS"], ["refresh"],
    ["providers", "schema", "-json"], ["workspace", "list"], ["apply", "-auto-approve", "-json"],
    ["destroy", "-auto-approve"],
]
# What a compiler adds to the name of a copy or a part of a function.
ENTRY = re.compile(r"(c?(?:fn|ob))=(\(\d+\))\s*(\S*)")
COPY = re.compile(r"\.(constprop|isra|part|cold|lto_priv)(\.\d+)?")


def section_name(name):
    """The name that the section of a function has: complete constructors and destructors are those of bases."""
    name = COPY.sub("", name.partition("'")[0])  # "name'2" is a call inside of a call
    return re.sub(r"([CD])1(?=E)", r"\g<1>2", name)


def executed(program, folder, arguments):
    """The names of the functions of the program that a command runs, as their sections have them."""
    out = os.path.join(folder, "callgrind.out")
    environment = {name: value for name, value in os.environ.items() if not name.startswith("TF_")}
    environment["HOME"] = folder
    environment["GCOV_PREFIX"] = folder  # these runs are no part of the profile
    subprocess.run(["valgrind", "-q", "--tool=callgrind", "--demangle=no", "--callgrind-out-file=" + out, program]
                   + arguments, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL, check=True)
    names, objects, functions = set(), {}, {}
    in_program = False
    with open(out, encoding="utf-8", errors="replace") as file:
        for line in file:
            # "fn=(12) name" where the name is first met, also as a callee; "fn=(12)" afterwards.
            entry = ENTRY.match(line)
            if not entry:
                continue
            kind, number, text = entry.groups()
            table = objects if kind.endswith("ob") else functions
            if text:
                table[number] = text
            if kind == "ob":
                in_program = objects[number] == program
            elif kind == "fn" and in_program:
                names.add(functions[number])
    os.remove(out)
    return {name for name in map(section_name, names) if name.isidentifier()}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--with-provider")
    options = parser.parse_args()
    program = os.path.realpath(options.program)
    projects = [(MAIN, "terraform_data.a", [])]
    if options.with_provider:
        plugins = ["-plugin-dir=" + os.path.abspath(options.with_provider)]
        projects.append((PROVIDED, "null_resource.a", plugins))
    commands = collections.Counter()
    for text, address, plugins in projects:
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "main.tf"), "w", encoding="utf-8") as file:
                file.write(text)
            for words in LIFE:
                words = [address if word == "ADDRESS" else word for word in words]
                print(" ".join(words), file=sys.stderr)
                commands.update(executed(program, folder, words + (plugins if words == ["init"] else [])))
    for name, _ in sorted(commands.items(), key=lambda item: (-item[1], item[0])):
        print(name)


if __name__ == "__main__":
    main()
