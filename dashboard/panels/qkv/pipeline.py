"""The pipeline as a strip of stages; a picked cell's arithmetic down to the inputs."""

import streamlit as st

from attention_core.explain import Cell, Given, Masking
from dashboard import controls
from dashboard.controls import State
from dashboard.frame import code_span, reproduce
from dashboard.link import number
from dashboard.number_format import significant
from dashboard.panels.qkv import explanation as arithmetic
from dashboard.panels.qkv.fields import EDITABLE
from dashboard.panels.qkv.matrices import edit, pick, show_matrix, stage_of
from dashboard.panels.qkv.model import Model, build
from dashboard.panels.qkv.script import script_of
from dashboard.panels.qkv.settings import offer_to_restore, say_source
from dashboard.roles import hue
from dashboard.text import qkv as words


def pipeline(state: State) -> None:
    """Show the strip, the chosen stage, its inputs and the picked cell.

    The picture is sent first, so that it is repainted first; the containers keep the order on the page.
    """
    model = build(state)
    name, row, column = picked_cell(state, model)
    stage = stage_of(name)
    cell = Cell(name, row, column, float(model.matrix(name)[row, column]))
    made = arithmetic.explain_shown(model, name, row, column)
    above = st.container()
    left, right = st.columns([3, 2], gap="small")
    with left:
        show_matrix(state, model, stage, key="grid.result", picked=(row, column) if stage == name else None)
    with above:
        choose_stage(state, model, stage)
    with right:
        st.markdown(reading(state, model, stage, row))
        explain_cell(state, model, cell, made)
    show_inputs(state, model, stage, cell, made)
    reproduce(lambda: script_of(state, model), "qkv", state.language)


def show_inputs(state: State, model: Model, stage: str, cell: Cell, made: arithmetic.Explanation) -> None:
    """Show the matrices a stage is made from, with the cells that the picked one uses."""
    marked: dict[str, list[tuple[int, int]]] = {}
    for source in made.sources:
        marked.setdefault(source.name, []).append((source.row, source.column))
    inputs = model.inputs_of(stage)
    if not inputs:
        return
    st.caption(words.INPUTS.say(state.language))
    with st.container(horizontal=True, gap="medium"):
        for place, source in enumerate(inputs):
            show_matrix(
                state,
                model,
                source,
                key=f"grid.input.{place}",
                picked=(cell.row, cell.column) if source == cell.name else None,
                marked=marked.get(source, ()),
                width="content",
            )


def picked_cell(state: State, model: Model) -> tuple[str, int, int]:
    """Find the picked cell, moved to the nearest one that the present source and shapes have."""
    name = state["stage"]
    if model.matrix(name) is None or (name == "masked" and "masked" not in model.stages):
        name = "weights"
    rows, columns = model.matrix(name).shape
    row, column = state["cell"]
    state.values["stage"] = name
    state.values["cell"] = (min(row, rows - 1), min(column, columns - 1))
    return name, *state.values["cell"]


def choose_stage(state: State, model: Model, stage: str) -> None:
    """Offer the stages this source has, each with its shape."""
    language = state.language
    theme = controls.theme()
    stages = [
        controls.Stage(
            id=name,
            name=words.STRIP[name].say(language),
            shape=shape_of(model, name),
            title=words.NAMES[name].say(language),
            hue=hue(name, theme),
        )
        for name in model.stages
    ]
    controls.strip(state, "stage", stage, words.STAGE, stages, note=say_source(state, model))
    offer_to_restore(state, model)


def shape_of(model: Model, name: str) -> str:
    """Write a matrix's shape."""
    rows, columns = model.matrix(name).shape
    return f"{rows} × {columns}"


def reading(state: State, model: Model, stage: str, row: int) -> str:
    """Say what stands on the screen now, with its numbers."""
    language = state.language
    trace = model.trace
    if model.source == "e3" and stage == "scaled":
        return words.E3_READING.say(language)
    matrix = model.matrix(stage)
    n, width = matrix.shape
    row = min(row, n - 1)
    fields = {"n": n, "width": width, "row": row + 1, "token": code_span(model.queries[row])}
    if stage in {"embedding", "position"}:
        fields |= {
            "unique": len(set(model.queries)),
            "kind": words.POSITION_NAMES[state["positions"]].say(language),
        }
    elif stage in {"scores", "scaled", "weights"}:
        best = int(matrix[row].argmax())
        fields |= {"best": code_span(model.keys[best]), "value": significant(float(matrix[row, best]))}
    if stage == "scaled":
        fields |= {"d_k": trace.q.shape[1], "root": significant(1 / trace.scale)}
    elif stage == "masked":
        fields |= {"pairs": trace.allowed.numel(), "hidden": int((~trace.allowed).sum())}
    elif stage == "out":
        best = int(trace.weights[row].argmax())
        fields |= {
            "n": len(model.keys),
            "best": code_span(model.keys[best]),
            "value": significant(float(trace.weights[row, best])),
        }
    elif stage in {"k", "v"}:
        fields["token"] = code_span(model.keys[row])
    return words.READINGS[stage].say(language, **fields)


