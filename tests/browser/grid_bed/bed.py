"""The test bed: grids of every kind, with what Python was told about them written under each."""

import math

import numpy as np
import streamlit as st

from dashboard.grid import GridLabels, grid, prepare

LABELS = GridLabels(
    row="query",
    column="key",
    masked="masked",
    dead_row="sees no key",
    edited="edited",
    marked="used above",
    keys="Arrow keys move, Enter picks.",
    edit_keys="Arrow keys move, Enter picks, F2 or a digit edits.",
    edit="new value",
    empty="No token, no matrix.",
    about="about",
    pooled="One pixel: the value farthest from zero among %(rows)d × %(columns)d cells.",
    download_png="PNG",
    download_csv="CSV",
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
    "a.b",
]
prepare()
side = st.slider("side", 1, 600, int(st.query_params.get("side", 8)))
shift = st.slider("shift", 0, 100, 0)
state = st.session_state
state.setdefault("picked", None)
state.setdefault("edits", {})
state.setdefault("refused", None)


def keep_pick(row: int, column: int) -> None:
    state.picked = (row, column)


def keep_edit(row: int, column: int, text: str) -> None:
    try:
        state.edits[row, column] = float(text)
        state.refused = None
    except ValueError:
        state.refused = (row, column, f"{text!r} is not a number")


rng = np.random.default_rng(7)
scores = rng.normal(size=(side, side)) + shift / 100
for (row, column), value in state.edits.items():
    if row < side and column < side:
        scores[row, column] = value
hidden = np.triu(np.ones((side, side), dtype=bool), 1)
if side > 3:
    hidden[2] = True
masked = np.where(hidden, -math.inf, scores)
finite = np.where(hidden, -1e9, scores)
weights = np.exp(finite - finite.max(-1, keepdims=True)) * ~hidden
weights /= np.maximum(weights.sum(-1, keepdims=True), 1e-30)
names = [WORDS[place % len(WORDS)] for place in range(side)]
both = {"labels": LABELS, "row_labels": names, "column_labels": names}

grid(
    "q",
    scores[:, :4] if side >= 4 else scores,
    title="Q = X·W_Q",
    labels=LABELS,
    row_labels=names,
    role="q",
    scale="diverging",
    on_pick=keep_pick,
)
grid(
    "scores",
    scores,
    title="scores S = Q·Kᵀ",
    scale="diverging",
    role="scores",
    picked=state.picked,
    marked=[(0, 1), (1, 0)],
    edited=list(state.edits),
    refused=state.refused,
    on_pick=keep_pick,
    on_edit=keep_edit,
    **both,
)
grid("masked", masked, title="masked scores", scale="diverging", masked=hidden, **both)
grid(
    "weights",
    weights,
    title="weights A",
    scale="sequential",
    role="weights",
    masked=hidden,
    picked=state.picked,
    on_pick=keep_pick,
    footer=[f"{total:.2f}" for total in weights.sum(-1)],
    **both,
)
st.text(f"picked: {state.picked}")
st.text(f"edits: {sorted(state.edits.items())}")
grid(
    "odd",
    [[math.nan, math.inf, -math.inf], [0.0, -0.0, 1e-12]],
    title="odd numbers",
    labels=LABELS,
    scale="diverging",
    on_pick=keep_pick,
)
grid("nothing", np.zeros((0, 3)), title="nothing", labels=LABELS)
