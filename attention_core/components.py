"""Draw queries and keys with components of a chosen distribution, and say what theory expects of their products."""

import math
from dataclasses import dataclass
from typing import Literal, get_args

import torch
from jaxtyping import Float
from torch import Tensor

from attention_core.sizes import DTYPE_NAMES, DType

Distribution = Literal["normal", "uniform", "signs", "sparse"]
DTypeName = DType

DISTRIBUTIONS: tuple[Distribution, ...] = get_args(Distribution)
DTYPES: dict[DTypeName, torch.dtype] = {name: getattr(torch, name) for name in DTYPE_NAMES}
ZERO_SHARE = 0.9
# Of a mean or a standard deviation: overflows every score outside float64, and no theory inside it.
LARGEST = 1e30

MAX_BYTES = 256 * 2**20
# What stays in a core's own cache is drawn and read fastest; more at a time gains nothing.
CHUNK_BYTES = 12 * 2**20
# The draw, its copy in the wanted type and what making it needs in between; and the rows of all divisors.
BYTES_A_COMPONENT = 56
BYTES_A_KEY = 1024
NUMBER_BYTES = 8

# Fourth moment of a component with mean 0 and standard deviation 1.
KURTOSIS: dict[Distribution, float] = {
    "normal": 3.0,
    "uniform": 9 / 5,
    "signs": 1.0,
    "sparse": 3 / (1 - ZERO_SHARE),
}


@dataclass(frozen=True)
class Components:
    """How each component of the queries and keys is drawn: mean + std · z, with z of mean 0 and variance 1.

    Attributes:
        distribution: Of z. normal; uniform within ±√3; signs ±1; sparse: 0 with probability ZERO_SHARE, else
            normal and enlarged to variance 1. A mean other than 0 moves the zeros too.
        correlation: Between a component of a query and the same one of each of its keys. Normal ones are mixed,
            z_k = ρ·z_q + √(1−ρ²)·z. The others keep their distribution: z_k is a copy of ±z_q with probability
            |ρ|, else a draw of its own.
    """

    distribution: Distribution = "normal"
    mean_q: float | int = 0.0
    mean_k: float | int = 0.0
    std_q: float | int = 1.0
    std_k: float | int = 1.0
    correlation: float | int = 0.0

    def __post_init__(self) -> None:
        if self.distribution not in DISTRIBUTIONS:
            raise ValueError(
                f"distribution must be one of {', '.join(DISTRIBUTIONS)}, got {self.distribution}"
            )
        for name, least in (("mean_q", -LARGEST), ("mean_k", -LARGEST), ("std_q", 0), ("std_k", 0)):
            if not least <= getattr(self, name) <= LARGEST:
                raise ValueError(f"{name} must be from {least} to {LARGEST}, got {getattr(self, name)}")
        if not -1 <= self.correlation <= 1:
            raise ValueError(f"correlation must be from -1 to 1, got {self.correlation}")


def expected_score(components: Components, d_k: int) -> float:
    """Give the mean of q·k.

        d_k · (μ_q·μ_k + ρ·σ_q·σ_k)

    Example:
        >>> expected_score(Components(mean_q=2, mean_k=3), d_k=4)
        24.0
    """
    c = components
    return float(d_k * (c.mean_q * c.mean_k + c.correlation * c.std_q * c.std_k))


