"""How a number is written, everywhere the same: cells, formulas, sentences, tooltips."""

import math
from collections.abc import Sequence

import numpy as np

MINUS = "\N{MINUS SIGN}"
NOTHING = "\N{EN DASH}"
# Between these three digits are plain decimals with a point among them.
SMALLEST, LARGEST = 0.001, 90.0
_SHORT = "%#.3g\n"
# Largest first.
BINARY = tuple((f"{sign}iB", 2 ** (10 * power)) for power, sign in reversed([*enumerate("KMGTPEZY", 1)]))
DECIMAL = tuple((sign, 10 ** (3 * power)) for power, sign in reversed([*enumerate("kMGTPEZY", 1)]))


def significant(value: float | None, digits: int = 3) -> str:
    """Write a number with a few significant digits, as it stands in a cell.

    Returns:
        Plain decimals between 0.001 and 99 999, powers of ten outside, `0` for zero of either sign,
        `−∞`, `∞` and `NaN` spelled out, `–` where there is no number. The minus is the typographic one.

    Example:
        >>> [significant(v) for v in (0.40123, -12.345, -0.0, 123456.0, 1e-9)]
        ['0.401', '−12.3', '0', '1.23e5', '1e−9']
    """
    if value is None:
        return NOTHING
    value = float(value)
    if value == 0:
        return "0"
    if SMALLEST <= abs(value) < 0.9 * 10 ** (digits - 1):
        # Nearly every number of a page; the same text as below in a quarter of the time.
        return f"{value:#.{digits}g}".replace("-", MINUS)
    if math.isnan(value):
        return "NaN"
    sign = MINUS if value < 0 else ""
    if math.isinf(value):
        return sign + "∞"
    mantissa, exponent = f"{abs(value):.{digits - 1}e}".split("e")
    power = int(exponent)
    if -4 < power < 5:
        return sign + f"{abs(value):.{max(0, digits - 1 - power)}f}"
    mantissa = mantissa.rstrip("0").rstrip(".") if "." in mantissa else mantissa
    return f"{sign}{mantissa}e{MINUS if power < 0 else ''}{abs(power)}"


def significant_each(values: np.ndarray) -> list[str]:
    """Write many numbers as `significant` does, in a third of the time.

    Args:
        values: Any shape; they are written in order.

    Example:
        >>> significant_each(np.array([[0.5, -12.345], [0.0, 1e-9]]))
        ['0.500', '−12.3', '0', '1e−9']
    """
    flat, size = values.ravel(), np.abs(values).ravel()
    texts = (_SHORT * flat.size % tuple(flat.tolist())).replace("-", MINUS).split("\n")
    for place in np.flatnonzero(size == 0).tolist():
        texts[place] = "0"
    for place in np.flatnonzero(~((size >= SMALLEST) & (size < LARGEST) | (size == 0))).tolist():
        texts[place] = significant(flat[place])
    return texts[: flat.size]


def in_units(count: int, units: Sequence[tuple[str, int]]) -> str:
    """Write a count in the largest unit of which it holds one, to three digits; nothing where it holds none.

    Args:
        units: Largest first, such as BINARY for bytes and DECIMAL for other counts.

    Example:
        >>> in_units(131_072, BINARY), in_units(2**30 - 1, BINARY), in_units(28_348_416, DECIMAL), in_units(480, BINARY)
        ('128 KiB', '1.00 GiB', '28.3 M', '')
    """
    for unit, size in units:
        # What rounds to one of a unit is written as one, and not as a thousand of the next.
        if 2000 * count > 1999 * size:
            return f"{significant(count / size)} {unit}"
    return ""


def exact(value: float) -> str:
    """Write a number so that reading it gives the same float64 back: tables, CSV, links.

    Example:
        >>> exact(0.1), exact(float("-inf")), exact(2.0)
        ('0.1', '-inf', '2.0')
    """
    return repr(float(value))
