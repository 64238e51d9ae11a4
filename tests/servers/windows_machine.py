"""A machine that speaks WinRM on a loopback port: shells, commands and uploads, with the logins
basic and NTLM. It runs what provisioners send: lines appended to files, PowerShell that restores a
file from such lines, and scripts that consist of `echo TEXT`, `exit NUMBER` and `sleep SECONDS`.
"""
import base64
import hashlib
import hmac
import http.server
import os
import re
import ssl
import struct
import threading
import time
import uuid

SHELL = "http://schemas.microsoft.com/wbem/wsman/1/windows/shell/"
USER, PASSWORD = "Administrator", "pässword"
CHALLENGE = b"\x01\x23\x45\x67\x89\xab\xcd\xef"


def md4(data):
    """RFC 1320: hashlib has it no more."""
    def turn(value, count):
        value &= 0xffffffff
        return (value << count | value >> (32 - count)) & 0xffffffff
    rounds = (
        (lambda x, y, z: x & y | ~x & z, 0, list(range(16)), (3, 7, 11, 19)),
        (lambda x, y, z: x & y | x & z | y & z, 0x5a827999,
         [0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15], (3, 5, 9, 13)),
        (lambda x, y, z: x ^ y ^ z, 0x6ed9eba1,
         [0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15], (3, 9, 11, 15)))
    size = len(data)
    data += b"\x80" + b"\0" * ((55 - size) % 64) + struct.pack("<Q", size * 8)
    state = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476]
    for at in range(0, len(data), 64):
        words = struct.unpack("<16I", data[at:at + 64])
        a, b, c, d = state
        for mix, constant, order, turns in rounds:
            for i, k in enumerate(order):
                a, b, c, d = d, turn(a + mix(b, c, d) + words[k] + constant, turns[i % 4]), b, c
        state = [(x + y) & 0xffffffff for x, y in zip(state, (a, b, c, d))]
    return struct.pack("<4I", *state)


def ntlm_challenge():
    target = "WINDOWS".encode("utf-16-le")
    info = struct.pack("<HH", 2, len(target)) + target + struct.pack("<HH", 0, 0)
    flags = 0x00000001 | 0x00000200 | 0x00080000 | 0x00800000
    return (b"NTLMSSP\0" + struct.pack("<IHHII", 2, len(target), len(target), 48, flags) + CHALLENGE +
            b"\0" * 8 + struct.pack("<HHI", len(info), len(info), 48 + len(target)) + target + info)


def ntlm_answer_is_right(message):
    def part(at):
        size, _, offset = struct.unpack_from("<HHI", message, at)
        return message[offset:offset + size]
    response, domain, user = part(20), part(28), part(36)
    name = user.decode("utf-16-le").upper().encode("utf-16-le")
    if user.decode("utf-16-le") != USER:
        return False
    key = hmac.new(md4(PASSWORD.encode("utf-16-le")), name + domain, hashlib.md5).digest()
    return hmac.new(key, CHALLENGE + response[16:], hashlib.md5).digest() == response[:16]


