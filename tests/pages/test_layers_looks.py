"""What holds for every view of the layers: looks, hostile links, and that the listed code did run."""

import importlib
import inspect
import pkgutil
import re
import threading
from collections.abc import Callable

import pytest

from dashboard import cached
from dashboard.panels import layers
from dashboard.panels.layers.fields import RESETTABLE, layer_fields
from dashboard.text import LANGUAGES
from dashboard.text import layers as words
from dashboard.text.layers import VIEWS
from tests.pages.layer_values import LONG
from tests.pages.reading import dangers, drawings, labels, told, wrong_language

SEVERAL = re.compile(r"(?<![\w.−–])1 (?:other )?(?:heads|layers|tokens|places|words|rows|seeds)\b")
ODD = (
    {"text": "🐱 <img src=x onerror=alert(1)> $5 and $6 `c` %s \u202e"},
    {"text": "a", "n_layers": 1, "h": 1},
    {"text": "the the the", "positions": "none", "is_causal": 1},
    {"d_model": 1, "h": 1, "norm": "post", "has_residual": 0, "n_layers": 12},
    {
        "n_layers": "NaN",
        "h": "1e99",
        "seed": "<b>$x$</b>",
        "norm": "🐱",
        "cell": "",
        "far_word": "$" * 60,
        "view2": "x",
    },
)
# Listed functions that run once a reader asks: the image unfolded, an answer handed in.
WHEN_ASKED = {"stack": {"moved_if_weighed_again"}}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("view", VIEWS)
def test_odd_texts_settings_and_links_open_every_view(look_at, view: str, language: str) -> None:
    for query in ODD:
        at = look_at("layers", lang=language, view=view, **query)
        assert not list(dangers(at)), query
        assert not wrong_language(at, language), query
        assert [line for line in told(at) if SEVERAL.search(line)] == [], query
        assert "\u202e" not in "".join(told(at))
    assert len(at.warning) == 6, "each thing that the last link got wrong has its notice"


@pytest.mark.parametrize("view", VIEWS)
def test_each_legend_states_its_quantity_and_no_row_is_numbered_twice(look_at, view: str) -> None:
    for name, one in drawings(look_at("layers", lang="en", view=view)).items():
        assert not one.get("ends") or one["words"].get("value"), name
        names = one.get("row_names") or [""]
        assert names != [str(place) for place in range(1, len(names) + 1)], name


@pytest.mark.parametrize("view", ["stack", "twice", "far", "attention"])
def test_the_largest_setting_stays_small_on_the_wire(look_at, view: str) -> None:
    query = {"text": LONG, "twice_text": LONG, "n_layers": 12, "h": 8, "d_model": 64}
    at = look_at("layers", lang="en", view=view, **query)
    assert max(len(element.proto.json) for element in at.get("bidi_component")[1:]) < 400_000


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_empty_sentence_is_met_with_a_hint_in_every_view(look_at, language: str) -> None:
    for view in VIEWS:
        at = look_at("layers", lang=language, view=view, text=" ")
        assert len(at.info) == 1
        assert not wrong_language(at, language)
    at.button(key="first.text").click().run()
    assert not at.exception


def test_the_reset_gives_back_the_shared_settings_and_leaves_the_sentence(look_at) -> None:
    query = {"n_layers": 2, "norm": "post", "seed": 5, "has_residual": 0, "text": "a b"}
    at = look_at("layers", is_touched=True, lang="en", **query)
    at.button(key="reset.layers").click().run()
    state, fields = at.session_state["lesson:layers"], layer_fields("en")
    assert all(state[name] == fields[name].default for name in RESETTABLE)
    assert state["text"] == "a b"


def test_values_outlive_a_change_of_view_and_of_language(look_at) -> None:
    at = look_at("layers", is_touched=True, lang="en", n_layers=3, far_word="owl", view="far", seed=7)
    at.button_group(key="layers.view").set_value("stack").run()
    at.button_group(key="lang.choice").set_value("zh").run()
    assert words.LAYERS.zh in labels(at)
    state = at.session_state["lesson:layers"]
    assert (state["n_layers"], state["far_word"], state["seed"]) == (3, "owl", 7)


@pytest.fixture
def listed(monkeypatch) -> list[Callable]:
    """The functions that views list, in place of their source; nothing is kept from earlier."""
    found: list[Callable] = []
    for module in pkgutil.iter_modules(layers.__path__, f"{layers.__name__}."):
        panel = importlib.import_module(module.name)
        for kept in vars(panel).values():
            if hasattr(kept, "cache_clear"):
                kept.cache_clear()
        if hasattr(panel, "source"):
            monkeypatch.setattr(panel, "source", lambda functions, _language: found.extend(functions))
    for kept in (cached.smoothing_of, cached.rollouts_of):
        kept.cache_clear()
        kept.__wrapped__.clear()
    return found


@pytest.mark.parametrize("view", VIEWS)
def test_the_code_that_ran_did_run(open_page, listed, view: str) -> None:
    called = set()
    threading.setprofile(lambda frame, _event, _arg: called.add(frame.f_code))
    try:
        assert not open_page("layers", lang="en", view=view).exception
    finally:
        threading.setprofile(None)
    assert listed
    idle = {function.__name__ for function in listed if inspect.unwrap(function).__code__ not in called}
    assert idle == WHEN_ASKED.get(view, set())
