"""The grid: every matrix of the lab whose cells a reader may pick, with the mouse or the keyboard.

Python decides all that is shown (texts, colour levels, what is picked); the browser draws it and reports which cell
was picked and what was typed into it. `grid()` shows one matrix, `grid_part()` describes one for a bench of several.
"""

import base64
import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from dashboard.grid.bench import Offer, Part, show_part
from dashboard.grid.picture import (
    HIDDEN,
    PIXELS_LIMIT,
    PLAIN,
    Layout,
    as_csv,
    half_width,
    lay_out,
    level_values,
    levels,
    visible,
)
from dashboard.number_format import exact, significant, significant_each

ROLES = ("x", "q", "k", "v", "out", "weights", "scores", "difference", "mask")
SCALES = ("sequential", "diverging", "plain")
LONGEST_EDIT = 32


@dataclass(frozen=True)
class GridLabels:
    """The words of one grid, in the reader's language."""

    row: str
    """What a row is: "query". The grid adds the arrows: query ↓."""
    column: str
    """What a column is: "key"."""
    masked: str
    """Said of a cell that is masked."""
    dead_row: str
    """Said of a row whose cells are all masked: "sees no key"."""
    edited: str
    """Said of a cell whose number the reader changed."""
    marked: str
    """Said of a cell that the open explanation uses."""
    keys: str
    """Hint for the keyboard, shown while nothing is pointed at: "arrow keys move, Enter picks"."""
    edit_keys: str
    """The same where cells can be edited: "…, F2 or a digit edits"."""
    edit: str
    """Name of the input in which a cell is edited: "new value"."""
    empty: str
    """Shown in place of a matrix without rows or columns."""
    about: str
    """Before a value read off the colour, where only the picked cell's number is known: "about"."""
    pooled: str
    """Under a picture whose pixels stand for blocks; fields %(rows)d and %(columns)d, the size of a block."""
    download_png: str
    download_csv: str
    value: str = ""
    """What the colours mean, over their scale: "weight"."""
    quiet: str = ""
    """Said of a cell in a row that does not count."""
    footer: str = ""
    """Head of the column that `footer` fills: "Σ"."""


@dataclass(frozen=True)
class Names:
    """What the rows and columns are called: a position, and a text where there is one."""

    rows: Sequence[str] | None
    columns: Sequence[str] | None
    first: tuple[int, int]

    def of(self, axis: int, index: int) -> str:
        """Position and text of one row (axis 0) or column (axis 1): "3 cat"."""
        texts = self.columns if axis else self.rows
        return str(self.first[axis] + index) + ("" if texts is None else f" {visible(texts[index])}")


def read_cell(event: object, rows: int, columns: int) -> tuple[int, int] | None:
    """The place an event from the browser names, or None: a browser may send anything.

    Example:
        >>> read_cell({"row": 1, "column": 0}, 2, 2), read_cell({"row": 2, "column": 0}, 2, 2), read_cell([0], 2, 2)
        ((1, 0), None, None)
    """
    if not isinstance(event, dict):
        return None
    row, column = event.get("row"), event.get("column")
    if type(row) is not int or type(column) is not int:
        return None
    return (row, column) if 0 <= row < rows and 0 <= column < columns else None


def read_edit(event: object) -> str | None:
    """The text typed into a cell, or None where there is none or it is too long."""
    text = event.get("text") if isinstance(event, dict) else None
    return text if isinstance(text, str) and len(text) <= LONGEST_EDIT else None


def _must(holds: bool, rule: str) -> None:
    if not holds:
        raise ValueError(rule)


def _checked(
    values: Any, masked: Any, scale: str, role: str | None, names: Names, footer: Sequence[str] | None
) -> tuple[np.ndarray, np.ndarray | None]:
    """The matrix and where it is masked, once everything fits together."""
    matrix = np.asarray(values, dtype=np.float64)
    _must(matrix.ndim == 2, f"a grid shows a matrix, two axes; got {matrix.ndim}")
    _must(scale in SCALES, f"scale must be one of {', '.join(SCALES)}; got {scale}")
    _must(role is None or role in ROLES, f"role must be one of {', '.join(ROLES)}; got {role}")
    rows, columns = matrix.shape
    for name, texts, side in (
        ("row_labels", names.rows, rows),
        ("column_labels", names.columns, columns),
        ("footer", footer, rows),
    ):
        given = side if texts is None else len(texts)
        _must(given == side, f"{name} must hold one text for each of {side}; got {given}")
    if masked is None:
        return matrix, None
    hidden = np.asarray(masked)
    _must(hidden.dtype == bool, f"masked must be bool; got {hidden.dtype}")
    _must(hidden.shape == matrix.shape, f"masked must have the shape {matrix.shape}; got {hidden.shape}")
    return matrix, hidden


