// A bench: several parts in one component, each in a shadow root of its own. What the reader sees is drawn first; parts
// out of sight follow as soon as that has been painted.

const KINDS = { grid: draw, strip: drawStrip, lines: drawLines, fold: drawFold, bench: drawBench, address: drawAddress };
const MOST_CELLS_AT_ONCE = 256;
const COMMON = ["words", "steps"];
const AREAS = ["top", "left", "right", "below", "end"];
const sheets = new Map();
const benches = new WeakMap();
const shared = { theme: null };
const outOfSight = new WeakSet();
const sight = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) {
    if (isIntersecting) outOfSight.delete(target);
    else outOfSight.add(target);
  }
});

function sheetOf(name) {
  if (!sheets.has(name)) {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(library.styles[name]);
    sheets.set(name, sheet);
  }
  return sheets.get(name);
}

function drawBench({ parentElement: root, data, setTriggerValue }) {
  let bench = benches.get(root);
  if (!bench) {
    root.adoptedStyleSheets = [sheetOf("bench_css")];
    bench = { areas: {}, hosts: new Map(), events: [], number: 0, later: [] };
    const box = (bench.box = make("div", null, root, { class: "bench" }));
    for (const area of AREAS) bench.areas[area] = make("div", null, box, { class: area });
    benches.set(root, bench);
  }
  bench.events = bench.events.filter(({ number }) => number > data.heard);
  const names = new Set(data.parts.map((part) => part.name));
  let hasLostFocus = false;
  for (const [name, host] of bench.hosts) {
    if (names.has(name)) continue;
    if (root.activeElement === host) hasLostFocus = true;
    sight.unobserve(host);
    host.remove();
    bench.hosts.delete(name);
  }
  const last = {}, theme = themeOf(bench.box);
  const parts = data.parts.map(({ name, area, data: sent }) => {
    const shown = whole(sent, data.common);
    const host = hostOf(bench, name, shown.kind);
    host.classList.toggle("row", Boolean(shown.has_own_row));
    place(host, bench.areas[area], last[area]);
    last[area] = host;
    const send = (event, value) => post(bench, setTriggerValue, { part: name, name: event, value });
    const draw = () => KINDS[shown.kind]({ parentElement: host.shadowRoot, data: shown, setTriggerValue: send });
    const isDrawn = shown.kind === "grid" && isStill(host.shadowRoot, shown, theme, send);
    return { draw, cells: cellsOf(shown), isDrawn, isPicture: shown.kind === "grid", isSeen: hasLostFocus || !outOfSight.has(host) };
  }).filter(({ isDrawn }) => !isDrawn);
  const [seen, unseen] = split(parts, "isSeen");
  const [pictures, words] = bench.isOpen ? split(seen, "isPicture") : [seen, []];
  bench.isOpen = true;
  bench.later = [...pictures, ...words, ...unseen];
  // A bench of which nothing is in sight waits: another one of the page may be what the reader looks at.
  drawNext(bench, hasLostFocus ? parts.length : pictures.length ? atOnce(pictures) : words.length);
  if (hasLostFocus) focusPicked(bench);
}

function split(parts, name) {
  return [true, false].map((wanted) => parts.filter((part) => part[name] === wanted));
}

// What a reader waits for is one picture that has changed: of many cells the first pictures are drawn and shown alone, and
// sentences follow.
function atOnce(parts) {
  let cells = 0;
  const isFull = (part) => (cells += part.cells) > MOST_CELLS_AT_ONCE && cells > part.cells;
  const end = parts.findIndex(isFull);
  return end < 0 ? parts.length : end;
}

// A bench says once what several matrices have in common.
function whole(sent, common) {
  const found = COMMON.filter((name) => name in sent).map((name) => [name, common[sent[name]]]);
  return { ...sent, ...Object.fromEntries(found) };
}

// A matrix that stands as Python sent it before is not drawn again: of many heads one press changes two. One that is
// edited always is: what was typed into it may be refused twice.
function isStill(root, data, theme, send) {
  const grid = grids.get(root);
  if (!grid || data.is_editable || grid.library !== library.sheet || grid.theme !== theme) return false;
  grid.send = send;
  return isSame(grid.sent, data);
}

function isSame(one, other) {
  if (one === other) return true;
  if (typeof one !== "object" || typeof other !== "object" || !one || !other) return false;
  const names = Object.keys(one);
  return names.length === Object.keys(other).length && names.every((name) => isSame(one[name], other[name]));
}

function cellsOf({ kind, mode, rows, columns }) {
  return kind === "grid" && mode === "cells" ? rows * columns : 0;
}

// Draw some of the parts that wait, and the rest once these have been shown.
function drawNext(bench, count) {
  drawParts(bench, bench.later.splice(0, count));
  if (bench.later.length) afterPaint(() => drawNext(bench, bench.later.length));
}

function drawParts(bench, parts) {
  if (!parts.length) return;
  // Read once, before anything is written: each reading after a writing makes the browser lay the page out again.
  shared.theme = themeOf(bench.box);
  for (const { draw } of parts) draw();
  shared.theme = null;
}

// An event is sent until Python says it was heard: of two during one run Streamlit keeps the later one alone.
function post(bench, setTriggerValue, event) {
  bench.number = Math.max(bench.number + 1, Date.now());
  bench.events.push({ ...event, number: bench.number });
  setTriggerValue("event", [...bench.events]);
}

// The matrix that had the focus is gone because a cell of it was picked: that cell is now in the first matrix.
function focusPicked(bench) {
  const grid = [...bench.hosts.values()].map((host) => grids.get(host.shadowRoot)).find((one) => one?.view);
  if (!grid) return;
  grid.at = grid.data.picked ?? grid.at;
  grid.view.aim(grid);
  focus(grid);
}

function hostOf(bench, name, kind) {
  let host = bench.hosts.get(name);
  if (!host || host.dataset.kind !== kind) {
    if (host) sight.unobserve(host);
    host?.remove();
    host = document.createElement("div");
    host.dataset.kind = kind;
    host.dataset.part = name;
    host.attachShadow({ mode: "open" });
    bench.hosts.set(name, host);
    sight.observe(host);
  }
  return host;
}

// A part that comes later stands where the page names it, not behind those that were there before.
function place(host, area, before) {
  const next = before ? before.nextSibling : area.firstChild;
  if (host !== next) area.insertBefore(host, next);
}
