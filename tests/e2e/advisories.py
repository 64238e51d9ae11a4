#!/usr/bin/env python3
"""Tries what security advisories of OpenTofu were about: hostile servers, archives and addresses.

  advisories.py --binary PATH [--only WORD] [--show]

Each test is a row of docs/advisories.md. All of them have bounds of memory and processor time that
no honest run comes near, because most of the faults were about neither ending nor failing.
"""
import argparse
import base64
import collections
import gzip
import http.server
import io
import json
import os
import re
import shutil
import socket
import ssl
import stat
import struct
import subprocess
import sys
import tempfile
import threading
import time
import zipfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "servers"))
import answers  # noqa: E402
import oci_registry  # noqa: E402

MEBIBYTE = 1 << 20
Outcome = collections.namedtuple("Outcome", "code text seconds peak")


class Service:
    """Answers each path with what `content` has for it: (status, headers, bytes), or a function
    of the handler."""

    def __init__(self, content, sealed=False):
        service = self

        class Handler(answers.AnswerHandler):
            def do_GET(self):
                path = self.path.partition("?")[0]
                service.log.append((path, self.headers.get("Authorization")))
                entry = service.content.get(path, (404, (), b""))
                if callable(entry):
                    return entry(self)
                status, headers, data = entry
                return self.answer(status, data, "application/json", headers)

            do_HEAD = do_GET

            def do_PUT(self):
                self.rfile.read(int(self.headers.get("Content-Length") or 0))
                self.do_GET()

            do_POST = do_PUT

        self.content, self.log = content, []
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.server.handle_error = lambda *_: None  # a client may leave when it has seen enough
        if sealed:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(oci_registry.CERTIFICATE)
            self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        self.port = self.server.server_address[1]
        self.host = "127.0.0.1:%d" % self.port
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()


def raw_service(serve):
    """Gives each connection to `serve`. Returns the port."""
    listener = socket.create_server(("127.0.0.1", 0), backlog=64)

    def loop():
        while True:
            connection, _ = listener.accept()
            threading.Thread(target=guarded, args=(connection,), daemon=True).start()

    def guarded(connection):
        try:
            with connection:
                serve(connection)
        except OSError:
            pass

    threading.Thread(target=loop, daemon=True).start()
    return listener.getsockname()[1]


def watch_memory(pid):
    """Waits for the end of a process. Returns the most memory that it was seen to have, in bytes:
    what the kernel tells of an ended process has the memory of this one in it."""
    peak = 0
    while os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT | os.WNOHANG) is None:
        try:
            with open("/proc/%d/status" % pid, encoding="ascii") as file:
                found = re.search(r"VmHWM:\s+(\d+) kB", file.read())
            peak = max(peak, int(found.group(1)) * 1024 if found else 0)
        except OSError:
            pass
        time.sleep(0.002)
    return peak


