#!/usr/bin/env python3
"""Compares the requests of the backends oss and cos with recorded ones, and logs in by each way.

  object_stores.py --binary PATH [--reference PATH] [--update]

The services are scripted (alibaba_service.py, tencent_service.py) and check every signature.
object_stores.txt has what one life of a state requests, each kind of request once; --update
(KINU_UPDATE=1) records it anew, --reference shows which requests only one of two programs sends.
Without openssl the part about cos is skipped.
"""
import argparse
import base64
import difflib
import json
import os
import re
import subprocess
import sys
import tempfile
import urllib.parse

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "servers"))
import alibaba_service  # noqa: E402
import state_service  # noqa: E402
import state_services  # noqa: E402
import tencent_service  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
RECORD = os.path.join(HERE, "object_stores.txt")
OSS = ('bucket = "states"\n    encrypt = true\n    acl = "private"\n    tablestore_table = "locks"\n'
       '    prefix = "a b/c"\n    key = "k/s.tfstate"')
COS = 'bucket = "states-1"\n    prefix = "a b/c"\n    key = "k/s.tfstate"'


class Directory:
    def __init__(self, binary, root, kind, settings, environment):
        self.binary, self.root = binary, tempfile.mkdtemp(dir=root)
        clean = {n: v for n, v in os.environ.items()
                 if not re.match(r"(ALICLOUD|OSS|TENCENTCLOUD|TF)_|https?_proxy|no_proxy", n, re.I)}
        self.environment = dict(clean, HOME=self.root, **environment)
        self.problems = []
        with open(os.path.join(self.root, "main.tf"), "w", encoding="utf-8") as file:
            file.write('terraform {\n  backend "%s" {\n    %s\n  }\n}\nresource "terraform_data" "a" {}\n'
                       % (kind, settings))

    def run(self, *words, wanted=0, says=""):
        done = subprocess.run([self.binary, *words], cwd=self.root, env=self.environment, text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60)
        if done.returncode != wanted or says not in done.stdout:
            self.problems.append("%s: exit %d, wanted %d and %r\n%s" % (
                " ".join(words), done.returncode, wanted, says, done.stdout))
        for secret in ("secret/key+1", "role-secret", "machine-secret", "role-token"):
            if secret in done.stdout:
                self.problems.append("%s prints a secret" % words[0])
        return done.stdout


def service_of(kind, root, page):
    return alibaba_service.Alibaba(page) if kind == "oss" else tencent_service.Tencent(root, page)


def requests_of(binary, root, kind, settings):
    """The distinct requests of a life, sorted, and what went wrong."""
    with service_of(kind, root, 2) as service:
        here = Directory(binary, root, kind, settings, service.environment)
        here.run("init", "-no-color")
        here.run("apply", "-auto-approve", "-no-color", says="1 added")
        here.run("workspace", "new", "-no-color", "one")
        here.run("apply", "-auto-approve", "-no-color")
        here.run("workspace", "select", "-no-color", "default")
        here.run("workspace", "delete", "-no-color", "-force", "one")
        here.run("destroy", "-auto-approve", "-no-color")
        lines = sorted(set(line.replace(service.url, "URL") for line in service.take_log()))
        return ["%s: %s" % (kind, line) for line in lines], here.problems + service.wrong


