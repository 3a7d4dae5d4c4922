"""Costs along one size: stops that are legal, slopes against the closed formulas, sums that keep their value."""

import itertools
import math
from dataclasses import replace
from fractions import Fraction

import pytest

from attention_core.cost import AXES, QUANTITIES, VARIANTS, Setting, count, list_terms, split_flops
from attention_core.cost_lines import (
    GIB,
    MEASURES,
    compare_products,
    count_pairs,
    evaluate,
    group_parallel,
    in_whole,
    list_stops,
    slope,
    times_doubled,
    trace_line,
    write_sum,
)
from attention_core.cost_lines import collect_terms as collect

KNOWN = Setting(n=1024, d_model=512, n_heads=8)
SHARED = Setting(n=77, d_model=48, n_heads=8, batch=3, n_kv_heads=2, n_layers=5, element_bytes=2, width=9)
SETTINGS = (KNOWN, SHARED, replace(SHARED, d_v=5), Setting(n=1, d_model=1, n_heads=1))


@pytest.mark.parametrize("axis", AXES)
@pytest.mark.parametrize("setting", SETTINGS)
def test_C1_every_stop_is_legal_and_the_present_size_is_one(setting: Setting, axis: str) -> None:
    stops = list_stops(setting, axis)
    assert getattr(setting, axis) in stops
    assert list(stops) == sorted(set(stops))
    for stop in stops:
        replace(setting, **{axis: stop})  # raises where a size is not legal


def test_C1_n_goes_from_16_to_a_million_and_heads_are_divisors() -> None:
    assert list_stops(KNOWN, "n")[0] == 16
    assert list_stops(KNOWN, "n")[-1] == 10**6
    assert list_stops(replace(KNOWN, d_model=12, n_heads=3), "n_heads") == (1, 2, 3, 4, 6, 12)
    assert list_stops(SHARED, "n_heads") == (2, 4, 6, 8, 12, 16, 24, 48)


@pytest.mark.parametrize("setting", SETTINGS)
def test_C1_a_collected_sum_has_the_value_of_its_terms(setting: Setting) -> None:
    for variant, quantity in itertools.product(VARIANTS, QUANTITIES):
        terms = list_terms(variant, quantity, setting)
        collected = collect(terms, setting)
        assert sum(term.value for term in collected) == count(variant, quantity, setting)
        names = [name for term in collected for name in term.name.split(" + ")]
        assert sorted(names) == sorted(term.name for term in terms)


def test_C1_the_sum_of_full_attention_is_that_of_the_claim() -> None:
    assert write_sum(collect(list_terms("full", "flops", KNOWN), KNOWN)) == (
        "layers·B·(8·N·d_model² + 4·N²·d_model)"
    )
    assert write_sum(collect(list_terms("full", "score_bytes", KNOWN), KNOWN)) == "3·layers·B·e·h·N²"
    assert write_sum(collect(list_terms("cached", "kept_bytes", SHARED), SHARED)) == "2·layers·B·e·h_kv·N·d_k"


def test_C1_products_against_projections_are_n_over_2d() -> None:
    for n, d_model in ((1024, 512), (4096, 512), (3, 7)):
        assert compare_products(Setting(n=n, d_model=d_model, n_heads=1)) == Fraction(n, 2 * d_model)
    assert compare_products(replace(KNOWN, n_kv_heads=2)) == Fraction(8, 5)


@pytest.mark.parametrize("setting", SETTINGS[:2])
def test_C4_slopes_are_the_exponents_of_the_formulas(setting: Setting) -> None:
    for variant, quantity, axis in itertools.product(VARIANTS, QUANTITIES, ("n", "d_model", "batch")):
        twice = replace(setting, **{axis: 2 * getattr(setting, axis)})
        before, after = (count(variant, quantity, one) for one in (setting, twice))
        expected = math.log2(after) - math.log2(before) if before else 0
        assert slope(variant, quantity, setting, axis) == pytest.approx(expected, abs=1e-12)
    assert slope("full", "flops", KNOWN, "n") == pytest.approx(math.log2(3))


def test_C4_far_out_a_fixed_number_of_keys_changes_the_exponent_and_a_fixed_share_does_not() -> None:
    groups = group_parallel("flops", KNOWN, "n")
    assert groups == {
        2.0: ("full", "causal", "causal_useful", "fused"),
        1.0: ("window", "block", "dilated", "linear", "low_rank", "cached"),
    }
    assert count_pairs("causal_useful", KNOWN) == 524_800
    assert group_parallel("score_bytes", KNOWN, "n_heads") == {}
    ends = [group_parallel("intensity", one, "n") for one in (KNOWN, replace(SHARED, n=1, d_model=65536))]
    assert [list(groups) for groups in ends] == [[1.0, 0.0]] * 2
    falling = slope("full", "intensity", KNOWN, "n_heads")
    assert falling < 0