class Run:
    def __init__(self, binary, root, show):
        self.binary, self.root, self.show = binary, root, show
        self.failed = self.count = 0

    def directory(self, **files):
        self.count += 1
        path = os.path.join(self.root, "d%d" % self.count)
        os.mkdir(path)
        for name, text in files.items():
            with open(os.path.join(path, name.replace("__", ".")), "w", encoding="utf-8") as file:
                file.write(text)
        return path

    def tofu(self, directory, *words, settings="", environment=(), seconds=20):
        """Runs the program, which has 20 seconds of processor time."""
        with open(os.path.join(directory, "cli.tofurc"), "w", encoding="utf-8") as file:
            file.write(settings)
        output = os.path.join(directory, "output")
        with open(output, "wb") as file:
            process = subprocess.Popen(
                [self.binary, *words], cwd=directory, stdin=subprocess.DEVNULL, stdout=file,
                stderr=subprocess.STDOUT,
                env={"PATH": os.environ["PATH"], "HOME": self.root,
                     "SSL_CERT_FILE": oci_registry.CERTIFICATE, "TF_PROVIDER_DOWNLOAD_RETRY": "0",
                     "TF_REGISTRY_DISCOVERY_RETRY": "0", "TF_REGISTRY_CLIENT_TIMEOUT": "20",
                     "TF_CLI_CONFIG_FILE": os.path.join(directory, "cli.tofurc"),
                     **dict(environment)})
        timer = threading.Timer(4 * seconds, process.kill)
        timer.start()
        peak = watch_memory(process.pid)
        _, status, usage = os.wait4(process.pid, 0)
        timer.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        with open(output, encoding="utf-8", errors="backslashreplace") as file:
            text = file.read()
        outcome = Outcome(process.returncode, text, usage.ru_utime + usage.ru_stime, peak)
        if self.show:
            print("-- %s: %d, %.2f s, %.0f MB\n%s" % (
                " ".join(words), outcome.code, outcome.seconds, outcome.peak / 1e6, text[:1500]))
        self.expect(outcome.code in (0, 1), "it ends by itself", words, outcome.code)
        self.expect(outcome.seconds < seconds, "it takes little time", words, outcome.seconds)
        self.expect(outcome.peak < 300 * MEBIBYTE, "it takes little memory", words, outcome.peak)
        return outcome

    def expect(self, condition, *what):
        if not condition:
            self.failed += 1
            print("failed:", *what)

    def refused(self, outcome, *what):
        self.expect(outcome.code == 1, "an error", *what, outcome.text[-300:])
        self.expect("Error: " in outcome.text or "Error: " in re.sub("\x1b[^m]*m", "", outcome.text), "an error is reported", *what, outcome.text[-300:])


def module(source, **more):
    arguments = "".join('  %s = "%s"\n' % entry for entry in more.items())
    return 'module "m" {\n  source = "%s"\n%s}\n' % (source, arguments)


def check_relative_urls(run):
    """Addresses of services and modules that descend and climb three hundred thousand times."""
    climbing = "a/" * 150_000 + "../" * 150_000 + "v1/"
    header = "a/" * 15_000 + "../" * 15_000 + "m.zip"
    document = {"modules.v1": climbing, "providers.v1": climbing}
    service = Service({"/.well-known/terraform.json": (200, (), json.dumps(document).encode())},
                      sealed=True)
    run.tofu(run.directory(main__tf=module(service.host + "/a/b/c", version="1.0.0")), "init")
    required = 'terraform {\n  required_providers {\n    a = { source = "%s/a/b" }\n  }\n}\n'
    run.tofu(run.directory(main__tf=required % service.host), "init")
    versions = {"modules": [{"versions": [{"version": "1.0.0"}]}]}
    service.content.update({
        "/.well-known/terraform.json": (200, (), b'{"modules.v1": "/v1/"}'),
        "/v1/a/b/c/versions": (200, (), json.dumps(versions).encode()),
        "/v1/a/b/c/1.0.0/download": (204, (("X-Terraform-Get", "./" + header),), b"")})
    outcome = run.tofu(run.directory(main__tf=module(service.host + "/a/b/c", version="1.0.0")),
                       "init")
    run.refused(outcome, "a module that is not there")
    run.expect(any(path == "/v1/a/b/c/1.0.0/download" for path, _ in service.log),
               "the download address was asked for", service.log)


def check_redirected_credentials(run):
    """Credentials of a registry that sends its clients to another origin."""
    registry = oci_registry.start()
    secret = base64.b64encode(b"u:p").decode()
    with open(os.path.join(run.root, "auth.json"), "w", encoding="utf-8") as file:
        json.dump({"auths": {registry.host: {"auth": secret}}}, file)
    settings = 'oci_default_credentials {\n  docker_style_config_files = ["%s"]\n}\n' % file.name
    outcome = run.tofu(run.directory(main__tf=module("oci://%s/modules/guarded" % registry.host)),
                       "init", settings=settings)
    run.expect(outcome.code == 0, "the module is installed", outcome.text)
    log = registry.take_log()
    run.expect(any(secret in line for line in log), "the registry gets the credentials", log)
    moved = [line for line in log if "/elsewhere/" in line]
    run.expect(moved and all(" as " not in line for line in moved),
               "the target of the redirect gets none", log)
    target = Service({"/stolen": (200, (), b"{}")})
    away = ("Location", "http://localhost:%d/stolen" % target.port)
    origin = Service({"/state": (302, (away,), b"")})
    block = 'terraform {\n  backend "http" {\n    address = "http://%s/state"\n' \
            '    username = "user"\n    password = "swordfish"\n  }\n}\n'
    run.tofu(run.directory(main__tf=block % origin.host), "init")
    run.expect(target.log and all(given is None for _, given in target.log),
               "the target of a backend's redirect gets none", target.log, origin.log)


