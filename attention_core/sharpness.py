"""Say how sharp a row of weights is, and what of a gradient comes through softmax."""

import torch
from jaxtyping import Float
from torch import Tensor


def largest_weight(weights: Float[Tensor, "*B M"]) -> Float[Tensor, "*B"]:
    """Give the largest weight of each row: 1/M where all are alike, 1 where one key has everything."""
    return weights.amax(dim=-1)


def entropy(weights: Float[Tensor, "*B M"]) -> Float[Tensor, "*B"]:
    """Measure how evenly a row is spread.

        entropy = −Σ a·log(a),  0·log(0) = 0

    Returns:
        From 0 for a single key to log(M) for all keys alike; its exponential is the effective number of keys.

    Example:
        >>> entropy(torch.tensor([[0.0, 1.0], [0.5, 0.5]])).exp().tolist()
        [1.0, 2.0]
    """
    return torch.special.entr(weights).sum(dim=-1)


def jacobian_norm(weights: Float[Tensor, "*B M"]) -> Float[Tensor, "*B"]:
    """Measure how far softmax still answers to its scores: the Frobenius norm of its Jacobian.

        ‖diag(a) − a aᵀ‖ = √(Σa² − 2·Σa³ + (Σa²)²)

    Returns:
        From 0 where one key has everything to 1/2 for two keys alike; √(M−1)/M for M keys alike.

    Example:
        >>> jacobian_norm(torch.tensor([[0.0, 1.0], [0.5, 0.5]])).tolist()
        [0.0, 0.5]

    Source: ∂a_i/∂s_j = a_i·(δ_ij − a_j). The largest weight t is kept apart from the others o, which is our
        choice: near t = 1 the three sums cancel to nothing but rounding, Σo²·(1+Σa²) − 2·Σo³ + t²·((Σo)²+Σo²)
        does not.
    """
    top, index = weights.max(dim=-1, keepdim=True)
    others = weights.scatter(-1, index, 0.0)
    squares = others.square()
    rest, rest_2 = others.sum(dim=-1), squares.sum(dim=-1)
    rest_3 = (squares * others).sum(dim=-1)
    top_2 = top.squeeze(-1).square()
    inner = rest_2 * (1 + rest_2 + top_2) - 2 * rest_3 + top_2 * (rest.square() + rest_2)
    return inner.clamp(min=0).sqrt()


def scores_gradient(
    weights: Float[Tensor, "*B M"], weights_gradient: Float[Tensor, "*#B M"]
) -> Float[Tensor, "*B M"]:
    """Carry a gradient back through softmax.

        ∂L/∂s_i = a_i · (g_i − Σ a_j·g_j),  g = ∂L/∂a

    Example:
        >>> scores_gradient(torch.tensor([[0.5, 0.5]]), torch.tensor([[1.0, 3.0]])).tolist()
        [[-0.5, 0.5]]

    Source: the Jacobian of softmax. Measuring g from the key with the largest weight is our choice: it changes
        nothing, since the rows of the Jacobian sum to 0, and keeps the small difference that is left near
        one-hot weights from being lost in rounding.
    """
    index = weights.argmax(dim=-1, keepdim=True)
    g = weights_gradient.expand_as(weights)
    g = g - g.gather(-1, index)
    return weights * (g - (weights * g).sum(dim=-1, keepdim=True))
