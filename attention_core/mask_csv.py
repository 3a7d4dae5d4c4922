"""Masks as files: a table of 0 and 1 that a spreadsheet can open, read back without trust."""

import csv
import io
import re
from collections.abc import Iterator
from typing import Literal

import torch
from jaxtyping import Bool
from torch import Tensor

from attention_core.patterns import MAX_SIDE, check_side, count_sides

_LABEL_BYTES = 16
# A full-sized table of 0 and 1 with a comma or line end after each, a carriage return a row, a byte order mark,
# and a label for every row and column.
MAX_CSV_BYTES = 2 * MAX_SIDE**2 + MAX_SIDE + 3 + 2 * _LABEL_BYTES * MAX_SIDE
_BITS = {"0": False, "1": True, "false": False, "true": True}
_SHOWN_CHARACTERS = 20

_BETWEEN_TYPED = re.compile(r"[\s;|]+")

Kind = Literal["too_large", "not_utf8", "not_csv", "empty", "wrong_shape", "wrong_cell"]


class MaskFileError(ValueError):
    """Say why a file is no mask of the shape that is asked for, in words and as data.

    Attributes:
        kind: Which rule is broken.
        values: What the rule needs to be told in any language. too_large: bytes, limit. not_utf8: the place of the
            first such byte, from 0. not_csv: the line, from 1. empty: rows, columns of the mask. wrong_shape: rows,
            columns of the file, then of the mask; a column count of −1 stands for rows of different lengths.
            wrong_cell: line and column, from 1, and the cell as it stands in the file, shortened.
    """

    def __init__(self, kind: Kind, message: str, *values: int | str) -> None:
        super().__init__(message)
        self.kind = kind
        self.values = values


def write_mask_csv(allowed: Bool[Tensor, "N M"]) -> str:
    """Write a mask as a table of 0 and 1, a query a line.

    Args:
        allowed: True, written as 1, where query n may see key m.

    Raises:
        ValueError: a mask with a side above MAX_SIDE.

    Example:
        >>> write_mask_csv(torch.tensor([[True, False], [True, True]]))
        '1,0\\n1,1\\n'
    """
    check_side(*allowed.shape)
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(allowed.int().tolist())
    return text.getvalue()


def read_mask_csv(data: bytes | str, n_queries: int, n_keys: int) -> Bool[Tensor, "N M"]:
    """Read a table of 0 and 1 as a mask of a known shape.

    Args:
        data: Cells with 0, 1, true or false, in capitals or not, with commas between them; bytes are UTF-8. One more
            row than there are queries may stand above as a header, one more column than keys to the left as labels,
            when they hold anything else than such cells. A header that counts 0, 1, … is one too, and so are labels
            below an empty corner that count from 0 or 1: rows and columns without names of their own are written so.
            Lines with nothing in their cells do not count.

    Returns:
        True where the cell of query n and key m is 1 or true.

    Raises:
        MaskFileError: more than MAX_CSV_BYTES, refused before anything is read; bytes that are no UTF-8; quotes
            that the csv module cannot follow; no cell at all; another shape; a cell that is neither 0 nor 1.
        ValueError: a shape that is negative or above MAX_SIDE.

    Example:
        >>> read_mask_csv("the,cat\\n1,0\\nTrue,false\\n", 2, 2).int().tolist()
        [[1, 0], [1, 0]]

    Cost: one pass; a file of another shape is counted through but not kept.
    """
    check_side(*count_sides(n_queries, n_keys))
    table = _cut_to_shape(_rows(_text(data)), n_queries, n_keys)
    allowed = torch.zeros(n_queries, n_keys, dtype=torch.bool)
    for n, (line, first_column, cells) in enumerate(table):
        try:
            allowed[n] = torch.tensor([_BITS[cell.lower()] for cell in cells], dtype=torch.bool)
        except KeyError:
            _refuse_cell(line, first_column, cells)
    return allowed


def as_csv(typed: str) -> str:
    """Put commas into a table as people type or paste one, so that `read_mask_csv` can read it.

    Args:
        typed: Rows on lines of their own, in brackets, or on one line with / between them; cells with commas, tabs,
            spaces or nothing between them.

    Example:
        >>> as_csv("10\\n1 1"), as_csv("10/11"), as_csv("[[1, 0], [1, 1]]"), as_csv("\\ta\\nb\\t1")
        ('1,0\\n1,1', '1,0\\n1,1', '1, 0\\n1, 1', ',a\\nb,1')
    """
    if '"' in typed:
        return _quoted_with_commas(typed)
    if "[" in typed:
        rows = [row for row in (row.strip(" ,\t\r\n[") for row in typed.split("]")) if row]
    else:
        rows = typed.splitlines() if "\n" in typed or "\r" in typed else typed.split("/")
    return "\n".join(",".join(_typed_cells(row)) for row in rows)


def _quoted_with_commas(typed: str) -> str:
    """Put commas into a table with quotes that has semicolons, tabs or spaces between its cells; leave any other as it is."""
    between = next((sign for sign in ";\t " if sign in typed and "," not in typed), None)
    if between is None:
        return typed
    text = io.StringIO()
    try:
        csv.writer(text).writerows(csv.reader(io.StringIO(typed, newline=""), delimiter=between, strict=True))
    except csv.Error:
        return typed
    return text.getvalue()


