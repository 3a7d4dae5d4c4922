"""One meter against the width, a line a divisor, and what the reader guessed."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import altair as alt
import pandas as pd

from dashboard.charts import LINE_LEGEND, MARK, compiled

HEIGHT = 340
DASHES = [[1, 0], [1, 0], [6, 3], [2, 2], [8, 3, 2, 3]]
SHAPES = ["triangle-up", "circle", "square", "diamond", "cross"]


@lru_cache(maxsize=32)
def sweep_lines(
    d_k_title: str,
    meter_title: str,
    divisor_title: str,
    divisors: tuple[str, ...],
    guess: str,
    highest: float | None,
) -> dict[str, Any]:
    """Compile the lines with whiskers of two standard errors, and the guess.

    Args:
        guess: What the line of the reader's guess is called.
        highest: Where the axis ends; None ends it with the numbers.
    """
    scale = alt.Scale(domain=[0, highest]) if highest else alt.Scale(zero=True, nice=True)
    names, legend = list(divisors), alt.Legend(columns=3, **LINE_LEGEND)
    x = alt.X("d_k:Q", title=d_k_title, scale=alt.Scale(type="log", base=2, nice=False))
    y = alt.Y("value:Q", title=meter_title, scale=scale)
    hue = alt.Color("divisor:N", title=divisor_title, scale=alt.Scale(domain=names), legend=legend)
    dash = alt.StrokeDash(
        "divisor:N", title=divisor_title, scale=alt.Scale(domain=names, range=DASHES), legend=legend
    )
    shape = alt.Shape(f"{MARK}:N", scale=alt.Scale(domain=names, range=SHAPES), legend=None)
    tooltip = [
        alt.Tooltip("divisor:N", title=divisor_title),
        alt.Tooltip("d_k:Q", title=d_k_title),
        alt.Tooltip("value:Q", title=meter_title, format=".4g"),
        alt.Tooltip("error:Q", title="±", format=".2g"),
    ]
    base = alt.Chart()
    measured = base.transform_filter("datum.part == 'measured'")
    whiskers = measured.mark_rule(strokeWidth=2).encode(
        x=x, y=alt.Y("low:Q", title=meter_title, scale=scale), y2="high:Q", color=hue
    )
    lines = measured.mark_line(strokeWidth=2.5).encode(x=x, y=y, color=hue, strokeDash=dash)
    marked = measured.transform_calculate(MARK, "datum.divisor")
    points = marked.mark_point(filled=True, size=60).encode(x=x, y=y, color=hue, shape=shape, tooltip=tooltip)
    return compiled(alt.layer(whiskers, lines, points, *_guess(base, x, y, guess)).properties(height=HEIGHT))


def _guess(base: alt.Chart, x: alt.X, y: alt.Y, guess: str) -> tuple[alt.Chart, alt.Chart]:
    """Draw the guess as a wide grey line with its name at the end."""
    guessed = base.transform_filter("datum.part == 'guess'")
    line = guessed.mark_line(strokeWidth=5, opacity=0.45, color="#808080").encode(x=x, y=y)
    last = guessed.transform_filter("datum.is_last")
    name = last.mark_text(align="right", dy=-10, dx=-4, fontSize=13, color="#808080", text=guess)
    return line, name.encode(x=x, y=y)


def sweep_frame(
    rows: Sequence[tuple[str, int, float | None, float | None]], guess: Sequence[tuple[int, float]]
) -> pd.DataFrame:
    """Turn (divisor, d_k, value, standard error) and the guessed points into a frame."""
    frame = pd.DataFrame(rows, columns=["divisor", "d_k", "value", "error"])
    frame = frame.astype({"value": float, "error": float})
    frame["part"], frame["is_last"] = "measured", False
    spread = 2 * frame["error"]
    frame["low"], frame["high"] = frame["value"] - spread, frame["value"] + spread
    guessed = [
        {"part": "guess", "d_k": d_k, "value": value, "is_last": place == len(guess) - 1}
        for place, (d_k, value) in enumerate(guess)
    ]
    return pd.DataFrame([*frame.to_dict("records"), *guessed])
