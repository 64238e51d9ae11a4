#!/usr/bin/env python3
"""Seals states and plans with keys of Amazon's key service (moto) and of passphrases, and rotates the keys.

  encryption.py --binary PATH [--other PATH] [--show]

What one program seals, the other one (OpenTofu, where there is one) reads, in both directions. With a C compiler, it
is counted how often kinu derives keys.
"""
import argparse
import contextlib
import glob
import json
import os
import shutil
import subprocess
import sys
import tempfile
import urllib.request

import backends

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import peers  # noqa: E402

SECRET = "a text that no file may show"
# Counts derivations in the file that COUNT names. The library is that of a module, which other files do not see.
COUNTER = r"""
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
int PKCS5_PBKDF2_HMAC(const char *a, int b, const unsigned char *c, int d, int e, const void *f, int g,
                      unsigned char *h) {
  FILE *file = fopen(getenv("COUNT"), "a");
  fputc('x', file);
  fclose(file);
  int (*next)() = (int (*)())dlsym(dlopen("libcrypto.so.3", RTLD_LAZY), "PKCS5_PBKDF2_HMAC");
  return next(a, b, c, d, e, f, g, h);
}
"""
KMS = 'key_provider "aws_kms" "%s" {\n kms_key_id = "%s"\n key_spec = "AES_256"\n region = "us-east-1"\n }\n'
PBKDF2 = 'key_provider "pbkdf2" "%s" {\n passphrase = "correct horse %s staple"\n iterations = 200000\n }\n'
METHOD = 'method "aes_gcm" "%s" { keys = key_provider.%s.%s }\n'
TARGET = "%s {\n method = method.%s\n %s\n }\n"


def make_key(endpoint):
    """The id of a new key of the service."""
    request = urllib.request.Request(endpoint, b"{}", {
        "Content-Type": "application/x-amz-json-1.1", "X-Amz-Target": "TrentService.CreateKey",
        "Authorization": "AWS4-HMAC-SHA256 Credential=t/20200101/us-east-1/kms/aws4_request, "
                         "SignedHeaders=host, Signature=0"})
    with urllib.request.urlopen(request, timeout=10) as answer:
        return json.load(answer)["KeyMetadata"]["KeyId"]


def block(first, second=None):
    """The block for a key provider (type, name, text), and for one that is read only; "" is no encryption."""
    parts = [first] + ([second] if second else [])
    text = "".join(provider + METHOD % (name, kind, name) for kind, name, provider in parts)
    fallback = ""
    if second is not None:
        text += "" if second else 'method "unencrypted" "none" {}\n'
        fallback = "fallback { method = method.%s }" % ("aes_gcm." + second[1] if second else "unencrypted.none")
    targets = [TARGET % (target, "aes_gcm." + first[1], fallback) for target in ("state", "plan")]
    return "encryption {\n%s%s}" % (text, "".join(targets))


def is_sealed(life, name):
    with open(os.path.join(life.root, name), "rb") as file:
        data = file.read()
    if SECRET.encode() in data or b'"encrypted_data"' not in data:
        life.failed.append("%s is not sealed" % name)


def change(life, encryption, count, writer):
    """Changes the state through a saved plan of that program; every program reads both."""
    text = "%s %d" % (SECRET, count)
    life.write(encryption, text)
    life.run("plan", "-out=p.bin", program=writer)
    is_sealed(life, "p.bin")
    for program in life.programs:
        life.run("show", "p.bin", says=SECRET, program=program)
    life.run("apply", "p.bin", program=life.programs[count % len(life.programs)])
    is_sealed(life, "terraform.tfstate")
    for program in life.programs:
        life.output(text, program)
        life.run("plan", says="No changes", program=program)


def rotate(life, keys):
    """From no encryption through all keys; each is the fallback of the next one, and then gone."""
    life.write("", SECRET)
    life.run("apply", "-auto-approve")
    count, before = 0, ""
    for key in keys:
        for encryption in (block(key, before), block(key)):
            for writer in life.programs:
                count += 1
                change(life, encryption, count, writer)
        before = key
    life.write(block(keys[0]), SECRET)
    for program in life.programs:
        life.run("plan", wanted=1, says="decryption failed", program=program)
    life.write(block(keys[-1]), SECRET)
    life.run("destroy", "-auto-approve")


def count_derivations(life, key):
    """One key opens what is stored, and one seals what a command stores, if it stores anything."""
    if not shutil.which("cc"):
        return "skipped: no C compiler"
    with open(os.path.join(life.root, "counter.c"), "w", encoding="utf-8") as file:
        file.write(COUNTER)
    subprocess.run(["cc", "-w", "-shared", "-fPIC", "-o", "counter.so", "counter.c"], cwd=life.root, check=True)
    for old in glob.glob(os.path.join(life.root, "terraform.tfstate*")):
        os.remove(old)
    count = os.path.join(life.root, "count")
    usual, kinu = life.environment, life.programs[0]
    told = []
    for words, wanted in ((["apply", "-auto-approve"], 1), (["plan", "-out=p.bin"], 2), (["plan"], 1),
                          (["output"], 1), (["state", "list"], 1), (["validate"], 0), (["apply", "-auto-approve", "-replace=terraform_data.a"], 2)):
        life.write(block(key), SECRET)
        open(count, "w", encoding="utf-8").close()
        life.environment = dict(usual, LD_PRELOAD=os.path.join(life.root, "counter.so"), COUNT=count)
        life.run(*words, program=kinu)
        found = os.path.getsize(count)
        told.append("%s %d" % (words[0], found))
        if found != wanted:
            life.failed.append("%s: %d keys were derived, wanted %d" % (" ".join(words), found, wanted))
    life.environment = usual
    life.run("destroy", "-auto-approve")
    return ", ".join(told)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--binary", required=True)
    parser.add_argument("--other", default="/usr/local/bin/tofu")
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    programs = [os.path.abspath(options.binary)]
    if os.access(options.other, os.X_OK):
        programs.append(options.other)
    keys = [("pbkdf2", name, PBKDF2 % (name, name)) for name in ("one", "two")]
    with contextlib.ExitStack() as stack:
        environment = {}
        try:
            environment = stack.enter_context(peers.start("moto"))
        except peers.Unavailable as why:
            print("no keys of a service: %s" % why)
        if environment:
            services = [("aws_kms", name, KMS % (name, make_key(environment["AWS_ENDPOINT_URL"]))) for name in ("a", "b")]
            keys = [services[0], *keys, services[1]]
        root = stack.enter_context(tempfile.TemporaryDirectory())
        life = backends.Life(programs, root, environment, options.show)
        rotate(life, keys)
        print("derivations: " + count_derivations(life, next(key for key in keys if key[0] == "pbkdf2")))
        for text in life.failed:
            print("FAIL " + text)
        print("%d commands, %d failed" % (life.count, len(life.failed)))
    return 1 if life.failed else 0


if __name__ == "__main__":
    sys.exit(main())
