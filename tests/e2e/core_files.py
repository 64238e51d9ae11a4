#!/usr/bin/env python3
"""Ends the program by a signal that writes memory into a file: it holds keys and tokens, so none is written.

  core_files.py --binary PATH
"""
import argparse
import glob
import os
import resource
import signal
import subprocess
import sys
import tempfile


def dumps(binary, directory, **more):
    """Whether a core file is written of a program that waits for expressions."""
    environment = {"PATH": os.environ.get("PATH", ""), "HOME": directory, "TF_CLI_CONFIG_FILE": os.devnull, **more}
    process = subprocess.Popen(
        [binary, "console"], cwd=directory, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, (resource.RLIM_INFINITY,) * 2))
    process.stdin.write(b"1 + 1\n")
    process.stdin.flush()
    process.stdout.readline()
    process.send_signal(signal.SIGQUIT)
    _, status = os.waitpid(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    files = glob.glob(os.path.join(directory, "core*"))
    for name in files:
        os.remove(name)
    if not os.WIFSIGNALED(status):
        raise SystemExit("the program ended with %d" % process.returncode)
    return os.WCOREDUMP(status) or bool(files)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", required=True)
    binary = os.path.abspath(parser.parse_args().binary)
    with tempfile.TemporaryDirectory() as directory:
        try:
            if not dumps(binary, directory, KINU_CORE_FILES="1"):
                print("skipped: no core files are written here")
                return 77
        except subprocess.SubprocessError:
            print("skipped: core files are forbidden here")
            return 77
        if dumps(binary, directory):
            print("a core file was written")
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
