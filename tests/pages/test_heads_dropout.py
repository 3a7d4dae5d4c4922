"""Claim H7 as it stands on the page: one draw, many draws, both modes, and what PyTorch's function does."""

import math

import numpy as np
import pytest
import torch

from attention_core.experiments.head_facts import attend_sentence
from attention_core.experiments.weight_dropout import (
    DRAWS,
    MeanOfDraws,
    compare_modes,
    compare_with_torch,
    show_trap,
)
from dashboard.number_format import significant
from dashboard.panels.heads import dropout
from dashboard.panels.heads.dropout import verdict_of
from dashboard.panels.heads.dropout_model import TORCH_DRAWS
from dashboard.text import LANGUAGES
from dashboard.text import frame as frame_words
from dashboard.text import head_dropout as words
from dashboard.text import heads as head_words
from tests.pages.reading import dangers, drawings, hidden, labels, numbers, sentences, told, wrong_language

TOKENS = ("the", "cat", "saw", "a", "dog")
SIZES = {"seed": 3, "d_model": 12, "n_heads": 3}
ASKED = {"text": " ".join(TOKENS), "seed": "3", "d_model": "12", "h": "3"}


@pytest.fixture
def opened(open_page):
    def open_it(language="en", **query):
        at = open_page("heads", lang=language, view="dropout", **(ASKED | query))
        assert not at.exception
        assert not list(dangers(at))
        assert not wrong_language(at, language)
        return at

    return open_it


def all_one(language: str) -> str:
    return words.OF_ROWS[True].say(language, low="1.00")


def heads(is_causal=False, tokens=TOKENS):
    return attend_sentence(tokens, is_causal=is_causal, **SIZES)


def sides(found, head):
    return [found.x @ w[head] for w in (found.w_q, found.w_k, found.w_v)]


def kept_by_hand(n, p, draw):
    """Which weights a draw keeps: those whose number, uniform from 0 to 1, is at least p."""
    chance = torch.rand((n, n), generator=torch.Generator().manual_seed(draw))
    return (chance >= p).numpy()


def test_H7_the_pictures_are_the_heads_weights_and_what_the_draw_keeps_of_them(opened) -> None:
    for head, p, draw in ((1, 0.25, 4), (3, 0.9, 7)):
        shown = drawings(opened(dropout_p=str(p), dropout_draw=str(draw), dropout_head=str(head)))
        weights, kept = heads().attention.weights[head - 1].numpy(), kept_by_hand(5, p, draw)
        assert np.array_equal(numbers(shown["before"]), weights)
        after = np.where(kept, weights / (1 - p), 0.0)
        assert np.allclose(numbers(shown["after"]), after, rtol=1e-14, atol=0)
        assert np.array_equal(hidden(shown["after"]), ~kept)
        assert not hidden(shown["before"]).any()
        assert shown["before"]["footer"] == ["1.00"] * 5
        assert shown["after"]["footer"] == [significant(total) for total in after.sum(axis=1)]
        ends = [grid["ends"] for grid in (shown["before"], shown["after"])]
        assert ends == [["0", significant(max(1.0, after.max()))]] * 2, "both have one scale"


@pytest.mark.parametrize("language", LANGUAGES)
def test_H7_what_a_draw_took_is_said_with_its_numbers(opened, language: str) -> None:
    p, draw = 0.25, 4
    weights, kept = heads().attention.weights[0].numpy(), kept_by_hand(5, p, draw)
    sums = np.where(kept, weights / (1 - p), 0.0).sum(axis=1)
    strays = np.sqrt(p / (1 - p) * np.square(weights).sum(axis=1))
    lines = told(opened(language, dropout_p=str(p), dropout_draw=str(draw)))
    dropped = int((~kept).sum())
    fields = {"draw": draw, "n": 25, "dropped": dropped, "share": significant(dropped / 25)}
    assert words.DROPPED.say(language, p="0.25", factor="1.33", **fields) in lines
    ends = [
        words.OF_ROWS[False].say(language, low=significant(of.min()), high=significant(of.max()))
        for of in (sums, strays)
    ]
    assert words.ROWS.say(language, sums=ends[0], strays=ends[1]) in lines
    assert words.WHY.say(language) in lines


def test_H7_one_token_is_kept_whole_and_doubled_or_dropped_whole(opened) -> None:
    at = {draw: opened(text="x", dropout_p="0.5", dropout_draw=str(draw)) for draw in (0, 1, 2)}
    shown = {draw: numbers(drawings(page)["after"]).item() for draw, page in at.items()}
    by_hand = {draw: 2.0 * kept_by_hand(1, 0.5, draw).item() for draw in shown}
    assert shown == by_hand
    assert set(shown.values()) == {0.0, 2.0}, "both happen"
    for draw, page in at.items():
        total = significant(shown[draw])
        (line,) = [text for text in told(page) if text.startswith("Row sums")]
        # √(.5/.5 · 1²) = 1
        assert words.OF_ROWS[True].say("en", low=total) in line
        assert words.OF_ROWS[True].say("en", low="1.00") in line
        assert drawings(page)["after"]["dead"] == ([0] if shown[draw] == 0 else [])
        ends = ["0", "2.00" if shown[draw] else "1.00"]
        assert [drawings(page)[name]["ends"] for name in ("before", "after")] == [ends] * 2


