#!/usr/bin/env python3
"""Writes the documents that the examples read: plans of three teams, and states of 40 regions.

    make.py DIRECTORY
"""
import json
import os
import sys

PROVIDER = "registry.opentofu.org/acme/cloud"


def resource(address, values, module=None):
    name = address.rpartition(".")[2]
    return {"address": (module + "." if module else "") + address, **({"module_address": module} if module else {}),
            "mode": "managed", "type": "cloud_disk", "name": name, "provider_name": PROVIDER,
            "change": {"actions": [], "before": None, "after": values, "after_unknown": {}, "before_sensitive": False,
                       "after_sensitive": {}}}


def change(address, before, after, module=None):
    """A change between the sizes of a disk; None: there is none."""
    out = resource(address, None, module)
    sides = [None if size is None else {"class": "fast" if size > 100 else "slow", "size": size}
             for size in (before, after)]
    actions = ["create"] if before is None else ["delete"] if after is None else \
        ["update"] if before != after else ["no-op"]
    out["change"].update(actions=actions, before=sides[0], after=sides[1])
    return out


def block(address, **expressions):
    kind, _, name = address.partition(".")
    return {"address": address, "mode": "managed", "type": kind, "name": name, "provider_config_key": "cloud",
            "schema_version": 0,
            "expressions": {key: {"references": references} for key, references in expressions.items()}}


def plan(changes, providers, root):
    return {"format_version": "1.2", "terraform_version": "1.12.6", "planned_values": {"root_module": {}},
            "resource_changes": changes, "configuration": {"provider_config": providers, "root_module": root}}


def provider(constraint, module=None):
    return {"name": "cloud", "full_name": PROVIDER, "version_constraint": constraint,
            **({"module_address": module} if module else {})}


def network():
    """A network that a module takes, whose output a disk of the root reads."""
    inner = {"resources": [block("cloud_host.web", network=["var.network"]),
                           block("cloud_disk.logs", host=["cloud_host.web.id", "cloud_host.web"])],
             "outputs": {"host": {"expression": {"references": ["cloud_host.web.id", "cloud_host.web"]}}},
             "variables": {"network": {}}}
    return {"resources": [block("cloud_network.main"), block("cloud_disk.other"),
                          block("cloud_disk.root", host=["module.shop.host", "module.shop"])],
            "module_calls": {"shop": {"source": "./shop", "module": inner, "expressions": {
                "network": {"references": ["cloud_network.main.id", "cloud_network.main"]}}}}}


def state(number):
    """A region; in two of them somebody has switched the encryption of a disk."""
    values = {"id": "disk-%02d" % number, "size": 100 + number % 3, "encrypted": number not in (7, 23)}
    return {"version": 4, "terraform_version": "1.12.6", "serial": number, "lineage": "region-%02d" % number,
            "outputs": {}, "resources": [{
                "mode": "managed", "type": "cloud_disk", "name": "data", "provider": 'provider["%s"]' % PROVIDER,
                "instances": [{"schema_version": 0, "attributes": values, "sensitive_attributes": []}]}]}


def write(folder, name, document):
    path = os.path.join(folder, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        json.dump(document, file)


def main():
    folder = sys.argv[1]
    shop = [change("cloud_disk.root", 50, 200), change("cloud_disk.other", 20, 20),
            change("cloud_disk.logs", None, 40, "module.shop")]
    providers = {"cloud": provider("~> 4.2"), "module.shop:cloud": provider(">= 3.0, < 6.0", "module.shop")}
    write(folder, "plans/shop.json", plan(shop, providers, network()))
    write(folder, "plans/mail.json", plan([change("cloud_disk.mail", 300, None)], {"cloud": provider("~> 5.1")}, {}))
    write(folder, "plans/wiki.json", plan([change("cloud_disk.wiki", 10, 10)], {"cloud": provider("5.0.3")}, {}))
    for number in range(40):
        write(folder, "states/region-%02d.tfstate" % number, state(number))


if __name__ == "__main__":
    main()
