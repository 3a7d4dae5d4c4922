"""Low-rank attention: an approximation in which all keys and values are mixed into a few before any is asked."""

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from attention_core.steps import check_parameter, check_tensors, scaled_dot_product_attention
from attention_core.trace import AttentionTrace


@dataclass(frozen=True, eq=False)
class LowRankTrace:
    """What low-rank attention leaves behind: no weights of N × M, but of N over as many short keys as the rank.

    Attributes:
        k_short: The keys, mixed along the positions.
        v_short: The values, mixed likewise.
        attention: Of the queries over those.
    """

    k_short: Float[Tensor, "*B_k rank d_k"]
    v_short: Float[Tensor, "*B_k rank d_v"]
    attention: AttentionTrace

    @property
    def out(self) -> Float[Tensor, "*B_q N d_v"]:
        """Give what each query gathered."""
        return self.attention.out


def attend_low_rank(
    q: Float[Tensor, "*B_q N d_k"],
    k: Float[Tensor, "*B_k M d_k"],
    v: Float[Tensor, "*B_k M d_v"],
    w_keys: Float[Tensor, "rank M"],
    w_values: Float[Tensor, "rank M"],
) -> LowRankTrace:
    """Mix keys and values along the positions into a few, and attend to those: an approximation.

        out = softmax(q (w_keys k)ᵀ / √d_k) (w_values v)

    Args:
        w_keys: The source's E, one row for each short key; learned there.
        w_values: Its F.

    Returns:
        Exactly dense attention where both are the identity; else another function, near it where the weights of dense
        attention have a low rank. No mask: a short key holds something of every position, of later ones too.

    Raises:
        ValueError: shapes that do not fit, types that differ.

    Example:
        >>> mean = torch.full((1, 3), 1 / 3)
        >>> x = torch.tensor([[3.0], [6.0], [9.0]])
        >>> attend_low_rank(x, x, x, mean, mean).out.flatten().tolist()
        [6.0, 6.0, 6.0]

    Cost: 2·r·M·(d_k + d_v) FLOPs for each key/value head and 2·N·r·(d_k + d_v) for each head, r the rank: "low_rank"
        in `attention_core.cost`.
    Source: Wang et al. 2020 (Linformer), equation 7.
    """
    check_tensors(q, k, v)
    rank = w_keys.shape[0] if isinstance(w_keys, Tensor) and w_keys.ndim else 0
    for name, w in (("w_keys", w_keys), ("w_values", w_values)):
        check_parameter(name, w, "rank × keys", (rank, k.shape[-2]), q)
    k_short, v_short = w_keys @ k, w_values @ v
    return LowRankTrace(k_short, v_short, scaled_dot_product_attention(q, k_short, v_short))


def draw_mixture(
    rank: int, n_keys: int, generator: torch.Generator, *, dtype: torch.dtype = torch.float64
) -> Float[Tensor, "rank M"]:
    """Draw how positions are mixed, as before any training.

        w[i, m] ~ N(0, 1 / rank)

    Returns:
        Rows whose products with keys keep the keys' own products on average: wᵀ w is the identity on average.

    Raises:
        ValueError: a rank or a number of keys below 1.

    Example:
        >>> draw_mixture(2, 3, torch.Generator().manual_seed(0)).shape
        torch.Size([2, 3])

    Source: Wang et al. 2020, theorem 2, after Johnson and Lindenstrauss 1984.
    """
    if rank < 1 or n_keys < 1:
        raise ValueError(f"rank and n_keys must be at least 1, got {rank} and {n_keys}")
    return torch.randn(rank, n_keys, generator=generator, dtype=dtype) / rank**0.5


def pool_positions(rank: int, n_keys: int, *, dtype: torch.dtype = torch.float64) -> Float[Tensor, "rank M"]:
    """Mix positions by the mean over stretches of neighbours, with nothing to learn.

        w[i, m] = 1 / length of stretch i where ⌊m · rank / M⌋ = i, else 0

    Returns:
        Rows that sum to 1; the identity where rank is n_keys, so that attention is dense there.

    Raises:
        ValueError: a rank that is not from 1 to n_keys.

    Example:
        >>> pool_positions(2, 3).tolist()
        [[0.5, 0.5, 0.0], [0.0, 0.0, 1.0]]

    Source: Wang et al. 2020, section 4, "general projections", mean pooling; there stretches are equally long.
    """
    if not 1 <= rank <= n_keys:
        raise ValueError(f"rank must be from 1 to n_keys, got {rank} of {n_keys}")
    stretch = torch.arange(n_keys) * rank // n_keys
    belongs = (stretch == torch.arange(rank)[:, None]).to(dtype)
    return belongs / belongs.sum(dim=-1, keepdim=True)
