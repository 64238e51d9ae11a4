#!/usr/bin/env python3
"""Logs in to services on the loopback interface and out again: by login page, by a pasted token, with
a credentials helper; and what can go wrong.

  login.py --binary PATH [--show]     --show prints what the program printed
"""
import argparse
import base64
import hashlib
import http.server
import json
import os
import re
import signal
import stat
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

HOST = "login.test"
BROWSER = """#!%s
import sys, urllib.error, urllib.parse, urllib.request
url = sys.argv[1]
with open(%r, "a") as log:
    log.write(url + "\\n")
query = urllib.parse.parse_qs(urllib.parse.urlsplit(url).query)
if "redirect_uri" not in query:
    sys.exit(0)
to, state = query["redirect_uri"][0], query["state"][0]
for answer in ({"code": "c"}, {"state": "other", "code": "c"}, {"state": state},
               {"state": state, "code": "the code"}, {"state": state, "code": "again"}):
    try:
        with urllib.request.urlopen(to + "?" + urllib.parse.urlencode(answer), timeout=10) as done:
            print(done.status, file=open(%r, "a"))
    except urllib.error.HTTPError as failed:
        print(failed.code, file=open(%r, "a"))
"""
HELPER = """#!/bin/sh
echo "$@" >>%s
cat >>%s
[ "$1" = get ] && echo '{}'
exit 0
"""


class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def answer(self, code, value, kind="application/json"):
        data = value.encode() if isinstance(value, str) else json.dumps(value).encode()
        self.send_response(code)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
        self.server.forms.append(dict(urllib.parse.parse_qsl(body)))
        self.server.forms[-1]["Content-Type"] = self.headers["Content-Type"]
        answers = {"/token": (200, {"access_token": "the token", "token_type": "bearer"}),
                   "/refuse": (400, {"error": "invalid_grant", "error_description": "no such code"}),
                   "/empty": (200, {"token_type": "bearer"}), "/broken": (503, "sorry")}
        if self.path == "/form":
            return self.answer(200, "access_token=formed&token_type=bearer",
                               "application/x-www-form-urlencoded")
        return self.answer(*answers[self.path])

    def do_GET(self):
        if self.path == "/api/v2/ping":
            return self.answer(204, "")
        if self.path != "/api/v2/account/details":
            return self.answer(404, "")
        if self.headers.get("Authorization") != "Bearer pasted":
            return self.answer(401, {"errors": [{"status": "401", "title": "unauthorized"}]})
        return self.answer(200, {"data": {"id": "user-1", "type": "users",
                                          "attributes": {"username": "ada"}}})


class Test:
    def __init__(self, binary, root, show):
        self.binary, self.root, self.show, self.failed, self.count = binary, root, show, 0, 0
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.forms = []
        self.url = "http://127.0.0.1:%d" % self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()

    def home(self, services, more="", host=HOST):
        """A home directory whose configuration gives the host these services."""
        self.count += 1
        home = os.path.join(self.root, "h%d" % self.count)
        os.makedirs(os.path.join(home, ".terraform.d", "plugins"))
        self.write(home, ".terraformrc", 'host "%s" {\n  services = %s\n}\n%s' % (
            host, self.hcl(services), more))
        seen, codes = os.path.join(home, "seen"), os.path.join(home, "codes")
        self.script(home, "browser", BROWSER % (sys.executable, seen, codes, codes))
        return home

    @staticmethod
    def hcl(value):
        if isinstance(value, dict):
            return "{\n%s\n}" % "\n".join('"%s" = %s' % (k, Test.hcl(v)) for k, v in value.items())
        return json.dumps(value)

    def oauth(self, token="token", **more):
        return {"login.v1": {"client": "the client", "authz": self.url + "/authz?x=1",
                             "token": self.url + "/" + token, **more}}

    @staticmethod
    def write(*place_and_text):
        with open(os.path.join(*place_and_text[:-1]), "w", encoding="utf-8") as file:
            file.write(place_and_text[-1])

    def script(self, *place_and_text):
        self.write(*place_and_text)
        os.chmod(os.path.join(*place_and_text[:-1]), 0o755)

    @staticmethod
    def read(*place):
        try:
            with open(os.path.join(*place), encoding="utf-8") as file:
                return file.read()
        except FileNotFoundError:
            return ""

    def environment(self, home, browser):
        return {"PATH": "/usr/bin:/bin", "HOME": home, "BROWSER": os.path.join(home, browser)}

    def start(self, home, args, browser):
        return subprocess.Popen([self.binary, *args, "-no-color"], cwd=home, stdin=subprocess.PIPE,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                env=self.environment(home, browser))

    def run(self, home, *args, answers=("yes",), browser="browser"):
        """Gives each answer when the question stands there."""
        process = self.start(home, args, browser)
        text = ""
        for answer in answers:
            prompts = text.count("Enter a value: ")
            while text.count("Enter a value: ") == prompts and (got := process.stdout.read(1)):
                text += got
            try:
                process.stdin.write(answer + "\n")
                process.stdin.flush()
            except BrokenPipeError:
                pass
        text += process.communicate(timeout=60)[0]
        if self.show:
            print("## %s: %d\n%s" % (" ".join(args), process.returncode,
                                     text.replace(home, "HOME").replace(self.url, "URL")))
        return process.returncode, text

    def expect(self, what, ok, text=""):
        if not ok:
            self.failed += 1
            print("FAIL %s\n%s" % (what, text))

    def says(self, what, home, args, code, *wanted, **options):
        got, text = self.run(home, *args, **options)
        flat = " ".join(text.split())
        missing = [w for w in wanted if w not in flat]
        self.expect(what, got == code and not missing,
                    "%s\nexit code %d; missing: %s" % (text, got, missing))


