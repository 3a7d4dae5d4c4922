/* Keeps the address bar in line with the page's values, without an entry in the browser's history for each step. */
export default function ({ data }) {
  const newest = (globalThis.attentionLabAddress ??= { number: 0 });
  const last = window.location.pathname.split("/").pop();
  if (data.number < newest.number || (data.slug && last !== data.slug)) return;
  newest.number = data.number;
  const query = new URLSearchParams(data.query);
  for (const [name, value] of new URLSearchParams(window.location.search))
    if (name === "embed" || name === "embed_options") query.append(name, value);
  const search = String(query) ? `?${query}` : "";
  if (search !== window.location.search)
    window.history.replaceState(window.history.state, "", window.location.pathname + search + window.location.hash);
}
