#!/usr/bin/env python3
"""Checks messages of a language server against the protocol's own model.

The model (../shared/spec/lsp-3.17-messages.json, see `find`) has each method with the type of its params and result.
"""
import json
import os

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
NAME = "lsp-3.17-messages.json"
INTEGERS = {"integer": (-2**31, 2**31 - 1), "uinteger": (0, 2**31 - 1)}
TEXTS = ("string", "URI", "DocumentUri", "RegExp")


def find():
    """The path of the model; None where it is not installed."""
    path = os.environ.get("KINU_LSP_MODEL", os.path.join(os.path.dirname(ROOT), "shared", "spec", NAME))
    return path if os.path.exists(path) else None


class Model:
    def __init__(self, path):
        with open(path, encoding="utf-8") as handle:
            model = json.load(handle)
        self.structures = {item["name"]: item for item in model["structures"]}
        self.enumerations = {item["name"]: item for item in model["enumerations"]}
        self.aliases = {item["name"]: item["type"] for item in model["typeAliases"]}
        self.requests = {item["method"]: item for item in model["requests"]}
        self.notifications = {item["method"]: item for item in model["notifications"]}

    def problems_of_call(self, message, sender="server"):
        """What is wrong with a request or notification that `sender` ("server" or "client") sends."""
        table = self.requests if "id" in message else self.notifications
        method = table.get(message["method"])
        if method is None:
            return ["the model has no such method"]
        other = {"server": "clientToServer", "client": "serverToClient"}[sender]
        if method["messageDirection"] == other:
            return ["only the other side sends it"]
        if "params" not in method:
            return [] if message.get("params") is None else ["it has no params"]
        return self.problems(message.get("params"), method["params"], "params")

    def problems_of_result(self, method, result):
        """What is wrong with the result of a request."""
        return self.problems(result, self.requests[method]["result"], "result")

    def problems(self, value, kind, place):
        return getattr(self, "check_" + kind["kind"])(value, kind, place)

    def check_base(self, value, kind, place):
        name = kind["name"]
        if name in TEXTS:
            good = isinstance(value, str)
        elif name in INTEGERS:
            low, high = INTEGERS[name]
            good = isinstance(value, int) and not isinstance(value, bool) and low <= value <= high
        elif name == "decimal":
            good = isinstance(value, (int, float)) and not isinstance(value, bool)
        elif name == "boolean":
            good = isinstance(value, bool)
        else:
            good = name == "null" and value is None
        return [] if good else ["%s: %.60r is no %s" % (place, value, name)]

    def check_reference(self, value, kind, place):
        name = kind["name"]
        if name in ("LSPAny", "LSPObject", "LSPArray"):
            return []
        if name in self.aliases:
            return self.problems(value, self.aliases[name], place)
        if name in self.enumerations:
            return self.check_enumeration(value, self.enumerations[name], place)
        return self.check_structure(value, self.structures[name], place, closed=True)

    def check_enumeration(self, value, enumeration, place):
        found = self.problems(value, enumeration["type"], place)
        known = [item["value"] for item in enumeration["values"]]
        if not found and value not in known and not enumeration.get("supportsCustomValues"):
            found.append("%s: %r is no %s" % (place, value, enumeration["name"]))
        return found

    def properties(self, structure):
        own = {item["name"]: item for item in structure.get("properties", [])}
        for base in structure.get("extends", []) + structure.get("mixins", []):
            for name, item in self.properties(self.structures[base["name"]]).items():
                own.setdefault(name, item)
        return own

    def check_structure(self, value, structure, place, closed):
        if not isinstance(value, dict):
            return ["%s: %.60r is no %s" % (place, value, structure["name"])]
        found = []
        properties = self.properties(structure)
        for name, item in properties.items():
            if name in value:
                found += self.problems(value[name], item["type"], place + "." + name)
            elif not item.get("optional"):
                found.append("%s: %s lacks %s" % (place, structure["name"], name))
        if closed:
            found += ["%s: %s has no %s" % (place, structure["name"], name)
                      for name in value if name not in properties]
        return found

    def check_or(self, value, kind, place):
        tried = [self.problems(value, item, place) for item in kind["items"]]
        return [] if [] in tried else min(tried, key=len)

    def check_and(self, value, kind, place):
        found = []
        known = set()
        for item in kind["items"]:
            structure = self.structures[item["name"]]
            known |= set(self.properties(structure))
            found += self.check_structure(value, structure, place, closed=False)
        return found + ["%s: unknown %s" % (place, name) for name in value if name not in known]

    def check_array(self, value, kind, place):
        if not isinstance(value, list):
            return ["%s: %.60r is no array" % (place, value)]
        return [problem for index, element in enumerate(value)
                for problem in self.problems(element, kind["element"], "%s[%d]" % (place, index))]

    def check_tuple(self, value, kind, place):
        if not isinstance(value, list) or len(value) != len(kind["items"]):
            return ["%s: %.60r has not %d elements" % (place, value, len(kind["items"]))]
        return [problem for index, (element, item) in enumerate(zip(value, kind["items"]))
                for problem in self.problems(element, item, "%s[%d]" % (place, index))]

    def check_map(self, value, kind, place):
        if not isinstance(value, dict):
            return ["%s: %.60r is no object" % (place, value)]
        found = []
        for name, element in value.items():
            found += self.problems(name, kind["key"], place + " (key)")
            found += self.problems(element, kind["value"], "%s[%r]" % (place, name))
        return found

    def check_literal(self, value, kind, place):
        return self.check_structure(value, {"name": "literal", "properties": kind["value"]["properties"]}, place, True)

    def check_stringLiteral(self, value, kind, place):  # the name is that of the model
        return [] if value == kind["value"] else ["%s: %r is not %r" % (place, value, kind["value"])]
