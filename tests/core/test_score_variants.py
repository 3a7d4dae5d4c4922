"""Claims V1, V2 and V6: other scores, against loops, dense attention and numbers worked by hand; low rank and sinks."""

import math

import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode

from attention_core import masks, reference, reference_scores
from attention_core.cost import Setting, list_terms
from attention_core.steps import scaled_dot_product_attention
from attention_core.variants import additive, multiplicative
from attention_core.variants.additive import attend_additive
from attention_core.variants.alibi import attend_alibi, geometric_slopes, head_slopes
from attention_core.variants.cosine import attend_cosine
from attention_core.variants.dot_product import attend_dot
from attention_core.variants.low_rank import attend_low_rank, draw_mixture
from attention_core.variants.multiplicative import attend_multiplicative
from attention_core.variants.rotary import PAIRINGS, attend_rotary, rotate
from attention_core.variants.sink import attend_sink

B, H, N, M, D_Q, D_K, D_A, D_V = 2, 3, 5, 7, 19, 11, 17, 13
ALLOWED = masks.causal(N, M) & (torch.arange(N) != 1)[:, None]


def drawn(*shapes: tuple[int, ...], requires_grad: bool = True) -> list[torch.Tensor]:
    generator = torch.Generator().manual_seed(len(shapes))
    return [
        torch.randn(shape, generator=generator, dtype=torch.float64).requires_grad_(requires_grad)
        for shape in shapes
    ]


def qkv(d_q: int = D_K, n: int = N, m: int = M) -> list[torch.Tensor]:
    return drawn((B, H, n, d_q), (B, H, m, D_K), (B, H, m, D_V))


def assert_equal(ours: torch.Tensor, theirs: torch.Tensor, *leaves: torch.Tensor) -> None:
    """Compare outputs, and the gradients of the leaves that both were made of."""
    torch.testing.assert_close(ours, theirs, rtol=0, atol=1e-10)
    grads = [torch.autograd.grad(out.sin().sum(), leaves) for out in (ours, theirs)]
    for mine, other in zip(*grads, strict=True):
        torch.testing.assert_close(mine, other, rtol=0, atol=1e-10)


def by_pairs(score, q, k, v, allowed=None, scale=1.0):
    """Attend by a function of one query and one key, pair by pair, so that gradients pass."""
    rows = [[score(q[..., n, :], k[..., m, :]) for m in range(k.shape[-2])] for n in range(q.shape[-2])]
    scaled = torch.stack([torch.stack(row, dim=-1) for row in rows], dim=-2) * scale
    allowed = torch.ones(scaled.shape[-2:], dtype=torch.bool) if allowed is None else allowed
    shares = scaled.exp() * allowed
    return shares / shares.sum(dim=-1, keepdim=True).clamp(min=1e-300) @ v


def first_head(*x: torch.Tensor) -> list:
    return [each[0, 0].tolist() for each in x]


@pytest.mark.parametrize("allowed", [None, ALLOWED])
def test_V1_V6_additive_attention_is_its_definition_with_its_gradients(allowed):
    q, k, v = qkv(D_Q)
    w_q, w_k, w_score = drawn((D_Q, D_A), (D_K, D_A), (D_A,))
    trace = attend_additive(q, k, v, w_q, w_k, w_score, allowed=allowed)
    pairs = by_pairs(lambda one, other: (one @ w_q + other @ w_k).tanh() @ w_score, q, k, v, allowed)
    assert_equal(trace.out, pairs, q, k, v, w_q, w_k, w_score)
    queries, keys, values = first_head(q, k, v)
    numbers = [w.tolist() for w in (w_q, w_k, w_score)]
    scores = [[reference_scores.additive_score(one, key, *numbers) for key in keys] for one in queries]
    looped = reference_scores.gather(scores, values, None if allowed is None else allowed.tolist())
    torch.testing.assert_close(trace.out[0, 0].tolist(), looped, rtol=0, atol=1e-10)


@pytest.mark.parametrize(
    ("is_padded", "weights", "out"), [(False, [0.3183, 0.6817], 2.363399), (True, [1.0, 0.0], 1.0)]
)
def test_V1_additive_attention_on_numbers_worked_by_hand(is_padded, weights, out):
    one, zero = torch.ones(1, 1, dtype=torch.float64), torch.zeros(1, 1, dtype=torch.float64)
    k, v = torch.tensor([[0.0], [1.0]], dtype=zero.dtype), torch.tensor([[1.0], [3.0]], dtype=zero.dtype)
    allowed = torch.tensor([[True, not is_padded]])
    trace = attend_additive(zero, k, v, one, one, one[0], allowed=allowed)
    assert trace.weights[0].tolist() == pytest.approx(weights, abs=5e-5)
    assert trace.out.item() == pytest.approx(out, abs=5e-7)


