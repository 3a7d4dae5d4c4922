"""Mounting: one drawing library for the page, single parts, and benches of several parts in one component.

A bench draws its grids, strips and lines in one go. Streamlit's front end redraws an element of its own for each
component, which costs more than all the cells of a small matrix together.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import streamlit as st

from dashboard.grid.palette import palettes
from dashboard.roles import HUES

Area = Literal["top", "left", "right", "below", "end"]

MAX_EVENTS = 32
FEW_CELLS = 32
COMMON = ("words", "steps")

_FOLDER = Path(__file__).parent


def _read(name: str) -> str:
    return (_FOLDER / name).read_text(encoding="utf-8")


def _hues() -> str:
    rule = '.grid[data-theme="{theme}"][data-role="{role}"] {{ --hue: {shade}; }}\n'
    return "".join(
        rule.format(theme=theme, role=role, shade=shade)
        for role, shades in HUES.items()
        for theme, shade in shades.items()
    )


_LIBRARY = {
    "html": _read("grid.html"),
    "css": _read("grid.css") + _hues(),
    "strip_css": _read("strip.css"),
    "lines_css": _read("lines.css"),
    "bench_css": _read("bench.css"),
    "palettes": palettes(),
}
_draw_library = st.components.v2.component(
    "attention_lab_grid_library",
    js="\n".join(_read(name) for name in ("grid.js", "strip.js", "lines.js", "address.js", "bench.js")),
)
# The drawing code is not repeated with each matrix: a matrix's message is then its numbers and little else.
_draw = st.components.v2.component("attention_lab_grid", js=_read("mount.js"))


@dataclass(frozen=True)
class Offer:
    """A file that is made when it is asked for, beside a picture that does not hold its numbers."""

    caption: str
    make: Callable[[], str]


@dataclass(frozen=True)
class Part:
    """Something to draw, and who hears what is done to it.

    Attributes:
        kind: The function of the library that draws it: "grid", "strip", "lines", "fold", "address".
        data: What that function takes; plain values only.
        receivers: By the name of an event, who is called with what the browser sent. Anyone may send anything.
    """

    kind: str
    data: Mapping[str, Any]
    receivers: Mapping[str, Callable[[object], None]] = field(default_factory=dict)
    offer: Offer | None = None

    def hear(self, name: object, value: object) -> None:
        """Pass an event on to the one who waits for it."""
        receiver = self.receivers.get(name) if isinstance(name, str) else None
        if receiver is not None:
            receiver(value)


def prepare() -> None:
    """Send the code that draws. Call it once in every full run, before the page: main.py does.

    The message is the same in every run, so after the first one Streamlit sends only its hash.
    """
    _draw_library(key="grid_library", data=_LIBRARY)


def show_part(key: str, part: Part, *, width: int | str = "stretch") -> None:
    """Show one part by itself."""

    def receiver(name: str) -> Callable[[], None]:
        return lambda: part.hear(name, st.session_state[key].get(name))

    listeners = {f"on_{name}_change": receiver(name) for name in part.receivers}
    _draw(key=key, width=width, data={"kind": part.kind, **part.data}, **listeners)
    _offer(key, part)


def show_bench(key: str, parts: Mapping[str, tuple[Area, Part]]) -> None:
    """Show several parts in one component.

    Args:
        parts: By name, where a part stands (the top, beside each other on the left and the right, below in a
            row that wraps, or at the end) and what it is, in order.
    """

    heard_key = f"{key}.heard"

    def hear() -> None:
        for event in fresh_events(st.session_state[key].get("event"), st.session_state.get(heard_key, 0)):
            st.session_state[heard_key] = event["number"]
            name = event.get("part")
            if isinstance(name, str) and name in parts:
                parts[name][1].hear(event.get("name"), event.get("value"))

    drawn: Sequence[dict[str, Any]] = [
        {"name": name, "area": area, "data": {"kind": part.kind, **packed(part.data)}}
        for name, (area, part) in parts.items()
    ]
    common = say_once([part["data"] for part in drawn])
    data = {
        "kind": "bench",
        "parts": drawn,
        "common": common,
        "heard": st.session_state.get(heard_key, 0),
    }
    _draw(key=key, data=data, on_event_change=hear)
    offered = [(name, part) for name, (_, part) in parts.items() if part.offer is not None]
    if offered:
        with st.container(horizontal=True, gap="small"):
            for name, part in offered:
                _offer(f"{key}.{name}", part)


def say_once(drawn: Sequence[dict[str, Any]]) -> list[Any]:
    """Take out of the grids what they have in common, their words and the steps of their scale.

    Args:
        drawn: What each part draws. In the place of words and steps stands their place in the list returned.

    Example:
        >>> grids = [{"words": {"row": "query"}}, {"words": {"row": "query"}}, {"words": {"row": "token"}}]
        >>> say_once(grids), grids
        ([{'row': 'query'}, {'row': 'token'}], [{'words': 0}, {'words': 0}, {'words': 1}])
    """
    places: dict[Any, int] = {}
    common: list[Any] = []
    for data in drawn:
        for name in COMMON:
            if name not in data:
                continue
            value = data[name]
            key = tuple(value.items()) if isinstance(value, dict) else value
            if key not in places:
                places[key] = len(common)
                common.append(value)
            data[name] = places[key]
    return common


def packed(data: Mapping[str, Any], few: int = FEW_CELLS) -> Mapping[str, Any]:
    """Write the cells of a grid with many of them as one text each for all: quicker to send and to read than a list.

    Example:
        >>> packed({"texts": ["1", "2"]}), packed({"texts": ["1"] * 3}, few=2)
        ({'texts': ['1', '2']}, {'texts': '1\\n1\\n1'})
    """
    lists = {name: data[name] for name in ("texts", "exact") if len(data.get(name, ())) > few}
    joined = {name: "\n".join(texts) for name, texts in lists.items()}
    return {
        **data,
        **{name: text for name, text in joined.items() if text.count("\n") == len(lists[name]) - 1},
    }


def fresh_events(sent: object, heard: int) -> list[dict[str, Any]]:
    """Read the events of a bench that have not been heard yet, oldest first. Anyone may send anything.

    The browser sends an event again until it is told that it was heard: of two that arrive during one run Streamlit
    keeps the later one alone.
    """
    events = (
        [event for event in sent[-MAX_EVENTS:] if isinstance(event, dict)] if isinstance(sent, list) else []
    )
    numbered = [
        event for event in events if type(event.get("number")) is int and heard < event["number"] < 2**53
    ]
    return sorted(numbered, key=lambda event: event["number"])


def file_name(title: str) -> str:
    """Make a file's name of a title, as the browser does for the pictures and files that it makes.

    Example:
        >>> file_name("✓ causal + padding · 15 of 36"), file_name("$$")
        ('causal_padding_15_of_36', 'matrix')
    """
    return re.sub(r"[\W_]+", "_", title).strip("_") or "matrix"


def _offer(key: str, part: Part) -> None:
    if part.offer is None:
        return
    st.download_button(
        part.offer.caption,
        data=part.offer.make,
        file_name=f"{file_name(str(part.data['title']))}.csv",
        mime="text/csv",
        key=f"{key}_csv",
        on_click="ignore",
        type="tertiary",
    )
