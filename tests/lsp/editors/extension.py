#!/usr/bin/env python3
"""Tests the files of the extension for VS Code.

    tests/lsp/editors/extension.py --binary KINU --work DIRECTORY --packages DIRECTORY [--update]

DIRECTORY of --work keeps the packages of the tests, that of --packages is where `make vscode` packs. What npm must
install first is skipped where it cannot. Colours of colours.tofu are those of recorded/colours.json.
"""
import argparse
import glob
import json
import os
import re
import subprocess
import sys
import tempfile
import types
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
from clients import EXTENSION, ROOT, Unavailable, node_packages  # noqa: E402
from editors import compare  # noqa: E402

# Settings of the extension itself.
OWN = ("kinu.path", "kinu.trace.server")
# What a package may have of its dependencies.
DEPENDENCY = re.compile(
    r"extension/node_modules/.*(\.js|\.sh|/package\.json|/[Ll][Ii][Cc][Ee][Nn][Ss][Ee][^/]*)$")


def read(*names):
    with open(os.path.join(*names), encoding="utf-8") as handle:
        return handle.read()


def read_json(*names):
    return json.loads(read(*names))


def expect(found, expected):
    if found != expected:
        raise AssertionError("%r, expected %r" % (found, expected))


def test_settings(_):
    """The settings are those of the server, with their texts and defaults."""
    settings = read_json(EXTENSION, "package.json")["contributes"]["configuration"]["properties"]
    schema = read_json(ROOT, "docs", "schemas", "lsp-settings.json")["properties"]
    expect({name: value for name, value in settings.items() if name not in OWN},
           {"kinu." + name: dict(value, scope="window") for name, value in schema.items()})
    readme = read(EXTENSION, "README.md")
    expect([name for name in settings if "`%s`" % name not in readme], [])


def test_files(_):
    """Files that the manifest names are there; languages have a grammar, and the server hears of all files."""
    manifest = read_json(EXTENSION, "package.json")
    made = manifest["contributes"]
    named = [manifest["main"]] + [entry.get("configuration") for entry in made["languages"]] + \
        [entry["path"] for entry in made["grammars"] + made["snippets"]]
    expect([name for name in named if name and not os.path.exists(os.path.join(EXTENSION, name))], [])
    own = [entry["id"] for entry in made["languages"] if entry["id"] != "json"]
    expect([entry["language"] for entry in made["grammars"]], own)
    expect(sorted(made["configurationDefaults"]), sorted("[%s]" % name for name in own))
    extensions = sorted(end for entry in made["languages"] for end in entry["extensions"])
    expect(extensions, sorted([".tf", ".tofu", ".tfvars", ".tftest.hcl", ".tofutest.hcl", ".tf.json", ".tofu.json",
                               ".tfvars.json", ".tftest.json", ".tofutest.json"]))
    code = read(EXTENSION, "extension.js")
    expect(json.loads(re.search(r"LANGUAGES = (\[.*\]);", code).group(1)), own)
    expect(sorted("." + end for end in re.search(r"JSON_FILES = .*\{(.*)\}", code).group(1).split(",")),
           [end for end in extensions if end.endswith(".json")])
    expect(read_json(EXTENSION, "package-lock.json")["version"], manifest["version"])


def expanded(body):
    """A snippet's text as it is when the user changes nothing."""
    text = "\n".join(body)
    values = dict(re.findall(r"\$\{(\d+):([^{}]*)\}", text))
    text = re.sub(r"\$\{(\d+)\|([^,|]*)[^}]*\}", r"\2", text)
    text = re.sub(r"\$\{\d+:((?:[^{}]|\$\d)*)\}", r"\1", text)
    text = re.sub(r"(= +)\$\{\d+\}", r"\1null", text)  # a value that the user writes
    text = re.sub(r"\$\{\d+\}|\$0", "", text)
    text = re.sub(r"\$(\d+)", lambda match: values[match.group(1)], text)
    return re.sub(r"(?m)^ +$\n?", "", text).rstrip("\n") + "\n"


def test_snippets(args):
    """Snippets are configurations in the canonical format."""
    for name, snippet in read_json(EXTENSION, "snippets", "blocks.json").items():
        text = expanded(snippet["body"])
        done = subprocess.run([args.binary, "fmt", "-"], input=text, capture_output=True, text=True)
        expect((name, done.returncode, done.stdout), (name, 0, text))
        expect(snippet["prefix"] in text, True)


