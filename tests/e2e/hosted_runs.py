#!/usr/bin/env python3
"""Plans and applies that an organization's service runs.

  hosted_runs.py --binary PATH [--only NAME]
"""
import json
import os
import subprocess
import sys
import tempfile

import hosted
from hosted import HOST, RESOURCE, cloud, remote


def runs(place):
    """Plans and applies that the service runs."""
    place.write(remote('name = "app"') + RESOURCE % ("one", "first"))
    place.write('variable "v" {\n  default = "d"\n}\n', "variables.tf")
    place.write("*.secret\n", ".terraformignore")
    place.write("x", "my.secret")
    place.run("init", "-no-color")
    service = place.service
    workspace = service.workspaces["app"]
    workspace.mode = "remote"
    place.says(place.run("plan", "-no-color", "-out=x", code=1),
               "Saving a generated plan is currently not supported")
    place.says(place.run("plan", "-no-color", "-generate-config-out=x.tf", code=1),
               "Generating configuration is not currently supported")

    def last():
        return list(service.runs.values())[-1]

    text = place.run("plan", "-no-color", "-target=terraform_data.a", "-refresh=false")
    run = last()
    place.says(text, "Running plan in the remote backend. Output will stream here.",
               "https://hosted.example.com/app/acme/app/runs/" + run.id,
               "Waiting for the plan to start...", "Plan: 1 to add, 0 to change, 0 to destroy.")
    place.expect("the run is what was wanted", run.attributes == {
        "refresh": False, "target-addrs": ["terraform_data.a"]})
    place.expect("it is only a plan", run.files["speculative"])
    place.expect("files are uploaded", {"main.tf", "variables.tf", ".terraform.lock.hcl"} -
                 set(run.files) <= {".terraform.lock.hcl"} and "my.secret" not in run.files and
                 not any(name.startswith(".terraform/t") for name in run.files))
    place.says(place.run("plan", "-no-color", "-refresh=changed"), "Warning: All objects are refreshed")
    place.expect("the service refreshes", last().attributes.get("refresh", True))
    place.says(place.run("plan", "-no-color", "-watch", code=1), "Plans cannot be watched")
    place.run("plan", "-no-color", "-detailed-exitcode", code=2)
    place.says(place.run("refresh", "-no-color", code=1),
               'The "refresh" operation is not supported when using the "remote" backend.')
    place.says(place.run("plan", "-no-color", "-var=v=x", code=1),
               "Run variables are currently not supported")
    text = place.run("apply", "-no-color", "-replace=terraform_data.a", answers=["yes"])
    run = last()
    place.says(text, 'Do you want to perform these actions in workspace "app"?',
               "Apply complete! Resources: 1 added.")
    place.expect("it was applied", run.actions == ["apply"] and run.status == "applied" and
                 run.attributes["replace-addrs"] == ["terraform_data.a"] and
                 "three" not in text)
    place.says(place.run("destroy", "-no-color", answers=["no"], code=1),
               'Do you really want to destroy all resources in workspace "app"?',
               "Destroy discarded.")
    place.expect("it was discarded", last().actions == ["discard"] and
                 last().attributes["is-destroy"])
    place.says(place.run("apply", "-no-color", code=1), "Error asking approve: EOF")
    place.expect("without an answer it is discarded", last().actions == ["discard"])
    place.run("apply", "-no-color", "-refresh-only", "-auto-approve")
    place.expect("it only refreshes", last().attributes["refresh-only"])
    service.script = {"changes": False}
    place.run("apply", "-no-color")
    place.expect("nothing was approved", last().actions == [])
    service.script = {"fails": "errored", "plan": "Error: broken"}
    place.says(place.run("plan", "-no-color", code=1), "Error: broken")
    service.script = {"ends": "errored"}
    place.run("apply", "-no-color", "-auto-approve", code=1)
    service.script = {"can-apply": False}
    place.says(place.run("apply", "-no-color", "-auto-approve", code=1),
               "Insufficient rights to approve the pending changes")
    service.script = {}
    workspace.auto_apply = True
    place.run("apply", "-no-color")
    place.expect("approval is the service's", last().actions == [])
    workspace.repository = {"identifier": "a/b"}
    place.says(place.run("apply", "-no-color", code=1),
               "Apply not allowed for workspaces with a VCS connection")
    workspace.rights = {}
    place.says(place.run("apply", "-no-color", code=1), "Insufficient rights to apply changes")
    place.says(place.run("plan", "-no-color", code=1), "Insufficient rights to generate a plan")


