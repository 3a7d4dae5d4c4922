"""One number a key, as bars: a query's weights."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import altair as alt
import pandas as pd

from dashboard.charts import compiled

ROW_HEIGHT, AXIS_HEIGHT = 22, 80


@lru_cache(maxsize=32)
def weight_bars(key_title: str, weight_title: str, n_keys: int) -> dict[str, Any]:
    """Compile bars from 0 to 1, one row a key in the order of the sentence."""
    chart = (
        alt.Chart()
        .mark_bar(stroke="#808080", strokeWidth=1)
        .encode(
            y=alt.Y("key:N", sort=None, title=key_title, axis=alt.Axis(labelLimit=160, labelOverlap=False)),
            x=alt.X("weight:Q", title=weight_title, scale=alt.Scale(domain=[0, 1])),
            # The colours of the weights' grid; their outline is seen on any page.
            color=alt.Color("weight:Q", scale=alt.Scale(scheme="cividis", domain=[0, 1]), legend=None),
            tooltip=[
                alt.Tooltip("key:N", title=key_title),
                alt.Tooltip("weight:Q", title=weight_title, format=".6f"),
            ],
        )
        .properties(height=ROW_HEIGHT * n_keys + AXIS_HEIGHT)
    )
    return compiled(chart)


def bars_frame(labels: Sequence[str], weights: Sequence[float]) -> pd.DataFrame:
    """Name each key by its position and its word, so that repeated words keep their own bar."""
    return pd.DataFrame(
        {"key": [f"{place} {label}" for place, label in enumerate(labels, 1)], "weight": list(weights)}
    )
