"""The views of the lesson, by the id that the link holds."""

from collections.abc import Callable

from dashboard.controls import State
from dashboard.panels.heads.faults import faults
from dashboard.panels.heads.projections import projections

# ledger
# drill
# heads
# output
# faults
# projections
# initial
# dropout
# growth
# shared

VIEWS: dict[str, Callable[[State], None]] = {
    # ledger
    # drill
    # heads
    # output
    # faults
    "faults": faults,
    # projections
    "projections": projections,
    # initial
    # dropout
    # growth
    # shared
}


def show_view(state: State) -> None:
    """Show the chosen view; what follows a control in it is a fragment of its own."""
    VIEWS[state["view"]](state)
