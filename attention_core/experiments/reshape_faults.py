"""Claim H4: four ways of reshaping heads wrongly have the right shape; which check catches which of them."""

import inspect
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, get_args

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from attention_core.experiments.blind_rows import PENALTY, scale_products
from attention_core.masks import causal
from attention_core.multi_head import MultiHeadAttention
from attention_core.steps import mix

# right and folded are right; folded lays heads beside the batch, as batched products of three axes need it.
# viewed_both_ways makes the first two faults together, each the other's inverse.
Way = Literal[
    "right",
    "folded",
    "split_by_view",
    "merge_without_transpose",
    "heads_before_batch",
    "softmax_over_heads",
    "viewed_both_ways",
]
WAYS: tuple[Way, ...] = get_args(Way)
FAULTS: tuple[Way, ...] = WAYS[2:6]
# leak: a forbidden token moves a row. reach: an allowed token moves none. items: one item of a batch moves another.
# literal: not what was split and merged by hand. sums: a row of weights does not sum to 1.
Check = Literal["leak", "reach", "items", "literal", "sums"]
CHECKS: tuple[Check, ...] = get_args(Check)
MAX_BATCH, MAX_TOKENS, MAX_HEADS, MAX_WIDTH = 4, 16, 16, 64
# Outputs are about 1: what another order of the same sums may change, and far below what any fault changes.
TOLERANCE = 1e-9
HAND = (2, 2, 4)  # batch, positions, width of the literal, for two heads
# Of 0 to 15 in that shape: item, head, position.
HAND_HEADS = (
    (((0.0, 1.0), (4.0, 5.0)), ((2.0, 3.0), (6.0, 7.0))),
    (((8.0, 9.0), (12.0, 13.0)), ((10.0, 11.0), (14.0, 15.0))),
)


@dataclass(frozen=True)
class Steps:
    """The three steps in which a way may differ, as the functions that run."""

    split: Callable[[Float[Tensor, "..."], int], Float[Tensor, "..."]]
    weigh: Callable[[Float[Tensor, "..."]], Float[Tensor, "..."]]
    merge: Callable[[Float[Tensor, "..."], int], Float[Tensor, "..."]]


@dataclass(frozen=True)
class Lines:
    """A line that is wrong and the line it should be, as they stand in the functions that ran."""

    wrong: str
    right: str


@dataclass(frozen=True, eq=False)
class WayRecord:
    """One way of writing multi-head attention, causal, on random input, and what each check says of it.

    Attributes:
        lines: Each in which the way is wrong: none for the ways that are right, two for viewed_both_ways.
        shape: Of out.
        has_right_shape: It is that of the right output.
        out_difference: The largest from MultiHeadAttention's own output; NaN where out has one.
        first_difference: The same in item 0 alone.
        n_nan: Numbers of out that are none.
        moved: How far output row n of item 0 moves, at most, when token m of item 0 is changed.
        leak: The largest of moved where m is after n: what a causal mask forbids.
        n_unreached: Pairs with m up to n where nothing moves: what a causal mask allows and the reshaping cut off.
        moved_items: How far the output of item b moves when all tokens of item c are changed, row b, column c.
        mixing: The largest of moved_items between different items.
        literal: Whether split and merge give what was worked out by hand.
        sums_difference: The largest distance of a row sum of the weights from 1.
        caught: Whether each check catches it. NaN where a number should be is caught too.
        passes_round_trip: merge(split(x)) is x.
    """

    way: Way
    lines: tuple[Lines, ...]
    shape: tuple[int, ...]
    has_right_shape: bool
    out: Float[Tensor, "B N d_model"]
    weights: Float[Tensor, "B H N M"]
    out_difference: float
    first_difference: float
    n_nan: int
    moved: Float[Tensor, "N M"]
    leak: float
    n_unreached: int
    moved_items: Float[Tensor, "B B"]
    mixing: float
    literal: bool
    sums_difference: float
    caught: dict[Check, bool]
    passes_round_trip: bool


@dataclass(frozen=True)
class RoundTrip:
    """One split and one merge in a row.

    Attributes:
        split: Its line.
        merge: Its line.
        is_identity: What comes back is exactly x.
        n_wrong: The faults among the two lines. Where there are some and is_identity holds, the round trip hides them.
    """

    split: str
    merge: str
    is_identity: bool
    n_wrong: int


def split_right(x: Float[Tensor, "B N d_model"], n_heads: int) -> Float[Tensor, "B H N d_k"]:
    """Cut the width first, then put the heads before the positions."""
    B, N, d_model = x.shape
    H, d_k = n_heads, d_model // n_heads
    return x.view(B, N, H, d_k).transpose(1, 2)


