"""Claims V1 to V5: how long each attention takes beside full attention, in turns on the same tensors of one machine."""

import statistics
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import torch

from attention_core.measure import time_each_s
from attention_core.variant_runs import (
    ATTEND,
    NAMES,
    Choices,
    Inputs,
    Name,
    count_flops,
    count_scores,
    find_refusal,
    relative_error,
)

MAX_LENGTH, MAX_REPEATS = 4096, 50
# How many tensors of scores are alive at the fullest, a little above what was measured.
_SCORES_ALIVE = 5


@dataclass(frozen=True)
class VariantPlan:
    """What is to be timed.

    Attributes:
        names: Each in turns with full attention.
        repeats: Timed runs of each, after one that does not count.

    Raises:
        ValueError: nothing to time, or a size outside its bounds.
    """

    names: tuple[Name, ...]
    n: int = 1024
    n_heads: int = 4
    d_k: int = 64
    is_causal: bool = False
    repeats: int = 5
    seed: int = 0

    def __post_init__(self) -> None:
        if not self.names or any(name not in NAMES for name in self.names):
            raise ValueError(f"names are some of {', '.join(NAMES)}, got {self.names}")
        if not 1 <= self.n <= MAX_LENGTH:
            raise ValueError(f"n must be from 1 to {MAX_LENGTH}, got {self.n}")
        if min(self.n_heads, self.d_k) < 1 or not 1 <= self.repeats <= MAX_REPEATS:
            raise ValueError(
                f"n_heads and d_k must be at least 1 and repeats from 1 to {MAX_REPEATS}, got {self.n_heads}, "
                f"{self.d_k} and {self.repeats}"
            )


@dataclass(frozen=True)
class TimedVariant:
    """One attention beside full attention.

    Attributes:
        full_s, own_s: Medians of the runs.
        ratio: How many times as long full attention takes: the median over pairs of runs made one after the other;
            lowest_ratio and highest_ratio are the ends.
        full_flops, own_flops: By formula, matrix products alone.
        error: Of the outputs against full attention's, on these random numbers.
    """

    name: Name
    full_s: float
    own_s: float
    ratio: float
    lowest_ratio: float
    highest_ratio: float
    full_flops: int
    own_flops: int
    error: float | None


def draw_inputs(plan: VariantPlan) -> Inputs:
    """Draw q, k and v in float32."""
    generator = torch.Generator().manual_seed(plan.seed)
    shape = (3, plan.n_heads, plan.n, plan.d_k)
    return Inputs(*torch.randn(shape, generator=generator).unbind(0), plan.is_causal)


def measure_variants(plan: VariantPlan, choices: Choices) -> Iterator[TimedVariant]:
    """Time each attention in turns with full attention, so that other work on the machine meets both alike.

    Raises:
        ValueError: an attention that cannot run on such inputs.

    Example:
        >>> plan = VariantPlan(names=("window", "linear"), n=8, repeats=1)
        >>> [(timed.name, timed.ratio > 0) for timed in measure_variants(plan, Choices())]
        [('window', True), ('linear', True)]
    """
    inputs = draw_inputs(plan)
    for name in plan.names:
        refusal = find_refusal(name, inputs, choices)
        if refusal is not None:
            raise ValueError(f"{name} cannot run: {refusal.rule}, got {refusal.values}")
        runs: list[Callable[[], object]] = [
            lambda one=one: ATTEND[one](inputs, choices, inputs.v) for one in ("full", name)
        ]
        full, own = time_each_s(runs, repeats=plan.repeats, warmup=1)
        ratios = [slow / fast for slow, fast in zip(full.runs_s, own.runs_s, strict=True)]
        yield TimedVariant(
            name=name,
            full_s=full.median_s,
            own_s=own.median_s,
            ratio=statistics.median(ratios),
            lowest_ratio=min(ratios),
            highest_ratio=max(ratios),
            full_flops=count_flops("full", inputs, choices),
            own_flops=count_flops(name, inputs, choices),
            error=relative_error(runs[1]().out, runs[0]().out),
        )


def predict_bytes(plan: VariantPlan, choices: Choices) -> int:
    """Say how many bytes a plan holds at the fullest, so that it can be refused before it begins.

    Example:
        >>> predict_bytes(VariantPlan(names=("linear",), n=64), Choices()) < predict_bytes(
        ...     VariantPlan(names=("additive",), n=64), Choices()
        ... )
        True
    """
    return max(_bytes_of(name, plan, choices) for name in ("full", *plan.names))


def longest_length(
    plan: VariantPlan, choices: Choices, most_bytes: int, lengths: Sequence[int]
) -> int | None:
    """Find the longest of some lengths, shortest first, whose plan holds no more than so many bytes; None where none does.

    Example:
        >>> longest_length(VariantPlan(names=("full",)), Choices(), 2**27, (256, 1024, 4096))
        1024
    """
    place = bisect_right(lengths, most_bytes, key=lambda n: predict_bytes(replace(plan, n=n), choices))
    return lengths[place - 1] if place else None


def _bytes_of(name: Name, plan: VariantPlan, choices: Choices) -> int:
    number = torch.float32.itemsize
    scores = count_scores(name, plan.n, choices, is_causal=plan.is_causal)
    # Additive attention holds the sum and its tanh, so many numbers a pair each; one head's sum at a time.
    of_pairs = _SCORES_ALIVE + (choices.d_a * (1 + 1 / plan.n_heads) if name == "additive" else 0)
    # Pieces put keys and values of their neighbours beside them.
    inputs = 16 * plan.n * plan.d_k
    return int(number * plan.n_heads * (of_pairs * scores + inputs)) + plan.n**2
