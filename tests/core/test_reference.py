"""The fast steps and the plain loops give the same numbers: every step of the trace, any small input."""

import ast
import inspect
import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.testing import assert_close

from attention_core import reference, reference_scores
from attention_core.steps import scaled_dot_product_attention

STEPS = ("scores", "scaled", "masked", "weights", "out")


def random(*shape: int, seed: int) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


@settings(max_examples=150, deadline=None)
@given(
    n=st.integers(1, 5),
    m=st.integers(1, 5),
    d_k=st.integers(1, 4),
    d_v=st.integers(1, 4),
    seed=st.integers(0, 99),
    has_mask=st.booleans(),
    has_bias=st.booleans(),
    scale=st.one_of(st.none(), st.floats(-3, 3)),
    softcap=st.one_of(st.none(), st.floats(0.1, 9)),
)
def test_every_step_agrees_with_the_loops(n, m, d_k, d_v, seed, has_mask, has_bias, scale, softcap):
    q, k, v = random(n, d_k, seed=seed), random(m, d_k, seed=seed + 1), random(m, d_v, seed=seed + 2)
    allowed = random(n, m, seed=seed + 3) > 0 if has_mask else None
    bias = random(n, m, seed=seed + 4) if has_bias else None
    if bias is not None:
        bias[random(n, m, seed=seed + 5) > 0.5] = -math.inf
    trace = scaled_dot_product_attention(q, k, v, allowed=allowed, bias=bias, scale=scale, softcap=softcap)
    expected = reference.attention(
        q.tolist(),
        k.tolist(),
        v.tolist(),
        allowed=None if allowed is None else allowed.tolist(),
        bias=None if bias is None else bias.tolist(),
        scale=scale,
        softcap=softcap,
    )
    for name in STEPS:
        ours = getattr(trace, name)
        loops = torch.tensor(getattr(expected, name), dtype=torch.float64).reshape(ours.shape)
        assert torch.allclose(ours, loops, rtol=1e-12, atol=1e-13), name


def test_heads_are_separate_attentions():
    q, k, v = random(2, 3, 5, 11, seed=1), random(2, 3, 7, 11, seed=2), random(2, 3, 7, 13, seed=3)
    trace = scaled_dot_product_attention(q, k, v)
    for b in range(2):
        for h in range(3):
            expected = reference.attention(q[b, h].tolist(), k[b, h].tolist(), v[b, h].tolist())
            loops = torch.tensor(expected.out, dtype=torch.float64)
            assert_close(trace.out[b, h], loops, rtol=1e-12, atol=1e-13)


def test_no_keys_give_no_scores_and_an_empty_blend():
    steps = reference.attention([[1.0], [2.0]], [], [])
    assert steps.scores == steps.weights == steps.out == [[], []]


def test_loops_refuse_nothing_and_know_the_empty_row():
    steps = reference.attention([[1.0]], [[1.0]], [[5.0]], allowed=[[False]])
    assert steps.weights == [[0.0]]
    assert steps.out == [[0.0]]


@pytest.mark.parametrize("number", [800.0, -800.0, 1e300])
def test_loops_do_not_overflow(number):
    assert reference.softmax([number, number]) == [0.5, 0.5]


@pytest.mark.parametrize(
    ("module", "expected"),
    [(reference, {"math", "typing"}), (reference_scores, {"math", "attention_core.reference"})],
)
def test_reference_uses_no_library(module, expected):
    imported = {
        alias.name if isinstance(node, ast.Import) else node.module
        for node in ast.walk(ast.parse(inspect.getsource(module)))
        if isinstance(node, (ast.Import, ast.ImportFrom))
        for alias in node.names
    }
    assert imported == expected
