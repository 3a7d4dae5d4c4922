"""From the lesson's values to matrices that begin in four ways, measured once for all visitors."""

import time
from collections.abc import Sequence

import streamlit as st

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
from dashboard.text import Language
from dashboard.text import head_initial as words

TOKENS, TRIALS = 16, 8
# How long a reader waits before being told how far it has come.
PATIENCE_S = 0.4

Records = dict[int, dict[Start, InitialWeights]]


@shared(1024)
def start_at(start: Start, d_model: int, n: int, trials: int, seed: int) -> InitialWeights:
    """Measure one way to begin at one width. A width gives the same in every sweep."""
    return measure_starts([d_model], [start], n=n, trials=trials, seed=seed)[0]


@shared(256)
def bins_at(start: Start, d_model: int, seed: int) -> tuple[WeightBin, ...]:
    """Count the weights of one matrix."""
    return bin_weights(start, d_model, seed=seed)


def widths_of(d_model: int) -> tuple[int, ...]:
    """Name the widths of the sweep, the reader's among them."""
    return tuple(sorted({*D_MODELS, d_model}))


def measure(d_model: int, seed: int, language: Language) -> Records:
    """Measure all four at each width; a slow sweep says how far it has come."""
    records: Records = {}
    bar, started, widths = None, time.monotonic(), widths_of(d_model)
    for place, width in enumerate(widths):
        if bar is None and time.monotonic() - started > PATIENCE_S:
            bar = st.empty()
        if bar is not None:
            text = words.MEASURING.say(language, d_model=width, last=widths[-1])
            bar.progress(_cost(widths[:place]) / _cost(widths), text=text)
        records[width] = {start: start_at(start, width, TOKENS, TRIALS, seed) for start in STARTS}
    if bar is not None:
        bar.empty()
    return records


def _cost(widths: Sequence[int]) -> int:
    return sum(width**2 for width in widths)


def measure_defaults() -> None:
    """Measure what the first visitor sees and each width and way a press away, so that nobody waits for it."""
    values = {name: field.default for name, field in head_fields("en").items()}
    measure(values["initial_d_model"], values["initial_seed"], "en")
    for width in D_MODELS:
        for start in STARTS:
            bins_at(start, width, values["initial_seed"])
