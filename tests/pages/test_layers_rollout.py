"""Rollout beside replaced words, on the page: both shares, how they agree, and where rollout is wrong (P8)."""

import numpy as np
import pytest

from attention_core.experiments.rollout import check_queries, rank_agreement
from attention_core.masks import causal
from attention_core.tokens import tokenize
from dashboard.number_format import significant
from dashboard.panels.layers import rollout as view
from dashboard.text import LANGUAGES
from dashboard.text import layers as lesson_words
from dashboard.text import layers_rollout as words
from tests.pages.layer_values import design_of, lines_of, parts_of
from tests.pages.reading import dangers, drawings, numbers, sentences, told, wrong_language


def checked(at, silence=None):
    state = at.session_state["lesson:layers"]
    tokens = tokenize(state["text"])
    given = {"seed": state["seed"], "replacement": state["rollout_word"], "positions": state["positions"]}
    allowed = causal(len(tokens)) if state["is_causal"] else None
    return check_queries(tokens, design_of(at), **given, allowed=allowed, silence=silence)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("silence", ["zero_values", "cancelling_heads"])
def test_P8_shares_and_measured_effects_stand_beside_each_other(look_at, language: str, silence: str) -> None:
    query = {"rollout_query": 5, "rollout_silence": silence, "rollout_word": "owl"}
    at = look_at("layers", lang=language, view="rollout", **query)
    table = numbers(drawings(at)["shares"])
    for row, way in ((0, None), (2, silence)):
        check = checked(at, way)[4]
        assert np.allclose(table[row], check.shares, atol=1e-12)
        assert np.allclose(table[row + 1], check.effects / check.effects.sum(), atol=1e-12)
    assert set(drawings(at)["shares"]["footer"]) == {"1.00"}
    assert not wrong_language(at, language)
    assert not list(dangers(at))


@pytest.mark.parametrize("language", LANGUAGES)
def test_P8_the_shares_stay_and_the_effect_is_exactly_0(look_at, language: str) -> None:
    at = look_at("layers", lang=language, view="rollout", rollout_query=3)
    silent = checked(at, "zero_values")[2]
    others = [place for place in range(6) if place != 2]
    assert all(float(silent.effects[place]) == 0 for place in others)
    share = sum(float(silent.shares[place]) for place in others)
    assert share > 0.5
    fields = {"way": words.WAYS["zero_values"].say(language), "share": significant(share)}
    token = f"3 {tokenize(at.session_state['lesson:layers']['text'])[2]}"
    assert words.SILENT.say(language, **fields, token=token) in told(at)


def test_P8_what_rounding_leaves_of_cancelling_heads_is_not_called_0(look_at) -> None:
    query = {"rollout_silence": "cancelling_heads", "h": 4, "norm": "none", "n_layers": 6}
    at = look_at("layers", lang="en", view="rollout", **query)
    silent = checked(at, "cancelling_heads")[1]
    most = max(float(effect) for place, effect in enumerate(silent.effects) if place != 1)
    assert most < 1e-12
    line = next(line for line in told(at) if line.startswith("The counterexample"))
    assert ("by exactly 0" in line) == (most == 0)
    assert most == 0 or significant(most) in line


@pytest.mark.parametrize("language", LANGUAGES)
def test_P8_the_agreement_of_ranks_is_the_cores(look_at, language: str) -> None:
    seen = set()
    for query in (2, 6):
        at = look_at("layers", lang=language, view="rollout", rollout_query=query, seed=1)
        check = checked(at)[query - 1]
        found = rank_agreement(check)
        tokens = tokenize(at.session_state["lesson:layers"]["text"])
        assert words.AGREE.say(language, n=5, rho=significant(found.coefficient)) in told(at)
        first = max(found.places, key=lambda place: float(check.shares[place]))
        second = max(found.places, key=lambda place: float(check.effects[place]))
        fields = {"first": f"{first + 1} {tokens[first]}", "share": significant(float(check.shares[first]))}
        if first == second:
            expected = words.TOP_SAME.say(language, **fields)
        else:
            expected = words.TOP_APART.say(language, **fields, second=f"{second + 1} {tokens[second]}")
        assert expected in told(at)
        seen.add(first == second)
    assert seen, "at least one way was seen"
    agreed = [rank_agreement(one).coefficient for one in checked(at)]
    assert significant(sum(agreed) / 6) in lines_of(at, "answer")[0]
    assert significant(max(agreed)) in lines_of(at, "answer")[0]


@pytest.mark.parametrize("language", LANGUAGES)
def test_P8_a_token_that_sees_no_other_has_nothing_to_compare(look_at, language: str) -> None:
    at = look_at("layers", lang=language, view="rollout", is_causal=1, rollout_query=1)
    token = f"1 {tokenize(at.session_state['lesson:layers']['text'])[0]}"
    assert words.ALONE.say(language, token=token) in told(at)
    assert words.SILENT_ALONE.say(language, token=token) in told(at)
    second = look_at("layers", lang=language, view="rollout", is_causal=1, rollout_query=2)
    assert words.NO_ORDER.say(language) in told(second)
    single = look_at("layers", lang=language, view="rollout", text="a")
    assert lines_of(single, "answer") == [words.ANSWER_NONE.say(language)]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_replacement_that_is_not_one_word_is_refused_and_kept(look_at, language: str) -> None:
    for text, rule in (
        ("two words", lesson_words.ONE_WORD.say(language, given="`two words`", n=2)),
        ("", lesson_words.NO_WORD.say(language)),
        ("x" * 41, lesson_words.TOO_LONG_WORD.say(language, limit=40, n=41)),
    ):
        at = look_at("layers", is_touched=True, lang=language, view="rollout")
        at.text_input(key="layers.rollout_word").set_value(text).run()
        assert [error.value for error in at.error] == [rule]
        assert at.text_input(key="layers.rollout_word").value == text
        assert "shares" not in drawings(at)
        at.button(key="take.rollout_word").click().run()
        assert not at.error
        assert "shares" in drawings(at)


def test_a_replacement_that_stands_in_the_sentence_is_named(look_at) -> None:
    at = look_at("layers", lang="en", view="rollout", rollout_word="river")
    assert words.SELF_REPLACED.say("en", word="river") in told(at)
    assert numbers(drawings(at)["shares"])[1, 4] == 0
    assert words.SELF_REPLACED.say("en", word="?") not in told(look_at("layers", lang="en", view="rollout"))


def test_an_odd_number_of_heads_cannot_cancel_in_pairs(look_at) -> None:
    at = look_at("layers", lang="en", view="rollout", h=1, rollout_silence="cancelling_heads")
    assert words.ODD_HEADS.say("en", h=1) in sentences(at)
    assert np.allclose(numbers(drawings(at)["shares"])[2], checked(at, "zero_values")[1].shares, atol=1e-12)


def test_a_column_of_the_table_asks_about_its_token(look_at, monkeypatch) -> None:
    parts = parts_of(monkeypatch, view)
    at = look_at("layers", is_touched=True, lang="en", view="rollout")
    parts["shares"][1].hear("pick", {"row": 3, "column": 4})
    at.run()
    assert at.selectbox(key="layers.rollout_query").value == 5
    assert drawings(at)["shares"]["title"] == words.TABLE.say("en", token="5 river")
