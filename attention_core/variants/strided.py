"""Strided attention without the N × N scores: the near keys in pieces, the far ones a stride apart."""

from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from attention_core import patterns
from attention_core.chunks import allow_pairs, check_self_attention, cut, cut_near, join
from attention_core.steps import mask_scores, mix, scale_scores, score, softmax_rows, widen


@dataclass(frozen=True, eq=False)
class StridedTrace:
    """What strided attention leaves behind: no weights of N × N. A query's weights of both kinds sum to 1.

    Attributes:
        near_weights: Over the keys of each piece and the pieces beside it.
        far_weights: Over the keys that stand at the same place in every other piece.
    """

    stride: int
    near_weights: Float[Tensor, "*B chunks width span"]
    far_weights: Float[Tensor, "*B chunks width chunks"]
    out: Float[Tensor, "*B N d_v"]


def attend_strided(
    q: Float[Tensor, "*B N d_k"],
    k: Float[Tensor, "*B N d_k"],
    v: Float[Tensor, "*B N d_v"],
    stride: int,
    *,
    is_causal: bool = True,
) -> StridedTrace:
    """Attend to the last few keys and to every stride-th key before them.

        weights[n, m] = softmax over |n − m| < stride or n − m = stride, 2 · stride, … (m ≤ n where causal)

    Args:
        stride: Keys that are near, the query itself counted, and steps between the far ones.

    Returns:
        Exactly what dense attention gives with the mask `patterns.strided(stride)`.

    Raises:
        ValueError: a stride below 1, keys or values that are not as many as the queries, shapes that do not fit.

    Example:
        >>> x = torch.zeros(5, 1)
        >>> attend_strided(x, x, torch.tensor([[1.0], [3.0], [8.0], [4.0], [0.0]]), 2).out.flatten().tolist()
        [1.0, 2.0, 4.0, 5.0, 3.25]

    Cost: `count_pairs` scores, each 2·(d_k + d_v) FLOPs; least, about N·√N, near stride = √N. A stride of 1 sees every
        key, and is dense.
    Source: Child et al. 2019 (Sparse Transformer), section 4.3. There the two kinds are two heads or two steps.
    """
    rule = patterns.strided(stride, is_causal=is_causal)
    N, device = check_self_attention(q, k, v)
    wide_q, wide_k = widen(q, k)
    pieces = cut_near(N, stride, is_causal=is_causal)
    place, size = pieces.positions(device), pieces.size
    is_near = allow_pairs(patterns.window(size) & rule, place, pieces.beside_positions(device), N)
    allowed = torch.cat([is_near, _allow_far(rule, place, N)], dim=-1)
    near = score(cut(wide_q, size), pieces.beside(wide_k))
    far = _turn(score(*(_turn(cut(x, size)) for x in (wide_q, wide_k))))
    scaled = scale_scores(torch.cat([near, far], dim=-1), q.shape[-1] ** -0.5)
    weights = softmax_rows(mask_scores(scaled, allowed), allowed).to(q.dtype)
    near_weights, far_weights = weights.split([near.shape[-1], far.shape[-1]], dim=-1)
    out = mix(near_weights, pieces.beside(v))
    out = out + _turn(mix(_turn(far_weights), _turn(cut(v, size))))
    return StridedTrace(stride, near_weights, far_weights, join(out, N))


def count_pairs(n: int, stride: int, *, is_causal: bool = True) -> int:
    """Count the scores that are computed in one head, filling among them.

        pieces · stride · (span + pieces):  pieces = ⌈N / stride⌉, span = 2 or, looking ahead too, 3 strides

    Example:
        >>> count_pairs(12, 3), count_pairs(4, 9)
        (120, 36)
    """
    pieces = cut_near(n, stride, is_causal=is_causal)
    return pieces.n_pairs + pieces.n_pieces**2 * pieces.size


def _turn(pieces: Float[Tensor, "*B chunks width d_v"]) -> Float[Tensor, "*B width chunks d_v"]:
    """Put what stands at the same place of every piece together, or back."""
    return pieces.transpose(-3, -2)


def _allow_far(
    rule: patterns.Pattern, place: Int[Tensor, "chunks width"], n: int
) -> Bool[Tensor, "chunks width chunks"]:
    """Say which queries see the key at their own place in another piece; the near ones are counted elsewhere."""
    query, key = place[:, :, None], place.T[None]
    is_elsewhere = (query - key).abs() >= place.shape[-1]
    return rule(query, key) & is_elsewhere & (query < n) & (key < n)
