"""Object stores on the loopback interface for tests: S3, which checks signatures, Google Cloud
Storage, the metadata service of a machine, a security token service; and files behind a password.

start() gives a BucketServer with `host` and `take_log()`. The bucket "bucket" has the archive
net.zip and its files below the directory "net/"; beside them "network/x" and "net/../../escaped".
"""
import hashlib
import hmac
import http.server
import json
import re
import threading
import urllib.parse

import loopback
import answers

# Access key: (secret key, session token)
KEYS = {"AKTEST": ("secret/key+1", ""), "ASROLE": ("role-secret", "role-token"),
        "ASMACHINE": ("machine-secret", "machine-token")}
AUTHORIZATION = re.compile(r"AWS4-HMAC-SHA256 Credential=(\w+)/(\d{8})/([\w-]+)/(\w+)/aws4_request, "
                           r"SignedHeaders=([\w;-]+), Signature=([0-9a-f]{64})$")


def objects():
    files = loopback.module_files("net", "1.0.0")
    out = {"net/" + name: text.encode() for name, text in files.items()}
    out.update({"net.zip": loopback.pack(files), "network/x": b"x", "net/../../escaped": b"x",
                "net/a directory/": b"", "two words/main.tf": b"# two words\n"})
    return out


def signature_problem(handler, body):
    """Why the signature of a request is wrong; empty if it is right."""
    match = AUTHORIZATION.match(handler.headers.get("Authorization", ""))
    if not match:
        return "AccessDenied"
    key, day, region, service, names, signature = match.groups()
    if key not in KEYS:
        return "InvalidAccessKeyId"
    secret, token = KEYS[key]
    if handler.headers.get("X-Amz-Security-Token", "") != token:
        return "InvalidToken"
    path, _, query = handler.path.partition("?")
    pairs = sorted((urllib.parse.quote(n, safe="-._~"), urllib.parse.quote(v, safe="-._~"))
                   for n, v in urllib.parse.parse_qsl(query, keep_blank_values=True))
    body_hash = hashlib.sha256(body).hexdigest()
    if service == "s3" and handler.headers.get("X-Amz-Content-Sha256") not in (
            body_hash, "UNSIGNED-PAYLOAD"):
        return "XAmzContentSHA256Mismatch"
    lines = "".join("%s:%s\n" % (n, " ".join(handler.headers[n].split()))
                    for n in names.split(";"))
    canonical = "\n".join((
        handler.command, path, "&".join("=".join(p) for p in pairs), lines, names,
        handler.headers.get("X-Amz-Content-Sha256", body_hash)))
    text = "\n".join(("AWS4-HMAC-SHA256", handler.headers["X-Amz-Date"],
                      "%s/%s/%s/aws4_request" % (day, region, service),
                      hashlib.sha256(canonical.encode()).hexdigest()))
    step = ("AWS4" + secret).encode()
    for part in (day, region, service, "aws4_request"):
        step = hmac.new(step, part.encode(), hashlib.sha256).digest()
    wanted = hmac.new(step, text.encode(), hashlib.sha256).hexdigest()
    return "" if wanted == signature else "SignatureDoesNotMatch"


