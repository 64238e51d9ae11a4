#!/usr/bin/env python3
"""Starts services that tests use, each on a free port of this machine.

  peers.py NAME        starts one and prints its environment; ends it at the end of its input

In a test:

  with peers.start("pg") as environment: ...

`start` raises Unavailable, with the reason, where the service is not installed.
"""
import contextlib
import glob
import os
import shutil
import socket
import subprocess
import sys
import tempfile
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


PEERS = {"pg": postgres}


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
