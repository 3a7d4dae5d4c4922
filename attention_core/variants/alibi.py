"""ALiBi: no positions in the vectors; each head takes off a score what a key's distance costs it."""

from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from attention_core.steps import check_tensors, scaled_dot_product_attention
from attention_core.trace import AttentionTrace


@dataclass(frozen=True, eq=False)
class AlibiTrace:
    """What attention with distances leaves behind.

    Attributes:
        slopes: What one step of distance costs in each head.
        bias: Added to the scaled scores.
    """

    slopes: Float[Tensor, " H"]
    bias: Float[Tensor, "H N M"]
    attention: AttentionTrace

    @property
    def out(self) -> Float[Tensor, "*B_q N d_v"]:
        """Give what each query gathered."""
        return self.attention.out


def attend_alibi(
    q: Float[Tensor, "*B_q N d_k"],
    k: Float[Tensor, "*B_k M d_k"],
    v: Float[Tensor, "*B_k M d_v"],
    *,
    slopes: Float[Tensor, " H"] | None = None,
    offset: int | None = None,
    allowed: Bool[Tensor, "*#B_q #N #M"] | None = None,
) -> AlibiTrace:
    """Take from each score the key's distance, times a slope that each head has for itself.

        scaled + bias = q_n · k_m / √d_k − slope · |n + offset − m|

    Args:
        slopes: None: `head_slopes` of as many heads as q has.
        offset: Position of the first query among the keys. None means M − N, as in `masks.causal`.
        allowed: True where query n may see key m, `masks.causal` in the source. None allows every pair.

    Returns:
        Weights that hang on distances alone, so that longer texts than those of training meet no new position.

    Raises:
        ValueError: no axis of heads, other slopes than heads, shapes that do not fit, types that differ.

    Example:
        >>> zero = torch.zeros(1, 2, 1)
        >>> attend_alibi(zero, zero, zero, slopes=torch.tensor([0.5])).attention.masked.tolist()
        [[[0.0, -0.5], [-0.5, 0.0]]]

    Cost: 2·N·M·(d_k + d_v) FLOPs for each head; the bias adds H·N·M numbers to keep.
    Source: Press et al. 2022, section 3. It has causal masks only: the same cost for the future is our choice.
    """
    check_tensors(q, k, v)
    if q.ndim < 3:
        raise ValueError(f"q needs an axis of heads, three axes or more, got {q.ndim}: {tuple(q.shape)}")
    n_heads, n_queries, n_keys = q.shape[-3], q.shape[-2], k.shape[-2]
    slopes = head_slopes(n_heads) if slopes is None else slopes
    if slopes.shape != (n_heads,):
        raise ValueError(f"there must be one slope for each head, got {tuple(slopes.shape)} for {n_heads}")
    slopes = slopes.to(q.dtype).to(q.device)
    bias = distance_bias(slopes, n_queries, n_keys, offset)
    return AlibiTrace(slopes, bias, scaled_dot_product_attention(q, k, v, allowed=allowed, bias=bias))


def distance_bias(
    slopes: Float[Tensor, " H"], n_queries: int, n_keys: int, offset: int | None = None
) -> Float[Tensor, "H N M"]:
    """Give what each pair's distance takes from its score.

        bias[h, n, m] = −slopes[h] · |n + offset − m|

    Args:
        offset: None means M − N.

    Raises:
        ValueError: a negative count.

    Example:
        >>> distance_bias(torch.tensor([0.5]), 1, 3).tolist()
        [[[-1.0, -0.5, 0.0]]]
    """
    if n_queries < 0 or n_keys < 0:
        raise ValueError(f"counts must not be negative, got n_queries={n_queries} and n_keys={n_keys}")
    offset = n_keys - n_queries if offset is None else offset
    query = torch.arange(n_queries, device=slopes.device)[:, None] + offset
    distance = (query - torch.arange(n_keys, device=slopes.device)).abs()
    return slopes[:, None, None] * (-distance).to(slopes.dtype)


def head_slopes(n_heads: int, *, dtype: torch.dtype = torch.float64) -> Float[Tensor, " H"]:
    """List the slopes as the source's program does.

        2^(−8 (h + 1) / H) where H is a power of two; else those of the next lower one, then every other of its double's

    Raises:
        ValueError: fewer than one head.

    Example:
        >>> head_slopes(6).tolist()
        [0.25, 0.0625, 0.015625, 0.00390625, 0.5, 0.125]

    Source: Press et al. 2022, section 3, and its program, get_slopes.
    """
    _check_heads(n_heads)
    power = 2 ** (n_heads.bit_length() - 1)
    between = geometric_slopes(2 * power, dtype=dtype)[0::2][: n_heads - power]
    return torch.cat([geometric_slopes(power, dtype=dtype), between])


def geometric_slopes(n_heads: int, *, dtype: torch.dtype = torch.float64) -> Float[Tensor, " H"]:
    """List the slopes as the source's sentence reads, which its program keeps for powers of two alone.

        2^(−8 (h + 1) / H)

    Raises:
        ValueError: fewer than one head.

    Example:
        >>> [round(slope, 5) for slope in geometric_slopes(6).tolist()]
        [0.39685, 0.15749, 0.0625, 0.0248, 0.00984, 0.00391]

    Source: Press et al. 2022, section 3, "for n heads, our set of slopes".
    """
    _check_heads(n_heads)
    return torch.exp2(-8 * torch.arange(1, n_heads + 1, dtype=torch.float64) / n_heads).to(dtype)


def _check_heads(n_heads: int) -> None:
    """Refuse to have no heads."""
    if n_heads < 1:
        raise ValueError(f"n_heads must be at least 1, got {n_heads}")
