"""W^O: what each head adds to the output, and what is left of it with another W^O or without a head."""

import math
from dataclasses import dataclass
from typing import Literal, get_args

import torch
from jaxtyping import Float
from torch import Tensor

from attention_core.experiments.head_facts import MAX_HEADS
from attention_core.multi_head import merge_heads
from attention_core.tokens import MAX_TOKENS

# own: as given. zero: nothing passes. identity: the heads' outputs side by side, as concatenation alone leaves them.
Kind = Literal["own", "zero", "identity"]
KINDS: tuple[Kind, ...] = get_args(Kind)
MAX_BATCH, MAX_WIDTH = 8, 1024
# Multiply-adds of all passes through one W^O: a second or so.
MAX_PRODUCTS = 2**31


@dataclass(frozen=True, eq=False)
class Ablation:
    """The output with one head's part set to 0 before W^O.

    Attributes:
        head: From 0.
        change: out without the head − out.
        largest_change: Of one number.
        relative_change: ‖change‖ / ‖out‖; None where out is 0.
        by_column: The largest change of each column of the output. Under the identity a head reaches its own columns
            alone.
        n_columns: Columns that change at all.
        difference: The largest distance of −change from the head's contribution: rounding.
    """

    head: int
    out: Float[Tensor, "*B N d_model"]
    change: Float[Tensor, "*B N d_model"]
    largest_change: float
    relative_change: float | None
    by_column: Float[Tensor, " d_model"]
    n_columns: int
    difference: float


@dataclass(frozen=True, eq=False)
class HeadOutput:
    """What each head adds to the output under one W^O.

    Attributes:
        out: merged w_o + b_o.
        contributions: A V of each head times its own rows of W^O; out is their sum, + b_o.
        norms: ‖contribution‖ over all batches, positions and columns.
        shares: norms, over their sum: 0 to 1, together 1. None where all are 0.
        pulls: How much of the summed contributions lies along each: ⟨contribution, Σ⟩ / ‖Σ‖². Together 1, below 0 for a
            head that the others outweigh, above 1 where they cancel. None where the sum is 0.
        sum_difference: The largest distance of out − b_o from the sum of the contributions: rounding.
        ablations: One for each head.
    """

    kind: Kind
    w_o: Float[Tensor, "H_d_v d_model"]
    out: Float[Tensor, "*B N d_model"]
    contributions: Float[Tensor, "*B H N d_model"]
    norms: Float[Tensor, " H"]
    shares: Float[Tensor, " H"] | None
    pulls: Float[Tensor, " H"] | None
    sum_difference: float
    ablations: tuple[Ablation, ...]


def contribute(
    heads: Float[Tensor, "*B H N d_v"], w_o: Float[Tensor, "H_d_v d_model"]
) -> Float[Tensor, "*B H N d_model"]:
    """Multiply each head's output by its own rows of W^O.

        contributions[h, n] = heads[h, n] · w_o[h · d_v : (h + 1) · d_v]

    Example:
        >>> contribute(torch.tensor([[[1.0]], [[2.0]]]), torch.tensor([[10.0, 0.0], [1.0, 1.0]])).tolist()
        [[[10.0, 0.0]], [[2.0, 2.0]]]

    Source: a product of block matrices; Elhage et al. 2021, section "Attention heads are independent and additive".
    """
    return heads @ w_o.unflatten(0, heads.shape[-3:-2] + heads.shape[-1:])


def replace_w_o(w_o: Float[Tensor, "H_d_v d_model"], kind: Kind) -> Float[Tensor, "H_d_v d_model"]:
    """Put zeros or the identity in the place of W^O.

    Raises:
        ValueError: an unknown kind, or an identity where the heads together are not as wide as the output.

    Example:
        >>> replace_w_o(torch.ones(2, 2), "identity").tolist()
        [[1.0, 0.0], [0.0, 1.0]]
    """
    if kind == "own":
        return w_o
    if kind == "zero":
        return torch.zeros_like(w_o)
    if kind != "identity":
        raise ValueError(f"W^O is one of {', '.join(KINDS)}, got {kind}")
    if w_o.shape[0] != w_o.shape[1]:
        raise ValueError(
            f"an identity needs H · d_v = d_model, got {w_o.shape[0]} rows and {w_o.shape[1]} columns"
        )
    return torch.eye(len(w_o), dtype=w_o.dtype, device=w_o.device)


