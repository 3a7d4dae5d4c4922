"""Costs by formula against one size, both axes logarithmic: a line a variant, and rules where sizes are named."""

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any

import altair as alt
import pyarrow as pa

from dashboard.charts import compiled

# A row for each point of a line and for each rule.
Points = pa.Table
# The legend takes its rows out of the height: of two names on a phone, which the height allows for, of more elsewhere.
HEIGHT, LEGEND_ROW = 265, 26
LEGEND_LOOKS = {"symbolType": "stroke", "symbolSize": 700}
LEGEND_COLUMNS = "containerSize()[0] > 560 ? 4 : 2"
# One place for each variant, so that a line keeps its look whichever others are drawn, and two for the parts of one.
# Readable in both themes; lines that lie on one another have widths and dashes in which all of them show.
HUES = [
    "#3B82C4",
    "#D9822B",
    "#9467BD",
    "#2E9E6B",
    "#D64550",
    "#9A9A2B",
    "#D667A8",
    "#1AA5B5",
    "#A0705A",
    "#808890",
    "#B8860B",
    "#6F7FD8",
]
DASHES = [
    [1, 0],
    [10, 6],
    [1, 0],
    [2, 5],
    [1, 0],
    [8, 4],
    [3, 3],
    [8, 3, 2, 3],
    [12, 3],
    [5, 2],
    [7, 2],
    [6, 2, 1, 2],
]
WIDTHS = [7, 4.5, 2.5, 3, 2.5, 2.5, 2.5, 2.5, 2.5, 2.5, 2, 2]
POWERS = [10**power for power in range(8)]
# All that may be needed, in every spec: with others the browser would make the chart anew when costs grow.
COST_POWERS = [float(f"1e{power}") for power in range(-4, 34)]
COST_STEPS = [float(f"{first}e{power}") for power in range(-4, 34) for first in (1, 2, 5)]
# From so many times the least value on, an axis has room for powers of ten alone.
WIDE = 1000
PLAIN_POWERS = (
    "datum.value < 0.001 || datum.value >= 10000"
    " ? replace(replace(format(datum.value, '.0e'), 'e+', 'e'), 'e-', 'e−') : format(datum.value, '~g')"
)
GREY = "#808080"
# Of the width: before one and after the other there is no room for the name of a rule.
NEAR_START, NEAR_END = 0.36, 0.64


@lru_cache(maxsize=128)
def cost_lines(
    size_title: str,
    cost_title: str,
    variants: tuple[tuple[str, int], ...],
    ends: tuple[int, int],
    *,
    is_wide: bool,
) -> dict[str, Any]:
    """Compile the lines, their points, and the rules with their names.

    Args:
        variants: The name of each line and its place among the looks.
        ends: The least and the largest size.
        is_wide: The costs span several powers of ten.
    """
    names, places = [name for name, _ in variants], [place for _, place in variants]

    def scale(looks: Sequence[Any]) -> alt.Scale:
        return alt.Scale(type="ordinal", domain=names, range=[looks[place] for place in places])

    x = _across(size_title, *ends)
    up = alt.Axis(labelExpr=PLAIN_POWERS, values=COST_POWERS if is_wide else COST_STEPS)
    y = alt.Y("cost:Q", title=cost_title, scale=alt.Scale(type="log"), axis=up)
    legend = alt.Legend(orient="top", columns=alt.expr(LEGEND_COLUMNS), labelLimit=0, **LEGEND_LOOKS)
    hue = alt.Color("variant:N", scale=scale(HUES), title=None, legend=legend)
    looks = {
        "strokeDash": alt.StrokeDash("variant:N", scale=scale(DASHES), title=None, legend=legend),
        "strokeWidth": alt.StrokeWidth("variant:N", scale=scale(WIDTHS), title=None, legend=legend),
    }
    lines = alt.Chart().mark_line().encode(x=x, y=y, color=hue, **looks)
    # With a key the browser moves the points of before; without one it makes each of them anew.
    seen = {"tooltip": "said:N", "key": "place:Q"}
    points = alt.Chart().mark_point(filled=True, size=36).encode(x=x, y=y, color=hue, **seen)
    # Layers that share a filter: the browser applies each filter to every row.
    drawn = alt.layer(lines, points).transform_filter("isValid(datum.cost)")
    height = HEIGHT + LEGEND_ROW * math.ceil(len(names) / 2)
    return compiled(alt.layer(drawn, _rules(x)).properties(height=height))


