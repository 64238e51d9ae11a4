#!/usr/bin/env python3
"""Starts commands without standard input, output or error stream.

  descriptors.py --binary PATH

Each command line runs in a copy of one directory, first with all three streams, then with each
combination of them closed. The files it leaves and its exit code must be the same.
"""
import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile

CONFIGURATION = """variable "v" { default = "one" }
resource "terraform_data" "a" { input = var.v }
resource "terraform_data" "b" { input = terraform_data.a.id }
output "o" { value = terraform_data.a.input }
"""
FILES = {"main.tf": CONFIGURATION, "ugly.tf": "locals {\na=1\n bb = 2\n}\n",
         "t.tftest.hcl": 'run "r" { command = plan }\n'}
COMMANDS = [
    "apply -auto-approve -var=v=two", "apply -auto-approve -var=v=two -json",
    "apply -auto-approve -lock=false -var=v=two", "apply p", "destroy -auto-approve",
    "refresh -var=v=two", "plan -out=q -var=v=two", "plan -json-into=j -var=v=two",
    "state mv terraform_data.a terraform_data.c", "state rm terraform_data.b",
    "state push pushed.tfstate", "state pull", "state list",
    "state replace-provider -auto-approve terraform.io/builtin/terraform example.com/a/b",
    "taint terraform_data.a", "untaint terraform_data.b",
    "import -var=v=two terraform_data.c one", "init", "get", "fmt", "validate", "test", "output",
    "show -json p", "console", "graph", "workspace new w", "workspace delete old",
    "workspace select old", "providers lock", "force-unlock -force x", "convert main.tf",
    "query $ p", "version",
]
CHANGING = [re.compile(rb"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"),
            re.compile(rb"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z?(\+00:00)?"),
            re.compile(rb"\d{10}")]


def run(binary, words, directory, closed=()):
    def close():
        for fd in closed:
            os.close(fd)
    return subprocess.run([binary, *words.split()], cwd=directory, stdin=subprocess.DEVNULL,
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=close,
                          env={"PATH": os.environ.get("PATH", ""), "HOME": directory},
                          timeout=60, check=False).returncode


def files_in(directory):
    """The files and their content, without the parts that differ between runs."""
    found = {}
    for parent, _, names in os.walk(directory):
        for name in names:
            path = os.path.join(parent, name)
            key = re.sub(r"\d{10}", "T", os.path.relpath(path, directory))
            with open(path, "rb") as file:
                text = file.read()
            for pattern in CHANGING:
                text = pattern.sub(b"?", text)
            # Compressed plans differ in their times.
            found[key] = text if not text.startswith(b"PK") else b"PK"
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", required=True)
    binary = os.path.abspath(parser.parse_args().binary)
    root = tempfile.mkdtemp(prefix="kinu-descriptors-")
    failed = 0
    try:
        first = os.path.join(root, "first")
        os.mkdir(first)
        for name, text in FILES.items():
            with open(os.path.join(first, name), "w", encoding="utf-8") as file:
                file.write(text)
        for words in ("apply -auto-approve", "taint terraform_data.b", "plan -out=p -var=v=two",
                      "workspace new old", "workspace select default"):
            assert run(binary, words, first) == 0, words
        shutil.copy(os.path.join(first, "terraform.tfstate"), os.path.join(first, "pushed.tfstate"))
        count = 0
        for words in COMMANDS:
            expected = None
            for mask in range(8):
                directory = os.path.join(root, "run")
                shutil.copytree(first, directory)
                code = run(binary, words, directory, [fd for fd in range(3) if mask >> fd & 1])
                result = (code, files_in(directory))
                shutil.rmtree(directory)
                expected = expected or result
                count += 1
                if result != expected:
                    failed += 1
                    print("FAIL %s, closed %s: exit %d, expected %d; files that differ: %s" % (
                        words, [fd for fd in range(3) if mask >> fd & 1], code, expected[0],
                        sorted(k for k in {*result[1], *expected[1]}
                               if result[1].get(k) != expected[1].get(k))))
    finally:
        shutil.rmtree(root, ignore_errors=True)
    sys.stdout.flush()
    print("descriptors: %d runs, %d differ" % (count, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
