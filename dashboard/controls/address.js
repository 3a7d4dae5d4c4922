/* Keeps the address bar in line with the page's values, without an entry in the browser's history for each step.
   It waits until the page has been painted: nobody reads the address while a slider moves. */
const AFTER_MS = 150;

export default function ({ data }) {
  const lab = (globalThis.attentionLabAddress ??= { number: 0, timer: 0 });
  if (data.number < lab.number) return;
  lab.number = data.number;
  window.clearTimeout(lab.timer);
  lab.timer = window.setTimeout(() => write(data), AFTER_MS);
}

function write({ query: values, slug }) {
  const last = window.location.pathname.split("/").pop();
  if (slug && last !== slug) return;
  const query = new URLSearchParams(values);
  for (const [name, value] of new URLSearchParams(window.location.search))
    if (name === "embed" || name === "embed_options") query.append(name, value);
  const search = String(query) ? `?${query}` : "";
  if (search !== window.location.search)
    window.history.replaceState(window.history.state, "", window.location.pathname + search + window.location.hash);
}
