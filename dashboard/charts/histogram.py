"""A histogram with what theory expects drawn over it."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import altair as alt
import pandas as pd

from dashboard.charts import compiled

HEIGHT = 340


@lru_cache(maxsize=8)
def histogram(
    score_title: str, share_title: str, measured: str, normal: str, *, is_stepped: bool = False
) -> dict[str, Any]:
    """Compile bars from edge to edge and a line through the shares that theory expects.

    Args:
        is_stepped: The line keeps to each bar from edge to edge, for a density that jumps.
    """
    kinds = alt.Scale(domain=[measured, normal])
    shared = {"x": alt.X("lower:Q", title=score_title, scale=alt.Scale(nice=False, zero=False))}
    tooltip = [
        alt.Tooltip("lower:Q", title=f"{score_title} ≥", format=".4g"),
        alt.Tooltip("upper:Q", title="<", format=".4g"),
        alt.Tooltip("share:Q", title=measured, format=".4f"),
        alt.Tooltip("expected:Q", title=normal, format=".4f"),
    ]
    base = alt.Chart()
    bars = base.mark_bar(opacity=0.75).encode(
        **shared,
        x2="upper:Q",
        y=alt.Y("share:Q", title=share_title),
        y2=alt.Y2Datum(0),
        color=alt.Color("measured:N", scale=kinds, title=None, legend=alt.Legend(orient="top")),
        tooltip=tooltip,
    )
    way = "step" if is_stepped else "linear"
    line = base.mark_line(strokeWidth=3, strokeDash=[6, 3], interpolate=way).encode(
        x="middle:Q",
        y="expected:Q",
        color=alt.Color("normal:N", scale=kinds, title=None, legend=alt.Legend(orient="top")),
    )
    return compiled(alt.layer(bars, line).properties(height=HEIGHT))


def histogram_frame(
    bins: Sequence[tuple[float, float, float, float]], measured: str, normal: str
) -> pd.DataFrame:
    """Turn (lower, upper, share, expected share) into a frame."""
    names = ("lower", "upper", "share", "expected")
    columns = dict(zip(names, map(list, zip(*bins, strict=True)), strict=True))
    middle = [(lower + upper) / 2 for lower, upper, *_ in bins]
    return pd.DataFrame({**columns, "middle": middle, "measured": measured, "normal": normal})
