#!/usr/bin/env python3
"""Reads plan files where neither their providers nor their configuration are.

  portable_plans.py --binary PATH --mirror DIRECTORY [--reference tofu] [--library PATH]

A plan of the test provider is read in an empty directory, with an empty home directory: as text, as JSON, by query
and by check; the results equal those of its own directory. The same for an encrypted plan. OpenTofu, if there is one,
shows and applies the file. With --library (libkinu.so) the C interface reads the plans, those of OpenTofu as well.
Without the provider the test is skipped (exit code 77).
"""
import argparse
import ctypes
import json
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile

CONFIGURATION = """terraform {
  required_providers {
    kinutest = { source = "kinu/kinutest" }
  }
}
variable "name" { default = "n" }
resource "kinutest_thing" "a" {
  name   = var.name
  secret = "TOPSECRET"
  label { text = "first" }
  disk {
    size = 1
    partition { mount = "/" }
  }
}
output "id" { value = kinutest_thing.a.id }
"""
ENCRYPTION = """terraform {
  encryption {
    key_provider "pbkdf2" "k" {
      passphrase = "correct-horse-battery-staple"
      iterations = 200000
    }
    method "aes_gcm" "m" {
      keys = key_provider.pbkdf2.k
    }
    plan {
      method = method.aes_gcm.m
    }
  }
}
"""
CHECKS = """check "planned" {
  plan {
    expect_resource_action {
      address = "kinutest_thing.a"
      action  = "Create"
    }
  }
}
"""
READERS = [["show", "-no-color", "p"], ["show", "-json", "p"], ["show", "-summary", "p"],
           ["query", "$.resource_changes[*].change.after", "p"],
           ["check", "-plan=p", "c.kinucheck.hcl"]]
ADVICE = "run \"tofu init\""


class Test:
    def __init__(self, args, root):
        self.args, self.root = args, root
        self.failures = 0
        self.config = os.path.join(root, "cli.tfrc")
        with open(self.config, "w", encoding="utf-8") as file:
            file.write('provider_installation {\n  filesystem_mirror {\n    path = "%s"\n  }\n}\n'
                       % os.path.abspath(args.mirror))

    def write(self, directory, name, text):
        os.makedirs(os.path.join(self.root, directory), exist_ok=True)
        with open(os.path.join(self.root, directory, name), "w", encoding="utf-8") as file:
            file.write(text)

    def run(self, directory, words, binary=None, alone=False, level=""):
        environment = {"PATH": os.environ.get("PATH", ""), "KINU_COMPATIBILITY": level,
                       "HOME": os.path.join(self.root, "home-alone" if alone else "home")}
        if not alone:
            environment["TF_CLI_CONFIG_FILE"] = self.config
        os.makedirs(environment["HOME"], exist_ok=True)
        return subprocess.run([binary or self.args.binary, *words], env=environment,
                              cwd=os.path.join(self.root, directory), stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=120, check=False)

    def expect(self, good, what):
        if not good:
            self.failures += 1
            print("FAIL", what)

    def must(self, done, what):
        self.expect(done.returncode == 0, "%s: %s%s" % (what, done.stdout, done.stderr))

    def read_elsewhere(self, directory, elsewhere, without=""):
        """Compares what the readers print in the plan's directory and in another one, whose copy lacks an entry."""
        self.write(elsewhere, "c.kinucheck.hcl", CHECKS)
        self.write(directory, "c.kinucheck.hcl", CHECKS)
        given, copy = (os.path.join(self.root, place, "p") for place in (directory, elsewhere))
        shutil.copy(given, copy)
        if without:
            with zipfile.ZipFile(given) as whole, zipfile.ZipFile(copy, "w") as part:
                for name in whole.namelist():
                    if name != without:
                        part.writestr(name, whole.read(name))
        for words in READERS:
            there, here = self.run(directory, words), self.run(elsewhere, words, alone=True)
            self.must(here, "%s in %s" % (words, elsewhere))
            self.expect(there.stdout == here.stdout, "%s differs in %s:\n%s\n%s"
                        % (words, elsewhere, there.stdout, here.stdout))
            self.expect("show" != words[0] or "-json" in words or "TOPSECRET" not in here.stdout,
                        "%s shows a secret" % words)


