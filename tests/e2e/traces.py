#!/usr/bin/env python3
"""The traces of commands, received by a collector on the loopback interface.

  traces.py --binary PATH --mirror DIRECTORY [--update REFERENCE]

The trees of spans of a series of commands are those that OpenTofu sends, which traces.txt has;
--update runs that program and writes the file. Spans of provider calls, which OpenTofu does not
have, are left out of the comparison.
"""
import argparse
import base64
import json
import os
import re
import subprocess
import sys
import tempfile
import threading

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "servers"))
import collector  # noqa: E402
import loopback  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
CERTIFICATE = os.path.join(os.path.dirname(HERE), "servers", "loopback.pem")
SKIP = 77
CONFIGURATION = """
terraform {
  required_providers {
    time = { source = "hashicorp/time" }
  }
}
variable "v" { default = "1" }
variable "fail" {
  type    = bool
  default = false
}
resource "time_static" "t" {
  triggers = { v = var.v }
}
module "m" { source = "./m" }
resource "terraform_data" "n" {
  count = 2
  input = var.v
}
resource "terraform_data" "a" {
  input            = time_static.t.unix
  triggers_replace = var.v
  lifecycle {
    precondition {
      condition     = !var.fail
      error_message = "It fails."
    }
  }
}
resource "terraform_data" "first" {
  triggers_replace = var.v
  lifecycle { create_before_destroy = true }
}
output "o" { value = terraform_data.a.output }
"""
MODULE = 'resource "terraform_data" "in" {\n  input = 1\n}\n'
SMALL = 'resource "terraform_data" "n" {\n  count = 1\n  input = "x"\n}\n'
# Commands in one directory; "write:NAME" puts another text into main.tf.
COMMANDS = [
    "init", "validate", "plan -out=p", "plan -refresh-only", "show p", "apply p", "show",
    "plan -target=terraform_data.a", "plan -refresh=false -replace=terraform_data.n[0]",
    "plan -exclude=module.m", "plan -destroy", "apply -auto-approve -var v=2",
    "apply -auto-approve -var fail=true", "state list", "refresh", "console", "get", "output",
    "workspace list", "write:small", "apply -auto-approve", "destroy -auto-approve", "fmt", "nope",
    "force-unlock -force x", "login -json", "write:invalid", "plan",
]
TEXTS = {"small": SMALL, "invalid": 'resource "terraform_data" "n" {\n  nope = 1\n}\n'}


class Place:
    """A directory with the configuration, and an environment that asks for traces."""

    def __init__(self, binary, mirror, root, url):
        self.binary = binary
        self.directory = tempfile.mkdtemp(dir=root)
        self.write("main.tf", CONFIGURATION)
        os.mkdir(os.path.join(self.directory, "m"))
        self.write("m/main.tf", MODULE)
        self.write("cli.rc", 'provider_installation {\n  filesystem_mirror {\n    path = "%s"\n  }\n}\n'
                   % mirror)
        self.env = {"PATH": os.environ.get("PATH", ""), "HOME": root, "TF_IN_AUTOMATION": "1",
                    "TF_CLI_CONFIG_FILE": os.path.join(self.directory, "cli.rc"),
                    "OTEL_TRACES_EXPORTER": "otlp", "OTEL_EXPORTER_OTLP_ENDPOINT": url}

    def write(self, name, text):
        with open(os.path.join(self.directory, name), "w", encoding="utf-8") as file:
            file.write(text)

    def run(self, *words, **env):
        return subprocess.run([self.binary, *words], cwd=self.directory, env={**self.env, **env},
                              stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=120, check=False)


REGISTRY_CONFIGURATION = """
terraform {
  required_providers {
    one = { source = "acme/one" }
  }
}
"""
REGISTRY_MODULES = """
module "r" {
  source  = "acme/net/test"
  version = "~> 1.0"
}
module "a" { source = "%s/archives/net-1.0.0.zip?token=hidden" }
"""


def shared(span):
    """Whether both programs have such a span. Requests differ in their attributes, and kinu unpacks
    while it receives."""
    return span["scope"] != "kinu/plugin" and not span["name"].startswith(("HTTP ", "Decompress"))


