"""What every browser test needs: a server of our own, a real Chromium, and a wait that knows when to end.

Fixtures: `browser` (also as `chromium`), `server`, `cold_server`, `visit`, `settle`.
"""

import itertools
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent
CHROMIUM_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
CHROMIUM_ARGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-sync",
    "--disable-background-networking",
    "--disable-component-update",
    "--hide-scrollbars",
]
# What a tab can be given anew, so that one tab serves every value of it.
SET_BY_LENDING = ("viewport", "color_scheme")
NO_CHROMIUM = "no Chromium here: install one (Debian: apt-get install chromium) or name it in $CHROMIUM"

# Still: the script has stopped, no skeleton is left, and nothing changed for `quiet_ms`. Shadow roots are
# watched too, because the grid lives in one and an observer of the document does not see into it.
SETTLED_JS = """({quiet_ms, limit_ms}) => new Promise((resolve) => {
  const start = performance.now();
  let changed = start;
  const seen = new WeakSet();
  const observer = new MutationObserver(() => { changed = performance.now(); });
  const watch = (root) => {
    if (!seen.has(root)) {
      seen.add(root);
      observer.observe(root, {subtree: true, childList: true, characterData: true, attributes: true});
    }
    for (const element of root.querySelectorAll('*')) if (element.shadowRoot) watch(element.shadowRoot);
  };
  const look = () => {
    watch(document);
    const app = document.querySelector('[data-testid="stApp"]');
    const isIdle = app
      && app.getAttribute('data-test-script-state') === 'notRunning'
      && app.getAttribute('data-test-connection-state') === 'CONNECTED'
      && !document.querySelector('[data-testid="stSkeleton"]');
    if (!isIdle) changed = performance.now();
    const now = performance.now();
    const isStill = now - changed >= quiet_ms;
    if (!isStill && now - start < limit_ms) { setTimeout(look, 30); return; }
    observer.disconnect();
    resolve(isStill);
  };
  look();
})"""


def chromium_path() -> str | None:
    """Find the browser: $CHROMIUM first, then the usual names on PATH."""
    return os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, CHROMIUM_NAMES)), None)


