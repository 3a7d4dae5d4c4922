"""A matrix of the lesson as a grid: its labels, hue, scale and what a pick does."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from attention_core.explain import Cell
from attention_core.tokens import ids
from dashboard.controls import State
from dashboard.grid import grid, grid_part
from dashboard.grid.bench import Part
from dashboard.link import number
from dashboard.number_format import significant
from dashboard.number_table import grid_labels
from dashboard.panels.qkv.explanation import PLAIN
from dashboard.panels.qkv.fields import EDITABLE
from dashboard.panels.qkv.model import KEY_COLUMNS, STAGE_SHOWING, Model
from dashboard.roles import ROLE_OF
from dashboard.text import Language
from dashboard.text import qkv as words

WEIGHT_ROWS = frozenset({"w_q", "w_k", "w_v", "w_o"})


def row_name(model: Model, name: str) -> str:
    """Say what a row of a matrix is."""
    if name in WEIGHT_ROWS:
        return "row"
    if name in KEY_COLUMNS or name in {"q", "out"}:
        return "query"
    return "key" if name in {"k", "v"} else "token"


def pick(state: State, name: str, row: int, column: int) -> None:
    """Open the arithmetic of a cell, on the stage that shows its matrix."""
    state.put("stage", name)
    state.put("cell", (row, column))


def edit(state: State, model: Model, name: str, row: int, column: int, text: str) -> None:
    """Take the reader's number for a cell, or keep what was typed beside the reason for refusing it."""
    pick(state, name, row, column)
    value = number(text)
    field = f"edit_{model.source}"
    edits = {**state[field], (name, row, column): value}
    if value is None or state.fields[field].write(edits) is None:
        state.values["refused"] = (model.source, name, row, column, text)
    else:
        state.values.pop("refused", None)
        state.put(field, edits)


def matrix_part(
    state: State,
    model: Model,
    name: str,
    *,
    picked: tuple[int, int] | None = None,
    marked: Collection[tuple[int, int]] = (),
    is_only_shown: bool = False,
) -> Part:
    """Describe one matrix of the model; cells can be picked, and edited where they are inputs.

    Args:
        is_only_shown: In a view where no arithmetic opens: cells can be looked at alone.
    """
    values = model.matrix(name).numpy()
    row, has_keys = row_name(model, name), name in KEY_COLUMNS
    return grid_part(
        values,
        symbol=PLAIN.get(name, ""),
        title=title_of(name, values.shape, state.language),
        labels=replace(
            grid_labels(state.language, row, "key" if has_keys else "column"),
            value=words.NAMES[name].say(state.language),
        ),
        row_labels={"row": None, "key": model.keys}.get(row, model.queries),
        column_labels=model.keys if has_keys else None,
        role=ROLE_OF[name],
        scale="sequential" if name == "weights" else "diverging",
        masked=hidden_in(model, name),
        picked=picked,
        marked=marked,
        edited=model.edited_in(name),
        refused=_refusal(state, name),
        on_pick=None if is_only_shown else partial(pick, state, name),
        on_edit=None if is_only_shown else _editor(state, model, name),
        leads_away=name in EDITABLE[model.source] and stage_of(name) != stage_of(state["stage"]),
        footer=[significant(total) for total in values.sum(axis=1)] if name == "weights" else None,
    )


def table_part(state: State, model: Model, cell: Cell) -> Part:
    """Describe the embedding table, one row for each different token by its id, with the row a cell is fetched from."""
    language, numbers = state.language, ids(model.queries)
    first = [numbers.index(number) for number in range(len(set(numbers)))]
    values = model.trace.embedding[first].numpy()
    labels = [words.ID_ROW.say(language, id=number, token=model.queries[n]) for number, n in enumerate(first)]
    return grid_part(
        values,
        title=f"{words.TABLE_E.say(language)}  {values.shape[0]} × {values.shape[1]}",
        labels=grid_labels(language, "row", "column"),
        row_labels=labels,
        role="x",
        scale="diverging",
        marked=[(numbers[cell.row], cell.column)],
    )


def hidden_in(model: Model, name: str) -> np.ndarray | None:
    """Say which cells of a matrix the mask hides; None where it does not reach."""
    return model.hidden if name in {"masked", "weights"} else None


def _editor(state: State, model: Model, name: str) -> Callable[[int, int, str], None] | None:
    if name not in EDITABLE[model.source]:
        return None
    return lambda row, column, text: edit(state, model, name, row, column, text)


def _refusal(state: State, name: str) -> tuple[int, int, str] | None:
    refused = state.values.get("refused")
    if not refused or refused[:2] != (state["source"], name):
        return None
    _, _, row, column, given = refused
    rule = words.REFUSED_SHORT if number(given) is None else words.TOO_MANY_SHORT
    return row, column, rule.say(state.language, given=given or "∅")


def show_array(
    state: State,
    values: np.ndarray,
    title: str,
    *,
    key: str,
    rows: Sequence[str],
    row: str,
    role: str,
    columns: Sequence[str] | None = None,
    masked: np.ndarray | None = None,
    domain: float | None = None,
    first_row: int = 1,
) -> None:
    """Show numbers that are no stage of the pipeline: their cells can be looked at, not picked."""
    grid(
        key,
        values,
        title=f"{title}  {values.shape[0]} × {values.shape[1]}",
        labels=replace(
            grid_labels(state.language, row, "column" if columns is None else "key"),
            value=words.QUANTITIES[role].say(state.language),
        ),
        row_labels=rows,
        column_labels=columns,
        role=role,
        scale="sequential" if role == "weights" else "diverging",
        domain=domain,
        masked=masked,
        first_row=first_row,
    )


def title_of(name: str, shape: tuple[int, ...], language: Language) -> str:
    """Name a matrix with its shape."""
    text = words.PARAMETERS if name in PLAIN else words.NAMES[name]
    return f"{text.say(language)}  {shape[0]} × {shape[1]}"


def stage_of(name: str) -> str:
    """Name the stage on which a matrix is shown."""
    return STAGE_SHOWING.get(name, name)
