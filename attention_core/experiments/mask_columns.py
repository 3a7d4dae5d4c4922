"""Claim M1: a padding mask hides filler, a causal mask the future; the same scores under each, side by side."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from jaxtyping import Bool, Float
from torch import Tensor

from attention_core.masks import both, causal, full, padding
from attention_core.sharpness import entropy, largest_weight
from attention_core.steps import scaled_dot_product_attention

Kind = Literal["none", "causal", "padding", "causal_padding"]
KINDS: tuple[Kind, ...] = get_args(Kind)
Preset = Literal["encoder", "decoder", "cross"]
# The mask each part of the Transformer needs once sentences are batched.
PRESETS: dict[Preset, Kind] = {"encoder": "padding", "decoder": "causal_padding", "cross": "padding"}


@dataclass(frozen=True, eq=False)
class Column:
    """Attention on a batch under one mask.

    Attributes:
        allowed: Of every sequence, and head where there are heads.
        is_padded: The queries that are filler themselves. No key mask clears their rows: they are shown grey, and
            no mean and no loss may count them.
        sees_nothing: The queries that may see no key; their weights and out are 0.
        n_pairs: Allowed pairs, those of padded queries among them.
        n_real_pairs: Allowed pairs of queries that are no filler.
        mean_entropy: Over the queries that are real and see a key, as is mean_largest_weight; None where no
            query is.
    """

    kind: Kind
    allowed: Bool[Tensor, "*B N M"]
    is_padded: Bool[Tensor, "*B N"]
    sees_nothing: Bool[Tensor, "*B N"]
    n_pairs: int
    n_real_pairs: int
    masked: Float[Tensor, "*B N M"]
    weights: Float[Tensor, "*B N M"]
    row_sums: Float[Tensor, "*B N"]
    out: Float[Tensor, "*B N d_v"]
    mean_entropy: float | None
    mean_largest_weight: float | None


@dataclass(frozen=True, eq=False)
class Difference:
    """What one column has more than another.

    Attributes:
        largest_weight: The largest absolute difference of a real query's weights; NaN where one is.
        largest_out: The same of its output.
        n_pairs: Pairs that one allows and the other does not.
    """

    first: Kind
    second: Kind
    weights: Float[Tensor, "*B N M"]
    out: Float[Tensor, "*B N d_v"]
    largest_weight: float
    largest_out: float
    n_pairs: int


@dataclass(frozen=True)
class Hidden:
    """What real queries give to keys that a mask hides.

    Attributes:
        n_pairs: Pairs of real queries that the mask hides.
        mean: Over the real queries that see a key, the sum of a row's weights on hidden keys; None where no query is.
        largest: The largest such sum.
    """

    n_pairs: int
    mean: float | None
    largest: float | None


def build_mask(
    kind: Kind, n_queries: int, n_keys: int, lengths_of_keys: Sequence[int]
) -> Bool[Tensor, "B N M"]:
    """Build the mask of one kind for a batch.

    Raises:
        ValueError: a kind that is none, or a length that is none.

    Example:
        >>> build_mask("causal_padding", 3, 3, [2]).int().tolist()
        [[[1, 0, 0], [1, 1, 0], [1, 1, 0]]]
    """
    if kind not in KINDS:
        raise ValueError(f"kind must be one of {', '.join(KINDS)}, got {kind}")
    hides_future, hides_filler = "causal" in kind, "padding" in kind
    masks = [causal(n_queries, n_keys) if hides_future else full(n_queries, n_keys)]
    if hides_filler:
        masks.append(padding(lengths_of_keys, n_keys))
    return both(*masks).expand(len(lengths_of_keys), n_queries, n_keys)


def compare_masks(
    q: Float[Tensor, "*B N d_k"],
    k: Float[Tensor, "*B M d_k"],
    v: Float[Tensor, "*B M d_v"],
    lengths_of_keys: Sequence[int],
    kinds: Sequence[Kind] = KINDS,
    *,
    lengths_of_queries: Sequence[int] | None = None,
) -> tuple[Column, ...]:
    """Attend on the same queries, keys and values under several masks.

    Args:
        lengths_of_keys: How many keys of each sequence of the batch are real.
        kinds: One for each column.
        lengths_of_queries: The same for the queries of cross-attention. None: they are the keys' own tokens.

    Returns:
        One column for each kind, in order. Theory: every live row sums to 1 under each; a padded query's too.

    Raises:
        ValueError: as for compute_column.
    """
    return tuple(
        compute_column(q, k, v, lengths_of_keys, kind, lengths_of_queries=lengths_of_queries)
        for kind in kinds
    )


def compute_column(
    q: Float[Tensor, "*B N d_k"],
    k: Float[Tensor, "*B M d_k"],
    v: Float[Tensor, "*B M d_v"],
    lengths_of_keys: Sequence[int],
    kind: Kind,
    *,
    lengths_of_queries: Sequence[int] | None = None,
) -> Column:
    """Attend under one mask.

    Args:
        q: A batch of sequences, or of sequences with heads.

    Raises:
        ValueError: axes or lengths that do not fit, or no lengths of queries where these are not as many as the
            keys and so cannot be the same tokens.

    Example:
        >>> import torch
        >>> zeros, v = torch.zeros(1, 2, 1), torch.tensor([[[1.0], [3.0]]])
        >>> [compute_column(zeros, zeros, v, [2], kind).out.tolist() for kind in ("causal", "padding")]
        [[[[1.0], [2.0]]], [[[2.0], [2.0]]]]

    Source: Vaswani et al. 2017, sections 3.2.3 and 5.1. That a causal mask ties the last query to the last key
        is our choice.
    """
    n_queries, n_keys = q.shape[-2], k.shape[-2]
    if lengths_of_queries is None:
        if n_queries != n_keys:
            raise ValueError(
                "queries that are not the keys' tokens need lengths_of_queries, "
                f"got {n_queries} queries and {n_keys} keys"
            )
        lengths_of_queries = lengths_of_keys
    _check_lengths(q, lengths_of_keys, lengths_of_queries)
    allowed = build_mask(kind, n_queries, n_keys, lengths_of_keys)
    is_padded = ~padding(lengths_of_queries, n_queries)[:, 0]
    if q.ndim == 4:
        allowed, is_padded = allowed[:, None], is_padded[:, None]
    allowed, is_padded = allowed.expand(*q.shape[:-1], n_keys), is_padded.expand(q.shape[:-1])
    trace = scaled_dot_product_attention(q, k, v, allowed=allowed)
    sees_nothing = ~allowed.any(dim=-1)
    counted = trace.weights[~is_padded & ~sees_nothing].double()
    return Column(
        kind=kind,
        allowed=allowed,
        is_padded=is_padded,
        sees_nothing=sees_nothing,
        n_pairs=int(allowed.sum()),
        n_real_pairs=int(allowed[~is_padded].sum()),
        masked=trace.masked,
        weights=trace.weights,
        row_sums=trace.weights.sum(dim=-1),
        out=trace.out,
        mean_entropy=float(entropy(counted).mean()) if counted.numel() else None,
        mean_largest_weight=float(largest_weight(counted).mean()) if counted.numel() else None,
    )


def attend_as(
    preset: Preset,
    q: Float[Tensor, "*B N d_k"],
    k: Float[Tensor, "*B M d_k"],
    v: Float[Tensor, "*B M d_v"],
    lengths_of_keys: Sequence[int],
    *,
    lengths_of_queries: Sequence[int] | None = None,
) -> Column:
    """Attend under the mask that one part of the Transformer needs.

    Args:
        preset: encoder hides the filler, decoder the future too, cross the source's filler from the target.
        lengths_of_keys: Of cross-attention: the source's.
        lengths_of_queries: Of cross-attention: the target's, which must be given.

    Raises:
        ValueError: a preset that is none, cross without lengths of queries or another with them.

    Example:
        >>> import torch
        >>> q, k, v = torch.zeros(1, 2, 1), torch.zeros(1, 3, 1), torch.tensor([[[1.0], [3.0], [100.0]]])
        >>> attend_as("cross", q, k, v, [2], lengths_of_queries=[2]).out.tolist()
        [[[2.0], [2.0]]]
    """
    if preset not in PRESETS:
        raise ValueError(f"preset must be one of {', '.join(PRESETS)}, got {preset}")
    if (preset == "cross") != (lengths_of_queries is not None):
        raise ValueError(f"cross alone has lengths_of_queries, got {preset} and {lengths_of_queries}")
    return compute_column(q, k, v, lengths_of_keys, PRESETS[preset], lengths_of_queries=lengths_of_queries)


def difference(first: Column, second: Column) -> Difference:
    """Subtract one column from another: second − first.

    Raises:
        ValueError: columns of different sizes.
    """
    if first.weights.shape != second.weights.shape or first.out.shape != second.out.shape:
        sizes = [(tuple(column.weights.shape), tuple(column.out.shape)) for column in (first, second)]
        raise ValueError(f"both columns must have the same sizes, got {sizes[0]} and {sizes[1]}")
    weights, out = second.weights - first.weights, second.out - first.out
    is_padded = first.is_padded[..., None]
    return Difference(
        first=first.kind,
        second=second.kind,
        weights=weights,
        out=out,
        largest_weight=_largest(weights.masked_fill(is_padded, 0)),
        largest_out=_largest(out.masked_fill(is_padded, 0)),
        n_pairs=int((first.allowed != second.allowed).sum()),
    )


def weigh_hidden(column: Column, allowed: Bool[Tensor, "*#B #N #M"]) -> Hidden:
    """Say how much weight a column gives to the keys that a mask hides: its own mask, or another one.

    Args:
        allowed: The mask, of the column's sizes or such that it broadcasts to them.

    Returns:
        Theory: 0 where the column's own mask hides them.

    Example:
        >>> import torch
        >>> zeros, v = torch.zeros(1, 4, 1), torch.zeros(1, 4, 1)
        >>> column = compute_column(zeros, zeros, v, [3], "none")
        >>> weigh_hidden(column, padding([3], n_keys=4))
        Hidden(n_pairs=3, mean=0.25, largest=0.25)
    """
    hides = ~allowed.expand(column.allowed.shape)
    counted = ~column.is_padded & ~column.sees_nothing
    given = (column.weights * hides).sum(dim=-1)[counted].double()
    return Hidden(
        n_pairs=int(hides[~column.is_padded].sum()),
        mean=float(given.mean()) if given.numel() else None,
        largest=float(given.max()) if given.numel() else None,
    )


def change_of_out(first: Column, second: Column) -> float:
    """Find the largest absolute change of a real query's output when the amount of filler changes.

    Args:
        first: The same queries as in second, with other filler behind them or none.

    Raises:
        ValueError: columns whose real queries differ in number or whose outputs differ in width.

    Example:
        >>> import torch
        >>> v = torch.tensor([[[1.0], [3.0], [8.0]]])
        >>> alone, filled = (torch.zeros(1, n, 1) for n in (2, 3))
        >>> [
        ...     change_of_out(
        ...         compute_column(alone, alone, v[:, :2], [2], kind),
        ...         compute_column(filled, filled, v, [2], kind),
        ...     )
        ...     for kind in ("none", "padding")
        ... ]
        [2.0, 0.0]
    """
    before, after = (column.out[~column.is_padded] for column in (first, second))
    if before.shape != after.shape:
        sizes = tuple(before.shape), tuple(after.shape)
        raise ValueError(f"both columns need the same real queries, got {sizes[0]} and {sizes[1]}")
    return _largest(after - before)


def _largest(x: Float[Tensor, "..."]) -> float:
    return float(x.abs().max()) if x.numel() else 0.0


def _check_lengths(
    q: Float[Tensor, "*B N d_k"], lengths_of_keys: Sequence[int], lengths_of_queries: Sequence[int]
) -> None:
    """Refuse lengths that are not one for each sequence; their range is checked by padding."""
    if q.ndim not in (3, 4):
        raise ValueError(f"q needs a batch, perhaps heads, positions and width, got {tuple(q.shape)}")
    for name, lengths in (("lengths_of_keys", lengths_of_keys), ("lengths_of_queries", lengths_of_queries)):
        if len(lengths) != q.shape[0]:
            raise ValueError(
                f"{name} needs one length for each of {q.shape[0]} sequences, got {len(lengths)}"
            )
