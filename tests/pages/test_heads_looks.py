"""What holds for the looks of every view of the heads."""

import pytest

from dashboard.text.heads import VIEWS
from tests.pages.reading import drawings

# Settings that draw what the first sight of a view does not.
SETTINGS = [
    *[(view, {}) for view in VIEWS],
    ("heads", {"heads_over": "max"}),
    ("output", {"output_off": 0}),
    ("faults", {"faults_way": "softmax_over_heads"}),
    ("faults", {"faults_way": "heads_before_batch"}),
    ("dropout", {"dropout_mode": "eval"}),
    ("shared", {"shared_h": 4, "shared_h_kv": 2}),
]


@pytest.mark.parametrize(("view", "query"), SETTINGS)
def test_each_legend_of_colours_states_its_quantity(look_at, view: str, query: dict) -> None:
    drawn = drawings(look_at("heads", lang="en", view=view, **query))
    silent = {name for name, one in drawn.items() if one.get("ends") and not one["words"].get("value")}
    assert not silent


@pytest.mark.parametrize(("view", "query"), SETTINGS)
def test_no_row_is_numbered_twice(look_at, view: str, query: dict) -> None:
    drawn = drawings(look_at("heads", lang="en", view=view, **query))
    for name, one in drawn.items():
        names = one.get("row_names") or [""]
        assert names != [str(place) for place in range(1, len(names) + 1)], name
