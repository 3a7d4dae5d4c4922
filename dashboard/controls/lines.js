/* Lines of arithmetic whose factors are cells: each can be picked to go where it comes from. Computes nothing. */
export default function (component) {
  const { parentElement, data, setTriggerValue } = component;
  let box = parentElement.querySelector(".lines");
  if (!box) {
    box = document.createElement("div");
    box.className = "lines";
    box.setAttribute("role", "group");
    parentElement.append(box);
  }
  box.setAttribute("aria-label", data.label);
  fit(box, data.lines.length, "p");
  data.lines.forEach((parts, place) => {
    const line = box.children[place];
    fit(line, parts.length, "span");
    parts.forEach((part, at) => draw(line, line.children[at], part, [place, at]));
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

function draw(line, node, part, at) {
  const tag = part.cell ? "BUTTON" : "SPAN";
  if (node.tagName !== tag) {
    const fresh = document.createElement(tag);
    if (part.cell) {
      fresh.type = "button";
      fresh.append(document.createElement("b"), document.createElement("small"));
    }
    node.replaceWith(fresh);
    node = fresh;
  }
  if (!part.cell) {
    put(node, part.text);
    return;
  }
  put(node.firstChild, part.text);
  put(node.lastChild, part.cell);
  node.style.setProperty("--hue", part.hue || "currentColor");
  node.dataset.at = at.join(".");
  node.setAttribute("aria-label", `${part.cell} = ${part.text}`);
}

function put(node, text) {
  if (node.textContent !== text) node.textContent = text;
}
