"""Claim S4: a temperature sets how sharp the weights are, and with that what of a gradient comes through them."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch

from attention_core.sharpness import entropy, jacobian_norm, scores_gradient


@dataclass(frozen=True)
class TemperatureRow:
    """One row of scores at one temperature.

    Attributes:
        entropy: −Σ a·log(a); entropy_share is that / log(keys), None for a single key.
        jacobian_norm: Of the weights by scores / temperature.
        gradient: Of the loss by each score.
        overflowed: The score farthest from the largest, divided by the temperature, is beyond float64; its
            weight is 0, as it should be.
    """

    temperature: float
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
    return tuple(_measure(scores, float(temperature), weights_gradient) for temperature in temperatures)


def _measure(
    scores: Sequence[float | int], temperature: float, weights_gradient: Sequence[float | int]
) -> TemperatureRow:
    row = torch.tensor(scores, dtype=torch.float64)
    shifted = (row - row.max()) / temperature
    weights = shifted.softmax(dim=-1)
    gradient = scores_gradient(weights, torch.tensor(weights_gradient, dtype=torch.float64)) / temperature
    spread = float(entropy(weights))
    return TemperatureRow(
        temperature=temperature,
        weights=tuple(weights.tolist()),
        largest_weight=float(weights.max()),
        entropy=spread,
        entropy_share=spread / math.log(len(scores)) if len(scores) > 1 else None,
        effective_keys=math.exp(spread),
        jacobian_norm=float(jacobian_norm(weights)),
        gradient=tuple(gradient.tolist()),
        gradient_norm=float(gradient.norm()),
        overflowed=not bool(shifted.isfinite().all()),
    )