def _typed_cells(row: str) -> list[str]:
    """Cut a row as people type one into its cells."""
    if "," in row:
        return [row]
    if "\t" in row:
        return row.split("\t")
    cells = _BETWEEN_TYPED.split(row.strip())
    return list(cells[0]) if len(cells) == 1 and cells[0].lower() not in _BITS else cells


def read_nearest_mask(data: str, otherwise: Bool[Tensor, "N M"]) -> Bool[Tensor, "N M"]:
    """Read what can be read of a table, and take every other pair from a mask of the shape that is asked for.

    Raises:
        MaskFileError: a text that is too large, or quotes that the csv module cannot follow.

    Example:
        >>> read_nearest_mask("0,x\\n0,0,1", torch.ones(3, 2, dtype=torch.bool)).int().tolist()
        [[0, 1], [0, 0], [1, 1]]
    """
    rows = list(_rows(_text(data)))
    try:
        cut = [cells for _, _, cells in _cut_to_shape(iter(rows), *otherwise.shape)]
    except MaskFileError:
        cut = [cells for _, cells in rows]
    allowed = otherwise.clone()
    for n, cells in zip(range(allowed.shape[0]), cut, strict=False):
        for m, cell in zip(range(allowed.shape[1]), cells, strict=False):
            allowed[n, m] = _BITS.get(cell.lower(), bool(allowed[n, m]))
    return allowed


def _text(data: bytes | str) -> str:
    """Decode a file, unless it is too large to be worth it."""
    # Characters are no more than their bytes, so a text is never refused for less than a file would be.
    if len(data) > MAX_CSV_BYTES:
        raise MaskFileError(
            "too_large",
            f"a mask's file may have at most MAX_CSV_BYTES={MAX_CSV_BYTES}, got {len(data)}",
            len(data),
            MAX_CSV_BYTES,
        )
    if isinstance(data, str):
        return data.removeprefix("\ufeff")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        message = f"a mask's file must be UTF-8, got another byte at {error.start}"
        raise MaskFileError("not_utf8", message, error.start) from error


def _rows(text: str) -> Iterator[tuple[int, list[str]]]:
    """Give each line with something in a cell: its number, from 1, and its cells without spaces around them."""
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    begun = 1
    try:
        for cells in reader:
            cells = [cell.strip() for cell in cells]
            if any(cells):
                yield reader.line_num, cells
            begun = reader.line_num + 1
    except csv.Error as error:
        # A quote that nothing closes is found out at the end: its row is where to look.
        message = f"line {begun} cannot be read as CSV: {error}"
        raise MaskFileError("not_csv", message, begun) from error


def _cut_to_shape(
    rows: Iterator[tuple[int, list[str]]], n_queries: int, n_keys: int
) -> list[tuple[int, int, list[str]]]:
    """Take header and labels off and refuse what is left in another shape: line, first column and cells a row."""
    n_rows, kept, widths = 0, [], set()
    for line, cells in rows:
        n_rows += 1
        widths.add(len(cells))
        if n_rows <= n_queries + 1 and len(cells) <= n_keys + 1:
            kept.append((line, cells))
    if n_rows == 0:
        return _refuse_empty(n_queries, n_keys)
    width = widths.pop() if len(widths) == 1 else -1
    first = kept[0][1] if kept else []
    has_header = n_rows == n_queries + 1 and (not _are_bits(first) or _count_up(first, 0))
    below = kept[1:] if has_header else kept
    names = [cells[0] for _, cells in below]
    are_counted = bool(has_header and first) and not first[0] and (_count_up(names, 0) or _count_up(names, 1))
    has_labels = width == n_keys + 1 and (not _are_bits(names) or are_counted)
    if n_rows - bool(has_header) != n_queries or width - has_labels != n_keys:
        columns = f"{width} columns" if width >= 0 else "rows of different lengths"
        raise MaskFileError(
            "wrong_shape",
            f"the mask has {n_queries} rows and {n_keys} columns, the file {n_rows} rows and {columns}",
            n_rows,
            width,
            n_queries,
            n_keys,
        )
    return [(line, 1 + has_labels, cells[has_labels:]) for line, cells in below]


def _are_bits(cells: list[str]) -> bool:
    """Tell whether each cell is one that a mask may hold."""
    return {cell.lower() for cell in cells} <= _BITS.keys()


def _count_up(cells: list[str], first: int) -> bool:
    """Tell whether cells are the numbers that rows or columns get where nobody names them."""
    return cells == [str(first + place) for place in range(len(cells))]


def _refuse_empty(n_queries: int, n_keys: int) -> list[tuple[int, int, list[str]]]:
    """Say that a file holds nothing, unless the mask has nothing to hold."""
    if n_queries * n_keys == 0:
        return []
    message = f"the mask has {n_queries} rows and {n_keys} columns, the file holds no cell"
    raise MaskFileError("empty", message, n_queries, n_keys)


def _refuse_cell(line: int, first_column: int, cells: list[str]) -> None:
    """Say where the first cell stands that is neither 0 nor 1."""
    column, cell = next((m, cell) for m, cell in enumerate(cells) if cell.lower() not in _BITS)
    column, cell = first_column + column, cell[:_SHOWN_CHARACTERS]
    message = f"a cell must be 0, 1, true or false, got {cell!r} in line {line}, column {column}"
    raise MaskFileError("wrong_cell", message, line, column, cell)