def test_V1_one_query_and_one_key_keep_their_axes():
    one = torch.ones(1, 1, 1)
    trace = attend_additive(one, one, one * 5, one[0], one[0], one[0, 0])
    assert (trace.weights.tolist(), trace.out.tolist()) == ([[[1.0]]], [[[5.0]]])


def test_V1_V2_flops_of_other_scores_are_those_by_formula_and_additive_ones_cost_more():
    q, k, v, w_q, w_k, w_score, w = drawn(
        (N, D_Q), (M, D_K), (M, D_V), (D_Q, D_A), (D_K, D_A), (D_A,), (D_Q, D_K)
    )
    with FlopCounterMode(display=False) as counter:
        attend_additive(q, k, v, w_q, w_k, w_score)
    assert counter.get_total_flops() == additive.count_flops(N, M, D_Q, D_K, D_A, D_V)
    with FlopCounterMode(display=False) as counter:
        attend_multiplicative(q, k, v, w)
    assert counter.get_total_flops() == multiplicative.count_flops(N, M, D_Q, D_K, D_V)
    sizes = (1000, 1000, 64, 64)
    assert additive.count_flops(*sizes, 64, 64) > multiplicative.count_flops(*sizes, 64)


@pytest.mark.parametrize("allowed", [None, ALLOWED])
def test_V2_V6_multiplicative_attention_is_its_definition_with_its_gradients(allowed):
    q, k, v = qkv(D_Q)
    small = (drawn((D_Q, D_K))[0].detach() * 0.1).requires_grad_()
    trace = attend_multiplicative(q, k, v, small, allowed=allowed)
    pairs = by_pairs(lambda one, other: ((one @ small) * other).sum(dim=-1), q, k, v, allowed)
    assert_equal(trace.out, pairs, q, k, v, small)
    queries, keys, values = first_head(q, k, v)
    form = small.tolist()
    scores = [[reference_scores.multiplicative_score(one, key, form) for key in keys] for one in queries]
    looped = reference_scores.gather(scores, values, None if allowed is None else allowed.tolist())
    torch.testing.assert_close(trace.out[0, 0].tolist(), looped, rtol=0, atol=1e-10)


def test_V2_the_identity_makes_it_the_dot_product_and_a_root_the_scaled_one():
    q, k, v = qkv()
    identity = torch.eye(D_K, dtype=torch.float64)
    assert_equal(attend_multiplicative(q, k, v, identity).out, attend_dot(q, k, v).out, q, k, v)
    scaled = attend_multiplicative(q, k, v, identity / math.sqrt(D_K)).out
    assert_equal(scaled, scaled_dot_product_attention(q, k, v).out, q, k, v)
    plain = reference.attention(*first_head(q, k, v), scale=1.0)
    torch.testing.assert_close(attend_dot(q, k, v).out[0, 0].tolist(), plain.out, rtol=0, atol=1e-10)


@pytest.mark.parametrize("temperature", [1, 0.1])
def test_V2_cosine_attention_is_its_definition_with_its_gradients(temperature):
    q, k, v = qkv()
    trace = attend_cosine(q, k, v, temperature=temperature, allowed=ALLOWED)
    pairs = by_pairs(
        lambda one, other: torch.cosine_similarity(one, other, dim=-1), q, k, v, ALLOWED, 1 / temperature
    )
    assert_equal(trace.out, pairs, q, k, v)
    queries, keys, values = first_head(q, k, v)
    scores = [[reference_scores.cosine(one, key) / temperature for key in keys] for one in queries]
    looped = reference_scores.gather(scores, values, ALLOWED.tolist())
    torch.testing.assert_close(trace.out[0, 0].tolist(), looped, rtol=0, atol=1e-10)


@pytest.mark.parametrize("size", [1e-300, 1.0, 1e300])
def test_V2_a_direction_does_not_hang_on_the_size_and_zeros_have_none(size):
    q = torch.tensor([[3.0, 4.0], [0.0, 0.0]], dtype=torch.float64).mul(size).requires_grad_()
    k = torch.eye(2, dtype=torch.float64)
    trace = attend_cosine(q, k, k)
    torch.testing.assert_close(trace.attention.scores.tolist(), [[0.6, 0.8], [0.0, 0.0]])
    trace.out[1].sum().backward()
    assert q.grad[1].tolist() == [0, 0]


