"""What every page test needs: a page opened as a visitor opens it, without a browser."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

ROOT = Path(__file__).resolve().parents[2]
FILES = {"": "../pages/start.py", "qkv": "../pages/qkv.py", "scaling": "../pages/scaling.py"}


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


@pytest.fixture
def go_to() -> Callable[[AppTest, str], AppTest]:
    """A function that goes to another page of the same visit by the menu, which carries no query."""

    def go(at: AppTest, slug: str) -> AppTest:
        at.query_params.clear()
        return at.switch_page(FILES[slug]).run()

    return go
