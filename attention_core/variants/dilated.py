"""A dilated window without the N × N scores: positions sorted by their rest, a plain window within each rest."""

from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from attention_core import patterns
from attention_core.chunks import (
    allow_pairs,
    beside,
    beside_positions,
    check_self_attention,
    cut,
    cut_positions,
    join,
    weigh_pieces,
)
from attention_core.steps import mix


@dataclass(frozen=True, eq=False)
class DilatedTrace:
    """What attention with a dilated window leaves behind: no weights of N × N.

    Attributes:
        allowed: Which pair of a piece's query and a key beside it is one of the window, and none of the filling.
        weights: Of the positions that leave one rest, cut into pieces, over the keys of that rest beside each piece.
    """

    width: int
    dilation: int
    allowed: Bool[Tensor, "classes chunks width span"]
    weights: Float[Tensor, "*B classes chunks width span"]
    out: Float[Tensor, "*B N d_v"]


def attend_dilated(
    q: Float[Tensor, "*B N d_k"],
    k: Float[Tensor, "*B N d_k"],
    v: Float[Tensor, "*B N d_v"],
    width: int,
    dilation: int,
    *,
    is_causal: bool = False,
) -> DilatedTrace:
    """Attend to every dilation-th key near a query's own position, and compute few other scores.

        weights[n, m] = softmax over |n − m| = 0, dilation, …, (width − 1) · dilation (m ≤ n where causal)

    Args:
        width: How many keys to one side, the query itself counted.
        dilation: Steps from one key to the next; 1 is the plain window.

    Returns:
        Exactly what dense attention gives with the mask `patterns.dilated(width, dilation)`.

    Raises:
        ValueError: a width or a dilation below 1, keys or values that are not as many as the queries, shapes that do
            not fit.

    Example:
        >>> x = torch.zeros(4, 1)
        >>> v = torch.tensor([[2.0], [4.0], [6.0], [8.0]])
        >>> attend_dilated(x, x, v, 2, 2, is_causal=True).out.flatten().tolist()
        [2.0, 4.0, 4.0, 6.0]

    Cost: `count_pairs` scores, each 2·(d_k + d_v) FLOPs; filled up to whole pieces.
    Source: Beltagy et al. 2020, section 3.1, dilated sliding window.
    """
    rule = patterns.dilated(width, dilation, is_causal=is_causal)
    N, device = check_self_attention(q, k, v)
    classes, length, size = _sizes(N, width, dilation)
    after = 0 if is_causal else 1
    query = _places(cut_positions(length, size, device), classes)
    key = _places(beside_positions(length, size, 1, after, device), classes)
    allowed = allow_pairs(rule, query, key, N)
    q, k, v = (cut(x, classes).transpose(-3, -2) for x in (q, k, v))
    weights = weigh_pieces(cut(q, size), beside(k, size, 1, after), allowed)
    out = join(mix(weights, beside(v, size, 1, after)), length)
    return DilatedTrace(width, dilation, allowed, weights, join(out.transpose(-3, -2), N))


def count_pairs(n: int, width: int, dilation: int, *, is_causal: bool = False) -> int:
    """Count the scores that are computed in one head, filling among them.

        classes · pieces · size · span:  dilation rests, each cut into pieces as wide as the window

    Example:
        >>> count_pairs(12, 3, 2, is_causal=True)
        72
    """
    classes, length, size = _sizes(n, width, dilation)
    return classes * -(-length // size) * size * size * (2 if is_causal else 3)


def _sizes(n: int, width: int, dilation: int) -> tuple[int, int, int]:
    """Give the number of rests, the positions that leave each, and the size of a piece."""
    classes = max(1, min(dilation, n))
    length = -(-n // classes)
    return classes, length, max(1, min(width, length))


def _places(turn: Int[Tensor, "chunks width"], classes: int) -> Int[Tensor, "classes chunks width"]:
    """Say where in the text the positions of each rest stand."""
    rest = torch.arange(classes, device=turn.device)[:, None, None]
    return torch.where(turn < 0, -1, turn * classes + rest)
