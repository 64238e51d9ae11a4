#!/usr/bin/env python3
"""Tests the C interface as a binary interface: its symbols and the layout of its structures are those that are
recorded in c_interface.txt, and other languages read its tables.

  c_interface.py --library libkinu.so --compiler CC [--sanitize address,undefined]

With --sanitize the library was built with these sanitizers, and the programs are, too.
KINU_UPDATE=1 rewrites the record. A symbol or a structure may be added; none may go or change.
"""
import argparse
import ctypes
import importlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
HEADERS = os.path.join(HERE, "..", "..", "include")
RECORD = os.path.join(HERE, "c_interface.txt")
STATE = {"version": 4, "terraform_version": "1.12.6", "serial": 1, "lineage": "l", "outputs": {},
         "resources": [{"mode": "managed", "type": "t", "name": "n", "provider": "p", "instances": [
             {"index_key": i, "schema_version": 0, "attributes": {"id": str(i)}} for i in range(1000)]}]}


def header():
    with open(os.path.join(HEADERS, "kinu", "kinu.h"), encoding="utf-8") as file:
        return file.read()


def symbols(library):
    listed = subprocess.run(["nm", "-D", "--defined-only", library], check=True, capture_output=True,
                            text=True).stdout
    found = [line.split()[-1] for line in listed.splitlines()]
    return sorted("symbol " + name for name in found if name != "KINU_1")


def layouts(compiler):
    """Size, and offset and size of each member, of the structures of the header."""
    text = re.sub(r"/\*.*?\*/", "", header(), flags=re.S)
    lines = []
    for body, name in re.findall(r"typedef struct kinu_\w+ \{(.*?)\} (\w+);", text, re.S):
        lines.append('printf("struct %s %%zu\\n", sizeof(%s));' % (name, name))
        for member in re.findall(r"(\w+);", body):
            lines.append('printf("  %s.%s %%zu %%zu\\n", offsetof(%s, %s), sizeof(((%s*)0)->%s));' %
                         (name, member, name, member, name, member))
    with tempfile.TemporaryDirectory() as folder:
        source, program = os.path.join(folder, "l.c"), os.path.join(folder, "l")
        with open(source, "w", encoding="utf-8") as file:
            file.write("#include <stddef.h>\n#include <stdio.h>\n#include <kinu/kinu.h>\nint main(void) {\n%s\n}\n" %
                       "\n".join(lines))
        subprocess.run([compiler, "-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "-I", HEADERS, source,
                        "-o", program], check=True)
        return subprocess.run([program], check=True, capture_output=True, text=True).stdout.splitlines()


def compare(now):
    if os.environ.get("KINU_UPDATE"):
        with open(RECORD, "w", encoding="utf-8") as file:
            file.write("\n".join(now) + "\n")
    with open(RECORD, encoding="utf-8") as file:
        recorded = file.read().splitlines()
    return ["is not there any more, or has changed: " + line for line in recorded if line not in now] + \
           ["is not recorded (KINU_UPDATE=1): " + line for line in now if line not in recorded]


def read_tables(library):
    """Reads a table through pyarrow, without a copy."""
    try:
        arrow = importlib.import_module("pyarrow")
    except ImportError:
        print("skipped: pyarrow is not installed")
        return []
    kinu = ctypes.CDLL(library)
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for i in range(20):
            paths.append(os.path.join(folder, "%d.tfstate" % i).encode())
            with open(paths[-1], "w", encoding="utf-8") as file:
                json.dump(STATE, file)
        stream = ctypes.create_string_buffer(5 * ctypes.sizeof(ctypes.c_void_p))
        kinu.kinu_table_of_files(b"resources", (ctypes.c_char_p * len(paths))(*paths), ctypes.c_size_t(len(paths)),
                                 0, stream, None)
        table = arrow.RecordBatchReader._import_from_c(ctypes.addressof(stream)).read_all()
    table.validate(full=True)
    ids = table.column("id").to_pylist()
    return [] if ids == [str(i) for i in range(1000)] * 20 else ["pyarrow reads other rows"]


