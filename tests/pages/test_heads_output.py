"""What W^O mixes, as it stands on the page: contributions, another W^O, a head switched off."""

import re

import numpy as np
import pytest
import torch

from attention_core.experiments.head_facts import attend_sentence
from attention_core.experiments.head_output import KINDS, measure_head_output
from attention_core.tokens import tokenize
from dashboard.grid.bench import show_bench
from dashboard.grid.picture import levels as levels_of
from dashboard.number_format import significant
from dashboard.panels.heads import output as view
from dashboard.panels.heads.output_pictures import output_parts
from dashboard.panels.heads.output_readings import deeper, readings, say_answer
from dashboard.text import LANGUAGES
from dashboard.text import head_output as words
from tests.pages.reading import dangers, drawings, levels, numbers, sentences, told, wrong_language

LONG = " ".join(f"w{place}" for place in range(64))
SEVERAL = re.compile(r"(?<![\w.−–])1 (?:of them|columns|rows|heads)\b")
# Two heads one wide on one token, weighed by the identity: (3, 4), whose norm is 5.
THREE_FOUR = torch.tensor([[[3.0]], [[4.0]]])


def opened(open_page, language: str = "en", **query: object):
    at = open_page(
        "heads", lang=language, view="output", **{name: str(value) for name, value in query.items()}
    )
    assert not at.exception
    return at


def core_of(at, kind: str | None = None):
    state = at.session_state["lesson:heads"]
    found = attend_sentence(
        tokenize(state["text"]),
        seed=state["seed"],
        d_model=state["d_model"],
        n_heads=state["h"],
        positions=state["positions"],
        is_causal=state["is_causal"],
    )
    return measure_head_output(found.attention.out, found.w_o, kind=kind or state["output_w_o"])


def answer_of(at) -> str:
    return "".join(piece["text"] for line in drawings(at)["answer"]["lines"] for piece in line["pieces"])


@pytest.mark.parametrize("language", LANGUAGES)
def test_H5_w_o_each_heads_contribution_and_its_numbers_are_the_cores(open_page, language: str) -> None:
    at = opened(open_page, language, h=4, output_off=3)
    found, drawn = core_of(at), drawings(at)
    reach = float(torch.cat([found.contributions, found.out[None]]).abs().max())
    for head in range(4):
        expected = levels_of(found.contributions[head].numpy(), "diverging", reach, None)
        assert np.array_equal(levels(drawn[f"contribution.{head}"]), expected)
    assert np.array_equal(numbers(drawn["large"]), found.ablations[2].change)
    assert drawn["large"]["title"] == words.CHANGE.say(language, head=3)
    table = numbers(drawn["numbers"])
    assert np.array_equal(table[:, 0], found.norms)
    assert np.allclose(table[:, 1:3].sum(axis=0), 1)
    assert np.array_equal(table[:, 2], found.pulls)
    for row, gone in zip(table, found.ablations, strict=True):
        assert row[3:].tolist() == [
            gone.largest_change,
            gone.relative_change,
            gone.n_columns,
            gone.difference,
        ]
    assert np.array_equal(numbers(drawn["reach"]), [gone.by_column.tolist() for gone in found.ablations])
    gone = found.ablations[2]
    fields = {"largest": gone.largest_change, "relative": gone.relative_change}
    fields = {name: significant(value) for name, value in fields.items()}
    assert words.OFF_NOW.say(language, head=3, **fields) in told(at)
    assert drawn["contribution.2"]["title"].startswith("▸")
    names = [words.HEAD_NAME.say(language, head=head + 1) for head in range(4)]
    assert drawn["numbers"]["row_names"] == names, "the table does not rename its rows at each press"
    assert not wrong_language(at, language)
    assert not list(dangers(at))


@pytest.mark.parametrize("language", LANGUAGES)
def test_H5_w_o_contributions_sum_to_the_output_that_is_shown(open_page, language: str) -> None:
    at = opened(open_page, language, output_off=0)
    found, drawn = core_of(at), drawings(at)
    assert np.array_equal(numbers(drawn["large"]), found.out)
    assert np.allclose(found.contributions.sum(dim=0), numbers(drawn["large"]), atol=1e-12)
    assert found.sum_difference < 1e-12
    assert significant(found.sum_difference) in "\n".join(told(at))
    assert "without" not in drawn
    assert words.OWN_ALL.say(language, d_model=12) in told(at)
    assert all(gone.n_columns == 12 for gone in found.ablations)


