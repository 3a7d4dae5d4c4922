"""One sample query's weights, before and after scaling."""

import math

import pandas as pd
import streamlit as st

from attention_core.experiments.scaling import SampleRow, draw_sample_row
from dashboard.charts.sample import sample_bars, sample_frame
from dashboard.controls import State
from dashboard.frame import table
from dashboard.grid.lines import Line, prose
from dashboard.number_format import significant
from dashboard.panels.scaling.model import Sampling
from dashboard.text import scaling as words

MOST_DRAWN = 24


def draw(state: State, sampling: Sampling, d_k: int) -> tuple[SampleRow, list[int]]:
    """Draw the row without a divisor and with the chosen one; the keys' order is that of their scores."""
    row = draw_sample_row(
        d_k,
        n_keys=sampling.n_keys,
        seed=sampling.seed,
        components=sampling.components,
        divisors=("none", state["divisor"]),
        n_heads=sampling.n_heads,
        temperature=sampling.temperature,
        dtype=sampling.dtype,
    )
    scores = row.scores.double().nan_to_num(nan=-math.inf).tolist()
    return row, sorted(range(len(scores)), key=lambda m: -scores[m])


def show_sample(state: State, sampling: Sampling, d_k: int) -> tuple[SampleRow, list[int]]:
    """Draw the weights of the keys with the highest scores."""
    language, (row, order) = state.language, draw(state, sampling, d_k)
    names = [words.DIVISORS[name].say(language) for name in row.divisors]
    scores, weights = row.scores.double().tolist(), row.weights.double().tolist()
    drawn = [
        (str(m + 1), names[side], scores[m], weights[side][m])
        for m in order[:MOST_DRAWN]
        for side in range(len(set(names)))
    ]
    every = tuple(text.say(language) for text in words.DIVISORS.values())
    titles = (
        words.SAMPLE_KEY.say(language),
        words.SAMPLE_WEIGHT.say(language),
        words.SAMPLE_SERIES.say(language),
    )
    st.vega_lite_chart(
        sample_frame(drawn),
        sample_bars(*titles, every, tuple(dict.fromkeys(names))),
        key="chart.sample",
        alt=words.SAMPLE_ALT.say(
            language,
            d_k=d_k,
            divisor=names[1],
            before=significant(max(weights[0])),
            after=significant(max(weights[1])),
        ),
    )
    return row, order


def say_sample(state: State, sample: tuple[SampleRow, list[int]]) -> list[Line]:
    """Say how far apart the two best keys are, and what is not drawn."""
    language, (row, order) = state.language, sample
    lost = int((~row.scores.double().isfinite()).sum())
    if lost:
        return [Line(prose(words.SAMPLE_LOST.say(language, dtype=state["dtype"], lost=lost)), "prose")]
    first, second = order[:2]
    gap = float(row.scores[first].double() - row.scores[second].double())
    divisor = words.DIVISORS[row.divisors[1]].say(language)
    before, after = (ratio(gap / number) for number in row.divided_by)
    told = {"gap": significant(gap), "before": before, "after": after, "divisor": divisor}
    said = [words.SAMPLE_SEE.say(language, **told)]
    if len(order) > MOST_DRAWN:
        rest = [row.weights[side].double()[order[MOST_DRAWN:]].sum() for side in (0, 1)]
        counts = {"shown": MOST_DRAWN, "others": len(order) - MOST_DRAWN}
        shares = {"before": significant(float(rest[0])), "after": significant(float(rest[1]))}
        said.append(words.SAMPLE_MORE.say(language, **counts, **shares))
    return [Line(prose(text), "prose") for text in said]


def ratio(gap: float) -> str:
    """Write e to the power of a gap, which may be larger than any number held."""
    return significant(math.exp(gap)) if gap < 700 else "> e^700"


def show_sample_table(state: State, sample: tuple[SampleRow, list[int]]) -> None:
    """Offer every number of the row."""
    language, (row, order) = state.language, sample
    scores, scaled, weights = (x.double() for x in (row.scores, row.scaled, row.weights))
    rows = [
        (m + 1, float(scores[m]), float(weights[0][m]), float(scaled[1][m]), float(weights[1][m]))
        for m in order
    ]
    columns = [text.say(language) for text in words.SAMPLE_COLUMNS]
    table(pd.DataFrame(rows, columns=columns), "sample", language, words.SAMPLE_TABLE)
