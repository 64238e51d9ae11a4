#!/usr/bin/env python3
"""Edits random worlds while `plan -watch` runs, and compares each of its rounds with a fresh plan.

  watch.py --binary PATH --mirror DIRECTORY [--seeds A-B] [--edits N] [--blocks N] [--sample N] [--figures]

What a round says (new, other, gone) is laid over what was known before; the result must be the changes of a fresh plan,
with the text of each. No round leaves a lock or writes a file. --blocks: so many more blocks, which need no provider;
--sample: only every Nth round is compared with a fresh plan. --figures prints how long it takes from a save to the text,
and how the memory grows. Without the provider the test is skipped (exit code 77).
"""
import contextlib
import fcntl
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import offline
from watching import Watch, WatchFailure
from world_directory import Failure, WorldDirectory, check, read_options

ROUND = re.compile(r"^\d\d:\d\d:\d\d ")
BLOCK = re.compile(r"^  # (\S.*?) (?:will be|must be|is tainted|has moved|will no longer)")


def key(change):
    return change.get("addr") or change["resource"]["addr"], change.get("deposed") or ""


def planned(messages):
    """What the messages of a plan say of each object."""
    return {key(m["change"]): (m["change"]["action"], m["change"].get("reason"),
                             m["change"].get("previous_resource", {}).get("addr"))
            for m in messages if m.get("type") == "planned_change" and m["change"]["action"] != "noop"}


def blocks_of(lines):
    """Address and text of each change. A round may say two things of an address: that its object has moved away, and that
    it is no longer destroyed."""
    out, is_inside = [], False
    for line in lines:
        found = BLOCK.match(line)
        if found:
            is_inside = True
            out.append((found[1], [line]))
        elif is_inside and line.startswith(" "):
            out[-1][1].append(line)
        elif is_inside and line == "":
            is_inside = out[-1][1][-1] != "    }"
        else:
            is_inside = False
    return out


def rounds_of(lines):
    """The lines of each round."""
    out = [[]]
    for line in lines:
        if ROUND.match(line):
            out.append([])
        out[-1].append(line)
    return out


class Picture:
    """What the rounds of a watch say, laid over each other."""

    def __init__(self):
        self.changes = None
        self.texts = {}
        self.planned = False
        self.lines = []

    def take(self, result, messages, lines):
        """Takes what one round says: its result, its messages, and its lines of text. Lines of the next round may be
        among them."""
        for part in rounds_of(lines):
            blocks = blocks_of(part)
            for name, block in blocks:
                if "no longer" in block[0]:
                    self.texts.pop(name, None)
            self.texts.update((name, block) for name, block in blocks if "no longer" not in block[0])
        self.lines = lines
        self.planned = result["planned"]
        if self.planned:
            self.changes = planned(messages) if self.changes is None else lay_over(self.changes, messages, result)

    def compare(self, what, here, flags):
        """Compares the picture with a fresh plan."""
        real, real_texts = fresh(here, *flags)
        check(self.planned == (real is not None), what, "only one of them has a plan; the watch:", self.planned)
        if not self.planned:
            return
        check(self.changes == real, what, "only the watch has", sorted(set(self.changes.items()) - set(real.items()), key=str),
              "only a fresh plan has", sorted(set(real.items()) - set(self.changes.items()), key=str))
        for name, block in real_texts.items():
            check(self.texts.get(name) == block, what, "text of", name, self.texts.get(name), "instead of", block)

    def agree(self, what, watch, here, flags, planned=None):
        """Compares the picture with a fresh plan, and whether there is one with `planned`. What differs may come with one
        more round: after a file that was read half written, or after a late round of an earlier save."""
        while True:
            try:
                check(planned in (None, self.planned), what, "planned:", self.planned, self.lines)
                return self.compare(what, here, flags)
            except Failure as failure:
                try:
                    result, messages = watch.next_round(10)
                except WatchFailure:
                    raise failure from None
                self.take(result, messages, watch.text())


