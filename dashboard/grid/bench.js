// A bench: several parts in one component, each in a shadow root of its own.

const KINDS = { grid: draw, strip: drawStrip, lines: drawLines, fold: drawFold, bench: drawBench, address: drawAddress };
const AREAS = ["top", "left", "right", "below"];
const sheets = new Map();
const benches = new WeakMap();
const shared = { theme: null };

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
    bench = { areas: {}, hosts: new Map() };
    const box = (bench.box = make("div", null, root, { class: "bench" }));
    for (const area of AREAS) bench.areas[area] = make("div", null, box, { class: area });
    benches.set(root, bench);
  }
  const names = new Set(data.parts.map((part) => part.name));
  for (const [name, host] of bench.hosts) {
    if (names.has(name)) continue;
    host.remove();
    bench.hosts.delete(name);
  }
  // Read once, before anything is written: each reading after a writing makes the browser lay the page out again.
  shared.theme = themeOf(bench.box);
  for (const { name, area, data: shown } of data.parts) {
    const host = hostOf(bench, name, area, shown.kind);
    const send = (event, value) => setTriggerValue("event", { part: name, name: event, value });
    KINDS[shown.kind]({ parentElement: host.shadowRoot, data: shown, setTriggerValue: send });
  }
  shared.theme = null;
}

function hostOf(bench, name, area, kind) {
  let host = bench.hosts.get(name);
  if (!host || host.dataset.kind !== kind) {
    host?.remove();
    host = document.createElement("div");
    host.dataset.kind = kind;
    host.dataset.part = name;
    host.attachShadow({ mode: "open" });
    bench.hosts.set(name, host);
  }
  if (host.parentElement !== bench.areas[area]) bench.areas[area].append(host);
  return host;
}
