"""What many trials say together: a mean, how far it may be off, and the trial in the middle."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from jaxtyping import Float
from torch import Tensor


@dataclass(frozen=True)
class Estimate:
    """A mean over independent trials; all are None where no trial is left to take it over.

    Attributes:
        standard_error: Standard deviation of the trials / √trials; None for a single trial too.
        median: The trial in the middle, or halfway between two: a mean can be made by few trials, this cannot.
    """

    mean: float | None
    standard_error: float | None
    median: float | None


def estimate(by_trial: Float[Tensor, " B"]) -> Estimate:
    """Take the mean over the trials whose number is finite.

    Example:
        >>> import torch
        >>> estimate(torch.tensor([1.0, 3.0, torch.nan]))
        Estimate(mean=2.0, standard_error=1.0, median=2.0)
    """
    finite = by_trial.double()
    finite = finite[finite.isfinite()]
    n = finite.numel()
    if n == 0:
        return Estimate(None, None, None)
    error = float(finite.std() / math.sqrt(n)) if n > 1 else None
    lower, upper = finite.sort().values[[(n - 1) // 2, n // 2]]
    return Estimate(float(finite.mean()), error, float(lower.lerp(upper, 0.5)))


@dataclass(frozen=True)
class Power:
    """A power of a size: value ≈ factor · size^exponent.

    Attributes:
        standard_error: Of the exponent, from how far the points lie off the line; None for two points.
    """

    exponent: float
    standard_error: float | None
    factor: float


def fit_power(sizes: Sequence[float | int], values: Sequence[float | int]) -> Power:
    """Fit a straight line through the logarithms, by least squares.

    Raises:
        ValueError: fewer than two different sizes, another number of values, or a number that is not above 0.

    Example:
        >>> found = fit_power([1, 2, 4], [3.0, 12.0, 48.0])
        >>> round(found.exponent, 6), round(found.factor, 6)
        (2.0, 3.0)
    """
    if len(sizes) != len(values) or len(set(sizes)) < 2:
        raise ValueError(
            f"a power needs two sizes or more and a value for each, got {len(sizes)} sizes and {len(values)} values"
        )
    if min(*sizes, *values) <= 0:
        raise ValueError(f"sizes and values must be above 0, got {min(*sizes, *values)}")
    x, y = ([math.log(number) for number in numbers] for numbers in (sizes, values))
    mean_x, mean_y = sum(x) / len(x), sum(y) / len(y)
    spread = sum((one - mean_x) ** 2 for one in x)
    exponent = sum((one - mean_x) * (other - mean_y) for one, other in zip(x, y, strict=True)) / spread
    start = mean_y - exponent * mean_x
    rest = sum((other - start - exponent * one) ** 2 for one, other in zip(x, y, strict=True))
    error = math.sqrt(rest / (len(x) - 2) / spread) if len(x) > 2 else None
    return Power(exponent, error, math.exp(start))
