// Draws matrices and reports which cell the reader picked or typed into. It computes no number: Python sends the
// texts, the colour levels and what is picked. Labels and titles are the reader's own words: they enter the page as
// text (textContent, data, setAttribute), never as HTML.

const PLAIN = 252, UNDEFINED = 253, HIDDEN = 254;
const PICKED = 1, MARKED = 2, EDITED = 4, REFUSED = 8;
const CLASSES = [[PICKED, "picked"], [MARKED, "marked"], [EDITED, "edited"], [REFUSED, "refused"]];
const TALLEST_WHOLE = 544;  // pixels of a picture that stands on the page without scrolling in its frame
const MOST_ROWS_WHOLE = 32;  // of a table of different quantities
const MOST_SAID_AT_ONCE = 64;  // cells whose names take no time that is worth a frame of their own
const LONGEST_EDIT = 32, LONGEST_ROW = 60, SHORTEST_LONG_NAME = 6, DOUBLE_CLICK_MS = 250;
const WIDE = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3ffff}]/u;

const library = { html: "", sheet: null, palettes: null, styles: null };
const grids = new WeakMap();
const unsaid = new Set();

export default function prepare({ data, parentElement }) {
  library.html = data.html;
  library.styles = data;
  sheets.clear();
  library.sheet = new CSSStyleSheet();
  library.sheet.replaceSync(data.css);
  library.palettes = Object.fromEntries(Object.entries(data.palettes).map(
    ([scale, themes]) => [scale, Object.fromEntries(Object.entries(themes).map(([theme, steps]) => [theme, readSteps(steps)]))],
  ));
  // The library has no face of its own: its place in the page takes no room.
  parentElement.host?.closest('[data-testid="stElementContainer"]')?.style.setProperty("display", "none");
  const lab = (globalThis.attentionLabGrid ??= { draw: null, waiting: new Map() });
  lab.draw = (component) => KINDS[component.data.kind](component);
  for (const component of lab.waiting.values()) lab.draw(component);
  lab.waiting.clear();
}

// Six hex digits and a pen (0 black, 1 white) for each step of a scale.
function readSteps({ fill, ink }) {
  return Array.from(ink, (pen, step) => ({ fill: "#" + fill.slice(6 * step, 6 * step + 6), ink: pen === "0" ? "#000" : "#fff" }));
}

function draw({ parentElement: root, data, setTriggerValue }) {
  let grid = grids.get(root);
  if (!grid || grid.library !== library.sheet) grids.set(root, (grid = open(root)));
  grid.send = setTriggerValue;
  grid.before = grid.data;
  grid.sent = data;
  grid.data = data = { ...data, texts: listed(data.texts) };
  grid.levels = readBytes(data.levels);
  const theme = shared.theme ?? themeOf(grid.parts.grid);
  grid.isRepainted = theme !== grid.theme || data.scale !== grid.before?.scale;
  if (theme !== grid.theme) grid.theme = grid.parts.grid.dataset.theme = theme;
  grid.steps = library.palettes[data.scale]?.[theme] ?? [];
  dress(grid);
  const isEmpty = data.rows === 0 || data.columns === 0;
  grid.parts.frame.hidden = isEmpty;
  if (isEmpty) return;
  const shape = [data.mode, data.rows, data.columns, data.footer !== null, data.has_verdicts, data.is_thumbnail].join();
  if (shape !== grid.shape) build(grid, shape);
  grid.view.paint(grid);
  grid.view.cross(grid, grid.hasFocus ? grid.at : null);
  tell(grid, null);
}

// A bench sends the cells' texts as one text.
function listed(texts) {
  return typeof texts === "string" ? texts.split("\n") : texts;
}

function readBytes(text) {
  const letters = atob(text), bytes = new Uint8Array(letters.length);
  for (let place = 0; place < bytes.length; place++) bytes[place] = letters.charCodeAt(place);
  return bytes;
}

function open(root) {
  root.adoptedStyleSheets = [library.sheet];
  root.querySelector(".grid")?.remove();
  const holder = document.createElement("template");
  holder.innerHTML = library.html;  // the project's own file, no data in it
  root.append(holder.content);
  const parts = { grid: root.querySelector(".grid") };
  for (const name of ["symbol", "words", "png", "csv", "empty", "frame", "wrong", "legend", "quantity", "low", "ramp", "high", "status", "number", "where", "note"]) {
    parts[name] = parts.grid.querySelector("." + name);
  }
  frames.observe(parts.frame);
  const grid = { root, parts, library: library.sheet, at: 0, hasFocus: false };
  parts.csv.addEventListener("click", () => save(grid, "csv"));
  parts.png.addEventListener("click", () => save(grid, "png"));
  return grid;
}

// The heads stick only where the frame scrolls: a sticky cell is a paint layer of its own. The observer calls after the
// page has been laid out, so nothing is measured while drawing; it measures every frame before it changes one.
const frames = new ResizeObserver((entries) => {
  const changed = new Set(entries.map(({ target }) => target.closest(".frame")).filter(Boolean));
  const measured = [...changed].map((frame) => [
    frame, frame.scrollWidth > frame.clientWidth || frame.scrollHeight > frame.clientHeight,
  ]);
  for (const [frame, isScrolling] of measured) frame.classList.toggle("scrolls", isScrolling);
});