def test_H7_one_key_stands_as_1_before_dropout_and_as_more_or_nothing_after(opened) -> None:
    after = set()
    for draw in range(1, 8):
        shown = drawings(opened(text="x", dropout_p="0.2", dropout_draw=str(draw)))
        assert (shown["before"]["texts"], shown["before"]["footer"]) == (["1.00"], ["1.00"])
        assert shown["after"]["footer"] == shown["after"]["texts"]
        after |= set(shown["after"]["texts"])
    assert after == {"1.25", "0"}, "both happen: 1/(1 − 0.2), or dropped"


@pytest.mark.parametrize("language", LANGUAGES)
def test_H7_evaluation_drops_nothing_twice(opened, language: str) -> None:
    at = opened(language, dropout_mode="eval", dropout_p="0.7")
    shown, weights = drawings(at), heads().attention.weights[0].numpy()
    assert np.array_equal(numbers(shown["after"]), weights)
    assert not hidden(shown["after"]).any()
    assert shown["after"]["title"] == words.AFTER_EVAL.say(language)
    lines = told(at)
    assert words.EVAL_SHOWN.say(language, p="0.7", difference="0", sums=all_one(language)) in lines
    modes = compare_modes(heads().x, 3, 0.7, seed=3)
    layer = words.LAYER.say(language, eval_twice="0", eval_plain="0")
    trained = words.TRAINED_TWICE["differs"].say(language, difference=significant(modes.train_twice))
    assert layer + trained in lines
    assert modes.train_twice > 0.1
    assert not [line for line in lines if line == words.LEGEND.say(language)]


def test_H7_means_of_more_draws_come_nearer_as_theory_says(opened) -> None:
    at = opened(dropout_p="0.25", dropout_draw="4")
    shown, weights = drawings(at), heads().attention.weights[0].numpy()
    table = numbers(shown["means"])
    assert shown["means"]["row_names"] == [f"n = {draws}" for draws in (1, 10, 100, 1000)]
    off = np.abs(numbers(shown["after"]) - weights)
    assert table[0, [0, 2]] == pytest.approx([off.max(), math.sqrt(np.square(off).mean())], rel=1e-12)
    # A kept-or-dropped weight w has the variance w²·p/(1 − p), and p/(1 − p) is 1/3.
    std, rms = weights.max() / math.sqrt(3), math.sqrt(np.square(weights).mean() / 3)
    roots = np.sqrt(DRAWS)
    assert np.allclose(table[:, 1], std / roots, rtol=1e-12)
    assert np.allclose(table[:, 3], rms / roots, rtol=1e-12)
    assert (table[:, 0] < 5 * table[:, 1]).all()
    assert 0.5 < table[-1, 2] / table[-1, 3] < 2
    (line,) = [text for text in told(at) if text.startswith("On average")]
    for said in (table[0, 0], table[-1, 0], table[-1, 0] / table[-1, 1]):
        assert significant(said) in line
    assert line.endswith(words.BY_CHANCE[True].say("en", most=5))
    assert "1/31.6" in line


@pytest.mark.parametrize("language", LANGUAGES)
def test_H7_a_module_that_hands_p_over_in_evaluation_still_drops(opened, language: str) -> None:
    careless, careful = show_trap(*sides(heads(), 1), 0.25, seed=4)
    at = opened(language, dropout_p="0.25", dropout_draw="4", dropout_head="2")
    said = words.TRAP.say(language) + words.TRAPPED["differs"].say(
        language,
        careless=significant(careless.eval_twice),
        careless_plain=significant(careless.eval_to_undropped),
        careful="0",
        careful_plain="0",
        code=frame_words.SOURCE_CODE.say(language),
    )
    assert said in told(at)
    assert any(frame_words.SOURCE_CODE.say(language) in label for label in labels(at))
    assert min(careless.eval_twice, careless.eval_to_undropped) > 0.01
    assert careful.eval_twice == careful.eval_to_undropped == 0
    next(button for button in at.button if button.key == "open.source").click().run()
    (code,) = [element.value for element in at.code]
    assert "dropout_p=self.dropout_p if self.training else 0.0" in code
    assert "class Careless" in code