def by_page(test):
    home = test.home(test.oauth(scopes=["a", "b"], ports=[18000, 18100]))
    test.says("login", home, ["login", HOST], 0, "will request an API token for login.test using OAuth.",
              "in plain text in the following file for use by subsequent commands:",
              "Do you want to proceed? Only 'yes' will be accepted to confirm. Enter a value:",
              "must now open a web browser to the login page for login.test.",
              "wait for the host to signal", "Success! OpenTofu has obtained and saved an API token.")
    url = urllib.parse.urlsplit(test.read(home, "seen").strip())
    query = dict(urllib.parse.parse_qsl(url.query))
    form = test.server.forms.pop()
    challenge = base64.urlsafe_b64encode(hashlib.sha256(form["code_verifier"].encode()).digest())
    test.expect("the query of the page", (query["code_challenge"] == challenge.decode().rstrip("=") and
                query["client_id"] == "the client" and query["scope"] == "a b" and
                query["response_type"] == "code" and query["code_challenge_method"] == "S256" and
                query["x"] == "1" and 18000 <= urllib.parse.urlsplit(query["redirect_uri"]).port < 18100),
                str(query))
    test.expect("the form", form == {
        "client_id": "the client", "code": "the code", "code_verifier": form["code_verifier"],
        "grant_type": "authorization_code", "redirect_uri": query["redirect_uri"],
        "Content-Type": "application/x-www-form-urlencoded"}, str(form))
    codes = test.read(home, "codes").split()
    test.expect("answers to the browser", codes[:4] == ["400", "400", "400", "200"], str(codes))
    path = os.path.join(home, ".terraform.d", "credentials.tfrc.json")
    test.expect("the file", test.read(path) == '{\n  "credentials": {\n    "login.test": {\n'
                '      "token": "the token"\n    }\n  }\n}', test.read(path))
    test.expect("its mode", stat.S_IMODE(os.stat(path).st_mode) == 0o600)
    test.write(path, '{"credentials": {"z.test": {"token": "z"}, "LOGIN.test": {"token": "old"}},'
               ' "a": 1e0}')
    test.says("login again", home, ["login", "Login.Test"], 0, "Success!")
    test.expect("the rest is kept", json.loads(test.read(path)) == {
        "a": 1, "credentials": {"login.test": {"token": "the token"}, "z.test": {"token": "z"}}},
        test.read(path))
    test.says("logout", home, ["logout", HOST], 0, "Removing the stored credentials for login.test",
              "Success! OpenTofu has removed the stored API token for login.test.")
    test.expect("only that host", json.loads(test.read(path))["credentials"] == {"z.test": {"token": "z"}})
    test.says("logout again", home, ["logout", HOST], 0, "No credentials for login.test are stored.")
    test.write(path, "{")
    test.says("damaged file", home, ["login", HOST], 1, "Error: Failed to save API token")
    home = test.home(test.oauth("form"))
    test.says("answer as a form", home, ["login", HOST], 0, "Success!")
    test.says("no browser", home, ["login", HOST], 1, browser="none", answers=["no"])


