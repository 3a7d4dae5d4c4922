"""Claim P5: the rows of attention do not need each other, so one matrix product makes them all; an RNN's do."""

import math
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from attention_core.device import CPU, Kind
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

    @property
    def is_close(self) -> bool:
        """Tell whether the middle half of the runs lies within a felt share of 1; else the spread hides what there is."""
        return self.lower_quartile > 1 - FELT_SHARE and self.upper_quartile < 1 + FELT_SHARE


@dataclass(frozen=True, eq=False)
class Reach:
    """How far each row moves when one query is changed: by the largest of its numbers.

    Attributes:
        attention: Of the output.
        rnn: Of the states of an RNN that reads the queries in order.
    """

    attention: Float[Tensor, " N"]
    rnn: Float[Tensor, " N"]


def attend_by_loop(
    q: Float[Tensor, "*B N d_k"],
    k: Float[Tensor, "*B M d_k"],
    v: Float[Tensor, "*B M d_v"],
    allowed: Bool[Tensor, "N M"] | None = None,
) -> Float[Tensor, "*B N d_v"]:
    """Answer one query after the other; nothing is handed from one turn to the next."""
    out = v.new_empty(*q.shape[:-1], v.shape[-1])
    for n in range(q.shape[-2]):
        scores = (k * q[..., n : n + 1, :]).sum(dim=-1)
        if allowed is not None:
            scores = scores.masked_fill(~allowed[n], -math.inf)
        weights = (scores / math.sqrt(q.shape[-1])).softmax(dim=-1)
        out[..., n, :] = (weights[..., None] * v).sum(dim=-2)
    return out


def attend_by_matmul(
    q: Float[Tensor, "*B N d_k"],
    k: Float[Tensor, "*B M d_k"],
    v: Float[Tensor, "*B M d_v"],
    allowed: Bool[Tensor, "N M"] | None = None,
) -> Float[Tensor, "*B N d_v"]:
    """Answer all queries with two matrix products."""
    scores = q @ k.transpose(-2, -1)
    if allowed is not None:
        scores = scores.masked_fill(~allowed, -math.inf)
    weights = (scores / math.sqrt(q.shape[-1])).softmax(dim=-1)
    return weights @ v


def attend_by_einsum(
    q: Float[Tensor, "*B N d_k"],
    k: Float[Tensor, "*B M d_k"],
    v: Float[Tensor, "*B M d_v"],
    allowed: Bool[Tensor, "N M"] | None = None,
) -> Float[Tensor, "*B N d_v"]:
    """Answer all queries with two sums written by their indices."""
    scores = torch.einsum("...nd,...md->...nm", q, k)
    if allowed is not None:
        scores = scores.masked_fill(~allowed, -math.inf)
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
    ns: Sequence[int] = (4, 16, 64),
    *,
    d_k: int = 16,
    seed: int = 0,
    repeats: int = 15,
    batch: int = 1,
    device: Kind = CPU,
) -> tuple[FormTiming, ...]:
    """Time attention as a loop, as matrix products and as einsum, and an RNN, against the length.

    Returns:
        One record for each length and form, in the order of ns. The forms take turns, so that a slow moment of the
        machine meets all of them.

    Raises:
        ValueError: a length, d_k or batch below 1, or repeats below 2 (one run has no spread).

    Cost: each form of attention makes batch · 4·N²·d_k FLOPs, the RNN batch · 4·N·d_k²; only the loop and the RNN
        make N turns in Python.
    """
    if min(*ns, d_k, batch, 1) < 1 or repeats < 2:
        raise ValueError(
            "lengths, d_k and batch must be at least 1 and repeats at least 2, "
            f"got ns={tuple(ns)}, d_k={d_k}, batch={batch}, repeats={repeats}"
        )
    records = []
    for n in ns:
        forms, outputs = _forms(n, d_k, batch, seed, device)
        timings = time_each_s(list(forms.values()), repeats=repeats, device=device)
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
            comparisons.append(judge_ratios(n, [mine / other for mine, other in pairs]))
    return tuple(comparisons)


