#!/usr/bin/env python3
"""Provisioners on other machines: file and remote-exec against real OpenSSH servers on loopback
ports, by every way to log in, through a bastion and through proxies, and with every fault.

  remote.py --binary PATH [--show] [--only WORD]     --show prints what the program printed
"""
import argparse
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "servers"))
import machines  # noqa: E402
from machines import keygen, read  # noqa: E402

SKIP = 77


class Test:
    def __init__(self, binary, root, show):
        self.binary, self.root, self.show, self.failed, self.count = binary, root, show, 0, 0
        self.user = subprocess.run(["id", "-un"], capture_output=True, text=True,
                                   check=True).stdout.strip()
        self.keys = os.path.join(root, "keys")
        os.makedirs(self.keys)
        self.stops = []
        self.make_keys()
        self.make_servers()

    def key(self, name):
        return os.path.join(self.keys, name)

    def make_keys(self):
        for name, kind, *more in (("host", "ed25519"), ("host2", "ecdsa"), ("user", "ed25519"),
                                  ("user_rsa", "rsa"), ("user_ecdsa", "ecdsa"), ("other", "ed25519"),
                                  ("other2", "ed25519"), ("ca", "ed25519"), ("signed", "ed25519"),
                                  ("signed_rsa", "rsa"), ("bastion", "ed25519"),
                                  ("pem", "rsa", "-m", "PEM"), ("pkcs8", "rsa", "-m", "PKCS8")):
            keygen(self.key(name), kind, *more)
        for name in ("signed", "signed_rsa"):
            subprocess.run(["ssh-keygen", "-q", "-s", self.key("ca"), "-I", "test", "-n", self.user,
                            self.key(name + ".pub")], check=True)
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "secret", "-f",
                        self.key("locked")], check=True)
        subprocess.run(["ssh-keygen", "-q", "-t", "rsa", "-m", "PEM", "-N", "secret", "-f",
                        self.key("locked_pem")], check=True)

    def make_servers(self):
        users = "".join(read(self.key(name + ".pub"))
                        for name in ("user", "user_rsa", "user_ecdsa", "pem", "pkcs8"))
        ca = "TrustedUserCAKeys %s.pub\n" % self.key("ca")
        self.server = self.keep(machines.Server(self.root, "server", [self.key("host")], users, ca))
        self.bastion = self.keep(machines.Server(
            self.root, "bastion", [self.key("host2")],
            read(self.key("bastion.pub")) + read(self.key("user.pub"))))
        self.strict = self.keep(machines.Server(
            self.root, "strict", [self.key("host")], users, "MaxAuthTries 2\n"))

    def keep(self, thing):
        self.stops.append(thing)
        return thing

    def close(self):
        for thing in self.stops:
            thing.stop()

    # What the program is given.

    def connection(self, **values):
        base = {"host": "127.0.0.1", "port": self.server.port, "user": self.user,
                "timeout": "20s", "agent": False, "private_key": read(self.key("user"))}
        base.update(values)
        return "connection {\n%s\n}\n" % "\n".join(
            "%s = %s" % (k, self.hcl(v)) for k, v in base.items() if v is not None)

    @staticmethod
    def hcl(value):
        return json.dumps(value).replace("${", "$${").replace("%{", "%%{")

    def provisioner(self, kind, **values):
        return 'provisioner "%s" {\n%s\n}\n' % (kind, "\n".join(
            "%s = %s" % (k, v[1:] if isinstance(v, str) and v.startswith("\0") else self.hcl(v))
            for k, v in values.items()))

    def inline(self, *lines, **more):
        return self.provisioner("remote-exec", inline=list(lines), **more)

    def place(self, text):
        self.count += 1
        place = os.path.join(self.root, "w%d" % self.count)
        os.makedirs(place)
        with open(os.path.join(place, "main.tf"), "w", encoding="utf-8") as file:
            file.write('resource "terraform_data" "m" {\n%s}\n' % text)
        return place

    def environment(self, agent=None):
        out = {"PATH": "/usr/bin:/bin", "HOME": self.root, "TF_CLI_CONFIG_FILE": "/dev/null",
               "CHECKPOINT_DISABLE": "1"}
        if agent:
            out["SSH_AUTH_SOCK"] = agent.socket
        return out

    def start(self, place, *args, agent=None):
        return subprocess.Popen([self.binary, *args, "-no-color"], cwd=place,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, text=True, errors="replace",
                                env=self.environment(agent))

    def run(self, *blocks, agent=None, place=None, args=("apply", "-auto-approve")):
        """Applies a resource with these blocks: (code, what was printed, in lines without frames)."""
        place = place or self.place("".join(blocks))
        self.last = place
        started = time.monotonic()
        process = self.start(place, *args, agent=agent)
        text = process.communicate(timeout=120)[0]
        self.took = time.monotonic() - started
        if self.show:
            print(text)
        return process.returncode, self.plain(text)

    @staticmethod
    def plain(text):
        """Without the frame of diagnostics, their line breaks and the prefix of output."""
        text = re.sub(r"(?m)^[│╷╵] ?", "", text)
        return text.replace("terraform_data.m (remote-exec): ", "")

    # What is expected.

    def check(self, name, good, text=""):
        if not good:
            self.failed += 1
            print("FAILED %s\n%s" % (name, text))

    def passes(self, name, *blocks, has=(), lacks=(), **more):
        code, text = self.run(*blocks, **more)
        flat = " ".join(text.split())
        self.check(name, code == 0 and all(" ".join(part.split()) in flat for part in has)
                   and not any(part in flat for part in lacks), text)
        return text

    def fails(self, name, *blocks, has=(), **more):
        code, text = self.run(*blocks, **more)
        flat = " ".join(text.split())
        self.check(name, code == 1 and all(" ".join(part.split()) in flat for part in has),
                   "%s\n%s" % (has, text))
        return text

    # The tests.

    def test_output(self):
        text = self.passes(
            "the lines of a connection", self.connection(), self.inline("echo one", "echo two >&2"),
            has=["one", "two", "Connected!"])
        block = ("Connecting to remote host via SSH...\n  Host: 127.0.0.1\n  User: %s\n"
                 "  Password: false\n  Private key: true\n  Certificate: false\n"
                 "  SSH Agent: false\n  Checking Host Key: false\n  Target Platform: unix\n"
                 "Connected!\n" % self.user)
        self.check("the block of a connection", block in text, text)
        own = os.path.join(self.root, "script-%RAND%.sh")
        self.passes("an own path", self.connection(script_path=own), self.inline("echo $0"),
                    has=[self.root + "/script-"])
        left = [name for name in os.listdir(self.root) if name.startswith("script-")]
        self.check("nothing of a script stays", len(left) == 1 and
                   os.path.getsize(os.path.join(self.root, left[0])) == 0, str(left))
        # A path is one word, whatever is in it.
        injected = os.path.join(self.root, "injected")
        odd = os.path.join(self.root, "a script; touch $(dirname x)injected;.sh")
        self.passes("a path that looks like commands", self.connection(script_path=odd), self.inline("echo ran"),
                    has=["ran"])
        self.check("a path is no command", not os.path.exists(injected) and os.path.exists(odd), str(os.listdir(self.root)))

    def test_logins(self):
        for name in ("user_rsa", "user_ecdsa", "pem", "pkcs8"):
            self.passes("key " + name, self.connection(private_key=read(self.key(name))),
                        self.inline("echo in by " + name), has=["in by " + name])
        for name in ("signed", "signed_rsa"):
            self.passes("certificate " + name, self.connection(
                private_key=read(self.key(name)), certificate=read(self.key(name + "-cert.pub"))),
                self.inline("echo certified"), has=["certified", "Certificate: true"])

    def test_passwords(self):
        if not machines.namespaces():
            print("passwords are not tested: no root, or no namespaces")
            return
        for name, way in (("plain", "PasswordAuthentication yes\nKbdInteractiveAuthentication no\n"),
                          ("asked", "PasswordAuthentication no\nKbdInteractiveAuthentication yes\n"
                                    "UsePAM yes\n")):
            # The first line that sets a value counts.
            server = self.keep(machines.Server(self.root, name, [self.key("host")], "",
                                               password="a b$c", first=way))
            own = {"port": server.port, "user": "tester", "private_key": None}
            self.passes("password " + name, self.connection(password="a b$c", **own),
                        self.inline("whoami"), has=["tester", "Password: true"])
            self.fails("wrong password " + name, self.connection(
                password="abc", timeout="3s", **own), self.inline("whoami"),
                has=["attempted methods [none %s], no supported methods remain" % (
                    "password" if name == "plain" else "keyboard-interactive")])

    def test_unusable_keys(self):
        for name, key, phrase in (
                ("encrypted key", read(self.key("locked")),
                 "Failed to parse ssh private key: ssh: this private key is passphrase protected"),
                ("encrypted PEM key", read(self.key("locked_pem")),
                 "Failed to read ssh private key: password protected keys are not supported. Please "
                 "decrypt the key prior to use."),
                ("no key", "nothing", "Failed to read ssh private key: no key found")):
            self.fails(name, self.connection(private_key=key), self.inline("true"),
                       has=["remote-exec provisioner error", phrase])
        self.fails("a certificate that is a key", self.connection(
            certificate=read(self.key("user.pub"))), self.inline("true"),
            has=['invalid certificate format "ssh-ed25519": must use a certificate entry type'])

    def test_refused(self):
        self.fails("wrong key", self.connection(private_key=read(self.key("other")), timeout="3s"),
                   self.inline("true"), has=[
                       "timeout - last error: SSH authentication failed (%s@127.0.0.1:%d): ssh: "
                       "handshake failed: ssh: unable to authenticate, attempted methods [none "
                       "publickey], no supported methods remain" % (self.user, self.server.port)])
        self.fails("no way to log in", self.connection(private_key=None, timeout="3s"),
                   self.inline("true"), has=["attempted methods [none], no supported methods"])
        port = machines.free_port()
        self.fails("refused", self.connection(port=port, timeout="2500ms"), self.inline("true"),
                   has=["timeout - last error: dial tcp 127.0.0.1:%d: connect: connection refused"
                        % port])
        self.check("it tried for the time", 2 < self.took < 6, str(self.took))
        closing = machines.Threaded(machines.CloseHandler)
        self.fails("closed before the banner", self.connection(port=closing.port, timeout="4s"),
                   self.inline("true"), has=["timeout - last error: SSH authentication failed "
                                             "(%s@127.0.0.1:%d): ssh: handshake failed:" % (
                                                 self.user, closing.port)])
        self.check("three attempts", len(closing.seen) == 3, str(closing.seen))
        silent = machines.Threaded(machines.SilentHandler)
        self.fails("a server that says nothing", self.connection(port=silent.port, timeout="3s"),
                   self.inline("true"), has=["timeout - last error: %!w(<nil>)"])
        self.check("it ended in time", self.took < 8, str(self.took))

    def test_arguments(self):
        self.fails("no connection", self.inline("true"),
                   has=["remote-exec provisioner error",
                        "Missing connection configuration for provisioner."])
        self.fails("type", self.connection(type="telnet"), self.inline("true"),
                   has=["connection type 'telnet' not supported"])
        self.fails("host", self.connection(host=""), self.inline("true"),
                   has=["host for provisioner cannot be empty"])
        self.fails("platform", self.connection(target_platform="vax"), self.inline("true"),
                   has=["target_platform for provisioner has to be either unix or windows"])
        self.fails("port", self.connection(port=70000), self.inline("true"),
                   has=["value must be a whole number, between 0 and 65535 inclusive"])
        self.fails("empty line", self.connection(), self.inline("true", ""),
                   has=["invalid empty string in 'scripts'"])
        self.fails("no such script", self.connection(),
                   self.provisioner("remote-exec", script="/no/such"),
                   has=["Failed to open script '/no/such': open /no/such: no such file or directory"])
        self.fails("no such source", self.connection(),
                   self.provisioner("file", source="/no/such", destination="/tmp/x"),
                   has=["file provisioner error", "stat /no/such: no such file or directory"])

    def test_host_keys(self):
        self.passes("host key", self.connection(host_key=read(self.key("host.pub"))),
                    self.inline("echo known"), has=["known", "Checking Host Key: true"])
        self.fails("wrong host key", self.connection(host_key=read(self.key("other.pub")),
                                                     timeout="3s"),
                   self.inline("true"), has=["ssh: handshake failed: knownhosts: key mismatch"])

    def test_agent(self):
        agent = self.keep(machines.Agent(self.root, self.key("other"), self.key("other2"),
                                         self.key("user")))
        text = self.passes("agent", self.connection(private_key=None, agent=None),
                           self.inline("echo $SSH_AUTH_SOCK", "ssh-add -l"), agent=agent,
                           has=["SSH Agent: true", "agent.", " user (ED25519)"])
        self.check("the agent is forwarded", "/tmp/ssh-" in text, text)
        self.passes("agent_identity", self.connection(
            private_key=None, agent=True, agent_identity=self.key("user"), port=self.strict.port),
            self.inline("echo in"), agent=agent, has=["in", "Connected!"])
        self.fails("too many keys", self.connection(
            private_key=None, agent=True, port=self.strict.port, timeout="3s"),
            self.inline("echo in"), agent=agent,
            has=["ssh: handshake failed: ssh: disconnect, reason 2: Too many authentication failures"])
        self.fails("no agent", self.connection(agent=True), self.inline("true"),
                   has=["SSH agent requested but SSH_AUTH_SOCK not-specified"])

    def test_bastion(self):
        through = {"bastion_host": "127.0.0.1", "bastion_port": self.bastion.port}
        text = self.passes("bastion", self.connection(
            bastion_private_key=read(self.key("bastion")), **through), self.inline("echo inside"),
            has=["inside"])
        self.check("the block of a bastion", (
            "Using configured bastion host...\n  Host: 127.0.0.1\n  User: %s\n  Password: false\n"
            "  Private key: true\n  Certificate: false\n  SSH Agent: false\n"
            "  Checking Host Key: false\nConnected!\n" % self.user) in text, text)
        self.passes("the keys of the target", self.connection(**through),
                    self.inline("echo inside", "head -c 300000 /dev/zero | tr '\\0' x | fold; echo; "
                                               "echo end"), has=["inside", "end"])
        self.fails("wrong key of the bastion", self.connection(
            bastion_private_key=read(self.key("other")), timeout="3s", **through),
            self.inline("true"), has=["timeout - last error: Error connecting to bastion: ssh: "
                                      "handshake failed: ssh: unable to authenticate"])
        self.fails("no target", self.connection(port=machines.free_port(), timeout="3s", **through),
                   self.inline("true"), has=["timeout - last error: ssh: rejected: connect failed "
                                             "(Connection refused)"])
        self.passes("the host key of a bastion", self.connection(
            bastion_host_key=read(self.key("host2.pub")), host_key=read(self.key("host.pub")), **through),
            self.inline("echo inside"), has=["inside", "Checking Host Key: true"])
        self.fails("a wrong host key of a bastion", self.connection(
            bastion_host_key=read(self.key("other.pub")), timeout="3s", **through),
            self.inline("true"), has=["timeout - last error: Error connecting to bastion: ssh: "
                                      "handshake failed: knownhosts: key mismatch"])
        gone = machines.free_port()
        self.fails("no bastion", self.connection(bastion_host="127.0.0.1", bastion_port=gone,
                                                 timeout="3s"), self.inline("true"),
                   has=["Error connecting to bastion: dial tcp 127.0.0.1:%d: connect: connection "
                        "refused" % gone])

    def test_proxies(self):
        for scheme in (None, "http", "https", "socks5"):
            proxy = machines.proxy("ada:love")
            via = {"proxy_host": "127.0.0.1", "proxy_port": proxy.port, "proxy_scheme": scheme}
            text = self.passes("proxy %s" % scheme, self.connection(
                proxy_user_name="ada", proxy_user_password="love", **via),
                self.inline("echo behind"), has=["behind"])
            self.check("the block of a proxy", (
                "Using configured proxy host...\n  ProxyHost: 127.0.0.1\n  ProxyPort: %d\n"
                "  ProxyUserName: ada\n  ProxyUserPassword: true\nConnected!\n" % proxy.port)
                in text, text)
            self.check("the proxy was used", proxy.seen, str(proxy.seen))
            self.fails("wrong password for %s" % scheme, self.connection(
                proxy_user_name="ada", proxy_user_password="hate", timeout="3s", **via),
                self.inline("true"), has=["username/password authentication failed" if scheme ==
                                          "socks5" else "Connection Error: StatusCode: 407"])
        self.fails("unknown scheme", self.connection(
            proxy_host="127.0.0.1", proxy_port=1, proxy_scheme="gopher", timeout="3s"),
            self.inline("true"), has=["proxy: unknown scheme: gopher"])
        proxy = machines.proxy()
        self.passes("bastion behind a proxy", self.connection(
            bastion_host="127.0.0.1", bastion_port=self.bastion.port, proxy_host="127.0.0.1",
            proxy_port=proxy.port), self.inline("echo behind"), has=["behind"])

    def test_windows(self):
        # The machine is none, but takes the same commands.
        own = {"target_platform": "windows", "script_path": self.root + "/windows-%RAND%.cmd"}
        target = os.path.join(self.root, "uploaded.txt")
        self.passes("a file for Windows", self.connection(**own), self.provisioner(
            "file", content="text", destination=target))
        self.check("a file for Windows", read(target) == "text", target)
        self.fails("a script for Windows", self.connection(**own), self.inline("echo x"),
                   has=["Target Platform: windows", "Process exited with status 126"])

    def test_dying_connections(self):
        source = os.path.join(self.root, "large")
        with open(source, "wb") as file:
            file.write(os.urandom(8 << 20))
        target = os.path.join(self.root, "cut")
        proxy = machines.proxy(most=2 << 20)
        self.fails("a connection that dies in an upload", self.connection(
            proxy_host="127.0.0.1", proxy_port=proxy.port), self.provisioner(
            "file", source=source, destination=target), has=["file provisioner error", "Upload failed: "])
        self.check("it ended soon", self.took < 20, str(self.took))

    def test_scripts(self):
        self.fails("exit status", self.connection(), self.inline("echo before", "exit 7"),
                   has=["before", 'error executing "/tmp/terraform_', "Process exited with status 7"])
        self.fails("a signal", self.connection(), self.inline("kill -9 $$"),
                   has=["Process exited with status 137 from signal KILL"])
        place = self.place(self.connection() + self.provisioner(
            "remote-exec", scripts=["one.sh", "two.sh"]))
        for name, text in (("one.sh", "echo first $0\n"), ("two.sh", "#!/bin/bash\necho second $BASH\n")):
            with open(os.path.join(place, name), "w", encoding="utf-8") as file:
                file.write(text)
        self.passes("scripts", place=place, has=["first /tmp/terraform_", "second /bin/bash"])
        self.fails("no such directory", self.connection(script_path="/no/such/place.sh"),
                   self.inline("true"), has=["Failed to upload script: scp: "])
        self.fails("a script of one byte", self.connection(), self.provisioner("remote-exec", script=self.short()),
                   has=["Failed to upload script: Error reading script: EOF"])
        self.passes("much output", self.connection(), self.inline(
            "seq 1 20000"), has=["19999", "20000"] if self.ours else [])
        self.passes("goes on", self.connection(), self.inline("exit 3", on_failure="\0continue"),
                    self.inline("echo went on"), has=["went on"])
        self.passes("an unfinished line", self.connection(), self.inline("printf half; sleep 0.5"),
                    has=["half"])

    def short(self):
        path = os.path.join(self.root, "short.sh")
        with open(path, "w", encoding="utf-8") as file:
            file.write("x")
        return path

    def test_destroy(self):
        place = self.place(
            "input = %s\n" % self.hcl(read(self.key("user"))) +
            self.connection().replace(self.hcl(read(self.key("user"))), "self.input") +
            self.inline("echo bye", when="\0destroy"))
        self.passes("created", place=place)
        self.passes("destroy-time", place=place, args=("destroy", "-auto-approve"), has=["bye"])

    def test_files(self):
        source = os.path.join(self.root, "source")
        os.makedirs(os.path.join(source, "deep", "deeper"))
        os.makedirs(os.path.join(source, "empty"))
        contents = {"a file": b"with spaces\n", "zero": b"", "deep/x": b"\0\1\2" * 100,
                    "deep/deeper/big": os.urandom(3 << 20), "quote'd": b"q"}
        for name, data in contents.items():
            with open(os.path.join(source, name), "wb") as file:
                file.write(data)
        if self.ours:  # OpenTofu announces the size of the link itself, and fails
            os.symlink("a file", os.path.join(source, "link"))
            contents["link"] = contents["a file"]
        out = os.path.join(self.root, "out put")
        os.makedirs(out)

        def same(name, place):
            for part, data in contents.items():
                path = os.path.join(place, part)
                self.check("%s: %s" % (name, part), os.path.isfile(path)
                           and open(path, "rb").read() == data, path)
            self.check(name + ": empty", os.path.isdir(os.path.join(place, "empty")))

        upload = lambda **values: self.provisioner("file", **values)
        self.passes("directory", self.connection(), upload(source=source, destination=out))
        same("directory", os.path.join(out, "source"))
        within = os.path.join(self.root, "within")
        os.makedirs(within)
        self.passes("its contents", self.connection(), upload(source=source + "/", destination=within))
        same("its contents", within)
        for name, data in (("zero", b""), ("a file", contents["a file"])):
            target = os.path.join(out, "single " + name)
            self.passes("file " + name, self.connection(), upload(
                source=os.path.join(source, name), destination=target))
            self.check("file " + name, open(target, "rb").read() == data, target)
        for data in ("", "text with \"quotes\" and $dollars\nå"):
            target = os.path.join(out, "content%d" % len(data))
            self.passes("content", self.connection(), upload(content=data, destination=target))
            self.check("content", read(target) == data, target)
        self.fails("no such directory", self.connection(),
                   upload(content="x", destination="/no/such/place/x"),
                   has=["Upload failed: scp: /no/such/place: "])
        self.fails("no room", self.connection(), upload(content="x" * 10000, destination="/dev/full"),
                   has=["Upload failed: "])

    def test_faults(self):
        self.fails("killed in the middle", self.connection(), self.inline(
            "echo begin", "p=$PPID; while [ $(cat /proc/$p/comm) != sshd ]; do "
            "p=$(ps -o ppid= -p $p | tr -d ' '); done; kill -9 $p", "sleep 5"),
            has=["remote command exited without exit status or exit signal"])
        place = self.place(self.connection() + self.inline("echo begin", "sleep 30"))
        process = self.start(place, "apply", "-auto-approve")
        text = ""
        while "begin" not in text and (line := process.stdout.readline()):
            text += line
        process.send_signal(signal.SIGINT)
        started = time.monotonic()
        text += process.communicate(timeout=60)[0]
        self.check("interrupted", process.returncode == 1 and time.monotonic() - started < 10 and
                   "remote command exited without exit status or exit signal" in
                   " ".join(self.plain(text).split()), text)
        place = self.place(self.connection(port=machines.free_port(), timeout="60s") +
                           self.inline("true"))
        process = self.start(place, "apply", "-auto-approve")
        time.sleep(2)
        process.send_signal(signal.SIGINT)
        text = process.communicate(timeout=60)[0]
        self.check("interrupted while it waits", process.returncode == 1 and
                   "interrupted - last error: dial tcp" in " ".join(self.plain(text).split()), text)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", required=True)
    parser.add_argument("--show", action="store_true")
    parser.add_argument("--only", default="")
    args = parser.parse_args()
    if why := machines.available():
        print("skipped: " + why)
        return SKIP
    with tempfile.TemporaryDirectory(prefix="kinu-remote-") as root:
        os.chmod(root, 0o755)
        test = Test(os.path.abspath(args.binary), root, args.show)
        test.ours = os.path.basename(os.path.realpath(args.binary)) == "kinu"
        try:
            for name in [name for name in dir(test) if name.startswith("test_")]:
                if args.only in name:
                    started = time.monotonic()
                    getattr(test, name)()
                    print("%-20s %5.1f s" % (name[5:], time.monotonic() - started), flush=True)
        finally:
            test.close()
    print("failed: %d" % test.failed)
    return 1 if test.failed else 0


if __name__ == "__main__":
    sys.exit(main())
