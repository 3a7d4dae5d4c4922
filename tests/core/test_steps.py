"""The steps of attention and their composition, against numbers by hand and torch's own attention."""

import dataclasses
import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import scaled_dot_product_attention as sdpa
from torch.testing import assert_close

from attention_core import masks
from attention_core.steps import (
    cap_scores,
    drop,
    mask_scores,
    mix,
    repeat_heads,
    scale_scores,
    scaled_dot_product_attention,
    score,
    softmax_rows,
    visible_pairs,
    weigh,
)
from attention_core.trace import AttentionTrace
from benchmarks.core import inline

B, H, N, M, D_K, D_V = 2, 3, 5, 7, 11, 13
HALF_TOLERANCE = {torch.float16: 2e-3, torch.bfloat16: 2e-2}


def random(*shape: int, seed: int = 0, dtype: torch.dtype = torch.float64) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64).to(dtype)


def qkv(dtype: torch.dtype = torch.float64, lead: tuple[int, ...] = (B, H)) -> tuple[torch.Tensor, ...]:
    return (
        random(*lead, N, D_K, seed=1, dtype=dtype),
        random(*lead, M, D_K, seed=2, dtype=dtype),
        random(*lead, M, D_V, seed=3, dtype=dtype),
    )


def some_mask(*shape: int, seed: int = 4) -> torch.Tensor:
    """A random mask with no empty row."""
    mask = random(*shape, seed=seed) > 0
    mask[..., 0] = True
    return mask


def fields(trace: AttentionTrace) -> dict[str, torch.Tensor]:
    return {
        field.name: getattr(trace, field.name)
        for field in dataclasses.fields(trace)
        if getattr(trace, field.name) is not None
    }


# What the steps give, by hand


def test_score_of_a_query_and_a_key_is_their_dot_product():
    q = torch.tensor([[1.0, 2.0, -1.0]])
    k = torch.tensor([[3.0, 0.5, 1.0], [0.0, 0.0, 2.0]])
    assert score(q, k).tolist() == [[3.0, -2.0]]


def test_scale_multiplies_each_score():
    assert scale_scores(torch.tensor([[8.0, -4.0]]), 0.25).tolist() == [[2.0, -1.0]]


def test_softcap_bends_scores_below_its_bound_and_hardly_moves_small_ones():
    capped = cap_scores(torch.tensor([[0.001, 3.0, 1e6]], dtype=torch.float64), 2.0)
    assert_close(
        capped, torch.tensor([[0.001, 2 * math.tanh(1.5), 2.0]], dtype=torch.float64), rtol=1e-6, atol=0
    )


def test_no_softcap_leaves_the_scores():
    scaled = random(N, M)
    assert cap_scores(scaled, None) is scaled


def test_masked_weights_are_those_of_the_kept_scores_alone():
    scaled = torch.tensor([[0.43, -0.21, 0.99, 0.32, -0.35, 0.04]], dtype=torch.float64)
    allowed = torch.tensor([[True, True, True, False, False, False]])
    weights = weigh(scaled, allowed)
    expected = torch.tensor([[0.305067, 0.160860, 0.534073, 0, 0, 0]], dtype=torch.float64)
    assert_close(weights, expected, rtol=0, atol=1e-6)
    assert weights[0, 3:].tolist() == [0.0, 0.0, 0.0]


def test_softmax_runs_over_the_keys():
    weights = weigh(torch.tensor([[1.0, 2.0, 3.0], [0.0, 0.0, 0.0]], dtype=torch.float64))
    expected = torch.tensor([[0.0900306, 0.2447285, 0.6652410], [1 / 3, 1 / 3, 1 / 3]], dtype=torch.float64)
    assert_close(weights, expected, rtol=0, atol=1e-7)


def test_softmax_does_not_overflow():
    weights = weigh(torch.tensor([[151.29, 150.29], [10_000.0, 0.0]]))
    assert_close(weights, torch.tensor([[0.731059, 0.268941], [1.0, 0.0]]), rtol=0, atol=1e-5)


def test_hidden_pair_is_minus_infinity_whatever_its_score():
    scaled = torch.tensor([[math.inf, math.nan, 1.0]])
    allowed = torch.tensor([[False, False, True]])
    bias = torch.tensor([[-math.inf, -math.inf, 0.5]])
    assert mask_scores(scaled, allowed).tolist() == [[-math.inf, -math.inf, 1.0]]
    assert mask_scores(scaled, None, bias).tolist() == [[-math.inf, -math.inf, 1.5]]


def test_pair_is_visible_only_where_mask_and_bias_let_it():
    allowed = torch.tensor([[True, True, False, False]])
    bias = torch.tensor([[0.0, -math.inf, 0.0, -math.inf]])
    assert visible_pairs(allowed, bias).tolist() == [[True, False, False, False]]
    assert visible_pairs(None, bias).tolist() == [[True, False, True, False]]
    assert visible_pairs(allowed, None) is allowed
    assert visible_pairs(None, None) is None


def test_mix_is_the_weighted_sum_of_values():
    weights = torch.tensor([[0.2, 0.5, 0.3]], dtype=torch.float64)
    v = torch.tensor([[0.1, 0.2], [0.3, -0.1], [-0.2, 0.4]], dtype=torch.float64)
    assert_close(mix(weights, v), torch.tensor([[0.11, 0.11]], dtype=torch.float64), rtol=1e-12, atol=0)