def of_1_13(test):
    """A plan with schemas as OpenTofu 1.13 stores them, without those of kinu."""
    test.write("next", "main.tf", CONFIGURATION)
    test.must(test.run("next", ["init"]), "init at 1.13")
    test.must(test.run("next", ["plan", "-out=p"], level="1.13"), "plan at 1.13")
    test.read_elsewhere("next", "elsewhere-next", without="kinu-schemas")


def portable(test):
    test.write("work", "main.tf", CONFIGURATION)
    test.must(test.run("work", ["init"]), "init")
    test.must(test.run("work", ["plan", "-out=p"]), "plan")
    test.read_elsewhere("work", "elsewhere")
    names = zipfile.ZipFile(os.path.join(test.root, "work", "p"))
    size = names.getinfo("kinu-schemas").compress_size
    whole = len(test.run("work", ["providers", "schema", "-json"]).stdout)
    test.expect(size < 4096 and size < whole, "the schemas have %d bytes" % size)
    # Schemas that are damaged are no crash.
    for content in (b"", b"\xff" * 40, b"\x0a\x03abc"):
        path = os.path.join(test.root, "elsewhere", "p")
        with zipfile.ZipFile(path, "w") as out:
            for name in names.namelist():
                out.writestr(name, content if name == "kinu-schemas" else names.read(name))
        done = test.run("elsewhere", ["show", "-no-color", "p"], alone=True)
        test.expect(done.returncode == 1 and "Plan read error" in done.stderr,
                    "damaged schemas: %d %s" % (done.returncode, done.stderr))
    # Without schemas the error says what to do.
    with zipfile.ZipFile(os.path.join(test.root, "elsewhere", "p"), "w") as out:
        for name in names.namelist():
            if name != "kinu-schemas":
                out.writestr(name, names.read(name))
    done = test.run("elsewhere", ["show", "-no-color", "p"], alone=True)
    test.expect(done.returncode == 1 and ADVICE in " ".join(done.stderr.replace("│", " ").split()),
                "no advice: " + done.stderr)


class Text(ctypes.Structure):
    _fields_ = [("data", ctypes.c_char_p), ("size", ctypes.c_size_t)]


class Problem(ctypes.Structure):
    _fields_ = [("is_error", ctypes.c_int), ("summary", Text), ("detail", Text), ("file", Text),
                ("places", ctypes.c_uint32 * 6)]


class Library:
    """What the C interface has for plan files."""

    def __init__(self, path):
        self.c = ctypes.CDLL(path)
        for name in ("kinu_document_select", "kinu_plan_file"):
            getattr(self.c, name).restype = Text
        self.c.kinu_document_open.restype = ctypes.c_void_p

    def document(self, path):
        """The document of a file, or the details of the problems."""
        problems = ctypes.c_void_p()
        document = self.c.kinu_document_open(path.encode(), ctypes.byref(problems))
        if not document:
            return self.details(problems)
        found = self.c.kinu_document_select(ctypes.c_void_p(document), b"$", 1, None)
        value = json.loads(found.data)[0]["value"]
        self.c.kinu_text_release(found)
        self.c.kinu_document_release(ctypes.c_void_p(document))
        return value

    def details(self, problems):
        details, problem = "", Problem()
        while self.c.kinu_problems_at(problems, ctypes.c_size_t(details.count("\0")), ctypes.byref(problem)):
            details += problem.detail.data.decode() + "\0"
        self.c.kinu_problems_release(problems)
        return details

    def plan_file(self, path):
        with open(path, "rb") as file:
            content = file.read()
        found = self.c.kinu_plan_file(content, ctypes.c_size_t(len(content)), 1, None)
        value = json.loads(found.data) if found.data else {}
        self.c.kinu_text_release(found)
        return value


