"""What a view of the heads lists as the code that ran did run to show it."""

import importlib
import inspect
import pkgutil
import threading
from collections.abc import Callable

import pytest

from dashboard import cached
from dashboard.panels import heads
from dashboard.text.heads import VIEWS

# Listed functions that run once a reader asks: an answer handed in or unfolded, heads joined.
WHEN_ASKED = {
    "drill": {"judge", "read_shape"},
    "heads": {"join_heads"},
    "dropout": {"compare_with_torch"},
    "growth": {"moved_by_next"},
}


@pytest.fixture
def listed(monkeypatch) -> list[Callable]:
    """The functions that views list, in place of their source."""
    found: list[Callable] = []
    for module in pkgutil.iter_modules(heads.__path__, f"{heads.__name__}."):
        panel = importlib.import_module(module.name)
        for kept in vars(panel).values():
            if hasattr(kept, "cache_clear"):
                kept.cache_clear()
                getattr(kept.__wrapped__, "clear", lambda: None)()
        if hasattr(panel, "source"):
            monkeypatch.setattr(panel, "source", lambda functions, _language: found.extend(functions))
    for kept in vars(cached).values():
        if hasattr(kept, "cache_clear"):
            kept.cache_clear()
            kept.__wrapped__.clear()
    return found


def codes_of(function: Callable) -> set:
    """The code by which a function, or any method of a class, is known while it runs."""
    functions = vars(function).values() if inspect.isclass(function) else [inspect.unwrap(function)]
    return {one.__code__ for one in functions if hasattr(one, "__code__")}


# What measures initial weights takes seconds while it is watched.
@pytest.mark.parametrize("view", [view for view in VIEWS if view != "initial"])
def test_the_code_that_ran_did_run(open_page, listed, view: str) -> None:
    called = set()
    threading.setprofile(lambda frame, _event, _arg: called.add(frame.f_code))
    try:
        assert not open_page("heads", lang="en", view=view).exception
    finally:
        threading.setprofile(None)
    assert listed
    idle = {function.__name__ for function in listed if not codes_of(function) & called}
    assert idle == WHEN_ASKED.get(view, set())
