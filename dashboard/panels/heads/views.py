"""The views of the lesson, by the id that the link holds."""

from collections.abc import Callable

from dashboard.controls import State

# dropout
from dashboard.panels.heads.dropout import dropout

# ledger
# drill
# heads
# output
# faults
# projections
# initial
from dashboard.panels.heads.initial import initial

# growth
# shared

VIEWS: dict[str, Callable[[State], None]] = {
    # ledger
    # drill
    # heads
    # output
    # faults
    # projections
    # initial
    "initial": initial,
    # dropout
    "dropout": dropout,
    # growth
    # shared
}


def show_view(state: State) -> None:
    """Show the chosen view; what follows a control in it is a fragment of its own."""
    VIEWS[state["view"]](state)