function themeOf(element) {
  const channels = getComputedStyle(element).getPropertyValue("background-color").match(/[\d.]+/g)?.map(Number) ?? [255, 255, 255];
  return channels[0] * 0.3 + channels[1] * 0.59 + channels[2] * 0.11 < 128 ? "dark" : "light";
}

// Everything around the matrix: heading, hue, buttons, legend, notes.
function dress({ parts, data, steps }) {
  const { words, ends, refused } = data;
  spell(parts.symbol, data.symbol);
  write(parts.words, data.title);
  parts.grid.classList.toggle("compact", Boolean(data.is_compact));
  parts.grid.classList.toggle("bars", Boolean(data.is_bars));
  parts.grid.classList.toggle("bits", Boolean(data.is_bits));
  parts.grid.classList.toggle("by-rows", Boolean(data.is_by_rows));
  parts.grid.classList.toggle("thumbnail", Boolean(data.is_thumbnail));
  if (data.role) parts.grid.dataset.role = data.role;
  else delete parts.grid.dataset.role;
  const isEmpty = data.rows === 0 || data.columns === 0;
  for (const [button, text] of [[parts.png, words.download_png], [parts.csv, words.download_csv]]) {
    write(button, text);
    button.setAttribute("aria-label", `${text}: ${data.title}`);
    button.disabled = isEmpty;
  }
  parts.csv.hidden = data.mode !== "cells";
  show(parts.empty, isEmpty ? words.empty : "");
  show(parts.note, data.mode === "blocks" ? words.pooled : "");
  show(parts.wrong, refused ? refused[1] : "");
  parts.legend.hidden = ends.length === 0 || isEmpty;
  if (ends.length === 0) return;
  write(parts.quantity, words.value);
  write(parts.low, ends[0]);
  write(parts.ramp, ends.length === 3 ? ends[1] : "");
  write(parts.high, ends.at(-1));
  const stops = [0, 25, 50, 75, 100, 125, 150, 175, 200, 225, 250].map((step) => steps[step].fill);
  parts.ramp.style.backgroundImage = `linear-gradient(to right, ${stops.join()})`;
}

function write(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

function show(element, text) {
  element.hidden = text === "";
  write(element, text);
}

// A symbol as formulas write it: "W^Q" and "d_k" raise and lower one letter, "A_{ij}" a group.
function spell(element, symbol) {
  if (element.dataset.symbol === symbol) return;
  element.dataset.symbol = symbol;
  element.replaceChildren(...symbol.split(/([\^_](?:\{[^}]*\}|.))/u).filter(Boolean).map((part) => {
    if (!/^[\^_]./u.test(part)) return part;
    const shifted = document.createElement(part[0] === "^" ? "sup" : "sub");
    shifted.textContent = part.slice(1).replace(/^\{|\}$/g, "");
    return shifted;
  }));
}

function build(grid, shape) {
  const hadFocus = grid.parts.frame.contains(grid.root.activeElement);
  const [row, column] = grid.columns ? [Math.floor(grid.at / grid.columns), grid.at % grid.columns] : [0, 0];
  const { rows, columns, mode, picked } = grid.data;
  grid.shape = shape;
  grid.columns = columns;
  grid.rows = rows;
  grid.at = picked ?? Math.min(row, rows - 1) * columns + Math.min(column, columns - 1);
  grid.cross = [];
  grid.editor = null;
  grid.isMeasured = false;
  grid.parts.frame.replaceChildren();
  grid.parts.frame.classList.remove("whole");
  grid.view = mode === "cells" ? table(grid) : picture(grid);
  grid.view.aim(grid);
  listen(grid);
  if (hadFocus) focus(grid);
}

// Small matrices: a table with the numbers in its cells.

function make(tag, role, parent, attributes = {}) {
  const element = document.createElement(tag);
  if (role) element.setAttribute("role", role);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  parent?.append(element);
  return element;
}

function heading(tag, role, parent, attributes) {
  const element = make(tag, role, parent, attributes);
  const [first, second] = tag === "th" && role === "columnheader" ? ["bdi", "span"] : ["span", "bdi"];
  const parts = { [first]: make(first, null, element), [second]: make(second, null, element) };
  parts.span.className = "place";
  parts.bdi.className = "name";
  return { element, place: parts.span, name: parts.bdi };
}

