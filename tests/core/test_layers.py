"""Layers: the norm against loops, whole stacks against torch's layers with gradients, and what the drawn weights keep."""

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn
from torch.testing import assert_close

from attention_core import layers, masks
from attention_core.experiments.head_facts import attend_sentence
from attention_core.experiments.reuse import distances_by_layer
from attention_core.layers import (
    NORMS,
    Block,
    Design,
    FeedForward,
    Stack,
    draw_stack,
    dress,
    normalise,
    run_layer,
    trace_layer_head,
)
from attention_core.single_head import own_sentence, trace_single_head

B, N, D_MODEL, H = 2, 5, 12, 3
WORDS = ("the", "cat", "saw", "a", "dog")
DESIGN = {"d_model": D_MODEL, "n_heads": H}


def random(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


# The norm


def normalise_by_loops(x: list[float], gain: list[float], shift: list[float], eps: float) -> list[float]:
    mean = sum(x) / len(x)
    variance = sum((number - mean) ** 2 for number in x) / len(x)
    return [
        (number - mean) / math.sqrt(variance + eps) * g + s
        for number, g, s in zip(x, gain, shift, strict=True)
    ]


@settings(max_examples=25, deadline=None)
@given(
    rows=st.integers(1, 4), width=st.integers(1, 7), seed=st.integers(0, 99), eps=st.sampled_from([1e-5, 0.1])
)
def test_the_norm_agrees_with_the_loops_and_with_torch(rows, width, seed, eps):
    x, gain, shift = (
        random(rows, width, seed=seed),
        random(width, seed=seed + 1),
        random(width, seed=seed + 2),
    )
    found = normalise(x, gain, shift, eps)
    loops = [normalise_by_loops(row, gain.tolist(), shift.tolist(), eps) for row in x.tolist()]
    assert_close(found, torch.tensor(loops, dtype=torch.float64), rtol=1e-11, atol=1e-12)
    theirs = nn.functional.layer_norm(x, (width,), gain, shift, eps)
    assert_close(found, theirs, rtol=1e-11, atol=1e-11)


def test_a_vector_of_equal_numbers_becomes_the_shift_with_a_finite_gradient():
    x = torch.full((2, 3), 7.0, dtype=torch.float64, requires_grad=True)
    shift = torch.tensor([1.0, 2.0, 3.0], dtype=torch.float64)
    out = normalise(x, torch.ones(3, dtype=torch.float64), shift)
    assert torch.equal(out, shift.expand(2, 3))
    out.sum().backward()
    assert x.grad.isfinite().all()


# Judge: torch's layer


def torch_layers(n_layers: int, *, is_pre: bool, activation: str, bias: bool = True) -> nn.ModuleList:
    options = {"dropout": 0.0, "batch_first": True, "dtype": torch.float64, "bias": bias}
    theirs = nn.ModuleList(
        nn.TransformerEncoderLayer(D_MODEL, H, 17, norm_first=is_pre, activation=activation, **options)
        for _ in range(n_layers)
    )
    generator = torch.Generator().manual_seed(1)
    for parameter in theirs.parameters():
        nn.init.normal_(parameter, std=0.5, generator=generator)
    return theirs


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("activation", ["relu", "gelu"])
@pytest.mark.parametrize("is_causal", [False, True])
@pytest.mark.parametrize("is_pre", [False, True])
def test_a_stack_reproduces_torchs_layers_and_their_gradients(is_pre, is_causal, activation, bias):
    theirs = torch_layers(3, is_pre=is_pre, activation=activation, bias=bias)
    ours = Stack([Block.from_torch(layer) for layer in theirs])
    allowed = masks.causal(N) if is_causal else None
    xs = [random(B, N, D_MODEL).requires_grad_() for _ in range(2)]
    expected = [xs[0]]
    for layer in theirs:
        expected.append(layer(expected[-1], src_mask=None if allowed is None else ~allowed))
    trace = ours(xs[1], allowed=allowed)
    assert_close(trace.vectors, torch.stack(expected), rtol=0, atol=1e-10)
    goal = random(B, N, D_MODEL, seed=5)
    for out in (expected[-1], trace.vectors[-1]):
        (out * goal).sum().backward()
    assert_close(xs[1].grad, xs[0].grad, rtol=1e-10, atol=1e-10)
    for our, their in zip(ours.blocks, theirs, strict=True):
        assert_close(our.feed_forward.w_1.grad, their.linear1.weight.grad.T, rtol=1e-10, atol=1e-10)
        assert_close(our.attention.w_o.grad, their.self_attn.out_proj.weight.grad.T, rtol=1e-10, atol=1e-10)
        assert_close(our.gain_1.grad, their.norm1.weight.grad, rtol=1e-10, atol=1e-10)
        assert_close(our.gain_2.grad, their.norm2.weight.grad, rtol=1e-10, atol=1e-10)


def test_a_torch_layer_without_counterpart_is_refused():
    with pytest.raises(ValueError, match=r"training mode, got dropout=0\.1"):
        Block.from_torch(nn.TransformerEncoderLayer(6, 2, 5))
    with pytest.raises(ValueError, match="must be relu or gelu, got"):
        Block.from_torch(nn.TransformerEncoderLayer(6, 2, 5, dropout=0.0, activation=torch.tanh))
    assert not Block.from_torch(nn.TransformerEncoderLayer(6, 2, 5).eval()).training


# The stack by its definition


@pytest.mark.parametrize("norm", layers.NORMS)
@pytest.mark.parametrize("has_residual", [True, False])
@pytest.mark.parametrize("has_ffn", [True, False])
def test_every_step_follows_from_the_one_before(norm, has_residual, has_ffn):
    design = Design(n_layers=2, norm=norm, has_residual=has_residual, has_ffn=has_ffn, **DESIGN)
    trace = draw_stack(design, seed=3)(random(B, N, D_MODEL), allowed=masks.causal(N))
    ones, zeros = (fill(D_MODEL, dtype=torch.float64) for fill in (torch.ones, torch.zeros))

    def step(x, read, out, left):
        assert_close(read, normalise(x, ones, zeros) if norm == "pre" else x)
        total = x + out if has_residual else out
        assert_close(left, normalise(total, ones, zeros) if norm == "post" else total)

    for layer, block in enumerate(trace.blocks):
        assert torch.equal(block.x, trace.vectors[layer])
        step(block.x, block.read, block.attention.out, block.middle)
        if has_ffn:
            step(block.middle, block.middle_read, block.feed_forward.out, block.out)
        assert torch.equal(block.out, trace.vectors[layer + 1])
        assert torch.equal(block.attention.attention.weights, trace.weights[layer])
        assert torch.equal(block.attention.out, trace.attention_out[layer])
    assert (trace.ffn_out is None) is not has_ffn
    assert trace.weights.shape == (2, B, H, N, N)


def test_the_feed_forward_part_is_four_times_as_wide_and_treats_each_position_alone():
    part = draw_stack(Design(**DESIGN), seed=0).blocks[0].feed_forward
    assert tuple(part.w_1.shape) == (D_MODEL, 4 * D_MODEL)
    x = random(N, D_MODEL)
    assert_close(part(x).out[2:3], part(x[2:3]).out, rtol=1e-12, atol=1e-12)


def test_what_a_word_may_see_decides_what_it_becomes():
    design = Design(n_layers=3, **DESIGN)
    one, other = (
        dress(words, design, seed=0, allowed=masks.causal(5)).trace.vectors
        for words in (WORDS, (*WORDS[:4], "mouse"))
    )
    assert torch.equal(one[:, :4], other[:, :4])
    assert (one[:, 4] != other[:, 4]).any(dim=-1).all()


# The drawn weights


def test_a_layer_keeps_its_numbers_whatever_the_number_of_layers():
    few, many = (draw_stack(Design(n_layers=n, **DESIGN), seed=7) for n in (4, 12))
    for layer in range(4):
        kept = dict(many.blocks[layer].named_parameters())
        assert all(torch.equal(kept[name], p) for name, p in few.blocks[layer].named_parameters())
    stacks = (many, draw_stack(Design(**DESIGN), seed=8))
    first = [block.attention.w_q[0, 0].item() for stack in stacks for block in stack.blocks]
    assert len(set(first)) == len(first)


def test_nothing_is_drawn_from_the_generator_that_all_share():
    before = torch.get_rng_state()
    dress(WORDS, Design(**DESIGN), seed=0)
    assert torch.equal(torch.get_rng_state(), before)


def test_a_stack_that_a_caller_changes_is_nobody_elses():
    design = Design(**DESIGN)
    before = dress(WORDS, design, seed=0).trace.vectors
    with torch.no_grad():
        draw_stack(design, seed=0).blocks[0].attention.w_v.zero_()
    assert torch.equal(dress(WORDS, design, seed=0).trace.vectors, before)
    drawn = draw_stack(design, seed=0)(before[0]).vectors
    assert_close(drawn, before, rtol=0, atol=0)


def test_the_first_layers_heads_are_those_of_the_heads_page():
    found = dress(WORDS, Design(norm="none", **DESIGN), seed=3, positions="sinusoidal")
    heads = attend_sentence(WORDS, seed=3, d_model=D_MODEL, n_heads=H)
    assert_close(found.trace.weights[0], heads.attention.weights, rtol=1e-12, atol=1e-13)


def test_P8_bare_attention_with_residual_is_the_stack_of_the_first_page():
    sizes = {"d_model": 13, "d_k": 13, "d_v": 13}
    design = Design(n_layers=3, d_model=13, n_heads=1, norm="none", has_ffn=False)
    sentences = (WORDS, ("a", "cat", "sat"))
    one, other = (dress(words, design, seed=3, positions="none").trace.vectors for words in sentences)
    traces = [trace_single_head(own_sentence(w, seed=3, positions="none", **sizes)) for w in sentences]
    expected = distances_by_layer(*traces, 1, 1, n_layers=3, seed=3)
    assert (one[:, 1] - other[:, 1]).norm(dim=-1).tolist() == pytest.approx(expected, abs=1e-10)


@pytest.mark.parametrize("words", [(), ("cat",), ("a",) * 64])
@pytest.mark.parametrize(
    "design", [Design(12, 64, 8), Design(1, 1, 1, "post"), Design(12, 2, 2, "none", False)]
)
def test_the_smallest_and_the_largest_stay_finite(words, design):
    trace = dress(words, design, seed=0).trace
    assert trace.vectors.shape == (design.n_layers + 1, len(words), design.d_model)
    assert trace.vectors.isfinite().all()
    assert_close(trace.weights.sum(dim=-1), torch.ones(trace.weights.shape[:-1], dtype=torch.float64))


# Refusals


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        ({"n_layers": 0}, "n_layers must be a whole number from 1 to 12, got 0"),
        ({"n_layers": 13}, "n_layers must be a whole number from 1 to 12, got 13"),
        ({"n_layers": 2.5}, r"n_layers must be a whole number from 1 to 12, got 2\.5"),
        ({"d_model": 65}, "d_model must be a whole number from 1 to 64, got 65"),
        ({"n_heads": 17}, "n_heads must be a whole number from 1 to 16, got 17"),
        ({"n_heads": 3}, "multiple of n_heads, got d_model=16 and n_heads=3"),
        ({"norm": "both"}, "norm must be one of pre, post, none, got 'both'"),
        ({"activation": "tanh"}, "activation must be one of gelu, relu, got 'tanh'"),
    ],
)
@pytest.mark.usefixtures("unchecked")
def test_a_design_out_of_bounds_is_refused(broken, message):
    with pytest.raises(ValueError, match=message):
        Design(**broken)


