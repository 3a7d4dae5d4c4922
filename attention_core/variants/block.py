"""Block attention: positions in equal blocks, each of which attends to itself alone."""

from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from attention_core import masks, patterns
from attention_core.chunks import check_self_attention, cut, weigh_pieces
from attention_core.steps import mix


@dataclass(frozen=True, eq=False)
class BlockwiseTrace:
    """What attention in blocks leaves behind: no weights of N × N, but those of each block.

    Attributes:
        weights: Of the whole blocks.
        last_weights: Of the shorter block at the end; without rows where there is none.
    """

    size: int
    weights: Float[Tensor, "*B chunks width width"]
    last_weights: Float[Tensor, "*B last last"]
    out: Float[Tensor, "*B N d_v"]


def attend_block(
    q: Float[Tensor, "*B N d_k"],
    k: Float[Tensor, "*B N d_k"],
    v: Float[Tensor, "*B N d_v"],
    size: int,
    *,
    is_causal: bool = False,
) -> BlockwiseTrace:
    """Attend within blocks, and compute no score between them.

        weights[n, m] = softmax over ⌊n / size⌋ = ⌊m / size⌋ (m ≤ n where causal) of q_n · k_m / √d_k

    Args:
        size: Positions in a block; the last block may be shorter.

    Returns:
        Exactly what dense attention gives with the mask `patterns.block(size)`.

    Raises:
        ValueError: a size below 1, keys or values that are not as many as the queries, shapes that do not fit.

    Example:
        >>> x = torch.zeros(3, 1)
        >>> attend_block(x, x, torch.tensor([[2.0], [4.0], [8.0]]), 2).out.flatten().tolist()
        [3.0, 3.0, 8.0]

    Cost: `count_pairs` scores, each 2·(d_k + d_v) FLOPs: "block" in `attention_core.cost`.
    Source: Qiu et al. 2020 (blockwise attention), section 3.1, with each block its own partner.
    """
    patterns.block(size)
    N, device = check_self_attention(q, k, v)
    width = max(1, min(size, N))
    whole = N - N % width
    allowed = masks.causal(width, device=device) if is_causal else masks.full(width, device=device)
    first = _attend_pieces(*(cut(x[..., :whole, :], width) for x in (q, k, v)), allowed)
    rest = N - whole
    last = _attend_pieces(*(x[..., whole:, :] for x in (q, k, v)), allowed[:rest, :rest])
    out = torch.cat([first[1].flatten(-3, -2), last[1]], dim=-2)
    return BlockwiseTrace(size, first[0], last[0], out)


def count_pairs(n: int, size: int) -> int:
    """Count the scores that are computed in one head.

        ⌊N / size⌋ · size² + (N mod size)²

    Example:
        >>> count_pairs(5, 2)
        9
    """
    return n // size * size**2 + (n % size) ** 2


def _attend_pieces(
    q: Float[Tensor, "*B width d_k"],
    k: Float[Tensor, "*B width d_k"],
    v: Float[Tensor, "*B width d_v"],
    allowed: Bool[Tensor, "width width"],
) -> tuple[Float[Tensor, "*B width width"], Float[Tensor, "*B width d_v"]]:
    """Attend within each piece."""
    weights = weigh_pieces(q, k, allowed)
    return weights, mix(weights, v)
