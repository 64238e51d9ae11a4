"""Machines for tests: OpenSSH servers on loopback ports, proxies, and servers with faults.

A Server has its own keys and configuration in a directory and runs as whoever runs the test. A server
with a password needs root: it sees its own files of users, in a mount namespace of its own.
"""
import base64
import contextlib
import os
import select
import shutil
import socket
import socketserver
import subprocess
import threading
import time

SSHD = next((path for path in ("/usr/sbin/sshd", "/usr/local/sbin/sshd") if os.path.exists(path)), None)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def keygen(path, kind="ed25519", *more):
    subprocess.run(["ssh-keygen", "-q", "-t", kind, "-N", "", "-C", os.path.basename(path), "-f", path,
                    *more], check=True)
    return path


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def namespaces():
    """Whether servers with passwords can be started."""
    return os.getuid() == 0 and subprocess.run(["unshare", "-m", "true"], capture_output=True,
                                               check=False).returncode == 0


class Server:
    """An sshd. `more` are further lines of its configuration; keys: files of host keys. With a
    password, the machine has a user `tester`."""

    def __init__(self, root, name, keys, authorized, more="", password="", first=""):
        self.place = os.path.join(root, name)
        os.makedirs(self.place, exist_ok=True)
        os.chmod(self.place, 0o755)
        self.port = free_port()
        accepted = os.path.join(self.place, "authorized_keys")
        with open(accepted, "w", encoding="utf-8") as file:
            file.write(authorized)
        config = os.path.join(self.place, "config")
        with open(config, "w", encoding="utf-8") as file:
            file.write(first + "Port %d\nListenAddress 127.0.0.1\nPidFile none\nStrictModes no\n"
                       "AuthorizedKeysFile %s\nUsePAM no\nPrintMotd no\nLogLevel VERBOSE\n"
                       "MaxStartups 100\n%s%s" % (
                           self.port, accepted, "".join("HostKey %s\n" % key for key in keys), more))
        self.log = os.path.join(self.place, "log")
        if os.getuid() == 0:
            os.makedirs("/run/sshd", mode=0o755, exist_ok=True)
        command = [SSHD, "-D", "-f", config, "-E", self.log]
        if password:
            command = ["unshare", "-m", "sh", "-c", self.users(password) + "exec " + " ".join(command)]
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL)
        for _ in range(200):
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 1):
                return
            time.sleep(0.05)
        raise SystemExit("sshd does not listen: " + read(self.log))

    def users(self, password):
        """Writes the files of users. Returns commands of a shell that put them in place."""
        secret = subprocess.run(["openssl", "passwd", "-6", password], capture_output=True, text=True,
                                check=True).stdout.strip()
        commands = ""
        for name, text in (
                ("/etc/passwd", read("/etc/passwd") + "tester:x:12345:12345::/tmp:/bin/sh\n"),
                ("/etc/shadow", read("/etc/shadow") + "tester:%s:19000:0:99999:7:::\n" % secret),
                ("/etc/pam.d/sshd", "auth required pam_unix.so nodelay\naccount required pam_permit.so\n"
                                    "session required pam_permit.so\n")):
            own = os.path.join(self.place, os.path.basename(name))
            with open(own, "w", encoding="utf-8") as file:
                file.write(text)
            commands += "mount --bind %s %s && " % (own, name)
        return commands

    def stop(self):
        self.process.terminate()
        self.process.wait()


class Agent:
    def __init__(self, root, *keys):
        self.socket = os.path.join(root, "agent-%d" % time.monotonic_ns())
        self.process = subprocess.Popen(["ssh-agent", "-D", "-a", self.socket],
                                        stdout=subprocess.DEVNULL)
        while not os.path.exists(self.socket):
            time.sleep(0.02)
        for key in keys:
            subprocess.run(["ssh-add", "-q", key], check=True, env={**os.environ, "SSH_AUTH_SOCK": self.socket},
                           stderr=subprocess.DEVNULL)

    def stop(self):
        self.process.terminate()
        self.process.wait()


