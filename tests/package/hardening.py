#!/usr/bin/env python3
"""Reads from ELF files how they were hardened (docs/decisions/0064-hardening.md).

    tests/package/hardening.py FILE...

Prints a line per file and exits with 1 if one lacks a property: `pie` (position-independent), `relro` (its tables of
addresses are written once, at start: PT_GNU_RELRO and BIND_NOW), `nx` (the stack holds no code), `canary` (functions
with arrays guard the stack), `fortify` (calls of the C library know the sizes of buffers; `-` where it makes none
that has a checked form), and `cfi` of x86-64 and `bti` of arm64 (code marks what may be jumped to). arm64 also has `pac`:
functions sign the addresses that they return to.
"""
import collections
import os
import re
import struct
import sys

EXECUTABLE, SHARED = 2, 3                       # e_type
X86_64, AARCH64 = 62, 183                       # e_machine
LOAD, DYNAMIC, GNU_STACK, GNU_RELRO = 1, 2, 0x6474E551, 0x6474E552
STRTAB, BIND_NOW, FLAGS, FLAGS_1 = 5, 24, 30, 0x6FFFFFFB
MARKS = {X86_64: b"\xf3\x0f\x1e\xfa", AARCH64: b"\x5f\x24\x03\xd5"}  # endbr64; bti c
# Functions of the C library that write texts or what they read: with hardening their checked forms are called
# (__snprintf_chk). Those of memcpy() and its like are called only where the size of a buffer is known.
CHECKED = re.compile(r"(st[rp]n?cpy|strn?cat|v?sn?printf|v?[fd]?printf)")

SIGNS = b"\x3f\x23\x03\xd5"  # paciasp

FEW_MARKS = 5  # what the C library's own parts of a program have

Segment = collections.namedtuple("Segment", "kind flags offset address size")


class Elf:
    """The parts of a 64-bit little-endian ELF file that tell of its hardening."""

    def __init__(self, path):
        with open(path, "rb") as file:
            self.data = file.read()
        if self.data[:6] != b"\x7fELF\x02\x01":
            raise ValueError("%s: no 64-bit little-endian ELF file" % path)
        self.kind, self.machine = struct.unpack_from("<HH", self.data, 16)
        offset, = struct.unpack_from("<Q", self.data, 32)
        size, count = struct.unpack_from("<HH", self.data, 54)
        self.segments = []
        for at in range(offset, offset + size * count, size):
            kind, flags, start, address, _, length = struct.unpack_from("<IIQQQQ", self.data, at)
            self.segments.append(Segment(kind, flags, start, address, length))
        self.dynamic = {}
        for segment in self.of_kind(DYNAMIC):
            for at in range(segment.offset, segment.offset + segment.size, 16):
                tag, value = struct.unpack_from("<QQ", self.data, at)
                self.dynamic.setdefault(tag, value)

    def of_kind(self, kind):
        return [segment for segment in self.segments if segment.kind == kind]

    def offset_of(self, address):
        for segment in self.of_kind(LOAD):
            if segment.address <= address < segment.address + segment.size:
                return segment.offset + address - segment.address
        raise ValueError("no segment has the address %x" % address)

    def foreign_symbols(self):
        """The names of the symbols that it takes from libraries."""
        names, symbols, result = self.offset_of(self.dynamic[STRTAB]), self.section(b".dynsym"), set()
        for name, _, _, section, _, _ in struct.iter_unpack("<IBBHQQ", symbols):
            if section == 0 and name:
                end = self.data.index(b"\0", names + name)
                result.add(self.data[names + name:end].decode())
        return result

    def section(self, wanted):
        """The bytes of a section."""
        start, = struct.unpack_from("<Q", self.data, 40)
        size, count, names = struct.unpack_from("<HHH", self.data, 58)
        headers = [struct.unpack_from("<IIQQQQ", self.data, start + size * at) for at in range(count)]
        for name, _, _, _, offset, length in headers:
            at = headers[names][4] + name
            if self.data[at:self.data.index(b"\0", at)] == wanted:
                return self.data[offset:offset + length]
        raise ValueError("no section %s" % wanted.decode())

    def count(self, instruction):
        """How often its code has an instruction. Calls of libraries are code of the linker, in other sections."""
        return self.section(b".text").count(instruction)


def properties(elf):
    symbols = elf.foreign_symbols()
    now = (BIND_NOW in elf.dynamic or elf.dynamic.get(FLAGS, 0) & 8 or elf.dynamic.get(FLAGS_1, 0) & 1)
    checked = any(name.endswith("_chk") and name != "__stack_chk_fail" for name in symbols)
    could_check = any(CHECKED.fullmatch(name) for name in symbols)
    stack = elf.of_kind(GNU_STACK)
    found = {
        "pie": elf.kind == SHARED,
        "relro": bool(elf.of_kind(GNU_RELRO)) and bool(now),
        "nx": bool(stack) and not stack[0].flags & 1,
        "canary": "__stack_chk_fail" in symbols,
        "fortify": checked if checked or could_check else None,
    }
    # A function that signs begins with that, which marks it as well.
    signs = elf.count(SIGNS) if elf.machine == AARCH64 else 0
    marks = elf.count(MARKS[elf.machine]) + signs if elf.machine in MARKS else 0
    found["bti" if elf.machine == AARCH64 else "cfi"] = marks > FEW_MARKS
    if elf.machine == AARCH64:
        found["pac"] = signs > FEW_MARKS
    return found


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    missing = 0
    for path in sys.argv[1:]:
        found = properties(Elf(path))
        print("%-28s %s" % (os.path.basename(path), "  ".join(
            "%s %s" % (name, {True: "yes", False: "NO ", None: "-  "}[value]) for name, value in found.items())))
        missing += sum(value is False for value in found.values())
    if missing:
        print("hardening: %d of the properties are missing" % missing)
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
