"""Scripted services for the states of the backends http, s3, gcs, azurerm, consul and kubernetes. They do
what the protocols ask for and check no signatures; oss and cos have services of their own.
"""
import base64
import json
import re
import urllib.parse
import uuid

import state_service


def xml(text):
    return ("<?xml version=\"1.0\"?>" + text).encode()


class Http(state_service.Service):
    block = 'backend "http" {}'

    def __init__(self):
        super().__init__()
        self.state = self.lock = None
        self.environment = {"TF_HTTP_ADDRESS": self.url + "/state", "TF_HTTP_LOCK_ADDRESS": self.url + "/lock",
                            "TF_HTTP_UNLOCK_ADDRESS": self.url + "/lock", "TF_HTTP_RETRY_WAIT_MAX": "1"}

    def kind(self, request):
        return {"GET": "get", "POST": "put", "LOCK": "lock", "UNLOCK": "unlock"}.get(request.method, "delete")

    def locked(self):
        return self.lock is not None

    def answer(self, request):
        if request.method == "GET":
            return (404, b"", []) if self.state is None else (200, self.state, [])
        if request.method == "LOCK":
            if self.lock is not None:
                return 423, self.lock, []
            self.lock = request.body
        elif request.method == "UNLOCK":
            self.lock = None
        elif request.method == "POST":
            if self.lock and json.loads(self.lock)["ID"] != request.arguments.get("ID"):
                return 409, b"", []
            self.state = request.body
        else:
            self.state = None
        return 200, b"", []


class Store(state_service.Service):
    """Objects by name, and how often each was written."""

    def __init__(self):
        super().__init__()
        self.objects, self.count = {}, 0

    def lock_names(self):
        return [name for name in self.objects if name.endswith((".tflock", ".lock"))]

    def locked(self):
        return bool(self.lock_names())

    def put(self, name, value):
        self.count += 1
        self.objects[name] = (value, self.count)

    def role(self, name, reads, writes, deletes):
        """What a request about an object is for."""
        if name.endswith((".tflock", ".lock")):
            return "holder" if reads else "lock" if writes else "unlock"
        return "get" if reads else "put" if writes else "delete" if deletes else "list"


class S3(Store):
    block = ('backend "s3" {\n    bucket = "states"\n    key = "s"\n    use_path_style = true\n'
             '    use_lockfile = true\n    region = "us-east-1"\n    skip_credentials_validation = true\n'
             '    skip_requesting_account_id = true\n  }')

    def __init__(self):
        super().__init__()
        self.environment = {"AWS_ENDPOINT_URL": self.url, "AWS_ACCESS_KEY_ID": "t", "AWS_SECRET_ACCESS_KEY": "t",
                            "AWS_EC2_METADATA_DISABLED": "true"}

    def kind(self, request):
        if request.name.count("/") < 2 or not request.name.split("/", 2)[2]:
            return "list"
        return self.role(request.name, request.method in ("GET", "HEAD"), request.method == "PUT", True)

    @staticmethod
    def fault_of(code, name):
        return code, xml("<Error><Code>%s</Code><Message>m</Message></Error>" % name), []

    def answer(self, request):
        if self.kind(request) == "list":
            return 200, xml("<ListBucketResult>%s</ListBucketResult>" % "".join(
                "<Contents><Key>%s</Key></Contents>" % n for n in self.objects
                if n.startswith(request.arguments.get("prefix", "")))), []
        name = request.name.split("/", 2)[2]
        if request.method == "PUT":
            if request.headers.get("If-None-Match") == "*" and name in self.objects:
                return self.fault_of(412, "PreconditionFailed")
            body = request.body
            if "aws-chunked" in request.headers.get("Content-Encoding", ""):
                body = re.sub(rb"(?s)\A[0-9a-f]+\r\n(.*)\r\n0\r\n.*\Z", rb"\1", body)
            self.put(name, body)
            return 200, b"", [("ETag", '"%d"' % self.count)]
        if request.method == "DELETE":
            self.objects.pop(name, None)
            return 204, b"", []
        if name not in self.objects:
            return self.fault_of(404, "NoSuchKey")
        return 200, self.objects[name][0], []