def configurations(binary, folder):
    """Writes the configurations of the tree's case files that have no error in their syntax. Returns their paths."""
    paths = []
    for case in sorted(glob.glob(os.path.join(ROOT, "tests", "cases", "**", "*.case"), recursive=True)):
        parts = re.split(r"(?m)^=== *([^\n]*)\n", read(case))
        for name, text in zip(parts[1::2], parts[2::2]):
            if re.search(r"^file .*\.(tf|tofu|tfvars|tftest\.hcl|tofutest\.hcl)$", name):
                path = os.path.join(folder, "%d-%s" % (len(paths), os.path.basename(name.split()[-1])))
                with open(path, "w", encoding="utf-8") as handle:
                    handle.write(text)
                paths.append(path)
    done = subprocess.run([binary, "fmt", "-write=false", "-list=false", "-no-color"] + paths, cwd=folder,
                          capture_output=True, text=True)
    bad = set(re.findall(r"\b(\d+-[^\s:\"]*)", done.stderr))
    return [path for path in paths if os.path.basename(path) not in bad]


def test_grammar(args):
    with tempfile.TemporaryDirectory(prefix="colours-") as folder:
        seen_file = os.path.join(folder, "seen.json")
        files = configurations(args.binary, folder)
        files += [os.path.join(ROOT, name) for name in subprocess.run(
            ["git", "ls-files", "examples/*.tf", "docs/*.tf", "docs/*.tofu"], cwd=ROOT, capture_output=True,
            text=True).stdout.split()]
        environment = dict(os.environ, EDITOR_SEEN=seen_file,
                           **node_packages(types.SimpleNamespace(work=os.path.abspath(args.work))))
        sample = os.path.join(HERE, "colours.tofu")
        subprocess.run(["node", os.path.join(HERE, "grammar.js"), EXTENSION, sample] + files, env=environment, check=True)
        seen = read_json(seen_file)
    print("%d files coloured" % len(files))
    expect(len(files) > 500, True)
    expect(seen.pop("faults"), [])
    found = compare(seen, "colours", args.update)
    expect(found, [])


def test_package(args):
    """What `make vscode` packs: the extension, and of its dependencies what runs."""
    if not os.path.exists(os.path.join(args.packages, "packaging", "node_modules", ".bin", "vsce")):
        raise Unavailable("vsce is not installed (make vscode)")
    subprocess.run([os.path.join(ROOT, "tools", "vscode.sh"), args.packages], check=True, capture_output=True)
    version = read_json(EXTENSION, "package.json")["version"]
    with zipfile.ZipFile(os.path.join(args.packages, "kinu-%s.vsix" % version)) as package:
        names = package.namelist()
        size = sum(entry.compress_size for entry in package.infolist())
    own = sorted(name for name in names if "/node_modules/" not in name)
    expect(own, sorted(["[Content_Types].xml", "extension.vsixmanifest"] + ["extension/" + name for name in (
        "LICENSE.txt", "extension.js", "language-configuration.json", "package.json", "readme.md",
        "snippets/blocks.json", "syntaxes/opentofu.tmLanguage.json")]))
    rest = [name for name in names if "/node_modules/" in name]
    expect([name for name in rest if not DEPENDENCY.match(name)], [])
    lock = read_json(EXTENSION, "package-lock.json")["packages"]
    wanted = sorted(path for path, entry in lock.items() if path and not entry.get("dev"))
    expect([path for path in wanted if "extension/%s/package.json" % path not in rest], [])
    expect(size < 600000, True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", required=True)
    parser.add_argument("--work", required=True)
    parser.add_argument("--packages", required=True)
    parser.add_argument("--update", action="store_true")
    args = parser.parse_args()
    args.binary, args.packages = os.path.abspath(args.binary), os.path.abspath(args.packages)
    passed = failed = skipped = 0
    for name, run in [(name, run) for name, run in globals().items() if name.startswith("test_")]:
        try:
            run(args)
            passed += 1
        except Unavailable as error:
            skipped += 1
            print("%s: %s, skipped" % (name, error))
        except (AssertionError, subprocess.CalledProcessError) as error:
            failed += 1
            print("%s: %s" % (name, error))
    print("%d passed, %d failed, %d skipped" % (passed, failed, skipped))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