def registry_place(binary, mirror, root, url, registry):
    """A directory that requires what a registry on the loopback interface has."""
    place = Place(binary, mirror, root, url)
    place.write("main.tf", REGISTRY_CONFIGURATION)
    services = '"providers.v1" = "%s/providers/"\n "modules.v1" = "%s/modules/"\n' % (
        registry.url, registry.url)
    place.write("cli.rc", 'host "registry.opentofu.org" {\n services = {\n%s }\n}\n' % services)
    return place


def record(binary, mirror, root):
    """The trees of all commands, as a text."""
    server = collector.start()
    place = Place(binary, mirror, root, server.url)
    out = []
    for command in COMMANDS:
        if command.startswith("write:"):
            place.write("main.tf", TEXTS[command.split(":")[1]])
            continue
        result = place.run(*command.split())
        spans, _ = server.take()
        out.append("%s: exit %d\n%s\n" % (command, result.returncode, collector.tree(spans, shared)))
    registry = loopback.start(root)
    place = registry_place(binary, mirror, root, server.url, registry)
    result = place.run("init")
    tree = collector.tree(server.take()[0], shared).replace(registry.url, "URL")
    out.append("registry, init: exit %d\n%s\n" % (result.returncode, tree))
    registry.stop()
    server.stop()
    # Siblings of the same name differ in how often they occur, never in their text.
    return re.sub(r"file\.size=\d+", "file.size=N", "\n".join(out))


def differences(expected, found):
    """The first differing line of each command."""
    out = []
    for want, got in zip(expected.split("\n\n"), found.split("\n\n")):
        if want != got:
            pairs = list(zip(want.splitlines() + ["(nothing)"], got.splitlines() + ["(nothing)"]))
            line = next((pair for pair in pairs if pair[0] != pair[1]), pairs[-1])
            out.append("%s\n    expected %s\n    found    %s" % (want.splitlines()[0], *line))
    return out


def check(problems, what, holds):
    if not holds:
        problems.append(what)


def check_envelope(place, server, problems):
    """What is around the spans, and the variables that say so."""
    place.run("version", TRACEPARENT="00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00",
              TRACESTATE="a=1", OTEL_EXPORTER_OTLP_HEADERS="x-key=a%20b",
              OTEL_SERVICE_NAME="mine", OTEL_RESOURCE_ATTRIBUTES="team=x,service.name=other")
    spans, requests = server.take()
    check(problems, "one span for version", [span["name"] for span in spans] == ["tofu"])
    span = spans[0]
    check(problems, "the trace of TRACEPARENT", span["trace"] == "0af7651916cd43dd8448eb211c80319c")
    check(problems, "the parent of TRACEPARENT", span["parent"] == "b7ad6b7169203331")
    check(problems, "a remote parent", span["flags"] == 0x301)
    check(problems, "TRACESTATE", span["state"] == "a=1")
    check(problems, "OTEL_SERVICE_NAME", span["resource"]["service.name"] == "mine")
    check(problems, "OTEL_RESOURCE_ATTRIBUTES", span["resource"].get("team") == "x")
    check(problems, "the schema", span["schema"] == "https://opentelemetry.io/schemas/1.40.0")
    check(problems, "times", 0 < span["start"] < span["end"])
    check(problems, "the path", requests[0][0] == "/v1/traces")
    check(problems, "headers", requests[0][1].get("x-key") == "a b")
    place.run("version", OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=server.url + "/mine",
              OTEL_EXPORTER_OTLP_COMPRESSION="gzip")
    spans, requests = server.take()
    check(problems, "the path of traces", [path for path, *_ in requests] == ["/mine"])
    check(problems, "gzip", len(spans) == 1)


def check_calls(place, server, problems):
    """The spans of provider calls, which are below those of their objects."""
    place.run("init")
    server.take()
    place.run("plan", "-var", "v=secret")
    spans, _ = server.take()
    by_id = {span["id"]: span for span in spans}
    plans = [span for span in spans if span["name"] == "PlanResourceChange"]
    check(problems, "one call to plan", len(plans) == 1)
    parent = by_id[plans[0]["parent"]]
    check(problems, "its object", parent["attributes"].get("opentofu.resource_instance.address")
          == "time_static.t")
    check(problems, "its provider", plans[0]["attributes"]["opentofu.provider.source"]
          == "registry.opentofu.org/hashicorp/time")
    check(problems, "values of variables stay out of traces", "secret" not in json.dumps(spans))
    check(problems, "one trace", len({span["trace"] for span in spans}) == 1)
    check(problems, "one root", [span["name"] for span in spans if not span["parent"]] == ["tofu"])


