"""Claim M5 and the two corners of a causal mask: by hand, against torch, and by changing what must not count."""

import math

import pytest
import torch
import torch.nn.functional as F
from torch.nn.attention.bias import causal_lower_right, causal_upper_left

from attention_core.conventions import CONVENTIONS, write_mask
from attention_core.experiments.causal_corners import (
    CORNERS,
    attend_by_torch,
    attend_from,
    compare_decoding,
    corners_like,
    offset_of,
)
from attention_core.experiments.causal_corners import values_of as corner_values
from attention_core.experiments.mask_feeds import CALLS, MOST_SHOWN, feed_mask, values_of, weigh_reading

CAUSAL = torch.ones(3, 3, dtype=torch.bool).tril()
PADDED = torch.tensor([[True, True, False]] * 2)
# What each call takes, by the type of the mask, as the documentation of each says.
TAKES = {
    "sdpa": {"allowed", "additive"},
    "mha": {"blocked", "additive"},
    "mha_padding": {"blocked", "additive"},
    "core": {"allowed"},
    "core_bias": {"additive"},
}


def near(tensor, rows, atol=5e-5):
    torch.testing.assert_close(tensor, torch.tensor(rows), atol=atol, rtol=0, equal_nan=True)


def test_M5_an_inverted_causal_mask_sees_only_the_future() -> None:
    fed = feed_mask(CAUSAL, "blocked", "sdpa")
    near(fed.outcome.out, [[2, 2.5], [4, 4], [0, 0]])
    near(fed.meant_out, [[1, 0], [0.5, 0.5], [5 / 3, 5 / 3]])
    assert (fed.leaks, fed.blinded, fed.differing) == (((0, 1), (0, 2), (1, 2)), (2,), (0, 1, 2))
    assert len(fed.lost) == 6
    other = feed_mask(CAUSAL, "allowed", "mha")
    near(other.outcome.out, [[2, 2.5], [4, 4], [math.nan, math.nan]])
    assert (other.leaks, other.blinded) == (fed.leaks, fed.blinded)


def test_M5_zeros_and_ones_are_added() -> None:
    fed = feed_mask(torch.tensor([[False, False, True]]), "binary", "sdpa")
    near(fed.weights, [[0.2119, 0.2119, 0.5761]])
    assert (fed.leaks, fed.lost, fed.differing) == (((0, 0), (0, 1)), (), (0,))


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("convention", CONVENTIONS)
def test_M5_a_call_is_right_exactly_in_the_conventions_it_takes(call, convention, unchecked) -> None:
    fed = feed_mask(PADDED, convention, call)
    is_right = fed.outcome.out is not None and not fed.differing
    assert is_right == fed.is_intended == (convention in TAKES[call])
    if is_right:
        near(fed.outcome.out, [[0.5, 0.5]] * 2)
        assert (fed.leaks, fed.lost, fed.blinded) == ((), (), ())
    is_bool = fed.mask.dtype == torch.bool
    if (call, is_bool) in {("core", False), ("core_bias", True)}:
        assert "must be torch." in fed.outcome.refusal


def test_M5_a_mask_that_hides_nothing_survives_being_added_and_a_blind_row_has_no_right_answer() -> None:
    fed = feed_mask(torch.ones(2, 3, dtype=torch.bool), "binary", "sdpa")
    assert not fed.differing
    assert not fed.is_intended
    blind = CAUSAL.clone()
    blind[0] = False
    for convention, call in (("allowed", "sdpa"), ("blocked", "mha"), ("additive", "mha")):
        fed = feed_mask(blind, convention, call)
        assert (fed.differing, fed.blinded) == ((), ())
    assert feed_mask(blind, "blocked", "mha").outcome.out[0].isnan().all()
    assert 0 in feed_mask(blind, "binary", "sdpa").differing


def test_M5_readings_contradict_each_other() -> None:
    floats = torch.tensor([[0.0, 0.0, 1.0]])
    allowed, weights = weigh_reading(floats, "binary")
    assert (allowed.tolist(), weights.tolist()) == ([[False, False, True]], [[0, 0, 1]])
    allowed, weights = weigh_reading(floats, "additive")
    assert allowed.all()
    near(weights, [[0.2119, 0.2119, 0.5761]])
    assert weigh_reading(floats.long(), "blocked")[1].tolist() == [[0.5, 0.5, 0]]
    hidden = write_mask(PADDED, "additive")
    assert weigh_reading(hidden, "additive")[0].tolist() == PADDED.tolist()


@pytest.mark.parametrize("n_keys", [0, MOST_SHOWN + 1])
def test_there_are_values_for_as_many_keys_as_are_shown(n_keys) -> None:
    with pytest.raises(ValueError, match=f"1 to {MOST_SHOWN} keys, got {n_keys}"):
        values_of(n_keys)


def test_M5_the_corners_of_the_traps() -> None:
    assert attend_from("bottom_right", 2, 5).allowed.int().tolist() == [[1, 1, 1, 1, 0], [1, 1, 1, 1, 1]]
    assert attend_from("top_left", 2, 5).allowed.int().tolist() == [[1, 0, 0, 0, 0], [1, 1, 0, 0, 0]]
    assert attend_from("bottom_right", 1, 3).out.tolist() == [[3, 3]]
    assert attend_from("top_left", 1, 3).out.tolist() == [[3, 0]]
    more = attend_from("bottom_right", 4, 2)
    assert (more.blind, more.weights.tolist()) == ((0, 1), [[0, 0], [0, 0], [1, 0], [0.5, 0.5]])


# torch warns that its own kernel may answer NaN for more queries than keys.
@pytest.mark.filterwarnings("ignore:Lower right causal bias")
@pytest.mark.parametrize("n_keys", [1, 2, 5, 12])
@pytest.mark.parametrize("n_queries", [1, 2, 5, 12])
def test_M5_the_corners_are_those_of_torch(n_queries, n_keys) -> None:
    sides = torch.zeros(n_queries, 4), torch.zeros(n_keys, 4), corner_values(n_keys)
    batched = [side[None, None] for side in sides]
    for corner, bias in zip(CORNERS, (causal_upper_left, causal_lower_right), strict=True):
        ours = attend_from(corner, n_queries, n_keys)
        assert ours.offset == offset_of(corner, n_queries, n_keys)
        theirs = F.scaled_dot_product_attention(*batched, attn_mask=bias(n_queries, n_keys))[0, 0]
        torch.testing.assert_close(ours.out, theirs)
    answered = attend_by_torch(n_queries, n_keys).out
    expected = CORNERS if n_queries == n_keys else ("top_left",)
    assert corners_like(answered, n_keys) == expected


@pytest.mark.parametrize(("n_new", "n_tokens"), [(1, 2), (1, 5), (2, 5), (5, 5), (3, 12)])
def test_M5_decoding_on_cached_keys_needs_the_bottom_right(n_new, n_tokens) -> None:
    left, right = compare_decoding(n_new, n_tokens)
    assert max(right.at_once, right.by_token) < 1e-10
    assert left.by_token > 0.1
    assert (left.at_once > 0.1) == (n_new < n_tokens)


def test_M5_no_more_tokens_are_decoded_than_there_are() -> None:
    with pytest.raises(ValueError, match="1 to n_tokens=2, got 3"):
        compare_decoding(3, 2)
