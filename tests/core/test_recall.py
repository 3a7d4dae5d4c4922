"""Recall against length (V6): measurement against theory within errors, exact cases, limits."""

import math
from itertools import pairwise

import pytest
import torch

from attention_core.experiments.bottleneck import encode, read_nearest, unroll
from attention_core.experiments.recall import (
    LENGTHS,
    MAX_LENGTH,
    SEEDS,
    WIDTHS,
    _draw,
    expected_recall,
    farthest_from_theory,
    longest_recalled,
    measure_attended,
    measure_recall,
    share_right,
)


@pytest.fixture(scope="module")
def swept() -> dict:
    return {width: measure_recall(width) for width in WIDTHS[:4]}


def test_V6_recall_from_one_vector_falls_with_length_and_rises_with_width(swept):
    for records in swept.values():
        means = [one.share.mean for one in records]
        assert [one.n for one in records] == list(LENGTHS)
        assert all(a >= b - 0.02 for a, b in pairwise(means))
        assert means[0] > 0.95
        assert means[-1] < 0.05
    for narrow, wide in pairwise(WIDTHS[:4]):
        gaps = [b.share.mean - a.share.mean for a, b in zip(swept[narrow], swept[wide], strict=True)]
        assert sum(gaps) > 0.3


def test_V6_theory_foresees_recall_within_errors(swept):
    for records in swept.values():
        for one in records:
            # Of n words in each of so many sentences; where all come back, nothing is left to estimate an error from.
            binomial = math.sqrt(one.expected * (1 - one.expected) / (one.n * len(SEEDS)))
            assert abs(one.share.mean - one.expected) < 4 * max(one.share.standard_error, binomial), one


def test_V6_the_variance_of_the_cross_talk_is_the_number_of_other_words_by_the_width(swept):
    for width, records in swept.items():
        for one in records:
            assert one.expected_crosstalk == pytest.approx((one.n - 1) / width)
            assert abs(one.crosstalk.mean - one.expected_crosstalk) < 4 * one.crosstalk.standard_error, one


def test_V6_forgetting_is_foreseen_too_and_costs_recall():
    for one in measure_recall(32, (4, 8, 16, 32), keep=0.7):
        assert abs(one.share.mean - one.expected) < 4 * max(one.share.standard_error, 0.02), one
        assert one.expected < expected_recall(one.n, 32)


def test_V6_recall_by_attention_stays_while_it_is_sharp_and_falls_where_it_is_not():
    assert [one.share.mean for one in measure_attended(8)] == [1.0] * len(LENGTHS)
    blurred = measure_attended(8, sharpness=1)
    assert blurred[-1].share.mean < 0.1
    assert blurred[0].expected is blurred[0].crosstalk is None


def test_V6_a_sweep_reads_as_the_sentence_does():
    words, turn = _draw(8, 16, (3,))
    last = encode(words[:, :5], turn, 0.9)[:, -1:]
    out = read_nearest(unroll(last, turn, 5, 0.9)[0, 0], words[0, :5], tuple(range(5)))
    (one,) = measure_recall(8, (5,), seeds=(3,), keep=0.9)
    assert one.share.mean == out.share_right
    longer = measure_recall(8, (5, 16), seeds=(3,), keep=0.9)
    assert longer[0].share == one.share, "a longer sentence begins with the shorter one"


def test_V6_two_words_in_the_plane_are_told_apart_three_times_out_of_four():
    assert expected_recall(2, 2) == pytest.approx(0.75, abs=2e-3)
    (one,) = measure_recall(2, (2,), seeds=range(64))
    assert abs(one.share.mean - 0.75) < 4 * one.share.standard_error


def test_V6_theory_agrees_with_drawing_directions_directly():
    # As theory takes it: cross-talk of fixed length in a random direction, other words that know nothing of it.
    n, width, draws = 12, 16, 20_000
    generator = torch.Generator().manual_seed(5)
    drawn = torch.randn(draws, n + 1, width, generator=generator, dtype=torch.float64)
    drawn = drawn / drawn.norm(dim=-1, keepdim=True)
    read = drawn[:, 0] + math.sqrt(n - 1) * drawn[:, -1]
    products = torch.einsum("bnd,bd->bn", drawn[:, :n], read)
    share = float((products.argmax(dim=-1) == 0).double().mean())
    assert expected_recall(n, width) == pytest.approx(share, abs=4 * math.sqrt(share / draws))


def test_V6_the_longest_sentence_that_comes_back_is_found():
    for width in (2, 8, 64):
        for share in (0.95, 0.5):
            n = longest_recalled(width, share)
            assert expected_recall(n, width) >= share > expected_recall(n + 1, width)
    assert longest_recalled(256, 0.001) == MAX_LENGTH
    assert expected_recall(1, 2) == 1
    assert longest_recalled(8, 0.5, 0.7) <= longest_recalled(8, 0.5)


def test_V6_the_point_farthest_from_theory_is_found(swept):
    records = [one for each in swept.values() for one in each]
    assert farthest_from_theory(records).apart == max(abs(one.share.mean - one.expected) for one in records)
    assert farthest_from_theory([*measure_attended(8, (2,)), records[0]]) is records[0]


def test_V6_places_that_read_their_own_word_are_counted_in_each_draw():
    words = torch.eye(3, dtype=torch.float64).expand(2, 3, 3)
    vectors = torch.stack([torch.eye(3, dtype=torch.float64), torch.eye(3, dtype=torch.float64)[[1, 0, 2]]])
    assert share_right(vectors, words).tolist() == pytest.approx([1, 1 / 3])


@pytest.mark.parametrize(
    ("arguments", "changed", "message"),
    [
        ((1,), {}, "from 2 to 256, got 1"),
        ((257,), {}, "got 257"),
        ((8, ()), {}, r"got \[\]"),
        ((8, (0,)), {}, r"got \[0\]"),
        ((8, (257,)), {}, r"got \[257\]"),
        ((8,), {"seeds": ()}, "from 1 to 64 seeds, got 0"),
        ((8,), {"seeds": tuple(range(65))}, "got 65"),
        ((8,), {"keep": 0.1}, "got 0.1"),
    ],
)
def test_V6_a_sweep_beyond_its_bounds_is_refused(unchecked, arguments, changed, message):
    with pytest.raises(ValueError, match=message):
        measure_recall(*arguments, **changed)
    if "keep" not in changed:
        with pytest.raises(ValueError, match=message):
            measure_attended(*arguments, **changed)


def test_V6_a_sharpness_that_is_none_is_refused():
    with pytest.raises(ValueError, match="got inf"):
        measure_attended(8, sharpness=math.inf)
