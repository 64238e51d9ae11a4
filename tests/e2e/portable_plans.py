#!/usr/bin/env python3
"""Reads plan files where neither their providers nor their configuration are.

  portable_plans.py --binary PATH --mirror DIRECTORY [--reference tofu]

A plan of the test provider is read in an empty directory, with an empty home directory: as text, as JSON, by query
and by check; the results equal those of its own directory. The same for an encrypted plan. OpenTofu, if there is one,
shows and applies the file. Without the provider the test is skipped (exit code 77).
"""
import argparse
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

    def run(self, directory, words, binary=None, alone=False):
        environment = {"PATH": os.environ.get("PATH", ""),
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

    def read_elsewhere(self, directory, elsewhere):
        """Compares what the readers print in the plan's directory and in another one."""
        self.write(elsewhere, "c.kinucheck.hcl", CHECKS)
        self.write(directory, "c.kinucheck.hcl", CHECKS)
        shutil.copy(os.path.join(self.root, directory, "p"), os.path.join(self.root, elsewhere, "p"))
        for words in READERS:
            there, here = self.run(directory, words), self.run(elsewhere, words, alone=True)
            self.must(here, "%s in %s" % (words, elsewhere))
            self.expect(there.stdout == here.stdout, "%s differs in %s:\n%s\n%s"
                        % (words, elsewhere, there.stdout, here.stdout))
            self.expect("show" != words[0] or "-json" in words or "TOPSECRET" not in here.stdout,
                        "%s shows a secret" % words)


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


def with_reference(test, reference):
    shown = test.run("work", ["show", "-no-color", "p"], binary=reference)
    test.must(shown, "tofu show")
    test.expect(shown.stdout == test.run("work", ["show", "-no-color", "p"]).stdout,
                "tofu shows another text")
    document = json.loads(test.run("work", ["show", "-json", "p"], binary=reference).stdout)
    test.expect(document["resource_changes"][0]["address"] == "kinutest_thing.a", "tofu show -json")
    test.must(test.run("work", ["apply", "-no-color", "p"], binary=reference), "tofu apply")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--binary", required=True)
    parser.add_argument("--mirror", required=True)
    parser.add_argument("--reference", default=shutil.which("tofu"))
    args = parser.parse_args()
    args.binary = os.path.abspath(args.binary)
    if not os.path.isdir(os.path.join(args.mirror, "registry.opentofu.org/kinu/kinutest")):
        print("the test provider is not built: skipped")
        return 77
    with tempfile.TemporaryDirectory(prefix="portable-") as root:
        test = Test(args, root)
        portable(test)
        sealed(test)
        if args.reference:
            with_reference(test, args.reference)
        else:
            print("there is no tofu: its part is skipped")
        print("%d failed" % test.failures)
        return 1 if test.failures else 0


if __name__ == "__main__":
    sys.exit(main())
