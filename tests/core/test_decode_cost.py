"""Writing token by token as formulas (C5), against the caches and the layers that are counted."""

from dataclasses import replace

import pytest
import torch

from attention_core.cost import Setting, count
from attention_core.decode_cost import (
    CACHE_KINDS,
    Writing,
    cache_bytes,
    cache_term,
    list_places,
    list_slots,
    look_at_step,
    step_flops,
    text_cost,
)
from attention_core.experiments.decoding import (
    MAX_N,
    MOST_FLOPS,
    MOST_SCORES,
    DecodingPlan,
    Stretch,
    collect,
    find_excess,
    list_octaves,
    write_in_stretches,
)
from attention_core.kv_cache import KVCache

AT = Setting(n=13, d_model=24, n_heads=4, n_kv_heads=2)
EVERY = [
    Writing(AT, width, kind)
    for width in (None, 1, 3, 13, 20)
    for kind in CACHE_KINDS
    if width or kind != "rolling"
]


def empty(writing: Writing) -> KVCache:
    return KVCache(writing.n_slots, is_rolling=writing.cache == "rolling")


@pytest.mark.parametrize("writing", EVERY)
def test_C5_a_step_reads_and_writes_what_the_cache_does(writing: Writing) -> None:
    cache, held = empty(writing), {}
    for token in range(1, AT.n + 1):
        one = torch.full((1, 1, 1), float(token))
        k, _, positions = cache.append(one, one)
        step = look_at_step(writing, token)
        assert step.n_asked == k.shape[-2]
        assert float(cache._k[0, step.slot, 0]) == token
        assert held.get(step.slot) == step.pushed_out
        held[step.slot] = token
        slots = list_slots(writing, token)
        assert {place: held_by for place, held_by in enumerate(slots) if held_by} == held
        assert len(slots) == (token if writing.cache == "growing" else writing.n_slots)
        seen = [
            place + 1 for place in positions.tolist() if not writing.width or token - place <= writing.width
        ]
        assert sorted(seen) == list(range(step.first_seen, token + 1))
        assert step.n_seen == len(seen)


@pytest.mark.parametrize("writing", EVERY)
def test_C5_flops_of_a_text_are_those_of_its_tokens(writing: Writing) -> None:
    for has_cache in (True, False):
        steps = [step_flops(writing, token, has_cache=has_cache) for token in range(1, AT.n + 1)]
        assert text_cost(writing, "flops", has_cache=has_cache) == sum(steps)
    once = [count("full", "flops", replace(AT, n=token)) for token in range(1, AT.n + 1)]
    assert text_cost(writing, "flops", has_cache=False) == sum(once)


def test_C5_a_token_costs_in_proportion_to_the_past_or_to_its_square() -> None:
    long = Writing(Setting(n=2**20, d_model=64, n_heads=4))
    for has_cache, times in ((True, 2), (False, 4)):
        costs = [step_flops(long, token, has_cache=has_cache) for token in (2**19, 2**20)]
        assert costs[1] / costs[0] == pytest.approx(times, rel=0.001)
    rolling = Writing(long.setting, 128, "rolling")
    assert len({step_flops(rolling, token, has_cache=True) for token in (128, 129, 2**20)}) == 1


def test_C5_bytes_by_formula_are_those_of_the_tensors() -> None:
    for writing in EVERY:
        cache = empty(writing)
        for _ in range(AT.n):
            cache.append(*torch.zeros(2, 2, 1, 6))
        assert (
            cache.nbytes
            == cache_bytes(writing)
            == count("cached", "kept_bytes", replace(AT, n=writing.n_slots))
        )
    # 32 layers, 8 key/value heads of 128, 2 bytes: 131,072 bytes a token.
    llama = Setting(n=1, d_model=4096, n_heads=32, n_kv_heads=8, n_layers=32, element_bytes=2)
    assert cache_term(Writing(llama)).formula == "2·layers·B·h_kv·d_k·N·e"
    assert cache_bytes(Writing(llama)) == 131_072
    assert cache_bytes(Writing(replace(llama, n=8192))) == 2**30


