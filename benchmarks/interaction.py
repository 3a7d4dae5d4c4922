"""How long a reader waits, against a bare app on the same machine in the same run.

python -m benchmarks.interaction [--presses 40] [--cold 5] [--path '/qkv?lang=en' --control d_k]

Two servers, one real Chromium. A slider or a number box is moved by one key at a time, in blocks that take turns: bare, lab,
bare and so on. From each press: the first frame in which a chart or a grid cell has changed; the last frame
before the page stays still with its script stopped; what its runs took from the server's processor, all together.
Then the first visit: a fresh process each time, a fresh browser profile, from navigation to the first chart or grid.

Prints a Markdown table. The exit status is 1 if a bar is missed.
"""

import argparse
import os
import platform
import statistics
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

from tests.browser.conftest import CHROMIUM_ARGS, ROOT, chromium_path, running_server, wait_until_settled

# Sixteen tokens, four masks, five sentences of different lengths.
SIXTEEN = "a+cat+saw+the+dog+and+the+bird+sing+over+a+red+hill+near+our+home"
BATCH = f"text={SIXTEEN}&more=the+dog+ran+%7C+it+slept+%7C+a+b+c+d+%7C+we+go&compare_sentence=3"
PAGES = (
    ("/qkv?lang=en", "d_k"),
    ("/scaling?lang=en&view=saturation&guess=shown", "d_k"),
    (f"/masks?lang=en&{BATCH}&compare_stage=weights", "sentence"),
    ("/heads?lang=en&view=heads", "head"),
    ("/complexity?lang=en&view=growth", "layers"),
    ("/variants?lang=en", "w (window)"),
    ("/layers?lang=en&n_layers=6", "after layer"),
)
N_BLOCKS = 4
N_WARM_UP = 4
QUIET_MS = 400
LIMIT_S = 30

# Runs before anything of the page: notes the key, the first frame with a new chart or cell, and the last one in
# which anything changed. A frame counts once it was produced: a task after its animation callback.
WATCH_JS = """
(() => {
  const PICTURE = '[data-testid="stVegaLiteChart"] svg, [data-testid="stVegaLiteChart"] canvas, '
    + '[role="gridcell"], [role="grid"] canvas';
  const watch = window.__watch = {key: 0, first: null, last: 0, changed: 0};
  const note = (isPicture) => {
    watch.changed = performance.now();
    watch.isPicture ||= isPicture;
    if (watch.isPending) return;
    watch.isPending = true;
    const key = watch.key;
    requestAnimationFrame(() => setTimeout(() => {
      if (key !== watch.key) return;
      watch.isPending = false;
      watch.last = performance.now();
      if (watch.isPicture) watch.first ??= watch.last;
    }));
  };
  const isInPicture = (node) => {
    const element = node.nodeType === Node.ELEMENT_NODE ? node : node.parentElement;
    return Boolean(element && element.closest(PICTURE));
  };
  const isPicture = ({target, addedNodes}) => isInPicture(target)
    || [...addedNodes].some((node) => isInPicture(node) || node.querySelector?.(PICTURE));
  const observer = new MutationObserver((records) => note(watch.first === null && records.some(isPicture)));
  const follow = (root) =>
    observer.observe(root, {subtree: true, childList: true, characterData: true, attributes: true});
  follow(document);
  const attachShadow = Element.prototype.attachShadow;
  Element.prototype.attachShadow = function (options) {
    const root = attachShadow.call(this, options);
    follow(root);
    return root;
  };
  for (const name of ['fillRect', 'putImageData', 'drawImage', 'stroke', 'fill', 'fillText']) {
    const draw = CanvasRenderingContext2D.prototype[name];
    CanvasRenderingContext2D.prototype[name] = function (...given) {
      // Only a canvas that stands in the page is a picture; Vega measures text on one that does not.
      if (this.canvas.isConnected) note(true);
      return draw.apply(this, given);
    };
  }
  addEventListener('keydown', ({timeStamp}) => {
    Object.assign(watch, {key: timeStamp, first: null, last: timeStamp, changed: timeStamp});
    Object.assign(watch, {isPending: false, isPicture: false});
  }, true);
})();
"""

# Done: something was painted, the script has stopped, and nothing changed for a while.
DONE_JS = f"""() => {{
  const app = document.querySelector('[data-testid="stApp"]');
  const watch = window.__watch;
  return watch.first !== null && !watch.isPending
    && app.getAttribute('data-test-script-state') === 'notRunning'
    && performance.now() - watch.changed > {QUIET_MS};
}}"""


@dataclass(frozen=True)
class Subject:
    """One of the two apps: its script, the page to visit and the slider or number box to move."""

    name: str
    script: Path
    path: str
    control: str


@dataclass
class Times:
    """Milliseconds, one number a key press or a visit."""

    repaint: list[float] = field(default_factory=list)
    settled: list[float] = field(default_factory=list)
    script: list[float] = field(default_factory=list)
    visit: list[float] = field(default_factory=list)


@dataclass(frozen=True)
class Bar:
    """How many times the bare app's median the lab's median may be."""

    what: str
    field: str
    ratio: float


BARS = (
    Bar("first repaint after a key", "repaint", 1.5),
    Bar("page settled after a key", "settled", 3.0),
    Bar("processor for the script after a key", "script", 2.0),
    Bar("first visit to a cold server", "visit", 1.5),
)


@contextmanager
def serving(subject: Subject, folder: Path, name: str) -> Iterator[tuple[str, Path]]:
    runs = folder / f"{name}-runs.log"
    runs.touch()
    os.environ["TIMED_SERVER_LOG"] = str(runs)
    log = folder / f"{name}-server.log"
    with running_server(subject.script, log, module="benchmarks.timed_server") as server:
        yield server.url + subject.path, runs


