#!/usr/bin/env python3
"""Installs providers from a registry on the loopback interface, sound and faulty ones.

  registries.py --binary PATH
"""
import argparse
import os
import platform
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "servers"))
import loopback  # noqa: E402

HOST = "registry.opentofu.org"  # whose packages may be without signatures
MACHINE = {"x86_64": "linux_amd64", "aarch64": "linux_arm64"}.get(platform.machine())


class Runner:
    def __init__(self, binary, root, server):
        self.binary, self.root, self.server, self.failed = binary, root, server, 0
        self.count = 0

    def fresh(self, providers, cli=""):
        """A directory that requires providers."""
        self.count += 1
        directory = os.path.join(self.root, "d%d" % self.count)
        os.mkdir(directory)
        self.write(directory, "main.tf", "terraform {\n  required_providers {\n%s  }\n}\n" % "".join(
            '    %s = { source = "%s" }\n' % (name.split("/")[-1], name) for name in providers))
        self.write(directory, "cli.tofurc", 'host "%s" {\n  services = {\n    "providers.v1" = '
                   '"%s/providers/"\n  }\n}\n%s' % (HOST, self.server.url, cli))
        return directory

    @staticmethod
    def write(directory, name, text):
        with open(os.path.join(directory, name), "w", encoding="utf-8") as file:
            file.write(text)

    def environment(self, directory, **env):
        return {"PATH": os.environ["PATH"], "HOME": self.root, "TF_REGISTRY_DISCOVERY_RETRY": "0",
                "TF_CLI_CONFIG_FILE": os.path.join(directory, "cli.tofurc"), **env}

    def run(self, directory, *args, **env):
        done = subprocess.run(
            [self.binary, *args, "-no-color"], cwd=directory, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, timeout=120, check=False,
            env=self.environment(directory, **env))
        return done.returncode, done.stdout + done.stderr

    def expect(self, what, ok, text=""):
        if not ok:
            self.failed += 1
            print("FAIL %s\n%s" % (what, text))

    def says(self, what, directory, args, code, *wanted, **env):
        got, text = self.run(directory, *args, **env)
        flat = " ".join(text.split())
        missing = [w for w in wanted if w not in flat]
        self.expect(what, got == code and not missing, "%s\nexit code %d; missing: %s" % (
            text, got, missing))


def lock_of(directory):
    path = os.path.join(directory, ".terraform.lock.hcl")
    if not os.path.exists(path):
        return ""
    with open(path, encoding="utf-8") as file:
        return file.read()


def sound(run):
    directory = run.fresh(["acme/one", "acme/two"])
    run.says("install", directory, ["init"], 0,
             "- Installed acme/one v1.0.0. Signature validation was skipped",
             "- Installed acme/two v1.0.0. Signature validation was skipped",
             "Additional provider information from registry")
    run.expect("hashes of all platforms are locked",
               lock_of(directory).count("zh:") == 4 and lock_of(directory).count("h1:") == 2,
               lock_of(directory))
    run.server.take_log()
    run.says("second init", directory, ["init"], 0, "- Using previously-installed acme/one v1.0.0")
    run.expect("a second init downloads nothing",
               not [line for line in run.server.take_log() if "packages" in line])
    run.says("lock", directory, ["providers", "lock", "-platform=linux_arm64"], 0,
             "- Retrieved acme/one 1.0.0 for linux_arm64 (signing skipped)", "Success!")
    run.says("mirror", directory, ["providers", "mirror", "out"], 0,
             "- Selected v1.0.0 to match dependency lock file", "Package authenticated")
    run.expect("mirror files", os.path.isfile(os.path.join(
        directory, "out", HOST, "acme/one/terraform-provider-one_1.0.0_%s.zip" % MACHINE)))


def faulty(run):
    enforced = {"OPENTOFU_ENFORCE_GPG_VALIDATION": "true"}
    cases = [("future", "Incompatible provider version", {}),
             ("elsewhere", "Incompatible provider version", {}),
             ("missing", "Failed to query available provider packages", {}),
             ("tampered", "archive has incorrect checksum", {}),
             ("gone", "404 Not Found", {}),
             ("notzip", "Failed to install provider", {}),
             ("escaping", "entry contains '..'", {}),
             ("one", "signature from unknown issuer", enforced)]
    for name, wanted, env in cases:
        directory = run.fresh(["acme/" + name])
        run.says(name, directory, ["init"], 1, wanted, **env)
        run.expect("%s: nothing is locked" % name, lock_of(directory) == "")
        left = [f for _, dirs, files in os.walk(os.path.join(directory, ".terraform"))
                for f in dirs + files if f.endswith(".new") or f == MACHINE or f == "outside"]
        run.expect("%s: nothing is placed" % name, not left, str(left))
    directory = run.fresh(["acme/tampered"])
    run.says("mirror of a tampered package", directory, ["providers", "mirror", "out"], 1,
             "Invalid provider package")
    directory = run.fresh(["acme/gone"])
    run.says("mirror without an archive", directory, ["providers", "mirror", "out"], 1,
             "Cannot download provider release")
    implied(run)
    directory = run.fresh(["other.test/acme/one"], 'host "other.test" {\n  services = {}\n}\n')
    run.says("host without registry", directory, ["init"], 1, "Invalid provider registry host")