def zip_of(entries):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in entries:
            archive.writestr(zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0)), data)
    return out.getvalue()


def check_zip_archives(run):
    """Archives with many names below each other, and with other entries than they say."""
    deep = zip_of([("main.tf", b"")] + [("d/" * (i % 100) + "f%d" % i, b"") for i in range(20_000)])
    sound = zip_of([("main.tf", b""), ("more.tf", b"# a")])
    count = sound.rindex(b"PK\x05\x06") + 8
    more = sound[:count] + struct.pack("<HH", 0xFFFE, 0xFFFE) + sound[count + 4:]
    fewer = sound[:count] + struct.pack("<HH", 1, 1) + sound[count + 4:]
    size = sound.rindex(b"PK\x01\x02") + 24
    large = sound[:size] + struct.pack("<I", 0xFFFFFFF0) + sound[size + 4:]
    service = Service({"/deep.zip": (200, (), deep), "/more.zip": (200, (), more),
                       "/fewer.zip": (200, (), fewer), "/large.zip": (200, (), large)})
    outcome = run.tofu(run.directory(main__tf=module("http://%s/deep.zip" % service.host)), "init")
    run.expect(outcome.code == 0, "many files are no error", outcome.text)
    for name in ("more", "fewer", "large"):
        source = "http://%s/%s.zip" % (service.host, name)
        run.refused(run.tofu(run.directory(main__tf=module(source)), "init"), source)


def header_of_tar(name, size, kind, sparse=()):
    block = bytearray(512)
    block[0:len(name)] = name
    block[100:108], block[108:116], block[116:124] = b"0000644\0", b"0000000\0", b"0000000\0"
    block[124:136], block[136:148] = b"%011o\0" % size, b"00000000000\0"
    block[156:157] = kind
    block[257:265] = b"ustar  \0" if kind == b"S" else b"ustar\x0000"
    for i, (offset, length) in enumerate(sparse):
        block[386 + 24 * i:398 + 24 * i] = b"%011o\0" % offset
        block[398 + 24 * i:410 + 24 * i] = b"%011o\0" % length
    if kind == b"S":
        block[482:483] = b"\1"
        block[483:495] = b"%011o\0" % (1 << 30)
    block[148:156] = b" " * 8
    block[148:156] = b"%06o\0 " % sum(block)
    return bytes(block)


def check_tar_archives(run):
    """Sparse files: a map with two million parts, and a file of a gigabyte that is all hole."""
    part = bytearray(512)
    for i in range(21):
        part[24 * i:24 * i + 24] = b"%011o\0%011o\0" % (0, 0)
    part[504:505] = b"\1"
    old = header_of_tar(b"a", 0, b"S", [(0, 0)] * 4) + bytes(part) * 100_000
    text = b"".join(b"0\n0\n" for _ in range(2_000_000))
    counted = b"2000000\n" + text
    size = len(counted)
    records = b"".join(record(*pair) for pair in (
        (b"GNU.sparse.major", b"1"), (b"GNU.sparse.minor", b"0"),
        (b"GNU.sparse.name", b"a"), (b"GNU.sparse.realsize", b"1073741824")))
    extended = header_of_tar(b"PaxHeaders/a", len(records), b"x") + padded(records) + \
        header_of_tar(b"a", size, b"0") + padded(counted)
    service = Service({"/%s.tar.gz" % name: (200, (), gzip.compress(data, 1)) for name, data in
                       (("old", old), ("new", extended + bytes(1024)))})
    for name in ("old", "new"):
        directory = run.directory(main__tf=module("http://%s/%s.tar.gz" % (service.host, name)))
        run.tofu(directory, "init")
        blocks = sum(os.lstat(os.path.join(at, file)).st_blocks * 512
                     for at, _, files in os.walk(directory) for file in files)
        run.expect(blocks < 200 * MEBIBYTE, "the disk is not filled", name, blocks)