@pytest.mark.parametrize("language", LANGUAGES)
def test_H7_without_a_chance_nothing_is_dropped_anywhere(opened, language: str) -> None:
    at = opened(language, dropout_p="0")
    shown = drawings(at)
    assert np.array_equal(numbers(shown["after"]), numbers(shown["before"]))
    assert (numbers(shown["means"])[:, [1, 3]] == 0).all()
    assert numbers(shown["means"]).max() < 1e-15
    lines = told(at)
    assert words.ROWS_AT_ZERO.say(language, sums=all_one(language)) in lines
    trapped = words.TRAPPED["at_zero"].say(language, careless_plain="0", careful_plain="0")
    assert words.TRAP.say(language) + trapped in lines
    assert words.TRAINED_TWICE["at_zero"].say(language, difference="0") in "\n".join(lines)
    few, many = (significant(off) for off in numbers(shown["means"])[[0, -1], 0])
    assert words.MEAN_ROUNDING.say(language, few=1, many=1000, first=few, last=many) in lines


@pytest.mark.parametrize("language", LANGUAGES)
def test_H7_runs_that_happen_to_drop_the_same_are_not_said_to_differ(opened, language: str) -> None:
    # One token: with p = 0.2 two runs keep it both, or drop it both, more often than not.
    seen = set()
    for draw in range(1, 5):
        careless, _ = show_trap(*sides(heads(tokens=("x",)), 0), 0.2, seed=draw)
        kind = "differs" if careless.eval_twice > 0 else "alike"
        seen.add(kind)
        found = {
            "careless": significant(careless.eval_twice),
            "careless_plain": significant(careless.eval_to_undropped),
            "careful": "0",
            "careful_plain": "0",
            "code": frame_words.SOURCE_CODE.say(language),
        }
        text = words.TRAPPED[kind]
        said = text.say(language, **{name: found[name] for name in text.fields(language)})
        assert words.TRAP.say(language) + said in told(
            opened(language, text="x", dropout_p="0.2", dropout_draw=str(draw))
        )
        assert careless.eval_to_undropped > 0.01
    assert seen == {"differs", "alike"}, "both happen"


@pytest.mark.parametrize("language", LANGUAGES)
def test_H7_a_layer_whose_two_runs_drop_the_same_is_said_to(opened, language: str) -> None:
    apart = {}
    for seed in range(8):
        x = attend_sentence(("x",), seed=seed, d_model=12, n_heads=1).x
        twice = compare_modes(x, 1, 0.2, seed=seed).train_twice
        apart["differs" if twice > 0 else "alike"] = (seed, twice)
    assert set(apart) == {"differs", "alike"}, "both happen"
    for kind, (seed, twice) in apart.items():
        lines = told(opened(language, text="x", dropout_p="0.2", seed=str(seed), h="1"))
        said = words.TRAINED_TWICE[kind].say(language, difference=significant(twice))
        assert said in "\n".join(lines)


@pytest.mark.parametrize("language", LANGUAGES)
def test_H7_torchs_function_comes_to_the_same_weights_on_average(opened, language: str) -> None:
    at = opened(language, dropout_p="0.25", dropout_draw="4")
    assert not drawings(at)["answer"]["lines"], "nothing is measured before it is asked for"
    at.session_state["is_open:answer:dropout"] = True
    at.run()
    record = compare_with_torch(*sides(heads(), 0), 0.25, draws=TORCH_DRAWS, seed=4)
    (line,) = drawings(at)["answer"]["lines"]
    said = "".join(piece["text"] for piece in line["pieces"])
    assert said.startswith(words.VERDICTS["same"].say(language))
    found = [record.torch.largest_deviation, record.core.largest_deviation, record.torch.largest_std]
    found += [record.torch.rms_deviation, record.core.rms_deviation, record.torch.expected_rms]
    for number in (*found, record.dropped_share, record.without_dropout):
        assert significant(number) in said
    assert record.dropped_share == pytest.approx(0.25, abs=0.03)


def test_H7_the_verdict_follows_the_deviation() -> None:
    def mean(deviation, std):
        return MeanOfDraws(200, torch.zeros(1, 1), deviation, deviation, std, std)

    assert verdict_of(0.5, mean(0.4, 0.1)) == "same"
    assert verdict_of(0.5, mean(0.6, 0.1)) == "off"
    assert verdict_of(0.0, mean(1e-16, 0.0)) == "nothing"


