"""One word in two sentences, on the page: equal bare vectors, different dressed ones, and where they stay equal (P8)."""

import numpy as np
import pytest

from attention_core.experiments.dressing import follow_word, lay_out
from attention_core.experiments.reuse import shared_places
from attention_core.tokens import tokenize
from dashboard.number_format import significant
from dashboard.text import LANGUAGES
from dashboard.text import layers as lesson_words
from dashboard.text import layers_twice as words
from tests.pages.layer_values import dressed, lines_of
from tests.pages.reading import chart_of, dangers, drawings, sentences, told, wrong_language


def followed(at, **changed):
    state = at.session_state["lesson:layers"]
    pairs = shared_places(tokenize(state["text"]), tokenize(state["twice_text"]))
    both = [dressed(at, name, **changed) for name in ("text", "twice_text")]
    return follow_word(*both, *pairs[state["twice_place"] - 1])


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("meter", ["distances", "cosines"])
def test_P8_a_word_enters_equal_and_leaves_different_layer_by_layer(
    look_at, language: str, meter: str
) -> None:
    place = {"en": 2, "zh": 1}[language]
    at = look_at("layers", lang=language, view="twice", twice_meter=meter, twice_place=place)
    found = followed(at)
    assert found.is_bare_equal
    assert found.distances[0] == 0 < found.distances[1]
    lines, described = chart_of(at, "low")
    assert np.allclose(lines["value"], getattr(found, meter), atol=1e-12)
    assert words.AXES[meter].say(language) in described
    said = told(at)
    assert words.BARE_EQUAL.say(language, token=found.token, bare="0") in said
    fields = {
        name: significant(value)
        for name, value in (("one", found.distances[1]), ("last", found.distances[-1]))
    }
    assert words.DIFFERENT.say(language, **fields, n=4, cosine=significant(found.cosines[-1])) in said
    assert words.CONTEXT.say(language) in said
    assert not wrong_language(at, language)
    assert not list(dangers(at))


def test_P8_both_paths_lie_in_one_plane_and_begin_at_one_point(look_at) -> None:
    at = look_at("layers", lang="en", view="twice")
    laid = lay_out(*(dressed(at, name) for name in ("text", "twice_text")))
    paths, _ = chart_of(at, "x")
    points = paths[paths["part"] == "point"]
    for kind, placed in zip(words.SENTENCES, laid.places, strict=True):
        own = points[points["kind"] == kind.en].sort_values("depth")
        assert np.allclose(own[["x", "y"]], placed[:, 1], atol=1e-12)
    starts = points[points["depth"] == 0]
    assert starts["x"].nunique() == starts["y"].nunique() == 1
    assert starts["label"].tolist() == ["0", ""]


@pytest.mark.parametrize("language", LANGUAGES)
def test_P8_positions_part_a_word_before_any_layer_and_only_at_another_place(look_at, language: str) -> None:
    sentences_given = {"text": "a bank floods", "twice_text": "the old bank"}
    at = look_at("layers", lang=language, view="twice", **sentences_given, twice_place=1)
    found = followed(at)
    assert (found.first_place, found.second_place) == (1, 2)
    fields = {"token": "bank", "bare": "0", "first": 2, "second": 3, "input": significant(found.distances[0])}
    assert words.BARE_APART.say(language, **fields) in told(at)
    assert words.CONTEXT.say(language) not in told(at), "places part them too"
    off = look_at("layers", lang=language, view="twice", **sentences_given, twice_place=1, positions="none")
    assert words.BARE_EQUAL.say(language, token="bank", bare="0") in told(off)


@pytest.mark.parametrize("language", LANGUAGES)
def test_P8_where_it_sees_the_same_words_it_stays_the_same(look_at, language: str) -> None:
    cases = (
        {"is_causal": 1, "text": "the bank lends", "twice_text": "the bank floods", "twice_place": 2},
        {"positions": "none", "text": "a b c", "twice_text": "c a b", "twice_place": 2},
        {"text": "a b c", "twice_text": "a b c"},
    )
    for query in cases:
        at = look_at("layers", lang=language, view="twice", **query)
        last = followed(at).distances[-1]
        assert last < 1e-9
        assert words.STAYS.say(language, n=4, last=significant(last)) in told(at), query
        assert words.CONTEXT.say(language) not in told(at)
    # The norm of a single number is 0: nothing reaches the word, though its neighbours differ.
    narrow = {"d_model": 1, "h": 1, "text": "a b", "twice_text": "a c", "twice_place": 1}
    at = look_at("layers", lang=language, view="twice", **narrow)
    assert words.STAYS_EQUAL.say(language, n=4, last="0") in told(at)


@pytest.mark.parametrize(("positions", "other"), [("sinusoidal", "none"), ("none", "sinusoidal")])
def test_P8_the_question_sends_both_through_with_other_positions(look_at, positions: str, other: str) -> None:
    query = {"positions": positions, "text": "a bank floods", "twice_text": "the old bank", "twice_place": 1}
    at = look_at("layers", is_touched=True, lang="en", view="twice", **query)
    at.session_state["is_open:answer:twice"] = True
    at.run()
    found = followed(at, positions=other)
    ends = {"bare": significant(found.distances[0]), "last": significant(found.distances[-1])}
    why = words.ANSWER_DIFFERS if other == "none" else words.ANSWER_AT_OTHER
    assert lines_of(at, "answer") == [words.ANSWER.say("en", n=4, **ends) + why.en]
    assert (found.distances[0] == 0) == (other == "none")


@pytest.mark.parametrize("language", LANGUAGES)
def test_without_a_shared_word_a_pair_is_offered_and_the_text_is_kept(look_at, language: str) -> None:
    at = look_at("layers", is_touched=True, lang=language, view="twice", twice_text="zzz <b>", text="yyy")
    assert words.NONE_SHARED.say(language) in sentences(at)
    assert at.text_input(key="layers.twice_text").value == "zzz <b>"
    assert not list(dangers(at))
    at.button(key="twice.pair").click().run()
    assert not at.exception
    state = at.session_state["lesson:layers"]
    assert state["text"] == lesson_words.FIRST_SENTENCE.say(language)
    assert "said" in drawings(at)


@pytest.mark.parametrize("text", ["", "w " * 65, "x" * 513])
def test_an_illegal_second_sentence_has_its_own_message_and_the_first_stays(look_at, text: str) -> None:
    at = look_at("layers", is_touched=True, lang="en", view="twice")
    at.text_input(key="layers.twice_text").set_value(text).run()
    assert len(at.error) + len(at.info) == 1
    assert at.text_input(key="layers.twice_text").value == text
    at.button(key="begin.twice_text" if text.strip() else "first.twice_text").click().run()
    assert not at.exception
    assert not at.error


def test_a_pair_that_is_not_there_moves_and_is_said(look_at) -> None:
    at = look_at("layers", lang="en", view="twice", twice_place=7)
    assert words.MOVED.say("en", given=7, used=2) in sentences(at)
    one = look_at("layers", lang="en", view="twice", n_layers=1)
    found = followed(one)
    fields = {"one": significant(found.distances[1]), "cosine": significant(found.cosines[1])}
    assert words.DIFFERENT_ONE.say("en", **fields) in told(one)
