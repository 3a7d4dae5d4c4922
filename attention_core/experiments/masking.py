"""Claims M2 and M3: a mask goes in as −∞ before softmax; other ways leak, and a leak can be measured."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from attention_core.components import DTYPES, DTypeName
from attention_core.experiments.blind_rows import (
    ATTENDS,
    Kernel,
    Masked,
    expand_mask,
    mask_by_adding,
    mask_by_filling,
    scale_products,
)
from attention_core.steps import mask_scores, softmax_rows

Way = Literal["minus_inf", "fill_1e9", "add_1e9", "dtype_min", "zero", "after_softmax", "renormalised"]
WAYS: tuple[Way, ...] = get_args(Way)
Part = Literal["both", "k", "v"]
Move = Literal["still", "rounding", "moved", "inf", "nan", "was_nan"]
Fault = Literal["refused", "nan", "hidden", "sums"]
# In steps between neighbouring numbers near the largest value: what another order of the same sum may change.
ROUNDING = 4
# Of outputs of unit normal draws, in the same steps: far above rounding, far below the smallest weight that counts.
TOLERANCE = 1024
UNMOVED: tuple[Move, ...] = ("still", "rounding", "was_nan")


@dataclass(frozen=True, eq=False)
class WayRecord:
    """One way of applying a mask, in one type, on given queries and keys.

    Attributes:
        masked: The scores that softmax got; None where torch refused, as are the four after it.
        row_sums: Of the weights; 1 where a way is right and the query sees a key.
        largest_hidden_weight: The largest on a pair that is hidden, NaN where one is; 0 where none is hidden.
        weights_difference: The largest from those of minus_inf in float64; None where a weight is no number.
        out_difference: The same for out.
        refused: What torch said instead of answering.
    """

    way: Way
    dtype: DTypeName
    masked: Float[Tensor, "*B N M"] | None
    weights: Float[Tensor, "*B N M"] | None
    row_sums: Float[Tensor, "*B N"] | None
    out: Float[Tensor, "*B N d_v"] | None
    largest_hidden_weight: float | None
    weights_difference: float | None
    out_difference: float | None
    refused: str | None


@dataclass(frozen=True, eq=False)
class Leak:
    """How far each query's output moves when one key's token changes.

    Attributes:
        change: What was added to each component of the key's rows.
        moved: The largest change of each output's components; ∞ or NaN where the new output holds one, NaN where the
            output was NaN before.
        moves: The same in words: still is exactly 0; rounding cannot be told from another order of the sum; was_nan
            is an output that was NaN before and is still, which is neither still nor moved.
        scores: Of each query with the changed key, scaled, before any mask.
        is_hidden: Which queries may not see the key.
        leaks: The queries that may not see the key and moved, by more than rounding.
        refused: What torch said instead of answering; then nothing moved.
    """

    way: Way | Kernel
    dtype: DTypeName
    key: int
    change: float
    part: Part
    moved: Float[Tensor, " N"]
    moves: tuple[Move, ...]
    scores: Float[Tensor, " N"]
    is_hidden: tuple[bool, ...]
    leaks: tuple[int, ...]
    refused: str | None


@dataclass(frozen=True)
class Leaks:
    """Where a way of attending does not do what a mask says.

    Attributes:
        leaking: Pairs (query, key) that influence although they are hidden.
        missing: Pairs that are allowed, and do not influence. A query whose output is NaN before a change and after
            shows neither.
        without_numbers: Queries whose output is no number before anything is changed.
    """

    leaking: tuple[tuple[int, int], ...]
    missing: tuple[tuple[int, int], ...]
    without_numbers: tuple[int, ...]


def mask_by_minus_inf(scaled: Float[Tensor, "*B N M"], allowed: Bool[Tensor, "*#B #N #M"]) -> Masked:
    """Replace hidden scores by −∞; a query that sees nothing gets zeros."""
    masked = mask_scores(scaled, allowed)
    return masked, softmax_rows(masked, allowed)


def mask_by_dtype_min(scaled: Float[Tensor, "*B N M"], allowed: Bool[Tensor, "*#B #N #M"]) -> Masked:
    """Replace hidden scores by the most negative number of their type."""
    masked = scaled.masked_fill(~allowed, torch.finfo(scaled.dtype).min)
    return masked, masked.softmax(dim=-1)


def mask_by_zero(scaled: Float[Tensor, "*B N M"], allowed: Bool[Tensor, "*#B #N #M"]) -> Masked:
    """Multiply the scores by the mask. Wrong: a hidden score of 0 still has e⁰ = 1."""
    masked = scaled * allowed
    return masked, masked.softmax(dim=-1)


def mask_after_softmax(scaled: Float[Tensor, "*B N M"], allowed: Bool[Tensor, "*#B #N #M"]) -> Masked:
    """Multiply the weights by the mask. Wrong: hidden keys had their share of each row's sum."""
    return scaled, scaled.softmax(dim=-1) * allowed


