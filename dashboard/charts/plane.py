"""A query and the keys as arrows from the origin."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import altair as alt
import pandas as pd

from dashboard.charts import compiled

SIDE = 270
MARGIN = 1.15


@lru_cache(maxsize=32)
def arrows(x_title: str, y_title: str, query: str, key: str, query_hue: str, key_hue: str) -> dict[str, Any]:
    """Compile arrows: a line from the origin to each tip and its name beside it. Both axes have one scale."""
    place = {
        "x": alt.X("x:Q", title=x_title, scale=alt.Scale(nice=False)),
        "y": alt.Y("y:Q", title=y_title, scale=alt.Scale(nice=False)),
    }
    roles = [query, key]
    hues = alt.Color(
        "role:N",
        title=None,
        scale=alt.Scale(domain=roles, range=[query_hue, key_hue]),
        legend=alt.Legend(orient="top"),
    )
    dashes = alt.StrokeDash("role:N", scale=alt.Scale(domain=roles, range=[[1, 0], [6, 2]]), legend=None)
    base = alt.Chart()
    corners = base.transform_filter("datum.part == 'corner'").mark_point(opacity=0).encode(**place)
    lines = (
        base.transform_filter("datum.part != 'corner'")
        .mark_line(strokeWidth=2)
        .encode(**place, color=hues, strokeDash=dashes, detail="arrow:N", order="step:Q")
    )
    tip = base.transform_filter("datum.part == 'tip'")
    points = tip.mark_point(filled=True, size=60).encode(
        **place,
        color=hues,
        shape=alt.Shape("role:N", scale=alt.Scale(domain=roles, range=["diamond", "circle"]), legend=None),
        tooltip=[
            alt.Tooltip("name:N", title=key),
            alt.Tooltip("x:Q", title=x_title, format=".4f"),
            alt.Tooltip("y:Q", title=y_title, format=".4f"),
        ],
    )
    names = [
        tip.transform_filter(side)
        .mark_text(dx=shift, dy=-8, align=align, fontSize=13)
        .encode(**place, color=hues, text="name:N")
        for side, shift, align in (("datum.x < 0", -8, "right"), ("datum.x >= 0", 8, "left"))
    ]
    picture = alt.layer(corners, lines, points, *names).properties(width=SIDE, height=SIDE)
    # Else Streamlit fits titles and legend into the sides, unequally: a right angle would not look like one.
    return compiled(picture.properties(autosize=alt.AutoSizeParams(type="pad", contains="content")))


def arrows_frame(
    tips: Sequence[tuple[float, float]], names: Sequence[str], roles: Sequence[str]
) -> pd.DataFrame:
    """Give each arrow its origin and its tip, and two corners that make both axes reach equally far."""
    reach = MARGIN * max((abs(number) for tip in tips for number in tip), default=1.0) or 1.0
    rows: list[dict[str, Any]] = []
    for arrow, ((x, y), name, role) in enumerate(zip(tips, names, roles, strict=True)):
        same = {"arrow": arrow, "name": name, "role": role}
        rows.append({**same, "step": 0, "x": 0.0, "y": 0.0, "part": "origin"})
        rows.append({**same, "step": 1, "x": x, "y": y, "part": "tip"})
    for corner in (-reach, reach):
        rows.append(
            {"arrow": -1, "name": "", "role": roles[0], "step": 0, "x": corner, "y": corner, "part": "corner"}
        )
    return pd.DataFrame(rows)
