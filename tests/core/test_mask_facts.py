"""What a mask allows and costs, and how far it lets queries see: by hand, path by path, and by the gradient."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.utils.flop_counter import FlopCounterMode

from attention_core import patterns
from attention_core.mask_facts import (
    causal_window_field,
    field_sizes,
    influence_of_one_layer,
    layers_until,
    may_influence,
    measure_mask,
    reach,
    reach_of_query,
)
from attention_core.patterns import MAX_SIDE, PATTERNS
from attention_core.steps import scaled_dot_product_attention


@st.composite
def square_masks(draw, smallest=0):
    n = draw(st.integers(smallest, 6))
    rows = draw(st.lists(st.lists(st.booleans(), min_size=n, max_size=n), min_size=n, max_size=n))
    return torch.tensor(rows, dtype=torch.bool).reshape(n, n)


def test_facts_by_hand():
    facts = measure_mask(torch.tensor([[True, False, True], [False, False, False]]), d_k=5, d_v=7)
    assert (facts.n_queries, facts.n_keys, facts.pairs, facts.largest_row) == (2, 3, 2, 2)
    assert facts.share == pytest.approx(1 / 3, rel=1e-15)
    assert (facts.blind, facts.unseen) == ((1,), (1,))
    assert (facts.dense_flops, facts.useful_flops) == (2 * 6 * 12, 2 * 2 * 12)


def test_dense_flops_are_those_of_both_products_and_the_useful_ones_count_the_pairs():
    allowed = patterns.causal().build(1024)
    facts = measure_mask(allowed, d_k=64, d_v=64)
    assert facts.dense_flops == 2 * 1_073_741_824 // 8  # the trap's input has 8 heads
    assert facts.useful_flops == 2 * 524_800 * 128
    assert measure_mask(patterns.window(3, is_causal=True).build(1024), 64, 64).pairs == 3_069
    counter = FlopCounterMode(display=False)
    with counter:
        q, k, v = torch.zeros(5, 11), torch.zeros(7, 11), torch.zeros(7, 13)
        scaled_dot_product_attention(q, k, v, allowed=patterns.causal().build(5, 7))
    assert measure_mask(patterns.causal().build(5, 7), 11, 13).dense_flops == counter.get_total_flops()


@pytest.mark.parametrize("shape", [(0, 0), (0, 3), (3, 0)])
def test_a_mask_without_a_pair_has_a_share_of_0(shape):
    facts = measure_mask(torch.ones(shape, dtype=torch.bool), 2, 2)
    assert (facts.share, facts.pairs, facts.largest_row, facts.dense_flops) == (0.0, 0, 0, 0)
    assert (len(facts.blind), len(facts.unseen)) == shape


@pytest.mark.parametrize("name", PATTERNS)
def test_facts_agree_with_counting_pair_by_pair(name):
    allowed = PATTERNS[name].make().build(7, 5)
    facts = measure_mask(allowed, 3, 2)
    rows, columns = allowed.tolist(), allowed.T.tolist()
    assert facts.pairs == sum(map(sum, rows))
    assert facts.largest_row == max(map(sum, rows))
    assert facts.blind == tuple(n for n, row in enumerate(rows) if not any(row))
    assert facts.unseen == tuple(m for m, column in enumerate(columns) if not any(column))


def paths_from(position, steps, n_layers):
    """Walk every path, one step a layer, and name where they end."""
    if n_layers == 0:
        return {position}
    ends = set()
    for further in steps[position]:
        ends |= paths_from(further, steps, n_layers - 1)
    return ends


@settings(max_examples=60, deadline=None)
@given(allowed=square_masks(), n_layers=st.integers(0, 5), has_residual=st.booleans())
def test_reach_is_where_the_paths_end(allowed, n_layers, has_residual):
    n = len(allowed)
    steps = []
    for query, row in enumerate(allowed.tolist()):
        seen = {key for key in range(n) if row[key]}
        steps.append(seen | {query} if has_residual or len(seen) > 1 else seen)
    reached = reach(allowed, n_layers, has_residual=has_residual)
    for query in range(n):
        ends = paths_from(query, steps, n_layers)
        row = reach_of_query(allowed, query, n_layers, has_residual=has_residual)
        assert row.tolist() == reached[query].tolist()
        assert set(reached[query].nonzero().flatten().tolist()) == ends
        for key in range(n):
            influences = may_influence(allowed, query, key, n_layers, has_residual=has_residual)
            assert influences == (key in ends)
    sizes = field_sizes(allowed, n_layers, has_residual=has_residual)
    assert sizes.tolist() == reached.sum(dim=-1).tolist()


@settings(max_examples=30, deadline=None)
@given(allowed=square_masks(smallest=1), n_layers=st.integers(1, 3), has_residual=st.booleans())
def test_reach_is_where_the_gradient_of_stacked_attention_is_not_zero(allowed, n_layers, has_residual):
    n, width = len(allowed), 3
    generator = torch.Generator().manual_seed(n_layers)
    # Small weights: a saturated softmax has gradients that are too small to be told from 0.
    weights = 0.3 * torch.randn(n_layers, 3, width, width, dtype=torch.float64, generator=generator)
    x = torch.randn(n, width, dtype=torch.float64, generator=generator)

    def stack(x):
        for w_q, w_k, w_v in weights:
            out = scaled_dot_product_attention(x @ w_q, x @ w_k, x @ w_v, allowed=allowed).out
            x = x + out if has_residual else out
        return x

    jacobian = torch.autograd.functional.jacobian(stack, x)
    moved = jacobian.abs().sum(dim=(1, 3))
    reached = reach(allowed, n_layers, has_residual=has_residual)
    assert (moved[~reached] == 0).all()
    # Without a residual two positions may hold the same vector, and to choose between them moves nothing.
    if has_residual or n_layers == 1:
        assert (moved[reached] > 0).all()


@pytest.mark.parametrize("has_residual", [False, True])
@pytest.mark.parametrize("width", [1, 2, 3, 5])
def test_the_field_of_a_causal_window_grows_by_width_minus_1_a_layer_up_to_the_row(width, has_residual):
    n = 23
    allowed = patterns.window(width, is_causal=True).build(n)
    for n_layers in range(13):
        field = causal_window_field(width, n_layers)
        assert field == n_layers * (width - 1) + 1
        sizes = field_sizes(allowed, n_layers, has_residual=has_residual)
        assert sizes.tolist() == [min(row + 1, field) for row in range(n)]


@settings(max_examples=40, deadline=None)
@given(allowed=square_masks(smallest=1), has_residual=st.booleans())
def test_layers_until_is_the_first_power_that_holds_the_pair(allowed, has_residual):
    n = len(allowed)
    powers = [reach(allowed, n_layers, has_residual=has_residual) for n_layers in range(1, n + 1)]
    for query in range(n):
        for key in range(n):
            first = next((place + 1 for place, power in enumerate(powers) if power[query, key]), None)
            assert layers_until(allowed, query, key, has_residual=has_residual) == first


def test_layers_until_by_hand():
    allowed = patterns.window(3, is_causal=True).build(12)
    assert layers_until(allowed, 11, 0, has_residual=True) == 6  # 11 steps back, 2 a layer
    assert layers_until(allowed, 0, 11, has_residual=True) is None
    assert layers_until(torch.zeros(1, 1, dtype=torch.bool), 0, 0, has_residual=False) is None
    for query, key in ((-1, 0), (0, 12)):
        with pytest.raises(ValueError, match="within 0 and 11"):
            layers_until(allowed, query, key, has_residual=True)


def test_reach_of_a_full_side_does_not_overflow_and_stops_early():
    n = 300
    everything = torch.ones(n, n, dtype=torch.bool)
    assert reach(everything, 10**9, has_residual=False).all()
    chain = torch.ones(n, n, dtype=torch.bool).tril().triu(-1)
    assert torch.equal(reach(chain, n - 1, has_residual=True), everything.tril())
    assert not reach(chain, n - 2, has_residual=True)[-1, 0]


def test_a_swap_without_residual_alternates_between_both_places():
    swap = torch.tensor([[False, True], [True, False]])
    for n_layers in range(8):
        expected = swap if n_layers % 2 else ~swap
        assert torch.equal(reach(swap, n_layers, has_residual=False), expected)


def test_reach_is_a_bound_where_a_query_chooses_between_equal_values():
    # Both positions that the last query sees copy key 0 in the first layer: there is nothing to choose between.
    allowed = torch.tensor([[True, False, False], [True, False, False], [True, True, False]])
    x = torch.tensor([[1.0], [2.0], [3.0]], dtype=torch.float64)
    assert may_influence(allowed, 2, 2, 2, has_residual=False)
    for last in (3.0, 30.0):
        x[2] = last
        once = scaled_dot_product_attention(x, x, x, allowed=allowed).out
        assert scaled_dot_product_attention(once, once, once, allowed=allowed).out.flatten()[2] == 1.0


def test_a_query_that_hides_itself_moves_its_output_once_it_has_a_choice():
    before = torch.ones(3, 3, dtype=torch.bool).tril(-1)
    one = influence_of_one_layer(before, has_residual=False)
    assert one.diagonal().tolist() == [False, False, True]
    assert influence_of_one_layer(before, has_residual=True).diagonal().all()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda m: measure_mask(m, 0, 2), "at least 1, got d_k=0 and d_v=2"),
        (lambda m: measure_mask(m.new_ones(1, MAX_SIDE + 1), 2, 2), f"MAX_SIDE={MAX_SIDE}"),
        (lambda m: reach(m, -1, has_residual=True), "n_layers must not be negative, got -1"),
        (lambda m: reach(m[:2], 1, has_residual=True), r"as many keys as queries, got \(2, 3\)"),
        (lambda m: may_influence(m, 3, 0, 1, has_residual=True), "0 and 2, got query=3 and key=0"),
        (lambda m: may_influence(m, 0, -1, 1, has_residual=True), "0 and 2, got query=0 and key=-1"),
        (lambda m: causal_window_field(0, 1), "at least 1, got 0"),
        (lambda m: causal_window_field(1, -1), "negative, got -1"),
    ],
)
def test_wrong_input_is_refused_with_the_rule_and_the_values(make, message, unchecked):
    with pytest.raises(ValueError, match=message):
        make(torch.ones(3, 3, dtype=torch.bool))
