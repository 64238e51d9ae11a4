#!/usr/bin/env python3
"""Lets each request about a state fail in each way, and checks what `apply` says, what it leaves behind,
and that the remedy it names loses no object.

  state_faults.py --binary PATH [--update] [NAME...]

With names only the cases whose names contain one of them; all together take some minutes, most of which
are waits between attempts.

The services are scripted (state_services.py and its neighbours). Each line of state_faults.txt is a
backend, a request and a fault, then the exit code of `apply`, the summaries of its diagnostics, what is
left behind, and what became of the object that was made. --update (KINU_UPDATE=1) records anew and
writes docs/state-faults.md from it. Without openssl the services that need TLS are left out.
"""
import argparse
import concurrent.futures
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "servers"))
import alibaba_service  # noqa: E402
import state_service  # noqa: E402
import state_services  # noqa: E402
import tencent_service  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
RECORD = os.path.join(HERE, "state_faults.txt")
PAGE = os.path.join(os.path.dirname(os.path.dirname(HERE)), "docs", "state-faults.md")
OSS = 'backend "oss" {\n    bucket = "states"\n    tablestore_table = "locks"\n  }'
COS = 'backend "cos" {\n    bucket = "states-1"\n  }'
SECURE = ("azurerm", "cos")
# Backend: what makes its service in a directory.
BACKENDS = {
    "http": lambda _: state_services.Http(),
    "s3": lambda _: state_services.S3(),
    "gcs": lambda _: state_services.Gcs(),
    "azurerm": state_services.Azure,
    "consul": lambda _: state_services.Consul(),
    "kubernetes": lambda _: state_services.Kubernetes(),
    "oss": lambda _: alibaba_service.Alibaba(),
    "cos": tencent_service.Tencent,
}
REQUESTS = {"get": "reading the state", "put": "storing the state", "lock": "taking the lock",
            "unlock": "releasing the lock"}
FAULTS = ("refused", "lost", "slow", "truncated", "401", "404", "429", "500", "malformed")
CONFIGURATION = """terraform {
  %s
}
resource "terraform_data" "a" {
  provisioner "local-exec" {
    command = "echo ${self.id} > made"
  }
}
"""


class Case:
    def __init__(self, binary, root, backend, request, fault):
        self.binary, self.directory = binary, tempfile.mkdtemp(dir=root)
        self.backend, self.request, self.fault = backend, request, fault
        self.shown = ""

    def run(self, *words):
        done = subprocess.run([self.binary, *words], cwd=self.directory, env=self.environment, text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              timeout=280)
        self.shown += "-- %s: %d\n%s" % (" ".join(words), done.returncode, done.stdout)
        return done

    def path(self, name):
        return os.path.join(self.directory, name)

    def line(self, root):
        with BACKENDS[self.backend](root) as service:
            block = {"oss": OSS, "cos": COS}.get(self.backend) or service.block
            with open(self.path("main.tf"), "w", encoding="utf-8") as file:
                file.write(CONFIGURATION % block)
            self.environment = dict({"PATH": os.environ["PATH"], "HOME": self.directory}, **service.environment)
            started = self.run("init", "-no-color")
            if started.returncode != 0:
                return "init failed"
            if self.request == "get":  # there is something to read
                self.run("apply", "-auto-approve", "-no-color")
                os.rename(self.path("made"), self.path("made before"))
                self.run("taint", "terraform_data.a")
            service.fail(self.request, self.fault, 1 if self.fault == "lost" else -1)
            done = self.run("apply", "-auto-approve", "-json")
            service.fail()
            return "%d; %s; %s; %s" % (done.returncode, self.said(done.stdout), self.left(service),
                                       self.repaired(service, done.stdout))

    @staticmethod
    def said(output):
        said = []
        for text in output.splitlines():
            diagnostic = json.loads(text).get("diagnostic") if text.startswith("{") else None
            if diagnostic is not None:
                said.append(diagnostic["summary"].strip().split(":")[0])
        return ", ".join(sorted(set(said))) or "nothing"

    def left(self, service):
        left = []
        if locked(service):
            left.append("lock")
        if os.path.exists(self.path("errored.tfstate")):
            left.append("errored.tfstate")
        if os.path.exists(self.path(".terraform/default.journal")):
            left.append("journal")
        return ", ".join(left) or "nothing"

    def repaired(self, service, output):
        """What became of the object, after what the messages say to do."""
        made = None
        if os.path.exists(self.path("made")):
            with open(self.path("made"), encoding="utf-8") as file:
                made = file.read().strip()
        if locked(service):
            text = output.replace("\\n", "\n")
            if self.fault == "malformed":  # the service says that it has released the lock
                text = self.run("plan", "-no-color").stdout
            tag = re.search(r"tccli tag DeleteTag --TagKey ([\w-]+) --TagValue (\w+)", text)
            found = re.search(r"force-unlock(?: -force)? ([\w-]+)|\bID: +([\w-]+)", text)
            lease = re.search(r"az storage blob lease break --blob-name (\w+)", text)
            if tag:
                service.tags.discard(tag.groups())
            elif lease:
                service.blobs[lease.group(1)][2] = ""
            elif not found:
                return "the lock is not mentioned"
            elif self.run("force-unlock", "-force", found.group(1) or found.group(2)).returncode != 0:
                return "the lock cannot be released"
        if os.path.exists(self.path("errored.tfstate")):
            if self.run("state", "push", "errored.tfstate").returncode != 0:
                return "errored.tfstate cannot be pushed"
        if os.path.exists(self.path("made")):
            os.remove(self.path("made"))
        again = self.run("apply", "-auto-approve", "-no-color")
        if again.returncode != 0:
            return "the next apply fails"
        if locked(service):
            return "the next apply leaves a lock"
        shown = self.run("show", "-no-color").stdout
        if made is None:
            return "not made" if "terraform_data.a" in shown else "the next apply makes nothing"
        return "kept" if made in shown else "LOST"


