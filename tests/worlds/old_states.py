"""A state from before: objects of the tests' own provider in the form of an older version of their schemas."""
import base64
import json

PROVIDER = 'provider["registry.opentofu.org/kinu/kinutest"]'
PRIVATE = base64.b64encode(json.dumps({"writes": base64.b64encode(b'{"count":1}').decode()}).encode()).decode()


def instance(part):
    """The instance of an object whose schema or identity has an older version."""
    name = part.block.labels[1]
    if part.block.labels[0] == "kinutest_thing":
        return {"schema_version": 1, "attributes": {"id": "thing-" + name, "title": name}, "sensitive_attributes": [], "private": PRIVATE}
    attributes = dict.fromkeys(("region", "old", "one", "parts", "keyed"))
    attributes.update({"id": "/" + name, "name": name, "former": "/" + name, "section": [], "legacy": [], "retired": []})
    return {"schema_version": 0, "attributes": attributes, "sensitive_attributes": [], "identity_schema_version": 0, "identity": {"title": name}}


def make(config):
    """The text of a state with the objects of a configuration that have a single instance, or None."""
    found = [part for part in config.resources() if not part.repeated and part.instances() and part.block.labels[0].startswith("kinutest")]
    if not found or config.backend:
        return None
    resources = [{"mode": "managed", "type": part.block.labels[0], "name": part.block.labels[1], "provider": PROVIDER, "instances": [instance(part)]}
                 for part in found]
    return json.dumps({"version": 4, "terraform_version": "1.11.0", "serial": 7, "lineage": "00000000-0000-0000-0000-000000000007",
                       "outputs": {}, "resources": resources, "check_results": None}, indent=2) + "\n"
