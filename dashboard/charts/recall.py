"""Share of words read right against the length of the sentence: measured, by theory, and one sentence's own marks."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import altair as alt
import pyarrow as pa

from dashboard.charts import LINE_LEGEND, compiled

# A row for each point of a line and for each mark.
Points = pa.Table
HEIGHT = 330
# Of attention, of the fixed vector at the reader's width, then at others; all can be told apart on any page.
HUES = ["#2E9E6B", "#D64550", "#D9822B", "#3B82C4", "#9467BD"]
# The reader's own lines are wide, so that they show under one of the others that is the same.
WIDTHS = [5, 6, 2, 2, 2]
SHAPES = ["triangle-up", "diamond"]
# Of the marks: larger than any point on a line.
OWN_SIZE = 260


@lru_cache(maxsize=64)
def recall_lines(
    n_title: str,
    share_title: str,
    theory_title: str,
    lines: tuple[str, ...],
    marks: tuple[str, str],
    last: int,
) -> dict[str, Any]:
    """Compile the lines with whiskers, theory as dashes, and two marks.

    Args:
        lines: The names of attention's line, of the fixed vector's at the reader's width, and of those at other widths.
        marks: The names of the sentence's own marks: by attention, from the fixed vector.
        last: The largest n on the axis.
    """
    ticks = [2**power for power in range(12) if 2**power <= last]
    x = alt.X(
        "n:Q",
        title=n_title,
        scale=alt.Scale(type="log", base=2, nice=False, domain=[0.9, last * 1.15]),
        axis=alt.Axis(values=ticks, format="d"),
    )
    y = {"title": share_title, "scale": alt.Scale(domain=[0, 1.03], nice=False)}
    legend = alt.Legend(columns=2, **LINE_LEGEND)
    hue = alt.Color(
        "line:N", title=None, scale=alt.Scale(domain=list(lines), range=HUES[: len(lines)]), legend=legend
    )
    shape = alt.Shape("mark:N", scale=alt.Scale(domain=list(marks), range=SHAPES), legend=None)
    tooltip = [
        alt.Tooltip("line:N", title=" "),
        alt.Tooltip("n:Q", title=n_title),
        alt.Tooltip("value:Q", title=share_title, format=".4g"),
        alt.Tooltip("expected:Q", title=theory_title, format=".4g"),
    ]
    width = alt.StrokeWidth(
        "line:N",
        scale=alt.Scale(type="ordinal", domain=list(lines), range=WIDTHS[: len(lines)]),
        legend=None,
    )
    layers = _layers({"x": x, "color": hue}, y, width, shape, tooltip)
    return compiled(alt.layer(*layers).properties(height=HEIGHT))


def _layers(
    shared: dict[str, Any],
    y: dict[str, Any],
    width: alt.StrokeWidth,
    shape: alt.Shape,
    tooltip: list[alt.Tooltip],
) -> tuple[alt.Chart, ...]:
    """Draw whiskers, lines, theory, points and the sentence's own marks."""
    base = alt.Chart()
    measured, own = (
        base.transform_filter(f"{sign}isValid(datum.mark)").encode(**shared) for sign in ("!", "")
    )
    value, expected = alt.Y("value:Q", **y), alt.Y("expected:Q", **y)
    foreseen = measured.transform_filter("isValid(datum.expected)")
    return (
        measured.mark_rule(strokeWidth=1.5).encode(y=alt.Y("low:Q", **y), y2="high:Q"),
        measured.mark_line().encode(y=value, strokeWidth=width),
        foreseen.mark_line(strokeDash=[4, 4], strokeWidth=1.5).encode(y=expected),
        measured.mark_point(filled=True, size=45, opacity=1).encode(y=value, tooltip=tooltip),
        own.mark_point(filled=True, size=OWN_SIZE, opacity=1, stroke="#808080", strokeWidth=1.5).encode(
            y=value, shape=shape, tooltip=tooltip
        ),
    )


def recall_table(
    rows: Sequence[tuple[str, int, float, float | None, float | None]],
    own: Sequence[tuple[str, str, int, float]],
) -> Points:
    """Turn (line, n, share, standard error, theory) and the sentence's (line, mark, n, share) into a table.

    Streamlit sends Arrow: made from lists it takes a tenth of the time that a frame of pandas takes to become it.
    """
    none = [None] * len(own)
    spreads = [2 * (error or 0.0) for _, _, _, error, _ in rows]
    shares = [share for _, _, share, _, _ in rows]
    columns = {
        "line": (pa.string(), [row[0] for row in rows] + [mark[0] for mark in own]),
        "n": (pa.float64(), [row[1] for row in rows] + [mark[2] for mark in own]),
        "value": (pa.float64(), shares + [mark[3] for mark in own]),
        "low": (pa.float64(), [max(0.0, one - far) for one, far in zip(shares, spreads, strict=True)] + none),
        "high": (
            pa.float64(),
            [min(1.0, one + far) for one, far in zip(shares, spreads, strict=True)] + none,
        ),
        "expected": (pa.float64(), [row[4] for row in rows] + none),
        "mark": (pa.string(), [None] * len(rows) + [mark[1] for mark in own]),
    }
    return pa.table({name: pa.array(values, kind) for name, (kind, values) in columns.items()})
