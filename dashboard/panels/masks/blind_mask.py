"""A small mask as the reader types it: rows of 0 and 1, read, judged, and put right at the press of a button."""

import re
from dataclasses import dataclass

import numpy as np
import streamlit as st

from dashboard import controls
from dashboard.controls import State
from dashboard.frame import code_span
from dashboard.link import FULL_WIDTH, shorten
from dashboard.text import Language
from dashboard.text import frame as frame_words
from dashboard.text import mask_blind as words

FIELD = "blind_mask"
FIRST = "111/000/101"
MOST = 6
LONGEST_TEXT = 120
BETWEEN_ROWS = re.compile(r"[/;\n]+")
BETWEEN_CELLS = re.compile(r"[\s,\[\]()]+")
MOST_NAMED = 8

Rows = tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class MaskReading:
    """What was read.

    Attributes:
        widths: How many cells each row has.
        unreadable: The characters that are neither 0 nor 1, each once.
        nearest: The nearest legal mask; what was typed, where that is legal.
    """

    widths: tuple[int, ...]
    unreadable: str
    nearest: Rows

    @property
    def is_legal(self) -> bool:
        """Tell whether the mask may be used as it was typed."""
        return not self.unreadable and self.widths == tuple(map(len, self.nearest))


def read_mask(text: str) -> MaskReading:
    """Read rows of 0 and 1 with / or ; between them; spaces, commas and brackets do not count.

    Example:
        >>> read_mask("111/000/101").nearest
        ((1, 1, 1), (0, 0, 0), (1, 0, 1))
        >>> reading = read_mask("1x/0000001")
        >>> reading.widths, reading.unreadable, reading.nearest
        ((1, 7), 'x', ((1, 0, 0, 0, 0, 0), (0, 0, 0, 0, 0, 0)))
    """
    rows = [BETWEEN_CELLS.sub("", row) for row in BETWEEN_ROWS.split(text.translate(FULL_WIDTH))]
    kept = [[int(cell) for cell in row if cell in {"0", "1"}] for row in rows if row]
    unreadable = "".join(dict.fromkeys(cell for row in rows for cell in row if cell not in {"0", "1"}))
    kept = [row for row in kept if row]
    if not kept:
        return MaskReading((), unreadable, read_mask(FIRST).nearest)
    width = min(max(map(len, kept)), MOST)
    nearest = tuple(tuple((row + [0] * width)[:width]) for row in kept[:MOST])
    return MaskReading(tuple(map(len, kept)), unreadable, nearest)


def write_mask(rows: Rows) -> str:
    """Write a mask as a reader types it.

    Example:
        >>> write_mask(((1, 0), (0, 0)))
        '10/00'
    """
    return "/".join("".join(map(str, row)) for row in rows)


def toggled(rows: Rows, query: int, key: int) -> Rows:
    """Turn one pair over."""
    cells = np.array(rows)
    cells[query, key] = 1 - cells[query, key]
    return tuple(tuple(row) for row in cells.tolist())


def typed_mask(state: State) -> Rows | None:
    """Show the box, and beside it what is wrong with the mask and the nearest one that is right.

    Returns:
        None where the mask may not be used.
    """
    language = state.language
    text = controls.line(state, FIELD, words.MASK, words.MASK_HELP, words.MASK_EMPTY)
    if FIELD in state.query[1]:
        st.caption(frame_words.LEFT_OUT.say(language, names=code_span(words.MASK.say(language))))
    reading = read_mask(text)
    if reading.is_legal:
        return reading.nearest
    st.error("  \n".join(faults(reading, language)))
    nearest = write_mask(reading.nearest)
    label = words.TAKE_MASK.say(language, mask=nearest)
    controls.button(label, "take.blind_mask", state.put, FIELD, nearest)
    return None


def faults(reading: MaskReading, language: Language) -> list[str]:
    """Say each rule that was broken, with both values; the reader's characters are shown literally."""
    said = []
    if reading.unreadable:
        cells = code_span(shorten(reading.unreadable, MOST_NAMED))
        said.append(words.NOT_A_CELL.say(language, cells=cells))
    if not reading.widths:
        return [*said, words.NO_CELL.say(language)]
    if len(reading.widths) > MOST:
        said.append(words.TOO_MANY_QUERIES.say(language, most=MOST, found=len(reading.widths)))
    if max(reading.widths) > MOST:
        said.append(words.TOO_MANY_KEYS.say(language, most=MOST, found=max(reading.widths)))
    if len(set(reading.widths)) > 1:
        shortest, longest = min(reading.widths), max(reading.widths)
        said.append(words.UNEVEN.say(language, shortest=shortest, longest=longest))
    return said