SLOPES = {3: [0.0625, 0.00390625, 0.25], 6: [0.25, 0.0625, 0.015625, 0.00390625, 0.5, 0.125]}


@pytest.mark.parametrize(("n_heads", "expected"), [*SLOPES.items(), (8, [2.0**-i for i in range(1, 9)])])
def test_V2_slopes_are_those_of_the_source_and_its_loops(n_heads, expected):
    assert head_slopes(n_heads).tolist() == expected == reference_scores.alibi_slopes(n_heads)


def test_V2_slopes_by_the_sentence_are_others_but_for_powers_of_two():
    naive = [0.39685, 0.15749, 0.0625, 0.0248, 0.00984, 0.00391]
    assert geometric_slopes(6).tolist() == pytest.approx(naive, abs=5e-6)
    assert geometric_slopes(8).tolist() == head_slopes(8).tolist()


@pytest.mark.parametrize("offset", [None, 0])
def test_V2_distances_are_taken_from_the_scores_with_their_gradients(offset):
    q, k, v = qkv()
    trace = attend_alibi(q, k, v, offset=offset, allowed=ALLOWED)
    shift, slopes = M - N if offset is None else offset, reference_scores.alibi_slopes(H)
    bias = [reference_scores.alibi_bias(N, M, slope, shift) for slope in slopes]
    assert trace.bias.tolist() == bias
    tensor = torch.tensor(bias, dtype=torch.float64)
    assert_equal(trace.out, scaled_dot_product_attention(q, k, v, allowed=ALLOWED, bias=tensor).out, q, k, v)
    loops = reference.attention(*first_head(q, k, v), allowed=ALLOWED.tolist(), bias=bias[0])
    torch.testing.assert_close(trace.out[0, 0].tolist(), loops.out, rtol=0, atol=1e-10)


@pytest.mark.parametrize("m", [0, 1, 5, 50])
@pytest.mark.parametrize(("pairing", "expected"), [("half", 15.129493), ("interleaved", 10.483012)])
def test_V2_products_of_turned_vectors_hang_on_their_distance_alone(pairing, expected, m):
    a = torch.tensor([[1.0, 2.0, 3.0, 4.0]], dtype=torch.float64)
    turned = [rotate(x, torch.tensor([place]), pairing=pairing) for x, place in ((a, m), (a.flip(-1), m + 2))]
    assert (turned[0] @ turned[1].T).item() == pytest.approx(expected, abs=5e-7)


@pytest.mark.parametrize("pairing", PAIRINGS)
def test_V2_rotary_attention_is_dense_attention_of_turned_loops_with_its_gradients(pairing):
    q, k, v = drawn((B, H, N, 6), (B, H, M, 6), (B, H, M, D_V))
    trace = attend_rotary(q, k, v, pairing=pairing, allowed=ALLOWED)
    is_interleaved = pairing == "interleaved"
    # A rotation is a matrix; its columns are what the loops make of unit vectors.
    units = torch.eye(6).tolist()
    turns = torch.tensor(
        [[reference_scores.rotate(unit, place, is_interleaved) for unit in units] for place in range(M)],
        dtype=torch.float64,
    )
    turned_q, turned_k = (
        torch.einsum("bhnd,nde->bhne", x, turns[start:]) for x, start in ((q, M - N), (k, 0))
    )
    assert_equal(trace.out, scaled_dot_product_attention(turned_q, turned_k, v, allowed=ALLOWED).out, q, k, v)
    moved = rotate(q, torch.arange(N) + 40, pairing=pairing) @ rotate(
        k, torch.arange(M) + 38, pairing=pairing
    ).transpose(-2, -1)
    torch.testing.assert_close(trace.attention.scores, moved, rtol=0, atol=1e-10)


@pytest.mark.parametrize("sink", [0.0, -3.0, 5.0])
def test_V4_a_sink_is_a_key_without_a_value_with_its_gradients(sink):
    q, k, v = qkv()
    trace = attend_sink(q, k, v, sink=sink, allowed=ALLOWED)
    scaled = (q @ k.transpose(-2, -1) / math.sqrt(D_K)).exp() * ALLOWED
    assert_equal(trace.out, scaled / (math.exp(sink) + scaled.sum(dim=-1, keepdim=True)) @ v, q, k, v)
    torch.testing.assert_close(trace.weights.sum(dim=-1) + trace.sink_weights, torch.ones(B, H, N).double())
    assert trace.sink_weights[..., 1].unique().tolist() == [1]
    steps = reference.attention(*first_head(q, k, v))
    looped = reference_scores.gather(steps.scaled, first_head(v)[0], ALLOWED.tolist(), sink)
    torch.testing.assert_close(trace.out[0, 0].tolist(), looped, rtol=0, atol=1e-10)


