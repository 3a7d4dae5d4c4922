"""Measured points with their spread over lines by formula, both axes logarithmic: one look a kernel."""

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import altair as alt
import pandas as pd

from dashboard.charts import MARK, compiled
from dashboard.charts.costs import COST_POWERS, COST_STEPS, HUES, PLAIN_POWERS, WIDE, WIDTHS

HEIGHT, LEGEND_ROW = 330, 30
DASHES = [[1, 0], [10, 6], [5, 2], [2, 5], [3, 3], [8, 4], [8, 3, 2, 3], [12, 3]]
SHAPES = [
    "circle",
    "square",
    "triangle-up",
    "diamond",
    "cross",
    "triangle-down",
    "triangle-right",
    "triangle-left",
]
# Ticks of a size that doubles.
SIZES = [2**power for power in range(21)]


@lru_cache(maxsize=64)
def measured_points(
    n_title: str,
    value_title: str,
    kernel_title: str,
    formula_title: str,
    kernels: tuple[tuple[str, int], ...],
    ends: tuple[int, int],
    *,
    is_wide: bool,
) -> dict[str, Any]:
    """Compile the lines, the points on them or off them, and the bars from the least to the most.

    Args:
        kernels: The name of each and its place in the list of all, which decides its look.
        ends: The least and the largest n.
        is_wide: The values span several powers of ten.
    """
    names, places = [name for name, _ in kernels], [place for _, place in kernels]

    def scale(looks: Sequence[Any]) -> alt.Scale:
        return alt.Scale(type="ordinal", domain=names, range=[looks[place] for place in places])

    legend = alt.Legend(orient="top", columns=2, labelLimit=0, symbolSize=90)
    hue = alt.Color("kernel:N", scale=scale(HUES), title=None, legend=legend)
    looks = {
        "shape": alt.Shape("kernel:N", scale=scale(SHAPES), title=None, legend=legend),
        "strokeDash": alt.StrokeDash(f"{MARK}:N", scale=scale(DASHES), legend=None),
        "strokeWidth": alt.StrokeWidth("kernel:N", scale=scale([width / 2 for width in WIDTHS]), legend=None),
    }
    up = alt.Axis(labelExpr=PLAIN_POWERS, values=COST_POWERS if is_wide else COST_STEPS)
    y = {"title": value_title, "scale": alt.Scale(type="log"), "axis": up}
    tooltip = [
        alt.Tooltip("kernel:N", title=kernel_title),
        alt.Tooltip("n:Q", title=n_title, format=",d"),
        alt.Tooltip("said:N", title=value_title),
        alt.Tooltip("formula_said:N", title=formula_title),
    ]
    layers = _layers({"x": _across(n_title, *ends), "color": hue}, y, looks, tooltip)
    height = HEIGHT + LEGEND_ROW * math.ceil(len(names) / 2)
    return compiled(alt.layer(*layers).properties(height=height))


def _layers(
    shared: dict[str, Any], y: dict[str, Any], looks: dict[str, Any], tooltip: list[alt.Tooltip]
) -> tuple[alt.Chart, ...]:
    """Draw lines, a tick on them at each length, bars and points."""
    base, shape = alt.Chart(), {"shape": looks.pop("shape")}
    # The dash goes by a field of its own, so that the legend draws whole shapes.
    foreseen = base.transform_filter("isValid(datum.formula)").transform_calculate(MARK, "datum.kernel")
    lines = foreseen.mark_line(opacity=0.75).encode(**shared, **looks, y=alt.Y("formula:Q", **y))
    ticks = foreseen.mark_tick(thickness=1.5, size=14, orient="horizontal").encode(
        **shared, y=alt.Y("formula:Q", **y), tooltip=[*tooltip[:2], tooltip[-1]]
    )
    found = base.transform_filter("isValid(datum.value)")
    bars = found.mark_rule(strokeWidth=1.5).encode(**shared, y=alt.Y("lowest:Q", **y), y2="highest:Q")
    points = found.mark_point(filled=True, size=90, opacity=1).encode(
        **shared, **shape, y=alt.Y("value:Q", **y), tooltip=tooltip
    )
    return lines, ticks, bars, points


def _across(title: str, first: int, last: int) -> alt.X:
    """Describe the axis of lengths, with some room beyond both ends."""
    domain = [first / 1.3, last * 1.3]
    axis = alt.Axis(values=[size for size in SIZES if first <= size <= last], format=",d")
    return alt.X(
        "n:Q", title=title, scale=alt.Scale(type="log", base=2, nice=False, domain=domain), axis=axis
    )


def spans_widely(frame: pd.DataFrame) -> bool:
    """Tell whether what is drawn spans several powers of ten."""
    drawn = frame[["lowest", "highest", "formula"]]
    return bool(drawn.max().max() >= WIDE * drawn.min().min())


def measured_frame(
    rows: Sequence[tuple[str, int, float, float, float, float]], said: Sequence[tuple[str, str]]
) -> pd.DataFrame:
    """Turn (kernel, n, value, lowest, highest, formula), and value and formula as they are written, into a frame.

    A logarithmic axis has no place for what is not above 0.
    """
    columns = ["kernel", "n", "value", "lowest", "highest", "formula"]
    frame = pd.DataFrame(rows, columns=columns)
    numbers = columns[2:]
    frame[numbers] = frame[numbers].astype(float).where(lambda values: values > 0)
    return frame.assign(said=[value for value, _ in said], formula_said=[formula for _, formula in said])
