"""Claims S2 and S3: unscaled scores drive softmax one-hot and its gradient to nothing; √d_k keeps both, no other divisor does."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Literal, get_args

import torch
from jaxtyping import Float
from torch import Tensor

from attention_core.components import (
    DTYPES,
    Components,
    DTypeName,
    check_trials,
    draw_queries_and_keys,
    expected_variance,
    generator_for,
    trials_a_chunk,
)
from attention_core.estimate import Estimate, estimate
from attention_core.sharpness import entropy, jacobian_norm, largest_weight, scores_gradient
from attention_core.steps import score

Divisor = Literal["none", "sqrt_d_k", "d_k", "sqrt_d_model", "temperature"]
DIVISORS: tuple[Divisor, ...] = get_args(Divisor)
Fate = Literal["rises", "stays", "falls"]
# What moves by less than this share of the larger end is said to stay.
STAYS_WITHIN = 1 / 4
# A temperature beyond these tells no more: the weights are one-hot or alike already.
COLDEST, HOTTEST = 1e-6, 1e6


@dataclass(frozen=True, eq=False)
class Meters:
    """What is read of each trial and divisor; the fields are those of Saturation, before the mean."""

    largest_weight: Float[Tensor, "B D"]
    entropy_share: Float[Tensor, "B D"]
    effective_keys: Float[Tensor, "B D"]
    jacobian_norm: Float[Tensor, "B D"]
    q_gradient: Float[Tensor, "B D"]
    k_gradient: Float[Tensor, "B D"]


METERS = tuple(field.name for field in fields(Meters))


@dataclass(frozen=True)
class Overflow:
    """How many numbers dtype cannot hold.

    Attributes:
        infinite_components: ±∞ in q and k.
        infinite_scores: ±∞ in q·k, before anything is divided.
        nan_scores: NaN there, from ∞ − ∞ or 0·∞.
        nan_weights: NaN after softmax, of one divisor.
        trials: Left out of all means of that divisor, because a weight or a gradient is no number.
    """

    infinite_components: int
    infinite_scores: int
    nan_scores: int
    nan_weights: int
    trials: int


@dataclass(frozen=True)
class Saturation:
    """What one divisor does to the weights at one width; means and medians over trials.

    Attributes:
        divided_by: The number that the scores were divided by.
        entropy_share: Entropy / log(n_keys): 1 where all keys get the same.
        effective_keys: exp of the entropy.
        jacobian_norm: Frobenius norm of the derivative of the weights by the scaled scores.
        q_gradient: Norm of the gradient that reaches the query.
        k_gradient: Norm of the gradient that reaches the keys.
        scaled_std: Standard deviation of the scaled scores over trials and keys; None where all overflowed.
        expected_std: The same from theory.
    """

    d_k: int
    divisor: Divisor
    divided_by: float
    largest_weight: Estimate
    entropy_share: Estimate
    effective_keys: Estimate
    jacobian_norm: Estimate
    q_gradient: Estimate
    k_gradient: Estimate
    scaled_std: float | None
    expected_std: float
    overflow: Overflow


@dataclass(frozen=True, eq=False)
class SampleRow:
    """One query's scores and weights, divisor by divisor.

    Attributes:
        scaled: One row a divisor.
        weights: NaN where a score overflowed to +∞.
    """

    d_k: int
    divisors: tuple[Divisor, ...]
    divided_by: tuple[float, ...]
    scores: Float[Tensor, " M"]
    scaled: Float[Tensor, "D M"]
    weights: Float[Tensor, "D M"]


def divided_by(divisor: Divisor, d_k: int, *, n_heads: int = 8, temperature: float | int = 1.0) -> float:
    """Give the number that a divisor stands for.

    Args:
        n_heads: For √d_model, which is √(n_heads · d_k).
        temperature: The reader's own number.

    Raises:
        ValueError: a size below 1, or a temperature out of its range.

    Example:
        >>> [divided_by(name, 64, n_heads=4, temperature=3.0) for name in DIVISORS]
        [1.0, 8.0, 64.0, 16.0, 3.0]
    """
    if min(d_k, n_heads) < 1:
        raise ValueError(f"d_k and n_heads must be at least 1, got d_k={d_k} and n_heads={n_heads}")
    if not COLDEST <= temperature <= HOTTEST:
        raise ValueError(f"temperature must be from {COLDEST:g} to {HOTTEST:g}, got {temperature:g}")
    return {
        "none": 1.0,
        "sqrt_d_k": math.sqrt(d_k),
        "d_k": float(d_k),
        "sqrt_d_model": math.sqrt(n_heads * d_k),
        "temperature": float(temperature),
    }[divisor]


def fate_of(first: float, last: float) -> Fate:
    """Say in one word where a curve goes, from its two ends.

    Example:
        >>> fate_of(0.21, 0.96), fate_of(0.21, 0.25), fate_of(0.3, 0.05), fate_of(0.0, 0.0)
        ('rises', 'stays', 'falls', 'stays')
    """
    if abs(last - first) <= STAYS_WITHIN * max(abs(first), abs(last)):
        return "stays"
    return "rises" if last > first else "falls"


def meter_range(meter: str, n_keys: int) -> tuple[float, float | None]:
    """Give the least and the largest that a meter can read; a gradient has no largest.

    Example:
        >>> meter_range("largest_weight", 4), meter_range("effective_keys", 4), meter_range("q_gradient", 4)
        ((0.25, 1.0), (1.0, 4.0), (0.0, None))

    Source: the largest norm of softmax's Jacobian is that of two keys alike, 1/2.
    """
    return {
        "largest_weight": (1 / n_keys, 1.0),
        "entropy_share": (0.0, 1.0),
        "effective_keys": (1.0, float(n_keys)),
        "jacobian_norm": (0.0, 0.5),
        "q_gradient": (0.0, None),
        "k_gradient": (0.0, None),
    }[meter]


def numbers_a_trial(n_keys: int, n_divisors: int = len(DIVISORS)) -> int:
    """Bound how many numbers are kept of one trial of a sweep, copies included."""
    return 4 * n_divisors * (len(METERS) + n_keys)


def sweep_divisors(
    d_ks: Sequence[int],
    *,
    n_keys: int = 16,
    trials: int = 1000,
    seed: int = 0,
    components: Components | None = None,
    divisors: Sequence[Divisor] = DIVISORS,
    n_heads: int = 8,
    temperature: float | int = 4.0,
    dtype: DTypeName = "float64",
    device: str = "cpu",
) -> tuple[Saturation, ...]:
    """Measure the weights and the gradients behind them against the width, for every divisor on the same draws.

        L = c · out,  g_m = ∂L/∂a_m = c · v_m,  ∂L/∂q = Kᵀ·J·g / divisor,  ∂L/∂k_m = (J·g)_m · q / divisor

    Args:
        components: None for normal ones of mean 0 and variance 1.
        dtype: In which scores, scaled and weights are computed; what is measured on them is float64. The scores
            are divided after the product, so that what overflows is seen.
        temperature: The divisor of that name.

    Returns:
        One record for each width and divisor, in order. Theory, normal components: the scaled scores spread by
        √d_k / divisor. √d_k makes that 1 at every width, and all meters level off. Without a divisor it grows,
        the largest weight goes to 1, the Jacobian and the median of the gradients to 0. The mean of the
        gradients need not: the few trials with two keys level at the top, about one in √d_k, send back a
        gradient that grows with √d_k. d_k, and √d_model by √heads, make the spread too small: weights near
        1/n_keys.

    Raises:
        ValueError: fewer than two keys, a size out of its range, or more than fits in memory; it names the
            nearest that does. Before anything is drawn.

    Cost: trials · (n_keys + 1) · d_k random numbers for each width. All trials, keys and divisors of a width are
        measured at once. The widths follow one another: vectors of different lengths in one tensor would be padded
        to the longest (5.5 times the numbers from 1 to 1024 by powers of two), and a width that is drawn alone has
        the same numbers in every sweep.
    Source: Vaswani et al. 2017, section 3.2.1. The loss is our choice: the part of the output along a fixed unit
        vector c. With normal values c · v_m is normal at any d_v, so one number a key is drawn.
    """
    components = components or Components()
    if n_keys < 2:
        raise ValueError(f"n_keys must be at least 2, or there is nothing to choose; got {n_keys}")
    check_trials(trials, numbers_a_trial(n_keys, len(divisors)))
    for d_k in d_ks:
        trials_a_chunk(n_keys, d_k)
    records = []
    for d_k in d_ks:
        numbers = [divided_by(name, d_k, n_heads=n_heads, temperature=temperature) for name in divisors]
        draws = _Draws(components, n_keys, trials, seed, dtype, device)
        records += _records(d_k, divisors, numbers, draws)
    return tuple(records)


def draw_sample_row(
    d_k: int,
    *,
    n_keys: int = 16,
    seed: int = 0,
    components: Components | None = None,
    divisors: Sequence[Divisor] = DIVISORS,
    n_heads: int = 8,
    temperature: float | int = 4.0,
    dtype: DTypeName = "float64",
    device: str = "cpu",
) -> SampleRow:
    """Draw one query and its keys, and weigh them with every divisor.

    Raises:
        ValueError: a size out of its range, or more than fits in memory; it names the nearest that does.
    """
    trials_a_chunk(n_keys, d_k)
    numbers = tuple(divided_by(name, d_k, n_heads=n_heads, temperature=temperature) for name in divisors)
    sizes = {"trials": 1, "n_keys": n_keys, "d_k": d_k, "generator": generator_for(seed, d_k)}
    q, k = draw_queries_and_keys(components or Components(), **sizes, dtype=dtype, device=device)
    scores, scaled, weights = (x.cpu() for x in _weigh(q, k, numbers))
    return SampleRow(d_k, tuple(divisors), numbers, scores[0], scaled[0], weights[0])


def read_meters(
    q: Float[Tensor, "B d_k"],
    k: Float[Tensor, "B M d_k"],
    weights: Float[Tensor, "B D M"],
    weights_gradient: Float[Tensor, "B M"],
    numbers: Sequence[float],
) -> Meters:
    """Measure given rows of weights and the gradients behind them.

    Args:
        weights: softmax of q·k / number, one row a trial and number.
        weights_gradient: Of the loss by the weights.
        numbers: What the scores were divided by.

    Returns:
        NaN for a trial whose weights are.

    Source: ∂L/∂K is the outer product (J·g) qᵀ / number, whose norm is ‖J·g‖·‖q‖ / number; no matrix is made.
    """
    spread = entropy(weights)
    divided = torch.tensor(numbers, dtype=weights.dtype).to(weights.device)
    by_scores = scores_gradient(weights, weights_gradient[:, None]) / divided[:, None]
    return Meters(
        largest_weight=largest_weight(weights),
        entropy_share=spread / math.log(weights.shape[-1]),
        effective_keys=spread.exp(),
        jacobian_norm=jacobian_norm(weights),
        q_gradient=(by_scores @ k.double()).norm(dim=-1),
        k_gradient=by_scores.norm(dim=-1) * q.double().norm(dim=-1, keepdim=True),
    )


@dataclass(frozen=True)
class _Draws:
    components: Components
    n_keys: int
    trials: int
    seed: int
    dtype: DTypeName
    device: str


def _weigh(
    q: Float[Tensor, "B d_k"], k: Float[Tensor, "B M d_k"], numbers: Sequence[float]
) -> tuple[Float[Tensor, "B M"], Float[Tensor, "B D M"], Float[Tensor, "B D M"]]:
    """Score, divide by each number, weigh."""
    scores = score(q[:, None], k).squeeze(1)
    # One number at a time: in a tensor of a half type a divisor would be rounded before it divides.
    scaled = torch.stack([scores / number for number in numbers], dim=1)
    return scores, scaled, scaled.softmax(dim=-1)


def _measure_chunk(
    q: Float[Tensor, "B d_k"],
    k: Float[Tensor, "B M d_k"],
    weights_gradient: Float[Tensor, "B M"],
    numbers: Sequence[float],
) -> tuple[Float[Tensor, "B D meters"], Float[Tensor, "B M"], tuple[int, ...]]:
    """Read the meters; count the components that overflowed, then the weights, divisor by divisor."""
    scores, _, weights = _weigh(q, k, numbers)
    lost = sum(int(x.isinf().sum()) for x in (q, k)) if _may_overflow(q) else 0
    lost_weights = weights.isnan().sum(dim=(0, 2)).tolist()
    meters = read_meters(q, k, weights.double(), weights_gradient, numbers)
    return torch.stack(tuple(vars(meters).values()), dim=-1), scores.double(), (lost, *lost_weights)


def _may_overflow(q: Float[Tensor, "B d_k"]) -> bool:
    """Say whether a component could be too large for its type; LARGEST rules that out for all but one."""
    return q.dtype is DTYPES["float16"]


def _records(d_k: int, divisors: Sequence[Divisor], numbers: list[float], draws: _Draws) -> list[Saturation]:
    """Measure one width, some trials at a time."""
    at_once = trials_a_chunk(draws.n_keys, d_k)
    generator, chunks = generator_for(draws.seed, d_k), []
    for start in range(0, draws.trials, at_once):
        sizes = {"trials": min(at_once, draws.trials - start), "n_keys": draws.n_keys, "d_k": d_k}
        kind = {"dtype": draws.dtype, "device": draws.device}
        q, k = draw_queries_and_keys(draws.components, **sizes, **kind, generator=generator)
        g = torch.randn(k.shape[:-1], generator=generator).double().to(draws.device)
        chunks.append(_measure_chunk(q, k, g, numbers))
    meters, scores = (torch.cat(part).cpu() for part in zip(*(chunk[:2] for chunk in chunks), strict=True))
    lost, *lost_weights = (sum(counts) for counts in zip(*(chunk[2] for chunk in chunks), strict=True))
    is_lost = ~meters.isfinite().all(dim=-1)
    meters = meters.masked_fill(is_lost[..., None], math.nan)
    finite = scores[scores.isfinite()]
    std = float(finite.std()) if finite.numel() > 1 else None
    expected = math.sqrt(expected_variance(draws.components, d_k))
    return [
        Saturation(
            d_k,
            divisor,
            number,
            **{name: estimate(meters[:, column, meter]) for meter, name in enumerate(METERS)},
            scaled_std=None if std is None else std / number,
            expected_std=expected / number,
            overflow=Overflow(
                infinite_components=lost,
                infinite_scores=int(scores.isinf().sum()),
                nan_scores=int(scores.isnan().sum()),
                nan_weights=lost_weights[column],
                trials=int(is_lost[:, column].sum()),
            ),
        )
        for column, (divisor, number) in enumerate(zip(divisors, numbers, strict=True))
    ]
