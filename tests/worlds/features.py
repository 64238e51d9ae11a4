"""What a configuration has beside its objects: settings, refactorings, imports, checks, forms of files, tests."""
import os
import re

import module_tests
import sources
from blocks import Block, Name, variable_file
from modules import keys_of
from objects import META, RESULTS


def pem(kind):
    """The certificate or the key of the tests' servers."""
    with open(os.path.join(sources.ROOT, "tests", "servers", "loopback.pem"), encoding="utf-8") as file:
        return re.search(r"-----BEGIN %s-----.*?-----END %s-----\n" % (kind, kind), file.read(), re.S).group(0)


CERTIFICATE, PRIVATE_KEY = pem("CERTIFICATE"), pem("PRIVATE KEY")
CERTIFICATES = (("client_ca_certificate_pem", CERTIFICATE), ("client_certificate_pem", CERTIFICATE), ("client_private_key_pem", PRIVATE_KEY))


# --- terraform and language blocks ---

def backend_block(config):
    use, kind = config.choice.use, config.backend
    block = Block("backend", kind, prefix="setting " + kind)
    if kind == "local":
        if use("setting local.path", 0.6):
            block.set("path", config.choice.pick(("kept.tfstate", "sub/kept.tfstate")))
        if use("setting local.workspace_dir", 0.3):
            block.set("workspace_dir", "spaces")
    elif kind == "http":
        place = config.choice.odd(("s",), ("auth", "locked", "getstatus/500", "text", "conflict", "nocontent"), 0.6)
        address = "{HTTP_STATE}/%s/one" % place
        block.set("address", address)
        if use("setting http.lock_address", 0.5) or "setting http.unlock_address" in config.choice.focus:
            block.set("lock_address", address)
            if use("setting http.unlock_address", 0.9) or not config.choice.reckless:
                block.set("unlock_address", address)
        block.set("retry_max", 0)
        for name, chance, value in (("update_method", 0.15, "PUT"), ("lock_method", 0.1, "LOCK"), ("unlock_method", 0.1, "UNLOCK"),
                                    ("username", 0.2, "user"), ("password", 0.2, "secret"), ("headers", 0.15, {"X-One": "1"}),
                                    ("retry_wait_min", 0.1, 1), ("retry_wait_max", 0.1, 1), ("skip_cert_verification", 0.1, True)):
            if use("setting http." + name, chance):
                block.set(name, value)
        certificates(config, block)
    elif kind == "s3":
        add_s3(config, block)
    elif kind == "pg":
        add_pg(config, block)
    elif use("setting inmem.lock_id", 0.3):
        block.set("lock_id", "one")
    return block


def add_s3(config, block):
    """Settings of the backend `s3`, whose service is on this machine."""
    use, pick, odd = config.choice.use, config.choice.pick, config.choice.odd
    block.set("bucket", "states").set("key", odd(("one", "dir/one"), ("/one", "one/"), 0.3)).set("region", odd(("us-east-1",), ("nowhere",)))
    block.set("force_path_style" if use("setting s3.force_path_style", 0.05) else "use_path_style", True)
    if use("setting s3.endpoint", 0.1):
        block.set("endpoint", "{S3_STATE}")
    else:
        block.set("endpoints", {"s3": "{S3_STATE}"})
    for name in ("skip_credentials_validation", "skip_requesting_account_id"):
        block.set(name, True)
    for name, chance, value in (("use_lockfile", 0.5, pick((True, True, False))), ("workspace_key_prefix", 0.2, odd(("spaces",), ("/x",))),
                                ("skip_metadata_api_check", 0.3, True), ("skip_region_validation", 0.2, True), ("skip_s3_checksum", 0.2, True),
                                ("acl", 0.1, "private"), ("encrypt", 0.15, pick((True, False))), ("insecure", 0.1, True),
                                ("max_retries", 0.2, odd((1,), (-1,))), ("retry_mode", 0.15, odd(("standard", "adaptive"), ("nope",))),
                                ("state_tags", 0.15, {"a": "b"}), ("lock_tags", 0.15, {"c": "d e"}),
                                ("sse_customer_key", 0.1, odd(("MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=",), ("c2hvcnQ=",), 0.4))):
        if use("setting s3." + name, chance):
            block.set(name, value)
    if use("setting s3.access_key", 0.3) or use("setting s3.secret_key", 0.3):
        block.set("access_key", "t").set("secret_key", "t")
    if "sse_customer_key" in block.arguments:
        block.set("encrypt", True)


