"""One meter against the layer: a patient as admitted and now, beside a healthy stack."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import altair as alt
import pandas as pd

from dashboard.charts import LINE_LEGEND, MARK, compiled

HEIGHT = 330


@lru_cache(maxsize=64)
def layer_lines(
    layer_title: str, meter_title: str, kinds: tuple[str, ...], threshold_title: str, *, is_share: bool
) -> dict[str, Any]:
    """Compile a line for each state of the stack and a rule where the symptom begins.

    Args:
        kinds: As admitted, now, healthy.
        threshold_title: What begins at the rule; empty for a meter without one.
        is_share: The meter lies between 0 and 1 on an even axis; else the axis is logarithmic.
    """
    legend = alt.Legend(**LINE_LEGEND)
    scale = alt.Scale(domain=[0, 1], nice=False) if is_share else alt.Scale(type="log")
    shared = {
        "x": alt.X("layer:O", title=layer_title, axis=alt.Axis(labelAngle=0)),
        "y": alt.Y("value:Q", title=meter_title, scale=scale, axis=alt.Axis(format="~g", tickCount=6)),
        "color": alt.Color("kind:N", scale=alt.Scale(domain=list(kinds)), title=None, legend=legend),
    }
    dashes = alt.Scale(domain=list(kinds), range=[[7, 4], [1, 0], [2, 3]])
    widths = alt.Scale(domain=list(kinds), range=[4, 2.5, 1.5])
    shapes = alt.Scale(domain=list(kinds), range=["circle", "diamond", "triangle-up"])
    tooltip = [
        alt.Tooltip("kind:N", title=" "),
        alt.Tooltip("layer:O", title=layer_title),
        alt.Tooltip("value:Q", title=meter_title, format=".6g"),
    ]
    base = alt.Chart()
    lines = base.mark_line().encode(
        **shared,
        strokeDash=alt.StrokeDash("kind:N", scale=dashes, title=None, legend=legend),
        strokeWidth=alt.StrokeWidth("kind:N", scale=widths, legend=None),
    )
    shape = alt.Shape(f"{MARK}:N", scale=shapes, legend=None)
    marked = base.transform_calculate(MARK, "datum.kind")
    points = marked.mark_point(size=70, strokeWidth=2).encode(**shared, shape=shape, tooltip=tooltip)
    rule = (
        base.transform_filter("isValid(datum.threshold)")
        .mark_rule(strokeDash=[1, 3], strokeWidth=2, color="#808080")
        .encode(y=alt.Y("threshold:Q", title=meter_title))
    )
    picture = alt.layer(lines, points, rule).properties(height=HEIGHT)
    return compiled(picture.properties(title=_title(threshold_title)) if threshold_title else picture)


def _title(threshold_title: str) -> alt.TitleParams:
    return alt.TitleParams(
        f"···· {threshold_title}", anchor="end", fontSize=13, lineHeight=18, fontWeight="normal", dy=4
    )


def layer_frame(
    lines: Sequence[tuple[str, Sequence[float]]], threshold: float | None, *, is_share: bool
) -> pd.DataFrame:
    """Turn each state's name and its numbers, layer by layer, into a frame; a logarithmic axis has no place for 0."""
    rows = [
        (layer, kind, value if is_share or value > 0 else None)
        for kind, values in lines
        for layer, value in enumerate(values, 1)
    ]
    frame = pd.DataFrame(rows, columns=["layer", "kind", "value"]).astype({"value": float})
    frame["threshold"] = pd.Series([threshold, *[None] * (len(rows) - 1)], dtype=float)
    return frame
