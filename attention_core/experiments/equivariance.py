"""Claim P6: without positions and without a causal mask, shuffling the words only shuffles the result."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from attention_core.single_head import Positions, apply_edits, draw_position, trace_single_head

# Rounding moves a float64 result by some 1e-15; a real difference is far above this.
ROUNDING = 1e-9


@dataclass(frozen=True)
class Equivariance:
    """What shuffling did in one setting.

    Attributes:
        output_difference: Largest |output of the shuffled words − shuffled output|.
        weights_difference: The same of the weights, rows and columns shuffled.
        is_equivariant: Both differences are no more than rounding.
    """

    positions: Positions
    is_causal: bool
    output_difference: float
    weights_difference: float
    is_equivariant: bool


def shuffle(n: int, seed: int) -> tuple[int, ...]:
    """Draw an order of n places that is not the order they have, where there is another.

    Returns:
        The old place of each new place.

    Example:
        >>> sorted(shuffle(4, seed=0)), shuffle(2, seed=0), shuffle(1, seed=0)
        ([0, 1, 2, 3], (1, 0), (0,))
    """
    order = torch.randperm(n, generator=torch.Generator().manual_seed(seed)).tolist()
    if order == sorted(order):
        order = order[1:] + order[:1]
    return tuple(order)


def arrange(
    embedding: Float[Tensor, "N d_model"],
    position: Float[Tensor, "N d_model"],
    order: Sequence[int],
    edits: Mapping[tuple[int, int], float] | None = None,
) -> Float[Tensor, "N d_model"]:
    """Put the words in another order and add the positions, which stay.

    Args:
        order: The old place of each new place, each once.
        edits: Numbers written over x, by old row and column: they move with their word.

    Returns:
        x of the words in that order.
    """
    places = list(order)
    moved = {(places.index(row), column): value for (row, column), value in (edits or {}).items()}
    return apply_edits(embedding[places] + position, moved).matrix


def measure_equivariance(
    embedding: Float[Tensor, "N d_model"],
    matrices: Mapping[str, Float[Tensor, "..."]],
    order: Sequence[int],
    *,
    seed: int = 0,
    edits: Mapping[tuple[int, int], float] | None = None,
    positions: Sequence[Positions] = ("none", "sinusoidal", "learned"),
) -> tuple[Equivariance, ...]:
    """Shuffle the words and compare, for each kind of positions, without and with the causal mask.

    Args:
        matrices: w_q, w_k, w_v and w_o, edits included.
        order: The old place of each new place, each once.
        seed: For learned positions.
        edits: Numbers written over x, as for `arrange`.

    Returns:
        Theory: no difference without positions and mask; in every other setting a real one, even where words of
        equal text change places, because a place has its own position or sees its own keys.

    Raises:
        ValueError: order does not name each place once.

    Source: the symmetry is that of a set; Vaswani et al. 2017, section 3.5, gives it as the reason for positions.
    """
    n, d_model = embedding.shape
    order = list(order)
    if sorted(order) != list(range(n)):
        raise ValueError(f"order must name each place from 0 to {n - 1} once, got {order}")
    records = []
    for kind in positions:
        position = draw_position(kind, n, d_model, seed).to(embedding.dtype)
        xs = [arrange(embedding, position, places, edits) for places in (range(n), order)]
        for is_causal in (False, True):
            trace, shuffled = (trace_single_head({**matrices, "x": x}, is_causal=is_causal) for x in xs)
            output = _largest(shuffled.projected - trace.projected[order])
            weights = _largest(shuffled.weights - trace.weights[order][:, order])
            records.append(Equivariance(kind, is_causal, output, weights, max(output, weights) <= ROUNDING))
    return tuple(records)


def _largest(difference: Float[Tensor, "..."]) -> float:
    return float(difference.abs().max()) if difference.numel() else 0.0