def add_pg(config, block):
    """Settings of the backend `pg`, whose PostgreSQL is on this machine."""
    use, odd = config.choice.use, config.choice.odd
    block.set("conn_str", odd(("{PG_STATE}",), ("postgres://postgres@127.0.0.1:1/postgres?sslmode=disable", "nope"), 0.1))
    for name, chance, value in (("schema_name", 0.4, odd(("spaces", "with space"), ("pg_reserved", ""), 0.3)),
                                ("table_name", 0.2, odd(("kept", "Kept"), ("",), 0.3)), ("index_name", 0.2, odd(("by name",), ("",), 0.3)),
                                ("skip_schema_creation", 0.1, odd((False,), (True,), 0.5)), ("skip_table_creation", 0.1, odd((False,), (True,), 0.5)),
                                ("skip_index_creation", 0.15, True)):
        if use("setting pg." + name, chance):
            block.set(name, value)


def certificates(config, block):
    """Certificates, of which a calm world has good ones."""
    for name, value in CERTIFICATES:
        if config.choice.use("setting http." + name, 0.03):
            block.set(name, config.choice.odd((value,), ("none",), 0.6))
    pair = CERTIFICATES[1:]
    if not config.choice.reckless and any(name in block.arguments for name, _ in pair):
        block.arguments.update(pair)


def encryption_body(config):
    """The blocks of an `encryption` block, which seals with a key that costs nothing."""
    pick, use = config.choice.pick, config.choice.use
    out = [Block("key_provider", "external", "k", prefix="encryption.key_provider").set("command", ["sh", "keys", pick(("k", "l"))])]
    if use("argument encryption.key_provider.encrypted_metadata_alias", 0.1):
        out[0].set("encrypted_metadata_alias", "one")
    out.append(Block("method", "aes_gcm", "m", prefix="encryption.method").set("keys", Name("key_provider.external.k")))
    out.append(Block("method", "unencrypted", "u", prefix="encryption.method"))
    sealed, clear = Name("method.aes_gcm.m"), Name("method.unencrypted.u")
    methods = (sealed, sealed, clear)
    for name, chance in (("state", 0.8), ("plan", 0.5)):
        if use("block encryption." + name, chance):
            target = Block(name, prefix="encryption.enforceable").set("method", pick(methods))
            if use("argument encryption.enforceable.enforced", 0.2):
                target.set("enforced", config.choice.odd((sealed == target.arguments["method"], False), (True,)))
            if use("block encryption.target.fallback", 0.6) and (config.choice.reckless or not target.arguments.get("enforced")):
                target.add(Block("fallback", prefix="encryption.target")).set("method", config.choice.odd(
                    (clear if sealed == target.arguments["method"] else sealed,), methods))
            out.append(target)
    if use("block encryption.remote_state_data_sources", 0.15):
        remote = Block("remote_state_data_sources", prefix="encryption.remote")
        remote.add(Block("default", prefix="encryption.target")).set("method", config.choice.odd((clear,), methods, 1.0))
        if use("block encryption.remote.remote_state_data_source", 0.4):
            remote.add(Block("remote_state_data_source", "d1", prefix="encryption.target")).set("method", config.choice.odd((clear,), methods, 1.0))
        out.append(remote)
    return out


