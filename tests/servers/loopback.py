"""A registry on the loopback interface for tests: providers, modules and archives of modules.

start() gives a Loopback with `url` and `log` (the requests so far). Providers are acme/NAME with
version 1.0.0 for linux_amd64 and linux_arm64; FAULTS lists what is wrong with some of them.
Modules are acme/NAME/test. Files of a directory are served below /files/.
"""
import hashlib
import io
import json
import os
import threading
import time
import zipfile

import answers

PLATFORMS = ("linux_amd64", "linux_arm64")
# name: the fault of the provider
FAULTS = {"future": "needs protocol 7", "tampered": "other bytes than promised",
          "elsewhere": "no package for Linux", "gone": "no archive",
          "notzip": "an archive that is none", "escaping": "a file outside of its directory"}
MODULE = 'variable "name" {\n  default = "x"\n}\noutput "version" {\n  value = "%s"\n}\n'


def pack(files):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, text in sorted(files.items()):
            info = zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0))
            info.create_system = 3
            info.external_attr = 0o100755 << 16
            archive.writestr(info, text)
    return out.getvalue()


def package(name, platform):
    # Those whose name begins with "trickle" are large, and arrive slowly.
    if name == "notzip":
        return b"no archive"
    files = {"terraform-provider-%s_v1.0.0" % name: "#!/bin/sh\n# %s\n" % platform}
    if name == "big":
        files["data"] = "".join("%d\n" % (i * i) for i in range(200000))
    if name.startswith("trickle"):
        files["data"] = "x" * 2_000_000
    if name == "escaping":
        files["../outside"] = "x"
    return pack(files)


def module_files(name, version):
    files = {"main.tf": MODULE % version, "modules/sub/main.tf": MODULE % ("sub " + version)}
    if name == "nested":
        files["main.tf"] = 'module "inner" {\n  source = "./modules/sub"\n}\n'
    return files


class Handler(answers.AnswerHandler):
    def do_GET(self):
        state = self.server.state
        path, _, query = self.path.partition("?")
        parts = path.strip("/").split("/")
        with state.guard:
            state.log.append("%s %s%s" % (self.command, self.path, " (authorized)" if
                                          self.headers.get("Authorization") else ""))
        value = None
        if parts[0] == "providers":
            value = self.provider(*parts[1:])
        elif parts[0] == "packages":
            return self.package(*parts[1:])
        elif parts[0] == "modules":
            return self.module(parts[1:], query)
        elif parts[0] == "archives":
            if parts[1].startswith("slow"):
                state.reached.set()
                time.sleep(8)
            name, _, version = parts[1].rpartition(".zip")[0].partition("-")
            return self.answer(200, pack(module_files(name, version)))
        elif parts[0] == "get":
            return self.answer(200, headers=[("X-Terraform-Get", "%s/archives/net-1.0.0.zip//%s"
                                              % (state.url, "/".join(parts[1:])))])
        elif parts[0] == "page":
            return self.answer(200, (
                "<HTML><!-- <head> --><HEAD><meta name=\"other\" content=\"x\"><META NAME="
                "terraform-get CONTENT='%s/archives/net-1.0.0.zip?a=b&amp;c=d'/></HEAD></HTML>"
                % state.url).encode())
        elif parts[0] == "files":
            place = os.path.join(state.files, *parts[1:])
            if os.path.isfile(place):
                with open(place, "rb") as file:
                    return self.answer(200, file.read())
        if value is None:
            return self.answer(404, b"not found")
        return self.answer(200, json.dumps(value).encode(), "application/json")

    do_HEAD = do_GET

    def provider(self, space, name, *rest):
        if space != "acme" or name == "missing":
            return None
        if name == "secret" and self.headers.get("Authorization") != "Bearer open sesame":
            return None
        protocol = "7.0" if name == "future" else "5.0"
        if rest == ("versions",):
            return {"versions": [{"version": "1.0.0", "protocols": [protocol]}],
                    "warnings": ["acme/two is the last one."] if name == "two" else []}
        if len(rest) != 4 or name == "elsewhere":
            return None
        platform = "_".join(rest[2:])
        data = package(name, platform)
        place = "/packages/%s/" % name
        file = "terraform-provider-%s_1.0.0_%s.zip" % (name, platform)
        return {"protocols": [protocol], "os": rest[2], "arch": rest[3], "filename": file,
                "download_url": place + file, "shasum": hashlib.sha256(data).hexdigest(),
                "shasums_url": place + "SHA256SUMS",
                "shasums_signature_url": place + "SHA256SUMS.sig",
                "signing_keys": {"gpg_public_keys": []}}

    def package(self, name, file):
        if file == "SHA256SUMS":
            return self.answer(200, "".join("%s  terraform-provider-%s_1.0.0_%s.zip\n" % (
                hashlib.sha256(package(name, p)).hexdigest(), name, p)
                for p in PLATFORMS).encode())
        if file == "SHA256SUMS.sig" or name == "gone":
            return self.answer(404 if name == "gone" and file.endswith(".zip") else 200, b"sig")
        if name == "slow":
            self.server.state.reached.set()
            time.sleep(8)
        data = package(name, "_".join(file[:-4].split("_")[2:]))
        if name.startswith("trickle"):
            return self.trickle(data)
        return self.answer(200, data[:-1] + b"!" if name == "tampered" else data)

    def trickle(self, data, pieces=16):
        """Sends data slowly."""
        self.send_response(200)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        size = len(data) // pieces + 1
        for start in range(0, len(data), size):
            self.wfile.write(data[start:start + size])
            time.sleep(0.12)

    def module(self, parts, _):
        space, name, system = parts[:3]
        if space != "acme" or system != "test" or name == "missing":
            return self.answer(404)
        if parts[3] == "versions":
            versions = {"empty": [], "odd": ["one"]}.get(name, ["1.0.0", "1.1.0", "2.0.0"])
            value = [] if name == "none" else [{"versions": [{"version": v} for v in versions]}]
            return self.answer(200, json.dumps({"modules": value}).encode(), "application/json")
        if name == "broken":
            return self.answer(501)
        return self.answer(204, headers=[
            ("X-Terraform-Get", "/archives/%s-%s.zip" % (name, parts[3]))])


class Loopback:
    def __init__(self, files):
        self.guard, self.log, self.files = threading.Lock(), [], files
        self.reached = threading.Event()  # a slow file is being sent
        self.server = answers.ManyServer(("127.0.0.1", 0), Handler)
        self.server.handle_error = lambda *_: None  # a client that was killed
        self.server.state = self
        self.url = "http://127.0.0.1:%d" % self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()

    def take_log(self):
        with self.guard:
            log, self.log = self.log, []
        return log

    def stop(self):
        self.server.shutdown()
        self.server.server_close()


def start(files="/nowhere"):
    return Loopback(files)
