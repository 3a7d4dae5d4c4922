"""How many words come back against the length of the sentence: measured, by theory, and the reader's own sentence."""

from collections.abc import Sequence
from functools import lru_cache

import pandas as pd
import streamlit as st

from attention_core.experiments.bottleneck import Bottleneck
from attention_core.experiments.recall import LENGTHS, SEEDS, Recall, farthest_from_theory
from dashboard.cached import attended_at, recall_at
from dashboard.charts.recall import Points, recall_lines, recall_table
from dashboard.controls import State
from dashboard.frame import table
from dashboard.grid.bench import Part
from dashboard.grid.lines import Line, lines_part, prose
from dashboard.number_format import significant
from dashboard.panels.variants.encoder_said import joined
from dashboard.panels.variants.fields import encoder_fields
from dashboard.text import Language
from dashboard.text import variant_encoder as words

# Drawn beside the reader's own width.
ALWAYS = (8, 32, 128)
Lines = tuple[tuple[str, tuple[Recall, ...]], ...]


def show_recall(state: State, found: Bottleneck) -> None:
    """Draw recall against N for several widths, attention, and both marks of the reader's sentence; offer the numbers."""
    language, lines = state.language, lines_of(state)
    marks = words.WAYS["attended"].say(language), words.WAYS["fixed"].say(language)
    titles = words.N_TITLE.say(language), words.SHARE_TITLE.say(language), words.THEORY_TITLE.say(language)
    others = ", ".join(map(str, ALWAYS))
    st.markdown(f"**{words.CHART.say(language)}**")
    st.vega_lite_chart(
        _points(lines, found, marks),
        recall_lines(*titles, tuple(name for name, _ in lines), marks, LENGTHS[-1]),
        key="chart.recall",
        alt=words.ALT.say(language, first=LENGTHS[0], last=LENGTHS[-1], widths=others),
    )
    table(lambda: numbers(lines, language), "recall", language)


@lru_cache(maxsize=16)
def _points(lines: Lines, found: Bottleneck, marks: tuple[str, str]) -> Points:
    """Put the lines and the sentence's marks into the table of the chart: no step changes it."""
    (attended, _), (fixed, _), *_ = lines
    n = len(found.tokens)
    own = [
        (attended, marks[0], n, found.attended.share_right),
        (fixed, marks[1], n, found.fixed.share_right),
    ]
    rows = [
        (name, one.n, one.share.mean, one.share.standard_error, one.expected)
        for name, records in lines
        for one in records
    ]
    return recall_table(rows, own)


def lines_of(state: State) -> Lines:
    """Measure attention and the fixed vector at the reader's width, and the fixed vector at other widths.

    No name holds what the reader changes: with another name the browser would make the chart anew.
    """
    language, d_model, keep = state.language, state["encoder_d_model"], state["encoder_keep"]
    return (
        (words.ATTENDED_LINE.say(language), attended_at(d_model, state["encoder_sharpness"])),
        (words.FIXED_LINE.say(language), recall_at(d_model, keep)),
        *((words.OTHER_LINE.say(language, d=width), recall_at(width, keep)) for width in ALWAYS),
    )


def measure_defaults() -> None:
    """Measure what the chart shows at first, before a visitor asks for it."""
    fields = encoder_fields("en")
    for width in ALWAYS:
        recall_at(width, fields["encoder_keep"].default)
    attended_at(fields["encoder_d_model"].default, fields["encoder_sharpness"].default)


def note_part(state: State) -> Part:
    """Say what is measured in the chart and how far theory lies off."""
    language, fixed = state.language, [records for _, records in lines_of(state)[1:]]
    note = words.CHART_NOTE.say(language, seeds=len(SEEDS), d=state["encoder_d_model"])
    said = joined(note, say_apart([one for records in fixed for one in records], language), language)
    return lines_part(words.CHART.say(language), [Line(prose(said), "note")], has_own_row=True)


def say_apart(fixed: Sequence[Recall], language: Language) -> str:
    """Say how far measurement and theory lie apart at most."""
    one = farthest_from_theory(fixed)
    at = words.AT.say(language, d=one.d_model, n=one.n)
    return words.APART.say(language, apart=significant(one.apart), at=at)


def numbers(lines: Lines, language: Language) -> pd.DataFrame:
    """Put every point of the chart into a table."""
    rows = [
        {
            "way": name,
            "d": one.d_model,
            "n": one.n,
            "share": one.share.mean,
            "error": one.share.standard_error,
            "expected": one.expected,
            "crosstalk": one.crosstalk and one.crosstalk.mean,
            "expected_crosstalk": one.expected_crosstalk,
        }
        for name, records in lines
        for one in records
    ]
    columns = {name: text.say(language) for name, text in words.TABLE_COLUMNS.items()}
    return pd.DataFrame(rows).rename(columns={**columns, "n": "N"})
