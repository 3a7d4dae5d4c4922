"""Charts as compiled Vega-Lite specs and the frames they draw: numbers and labels in, no mathematics, no language."""

from typing import Any

import altair as alt

LINE_LEGEND = {
    "orient": "top",
    "labelLimit": 0,
    "symbolType": "stroke",
    "symbolSize": 289,
    "symbolStrokeWidth": 2.5,
}
"""Shows a piece of each line, with its colour and its dashes."""
MARK = "mark"
"""A second name for what tells lines apart, for the shapes of their points: Vega makes one legend of all that has
one name, and in it cuts the outlines of shapes into the dashes of lines."""


def compiled(chart: alt.TopLevelMixin) -> dict[str, Any]:
    """Turn a chart without data into a spec that takes any frame beside it.

    Altair writes an empty stand-in where a chart has no data, and its own size defaults: both go.
    """
    spec = chart.to_dict()
    spec.pop("datasets", None)
    spec.pop("config", None)
    _strip(spec)
    return spec


def _strip(part: dict[str, Any]) -> None:
    """Take stand-ins for data away, and names for each mark: what a chart shows is said in its alt text and its table."""
    part.pop("data", None)
    if "mark" in part:
        part["mark"]["aria"] = False
    for layer in part.get("layer", ()):
        _strip(layer)
