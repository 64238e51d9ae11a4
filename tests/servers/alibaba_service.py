"""Alibaba Cloud on the loopback interface for tests: the bucket "states" of its object store, the table
"locks" of TableStore, and its token service. Signatures and checksums of requests are checked.
"""
import base64
import hashlib
import hmac
import json
import struct
import urllib.parse

import state_service
from wire import fields

# Access key: (secret key, session token)
KEYS = {"LTAI": ("secret/key+1", ""), "STS.role": ("role-secret", "role-token"),
        "STS.machine": ("machine-secret", "machine-token")}


def sign(secret, text):
    return base64.b64encode(hmac.new(secret.encode(), text.encode(), hashlib.sha1).digest()).decode()


def crc8(data, crc=0):
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = (crc << 1 ^ (0x07 if crc & 0x80 else 0)) & 0xFF
    return crc


def crc64(data):
    crc = 0xFFFFFFFFFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0xC96C5795D7870F42 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFFFFFFFFFF


def proto(number, value):
    if isinstance(value, int):
        return bytes([number << 3, value])
    size, prefix = len(value), b""
    while True:
        prefix += bytes([size & 0x7F | (0x80 if size > 0x7F else 0)])
        size >>= 7
        if not size:
            return bytes([number << 3 | 2]) + prefix + value


def encode_row(key, columns):
    """A row in TableStore's plain buffer."""
    def cell(name, text):
        value = b"\x03" + struct.pack("<I", len(text)) + text
        total = crc8(value, crc8(name))
        return (b"\x03\x04" + struct.pack("<I", len(name)) + name + b"\x05" +
                struct.pack("<I", len(value)) + value + b"\x0a" + bytes([total])), total
    data, total = cell(b"LockID", key)
    out, sums = struct.pack("<I", 0x75) + b"\x01" + data, crc8(bytes([total]))
    if columns:
        out += b"\x02"
    for name, text in columns.items():
        data, total = cell(name, text)
        # The service adds a time stamp to each cell.
        stamp = struct.pack("<q", 1700000000000)
        total = crc8(stamp, crc8(data[:0], crc8(b"\x03" + struct.pack("<I", len(text)) + text, crc8(name))))
        out += data[:-2] + b"\x07" + stamp + b"\x0a" + bytes([total])
        sums = crc8(bytes([total]), sums)
    return out + b"\x09" + bytes([crc8(b"\0", sums)])


def decode_row(data):
    """(key, columns, whether it is a deletion) of a row; raises ValueError if it is wrong."""
    def number(at):
        return struct.unpack_from("<I", data, at)[0]
    if number(0) != 0x75 or data[4] != 1:
        raise ValueError("header")
    at, cells, in_data, deletion, sums = 5, [], False, False, 0
    while True:
        tag = data[at]
        at += 1
        if tag == 2:
            in_data = True
        elif tag == 8:
            deletion = True
        elif tag == 3:
            if data[at] != 4:
                raise ValueError("name")
            size = number(at + 1)
            name, at = data[at + 5:at + 5 + size], at + 5 + size
            size = number(at + 1)
            value, at = data[at + 5:at + 5 + size], at + 5 + size
            if value[0] != 3 or struct.unpack_from("<I", value, 1)[0] != len(value) - 5:
                raise ValueError("value")
            total = crc8(value, crc8(name))
            if data[at] != 10 or data[at + 1] != total:
                raise ValueError("checksum of a cell")
            at += 2
            sums = crc8(bytes([total]), sums)
            cells.append((in_data, name, value[5:]))
        elif tag == 9:
            if data[at] != crc8(b"\1" if deletion else b"\0", sums) or at + 1 != len(data):
                raise ValueError("checksum of the row")
            keys = [text for is_data, _, text in cells if not is_data]
            return keys[0], {name: text for is_data, name, text in cells if is_data}, deletion
        else:
            raise ValueError("tag %d" % tag)


