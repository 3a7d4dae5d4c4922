"""A query and the keys as arrows from the origin."""

import math
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import altair as alt
import pandas as pd

from dashboard.charts import LINE_LEGEND, MARK, compiled

SIDE, LABEL_HEIGHT = 270, 14
MARGIN = 1.15


@lru_cache(maxsize=32)
def arrows(x_title: str, y_title: str, query: str, key: str, query_hue: str, key_hue: str) -> dict[str, Any]:
    """Compile arrows: a line from the origin to each tip and its name beside it. Both axes have one scale."""
    place = {
        "x": alt.X("x:Q", title=x_title, scale=alt.Scale(nice=False)),
        "y": alt.Y("y:Q", title=y_title, scale=alt.Scale(nice=False)),
    }
    roles, shown = [query, key], {"title": None, "legend": alt.Legend(**LINE_LEGEND)}
    hues = alt.Color("role:N", scale=alt.Scale(domain=roles, range=[query_hue, key_hue]), **shown)
    dashes = alt.StrokeDash("role:N", scale=alt.Scale(domain=roles, range=[[1, 0], [6, 2]]), **shown)
    base = alt.Chart()
    corners = base.transform_filter("datum.part == 'corner'").mark_point(opacity=0).encode(**place)
    lines = (
        base.transform_filter("datum.part != 'corner'")
        .mark_line(strokeWidth=2)
        .encode(**place, color=hues, strokeDash=dashes, detail="arrow:N", order="step:Q")
    )
    tip = base.transform_filter("datum.part == 'tip'").transform_calculate(MARK, "datum.role")
    shapes = alt.Scale(domain=roles, range=["diamond", "circle"])
    points = tip.mark_point(filled=True, size=60).encode(
        **place,
        color=hues,
        shape=alt.Shape(f"{MARK}:N", scale=shapes, legend=None),
        tooltip=[
            alt.Tooltip("name:N", title=key),
            alt.Tooltip("x:Q", title=x_title, format=".4f"),
            alt.Tooltip("y:Q", title=y_title, format=".4f"),
        ],
    )
    names = [
        tip.transform_filter(side)
        .mark_text(dx=shift, dy=-8, align=align, fontSize=13)
        .encode(**place, color=hues, text="label:N")
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
    labels = readable_labels(tips, names, reach)
    rows: list[dict[str, Any]] = []
    for arrow, ((x, y), name, label, role) in enumerate(zip(tips, names, labels, roles, strict=True)):
        same = {"arrow": arrow, "name": name, "label": label, "role": role}
        rows.append({**same, "step": 0, "x": 0.0, "y": 0.0, "part": "origin"})
        rows.append({**same, "step": 1, "x": x, "y": y, "part": "tip"})
    corner = {"arrow": -1, "name": "", "label": "", "role": roles[0], "step": 0, "part": "corner"}
    rows += [{**corner, "x": place, "y": place} for place in (-reach, reach)]
    return pd.DataFrame(rows)


def readable_labels(tips: Sequence[tuple[float, float]], names: Sequence[str], reach: float) -> list[str]:
    """Leave out the names that would cover another: the first arrow's is kept, then those farther out."""
    labels = [""] * len(names)
    taken: list[tuple[float, float, float, float]] = []
    farther = sorted(range(1, len(tips)), key=lambda arrow: -math.hypot(*tips[arrow]))
    for arrow in [0, *farther]:
        x, y = (number / reach * SIDE / 2 for number in tips[arrow])
        width = sum(
            13 if unicodedata.east_asian_width(character) in "WF" else 7 for character in names[arrow]
        )
        left = x + 8 if x >= 0 else x - 8 - width
        box = (left, left + width, y, y + LABEL_HEIGHT)
        if all(box[1] < one[0] or one[1] < box[0] or box[3] < one[2] or one[3] < box[2] for one in taken):
            taken.append(box)
            labels[arrow] = names[arrow]
    return labels
