"""Charts as compiled Vega-Lite specs and the frames they draw: numbers and labels in, no mathematics, no language."""

from typing import Any

import altair as alt


def compiled(chart: alt.TopLevelMixin) -> dict[str, Any]:
    """Turn a chart without data into a spec that takes any frame beside it.

    Altair writes an empty stand-in where a chart has no data, and its own size defaults: both go.
    """
    spec = chart.to_dict()
    spec.pop("datasets", None)
    spec.pop("config", None)
    for part in (spec, *spec.get("layer", ())):
        part.pop("data", None)
    return spec
