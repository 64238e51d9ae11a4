#!/usr/bin/env python3
"""Stands between an editor and a language server, and writes down what both say.

    proxy.py FILE COMMAND...

Each line of FILE is a JSON array: "client" or "server", and the message. Bytes pass as they are.
"""
import json
import os
import subprocess
import sys
import threading


def parts(stream):
    """The header and the body of each message of a stream, as bytes."""
    while True:
        header, length = b"", None
        line = stream.readline()
        while line and line != b"\r\n":
            header += line
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
            line = stream.readline()
        if not line:
            return
        yield header + line, stream.read(length)


def carry(source, target, sender, record, lock):
    for header, body in parts(source):
        with lock:
            record.write(json.dumps([sender, json.loads(body.decode("utf-8", "strict"))]) + "\n")
            record.flush()
        try:
            target.write(header + body)
            target.flush()
        except BrokenPipeError:
            pass
    try:
        target.close()
    except BrokenPipeError:
        pass


def main():
    path, command = sys.argv[1], sys.argv[2:]
    with open(path, "a", encoding="utf-8") as record, \
            subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:
        lock = threading.Lock()
        threading.Thread(target=carry, daemon=True,
                         args=(sys.stdin.buffer, server.stdin, "client", record, lock)).start()
        carry(server.stdout, sys.stdout.buffer, "server", record, lock)
        status = server.wait()
        with lock:
            record.flush()
            os._exit(status)  # the other thread may wait for the editor for ever


if __name__ == "__main__":
    main()