function table(grid) {
  const { rows, columns, footer, has_verdicts } = grid.data;
  // What is said of each row stands behind its numbers, or as a verdict before them.
  const before = footer && has_verdicts ? 1 : 0, sumAt = before ? 2 : columns + 2;
  const element = make("table", "grid", null, { "aria-labelledby": "title", dir: "ltr" });
  element.setAttribute("aria-rowcount", rows + 1);
  element.setAttribute("aria-colcount", columns + 1 + (footer ? 1 : 0));
  const top = make("tr", "row", make("thead", "rowgroup", element), { "aria-rowindex": 1 });
  const corner = make("th", "columnheader", top, { class: "corner", "aria-colindex": 1 });
  const axes = [make("span", null, corner, { class: "column-axis" }), make("span", null, corner, { class: "row-axis" })];
  const tops = [], sides = [], cells = [], sums = [];
  const sumIn = (line, tag, role) => make(tag, role, line, { class: before ? "sum verdict" : "sum", "aria-colindex": sumAt });
  if (before) element.classList.add("led");
  const leading = before ? sumIn(top, "th", "columnheader") : null;
  for (let column = 0; column < columns; column++) {
    tops.push(heading("th", "columnheader", top, { scope: "col", "aria-colindex": column + 2 + before }));
  }
  const sumHead = leading ?? (footer && sumIn(top, "th", "columnheader"));
  const body = make("tbody", "rowgroup", element);
  for (let row = 0; row < rows; row++) {
    const line = make("tr", "row", body, { "aria-rowindex": row + 2 });
    sides.push(heading("th", "rowheader", line, { scope: "row", "aria-colindex": 1 }));
    if (before) sums.push(sumIn(line, "td", "gridcell"));
    for (let column = 0; column < columns; column++) {
      const cell = make("td", "gridcell", line, { "aria-colindex": column + 2 + before, tabindex: -1 });
      cell.place = row * columns + column;
      cells.push({ element: cell, text: cell.appendChild(document.createTextNode("")), level: -1, signs: -1, said: "" });
    }
    if (footer && !before) sums.push(sumIn(line, "td", "gridcell"));
  }
  grid.parts.frame.append(element);
  frames.observe(element);
  return { element, axes, tops, sides, cells, sums, sumHead, ...tableActs };
}

const tableActs = {
  hover: "pointerover",
  name: nameTable,
  corner: (view) => view.element.querySelector(".corner"),
  paint(grid) {
    const { view, data, levels } = grid;
    const renamed = rename(grid);
    const signs = readSigns(data, levels.length);
    for (let place = 0; place < view.cells.length; place++) {
      const cell = view.cells[place], text = data.texts[place], level = levels[place];
      const isNew = cell.text.data !== text;
      if (isNew) cell.text.data = text;
      if (cell.level !== level || grid.isRepainted) (data.is_bars ? raise : colour)(cell, level, grid.steps);
      const hasSigns = cell.signs !== signs[place];
      if (hasSigns) sign(cell, signs[place], level === HIDDEN);
      if (renamed || isNew || hasSigns || cell.wasHidden !== (level === HIDDEN)) {
        cell.wasHidden = level === HIDDEN;
        cell.isUnsaid = true;
      }
    }
    view.sums.forEach((sum, row) => write(sum, data.footer[row]));
    if (grid.hasFocus) sayCell(grid, grid.at);
    if (view.cells.length <= MOST_SAID_AT_ONCE) sayCells(grid);
    else saySoon(grid);
  },
  aim(grid) {
    const { view } = grid;
    view.cells[view.at]?.element.setAttribute("tabindex", -1);
    view.cells[grid.at].element.setAttribute("tabindex", 0);
    view.at = grid.at;
  },
  holder(grid) {
    return grid.view.cells[grid.at].element;
  },
  placeOf(grid, event) {
    return event.target.closest?.("td[tabindex]")?.place ?? null;
  },
  cross(grid, place) {
    for (const element of grid.cross) element.classList.remove("crossed");
    grid.cross = [];
    if (place === null) return;
    grid.cross = [grid.view.sides[Math.floor(place / grid.columns)].element, grid.view.tops[place % grid.columns].element];
    for (const element of grid.cross) element.classList.add("crossed");
  },
};

function readSigns(data, count) {
  const signs = new Uint8Array(count);
  for (const place of data.marked) signs[place] |= MARKED;
  for (const place of data.edited) signs[place] |= EDITED;
  if (data.picked !== null) signs[data.picked] |= PICKED;
  if (data.refused) signs[data.refused[0]] |= REFUSED;
  return signs;
}

function colour(cell, level, steps) {
  cell.level = level;
  cell.element.classList.toggle("masked", level === HIDDEN);
  cell.element.classList.toggle("undefined", level === UNDEFINED);
  cell.element.style.backgroundColor = steps[level]?.fill ?? "";
  cell.element.style.color = steps[level]?.ink ?? "";
}

// A bar in the colour of its number, as high as its number is on the scale.
function raise(cell, level, steps) {
  cell.level = level;
  cell.element.classList.toggle("masked", level === HIDDEN);
  cell.element.classList.toggle("undefined", level === UNDEFINED);
  const { style } = cell.element, step = steps[level];
  style.setProperty("--bar", step?.fill ?? "transparent");
  style.setProperty("--rise", step ? level / (steps.length - 1) : 0);
}

function sign(cell, signs) {
  cell.signs = signs;
  for (const [bit, name] of CLASSES) cell.element.classList.toggle(name, (signs & bit) !== 0);
  cell.element.setAttribute("aria-selected", (signs & PICKED) !== 0);
  if (signs & REFUSED) cell.element.setAttribute("aria-invalid", "true");
  else cell.element.removeAttribute("aria-invalid");
}

// Large matrices: one pixel a cell (or a block), stretched by the browser; one element is the focused cell.

const phone = matchMedia("(max-width: 40rem)");

