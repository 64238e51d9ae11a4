#!/usr/bin/env python3
"""Provisioners over WinRM: scripts and files on a machine of the test's own, by every login.

  winrm.py --binary PATH [--show] [--skip TEST...]     --show prints what the program printed
"""
import argparse
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "servers"))
import windows_machine  # noqa: E402
from windows_machine import Machine, PASSWORD  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))


class Test:
    def __init__(self, binary, root, show):
        self.binary, self.root, self.show, self.failed, self.count = binary, root, show, 0, 0

    def check(self, name, good, text=""):
        if not good:
            self.failed += 1
            print("FAILED %s\n%s" % (name, text))

    def place(self, machine, blocks, **connection):
        self.count += 1
        place = os.path.join(self.root, "w%d" % self.count)
        os.makedirs(place)
        values = {"type": "winrm", "host": "127.0.0.1", "port": machine.port, "password": PASSWORD,
                  "timeout": "20s", **connection}
        lines = "\n".join("%s = %s" % (k, json.dumps(v)) for k, v in values.items())
        with open(os.path.join(place, "main.tf"), "w", encoding="utf-8") as file:
            file.write('resource "terraform_data" "m" {\nconnection {\n%s\n}\n%s}\n' % (lines, blocks))
        return place

    def start(self, place, *args):
        environment = {"PATH": "/usr/bin:/bin", "HOME": self.root, "TF_CLI_CONFIG_FILE": "/dev/null"}
        return subprocess.Popen([self.binary, *args, "-no-color"], cwd=place, env=environment,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, text=True, errors="replace")

    def apply(self, machine, *blocks, **connection):
        place = self.place(machine, "".join(blocks), **connection)
        process = self.start(place, "apply", "-auto-approve")
        text = process.communicate(timeout=120)[0]
        if self.show:
            print(text)
        return process.returncode, re.sub(r"(?m)^[│╷╵] ?", "", text)

    @staticmethod
    def inline(*lines, more=""):
        return 'provisioner "remote-exec" {\ninline = %s\n%s\n}\n' % (json.dumps(lines), more)

    @staticmethod
    def file(**values):
        return 'provisioner "file" {\n%s\n}\n' % "\n".join(
            "%s = %s" % (k, json.dumps(v)) for k, v in values.items())

    # The tests.

    def scripts(self):
        machine = Machine()
        code, text = self.apply(machine, self.inline("echo one", "part two ", "wait", "complain three",
                                                     "echo fo\u00fcr"))
        self.check("script", code == 0, text)
        head = ("Connecting to remote host via WinRM...\n%(p)s  Host: 127.0.0.1\n%(p)s  Port: %(n)d\n"
                "%(p)s  User: Administrator\n%(p)s  Password: true\n%(p)s  HTTPS: false\n"
                "%(p)s  Insecure: false\n%(p)s  NTLM: false\n%(p)s  CACert: false\n" % {
                    "p": "terraform_data.m (remote-exec): ", "n": machine.port})
        self.check("what the connection is", head in text, text)
        for line in ("Connected!", "one", "three", "fo\u00fcr"):
            self.check("line " + line, "(remote-exec): %s" % line in text, text)
        scripts = [name for name in machine.files if re.fullmatch(r"C:\\Temp\\terraform_\d+\.cmd", name)]
        self.check("the script is emptied", [machine.files[name] for name in scripts] == [b""],
                   str(machine.files))
        self.check("nothing is left", not machine.parts and not machine.shells,
                   "%s %s" % (machine.parts, machine.shells))
        code, text = self.apply(machine, self.inline("exit 7"))
        self.check("status", code == 1 and re.search(
            r'"C:/Temp/terraform_\d+\.cmd" exit status: 7', text), text)
        code, text = self.apply(machine, self.inline("exit 7", more="on_failure = continue"))
        self.check("a failure that may be", code == 0, text)
        code, text = self.apply(machine, self.inline("echo x"), script_path="C:/Windows/Temp/x.cmd")
        self.check("a directory that Windows cleans", code == 1 and "is not supported" in text, text)
        machine.stop()

    def uploads(self):
        machine = Machine()
        source = os.path.join(self.root, "tree")
        os.makedirs(os.path.join(source, "sub"))
        large = os.urandom(150_000)
        for name, data in (("a.bin", large), ("sub/empty", b""), ("sub/.DS_Store", b"x")):
            with open(os.path.join(source, name), "wb") as file:
                file.write(data)
        code, text = self.apply(
            machine, self.file(source=os.path.join(source, "a.bin"), destination="D:/in/a.bin"),
            self.file(content="h\u00e9llo", destination="D:/in/text.txt"),
            self.file(source=source, destination="D:/tree"))
        self.check("uploads", code == 0, text)
        wanted = {"D:\\in\\a.bin": large, "D:\\in\\text.txt": "h\u00e9llo".encode(),
                  "D:\\tree\\a.bin": large, "D:\\tree\\sub\\empty": b""}
        self.check("files", machine.files == wanted, str({k: len(v) for k, v in machine.files.items()}))
        self.check("nothing is left", not machine.parts and not machine.shells, str(machine.parts))
        code, text = self.apply(machine, self.file(content="x", destination="D:/refused"))
        self.check("an upload that fails", code == 1 and "Upload failed: Error restoring file" in text
                   and "restore operation returned code=1" in re.sub(r"\s+", " ", text), text)
        machine.stop()

    def logins(self):
        machine = Machine(login="ntlm")
        for user in ("Administrator", "DOMAIN\\Administrator"):
            code, text = self.apply(machine, self.inline("echo in"), user=user, use_ntlm=True)
            self.check("NTLM as " + user, code == 0 and "(remote-exec): in" in text, text)
        code, text = self.apply(machine, self.inline("echo in"), use_ntlm=True, password="wrong",
                                timeout="3s")
        self.check("NTLM with a wrong password", code == 1 and
                   "timeout - last error: http response error: 401 - invalid content type" in
                   re.sub(r"\s+", " ", text), text)
        machine.stop()
        machine = Machine()
        code, text = self.apply(machine, self.inline("echo in"), use_ntlm=True)
        self.check("a machine that knows basic alone", code == 0, text)
        code, text = self.apply(machine, self.inline("echo in"), password="wrong", timeout="3s")
        self.check("a wrong password", code == 1 and "401 - invalid content type" in
                   re.sub(r"\s+", " ", text) and "wrong" not in text, text)
        machine.stop()

    def encrypted(self):
        pem = os.path.join(HERE, "..", "servers", "loopback.pem")
        machine = Machine(certificate=pem)
        code, text = self.apply(machine, self.inline("echo in"), https=True, timeout="3s")
        self.check("an unknown authority", code == 1 and "certificate" in text, text)
        code, text = self.apply(machine, self.inline("echo in"), https=True, insecure=True)
        self.check("insecure", code == 0 and "Insecure: true" in text, text)
        with open(pem, encoding="utf-8") as file:
            authority = re.search(r"-----BEGIN CERT.*?-----END CERTIFICATE-----\n", file.read(),
                                  re.S).group(0)
        code, text = self.apply(machine, self.inline("echo in"), https=True, cacert=authority)
        self.check("an authority of its own", code == 0 and "CACert: true" in text, text)
        machine.stop()

    def faults(self):
        machine = Machine()
        machine.fail["Create"] = "no quota"
        code, text = self.apply(machine, self.inline("echo x"), timeout="3s")
        self.check("no shell", code == 1 and "timeout - last error: http error 500:" in
                   re.sub(r"\s+", " ", text), text)
        machine.fail = {"Receive": "the machine goes down"}
        code, text = self.apply(machine, self.inline("echo x"))
        self.check("output that cannot be had", code == 1 and "the machine goes down" in text, text)
        machine.stop()
        code, text = self.apply(machine, self.inline("echo x"), timeout="2s")
        self.check("nobody listens", code == 1 and "timeout - last error: unknown error" in
                   re.sub(r"\s+", " ", text), text)

    def interrupt(self):
        machine = Machine()
        place = self.place(machine, self.inline("echo begun", "sleep 60"))
        process = self.start(place, "apply", "-auto-approve")
        end = time.monotonic() + 20
        while machine.outputs == 0 and time.monotonic() < end:
            time.sleep(0.05)
        time.sleep(0.5)
        began = time.monotonic()
        process.send_signal(signal.SIGINT)
        text = process.communicate(timeout=60)[0]
        self.check("an interrupt ends the command", process.returncode == 1 and
                   time.monotonic() - began < 10 and "Signal" in machine.log and
                   machine.log.count("Create") == machine.log.count("Delete"),
                   "%s\n%s" % (text, machine.log))
        machine.stop()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", required=True)
    parser.add_argument("--show", action="store_true")
    parser.add_argument("--skip", nargs="*", default=[])
    args = parser.parse_args()
    assert windows_machine.md4(b"abc").hex() == "a448017aaf21d8525fc10ae87aa6729d"
    with tempfile.TemporaryDirectory() as root:
        test = Test(os.path.abspath(args.binary), root, args.show)
        for name in ("scripts", "uploads", "logins", "encrypted", "faults", "interrupt"):
            if name not in args.skip:
                getattr(test, name)()
    print("%d applies, %d failures" % (test.count, test.failed))
    return 1 if test.failed else 0


if __name__ == "__main__":
    sys.exit(main())
