#!/usr/bin/env python3
"""Starts services that tests use, each on a free port of this machine.

  peers.py NAME        starts one and prints its environment; ends it at the end of its input

In a test:

  with peers.start("pg") as environment: ...

`start` raises Unavailable, with the reason, where the service is not installed. Programs are looked for in
the path and in build/services (or KINU_SERVICES), where tests/services/build.sh puts those that no
distribution has. SLOW has the services that `make test` leaves out, and `make test-peers` does not.
"""
import base64
import contextlib
import glob
import hashlib
import hmac
import http.client
import http.server
import importlib
import json
import os
import shutil
import socket
import socketserver
import ssl
import subprocess
import sys
import tempfile
import threading
import time

PATIENCE = 180  # seconds until a service answers, on a machine that has much to do
HERE = os.path.dirname(os.path.abspath(__file__))
SERVICES = os.environ.get("KINU_SERVICES") or os.path.join(os.path.dirname(HERE), "build", "services")


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


def responds(port, path, statuses=()):
    """Whether the service of that port answers a request, with one of the statuses if some are named."""
    try:
        status = request("GET", port, path)
    except (OSError, http.client.HTTPException):
        return False
    return not statuses or status in statuses


def connects(port):
    try:
        socket.create_connection(("127.0.0.1", port)).close()
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
def serve(name, *arguments, **environment):
    """A service whose program writes nothing; yields once it runs."""
    program = shutil.which(name, path=os.environ["PATH"] + os.pathsep + SERVICES)
    if not program:
        raise Unavailable(name + " is not installed (tests/services/build.sh)")
    server = subprocess.Popen([program, *arguments], env=dict(os.environ, **environment),
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        yield server
    finally:
        server.terminate()
        server.wait()


class OneByOne(http.server.BaseHTTPRequestHandler):
    """Hands requests to a service that may be asked one at a time only."""
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm, wbufsize = True, -1
    port, mutex = 0, None

    def give(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        with self.mutex, contextlib.closing(connection):
            connection.putrequest(self.command, self.path, skip_host=True, skip_accept_encoding=True)
            for name, value in self.headers.items():
                connection.putheader(name, value)
            connection.endheaders(body)
            answer = connection.getresponse()
            data = answer.read()
        self.send_response_only(answer.status, answer.reason)
        for name, value in answer.getheaders():
            if name.lower() not in ("connection", "transfer-encoding", "content-length"):
                self.send_header(name, value)
        length = answer.getheader("Content-Length") if self.command == "HEAD" else None
        self.send_header("Content-Length", length or str(len(data)))
        self.end_headers()
        self.wfile.write(data)
        self.wfile.flush()

    do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = give

    def log_message(self, *_):
        pass


@contextlib.contextmanager
def one_by_one(port):
    """The port of a server in front of that one."""
    handler = type("OneByOne", (OneByOne,), {"port": port, "mutex": threading.Lock()})
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.block_on_close, server.handle_error = False, lambda *_: None
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        server.server_close()


@contextlib.contextmanager
def moto():
    """Amazon's services with the bucket `states` and the DynamoDB table `locks`.

    moto looks at a condition and stores afterwards: of two requests at once, both may succeed, which no service of
    Amazon does. So it gets them one by one.
    """
    behind = free_port()
    with serve("moto_server", "-H", "127.0.0.1", "-p", str(behind)) as server, one_by_one(behind) as port:
        wait_until(lambda: responds(behind, "/moto-api/"), server)
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


@contextlib.contextmanager
def consul():
    """An agent of Consul that is a cluster of its own."""
    port = free_port()
    with serve("consul", "agent", "-dev", "-bind", "127.0.0.1", "-client", "127.0.0.1",
               "-http-port", str(port), "-server-port", str(free_port()),
               "-serf-lan-port", str(free_port()), "-serf-wan-port", "-1", "-dns-port", "-1",
               "-grpc-port", "-1", "-grpc-tls-port", "-1", "-log-level", "err") as server:
        # It answers reads only once the cluster has a leader.
        wait_until(lambda: responds(port, "/v1/kv/?keys", (200, 404)), server)
        yield {"CONSUL_HTTP_ADDR": "127.0.0.1:%d" % port}


class Tunnel(socketserver.StreamRequestHandler):
    """What a proxy does with CONNECT, whatever the host is called: everything leads to one port."""
    port = 0

    def handle(self):
        while self.rfile.readline().strip():
            pass
        with socket.create_connection(("127.0.0.1", self.port)) as end:
            self.wfile.write(b"HTTP/1.1 200 OK\r\n\r\n")
            back = threading.Thread(target=self.copy, args=(end, self.connection), daemon=True)
            back.start()
            self.copy(self.connection, end)
            back.join()

    @staticmethod
    def copy(source, target):
        try:
            while data := source.recv(65536):
                target.sendall(data)
            target.shutdown(socket.SHUT_WR)
        except OSError:
            pass


@contextlib.contextmanager
def tunnel(port):
    """The address of a proxy that leads to the port."""
    server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), type("Tunnel", (Tunnel,), {"port": port}))
    server.daemon_threads, server.block_on_close, server.request_queue_size = True, False, 64
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield "http://127.0.0.1:%d" % server.server_address[1]
    finally:
        server.shutdown()
        server.server_close()