def add_settings(config, encryption):
    use, root, pick = config.choice.use, config.root, config.choice.pick
    odd = lambda good, bad: config.choice.odd((good,), (bad,), 0.5)
    blocks = []
    if config.backend:
        blocks.append(backend_block(config))
    if encryption == "block":
        inner = Block("encryption")
        inner.blocks = encryption_body(config)
        blocks.append(inner)
    if config.provider and use("block terraform.provider_meta", 0.04):
        blocks.append(Block("provider_meta", "kinutest").set("a", "b"))
    for inner in blocks:
        root.add(Block("terraform")).block.add(inner)
    for name, chance, values in (("required_version", 0.12, (">= 1.0", "~> 1.12", "< 99", odd(">= 1", ">= 99"))),
                                 ("experiments", 0.02, ([], odd([], [Name("nope")]))), ("language", 0.02, (Name("TF2021"), odd(Name("TF2021"), Name("nope"))))):
        if use("argument terraform." + name, chance):
            root.add(Block("terraform").set(name, pick(values)))
    if use("block file.language", 0.05):
        block = root.add(Block("language")).block
        for name, value in (("edition", Name("tofu2024")), ("experiments", [])):
            if use("argument language." + name, 0.4):
                block.set(name, value)
        if use("block language.compatible_with", 0.6):
            block.add(Block("compatible_with", prefix="language.compatible")).set("opentofu", pick((">= 1.12", odd(">= 1", ">= 99"), "~> 1.12.0")))


# --- Blocks about objects ---

def add_relations(config):
    use, pick = config.choice.use, config.choice.pick
    if use("block file.check", 0.2):
        add_check(config)
    if use("block file.import", 0.12):
        add_import(config)
    if use("block file.moved", 0.08):
        target = pick(config.resources())
        config.root.add(Block("moved").set("from", Name(pick((target.address + "_old", "module.gone.%s" % target.address))))
                        .set("to", Name(target.address)))
    if use("block file.removed", 0.08):
        add_removed(config, "terraform_data.gone")


def add_check(config):
    root, make = config.root, config.root.make
    block = Block("check", config.name("c"))
    own = make.make("string", clear=True) if config.choice.reckless else None
    if config.choice.use("block check.data", 0.4):
        kind, name = "kinutest_lookup" if config.provider else "terraform_remote_state", config.name("d")
        inner, _, _ = root.objects.object("nested", kind, name, root.own_addresses())
        own = own or "data.%s.%s.%s" % (kind, name, RESULTS[kind][0][0])
        block.add(inner)
    for _ in range(config.choice.pick((1, 1, 2))):
        block.add(root.objects.condition("assert", own))
    root.add(block)


def importable(config):
    """(part, address) of the instances that an import block can name and that none names yet."""
    taken = {str(part.block.arguments.get("to")) for part in config.root.found("import")}
    return [(part, address) for part in config.resources() for address in part.instances()
            if address not in taken and part.address + "[each.key]" not in taken]


def add_import(config):
    use, pick, root = config.choice.use, config.choice.pick, config.root
    found = importable(config)
    if config.choice.reckless or not found:
        if not config.choice.reckless:
            return
        target = pick(config.resources())
        address = target.instance()
    else:
        wanted = [pair for pair in found if pair[0].block.labels[0] == "kinutest_entry"] if config.choice.wants("argument import.identity") else []
        target, address = pick(wanted or found)
    block = Block("import").set("to", Name(address))
    if target.block.labels[0] == "kinutest_entry" and use("argument import.identity", 0.6):
        block.set("identity", {"name": "imported"})
    else:
        block.set("id", config.choice.odd(("imported", "second"), ("missing", root.make.value("string", clear=True)), 0.6))
    keys = keys_of(target.block) or []
    if (config.choice.reckless or target.repeated == "for_each" and keys) and use("argument import.for_each", 0.3):
        block.set("for_each", {keys[0] if keys and keys[0] else "a": "imported"})
        block.set("to", Name(target.address + "[each.key]"))
    provider = target.block.arguments.get("provider")
    if root.aliases and use("argument import.provider", 0.3) and (config.choice.reckless or provider):
        block.set("provider", Name(pick(root.aliases) if config.choice.reckless else provider))
    root.add(block)


def add_removed(config, address):
    block = Block("removed").set("from", Name(address))
    if config.choice.use("argument removed.lifecycle.destroy", 0.7):
        block.add(Block("lifecycle", prefix="removed.lifecycle")).set("destroy", config.choice.pick((True, False)))
    if config.choice.use("block removed.provisioner", 0.15):
        inner = block.add(config.root.objects.provisioner(destroy=True))
        if not config.choice.reckless:
            inner.set("when", Name("destroy"))
    config.root.add(block)


# --- Forms of files ---

