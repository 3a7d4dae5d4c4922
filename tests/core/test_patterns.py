"""Masks as rules of two positions: against loops, torch's own masks and flex_attention, and in combination."""

import inspect
import itertools

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.nn.attention.bias import causal_lower_right, causal_upper_left
from torch.nn.attention.flex_attention import create_block_mask, create_mask, flex_attention

from attention_core import masks, patterns
from attention_core.patterns import MAX_SIDE, PATTERNS, Pattern
from attention_core.steps import scaled_dot_product_attention

EXACT = {"rtol": 0, "atol": 1e-12}
SMALL = st.integers(1, 5)
BOOLS = st.booleans()


def bits(allowed):
    return allowed.int().tolist()


def loop(sees, n_queries, n_keys, offset):
    """The definition: ask for every pair, one after the other, with plain numbers."""
    return [[bool(sees(n + offset, m)) for m in range(n_keys)] for n in range(n_queries)]


def past(is_causal, query, key):
    return key <= query or not is_causal


def multiples(step):
    """Every distance that a step reaches; no remainder is taken, as the rules do."""
    return set(range(0, 60, step))


def cells_around(query, height, width, radius):
    """Walk over the square around a patch and name the positions in it."""
    if not 0 <= query < height * width:
        return set()
    row, column = divmod(query, width)
    rows = range(max(0, row - radius), min(height, row + radius + 1))
    columns = range(max(0, column - radius), min(width, column + radius + 1))
    return {r * width + c for r, c in itertools.product(rows, columns)}


def block_of(position, size):
    """Count blocks from a far one, forwards."""
    number, start = -20, -20 * size
    while start + size <= position:
        number, start = number + 1, start + size
    return number


# By name: the arguments' strategies, and whether a query sees a key, in plain numbers.
DEFINITIONS = {
    "full": ({}, lambda q, k: True),
    "causal": ({}, lambda q, k: k <= q),
    "window": (
        {"width": SMALL, "is_causal": BOOLS},
        lambda q, k, width, is_causal: k in range(q - width + 1, q + 1 if is_causal else q + width),
    ),
    "banded": (
        {"below": st.integers(0, 5), "above": st.integers(0, 5)},
        lambda q, k, below, above: k in range(q - below, q + above + 1),
    ),
    "block": (
        {"size": SMALL, "is_causal": BOOLS},
        lambda q, k, size, is_causal: block_of(q, size) == block_of(k, size) and past(is_causal, q, k),
    ),
    "dilated": (
        {"width": SMALL, "dilation": SMALL, "is_causal": BOOLS},
        lambda q, k, width, dilation, is_causal: (
            abs(k - q) in [step * dilation for step in range(width)] and past(is_causal, q, k)
        ),
    ),
    "strided": (
        {"stride": SMALL, "is_causal": BOOLS},
        lambda q, k, stride, is_causal: (
            (abs(k - q) in range(stride) or abs(k - q) in multiples(stride)) and past(is_causal, q, k)
        ),
    ),
    "prefix": ({"length": st.integers(0, 6)}, lambda q, k, length: k in range(length) or k <= q),
    "global_tokens": (
        {"count": st.integers(0, 6)},
        lambda q, k, count: q in range(count) or k in range(count),
    ),
    "patches": (
        {"height": SMALL, "width": SMALL, "radius": st.integers(0, 3)},
        lambda q, k, height, width, radius: k in cells_around(q, height, width, radius),
    ),
}


def test_every_pattern_but_the_random_one_has_a_definition_as_a_loop():
    assert DEFINITIONS.keys() == PATTERNS.keys() - {"random"}


@pytest.mark.parametrize("name", DEFINITIONS)
@settings(max_examples=30, deadline=None)
@given(data=st.data())
def test_a_pattern_agrees_with_its_loop_for_any_shape_and_offset(name, data):
    arguments, sees = DEFINITIONS[name]
    values = {argument: data.draw(values, argument) for argument, values in arguments.items()}
    n_queries, n_keys = data.draw(st.integers(0, 9)), data.draw(st.integers(0, 9))
    offset = data.draw(st.one_of(st.none(), st.integers(-9, 9)))
    allowed = PATTERNS[name].make(**values).build(n_queries, n_keys, offset)
    shift = n_keys - n_queries if offset is None else offset
    assert allowed.shape == (n_queries, n_keys)
    assert allowed.dtype == torch.bool
    assert allowed.tolist() == loop(lambda q, k: sees(q, k, **values), n_queries, n_keys, shift)


