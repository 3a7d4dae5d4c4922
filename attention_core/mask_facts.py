"""What a mask costs and hides, and how far its queries see through several layers."""

from dataclasses import dataclass

import torch
from jaxtyping import Bool, Int
from torch import Tensor

from attention_core.patterns import check_side


@dataclass(frozen=True)
class MaskFacts:
    """What can be counted on one mask.

    Attributes:
        pairs: Pairs that are allowed.
        share: pairs / (N · M); 0 where there is no pair at all.
        largest_row: The most keys that one query sees.
        blind: Queries that see no key.
        unseen: Keys that no query sees.
        dense_flops: What is computed when every pair is, and the mask hides some afterwards.
        useful_flops: What the allowed pairs alone need.
    """

    n_queries: int
    n_keys: int
    pairs: int
    share: float
    largest_row: int
    blind: tuple[int, ...]
    unseen: tuple[int, ...]
    dense_flops: int
    useful_flops: int


def measure_mask(allowed: Bool[Tensor, "N M"], d_k: int, d_v: int) -> MaskFacts:
    """Count what a mask allows, whom it leaves out and what it saves.

        dense_flops = 2 · N · M · (d_k + d_v),  useful_flops = 2 · pairs · (d_k + d_v)

    Args:
        allowed: True where query n may see key m.
        d_k: Width of one head's queries and keys.
        d_v: Width of one head's values.

    Raises:
        ValueError: a mask with a side above MAX_SIDE, or a width below 1.

    Example:
        >>> facts = measure_mask(torch.ones(4, 4, dtype=torch.bool).tril(), d_k=2, d_v=3)
        >>> facts.pairs, facts.largest_row, facts.dense_flops, facts.useful_flops
        (10, 4, 160, 100)

    Cost: of one head; the products q kᵀ and weights · v, a multiply-add as 2 FLOPs. Softmax, scale and mask are
        not counted.
    """
    if d_k < 1 or d_v < 1:
        raise ValueError(f"widths must be at least 1, got d_k={d_k} and d_v={d_v}")
    N, M = allowed.shape
    check_side(N, M)
    in_row, in_column = allowed.sum(dim=-1), allowed.sum(dim=-2)
    pairs = int(in_row.sum())
    return MaskFacts(
        n_queries=N,
        n_keys=M,
        pairs=pairs,
        share=pairs / (N * M) if N * M else 0.0,
        largest_row=int(in_row.max()) if N else 0,
        blind=tuple((in_row == 0).nonzero().flatten().tolist()),
        unseen=tuple((in_column == 0).nonzero().flatten().tolist()),
        dense_flops=2 * N * M * (d_k + d_v),
        useful_flops=2 * pairs * (d_k + d_v),
    )


def influence_of_one_layer(allowed: Bool[Tensor, "N N"], *, has_residual: bool) -> Bool[Tensor, "N N"]:
    """Say which input each output of one layer may depend on.

        one[n, m] = allowed[n, m]  or n = m where there is a residual, or where the query sees two keys or more

    Args:
        allowed: True where query n may see key m.
        has_residual: The layer adds its input to its output.

    Returns:
        The mask, and more of its diagonal. A query whose mask hides itself still chooses the weights, and so moves
            its own output, as soon as it has two keys to choose from.

    Raises:
        ValueError: a mask that is not square, or too large.

    Example:
        >>> before = torch.ones(3, 3, dtype=torch.bool).tril(-1)
        >>> influence_of_one_layer(before, has_residual=False).int().tolist()
        [[0, 0, 0], [1, 0, 0], [1, 1, 1]]
    """
    _check_square(allowed)
    own = torch.eye(len(allowed), dtype=torch.bool, device=allowed.device)
    return allowed | own if has_residual else allowed | (own & (allowed.sum(dim=-1, keepdim=True) >= 2))


def reach(allowed: Bool[Tensor, "N N"], n_layers: int, *, has_residual: bool) -> Bool[Tensor, "N N"]:
    """Say which inputs each output may depend on after several layers with one mask.

        reached = one^n_layers,  a power of boolean matrices: a product is an or of ands

    Args:
        allowed: True where query n may see key m, in every layer.
        n_layers: 0 leaves each position to itself.
        has_residual: Each layer adds its input to its output, as layers of a transformer do.

    Returns:
        True where a chain of n_layers steps leads from query n to key m. With a causal window of w and L layers a
            row holds L · (w − 1) + 1 keys, fewer at the start. False is certain: no input moves what it cannot
            reach. True is a may: values that happen to be equal, or weights that are 0, can undo it.

    Raises:
        ValueError: a mask that is not square or too large, or a negative number of layers.

    Example:
        >>> next_but_one = torch.ones(4, 4, dtype=torch.bool).tril().triu(-1)
        >>> reach(next_but_one, 2, has_residual=True).int().tolist()
        [[1, 0, 0, 0], [1, 1, 0, 0], [1, 1, 1, 0], [0, 1, 1, 1]]

    Cost: at most 2·⌊log₂ n_layers⌋ products of 2·N³ FLOPs; none is made once a power repeats itself.
    """
    _check_layers(n_layers)
    power = influence_of_one_layer(allowed, has_residual=has_residual)
    reached = None
    while n_layers:
        if n_layers & 1:
            reached = power if reached is None else _compose(reached, power)
        n_layers >>= 1
        if n_layers:
            squared = _compose(power, power)
            if torch.equal(squared, power):
                return power if reached is None else _compose(reached, power)
            power = squared
    return torch.eye(len(allowed), dtype=torch.bool, device=allowed.device) if reached is None else reached


