// A strip of stages in order, each with its shape: one is chosen.

function drawStrip({ parentElement, data, setTriggerValue }) {
  let strip = parentElement.querySelector("[role=radiogroup]");
  if (!strip) {
    parentElement.adoptedStyleSheets = [sheetOf("strip_css")];
    strip = document.createElement("div");
    strip.setAttribute("role", "radiogroup");
    const note = document.createElement("p");
    parentElement.append(strip, note);
    strip.addEventListener("keydown", (event) => walk(strip, event));
  }
  strip.setAttribute("aria-label", data.label);
  while (strip.children.length > data.stages.length) strip.lastElementChild.remove();
  data.stages.forEach((stage, place) => drawStage(strip, stage, place, data.chosen));
  write(parentElement.querySelector("p"), data.note);
  strip.onclick = (event) => {
    const button = event.target.closest("button");
    if (button && button.dataset.id !== data.chosen) setTriggerValue("choose", button.dataset.id);
  };
}

function drawStage(strip, stage, place, chosen) {
  let button = strip.children[place];
  if (!button) {
    button = document.createElement("button");
    button.type = "button";
    button.setAttribute("role", "radio");
    button.append(document.createElement("b"), document.createElement("span"));
    strip.append(button);
  }
  const isChosen = stage.id === chosen;
  const shown = JSON.stringify([stage, isChosen]);
  if (button.shown === shown) return;
  button.shown = shown;
  button.dataset.id = stage.id;
  button.dataset.joint = stage.joint;
  button.style.setProperty("--hue", stage.hue || "currentColor");
  write(button.firstChild, stage.name);
  write(button.lastChild, stage.shape);
  button.title = stage.title;
  button.setAttribute("aria-label", `${stage.title} ${stage.shape}`);
  button.setAttribute("aria-checked", String(isChosen));
  button.tabIndex = isChosen ? 0 : -1;
}

function walk(strip, event) {
  const buttons = [...strip.children];
  const here = buttons.indexOf(event.target.closest("button"));
  const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
  const ends = { Home: 0, End: buttons.length - 1 };
  let there;
  if (step) there = (here + step + buttons.length) % buttons.length;
  else if (event.key in ends) there = ends[event.key];
  else return;
  event.preventDefault();
  buttons[there].focus();
}