def locked(service):
    if isinstance(service, alibaba_service.Alibaba):
        return any(not key.endswith(b"-md5") for key in service.rows)
    if isinstance(service, tencent_service.Tencent):
        return bool(service.tags) or any(name.endswith(".tflock") for name in service.objects)
    return service.locked()


def page(lines):
    """The document of the recorded lines."""
    out = ["# Faults of the services that store states", "",
           "What `apply` reports when a request about the state fails, and what it leaves behind. The table is",
           "made by `tests/e2e/state_faults.py` from real runs with scripted services. A fault lasts for the whole",
           "command, except a lost answer, which happens once. After each run the service is sound again, what",
           "the messages name is done (`force-unlock`, `state push errored.tfstate`), and the next `apply` runs:",
           "an object that was made is never lost, and no lock stays behind. One case cannot be told: where something",
           "else than the service of the backend `http` answers 200 to the state that is stored, nothing is stored.", ""]
    shown = {tuple(line.split(" | ")[0].split(", ")): line.split(" | ")[1] for line in lines}
    for backend in BACKENDS:
        out += ["## " + backend, "", "| request | fault | exit | `apply` reports | left behind |",
                "|---|---|---|---|---|"]
        for request, what in REQUESTS.items():
            for fault in FAULTS:
                code, rest = shown[backend, request, fault].split("; ", 1)
                said, left, _ = rest.rsplit("; ", 2)
                out.append("| %s | %s | %s | %s | %s |" % (
                    what, state_service.FAULTS[fault], code, said, left))
        out.append("")
    return "\n".join(out).rstrip() + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--binary", required=True)
    parser.add_argument("--update", action="store_true", default=bool(os.environ.get("KINU_UPDATE")))
    parser.add_argument("--show", action="store_true")
    parser.add_argument("names", nargs="*", help="parts of names of cases; without any, all")
    options = parser.parse_args()
    binary = os.path.abspath(options.binary)
    secure = shutil.which("openssl") is not None
    cases = [(backend, request, fault) for backend in BACKENDS for request in REQUESTS for fault in FAULTS
             if (secure or backend not in SECURE) and
             (not options.names or any(n in ", ".join((backend, request, fault)) for n in options.names))]
    recorded = {}
    if os.path.exists(RECORD):
        with open(RECORD, encoding="utf-8") as file:
            recorded = dict(line.rstrip("\n").split(" | ") for line in file)
    with tempfile.TemporaryDirectory(prefix="kinu-faults-") as root:
        def line(names):
            case = Case(binary, root, *names)
            place = os.path.join(root, "certificates", names[0])
            os.makedirs(place, exist_ok=True)
            try:
                text = case.line(place)
            except subprocess.TimeoutExpired:
                text = "hangs"
            if options.show:
                print("==== %s\n%s" % (", ".join(names), case.shown))
            return text
        for names in {backend: (backend, "get", "slow") for backend, _, _ in cases if secure}.values():
            os.makedirs(os.path.join(root, "certificates", names[0]), exist_ok=True)
            BACKENDS[names[0]](os.path.join(root, "certificates", names[0])).__exit__()
        with concurrent.futures.ThreadPoolExecutor(48) as pool:
            lines = list(pool.map(line, cases))
    wrong = 0
    for names, text in zip(cases, lines):
        name = ", ".join(names)
        # Any answer with status 200 is a success for the protocol of the backend http.
        bad = not re.search(r"; (kept|not made)$", text) and name != "http, put, malformed"
        if bad or (text != recorded.get(name) and not options.update):
            wrong += 1
            print("%s\n  want %s\n  got  %s" % (name, recorded.get(name), text))
        recorded[name] = text
    text = ["%s, %s, %s | %s" % (b, r, f, recorded[", ".join((b, r, f))]) for b in BACKENDS for r in REQUESTS
            for f in FAULTS if ", ".join((b, r, f)) in recorded]
    complete = len(text) == len(BACKENDS) * len(REQUESTS) * len(FAULTS)
    if options.update:
        with open(RECORD, "w", encoding="utf-8") as file:
            file.write("".join(line + "\n" for line in text))
        if complete:
            with open(PAGE, "w", encoding="utf-8") as file:
                file.write(page(text))
    elif complete:
        with open(PAGE, encoding="utf-8") as file:
            if file.read() != page(text):
                wrong += 1
                print("docs/state-faults.md is not what the record says")
    print("%d faults, %d wrong" % (len(cases), wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
