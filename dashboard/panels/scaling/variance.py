"""The scores q·k of many draws at one width, and their variance against the width (S1)."""

import math
from collections.abc import Sequence
from dataclasses import replace

import pandas as pd
import streamlit as st

from attention_core.components import (
    common_variance,
    draw_queries_and_keys,
    expected_variance,
    score_kurtosis,
    spacing_at,
)
from attention_core.experiments.dot_products import VarianceAtWidth, bin_scores, measure_dot_products
from dashboard import controls
from dashboard.cached import ScoresAtWidth
from dashboard.charts.histogram import histogram, histogram_frame
from dashboard.charts.variance import variance_frame, variance_lines
from dashboard.controls import State
from dashboard.frame import asked_and_measured, source, table
from dashboard.grid.bench import Area, Part, show_bench
from dashboard.grid.lines import Line, lines_part, prose
from dashboard.number_format import significant
from dashboard.panels.scaling.model import Sampling, sampling_of, scores_of, variances, widths_of
from dashboard.panels.scaling.settings import (
    fits,
    is_affordable,
    remember_shown,
    say_measured,
    show_anew_if_needed,
    width,
)
from dashboard.text import scaling as words

# Fewer trials, or a longer tail than this (the normal's is 3), say too little of their own standard error.
ENOUGH_TRIALS, LONGEST_TAIL = 200, 6.0
# With fewer steps of the number type than this in a standard deviation, rounding spoils the variance.
FINE_STEPS = 4
# Up to here the sum of so few products is visibly not normal.
FEW_PRODUCTS = 8


def variance(state: State) -> None:
    """Show the scores at the reader's width, which run alone, and their variance against the width."""
    is_shown = is_affordable(state)
    remember_shown(state)
    at_one_width(state)
    if not is_shown:
        return
    sampling = sampling_of(state)
    records = variances(sampling, widths_of(state), state.language)
    show_sweep(state, records)
    st.caption(say_measured(state, sampling, all_seeds=True))
    for warning in overflows(state, records):
        st.warning(warning)
    if any(record.median == 0 or record.expected_variance == 0 for record in records):
        st.info(words.VARIANCE_ZERO.say(state.language))
    columns = [text.say(state.language) for text in words.VARIANCE_COLUMNS]
    rows = [(r.d_k, r.lowest, r.median, r.highest, r.expected_variance, r.overflowed) for r in records]
    table(lambda: pd.DataFrame(rows, columns=columns), "variance", state.language, words.VARIANCE_TITLE)
    source([draw_queries_and_keys, measure_dot_products, bin_scores, expected_variance], state.language)


@controls.fragment
def at_one_width(state: State) -> bool:
    """Show the histogram and what it says."""
    d_k = width(state)
    show_anew_if_needed(state)
    parts: dict[str, tuple[Area, Part]] = {"address": ("top", controls.address_part(state))}
    if not fits(state):
        show_bench("bench.variance", parts)
        return True
    sampling = sampling_of(state)
    here = scores_of(sampling, d_k)
    left, right = st.columns([6, 5], gap="medium")
    with left:
        if here.bins:
            show_histogram(state, here, d_k)
        else:
            st.warning(
                words.VARIANCE_NOTHING.say(
                    state.language, d_k=d_k, dtype=sampling.dtype, scores=here.n_scores
                )
            )
    with right:
        texts = readings(state, sampling, here, d_k) if here.bins else []
        badge = Line(prose(say_measured(state, sampling)), "note")
        lines = [badge, *(Line(prose(text), "prose") for text in texts)]
        parts["said"] = ("top", lines_part(words.HISTOGRAM_TITLE.say(state.language), lines))
        show_bench("bench.variance", parts | question_parts(state, sampling, d_k))
    columns = [text.say(state.language) for text in words.HISTOGRAM_COLUMNS]
    bins = [(b.lower, b.upper, b.share, b.expected_share) for b in here.bins]
    table(lambda: pd.DataFrame(bins, columns=columns), "histogram", state.language, words.HISTOGRAM_TITLE)
    return True


def show_histogram(state: State, here: ScoresAtWidth, d_k: int) -> None:
    """Draw the scores of one width."""
    language = state.language
    measured, normal = (text.say(language) for text in words.HISTOGRAM_KINDS.values())
    bins = [(b.lower, b.upper, b.share, b.expected_share) for b in here.bins]
    st.vega_lite_chart(
        histogram_frame(bins, measured, normal),
        histogram(words.HISTOGRAM_TITLE.say(language), words.SHARE_TITLE.say(language), measured, normal),
        key="chart.histogram",
        alt=words.HISTOGRAM_ALT.say(
            language,
            d_k=d_k,
            mean=significant(here.mean.mean),
            std=significant(root(here.variance.mean)),
            expected=significant(here.expected_mean),
            expected_std=significant(root(here.expected_variance)),
        ),
    )


def root(variance: float | None) -> float | None:
    """Turn a variance into a standard deviation."""
    return None if variance is None else math.sqrt(variance)