class Handler(answers.AnswerHandler):
    def json(self, value, code=200):
        self.answer(code, json.dumps(value).encode(), "application/json")

    def fault(self, code, name):
        self.answer(code, b"<?xml version=\"1.0\"?><Error><Code>%s</Code><Message>m</Message>"
                    b"</Error>" % name.encode(), "application/xml")

    def do_GET(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        path, _, query = self.path.partition("?")
        arguments = dict(urllib.parse.parse_qsl(query, keep_blank_values=True))
        with self.server.state.guard:
            self.server.state.log.append("%s %s" % (self.command, self.path))
        path = urllib.parse.unquote(path)
        if path.startswith("/latest/"):
            return self.machine(path)
        if path.startswith("/storage/v1/b/") or path.startswith("/gbucket/"):
            return self.google(path, arguments)
        if path.startswith("/protected/"):
            if self.headers.get("Authorization") != "Basic bmV0Om1lOnB3":  # net:me:pw
                return self.answer(401)
            return self.answer(200, objects()["net.zip"])
        if path == "/" and self.command == "POST":
            return self.role(body)
        problem = signature_problem(self, body)
        if problem:
            return self.fault(403, problem)
        _, bucket, key = (path + "/").split("/", 2)
        key = key[:-1] if key else ""
        if bucket != "bucket":
            return self.fault(404, "NoSuchBucket")
        if not key:
            return self.list(arguments)
        if key not in objects() or arguments.get("versionId", "v1") != "v1":
            return self.fault(404, "NoSuchKey")
        return self.answer(200, objects()[key])

    do_HEAD = do_PUT = do_POST = do_GET

    def list(self, arguments):
        keys = sorted(k for k in objects() if k.startswith(arguments.get("prefix", "")))
        start = int(arguments.get("continuation-token", "0"))
        page = keys[start:start + 2]
        more = start + 2 < len(keys)
        self.answer(200, ("<?xml version=\"1.0\"?><ListBucketResult><IsTruncated>%s</IsTruncated>%s"
                          "%s</ListBucketResult>" % (
                              "true" if more else "false",
                              "".join("<Contents><Key>%s</Key><Size>%d</Size></Contents>"
                                      % (k, len(objects()[k])) for k in page),
                              "<NextContinuationToken>%d</NextContinuationToken>" % (start + 2)
                              if more else "")).encode(), "application/xml")

    def machine(self, path):
        if path == "/latest/api/token":
            return self.answer(200 if self.command == "PUT" else 405, b"metadata-token",
                               "text/plain", [("X-aws-ec2-metadata-token-ttl-seconds", "300")])
        if self.headers.get("X-aws-ec2-metadata-token") != "metadata-token":
            return self.answer(401)
        roles = "/latest/meta-data/iam/security-credentials/"
        if path in (roles, roles[:-1]):
            return self.answer(200, b"role", "text/plain")
        return self.json({"Code": "Success", "AccessKeyId": "ASMACHINE",
                          "SecretAccessKey": "machine-secret", "Token": "machine-token",
                          "Expiration": "2100-01-01T00:00:00Z"})

    def role(self, body):
        problem = signature_problem(self, body)
        if problem:
            return self.fault(403, problem)
        return self.answer(200, (
            b"<AssumeRoleResponse xmlns=\"https://sts.amazonaws.com/doc/2011-06-15/\">"
            b"<AssumeRoleResult><Credentials><AccessKeyId>ASROLE</AccessKeyId><SecretAccessKey>"
            b"role-secret</SecretAccessKey><SessionToken>role-token</SessionToken><Expiration>"
            b"2100-01-01T00:00:00Z</Expiration></Credentials></AssumeRoleResult>"
            b"</AssumeRoleResponse>"), "text/xml")

    def google(self, path, arguments):
        if self.headers.get("Authorization"):
            return self.answer(400)  # an emulator gets no tokens
        if path == "/storage/v1/b/gbucket/o":
            keys = sorted(k for k in objects() if k.startswith(arguments.get("prefix", "")))
            start = int(arguments.get("pageToken") or 0)
            more = {"nextPageToken": str(start + 2)} if start + 2 < len(keys) else {}
            return self.json(dict({"items": [
                {"name": k, "bucket": "gbucket", "generation": "1", "size": str(len(objects()[k]))}
                for k in keys[start:start + 2]]}, **more))
        data = objects().get(path[len("/gbucket/"):])
        if data is None or arguments.get("generation", "1") != "1":
            return self.answer(404)
        return self.answer(200, data)


class BucketServer:
    def __init__(self):
        self.guard, self.log = threading.Lock(), []
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.server.state = self
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
    return BucketServer()
