"""The hue of each role, one for the light and one for the dark theme, both readable as text."""

from typing import Literal

Theme = Literal["light", "dark"]

# Okabe–Ito hues; darkened or lightened until their contrast with the page is at least 4.5.
HUES: dict[str, dict[Theme, str]] = {
    "x": {"light": "#5F6368", "dark": "#B4B9C0"},
    "q": {"light": "#0072B2", "dark": "#56B4E9"},
    "k": {"light": "#B54F00", "dark": "#FF9D5C"},
    "v": {"light": "#007A58", "dark": "#3CCFA4"},
    "out": {"light": "#A3487C", "dark": "#E6A8CB"},
}

ROLE_OF = {
    "embedding": "x",
    "position": "x",
    "x": "x",
    "w_q": "q",
    "q": "q",
    "w_k": "k",
    "k": "k",
    "w_v": "v",
    "v": "v",
    "scores": "scores",
    "scaled": "scores",
    "masked": "scores",
    "weights": "weights",
    "out": "out",
    "w_o": "out",
    "projected": "out",
}


def hue(name: str, theme: Theme) -> str | None:
    """Colour a matrix by what it is for; None for scores and weights, which belong to no single role.

    Example:
        >>> hue("w_q", "light"), hue("scores", "dark")
        ('#0072B2', None)
    """
    shades = HUES.get(ROLE_OF[name])
    return None if shades is None else shades[theme]
