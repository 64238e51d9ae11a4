#!/usr/bin/env python3
"""Installs modules from a registry, archives and git repositories on this machine.

  modules.py --binary PATH
"""
import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "servers"))
import loopback  # noqa: E402

GIT = {"GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@example.test", "GIT_COMMITTER_NAME": "A",
       "GIT_COMMITTER_EMAIL": "a@example.test", "GIT_CONFIG_NOSYSTEM": "1"}


class Runner:
    def __init__(self, binary, root, server):
        self.binary, self.root, self.server, self.failed, self.count = binary, root, server, 0, 0

    def fresh(self, calls):
        """A directory that calls modules: name to arguments."""
        self.count += 1
        directory = os.path.join(self.root, "d%d" % self.count)
        os.mkdir(directory)
        self.calls(directory, calls)
        self.write(directory, "cli.tofurc", 'host "registry.example.test" {\n  services = {\n    '
                   '"modules.v1" = "%s/modules/"\n  }\n}\n' % self.server.url)
        return directory

    def calls(self, directory, calls):
        self.write(directory, "main.tf", "".join('module "%s" {\n%s}\n' % (name, "".join(
            '  %s = "%s"\n' % pair for pair in values.items()))
            for name, values in calls.items()))

    @staticmethod
    def write(directory, name, text):
        with open(os.path.join(directory, name), "w", encoding="utf-8") as file:
            file.write(text)

    def run(self, directory, *args, **env):
        done = subprocess.run(
            [self.binary, *args, "-no-color"], cwd=directory, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, timeout=120, check=False,
            env={"PATH": os.environ["PATH"], "HOME": self.root, "TF_REGISTRY_DISCOVERY_RETRY": "0",
                 "TF_CLI_CONFIG_FILE": os.path.join(directory, "cli.tofurc"), **GIT, **env})
        return done.returncode, done.stdout + done.stderr

    def says(self, what, directory, args, code, *wanted):
        got, text = self.run(directory, *args)
        flat = " ".join(text.split())
        missing = [w for w in wanted if w not in flat]
        self.expect(what, got == code and not missing,
                    "%s\nexit code %d; missing: %s" % (text, got, missing))

    def expect(self, what, ok, text=""):
        if not ok:
            self.failed += 1
            print("FAIL %s\n%s" % (what, text))


def manifest(directory):
    path = os.path.join(directory, ".terraform/modules/modules.json")
    if not os.path.exists(path):
        return {}
    with open(path, encoding="utf-8") as file:
        return {m["Key"]: (m["Source"], m.get("Version"), m["Dir"])
                for m in json.load(file)["Modules"]}


def registry(run):
    net = "registry.example.test/acme/net/test"
    directory = run.fresh({"b": {"source": net, "version": "~> 1.0"},
                           "a": {"source": "registry.example.test/acme/nested/test"}})
    run.says("registry", directory, ["init"], 0,
             "Downloading registry.example.test/acme/nested/test 2.0.0 for a...",
             "- a in .terraform/modules/a - a.inner in .terraform/modules/a/modules/sub "
             "Downloading registry.example.test/acme/net/test 1.1.0 for b...")
    run.expect("manifest", manifest(directory).get("b") == (net, "1.1.0", ".terraform/modules/b"),
               str(manifest(directory)))
    run.server.take_log()
    run.says("nothing to do", directory, ["get"], 0)
    run.expect("no request for what is installed", run.server.take_log() == [])
    run.calls(directory, {"b": {"source": net, "version": ">= 1.0"}})
    run.says("kept", directory, ["get"], 0)
    run.expect("kept version", manifest(directory)["b"][1] == "1.1.0", str(manifest(directory)))
    run.says("update", directory, ["get", "-update"], 0, "Downloading %s 2.0.0 for b..." % net)
    for name, wanted in (("missing", "Module not found"), ("empty", "Module has no versions"),
                         ("none", "Invalid response from remote module registry"),
                         ("odd", "Module has no versions"),
                         ("broken", "Error accessing remote module registry")):
        directory = run.fresh({"m": {"source": "registry.example.test/acme/%s/test" % name}})
        run.says(name, directory, ["init"], 1, wanted)
        run.expect("%s is not recorded" % name, "m" not in manifest(directory))
    directory = run.fresh({"m": {"source": net, "version": "9.0.0"}})
    run.says("no version", directory, ["init"], 1, "Unresolvable module version constraint",
             "on main.tf line 1:", '1: module "m" {',
             "The newest available version is 2.0.0")
    directory = run.fresh({"m": {"source": net + "//nowhere"}})
    run.says("no directory", directory, ["init"], 1,
             "- m in .terraform/modules/m/nowhere Error: Module subdirectory not found")
    run.expect("a missing directory is recorded", manifest(directory).get("m") == (
        net + "//nowhere", "2.0.0", ".terraform/modules/m/nowhere"), str(manifest(directory)))
    directory = run.fresh({"m": {"source": net + "//main.tf"}})
    run.says("a file", directory, ["init"], 1, "- m in .terraform/modules/m/main.tf",
             "Error: Unreadable module directory")


