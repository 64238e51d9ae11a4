"""An OCI registry on the loopback interface for tests, over TLS with the certificate loopback.pem.

start() gives an OciRegistry with `host` and `take_log()`. Repositories are modules/FAULT and
providers/acme/FAULT; their names say what is wrong with them (FAULTS). `closed` needs the user u with the
password p, as `guarded` does, whose blobs are elsewhere; `tokens` a token that u:p gives.
"""
import base64
import hashlib
import http.server
import json
import os
import ssl
import threading

import loopback
import answers

CERTIFICATE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "loopback.pem")
IMAGE = "application/vnd.oci.image.manifest.v1+json"
INDEX = "application/vnd.oci.image.index.v1+json"
MODULE = "application/vnd.opentofu.modulepkg"
PROVIDER = "application/vnd.opentofu.provider"
TARGET = "application/vnd.opentofu.provider-target"
BASIC = "Basic " + base64.b64encode(b"u:p").decode()
FAULTS = frozenset((
    "good", "closed", "guarded", "tokens", "moved", "pages", "foreign", "wrongblob", "shortblob",
    "wrongmanifest", "wrongkind", "noheader", "nolayer", "twolayers", "tarlayer", "gone",
    "escaping", "sha1", "bigmanifest", "notjson", "status401", "status403", "status404",
    "status500", "image", "index", "elsewhere", "twice", "noplatform", "osversion", "odd"))


def digest(data):
    return "sha256:" + hashlib.sha256(data).hexdigest()


def described(data, kind, **more):
    return dict({"mediaType": kind, "digest": digest(data), "size": len(data)}, **more)


class Repository:
    """The content of one repository: tags and what digests name."""

    def __init__(self, space, fault):
        self.blobs, self.tags, self.fault = {}, {}, fault
        if space == "modules":
            files = loopback.module_files("net", "1.0.0")
            if fault == "escaping":
                files["../../escaped"] = "x"
            data = loopback.pack(files)
            for tag in ("latest", "1.0.0"):
                self.tags[tag] = self.image(data, MODULE)
            if fault == "index":
                self.tags["latest"] = self.add(json.dumps(
                    {"schemaVersion": 2, "mediaType": INDEX, "manifests": []}).encode(), INDEX)
        else:
            platforms = ("windows_amd64",) if fault == "elsewhere" else loopback.PLATFORMS
            if fault == "twice":
                platforms += loopback.PLATFORMS
            targets = []
            for platform in platforms:
                data = loopback.package(fault, platform)
                manifest = self.image(data, TARGET)
                system, arch = platform.split("_")
                target = described(manifest, IMAGE, artifactType=TARGET,
                                   platform={"os": system, "architecture": arch})
                if fault == "noplatform":
                    del target["platform"]
                if fault == "osversion":
                    target["platform"]["os.version"] = "1"
                if fault == "odd":
                    target["artifactType"] = "application/odd"
                targets.append(target)
            index = {"schemaVersion": 2, "mediaType": INDEX, "manifests": targets,
                     "artifactType": MODULE if fault == "foreign" else PROVIDER}
            text = self.add(json.dumps(index).encode(), INDEX)
            for tag in ("1.0.0", "latest", "x.y"):
                self.tags[tag] = self.image(b"", TARGET) if fault == "image" else text

    def add(self, data, kind):
        self.blobs[digest(data)] = (kind, data)
        return data

    def image(self, data, artifact):
        if self.fault == "foreign" and artifact == MODULE:
            artifact = "application/vnd.example.thing"
        layers = [described(data, "archive/tar" if self.fault == "tarlayer" else "archive/zip")]
        if self.fault == "nolayer":
            layers = []
        if self.fault == "twolayers":
            layers *= 2
        if self.fault == "sha1":
            layers[0]["digest"] = "sha1:" + hashlib.sha1(data).hexdigest()
        if self.fault != "gone":
            self.add(data, "application/octet-stream")
        if self.fault in ("wrongblob", "shortblob"):
            other = data[:-1] + (b"!" if self.fault == "wrongblob" else b"")
            self.blobs[digest(data)] = ("application/octet-stream", other)
        text = json.dumps({"schemaVersion": 2, "mediaType": IMAGE, "artifactType": artifact,
                           "config": described(b"{}", "application/vnd.oci.empty.v1+json"),
                           "layers": layers}).encode()
        if self.fault == "notjson":
            text = b"no manifest"
        if self.fault == "bigmanifest":
            text += b" " * (5 << 20)
        self.add(text, IMAGE)
        if self.fault == "wrongmanifest":
            self.blobs[digest(text)] = (IMAGE, text[:-1] + b" ")
        return text


