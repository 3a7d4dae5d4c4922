"""Vectors on their way through layers, in one plane: an arrow from bare to dressed, or the path of a word."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import altair as alt
import pyarrow as pa

from dashboard.charts import LINE_LEGEND, MARK, compiled
from dashboard.charts.plane import MARGIN, SIDE, readable_labels

LABEL_SIZE = 13
FAINT = 0.45
LEGEND_GAP = 2
Place = tuple[float, float]


def _axes(x_title: str, y_title: str) -> dict[str, Any]:
    return {
        "x": alt.X("x:Q", title=x_title, scale=alt.Scale(nice=False, zero=False)),
        "y": alt.Y("y:Q", title=y_title, scale=alt.Scale(nice=False, zero=False)),
    }


def _square(picture: alt.LayerChart) -> dict[str, Any]:
    """Make a unit as long across as up: else Streamlit fits titles and legend into the sides, unequally."""
    sized = picture.properties(width=SIDE, height=SIDE)
    return compiled(sized.properties(autosize=alt.AutoSizeParams(type="pad", contains="content")))


def _names(tips: alt.Chart, place: dict[str, Any], hue: alt.Color) -> list[alt.Chart]:
    return [
        tips.transform_filter(side)
        .mark_text(dx=shift, dy=-8, align=align, fontSize=LABEL_SIZE)
        .encode(**place, color=hue, text="label:N")
        for side, shift, align in (("datum.is_left", -8, "right"), ("!datum.is_left", 8, "left"))
    ]


@lru_cache(maxsize=32)
def dressed_arrows(
    x_title: str, y_title: str, kinds: tuple[str, str], hues: tuple[str, str]
) -> dict[str, Any]:
    """Compile an arrow for each token, from its bare vector to its dressed one, with the token's name there.

    Args:
        kinds: What begins and what ends an arrow.
        hues: Of both.
    """
    place, names = _axes(x_title, y_title), list(kinds)
    legend = alt.Legend(orient="top", labelLimit=0, symbolOpacity=1, offset=LEGEND_GAP)
    hue = alt.Color("kind:N", title=None, scale=alt.Scale(domain=names, range=list(hues)), legend=legend)
    shape = alt.Shape(
        "kind:N", title=None, scale=alt.Scale(domain=names, range=["circle", "diamond"]), legend=legend
    )
    strength = alt.Opacity("strength:Q", scale=None, legend=None)
    base = alt.Chart()
    corners = base.transform_filter("datum.part == 'corner'").mark_point(opacity=0).encode(**place)
    drawn = base.transform_filter("datum.part != 'corner'")
    shafts = drawn.mark_line(strokeWidth=1.5, color=hues[1]).encode(
        **place, detail="arrow:N", order="step:Q", opacity=strength
    )
    ends = drawn.mark_point(filled=True).encode(
        **place,
        color=hue,
        shape=shape,
        opacity=strength,
        size=alt.Size("size:Q", scale=None, legend=None),
        tooltip="said:N",
    )
    tips = base.transform_filter("datum.part == 'tip'")
    return _square(alt.layer(corners, shafts, ends, *_names(tips, place, hue)))


def arrows_table(
    bare: Sequence[Place],
    dressed: Sequence[Place],
    names: Sequence[str],
    kinds: tuple[str, str],
    chosen: int,
    square: tuple[Place, float],
) -> tuple[pa.Table, int]:
    """Turn each token's two places into the arrows' table, and count the names that would have covered others.

    Args:
        chosen: The token that stands out; its name is always written.
        square: The middle of the picture and how far it goes, whatever is shown at present: it stays where it is from
            layer to layer.
    """
    order = [chosen, *(place for place in range(len(names)) if place != chosen)]
    (middle_x, middle_y), half = square
    tips = [(dressed[at][0] - middle_x, dressed[at][1] - middle_y) for at in order]
    shown = readable_labels(tips, [names[at] for at in order], half)
    labels = dict(zip(order, shown, strict=True))
    rows: list[tuple[Any, ...]] = []
    # The chosen one last, over the others.
    for at in reversed(order):
        strength, size = (1.0, 130) if at == chosen else (FAINT, 50)
        ends = ((bare[at], kinds[0], "foot", ""), (dressed[at], kinds[1], "tip", labels[at]))
        for step, ((x, y), kind, part, label) in enumerate(ends):
            said = f"{names[at]} · {kind}"
            rows.append((at, step, x, y, kind, part, label, said, strength, size, x < middle_x))
    for end in (-half, half):
        rows.append((-1, 0, middle_x + end, middle_y + end, kinds[0], "corner", "", "", 0.0, 0, False))
    kind_of = (
        ("arrow", pa.int64()),
        ("step", pa.int64()),
        ("x", pa.float64()),
        ("y", pa.float64()),
        ("kind", pa.string()),
        ("part", pa.string()),
        ("label", pa.string()),
        ("said", pa.string()),
        ("strength", pa.float64()),
        ("size", pa.float64()),
        ("is_left", pa.bool_()),
    )
    columns = zip(*rows, strict=True)
    table = {name: pa.array(column, kind) for (name, kind), column in zip(kind_of, columns, strict=True)}
    return pa.table(table), sum(not label for label in labels.values())


def square_around(places: Sequence[Place]) -> tuple[Place, float]:
    """Give the middle of places and how far a square around it must go to hold them, with a margin.

    Example:
        >>> square_around([(0.0, 1.0), (2.0, 1.0)]), square_around([(3.0, 4.0)])
        (((1.0, 1.0), 1.15), ((3.0, 4.0), 1.0))
    """
    (left, right), (low, high) = ((min(numbers), max(numbers)) for numbers in zip(*places, strict=True))
    half = MARGIN * max(right - left, high - low) / 2 or 1.0
    return ((left + right) / 2, (low + high) / 2), half


@lru_cache(maxsize=32)
def word_paths(x_title: str, y_title: str, kinds: tuple[str, str]) -> dict[str, Any]:
    """Compile the path of a word in each of two sentences: a point a layer, the first and the last with their number."""
    place, names = _axes(x_title, y_title), list(kinds)
    legend = alt.Legend(**LINE_LEGEND, offset=LEGEND_GAP)
    hue = alt.Color("kind:N", title=None, scale=alt.Scale(domain=names), legend=legend)
    dashes = alt.StrokeDash(
        "kind:N", title=None, scale=alt.Scale(domain=names, range=[[1, 0], [7, 4]]), legend=legend
    )
    base = alt.Chart()
    corners = base.transform_filter("datum.part == 'corner'").mark_point(opacity=0).encode(**place)
    drawn = base.transform_filter("datum.part != 'corner'")
    lines = drawn.mark_line(strokeWidth=2).encode(**place, color=hue, strokeDash=dashes, order="depth:Q")
    shapes = alt.Scale(domain=names, range=["diamond", "circle"])
    points = (
        drawn.transform_calculate(MARK, "datum.kind")
        .mark_point(filled=True, size=60)
        .encode(**place, color=hue, shape=alt.Shape(f"{MARK}:N", scale=shapes, legend=None), tooltip="said:N")
    )
    return _square(alt.layer(corners, lines, points, *_names(drawn, place, hue)))


def paths_table(
    paths: Sequence[Sequence[Place]],
    kinds: tuple[str, str],
    labels: Sequence[Sequence[str]],
    said: Sequence[Sequence[str]],
) -> pa.Table:
    """Turn each sentence's places, depth by depth, into the paths' table.

    Args:
        labels: What is written beside each point; empty for most.
        said: What each point says when the reader points at it.
    """
    middle, half = square_around([place for path in paths for place in path])
    rows: list[tuple[Any, ...]] = []
    for kind, path, written, spoken in zip(kinds, paths, labels, said, strict=True):
        for depth, ((x, y), label, text) in enumerate(zip(path, written, spoken, strict=True)):
            rows.append((depth, x, y, kind, "point", label, text, x < middle[0]))
    for end in (-half, half):
        rows.append((0, middle[0] + end, middle[1] + end, kinds[0], "corner", "", "", False))
    kind_of = (
        ("depth", pa.int64()),
        ("x", pa.float64()),
        ("y", pa.float64()),
        ("kind", pa.string()),
        ("part", pa.string()),
        ("label", pa.string()),
        ("said", pa.string()),
        ("is_left", pa.bool_()),
    )
    columns = zip(*rows, strict=True)
    return pa.table(
        {name: pa.array(column, kind) for (name, kind), column in zip(kind_of, columns, strict=True)}
    )
