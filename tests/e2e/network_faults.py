#!/usr/bin/env python3
"""Lets each request of an installation fail in each way, and checks what `init` says and leaves.

  network_faults.py --binary PATH [--update] [--reference PATH] [NAME...]

Registries, a network mirror and archives are served over TLS on the loopback interface. Each line of
network_faults.txt is a request and a fault, then the exit code, the summaries of the diagnostics and
what is installed, for this program and for the reference. --update (KINU_UPDATE=1) records anew, with
--reference also the reference's part, and writes docs/network-faults.md from it. Without openssl the
test is skipped (77).
"""
import argparse
import concurrent.futures
import hashlib
import http.server
import json
import os
import re
import shutil
import socket
import ssl
import struct
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "servers"))
import loopback  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
RECORD = os.path.join(HERE, "network_faults.txt")
PAGE = os.path.join(os.path.dirname(os.path.dirname(HERE)), "docs", "network-faults.md")
REQUESTS = {
    "provider discovery": "the services of a provider's host",
    "provider versions": "the versions of a provider",
    "provider package": "where a provider's package is",
    "provider sums": "SHA256SUMS",
    "provider signature": "the signature of SHA256SUMS",
    "provider archive": "a provider's package",
    "mirror index": "the versions in a network mirror",
    "mirror version": "the packages of a version in a network mirror",
    "mirror archive": "a package of a network mirror",
    "module discovery": "the services of a module's host",
    "module versions": "the versions of a module",
    "module location": "where a module's package is",
    "module archive": "a module's package",
    "http archive": "an archive that a source names",
}
FAULTS = {
    "refused": "the connection is refused",
    "reset": "the connection is reset",
    "slow": "no answer within the limit; packages have none, they arrive late",
    "truncated": "the answer ends too early",
    "401": "status 401",
    "404": "status 404",
    "429": "status 429 with Retry-After",
    "500": "status 500",
    "malformed": "the answer is something else",
    "loop": "the answer redirects to itself",
    "certificate": "the certificate is not trusted",
}
PLATFORM = loopback.PLATFORMS[0]


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def send(self, code, data=b"", kind="application/json", headers=(), length=None):
        self.send_response(code)
        for key, value in headers:
            self.send_header(key, value)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data) if length is None else length))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def do_GET(self):
        case = self.server.case
        name = case.name_of(self.path)
        code, data, kind, headers = case.answer(name)
        if name != case.request or self.server is not case.server:
            return self.send(code, data, kind, headers)
        fault = case.fault
        if fault == "reset":
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.close_connection = True
            return self.connection.close()
        if fault == "slow":
            time.sleep(3)
            return self.send(code, data, kind, headers)
        if fault == "truncated":
            self.close_connection = True
            return self.send(code, data[:len(data) // 2], kind, headers, max(len(data), 10))
        if fault == "429":
            return self.send(429, headers=[("Retry-After", "1")])
        if fault.isdigit():
            return self.send(int(fault), b"no", "text/plain")
        if fault == "malformed":
            return self.send(200, b"[ { not this", kind, [h for h in headers if h[0] == "never"])
        return self.send(302, headers=[("Location", self.path)])

    do_HEAD = do_GET


class Case:
    """The servers of one case: a sound one, or one that fails at a request, and one without trust."""

    def __init__(self, request, fault, certificates):
        self.request, self.fault = request, fault
        self.other = self.serve(certificates["other"])
        self.server = self.serve(certificates["own"])
        self.archive = loopback.package("one", PLATFORM)

    def serve(self, certificate):
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.daemon_threads, server.case = True, self
        server.handle_error = lambda *_: None
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*certificate)
        server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        return server

    def stop(self):
        for server in (self.server, self.other):
            server.shutdown()
            server.server_close()

    def host(self, request):
        """Host and port that answer a request."""
        if request == self.request and self.fault in ("refused", "certificate"):
            return "127.0.0.1:%d" % (1 if self.fault == "refused" else self.other.server_address[1])
        return "127.0.0.1:%d" % self.server.server_address[1]

    def url(self, request):
        return "https://%s/%s" % (self.host(request), request.replace(" ", "/"))

    def name_of(self, path):
        path = path.partition("?")[0]
        if path.startswith("/.well-known/"):
            return self.request if self.request.endswith("discovery") else "discovery"
        if path.startswith("/mirror/index/"):
            return "mirror version" if path.endswith("/1.0.0.json") else "mirror index"
        if path.startswith("/provider/versions/"):
            return "provider versions" if path.endswith("/versions") else "provider package"
        if path.startswith("/module/versions/"):
            return "module versions" if path.endswith("/versions") else "module location"
        return path.strip("/").replace("/", " ").removesuffix(".zip")

    def answer(self, name):
        """The sound answer of a request: status, body, type, headers."""
        kind = "application/json"
        if name.endswith("discovery"):
            value = {"providers.v1": self.url("provider versions") + "/",
                     "modules.v1": self.url("module versions") + "/"}
            return 200, json.dumps(value).encode(), kind, []
        file = "terraform-provider-one_1.0.0_%s.zip" % PLATFORM
        digest = hashlib.sha256(self.archive).hexdigest()
        values = {
            "provider versions": {"versions": [{"version": "1.0.0", "protocols": ["5.0"]}]},
            "provider package": {
                "protocols": ["5.0"], "os": "linux", "arch": PLATFORM.split("_")[1], "filename": file,
                "download_url": self.url("provider archive"), "shasum": digest,
                "shasums_url": self.url("provider sums"),
                "shasums_signature_url": self.url("provider signature"),
                "signing_keys": {"gpg_public_keys": []}},
            "mirror index": {"versions": {"1.0.0": {}}},
            "mirror version": {"archives": {PLATFORM: {"url": self.url("mirror archive") + ".zip",
                                                       "hashes": ["zh:" + digest]}}},
            "module versions": {"modules": [{"versions": [{"version": "1.0.0"}]}]}}
        if name in values:
            return 200, json.dumps(values[name]).encode(), kind, []
        binary = "application/octet-stream"
        if name == "provider sums":
            return 200, ("%s  %s\n" % (digest, file)).encode(), binary, []
        if name == "provider signature":
            return 200, b"signature", binary, []
        if name in ("provider archive", "mirror archive"):
            return 200, self.archive, binary, []
        if name == "module location":
            return 204, b"", kind, [("X-Terraform-Get", self.url("module archive") + ".zip")]
        if name in ("module archive", "http archive"):
            return 200, loopback.pack(loopback.module_files("net", "1")), binary, []
        return 404, b"", "text/plain", []


class Side:
    def __init__(self, binary, root, certificates):
        self.binary, self.root, self.certificates = os.path.abspath(binary), root, certificates

    def configure(self, case, directory):
        group = case.request.split()[0]
        cli = ""
        if group in ("provider", "mirror"):
            host = "registry.opentofu.org" if group == "provider" else "example.test"
            if case.request == "provider discovery":
                host = case.host(case.request)
            elif group == "provider":
                cli = 'host "%s" {\n  services = {\n    "providers.v1" = "%s/"\n  }\n}\n' % (
                    host, case.url("provider versions" if case.request != "provider package"
                                   else "provider package").replace("/package", "/versions"))
            else:
                cli = 'provider_installation {\n  network_mirror {\n    url = "%s/"\n  }\n}\n' % case.url(
                    case.request if case.request == "mirror version" else "mirror index").replace(
                        "mirror/version", "mirror/index")
            main = 'terraform {\n  required_providers {\n    one = { source = "%s/acme/one" }\n  }\n}\n' % host
        elif group == "module":
            host = case.host("module discovery")
            if case.request != "module discovery":
                host = "modules.test"
                cli = 'host "%s" {\n  services = {\n    "modules.v1" = "%s/"\n  }\n}\n' % (
                    host, case.url("module versions" if case.request != "module location"
                                   else "module location").replace("/location", "/versions"))
            main = 'module "m" {\n  source = "%s/acme/net/test"\n  version = "1.0.0"\n}\n' % host
        else:
            main = 'module "m" {\n  source = "%s.zip"\n}\n' % case.url("http archive")
        for name, text in (("main.tf", main), ("cli.tfrc", cli)):
            with open(os.path.join(directory, name), "w", encoding="utf-8") as file:
                file.write(text)

    def line(self, request, fault):
        case = Case(request, fault, self.certificates)
        directory = tempfile.mkdtemp(dir=self.root)
        self.configure(case, directory)
        try:
            done = subprocess.run(
                [self.binary, "init", "-json"], cwd=directory, stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120, check=False,
                env={"PATH": os.environ["PATH"], "HOME": directory, "TF_REGISTRY_CLIENT_TIMEOUT": "1",
                     "TF_CLI_CONFIG_FILE": os.path.join(directory, "cli.tfrc"),
                     "SSL_CERT_FILE": self.certificates["own"][0]})
        finally:
            case.stop()
        said = []
        for text in done.stdout.splitlines():
            diagnostic = json.loads(text).get("diagnostic") if text.startswith("{") else None
            if diagnostic is not None:
                summary = re.sub(r"127\.0\.0\.1:\d+", "HOST", diagnostic["summary"])
                said.append("%s: %s" % (diagnostic["severity"], summary))
        left = []
        if os.path.exists(os.path.join(directory, ".terraform.lock.hcl")):
            left.append("locked")
        for kind in ("providers", "modules/m"):
            found = [n for _, _, names in os.walk(os.path.join(directory, ".terraform", kind)) for n in names]
            left += [kind.split("/", maxsplit=1)[0]] if set(found) - {PLATFORM + ".lock"} else []
        shutil.rmtree(directory)
        return "%d; %s; %s" % (done.returncode, ", ".join(sorted(set(said))) or "nothing",
                               " ".join(left) or "nothing installed")


def page(lines):
    """The document of the recorded lines."""
    out = ["# Faults of the network", "",
           "What `init` reports when a request of an installation fails, and what is installed then. The table",
           "is made by `tests/e2e/network_faults.py` from real runs; where OpenTofu 1.12.6 says something else, its",
           "answer follows in parentheses. Warnings have a `?`.", ""]
    shown = {line.split(" | ")[0]: line.split(" | ")[1:] for line in lines}

    def cell(text):
        _, said, left = text.split("; ")
        said = said.replace("error: ", "").replace("warning: ", "? ")
        return {"nothing": "success"}.get(said, said) + ("" if left == "nothing installed" else
                                                          " (installed)" if said != "nothing" else "")
    for request, what in REQUESTS.items():
        out += ["## " + what[0].upper() + what[1:], "", "| fault | `init` reports |", "|---|---|"]
        for fault, meaning in FAULTS.items():
            own, other = shown["%s, %s" % (request, fault)]
            out.append("| %s | %s |" % (meaning, cell(own) + (
                "" if own == other else " (OpenTofu: %s)" % cell(other))))
        out.append("")
    return "\n".join(out).rstrip() + "\n"


def make_certificates(root):
    certificates = {}
    for name in ("own", "other"):
        pair = os.path.join(root, name + ".pem"), os.path.join(root, name + ".key")
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
                        "-nodes", "-keyout", pair[1], "-out", pair[0], "-days", "2", "-subj",
                        "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        certificates[name] = pair
    return certificates


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--binary", required=True)
    parser.add_argument("--update", action="store_true", default=bool(os.environ.get("KINU_UPDATE")))
    parser.add_argument("--reference")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    if shutil.which("openssl") is None:
        print("no openssl to make certificates with")
        return 77
    cases = [(request, fault) for request in REQUESTS for fault in FAULTS
             if not options.names or any(n in "%s, %s" % (request, fault) for n in options.names)]
    recorded = {}
    if os.path.exists(RECORD):
        with open(RECORD, encoding="utf-8") as file:
            recorded = {line.split(" | ")[0]: line.rstrip("\n").split(" | ")[1:] for line in file}
    with tempfile.TemporaryDirectory(prefix="kinu-network-") as root:
        certificates = make_certificates(root)

        def lines(binary):
            side = Side(binary, root, certificates)
            with concurrent.futures.ThreadPoolExecutor(8) as pool:
                return list(pool.map(lambda case: side.line(*case), cases))
        own = lines(options.binary)
        other = lines(options.reference) if options.reference else None
    differing = 0
    for i, case in enumerate(cases):
        name = "%s, %s" % case
        before = recorded.get(name, ["none", "none"])
        if own[i] != before[0] and not options.update:
            differing += 1
            print("%s\n  want %s\n  got  %s" % (name, before[0], own[i]))
        if other is not None and own[i] != other[i]:
            print("%s\n  reference %s\n  here      %s" % (name, other[i], own[i]))
        recorded[name] = [own[i], other[i] if other else before[1]]
    text = ["%s | %s" % (name, " | ".join(parts)) for name, parts in recorded.items()]
    if options.update and not options.names:
        with open(RECORD, "w", encoding="utf-8") as file:
            file.write("".join(line + "\n" for line in text))
        with open(PAGE, "w", encoding="utf-8") as file:
            file.write(page(text))
    elif not options.names:
        with open(PAGE, encoding="utf-8") as file:
            if file.read() != page(text):
                differing += 1
                print("docs/network-faults.md is not what the record says")
    print("%d faults, %d differ" % (len(cases), differing))
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
