"""Claim M4 as it stands on the page: a query that may see no key has no right answer, and libraries differ."""

import math

import numpy as np
import pytest
import torch

from attention_core.experiments.blind_rows import (
    KERNELS,
    PENALTY,
    answer_blind_rows,
    measure_past_blind,
    step_beside,
)
from dashboard.number_format import significant
from dashboard.panels.masks.blind import VALUES, listed, switch
from dashboard.panels.masks.blind_mask import FIRST, read_mask, toggled, write_mask
from dashboard.text import LANGUAGES
from dashboard.text import mask_blind as words
from tests.pages.reading import (
    dangers,
    drawings,
    hidden,
    numbers,
    sentences,
    table_rows,
    told,
    wrong_language,
)

THIRDS = "[0.333, 0.333, 0.333]"
NANS = "[NaN, NaN, NaN]"
KEEP = torch.tensor([[1, 1, 1], [0, 0, 0], [1, 0, 1]], dtype=torch.bool)


def opened(open_page, language: str = "en", **fields: str):
    at = open_page("masks", lang=language, view="blind", **{f"blind_{k}": v for k, v in fields.items()})
    assert not at.exception
    return at


def answers(at) -> dict[str, list[str]]:
    """The table's rows by kernel."""
    (table,) = [element.value for element in at.markdown if element.value.startswith("|")]
    rows = [[cell.replace("\N{NO-BREAK SPACE}", " ") for cell in row] for row in table_rows(table)]
    return dict(zip(KERNELS, (row[1:] for row in rows[1:]), strict=True))


def test_M4_the_trap_is_answered_by_hand_worked_values(open_page) -> None:
    at = opened(open_page)
    found = answers(at)
    zeros, nan, uniform = (
        ["not shown", "[0, 0]", "zeros", "finite", "0"],
        [NANS, "[NaN, NaN]", "NaN", "NaN in q, k, v", "0"],
        [THIRDS, "[1.67, 1.67]", "uniform", "finite", "0"],
    )
    assert found["core"] == ["[0, 0, 0]", *zeros[1:]]
    for kernel in ("sdpa_math", "sdpa_fused", "mha"):
        assert found[kernel] == zeros
    for kernel in ("added_softmax", "mha_with_weights"):
        assert found[kernel] == nan
    assert found["filled_softmax"] == [NANS, "[NaN, NaN]", "NaN", "NaN in v", "0"]
    for kernel in ("fill_1e9", "add_1e9"):
        assert found[kernel] == uniform
    mask = drawings(at)["mask"]
    assert numbers(mask).tolist() == KEEP.double().tolist()
    assert (hidden(mask) == ~KEEP.numpy()).all()
    assert mask["dead"] == [1]
    assert mask["footer"] == ["3", "0", "2"]
    (core,) = answer_blind_rows(torch.zeros(3, 2), torch.zeros(3, 2), VALUES[:3], KEEP, kernels=("core",))
    assert np.allclose(core.weights, [[1 / 3] * 3, [0] * 3, [0.5, 0, 0.5]])
    assert np.allclose(core.out, [[5 / 3, 5 / 3], [0, 0], [2.5, 2]])


@pytest.mark.parametrize("dtype", ["float64", "float32", "bfloat16", "float16"])
def test_M4_the_table_is_what_the_core_measures(open_page, dtype: str) -> None:
    at = opened(open_page, dtype=dtype, scores="rising", mask="110/000/001/000")
    allowed = torch.tensor([[1, 1, 0], [0, 0, 0], [0, 0, 1], [0, 0, 0]], dtype=torch.bool)
    one, keys = torch.ones(4, 1), torch.tensor([[1.0], [2.0], [3.0]])
    records = answer_blind_rows(one, keys, VALUES[:3], allowed, dtype)
    found = answers(at)
    for record in records:
        weights, out, answer, gradients, distance = found[record.kernel]
        if record.refused:
            assert answer == words.REFUSED.en
            assert any(record.refused in line for line in told(at)), "torch's own words"
            continue
        assert weights == ("not shown" if record.weights is None else listed(record.weights[1].tolist()))
        assert out == listed(record.out[1].tolist())
        assert answer == words.ANSWERS[record.answer].en
        assert (gradients == "finite") == all(record.gradients.values())
        apart = (record.out[[0, 2]].double() - records[0].out[[0, 2]].double()).abs().max()
        assert distance == significant(float(apart), 2)
    assert any("Sees no key: query 2, query 4." in line for line in told(at))
    assert any(f"torch {torch.__version__}" in line and dtype in line for line in told(at))
    assert (found["fill_1e9"][2] == "refused") == (dtype == "float16")


