"""The views of the lesson, by the id that the link holds."""

from collections.abc import Callable

from dashboard import controls
from dashboard.controls import State
from dashboard.panels.scaling.clinic import clinic
from dashboard.panels.scaling.variance import variance

VIEWS: dict[str, Callable[[State], None]] = {
    "variance": variance,
    "clinic": clinic,
}


@controls.fragment
def show_view(state: State) -> bool | None:
    """Show the chosen view."""
    return VIEWS[state["view"]](state)
