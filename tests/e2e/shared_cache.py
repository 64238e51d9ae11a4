#!/usr/bin/env python3
"""Runs commands while installations use the same plugin cache: neither may disturb the other.

  shared_cache.py --binary PATH --mirror DIRECTORY [--commands N] [--inits N]

The mirror has the test provider (kinu/kinutest) as a zip file. Directories without a lock file are
initialised again and again, while commands run in initialised directories with the same cache. Then
many directories are initialised at once with an empty cache. Without the provider the test is
skipped (exit code 77).
"""
import argparse
import glob
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import zipfile

CONFIGURATION = """terraform {
  required_providers {
    kinutest = { source = "kinu/kinutest" }
  }
}
"""
BESIDE = [["validate"], ["providers", "schema", "-json"], ["init"], ["plan", "-refresh-only"]]


class Places:
    def __init__(self, binary, root, package):
        self.binary = binary
        self.root = root
        mirror = os.path.join(root, "mirror/registry.opentofu.org/kinu/kinutest")
        os.makedirs(mirror)
        system = os.path.basename(os.path.dirname(package))
        with zipfile.ZipFile(os.path.join(
                mirror, "terraform-provider-kinutest_1.0.0_%s.zip" % system), "w",
                zipfile.ZIP_DEFLATED, compresslevel=1) as packed:
            info = zipfile.ZipInfo(os.path.basename(package), (2026, 1, 1, 0, 0, 0))
            info.external_attr = 0o755 << 16
            info.compress_type = zipfile.ZIP_DEFLATED
            with open(package, "rb") as file:
                packed.writestr(info, file.read())
        self.config = os.path.join(root, "cli.tfrc")
        with open(self.config, "w", encoding="utf-8") as file:
            file.write('provider_installation {\n  filesystem_mirror {\n    path = "%s/mirror"\n'
                       '  }\n}\nplugin_cache_dir = "%s/cache"\n' % (root, root))
        self.new_cache()

    def new_cache(self):
        shutil.rmtree(os.path.join(self.root, "cache"), ignore_errors=True)
        os.mkdir(os.path.join(self.root, "cache"))

    def make(self, name):
        directory = os.path.join(self.root, name)
        os.mkdir(directory)
        with open(os.path.join(directory, "main.tf"), "w", encoding="utf-8") as file:
            file.write(CONFIGURATION)
        return directory

    def run(self, directory, words):
        return subprocess.run([self.binary, *words, "-no-color"] if words[0] != "providers"
                              else [self.binary, *words], cwd=directory, stdin=subprocess.DEVNULL,
                              env={"PATH": os.environ.get("PATH", ""), "HOME": self.root,
                                   "TF_CLI_CONFIG_FILE": self.config},
                              capture_output=True, text=True, timeout=120, check=False)


def beside_installations(places, commands):
    problems = []
    stop = threading.Event()
    rounds = [0]

    def install(directory):
        while not stop.is_set():
            for left in glob.glob(os.path.join(directory, ".terraform*")):
                shutil.rmtree(left) if os.path.isdir(left) else os.remove(left)
            done = places.run(directory, ["init"])
            rounds[0] += 1
            if done.returncode != 0:
                problems.append("init: " + done.stderr)

    def use(directory, count):
        for i in range(count):
            words = BESIDE[i % len(BESIDE)]
            done = places.run(directory, words)
            if done.returncode != 0:
                problems.append("%s: %s" % (words, done.stderr))

    users = [places.make("user%d" % i) for i in range(4)]
    for directory in users:
        assert places.run(directory, ["init"]).returncode == 0
    installers = [threading.Thread(target=install, args=(places.make("init%d" % i),))
                  for i in range(3)]
    workers = [threading.Thread(target=use, args=(d, commands // len(users))) for d in users]
    for thread in installers + workers:
        thread.start()
    for thread in workers:
        thread.join()
    stop.set()
    for thread in installers:
        thread.join()
    print("%d commands beside %d installations" % (commands, rounds[0]))
    return problems


def at_once(places, count):
    places.new_cache()
    problems = []

    def install(directory):
        done = places.run(directory, ["init"])
        if done.returncode != 0:
            problems.append("one of many: " + done.stderr)

    threads = [threading.Thread(target=install, args=(places.make("many%d" % i),))
               for i in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    left = glob.glob(os.path.join(places.root, "cache/**/*.new"), recursive=True)
    return problems + ["left in the cache: %s" % name for name in left]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", required=True)
    parser.add_argument("--mirror", required=True)
    parser.add_argument("--commands", type=int, default=40)
    parser.add_argument("--inits", type=int, default=16)
    options = parser.parse_args()
    packages = glob.glob(os.path.join(options.mirror, "registry.opentofu.org/kinu/kinutest/1.0.0/*",
                                      "terraform-provider-kinutest_v1.0.0"))
    if not packages:
        print("no provider in", options.mirror)
        return 77
    root = tempfile.mkdtemp(prefix="kinu-cache-")
    try:
        places = Places(os.path.abspath(options.binary), root, packages[0])
        problems = beside_installations(places, options.commands) + at_once(places, options.inits)
    finally:
        shutil.rmtree(root, ignore_errors=True)
    for problem in problems:
        print("FAIL", problem.strip())
    print("shared cache: %d problems" % len(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
