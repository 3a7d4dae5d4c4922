/* Tells the document its language, and copies the address of the page. */
export default function (component) {
  const { parentElement, data } = component;
  document.documentElement.lang = data.lang === "zh" ? "zh-CN" : "en";
  let button = parentElement.querySelector("button");
  if (!button) {
    const box = document.createElement("div");
    box.className = "lab-link";
    button = document.createElement("button");
    button.type = "button";
    const status = document.createElement("span");
    status.setAttribute("role", "status");
    box.append(button, status);
    parentElement.append(box);
  }
  const status = parentElement.querySelector("[role=status]");
  button.textContent = data.label;
  button.title = data.help;
  button.onclick = async () => {
    await settled();
    globalThis.attentionLabAddress?.write?.();
    const done = await copy(window.location.href);
    status.textContent = done ? data.copied : data.failed;
    window.setTimeout(() => { status.textContent = ""; }, 4000);
  };
}

/* What was touched just before may still be on its way to the server and back; it belongs into the link. */
async function settled() {
  const isRunning = () =>
    document.querySelector('[data-testid="stApp"]')?.getAttribute("data-test-script-state") === "running";
  for (let waited = 0, still = 0; waited < 3000 && still < 300; waited += 50) {
    await new Promise((resolve) => window.setTimeout(resolve, 50));
    still = isRunning() ? 0 : still + 50;
  }
}

/* The clipboard API needs https or localhost; a class server on plain http gets the older way. */
async function copy(text) {
  if (navigator.clipboard && window.isSecureContext) {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch { /* refused: try the older way */ }
  }
  const field = document.createElement("textarea");
  field.value = text;
  field.style.position = "fixed";
  field.style.opacity = "0";
  document.body.append(field);
  field.select();
  const done = document.execCommand("copy");
  field.remove();
  return done;
}
