"""The test bed: grids of every kind, and under them what Python was told."""

import math

import numpy as np
import streamlit as st

from dashboard.grid import GridLabels, grid
from dashboard.grid.bench import prepare

LABELS = GridLabels(
    row="query",
    column="key",
    masked="masked",
    dead_row="sees no key",
    edited="edited",
    marked="used in the explanation",
    keys="Arrow keys move, Enter picks.",
    edit_keys="Arrow keys move, Enter picks, F2 or a digit edits.",
    edit="new value",
    empty="No token, no matrix.",
    about="about",
    pooled="One pixel: the value farthest from zero among %(rows)d × %(columns)d cells.",
    download_png="PNG",
    download_csv="CSV",
    value="weight",
    footer="Σ",
)
WORDS = [
    "the",
    "cat",
    "<b>x</b>",
    "cat",
    "",
    "a\n",
    "注意力",
    "שלום",
    "👩‍👩‍👧",
    '"quoted, and long" token',
    "$5",
    "=1+1",
]

prepare()
side = st.slider("side", 1, 1100, int(st.query_params.get("side", 8)))
shift = st.slider("shift", 0, 100, 0)
state = st.session_state
state.setdefault("picked", None)
state.setdefault("edits", {})
state.setdefault("refused", None)
state["runs"] = state.get("runs", 0) + 1


def keep_pick(row: int, column: int) -> None:
    state.picked = (row, column)


def keep_part(row: int, column: int) -> None:
    state.part = (row, column)


def keep_edit(row: int, column: int, text: str) -> None:
    try:
        state.edits[row, column] = float(text)
        state.refused = None
    except ValueError:
        state.refused = (row, column, f"{text!r} is not a number")


scores = np.random.default_rng(7).normal(size=(side, side)) + shift / 100
for (row, column), value in state.edits.items():
    scores[row, column] = value
hidden = np.triu(np.ones((side, side), dtype=bool), 1)
hidden[2:3] = True
shares = np.exp(scores) * ~hidden
shares /= np.maximum(shares.sum(-1, keepdims=True), 1e-30)
names = [WORDS[place % len(WORDS)] for place in range(side)]
named = {"labels": LABELS, "row_labels": names, "column_labels": names}

grid(
    "q",
    scores[:, :4],
    title="queries",
    symbol="Q",
    labels=LABELS,
    row_labels=names,
    role="q",
    scale="diverging",
)
grid(
    "scores",
    scores,
    title="scores S = Q·Kᵀ",
    role="scores",
    scale="diverging",
    picked=state.picked,
    marked=[(0, 1), (1, 0)],
    edited=list(state.edits),
    refused=state.refused,
    on_pick=keep_pick,
    on_edit=keep_edit,
    **named,
)
grid("masked", np.where(hidden, -math.inf, scores), title="masked", scale="diverging", masked=hidden, **named)
grid(
    "weights",
    shares,
    title="weights",
    symbol="A_{ij}",
    role="weights",
    scale="sequential",
    masked=hidden,
    picked=state.picked,
    on_pick=keep_pick,
    footer=[f"{total:.2f}" for total in shares.sum(-1)],
    **named,
)
st.text(f"picked: {state.picked}")
st.text(f"edits: {sorted(state.edits.items())}")
st.text(f"runs: {state.runs}")


@st.fragment
def show_part() -> None:
    odd = [[math.nan, math.inf, -math.inf], [0.0, -0.0, 1e-12]]
    grid("odd", odd, title="odd numbers", labels=LABELS, scale="diverging", on_pick=keep_part)
    st.text(f"part: {state.get('part')}")


show_part()
grid("plain", [[0.0, 1.0]], title="no colour", labels=LABELS)
grid("nothing", np.zeros((0, 3)), title="nothing", labels=LABELS)