def mask_and_renormalise(scaled: Float[Tensor, "*B N M"], allowed: Bool[Tensor, "*#B #N #M"]) -> Masked:
    """Multiply the weights by the mask and divide by what is left; 0/0 where nothing is."""
    weights = scaled.softmax(dim=-1) * allowed
    return scaled, weights / weights.sum(dim=-1, keepdim=True)


MASKS_BY: dict[Way, Callable[..., Masked]] = {
    "minus_inf": mask_by_minus_inf,
    "fill_1e9": mask_by_filling,
    "add_1e9": mask_by_adding,
    "dtype_min": mask_by_dtype_min,
    "zero": mask_by_zero,
    "after_softmax": mask_after_softmax,
    "renormalised": mask_and_renormalise,
}


def apply_way(
    scaled: Float[Tensor, "*B N M"], allowed: Bool[Tensor, "*#B #N #M"], way: Way
) -> Float[Tensor, "*B N M"]:
    """Turn scaled scores into weights, with the mask applied in one of several ways.

    Args:
        allowed: True where query n may see key m.

    Returns:
        Weights in the type of scaled.

    Raises:
        ValueError: a way that is none.
        RuntimeError: torch's own, where it refuses.

    Example:
        >>> scaled, allowed = torch.zeros(1, 4), torch.tensor([[True, True, False, False]])
        >>> [apply_way(scaled, allowed, way).tolist()[0] for way in ("minus_inf", "zero", "after_softmax")]
        [[0.5, 0.5, 0.0, 0.0], [0.25, 0.25, 0.25, 0.25], [0.25, 0.25, 0.0, 0.0]]
    """
    return _masks_by(way)(scaled, allowed)[1]


def attend_by(way: Way | Kernel) -> Callable[..., Float[Tensor, "N d_v"]]:
    """Give the attention that masks in one way, or the library's, as a function of q, k, v and allowed.

    Raises:
        ValueError: a way that is none.
    """
    if way in MASKS_BY:
        return lambda q, k, v, allowed: apply_way(scale_products(q, k), allowed, way) @ v
    if way not in ATTENDS:
        raise ValueError(f"way must be one of {', '.join((*MASKS_BY, *ATTENDS))}, got {way}")
    return lambda q, k, v, allowed: ATTENDS[way](q, k, v, allowed)[0]


def compare_ways(
    q: Float[Tensor, "*B N d_k"],
    k: Float[Tensor, "*B M d_k"],
    v: Float[Tensor, "*B M d_v"],
    allowed: Bool[Tensor, "*#B #N #M"],
    dtype: DTypeName = "float64",
    ways: tuple[Way, ...] = WAYS,
) -> tuple[WayRecord, ...]:
    """Apply one mask to the same scores in several ways, in one type.

    Args:
        allowed: True where query n may see key m.
        dtype: The type in which all is computed, scores and softmax too, as a model in that type does.

    Returns:
        One record for each way, in order. Theory: as long as scores are small beside the penalty, minus_inf,
        fill_1e9, add_1e9 and dtype_min agree wherever a query sees a key; zero and after_softmax do not.

    Raises:
        ValueError: a way that is none.

    Example:
        >>> one, keys = torch.ones(1, 1), torch.tensor([[0.0], [0.0]])
        >>> hidden = torch.tensor([[True, False]])
        >>> [record.largest_hidden_weight for record in compare_ways(one, keys, keys, hidden)]
        [0.0, 0.0, 0.0, 0.0, 0.5, 0.0, 0.0]

    Source: Vaswani et al. 2017, section 3.2.3.
    """
    exact = apply_way(scale_products(q.double(), k.double()), allowed, "minus_inf")
    expected = exact, exact @ v.double()
    q, k, v = (x.to(DTYPES[dtype]) for x in (q, k, v))
    scaled = scale_products(q, k)
    return tuple(_record(way, dtype, scaled, v, allowed, expected) for way in ways)