def test_kv_heads_are_repeated_side_by_side():
    heads = torch.tensor([[[1.0]], [[2.0]], [[3.0]]])
    assert repeat_heads(heads, 2).flatten().tolist() == [1, 1, 2, 2, 3, 3]


# The whole, by hand


def test_three_words_of_width_two():
    q = k = torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], dtype=torch.float64)
    v = torch.tensor([[1.0, 0.0], [0.0, 1.0], [0.5, 0.5]], dtype=torch.float64)
    trace = scaled_dot_product_attention(q, k, v)
    assert trace.scores[0].tolist() == [1, 0, 1]
    expected = torch.tensor([0.707, 0.0, 0.707], dtype=torch.float64)
    assert_close(trace.scaled[0], expected, rtol=0, atol=5e-4)
    rows = [[0.401, 0.198, 0.401], [0.198, 0.401, 0.401], [0.248, 0.248, 0.503]]
    assert_close(trace.weights, torch.tensor(rows, dtype=torch.float64), rtol=0, atol=5e-4)
    out = [[0.602, 0.398], [0.398, 0.602], [0.5, 0.5]]
    assert_close(trace.out, torch.tensor(out, dtype=torch.float64), rtol=0, atol=5e-4)


def test_three_words_under_a_causal_mask():
    q = k = torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], dtype=torch.float64)
    v = torch.tensor([[1.0, 0.0], [0.0, 1.0], [0.5, 0.5]], dtype=torch.float64)
    trace = scaled_dot_product_attention(q, k, v, allowed=masks.causal(3))
    assert trace.weights[0].tolist() == [1, 0, 0]
    assert_close(trace.weights[1], torch.tensor([0.330, 0.670, 0], dtype=torch.float64), rtol=0, atol=5e-4)
    assert trace.out[0].tolist() == [1, 0]


def test_scale_is_of_the_key_width_not_of_the_model_width():
    q = torch.ones(4, 1, 4, dtype=torch.float64)
    k = torch.stack([torch.ones(4, 4), torch.zeros(4, 4)], dim=1).double()
    weights = scaled_dot_product_attention(q, k, k).weights
    assert_close(weights[0, 0], torch.tensor([0.880797, 0.119203], dtype=torch.float64), rtol=0, atol=1e-6)


def test_query_that_sees_nothing_gets_exact_zeros():
    q = k = torch.zeros(3, 2, dtype=torch.float64)
    v = torch.tensor([[1.0, 0.0], [0.0, 1.0], [4.0, 4.0]], dtype=torch.float64)
    allowed = torch.tensor([[True, True, True], [False, False, False], [True, False, True]])
    trace = scaled_dot_product_attention(q, k, v, allowed=allowed)
    third = 1 / 3
    assert_close(
        trace.weights,
        torch.tensor([[third, third, third], [0, 0, 0], [0.5, 0, 0.5]], dtype=torch.float64),
        rtol=1e-12,
        atol=0,
    )
    assert trace.weights[1].tolist() == [0, 0, 0]
    assert trace.out[1].tolist() == [0, 0]
    assert_close(trace.out[2], torch.tensor([2.5, 2.0], dtype=torch.float64), rtol=1e-12, atol=0)
    assert trace.masked[1].tolist() == [-math.inf] * 3


def test_huge_scores_do_not_leak_through_a_mask():
    q = torch.ones(2, 1, dtype=torch.float64)
    k = torch.tensor([[0.0], [2e10]], dtype=torch.float64)
    v = torch.tensor([[2.0], [10.0]], dtype=torch.float64)
    causal = masks.causal(2)
    bias = torch.zeros(2, 2, dtype=torch.float64).masked_fill(~causal, -math.inf)
    for kind in ({"allowed": causal}, {"bias": bias}, {"allowed": causal, "bias": bias}):
        assert scaled_dot_product_attention(q, k, v, scale=1.0, **kind).out.tolist() == [[2.0], [10.0]]


def test_hidden_key_stays_hidden_when_the_visible_score_is_hugely_negative():
    q, k = torch.ones(1, 1), torch.tensor([[-2e10], [0.0]])
    allowed = torch.tensor([[True, False]])
    assert scaled_dot_product_attention(q, k, k, allowed=allowed).weights.tolist() == [[1.0, 0.0]]


def test_cross_attention_uses_the_mask_of_the_source():
    q, k = torch.zeros(1, 2, 1), torch.zeros(1, 3, 1)
    v = torch.tensor([[[1.0], [3.0], [100.0]]])
    allowed = masks.padding([2], n_keys=3)
    assert scaled_dot_product_attention(q, k, v, allowed=allowed).out.tolist() == [[[2.0], [2.0]]]


def test_causal_and_padding_hide_together_and_alone():
    q = k = torch.zeros(1, 2, 1)
    v = torch.tensor([[[1.0], [3.0]]])
    causal, padded = masks.causal(2), masks.padding([1], n_keys=2)
    outs = [
        scaled_dot_product_attention(q, k, v, allowed=allowed).out.flatten().tolist()
        for allowed in (None, causal, padded, masks.both(causal, padded))
    ]
    assert outs == [[2, 2], [1, 2], [1, 1], [1, 1]]


