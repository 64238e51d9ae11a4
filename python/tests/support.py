"""What the tests share."""

import importlib
import json
import os
import shutil
import signal
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.normpath(os.path.join(HERE, "..", ".."))
EXAMPLES = os.path.join(ROOT, "docs", "examples")
#: Plan files that OpenTofu wrote.
PLANS = os.path.join(ROOT, "tests", "golden", "plan")

# A shell has processes in the background ignore interrupts, and so do those that the tests start.
signal.signal(signal.SIGINT, signal.default_int_handler)


def installed(*names):
    """The modules, or None where one of them is not installed."""
    try:
        return [importlib.import_module(name) for name in names]
    except ImportError:
        return None


def program():
    """The program that fleets run: KINU_PROGRAM, that of PATH, or that of a build of this tree; None without one."""
    builds = [os.path.join(ROOT, "build", preset, "src", "cli", "kinu") for preset in ("release", "dev")]
    for place in [os.environ.get("KINU_PROGRAM"), shutil.which("kinu"), *builds, shutil.which("tofu")]:
        if place and os.access(place, os.X_OK):
            return os.path.abspath(place)
    return None


def state(count, serial=1, **attributes):
    """A state file with instances of a resource, each of which has a sensitive attribute."""
    return json.dumps({"version": 4, "terraform_version": "1.12.6", "serial": serial, "lineage": "l", "outputs": {},
                       "resources": [{"mode": "managed", "type": "t", "name": "n", "provider": "p", "instances": [
                           {"index_key": i, "schema_version": 0,
                            "attributes": {"id": str(i), "secret": "hidden-%d" % i, **attributes},
                            "sensitive_attributes": [[{"type": "get_attr", "value": "secret"}]]}
                           for i in range(count)]}]}).encode()


def write(folder, name, text):
    """A file, and the directories that it needs. Returns its path."""
    path = os.path.join(folder, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(text if isinstance(text, bytes) else text.encode())
    return path


def processes():
    """{id: (parent, command)} of all processes."""
    found = {}
    for name in os.listdir("/proc") if sys.platform == "linux" else ():
        try:
            with open("/proc/%s/stat" % name, encoding="utf-8", errors="replace") as file:
                parent = int(file.read().rpartition(")")[2].split()[1])
            with open("/proc/%s/cmdline" % name, encoding="utf-8", errors="replace") as file:
                found[int(name)] = parent, file.read().replace("\0", " ")
        except (OSError, ValueError, IndexError):
            continue
    return found


def descendants(words):
    """The processes below this one whose commands have these words."""
    known = processes()

    def is_below(process):
        while process in known and process != os.getpid():
            process = known[process][0]
        return process == os.getpid()

    return [process for process, (_, command) in known.items()
            if words in command and process != os.getpid() and is_below(process)]
