"""Additive attention: a small network compares a query with a key, so that their widths need not agree."""

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
    softmax_rows,
)


@dataclass(frozen=True, eq=False)
class AdditiveTrace:
    """What additive attention leaves behind.

    Attributes:
        hidden: tanh of every query added to every key, each pair's own d_a numbers: the largest tensor of all.
    """

    projected_q: Float[Tensor, "*B N d_a"]
    projected_k: Float[Tensor, "*B M d_a"]
    hidden: Float[Tensor, "*B N M d_a"]
    scores: Float[Tensor, "*B N M"]
    masked: Float[Tensor, "*B N M"]
    weights: Float[Tensor, "*B N M"]
    out: Float[Tensor, "*B N d_v"]


def attend_additive(
    q: Float[Tensor, "*B N d_q"],
    k: Float[Tensor, "*B M d_k"],
    v: Float[Tensor, "*B M d_v"],
    w_q: Float[Tensor, "d_q d_a"],
    w_k: Float[Tensor, "d_k d_a"],
    w_score: Float[Tensor, " d_a"],
    *,
    allowed: Bool[Tensor, "*#B #N #M"] | None = None,
) -> AdditiveTrace:
    """Score a pair by a layer of tanh over their sum, then weigh and mix as ever.

        scores[n, m] = Σ_a w_score[a] · tanh(q_n w_q + k_m w_k)[a],  out = softmax(scores, over the allowed keys) v

    Args:
        w_score: The source's v; here v are the values.
        allowed: True where query n may see key m. None allows every pair.

    Returns:
        Scores within ± Σ |w_score|, never scaled. A query that may see no key has zeros as weights and out.

    Raises:
        ValueError: shapes that do not fit, types that differ, a mask that is not bool.

    Example:
        >>> import torch
        >>> one, q, k = torch.ones(1, 1), torch.zeros(1, 1), torch.tensor([[0.0], [1.0]])
        >>> trace = attend_additive(q, k, torch.tensor([[1.0], [3.0]]), one, one, torch.ones(1))
        >>> [round(weight, 4) for weight in trace.weights[0].tolist()], round(trace.out.item(), 4)
        ([0.3183, 0.6817], 2.3634)

    Cost: `count_flops`; beside them N · M · d_a times tanh, and as many numbers kept.
    Source: Bahdanau et al. 2015, section 3.1 and appendix A.1.2.
    """
    # Keys and values must fit each other; queries may be of another width.
    check_tensors(k, k, v)
    check_tensors(q, q, q)
    if q.shape[:-2] != k.shape[:-2]:
        raise ValueError(
            f"q and k must have the same leading axes, got {tuple(q.shape[:-2])} and {tuple(k.shape[:-2])}"
        )
    d_a = len(w_score) if isinstance(w_score, Tensor) and w_score.ndim == 1 else 1
    check_parameter("w_score", w_score, "one number for each of d_a", (d_a,), q)
    check_parameter("w_q", w_q, "q's width × d_a", (q.shape[-1], d_a), q)
    check_parameter("w_k", w_k, "k's width × d_a", (k.shape[-1], d_a), k)
    projected_q, projected_k = q @ w_q, k @ w_k
    _, shape = check_tensors(projected_q, projected_k, v)
    if allowed is not None:
        check_mask("allowed", allowed, torch.bool, shape, q)
    hidden = (projected_q[..., :, None, :] + projected_k[..., None, :, :]).tanh()
    scores = (hidden @ w_score[:, None])[..., 0]
    masked = mask_scores(scores, allowed)
    weights = softmax_rows(masked, allowed)
    return AdditiveTrace(projected_q, projected_k, hidden, scores, masked, weights, mix(weights, v))


def count_flops(n_queries: int, n_keys: int, d_q: int, d_k: int, d_a: int, d_v: int) -> int:
    """Count the FLOPs of one head's products: two projections, the score of each pair, the mix.

        2 · (N · d_q · d_a + M · d_k · d_a + N · M · d_a + N · M · d_v)

    Returns:
        A multiply-add as 2; the N · M · d_a additions and tanh are not counted, as softmax is not elsewhere.

    Example:
        >>> count_flops(1, 2, 1, 1, 1, 1)
        14
    """
    projections = n_queries * d_q * d_a + n_keys * d_k * d_a
    return 2 * (projections + n_queries * n_keys * (d_a + d_v))