class Alibaba(state_service.Service):
    def __init__(self, page=1000):
        super().__init__()
        self.objects, self.rows, self.page, self.wrong = {}, {}, page, []
        self.environment = {"ALICLOUD_ACCESS_KEY": "LTAI", "ALICLOUD_SECRET_KEY": "secret/key+1",
                            "ALICLOUD_OSS_ENDPOINT": self.url, "ALICLOUD_TABLESTORE_ENDPOINT": self.url,
                            "NO_PROXY": "127.0.0.1"}

    def kind(self, request):
        if "x-ots-date" in request.headers:
            operation = request.path.strip("/")
            data = dict(fields(request.body))
            digest = operation != "DescribeTable" and b"-md5" in data.get(2, b"")
            return {"GetRow": "digest" if digest else "holder", "PutRow": "digest" if digest else "lock",
                    "DeleteRow": "digest" if digest else "unlock"}.get(operation, "describe")
        if request.method == "PUT":
            return "put"
        return "list" if request.name.count("/") < 2 or request.name.endswith("states/") else "get"

    def note(self, request):
        if "x-ots-date" in request.headers:
            values = fields(request.body)
            shown = []
            for number, value in values:
                if number == 2 and request.path != "/DescribeTable":
                    key, columns, deletion = decode_row(value)
                    columns = {n.decode(): sorted(json.loads(t)) if n == b"Info" else "text"
                               for n, t in columns.items()}
                    value = "%s %s%s" % (key.decode(), columns, " deleted" if deletion else "")
                shown.append("%d=%s" % (number, value if isinstance(value, (int, str)) else value))
            return "%s %s %s" % (request.method, request.path, " ".join(shown))
        headers = sorted("%s: %s" % (n.lower(), v) for n, v in request.headers.items()
                         if n.lower().startswith("x-oss-") or n.lower() == "content-type")
        return "%s %s?%s %s" % (request.method, request.path, request.query, headers)

    def refuse(self, code, name, request):
        self.wrong.append("%s: %s" % (name, self.note(request)))
        text = ("<?xml version=\"1.0\"?><Error><Code>%s</Code><Message>m</Message></Error>" % name).encode()
        headers = [("Content-Type", "application/xml"), ("x-oss-err", base64.b64encode(text).decode())]
        return code, b"" if request.method == "HEAD" else text, headers

    def answer(self, request):
        if "x-ots-date" in request.headers:
            return self.table(request)
        if "Action" in request.arguments:
            return self.call(request)
        if request.path.startswith("/latest/meta-data/"):
            return 200, json.dumps({
                "Code": "Success", "AccessKeyId": "STS.machine", "AccessKeySecret": "machine-secret",
                "SecurityToken": "machine-token"}).encode(), [("Content-Type", "application/json")]
        problem = self.signature_problem(request)
        if problem:
            return self.refuse(403, problem, request)
        _, bucket, name = (request.name + "/").split("/", 2)
        name = name[:-1]
        if bucket != "states":
            return self.refuse(404, "NoSuchBucket", request)
        if not name:
            return self.list(request.arguments)
        if request.method == "PUT":
            self.objects[name] = request.body
            return 200, b"", [("x-oss-hash-crc64ecma", str(crc64(request.body)))]
        if request.method == "DELETE":
            self.objects.pop(name, None)
            return 204, b"", []
        if name not in self.objects:
            return 404, b"" if request.method == "HEAD" else (
                b"<?xml version=\"1.0\"?><Error><Code>NoSuchKey</Code></Error>"), []
        data = self.objects[name]
        return 200, data, [("x-oss-hash-crc64ecma", str(crc64(data)))]

    def signature_problem(self, request):
        kind, _, rest = request.headers.get("Authorization", "").partition(" ")
        key, _, signature = rest.partition(":")
        if kind != "OSS" or key not in KEYS:
            return "InvalidAccessKeyId"
        secret, token = KEYS[key]
        if request.headers.get("x-oss-security-token", "") != token:
            return "InvalidSecurityToken"
        named = sorted((n.lower(), v) for n, v in request.headers.items() if n.lower().startswith("x-oss-"))
        resource = "/" + request.name.lstrip("/") + ("?objectMeta" if request.query == "objectMeta" else "")
        text = "\n".join((request.method, request.headers.get("Content-MD5", ""),
                          request.headers.get("Content-Type", ""), request.headers["Date"],
                          "".join("%s:%s\n" % pair for pair in named) + resource))
        return "" if sign(secret, text) == signature else "SignatureDoesNotMatch"

    def list(self, arguments):
        names = sorted(n for n in self.objects if n.startswith(arguments.get("prefix", ""))
                       and n > arguments.get("marker", ""))
        page, more = names[:self.page], len(names) > self.page
        entries = "".join("<Contents><Key>%s</Key></Contents>" % urllib.parse.quote_plus(n) for n in page)
        return 200, ("<?xml version=\"1.0\"?><ListBucketResult><EncodingType>url</EncodingType><IsTruncated>%s"
                     "</IsTruncated>%s</ListBucketResult>" % (str(more).lower(), entries)).encode(), [
                         ("Content-Type", "application/xml")]

    def table(self, request):
        def refuse(code, name):
            self.wrong.append("%s: %s" % (name, request.path))
            return code, proto(1, name.encode()) + proto(2, b"m"), []
        key = request.headers.get("x-ots-accesskeyid", "")
        if key not in KEYS or request.headers.get("x-ots-ststoken", "") != KEYS[key][1]:
            return refuse(403, "OTSAuthFailed")
        if request.headers.get("x-ots-contentmd5") != base64.b64encode(
                hashlib.md5(request.body).digest()).decode():
            return refuse(403, "OTSParameterInvalid")
        named = sorted((n.lower(), v) for n, v in request.headers.items()
                       if n.lower().startswith("x-ots-") and n.lower() != "x-ots-signature")
        text = request.path + "\nPOST\n\n" + "".join("%s:%s\n" % pair for pair in named)
        if sign(KEYS[key][0], text) != request.headers.get("x-ots-signature"):
            return refuse(403, "OTSAuthFailed")
        data = dict(fields(request.body))
        if data[1] != b"locks":
            return refuse(404, "OTSObjectNotExist")
        consumed = proto(1, proto(1, proto(1, 0) + proto(2, 1)))
        if request.path == "/DescribeTable":
            pair = proto(1, proto(1, 0) + proto(2, 0)) + proto(2, 0)
            meta = proto(1, b"locks") + proto(2, proto(1, b"LockID") + proto(2, 2))
            return 200, (proto(1, meta) + proto(2, pair) + proto(3, proto(1, 1) + proto(2, 1) + proto(5, 1)) +
                         proto(4, 1)), []
        row, columns, deletion = decode_row(data[2])
        if request.path == "/GetRow":
            stored = self.rows.get(row)
            return 200, consumed + proto(2, encode_row(row, stored) if stored is not None else b""), []
        expects = dict(fields(data[3]))[1]
        if expects == 2 and row in self.rows or expects == 1 and row not in self.rows:
            return 403, proto(1, b"OTSConditionCheckFail") + proto(2, b"Condition check failed."), []
        if request.path == "/PutRow":
            self.rows[row] = columns
        elif deletion:
            self.rows.pop(row, None)
        return 200, consumed, []

    def call(self, request):
        """A request in the RPC style: AssumeRole."""
        pairs = sorted((n, v) for n, v in request.arguments.items() if n != "Signature")
        query = "&".join("%s=%s" % (urllib.parse.quote(n, safe="-._~"), urllib.parse.quote(v, safe="-._~"))
                         for n, v in pairs)
        key = request.arguments.get("AccessKeyId", "")
        text = "%s&%%2F&%s" % (request.method, urllib.parse.quote(query, safe="-._~"))
        if key not in KEYS or sign(KEYS[key][0] + "&", text) != request.arguments.get("Signature"):
            self.wrong.append("SignatureDoesNotMatch: " + request.arguments["Action"])
            return 400, b'{"Code":"SignatureDoesNotMatch","Message":"m"}', []
        return 200, json.dumps({"Credentials": {
            "AccessKeyId": "STS.role", "AccessKeySecret": "role-secret", "SecurityToken": "role-token"}}
        ).encode(), [("Content-Type", "application/json")]