def measure_head_output(
    heads: Float[Tensor, "*B H N d_v"],
    w_o: Float[Tensor, "H_d_v d_model"],
    b_o: Float[Tensor, " d_model"] | None = None,
    *,
    kind: Kind = "own",
) -> HeadOutput:
    """Say what each head adds to the output, and take one head away after the other.

    Args:
        heads: A V of each head: `trace.attention.out`.
        w_o: As in MultiHeadAttention: the rows of head h are h · d_v to (h + 1) · d_v.
        b_o: Belongs to no head.
        kind: own, or what stands in the place of w_o; b_o stays.

    Returns:
        float64 whatever the inputs are. Theory: the contributions sum to out − b_o; without a head exactly its
        contribution is missing, since W^O is linear; zeros leave b_o alone.

    Raises:
        ValueError: sizes that do not fit or are outside their bounds, an unknown kind, or an identity that cannot be.

    Example:
        >>> heads = torch.tensor([[[3.0]], [[4.0]]])
        >>> found = measure_head_output(heads, torch.tensor([[1.0, 0.0], [0.0, 1.0]]))
        >>> found.out.tolist(), found.norms.tolist(), found.ablations[1].out.tolist()
        ([[3.0, 4.0]], [3.0, 4.0], [[3.0, 0.0]])
        >>> found.pulls.tolist(), found.ablations[0].relative_change
        ([0.36, 0.64], 0.6)

    Cost: n_heads + 1 passes through W^O.
    """
    _check_sizes(heads, w_o, b_o)
    heads, w_o = heads.detach().double(), replace_w_o(w_o.detach().double(), kind)
    b_o = torch.zeros_like(w_o[0]) if b_o is None else b_o.detach().double()
    out = merge_heads(heads) @ w_o + b_o
    contributions = contribute(heads, w_o)
    by_head = contributions.movedim(-3, 0).flatten(1)
    norms, together = by_head.norm(dim=-1), by_head.sum(dim=0)
    strength = together.square().sum()
    return HeadOutput(
        kind=kind,
        w_o=w_o,
        out=out,
        contributions=contributions,
        norms=norms,
        shares=norms / norms.sum() if bool(norms.any()) else None,
        pulls=by_head @ together / strength if bool(strength) else None,
        sum_difference=_largest(out - b_o - contributions.sum(dim=-3)),
        ablations=tuple(
            _ablate(head, heads, w_o, b_o, out, contributions) for head in range(heads.shape[-3])
        ),
    )


def compare_w_o(
    heads: Float[Tensor, "*B H N d_v"],
    w_o: Float[Tensor, "H_d_v d_model"],
    b_o: Float[Tensor, " d_model"] | None = None,
) -> tuple[HeadOutput, ...]:
    """Measure what each head adds under the given W^O, under zeros and, where it can be, under the identity.

    Example:
        >>> found = compare_w_o(torch.ones(2, 1, 1), torch.ones(2, 2))
        >>> [(record.kind, record.out.tolist()) for record in found]
        [('own', [[2.0, 2.0]]), ('zero', [[0.0, 0.0]]), ('identity', [[1.0, 1.0]])]
    """
    kinds = [kind for kind in KINDS if kind != "identity" or w_o.shape[0] == w_o.shape[1]]
    return tuple(measure_head_output(heads, w_o, b_o, kind=kind) for kind in kinds)


def _ablate(
    head: int,
    heads: Float[Tensor, "*B H N d_v"],
    w_o: Float[Tensor, "H_d_v d_model"],
    b_o: Float[Tensor, " d_model"],
    out: Float[Tensor, "*B N d_model"],
    contributions: Float[Tensor, "*B H N d_model"],
) -> Ablation:
    """Run W^O again with one head's output set to 0."""
    others = heads.clone()
    others[..., head, :, :] = 0.0
    without = merge_heads(others) @ w_o + b_o
    change, norm = without - out, float(out.norm())
    by_column = change.abs().flatten(0, -2).amax(dim=0)
    return Ablation(
        head=head,
        out=without,
        change=change,
        largest_change=_largest(change),
        relative_change=float(change.norm()) / norm if norm else None,
        by_column=by_column,
        n_columns=int((by_column > 0).sum()),
        difference=_largest(change + contributions[..., head, :, :]),
    )


def _largest(x: Float[Tensor, "..."]) -> float:
    return float(x.abs().max())


def _check_sizes(
    heads: Float[Tensor, "*B H N d_v"],
    w_o: Float[Tensor, "H_d_v d_model"],
    b_o: Float[Tensor, " d_model"] | None,
) -> None:
    """Refuse sizes that do not fit or are outside their bounds."""
    if heads.ndim < 3:
        raise ValueError(f"heads need an axis of heads, positions and width, got {tuple(heads.shape)}")
    if w_o.ndim != 2:
        raise ValueError(f"w_o needs two axes, heads' width and d_model, got {tuple(w_o.shape)}")
    *batch, n_heads, n, d_v = heads.shape
    for name, size, most in (
        ("the batch", math.prod(batch), MAX_BATCH),
        ("n_heads", n_heads, MAX_HEADS),
        ("n", n, MAX_TOKENS),
        ("d_model", w_o.shape[1], MAX_WIDTH),
        ("n_heads · d_v", n_heads * d_v, MAX_WIDTH),
    ):
        if not 1 <= size <= most:
            raise ValueError(f"{name} must be from 1 to {most}, got {size}")
    products = (n_heads + 1) * math.prod(batch) * n * w_o.numel()
    if products > MAX_PRODUCTS:
        raise ValueError(
            f"all passes together must need at most {MAX_PRODUCTS} multiply-adds, got {products} for "
            f"{n_heads} heads of {tuple(heads.shape)} and W^O of {tuple(w_o.shape)}"
        )
    if w_o.shape[0] != n_heads * d_v:
        raise ValueError(f"w_o needs n_heads · d_v rows, {n_heads} · {d_v}, got {w_o.shape[0]}")
    if b_o is not None and b_o.shape != w_o.shape[1:]:
        raise ValueError(
            f"b_o must have shape {tuple(w_o.shape[1:])}, one number a column, got {tuple(b_o.shape)}"
        )