def explain_cell(state: State, model: Model, cell: Cell, made: arithmetic.Explanation) -> None:
    """Write a cell's arithmetic: formula, numbers, where it can be changed, terms, and the way down."""
    language, theme = state.language, controls.theme()
    if made.sources:
        st.latex(arithmetic.formula(model, cell.name, theme))
    show_lines(state, "lines.cell", words.ARITHMETIC.say(language), [made])
    if isinstance(made, Given):
        st.markdown(say_given(state, model, cell))
    if isinstance(made, Masking) and not made.is_allowed:
        st.markdown(words.MASKED_CELL.say(language, query=made.cell.row + 1, key=made.cell.column + 1))
    if cell.name in EDITABLE[model.source]:
        edit_cell(state, model, cell)
    if made.sources:
        with controls.disclosure(words.STEPS.say(language), "open.steps") as is_open:
            if is_open:
                show_steps(state, model, cell, made)


def show_steps(state: State, model: Model, cell: Cell, made: arithmetic.Explanation) -> None:
    """List every term of a cell, then follow it down to the inputs."""
    terms = arithmetic.terms_table(made, model)
    if terms:
        st.markdown(terms)
    st.markdown(words.TRAIL.say(state.language))
    show_lines(state, "lines.trail", words.TRAIL.say(state.language), arithmetic.trail(model, cell))


def show_lines(state: State, key: str, label: str, steps: list[arithmetic.Explanation]) -> None:
    """Write explanations in numbers; a pick on a number opens the cell in which it stands."""
    shown = [arithmetic.line_of(step, controls.theme()) for step in steps]

    def open_cell(line: int, place: int) -> None:
        nth = sum(piece.cell is not None for piece in shown[line][:place])
        cell = arithmetic.cells_of(steps[line])[nth]
        pick(state, cell.name, cell.row, cell.column)

    controls.lines(key, label, shown, open_cell)


def say_given(state: State, model: Model, cell: Cell) -> str:
    """Say where a number comes from that nothing made."""
    language = state.language
    if (cell.row, cell.column) in model.edited_in(cell.name):
        return words.GIVEN_EDITED.say(language)
    if model.source != "own":
        return words.GIVEN_HAND.say(language)
    if cell.name == "position":
        kind = words.POSITION_NAMES[state["positions"]].say(language)
        return words.GIVEN_POSITION.say(language, kind=kind, row=cell.row + 1)
    return words.GIVEN_RANDOM.say(language, seed=state["seed"])


def edit_cell(state: State, model: Model, cell: Cell) -> None:
    """Let the reader type another number for an input; what is refused stays in the box."""
    language = state.language
    shown = f"`{arithmetic.name_of(cell)}`"
    refused = state.values.get("refused")
    is_refused = refused is not None and refused[1:4] == (cell.name, cell.row, cell.column)
    typed = refused[4] if is_refused else significant(cell.value).replace("\N{MINUS SIGN}", "-")
    controls.free_text(
        f"edit.{cell.name}.{cell.row}.{cell.column}",
        words.NEW_VALUE.say(language, cell=shown),
        typed,
        lambda text: edit(state, model, cell.name, cell.row, cell.column, text),
        help_text=words.NEW_VALUE_HELP.say(language),
    )
    if is_refused:
        rule = words.NOT_A_NUMBER if number(refused[4]) is None else words.TOO_MANY_EDITS
        st.error(rule.say(language, given=code_span(refused[4]), cell=shown, value=significant(cell.value)))
    if (cell.row, cell.column) in model.edited_in(cell.name):
        controls.button(words.RESTORE_CELL.say(language), "restore.cell", restore, state, model, cell)


def restore(state: State, model: Model, cell: Cell | None) -> None:
    """Give one cell, or all of this source, its first number back."""
    field = f"edit_{model.source}"
    state.values.pop("refused", None)
    gone = None if cell is None else (cell.name, cell.row, cell.column)
    state.put(field, {} if gone is None else {at: value for at, value in state[field].items() if at != gone})
