"""Something that a stack changes, against the layer: a line a token or a kind of stack, with bands where draws differ."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import altair as alt
import pyarrow as pa

from dashboard.charts import LINE_LEGEND, MARK, compiled

HEIGHT, LOW, LOWEST = 300, 280, 215
GREY = "#808080"
BAND_OPACITY = 0.18
WIDE, THIN = 3, 1.5
DASHES = [[1, 0], [7, 4]]
SHAPES = ["diamond", "circle"]


@dataclass(frozen=True)
class DepthLine:
    """One line: its kind, and its value at each depth from 0; None leaves a gap.

    Attributes:
        ends: The least and the largest that the value is the middle of, depth by depth; None draws no band.
        said: What each point says when the reader points at it; None draws no points.
        width: Of the line, in pixels.
    """

    kind: str
    values: Sequence[float | None]
    ends: Sequence[tuple[float, float] | None] | None = None
    said: Sequence[str] | None = None
    width: float = WIDE


@lru_cache(maxsize=64)
def depth_lines(
    depth_title: str,
    value_title: str,
    kinds: tuple[str, ...],
    *,
    top: float | None = None,
    hues: tuple[str, ...] | None = None,
    height: int = HEIGHT,
) -> dict[str, Any]:
    """Compile lines of at most two kinds, their points and bands, and a rule at the depth that is open.

    Args:
        kinds: The first is drawn strongest.
        top: Where the vertical axis ends; None follows the values. It always holds 0.
        hues: Of the kinds; None takes those of the theme.
    """
    names = list(kinds)
    colours = alt.Scale(domain=names) if hues is None else alt.Scale(domain=names, range=list(hues))
    # Else the legend takes the band's opacity. One line needs none.
    legend = alt.Legend(**LINE_LEGEND, symbolOpacity=1) if len(names) > 1 else None
    reach = {} if top is None else {"domainMax": top}
    scale, axis = alt.Scale(zero=True, **reach), alt.Axis(format="~g", tickCount=6)
    place = {
        "x": alt.X("depth:O", title=depth_title, axis=alt.Axis(labelAngle=0)),
        "y": alt.Y("value:Q", title=value_title, scale=scale, axis=axis),
        "color": alt.Color("kind:N", title=None, scale=colours, legend=legend),
    }
    dashes = alt.Scale(domain=names, range=DASHES[: len(names)])
    base = alt.Chart().transform_filter("isValid(datum.value)")
    low = {"y": alt.Y("low:Q", title=value_title), "y2": "high:Q"}
    band = base.transform_filter("isValid(datum.low)").mark_area(opacity=BAND_OPACITY)
    lines = base.mark_line().encode(
        **place,
        strokeDash=alt.StrokeDash("kind:N", title=None, scale=dashes, legend=legend),
        strokeWidth=alt.StrokeWidth("width:Q", scale=None, legend=None),
        detail="line:N",
    )
    layers = (band.encode(**(place | low)), _rule(depth_title), lines, _points(base, place, names))
    return compiled(alt.layer(*layers).properties(height=height))


def _points(base: alt.Chart, place: dict[str, Any], names: list[str]) -> alt.Chart:
    """Mark the values that say something."""
    shapes = alt.Shape(f"{MARK}:N", scale=alt.Scale(domain=names, range=SHAPES[: len(names)]), legend=None)
    said = base.transform_filter("isValid(datum.said)").transform_calculate(MARK, "datum.kind")
    return said.mark_point(filled=True, size=60).encode(**place, shape=shapes, tooltip="said:N")


def _rule(depth_title: str) -> alt.Chart:
    """Draw a rule at the depth that is open."""
    there = alt.Chart().transform_filter("isValid(datum.open)")
    rule = there.mark_rule(strokeDash=[4, 3], strokeWidth=1.5, color=GREY)
    return rule.encode(x=alt.X("open:O", title=depth_title))


def depth_table(lines: Sequence[DepthLine], open_depth: int | None = None) -> pa.Table:
    """Turn lines into the chart's table; those named first lie under those that follow.

    Args:
        open_depth: Where the rule stands; None for none.
    """
    rows = [
        (
            number,
            line.kind,
            line.width,
            depth,
            value,
            *_band(line, depth),
            None if line.said is None else line.said[depth],
        )
        for number, line in enumerate(lines)
        for depth, value in enumerate(line.values)
    ]
    columns = list(zip(*rows, strict=True)) or [[] for _ in range(8)]
    names = (
        ("line", pa.int64()),
        ("kind", pa.string()),
        ("width", pa.float64()),
        ("depth", pa.int64()),
        ("value", pa.float64()),
        ("low", pa.float64()),
        ("high", pa.float64()),
        ("said", pa.string()),
    )
    table = {name: pa.array(column, kind) for (name, kind), column in zip(names, columns, strict=True)}
    table["open"] = pa.array([open_depth, *[None] * (len(rows) - 1)] if rows else [], pa.int64())
    return pa.table(table)


def _band(line: DepthLine, depth: int) -> tuple[float | None, float | None]:
    ends = None if line.ends is None else line.ends[depth]
    return (None, None) if ends is None else ends
