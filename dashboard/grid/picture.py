"""From a matrix to what the browser draws: colour levels, texts, labels that can be seen, coarse blocks, CSV."""

import csv
import io
import math
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dashboard.grid.palette import STEPS
from dashboard.number_format import exact

PLAIN, UNDEFINED, HIDDEN = 252, 253, 254
"""Levels that are no colour of a scale: without colour, not a number, masked."""

CELLS_LIMIT, NARROW_LIMIT, PIXELS_LIMIT = 32, 64, 512
"""Longest side drawn with numbers in cells, or of a narrow matrix with no more cells than the square of that; longest
side with one pixel a cell; beyond, one pixel stands for a block."""

_STAND_INS = {" ": "␠", "\n": "⏎", "\r": "⏎", "\t": "⇥", "\u00a0": "⍽", "\u3000": "␠"}
_JOINERS = "\u200c\u200d"


def _stand_in(character: str, is_inside: bool) -> str:
    if character in _STAND_INS:
        return character if is_inside and character == " " else _STAND_INS[character]
    category = unicodedata.category(character)
    if character in _JOINERS and is_inside:
        return character
    if category in ("Cc", "Cf", "Cs", "Zl", "Zp") or (category == "Zs" and not is_inside):
        return f"U+{ord(character):04X}"
    return character


def visible(label: str) -> str:
    """Write a label so that nothing in it is invisible: white space, control and direction marks, lone surrogates.

    A space between words stays a space, a joiner inside an emoji or a Persian word stays in it.

    Example:
        >>> visible(""), visible(" "), visible("a b"), visible("a\\n"), visible("\\u202eabc"), visible("\\ud800")
        ('∅', '␠', 'a b', 'a⏎', 'U+202Eabc', 'U+D800')
    """
    if not label:
        return "∅"
    if label.isprintable() and not label.startswith(" ") and not label.endswith(" "):
        return label
    core = label.strip(" ")
    start = len(label) - len(label.lstrip(" ")) if core else len(label)
    end = start + len(core)
    return "".join(_stand_in(character, start < place < end - 1) for place, character in enumerate(label))


def half_width(values: np.ndarray) -> float:
    """The largest finite distance from zero, or 1 where there is none: the reach of a diverging scale."""
    distances = np.abs(values[np.isfinite(values)])
    reach = float(distances.max()) if distances.size else 0.0
    return reach if reach > 0 else 1.0


def levels(values: np.ndarray, scale: str, reach: float, hidden: np.ndarray | None) -> np.ndarray:
    """One byte a cell: its step on the scale, or one of the levels that are no colour.

    Example:
        >>> levels(np.array([[0.0, 0.5, 1.0, math.nan]]), "sequential", 1.0, None).tolist()
        [[0, 125, 250, 253]]
        >>> levels(np.array([[-2.0, 0.0, math.inf]]), "diverging", 2.0, np.array([[True, False, False]])).tolist()
        [[254, 125, 250]]
    """
    top = STEPS - 1
    if scale == "plain":
        steps = np.full(values.shape, PLAIN, dtype=np.uint8)
    else:
        share = np.nan_to_num(values / reach, nan=0.0, posinf=1.0, neginf=-1.0)
        low = -1.0 if scale == "diverging" else 0.0
        steps = np.rint((np.clip(share, low, 1.0) - low) / (1.0 - low) * top).astype(np.uint8)
    steps[np.isnan(values)] = UNDEFINED
    if hidden is not None:
        steps[hidden] = HIDDEN
    return steps


def level_values(scale: str, reach: float) -> list[float]:
    """The value each step of the scale stands for, so that the browser can name a pixel it has no number for."""
    low = -reach if scale == "diverging" else 0.0
    return [low + (reach - low) * step / (STEPS - 1) for step in range(STEPS)]


def block_size(side: int, most_pixels: int = PIXELS_LIMIT) -> int:
    """How many rows (or columns) one pixel stands for.

    Example:
        >>> [block_size(side) for side in (0, 512, 513, 2048)]
        [1, 1, 2, 4]
    """
    return max(1, math.ceil(side / most_pixels))


