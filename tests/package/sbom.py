#!/usr/bin/env python3
"""The list of libraries (packaging/libraries.json) and the bills of materials that are made from it.

    tests/package/sbom.py --binary PROGRAM --modules DIRECTORY [--tools DIRECTORY]

The list must have all that CMake's files, the sources and the files of a build use, and nothing else: it is also tried
with rows taken away and added. `about -sbom` must print what the list says. With --tools, the validators of SPDX and of
CycloneDX (requirements.txt, installed into that directory) read both documents, that of in-toto a statement of
tools/provenance.py, and all of them damaged ones; exit 77 without them.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
import venv

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, "tools"))
import bundled  # noqa: E402
import sbom  # noqa: E402

failures = []


def expect(holds, message):
    if not holds:
        failures.append(message)
        print("FAILED: " + message)


def problems_with(change):
    """What the check says of this tree with a changed list."""
    with tempfile.TemporaryDirectory() as root:
        for name in ("src", "include", "python", "cmake", "docs", "CMakeLists.txt"):
            os.symlink(os.path.join(ROOT, name), os.path.join(root, name))
        os.mkdir(os.path.join(root, "packaging"))
        rows = bundled.libraries()
        change(rows)
        with open(os.path.join(root, bundled.LIST), "w", encoding="utf-8") as file:
            json.dump({"libraries": rows}, file)
        return bundled.check(root)


def without(name):
    def change(rows):
        rows[:] = [row for row in rows if row["name"] != name]
    return change


def test_list(options):
    for problem in bundled.check() + bundled.unknown_files([options.binary, options.modules]):
        expect(False, problem)
    for name, said in (("libssh", "src/providers/remote/CMakeLists.txt: no row of packaging/libraries.json has libssh"),
                       ("mimalloc", "no row of packaging/libraries.json has mimalloc"),
                       ("RE2", "no row of packaging/libraries.json has re2"),
                       ("robin-map", "has the header tsl/robin_map.h"),
                       ("xxHash", "docs/layers.txt: no row of packaging/libraries.json has the header xxhash.h")):
        expect(any(said in problem for problem in problems_with(without(name))), "a list without %s: %s" % (name, said))
    unused = problems_with(lambda rows: rows.append({"name": "x", "package": "x", "license": "MIT", "source": "-",
                                                     "linked": "static", "cmake": ["libx"]}))
    expect(unused == ["packaging/libraries.json: nothing in CMake's files looks for libx"], str(unused))
    unnamed = problems_with(lambda rows: rows[0].pop("license"))
    expect(unnamed == ["packaging/libraries.json: %s has no license" % bundled.libraries()[0]["name"]], str(unnamed))
    for written, version in (("2:6.2.1+dfsg1-1.1", "6.2.1"), ("1.52.0-1+deb12u3", "1.52.0"), ("2.0.9+ds-2", "2.0.9"),
                             ("3.0.19-1~deb12u2", "3.0.19"), ("1:1.2.13.dfsg-1", "1.2.13")):
        expect(bundled.upstream(written) == version, "%s is %s" % (written, bundled.upstream(written)))


def printed(options, form):
    done = subprocess.run([options.binary, "about", "-sbom=" + form], check=True, stdout=subprocess.PIPE)
    return json.loads(done.stdout)


def test_program(options):
    rows = [row for row in bundled.libraries() if row["linked"] != "python"]
    spdx, cyclonedx = printed(options, "spdx"), printed(options, "cyclonedx")
    wanted = {(row["name"], row["license"]) for row in rows}
    in_spdx = {(each["name"], each["licenseDeclared"]) for each in spdx["packages"][1:]}
    in_cyclonedx = {(each["name"], each["licenses"][0]["expression"]) for each in cyclonedx["components"]}
    expect(wanted == in_spdx, "SPDX: %s" % (wanted ^ in_spdx))
    expect(wanted == in_cyclonedx, "CycloneDX: %s" % (wanted ^ in_cyclonedx))
    expect(printed(options, "spdx") == json.loads(subprocess.run(
        [options.binary, "about", "-sbom"], check=True, stdout=subprocess.PIPE).stdout), "SPDX is what -sbom gives alone")
    about = json.loads(subprocess.run([options.binary, "about", "-json"], check=True, stdout=subprocess.PIPE).stdout)
    expect([each["name"] for each in about["libraries"]] == [row["name"] for row in rows if row["linked"] not in ("carried", "image", "git-image")],
           "about -json names %s" % about["libraries"])
    for entry in cyclonedx["components"]:
        static = "kinu:linked=static" in ["%(name)s=%(value)s" % each for each in entry["properties"]]
        shown = [each["dynamic"] for each in about["libraries"] if each["name"] == entry["name"]]
        expect(not (static and True in shown), "%s is linked statically, about -json says otherwise" % entry["name"])
    again = sbom.spdx(sbom.components(False), "1.2.3", "2026-01-02T03:04:05Z")
    expect(again == sbom.spdx(sbom.components(False), "1.2.3", "2026-01-02T03:04:05Z"), "equal inputs, equal documents")
    other = sbom.spdx(sbom.components(True), "1.2.3", "2026-01-02T03:04:05Z")
    expect(again["documentNamespace"] != other["documentNamespace"], "other contents have another namespace")


def installed_tools(directory):
    """The Python of an environment with the validators, or None."""
    python = os.path.join(directory, "environment", "bin", "python")
    listed = os.path.join(HERE, "requirements.txt")
    stamp = os.path.join(directory, "environment", "requirements.txt")
    wanted = bundled.read(HERE, "requirements.txt")
    if os.path.exists(stamp) and bundled.read("", stamp) == wanted:
        return python
    try:
        venv.create(os.path.dirname(os.path.dirname(python)), clear=True, with_pip=True)
        subprocess.run([python, "-m", "pip", "install", "-q", "--retries=0", "--timeout=5", "-r", listed], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=240)
    except (OSError, subprocess.SubprocessError):
        return None
    with open(stamp, "w", encoding="utf-8") as file:
        file.write(wanted)
    return python


VALIDATE = r"""
import sys
kind, path = sys.argv[1:]
if kind == "spdx":
    from spdx_tools.spdx.parser.error import SPDXParsingError
    from spdx_tools.spdx.parser.parse_anything import parse_file
    from spdx_tools.spdx.validation.document_validator import validate_full_spdx_document
    try:
        said = [each.validation_message for each in validate_full_spdx_document(parse_file(path), "SPDX-2.3")]
    except SPDXParsingError as problem:
        said = problem.get_messages()
