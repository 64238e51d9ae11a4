#!/usr/bin/env python3
"""Opens reports of `show -html` in a headless browser and uses them.

  report.py --binary PATH [--measure] [--screenshots DIRECTORY]

The page of a plan with 10,000 changes is written, measured and opened in both themes: the browser runs a script behind
that of the page, whose results are compared. The page must load nothing and report no error. --measure also compares
the times with their goals. --screenshots keeps pictures of each view in both themes. Without Chromium (Debian's package
`chromium`) only the file is tested.
"""
import argparse
import html
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile

TYPES = ["aws_instance", "aws_security_group", "aws_s3_bucket", "aws_iam_role", "google_sql"]
MODULES = ["", "module.net", "module.app", "module.app.module.db"]
ACTIONS = [["create"], ["update"], ["delete"], ["delete", "create"], ["read"]]
PAGE_BYTES = 250_000
WRITE_SECONDS = 0.3
OPEN_MILLISECONDS = 2000

THEMES = {"light": [], "dark": ["--blink-settings=preferredColorScheme=0"]}
# What a page does before its own scripts run, and when it has opened.
WATCH = r"""
<script>
  window.problems = [];
  for (const sort of ["error", "unhandledrejection"])
    addEventListener(sort, event => problems.push(String(event.message || event.reason)), true);
  for (const sort of ["error", "warn"])
    console[sort] = (...words) => problems.push(words.join(" "));
</script>
"""
OPENED = r"""
<script>
  addEventListener("load", () => {
    document.body.offsetHeight;
    const opened = performance.now();
    document.body.append(Object.assign(document.createElement("pre"), { textContent: "OPENED" + opened + "OPENED" }));
  });
</script>
"""
# What the browser runs behind the page. Each line of the result is compared with EXPECTED.
SCRIPT = r"""
<script>
(async () => {
  const out = {};
  const at = id => document.getElementById(id);
  const later = () => new Promise(done => setTimeout(done, 0));
  const press = (node, key) => node.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
  const set = (id, value, event) => { at(id).value = value; at(id).dispatchEvent(new Event(event, { bubbles: true })); };
  out.dark = matchMedia("(prefers-color-scheme: dark)").matches;
  out.background = getComputedStyle(document.body).backgroundColor;
  out.title = document.title;
  out.found = at("found").textContent;
  out.rows = document.querySelectorAll(".row").length < 120;
  out.counts = at("counts").textContent;
  set("search", "r3[150]", "input");
  out.search = at("found").textContent;
  set("search", "team<b>", "input");
  out.values = at("found").textContent !== "0 of 10,000";
  set("search", "", "input");
  set("module", "module.net", "change");
  out.module = at("found").textContent;
  set("module", "\n", "change");
  set("type", "aws_s3_bucket", "change");
  out.type = at("found").textContent;
  set("type", "\n", "change");
  const button = at("counts").querySelector("button");
  button.click();
  out.pressed = button.getAttribute("aria-pressed");
  out.action = at("found").textContent;
  button.click();
  set("group", "m", "change");
  out.heads = [...document.querySelectorAll(".row.head .name")].map(node => node.textContent)[0];
  set("group", "k", "change");
  press(at("list"), "Home");
  press(at("list"), "ArrowDown");
  out.detail = at("detail").querySelector("h2").textContent.trim();
  out.chosen = document.querySelectorAll('.row[aria-selected="true"]').length;
  press(at("list"), "End");
  out.end = at("list").scrollTop > 100000;
  press(document.body, "3");
  await later();
  out.graph = document.querySelectorAll("#graph .box").length;
  out.lines = document.querySelectorAll("#graph path").length;
  at("graph-collapse").click();
  out.collapsed = document.querySelectorAll("#graph .box").length;
  document.querySelector("#graph .box.module").dispatchEvent(new MouseEvent("click", { bubbles: true }));
  out.expanded = document.querySelectorAll("#graph .box").length > out.collapsed;
  press(document.body, "4");
  out.checks = at("view-checks").textContent;
  press(document.body, "2");
  out.outputs = at("view-outputs").textContent;
  const theme = document.documentElement.dataset.theme;
  press(document.body, "t");
  out.theme = document.documentElement.dataset.theme !== theme;
  out.themed = getComputedStyle(document.body).backgroundColor !== out.background;
  out.loaded = performance.getEntriesByType("resource").map(entry => entry.name);
  out.problems = problems;
  document.body.replaceChildren(Object.assign(document.createElement("pre"), { textContent: "RESULT" + JSON.stringify(out) + "RESULT" }));
})();
</script>
"""

