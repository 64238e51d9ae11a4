#!/usr/bin/env python3
"""Makes random plans, and compares their risks with what a second reading of their documents finds.

  risks.py --binary PATH --mirror DIRECTORY [--seeds A-B]

Objects of the tests' provider are changed at random: removed, renamed, made visible, read with a state of another provider
or of an older version. The risks of `plan -risks`, of its plan file and of the document of it agree, as far as a document
knows; the flag changes neither the state nor the plan nor what else is printed, and no secret is shown. Without the
provider the test is skipped (exit code 77).
"""
import json
import os
import random
import re
import sys
import tempfile
import zipfile

from world_directory import WorldDirectory, check, read_options

HEAD = """terraform {
  required_providers {
    kinutest = { source = "kinu/kinutest" }
  }
}
provider "kinutest" {
  directory = "things"
}
"""
RULES = """data_types = ["kinutest_thing"]
many       = 3
ignore "kinutest_thing.many[1]" {
  rules  = ["data-deleted", "data-replaced"]
  reason = "empty"
}
"""
BLOCK = """resource "kinutest_thing" "%s" {
  %s
  name  = "%s"
  value = %s
  lifecycle {
    %s
  }
}
"""
NAMES = ("a", "b", "c", "many")


class Block:
    """A block of the configuration, before or after an edit."""

    def __init__(self, rng, name):
        self.name = name
        self.kept = True
        self.suffix = ""
        self.sensitive = rng.random() < 0.5
        self.prevents = "# nothing"

    def edit(self, rng):
        self.kept = rng.random() < 0.8
        self.suffix = rng.choice(("", "", "-renamed"))
        self.sensitive = self.sensitive and rng.random() < 0.5
        self.prevents = rng.choice(("# nothing", "prevent_destroy = false"))

    def text(self):
        if not self.kept:
            return ""
        many = self.name == "many"
        value = '"top-secret-%s"' % self.name
        return BLOCK % (self.name, "count = 3" if many else "", self.name + self.suffix + ("-${count.index}" if many else ""),
                        "sensitive(%s)" % value if self.sensitive else value, self.prevents)


def configuration(blocks, output):
    visible = "sensitive = true" if output else "# visible"
    return HEAD + "".join(block.text() for block in blocks) + 'output "o" {\n  value = "top-secret-o"\n  %s\n}\n' % visible


def age(here, rng):
    """Gives objects of the state an older schema or another provider. Returns (versions, providers): addresses of them."""
    state = json.loads(here.read("terraform.tfstate"))
    versions, providers = set(), set()
    for resource in state["resources"]:
        other = rng.random() < 0.2
        if other:
            resource["provider"] = 'provider["registry.opentofu.org/old/kinutest"]'
        for instance in resource["instances"]:
            key = instance.get("index_key")
            address = "%s.%s" % (resource["type"], resource["name"]) + ("[%d]" % key if key is not None else "")
            if other:
                providers.add(address)
            elif rng.random() < 0.3:
                instance["schema_version"] = 1
                instance["attributes"] = {"id": instance["attributes"]["id"], "title": instance["attributes"]["name"]}
                instance["sensitive_attributes"] = []
                versions.add(address)
    here.write("terraform.tfstate", json.dumps(state, indent=2))
    return versions, providers


def spread(risks):
    """(rule, address) of each risk."""
    return {(risk["rule"], address) for risk in risks for address in risk["addresses"] or [""]}


def expected(document, versions, providers, revealed_output):
    """What the document of the plan says, read once more."""
    out, destroyed, objects = set(), 0, 0
    for entry in document["resource_changes"]:
        change, address = entry["change"], entry["address"]
        actions, before, after = change["actions"], change["before"], change["after"]
        objects += before is not None
        if "delete" in actions:
            destroyed += 1
            out.add(("data-deleted" if actions == ["delete"] else "data-replaced", address))
        if actions == ["create"]:
            out.add(("no-prevent-destroy", address))
        was = isinstance(change["before_sensitive"], dict) and change["before_sensitive"].get("value") is True
        still = isinstance(change["after_sensitive"], dict) and change["after_sensitive"].get("value") is True
        if was and after is not None and not still:
            out.add(("secret-visible", address))
        if address in versions:
            out.add(("provider-version-changed", address))
        if address in providers:
            out.add(("provider-changed", address))
    if destroyed >= 3 or (destroyed >= 5 and destroyed * 2 >= objects):
        out.add(("many-deleted", ""))
    if revealed_output:
        out.add(("secret-visible", "output.o"))
    return out


def parts_of(path):
    """The parts of a plan file that have no time in them."""
    with zipfile.ZipFile(path) as file:
        return {name: file.read(name) for name in file.namelist() if name != "tfplan"}


def without_time(text):
    return re.sub(r'"timestamp":"[^"]*"', "", text)