class Gcs(Store):
    block = 'backend "gcs" { bucket = "states" }'

    def __init__(self):
        super().__init__()
        self.environment = {"STORAGE_EMULATOR_HOST": self.url[len("http://"):]}

    def name_of(self, request):
        if request.path.startswith("/storage/v1/b/states/o/"):
            return request.name[len("/storage/v1/b/states/o/"):]
        return request.arguments.get("name") or (
            request.name[len("/states/"):] if request.name.startswith("/states/") else "")

    def kind(self, request):
        if not self.name_of(request):
            return "list"
        return self.role(self.name_of(request), request.method == "GET", request.method == "POST", True)

    def answer(self, request):
        name, wanted = self.name_of(request), request.arguments.get("ifGenerationMatch")
        if not name:
            return 200, json.dumps({"items": [{"name": n, "generation": str(g)} for n, (_, g) in
                                              self.objects.items()]}).encode(), []
        generation = str(self.objects[name][1]) if name in self.objects else "0"
        if wanted is not None and wanted != generation:
            return 412, b'{"error":{"code":412,"message":"conditionNotMet"}}', []
        if request.method == "POST":
            boundary = request.headers["Content-Type"].partition("boundary=")[2].strip('"').encode()
            part = request.body.split(b"--" + boundary)[2]
            self.put(name, part.partition(b"\r\n\r\n")[2][:-2])
            return 200, json.dumps({"name": name, "generation": str(self.count)}).encode(), []
        if generation == "0":
            return 404, b'{"error":{"code":404,"message":"No such object"}}', []
        if request.method == "DELETE":
            del self.objects[name]
            return 204, b"", []
        return 200, self.objects[name][0], [("X-Goog-Generation", generation)]


class Azure(state_service.Service):
    block = ('backend "azurerm" {\n    storage_account_name = "account"\n    container_name = "states"\n'
             '    key = "s"\n    access_key = "c2VjcmV0"\n  }')
    tls_hosts = ("account.blob.core.windows.net",)

    def __init__(self, directory):
        super().__init__()
        self.blobs = {}  # name: [bytes, metadata, lease]
        self.trust(directory)
        self.environment = {"HTTPS_PROXY": self.url, "SSL_CERT_FILE": self.certificate[0]}

    def kind(self, request):
        if "restype" in request.arguments:
            return "list"
        work = request.arguments.get("comp")
        if work == "lease":
            return {"acquire": "lock"}.get(request.headers["x-ms-lease-action"], "unlock")
        if work == "metadata":
            return "lock info"
        return {"GET": "get", "HEAD": "look", "PUT": "put"}.get(request.method, "delete")

    def locked(self):
        return any(blob[2] for blob in self.blobs.values())

    def answer(self, request):
        if "restype" in request.arguments:
            return 200, xml("<EnumerationResults><Blobs>%s</Blobs></EnumerationResults>" % "".join(
                "<Blob><Name>%s</Name></Blob>" % n for n in self.blobs)), []
        name, work = request.name.split("/", 2)[2], request.arguments.get("comp")
        blob = self.blobs.get(name)
        metadata = {n.lower(): v for n, v in request.headers.items() if n.lower().startswith("x-ms-meta-")}
        lease = request.headers.get("x-ms-lease-id", "")
        if work is None and request.method == "PUT":
            if blob and blob[2] and blob[2] != lease:
                return 412, b"", [("x-ms-error-code", "LeaseIdMissing")]
            self.blobs[name] = [request.body, metadata, blob[2] if blob else ""]
            return 201, b"", []
        if blob is None:
            return 404, b"", [("x-ms-error-code", "BlobNotFound")]
        if request.method in ("GET", "HEAD"):
            return 200, blob[0], [("x-ms-lease-status", "locked" if blob[2] else "unlocked")] + list(
                blob[1].items())
        if work == "lease" and request.headers["x-ms-lease-action"] == "acquire":
            proposed = request.headers["x-ms-proposed-lease-id"]
            if blob[2] not in ("", proposed):
                return 409, b"", [("x-ms-error-code", "LeaseAlreadyPresent")]
            blob[2] = proposed
            return 201, b"", [("x-ms-lease-id", proposed)]
        if blob[2] and blob[2] != lease:
            return 412, b"", [("x-ms-error-code", "LeaseIdMismatchWithBlobOperation")]
        if work == "lease":
            if not blob[2]:
                return 409, b"", [("x-ms-error-code", "LeaseNotPresentWithLeaseOperation")]
            blob[2] = ""
            return 200, b"", []
        if work == "metadata":
            blob[1] = metadata
            return 200, b"", []
        del self.blobs[name]
        return 202, b"", []


