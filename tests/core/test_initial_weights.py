"""Claim H6: how nn.Linear, a bare parameter, Xavier and Kaiming start, and what attention makes of it."""

import math

import pytest
import torch
from torch import nn

from attention_core.components import generator_for
from attention_core.experiments import initial_weights
from attention_core.experiments.independence import judge_ratios
from attention_core.experiments.initial_weights import (
    STARTS,
    STARTS_BY,
    bin_weights,
    compare_storage,
    expected_scaled_std,
    expected_spread,
    measure_starts,
    time_products,
)
from attention_core.multi_head import MultiHeadAttention

WIDE, NARROW = 300, 40


@pytest.fixture(scope="module")
def at_64():
    return {record.start: record for record in measure_starts([64], trials=8)}


@pytest.fixture(scope="module")
def at_256():
    return {record.start: record for record in measure_starts([256], n=8, trials=4)}


# How each way starts


@pytest.mark.parametrize(("n_inputs", "n_outputs"), [(5, 3), (3, 5), (16, 16)])
def test_H6_linear_starts_with_the_numbers_of_nn_linear(n_inputs, n_outputs):
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(7)
        weight = nn.Linear(n_inputs, n_outputs, bias=False).weight.detach()
    ours = STARTS_BY["linear"](n_inputs, n_outputs, torch.Generator().manual_seed(7))
    assert weight.shape == (n_outputs, n_inputs)
    assert torch.equal(ours, weight.T)


def test_H6_rand_starts_with_the_numbers_of_torch_rand():
    expected = torch.rand(5, 3, generator=torch.Generator().manual_seed(7))
    assert torch.equal(STARTS_BY["rand"](5, 3, torch.Generator().manual_seed(7)), expected)


@pytest.mark.parametrize("start", STARTS)
@pytest.mark.parametrize(("n_inputs", "n_outputs"), [(WIDE, NARROW), (NARROW, WIDE)])
def test_H6_weights_fill_the_bounds_of_theory(start, n_inputs, n_outputs):
    w = STARTS_BY[start](n_inputs, n_outputs, torch.Generator().manual_seed(0))
    spread = expected_spread(start, n_inputs, n_outputs)
    assert w.shape == (n_inputs, n_outputs)
    width = spread.upper - spread.lower
    slack = 1e-6 * width
    assert spread.lower - slack <= float(w.min()) <= spread.lower + 0.002 * width
    assert spread.upper - 0.002 * width <= float(w.max()) <= spread.upper + slack
    error = 5 * spread.std / math.sqrt(w.numel())
    assert abs(float(w.mean()) - spread.mean) < error
    assert abs(float(w.std()) - spread.std) < error


def test_H6_bounds_by_hand():
    def bounds(n_inputs, n_outputs):
        return [round(expected_spread(start, n_inputs, n_outputs).upper, 6) for start in STARTS]

    assert bounds(64, 64) == [0.125, 1.0, 0.216506, 0.306186]
    assert bounds(10, 14) == [0.316228, 1.0, 0.5, 0.774597]
    assert [expected_spread(start, 64, 64).lower for start in STARTS][:2] == [-0.125, 0.0]
    spread = expected_spread("rand", 7, 7)
    assert (spread.mean, round(spread.std, 6)) == (0.5, 0.288675)


def test_H6_our_own_module_starts_as_linear_does():
    w = MultiHeadAttention(64, 4, generator=torch.Generator().manual_seed(0)).w_q.detach()
    spread = expected_spread("linear", 64, 64)
    assert 0.99 * spread.upper < float(w.abs().max()) <= spread.upper
    assert float(w.std()) == pytest.approx(spread.std, rel=0.03)


# What attention makes of it


