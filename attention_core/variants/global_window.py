"""A window and a few global positions without the N × N scores."""

from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from attention_core import masks, patterns
from attention_core.chunks import allow_pairs, check_self_attention, cut, cut_near, join, weigh_pieces
from attention_core.steps import mix


@dataclass(frozen=True, eq=False)
class GlobalWindowTrace:
    """What a window with global positions leaves behind: no weights of N × N.

    Attributes:
        weights: Of each piece's queries over the global keys, then over those of the pieces beside it.
        global_weights: Of the global queries over all keys.
    """

    width: int
    allowed: Bool[Tensor, "chunks width span"]
    weights: Float[Tensor, "*B chunks width span"]
    global_weights: Float[Tensor, "*B n_global N"]
    out: Float[Tensor, "*B N d_v"]


def attend_global_window(
    q: Float[Tensor, "*B N d_k"],
    k: Float[Tensor, "*B N d_k"],
    v: Float[Tensor, "*B N d_v"],
    width: int,
    n_global: int = 1,
    *,
    is_causal: bool = False,
) -> GlobalWindowTrace:
    """Attend to the near keys and the first ones; the first positions attend to all.

        weights[n, m] = softmax over |n − m| < width or n < n_global or m < n_global (m ≤ n where causal)

    Args:
        width: How many keys to one side, the query itself counted.
        n_global: Positions at the beginning that see all and are seen by all; 0 is the plain window.

    Returns:
        Exactly what dense attention gives with the mask `patterns.window(width) | patterns.global_tokens(n_global)`.

    Raises:
        ValueError: a width below 1, a negative n_global, keys or values that are not as many as the queries, shapes
            that do not fit.

    Example:
        >>> x = torch.zeros(4, 1)
        >>> v = torch.tensor([[2.0], [4.0], [6.0], [8.0]])
        >>> attend_global_window(x, x, v, 1).out.flatten().tolist()
        [5.0, 3.0, 4.0, 5.0]

    Cost: `count_pairs` scores, each 2·(d_k + d_v) FLOPs.
    Source: Beltagy et al. 2020, section 3.1, global attention; there with projections of its own.
    """
    rule = patterns.window(width) | patterns.global_tokens(n_global)
    rule = rule & patterns.causal() if is_causal else rule
    N, device = check_self_attention(q, k, v)
    first, pieces = min(n_global, N), cut_near(N, width, is_causal=is_causal)
    near = pieces.beside_positions(device)
    # A global key stands in front of every piece; where it is near too it must not count twice.
    key = _put_first(near.masked_fill(near < first, -1), first)
    allowed = allow_pairs(rule, pieces.positions(device), key, N)
    keys, values = (_with_first(x, first, pieces.beside(x)) for x in (k, v))
    weights = weigh_pieces(cut(q, pieces.size), keys, allowed)
    sees = masks.causal(first, N, 0, device=device) if is_causal else masks.full(first, N, device=device)
    global_weights = weigh_pieces(q[..., :first, :], k, sees)
    out = torch.cat([mix(global_weights, v), join(mix(weights, values), N)[..., first:, :]], dim=-2)
    return GlobalWindowTrace(width, allowed, weights, global_weights, out)


def count_pairs(n: int, width: int, n_global: int = 1, *, is_causal: bool = False) -> int:
    """Count the scores that are computed in one head, filling among them.

        ⌈N / width⌉ · width · (span + n_global) + n_global · N:  span = 3 widths, 2 where causal

    Example:
        >>> count_pairs(6, 2, 1)
        48
    """
    first, pieces = min(n_global, n), cut_near(n, width, is_causal=is_causal)
    return pieces.n_pairs + pieces.n_pieces * pieces.size * first + first * n


def _put_first(near: Int[Tensor, "chunks span"], first: int) -> Int[Tensor, "chunks _"]:
    """Put the global positions in front of those beside each piece."""
    return torch.cat([torch.arange(first, device=near.device).expand(len(near), first), near], dim=-1)


def _with_first(
    x: Float[Tensor, "*B N d_v"], first: int, pieces: Float[Tensor, "*B chunks width d_v"]
) -> Float[Tensor, "*B chunks span d_v"]:
    """Put the global keys or values in front of those beside each piece."""
    shared = x[..., None, :first, :]
    shape = (*pieces.shape[:-2], first, x.shape[-1])
    return torch.cat([shared.expand(shape), pieces], dim=-2)
