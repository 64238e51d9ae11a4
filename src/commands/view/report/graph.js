
// The graph of blocks: layers from what nothing needs to what needs nothing, modules as one box
// while they are collapsed.
"use strict";
const GraphView = (() => {
  const NS = "http://www.w3.org/2000/svg";
  const WIDTH = 240, HEIGHT = 26, GAP_X = 90, GAP_Y = 12;
  // More boxes than this are collapsed at first.
  const MANY = 150;
  let svg, group, blocks = [], edges = [], effects = new Map(), onChoose = () => {};
  let open = new Set(), view = { x: 0, y: 0, scale: 1 }, boxes = [], drawn = false;

  function ancestors(module) {
    const out = [];
    for (let at = module; at; at = at.replace(/\.?module\.[^.]+$/, "")) out.unshift(at);
    return out;
  }
  // The outermost collapsed module that a block is in, or the block itself.
  function boxOf(block) {
    for (const module of ancestors(block[1])) if (!open.has(module)) return module;
    return block[0];
  }
  function allModules() {
    const out = new Set();
    for (const block of blocks) for (const module of ancestors(block[1])) out.add(module);
    return out;
  }

  // Boxes with their neighbours, and the layer of each: one more than the deepest box that it needs.
  function build() {
    const byName = new Map();
    const names = blocks.map(boxOf);
    names.forEach((name, i) => {
      if (!byName.has(name)) {
        byName.set(name, { name, module: name !== blocks[i][0], count: 0, needs: new Set(), users: new Set(), effects: new Set() });
      }
      const box = byName.get(name);
      box.count++;
      for (const effect of effects.get(blocks[i][0]) || []) box.effects.add(effect);
    });
    for (const [from, to] of edges) {
      const a = byName.get(names[from]), b = byName.get(names[to]);
      if (a !== b) { a.needs.add(b); b.users.add(a); }
    }
    boxes = [...byName.values()];
    // Kahn's order; collapsed modules may form circles, whose rest is taken as it comes.
    const left = new Map(boxes.map(box => [box, box.needs.size]));
    let ready = boxes.filter(box => !box.needs.size);
    for (const box of boxes) box.layer = 0;
    const done = new Set();
    while (done.size < boxes.length) {
      if (!ready.length) ready = [boxes.find(box => !done.has(box))];
      const box = ready.pop();
      if (done.has(box)) continue;
      done.add(box);
      for (const user of box.users) {
        if (done.has(user)) continue;
        user.layer = Math.max(user.layer, box.layer + 1);
        left.set(user, left.get(user) - 1);
        if (left.get(user) <= 0) ready.push(user);
      }
    }
  }

  // Orders each layer by the mean position of the neighbours in the layer before, twice.
  function place() {
    const layers = [];
    for (const box of boxes) (layers[box.layer] = layers[box.layer] || []).push(box);
    const mean = (box, side) => {
      const near = [...box[side]].map(other => other.row);
      return near.length ? near.reduce((a, b) => a + b, 0) / near.length : box.row;
    };
    layers.forEach(layer => layer.forEach((box, row) => { box.row = row; }));
    for (const side of ["needs", "users", "needs"]) {
      const order = side === "needs" ? layers : [...layers].reverse();
      for (const layer of order) {
        layer.forEach(box => { box.key = mean(box, side); });
        layer.sort((a, b) => a.key - b.key || (a.name < b.name ? -1 : 1));
        layer.forEach((box, row) => { box.row = row; });
      }
    }
    const tallest = Math.max(...layers.map(layer => layer.length));
    const last = layers.length - 1;
    for (const layer of layers) {
      const shift = (tallest - layer.length) * (HEIGHT + GAP_Y) / 2;
      layer.forEach(box => {
        box.x = (last - box.layer) * (WIDTH + GAP_X);
        box.y = box.row * (HEIGHT + GAP_Y) + shift;
      });
    }
  }

  function element(name, attributes, parent) {
    const out = document.createElementNS(NS, name);
    for (const [key, value] of Object.entries(attributes)) out.setAttribute(key, value);
    if (parent) parent.appendChild(out);
    return out;
  }

  function effectOf(box) {
    for (const effect of ["delete", "replace", "forget", "update", "create", "read"]) {
      if (box.effects.has(effect)) return effect;
    }
    return "";
  }

  function drawBox(box) {
    const node = element("g", { class: "box " + effectOf(box) + (box.module ? " module" : ""), tabindex: 0, role: "button",
      transform: `translate(${box.x},${box.y})` }, group);
    element("rect", { width: WIDTH, height: HEIGHT, rx: 5 }, node);
    const label = box.module ? `▸ ${box.name} (${box.count})` : box.name;
    const shown = label.length > 32 ? "…" + label.slice(-31) : label;
    element("text", { x: 8, y: 17 }, node).textContent = shown;
    element("title", {}, node).textContent = label;
    node.setAttribute("aria-label", `${label}, needs ${box.needs.size}, needed by ${box.users.size}`);
    box.node = node;
    const near = on => {
      node.classList.toggle("near", on);
      for (const other of [...box.needs, ...box.users]) other.node.classList.toggle("near", on);
      for (const line of box.lines) line.classList.toggle("near", on);
    };
    const choose = () => {
      if (box.module) { open.add(box.name); redraw(); } else onChoose(box.name);
    };
    node.addEventListener("mouseenter", () => near(true));
    node.addEventListener("mouseleave", () => near(false));
    node.addEventListener("focus", () => near(true));
    node.addEventListener("blur", () => near(false));
    node.addEventListener("click", choose);
    node.addEventListener("keydown", event => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); choose(); } });
  }

  function redraw() {
    build();
    place();
    group.textContent = "";
    for (const box of boxes) box.lines = [];
    const lines = element("g", {}, group);
    for (const box of boxes) {
      for (const other of box.needs) {
        const x1 = box.x + WIDTH, y1 = box.y + HEIGHT / 2, x2 = other.x, y2 = other.y + HEIGHT / 2, bend = GAP_X / 2;
        const head = `M${x2 - 7},${y2 - 4} L${x2},${y2} L${x2 - 7},${y2 + 4}`;
        const line = element("path", { d: `M${x1},${y1} C${x1 + bend},${y1} ${x2 - bend},${y2} ${x2},${y2} ${head}` }, lines);
        box.lines.push(line);
        other.lines.push(line);
      }
    }
    boxes.forEach(drawBox);
    document.getElementById("graph-note").textContent =
      `${boxes.length} boxes, ${edges.length} references; an arrow from left to right: needs`;
    fit();
  }

  function apply() { group.setAttribute("transform", `translate(${view.x},${view.y}) scale(${view.scale})`); }
  function fit() {
    const area = svg.getBoundingClientRect();
    const right = Math.max(...boxes.map(box => box.x)) + WIDTH, bottom = Math.max(...boxes.map(box => box.y)) + HEIGHT;
    view.scale = Math.min(1.2, (area.width - 40) / right, (area.height - 40) / bottom);
    view.scale = Math.max(view.scale, 0.05);
    view.x = (area.width - right * view.scale) / 2;
    view.y = (area.height - bottom * view.scale) / 2;
    apply();
  }
  function zoom(factor, x, y) {
    const area = svg.getBoundingClientRect();
    const at = { x: x === undefined ? area.width / 2 : x - area.left, y: y === undefined ? area.height / 2 : y - area.top };
    const scale = Math.min(4, Math.max(0.05, view.scale * factor));
    view.x = at.x - (at.x - view.x) * scale / view.scale;
    view.y = at.y - (at.y - view.y) * scale / view.scale;
    view.scale = scale;
    apply();
  }
  function move(x, y) { view.x += x; view.y += y; apply(); }

  function listen() {
    svg.addEventListener("wheel", event => { event.preventDefault(); zoom(event.deltaY < 0 ? 1.15 : 1 / 1.15, event.clientX, event.clientY); }, { passive: false });
    let last = null;
    svg.addEventListener("pointerdown", event => { if (event.target === svg) { last = event; svg.setPointerCapture(event.pointerId); } });
    svg.addEventListener("pointermove", event => { if (last) { move(event.clientX - last.clientX, event.clientY - last.clientY); last = event; } });
    svg.addEventListener("pointerup", () => { last = null; });
    svg.addEventListener("keydown", event => {
      const keys = { "+": () => zoom(1.2), "-": () => zoom(1 / 1.2), "0": fit, ArrowLeft: () => move(60, 0),
        ArrowRight: () => move(-60, 0), ArrowUp: () => move(0, 60), ArrowDown: () => move(0, -60) };
      if (keys[event.key]) { event.preventDefault(); keys[event.key](); }
    });
    const on = (id, act) => document.getElementById(id).addEventListener("click", act);
    on("graph-in", () => zoom(1.25));
    on("graph-out", () => zoom(1 / 1.25));
    on("graph-fit", fit);
    on("graph-collapse", () => { open = new Set(); redraw(); });
    on("graph-expand", () => { open = allModules(); redraw(); });
  }

  return {
    start(data, effectsOfBlocks, choose) {
      svg = document.getElementById("graph");
      group = element("g", {}, svg);
      ({ blocks, edges } = data);
      effects = effectsOfBlocks;
      onChoose = choose;
      open = blocks.length > MANY ? new Set() : allModules();
      listen();
    },
    // Drawn when it is shown first.
    show() {
      if (!drawn && blocks.length) { drawn = true; redraw(); }
      if (!blocks.length) document.getElementById("graph-note").textContent = "There are no blocks.";
    },
  };
})();