def test_V4_each_head_may_learn_a_sink_and_large_scores_do_not_overflow():
    q, k, v = qkv()
    sinks = torch.tensor([0.0, 1.0, -2.0], dtype=torch.float64, requires_grad=True)
    trace = attend_sink(q, k, v, sink=sinks)
    for head, sink in enumerate(sinks.tolist()):
        alone = attend_sink(q[:, head], k[:, head], v[:, head], sink=sink)
        torch.testing.assert_close(trace.out[:, head], alone.out, rtol=0, atol=1e-12)
    trace.out.sum().backward()
    assert sinks.grad.abs().min() > 0
    huge = attend_sink(q * 1e4, k, v)
    assert huge.out.isfinite().all()
    torch.testing.assert_close(huge.weights.sum(dim=-1) + huge.sink_weights, torch.ones(B, H, N).double())
    torch.testing.assert_close(attend_sink(q, -k * 1e9, v, sink=1e300).out, torch.zeros_like(trace.out))


def test_V4_low_rank_attention_is_its_definition_and_dense_at_full_rank():
    q, k, v = qkv()
    w_keys, w_values = drawn((3, M), (3, M))
    trace = attend_low_rank(q, k, v, w_keys, w_values)
    short = [torch.einsum("rm,bhmd->bhrd", w, x) for w, x in ((w_keys, k), (w_values, v))]
    assert_equal(trace.out, scaled_dot_product_attention(q, *short).out, q, k, v, w_keys, w_values)
    assert trace.attention.weights.shape == (B, H, N, 3)
    queries, keys, values = first_head(q, k, v)
    mixed = [reference.product(w.tolist(), x) for w, x in ((w_keys, keys), (w_values, values))]
    torch.testing.assert_close(
        trace.out[0, 0].tolist(), reference.attention(queries, *mixed).out, rtol=0, atol=1e-10
    )
    identity = torch.eye(M, dtype=torch.float64)
    dense = scaled_dot_product_attention(q, k, v).out
    assert_equal(attend_low_rank(q, k, v, identity, identity).out, dense, q, k, v)


def test_V4_low_rank_attention_costs_what_the_formula_says_and_its_mixture_keeps_products():
    setting = Setting(n=M, d_model=H * D_K, n_heads=H, batch=B, d_v=D_V, rank=3)
    terms = {term.name: term.value for term in list_terms("low_rank", "flops", setting)}
    q, k, v = qkv(n=M)
    w = draw_mixture(3, M, torch.Generator().manual_seed(0))
    with FlopCounterMode(display=False) as counter:
        attend_low_rank(q, k, v, w, w)
    assert counter.get_total_flops() == sum(
        terms[name] for name in ("scores", "out_heads", "k_short", "v_short")
    )
    wide = draw_mixture(40_000, 3, torch.Generator().manual_seed(0))
    torch.testing.assert_close(wide.T @ wide, torch.eye(3, dtype=torch.float64), rtol=0, atol=0.03)


def test_V6_a_decoder_reads_every_state_anew_but_a_fixed_vector_stays_the_same():
    q, k, v = drawn((N, D_Q), (M, D_K), (M, D_V))
    (w,) = drawn((D_Q, D_K))
    read = attend_multiplicative(q, k, v, w).out
    reached = torch.autograd.grad(read[0].sum(), v)[0].abs().sum(dim=-1)
    assert (reached > 0).all()
    assert (read[0] - read[1]).abs().max() > 0.1
    last = torch.zeros(N, M, dtype=torch.bool)
    last[:, -1] = True
    fixed = attend_multiplicative(q, k, v, w, allowed=last).out
    torch.testing.assert_close(fixed, v[-1].expand(N, D_V), rtol=0, atol=0)


GROUPED = {
    "dot": attend_dot,
    "cosine": attend_cosine,
    "alibi": attend_alibi,
    "rotary": attend_rotary,
    "sink": attend_sink,
    "low rank": lambda q, k, v: attend_low_rank(q, k, v, torch.eye(3, M).to(q), torch.eye(3, M).to(q)),
}


