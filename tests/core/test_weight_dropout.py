"""Claim H7: dropout on the weights: one draw, many draws, both modes, and PyTorch's function beside the core."""

import itertools
import math

import pytest
import torch
from torch import nn

from attention_core.experiments.weight_dropout import (
    DROPOUT_PS,
    average_draws,
    compare_modes,
    compare_with_torch,
    draw_once,
    show_trap,
    sweep_dropout,
)
from attention_core.multi_head import MultiHeadAttention

N, M, D_K, D_V = 5, 7, 11, 13


def randn(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def weights_of(*shape):
    return randn(*shape).softmax(dim=-1)


def qkv():
    return randn(N, D_K), randn(M, D_K, seed=1), randn(M, D_V, seed=2)


# One draw


def test_H7_a_lone_weight_is_dropped_or_enlarged():
    draw = draw_once(torch.ones(2000, 1, dtype=torch.float64), 0.2)
    assert float(draw.dropped.max()) == draw.kept_factor == 1.25
    assert set(draw.dropped.unique().tolist()) == {0.0, 1.25}
    assert draw.dropped_share == pytest.approx(0.2, abs=0.04)
    assert float(draw.row_sums.mean()) == pytest.approx(1, abs=0.05)
    assert torch.equal(draw.row_sums, draw.dropped[:, 0])


@pytest.mark.parametrize("p", [0.0, 0.1, 0.25, 0.5, 0.9])
def test_H7_how_far_row_sums_stray_is_what_all_outcomes_give(p):
    row = torch.tensor([0.5, 0.375, 0.125], dtype=torch.float64)
    mean, square = 0.0, 0.0
    for kept in itertools.product((0, 1), repeat=3):
        chance = math.prod((1 - p) if one else p for one in kept)
        total = sum(float(w) * one for w, one in zip(row, kept, strict=True)) / (1 - p)
        mean += chance * total
        square += chance * total**2
    assert mean == pytest.approx(1)
    expected = math.sqrt(max(0.0, square - 1))
    assert float(draw_once(row[None], p).expected_row_std) == pytest.approx(expected, abs=1e-7)


def test_H7_a_larger_p_drops_what_a_smaller_one_did_and_its_share():
    records = sweep_dropout(weights_of(100, 100))
    assert [record.dropout_p for record in records] == list(DROPOUT_PS)
    for record in records:
        assert record.dropped_share == pytest.approx(record.dropout_p, abs=0.02)
        kept = record.dropped > 0
        exact = record.weights[kept] / (1 - record.dropout_p)
        torch.testing.assert_close(record.dropped[kept], exact, rtol=1e-14, atol=0)
    for smaller, larger in itertools.pairwise(records):
        assert bool((larger.dropped[smaller.dropped == 0] == 0).all())
    assert torch.equal(records[0].dropped, records[0].weights)


def test_H7_weights_that_a_mask_hid_are_not_counted():
    weights = torch.tensor([[1.0, 0.0, 0.0], [0.5, 0.5, 0.0]])
    assert draw_once(weights, 0.0).n_weights == 3
    assert draw_once(weights, 0.0).n_dropped == 0
    assert draw_once(weights, 0.999).n_dropped == 3
    assert draw_once(torch.zeros(1, 2), 0.5).dropped_share is None


# Many draws


@pytest.mark.parametrize("p", [0.1, 0.5, 0.9])
def test_H7_many_draws_average_to_the_undropped_weights(p):
    records = average_draws(weights_of(2, 32, 32), p)
    assert [record.draws for record in records] == [1, 10, 100, 1000]
    for record in records:
        assert record.rms_deviation == pytest.approx(record.expected_rms, rel=0.25)
    for record in records[2:]:
        assert 0 < record.largest_deviation < 5 * record.largest_std
    assert records[1].rms_deviation / records[3].rms_deviation == pytest.approx(10, rel=0.25)
    assert records[1].expected_rms / records[3].expected_rms == pytest.approx(10)


def test_H7_expected_deviation_by_hand():
    (record,) = average_draws(torch.tensor([[0.5, 0.25, 0.25]]), 0.8, [16])
    assert record.largest_std == pytest.approx(0.5 * 2 / 4)
    assert record.expected_rms == pytest.approx(math.sqrt(4 * (0.25 + 0.0625 + 0.0625) / 3 / 16))


def test_H7_a_mean_takes_the_draws_before_it_along():
    weights = weights_of(N, M)
    together, alone = average_draws(weights, 0.3, (1, 10, 250)), average_draws(weights, 0.3, (250,))
    torch.testing.assert_close(together[-1].mean, alone[0].mean, rtol=0, atol=1e-14)
    torch.testing.assert_close(together[0].mean, draw_once(weights, 0.3).dropped, rtol=0, atol=1e-15)
    assert together[0].largest_deviation == float((together[0].mean - weights).abs().max())


def test_H7_without_dropout_nothing_strays():
    for record in average_draws(weights_of(N, M), 0, (1, 100)):
        assert record.largest_deviation < 1e-15
        assert record.expected_rms == record.largest_std == 0


# Training and eval


@pytest.mark.parametrize("p", [0.1, 0.25, 0.9])
def test_H7_eval_is_the_same_twice_and_the_same_as_without_dropout(p):
    modes = compare_modes(randn(N, 12), 3, p)
    assert modes.eval_twice == modes.eval_to_undropped == 0
    assert not modes.takes_numbers_in_eval
    assert modes.train_twice > 0.01
    assert modes.train_to_undropped > 0.01
    assert modes.weights_before_dropout == 0
    assert len(modes.train_row_sums) == len(modes.eval_row_sums) == 3
    assert all(total == pytest.approx(1, abs=1e-12) for row in modes.eval_row_sums for total in row)
    assert any(abs(total - 1) > 0.01 for row in modes.train_row_sums for total in row)


def test_H7_both_modes_are_those_of_the_layer():
    x, generator = randn(N, 12), torch.Generator().manual_seed(3)
    options = {"dropout_p": 0.5, "dtype": torch.float64}
    layer = MultiHeadAttention(12, 3, generator=torch.Generator().manual_seed(3), **options).requires_grad_(
        False
    )
    first, second = (layer(x, generator=generator) for _ in range(2))
    plain, modes = layer.eval()(x), compare_modes(x, 3, 0.5, seed=3)
    assert modes.train_twice == float((first.out - second.out).abs().max())
    assert modes.train_to_undropped == float((first.out - plain.out).abs().max()) != modes.train_twice
    assert modes.train_row_sums == tuple(map(tuple, first.attention.dropped.sum(dim=-1).tolist()))
    assert modes.eval_row_sums == tuple(map(tuple, plain.attention.weights.sum(dim=-1).tolist()))


def test_H7_an_eval_mode_that_still_drops_would_be_seen(monkeypatch):
    monkeypatch.setattr(nn.Module, "eval", lambda module: module)
    modes = compare_modes(randn(N, 12), 3, 0.5)
    assert modes.takes_numbers_in_eval
    assert min(modes.eval_twice, modes.eval_to_undropped) > 0.01


def test_H7_an_eval_mode_that_is_another_layer_would_be_seen(monkeypatch):
    def forget(layer):
        layer.w_q.data.zero_()
        return layer.train(False)

    monkeypatch.setattr(nn.Module, "eval", forget)
    modes = compare_modes(randn(N, 12), 3, 0.5)
    assert modes.eval_twice == 0
    assert min(modes.eval_to_undropped, modes.weights_before_dropout) > 0.01


@pytest.mark.parametrize("n_heads", [1, 3])
def test_H7_a_lone_token_weighs_itself_and_is_dropped_or_enlarged(n_heads):
    modes = compare_modes(randn(1, 12), n_heads, 0.2)
    assert modes.eval_row_sums == ((1.0,),) * n_heads
    assert {total for row in modes.train_row_sums for total in row} <= {0.0, 1.25}


def test_H7_without_dropout_training_is_eval():
    modes = compare_modes(randn(N, 12), 3, 0)
    assert modes.train_twice == modes.train_to_undropped == 0
    assert modes.train_row_sums == modes.eval_row_sums


# PyTorch's own


@pytest.mark.parametrize("p", [0.1, 0.5])
def test_H7_torch_drops_the_same_share_and_averages_to_the_same_weights(p):
    record = compare_with_torch(*qkv(), p)
    for mean in (record.torch, record.core):
        assert mean.draws == 1000
        assert 0 < mean.largest_deviation < 5 * mean.largest_std
        assert mean.rms_deviation == pytest.approx(mean.expected_rms, rel=0.5)
    assert record.torch.expected_rms == record.core.expected_rms
    assert record.dropped_share == pytest.approx(p, abs=0.02)
    assert 0 < record.out_deviation < 1
    assert record.without_dropout < 1e-14


def test_H7_torch_is_asked_without_touching_the_generator_that_all_share():
    before = torch.get_rng_state()
    first, second = (compare_with_torch(*qkv(), 0.5, draws=20, seed=4) for _ in range(2))
    other = compare_with_torch(*qkv(), 0.5, draws=20, seed=5)
    assert torch.equal(before, torch.get_rng_state())
    assert torch.equal(first.torch.mean, second.torch.mean)
    assert not torch.equal(first.torch.mean, other.torch.mean)


def test_H7_chunks_of_torch_are_not_the_same_draws():
    once, thrice = (compare_with_torch(*qkv(), 0.5, draws=draws) for draws in (100, 300))
    assert not torch.equal(once.torch.mean, thrice.torch.mean)


def test_H7_a_p_that_is_handed_over_in_eval_still_drops():
    careless, careful = show_trap(*qkv(), 0.5)
    assert (careless.caller, careful.caller) == ("careless", "careful")
    assert careless.eval_twice > 0.01
    assert careless.eval_to_undropped > 0.01
    assert careful.eval_twice == careful.eval_to_undropped == 0
    assert careless.train_twice > 0.01
    assert careful.train_twice > 0.01
    assert careless.train_twice == careful.train_twice


def test_H7_without_dropout_there_is_no_trap():
    for trap in show_trap(*qkv(), 0):
        assert trap.eval_twice == trap.eval_to_undropped == trap.train_twice == 0


@pytest.mark.parametrize(
    ("call", "rule"),
    [
        (lambda w: draw_once(w, 1), "from 0 to below 1.*got 1"),
        (lambda w: draw_once(w, -0.1), "got -0.1"),
        (lambda w: draw_once(w, math.nan), "got nan"),
        (lambda w: average_draws(w, 1), "got 1"),
        (lambda w: average_draws(w, 0.5, []), r"ascend from 1 to at most 10000, got \(\)"),
        (lambda w: average_draws(w, 0.5, [10, 1]), r"got \(10, 1\)"),
        (lambda w: average_draws(w, 0.5, [0]), r"got \(0,\)"),
        (lambda w: average_draws(w, 0.5, [10_001]), "10001"),
        (lambda w: average_draws(w, 0.5, [1, 10_001]), r"got \(1, 10001\)"),
        (lambda w: average_draws(w.expand(8, 2, 512), 0.5, [10_000]), "10000 draws of 8192 weights"),
        (lambda w: average_draws(w[:0], 0.5), "weights to drop, got 0"),
        (lambda w: compare_modes(randn(N, 12), 3, 1), "got 1"),
        (lambda w: compare_modes(randn(N, 12), 5, 0.5), "d_model=12 and n_heads=5"),
        (lambda w: show_trap(*qkv(), 1), "got 1"),
        (lambda w: compare_with_torch(*qkv(), 1), "got 1"),
    ],
)
def test_what_cannot_be_measured_is_refused(unchecked, call, rule):
    with pytest.raises(ValueError, match=rule):
        call(torch.full((2, 1), 0.5))
