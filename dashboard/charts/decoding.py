"""Measured times of tokens against their place, both axes logarithmic: a line a way, and how far times spread."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import altair as alt
import pandas as pd

from dashboard.charts import compiled
from dashboard.charts.costs import DASHES, HUES, WIDTHS

HEIGHT = 300
POWERS_OF_TWO = [2**power for power in range(11)]
TIMES = [float(f"{first}e{power}") for power in range(-3, 9) for first in (1, 2, 5)]
POWERS_OF_TEN = [float(f"1e{power}") for power in range(-3, 9)]
# From so many times the least time on, an axis has room for powers of ten alone.
WIDE = 200


@lru_cache(maxsize=16)
def token_times(
    place_title: str, time_title: str, way_title: str, ways: tuple[str, ...], last: int, *, is_wide: bool
) -> dict[str, Any]:
    """Compile a line a way through medians, each with a bar from the fastest to the slowest token.

    Args:
        last: The last token, where the axis ends.
    """

    def scale(looks: Sequence[Any]) -> alt.Scale:
        return alt.Scale(type="ordinal", domain=list(ways), range=looks[: len(ways)])

    across = alt.Axis(values=[power for power in POWERS_OF_TWO if power <= last], format=",d")
    domain = [1, last] if last > 1 else [0.5, 2]
    x = alt.X(
        "place:Q", title=place_title, axis=across, scale=alt.Scale(type="log", nice=False, domain=domain)
    )
    up = alt.Axis(values=POWERS_OF_TEN if is_wide else TIMES, format="~g")
    y = alt.Y("median_us:Q", title=time_title, scale=alt.Scale(type="log"), axis=up)
    legend = alt.Legend(orient="top", labelLimit=0, symbolType="stroke", symbolSize=700)
    hue = alt.Color("way:N", scale=scale(HUES), title=None, legend=legend)
    looks = {
        "strokeDash": alt.StrokeDash("way:N", scale=scale(DASHES), title=None, legend=legend),
        "strokeWidth": alt.StrokeWidth("way:N", scale=scale(WIDTHS), title=None, legend=legend),
    }
    tooltip = [
        alt.Tooltip("way:N", title=way_title),
        alt.Tooltip("tokens:N", title=place_title),
        alt.Tooltip("median_us:Q", title=time_title, format=",.1f"),
    ]
    base = alt.Chart()
    spread = base.mark_rule(opacity=0.6, strokeWidth=1.5).encode(
        x=x, y=alt.Y("lowest_us:Q", title=time_title), y2=alt.Y2("highest_us:Q"), color=hue
    )
    lines = base.mark_line().encode(x=x, y=y, color=hue, **looks)
    points = base.mark_point(filled=True, size=50).encode(x=x, y=y, color=hue, tooltip=tooltip)
    return compiled(alt.layer(spread, lines, points).properties(height=HEIGHT))


def times_frame(rows: Sequence[tuple[str, str, float, float, float, float]]) -> pd.DataFrame:
    """Turn (way, tokens, their middle, median, lowest, highest), times in microseconds, into a frame."""
    return pd.DataFrame(rows, columns=["way", "tokens", "place", "median_us", "lowest_us", "highest_us"])


def spreads_widely(frame: pd.DataFrame) -> bool:
    """Tell whether the times of a frame span several powers of ten."""
    return bool(frame["highest_us"].max() >= WIDE * frame["lowest_us"].min())