def run_checks(place):
    """Cost estimates and policy checks of runs."""
    place.write(remote('name = "app"') + RESOURCE % ("one", "first"))
    place.run("init", "-no-color")
    service = place.service
    service.workspaces["app"].mode = "remote"
    service.script = {
        "estimate": {"status": "finished", "proposed-monthly-cost": "25.5",
                     "delta-monthly-cost": "-3.0", "matched-resources-count": 1,
                     "resources-count": 2},
        "checks": [{"scope": "organization", "status": "passed"},
                   {"scope": "workspace", "status": "soft_failed"}]}
    place.says(place.run("apply", "-no-color", answers=["override", "yes"]),
               "Resources: 1 of 2 estimated $25.5/mo -$3.0", "Organization policy check:",
               "policy says passed", "Do you want to override the soft failed policy check?",
               "Apply complete!")
    place.says(place.run("plan", "-no-color", code=1), "Workspace policy check soft failed.")
    place.says(place.run("apply", "-no-color", answers=["no"], code=1),
               "Failed to override: Apply discarded.")
    service.script["checks"] = [{"scope": "workspace", "status": "hard_failed"}]
    place.says(place.run("apply", "-no-color", "-auto-approve", code=1),
               "Workspace policy check hard failed.")
    service.script["checks"] = [{"scope": "workspace", "status": "errored"}]
    place.says(place.run("plan", "-no-color", code=1), "Workspace policy check errored.")
    service.script = {"estimate": {"status": "canceled"}}
    place.says(place.run("plan", "-no-color", code=1), "Cost estimation canceled.")
    service.script = {"estimate": {"status": "errored"}}
    place.says(place.run("plan", "-no-color"), "Cost estimation errored.")


def runs_of_cloud(place):
    """Runs of a cloud block take values of variables; their logs are JSON messages."""
    place.write(cloud(['name = "core"']) + RESOURCE % ("one", "first") +
                'variable "v" {}\nvariable "n" { type = list(number) }\n')
    place.write("n = [1, 2]\n", "some.tfvars")
    place.run("init", "-no-color")
    place.service.workspaces["core"].mode = "remote"
    place.service.script = {"plan": json.dumps({"@message": "terraform_data.a: Plan to create",
                                                "type": "planned_change"}) + "\n" +
                            json.dumps({"@message": "Error: no", "type": "diagnostic",
                                        "diagnostic": {"severity": "error", "summary": "no",
                                                       "detail": "Because."}}) + "\nplain"}
    text = place.run("plan", "-no-color", '-var=v=a"b', "-var-file=some.tfvars")
    place.says(text, "Running plan in cloud backend.", "Error: no Because.", "plain")
    place.expect("changes are part of the plan", "Plan to create" not in text)
    run = list(place.service.runs.values())[-1]
    place.expect("values are expressions", sorted(
        (v["key"], v["value"]) for v in run.attributes["variables"]) ==
        [("n", "[1, 2]"), ("v", '"a\\"b"')])
    text = place.run("plan", "-json", "-var=v=x", "-var-file=some.tfvars")
    place.service.script = {}
    place.says(place.run("refresh", "-no-color", "-var=v=x", "-var-file=some.tfvars"),
               "Proceeding with 'tofu apply -refresh-only -auto-approve'.", "Apply complete!")
    run = list(place.service.runs.values())[-1]
    place.expect("it only refreshes", run.attributes["refresh-only"] and run.actions == ["apply"])
    place.expect("each line is JSON", all(json.loads(line) for line in text.splitlines()))


