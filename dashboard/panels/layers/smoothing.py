"""How alike tokens become, layer by layer, without a residual and with it, over several seeds (P8)."""

from collections.abc import Callable

import pandas as pd
import streamlit as st

from attention_core.experiments.smoothing import Smoothing, mean_cosine, measure_smoothing, own_share
from dashboard import controls
from dashboard.cached import SMOOTHING_SEEDS
from dashboard.charts.depths import DepthLine, depth_lines, depth_table
from dashboard.controls import State
from dashboard.frame import asked_and_measured, source, table
from dashboard.grid.bench import Part, show_bench
from dashboard.grid.lines import Line, lines_part, prose
from dashboard.number_format import significant
from dashboard.panels.heads.legal import has_legal_heads
from dashboard.panels.layers.model import provenance, tokens_of
from dashboard.panels.layers.script import offer_script
from dashboard.panels.layers.smoothing_said import answer, measured, question, readings
from dashboard.text import layers as lesson_words
from dashboard.text import layers_smoothing as words

RAN: list[Callable[..., object]] = [measure_smoothing, mean_cosine, own_share]


@controls.fragment
def smoothing(state: State) -> bool:
    """Ask what to measure; show both stacks, layer by layer, and what that says."""
    if not has_legal_heads(state):
        return False
    language, tokens = state.language, tokens_of(state["text"])
    if len(tokens) < 2:
        st.info(words.ONE_TOKEN.say(language))
        return False
    controls_place = st.container()  # filled last: see controls.fragment
    both = measured(state, state["norm"])
    show_lines(state, both)
    controls.picture_goes_ahead()
    told = [Line(prose(text), "prose") for text in readings(state, both)]
    parts = {
        "address": ("top", controls.address_part(state)),
        "note": ("top", note_part(state)),
        "said": ("top", lines_part(lesson_words.SAID.say(language), told)),
        **asked_and_measured("smoothing", question(state), lambda: answer(state), language),
    }
    show_bench("bench.smoothing", parts)
    with controls_place:
        meter = words.METER, words.METER_HELP, words.METERS
        controls.choose(state, "smoothing_meter", *meter)
    title = words.METERS[state["smoothing_meter"]]
    table(lambda: numbers(state, both), "smoothing", language, title)
    offer_script(state)
    source(RAN, language)
    return True


def note_part(state: State) -> Part:
    """Say what was measured."""
    first = state["seed"]
    ends = {"first": first, "last": first + SMOOTHING_SEEDS - 1}
    note = words.NOTE.say(state.language, note=provenance(state, has_both=True), **ends)
    label = lesson_words.WHERE_FROM.say(state.language)
    return lines_part(label, [Line(prose(note), "note")], has_own_row=True)


def show_lines(state: State, both: tuple[Smoothing, Smoothing]) -> None:
    """Draw both stacks' means with a band over the seeds."""
    language, meter = state.language, state["smoothing_meter"]
    lines = [line_of(state, record) for record in both]
    axis = words.AXES[meter].say(language)
    # The residual's line is drawn strongest, and last.
    kinds = tuple(words.KINDS[has].say(language) for has in (True, False))
    st.vega_lite_chart(
        depth_table(lines),
        depth_lines(lesson_words.LAYER_AXIS.say(language), axis, kinds, top=1),
        key="chart.smoothing",
        alt=words.CHART_ALT.say(language, axis=axis),
    )


def line_of(state: State, record: Smoothing) -> DepthLine:
    """Describe one stack's line."""
    language = state.language
    kind = words.KINDS[record.has_residual].say(language)
    values, ends = read_meter(record, state["smoothing_meter"])
    said = [
        words.POINT.say(
            language,
            kind=kind,
            layer=layer,
            mean=significant(value),
            low=significant(low),
            high=significant(high),
        )
        for layer, (value, (low, high)) in enumerate(zip(values, ends, strict=True))
    ]
    return DepthLine(kind, values, ends, said)


def read_meter(record: Smoothing, meter: str) -> tuple[list[float], list[tuple[float, float]]]:
    """Give the means of one meter and their ends, depth by depth."""
    ends = record.cosine_ends if meter == "cosines" else record.own_share_ends
    return [each.mean for each in getattr(record, meter)], list(ends)


def numbers(state: State, both: tuple[Smoothing, Smoothing]) -> pd.DataFrame:
    """List both stacks' means and ends, layer by layer."""
    language = state.language
    columns: dict[str, list[float]] = {}
    for record in both:
        kind = words.KINDS[record.has_residual].say(language)
        values, ends = read_meter(record, state["smoothing_meter"])
        mean = words.COLUMNS["mean"].say(language, kind=kind)
        columns[mean] = values
        for place, end in enumerate(("low", "high")):
            columns[f"{kind}: {words.COLUMNS[end].say(language)}"] = [pair[place] for pair in ends]
    depths = range(len(both[0].cosines))
    return pd.DataFrame({lesson_words.LAYER_AXIS.say(language): depths, **columns})
