"""Claims V3 and V4: how far sparse, low-rank and linear attention lie from full attention, over several draws."""

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeVar, get_args

import torch
from jaxtyping import Float
from torch import Tensor

from attention_core.variant_runs import ATTEND, Choices, Inputs, Name, find_refusal, relative_error

# What is compared with full attention: a variant, and where it comes in two kinds, which.
ErrorLine = Literal[
    "window",
    "dilated",
    "block",
    "strided",
    "global_window",
    "low_rank_pooled",
    "low_rank_drawn",
    "linear_elu",
    "linear_relu",
]
ERROR_LINES: tuple[ErrorLine, ...] = get_args(ErrorLine)
# Those that see every pair once their size is the number of positions, and are then full attention.
VANISHING: frozenset[ErrorLine] = frozenset(
    {"window", "block", "strided", "global_window", "low_rank_pooled"}
)
# Those that have no size.
SIZELESS: frozenset[ErrorLine] = frozenset({"linear_elu", "linear_relu"})
MAX_LENGTH, MAX_DRAWS = 512, 64
# So many scores of draws are computed at once.
MOST_PAIRS = 2**19
Found = TypeVar("Found")
D_K = 16


@dataclass(frozen=True)
class ErrorPlan:
    """Random queries, keys and values.

    Attributes:
        n: Positions.
        sharpness: What all scores are multiplied by. At 1 they have a standard deviation of about 1 after the division by
            √d_k.
        nearness: How alike queries and keys of near positions are, from 0 to below 1: how far scores prefer near keys. At
            0 no position is nearer to another in any way.
        n_draws: Each from a seed of its own, from `seed` on.

    Raises:
        ValueError: a size outside its bounds.
    """

    n: int
    sharpness: float = 1.0
    nearness: float = 0.0
    is_causal: bool = False
    n_draws: int = 8
    seed: int = 0

    def __post_init__(self) -> None:
        if not 1 <= self.n <= MAX_LENGTH or not 1 <= self.n_draws <= MAX_DRAWS:
            raise ValueError(
                f"n must be from 1 to {MAX_LENGTH} and n_draws from 1 to {MAX_DRAWS}, got {self.n} and {self.n_draws}"
            )
        if not 0 < self.sharpness <= 1e3:
            raise ValueError(f"sharpness must be above 0 and at most 1000, got {self.sharpness}")
        if not 0 <= self.nearness < 1:
            raise ValueError(f"nearness must be at least 0 and below 1, got {self.nearness}")


@dataclass(frozen=True)
class ErrorAt:
    """The relative error of one variant at one size.

    Attributes:
        size: Width, block, stride or rank; where there are more positions than that. Of linear attention it means nothing.
        lowest, highest: Of the draws.
    """

    line: ErrorLine
    n: int
    size: int
    mean: float
    lowest: float
    highest: float


def line_of(line: ErrorLine, size: int, n: int) -> tuple[Name, Choices]:
    """Say which variant a line is, and with which settings.

    Example:
        >>> name, choices = line_of("low_rank_pooled", 64, 10)
        >>> name, choices.rank, choices.mixture
        ('low_rank', 10, 'pooled')
    """
    if line == "low_rank_pooled":
        return "low_rank", Choices(rank=min(size, n), mixture="pooled")
    if line == "low_rank_drawn":
        return "low_rank", Choices(rank=min(size, n), mixture="drawn")
    if line == "linear_elu":
        return "linear", Choices(feature="elu")
    if line == "linear_relu":
        return "linear", Choices(feature="relu")
    return line, Choices(width=size, block=size, stride=size)


def has_causal_form(line: ErrorLine) -> bool:
    """Tell whether a line can be drawn under a causal mask.

    Example:
        >>> has_causal_form("linear_elu"), has_causal_form("low_rank_drawn")
        (True, False)
    """
    return not line.startswith("low_rank")


def sharpen(inputs: Inputs, sharpness: float) -> Inputs:
    """Multiply all scores: queries are as many times as long, keys and values stay.

    Example:
        >>> x = torch.ones(1, 2, 3)
        >>> sharpen(Inputs(x, x, x, is_causal=False), 4.0).q[0, 0].tolist()
        [4.0, 4.0, 4.0]
    """
    return replace(inputs, q=inputs.q * sharpness)


def draw_inputs(plan: ErrorPlan, draws: Sequence[int]) -> Inputs:
    """Draw q, k and v, a head a draw, float64; each number is normal with mean 0 and variance 1.

        q_n = √a s_n + √(1 − a) noise, k_n likewise, s_n = a s_{n−1} + √(1 − a²) noise, a the nearness

    Returns:
        Scores whose mean is a · a^|n − m| · √d_k, times the sharpness; values that know nothing of each other.
    """
    drawn = torch.stack(
        [
            torch.randn(
                4,
                plan.n,
                D_K,
                generator=torch.Generator().manual_seed(plan.seed + draw),
                dtype=torch.float64,
            )
            for draw in draws
        ],
        dim=1,
    )
    own_q, own_k, v, steps = drawn.unbind(0)
    a = plan.nearness
    path = _walk(plan.n, a) @ steps
    q, k = (a**0.5 * path + (1 - a) ** 0.5 * own for own in (own_q, own_k))
    return sharpen(Inputs(q, k, v, plan.is_causal), plan.sharpness)


