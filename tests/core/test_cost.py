"""Cost by formula: against counted pairs, torch's FLOP counter, what autograd really keeps, and known figures."""

import math
from dataclasses import replace

import pytest
import torch
import torch.nn.functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.flop_counter import FlopCounterMode

from attention_core import patterns
from attention_core.cost import (
    PROJECTIONS,
    QUANTITIES,
    VARIANTS,
    Setting,
    count,
    crossing,
    largest_n,
    list_terms,
)
from attention_core.cost_lines import slope
from attention_core.multi_head import MultiHeadAttention

KNOWN = Setting(n=1024, d_model=512, n_heads=8)
SIZES = (
    Setting(n=5, d_model=12, n_heads=3, batch=2),
    Setting(n=7, d_model=24, n_heads=6, batch=3, n_kv_heads=2),
    Setting(n=1, d_model=4, n_heads=1),
    Setting(n=11, d_model=8, n_heads=4, n_kv_heads=1, d_v=3),
)


def by_name(variant: str, quantity: str, setting: Setting) -> dict[str, int]:
    return {term.name: term.value for term in list_terms(variant, quantity, setting)}


def layer_of(setting: Setting) -> MultiHeadAttention:
    return MultiHeadAttention(
        setting.d_model,
        setting.n_heads,
        setting.n_kv_heads,
        d_v=setting.d_v,
        generator=torch.Generator().manual_seed(0),
        dtype=torch.float32,
    )


def test_C1_figures_of_a_known_layer():
    flops = by_name("full", "flops", KNOWN)
    assert flops["scores"] == flops["out_heads"] == 1_073_741_824
    assert sum(flops[name] for name in PROJECTIONS) == 2_147_483_648 == 8 * 1024 * 512**2
    assert count("full", "parameters", KNOWN) == 4 * 512**2
    scores = by_name("full", "score_bytes", KNOWN)
    assert scores == {"scores": 33_554_432, "scaled": 33_554_432, "weights": 33_554_432}
    assert by_name("full", "score_bytes", replace(KNOWN, element_bytes=8))["scores"] == 67_108_864
    assert count("fused", "score_bytes", KNOWN) == 0


def test_C1_a_hundred_times_the_tokens_are_ten_thousand_times_the_scores():
    few, many = (
        count("full", "score_bytes", Setting(n=n, d_model=64, n_heads=1)) // 12 for n in (1_000, 100_000)
    )
    assert (few, many) == (10**6, 10**10)


def test_C1_both_products_count_each_with_its_own_width():
    flops = by_name("full", "flops", replace(KNOWN, d_v=32))
    assert flops["scores"] == 2 * flops["out_heads"] == 1_073_741_824


@pytest.mark.parametrize("setting", SIZES)
def test_C1_flops_and_parameters_are_those_of_the_layer_that_ran(setting):
    layer = layer_of(setting)
    with FlopCounterMode(display=False) as counter, torch.no_grad():
        layer(torch.zeros(setting.batch, setting.n, setting.d_model))
    assert count("full", "flops", setting) == counter.get_total_flops()
    assert count("full", "parameters", setting) == sum(each.numel() for each in layer.parameters())


def kept_bytes(run, parameters=()) -> int:
    """What autograd keeps of a run for its backward pass, each piece of memory once, without parameters."""
    known = {each.untyped_storage().data_ptr() for each in parameters}
    kept = {}

    def keep(tensor):
        storage = tensor.untyped_storage()
        kept[storage.data_ptr()] = storage
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
        found = run()
    assert found.requires_grad
    return sum(storage.nbytes() for place, storage in kept.items() if place not in known)


@pytest.mark.parametrize("setting", [size for size in SIZES if size.n > 1])
def test_C1_kept_bytes_are_what_autograd_keeps_of_the_layer(setting):
    layer = layer_of(setting)
    x = torch.randn(
        setting.batch,
        setting.n,
        setting.d_model,
        generator=torch.Generator().manual_seed(1),
        requires_grad=True,
    )
    assert count("full", "kept_bytes", setting) == kept_bytes(lambda: layer(x).out, layer.parameters())


def test_C3_a_fused_kernel_keeps_no_scores_for_the_backward_pass():
    batch, h, n, d_k = 2, 3, 64, 16
    generator = torch.Generator().manual_seed(0)
    q, k, v = (torch.randn(batch, h, n, d_k, generator=generator, requires_grad=True) for _ in "qkv")
    with sdpa_kernel(SDPBackend.FLASH_ATTENTION):
        kept = kept_bytes(lambda: F.scaled_dot_product_attention(q, k, v))
    terms = by_name("fused", "kept_bytes", Setting(n=n, d_model=h * d_k, n_heads=h, batch=batch))
    assert kept == sum(terms[name] for name in ("q", "k", "v", "merged", "logsumexp"))


@pytest.mark.parametrize("n", [1, 2, 3, 7, 12, 13, 29, 64])
@pytest.mark.parametrize(("width", "block", "dilation"), [(1, 1, 1), (3, 4, 2), (5, 5, 3), (64, 7, 40)])
def test_C4_pairs_are_those_of_the_masks(n, width, block, dilation):
    setting = Setting(n=n, d_model=4, n_heads=2, width=width, block=block, dilation=dilation)
    masks = {
        "full": patterns.full(),
        "causal": patterns.causal(),
        "causal_useful": patterns.causal(),
        "window": patterns.window(width, is_causal=True),
        "block": patterns.block(block),
        "dilated": patterns.dilated(width, dilation, is_causal=True),
    }
    for name, mask in masks.items():
        assert VARIANTS[name].useful(setting).value == int(mask.build(n).sum()), name
        assert VARIANTS[name].computed(setting).value >= VARIANTS[name].useful(setting).value


