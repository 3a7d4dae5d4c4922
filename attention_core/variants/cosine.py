"""Cosine attention: only the directions of queries and keys count, not their lengths."""

import math
from dataclasses import dataclass

from jaxtyping import Bool, Float
from torch import Tensor

from attention_core.steps import check_tensors, scaled_dot_product_attention
from attention_core.trace import AttentionTrace


@dataclass(frozen=True, eq=False)
class CosineTrace:
    """What cosine attention leaves behind.

    Attributes:
        unit_q: Queries of length 1; zeros where a query has no direction.
        attention: scores are cosines, scaled are those divided by the temperature.
    """

    unit_q: Float[Tensor, "*B_q N d_k"]
    unit_k: Float[Tensor, "*B_k M d_k"]
    attention: AttentionTrace

    @property
    def out(self) -> Float[Tensor, "*B_q N d_v"]:
        """Give what each query gathered."""
        return self.attention.out


def attend_cosine(
    q: Float[Tensor, "*B_q N d_k"],
    k: Float[Tensor, "*B_k M d_k"],
    v: Float[Tensor, "*B_k M d_v"],
    *,
    temperature: float | int = 1.0,
    allowed: Bool[Tensor, "*#B_q #N #M"] | None = None,
) -> CosineTrace:
    """Score a pair by the cosine of the angle between them.

        scores[n, m] = q_n · k_m / (|q_n| |k_m|),  out = softmax(scores / temperature, over the allowed keys) v

    Args:
        temperature: At 1 no weight is more than e² times another; below 1 weights are sharper.
        allowed: True where query n may see key m. None allows every pair.

    Returns:
        Scores within ±1; 0 for a vector of zeros, which has no direction and gets no gradient.

    Raises:
        ValueError: shapes that do not fit, types that differ, a temperature that is not above 0 or so small that
            scores divided by it are infinite.

    Example:
        >>> import torch
        >>> q, k = torch.tensor([[3.0, 4.0]]), torch.tensor([[30.0, 40.0], [0.0, 0.0]])
        >>> [round(score, 6) for score in attend_cosine(q, k, k).attention.scores[0].tolist()]
        [1.0, 0.0]

    Cost: 2·N·M·(d_k + d_v) FLOPs for each head; the lengths are not counted.
    Source: Graves et al. 2014 (Neural Turing Machines), equations 5 and 6, with 1/temperature as β; Liu et al. 2022
        (Swin V2), equation 2. The cosine of a vector of zeros is our choice.
    """
    check_tensors(q, k, v)
    if not 0 < temperature < math.inf or math.isinf(1 / temperature):
        raise ValueError(
            f"temperature must be above 0 and finite, and so must 1/temperature, got {temperature}"
        )
    unit_q, unit_k = to_unit(q), to_unit(k)
    attention = scaled_dot_product_attention(unit_q, unit_k, v, allowed=allowed, scale=1 / temperature)
    return CosineTrace(unit_q, unit_k, attention)


def to_unit(x: Float[Tensor, "*B N d_k"]) -> Float[Tensor, "*B N d_k"]:
    """Divide each vector by its length.

        unit = x / |x|,  0 where x = 0

    Example:
        >>> import torch
        >>> to_unit(torch.tensor([[0.0, 0.0], [-2.0, 0.0]])).tolist()
        [[0.0, 0.0], [-1.0, 0.0]]
    """
    if not x.shape[-1]:
        return x
    # Squares of very large or small numbers leave the range of floats; a direction does not hang on the size.
    largest = x.detach().abs().amax(dim=-1, keepdim=True)
    has_none = largest == 0
    near_one = (x / largest.masked_fill(has_none, 1.0)).masked_fill(has_none, 1.0)
    return (near_one / near_one.norm(dim=-1, keepdim=True)).masked_fill(has_none, 0.0)
