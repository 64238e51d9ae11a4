"""Cases for programs of another processor: the recordings are of linux_amd64.

In a case that such a program runs, its platform and that of the recordings have each other's names, in what the case lays
down as well as in what it expects; and so have the hashes of the packages that the registry of tests has for both.

An emulator is slow: what a program says of an object every ten seconds is left out where the recording has nothing of it.
"""
import functools
import hashlib
import os
import re
import sys

RECORDED = "linux_amd64"
HASH = re.compile(r"(?:h1|zh):[A-Za-z0-9+/=]{44,64}")
# Lines of a lock file, which stand in their order.
HASHES = re.compile(r'(?:^ +"(?:h1|zh):[^"]*",\n)+', re.M)
# In text for people, and as a message of JSON.
PROGRESS = re.compile(r'^(?:\S.*: Still [a-z]+\.\.\. \[.*elapsed\]|\{.*"type":"(?:apply|ephemeral_op)_progress".*\})\n', re.M)
SERVERS = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "servers")


@functools.cache
def hashes(platform):
    """The hashes of packages for the platform of the recordings by those for another one, and the other way round."""
    sys.path.insert(0, SERVERS)
    import registry  # noqa: E402
    pairs = {}
    for name, provider in registry.PROVIDERS.items():
        if name == "notzip" or not {RECORDED, platform} <= set(provider.get("platforms", registry.PLATFORMS)):
            continue
        for version in provider["versions"]:
            packages = [registry.package(name, version, each) for each in (RECORDED, platform)]
            for hash_of in (registry.hash_zip, lambda data: "zh:" + hashlib.sha256(data).hexdigest()):
                first, second = map(hash_of, packages)
                pairs[first], pairs[second] = second, first
    return pairs


def without_progress(text, recorded):
    """What a slow program printed, without its messages about what is not done yet, if the recording has none."""
    return text if "Still " in recorded or "_progress" in recorded else PROGRESS.sub("", text)


def renamed(value, platform):
    """A part of a case as a program for the platform should have it."""
    if isinstance(value, str):
        for separator in "_/":
            one, other = (name.replace("_", separator) for name in (RECORDED, platform))
            value = other.join(each.replace(other, one) for each in value.split(one))
        value = HASH.sub(lambda match: hashes(platform).get(match[0], match[0]), value)
        return HASHES.sub(lambda match: "".join(sorted(match[0].splitlines(True))), value)
    if isinstance(value, list):
        return [renamed(each, platform) for each in value]
    if isinstance(value, dict):
        return {renamed(key, platform): renamed(each, platform) for key, each in value.items()}
    return value