def expect_outline(test, plan, what):
    """What every plan file of CONFIGURATION has."""
    test.expect([(change["address"], change["actions"]) for change in plan.get("changes", ())] ==
                [("kinutest_thing.a", ["create"])], "%s has other changes: %r" % (what, plan))
    test.expect([source["text"] for source in plan.get("sources", ())] == [CONFIGURATION], what + " has other sources")
    test.expect(plan.get("backend", {}).get("type") == "local", what + " has another backend")


def by_library(test, library):
    path = os.path.join(test.root, "work", "p")
    shown = json.loads(test.run("work", ["show", "-json", "p"]).stdout)
    test.expect(library.document(path) == shown, "the library reads another document")
    plan = library.plan_file(path)
    test.expect(plan.get("has_schemas") is True, "the plan file has no schemas")
    expect_outline(test, plan, "the plan")
    # Without schemas there is all but the values, and the error says what to do.
    bare = os.path.join(test.root, "elsewhere", "p")
    problem = library.document(bare)
    test.expect("show -json" in problem and "schemas" in problem, "no advice: %r" % problem)
    plan = library.plan_file(bare)
    test.expect(plan.get("has_schemas") is False, "the plan file has schemas")
    expect_outline(test, plan, "the plan without schemas")


def sealed(test):
    test.write("sealed", "main.tf", CONFIGURATION)
    test.write("sealed", "encryption.tf", ENCRYPTION)
    test.must(test.run("sealed", ["init"]), "init")
    test.must(test.run("sealed", ["plan", "-out=p"]), "sealed plan")
    with open(os.path.join(test.root, "sealed", "p"), "rb") as file:
        content = file.read()
    test.expect(b"kinu-schemas" not in content, "the schemas are outside of the seal")
    test.write("sealed-elsewhere", "encryption.tf", ENCRYPTION)
    test.read_elsewhere("sealed", "sealed-elsewhere")


def with_reference(test, reference, library):
    shown = test.run("work", ["show", "-no-color", "p"], binary=reference)
    test.must(shown, "tofu show")
    test.expect(shown.stdout == test.run("work", ["show", "-no-color", "p"]).stdout,
                "tofu shows another text")
    document = json.loads(test.run("work", ["show", "-json", "p"], binary=reference).stdout)
    test.expect(document["resource_changes"][0]["address"] == "kinutest_thing.a", "tofu show -json")
    if library is not None:
        test.must(test.run("work", ["plan", "-out=theirs"], binary=reference), "tofu plan")
        path = os.path.join(test.root, "work", "theirs")
        test.expect("show -json" in library.document(path), "no advice for a plan of tofu")
        expect_outline(test, library.plan_file(path), "the plan of tofu")
    test.must(test.run("work", ["apply", "-no-color", "p"], binary=reference), "tofu apply")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--binary", required=True)
    parser.add_argument("--mirror", required=True)
    parser.add_argument("--reference", default=shutil.which("tofu"))
    parser.add_argument("--library")
    args = parser.parse_args()
    args.binary = os.path.abspath(args.binary)
    if not os.path.isdir(os.path.join(args.mirror, "registry.opentofu.org/kinu/kinutest")):
        print("the test provider is not built: skipped")
        return 77
    with tempfile.TemporaryDirectory(prefix="portable-") as root:
        test = Test(args, root)
        portable(test)
        of_1_13(test)
        library = Library(args.library) if args.library else None
        if library is not None:
            by_library(test, library)
        sealed(test)
        if args.reference:
            with_reference(test, args.reference, library)
        else:
            print("there is no tofu: its part is skipped")
        print("%d failed" % test.failures)
        return 1 if test.failures else 0


if __name__ == "__main__":
    sys.exit(main())
