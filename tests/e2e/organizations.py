#!/usr/bin/env python3
"""Keeps states in the workspaces of an organization: `backend "remote"` and `cloud` blocks.

  organizations.py --binary PATH [--other PATH] [--only NAME]

With --other, the steps of the first test alternate between both programs.
"""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "servers"))
import hosted  # noqa: E402
import organization_server  # noqa: E402
from hosted import HOST, RESOURCE, cloud, remote  # noqa: E402


def life_of_remote(place):
    """One workspace: init, apply, conflict, force-unlock, commands on states, destroy."""
    place.write(remote('name = "app"') + RESOURCE % ("one", "first"))
    place.says(place.run("init", "-no-color"), 'Successfully configured the backend "remote"!')
    workspace = place.service.workspaces["app"]
    place.expect("the workspace runs this version", workspace.version == "1.12.6")
    place.run("apply", "-auto-approve", "-no-color")
    place.expect("the state is stored", place.state("app")["outputs"]["o"]["value"] == "first")
    version = workspace.versions[-1]
    place.expect("outputs are told",
                 version["outputs"] == {"o": {"sensitive": False, "type": "string",
                                              "value": "first"}})
    place.expect("the version is told", version["serial"] == place.state("app")["serial"] and
                 version["lineage"] == place.state("app")["lineage"] and version["force"] is False)
    place.expect("the lock is released", workspace.locked is None)
    place.expect("the lock had a reason", workspace.reason == "Locked by OpenTofu")
    place.says(place.run("plan", "-no-color"), "No changes.")
    place.says(place.run("output", "-no-color", "o"), '"first"')
    place.says(place.run("state", "list"), "terraform_data.a")
    place.run("state", "mv", "terraform_data.a", "terraform_data.b")
    place.run("state", "mv", "terraform_data.b", "terraform_data.a")
    place.expect("pull prints the state",
                 json.loads(place.run("state", "pull")) == place.state("app"))
    place.run("taint", "terraform_data.a")
    place.run("untaint", "terraform_data.a")
    place.says(place.run("workspace", "list", code=1), "workspaces not supported")
    workspace.locked = "user-3"
    text = place.run("apply", "-auto-approve", "-no-color", code=1)
    place.says(text, "Error acquiring the state lock",
               'workspace already locked (lock ID: "acme/app")')
    if place.binaries == place.binaries[:1]:
        place.says(text, "ID: acme/app", "Who: users user-3")
    place.says(place.run("force-unlock", "-force", "wrong", code=1),
               'lock ID "wrong" does not match existing lock ID "acme/app"')
    place.says(place.run("force-unlock", "-force", "acme/app"), "successfully unlocked")
    place.expect("the lock is gone", workspace.locked is None)
    place.run("destroy", "-auto-approve", "-no-color")
    place.expect("all is destroyed", place.state("app")["resources"] == [])
    place.expect("who asks", place.service.agents == {"OpenTofu/1.12.6"})


def prefixes(place):
    """Workspaces with a prefix: none at first, then many on several pages."""
    place.write(remote('prefix = "app-"') + RESOURCE % ("${terraform.workspace}", "x"))
    place.service.add("other-app-x")
    place.says(place.run("init", "-no-color", "-input=false", code=1), "No existing workspaces.")
    for name in ("dev", "prod", "test"):
        place.run("workspace", "new", name)
    place.expect("they have the prefix", {"app-dev", "app-prod", "app-test"} <
                 set(place.service.workspaces))
    place.says(place.run("workspace", "list"), "dev prod * test")
    place.expect("pages are read", any("page[number]=2" in line for line in place.service.log))
    place.run("apply", "-auto-approve", "-no-color")
    place.expect("each has its state",
                 place.state("app-test")["resources"][0]["instances"][0]["attributes"]["input"]
                 ["value"] == "test" and place.state("app-dev") is None)
    place.run("workspace", "select", "dev")
    place.says(place.run("workspace", "delete", "test", code=1), "Workspace is not empty")
    place.run("workspace", "delete", "-force", "test")
    place.run("workspace", "delete", "prod")
    place.expect("they are gone", set(place.service.workspaces) == {"app-dev", "other-app-x"})
    place.run("init", "-no-color", "-input=false")


