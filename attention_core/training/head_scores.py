"""What a head does, measured: does it look at the token before, or at what followed the same token earlier?"""

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor


def previous_token_score(weights: Float[Tensor, "*B N N"]) -> Float[Tensor, "*B"]:
    """Average how much each query, from the second on, gives to the token before it.

        score = mean over n ≥ 1 of weights[n, n − 1]

    Returns:
        1 for a head that looks at nothing else; 0 with a single token.

    Example:
        >>> previous_token_score(torch.tensor([[1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.5, 0.5]])).item()
        0.75

    Source: Olsson et al. 2022 (In-context learning and induction heads), previous-token heads.
    """
    if weights.shape[-1] < 2:
        return weights.new_zeros(weights.shape[:-2])
    return weights.diagonal(offset=-1, dim1=-2, dim2=-1).mean(dim=-1)


def induction_score(weights: Float[Tensor, "*B H N N"], tokens: Int[Tensor, "*B N"]) -> Float[Tensor, "*B H"]:
    """Average how much a query whose token stood there before gives to what followed it then.

        score = mean over such n of Σ weights[n, m],  m with tokens[m − 1] = tokens[n] and m ≤ n

    Returns:
        1 for a head that looks at nothing else; 0 where no token comes twice.

    Example:
        >>> weights = torch.tensor([[[1.0, 0.0, 0.0], [0.5, 0.5, 0.0], [0.2, 0.7, 0.1]]])
        >>> round(induction_score(weights, torch.tensor([7, 8, 7])).item(), 4)
        0.7

    Source: Olsson et al. 2022, the prefix-matching score; there on a random text that is repeated.
    """
    follows = find_followers(tokens)
    is_asked = follows.any(dim=-1)[..., None, :]
    gathered = (weights * follows[..., None, :, :]).sum(dim=-1)
    return (gathered * is_asked).sum(dim=-1) / is_asked.sum(dim=-1).clamp(min=1)


def find_followers(tokens: Int[Tensor, "*B N"]) -> Bool[Tensor, "*B N N"]:
    """Say for each query which keys stand right behind an earlier copy of its token.

    Example:
        >>> find_followers(torch.tensor([7, 8, 7]))[2].tolist()
        [False, True, False]
    """
    n = tokens.shape[-1]
    same = tokens[..., :, None] == tokens[..., None, :]
    behind = torch.zeros_like(same)
    behind[..., :, 1:] = same[..., :, :-1]
    return behind & torch.ones(n, n, dtype=torch.bool, device=tokens.device).tril()