def _across(title: str, first: int, last: int) -> alt.X:
    """Describe the axis of sizes, which ends with them; a single size stands in its middle."""
    domain = [first, last] if first < last else [first / 2, last * 2]
    axis = alt.Axis(values=[power for power in POWERS if first <= power <= last], format=",d")
    return alt.X("size:Q", title=title, scale=alt.Scale(type="log", nice=False, domain=domain), axis=axis)


def _rules(x: alt.X) -> alt.LayerChart:
    """Draw a rule at each named size, its name on a side that has room."""
    rule = alt.Chart().mark_rule(strokeWidth=1.5, strokeDash=[4, 3], color=GREY).encode(x=x)
    names = [
        alt.Chart()
        .transform_filter(f"datum.is_late == {late}")
        .mark_text(align=align, dx=dx, fontSize=12, color=GREY)
        .encode(x=x, y=alt.Y("height:Q", scale=None), text="mark:N")
        for late, align, dx in (("false", "left", 5), ("true", "right", -5))
    ]
    return alt.layer(rule, *names).transform_filter("isValid(datum.mark)")


def spans_widely(table: Points) -> bool:
    """Tell whether the costs of a table span several powers of ten."""
    costs = [cost for cost in table["cost"].to_pylist() if cost is not None]
    return bool(costs) and max(costs) >= WIDE * min(costs)


def point_said(name: str, size: str, cost: str, unit: str) -> str:
    """Write what a point says: one text, which takes the browser less time than a table of fields."""
    return f"{name} · {size} · {cost} {unit}"


def cost_table(
    lines: Sequence[tuple[str, Sequence[tuple[int, int | Fraction]]]],
    said: Sequence[str],
    marks: Sequence[tuple[str, float]],
    first_height: int = 12,
) -> Points:
    """Turn each line's name and its points, and the names and sizes of the rules, into a table.

    Streamlit sends Arrow: made from lists it takes a tenth of the time that a frame of pandas takes to become it.

    Args:
        lines: Of each point the size and the cost. A logarithmic axis has no place for 0.
        said: What each point says when the reader points at it, line by line.
        first_height: How far under the top the first rule has its name, in pixels.
    """
    size = [float(at) for _, points in lines for at, _ in points]
    n_rows, n_marks = len(size), len(marks)
    before, after = [None] * n_rows, [None] * n_marks
    cost = [float(one) if one else None for _, points in lines for _, one in points]
    height = [first_height + 18.0 * place for place in range(n_marks)]
    columns = {
        "variant": (pa.string(), [name for name, points in lines for _ in points] + after),
        "size": (pa.float64(), size + [at for _, at in marks]),
        "cost": (pa.float64(), cost + after),
        "said": (pa.string(), [*said, *after]),
        "mark": (pa.string(), before + [name for name, _ in marks]),
        "is_late": (pa.bool_(), before + _sides([at for _, at in marks], size)),
        "height": (pa.float64(), before + height),
        "place": (pa.int64(), [*range(n_rows + n_marks)]),
    }
    return pa.table({name: pa.array(values, kind) for name, (kind, values) in columns.items()})


def _sides(marks: Sequence[float], drawn: Sequence[float]) -> list[bool]:
    """Say of each rule whether its name stands before it: apart from the others' where both sides have room."""
    if not marks:
        return []
    ends = [math.log(size) for size in (min([*drawn, *marks]), max([*drawn, *marks]))]
    places = [(math.log(size) - ends[0]) / ((ends[1] - ends[0]) or 1) for size in marks]
    bounds = [NEAR_START if one == min(marks) else NEAR_END for one in marks] if len(marks) > 1 else [0.5]
    return [place > bound for place, bound in zip(places, bounds, strict=True)]
