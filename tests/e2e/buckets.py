#!/usr/bin/env python3
"""Installs modules from object stores and from behind passwords, all on this machine.

  buckets.py --binary PATH [--show]

--show prints what each run reported and requested, to compare two programs.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "servers"))
import bucket_server  # noqa: E402

KEYS = {"AWS_ACCESS_KEY_ID": "AKTEST", "AWS_SECRET_ACCESS_KEY": "secret/key+1"}
FAILED = "Failed to download module"


class Runner:
    def __init__(self, binary, root, server, show):
        self.binary, self.root, self.server, self.show = binary, root, server, show
        self.failed = self.count = 0

    def init(self, what, source, wanted="", env=None, dir_name=""):
        self.count += 1
        directory = os.path.join(self.root, "d%d" % self.count)
        os.mkdir(directory)
        with open(os.path.join(directory, "main.tf"), "w", encoding="utf-8") as file:
            file.write('module "m" {\n  source = "%s"\n}\n' % source)
        self.server.take_log()
        done = subprocess.run(
            [self.binary, "init", "-json"], cwd=directory, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, timeout=120, check=False,
            env=dict({"PATH": os.environ["PATH"], "HOME": self.root, "TF_CLI_CONFIG_FILE":
                      os.path.join(self.root, "none.tofurc"), "AWS_EC2_METADATA_DISABLED": "true"},
                     **(env or {})))
        errors = [json.loads(line)["diagnostic"] for line in done.stdout.splitlines()
                  if '"@level":"error"' in line and '"diagnostic"' in line]
        if self.show:
            print("-- %s: %d %s\n  %s" % (what, done.returncode, [e["summary"] for e in errors],
                                          "\n  ".join(self.server.take_log())))
            print("  " + " ".join(e["detail"] for e in errors).replace(self.server.host, "HOST"))
        ok = done.returncode == (1 if wanted else 0) and [e["summary"] for e in errors] == [
            wanted] * bool(wanted)
        place = os.path.join(directory, ".terraform/modules/m", dir_name, "main.tf")
        if not wanted:
            ok = ok and os.path.isfile(place)
        ok = ok and not os.path.exists(os.path.join(self.root, "escaped")) and not os.path.exists(
            os.path.join(directory, ".terraform/escaped"))
        if not ok:
            self.failed += 1
            print("FAIL %s\n%s%s" % (what, done.stdout, done.stderr))
        return done.stdout + done.stderr

    def write(self, name, text):
        path = os.path.join(self.root, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path


def s3(run):
    base = "s3::http://%s/bucket/" % run.server.host
    run.init("s3 archive", base + "net.zip", env=KEYS)
    run.init("s3 part of an archive", base + "net.zip//modules/sub", env=KEYS,
             dir_name="modules/sub")
    run.init("s3 region", base + "net.zip?region=eu-west-1", env=KEYS)
    run.init("s3 version", base + "net.zip?version=v1", env=KEYS)
    run.init("s3 other version", base + "net.zip?version=v2", FAILED, env=KEYS)
    run.init("s3 directory", base + "net", env=KEYS)
    run.init("s3 escaped name", base + "two%20words", env=KEYS)
    run.init("s3 checksum", base + "net.zip?checksum=md5:" + "0" * 32, FAILED, env=KEYS)
    run.init("s3 missing", base + "gone.zip", FAILED, env=KEYS)
    run.init("s3 other bucket", "s3::http://%s/none/net.zip" % run.server.host, FAILED, env=KEYS)
    run.init("s3 no key", "s3::http://%s/bucket" % run.server.host, FAILED, env=KEYS)
    out = run.init("s3 wrong secret", base + "net.zip", FAILED,
                   env=dict(KEYS, AWS_SECRET_ACCESS_KEY="x"))
    if "SignatureDoesNotMatch" not in out:
        run.failed += 1
        print("FAIL the reason is not reported\n" + out)
    run.init("s3 no credentials", base + "net.zip", FAILED)
    out = run.init("s3 keys in the address", base + "net.zip?aws_access_key_id=AKTEST&"
                   "aws_access_key_secret=secret%2Fkey%2B1")
    if "secret%2Fkey" in out:
        run.failed += 1
        print("FAIL the secret key is printed\n" + out)
    config = run.write("aws_config", "[default]\nregion = us-east-1\n[profile keys]\n"
                       "aws_access_key_id = AKTEST\naws_secret_access_key = secret/key+1\n"
                       "region = us-west-2\n[profile role]\nrole_arn = arn:aws:iam::1:role/r\n"
                       "source_profile = keys\n[profile program]\ncredential_process = %s\n"
                       % run.write("program", ""))
    with open(os.path.join(run.root, "program"), "w", encoding="utf-8") as file:
        file.write("#!/bin/sh\necho '%s'\n" % json.dumps({
            "Version": 1, "AccessKeyId": "AKTEST", "SecretAccessKey": "secret/key+1"}))
    os.chmod(os.path.join(run.root, "program"), 0o755)
    env = {"AWS_CONFIG_FILE": config, "AWS_ENDPOINT_URL_STS": "http://" + run.server.host}
    run.init("s3 profile in the address", base + "net.zip?aws_profile=keys", env=env)
    for profile in ("keys", "role", "program"):
        run.init("s3 profile " + profile, base + "net.zip", env=dict(env, AWS_PROFILE=profile))
    run.init("s3 missing profile", base + "net.zip", FAILED, env=dict(env, AWS_PROFILE="none"))
    machine = "http://" + run.server.host
    run.init("s3 machine", base + "net.zip", env={
        "AWS_EC2_METADATA_DISABLED": "false", "AWS_EC2_METADATA_SERVICE_ENDPOINT": machine})
    run.init("s3 AWS_METADATA_URL", base + "net.zip", env=dict(KEYS, AWS_METADATA_URL=machine))
    run.init("s3 of AWS", "bucket.s3-eu-west-1.amazonaws.com/net.zip", env=dict(
        KEYS, AWS_ENDPOINT_URL_S3="http://" + run.server.host))


def gcs(run):
    base = "gcs::https://www.googleapis.com/storage/v1/gbucket/"
    emulator = {"STORAGE_EMULATOR_HOST": run.server.host}
    run.init("gcs archive", base + "net.zip", env=emulator)
    run.init("gcs short form", "www.googleapis.com/storage/v1/gbucket/net.zip", env=emulator)
    run.init("gcs directory", base + "net", env=emulator)
    run.init("gcs missing", base + "gone.zip", FAILED, env=emulator)
    run.init("gcs other host", "gcs::https://example.test/storage/v1/gbucket/net.zip", FAILED,
             env=emulator)
    run.init("gcs no object", "gcs::https://www.googleapis.com/storage/v1/gbucket", FAILED,
             env=emulator)
    run.init("gcs without the token", base + "net.zip", env=dict(
        emulator, GOOGLE_OAUTH_ACCESS_TOKEN="given"))


def passwords(run):
    source = "http://%s/protected/net.zip" % run.server.host
    run.init("no password", source, FAILED)
    netrc = run.write("netrc", "machine other.test login a password b\nmachine %s\n  login net\n"
                      "  password me:pw\n" % run.server.host)
    run.init("netrc", source, env={"NETRC": netrc})
    run.init("default of netrc", source, env={"NETRC": run.write(
        "netrc2", "default login net password me:pw\n")})
    run.init("broken netrc", source, FAILED, env={"NETRC": run.write("netrc3", "what is this\n")})
    out = run.init("password in the address", source.replace("//", "//net:me:pw@"))
    if "me:pw" in out:
        run.failed += 1
        print("FAIL the password is printed\n" + out)
    run.init("other password in the address", source.replace("//", "//net:x@"), FAILED,
             env={"NETRC": netrc})


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--binary", required=True)
    parser.add_argument("--show", action="store_true")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as root:
        server = bucket_server.start()
        run = Runner(os.path.abspath(args.binary), root, server, args.show)
        s3(run)
        gcs(run)
        passwords(run)
        server.stop()
    print("%d failed" % run.failed)
    sys.exit(1 if run.failed else 0)


if __name__ == "__main__":
    main()