def record(key, value):
    length = len(key) + len(value) + 3
    length += len(str(length + len(str(length))))
    return b"%d %s=%s\n" % (length, key, value)


def padded(data):
    return data + bytes(-len(data) % 512)


def check_git_options(run):
    """Sources whose parts would be options of git or ssh, if they reached these."""
    marker = os.path.join(run.root, "marker")
    secret = os.path.join(run.root, "secret")
    with open(secret, "w", encoding="utf-8") as file:
        file.write("swordfish\n")
    work = run.directory(main__tf="")
    git = ["git", "-C", work, "-c", "user.name=a", "-c", "user.email=a@b.c"]
    for words in (["init", "-q"], ["add", "main.tf"], ["commit", "-q", "-m", "m"]):
        subprocess.run(git + words, check=True)
    here = "git::file://" + work
    sources = [here + "?ref=--pathspec-from-file=" + secret, here + "?ref=--output=" + marker,
               here + "?ref=-b" + marker, here + "?ref=--upload-pack=touch%20" + marker,
               "git::ssh://-oProxyCommand=touch%20" + marker + "/x",
               "git::-oProxyCommand=touch%20" + marker + ":x/y",
               "git::--upload-pack=touch%20" + marker,
               "git::ext::sh -c touch% " + marker,
               "hg::--config=alias.clone=!touch%20" + marker]
    for source in sources:
        outcome = run.tofu(run.directory(main__tf=module(source)), "init")
        run.refused(outcome, source)
        run.expect("swordfish" not in outcome.text, "no file is shown", source, outcome.text)
        run.expect(not os.path.exists(marker), "nothing is started", source)
    for sound in (here, here + "?depth=--upload-pack=touch%20" + marker):
        outcome = run.tofu(run.directory(main__tf=module(sound)), "init")
        run.expect(outcome.code == 0, "the repository itself is sound", sound, outcome.text)
        run.expect(not os.path.exists(marker), "nothing is started", sound)


def frame(kind, flags, stream, data):
    return struct.pack(">I", len(data))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + data


def check_frame_size(run):
    """A server that speaks HTTP/2 and takes frames of no byte."""
    received = []

    def serve(connection):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(oci_registry.CERTIFICATE)
        context.set_alpn_protocols(["h2"])
        with context.wrap_socket(connection, server_side=True) as tls:
            tls.settimeout(10)
            tls.sendall(frame(4, 0, 0, struct.pack(">HI", 5, 0)))
            while data := tls.recv(65536):
                received.append(data)

    port = raw_service(serve)
    outcome = run.tofu(run.directory(main__tf=module("127.0.0.1:%d/a/b/c" % port)), "init")
    run.refused(outcome, "a frame size of zero")
    sent = b"".join(received)
    run.expect(sent.startswith(b"PRI * HTTP/2.0"), "it speaks HTTP/2", sent[:60])
    run.expect(len(sent) < 100_000, "little is sent", len(sent))