def _reach(matrix: np.ndarray, scale: str, domain: float | None) -> float:
    if domain is None:
        return half_width(matrix) if scale == "diverging" else 1.0
    _must(0 < domain < math.inf, f"domain must be positive and finite; got {domain}")
    return float(domain)


def _places(cells: Collection[tuple[int, int]], values: np.ndarray, layout: Layout) -> list[int]:
    """Where cells stand on the screen, as flat indices; cells outside the matrix stand nowhere."""
    rows, columns = values.shape
    places = (
        layout.place((row, column)) for row, column in cells if 0 <= row < rows and 0 <= column < columns
    )
    return sorted({row * layout.columns + column for row, column in places})


def _numbers(values: np.ndarray, layout: Layout, scale: str, reach: float) -> dict[str, Any]:
    """The texts: all of them where cells hold numbers, else one for each step of the scale."""
    if layout.mode == "cells":
        return {"texts": significant_each(values), "exact": list(map(exact, values.ravel().tolist()))}
    return {"steps": _step_texts(scale, reach)}


@lru_cache(maxsize=64)
def _step_texts(scale: str, reach: float) -> tuple[str, ...]:
    """What the steps of a scale stand for; many pictures share one scale."""
    return tuple(significant(value, 2) for value in level_values(scale, reach))


def _colours(
    values: np.ndarray,
    layout: Layout,
    scale: str,
    reach: float,
    hidden: np.ndarray | None,
    quiet_rows: Collection[int],
    *,
    is_bars: bool,
) -> dict[str, Any]:
    _must(not is_bars or scale == "sequential", f"bars need a sequential scale; got {scale}")
    steps = levels(values, scale, reach, hidden)
    quiet = sorted(row for row in quiet_rows if 0 <= row < len(values)) if layout.mode == "cells" else []
    if quiet:
        steps[quiet] = np.where(steps[quiet] == HIDDEN, HIDDEN, PLAIN)
    if layout.shown is not None:
        steps = steps.ravel()[layout.shown]
    ends = {"sequential": [0.0, reach], "diverging": [-reach, 0.0, reach], "plain": []}[scale]
    return {
        "scale": scale,
        "is_bars": is_bars,
        "quiet": quiet,
        "levels": base64.b64encode(steps.tobytes()).decode("ascii"),
        "ends": [significant(value) for value in ends],
        "dead": np.flatnonzero((steps == HIDDEN).all(axis=1)).tolist() if steps.size else [],
    }


def _visible(labels: Sequence[str] | None, step: int) -> list[str] | None:
    return None if labels is None else [visible(label) for label in labels[::step]]


def _sides(matrix: np.ndarray, layout: Layout, names: Names, footer: Sequence[str] | None) -> dict[str, Any]:
    return {
        "mode": layout.mode,
        "rows": layout.rows,
        "columns": layout.columns,
        "block": [layout.tall, layout.wide],
        "sides": list(matrix.shape),
        "first": list(names.first),
        "row_names": _visible(names.rows, layout.tall),
        "column_names": _visible(names.columns, layout.wide),
        "footer": list(footer) if footer is not None and layout.mode == "cells" else None,
    }


def _picked(
    matrix: np.ndarray, layout: Layout, names: Names, labels: GridLabels, picked: tuple[int, int] | None
) -> dict[str, Any]:
    """The picked cell by its place on the screen and, where the browser has no numbers, who it is and its number.

    A cell outside the matrix is not picked: the caller's pick may be older than the matrix.
    """
    places = _places([picked] if picked else [], matrix, layout)
    if not picked or not places:
        return {"picked": None}
    if layout.mode == "cells":
        return {"picked": places[0]}
    where = f"{labels.row} {names.of(0, picked[0])} · {labels.column} {names.of(1, picked[1])}"
    return {"picked": places[0], "picked_where": where, "picked_exact": exact(matrix[picked])}