@pytest.mark.usefixtures("unchecked")
def test_other_refusals_name_the_rule_and_what_was_got():
    one = torch.eye(2)
    with pytest.raises(ValueError, match="activation must be one of gelu, relu, got 'tanh'"):
        FeedForward(one, one[0], one, one[0], "tanh")
    with pytest.raises(ValueError, match="norm must be one of pre, post, none, got 'both'"):
        Block(draw_stack(Design(), 0).blocks[0].attention, None, norm="both", has_residual=True)
    for n in (0, 13):
        with pytest.raises(ValueError, match=f"1 to 12 layers, got {n}"):
            Stack([draw_stack(Design(), 0).blocks[0]] * n)
    with pytest.raises(ValueError, match="at most 64 tokens, got 65"):
        dress(("a",) * 65, Design(), seed=0)
    with pytest.raises(ValueError, match=r"5 queries and keys, got \(3, 3\)"):
        dress(WORDS, Design(), seed=0, allowed=masks.causal(3))


@pytest.mark.parametrize("norm", NORMS)
def test_a_head_of_a_layer_is_traced_with_the_numbers_of_the_stack(norm):
    allowed = masks.window(5, 5, 2)
    found = dress(WORDS, Design(n_layers=2, norm=norm, **DESIGN), seed=1, allowed=allowed)
    for layer in range(2):
        heads = [trace_layer_head(found, layer, head) for head in range(H)]
        for head, trace in enumerate(heads):
            assert torch.equal(trace.weights, found.trace.weights[layer, head])
            assert_close(trace.x @ trace.w_q @ (trace.x @ trace.w_k).T, trace.scores, rtol=0, atol=1e-12)
            assert_close(trace.scores / math.sqrt(D_MODEL / H), trace.scaled, rtol=0, atol=1e-12)
            assert_close(trace.weights @ (trace.x @ trace.w_v), trace.out, rtol=0, atol=1e-12)
        together = sum(trace.projected for trace in heads)
        assert_close(together, found.trace.attention_out[layer], rtol=0, atol=1e-12)
        again = run_layer(found, layer, found.trace.vectors[layer])
        assert torch.equal(again.out, found.trace.vectors[layer + 1])
    with pytest.raises(ValueError, match="layer must be from 0 to 1, got 2"):
        run_layer(found, 2, found.trace.vectors[0])
    with pytest.raises(ValueError, match="layer must be from 0 to 1, got -1"):
        trace_layer_head(found, -1, 0)
    with pytest.raises(ValueError, match="head must be from 0 to 2, got 3"):
        trace_layer_head(found, 0, 3)
