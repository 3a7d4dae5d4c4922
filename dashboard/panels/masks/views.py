"""The views of the lesson, by the id that the link holds."""

from collections.abc import Callable

from dashboard.controls import State
from dashboard.panels.masks.alignment import alignment
from dashboard.panels.masks.blind import blind
from dashboard.panels.masks.buffer import buffer
from dashboard.panels.masks.compare import compare
from dashboard.panels.masks.converter import converter
from dashboard.panels.masks.gallery import gallery
from dashboard.panels.masks.ways import ways

VIEWS: dict[str, Callable[[State], None]] = {
    "compare": compare,
    "ways": ways,
    "blind": blind,
    "converter": converter,
    "gallery": gallery,
    "alignment": alignment,
    "buffer": buffer,
}


def show_view(state: State) -> None:
    """Show the chosen view; what follows a control in it is a fragment of its own."""
    VIEWS[state["view"]](state)
