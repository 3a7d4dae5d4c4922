"""The pipeline as a strip of stages; a picked cell's arithmetic down to the inputs."""

from collections.abc import Callable
from functools import partial

import streamlit as st

from attention_core.explain import Cell, Given, Masking, Softmax
from attention_core.tokens import ids
from dashboard import controls
from dashboard.controls import State
from dashboard.frame import asked_parts, code_span
from dashboard.grid.bench import Area, Part, show_bench
from dashboard.grid.lines import Line, Piece, lines_part, prose, word
from dashboard.grid.strip import Stage, strip_part
from dashboard.link import number
from dashboard.number_format import significant
from dashboard.panels.qkv import explanation as arithmetic
from dashboard.panels.qkv.fields import EDITABLE
from dashboard.panels.qkv.matrices import edit, matrix_part, pick, stage_of, table_part
from dashboard.panels.qkv.model import Model, build
from dashboard.panels.qkv.settings import offer_to_restore, say_source
from dashboard.roles import hue
from dashboard.text import qkv as words

# What the strip puts between a stage and the one before it.
OPEN_STEPS = "open.steps"
ABOUT_WEIGHTS = frozenset({"scores", "scaled", "masked", "weights", "out"})
JOINTS = {"position": "+", "x": "=", "k": ",", "v": ","}


def pipeline(state: State) -> bool:
    """Show the strip, the chosen stage, its inputs and the picked cell."""
    model = build(state)
    name, row, column = picked_cell(state, model)
    stage = stage_of(name)
    cell = Cell(name, row, column, float(model.matrix(name)[row, column]))
    made = arithmetic.explain_shown(model, name, row, column)
    parts: dict[str, tuple[Area, Part]] = {
        "strip": ("top", stages_part(state, model, stage)),
        "result": ("left", matrix_part(state, model, stage, picked=(row, column) if stage == name else None)),
        "cell": ("right", cell_part(state, model, stage, cell, made)),
        **inputs_parts(state, model, stage, cell, made),
        "address": ("top", controls.address_part(state)),
    }
    if made.sources:
        parts["steps"] = ("right", steps_part(state, model, cell, made))
    if stage in ABOUT_WEIGHTS:
        parts |= question_parts(state, model, cell.row)
    show_bench("bench", parts)
    offer_to_restore(state, model)
    if stage == "embedding":
        st.caption(words.RULE.say(state.language))
    if model.source == "own" and words.IT_WORDS & set(model.queries):
        st.caption(words.IT_NOTE.say(state.language))
    if cell.name in EDITABLE[model.source]:
        edit_cell(state, model, cell)
    return True


def inputs_parts(
    state: State, model: Model, stage: str, cell: Cell, made: arithmetic.Explanation
) -> dict[str, tuple[Area, Part]]:
    """Describe the matrices a stage is made from, with the cells that the picked one uses."""
    marked: dict[str, list[tuple[int, int]]] = {}
    for source in made.sources:
        marked.setdefault(source.name, []).append((source.row, source.column))
    if stage == "embedding":
        return {"input.table": ("below", table_part(state, model, cell))}
    return {
        f"input.{source}": (
            "below",
            matrix_part(
                state,
                model,
                source,
                picked=(cell.row, cell.column) if source == cell.name else None,
                marked=marked.get(source, ()),
            ),
        )
        for source in model.inputs_of(stage)
    }


def picked_cell(state: State, model: Model) -> tuple[str, int, int]:
    """Find the picked cell, moved to the nearest one that the present source and shapes have."""
    name, language = state["stage"], state.language
    if model.matrix(name) is None or (name == "masked" and "masked" not in model.stages):
        given, name = words.NAMES[name].say(language), "weights"
        st.caption(words.STAGE_MOVED.say(language, given=given, used=words.NAMES[name].say(language)))
    rows, columns = model.matrix(name).shape
    row, column = state["cell"]
    is_asked_for = state["cell"] != state.fields["cell"].default
    if is_asked_for and (row >= rows or column >= columns):
        st.caption(words.CELL_MOVED.say(language, row=row + 1, column=column + 1))
    state.values["stage"] = name
    state.values["cell"] = (min(row, rows - 1), min(column, columns - 1))
    return name, *state.values["cell"]


