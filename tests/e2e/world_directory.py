"""Directories of random worlds that have the tests' provider: for drift.py, offline.py, risks.py and why.py."""
import argparse
import os
import subprocess
import sys


class Failure(Exception):
    """Something is not as it must be."""


def check(condition, *what):
    if not condition:
        raise Failure(" ".join(str(part) for part in what))


def read_options(doc, seeds, *switches):
    """The options that these tests have, and `switches`. Ends the test if there is no provider: it is skipped."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", required=True)
    parser.add_argument("--mirror", required=True)
    parser.add_argument("--seeds", default=seeds)
    for switch in switches:
        parser.add_argument(switch, action="store_true")
    options = parser.parse_args()
    options.binary = os.path.abspath(options.binary)
    options.mirror = os.path.abspath(options.mirror)
    if not os.path.isdir(os.path.join(options.mirror, "registry.opentofu.org", "kinu", "kinutest")):
        print("%s: no provider in %s" % (parser.prog, options.mirror))
        sys.exit(77)
    options.first, options.last = map(int, options.seeds.split("-"))
    return options


class WorldDirectory:
    def __init__(self, options, path, **environment):
        self.path = path
        self.binary = options.binary
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith(("TF_", "KINU_"))}
        self.environment.update(environment)
        rc = os.path.join(path, "rc")
        self.write("rc", 'provider_installation {\n  filesystem_mirror {\n    path = "%s"\n  }\n}\n' % options.mirror)
        self.environment["TF_CLI_CONFIG_FILE"] = rc

    def run(self, *words, codes=(0,), before=()):
        """Runs a command, behind the words `before`. Fails unless it ends with one of the codes."""
        done = subprocess.run([*before, self.binary, *words], cwd=self.path, env=self.environment, timeout=120,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8")
        check(done.returncode in codes, "%s: exit %d\n%s%s" % (" ".join(words), done.returncode, done.stdout, done.stderr))
        return done

    def write(self, name, text):
        path = os.path.join(self.path, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def read(self, name):
        with open(os.path.join(self.path, name), encoding="utf-8") as file:
            return file.read()

    def files(self):
        """All files with their contents, and when they were changed."""
        out = {}
        for folder, _, names in os.walk(self.path):
            for name in names:
                path = os.path.join(folder, name)
                if not os.path.islink(path):
                    with open(path, "rb") as file:
                        out[path] = (file.read(), os.stat(path).st_mtime_ns)
        return out