function picture(grid) {
  const { rows, columns } = grid.data;
  const isThumbnail = grid.data.is_thumbnail;
  const room = !isThumbnail ? 760 : phone.matches ? 100 : 200;
  const side = Math.max(3, Math.min(16, Math.floor(room / columns)));
  // Many columns and few rows: cells as narrow as that are drawn taller, so that each row has room for its name.
  const tall = isThumbnail ? Math.max(side, Math.min(14, Math.floor(110 / rows))) : side;
  grid.parts.frame.classList.toggle("whole", tall * rows <= TALLEST_WHOLE);
  const element = make("div", "grid", null, { class: "picture", "aria-labelledby": "title", dir: "ltr" });
  element.setAttribute("aria-rowcount", rows);
  element.setAttribute("aria-colcount", columns);
  element.style.setProperty("--side", `${side}px`);
  element.style.setProperty("--tall", `${tall}px`);
  const corner = make("div", null, element, { class: "corner", "aria-hidden": "true" });
  const axes = [make("span", null, corner, { class: "column-axis" }), make("span", null, corner, { class: "row-axis" })];
  const tops = make("div", null, element, { class: "tops", "aria-hidden": "true" });
  const sides = make("div", null, element, { class: "sides", "aria-hidden": "true" });
  const plane = make("div", "presentation", element, { class: "plane" });
  // Of many small ones each cell has several pixels, so that the texture of masked cells does not look like numbers.
  const [fine, fineTall] = [side, tall].map((length) => (isThumbnail ? Math.max(1, Math.floor(length / 4)) : 1));
  const canvas = make("canvas", null, plane, { width: columns * fine, height: rows * fineTall, "aria-hidden": "true" });
  canvas.style.width = `${side * columns}px`;
  canvas.style.height = `${tall * rows}px`;
  const marks = make("div", null, plane, { class: "marks", "aria-hidden": "true" });
  const line = make("div", "row", plane);
  const cursor = make("div", "gridcell", line, { class: "cursor", tabindex: 0 });
  grid.parts.frame.append(element);
  return { element, axes, tops, sides, canvas, marks, line, cursor, side, tall, fine, fineTall, ...pictureActs };
}

const pictureActs = {
  hover: "pointermove",
  name: namePicture,
  corner: (view) => view.element.querySelector(".corner"),
  paint(grid) {
    const { view, data, levels } = grid, { fine, fineTall } = view, columns = data.columns * fine, rows = data.rows * fineTall;
    rename(grid);
    const inks = pixels(grid), image = new ImageData(columns, rows), points = new Uint32Array(image.data.buffer);
    for (let place = 0, row = 0; row < rows; row++) {
      const start = Math.floor(row / fineTall) * data.columns;
      for (let column = 0; column < columns; column++, place++) {
        points[place] = inks[(row + column) & 1][levels[start + Math.floor(column / fine)]];
      }
    }
    view.canvas.getContext("2d").putImageData(image, 0, 0);
    const signs = JSON.stringify([data.picked, data.marked, data.edited, data.refused]);
    if (signs !== view.signs) mark(grid);
    view.signs = signs;
    view.aim(grid);
  },
  aim(grid) {
    const { view, data } = grid, { row, column } = address(grid);
    put(view.cursor, view, row, column);
    view.line.setAttribute("aria-rowindex", row + 1);
    view.cursor.setAttribute("aria-colindex", column + 1);
    view.cursor.setAttribute("aria-selected", data.picked === grid.at);
    const [number, where] = read(grid, grid.at);
    view.cursor.setAttribute("aria-label", [number ? `${where}: ${number}` : where, ...remarks(grid, grid.at)].join(", "));
  },
  placeOf(grid, event) {
    const { canvas } = grid.view, box = canvas.getBoundingClientRect();
    if (event.type === "focusin") return grid.at;
    const row = Math.floor(((event.clientY - box.top) / box.height) * grid.rows);
    const column = Math.floor(((event.clientX - box.left) / box.width) * grid.columns);
    const isInside = row >= 0 && row < grid.rows && column >= 0 && column < grid.columns;
    return isInside && event.target.closest?.(".plane") ? row * grid.columns + column : null;
  },
  holder: (grid) => grid.view.cursor,
  cross(grid, place) {
    const { view } = grid;
    for (const band of grid.cross) band.remove();
    grid.cross = [];
    if (place === null) return;
    grid.cross = [make("i", null, view.sides, { class: "band" }), make("i", null, view.tops, { class: "band" })];
    grid.cross[0].style.top = `${Math.floor(place / grid.columns) * view.tall}px`;
    grid.cross[1].style.left = `${(place % grid.columns) * view.side}px`;
  },
};

// Two rows of colours, by turns like a chessboard's: they differ for masked cells only, which so keep a texture.
function pixels({ steps, theme }) {
  const masked = theme === "dark" ? ["#2f3136", "#63666e"] : ["#e4e4e4", "#aeaeae"];
  return masked.map((grey) => {
    const row = new Uint32Array(256);
    steps.forEach(({ fill }, level) => { row[level] = word(fill); });
    row[PLAIN] = word(theme === "dark" ? "#30343c" : "#eeeeee");
    row[UNDEFINED] = word("#d00000");
    row[HIDDEN] = word(grey);
    return row;
  });
}

// "#rrggbb" as the four bytes of a pixel in memory, on the little-endian machines that browsers run on.
function word(fill) {
  const code = parseInt(fill.slice(1), 16);
  return (0xff000000 | ((code & 255) << 16) | (code & 0xff00) | (code >> 16)) >>> 0;
}

