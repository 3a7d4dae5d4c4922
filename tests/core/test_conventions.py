"""One mask in four conventions and the calls that take each: there and back, refused, and fed to the wrong one."""

import itertools
import math

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_core import masks
from attention_core.consumers import CONSUMERS, feed, identity_mha
from attention_core.conventions import (
    CONVENTIONS,
    AmbiguousMaskError,
    MaskValueError,
    guess_convention,
    read_mask,
    read_unlabelled_mask,
    write_mask,
)
from attention_core.steps import scaled_dot_product_attention

INF = math.inf
FLOATS = (torch.float64, torch.float32, torch.float16, torch.bfloat16)
INTEGERS = (torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64)
EXACT = {"rtol": 0, "atol": 1e-12}
ZEROS = torch.zeros(3, 2, dtype=torch.float64)
VALUES = torch.tensor([[1.0, 0.0], [0.0, 1.0], [4.0, 4.0]], dtype=torch.float64)


@st.composite
def bool_masks(draw):
    shape = draw(st.sampled_from([(3,), (0, 2), (2, 3), (3, 3), (2, 1, 3), (2, 2, 3, 3)]))
    n = math.prod(shape)
    return torch.tensor(draw(st.lists(st.booleans(), min_size=n, max_size=n)), dtype=torch.bool).reshape(
        shape
    )


# There and back


@settings(max_examples=40, deadline=None)
@given(allowed=bool_masks())
def test_a_mask_comes_back_from_every_convention_and_type(allowed):
    types = {
        "allowed": (None, torch.bool),
        "blocked": (None, torch.bool),
        "additive": (None, *FLOATS),
        "binary": (None, *FLOATS, *INTEGERS),
    }
    assert types.keys() == set(CONVENTIONS)
    for convention in CONVENTIONS:
        for dtype in types[convention]:
            written = write_mask(allowed, convention, dtype)
            assert written.shape == allowed.shape
            assert written.dtype == (dtype or written.dtype)
            assert torch.equal(read_mask(written, convention), allowed)


def test_the_four_conventions_by_hand():
    allowed = torch.tensor([[True, False], [False, False]])
    assert write_mask(allowed, "allowed").tolist() == [[True, False], [False, False]]
    assert write_mask(allowed, "blocked").tolist() == [[False, True], [True, True]]
    assert write_mask(allowed, "additive").tolist() == [[0.0, -INF], [-INF, -INF]]
    assert write_mask(allowed, "binary").tolist() == [[1.0, 0.0], [0.0, 0.0]]
    assert write_mask(allowed, "binary", torch.int64).tolist() == [[1, 0], [0, 0]]


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("bits", [[True, True], [True, False], [False, False]])
def test_additive_masks_are_selected_and_hold_no_nan(dtype, bits):
    written = write_mask(torch.tensor(bits), "additive", dtype)
    assert written.tolist() == [0.0 if bit else -INF for bit in bits]
    multiplied = (1 - torch.tensor([1.0, 0.0])) * -INF
    assert multiplied[0].isnan()
    assert multiplied[1] == -INF


def test_what_is_written_or_read_is_never_the_tensor_that_was_given():
    allowed = torch.tensor([True, False])
    for convention in CONVENTIONS:
        written = write_mask(allowed, convention)
        read = read_mask(written, convention)
        written.fill_(False)
        assert read.tolist() == [True, False]
    assert allowed.tolist() == [True, False]


def test_integers_can_be_read_as_what_is_blocked_as_old_byte_masks_were():
    assert read_mask(torch.tensor([0, 1], dtype=torch.uint8), "blocked").tolist() == [True, False]


# What is refused


@pytest.mark.parametrize(
    ("convention", "values", "place", "value"),
    [
        ("additive", [[0.0, -INF], [-1e9, 0.0]], (1, 0), -1e9),
        ("additive", [[0.0, torch.finfo(torch.float64).min]], (0, 1), torch.finfo(torch.float64).min),
        ("additive", [[0.0, 1.0]], (0, 1), 1.0),
        ("additive", [[0.5, -INF]], (0, 0), 0.5),
        ("additive", [[0.0, INF]], (0, 1), INF),
        ("binary", [[1.0, 0.0], [0.0, 2.0]], (1, 1), 2.0),
        ("binary", [[-INF, 0.0]], (0, 0), -INF),
        ("binary", [[1, 0], [0, -1]], (1, 1), -1),
        ("blocked", [[1, 0], [0, 3]], (1, 1), 3),
    ],
)
def test_a_value_that_a_convention_has_not_is_refused_with_its_place(convention, values, place, value):
    mask = torch.tensor(values, dtype=torch.float64 if isinstance(value, float) else torch.int64)
    with pytest.raises(MaskValueError) as caught:
        read_mask(mask, convention)
    assert (caught.value.convention, caught.value.place, caught.value.value) == (convention, place, value)
    assert f"got {value} at {place}" in str(caught.value)


