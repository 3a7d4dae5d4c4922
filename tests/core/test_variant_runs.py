"""Claims V1 to V5: every attention on the same q, k and v; its weights, what it sees, what it costs, down to one cell."""

import math
from dataclasses import replace

import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode

from attention_core import masks, patterns
from attention_core.kv_sharing import pool_heads
from attention_core.steps import scaled_dot_product_attention
from attention_core.variant_cells import count_keys, explain_out, explain_share
from attention_core.variant_runs import (
    ATTEND,
    KINDS,
    NAMES,
    WITHOUT_WEIGHTS,
    Choices,
    Inputs,
    attend_densely,
    count_flops,
    count_scores,
    find_refusal,
    find_seen,
    relative_error,
    run_variant,
)

H, N, D_K, D_V = 3, 7, 4, 5
BOTH = pytest.mark.parametrize("is_causal", [False, True])


def drawn(*, is_causal: bool = False, h: int = H, n: int = N, d_k: int = D_K, d_v: int = D_V) -> Inputs:
    generator = torch.Generator().manual_seed(0)
    shapes = (h, n, d_k), (h, n, d_k), (h, n, d_v)
    q, k, v = (torch.randn(shape, generator=generator, dtype=torch.float64) for shape in shapes)
    return Inputs(q, k, v, is_causal)


def can_run(inputs: Inputs) -> list[str]:
    return [name for name in NAMES if find_refusal(name, inputs, Choices()) is None]


def test_every_name_has_a_kind_and_a_way_to_attend():
    assert set(NAMES) == set(KINDS) == set(ATTEND)
    assert set(KINDS.values()) == {"itself", "exact", "approximation", "function"}


@BOTH
def test_V1_full_is_what_torch_gives_and_additive_is_another_function(is_causal):
    inputs = drawn(is_causal=is_causal)
    full = run_variant("full", inputs, Choices())
    theirs = torch.nn.functional.scaled_dot_product_attention(
        inputs.q, inputs.k, inputs.v, is_causal=is_causal
    )
    torch.testing.assert_close(full.out, theirs, rtol=0, atol=1e-12)
    additive = run_variant("additive", inputs, Choices(d_q=3))
    assert additive.trace.projected_q.shape[-1] == 8
    assert inputs.k.shape[-1] == D_K
    assert relative_error(additive.out, full.out) > 0.1


def test_V1_V2_queries_may_be_narrower_than_keys_and_the_numbers_beyond_do_not_matter():
    inputs = drawn()
    changed = replace(inputs, q=torch.cat([inputs.q[..., :2], 9 + inputs.q[..., 2:]], dim=-1))
    for name in ("additive", "multiplicative"):
        runs = [run_variant(name, one, Choices(d_q=2)) for one in (inputs, changed)]
        assert torch.equal(runs[0].out, runs[1].out)
        wide = [run_variant(name, one, Choices()) for one in (inputs, changed)]
        assert not torch.equal(wide[0].out, wide[1].out)


def test_V2_multiplicative_compares_through_its_matrix():
    inputs = drawn()
    run = run_variant("multiplicative", inputs, Choices(seed=3))
    other = run_variant("multiplicative", inputs, Choices(seed=4))
    scores = run.trace.projected_q @ inputs.k.transpose(-2, -1)
    torch.testing.assert_close(run.trace.attention.scores, scores, rtol=0, atol=1e-12)
    assert not torch.equal(run.out, other.out)


@BOTH
@pytest.mark.parametrize("size", [1, 2, 7, 9])
def test_V3_V4_exact_variants_are_dense_attention_with_what_they_see(size, is_causal):
    inputs, choices = drawn(is_causal=is_causal), Choices(width=size, block=size, stride=size, n_global=2)
    for name in (name for name, kind in KINDS.items() if kind == "exact"):
        run = run_variant(name, inputs, choices)
        dense = attend_densely(run)
        torch.testing.assert_close(run.out, dense.out, rtol=0, atol=1e-12)
        torch.testing.assert_close(run.shares, dense.weights, rtol=0, atol=1e-12)
        assert run.shares.shape == (H, N, N)


