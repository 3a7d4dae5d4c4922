"""A dilated window without the N × N scores: positions sorted by their rest, a plain window within each rest."""

from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from attention_core import patterns
from attention_core.chunks import Pieces, allow_pairs, check_self_attention, cut, cut_near, join


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
    classes, pieces = _cut(N, width, dilation, is_causal=is_causal)
    query = _places(pieces.positions(device), classes)
    key = _places(pieces.beside_positions(device), classes)
    allowed = allow_pairs(rule, query, key, N)
    weights, out = pieces.attend(*(cut(x, classes).transpose(-3, -2) for x in (q, k, v)), allowed)
    return DilatedTrace(width, dilation, allowed, weights, join(out.transpose(-3, -2), N))


def count_pairs(n: int, width: int, dilation: int, *, is_causal: bool = False) -> int:
    """Count the scores that are computed in one head, filling among them.

        classes · pieces · size · span:  dilation rests, each cut into pieces as wide as the window

    Example:
        >>> count_pairs(12, 3, 2, is_causal=True)
        72
    """
    classes, pieces = _cut(n, width, dilation, is_causal=is_causal)
    return classes * pieces.n_pairs


def _cut(n: int, width: int, dilation: int, *, is_causal: bool) -> tuple[int, Pieces]:
    """Give the number of rests, and how the positions that leave one of them are cut."""
    classes = max(1, min(dilation, n))
    return classes, cut_near(-(-n // classes), width, is_causal=is_causal)


def _places(turn: Int[Tensor, "chunks width"], classes: int) -> Int[Tensor, "classes chunks width"]:
    """Say where in the text the positions of each rest stand."""
    rest = torch.arange(classes, device=turn.device)[:, None, None]
    return torch.where(turn < 0, -1, turn * classes + rest)