def name_fault(record: WayRecord, allowed: Bool[Tensor, "*#B #N #M"]) -> Fault | None:
    """Name what is wrong with a way's weights, the first that applies.

    Args:
        record: Of compare_ways with this mask.

    Returns:
        refused by torch; nan, a weight that is no number; hidden, a hidden pair has weight; sums, the row of a query
            that sees a key does not sum to 1, by more than rounding. None where all is right.

    Example:
        >>> one, keys, hidden = torch.ones(1, 1), torch.zeros(2, 1), torch.tensor([[True, False]])
        >>> records = compare_ways(one, keys, keys, hidden, ways=("minus_inf", "zero", "after_softmax"))
        >>> [name_fault(record, hidden) for record in records]
        [None, 'hidden', 'sums']
    """
    if record.weights is None or record.row_sums is None:
        return "refused"
    if bool(record.weights.isnan().any()):
        return "nan"
    if record.largest_hidden_weight:
        return "hidden"
    sees_a_key = allowed.expand_as(record.weights).any(dim=-1)
    off = (record.row_sums[sees_a_key] - 1).abs()
    return "sums" if bool((off > ROUNDING * torch.finfo(record.weights.dtype).eps).any()) else None


def measure_leak(
    q: Float[Tensor, "N d_k"],
    k: Float[Tensor, "M d_k"],
    v: Float[Tensor, "M d_v"],
    allowed: Bool[Tensor, "#N #M"],
    way: Way | Kernel,
    dtype: DTypeName = "float64",
    *,
    key: int,
    change: float | int,
    part: Part = "both",
) -> Leak:
    """Change one key's token and measure how far each query's output moves.

        moved[n] = maxᵢ |out′[n, i] − out[n, i]|,  where k′[key] = k[key] + change and v′[key] = v[key] + change

    Args:
        way: One of WAYS or of KERNELS.
        change: Finite, ±∞ or NaN. In a type that cannot hold it, it is ±∞.
        part: Change only the key's row of k, or only that of v.

    Returns:
        Theory: with minus_inf exactly 0 for each query that may not see the key, for every finite change.
        A NaN or ∞ in a hidden row of v reaches every query of every dense kernel, since 0 · NaN is NaN; one in k
        reaches those that add their mask, since NaN − ∞ is NaN, and not those that fill. ∞ in k makes a score −∞, ∞
        or NaN by the signs in the query; −∞ does not pass where a mask is added either.

    Raises:
        ValueError: a key that is none, a way that is none, or a mask that does not broadcast.

    Example:
        >>> one, keys = torch.ones(2, 1), torch.tensor([[1.0], [2.0]])
        >>> allowed = torch.ones(2, 2, dtype=torch.bool).tril()
        >>> [measure_leak(one, keys, keys, allowed, "minus_inf", key=1, change=x).moves for x in (3, math.nan)]
        [('still', 'moved'), ('nan', 'nan')]
    """
    return measure_leaks(q, k, v, allowed, (way,), dtype, key=key, change=change, part=part)[0]


def measure_leaks(
    q: Float[Tensor, "N d_k"],
    k: Float[Tensor, "M d_k"],
    v: Float[Tensor, "M d_v"],
    allowed: Bool[Tensor, "#N #M"],
    ways: Sequence[Way | Kernel],
    dtype: DTypeName = "float64",
    *,
    key: int,
    change: float | int,
    part: Part = "both",
) -> tuple[Leak, ...]:
    """Measure one change in several ways, as measure_leak does in one.

    Raises:
        ValueError: a key that is none, a way that is none, or a mask that does not broadcast.
    """
    n_queries, n_keys = q.shape[0], k.shape[0]
    if not 0 <= key < n_keys:
        raise ValueError(f"key must be from 0 to {n_keys - 1}, got {key}")
    allowed = expand_mask(allowed, n_queries, n_keys)
    q, k, v = (x.to(DTYPES[dtype]) for x in (q, k, v))
    changed_k = _change_row(k, key, change) if part != "v" else k
    changed_v = _change_row(v, key, change) if part != "k" else v
    scores = scale_products(q, changed_k)[:, key]
    is_hidden = tuple((~allowed[:, key]).tolist())
    bound = _rounding_of(v)

    def measure(way: Way | Kernel) -> Leak:
        attend, changed = attend_by(way), (way, dtype, key, float(change), part)
        try:
            before, after = attend(q, k, v, allowed), attend(q, changed_k, changed_v, allowed)
        except RuntimeError as error:
            return Leak(*changed, q.new_zeros(n_queries), (), scores, is_hidden, (), str(error))
        moved, was_nan = _moved(before, after)
        moves = _moves(moved, was_nan, bound)
        leaks = tuple(n for n in range(n_queries) if is_hidden[n] and moves[n] not in UNMOVED)
        return Leak(*changed, moved, moves, scores, is_hidden, leaks, None)

    return tuple(measure(way) for way in ways)


