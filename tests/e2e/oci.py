#!/usr/bin/env python3
"""Installs modules and providers from an OCI registry on this machine, sound and faulty.

  oci.py --binary PATH [--show]

--show prints what each run reported and requested, to compare two programs.
"""
import argparse
import base64
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "servers"))
import oci_registry  # noqa: E402

MODULE = "Failed to download module"
QUERY = "Failed to resolve provider packages"
MISSING = "Failed to query available provider packages"
INSTALL = "Failed to install provider"
# After the address of the repository: the rest of the address, the expected error; "" for success.
MODULES = [
    ("good", "", ""), ("good", "?tag=1.0.0", ""), ("good", "//modules/sub", ""),
    ("moved", "", ""),
    ("good", "?tag=9.0.0", MODULE), ("good", "?tag=", MODULE), ("good", "?tag=a%2Fb", MODULE),
    ("good", "?digest=sha256:" + "0" * 64, MODULE), ("good", "?digest=md5:00", MODULE),
    ("good", "?tag=1.0.0&digest=sha256:" + "0" * 64, MODULE), ("good", "?ref=main", MODULE),
    ("good", "?tag=1.0.0&tag=latest", MODULE), ("good", "?archive=zip", MODULE),
    ("good", "//nowhere", "Failed to expand subdir globs"), ("Upper", "", MODULE),
    ("unknown", "", MODULE),
] + [(name, "", MODULE) for name in (
    "closed", "tokens", "foreign", "wrongblob", "shortblob", "wrongmanifest", "wrongkind",
    "noheader", "nolayer", "twolayers", "tarlayer", "gone", "escaping", "sha1", "bigmanifest",
    "notjson", "status401", "status403", "status404", "status500", "index")]
PROVIDERS = [
    ("good", ""), ("pages", ""), ("moved", ""), ("unknown", MISSING), ("closed", QUERY),
    ("tokens", QUERY), ("foreign", INSTALL), ("wrongblob", INSTALL), ("shortblob", INSTALL),
    ("wrongmanifest", INSTALL), ("noheader", INSTALL), ("nolayer", INSTALL),
    ("twolayers", INSTALL), ("tarlayer", INSTALL), ("gone", INSTALL), ("escaping", INSTALL),
    ("sha1", INSTALL), ("bigmanifest", INSTALL), ("notjson", INSTALL), ("status401", QUERY),
    ("status403", QUERY), ("status404", MISSING), ("status500", QUERY), ("image", INSTALL),
    ("elsewhere", "Incompatible provider version"), ("twice", INSTALL), ("noplatform", INSTALL),
    ("osversion", "Incompatible provider version"), ("odd", INSTALL), ("wrongkind", INSTALL)]


class Runner:
    def __init__(self, binary, root, registry, show):
        self.binary, self.root, self.registry, self.show = binary, root, registry, show
        self.failed = self.count = 0

    def init(self, configuration, settings="", home=None, path=None):
        """Runs init in a fresh directory. Returns (exit code, summaries of errors, requests)."""
        self.count += 1
        directory = os.path.join(self.root, "d%d" % self.count)
        os.mkdir(directory)
        for name, text in (("main.tf", configuration), ("cli.tofurc", settings)):
            with open(os.path.join(directory, name), "w", encoding="utf-8") as file:
                file.write(text)
        self.registry.take_log()
        done = subprocess.run(
            [self.binary, "init", "-json"], cwd=directory, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, timeout=120, check=False,
            env={"PATH": (path + ":" if path else "") + os.environ["PATH"],
                 "HOME": home or self.root, "TF_PROVIDER_DOWNLOAD_RETRY": "0",
                 "TF_REGISTRY_DISCOVERY_RETRY": "0",
                 "SSL_CERT_FILE": oci_registry.CERTIFICATE,
                 "TF_CLI_CONFIG_FILE": os.path.join(directory, "cli.tofurc")})
        summaries, details = [], []
        for line in done.stdout.splitlines():
            message = json.loads(line)
            if message.get("@level") == "error" and "diagnostic" in message:
                summaries.append(message["diagnostic"]["summary"])
                details.append(message["diagnostic"]["detail"])
        log = self.registry.take_log()
        if self.show:
            print("%d %s\n  %s\n  %s %s" % (
                done.returncode, summaries, "\n  ".join(log).replace(self.registry.host, "HOST"),
                " ".join(details).replace(self.registry.host, "HOST"), done.stderr))
        return done.returncode, summaries, log, directory

    def expect(self, what, ok, text=""):
        if not ok:
            self.failed += 1
            print("FAIL %s\n%s" % (what, text))

    def module(self, name, rest="", **options):
        return self.init('module "m" {\n  source = "oci://%s/modules/%s%s"\n}\n' % (
            self.registry.host, name, rest), **options)

    def provider(self, name, settings="", **options):
        return self.init(
            'terraform {\n  required_providers {\n    p = {\n      source = '
            '"registry.example.test/acme/%s"\n    }\n  }\n}\n' % name,
            'provider_installation {\n  oci_mirror {\n    repository_template = '
            '"%s/providers/${namespace}/${type}"\n    include = ["registry.example.test/*/*"]\n'
            '  }\n}\n%s' % (self.registry.host, settings), **options)

    def check(self, what, result, wanted):
        code, summaries, _, directory = result
        self.expect(what, code == (1 if wanted else 0) and summaries == [wanted] * bool(wanted),
                    "%s, wanted %s" % (result[:3], wanted))
        lock = os.path.join(directory, ".terraform.lock.hcl")
        self.expect(what + ": nothing is installed", not wanted or not (
            os.path.exists(lock) or os.path.exists(os.path.join(self.root, "escaped"))))