def life_of_cloud(place):
    """A cloud block with a name: the workspace is made, tagged by a project, selected."""
    place.write(cloud(['name = "core"', 'project = "p"']) + RESOURCE % ("one", "first"))
    place.says(place.run("plan", "-no-color", code=1),
               'Cloud backend initialization required: please run "tofu init"',
               "Reason: Initial configuration of cloud backend")
    text = place.run("init", "-no-color")
    place.says(text, "Cloud backend has been successfully initialized!",
               "You may now begin working with cloud backend.")
    workspace = place.service.workspaces["core"]
    place.expect("the version is set", workspace.version == "1.12.6")
    place.expect("the project is made", workspace.project == "prj-1")
    place.expect("requests tell of the block", "cloud" in place.service.integration)
    place.expect("the record is that of a backend",
                 json.load(open(os.path.join(place.directory, ".terraform/terraform.tfstate"),
                                encoding="utf-8"))["backend"]["type"] == "cloud")
    place.says(place.run("workspace", "show"), "core")
    place.run("apply", "-auto-approve", "-no-color")
    place.expect("the state is stored", place.state("core")["outputs"]["o"]["value"] == "first")
    place.says(place.run("workspace", "list"), "* core")
    place.says(place.run("workspace", "new", "x", code=1), "workspaces not supported")
    place.write(cloud(['name = "edge"']) + RESOURCE % ("one", "first"))
    place.says(place.run("plan", "-no-color", code=1),
               "Reason: Cloud backend configuration block has changed")
    for option in ("-reconfigure", "-migrate-state", "-force-copy", "-backend-config=token=x"):
        place.says(place.run("init", "-no-color", option, code=1), "Invalid command-line option")
    place.says(place.run("init", "-no-color"), "Cloud backend configuration has changed.")
    place.expect("nothing was copied", place.state("edge") is None)
    place.write(RESOURCE % ("one", "first"))
    place.says(place.run("init", "-no-color", code=1),
               "Migrating state from cloud backend to another backend is not yet implemented.")
    place.write(remote('name = "core"') + RESOURCE % ("one", "first"))
    place.says(place.run("plan", "-no-color", code=1), "Changed from cloud backend to backend")


def tags(place):
    """A cloud block with tags: the first workspace is asked for, others are found by tag."""
    configuration = cloud(['tags = ["net", "x"]']) + RESOURCE % ("${terraform.workspace}", "x")
    place.write(configuration)
    place.says(place.run("init", "-no-color", "-input=false", code=1), "No existing workspaces.")
    place.says(place.run("init", "-no-color", answers=["dev"]), "No workspaces found.")
    place.expect("it is made with tags",
                 sorted(place.service.workspaces["dev"].tags) == ["net", "x"])
    place.run("workspace", "new", "prod")
    place.service.add("mine").tags = ["net"]
    place.run("apply", "-auto-approve", "-no-color")
    place.says(place.run("workspace", "list"), "dev * prod")
    place.run("workspace", "select", "dev")
    place.says(place.run("workspace", "delete", "prod", code=1), "Workspace is not empty")
    place.run("workspace", "new", "empty")
    place.run("workspace", "select", "dev")
    place.run("workspace", "delete", "empty")
    place.expect("it is deleted safely",
                 "POST /api/v2/organizations/acme/workspaces/empty/actions/safe-delete"
                 in place.service.log)
    place.variables["TF_WORKSPACE"] = "mine"
    place.says(place.run("plan", "-no-color", code=1), "Invalid workspace selection",
               '"mine" with the tags specified')
    place.variables["TF_WORKSPACE"] = "none"
    place.says(place.run("plan", "-no-color", code=1), '"none" in organization acme')
    place.variables["TF_WORKSPACE"] = "prod"
    place.says(place.run("plan", "-no-color"), "No changes.")


def surroundings(place):
    """Organization, host, project, workspace and token from the environment."""
    place.tokens = place.service.configuration(HOST, token=None)
    place.write("terraform {\n  cloud {}\n}\n" + RESOURCE % ("one", "x"))
    place.service.add("w")
    place.variables = {"TF_CLOUD_ORGANIZATION": "acme", "TF_CLOUD_HOSTNAME": HOST,
                       "TF_WORKSPACE": "w"}
    place.says(place.run("init", "-no-color", code=1), "Required token could not be found",
               "tofu login " + HOST)
    place.variables["TF_TOKEN_hosted_example_com"] = "wrong"
    place.says(place.run("init", "-no-color", code=1), 'Failed to read organization "acme"',
               "unauthorized")
    place.variables["TF_TOKEN_hosted_example_com"] = organization_server.TOKEN
    place.run("init", "-no-color")
    place.run("apply", "-auto-approve", "-no-color")
    place.expect("the state is stored", place.state("w") is not None)
    place.variables["TF_CLOUD_ORGANIZATION"] = "none"
    place.says(place.run("plan", "-no-color", code=1), 'organization "none" at host')
    place.write(remote('name = "w"', 'token = "%s"' % organization_server.TOKEN))
    place.variables = {}
    place.run("init", "-no-color", "-reconfigure")
    place.service.interface = "2.4"
    place.write(cloud(['name = "w"'], 'token = "%s"' % organization_server.TOKEN))
    place.says(place.run("init", "-no-color", code=1), "Unsupported cloud backend version")


