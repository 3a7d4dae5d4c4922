"""How many words come back against the length of the sentence: measured, by theory, and the reader's own sentence."""

import pandas as pd
import streamlit as st

from attention_core.experiments.bottleneck import Bottleneck
from attention_core.experiments.recall import LENGTHS, SEEDS, Recall, farthest_from_theory
from dashboard.cached import attended_at, recall_at
from dashboard.charts.recall import recall_frame, recall_lines
from dashboard.controls import State
from dashboard.frame import table
from dashboard.number_format import significant
from dashboard.panels.variants.encoder_said import joined
from dashboard.text import Language
from dashboard.text import variant_encoder as words

# Drawn beside the reader's own width.
ALWAYS = (8, 32, 128)


def show_recall(state: State, found: Bottleneck) -> None:
    """Draw recall against N for several widths, attention, and both marks of the reader's sentence."""
    language, d_model = state.language, state["encoder_d_model"]
    widths = sorted({*ALWAYS, d_model})
    fixed = {width: recall_at(width, state["encoder_keep"]) for width in widths}
    attended = attended_at(d_model, state["encoder_sharpness"])
    ours = words.ATTENDED_LINE.say(language, d=d_model)
    names = {width: words.FIXED_LINE.say(language, d=width) for width in widths}
    lines = {ours: attended} | {names[width]: records for width, records in fixed.items()}
    rows = [
        (name, one.n, one.share.mean, one.share.standard_error, one.expected)
        for name, records in lines.items()
        for one in records
    ]
    n = len(found.tokens)
    marks = tuple(words.OWN_MARKS[way].say(language) for way in ("attended", "fixed"))
    own = [
        (ours, marks[0], n, found.attended.share_right),
        (names[d_model], marks[1], n, found.fixed.share_right),
    ]
    titles = words.N_TITLE.say(language), words.SHARE_TITLE.say(language), words.THEORY_TITLE.say(language)
    st.markdown(f"**{words.CHART.say(language)}**")
    said = ", ".join(map(str, widths))
    st.vega_lite_chart(
        recall_frame(rows, own),
        recall_lines(*titles, tuple(lines), marks, LENGTHS[-1]),
        key="chart.recall",
        alt=words.ALT.say(language, first=LENGTHS[0], last=LENGTHS[-1], widths=said),
    )
    st.caption(joined(words.CHART_NOTE.say(language, seeds=len(SEEDS)), say_apart(fixed, language), language))
    table(lambda: numbers(lines, language), "recall", language)


def say_apart(fixed: dict[int, tuple[Recall, ...]], language: Language) -> str:
    """Say how far measurement and theory lie apart at most."""
    one = farthest_from_theory([record for records in fixed.values() for record in records])
    at = words.AT.say(language, d=one.d_model, n=one.n)
    return words.APART.say(language, apart=significant(one.apart), at=at)


def numbers(lines: dict[str, tuple[Recall, ...]], language: Language) -> pd.DataFrame:
    """Put every point of the chart into a table."""
    rows = [
        {
            "way": name,
            "n": one.n,
            "share": one.share.mean,
            "error": one.share.standard_error,
            "expected": one.expected,
            "crosstalk": one.crosstalk and one.crosstalk.mean,
            "expected_crosstalk": one.expected_crosstalk,
        }
        for name, records in lines.items()
        for one in records
    ]
    columns = {name: text.say(language) for name, text in words.TABLE_COLUMNS.items()}
    return pd.DataFrame(rows).rename(columns={**columns, "n": "N"})
