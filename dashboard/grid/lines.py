"""Sentences and lines of arithmetic; numbers that stand in a cell can be picked."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from dashboard.grid.bench import Part
from dashboard.grid.picture import visible


@dataclass(frozen=True)
class Piece:
    """A piece of a line.

    Attributes:
        cell: The name of the cell in which this number stands; it can be picked.
        is_word: The reader's own words, set apart.
        is_symbol: A letter of a formula, with `_{…}` and `^{…}` lowered and raised.
        is_link: Leads elsewhere; it can be picked.
    """

    text: str
    cell: str | None = None
    hue: str | None = None
    is_word: bool = False
    is_symbol: bool = False
    is_link: bool = False

    @property
    def is_pickable(self) -> bool:
        """Whether something happens when a reader picks it."""
        return self.is_link or bool(self.cell)


@dataclass(frozen=True)
class Line:
    """A line of pieces: running text, a heading, a note, or arithmetic that wraps between its pieces."""

    pieces: Sequence[Piece]
    kind: Literal["prose", "heading", "note", "arithmetic"] = "arithmetic"


def lines_part(
    label: str,
    lines: Sequence[Line],
    on_pick: Callable[[int, int], None] | None = None,
    *,
    is_folded: bool = False,
    on_unfold: Callable[[bool], None] | None = None,
    is_open: bool = False,
    has_own_row: bool = False,
) -> Part:
    """Describe lines; picking a number that stands in a cell, or a link, calls on_pick with its line and place in it.

    Args:
        is_folded: Stand under the label, which unfolds them.
        on_unfold: Called with whether the reader wants to see folded lines. The caller keeps that, says it with
            is_open, and may leave the lines away while they are folded.
        has_own_row: Let no picture stand beside them.
    """

    def pick(event: object) -> None:
        if not (isinstance(event, list) and len(event) == 2 and all(type(at) is int for at in event)):
            return
        line, place = event
        is_there = 0 <= line < len(lines) and 0 <= place < len(lines[line].pieces)
        if is_there and lines[line].pieces[place].is_pickable and on_pick is not None:
            on_pick(line, place)

    def unfold(event: object) -> None:
        if isinstance(event, bool) and on_unfold is not None:
            on_unfold(event)

    shown = [{"kind": line.kind, "pieces": [_told(piece) for piece in line.pieces]} for line in lines]
    data = {"label": label, "lines": shown, "is_kept": on_unfold is not None, "is_open": is_open}
    data |= {"has_own_row": True} if has_own_row else {}
    return Part("fold" if is_folded else "lines", data, {"pick": pick, "unfold": unfold})


def _told(piece: Piece) -> dict[str, str | bool]:
    """What a piece says beyond the defaults: a message is short."""
    return {name: value for name, value in vars(piece).items() if value or name == "text"}


def prose(text: str) -> list[Piece]:
    """Split a sentence at the marks that `word()` puts around the reader's own words.

    Example:
        >>> [(piece.text, piece.is_word) for piece in prose(f"{word('cat')} leads")]
        [('cat', True), (' leads', False)]
    """
    pieces = []
    for place, piece in enumerate(text.split(_MARK)):
        if piece:
            pieces.append(Piece(piece, is_word=place % 2 == 1))
    return pieces


_MARK = "\ue000"


def word(text: str) -> str:
    """Mark the reader's own words inside a sentence for `prose()`."""
    return f"{_MARK}{visible(text.replace(_MARK, 'U+E000'))}{_MARK}"