def show_sweep(state: State, records: Sequence[VarianceAtWidth]) -> None:
    """Draw the variance against the width."""
    language = state.language
    median, theory = (text.say(language) for text in words.VARIANCE_KINDS.values())
    rows = [(r.d_k, r.lowest, r.median, r.highest, r.expected_variance) for r in records]
    first, last = records[0], records[-1]
    st.vega_lite_chart(
        variance_frame(rows, median, theory),
        variance_lines(words.D_K_TITLE.say(language), words.VARIANCE_TITLE.say(language), median, theory),
        key="chart.variance",
        alt=words.VARIANCE_ALT.say(
            language,
            first=first.d_k,
            last=last.d_k,
            first_variance=significant(first.median),
            last_variance=significant(last.median),
            first_expected=significant(first.expected_variance),
            last_expected=significant(last.expected_variance),
        ),
    )


def overflows(state: State, records: Sequence[VarianceAtWidth]) -> list[str]:
    """Name the widths whose scores the number type could not hold."""
    lost = [record.d_k for record in records if record.overflowed]
    return [words.SWEEP_OVERFLOW.say(state.language, d_k=lost[0], dtype=state["dtype"])] if lost else []


def is_steady(sampling: Sampling, here: ScoresAtWidth, d_k: int) -> bool:
    """Tell whether the standard error of the variance is one to judge by."""
    has_error = bool(here.variance.standard_error) and here.n_scores >= ENOUGH_TRIALS
    return has_error and score_kurtosis(sampling.components, d_k) <= LONGEST_TAIL


def are_unit(sampling: Sampling) -> bool:
    """Tell whether the components have mean 0 and variance 1."""
    c = sampling.components
    return (c.mean_q, c.mean_k, c.std_q, c.std_k) == (0, 0, 1, 1)


def readings(state: State, sampling: Sampling, here: ScoresAtWidth, d_k: int) -> list[str]:
    """Say what was measured, how far it is from theory, and why theory says so."""
    language, one = state.language, expected_variance(sampling.components, 1)
    expected, spacing = here.expected_variance, spacing_at(here.expected_mean, sampling.dtype)
    said = [
        words.VARIANCE_SEE.say(
            language,
            d_k=d_k,
            trials=here.n_scores,
            mean=significant(here.mean.mean),
            mean_error=significant(here.mean.standard_error),
            expected=significant(here.expected_mean),
            variance=significant(here.variance.mean, 4),
            variance_error=significant(here.variance.standard_error),
            expected_variance=significant(expected, 4),
            std=significant(root(here.variance.mean)),
        )
    ]
    if here.overflowed:
        counts = {"scores": here.n_scores, "lost": here.overflowed}
        said.append(words.VARIANCE_OVERFLOW.say(language, dtype=sampling.dtype, d_k=d_k, **counts))
        said.append(words.VARIANCE_UNFAIR.say(language))
    elif spacing * FINE_STEPS > root(expected) > 0:
        near = {"mean": here.expected_mean, "spacing": spacing, "std": root(expected)}
        near = {name: significant(value) for name, value in near.items()}
        said.append(words.VARIANCE_ROUNDED.say(language, dtype=sampling.dtype, **near))
    elif is_steady(sampling, here, d_k):
        errors = abs(here.variance.mean - expected) / here.variance.standard_error
        said.append(words.VARIANCE_FAR.say(language, errors=significant(errors, 2)))
    if not expected:
        return [*said, words.VARIANCE_CONSTANT.say(language)]
    why = {"d_k": d_k, "one": significant(one), "expected_variance": significant(expected, 4)}
    said.append(words.VARIANCE_WHY.say(language, **why))
    common = common_variance(sampling.components, d_k)
    if common:
        said.append(words.VARIANCE_COMMON.say(language, common=significant(common)))
    if not math.isclose(one, 1):
        said.append(words.VARIANCE_NOT_UNIT.say(language, scaled=significant(math.sqrt(one))))
    if d_k < FEW_PRODUCTS:
        said.append(words.VARIANCE_FEW.say(language, d_k=d_k))
    return said + signs_note(state, sampling, here)


def signs_note(state: State, sampling: Sampling, here: ScoresAtWidth) -> list[str]:
    """Say where the gaps between sums of ±1 come from."""
    has_gaps = bool(here.bins) and here.bins[0].upper - here.bins[0].lower < 2
    if sampling.components.distribution == "signs" and are_unit(sampling) and has_gaps:
        return [words.SIGNS_NOTE.say(state.language)]
    return []


def question_parts(state: State, sampling: Sampling, d_k: int) -> dict[str, tuple[Area, Part]]:
    """Ask what a wider q does; the answer is measured once the reader wants it."""
    language = state.language
    now_q = sampling.components
    now = now_q.std_q
    wider = replace(sampling.components, std_q=2 * now or 1.0)

    def answer() -> str:
        again = scores_of(replace(sampling, components=wider, dtype="float64"), d_k)
        expected, measured = again.expected_variance, again.variance.mean
        text = words.ANSWER_STD_MEAN if now_q.mean_q else words.ANSWER_STD
        if now_q.mean_q and now_q.mean_k and now_q.correlation:
            text = words.ANSWER_STD_TOGETHER
        return text.say(language, expected=significant(expected, 4), measured=significant(measured, 4))

    stds = {"now": significant(now), "std": significant(wider.std_q)}
    question = words.QUESTION_STD.say(language, d_k=d_k, **stds)
    return asked_and_measured("variance", question, answer, language)
