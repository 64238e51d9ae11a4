#!/usr/bin/env python3
"""Installs 12 providers and 60 modules from servers on the loopback interface with two programs, compares
what they install, and prints what it costs them: cold, when all is there, and in a second directory.

    bench/install.py --binary PATH [--reference PATH] [--providers DIRECTORY] [--repeat N] [--fixed]

--providers has executables of providers below any directories; they are packed under new names. Without
it, the packages hold 20 MB of numbers. The modules come from git repositories, a registry and archives,
20 each. With --fixed their addresses name commits and checksums, so that a cache can have them: the second
directory shows what it saves. CPU is user and system time of the program and its children, in seconds.
"""
import argparse
import glob
import hashlib
import http.server
import io
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import zipfile

HOST = "registry.opentofu.org"  # whose packages may be without signatures
PLATFORM = "linux_amd64" if os.uname().machine == "x86_64" else "linux_arm64"
COUNT, MODULES = 12, 20


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        found = self.server.files.get(self.path.partition("?")[0])
        self.send_response(404 if found is None else 204 if found[1] else 200)
        for key, value in (found[1] if found else []):
            self.send_header(key, value)
        data = found[0] if found else b""
        self.send_header("Content-Type", "application/json" if data[:1] == b"{" else "application/zip")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    do_HEAD = do_GET


def pack(files, mode=0o644):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name, data in files.items():
            info = zipfile.ZipInfo(name, (2026, 1, 1, 0, 0, 0))
            info.compress_type, info.create_system = zipfile.ZIP_DEFLATED, 3
            info.external_attr = (0o100000 | mode) << 16
            archive.writestr(info, data)
    return out.getvalue()


def module(i):
    return {"main.tf": 'output "number" {\n  value = %d\n}\n' % i,
            **{"docs/page%d.md" % page: "text %d\n" % page * 200 for page in range(20)}}


class Server(http.server.ThreadingHTTPServer):
    request_queue_size = 128  # of a short queue connections are dropped, and tried again after a second


def serve(files):
    server = Server(("127.0.0.1", 0), Handler)
    server.daemon_threads, server.files = True, files
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    return "http://127.0.0.1:%d" % server.server_address[1]


def add_providers(files, url, directory):
    binaries = sorted(glob.glob(os.path.join(directory, "**/terraform-provider-*"), recursive=True),
                      key=os.path.basename) if directory else []
    for i in range(COUNT):
        name = "p%d" % i
        data = b"".join(b"%d\n" % n for n in range(i, 2500000 + i))
        if binaries:
            with open(binaries[i % len(binaries)], "rb") as file:
                data = file.read() + b"%d" % i
        archive = pack({"terraform-provider-%s_v1.0.0" % name: data}, 0o755)
        base = "/providers/acme/" + name
        file = "terraform-provider-%s_1.0.0_%s.zip" % (name, PLATFORM)
        digest = hashlib.sha256(archive).hexdigest()
        files[base + "/versions"] = json.dumps(
            {"versions": [{"version": "1.0.0", "protocols": ["5.0"]}]}).encode(), []
        files["%s/1.0.0/download/%s" % (base, PLATFORM.replace("_", "/"))] = json.dumps(
            {"protocols": ["5.0"], "os": "linux", "arch": PLATFORM.split("_")[1], "filename": file,
             "download_url": url + base + ".zip", "shasum": digest, "shasums_url": url + base + ".sums",
             "shasums_signature_url": url + base + ".sig",
             "signing_keys": {"gpg_public_keys": []}}).encode(), []
        files[base + ".zip"] = archive, []
        files[base + ".sums"] = ("%s  %s\n" % (digest, file)).encode(), []
        files[base + ".sig"] = b"signature", []


