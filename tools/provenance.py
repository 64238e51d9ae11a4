#!/usr/bin/env python3
"""Says of the files of a release where they come from, lists their digests and signs the list.

    tools/provenance.py DIRECTORY --version VERSION --commit COMMIT [--key KEY] [--builder URI] [--time TIME]

Writes into the directory:
    kinu-VERSION.intoto.json   an in-toto statement with SLSA's provenance (v1) about all files
    SHA256SUMS                 the digests of all files
    SHA256SUMS.asc             a detached OpenPGP signature of that, by KEY of gpg; without KEY there is none
tools/verify_release.sh reads them. Equal files give equal statements and lists.
"""
import argparse
import hashlib
import json
import os
import subprocess

import bundled

SUMS, SIGNATURE = "SHA256SUMS", "SHA256SUMS.asc"
BUILD_TYPE = "https://kinu.invalid/build/make-release/v1"
BUILDER = "https://kinu.invalid/builders/make-release"


def statement_name(version):
    return "kinu-%s.intoto.json" % version


def digest(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def files_of(directory, *without):
    return [name for name in sorted(os.listdir(directory)) if name not in without]


def statement(directory, options):
    """An in-toto statement, with a subject on each line (tools/verify_release.sh reads it by lines)."""
    name = statement_name(options.version)
    subjects = [{"name": each, "digest": {"sha256": digest(os.path.join(directory, each))}}
                for each in files_of(directory, name, SUMS, SIGNATURE)]
    packages = [{"uri": "pkg:deb/debian/%s@%s" % (package, version)} for package, version in sorted(bundled.pins().items())]
    predicate = {
        "buildDefinition": {
            "buildType": BUILD_TYPE,
            "externalParameters": {"command": "make release VERSION=" + options.version, "version": options.version},
            "internalParameters": {},
            "resolvedDependencies": [{"uri": "git+https://kinu.invalid/kinu", "digest": {"gitCommit": options.commit}},
                                     *packages]},
        "runDetails": {"builder": {"id": options.builder}, "metadata": {"startedOn": options.time} if options.time else {}}}
    lines = ",\n".join("  " + json.dumps(each) for each in subjects)
    return ('{\n "_type": "https://in-toto.io/Statement/v1",\n "subject": [\n%s\n ],\n'
            ' "predicateType": "https://slsa.dev/provenance/v1",\n "predicate": %s\n}\n' % (lines, json.dumps(predicate)))


def write(directory, name, text):
    with open(os.path.join(directory, name), "w", encoding="utf-8") as file:
        file.write(text)


def sign(directory, key):
    subprocess.run(["gpg", "--batch", "--yes", "--quiet", "--local-user", key, "--armor", "--detach-sign",
                    "--output", os.path.join(directory, SIGNATURE), os.path.join(directory, SUMS)], check=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("directory")
    parser.add_argument("--version", required=True)
    parser.add_argument("--commit", required=True)
    parser.add_argument("--key")
    parser.add_argument("--builder", default=BUILDER)
    parser.add_argument("--time")
    options = parser.parse_args()
    directory = options.directory
    if os.path.exists(os.path.join(directory, SIGNATURE)):
        os.remove(os.path.join(directory, SIGNATURE))
    write(directory, statement_name(options.version), statement(directory, options))
    write(directory, SUMS, "".join("%s  %s\n" % (digest(os.path.join(directory, name)), name)
                                   for name in files_of(directory, SUMS)))
    if options.key:
        sign(directory, options.key)


if __name__ == "__main__":
    main()