def judge_ratios(n: int, ratios: Sequence[float]) -> Comparison:
    """Judge from the paired runs of two forms, one's time over the other's, whether there is a difference.

    Raises:
        ValueError: fewer than two runs, which have no spread.

    Example:
        >>> [judge_ratios(1, ratios).verdict for ratios in ([0.5, 0.6, 0.5], [0.5, 1.5, 1.0])]
        ['faster', 'no difference']
    """
    if len(ratios) < 2:
        raise ValueError(f"a verdict needs at least 2 paired runs, got {len(ratios)}")
    lower, middle, upper = statistics.quantiles(ratios, n=4, method="inclusive")
    if upper < 1 and middle <= 1 - FELT_SHARE:
        return Comparison(n, middle, lower, upper, "faster")
    if lower > 1 and middle >= 1 + FELT_SHARE:
        return Comparison(n, middle, lower, upper, "slower")
    return Comparison(n, middle, lower, upper, "no difference")


def measure_reach(
    q: Float[Tensor, "N d_k"],
    k: Float[Tensor, "M d_k"],
    v: Float[Tensor, "M d_v"],
    changed: int = 0,
    *,
    allowed: Bool[Tensor, "N M"] | None = None,
    seed: int = 0,
) -> Reach:
    """Add 1 to one query, keys and values kept, and see which rows move: of attention, and of an RNN that reads q.

    Args:
        changed: The query, counted from 0.
        seed: For the RNN's two matrices.

    Returns:
        Theory: attention moves in the changed row alone; the RNN in that state and all after it, until the change
        has faded into rounding. A query that sees a single key does not move: its weight is 1 whatever it asks.

    Raises:
        ValueError: a place outside q.
    """
    if not 0 <= changed < q.shape[0]:
        raise ValueError(f"changed must be from 0 to {q.shape[0] - 1}, got {changed}")
    other = q.clone()
    other[changed] += 1.0
    w_x, w_h = _draw_rnn(q.shape[1], torch.Generator().manual_seed(seed))
    attention = attend_by_matmul(other, k, v, allowed) - attend_by_matmul(q, k, v, allowed)
    rnn = scan_rnn(other, w_x.to(q), w_h.to(q)) - scan_rnn(q, w_x.to(q), w_h.to(q))
    return Reach(*(difference.abs().amax(dim=-1) for difference in (attention, rnn)))


def differences_of_forms(
    q: Float[Tensor, "N d_k"],
    k: Float[Tensor, "M d_k"],
    v: Float[Tensor, "M d_v"],
    allowed: Bool[Tensor, "N M"] | None = None,
) -> dict[Form, float]:
    """Compare the loop and einsum with the matrix product: the largest difference of their outputs."""
    expected = attend_by_matmul(q, k, v, allowed)
    forms: dict[Form, Float[Tensor, "N d_v"]] = {
        "loop": attend_by_loop(q, k, v, allowed),
        "einsum": attend_by_einsum(q, k, v, allowed),
    }
    return {form: float((out - expected).abs().max()) for form, out in forms.items()}


def _draw(n: int, d_k: int, batch: int, seed: int) -> tuple[Float[Tensor, "..."], ...]:
    """Draw q, k, v and the RNN's two matrices."""
    generator = torch.Generator().manual_seed(seed)

    def randn(*shape: int) -> Float[Tensor, "..."]:
        return torch.randn(*shape, generator=generator, dtype=torch.float64)

    qkv = tuple(randn(batch, n, d_k) for _ in range(3))
    return (*qkv, *_draw_rnn(d_k, generator))


def _draw_rnn(d_k: int, generator: torch.Generator) -> tuple[Float[Tensor, "d_k d_k"], ...]:
    """Draw the RNN's two matrices, kept small so that its states do not saturate."""
    return tuple(
        torch.randn(d_k, d_k, generator=generator, dtype=torch.float64) / math.sqrt(d_k) for _ in range(2)
    )


def _forms(
    n: int, d_k: int, batch: int, seed: int, device: Kind
) -> tuple[dict[Form, Callable[[], Float[Tensor, "..."]]], dict[Form, Float[Tensor, "..."]]]:
    """Bind each form to the same numbers, and run each once for its output."""
    # Drawn on the processor, so that every device gets the same numbers.
    q, k, v, w_x, w_h = (x.to(device) for x in _draw(n, d_k, batch, seed))
    forms = {
        "loop": lambda: attend_by_loop(q, k, v),
        "matmul": lambda: attend_by_matmul(q, k, v),
        "einsum": lambda: attend_by_einsum(q, k, v),
        "rnn": lambda: scan_rnn(q, w_x, w_h),
    }
    return forms, {form: run() for form, run in forms.items()}
