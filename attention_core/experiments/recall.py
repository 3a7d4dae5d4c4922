"""Claim V6, its limit: how many words of a sentence come back from one vector, against its length, and by attention."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import torch
from jaxtyping import Float
from torch import Tensor

from attention_core.estimate import Estimate, estimate
from attention_core.experiments.bottleneck import (
    CODE_WIDTH,
    MIN_KEEP,
    MIN_WIDTH,
    crosstalk_variance,
    encode,
    orthogonal,
    unroll,
)
from attention_core.positions import sinusoidal
from attention_core.steps import scaled_dot_product_attention
from attention_core.variants.cosine import to_unit

MAX_LENGTH, MAX_WIDTH, MAX_SEEDS = 256, 256, 64
LENGTHS = (2, 4, 8, 16, 32, 64, 128, 256)
WIDTHS = (8, 16, 32, 64, 128, 256)
SEEDS = tuple(range(16))
# Angles at which the share of directions is tabled.
ANGLES = 1001


@dataclass(frozen=True)
class Recall:
    """How many words of sentences of one length come back, over several draws of words and of the encoder.

    Attributes:
        share: Words read right / words.
        expected: That share in theory; None for attention, where none is worked out.
        crosstalk: Its mean square over the places of a sentence; None for attention.
        expected_crosstalk: (N − 1) / d_model where nothing is forgotten.
    """

    n: int
    d_model: int
    share: Estimate
    expected: float | None = None
    crosstalk: Estimate | None = None
    expected_crosstalk: float | None = None

    @property
    def apart(self) -> float:
        """Give the distance between measurement and theory."""
        return abs(self.share.mean - self.expected)


def measure_recall(
    d_model: int,
    lengths: Sequence[int] = LENGTHS,
    *,
    seeds: Sequence[int] = SEEDS,
    keep: float | int = 1.0,
) -> tuple[Recall, ...]:
    """Read sentences of different words back from the last state of a recurrent encoder.

    Args:
        seeds: Each draws words and an encoder of its own; a longer sentence begins with the shorter one.
        keep: What a state keeps of the one before.

    Returns:
        A record a length. The share falls as a word's own part, 1, drowns in the cross-talk of N − 1 others, whose
        variance is (N − 1) / d_model with keep 1.

    Raises:
        ValueError: a width, a length, a number of seeds or a keep out of its range.

    Example:
        >>> few, many = measure_recall(32, (2, 64), seeds=(0, 1, 2, 3))
        >>> few.share.mean > 0.9, many.share.mean < 0.5
        (True, True)

    Cost: 4·N·d_model² FLOPs a seed for turning, 2·N²·d_model for comparing.
    """
    _check(d_model, lengths, seeds, keep)
    words, recurrence = _draw(d_model, max(lengths), seeds)
    states = encode(words, recurrence, keep)
    turned = unroll(states[:, [n - 1 for n in lengths]], recurrence, max(lengths), keep)
    records = []
    for place, n in enumerate(lengths):
        embedding, unrolled = words[:, :n], turned[:, place, -n:]
        crosstalk = (unrolled * embedding).sum(dim=-1) - 1
        records.append(
            Recall(
                n,
                d_model,
                estimate(share_right(unrolled, embedding)),
                expected_recall(n, d_model, keep),
                estimate(crosstalk.square().mean(dim=-1)),
                float(crosstalk_variance(n, d_model, keep).mean()),
            )
        )
    return tuple(records)


def measure_attended(
    d_model: int,
    lengths: Sequence[int] = LENGTHS,
    *,
    seeds: Sequence[int] = SEEDS,
    sharpness: float | int = 32.0,
) -> tuple[Recall, ...]:
    """Read the same sentences by attention over all places, each asked for by its code.

    Raises:
        ValueError: a width, a length, a number of seeds or a sharpness out of its range.

    Example:
        >>> [record.share.mean for record in measure_attended(8, (2, 64), seeds=(0, 1))]
        [1.0, 1.0]

    Cost: 2·N²·(64 + 2·d_model) FLOPs a seed.
    """
    _check(d_model, lengths, seeds, 1.0)
    if not 0 <= sharpness < math.inf:
        raise ValueError(f"sharpness must be finite and not negative, got {sharpness}")
    words, _ = _draw(d_model, max(lengths), seeds)
    records = []
    for n in lengths:
        embedding, codes = words[:, :n], sinusoidal(n, CODE_WIDTH)
        # Weights depend on places alone: all draws lie side by side as the values of one attention.
        values = embedding.transpose(0, 1).reshape(n, -1)
        mixed = scaled_dot_product_attention(sharpness * codes, codes, values).out
        out = mixed.reshape(n, len(seeds), d_model).transpose(0, 1)
        records.append(Recall(n, d_model, estimate(share_right(out, embedding))))
    return tuple(records)


def share_right(
    vectors: Float[Tensor, "*B M d_model"], words: Float[Tensor, "*B M d_model"]
) -> Float[Tensor, "*B"]:
    """Count how many places read their own word as the nearest of the sentence.

    Example:
        >>> share_right(torch.tensor([[1.0, 0.2], [1.0, 0.0]]), torch.eye(2)).item()
        0.5
    """
    cosines = to_unit(vectors) @ words.transpose(-2, -1)
    is_right = cosines.argmax(dim=-1) == torch.arange(words.shape[-2])
    return is_right.double().mean(dim=-1)


def expected_recall(n: int, d_model: int, keep: float | int = 1.0) -> float:
    """Foresee the share of words that come back from one vector.

        share = mean over places of E[F(c)^(N − 1)],  c = (1 + ν·z) / √(1 + ν² + 2·ν·z)

    where ν² = Σ_{k ≠ m} keep^(2(m − k)) is the cross-talk's squared length, z the cosine between it and the wanted word,
    c the cosine that the wanted word then has, and F the share of all directions with a smaller one.

    Returns:
        Exact for two words. For more, the cross-talk's length is taken to be its root mean square, and the other words to
        know nothing of it.

    Example:
        >>> expected_recall(1, 8), round(expected_recall(2, 2), 3), expected_recall(256, 8) < 0.1
        (1.0, 0.75, True)
    """
    if n == 1:
        return 1.0
    variance = crosstalk_variance(n, d_model, keep)
    # Where nothing is forgotten all places are alike.
    reach = ((variance[:1] if keep == 1 else variance) * d_model).sqrt()[:, None]
    cosine, below = _directions(d_model)
    weight = below.diff()
    z = (cosine[1:] + cosine[:-1]) / 2
    own = (1 + reach * z) / (1 + reach.square() + 2 * reach * z).clamp(min=0).sqrt().clamp(min=1e-300)
    share = _interpolate(own.clamp(-1, 1), cosine, below)
    return float((share ** (n - 1) * weight).sum(dim=-1).mean())


@lru_cache(maxsize=256)
def longest_recalled(d_model: int, share: float, keep: float | int = 1.0) -> int:
    """Find the longest sentence of which, in theory, no smaller share comes back.

    Returns:
        From 1 to MAX_LENGTH.

    Example:
        >>> longest_recalled(8, 0.95), longest_recalled(64, 0.95)
        (2, 6)
    """
    low, high = 1, 2
    while high <= MAX_LENGTH and expected_recall(high, d_model, keep) >= share:
        low, high = high, 2 * high
    high = min(high, MAX_LENGTH + 1)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if expected_recall(middle, d_model, keep) >= share else (low, middle)
    return low


def farthest_from_theory(records: Sequence[Recall]) -> Recall:
    """Find the record whose share lies farthest from theory.

    Raises:
        ValueError: no record has a theory.
    """
    return max((one for one in records if one.expected is not None), key=lambda one: one.apart)


@lru_cache(maxsize=64)
def _directions(d_model: int) -> tuple[Float[Tensor, " N"], Float[Tensor, " N"]]:
    """Table the share of all directions whose cosine with a given one is smaller; nobody writes into it.

    The angle θ between two random directions has a density in proportion to sin(θ)^(d − 2).
    """
    angle = torch.linspace(math.pi, 0, ANGLES, dtype=torch.float64)
    density = angle.sin().clamp(min=0) ** (d_model - 2)
    below = torch.cat([density.new_zeros(1), ((density[1:] + density[:-1]) / 2).cumsum(dim=0)])
    return angle.cos(), below / below[-1]


def _interpolate(
    cosine: Float[Tensor, "N M"], table: Float[Tensor, " D"], below: Float[Tensor, " D"]
) -> Float[Tensor, "N M"]:
    """Read the table between its entries."""
    right = torch.searchsorted(table, cosine.contiguous()).clamp(1, len(table) - 1)
    left = right - 1
    part = (cosine - table[left]) / (table[right] - table[left])
    return below[left] + part.clamp(0, 1) * (below[right] - below[left])


def _draw(
    d_model: int, n: int, seeds: Sequence[int]
) -> tuple[Float[Tensor, "B N d_model"], Float[Tensor, "B d_model d_model"]]:
    """Draw words and an encoder for each seed."""
    words, recurrences = [], []
    for seed in seeds:
        generator = torch.Generator().manual_seed(seed)
        recurrences.append(torch.randn(d_model, d_model, generator=generator, dtype=torch.float64))
        words.append(torch.randn(n, d_model, generator=generator, dtype=torch.float64))
    return to_unit(torch.stack(words)), orthogonal(torch.stack(recurrences))


def _check(d_model: int, lengths: Sequence[int], seeds: Sequence[int], keep: float | int) -> None:
    if not MIN_WIDTH <= d_model <= MAX_WIDTH:
        raise ValueError(f"d_model must be from {MIN_WIDTH} to {MAX_WIDTH}, got {d_model}")
    if not lengths or not all(1 <= n <= MAX_LENGTH for n in lengths):
        raise ValueError(f"lengths must be from 1 to {MAX_LENGTH}, got {list(lengths)}")
    if not 1 <= len(seeds) <= MAX_SEEDS:
        raise ValueError(f"there must be from 1 to {MAX_SEEDS} seeds, got {len(seeds)}")
    if not MIN_KEEP <= keep <= 1:
        raise ValueError(f"keep must be from {MIN_KEEP} to 1, got {keep}")