def implied(run):
    """Resource types that imply a provider which does not exist."""
    warning = "Warning: Automatically-inferred provider dependency on main.tf line %d"
    error = "does not have a provider named registry.opentofu.org/hashicorp/nothing"
    directory = run.fresh([])
    run.write(directory, "main.tf", 'data "nothing_else" "d" {\n}\n\n'
              'resource "nothing_at_all" "r" {\n}\n')
    run.says("implied by a type", directory, ["init"], 1, warning % 4, "nothing_at_all.r", error)
    run.write(directory, "main.tf", 'import {\n  to = nothing_at_all.r\n  id = "i"\n}\n')
    run.says("implied by an import", directory, ["init", "-reconfigure"], 1, warning % 1, error)
    chosen = {"by an argument": 'resource "nothing_at_all" "r" {\n  provider = nothing\n}\n',
              "in another module": 'resource "nothing_at_all" "r" {\n}\n\nmodule "m" {\n'
                                   '  source = "./m"\n}\n'}
    os.mkdir(os.path.join(directory, "m"))
    run.write(os.path.join(directory, "m"), "main.tf", "terraform {\n  required_providers {\n"
              '    nothing = {\n      source = "hashicorp/nothing"\n    }\n  }\n}\n')
    for what, text in chosen.items():
        run.write(directory, "main.tf", text)
        code, output = run.run(directory, "init")
        run.expect("chosen " + what, code == 1 and error in " ".join(output.split()) and
                   "Automatically" not in output, output)


def interrupted(run):
    """An interrupt during a download ends the command soon and leaves nothing half done."""
    directories = {"Provider installation was canceled by an interrupt signal.": run.fresh(["acme/slow"]),
                   "Error: Module installation canceled": run.fresh([])}
    run.write(list(directories.values())[1], "main.tf", 'module "m" {\n  source = "%s/archives/slow-1.zip"'
              '\n}\n' % run.server.url)
    for wanted, directory in directories.items():
        run.server.reached.clear()
        process = subprocess.Popen([run.binary, "init", "-no-color"], cwd=directory, text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                   env=run.environment(directory))
        reached = run.server.reached.wait(20)
        began = time.monotonic()
        process.send_signal(signal.SIGINT)
        text = process.communicate(timeout=60)[0]
        run.expect("interrupt: " + wanted, reached and process.returncode == 1 and wanted in text and
                   time.monotonic() - began < 6, "%s\nexit code %d" % (text, process.returncode))
        left = [f for _, dirs, files in os.walk(os.path.join(directory, ".terraform"))
                for f in dirs + files if f.endswith(".new") or f in (MACHINE, "m")]
        run.expect("interrupt: nothing is placed", not left and lock_of(directory) == "", str(left))


def configuration(run):
    directory = run.fresh(["acme/secret"], 'credentials "%s" {\n  token = "open sesame"\n}\n' % HOST)
    run.says("credentials", directory, ["init"], 0, "- Installed acme/secret v1.0.0")
    log = run.server.take_log()
    run.expect("packages are asked for without credentials",
               not [line for line in log if "packages" in line and "authorized" in line], str(log))
    code, text = run.run(directory, "init", "-upgrade", TF_LOG="trace")
    run.expect("no credentials in the log", code == 0 and "sesame" not in text, text)
    directory = run.fresh(["acme/one"], 'credentials_helper "a" {}\ncredentials_helper "b" {}\n')
    run.says("two helpers", directory, ["init"], 0,
             "No more than one credentials_helper block may be specified")
    directory = run.fresh(["acme/one"], 'provider_installation {\n  network_mirror {\n'
                          '    url = "http://127.0.0.1/"\n  }\n}\n')
    run.says("mirror without TLS", directory, ["init"], 1,
             "Invalid URL for provider installation source")
    directory = run.fresh(["acme/one"])
    os.makedirs(os.path.join(directory, "cache"))
    os.makedirs(os.path.join(directory, ".terraform"))
    run.write(directory, ".terraform/providers", "no directory\n")
    run.says("cache without a place for the link", directory, ["init"], 1,
             "Failed to install provider from shared cache",
             TF_PLUGIN_CACHE_DIR=os.path.join(directory, "cache"))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--binary", required=True)
    args = parser.parse_args()
    if MACHINE is None:
        print("no packages for this machine")
        sys.exit(77)
    server = loopback.start()
    with tempfile.TemporaryDirectory() as root:
        run = Runner(os.path.abspath(args.binary), root, server)
        sound(run)
        faulty(run)
        configuration(run)
        interrupted(run)
    server.stop()
    print("%d failed" % run.failed)
    sys.exit(1 if run.failed else 0)


if __name__ == "__main__":
    main()
