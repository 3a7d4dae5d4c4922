"""Claim P5: the rows of attention do not need each other, so one matrix product makes them all; an RNN's do."""

import math
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import torch
from jaxtyping import Float
from torch import Tensor

from attention_core.measure import Timing, time_each_s

Form = Literal["loop", "matmul", "einsum", "rnn"]

# A smaller difference than this is none that a reader could feel, however steady it is.
FELT_SHARE = 0.05


@dataclass(frozen=True)
class FormTiming:
    """How long one way of writing took at one length.

    Attributes:
        largest_difference: From what matmul gives; None for the RNN, which is another function.
    """

    form: Form
    n: int
    timing: Timing
    largest_difference: float | None


@dataclass(frozen=True)
class Comparison:
    """One way of writing against another at one length.

    Attributes:
        ratio: Median over the runs, paired as they were made, of its time over the other's.
        lower_quartile: A quarter of the paired runs lie below.
        verdict: "no difference" unless three quarters of the runs and the median, by a felt share, agree.
    """

    n: int
    ratio: float
    lower_quartile: float
    upper_quartile: float
    verdict: Literal["faster", "slower", "no difference"]


@dataclass(frozen=True)
class Reach:
    """How many of the n rows move when the first row of the input is changed."""

    n: int
    attention_rows: int
    rnn_rows: int


def attend_by_loop(
    q: Float[Tensor, "*B N d_k"], k: Float[Tensor, "*B M d_k"], v: Float[Tensor, "*B M d_v"]
) -> Float[Tensor, "*B N d_v"]:
    """Answer one query after the other; nothing is handed from one turn to the next."""
    out = v.new_empty(*q.shape[:-1], v.shape[-1])
    for n in range(q.shape[-2]):
        scores = (k * q[..., n : n + 1, :]).sum(dim=-1)
        weights = (scores / math.sqrt(q.shape[-1])).softmax(dim=-1)
        out[..., n, :] = (weights[..., None] * v).sum(dim=-2)
    return out


def attend_by_matmul(
    q: Float[Tensor, "*B N d_k"], k: Float[Tensor, "*B M d_k"], v: Float[Tensor, "*B M d_v"]
) -> Float[Tensor, "*B N d_v"]:
    """Answer all queries with two matrix products."""
    scores = q @ k.transpose(-2, -1)
    weights = (scores / math.sqrt(q.shape[-1])).softmax(dim=-1)
    return weights @ v


def attend_by_einsum(
    q: Float[Tensor, "*B N d_k"], k: Float[Tensor, "*B M d_k"], v: Float[Tensor, "*B M d_v"]
) -> Float[Tensor, "*B N d_v"]:
    """Answer all queries with two sums written by their indices."""
    scores = torch.einsum("...nd,...md->...nm", q, k)
    weights = (scores / math.sqrt(q.shape[-1])).softmax(dim=-1)
    return torch.einsum("...nm,...md->...nd", weights, v)


def scan_rnn(
    x: Float[Tensor, "*B N d_k"], w_x: Float[Tensor, "d_k d_k"], w_h: Float[Tensor, "d_k d_k"]
) -> Float[Tensor, "*B N d_k"]:
    """Read the rows in order; each state needs the state before it.

        state[n] = tanh(x[n] w_x + state[n − 1] w_h),  state[−1] = 0

    Source: Elman 1990.
    """
    state = torch.zeros_like(x[..., 0, :])
    states = []
    for n in range(x.shape[-2]):
        state = torch.tanh(x[..., n, :] @ w_x + state @ w_h)
        states.append(state)
    return torch.stack(states, dim=-2)


