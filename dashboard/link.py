"""A page's state as the query of its link: names and ids that mean the same in every language.

Whatever stands in a link is read without raising: a value that is malformed, out of range, repeated,
unknown or huge becomes the nearest legal one, with a notice that says so.
"""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal
from urllib.parse import quote_plus

# The value of a choice that follows another one until the reader chooses for it.
STANDARD = "standard"
MAX_LINK_BYTES = 8192
MAX_EDITS_BYTES = 2048
MAX_NAMES = 64
MAX_NOTICES = 8

Problem = Literal[
    "malformed", "out_of_range", "repeated", "unknown", "too_long", "left_out", "absent", "out_of_memory"
]


@dataclass(frozen=True)
class Notice:
    """Something in a link that was not taken as it stood. `given` is cut short for display."""

    problem: Problem
    name: str
    given: str
    used: str


@dataclass(frozen=True)
class Integer:
    """A whole number between two bounds, both legal."""

    default: int
    lowest: int
    highest: int

    def read(self, raw: str) -> tuple[int, Problem | None]:
        if not re.fullmatch(r"[+-]?\d{1,18}", raw, re.ASCII):
            return self._nearest_to_words(raw)
        value = min(max(int(raw), self.lowest), self.highest)
        return value, None if value == int(raw) else "out_of_range"

    def _nearest_to_words(self, raw: str) -> tuple[int, Problem]:
        try:
            value = float(raw[:32])
        except ValueError:
            return self.default, "malformed"
        if math.isnan(value):
            return self.default, "malformed"
        nearest = round(min(max(value, self.lowest), self.highest))
        return nearest, "malformed" if self.lowest <= value <= self.highest else "out_of_range"

    def write(self, value: int) -> str:
        return str(value)


@dataclass(frozen=True)
class Decimal:
    """A finite number between two bounds, both legal."""

    default: float
    lowest: float
    highest: float

    def read(self, raw: str) -> tuple[float, Problem | None]:
        wanted = _written(raw[:64])
        if wanted is None:
            return self.default, "malformed"
        value = min(max(wanted, self.lowest), self.highest)
        return value, None if value == wanted else "out_of_range"

    def write(self, value: float) -> str:
        return repr(float(value)).removesuffix(".0")


@dataclass(frozen=True)
class Choice:
    """One of a few ids."""

    default: str
    options: tuple[str, ...]

    def read(self, raw: str) -> tuple[str, Problem | None]:
        return (raw, None) if raw in self.options else (self.default, "malformed")

    def write(self, value: str) -> str:
        return value


@dataclass(frozen=True)
class Place(Choice):
    """One of the devices that this server has; the default for one that it has not.

    Attributes:
        known: All that some server may have.
    """

    known: tuple[str, ...]

    def read(self, raw: str) -> tuple[str, Problem | None]:
        if raw in self.known and raw not in self.options:
            return self.default, "absent"
        return super().read(raw)


@dataclass(frozen=True)
class Some:
    """Some of a few ids, in the order in which they are offered; none is legal too."""

    default: tuple[str, ...]
    options: tuple[str, ...]

    def read(self, raw: str) -> tuple[tuple[str, ...], Problem | None]:
        named = [piece for piece in raw.split(",") if piece]
        known = self.sort(named)
        if named and not known:
            return self.default, "malformed"
        return known, None if set(named) == set(known) else "malformed"

    def write(self, value: tuple[str, ...]) -> str:
        return ",".join(value)

    def sort(self, named: Iterable[str]) -> tuple[str, ...]:
        """Keep what is known, each once, in order."""
        wanted = set(named)
        return tuple(option for option in self.options if option in wanted)


@dataclass(frozen=True)
class Flag:
    """Yes or no, written 1 or 0."""

    default: bool

    def read(self, raw: str) -> tuple[bool, Problem | None]:
        return (raw == "1", None) if raw in {"0", "1"} else (self.default, "malformed")

    def write(self, value: bool) -> str:
        return "1" if value else "0"


_LINE_BREAKS = re.compile("[\n\r\v\f\x85\u2028\u2029]+")


@dataclass(frozen=True)
class Line:
    """A reader's text on one line, any characters; a line break is read as a space. A text longer than `highest` stays in its box but not in the link."""

    default: str
    highest: int

    def read(self, raw: str) -> tuple[str, Problem | None]:
        return _LINE_BREAKS.sub(" ", raw), None

    def write(self, value: str) -> str | None:
        fits = len(value) <= self.highest and is_utf8(value)
        return value if fits else None


@dataclass(frozen=True)
class Position:
    """A cell of a matrix as row.column, counted from 1 in the link and from 0 here."""

    default: tuple[int, int]
    highest: int

    def read(self, raw: str) -> tuple[tuple[int, int], Problem | None]:
        match = re.fullmatch(r"(\d{1,9})\.(\d{1,9})", raw, re.ASCII)
        if not match:
            return self.default, "malformed"
        wanted = (int(match[1]) - 1, int(match[2]) - 1)
        row, column = (min(max(number, 0), self.highest - 1) for number in wanted)
        return (row, column), None if (row, column) == wanted else "out_of_range"

    def write(self, value: tuple[int, int]) -> str:
        return f"{value[0] + 1}.{value[1] + 1}"