def archives(run):
    with zipfile.ZipFile(os.path.join(run.root, "files", "escape.zip"), "w") as archive:
        archive.writestr("main.tf", "")
        archive.writestr("../../escaped", "x")
    with zipfile.ZipFile(os.path.join(run.root, "files", "links.zip"), "w") as archive:
        archive.writestr("main.tf", "")
        for name in ("out", "out/escaped"):
            info = zipfile.ZipInfo(name)
            info.create_system = 3
            info.external_attr = (0o120777 if name == "out" else 0o100644) << 16
            archive.writestr(info, run.root)
    run.write(os.path.join(run.root, "files"), "single.gz", "")
    base = run.server.url
    directory = run.fresh({"m": {"source": base + "/archives/net-1.0.0.zip//modules/*"}})
    run.says("archive", directory, ["init"], 0, "- m in .terraform/modules/m/modules/sub")
    directory = run.fresh({"a": {"source": base + "/get/modules/s*"},
                           "b": {"source": base + "/page"}})
    run.says("named by a server", directory, ["init"], 0, "- a in .terraform/modules/a",
             "- b in .terraform/modules/b")
    for path in ("a/main.tf", "b/modules/sub/main.tf"):
        run.expect(path, os.path.isfile(os.path.join(directory, ".terraform/modules", path)))
    run.expect("nothing is left", sorted(os.listdir(os.path.join(
        directory, ".terraform/modules"))) == ["a", "b", "modules.json"])
    directory = run.fresh({"m": {"source": base + "/get/none"}})
    run.says("a directory that a server names wrongly", directory, ["init"], 1,
             "Failed to download module", 'subdir "none" not found')
    directory = run.fresh({"m": {"source": base + "/archives/net-1.0.0.zip//none"}})
    run.says("no directory in an archive", directory, ["init"], 1, "Failed to expand subdir globs")
    for name, wanted in (("escape.zip", "entry contains '..'"), ("links.zip", "File exists"),
                         ("gone.zip", "bad response code: 404"),
                         ("single.gz", "can only unarchive to a single file"),
                         ("escape.zip?checksum=sha3:00", "unsupported checksum type"),
                         ("escape.zip?checksum=md5:" + "0" * 32, "Checksums did not match")):
        directory = run.fresh({"m": {"source": "%s/files/%s" % (base, name)}})
        run.says(name, directory, ["init"], 1, "Failed to download module")
        run.expect("%s: nothing outside" % name, not os.path.exists(
            os.path.join(run.root, "escaped")) and not os.path.exists(
                os.path.join(directory, ".terraform/modules/m")), wanted)
    run.count += 1
    directory = os.path.join(run.root, "d%d" % run.count)
    os.makedirs(os.path.join(directory, "empty"))
    run.write(directory, "cli.tofurc", "")
    run.says("from module", directory,
             ["-chdir=empty", "init", "-from-module=%s/archives/net-1.0.0.zip" % base], 0,
             "Copying configuration from")
    run.expect("copied", os.path.isfile(os.path.join(directory, "empty/modules/sub/main.tf")))