function put(element, { side, tall }, row, column) {
  element.style.left = `${column * side}px`;
  element.style.top = `${row * tall}px`;
}

function mark({ view, data }) {
  const { columns, marked, edited, picked, refused } = data;
  const all = [["marked", marked], ["edited", edited], ["picked", picked === null ? [] : [picked]], ["refused", refused ? [refused[0]] : []]];
  view.marks.replaceChildren(...all.flatMap(([name, places]) => places.map((place) => {
    const element = make("i", null, null, { class: name });
    put(element, view, Math.floor(place / columns), place % columns);
    return element;
  })));
}

// As many names as have room, at round distances.
function namePicture({ view, data }) {
  const { rows, columns, first, block, row_names, column_names, dead } = data;
  const [down, along] = [view.tall, view.side].map((side) => [1, 2, 5, 10, 20, 50].find((step) => step * side >= 14));
  const tick = (parent, index, axis, names, edge) => {
    const { element, place, name } = heading("span", null, parent, { class: "tick" });
    place.textContent = String(first[axis] + index * block[axis]);
    name.textContent = names?.[index] ?? "";
    element.title = `${place.textContent} ${name.textContent}`.trim();
    element.style[edge] = `${centre(index, edge)}px`;
  };
  // The first name is moved in from the edge: the next one may then have no room.
  const centre = (index, edge) => Math.max(8, (index + 0.5) * (edge === "top" ? view.tall : view.side));
  const fits = (index, edge) => index === 0 || centre(index, edge) - centre(0, edge) >= 12;
  view.tops.replaceChildren();
  view.sides.replaceChildren();
  for (const [parent, names, property, longest] of [[view.sides, row_names, "--side-room", 9], [view.tops, column_names, "--top-room", 7.5]]) {
    parent.classList.toggle("named", names !== null);
    const units = Math.max(0, ...(names ?? []).map(spread));
    view.element.style.setProperty(property, `${Math.min(longest, 3.25 + 0.4 * units)}rem`);
  }
  for (let row = 0; row < rows; row += down) if (fits(row, "top")) tick(view.sides, row, 0, row_names, "top");
  for (let column = 0; column < columns; column += along) if (fits(column, "left")) tick(view.tops, column, 1, column_names, "left");
  for (const row of dead) make("i", null, view.sides, { class: "dead" }).style.top = `${row * view.tall}px`;
}

// Writes the names on the axes; true when one of them, or a word said with a cell, is no longer what it was.
function rename(grid) {
  const { view, data } = grid;
  const { words, first, row_names, column_names, dead, quiet, is_editable, is_pickable } = data;
  const names = JSON.stringify([words, first, row_names, column_names, dead, quiet, is_editable, is_pickable]);
  if (names === view.names) return false;
  view.names = names;
  grid.isMeasured = false;
  write(view.axes[0], `${words.column} →`);
  write(view.axes[1], `${words.row} ↓`);
  view.element.setAttribute("aria-readonly", !is_editable);
  view.element.classList.toggle("pickable", is_pickable);
  view.name(grid);
  return true;
}

// A table of different quantities has long heads, which wrap; the columns of a matrix stay narrow.
function isTable({ scale, column_names }) {
  return scale === "plain" && column_names !== null;
}

function nameTable(grid) {
  const { view, data } = grid;
  const { words, first, row_names, column_names, dead, quiet } = data;
  const isWords = isTable(data);
  view.tops.forEach((head, column) => nameHead(head, first[1] + column, column_names?.[column]));
  view.sides.forEach((head, row) => {
    nameHead(head, first[0] + row, row_names?.[row], dead.includes(row) ? words.dead_row : "");
    head.element.parentElement.classList.toggle("quiet", quiet.includes(row));
  });
  if (isWords) for (const { name } of view.sides) write(name, shorten(name.textContent));
  view.element.classList.toggle("prose", isWords);
  grid.parts.frame.classList.toggle("whole", isWords && data.rows <= MOST_ROWS_WHOLE);
  view.element.classList.toggle("sided", isWords && row_names !== null);
  view.element.classList.toggle("upright", !isWords && (column_names ?? []).some((name) => spread(name) > 7));
  if (view.sumHead) write(view.sumHead, words.footer);
}

function nameHead(head, number, name, remark = "") {
  write(head.place, String(number));
  write(head.name, name ?? "");
  head.name.classList.toggle("long", spread(name ?? "") > SHORTEST_LONG_NAME);
  head.name.hidden = name === undefined;
  head.element.title = [number, name, remark].filter((part) => part !== undefined && part !== "").join(" · ");
  head.element.classList.toggle("dead", remark !== "");
}

// Its whole text stays in the head's tooltip and in what is said of its cells.
function shorten(text) {
  const characters = Array.from(text);
  return characters.length > LONGEST_ROW ? characters.slice(0, LONGEST_ROW).join("") + "…" : text;
}

function spread(name) {
  let units = 0;
  for (const character of name) units += WIDE.test(character) ? 2 : 1;
  return units;
}