def expected_variance(components: Components, d_k: int) -> float:
    """Give the variance of q·k.

        d_k · (μ_q²·σ_k² + μ_k²·σ_q² + 2·ρ·μ_q·μ_k·σ_q·σ_k + σ_q²·σ_k²·Var(ab))

    The d_k products are independent of each other, so their variances add. One of them, with q = μ_q + σ_q·a and
    k = μ_k + σ_k·b, is μ_q·μ_k + μ_q·σ_k·b + μ_k·σ_q·a + σ_q·σ_k·ab. Here a and b have mean 0, variance 1 and
    correlation ρ, and all four distributions are symmetric, so that ab does not vary together with a or with b:
    E[a²b] = E[ab²] = 0. What is left is Var(ab) = E[a²b²] − ρ², where κ = E[a⁴]:

        independent  Var(ab) = 1, whatever the distribution: d_k·(σ_q²σ_k² + σ_q²μ_k² + σ_k²μ_q²)
        mixed        E[a²b²] = ρ²·κ + 1 − ρ²;  for the normal, κ = 3, Var(ab) = 1 + ρ²
        copied       E[a²b²] = |ρ|·κ + 1 − |ρ|;  Var(ab) = 1 + |ρ|·(κ − 1) − ρ²

    Example:
        >>> expected_variance(Components(), d_k=1024)
        1024.0
        >>> expected_variance(Components(mean_q=3, std_k=2), d_k=1)
        40.0

    Source: Vaswani et al. 2017, footnote 4, for means of 0 and variances of 1; the rest is derived here.
    """
    c, rho = components, abs(components.correlation)
    if c.distribution == "normal":
        product = 1 + rho**2
    else:
        product = 1 + rho * (KURTOSIS[c.distribution] - 1) - rho**2
    single = (c.mean_q * c.std_k) ** 2 + (c.mean_k * c.std_q) ** 2
    together = 2 * c.correlation * c.mean_q * c.mean_k * c.std_q * c.std_k
    # Copied signs can cancel all of it; rounding may then leave a little less than nothing.
    return max(0.0, float(d_k * (single + together + (c.std_q * c.std_k) ** 2 * product)))


def common_variance(components: Components, d_k: int) -> float:
    """Give the part of the variance of q·k that all keys of one query share: the variance of E[q·k | q].

        d_k · ((μ_q·ρ·σ_k + μ_k·σ_q)² + ρ²·σ_q²·σ_k²·(κ − 1))

    Given the query a component of a key is μ_k + ρ·σ_k·a on average, mixed or copied, where q = μ_q + σ_q·a: a product
    is then μ_q·μ_k + a·(μ_q·ρ·σ_k + σ_q·μ_k) + ρ·σ_q·σ_k·a², and Var(a²) = κ − 1. Softmax sees differences between
    keys alone, so this part leaves it as it is.

    Example:
        >>> common_variance(Components(mean_k=2, std_q=3), d_k=16), common_variance(Components(), d_k=16)
        (576.0, 0.0)

    Source: the law of total variance; derived here.
    """
    c, rho = components, components.correlation
    along = (c.mean_q * rho * c.std_k + c.mean_k * c.std_q) ** 2
    return float(d_k * (along + (rho * c.std_q * c.std_k) ** 2 * (KURTOSIS[c.distribution] - 1)))


def score_kurtosis(components: Components, d_k: int) -> float:
    """Give the kurtosis of q·k for independent components of mean 0: how long its tails are.

        3 + (κ² − 3) / d_k,  κ = E[a⁴]

    Example:
        >>> score_kurtosis(Components(), d_k=6), score_kurtosis(Components("signs"), d_k=1)
        (4.0, 1.0)

    Source: the fourth cumulants of independent terms add; E[(ab)⁴] = κ².
    """
    return 3 + (KURTOSIS[components.distribution] ** 2 - 3) / d_k


def generator_for(seed: int, d_k: int) -> torch.Generator:
    """Make the generator of one seed and width, so that a width gives the same numbers in any sweep."""
    return torch.Generator().manual_seed(seed * 1_000_003 + d_k)


def draw_queries_and_keys(
    components: Components,
    *,
    trials: int,
    n_keys: int,
    d_k: int,
    generator: torch.Generator,
    dtype: DTypeName = "float64",
    device: str = "cpu",
) -> tuple[Float[Tensor, "B d_k"], Float[Tensor, "B M d_k"]]:
    """Draw one query and its keys for each trial.

    Args:
        generator: On the CPU, so that every device and every type gets the same numbers.

    Returns:
        q and k. What is too large for the type is ±∞ in them.
    """
    q = _standardised(components.distribution, (trials, d_k), generator)
    k = _standardised(components.distribution, (trials, n_keys, d_k), generator)
    if components.correlation:
        k = _correlated(q[:, None], k, components, generator)
    sides = ((q, components.mean_q, components.std_q), (k, components.mean_k, components.std_k))
    q, k = (_placed(z, mean, std, DTYPES[dtype]).to(device) for z, mean, std in sides)
    return q, k


def bytes_of_trial(n_keys: int, d_k: int) -> int:
    """Bound the memory that one trial needs while it is measured."""
    return (n_keys + 1) * d_k * BYTES_A_COMPONENT + n_keys * BYTES_A_KEY