CellEdits = Mapping[tuple[str, int, int], float]


@dataclass(frozen=True)
class Edits:
    """Cells that the reader changed, as matrix.row.column_value joined by `~`, counted from 1 in the link."""

    matrices: tuple[str, ...]
    highest: int

    @property
    def default(self) -> CellEdits:
        return {}

    def read(self, raw: str) -> tuple[CellEdits, Problem | None]:
        if len(raw.encode(errors="replace")) > MAX_EDITS_BYTES:
            return {}, "too_long"
        edits: dict[tuple[str, int, int], float] = {}
        problem: Problem | None = None
        for part in filter(None, raw.split("~")):
            match = re.fullmatch(r"([a-z_]+)\.(\d{1,4})\.(\d{1,4})_(\S{1,32})", part, re.ASCII)
            value = _written(match[4]) if match else None
            if not match or value is None or match[1] not in self.matrices:
                problem = "malformed"
                continue
            row, column = int(match[2]) - 1, int(match[3]) - 1
            if not (0 <= row < self.highest and 0 <= column < self.highest):
                problem = "out_of_range"
                continue
            if abs(value) > MAX_EDIT:
                problem = "out_of_range"
            elif (match[1], row, column) in edits:
                problem = "repeated"
            edits[match[1], row, column] = max(-MAX_EDIT, min(value, MAX_EDIT))
        return edits, problem

    def write(self, value: CellEdits) -> str | None:
        parts = [f"{name}.{row + 1}.{column + 1}_{edit!r}" for (name, row, column), edit in value.items()]
        raw = "~".join(part.removesuffix(".0") for part in parts)
        return raw if len(raw.encode()) <= MAX_EDITS_BYTES else None


Field = Integer | Decimal | Choice | Some | Flag | Line | Position | Edits

MAX_EDIT = 1e6
# What an input method writes in full width is meant as the ASCII of the same shape.
FULL_WIDTH = {place: place - 0xFEE0 for place in range(0xFF01, 0xFF5F)}


def number(text: str, largest: float = MAX_EDIT) -> float | None:
    """Read a cell as a reader types it; None unless it is a number, in size at most a million or what is given.

    Example:
        >>> number(" -0.5 "), number("−2"), number("1e3"), number("nan"), number("a")
        (-0.5, -2.0, 1000.0, None, None)
    """
    value = _written(text)
    return value if value is not None and abs(value) <= largest else None


def _written(text: str) -> float | None:
    """Read a number of any size, infinite where a float cannot hold it."""
    cleaned = text.translate(FULL_WIDTH).strip().replace("\N{MINUS SIGN}", "-")
    if not re.fullmatch(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,3})?", cleaned, re.ASCII):
        return None
    return float(cleaned) + 0.0


def is_utf8(text: str) -> bool:
    """Tell whether a text can be sent at all: lone surrogates cannot."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def sendable(text: str) -> str:
    """Replace lone surrogates, which no message can carry, by the sign for an unknown character.

    Example:
        >>> sendable("a\\ud800b"), sendable("\\ud83d\\ude00")
        ('a�b', '😀')
    """
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def shorten(text: str, length: int = 40) -> str:
    """Cut a stranger's value for a notice."""
    return text if len(text) <= length else text[: length - 1] + "…"


def read_link(
    query: Mapping[str, Sequence[str]], fields: Mapping[str, Field]
) -> tuple[dict[str, Any], list[Notice]]:
    """Read the values of all fields from a query; a field that is not there has its default.

    Returns:
        A legal value for each field, and at most MAX_NOTICES notices.
    """
    values = {name: field.default for name, field in fields.items()}
    notices = []
    strangers = [name for name in query if name not in fields]
    for name in [*(name for name in query if name in fields), *strangers[:MAX_NAMES]]:
        given = query[name]
        if name not in fields:
            notices.append(Notice("unknown", shorten(name), shorten(given[-1] if given else ""), ""))
            continue
        if not given:
            continue
        raw = given[-1]
        problem: Problem | None
        if len(raw) > MAX_LINK_BYTES:
            problem = "too_long"
        else:
            values[name], problem = fields[name].read(raw)
        if problem is None and len(given) > 1:
            problem = "repeated"
        if problem:
            used = fields[name].write(values[name]) or ""
            notices.append(Notice(problem, name, shorten(raw), shorten(used)))
    return values, notices[:MAX_NOTICES]


def write_link(
    values: Mapping[str, Any], fields: Mapping[str, Field], always: frozenset[str] = frozenset()
) -> tuple[dict[str, str], tuple[str, ...]]:
    """Write a state as a query: fields at their default are left away, except those named in `always`.

    Returns:
        The query, and the names of the fields that were too large for it.
    """
    query: dict[str, str] = {}
    left_out = []
    size = 0
    for name, field in fields.items():
        value = values[name]
        if value == field.default and name not in always:
            continue
        raw = field.write(value)
        cost = 0 if raw is None else len(name) + 2 + len(quote_plus(raw))
        if raw is None or size + cost > MAX_LINK_BYTES - 512:
            left_out.append(name)
            continue
        query[name] = raw
        size += cost
    return query, tuple(left_out)