class Handler(answers.AnswerHandler):
    def answer(self, code, data=b"", kind="application/json", headers=()):
        super().answer(code, data, kind, headers)

    def problem(self, code, name):
        self.answer(code, json.dumps({"errors": [{"code": name, "message": "m"}]}).encode())

    def do_GET(self):
        state = self.server.state
        path, _, query = self.path.partition("?")
        given = self.headers.get("Authorization")
        with state.guard:
            state.log.append("%s %s%s" % (self.command, self.path, " as " + given if given else ""))
        if path == "/token":
            if given != BASIC:
                return self.answer(401)
            return self.answer(200, json.dumps({"token": "T"}).encode())
        if path.startswith("/elsewhere/"):
            return self.answer(200, state.moved, "application/octet-stream")
        if path == "/v2/":
            return self.answer(200, b"{}")
        name, _, rest = path[len("/v2/"):].partition("/tags/")
        if not rest:
            for word in ("manifests", "blobs"):
                name, _, rest = path[len("/v2/"):].partition("/%s/" % word)
                if rest:
                    break
        space, _, fault = name.partition("/")
        fault = fault.rpartition("/")[2]
        if space not in ("modules", "providers") or fault not in FAULTS:
            return self.problem(404, "NAME_UNKNOWN")
        if fault.startswith("status"):
            return self.answer(int(fault[6:]))
        if fault in ("closed", "guarded") and given != BASIC:
            return self.answer(401, headers=[("WWW-Authenticate", 'Basic realm="x"')])
        if fault == "tokens" and given != "Bearer T":
            return self.answer(401, headers=[("WWW-Authenticate", (
                'Bearer realm="https://%s/token",service="s"' % state.host))])
        return self.content(Repository(space, fault), path, rest, query)

    do_HEAD = do_GET

    def content(self, repository, path, rest, query):
        if "/tags/" in path:
            tags, headers = sorted(repository.tags), []
            if repository.fault == "pages":
                headers = [] if query else [("Link", "<%s?last=a>; rel=\"next\"" % path)]
                tags = ["1.0.0"] if query else ["latest"]
            return self.answer(200, json.dumps({"tags": tags}).encode(), headers=headers)
        key = digest(repository.tags[rest]) if rest in repository.tags else rest
        if key not in repository.blobs:
            return self.problem(404, "MANIFEST_UNKNOWN")
        kind, data = repository.blobs[key]
        if "/blobs/" in path and repository.fault in ("moved", "guarded"):
            self.server.state.moved = data
            return self.answer(307, headers=[("Location", "https://localhost:%d/elsewhere/x"
                                              % self.server.server_address[1])])
        if repository.fault == "wrongkind" and kind == IMAGE:
            kind = "application/json"
        headers = [] if repository.fault == "noheader" else [("Docker-Content-Digest", key)]
        return self.answer(200, data, kind, headers)


class OciRegistry:
    def __init__(self):
        self.guard, self.log, self.moved = threading.Lock(), [], b""
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.server.state = self
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(CERTIFICATE)
        self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        self.host = "127.0.0.1:%d" % self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()

    def take_log(self):
        with self.guard:
            log, self.log = self.log, []
        return log

    def stop(self):
        self.server.shutdown()
        self.server.server_close()


def start():
    return OciRegistry()