def check_terminal_bytes(run):
    """Servers whose answers hold control characters, which errors must not repeat."""
    control = b"\x1b]0;owned\x07\x1b[31m"

    def ssh(connection):
        connection.sendall(control + b"\r\nSSH-1.5-" + control + b"\r\n")
        connection.recv(1024)

    block = """resource "terraform_data" "a" {
  connection {
    host     = "127.0.0.1"
    port     = %d
    user     = "u"
    password = "p"
    timeout  = "1s"
  }
  provisioner "remote-exec" {
    inline = ["true"]
  }
}
"""
    outcome = run.tofu(run.directory(main__tf=block % raw_service(ssh)), "apply", "-auto-approve",
                       "-no-color")
    run.refused(outcome, "no ssh")
    run.expect("\x1b" not in outcome.text and "\x07" not in outcome.text,
               "no control characters", ascii(outcome.text[-600:]))

    def web(connection):
        connection.recv(65536)
        connection.sendall(b"HTTP/1.1 500 " + control + b"\r\nContent-Length: 12\r\n"
                           b"Location: " + control + b"\r\n\r\n" + control[:12])

    port = raw_service(web)
    for text in (module("http://127.0.0.1:%d/m.zip" % port),
                 'terraform {\n  backend "http" {\n    address = "http://127.0.0.1:%d/s"\n'
                 '    retry_max = 0\n  }\n}\n' % port):
        outcome = run.tofu(run.directory(main__tf=text), "init", "-no-color")
        run.refused(outcome, "no module")
        run.expect("\x1b" not in outcome.text and "\x07" not in outcome.text,
                   "no control characters", ascii(outcome.text[-600:]))


def check_certificates(run):
    """Chains without end, certificates for many hosts, and keys of old kinds."""
    if shutil.which("openssl") is None:
        print("skipped: certificates, there is no openssl")
        return
    for name in ("chain", "names", "dsa"):
        path = make_certificates(run, name)

        def serve(connection, path=path):
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.set_ciphers("ALL:@SECLEVEL=0")
            context.load_cert_chain(path)
            with context.wrap_socket(connection, server_side=True) as tls:
                tls.recv(65536)

        port = raw_service(serve)
        outcome = run.tofu(run.directory(main__tf=module("127.0.0.1:%d/a/b/c" % port)), "init",
                           environment={"SSL_CERT_FILE": path}.items())
        run.refused(outcome, name)
        run.expect(len(outcome.text) < 4000, "a short error", name, len(outcome.text))


def openssl(*words, directory):
    subprocess.run(["openssl", *words], cwd=directory, check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)


def make_certificates(run, name):
    """Makes a file with a key and the chain of a server. Returns its path."""
    where = run.directory()
    request = ["req", "-x509", "-days", "3650", "-nodes", "-subj", "/CN=a"]
    if name == "dsa":
        openssl("dsaparam", "-out", "p", "2048", directory=where)
        openssl(*request, "-newkey", "dsa:p", "-keyout", "key", "-out", "cert", directory=where)
    elif name == "names":
        hosts = ",".join("DNS:a%d.example.com" % i for i in range(20_000))
        with open(os.path.join(where, "config"), "w", encoding="utf-8") as file:
            file.write("[req]\ndistinguished_name=n\nx509_extensions=x\n[n]\n[x]\n"
                       "subjectAltName=" + hosts + "\n")
        openssl(*request, "-newkey", "rsa:2048", "-config", "config", "-keyout", "key", "-out",
                "cert", directory=where)
    else:
        make_chain(where, 120)
    path = os.path.join(where, "both.pem")
    with open(path, "wb") as out:
        for part in ("key", "cert"):
            with open(os.path.join(where, part), "rb") as file:
                out.write(file.read())
    return path


def make_chain(where, length):
    """Makes the certificates of authorities, each signed by the one before, with one key."""
    openssl("ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", "key", directory=where)
    with open(os.path.join(where, "x"), "w", encoding="utf-8") as file:
        file.write("basicConstraints=critical,CA:true\n")
    openssl("req", "-x509", "-days", "3650", "-key", "key", "-subj", "/CN=c0", "-out", "c0",
            directory=where)
    for i in range(1, length):
        openssl("req", "-new", "-key", "key", "-subj", "/CN=c%d" % i, "-out", "r", directory=where)
        openssl("x509", "-req", "-in", "r", "-CA", "c%d" % (i - 1), "-CAkey", "key", "-days",
                "3650", "-set_serial", str(i), "-extfile", "x", "-out", "c%d" % i, directory=where)
    with open(os.path.join(where, "cert"), "wb") as out:
        for i in reversed(range(length)):
            with open(os.path.join(where, "c%d" % i), "rb") as file:
                out.write(file.read())