def refused(test):
    for token, wanted in (("refuse", 'oauth2: "invalid_grant" "no such code".'),
                          ("empty", "server response missing access_token."),
                          ("broken", "503 Service Unavailable")):
        test.says(token, test.home(test.oauth(token)), ["login", HOST], 1,
                  "Error: Failed to obtain auth token", wanted)
    for what, services, wanted in (
            ("no service", {}, "Host does not support OpenTofu tokens API"),
            ("another version", {"login.v9": "x", "tfe.v9": "y"}, "Host does not support OpenTofu login"),
            ("no object", {"login.v1": "text"}, "Host does not support OpenTofu tokens API"),
            ("no client", {"login.v1": {"authz": "/a"}}, 'missing required property "client"'),
            ("no page", {"login.v1": {"client": "c", "token": "/t"}}, 'missing required property "authz"'),
            ("one port", test.oauth(ports=[2000]), "must be a two-element array"),
            ("low ports", test.oauth(ports=[80, 90]), "whole numbers between 1024 and 65535"),
            ("turned ports", test.oauth(ports=[3000, 2000]), "minimum port cannot be greater"),
            ("one free port", test.oauth(ports=[3000, 3000]), "Can't start temporary login server"),
            ("grant types", test.oauth(grant_types="x"), "must be an array of grant type strings"),
            ("other grants", test.oauth(grant_types=["password"]), "Host does not support OpenTofu login")):
        test.says(what, test.home(services), ["login", HOST], 1, wanted)
    home = test.home(test.oauth())
    test.says("not confirmed", home, ["login", HOST], 1, "Error: Login cancelled", answers=["y"])
    test.says("no answer", home, ["login", HOST], 1, "Error collecting user prompt", answers=[])
    test.says("without input", home, ["login", "-input=false", HOST], 1,
              "Error: Login is an interactive command")
    home = test.home(test.oauth(), 'credentials "%s" {\n  token = "t"\n}\n' % HOST)
    for command in ("login", "logout"):
        test.says(command + " of a token in another file", home, [command, HOST], 1,
                  "Error: Credentials for login.test are manually configured")
    test.says("json", test.home(test.oauth()), ["logout", "-json", HOST], 0,
              '"@message":"No credentials for login.test are stored"')


def by_hand(test):
    services = {"tfe.v2": test.url + "/api/v2/"}
    home = test.home(services)
    test.says("pasted token", home, ["login", HOST], 0, "using your browser.", "Token for login.test:",
              "Retrieved token for user ada", "Success! Logged in to the cloud backend (login.test)",
              answers=["yes", " pasted "])
    test.expect("the page of tokens", test.read(home, "seen") ==
                "https://127.0.0.1/app/settings/tokens?source=terraform-login\n", test.read(home, "seen"))
    test.expect("stored", '"pasted"' in test.read(home, ".terraform.d", "credentials.tfrc.json"))
    home = test.home(services)
    test.says("wrong token", home, ["login", HOST], 1, "Error: Token is invalid", answers=["yes", "wrong"])
    test.expect("nothing stored", not test.read(home, ".terraform.d", "credentials.tfrc.json"))


def by_password(test):
    """Only one host may ask for a password."""
    host = "app.terraform.io"
    home = test.home(test.oauth(grant_types=["password"], scopes=["a", "b"]), host=host)
    test.says("password", home, ["login", host], 0, "using OAuth.", "Username for app.terraform.io:",
              "This password will NOT be saved locally.", "Password for app.terraform.io:",
              "Success! Logged in to cloud backend", answers=["yes", "ada", "a secret"])
    form = test.server.forms.pop()
    test.expect("the form of a password", form == {
        "client_id": "the client", "grant_type": "password", "username": "ada", "password": "a secret",
        "scope": "a b", "Content-Type": "application/x-www-form-urlencoded"}, str(form))


def by_helper(test):
    home = test.home(test.oauth(), 'credentials_helper "test" {\n  args = ["-x"]\n}\n')
    log, given = os.path.join(home, "log"), os.path.join(home, "given")
    test.script(home, ".terraform.d", "plugins", "terraform-credentials-test",
                (HELPER % (log, given)).replace('"$1" = get', '"$2" = get'))
    test.says("helper", home, ["login", HOST], 0, 'in the configured "test" credentials helper')
    test.says("helper forgets", home, ["logout", HOST], 0, "Removing the stored credentials")
    calls = [line for line in test.read(log).split("\n") if " get " not in line]
    test.expect("calls of the helper", calls == ["-x store login.test", "-x forget login.test", ""],
                str(calls))
    test.expect("its input", test.read(given).strip() == '{"token":"the token"}', test.read(given))
    test.expect("no file", not test.read(home, ".terraform.d", "credentials.tfrc.json"))


def interrupted(test):
    """An interrupt while the page is open ends the command."""
    home = test.home(test.oauth())
    test.script(home, "idle", "#!/bin/sh\nexit 0\n")
    process = test.start(home, ["login", HOST], "idle")
    process.stdin.write("yes\n")
    process.stdin.flush()
    text = ""
    while "wait for the host" not in text:
        text += process.stdout.readline()
    time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    text += process.communicate(timeout=20)[0]
    test.expect("interrupt", process.returncode == 1 and "Error: Action aborted" in text,
                "%s\nexit code %d" % (text, process.returncode))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--binary", required=True)
    parser.add_argument("--show", action="store_true")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as root:
        test = Test(os.path.abspath(args.binary), root, args.show)
        for part in (by_page, refused, by_hand, by_password, by_helper, interrupted):
            part(test)
        test.server.shutdown()
    print("%d failed" % test.failed)
    sys.exit(1 if test.failed else 0)


if __name__ == "__main__":
    main()