def pump(a, b, most=None):
    """Copies both ways until a side ends, or `most` bytes have come from `a`."""
    with contextlib.suppress(OSError):
        while True:
            for side in select.select([a, b], [], [])[0]:
                data = side.recv(65536)
                if side is a and most is not None:
                    most -= len(data)
                if not data or (most is not None and most < 0):
                    return
                (b if side is a else a).sendall(data)


def receive(sock, size):
    out = b""
    while len(out) < size:
        piece = sock.recv(size - len(out))
        if not piece:
            raise ConnectionError("end")
        out += piece
    return out


class ProxyHandler(socketserver.BaseRequestHandler):
    """CONNECT and SOCKS5 on one port."""

    def handle(self):
        with contextlib.suppress(OSError):
            first = receive(self.request, 1)
            target = self.socks() if first == b"\x05" else self.http(first)
            if target:
                with socket.create_connection(target, 5) as other:
                    self.reply(True)
                    pump(self.request, other, self.server.most)

    def http(self, head):
        while not head.endswith(b"\r\n\r\n"):
            head += receive(self.request, 1)
        lines = head.decode().split("\r\n")
        fields = dict(line.split(": ", 1) for line in lines[1:] if ": " in line)
        self.server.seen.append((lines[0], fields.get("Proxy-Authorization")))
        self.reply = lambda good: self.request.sendall(
            b"HTTP/1.1 200 Connection established\r\n\r\n" if good else b"HTTP/1.1 502 Bad\r\n\r\n")
        wanted = self.server.secret
        if wanted and fields.get("Proxy-Authorization") != "Basic " + base64.b64encode(
                wanted.encode()).decode():
            self.request.sendall(b"HTTP/1.1 407 Who?\r\nContent-Length: 0\r\n\r\n")
            return None
        host, port = lines[0].split()[1].rsplit(":", 1)
        return host, int(port)

    def socks(self):
        methods = receive(self.request, receive(self.request, 1)[0])
        if self.server.secret:
            if 2 not in methods:
                self.request.sendall(b"\x05\xff")
                return None
            self.request.sendall(b"\x05\x02")
            receive(self.request, 1)
            user = receive(self.request, receive(self.request, 1)[0]).decode()
            word = receive(self.request, receive(self.request, 1)[0]).decode()
            good = "%s:%s" % (user, word) == self.server.secret
            self.request.sendall(b"\x01\x00" if good else b"\x01\x01")
            if not good:
                return None
        else:
            self.request.sendall(b"\x05\x00")
        kind = receive(self.request, 4)[3]
        host = (socket.inet_ntoa(receive(self.request, 4)) if kind == 1
                else receive(self.request, receive(self.request, 1)[0]).decode())
        port = int.from_bytes(receive(self.request, 2), "big")
        self.server.seen.append(("SOCKS %s" % host, None))
        self.reply = lambda good: self.request.sendall(
            bytes([5, 0 if good else 5, 0, 1, 127, 0, 0, 1, 0, 1]))
        return host, port


class Threaded(socketserver.ThreadingTCPServer):
    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, handler, secret="", most=None):
        super().__init__(("127.0.0.1", 0), handler)
        self.secret, self.seen, self.most = secret, [], most
        self.port = self.server_address[1]
        threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True).start()


def proxy(secret="", most=None):
    """`most`: the bytes of a client after which its connection is closed."""
    return Threaded(ProxyHandler, secret, most)


class CloseHandler(socketserver.BaseRequestHandler):
    """Closes a connection before the banner."""

    def handle(self):
        self.server.seen.append(time.monotonic())


class SilentHandler(socketserver.BaseRequestHandler):
    def handle(self):
        self.server.seen.append(time.monotonic())
        with contextlib.suppress(OSError):
            while self.request.recv(100):
                pass


def available():
    """Why no server can be started; empty if one can."""
    if SSHD is None:
        return "no sshd (Debian: openssh-server)"
    for tool in ("ssh-keygen", "ssh-agent", "ssh-add", "scp"):
        if shutil.which(tool) is None:
            return "no " + tool
    return ""
