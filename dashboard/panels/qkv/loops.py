"""Loop, matrix product, einsum and an RNN (P5): equal or not, who waits for whom, how long each takes."""

import streamlit as st

from attention_core.experiments import independence
from dashboard import controls
from dashboard.cached import TIMED_LENGTHS, TIMED_REPEATS, Measured, measured_forms
from dashboard.charts.timings import timing_frame, timing_lines
from dashboard.controls import State
from dashboard.frame import source, table
from dashboard.number_format import significant
from dashboard.text import qkv as words


def loops(state: State) -> None:
    """Say what depends on what, then time it on request."""
    language = state.language
    reach = independence.measure_reach(d_k=state["d_k"])
    st.markdown(words.REACH.say(language, n=reach.n, attention=reach.attention_rows, rnn=reach.rnn_rows))
    controls.button(words.MEASURE.say(language), "measure.forms", ask_for_times, state)
    if state.values.get("timed_d_k"):
        with st.spinner(words.MEASURING.say(language)):
            measured = measured_forms(state.values["timed_d_k"])
        show_times(state, measured, state.values["timed_d_k"])
    source(
        [
            independence.attend_by_loop,
            independence.attend_by_matmul,
            independence.attend_by_einsum,
            independence.scan_rnn,
        ],
        language,
    )


def ask_for_times(state: State) -> None:
    """Remember the width to measure."""
    state.values["timed_d_k"] = state["d_k"]


def show_times(state: State, measured: Measured, d_k: int) -> None:
    """Draw the measured times and judge the claim about einsum."""
    language = state.language
    names = {form: text.say(language) for form, text in words.FORMS.items()}
    frame = timing_frame(
        [
            (
                names[record.form],
                record.n,
                *(
                    1e6 * seconds
                    for seconds in (record.timing.median_s, record.timing.lowest_s, record.timing.highest_s)
                ),
            )
            for record in measured.records
        ]
    )
    longest = TIMED_LENGTHS[-1]
    median = {record.form: 1e6 * record.timing.median_s for record in measured.records if record.n == longest}
    titles = [text.say(language) for text in (words.N_TITLE, words.TIME_TITLE, words.FORM_TITLE)]
    st.vega_lite_chart(
        frame,
        timing_lines(*titles, tuple(names.values())),
        key="chart.timings",
        alt=words.TIMINGS_ALT.say(
            language, n=longest, loop=significant(median["loop"]), matmul=significant(median["matmul"])
        ),
    )
    st.caption(
        words.MEASURED_AT.say(
            language,
            when=measured.when,
            machine=measured.machine,
            torch=measured.torch_version,
            d_k=d_k,
            repeats=TIMED_REPEATS,
        )
    )
    say_verdict(state, measured, median["loop"] / median["matmul"])
    table(frame, "timings", language)


def say_verdict(state: State, measured: Measured, ratio: float) -> None:
    """Put the measured comparison of the forms into words."""
    language = state.language
    differences = [r.largest_difference for r in measured.records if r.largest_difference is not None]
    comparison = independence.compare_forms(measured.records)[-1]
    st.markdown(
        words.EQUAL_FORMS.say(
            language, difference=significant(max(differences)), n=comparison.n, ratio=significant(ratio)
        )
    )
    st.markdown(
        words.EINSUM_VERDICT.say(
            language,
            n=comparison.n,
            ratio=significant(comparison.ratio),
            lower=significant(comparison.lower_quartile),
            upper=significant(comparison.upper_quartile),
            verdict=words.VERDICTS[comparison.verdict].say(language),
        )
    )