def _signs(
    matrix: np.ndarray,
    layout: Layout,
    marked: Collection[tuple[int, int]],
    edited: Collection[tuple[int, int]],
    refused: tuple[int, int, str] | None,
) -> dict[str, Any]:
    wrong = _places([refused[:2]] if refused else [], matrix, layout)
    return {
        "marked": _places(marked, matrix, layout),
        "edited": _places(edited, matrix, layout),
        "refused": [wrong[0], refused[2]] if refused and wrong else None,
    }


def _hands(labels: GridLabels, layout: Layout, *, is_pickable: bool, is_editable: bool) -> dict[str, Any]:
    """What can be done with the cells, and the words for it."""
    words = dict(vars(labels))
    words["pooled"] = words["pooled"] % {"rows": layout.tall, "columns": layout.wide}
    return {
        "words": words,
        "is_pickable": is_pickable,
        "is_editable": is_editable and layout.mode != "blocks",
    }


def _offer(matrix: np.ndarray, layout: Layout, names: Names, shown: Mapping[str, Any]) -> Offer | None:
    """The numbers as a file, where the browser does not have them."""
    if layout.mode == "cells":
        return None
    caption = f"{shown['words']['download_csv']}: {shown['title']}"
    return Offer(caption, lambda: as_csv(matrix, names.rows, names.columns))


def _receivers(
    layout: Layout,
    on_pick: Callable[[int, int], None] | None,
    on_edit: Callable[[int, int, str], None] | None,
) -> dict[str, Callable[[object], None]]:
    """Read what the browser sent, refuse what no grid sends, and pass on the rest."""

    def pick(event: object) -> None:
        place = read_cell(event, layout.rows, layout.columns)
        if place is not None and on_pick is not None:
            on_pick(*layout.cell(*place))

    def edit(event: object) -> None:
        place, text = read_cell(event, layout.rows, layout.columns), read_edit(event)
        if place is not None and text is not None and on_edit is not None and layout.mode != "blocks":
            on_edit(*layout.cell(*place), text)

    return {"pick": pick, "edit": edit}


