"""Claim P3: a score grows with how well a key is aligned with the query, and with how long the key is."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from attention_core.single_head import trace_from_qkv
from attention_core.trace import SingleHeadTrace


@dataclass(frozen=True, eq=False)
class Alignment:
    """The two factors of each score of one query: scores = |q| · lengths · cosines.

    Attributes:
        cosines: 0 where the query or the key is zero and has no direction.
        best_aligned: The key whose direction is nearest to the query's.
        longest: The key whose length is greatest.
    """

    query_length: float
    lengths: Float[Tensor, " M"]
    cosines: Float[Tensor, " M"]
    best_aligned: int
    longest: int


def measure_alignment(q: Float[Tensor, " d_k"], k: Float[Tensor, "M d_k"]) -> Alignment:
    """Split the scores of one query into length and direction.

        q · k[m] = |q| · |k[m]| · cos(q, k[m])

    Raises:
        ValueError: there is no key.

    Example:
        >>> alignment = measure_alignment(torch.tensor([2.0, 0.0]), torch.tensor([[3.0, 0.0], [0.0, 5.0]]))
        >>> alignment.lengths.tolist(), alignment.cosines.tolist(), alignment.best_aligned, alignment.longest
        ([3.0, 5.0], [1.0, 0.0], 0, 1)
    """
    if not k.shape[0]:
        raise ValueError("there must be at least 1 key, got 0")
    lengths = k.norm(dim=-1)
    product = q.norm() * lengths
    cosines = torch.where(product > 0, k @ q / product.clamp_min(torch.finfo(k.dtype).tiny), 0.0)
    return Alignment(float(q.norm()), lengths, cosines, int(cosines.argmax()), int(lengths.argmax()))


def attend_at_angles(degrees: Sequence[float], *, length: float = 10.0) -> SingleHeadTrace:
    """Let one query of a given length meet keys of length 1 at given angles to it; keys serve as values.

    Returns:
        Equal angles give equal weights, however small the angle: what counts is that one key stands out.

    Raises:
        ValueError: there is no angle, or one is not finite.

    Example:
        >>> attend_at_angles([5.0, 5.0]).weights.tolist()
        [[0.5, 0.5]]
    """
    if not degrees or not all(map(math.isfinite, degrees)):
        raise ValueError(f"angles must be at least 1 and finite, got {list(degrees)}")
    turn = torch.deg2rad(torch.tensor(degrees, dtype=torch.float64))
    keys = torch.stack([turn.cos(), turn.sin()], dim=-1)
    return trace_from_qkv(torch.tensor([[length, 0.0]], dtype=torch.float64), keys, keys)