def find_leaks(
    attend: Callable[..., Float[Tensor, "N d_v"]],
    n_queries: int,
    n_keys: int,
    expected_allowed: Bool[Tensor, "#N #M"],
    seed: int = 0,
    *,
    width: int = 8,
    dtype: DTypeName = "float64",
) -> Leaks:
    """Change each key in turn and name the pairs that do not do what a mask says.

    Args:
        attend: Any function of q, k and v that gives out; it needs no mask argument.
        seed: For q, k and v, normal of unit variance, and for what each key is changed to.
        width: Of queries, keys and values.
        dtype: Half precision rounds too much to tell a small weight from none.

    Returns:
        Nothing leaking and nothing missing where attend keeps to the mask.

    Raises:
        ValueError: a mask that does not broadcast to the counts.

    Example:
        >>> inverted = torch.ones(3, 3, dtype=torch.bool).triu(diagonal=1)
        >>> find_leaks(lambda q, k, v: attend_by("minus_inf")(q, k, v, inverted), 3, 3, ~inverted).leaking
        ((0, 1), (0, 2), (1, 2))

    Cost: M + 1 calls of attend.
    """
    expected = expand_mask(expected_allowed, n_queries, n_keys)
    q, k, v, other_k, other_v = _draw((n_queries, n_keys, n_keys, n_keys, n_keys), width, seed, dtype)

    def change(key: int) -> Float[Tensor, "N d_v"]:
        return attend(q, _replace_row(k, key, other_k), _replace_row(v, key, other_v))

    return _find(attend(q, k, v), change, expected)


def find_leaks_in_layer(
    attend: Callable[..., Float[Tensor, "N d_model"]],
    n: int,
    expected_allowed: Bool[Tensor, "#N #M"],
    seed: int = 0,
    *,
    width: int = 8,
    dtype: DTypeName = "float64",
) -> Leaks:
    """Change each token in turn and name the pairs that do not do what a mask says.

    Args:
        attend: Any function of the input vectors x that gives one vector a token: a layer, or a whole stack.
        expected_allowed: Who may influence whom; for a stack that is the mask's reach through its layers.
        seed: For x, normal of unit variance, and for what each token is changed to.

    Returns:
        As find_leaks. A token's own place is not judged: its query changes with it.

    Raises:
        ValueError: a mask that does not broadcast to n.
    """
    expected = expand_mask(expected_allowed, n, n)
    x, other = _draw((n, n), width, seed, dtype)
    leaks = _find(attend(x), lambda key: attend(_replace_row(x, key, other)), expected)
    leaking, missing = (tuple(p for p in pairs if p[0] != p[1]) for pairs in (leaks.leaking, leaks.missing))
    return Leaks(leaking, missing, leaks.without_numbers)


def _masks_by(way: Way) -> Callable[..., Masked]:
    if way not in MASKS_BY:
        raise ValueError(f"way must be one of {', '.join(MASKS_BY)}, got {way}")
    return MASKS_BY[way]


def _record(
    way: Way,
    dtype: DTypeName,
    scaled: Float[Tensor, "*B N M"],
    v: Float[Tensor, "*B M d_v"],
    allowed: Bool[Tensor, "*#B #N #M"],
    expected: tuple[Float[Tensor, "*B N M"], Float[Tensor, "*B N d_v"]],
) -> WayRecord:
    try:
        masked, weights = _masks_by(way)(scaled, allowed)
    except RuntimeError as error:
        return WayRecord(way, dtype, None, None, None, None, None, None, None, refused=str(error))
    out = weights @ v
    hidden = weights[~allowed.expand_as(weights)]
    return WayRecord(
        way=way,
        dtype=dtype,
        masked=masked,
        weights=weights,
        row_sums=weights.sum(dim=-1),
        out=out,
        largest_hidden_weight=float(hidden.max()) if hidden.numel() else 0.0,
        weights_difference=_largest_difference(weights, expected[0]),
        out_difference=_largest_difference(out, expected[1]),
        refused=None,
    )