@pytest.mark.parametrize("convention", ["additive", "binary"])
def test_nan_is_no_mask(convention):
    with pytest.raises(MaskValueError) as caught:
        read_mask(torch.tensor([0.0, math.nan]), convention)
    assert caught.value.place == (1,)
    assert math.isnan(caught.value.value)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("values", [[0, 0, 1], [1, 1, 1], [1, 0, 1]])
def test_floats_of_0_and_1_are_refused_with_both_readings(values, dtype):
    mask = torch.tensor([values], dtype=dtype)
    for read in (guess_convention, read_unlabelled_mask):
        with pytest.raises(
            AmbiguousMaskError, match=r"binary \(1 = may see.*additive \(0 and 1 are added"
        ) as caught:
            read(mask)
        assert caught.value.readings == ("binary", "additive")
    assert read_mask(mask, "binary").tolist() == [[value == 1 for value in values]]


@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize("values", [[0, 0, 1], [1, 1, 1], [0, 0, 0]])
def test_integers_of_0_and_1_are_refused_with_both_readings(values, dtype):
    mask = torch.tensor(values, dtype=dtype)
    with pytest.raises(AmbiguousMaskError, match=r"binary \(1 = may see.*blocked \(1 = may not") as caught:
        read_unlabelled_mask(mask)
    assert caught.value.readings == ("binary", "blocked")
    first, second = (read_mask(mask, reading) for reading in caught.value.readings)
    assert torch.equal(first, ~second)


@pytest.mark.parametrize("dtype", FLOATS)
def test_floats_of_0_alone_hide_nothing_or_all_and_are_refused(dtype):
    for values in ([[0.0, 0.0]], [[0.0, -0.0]], [[0.0]]):
        mask = torch.tensor(values, dtype=dtype)
        for read in (guess_convention, read_unlabelled_mask):
            with pytest.raises(AmbiguousMaskError) as caught:
                read(mask)
            assert caught.value.readings == ("binary", "additive")
        assert not read_mask(mask, "binary").any()
        assert read_mask(mask, "additive").all()
    assert guess_convention(torch.zeros(0, 2, dtype=dtype)) == "additive"
    assert guess_convention(torch.full((1, 2), -INF, dtype=dtype)) == "additive"


def test_bool_is_read_as_what_is_allowed_and_floats_of_0_and_minus_infinity_as_additive():
    allowed = torch.tensor([[True, False]])
    assert guess_convention(allowed) == "allowed"
    assert torch.equal(read_unlabelled_mask(allowed), allowed)
    assert torch.equal(read_unlabelled_mask(write_mask(allowed, "additive")), allowed)


@pytest.mark.parametrize(
    ("values", "place"),
    [
        ([0.0, -INF, 1.0], (2,)),
        ([0.0, -1e9], (1,)),
        ([1.0, 0.5], (1,)),
        ([math.nan, 0.0], (0,)),
        ([1, 2], (1,)),
    ],
)
def test_other_numbers_are_no_mask_in_any_convention(values, place):
    with pytest.raises(MaskValueError) as caught:
        guess_convention(torch.tensor(values))
    assert (caught.value.convention, caught.value.place) == (None, place)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda bits: write_mask(bits, "inverted"), "conventions are.*got 'inverted'"),
        (lambda bits: read_mask(bits, "inverted"), "conventions are.*got 'inverted'"),
        (
            lambda bits: write_mask(bits.float(), "allowed"),
            "allowed is read from torch.bool, got torch.float32",
        ),
        (
            lambda bits: write_mask(bits, "additive", torch.int64),
            "additive can be written in.*got torch.int64",
        ),
        (lambda bits: write_mask(bits, "blocked", torch.float32), "blocked can be written in torch.bool"),
        (lambda bits: read_mask(bits, "additive"), "additive is read from.*got torch.bool"),
        (lambda bits: read_mask(bits.float(), "blocked"), "blocked is read from.*got torch.float32"),
        (lambda bits: read_mask(bits.to(torch.complex64), "binary"), "got torch.complex64"),
        (lambda bits: guess_convention(bits.to(torch.complex64)), "got torch.complex64"),
    ],
)
def test_wrong_types_and_conventions_are_refused_with_the_rule(make, message, unchecked):
    with pytest.raises(ValueError, match=message):
        make(torch.tensor([True, False]))