def test_softcap_comes_before_bias_and_mask():
    q = torch.tensor([[1.0]], dtype=torch.float64)
    k = torch.tensor([[100.0], [0.0], [50.0]], dtype=torch.float64)
    v = torch.eye(3, dtype=torch.float64)
    bias = torch.tensor([[-3.0, 4.0, 0.0]], dtype=torch.float64)
    allowed = torch.tensor([[True, True, False]])
    trace = scaled_dot_product_attention(q, k, v, scale=1.0, softcap=2.0, bias=bias, allowed=allowed)
    assert_close(trace.scaled, torch.tensor([[2.0, 0.0, 2.0]], dtype=torch.float64), rtol=1e-12, atol=0)
    assert_close(trace.masked[0, :2], torch.tensor([-1.0, 4.0], dtype=torch.float64), rtol=1e-12, atol=0)
    assert trace.masked[0, 2] == -math.inf


# Relations that hold for every input


def test_rows_of_weights_sum_to_one_or_to_exactly_zero():
    q, k, v = qkv()
    allowed = random(B, H, N, M, seed=5) > 0.9
    allowed[0, 0, 0] = False
    sums = scaled_dot_product_attention(q, k, v, allowed=allowed).weights.sum(dim=-1)
    sees_nothing = ~allowed.any(dim=-1)
    assert sees_nothing.any()
    assert not sees_nothing.all()
    assert_close(sums, (~sees_nothing).double(), rtol=1e-14, atol=0)
    assert (sums[sees_nothing] == 0).all()


@pytest.mark.parametrize("kind", ["allowed", "bias"])
def test_output_does_not_move_when_a_hidden_key_changes(kind):
    q, k, v = qkv()
    causal = masks.causal(N, M)
    bias = torch.zeros(N, M, dtype=torch.float64).masked_fill(~causal, -math.inf)
    mask = {"allowed": causal} if kind == "allowed" else {"bias": bias}
    before = scaled_dot_product_attention(q, k, v, **mask).out
    k[..., -1, :], v[..., -1, :] = 1e4, -1e4
    after = scaled_dot_product_attention(q, k, v, **mask).out
    assert torch.equal(before[..., :-1, :], after[..., :-1, :])
    assert not torch.allclose(before[..., -1, :], after[..., -1, :])


def test_decoding_one_query_at_a_time_equals_the_full_pass():
    x = random(B, H, N, D_K)
    full = scaled_dot_product_attention(x, x, x, allowed=masks.causal(N)).out
    for n in range(N):
        seen = x[..., : n + 1, :]
        query = x[..., n : n + 1, :]
        step = scaled_dot_product_attention(query, seen, seen, allowed=masks.causal(1, n + 1)).out
        assert_close(step[..., 0, :], full[..., n, :], rtol=1e-12, atol=1e-12)


def test_one_query_at_the_end_of_three_keys_sees_them_all():
    q, k, v = torch.zeros(1, 1), torch.zeros(3, 1), torch.tensor([[3.0, 0.0], [0.0, 3.0], [6.0, 6.0]])
    assert scaled_dot_product_attention(q, k, v, allowed=masks.causal(1, 3)).out.tolist() == [[3.0, 3.0]]


def test_more_queries_than_keys_leave_the_first_queries_empty():
    q, k, v = torch.zeros(4, 1), torch.zeros(2, 1), torch.eye(2)
    out = scaled_dot_product_attention(q, k, v, allowed=masks.causal(4, 2)).out
    assert out.tolist() == [[0, 0], [0, 0], [1, 0], [0.5, 0.5]]


def test_inputs_are_never_changed():
    q, k, v = qkv()
    allowed, bias = some_mask(N, M), random(N, M, seed=6)
    bias[0, 1] = -math.inf
    before = [x.clone() for x in (q, k, v, allowed, bias)]
    trace = scaled_dot_product_attention(
        q, k, v, allowed=allowed, bias=bias, softcap=3.0, dropout_p=0.5, generator=torch.Generator()
    )
    for x in fields(trace).values():
        x.fill_(math.nan)
    for now, then in zip((q, k, v, allowed, bias), before, strict=True):
        assert torch.equal(now, then)


def test_mask_of_one_row_serves_every_query_and_head():
    q, k, v = qkv()
    row = some_mask(1, M)
    wide = scaled_dot_product_attention(q, k, v, allowed=row.expand(B, H, N, M))
    assert torch.equal(scaled_dot_product_attention(q, k, v, allowed=row).out, wide.out)


@pytest.mark.parametrize(
    "shape", [(N, M), (1, M), (N, 1), (1, 1), (1, N, M), (H, 1, M), (B, 1, N, M), (B, H, N, M)]
)
def test_masks_and_biases_broadcast_like_torch(shape):
    q, k, v = qkv()
    allowed, bias = some_mask(*shape), random(*shape, seed=7)
    expected = sdpa(q, k, v, attn_mask=allowed.expand(B, H, N, M))
    assert_close(scaled_dot_product_attention(q, k, v, allowed=allowed).out, expected, rtol=1e-12, atol=1e-12)
    expected = sdpa(q, k, v, attn_mask=bias.expand(B, H, N, M))
    assert_close(scaled_dot_product_attention(q, k, v, bias=bias).out, expected, rtol=1e-12, atol=1e-12)


