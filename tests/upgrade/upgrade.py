#!/usr/bin/env python3
"""Reads files that an earlier version of kinu has written, and files that a later one might write.

  upgrade.py --binary PATH [--mirror DIRECTORY]
  upgrade.py --binary PATH --mirror DIRECTORY --record     makes the folder of the program's version, once per release

Each folder beside this script has a version's files: a state with digests of configurations, a journal that a killed apply
left, a plan file with schemas of a provider, an encrypted state, a lock file, the manifest of modules, the record of a
backend and a cached clone, and in expected.json what that version made of them. The program must make the same of them,
without the provider and without a network. With --mirror the plan is applied as well.

Then the version number of each format is raised: a file that cannot be understood is refused in a sentence that says so,
and nothing is changed; a cache is not used.
"""
import argparse
import hashlib
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
JOURNAL, STATE = ".terraform.tfstate.journal", "terraform.tfstate"
TARGET = "kinutest_thing.b"
PASSPHRASE = """terraform {
  encryption {
    key_provider "pbkdf2" "k" {
      passphrase = "correct-horse-battery-staple"
      iterations = 200000
    }
    method "aes_gcm" "m" {
      keys = key_provider.pbkdf2.k
    }
    state {
      method = method.aes_gcm.m
    }
  }
}
"""
PROVIDER = """terraform {
  required_providers {
    kinutest = { source = "kinu/kinutest" }
  }
}
"""
ONE = PROVIDER + """resource "kinutest_thing" "a" {
  name   = "n"
  secret = "TOPSECRET"
  label { text = "first" }
}
resource "terraform_data" "d" {
  input = "i"
}
output "name" { value = kinutest_thing.a.name }
"""
TWO = ONE + """resource "kinutest_thing" "b" {
  name = "second"
}
"""
FIRST = """terraform {
  backend "local" {}
}
resource "terraform_data" "before" { input = "there" }
"""
KILLED = FIRST + """resource "terraform_data" "after" {
  input      = "done"
  depends_on = [terraform_data.before]
}
resource "terraform_data" "end" {
  depends_on = [terraform_data.after]
  provisioner "local-exec" { command = "kill -9 $PPID" }
}
"""
failures = []


def expect(holds, message):
    if not holds:
        failures.append(message)
        print("FAILED: " + message)


