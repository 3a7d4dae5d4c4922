"""Loop, matrix product, einsum and an RNN (P5): equal or not, who waits for whom, how long each takes."""

import streamlit as st

from attention_core.experiments import independence
from attention_core.experiments.independence import FormTiming
from attention_core.single_head import trace_single_head
from dashboard import controls
from dashboard.cached import TIMED_LENGTHS, TIMED_REPEATS, Measured, measured_forms
from dashboard.charts.timings import timing_frame, timing_lines
from dashboard.controls import State
from dashboard.frame import ask, code_span, source, table
from dashboard.number_format import significant
from dashboard.number_table import show_table
from dashboard.panels.qkv.model import Model, build, matrices_of
from dashboard.text import qkv as words


def loops(state: State) -> None:
    """Change one query and see who moves; compare the ways of writing it, and time them on request."""
    language = state.language
    model = build(state)
    if model.trace.q is None:
        st.info(words.NO_QUERIES.say(language))
        controls.button(words.USE_OWN.say(language), "loops.own", state.put, "source", "own")
        return
    show_reach(state, model)
    differences = independence.differences_of_forms(
        model.trace.q, model.trace.k, model.trace.v, model.trace.allowed
    )
    st.markdown(
        words.FORMS_HERE.say(language, **{form: significant(value) for form, value in differences.items()})
    )
    if model.trace.x is not None:
        ask_input(state, model)
    controls.button(words.MEASURE.say(language), "measure.forms", ask_for_times, state)
    if state.values.get("timed_d_k"):
        with st.spinner(words.MEASURING.say(language)):
            measured = measured_forms(state.values["timed_d_k"], state["device"])
        show_times(state, measured, state.values["timed_d_k"])
        if state.values["timed_d_k"] != state["d_k"]:
            said = {"measured": state.values["timed_d_k"], "now": state["d_k"]}
            st.caption(words.MEASURED_BEFORE.say(language, **said))
    source(
        [
            independence.attend_by_loop,
            independence.attend_by_matmul,
            independence.attend_by_einsum,
            independence.scan_rnn,
        ],
        language,
    )


def show_reach(state: State, model: Model) -> None:
    """Let the reader change one query; show how far each row moves in attention and in an RNN."""
    language, trace = state.language, model.trace
    names = [f"{place} {token}" for place, token in enumerate(model.queries, 1)]
    n = controls.choose_place(state, "query", words.CHANGED_QUERY, words.CHANGED_QUERY_HELP, names)
    reach = independence.measure_reach(
        trace.q, trace.k, trace.v, n, allowed=trace.allowed, seed=state["seed"]
    )
    moved = {name: int((getattr(reach, name) > 0).sum()) for name in ("attention", "rnn")}
    st.markdown(words.REACH.say(language, token=code_span(model.queries[n]), n=len(model.queries), **moved))
    show_table(
        list(zip(reach.attention.tolist(), reach.rnn.tolist(), strict=True)),
        words.REACH_TABLE.say(language),
        language,
        key="grid.reach",
        rows=model.queries,
        columns=[text.say(language) for text in words.REACH_COLUMNS.values()],
        row="query",
    )


def ask_input(state: State, model: Model) -> None:
    """Ask what moves when an input is changed instead of a query; the answer is counted."""
    language, given = state.language, matrices_of(model) | {"x": model.trace.x}
    n = state["query"] - 1
    given["x"] = given["x"].clone()
    given["x"][n] += 1.0
    moved = trace_single_head(given, is_causal=model.trace.allowed is not None).out - model.trace.out
    ask(
        words.QUESTION_INPUT.say(language, token=code_span(model.queries[n])),
        words.ANSWER_INPUT.say(language, rows=int((moved != 0).any(dim=1).sum())),
        language,
    )


def ask_for_times(state: State) -> None:
    """Remember the width to measure."""
    state.values["timed_d_k"] = state["d_k"]


def show_times(state: State, measured: Measured[FormTiming], d_k: int) -> None:
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
            machine=code_span(f"{controls.where(state['device'])}, {measured.machine.processor}"),
            torch=measured.machine.torch,
            d_k=d_k,
            repeats=TIMED_REPEATS,
        )
    )
    say_verdict(state, measured, median["loop"] / median["matmul"])
    columns = (words.FORM_TITLE, words.N_TITLE, *words.TIME_COLUMNS)
    table(lambda: frame.set_axis([text.say(language) for text in columns], axis=1), "timings", language)


def say_verdict(state: State, measured: Measured[FormTiming], ratio: float) -> None:
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