// Who a cell is, in words: "query 3 cat · key 1 the"; of a block, which positions: "query 5–8 · key 1–4".
function whereabouts(grid, place) {
  const { words, sides, first, row_names, column_names, block } = grid.data;
  const one = (word, axis, index, names) => {
    const start = block[axis] * index, end = Math.min(start + block[axis], sides[axis]) - 1;
    if (end > start) return `${word} ${first[axis] + start}–${first[axis] + end}`;
    return [word, first[axis] + start, ...(names ? [names[index]] : [])].join(" ");
  };
  return `${one(words.row, 0, Math.floor(place / grid.columns), row_names)} · ${one(words.column, 1, place % grid.columns, column_names)}`;
}

function remarks(grid, place) {
  const { words, marked, edited, refused, dead, quiet } = grid.data;
  const remarks = [];
  if (grid.levels[place] === HIDDEN) remarks.push(words.masked);
  if (dead.includes(Math.floor(place / grid.columns))) remarks.push(words.dead_row);
  if (quiet.includes(Math.floor(place / grid.columns))) remarks.push(words.quiet);
  if (edited.includes(place)) remarks.push(words.edited);
  if (marked.includes(place)) remarks.push(words.marked);
  if (refused?.[0] === place) remarks.push(refused[1]);
  return remarks;
}

function say(grid, place, text) {
  return [`${whereabouts(grid, place)}: ${text}`, ...remarks(grid, place)].join(", ");
}

// An animation callback runs before a frame is painted, a task that it queues after; the second lets others go first.
function afterPaint(act) {
  requestAnimationFrame(() => setTimeout(() => setTimeout(act)));
}

// What is said of many cells is written once the picture stands; it can't be seen, and takes as long as all their texts.
function saySoon(grid) {
  if (!unsaid.size) afterPaint(() => afterPaint(sayAll));
  unsaid.add(grid);
}

function sayAll() {
  const grids = [...unsaid];
  unsaid.clear();
  for (const grid of grids) sayCells(grid);
}

function sayCells(grid) {
  grid.view.cells?.forEach((cell, place) => sayCell(grid, place));
}

function sayCell(grid, place) {
  const cell = grid.view.cells[place];
  if (cell.isUnsaid) cell.element.setAttribute("aria-label", say(grid, place, cell.text.data));
  cell.isUnsaid = false;
}

// The line under the matrix: the cell that is pointed at, else the focused one, else what the keys do.
function tell(grid, hovered) {
  const { data, parts } = grid;
  const place = hovered ?? (grid.hasFocus ? grid.at : null);
  parts.status.setAttribute("aria-live", hovered === null ? "polite" : "off");  // a passing mouse says nothing aloud
  const [number, where] = place === null ? ["", ""] : read(grid, place);
  const hint = data.is_editable ? data.words.edit_keys : data.is_pickable ? data.words.keys : "";
  write(parts.number, number);
  write(parts.where, place === null ? hint : [where, ...remarks(grid, place)].join(" · "));
}

// A cell's number and where it stands. In full where Python sent it: for every cell of a small matrix, for the picked
// cell of a large one; else the number that the colour stands for.
function read(grid, place) {
  const { data, levels } = grid;
  if (data.mode === "cells") return [spelled(listed(data.exact)[place]), whereabouts(grid, place)];
  if (place === data.picked) return [spelled(data.picked_exact), data.picked_where];
  const step = data.steps[levels[place]];
  const number = levels[place] === UNDEFINED ? "NaN" : step === undefined ? "" : `${data.words.about} ${step}`;
  return [number, whereabouts(grid, place)];
}

// As the cells write it; files keep what programs read.
function spelled(exact) {
  return { "-inf": "−∞", inf: "∞", nan: "NaN" }[exact] ?? exact;
}

// Hands.

function listen(grid) {
  const target = grid.view.element;
  target.addEventListener("keydown", (event) => press(grid, event));
  target.addEventListener(grid.view.hover, (event) => point(grid, grid.view.placeOf(grid, event)));
  target.addEventListener("pointerleave", () => point(grid, null));
  target.addEventListener("click", (event) => {
    const place = grid.view.placeOf(grid, event);
    if (place === null || grid.editor) return;
    go(grid, place);
    if (!grid.data.leads_away) pick(grid);
    else if (event.detail < 2) grid.waiting = setTimeout(() => pick(grid), DOUBLE_CLICK_MS);
  });
  target.addEventListener("dblclick", (event) => {
    if (grid.view.placeOf(grid, event) !== null) edit(grid, null);
  });
  target.addEventListener("focusin", (event) => {
    const place = grid.view.placeOf(grid, event);
    if (place !== null && place !== grid.at) { grid.at = place; grid.view.aim(grid); }
    grid.hasFocus = true;
    point(grid, null);
  });
  target.addEventListener("focusout", () => { grid.hasFocus = false; point(grid, null); });
}

// Into view without disappearing behind the heads, which stay in place when the frame scrolls.
function focus(grid) {
  const { frame } = grid.parts;
  if (!grid.isMeasured) {
    const corner = grid.view.corner(grid.view);
    frame.style.scrollPadding = `${corner.offsetHeight + 4}px 8px 8px ${corner.offsetWidth + 4}px`;
    grid.isMeasured = true;
  }
  const holder = grid.view.holder(grid);
  holder.focus({ preventScroll: true });
  holder.scrollIntoView({ block: "nearest", inline: "nearest" });
}

