"""Claim V5: linear attention is one function in several forms, with weights for each pair or without any."""

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from attention_core.variants.linear import Feature, attend_linear, map_features, step_linear


@dataclass(frozen=True)
class LinearForms:
    """How far the forms of linear attention lie apart on the same input: the largest difference of an output.

    Attributes:
        pairwise: From weights of N × N, products of features over their sums, written down for the purpose.
        recurrent: From the form that takes in one token after another and keeps only a state.
    """

    pairwise: float
    recurrent: float


def compare_linear_forms(
    q: Float[Tensor, "*B N d_k"],
    k: Float[Tensor, "*B N d_k"],
    v: Float[Tensor, "*B N d_v"],
    *,
    feature: Feature = "elu",
    is_causal: bool = False,
) -> LinearForms:
    """Compute linear attention by its state, pair by pair and token by token, and compare.

    Returns:
        Rounding alone, in any type. Where it is not causal the recurrent form first reads all tokens, then answers.

    Example:
        >>> x = torch.ones(3, 2, dtype=torch.float64)
        >>> compare_linear_forms(x, x, x, is_causal=True)
        LinearForms(pairwise=0.0, recurrent=0.0)

    Source: Katharopoulos et al. 2020, section 3.4 ("Transformers are RNNs").
    """
    by_state = attend_linear(q, k, v, feature=feature, is_causal=is_causal).out
    pairs = attend_pairwise(q, k, v, feature=feature, is_causal=is_causal)
    steps = attend_by_steps(q, k, v, feature=feature, is_causal=is_causal)
    pairwise, recurrent = (
        float((by_state - other).abs().max()) if by_state.numel() else 0.0 for other in (pairs, steps)
    )
    return LinearForms(pairwise, recurrent)


def attend_pairwise(
    q: Float[Tensor, "*B N d_k"],
    k: Float[Tensor, "*B N d_k"],
    v: Float[Tensor, "*B N d_v"],
    *,
    feature: Feature = "elu",
    is_causal: bool = False,
) -> Float[Tensor, "*B N d_v"]:
    """Give linear attention with its weights written down, as other attentions have them.

        weights[n, m] = φ(q_n) · φ(k_m) / Σ_j φ(q_n) · φ(k_j)

    Example:
        >>> attend_pairwise(torch.zeros(2, 1), torch.zeros(2, 1), torch.tensor([[1.0], [3.0]])).flatten().tolist()
        [2.0, 2.0]

    Cost: 2·N²·(d_phi + d_v) FLOPs: what the other forms are there to avoid.
    """
    products = map_features(q, feature) @ map_features(k, feature).transpose(-2, -1)
    products = products.tril() if is_causal else products
    total = products.sum(dim=-1, keepdim=True)
    return (products / total.masked_fill(total == 0, 1.0)) @ v


def attend_by_steps(
    q: Float[Tensor, "*B N d_k"],
    k: Float[Tensor, "*B N d_k"],
    v: Float[Tensor, "*B N d_v"],
    *,
    feature: Feature = "elu",
    is_causal: bool = False,
) -> Float[Tensor, "*B N d_v"]:
    """Give linear attention as a recurrent network: each token is taken into a state of fixed size.

    Example:
        >>> one = torch.ones(3, 1)
        >>> attend_by_steps(one, one, torch.tensor([[2.0], [10.0], [51.0]]), is_causal=True).flatten().tolist()
        [2.0, 6.0, 21.0]
    """
    state = v.new_zeros(*k.shape[:-2], k.shape[-1], v.shape[-1])
    key_sum = k.new_zeros(*k.shape[:-2], k.shape[-1])
    rows = []
    for n in range(k.shape[-2]):
        out, state, key_sum = step_linear(
            q[..., n, :], k[..., n, :], v[..., n, :], state, key_sum, feature=feature
        )
        rows.append(out)
    if is_causal:
        return torch.stack(rows, dim=-2) if rows else v
    phi_q = map_features(q, feature)
    total = phi_q @ key_sum[..., None]
    return (phi_q @ state / total.masked_fill(total == 0, 1.0)).masked_fill(total == 0, 0.0)
