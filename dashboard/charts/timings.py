"""Measured times against the number of tokens, both axes logarithmic."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import altair as alt
import pandas as pd

from dashboard.charts import LINE_LEGEND, MARK, compiled


@lru_cache(maxsize=8)
def timing_lines(n_title: str, time_title: str, form_title: str, forms: tuple[str, ...]) -> dict[str, Any]:
    """Compile one line a form with a bar from the fastest to the slowest run."""
    legend = alt.Legend(**LINE_LEGEND)
    shared = {
        "x": alt.X("n:Q", title=n_title, scale=alt.Scale(type="log", base=2, nice=False)),
        "color": alt.Color("form:N", title=form_title, sort=list(forms), legend=legend),
    }
    tooltip = [
        alt.Tooltip("form:N", title=form_title),
        alt.Tooltip("n:Q", title=n_title),
        alt.Tooltip("median_us:Q", title=time_title, format=".1f"),
    ]
    base = alt.Chart()
    lines = base.mark_line().encode(
        **shared,
        y=alt.Y("median_us:Q", title=time_title, scale=alt.Scale(type="log")),
        strokeDash=alt.StrokeDash("form:N", title=form_title, sort=list(forms), legend=legend),
    )
    marked = base.transform_calculate(MARK, "datum.form")
    points = marked.mark_point(filled=True, size=50).encode(
        **shared,
        y="median_us:Q",
        shape=alt.Shape(f"{MARK}:N", sort=list(forms), legend=None),
        tooltip=tooltip,
    )
    spread = base.mark_rule().encode(
        **shared,
        y=alt.Y("lowest_us:Q", title=time_title),
        y2=alt.Y2("highest_us:Q", title=time_title),
        tooltip=tooltip,
    )
    return compiled(alt.layer(spread, lines, points).properties(height=320))


def timing_frame(rows: Sequence[tuple[str, int, float, float, float]]) -> pd.DataFrame:
    """Turn (form, n, median, lowest, highest), all in microseconds, into a frame."""
    return pd.DataFrame(rows, columns=["form", "n", "median_us", "lowest_us", "highest_us"])
