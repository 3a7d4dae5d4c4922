"""What holds for every view of the lesson on other attentions."""

import pytest

from dashboard.text import LANGUAGES
from dashboard.text.variants import VIEWS
from tests.pages.reading import dangers, drawings, wrong_language

# Settings that draw what the first sight of a view does not.
SETTINGS = [
    *[(view, {}) for view in VIEWS],
    ("compare", {"b": "low_rank", "c": "sink"}),
    ("compare", {"text": "a b c d e f g h i j k l m n", "b": "strided", "c": "alibi"}),
]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("view", VIEWS)
def test_every_view_opens_in_both_languages_and_draws_something(look_at, view: str, language: str) -> None:
    at = look_at("variants", lang=language, view=view)
    assert drawings(at)
    assert not list(dangers(at))
    assert not wrong_language(at, language)


@pytest.mark.parametrize(("view", "query"), SETTINGS)
def test_each_legend_of_colours_states_its_quantity(look_at, view: str, query: dict) -> None:
    drawn = drawings(look_at("variants", lang="en", view=view, **query))
    assert not {name for name, one in drawn.items() if one.get("ends") and not one["words"].get("value")}


@pytest.mark.parametrize(("view", "query"), SETTINGS)
def test_no_row_is_numbered_twice(look_at, view: str, query: dict) -> None:
    drawn = drawings(look_at("variants", lang="en", view=view, **query))
    for name, one in drawn.items():
        names = one.get("row_names") or [""]
        assert names != [str(place) for place in range(1, len(names) + 1)], name


def test_a_sentence_and_settings_survive_another_view_and_another_language(look_at) -> None:
    at = look_at("variants", is_touched=True, lang="en", text="we like tea", b="sink", sink="2")
    at.button_group(key="variants.view").set_value("timeline").run()
    at.button_group(key="lang.choice").set_value("zh").run()
    at.button_group(key="variants.view").set_value("compare").run()
    assert not at.exception
    state = at.session_state["lesson:variants"]
    assert (state["text"], state["b"], state["sink"]) == ("we like tea", "sink", 2.0)
    assert drawings(at)["weights.b"]["row_names"] == ["we", "like", "tea"]


def test_the_reset_gives_every_setting_back(look_at) -> None:
    at = look_at(
        "variants", is_touched=True, lang="en", text="we like tea", b="sink", width="5", nearness="0.5"
    )
    at.button(key="reset.variants").click().run()
    state = at.session_state["lesson:variants"]
    assert (state["b"], state["width"], state["nearness"]) == ("window", 2, 0.9)
    assert state["text"] == "we like tea"