def oss_logins(binary, root):
    """Each way to get keys for oss."""
    problems = []
    with alibaba_service.Alibaba() as service:
        base = {"ALICLOUD_OSS_ENDPOINT": service.url, "NO_PROXY": "127.0.0.1", "no_proxy": "127.0.0.1"}
        role = 'assume_role_role_arn = "acs:ram::1:role/r"\n    sts_endpoint = "%s"' % service.url
        ways = {
            "keys": ('access_key = "LTAI"\n    secret_key = "secret/key+1"', {}),
            "profile": ('profile = "p"', {}),
            "role": (role, {"ALICLOUD_PROFILE": "p"}),
            "deprecated role": ('assume_role {\n      role_arn = "acs:ram::1:role/r"\n      session_name = "s"\n'
                                '      policy = ""\n      session_expiration = 900\n    }\n    sts_endpoint = "%s"'
                                % service.url, {"ALICLOUD_PROFILE": "p"}),
            "role of a profile": ('profile = "role"\n    sts_endpoint = "%s"' % service.url, {}),
            "machine": ('ecs_role_name = "r"', {"HTTP_PROXY": service.url, "http_proxy": service.url}),
        }
        for name, (settings, environment) in ways.items():
            here = Directory(binary, root, "oss", 'bucket = "states"\n    region = "r"\n    ' + settings,
                             dict(base, **environment))
            os.mkdir(os.path.join(here.root, ".aliyun"))
            with open(os.path.join(here.root, ".aliyun/config.json"), "w", encoding="utf-8") as file:
                json.dump({"profiles": [
                    {"name": "p", "mode": "AK", "access_key_id": "LTAI", "access_key_secret": "secret/key+1"},
                    {"name": "role", "mode": "RamRoleArn", "access_key_id": "LTAI",
                     "access_key_secret": "secret/key+1", "ram_role_arn": "acs:ram::1:role/r",
                     "expired_seconds": 900}]}, file)
            service.objects.clear()
            here.run("init", "-no-color")
            here.run("apply", "-auto-approve", "-no-color", says="1 added")
            problems += ["%s: %s" % (name, text) for text in here.problems]
        for settings, says in (("", "no keys of Alibaba Cloud"), ('profile = "none"', 'no profile "none"'),
                               ('access_key = "LTAI"\n    secret_key = "x"', "SignatureDoesNotMatch")):
            service.take_log()
            here = Directory(binary, root, "oss", 'bucket = "states"\n    region = "r"\n    ' + settings, base)
            if "none" in settings:
                os.mkdir(os.path.join(here.root, ".aliyun"))
                with open(os.path.join(here.root, ".aliyun/config.json"), "w", encoding="utf-8") as file:
                    file.write('{"profiles": []}')
            here.run("init", "-no-color", wanted=1, says=says)
            problems += here.problems
        problems += [text for text in service.wrong if "SignatureDoesNotMatch" not in text]
    return problems


def cos_logins(binary, root):
    """Each way to get keys for cos."""
    problems = []
    with tencent_service.Tencent(root) as service:
        role = 'assume_role {\n      role_arn = "r"\n      session_name = "s"\n      session_duration = 60\n    }'
        for name, settings in (("keys", ""), ("role", role)):
            here = Directory(binary, root, "cos", 'bucket = "states-1"\n    ' + settings, service.environment)
            service.objects.clear()
            here.run("init", "-no-color")
            here.run("apply", "-auto-approve", "-no-color", says="1 added")
            problems += ["%s: %s" % (name, text) for text in here.problems]
        problems += service.wrong
        here = Directory(binary, root, "cos", 'bucket = "states-1"',
                         dict(service.environment, TENCENTCLOUD_SECRET_KEY="x"))
        here.run("init", "-no-color", wanted=1, says="SignatureDoesNotMatch")
        # A killed program leaves its tag behind.
        here = Directory(binary, root, "cos", 'bucket = "states-1"', service.environment)
        here.run("init", "-no-color")
        lock = "states-1:terraform.tfstate.tflock"
        service.tags.add(("tencentcloud-terraform-lock", tencent_service.hashlib.md5(lock.encode()).hexdigest()))
        here.run("plan", "-no-color", wanted=1, says="tccli tag DeleteTag")
        problems += here.problems
    return problems