function point(grid, place) {
  grid.view.cross(grid, place ?? (grid.hasFocus ? grid.at : null));
  tell(grid, place);
}

function go(grid, place) {
  grid.at = place;
  grid.view.aim(grid);
  focus(grid);
  point(grid, null);
}

function pick(grid) {
  if (grid.data.is_pickable) grid.send("pick", address(grid));
}

function address(grid) {
  return { row: Math.floor(grid.at / grid.columns), column: grid.at % grid.columns };
}

function press(grid, event) {
  if (grid.editor || event.altKey || event.metaKey) return;
  const { row, column } = address(grid), lastRow = grid.rows - 1, lastColumn = grid.columns - 1;
  const jump = event.ctrlKey, leap = Math.max(1, Math.min(10, Math.floor(grid.rows / 2)));
  const moves = {
    ArrowUp: [jump ? 0 : row - 1, column], ArrowDown: [jump ? lastRow : row + 1, column],
    ArrowLeft: [row, jump ? 0 : column - 1], ArrowRight: [row, jump ? lastColumn : column + 1],
    Home: [jump ? 0 : row, 0], End: [jump ? lastRow : row, lastColumn],
    PageUp: [row - leap, column], PageDown: [row + leap, column],
  };
  const move = moves[event.key];
  if (move) {
    const [toRow, toColumn] = [Math.max(0, Math.min(lastRow, move[0])), Math.max(0, Math.min(lastColumn, move[1]))];
    go(grid, toRow * grid.columns + toColumn);
  } else if (event.key === "F2") edit(grid, null);
  else if (jump) return;
  else if (event.key === "Enter" || event.key === " ") pick(grid);
  else if (/^[-+.\d\u2212]$/.test(event.key)) edit(grid, event.key);
  else return;
  event.preventDefault();
  event.stopPropagation();
}

// A cell turns into an input; what was typed goes to Python as it stands.
function edit(grid, typed) {
  clearTimeout(grid.waiting);  // a pick on its way would take the cell away
  if (!grid.data.is_editable || grid.editor) return;
  const holder = grid.view.holder(grid), place = grid.at;
  const before = listed(grid.data.exact)?.[place] ?? (place === grid.data.picked ? grid.data.picked_exact : "");
  const input = make("input", null, holder, { type: "text", inputmode: "decimal", maxlength: LONGEST_EDIT, spellcheck: "false", autocomplete: "off" });
  input.setAttribute("aria-label", `${grid.data.words.edit}: ${whereabouts(grid, place)}`);
  input.value = typed ?? before;
  grid.editor = input;
  holder.classList.add("editing");
  input.focus();
  if (typed === null) input.select();
  const close = (isKept) => {
    if (grid.editor !== input) return;
    grid.editor = null;
    const text = input.value.trim(), hadFocus = grid.root.activeElement === input;
    input.remove();
    holder.classList.remove("editing");
    if (hadFocus) go(grid, place);
    if (isKept && text !== before) grid.send("edit", { row: Math.floor(place / grid.columns), column: place % grid.columns, text });
  };
  input.addEventListener("keydown", (event) => {
    event.stopPropagation();
    if (event.isComposing) return;
    if (event.key === "Enter") close(true);
    else if (event.key === "Escape") close(false);
  });
  input.addEventListener("blur", () => close(true));
}

// Downloads.

function save(grid, kind) {
  const name = grid.data.title.replace(/[^\p{L}\p{N}]+/gu, "_").replace(/^_|_$/g, "") || "matrix";
  if (kind === "csv") hand(new Blob([asCsv(grid.data)], { type: "text/csv;charset=utf-8" }), `${name}.csv`);
  else asPicture(grid).toBlob((blob) => hand(blob, `${name}.png`));
}