def all_forms(run):
    for name, rest, wanted in MODULES:
        if run.show:
            print("-- module", name, rest)
        run.check("module %s%s" % (name, rest), run.module(name, rest), wanted)
    for name, wanted in PROVIDERS:
        if run.show:
            print("-- provider", name)
        run.check("provider " + name, run.provider(name), wanted)


def credentials(run):
    host = run.registry.host
    block = ('oci_credentials "%s" {\n  username = "u"\n  password = "p"\n}\n')
    auth = json.dumps({"auths": {host: {"auth": base64.b64encode(b"u:p").decode()}}})
    home = os.path.join(run.root, "home")
    os.makedirs(os.path.join(home, ".docker"))
    tools = os.path.join(run.root, "tools")
    os.mkdir(tools)
    helper = os.path.join(tools, "docker-credential-kinutest")
    with open(helper, "w", encoding="utf-8") as file:
        file.write('#!/bin/sh\nread server\n[ "$1 $server" = "get https://%s" ] || exit 1\n'
                   'echo \'{"ServerURL":"x","Username":"u","Secret":"p"}\'\n' % host)
    os.chmod(helper, 0o755)
    with open(os.path.join(home, ".docker/config.json"), "w", encoding="utf-8") as file:
        file.write(auth)
    ways = [("block", {"settings": block % host}),
            ("block of a path", {"settings": block % (host + "/modules") + block.replace(
                '"u"', '"other"') % host}),
            ("file of Docker", {"home": home}),
            ("named file", {"settings": 'oci_default_credentials {\n  docker_style_config_files = '
                            '["%s/.docker/config.json"]\n}\n' % home}),
            ("helper", {"path": tools, "settings": 'oci_default_credentials {\n  '
                        'docker_credentials_helper = "kinutest"\n}\n'})]
    for what, options in ways:
        for name in ("closed", "tokens"):
            result = run.module(name, **options)
            run.check("%s with a %s" % (name, what), result, "")
    run.check("provider with credentials", run.provider(
        "tokens", 'oci_credentials "%s" {\n  username = "u"\n  password = "p"\n}\n' % host), "")
    none = 'oci_default_credentials {\n  discover_ambient_credentials = false\n}\n'
    run.check("no discovery", run.module("closed", settings=none, home=home), MODULE)
    missing = 'oci_default_credentials {\n  docker_style_config_files = ["/nowhere/x"]\n}\n'
    run.check("a missing file", run.module("good", settings=missing), MODULE)
    result = run.module("moved", settings=block % host)
    run.expect("no credentials elsewhere", not any(
        "/elsewhere/" in line and " as " in line for line in result[2]), str(result[2]))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--binary", required=True)
    parser.add_argument("--show", action="store_true")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as root:
        registry = oci_registry.start()
        run = Runner(os.path.abspath(args.binary), root, registry, args.show)
        all_forms(run)
        credentials(run)
        registry.stop()
    print("%d failed" % run.failed)
    sys.exit(1 if run.failed else 0)


if __name__ == "__main__":
    main()
