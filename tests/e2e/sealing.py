"""Encryption in tests: blocks as native and as JSON text, keys without cost, and what of a directory is sealed."""
import base64
import json
import os
import zipfile

# 200,000 iterations are the fewest that are accepted.
SETTINGS = """
key_provider "pbkdf2" "k" {
  passphrase = "correct horse battery staple"
  iterations = 200000
}
method "aes_gcm" "m" { keys = key_provider.pbkdf2.k }
state {
  method   = method.aes_gcm.m
  enforced = true
}
"""

# Prints a key of 32 bytes that depends on its argument, as the key provider `external` asks for it.
KEY_SCRIPT = """cat > /dev/null
echo '{"magic":"OpenTofu-External-Key-Provider","version":1}'
case $1 in
%s
*) exit 1 ;;
esac
echo '{"keys":{"encryption_key":"'$key'","decryption_key":"'$key'"},"meta":{"external_data":{}}}'
"""
# Stores what it is given, as the method `external` asks for it: sealed in name only, for tests that look at names.
METHOD_SCRIPT = """echo '{"magic":"OpenTofu-External-Encryption-Method","version":1}'
sed 's/"key":"[^"]*",//'
"""


def key_script(names):
    """The text of a program that knows these keys; runs as `sh FILE NAME`."""
    rows = ["%s) key=%s ;;" % (name, base64.b64encode((name * 32)[:32].encode()).decode()) for name in names]
    return KEY_SCRIPT % "\n".join(rows)


def external_key(name):
    """The body of a key provider `external` whose key is of key_script(), in the file `keys`."""
    return {"command": ["sh", "keys", name]}


class Ref(str):
    """An expression, not a text."""


def native(body, depth=0):
    """The native text of a body: a dict with attributes, and dicts or lists of dicts for blocks.

    The blocks of LABELS have labels as further levels of dicts.
    """
    labels = {"key_provider": 2, "method": 2, "remote_state_data_source": 1}
    pad = "  " * depth
    out = []

    def block(header, inside):
        out.append("%s%s {\n%s%s}\n" % (pad, header, native(inside, depth + 1), pad))

    def labelled(header, inside, left):
        if left == 0:
            for one in inside if isinstance(inside, list) else [inside]:
                block(header, one)
        else:
            for label, more in inside.items():
                labelled('%s "%s"' % (header, label), more, left - 1)
    for name, value in body.items():
        if isinstance(value, dict) or isinstance(value, list) and value and isinstance(value[0], dict):
            labelled(name, value, labels.get(name, 0))
        else:
            out.append("%s%s = %s\n" % (pad, name, value if isinstance(value, Ref) else json.dumps(value)))
    return "".join(out)


def in_json(body):
    """The same body for JSON syntax. Methods are named as texts, other expressions are templates."""
    if isinstance(body, dict):
        return {name: in_json(value) for name, value in body.items()}
    if isinstance(body, list):
        return [in_json(value) for value in body]
    if isinstance(body, Ref):
        if body == "null":
            return None
        return str(body) if body.startswith("method.") else "${%s}" % body
    return body


def stored(data, secrets):
    """What bytes of a file are: "sealed", "clear", or nothing, if they are neither state, plan nor secret."""
    if data.startswith(b"PK"):
        return "clear"
    if any(secret in data for secret in secrets):
        return "clear"
    if b'"encrypted_data"' in data:
        return "sealed"
    if b'"terraform_version"' in data:
        return "clear"
    return None


def found_secret(path, secrets):
    """A secret in a file, also within a plan file, or nothing."""
    with open(path, "rb") as file:
        data = file.read()
    texts = [data]
    if data.startswith(b"PK") and zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            texts += [archive.read(name) for name in archive.namelist()]
    return next((secret for secret in secrets if any(secret in text for text in texts)), None)


def files_below(directory):
    """Paths of regular files below a directory, relative to it, in order."""
    out = []
    for folder, _, names in os.walk(directory):
        paths = [os.path.join(folder, name) for name in names]
        out += [os.path.relpath(path, directory) for path in paths if os.path.isfile(path)]
    return sorted(out)
