"""Over-smoothing: the meters against loops and hand numbers, and the claim over several seeds and designs."""

import itertools
import math
from dataclasses import replace

import pytest
import torch

from attention_core import masks
from attention_core.experiments.smoothing import mean_cosine, measure_smoothing, own_share
from attention_core.layers import NORMS, Design, dress

N, D_MODEL = 5, 7
WORDS = ("the", "cat", "saw", "a", "dog", "and", "it", "ran", "far", "away")


def random(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def test_P8_the_mean_cosine_is_that_of_all_pairs_of_different_tokens():
    x = random(3, N, D_MODEL)
    for found, rows in zip(mean_cosine(x), x.tolist(), strict=True):
        cosines = [
            sum(a * b for a, b in zip(one, other, strict=True)) / (math.hypot(*one) * math.hypot(*other))
            for one, other in itertools.combinations(rows, 2)
        ]
        assert float(found) == pytest.approx(sum(cosines) / len(cosines), abs=1e-12)


def test_P8_the_own_share_is_1_less_what_the_mean_holds():
    x = random(N, D_MODEL)
    mean = x.mean(dim=0)
    expected = math.sqrt(1 - N * float(mean @ mean) / float((x * x).sum()))
    assert float(own_share(x)) == pytest.approx(expected, abs=1e-12)
    assert float(own_share(x[:1].expand(N, D_MODEL))) < 1e-15


def test_P8_meters_of_nothing_of_one_token_and_of_zeros_are_defined():
    assert mean_cosine(torch.zeros(2, 0, 3)).isnan().all()
    assert mean_cosine(torch.ones(1, 3)).isnan()
    assert (float(mean_cosine(torch.zeros(3, 3))), float(own_share(torch.zeros(3, 3)))) == (0.0, 0.0)
    assert own_share(torch.zeros(0, 3)).isnan()
    assert float(own_share(torch.ones(1, 3))) == 0
    records = measure_smoothing(("cat",), Design(n_layers=1), seeds=(0,))
    assert [e.mean for record in records for e in record.cosines] == [None] * 4
    assert [ends for record in records for ends in record.cosine_ends] == [None] * 4


def test_P8_the_ends_are_the_least_and_the_largest_over_the_seeds():
    design = Design(n_layers=2, d_model=6)
    for has_residual, record in zip(
        (False, True), measure_smoothing(WORDS[:4], design, seeds=(3, 5, 8)), strict=True
    ):
        one = replace(design, has_residual=has_residual)
        traces = [dress(WORDS[:4], one, seed=seed, positions="none").trace.vectors for seed in (3, 5, 8)]
        for depth in range(3):
            for ends, meter in ((record.cosine_ends, mean_cosine), (record.own_share_ends, own_share)):
                found = [float(meter(vectors[depth])) for vectors in traces]
                assert ends[depth] == pytest.approx((min(found), max(found)), abs=1e-12)


# Each norm with and without a feed-forward part, and under a causal mask once.
DESIGNS = [(norm, has_ffn, (norm == "post") is has_ffn) for norm in NORMS for has_ffn in (True, False)]


@pytest.mark.parametrize(("norm", "has_ffn", "is_causal"), DESIGNS)
def test_P8_without_residual_all_tokens_become_alike_and_with_it_later(norm, has_ffn, is_causal):
    allowed = masks.causal(len(WORDS)) if is_causal else None
    design = Design(n_layers=8, norm=norm, has_ffn=has_ffn)
    without, having = measure_smoothing(WORDS, design, seeds=range(20, 26), allowed=allowed)
    assert (without.has_residual, having.has_residual) == (False, True)
    assert without.cosines[0] == having.cosines[0]
    assert abs(without.cosines[0].mean) < 0.1, "bare vectors of different words have nothing in common"
    assert without.cosines[4].mean > 0.85
    assert without.cosines[8].mean > 0.99
    assert all(a.mean > b.mean + 0.1 for a, b in zip(without.cosines[1:6], having.cosines[1:6], strict=True))
    assert having.cosines[4].mean < 0.75
    assert having.cosines[8].mean > having.cosines[1].mean + 0.2, "slower is not never"
    assert without.own_shares[8].mean < having.own_shares[8].mean / 2


def test_P8_the_norm_before_each_part_keeps_tokens_apart_longest():
    last = {
        norm: measure_smoothing(WORDS, Design(n_layers=8, norm=norm), seeds=range(20, 28))[1].cosines[-1]
        for norm in ("pre", "post")
    }
    gap = last["post"].mean - last["pre"].mean
    assert gap > 2 * (last["post"].standard_error + last["pre"].standard_error)


def test_P8_pure_attention_loses_what_is_a_tokens_own_faster_and_faster():
    design = Design(n_layers=5, norm="none", has_ffn=False)
    shares = [e.median for e in measure_smoothing(WORDS, design)[0].own_shares]
    drops = [math.log(before / after) for before, after in itertools.pairwise(shares)]
    assert drops[0] < drops[1] < drops[2] < drops[3]


def test_smoothing_without_a_seed_is_refused():
    with pytest.raises(ValueError, match="at least 1 seed, got 0"):
        measure_smoothing(WORDS, Design(), seeds=())