def grid_part(
    values: np.ndarray | Sequence[Sequence[float]],
    *,
    title: str,
    labels: GridLabels,
    symbol: str = "",
    row_labels: Sequence[str] | None = None,
    column_labels: Sequence[str] | None = None,
    role: str | None = None,
    scale: str = "plain",
    domain: float | None = None,
    masked: np.ndarray | Sequence[Sequence[bool]] | None = None,
    picked: tuple[int, int] | None = None,
    marked: Collection[tuple[int, int]] = (),
    edited: Collection[tuple[int, int]] = (),
    refused: tuple[int, int, str] | None = None,
    quiet_rows: Collection[int] = (),
    on_pick: Callable[[int, int], None] | None = None,
    on_edit: Callable[[int, int, str], None] | None = None,
    footer: Sequence[str] | None = None,
    first_row: int = 1,
    leads_away: bool = False,
    is_bars: bool = False,
    most_pixels: int = PIXELS_LIMIT,
    has_numbers: bool = True,
) -> Part:
    """Describe a matrix whose cells can be looked at, picked and edited.

    Args:
        values: Two axes, anything NumPy reads. Infinite and undefined numbers are shown as such.
        title: What the matrix is: "attention weights". It may hold the reader's own words.
        symbol: Its letter in formulas, before the title: "W^Q", "d_k" and "A_{ij}" are raised and lowered.
        row_labels: One text a row, shown beside its position; None shows positions alone. Texts may repeat.
        role: One of ROLES: gives the heading its hue.
        scale: "sequential" (0 … domain), "diverging" (−domain … domain) or "plain" (no colour).
        domain: Reach of the scale. None: 1 for a sequential scale, the largest distance from zero for a diverging one.
        masked: True where a cell is masked. It keeps its number and gets its own look.
        picked: The cell whose arithmetic is open. The caller keeps it, on_pick changes it.
        marked: Collection[tuple[int, int]] that the open arithmetic uses.
        quiet_rows: Rows that do not count. Cells that hold numbers get no colour there.
        refused: A cell and why the last edit of it was refused.
        on_pick: Called with row and column before the next run. None: cells cannot be picked.
        on_edit: Called with row, column and the typed text, at most 32 characters. None: cells cannot be edited.
        footer: One text a row, shown at its end: a row's sum.
        first_row: The number of the first row, as readers count.
        leads_away: A pick shows another matrix in this one's place: it waits for the second click of a double-click,
            which edits.
        is_bars: Draw a cell's number as a bar that rises with it, on a sequential scale, under the number.
        most_pixels: Longest side that is drawn with a pixel a cell; beyond, a pixel stands for a block. Lower where
            several pictures share one message.
        has_numbers: False draws a small matrix too with a pixel a cell.

    Raises:
        ValueError: an argument does not fit the matrix.
    """
    names = Names(row_labels, column_labels, (first_row, 1))
    matrix, hidden = _checked(values, masked, scale, role, names, footer)
    layout = lay_out(matrix, hidden, most_pixels, has_numbers=has_numbers)
    reach = _reach(matrix, scale, domain)
    heading = {"symbol": symbol, "title": title, "role": role, "leads_away": leads_away}
    shown = heading | {
        **_sides(matrix, layout, names, footer),
        **_numbers(matrix, layout, scale, reach),
        **_colours(matrix, layout, scale, reach, hidden, quiet_rows, is_bars=is_bars),
        **_picked(matrix, layout, names, labels, picked),
        **_signs(matrix, layout, marked, edited, refused),
        **_hands(labels, layout, is_pickable=on_pick is not None, is_editable=on_edit is not None),
    }
    return Part("grid", shown, _receivers(layout, on_pick, on_edit), _offer(matrix, layout, names, shown))


def compact(part: Part) -> Part:
    """Make the cells of a grid narrow, so that it may stand beside another, or have many columns."""
    return replace(part, data={**part.data, "is_compact": True})


def by_rows(part: Part) -> Part:
    """Frame the whole row of the picked cell: a pick chooses a row of the table, whatever the column."""
    return replace(part, data={**part.data, "is_by_rows": True})


def thumbnail(part: Part) -> Part:
    """Draw a grid small and narrow, as one of many; nothing of it is offered for download."""
    return replace(part, data={**part.data, "is_compact": True, "is_thumbnail": True}, offer=None)


def verdicts_first(part: Part) -> Part:
    """Put what `footer` says of a row right after its name, where a narrow screen shows it."""
    return replace(part, data={**part.data, "has_verdicts": True})


def coloured_in(part: Part, columns: range) -> Part:
    """Leave colour to some columns, so that they stand out; the cells of the others keep their numbers."""
    if part.data["mode"] != "cells":
        return part
    read = np.frombuffer(base64.b64decode(part.data["levels"]), dtype=np.uint8)
    steps = read.reshape(part.data["sides"]).copy()
    others = [column for column in range(steps.shape[1]) if column not in columns]
    steps[:, others] = np.where(steps[:, others] == HIDDEN, HIDDEN, PLAIN)
    return replace(part, data={**part.data, "levels": base64.b64encode(steps.tobytes()).decode("ascii")})


_BITS = {"0.0": "0", "1.0": "1"}


def as_bits(part: Part) -> Part:
    """Write the cells of a grid of yes and no as 1 and 0, in columns as narrow as that; a picture stays what it is."""
    if part.data["mode"] != "cells":
        return part
    texts = [_BITS.get(exact) or str(int(float(exact))) for exact in part.data["exact"]]
    return compact(replace(part, data={**part.data, "texts": texts, "exact": texts, "is_bits": True}))


def grid(
    key: str,
    values: np.ndarray | Sequence[Sequence[float]],
    **described: Any,
) -> None:
    """Show one matrix by itself, compact.

    Args:
        key: Names the grid in the session; one grid a key.
        described: As `grid_part` takes them.

    Raises:
        ValueError: an argument does not fit the matrix.
    """
    show_part(key, compact(grid_part(values, **described)))
