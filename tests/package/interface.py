#!/usr/bin/env python3
"""Compares the public interface with the recorded one: the declarations of include/kinu without
their comments, and the symbols that the libraries define for them.

    interface.py --library libkinu_api.a libkinu_sdk.a --headers DIR...

With KINU_UPDATE=1 the record is rewritten. A change of the record is a change for everybody who uses
the library: version 1 may only grow.
"""
import argparse
import difflib
import glob
import os
import re
import subprocess
import sys

RECORD = os.path.join(os.path.dirname(os.path.abspath(__file__)), "interface_v1.txt")
COMMENT = re.compile(r"//[^\n]*")
VERSION = re.compile(r"(#define KINU_VERSION\S*) .*")


def declarations(path):
    with open(path, encoding="utf-8") as file:
        text = COMMENT.sub("", VERSION.sub(r"\1 *", file.read()))
    return [line.rstrip() for line in text.splitlines() if line.strip()]


def symbols(libraries):
    listing = subprocess.run(["nm", "-C", "--defined-only"] + libraries, text=True, check=True,
                             capture_output=True).stdout
    found = {line.split(" T ", 1)[1] for line in listing.splitlines() if " T kinu::v1::" in line}
    return sorted(name.replace("[abi:cxx11]", "") for name in found)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--library", nargs="+", required=True)
    parser.add_argument("--headers", nargs="+", required=True)
    args = parser.parse_args()
    lines = []
    # kinu.h is that of the C interface, which c_interface.py tests.
    headers = [path for directory in args.headers for path in glob.glob(directory + "/*.h")
               if os.path.basename(path) != "kinu.h"]
    for path in sorted(headers, key=os.path.basename):
        lines += ["=== " + os.path.basename(path)] + declarations(path)
    lines += ["=== symbols"] + symbols(args.library)
    if os.environ.get("KINU_UPDATE"):
        with open(RECORD, "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")
        return 0
    with open(RECORD, encoding="utf-8") as file:
        recorded = file.read().splitlines()
    changes = list(difflib.unified_diff(recorded, lines, "recorded", "now", lineterm="", n=1))
    print("\n".join(changes[:80]) if changes else "the public interface is as recorded")
    return 1 if changes else 0


if __name__ == "__main__":
    sys.exit(main())
