#!/usr/bin/env python3
"""Signs a small release and verifies it (tools/provenance.py, tools/verify_release.sh), and then damaged ones.

    tests/package/provenance.py

Exits with 77 without gpg.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TOOLS = os.path.join(os.path.dirname(os.path.dirname(HERE)), "tools")
COMMIT = "0123456789abcdef0123456789abcdef01234567"
STATEMENT, DEB = "kinu-0.1.0.intoto.json", "kinu_0.1.0_amd64.deb"
FILES = (DEB, "kinu-0.1.0-linux-x86_64.tar.xz", "kinu-0.1.0.spdx.json", "kinu-0.1.0.cdx.json")
failures = []


def expect(holds, message):
    if not holds:
        failures.append(message)
        print("FAILED: " + message)


class Keys:
    """A home of gpg with two keys."""

    def __init__(self, folder):
        self.folder = os.path.join(folder, "gnupg")
        os.mkdir(self.folder, 0o700)
        os.environ["GNUPGHOME"] = self.folder
        for name in ("makers", "others"):
            self.gpg("--passphrase", "", "--quick-generate-key", "%s <%s@kinu.invalid>" % (name, name), "ed25519", "sign",
                     "never")
            with open(os.path.join(folder, name + ".asc"), "wb") as file:
                file.write(self.gpg("--armor", "--export", name + "@kinu.invalid"))

    def gpg(self, *words):
        return subprocess.run(["gpg", "--batch", "--quiet", *words], check=True, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL).stdout

    def close(self):
        subprocess.run(["gpgconf", "--kill", "all"], check=False)


def append(directory, name, text="x"):
    with open(os.path.join(directory, name), "a", encoding="utf-8") as file:
        file.write(text)


def replace(directory, name, old, new):
    path = os.path.join(directory, name)
    with open(path, encoding="utf-8") as file:
        text = file.read()
    assert old in text, (name, old)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text.replace(old, new))


def sign(directory, key="makers"):
    """Makes the list and its signature anew, and leaves the statement as it is."""
    names = sorted(set(os.listdir(directory)) - {"SHA256SUMS", "SHA256SUMS.asc"})
    sums = subprocess.run(["sha256sum", *names], cwd=directory, check=True, stdout=subprocess.PIPE).stdout
    with open(os.path.join(directory, "SHA256SUMS"), "wb") as file:
        file.write(sums)
    subprocess.run(["gpg", "--batch", "--yes", "--quiet", "--local-user", key + "@kinu.invalid", "--armor",
                    "--detach-sign", "SHA256SUMS"], cwd=directory, check=True)


def remove(directory, name):
    os.remove(os.path.join(directory, name))


def another_byte(directory):
    replace(directory, DEB, "contents", "Contents")


def changed_sums(directory):
    another_byte(directory)
    sums = os.path.join(directory, "SHA256SUMS")
    before = subprocess.run(["sha256sum", DEB], cwd=directory, check=True, stdout=subprocess.PIPE, text=True).stdout
    with open(sums, encoding="utf-8") as file:
        lines = [before if line.endswith("  %s\n" % DEB) else line for line in file]
    with open(sums, "w", encoding="utf-8") as file:
        file.writelines(lines)


def another_statement(directory):
    another_byte(directory)
    sign(directory)


def no_bill(directory):
    remove(directory, "kinu-0.1.0.cdx.json")
    sign(directory)


def link(directory):
    target = os.path.join(os.path.dirname(directory), "elsewhere")
    shutil.move(os.path.join(directory, DEB), target)
    os.symlink(target, os.path.join(directory, DEB))


# What is done to a release: what is said of it.
DAMAGES = {
    "a changed byte": (another_byte, DEB + " is not the file that SHA256SUMS names: its bytes were changed"),
    "a missing file": (lambda each: remove(each, DEB), DEB + " is missing"),
    "an extra file": (lambda each: append(each, "kinu.exe"), "kinu.exe is no file of this release"),
    "a hidden extra file": (lambda each: append(each, ".profile"), ".profile is no file of this release"),
    "another key": (lambda each: sign(each, "others"), "SHA256SUMS is not signed by a valid key of"),
    "changed sums": (changed_sums, "SHA256SUMS was changed after it was signed"),
    "a statement about other bytes": (another_statement, STATEMENT + " is about another " + DEB),
    "no bill of materials": (no_bill, "there is no bill of materials as CycloneDX"),
    "no signature": (lambda each: remove(each, "SHA256SUMS.asc"), "there is no SHA256SUMS.asc"),
    "an empty signature": (lambda each: open(os.path.join(each, "SHA256SUMS.asc"), "w").close(),
                           "SHA256SUMS is not signed by a valid key of"),
    "a link in place of a file": (link, DEB + " is missing"),
}


def make(directory):
    os.mkdir(directory)
    for name in FILES:
        append(directory, name, "contents of %s\n" % name)
    subprocess.run([sys.executable, os.path.join(TOOLS, "provenance.py"), directory, "--version", "0.1.0", "--commit",
                    COMMIT, "--key", "makers@kinu.invalid"], check=True)


def verify(directory, key):
    done = subprocess.run([os.path.join(TOOLS, "verify_release.sh"), directory, key], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False)
    return done.returncode, done.stdout


def test_good(folder, key):
    release = os.path.join(folder, "release")
    make(release)
    code, said = verify(release, key)
    expect(code == 0 and "5 files, as SHA256SUMS lists them" in said and COMMIT in said, said)
    with open(os.path.join(release, STATEMENT), encoding="utf-8") as file:
        statement = json.load(file)
    expect([each["name"] for each in statement["subject"]] == sorted(FILES), str(statement["subject"]))
    definition = statement["predicate"]["buildDefinition"]
    expect({"buildType", "externalParameters", "resolvedDependencies"} <= set(definition), str(definition))
    expect(definition["resolvedDependencies"][0]["digest"] == {"gitCommit": COMMIT}, "the commit is not stated")
    expect(any("/libssl-dev@" in each["uri"] for each in definition["resolvedDependencies"]), "the packages are not stated")
    again = os.path.join(folder, "again")
    make(again)
    for name in (STATEMENT, "SHA256SUMS"):
        with open(os.path.join(release, name), "rb") as one, open(os.path.join(again, name), "rb") as other:
            expect(one.read() == other.read(), "%s differs between two runs" % name)
    return release


def main():
    if not shutil.which("gpg"):
        print("tests/package/provenance.py: skipped: gpg is not installed")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        keys = Keys(folder)
        try:
            key = os.path.join(folder, "makers.asc")
            release = test_good(folder, key)
            for name, (damage, wanted) in DAMAGES.items():
                copy = os.path.join(folder, "copy")
                shutil.rmtree(copy, ignore_errors=True)
                shutil.copytree(release, copy)
                damage(copy)
                code, said = verify(copy, key)
                print("%-30s %s" % (name, said.strip().splitlines()[-1]))
                expect(code == 1 and "REFUSED: " + wanted in said, "%s: exit %d, %s" % (name, code, said))
        finally:
            keys.close()
    print("provenance: %s" % ("%d failed" % len(failures) if failures else "ok"))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
