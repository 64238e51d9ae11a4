"""Rows that lead to an error wherever they are, which only reckless worlds have, and rows that need others."""

# {row: why a step that has it fails}
ROWS = {
    "block module_call._": "is reserved", "block module_call.locals": "is reserved", "block module_call.provider": "is reserved",
    "block provider._": "is reserved", "block provider.lifecycle": "is reserved", "block provider.locals": "is reserved",
    "block provisioner._": "is reserved", "block provisioner.lifecycle": "is reserved",
    "block resource_parts.resource._": "is reserved", "block resource_parts.resource.locals": "is reserved",
    "block resource_parts.data._": "is reserved", "block resource_parts.data.locals": "is reserved",
    "block output.postcondition": "is not allowed", "block terraform.provider_meta": "is for providers that have such a schema",
    "argument provider.count": "is reserved", "argument provider.depends_on": "is reserved", "argument provider.source": "is reserved",
    "argument module_call.version": "needs a registry", "argument module_test_file.module.version": "needs a registry",
    "setting inmem.lock_id": "locks the state for ever",
    "flag init -cloud": "needs a service", "flag init -from-module": "needs an empty directory",
    "flag providers lock -net-mirror": "needs a network", "flag show -plan": "needs a plan",
    "attribute terraform_data.store": "is one of kinu's own", "flag console -json": "is not allowed",
    "block file.required_providers": "belongs into a block of settings",
    "flag destroy -destroy": "is always meant", "flag destroy -refresh-only": "cannot be", "flag destroy -replace": "cannot be",
    "flag refresh -destroy": "cannot be", "flag refresh -refresh-only": "is always meant", "flag refresh -replace": "cannot be",
    "flag refresh -refresh": "cannot be",
    "command login": "needs a terminal", "command workspace": "only shows help", "command force-unlock": "needs a lock",
}


def always_fails(row):
    """Whether no step that has this row succeeds."""
    return row in ROWS or row.startswith("fault ") or row.startswith("flag ") and "command " + row[5:].rpartition(" -")[0] in ROWS


# Rows that begin so exist only where another row is. The first one that fits counts.
NEEDS = (
    ("argument module_call.providers", ("block file.module", "argument provider.alias", "block file.provider")),
    ("argument module_call.", ("block file.module",)), ("block module_call.", ("block file.module",)),
    ("form link module", ("block file.module",)), ("feature nested modules", ("block file.module",)),
    ("argument import.provider", ("block file.import", "block file.provider", "argument provider.alias")),
    ("argument import.identity", ("block file.import", "attribute kinutest_entry.region")), ("argument import.", ("block file.import",)),
    ("argument moved.", ("block file.moved",)), ("argument removed.", ("block file.removed",)), ("block removed.", ("block file.removed",)),
    ("argument provider.for_each", ("block file.provider", "argument provider.alias")), ("argument provider.", ("block file.provider",)),
    ("argument resource_parts.provider", ("block file.provider", "argument provider.alias")),
    ("argument provisioner.", ("block resource_parts.resource.provisioner",)), ("block provisioner.", ("block resource_parts.resource.provisioner",)),
    ("block resource_parts.resource.connection", ("block resource_parts.resource.provisioner",)),
    ("feature local-exec settings", ("block resource_parts.resource.provisioner",)),
    ("block resource_parts.data.", ("block file.data",)), ("attribute kinutest_lookup", ("block file.data", "feature provider attached")),
    ("attribute kinutest_token", ("block file.ephemeral", "feature provider attached")),
    ("block file.ephemeral", ("feature provider attached",)), ("attribute provider.", ("block file.provider",)),
    ("block check.", ("block file.check",)), ("argument language.compatible.", ("block file.language", "block language.compatible_with")),
    ("argument language.", ("block file.language",)), ("block language.", ("block file.language",)),
    ("argument encryption.enforceable.", ("block encryption.state",)),
    ("block encryption.remote.", ("block encryption.remote_state_data_sources",)),
    ("block encryption.target.", ("block encryption.state",)), ("form override json", ("form override",)),
    ("argument module_test_file.run.providers", ("block module_test_file.file.mock_provider",)),
    ("argument module_test_file.option.", ("block module_test_file.run.plan_options",)),
    ("argument module_test_file.module.", ("block module_test_file.run.module",)),
    ("argument module_test_file.override_module.", ("block module_test_file.run.override_module", "block file.module")),
    ("argument module_test_file.override.", ("block module_test_file.run.override_resource",)),
    ("argument module_test_file.mock.", ("block module_test_file.mock_provider.mock_resource", "block module_test_file.file.mock_provider")),
    ("argument module_test_file.mock_provider.", ("block module_test_file.file.mock_provider",)),
    ("block module_test_file.mock_provider.override_data", ("block module_test_file.file.mock_provider", "block file.data")),
    ("block module_test_file.mock_provider.", ("block module_test_file.file.mock_provider",)),
    ("block module_test_file.run.override_data", ("block file.data",)), ("block module_test_file.run.override_module", ("block file.module",)),
    ("block module_test_file.file.override_data", ("block file.data",)), ("block module_test_file.file.override_module", ("block file.module",)),
    ("block module_test_file.file.mock_provider", ("feature provider attached",)),
    ("block module_test_file.file.provider", ("feature provider attached",)),
    ("form test tfvars", ("form test file",)), ("form test json", ("form test file",)),
    ("feature provider function", ("feature provider attached",)), ("feature version constraint", ("feature provider attached",)),
    ("block file.provider", ("feature provider attached",)), ("setting local.", ("feature backend local",)),
    ("setting http.", ("feature backend http",)), ("environment TF_HTTP", ("feature backend http",)),
    ("setting s3.", ("feature backend s3",)), ("setting pg.", ("feature backend pg",)), ("feature older state", ("feature provider attached",)),
    ("feature moved type", ("feature provider attached",)),
)


def with_needed(focus):
    """The rows of a focus and those that they need."""
    out, left = set(), sorted(focus)
    while left:
        row = left.pop()
        if row in out:
            continue
        out.add(row)
        left += next((needed for prefix, needed in NEEDS if row.startswith(prefix)), ())
    return out
