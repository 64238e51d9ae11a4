"""Puts provider schemas that are given as JSON (`providers schema -json`) where `kinu` keeps those that it has seen, so
that a measurement or a test has a large schema without its provider."""
import ctypes
import json
import lzma
import os
import struct

NESTINGS = {"single": 1, "list": 2, "set": 3, "map": 4, "group": 5}


def varint(number):
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)
    return bytes(out)


def number(field, value):
    return varint(field << 3) + varint(int(value)) if value else b""


def text(field, value):
    data = value if isinstance(value, bytes) else value.encode()
    return varint(field << 3 | 2) + varint(len(data)) + data if data else b""


def type_of(value):
    return json.dumps(value, separators=(",", ":")).encode()


def is_markdown(value):
    return value.get("description_kind") == "markdown"


def attribute(name, value):
    return (text(1, name) + text(2, type_of(value["type"])) + text(3, value.get("description", ""))
            + number(4, value.get("required")) + number(5, value.get("optional")) + number(6, value.get("computed"))
            + number(7, value.get("sensitive")) + number(8, is_markdown(value)) + number(9, value.get("deprecated")))


def nested(name, value):
    return (text(1, name) + text(2, block(value["block"])) + number(3, NESTINGS[value["nesting_mode"]])
            + number(4, value.get("min_items")) + number(5, value.get("max_items")))


def block(value):
    return (b"".join(text(2, attribute(*item)) for item in sorted(value.get("attributes", {}).items()))
            + b"".join(text(3, nested(*item)) for item in sorted(value.get("block_types", {}).items()))
            + text(4, value.get("description", "")) + number(5, is_markdown(value))
            + number(6, value.get("deprecated")))


def schema(value):
    return number(1, value.get("version")) + text(2, block(value["block"]))


def parameter(value):
    return (text(1, value["name"]) + text(2, type_of(value["type"])) + number(3, value.get("is_nullable"))
            + text(5, value.get("description", "")))


def function(value):
    variadic = value.get("variadic_parameter")
    return (b"".join(text(1, parameter(each)) for each in value.get("parameters", []))
            + (text(2, parameter(variadic)) if variadic else b"") + text(3, text(1, type_of(value["return_type"])))
            + text(4, value.get("summary", "")) + text(5, value.get("description", "")))


def response(value):
    """A GetProviderSchema.Response of protocol 5; its types have no nested attributes."""
    def entries(field, key, encode):
        return b"".join(text(field, text(1, name) + text(2, encode(each)))
                        for name, each in sorted(value.get(key, {}).items()))
    return (text(1, schema(value["provider"])) + entries(2, "resource_schemas", schema)
            + entries(3, "data_source_schemas", schema) + entries(7, "functions", function)
            + entries(8, "ephemeral_resource_schemas", schema))


def file_name(key):
    library = ctypes.CDLL("libxxhash.so.0")
    library.XXH3_64bits.restype = ctypes.c_uint64
    return "".join("%016x" % library.XXH3_64bits(data, ctypes.c_size_t(len(data))) for data in (key, b"kinu:" + key))


def store(cache_home, path, address, version):
    """Stores the one schema of a JSON file (.xz or not) as the newest of a provider. `cache_home` is XDG_CACHE_HOME."""
    opened = lzma.open(path) if path.endswith(".xz") else open(path, "rb")
    with opened as file:
        raw = response(next(iter(json.load(file)["provider_schemas"].values())))
    folder = os.path.join(cache_home, "kinu")
    os.makedirs(folder, mode=0o700, exist_ok=True)
    key = ("h1:%s %s" % (address, version)).encode()
    with open(os.path.join(folder, file_name(key) + ".schema"), "wb") as file:
        file.write(struct.pack("<12sIQQQ", b"kinu schema1", 5, len(raw), 0, len(key)) + key + raw)
    note = ("newest schema of " + address).encode()
    with open(os.path.join(folder, file_name(note) + ".note"), "wb") as file:
        file.write(note + b"\0" + version.encode() + b" " + key)