def may_influence(
    allowed: Bool[Tensor, "N N"], query: int, key: int, n_layers: int, *, has_residual: bool
) -> bool:
    """Say whether a query's output may depend on the input at a key's position after several layers.

    Args:
        has_residual: Each layer adds its input to its output.

    Raises:
        ValueError: a mask that is not square or too large, a position outside it, a negative number of layers.

    Example:
        >>> causal = torch.ones(4, 4, dtype=torch.bool).tril()
        >>> may_influence(causal, 3, 0, 1, has_residual=True), may_influence(causal, 0, 3, 9, has_residual=True)
        (True, False)

    Cost: N² steps a layer, instead of the N³ of the whole matrix.
    """
    N = len(allowed)
    if not (0 <= query < N and 0 <= key < N):
        raise ValueError(f"positions must lie within 0 and {N - 1}, got query={query} and key={key}")
    return bool(reach_of_query(allowed, query, n_layers, has_residual=has_residual)[key])


def reach_of_query(
    allowed: Bool[Tensor, "N N"], query: int, n_layers: int, *, has_residual: bool
) -> Bool[Tensor, " N"]:
    """Say which inputs one query's output may depend on after several layers: a row of `reach`.

    Args:
        has_residual: Each layer adds its input to its output.

    Raises:
        ValueError: a mask that is not square or too large, a position outside it, a negative number of layers.

    Example:
        >>> next_but_one = torch.ones(4, 4, dtype=torch.bool).tril().triu(-1)
        >>> reach_of_query(next_but_one, 3, 2, has_residual=True).int().tolist()
        [0, 1, 1, 1]

    Cost: N² steps a layer, instead of the N³ of the whole matrix.
    """
    _check_layers(n_layers)
    one = influence_of_one_layer(allowed, has_residual=has_residual)
    row = _at(query, len(one)).to(one.device)
    for _ in range(n_layers):
        further = one[row].any(dim=0)
        if torch.equal(further, row):
            break
        row = further
    return row


def layers_until(allowed: Bool[Tensor, "N N"], query: int, key: int, *, has_residual: bool) -> int | None:
    """Count the fewest layers, at least one, after which a query's output may depend on the input at a key.

    Args:
        has_residual: Each layer adds its input to its output.

    Returns:
        None where no number of layers is enough.

    Raises:
        ValueError: a mask that is not square or too large, a position outside it.

    Example:
        >>> next_but_one = torch.ones(4, 4, dtype=torch.bool).tril().triu(-1)
        >>> layers_until(next_but_one, 3, 0, has_residual=True)
        3
        >>> layers_until(next_but_one, 0, 3, has_residual=True) is None
        True

    Cost: N² steps in all, for every row is followed once.
    """
    one = influence_of_one_layer(allowed, has_residual=has_residual)
    fresh, goal = (_at(position, len(one)).to(one.device) for position in (query, key))
    seen = torch.zeros_like(fresh)
    n_layers = 0
    while fresh.any():
        n_layers += 1
        fresh = one[fresh].any(dim=0) & ~seen
        if fresh[goal].any():
            return n_layers
        seen |= fresh
    return None


def field_sizes(allowed: Bool[Tensor, "N N"], n_layers: int, *, has_residual: bool) -> Int[Tensor, " N"]:
    """Count the inputs that each output may depend on after several layers: its receptive field.

    Args:
        has_residual: Each layer adds its input to its output.

    Raises:
        ValueError: a mask that is not square or too large, or a negative number of layers.

    Example:
        >>> next_but_one = torch.ones(4, 4, dtype=torch.bool).tril().triu(-1)
        >>> field_sizes(next_but_one, 2, has_residual=True).tolist()
        [1, 2, 3, 3]
    """
    return reach(allowed, n_layers, has_residual=has_residual).sum(dim=-1)


def causal_window_field(width: int, n_layers: int) -> int:
    """Work out how many inputs a late position sees through layers with one causal window.

        n_layers · (width − 1) + 1

    Args:
        width: Keys in the window, the query itself counted.

    Returns:
        The size where nothing caps it; position n has at most n + 1 inputs before it and its own.

    Raises:
        ValueError: a width below 1 or a negative number of layers.

    Example:
        >>> causal_window_field(3, 4)
        9

    Source: Jiang et al. 2023 (Mistral 7B), section 2, sliding window attention: there the window does not count
        the query itself, and the reach is n_layers · width.
    """
    _check_layers(n_layers)
    if width < 1:
        raise ValueError(f"width counts the query itself and must be at least 1, got {width}")
    return n_layers * (width - 1) + 1


def _at(position: int, N: int) -> Bool[Tensor, " N"]:
    """Mark one position."""
    if not 0 <= position < N:
        raise ValueError(f"positions must lie within 0 and {N - 1}, got {position}")
    return torch.arange(N) == position


def _compose(later: Bool[Tensor, "N N"], earlier: Bool[Tensor, "N N"]) -> Bool[Tensor, "N N"]:
    """Join two layers' reaches: an output depends on an input when any position leads from one to the other."""
    # A count of at most MAX_SIDE ways, which float32 holds exactly and its fast product gives.
    return (later.float() @ earlier.float()) > 0.5


def _check_square(allowed: Bool[Tensor, "..."]) -> None:
    """Refuse a mask through which outputs cannot be the next layer's inputs."""
    if allowed.ndim != 2 or allowed.shape[0] != allowed.shape[1]:
        raise ValueError(f"layers on one another need as many keys as queries, got {tuple(allowed.shape)}")
    check_side(*allowed.shape)


def _check_layers(n_layers: int) -> None:
    """Refuse a number of layers that cannot be counted."""
    if n_layers < 0:
        raise ValueError(f"n_layers must not be negative, got {n_layers}")
