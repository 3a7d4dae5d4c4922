"""The gallery's mask as a table to type or paste: what differs from the pattern becomes flipped cells (M6)."""

import re
from dataclasses import dataclass

import streamlit as st
import torch

from attention_core.mask_csv import MaskFileError, as_csv, read_nearest_mask
from dashboard import controls
from dashboard.controls import State
from dashboard.link import FULL_WIDTH, sendable
from dashboard.panels.masks.gallery_fields import FILE, MOST_CELLS, Cell
from dashboard.panels.masks.gallery_model import Drawn, rule_mask
from dashboard.panels.masks.gallery_upload import Upload, keep_upload, read_upload, say_fault
from dashboard.text import mask_gallery as words

# The widest table whose rows stay rows in a box of the page's width.
MOST_TYPED = 64
LISTED = re.compile(r"\u3001")
DRAFT = "gallery.draft"
BOX_HEIGHT = 310
# Beyond this the box takes no more: the text goes back to the browser at every run. A larger mask comes as a file.
LONGEST = 50_000


@dataclass(frozen=True, eq=False)
class Table:
    """What the reader typed, read against the pattern.

    Attributes:
        upload: The mask in it, or why there is none.
        cells: What it flips, and what was flipped beyond N; None where it is no mask of N tokens.
    """

    upload: Upload
    cells: tuple[Cell, ...] | None
    outside: int = 0

    @property
    def fits(self) -> bool:
        """Tell whether it can be used as it stands."""
        return self.cells is not None and len(self.cells) <= MOST_CELLS


def write_table(allowed: torch.Tensor) -> str:
    """Write a mask as rows of 0 and 1."""
    return "\n".join("".join(map(str, row)) for row in allowed.int().tolist())


def as_table(typed: str) -> str:
    """Write what was typed as CSV; full-width digits and commas are what they look like."""
    return as_csv(LISTED.sub(",", typed.translate(FULL_WIDTH)))


def read_table(state: State, typed: str, from_file: torch.Tensor | None) -> Table:
    """Read what was typed as a mask of N tokens, or of as many as it has rows."""
    n = state["gallery_n"]
    upload = read_upload(None, as_table(typed), n)
    if upload.allowed is None or len(upload.allowed) != n:
        return Table(upload, None)
    if state["gallery_pattern"] == FILE and (from_file is None or len(from_file) != n):
        return Table(upload, None)  # N has changed in the same moment, and the file has not
    differing = (upload.allowed != rule_mask(state, from_file)).nonzero().tolist()
    outside = tuple(cell for cell in state["gallery_cells"] if max(cell) >= n)
    return Table(upload, (*((row, column) for row, column in differing), *outside), len(outside))


def take_table(state: State, from_file: torch.Tensor | None, typed: str) -> None:
    """Use what was typed if that can be done, and keep it in the box if not."""
    typed = sendable(typed)
    table = read_table(state, typed, from_file)
    if table.fits:
        state.put("gallery_cells", table.cells)
        drop_table()
    else:
        st.session_state[DRAFT] = typed


def take_side(state: State, n: int, typed: str) -> None:
    """Take as many tokens as the table has, and then the table."""
    state.put("gallery_n", n)
    take_table(state, None, typed)


def take_own(state: State, allowed: torch.Tensor) -> None:
    """Use a table instead of any pattern, as if it were a file."""
    n = len(allowed)
    keep_upload(Upload(None, allowed))
    state.put("gallery_cells", tuple(cell for cell in state["gallery_cells"] if max(cell) >= n))
    state.put("gallery_join", "alone")
    state.put("gallery_pattern", FILE)
    state.put("gallery_n", n)
    drop_table()


def drop_table() -> None:
    """Forget what was typed: the box shows the mask on the screen."""
    st.session_state.pop(DRAFT, None)


def edit_as_table(state: State, from_file: torch.Tensor | None, drawn: Drawn) -> None:
    """Show the mask as a table that can be typed over, with what is wrong beside it; folded away at first."""
    language, n = state.language, len(drawn.allowed)
    with controls.disclosure(words.TABLE.say(language), "gallery.table") as is_open:
        if not is_open:
            return
        typed = st.session_state.get(DRAFT)
        if typed is None and n > MOST_TYPED:
            st.caption(words.TABLE_TOO_WIDE.say(language, most=MOST_TYPED, n=n))
            return
        controls.free_text(
            "gallery.table.box",
            words.TABLE_BOX.say(language),
            write_table(drawn.allowed) if typed is None else typed,
            lambda text: take_table(state, from_file, text),
            help_text=words.TABLE_HELP.say(language, longest=f"{LONGEST:,}"),
            height=BOX_HEIGHT,
            longest=LONGEST,
        )
        if typed is not None:
            put_right(state, from_file, drawn, typed)


def put_right(state: State, from_file: torch.Tensor | None, drawn: Drawn, typed: str) -> None:
    """Say what keeps a table from being used, and offer what is nearest to it."""
    language, n = state.language, state["gallery_n"]
    table = read_table(state, typed, from_file)
    upload, side = table.upload, None if table.upload.allowed is None else len(table.upload.allowed)
    if table.fits:
        st.info(words.TABLE_WAITS.say(language))
        controls.button(
            words.TAKE_TABLE.say(language), "gallery.table.take", take_table, state, from_file, typed
        )
    elif table.cells is not None:
        outside = words.TABLE_OUTSIDE.say(language, count=table.outside) if table.outside else ""
        told = {"count": len(table.cells) - table.outside, "most": MOST_CELLS, "outside": outside}
        st.error(words.TABLE_DIFFERS.say(language, **told))
    else:
        st.error(say_fault(upload, n, language))
    with st.container(horizontal=True, gap="small"):
        if side not in (None, n) and state["gallery_pattern"] != FILE:
            label = words.REDRAW.say(language, n=side)
            controls.button(label, "gallery.table.side", take_side, state, side, typed)
        elif side is not None and not table.fits:
            controls.button(
                words.TAKE_OWN.say(language), "gallery.table.own", take_own, state, upload.allowed
            )
        elif side is None and (nearest := nearest_table(typed, drawn)) is not None:
            label = words.TAKE_NEAREST.say(language)
            controls.button(label, "gallery.table.nearest", take_table, state, from_file, nearest)
        controls.button(words.DROP_TABLE.say(language), "gallery.table.drop", drop_table)


def nearest_table(typed: str, drawn: Drawn) -> str | None:
    """Write the mask that has the readable cells of a table; None where there are none, or nothing can be read."""
    try:
        return write_table(read_nearest_mask(as_table(typed), drawn.allowed))
    except MaskFileError:
        return None
