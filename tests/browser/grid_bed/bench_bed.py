"""The test bed of the bench: a strip, a grid, lines, folded lines and the address, and what Python was told."""

from urllib.parse import urlencode

import streamlit as st

from dashboard.grid import GridLabels, grid_part
from dashboard.grid.bench import Part, prepare, show_bench
from dashboard.grid.lines import Line, Piece, lines_part, prose, word
from dashboard.grid.strip import Stage, strip_part

HOSTILE = "<img src=x onerror=alert(1)>"
LABELS = GridLabels(**{name: name for name in GridLabels.__dataclass_fields__})
STAGES = [
    Stage("q", "Q", "2 × 3", "queries", "#0072b2", "→"),
    Stage("k", HOSTILE, "2 × 3", "keys", None, ","),
    Stage("weights", "A", "2 × 2", "weights", "#d55e00", "→"),
]
VALUES = [[0.5, -1.0, 2.0], [3.0, 0.0, 1.5]]

prepare()
state = st.session_state
state.setdefault("chosen", "q")
state.setdefault("picked", (0, 0))
state["runs"] = state.get("runs", 0) + 1


def keep(name: str, value: object) -> None:
    state[name] = value


def open_cell(line: int, place: int) -> None:
    name = (LINES[line] if line < len(LINES) else STEP).pieces[place].cell
    row, column = name.removeprefix("q[").removesuffix("]").split(", ")
    state["picked"] = (int(row) - 1, int(column) - 1)


LINES = [
    Line(prose(f"{word(HOSTILE)} leads at {state.chosen}."), "prose"),
    Line([Piece("q_{n,j}", is_symbol=True), Piece("= x")], "heading"),
    Line([Piece("−1.00", "q[1, 2]", "#0072b2"), Piece("×"), Piece("1.50", "q[2, 3]"), Piece("= −1.50")]),
]
STEP = Line([Piece("3.00", "q[2, 1]"), Piece(f"= step of {state.chosen}")])
parts = {
    "strip": (
        "top",
        strip_part("stages", STAGES, state.chosen, lambda id: keep("chosen", id), note="by hand"),
    ),
    "result": (
        "left",
        grid_part(
            VALUES,
            title="result",
            labels=LABELS,
            picked=state.picked,
            on_pick=lambda row, column: keep("picked", (row, column)),
        ),
    ),
    "cell": ("right", lines_part("arithmetic", LINES, open_cell)),
    "address": (
        "top",
        Part(
            "address",
            {
                "query": urlencode({"stage": state.chosen, "text": "猫 & <b>"}),
                "slug": "",
                "number": state.runs,
            },
        ),
    ),
}
if state.chosen != "weights":
    parts["steps"] = ("below", lines_part("steps", [*LINES, STEP], open_cell, is_folded=True))
show_bench("bench", parts)
st.text(f"chosen: {state.chosen}")
st.text(f"picked: {state.picked}")
st.text(f"runs: {state.runs}")
