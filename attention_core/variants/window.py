"""A local window without the N × N scores: chunks as wide as the window, each against itself and its neighbours."""

import math
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float
from torch import Tensor

from attention_core.steps import mix, scale_scores, score, softmax_rows


@dataclass(frozen=True, eq=False)
class WindowTrace:
    """What attention in chunks leaves behind.

    Attributes:
        width: Keys to one side, the query itself counted; also the length of a chunk.
        allowed: Which pair of a chunk's query and a key beside it is one of the window, and none of the filling.
        weights: Of each chunk's queries over the keys of the chunks beside it; filled up to whole chunks.
    """

    width: int
    allowed: Bool[Tensor, "chunks width span"]
    weights: Float[Tensor, "*B chunks width span"]
    out: Float[Tensor, "*B N d_v"]


def attend_window(
    q: Float[Tensor, "*B N d_k"],
    k: Float[Tensor, "*B N d_k"],
    v: Float[Tensor, "*B N d_v"],
    width: int,
    *,
    is_causal: bool = True,
) -> WindowTrace:
    """Attend to the keys near a query's own position, and compute no scores but those of neighbouring chunks.

        weights[n, m] = softmax over |n − m| < width (m ≤ n where causal) of q_n · k_m / √d_k

    Args:
        width: How many keys to one side, the query's own position counted. 1 is only itself.

    Returns:
        Exactly what dense attention gives with the mask `window(width)`.

    Raises:
        ValueError: a width below 1, or keys or values that are not as many as the queries.

    Example:
        >>> x = torch.tensor([[0.0], [0.0], [0.0]])
        >>> attend_window(x, x, torch.tensor([[2.0], [4.0], [8.0]]), 2).out.flatten().tolist()
        [2.0, 3.0, 6.0]

    Cost: scores of N · 2 · width pairs, N · 3 · width where it looks ahead too; N filled up to whole chunks.
    Source: Beltagy et al. 2020, section 3.1 and appendix A (chunks).
    """
    *_, N, d_k = q.shape
    if width < 1:
        raise ValueError(f"width counts the query itself and must be at least 1, got {width}")
    if not k.shape[-2] == v.shape[-2] == N:
        raise ValueError(
            f"there must be as many keys and values as queries, got {N}, {k.shape[-2]} and {v.shape[-2]}"
        )
    size = max(1, min(width, N))
    sides = (1, 0) if is_causal else (1, 1)
    allowed = _allowed(N, size, width, sides, q.device)
    scaled = scale_scores(score(_chunks(q, size), _beside(k, size, sides)), d_k**-0.5)
    weights = softmax_rows(scaled.masked_fill(~allowed, -math.inf), allowed)
    out = mix(weights, _beside(v, size, sides)).flatten(-3, -2)[..., :N, :]
    return WindowTrace(width, allowed, weights, out)


def _chunks(x: Float[Tensor, "*B N d_v"], size: int) -> Float[Tensor, "*B chunks width d_v"]:
    """Cut positions into chunks; the last is filled with zeros."""
    filled = F.pad(x, (0, 0, 0, -x.shape[-2] % size))
    return filled.unflatten(-2, (-1, size))


def _beside(
    x: Float[Tensor, "*B N d_v"], size: int, sides: tuple[int, int]
) -> Float[Tensor, "*B chunks span d_v"]:
    """Put each chunk between as many of its neighbours; where there is none stand zeros."""
    chunks = _chunks(x, size)
    n_chunks = chunks.shape[-3]
    padded = F.pad(chunks, (0, 0, 0, 0, *sides))
    return torch.cat([padded[..., start : start + n_chunks, :, :] for start in range(sum(sides) + 1)], dim=-2)


def _allowed(
    n: int, size: int, width: int, sides: tuple[int, int], device: torch.device
) -> Bool[Tensor, "chunks width span"]:
    """Say which pairs belong to the window; filling beyond the last position sees nothing and is not seen."""
    start = torch.arange(0, max(n, 1), size, device=device)[:, None, None]
    query = start + torch.arange(size, device=device)[:, None]
    key = start + torch.arange(-size * sides[0], size * (1 + sides[1]), device=device)
    is_near = (query - key < width) & (key - query < (width if sides[1] else 1))
    return is_near & (key >= 0) & (key < n) & (query < n)
