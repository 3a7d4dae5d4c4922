// Sentences and lines of arithmetic; a number that stands in a cell can be picked to go where it comes from.

function drawLines({ parentElement, data, setTriggerValue }) {
  // Only once: setting it again makes the browser style everything inside anew.
  if (!parentElement.adoptedStyleSheets.length) parentElement.adoptedStyleSheets = [sheetOf("lines_css")];
  fillLines(parentElement, data, setTriggerValue);
}

// The same under a heading that unfolds it; what is folded away is not drawn.
function drawFold({ parentElement, data, setTriggerValue }) {
  let fold = parentElement.querySelector("details");
  if (!fold) {
    parentElement.adoptedStyleSheets = [sheetOf("lines_css")];
    fold = document.createElement("details");
    fold.append(document.createElement("summary"));
    parentElement.append(fold);
  }
  write(fold.firstChild, data.label);
  const fill = () => {
    if (fold.open) fillLines(fold, data, setTriggerValue);
  };
  if (data.is_kept) fold.open = data.is_open;
  fold.ontoggle = () => {
    if (data.is_kept && fold.open !== data.is_open) setTriggerValue("unfold", fold.open);
    fill();
  };
  fill();
}

function fillLines(parent, data, setTriggerValue) {
  let box = parent.querySelector(".lines");
  if (!box) {
    box = document.createElement("div");
    box.className = "lines";
    box.setAttribute("role", "group");
    parent.append(box);
  }
  if (box.getAttribute("aria-label") !== data.label) box.setAttribute("aria-label", data.label);
  box.classList.toggle("long", data.lines.some(({ kind }) => kind === "arithmetic"));
  fit(box, data.lines.length, "p");
  data.lines.forEach(({ kind, pieces }, place) => {
    const line = box.children[place];
    if (line.className !== kind) line.className = kind;
    fit(line, pieces.length, "span");
    pieces.forEach((piece, at) => drawPiece(line.children[at], piece, [place, at]));
  });
  box.onclick = (event) => {
    const button = event.target.closest("button");
    if (button) setTriggerValue("pick", button.dataset.at.split(".").map(Number));
  };
}

function fit(node, length, tag) {
  while (node.children.length > length) node.lastElementChild.remove();
  while (node.children.length < length) node.append(document.createElement(tag));
}

function drawPiece(node, piece, at) {
  const tag = piece.cell || piece.is_link ? "BUTTON" : piece.is_word ? "CODE" : "SPAN";
  if (node.tagName !== tag || Boolean(node.isLink) !== Boolean(piece.is_link)) {
    const fresh = document.createElement(tag);
    fresh.isLink = Boolean(piece.is_link);
    if (tag === "BUTTON") fresh.type = "button";
    if (piece.cell) fresh.append(document.createElement("b"), document.createElement("small"));
    node.replaceWith(fresh);
    node = fresh;
  }
  const shown = JSON.stringify([piece, at]);
  if (node.shown === shown) return;
  node.shown = shown;
  node.style.setProperty("--hue", piece.hue || "currentColor");
  if (piece.cell) {
    write(node.firstChild, piece.text);
    write(node.lastChild, piece.cell);
    node.dataset.at = at.join(".");
    node.setAttribute("aria-label", `${piece.cell} = ${piece.text}`);
  } else if (piece.is_link) {
    node.className = "link";
    node.dataset.at = at.join(".");
    write(node, piece.text);
  } else if (piece.is_symbol) {
    node.className = "symbol";
    spell(node, piece.text);
  } else {
    node.className = "";
    delete node.dataset.symbol;
    write(node, piece.text);
  }
}