def split_by_view(x: Float[Tensor, "B N d_model"], n_heads: int) -> Float[Tensor, "B H N d_k"]:
    """Name the shape that is wanted: head 0 gets the first positions whole, not its part of every position."""
    B, N, d_model = x.shape
    H, d_k = n_heads, d_model // n_heads
    return x.view(B, H, N, d_k)


def split_folded(x: Float[Tensor, "B N d_model"], n_heads: int) -> Float[Tensor, "B*{n_heads} N d_k"]:
    """Lay the heads of item 0 first, then those of item 1: row b · H + h is head h of item b."""
    B, N, d_model = x.shape
    H, d_k = n_heads, d_model // n_heads
    return x.view(B, N, H, d_k).permute(0, 2, 1, 3).reshape(B * H, N, d_k)


def split_heads_before_batch(
    x: Float[Tensor, "B N d_model"], n_heads: int
) -> Float[Tensor, "B*{n_heads} N d_k"]:
    """Lay head 0 of all items first: right on its own, wrong for whoever reads it back as items first."""
    B, N, d_model = x.shape
    H, d_k = n_heads, d_model // n_heads
    return x.view(B, N, H, d_k).permute(2, 0, 1, 3).reshape(H * B, N, d_k)


def merge_right(heads: Float[Tensor, "B H N d_v"], n_heads: int) -> Float[Tensor, "B N H*d_v"]:
    """Put the positions before the heads again, then join the widths."""
    B, H, N, d_v = heads.shape
    return heads.transpose(1, 2).reshape(B, N, H * d_v)


def merge_without_transpose(heads: Float[Tensor, "B H N d_v"], n_heads: int) -> Float[Tensor, "B N H*d_v"]:
    """Name the shape that is wanted: output row 0 gets the first positions of head 0, not position 0 of every head."""
    B, H, N, d_v = heads.shape
    return heads.reshape(B, N, H * d_v)


def merge_folded(heads: Float[Tensor, "_ N d_v"], n_heads: int) -> Float[Tensor, "_ N _"]:
    """Read rows as items first, then merge."""
    (rows, N, d_v), H = heads.shape, n_heads
    B = rows // H
    return heads.view(B, H, N, d_v).transpose(1, 2).reshape(B, N, H * d_v)


def weigh_over_keys(masked: Float[Tensor, "*B H N M"]) -> Float[Tensor, "*B H N M"]:
    """Let the keys of one query in one head share 1."""
    return masked.softmax(dim=-1)


def weigh_over_heads(masked: Float[Tensor, "B H N M"]) -> Float[Tensor, "B H N M"]:
    """Let the heads share 1 for one query and one key: each row of a head sums to anything."""
    return masked.softmax(dim=1)


STEPS: dict[Way, Steps] = {
    "right": Steps(split_right, weigh_over_keys, merge_right),
    "folded": Steps(split_folded, weigh_over_keys, merge_folded),
    "split_by_view": Steps(split_by_view, weigh_over_keys, merge_right),
    "merge_without_transpose": Steps(split_right, weigh_over_keys, merge_without_transpose),
    "heads_before_batch": Steps(split_heads_before_batch, weigh_over_keys, merge_folded),
    "softmax_over_heads": Steps(split_right, weigh_over_heads, merge_right),
    "viewed_both_ways": Steps(split_by_view, weigh_over_keys, merge_without_transpose),
}


# Reading a source takes longer than running what it says.
@lru_cache(maxsize=32)
def line_of(function: Callable[..., Float[Tensor, "..."]]) -> str:
    """Give what a step returns, as it stands in its source.

    Example:
        >>> line_of(split_by_view)
        'x.view(B, H, N, d_k)'
    """
    return inspect.getsource(function).rsplit("return ", 1)[1].strip()


def wrong_lines(way: Way) -> tuple[Lines, ...]:
    """Give each line in which a way is wrong beside what it should be, which for heads_before_batch is folded's.

    Example:
        >>> wrong_lines("softmax_over_heads")
        (Lines(wrong='masked.softmax(dim=1)', right='masked.softmax(dim=-1)'),)
    """
    right = STEPS["folded" if way in ("folded", "heads_before_batch") else "right"]
    pairs = zip(vars(STEPS[way]).values(), vars(right).values(), strict=True)
    return tuple(Lines(line_of(step), line_of(other)) for step, other in pairs if step is not other)


