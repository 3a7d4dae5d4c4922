"""The views of the lesson, by the id that the link holds."""

from collections.abc import Callable

from dashboard.controls import State
from dashboard.panels.layers.attention import attention
from dashboard.panels.layers.far import far
from dashboard.panels.layers.rollout import rollout
from dashboard.panels.layers.smoothing import smoothing
from dashboard.panels.layers.stack import stack
from dashboard.panels.layers.twice import twice

VIEWS: dict[str, Callable[[State], None]] = {
    "stack": stack,
    "attention": attention,
    "smoothing": smoothing,
    "rollout": rollout,
    "twice": twice,
    "far": far,
}


def show_view(state: State) -> None:
    """Show the chosen view; what follows a control in it is a fragment of its own."""
    VIEWS[state["view"]](state)
