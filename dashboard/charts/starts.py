"""One meter against the width, a line for each way to begin a matrix."""

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import altair as alt
import pandas as pd

from dashboard.charts import LINE_LEGEND, MARK, compiled

HEIGHT = 320
DASHES = [[1, 0], [6, 3], [2, 2], [8, 3, 2, 3]]
SHAPES = ["circle", "square", "triangle-up", "diamond"]


@lru_cache(maxsize=32)
def start_lines(
    d_model_title: str, meter_title: str, starts: tuple[str, ...], *, is_share: bool
) -> dict[str, Any]:
    """Compile the lines and their points.

    Args:
        is_share: The meter lies between 0 and 1 on an even axis; else the axis is logarithmic.
    """
    names = list(starts)
    scale = alt.Scale(domain=[0, 1], nice=False) if is_share else alt.Scale(type="log")
    legend = alt.Legend(columns=2, **LINE_LEGEND)
    shared = {
        "x": alt.X(
            "d_model:Q",
            title=d_model_title,
            scale=alt.Scale(type="log", base=2, nice=False),
            axis=alt.Axis(format="~d"),
        ),
        "y": alt.Y("value:Q", title=meter_title, scale=scale, axis=alt.Axis(format="~g", tickCount=6)),
        "color": alt.Color("start:N", scale=alt.Scale(domain=names), title=None, legend=legend),
    }
    dash = alt.StrokeDash("start:N", scale=alt.Scale(domain=names, range=DASHES), title=None, legend=legend)
    shape = alt.Shape(f"{MARK}:N", scale=alt.Scale(domain=names, range=SHAPES), legend=None)
    tooltip = [
        alt.Tooltip("start:N", title=" "),
        alt.Tooltip("d_model:Q", title=d_model_title),
        alt.Tooltip("value:Q", title=meter_title, format=".4g"),
    ]
    base = alt.Chart()
    lines = base.mark_line(strokeWidth=2.5).encode(**shared, strokeDash=dash)
    marked = base.transform_calculate(MARK, "datum.start")
    points = marked.mark_point(filled=True, size=65).encode(**shared, shape=shape, tooltip=tooltip)
    return compiled(alt.layer(lines, points).properties(height=HEIGHT))


def start_frame(rows: Sequence[tuple[str, int, float | None]], *, is_share: bool) -> pd.DataFrame:
    """Turn (start, d_model, value) into a frame; a logarithmic axis has no place for 0."""
    starts, widths, values = zip(*rows, strict=True)
    drawn = [math.nan if value is None or not (is_share or value > 0) else value for value in values]
    return pd.DataFrame({"start": starts, "d_model": widths, "value": drawn})