def compare_faults(
    *,
    batch: int = 2,
    n: int = 5,
    d_model: int = 12,
    n_heads: int = 3,
    generator: torch.Generator,
    ways: tuple[Way, ...] = WAYS,
    penalty: float = PENALTY,
) -> tuple[WayRecord, ...]:
    """Run multi-head attention in each way on the same input and weights, and let each check look at it.

    Args:
        penalty: What hidden scores are filled with. −∞ turns softmax over the heads into NaN, since a pair is hidden in
            every head.

    Returns:
        One record for each way, in order. Theory: each fault keeps the shape. split_by_view,
        merge_without_transpose and softmax_over_heads leak, heads_before_batch mixes items, the literal catches all
        that reshape, the row sums the softmax. viewed_both_ways does not leak: its rows are cut from x in reading
        order, so that each head is causal attention within its own stretch of the sentence; only the literal and
        reach catch it. A single head is right in every way but the softmax, a single item in heads_before_batch, a
        single position in all that view.

    Raises:
        ValueError: a size outside its bounds, a d_model that n_heads does not divide, or an unknown way.

    Example:
        >>> found = compare_faults(generator=torch.Generator().manual_seed(0))
        >>> for record in found:
        ...     print(record.way, *[check for check in CHECKS if record.caught[check]])
        right
        folded
        split_by_view leak literal
        merge_without_transpose leak literal
        heads_before_batch items literal
        softmax_over_heads leak sums
        viewed_both_ways reach literal

    Cost: batch + n + 1 passes for each way.
    """
    sizes = {"batch": (batch, MAX_BATCH), "n": (n, MAX_TOKENS), "n_heads": (n_heads, MAX_HEADS)}
    _check_sizes(**sizes, d_model=(d_model, MAX_WIDTH))
    for way in ways:
        if way not in STEPS:
            raise ValueError(f"a way is one of {', '.join(WAYS)}, got {way}")
    layer = MultiHeadAttention(d_model, n_heads, generator=generator, dtype=torch.float64)
    x = torch.randn(batch, n, d_model, generator=generator, dtype=torch.float64)
    allowed = causal(n)
    with torch.inference_mode():
        expected = layer(x, allowed=allowed).out
        return tuple(_examine(way, layer, x, allowed, expected, penalty) for way in ways)


def run_way(
    way: Way,
    layer: MultiHeadAttention,
    x: Float[Tensor, "B N d_model"],
    allowed: Bool[Tensor, "N N"],
    penalty: float = PENALTY,
) -> tuple[Float[Tensor, "B N d_model"], Float[Tensor, "B H N M"]]:
    """Run self-attention with a layer's weights, its three steps done in one way.

    Args:
        penalty: What the scores of pairs that are not allowed are filled with.

    Returns:
        The output, and the weights as merging reads them: rows as items first, even where they were laid otherwise.
    """
    steps, n_heads = STEPS[way], layer.n_heads
    q, k, v = (steps.split(x @ w, n_heads) for w in (layer.w_q, layer.w_k, layer.w_v))
    masked = scale_products(q, k).masked_fill(~allowed, penalty)
    # A folded tensor has no axis of heads: weights over keys need none.
    weights = steps.weigh(masked if masked.ndim == 4 else masked[None]).reshape(masked.shape)
    out = steps.merge(mix(weights, v), n_heads) @ layer.w_o
    return out, weights.reshape(x.shape[0], n_heads, *weights.shape[-2:])


def hand_literal() -> tuple[Float[Tensor, "B N d_model"], Float[Tensor, "B H N d_k"]]:
    """Give an input small enough to split by hand, and its heads.

    Example:
        >>> x, heads = hand_literal()
        >>> x[0].tolist(), heads[0].tolist()
        ([[0.0, 1.0, 2.0, 3.0], [4.0, 5.0, 6.0, 7.0]], [[[0.0, 1.0], [4.0, 5.0]], [[2.0, 3.0], [6.0, 7.0]]])
    """
    return torch.arange(math.prod(HAND), dtype=torch.float32).view(HAND), torch.tensor(HAND_HEADS)