def lay_over(known, messages, result):
    """What is planned after a round."""
    now = dict(known)
    for change in result["gone"]:
        check(now.pop(key(change), None) is not None, "gone, but was not there:", change)
    said = planned(messages)
    for change in result["new"]:
        check(key(change) not in known, "new, but was there:", change)
    for change in result["other"]:
        check(key(change) in known, "other, but was not there:", change)
    for change in result["new"] + result["other"]:
        if key(change) in said:
            now[key(change)] = said[key(change)]
    return now


def save(rng, here, name, text):
    """Saves as editors do: in place, or beside and renamed."""
    path = os.path.join(here.path, name)
    if rng.random() < 0.5:
        here.write(name, text)
    else:
        with open(path + ".new~", "w", encoding="utf-8") as file:
            file.write(text)
        os.rename(path + ".new~", path)


def fresh(here, *flags):
    """Changes and texts of a plan of its own; nothing if it fails."""
    done = here.run("plan", "-json", *flags, codes=(0, 1))
    if done.returncode:
        return None, None
    text = here.run("plan", "-no-color", *flags).stdout.splitlines()
    return planned([json.loads(line) for line in done.stdout.splitlines()]), dict(blocks_of(text))


def many_blocks(count):
    return {"many%d.tf" % part: "".join('resource "terraform_data" "m%d" {\n  input = "v%d"\n}\n' % (n, n)
                                        for n in range(part * 100, min(count, part * 100 + 100)))
            for part in range((count + 99) // 100)}


def one_world(options, seed, base):
    rng = random.Random(seed)
    path = os.path.join(base, str(seed))
    shutil.copytree(os.path.join(base, "initialized"), path, symlinks=True)
    here = WorldDirectory(options, path, XDG_CACHE_HOME=options.cache)
    blocks = []
    for index in range(rng.randrange(3, 9)):
        blocks.append(offline.block(rng, index, offline.names_of(blocks)))
    here.write("main.tf", offline.text_of(blocks))
    many = many_blocks(options.blocks)
    for name, text in many.items():
        here.write(name, text)
    here.run("apply", "-auto-approve")
    flags = rng.choice(([], [], [], ["-destroy"], ["-var", "word=other"], ["-refresh=false"], ["-refresh=changed"]))
    watch = Watch(here.binary, here.path, here.environment, *flags)
    times = []
    try:
        picture = Picture()
        result, messages = watch.next_round()
        picture.take(result, messages, watch.text())
        picture.agree("seed %d, first plan:" % seed, watch, here, flags)
        memory = None
        for number in range(options.edits):
            what = "seed %d, edit %d:" % (seed, number)
            begin = time.time()
            if many and rng.random() < 0.9:
                name = rng.choice(sorted(many))
                many[name] = re.sub(r'"v\d+(-\d+)?"', '"v%d-%d"' % (rng.randrange(9), number), many[name],
                                    count=rng.randrange(1, 4))
                save(rng, here, name, many[name])
            else:
                edited = offline.edit(rng, blocks)
                text = offline.text_of(edited)
                if rng.random() < 0.15:
                    text += rng.choice(('resource "kinutest_thing" {', 'output "o" { value = nothing.at_all }\n'))
                text += "# %d\n" % number
                save(rng, here, "main.tf", text)
            result, messages = watch.next_round()
            times.append(time.time() - begin)
            lines = watch.text()
            if os.environ.get("WATCH_DEBUG"):
                print(number, result, "\n".join(lines))
            picture.take(result, messages, lines)
            if number % options.sample == 0:
                picture.agree(what, watch, here, flags)
            if number == min(options.edits - 1, 20):
                memory = watch.memory()
        leftovers = [name for name in os.listdir(path) if "lock.info" in name]
        check(not leftovers, "locks are left:", leftovers)
        if options.figures:
            times.sort()
            print("%d edits: p50 %.0f ms, p95 %.0f ms, most %.0f ms; memory %d KiB after 20, %d KiB after all (%+.1f %%)" % (
                len(times), times[len(times) // 2] * 1000, times[int(len(times) * 0.95)] * 1000, times[-1] * 1000, memory,
                watch.memory(), (watch.memory() / memory - 1) * 100))
        watch.end()
    finally:
        watch.process.kill()
    shutil.rmtree(path)


MODULE = """variable "text" {}
resource "terraform_data" "inner" {
  input = templatefile("${path.module}/text.tftpl", { text = var.text })
}
output "text" {
  value = terraform_data.inner.input
}
"""
SCRIPT = offline.HEAD + """
resource "kinutest_thing" "a" {
  name  = "a"
  value = var.word
}
data "kinutest_lookup" "d" {
  key      = "k"
  anything = var.word
}
output "word" {
  value = var.word
}
"""


def rounds_until_quiet(watch):
    """The next round and those that follow soon, with messages and lines of text."""
    result, messages = watch.next_round()
    while True:
        yield result, messages, watch.text()
        try:
            result, messages = watch.next_round(1)
        except WatchFailure:
            if watch.process.poll() is not None:
                raise
            return


def scripted(options, base):
    """What random edits do not reach: other files, other processes, signals."""
    path = os.path.join(base, "scripted")
    shutil.copytree(os.path.join(base, "initialized"), path, symlinks=True)
    here = WorldDirectory(options, path, XDG_CACHE_HOME=options.cache)
    here.write("main.tf", "nonsense")
    watch = Watch(here.binary, here.path, here.environment)
    picture = Picture()

    def step(what, planned_now=True, **files):
        """Saves files, and compares the rounds that follow with a fresh plan."""
        for name, text in files.items():
            name = name.replace("__", "/").replace("_", ".")
            if text is None:
                os.remove(os.path.join(path, name))
            else:
                here.write(name, text)
        for result, messages, lines in rounds_until_quiet(watch):
            picture.take(result, messages, lines)
        picture.agree(what, watch, here, [], planned_now)

    try:
        step("nonsense first", planned_now=False)
        step("repaired", main_tf=SCRIPT)
        here.run("apply", "-auto-approve")
        step("an apply of somebody else")
        check(not picture.changes, "changes after an apply:", picture.changes)
        step("a file of variables", terraform_tfvars='word = "other"\n')
        check(picture.changes, "no change after another value")
        step("no such file", terraform_tfvars=None)
        step("the provider's configuration", main_tf=SCRIPT.replace('"things"', '"things2"'))
        check(picture.changes, "no object is missed elsewhere")
        step("the same as before", main_tf=SCRIPT)
        step("an empty file", main_tf=offline.HEAD)
        step("a move", main_tf=SCRIPT.replace('"a" {', '"b" {') +
             "moved {\n  from = kinutest_thing.a\n  to = kinutest_thing.b\n}\n")
        step("a move and a change", main_tf=SCRIPT.replace('"a" {', '"b" {').replace("var.word", '"z"') +
             "moved {\n  from = kinutest_thing.a\n  to = kinutest_thing.b\n}\n")
        step("no move", main_tf=SCRIPT)
        here.write("things/thing-n.json", here.read("things/thing-a.json").replace('"a"', '"n"').replace("thing-a", "thing-n"))
        step("an import", main_tf=SCRIPT + 'resource "kinutest_thing" "n" {\n  name = "n"\n}\n'
             'import {\n  to = kinutest_thing.n\n  id = "thing-n"\n}\n')
        check(any("to import" in line for line in picture.lines), "nothing is imported:", picture.lines)
        step("no import", main_tf=SCRIPT)
        os.makedirs(os.path.join(path, "m"))
        with_module = SCRIPT + 'module "m" {\n  source = "./m"\n  text = var.word\n}\n'
        step("a module that is not installed", planned_now=False, m__text_tftpl="A ${text}", m__main_tf=MODULE, main_tf=with_module)
        here.run("init")
        step("an installation")
        step("a template", m__text_tftpl="B ${text}")
        step("a file of a module", m__main_tf=MODULE + 'resource "terraform_data" "more" {}\n')
        step("a wrong attribute", planned_now=False, main_tf=with_module + 'resource "kinutest_thing" "x" {\n  nam = 1\n}\n')
        step("a refused object", planned_now=False, main_tf=with_module + 'resource "terraform_data" "x" {\n'
             '  lifecycle {\n    precondition {\n      condition = var.word == ""\n      error_message = "No."\n    }\n  }\n}\n')
        step("repaired again", main_tf=with_module)
        kill_provider(watch)
        step("a provider that died", main_tf=with_module + 'resource "kinutest_thing" "y" {\n  name = "y"\n}\n')
        with locked(path):
            # A file with another time alone tells nobody: it must be written.
            here.write(".terraform.lock.hcl", here.read(".terraform.lock.hcl"))
            step("a lock of somebody else", planned_now=False)
        step("the lock is released", main_tf=with_module)
        check(not [name for name in os.listdir(path) if "lock.info" in name], "locks are left")
        watch.end()
    finally:
        watch.process.kill()


def kill_provider(watch):
    """Ends the processes of providers, as the system does when there is no memory."""
    with open("/proc/%d/task/%d/children" % (watch.process.pid, watch.process.pid), encoding="ascii") as file:
        children = file.read().split()
    for task in os.listdir("/proc/%d/task" % watch.process.pid):
        with open("/proc/%d/task/%s/children" % (watch.process.pid, task), encoding="ascii") as file:
            children += file.read().split()
    check(children, "no provider runs")
    for child in set(children):
        os.kill(int(child), signal.SIGKILL)


@contextlib.contextmanager
def locked(path):
    """Holds the lock of the state, as OpenTofu does."""
    with open(os.path.join(path, "terraform.tfstate"), "r+b") as file:
        fcntl.lockf(file, fcntl.LOCK_EX)
        yield


def ends_without_reader(options, base):
    """A watch whose reader is gone ends by itself."""
    path = os.path.join(base, "unread")
    shutil.copytree(os.path.join(base, "initialized"), path, symlinks=True)
    here = WorldDirectory(options, path, XDG_CACHE_HOME=options.cache)
    watch = subprocess.Popen([here.binary, "plan", "-watch"], cwd=path, env=here.environment, stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    try:
        while b"Watching" not in watch.stdout.readline():
            check(watch.poll() is None, "it has ended")
        watch.stdout.close()
        watch.wait(30)
    finally:
        watch.kill()


def refuses(options, base):
    """What makes no sense is refused, and nothing is watched."""
    path = os.path.join(base, "refused")
    shutil.copytree(os.path.join(base, "initialized"), path, symlinks=True)
    here = WorldDirectory(options, path, XDG_CACHE_HOME=options.cache)
    for flag in ("-out=p", "-detailed-exitcode", "-refresh-only", "-offline", "-summary", "-risks", "-actions=create",
                 "-generate-config-out=g.tf", "-var-file=/dev/stdin"):
        done = here.run("plan", "-watch", flag, codes=(1,))
        check("-watch" in done.stderr + done.stdout, flag, done.stderr)


def options_of():
    extra = {"--edits": 12, "--blocks": 0, "--sample": 1}
    words = sys.argv[1:]
    values = {}
    for name, default in extra.items():
        values[name[2:]] = default
        if name in words:
            at = words.index(name)
            values[name[2:]] = int(words[at + 1])
            del words[at:at + 2]
    sys.argv[1:] = words
    options = read_options(__doc__, "1-6", "--figures")
    for name, value in values.items():
        setattr(options, name, value)
    return options


def main():
    options = options_of()
    with tempfile.TemporaryDirectory() as base:
        options.cache = os.path.join(base, "cache")
        first = WorldDirectory(options, os.path.join(base, "initialized"), XDG_CACHE_HOME=options.cache)
        os.makedirs(os.path.join(first.path, "things"))
        first.write("main.tf", offline.HEAD)
        first.run("init")
        try:
            refuses(options, base)
            ends_without_reader(options, base)
            scripted(options, base)
        except (Failure, WatchFailure) as failure:
            print("watch: %s" % failure)
            return 1
        for seed in range(options.first, options.last + 1):
            try:
                one_world(options, seed, base)
            except (Failure, WatchFailure) as failure:
                print("seed %d: %s" % (seed, failure))
                return 1
    print("%d worlds" % (options.last - options.first + 1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
