"""Costs by formula against one size, both axes logarithmic: a line a variant, and rules where sizes are named."""

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any

import altair as alt
import pandas as pd

from dashboard.charts import compiled

# The legend takes its rows of two names out of the height.
HEIGHT, LEGEND_ROW = 330, 30
# One place for each variant, so that a line keeps its look whichever others are drawn. Readable in both themes; lines
# that lie on one another have widths and dashes in which all of them show.
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
]
WIDTHS = [7, 4.5, 2.5, 3, 2.5, 2.5, 2.5, 2.5, 2.5, 2.5]
POWERS = [10**power for power in range(8)]
COST_POWERS = [float(f"1e{power}") for power in range(-6, 40)]
COST_STEPS = [float(f"{first}e{power}") for power in range(-6, 40) for first in (1, 2, 5)]
# From so many times the least value on, an axis has room for powers of ten alone.
WIDE = 1000
PLAIN_POWERS = "replace(format(datum.value, '~g'), 'e+', 'e')"
GREY = "#808080"


@lru_cache(maxsize=128)
def cost_lines(
    size_title: str,
    cost_title: str,
    variant_title: str,
    variants: tuple[tuple[str, int], ...],
    ends: tuple[int, int],
    *,
    is_wide: bool,
) -> dict[str, Any]:
    """Compile the lines, their points, and the rules with their names.

    Args:
        variants: The name of each line and its place in the list of all, which decides its look.
        ends: The least and the largest size.
        is_wide: The costs span several powers of ten.
    """
    names, places = [name for name, _ in variants], [place for _, place in variants]

    def scale(looks: Sequence[Any]) -> alt.Scale:
        return alt.Scale(type="ordinal", domain=names, range=[looks[place] for place in places])

    x = _across(size_title, *ends)
    up = alt.Axis(labelExpr=PLAIN_POWERS, values=COST_POWERS if is_wide else COST_STEPS)
    y = alt.Y("cost:Q", title=cost_title, scale=alt.Scale(type="log"), axis=up)
    legend = alt.Legend(orient="top", columns=2, labelLimit=0, symbolType="stroke", symbolSize=700)
    hue = alt.Color("variant:N", scale=scale(HUES), title=None, legend=legend)
    looks = {
        "strokeDash": alt.StrokeDash("variant:N", scale=scale(DASHES), title=None, legend=legend),
        "strokeWidth": alt.StrokeWidth("variant:N", scale=scale(WIDTHS), title=None, legend=legend),
    }
    tooltip = [
        alt.Tooltip("variant:N", title=variant_title),
        alt.Tooltip("size:Q", title=size_title, format=",d"),
        alt.Tooltip("exact:N", title=cost_title),
    ]
    drawn = alt.Chart().transform_filter("isValid(datum.cost)")
    lines = drawn.mark_line().encode(x=x, y=y, color=hue, **looks)
    points = drawn.mark_point(filled=True, size=36).encode(x=x, y=y, color=hue, tooltip=tooltip)
    height = HEIGHT + LEGEND_ROW * math.ceil(len(names) / 2)
    return compiled(alt.layer(lines, points, *_rules(x)).properties(height=height))


def _across(title: str, first: int, last: int) -> alt.X:
    """Describe the axis of sizes, which ends with them; a single size stands in its middle."""
    domain = [first, last] if first < last else [first / 2, last * 2]
    axis = alt.Axis(values=[power for power in POWERS if first <= power <= last], format=",d")
    return alt.X("size:Q", title=title, scale=alt.Scale(type="log", nice=False, domain=domain), axis=axis)


def _rules(x: alt.X) -> list[alt.Chart]:
    """Draw a rule at each named size, its name on the side that has room."""
    ruled = alt.Chart().transform_filter("isValid(datum.mark)")
    rule = ruled.mark_rule(strokeWidth=1.5, strokeDash=[4, 3], color=GREY).encode(x=x)
    names = [
        ruled.transform_filter(f"datum.is_late == {late}")
        .mark_text(align=align, dx=dx, fontSize=13, color=GREY)
        .encode(x=x, y=alt.Y("height:Q", scale=None), text="mark:N")
        for late, align, dx in (("false", "left", 5), ("true", "right", -5))
    ]
    return [rule, *names]


def spans_widely(frame: pd.DataFrame) -> bool:
    """Tell whether the costs of a frame span several powers of ten."""
    return bool(frame["cost"].max() >= WIDE * frame["cost"].min())


def cost_frame(
    lines: Sequence[tuple[str, Sequence[int], Sequence[int | Fraction]]],
    exact: Sequence[Sequence[str]],
    marks: Sequence[tuple[str, float]],
    first_height: int = 12,
) -> pd.DataFrame:
    """Turn each line's name, sizes and costs, and the names and sizes of the rules, into a frame.

    Args:
        first_height: How far under the top the first rule has its name, in pixels.
        exact: The costs as they are written in full, line by line. A logarithmic axis has no place for 0.
    """
    rows: list[dict[str, Any]] = [
        {"variant": name, "size": float(size), "cost": float(cost) if cost else math.nan, "exact": written}
        for (name, sizes, costs), texts in zip(lines, exact, strict=True)
        for size, cost, written in zip(sizes, costs, texts, strict=True)
    ]
    drawn = [row["size"] for row in rows] or [size for _, size in marks]
    middle = math.sqrt(min(drawn) * max(drawn)) if drawn else 0
    rows += [
        {"size": size, "mark": name, "is_late": size > middle, "height": first_height + 18 * place}
        for place, (name, size) in enumerate(marks)
    ]
    columns = ["variant", "size", "cost", "exact", "mark", "is_late", "height"]
    frame = pd.DataFrame(rows, columns=columns).astype({"size": float, "cost": float, "height": float})
    return frame.astype({"is_late": "boolean"})