def read_tables_sanitized(library, compiler):
    """The same in another process: the runtime of the sanitizer must be there before Python."""
    runtimes = [subprocess.run([compiler, "-print-file-name=" + name], check=True, capture_output=True,
                               text=True).stdout.strip() for name in ("libasan.so", "libstdc++.so")]
    # Python keeps objects until it ends.
    environment = os.environ | {"LD_PRELOAD": " ".join(map(os.path.realpath, runtimes)),
                                "ASAN_OPTIONS": "detect_leaks=0", "PYTHONMALLOC": "malloc"}
    code = "import sys, c_interface; sys.exit(bool(c_interface.read_tables(sys.argv[1])))"
    run = subprocess.run([sys.executable, "-c", code, os.path.abspath(library)], cwd=HERE, env=environment,
                         capture_output=True, text=True, check=False)
    print(run.stdout, end="")
    return [] if run.returncode == 0 else ["the tables in Python: " + run.stderr]


GO = """package main

// #include <stdlib.h>
// #include <string.h>
// #include <kinu/kinu.h>
import "C"

import (
	"fmt"
	"unsafe"
)

func main() {
	text := C.CString("upper(join(\\"-\\", [\\"a\\", \\"b\\"]))")
	defer C.free(unsafe.Pointer(text))
	value := C.kinu_evaluate(text, C.strlen(text), nil, 0, nil, nil)
	defer C.kinu_text_release(value)
	fmt.Println(C.GoStringN(value.data, C.int(value.size)))
}
"""


def run_programs(library, compiler, sanitize):
    """The program of docs/guide/c.md, and one in Go where that is installed."""
    sanitizers = ["-fsanitize=" + sanitize] if sanitize else []
    with open(os.path.join(HERE, "..", "..", "docs", "guide", "c.md"), encoding="utf-8") as file:
        program = re.search(r"```c\n(.*?)```", file.read(), re.S).group(1)
    problems = []
    folder_of_library = os.path.dirname(os.path.abspath(library))
    with tempfile.TemporaryDirectory() as folder:
        source, binary = os.path.join(folder, "p.c"), os.path.join(folder, "p")
        with open(source, "w", encoding="utf-8") as file:
            file.write(program)
        subprocess.run([compiler, *sanitizers, "-Wall", "-Werror", "-I", HEADERS, source, "-o", binary,
                        "-L" + folder_of_library, "-lkinu", "-Wl,-rpath," + folder_of_library], check=True)
        run = subprocess.run([binary], capture_output=True, text=True, check=False)
        if run.stdout != '"10.1.0.0/16"\n' or run.returncode != 0:
            problems.append("the program of the guide prints %r %s" % (run.stdout, run.stderr))
        if shutil.which("go") is None:
            print("skipped: Go is not installed")
            return problems
        with open(os.path.join(folder, "main.go"), "w", encoding="utf-8") as file:
            file.write(GO)
        run = subprocess.run(["go", "run", "main.go"], cwd=folder, capture_output=True, text=True, check=False,
                             env=os.environ | {"CGO_ENABLED": "1", "CC": compiler, "ASAN_OPTIONS": "detect_leaks=0",
                                               "CGO_CFLAGS": " ".join(["-I" + os.path.abspath(HEADERS), *sanitizers]),
                                               "CGO_LDFLAGS": " ".join(["-L" + folder_of_library, "-lkinu", *sanitizers,
                                                                        "-Wl,-rpath," + folder_of_library])})
        if run.stdout != '"A-B"\n' or run.returncode != 0:
            problems.append("the program in Go prints %r %s" % (run.stdout, run.stderr))
    return problems


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--library", required=True)
    parser.add_argument("--compiler", default="cc")
    parser.add_argument("--sanitize", default="")
    args = parser.parse_args()
    if args.sanitize:
        problems = read_tables_sanitized(args.library, args.compiler)
    else:
        problems = compare(symbols(args.library) + layouts(args.compiler)) + read_tables(args.library)
    problems += run_programs(args.library, args.compiler, args.sanitize)
    for problem in problems:
        print("FAILED:", problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
