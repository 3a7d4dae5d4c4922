"""Claim S1: the dot product of independent components of variance 1 has mean 0 and variance d_k."""

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch
from jaxtyping import Float
from torch import Tensor

from attention_core.components import (
    Components,
    DTypeName,
    check_trials,
    draw_queries_and_keys,
    expected_score,
    expected_variance,
    generator_for,
    trials_a_chunk,
)
from attention_core.estimate import Estimate, estimate
from attention_core.steps import score


@dataclass(frozen=True, eq=False)
class DotProducts:
    """The scores q·k at one width, trial by trial, and what theory expects of them.

    Attributes:
        scores: One row a trial: its query against each of its keys.
        overflowed: Scores that are ±∞ or NaN in dtype; their trials are left out of mean and variance.
    """

    d_k: int
    dtype: DTypeName
    scores: Float[Tensor, "B M"]
    mean: Estimate
    variance: Estimate
    expected_mean: float
    expected_variance: float
    overflowed: int


@dataclass(frozen=True)
class Bin:
    """One bar of a histogram, and the normal's part of it.

    Attributes:
        share: Of the scores that are finite.
        expected_share: Of a normal distribution with the expected mean and variance.
    """

    lower: float
    upper: float
    share: float
    expected_share: float


@dataclass(frozen=True)
class VarianceAtWidth:
    """The variance of q·k at one width, for several seeds.

    Attributes:
        variances: One a seed, in their order; empty seeds, where every trial overflowed, are None.
        median: Over the seeds; None where every one is empty.
        overflowed: Scores of all seeds that are ±∞ or NaN in dtype.
    """

    d_k: int
    variances: tuple[Estimate, ...]
    lowest: float | None
    median: float | None
    highest: float | None
    expected_variance: float
    overflowed: int


def measure_dot_products(
    d_k: int,
    *,
    n_keys: int = 1,
    trials: int = 1000,
    seed: int = 0,
    components: Components | None = None,
    dtype: DTypeName = "float64",
    device: str = "cpu",
) -> DotProducts:
    """Draw queries and keys at one width and multiply them.

    Args:
        n_keys: Keys that share the query of their trial.
        components: None for normal ones of mean 0 and variance 1.
        dtype: Of q, k and their product.

    Returns:
        Theory: mean and variance as `expected_score` and `expected_variance` say; 0 and d_k by default. The
        standard errors are taken over trials, since the keys of one trial share their q.

    Raises:
        ValueError: a size out of its range, or more than fits in memory; it names the nearest that does.

    Cost: trials · (n_keys + 1) · d_k random numbers.
    Source: Vaswani et al. 2017, footnote 4.
    """
    components = components or Components()
    at_once = trials_a_chunk(n_keys, d_k)
    check_trials(trials, 4 * n_keys)
    generator, rows = generator_for(seed, d_k), []
    for start in range(0, trials, at_once):
        q, k = draw_queries_and_keys(
            components,
            trials=min(at_once, trials - start),
            n_keys=n_keys,
            d_k=d_k,
            generator=generator,
            dtype=dtype,
            device=device,
        )
        rows.append(score(q[:, None], k).squeeze(1).cpu())
    scores = torch.cat(rows).double()
    finite = scores[scores.isfinite().all(dim=-1)]
    return DotProducts(
        d_k=d_k,
        dtype=dtype,
        scores=scores,
        mean=estimate(finite.mean(dim=-1)),
        variance=_variance(finite),
        expected_mean=expected_score(components, d_k),
        expected_variance=expected_variance(components, d_k),
        overflowed=int((~scores.isfinite()).sum()),
    )


def bin_scores(record: DotProducts, n_bins: int = 40, *, reach: float | int = 4.0) -> tuple[Bin, ...]:
    """Count the scores in bins of equal width around the expected mean.

    Args:
        reach: How many expected standard deviations the bins span to each side. Wider where a score lies outside,
            so that none is left out.

    Returns:
        Bins from left to right; the shares sum to 1. None where no score is finite. The normal is what many
        independent components add up to: at a small width the bars need not follow it, and for ±1 components
        the scores are whole numbers of one parity, so that bins that are narrower stand empty in between.

    Raises:
        ValueError: no bin, or a reach that is not above 0.

    Source: the central limit theorem; the shares of the normal are differences of its distribution function.
    """
    if n_bins < 1 or not 0 < reach < math.inf:
        raise ValueError(f"n_bins must be at least 1 and reach above 0, got {n_bins} and {reach}")
    scores = record.scores[record.scores.isfinite()]
    if not scores.numel():
        return ()
    mean, std = record.expected_mean, math.sqrt(record.expected_variance)
    # All scores are one number where nothing varies; a bin needs a width even then.
    half = max(reach * std, float((scores - mean).abs().max()), 1e-9 * abs(mean), 1e-9)
    width = 2 * half / n_bins
    places = ((scores - (mean - half)) / width).long().clamp(0, n_bins - 1)
    counts = torch.bincount(places, minlength=n_bins).tolist()
    edges = [mean - half + width * number for number in range(n_bins + 1)]
    below = [_normal_share_below(edge, mean, std) for edge in edges]
    return tuple(
        Bin(edges[b], edges[b + 1], counts[b] / scores.numel(), below[b + 1] - below[b])
        for b in range(n_bins)
    )


def sweep_variance(
    d_ks: Sequence[int],
    *,
    seeds: Sequence[int] = (0, 1, 2, 3, 4),
    n_keys: int = 1,
    trials: int = 1000,
    components: Components | None = None,
    dtype: DTypeName = "float64",
    device: str = "cpu",
) -> tuple[VarianceAtWidth, ...]:
    """Measure the variance of q·k against the width, once for each seed.

    Returns:
        One record a width, in order. Theory: a straight line through 0, d_k by default.

    Raises:
        ValueError: a size out of its range, or more than fits in memory; before anything is drawn.

    Cost: as `measure_dot_products`, for each width and seed, one after the other: each has a generator of its own.
    """
    components = components or Components()
    for d_k in d_ks:
        trials_a_chunk(n_keys, d_k)
    records = []
    for d_k in d_ks:
        runs = [
            measure_dot_products(
                d_k,
                n_keys=n_keys,
                trials=trials,
                seed=seed,
                components=components,
                dtype=dtype,
                device=device,
            )
            for seed in seeds
        ]
        found = [run.variance.mean for run in runs if run.variance.mean is not None]
        records.append(
            VarianceAtWidth(
                d_k=d_k,
                variances=tuple(run.variance for run in runs),
                lowest=min(found, default=None),
                median=statistics.median(found) if found else None,
                highest=max(found, default=None),
                expected_variance=expected_variance(components, d_k),
                overflowed=sum(run.overflowed for run in runs),
            )
        )
    return tuple(records)


def _variance(scores: Float[Tensor, "B M"]) -> Estimate:
    """Estimate a variance; two trials lie equally far from their mean and tell nothing of how far off it is."""
    B, _ = scores.shape
    squares = (scores - scores.mean()).square() if B else scores
    # Deviations from a mean of the same trials are too small by this much.
    found = estimate((squares * (B / max(B - 1, 1))).mean(dim=-1))
    return replace(found, standard_error=None) if B < 3 else found


def _normal_share_below(edge: float, mean: float, std: float) -> float:
    """Give the normal's distribution function; a step where its standard deviation is 0."""
    if std == 0:
        return float(edge > mean)
    return 0.5 * math.erfc((mean - edge) / (std * math.sqrt(2)))