@pytest.mark.parametrize("n", [3, 4, 5])
@pytest.mark.parametrize("name", ["banded", "block", "dilated", "strided", "window"])
def test_a_pattern_of_width_4_agrees_with_its_loop_just_below_at_and_above_it(name, n):
    values = {
        "banded": {"below": 4, "above": 2},
        "block": {"size": 4, "is_causal": False},
        "dilated": {"width": 2, "dilation": 4, "is_causal": False},
        "strided": {"stride": 4, "is_causal": True},
        "window": {"width": 4, "is_causal": True},
    }[name]
    allowed = PATTERNS[name].make(**values).build(n)
    assert allowed.tolist() == loop(lambda q, k: DEFINITIONS[name][1](q, k, **values), n, n, 0)


def test_blocks_by_hand_just_below_at_and_above_their_size():
    assert bits(patterns.block(3).build(2)) == [[1, 1], [1, 1]]
    assert bits(patterns.block(3).build(3)) == [[1, 1, 1]] * 3
    assert bits(patterns.block(3).build(4)) == [[1, 1, 1, 0]] * 3 + [[0, 0, 0, 1]]


def test_causal_pairs_are_half_of_the_square_with_the_diagonal():
    for n in (0, 1, 2, 7, 64, 1024):
        assert patterns.causal().build(n).sum().item() == n * (n + 1) // 2
    assert patterns.causal().build(1024).sum().item() == 524_800
    assert patterns.window(3, is_causal=True).build(1024).sum().item() == 3_069


def test_window_counts_the_query_itself():
    assert patterns.window(3, is_causal=True).build(6).sum(dim=-1).tolist() == [1, 2, 3, 3, 3, 3]


def test_banded_with_equal_sides_is_the_window_that_counts_the_query_itself():
    for width in (1, 2, 5):
        assert torch.equal(patterns.banded(width - 1, width - 1).build(7), patterns.window(width).build(7))
        causal_window = patterns.window(width, is_causal=True).build(7)
        assert torch.equal(patterns.banded(width - 1, 0).build(7), causal_window)


def test_dilation_of_1_is_the_window_and_a_prefix_of_0_the_causal_mask():
    assert torch.equal(patterns.dilated(3, 1).build(7), patterns.window(3).build(7))
    assert torch.equal(patterns.prefix(0).build(7), patterns.causal().build(7))
    assert torch.equal(patterns.prefix(7).build(7), patterns.full().build(7))


def test_strided_is_the_two_parts_of_the_sparse_transformer_together():
    # Child et al. 2019: A₁ = {t, …, i} with t = max(0, i − l), A₂ = {j : (i − j) mod l = 0}, j ≤ i.
    stride, n = 4, 13
    allowed = patterns.strided(stride).build(n)
    for i in range(n):
        local = set(range(max(0, i - stride), i + 1))
        far = {j for j in range(i + 1) if (i - j) % stride == 0}
        assert set(allowed[i].nonzero().flatten().tolist()) == local | far


def test_global_tokens_are_symmetric_and_see_everything():
    allowed = patterns.global_tokens(2).build(5)
    assert torch.equal(allowed, allowed.T)
    assert bits(allowed) == [[1] * 5, [1] * 5, *[[1, 1, 0, 0, 0]] * 3]


def test_queries_before_the_first_key_are_no_global_tokens():
    assert bits(patterns.global_tokens(1).build(3, 2)) == [[1, 0], [1, 1], [1, 0]]


def test_a_square_of_patches_does_not_reach_over_the_edge_to_the_next_row():
    allowed = patterns.patches(2, 3, 1).build(6)
    assert bits(allowed)[2] == [0, 1, 1, 0, 1, 1]
    assert bits(allowed)[3] == [1, 1, 0, 1, 1, 0]
    assert torch.equal(allowed, allowed.T)


