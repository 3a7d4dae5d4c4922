"""A strip of stages in order, each with its shape."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from dashboard.grid.bench import Part


@dataclass(frozen=True)
class Stage:
    """One stage on a strip: its id, what is written on it, its full name and its role's hue.

    Attributes:
        joint: How it follows from the stage before: "→", "+", "=", or "," beside it.
    """

    id: str
    name: str
    shape: str
    title: str
    hue: str | None
    joint: str


def strip_part(
    label: str, stages: Sequence[Stage], chosen: str, on_choose: Callable[[str], None], *, note: str = ""
) -> Part:
    """Describe a strip of which one stage is chosen.

    Args:
        label: What the strip is, for those who do not see it.
        note: Shown as a badge behind the strip: where the numbers come from.
    """
    allowed = {stage.id for stage in stages}

    def choose(event: object) -> None:
        if isinstance(event, str) and event in allowed:
            on_choose(event)

    data = {"label": label, "chosen": chosen, "stages": [dict(vars(stage)) for stage in stages], "note": note}
    return Part("strip", data, {"choose": choose})
