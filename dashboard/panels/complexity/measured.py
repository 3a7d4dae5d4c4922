"""What a run of the measuring view has given so far, sorted for its chart, its tables and its sentences."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from attention_core.cost import Setting
from attention_core.experiments.timed_kernels import Absent, Chosen, Kernel, Plan, Point, Rates, probe_side
from attention_core.kernel_readings import Meter, foresee, read_meter
from dashboard import cached
from dashboard.controls import where
from dashboard.number_format import significant
from dashboard.panels.long_run import Found
from dashboard.text import Language
from dashboard.text import complexity as lesson_words
from dashboard.text import complexity_measure as words

MIB = 2**20


@dataclass(frozen=True)
class Measured:
    """The records of one run.

    Attributes:
        rates: There from the first record on; without it there is no point either.
        chosen: There once the run is done.
    """

    plan: Plan
    rates: Rates
    points: tuple[Point, ...]
    absent: tuple[Absent, ...]
    chosen: Chosen | None

    @cached_property
    def by_place(self) -> Mapping[tuple[Kernel, int], Point]:
        """The points by kernel and length."""
        return {(point.kernel, point.n): point for point in self.points}

    @cached_property
    def kernels(self) -> tuple[Kernel, ...]:
        """Those that have a point, in the order in which they are offered."""
        return tuple(
            kernel for kernel in self.plan.kernels if any(point.kernel == kernel for point in self.points)
        )

    @cached_property
    def lengths(self) -> tuple[int, ...]:
        """Those that have a point, shortest first."""
        return tuple(sorted({point.n for point in self.points}))

    @cached_property
    def planned(self) -> tuple[int, ...]:
        """The lengths that are asked for, shortest first."""
        return tuple(sorted(set(self.plan.lengths)))

    @cached_property
    def drawn(self) -> tuple[Kernel, ...]:
        """Those whose line stands in the chart: all of the plan but what could not be measured at all."""
        ruled_out = {one.kernel for one in self.absent} - set(self.kernels)
        return tuple(kernel for kernel in self.plan.kernels if kernel not in ruled_out)

    def setting(self, n: int) -> Setting:
        """Give the sizes that formulas ask for."""
        return self.plan.setting(n)

    def read(self, kernel: Kernel, n: int, meter: Meter) -> float | None:
        """Give what is shown of a point: milliseconds or MiB."""
        point = self.by_place.get((kernel, n))
        return None if point is None else in_shown(read_meter(point, meter), meter)

    def foresee(self, kernel: Kernel, n: int, meter: Meter) -> float:
        """Give what the formula says of it, in the same unit."""
        return in_shown(foresee(kernel, meter, self.setting(n), self.rates), meter)


def in_shown(value: float | None, meter: Meter) -> float | None:
    """Turn seconds into milliseconds and bytes into MiB."""
    if value is None:
        return None
    return value * 1e3 if meter == "time" else value / MIB


def sort_records(found: Found) -> Measured | None:
    """Sort what a run has given; None before there is a point, or a reason why there is none."""
    kinds = {
        kind: [one for one in found.records if isinstance(one, kind)]
        for kind in (Rates, Point, Absent, Chosen)
    }
    if not kinds[Rates] or not (kinds[Point] or kinds[Absent]):
        return None
    (plan,) = found.task.arguments
    return Measured(
        plan,
        kinds[Rates][0],
        tuple(kinds[Point]),
        tuple(kinds[Absent]),
        kinds[Chosen][0] if kinds[Chosen] else None,
    )


def rate_fields(measured: Measured) -> Mapping[str, object]:
    """Write how fast the device multiplies, and which matrices told so, for a sentence."""
    return {"rate": significant(measured.rates.flops_a_s), "side": probe_side(measured.plan.device)}


def foresee_plan(plan: Plan, found: Found | None) -> Measured:
    """Put together what formulas say of a plan before it has a point: at the run's own rates where it has given them."""
    given = () if found is None else found.records
    rates = next((one for one in given if isinstance(one, Rates)), None)
    return Measured(plan, rates or cached.rates_of(plan.dtype, plan.device), (), (), None)


def name_of(kernel: str, language: Language) -> str:
    """Name a kernel; one that only torch knows by the name it has there."""
    return words.NAMES[kernel].say(language) if kernel in words.NAMES else kernel


def joined(sentences: list[str], language: Language) -> str:
    """Put sentences one after another."""
    return ("" if language == "zh" else " ").join(sentences)


def settings_fields(plan: Plan, language: Language) -> Mapping[str, object]:
    """Write the settings of a plan that stand beside its kernels and lengths, for a sentence."""
    width = words.SETTINGS_WIDTH.say(language, w=f"{plan.width:,}") if "window" in plan.kernels else ""
    return {
        "dtype": plan.dtype,
        "device": where(plan.device),
        "batch": plan.batch,
        "heads": plan.n_heads,
        "d_k": plan.d_k,
        "mask": words.MASKS[plan.mask].say(language),
        "passes": words.PASSES[plan.with_backward].say(language),
        "repeats": plan.repeats,
        "width": width,
    }


def listed(texts: list[str], language: Language) -> str:
    """List texts in a sentence."""
    return lesson_words.BETWEEN.say(language).join(texts)


def valued(values: Mapping[Kernel, float], language: Language) -> str:
    """List kernels with a number each."""
    texts = [
        words.KERNEL_VALUE.say(language, kernel=name_of(kernel, language), value=significant(value))
        for kernel, value in values.items()
    ]
    return listed(texts, language)