class Consul(Store):
    block = 'backend "consul" {\n    path = "s"\n    scheme = "http"\n  }'

    def __init__(self):
        super().__init__()
        self.sessions, self.holder = set(), None
        self.environment = {"CONSUL_HTTP_ADDR": self.url[len("http://"):]}

    def kind(self, request):
        name = request.name
        if name.startswith("/v1/session/"):
            return "session"
        if name == "/v1/txn":
            return "put"
        if name.endswith("/.lock"):
            return "lock" if "acquire" in request.arguments else "unlock"
        if name.endswith("/.lockinfo"):
            return "lock info"
        return "list" if "keys" in request.arguments else "get" if request.method == "GET" else "delete"

    def locked(self):
        return self.holder is not None

    def answer(self, request):
        def reply(value, code=200):
            return code, json.dumps(value).encode(), []
        name = request.name
        if name == "/v1/session/create":
            session = str(uuid.uuid4())
            self.sessions.add(session)
            return reply({"ID": session})
        if name.startswith("/v1/session/"):
            session = name.rpartition("/")[2]
            if "destroy" in name:
                self.sessions.discard(session)
                self.holder = None if self.holder == session else self.holder
            return reply(True if session in self.sessions or "destroy" in name else [])
        if name == "/v1/txn":
            change = json.loads(request.body)[0]["KV"]
            current = self.objects.get(change["Key"], (b"", 0))[1]
            if change["Verb"] == "cas" and change.get("Index", 0) != current:
                return reply({"Errors": [{"What": "index is stale"}]}, 409)
            self.put(change["Key"], base64.b64decode(change["Value"]))
            return reply({"Results": [{"KV": {"ModifyIndex": self.count}}]})
        key = name[len("/v1/kv/"):]
        if "acquire" in request.arguments:
            session = request.arguments["acquire"]
            if self.holder not in (None, session) or session not in self.sessions:
                return reply(False)
            self.holder = session
            return reply(True)
        if "release" in request.arguments:
            self.holder = None if self.holder == request.arguments["release"] else self.holder
            return reply(True)
        if request.method == "PUT":
            self.put(key, request.body)
            return reply(True)
        if request.method == "DELETE":
            self.objects.pop(key, None)
            return reply(True)
        if "keys" in request.arguments:
            return reply([n for n in self.objects if n.startswith(key)])
        if key.endswith("/.lock"):
            return (404, b"", []) if self.holder is None else reply([{"Session": self.holder, "ModifyIndex": 1}])
        if key not in self.objects:
            return 404, b"", []
        value, index = self.objects[key]
        return reply([{"Key": key, "Value": base64.b64encode(value).decode(), "ModifyIndex": index}])


class Kubernetes(Store):
    def __init__(self):
        super().__init__()
        self.block = ('backend "kubernetes" {\n    secret_suffix = "x"\n    host = "%s"\n    token = "t"\n'
                      '    insecure = true\n  }' % self.url)
        self.environment = {"KUBE_CONFIG_PATH": "/there is no such file"}

    def kind(self, request):
        if "/leases" in request.path:
            if request.method == "GET":
                return "holder"
            if request.method == "DELETE":
                return "delete"
            return "lock" if json.loads(request.body)["spec"].get("holderIdentity") else "unlock"
        if request.method == "GET":
            return "get" if "/secrets/" in request.path else "list"
        return "put" if request.method in ("PUT", "POST") else "delete"

    def locked(self):
        return any(value.get("spec", {}).get("holderIdentity") for value, _ in self.objects.values())

    def answer(self, request):
        def reply(code, value):
            return code, json.dumps(value).encode(), [("Content-Type", "application/json")]

        def stored(path, value):
            self.put(path, value)
            value.setdefault("metadata", {})["resourceVersion"] = str(self.count)
            return value
        if request.method == "POST":
            value = json.loads(request.body)
            path = request.path + "/" + value["metadata"]["name"]
            if path in self.objects:
                return reply(409, {"message": "already exists"})
            return reply(201, stored(path, value))
        if request.path.endswith(("/secrets", "/leases")):
            return reply(200, {"items": [v for p, (v, _) in self.objects.items() if p.startswith(request.path)]})
        if request.path not in self.objects:
            return reply(404, {"message": "not found"})
        value, version = self.objects[request.path]
        if request.method == "PUT":
            sent = json.loads(request.body)
            if sent["metadata"].get("resourceVersion", str(version)) != str(version):
                return reply(409, {"message": "the object has been modified"})
            return reply(200, stored(request.path, sent))
        if request.method == "DELETE":
            del self.objects[request.path]
        return reply(200, value)
