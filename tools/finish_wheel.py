#!/usr/bin/env python3
"""Puts the program and the bills of materials into a wheel of the Python package, so that `pip install kinu` brings `kinu`.

    tools/finish_wheel.py WHEEL DIRECTORY [--archive ARCHIVE.tar.xz]

WHEEL is one that auditwheel has repaired. ARCHIVE (`make package`) has the program with all that it loads; without it the
wheel gets the bills of materials alone. In an environment the program lies in bin and finds the rest in lib/kinu beside it;
its manual pages and completions lie in share. The licences of what both carry and the bills of materials (PEP 770) are in the
.dist-info directory of the package. Equal inputs give equal bytes (tools/source_date.sh).
"""
import argparse
import base64
import datetime
import hashlib
import os
import re
import subprocess
import sys
import tarfile
import zipfile

import bundled
import sbom

# Folders of the archive that the wheel has, and where.
PLACES = (("bin/", "scripts/"), ("lib/", "data/lib/"), ("share/man/", "data/share/man/"),
          ("share/bash-completion/", "data/share/bash-completion/"), ("share/fish/", "data/share/fish/"),
          ("share/zsh/", "data/share/zsh/"))
LICENSES = "share/doc/kinu/licenses/"


def glibc_of_wheel(name):
    """The version that the name of a wheel promises to need at most."""
    return tuple(map(int, re.search(r"manylinux_(\d+)_(\d+)_", name).groups()))


def members_of_archive(path, stem):
    """The files of the wheel, as name, bytes and mode, that those of the archive become; and the glibc that they need."""
    files, glibc = {}, (0, 0)
    with tarfile.open(path) as archive:
        for each in archive:
            name = each.name.partition("/")[2]
            if not each.isfile():
                continue
            data = archive.extractfile(each).read()
            if name == "README":
                glibc = tuple(map(int, re.search(rb"glibc (\d+)\.(\d+) or newer", data).groups()))
            if name.startswith(LICENSES):
                files["%s.dist-info/licenses/%s" % (stem, name[len(LICENSES):])] = (data, 0o644)
            for place, target in PLACES:
                if name.startswith(place):
                    files["%s.data/%s%s" % (stem, target, name[len(place):])] = (data, each.mode & 0o755)
    return files, glibc


def record_line(name, data):
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    return "%s,sha256=%s,%d\n" % (name, digest, len(data))


def finish(wheel, archive, directory):
    files = {}
    with zipfile.ZipFile(wheel) as given:
        for each in given.infolist():
            if not each.is_dir():
                mode = 0o755 if (each.external_attr >> 16) & 0o100 else 0o644
                files[each.filename] = (given.read(each), mode)
    stem = next(name for name in files if name.endswith(".dist-info/RECORD")).partition(".dist-info")[0]
    if archive:
        added, glibc = members_of_archive(archive, stem)
        if glibc > glibc_of_wheel(os.path.basename(wheel)):
            sys.exit("%s needs glibc %d.%d, and %s promises less" % (archive, *glibc, os.path.basename(wheel)))
        files.update(added)
    parts = sbom.components(dynamic=not archive, python=True)
    version, created = sbom.own_version(), sbom.created_time()
    for name, document in (("kinu.spdx.json", sbom.spdx), ("kinu.cdx.json", sbom.cyclonedx)):
        text = sbom.text_of(document(parts, version, created))
        files["%s.dist-info/sboms/%s" % (stem, name)] = (text.encode(), 0o644)
    # That of auditwheel has the time of its making, and names the same files.
    files.pop("%s.dist-info/sboms/auditwheel.cdx.json" % stem, None)
    write(os.path.join(directory, os.path.basename(wheel)), stem, files)


def write(path, stem, files):
    """A wheel with its list of files, whose entries have one time, known modes and sorted names."""
    record = stem + ".dist-info/RECORD"
    lines = [record_line(name, data) for name, (data, _) in sorted(files.items()) if name != record]
    files[record] = ("".join(lines + [record + ",,\n"]).encode(), 0o644)
    seconds = int(subprocess.run([os.path.join(bundled.ROOT, "tools", "source_date.sh")], check=True, stdout=subprocess.PIPE).stdout)
    time = datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with zipfile.ZipFile(path, "w") as out:
        # What describes the package stands at the end, as PEP 427 asks.
        for name in sorted(files, key=lambda each: (".dist-info/" in each, each)):
            data, mode = files[name]
            entry = zipfile.ZipInfo(name, time.timetuple()[:6])
            entry.compress_type, entry.create_system = zipfile.ZIP_DEFLATED, 3
            entry.external_attr = (0o100000 | mode) << 16
            out.writestr(entry, data, compresslevel=9)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("wheel")
    parser.add_argument("directory")
    parser.add_argument("--archive")
    options = parser.parse_args()
    finish(options.wheel, options.archive, options.directory)


if __name__ == "__main__":
    main()
