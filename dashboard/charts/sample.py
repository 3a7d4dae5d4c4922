"""One query's weights before and after scaling, side by side for each key."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import altair as alt
import pandas as pd

from dashboard.charts import compiled

HEIGHT = 380


@lru_cache(maxsize=32)
def sample_bars(
    key_title: str, weight_title: str, series_title: str, series: tuple[str, ...], shown: tuple[str, ...]
) -> dict[str, Any]:
    """Compile two bars a key, from 0 to 1.

    Args:
        series: All divisors, so that the colours are those of the sweep's lines.
        shown: The divisors of this row.
    """
    names = list(series)
    chart = (
        alt.Chart()
        .mark_bar()
        .encode(
            x=alt.X("key:N", sort=None, title=key_title, axis=alt.Axis(labelAngle=0, labelOverlap=True)),
            xOffset=alt.XOffset("series:N", sort=names),
            y=alt.Y("weight:Q", title=weight_title, scale=alt.Scale(domain=[0, 1])),
            color=alt.Color(
                "series:N",
                title=series_title,
                scale=alt.Scale(domain=names),
                legend=alt.Legend(orient="top", values=list(shown)),
            ),
            tooltip=[
                alt.Tooltip("key:N", title=key_title),
                alt.Tooltip("series:N", title=series_title),
                alt.Tooltip("score:Q", title="q·k", format=".4g"),
                alt.Tooltip("weight:Q", title=weight_title, format=".6f"),
            ],
        )
        .properties(height=HEIGHT)
    )
    return compiled(chart)


def sample_frame(rows: Sequence[tuple[str, str, float, float]]) -> pd.DataFrame:
    """Turn (key, series, score, weight) into a frame."""
    return pd.DataFrame(rows, columns=["key", "series", "score", "weight"])
