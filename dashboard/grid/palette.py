"""The colours of a grid: 251 steps a scale, with the ink that can be read on each.

Chosen for readers who tell few colours apart: cividis for what lies between 0 and 1, and orange against purple,
equally far from a neutral middle, for what has a sign.
"""

import math

STEPS = 251
"""Odd, so that the middle of a diverging scale is one step and means exactly zero."""

Rgb = tuple[int, int, int]

_LIGHT_STOPS = (
    "#7f3b08",
    "#b35806",
    "#e08214",
    "#fdb863",
    "#f7f7f7",
    "#b9b4dc",
    "#8073ac",
    "#542788",
    "#2d004b",
)
_DARK_STOPS = (
    "#ffd9a0",
    "#fdb863",
    "#d4801c",
    "#84500f",
    "#20242c",
    "#55478c",
    "#8574c0",
    "#b2a6dc",
    "#e3dcf7",
)


def _rgb(code: str) -> Rgb:
    return int(code[1:3], 16), int(code[3:5], 16), int(code[5:7], 16)


def cividis(t: float) -> Rgb:
    """Colour of a value between 0 and 1.

    Example:
        >>> cividis(0.0), cividis(1.0)
        ((0, 32, 81), (253, 234, 69))

    Source: Nuñez, Anderton and Renslow 2018; the polynomials are those of d3-scale-chromatic.
    """
    red = -4.54 - t * (35.34 - t * (2381.73 - t * (6402.7 - t * (7024.72 - t * 2710.57))))
    green = 32.49 + t * (170.73 + t * (52.82 - t * (131.46 - t * (176.58 - t * 67.37))))
    blue = 81.24 + t * (442.36 - t * (2482.43 - t * (6167.24 - t * (6614.94 - t * 2475.67))))
    return tuple(max(0, min(255, round(channel))) for channel in (red, green, blue))  # type: ignore[return-value]


def _between(stops: tuple[str, ...], t: float) -> Rgb:
    place = t * (len(stops) - 1)
    left = min(int(place), len(stops) - 2)
    low, high = _rgb(stops[left]), _rgb(stops[left + 1])
    return tuple(round(a + (b - a) * (place - left)) for a, b in zip(low, high, strict=True))  # type: ignore[return-value]


def luminance(colour: Rgb) -> float:
    """Relative luminance as WCAG 2 defines it."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in (v / 255 for v in colour)]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: Rgb, other: Rgb) -> float:
    """Contrast ratio as WCAG 2 defines it, from 1 to 21.

    Example:
        >>> round(contrast((255, 255, 255), (0, 0, 0)), 6)
        21.0
    """
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def ink(colour: Rgb) -> Rgb:
    """Black or white, whichever reads better. One of the two always reaches 4.58, the root of 21."""
    return (0, 0, 0) if luminance(colour) > math.sqrt(1.05 * 0.05) - 0.05 else (255, 255, 255)


def _scale(colours: list[Rgb]) -> dict[str, str]:
    return {
        "fill": "".join(f"{red:02x}{green:02x}{blue:02x}" for red, green, blue in colours),
        "ink": "".join("0" if ink(colour) == (0, 0, 0) else "1" for colour in colours),
    }


def colours(scale: str, theme: str) -> list[Rgb]:
    """All steps of a scale, the lowest value first. The sequential one is the same in both themes."""
    places = [step / (STEPS - 1) for step in range(STEPS)]
    if scale == "sequential":
        return [cividis(t) for t in places]
    return [_between(_DARK_STOPS if theme == "dark" else _LIGHT_STOPS, t) for t in places]


def palettes() -> dict[str, dict[str, dict[str, str]]]:
    """What the browser needs: scale → theme → fill (six hex digits a step) and ink (0 black, 1 white)."""
    return {
        scale: {theme: _scale(colours(scale, theme)) for theme in ("light", "dark")}
        for scale in ("sequential", "diverging")
    }