def test_C1_a_dense_mask_saves_nothing_and_counts_are_not_halved():
    setting = replace(KNOWN, width=3)
    assert VARIANTS["causal"].computed(setting).value == 1_048_576
    assert VARIANTS["causal"].useful(setting).value == 524_800
    assert VARIANTS["window"].useful(setting).value == 3_069
    assert count("causal", "flops", KNOWN) == count("full", "flops", KNOWN)


@pytest.mark.parametrize(
    ("variant", "quantity", "expected"),
    [
        ("full", "score_bytes", 2),
        ("causal_useful", "score_bytes", 2),
        ("fused", "kept_bytes", 1),
        ("window", "score_bytes", 1),
        ("block", "score_bytes", 1),
        ("dilated", "score_bytes", 1),
        ("linear", "flops", 1),
        ("low_rank", "score_bytes", 1),
        ("cached", "score_bytes", 1),
        ("cached", "kept_bytes", 1),
    ],
)
def test_C4_exponents_of_the_variants(variant, quantity, expected):
    setting = Setting(n=2**20, d_model=64, n_heads=1, width=128, block=128)
    assert slope(variant, quantity, setting, "n") == pytest.approx(expected, abs=1e-2)


def test_C1_each_size_has_its_own_exponent():
    long = Setting(n=2**20, d_model=64, n_heads=2, batch=3, n_layers=5)
    assert slope("full", "score_bytes", long, "n_heads") == 1
    assert slope("full", "score_bytes", long, "d_model") == 0
    assert slope("full", "parameters", long, "d_model") == 2
    assert [slope("full", "flops", long, axis) for axis in ("batch", "n_layers")] == [1, 1]
    assert slope("fused", "score_bytes", long, "n") == 0


@pytest.mark.parametrize("d_model", [2, 64, 768, 4096])
def test_C1_projections_and_products_cross_at_twice_the_width(d_model):
    setting = Setting(n=1, d_model=d_model, n_heads=2)
    assert crossing(setting) == 2 * d_model
    flops = by_name("full", "flops", replace(setting, n=2 * d_model))
    assert sum(flops[name] for name in PROJECTIONS) == flops["scores"] + flops["out_heads"]


def test_C1_heads_that_share_keys_cross_earlier():
    shared = Setting(n=1, d_model=64, n_heads=8, n_kv_heads=1)
    assert crossing(shared) == pytest.approx(64 + 8)


def test_C5_cache_bytes_of_a_known_model():
    model = Setting(n=8192, d_model=4096, n_heads=32, n_kv_heads=8, n_layers=32, element_bytes=2)
    assert count("cached", "kept_bytes", replace(model, n=1)) == 131_072
    assert count("cached", "kept_bytes", model) == 2**30
    assert count("cached", "kept_bytes", replace(model, n_kv_heads=32)) == 4 * 2**30


def test_C5_one_new_token_costs_one_query_of_the_whole_pass():
    whole, new = (by_name(variant, "flops", KNOWN) for variant in ("full", "cached"))
    assert all(whole[name] == KNOWN.n * new[name] for name in whole)


def test_moved_bytes_of_a_layer_small_enough_to_count():
    # One head, two positions, width 2, 4 bytes: 4 matrices of 16 bytes; x three times, out once, q k v o twice.
    setting = Setting(n=2, d_model=2, n_heads=1)
    fused = 4 * 16 + 4 * 16 + 4 * 2 * 16 + 4 * 2
    assert count("fused", "moved_bytes", setting) == fused
    assert count("full", "moved_bytes", setting) == fused - 4 * 2 + 3 * 2 * 16


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("quantity", QUANTITIES)
def test_every_formula_is_written_in_symbols_and_its_value_is_their_product(variant, quantity):
    setting = Setting(
        n=10, d_model=12, n_heads=6, n_kv_heads=3, d_v=5, batch=7, n_layers=11, width=3, block=4
    )
    terms = list_terms(variant, quantity, setting)
    assert count(variant, quantity, setting) == sum(term.value for term in terms)
    assert all(term.value == math.prod(factor.value for factor in term.factors) > 0 for term in terms)
    assert all(term.formula.endswith("·layers") and " " not in term.factors[0].symbol for term in terms)
    twice = list_terms(variant, quantity, replace(setting, n_layers=22))
    assert [2 * term.value for term in terms] == [term.value for term in twice]


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_largest_n_is_the_last_that_is_within_the_budget(variant):
    setting = Setting(n=1, d_model=8, n_heads=2)
    budget = 10**7 + 1
    n = largest_n(variant, "flops", setting, budget)
    assert count(variant, "flops", replace(setting, n=n)) <= budget
    assert count(variant, "flops", replace(setting, n=n + 1)) > budget
    assert largest_n(variant, "flops", setting, 0) == 0


@pytest.mark.usefixtures("unchecked")
def test_what_does_not_fit_is_refused_with_rule_and_values():
    with pytest.raises(ValueError, match="n must be at least 1, got 0"):
        Setting(n=0, d_model=4, n_heads=2)
    with pytest.raises(ValueError, match="n_heads must divide d_model, got d_model=5 and n_heads=2"):
        Setting(n=1, d_model=5, n_heads=2)
    with pytest.raises(ValueError, match="n_kv_heads must divide n_heads, got n_heads=4 and n_kv_heads=3"):
        Setting(n=1, d_model=8, n_heads=4, n_kv_heads=3)
    with pytest.raises(ValueError, match=r"variant must be one of full, .*, got best"):
        count("best", "flops", KNOWN)
    with pytest.raises(ValueError, match=r"quantity must be one of flops, .*, got time"):
        count("full", "time", KNOWN)
