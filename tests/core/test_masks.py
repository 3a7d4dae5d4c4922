"""Who may see whom: the masks by hand, against the loops, and in combination."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from attention_core import masks, reference

SIZES = st.integers(0, 7)
OFFSETS = st.one_of(st.none(), st.integers(-8, 8))


def bits(mask: torch.Tensor) -> list:
    return mask.int().tolist()


def test_full_lets_every_query_see_every_key():
    assert bits(masks.full(2, 3)) == [[1, 1, 1], [1, 1, 1]]
    assert masks.full(5).shape == (5, 5)


def test_causal_hides_the_future_and_shows_the_query_itself():
    assert bits(masks.causal(3)) == [[1, 0, 0], [1, 1, 0], [1, 1, 1]]


def test_causal_lets_the_last_query_see_every_key():
    assert bits(masks.causal(2, 5)) == [[1, 1, 1, 1, 0], [1, 1, 1, 1, 1]]
    assert bits(masks.causal(1, 3)) == [[1, 1, 1]]


def test_causal_with_offset_zero_ties_the_first_query_to_the_first_key():
    assert bits(masks.causal(2, 5, offset=0)) == [[1, 0, 0, 0, 0], [1, 1, 0, 0, 0]]


def test_causal_leaves_the_first_queries_empty_when_they_outnumber_the_keys():
    assert bits(masks.causal(4, 2)) == [[0, 0], [0, 0], [1, 0], [1, 1]]


def test_causal_agrees_with_torch_tril():
    assert torch.equal(masks.causal(5, 7, offset=0), torch.ones(5, 7, dtype=torch.bool).tril())
    assert torch.equal(masks.causal(5, 7), torch.ones(5, 7, dtype=torch.bool).tril(2))


def test_window_counts_the_query_itself():
    assert masks.window(6, 6, 3, is_causal=True).sum(dim=-1).tolist() == [1, 2, 3, 3, 3, 3]
    assert masks.window(6, 6, 3).sum(dim=-1).tolist() == [3, 4, 5, 5, 4, 3]
    assert bits(masks.window(3, 3, 1)) == [[1, 0, 0], [0, 1, 0], [0, 0, 1]]


def test_window_follows_the_offset():
    assert bits(masks.window(2, 5, 2, is_causal=True)) == [[0, 0, 1, 1, 0], [0, 0, 0, 1, 1]]
    assert bits(masks.window(2, 5, 2, offset=0)) == [[1, 1, 0, 0, 0], [1, 1, 1, 0, 0]]


def test_wide_window_is_the_full_or_the_causal_mask():
    assert torch.equal(masks.window(5, 7, 12), masks.full(5, 7))
    assert torch.equal(masks.window(5, 7, 12, is_causal=True), masks.causal(5, 7))


def test_causal_window_is_window_and_causal_mask_together():
    together = masks.both(masks.window(5, 7, 3), masks.causal(5, 7))
    assert torch.equal(masks.window(5, 7, 3, is_causal=True), together)


def test_padding_hides_the_filler_from_every_query():
    assert bits(masks.padding([2, 0, 3], n_keys=3)) == [[[1, 1, 0]], [[0, 0, 0]], [[1, 1, 1]]]


def test_padding_of_lengths_with_an_axis_for_heads_broadcasts_over_heads():
    allowed = masks.padding(torch.tensor([[2], [3]]), n_keys=3)
    assert allowed.shape == (2, 1, 1, 3)
    assert bits(allowed[:, 0, 0]) == [[1, 1, 0], [1, 1, 1]]


@pytest.mark.parametrize("lengths", [[], torch.zeros(0, dtype=torch.int64)])
def test_padding_of_no_sequences_is_empty(lengths):
    assert masks.padding(lengths, n_keys=3).shape == (0, 1, 3)


def test_both_and_either_are_and_and_or():
    first = torch.tensor([[True, True, False, False]])
    second = torch.tensor([[True, False, True, False]])
    assert bits(masks.both(first, second)) == [[1, 0, 0, 0]]
    assert bits(masks.either(first, second)) == [[1, 1, 1, 0]]
    assert bits(masks.both(first)) == [[1, 1, 0, 0]]
    assert bits(masks.either(first, second, ~first)) == [[1, 1, 1, 1]]


def test_combined_masks_broadcast():
    combined = masks.both(masks.padding([5, 7], n_keys=7), masks.causal(5, 7))
    assert combined.shape == (2, 5, 7)
    assert combined.sum().item() == sum(min(m, 5) for m in range(3, 8)) + sum(range(3, 8))


@given(n=SIZES, m=SIZES, offset=OFFSETS, width=st.integers(1, 9), is_causal=st.booleans())
def test_masks_agree_with_the_loops(n, m, offset, width, is_causal):
    shift = m - n if offset is None else offset
    assert masks.causal(n, m, offset).tolist() == reference.causal(n, m, shift)
    windowed = masks.window(n, m, width, offset, is_causal=is_causal)
    assert windowed.tolist() == reference.window(n, m, width, shift, is_causal)


@pytest.mark.parametrize(
    "mask",
    [
        masks.full(2, device="meta"),
        masks.causal(2, device="meta"),
        masks.window(2, 2, 1, device="meta"),
        masks.padding([1], 2, device="meta"),
    ],
    ids=["full", "causal", "window", "padding"],
)
def test_masks_are_made_where_they_are_asked_for(mask):
    assert mask.device.type == "meta"
    assert mask.dtype == torch.bool


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: masks.full(-1), "n_queries=-1 and n_keys=-1"),
        (lambda: masks.causal(2, -3), "n_queries=2 and n_keys=-3"),
        (lambda: masks.window(-2, 3, 1), "n_queries=-2 and n_keys=3"),
        (lambda: masks.window(3, 3, 0), "width.*at least 1, got 0"),
        (lambda: masks.padding([4], n_keys=3), "0 and n_keys=3, got 4 to 4"),
        (lambda: masks.padding([1, -1], n_keys=3), "0 and n_keys=3, got -1 to 1"),
        (lambda: masks.padding([1], n_keys=-1), "n_keys=-1"),
        (lambda: masks.padding(torch.tensor([1.0]), n_keys=3), "integers, got torch.float32"),
        (lambda: masks.padding(torch.tensor([True]), n_keys=3), "integers, got torch.bool"),
        (lambda: masks.both(), "at least one mask.*got 0"),
        (lambda: masks.either(torch.ones(2, 2)), "bool.*float32"),
        (lambda: masks.both(masks.full(2), masks.full(3)), r"broadcast, got \[\(2, 2\), \(3, 3\)\]"),
    ],
)
def test_wrong_input_is_refused_with_the_rule_and_the_values(make, message, unchecked):
    with pytest.raises(ValueError, match=message):
        make()