def farthest(values: np.ndarray, hidden: np.ndarray | None, most_pixels: int = PIXELS_LIMIT) -> np.ndarray:
    """For each block, the flat index of its visible value farthest from zero: no peak vanishes in a coarse picture.

    Returns:
        Shape (⌈rows/r⌉, ⌈columns/c⌉). A NaN counts as farther than any number; a block without a visible cell
        gives its first cell.

    Example:
        >>> farthest(np.eye(2), None).tolist()
        [[0, 1], [2, 3]]
    """
    rows, columns = values.shape
    tall, wide = block_size(rows, most_pixels), block_size(columns, most_pixels)
    distance = np.abs(values)
    distance[np.isnan(values)] = np.inf
    if hidden is not None:
        distance = np.where(hidden, -1.0, distance)
    padded = np.full((-(-rows // tall) * tall, -(-columns // wide) * wide), -2.0)
    padded[:rows, :columns] = distance
    blocks = padded.reshape(padded.shape[0] // tall, tall, -1, wide).swapaxes(1, 2)
    inside = blocks.reshape(*blocks.shape[:2], tall * wide).argmax(axis=-1)
    row = np.arange(blocks.shape[0])[:, None] * tall + inside // wide
    column = np.arange(blocks.shape[1])[None, :] * wide + inside % wide
    return row * columns + column


@dataclass(frozen=True)
class Layout:
    """How one matrix is put on the screen, and how a place on the screen leads back to a cell."""

    mode: str
    rows: int
    columns: int
    tall: int
    wide: int
    shown: np.ndarray | None
    """The flat index of the cell that each block shows, where blocks are shown."""
    columns_in_matrix: int

    def cell(self, row: int, column: int) -> tuple[int, int]:
        """The cell that a place on the screen shows."""
        if self.shown is None:
            return row, column
        return divmod(int(self.shown[row, column]), self.columns_in_matrix)

    def place(self, cell: tuple[int, int]) -> tuple[int, int]:
        """The place on the screen where a cell is shown, alone or in its block."""
        return cell[0] // self.tall, cell[1] // self.wide


def lay_out(
    values: np.ndarray,
    hidden: np.ndarray | None,
    most_pixels: int = PIXELS_LIMIT,
    *,
    has_numbers: bool = True,
) -> Layout:
    """Numbers in cells for small matrices, a pixel a cell for larger ones, a pixel a block beyond `most_pixels`.

    Args:
        has_numbers: False draws a small matrix too with a pixel a cell.
    """
    rows, columns = values.shape
    longest = max(rows, columns)
    if longest <= most_pixels:
        is_small = longest <= NARROW_LIMIT and rows * columns <= CELLS_LIMIT**2
        mode = "cells" if is_small and has_numbers else "pixels"
        return Layout(mode, rows, columns, 1, 1, None, columns)
    shown = farthest(values, hidden, most_pixels)
    blocks = block_size(rows, most_pixels), block_size(columns, most_pixels)
    return Layout("blocks", *shown.shape, *blocks, shown, columns)


def _harmless(label: str) -> str:
    return "'" + label if len(label) > 1 and label[0] in "=+-@\t\r" else label


def as_csv(values: np.ndarray, row_labels: Sequence[str] | None, column_labels: Sequence[str] | None) -> str:
    """The matrix with its labels, every number in full. A byte order mark makes spreadsheets read it as UTF-8.

    A label that a spreadsheet would run as a formula gets an apostrophe in front.

    Example:
        >>> as_csv(np.array([[0.1, -math.inf]]), ["a,b"], ["=1+1", "-"])
        '\\ufeff,\\'=1+1,-\\r\\n"a,b",0.1,-inf\\r\\n'
    """
    rows, columns = values.shape
    heads = [str(place + 1) for place in range(columns)] if column_labels is None else column_labels
    names = [str(place + 1) for place in range(rows)] if row_labels is None else row_labels
    paper = io.StringIO()
    writer = csv.writer(paper)
    writer.writerow(["", *(_harmless(visible(label)) for label in heads)])
    for label, row in zip(names, values.tolist(), strict=True):
        writer.writerow([_harmless(visible(label)), *(exact(value) for value in row)])
    return "\ufeff" + paper.getvalue()
