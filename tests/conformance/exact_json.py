"""JSON in which numbers are the digits that were written, and names of members do not repeat."""
import json


class Digits(str):
    """A JSON number, as it was written."""
    __slots__ = ()


class Mismatch(Exception):
    """A text that cannot be what was expected."""


def members(pairs):
    out = {}
    for name, value in pairs:
        if name in out:
            raise Mismatch("duplicate JSON member %r" % name)
        out[name] = value
    return out


def load(text):
    """The value of a text. Raises Mismatch."""
    try:
        return json.loads(text, object_pairs_hook=members, parse_int=Digits, parse_float=Digits,
                          parse_constant=Digits)
    except ValueError as error:
        raise Mismatch("not JSON: %s" % error) from error


def dump(value, indent=None, ordered=True, level=0):
    """The text of a value. Members are ordered by name, or stay in their order."""
    if isinstance(value, Digits):
        return str(value)
    if not isinstance(value, (dict, list)):
        return json.dumps(value, ensure_ascii=False)
    if not value:
        return "{}" if isinstance(value, dict) else "[]"
    if isinstance(value, dict):
        pairs = sorted(value.items()) if ordered else value.items()
        items = [json.dumps(name, ensure_ascii=False) + ": " + dump(member, indent, ordered, level + 1)
                 for name, member in pairs]
    else:
        items = [dump(element, indent, ordered, level + 1) for element in value]
    left, right = "{}" if isinstance(value, dict) else "[]"
    if indent is None:
        return left + ", ".join(items) + right
    line = "\n" + " " * (indent * (level + 1))
    return left + line + ("," + line).join(items) + "\n" + " " * (indent * level) + right


def same(a, b):
    """Whether two values are equal, numbers by their digits."""
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same(a[name], b[name]) for name in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(same, a, b))
    return type(a) is type(b) and a == b


def short(value):
    text = dump(value)
    return text if len(text) <= 160 else text[:157] + "..."


def differences(want, got, path="$"):
    """A line for each place where two values differ."""
    if isinstance(want, dict) and isinstance(got, dict):
        for name in sorted(set(want) | set(got)):
            place = "%s.%s" % (path, name)
            if name not in got:
                yield "%s: missing, want %s" % (place, short(want[name]))
            elif name not in want:
                yield "%s: unexpected %s" % (place, short(got[name]))
            else:
                yield from differences(want[name], got[name], place)
    elif isinstance(want, list) and isinstance(got, list):
        for i in range(max(len(want), len(got))):
            place = "%s[%d]" % (path, i)
            if i >= len(got):
                yield "%s: missing, want %s" % (place, short(want[i]))
            elif i >= len(want):
                yield "%s: unexpected %s" % (place, short(got[i]))
            else:
                yield from differences(want[i], got[i], place)
    elif not same(want, got):
        yield "%s: want %s, got %s" % (path, short(want), short(got))
