"""What scripted services of states have in common: a server on the loopback interface that keeps what
it is given, a log of its requests, and faults at a kind of request.

A service is a subclass of Service with `answer(request)`, which returns (status, body, headers), and
`kind(request)`, which names what a request is for: get, put, lock, unlock, or another word.
"""
import collections
import http.server
import os
import shutil
import socket
import ssl
import struct
import subprocess
import threading
import time
import urllib.parse

# What a fault means in tables.
FAULTS = {
    "refused": "the connection is refused",
    "reset": "the connection is reset",
    "lost": "the request is carried out, and its answer is lost",
    "slow": "the answer comes late",
    "truncated": "the answer ends too early",
    "401": "status 401",
    "403": "status 403",
    "404": "status 404",
    "429": "status 429 with Retry-After",
    "500": "status 500",
    "503": "status 503",
    "malformed": "the answer is something else",
}
SLOW = 2  # seconds


class Request(collections.namedtuple("Request", "method host path query headers body")):
    """`path` is as it was sent; `arguments` are those of the query."""

    @property
    def arguments(self):
        return dict(urllib.parse.parse_qsl(self.query, keep_blank_values=True))

    @property
    def name(self):
        return urllib.parse.unquote(self.path)


class Service:
    """Use it as a context manager; `environment` has what programs need to reach it."""
    environment = {}
    tls_hosts = ()  # names that are reached through the server as a proxy

    def __init__(self):
        self.guard, self.log = threading.Lock(), []
        self.fault, self.fault_kind, self.faults_left = None, None, 0
        self.context = self.certificate = None
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads, self.server.service = True, self
        self.server.handle_error = lambda *_: None
        self.port = self.server.server_address[1]
        self.url = "http://127.0.0.1:%d" % self.port
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    def trust(self, directory):
        """Makes a certificate for the hosts of the service and keeps it in the directory."""
        self.certificate = make_certificate(directory, self.tls_hosts)
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(*self.certificate)

    def fail(self, kind=None, fault=None, times=-1):
        """Lets requests of a kind fail from now on, so often (-1: always); or none."""
        with self.guard:
            self.fault_kind, self.fault, self.faults_left = kind, fault, times

    def take_log(self):
        with self.guard:
            log, self.log = self.log, []
        return log

    def note(self, request):
        """The line of a request in the log."""
        return "%s %s" % (request.method, request.path)

    def kind(self, request):
        raise NotImplementedError

    def answer(self, request):
        raise NotImplementedError

    def respond(self, request):
        """The fault of a request or None, and the sound answer if it is carried out."""
        with self.guard:
            self.log.append(self.note(request))
            fault = self.fault if self.fault_kind in (self.kind(request), "any") else None
            if fault and self.faults_left == 0:
                fault = None
            elif fault:
                self.faults_left -= 1
            if fault in (None, "slow", "lost", "truncated"):
                return fault, self.answer(request)
            return fault, None


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # or a body waits for the receipt of its headers, 40 ms
    target = ""  # the host that a tunnel leads to

    def log_message(self, *_):
        pass

    def do_CONNECT(self):
        """A tunnel that ends here: the service stands for the host."""
        self.send_response(200)
        self.end_headers()
        self.target = self.path.rpartition(":")[0]
        try:
            self.connection = self.server.service.context.wrap_socket(self.connection, server_side=True)
        except (OSError, ssl.SSLError):
            self.close_connection = True
            return
        self.rfile, self.wfile = self.connection.makefile("rb", -1), self.connection.makefile("wb", 0)
        self.close_connection = False
        while not self.close_connection:
            self.handle_one_request()

    def read_body(self):
        if self.headers.get("Transfer-Encoding", "").lower() != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length") or 0))
        body = b""
        while True:
            size = int(self.rfile.readline().split(b";")[0], 16)
            body += self.rfile.read(size)
            self.rfile.readline()
            if size == 0:
                return body

    def give(self):
        body = self.read_body()
        path, _, query = self.path.partition("?")
        if path.startswith("http://"):  # asked as a proxy
            self.target = urllib.parse.urlsplit(path).netloc
            path = urllib.parse.urlsplit(path).path or "/"
        host = self.target or self.headers.get("Host", "")
        fault, answer = self.server.service.respond(
            Request(self.command, host, path, query, self.headers, body))
        if fault in ("refused", "reset", "lost"):
            return self.drop()
        if fault == "slow":
            time.sleep(SLOW)
        if fault == "429":
            return self.send(429, b"", [("Retry-After", "1")])
        if fault == "malformed":
            return self.send(200, b"[ { not this", [])
        if fault in ("401", "403", "404", "500", "503"):
            return self.send(int(fault), b"no", [])
        code, data, headers = answer
        if fault == "truncated":
            self.close_connection = True
            return self.send(code, data[:len(data) // 2], headers, max(len(data), 10))
        return self.send(code, data, headers)

    do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = do_PATCH = do_LOCK = do_UNLOCK = give

    def drop(self):
        """Resets the connection."""
        self.close_connection = True
        raw = self.connection
        try:
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            # Closes below TLS too.
            os.close(raw.detach())
        except OSError:
            pass

    def send(self, code, data, headers, length=None):
        self.send_response(code)
        given = {name.lower() for name, _ in headers}
        for name, value in headers:
            self.send_header(name, value)
        if "content-length" not in given and code not in (204, 304):
            self.send_header("Content-Length", str(len(data) if length is None else length))
        self.end_headers()
        if self.command != "HEAD" and code not in (204, 304):
            self.wfile.write(data)


def make_certificate(directory, hosts):
    """(certificate, key) for host names, made if the directory has none. Raises FileNotFoundError without openssl."""
    if shutil.which("openssl") is None:
        raise FileNotFoundError("openssl")
    pair = os.path.join(directory, "service.pem"), os.path.join(directory, "service.key")
    if os.path.exists(pair[0]):
        return pair
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
                    "-nodes", "-keyout", pair[1], "-out", pair[0], "-days", "2", "-subj", "/CN=service",
                    "-addext", "subjectAltName=" + ",".join("DNS:" + host for host in hosts)],
                   check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return pair
