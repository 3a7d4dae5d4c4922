"""The views of the lesson, by the id that the link holds."""

from collections.abc import Callable

from dashboard.controls import State
from dashboard.panels.complexity.decoding import decoding
from dashboard.panels.complexity.growth import growth
from dashboard.panels.complexity.limits import limits
from dashboard.panels.complexity.measure import measure

VIEWS: dict[str, Callable[[State], None]] = {
    "growth": growth,
    "limits": limits,
    "measure": measure,
    "decoding": decoding,
}


def show_view(state: State) -> None:
    """Show the chosen view; what follows a control in it is a fragment of its own."""
    VIEWS[state["view"]](state)
