"""The views of the lesson, by the id that the link holds."""

from collections.abc import Callable

from dashboard.controls import State
from dashboard.panels.variants.compare import compare
from dashboard.panels.variants.encoder import encoder
from dashboard.panels.variants.error import error
from dashboard.panels.variants.timeline import timeline

VIEWS: dict[str, Callable[[State], None]] = {
    "compare": compare,
    "error": error,
    "encoder": encoder,
    "timeline": timeline,
}


def show_view(state: State) -> None:
    """Show the chosen view; what follows a control in it is a fragment of its own."""
    VIEWS[state["view"]](state)