def test_positions_outside_the_image_neither_see_nor_are_seen():
    allowed = patterns.patches(2, 2, 1).build(6)
    assert allowed[:4, :4].all()
    assert allowed.sum().item() == 16


def test_random_depends_on_the_seed_and_the_pair_alone():
    one = patterns.random(0.3, seed=7)
    large = one.build(64)
    assert torch.equal(large, patterns.random(0.3, seed=7).build(64))
    assert torch.equal(large[:5, :9], one.build(5, 9, offset=0))
    assert torch.equal(large[10:12], one.build(2, 64, offset=10))
    assert torch.equal(large[-2:], one.build(2, 64))
    assert not torch.equal(large, patterns.random(0.3, seed=8).build(64))


def test_random_touches_no_generator_that_others_use():
    before = torch.get_rng_state()
    patterns.random(0.5, seed=1).build(8)
    assert torch.equal(before, torch.get_rng_state())


@pytest.mark.parametrize("share", [0, 0.1, 0.5, 0.9, 1])
def test_random_keeps_its_share_in_all_rows_and_columns_and_the_diagonal(share):
    n = 200
    for seed in (0, 1, 2**31, 2**62):
        allowed = patterns.random(share, seed).build(n)
        assert allowed.diagonal().all()
        off_diagonal = allowed.float() - torch.eye(n)
        # Five standard deviations of a fair draw: of the whole, and of one row of 199.
        spread = (share * (1 - share)) ** 0.5
        assert abs(off_diagonal.sum().item() / (n * (n - 1)) - share) <= 5 * spread / n
        for axis in (0, 1):
            by_line = off_diagonal.sum(dim=axis) / (n - 1)
            assert (by_line - share).abs().max().item() <= 5 * spread / n**0.5
            assert by_line.std().item() == pytest.approx(spread / n**0.5, rel=0.25, abs=1e-9)


def test_random_masks_of_different_seeds_rows_and_transposed_are_not_correlated():
    n, limit = 256, 5 / 256
    signs = [patterns.random(0.5, seed).build(n).float() * 2 - 1 for seed in (0, 1, 2, 3, 2**31)]
    for first, second in itertools.combinations(signs, 2):
        assert abs((first * second).mean().item() - 1 / n) < limit
    for one in signs:
        assert abs((one * one.T).mean().item() - 1 / n) < limit
        assert abs((one[1:] * one[:-1]).mean().item()) < limit + 2 / n
        assert abs((one[:, 1:] * one[:, :-1]).mean().item()) < limit + 2 / n


@settings(max_examples=30, deadline=None)
@given(n=st.integers(0, 7), m=st.integers(0, 7), first=st.integers(0, 9), second=st.integers(0, 9))
def test_rules_join_as_the_masks_they_build(n, m, first, second):
    rules = [choice.make() for choice in PATTERNS.values()]
    one, other = rules[first], rules[second]
    built, built_other = one.build(n, m), other.build(n, m)
    assert torch.equal((one & other).build(n, m), built & built_other)
    assert torch.equal((one | other).build(n, m), built | built_other)
    assert torch.equal((~one).build(n, m), ~built)
    assert torch.equal((~(one & other)).build(n, m), (~one | ~other).build(n, m))


def test_a_rule_of_ones_own_joins_with_the_others():
    even = Pattern(lambda query, key: (query + key) % 2 == 0)
    assert bits((even & patterns.causal()).build(3)) == [[1, 0, 0], [0, 1, 0], [1, 0, 1]]


@pytest.mark.parametrize("name", PATTERNS)
def test_a_pattern_is_built_where_it_is_asked_for(name):
    allowed = PATTERNS[name].make().build(3, device="meta")
    assert (allowed.device.type, allowed.dtype, allowed.shape) == ("meta", torch.bool, (3, 3))


def test_masks_and_patterns_are_one_definition():
    assert torch.equal(masks.causal(5, 7), patterns.causal().build(5, 7))
    assert torch.equal(masks.causal(5, 7, offset=0), patterns.causal().build(5, 7, offset=0))
    assert torch.equal(masks.window(5, 7, 3), patterns.window(3).build(5, 7))
    assert torch.equal(masks.full(5, 7), patterns.full().build(5, 7))