def is_here(item: pytest.Item) -> bool:
    return HERE in item.path.parents


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    no_chromium = None if chromium_path() else pytest.mark.skip(reason=NO_CHROMIUM)
    for item in filter(is_here, items):
        item.add_marker(pytest.mark.browser)
        if no_chromium:
            item.add_marker(no_chromium)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say how many browser tests did not run, and why: a skip that nobody sees reads as a pass."""
    skipped = terminalreporter.stats.get("skipped", ())
    n_skipped = sum(NO_CHROMIUM in str(report.longrepr) for report in skipped)
    if n_skipped:
        terminalreporter.write_line(f"{n_skipped} browser tests skipped: {NO_CHROMIUM}", yellow=True)


@dataclass(frozen=True)
class Server:
    """A Streamlit server that a test started: where it answers, and what it said."""

    url: str
    log: Path
    process: subprocess.Popen

    def __str__(self) -> str:
        return self.url

    def wait_until_healthy(self, timeout_s: float = 120) -> None:
        end = time.monotonic() + timeout_s
        while time.monotonic() < end and self.process.poll() is None:
            try:
                with urllib.request.urlopen(f"{self.url}/_stcore/health", timeout=2) as answer:
                    if answer.status == 200:
                        return
            except OSError:
                time.sleep(0.1)
        said = self.log.read_text(errors="replace")[-4000:]
        raise RuntimeError(f"the server did not become healthy within {timeout_s} s; it said:\n{said}")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextmanager
def running_server(script: Path, log: Path, *, module: str = "streamlit") -> Iterator[Server]:
    """Serve a script with the interpreter of the tests, from the repository's root; end it by its own id."""
    port = free_port()
    command = [sys.executable, "-m", module, "run", str(script)]
    options = {
        "server.port": port,
        "server.address": "127.0.0.1",
        "server.headless": "true",
        "browser.gatherUsageStats": "false",
        "server.fileWatcherType": "none",
    }
    command += [f"--{name}={value}" for name, value in options.items()]
    with log.open("w") as said:
        process = subprocess.Popen(
            command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=said, stderr=subprocess.STDOUT
        )
    try:
        server = Server(f"http://127.0.0.1:{port}", log, process)
        server.wait_until_healthy()
        yield server
    finally:
        process.terminate()
        try:
            process.wait(15)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait(15)


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of one server of the app that all browser tests share."""
    with running_server(ROOT / "app.py", tmp_path_factory.mktemp("server") / "server.log") as started:
        yield started.url


@pytest.fixture
def cold_server(tmp_path: Path) -> Iterator[Callable[..., Server]]:
    """A function that starts a fresh process nobody has visited: `cold_server()` or `cold_server("bed.py")`.

    Each call is a process of its own; all end with the test. A relative script is looked for in the root.
    """
    with ExitStack() as started:
        numbers = itertools.count()
        yield lambda script="app.py": started.enter_context(
            running_server(ROOT / script, tmp_path / f"server-{next(numbers)}.log")
        )


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=chromium_path(), args=CHROMIUM_ARGS)
        yield launched
        launched.close()


@pytest.fixture(scope="session")
def chromium(browser: Browser) -> Browser:
    return browser


def wait_until_settled(page: Page, *, quiet_ms: int = 300, timeout_s: float = 60) -> None:
    """Wait until the script has stopped and the page, shadow roots included, was still for `quiet_ms`."""
    is_still = page.evaluate(SETTLED_JS, {"quiet_ms": quiet_ms, "limit_ms": timeout_s * 1000})
    assert is_still, f"the page at {page.url} was not still within {timeout_s} s"


@pytest.fixture(scope="session")
def settle() -> Callable[..., None]:
    """The function to call after each action: `settle(page)`."""
    return wait_until_settled


@dataclass
class Tab:
    """A tab in a context of its own, lent to one visit at a time, and what went wrong in that visit.

    The browser keeps what it has downloaded and compiled; everything a visitor leaves behind is wiped.
    """

    page: Page
    host: str = ""
    faults: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.page.on("console", lambda message: self.hear(message.type, message.text))
        self.page.on("pageerror", lambda error: self.faults.append(f"page error: {error}"))
        self.page.on("request", lambda request: self.see(request.url))
        self.page.on("response", lambda response: self.weigh(response.status, response.url))

    def hear(self, kind: str, text: str) -> None:
        # A failed request is reported by `weigh`, with its address.
        if kind == "error" and "Failed to load resource" not in text:
            self.faults.append(f"console error: {text}")

    def see(self, url: str) -> None:
        parts = urlsplit(url)
        if parts.scheme in ("http", "https", "ws", "wss") and parts.netloc != self.host:
            self.faults.append(f"request that leaves the machine: {url}")

    def weigh(self, status: int, url: str) -> None:
        # On a deep link Streamlit's front end first probes <page>/_stcore/…; those 404s are its own way.
        if status >= 400 and "/_stcore/" not in url:
            self.faults.append(f"HTTP {status}: {url}")

    def lend(self, url: str, options: Mapping[str, object]) -> Page:
        self.host = urlsplit(url).netloc
        self.faults = self.page.faults = []
        self.page.set_viewport_size(options["viewport"])
        self.page.emulate_media(color_scheme=options.get("color_scheme", "light"))
        self.page.goto(url, wait_until="domcontentloaded")
        return self.page

    def is_wiped(self) -> bool:
        """Forget the visit; False when this tab cannot, or when its history nears the 50 entries at which
        Chromium stops counting."""
        if self.page.is_closed() or len(self.page.context.pages) > 1:
            return False
        length = self.page.evaluate("localStorage.clear(), sessionStorage.clear(), history.length")
        self.page.mouse.move(-9, -9)
        self.page.goto("about:blank")
        self.page.context.clear_cookies()
        self.page.context.clear_permissions()
        return length < 25


@pytest.fixture(scope="session")
def free_tabs(browser: Browser) -> dict[str, list[Tab]]:
    """Tabs that nobody uses at the moment, by the options of their context."""
    return defaultdict(list)


@pytest.fixture
def visit(browser: Browser, free_tabs: dict[str, list[Tab]]) -> Iterator[Callable[..., Page]]:
    """A function that opens an address as a visitor of its own and waits until the page is still.

    `visit(url, locale="zh-CN", color_scheme="dark", viewport={"width": 390, "height": 844})` gives the page.
    Each call within a test has its own context; a later test may get that tab again, wiped.
    When the test ends, console errors, page errors, failed requests and requests to another host fail it.
    A test that expects some takes them out of `page.faults`, a list of sentences.
    """
    lent: list[tuple[str, Tab]] = []

    def open_page(url: str | Server, **options: object) -> Page:
        options = {"locale": "en-US", "viewport": {"width": 1280, "height": 900}} | options
        kind = repr(sorted((name, value) for name, value in options.items() if name not in SET_BY_LENDING))
        tab = free_tabs[kind].pop() if free_tabs[kind] else Tab(browser.new_context(**options).new_page())
        lent.append((kind, tab))
        page = tab.lend(str(url), options)
        wait_until_settled(page)
        return page

    yield open_page
    for kind, tab in lent:
        if tab.is_wiped():
            free_tabs[kind].append(tab)
        else:
            tab.page.context.close()
    faults = [fault for _, tab in lent for fault in tab.faults]
    assert not faults, "\n".join(faults)
