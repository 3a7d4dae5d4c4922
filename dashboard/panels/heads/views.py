"""The views of the lesson, by the id that the link holds."""

from collections.abc import Callable

from dashboard.controls import State
from dashboard.panels.heads.drill import drill
from dashboard.panels.heads.dropout import dropout
from dashboard.panels.heads.faults import faults
from dashboard.panels.heads.growth import growth
from dashboard.panels.heads.heads import heads
from dashboard.panels.heads.initial import initial
from dashboard.panels.heads.ledger import ledger
from dashboard.panels.heads.output import output
from dashboard.panels.heads.projections import projections
from dashboard.panels.heads.shared import shared

VIEWS: dict[str, Callable[[State], None]] = {
    "ledger": ledger,
    "drill": drill,
    "heads": heads,
    "output": output,
    "faults": faults,
    "projections": projections,
    "initial": initial,
    "dropout": dropout,
    "growth": growth,
    "shared": shared,
}


def show_view(state: State) -> None:
    """Show the chosen view; what follows a control in it is a fragment of its own."""
    VIEWS[state["view"]](state)