def trials_a_chunk(n_keys: int, d_k: int) -> int:
    """Say how many trials are drawn at a time; it depends on the sizes alone, so that the draws do too.

    Raises:
        ValueError: a size below 1, or one trial that is larger than MAX_BYTES.

    Example:
        >>> trials_a_chunk(n_keys=16, d_k=1024), trials_a_chunk(n_keys=512, d_k=4096)
        (12, 1)
    """
    if min(n_keys, d_k) < 1:
        raise ValueError(f"n_keys and d_k must be at least 1, got n_keys={n_keys} and d_k={d_k}")
    needed = bytes_of_trial(n_keys, d_k)
    if needed > MAX_BYTES:
        width = (MAX_BYTES - n_keys * BYTES_A_KEY) // ((n_keys + 1) * BYTES_A_COMPONENT)
        keys = (MAX_BYTES - d_k * BYTES_A_COMPONENT) // (d_k * BYTES_A_COMPONENT + BYTES_A_KEY)
        nearest = f"d_k={width}" if width >= 1 else f"n_keys={max(keys, 1)}"
        raise ValueError(
            f"one trial must need at most {MAX_BYTES} bytes, got n_keys={n_keys} and d_k={d_k} with {needed}; "
            f"the nearest that fits is {nearest}"
        )
    return max(1, CHUNK_BYTES // needed)


def spacing_at(value: float | int, dtype: DTypeName) -> float:
    """Give the distance between neighbouring numbers of a type around a value.

        eps · 2^⌊log₂ |value|⌋

    Returns:
        0 at 0, where numbers lie closer than anything here.

    Example:
        >>> spacing_at(409_600, "bfloat16"), spacing_at(1, "float16"), spacing_at(0, "float16")
        (2048.0, 0.0009765625, 0.0)
    """
    if not value:
        return 0.0
    _, exponent = math.frexp(abs(value))
    return torch.finfo(DTYPES[dtype]).eps * 2.0 ** (exponent - 1)


def most_trials(numbers_a_trial: int) -> int:
    """Say of how many trials so many numbers each fit into MAX_BYTES."""
    return MAX_BYTES // (numbers_a_trial * NUMBER_BYTES)


def check_trials(trials: int, numbers_a_trial: int) -> None:
    """Refuse too few trials for a standard error, and more than can be kept.

    Raises:
        ValueError: fewer than 2, or more numbers than MAX_BYTES hold.
    """
    if trials < 2:
        raise ValueError(f"trials must be at least 2, or there is no standard error; got {trials}")
    most = most_trials(numbers_a_trial)
    if trials > most:
        raise ValueError(
            f"what is kept of all trials must need at most {MAX_BYTES} bytes, got trials={trials} "
            f"with {trials * numbers_a_trial * NUMBER_BYTES}; the nearest that fits is trials={most}"
        )


def _standardised(
    distribution: Distribution, shape: tuple[int, ...], generator: torch.Generator
) -> Float[Tensor, "..."]:
    """Draw numbers of mean 0 and variance 1, in float32: twice as fast, and finer than any measurement here."""
    if distribution == "normal":
        return torch.randn(shape, generator=generator)
    z = torch.rand(shape, generator=generator)
    if distribution == "uniform":
        return z.sub_(0.5).mul_(math.sqrt(12))
    if distribution == "signs":
        return (z < 0.5).float().mul_(2).sub_(1)
    z = (z >= ZERO_SHARE).float()
    return z.mul_(torch.randn(shape, generator=generator)).div_(math.sqrt(1 - ZERO_SHARE))


def _correlated(
    q: Float[Tensor, "B 1 d_k"],
    k: Float[Tensor, "B M d_k"],
    components: Components,
    generator: torch.Generator,
) -> Float[Tensor, "B M d_k"]:
    rho = components.correlation
    if components.distribution == "normal":
        return k.mul_(math.sqrt(1 - rho**2)).add_(q, alpha=rho)
    is_copied = torch.rand(k.shape, generator=generator) < abs(rho)
    return torch.where(is_copied, math.copysign(1, rho) * q, k)


def _placed(
    z: Float[Tensor, "..."], mean: float | int, std: float | int, dtype: torch.dtype
) -> Float[Tensor, "..."]:
    """Give z its mean and spread; in float64 where they are not 0 and 1, so that only dtype rounds."""
    if (mean, std) != (0, 1):
        z = z.double().mul_(std).add_(mean)
    return z.to(dtype)
