"""Strided attention without the N × N scores: the near keys in pieces, the far ones a stride apart."""

import math
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
)
from attention_core.steps import HALF, mask_scores, mix, scale_scores, score, softmax_rows


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
    if not q.shape[-1]:
        raise ValueError(f"1/√d_k needs d_k ≥ 1, got d_k={q.shape[-1]} and {k.shape[-1]}")
    size, after = max(1, min(stride, N)), 0 if is_causal else 1
    place = cut_positions(N, size, device)
    near_key = beside_positions(N, size, 1, after, device)
    is_near = allow_pairs(patterns.window(size) & rule, place, near_key, N)
    allowed = torch.cat([is_near, _allow_far(rule, place, N)], dim=-1)
    wide_q, wide_k = (x.float() if x.dtype in HALF else x for x in (q, k))
    pieces = cut(wide_q, size)
    near = score(pieces, beside(wide_k, size, 1, after))
    far = _turn(score(_turn(pieces), _turn(cut(wide_k, size))))
    scaled = scale_scores(torch.cat([near, far], dim=-1), q.shape[-1] ** -0.5)
    weights = softmax_rows(mask_scores(scaled, allowed), allowed).to(q.dtype)
    near_weights, far_weights = weights.split([near.shape[-1], far.shape[-1]], dim=-1)
    out = mix(near_weights, beside(v, size, 1, after))
    out = out + _turn(mix(_turn(far_weights), _turn(cut(v, size))))
    return StridedTrace(stride, near_weights, far_weights, join(out, N))


def count_pairs(n: int, stride: int, *, is_causal: bool = True) -> int:
    """Count the scores that are computed in one head, filling among them.

        pieces · stride · (span + pieces):  pieces = ⌈N / stride⌉, span = 2 or, looking ahead too, 3 strides

    Example:
        >>> count_pairs(12, 3), count_pairs(4, 9)
        (120, 36)
    """
    size = max(1, min(stride, n))
    pieces = math.ceil(n / size)
    return pieces * size * (size * (2 if is_causal else 3) + pieces)


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