@pytest.mark.parametrize("start", STARTS)
@pytest.mark.parametrize(("d_model", "d_k"), [(6, 6), (6, 3), (5, 1)])
def test_H6_spread_of_scores_follows_the_theory(start, d_model, d_k):
    draws, spread = 40_000, expected_spread(start, d_model, d_model)
    generator = torch.Generator().manual_seed(d_model + d_k)

    def projected():
        w = torch.rand(draws, d_model, d_k, generator=generator, dtype=torch.float64)
        w = spread.lower + (spread.upper - spread.lower) * w
        return (torch.randn(draws, 1, d_model, generator=generator, dtype=torch.float64) @ w).squeeze(1)

    scores = (projected() * projected()).sum(dim=-1)
    measured = float((scores / math.sqrt(d_k)).square().mean().sqrt())
    assert measured == pytest.approx(expected_scaled_std(spread, d_model, d_k), rel=0.05)


@pytest.mark.parametrize("d_model", [64, 1024])
def test_H6_expected_scores_stay_put_but_for_rand(d_model):
    linear, rand, xavier, kaiming = (
        expected_scaled_std(expected_spread(start, d_model, d_model), d_model, d_model) for start in STARTS
    )
    assert (linear, xavier, kaiming) == pytest.approx((1 / 3, 1, 2))
    assert rand == pytest.approx({64: 128.777, 1024: 8195.1}[d_model], rel=1e-4)


def test_H6_measured_scores_and_weights_follow_the_theory(at_64):
    for start, record in at_64.items():
        spread = expected_spread(start, 64, 64)
        assert (record.start, record.d_model, record.expected) == (start, 64, spread)
        assert spread.lower - 1e-6 <= record.lowest < record.highest <= spread.upper + 1e-6
        assert record.std == pytest.approx(spread.std, rel=0.01)
        assert record.mean == pytest.approx(spread.mean, abs=spread.std / 50)
        assert record.expected_scaled_std == expected_scaled_std(spread, 64, 64)
        tolerance = 0.5 if start == "rand" else 0.1
        assert record.scaled_std.mean == pytest.approx(record.expected_scaled_std, rel=tolerance)


def test_H6_the_same_numbers_are_placed_within_other_bounds(at_64):
    linear = at_64["linear"].scaled_std.mean
    assert at_64["xavier_uniform"].scaled_std.mean / linear == pytest.approx(3, rel=1e-5)
    assert at_64["kaiming_uniform"].scaled_std.mean / linear == pytest.approx(6, rel=1e-5)


def test_H6_rand_makes_attention_one_hot_where_linear_leaves_it_even(at_64):
    linear, rand = at_64["linear"], at_64["rand"]
    assert linear.entropy_share.mean > 0.95
    assert linear.largest_weight.mean < 0.15
    assert rand.entropy_share.mean < 0.1
    assert rand.largest_weight.mean > 0.9
    orders = [
        at_64[start].entropy_share.mean for start in ("linear", "xavier_uniform", "kaiming_uniform", "rand")
    ]
    assert orders == sorted(orders, reverse=True)


def test_H6_softmax_stops_answering_under_rand(at_256):
    assert at_256["rand"].dead_share.mean > 0.8
    assert at_256["rand"].jacobian_norm.mean < 0.05
    for start in ("linear", "xavier_uniform", "kaiming_uniform"):
        assert at_256[start].dead_share.mean == 0
        assert at_256[start].jacobian_norm.mean > 0.2
    assert at_256["rand"].w_q_gradient.median < 0.1 * at_256["linear"].w_q_gradient.median


@pytest.mark.parametrize("start", STARTS)
def test_H6_spread_is_read_from_both_matrices_of_every_trial(start):
    (record,) = measure_starts([6], [start], n=3, n_heads=2, trials=3, seed=1)
    generator, drawn = generator_for(1, 6), []
    for _ in range(3):
        torch.randn(3, 3, 6, generator=generator)
        drawn += [STARTS_BY[start](6, 6, generator) for _ in range(2)]
    drawn = torch.stack(drawn).double()
    assert (record.lowest, record.highest) == (float(drawn.min()), float(drawn.max()))
    assert (record.mean, record.std) == pytest.approx(
        (float(drawn.mean()), float(drawn.std(correction=0))), rel=1e-5
    )
    assert record.expected_scaled_std == expected_scaled_std(expected_spread(start, 6, 6), 6, 3)


