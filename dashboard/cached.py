"""The only caches: arguments are plain values, every one is bounded."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from types import MappingProxyType
from typing import Generic, TypeVar

import streamlit as st

from attention_core.components import Components, DTypeName
from attention_core.cost import Axis, Quantity, Setting, largest_n, list_terms, split_flops
from attention_core.cost_lines import Measure as CostMeasure
from attention_core.cost_lines import (
    collect_terms,
    evaluate,
    group_parallel,
    list_stops,
    slope,
    trace_line,
    write_sum,
)
from attention_core.device import Machine, describe_machine
from attention_core.estimate import Estimate
from attention_core.experiments.approximation import ERROR_LINES, ErrorAt, ErrorPlan, measure_errors
from attention_core.experiments.clinic import CheckUp, Setup, check_up
from attention_core.experiments.dot_products import (
    Bin,
    VarianceAtWidth,
    bin_scores,
    measure_dot_products,
    sweep_variance,
)
from attention_core.experiments.growth import MATRICES, Step, grow
from attention_core.experiments.independence import FormTiming, measure_independence
from attention_core.experiments.initial_weights import ProductTiming, time_products
from attention_core.experiments.recall import Recall, measure_attended, measure_recall
from attention_core.experiments.rollout import RolloutCheck, Silence, check_queries
from attention_core.experiments.scaling import Saturation, sweep_divisors
from attention_core.experiments.shared_heads import (
    Agreement,
    HeadSharing,
    check_sharing,
    compare_sharing,
)
from attention_core.experiments.smoothing import Smoothing, measure_smoothing
from attention_core.experiments.temperature import TemperatureSweep, sweep_temperatures, temperature_for
from attention_core.experiments.timed_kernels import Rates, measure_rates
from attention_core.layers import Design
from attention_core.masks import causal
from attention_core.single_head import Positions, own_sentence
from attention_core.sizes import DType
from dashboard.runs import say_now

TIMED_LENGTHS = (4, 8, 16, 32, 64, 128, 256)
TIMED_REPEATS = 15
SMOOTHING_SEEDS = 8

Measure = TypeVar("Measure", bound=Callable)
Timed = TypeVar("Timed")


def shared(most: int) -> Callable[[Measure], Measure]:
    """Keep records that nobody can change, as they are, for all visitors: at most so many.

    Streamlit's cache makes the others wait while one measures; reading from it takes half a millisecond, for the
    arguments are hashed anew. What was read once is found at once.
    """

    def wrap(measure: Measure) -> Measure:
        once = st.cache_resource(max_entries=most, show_spinner=False)(measure)
        return lru_cache(maxsize=most, typed=True)(once)

    return wrap


@dataclass(frozen=True)
class Measured(Generic[Timed]):
    """Records of a measurement with when and on what it was made."""

    records: tuple[Timed, ...]
    when: str
    machine: Machine


@st.cache_data(max_entries=16, ttl=3600, show_spinner=False)
def measured_forms(d_k: int, device: str) -> Measured[FormTiming]:
    """Time loop, matmul, einsum and RNN once for all visitors of this server and hour."""
    records = measure_independence(TIMED_LENGTHS, d_k=d_k, repeats=TIMED_REPEATS, device=device)
    return Measured(records, say_now(), describe_machine())


@st.cache_data(max_entries=4, ttl=3600, show_spinner=False)
def measured_products(
    d_models: tuple[int, ...], n: int, repeats: int, device: str
) -> Measured[ProductTiming]:
    """Time nn.Linear against x @ w once for all visitors of this server and hour."""
    records = time_products(d_models, n=n, repeats=repeats, device=device)
    return Measured(records, say_now(), describe_machine())


@dataclass(frozen=True)
class ScoresAtWidth:
    """The scores of one width, counted in bins, with their mean and variance beside theory's."""

    bins: tuple[Bin, ...]
    mean: Estimate
    variance: Estimate
    expected_mean: float
    expected_variance: float
    n_scores: int
    overflowed: int


# One holds some kilobytes.
@shared(1024)
def scores_at(
    d_k: int, trials: int, seed: int, components: Components, dtype: DTypeName, device: str
) -> ScoresAtWidth:
    """Draw queries and keys of one width, one key a query, once for all visitors."""
    settings = {"components": components, "dtype": dtype, "device": device}
    record = measure_dot_products(d_k, trials=trials, seed=seed, **settings)
    return ScoresAtWidth(
        bin_scores(record),
        record.mean,
        record.variance,
        record.expected_mean,
        record.expected_variance,
        record.scores.numel(),
        record.overflowed,
    )


@shared(4096)
def variance_at(
    d_k: int, trials: int, seeds: tuple[int, ...], components: Components, dtype: DTypeName, device: str
) -> VarianceAtWidth:
    """Measure the variance of q·k at one width for several seeds, once for all visitors."""
    settings = {"components": components, "dtype": dtype, "device": device}
    return sweep_variance((d_k,), seeds=seeds, trials=trials, **settings)[0]


@shared(4096)
def saturation_at(
    d_k: int,
    n_keys: int,
    trials: int,
    seed: int,
    components: Components,
    n_heads: int,
    temperature: float,
    dtype: DTypeName,
    device: str,
) -> tuple[Saturation, ...]:
    """Measure what each divisor does at one width, once for all visitors. A width gives the same in every sweep."""
    sizes = {"n_keys": n_keys, "trials": trials, "n_heads": n_heads, "temperature": temperature}
    return sweep_divisors((d_k,), seed=seed, components=components, dtype=dtype, device=device, **sizes)


# Of 64 scores at all temperatures it is some hundred kilobytes.
@shared(64)
def temperatures_of(scores: tuple[float, ...], lowest: float, highest: float) -> TemperatureSweep:
    """Weigh one row of scores over a range of temperatures, once for all visitors."""
    return sweep_temperatures(scores, lowest, highest)


