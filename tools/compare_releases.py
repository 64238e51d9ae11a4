#!/usr/bin/env python3
"""Compares two releases byte for byte, and says which byte of which member differs.

    tools/compare_releases.py A B [--only GLOB] [--without GLOB]

A and B are files or directories of files. Archives that differ (tar, also compressed; .deb; wheels; image layouts) are
opened, and so are those in them, down to the first member that differs: in its bytes, or in its name, time, owner, mode or
place. Prints a line per file and exits with 1 if any differs.
"""
import bz2
import fnmatch
import gzip
import io
import lzma
import os
import sys
import tarfile
import zipfile

PACKED = {b"\xfd7zXZ\0": lzma.decompress, b"\x1f\x8b": gzip.decompress, b"BZh": bz2.decompress}


def members_of_tar(data):
    with tarfile.open(fileobj=io.BytesIO(data)) as tar:
        return [(each.name, {"time": int(each.mtime), "owner": (each.uid, each.gid, each.uname, each.gname),
                             "mode": oct(each.mode), "kind": each.type, "target": each.linkname},
                 tar.extractfile(each).read() if each.isfile() else b"") for each in tar]


def members_of_ar(data):
    at, result = 8, []
    while at + 60 <= len(data):
        header = data[at:at + 60].decode("ascii")
        size = int(header[48:58])
        result.append((header[:16].strip(), {"time": header[16:28].strip(), "owner": header[28:40], "mode": header[40:48]},
                       data[at + 60:at + 60 + size]))
        at += 60 + size + size % 2
    return result


def members_of_zip(data):
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return [(each.filename, {"time": each.date_time, "mode": oct(each.external_attr)}, archive.read(each))
                for each in archive.infolist()]


def members(data):
    """The members of an archive, as (name, properties, bytes); None if it is none."""
    try:
        if data.startswith(b"!<arch>\n"):
            return members_of_ar(data)
        if data.startswith(b"PK\3\4"):
            return members_of_zip(data)
        if data[257:262] == b"ustar":
            return members_of_tar(data)
    except (tarfile.TarError, zipfile.BadZipFile, ValueError):
        pass
    return None


def unpacked(data):
    """What a compressed file has, or nothing."""
    for magic, unpack in PACKED.items():
        if data.startswith(magic):
            try:
                return unpack(data)
            except (OSError, EOFError, lzma.LZMAError):
                return None
    return None


def first_byte(one, other):
    """The place of the first difference, and its bytes."""
    length = min(len(one), len(other))
    step = 1 << 16
    at = next((start for start in range(0, length, step) if one[start:start + step] != other[start:start + step]), length)
    while at < length and one[at] == other[at]:
        at += 1
    if at == length:
        return "%d bytes, %d bytes; equal to the end of the shorter" % (len(one), len(other))
    return "byte %d is %02x, %02x" % (at, one[at], other[at])


def difference(one, other):
    """Where two files differ: a path into archives and what differs there. They do differ."""
    parts = [unpacked(each) for each in (one, other)]
    if None not in parts:
        return difference(*parts) if parts[0] != parts[1] else "compressed differently: " + first_byte(one, other)
    lists = [members(each) for each in (one, other)]
    if None in lists:
        return first_byte(one, other)
    for (name, properties, data), (other_name, other_properties, other_data) in zip(*lists):
        if name != other_name:
            return "member %s, %s" % (name, other_name)
        if data != other_data:
            return "%s: %s" % (name, difference(data, other_data))
        for key, value in properties.items():
            if value != other_properties[key]:
                return "%s: %s is %s, %s" % (name, key, value, other_properties[key])
    if len(lists[0]) != len(lists[1]):
        longer = max(lists, key=len)
        return "member %s is in one alone" % longer[min(map(len, lists))][0]
    return "equal members: " + first_byte(one, other)


def read(path):
    with open(path, "rb") as file:
        return file.read()


def compare(one, other, only="*", without=""):
    """Lines about two files or directories, each with whether they are equal there."""
    if os.path.isfile(one):
        names = {"": (one, other)}
    else:
        found = sorted(name for name in {*os.listdir(one), *os.listdir(other)} if
                       fnmatch.fnmatch(name, only) and not fnmatch.fnmatch(name, without))
        names = {name: (os.path.join(one, name), os.path.join(other, name)) for name in found}
    for name, paths in names.items():
        missing = [path for path in paths if not os.path.isfile(path)]
        name = name or os.path.basename(one)
        if missing:
            yield False, "%s: there is no %s" % (name, missing[0])
            continue
        data = [read(path) for path in paths]
        yield data[0] == data[1], "%s: %s" % (name, "equal, %d bytes" % len(data[0]) if data[0] == data[1] else difference(*data))


def main(words):
    filters = {"--only": "*", "--without": ""}
    while len(words) > 2 and words[-2] in filters:
        *words, flag, pattern = words
        filters[flag] = pattern
    if len(words) != 2:
        sys.exit(__doc__)
    differing = 0
    for equal, line in compare(*words, filters["--only"], filters["--without"]):
        print(line)
        differing += not equal
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