def test_C5_a_text_comes_in_stretches_and_any_of_them_make_a_result() -> None:
    plan = DecodingPlan(n=70, d_model=8, n_heads=2, dtype="float64", cache="growing", width=4)
    parts = list(write_in_stretches(plan))
    assert len(parts) <= 32
    assert [part.n_before for part in parts] == list(range(0, 70, 3))
    some = collect(parts[:4])
    assert (some.n, some.cache_bytes) == (12, cache_bytes(replace(plan, n=12).writing))
    assert max(some.difference, some.to_whole) < 1e-12 < 1e-2 < some.restarted
    assert torch.is_grad_enabled()
    with pytest.raises(ValueError, match="at least 1 stretch, got 0"):
        collect(())


def test_C5_octaves_hold_each_token_once_and_their_median() -> None:
    seconds = tuple(float(token) for token in range(1, 12))
    octaves = list_octaves(Stretch(0, seconds, seconds[::-1], 0.0, 0.0, 0.0, 0))
    assert [(one.first, one.last, one.middle) for one in octaves] == [
        (1, 1, 1),
        (2, 3, 2.5),
        (4, 7, 5.5),
        (8, 11, 9.5),
    ]
    assert [one.cached.median_s for one in octaves] == [1, 2.5, 5.5, 9.5]
    assert [(one.recomputed.lowest_s, one.recomputed.highest_s) for one in octaves][-1] == (1, 4)


@pytest.mark.parametrize("d_model", [8, 64, 1024])
def test_C5_the_longest_text_fits_and_one_token_more_does_not(d_model: int) -> None:
    for n_heads in (1, 8):
        found = find_excess(Writing(Setting(n=2**20, d_model=d_model, n_heads=n_heads)))
        assert found is not None
        assert found.value == 2**20 > found.most
        fits = Writing(Setting(n=found.nearest, d_model=d_model, n_heads=n_heads))
        assert find_excess(fits) is None
        assert text_cost(fits, "flops", has_cache=False) <= MOST_FLOPS["float32"]
        assert n_heads * sum(n * n for n in range(1, found.nearest + 1)) <= MOST_SCORES
        more = find_excess(replace(fits, setting=replace(fits.setting, n=found.nearest + 1)))
        assert more is not None
        assert more.nearest == found.nearest
    slow = find_excess(Writing(Setting(n=256, d_model=512, n_heads=8)), "float16")
    assert slow is not None
    assert (slow.rule, slow.most) == ("flops", MOST_FLOPS["float16"])
    wide = find_excess(Writing(Setting(n=8, d_model=3000, n_heads=24)))
    assert wide is not None
    assert (wide.rule, wide.nearest) == ("d_model", 1008)


def test_what_cannot_be_written_is_refused() -> None:
    with pytest.raises(ValueError, match="a rolling cache needs a window, got width=None"):
        Writing(AT, cache="rolling")
    with pytest.raises(ValueError, match="width counts the query itself and must be at least 1, got 0"):
        Writing(AT, 0)
    with pytest.raises(ValueError, match="token must be from 1 to 13, got 14"):
        look_at_step(Writing(AT), 14)
    with pytest.raises(ValueError, match="flops must be at most 500000000000, got 1808115712000"):
        DecodingPlan(n=600, d_model=1024)
    with pytest.raises(ValueError, match="scores must be at most 1500000000, got "):
        DecodingPlan(n=MAX_N, d_model=64, n_heads=8)
    with pytest.raises(ValueError, match="n_heads must divide d_model"):
        DecodingPlan(d_model=10, n_heads=3)


def test_an_unknown_type_is_refused(unchecked) -> None:
    with pytest.raises(
        ValueError, match="dtype one of float64, float32, bfloat16, float16, got reserved and int8"
    ):
        DecodingPlan(dtype="int8")


def test_places_double() -> None:
    assert list_places(9) == (1, 2, 4, 8, 9)
    assert list_places(8) == (1, 2, 4, 8)