class Place:
    """A directory in which the program runs with a home directory that is its own."""

    def __init__(self, binary, root, name, mirror=""):
        self.binary, self.directory, self.home = binary, os.path.join(root, name), os.path.join(root, name + ".home")
        os.makedirs(self.directory, exist_ok=True)
        os.makedirs(self.home, exist_ok=True)
        self.config = os.path.join(self.home, "config")
        with open(self.config, "w", encoding="utf-8") as file:
            if mirror:
                file.write('provider_installation {\n  filesystem_mirror { path = "%s" }\n}\n' % os.path.abspath(mirror))

    def path(self, *name):
        return os.path.join(self.directory, *name)

    def write(self, name, content):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "wb") as file:
            file.write(content.encode() if isinstance(content, str) else content)

    def read(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def run(self, *words, code=0):
        done = subprocess.run([self.binary, *words], cwd=self.directory, stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, timeout=120, check=False,
                              env={"PATH": os.environ.get("PATH", ""), "HOME": self.home, "TF_CLI_CONFIG_FILE": self.config,
                                   "GIT_TEMPLATE_DIR": "", "GIT_CONFIG_NOSYSTEM": "1"})
        expect(code is None or done.returncode == code, "%s: %s: exit %d\n%s%s"
               % (self.directory, words, done.returncode, done.stdout[-800:], done.stderr[-800:]))
        return done

    def json(self, *words):
        text = self.run(*words).stdout
        try:
            return json.loads(text)
        except ValueError:
            return text

    def refused(self, sentence, *words):
        """The command fails and says this, and changes no file."""
        before = self.files()
        done = self.run(*words, code=1)
        said = " ".join(re.sub("[\u2502\u2577\u2575]|\x1b[^m]*m", " ", done.stdout + done.stderr).split())
        expect(sentence in said, "%s: not said: %s\n%s" % (words, sentence, said[-600:]))
        expect(self.files() == before, "%s: refused, and files changed" % (words,))

    def files(self):
        found = {}
        for folder, _, names in os.walk(self.directory):
            for name in names:
                if name.endswith(".lock.info"):
                    continue  # of the killed run, whose lock ended with it
                with open(os.path.join(folder, name), "rb") as file:
                    found[os.path.join(folder, name)] = file.read()
        return found


def answers_of(places):
    """What a program makes of the files, in words that a later version may not change."""
    project, killed, sealed, module = (places[name] for name in ("bare", "killed", "sealed", "module"))
    plan = project.json("show", "-json", "p")
    answers = {
        "addresses": project.run("state", "list").stdout.split(),
        "outputs": {name: each["value"] for name, each in project.json("output", "-json").items()},
        "planned": [[each["address"], each["change"]["actions"], each["change"]["after"].get("name")]
                    for each in plan["resource_changes"]],
        "sealed": sealed.json("output", "-json")["text"]["value"],
        "cached module": module.run("get", "-no-color").stdout.count("Downloading"),
        "backend": killed.run("workspace", "show").stdout.strip(),
    }
    # The first command that reads the state of a killed run stores what its journal has.
    answers["recovered"] = sorted(killed.run("state", "list").stdout.split())
    expect(not os.path.exists(killed.path(JOURNAL)), "the journal is left")
    return answers


def opened(binary, root, folder, mirror=""):
    """The recorded files of a version as places to work in."""
    places = {}
    for name in ("project", "killed", "sealed", "module"):
        places[name] = Place(binary, root, name, mirror)
        shutil.copytree(os.path.join(folder, name), places[name].directory, dirs_exist_ok=True)
        hidden = places[name].path("dot.terraform")
        if os.path.isdir(hidden):  # which .gitignore leaves out under its own name
            os.rename(hidden, places[name].path(".terraform"))
    # Where there are neither the provider nor the configuration.
    places["bare"] = Place(binary, root, "bare")
    for name in (STATE, "p"):
        shutil.copy(places["project"].path(name), places["bare"].path(name))
    cache = os.path.join(places["module"].home, ".cache", "kinu", "modules")
    shutil.copytree(os.path.join(folder, "clones"), cache)
    for path in (cache, os.path.dirname(cache)):
        os.chmod(path, 0o700)
    return places


def raised(places):
    """Files of a later version: the number of each format is higher."""
    project, killed, sealed, module = (places[name] for name in ("bare", "killed", "sealed", "module"))

    good = project.read(STATE)
    state = json.loads(good)
    state["version"] = 5
    project.write(STATE, json.dumps(state))
    for words in (["show"], ["output"], ["state", "list"], ["state", "rm", "terraform_data.d"]):
        project.refused("The state file uses format version 5, which is not supported by OpenTofu", *words)
    project.write(STATE, good)

    for old, new, sentence in (
            (b"\x08\x03", b"\x08\x04", "unsupported plan file format version 4; only version 3 is supported"),
            (b"", b"\xd0\x3e\x01", "this one does not know its field 1002"),
            (b"1.12.6", b"1.99.6", "plan file was created by OpenTofu or Terraform 1.99.6")):
        project.write("later", with_entry(project.read("p"), "tfplan", lambda data, o=old, n=new:
                                          data.replace(o, n, 1) if o else data + n))
        project.refused(sentence, "show", "later")
        project.refused(sentence, "apply", "later")
    # Schemas in a format that is not known are as if they were not there.
    project.write("later", with_entry(project.read("p"), "kinu-schemas", lambda data: data + b"\x10\x02"))
    done = project.run("show", "later", code=1)
    expect("kinutest" in done.stderr, "schemas of another format: %s" % done.stderr)
    os.remove(project.path("later"))
    project.write("plan.json", '{"format_version":"99.0","resource_changes":[]}')
    project.refused("99.0", "show", "plan.json")
    project.refused("99.0", "show", "-json", "plan.json")
    os.remove(project.path("plan.json"))

    journal = killed.read("journal")
    killed.write(JOURNAL, journal[:7] + b"2" + journal[8:])
    killed.refused("has format 2, and this version of kinu reads format 1", "apply", "-auto-approve")
    os.remove(killed.path(JOURNAL))
    record = killed.read(".terraform/" + STATE)
    killed.write(".terraform/" + STATE, record.replace(b'"version": 3', b'"version": 4'))
    killed.refused("does not support CLI state version 4", "plan")
    killed.write(".terraform/" + STATE, record)

    sealed.write(STATE, re.sub(rb'("encryption_version": *)"v0"', rb'\1"v7"', sealed.read(STATE)))
    sealed.refused("v7", "output")

    cache = os.path.join(module.home, ".cache", "kinu", "modules")
    for name in os.listdir(cache):
        path = os.path.join(cache, name)
        with open(path, "rb") as file:
            entries = file.read()[:-32].replace(b"kinu clone 1\n", b"kinu clone 2\n", 1)
        with open(path, "wb") as file:
            file.write(entries + hashlib.sha256(entries).digest())
    shutil.rmtree(module.path(".terraform"), ignore_errors=True)
    module.run("get", "-no-color", code=1)  # the repository is not there


def with_entry(archive, name, change):
    """A plan file one of whose entries is changed."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(archive)) as old, zipfile.ZipFile(out, "w") as new:
        for each in old.infolist():
            data = old.read(each)
            new.writestr(each.filename, change(data) if each.filename == name else data)
    return out.getvalue()


def git(directory, *words):
    subprocess.run(["git", "-C", directory, "-c", "user.name=t", "-c", "user.email=t@localhost", *words], check=True,
                   stdout=subprocess.DEVNULL,
                   env={**os.environ, "GIT_AUTHOR_DATE": "2026-01-01T00:00:00Z", "GIT_COMMITTER_DATE": "2026-01-01T00:00:00Z",
                        "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull})


def record(options, root):
    """Makes the files with the program."""
    version = subprocess.run([options.binary, "about", "-json"], capture_output=True, text=True, check=True).stdout
    version = json.loads(version)["version"]
    folder = os.path.join(HERE, version)
    if os.path.exists(folder):
        sys.exit("%s is there: a version's files are recorded once" % folder)
    places = {name: Place(options.binary, root, name, options.mirror) for name in ("project", "killed", "sealed", "module")}

    project = places["project"]
    project.write("main.tf", ONE)
    project.run("init")
    project.run("apply", "-auto-approve", "-refresh=changed")
    project.write("main.tf", TWO)
    project.run("plan", "-refresh=changed", "-out=p")
    expect(b"kinu_configuration" in project.read(STATE), "the state has no digests")

    killed = places["killed"]
    killed.write("main.tf", FIRST)
    killed.run("init")
    killed.run("apply", "-auto-approve")
    killed.write("main.tf", KILLED)
    killed.run("apply", "-auto-approve", code=-9)
    shutil.copy(killed.path(JOURNAL), killed.path("journal"))

    sealed = places["sealed"]
    sealed.write("main.tf", PASSPHRASE + 'output "text" { value = "kept" }\n')
    sealed.run("apply", "-auto-approve")

    source = os.path.join(root, "repository")
    os.makedirs(source)
    with open(os.path.join(source, "main.tf"), "w", encoding="utf-8") as file:
        file.write('output "o" { value = 1 }\n')
    git(source, "init", "-q", "-b", "main")
    git(source, "add", "-A")
    git(source, "commit", "-qm", "a module")
    commit = subprocess.run(["git", "-C", source, "rev-parse", "HEAD"], capture_output=True, text=True, check=True).stdout.strip()
    shutil.rmtree("/tmp/kinu-upgrade-module", ignore_errors=True)
    os.rename(source, "/tmp/kinu-upgrade-module")
    module = places["module"]
    module.write("main.tf", 'module "m" {\n  source = "git::file:///tmp/kinu-upgrade-module?ref=%s"\n}\n' % commit)
    module.run("get")
    shutil.rmtree("/tmp/kinu-upgrade-module")

    os.makedirs(folder)
    for name, place in places.items():
        target = os.path.join(folder, name)
        shutil.copytree(place.directory, target, ignore=lambda _, names: [n for n in names if n in ("providers", "m")])
        if os.path.isdir(os.path.join(target, ".terraform")):
            os.rename(os.path.join(target, ".terraform"), os.path.join(target, "dot.terraform"))
    shutil.copytree(os.path.join(module.home, ".cache", "kinu", "modules"), os.path.join(folder, "clones"))
    shutil.rmtree(root)
    os.makedirs(root)
    with open(os.path.join(folder, "expected.json"), "w", encoding="utf-8") as file:
        json.dump(answers_of(opened(options.binary, root, folder)), file, indent=1, sort_keys=True)
        file.write("\n")


def check_version(options, root, folder):
    with open(os.path.join(folder, "expected.json"), encoding="utf-8") as file:
        expected = json.load(file)
    found = json.loads(json.dumps(answers_of(opened(options.binary, os.path.join(root, "old"), folder))))
    for name, answer in expected.items():
        expect(found.get(name) == answer, "%s: %s is %s, was %s" % (folder, name, found.get(name), answer))
    raised(opened(options.binary, os.path.join(root, "later"), folder))
    if options.mirror and os.path.isdir(os.path.join(options.mirror, "registry.opentofu.org")):
        project = opened(options.binary, os.path.join(root, "applied"), folder, options.mirror)["project"]
        project.run("init", "-lockfile=readonly")
        project.run("apply", "p")
        expect(TARGET in project.run("state", "list").stdout, "the recorded plan was not applied")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", required=True)
    parser.add_argument("--mirror", default="")
    parser.add_argument("--record", action="store_true")
    options = parser.parse_args()
    options.binary = os.path.abspath(options.binary)
    root = tempfile.mkdtemp(prefix="kinu-upgrade-")
    try:
        if options.record:
            record(options, os.path.join(root, "record"))
            return 1 if failures else 0
        folders = sorted(name for name in os.listdir(HERE) if re.fullmatch(r"[0-9]+\.[0-9]+\.[0-9]+", name))
        expect(folders, "there is no recorded version")
        for name in folders:
            check_version(options, os.path.join(root, name), os.path.join(HERE, name))
        print("upgrade: %s; %s" % (", ".join(folders), "%d failures" % len(failures) if failures else "ok"))
    finally:
        shutil.rmtree(root)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
