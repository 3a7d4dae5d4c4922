"""The views of the lesson, by the id that the link holds."""

from collections.abc import Callable

from dashboard.controls import State
from dashboard.panels.masks.blind import blind
from dashboard.panels.masks.buffer import buffer

VIEWS: dict[str, Callable[[State], None]] = {
    # compare
    # ways
    # blind
    "blind": blind,
    # converter
    # gallery
    # alignment
    # buffer
    "buffer": buffer,
}


def show_view(state: State) -> None:
    """Show the chosen view; what follows a control in it is a fragment of its own."""
    VIEWS[state["view"]](state)