def add_forms(config):
    use, pick, root = config.choice.use, config.choice.pick, config.root
    add_values(config)
    if use("form override", 0.12):
        add_override(config)
    if use("form tofu twin", 0.06):
        name = pick(("main", "more"))
        for part in root.parts:
            if part.file == name + ".tf":
                part.file = name + ".tofu"
        config.extra[name + ".tf"] = pick(("this is no configuration\n", 'output "twin" {\n  value = 1\n}\n'))
    for form, chance in (("form bom", 0.05), ("form crlf", 0.06), ("form no newline", 0.05), ("form comment", 0.1)):
        if use(form, chance):
            config.forms[config.choice.odd(("main.tf", "more.tf", "terraform.tfvars"), ("data.tf.json",), 0.25)] = form
    if use("form link file", 0.05):
        config.extra["real/linked.txt"] = 'output "linked" {\n  value = "l"\n}\n'
        config.links["linked.tf"] = "real/linked.txt"
    if use("form other files", 0.1):
        config.extra.update({"README.md": "text\n", ".hidden.tf": "nonsense", "x.tf~": "nonsense", "sub/more.tf": "locals {}\n"})
    if use("form test file", 0.3):
        module_tests.add(config)


def add_values(config):
    """Gives values to variables: files that are read by themselves, and given.tfvars, which -var-file names."""
    use, pick, make = config.choice.use, config.choice.pick, config.root.make
    places = [("form tfvars", "terraform.tfvars"), ("form auto tfvars", "x.auto.tfvars"),
              ("form tfvars json", "terraform.tfvars.json"), ("form auto tfvars json", "y.auto.tfvars.json")]
    values = {}
    for variable in config.root.variables:
        if variable.default is None and config.choice.odd((1,), (0,)) or pick(range(4)) == 0:
            wanted = [place for place in places if place[0] in config.choice.focus and place not in values]
            values.setdefault(pick(wanted or places), {})[variable.name] = make.literal(variable.kind)
    for form, name in places:
        if use(form, 0.03):
            values.setdefault((form, name), {})["undeclared"] = 1  # which is worth a warning
    for (form, name), found in values.items():
        config.choice.taken.add(form)
        config.extra[name] = variable_file(name, found)
    config.extra["given.tfvars"] = variable_file("given.tfvars", {
        variable.name: make.literal(variable.kind) for variable in config.root.variables if pick((0, 1))})


def add_override(config):
    """A file that overrides one or two blocks of the root."""
    use, pick, make = config.choice.use, config.choice.pick, config.root.make
    changed = []
    kinds = {variable.name: variable.kind for variable in config.root.variables}
    parts = [part for part in config.root.parts if config.choice.reckless or part.block.kind in ("variable", "output", "resource")]
    for part in config.choice.random.sample(parts, min(2, len(parts))):
        block = Block(part.block.kind, *part.block.labels, prefix=part.block.prefix)
        if block.kind == "terraform" and part.block.blocks:
            block.blocks = [Block(inner.kind, *inner.labels, prefix=inner.prefix) for inner in part.block.blocks]
            for inner, other in zip(block.blocks, part.block.blocks):
                inner.arguments = dict(list(other.arguments.items())[:1])
                inner.blocks = other.blocks[:1]
        elif block.kind in ("variable",):
            block.set("default", make.literal(config.choice.odd((kinds.get(block.labels[0], "string"),), ("string", "number", "list"), 0.5)))
        elif block.kind in ("output",):
            block.set("value", make.value("any", clear=True))
        elif block.kind in ("resource", "data"):
            names = [name for name in part.block.arguments if config.choice.reckless or name not in META] or ["input"]
            name = pick(names)
            block.set(name, make.value("string") if config.choice.reckless else part.block.arguments.get(name, "given"))
            if block.kind == "resource" and pick((0, 0, 1)):
                block.add(Block("lifecycle", prefix="resource_parts.lifecycle")).set("create_before_destroy", True)
        elif part.block.arguments:
            name, value = pick(sorted(part.block.arguments.items(), key=lambda pair: pair[0]))
            block.set(name, value)
        changed.append(block)
    name = pick(("override.tf", "x_override.tf", "override.tf.json", "x_override.tofu"))
    if name.endswith(".json"):
        use("form override json", 1)
    config.extra[name] = changed
