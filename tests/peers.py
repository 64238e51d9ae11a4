#!/usr/bin/env python3
"""Starts services that tests use, each on a free port of this machine.

  peers.py NAME        starts one and prints its environment; ends it at the end of its input

In a test:

  with peers.start("pg") as environment: ...

`start` raises Unavailable, with the reason, where the service is not installed.
"""
import contextlib
import glob
import http.client
import http.server
import importlib
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time

PATIENCE = 30  # seconds until a service answers


class Unavailable(Exception):
    pass


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def wait_until(answers, process):
    """Waits until `answers()` is true; raises if the process ends before."""
    end = time.monotonic() + PATIENCE
    while not answers():
        if process.poll() is not None:
            raise Unavailable("the service ended with %d" % process.returncode)
        if time.monotonic() > end:
            raise Unavailable("no answer within %d seconds" % PATIENCE)
        time.sleep(0.1)


@contextlib.contextmanager
def postgres():
    """A PostgreSQL server with the database `postgres` and the trusted user `postgres`."""
    found = sorted(glob.glob("/usr/lib/postgresql/*/bin/initdb"))
    initdb = found[-1] if found else shutil.which("initdb")
    if not initdb:
        raise Unavailable("PostgreSQL is not installed")
    programs = os.path.dirname(initdb)
    # The server refuses to run for root.
    user = {"user": "postgres"} if os.geteuid() == 0 else {}
    with tempfile.TemporaryDirectory(prefix="kinu-pg-") as root:
        if user:
            shutil.chown(root, "postgres")
        data, port = os.path.join(root, "data"), free_port()
        made = subprocess.run([initdb, "-D", data, "-A", "trust", "-U", "postgres", "--no-sync"],
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                              cwd=root, **user)
        if made.returncode != 0:
            raise Unavailable("initdb: " + made.stderr.strip())
        server = subprocess.Popen(
            [os.path.join(programs, "postgres"), "-D", data, "-p", str(port), "-k", root,
             "-h", "127.0.0.1", "-F"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=root, **user)

        def answers():
            return subprocess.run(
                [os.path.join(programs, "pg_isready"), "-q", "-h", "127.0.0.1", "-p", str(port)]
            ).returncode == 0
        try:
            wait_until(answers, server)
            yield {"PG_CONN_STR": "postgres://postgres@127.0.0.1:%d/postgres?sslmode=disable" % port}
        finally:
            server.terminate()
            server.wait()


def responds(port, path):
    """Whether the service of that port answers a request, with whatever status."""
    try:
        request("GET", port, path)
    except OSError:
        return False
    return True


def request(method, port, path, body=None, headers=()):
    """Sends a request and returns the status."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    try:
        connection.request(method, path, body, dict(headers))
        return connection.getresponse().status
    finally:
        connection.close()


@contextlib.contextmanager
def serve(*command):
    """A service whose program writes nothing; yields once it runs."""
    if not shutil.which(command[0]):
        raise Unavailable(command[0] + " is not installed")
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        yield server
    finally:
        server.terminate()
        server.wait()


@contextlib.contextmanager
def moto():
    """Amazon's services with the bucket `states` and the DynamoDB table `locks`."""
    port = free_port()
    with serve("moto_server", "-H", "127.0.0.1", "-p", str(port)) as server:
        wait_until(lambda: responds(port, "/moto-api/"), server)
        credential = ("AWS4-HMAC-SHA256 Credential=t/20200101/us-east-1/%s/aws4_request, "
                      "SignedHeaders=host, Signature=0")
        table = {"TableName": "locks", "BillingMode": "PAY_PER_REQUEST",
                 "KeySchema": [{"AttributeName": "LockID", "KeyType": "HASH"}],
                 "AttributeDefinitions": [{"AttributeName": "LockID", "AttributeType": "S"}]}
        made = [request("PUT", port, "/states", headers={"Authorization": credential % "s3"}),
                request("POST", port, "/", json.dumps(table),
                        {"Authorization": credential % "dynamodb",
                         "Content-Type": "application/x-amz-json-1.0",
                         "X-Amz-Target": "DynamoDB_20120810.CreateTable"})]
        if made != [200, 200]:
            raise Unavailable("moto made neither a bucket nor a table: %s" % made)
        yield {"AWS_ENDPOINT_URL": "http://127.0.0.1:%d" % port, "AWS_REGION": "us-east-1",
               "AWS_ACCESS_KEY_ID": "t", "AWS_SECRET_ACCESS_KEY": "t"}


@contextlib.contextmanager
def gcs():
    """Google Cloud Storage with the bucket `states`."""
    port = free_port()
    with serve("fake-gcs-server", "-scheme", "http", "-host", "127.0.0.1", "-port", str(port),
               "-backend", "memory", "-public-host", "127.0.0.1:%d" % port) as server:
        wait_until(lambda: responds(port, "/storage/v1/b"), server)
        request("POST", port, "/storage/v1/b?project=p", '{"name":"states"}',
                {"Content-Type": "application/json"})
        yield {"STORAGE_EMULATOR_HOST": "127.0.0.1:%d" % port}


class StateHandler(http.server.BaseHTTPRequestHandler):
    """One state and its lock, as the backend http asks for them."""
    state = lock = None
    mutex = threading.Lock()

    def answer(self, status, body=b""):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def handle_one(self):
        kind, body = type(self), self.rfile.read(int(self.headers.get("Content-Length", 0)))
        with kind.mutex:
            if self.command == "GET":
                return (404, b"") if kind.state is None else (200, kind.state)
            if self.command == "LOCK":
                if kind.lock is not None:
                    return 423, kind.lock
                kind.lock = body
            elif self.command == "UNLOCK":
                kind.lock = None
            elif self.command == "POST":
                holder = json.loads(kind.lock)["ID"] if kind.lock else None
                if holder and ("ID=" + holder) not in self.path:
                    return 409, b""
                kind.state = body
            else:
                kind.state = None
        return 200, b""

    def respond(self):
        self.answer(*self.handle_one())

    do_GET = do_POST = do_DELETE = do_LOCK = do_UNLOCK = respond

    def log_message(self, *_):
        pass


@contextlib.contextmanager
def http_state():
    """A service for one state with a lock."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (StateHandler,), {}))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        address = "http://127.0.0.1:%d/" % server.server_address[1]
        yield {"TF_HTTP_ADDRESS": address + "state", "TF_HTTP_LOCK_ADDRESS": address + "lock",
               "TF_HTTP_UNLOCK_ADDRESS": address + "lock"}
    finally:
        server.shutdown()


def scripted(module):
    """A module of scripted services in tests/e2e."""
    sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "e2e"))
    return importlib.import_module(module)


@contextlib.contextmanager
def oss():
    """Alibaba Cloud's object store with the bucket `states`, and the TableStore table `locks`."""
    with scripted("alibaba_service").Alibaba(page=2) as service:
        yield service.environment
        if service.wrong:
            raise AssertionError("refused requests: %s" % service.wrong)


@contextlib.contextmanager
def cos():
    """Tencent Cloud's object store with the bucket `states-1`, and its tags."""
    with tempfile.TemporaryDirectory(prefix="kinu-cos-") as root:
        try:
            service = scripted("tencent_service").Tencent(root)
        except FileNotFoundError as why:
            raise Unavailable("%s is not installed" % why) from None
        with service:
            yield service.environment
            if service.wrong:
                raise AssertionError("refused requests: %s" % service.wrong)


PEERS = {"pg": postgres, "moto": moto, "gcs": gcs, "http": http_state, "oss": oss, "cos": cos}


def start(name):
    """The environment in which a program finds the service; a context manager."""
    return PEERS[name]()


def main():
    try:
        with start(sys.argv[1]) as environment:
            for name, value in environment.items():
                print("%s=%s" % (name, value), flush=True)
            sys.stdin.read()
    except Unavailable as why:
        print("skipped: %s" % why, file=sys.stderr)
        sys.exit(77)


if __name__ == "__main__":
    main()