def open_page(browser: Browser, url: str) -> Page:
    page = browser.new_context(viewport={"width": 1280, "height": 900}, locale="en-US").new_page()
    page.add_init_script(WATCH_JS)
    page.goto(url, wait_until="domcontentloaded")
    return page


def press(page: Page, key: str, runs: Path, times: Times) -> None:
    """Press one key, wait until the page is still, and note the three times."""
    n_runs = len(runs.read_text().splitlines())
    page.keyboard.press(key)
    page.wait_for_function(DONE_JS, timeout=LIMIT_S * 1000, polling=50)
    watch = page.evaluate("window.__watch")
    new_runs = runs.read_text().splitlines()[n_runs:]
    times.repaint.append(watch["first"] - watch["key"])
    times.settled.append(watch["last"] - watch["key"])
    times.script.append(1000 * sum(float(line) for line in new_runs))


def press_block(page: Page, subject: Subject, runs: Path, n_presses: int, times: Times) -> None:
    """Move the slider or number box there and back, so that each block sees the same values."""
    page.bring_to_front()
    controls = page.locator('[data-testid="stSlider"], [data-testid="stNumberInput"]')
    exact = controls.locator(f'input[aria-label="{subject.control}"]')
    (exact if exact.count() else controls.locator(f'input[aria-label*="{subject.control}"]')).first.focus()
    for number in range(N_WARM_UP + n_presses):
        kept = times if number >= N_WARM_UP else Times()
        press(page, "ArrowDown" if number % 2 else "ArrowUp", runs, kept)


def measure_presses(
    browser: Browser, subjects: Sequence[Subject], folder: Path, n_presses: int
) -> list[Times]:
    """The two apps' pages stay open side by side; the blocks of key presses take turns."""
    times = [Times() for _ in subjects]
    with serving(subjects[0], folder, "bare") as bare, serving(subjects[1], folder, "lab") as lab:
        pages = [open_page(browser, url) for url, _ in (bare, lab)]
        for page in pages:
            wait_until_settled(page)
        for _ in range(N_BLOCKS):
            for page, subject, (_, runs), kept in zip(pages, subjects, (bare, lab), times, strict=True):
                press_block(page, subject, runs, 2 * -(-n_presses // (2 * N_BLOCKS)), kept)
        for page in pages:
            page.context.close()
    return times


def measure_visits(
    browser: Browser, subjects: Sequence[Subject], folder: Path, n_cold: int, times: Sequence[Times]
) -> None:
    """Visit fresh processes, the two apps in turn and each first as often as the other."""
    for number in range(n_cold):
        pairs = list(zip(subjects, times, strict=True))
        for subject, kept in pairs if number % 2 == 0 else reversed(pairs):
            with serving(subject, folder, f"cold-{number}-{subject.name}") as (url, _):
                page = open_page(browser, url)
                page.wait_for_function("window.__watch.first !== null", timeout=LIMIT_S * 1000, polling=20)
                kept.visit.append(page.evaluate("window.__watch.first"))
                page.context.close()


def spread(values: Sequence[float]) -> str:
    """The median, with the quartiles beside it."""
    low, middle, high = statistics.quantiles(values, n=4, method="inclusive")
    return f"{middle:.0f} ({low:.0f}–{high:.0f})"


def report(bare: Times, lab: Times) -> tuple[str, bool]:
    """The table, and whether every bar was met."""
    lines = [
        "| median, quartiles in ms | bare app | lab | ratio | bar | n |",
        "|---|--:|--:|--:|--:|--:|",
    ]
    is_met = True
    for bar in BARS:
        ours, theirs = getattr(lab, bar.field), getattr(bare, bar.field)
        if not ours:
            continue
        ratio = statistics.median(ours) / statistics.median(theirs)
        is_met &= ratio <= bar.ratio
        limit = f"≤ {bar.ratio}×" + ("" if ratio <= bar.ratio else " **missed**")
        cells = (bar.what, spread(theirs), spread(ours), f"{ratio:.2f}×", limit, len(ours))
        lines.append("| " + " | ".join(map(str, cells)) + " |")
    return "\n".join(lines), is_met


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.interaction")
    parser.add_argument("--presses", type=int, default=40, help="key presses an app, in all blocks together")
    parser.add_argument("--cold", type=int, default=5, help="first visits an app")
    parser.add_argument("--path", help="one page of the lab; without it, each of PAGES in turn")
    parser.add_argument(
        "--control", default="d_k", help="the label of the lab's slider or number box, or a part of it"
    )
    options = parser.parse_args()
    if min(options.presses, options.cold) < 2:
        parser.error(f"--presses and --cold must be at least 2, got {options.presses} and {options.cold}")
    pages = [(options.path, options.control)] if options.path else PAGES
    return max(compare(path, control, options.presses, options.cold) for path, control in pages)


def compare(path: str, control: str, n_presses: int, n_cold: int) -> int:
    """Measure one page of the lab beside the bare app and print the table; 1 if a bar is missed."""
    subjects = (
        Subject("bare", ROOT / "benchmarks" / "bare" / "app.py", "/", "frequency"),
        Subject("lab", ROOT / "app.py", path, control),
    )
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium_path(), args=CHROMIUM_ARGS)
        times = measure_presses(browser, subjects, Path(name), n_presses)
        measure_visits(browser, subjects, Path(name), n_cold, times)
        version = browser.version
        browser.close()
    table, is_met = report(*times)
    print(f"{date.today()}, Chromium {version}, Python {platform.python_version()}, {os.cpu_count()} cores")
    print(f"{path}, {control}\n\n{table}\n", flush=True)
    return 0 if is_met else 1


if __name__ == "__main__":
    sys.exit(main())