def certificate_of(root, *hosts):
    """The paths of a certificate for the hosts and of its key."""
    try:
        return scripted("state_service").make_certificate(root, hosts)
    except FileNotFoundError as why:
        raise Unavailable("%s is not installed" % why) from None


AZURE_HOST = "account.blob.core.windows.net"


def make_azure_container(port, certificate, key):
    """Makes the container `states`; returns the status."""
    headers = {"x-ms-date": time.strftime("%a, %d %b %Y %H:%M:%S GMT", time.gmtime()),
               "x-ms-version": "2023-11-03"}
    text = "PUT" + "\n" * 12 + "".join("%s:%s\n" % pair for pair in headers.items())
    text += "/account/states\nrestype:container"
    signature = base64.b64encode(hmac.digest(base64.b64decode(key), text.encode(), hashlib.sha256))
    headers.update({"Host": AZURE_HOST, "Content-Length": "0",
                    "Authorization": "SharedKey account:" + signature.decode()})
    context = ssl.create_default_context(cafile=certificate)
    with socket.create_connection(("127.0.0.1", port)) as raw, \
            context.wrap_socket(raw, server_hostname=AZURE_HOST) as end:
        connection = http.client.HTTPConnection(AZURE_HOST)
        connection.sock = end
        connection.request("PUT", "/states?restype=container", headers=headers)
        return connection.getresponse().status


@contextlib.contextmanager
def azure():
    """Azurite: Azure's blobs with the account `account` and the container `states`, behind a proxy."""
    port, key = free_port(), base64.b64encode(b"key of the account").decode()
    with tempfile.TemporaryDirectory(prefix="kinu-azure-") as root:
        certificate, private = certificate_of(root, AZURE_HOST)
        with serve("azurite-blob", "--blobHost", "127.0.0.1", "--blobPort", str(port),
                   "--cert", certificate, "--key", private, "--inMemoryPersistence", "--silent",
                   "--skipApiVersionCheck", "--disableTelemetry", AZURITE_ACCOUNTS="account:" + key) as server:
            wait_until(lambda: connects(port), server)
            if (made := make_azure_container(port, certificate, key)) != 201:
                raise Unavailable("Azurite made no container: %s" % made)
            with tunnel(port) as proxy:
                yield {"ARM_ACCESS_KEY": key, "HTTPS_PROXY": proxy, "https_proxy": proxy,
                       "SSL_CERT_FILE": certificate}


@contextlib.contextmanager
def kubernetes():
    """The API server of Kubernetes over etcd, without anything that runs containers."""
    with tempfile.TemporaryDirectory(prefix="kinu-kube-") as root:
        certificate, private = certificate_of(root, "localhost")
        with open(os.path.join(root, "tokens"), "w", encoding="utf-8") as file:
            file.write("token,user,1,system:masters\n")
        port, store, member = free_port(), free_port(), "http://127.0.0.1:%d" % free_port()
        keeper = "http://127.0.0.1:%d" % store
        with serve("etcd", "--data-dir", os.path.join(root, "etcd"), "--listen-client-urls", keeper,
                   "--advertise-client-urls", keeper, "--listen-peer-urls", member,
                   "--initial-advertise-peer-urls", member, "--initial-cluster", "default=" + member) as etcd:
            wait_until(lambda: responds(store, "/health", (200,)), etcd)
            with serve("kube-apiserver", "--etcd-servers", keeper, "--bind-address", "127.0.0.1",
                       "--advertise-address", "127.0.0.1", "--secure-port", str(port), "--cert-dir", root,
                       "--tls-cert-file", certificate, "--tls-private-key-file", private,
                       "--token-auth-file", os.path.join(root, "tokens"), "--authorization-mode", "RBAC",
                       "--service-account-issuer", "https://localhost", "--endpoint-reconciler-type", "none",
                       "--service-account-key-file", certificate, "--service-account-signing-key-file", private,
                       "--service-cluster-ip-range", "10.0.0.0/24",
                       "--disable-admission-plugins", "ServiceAccount") as server:
                wait_until(lambda: has_namespace(port, certificate), server)
                yield {"KUBE_CONFIG_PATH": kube_config(root, port, certificate)}


def kube_config(root, port, certificate):
    """The path of a file that tells clients where the cluster is, and who they are."""
    cluster = {"server": "https://localhost:%d" % port, "certificate-authority": certificate}
    path = os.path.join(root, "config")
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"apiVersion": "v1", "kind": "Config", "current-context": "c",
                   "clusters": [{"name": "c", "cluster": cluster}],
                   "users": [{"name": "u", "user": {"token": "token"}}],
                   "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}]}, file)
    return path


def has_namespace(port, certificate):
    """Whether a cluster is ready to keep objects."""
    connection = http.client.HTTPSConnection("localhost", port, timeout=10,
                                             context=ssl.create_default_context(cafile=certificate))
    try:
        connection.request("GET", "/api/v1/namespaces/default", headers={"Authorization": "Bearer token"})
        return connection.getresponse().status == 200
    except OSError:
        return False
    finally:
        connection.close()


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
    """A module of scripted services in tests/servers."""
    sys.path.insert(0, os.path.join(HERE, "servers"))
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


PEERS = {"pg": postgres, "moto": moto, "gcs": gcs, "http": http_state, "oss": oss, "cos": cos,
         "consul": consul, "azure": azure, "kubernetes": kubernetes}
SLOW = ("azure", "consul", "kubernetes")


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