EXTREME = tuple(
    Setting(n=n, d_model=65536, n_heads=h, batch=256, n_layers=1024, width=w, block=w, dilation=w, rank=w)
    for n in (1, 2**20)
    for h in (1, 1024)
    for w in (1, 65536)
)


@pytest.mark.parametrize("axis", ["n", "d_model", "batch", "n_layers"])
def test_C4_far_out_every_exponent_is_a_whole_number_whatever_the_other_sizes(axis: str) -> None:
    for setting in (*EXTREME, *(replace(one, d_model=one.n_heads) for one in EXTREME)):
        for variant, measure in itertools.product(VARIANTS, MEASURES):
            assert slope(variant, measure, setting, axis, from_far=True) in {-1.0, 0.0, 1.0, 2.0}


def work_out(formula: str, setting: Setting) -> Fraction:
    """Evaluate a formula as it is written for a reader; the sum of dilated keys term by term."""
    sizes = {"B": setting.batch, "d_model": setting.d_model, "h": setting.n_heads, "h_kv": setting.kv_heads}
    sizes |= {"d_k": setting.d_k, "d_v": setting.d_k, "r": setting.rank, "e": setting.element_bytes}
    sizes |= {
        "layers": setting.n_layers,
        "N": setting.n,
        "w": min(setting.width, setting.n),
        "b": setting.block,
    }
    keys = sum(min(setting.width, query // setting.dilation + 1) for query in range(setting.n))
    rounds = {"⌈N/w⌉": math.ceil(setting.n / sizes["w"]), "⌊N/b⌋": setting.n // setting.block}
    for written, value in ({"Σ min(w,⌊n/s⌋+1)": keys} | rounds).items():
        formula = formula.replace(written, str(value))
    for written, python in (
        ("−", "-"),
        ("·", "*"),
        ("²", "**2"),
        ("³", "**3"),
        (" mod ", " % "),
        ("/2", "*Half"),
    ):
        formula = formula.replace(written, python)
    formula = formula.replace("N(", "N*(").replace("w(", "w*(")
    return Fraction(eval(formula, {"Half": Fraction(1, 2)} | sizes))


@pytest.mark.parametrize(
    "setting",
    [*SETTINGS[:2], *(replace(SHARED, n=n, width=w, block=b) for n, w, b in ((1, 1, 1), (64, 7, 16)))],
)
def test_C1_a_formula_worked_out_as_it_is_written_gives_the_value(setting: Setting) -> None:
    for variant, quantity in itertools.product(VARIANTS, QUANTITIES):
        written = write_sum(collect(list_terms(variant, quantity, setting), setting))
        assert work_out(written, setting) == count(variant, quantity, setting), written


def test_C1_projections_and_products_add_up_to_the_flops_of_full_attention() -> None:
    for setting in SETTINGS:
        projections, products = split_flops(setting)
        assert projections + products == count("full", "flops", setting)
    assert split_flops(replace(KNOWN, n=1024)) == (8 * 1024 * 512**2, 4 * 1024**2 * 512)


def test_doubling_heads_needs_a_width_that_allows_it() -> None:
    narrow = Setting(n=4, d_model=6, n_heads=2)
    assert times_doubled("full", "score_bytes", narrow, "n_heads") is None
    assert slope("full", "score_bytes", narrow, "n_heads") is None
    assert times_doubled("full", "score_bytes", replace(narrow, d_model=8), "n_heads") == 2
    assert times_doubled("fused", "score_bytes", narrow, "n") == 1


@pytest.mark.parametrize("measure", MEASURES)
def test_a_line_is_the_quantity_at_each_stop(measure: str) -> None:
    line = trace_line("low_rank", measure, SHARED, "batch", (1, 2, 3))
    assert line == tuple(evaluate("low_rank", measure, replace(SHARED, batch=batch)) for batch in (1, 2, 3))


def test_a_budget_is_what_was_typed_rounded_down() -> None:
    assert in_whole(80.0, GIB) == 80 * 2**30
    assert in_whole(0.1, 10**12) == 10**11
    assert in_whole(1e-3, GIB) == 1_073_741
