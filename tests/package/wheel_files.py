#!/usr/bin/env python3
"""What is in a wheel of the Python package: its list of files, its bills of materials, and the program.

    tests/package/wheel_files.py WHEEL [--archive ARCHIVE.tar.xz]

Each file has the digest that RECORD names, and none is left out; both bills of materials name each library that is there,
with its version; each program and library is for the processor of the wheel's name and asks for no newer glibc than that
promises; no file names a directory of this machine. With --archive the program and what it loads are those of the
archive, byte for byte.
"""
import argparse
import base64
import csv
import hashlib
import io
import json
import os
import re
import sys
import tarfile
import tempfile
import zipfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "tools"))
import bundled  # noqa: E402

failures = []


def expect(holds, message):
    if not holds:
        failures.append(message)
        print("FAILED: " + message)


def check_record(files, stem):
    rows = list(csv.reader(io.StringIO(files[stem + ".dist-info/RECORD"].decode())))
    expect(sorted(row[0] for row in rows) == sorted(files), "RECORD lists other files than the wheel has")
    for name, digest, size in rows:
        if name.endswith("/RECORD"):
            continue
        data = files.get(name, b"")
        wanted = "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        expect((digest, size) == (wanted, str(len(data))), "RECORD has another digest of %s" % name)


def check_bills(files, stem, unpacked):
    folder = stem + ".dist-info/sboms/"
    spdx, cyclonedx = (json.loads(files[folder + name]) for name in ("kinu.spdx.json", "kinu.cdx.json"))
    listed = {each["name"]: each.get("versionInfo") for each in spdx["packages"]}
    expect(listed == {each["name"]: each.get("version") for each in [cyclonedx["metadata"]["component"], *cyclonedx["components"]]},
           "the bills of materials name other libraries")
    expect(all(listed.values()), "without a version: %s" % [name for name, version in listed.items() if not version])
    expect("nanobind" in listed, "nanobind is not listed")
    known = {file: row["name"] for row in bundled.libraries() for file in row.get("files", [])}
    for place, _, names in os.walk(unpacked):
        for name in names:
            if not bundled.is_elf(os.path.join(place, name)):
                continue
            # auditwheel puts a digest into the names of the libraries that it copies.
            for each in [name, *bundled.needed(os.path.join(place, name))]:
                soname = re.sub(r"^(lib[^/]*?)-[0-9a-f]{8}(\.so.*)$", r"\1\2", each)
                if re.match(r"lib.*\.so\.", soname) and not bundled.OF_LIBC.match(soname):
                    # libre2.so.9.0.0 is the file of libre2.so.9.
                    row = next((known[file] for file in known if (soname + ".").startswith(file + ".")), None)
                    expect(row in listed, "%s: no library of the bill of materials has %s" % (name, soname))


def check_platform(name, unpacked):
    tag = re.search(r"-manylinux_(\d+)_(\d+)_(\w+)\.whl$", name)
    expect(tag, "%s names no platform of manylinux" % name)
    if not tag:
        return
    promised, found = (int(tag[1]), int(tag[2])), 0
    for place, _, names in os.walk(unpacked):
        for path in (os.path.join(place, each) for each in names):
            if not bundled.is_elf(path):
                continue
            found += 1
            inside = os.path.relpath(path, unpacked)
            expect(bundled.machine_of(path) == tag[3], "%s is for %s" % (inside, bundled.machine_of(path)))
            newest = bundled.glibc_of(path)
            expect(newest <= promised, "%s needs glibc %d.%d" % (inside, *newest))
    expect(found, "no program and no library")


def check_program(files, stem, archive):
    found = 0
    with tarfile.open(archive) as tar:
        for each in tar:
            name = each.name.partition("/")[2]
            if each.isfile() and (name == "bin/kinu" or name.startswith("lib/kinu/")):
                place = name.replace("bin/", "scripts/") if name == "bin/kinu" else "data/" + name
                found += files.get("%s.data/%s" % (stem, place)) == tar.extractfile(each).read()
                expect("%s.data/%s" % (stem, place) in files, "the wheel has no %s" % place)
    expect(found > 10, "the program of the wheel is not that of the archive")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("wheel")
    parser.add_argument("--archive")
    options = parser.parse_args()
    with zipfile.ZipFile(options.wheel) as wheel, tempfile.TemporaryDirectory() as unpacked:
        files = {name: wheel.read(name) for name in wheel.namelist()}
        modes = {each.filename: oct(each.external_attr >> 16 & 0o777) for each in wheel.infolist()}
        wheel.extractall(unpacked)
        stem = next(name for name in files if name.endswith(".dist-info/RECORD")).partition(".dist-info")[0]
        check_record(files, stem)
        check_bills(files, stem, unpacked)
        check_platform(os.path.basename(options.wheel), unpacked)
    if options.archive:
        check_program(files, stem, options.archive)
        expect(modes.get(stem + ".data/scripts/kinu") == "0o755", "the program is not executable")
    root = bundled.ROOT.encode()
    expect(not [name for name, data in files.items() if root in data], "%s is named in %s"
           % (bundled.ROOT, [name for name, data in files.items() if root in data]))
    print("%s: %s" % (os.path.basename(options.wheel), "%d failures" % len(failures) if failures else "%d files, ok" % len(files)))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