def secrets(run):
    """What an address of a module has of passwords is in no output, no manifest and no error."""
    base = run.server.url.replace("http://", "http://ada:hush-hush@")
    directory = run.fresh({"m": {"source": base + "/archives/net-1.0.0.zip?sig=hush-hush"}})
    run.server.take_log()
    for what in ("first", "again"):
        code, text = run.run(directory, "init", TF_LOG="trace")
        log = [line for line in run.server.take_log() if "archives/net" in line]
        run.expect("secrets: %s" % what, code == 0 and "hush" not in text and
                   len(log) == (1 if what == "first" else 0), "%s\n%s" % (text, log))
    code, text = run.run(directory, "validate")
    run.expect("secrets: validate", code == 0, text)
    with open(os.path.join(directory, ".terraform/modules/modules.json"), encoding="utf-8") as file:
        run.expect("secrets: manifest", "hush" not in file.read())
    for source in (base + "/files/gone.zip", "git::" + base + "/gone.git"):
        directory = run.fresh({"m": {"source": source}})
        code, text = run.run(directory, "init", TF_LOG="trace")
        run.expect("secrets: %s" % source, code == 1 and "hush" not in text, text)


def repositories(run):
    repo = os.path.join(run.root, "repo")
    os.mkdir(repo)

    def git(*args):
        subprocess.run(["git", *args], cwd=repo, check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, env={**os.environ, **GIT, "HOME": run.root})
    git("init", "-b", "main")
    for version in ("one", "two"):
        run.write(repo, "main.tf", 'output "v" {\n  value = "%s"\n}\n' % version)
        git("add", ".")
        git("commit", "-m", version)
        git("tag", version)
    url = "git::file://" + repo
    directory = run.fresh({"a": {"source": url + "?ref=one"}, "b": {"source": url},
                           "c": {"source": url + "?depth=1&ref=two"}, "d": {"source": repo}})
    run.says("git", directory, ["init"], 0, "- a in .terraform/modules/a",
             "- d in .terraform/modules/d")
    for key, wanted in (("a", "one"), ("b", "two"), ("c", "two"), ("d", "two")):
        with open(os.path.join(directory, ".terraform/modules", key, "main.tf"),
                  encoding="utf-8") as file:
            run.expect("content of %s" % key, wanted in file.read())
    run.expect("a directory is linked", os.path.islink(os.path.join(
        directory, ".terraform/modules/d")))
    for depth in ("many", "-1", "1x", "%2B1", "0"):
        directory = run.fresh({"m": {"source": url + "?ref=two&depth=" + depth}})
        run.says("depth " + depth, directory, ["init"], 0, "- m in .terraform/modules/m")
        run.expect("depth %s is shallow" % depth, os.path.exists(os.path.join(
            directory, ".terraform/modules/m/.git/shallow")) == (depth == "%2B1"))
    directory = run.fresh({"m": {"source": url + "?ref=none"}})
    run.says("no reference", directory, ["init"], 1, "Failed to download module", 'invalid ref')
    directory = run.fresh({"m": {"source": url + "?ref=--upload-pack=touch"}})
    run.says("an option for a reference", directory, ["init"], 1, "invalid ref")


def programs(run):
    """git is started once for a repository without submodules."""
    repo, bin_directory, log = (os.path.join(run.root, name) for name in ("plain", "bin", "git.log"))
    os.mkdir(repo)
    os.mkdir(bin_directory)
    for args in (["init", "-b", "main"], ["add", "."], ["commit", "-m", "one"]):
        run.write(repo, "main.tf", "")
        subprocess.run(["git", *args], cwd=repo, check=True, stdout=subprocess.DEVNULL, env={**os.environ, **GIT})
    run.write(bin_directory, "git", '#!/bin/sh\necho "$1" >>"%s"\nexec "%s" "$@"\n' % (log, shutil.which("git")))
    os.chmod(os.path.join(bin_directory, "git"), 0o755)
    directory = run.fresh({"m": {"source": "git::file://" + repo}})
    code, text = run.run(directory, "init", PATH=bin_directory + ":" + os.environ["PATH"])
    with open(log, encoding="utf-8") as file:
        run.expect("programs", code == 0 and file.read() == "clone\n", text)