def saved_plans(place):
    """A plan of a cloud block can be saved in the service; the file has its run."""
    place.write(cloud(['name = "core"']) + RESOURCE % ("one", "first"))
    place.run("init", "-no-color")
    place.service.workspaces["core"].mode = "remote"
    text = place.run("plan", "-no-color", "-out=saved")
    place.says(text, "Saved the plan to: saved", 'tofu apply "saved"')
    run = list(place.service.runs.values())[-1]
    place.expect("the run is saved", run.attributes.get("save-plan") and run.status == "planned_and_saved")
    with open(os.path.join(place.directory, "saved"), encoding="utf-8") as file:
        place.expect("the file names the run", json.load(file) == {
            "remote_plan_format": 1, "run_id": run.id, "hostname": HOST})
    place.run("destroy", "-no-color", "saved", code=1)
    text = place.run("apply", "-no-color", "saved")
    place.says(text, "Running apply in cloud backend.", "Preparing the remote apply...", "Apply complete!")
    place.expect("it is applied", run.actions == ["apply"])
    place.says(place.run("apply", "-no-color", "saved", code=1), "Saved plan is already applied",
               "/app/acme/core/runs/" + run.id)
    for status, summary in (("canceled", "Saved plan is canceled"), ("discarded", "Saved plan is discarded"),
                            ("errored", "Saved plan is errored"),
                            ("planned_and_finished", "Saved plan has no changes"),
                            ("policy_override", "Saved plan requires policy override"),
                            ("fetching", "Saved plan cannot be applied")):
        run.status = status
        place.says(place.run("apply", "-no-color", "saved", code=1), summary)
    run.workspace = "ws-other"
    place.says(place.run("apply", "-no-color", "saved", code=1), "Saved plan is for a different workspace")
    place.write(json.dumps({"remote_plan_format": 1, "run_id": run.id, "hostname": "other.example.com"}), "saved")
    place.says(place.run("apply", "-no-color", "saved", code=1), "Saved plan is for a different hostname")
    place.says(place.run("plan", "-no-color", "-out=none/saved", code=1), "Failed to write plan file")
    place.service.workspaces["core"].mode = "local"
    place.says(place.run("apply", "-no-color", "saved", code=1), "Saved cloud plan cannot be applied here")


def local_plan(place, configuration, *options):
    """What a plan of the configuration is here: its text, its document, and the document in which
    a service gives it to be shown."""
    with tempfile.TemporaryDirectory() as directory:
        with open(os.path.join(directory, "main.tf"), "w", encoding="utf-8") as file:
            file.write(configuration)

        def out(*words):
            return subprocess.run([place.binaries[0], *words], cwd=directory, check=True,
                                  env={"PATH": os.environ["PATH"], "HOME": directory},
                                  stdout=subprocess.PIPE, stdin=subprocess.DEVNULL).stdout.decode()

        out("init")
        out("plan", "-out=plan", *options)
        document = out("show", "-json", "plan")
        plan, schemas = json.loads(document), json.loads(out("providers", "schema", "-json"))
        shown = {"plan_format_version": plan["format_version"],
                 "provider_format_version": schemas["format_version"],
                 "provider_schemas": schemas.get("provider_schemas", {}),
                 **{key: plan[key] for key in ("resource_changes", "output_changes", "resource_drift",
                                               "relevant_attributes") if key in plan}}
        return out("show", "-no-color", "plan"), document.rstrip("\n"), json.dumps(shown)


def shown_plans(place):
    """`show` gets a saved plan from the service: its text for whoever sees the run, its JSON for
    those who administrate the workspace."""
    place.write(cloud(['name = "core"']) + RESOURCE % ("one", "first"))
    place.run("init", "-no-color")
    workspace = place.service.workspaces["core"]
    workspace.mode = "remote"
    text, document, shown = local_plan(place, RESOURCE % ("one", "first"))
    place.service.script = {"json-output": document, "json-output-redacted": shown}
    place.run("plan", "-no-color", "-out=saved")
    run = list(place.service.runs.values())[-1]
    page = "To view this run in a browser, visit:\nhttps://%s/app/acme/core/runs/%s\n" % (HOST, run.id)
    foot = "\nRun status: %s\nWorkspace is %s\n"
    place.expect("the text is that of the plan", place.run("show", "-no-color", "saved") ==
                 page + text + foot % ("planned and saved (confirmable)", "unlocked"))
    place.expect("-plan is the same", place.run("show", "-no-color", "-plan=saved") ==
                 page + text + foot % ("planned and saved (confirmable)", "unlocked"))
    place.expect("the JSON is that of the service", place.run("show", "-json", "saved") == document + "\n")
    place.says("".join(place.service.log[-3:]), "/json-output")
    workspace.locked, run.status = "user-7", "discarded"
    place.expect("what cannot be done is said", place.run("show", "-no-color", "saved").endswith(
        foot % ("discarded (not confirmable)", "locked")))
    del run.script["json-output"]
    place.says(place.run("show", "-json", "-no-color", "saved", code=1), "Couldn't show cloud plan",
               "couldn't read unredacted JSON plan data for cloud run " + run.id,
               "admin permissions on the workspace")
    place.says(place.run("show", "-json", "-no-color", "-plan=saved", code=1),
               "Error: couldn't read unredacted JSON plan data for cloud run")
    del run.script["json-output-redacted"]
    place.says(place.run("show", "-no-color", "saved", code=1), "Couldn't show cloud plan",
               "couldn't read plan data for cloud run", "permission to view the run")
    run.script["plan-status"] = "running"
    place.says(place.run("show", "-no-color", "saved", code=1),
               "can't display a cloud plan that is currently running")
    newer = json.loads(shown)
    newer["plan_format_version"] = "9.9"
    run.script.update({"json-output-redacted": json.dumps(newer), "plan-status": "errored"})
    place.says(place.run("show", "-no-color", "saved"), "generated using a different version of OpenTofu",
               "OpenTofu planned the following actions, but then encountered a problem:")
    place.write(json.dumps({"remote_plan_format": 1, "run_id": "run-none", "hostname": HOST}), "saved")
    place.says(place.run("show", "-no-color", "saved", code=1), "couldn't read information for cloud run run-none",
               "make sure you've run `tofu login` and that you have permission to view the run")
    place.write(json.dumps({"remote_plan_format": 1, "run_id": run.id, "hostname": "other.example.com"}), "saved")
    place.says(place.run("show", "-no-color", "saved", code=1),
               "hostname for run (other.example.com) does not match the configured cloud integration")
    place.write(json.dumps({"remote_plan_format": 2, "run_id": run.id, "hostname": HOST}), "saved")
    place.says(place.run("show", "-no-color", "saved", code=1), "invalid remote plan format, must be 1")
    place.write(RESOURCE % ("one", "first"))
    place.write(json.dumps({"remote_plan_format": 1, "run_id": run.id, "hostname": HOST}), "saved")
    os.remove(os.path.join(place.directory, ".terraform/terraform.tfstate"))
    place.says(place.run("show", "-no-color", "saved", code=1), "Couldn't show cloud plan",
               "can't show a saved cloud plan unless the current root module is connected to")


