"""Where a token stands: vectors that are added to the embeddings, one a position."""

import torch
from jaxtyping import Float
from torch import Tensor

BLOCK = 64  # widths are sliced out of blocks this wide, so that a wider model keeps the numbers it had


def no_positions(n: int, d_model: int, *, dtype: torch.dtype = torch.float64) -> Float[Tensor, "N d_model"]:
    """Say nothing about where a token stands.

    Returns:
        Zeros: attention cannot tell one order of the tokens from another.

    Raises:
        ValueError: a negative count or width.

    Example:
        >>> no_positions(1, 2).tolist()
        [[0.0, 0.0]]
    """
    _check_sizes(n, d_model)
    return torch.zeros(n, d_model, dtype=dtype)


def sinusoidal(
    n: int, d_model: int, *, start: int = 0, dtype: torch.dtype = torch.float64
) -> Float[Tensor, "N d_model"]:
    """Mark each position by sines and cosines of ever longer waves.

        positions[p, 2i] = sin(p / 10000^(2i / d_model)),  positions[p, 2i + 1] = cos of the same angle

    Args:
        start: Position of the first row: the number of tokens before it, as in decoding with cached keys.

    Returns:
        Numbers in [−1, 1]. With an even width the product of two rows depends on their distance alone. An odd
        width ends with a sine that has no cosine.

    Raises:
        ValueError: a negative count, width or start.

    Example:
        >>> [round(number, 6) for number in sinusoidal(2, 3)[1].tolist()]
        [0.841471, 0.540302, 0.002154]

    Source: Vaswani et al. 2017, section 3.5. Odd widths are our choice; the paper has none.
    """
    _check_sizes(n, d_model)
    if start < 0:
        raise ValueError(f"start must not be negative, got {start}")
    position = torch.arange(start, start + n, dtype=torch.float64)[:, None]
    pair = torch.arange(d_model, dtype=torch.float64) // 2
    angle = position / 10_000 ** (2 * pair / max(d_model, 1))
    is_even = torch.arange(d_model) % 2 == 0
    return torch.where(is_even, angle.sin(), angle.cos()).to(dtype)


def learned(
    n: int, d_model: int, seed: int, *, dtype: torch.dtype = torch.float64
) -> Float[Tensor, "N d_model"]:
    """Start a table of position vectors that training would change.

    Args:
        seed: The same seed gives the same table, in every process.

    Returns:
        Standard normal numbers: before training a learned position is a random one. More rows or a width that
        stays within the same block keep the numbers that were there.

    Raises:
        ValueError: a negative count or width.

    Example:
        >>> torch.equal(learned(2, 3, seed=7), learned(5, 8, seed=7)[:2, :3])
        True

    Names: `nn.Embedding(n, d_model)` in PyTorch, indexed by position.
    Source: Gehring et al. 2017, section 3.1. The scale is nn.Embedding's default.
    """
    _check_sizes(n, d_model)
    generator = torch.Generator().manual_seed(seed)
    width = -(-d_model // BLOCK) * BLOCK
    return torch.randn(n, width, generator=generator, dtype=torch.float64)[:, :d_model].to(dtype)


def _check_sizes(n: int, d_model: int) -> None:
    """Refuse sizes below zero."""
    if n < 0 or d_model < 0:
        raise ValueError(f"sizes must not be negative, got n={n} and d_model={d_model}")