@pytest.mark.parametrize("language", LANGUAGES)
def test_H5_w_o_under_the_identity_a_head_moves_its_own_columns_alone(open_page, language: str) -> None:
    at = opened(open_page, language, output_w_o="identity", output_off=2, h=3)
    moves = numbers(drawings(at)["reach"]) > 0
    assert np.array_equal(moves, np.kron(np.eye(3), np.ones(4)) > 0)
    changed = numbers(drawings(at)["large"])
    assert (changed[:, 4:8] != 0).all()
    assert not changed[:, :4].any()
    assert not changed[:, 8:].any()
    blocks = words.SEMICOLON.say(language).join(
        words.BLOCK.say(language, head=head, columns=columns)
        for head, columns in ((1, "1–4"), (2, "5–8"), (3, "9–12"))
    )
    assert words.IDENTITY.say(language, blocks=blocks) in told(at)
    norm = significant(float(core_of(at).out.norm()))
    assert words.SUM_OF_SQUARES.say(language, root=norm, out=norm) in "\n".join(told(at))


@pytest.mark.parametrize("language", LANGUAGES)
def test_H5_w_o_through_zeros_nothing_comes(open_page, language: str) -> None:
    at = opened(open_page, language, output_w_o="zero", output_off=1)
    drawn = drawings(at)
    for name in ("large", "reach"):
        assert not numbers(drawn[name]).any()
    columns = numbers(drawn["numbers"])
    assert not columns[:, [0, 3, 5, 6]].any()
    assert np.isnan(columns[:, [1, 2, 4]]).all()
    assert "NaN" not in drawn["numbers"]["texts"]
    assert words.ZERO.say(language, most="0") in told(at)
    assert answer_of(at) == words.ANSWER_ZERO.say(language, norm="0", largest="0")
    assert words.RANDOM["zero"].say(language, seed=0) in told(at)


@pytest.mark.parametrize("language", LANGUAGES)
def test_H5_w_o_the_longest_contribution_is_missed_most_by_length(open_page, language: str) -> None:
    verdicts = set()
    for query in ({"h": 3}, {"h": 4, "output_w_o": "identity"}, {"h": 2, "seed": 7, "is_causal": 1}):
        at = opened(open_page, language, text="猫 追 狗 ， 猫 跑 了", **query)
        found = core_of(at)
        longest, mover = (
            int(np.argmax(values))
            for values in (found.norms.numpy(), [gone.largest_change for gone in found.ablations])
        )
        lengths = [float(gone.change.norm()) for gone in found.ablations]
        assert int(np.argmax(lengths)) == longest
        said = answer_of(at)
        assert f"{longest + 1}" in said
        for number in (found.norms[longest], lengths[longest], found.ablations[mover].largest_change):
            assert significant(float(number)) in said
        verdict = words.YES_HERE if longest == mover else words.NOT_HERE
        assert verdict.say(language) in said
        verdicts.add(longest == mover)
    assert verdicts == {True, False}


def test_H5_w_o_a_case_worked_by_hand_goes_through_the_same_pictures() -> None:
    found = measure_head_output(THREE_FOUR, torch.eye(2), kind="identity")
    parts = output_parts(("a",), found, 0, lambda head: None, "en")
    assert numbers(parts["large"][1].data).tolist() == [[-3, 0]]
    # Norms 3 and 4, shares of 7; pulls 9/25 and 16/25; without head 1 the change is 3/5 of the output.
    table = numbers(parts["numbers"][1].data)
    assert np.allclose(table, [[3, 3 / 7, 0.36, 3, 0.6, 1, 0], [4, 4 / 7, 0.64, 4, 0.8, 1, 0]])
    assert parts["numbers"][1].data["texts"][5] == "1"
    said = "\n".join([*readings(found, 0, "en"), *deeper(found, "en")[1]])
    assert "(head 1: 1; head 2: 2)" in said
    assert "√Σ norm² = 5.00, and the output's norm is 5.00" in said
    assert "one number moves by 3.00 at most, and the whole change is 0.600 times" in said
    assert say_answer(found, "en").endswith("also yes here: first comes head 2, with 4.00.")