def modes_of_plans(place):
    """The run says what kind of plan it is."""
    place.write(cloud(['name = "core"']) + RESOURCE % ("one", "first"))
    place.run("init", "-no-color")
    place.service.workspaces["core"].mode = "remote"
    for option, words in (("-destroy", "No objects need to be destroyed."),
                          ("-refresh-only", "Your infrastructure still matches the configuration.")):
        _, _, shown = local_plan(place, 'resource "terraform_data" "a" {}\n', option)
        place.service.script = {"json-output-redacted": shown, "changes": False}
        place.run("plan", "-no-color", "-out=saved", option)
        place.says(place.run("show", "-no-color", "saved"), words)


def documents_of_plans(place):
    """Programs get the document of a saved plan from whatever command reads documents."""
    place.write(cloud(['name = "core"']) + RESOURCE % ("one", "first"))
    place.run("init", "-no-color")
    place.service.workspaces["core"].mode = "remote"
    text, document, shown = local_plan(place, RESOURCE % ("one", "first"))
    place.service.script = {"json-output": document, "json-output-redacted": shown}
    place.write('data_types = ["terraform_data"]\n', "r.hcl")
    place.says(place.run("plan", "-no-color", "-risks=r.hcl"), "Risks not shown")
    place.run("plan", "-no-color", "-out=saved")
    place.says(place.run("query", "$.resource_changes[0].address", "saved"), "terraform_data.a")
    place.says(place.run("show", "-no-color", "-summary", "saved"), "1 to add")
    for words in (["-summary"], []):
        place.says(place.run("show", "-no-color", "-risks=r.hcl", *words, "saved"), "Risks: none.", *["1 to add"] * len(words))
    place.expect("both at once", text in place.run("show", "-no-color", "-json-into=copy.json", "saved"))
    with open(os.path.join(place.directory, "copy.json"), encoding="utf-8") as file:
        place.expect("the copy is the document", json.load(file) == json.loads(document))
    run = list(place.service.runs.values())[-1]
    for text, problem in (("{", "invalid JSON at byte 1"), ("{}", "the document has no plan_format_version")):
        run.script["json-output-redacted"] = text
        place.says(place.run("show", "-no-color", "saved", code=1),
                   "Couldn't decode renderable JSON plan format", problem)
    del run.script["json-output"]
    place.says(place.run("query", "$", "saved", code=1), "Failed to read saved cloud plan",
               "admin permissions on the workspace")


