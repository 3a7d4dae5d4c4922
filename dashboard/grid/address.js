// Keeps the address bar in line with the page's values, without an entry in the browser's history for each step.
// It waits until the page has been painted: nobody reads the address while a slider moves.

const ADDRESS_WAITS_MS = 150;

// Streamlit adds an entry to the history whenever Python changes or clears the query, and Back would then lead to the
// page where the reader already is. An entry for the page that is open replaces the one that is there.
function keepOneEntryForEachPage() {
  const { history } = window;
  const push = history.pushState.bind(history);
  history.pushState = (state, title, url) => {
    const isHere = url && new URL(url, window.location.href).pathname === window.location.pathname;
    if (isHere) history.replaceState(state, title, url);
    else push(state, title, url);
  };
}

function drawAddress({ parentElement, data }) {
  if (parentElement.host) parentElement.host.hidden = true;
  if (!globalThis.attentionLabAddress) keepOneEntryForEachPage();
  const lab = (globalThis.attentionLabAddress ??= { number: 0, timer: 0 });
  if (data.number < lab.number) return;
  lab.number = data.number;
  window.clearTimeout(lab.timer);
  lab.write = () => writeAddress(data);
  lab.timer = window.setTimeout(lab.write, ADDRESS_WAITS_MS);
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
