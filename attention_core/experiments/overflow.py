"""Claim S6: softmax must subtract the largest score, and half precision must scale q before the product."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import torch
from jaxtyping import Float
from torch import Tensor

from attention_core.components import DTYPES, DTypeName

Form = Literal["naive", "shifted", "log"]
FORMS: tuple[Form, ...] = get_args(Form)
Fault = Literal["inf", "nan"]


@dataclass(frozen=True)
class SoftmaxRun:
    """One way of writing softmax in one type, on given scores.

    Attributes:
        steps: What each step gave, by its name, in order; the last is weights.
        first_fault_step: The first step with an ∞ or NaN in it; None where there is none. −∞ counts among the
            scores, which were finite as given, unless a worse fault follows from others; after them it is a
            weight of 0 and no fault.
        first_fault: Which of the two, NaN where both are.
        largest_difference: Of the weights from those of float64; None where a weight is no number.
        sunk_weight: What the scores that are −∞ in dtype weigh together in float64.
    """

    dtype: DTypeName
    form: Form
    steps: dict[str, tuple[float, ...]]
    first_fault_step: str | None
    first_fault: Fault | None
    weights: tuple[float, ...]
    largest_difference: float | None
    sunk_weight: float


@dataclass(frozen=True)
class ExpLimit:
    """How large an argument of exp may be in one type.

    Attributes:
        largest: The largest number of the type whose exp is finite.
        exp_of_largest: What exp gives there.
        next_number: The next number of the type; its exp is ∞.
        expected: log of the largest number that the type holds.
    """

    dtype: DTypeName
    largest: float
    exp_of_largest: float
    next_number: float
    expected: float


@dataclass(frozen=True)
class ScaleOrder:
    """One scaled score, computed in both orders in one type.

    Attributes:
        score: q·k before it is scaled.
        scaled_after: That, divided by √d_k.
        scaled_before: (q/√d_k)·k.
        expected: In float64.
        is_cured: The score overflows where it is scaled after, and does not where q is scaled before.
    """

    dtype: DTypeName
    score: float
    scaled_after: float
    scaled_before: float
    expected: float
    is_cured: bool


def run_naive(scores: Float[Tensor, "*B M"]) -> dict[str, Float[Tensor, "..."]]:
    """Write softmax as its definition stands: exp(s) / Σ exp(s)."""
    exps = scores.exp()
    total = exps.sum(dim=-1, keepdim=True)
    return {"scores": scores, "exps": exps, "total": total, "weights": exps / total}


def run_shifted(scores: Float[Tensor, "*B M"]) -> dict[str, Float[Tensor, "..."]]:
    """Subtract the largest score first, which leaves the weights as they are: exp(s − c) / Σ exp(s − c)."""
    shifted = scores - scores.amax(dim=-1, keepdim=True)
    exps = shifted.exp()
    total = exps.sum(dim=-1, keepdim=True)
    return {"scores": scores, "shifted": shifted, "exps": exps, "total": total, "weights": exps / total}


def run_log(scores: Float[Tensor, "*B M"]) -> dict[str, Float[Tensor, "..."]]:
    """Take the logarithm of the weights, s − c − log Σ exp(s − c), and its exponential."""
    log_weights = scores.log_softmax(dim=-1)
    return {"scores": scores, "log_weights": log_weights, "weights": log_weights.exp()}


RUNS = {"naive": run_naive, "shifted": run_shifted, "log": run_log}


def measure_softmaxes(
    scores: Sequence[float | int], dtypes: Sequence[DTypeName] = tuple(DTYPES)
) -> tuple[SoftmaxRun, ...]:
    """Run softmax in three ways in each type, and find where each first stops giving numbers.

    Args:
        scores: One row; finite. A score that a type cannot hold is ±∞ in it.

    Returns:
        One record for each type and way, in order. Theory: naive gives ∞, then NaN, from exp's limit on, and 0/0
        where every exp is 0; shifted and log give numbers wherever the scores themselves are.

    Raises:
        ValueError: no scores, or one that is not finite.

    Example:
        >>> naive, shifted, _ = measure_softmaxes([151.29, 150.29], ["float32"])
        >>> (naive.first_fault_step, naive.first_fault), [round(weight, 4) for weight in shifted.weights]
        (('exps', 'inf'), [0.7311, 0.2689])

    Source: Goodfellow, Bengio and Courville 2016, section 4.1.
    """
    if not scores or not all(math.isfinite(number) for number in scores):
        raise ValueError(f"scores must be finite and at least one, got {list(scores)}")
    exact = torch.tensor(scores, dtype=torch.float64)
    expected = run_shifted(exact)["weights"]
    return tuple(
        _record(dtype, form, RUNS[form](exact.to(DTYPES[dtype])), expected)
        for dtype in dtypes
        for form in FORMS
    )


def compare_with_torch(scores: Sequence[float | int], dtype: DTypeName) -> float | None:
    """Compare torch.softmax with the form that subtracts the largest score, in one type.

    Returns:
        The largest difference of the weights; None where a weight is no number.

    Raises:
        ValueError: as for measure_softmaxes.

    Example:
        >>> compare_with_torch([151.29, 150.29], "float32") < 1e-7
        True
    """
    shifted = measure_softmaxes(scores, [dtype])[FORMS.index("shifted")].weights
    by_torch = torch.tensor(scores, dtype=torch.float64).to(DTYPES[dtype]).softmax(dim=-1).double()
    difference = (by_torch - torch.tensor(shifted, dtype=torch.float64)).abs().max()
    return float(difference) if bool(difference.isfinite()) else None


def measure_exp_limits(dtypes: Sequence[DTypeName] = tuple(DTYPES)) -> tuple[ExpLimit, ...]:
    """Find by trying the largest argument whose exp each type holds.

    Returns:
        One record a type. Theory: log of the type's largest number, rounded to a number of the type.

    Example:
        >>> [round(limit.largest, 1) for limit in measure_exp_limits(["float32", "float16"])]
        [88.7, 11.1]
    """
    records = []
    for dtype in dtypes:
        kind = DTYPES[dtype]
        expected = math.log(torch.finfo(kind).max)
        near = _neighbours(torch.tensor(expected, dtype=kind), steps=2)
        is_finite = near.exp().isfinite()
        last = int(is_finite.sum()) - 1
        records.append(
            ExpLimit(dtype, float(near[last]), float(near[last].exp()), float(near[last + 1]), expected)
        )
    return tuple(records)


def measure_scale_order(
    q: Sequence[float | int], k: Sequence[float | int], dtypes: Sequence[DTypeName] = tuple(DTYPES)
) -> tuple[ScaleOrder, ...]:
    """Scale one score after the product, and q before it.

        q·k / √d_k = (q/√d_k)·k

    Returns:
        One record a type. Theory: both are the same number; only the first must hold q·k, which is √d_k times
        larger. Where q/√d_k · k is itself too large, nothing is cured.

    Raises:
        ValueError: q and k of different widths, empty, or not finite.

    Example:
        >>> (half,) = measure_scale_order([40] * 64, [40] * 64, ["float16"])
        >>> half.score, half.scaled_before, half.is_cured
        (inf, 12800.0, True)
    """
    if len(q) != len(k) or not q:
        raise ValueError(f"q and k must have one width of at least 1, got {len(q)} and {len(k)}")
    if not all(math.isfinite(number) for number in (*q, *k)):
        raise ValueError(f"q and k must be finite, got {list(q)} and {list(k)}")
    root = math.sqrt(len(q))
    exact = [torch.tensor(side, dtype=torch.float64) for side in (q, k)]
    records = []
    for dtype in dtypes:
        of_q, of_k = (side.to(DTYPES[dtype]) for side in exact)
        score = of_q @ of_k
        after, before = float(score / root), float((of_q / root) @ of_k)
        is_cured = not math.isfinite(after) and math.isfinite(before)
        expected = float((exact[0] / root) @ exact[1])
        records.append(ScaleOrder(dtype, float(score), after, before, expected, is_cured))
    return tuple(records)


def _record(
    dtype: DTypeName,
    form: Form,
    steps: dict[str, Float[Tensor, "..."]],
    expected: Float[Tensor, " M"],
) -> SoftmaxRun:
    weights = steps["weights"].double()
    faults = {name: _fault(values.abs() if name == "scores" else values) for name, values in steps.items()}
    later = next((name for name, fault in faults.items() if fault and name != "scores"), None)
    # A score that sinks to −∞ does no harm by itself: what comes after it is then named.
    is_harmless = bool(steps["scores"].amax().isfinite()) and later is not None
    first = "scores" if faults["scores"] and not is_harmless else later
    is_finite = bool(weights.isfinite().all())
    return SoftmaxRun(
        dtype=dtype,
        form=form,
        steps={name: tuple(values.double().tolist()) for name, values in steps.items()},
        first_fault_step=first,
        first_fault=faults[first] if first else None,
        weights=tuple(weights.tolist()),
        largest_difference=float((weights - expected).abs().max()) if is_finite else None,
        sunk_weight=float(expected[steps["scores"] == -math.inf].sum()),
    )


def _fault(values: Float[Tensor, "..."]) -> Fault | None:
    if bool(values.isnan().any()):
        return "nan"
    return "inf" if bool((values == math.inf).any()) else None


def _neighbours(x: Float[Tensor, ""], steps: int) -> Float[Tensor, " M"]:
    """Give the numbers of x's type around a positive x, in order; their bits are consecutive integers."""
    bits = {2: torch.int16, 4: torch.int32, 8: torch.int64}[x.element_size()]
    around = torch.arange(-steps, steps + 1, dtype=bits)
    return (x.view(bits) + around).view(x.dtype)
