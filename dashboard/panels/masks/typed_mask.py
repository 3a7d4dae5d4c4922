"""Masks that the reader types: rows of 0 and 1, or of any numbers; read, judged, and put right at the press of a button."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor

from attention_core.conventions import AmbiguousMaskError, MaskValueError, guess_convention
from dashboard.link import FULL_WIDTH, number
from dashboard.number_format import significant

MOST = 6
LONGEST_TEXT = 4000
_BETWEEN_ROWS = re.compile(r"[/;|\]\r\n]+")
_BETWEEN_CELLS = re.compile(r"[,\u3001\s]+")
_INFINITE = re.compile(r"([+-]?)(?:(?:torch|math|np|numpy)\.)?(?:inf(?:inity)?|∞)", re.IGNORECASE)
_INTEGER = re.compile(r"[+-]?\d{1,9}", re.ASCII)
# Below this a number is more likely meant as −∞ than as 0.
HIDES = -1.0

Rows = tuple[tuple[bool, ...], ...]
Fault = Literal["empty", "unreadable", "ragged", "too_large", "too_long"]


@dataclass(frozen=True)
class DrawnMask:
    """What was read of rows of 0 and 1.

    Attributes:
        rows: The nearest legal mask; the one that was typed where there is no fault.
        faults: What is wrong, in the order in which a reader would put it right.
        strange: The first pieces that could not be read, as typed.
        found: How many rows there are, and the widths of the narrowest and the widest.
    """

    rows: Rows
    faults: tuple[Fault, ...]
    strange: tuple[str, ...]
    found: tuple[int, int, int]


@dataclass(frozen=True)
class TypedNumbers:
    """What was read of an unlabelled mask.

    Attributes:
        mask: Of the type that its numbers have; None where there is a fault.
        nearest: A text that can be read; the typed one where there is no fault.
    """

    mask: Tensor | None
    nearest: str
    faults: tuple[Fault, ...]
    strange: tuple[str, ...]
    found: tuple[int, int, int]


def _split(text: str) -> list[str]:
    clean = text.translate(FULL_WIDTH).replace("\N{MINUS SIGN}", "-").replace("[", " ")
    return [row.strip(" \t,(){}") for row in _BETWEEN_ROWS.split(clean)]


def _faults(
    widths: list[int], strange: list[str], text: str
) -> tuple[tuple[Fault, ...], tuple[int, int, int]]:
    """Say which rules rows of these widths break."""
    found = (len(widths), min(widths, default=0), max(widths, default=0))
    holds: tuple[tuple[Fault, bool], ...] = (
        ("empty", not widths),
        ("unreadable", bool(strange)),
        ("ragged", found[1] != found[2]),
        ("too_large", found[0] > MOST or found[2] > MOST),
        ("too_long", len(text) > LONGEST_TEXT),
    )
    return tuple(fault for fault, is_so in holds if is_so), found


def read_drawn(text: str) -> DrawnMask:
    """Read rows of 0 and 1, a row a query, between slashes.

    Example:
        >>> read_drawn("10/11").rows, read_drawn("1 0 x / 1").rows, read_drawn("1 0 x / 1").faults
        (((True, False), (True, True)), ((True, False), (True, False)), ('unreadable', 'ragged'))
    """
    lines = [line for line in _split(text[:LONGEST_TEXT]) if line]
    if len(lines) == 1:
        # A link turns line breaks into spaces.
        words = _BETWEEN_CELLS.split(lines[0])
        lines = words if len(words) > 1 and min(map(len, words)) > 1 else lines
    cells = ["".join(_BETWEEN_CELLS.split(line)) for line in lines]
    strange = [one for line in cells for one in line if one not in "01"]
    rows = [[one == "1" for one in line if one in "01"] for line in cells]
    rows = [row for row in rows if row]
    faults, found = _faults([len(row) for row in rows], strange, text)
    wide = min(MOST, found[2])
    legal = tuple(tuple((row + [False] * wide)[:wide]) for row in rows[:MOST]) or ((True,),)
    return DrawnMask(legal, faults, tuple(dict.fromkeys(strange)), found)


def write_drawn(rows: Rows) -> str:
    """Write a mask as the link holds it.

    Example:
        >>> write_drawn(((True, False), (True, True)))
        '10/11'
    """
    return "/".join("".join("01"[cell] for cell in row) for row in rows)


def toggled(rows: Rows, row: int, column: int) -> Rows:
    """Change one cell.

    Example:
        >>> toggled(((True, False),), 0, 1)
        ((True, True),)
    """
    return tuple(
        tuple(cell != (n == row and m == column) for m, cell in enumerate(cells))
        for n, cells in enumerate(rows)
    )


def _read_piece(piece: str) -> float | bool | None:
    if piece.lower() in {"true", "false"}:
        return piece.lower() == "true"
    infinite = _INFINITE.fullmatch(piece)
    if infinite:
        return -math.inf if infinite[1] == "-" else math.inf
    return number(piece, math.inf)


def read_numbers(text: str) -> TypedNumbers:
    """Read a mask that does not say what its numbers mean.

    Returns:
        bool where every piece is True or False, integers where no piece has a point, else float32.

    Example:
        >>> read_numbers("[[0, 1], [1, 1]]").mask.dtype, read_numbers("0. -inf / 0 0").mask.tolist()
        (torch.int64, [[0.0, -inf], [0.0, 0.0]])
        >>> read_numbers("True, cat").strange, read_numbers("True, cat").nearest
        (('cat',), 'True')
    """
    pieces = [[one for one in _BETWEEN_CELLS.split(row) if one] for row in _split(text[:LONGEST_TEXT])]
    read = [[(one, _read_piece(one)) for one in row] for row in pieces if row]
    strange = [one for row in read for one, value in row if value is None]
    flat = [value for row in read for _, value in row if value is not None]
    is_bool = bool(flat) and all(isinstance(value, bool) for value in flat)
    if not is_bool:
        # Beside numbers True and False are no mask of any type.
        strange += [one for row in read for one, value in row if isinstance(value, bool)]
    rows = [[(one, value) for one, value in row if value is not None] for row in read]
    rows = [row for row in rows if row]
    faults, found = _faults([len(row) for row in rows], strange, text)
    if faults:
        nearest = _nearest(rows, found[2], is_bool)
        return TypedNumbers(None, nearest, faults, tuple(dict.fromkeys(strange)), found)
    is_integer = all(_INTEGER.fullmatch(one) for row in rows for one, _ in row)
    dtype = torch.bool if is_bool else torch.int64 if is_integer else torch.float32
    mask = torch.tensor([[value for _, value in row] for row in rows], dtype=torch.float64).to(dtype)
    return TypedNumbers(mask, text, (), (), found)


def _nearest(rows: list[list[tuple[str, float | bool]]], widest: int, is_bool: bool) -> str:
    """Write what could be read with rows of one width, filled with what hides nothing or is not seen.

    Its numbers are those of a mask: what is offered would else be refused for them.
    """
    wide = min(MOST, widest)
    filler = "False" if is_bool else "0"
    told = [
        [one if is_bool or not isinstance(value, bool) else str(int(value)) for one, value in row]
        for row in rows
    ]
    full = [(row + [filler] * wide)[:wide] for row in told[:MOST]]
    text = " / ".join(" ".join(row) for row in full) or "0.0 -inf"
    mask = read_numbers(text).mask
    return text if mask is None or is_mask(mask) else nearest_mask(mask)


def is_mask(mask: Tensor) -> bool:
    """Tell whether a mask of numbers has a reading, or two.

    Example:
        >>> is_mask(torch.tensor([[0, 1]])), is_mask(torch.tensor([[0.5]]))
        (True, False)
    """
    try:
        guess_convention(mask)
    except AmbiguousMaskError:
        return True
    except MaskValueError:
        return False
    return True


def brief(value: float, digits: int = 3) -> str:
    """Write a number as it stands in a vector: without zeros that say nothing.

    Example:
        >>> brief(2.0), brief(1 / 3), brief(-2.5), brief(math.nan), brief(-math.inf)
        ('2', '0.333', '−2.5', 'NaN', '−∞')
    """
    told = significant(value, digits)
    return told.rstrip("0").rstrip(".") if "." in told and "e" not in told else told


def vector(numbers: Sequence[float]) -> str:
    """Write a row of numbers.

    Example:
        >>> vector([1.0, 0.5])
        '[1, 0.5]'
    """
    return f"[{', '.join(map(brief, numbers))}]"


def nearest_mask(mask: Tensor) -> str:
    """Write a mask of numbers with each cell moved to what the nearest convention holds.

    Example:
        >>> [nearest_mask(torch.tensor([numbers])) for numbers in ([0.0, -1e9], [0.2, 0.9], [7, 0])]
        ['0.0 -inf', '0.0 1.0', '1 0']
    """
    values = mask.double().nan_to_num(nan=0.0, posinf=math.inf, neginf=-math.inf)
    if bool((values <= HIDES).any()):
        told = [["-inf" if value <= HIDES else "0.0" for value in row] for row in values.tolist()]
    else:
        no, yes = ("0.0", "1.0") if mask.is_floating_point() else ("0", "1")
        told = [[yes if value >= 0.5 else no for value in row] for row in values.tolist()]
    return " / ".join(" ".join(row) for row in told)