def submodules(run):
    """A repository with another one inside of it, with and without the file that says where from."""
    outer, inner = os.path.join(run.root, "outer"), os.path.join(run.root, "inner")
    allowed = {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "protocol.file.allow",
               "GIT_CONFIG_VALUE_0": "always"}

    def git(directory, *args):
        subprocess.run(["git", *args], cwd=directory, check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL,
                       env={**os.environ, **GIT, **allowed, "HOME": run.root})
    for repo in (inner, outer):
        os.mkdir(repo)
        git(repo, "init", "-b", "main")
        run.write(repo, "main.tf", 'output "v" {\n  value = "%s"\n}\n' % os.path.basename(repo))
        git(repo, "add", ".")
        git(repo, "commit", "-m", "one")
    git(outer, "submodule", "add", inner, "part")
    git(outer, "commit", "-m", "two")
    git(outer, "tag", "whole")
    git(outer, "rm", "--cached", ".gitmodules")
    git(outer, "commit", "-m", "three")
    url = "git::file://" + outer
    directory = run.fresh({"m": {"source": url + "//part?ref=whole"}})
    code, text = run.run(directory, "init", **allowed)
    run.expect("a submodule", code == 0, text)
    with open(os.path.join(directory, ".terraform/modules/m/part/main.tf"),
              encoding="utf-8") as file:
        run.expect("content of a submodule", "inner" in file.read())
    directory = run.fresh({"m": {"source": url}})
    code, text = run.run(directory, "init", **allowed)
    run.expect("a submodule from nowhere",
               code == 1 and "No url found for submodule path 'part'" in " ".join(text.split()), text)


def copies(run):
    """What `init -from-module` makes of a repository: a copy without hidden files, with links."""
    repo = os.path.join(run.root, "copied")
    for name, text in (("main.tf", 'module "l" {\n  source = "./link"\n}\n'), ("real/main.tf", ""),
                       ("part/main.tf", 'module "m" {\n  source = "../real"\n}\n'),
                       ("part/.hidden/file", ""), ("part/.file", "")):
        os.makedirs(os.path.dirname(os.path.join(repo, name)), exist_ok=True)
        run.write(repo, name, text)
    os.symlink("real", os.path.join(repo, "link"))
    for args in (["init", "-b", "main"], ["add", "."], ["commit", "-m", "one"]):
        subprocess.run(["git", *args], cwd=repo, check=True, stdout=subprocess.DEVNULL,
                       env={**os.environ, **GIT})
    directory = run.fresh({})
    for name, source in (("git", "git::file://" + repo), ("path", repo)):
        os.mkdir(os.path.join(directory, name))
        run.says("a copy of a " + name, directory,
                 ["-chdir=" + name, "init", "-from-module=" + source], 0, "- l ",
                 *["Initializing modules... - l in real"] * (name == "git"))
        run.expect("content of a copy of a " + name,
                   os.readlink(os.path.join(directory, name, "link")) == "real" and
                   os.listdir(os.path.join(directory, name, "part")) == ["main.tf"])
    os.mkdir(os.path.join(directory, "part"))
    run.says("a copy of a part", directory,
             ["-chdir=part", "init", "-from-module=git::file://%s//part" % repo], 1,
             "Error: Root module references parent directory", "git::file://%s//real" % repo)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--binary", required=True)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as root:
        os.mkdir(os.path.join(root, "files"))
        server = loopback.start(os.path.join(root, "files"))
        run = Runner(os.path.abspath(args.binary), root, server)
        registry(run)
        archives(run)
        secrets(run)
        repositories(run)
        programs(run)
        submodules(run)
        copies(run)
        server.stop()
    print("%d failed" % run.failed)
    sys.exit(1 if run.failed else 0)


if __name__ == "__main__":
    main()
