"""How far from full attention: against width, block, stride or rank, or against N, on draws and on one's own sentence."""

from typing import Any

import pandas as pd
import streamlit as st

from attention_core.experiments.approximation import (
    D_K,
    ERROR_LINES,
    ErrorLine,
    draw_inputs,
    errors_on,
    line_of,
    measure_errors,
)
from attention_core.variant_runs import relative_error
from dashboard import controls
from dashboard.charts.errors import error_frame, error_lines
from dashboard.controls import State
from dashboard.frame import source, table
from dashboard.grid.bench import Part, show_bench
from dashboard.grid.lines import Line, lines_part, prose
from dashboard.panels.heads.legal import has_legal_heads
from dashboard.panels.variants.error_model import LENGTHS, N_DRAWS, Measured, measure_defaults, measured
from dashboard.panels.variants.error_said import question_parts, readings
from dashboard.panels.variants.fields import error_fields
from dashboard.text import LANGUAGES, Language
from dashboard.text import variant_compare as compare_words
from dashboard.text import variant_error as words

RAN = [measure_errors, errors_on, draw_inputs, line_of, relative_error]
SIZES = tuple(2**power for power in range(10))
SHARPNESSES = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0)
NEARNESSES = (0.0, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99)
STOPS_WIDTH, LIST_WIDTH = 165, 220


@controls.fragment
def error(state: State) -> bool:
    """Ask what to draw; measure it, draw it beside the reader's own sentence, and say what it shows."""
    if not has_legal_heads(state):
        return False
    controls_place, picture = st.container(), st.container()  # filled last: see controls.fragment
    language = state.language
    with picture:
        found = measured(state, lambda stop: words.MEASURING.say(language, at=f"{stop:,}"))
        if found.lines:
            show_lines(state, found)
    told = [Line(prose(text), "prose") for text in readings(state, found)]
    parts = {
        "address": ("top", controls.address_part(state)),
        "note": ("top", note_part(state, found)),
        "said": ("end", lines_part(words.SAID.say(language), told)),
    }
    show_bench("bench.error", parts | question_parts(state))
    with controls_place:
        ask(state)
        if not state["error_lines"]:
            st.info(words.NO_LINES.say(language))
            label = words.SHOW_ALL.say(language)
            controls.button(label, "error.lines", state.reset, ("error_lines",))
        if found.left_out:
            st.info(words.NO_CAUSAL_FORM.say(language, lines=listed(found.left_out, language)))
    source(RAN, language)
    return True


def listed(lines: tuple[ErrorLine, ...], language: Language) -> str:
    """Name lines in a row."""
    return words.JOIN.say(language).join(words.NAMES[line].say(language) for line in lines)


def ask(state: State) -> None:
    """Ask for the axis, what stays, how sharp and how local scores are, and the lines."""
    with st.container(horizontal=True, gap="small", vertical_alignment="bottom"):
        labels = words.AXIS, words.AXIS_HELP, words.AXES
        controls.choose(state, "error_axis", *labels, in_sidebar=True, width=LIST_WIDTH)
        width = {"width": STOPS_WIDTH}
        if state["error_axis"] == "size":
            controls.steps(state, "error_n", words.N, words.N_HELP, LENGTHS, **width)
        else:
            controls.steps(state, "error_size", words.SIZE, words.SIZE_HELP, SIZES, **width)
        sharpness = words.SHARPNESS, words.SHARPNESS_HELP, SHARPNESSES, short
        controls.steps(state, "sharpness", *sharpness, **width)
        nearness = words.NEARNESS, words.NEARNESS_HELP, NEARNESSES, short
        controls.steps(state, "nearness", *nearness, **width)
    controls.choose_some(state, "error_lines", words.LINES, words.LINES_HELP, words.NAMES)


def short(value: float) -> str:
    """Write a stop.

    Example:
        >>> short(0.25), short(2.0)
        ('0.25', '2')
    """
    return f"{value:g}"


def spec_of(axis: str, lines: tuple[ErrorLine, ...], language: Language) -> dict[str, Any]:
    """Compile the chart of some lines."""
    return error_lines(
        words.AXES[axis].say(language),
        words.Y_TITLE.say(language),
        words.LINE.say(language),
        words.OWN.say(language),
        words.ZEROS.say(language),
        tuple((words.NAMES[line].say(language), ERROR_LINES.index(line)) for line in lines),
    )


def prepare() -> None:
    """Measure and compile what the first sight of the view draws, so that no visitor waits for it."""
    measure_defaults()
    fields = error_fields()
    for language in LANGUAGES:
        spec_of(fields["error_axis"].default, fields["error_lines"].default, language)


def show_lines(state: State, found: Measured) -> None:
    """Draw the lines with their spread and the reader's own points; offer the numbers."""
    language = state.language
    names = {line: words.NAMES[line].say(language) for line in found.lines}
    own_said = words.OWN_SAID.say(language, n=found.n_own)
    frame = error_frame(
        [(names[at.line], found.place(at), at.mean, at.lowest, at.highest) for at in found.drawn],
        [(names[at.line], found.place(at), at.mean) for at in found.own],
        own_said,
    )
    axis = words.AXES[found.axis].say(language)
    spec = spec_of(found.axis, found.lines, language)
    lines = listed(found.lines, language)
    alt = words.ALT.say(language, lines=lines, axis=axis, draws=N_DRAWS)
    st.vega_lite_chart(frame, spec, key="chart.errors", alt=alt)
    table(lambda: numbers(state, found), "errors", language)


def numbers(state: State, found: Measured) -> pd.DataFrame:
    """Give every number that is drawn."""
    language = state.language
    titles = {name: text.say(language) for name, text in words.CSV.items()}
    whose = (words.DRAWS.say(language, draws=N_DRAWS), words.OWN.say(language))
    rows = []
    for said, points in zip(whose, (found.drawn, found.own), strict=True):
        for at in points:
            row = {"line": words.NAMES[at.line].say(language), "whose": said}
            row |= {name: getattr(at, name) for name in ("n", "size", "mean", "lowest", "highest")}
            rows.append({titles[name]: value for name, value in row.items()})
    return pd.DataFrame(rows)


def note_part(state: State, found: Measured) -> Part:
    """Say what was measured, on what."""
    language, seed = state.language, state["seed"]
    fixed = (
        words.FIXED_N.say(language, n=f"{state['error_n']:,}")
        if found.axis == "size"
        else words.FIXED_SIZE.say(language, size=f"{state['error_size']:,}")
    )
    note = words.NOTE.say(
        language,
        first=seed,
        last=seed + N_DRAWS - 1,
        d_k=D_K,
        mask=compare_words.MASKS[found.plan.is_causal].say(language),
        fixed=fixed,
        draws=N_DRAWS,
        seed=seed,
    )
    return lines_part(words.SAID.say(language), [Line(prose(note), "note")], has_own_row=True)