def _walk(n: int, nearness: float) -> Float[Tensor, "N N"]:
    """Give what makes of independent steps a path on which neighbours are alike and every place has variance 1."""
    place = torch.arange(n, dtype=torch.float64)
    distance = place[:, None] - place
    weights = torch.where(distance >= 0, nearness ** distance.clamp(min=0), 0.0)
    weights[:, 1:] *= (1 - nearness**2) ** 0.5
    return weights


def errors_on(
    inputs: Inputs, lines: Sequence[ErrorLine], sizes: Sequence[int], seed: int = 0
) -> Mapping[tuple[ErrorLine, int], float | None]:
    """Give the relative error of each line at each size on one set of inputs, all heads together.

    Args:
        seed: Of the mixture that low rank draws.

    Returns:
        By line and size; without lines that have no causal form where the inputs are causal.

    Example:
        >>> x = torch.ones(1, 4, 2)
        >>> errors_on(Inputs(x, x, x, is_causal=False), ("block",), (2, 4))
        {('block', 2): 0.0, ('block', 4): 0.0}
    """
    full = ATTEND["full"](inputs, Choices(), inputs.v).out
    outs = {
        (line, size): attend_line(inputs, line, size, seed)
        for line in lines
        for size in sizes_of(line, sizes)
    }
    errors = {at: relative_error(out, full) for at, out in outs.items() if out is not None}
    return spread(errors, sizes)


def sizes_of(line: ErrorLine, sizes: Sequence[int]) -> Sequence[int]:
    """List the sizes at which a line has to be computed: a line without a size at one of them."""
    return sizes[:1] if line in SIZELESS else sizes


def spread(
    errors: Mapping[tuple[ErrorLine, int], Found], sizes: Sequence[int]
) -> dict[tuple[ErrorLine, int], Found]:
    """Give lines without a size the same error at every size."""
    spread_out: dict[tuple[ErrorLine, int], Found] = {}
    for (line, size), error in errors.items():
        spread_out |= {(line, each): error for each in (sizes if line in SIZELESS else (size,))}
    return spread_out


def attend_line(inputs: Inputs, line: ErrorLine, size: int, seed: int) -> Float[Tensor, "H N d_v"] | None:
    """Give the outputs of one line; None where it has no causal form and the inputs are causal."""
    name, choices = line_of(line, size, inputs.n)
    choices = replace(choices, seed=seed)
    if find_refusal(name, inputs, choices) is not None:
        return None
    return ATTEND[name](inputs, choices, inputs.v).out


def measure_errors(plan: ErrorPlan, lines: Sequence[ErrorLine], sizes: Sequence[int]) -> tuple[ErrorAt, ...]:
    """Measure the relative error of each line at each size, over all draws.

        error = |out − full| / |full|

    Returns:
        Exactly or nearly 0 where a line sees every pair: VANISHING at size n, strided at 1 too. Lines without a causal
        form are left out where the plan is causal.

    Raises:
        ValueError: a size below 1.

    Example:
        >>> [round(at.mean, 6) for at in measure_errors(ErrorPlan(n=8, n_draws=2), ("window",), (8,))]
        [0.0]

    Cost: n_draws · (1 + lines · sizes) attentions over n positions; scores of at most some 500 000 pairs at once.
    """
    found: dict[tuple[ErrorLine, int], list[float]] = {}
    at_once = max(1, MOST_PAIRS // plan.n**2)
    for first in range(0, plan.n_draws, at_once):
        draws = range(first, min(first + at_once, plan.n_draws))
        for at, errors in _errors_of(plan, draws, lines, sizes).items():
            found.setdefault(at, []).extend(errors)
    return tuple(
        ErrorAt(line, plan.n, size, statistics.fmean(errors), min(errors), max(errors))
        for (line, size), errors in found.items()
    )


def _errors_of(
    plan: ErrorPlan, draws: Sequence[int], lines: Sequence[ErrorLine], sizes: Sequence[int]
) -> Mapping[tuple[ErrorLine, int], list[float]]:
    """Give the errors of some draws, which are computed side by side as heads are."""
    inputs = draw_inputs(plan, draws)
    full = ATTEND["full"](inputs, Choices(), inputs.v).out
    length = full.flatten(1).norm(dim=1)
    errors = {}
    for line in lines:
        for size in sizes_of(line, sizes):
            # Heads of low rank share a mixture: each draw has one of its own.
            if line == "low_rank_drawn":
                parts = [inputs_of_head(inputs, head) for head in range(len(draws))]
                outs = [
                    attend_line(part, line, size, plan.seed + draw)
                    for part, draw in zip(parts, draws, strict=True)
                ]
                out = None if outs[0] is None else torch.cat(outs)
            else:
                out = attend_line(inputs, line, size, plan.seed)
            if out is not None:
                errors[line, size] = ((out - full).flatten(1).norm(dim=1) / length).tolist()
    return spread(errors, sizes)


def inputs_of_head(inputs: Inputs, head: int) -> Inputs:
    """Give one head alone.

    Example:
        >>> x = torch.zeros(3, 2, 5)
        >>> tuple(inputs_of_head(Inputs(x, x, x, is_causal=False), 1).q.shape)
        (1, 2, 5)
    """
    q, k, v = (x[head : head + 1] for x in (inputs.q, inputs.k, inputs.v))
    return Inputs(q, k, v, inputs.is_causal)
