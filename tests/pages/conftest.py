"""What every page test needs: a page opened as a visitor opens it, without a browser."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.reading import read_printed

ROOT = Path(__file__).resolve().parents[2]
FILES = {
    "": "../pages/start.py",
    "qkv": "../pages/qkv.py",
    "scaling": "../pages/scaling.py",
    "masks": "../pages/masks.py",
    "heads": "../pages/heads.py",
    "complexity": "../pages/complexity.py",
    "variants": "../pages/variants.py",
    "layers": "../pages/layers.py",
}


@pytest.fixture
def open_page() -> Callable[..., AppTest]:
    """A function that opens a page as the first visit of a new session: `open_page("qkv", lang="zh", d_k="2")`.

    What stands in `left_here` is there already, by lesson: values that no link can carry.
    """

    def open_it(
        slug: str, *, left_here: Mapping[str, object] | None = None, **query: str | Sequence[str]
    ) -> AppTest:
        at = AppTest.from_file(str(ROOT / "dashboard" / "main.py"), default_timeout=30)
        at.query_params.update(query)
        if left_here is not None:
            at.session_state[f"lesson:{slug}"] = dict(left_here)
        if slug:
            at.switch_page(FILES[slug])
        return at.run()

    return open_it


@pytest.fixture(scope="module")
def pages() -> dict[tuple, AppTest]:
    """Pages of this module that were only looked at, by lesson and query."""
    return {}


@pytest.fixture
def look_at(open_page, pages) -> Callable[..., AppTest]:
    """A function that opens a page as `open_page` does, or gives the one that was opened so before.

    What is to be touched has to be opened anew: `look_at("heads", is_touched=True, view="ledger")`.
    """

    def look(slug: str, *, is_touched: bool = False, **query: object) -> AppTest:
        asked = {name: str(value) for name, value in query.items()}
        key = (slug, *sorted(asked.items()))
        if is_touched or key not in pages:
            at = open_page(slug, **asked)
            assert not at.exception
            if is_touched:
                return at
            pages[key] = at
        return pages[key]

    return look


@pytest.fixture
def go_to() -> Callable[[AppTest, str], AppTest]:
    """A function that goes to another page of the same visit by the menu, which carries no query."""

    def go(at: AppTest, slug: str) -> AppTest:
        at.query_params.clear()
        return at.switch_page(FILES[slug]).run()

    return go


# One process runs many scripts, because importing torch takes longer than most of them.
RUNNER = """
import contextlib, io, json, sys, traceback, warnings
import torch
torch.set_num_threads(1)
warnings.filterwarnings("ignore", "std.* degrees of freedom is <= 0")
for line in sys.stdin:
    printed, error = io.StringIO(), None
    try:
        with contextlib.redirect_stdout(printed):
            exec(compile(json.loads(line), "script", "exec"), {"__name__": "__main__"})
    except Exception:
        error = traceback.format_exc()
    print(json.dumps([printed.getvalue(), error]), flush=True)
"""


@pytest.fixture(scope="module")
def run_script(tmp_path_factory) -> Iterator[Callable[[str], dict[str, list]]]:
    """A function that says what a script prints; it runs in an empty folder, without this repository."""
    command = [sys.executable, "-I", "-c", RUNNER]
    folder = tmp_path_factory.mktemp("empty")
    with subprocess.Popen(
        command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as runner:

        def run(script: str) -> dict[str, list]:
            runner.stdin.write(json.dumps(script) + "\n")
            runner.stdin.flush()
            printed, error = json.loads(runner.stdout.readline())
            assert error is None, error
            return read_printed(printed)

        yield run
        runner.stdin.close()