def unchanged(here, seed, flags):
    """What the flag must leave alone. Returns the risks of the plan."""
    state = here.read("terraform.tfstate")
    plain = here.run("plan", "-no-color", "-detailed-exitcode", "-out=plain", *flags, codes=(0, 2))
    with_risks = here.run("plan", "-no-color", "-detailed-exitcode", "-risks=r.hcl", "-out=risky", *flags, codes=(0, 2))
    check(here.read("terraform.tfstate") == state, seed, "the state has changed")
    check(plain.returncode == with_risks.returncode, seed, "another exit code")
    before, _, rest = with_risks.stdout.partition("\nRisks: ")
    check(rest, seed, "no risks", with_risks.stdout)
    note = plain.stdout.find("\n─")
    check(sorted(plain.stdout[:note if note >= 0 else None].rstrip().splitlines()) == sorted(before.rstrip().splitlines()),
          seed, "another text")
    plain_parts, risky_parts = (parts_of(os.path.join(here.path, name)) for name in ("plain", "risky"))
    check(plain_parts == risky_parts, seed, "another plan file")
    documents = [here.run("show", "-json", name).stdout for name in ("plain", "risky")]
    check(without_time(documents[0]) == without_time(documents[1]), seed, "another plan")
    messages = [json.loads(line) for line in here.run("plan", "-json", "-risks=r.hcl", *flags).stdout.splitlines()]
    told = [message for message in messages if message.get("type") == "risks"]
    check(len(told) == 1 and "top-secret" not in json.dumps(told), seed, "messages", told)
    return told[0]["risks"], documents[1]


def one_world(options, seed, base):
    rng = random.Random(seed)
    path = os.path.join(base, str(seed))
    os.makedirs(os.path.join(path, "things"))
    here = WorldDirectory(options, path)
    here.write("r.hcl", RULES)
    blocks = [Block(rng, name) for name in NAMES if rng.random() < 0.9]
    output = rng.random() < 0.7
    here.write("main.tf", configuration(blocks, output))
    here.run("init")
    here.run("apply", "-auto-approve")
    versions, providers = age(here, rng)
    flags = ["-destroy"] if rng.random() < 0.2 else []
    for block in blocks:
        block.edit(rng)
        if "kinutest_thing." + block.name in {a.split("[")[0] for a in providers}:
            block.kept = True  # the other provider could not destroy it
    blocks += [Block(rng, "new")] if rng.random() < 0.5 else []
    if flags:
        blocks = [block for block in blocks if block.kept]
    stays = output and rng.random() < 0.5
    here.write("main.tf", configuration(blocks, stays))
    here.run("init")  # the other provider
    risks, text = unchanged(here, seed, flags)
    document = json.loads(text)
    want = expected(document, versions, providers, output and not stays and not flags)
    check(spread(risks) == want, seed, "risks", sorted(spread(risks) ^ want), text)
    for risk in risks:
        check(("ignored" in risk) == (risk["addresses"] == ["kinutest_thing.many[1]"] and risk["rule"].startswith("data-")),
              seed, "ignored", risk)
    saved = here.run("show", "-risks=r.hcl", "-json", "risky").stdout
    check(json.loads(saved)["risks"] == risks, seed, "the plan file has other risks")
    here.write("d.json", text)
    of_document = json.loads(here.run("show", "-risks=r.hcl", "-json", "d.json").stdout)["risks"]
    unknown = {"no-prevent-destroy", "provider-changed", "provider-version-changed"}
    check(spread(of_document) == {pair for pair in want if pair[0] not in unknown}, seed,
          "the document has other risks", sorted(spread(of_document) ^ want))
    for form in ("text", "tree", "markdown", "json"):
        shown = here.run("show", "-risks=r.hcl", "-summary=" + form, "risky").stdout
        check("top-secret" not in shown and (not want or "many-deleted" in shown or ("many-deleted", "") not in want),
              seed, form, shown)
    for name in ("risky", "d.json"):
        page = here.run("show", "-risks=r.hcl", "-html", name).stdout
        check('"risks":[' in page and ('"rule":"many-deleted"' in page) == (("many-deleted", "") in want), seed, "report", name)
        check('"risks":[' not in here.run("show", "-html", name).stdout, seed, "report without the flag", name)
    return len(want)


def main():
    options = read_options(__doc__, "1-16")
    with tempfile.TemporaryDirectory(prefix="risks-") as base:
        given = os.path.join(options.mirror, "registry.opentofu.org", "kinu", "kinutest")
        for namespace in ("kinu", "old"):
            for version in os.listdir(given):
                for platform in os.listdir(os.path.join(given, version)):
                    folder = os.path.join(base, "mirror", "registry.opentofu.org", namespace, "kinutest", version)
                    os.makedirs(folder, exist_ok=True)
                    os.symlink(os.path.join(given, version, platform), os.path.join(folder, platform))
        options.mirror = os.path.join(base, "mirror")
        found = [one_world(options, seed, base) for seed in range(options.first, options.last + 1)]
    check(sum(found) > 0, "no world has a risk")
    print("risks: %d worlds, %d risks" % (len(found), sum(found)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
