"""Up to four masks side by side on the same scores: what each hides and what that changes (M1, M2)."""

from dataclasses import replace
from functools import partial

import numpy as np
import streamlit as st

from attention_core.batch import draw_batch
from attention_core.experiments.mask_columns import (
    PRESETS,
    Column,
    Kind,
    attend_as,
    build_mask,
    compute_column,
    difference,
    weigh_hidden,
)
from attention_core.masks import causal, padding
from attention_core.steps import scaled_dot_product_attention
from dashboard import controls
from dashboard.controls import State
from dashboard.frame import source
from dashboard.grid import as_bits, compact, grid_part
from dashboard.grid.bench import Area, Part, show_bench
from dashboard.grid.lines import Line, lines_part, prose, word
from dashboard.grid.picture import half_width
from dashboard.link import shorten
from dashboard.number_format import significant
from dashboard.number_table import grid_labels, table_part
from dashboard.panels.masks.compare_model import FLAGS, Compared, compared, offered, target_of
from dashboard.panels.masks.compare_said import question_parts, readings
from dashboard.panels.masks.model import sentences_of
from dashboard.panels.sentence import sentence
from dashboard.text import Language
from dashboard.text import mask_compare as words

Parts = dict[str, tuple[Area, Part]]

ROLES = {
    "allowed": "mask",
    "scaled": "scores",
    "masked": "scores",
    "weights": "weights",
    "out": "out",
    "difference": "difference",
    "difference_out": "difference",
}
RAN = [
    draw_batch,
    compute_column,
    build_mask,
    attend_as,
    difference,
    weigh_hidden,
    causal,
    padding,
    scaled_dot_product_attention,
]


def compare(state: State) -> None:
    """Ask where the attention stands and which masks to show; what follows the steps runs alone."""
    controls.choose(state, "compare_role", words.ROLE, words.ROLE_HELP, words.ROLES)
    if state["compare_role"] == "cross" and not sentence(state, "compare_target", words.TARGET):
        return
    with st.container(horizontal=True):
        for kind in offered(state):
            controls.toggle(state, FLAGS[kind], words.KINDS[kind], words.COLUMN_HELP)
        names = {kind: words.KINDS[kind] for kind in offered(state)}
        labels = words.WITH, words.WITH_HELP, names
        with controls.running_alone(state, side_by_side):
            controls.choose(state, "compare_with", *labels, standard="none", in_sidebar=True, width=180)
    if not any(state[FLAGS[kind]] for kind in offered(state)):
        say_no_column(state)
    with controls.running_alone(state, side_by_side):
        controls.choose(state, "compare_stage", words.STAGE, words.STAGE_HELP, words.STAGES)
    side_by_side(state)
    source(RAN, state.language)


def say_no_column(state: State) -> None:
    """Say why a column is shown though every switch is off, and offer all."""
    language = state.language
    st.info(words.NO_COLUMN.say(language, role=words.ROLES[state["compare_role"]].say(language)))
    controls.button(words.SHOW_ALL.say(language), "compare.all", state.reset, tuple(FLAGS.values()))


@controls.fragment
def side_by_side(state: State) -> bool:
    """Show one step of one sentence in every column, the numbers, what they say, and the question."""
    count, control = len(sentences_of(state)), st.container()  # filled last: see controls.fragment
    state.narrow("compare_sentence", count)
    now = compared(state, state["compare_sentence"] - 1)
    shown = shown_columns(state, now)
    parts = column_parts(state, now, shown) | {
        "address": ("top", controls.address_part(state)),
        "note": ("top", note_part(state, now)),
        "numbers": ("below", numbers_part(state, now, shown)),
    }
    said = [Line(prose(text), "prose") for text in readings(state, now, shown)]
    parts["said"] = ("end", lines_part(words.SAID.say(state.language), said))
    show_bench("bench.compare", parts | question_parts(state, now))
    labels, narrowed = (
        (words.SENTENCE, words.SENTENCE_HELP),
        {"highest": count, "moved": words.SENTENCE_MOVED},
    )
    with control:
        controls.slider(state, "compare_sentence", *labels, **narrowed, width=270)
    return True


def shown_columns(state: State, now: Compared) -> list[Column]:
    """Give the columns whose switch is on, or the one that the role needs where none is."""
    shown = [column for kind, column in now.columns.items() if state[FLAGS[kind]]]
    return shown or [now.columns[PRESETS[state["compare_role"]]]]


def reference(state: State, now: Compared) -> Kind:
    """Name the column that differences are taken from."""
    return state["compare_with"] if state["compare_with"] in now.columns else "none"