def test_M4_adding_1e9_is_uniform_in_float32_and_unmasked_in_float64(open_page) -> None:
    for dtype, row, answer in (
        ("float32", THIRDS, "uniform"),
        ("float64", "[0.0900, 0.245, 0.665]", "unmasked"),
    ):
        at = opened(open_page, dtype=dtype, scores="rising")
        assert answers(at)["add_1e9"][0] == row
        assert answers(at)["add_1e9"][2] == answer
        (line,) = [line for line in told(at) if "float32 gives" in line]
        assert f"float32 gives {THIRDS}, float64 [0.0900, 0.245, 0.665]" in line
        assert "64 apart" in line
        assert "1.19e−7 apart" in line
    assert np.allclose(np.exp([1, 2, 3]) / np.exp([1, 2, 3]).sum(), [0.0900, 0.2447, 0.6652], atol=5e-5)
    assert step_beside("float32") == np.spacing(np.float32(-PENALTY))
    assert step_beside("float64") == np.spacing(-PENALTY)
    assert step_beside("float16") is None
    far = answers(opened(open_page, scores="far"))
    assert far["add_1e9"][:3] == ["[0, 1.6e−28, 1]", "[4, 4]", "unmasked"]
    assert significant(math.exp(-64)) == "1.6e−28", "in steps of 64 the scores 100 and 200 become 128 and 192"


def test_M4_the_question_is_answered_by_a_derivative(open_page) -> None:
    scaled = torch.tensor([[1.0, 2.0, 3.0]] * 3)
    w = np.exp([1, 2, 3]) / np.exp([1, 2, 3]).sum()
    by_hand = w[0] * (1 - w @ [1, 2, 3])  # dw₁/dp
    past = measure_past_blind(scaled, KEEP)
    assert math.isnan(past.by_cleaning)
    assert past.by_core == pytest.approx(by_hand, rel=1e-5)
    assert past.without_blind == pytest.approx(by_hand, rel=1e-5)
    blind_first = measure_past_blind(scaled, KEEP[[1, 0, 2]])
    assert blind_first.without_blind == pytest.approx(by_hand, rel=1e-5)
    assert blind_first.by_core == pytest.approx(by_hand, rel=1e-5)

    def answer(**fields: str) -> str:
        return drawings(opened(open_page, **fields))["answer"]["lines"][0]["pieces"][0]["text"]

    said = answer(scores="rising")
    assert said.startswith("No.")
    assert said.count(significant(by_hand)) == 2
    assert (
        f"without the blind rows: {significant(by_hand)}; with NaN replaced by 0: NaN"
        in said.lower().replace("nan", "NaN")
    )
    assert answer(mask="100/110/111", scores="rising").startswith(words.ANSWER_FINE.en[:20])
    assert answer(mask="000") == words.ANSWER_NOTHING.en


def test_M4_where_nan_comes_from_is_said_of_the_ways_that_give_it(open_page) -> None:
    for dtype in ("float64", "float32", "bfloat16", "float16"):
        at = opened(open_page, dtype=dtype, scores="rising")
        (line,) = [line for line in told(at) if line.startswith(words.NAN.en)]
        for gradients, text in (("NaN in v", words.NAN_IN_V), ("NaN in q, k, v", words.NAN_IN_ALL)):
            names = [words.KERNELS[kernel].en for kernel, row in answers(at).items() if row[3] == gradients]
            assert names
            assert text.say("en", kernels=", ".join(names)) in line
        cannot_hold = dtype == "float16"
        assert (words.HELD_AS_INFINITY.say("en", dtype=dtype) in line) == cannot_hold
        (why,) = [line for line in told(at) if line.startswith(words.BLIND_OPENING.en)]
        assert (words.WHY_UNIFORM.en in why) != cannot_hold, "no way counts hidden keys again there"


@pytest.mark.parametrize("language", LANGUAGES)
def test_M4_without_a_blind_row_nothing_is_said_of_one_that_is_here(open_page, language: str) -> None:
    for mask, is_blind in (("100/110/111", False), (FIRST, True)):
        lines = told(opened(open_page, language, mask=mask))
        assert any(line.startswith(words.IF_BLIND_OPENING.say(language)) for line in lines) != is_blind
        assert any(line.startswith(words.BLIND_OPENING.say(language)) for line in lines) == is_blind
        assert any(line.startswith(words.NAN.say(language)) for line in lines) == is_blind
        assert (words.BLIND_SIGN.say(language) in lines) == is_blind
        assert any("F.scaled_dot_product_attention" in line for line in lines)