function hand(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

// The same file that Python writes for larger matrices: picture.as_csv. A table's cells may be words, and what is said of
// its rows belongs to it; the sum of a matrix's row does not.
function asCsv(data) {
  const { rows, columns, row_names, column_names, footer, words } = data;
  const plain = (label) => (label.length > 1 && /^[=+\-@\t\r]/.test(label) ? "'" + label : label);
  const quoted = (text) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const name = (names, index) => (names ? quoted(plain(names[index])) : String(index + 1));
  const cell = (text) => (/^-?(\d[\d.]*(e[+-]?\d+)?|inf|nan)$/.test(text) ? text : quoted(plain(text)));
  const remark = (text) => (isTable(data) && footer ? [quoted(plain(text))] : []);
  const numbers = listed(data.exact).map(cell);
  const lines = [["", ...Array.from({ length: columns }, (_, column) => name(column_names, column)), ...remark(words.footer)]];
  for (let row = 0; row < rows; row++) {
    lines.push([name(row_names, row), ...numbers.slice(row * columns, (row + 1) * columns), ...remark(footer?.[row] ?? "")]);
  }
  return "\ufeff" + lines.map((line) => line.join(",") + "\r\n").join("");
}

// The matrix as it stands, with title, names and scale, at twice the size of the screen.
function asPicture(grid) {
  const { data } = grid, canvas = document.createElement("canvas"), brush = canvas.getContext("2d");
  const style = getComputedStyle(grid.parts.grid), font = (size, weight = 400) => `${weight} ${size}px ${style.fontFamily}`;
  brush.font = font(13);
  const width = (texts) => Math.min(180, Math.max(0, ...texts.map((text) => brush.measureText(text).width)));
  const heads = (names, axis, count) => Array.from({ length: count }, (_, index) => [data.first[axis] + index * data.block[axis], names?.[index] ?? ""].join(" ").trim());
  const tops = heads(data.column_names, 1, data.columns), sides = heads(data.row_names, 0, data.rows);
  const isSmall = data.mode === "cells", wide = isSmall ? Math.max(64, width(listed(data.texts)) + 16) : grid.view.side, tall = isSmall ? 30 : grid.view.side;
  const isUpright = !isSmall || width(tops) > wide - 8;
  const title = `${data.symbol.replace(/[{}]/g, "")} ${data.title}`.trim();
  const axes = `${data.words.row} ↓   ${data.words.column} →`;
  const left = Math.max(width(sides) + 24, 40), top = 62 + (isUpright ? width(tops) + 12 : 24);
  const right = left + wide * data.columns + (data.footer ? wide : 0), bottom = top + tall * data.rows;
  brush.font = font(15, 600);
  const full = Math.max(right + 16, left + 240, brush.measureText(title).width + 32);
  [canvas.width, canvas.height] = [2 * full, 2 * (bottom + 52)];
  brush.scale(2, 2);
  const sheet = { brush, font, left, top, right, bottom, wide, tall, isUpright, tops, sides, pen: style.color, paper: style.backgroundColor };
  brush.fillStyle = sheet.paper;
  brush.fillRect(0, 0, canvas.width, canvas.height);
  letter(sheet, title, 16, 24, { size: 15, weight: 600 });
  letter(sheet, axes, 16, 46, {});
  if (isSmall) paintCells(grid, sheet);
  else {
    brush.imageSmoothingEnabled = false;
    brush.drawImage(grid.view.canvas, left, top, wide * data.columns, tall * data.rows);
  }
  paintHeads(sheet, data, isSmall ? 1 : Math.ceil(14 / grid.view.side));
  paintScale(grid, sheet);
  return canvas;
}

function letter({ brush, font, pen }, text, x, y, { size = 13, weight = 400, align = "left", ink = pen, limit = 4000 }) {
  brush.font = font(size, weight);
  brush.textAlign = align;
  brush.fillStyle = ink;
  brush.fillText(text, x, y, limit);
}

function paintCells({ data, levels, steps }, sheet) {
  const { brush, left, top, right, wide, tall, pen } = sheet;
  for (let place = 0; place < levels.length; place++) {
    const x = left + wide * (place % data.columns), y = top + tall * Math.floor(place / data.columns), step = steps[levels[place]];
    brush.fillStyle = step?.fill ?? "transparent";
    brush.fillRect(x, y, wide, tall);
    brush.strokeStyle = pen;
    brush.lineWidth = 0.25;
    brush.strokeRect(x, y, wide, tall);
    if (levels[place] === HIDDEN) hatch(brush, x, y, wide, tall);
    letter(sheet, data.texts[place], x + wide - 7, y + tall / 2 + 5, { align: "right", ink: step?.ink ?? pen, limit: wide - 10 });
    brush.lineWidth = 3;
    if (place === data.picked) brush.strokeRect(x + 1.5, y + 1.5, wide - 3, tall - 3);
  }
  data.footer?.forEach((text, row) => letter(sheet, text, right - 7, top + tall * (row + 0.5) + 5, { align: "right", limit: wide }));
}

function hatch(brush, x, y, wide, tall) {
  brush.save();
  brush.beginPath();
  brush.rect(x, y, wide, tall);
  brush.clip();
  brush.lineWidth = 0.5;
  brush.beginPath();
  for (let shift = -tall; shift < wide; shift += 7) {
    brush.moveTo(x + shift, y + tall);
    brush.lineTo(x + shift + tall, y);
  }
  brush.stroke();
  brush.restore();
}

function paintHeads(sheet, data, stride) {
  const { brush, left, top, right, wide, tall, isUpright, tops, sides } = sheet;
  for (let row = 0; row < data.rows; row += stride) {
    letter(sheet, sides[row], left - 8, top + tall * (row + 0.5) + 5, { align: "right", limit: 180 });
  }
  for (let column = 0; column < data.columns; column += stride) {
    const x = left + wide * (column + 0.5);
    if (!isUpright) letter(sheet, tops[column], x, top - 8, { align: "center" });
    else {
      brush.save();
      brush.translate(x + 5, top - 8);
      brush.rotate(-Math.PI / 2);
      letter(sheet, tops[column], 0, 0, { limit: 180 });
      brush.restore();
    }
  }
  if (data.footer) letter(sheet, data.words.footer, right - 7, top - 8, { align: "right" });
}

function paintScale({ data, steps }, sheet) {
  if (data.ends.length === 0) return;
  const { brush, left, bottom } = sheet, long = 200;
  steps.forEach(({ fill }, step) => {
    brush.fillStyle = fill;
    brush.fillRect(left + (long * step) / steps.length, bottom + 14, long / steps.length + 0.5, 10);
  });
  data.ends.forEach((end, index) => {
    const share = index / (data.ends.length - 1);
    letter(sheet, end, left + long * share, bottom + 40, { align: ["left", "center", "right"][share * 2] });
  });
}
