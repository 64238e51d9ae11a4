#!/usr/bin/env python3
"""Reaches states in S3 over proxies: the settings of the backend in place of the environment.

  proxies.py --binary PATH

The proxy is a service that answers for every host.
"""
import argparse
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "servers"))
import state_services  # noqa: E402

BLOCK = """terraform {
  backend "s3" {
    bucket                      = "states"
    key                         = "s"
    region                      = "us-east-1"
    use_path_style              = true
    skip_credentials_validation = true
    skip_requesting_account_id  = true
    max_retries                 = 1
    endpoints                   = { s3 = "%s" }
    %s
  }
}
resource "terraform_data" "a" {}
"""
NOWHERE = "http://127.0.0.1:9"
PLAIN, SEALED = "http://states.invalid", "https://states.invalid"


def apply(binary, service, url, settings, environment):
    """Makes a state. Returns whether that succeeds, and what is printed."""
    with tempfile.TemporaryDirectory() as root:
        with open(os.path.join(root, "main.tf"), "w", encoding="utf-8") as file:
            file.write(BLOCK % (url, settings.replace("PROXY", service.url)))
        variables = {"PATH": os.environ.get("PATH", ""), "HOME": root, "CHECKPOINT_DISABLE": "1",
                     "AWS_ACCESS_KEY_ID": "t", "AWS_SECRET_ACCESS_KEY": "t",
                     "AWS_EC2_METADATA_DISABLED": "true"}
        variables.update((name, value.replace("PROXY", service.url))
                         for name, value in environment.items())
        output = ""
        for words in (["init"], ["apply", "-auto-approve"]):
            done = subprocess.run([binary, *words, "-no-color"], cwd=root, env=variables,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, check=False)
            output += done.stdout.decode(errors="replace")
            if done.returncode != 0:
                return False, output
        return True, output


# The name, the URL of the service, settings, environment, whether it is reached.
CASES = (
    ("the environment", PLAIN, "", {"HTTP_PROXY": "PROXY"}, True),
    ("http_proxy", PLAIN, 'http_proxy = "PROXY"', {"HTTPS_PROXY": NOWHERE}, True),
    ("http_proxy before the environment", PLAIN, 'http_proxy = "PROXY"\n    https_proxy = ""',
     {"HTTP_PROXY": NOWHERE}, True),
    ("an empty http_proxy", PLAIN, 'http_proxy = ""', {"HTTP_PROXY": "PROXY"}, False),
    ("no_proxy", PLAIN, 'no_proxy = "states.invalid"', {"HTTP_PROXY": "PROXY"}, False),
    ("no_proxy before the environment", PLAIN, 'no_proxy = "other.invalid"',
     {"HTTP_PROXY": "PROXY", "NO_PROXY": "states.invalid"}, True),
    ("https_proxy", SEALED, 'https_proxy = "PROXY"\n    insecure = true', {}, True),
    ("https_proxy before the environment", SEALED, 'https_proxy = "PROXY"\n    insecure = true',
     {"HTTPS_PROXY": NOWHERE}, True),
)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", required=True)
    arguments = parser.parse_args()
    failures = 0
    with tempfile.TemporaryDirectory() as root, state_services.S3() as service:
        service.tls_hosts = ("states.invalid",)
        try:
            service.trust(root)
        except FileNotFoundError:
            print("SKIP: needs openssl")
            return 77
        for name, url, settings, environment, reached in CASES:
            service.objects.clear()
            done, output = apply(arguments.binary, service, url, settings, environment)
            stored = bool(service.objects)
            if (done, stored) != (reached, reached):
                failures += 1
                print("FAILED: %s\n%s" % (name, output))
    print("%d failures" % failures)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
