"""Time a function so that the number can be believed: several runs, the median, and how far they spread."""

import statistics
from collections.abc import Callable
from dataclasses import dataclass

from attention_core.device import CPU, Kind, run_s


@dataclass(frozen=True)
class Timing:
    """How long the runs of one function took."""

    median_s: float
    lowest_s: float
    highest_s: float
    repeats: int
    runs_s: tuple[float, ...]  # in the order they were made


def time_s(function: Callable[[], object], *, repeats: int = 7, warmup: int = 1) -> Timing:
    """Time a function on this machine.

    Args:
        repeats: Timed runs.
        warmup: Runs before them that do not count: the first one often pays for what later ones find ready.

    Returns:
        The runs and their median. The median outlives a disturbed run; the lowest is nearest to what the work
        needs, and how far the runs lie apart shows how much of a difference is noise.

    Raises:
        ValueError: repeats below 1 or warmup below 0.

    Example:
        >>> timing = time_s(lambda: sum(range(10)), repeats=3)
        >>> timing.repeats, timing.lowest_s <= timing.median_s <= timing.highest_s
        (3, True)

    Cost: warmup + repeats runs.
    """
    return time_each_s([function], repeats=repeats, warmup=warmup)[0]


def time_each_s(
    functions: list[Callable[[], object]], *, repeats: int = 7, warmup: int = 1, device: Kind = CPU
) -> tuple[Timing, ...]:
    """Time several functions in turns, so that a slow moment of the machine meets them all alike.

    Every other round runs them backwards: what a function leaves in the caches helps or hinders the next one, and
    in one fixed order that would pass for a difference between them.

    Args:
        device: Where they run; work that is queued there is waited for.

    Returns:
        One timing for each function, in order; the runs of one round stand at the same index.

    Raises:
        ValueError: repeats below 1 or warmup below 0.

    Example:
        >>> [timing.repeats for timing in time_each_s([int, float], repeats=2)]
        [2, 2]
    """
    if repeats < 1 or warmup < 0:
        raise ValueError(
            f"repeats must be at least 1 and warmup at least 0, got repeats={repeats} and warmup={warmup}"
        )
    for _ in range(warmup):
        for function in functions:
            function()
    runs: list[list[float]] = [[] for _ in functions]
    for turn in range(repeats):
        pairs = list(zip(functions, runs, strict=True))
        for function, seconds in reversed(pairs) if turn % 2 else pairs:
            seconds.append(run_s(function, device))
    return tuple(Timing(statistics.median(s), min(s), max(s), repeats, tuple(s)) for s in runs)