def _largest_difference(x: Float[Tensor, "..."], expected: Float[Tensor, "..."]) -> float | None:
    difference = (x.double() - expected).abs()
    if not bool(difference.isfinite().all()):
        return None
    return float(difference.max()) if difference.numel() else 0.0


def _change_row(x: Float[Tensor, "M d_k"], key: int, change: float | int) -> Float[Tensor, "M d_k"]:
    changed = x.clone()
    # Not `changed[key] += change`: torch refuses a number too large for half precision, which must become ∞.
    changed[key] += torch.tensor(float(change), dtype=torch.float64).to(x.dtype)
    return changed


def _replace_row(
    x: Float[Tensor, "M d_k"], key: int, other: Float[Tensor, "M d_k"]
) -> Float[Tensor, "M d_k"]:
    return torch.cat([x[:key], other[key : key + 1], x[key + 1 :]])


def _moved(
    before: Float[Tensor, "N d_v"], after: Float[Tensor, "N d_v"]
) -> tuple[Float[Tensor, " N"], Bool[Tensor, " N"]]:
    """Measure each row's largest change, NaN where nothing can be measured; and tell where that is.

    A component that is NaN before and after says nothing: the others do, and where they are still, nothing does.
    """
    difference = (after - before).abs()
    both_nan = before.isnan() & after.isnan()
    both_inf = before.isinf() & (before == after)
    moved = difference.masked_fill(both_nan | both_inf, 0.0).amax(dim=-1)
    was_nan = both_nan.any(dim=-1) & (moved == 0)
    return moved.masked_fill(was_nan, math.nan), was_nan


def _rounding_of(v: Float[Tensor, "M d_v"]) -> float:
    """Give what another order of a sum may change, in the type of the values and at their size."""
    finite = v[v.isfinite()].abs()
    size = float(finite.max()) if finite.numel() else 0.0
    return ROUNDING * torch.finfo(v.dtype).eps * max(size, torch.finfo(v.dtype).tiny)


def _moves(moved: Float[Tensor, " N"], was_nan: Bool[Tensor, " N"], bound: float) -> tuple[Move, ...]:
    """Say of each change what it is, beside rounding up to a bound."""

    def name(number: float) -> Move:
        if math.isnan(number):
            return "nan"
        if math.isinf(number):
            return "inf"
        if number == 0:
            return "still"
        return "rounding" if number <= bound else "moved"

    numbers = zip(moved.double().tolist(), was_nan.tolist(), strict=True)
    return tuple("was_nan" if unmeasured else name(number) for number, unmeasured in numbers)


def _draw(
    counts: tuple[int, ...], width: int, seed: int, dtype: DTypeName
) -> tuple[Float[Tensor, "..."], ...]:
    generator = torch.Generator().manual_seed(seed)
    draws = (torch.randn(count, width, generator=generator, dtype=torch.float64) for count in counts)
    return tuple(draw.to(DTYPES[dtype]) for draw in draws)


def _find(
    before: Float[Tensor, "N d_v"],
    change: Callable[[int], Float[Tensor, "N d_v"]],
    expected: Bool[Tensor, "N M"],
) -> Leaks:
    """Compare which queries move with each key against who may see it."""
    bound = TOLERANCE * torch.finfo(before.dtype).eps
    influences, was_nan = torch.zeros_like(expected), torch.zeros_like(expected)
    for key in range(expected.shape[1]):
        moved, was_nan[:, key] = _moved(before, change(key))
        # A change to NaN is a change, so `not ≤` and not `>`.
        influences[:, key] = ~(moved <= bound)
    leaking, missing = influences & ~expected & ~was_nan, ~influences & expected & ~was_nan
    without_numbers = (~before.isfinite().all(dim=-1)).nonzero().flatten().tolist()
    return Leaks(_pairs(leaking), _pairs(missing), tuple(without_numbers))


def _pairs(chosen: Bool[Tensor, "N M"]) -> tuple[tuple[int, int], ...]:
    return tuple((n, m) for n, m in chosen.nonzero().tolist())
