"""From the lesson's values to what is drawn, and whether that is too much."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from attention_core.components import Components, DTypeName
from attention_core.components import most_trials as trials_kept
from attention_core.experiments.dot_products import VarianceAtWidth
from attention_core.experiments.scaling import DIVISORS, Divisor, Saturation, numbers_a_trial
from dashboard.cached import ScoresAtWidth, saturation_at, scores_at, variance_at
from dashboard.controls import State
from dashboard.link import STANDARD
from dashboard.panels.one_by_one import one_by_one
from dashboard.panels.scaling.fields import POWERS, scaling_fields
from dashboard.text import Language
from dashboard.text import scaling as words

# What a visitor may ask for at once: some seconds of one core.
MOST_NUMBERS = 250_000_000
GRADIENTS = frozenset({"q_gradient", "k_gradient"})
# A repeat gets a seed far from those that a reader types.
SEED_STEP = 10_007

Record = TypeVar("Record")
Values = State | Mapping[str, Any]


@dataclass(frozen=True)
class Sampling:
    """What is drawn, as the caches take it."""

    n_keys: int
    trials: int
    seed: int
    n_seeds: int
    components: Components
    dtype: DTypeName
    device: str
    n_heads: int
    temperature: float

    @property
    def seeds(self) -> tuple[int, ...]:
        """Name the seeds of all repeats; the first is the reader's."""
        return tuple(self.seed + SEED_STEP * repeat for repeat in range(self.n_seeds))


def standard_average(meter: str) -> str:
    """Name what suits a meter: few trials make the mean of a gradient."""
    return "median" if meter in GRADIENTS else "mean"


def average_of(state: Values) -> str:
    """Name what is taken over the trials: what the reader chose, else what suits the meter."""
    return standard_average(state["meter"]) if state["average"] == STANDARD else state["average"]


def sampling_of(state: Values) -> Sampling:
    """Read what is to be drawn."""
    names = ("distribution", "mean_q", "mean_k", "std_q", "std_k", "correlation")
    return Sampling(
        n_keys=state["n"],
        trials=state["trials"],
        seed=state["seed"],
        n_seeds=state["seeds"],
        components=Components(*(state[name] for name in names)),
        dtype=state["dtype"],
        device=state["device"],
        n_heads=state["heads"],
        temperature=state["temperature"],
    )


def divisor_names(sampling: Sampling, language: Language) -> dict[Divisor, str]:
    """Name the divisors with the numbers that belong to them."""
    numbers = {"heads": sampling.n_heads, "temperature": f"{sampling.temperature:g}"}
    return {name: words.NAMED_DIVISORS[name].say(language, **numbers) for name in DIVISORS}


def widths_of(state: Values) -> tuple[int, ...]:
    """Name the widths of the sweep: powers of two, and the reader's own."""
    reach = int(state["reach"])
    return tuple(sorted({*(power for power in POWERS if power <= reach), state["d_k"]}))


def drawn_a_trial(state: Values) -> int:
    """Say how many random numbers one more trial asks for in the present view."""
    total = sum(widths_of(state))
    if state["view"] == "variance":
        return 2 * (state["seeds"] * total + state["d_k"])
    return (state["n"] + 1) * total


def most_trials(state: Values) -> int:
    """Say how many trials fit into what a visitor may ask for at once, and into what the core keeps of them."""
    kept = 4 if state["view"] == "variance" else numbers_a_trial(state["n"])
    return min(MOST_NUMBERS // drawn_a_trial(state), trials_kept(kept))


def scores_of(sampling: Sampling, d_k: int) -> ScoresAtWidth:
    """Draw scores of one width."""
    s = sampling
    return scores_at(d_k, s.trials, s.seed, s.components, s.dtype, s.device)


def variance_of(sampling: Sampling, d_k: int) -> VarianceAtWidth:
    """Measure the variance at one width."""
    s = sampling
    return variance_at(d_k, s.trials, s.seeds, s.components, s.dtype, s.device)


def variances(sampling: Sampling, d_ks: Sequence[int], language: Language) -> list[VarianceAtWidth]:
    """Measure the variance at each width."""
    return sweep(d_ks, lambda d_k: variance_of(sampling, d_k), language)


def saturations(sampling: Sampling, d_ks: Sequence[int], language: Language) -> list[tuple[Saturation, ...]]:
    """Measure what every divisor does at each width."""
    return sweep(d_ks, lambda d_k: saturation_of(sampling, d_k), language)


def saturation_of(sampling: Sampling, d_k: int) -> tuple[Saturation, ...]:
    """Measure what every divisor does at one width."""
    s = sampling
    return saturation_at(
        d_k, s.n_keys, s.trials, s.seed, s.components, s.n_heads, s.temperature, s.dtype, s.device
    )


def sweep(d_ks: Sequence[int], measure: Callable[[int], Record], language: Language) -> list[Record]:
    """Measure width by width; a slow sweep says how far it has come."""
    return one_by_one(d_ks, measure, lambda d_k: words.MEASURING.say(language, d_k=d_k, last=d_ks[-1]))


def measure_defaults() -> None:
    """Measure what the first visitor sees, so that nobody waits for it."""
    values = {name: field.default for name, field in scaling_fields("en").items()}
    sampling, widths = sampling_of(values), widths_of(values)
    for d_k in widths:
        variance_of(sampling, d_k)
        saturation_of(sampling, d_k)
    scores_of(sampling, values["d_k"])
