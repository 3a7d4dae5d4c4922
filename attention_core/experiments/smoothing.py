"""Claim P8, its limit: layers that only mix make all tokens alike; a residual slows that down."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from attention_core.estimate import Estimate, estimate
from attention_core.layers import Design, dress
from attention_core.single_head import Positions
from attention_core.variants.cosine import to_unit


@dataclass(frozen=True)
class Smoothing:
    """How alike the tokens of one sentence are, depth by depth, over several draws of words and weights.

    Attributes:
        cosines: Of `mean_cosine`, the bare vectors' first; without numbers for fewer than two tokens.
        own_shares: Of `own_share`, likewise.
        cosine_ends: The least and the largest over the draws, depth by depth; None where there is no number.
        own_share_ends: Likewise.
    """

    has_residual: bool
    cosines: tuple[Estimate, ...]
    own_shares: tuple[Estimate, ...]
    cosine_ends: tuple[tuple[float, float] | None, ...]
    own_share_ends: tuple[tuple[float, float] | None, ...]


def mean_cosine(vectors: Float[Tensor, "*B N d_model"]) -> Float[Tensor, "*B"]:
    """Say how alike tokens are: the mean cosine over all pairs of different tokens.

        mean over n ≠ m of x[n] · x[m] / (|x[n]| |x[m]|)

    Returns:
        From −1 / (N − 1) to 1, where all point the same way. A vector of zeros has cosine 0 with every other. NaN for
        fewer than two tokens.

    Example:
        >>> mean_cosine(torch.tensor([[[1.0, 0.0], [0.0, 2.0]], [[1.0, 0.0], [3.0, 0.0]]])).tolist()
        [0.0, 1.0]

    Source: the token-wise cosine similarity of Gong et al. 2021, section 3.
    """
    N = vectors.shape[-2]
    if N < 2:
        return vectors.new_full(vectors.shape[:-2], math.nan)
    unit = to_unit(vectors)
    # |Σ x|² holds every pair twice, and each vector with itself.
    together = unit.sum(dim=-2).square().sum(dim=-1) - unit.square().sum(dim=(-2, -1))
    return together / (N * (N - 1))


def own_share(vectors: Float[Tensor, "*B N d_model"]) -> Float[Tensor, "*B"]:
    """Say how much of the vectors is a token's own, and not what all tokens share.

        |x − mean over tokens| / |x|,  over all numbers of x

    Returns:
        From 0, where all vectors are equal, to 1; 0 where all are zeros.

    Example:
        >>> own_share(torch.tensor([[[3.0], [3.0]], [[-2.0], [2.0]]])).tolist()
        [0.0, 1.0]

    Source: Dong et al. 2021, theorem 2.2, in another norm: without residual and feed-forward part it falls doubly
        exponentially with depth.
    """
    if not vectors.shape[-2]:
        return vectors.new_full(vectors.shape[:-2], math.nan)
    own = (vectors - vectors.mean(dim=-2, keepdim=True)).square().sum(dim=(-2, -1)).sqrt()
    whole = vectors.square().sum(dim=(-2, -1)).sqrt()
    return torch.where(whole > 0, own / torch.where(whole > 0, whole, 1.0), 0.0)


def measure_smoothing(
    tokens: Sequence[str],
    design: Design,
    *,
    seeds: Sequence[int] = tuple(range(8)),
    positions: Positions = "none",
    allowed: Bool[Tensor, "N N"] | None = None,
) -> tuple[Smoothing, Smoothing]:
    """Stack the same layers without residual and with it, and follow how alike the tokens become.

    Args:
        design: Its has_residual is not read: both are measured.
        seeds: Each draws words and weights of its own.

    Returns:
        Without residual first. There the mean cosine comes to 1 within a few layers, whatever the norm. With it the
        way is slower, slowest with the norm before each part: it goes on, and does not stop.

    Raises:
        ValueError: no seed, or what `dress` refuses.

    Example:
        >>> found = measure_smoothing(("the", "cat", "ran"), Design(n_layers=6), seeds=(0, 1))
        >>> [record.cosines[-1].mean > 0.99 for record in found]
        [True, False]

    Source: Dong et al. 2021, sections 2 and 3. Random weights and words are our choice: nothing has learnt anything.
    """
    if not seeds:
        raise ValueError("there must be at least 1 seed, got 0")
    built = [replace(design, has_residual=has_residual) for has_residual in (False, True)]
    # One seed after the other: the second stack finds the numbers drawn that the first one needed.
    by_seed = [
        [dress(tokens, one, seed=seed, positions=positions, allowed=allowed).trace.vectors for one in built]
        for seed in seeds
    ]
    without, having = (torch.stack(vectors, dim=1) for vectors in zip(*by_seed, strict=True))
    return _record(without, has_residual=False), _record(having, has_residual=True)


def _record(vectors: Float[Tensor, "depths B N d_model"], *, has_residual: bool) -> Smoothing:
    cosines, shares = mean_cosine(vectors), own_share(vectors)
    return Smoothing(
        has_residual,
        tuple(map(estimate, cosines)),
        tuple(map(estimate, shares)),
        tuple(map(_ends, cosines)),
        tuple(map(_ends, shares)),
    )


def _ends(by_seed: Float[Tensor, " B"]) -> tuple[float, float] | None:
    finite = by_seed[by_seed.isfinite()]
    return (float(finite.min()), float(finite.max())) if finite.numel() else None
