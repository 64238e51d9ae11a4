"""A service that keeps the states of an organization's workspaces, on the loopback interface.

start() gives a Service with `url`, `log` (the requests so far), `workspaces` by name, and `faults`:
how often an answer to a request is a given status before it is the right one.
"""
import base64
import gzip
import hashlib
import http.server
import io
import json
import os
import re
import ssl
import tarfile
import threading
import urllib.parse

import answers

ORGANIZATION = "acme"
TOKEN = "open sesame"
KIND = "application/vnd.api+json"
CERTIFICATE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "loopback.pem")
PAGE = 2


class Workspace:
    def __init__(self, number, name, version):
        self.id = "ws-%d" % number
        self.name = name
        self.version = version
        self.mode = "local"
        self.tags = []
        self.project = None
        self.directory = ""
        self.auto_apply = False
        self.rights = {"can-force-delete": True, "can-update": True, "can-queue-run": True,
                       "can-queue-apply": True}
        self.repository = None
        self.shows_plans = False  # "structured run output"
        self.locked = None
        self.versions = []  # of the state: attributes with "data"

    def current(self):
        stored = [v for v in self.versions if v.get("data") is not None]
        return stored[-1] if stored else None

    def state(self):
        version = self.current()
        return None if version is None else json.loads(version["data"])

    def resource(self):
        out = {"id": self.id, "type": "workspaces",
               "attributes": {"name": self.name, "terraform-version": self.version,
                              "execution-mode": self.mode, "locked": self.locked is not None,
                              "tag-names": self.tags, "auto-apply": self.auto_apply,
                              "working-directory": self.directory, "vcs-repo": self.repository,
                              "structured-run-output-enabled": self.shows_plans,
                              "permissions": self.rights},
               "relationships": {}}
        if self.locked:
            out["relationships"]["locked-by"] = {"data": {"id": self.locked, "type": "users"}}
        return out


class Run:
    """A run that goes a step further with each question about it. `script` is what happens:
    the log of the plan, that of the apply, and facts that differ from the usual ones."""

    def __init__(self, number, attributes, files, script):
        self.id = "run-%d" % number
        self.attributes = attributes
        self.workspace = None
        self.files = files
        self.script = {"plan": "Plan: 1 to add, 0 to change, 0 to destroy.",
                       "apply": "Apply complete! Resources: 1 added.", "changes": True,
                       "speculative": False, "fails": None, "checks": [], "estimate": None,
                       **script}
        self.status = "pending"
        self.asked = 0
        self.actions = []
        self.overridden = False

    def step(self):
        self.asked += 1
        if self.status == "pending" and self.asked > 1 and not self.script.get("stuck"):
            self.status = "planning"
        elif self.status == "planning":
            self.status = self.script["fails"] or (
                "planned_and_saved" if self.script["changes"] and self.attributes.get("save-plan")
                else "planned" if self.script["changes"] and not self.script["speculative"]
                else "planned_and_finished")
        elif self.status == "confirmed":
            self.status = "applying"

    def log(self, kind):
        text = self.script["plan" if kind == "plans" else "apply"]
        head = "" if kind == "plans" else "one\ntwo\nthree\n"
        return b"\x02" + (head + text).encode() + b"\x03"

    def resource(self):
        waiting = self.status in ("planned", "planned_and_saved", "policy_soft_failed")
        relations = {"plan": {"data": {"id": "plan-" + self.id, "type": "plans"}},
                     "apply": {"data": {"id": "apply-" + self.id, "type": "applies"}},
                     "policy-checks": {"data": [{"id": "pol-%d" % i, "type": "policy-checks"}
                                                for i in range(len(self.script["checks"]))]}}
        if self.workspace:
            relations["workspace"] = {"data": {"id": self.workspace, "type": "workspaces"}}
        if self.script["estimate"]:
            relations["cost-estimate"] = {"data": {"id": "ce-1", "type": "cost-estimates"}}
        return {"id": self.id, "type": "runs", "relationships": relations,
                "attributes": {"status": self.status, "has-changes": self.script["changes"],
                               "is-destroy": self.attributes.get("is-destroy", False),
                               "refresh-only": self.attributes.get("refresh-only", False),
                               "permissions": {"can-apply": self.script.get("can-apply", True)},
                               "actions": {"is-cancelable": self.status in ("pending", "planning",
                                                                            "applying"),
                                           "is-confirmable": waiting,
                                           "is-discardable": waiting}}}


    def plan(self):
        return {"id": "plan-" + self.id, "type": "plans", "attributes": {
            "status": self.script.get("plan-status", "finished"), "has-changes": self.script["changes"],
            "generated-configuration": self.script.get("generated", False)}}


