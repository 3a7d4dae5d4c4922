"""Multiplicative attention: a matrix between query and key says which of their numbers are compared."""

from dataclasses import dataclass

from jaxtyping import Bool, Float
from torch import Tensor

from attention_core.steps import check_parameter, check_tensors, scaled_dot_product_attention
from attention_core.trace import AttentionTrace


@dataclass(frozen=True, eq=False)
class MultiplicativeTrace:
    """What multiplicative attention leaves behind.

    Attributes:
        projected_q: q w, as wide as the keys.
        attention: The dot products of those with the keys, unscaled, and all that follows.
    """

    projected_q: Float[Tensor, "*B N d_k"]
    attention: AttentionTrace

    @property
    def out(self) -> Float[Tensor, "*B N d_v"]:
        """Give what each query gathered."""
        return self.attention.out


def attend_multiplicative(
    q: Float[Tensor, "*B N d_q"],
    k: Float[Tensor, "*B M d_k"],
    v: Float[Tensor, "*B M d_v"],
    w: Float[Tensor, "d_q d_k"],
    *,
    allowed: Bool[Tensor, "*#B #N #M"] | None = None,
) -> MultiplicativeTrace:
    """Score a pair by a learned form that is linear in each of the two.

        scores = q w kᵀ,  out = softmax(scores, over the allowed keys) v

    Args:
        w: The identity makes it the plain dot product; of the width of q times that of k.
        allowed: True where query n may see key m. None allows every pair.

    Returns:
        Scores that are not scaled. A query that may see no key has zeros as weights and out.

    Raises:
        ValueError: shapes that do not fit, types that differ, a mask that is not bool.

    Example:
        >>> import torch
        >>> q, k = torch.tensor([[1.0, 2.0]]), torch.tensor([[10.0]])
        >>> attend_multiplicative(q, k, k, torch.tensor([[3.0], [0.5]])).attention.scores.item()
        40.0

    Cost: `count_flops`.
    Source: Luong et al. 2015, section 3.1, equation 8, "general".
    """
    check_tensors(q, q, q)
    check_tensors(k, k, v)
    check_parameter("w", w, "q's width × k's width", (q.shape[-1], k.shape[-1]), q)
    projected_q = q @ w
    attention = scaled_dot_product_attention(projected_q, k, v, allowed=allowed, scale=1.0)
    return MultiplicativeTrace(projected_q, attention)


def count_flops(n_queries: int, n_keys: int, d_q: int, d_k: int, d_v: int) -> int:
    """Count the FLOPs of one head's products: the projection, the score of each pair, the mix.

        2 · (N · d_q · d_k + N · M · d_k + N · M · d_v)

    Example:
        >>> count_flops(1, 2, 1, 1, 1)
        10
    """
    return 2 * n_queries * (d_q * d_k + n_keys * (d_k + d_v))
