"""Claim S4: a temperature sets how sharp the weights are, and with that what of a gradient comes through them."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from attention_core.sharpness import entropy, jacobian_norm, scores_gradient

# Rounds of a search, and points a round, each between the neighbours of the best point so far.
ROUNDS, POINTS = 4, 21
PRECISION = 1e-12


@dataclass(frozen=True)
class TemperatureRow:
    """One row of scores at one temperature.

    Attributes:
        scaled: Scores / temperature.
        entropy: −Σ a·log(a); entropy_share is that / log(keys), None for a single key.
        jacobian_norm: Of the weights by scores / temperature.
        gradient: Of the loss by each score.
        overflowed: The score farthest from the largest, divided by the temperature, is beyond float64; its
            weight is 0, as it should be.
    """

    temperature: float
    scaled: tuple[float, ...]
    weights: tuple[float, ...]
    largest_weight: float
    entropy: float
    entropy_share: float | None
    effective_keys: float
    jacobian_norm: float
    gradient: tuple[float, ...]
    gradient_norm: float
    overflowed: bool


def measure_temperatures(
    scores: Sequence[float | int],
    temperatures: Sequence[float | int] = (0.5, 1.0, 2.0, 8.0, 32.0),
    weights_gradient: Sequence[float | int] | None = None,
) -> tuple[TemperatureRow, ...]:
    """Weigh one row of scores at several temperatures.

        weights = softmax(scores / temperature)

    Args:
        weights_gradient: Of the loss by each weight. None makes the loss the weight of the largest score, the
            first of equal ones.

    Returns:
        One record a temperature, in order. Theory: near 0 the largest score takes everything (equal ones share
        it) and the gradient is gone; far above the scores' differences the weights are alike; the order of the
        weights is that of the scores at every temperature.

    Raises:
        ValueError: no scores, one that is not finite, a temperature that is not finite and above 0, or another
            number of gradients than of scores.

    Example:
        >>> hot, cold = measure_temperatures([32, 0, 0], [32, 1])
        >>> [round(weight, 3) for weight in hot.weights], [round(weight, 3) for weight in cold.weights]
        ([0.576, 0.212, 0.212], [1.0, 0.0, 0.0])

    Source: Hinton, Vinyals and Dean 2015, eq. (1). Subtracting the largest score before dividing is our choice:
        a temperature near 0 then cannot make ∞ − ∞.
    """
    if not scores or not all(math.isfinite(number) for number in scores):
        raise ValueError(f"scores must be finite and at least one, got {list(scores)}")
    for temperature in temperatures:
        if not 0 < temperature < math.inf:
            raise ValueError(f"a temperature must be finite and above 0, got {temperature}")
    if weights_gradient is None:
        first = max(range(len(scores)), key=lambda m: scores[m])
        weights_gradient = [float(m == first) for m in range(len(scores))]
    if len(weights_gradient) != len(scores):
        raise ValueError(
            f"each score needs one gradient, got {len(scores)} scores and {len(weights_gradient)} gradients"
        )
    row = torch.tensor(scores, dtype=torch.float64)
    return weigh_at(row, [float(one) for one in temperatures], row.new_tensor(weights_gradient))


@dataclass(frozen=True)
class TemperatureSweep:
    """One row of scores over a range of temperatures.

    Attributes:
        gradient_shares: Each record's gradient norm / the largest that was found; None where all are 0.
        peak: Where the gradient norm is largest; None where all are 0.
        is_at_end: The peak lies at an end of the range: beyond it the gradient may be larger still.
    """

    records: tuple[TemperatureRow, ...]
    gradient_shares: tuple[float, ...] | None
    peak: TemperatureRow | None
    is_at_end: bool


def sweep_temperatures(
    scores: Sequence[float | int], lowest: float | int = 0.01, highest: float | int = 1000.0, count: int = 101
) -> TemperatureSweep:
    """Weigh one row of scores over a range, equally spaced on a logarithmic axis, and find where it learns most.

    Returns:
        Theory: of two scores the gradient is largest where gap/temperature solves x·tanh(x/2) = 1, at 1.54; it is
        gone far below that, where one score has everything, and far above, where it is divided by the temperature.

    Raises:
        ValueError: as for measure_temperatures, a range that is none, or fewer than 3 temperatures.

    Example:
        >>> round(sweep_temperatures([1, 0]).peak.temperature, 3)
        0.648
    """
    if not 0 < lowest < highest < math.inf or count < 3:
        raise ValueError(
            f"a range must rise from above 0 over at least 3 temperatures, got {lowest} to {highest} over {count}"
        )
    records = measure_temperatures(scores, _spaced(lowest, highest, count))
    peak, near = _strongest(records), records
    for _ in range(ROUNDS):
        place = near.index(_strongest(near))
        ends = near[max(place - 1, 0)].temperature, near[min(place + 1, len(near) - 1)].temperature
        near = measure_temperatures(scores, _spaced(*ends, POINTS))
        peak = _strongest((peak, *near))
    if not peak.gradient_norm:
        return TemperatureSweep(records, None, None, is_at_end=False)
    shares = tuple(record.gradient_norm / peak.gradient_norm for record in records)
    ends = (records[0].temperature, records[-1].temperature)
    return TemperatureSweep(records, shares, peak, is_at_end=peak.temperature in ends)


def temperature_for(scores: Sequence[float | int], share: float = 0.5) -> float:
    """Find the temperature at which the largest weight is down to a share.

        Σ exp((s − max) / temperature) = 1 / share

    Returns:
        0 where it is there at every temperature, because the largest score is shared; ∞ where it never comes
        below the share, because there are too few scores.

    Raises:
        ValueError: scores as for measure_temperatures; a share that is not between 0 and 1.

    Example:
        >>> round(temperature_for([32, 0, 0]), 3), temperature_for([1, 1]), temperature_for([1, 0])
        (46.166, 0.0, inf)
    """
    if not 0 < share < 1:
        raise ValueError(f"share must be between 0 and 1, got {share}")
    (record,) = measure_temperatures(scores, [1.0])
    if scores.count(max(scores)) * share >= 1:
        return 0.0
    if len(record.weights) * share <= 1:
        return math.inf
    # The gap is made 1: the temperature grows in step with it, and no gap is then too small or too large to halve.
    over = 2.0 if math.isinf(max(scores) - min(scores)) else 1.0
    parts = [score / over for score in scores]
    gap = max(parts) - min(parts)
    placed = [(part - max(parts)) / gap for part in parts]
    low = high = 1.0
    while _largest_weight(placed, low) < share:
        low /= 2
    while _largest_weight(placed, high) > share:
        high *= 2
    while high - low > PRECISION * high:
        middle = (low + high) / 2
        low, high = (middle, high) if _largest_weight(placed, middle) > share else (low, middle)
    return high * gap * over


@dataclass(frozen=True)
class TopTwo:
    """The two largest scores, and how their weights stand to each other.

    Attributes:
        first, second: Their places, counted from 0.
        ratio: Of the weights as measured; ∞ where the second is too small for float64.
        expected: exp(gap / temperature).
        is_in_order: No weight is above that of a larger score.
    """

    first: int
    second: int
    gap: float
    ratio: float
    expected: float
    is_in_order: bool


def compare_top_two(scores: Sequence[float | int], temperature: float | int) -> TopTwo:
    """Compare the weights of the two largest scores with what theory says of their gap.

        a_1 / a_2 = exp((s_1 − s_2) / temperature)

    Raises:
        ValueError: fewer than two scores, or as for measure_temperatures.

    Example:
        >>> two = compare_top_two([0, 32, 30], 4)
        >>> (two.first, two.second, two.gap), round(two.ratio, 9) == round(two.expected, 9)
        ((1, 2, 2.0), True)
    """
    if len(scores) < 2:
        raise ValueError(f"two scores are compared, got {len(scores)}")
    (record,) = measure_temperatures(scores, [temperature])
    order = sorted(range(len(scores)), key=lambda m: -scores[m])
    first, second = order[:2]
    gap = torch.tensor(float(scores[first]) - scores[second], dtype=torch.float64)
    weights = torch.tensor(record.weights, dtype=torch.float64)
    return TopTwo(
        first=first,
        second=second,
        gap=float(gap),
        ratio=float(weights[first] / weights[second]),
        expected=float((gap / temperature).exp()),
        is_in_order=bool((weights[order].diff() <= 0).all()),
    )


def weigh_at(
    row: Float[Tensor, " M"], temperatures: Sequence[float], weights_gradient: Float[Tensor, " M"]
) -> tuple[TemperatureRow, ...]:
    """Weigh one row at each temperature, all at once, and measure what comes out."""
    by = row.new_tensor(temperatures)[:, None]
    shifted = (row - row.max()) / by
    weights = shifted.softmax(dim=-1)
    gradients = scores_gradient(weights, weights_gradient[None]) / by
    spreads, is_finite = entropy(weights), shifted.isfinite().all(dim=-1)
    columns = (weights.amax(dim=-1), spreads, spreads.exp(), jacobian_norm(weights), gradients.norm(dim=-1))
    vectors = (row / by, weights, gradients)
    return tuple(
        TemperatureRow(
            temperature=temperature,
            scaled=tuple(scaled),
            weights=tuple(shares),
            largest_weight=largest,
            entropy=spread,
            entropy_share=spread / math.log(len(shares)) if len(shares) > 1 else None,
            effective_keys=effective,
            jacobian_norm=norm,
            gradient=tuple(gradient),
            gradient_norm=gradient_norm,
            overflowed=not fits,
        )
        for temperature, scaled, shares, gradient, largest, spread, effective, norm, gradient_norm, fits in zip(
            temperatures,
            *(rows.tolist() for rows in vectors),
            *(column.tolist() for column in columns),
            is_finite.tolist(),
            strict=True,
        )
    )


def _largest_weight(scores: Sequence[float | int], temperature: float) -> float:
    return measure_temperatures(scores, [temperature])[0].largest_weight


def _strongest(records: Sequence[TemperatureRow]) -> TemperatureRow:
    return max(records, key=lambda record: record.gradient_norm)


def _spaced(lowest: float | int, highest: float | int, count: int) -> list[float]:
    """Space temperatures equally on a logarithmic axis; the ends are exact."""
    inner = torch.logspace(math.log10(lowest), math.log10(highest), count, dtype=torch.float64)[1:-1]
    return [float(lowest), *inner.tolist(), float(highest)]