def note_part(state: State, now: Compared) -> Part:
    """Say where the numbers come from, and what the present step is."""
    language, stage = state.language, state["compare_stage"]
    counts = {"place": now.place + 1, "count": now.count, "real": now.real_keys, "filler": now.filler}
    text = word(shorten(" ".join(now.keys[: now.real_keys])))
    note = words.NOTE.say(language, seed=state["seed"], sentence=text, **counts)
    if target_of(state) is not None:
        note = f"{note} · {words.NOTE_CROSS.say(language, queries=len(now.queries))}"
    if now.padded_queries:
        note = f"{note} · {words.NOTE_FILLER_ROWS.say(language)}"
    other = words.KINDS[reference(state, now)].say(language)
    meaning = words.STAGE_MEANINGS[stage].say(language, other=other)
    title = words.STAGES[stage].say(language)
    return lines_part(title, [Line(prose(note), "note"), Line(prose(meaning), "prose")])


def matrix_of(column: Column, stage: str, now: Compared, other: Kind) -> np.ndarray:
    """Give the numbers of one step of one column."""
    if stage == "allowed":
        return column.allowed[0].double().numpy()
    if stage == "scaled":
        # Where nothing is masked, masked scores are the scaled ones.
        return now.columns["none"].masked[0].numpy()
    if stage in {"difference", "difference_out"}:
        found = now.apart(other, column.kind)
        return (found.weights if stage == "difference" else found.out)[0].numpy()
    return getattr(column, stage)[0].numpy()


def column_parts(state: State, now: Compared, shown: list[Column]) -> Parts:
    """Describe the present step of each column, all in one scale."""
    stage, other = state["compare_stage"], reference(state, now)
    matrices = [matrix_of(column, stage, now, other) for column in shown]
    reach = None if stage in {"allowed", "weights"} else half_width(np.stack(matrices))
    describe = partial(column_part, state, now, reach=reach)
    narrow = as_bits if stage == "allowed" else compact
    return {
        f"column.{column.kind}": ("below", narrow(describe(column, matrix)))
        for column, matrix in zip(shown, matrices, strict=True)
    }


def column_part(
    state: State, now: Compared, column: Column, matrix: np.ndarray, *, reach: float | None
) -> Part:
    """Describe one step of one column; the rows of queries that are filler are dashed."""
    language, stage = state.language, state["compare_stage"]
    is_of_keys = stage not in {"out", "difference_out"}
    is_masked = stage in {"allowed", "masked", "weights"}
    allowed = column.allowed[0].numpy()
    labels = replace(
        grid_labels(language, "query", "key" if is_of_keys else "column"),
        value=words.QUANTITIES[stage].say(language),
        quiet=words.FILLER_ROW.say(language),
    )
    return grid_part(
        matrix,
        title=title_of(state, column),
        labels=labels,
        row_labels=now.queries,
        column_labels=now.keys if is_of_keys else None,
        role=ROLES[stage],
        scale="diverging" if reach else "sequential",
        domain=reach,
        masked=~allowed if is_masked else None,
        quiet_rows=np.flatnonzero(column.is_padded[0].numpy()).tolist(),
        footer=[significant(total) for total in column.row_sums[0].tolist()] if stage == "weights" else None,
    )


def title_of(state: State, column: Column) -> str:
    """Say over a column which mask it has, and what that does on the whole."""
    is_needed = column.kind == PRESETS[state["compare_role"]]
    return words.GRID_TITLE.say(
        state.language,
        mark="✓ " if is_needed else "",
        kind=words.KINDS[column.kind].say(state.language),
        pairs=column.n_pairs,
        all=column.allowed.numel(),
    )


def numbers_part(state: State, now: Compared, shown: list[Column]) -> Part:
    """Describe the table with a row for each column."""
    language: Language = state.language
    other = reference(state, now)
    values = []
    for column in shown:
        apart = now.apart(other, column.kind)
        values.append(
            [
                column.mean_entropy,
                column.mean_largest_weight,
                now.on_hidden(column.kind, "padding").mean,
                apart.largest_weight,
                apart.largest_out,
            ]
        )
    return table_part(
        [[float("nan") if value is None else value for value in row] for row in values],
        words.TABLE.say(language, other=words.KINDS[other].say(language)),
        language,
        rows=[words.KINDS[column.kind].say(language) for column in shown],
        columns=[text.say(language) for text in words.TABLE_COLUMNS],
        verdicts=[
            words.PAIRS_CELL.say(language, all=column.n_pairs, real=column.n_real_pairs) for column in shown
        ],
        verdict=words.PAIRS.say(language),
    )
