#!/usr/bin/env python3
"""Installs modules whose addresses fix their content: counts what servers and git are asked for, damages
the cache, kills installations, runs many at once, takes the room, and looks for secrets.

  module_cache.py --binary PATH [--kills N] [--inits N] [--damages N] [--seed N] [--show]

--show prints how many requests each step made, to compare two programs.
"""
import argparse
import hashlib
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
import oci_registry  # noqa: E402

USER, SECRET = "lovelace", "hush-hush"
REPOSITORIES = ("one", "two", "three")
GIT = {"GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@example.test", "GIT_COMMITTER_NAME": "A",
       "GIT_COMMITTER_EMAIL": "a@example.test", "GIT_CONFIG_NOSYSTEM": "1"}


class Places:
    """Servers with modules, and directories that call them."""

    def __init__(self, binary, root):
        self.binary, self.root, self.count, self.failed = binary, root, 0, 0
        self.files = os.path.join(root, "files")
        os.mkdir(self.files)
        self.server = loopback.start(self.files)
        self.oci = oci_registry.start()
        with_secret = self.server.url.replace("http://", "http://%s:%s@" % (USER, SECRET))
        self.calls = {}
        for name in REPOSITORIES:
            commit = self.make_repository(name)
            self.calls["git_" + name] = "git::%s/files/%s.git?ref=%s" % (with_secret, name, commit)
        for version in ("1.1.0", "1.2.0", "1.3.0"):
            data = loopback.pack(loopback.module_files("net", version))
            self.calls["archive_" + version[2]] = "%s/archives/net-%s.zip?checksum=sha256:%s&sig=%s" % (
                with_secret, version, hashlib.sha256(data).hexdigest(), SECRET)
        self.calls["oci"] = "oci://%s/modules/good?digest=%s" % (
            self.oci.host, oci_registry.digest(oci_registry.Repository("modules", "good").tags["latest"]))

    def make_repository(self, name):
        """A repository that is served as plain files. Returns its commit."""
        work = os.path.join(self.root, "work-" + name)
        os.makedirs(os.path.join(work, "modules", "sub"))
        for file, text in loopback.module_files(name, "1.0.0").items():
            self.write(work, file, text)
        os.symlink("../main.tf", os.path.join(work, "modules", "link.txt"))
        self.write(work, "run.sh", "#!/bin/sh\n")
        os.chmod(os.path.join(work, "run.sh"), 0o755)
        bare = os.path.join(self.files, name + ".git")
        for words in (["init", "-q", "-b", "main"], ["add", "."], ["commit", "-q", "-m", "one"],
                      ["tag", "v1"], ["clone", "-q", "--bare", ".", bare],
                      ["-C", bare, "update-server-info"]):
            subprocess.run(["git", *words], cwd=work, check=True, env={**os.environ, **GIT})
        return subprocess.run(["git", "rev-parse", "HEAD"], cwd=work, check=True, text=True,
                              stdout=subprocess.PIPE).stdout.strip()

    @staticmethod
    def write(directory, name, text):
        with open(os.path.join(directory, name), "w", encoding="utf-8") as file:
            file.write(text)

    def home(self, name):
        path = os.path.join(self.root, "home-" + name)
        os.makedirs(path, exist_ok=True)
        return path

    @staticmethod
    def cache(home):
        return os.path.join(home, ".cache", "kinu", "modules")

    def make(self):
        self.count += 1
        directory = os.path.join(self.root, "d%d" % self.count)
        os.mkdir(directory)
        self.write(directory, "main.tf", "".join('module "%s" {\n  source = "%s"\n}\n' % pair
                                                 for pair in self.calls.items()))
        self.write(directory, "cli.tofurc", "")
        return directory

    def start(self, directory, home, *args, before=None, **env):
        return subprocess.Popen(
            [self.binary, *(args or ("init",)), "-no-color"], cwd=directory, text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            preexec_fn=before, start_new_session=True,
            env={"PATH": os.environ["PATH"], "HOME": home, "SSL_CERT_FILE": oci_registry.CERTIFICATE,
                 "TF_CLI_CONFIG_FILE": os.path.join(directory, "cli.tofurc"), **GIT, **env})

    def init(self, directory, home, *args, **more):
        process = self.start(directory, home, *args, **more)
        text = process.communicate(timeout=300)[0]
        return process.returncode, text

    def requests(self):
        return self.server.take_log() + self.oci.take_log()

    def expect(self, what, ok, text=""):
        if not ok:
            self.failed += 1
            print("FAIL %s\n%s" % (what, text))


