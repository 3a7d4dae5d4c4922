"""Attention with a sink: one more score without a value, so that a query may give less than all of its weight."""

import math
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from attention_core.steps import (
    check_mask,
    check_parameter,
    check_tensors,
    mask_scores,
    mix,
    repeat_heads,
    scale_scores,
    score,
    widen,
)


@dataclass(frozen=True, eq=False)
class SinkTrace:
    """What attention with a sink leaves behind.

    Attributes:
        weights: A row sums to 1 less what the sink takes.
        sink_weights: What the sink takes of each query.
    """

    scores: Float[Tensor, "*B N M"]
    scaled: Float[Tensor, "*B N M"]
    masked: Float[Tensor, "*B N M"]
    weights: Float[Tensor, "*B N M"]
    sink_weights: Float[Tensor, "*B N"]
    out: Float[Tensor, "*B N d_v"]


def attend_sink(
    q: Float[Tensor, "*B_q N d_k"],
    k: Float[Tensor, "*B_k M d_k"],
    v: Float[Tensor, "*B_k M d_v"],
    *,
    sink: Float[Tensor, " H"] | float | int = 0.0,
    allowed: Bool[Tensor, "*#B_q #N #M"] | None = None,
) -> SinkTrace:
    """Let a query whose scores are all low gather little: what it does not want goes to a sink.

        weights[n, m] = exp(scaled[n, m]) / (exp(sink) + Σ exp(scaled[n, j])),  j over the allowed keys

    Args:
        sink: Its score, beside those divided by √d_k. 0 is softmax-off-by-one: exp(0) = 1 in the denominator. A tensor
            gives each head its own.
        allowed: True where query n may see key m. None allows every pair.

    Returns:
        Weights of which a row sums to less than 1. A query that may see no key gives all to the sink: its out is 0.

    Raises:
        ValueError: shapes that do not fit, types that differ, a sink that is not finite, or not one for each head.

    Example:
        >>> import torch
        >>> zero, v = torch.zeros(1, 1), torch.tensor([[4.0]])
        >>> attend_sink(zero, zero, v).out.item(), attend_sink(zero, zero, v, sink=math.log(3)).out.item()
        (2.0, 1.0)

    Cost: 2·N·M·(d_k + d_v) FLOPs for each head, as without it.
    Source: Miller 2023 ("Attention is off by one"), softmax₁; Xiao et al. 2024 (StreamingLLM), equation 2; learned,
        one a head: OpenAI 2025 (gpt-oss).
    """
    group_size, shape = check_tensors(q, k, v)
    wide_q, wide_k = widen(q, k)
    if allowed is not None:
        check_mask("allowed", allowed, torch.bool, shape, q)
    if group_size != 1:
        wide_k, v = repeat_heads(wide_k, group_size), repeat_heads(v, group_size)
    scores = score(wide_q, wide_k)
    scaled = scale_scores(scores, q.shape[-1] ** -0.5)
    masked = mask_scores(scaled, allowed)
    weights, sink_weights = (x.to(q.dtype) for x in weigh_with_sink(masked, _spread_sink(sink, q)))
    return SinkTrace(scores, scaled, masked, weights, sink_weights, mix(weights, v))


def weigh_with_sink(
    masked: Float[Tensor, "*B N M"], sink: Float[Tensor, "..."] | float | int = 0.0
) -> tuple[Float[Tensor, "*B N M"], Float[Tensor, "*B N"]]:
    """Turn scores that are masked already into weights beside a sink, whatever the scores are.

        weights[n, m] = exp(masked[n, m]) / (exp(sink) + Σ exp(masked[n, j]))

    Args:
        sink: Broadcasts to one score for each row.

    Returns:
        The weights, and what the sink takes: together they sum to 1.

    Example:
        >>> weigh_with_sink(torch.tensor([[-math.inf, -math.inf], [1000.0, -math.inf]]))
        (tensor([[0., 0.],
                [1., 0.]]), tensor([1., 0.]))
    """
    column = torch.as_tensor(sink, dtype=masked.dtype, device=masked.device).expand(masked.shape[:-1])
    shares = torch.cat([masked, column[..., None]], dim=-1).softmax(dim=-1)
    return shares[..., :-1], shares[..., -1]


def _spread_sink(
    sink: Float[Tensor, " H"] | float | int, q: Float[Tensor, "*B N d_k"]
) -> Float[Tensor, "..."] | float | int:
    """Give each row of a head that head's sink."""
    if isinstance(sink, Tensor):
        n_heads = q.shape[-3] if q.ndim > 2 else 1
        check_parameter("sink", sink, "one number for each head", (n_heads,), q)
        is_finite = bool(sink.isfinite().all())
    else:
        is_finite = math.isfinite(sink)
    if not is_finite:
        raise ValueError(f"sink must be finite, got {sink}; −∞ is attention without a sink")
    return sink[:, None] if isinstance(sink, Tensor) and q.ndim > 2 else sink
