"""Causal masks for queries and keys of different number: from which corner the staircase starts, and what decides it."""

from dataclasses import dataclass
from typing import Literal, get_args

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float
from torch import Tensor

from attention_core.consumers import Outcome
from attention_core.masks import causal
from attention_core.steps import scaled_dot_product_attention

# top_left: query 0 stands at key 0. bottom_right: the last query stands at the last key.
Corner = Literal["top_left", "bottom_right"]
CORNERS: tuple[Corner, ...] = get_args(Corner)
D_K, D_V = 4, 2
CLOSE = 1e-5


@dataclass(frozen=True, eq=False)
class FromCorner:
    """One mask, and what comes of it where all scores are 0.

    Attributes:
        offset: Position of the first query among the keys.
        blind: Queries that see no key, from 0.
    """

    corner: Corner
    offset: int
    allowed: Bool[Tensor, "N M"]
    weights: Float[Tensor, "N M"]
    out: Float[Tensor, "N d_v"]
    blind: tuple[int, ...]


@dataclass(frozen=True)
class DecodingDifference:
    """How far outputs with cached keys are from those of the whole sequence, at most.

    Attributes:
        at_once: The last few queries together on all keys.
        by_token: Each token alone on the keys up to it.
    """

    corner: Corner
    at_once: float
    by_token: float


def offset_of(corner: Corner, n_queries: int, n_keys: int) -> int:
    """Give the position of the first query among the keys.

    Example:
        >>> [offset_of(corner, 2, 5) for corner in CORNERS]
        [0, 3]
    """
    return 0 if corner == "top_left" else n_keys - n_queries


def values_of(n_keys: int) -> Float[Tensor, "M 2"]:
    """Make values by hand: pairs that lie on one axis, on the other, and between.

    Example:
        >>> values_of(4).tolist()
        [[3.0, 0.0], [0.0, 3.0], [6.0, 6.0], [9.0, 0.0]]
    """
    rows = []
    for m in range(n_keys):
        near = 3.0 + 6.0 * (m // 3)
        rows.append(((near, 0.0), (0.0, near), (near + 3.0, near + 3.0))[m % 3])
    return torch.tensor(rows).reshape(n_keys, D_V)


def attend_from(corner: Corner, n_queries: int, n_keys: int) -> FromCorner:
    """Mask from one corner, with scores of 0: a query weighs the keys it sees alike.

    Example:
        >>> attend_from("bottom_right", 1, 3).out.tolist(), attend_from("top_left", 1, 3).out.tolist()
        ([[3.0, 3.0]], [[3.0, 0.0]])
    """
    offset = offset_of(corner, n_queries, n_keys)
    allowed = causal(n_queries, n_keys, offset)
    sides = torch.zeros(n_queries, D_K), torch.zeros(n_keys, D_K), values_of(n_keys)
    trace = scaled_dot_product_attention(*sides, allowed=allowed)
    blind = tuple((~allowed.any(dim=-1)).nonzero().flatten().tolist())
    return FromCorner(corner, offset, allowed, trace.weights, trace.out, blind)


def attend_by_torch(n_queries: int, n_keys: int) -> Outcome:
    """Ask PyTorch's function with is_causal=True for the same scores and values.

    Example:
        >>> attend_by_torch(1, 3).out.tolist()
        [[3.0, 0.0]]
    """
    sides = torch.zeros(n_queries, D_K), torch.zeros(n_keys, D_K), values_of(n_keys)
    try:
        return Outcome(F.scaled_dot_product_attention(*sides, is_causal=True), None)
    except (RuntimeError, ValueError) as error:
        return Outcome(None, str(error))


def corners_like(out: Float[Tensor, "N d_v"], n_keys: int) -> tuple[Corner, ...]:
    """Name the corners from which an output comes.

    Example:
        >>> corners_like(attend_by_torch(2, 5).out, 5), corners_like(attend_by_torch(3, 3).out, 3)
        (('top_left',), ('top_left', 'bottom_right'))
    """
    near = {
        corner: (attend_from(corner, len(out), n_keys).out - out).abs().max() <= CLOSE for corner in CORNERS
    }
    return tuple(corner for corner, is_near in near.items() if is_near)


def compare_decoding(n_new: int, n_tokens: int, seed: int = 0) -> tuple[DecodingDifference, ...]:
    """Decode the last tokens of a random sequence on cached keys, from each corner, against one causal pass.

    Args:
        n_new: How many queries at once; the keys before them are the cache.
        n_tokens: Of the whole sequence.

    Raises:
        ValueError: no token, or more new ones than there are.

    Example:
        >>> for found in compare_decoding(1, 3):
        ...     print(found.corner, found.at_once < 1e-12, found.by_token < 1e-12)
        top_left False False
        bottom_right True True
    """
    if not 1 <= n_new <= n_tokens:
        raise ValueError(f"the new tokens are 1 to n_tokens={n_tokens}, got {n_new}")
    generator = torch.Generator().manual_seed(seed)
    q, k, v = (
        torch.randn(n_tokens, width, generator=generator, dtype=torch.float64) for width in (D_K, D_K, D_V)
    )
    full = scaled_dot_product_attention(q, k, v, allowed=causal(n_tokens)).out
    found = []
    for corner in CORNERS:
        at_once = _decode(q[-n_new:], k, v, corner)
        by_token = torch.cat([_decode(q[n : n + 1], k[: n + 1], v[: n + 1], corner) for n in range(n_tokens)])
        gaps = (at_once - full[-n_new:]).abs().max(), (by_token - full).abs().max()
        found.append(DecodingDifference(corner, *map(float, gaps)))
    return tuple(found)


def _decode(
    q: Float[Tensor, "N d_k"], k: Float[Tensor, "M d_k"], v: Float[Tensor, "M d_v"], corner: Corner
) -> Float[Tensor, "N d_v"]:
    """Attend on cached keys with a causal mask from one corner."""
    allowed = causal(len(q), len(k), offset_of(corner, len(q), len(k)))
    return scaled_dot_product_attention(q, k, v, allowed=allowed).out
