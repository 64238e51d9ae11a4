
// The page: filters, the list of changes with virtual scrolling, diffs, outputs and checks. All texts
// of the data become text nodes, never markup.
(() => {
  const HIDDEN = "(sensitive value)";
  const ROW = 28;
  const MARKS = { create: "+", update: "~", delete: "-", replace: "-/+", read: "<=", forget: ".", import: "←", move: "→", exists: "", tainted: "!" };
  const ORDER = ["delete", "replace", "forget", "update", "import", "move", "create", "read", "tainted", "exists", "drift"];
  const NAMES = { delete: "destroy", exists: "objects", drift: "changed outside" };
  const data = JSON.parse(document.getElementById("data").textContent);
  const at = id => document.getElementById(id);
  const digits = number => number.toLocaleString("en-US");

  for (const change of data.drift) change.outside = true;
  const all = data.changes.concat(data.drift);
  for (const change of all) {
    change.text = null;  // for the search, made at the first one
    if (change.outside) change.g = "drift"; else change.g = change.k;
  }

  function make(name, attributes = {}, ...children) {
    const out = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) {
      if (key === "class") out.className = value; else out.setAttribute(key, value);
    }
    out.append(...children);
    return out;
  }

  // --- Diffs ---

  const isObject = value => value !== null && typeof value === "object" && !Array.isArray(value);
  const isNothing = value => value === null || value === undefined;

  function same(a, b) {
    if (a === b) return true;
    if (isNothing(a) && isNothing(b)) return true;
    if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((value, i) => same(value, b[i]));
    if (!isObject(a) || !isObject(b)) return false;
    const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
    return [...keys].every(key => same(a[key], b[key]));
  }

  class Diff {
    constructor(change) {
      this.out = make("div", { class: "diff" });
      this.secrets = new Set(change.s || []);
      this.forces = new Set((change.k === "replace" && change.f || []).map(path => JSON.stringify(path)));
      this.unchanged = 0;
    }
    line(kind, depth, parts, path) {
      const sign = { add: "+", remove: "-", change: "~", same: " ", hidden: " " }[kind];
      const row = make("div", { class: kind }, sign + " " + "  ".repeat(depth), ...parts);
      if (path && this.forces.has(JSON.stringify(path)) && kind !== "same") row.append(" ", make("b", { class: "forces" }, "forces replacement"));
      this.out.append(row);
    }
    value(value) {
      if (value === HIDDEN) return make("i", {}, HIDDEN);
      return JSON.stringify(value);
    }
    // A whole value on one side.
    side(kind, name, value, depth, path) {
      const label = name === null ? "" : name + " = ";
      if (Array.isArray(value) && value.length) {
        this.line(kind, depth, [label + "["], path);
        for (const element of value) this.side(kind, null, element, depth + 1);
        this.line(kind, depth, ["]"]);
      } else if (isObject(value) && Object.keys(value).length) {
        this.line(kind, depth, [label + "{"], path);
        for (const key of Object.keys(value).sort()) if (!isNothing(value[key])) this.side(kind, key, value[key], depth + 1);
        this.line(kind, depth, ["}"]);
      } else if (typeof value === "string" && value.includes("\n")) {
        this.line(kind, depth, [label + "<<EOT"], path);
        for (const text of value.split("\n")) this.line(kind, depth + 1, [text]);
        this.line(kind, depth, ["EOT"]);
      } else {
        this.line(kind, depth, [label, this.value(value)], path);
      }
    }
    after(label, depth, path, kind) {
      this.line(kind, depth, [label, make("i", {}, "(known after apply)")], path);
    }
    // A named value before and after.
    pair(name, before, now, unknown, depth, path, secret) {
      const label = name === null ? "" : name + " = ";
      if (unknown === true) {
        if (isNothing(before)) return this.after(label, depth, path, "add");
        if (typeof before === "object") {
          this.side("remove", name, before, depth, path);
          return this.after(label, depth, null, "add");
        }
        return this.line("change", depth, [label, this.value(before), " → ", make("i", {}, "(known after apply)")], path);
      }
      if (same(before, now) && !secret && !this.anyUnknown(unknown)) {
        if (!isNothing(now)) this.unchanged++;
        return undefined;
      }
      if (isObject(before) && isObject(now)) {
        this.line("change", depth, [label + "{"], path);
        this.members(before, now, unknown || {}, depth + 1, path);
        return this.line("same", depth, ["}"]);
      }
      if (Array.isArray(before) && Array.isArray(now)) {
        this.line("change", depth, [label + "["], path);
        this.elements(before, now, unknown || [], depth + 1, path);
        return this.line("same", depth, ["]"]);
      }
      if (isNothing(before)) return this.side("add", name, this.withUnknown(now, unknown), depth, path);
      if (isNothing(now)) return this.side("remove", name, before, depth, path);
      if (typeof before === "object" || typeof now === "object" || String(before).includes("\n") || String(now).includes("\n")) {
        this.side("remove", name, before, depth, path);
        return this.side("add", name, now, depth);
      }
      return this.line("change", depth, [label, this.value(before), " → ", this.value(now)], path);
    }
    anyUnknown(mask) {
      return mask === true || (mask && typeof mask === "object" && Object.values(mask).some(part => this.anyUnknown(part)));
    }
    withUnknown(value, mask) {
      if (mask === true) return "(known after apply)";
      if (!mask || typeof mask !== "object") return value;
      const out = Array.isArray(mask) ? [...(value || [])] : { ...value };
      for (const [key, part] of Object.entries(mask)) if (this.anyUnknown(part)) out[key] = this.withUnknown(out[key], part);
      return out;
    }
    members(before, now, unknown, depth, path) {
      const outer = this.unchanged;
      this.unchanged = 0;
      const keys = new Set([...Object.keys(before), ...Object.keys(now), ...Object.keys(unknown)]);
      for (const key of [...keys].sort()) {
        this.pair(key, before[key], now[key], unknown[key], depth, [...path, key], depth === 0 && this.secrets.has(key));
      }
      if (this.unchanged) this.line("hidden", depth, [`(${this.unchanged} unchanged)`]);
      this.unchanged = outer;
    }
    elements(before, now, unknown, depth, path) {
      const outer = this.unchanged;
      this.unchanged = 0;
      let start = 0;
      while (start < before.length && start < now.length && same(before[start], now[start]) && !this.anyUnknown(unknown[start])) start++;
      let end = 0;
      while (end < before.length - start && end < now.length - start && same(before[before.length - 1 - end], now[now.length - 1 - end]) &&
        !this.anyUnknown(unknown[now.length - 1 - end])) end++;
      if (start) this.line("hidden", depth, [`(${start} unchanged)`]);
      const count = Math.max(before.length, now.length) - end;
      for (let i = start; i < count; i++) {
        this.pair(null, i < before.length - end ? before[i] : null, i < now.length - end ? now[i] : null, i < now.length - end ? unknown[i] : undefined, depth, [...path, i]);
      }
      if (end) this.line("hidden", depth, [`(${end} unchanged)`]);
      this.unchanged = outer;
    }
  }

  function diffOf(change) {
    const diff = new Diff(change);
    if (change.k === "exists" || change.k === "tainted") {
      if (isObject(change.n)) for (const key of Object.keys(change.n).sort()) { if (!isNothing(change.n[key])) diff.side("same", key, change.n[key], 0); }
      else diff.side("same", null, change.n, 0);
    } else if (isObject(change.b) || isObject(change.n) || isObject(change.u)) {
      const before = isObject(change.b) ? change.b : {}, now = isObject(change.n) ? change.n : {};
      diff.members(before, now, isObject(change.u) ? change.u : {}, 0, []);
    } else {
      diff.pair(null, change.b, change.n, change.u, 0, [], (change.s || []).length > 0);
    }
    if (!diff.out.firstChild) diff.line("hidden", 0, ["No value differs."]);
    return diff.out;
  }

  // --- The list ---

  const filter = { search: "", module: null, type: null, actions: new Set(), group: "k" };
  const closed = new Set();
  let rows = [], chosen = null;

  function textOf(change) {
    if (change.text === null) {
      change.text = [change.a, change.t, change.r || "", change.p || "", JSON.stringify(change.b) || "", JSON.stringify(change.n) || ""].join("\n").toLowerCase();
    }
    return change.text;
  }
  function matches(change) {
    return (!filter.actions.size || filter.actions.has(change.g)) && (filter.module === null || change.m === filter.module) &&
      (filter.type === null || change.t === filter.type) && (!filter.search || textOf(change).includes(filter.search));
  }
  const titleOf = change => filter.group === "k" ? change.g : filter.group === "m" ? change.m || "root module" : change.t;

  function arrange() {
    const groups = new Map();
    let count = 0;
    for (const change of all) {
      if (!matches(change)) continue;
      count++;
      const title = titleOf(change);
      if (!groups.has(title)) groups.set(title, []);
      groups.get(title).push(change);
    }
    const titles = [...groups.keys()];
    if (filter.group === "k") titles.sort((a, b) => ORDER.indexOf(a) - ORDER.indexOf(b)); else titles.sort();
    rows = [];
    for (const title of titles) {
      rows.push({ title, count: groups.get(title).length });
      if (!closed.has(title)) for (const change of groups.get(title)) rows.push({ change });
    }
    at("found").textContent = count === all.length ? `${digits(count)} in all` : `${digits(count)} of ${digits(all.length)}`;
    at("rows").style.height = rows.length * ROW + "px";
    draw();
  }

  function rowOf(entry, index) {
    const out = make("div", { class: "row", role: "option", id: "row-" + index });
    out.style.top = index * ROW + "px";
    if (entry.change) {
      const change = entry.change;
      out.setAttribute("aria-selected", change === chosen);
      out.append(make("span", { class: "mark " + change.k }, MARKS[change.k] ?? "?"), make("span", { class: "name", title: change.a }, change.a));
      if (change.d) out.append(make("span", { class: "note" }, "deposed"));
      out.addEventListener("click", () => choose(change, index));
    } else {
      const name = NAMES[entry.title] || entry.title;
      out.className = "row head";
      out.setAttribute("aria-selected", entry.title === chosen);
      out.setAttribute("aria-expanded", !closed.has(entry.title));
      out.append(make("span", { class: "arrow" }, closed.has(entry.title) ? "▸" : "▾"), make("span", { class: "name" }, name), make("span", { class: "note" }, digits(entry.count)));
      out.addEventListener("click", () => toggle(entry.title, index));
    }
    return out;
  }

  // Only rows in sight exist.
  function draw() {
    const list = at("list");
    const first = Math.max(0, Math.floor(list.scrollTop / ROW) - 5);
    const last = Math.min(rows.length, Math.ceil((list.scrollTop + list.clientHeight) / ROW) + 5);
    const shown = [];
    for (let i = first; i < last; i++) shown.push(rowOf(rows[i], i));
    at("rows").replaceChildren(...shown);
  }

  const indexOf = item => rows.findIndex(row => row.change === item || (row.title !== undefined && row.title === item));
  function reveal(index) {
    const list = at("list");
    if (index * ROW < list.scrollTop) list.scrollTop = index * ROW;
    if ((index + 1) * ROW > list.scrollTop + list.clientHeight) list.scrollTop = (index + 1) * ROW - list.clientHeight;
    list.setAttribute("aria-activedescendant", "row-" + index);
  }
  function choose(item, index) {
    chosen = item;
    if (item && item.a !== undefined) { showDetail(item); remember(item.a); }
    reveal(index);
    draw();
  }
  function toggle(title, index) {
    if (!closed.delete(title)) closed.add(title);
    chosen = title;
    arrange();
    reveal(index);
  }

  const PHRASES = { delete: "will be destroyed", create: "will be created", update: "will be updated", replace: "must be replaced", read: "will be read during apply",
    forget: "will be forgotten, not destroyed", import: "will be imported", move: "has moved", exists: "", tainted: "is tainted: it will be replaced" };
  function showDetail(change) {
    const facts = [];
    if (change.r) facts.push(change.r.replaceAll("_", " "));
    if (change.p) facts.push("was " + change.p);
    if (change.d) facts.push("deposed object " + change.d);
    if (change.i) facts.push("imported from " + change.i);
    const phrase = change.outside ? "has changed outside" : PHRASES[change.k] ?? change.k;
    at("detail").replaceChildren(
      make("h2", {}, make("span", { class: "mark " + change.k }, MARKS[change.k] ?? "?"), " " + change.a),
      make("p", { class: "facts" }, [phrase, ...facts].filter(Boolean).join(" · ")), diffOf(change), ...whyOf(change));
    at("detail").scrollTop = 0;
  }

  // --- Why: the causes of a change, as a tree. A cause that stands twice is explained once. ---

  const explained = new Map((data.why ? data.why.objects : []).map(object => [object.address + "\n" + (data.why.causes[object.cause].deposed || ""), object]));
  function causesOf(at, seen) {
    const list = make("ul");
    for (const index of data.why.causes[at].causes) {
      const cause = data.why.causes[index];
      const item = make("li", cause.certain ? {} : { class: "maybe" }, make("span", { class: "dim" }, cause.certain ? "because " : "maybe because "), cause.sentence);
      if (cause.position) item.append(" ", make("span", { class: "dim" }, `${cause.position.filename}:${cause.position.start.line}`));
      if (cause.text && cause.kind !== "attribute") item.append(" ", make("code", {}, cause.text));
      if (cause.causes.length && seen.has(index)) item.append(make("span", { class: "dim" }, " (as above)"));
      else if (cause.causes.length) { seen.add(index); item.append(causesOf(index, seen)); }
      list.append(item);
    }
    return list;
  }
  for (const output of data.why?.outputs ?? []) explained.set(output.address + "\n", output);
  function whyOf(change) {
    const object = change.outside ? undefined : explained.get(change.a + "\n" + (change.d || ""));
    return object ? [make("div", { class: "why" }, make("h3", {}, "Why"), causesOf(object.cause, new Set()))] : [];
  }

  function step(by) {
    if (!rows.length) return;
    const index = Math.min(rows.length - 1, Math.max(0, chosen === null ? 0 : indexOf(chosen) + by));
    choose(rows[index].change || rows[index].title, index);
  }

  // --- The head, filters, other views ---

  function fillSelect(id, member, every) {
    const select = at(id), counts = new Map();
    for (const change of all) counts.set(change[member], (counts.get(change[member]) || 0) + 1);
    select.append(make("option", { value: "\n" }, every));
    for (const name of [...counts.keys()].sort()) select.append(make("option", { value: name }, `${name || "root module"} (${digits(counts.get(name))})`));
    select.addEventListener("change", () => { filter[id] = select.value === "\n" ? null : select.value; arrange(); });
  }

  function fillHead() {
    at("title").textContent = (data.kind === "plan" ? "Plan " : "State ") + data.title;
    document.title = at("title").textContent;
    const parts = [];
    if (data.version) parts.push("version " + data.version);
    if (data.timestamp) parts.push(data.timestamp);
    at("origin").append(parts.join(" · "));
    if (data.errored) at("origin").append(" · ", make("span", { class: "warn" }, "planning failed, more may be missing"));
    const counts = new Map();
    for (const change of all) counts.set(change.g, (counts.get(change.g) || 0) + 1);
    for (const action of ORDER.filter(name => counts.has(name))) {
      const button = make("button", { "aria-pressed": "false", class: action }, `${MARKS[action] || ""} ${digits(counts.get(action))} ${NAMES[action] || action}`.trim());
      button.addEventListener("click", () => {
        if (!filter.actions.delete(action)) filter.actions.add(action);
        button.setAttribute("aria-pressed", filter.actions.has(action));
        select("changes");
        arrange();
      });
      at("counts").append(button);
    }
    if (!all.length) at("counts").append(make("span", { class: "dim" }, data.kind === "plan" ? "No changes." : "No objects."));
  }

  function fillRisks() {
    const view = at("view-risks");
    at("tab-risks").hidden = false;
    at("tab-risks").append(` (${digits(data.risks.filter(risk => !risk.ignored).length)})`);
    if (!data.risks.length) view.append(make("p", { class: "dim" }, "No risks were found."));
    for (const risk of data.risks) {
      const place = risk.position ? `${risk.position.filename}:${risk.position.start.line}` : "";
      view.append(make("h2", {}, make("span", { class: risk.ignored || risk.severity !== "high" ? "dim" : "warn" }, risk.severity), ` ${risk.rule} `, make("span", { class: "dim" }, place)),
        make("p", {}, risk.ignored ? "Does not count: " + risk.ignored : risk.reason), ...(risk.note ? [make("p", { class: "dim" }, "Note: " + risk.note + ".")] : []));
      const list = make("ul");
      for (const address of risk.addresses) list.append(make("li", {}, make("code", {}, address)));
      if (risk.addresses.length) view.append(list);
    }
  }

  function fillOutputs() {
    const view = at("view-outputs");
    if (!data.outputs.length) view.append(make("p", { class: "dim" }, data.kind === "plan" ? "No output changes." : "There are no outputs."));
    for (const output of data.outputs) {
      view.append(make("h2", {}, make("span", { class: "mark " + output.k }, MARKS[output.k] ?? ""), " " + output.a), diffOf(output), ...whyOf({ a: "output." + output.a }));
    }
    at("tab-outputs").append(` (${digits(data.outputs.length)})`);
  }

  function fillChecks() {
    const view = at("view-checks");
    const failed = data.checks.filter(check => check.k === "fail" || check.k === "error").length;
    at("tab-checks").append(failed ? ` (${failed} failed)` : ` (${digits(data.checks.length)})`);
    if (!data.checks.length) view.append(make("p", { class: "dim" }, "There are no checks."));
    const order = ["error", "fail", "unknown", "pass"];
    for (const check of [...data.checks].sort((a, b) => order.indexOf(a.k) - order.indexOf(b.k))) {
      view.append(make("h2", {}, make("span", { class: "mark " + check.k }, { pass: "✓", fail: "✗", error: "!" }[check.k] || "?"), ` ${check.a} `, make("span", { class: "dim" }, check.k)));
      for (const problem of check.p) view.append(make("p", {}, (problem.a && problem.a !== check.a ? problem.a + ": " : "") + (problem.m || "")));
    }
  }

  // The place in the page is in its address: "#graph", or "#" and the address of a change.
  function remember(place) { history.replaceState(null, "", "#" + encodeURIComponent(place)); }
  function goTo(place) {
    if (TABS.includes(place)) return select(place);
    const index = rows.findIndex(row => row.change && row.change.a === place);
    if (index >= 0) choose(rows[index].change, index);
  }

  const TABS = ["changes", ...(data.risks ? ["risks"] : []), "outputs", "graph", "checks"];
  function select(name) {
    for (const tab of TABS) {
      at("tab-" + tab).setAttribute("aria-selected", tab === name);
      at("tab-" + tab).tabIndex = tab === name ? 0 : -1;
      at("view-" + tab).hidden = tab !== name;
    }
    if (name === "graph") GraphView.show();
    if (name === "changes") draw();
  }

  const blockOf = address => address.replace(/\["(?:[^"\\]|\\.)*"\]|\[\d+\]/g, "");
  function startGraph() {
    const effects = new Map();
    for (const change of data.changes) {
      const block = blockOf(change.a);
      if (!effects.has(block)) effects.set(block, new Set());
      effects.get(block).add(change.k);
    }
    GraphView.start(data.graph, effects, address => {
      const change = all.find(one => blockOf(one.a) === address);
      if (!change) return;
      filter.search = at("search").value = "";
      closed.delete(titleOf(change));
      select("changes");
      arrange();
      const index = indexOf(change);
      if (index >= 0) { choose(change, index); at("list").focus(); }
    });
  }

  function setTheme(theme) { document.documentElement.dataset.theme = theme; }

  function listen() {
    at("search").addEventListener("input", event => { filter.search = event.target.value.toLowerCase(); arrange(); });
    at("filters").addEventListener("submit", event => event.preventDefault());
    at("group").addEventListener("change", event => { filter.group = event.target.value; closed.clear(); arrange(); });
    at("list").addEventListener("scroll", draw);
    addEventListener("resize", draw);
    at("theme").addEventListener("click", () => setTheme(document.documentElement.dataset.theme === "dark" ? "light" : "dark"));
    TABS.forEach((tab, i) => {
      at("tab-" + tab).addEventListener("click", () => { select(tab); remember(tab); });
      at("tab-" + tab).addEventListener("keydown", event => {
        const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
        if (by) { const next = TABS[(i + by + TABS.length) % TABS.length]; select(next); at("tab-" + next).focus(); }
      });
    });
    at("list").addEventListener("keydown", event => {
      const page = Math.max(1, Math.floor(at("list").clientHeight / ROW) - 1);
      const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -rows.length, End: rows.length };
      if (event.key in steps) { event.preventDefault(); step(steps[event.key]); }
      if ((event.key === "Enter" || event.key === " ") && chosen !== null) {
        event.preventDefault();
        if (typeof chosen === "string") toggle(chosen, indexOf(chosen)); else at("detail").focus();
      }
    });
    document.addEventListener("keydown", event => {
      if (event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) {
        if (event.key === "Escape" && event.target.id === "search") at("list").focus();
        return;
      }
      if (event.key === "/") { event.preventDefault(); select("changes"); at("search").focus(); }
      if (event.key === "t") at("theme").click();
      if (event.key >= "1" && event.key <= String(TABS.length)) select(TABS[event.key - 1]);
    });
  }

  setTheme(matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
  fillHead();
  fillSelect("module", "m", "all modules");
  fillSelect("type", "t", "all types");
  if (data.risks) fillRisks();
  fillOutputs();
  fillChecks();
  startGraph();
  listen();
  select("changes");
  arrange();
  const place = decodeURIComponent(location.hash.slice(1));
  const first = rows.findIndex(row => row.change);
  if (first >= 0) choose(rows[first].change, first);
  else at("detail").append(make("p", { class: "dim" }, "Nothing to show."));
  if (place) goTo(place);
})();