@BOTH
def test_V3_V4_what_is_seen_is_counted_by_hand(is_causal):
    inputs = drawn(is_causal=is_causal, n=6)
    choices = Choices(width=2, dilation=2, block=4, stride=2, n_global=1)
    seen = {
        name: int(find_seen(name, inputs, choices).sum()) for name, kind in KINDS.items() if kind == "exact"
    }
    both_ways = {"window": 16, "dilated": 14, "block": 20, "strided": 28, "global_window": 24}
    back_alone = {"window": 11, "dilated": 10, "block": 13, "strided": 17, "global_window": 15}
    assert seen == (back_alone if is_causal else both_ways)
    assert run_variant("full", inputs, choices).n_seen == (21 if is_causal else 36)


@BOTH
def test_shares_are_what_outputs_hold_of_each_value(is_causal):
    inputs = drawn(is_causal=is_causal)
    for name in can_run(inputs):
        run = run_variant(name, inputs, Choices())
        if name == "grouped":
            pooled = pool_heads(inputs.v, 1).expand_as(inputs.v)
            torch.testing.assert_close(run.shares @ pooled, run.out, rtol=0, atol=1e-12)
        else:
            torch.testing.assert_close(run.shares @ inputs.v, run.out, rtol=0, atol=1e-12)
        if run.seen is not None:
            assert float(run.shares[:, ~run.seen].abs().max()) == 0


@BOTH
def test_a_key_that_is_not_seen_never_moves_an_output(is_causal):
    inputs = drawn(is_causal=is_causal)
    v = inputs.v.clone()
    v[:, N - 1] += 100
    for name in can_run(inputs):
        run = run_variant(name, inputs, Choices())
        moved = run_variant(name, replace(inputs, v=v), Choices())
        blind = torch.zeros(N, dtype=torch.bool) if run.seen is None else ~run.seen[:, N - 1]
        assert torch.equal(run.out[:, blind], moved.out[:, blind]), name
        assert bool((run.out[:, ~blind] != moved.out[:, ~blind]).any()), name


@BOTH
def test_every_weight_and_every_output_is_made_of_the_terms_that_are_named(is_causal):
    inputs = drawn(is_causal=is_causal)
    for name in can_run(inputs):
        run = run_variant(name, inputs, Choices(sink=0.5, temperature=0.3))
        for query in range(N):
            for key in range(count_keys(run)):
                story = explain_share(run, 1, query, key)
                share = run.trace.attention.weights if name == "low_rank" else run.shares
                assert story.share == pytest.approx(float(share[1, query, key]), abs=1e-12), name
                products = sum(a * b for a, b in zip(story.left, story.right, strict=True))
                assert story.score == pytest.approx(products, abs=1e-12), name
                if story.factor is not None and story.is_seen:
                    assert story.own == pytest.approx(math.exp(story.scaled - story.largest), abs=1e-12)
            out = explain_out(run, 1, query, 2)
            total = sum(a * b for a, b in zip(out.left, out.right, strict=True))
            assert out.value == pytest.approx(total / (out.divisor or 1), abs=1e-12), name
            assert out.value == float(run.out[1, query, 2])


def test_the_arithmetic_of_a_huge_sink_and_of_shared_heads_is_that_of_the_variant():
    sunk = run_variant("sink", drawn(), Choices(sink=2000.0))
    assert explain_share(sunk, 0, 1, 2).share == 0 == float(sunk.shares[0, 1, 2])
    shared = run_variant("grouped", drawn(h=4), Choices(n_kv_heads=2))
    for head in range(4):
        story = explain_share(shared, head, 3, 5)
        assert story.share == pytest.approx(float(shared.shares[head, 3, 5]), abs=1e-12)
        out = explain_out(shared, head, 3, 1)
        assert out.value == pytest.approx(
            sum(a * b for a, b in zip(out.left, out.right, strict=True)), abs=1e-12
        )


