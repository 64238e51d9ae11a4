"""Tencent Cloud on the loopback interface for tests: the bucket "states-1" of its object store in the
region ap-test, its tags and its token service. Programs reach it as their proxy, and trust its
certificate. Signatures of requests are checked.
"""
import hashlib
import hmac
import json
import time
import urllib.parse

import state_service
from alibaba_service import crc64

# Secret ID: (secret key, token)
KEYS = {"AKID": ("secret/key+1", ""), "AKIDrole": ("role-secret", "role-token")}
BUCKET = "states-1.cos.ap-test.myqcloud.com"


def digest(key, text, kind):
    return hmac.new(key if isinstance(key, bytes) else key.encode(), text.encode(), kind)


class Tencent(state_service.Service):
    tls_hosts = (BUCKET, "tag.tencentcloudapi.com", "sts.tencentcloudapi.com")

    def __init__(self, directory, page=1000):
        super().__init__()
        self.objects, self.tags, self.page, self.wrong = {}, set(), page, []
        self.trust(directory)
        self.environment = {"TENCENTCLOUD_SECRET_ID": "AKID", "TENCENTCLOUD_SECRET_KEY": "secret/key+1",
                            "TENCENTCLOUD_REGION": "ap-test", "HTTPS_PROXY": self.url,
                            "SSL_CERT_FILE": self.certificate[0]}

    def kind(self, request):
        if request.host != BUCKET:
            return {"CreateTag": "lock", "DeleteTag": "untag",
                    "DescribeTags": "tags"}.get(request.headers.get("X-TC-Action"), "role")
        if request.path == "/":
            return "list"
        if request.name.endswith(".tflock"):
            return {"PUT": "lock file", "DELETE": "unlock"}.get(request.method, "holder")
        return {"PUT": "put", "GET": "get"}.get(request.method, "delete")

    def note(self, request):
        headers = sorted("%s: %s" % (n.lower(), "DIGEST" if n.lower().endswith("md5") else v)
                         for n, v in request.headers.items()
                         if n.lower().startswith("x-cos-") or n.lower() in (
                             "x-tc-action", "x-tc-version", "x-tc-region", "content-type"))
        body = request.body.decode() if request.host != BUCKET else ""
        return "%s %s%s?%s %s %s" % (request.method, request.host, request.path, request.query, headers, body)

    def refuse(self, code, name, request):
        self.wrong.append("%s: %s" % (name, self.note(request)))
        return code, ("<?xml version=\"1.0\"?><Error><Code>%s</Code><Message>m</Message></Error>"
                      % name).encode(), [("Content-Type", "application/xml")]

    def answer(self, request):
        if request.host != BUCKET:
            return self.call(request)
        problem = self.signature_problem(request)
        if problem:
            return self.refuse(403, problem, request)
        if request.path == "/":
            return self.list(request.arguments)
        name = request.name[1:]
        if request.method == "PUT":
            if request.headers.get("x-cos-forbid-overwrite") == "true" and name in self.objects:
                return self.refuse(409, "FileAlreadyExists", request)
            kept = [(n, request.headers[n]) for n in ("x-cos-meta-md5",) if n in request.headers]
            self.objects[name] = request.body, kept
            return 200, b"", [("x-cos-hash-crc64ecma", str(crc64(request.body)))]
        if request.method == "DELETE":
            self.objects.pop(name, None)
            return 204, b"", []
        if name not in self.objects:
            return 404, b"<?xml version=\"1.0\"?><Error><Code>NoSuchKey</Code></Error>", []
        data, kept = self.objects[name]
        return 200, data, kept

    def signature_problem(self, request):
        given = dict(part.partition("=")[::2] for part in request.headers.get("Authorization", "").split("&"))
        if given.get("q-ak") not in KEYS or given.get("q-sign-algorithm") != "sha1":
            return "InvalidAccessKeyId"
        secret, token = KEYS[given["q-ak"]]
        if request.headers.get("x-cos-security-token", "") != token:
            return "InvalidToken"
        begin, _, end = given["q-sign-time"].partition(";")
        if not int(begin) <= time.time() + 5 < int(end) or given["q-key-time"] != given["q-sign-time"]:
            return "RequestTimeTooSkewed"

        def line(pairs):
            return "&".join("%s=%s" % (urllib.parse.quote(n, safe="-._~").lower(),
                                       urllib.parse.quote(v, safe="-._~")) for n, v in sorted(pairs))
        names = given["q-header-list"].split(";")
        must = [n.lower() for n in request.headers if n.lower().startswith("x-cos-")] + ["host"]
        if set(must) - set(names):
            return "AccessDenied"
        arguments = request.arguments
        if sorted(arguments) != [n for n in given["q-url-param-list"].split(";") if n]:
            return "AccessDenied"
        text = "\n".join((request.method.lower(), request.name, line(arguments.items()),
                          line((n, request.headers[n]) for n in names), ""))
        key = digest(secret, given["q-key-time"], "sha1").hexdigest()
        wanted = digest(key, "sha1\n%s\n%s\n" % (given["q-sign-time"], hashlib.sha1(
            text.encode()).hexdigest()), "sha1").hexdigest()
        return "" if wanted == given["q-signature"] else "SignatureDoesNotMatch"

    def list(self, arguments):
        names = sorted(n for n in self.objects if n.startswith(arguments.get("prefix", ""))
                       and n > arguments.get("marker", ""))
        page, more = names[:self.page], len(names) > self.page
        return 200, ("<?xml version=\"1.0\"?><ListBucketResult><IsTruncated>%s</IsTruncated>%s"
                     "</ListBucketResult>" % (str(more).lower(), "".join(
                         "<Contents><Key>%s</Key></Contents>" % n for n in page))).encode(), [
                             ("Content-Type", "application/xml")]

    def call(self, request):
        """A request of a service that speaks JSON."""
        def reply(**values):
            return 200, json.dumps({"Response": dict(values, RequestId="r")}).encode(), [
                ("Content-Type", "application/json")]

        def refuse(code):
            self.wrong.append("%s: %s" % (code, self.note(request)))
            return reply(Error={"Code": code, "Message": "m"})
        service, stamp = request.host.split(".")[0], request.headers.get("X-TC-Timestamp", "")
        day = time.strftime("%Y-%m-%d", time.gmtime(int(stamp or 0)))
        scope = "%s/%s/tc3_request" % (day, service)
        canonical = "\n".join((request.method, "/", "", "content-type:%s\nhost:%s\n" % (
            request.headers["Content-Type"], request.host), "content-type;host",
            hashlib.sha256(request.body).hexdigest()))
        text = "\n".join(("TC3-HMAC-SHA256", stamp, scope, hashlib.sha256(canonical.encode()).hexdigest()))
        for name, (secret, token) in KEYS.items():
            key = ("TC3" + secret).encode()
            for part in (day, service, "tc3_request"):
                key = digest(key, part, "sha256").digest()
            if request.headers.get("Authorization") == (
                    "TC3-HMAC-SHA256 Credential=%s/%s, SignedHeaders=content-type;host, Signature=%s" % (
                        name, scope, digest(key, text, "sha256").hexdigest())):
                if request.headers.get("X-TC-Token", "") == token:
                    break
        else:
            return refuse("AuthFailure.SignatureFailure")
        body, action = json.loads(request.body), request.headers["X-TC-Action"]
        if action == "AssumeRole":
            return reply(Credentials={"TmpSecretId": "AKIDrole", "TmpSecretKey": "role-secret",
                                      "Token": "role-token"})
        tag = body["TagKey"], body["TagValue"]
        if action == "CreateTag":
            if tag in self.tags:
                return reply(Error={"Code": "ResourceInUse.TagDuplicate", "Message": "m"})
            self.tags.add(tag)
        elif action == "DeleteTag":
            self.tags.discard(tag)
        elif action == "DescribeTags":
            return reply(TotalCount=int(tag in self.tags), Tags=[
                {"TagKey": tag[0], "TagValue": tag[1]}] if tag in self.tags else [])
        return reply()
