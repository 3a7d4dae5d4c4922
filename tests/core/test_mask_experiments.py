"""Claims M1 to M4 and M8: masks by hand, by loops, by torch's own kernels, and every way of getting them wrong."""

import math

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from attention_core.components import DTYPES
from attention_core.experiments import blind_rows, mask_buffer, mask_columns
from attention_core.experiments.blind_rows import KERNELS, answer_blind_rows
from attention_core.experiments.mask_buffer import watch_step
from attention_core.experiments.mask_columns import (
    attend_as,
    build_mask,
    change_of_out,
    compare_masks,
    compute_column,
    difference,
    weigh_hidden,
)
from attention_core.experiments.masking import (
    WAYS,
    apply_way,
    attend_by,
    compare_ways,
    find_leaks,
    find_leaks_in_layer,
    mask_by_adding,
    mask_by_filling,
    measure_leak,
    name_fault,
)
from attention_core.masks import causal

B, H, N, M, D_K, D_V = 2, 3, 5, 7, 11, 13
RIGHT_WAYS = ("minus_inf", "fill_1e9", "add_1e9", "dtype_min", "renormalised")
FINITE_FILLS = ("fill_1e9", "add_1e9", "dtype_min")
SIX = torch.tensor([[0.43, -0.21, 0.99, 0.32, -0.35, 0.04]], dtype=torch.float64)
FIRST_THREE = torch.tensor([[True] * 3 + [False] * 3])
BLIND = torch.tensor([[1, 1, 1], [0, 0, 0], [1, 0, 1]]).bool()
E1_QK = torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], dtype=torch.float64)
E1_V = torch.tensor([[1.0, 0.0], [0.0, 1.0], [0.5, 0.5]], dtype=torch.float64)