def test_H7_what_the_mask_hides_and_what_is_dropped_are_told_apart(opened) -> None:
    at = opened(is_causal="1", dropout_draw="5", dropout_p="0.5")
    shown, weights = drawings(at), heads(is_causal=True).attention.weights[0].numpy()
    above, kept = np.triu(np.ones((5, 5), dtype=bool), k=1), kept_by_hand(5, 0.5, 5)
    assert np.array_equal(numbers(shown["before"]), weights)
    assert np.array_equal(hidden(shown["before"]), above)
    assert np.array_equal(hidden(shown["after"]), above | ~kept)
    assert shown["after"]["marked"] == np.flatnonzero(~above & ~kept).tolist()
    dropped = int((~above & ~kept).sum())
    assert 0 < dropped < 15
    (line,) = [text for text in told(at) if text.startswith("Draw 5")]
    assert f"weights above 0: 15; set to 0: {dropped}, a share of {significant(dropped / 15)}" in line
    assert any("hidden by the causal mask" in text for text in told(at))
    assert drawings(opened())["after"]["marked"] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_H7_a_picture_without_a_dropped_weight_is_not_said_to_have_one(opened, language: str) -> None:
    sums, masked = words.LEGEND_SUMS.say(language), words.LEGEND_MASKED.say(language)
    for query, legend in (
        ({"dropout_p": "0"}, words.LEGEND_NONE),
        # One token, which this draw keeps.
        ({"text": "x", "dropout_p": "0.1"}, words.LEGEND_NONE),
        ({"dropout_mode": "eval"}, words.LEGEND_EVAL),
        ({}, words.LEGEND),
    ):
        for is_causal in (False, True):
            at = opened(language, **query, is_causal=str(int(is_causal)))
            is_dropped = legend is words.LEGEND
            said = (words.LEGEND_CAUSAL if is_causal and is_dropped else legend).say(language)
            said += masked if is_causal and not is_dropped else ""
            assert said + sums in told(at)
            lower = np.tri(len(drawings(at)["after"]["row_names"]), dtype=bool)
            gone = hidden(drawings(at)["after"]) & (lower if is_causal else True)
            assert gone.any() == is_dropped


def test_H7_row_sums_stand_beside_the_names_where_a_phone_shows_them(opened) -> None:
    shown = drawings(opened())
    assert [shown[name]["has_verdicts"] for name in ("before", "after")] == [True, True]


def test_H7_a_mean_that_strays_is_said_to_be_chance_up_to_a_bound(opened, monkeypatch) -> None:
    for stds, is_chance in ((4.9, True), (5.1, False)):
        records = [MeanOfDraws(n, torch.zeros(1, 1), stds * 0.01, 0.01, 0.01, 0.01) for n in DRAWS]
        monkeypatch.setattr(dropout, "means_of", lambda *_, found=records: found)
        (line,) = [text for text in told(opened()) if text.startswith("On average")]
        assert f"{stds:.2f}: " in line
        assert line.endswith(words.BY_CHANCE[is_chance].say("en", most=5))


def test_H7_a_larger_p_drops_what_a_smaller_one_did(opened) -> None:
    gone = [hidden(drawings(opened(dropout_p=p))["after"]) for p in ("0.1", "0.5", "0.9")]
    assert (gone[1][gone[0]]).all()
    assert (gone[2][gone[1]]).all()
    assert gone[0].sum() < gone[1].sum() < gone[2].sum()


@pytest.mark.parametrize("language", LANGUAGES)
def test_H7_whatever_the_link_or_the_box_holds(opened, language: str) -> None:
    at = opened(language, dropout_p="7", dropout_mode="off", dropout_draw="-4", dropout_head="x")
    assert len(at.warning) == 4
    assert drawings(at)["after"]["title"] == words.AFTER.say(language, draw=0, p="0.9")
    at = opened(language, text="<b>$x$</b> 😀 `a`", dropout_p="0.333", dropout_head="3", h="2")
    assert drawings(at)["after"]["title"] == words.AFTER.say(language, draw=1, p="0.333")
    assert any("1/(1 − p) = 1.50" in text for text in told(at)), "1/0.667"
    assert next(box for box in at.selectbox if box.key == "heads.dropout_head").value == 2
    assert head_words.HEAD_MOVED.say(language, given=3, used=2) in sentences(at), "a head is no token"
    at = opened(language, text=" ".join(f"w{place}" for place in range(64)), is_causal="1")
    shown = drawings(at)
    assert shown["after"]["mode"] != "cells"
    assert shown["after"]["footer"] is None
    assert words.LEGEND_CAUSAL.say(language) in told(at), "a picture has no row sums to speak of"


@pytest.mark.parametrize("language", LANGUAGES)
def test_H7_heads_that_do_not_divide_are_refused_and_nothing_is_computed(opened, language: str) -> None:
    at = opened(language, h="5")
    assert not {"before", "after"} & drawings(at).keys()
    assert head_words.H_DIVIDES.say(language, h=5, d_model=12, rest=2) in sentences(at)
    assert head_words.TAKE_VALUE.say(language, name="h", value=4) in labels(at)
    at = opened(language, text="")
    assert not {"before", "after"} & drawings(at).keys()