# The calls that take them


def rows_for(consumer, allowed):
    return allowed[-1:] if consumer.has_one_row else allowed


def randomly(n=5, m=5, width=3):
    generator = torch.Generator().manual_seed(1)
    return tuple(torch.randn(rows, width, dtype=torch.float64, generator=generator) for rows in (n, m, m))


@pytest.mark.parametrize("name", CONSUMERS)
@pytest.mark.parametrize(("n", "m"), [(5, 5), (3, 5)])
def test_every_call_fed_in_its_convention_equals_the_core(name, n, m):
    consumer = CONSUMERS[name]
    q, k, v = randomly(n, m)
    padded = masks.padding([m - 2], n_keys=m)[0]
    allowed = padded if consumer.has_one_row else masks.causal(n, m) & padded
    mask = write_mask(
        allowed, consumer.convention, torch.float64 if consumer.convention == "additive" else None
    )
    outcome = feed(consumer, q, k, v, mask)
    assert outcome.refusal is None
    expected = scaled_dot_product_attention(q, k, v, allowed=allowed).out
    torch.testing.assert_close(outcome.out, expected, **EXACT)


@pytest.mark.parametrize("name", CONSUMERS)
def test_the_line_that_is_shown_gives_what_was_run(name):
    consumer = CONSUMERS[name]
    q, k, v = randomly()
    dtype = torch.float64 if consumer.convention == "additive" else None
    mask = write_mask(rows_for(consumer, masks.causal(5)), consumer.convention, dtype)
    names = {"q": q, "k": k, "v": v, "mask": mask, "mha": identity_mha(q), "F": F}
    names["scaled_dot_product_attention"] = scaled_dot_product_attention
    torch.testing.assert_close(eval(consumer.call, names), feed(consumer, q, k, v, mask).out, **EXACT)


def test_the_module_with_identity_projections_draws_no_random_number_and_has_no_gradient():
    before = torch.get_rng_state()
    mha = identity_mha(torch.zeros(2, 3, dtype=torch.float64))
    assert torch.equal(before, torch.get_rng_state())
    assert not any(parameter.requires_grad for parameter in mha.parameters())
    assert all(parameter.dtype == torch.float64 for parameter in mha.parameters())


def test_polarity_trap_triu_shows_the_future_alone():
    upper = torch.ones(3, 3).triu(1).bool()
    right = [[1.0, 0.0], [0.5, 0.5], [5 / 3, 5 / 3]]
    inverted = [[2.0, 2.5], [4.0, 4.0], [0.0, 0.0]]
    for name in ("sdpa_bool", "core"):
        assert feed(CONSUMERS[name], ZEROS, ZEROS, VALUES, upper).out.tolist() == inverted
        out = feed(CONSUMERS[name], ZEROS, ZEROS, VALUES, ~upper).out
        torch.testing.assert_close(out, torch.tensor(right, dtype=torch.float64), **EXACT)
    for_module = feed(CONSUMERS["mha_bool"], ZEROS, ZEROS, VALUES, upper).out
    torch.testing.assert_close(for_module, torch.tensor(right, dtype=torch.float64), **EXACT)
    wrong = feed(CONSUMERS["mha_bool"], ZEROS, ZEROS, VALUES, ~upper).out
    assert wrong[:2].tolist() == inverted[:2]
    assert wrong[2].isnan().all()


def test_a_later_token_moves_no_earlier_row_through_any_call_fed_rightly():
    upper = torch.ones(5, 5).triu(1).bool()
    q, k, v = randomly()
    for consumer in (consumer for consumer in CONSUMERS.values() if not consumer.has_one_row):
        dtype = torch.float64 if consumer.convention == "additive" else None
        mask = write_mask(~upper, consumer.convention, dtype)
        before = feed(consumer, q, k, v, mask).out
        for j in range(1, 5):
            changed = [x.clone() for x in (k, v)]
            for x in changed:
                x[j] += 100.0
            after = feed(consumer, q, *changed, mask).out
            assert torch.equal(before[:j], after[:j])
            assert not torch.equal(before[j], after[j])


