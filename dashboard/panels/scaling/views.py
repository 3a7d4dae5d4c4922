"""The views of the lesson, by the id that the link holds."""

from collections.abc import Callable

from dashboard.controls import State
from dashboard.panels.scaling.clinic import clinic
from dashboard.panels.scaling.overflow import overflow
from dashboard.panels.scaling.saturation import saturation
from dashboard.panels.scaling.temperature import temperature
from dashboard.panels.scaling.textbook import textbook
from dashboard.panels.scaling.variance import variance

VIEWS: dict[str, Callable[[State], None]] = {
    "variance": variance,
    "saturation": saturation,
    "temperature": temperature,
    "clinic": clinic,
    "overflow": overflow,
    "textbook": textbook,
}


def show_view(state: State) -> None:
    """Show the chosen view; what follows a slider in it is a fragment of its own."""
    VIEWS[state["view"]](state)
