"""How sharp one row of weights is, against the temperature: three curves, and where the reader stands."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import altair as alt
import pandas as pd

from dashboard.charts import compiled

HEIGHT = 340


@lru_cache(maxsize=8)
def temperature_curves(
    temperature_title: str, share_title: str, curves: tuple[str, ...], lowest: float, highest: float
) -> dict[str, Any]:
    """Compile the curves over a logarithmic axis, a rule at one temperature, and a point on each curve there."""
    names = list(curves)
    x = alt.X(
        "temperature:Q",
        title=temperature_title,
        scale=alt.Scale(type="log", domain=[lowest, highest], nice=False),
        axis=alt.Axis(format="~g", values=[0.01, 0.1, 1, 10, 100, 1000]),
    )
    y = alt.Y("value:Q", title=share_title, scale=alt.Scale(domain=[0, 1]))
    legend = alt.Legend(
        orient="top", columns=2, labelLimit=0, symbolType="stroke", symbolSize=500, symbolStrokeWidth=3
    )
    hues = alt.Scale(domain=names)
    shared = {"x": x, "y": y, "color": alt.Color("curve:N", title=None, scale=hues, legend=None)}
    tooltip = [
        alt.Tooltip("curve:N", title=" "),
        alt.Tooltip("temperature:Q", title=temperature_title, format=".4g"),
        alt.Tooltip("value:Q", title=share_title, format=".4f"),
    ]
    dashes = alt.StrokeDash(
        "curve:N", title=None, scale=alt.Scale(domain=names, range=[[1, 0], [8, 4], [2, 3]]), legend=legend
    )
    shapes = alt.Shape(
        "curve:N", scale=alt.Scale(domain=names, range=["circle", "square", "diamond"]), legend=None
    )
    base = alt.Chart()
    here = base.transform_filter("datum.is_here")
    rule = here.mark_rule(strokeDash=[2, 2], color="#808080").encode(x=x)
    lines = (
        base.transform_filter("!datum.is_here")
        .mark_line(strokeWidth=2.5)
        .encode(**shared, strokeDash=dashes, tooltip=tooltip)
        .encode(color=alt.Color("curve:N", title=None, scale=hues, legend=legend))
    )
    points = here.mark_point(filled=True, size=110, opacity=1).encode(**shared, shape=shapes, tooltip=tooltip)
    picture = alt.layer(rule, lines, points).properties(height=HEIGHT)
    # A legend of its own for the lines: shared with the points, it would dash the outline of a dot.
    return compiled(picture.resolve_legend(color="independent", strokeDash="independent"))


def temperature_frame(
    rows: Sequence[tuple[float, Sequence[float | None]]],
    here: tuple[float, Sequence[float | None]],
    curves: Sequence[str],
) -> pd.DataFrame:
    """Turn (temperature, one value a curve) into a frame, the reader's own place last."""
    told = [(*row, False) for row in rows] + [(*here, True)]
    records = [
        (temperature, curve, value, is_here)
        for temperature, values, is_here in told
        for curve, value in zip(curves, values, strict=True)
        if value is not None
    ]
    return pd.DataFrame(records, columns=["temperature", "curve", "value", "is_here"])