def tree(directory, history=True):
    """What is below the modules of a directory: kind, mode and content. Without `history`, not what git
    writes anew for each clone."""
    found = {}
    base = os.path.join(directory, ".terraform", "modules")
    for parent, folders, names in os.walk(base):
        if not history:
            folders[:] = [f for f in folders if f != "logs"]
            names = [n for n in names if n != "index" and not n.startswith("pack-")]
        for name in folders + names:
            path = os.path.join(parent, name)
            mode = os.lstat(path).st_mode
            data = ""
            if os.path.islink(path):
                data = os.readlink(path)
            elif os.path.isfile(path):
                with open(path, "rb") as file:
                    data = file.read()
            found[os.path.relpath(path, base)] = (mode, data)
    return found


def differences(one, two):
    return sorted(n for n in set(one) | set(two) if one.get(n) != two.get(n))


def stored(places, home):
    cache = places.cache(home)
    return sorted(os.listdir(cache)) if os.path.isdir(cache) else []


def requests(places, show):
    """Only the first installation asks, whatever command it is."""
    home = places.home("requests")
    places.requests()
    first = places.make()
    code, text = places.init(first, home)
    places.expect("first", code == 0, text)
    counts = {"first": len(places.requests())}
    wanted = tree(first)
    places.expect("what is stored", len(stored(places, home)) == len(places.calls) + 1,
                  str(stored(places, home)))  # the manifest of the OCI package too
    second = places.make()
    for what, directory, args in (("another directory", second, ["init"]),
                                  ("update", second, ["get", "-update"]),
                                  ("upgrade", second, ["init", "-upgrade"])):
        code, text = places.init(directory, home, *args)
        log = places.requests()
        counts[what] = len(log)
        places.expect(what, code == 0 and not log and "Downloading" in text, "%s\n%s" % (text, log))
        places.expect(what + ": installed", not differences(tree(directory), wanted),
                      str(differences(tree(directory), wanted)))
    with open(os.path.join(second, ".terraform/modules/git_one/.git/config"), encoding="utf-8") as file:
        places.expect("the address in a clone", SECRET in file.read())
    off = places.make()
    code, text = places.init(off, home, KINU_MODULE_CACHE="0")
    counts["off"] = len(places.requests())
    places.expect("off", code == 0 and counts["off"] == counts["first"], str(counts))
    places.expect("off: installed", not differences(tree(off, False), tree(first, False)),
                  str(differences(tree(off, False), tree(first, False))))
    other = places.home("off")
    places.init(places.make(), other, KINU_MODULE_CACHE="0")
    places.expect("off: nothing is stored", not stored(places, other), str(stored(places, other)))
    if show:
        print(counts)


def secrets(places):
    """No token, password or signature is in the cache."""
    home = places.home("requests")
    for name in stored(places, home):
        with open(os.path.join(places.cache(home), name), "rb") as file:
            data = file.read()
        for secret in (SECRET, USER, "127.0.0.1"):
            places.expect("%s in %s" % (secret, name), secret.encode() not in data)
        mode = os.stat(os.path.join(places.cache(home), name)).st_mode & 0o777
        places.expect("mode of " + name, mode == 0o600, oct(mode))


