"""How alike tokens become, on the page: what was measured, and no more said than it shows (P8)."""

import numpy as np
import pytest

from attention_core.experiments.smoothing import measure_smoothing
from attention_core.layers import NORMS
from attention_core.masks import causal
from attention_core.tokens import tokenize
from dashboard.number_format import significant
from dashboard.text import LANGUAGES
from dashboard.text import layers as lesson_words
from dashboard.text import layers_smoothing as words
from tests.pages.layer_values import design_of, lines_of
from tests.pages.reading import chart_of, dangers, sentences, told, wrong_language


def measured(at, **changed):
    state = at.session_state["lesson:layers"]
    tokens, seed = tokenize(state["text"]), state["seed"]
    allowed = causal(len(tokens)) if state["is_causal"] else None
    seeds, positions = range(seed, seed + 8), state["positions"]
    return measure_smoothing(
        tokens, design_of(at, **changed), seeds=seeds, positions=positions, allowed=allowed
    )


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("meter", ["cosines", "own_shares"])
def test_P8_both_stacks_are_drawn_with_means_and_ends_over_eight_seeds(
    look_at, language: str, meter: str
) -> None:
    at = look_at("layers", lang=language, view="smoothing", smoothing_meter=meter, seed=3, is_causal=1)
    lines, described = chart_of(at, "low")
    assert words.AXES[meter].say(language) in described
    for record in measured(at):
        own = lines[lines["kind"] == words.KINDS[record.has_residual].say(language)]
        ends = record.cosine_ends if meter == "cosines" else record.own_share_ends
        means = [one.mean for one in getattr(record, meter)]
        assert np.allclose(own["value"], means, atol=1e-12)
        assert np.allclose(own[["low", "high"]], ends, atol=1e-12)
    assert not wrong_language(at, language)
    assert not list(dangers(at))


@pytest.mark.parametrize("language", LANGUAGES)
def test_P8_a_residual_slows_it_and_does_not_prevent_it_where_the_numbers_say_so(
    look_at, language: str
) -> None:
    at = look_at("layers", lang=language, view="smoothing", positions="none", n_layers=8)
    without, having = measured(at)
    rise = having.cosines[-1].mean - having.cosines[0].mean
    assert without.cosines[-1].mean > having.cosines[-1].mean + 0.05
    assert rise > 0.1
    said = told(at)
    assert words.SLOWER.say(language) in said
    assert words.GOES_ON.say(language, n=8, rise=significant(rise)) in said
    last = words.LAST.say(
        language,
        n=8,
        bare=significant(having.cosines[0].mean),
        without=significant(without.cosines[-1].mean),
        without_low=significant(without.cosine_ends[-1][0]),
        without_high=significant(without.cosine_ends[-1][1]),
        having=significant(having.cosines[-1].mean),
        having_low=significant(having.cosine_ends[-1][0]),
        having_high=significant(having.cosine_ends[-1][1]),
    )
    assert last in said


def test_P8_where_the_residual_changes_nothing_or_nothing_rises_that_is_said(look_at) -> None:
    # A norm of a single number gives 0: with the norm before each part nothing is ever added.
    still = look_at("layers", lang="en", view="smoothing", d_model=1, h=1, positions="none")
    _, having = measured(still)
    assert having.cosines[-1].mean == having.cosines[0].mean
    assert words.NO_RISE.say("en", n=4, rise="0") in told(still)
    # With the norm after it every vector becomes 0, whether there is a residual or not.
    alike = look_at("layers", lang="en", view="smoothing", d_model=1, h=1, norm="post", positions="none")
    without, having = measured(alike)
    assert without.cosines[-1].mean == having.cosines[-1].mean
    assert words.NOT_SLOWER.en in told(alike)
    assert words.SLOWER.en not in told(alike)


@pytest.mark.parametrize("language", LANGUAGES)
def test_P8_one_token_and_one_word_have_nothing_to_compare(look_at, language: str) -> None:
    one = look_at("layers", lang=language, view="smoothing", text="a")
    assert words.ONE_TOKEN.say(language) in sentences(one)
    same = look_at("layers", lang=language, view="smoothing", text="a a a", positions="none")
    assert words.ALL_SAME.say(language) in told(same)
    apart = look_at("layers", lang=language, view="smoothing", text="a a a")
    assert words.ALL_SAME.say(language) not in told(apart), "positions tell them apart"


def test_P8_the_answer_measures_every_norm_and_weighs_it_against_the_spread(look_at) -> None:
    at = look_at("layers", is_touched=True, lang="en", view="smoothing")
    assert lines_of(at, "answer") == []
    at.session_state["is_open:answer:smoothing"] = True
    at.run()
    found = {norm: measured(at, norm=norm)[1] for norm in NORMS}
    best = min(found, key=lambda norm: found[norm].cosines[-1].mean)
    (said,) = lines_of(at, "answer")
    assert f"Least alike: {lesson_words.NORM_SAID[best].en}" in said
    for record in found.values():
        assert significant(record.cosines[-1].mean) in said
        assert f"{significant(record.cosine_ends[-1][0])} to {significant(record.cosine_ends[-1][1])}" in said


def test_the_switch_that_this_view_does_not_read_is_not_offered(look_at) -> None:
    assert "layers.has_residual" not in [
        one.key for one in look_at("layers", lang="en", view="smoothing").toggle
    ]
    assert "layers.has_residual" in [one.key for one in look_at("layers", lang="en").toggle]