def discovery(place):
    """The service is found by the discovery document of its host, over TLS."""
    host = place.service.discover()
    place.tokens = 'credentials "%s" {\n  token = "%s"\n}\n' % (host, organization_server.TOKEN)
    place.write(remote('name = "app"').replace(HOST, host) + RESOURCE % ("one", "first"))
    place.says(place.run("init", "-no-color", code=1), "Failed to request discovery document")
    place.variables["SSL_CERT_FILE"] = organization_server.CERTIFICATE
    place.run("init", "-no-color")
    place.run("apply", "-auto-approve", "-no-color")
    place.expect("the state is stored", place.state("app") is not None)


def migrations(place):
    """From local files to the service and back."""
    place.write(RESOURCE % ("one", "first"))
    place.run("init", "-no-color")
    place.run("apply", "-auto-approve", "-no-color")
    place.write(remote('name = "app"') + RESOURCE % ("one", "first"))
    place.says(place.run("init", "-no-color", answers=["yes"]),
               "Do you want to copy existing state to the new backend?",
               'Successfully configured the backend "remote"!')
    place.expect("it is copied", len(place.state("app")["resources"]) == 1)
    place.says(place.run("plan", "-no-color"), "No changes.")
    place.write(remote('prefix = "app-"') + RESOURCE % ("one", "first"))
    place.says(place.run("init", "-no-color", code=1), "Backend configuration changed")
    place.says(place.run("init", "-no-color", "-migrate-state", code=1),
               "Error asking for new state name: EOF")
    place.says(place.run("init", "-no-color", "-migrate-state", answers=["dev", "yes"]),
               'The "remote" backend configuration only allows named workspaces!')
    place.expect("it is copied by name", len(place.state("app-dev")["resources"]) == 1)
    place.says(place.run("workspace", "show"), "dev")
    place.write(RESOURCE % ("one", "first"))
    place.run("init", "-no-color", "-migrate-state", "-force-copy")
    place.says(place.run("plan", "-no-color"), "No changes.")


def to_cloud(place):
    """From local files, and from a remote backend, to cloud blocks."""
    place.write(RESOURCE % ("one", "first"))
    place.run("init", "-no-color")
    place.run("apply", "-auto-approve", "-no-color")
    place.write(cloud(['name = "core"']) + RESOURCE % ("one", "first"))
    place.says(place.run("init", "-no-color", "-input=false", code=1),
               "Can't ask approval for state migration")
    place.says(place.run("init", "-no-color", answers=["yes"]), "Do you wish to proceed?",
               "Cloud backend has been successfully initialized!")
    place.expect("it is copied", len(place.state("core")["resources"]) == 1)
    place.says(place.run("plan", "-no-color"), "No changes.")


def many_to_cloud(place):
    """Workspaces with a prefix keep their names under tags; local ones are renamed."""
    text = RESOURCE % ("${terraform.workspace}", "x")
    place.write(remote('prefix = "app-"') + text)
    place.run("init", "-no-color", "-input=false", code=1)
    for name in ("dev", "prod"):
        place.run("workspace", "new", name)
        place.run("apply", "-auto-approve", "-no-color")
    place.write(cloud(['tags = ["t"]']) + text)
    place.says(place.run("init", "-no-color", answers=["yes"]),
               'Migrating from backend "remote" to cloud backend.', "Do you wish to proceed?",
               "Migration complete! Your workspaces are as follows: app-dev * app-prod")
    place.expect("they are tagged", place.service.workspaces["app-dev"].tags == ["t"])