elif kind == "statement":
    import json
    from google.protobuf import json_format
    from in_toto_attestation.predicates.provenance.v1 import provenance_pb2
    from in_toto_attestation.v1 import statement_pb2
    from in_toto_attestation.v1.statement import Statement
    said, text = [], open(path, encoding="utf-8").read()
    try:
        Statement.copy_from_pb(json_format.Parse(text, statement_pb2.Statement())).validate()
        json_format.ParseDict(json.loads(text)["predicate"], provenance_pb2.Provenance())
    except (json_format.ParseError, ValueError) as problem:
        said = [str(problem)]
else:
    from cyclonedx.schema import SchemaVersion
    from cyclonedx.validation.json import JsonStrictValidator
    problem = JsonStrictValidator(SchemaVersion.V1_6).validate_str(open(path, encoding="utf-8").read())
    said = [str(problem)] if problem else []
print("\n".join(each[:300] for each in said))
"""


def validate(python, kind, document, folder):
    path = os.path.join(folder, {"spdx": "bill.spdx.json", "cyclonedx": "bill.cdx.json"}.get(kind, kind + ".json"))
    with open(path, "w", encoding="utf-8") as file:
        json.dump(document, file)
    return subprocess.run([python, "-c", VALIDATE, kind, path], check=True, stdout=subprocess.PIPE, text=True).stdout.strip()


def test_statement(python, folder):
    release = os.path.join(folder, "release")
    os.mkdir(release)
    with open(os.path.join(release, "kinu_0.1.0_amd64.deb"), "w", encoding="utf-8") as file:
        file.write("contents")
    subprocess.run([sys.executable, os.path.join(ROOT, "tools", "provenance.py"), release, "--version", "0.1.0", "--commit",
                    "0123456789abcdef", "--time", "2026-01-02T03:04:05Z"], check=True)
    with open(os.path.join(release, "kinu-0.1.0.intoto.json"), encoding="utf-8") as file:
        document = json.load(file)
    said = validate(python, "statement", document, folder)
    expect(said == "", "in-toto: %s" % said)
    document["predicate"]["buildDefinition"]["no such key"] = 1
    expect(validate(python, "statement", document, folder) != "", "in-toto: a damaged predicate is valid")
    del document["predicate"]["buildDefinition"]["no such key"]
    document["subject"][0]["digest"] = {}
    expect(validate(python, "statement", document, folder) != "", "in-toto: a subject without a digest is valid")


def test_tools(options):
    python = installed_tools(options.tools)
    if python is None:
        print("tests/package/sbom.py: skipped: the validators cannot be installed")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        for kind, key in (("spdx", "packages"), ("cyclonedx", "components")):
            document = printed(options, kind)
            said = validate(python, kind, document, folder)
            expect(said == "", "%s: %s" % (kind, said))
            if kind == "spdx":
                document[key][3]["licenseDeclared"] = "No such licence!"
            else:
                document[key][3]["type"] = "no such type"
            expect(validate(python, kind, document, folder) != "", "%s: a damaged document is valid" % kind)
        test_statement(python, folder)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", required=True)
    parser.add_argument("--modules", required=True)
    parser.add_argument("--tools")
    options = parser.parse_args()
    if options.tools:
        test_tools(options)
    else:
        test_list(options)
        test_program(options)
    print("sbom: %s" % ("%d failed" % len(failures) if failures else "ok"))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