def test_mask_and_bias_of_different_shapes_work_together():
    q, k, v = qkv()
    allowed, bias = some_mask(B, 1, 1, M), random(H, N, 1, seed=7)
    both = bias.expand(B, H, N, M).masked_fill(~allowed, -math.inf)
    expected = sdpa(q, k, v, attn_mask=both)
    trace = scaled_dot_product_attention(q, k, v, allowed=allowed, bias=bias)
    assert_close(trace.out, expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("lead", [(), (B,), (B, H), (2, 3, 1, 2)])
def test_any_number_of_leading_axes(lead):
    q, k, v = qkv(lead=lead)
    trace = scaled_dot_product_attention(q, k, v)
    assert trace.weights.shape == (*lead, N, M)
    assert_close(trace.out, sdpa(q, k, v), rtol=1e-12, atol=1e-12)


# Judges: torch's own attention


@pytest.mark.parametrize("backend", ["math", "default"])
@pytest.mark.parametrize("mask", ["none", "causal", "bool", "float", "empty row"])
def test_agrees_with_torch_in_float32(backend, mask):
    q, k, v = qkv(torch.float32)
    ours, theirs = {}, {}
    if mask == "causal":
        ours, theirs = {"allowed": masks.causal(N, M, offset=0)}, {"is_causal": True}
    elif mask == "bool":
        ours = {"allowed": some_mask(B, H, N, M)}
        theirs = {"attn_mask": ours["allowed"]}
    elif mask == "float":
        ours = {"bias": random(B, H, N, M, seed=8, dtype=torch.float32)}
        theirs = {"attn_mask": ours["bias"]}
    elif mask == "empty row":
        ours = {"allowed": some_mask(N, M)}
        ours["allowed"][2] = False
        theirs = {"attn_mask": ours["allowed"]}
    trace = scaled_dot_product_attention(q, k, v, **ours)
    if backend == "math":
        with sdpa_kernel(SDPBackend.MATH):
            expected = sdpa(q, k, v, **theirs)
    else:
        expected = sdpa(q, k, v, **theirs)
    assert_close(trace.out, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("scale", [0.0, 1, -0.3, 2.5])
def test_scale_is_used_as_torch_uses_it(scale):
    q, k, v = qkv()
    expected = sdpa(q, k, v, scale=float(scale))
    assert_close(scaled_dot_product_attention(q, k, v, scale=scale).out, expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("n_kv_heads", [1, 2, 3, 6])
def test_grouped_heads_agree_with_torch(n_kv_heads):
    q = random(B, 6, N, D_K, seed=1)
    k, v = random(B, n_kv_heads, M, D_K, seed=2), random(B, n_kv_heads, M, D_V, seed=3)
    expected = sdpa(q, k, v, enable_gqa=True)
    trace = scaled_dot_product_attention(q, k, v)
    assert trace.weights.shape == (B, 6, N, M)
    assert_close(trace.out, expected, rtol=1e-12, atol=1e-12)


def test_changing_the_second_kv_head_moves_the_last_query_heads_only():
    q, k, v = random(1, 4, N, D_K), random(1, 2, M, D_K, seed=2), random(1, 2, M, D_V, seed=3)
    before = scaled_dot_product_attention(q, k, v).out
    v[:, 1] = 100
    after = scaled_dot_product_attention(q, k, v).out
    assert (before != after).flatten(2).any(dim=-1).tolist() == [[False, False, True, True]]


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_half_precision_records_wide_scores_and_agrees_with_torch(dtype):
    q, k, v = qkv(dtype)
    trace = scaled_dot_product_attention(q, k, v, allowed=masks.causal(N, M), softcap=30.0)
    assert {trace.scores.dtype, trace.scaled.dtype, trace.masked.dtype} == {torch.float32}
    assert {trace.weights.dtype, trace.out.dtype} == {dtype}
    wide = scaled_dot_product_attention(
        q.double(), k.double(), v.double(), allowed=masks.causal(N, M), softcap=30
    )
    tolerance = HALF_TOLERANCE[dtype]
    assert_close(trace.out.double(), wide.out, rtol=tolerance, atol=tolerance)
    plain = scaled_dot_product_attention(q, k, v)
    assert_close(plain.out, sdpa(q, k, v), rtol=tolerance, atol=tolerance)


def test_half_precision_scores_do_not_overflow():
    q = k = torch.full((1, 64), 40.0, dtype=torch.float16)
    trace = scaled_dot_product_attention(q, k, k)
    assert trace.scores.item() == 64 * 1600
    assert trace.scaled.item() == 12_800
    assert trace.out.isfinite().all()


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_half_precision_handles_every_mask_and_the_empty_row(dtype):
    q, k, v = qkv(dtype)
    allowed = some_mask(N, M)
    allowed[1] = False
    bias = torch.zeros(N, M, dtype=dtype).masked_fill(~allowed, -math.inf)
    for mask in ({"allowed": allowed}, {"bias": bias}, {"allowed": allowed, "bias": bias}):
        trace = scaled_dot_product_attention(q, k, v, **mask)
        assert (trace.weights[..., ~allowed] == 0).all()
        assert (trace.out[..., 1, :] == 0).all()
        assert trace.out.isfinite().all()
        assert trace.masked.dtype == torch.float32


# Gradients


def leaves(*tensors: torch.Tensor) -> list[torch.Tensor]:
    return [x.clone().requires_grad_() for x in tensors]


@pytest.mark.filterwarnings("ignore:Anomaly Detection has been enabled")
@pytest.mark.parametrize("kind", ["allowed", "bias", "both"])
def test_query_that_sees_nothing_gets_zero_and_a_finite_gradient(kind):
    q, k, v = leaves(*qkv())
    allowed = some_mask(N, M)
    allowed[2] = False
    bias = random(N, M, seed=9).masked_fill(~allowed, -math.inf).requires_grad_()
    mask = {"allowed": {"allowed": allowed}, "bias": {"bias": bias}}.get(
        kind, {"allowed": allowed, "bias": bias}
    )
    trace = scaled_dot_product_attention(q, k, v, **mask)
    for x in (trace.scores, trace.scaled, trace.masked, trace.weights):
        x.retain_grad()
    with torch.autograd.detect_anomaly(check_nan=True):
        trace.out.square().sum().backward()
    assert (trace.out[..., 2, :] == 0).all()
    assert (q.grad[..., 2, :] == 0).all()
    for x in (q, k, v, trace.scores, trace.scaled, trace.masked, trace.weights):
        assert x.grad.isfinite().all()
    if kind != "allowed":
        assert bias.grad.isfinite().all()
        assert (bias.grad[~allowed] == 0).all()


def test_gradient_of_the_other_queries_is_that_without_the_empty_one():
    q, k, v = leaves(*qkv())
    allowed = some_mask(N, M)
    allowed[2] = False
    live = [n for n in range(N) if n != 2]
    scaled_dot_product_attention(q, k, v, allowed=allowed).out.square().sum().backward()
    q2, k2, v2 = leaves(q.detach()[..., live, :], k.detach(), v.detach())
    scaled_dot_product_attention(q2, k2, v2, allowed=allowed[live]).out.square().sum().backward()
    assert_close(q.grad[..., live, :], q2.grad, rtol=1e-12, atol=1e-12)
    assert_close(k.grad, k2.grad, rtol=1e-12, atol=1e-12)
    assert_close(v.grad, v2.grad, rtol=1e-12, atol=1e-12)


def test_loss_that_ignores_the_empty_query_has_a_finite_gradient():
    p = torch.ones((), dtype=torch.float64, requires_grad=True)
    bias = torch.tensor([[0, -math.inf, 0], [-math.inf] * 3], dtype=torch.float64)
    q, k = p * torch.ones(2, 1, dtype=torch.float64), torch.ones(3, 1, dtype=torch.float64)
    weights = scaled_dot_product_attention(q, k, k, bias=bias).weights
    weights[0, 0].backward()
    assert p.grad == 0


@pytest.mark.parametrize("mask", ["none", "causal", "bias"])
def test_gradients_agree_with_torch(mask):
    q, k, v = leaves(*qkv())
    q2, k2, v2 = leaves(q.detach(), k.detach(), v.detach())
    allowed, bias = masks.causal(N, M), random(H, N, M, seed=10)
    ours = {"none": {}, "causal": {"allowed": allowed}, "bias": {"bias": bias}}[mask]
    theirs = {"none": {}, "causal": {"attn_mask": allowed}, "bias": {"attn_mask": bias.expand(B, H, N, M)}}[
        mask
    ]
    scaled_dot_product_attention(q, k, v, **ours).out.square().sum().backward()
    sdpa(q2, k2, v2, **theirs).square().sum().backward()
    for ours_x, theirs_x in ((q, q2), (k, k2), (v, v2)):
        assert_close(ours_x.grad, theirs_x.grad, rtol=1e-11, atol=1e-12)


def test_gradients_agree_with_finite_differences():
    q, k, v = leaves(random(1, 2, 3, 2), random(1, 1, 5, 2, seed=2), random(1, 1, 5, 3, seed=3))
    q, k, v = (x.unsqueeze(0) for x in (q[0], k[0], v[0]))
    allowed = masks.causal(3, 5, offset=-1)
    bias = random(3, 5, seed=11).requires_grad_()

    def out(q, k, v, bias):
        return scaled_dot_product_attention(q, k, v, allowed=allowed, bias=bias, softcap=2.0).out

    assert torch.autograd.gradcheck(out, [x.detach().requires_grad_() for x in (q, k, v)] + [bias])


# Dropout


def generator(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def test_trace_shows_weights_before_dropout_and_what_the_values_were_mixed_with():
    q, k, v = qkv()
    plain = scaled_dot_product_attention(q, k, v)
    trace = scaled_dot_product_attention(q, k, v, dropout_p=0.2, generator=generator())
    assert torch.equal(trace.weights, plain.weights)
    kept = trace.dropped != 0
    assert 0 < (~kept).double().mean() < 0.5
    assert_close(trace.dropped[kept], (trace.weights / 0.8)[kept], rtol=1e-12, atol=0)
    assert_close(trace.out, trace.dropped @ v, rtol=1e-12, atol=1e-12)


def test_no_dropout_leaves_no_record_of_it():
    assert scaled_dot_product_attention(*qkv()).dropped is None


def test_dropout_keeps_the_mean_of_the_weights():
    one = torch.ones(1, 1, dtype=torch.float64)
    source = generator(3)
    shown = torch.stack([drop(one, 0.2, source) for _ in range(4000)])
    assert set(shown.unique().tolist()) == {0.0, 1.25}
    assert abs(shown.mean().item() - 1) < 0.03  # four standard errors of 0.5 / √4000


def test_dropping_everything_gives_zeros_and_no_nan():
    q, k, v = leaves(*qkv())
    trace = scaled_dot_product_attention(q, k, v, dropout_p=1, generator=generator())
    assert (trace.dropped == 0).all()
    assert (trace.out == 0).all()
    trace.out.sum().backward()
    assert all(x.grad.isfinite().all() for x in (q, k, v))


def test_dropout_follows_its_generator_and_no_other():
    q, k, v = qkv()
    first = scaled_dot_product_attention(q, k, v, dropout_p=0.5, generator=generator(5)).out
    torch.manual_seed(1)
    state = torch.get_rng_state()
    again = scaled_dot_product_attention(q, k, v, dropout_p=0.5, generator=generator(5)).out
    other = scaled_dot_product_attention(q, k, v, dropout_p=0.5, generator=generator(6)).out
    assert torch.equal(first, again)
    assert not torch.equal(first, other)
    assert torch.equal(state, torch.get_rng_state())


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32])
def test_dropout_keeps_the_type(dtype):
    trace = scaled_dot_product_attention(*qkv(dtype), dropout_p=0.5, generator=generator())
    assert trace.dropped.dtype == trace.out.dtype == dtype


# Empty sizes and meta tensors


@pytest.mark.parametrize("mask", ["none", "allowed", "bias", "both"])
@pytest.mark.parametrize(
    ("lead", "n", "m"),
    [((0, H), N, M), ((B, 0), N, M), ((B, H), 0, M), ((B, H), N, 0), ((B, H), 0, 0), ((), N, 0)],
)
def test_empty_sizes_give_empty_or_zero_results(lead, n, m, mask):
    q, k, v = torch.ones(*lead, n, D_K), torch.ones(*lead, m, D_K), torch.ones(*lead, m, D_V)
    given = {}
    if mask in ("allowed", "both"):
        given["allowed"] = masks.causal(n, m)
    if mask in ("bias", "both"):
        given["bias"] = torch.zeros(1, m)
    for x in (q, k, v):
        x.requires_grad_()
    trace = scaled_dot_product_attention(q, k, v, **given)
    assert trace.weights.shape == trace.masked.shape == (*lead, n, m)
    assert trace.out.shape == (*lead, n, D_V)
    if m == 0:
        assert (trace.out == 0).all()
    trace.out.sum().backward()
    assert q.grad.isfinite().all()


def test_values_of_width_zero_give_outputs_of_width_zero():
    assert scaled_dot_product_attention(
        torch.ones(N, D_K), torch.ones(M, D_K), torch.ones(M, 0)
    ).out.shape == (N, 0)


def test_keys_of_width_zero_are_weighed_alike_when_a_scale_is_given():
    trace = scaled_dot_product_attention(torch.ones(2, 0), torch.ones(4, 0), torch.eye(4), scale=1.0)
    assert trace.weights.tolist() == [[0.25] * 4] * 2


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16, torch.float16])
def test_runs_on_meta_tensors(dtype):
    shape = {"dtype": dtype, "device": "meta"}
    q = torch.empty(B, 6, N, D_K, **shape, requires_grad=True)
    k, v = torch.empty(B, 3, M, D_K, **shape), torch.empty(B, 3, M, D_V, **shape)
    allowed, bias = masks.causal(N, M, device="meta"), torch.zeros(N, M, **shape)
    trace = scaled_dot_product_attention(q, k, v, allowed=allowed, bias=bias, softcap=2.0)
    assert trace.out.device.type == "meta"
    assert trace.weights.shape == (B, 6, N, M)
    assert trace.out.shape == (B, 6, N, D_V)