def add_modules(files, url, root, fixed):
    calls = []
    for i in range(MODULES):
        repository = os.path.join(root, "repositories", "g%d" % i)
        for name, text in module(i).items():
            os.makedirs(os.path.dirname(os.path.join(repository, name)), exist_ok=True)
            with open(os.path.join(repository, name), "w", encoding="utf-8") as file:
                file.write(text)
        for words in (["init", "-q", "-b", "main"], ["add", "."],
                      ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-m", "one"]):
            subprocess.run(["git", *words], cwd=repository, check=True)
        commit = subprocess.run(["git", "rev-parse", "HEAD"], cwd=repository, check=True, text=True,
                                stdout=subprocess.PIPE).stdout.strip()
        calls.append(('g%d' % i, 'source = "git::file://%s%s"' % (
            repository, "?ref=" + commit if fixed else "")))
        archive = pack(module(i))
        checksum = "?checksum=sha256:" + hashlib.sha256(archive).hexdigest() if fixed else ""
        files["/archives/a%d.zip" % i] = archive, []
        calls.append(('a%d' % i, 'source = "%s/archives/a%d.zip%s"' % (url, i, checksum)))
        base = "/modules/acme/r%d/test" % i
        files[base + "/versions"] = json.dumps(
            {"modules": [{"versions": [{"version": v} for v in ("1.0.0", "2.0.0")]}]}).encode(), []
        files[base + "/2.0.0/download"] = b"", [("X-Terraform-Get", "/archives/a%d.zip%s" % (i, checksum))]
        calls.append(('r%d' % i, 'source  = "%s/acme/r%d/test"\n  version = "2.0.0"' % (HOST, i)))
    return calls


def configure(directory, url, calls):
    os.makedirs(directory)
    with open(os.path.join(directory, "main.tf"), "w", encoding="utf-8") as file:
        file.write("terraform {\n  required_providers {\n%s  }\n}\n" % "".join(
            '    p%d = { source = "acme/p%d" }\n' % (i, i) for i in range(COUNT)))
        for name, text in calls:
            file.write('module "%s" {\n  %s\n}\n' % (name, text))
    with open(os.path.join(directory, "cli.tfrc"), "w", encoding="utf-8") as file:
        file.write('host "%s" {\n  services = {\n    "providers.v1" = "%s/providers/"\n'
                   '    "modules.v1" = "%s/modules/"\n  }\n}\n' % (HOST, url, url))


def init(binary, directory, home):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    began = time.monotonic()
    done = subprocess.run([binary, "init", "-no-color"], cwd=directory, text=True, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          env={"PATH": os.environ["PATH"], "HOME": home, "GIT_CONFIG_NOSYSTEM": "1",
                               "TF_CLI_CONFIG_FILE": os.path.join(directory, "cli.tfrc")})
    wall = time.monotonic() - began
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        sys.exit("%s\n%s" % (binary, done.stdout))
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, wall


def tree(directory):
    found = {}
    for parent, folders, names in os.walk(directory):
        folders[:] = [f for f in folders if f != ".git"]
        for name in names:
            path = os.path.join(parent, name)
            with open(path, "rb") as file:
                data = file.read()
            if name == "modules.json":
                data = sorted(json.dumps(m) for m in json.loads(data)["Modules"])
            elif len(data) > 1000:
                data = hashlib.sha256(data).hexdigest()
            found[os.path.relpath(path, directory)] = data
    return {name: data for name, data in found.items()
            if name.startswith((".terraform", ".terraform.lock.hcl")) and not name.endswith(".lock")}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--binary", required=True)
    parser.add_argument("--reference")
    parser.add_argument("--providers")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--fixed", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="kinu-install-bench-") as root:
        files = {}
        url = serve(files)
        add_providers(files, url, options.providers)
        calls = add_modules(files, url, root, options.fixed)
        programs = [p for p in (options.binary, options.reference) if p]
        times = {p: ([], [], []) for p in programs}
        trees = []
        for repeat in range(options.repeat):
            for program in programs:
                directory, home = os.path.join(root, "work"), os.path.join(root, "home")
                os.mkdir(home)
                configure(directory, url, calls)
                times[program][0].append(init(os.path.abspath(program), directory, home))
                times[program][1].append(init(os.path.abspath(program), directory, home))
                if repeat == 0:
                    trees.append(tree(directory))
                shutil.rmtree(directory)
                configure(directory, url, calls)
                times[program][2].append(init(os.path.abspath(program), directory, home))
                if repeat == 0 and program == options.binary and tree(directory) != trees[0]:
                    sys.exit("the second directory differs")
                shutil.rmtree(directory)
                shutil.rmtree(home)
    print("%-12s %-10s %8s %8s" % ("program", "init", "CPU s", "wall s"))
    for program, phases in times.items():
        for name, found in zip(("cold", "again", "second"), phases):
            print("%-12s %-10s %8.3f %8.3f" % (os.path.basename(program), name,
                                               statistics.median(c for c, _ in found),
                                               statistics.median(w for _, w in found)))
    if len(trees) == 2:
        names = [n for n in sorted(set(trees[0]) | set(trees[1])) if trees[0].get(n) != trees[1].get(n)]
        print("installed: " + ("%d files, all equal" % len(trees[0]) if not names else
                               "different: %s" % names[:10]))


if __name__ == "__main__":
    main()