def check_wrapped_keys(run):
    """Answers of OpenBao that are wrapped, huge, or of another kind than they should be."""
    configuration = """terraform {
  encryption {
    key_provider "openbao" "k" {
      address  = "http://%s"
      token    = "t"
      key_name = "k"
    }
    method "aes_gcm" "m" {
      keys = key_provider.openbao.k
    }
    state {
      method   = method.aes_gcm.m
      enforced = true
    }
  }
}
resource "terraform_data" "a" {}
"""
    wrapped = ".".join(["eyJhbGciOiJBMjU2S1ciLCJlbmMiOiJBMjU2R0NNIiwiemlwIjoiREVGIn0", "", "AAAA", "AA", "A"])
    cipher = "vault:v1:" + base64.b64encode(b"x" * 60).decode()
    answers_of_keys = [
        {"plaintext": wrapped, "ciphertext": cipher}, {"plaintext": [1], "ciphertext": cipher},
        {"plaintext": "", "ciphertext": cipher}, {"plaintext": "QQ==", "ciphertext": cipher},
        {"plaintext": "A" * (4 << 20), "ciphertext": cipher}, {"plaintext": None}, {}, None, [], 1]
    for data in answers_of_keys:
        text = json.dumps({"data": data, "wrap_info": {"token": wrapped}}).encode()
        service = Service({"/v1/transit/datakey/plaintext/k": (200, (), text)})
        directory = run.directory(main__tf=configuration % service.host)
        outcome = run.tofu(directory, "apply", "-auto-approve", "-no-color")
        run.expect(service.log, "the key is asked for", data)
        run.refused(outcome, str(data)[:80])
        run.expect(not os.path.exists(os.path.join(directory, "terraform.tfstate")),
                   "no state is written", str(data)[:80])


def check_login_answers(run):
    """A page that comes back to `login` with more parameters than anybody needs."""
    host = Service({"/.well-known/terraform.json": (200, (), json.dumps({"login.v1": {
        "client": "c", "grant_types": ["authz_code"], "authz": "/authz", "token": "/token",
        "ports": [18200, 18290]}}).encode())}, sealed=True)
    browser = os.path.join(run.root, "bin")
    os.makedirs(browser, exist_ok=True)
    opener = os.path.join(browser, "xdg-open")
    with open(opener, "w", encoding="utf-8") as file:
        file.write("""#!%s
import http.client, re, sys, urllib.parse
query = urllib.parse.parse_qs(urllib.parse.urlsplit(sys.argv[1]).query)
port = urllib.parse.urlsplit(query["redirect_uri"][0]).port
for path in ("/login?" + "&".join("a%%d=1" %% i for i in range(1000000)), "/login?state=other"):
    try:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
        connection.request("GET", path)
        connection.getresponse().read()
    except OSError:
        pass
""" % sys.executable)
    os.chmod(opener, stat.S_IRWXU)
    process = subprocess.run(
        ["timeout", "10", run.binary, "login", host.host], input="yes\n", text=True, cwd=run.root,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
        env={"PATH": browser + ":" + os.environ["PATH"], "HOME": run.root,
             "SSL_CERT_FILE": oci_registry.CERTIFICATE})
    run.expect(process.returncode in (1, 124), "login", process.returncode, process.stdout)
    run.expect(not os.path.exists(os.path.join(run.root, ".terraform.d", "credentials.tfrc.json")),
               "nothing is stored")


TESTS = {name[6:]: function for name, function in sorted(globals().items())
         if name.startswith("check_")}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", required=True)
    parser.add_argument("--only", default="")
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as root:
        run = Run(os.path.abspath(options.binary), root, options.show)
        for name, test in TESTS.items():
            if re.search(options.only, name):
                before = run.failed
                test(run)
                if run.failed != before:
                    print("failed: %s" % name)
    return 1 if run.failed else 0


if __name__ == "__main__":
    sys.exit(main())