EXPECTED = {
    "title": "Plan plan.json",
    "found": "10,000 in all",
    "rows": True,
    "counts": "- 2,000 destroy-/+ 2,000 replace~ 2,000 update+ 2,000 create<= 2,000 read",
    "search": "1 of 10,000",
    "values": True,
    "module": "2,500 of 10,000",
    "type": "2,000 of 10,000",
    "pressed": "true",
    "action": "2,000 of 10,000",
    "heads": "module.app",
    "detail": "- module.app.aws_instance.r0[2]",
    "chosen": 1,
    "end": True,
    "graph": 9,
    "lines": 7,
    "collapsed": 5,
    "expanded": True,
    "theme": True,
    "themed": True,
    "loaded": [],
    "problems": [],
}


def change(i):
    module, kind = MODULES[i % 4], TYPES[(i // 4) % 5]
    actions = ACTIONS[i % 5]
    before = {"id": "i-%d" % i, "tags": {"env": "prod", "owner": "team<b>"}, "password": "SECRET%d" % i, "size": 3,
              "rules": [{"port": 80}, {"port": 443}], "text": "a\nb"}
    after = dict(before, tags={"env": "</script><script>alert(1)</script>", "owner": "team<b>"}, size=4,
                 password="SECRETNEW%d" % i, rules=[{"port": 80}, {"port": 8443}])
    created, deleted = actions == ["create"], actions == ["delete"]
    return {"address": (module + "." if module else "") + "%s.r%d[%d]" % (kind, i // 50, i),
            "module_address": module, "mode": "managed", "type": kind, "name": "r%d" % (i // 50), "index": i,
            "provider_name": "p", "change": {
                "actions": actions, "before": None if created else before, "after": None if deleted else after,
                "after_unknown": {} if deleted else {"arn": True},
                "before_sensitive": False if created else {"password": True},
                "after_sensitive": False if deleted else {"password": True}, "replace_paths": [["size"]]}}


def module_of(count, calls=None, first=None):
    resources = []
    for i in range(count):
        references = ["aws_instance.b%d.id" % (i - 1), "aws_instance.b%d" % (i - 1)] if i else first or []
        resources.append({"address": "aws_instance.b%d" % i, "mode": "managed", "type": "aws_instance",
                          "name": "b%d" % i, "expressions": {"x": {"references": references}}})
    return {"resources": resources, "module_calls": calls or {},
            "outputs": {"o": {"expression": {"references": ["aws_instance.b0.id", "aws_instance.b0"]}}}}


def document():
    app = module_of(2, {"db": {"module": module_of(2)}}, first=["var.v"])
    root = module_of(3, {"net": {"module": module_of(2)},
                         "app": {"expressions": {"v": {"references": ["module.net.o", "module.net"]}}, "module": app}},
                     first=["module.app.o"])
    hidden = {"actions": ["update"], "before": "SECRETA", "after": "SECRETB", "before_sensitive": True, "after_sensitive": True}
    return {"format_version": "1.2", "terraform_version": "1.12.6",
            "resource_changes": [change(i) for i in range(10_000)],
            "output_changes": {"url": {"actions": ["update"], "before": "a", "after": "b"}, "token": hidden},
            "checks": [{"address": {"kind": "check", "to_display": "check.sizes"}, "status": "fail", "instances": [
                {"address": {"to_display": "check.sizes"}, "status": "fail", "problems": [{"message": "There are 3."}]}]}],
            "configuration": {"root_module": root}}


class Test:
    def __init__(self, measure):
        self.failures, self.measure = 0, measure

    def expect(self, good, what):
        if not good:
            self.failures += 1
            print("FAIL", what)


def test_file(test, binary, folder):
    """Writes the report and checks the file. Returns its text."""
    with open(os.path.join(folder, "plan.json"), "w", encoding="utf-8") as file:
        json.dump(document(), file)
    start = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([binary, "show", "-html=report.html", "plan.json"], cwd=folder, capture_output=True, text=True, check=False)
    end = resource.getrusage(resource.RUSAGE_CHILDREN)
    test.expect(done.returncode == 0 and not done.stdout, "show -html: " + done.stdout + done.stderr)
    seconds = end.ru_utime + end.ru_stime - start.ru_utime - start.ru_stime
    test.expect(not test.measure or seconds < WRITE_SECONDS, "writing took %.2f s" % seconds)
    with open(os.path.join(folder, "report.html"), encoding="utf-8") as file:
        text = file.read()
    data = re.search(r'id="data">(.*?)</script>', text, re.S).group(1)
    json.loads(data)
    test.expect(len(text) - len(data) <= PAGE_BYTES, "the page has %d bytes beside its data" % (len(text) - len(data)))
    test.expect("SECRET" not in text, "a secret is in the page")
    test.expect("<" not in data, "the data could end its element")
    loaded = re.findall(r"""(?:src|href)\s*=|url\(|@import|fetch\(|XMLHttpRequest|https?://(?!www\.w3\.org/2000/svg)""", text.replace(data, ""))
    test.expect(not loaded, "the page loads something: %s" % loaded)
    printed = subprocess.run([binary, "show", "-html", "plan.json"], cwd=folder, capture_output=True, text=True, check=False)
    test.expect(printed.stdout == text, "standard output has another report than the file")
    print("written in %.2f s, %d bytes beside %d of data" % (seconds, len(text) - len(data), len(data)))
    return text


def browse(browser, folder, words, page, seconds=120):
    """Without connections of the browser's own. `--host-resolver-rules`: nor any of the page."""
    return subprocess.run([browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-quic",
                           "--no-first-run", "--disable-background-networking", "--disable-component-update",
                           "--disable-sync", "--host-resolver-rules=MAP * ~NOTFOUND",
                           "--user-data-dir=" + os.path.join(folder, "profile"), *words, page],
                          capture_output=True, text=True, timeout=seconds, check=False)


def open_page(test, browser, folder, text):
    """Measures how long the page takes to open, in the browser's own time."""
    with open(os.path.join(folder, "opened.html"), "w", encoding="utf-8") as file:
        file.write(text.replace("</body>", OPENED + "</body>"))
    done = browse(browser, folder, ["--dump-dom"], "file://%s/opened.html" % folder)
    opened = re.search("OPENED([0-9.]+)OPENED", done.stdout)
    test.expect(opened, "the page did not open: " + done.stderr[-800:])
    if opened:
        milliseconds = float(opened.group(1))
        test.expect(not test.measure or milliseconds < OPEN_MILLISECONDS, "the page opened in %d ms" % milliseconds)
        print("opened in %d ms" % milliseconds)


def test_page(test, browser, folder, text, theme):
    with open(os.path.join(folder, "driven.html"), "w", encoding="utf-8") as file:
        file.write(text.replace("<head>", "<head>" + WATCH).replace("</body>", SCRIPT + "</body>"))
    # The browser's clock runs ahead, so that it waits for all that the script waits for.
    done = browse(browser, folder, [*THEMES[theme], "--virtual-time-budget=20000", "--dump-dom"],
                  "file://%s/driven.html" % folder)
    found = re.search("RESULT(.*)RESULT", html.unescape(done.stdout), re.S)
    if not found:
        test.expect(False, "the page has no result: " + done.stdout[-400:] + done.stderr[-800:])
        return
    result = json.loads(found.group(1))
    for name, value in EXPECTED.items():
        test.expect(result.get(name) == value, "%s: %s is %r, not %r" % (theme, name, result.get(name), value))
    test.expect(result["dark"] == (theme == "dark"), "the browser is not " + theme)
    test.expect("There are 3." in result["checks"], "no message of a check: " + result["checks"])
    test.expect("(sensitive value)" in result["outputs"], "no hidden output: " + result["outputs"])


def screenshots(browser, folder, to):
    os.makedirs(to, exist_ok=True)
    for theme, settings in THEMES.items():
        for view in ("changes", "outputs", "graph", "checks", "module.net.aws_s3_bucket.r5[269]", "aws_instance.r0[40]"):
            name = re.sub(r"\W", "-", view) + "-" + theme + ".png"
            browse(browser, folder, [*settings, "--virtual-time-budget=20000", "--hide-scrollbars", "--window-size=1200,760",
                                     "--screenshot=" + os.path.join(to, name)], "file://%s/report.html#%s" % (folder, view))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--binary", required=True)
    parser.add_argument("--measure", action="store_true")
    parser.add_argument("--screenshots")
    args = parser.parse_args()
    test = Test(args.measure)
    browser = shutil.which("chromium")
    with tempfile.TemporaryDirectory(prefix="report-") as folder:
        text = test_file(test, os.path.abspath(args.binary), folder)
        if browser is None:
            print("chromium is not installed: the page was not opened")
        else:
            open_page(test, browser, folder, text)
            for theme in THEMES:
                test_page(test, browser, folder, text, theme)
            if args.screenshots:
                screenshots(browser, folder, args.screenshots)
    print("%d failed" % test.failures)
    return 1 if test.failures else 0


if __name__ == "__main__":
    sys.exit(main())