def test_H5_w_o_heads_that_cancel_pull_against_each_other() -> None:
    # Contributions 3 and −1: the output is 2, so pulls are 3/2 and −1/2 and norms add up to 4.
    found = measure_head_output(torch.tensor([[[3.0]], [[-1.0]]]), torch.ones(2, 1))
    said = "\n".join([*readings(found, None, "en"), *deeper(found, "en")[1]])
    assert "Largest: head 1 (1.50); smallest: head 2 (−0.500)." in said
    assert words.AGAINST.en in said
    assert words.SUM_OF_NORMS.say("en", norms="4.00", out="2.00") in said


def test_H5_w_o_a_picked_contribution_is_switched_off_and_stands_in_the_link(open_page, monkeypatch) -> None:
    shown = {}

    def show(key: str, parts: dict) -> None:
        shown.update(parts)
        show_bench(key, parts)

    monkeypatch.setattr(view, "show_bench", show)
    at = opened(open_page)
    assert drawings(at)["contribution.0"]["title"].startswith("▸")
    shown["contribution.2"][1].hear("pick", {"row": 0, "column": 1})
    at.run()
    assert drawings(at)["large"]["title"] == words.CHANGE.say("en", head=3)
    assert "output_off=3" in drawings(at)["address"]["query"].split("&")
    at.select_slider(key="heads.output_off").set_value(0).run()
    assert drawings(at)["large"]["title"] == words.OUT.en


@pytest.mark.parametrize("language", LANGUAGES)
def test_H5_w_o_one_head_alone_is_the_whole_output(open_page, language: str) -> None:
    at = opened(open_page, language, h=1, d_model=1, text="a", output_off=9)
    found = core_of(at)
    assert words.HEAD_MOVED.say(language, given=9, used=1) in sentences(at)
    assert numbers(drawings(at)["numbers"])[0, 1:6].tolist() == [1, 1, found.norms.item(), 1, 1]
    assert words.SUM_ONE.say(language, apart="0", why="") in told(at)
    assert words.OWN_NUMBER.say(language, d_model=1) in told(at)
    assert words.OWN_ONE.say(language, d_model=2) in told(opened(open_page, language, h=1, d_model=2))
    at_identity = opened(open_page, language, h=1, d_model=2, output_w_o="identity")
    assert words.IDENTITY_ONE.say(language, columns="1–2") in told(at_identity)
    assert getattr(words.PULL, language).split("%(heads)s")[0] not in "".join(told(at)), "nobody to pull with"
    assert answer_of(at) == words.ANSWER_ONE.say(
        language, norm=significant(float(found.norms)), relative="1.00"
    )
    assert [line for line in told(at) if SEVERAL.search(line)] == []


def test_H5_w_o_hostile_texts_and_links_open_and_the_message_stays_small(open_page) -> None:
    for query in (
        {"text": "🐱 <b>x</b> $a$ `c` %s \u202e", "h": 4},
        {"text": LONG, "h": 16, "d_model": 64},
        {"text": "w " * 32, "h": 16, "d_model": 32, "output_w_o": "identity"},
        {"output_w_o": "<i>", "output_off": "🐱"},
    ):
        at = opened(open_page, **query)
        assert drawings(at)["large"]["rows"] == len(tokenize(at.session_state["lesson:heads"]["text"]))
        assert not list(dangers(at))
        assert [line for line in told(at) if SEVERAL.search(line)] == []
        assert max(len(element.proto.json) for element in at.get("bidi_component")[1:]) < 400_000


@pytest.mark.parametrize("language", LANGUAGES)
def test_H2_w_o_heads_that_cannot_be_are_refused(open_page, language: str) -> None:
    at = opened(open_page, language, h=7)
    assert "large" not in drawings(at)
    assert {"take.h.6", "take.h.12"} <= {button.key for button in at.button}
    assert not wrong_language(at, language)


def test_H5_w_o_every_kind_has_its_words() -> None:
    assert set(KINDS) == set(words.KINDS) == set(words.RANDOM)