MESSAGES = (
    {"type": "version", "@message": "Terraform 1.5.7", "terraform": "1.5.7", "ui": "1.1"},
    {"type": "refresh_start", "@message": "terraform_data.a: Refreshing state... [id=x]"},
    {"type": "refresh_complete", "@message": "terraform_data.a: Refresh complete [id=x]"},
    {"type": "planned_change", "@message": "terraform_data.a: Plan to create"},
    {"type": "change_summary", "@message": "Plan: 7 to add, 7 to change, 7 to destroy."},
    {"type": "diagnostic", "@message": "Warning: Odd", "diagnostic": {
        "severity": "warning", "summary": "Odd", "detail": "Because.", "range": {
            "filename": "main.tf", "start": {"line": 2, "column": 3, "byte": 9},
            "end": {"line": 2, "column": 6, "byte": 12}},
        "snippet": {"context": 'resource "terraform_data" "a"', "code": "  odd = var.v", "start_line": 2,
                    "highlight_start_offset": 8, "highlight_end_offset": 13,
                    "values": [{"traversal": "var.v", "statement": "is 1"}]}}})
BOX = """╷
│ Warning: Odd
│
│   on main.tf line 2, in resource "terraform_data" "a":
│    2:   odd = var.v
│     ├────────────────
│     │ var.v is 1
│
│ Because.
╵
"""


def lines_of(messages):
    return "\n".join(json.dumps(message) for message in messages)


def shown_logs(place):
    """Logs of messages are shown as text; a plan that the service gives apart is drawn in their place."""
    place.write(cloud(['name = "core"']) + RESOURCE % ("one", "first"))
    place.run("init", "-no-color")
    workspace = place.service.workspaces["core"]
    workspace.mode = "remote"
    workspace.shows_plans = True
    text, _, shown = local_plan(place, RESOURCE % ("one", "first"))
    place.service.script = {
        "plan": lines_of(MESSAGES), "json-output-redacted": shown,
        "events": [("queued", "not shown"), ("changed_policy_enforcements", "Policies are advisory now.")],
        "apply": lines_of((
            {"type": "apply_start", "@message": "terraform_data.a: Creating..."},
            {"type": "provision_progress", "@message": "x", "hook": {
                "resource": {"addr": "terraform_data.a"}, "provisioner": "local-exec", "output": "hello"}},
            {"type": "apply_complete", "@message": "terraform_data.a: Creation complete after 0s"},
            {"type": "change_summary", "@message": "Apply complete! Resources: 1 added."},
            {"type": "outputs", "@message": "Outputs: 2", "outputs": {
                "o": {"sensitive": False, "type": ["list", "string"], "value": ["a", "b"]},
                "s": {"sensitive": True, "type": "string", "value": "hidden"}}}))}
    out = place.run("apply", "-no-color", "-auto-approve")
    place.expect("the messages are text", "terraform_data.a: Refreshing state... [id=x]\n" + BOX in out)
    place.expect("the plan is drawn anew", text in out and "7 to add" not in out and
                 "Plan to create" not in out and "Refresh complete" not in out)
    place.says(out, "Warning: Policies are advisory now.")
    place.expect("other events are not shown", "not shown" not in out)
    place.expect("the apply is shown", """terraform_data.a: Creating...
terraform_data.a: (local-exec): hello
terraform_data.a: Creation complete after 0s

Apply complete! Resources: 1 added.

Outputs:
o = [
        "a",
        "b",
    ]
s = (sensitive value)
""" in out)
    workspace.shows_plans = False
    place.expect("without plans of its own the log is all", text not in place.run("plan", "-no-color"))
    workspace.shows_plans, place.service.product = True, "Terraform Enterprise"
    place.expect("old releases give none", text not in place.run("plan", "-no-color"))


def generated(place):
    """The service writes configuration for imported objects into a file here."""
    place.write(cloud(['name = "core"']) + RESOURCE % ("one", "first"))
    place.run("init", "-no-color")
    place.service.workspaces["core"].mode = "remote"
    _, _, shown = local_plan(place, RESOURCE % ("one", "first"))
    changed = json.loads(shown)
    changed["resource_changes"][0]["change"].update(
        generated_config='resource "terraform_data" "a" {\n  input = "one"\n}', importing={"id": "x1"})
    place.service.script = {"json-output-redacted": json.dumps(changed), "generated": True}
    place.run("plan", "-no-color", "-generate-config-out=new.tf")
    run = list(place.service.runs.values())[-1]
    place.expect("the run may generate", run.attributes.get("allow-config-generation") is True)
    with open(os.path.join(place.directory, "new.tf"), encoding="utf-8") as file:
        place.expect("it is in the file", '# __generated__ by OpenTofu from "x1"\n'
                     'resource "terraform_data" "a" {\n  input = "one"\n}\n' in file.read())


