"""The views of the lesson, by the id that the link holds."""

from collections.abc import Callable

from dashboard.controls import State

# ledger
# drill
# heads
# output
# faults
# projections
# initial
# dropout
# growth
from dashboard.panels.heads.growth import growth

# shared
from dashboard.panels.heads.shared import shared

VIEWS: dict[str, Callable[[State], None]] = {
    # ledger
    # drill
    # heads
    # output
    # faults
    # projections
    # initial
    # dropout
    # growth
    "growth": growth,
    # shared
    "shared": shared,
}


def show_view(state: State) -> None:
    """Show the chosen view; what follows a control in it is a fragment of its own."""
    VIEWS[state["view"]](state)
