"""What timed kernels say beside the formulas: lines that formulas foresee, fitted powers, speed-ups, growth of memory."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from attention_core.cost import Setting, list_terms
from attention_core.estimate import Power, fit_power
from attention_core.experiments.timed_kernels import (
    MODULES,
    VARIANT_OF,
    Kernel,
    Plan,
    Point,
    Prediction,
    Rates,
    count_flops,
    predict,
)

Meter = Literal["time", "memory"]
# A power is fitted through so many of the longest lengths: at short ones what a call costs by itself hides it.
FITTED = 4
# Inputs of a kernel, which are there before it runs, and weights, which stand among the copies of scores.
_NOT_ADDED = ("x", "weights")


@dataclass(frozen=True)
class Fit:
    """How a kernel grows with N, as measured and by formula, over the same lengths.

    Attributes:
        power: None where fewer than two lengths are measured.
        expected: The exponent that the formula has between the ends of these lengths.
    """

    kernel: Kernel
    lengths: tuple[int, ...]
    power: Power | None
    expected: float | None


def foresee_seconds(kernel: Kernel, setting: Setting, rates: Rates) -> float:
    """Say how long a forward pass would take if nothing but its matrix products took time.

    Example:
        >>> foresee_seconds("flash", Setting(n=1024, d_model=512, n_heads=8), Rates(2e9, 1e9))
        1.073741824
    """
    return count_flops(kernel, setting) / rates.flops_a_s


def foresee_bytes(kernel: Kernel, setting: Setting) -> int:
    """Count by formula what a forward pass takes beyond its inputs where every step is stored.

    Returns:
        Three copies of the scores where they are stored at all; the output; what a fused or linear kernel keeps besides;
        projected queries, keys and values where the kernel projects.

    Example:
        >>> [foresee_bytes(kernel, Setting(n=2048, d_model=256, n_heads=4)) / 2**20 for kernel in ("traced", "flash")]
        [194.0, 2.03125]
    """
    given = _NOT_ADDED if kernel in MODULES else (*_NOT_ADDED, "q", "k", "v")
    variant = VARIANT_OF[kernel]
    kept = [term.value for term in list_terms(variant, "kept_bytes", setting) if term.name not in given]
    return sum(kept) + sum(term.value for term in list_terms(variant, "score_bytes", setting))


def read_meter(point: Point, meter: Meter) -> float | int | None:
    """Give what was measured; None where it could not be."""
    return point.median_s if meter == "time" else point.peak_bytes


def foresee(kernel: Kernel, meter: Meter, setting: Setting, rates: Rates) -> float | int:
    """Give what the formula says for either meter."""
    return foresee_seconds(kernel, setting, rates) if meter == "time" else foresee_bytes(kernel, setting)


def fit_growth(kernel: Kernel, meter: Meter, points: Sequence[Point], plan: Plan) -> Fit:
    """Fit a power of N through the longest lengths of one kernel.

    Example:
        >>> points = [Point("math", n, n * n / 1e9, 0.0, 1.0, 1, 4 * n, None, 0) for n in (64, 128, 256)]
        >>> fit = fit_growth("math", "time", points, Plan())
        >>> round(fit.power.exponent, 6), fit.lengths, fit.expected
        (2.0, (64, 128, 256), 2.0)
    """
    found = {point.n: read_meter(point, meter) for point in points if point.kernel == kernel}
    lengths = tuple(sorted(n for n, value in found.items() if value))[-FITTED:]
    if len(lengths) < 2:
        return Fit(kernel, lengths, None, None)
    ends = [foresee(kernel, meter, plan.setting(n), Rates(1.0, 1.0)) for n in (lengths[0], lengths[-1])]
    expected = fit_power((lengths[0], lengths[-1]), ends).exponent
    return Fit(kernel, lengths, fit_power(lengths, [found[n] for n in lengths]), round(expected, 12))


def speed_ups(points: Sequence[Point], base: Kernel = "traced") -> Mapping[tuple[Kernel, int], float]:
    """Say how many times as fast as the definition each kernel is, by kernel and length; where both were measured.

    Example:
        >>> points = [Point(name, 64, s, s, s, 1, 1, None, 0) for name, s in (("traced", 3.0), ("flash", 1.5))]
        >>> dict(speed_ups(points))
        {('traced', 64): 1.0, ('flash', 64): 2.0}
    """
    defined = {point.n: point.median_s for point in points if point.kernel == base}
    return {
        (point.kernel, point.n): defined[point.n] / point.median_s for point in points if point.n in defined
    }


def extrapolate(fit: Fit, n: int) -> float | None:
    """Go on with a fitted power to another length; None where nothing is fitted.

    Example:
        >>> extrapolate(Fit("math", (1, 2), Power(2.0, None, 3.0), 2.0), 10)
        300.0
    """
    return None if fit.power is None else fit.power.factor * n**fit.power.exponent


def fitting_lengths(plan: Plan, rates: Rates, most: Prediction) -> tuple[int, ...]:
    """Keep as many of a plan's lengths, shortest first, as are foreseen to stay within these limits together.

    Example:
        >>> fitting_lengths(Plan(kernels=("math",)), Rates(1e12, 1e12), Prediction(60.0, 2**26))
        (64, 128, 256, 512)
    """
    kept: tuple[int, ...] = ()
    for n in sorted(set(plan.lengths)):
        foreseen = predict(replace(plan, lengths=(*kept, n)), rates)
        if foreseen.exceeds(most):
            break
        kept = (*kept, n)
    return kept
