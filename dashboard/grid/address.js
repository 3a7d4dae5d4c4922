// Keeps the address bar in line with the page's values, without an entry in the browser's history for each step.
// It waits until the page has been painted: nobody reads the address while a slider moves.

const ADDRESS_WAITS_MS = 150;

function drawAddress({ parentElement, data }) {
  if (parentElement.host) parentElement.host.hidden = true;
  const lab = (globalThis.attentionLabAddress ??= { number: 0, timer: 0 });
  if (data.number < lab.number) return;
  lab.number = data.number;
  window.clearTimeout(lab.timer);
  lab.timer = window.setTimeout(() => writeAddress(data), ADDRESS_WAITS_MS);
}

function writeAddress({ query: values, slug }) {
  const { pathname, search: before, hash } = window.location;
  if (slug && pathname.split("/").pop() !== slug) return;
  const query = new URLSearchParams(values);
  for (const [name, value] of new URLSearchParams(before)) {
    if (name === "embed" || name === "embed_options") query.append(name, value);
  }
  const search = String(query) ? `?${query}` : "";
  if (search !== before) window.history.replaceState(window.history.state, "", pathname + search + hash);
}
