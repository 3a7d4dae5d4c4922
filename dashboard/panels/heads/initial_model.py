"""From the lesson's values to matrices that begin in four ways, measured once for all visitors."""

from attention_core.experiments.initial_weights import (
    D_MODELS,
    STARTS,
    InitialWeights,
    Start,
    WeightBin,
    bin_weights,
    measure_starts,
)
from dashboard.cached import shared
from dashboard.panels.heads.fields import head_fields
from dashboard.panels.one_by_one import one_by_one
from dashboard.text import Language
from dashboard.text import head_initial as words

TOKENS, TRIALS = 16, 8

Records = dict[int, dict[Start, InitialWeights]]


@shared(1024)
def start_at(start: Start, d_model: int, n: int, trials: int, seed: int, device: str) -> InitialWeights:
    """Measure one way to begin at one width. A width gives the same in every sweep."""
    return measure_starts([d_model], [start], n=n, trials=trials, seed=seed, device=device)[0]


@shared(256)
def bins_at(start: Start, d_model: int, seed: int) -> tuple[WeightBin, ...]:
    """Count the weights of one matrix."""
    return bin_weights(start, d_model, seed=seed)


def widths_of(d_model: int) -> tuple[int, ...]:
    """Name the widths of the sweep, the reader's among them."""
    return tuple(sorted({*D_MODELS, d_model}))


def measure(d_model: int, seed: int, device: str, language: Language) -> Records:
    """Measure all four at each width; a slow sweep says how far it has come."""
    widths = widths_of(d_model)

    def four(width: int) -> dict[Start, InitialWeights]:
        return {start: start_at(start, width, TOKENS, TRIALS, seed, device) for start in STARTS}

    def said(width: int) -> str:
        return words.MEASURING.say(language, d_model=width, last=widths[-1])

    # A matrix has width² numbers.
    records = one_by_one(widths, four, said, cost=lambda width: width**2)
    return dict(zip(widths, records, strict=True))


def measure_defaults() -> None:
    """Measure what the first visitor sees and each width and way a press away, so that nobody waits for it."""
    values = {name: field.default for name, field in head_fields("en").items()}
    measure(values["initial_d_model"], values["initial_seed"], values["device"], "en")
    for width in D_MODELS:
        for start in STARTS:
            bins_at(start, width, values["initial_seed"])