# Alignment, where queries and keys differ in number


@pytest.mark.parametrize(("n", "m"), [(3, 3), (2, 5), (1, 4), (4, 2), (5, 1)])
@pytest.mark.filterwarnings("ignore:Lower right causal bias will produce NaNs")
def test_offsets_are_the_corners_of_torchs_causal_biases(n, m):
    corners = {0: causal_upper_left(n, m), None: causal_lower_right(n, m)}
    for offset, bias in corners.items():
        allowed = patterns.causal().build(n, m, offset)
        assert torch.equal(allowed, bias._materialize())


@pytest.mark.parametrize(("n", "m"), [(3, 3), (2, 5), (1, 4)])
def test_attention_with_torchs_causal_biases_equals_ours(n, m):
    generator = torch.Generator().manual_seed(1)
    q, k, v = (torch.randn(1, 1, rows, 8, dtype=torch.float64, generator=generator) for rows in (n, m, m))
    for offset, bias in {0: causal_upper_left(n, m), None: causal_lower_right(n, m)}.items():
        theirs = torch.nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=bias)
        ours = scaled_dot_product_attention(q, k, v, allowed=patterns.causal().build(n, m, offset)).out
        torch.testing.assert_close(ours, theirs, **EXACT)


def test_2_queries_on_5_keys_top_left_and_bottom_right():
    assert bits(patterns.causal().build(2, 5)) == [[1, 1, 1, 1, 0], [1, 1, 1, 1, 1]]
    assert bits(patterns.causal().build(2, 5, offset=0)) == [[1, 0, 0, 0, 0], [1, 1, 0, 0, 0]]


def test_decoding_one_token_decides_for_the_bottom_right():
    q, k = torch.zeros(1, 1), torch.zeros(3, 1)
    v = torch.tensor([[3.0, 0.0], [0.0, 3.0], [6.0, 6.0]])

    def out(offset):
        allowed = patterns.causal().build(1, 3, offset)
        return scaled_dot_product_attention(q, k, v, allowed=allowed).out

    torch.testing.assert_close(out(None), torch.tensor([[3.0, 3.0]]))
    assert out(0).tolist() == [[3.0, 0.0]]
    top_left = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
    assert top_left.tolist() == [[3.0, 0.0]]


def test_4_queries_on_2_keys_leave_the_first_two_without_a_key():
    allowed = patterns.causal().build(4, 2)
    out = scaled_dot_product_attention(
        torch.zeros(4, 1), torch.zeros(2, 1), torch.eye(2), allowed=allowed
    ).out
    assert out.tolist() == [[0.0, 0.0], [0.0, 0.0], [1.0, 0.0], [0.5, 0.5]]


@pytest.mark.parametrize("name", PATTERNS)
def test_decoding_token_by_token_sees_what_the_whole_pass_sees(name):
    whole = PATTERNS[name].make().build(9)
    for n in range(9):
        step = PATTERNS[name].make().build(1, n + 1)
        assert torch.equal(step[0], whole[n, : n + 1])


# flex_attention


@pytest.mark.parametrize("offset", [0, 2, -1])
@pytest.mark.parametrize("name", PATTERNS)
def test_flex_attention_builds_the_same_mask_from_the_rule(name, offset):
    rule = PATTERNS[name].make()
    theirs = create_mask(rule.mask_mod(offset), None, None, 5, 7, device="cpu")
    assert torch.equal(theirs[0, 0], rule.build(5, 7, offset))


@pytest.mark.parametrize("name", PATTERNS)
@pytest.mark.filterwarnings("ignore:flex_attention called without torch.compile")
def test_flex_attention_of_the_rule_equals_ours_with_the_mask(name, unchecked):
    # unchecked: flex_attention traces the rule, and the shape checker cannot be traced.
    n, m, offset = 5, 7, 2
    rule = PATTERNS[name].make()
    generator = torch.Generator().manual_seed(1)
    q, k, v = (torch.randn(1, 2, rows, 8, dtype=torch.float64, generator=generator) for rows in (n, m, m))
    block_mask = create_block_mask(rule.mask_mod(offset), None, None, n, m, device="cpu")
    theirs = flex_attention(q, k, v, block_mask=block_mask)
    ours = scaled_dot_product_attention(q, k, v, allowed=rule.build(n, m, offset)).out
    torch.testing.assert_close(ours, theirs, **EXACT)


