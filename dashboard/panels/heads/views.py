"""The views of the lesson, by the id that the link holds."""

from collections.abc import Callable

from dashboard.controls import State

# ledger
# drill
from dashboard.panels.heads.drill import drill

# dropout
from dashboard.panels.heads.dropout import dropout
from dashboard.panels.heads.faults import faults

# heads
from dashboard.panels.heads.heads import heads

# faults
# projections
# initial
from dashboard.panels.heads.initial import initial

# ledger
from dashboard.panels.heads.ledger import ledger

# output
from dashboard.panels.heads.output import output
from dashboard.panels.heads.projections import projections

# growth
# shared

VIEWS: dict[str, Callable[[State], None]] = {
    # ledger
    "ledger": ledger,
    # drill
    "drill": drill,
    # heads
    "heads": heads,
    # output
    "output": output,
    # faults
    "faults": faults,
    # projections
    "projections": projections,
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