def damaged(places, count, draw):
    """What is damaged is fetched again, and never installed."""
    home = places.home("damaged")
    whole = places.make()
    code, text = places.init(whole, home)
    places.expect("before damage", code == 0, text)
    wanted = tree(whole, False)
    for i in range(count):
        name = draw.choice(stored(places, home))
        path = os.path.join(places.cache(home), name)
        with open(path, "rb") as file:
            data = bytearray(file.read())
        at = draw.randrange(len(data))
        if i % 3 == 0:
            del data[at:]
        else:
            data[at] ^= 1 << draw.randrange(8)
        with open(path, "wb") as file:
            file.write(data)
        places.requests()
        directory = places.make()
        code, text = places.init(directory, home)
        places.expect("damage %d of %s at %d: asked again" % (i, name, at), bool(places.requests()))
        got = tree(directory, False)
        places.expect("damage %d of %s at %d" % (i, name, at),
                      code == 0 and not differences(got, wanted), "%s\n%s" % (
                          text, differences(got, wanted)))
        shutil.rmtree(directory)


def killed(places, count, draw):
    """Whatever a killed installation leaves, the next one is right and cleans up."""
    home = places.home("killed")
    began = time.monotonic()
    whole = places.make()
    code, text = places.init(whole, home)
    cold = time.monotonic() - began
    places.expect("before kills", code == 0, text)
    wanted = tree(whole, False)
    ended = 0
    for i in range(count):
        if i % 2 == 0:
            shutil.rmtree(places.cache(home))
        directory = places.make()
        process = places.start(directory, home)
        time.sleep(draw.uniform(0, (1.1 if i % 2 == 0 else 0.5) * cold))
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        else:
            ended += 1
        process.communicate()
        code, text = places.init(directory, home)
        got = tree(directory, False)
        places.expect("kill %d" % i, code == 0 and not differences(got, wanted), "%s\n%s" % (
            text, differences(got, wanted)))
        shutil.rmtree(directory)
    shutil.rmtree(places.cache(home))
    places.init(places.make(), home)
    left = [n for n in stored(places, home) if n.startswith(".")]
    places.expect("left in the cache", not left, str(left))
    print("%d installations killed, %d had ended" % (count, ended))


def at_once(places, count):
    home = places.home("many")
    directories = [places.make() for _ in range(count)]
    results = {}

    def run(directory):
        results[directory] = places.init(directory, home)

    threads = [threading.Thread(target=run, args=(d,)) for d in directories]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    wanted = tree(directories[0], False)
    for directory in directories:
        code, text = results[directory]
        got = tree(directory, False)
        places.expect("one of many", code == 0 and not differences(got, wanted), "%s\n%s" % (
            text, differences(got, wanted)))
    places.expect("what many stored", len(stored(places, home)) == len(places.calls) + 1,
                  str(stored(places, home)))
    places.requests()
    code, text = places.init(places.make(), home)
    places.expect("after many", code == 0 and not places.requests(), text)
    print("%d installations at once" % count)


def without_room(places):
    """A cache that cannot be written is no error."""
    home = places.home("room")
    os.makedirs(places.cache(home))
    os.chmod(places.cache(home), 0o777)
    code, text = places.init(places.make(), home)
    places.expect("a directory of everybody", code == 0 and not stored(places, home), text)
    os.chmod(places.cache(home), 0o700)

    def before():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))
    code, text = places.init(places.make(), home, before=before)
    names = stored(places, home)
    places.expect("no room for clones", code == 0 and names and
                  not any(n.startswith(("git-", ".")) for n in names), "%s\n%s" % (names, text))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--binary", required=True)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--inits", type=int, default=16)
    parser.add_argument("--damages", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    if shutil.which("git") is None:
        print("no git")
        sys.exit(77)
    draw = random.Random(options.seed)
    with tempfile.TemporaryDirectory(prefix="kinu-module-cache-") as root:
        places = Places(os.path.abspath(options.binary), root)
        requests(places, options.show)
        secrets(places)
        damaged(places, options.damages, draw)
        killed(places, options.kills, draw)
        at_once(places, options.inits)
        without_room(places)
        places.server.stop()
        places.oci.stop()
    print("module cache: %d problems" % places.failed)
    sys.exit(1 if places.failed else 0)


if __name__ == "__main__":
    main()
