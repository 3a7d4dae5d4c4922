"""Heads: split and merge by literal numbers, the layer against torch's, the loops, and each head alone."""

import math

import pytest
import torch
from torch import nn
from torch.testing import assert_close

from attention_core import masks, reference
from attention_core.multi_head import MultiHeadAttention, merge_heads, split_heads
from attention_core.steps import repeat_heads, scaled_dot_product_attention

B, H, N, M, D_K, D_V = 2, 3, 5, 7, 11, 13


def random(*shape: int, seed: int = 0, dtype: torch.dtype = torch.float64) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64).to(dtype)


def layer(d_model: int, n_heads: int, n_kv_heads: int | None = None, **options) -> MultiHeadAttention:
    options = {"dtype": torch.float64, "generator": torch.Generator().manual_seed(1)} | options
    return MultiHeadAttention(d_model, n_heads, n_kv_heads, **options)


# Split and merge


def test_split_gives_each_head_its_columns():
    x = torch.tensor([[0.0, 1.0, 2.0, 3.0], [4.0, 5.0, 6.0, 7.0]])
    assert split_heads(x, 2).tolist() == [[[0, 1], [4, 5]], [[2, 3], [6, 7]]]


def test_merge_puts_the_heads_side_by_side():
    heads = torch.tensor([[[0.0, 1.0], [4.0, 5.0]], [[2.0, 3.0], [6.0, 7.0]]])
    assert merge_heads(heads).tolist() == [[0, 1, 2, 3], [4, 5, 6, 7]]