def check_failures(place, server, problems):
    """A collector that fails changes nothing about a command."""
    server.answers = [503, 429]
    result = place.run("version")
    spans, requests = server.take()
    check(problems, "a busy collector is asked again", len(requests) == 3 and len(spans) == 1)
    server.answers = [400]
    result = place.run("version")
    _, requests = server.take()
    check(problems, "a refusal is final", len(requests) == 1 and result.returncode == 0)
    result = place.run("version", OTEL_EXPORTER_OTLP_ENDPOINT="http://127.0.0.1:1")
    check(problems, "no collector", result.returncode == 0 and result.stderr == "")
    result = place.run("version", OTEL_EXPORTER_OTLP_PROTOCOL="other")
    check(problems, "an unknown protocol", result.returncode == 1 and result.stderr.startswith(
        "Could not initialize telemetry: invalid OTLP protocol"))
    place.run("version", OTEL_TRACES_EXPORTER="console")
    place.run("version", OTEL_TRACES_EXPORTER="")
    check(problems, "no traces without being asked", server.take() == ([], []))


def check_failed_modules(binary, mirror, root, server, problems):
    """A module that cannot be fetched is an error of each span above it, as in OpenTofu 1.13."""
    place = Place(binary, mirror, root, server.url)
    place.write("main.tf", 'module "m" {\n  source = "http://127.0.0.1:1/m.zip"\n}\n')
    result = place.run("init")
    spans, _ = server.take()
    failed = [span["name"] for span in spans if span["status"] == 2 and shared(span)]
    check(problems, "spans of a module that cannot be fetched: %s" % failed, result.returncode == 1 and sorted(failed) == [
        "Fetch Package", "Get Modules", "Init", 'Install Module "m"'])


def check_requests(binary, mirror, root, server, problems):
    """Requests are below the steps that make them, and show nothing that is secret."""
    registry = loopback.start(root)
    place = registry_place(binary, mirror, root, server.url, registry)
    place.write("main.tf", REGISTRY_CONFIGURATION + REGISTRY_MODULES % registry.url)
    place.run("init")
    spans, _ = server.take()
    registry.stop()
    by_id = {span["id"]: span for span in spans}
    steps = {}
    for span in spans:
        if span["name"] == "HTTP GET":
            parent = by_id[span["parent"]]["name"]
            steps[parent] = steps.get(parent, 0) + 1
            check(problems, "the status of a request", span["attributes"].get(
                "http.response.status_code") in (200, 204))
            check(problems, "its server", span["attributes"].get("server.address") == "127.0.0.1")
    for step, least in (("List Versions", 2), ("Fetch metadata", 3), ("Install (http)", 1),
                        ("Find Module Location", 1), ("Fetch Package", 2)):
        check(problems, "requests of %s: %s" % (step, steps), steps.get(step, 0) >= least)
    check(problems, "one root of requests", len([s for s in spans if not s["parent"]]) == 1)
    check(problems, "no token in a trace", "hidden" not in json.dumps(spans))


def check_tls(place, problems):
    """Over TLS a collector is asked only if its certificate is trusted, and gets that of the client."""
    endpoint, certificate = "OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_CERTIFICATE"
    client = {"OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE": CERTIFICATE,
              "OTEL_EXPORTER_OTLP_CLIENT_KEY": CERTIFICATE}
    server = collector.start(CERTIFICATE)
    place.run("version", **{endpoint: server.url, certificate: CERTIFICATE})
    check(problems, "TLS", [span["name"] for span in server.take()[0]] == ["tofu"])
    result = place.run("version", **{endpoint: server.url})
    check(problems, "an unknown authority", server.take() == ([], []))
    check(problems, "an unknown authority fails no command",
          result.returncode == 0 and result.stderr == "")
    result = place.run("version", **{endpoint: server.url, certificate: "nowhere.pem"})
    check(problems, "a missing file of authorities", server.take() == ([], []))
    server.stop()
    server = collector.start(CERTIFICATE, wants_clients=True)
    place.run("version", **{endpoint: server.url, certificate: CERTIFICATE}, **client)
    check(problems, "a certificate of the client", len(server.take()[0]) == 1)
    result = place.run("version", **{endpoint: server.url, certificate: CERTIFICATE})
    check(problems, "no certificate of the client",
          server.take() == ([], []) and result.returncode == 0)
    server.stop()


