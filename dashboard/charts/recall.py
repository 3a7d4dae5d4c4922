"""Share of words read right against the length of the sentence: measured, by theory, and one sentence's own marks."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import altair as alt
import pandas as pd

from dashboard.charts import LINE_LEGEND, compiled

HEIGHT = 330
# Of attention first, then one a width, narrow to wide; all can be told apart on a light and on a dark page.
HUES = ["#2E9E6B", "#D64550", "#D9822B", "#3B82C4", "#9467BD"]
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
        lines: The name of attention's line, then those of the fixed vector.
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
    layers = _layers({"x": x, "color": hue}, y, shape, tooltip)
    return compiled(alt.layer(*layers).properties(height=HEIGHT))


def _layers(
    shared: dict[str, Any], y: dict[str, Any], shape: alt.Shape, tooltip: list[alt.Tooltip]
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
        measured.mark_line(strokeWidth=2.5).encode(y=value),
        foreseen.mark_line(strokeDash=[4, 4], strokeWidth=1.5).encode(y=expected),
        measured.mark_point(filled=True, size=45, opacity=1).encode(y=value, tooltip=tooltip),
        own.mark_point(filled=True, size=OWN_SIZE, opacity=1, stroke="#808080", strokeWidth=1.5).encode(
            y=value, shape=shape, tooltip=tooltip
        ),
    )


def recall_frame(
    rows: Sequence[tuple[str, int, float, float | None, float | None]],
    own: Sequence[tuple[str, str, int, float]],
) -> pd.DataFrame:
    """Turn (line, n, share, standard error, theory) and the sentence's (line, mark, n, share) into a frame."""
    frame = pd.DataFrame(rows, columns=["line", "n", "value", "error", "expected"])
    frame = frame.astype({"value": float, "error": float, "expected": float})
    spread = 2 * frame["error"].fillna(0.0)
    frame["low"] = (frame["value"] - spread).clip(0, 1)
    frame["high"] = (frame["value"] + spread).clip(0, 1)
    frame["mark"] = None
    marks = [{"line": line, "mark": mark, "n": n, "value": share} for line, mark, n, share in own]
    return pd.DataFrame([*frame.to_dict("records"), *marks])