@shared(1024)
def halved_at(scores: tuple[float, ...]) -> float:
    """Find the temperature at which the largest weight of a row is one half, once for all visitors."""
    return temperature_for(scores)


@shared(1024)
def checked_up(setup: Setup, seed: int, device: str) -> CheckUp:
    """Send one pass forward and one backward through a stack, once for all visitors."""
    return check_up(setup, seed=seed, device=device)


# Of 64 tokens and 16 heads it is some megabytes.
@shared(16)
def grown(
    tokens: tuple[str, ...], seed: int, d_model: int, positions: Positions, n_heads: int
) -> tuple[Step, ...]:
    """Take a sentence through the four steps of one growth, once for all visitors."""
    widths = {"d_model": d_model, "d_k": d_model, "d_v": d_model}
    given = own_sentence(tokens, seed=seed, positions=positions, **widths)
    return grow(given["x"], *(given[name] for name in MATRICES), n_heads=n_heads)


@shared(256)
def sharings_of(d_model: int, n_heads: int, n_layers: int, n: int, dtype: DType) -> tuple[HeadSharing, ...]:
    """Describe a layer with each legal number of key/value heads, once for all visitors."""
    return compare_sharing(d_model, n_heads, n_layers=n_layers, n=n, dtype=dtype)


@shared(1024)
def agreement_of(d_model: int, n_heads: int, n_kv_heads: int, n: int) -> Agreement:
    """Run a grouped layer beside those that it must agree with, once for all visitors."""
    return check_sharing(d_model, n_heads, n_kv_heads, n=n)


# One is eight records; a width and a keep of the reader's own are measured once.
@shared(256)
def recall_at(d_model: int, keep: float) -> tuple[Recall, ...]:
    """Read sentences of all lengths back from one vector of one width, once for all visitors."""
    return measure_recall(d_model, keep=keep)


@shared(256)
def attended_at(d_model: int, sharpness: int) -> tuple[Recall, ...]:
    """Read the same sentences by attention, once for all visitors."""
    return measure_attended(d_model, sharpness=sharpness)


@shared(1024)
def costs_along(
    variant: str, measure: CostMeasure, setting: Setting, axis: Axis
) -> tuple[int | Fraction, ...]:
    """Give one kind of attention's costs at all stops along one size, once for all visitors."""
    return trace_line(variant, measure, setting, axis, list_stops(setting, axis))


@dataclass(frozen=True)
class CostRow:
    """One kind of attention at one size.

    Attributes:
        slope: Its exponent from this size to twice it; None where twice the size is not legal.
        far: Its exponent far out; None where no size is far out.
        formula: The sum in letters; None of a ratio.
    """

    value: int | Fraction
    slope: float | None
    far: float | None
    formula: str | None


@shared(4096)
def cost_row(variant: str, measure: CostMeasure, setting: Setting, axis: Axis) -> CostRow:
    """Give one kind of attention's cost, its exponents and its formula, once for all visitors."""
    is_ratio = measure == "intensity"
    return CostRow(
        evaluate(variant, measure, setting),
        slope(variant, measure, setting, axis),
        slope(variant, measure, setting, axis, from_far=True),
        None if is_ratio else write_sum(collect_terms(list_terms(variant, measure, setting), setting)),
    )


@shared(1024)
def parallel_lines(measure: CostMeasure, setting: Setting, axis: Axis) -> Mapping[float, tuple[str, ...]]:
    """Put variants together whose lines are parallel far out, once for all visitors."""
    return MappingProxyType(group_parallel(measure, setting, axis))


@shared(1024)
def flops_along(setting: Setting) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Give the FLOPs of full attention's projections and of its products at all stops along N, once for all visitors."""
    split = [split_flops(replace(setting, n=stop)) for stop in list_stops(setting, "n")]
    projections, products = zip(*split, strict=True)
    return projections, products


@shared(1024)
def longest_n(variant: str, quantity: Quantity, setting: Setting, budget: int) -> int:
    """Find the largest N within a budget, once for all visitors."""
    return largest_n(variant, quantity, setting, budget)


@shared(1024)
def errors_at(plan: ErrorPlan, size: int) -> tuple[ErrorAt, ...]:
    """Measure how far every approximation lies from full attention at one length and size, once for all visitors."""
    return measure_errors(plan, ERROR_LINES, (size,))


# For an hour: a rate that was measured while the server was busy is not kept for ever.
@st.cache_data(max_entries=8, ttl=3600, show_spinner=False)
def rates_of(dtype: DType, device: str) -> Rates:
    """Measure how fast this server multiplies and copies, once for all visitors."""
    return measure_rates(device, dtype)


@shared(256)
def smoothing_of(
    tokens: tuple[str, ...], design: Design, seed: int, positions: Positions, *, is_causal: bool
) -> tuple[Smoothing, Smoothing]:
    """Follow how alike tokens become without residual and with it, for the seeds from the given one on."""
    return measure_smoothing(
        tokens,
        design,
        seeds=range(seed, seed + SMOOTHING_SEEDS),
        positions=positions,
        allowed=causal(len(tokens)) if is_causal else None,
    )


@shared(256)
def rollouts_of(
    tokens: tuple[str, ...],
    design: Design,
    seed: int,
    replacement: str,
    positions: Positions,
    *,
    is_causal: bool,
    silence: Silence | None,
) -> tuple[RolloutCheck, ...]:
    """Set every token's rollout beside what replacing each word changes, once for all visitors."""
    return check_queries(
        tokens,
        design,
        seed=seed,
        replacement=replacement,
        positions=positions,
        allowed=causal(len(tokens)) if is_causal else None,
        silence=silence,
    )
