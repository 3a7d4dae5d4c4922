"""How sharp one row of weights is, against the temperature: three curves."""

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
    """Compile the curves over a logarithmic axis."""
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
    tooltip = [
        alt.Tooltip("curve:N", title=" "),
        alt.Tooltip("temperature:Q", title=temperature_title, format=".4g"),
        alt.Tooltip("value:Q", title=share_title, format=".4f"),
    ]
    dashes = alt.StrokeDash(
        "curve:N", title=None, scale=alt.Scale(domain=names, range=[[1, 0], [8, 4], [2, 3]]), legend=legend
    )
    lines = (
        alt.Chart()
        .mark_line(strokeWidth=2.5)
        .encode(
            x=x,
            y=y,
            color=alt.Color("curve:N", title=None, scale=alt.Scale(domain=names), legend=legend),
            strokeDash=dashes,
            tooltip=tooltip,
        )
    )
    return compiled(lines.properties(height=HEIGHT))


def temperature_frame(
    rows: Sequence[tuple[float, Sequence[float | None]]], curves: Sequence[str]
) -> pd.DataFrame:
    """Turn (temperature, one value a curve) into a frame."""
    records = [
        (temperature, curve, value)
        for temperature, values in rows
        for curve, value in zip(curves, values, strict=True)
        if value is not None
    ]
    return pd.DataFrame(records, columns=["temperature", "curve", "value"])
