"""Relative errors against a size or a length: a line a variant with the ends of its draws, and points of one's own."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import altair as alt
import pandas as pd

from dashboard.charts import LINE_LEGEND, compiled

HEIGHT = 330
GREY = "#808080"
# On a phone as many names as its width holds.
LEGEND_COLUMNS = "containerSize()[0] > 560 ? 4 : 2"
# One place for each variant, so that a line keeps its look whichever others are drawn.
HUES = ["#D64550", "#9A9A2B", "#2E9E6B", "#9467BD", "#A0705A", "#3B82C4", "#6F7FD8", "#D9822B", "#D667A8"]
DASHES = [[1, 0], [6, 3], [8, 3, 2, 3], [2, 2], [10, 4], [12, 3], [4, 2], [3, 3], [2, 5]]
Row = tuple[str, float, float, float, float]


@lru_cache(maxsize=64)
def error_lines(
    x_title: str,
    y_title: str,
    line_title: str,
    own: str,
    zeros: str,
    lines: tuple[tuple[str, int], ...],
) -> dict[str, Any]:
    """Compile the lines with the range of their draws, the reader's own points, and a rule where outputs of zeros lie.

    Args:
        own: What the reader's own points are called.
        zeros: What the rule at 1 is called.
        lines: The name of each line and its place among the looks.
    """
    names, places = [name for name, _ in lines], [place for _, place in lines]
    hues = alt.Scale(domain=names, range=[HUES[place] for place in places])
    dashes = alt.Scale(domain=names, range=[DASHES[place] for place in places])
    legend = alt.Legend(columns=alt.expr(LEGEND_COLUMNS), **LINE_LEGEND)
    scale = alt.Scale(type="log", base=2, nice=False, padding=8)
    x = alt.X("size:Q", title=x_title, scale=scale, axis=alt.Axis(format=",d"))
    y = alt.Y("error:Q", title=y_title, scale=alt.Scale(zero=True, nice=True))
    hue = alt.Color("line:N", title=None, scale=hues, legend=legend)
    dash = alt.StrokeDash("line:N", title=None, scale=dashes, legend=legend)
    tooltip = [
        alt.Tooltip("line:N", title=line_title),
        alt.Tooltip("size:Q", title=x_title, format=",d"),
        alt.Tooltip("error:Q", title=y_title, format=".3g"),
        alt.Tooltip("low:Q", format=".3g"),
        alt.Tooltip("high:Q", format=".3g"),
    ]
    base = alt.Chart()
    drawn = base.transform_filter("datum.part == 'drawn'")
    ends = drawn.mark_rule(strokeWidth=1.5).encode(
        x=x, y=alt.Y("low:Q", title=y_title), y2="high:Q", color=hue
    )
    curves = drawn.mark_line(strokeWidth=2.5).encode(x=x, y=y, color=hue, strokeDash=dash)
    points = drawn.mark_point(filled=True, size=40).encode(x=x, y=y, color=hue, tooltip=tooltip)
    mine = base.transform_filter("datum.part == 'own'").mark_point(
        shape="diamond", size=130, strokeWidth=2.5, filled=False
    )
    own_points = mine.encode(x=x, y=y, color=hue, tooltip=[alt.Tooltip("own:N", title=own), *tooltip[:3]])
    return compiled(
        alt.layer(*_rule_at_one(base, zeros), ends, curves, points, own_points).properties(height=HEIGHT)
    )


def _rule_at_one(base: alt.Chart, zeros: str) -> tuple[alt.Chart, alt.Chart]:
    """Draw a rule at 1 with its name at its end."""
    only = base.transform_filter("datum.part == 'zeros'")
    y = alt.Y("error:Q")
    rule = only.mark_rule(strokeWidth=1.5, strokeDash=[4, 3], color=GREY).encode(y=y)
    name = only.mark_text(align="right", dx=-6, dy=-7, fontSize=12, color=GREY, text=zeros)
    return rule, name.encode(x=alt.value("width"), y=y)


def error_frame(drawn: Sequence[Row], own: Sequence[tuple[str, float, float]], own_said: str) -> pd.DataFrame:
    """Turn (line, size, mean, lowest, highest) of the draws and (line, size, error) of the reader's own into a frame."""
    rows = [
        {"part": "drawn", "line": line, "size": size, "error": mean, "low": low, "high": high, "own": ""}
        for line, size, mean, low, high in drawn
    ]
    rows += [
        {
            "part": "own",
            "line": line,
            "size": size,
            "error": error,
            "low": error,
            "high": error,
            "own": own_said,
        }
        for line, size, error in own
    ]
    rows.append(
        {"part": "zeros", "line": "", "size": None, "error": 1.0, "low": None, "high": None, "own": ""}
    )
    return pd.DataFrame(rows)