def stages_part(state: State, model: Model, stage: str) -> Part:
    """Describe the stages this source has, each with its shape."""
    language, theme = state.language, controls.theme()
    stages = [
        Stage(
            id=name,
            name=words.STRIP[name].say(language),
            shape=shape_of(model, name),
            title=words.NAMES[name].say(language),
            hue=hue(name, theme),
            joint="," if name == "scaled" and model.trace.scores is None else JOINTS.get(name, "→"),
        )
        for name in model.stages
    ]
    label, note = words.STAGE.say(language), say_source(state, model)
    return strip_part(label, stages, stage, lambda chosen: state.put("stage", chosen), note=note)


def shape_of(model: Model, name: str) -> str:
    """Write a matrix's shape."""
    rows, columns = model.matrix(name).shape
    return f"{rows} × {columns}"


def reading(state: State, model: Model, stage: str, cell: Cell) -> str:
    """Say what stands on the screen now, with its numbers."""
    language = state.language
    matrix = model.matrix(cell.name)
    rows, width = matrix.shape
    if cell.name != stage:
        return words.W_READING.say(
            language, name=words.NAMES[cell.name].say(language), rows=rows, width=width
        )
    if model.source == "e3" and stage == "scaled":
        return words.E3_READING.say(language)
    owners = model.keys if stage in {"k", "v"} else model.queries
    token = f"{cell.row + 1} {owners[cell.row]}" if stage in ABOUT_WEIGHTS else owners[cell.row]
    fields = {
        "n": rows,
        "width": width,
        "row": cell.row + 1,
        "token": word(token),
    }
    is_given = stage in words.GIVEN_READINGS and not arithmetic.explain_shown(model, stage, 0, 0).sources
    readings = words.GIVEN_READINGS if is_given and model.source != "own" else words.READINGS
    return readings[stage].say(language, **fields | fields_of(state, model, stage, cell.row))


def fields_of(state: State, model: Model, stage: str, row: int) -> dict[str, object]:
    """Give what the sentence about a stage says beyond its shape."""
    trace = model.trace
    if stage in {"embedding", "position"}:
        return {
            "unique": len(set(model.queries)),
            "ids": ", ".join(map(str, ids(model.queries))),
            "kind": words.POSITION_NAMES[state["positions"]].say(state.language),
        }
    if stage == "masked":
        return {"pairs": trace.allowed.numel(), "hidden": int((~trace.allowed).sum())}
    if stage not in {"scores", "scaled", "weights", "out"}:
        return {}
    read = trace.weights[row] if stage == "out" else model.matrix(stage)[row]
    best = [m for m, value in enumerate(read.tolist()) if value == float(read.max())]
    said: dict[str, object] = {
        "best": words.AND.say(state.language).join(word(f"{m + 1} {model.keys[m]}") for m in best),
        "value": significant(float(read.max())),
    }
    if stage == "weights":
        said["sum"] = significant(float(read.sum()))
    if stage == "scaled":
        said |= {"d_k": trace.q.shape[1], "root": significant(1 / trace.scale)}
    if stage == "out":
        said["n"] = len(model.keys) if trace.allowed is None else int(trace.allowed[row].sum())
    return said


def cell_part(state: State, model: Model, stage: str, cell: Cell, made: arithmetic.Explanation) -> Part:
    """Describe what stands on the screen now, and the picked cell's arithmetic as formula and as numbers."""
    language, theme = state.language, controls.theme()
    lines = [
        Line(prose(reading(state, model, stage, cell)), "prose"),
        Line([Piece(words.ARITHMETIC.say(language))], "heading"),
    ]
    steps: dict[int, arithmetic.Explanation] = {len(lines): made}
    lines.append(Line(arithmetic.line_of(made, theme)))
    if made.sources:
        lines.append(Line(arithmetic.formula(model, cell.name, theme)))
    if isinstance(made, Softmax) and made.total:
        note = words.SOFTMAX_NOTE.say(
            language, maximum=significant(made.row_maximum), total=significant(made.total)
        )
        lines.append(Line([Piece(note)], "note"))
    if made.sources:
        lines.append(Line([Piece(words.INPUTS.say(language))], "note"))
    elif isinstance(made, Given):
        lines.append(Line(prose(say_given(state, model, cell)), "note"))
    if isinstance(made, Masking) and not made.is_allowed:
        said = words.MASKED_CELL.say(language, query=cell.row + 1, key=cell.column + 1)
        lines.append(Line([Piece(said)], "note"))
    return lines_part(words.ARITHMETIC.say(language), lines, opener(state, lines, steps))