def test_H6_dead_queries_are_those_whose_jacobian_has_a_norm_below_a_millionth():
    (record,) = measure_starts([64], ["rand"], n=16, trials=2, seed=3)
    generator, norms = generator_for(3, 64), []
    for _ in range(2):
        x, _, _ = torch.randn(3, 16, 64, generator=generator)
        w_q, w_k = (STARTS_BY["rand"](64, 64, generator) for _ in range(2))
        for a in ((x @ w_q).double() @ (x @ w_k).double().T / 8).softmax(dim=-1):
            norms.append(float((a.diag() - a[:, None] * a).norm()))
    below = {bound: sum(norm < bound for norm in norms) / 32 for bound in (1e-6, 1e-3)}
    assert 0 < below[1e-6] < below[1e-3] < 1
    assert record.dead_share.mean == below[1e-6]
    assert record.jacobian_norm.mean == pytest.approx(sum(norms) / 32)


@pytest.mark.parametrize("start", STARTS)
def test_H6_gradients_and_meters_are_those_of_plain_torch(start):
    d_model, n, n_heads, seed, trials = 6, 5, 2, 3, 2
    (record,) = measure_starts([d_model], [start], n=n, n_heads=n_heads, trials=trials, seed=seed)
    generator, found = generator_for(seed, d_model), []
    for _ in range(trials):
        x, v, g = (part.double() for part in torch.randn(3, n, d_model, generator=generator))
        w_q, w_k = (STARTS_BY[start](d_model, d_model, generator).double() for _ in range(2))
        x.requires_grad_()
        w_q.requires_grad_()
        loss, largest, spread, square = 0, 0, 0, 0
        for columns in (slice(0, 3), slice(3, 6)):
            scaled = (x @ w_q[:, columns]) @ (x @ w_k[:, columns]).T / math.sqrt(3)
            weights = torch.softmax(scaled, dim=-1)
            loss = loss + ((weights @ v[:, columns]) * g[:, columns]).sum()
            shown = weights.detach()
            largest += float(shown.max(dim=-1).values.mean()) / n_heads
            spread += float(-(shown * shown.log()).sum(dim=-1).mean()) / n_heads / math.log(n)
            others = scaled.detach()[~torch.eye(n, dtype=torch.bool)]
            square += float(others.square().mean()) / n_heads
        loss.backward()
        found.append([largest, spread, float(w_q.grad.norm()), float(x.grad.norm()), math.sqrt(square)])
    means = torch.tensor(found).mean(dim=0).tolist()
    meters = ("largest_weight", "entropy_share", "w_q_gradient", "x_gradient", "scaled_std")
    assert [getattr(record, meter).mean for meter in meters] == pytest.approx(means, rel=1e-4)


# Storage and time


@pytest.mark.parametrize(("n_inputs", "n_outputs"), [(5, 3), (3, 5), (7, 7)])
def test_H6_linear_multiplies_by_the_transpose_of_what_it_stores(n_inputs, n_outputs):
    storage = compare_storage(n_inputs, n_outputs)
    assert storage.linear_shape == tuple(nn.Linear(n_inputs, n_outputs).weight.shape) == (n_outputs, n_inputs)
    assert storage.parameter_shape == (n_inputs, n_outputs)
    assert storage.difference <= 1e-14
    if n_inputs == n_outputs:
        assert storage.untransposed_error is None
        assert storage.untransposed_difference > 0.1
    else:
        assert "cannot be multiplied" in storage.untransposed_error
        assert storage.untransposed_difference is None


def test_H6_a_linear_that_did_not_transpose_would_be_seen(monkeypatch):
    monkeypatch.setattr(nn.Linear, "forward", lambda self, x: x @ self.weight)
    storage = compare_storage(7, 7)
    assert storage.difference > 0.1
    assert storage.untransposed_difference == 0


def test_H6_both_products_are_the_same_and_are_compared_run_by_run():
    small, wide = time_products([8, 64], n=5, repeats=4)
    assert (small.d_model, wide.d_model) == (8, 64)
    for record in (small, wide):
        assert record.largest_difference < 1e-5
        assert list(record.timings) == ["linear", "matmul"]
        linear, matmul = record.timings.values()
        ratios = [mine / other for mine, other in zip(linear.runs_s, matmul.runs_s, strict=True)]
        assert linear.repeats == 4
        assert record.comparison == judge_ratios(5, ratios)