def renamed(place):
    """Local workspaces get new names in the cloud."""
    text = RESOURCE % ("x", "x")
    place.write(text)
    place.run("init", "-no-color")
    place.run("apply", "-auto-approve", "-no-color")
    place.run("workspace", "new", "prod")
    place.run("apply", "-auto-approve", "-no-color")
    place.write(cloud(['tags = ["t"]']) + text)
    for answers, problem in (
            (["main", "3"], "Please select 1 or 2 as part of this option."),
            (["main", "1", "net"], "The pattern must have an '*'"),
            (["main", "1", "*-*"], "The pattern '*' cannot be used more than once.")):
        place.says(place.run("init", "-no-color", answers=answers, code=1), problem)
    place.says(place.run("init", "-no-color", answers=["main", "1", "net-*"]),
               "Cloud backend requires all workspaces to be given an explicit name.",
               "Would you like to rename your workspaces?",
               "Your workspaces are as follows: net-main * net-prod")
    place.expect("both are copied", all(place.state(n) for n in ("net-main", "net-prod")))


def versions(place):
    """A workspace that another version runs is not written to without being asked."""
    place.write(remote('name = "app"') + RESOURCE % ("one", "first"))
    workspace = place.service.add("app", "1.5.7")
    place.run("init", "-no-color")
    place.run("apply", "-auto-approve", "-no-color")
    place.says(place.run("taint", "terraform_data.a"), "has been marked as tainted")
    workspace.mode = "remote"
    place.says(place.run("untaint", "-no-color", "terraform_data.a", code=1),
               "OpenTofu version mismatch", "(1.12.6)", "acme/app (1.5.7)")
    place.says(place.run("untaint", "-no-color", "-ignore-remote-version", "terraform_data.a"),
               "Warning: OpenTofu version mismatch")
    workspace.version = "latest"
    place.run("taint", "-no-color", "terraform_data.a")
    workspace.version = "1.12.0"
    place.run("untaint", "-no-color", "terraform_data.a")


def execution(place):
    """What runs here although the service could run it, and what cannot run there."""
    place.write(cloud(['name = "core"']) + RESOURCE % ("one", "first"))
    place.run("init", "-no-color")
    place.service.workspaces["core"].mode = "remote"
    for option, problem in (("-parallelism=3", "Custom parallelism values are currently not supported"),
                            ("-exclude=terraform_data.a", "-exclude option is not supported")):
        place.says(place.run("plan", "-no-color", option, code=1), problem)
    place.expect("no lock was taken", place.service.workspaces["core"].locked is None and
                 not any("actions/lock" in line for line in place.service.log))
    place.variables["TF_FORCE_LOCAL_BACKEND"] = "1"
    place.run("apply", "-auto-approve", "-no-color")
    place.run("plan", "-no-color", "-out=saved")
    place.variables = {}
    place.says(place.run("apply", "-no-color", "saved", code=1),
               "Applying a saved plan is currently not supported", 'The workspace "core" is set to run plans in its service')
    place.service.operations = False
    place.says(place.run("plan", "-no-color"), "No changes.")
    del place.service.workspaces["core"]
    place.service.operations = True
    place.says(place.run("plan", "-no-color", code=1), "workspace core not found")


def faults(place):
    """What happens when the service fails at any request."""
    place.write(remote('name = "app"') + RESOURCE % ("one", "first"))
    place.run("init", "-no-color")
    workspace = place.service.workspaces["app"]
    faults = place.service.faults
    for request in ("GET /api/v2/organizations/acme/workspaces/app",
                    "POST /api/v2/workspaces/ws/state-versions", "PUT /upload/sv",
                    "POST /api/v2/workspaces/ws/actions/unlock"):
        faults[request] = [503]
    place.run("apply", "-auto-approve", "-no-color")
    place.expect("passing failures are outlived", place.state("app") is not None and
                 workspace.locked is None)
    faults["POST /api/v2/workspaces/ws/state-versions"] = [400]
    place.write(remote('name = "app"') + RESOURCE % ("two", "second"))
    text = place.run("apply", "-auto-approve", "-no-color", code=1)
    place.says(text, "error uploading state: 400 Bad Request", "tofu force-unlock acme/app")
    place.expect("the lock is kept", workspace.locked is not None)
    place.expect("the state is kept here", place.exists("errored.tfstate"))
    place.run("state", "push", "-lock=false", "errored.tfstate")
    place.expect("it can be stored later", place.state("app")["outputs"]["o"]["value"] == "second")
    place.run("force-unlock", "-force", "acme/app")
    place.says(place.run("plan", "-no-color"), "No changes.")
    faults["GET /api/v2/workspaces/ws/current-state-version"] = [403]
    place.says(place.run("plan", "-no-color", code=1), "error retrieving state: 403 Forbidden")
    place.service.inline_only = True
    place.write(remote('name = "app"') + RESOURCE % ("three", "third"))
    place.run("apply", "-auto-approve", "-no-color")
    place.expect("an older service has the state inline",
                 place.state("app")["outputs"]["o"]["value"] == "third")


