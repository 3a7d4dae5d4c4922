"""Who may see whom: bool masks, True where a query may see a key."""

from collections.abc import Callable, Sequence
from functools import reduce

import torch
from jaxtyping import Bool, Int
from torch import Tensor

from attention_core import patterns
from attention_core.patterns import count_sides, place_sides


def full(
    n_queries: int, n_keys: int | None = None, *, device: torch.device | str | None = None
) -> Bool[Tensor, "N M"]:
    """Let every query see every key.

    Args:
        n_keys: None for as many keys as queries.

    Raises:
        ValueError: a negative count.

    Example:
        >>> full(1, 3).tolist()
        [[True, True, True]]
    """
    n_queries, n_keys = count_sides(n_queries, n_keys)
    return torch.ones(n_queries, n_keys, dtype=torch.bool, device=device)


def causal(
    n_queries: int,
    n_keys: int | None = None,
    offset: int | None = None,
    *,
    device: torch.device | str | None = None,
) -> Bool[Tensor, "N M"]:
    """Hide the future: a query sees the keys up to its own position.

        allowed[n, m] = m ≤ n + offset

    Args:
        n_keys: None for as many keys as queries.
        offset: Position of the first query among the keys. None means M − N: the last query sees every key,
            as in decoding with cached keys. 0 ties query 0 to key 0, as `is_causal=True` of PyTorch does.

    Returns:
        A mask whose first −offset rows see nothing where the offset is negative.

    Raises:
        ValueError: a negative count.

    Example:
        >>> causal(2, 3).int().tolist()
        [[1, 1, 0], [1, 1, 1]]
        >>> causal(2, 3, offset=0).int().tolist()
        [[1, 0, 0], [1, 1, 0]]

    Source: Vaswani et al. 2017, section 3.2.3. The corner for N ≠ M is our choice: decoding needs it.
    """
    return patterns.causal()(*place_sides(n_queries, n_keys, offset, device))


def window(
    n_queries: int,
    n_keys: int,
    width: int,
    offset: int | None = None,
    *,
    is_causal: bool = False,
    device: torch.device | str | None = None,
) -> Bool[Tensor, "N M"]:
    """Let a query see only the keys near its own position.

        allowed[n, m] = |m − (n + offset)| < width,  and m ≤ n + offset where causal

    Args:
        width: How many keys to one side, the query's own position counted. 1 is only itself.
        offset: Position of the first query among the keys; None means M − N.
        is_causal: Hides the side of the future.

    Returns:
        Rows with 2·width − 1 keys, width where causal, fewer at the ends.

    Raises:
        ValueError: a width below 1 or a negative count.

    Example:
        >>> window(4, 4, 2).int().tolist()
        [[1, 1, 0, 0], [1, 1, 1, 0], [0, 1, 1, 1], [0, 0, 1, 1]]
        >>> window(4, 4, 2, is_causal=True).sum(dim=-1).tolist()
        [1, 2, 2, 2]

    Names: ONNX's `left_window_size`, flash-attn's `window_size` do not count the query itself: width − 1.
    Source: Beltagy et al. 2020, section 3.1.
    """
    rule = patterns.window(width, is_causal=is_causal)
    return rule(*place_sides(n_queries, n_keys, offset, device))


def padding(
    lengths: Int[Tensor, "*B"] | Sequence[int],
    n_keys: int,
    *,
    device: torch.device | str | None = None,
) -> Bool[Tensor, "*B 1 M"]:
    """Hide the filler behind each sequence's own keys, from every query alike.

        allowed[b, 0, m] = m < lengths[b]

    Args:
        lengths: How many keys of each sequence are real, in one axis or more. For scores with heads give them
            a second axis of size 1; without it the batch would stand where the heads are.
        device: None for where the lengths are.

    Returns:
        One row for all queries. A length of 0 hides every key.

    Raises:
        ValueError: lengths that are no integers, below 0 or above n_keys.

    Example:
        >>> padding([2, 3], n_keys=3).int().tolist()
        [[[1, 1, 0]], [[1, 1, 1]]]
    """
    lengths = torch.as_tensor(lengths, device=device)
    if lengths.numel() == 0:
        lengths = lengths.long()
    if lengths.is_floating_point() or lengths.is_complex() or lengths.dtype == torch.bool:
        raise ValueError(f"lengths must be integers, got {lengths.dtype}")
    _, n_keys = count_sides(0, n_keys)
    if lengths.numel() and not lengths.is_meta:
        shortest, longest = int(lengths.min()), int(lengths.max())
        if shortest < 0 or longest > n_keys:
            raise ValueError(f"lengths must lie within 0 and n_keys={n_keys}, got {shortest} to {longest}")
    return torch.arange(n_keys, device=lengths.device) < lengths[..., None, None]


def both(*masks: Bool[Tensor, "..."]) -> Bool[Tensor, "..."]:
    """Let a query see a key where every one of the masks lets it.

    Raises:
        ValueError: no mask, one that is not bool, or shapes that do not broadcast.

    Example:
        >>> both(causal(3), padding([2], n_keys=3)).int().tolist()
        [[[1, 0, 0], [1, 1, 0], [1, 1, 0]]]
    """
    return _combined(torch.logical_and, masks)


def either(*masks: Bool[Tensor, "..."]) -> Bool[Tensor, "..."]:
    """Let a query see a key where at least one of the masks lets it.

    Raises:
        ValueError: no mask, one that is not bool, or shapes that do not broadcast.

    Example:
        >>> either(causal(2), window(2, 2, 1)).int().tolist()
        [[1, 0], [1, 1]]
    """
    return _combined(torch.logical_or, masks)


def _combined(
    operation: Callable[..., Bool[Tensor, "..."]], masks: tuple[Bool[Tensor, "..."], ...]
) -> Bool[Tensor, "..."]:
    """Combine masks two at a time."""
    if not masks:
        raise ValueError("at least one mask is needed, got 0")
    for mask in masks:
        if not isinstance(mask, Tensor) or mask.dtype != torch.bool:
            raise ValueError(f"a mask must be bool, True = may see, got {getattr(mask, 'dtype', type(mask))}")
    try:
        return reduce(operation, masks)
    except RuntimeError as error:
        raise ValueError(f"masks must broadcast, got {[tuple(mask.shape) for mask in masks]}") from error
