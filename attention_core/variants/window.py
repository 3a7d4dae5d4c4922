"""A local window without the N × N scores: chunks as wide as the window, each against itself and its neighbours."""

from dataclasses import dataclass

from jaxtyping import Bool, Float
from torch import Tensor

from attention_core import patterns
from attention_core.chunks import allow_pairs, check_self_attention, cut_near


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
        ValueError: a width below 1, keys or values that are not as many as the queries, shapes that do not fit.

    Example:
        >>> import torch
        >>> x = torch.tensor([[0.0], [0.0], [0.0]])
        >>> attend_window(x, x, torch.tensor([[2.0], [4.0], [8.0]]), 2).out.flatten().tolist()
        [2.0, 3.0, 6.0]

    Cost: scores of N · 2 · width pairs, N · 3 · width where it looks ahead too; N filled up to whole chunks.
    Source: Beltagy et al. 2020, section 3.1 and appendix A (chunks).
    """
    rule, (N, device) = patterns.window(width, is_causal=is_causal), check_self_attention(q, k, v)
    pieces = cut_near(N, width, is_causal=is_causal)
    allowed = allow_pairs(rule, pieces.positions(device), pieces.beside_positions(device), N)
    return WindowTrace(width, allowed, *pieces.attend(q, k, v, allowed))