class Refusal(Exception):
    def __init__(self, status, title, detail=""):
        super().__init__(title)
        self.status = status
        self.title = title
        self.detail = detail


class Text(Exception):
    """An answer that is no document of the interface."""


class Service:
    def __init__(self):
        self.log = []
        self.agents = set()
        self.integration = set()
        self.workspaces = {}
        self.projects = {}
        self.operations = True
        self.interface = "2.6"
        self.product = "HCP Terraform"
        self.interval = None
        self.inline_only = False
        self.known_versions = ("1.12.6", "1.5.7")
        self.faults = {}
        self.uploads = {}  # configurations by id: their files by name
        self.runs = {}
        self.script = {}  # of the next runs
        self.guard = threading.RLock()
        self.counter = 0
        service = self

        class Handler(answers.AnswerHandler):
            def handle_any(self):
                length = int(self.headers.get("Content-Length") or 0)
                body = self.rfile.read(length)
                with service.guard:
                    status, data, headers = service.answer(self.command, self.path, self.headers,
                                                           body)
                kind = KIND if self.path.startswith("/api/") else "application/octet-stream"
                self.answer(status, data, kind, headers)

            do_GET = do_POST = do_PATCH = do_DELETE = do_PUT = handle_any

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = "http://127.0.0.1:%d" % self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def configuration(self, host="hosted.example.com", token=TOKEN):
        """A CLI configuration in which the host is this service."""
        services = ", ".join('"%s" = "%s/api/v2/"' % (name, self.url)
                             for name in ("tfe.v2", "tfe.v2.1", "state.v2"))
        out = 'host "%s" {\n  services = { %s }\n}\n' % (host, services)
        if token:
            out += 'credentials "%s" {\n  token = "%s"\n}\n' % (host, token)
        return out

    def discover(self):
        """Starts a host that names this service in its discovery document. Returns its name."""
        document = json.dumps({name: self.url + "/api/v2/" for name in
                               ("tfe.v2", "tfe.v2.1")}).encode()

        class Handler(answers.AnswerHandler):
            def do_GET(self):
                known = self.path == "/.well-known/terraform.json"
                self.answer(200 if known else 404, document if known else b"", "application/json")

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(CERTIFICATE)
        server.socket = context.wrap_socket(server.socket, server_side=True)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        return "localhost:%d" % server.server_address[1]

    def add(self, name, version="1.12.6"):
        self.counter += 1
        self.workspaces[name] = Workspace(self.counter, name, version)
        return self.workspaces[name]

    def answer(self, method, path, headers, body):
        path, _, query = path.partition("?")
        self.log.append(method + " " + path + (
            "?" + urllib.parse.unquote(query) if query else ""))
        key = method + " " + re.sub(r"(ws|sv)-\d+", r"\1", path)
        extra = [("TFP-API-Version", self.interface), ("TFP-AppName", self.product)]
        if self.interval is not None:
            extra.append(("x-terraform-snapshot-interval", str(self.interval)))
        if self.faults.get(key):
            return self.faults[key].pop(0), b"", extra
        if path.startswith("/logs/"):
            return 200, self.log_piece(path, urllib.parse.parse_qs(query)), extra
        self.agents.add(headers.get("User-Agent"))
        self.integration.add(headers.get("X-Terraform-Integration"))
        try:
            if path.startswith("/upload/"):
                return 200, self.upload(path[len("/upload/"):], headers, body), extra
            if path != "/api/v2/ping" and headers.get("Authorization") != "Bearer " + TOKEN:
                raise Refusal(401, "unauthorized")
            if path.startswith("/download/"):
                return 200, self.find_version(path[len("/download/"):])[1]["data"], extra
            document = json.loads(body) if body else None
            status, value = self.route(method, path[len("/api/v2/"):], urllib.parse.parse_qs(query),
                                       document)
            return status, b"" if value is None else json.dumps(value).encode(), extra
        except Text as text:
            return 200, str(text).encode(), extra
        except Refusal as refusal:
            error = {"status": str(refusal.status), "title": refusal.title}
            if refusal.detail:
                error["detail"] = refusal.detail
            return refusal.status, json.dumps({"errors": [error]}).encode(), extra

    def route(self, method, path, query, document):
        if path == "ping":
            return 204, None
        parts = [urllib.parse.unquote(p) for p in path.split("/")]
        if parts[0] == "organizations":
            if parts[1] != ORGANIZATION:
                raise Refusal(404, "not found")
            return self.organization(method, parts[2:], query, document)
        if parts[0] == "workspaces":
            found = [w for w in self.workspaces.values() if w.id == parts[1]]
            if not found:
                raise Refusal(404, "not found")
            return self.workspace(method, found[0], "/".join(parts[2:]), document)
        if parts[0] == "configuration-versions":
            known = self.uploads[parts[1]] is not None
            return 200, self.configuration_document(parts[1], "uploaded" if known else "pending")
        if parts[0] == "task-stages" or "task_stages" in query.get("include", ""):
            return self.tasks(method, parts)
        if parts[0] == "policy-evaluations":
            return 200, self.page(self.outcomes(parts[1].partition("-")[2]))
        if parts[0] == "runs" and "include" in query:
            return 200, self.run_with_plan(parts[1])
        if parts[0] in ("runs", "plans", "applies", "policy-checks", "cost-estimates"):
            return self.run(method, parts, document)
        if parts[0] == "state-versions":
            return 200, self.version_document(self.find_version(parts[1])[1])
        raise Refusal(404, "not found")

    def organization(self, method, parts, query, document):
        if parts == ["entitlement-set"]:
            return 200, {"data": {"id": "e", "type": "entitlement-sets",
                                  "attributes": {"operations": self.operations,
                                                 "state-storage": True}}}
        if parts == ["runs", "queue"]:
            return 200, self.page([])
        if parts == ["capacity"]:
            return 200, {"data": {"id": "c", "type": "organization-capacity",
                                  "attributes": {"pending": 0, "running": 1}}}
        if parts == ["workspaces"] and method == "GET":
            return 200, self.list(query)
        if parts == ["workspaces"]:
            return 201, self.create(document["data"])
        if parts == ["projects"] and method == "GET":
            names = query.get("filter[names]", [""])[0].split(",")
            return 200, {"data": [{"id": i, "type": "projects", "attributes": {"name": n}}
                                  for n, i in self.projects.items() if n in names]}
        if parts == ["projects"]:
            name = document["data"]["attributes"]["name"]
            self.projects[name] = "prj-%d" % (len(self.projects) + 1)
            return 201, {"data": {"id": self.projects[name], "type": "projects",
                                  "attributes": {"name": name}}}
        workspace = self.workspaces.get(parts[1])
        if workspace is None:
            raise Refusal(404, "not found")
        if parts[2:] == ["actions", "safe-delete"]:
            state = workspace.state()
            if workspace.locked:
                raise Refusal(409, "conflict", "Workspace is currently locked.")
            if state and state["resources"]:
                raise Refusal(409, "conflict", "still managing resources")
            del self.workspaces[workspace.name]
            return 204, None
        if method == "DELETE":
            del self.workspaces[workspace.name]
            return 204, None
        return 200, {"data": workspace.resource()}

    @staticmethod
    def page(resources):
        return {"data": resources,
                "meta": {"pagination": {"current-page": 1, "total-pages": 1, "next-page": None,
                                        "prev-page": None, "total-count": len(resources)}}}

    def list(self, query):
        found = sorted(self.workspaces.values(), key=lambda w: w.name)
        if "search[name]" in query:
            found = [w for w in found if query["search[name]"][0] in w.name]
        if "search[tags]" in query:
            tags = query["search[tags]"][0].split(",")
            found = [w for w in found if all(t in w.tags for t in tags)]
        if "filter[project][id]" in query:
            found = [w for w in found if w.project == query["filter[project][id]"][0]]
        page = int(query.get("page[number]", ["1"])[0])
        pages = max(1, -(-len(found) // PAGE))
        return {"data": [w.resource() for w in found[(page - 1) * PAGE:page * PAGE]],
                "meta": {"pagination": {"current-page": page, "total-pages": pages,
                                        "next-page": page + 1 if page < pages else None,
                                        "prev-page": page - 1 if page > 1 else None,
                                        "total-count": len(found)}}}

    def create(self, data):
        attributes = data["attributes"]
        version = attributes.get("terraform-version", "1.5.7")
        if version not in self.known_versions:
            raise Refusal(422, "invalid attribute", "Terraform version is invalid")
        workspace = self.add(attributes["name"], version)
        relations = data.get("relationships", {})
        workspace.tags = [t["attributes"]["name"]
                          for t in relations.get("tags", {}).get("data") or []]
        project = relations.get("project", {}).get("data")
        workspace.project = project["id"] if project else None
        return {"data": workspace.resource()}

    def log_piece(self, path, query):
        _, _, kind, run = path.split("/")
        begin = int(query["offset"][0])
        return self.runs[run].log(kind)[begin:begin + min(20, int(query["limit"][0]))]

    def configuration_document(self, number, status):
        return {"data": {"id": number, "type": "configuration-versions",
                         "attributes": {"status": status,
                                        "upload-url": "%s/upload/%s" % (self.url, number)}}}

    def run(self, method, parts, document):
        if parts == ["runs"]:
            data = document["data"]
            self.counter += 1
            files = self.uploads[data["relationships"]["configuration-version"]["data"]["id"]]
            run = Run(self.counter, data["attributes"], files, self.script)
            run.script["speculative"] = files["speculative"]
            run.workspace = data["relationships"]["workspace"]["data"]["id"]
            self.runs[run.id] = run
            return 201, {"data": run.resource()}
        if parts[0] == "runs":
            run = self.find_run(parts[1])
            if parts[2:] == ["run-events"]:
                return 200, self.page([{"id": "re-%d" % i, "type": "run-events",
                                        "attributes": {"action": action, "description": text}}
                                       for i, (action, text) in enumerate(run.script.get("events", ()))])
            if parts[2:] and method == "GET":
                return 200, self.page([])
            if method == "POST":
                run.actions.append(parts[3])
                run.status = {"apply": "confirmed", "discard": "discarded",
                              "cancel": "canceled"}[parts[3]]
                return 202, None
            run.step()
            return 200, {"data": run.resource()}
        run = list(self.runs.values())[-1]
        if parts[0] == "plans" and parts[2:]:
            text = self.runs[parts[1].partition("-")[2]].script.get(parts[2])
            if text is None:
                raise Refusal(404, "not found")
            raise Text(text)
        if parts[0] in ("plans", "applies"):
            run.step()
            run = self.runs[parts[1].partition("-")[2]]
            status = "finished"
            if parts[0] == "applies" and run.status == "applying":
                run.status = run.script.get("ends", "applied")
            return 200, {"data": {"id": parts[1], "type": parts[0], "attributes": {
                "status": status, "log-read-url": "%s/logs/%s/%s" % (self.url, parts[0], run.id)}}}
        if parts[0] == "cost-estimates":
            return 200, {"data": {"id": parts[1], "type": parts[0],
                                  "attributes": run.script["estimate"]}}
        check = run.script["checks"][int(parts[1].partition("-")[2])]
        if parts[2:] == ["output"]:
            raise Text("policy says " + check["status"])
        if parts[2:] == ["actions", "override"]:
            run.overridden = True
        return 200, {"data": {"id": parts[1], "type": parts[0], "attributes": {
            "status": check["status"], "scope": check["scope"],
            "actions": {"is-overridable": True}, "permissions": {"can-override": True}}}}

    def find_run(self, number):
        if number not in self.runs:
            raise Refusal(404, "not found")
        return self.runs[number]

    def run_with_plan(self, number):
        """A run, its plan and its workspace."""
        run = self.find_run(number)
        return {"data": run.resource(), "included": [run.plan()] + [
            w.resource() for w in self.workspaces.values() if w.id == run.workspace]}

    def outcomes(self, run):
        """What single policies say. In the script a set is (name, [(policy, status, level, text)])."""
        return [{"id": "pso-%d" % i, "type": "policy-set-outcomes", "attributes": {
            "policy-set-name": name, "outcomes": [
                {"policy_name": policy, "status": status, "enforcement_level": level, "description": text}
                for policy, status, level, text in policies]}}
            for i, (name, policies) in enumerate(self.runs[run].script["outcomes"])]

    def tasks(self, method, parts):
        """The stages of a run, or one with what its tasks say. In the script a stage is a list of
        answers: (status, [(name, status, level)]); "evaluations" are what all stages have of policies."""
        if parts[0] == "runs":
            run = self.runs[parts[1]]
            stages = [{"id": "ts-%s-%s" % (stage, run.id), "type": "task-stages",
                       "attributes": {"stage": stage, "status": "pending"}}
                      for stage in run.script.get("tasks", {})]
            data = run.resource()
            data["relationships"]["task-stages"] = {"data": [
                {"id": s["id"], "type": s["type"]} for s in stages]}
            return 200, {"data": data, "included": stages}
        _, stage, run = parts[1].split("-", 2)
        answers = self.runs[run].script["tasks"][stage]
        if parts[2:] == ["actions", "override"]:
            self.runs[run].overridden = True
            return 200, None
        status, tasks = answers.pop(0) if len(answers) > 1 else answers[0]
        results = [{"id": "tr-%d" % i, "type": "task-results", "attributes": {
            "task-name": name, "status": outcome, "message": "it is " + outcome, "url": "https://task.test/",
            "workspace-task-enforcement-level": level}} for i, (name, outcome, level) in enumerate(tasks)]
        evaluations = [{"id": "poleval-" + run, "type": "policy-evaluations",
                        "attributes": {"status": outcome, "result-count": counts}}
                       for outcome, counts in self.runs[run].script.get("evaluations", ())]
        return 200, {"data": {"id": parts[1], "type": "task-stages",
                              "attributes": {"stage": stage, "status": status},
                              "relationships": {
                                  "task-results": {"data": [{"id": r["id"], "type": r["type"]}
                                                            for r in results]},
                                  "policy-evaluations": {"data": [{"id": e["id"], "type": e["type"]}
                                                                  for e in evaluations]}}},
                     "included": results + evaluations}

    def workspace(self, method, workspace, action, document):
        if action == "":
            if method == "PATCH":
                version = document["data"]["attributes"]["terraform-version"]
                if version not in self.known_versions:
                    raise Refusal(422, "invalid attribute", "Terraform version is invalid")
                workspace.version = version
            return 200, {"data": workspace.resource()}
        if action == "actions/lock":
            if workspace.locked:
                raise Refusal(409, "conflict", "Workspace is locked")
            workspace.locked = "user-7"
            workspace.reason = document["data"]["attributes"]["reason"]
            return 200, {"data": workspace.resource()}
        if action in ("actions/unlock", "actions/force-unlock"):
            if not workspace.locked:
                raise Refusal(409, "conflict", "Workspace is not locked")
            workspace.locked = None
            return 200, {"data": workspace.resource()}
        if action == "relationships/tags":
            workspace.tags += [t["attributes"]["name"] for t in document["data"]
                               if t["attributes"]["name"] not in workspace.tags]
            return 204, None
        if action == "current-state-version":
            version = workspace.current()
            if version is None:
                raise Refusal(404, "not found")
            return 200, self.version_document(version)
        if action == "runs":
            return 200, self.page([r.resource() for r in reversed(self.runs.values())])
        if action == "configuration-versions":
            self.counter += 1
            number = "cv-%d" % self.counter
            self.uploads[number] = None
            self.speculative = document["data"]["attributes"]["speculative"]
            return 201, self.configuration_document(number, "pending")
        if action == "state-versions":
            return 201, self.version_document(self.announce(workspace, document["data"]))
        raise Refusal(404, "not found")

    def announce(self, workspace, data):
        version = dict(data["attributes"])
        if self.inline_only and "state" not in version:
            raise Refusal(400, "param is missing or the value is empty: state")
        if not workspace.locked:
            raise Refusal(409, "conflict", "Workspace must be locked to store a state")
        before = workspace.current()
        if before and not version.get("force"):
            if before["lineage"] != version["lineage"]:
                raise Refusal(409, "conflict", "The lineage is another one")
            if before["serial"] >= version["serial"]:
                raise Refusal(409, "conflict", "The serial is not newer")
        self.counter += 1
        version["id"] = "sv-%d" % self.counter
        version["run"] = data.get("relationships", {}).get("run", {}).get("data", {}).get("id")
        outputs = version.get("json-state-outputs")  # missing from encrypted states
        version["outputs"] = json.loads(base64.b64decode(outputs)) if outputs else {}
        version["data"] = None
        if "state" in version:
            self.keep(version, base64.b64decode(version["state"]))
        workspace.versions.append(version)
        return version

    def keep(self, version, data):
        if hashlib.md5(data).hexdigest() != version["md5"]:
            raise Refusal(400, "the digest is not that of the state")
        version["data"] = data

    def upload(self, number, headers, body):
        if headers.get("Authorization"):
            raise Refusal(400, "uploads have no token")
        if number.endswith("/json"):
            return b""
        if number in self.uploads:
            with tarfile.open(fileobj=io.BytesIO(gzip.decompress(body))) as archive:
                self.uploads[number] = {m.name: archive.extractfile(m).read() if m.isfile() else None
                                        for m in archive.getmembers()}
            self.uploads[number]["speculative"] = self.speculative
            return b""
        self.keep(self.find_version(number)[1], body)
        return b""

    def find_version(self, number):
        for workspace in self.workspaces.values():
            for version in workspace.versions:
                if version["id"] == number:
                    return workspace, version
        raise Refusal(404, "not found")

    def version_document(self, version):
        return {"data": {"id": version["id"], "type": "state-versions",
                         "attributes": {"serial": version["serial"],
                                        "hosted-state-download-url":
                                            "%s/download/%s" % (self.url, version["id"]),
                                        "hosted-state-upload-url":
                                            "%s/upload/%s" % (self.url, version["id"]),
                                        "hosted-json-state-upload-url":
                                            "%s/upload/%s/json" % (self.url, version["id"])}}}


def start():
    return Service()
