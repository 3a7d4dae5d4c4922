"""One word replaced, on the page: exactly 0 where the mask does not reach, and the depth that it foretells (M6, P8)."""

import math
from urllib.parse import urlencode

import numpy as np
import pytest

from attention_core import masks
from attention_core.experiments.changed_word import change_word
from attention_core.tokens import tokenize
from dashboard.controls import State
from dashboard.number_format import significant
from dashboard.panels.layers import far as view
from dashboard.text import LANGUAGES
from dashboard.text import layers as lesson_words
from dashboard.text import layers_far as words
from tests.pages.layer_values import design_of, lines_of, parts_of
from tests.pages.reading import dangers, drawings, hidden, numbers, told, wrong_language

TEN = "a b c d e f g h i j"


def changed(at):
    state = at.session_state["lesson:layers"]
    tokens = tokenize(state["text"])
    n = len(tokens)
    allowed = masks.causal(n) if state["is_causal"] else masks.full(n)
    if state["far_has_window"]:
        allowed = allowed & masks.window(n, n, state["far_width"])
    given = {"seed": state["seed"], "positions": state["positions"], "allowed": allowed}
    return change_word(tokens, state["far_changed"] - 1, state["far_word"], design_of(at), **given)


@pytest.mark.parametrize("language", LANGUAGES)
def test_M6_every_change_is_drawn_and_what_is_not_reached_is_exactly_0(look_at, language: str) -> None:
    at = look_at("layers", lang=language, view="far")
    found, grid = changed(at), drawings(at)["changes"]
    assert np.array_equal(numbers(grid), found.changes)
    assert np.array_equal(hidden(grid), found.changes.numpy() == 0)
    assert grid["words"]["masked"] == words.ZERO.say(language)
    assert grid["first"][0] == 0, "the first row is the bare one"
    n = len(found.first_depths)
    foretold = sorted(depth * n + place for place, depth in enumerate(found.predicted) if depth is not None)
    assert grid["marked"] == foretold
    assert drawings(at)["firsts"]["texts"][:n] == [*map(str, range(5)), words.NEVER.say(language)]
    assert drawings(at)["firsts"]["texts"][n:] == drawings(at)["firsts"]["texts"][:n]
    assert words.AGREES.say(language, total=6) in told(at)
    assert not wrong_language(at, language)
    assert not list(dangers(at))


@pytest.mark.parametrize("width", [1, 2, 3, 5])
def test_M6_a_causal_window_of_w_carries_it_w_less_1_places_a_layer(look_at, width: int) -> None:
    query = {"text": TEN, "far_width": width, "is_causal": 1, "n_layers": 3, "far_word": "z", "far_token": 10}
    at = look_at("layers", lang="en", view="far", **query)
    depths = [0 if not place else math.ceil(place / (width - 1)) if width > 1 else 99 for place in range(10)]
    texts = [str(depth) if depth <= 3 else words.NEVER.en for depth in depths]
    assert drawings(at)["firsts"]["texts"] == texts * 2
    said = told(at)
    if width == 1:
        assert words.RULE_ITSELF.en in said
    elif width == 2:
        assert words.RULE_NEXT.say("en", n=3) in said
    else:
        assert words.RULE_WINDOW.say("en", step=width - 1, width=width, n=3, reach=3 * (width - 1)) in said
    needed = words.ANSWER_NEVER.en if width == 1 else words.ANSWER.say("en", layers=depths[-1], n=3)
    assert lines_of(at, "answer") == [needed]
    unseen = sum(depth > 3 for depth in depths)
    assert (words.SOME_UNSEEN.say("en", n=3, unseen=unseen, total=10) in said) == (unseen > 0)
    assert (words.ALL_SEEN.say("en", n=3) in said) == (unseen == 0)


@pytest.mark.parametrize("language", LANGUAGES)
def test_M6_the_watched_token_is_told_with_its_numbers(look_at, language: str) -> None:
    for place, text in ((1, words.IS_CHANGED), (4, words.NOTICED), (6, words.UNNOTICED)):
        at = look_at("layers", lang=language, view="far", far_token=place)
        found, tokens = changed(at), tokenize(at.session_state["lesson:layers"]["text"])
        changes = found.changes[:, place - 1].tolist()
        fields = {
            "token": f"{place} {tokens[place - 1]}",
            "n": 4,
            "first": place - 1,
            "change": significant(changes[min(place - 1, 4)]),
            "last": significant(changes[-1]),
        }
        taken = {name: fields[name] for name in text.fields(language)}
        assert text.say(language, **taken) in told(at)
        assert place != 6 or changes == [0.0] * 5