# The registry and what is refused


def test_the_registry_names_every_constructor_and_gives_its_parameters_in_order():
    assert len(PATTERNS) == 11
    for name, choice in PATTERNS.items():
        assert choice.constructor is getattr(patterns, name)
        assert tuple(inspect.signature(choice.constructor).parameters) == tuple(
            parameter.name for parameter in choice.parameters
        )


@pytest.mark.parametrize("name", PATTERNS)
def test_both_ends_of_every_range_are_legal_and_the_defaults_lie_within(name):
    for parameter in PATTERNS[name].parameters:
        assert parameter.lowest <= parameter.default <= parameter.highest
        assert isinstance(parameter.lowest, bool) == (parameter.name == "is_causal")
        for value in (parameter.lowest, parameter.highest):
            assert PATTERNS[name].make(**{parameter.name: value}).build(5).shape == (5, 5)
    assert PATTERNS[name].make().build(MAX_SIDE, 1).shape == (MAX_SIDE, 1)


def test_below_its_range_a_constructor_refuses_by_itself(unchecked):
    for choice in PATTERNS.values():
        defaults = {parameter.name: parameter.default for parameter in choice.parameters}
        for parameter in choice.parameters:
            if parameter.name != "is_causal":
                with pytest.raises(ValueError, match=parameter.name):
                    choice.constructor(**{**defaults, parameter.name: parameter.lowest - 1})
                with pytest.raises(ValueError, match=f"{parameter.name}.*{parameter.lowest}"):
                    choice.make(**{parameter.name: parameter.lowest - 1})
                with pytest.raises(ValueError, match=f"{parameter.name}.*{parameter.highest}"):
                    choice.make(**{parameter.name: parameter.highest + 1})


def test_a_mask_too_large_is_refused_before_it_is_allocated():
    assert patterns.causal().build(MAX_SIDE, 2).shape == (MAX_SIDE, 2)
    for n, m in ((MAX_SIDE + 1, 2), (2, MAX_SIDE + 1), (10**12, None)):
        with pytest.raises(ValueError, match=f"MAX_SIDE={MAX_SIDE}.*n_queries={n}"):
            patterns.full().build(n, m)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: patterns.causal().build(-1), "n_queries=-1 and n_keys=-1"),
        (lambda: patterns.causal().build(2, -3), "n_queries=2 and n_keys=-3"),
        (lambda: patterns.window(0), "width counts the query itself.*at least 1, got 0"),
        (lambda: patterns.window(2.5), "width must be a whole number, got 2.5"),
        (lambda: patterns.block(10**30), "size must be at most"),
        (lambda: patterns.random(float("nan"), 0), "share must lie within 0 and 1, got nan"),
        (lambda: patterns.random(1.5, 0), "share must lie within 0 and 1, got 1.5"),
        (lambda: PATTERNS["window"].make(size=3), r"\['is_causal', 'width'\], got \['size'\]"),
        (lambda: PATTERNS["random"].make(share=float("nan")), "share must lie within 0.0 and 1.0, got nan"),
    ],
)
def test_wrong_input_is_refused_with_the_rule_and_the_values(make, message, unchecked):
    with pytest.raises(ValueError, match=message):
        make()


def test_huge_numbers_within_the_range_do_not_overflow():
    huge = 2**63 - 1
    assert patterns.dilated(huge, huge).build(3).tolist() == torch.eye(3, dtype=torch.bool).tolist()
    assert patterns.banded(huge, huge).build(3).all()
    assert patterns.window(huge).build(3).all()
    assert patterns.block(huge).build(3).all()
    assert patterns.strided(huge, is_causal=False).build(3).all()
    assert patterns.patches(huge, huge, huge).build(3).all()
