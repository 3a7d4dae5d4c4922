"""A variance against the width: a band over seeds, its median, and theory's line."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import altair as alt
import pandas as pd

from dashboard.charts import compiled

HEIGHT = 340
POWERS_OF_TEN = [10.0**power for power in range(-12, 16)]


@lru_cache(maxsize=8)
def variance_lines(d_k_title: str, variance_title: str, median: str, theory: str) -> dict[str, Any]:
    """Compile theory's line, and the measured points with their band; both axes logarithmic."""
    kinds = alt.Scale(domain=[median, theory])
    legend = alt.Legend(orient="top", symbolOpacity=1, labelLimit=0)
    x = alt.X("d_k:Q", title=d_k_title, scale=alt.Scale(type="log", base=2, nice=False))
    y = alt.Scale(type="log", nice=False)
    powers = alt.Axis(values=POWERS_OF_TEN, format="~g")
    tooltip = [
        alt.Tooltip("d_k:Q", title=d_k_title),
        alt.Tooltip("median:Q", title=median, format=".5g"),
        alt.Tooltip("lowest:Q", title="min", format=".5g"),
        alt.Tooltip("highest:Q", title="max", format=".5g"),
        alt.Tooltip("expected:Q", title=theory, format=".5g"),
    ]
    base = alt.Chart()
    band = base.mark_area(opacity=0.3).encode(
        x=x,
        y=alt.Y("lowest:Q", title=variance_title, scale=y, axis=powers),
        y2="highest:Q",
        color=alt.Color("kind:N", scale=kinds, title=None, legend=legend),
    )
    line = base.mark_line(strokeDash=[6, 3], strokeWidth=2).encode(
        x=x,
        y=alt.Y("expected:Q", title=variance_title, scale=y, axis=powers),
        color=alt.Color("theory:N", scale=kinds, title=None, legend=legend),
    )
    points = base.mark_point(filled=True, size=55).encode(
        x=x,
        y=alt.Y("median:Q", title=variance_title, scale=y, axis=powers),
        color=alt.Color("kind:N", scale=kinds, title=None, legend=legend),
        tooltip=tooltip,
    )
    return compiled(alt.layer(band, line, points).properties(height=HEIGHT))


def variance_frame(
    rows: Sequence[tuple[int, float | None, float | None, float | None, float]],
    median: str,
    theory: str,
) -> pd.DataFrame:
    """Turn (d_k, lowest, median, highest, expected) into a frame; a variance of 0 has no place on a logarithmic axis."""
    frame = pd.DataFrame(rows, columns=["d_k", "lowest", "median", "highest", "expected"])
    numbers = frame[["lowest", "median", "highest", "expected"]].astype(float)
    frame[numbers.columns] = numbers.where(numbers > 0)
    frame["kind"], frame["theory"] = median, theory
    return frame