def test_transposed_and_expanded_inputs_give_the_same():
    q, k, v = qkv()
    laid_out = [x.transpose(-1, -2).contiguous().transpose(-1, -2) for x in (q, k, v)]
    assert_close(
        scaled_dot_product_attention(*laid_out).out,
        scaled_dot_product_attention(q, k, v).out,
        rtol=1e-13,
        atol=1e-13,
    )
    shared = k[:1, :1].expand(B, H, M, D_K)
    assert scaled_dot_product_attention(q, shared, v).out.isfinite().all()


# What a user can get wrong


def zeros(*shape: int, **kind) -> torch.Tensor:
    return torch.zeros(*shape, **kind)


WRONG = {
    "widths of q and k": (lambda: (zeros(5, 11), zeros(7, 13), zeros(7, 13)), {}, "11.*13"),
    "a value for each key": (lambda: (zeros(5, 11), zeros(7, 11), zeros(6, 13)), {}, "7 keys.*6 values"),
    "one axis": (lambda: (zeros(11), zeros(7, 11), zeros(7, 13)), {}, r"two axes.*\(11,\)"),
    "no axis": (lambda: (zeros(5, 11), zeros(7, 11), torch.tensor(0.0)), {}, r"two axes.*\(\)"),
    "type of k": (
        lambda: (zeros(5, 2), zeros(7, 2, dtype=torch.float64), zeros(7, 2)),
        {},
        "float32.*float64",
    ),
    "type of v": (lambda: (zeros(5, 2), zeros(7, 2), zeros(7, 2).half()), {}, "float32.*float16"),
    "integers": (lambda: [zeros(5, 2, dtype=torch.int64)] * 3, {}, "float64, float32.*int64"),
    "complex": (lambda: [zeros(5, 2, dtype=torch.complex64)] * 3, {}, "float64, float32.*complex64"),
    "a list": (lambda: ([[1.0]], zeros(1, 1), zeros(1, 1)), {}, "torch.Tensor.*list"),
    "an array": (lambda: (zeros(1, 1), zeros(1, 1).numpy(), zeros(1, 1)), {}, "torch.Tensor.*ndarray"),
    "place of k": (lambda: (zeros(5, 2), zeros(7, 2, device="meta"), zeros(7, 2)), {}, "cpu.*meta"),
    "batches of q and k": (lambda: (zeros(2, 5, 11), zeros(3, 7, 11), zeros(3, 7, 13)), {}, r"\[2\].*\[3\]"),
    "leading axes of k and v": (
        lambda: (zeros(2, 5, 11), zeros(2, 7, 11), zeros(3, 7, 13)),
        {},
        r"\(2,\).*\(3,\)",
    ),
    "number of leading axes": (
        lambda: (zeros(2, 3, 5, 11), zeros(3, 7, 11), zeros(3, 7, 13)),
        {},
        r"\[2, 3\].*\[3\]",
    ),
    "heads that could broadcast": (
        lambda: (zeros(4, 5, 11), zeros(2, 7, 11), zeros(2, 7, 13)),
        {},
        r"\[4\].*\[2\]",
    ),
    "batch that could broadcast": (
        lambda: (zeros(2, 3, 5, 11), zeros(1, 3, 7, 11), zeros(1, 3, 7, 13)),
        {},
        r"\[2, 3\].*\[1, 3\]",
    ),
    "batch and heads": (
        lambda: (zeros(2, 4, 5, 11), zeros(1, 2, 7, 11), zeros(1, 2, 7, 13)),
        {},
        r"\[2, 4\].*\[1, 2\]",
    ),
    "heads not a multiple": (
        lambda: (zeros(2, 3, 5, 11), zeros(2, 2, 7, 11), zeros(2, 2, 7, 13)),
        {},
        "3 query heads.*2 key/value heads",
    ),
    "fewer query heads": (
        lambda: (zeros(2, 2, 5, 11), zeros(2, 4, 7, 11), zeros(2, 4, 7, 13)),
        {},
        "2 query heads.*4 key/value heads",
    ),
    "no key/value heads": (
        lambda: (zeros(2, 3, 5, 11), zeros(2, 0, 7, 11), zeros(2, 0, 7, 13)),
        {},
        "3 query heads.*0 key/value heads",
    ),
    "heads of k and v": (
        lambda: (zeros(2, 4, 5, 11), zeros(2, 2, 7, 11), zeros(2, 4, 7, 13)),
        {},
        r"\(2, 2\).*\(2, 4\)",
    ),
    "no width": (lambda: (zeros(5, 0), zeros(7, 0), zeros(7, 13)), {}, "d_k ≥ 1.*d_k=0"),
    "integer mask": (None, {"allowed": torch.ones(5, 7, dtype=torch.int64)}, "bool.*int64"),
    "float mask": (None, {"allowed": torch.ones(5, 7)}, "bool.*bias.*float32"),
    "list as mask": (None, {"allowed": [[True]]}, "torch.Tensor.*list"),
    "mask with one axis": (None, {"allowed": torch.ones(7, dtype=torch.bool)}, r"two axes.*\(7,\).*\(5, 7\)"),
    "mask with no axis": (None, {"allowed": torch.tensor(True)}, r"two axes.*\(\).*\(5, 7\)"),
    "mask too wide": (None, {"allowed": torch.ones(5, 8, dtype=torch.bool)}, r"\(5, 8\).*\(5, 7\)"),
    "mask turned": (None, {"allowed": torch.ones(7, 5, dtype=torch.bool)}, r"\(7, 5\).*\(5, 7\)"),
    "mask with more axes": (
        None,
        {"allowed": torch.ones(1, 5, 7, dtype=torch.bool)},
        r"\(1, 5, 7\).*\(5, 7\)",
    ),
    "empty mask": (None, {"allowed": torch.ones(0, 7, dtype=torch.bool)}, r"\(0, 7\).*\(5, 7\)"),
    "mask elsewhere": (None, {"allowed": torch.ones(5, 7, dtype=torch.bool, device="meta")}, "cpu.*meta"),
    "bool as bias": (None, {"bias": torch.ones(5, 7, dtype=torch.bool)}, "float32.*bool"),
    "bias of another type": (None, {"bias": torch.zeros(5, 7, dtype=torch.float64)}, "float32.*float64"),
    "bias with one axis": (None, {"bias": torch.zeros(7)}, r"two axes.*\(7,\).*\(5, 7\)"),
    "bias too long": (None, {"bias": torch.zeros(6, 7)}, r"\(6, 7\).*\(5, 7\)"),
    "infinite scale": (None, {"scale": math.inf}, "finite.*inf"),
    "scale not a number": (None, {"scale": math.nan}, "finite.*nan"),
    "softcap of zero": (None, {"softcap": 0.0}, "softcap.*above 0.*0.0"),
    "softcap below zero": (None, {"softcap": -1.0}, "softcap.*above 0.*-1.0"),
    "infinite softcap": (None, {"softcap": math.inf}, "softcap.*inf"),
    "dropout below zero": (None, {"dropout_p": -0.1}, "dropout_p.*0 and 1.*-0.1"),
    "dropout above one": (
        None,
        {"dropout_p": 1.1, "generator": torch.Generator()},
        "dropout_p.*0 and 1.*1.1",
    ),
    "dropout not a number": (None, {"dropout_p": math.nan}, "dropout_p.*0 and 1.*nan"),
    "dropout without generator": (None, {"dropout_p": 0.1}, "dropout_p=0.1.*generator.*None"),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_input_is_refused_with_the_rule_and_both_values(case, unchecked):
    tensors, options, message = WRONG[case]
    q, k, v = (zeros(5, 11), zeros(7, 11), zeros(7, 13)) if tensors is None else tensors()
    with pytest.raises(ValueError, match=message):
        scaled_dot_product_attention(q, k, v, **options)


def test_a_mask_for_key_value_heads_is_refused_where_heads_are_grouped(unchecked):
    allowed = torch.ones(2, 2, 5, 7, dtype=torch.bool)
    with pytest.raises(ValueError, match=r"\(2, 2, 5, 7\).*\(2, 4, 5, 7\)"):
        scaled_dot_product_attention(
            zeros(2, 4, 5, 11), zeros(2, 2, 7, 11), zeros(2, 2, 7, 13), allowed=allowed
        )


# Any shape that is legal


@settings(max_examples=60, deadline=None)
@given(
    lead=st.lists(st.integers(0, 3), max_size=3),
    n=st.integers(0, 5),
    m=st.integers(0, 5),
    d_k=st.integers(1, 4),
    d_v=st.integers(0, 4),
    seed=st.integers(0, 9),
)
def test_every_legal_shape_agrees_with_plain_torch_operations(lead, n, m, d_k, d_v, seed):
    q, k, v = (
        random(*lead, n, d_k, seed=seed),
        random(*lead, m, d_k, seed=seed + 1),
        random(*lead, m, d_v, seed=seed + 2),
    )
    allowed = random(*lead, n, m, seed=seed + 3) > 0
    trace = scaled_dot_product_attention(q, k, v, allowed=allowed)
    exponentials = (q @ k.mT / math.sqrt(d_k)).exp() * allowed
    totals = exponentials.sum(dim=-1, keepdim=True)
    weights = exponentials / totals.where(totals > 0, 1)
    assert_close(trace.weights, weights, rtol=1e-10, atol=1e-12)
    assert_close(trace.out, weights @ v, rtol=1e-10, atol=1e-12)


def test_softmax_of_masked_rows_equals_weighing_the_scores():
    scaled, allowed = random(B, N, M), some_mask(N, M)
    allowed[3] = False
    assert torch.equal(softmax_rows(mask_scores(scaled, allowed), allowed), weigh(scaled, allowed))


def test_operations_written_inline_in_the_benchmark_give_the_same_trace():
    q, k, v = qkv()
    allowed = some_mask(N, M)
    allowed[1] = False
    trace = scaled_dot_product_attention(q, k, v, allowed=allowed)
    for ours, theirs in zip(fields(trace).values(), inline(q, k, v, allowed), strict=True):
        assert torch.equal(ours, theirs)


@pytest.mark.filterwarnings(
    "ignore:`torch.jit.script` is deprecated:DeprecationWarning"
)  # torch's own, on first use
def test_gradients_of_each_sample_and_forward_derivatives_work():
    q, k, v = qkv(lead=(B,))
    allowed = some_mask(N, M)
    allowed[2] = False

    def loss(q, k, v):
        return scaled_dot_product_attention(q, k, v, allowed=allowed).out.square().sum()

    per_sample = torch.func.vmap(torch.func.grad(loss))(q, k, v)
    (together,) = torch.autograd.grad(loss(q := q.requires_grad_(), k, v), q)
    assert_close(per_sample, together, rtol=1e-12, atol=1e-12)
    direction = random(*q.shape, seed=12)
    _, slope = torch.func.jvp(lambda q: loss(q, k, v), (q.detach(),), (direction,))
    assert_close(slope, (together * direction).sum(), rtol=1e-11, atol=1e-12)


def test_a_score_that_overflows_shows_in_the_trace_and_spoils_its_own_row_alone():
    q, k, v = torch.tensor([[1e20], [1.0]]), torch.tensor([[1e20], [-1e20]]), torch.tensor([[1.0], [3.0]])
    trace = scaled_dot_product_attention(q, k, v)
    assert trace.scores[0].tolist() == [math.inf, -math.inf]
    assert trace.weights[0].isnan().any()
    assert trace.out[0].isnan().all()
    assert trace.weights[1].tolist() == [1.0, 0.0]
    assert trace.out[1].tolist() == [1.0]
    fine = scaled_dot_product_attention(q * 1e-2, k * 1e-2, v)
    assert fine.weights.tolist() == [[1.0, 0.0], [1.0, 0.0]]