@pytest.mark.parametrize("name", GROUPED)
def test_V4_query_heads_may_share_keys_and_values_in_every_score_of_one_width(name):
    q, k, v = drawn((B, 6, N, 10), (B, H, M, 10), (B, H, M, D_V))
    repeated = (x.repeat_interleave(2, dim=1) for x in (k, v))
    assert_equal(GROUPED[name](q, k, v).out, GROUPED[name](q, *repeated).out, q, k, v)


@pytest.mark.parametrize("name", GROUPED)
def test_V4_half_precision_comes_back_in_half_and_near_the_exact_output(name):
    x = [each.detach().bfloat16() for each in drawn((B, H, N, 10), (B, H, M, 10), (B, H, M, D_V))]
    ours, exact = GROUPED[name](*x).out, GROUPED[name](*(each.double() for each in x)).out
    assert ours.dtype == torch.bfloat16
    torch.testing.assert_close(ours.double(), exact, rtol=0, atol=0.1)


ONE, WIDE, TWO = torch.ones(1, 1), torch.ones(1, 2), torch.ones(2, 1)
REFUSED = [
    (
        lambda: attend_additive(WIDE, ONE, ONE, ONE, ONE, ONE[0]),
        r"w_q must be q's width × d_a, \(2, 1\), got \(1, 1\)",
    ),
    (lambda: attend_additive(ONE, ONE, ONE, ONE, ONE, ONE), r"w_score must be .*, \(1,\), got \(1, 1\)"),
    (
        lambda: attend_additive(torch.ones(3, 1), torch.ones(3, 5, 1), torch.ones(3, 5, 1), ONE, ONE, ONE[0]),
        r"q and k must have the same leading axes, got \(\) and \(3,\)",
    ),
    (lambda: attend_additive(ONE, TWO, ONE, ONE, ONE, ONE[0]), "each key needs one value, got 2 keys and 1"),
    (lambda: attend_additive(ONE, ONE, ONE, ONE, ONE, ONE[0], allowed=ONE), "allowed must be torch.bool"),
    (
        lambda: attend_additive(ONE, ONE, ONE, ONE.double(), ONE, ONE[0]),
        "one type and device, got torch.float32 on cpu and torch.float64",
    ),
    (
        lambda: attend_multiplicative(ONE, ONE, ONE, WIDE),
        r"w must be q's width × k's width, \(1, 1\), got \(1, 2\)",
    ),
    (lambda: attend_multiplicative(ONE, ONE, ONE, 1.0), "w must be a torch.Tensor, got float"),
    (lambda: attend_cosine(ONE, ONE, ONE, temperature=0), "temperature must be above 0 .*got 0"),
    (lambda: attend_cosine(ONE, ONE, ONE, temperature=1e-320), "temperature must be above 0 .*got 1e-320"),
    (lambda: attend_dot(ONE, WIDE, ONE), "q and k must have one width, got 1 and 2"),
    (lambda: attend_alibi(ONE, ONE, ONE), "q needs an axis of heads, three axes or more, got 2"),
    (lambda: attend_alibi(*[ONE[None]] * 3, slopes=torch.ones(2)), r"each head, got \(2,\) for 1"),
    (lambda: head_slopes(0), "n_heads must be at least 1, got 0"),
    (lambda: attend_rotary(ONE, ONE, ONE), "the width must be even, got 1"),
    (lambda: attend_rotary(WIDE, WIDE, ONE, pairing="none"), "pairings are half or interleaved, got none"),
    (lambda: attend_rotary(WIDE, WIDE, ONE, base=0), "base must be above 0, got 0"),
    (lambda: rotate(WIDE, torch.arange(2)), r"one position, got 1 and positions \(2,\)"),
    (lambda: attend_sink(ONE, ONE, ONE, sink=math.inf), "sink must be finite, got inf"),
    (
        lambda: attend_sink(*[ONE[None]] * 3, sink=torch.ones(2)),
        r"sink must be one number for each head, \(1,\), got \(2,\)",
    ),
    (
        lambda: attend_low_rank(ONE, TWO, TWO, ONE, ONE),
        r"w_keys must be rank × keys, \(1, 2\), got \(1, 1\)",
    ),
    (
        lambda: draw_mixture(0, 3, torch.Generator()),
        "rank and n_keys must be at least 1, got 0 and 3",
    ),
]


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize(("attend", "rule"), REFUSED)
def test_V1_V2_what_cannot_be_scored_is_refused(attend, rule):
    with pytest.raises(ValueError, match=rule):
        attend()