def test_0_and_1_floats_taken_as_additive_favour_a_key_and_hide_none():
    zeros = torch.zeros(1, 3, dtype=torch.float64)
    floats = torch.tensor([[0.0, 0.0, 1.0]], dtype=torch.float64)
    weights = torch.tensor([[0.2119, 0.2119, 0.5761]], dtype=torch.float64)
    assert torch.allclose((zeros + floats).softmax(-1), weights, atol=5e-5, rtol=0)
    q, k, v = torch.zeros(1, 3), torch.zeros(3, 3), torch.eye(3)
    for name in ("sdpa_float", "mha_float", "mha_padding_float", "core_bias"):
        out = feed(CONSUMERS[name], q, k, v, floats.float()).out
        assert torch.allclose(out, weights.float(), atol=5e-5, rtol=0)
    right = feed(CONSUMERS["core"], q, k, v, read_mask(floats, "binary")).out
    assert right.tolist() == [[0.0, 0.0, 1.0]]


def test_the_core_and_every_call_refuse_integers(unchecked):
    ones = torch.ones(1, 3, dtype=torch.int64)
    for name, consumer in CONSUMERS.items():
        outcome = feed(consumer, ZEROS, ZEROS, VALUES, ones)
        assert outcome.out is None, name
        assert outcome.refusal
    refusal = feed(CONSUMERS["core"], ZEROS, ZEROS, VALUES, ones.double()).refusal
    assert "allowed must be torch.bool" in refusal


def test_a_padding_row_hides_the_source_from_every_query_of_cross_attention():
    q, k = torch.zeros(2, 1), torch.zeros(3, 1)
    v = torch.tensor([[1.0], [3.0], [100.0]])
    allowed = torch.tensor([[True, True, False]])
    for consumer in CONSUMERS.values():
        out = feed(consumer, q, k, v, write_mask(allowed, consumer.convention)).out
        torch.testing.assert_close(out, torch.tensor([[2.0], [2.0]]))
        free = feed(consumer, q, k, v, write_mask(allowed | True, consumer.convention)).out
        torch.testing.assert_close(free, torch.tensor([[104 / 3], [104 / 3]]))


@pytest.mark.parametrize(("is_causal", "is_padded"), list(itertools.product([False, True], repeat=2)))
def test_the_causal_mask_counts_with_and_without_padding(is_causal, is_padded):
    q, k, v = torch.zeros(2, 1), torch.zeros(2, 1), torch.tensor([[1.0], [3.0]])
    allowed = masks.causal(2) if is_causal else masks.full(2)
    if is_padded:
        allowed = masks.both(allowed, masks.padding([1], n_keys=2)[0])
    expected = [[1.0], [1.0]] if is_padded else [[1.0], [2.0]] if is_causal else [[2.0], [2.0]]
    for consumer in (consumer for consumer in CONSUMERS.values() if not consumer.has_one_row):
        out = feed(consumer, q, k, v, write_mask(allowed, consumer.convention)).out
        torch.testing.assert_close(out, torch.tensor(expected))


def test_a_dead_row_is_zeros_in_the_core_and_in_torchs_function():
    allowed = torch.tensor([[1, 1, 1], [0, 0, 0], [1, 0, 1]]).bool()
    expected = torch.tensor([[5 / 3, 5 / 3], [0.0, 0.0], [2.5, 2.0]], dtype=torch.float64)
    for name in ("sdpa_bool", "sdpa_float", "core", "core_bias"):
        mask = write_mask(allowed, CONSUMERS[name].convention)
        mask = mask.double() if mask.is_floating_point() else mask
        torch.testing.assert_close(feed(CONSUMERS[name], ZEROS, ZEROS, VALUES, mask).out, expected, **EXACT)


def test_what_the_module_cannot_take_is_said():
    q, k, v = torch.zeros(2, 3), torch.zeros(2, 3), torch.zeros(2, 5)
    blocked = torch.tensor([[False, True], [False, False]])
    assert feed(CONSUMERS["mha_bool"], q, k, v, blocked).refusal.endswith("got d_k=3 and d_v=5")
    assert feed(CONSUMERS["mha_padding_bool"], q, k, k, blocked).refusal.endswith("got 2 different rows")
    assert feed(CONSUMERS["mha_padding_bool"], q, k, k, blocked[:1].expand(2, 2)).refusal is None
