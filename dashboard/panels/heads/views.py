"""The views of the lesson, by the id that the link holds."""

from collections.abc import Callable

from dashboard.controls import State

# drill
from dashboard.panels.heads.drill import drill

# ledger
from dashboard.panels.heads.ledger import ledger

# heads
from dashboard.panels.heads.heads import heads

# output
from dashboard.panels.heads.output import output

# faults
# projections
# initial
# dropout
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
    # projections
    # initial
    # dropout
    # growth
    # shared
}


def show_view(state: State) -> None:
    """Show the chosen view; what follows a control in it is a fragment of its own."""
    VIEWS[state["view"]](state)