def retries(place):
    """What the user reads while requests fail and are sent again: nothing for the first failure."""
    place.write(remote('name = "app"') + RESOURCE % ("one", "first"))
    place.run("init", "-no-color")
    connecting = "There was an error connecting to the remote backend."
    faults = place.service.faults
    faults["GET /api/v2/organizations/acme/workspaces/app"] = [503]
    place.expect("one failure is not reported", connecting not in place.run("plan", "-no-color"))
    faults["GET /api/v2/organizations/acme/workspaces/app"] = [503, 503, 503]
    text = place.run("plan", "-no-color")
    place.says(text, connecting + " Please do not exit OpenTofu to prevent data loss! "
               "Trying to restore the connection...", "Still trying to restore the connection... (")
    place.expect("each is reported once", text.count(connecting) == 1 and
                 text.count("Still trying") == 1)


def readers(place):
    """terraform_remote_state reads through both."""
    place.write(remote('name = "app"') + RESOURCE % ("one", "first"))
    place.run("init", "-no-color")
    place.run("apply", "-auto-approve", "-no-color")
    os.remove(os.path.join(place.directory, ".terraform/terraform.tfstate"))
    blocks = ""
    for kind in ("remote", "cloud"):
        blocks += """data "terraform_remote_state" "%s" {
  backend   = "%s"
  %s
  config = {
    hostname     = "%s"
    organization = "acme"
    workspaces   = { name = "app" }
  }
}
output "%s" { value = data.terraform_remote_state.%s.outputs.o }
""" % (kind, kind, 'workspace = "app"' if kind == "cloud" else "", HOST, kind, kind)
    place.write(blocks)
    place.run("init", "-no-color")
    text = place.run("apply", "-auto-approve", "-no-color")
    place.says(text, 'cloud = "first"', 'remote = "first"')


def sealed(place):
    """An encrypted state: the service gets nothing of it in the clear, not even the outputs."""
    place.variables["TF_ENCRYPTION"] = """key_provider "pbkdf2" "k" {
  passphrase = "correct horse battery staple"
  iterations = 200000
}
method "aes_gcm" "m" { keys = key_provider.pbkdf2.k }
state { method = method.aes_gcm.m }
"""
    place.write(remote('name = "app"') + RESOURCE % ("one", "first"))
    place.run("init", "-no-color")
    place.run("apply", "-auto-approve", "-no-color")
    place.expect("it is sealed", "encrypted_data" in place.state("app"))
    place.expect("outputs are not told", place.service.workspaces["app"].versions[-1]["outputs"] == {})
    place.says(place.run("output", "-no-color", "o"), '"first"')


def killed(place):
    """An apply that is killed loses nothing: its journal has what the service lacks."""
    text = remote('name = "app"') + 'resource "terraform_data" "a" { input = "guarded" }\n' \
        'resource "terraform_data" "b" {\n  depends_on = [terraform_data.a]\n' \
        '  provisioner "local-exec" { command = "kill -9 $PPID" }\n}\n'
    place.write(text)
    place.run("init", "-no-color")
    place.run("apply", "-auto-approve", "-no-color", code=-9)
    place.expect("the lock is left", place.service.workspaces["app"].locked is not None)
    place.run("force-unlock", "-force", "acme/app")
    place.write(text.replace("kill -9 $PPID", "true"))
    place.run("apply", "-auto-approve", "-no-color")
    names = [r["name"] for r in place.state("app")["resources"]]
    place.expect("the first object was not made again",
                 names == ["a", "b"] and "terraform_data.a: Creating" not in place.last[3])


# Tests of what the reference does in the same way.
SHARED = (life_of_remote,)
TESTS = (life_of_remote, prefixes, life_of_cloud, tags, surroundings, discovery, migrations,
         to_cloud, many_to_cloud, renamed, versions, execution, faults, retries, readers, sealed, killed)

if __name__ == "__main__":
    sys.exit(hosted.main(TESTS, SHARED))
