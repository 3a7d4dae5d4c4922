"""What the link holds of the gallery: pattern, its parameters, a second one, flipped cells, layers."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from attention_core.patterns import MAX_SIDE, PATTERNS, Parameter
from dashboard.link import Choice, Decimal, Field, Flag, Integer, Problem
from dashboard.text import mask_gallery as words

FILE = "file"
MOST_CELLS = 200
WIDEST_HEAD = 4096
# Squaring the reach of more tokens takes longer than a slider may.
MOST_REACHED = 512
# Longest side of which two pictures, a byte a pixel, fit into one message of 400 kB; beyond, pixels stand for blocks.
MOST_PIXELS_OF_TWO = 360
PLACES = ("gallery", "gallery2")

Cell = tuple[int, int]


@dataclass(frozen=True)
class Cells:
    """Cells of a mask that the reader flipped, as row.column joined by `~`, counted from 1 in the link."""

    most: int
    highest: int
    default: tuple[Cell, ...] = ()

    def read(self, raw: str) -> tuple[tuple[Cell, ...], Problem | None]:
        cells: dict[Cell, None] = {}
        problem: Problem | None = None
        for part in filter(None, raw.split("~")):
            match = re.fullmatch(r"(\d{1,4})\.(\d{1,4})", part, re.ASCII)
            if not match:
                problem = "malformed"
                continue
            cell = int(match[1]) - 1, int(match[2]) - 1
            if not (0 <= cell[0] < self.highest and 0 <= cell[1] < self.highest):
                problem = "out_of_range"
            elif cell in cells:
                problem = "repeated"
            elif len(cells) == self.most:
                problem = "too_long"
                break
            else:
                cells[cell] = None
        return tuple(cells), problem

    def write(self, value: tuple[Cell, ...]) -> str:
        return "~".join(f"{row + 1}.{column + 1}" for row, column in value)


def field_name(place: int, pattern: str, parameter: str) -> str:
    """Name the field of a parameter of the first (0) or the second (1) pattern."""
    return f"{PLACES[place]}_{pattern}_{parameter}"


def field_of(parameter: Parameter) -> Field:
    """Make the field that holds a parameter, with the core's own range."""
    if isinstance(parameter.default, bool):
        return Flag(parameter.default)
    kind = Integer if isinstance(parameter.default, int) else Decimal
    return kind(parameter.default, parameter.lowest, parameter.highest)


def gallery_fields() -> Mapping[str, Field]:
    """List the fields in the order of the link."""
    parameters = {
        field_name(place, pattern, parameter.name): field_of(parameter)
        for place in range(len(PLACES))
        for pattern, choice in PATTERNS.items()
        for parameter in choice.parameters
    }
    return {
        "gallery_pattern": Choice("window", (*PATTERNS, FILE)),
        "gallery_n": Integer(12, 1, MAX_SIDE),
        "gallery_join": Choice("alone", tuple(words.JOINS)),
        "gallery_second": Choice("global_tokens", tuple(PATTERNS)),
        **parameters,
        "gallery_layers": Integer(3, 1, 12),
        "gallery_residual": Flag(True),
        "gallery_d_k": Integer(64, 1, WIDEST_HEAD),
        "gallery_d_v": Integer(64, 1, WIDEST_HEAD),
        "gallery_cells": Cells(MOST_CELLS, MAX_SIDE),
    }
