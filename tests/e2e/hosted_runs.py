#!/usr/bin/env python3
"""Plans and applies that an organization's service runs.

  hosted_runs.py --binary PATH [--only NAME]
"""
import json
import os
import sys

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
                                        "diagnostic": {"detail": "Because."}}) + "\nplain"}
    text = place.run("plan", "-no-color", '-var=v=a"b', "-var-file=some.tfvars")
    place.says(text, "Running plan in cloud backend.", "terraform_data.a: Plan to create",
               "Error: no Because.", "plain")
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


TESTS = (runs, run_checks, runs_of_cloud, saved_plans, run_tasks, interrupted)

if __name__ == "__main__":
    sys.exit(hosted.main(TESTS))
