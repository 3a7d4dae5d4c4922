"""Attention by the dot product as it is: no parameters, no scale."""

from jaxtyping import Bool, Float
from torch import Tensor

from attention_core.steps import scaled_dot_product_attention
from attention_core.trace import AttentionTrace


def attend_dot(
    q: Float[Tensor, "*B_q N d_k"],
    k: Float[Tensor, "*B_k M d_k"],
    v: Float[Tensor, "*B_k M d_v"],
    *,
    allowed: Bool[Tensor, "*#B_q #N #M"] | None = None,
) -> AttentionTrace:
    """Score a pair by its dot product, and leave the score as large as it is.

        scores = scaled = q kᵀ,  out = softmax(scores, over the allowed keys) v

    Args:
        allowed: True where query n may see key m. None allows every pair.

    Returns:
        Weights that grow sharper with the width of the keys, since the scores do.

    Raises:
        ValueError: shapes that do not fit, types that differ, a mask that is not bool.

    Example:
        >>> import torch
        >>> one = torch.ones(1, 4)
        >>> attend_dot(one, one, one).scaled.item()
        4.0

    Cost: 2·N·M·(d_k + d_v) FLOPs for each head.
    Source: Luong et al. 2015, section 3.1, equation 8, "dot".
    """
    return scaled_dot_product_attention(q, k, v, allowed=allowed, scale=1.0)