@pytest.mark.parametrize("language", LANGUAGES)
def test_P8_without_a_window_all_notice_at_once_and_a_causal_mask_leaves_out_what_came_before(
    look_at, language: str
) -> None:
    at = look_at("layers", lang=language, view="far", far_has_window=0)
    assert drawings(at)["firsts"]["texts"][:6] == ["0", *["1"] * 5]
    assert words.RULE_ALL.say(language) in told(at)
    query = {"far_has_window": 0, "is_causal": 1, "far_changed": 4, "far_word": "x"}
    causal = look_at("layers", lang=language, view="far", **query)
    assert drawings(causal)["firsts"]["texts"][:6] == [*[words.NEVER.say(language)] * 3, "0", "1", "1"]
    assert words.BACKWARD.say(language, n=3) in told(causal)
    # The farthest of them stands before the word: place 1.
    assert lines_of(causal, "answer") == [words.ANSWER_NEVER.say(language)]


def test_M6_where_numbers_happen_to_be_equal_the_mask_is_said_to_allow_and_not_to_promise(look_at) -> None:
    at = look_at("layers", lang="en", view="far", d_model=1, h=1, far_has_window=0)
    assert words.DISAGREES.say("en", apart=5) in told(at)
    assert words.AGREES.say("en", total=6) not in told(at)
    single = look_at("layers", lang="en", view="far", text="a")
    assert lines_of(single, "answer") == [words.ANSWER_ONE.en]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_word_that_stands_there_is_refused_and_another_offered(look_at, language: str) -> None:
    at = look_at("layers", is_touched=True, lang=language, view="far")
    own = tokenize(at.session_state["lesson:layers"]["text"])[0]
    at.text_input(key="layers.far_word").set_value(own).run()
    rule = lesson_words.SAME_WORD.say(language, given=f"`{own}`")
    assert [error.value for error in at.error] == [rule]
    assert "changes" not in drawings(at)
    at.button(key="take.far_word").click().run()
    assert not at.error
    assert at.text_input(key="layers.far_word").value == words.FIRST_WORD.say(language)


def test_a_cell_chooses_its_token(look_at, monkeypatch) -> None:
    parts = parts_of(monkeypatch, view)
    at = look_at("layers", is_touched=True, lang="en", view="far")
    parts["changes"][1].hear("pick", {"row": 0, "column": 5})
    at.run()
    assert at.selectbox(key="layers.far_token").value == 6
    assert words.UNNOTICED.say("en", token="6 floods", n=4) in told(at)


@pytest.mark.parametrize(
    ("query", "pattern"),
    [
        ({"far_width": 3, "is_causal": 1}, "window"),
        ({"far_width": 3}, "window"),
        ({"far_has_window": 0}, "full"),
        ({"far_has_window": 0, "is_causal": 1}, "causal"),
    ],
)
def test_M6_the_link_to_the_mask_lab_names_the_same_mask(
    look_at, open_page, query: dict, pattern: str
) -> None:
    at = look_at("layers", lang="en", view="far", text=TEN, n_layers=2, has_residual=0, far_word="z", **query)
    (link,) = at.get("page_link")
    state = State.__new__(State)
    state.slug, state.fields, state.values = "layers", {}, at.session_state["lesson:layers"]
    given = view.mask_query(state)
    assert urlencode(given) in link.proto.query_string
    assert given["gallery_pattern"] == pattern
    there = open_page("masks", **given)
    assert not there.exception
    assert not there.warning
    n = 10
    expected = masks.full(n) if pattern == "full" else masks.causal(n)
    if pattern == "window":
        expected = masks.window(n, n, 3, is_causal="is_causal" in query)
    assert np.array_equal(~hidden(drawings(there)["mask"]), expected)
    assert there.session_state["lesson:masks"]["gallery_layers"] == 2
    assert there.session_state["lesson:masks"]["gallery_residual"] is False