def take_round_trips(x: Float[Tensor, "B N d_model"], n_heads: int) -> tuple[RoundTrip, ...]:
    """Split and merge again, with each split beside each merge that takes what it gives.

    Returns:
        Theory: x comes back from what is right, and from split_by_view with merge_without_transpose, each the
        other's inverse: two faults that the round trip hides. One of them alone does not hide, nor does
        heads_before_batch. Softmax is no part of it.

    Raises:
        ValueError: a width that n_heads does not divide.

    Example:
        >>> for trip in take_round_trips(hand_literal()[0], 2):
        ...     print(trip.is_identity, trip.n_wrong)
        True 0
        False 1
        False 1
        True 2
        True 0
        False 1
    """
    _check_divides(x.shape[-1], n_heads)
    splits, merges = (split_right, split_by_view), (merge_right, merge_without_transpose)
    pairs = [(split, merge) for split in splits for merge in merges]
    pairs += [(split_folded, merge_folded), (split_heads_before_batch, merge_folded)]
    right = {step for way in ("right", "folded") for step in vars(STEPS[way]).values()}
    trips = []
    for split, merge in pairs:
        is_identity = torch.equal(merge(split(x.contiguous(), n_heads), n_heads), x)
        n_wrong = sum(step not in right for step in (split, merge))
        trips.append(RoundTrip(line_of(split), line_of(merge), is_identity, n_wrong))
    return tuple(trips)


def _examine(
    way: Way,
    layer: MultiHeadAttention,
    x: Float[Tensor, "B N d_model"],
    allowed: Bool[Tensor, "N N"],
    expected: Float[Tensor, "B N d_model"],
    penalty: float,
) -> WayRecord:
    def run(changed: Float[Tensor, "B N d_model"]) -> Float[Tensor, "B N d_model"]:
        return run_way(way, layer, changed, allowed, penalty)[0]

    out, weights = run_way(way, layer, x, allowed, penalty)
    steps, (batch, n, _) = STEPS[way], x.shape
    moved = _move(run, x, out, [(0, m) for m in range(n)])[0]
    moved_items = _move(run, x, out, [(item,) for item in range(batch)]).amax(dim=1)
    same = torch.eye(batch, dtype=torch.bool)
    numbers = {
        "leak": float(moved.masked_fill(allowed, 0.0).max()),
        "n_unreached": int((allowed & (moved <= TOLERANCE)).sum()),
        "mixing": float(moved_items.masked_fill(same, 0.0).max()),
        "literal": _gives_literal(steps),
        "sums_difference": float((weights.sum(dim=-1) - 1).abs().max()),
    }
    return WayRecord(
        way=way,
        lines=wrong_lines(way),
        shape=tuple(out.shape),
        has_right_shape=out.shape == expected.shape,
        out=out,
        weights=weights,
        out_difference=float((out - expected).abs().max()),
        first_difference=float((out - expected)[0].abs().max()),
        n_nan=int(out.isnan().sum()),
        moved=moved,
        moved_items=moved_items,
        **numbers,
        caught=_catch(**numbers),
        passes_round_trip=torch.equal(steps.merge(steps.split(x, layer.n_heads), layer.n_heads), x),
    )


def _catch(
    *, leak: float, n_unreached: int, mixing: float, literal: bool, sums_difference: float
) -> dict[Check, bool]:
    """Say which checks fail; a NaN passes none of those that compare numbers."""
    return {
        "leak": not leak <= TOLERANCE,
        "reach": n_unreached > 0,
        "items": not mixing <= TOLERANCE,
        "literal": not literal,
        "sums": not sums_difference <= TOLERANCE,
    }


def _move(
    run: Callable[[Float[Tensor, "B N d_model"]], Float[Tensor, "B N d_model"]],
    x: Float[Tensor, "B N d_model"],
    out: Float[Tensor, "B N d_model"],
    places: Sequence[tuple[int, ...]],
) -> Float[Tensor, "B N _"]:
    """Change x at one place after the other, a token or an item, and see how far each row of each item moves."""
    moved = []
    for place in places:
        other = x.clone()
        other[place] += 1.0
        moved.append((run(other) - out).abs().amax(dim=-1))
    return torch.stack(moved, dim=-1)


def _gives_literal(steps: Steps) -> bool:
    """Split the input by hand's numbers, and merge its heads."""
    x, heads = hand_literal()
    n_heads = heads.shape[1]
    split = steps.split(x, n_heads)
    merged = steps.merge(heads.reshape(split.shape), n_heads)
    return torch.equal(split.reshape(heads.shape), heads) and torch.equal(merged, x)


def _check_sizes(**sizes: tuple[int, int]) -> None:
    """Refuse sizes that are not from 1 to their bound."""
    for name, (size, most) in sizes.items():
        if not 1 <= size <= most:
            raise ValueError(f"{name} must be from 1 to {most}, got {size}")


def _check_divides(d_model: int, n_heads: int) -> None:
    if n_heads < 1 or d_model % n_heads:
        raise ValueError(f"d_model must be a multiple of n_heads, got {d_model} and {n_heads}")