def measure_independence(
    ns: Sequence[int] = (4, 16, 64), *, d_k: int = 16, seed: int = 0, repeats: int = 15, batch: int = 1
) -> tuple[FormTiming, ...]:
    """Time attention as a loop, as matrix products and as einsum, and an RNN, against the length.

    Returns:
        One record for each length and form, in the order of ns. The forms take turns, so that a slow moment of the
        machine meets all of them.

    Raises:
        ValueError: a length, d_k or batch below 1, or repeats below 2 (one run has no spread).

    Cost: each form makes batch · (4·N²·d_k) FLOPs; only the loop and the RNN make N turns in Python.
    """
    if min(*ns, d_k, batch, 1) < 1 or repeats < 2:
        raise ValueError(
            "lengths, d_k and batch must be at least 1 and repeats at least 2, "
            f"got ns={tuple(ns)}, d_k={d_k}, batch={batch}, repeats={repeats}"
        )
    records = []
    for n in ns:
        forms, outputs = _forms(n, d_k, batch, seed)
        timings = time_each_s(list(forms.values()), repeats=repeats)
        for form, timing in zip(forms, timings, strict=True):
            difference = float((outputs[form] - outputs["matmul"]).abs().max()) if form != "rnn" else None
            records.append(FormTiming(form, n, timing, difference))
    return tuple(records)


def compare_forms(
    records: Sequence[FormTiming], form: Form = "einsum", against: Form = "matmul"
) -> tuple[Comparison, ...]:
    """Judge from the measured runs whether one form is faster than another, length by length.

    Returns:
        One comparison for each length that both forms were timed at. Most differences on a quiet machine are none:
        einsum calls the same product, after reading its indices.
    """
    timed = {(record.form, record.n): record.timing.runs_s for record in records}
    comparisons = []
    for n in dict.fromkeys(record.n for record in records):
        if (form, n) in timed and (against, n) in timed:
            pairs = zip(timed[form, n], timed[against, n], strict=True)
            comparisons.append(_compare(n, [mine / other for mine, other in pairs]))
    return tuple(comparisons)


def measure_reach(n: int = 7, *, d_k: int = 16, seed: int = 0) -> Reach:
    """Change the first query, and the first input of the RNN, and count the rows that move.

    Returns:
        Theory: 1 row of attention, however long it is, and all n states of the RNN until the change has faded
        into rounding. With a single key no row of attention moves: its weight is 1 whatever the query says.
    """
    q, k, v, w_x, w_h = _draw(n, d_k, 1, seed)
    changed = q.clone()
    changed[:, 0] += 1.0
    attention = attend_by_matmul(changed, k, v) - attend_by_matmul(q, k, v)
    rnn = scan_rnn(changed, w_x, w_h) - scan_rnn(q, w_x, w_h)
    moved = [int((difference != 0).any(dim=-1).sum()) for difference in (attention, rnn)]
    return Reach(n, *moved)


def _compare(n: int, ratios: list[float]) -> Comparison:
    lower, middle, upper = statistics.quantiles(ratios, n=4, method="inclusive")
    if upper < 1 and middle <= 1 - FELT_SHARE:
        return Comparison(n, middle, lower, upper, "faster")
    if lower > 1 and middle >= 1 + FELT_SHARE:
        return Comparison(n, middle, lower, upper, "slower")
    return Comparison(n, middle, lower, upper, "no difference")


def _draw(n: int, d_k: int, batch: int, seed: int) -> tuple[Float[Tensor, "..."], ...]:
    """Draw q, k, v and the RNN's two matrices, the latter kept small so that its states do not saturate."""
    generator = torch.Generator().manual_seed(seed)

    def randn(*shape: int) -> Float[Tensor, "..."]:
        return torch.randn(*shape, generator=generator, dtype=torch.float64)

    qkv = tuple(randn(batch, n, d_k) for _ in range(3))
    return (*qkv, randn(d_k, d_k) / math.sqrt(d_k), randn(d_k, d_k) / math.sqrt(d_k))


def _forms(
    n: int, d_k: int, batch: int, seed: int
) -> tuple[dict[Form, Callable[[], Float[Tensor, "..."]]], dict[Form, Float[Tensor, "..."]]]:
    """Bind each form to the same numbers, and run each once for its output."""
    q, k, v, w_x, w_h = _draw(n, d_k, batch, seed)
    forms = {
        "loop": lambda: attend_by_loop(q, k, v),
        "matmul": lambda: attend_by_matmul(q, k, v),
        "einsum": lambda: attend_by_einsum(q, k, v),
        "rnn": lambda: scan_rnn(q, w_x, w_h),
    }
    return forms, {form: run() for form, run in forms.items()}