@pytest.mark.parametrize("name", NAMES)
def test_V1_V3_V4_V5_flops_are_those_that_torch_counts(name):
    for is_causal in (False, True):
        inputs, choices = (
            drawn(is_causal=is_causal, n=70),
            Choices(width=9, block=9, stride=9, n_global=2, d_q=3),
        )
        if find_refusal(name, inputs, choices) is not None:
            continue
        with FlopCounterMode(display=False) as counter:
            ATTEND[name](inputs, choices, inputs.v)
        assert counter.get_total_flops() == count_flops(name, inputs, choices)


def test_V1_additive_costs_more_than_a_dot_product_by_its_width():
    inputs = drawn(n=64, d_k=8, d_v=8)
    dot, additive = (count_flops(name, inputs, Choices(d_a=8)) for name in ("full", "additive"))
    # Two projections of 64 · 8 · 8 besides as many products for each pair.
    assert additive - dot == 3 * 2 * 2 * 64 * 8 * 8


def test_scores_that_are_computed_by_hand():
    choices = Choices(width=3, block=4, rank=2)
    counts = [
        count_scores(name, 12, choices, is_causal=False)
        for name in ("window", "block", "low_rank", "linear", "full")
    ]
    assert counts == [4 * 3 * 9, 3 * 16, 24, 0, 144]


def test_grouped_heads_have_the_mean_of_their_projections():
    generator = torch.Generator().manual_seed(1)
    x = torch.randn(N, 6, generator=generator, dtype=torch.float64)
    w_k, w_v = torch.randn(2, 4, 6, D_K, generator=generator, dtype=torch.float64)
    q = torch.randn(4, N, D_K, generator=generator, dtype=torch.float64)
    run = run_variant("grouped", Inputs(q, x @ w_k, x @ w_v, is_causal=False), Choices(n_kv_heads=2))
    k, v = (x @ w.unflatten(0, (2, 2)).mean(dim=1).repeat_interleave(2, dim=0) for w in (w_k, w_v))
    torch.testing.assert_close(run.out, scaled_dot_product_attention(q, k, v).out, rtol=0, atol=1e-12)
    as_many = run_variant("grouped", run.inputs, Choices(n_kv_heads=4))
    assert torch.equal(as_many.out, run_variant("full", run.inputs, Choices()).out)


def test_V4_low_rank_by_means_is_full_attention_at_full_rank():
    inputs = drawn()
    full = run_variant("full", inputs, Choices()).out
    errors = [
        relative_error(run_variant("low_rank", inputs, Choices(rank=rank)).out, full) for rank in (3, N)
    ]
    assert errors[0] > 0.1
    assert errors[1] < 1e-12


def test_what_cannot_run_is_refused_with_its_rule_and_numbers():
    assert find_refusal("rotary", drawn(d_k=3), Choices()).values == (3,)
    assert find_refusal("low_rank", drawn(is_causal=True), Choices()).rule == "no_causal_form"
    assert find_refusal("grouped", drawn(), Choices(n_kv_heads=2)).values == (3, 2)
    with pytest.raises(ValueError, match=r"grouped cannot run: kv_heads_divide, got \(3, 2\)"):
        run_variant("grouped", drawn(), Choices(n_kv_heads=2))


def test_without_weights_are_those_that_hold_no_pair_of_query_and_key():
    inputs = drawn(n=97)
    for name in WITHOUT_WEIGHTS:
        held = [
            x
            for x in vars(run_variant(name, inputs, Choices()).trace).values()
            if isinstance(x, torch.Tensor)
        ]
        assert all(x.numel() < 97 * 97 for x in held)


def test_seen_pairs_are_those_of_the_mask_lab():
    inputs, choices = drawn(), Choices(width=3)
    seen = find_seen("window", inputs, choices)
    assert torch.equal(seen, masks.window(N, N, 3, is_causal=False))
    strided = find_seen("strided", drawn(is_causal=True), Choices(stride=3))
    expected = patterns.strided(3)(*patterns.place_sides(N, N, 0)).expand(N, N)
    assert torch.equal(strided, expected)