def test_H6_a_timed_product_that_is_another_one_would_be_seen(monkeypatch):
    real = initial_weights._linear_with
    monkeypatch.setattr(initial_weights, "_linear_with", lambda w: real(w.T.contiguous()))
    assert time_products([8], n=5, repeats=2)[0].largest_difference > 0.1


# Refusals


@pytest.mark.parametrize(
    ("call", "rule"),
    [
        (lambda: measure_starts([2048]), "d_model must be from 1 to 1024, got 2048"),
        (lambda: measure_starts([0]), "d_model must be from 1 to 1024, got 0"),
        (lambda: measure_starts([6], n_heads=4), "got d_model=6 and n_heads=4"),
        (lambda: measure_starts([6], n_heads=0), "got d_model=6 and n_heads=0"),
        (lambda: measure_starts([6], n=1), "n must be from 2 to 64, got 1"),
        (lambda: measure_starts([6], n=65), "n must be from 2 to 64, got 65"),
        (lambda: measure_starts([6], trials=1), "trials must be from 2 to 64, got 1"),
        (lambda: measure_starts([6], ["glorot"]), "start must be one of linear, rand"),
        (lambda: expected_spread("linear", 0, 3), "got n_inputs=0 and n_outputs=3"),
        (lambda: bin_weights("ones", 64), "start must be one of"),
        (lambda: bin_weights("linear", 0), "d_model must be from 1"),
        (lambda: bin_weights("linear", 64, n_bins=0), "n_bins must be from 1 to 1000, got 0"),
        (lambda: bin_weights("linear", 64, n_bins=10**12), "from 1 to 1000, got 1000000000000"),
        (lambda: compare_storage(0, 3), "got n_inputs=0, n_outputs=3"),
        (lambda: compare_storage(3, 5000), "n_outputs=5000"),
        (lambda: time_products([5000]), "from 1 to 1024"),
        (lambda: time_products([5], repeats=1), "repeats must be from 2 to 1000, got 1"),
        (lambda: judge_ratios(1, [1.0]), "at least 2 paired runs, got 1"),
    ],
)
def test_what_cannot_be_measured_is_refused(unchecked, call, rule):
    with pytest.raises(ValueError, match=rule):
        call()


@pytest.mark.parametrize("start", STARTS)
def test_H6_bins_count_every_weight_between_the_bounds_alone(start):
    bins, spread = bin_weights(start, 61, n_bins=20, seed=5), expected_spread(start, 61, 61)
    weights = STARTS_BY[start](61, 61, generator_for(5, 61)).double().flatten().tolist()
    assert len(bins) == 24
    assert (bins[2].lower, bins[-3].upper) == pytest.approx((spread.lower, spread.upper))
    for one in bins:
        assert one.share == sum(one.lower <= w < one.upper for w in weights) / 61**2
        is_inside = spread.lower < (one.lower + one.upper) / 2 < spread.upper
        assert one.expected_share == pytest.approx(1 / 20 if is_inside else 0)
    assert sum(one.share for one in bins) == pytest.approx(1)


@pytest.mark.parametrize(
    ("weight", "place"), [(0.5, 10), (0.5 + 1e-7, 10), (-0.5 - 1e-7, 1), (0.51, 11), (-0.51, 0)]
)
def test_H6_a_weight_on_its_bound_or_a_rounding_beyond_is_inside(monkeypatch, weight, place):
    monkeypatch.setitem(initial_weights.STARTS_BY, "linear", lambda *_: torch.full((4, 4), weight))
    shares = [one.share for one in bin_weights("linear", 4, n_bins=10)]
    assert shares == [float(bin_ == place) for bin_ in range(12)]


def test_H6_weights_beyond_their_bounds_stand_beside_them(monkeypatch):
    wide = torch.full((2, 2), 10.0)
    monkeypatch.setitem(initial_weights.STARTS_BY, "linear", lambda *_: wide)
    shares = [one.share for one in bin_weights("linear", 2, n_bins=10)]
    assert shares == [0] * 11 + [1.0]
