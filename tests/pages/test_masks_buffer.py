"""Claim M8 as it stands on the page: a mask is a buffer; it moves and is saved, and no optimiser changes it."""

import numpy as np
import pytest
import torch

from attention_core.experiments.mask_buffer import KEEPINGS, watch_step
from dashboard.number_format import significant
from dashboard.text import LANGUAGES
from dashboard.text import mask_buffer as words
from tests.pages.reading import dangers, drawings, hidden, numbers, table_rows, told, wrong_language

CAUSAL = np.tri(4, dtype=bool)
NAMES = ("w_q", "w_k", "w_v", "w_o")


def opened(open_page, language: str = "en", **fields: object):
    query = {f"buffer_{name}": str(value) for name, value in fields.items()}
    at = open_page("masks", lang=language, view="buffer", **query)
    assert not at.exception
    return at


def tensors(at) -> dict[str, list[str]]:
    """The table's rows by the name of the tensor."""
    (table,) = [element.value for element in at.markdown if element.value.startswith("|")]
    return {row[0].strip("`"): row[1:] for row in table_rows(table)[1:]}


# How it is kept: as what, type before and after .to(float16), saved, place after .to("meta").
EXPECTED = {
    "buffer": ("buffer", "bool", "bool", "yes", "meta"),
    "unsaved_buffer": ("buffer", "bool", "bool", "no", "meta"),
    "float_buffer": ("buffer", "float32", "float16", "yes", "meta"),
    "attribute": ("attribute", "bool", "bool", "no", "cpu"),
    "parameter": ("parameter", "float32", "float16", "yes", "meta"),
}


@pytest.mark.parametrize("keeping", KEEPINGS)
def test_M8_the_table_says_what_each_tensor_went_through(open_page, keeping: str) -> None:
    at = opened(open_page, keeping=keeping)
    record, rows = watch_step(keeping=keeping), tensors(at)
    assert tuple(rows) == ("mask", *NAMES)
    kind, before, after, saved, place = EXPECTED[keeping]
    change = significant(record.mask.largest_change)
    assert rows["mask"] == [kind, "4 × 4", before, change, saved, after, place]
    assert (change == "0") == (keeping != "parameter")
    for watched in (watched for watched in record.tensors if watched.name in NAMES):
        change = significant(watched.largest_change)
        assert rows[watched.name] == ["parameter", "8 × 8", "float32", change, "yes", "float16", "meta"]
        assert watched.largest_change > 0
    step = next(line for line in told(at) if line.startswith("The loss went"))
    assert f"from {significant(record.loss[0])} to {significant(record.loss[1])}" in step
    assert step.endswith(f"holds {', '.join([*NAMES, 'mask'] if saved == 'yes' else NAMES)}.")
    assert ("w_o, mask;" in step) == (keeping == "parameter")


@pytest.mark.parametrize("keeping", KEEPINGS)
def test_M8_the_mask_is_drawn_as_it_is_before_and_after(open_page, keeping: str) -> None:
    at = opened(open_page, keeping=keeping)
    drawn, record = drawings(at), watch_step(keeping=keeping)
    for name, rows in (("before", record.mask_before), ("after", record.mask_after)):
        assert numbers(drawn[name]).tolist() == [list(row) for row in rows]
        assert (hidden(drawn[name]) == ~CAUSAL).all()
    before, after = numbers(drawn["before"]), numbers(drawn["after"])
    assert (before == (CAUSAL if EXPECTED[keeping][1] == "bool" else np.where(CAUSAL, 0, -np.inf))).all()
    assert (before == after).all() == (keeping != "parameter")
    if keeping == "parameter":
        # Weights of a row sum to 1 whatever is added to it, so the gradient of a row of the mask sums to 0.
        sums = np.where(CAUSAL, after, 0).sum(axis=1)
        assert np.allclose(sums, 0, atol=1e-7)
    verdict = words.TRAINED if keeping == "parameter" else words.HOLDS
    change = {"change": significant(record.mask.largest_change)} if keeping == "parameter" else {}
    assert verdict.say("en", pairs=6, **change) in told(at)


def test_M8_an_attribute_stays_behind_and_the_module_stops(open_page) -> None:
    for keeping in KEEPINGS:
        at = opened(open_page, keeping=keeping)
        (moved,) = [line for line in told(at) if line.startswith("Moved to another device")]
        error = watch_step(keeping=keeping).fails_on_device
        assert (error is None) == (keeping != "attribute")
        assert ("and the module runs" in moved) == (error is None)
        if error:
            assert moved.endswith(error)
            assert "the mask is still on cpu" in moved


def test_M8_the_question_is_answered_by_loading(open_page) -> None:
    for keeping in KEEPINGS:
        pieces = drawings(opened(open_page, keeping=keeping, n=3))["answer"]["lines"][0]["pieces"]
        loads = keeping in {"unsaved_buffer", "attribute"}
        assert pieces[0]["text"].startswith("It does. " if loads else "It does not. ")
        if not loads:
            assert "torch.Size([3, 3])" in pieces[0]["text"]
            assert "torch.Size([4, 4])" in pieces[0]["text"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_M8_the_extremes_are_shown(open_page, language: str) -> None:
    for n, rate in ((1, 0.5), (8, 100), (4, 0)):
        at = opened(open_page, language, keeping="parameter", n=n, rate=rate, seed=9999, dtype="bfloat16")
        record = watch_step(9999, "bfloat16", "parameter", n=n, learning_rate=float(rate))
        assert numbers(drawings(at)["after"]).tolist() == [list(row) for row in record.mask_after]
        reason = words.STILL[rate == 0, n == 1].say(language) if n == 1 or rate == 0 else ""
        assert (words.UNMOVED.say(language, reason=reason) in told(at)) == bool(reason)
        assert words.NOTE.say(language, seed=9999, version=torch.__version__) in told(at)
        assert not wrong_language(at, language)
    assert words.NOTHING.say(language) in next(
        line for line in told(at) if significant(record.loss[0]) in line
    )


def test_M8_a_mask_that_did_not_move_is_not_said_to_be_changed(open_page) -> None:
    for n, rate, reason in ((1, 0.5, (False, True)), (1, 0, (True, True)), (4, 0, (True, False))):
        at = opened(open_page, keeping="parameter", n=n, rate=rate)
        assert words.UNMOVED.say("en", reason=words.STILL[reason].en) in told(at)
        assert tensors(at)["mask"][3] == "0"
        assert "the optimiser changes it" not in "\n".join(told(at))
    at = opened(open_page, keeping="parameter", n=4, rate=1e-45)
    assert watch_step(keeping="parameter", learning_rate=1e-45).mask.largest_gradient > 0
    assert words.UNMOVED.say("en", reason=words.STILL[False, False].en) in told(at)


def test_M8_the_gradient_of_the_mask_is_what_moves_it() -> None:
    for keeping in KEEPINGS:
        mask = watch_step(keeping=keeping, learning_rate=0.5).mask
        assert mask.largest_change == pytest.approx(0.5 * mask.largest_gradient)
        assert (mask.largest_gradient > 0) == (keeping == "parameter")
    assert watch_step(keeping="parameter", n=1).mask.largest_gradient == 0


def test_M8_what_a_link_gets_wrong_is_said(open_page) -> None:
    at = opened(open_page, keeping="<b>", n=10**9, rate="nan", seed="🐱", dtype="$")
    assert len(at.warning) == 5
    assert drawings(at)["before"]["sides"] == [8, 8]
    assert tensors(at)["mask"][0] == "buffer"
    assert not list(dangers(at))