def test_M4_ways_that_harm_the_live_rows_are_named(open_page) -> None:
    at = opened(open_page)
    (line,) = [line for line in told(at) if line.startswith("A blind row harms")]
    for kernel, names in (
        ("filled_softmax", "v"),
        ("added_softmax", "q, k, v"),
        ("mha_with_weights", "q, k, v"),
    ):
        assert f"{words.KERNELS[kernel].en} ({names})" in line
    for kernel in ("core", "sdpa_math", "mha", "fill_1e9"):
        assert words.KERNELS[kernel].en not in line


def test_M4_without_a_blind_row_all_agree(open_page) -> None:
    at = opened(open_page, mask="100/110/111", scores="rising", dtype="float64")
    for _, _, answer, gradients, distance in answers(at).values():
        assert (answer, gradients) == ("–", "finite")
        assert distance == "0" or "e−1" in distance
    assert any(line.startswith("Every query sees a key") for line in told(at))
    assert not any("core answers zeros" in line for line in told(at))


@pytest.mark.parametrize("language", LANGUAGES)
def test_M4_masks_of_any_size_up_to_six(open_page, language: str) -> None:
    for mask in (
        "1",
        "0",
        "000000/000000",
        "/".join(["111111"] * 5 + ["000000"]),
        "00/00/10/11",
        "１０；００",
    ):
        at = opened(open_page, language, mask=mask)
        assert not at.error
        rows = read_mask(mask).nearest
        assert numbers(drawings(at)["mask"]).tolist() == [list(map(float, row)) for row in rows]
        assert not wrong_language(at, language)
        assert (words.OURS.say(language, sum="0", out="[0, 0]") in told(at)) == any(not any(r) for r in rows)


def test_M4_a_click_turns_a_pair_over_and_buttons_take_a_mask(open_page) -> None:
    class Values(dict):
        put = dict.__setitem__

    state = Values()
    switch(state, read_mask(FIRST).nearest, 1, 2)
    assert state == {"blind_mask": "111/001/101"}
    assert toggled(((1,),), 0, 0) == ((0,),)
    assert write_mask(read_mask("[1 0], ; 0,1").nearest) == "10/01"
    at = opened(open_page)
    next(button for button in at.button if button.key == "blind.preset.aligned").click().run()
    assert numbers(drawings(at)["mask"]).tolist() == [[0, 0], [0, 0], [1, 0], [1, 1]]
    assert answers(at)["sdpa_math"][1] == "[0, 0]"


BAD = {
    "": FIRST,
    "🐱/<b>x</b>": FIRST,
    "$x$ `1` **b**": "1",
    "1/01": "10/01",
    "1111111": "111111",
    "/".join("1" * 9): "/".join("1" * 6),
    "12/3": "1",
    "0" * 5000: "000000",
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_M4_a_mask_that_is_none_is_refused_with_the_nearest_one(open_page, language: str) -> None:
    for text, nearest in BAD.items():
        at = opened(open_page, language, mask=text)
        assert len(at.error) == 1, text
        assert at.text_input(key="masks.blind_mask").value == text, "nothing typed is lost"
        assert "mask" not in drawings(at)
        assert not list(dangers(at))
        assert not wrong_language(at, language)
        button = next(button for button in at.button if button.key == "take.blind_mask")
        assert button.label == words.TAKE_MASK.say(language, mask=nearest)
        button.click().run()
        assert not at.error
        assert not at.exception
        assert at.text_input(key="masks.blind_mask").value == nearest
    long = opened(open_page, language, mask="/".join("1" * 9))
    assert words.TOO_MANY_QUERIES.say(language, most=6, found=9) in long.error[0].value


def test_M4_what_a_link_gets_wrong_is_said(open_page) -> None:
    at = opened(open_page, dtype="int8", scores="<i>")
    assert len(at.warning) == 2
    assert answers(at)["core"][0] == "[0, 0, 0]"
    assert any("`int8`" in text for text in sentences(at))
    assert not list(dangers(at))


@pytest.mark.parametrize("scores", ["zeros", "rising"])
def test_M4_with_one_key_nobody_is_told_to_tell_uniform_and_unmasked_apart(open_page, scores: str) -> None:
    at = open_page("masks", lang="en", view="blind", blind_mask="1/0", blind_scores=scores)
    assert words.ONE_KEY.en in told(at)
    assert words.SAME_LOOK.en not in told(at)