class Machine:
    """`login`: basic, ntlm (NTLM by the scheme Negotiate), or none, which refuses everybody."""

    def __init__(self, login="basic", certificate=None, temp="C:\\Temp"):
        self.login, self.files, self.parts, self.shells = login, {}, {}, {}
        self.temp, self.log, self.fail, self.outputs = temp, [], {}, 0
        self.guard = threading.Lock()
        machine = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            trusted = False

            def log_message(self, *_):
                pass

            def do_POST(self):
                body = self.rfile.read(int(self.headers.get("Content-Length", "0"))).decode()
                machine.serve(self, body)

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
            self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def stop(self):
        self.server.shutdown()
        self.server.server_close()

    @staticmethod
    def send(handler, status, body="", headers=()):
        data = body.encode()
        handler.send_response(status)
        if body:
            handler.send_header("Content-Type", "application/soap+xml;charset=UTF-8")
        for name, value in headers:
            handler.send_header(name, value)
        handler.send_header("Content-Length", str(len(data)))
        handler.end_headers()
        handler.wfile.write(data)

    def logged_in(self, handler):
        given = handler.headers.get("Authorization", "")
        if self.login == "basic":
            wanted = base64.b64encode(("%s:%s" % (USER, PASSWORD)).encode()).decode()
            if given == "Basic " + wanted:
                return True
            self.send(handler, 401, headers=[("WWW-Authenticate", 'Basic realm="WSMAN"')])
            return False
        if self.login == "ntlm" and given.startswith("Negotiate "):
            message = base64.b64decode(given.split(" ", 1)[1])
            kind = struct.unpack_from("<I", message, 8)[0]
            if kind == 1:
                self.send(handler, 401, headers=[
                    ("WWW-Authenticate", "Negotiate " + base64.b64encode(ntlm_challenge()).decode())])
                return False
            handler.trusted = ntlm_answer_is_right(message)
        if handler.trusted:
            return True
        self.send(handler, 401, headers=[("WWW-Authenticate", "Negotiate")])
        return False

    def serve(self, handler, body):
        if not self.logged_in(handler):
            return
        action = re.search(r"Action[^>]*>([^<]*)<", body).group(1).rpartition("/")[2]
        with self.guard:
            self.log.append(action)
            fault = self.fail.get(action)
        if fault:
            return self.send(handler, 500, "<s:Fault>%s</s:Fault>" % fault)
        if action == "Create":
            shell = str(uuid.uuid4()).upper()
            self.shells[shell] = {}
            return self.answer(handler, '<w:Selector Name="ShellId">%s</w:Selector>' % shell)
        shell = re.search(r'Name="ShellId">([^<]*)<', body).group(1)
        if action == "Command":
            text = re.search(r"<rsp:Command>(?:<!\[CDATA\[)?(.*?)(?:\]\]>)?</rsp:Command>", body,
                             re.S).group(1)
            for name, character in (("lt", "<"), ("gt", ">"), ("quot", '"'), ("amp", "&")):
                text = text.replace("&%s;" % name, character)
            command = str(uuid.uuid4()).upper()
            self.shells[shell][command] = self.run(text)
            return self.answer(handler, "<rsp:CommandId>%s</rsp:CommandId>" % command)
        if action == "Receive":
            command = re.search(r'CommandId="([^"]*)"', body).group(1)
            return self.receive(handler, self.shells[shell][command])
        if action == "Delete":
            del self.shells[shell]
        return self.answer(handler, "")

    @staticmethod
    def answer(handler, body):
        Machine.send(handler, 200,
                     '<s:Envelope xmlns:s="http://www.w3.org/2003/05/soap-envelope" '
                     'xmlns:w="http://schemas.dmtf.org/wbem/wsman/1/wsman.xsd" '
                     'xmlns:rsp="http://schemas.microsoft.com/wbem/wsman/1/windows/shell">'
                     "<s:Body>%s</s:Body></s:Envelope>" % body)

    def receive(self, handler, output):
        step = next(output, None)
        if step == "wait":
            return self.send(handler, 500, "<s:Fault>The service cannot complete the operation within "
                                           "the time specified in OperationTimeout.</s:Fault>")
        name, value = step or ("exit", 0)
        if name == "exit":
            return self.answer(
                handler, '<rsp:CommandState State="%sCommandState/Done"><rsp:ExitCode>%d'
                         "</rsp:ExitCode></rsp:CommandState>" % (SHELL, value))
        return self.answer(handler, '<rsp:Stream Name="%s">%s</rsp:Stream>' % (
            name, base64.b64encode(value.encode()).decode()))

    def run(self, text):
        """A command: gives the steps of its output."""
        appended = re.fullmatch(r'echo (\S+) >> "%TEMP%\\(.*)"', text)
        if appended:
            assert len(text) < 8191, "the command line is too long"
            self.parts.setdefault(appended.group(2), []).append(appended.group(1))
            return iter([("exit", 0)])
        if text.startswith("powershell.exe "):
            script = base64.b64decode(text.rpartition(" ")[2]).decode("utf-16-le")
            return iter([("exit", self.powershell(script))])
        return self.script(text)

    def powershell(self, script):
        part = re.search(r"\$env:TEMP\\([^\"]*)\"", script).group(1)
        target = re.search(r'(?:target|dest_file_path) = .*?GetFullPath\("([^"]*)"', script)
        if target:
            name = target.group(1).strip("'")
            if name.endswith("\\refused"):
                return 1
            self.files[name] = b"".join(base64.b64decode(line) for line in self.parts.get(part, []))
        if "Remove-Item" in script:
            self.parts.pop(part, None)
        return 0

    def script(self, path):
        content = self.files.get(path.replace("/", "\\"))
        if content is None:
            yield "stderr", "'%s' is not recognized\r\n" % path
            yield "exit", 1
            return
        with self.guard:
            self.outputs += 1
        for line in content.decode().splitlines():
            word, _, rest = line.partition(" ")
            if word == "echo":
                yield "stdout", rest + "\r\n"
            elif word == "part":
                yield "stdout", rest
            elif word == "complain":
                yield "stderr", rest + "\r\n"
            elif word == "wait":
                yield "wait"
            elif word == "sleep":
                time.sleep(float(rest))
            elif word == "exit":
                yield "exit", int(rest)
                return
        yield "exit", 0
