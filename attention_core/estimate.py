"""What many trials say together: a mean, how far it may be off, and the trial in the middle."""

import math
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
