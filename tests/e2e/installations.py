#!/usr/bin/env python3
"""Disturbs installations from a registry on the loopback interface: kills them at random moments, runs
many at once on one plugin cache, and takes the room on the disk.

  installations.py --binary PATH [--kills N] [--inits N] [--seed N]
"""
import argparse
import glob
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "servers"))
import loopback  # noqa: E402

HOST = "registry.opentofu.org"  # whose packages may be without signatures
PROVIDERS = ["acme/one", "acme/three", "acme/four", "acme/big"]
MODULES = ["net", "web", "nested", "store"]


class Places:
    def __init__(self, binary, root):
        self.binary, self.root, self.count = binary, root, 0
        self.server = loopback.start(os.path.join(root, "files"))

    def make(self, cache=""):
        """A directory that requires all providers and modules."""
        self.count += 1
        directory = os.path.join(self.root, "d%d" % self.count)
        os.mkdir(directory)
        self.write(directory, "main.tf", "terraform {\n  required_providers {\n%s  }\n}\n%s" % (
            "".join('    %s = { source = "%s" }\n' % (n.split("/")[1], n) for n in PROVIDERS),
            "".join('module "%s" {\n  source = "%s/archives/%s-1.0.0.zip"\n}\n' % (
                n, self.server.url, n) for n in MODULES)))
        self.write(directory, "cli.tofurc", 'host "%s" {\n  services = {\n    "providers.v1" = '
                   '"%s/providers/"\n  }\n}\n%s' % (HOST, self.server.url, cache))
        return directory

    @staticmethod
    def write(directory, name, text):
        with open(os.path.join(directory, name), "w", encoding="utf-8") as file:
            file.write(text)

    def start(self, directory, before=None, **env):
        return subprocess.Popen([self.binary, "init", "-no-color"], cwd=directory, text=True,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, preexec_fn=before, start_new_session=True,
                                env={"PATH": os.environ["PATH"], "HOME": self.root,
                                     "TF_CLI_CONFIG_FILE": os.path.join(directory, "cli.tofurc"), **env})

    def init(self, directory, before=None, **env):
        process = self.start(directory, before, **env)
        text = process.communicate(timeout=300)[0]
        return process.returncode, text


def tree(directory, *parts):
    """The files below a directory with their content, without those of a repository's history."""
    found = {}
    base = os.path.join(directory, *parts)
    for parent, _, names in os.walk(base, followlinks=True):
        for name in names:
            path = os.path.join(parent, name)
            with open(path, "rb") as file:
                found[os.path.relpath(path, base)] = file.read()
    return found


def installed(directory):
    with open(os.path.join(directory, ".terraform.lock.hcl"), encoding="utf-8") as file:
        return file.read(), tree(directory, ".terraform")


def killed(places, count, seed):
    """The next init finishes what a killed one began, and leaves nothing of it behind."""
    whole = places.make()
    began = time.monotonic()
    code, text = places.init(whole)
    duration = time.monotonic() - began
    if code != 0:
        return ["init: " + text]
    wanted = installed(whole)
    draw = random.Random(seed)
    problems = []
    ended = 0
    for i in range(count):
        directory = places.make()
        process = places.start(directory)
        time.sleep(draw.uniform(0, 1.1 * duration))
        ended += process.poll() is not None
        process.send_signal(signal.SIGKILL)
        process.communicate()
        code, text = places.init(directory)
        if code != 0:
            problems.append("init after kill %d: %s" % (i, text))
        elif installed(directory) != wanted:
            lock, files = installed(directory)
            problems.append("kill %d: lock file %s; files that differ: %s" % (
                i, "right" if lock == wanted[0] else "wrong", sorted(
                    n for n in set(files) | set(wanted[1]) if files.get(n) != wanted[1].get(n))))
        shutil.rmtree(directory)
    print("%d installations killed, %d had ended" % (count, ended))
    return problems


def at_once(places, count):
    """Many installations share a cache: every package is there once, and each of them is right."""
    cache = os.path.join(places.root, "cache")
    os.mkdir(cache)
    directories = [places.make('plugin_cache_dir = "%s"\n' % cache) for _ in range(count)]
    problems = []

    def run(directory):
        code, text = places.init(directory)
        if code != 0:
            problems.append("one of many: " + text)

    threads = [threading.Thread(target=run, args=(d,)) for d in directories]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if problems:
        return problems
    locks = {installed(d)[0] for d in directories}
    if len(locks) != 1:
        problems.append("%d different lock files" % len(locks))
    for directory in directories:
        links = glob.glob(os.path.join(directory, ".terraform/providers/*/*/*/*/*"))
        problems += ["a copy beside the cache: " + link for link in links if not os.path.islink(link)]
    names = [os.path.basename(n) for n in glob.glob(cache + "/**/terraform-provider-*", recursive=True)]
    if sorted(names) != sorted("terraform-provider-%s_v1.0.0" % p.split("/")[1] for p in PROVIDERS):
        problems.append("in the cache: %s" % names)
    left = [n for n in tree(cache) if n.endswith((".new", ".zip", ".tmp"))]
    print("%d installations at once" % count)
    return problems + ["left in the cache: " + name for name in left]


def without_room(places):
    """No file can grow beyond a size: one clear error, and nothing half done."""
    problems = []
    for limit in (0, 100, 5000):
        directory = places.make()

        def before(limit=limit):
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        code, text = places.init(directory, before, TMPDIR=directory)
        if code != 1 or "Error: " not in text or "file too large" not in text:
            problems.append("limit of %d: exit code %d\n%s" % (limit, code, text))
        if os.path.exists(os.path.join(directory, ".terraform.lock.hcl")):
            problems.append("limit of %d: a lock file was written" % limit)
        left = [n for n in tree(directory, ".terraform") if ".new" in n]
        problems += ["limit of %d: left %s" % (limit, n) for n in left]
        code, text = places.init(directory)
        if code != 0:
            problems.append("init after a limit of %d: %s" % (limit, text))
    return problems


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--binary", required=True)
    parser.add_argument("--kills", type=int, default=30)
    parser.add_argument("--inits", type=int, default=16)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="kinu-installations-") as root:
        os.mkdir(os.path.join(root, "files"))
        places = Places(os.path.abspath(options.binary), root)
        problems = (killed(places, options.kills, options.seed) + at_once(places, options.inits) +
                    without_room(places))
        places.server.stop()
    for problem in problems:
        print("FAIL", problem)
    print("installations: %d problems" % len(problems))
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