def randn(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def qkv(n=N, m=N, d_k=D_K, d_v=D_V):
    return randn(n, d_k), randn(m, d_k, seed=1), randn(m, d_v, seed=2)


def column(*numbers):
    return torch.tensor(numbers, dtype=torch.float64)[:, None]


def close(actual, expected, tolerance=1e-12):
    """Raise with both where they differ; the caller asserts what comes back, so that a test shows what it tests."""
    expected = torch.as_tensor(expected, dtype=torch.float64)
    torch.testing.assert_close(actual.double(), expected, rtol=0, atol=tolerance)
    return True


def by_loops(scaled, allowed, way):
    """The ways again, pair by pair, in NumPy; −∞ alone needs care in a row without keys."""
    weights = np.zeros(scaled.shape)
    for n, row in enumerate(scaled):
        seen = allowed[n]
        masked = {
            "minus_inf": np.where(seen, row, -np.inf),
            "fill_1e9": np.where(seen, row, -1e9),
            "add_1e9": np.where(seen, row, row - 1e9),
            "dtype_min": np.where(seen, row, np.finfo(row.dtype).min),
            "zero": np.where(seen, row, 0.0),
        }.get(way, row)
        if way == "minus_inf" and not seen.any():
            continue
        exps = [math.exp(number - masked.max()) for number in masked]
        for m in range(len(row)):
            weights[n, m] = exps[m] / sum(exps)
            if way in ("after_softmax", "renormalised") and not seen[m]:
                weights[n, m] = 0.0
        if way == "renormalised":
            weights[n] /= weights[n].sum()
    return weights


def records(*args, **kwargs):
    return {record.way: record for record in compare_ways(*args, **kwargs)}


def answers(*args, **kwargs):
    return {record.kernel: record for record in answer_blind_rows(*args, **kwargs)}


# M2, M3: ways of applying a mask


def test_M2_E1_with_a_causal_mask_has_the_weights_of_the_notes():
    record = records(E1_QK, E1_QK, E1_V, causal(3))["minus_inf"]
    assert close(record.weights, [[1, 0, 0], [0.330, 0.670, 0], [0.2483, 0.2483, 0.5035]], 5e-4)
    assert close(record.out[:2], [[1, 0], [0.330, 0.670]], 5e-4)
    assert record.masked[0].tolist()[1:] == [-math.inf] * 2
    assert close(record.row_sums, [1, 1, 1])


def test_M2_causal_weights_are_lower_triangular_and_rows_sum_to_1():
    record = records(*qkv(), causal(N))["minus_inf"]
    assert torch.equal(record.weights, record.weights.tril())
    assert torch.equal(record.masked == -math.inf, torch.ones(N, N).triu(diagonal=1).bool())
    assert close(record.row_sums, torch.ones(N))


@pytest.mark.parametrize("way", WAYS)
def test_M3_each_way_is_what_loops_give(way):
    allowed = torch.rand(N, M, generator=torch.Generator().manual_seed(3)) < 0.5
    allowed[:, 0] = True
    scaled = 3 * randn(N, M)
    assert close(apply_way(scaled, allowed, way), by_loops(scaled.numpy(), allowed.numpy(), way))


@pytest.mark.parametrize("way", [way for way in WAYS if way != "renormalised"])
def test_M3_each_way_is_what_loops_give_for_a_row_without_keys(way):
    scaled = randn(3, 3)
    assert close(apply_way(scaled, BLIND, way), by_loops(scaled.numpy(), BLIND.numpy(), way))


def test_M3_renormalising_a_row_without_keys_divides_0_by_0():
    assert apply_way(randn(3, 3), BLIND, "renormalised").isnan().any(dim=-1).tolist() == [False, True, False]


def test_M3_scores_multiplied_by_the_mask_leave_hidden_keys_their_share():
    assert close(
        apply_way(SIX, FIRST_THREE, "zero"), [[0.1912, 0.1008, 0.3348, 0.1244, 0.1244, 0.1244]], 5e-5
    )


@pytest.mark.parametrize("way", RIGHT_WAYS)
def test_M3_the_right_ways_give_the_weights_of_the_trap(way):
    weights = apply_way(SIX, FIRST_THREE, way)
    assert close(weights, [[0.305067, 0.160860, 0.534073, 0, 0, 0]], 5e-7)
    assert weights[0, 3:].tolist() == [0.0] * 3


def test_M3_a_mask_after_softmax_breaks_the_row_sum():
    assert float(apply_way(SIX, FIRST_THREE, "after_softmax").sum()) == pytest.approx(0.617405, abs=5e-7)


@pytest.mark.parametrize("dtype", DTYPES)
def test_M3_minus_inf_is_what_torch_gives_in_every_type(dtype):
    q, k, v = qkv(N, M)
    record = records(q, k, v, causal(N, M), dtype)["minus_inf"]
    expected = F.scaled_dot_product_attention(q, k, v, attn_mask=causal(N, M))
    assert record.out.dtype == record.weights.dtype == DTYPES[dtype]
    assert close(
        record.out, expected, {"float64": 1e-12, "float32": 1e-5, "float16": 1e-2, "bfloat16": 1e-1}[dtype]
    )
    assert record.out_difference == pytest.approx(
        float((record.out.double() - expected).abs().max()), abs=1e-12
    )


def test_M3_in_half_precision_filling_by_1e9_is_refused_and_adding_it_gives_minus_inf():
    half = records(*qkv(), causal(N), "float16")
    assert "overflow" in half["fill_1e9"].refused
    assert half["fill_1e9"].weights is half["fill_1e9"].out is None
    assert half["add_1e9"].masked[0, 1] == -math.inf
    assert half["dtype_min"].masked[0, 1] == -65504
    assert [way for way in WAYS if half[way].refused] == ["fill_1e9"]
    for dtype in ("float64", "float32", "bfloat16"):
        assert not any(record.refused for record in compare_ways(*qkv(), causal(N), dtype))


def test_M3_records_say_what_each_way_does_wrong():
    found = records(*qkv(), causal(N))
    assert all(found[way].largest_hidden_weight == 0 for way in WAYS if way != "zero")
    assert found["zero"].largest_hidden_weight == float(found["zero"].weights.triu(diagonal=1).max()) > 0.05
    assert found["after_softmax"].weights_difference > 0.1
    assert all(found[way].weights_difference < 1e-15 for way in RIGHT_WAYS)
    assert records(*qkv(), torch.ones(N, N, dtype=torch.bool))["zero"].largest_hidden_weight == 0


@pytest.mark.parametrize("dtype", DTYPES)
def test_M3_each_fault_has_its_name(dtype):
    def faults(allowed, n=N):
        found = records(*qkv(n, n), allowed, dtype)
        return {way: name_fault(found[way], allowed) for way in WAYS}

    fill = "refused" if dtype == "float16" else None
    assert faults(causal(N)) == dict.fromkeys(RIGHT_WAYS) | {
        "fill_1e9": fill,
        "zero": "hidden",
        "after_softmax": "sums",
    }
    blind = faults(BLIND, 3)
    assert (blind["minus_inf"], blind["renormalised"], blind["dtype_min"]) == (None, "nan", "hidden")
    assert set(faults(torch.ones(N, N, dtype=torch.bool)).values()) == {None, fill}


def test_M3_a_finite_penalty_is_too_weak_for_huge_scores():
    q, k, v = column(1, 1), column(0, 2e10), column(2, 10)
    assert close(attend_by("minus_inf")(q, k, v, causal(2)), column(2, 10))
    scaled = q @ k.T
    assert close(mask_by_adding(scaled, causal(2), -1e10)[1] @ v, column(10, 10))
    assert mask_by_adding(torch.tensor([[2e4, 0.0]]), torch.tensor([[False, True]]), -1e4)[1].tolist() == [
        [1, 0]
    ]
    assert apply_way(torch.tensor([[2e4, 0.0]]), torch.tensor([[False, True]]), "minus_inf").tolist() == [
        [0, 1]
    ]
    # A fill fails where what may be seen scores below it.
    assert mask_by_filling(torch.tensor([[0.0, -2e9]]), torch.tensor([[False, True]]))[1].tolist() == [[1, 0]]


def test_M3_ways_work_on_batches_and_heads():
    q, k, v = randn(B, H, N, D_K), randn(B, H, M, D_K, seed=1), randn(B, H, M, D_V, seed=2)
    expected = F.scaled_dot_product_attention(q, k, v, attn_mask=causal(N, M))
    assert close(records(q, k, v, causal(N, M))["minus_inf"].out, expected)


@pytest.mark.usefixtures("unchecked")
def test_M3_an_unknown_way_is_refused_by_name():
    with pytest.raises(ValueError, match="got plus_inf"):
        apply_way(SIX, FIRST_THREE, "plus_inf")
    with pytest.raises(ValueError, match=r"renormalised, core, .* got plus_inf"):
        attend_by("plus_inf")


# M3: the leak meter

FUTURE = N - 1
STILL = ("still",) * FUTURE


@pytest.mark.parametrize("change", [0.5, -3.0, 1e10])
@pytest.mark.parametrize("way", ["minus_inf", "core", "sdpa_math", "sdpa_fused", "mha", "mha_with_weights"])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_M3_a_finite_change_of_a_hidden_token_moves_exactly_nothing(way, change, dtype):
    leak = measure_leak(*qkv(), causal(N), way, dtype, key=FUTURE, change=change)
    assert leak.moved[:FUTURE].tolist() == [0.0] * FUTURE
    assert leak.moves == (*STILL, "moved")
    assert leak.leaks == ()
    assert leak.is_hidden == (True,) * FUTURE + (False,)


@pytest.mark.parametrize("way", ["zero", "after_softmax"])
def test_M3_the_wrong_ways_leak_from_every_query_before(way):
    leak = measure_leak(*qkv(), causal(N), way, key=FUTURE, change=2.0)
    assert leak.leaks == tuple(range(FUTURE))
    assert float(leak.moved.min()) > 1e-6


def test_M3_the_leak_is_how_far_the_output_moves():
    q, k, v = qkv()
    leak = measure_leak(q, k, v, causal(N), "zero", key=FUTURE, change=2.0)
    scaled = (q @ k.T / math.sqrt(D_K)).numpy()
    changed_k, changed_v = k.clone(), v.clone()
    changed_k[FUTURE], changed_v[FUTURE] = k[FUTURE] + 2, v[FUTURE] + 2
    other = (q @ changed_k.T / math.sqrt(D_K)).numpy()
    seen = causal(N).numpy()
    before, after = (
        by_loops(scaled, seen, "zero") @ v.numpy(),
        by_loops(other, seen, "zero") @ changed_v.numpy(),
    )
    assert close(leak.moved, np.abs(after - before).max(axis=1))


def test_M3_renormalising_moves_by_rounding_until_the_hidden_score_is_huge():
    # Weights of 1/3 and the like do not come back exactly after a division.
    small = measure_leak(*qkv(17, 17), causal(17), "renormalised", key=16, change=0.5)
    assert "rounding" in small.moves
    assert small.leaks == ()
    q, k, v = column(1, 1), column(0, 0), column(2, 10)
    huge = measure_leak(q, k, v, causal(2), "renormalised", key=1, change=2e10)
    assert huge.moves[0] == "nan"
    assert huge.leaks == (0,)


def test_M3_adding_1e9_leaks_once_a_hidden_score_passes_it():
    q, k, v = column(1, 1), column(0, 0), column(2, 10)
    for way, leaks in (("minus_inf", ()), ("fill_1e9", ()), ("dtype_min", ()), ("add_1e9", (0,))):
        assert measure_leak(q, k, v, causal(2), way, key=1, change=2e10).leaks == leaks


@pytest.mark.parametrize("change", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("way", [*WAYS, *KERNELS])
def test_M3_nan_or_inf_in_a_hidden_value_leaks_through_everything(way, change):
    leak = measure_leak(*qkv(), causal(N), way, key=FUTURE, change=change, part="v")
    assert leak.leaks == tuple(range(FUTURE))
    assert set(leak.moves[:FUTURE]) <= ({"nan", "inf"} if way == "zero" else {"nan"})
    assert all(math.isnan(x) for x in leak.moved[:FUTURE].tolist()) or way == "zero"


@pytest.mark.parametrize("way", ["minus_inf", "fill_1e9", "dtype_min", "core"])
def test_M3_nan_in_a_hidden_key_does_not_pass_a_fill(way):
    assert measure_leak(*qkv(), causal(N), way, key=FUTURE, change=math.nan, part="k").moves == (
        *STILL,
        "nan",
    )


@pytest.mark.parametrize(
    "way", ["add_1e9", "zero", "after_softmax", "added_softmax", "sdpa_math", "sdpa_fused", "mha"]
)
def test_M3_nan_in_a_hidden_key_passes_what_is_added_or_multiplied(way):
    leak = measure_leak(*qkv(), causal(N), way, key=FUTURE, change=math.nan, part="k")
    assert leak.leaks == tuple(range(FUTURE))


def test_M3_what_half_precision_cannot_hold_arrives_as_inf():
    assert (
        measure_leak(*qkv(), causal(N), "minus_inf", "float16", key=FUTURE, change=1e10).moves[:2]
        == ("nan",) * 2
    )
    refused = measure_leak(*qkv(), causal(N), "fill_1e9", "float16", key=FUTURE, change=1.0)
    assert "overflow" in refused.refused
    assert refused.moves == refused.leaks == ()


@pytest.mark.parametrize("way", FINITE_FILLS)
def test_M3_a_row_without_keys_leaks_where_the_fill_is_finite(way):
    q, k, v = qkv(3, 3)
    assert measure_leak(q, k, v, BLIND, way, key=0, change=1.0).leaks == (1,)
    assert measure_leak(q, k, v, BLIND, "minus_inf", key=0, change=1.0).leaks == ()


@pytest.mark.parametrize("change", [1.0, math.nan])
@pytest.mark.parametrize("way", ["renormalised", "filled_softmax", "added_softmax", "mha_with_weights"])
def test_M3_an_output_that_was_nan_before_is_neither_still_nor_moved(way, change):
    leak = measure_leak(*qkv(3, 3), BLIND, way, key=1, change=change, part="v")
    assert leak.is_hidden == (False, True, True)
    assert leak.moves[1] == "was_nan"
    assert math.isnan(leak.moved[1])
    assert leak.leaks == ((2,) if math.isnan(change) else ())


def test_M3_one_component_that_was_nan_does_not_hide_what_another_does(monkeypatch):
    nan, moving = torch.full((1, 1), math.nan), torch.tensor([[True]])
    monkeypatch.setitem(blind_rows.ATTENDS, "core", lambda q, k, v, allowed: (torch.cat([nan, v], 1), None))
    leak = measure_leak(*[torch.ones(1, 1)] * 3, ~moving, "core", "float32", key=0, change=2.0)
    assert (leak.moves, leak.moved.tolist(), leak.leaks) == (("moved",), [2.0], (0,))
    still = measure_leak(*[torch.ones(1, 1)] * 3, ~moving, "core", "float32", key=0, change=2.0, part="k")
    assert (still.moves, still.leaks) == (("was_nan",), ())


def test_M3_inf_in_a_key_is_a_score_by_the_signs_of_the_query():
    q = torch.tensor([[1.0, 2.0], [-1.0, -2.0], [1.0, -2.0]])
    ones, allowed = torch.ones(2, 2), torch.tensor([[True, False]])
    leak = measure_leak(q, ones, ones, allowed, "added_softmax", key=1, change=math.inf, part="k")
    assert [str(score) for score in leak.scores.tolist()] == ["inf", "-inf", "nan"]
    assert leak.moves == ("nan", "still", "nan"), "−∞ − ∞ is −∞, a weight of 0"


def test_M3_the_callers_tensors_stay_as_they_are():
    given = qkv()
    copies = [x.clone() for x in given]
    measure_leak(*given, causal(N), "zero", key=0, change=math.nan)
    compare_ways(*given, causal(N))
    answer_blind_rows(*given, causal(N))
    assert all(torch.equal(x, copied) for x, copied in zip(given, copies, strict=True))
    assert not any(x.requires_grad for x in given)


@pytest.mark.parametrize("key", [-1, N])
def test_M3_a_key_that_is_none_is_refused(key):
    with pytest.raises(ValueError, match=f"from 0 to {N - 1}, got {key}"):
        measure_leak(*qkv(), causal(N), "minus_inf", key=key, change=1.0)


# M3: the hidden-future test


def with_mask(way, allowed):
    return lambda q, k, v: attend_by(way)(q, k, v, allowed)


def pairs_of(matrix):
    return tuple((n, m) for n, m in torch.as_tensor(matrix).nonzero().tolist())


@pytest.mark.parametrize("way", [*RIGHT_WAYS, "core", "sdpa_math", "sdpa_fused", "mha", "mha_with_weights"])
@pytest.mark.parametrize("seed", [0, 1])
def test_M3_right_ways_leak_nowhere_and_miss_nothing(way, seed):
    leaks = find_leaks(with_mask(way, causal(N, M)), N, M, causal(N, M), seed)
    assert leaks.leaking == leaks.missing == leaks.without_numbers == ()


@pytest.mark.parametrize("way", ["zero", "after_softmax"])
def test_M3_wrong_ways_leak_at_every_hidden_pair(way):
    leaks = find_leaks(with_mask(way, causal(N)), N, N, causal(N))
    assert leaks.leaking == pairs_of(~causal(N))
    assert leaks.missing == ()


def test_M3_an_inverted_mask_is_found():
    leaks = find_leaks(with_mask("minus_inf", ~causal(N)), N, N, causal(N))
    assert leaks.leaking == pairs_of(~causal(N))
    assert leaks.missing == pairs_of(causal(N))


def test_M3_a_causal_mask_shifted_by_one_is_found():
    # masked_fill with triu(diagonal=0) hides the diagonal too: each token misses itself, the first sees nothing.
    too_much = ~torch.ones(N, N).triu(diagonal=0).bool()
    leaks = find_leaks(with_mask("minus_inf", too_much), N, N, causal(N))
    assert leaks == find_leaks(with_mask("sdpa_fused", too_much), N, N, causal(N))
    assert leaks.leaking == ()
    assert leaks.missing == tuple((n, n) for n in range(N))
    plain = find_leaks(with_mask("filled_softmax", too_much), N, N, causal(N))
    assert plain.without_numbers == (0,)
    assert plain.missing == leaks.missing[1:], "NaN before and after is neither moved nor still"
    too_little = ~torch.ones(N, N).triu(diagonal=2).bool()
    assert find_leaks(with_mask("minus_inf", too_little), N, N, causal(N)).leaking == tuple(
        (n, n + 1) for n in range(N - 1)
    )


def test_M3_one_open_pair_is_found_in_float32_too():
    mask = causal(N)
    mask[1, 3] = True
    assert find_leaks(with_mask("core", mask), N, N, causal(N), dtype="float32").leaking == ((1, 3),)


def test_M3_a_row_without_keys_leaks_under_a_finite_fill():
    for way in FINITE_FILLS:
        assert find_leaks(with_mask(way, BLIND), 3, 3, BLIND).leaking == ((1, 0), (1, 1), (1, 2))


def test_M3_layers_are_tested_by_their_tokens_and_their_own_place_is_not_judged():
    def layer(allowed):
        return lambda x: x + attend_by("core")(x, x, x, allowed)

    strict = torch.ones(N, N).tril(diagonal=-1).bool()
    assert find_leaks_in_layer(layer(causal(N)), N, causal(N)).leaking == ()
    assert find_leaks_in_layer(layer(causal(N)), N, strict).leaking == ()
    window = causal(N) & ~torch.ones(N, N).tril(diagonal=-2).bool()
    one = find_leaks_in_layer(layer(window), N, causal(N))
    assert one.missing == pairs_of(torch.ones(N, N).tril(diagonal=-2))
    # Two layers reach one token further than one.
    two = find_leaks_in_layer(lambda x: layer(window)(layer(window)(x)), N, causal(N))
    assert two.missing == pairs_of(torch.ones(N, N).tril(diagonal=-3))
    assert find_leaks_in_layer(lambda x: x.flip(0), 2, causal(2)).leaking == ((0, 1),)


def test_M3_a_test_against_a_mask_of_another_size_is_refused():
    with pytest.raises(ValueError, match=r"5 queries and 7 keys, got \(5, 5\)"):
        find_leaks(with_mask("core", causal(N)), N, M, causal(N))


# M4: rows without keys


def test_M4_the_core_and_fused_attention_give_the_trap_s_right_values():
    zeros = torch.zeros(3, 2)
    v = torch.tensor([[1.0, 0.0], [0.0, 1.0], [4.0, 4.0]])
    found = answers(zeros, zeros, v, BLIND)
    assert close(found["core"].weights, [[1 / 3] * 3, [0, 0, 0], [0.5, 0, 0.5]])
    for kernel in ("core", "sdpa_math", "sdpa_fused", "mha"):
        record = found[kernel]
        assert close(record.out, [[5 / 3, 5 / 3], [0, 0], [2.5, 2]])
        assert (record.answer, record.is_finite, record.blind) == ("zeros", True, (1,))
        assert record.version == torch.__version__


@pytest.mark.parametrize("dtype", DTYPES)
def test_M4_each_library_answers_as_the_claim_says_in_every_type(dtype):
    found = answers(*qkv(3, 3), BLIND, dtype)
    for kernel in ("core", "sdpa_math", "sdpa_fused", "mha"):
        assert found[kernel].answer == "zeros", kernel
        assert found[kernel].gradients == found[kernel].live_gradients == {"q": True, "k": True, "v": True}
    for kernel in ("filled_softmax", "added_softmax", "mha_with_weights"):
        assert (found[kernel].answer, found[kernel].is_finite) == ("nan", False), kernel
        assert found[kernel].weights[1].isnan().all()
        assert found[kernel].weights[0].isfinite().all()
    fill, add = found["fill_1e9"], found["add_1e9"]
    assert fill.answer == (None if dtype == "float16" else "uniform")
    assert ("overflow" in fill.refused) if dtype == "float16" else fill.refused is None
    expected = {"float64": "unmasked", "float32": "uniform", "bfloat16": "uniform", "float16": "nan"}[dtype]
    assert add.answer == expected


def test_M4_nan_stays_in_the_gradients_even_where_the_loss_skips_the_blind_row():
    found = answers(*qkv(3, 3), BLIND)
    for kernel in ("added_softmax", "mha_with_weights"):
        assert found[kernel].gradients == found[kernel].live_gradients == dict.fromkeys("qkv", False)
    # A fill lets no gradient through where it filled, so only v, whose gradient is weightsᵀ · ∂out, is lost.
    assert found["filled_softmax"].gradients == {"q": True, "k": True, "v": False}
    assert found["filled_softmax"].live_gradients == {"q": True, "k": True, "v": False}


def test_M4_the_loss_over_live_rows_sends_no_gradient_into_a_blind_one(monkeypatch):
    def attend(q, k, v, allowed):
        # Its gradient by a blind query overflows, unless what comes in is 0.
        factor = q.new_tensor([[1.0], [1e300], [1.0]])
        return q * factor * factor + 0 * (k + v), None

    monkeypatch.setitem(blind_rows.ATTENDS, "core", attend)
    (record,) = answer_blind_rows(*qkv(3, 3, 2, 2), BLIND, kernels=("core",))
    assert record.refused is None
    assert not record.gradients["q"]
    assert record.live_gradients["q"]


def test_M4_adding_1e9_in_float64_is_unmasked_and_in_float32_uniform():
    one, keys = column(1), column(1, 2, 3)
    blind = torch.zeros(1, 3, dtype=torch.bool)
    assert close(answers(one, keys, keys, blind)["add_1e9"].weights, [[0.090, 0.245, 0.665]], 5e-4)
    assert answers(one, keys, keys, blind)["add_1e9"].answer == "unmasked"
    assert close(answers(one, keys, keys, blind, "float32")["add_1e9"].weights, [[1 / 3] * 3], 1e-7)
    assert close(answers(one, keys, keys, blind)["fill_1e9"].out, [[2.0]])


@pytest.mark.parametrize("sizes", [(N, M, D_K, D_V), (N, M, D_V, D_K), (1, 1, 1, 1)])
@pytest.mark.parametrize("kernel", KERNELS)
def test_M4_where_each_query_sees_a_key_all_agree_with_torch(kernel, sizes):
    q, k, v = qkv(*sizes)
    allowed = causal(*sizes[:2])
    (record,) = answer_blind_rows(q, k, v, allowed, kernels=(kernel,))
    assert close(record.out, F.scaled_dot_product_attention(q, k, v, attn_mask=allowed))
    assert (record.answer, record.blind, record.refused) == (None, (), None)
    if record.weights is not None:
        assert close(
            record.weights, (q @ k.T / math.sqrt(sizes[2])).masked_fill(~allowed, -math.inf).softmax(-1)
        )


def test_M4_the_kernels_that_are_named_are_those_that_run():
    q, k, v = (x.requires_grad_() for x in qkv())
    fused, _ = blind_rows.attend_by_sdpa_fused(q, k, v, causal(N))
    plain, _ = blind_rows.attend_by_sdpa_math(q, k, v, causal(N))

    def steps_behind(out):
        found, waiting = set(), [out.grad_fn]
        while waiting:
            node = waiting.pop()
            found.add(type(node).__name__)
            waiting += [parent for parent, _ in node.next_functions if parent is not None]
        return " ".join(found)

    assert "ScaledDotProductFlashAttention" in steps_behind(fused)
    assert "ScaledDotProduct" not in steps_behind(plain)
    assert "Softmax" in steps_behind(plain)


def test_M4_asking_the_libraries_leaves_the_shared_generator_alone():
    state = torch.get_rng_state()
    answer_blind_rows(*qkv(3, 3), BLIND)
    watch_step()
    assert torch.equal(state, torch.get_rng_state())


@pytest.mark.parametrize("sizes", [(0, 3, 2, 2), (3, 0, 2, 2), (3, 3, 0, 2), (3, 3, 2, 0)])
def test_M4_nothing_to_attend_is_refused(sizes):
    q, k, v = qkv(*sizes)
    with pytest.raises(ValueError, match="at least one position"):
        answer_blind_rows(q, k, v, torch.ones(*sizes[:2], dtype=torch.bool))


# M8: the mask as a buffer


@pytest.mark.parametrize("keeping", mask_buffer.KEEPINGS)
def test_M8_the_step_changes_every_matrix_and_lowers_the_loss(keeping):
    record = watch_step(keeping=keeping)
    matrices = [watched for watched in record.tensors if watched.name != "mask"]
    assert [watched.name for watched in matrices] == ["w_q", "w_k", "w_v", "w_o"]
    for watched in matrices:
        assert watched.kind == "parameter"
        assert all((watched.is_changed, watched.has_gradient, watched.requires_grad, watched.is_saved))
        assert (watched.shape, watched.dtype, watched.dtype_after) == ((8, 8), "float32", "float16")
        assert watched.device_after == "meta"
    assert record.loss[1] < record.loss[0]


@pytest.mark.parametrize("keeping", ["buffer", "unsaved_buffer", "float_buffer", "attribute"])
def test_M8_a_mask_that_is_no_parameter_is_not_trained(keeping):
    record = watch_step(keeping=keeping)
    mask = record.mask
    assert not any((mask.is_changed, mask.requires_grad, mask.has_gradient))
    assert record.mask_before == record.mask_after
    assert mask.largest_change == 0


def test_M8_a_buffer_is_saved_unless_told_otherwise_and_an_attribute_is_not():
    saved = {keeping: watch_step(keeping=keeping).mask.is_saved for keeping in mask_buffer.KEEPINGS}
    assert saved == {
        "buffer": True,
        "unsaved_buffer": False,
        "float_buffer": True,
        "attribute": False,
        "parameter": True,
    }
    assert "mask" in watch_step(keeping="buffer").state_dict
    assert watch_step(keeping="unsaved_buffer").state_dict == ("w_q", "w_k", "w_v", "w_o")


def test_M8_a_bool_keeps_its_type_and_a_float_does_not():
    for dtype in ("float16", "bfloat16", "float64"):
        after = {keeping: watch_step(0, dtype, keeping).mask.dtype_after for keeping in mask_buffer.KEEPINGS}
        assert after == {
            "buffer": "bool",
            "unsaved_buffer": "bool",
            "float_buffer": dtype,
            "attribute": "bool",
            "parameter": dtype,
        }


def test_M8_an_attribute_stays_behind_when_the_module_moves():
    for keeping in mask_buffer.KEEPINGS:
        record = watch_step(keeping=keeping)
        stays = keeping == "attribute"
        assert record.mask.device_after == ("cpu" if stays else "meta")
        assert (record.fails_on_device is not None) == stays
        assert record.mask.kind == {"attribute": "attribute", "parameter": "parameter"}.get(keeping, "buffer")
    assert "one device" in watch_step(keeping="attribute").fails_on_device


def test_M8_a_saved_mask_ties_the_state_to_one_length():
    fails = {keeping: watch_step(keeping=keeping).fails_on_load for keeping in mask_buffer.KEEPINGS}
    assert [keeping for keeping, message in fails.items() if message is None] == [
        "unsaved_buffer",
        "attribute",
    ]
    assert "size mismatch for mask" in fails["buffer"]


def test_M8_a_mask_that_is_a_parameter_is_trained_where_it_lets_see_and_hides_for_good():
    record = watch_step(keeping="parameter")
    mask = record.mask
    assert all((mask.is_changed, mask.requires_grad, mask.has_gradient))
    assert mask.largest_change > 1e-3
    before, after = (torch.tensor(rows) for rows in (record.mask_before, record.mask_after))
    assert torch.equal(before == -math.inf, ~causal(4))
    assert torch.equal(after == -math.inf, ~causal(4))
    # The first query sees one key: its weight is 1 whatever is added.
    assert after[0, 0] == 0
    assert (after[1:][causal(4)[1:]] != 0).all()


def test_M8_one_seed_gives_one_record():
    assert watch_step(3) == watch_step(3)
    assert watch_step(3).loss != watch_step(4).loss


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize("wrong", [{"keeping": "global"}, {"n": 0}, {"d_model": 0}])
def test_M8_what_cannot_be_built_is_refused(wrong):
    with pytest.raises(ValueError, match=f"got .*{next(iter(wrong.values()))}"):
        watch_step(**wrong)


# M1: masks side by side

LENGTHS = [3, 5]


def batch(heads=()):
    shape = (B, *heads, N)
    return randn(*shape, D_K), randn(*shape, D_K, seed=1), randn(*shape, D_V, seed=2)


def expected_allowed(kind, lengths, n=N):
    allowed = torch.zeros(len(lengths), n, n, dtype=torch.bool)
    for b, length in enumerate(lengths):
        for i in range(n):
            for j in range(n):
                future, filler = j > i, j >= length
                allowed[b, i, j] = not ((future and "causal" in kind) or (filler and "padding" in kind))
    return allowed


@pytest.mark.parametrize("kind", mask_columns.KINDS)
@pytest.mark.parametrize("heads", [(), (H,)])
def test_M1_each_column_is_what_loops_allow_and_torch_computes(kind, heads):
    q, k, v = batch(heads)
    found = compute_column(q, k, v, LENGTHS, kind)
    allowed = expected_allowed(kind, LENGTHS)
    allowed = allowed[:, None].expand(B, H, N, N) if heads else allowed
    assert torch.equal(found.allowed, allowed)
    assert close(found.out, F.scaled_dot_product_attention(q, k, v, attn_mask=allowed))
    assert close(found.row_sums, torch.ones(q.shape[:-1]))
    assert found.n_pairs == int(allowed.sum())
    assert torch.equal(found.masked == -math.inf, ~allowed)


def test_M1_pairs_are_counted_by_hand():
    columns = compare_masks(*batch(), LENGTHS)
    assert [found.kind for found in columns] == ["none", "causal", "padding", "causal_padding"]
    # 2 sequences of 5 places; causal 5·6/2 each; padding 5·3 and 5·5; both 1+2+3+3+3 and 15.
    assert [found.n_pairs for found in columns] == [50, 30, 40, 27]
    # Without the two padded queries of the first sequence.
    assert [found.n_real_pairs for found in columns] == [40, 21, 34, 21]


@pytest.mark.parametrize(
    ("kind", "expected"),
    [("none", [2, 2]), ("causal", [1, 2]), ("padding", [2, 2]), ("causal_padding", [1, 2])],
)
def test_M1_causal_is_obeyed_with_and_without_another_mask(kind, expected):
    zeros = torch.zeros(1, 2, 1)
    v = torch.tensor([[[1.0], [3.0]]])
    assert close(compute_column(zeros, zeros, v, [2], kind).out, [[[float(x)] for x in expected]])


def test_M1_causal_is_obeyed_beside_padding_that_hides_something():
    zeros, v = torch.zeros(1, 3, 1), torch.tensor([[[1.0], [3.0], [100.0]]])
    assert close(compute_column(zeros, zeros, v, [2], "causal_padding").out, [[[1.0], [2.0], [2.0]]])
    assert close(compute_column(zeros, zeros, v, [2], "padding").out, [[[2.0], [2.0], [2.0]]])


def test_M1_cross_attention_uses_the_padding_of_the_source():
    q, k, v = torch.zeros(1, 2, 1), torch.zeros(1, 3, 1), torch.tensor([[[1.0], [3.0], [100.0]]])
    assert close(attend_as("cross", q, k, v, [2], lengths_of_queries=[2]).out, [[[2.0], [2.0]]])
    unmasked = compute_column(q, k, v, [2], "none", lengths_of_queries=[2])
    assert close(unmasked.out, [[[104 / 3], [104 / 3]]], 1e-5)
    other = attend_as("cross", q, k, v, [2], lengths_of_queries=[1])
    assert other.is_padded.tolist() == [[False, True]]


def test_M1_presets_are_the_masks_that_each_part_needs():
    found = {preset: attend_as(preset, *batch(), LENGTHS) for preset in ("encoder", "decoder")}
    assert close(found["encoder"].out, compute_column(*batch(), LENGTHS, "padding").out)
    assert close(found["decoder"].out, compute_column(*batch(), LENGTHS, "causal_padding").out)


@pytest.mark.parametrize("kind", mask_columns.KINDS)
def test_M1_padded_queries_keep_their_rows_and_no_mean_counts_them(kind):
    q, k, v = batch()
    found = compute_column(q, k, v, LENGTHS, kind)
    assert found.is_padded.tolist() == [[False] * 3 + [True] * 2, [False] * 5]
    assert close(found.row_sums[0, 3:], [1, 1])
    rows = [found.weights[b, n].numpy() for b, length in enumerate(LENGTHS) for n in range(length)]
    assert found.mean_largest_weight == pytest.approx(np.mean([row.max() for row in rows]), abs=1e-12)
    entropies = [-sum(a * math.log(a) for a in row if a > 0) for row in rows]
    assert found.mean_entropy == pytest.approx(np.mean(entropies), abs=1e-12)
    if "padding" in kind:
        edited = [x.clone() for x in (q, k, v)]
        for x in edited:
            x[0, 3:] = 50.0
        other = compute_column(*edited, LENGTHS, kind)
        assert other.mean_entropy == found.mean_entropy
        assert difference(found, other).largest_out == 0


def test_M1_a_sequence_of_nothing_but_filler_sees_nothing_and_means_are_over_the_others():
    found = compute_column(*batch(), [0, 5], "padding")
    assert found.sees_nothing.tolist() == [[True] * 5, [False] * 5]
    assert not found.out[0].any()
    assert found.row_sums[0].tolist() == [0] * 5
    nothing = compute_column(*batch(), [0, 0], "padding")
    assert nothing.mean_entropy is None
    assert nothing.n_real_pairs == 0


def test_M1_what_a_mask_hides_is_summed_over_real_queries():
    none, padded = (compute_column(*batch(), LENGTHS, kind) for kind in ("none", "padding"))
    found = weigh_hidden(none, padded.allowed)
    sums = [float(none.weights[0, n, 3:].sum()) for n in range(3)] + [0.0] * 5
    assert found.n_pairs == 6
    assert found.mean == pytest.approx(np.mean(sums), abs=1e-12)
    assert found.largest == pytest.approx(max(sums), abs=1e-12)
    assert weigh_hidden(padded, padded.allowed).largest == 0
    blind = compute_column(*batch(), [0, 0], "padding")
    assert weigh_hidden(blind, blind.allowed).mean is None


def test_M1_more_filler_moves_no_output_behind_a_mask_that_hides_it():
    q, k, v = batch()
    for kind in mask_columns.KINDS:
        alone = compute_column(q[:1, :3], k[:1, :3], v[:1, :3], [3], kind)
        filled = compute_column(q[:1], k[:1], v[:1], [3], kind)
        moved = change_of_out(alone, filled)
        assert (moved < 1e-12) == (kind != "none"), kind
        assert moved == pytest.approx(float((filled.out[0, :3] - alone.out[0]).abs().max()), abs=1e-15)
    with pytest.raises(ValueError, match=r"same real queries, got \(3, 13\) and \(5, 13\)"):
        change_of_out(filled, compute_column(q[1:], k[1:], v[1:], [5], "none"))


def test_M1_a_difference_is_the_second_less_the_first_over_real_queries():
    none, hidden = (compute_column(*batch(), LENGTHS, kind) for kind in ("none", "causal"))
    found = difference(none, hidden)
    assert (found.first, found.second, found.n_pairs) == ("none", "causal", 20)
    assert close(found.weights, hidden.weights - none.weights)
    assert close(found.out, hidden.out - none.out)
    real = [(0, n) for n in range(3)] + [(1, n) for n in range(5)]
    largest = max(float((hidden.out - none.out)[b, n].abs().max()) for b, n in real)
    assert found.largest_out == pytest.approx(largest, abs=1e-15)
    assert found.largest_weight == pytest.approx(
        max(float((hidden.weights - none.weights)[b, n].abs().max()) for b, n in real), abs=1e-15
    )
    padding, both = (compute_column(*batch(), [5, 5], kind) for kind in ("none", "padding"))
    assert difference(padding, both).largest_out == difference(padding, both).n_pairs == 0


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: build_mask("future", 2, 2, [2]), "got future"),
        (lambda: compute_column(*batch(), [3], "none"), "2 sequences, got 1"),
        (lambda: compute_column(*batch(), [3, 6], "padding"), "got 3 to 6"),
        (lambda: compute_column(*(x[0] for x in batch()), [3], "none"), "needs a batch"),
        (
            lambda: compute_column(batch()[0][:, :2], *batch()[1:], LENGTHS, "none"),
            "got 2 queries and 5 keys",
        ),
        (lambda: attend_as("encoder", *batch(), LENGTHS, lengths_of_queries=LENGTHS), "cross alone"),
        (lambda: attend_as("cross", *batch(), LENGTHS), "cross alone"),
        (lambda: attend_as("prefix", *batch(), LENGTHS), "got prefix"),
        (
            lambda: difference(
                *(compute_column(x, x, x, [n], "none") for x, n in ((batch()[0][:1], 5), (randn(1, 2, 3), 2)))
            ),
            "same sizes",
        ),
    ],
)
def test_M1_what_does_not_fit_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