def check_timings(place, problems):
    """-timings writes the same spans as a Chrome trace and prints the critical path."""
    for words in (("plan", "-timings=t.json"), ("apply", "-auto-approve", "-timings=t.json"),
                  ("destroy", "-auto-approve", "-timings=t.json")):
        what = " ".join(words)
        result = place.run(*words, OTEL_TRACES_EXPORTER="")
        check(problems, what + ": exit code", result.returncode == 0)
        with open(os.path.join(place.directory, "t.json"), encoding="utf-8") as file:
            events = json.load(file)["traceEvents"]
        names = {event["name"] for event in events}
        check(problems, what + ": events", {"tofu", "time_static.t", "Plan phase"} <= names)
        check(problems, what + ": complete events", all(
            event["ph"] == "X" and event["dur"] >= 0 and event["ts"] >= 0 for event in events))
        check(problems, what + ": critical path", "\nCritical path of: " in result.stderr and
              "   object\n" in result.stderr)
        check(problems, what + ": nothing else on standard error",
              result.stderr.startswith("\nThe run took "))
        os.remove(os.path.join(place.directory, "t.json"))
    result = place.run("plan", "-timings=nowhere/t.json", OTEL_TRACES_EXPORTER="")
    check(problems, "timings that cannot be written", result.returncode == 1 and
          "Failed to write timings" in result.stderr)


def calls_of(place, peer, mode, *words):
    """The calls that a gRPC server gets from a command."""
    with subprocess.Popen([peer, mode], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          text=True) as server:
        address = server.stdout.readline().strip()
        calls = []
        reader = threading.Thread(target=lambda: calls.extend(map(json.loads, server.stdout)))
        reader.start()
        place.run(*words, OTEL_EXPORTER_OTLP_ENDPOINT="http://" + address,
                  OTEL_EXPORTER_OTLP_PROTOCOL="grpc", OTEL_EXPORTER_OTLP_HEADERS="x-key=v")
        server.stdin.close()
        reader.join()
    return calls


def check_grpc(place, peer, problems):
    place.write("main.tf", 'resource "terraform_data" "n" {\n  count = 1500\n}\n')
    calls = calls_of(place, peer, "-collect", "plan")
    sizes = [len(collector.decode(base64.b64decode(call["Message"]))) for call in calls]
    check(problems, "batches of 512: %s" % sizes, sizes[:2] == [512, 512] and len(sizes) == 3)
    for mode in ("-collect", "-collect=busy"):
        calls = calls_of(place, peer, mode, "version")
        check(problems, mode + ": one call", len(calls) == 1)
        if not calls:
            continue
        call = calls[0]
        check(problems, mode + ": the method", call["Method"] ==
              "/opentelemetry.proto.collector.trace.v1.TraceService/Export")
        check(problems, mode + ": headers", call["Metadata"].get("x-key") == ["v"])
        spans = collector.decode(base64.b64decode(call["Message"]))
        check(problems, mode + ": spans", [span["name"] for span in spans] == ["tofu"])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary")
    parser.add_argument("--mirror", required=True)
    parser.add_argument("--update", metavar="REFERENCE")
    options = parser.parse_args()
    mirror = os.path.abspath(options.mirror)
    if not os.path.isdir(os.path.join(mirror, "registry.opentofu.org")):
        print("the providers for tests are not built")
        return SKIP
    recorded = os.path.join(HERE, "traces.txt")
    with tempfile.TemporaryDirectory() as root:
        if options.update:
            with open(recorded, "w", encoding="utf-8") as file:
                file.write(record(options.update, mirror, root))
            return 0
        binary = os.path.abspath(options.binary)
        problems = []
        with open(recorded, encoding="utf-8") as file:
            problems += differences(file.read(), record(binary, mirror, root))
        server = collector.start()
        place = Place(binary, mirror, root, server.url)
        check_envelope(place, server, problems)
        check_calls(place, server, problems)
        check_failures(place, server, problems)
        check_failed_modules(binary, mirror, root, server, problems)
        check_requests(binary, mirror, root, server, problems)
        check_tls(place, problems)
        check_timings(place, problems)
        server.stop()
        peer = os.path.join(mirror, "grpcpeer")
        if os.path.exists(peer):
            check_grpc(place, peer, problems)
    for problem in problems:
        print("FAILED:", problem)
    print("%d commands, %d problems" % (len(COMMANDS), len(problems)))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