@pytest.mark.parametrize("shape", [(N, 12), (B, N, 12), (0, N, 12), (B, 0, 12), (B, N, 0), (2, 3, N, 12)])
def test_merge_undoes_split(shape):
    x = random(*shape)
    heads = split_heads(x, H)
    assert heads.shape == (*shape[:-2], H, shape[-2], shape[-1] // H)
    assert torch.equal(merge_heads(heads), x)


def test_shapes_of_every_step():
    trace = layer(12, 3)(random(2, 5, 12))
    assert trace.x_q.shape == (2, 5, 12)
    assert trace.q.shape == trace.k.shape == trace.v.shape == (2, 5, 12)
    assert trace.q_heads.shape == trace.k_heads.shape == trace.v_heads.shape == (2, 3, 5, 4)
    assert trace.attention.scores.shape == trace.attention.weights.shape == (2, 3, 5, 5)
    assert trace.attention.out.shape == (2, 3, 5, 4)
    assert trace.merged.shape == trace.out.shape == (2, 5, 12)


def test_scores_of_four_heads_are_divided_by_the_root_of_their_own_width():
    block = layer(16, 4)
    with torch.no_grad():
        for w in (block.w_q, block.w_k):
            w.copy_(torch.eye(16))
    x = torch.stack([torch.ones(16), torch.zeros(16)]).double()
    # Each head: q = 1 1 1 1, keys 1 1 1 1 and 0 0 0 0. By √d_model it would be 0.731059.
    weights = block(x).attention.weights
    expected = torch.tensor([0.880797, 0.119203], dtype=torch.float64).expand(4, 2)
    assert_close(weights[:, 0], expected, rtol=0, atol=1e-6)


# The layer by its definition


def test_every_step_follows_from_the_one_before():
    block = layer(12, 3, use_bias=True)
    x, other = random(B, N, 12), random(B, M, 12, seed=2)
    trace = block(x, other, allowed=masks.causal(N, M))
    assert trace.x_q is x
    assert trace.x_k is trace.x_v is other
    assert_close(trace.q, x @ block.w_q + block.b_q)
    assert_close(trace.k, other @ block.w_k + block.b_k)
    assert_close(trace.v, other @ block.w_v + block.b_v)
    assert torch.equal(trace.q_cut, trace.q.view(B, N, 3, 4))
    assert torch.equal(trace.k_cut, trace.k.view(B, M, 3, 4))
    assert torch.equal(trace.v_cut, trace.v.view(B, M, 3, 4))
    for projected, heads in ((trace.q, trace.q_heads), (trace.k, trace.k_heads), (trace.v, trace.v_heads)):
        assert torch.equal(heads, split_heads(projected, 3))
    again = scaled_dot_product_attention(
        trace.q_heads, trace.k_heads, trace.v_heads, allowed=masks.causal(N, M)
    )
    assert torch.equal(trace.attention.out, again.out)
    assert torch.equal(trace.turned, trace.attention.out.transpose(1, 2))
    assert torch.equal(trace.merged, merge_heads(trace.attention.out))
    assert_close(trace.out, trace.merged @ block.w_o + block.b_o)


@pytest.mark.parametrize("n_kv_heads", [1, 2, 3, 6])
@pytest.mark.parametrize("is_causal", [False, True])
def test_agrees_with_the_loops(n_kv_heads, is_causal):
    block = layer(5, 6, n_kv_heads, d_k=3, d_v=2)
    x, other = random(N, 5), random(M, 5, seed=2)
    allowed = masks.causal(N, M) if is_causal else None
    loops = reference.multi_head(
        x.tolist(),
        other.tolist(),
        *(w.tolist() for w in (block.w_q, block.w_k, block.w_v, block.w_o)),
        n_heads=6,
        n_kv_heads=n_kv_heads,
        allowed=None if allowed is None else allowed.tolist(),
    )
    expected = torch.tensor(loops, dtype=torch.float64)
    assert_close(block(x, other, allowed=allowed).out, expected, rtol=1e-11, atol=1e-12)
    batched = block(x.expand(B, N, 5), other.expand(B, M, 5), allowed=allowed)
    assert_close(batched.out, expected.expand(B, N, 5), rtol=1e-11, atol=1e-12)


def test_one_big_projection_equals_the_heads_small_ones():
    block = layer(12, 3)
    x = random(B, N, 12)
    trace = block(x)
    for head in range(3):
        columns = slice(4 * head, 4 * head + 4)
        small = scaled_dot_product_attention(
            x @ block.w_q[:, columns], x @ block.w_k[:, columns], x @ block.w_v[:, columns]
        )
        assert_close(trace.attention.out[:, head], small.out, rtol=1e-12, atol=1e-13)


def test_grouped_heads_equal_full_heads_with_repeated_weights():
    grouped = layer(12, 6, 2, d_k=3, d_v=5)
    full = layer(12, 6, d_k=3, d_v=5)
    repeated = {
        name: grouped.get_parameter(name).unflatten(-1, (2, -1)).repeat_interleave(3, dim=-2).flatten(-2)
        for name in ("w_k", "w_v")
    }
    full.load_state_dict({"w_q": grouped.w_q, "w_o": grouped.w_o} | repeated)
    x = random(B, N, 12)
    assert_close(grouped(x).out, full(x).out, rtol=1e-12, atol=1e-13)
    assert grouped(x).k_heads.shape == (B, 2, N, 3)


def test_heads_are_repeated_only_where_query_heads_share_them():
    x = random(B, N, 12)
    full, grouped = layer(12, 6)(x), layer(12, 6, 2)(x)
    assert full.k_repeated is full.k_heads
    assert full.v_repeated is full.v_heads
    assert torch.equal(grouped.k_repeated, repeat_heads(grouped.k_heads, 3))
    assert torch.equal(grouped.v_repeated, repeat_heads(grouped.v_heads, 3))
    again = scaled_dot_product_attention(grouped.q_heads, grouped.k_repeated, grouped.v_repeated)
    assert torch.equal(again.out, grouped.attention.out)


def test_output_of_a_query_depends_only_on_what_it_may_see():
    block = layer(12, 3, use_bias=True)
    x = random(B, N, 12)
    before = block(x, allowed=masks.causal(N)).out
    for changed in range(N):
        moved = x.clone()
        moved[:, changed] += 1
        after = block(moved, allowed=masks.causal(N)).out
        differs = (before != after).any(dim=-1).any(dim=0).tolist()
        assert differs == [n >= changed for n in range(N)]


def test_query_that_sees_nothing_gets_the_last_bias_and_a_finite_gradient():
    block = layer(12, 3, use_bias=True)
    allowed = masks.full(N)
    allowed[1] = False
    out = block(random(B, N, 12), allowed=allowed).out
    assert torch.equal(out[:, 1], block.b_o.expand(B, 12))
    out.square().sum().backward()
    assert all(parameter.grad.isfinite().all() for parameter in block.parameters())


def test_padding_and_per_head_bias_take_all_the_axes():
    block = layer(12, 3)
    x = random(3, N, 12)  # as many sequences as heads: a mask without heads would pass unnoticed
    padded = block(x, allowed=masks.padding(torch.tensor([[2], [5], [3]]), N)).attention.weights
    assert (padded[0, :, :, 2:] == 0).all()
    assert (padded[1] > 0).all()
    assert (padded[2, :, :, 3:] == 0).all()
    slopes = (
        torch.tensor([1.0, 2.0, 3.0], dtype=torch.float64)[None, :, None, None].expand(1, 3, 1, N).clone()
    )
    slopes[..., 0] = 0
    plain, sloped = block(x).attention, block(x, bias=slopes).attention
    assert torch.equal(sloped.scaled, plain.scaled)
    assert_close(sloped.weights, (plain.scaled + slopes).softmax(dim=-1))


# Judge: torch's layer


def torch_layer(
    seed: int = 0, dtype: torch.dtype = torch.float64, n_heads: int = 3, **options
) -> nn.MultiheadAttention:
    module = nn.MultiheadAttention(12, n_heads, batch_first=True, dtype=dtype, **options)
    generator = torch.Generator().manual_seed(seed)
    for parameter in module.parameters():
        nn.init.normal_(parameter, generator=generator)
    return module.eval()


@pytest.mark.parametrize("has_bias", [True, False])
@pytest.mark.parametrize("kind", ["self", "cross", "kdim", "vdim", "kdim and vdim"])
@pytest.mark.parametrize("is_causal", [True, False])
def test_reproduces_torch_layer(has_bias, kind, is_causal):
    widths = {"kdim": {"kdim": 7}, "vdim": {"vdim": 5}, "kdim and vdim": {"kdim": 7, "vdim": 5}}.get(kind, {})
    theirs = torch_layer(bias=has_bias, **widths)
    x = random(B, N, 12)
    keys = x if kind == "self" else random(B, M, widths.get("kdim", 12), seed=2)
    values = keys if kind in ("self", "cross") else random(B, M, widths.get("vdim", 12), seed=3)
    allowed = masks.causal(N, keys.shape[-2]) if is_causal else None
    expected, weights = theirs(
        x, keys, values, attn_mask=None if allowed is None else ~allowed, average_attn_weights=False
    )
    trace = MultiHeadAttention.from_torch(theirs)(x, keys, values, allowed=allowed)
    assert_close(trace.out, expected, rtol=1e-11, atol=1e-11)
    assert_close(trace.attention.weights, weights, rtol=1e-11, atol=1e-12)


def test_reproduces_torch_layer_in_float32_with_padding():
    theirs = torch_layer(dtype=torch.float32)
    x = random(B, N, 12, dtype=torch.float32)
    allowed = masks.padding(torch.tensor([[3], [5]]), N)
    expected, _ = theirs(x, x, x, key_padding_mask=~allowed[:, 0, 0])
    ours = MultiHeadAttention.from_torch(theirs)(x, allowed=allowed)
    assert_close(ours.out, expected, rtol=1e-5, atol=1e-6)


def test_reproduces_torch_layer_with_a_bias_for_each_head():
    theirs, bias = torch_layer(), random(B, 3, N, N, seed=4)
    x = random(B, N, 12)
    expected, weights = theirs(x, x, x, attn_mask=bias.flatten(0, 1), average_attn_weights=False)
    trace = MultiHeadAttention.from_torch(theirs)(x, bias=bias)
    assert_close(trace.out, expected, rtol=1e-11, atol=1e-11)
    assert_close(trace.attention.weights, weights, rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize("n_heads", [1, 3])
@pytest.mark.parametrize(("batch", "n"), [(1, N), (B, 1), (1, 1)])
def test_reproduces_torch_layer_at_sizes_of_1(n_heads, batch, n):
    theirs = torch_layer(n_heads=n_heads)
    x = random(batch, n, 12)
    expected, weights = theirs(x, x, x, average_attn_weights=False)
    trace = MultiHeadAttention.from_torch(theirs)(x)
    assert_close(trace.out, expected, rtol=1e-11, atol=1e-11)
    assert_close(trace.attention.weights, weights, rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize(("dtype", "step"), [(torch.float16, 2**-10), (torch.bfloat16, 2**-7)])
def test_reproduces_torch_layer_in_half_precision(dtype, step):
    theirs = torch_layer(dtype=dtype)
    x = random(B, N, 12, dtype=dtype)
    trace = MultiHeadAttention.from_torch(theirs)(x)
    wide = MultiHeadAttention.from_torch(theirs.double())(x.double())
    assert trace.out.dtype is dtype
    largest = float(wide.out.detach().abs().max())
    assert_close(trace.out.double(), wide.out, rtol=0, atol=32 * step * largest)
    expected = theirs.to(dtype)(x, x, x)[0]
    assert_close(trace.out, expected, rtol=0, atol=32 * step * largest)


def test_reproduces_torch_layer_without_a_batch():
    theirs = torch_layer()
    x = random(N, 12)
    assert_close(MultiHeadAttention.from_torch(theirs)(x).out, theirs(x, x, x)[0], rtol=1e-11, atol=1e-11)


def test_copy_of_a_torch_layer_has_its_own_weights_and_the_same_mode():
    theirs = torch_layer(dropout=0.25)
    ours = MultiHeadAttention.from_torch(theirs)
    assert ours.dropout_p == 0.25
    assert not ours.training
    assert MultiHeadAttention.from_torch(theirs.train()).training
    x = random(B, N, 12)
    before = ours(x).out
    with torch.no_grad():
        theirs.in_proj_weight.zero_()
    assert torch.equal(ours(x).out, before)


def test_copy_of_a_torch_layer_lies_where_that_lies():
    copied = MultiHeadAttention.from_torch(nn.MultiheadAttention(12, 3, device="meta"))
    assert {parameter.device.type for parameter in copied.parameters()} == {"meta"}


@pytest.mark.parametrize("options", [{"add_bias_kv": True}, {"add_zero_attn": True}])
def test_torch_layer_that_adds_keys_is_refused(options):
    with pytest.raises(ValueError, match=r"add_bias_kv=.*add_zero_attn="):
        MultiHeadAttention.from_torch(nn.MultiheadAttention(6, 2, **options))


# Parameters, dropout, modes


def test_weights_start_uniform_within_one_over_root_of_their_rows():
    block = MultiHeadAttention(64, 4, d_v=100, use_bias=True, generator=torch.Generator().manual_seed(0))
    for name, rows in (("q", 64), ("k", 64), ("v", 64), ("o", 400)):
        weight, bias = block.get_parameter(f"w_{name}"), block.get_parameter(f"b_{name}")
        bound = 1 / math.sqrt(rows)
        assert weight.shape[0] == rows
        assert bound * 0.99 < weight.abs().max() <= bound
        assert abs(weight.mean()) < bound * 0.05
        assert abs(weight.std() / (bound / math.sqrt(3)) - 1) < 0.05
        assert 0 < bias.abs().max() <= bound


def test_weights_follow_the_generator_and_no_other():
    state = torch.get_rng_state()
    first, again = layer(12, 3), layer(12, 3)
    other = layer(12, 3, generator=torch.Generator().manual_seed(2))
    assert torch.equal(state, torch.get_rng_state())
    assert torch.equal(first.w_q, again.w_q)
    assert not torch.equal(first.w_q, other.w_q)
    assert not torch.equal(first.w_q, first.w_k)


def test_parameters_are_the_four_projections():
    assert {name: tuple(p.shape) for name, p in layer(12, 6, 2, d_k=5, d_v=7).named_parameters()} == {
        "w_q": (12, 30),
        "w_k": (12, 10),
        "w_v": (12, 14),
        "w_o": (42, 12),
    }
    assert len(list(layer(12, 3, use_bias=True).parameters())) == 8
    widths = [tuple(p.shape) for p in layer(12, 3, d_k=5, d_model_k=7).parameters()]
    assert widths == [
        (12, 15),
        (7, 15),
        (7, 15),
        (15, 12),
    ]  # values as wide as keys, from what keys are made of


def test_dropout_works_in_training_mode_only():
    block = layer(12, 3, dropout_p=0.5)
    x = random(B, N, 12)
    trained = block(x, generator=torch.Generator().manual_seed(0))
    assert trained.attention.dropped is not None
    assert (trained.attention.dropped == 0).any()
    assert (trained.attention.weights > 0).all()
    block.eval()
    assert block(x).attention.dropped is None
    assert torch.equal(block(x).out, block(x).out)


def test_dropout_of_everything_leaves_the_last_bias_and_no_nan():
    block = layer(12, 3, dropout_p=1, use_bias=True)
    out = block(random(B, N, 12), generator=torch.Generator().manual_seed(0)).out
    assert torch.equal(out, block.b_o.expand(B, N, 12))


def test_training_with_dropout_needs_a_generator():
    with pytest.raises(ValueError, match=r"dropout_p=0\.5 needs a generator"):
        layer(12, 3, dropout_p=0.5)(random(B, N, 12))


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_half_precision_layers_run(dtype):
    trace = layer(12, 6, 2, dtype=dtype)(random(B, N, 12, dtype=dtype))
    assert trace.out.dtype == dtype
    assert trace.attention.scores.dtype == torch.float32


@pytest.mark.parametrize(("batch", "n", "m"), [(0, N, M), (B, 0, M), (B, N, 0)])
def test_empty_inputs_give_empty_or_zero_outputs(batch, n, m):
    trace = layer(12, 6, 2)(torch.ones(batch, n, 12).double(), torch.ones(batch, m, 12).double())
    assert trace.out.shape == (batch, n, 12)
    assert m > 0 or (trace.out == 0).all()


def test_runs_on_meta_tensors():
    x = torch.empty(B, N, 12, dtype=torch.float64, device="meta")
    for block in (layer(12, 6, 2).to("meta"), layer(12, 6, 2, use_bias=True, device="meta")):
        assert all(parameter.device.type == "meta" for parameter in block.parameters())
        assert block(x).out.shape == (B, N, 12)


def test_state_can_be_saved_and_loaded():
    first, second = layer(12, 3, use_bias=True), layer(12, 3, use_bias=True, generator=torch.Generator())
    second.load_state_dict(first.state_dict())
    x = random(B, N, 12)
    assert torch.equal(first(x).out, second(x).out)


# What a user can get wrong


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: layer(5, 2), "d_model=5 and n_heads=2"),
        (lambda: layer(0, 1), "at least 1, got d_model=0"),
        (lambda: layer(12, 0), "n_heads=0"),
        (lambda: layer(12, 6, 4), "n_heads=6 and n_kv_heads=4"),
        (lambda: layer(12, 2, 4), "n_heads=2 and n_kv_heads=4"),
        (lambda: layer(12, 3, 0), "n_kv_heads=0"),
        (lambda: layer(12, 3, d_v=0), "d_v=0"),
        (lambda: layer(12, 3, d_model_k=-1), "d_model_k=-1"),
        (lambda: layer(12, 3, d_model_v=0), "d_model_v=0"),
        (lambda: layer(12, 3, d_k=0), "d_k=0"),
        (lambda: layer(12, 3, dropout_p=1.5), "0 and 1, got 1.5"),
        (lambda: split_heads(torch.zeros(N, 5), 2), "d_model=5, n_heads=2"),
        (lambda: split_heads(torch.zeros(N, 5), 0), "n_heads=0"),
        (lambda: layer(12, 3)(random(B, N, 11)), r"x_q.*width of 12.*\(2, 5, 11\)"),
        (lambda: layer(12, 3)(random(12)), r"x_q.*positions.*\(12,\)"),
        (lambda: layer(12, 3)(random(B, N, 12), random(B, M, 7)), r"x_kv.*width of 12.*\(2, 7, 7\)"),
        (lambda: layer(12, 3)(random(B, N, 12), None, random(B, N, 7)), r"x_v.*width of 12.*\(2, 5, 7\)"),
        (lambda: layer(12, 3)(random(B, N, 12, dtype=torch.float32)), "x_q.*float64, got torch.float32"),
        (lambda: layer(12, 3)(random(B, N, 12).to("meta")), "x_q.*on cpu, got meta"),
        (lambda: layer(12, 3)([[0.0] * 12]), "x_q must be a torch.Tensor, got list"),
        (lambda: layer(12, 3)(random(B, N, 12), random(3, M, 12)), r"\[2, 3\].*\[3, 3\]"),
        (
            lambda: layer(12, 3)(random(B, N, 12), allowed=masks.padding([2, 3], N)),
            r"all 4.*got 3.*\(2, 1, 5\)",
        ),
        (lambda: layer(12, 3)(random(B, N, 12), bias=random(3, N, N)), r"all 4.*got 3.*\(3, 5, 5\)"),
        (lambda: layer(12, 3)(random(B, N, 12), allowed=torch.ones(N, N)), "bool.*float32"),
    ],
)
def test_wrong_input_is_refused_with_the_rule_and_the_values(make, message, unchecked):
    with pytest.raises(ValueError, match=message):
        make()