class AzureLogin(state_services.Azure):
    """Azure Storage for those whom Microsoft Entra has given a token for their certificate."""
    tls_hosts = state_services.Azure.tls_hosts + ("login.microsoftonline.com",)
    tokens = 0

    def kind(self, request):
        return "login" if request.host.startswith("login.") else super().kind(request)

    def answer(self, request):
        if not request.host.startswith("login."):
            if request.headers.get("Authorization") != "Bearer token":
                return 403, b"", []
            return super().answer(request)
        given = dict(urllib.parse.parse_qsl(request.body.decode()))
        head, claims, signature = given["client_assertion"].split(".")

        def decode(part):
            return base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))
        with open(os.path.join(self.directory, "signature"), "wb") as file:
            file.write(decode(signature))
        right = subprocess.run(
            ["openssl", "dgst", "-sha256", "-sigopt", "rsa_padding_mode:pss", "-sigopt", "rsa_pss_saltlen:digest",
             "-prverify", "client.key", "-signature", "signature"], cwd=self.directory,
            input=(head + "." + claims).encode(), stdout=subprocess.DEVNULL, check=False).returncode == 0
        claims = json.loads(decode(claims))
        url = "https://login.microsoftonline.com/tenant/oauth2/v2.0/token"
        if not right or json.loads(decode(head))["alg"] != "PS256" or (
                claims["aud"], claims["iss"], claims["sub"]) != (url, "client", "client"):
            return 401, b'{"error_description": "no"}', []
        self.tokens += 1
        return 200, b'{"access_token": "token", "expires_in": 3600}', []


def azure_certificate(binary, root):
    """A client certificate proves who asks for a token."""
    directory = os.path.join(root, "azure")
    os.mkdir(directory)
    for command in (["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "client.key", "-out", "client.pem",
                     "-days", "2", "-subj", "/CN=client"],
                    ["pkcs12", "-export", "-inkey", "client.key", "-in", "client.pem", "-out", "client.pfx",
                     "-passout", "pass:secret/key+1"]):
        subprocess.run(["openssl", *command], cwd=directory, check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
    with AzureLogin(directory) as service:
        service.directory = directory
        settings = ('storage_account_name = "account"\n    container_name = "states"\n    key = "s"\n'
                    '    use_azuread_auth = true\n    tenant_id = "tenant"\n    client_id = "client"\n'
                    '    client_certificate_path = "%s"\n    use_cli = false\n    client_certificate_password = "%s"')
        path = os.path.join(directory, "client.pfx")
        here = Directory(binary, root, "azurerm", settings % (path, "secret/key+1"), service.environment)
        here.run("init", "-no-color")
        here.run("apply", "-auto-approve", "-no-color", says="1 added")
        wrong = Directory(binary, root, "azurerm", settings % (path, "other"), service.environment)
        wrong.run("init", "-no-color", wanted=1, says="The Client Certificate is invalid")
        return here.problems + wrong.problems + ([] if service.tokens else ["no token was asked for"])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--binary", required=True)
    parser.add_argument("--reference")
    parser.add_argument("--update", action="store_true", default=bool(os.environ.get("KINU_UPDATE")))
    options = parser.parse_args()
    binary, problems, lines = os.path.abspath(options.binary), [], []
    with tempfile.TemporaryDirectory(prefix="kinu-stores-") as root:
        kinds = {"oss": (OSS, oss_logins), "cos": (COS, cos_logins)}
        try:
            probe = os.path.join(root, "probe")
            os.mkdir(probe)
            state_service.make_certificate(probe, ["test"])
        except FileNotFoundError as why:
            print("cos: skipped: no %s" % why)
            del kinds["cos"]
        if "cos" in kinds:
            problems += azure_certificate(binary, root)
        for kind, (settings, logins) in kinds.items():
            own, wrong = requests_of(binary, root, kind, settings)
            problems += wrong + logins(binary, root)
            lines += own
            if options.reference:
                other, wrong = requests_of(os.path.abspath(options.reference), root, kind, settings)
                problems += wrong
                print("\n".join(line for line in difflib.unified_diff(other, own, "reference", "here", "", "", 0)))
    if options.update:
        with open(RECORD, "w", encoding="utf-8") as file:
            file.write("".join(line + "\n" for line in lines))
    else:
        with open(RECORD, encoding="utf-8") as file:
            wanted = [line for line in file.read().splitlines() if line.split(":")[0] in kinds]
        problems += list(difflib.unified_diff(wanted, lines, "recorded", "requested", "", "", 0))
    for text in problems:
        print("FAIL " + text)
    print("%d requests, %d problems" % (len(lines), len(problems)))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
