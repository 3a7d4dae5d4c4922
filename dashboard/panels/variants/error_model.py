"""What the reader's settings ask to be measured, what was, and what their own sentence gives."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from attention_core.experiments.approximation import (
    ERROR_LINES,
    MAX_LENGTH,
    ErrorAt,
    ErrorLine,
    ErrorPlan,
    errors_on,
    has_causal_form,
    sharpen,
)
from attention_core.variant_runs import Inputs
from dashboard.cached import errors_at
from dashboard.controls import State
from dashboard.panels.one_by_one import one_by_one
from dashboard.panels.variants.compare_model import inputs_of
from dashboard.panels.variants.fields import variant_fields

Settings = State | Mapping[str, Any]
N_DRAWS = 8
LENGTHS = tuple(2**power for power in range(4, 10))


@dataclass(frozen=True)
class Measured:
    """What is drawn.

    Attributes:
        lines: Those that are chosen and can be drawn; `left_out` those that have no causal form.
        own: Errors of the reader's own sentence, which has n_own tokens; lowest and highest are the mean.
        own_now: Those at the size that sentences speak of.
    """

    plan: ErrorPlan
    axis: str
    stops: tuple[int, ...]
    lines: tuple[ErrorLine, ...]
    left_out: tuple[ErrorLine, ...]
    drawn: tuple[ErrorAt, ...]
    own: tuple[ErrorAt, ...]
    own_now: tuple[ErrorAt, ...]
    n_own: int

    def of(self, line: ErrorLine) -> list[ErrorAt]:
        """Give the points of one line, from left to right."""
        return [at for at in self.drawn if at.line == line]

    def place(self, at: ErrorAt) -> int:
        """Say where a point stands on the horizontal axis."""
        return at.n if self.axis == "n" else at.size


def plan_of(state: Settings) -> ErrorPlan:
    """Turn the settings into a plan."""
    return ErrorPlan(
        n=state["error_n"],
        sharpness=float(state["sharpness"]),
        nearness=float(state["nearness"]),
        is_causal=state["is_causal"],
        n_draws=N_DRAWS,
        seed=state["seed"],
    )


def measure_defaults() -> None:
    """Measure what the first sight of the view draws, so that no visitor waits for it."""
    first = {name: field.default for name, field in variant_fields("en").items()}
    for size in stops_of(first):
        errors_at(plan_of(first), size)


def stops_of(state: Settings) -> tuple[int, ...]:
    """List where on the horizontal axis is measured: powers of two, and all positions."""
    if state["error_axis"] == "n":
        return LENGTHS
    n = state["error_n"]
    return (*(2**power for power in range(MAX_LENGTH.bit_length()) if 2**power < n), n)


def measured(state: State, said: Callable[[int], str]) -> Measured:
    """Measure stop by stop what is not known yet, and put everything together."""
    plan, stops, axis = plan_of(state), stops_of(state), state["error_axis"]
    chosen = tuple(line for line in ERROR_LINES if line in state["error_lines"])
    lines = tuple(line for line in chosen if not plan.is_causal or has_causal_form(line))

    def measure(stop: int) -> tuple[ErrorAt, ...]:
        at_n = axis == "n"
        return errors_at(replace(plan, n=stop) if at_n else plan, state["error_size"] if at_n else stop)

    records = one_by_one(stops, measure, said)
    drawn = tuple(at for record in records for at in record if at.line in lines)
    own_n = inputs_of(state).n
    size = own_size(state, own_n)
    sizes = (state["error_size"],) if axis == "n" else own_sizes(stops, own_n)
    own = own_errors(state, plan.sharpness, lines)
    return Measured(
        plan,
        axis,
        stops,
        lines,
        tuple(line for line in chosen if line not in lines),
        drawn,
        tuple(own(sizes=sizes)),
        tuple(own(sizes=(size,))),
        own_n,
    )


def own_size(state: State, n: int) -> int:
    """Give the size at which sentences speak of the reader's own sentence: the chosen one, or a stop near half of its tokens."""
    if state["error_axis"] == "n":
        return min(state["error_size"], n)
    return max(stop for stop in stops_of(state) if stop <= max(1, n // 2))


def own_sizes(stops: Sequence[int], n: int) -> tuple[int, ...]:
    """List the stops that a sentence reaches, and its own length.

    Example:
        >>> own_sizes((1, 2, 4, 8), 6), own_sizes((1, 2, 3), 6)
        ((1, 2, 4, 6), (1, 2, 3))
    """
    within = tuple(stop for stop in stops if stop < n)
    return (*within, n) if stops[-1] >= n else within


def own_errors(state: State, sharpness: float, lines: tuple[ErrorLine, ...]) -> Callable[..., list[ErrorAt]]:
    """Give what measures the reader's own sentence, all heads together, at some sizes."""
    inputs, seed = inputs_of(state), state["seed"]

    def at(sizes: tuple[int, ...]) -> list[ErrorAt]:
        found = _own_errors(inputs, sharpness, sizes, seed)
        return [one for one in found if one.line in lines]

    return at


@lru_cache(maxsize=32)
def _own_errors(inputs: Inputs, sharpness: float, sizes: tuple[int, ...], seed: int) -> tuple[ErrorAt, ...]:
    found = errors_on(sharpen(inputs, sharpness), ERROR_LINES, sizes, seed=seed)
    return tuple(
        ErrorAt(line, inputs.n, size, error, error, error)
        for (line, size), error in found.items()
        if error is not None
    )