def waiting_runs(place):
    """-lock-timeout limits how long a run waits for others."""
    place.write(cloud(['name = "core"']) + RESOURCE % ("one", "first"))
    place.run("init", "-no-color")
    place.service.workspaces["core"].mode = "remote"
    place.service.script = {"stuck": True}
    place.says(place.run("plan", "-no-color", "-lock-timeout=1s", code=1),
               "Lock timeout exceeded, sending interrupt to cancel the remote operation.",
               "The remote operation was successfully cancelled.")
    place.expect("it is cancelled", list(place.service.runs.values())[-1].actions == ["cancel"])


def policies(place):
    """What policies say, set by set."""
    place.write(cloud(['name = "core"']) + RESOURCE % ("one", "first"))
    place.run("init", "-no-color")
    place.service.workspaces["core"].mode = "remote"
    place.service.script = {
        "tasks": {"post_plan": [("passed", [])]},
        "evaluations": [("passed", {"advisory-failed": 1, "mandatory-failed": 0, "passed": 2, "errored": 0})],
        "outcomes": [("naming", [("short", "passed", "mandatory", "Names are short."),
                                 ("nice", "failed", "advisory", "")]),
                     ("cost", [("cheap", "failed", "mandatory", "")])]}
    place.expect("the outcomes are shown", """OPA Policy Evaluation

→→ Overall Result: PASSED (with advisory)
 This result means that all OPA policies passed and the protected behavior is allowed
3 policies evaluated

→ Policy set 1: naming (2)
  ↳ Policy name: short
     | ✓ Passed
     | Names are short.
  ↳ Policy name: nice
     | Ⓘ Advisory
     | No description available
→ Policy set 2: cost (1)
  ↳ Policy name: cheap
     | × Failed
     | No description available
""" in place.run("plan", "-no-color"))
    place.service.script["evaluations"] = [("unreachable", {})]
    place.says(place.run("plan", "-no-color"), "OPA Policy Evaluation", "Skipping policy evaluation.")


def run_tasks(place):
    """Programs that the organization has connected say what they think of a run."""
    place.write(cloud(['name = "core"']) + RESOURCE % ("one", "first"))
    place.run("init", "-no-color")
    place.service.workspaces["core"].mode = "remote"
    good, bad, mild = ("scan", "passed", "mandatory"), ("cost", "failed", "mandatory"), ("lint", "failed", "advisory")
    place.service.script = {"tasks": {
        "pre_plan": [("running", [("scan", "pending", "mandatory")])] * 2 + [("passed", [good])],
        "post_plan": [("passed", [good, mild])], "pre_apply": [("passed", [good])]}}
    text = place.run("apply", "-no-color", "-auto-approve")
    place.says(text, "Pre-plan Tasks:", "1 tasks still pending, 0 passed, 0 failed ...",
               "All tasks completed! 1 passed, 0 failed", "scan ⸺ Passed", "it is passed",
               "Details: https://task.test/", "Overall Result: Passed", "Post-plan Tasks:",
               "All tasks completed! 1 passed, 1 failed", "lint ⸺ Failed (Advisory)",
               "Overall Result: Passed with advisory failures", "Pre-apply Tasks:", "Apply complete!")
    place.service.script = {"tasks": {"post_plan": [("failed", [good, bad])]}}
    text = place.run("plan", "-no-color", code=1)
    place.says(text, "the run failed because the run task, cost, is required to succeed",
               "Overall Result: Failed", "Task Stage failed.")


def interrupted(place):
    """An interrupt leaves the run alone, or cancels it."""
    place.write(remote('name = "app"') + RESOURCE % ("one", "first"))
    place.run("init", "-no-color")
    place.service.workspaces["app"].mode = "remote"
    place.service.script = {"stuck": True}
    place.interrupts = "To view this run"
    place.says(place.run("apply", "-no-color", "-auto-approve", code=1),
               "The remote operation was successfully cancelled.")
    place.expect("it is cancelled", list(place.service.runs.values())[-1].actions == ["cancel"])
    place.says(place.run("plan", "-no-color", answers=["no"], code=1),
               "Do you want to cancel the remote operation?",
               "The remote operation was not cancelled.")
    place.expect("it goes on", list(place.service.runs.values())[-1].actions == [])


TESTS = (runs, run_checks, runs_of_cloud, saved_plans, shown_plans, modes_of_plans, documents_of_plans,
         shown_logs, generated, waiting_runs, policies, run_tasks, interrupted)

if __name__ == "__main__":
    sys.exit(hosted.main(TESTS))
