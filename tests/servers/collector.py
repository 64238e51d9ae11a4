"""A collector of traces on the loopback interface for tests.

start() gives a Collector with `url`, `requests` (path, headers and length of what it received) and
`spans`: one dictionary per span, with the fields of OTLP's protobuf messages.
"""
import gzip
import http.server
import ssl
import threading

from wire import fields


def any_value(message):
    for number, value in fields(message):
        if number == 1:
            return value.decode()
        if number == 2:
            return bool(value)
        if number == 3:
            return value
        if number == 5:
            return [any_value(part) for _, part in fields(value)]
    return None


def attributes(messages):
    out = {}
    for message in messages:
        pair = dict(fields(message))
        out[pair[1].decode()] = any_value(pair[2])
    return out


def every(message, wanted):
    return [value for number, value in fields(message) if number == wanted]


def one(message, wanted, default=b""):
    found = every(message, wanted)
    return found[-1] if found else default


def decode_span(message):
    status = one(message, 15)
    return {
        "trace": one(message, 1).hex(), "id": one(message, 2).hex(),
        "state": one(message, 3).decode(), "parent": one(message, 4).hex(),
        "name": one(message, 5).decode(), "kind": one(message, 6, 0),
        "start": one(message, 7, 0), "end": one(message, 8, 0),
        "attributes": attributes(every(message, 9)),
        "events": [{"name": one(event, 2).decode(), "attributes": attributes(every(event, 3))}
                   for event in every(message, 11)],
        "status": one(status, 3, 0), "message": one(status, 2).decode(),
        "flags": one(message, 16, 0),
    }


def decode(request):
    """The spans of an ExportTraceServiceRequest, with the parts around them."""
    out = []
    for group in every(request, 1):
        resource = attributes(every(one(group, 1), 1))
        for scope in every(group, 2):
            for message in every(scope, 2):
                span = decode_span(message)
                span.update(scope=one(one(scope, 1), 1).decode(), resource=resource,
                            schema=one(group, 3).decode())
                out.append(span)
    return out


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        collector = self.server.collector
        if self.headers.get("Transfer-Encoding") == "chunked":
            body = b""
            while True:
                size = int(self.rfile.readline(), 16)
                body += self.rfile.read(size)
                self.rfile.readline()
                if size == 0:
                    break
        else:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        status = collector.answers.pop(0) if collector.answers else 200
        with collector.lock:
            collector.requests.append((self.path, dict(self.headers), len(body)))
            if status == 200:
                if self.headers.get("Content-Encoding") == "gzip":
                    body = gzip.decompress(body)
                collector.spans += decode(body)
        self.send_response(status)
        self.send_header("Content-Type", "application/x-protobuf")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    def handle_error(self, *_):
        pass  # a client that ends the handshake is what tests are about


class Collector:
    def __init__(self, certificate=None, wants_clients=False):
        self.lock = threading.Lock()
        self.requests = []
        self.spans = []
        self.answers = []  # statuses of the next answers, before all others are 200
        self.server = Server(("127.0.0.1", 0), Handler)
        self.server.collector = self
        scheme = "http"
        if certificate is not None:
            scheme = "https"
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
            if wants_clients:
                context.verify_mode = ssl.CERT_REQUIRED
                context.load_verify_locations(certificate)
            self.server.socket = context.wrap_socket(
                self.server.socket, server_side=True, do_handshake_on_connect=False)
        self.url = "%s://127.0.0.1:%d" % (scheme, self.server.server_address[1])
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def take(self):
        with self.lock:
            spans, self.spans = self.spans, []
            requests, self.requests = self.requests, []
        return spans, requests

    def stop(self):
        self.server.shutdown()
        self.server.server_close()


def start(certificate=None, wants_clients=False):
    """`certificate`: a PEM file with key and certificate, for TLS. With `wants_clients`, clients must
    show it, too."""
    return Collector(certificate, wants_clients)


def tree(spans, keep=lambda span: True):
    """The names of spans, indented below their parents. Siblings are in order of their texts, since
    their times differ from run to run."""
    by_id = {span["id"]: span for span in spans}
    below = {}
    for span in spans:
        parent = by_id.get(span["parent"])
        while parent is not None and not keep(parent):
            parent = by_id.get(parent["parent"])
        if keep(span):
            below.setdefault(parent and parent["id"], []).append(span)

    def lines(parent, depth):
        out = []
        for span in below.get(parent, []):
            shown = span["name"] + "".join(
                " %s=%s" % pair for pair in sorted(span["attributes"].items()))
            if span["status"]:
                shown += " status=%d" % span["status"]
            out.append("\n".join(["  " * depth + shown] + lines(span["id"], depth + 1)))
        return sorted(out)
    return "\n".join(lines(None, 0))
