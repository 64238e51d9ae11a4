"""Reads protobuf messages of which only the numbers of fields are known."""
import struct


def fields(message):
    """The fields of a protobuf message: number and value, which is a number or bytes."""
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = message[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value
    while at < len(message):
        tag = varint()
        kind = tag & 7
        if kind == 0:
            value = varint()
        elif kind == 1:
            value = struct.unpack_from("<Q", message, at)[0]
            at += 8
        elif kind == 2:
            size = varint()
            value = message[at:at + size]
            assert len(value) == size, "the message ends early"
            at += size
        elif kind == 5:
            value = struct.unpack_from("<I", message, at)[0]
            at += 4
        else:
            raise ValueError("wire type %d" % kind)
        yield tag >> 3, value