def opener(
    state: State, lines: list[Line], steps: dict[int, arithmetic.Explanation]
) -> Callable[[int, int], None]:
    """Open the cell behind a number: the line's explanation names the cells in the order they stand there."""

    def open_cell(line: int, place: int) -> None:
        nth = sum(piece.cell is not None for piece in lines[line].pieces[:place])
        cell = arithmetic.cells_of(steps[line])[nth]
        pick(state, cell.name, cell.row, cell.column)

    return open_cell


def steps_part(state: State, model: Model, cell: Cell, made: arithmetic.Explanation) -> Part:
    """Describe every term of a softmax, and the way from a cell down to the inputs."""
    language, theme = state.language, controls.theme()
    label, is_open = words.STEPS.say(language), state.values.get(OPEN_STEPS, False)
    unfold = partial(state.values.__setitem__, OPEN_STEPS)
    if not is_open:
        return lines_part(label, [], is_folded=True, on_unfold=unfold)
    lines = [Line(pieces) for pieces in arithmetic.exponential_lines(made, model, theme)]
    lines.append(Line([Piece(words.TRAIL.say(language))], "heading"))
    steps = dict(enumerate(arithmetic.trail(model, cell), len(lines)))
    lines += [Line(arithmetic.line_of(step, theme)) for step in steps.values()]
    sources = dict(enumerate(made.sources)) if isinstance(made, Softmax) else {}

    def open_cell(line: int, place: int) -> None:
        if line in sources:
            pick(state, sources[line].name, sources[line].row, sources[line].column)
        else:
            opener(state, lines, steps)(line, place)

    return lines_part(label, lines, open_cell, is_folded=True, on_unfold=unfold, is_open=True)


def question_parts(state: State, model: Model, row: int) -> dict[str, tuple[Area, Part]]:
    """Ask where the ratio of a query's largest and smallest weight comes from; nothing where all are equal."""
    language, trace = state.language, model.trace
    n = min(row, len(model.queries) - 1)
    seen = [m for m, weight in enumerate(trace.weights[n].tolist()) if weight > 0]
    if not seen:
        return {}
    best, least = (extreme(seen, key=lambda m: float(trace.weights[n, m])) for extreme in (max, min))
    high, low = (float(trace.masked[n, m]) for m in (best, least))
    if high == low:
        return {}
    ratio = significant(float(trace.weights[n, best] / trace.weights[n, least]))
    question = words.QUESTION_RATIO.say(
        language,
        token=word(f"{n + 1} {model.queries[n]}"),
        best=word(f"{best + 1} {model.keys[best]}"),
        least=word(f"{least + 1} {model.keys[least]}"),
        ratio=ratio,
    )
    answer = words.ANSWER_RATIO.say(
        language,
        high=significant(high),
        low=arithmetic.in_parentheses(low),
        gap=significant(high - low),
        ratio=ratio,
    )
    return asked_parts(question, answer, language)


def say_given(state: State, model: Model, cell: Cell) -> str:
    """Say where a number comes from that nothing made."""
    language = state.language
    if (cell.row, cell.column) in model.edited_in(cell.name):
        return words.GIVEN_EDITED.say(language)
    if model.source != "own":
        return words.GIVEN_HAND.say(language)
    fields = {"seed": state["seed"], "row": cell.row + 1, "column": cell.column + 1}
    if cell.name == "embedding":
        token = model.queries[cell.row]
        return words.GIVEN_EMBEDDING.say(
            language, **fields, id=ids(model.queries)[cell.row], token=word(token)
        )
    if cell.name == "position":
        even, width = cell.column - cell.column % 2, state["d_model"]
        return words.GIVEN_POSITION[state["positions"]].say(
            language,
            **fields,
            function="cos" if cell.column % 2 else "sin",
            place=cell.row,
            even=even,
            width=width,
            angle=significant(cell.row / 10_000 ** (even / width)),
        )
    return words.GIVEN_RANDOM.say(language, seed=state["seed"])


def edit_cell(state: State, model: Model, cell: Cell) -> None:
    """Let the reader type another number for an input; what is refused stays in the box."""
    language = state.language
    shown = f"`{arithmetic.name_of(cell)}`"
    refused = state.values.get("refused")
    is_refused = refused is not None and refused[:4] == (model.source, cell.name, cell.row, cell.column)
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


def restore(state: State, model: Model, cell: Cell) -> None:
    """Give one cell its first number back."""
    field = f"edit_{model.source}"
    state.values.pop("refused", None)
    gone = (cell.name, cell.row, cell.column)
    state.put(field, {at: value for at, value in state[field].items() if at != gone})
