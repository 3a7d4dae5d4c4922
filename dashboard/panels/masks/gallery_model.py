"""From the gallery's values to the mask on the screen."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch

from attention_core.patterns import PATTERNS, Parameter, Pattern
from dashboard.controls import State
from dashboard.panels.masks.gallery_fields import FILE, MOST_CELLS, Cell, field_name


@dataclass(frozen=True)
class Drawn:
    """A mask as it is shown.

    Attributes:
        flipped: Cells inside it that the reader flipped.
        outside: How many flipped cells lie beyond its side.
    """

    allowed: torch.Tensor
    flipped: tuple[Cell, ...]
    outside: int


def kinds(state: State) -> tuple[str, ...]:
    """Name the patterns in use: one, or two that are joined."""
    first = (state["gallery_pattern"],)
    return first if state["gallery_join"] == "alone" else (*first, state["gallery_second"])


def values_of(state: State, place: int) -> Mapping[str, Any]:
    """Give the parameters of the first or the second pattern by their names in the core."""
    kind = kinds(state)[place]
    parameters: tuple[Parameter, ...] = () if kind == FILE else PATTERNS[kind].parameters
    return {one.name: state[field_name(place, kind, one.name)] for one in parameters}


def pattern_of(state: State, place: int, from_file: torch.Tensor | None) -> Pattern:
    """Make the first or the second pattern; a mask from a file is looked up."""
    kind = kinds(state)[place]
    if kind == FILE and from_file is not None:
        return Pattern(lambda query, key: from_file[query, key])
    return PATTERNS[kind].make(**values_of(state, place))


def rule_mask(state: State, from_file: torch.Tensor | None, n: int | None = None) -> torch.Tensor:
    """Join the patterns and build their mask, as it is before the reader flips a cell.

    Args:
        n: Of how many tokens; None for as many as the gallery shows. A file's mask needs as many at least.
    """
    pattern = pattern_of(state, 0, from_file)
    if state["gallery_join"] != "alone":
        second = pattern_of(state, 1, from_file)
        joined = {"and": pattern & second, "or": pattern | second, "and_not": pattern & ~second}
        pattern = joined[state["gallery_join"]]
    return pattern.build(n or state["gallery_n"])


def draw_mask(state: State, from_file: torch.Tensor | None, n: int | None = None) -> Drawn:
    """Build the mask of the patterns and flip the reader's cells; `n` as `rule_mask` takes it."""
    allowed = rule_mask(state, from_file, n)
    cells = state["gallery_cells"]
    flipped = tuple(cell for cell in cells if max(cell) < len(allowed))
    for row, column in flipped:
        allowed[row, column] = ~allowed[row, column]
    return Drawn(allowed, flipped, len(cells) - len(flipped))


def flip(state: State, row: int, column: int) -> None:
    """Flip a cell, or flip it back; beyond the most that a link keeps, nothing is added."""
    cells = state["gallery_cells"]
    if (row, column) in cells:
        state.put("gallery_cells", tuple(cell for cell in cells if cell != (row, column)))
    elif len(cells) < MOST_CELLS:
        state.put("gallery_cells", (*cells, (row, column)))


def plain_window(state: State) -> int | None:
    """Give the width where the mask is one causal window and nothing else; None where it is not."""
    is_alone = kinds(state) == ("window",) and not any(
        max(cell) < state["gallery_n"] for cell in state["gallery_cells"]
    )
    values = values_of(state, 0)
    return values["width"] if is_alone and values["is_causal"] else None


def side_of_image(state: State) -> int | None:
    """Give the number of patches where an image has another one than there are tokens, and a mask may have it."""
    sides = {
        state[field_name(place, kind, "height")] * state[field_name(place, kind, "width")]
        for place, kind in enumerate(kinds(state))
        if kind == "patches"
    }
    side = sides.pop() if len(sides) == 1 else state["gallery_n"]
    return side if side != state["gallery_n"] and side <= state.fields["gallery_n"].highest else None
