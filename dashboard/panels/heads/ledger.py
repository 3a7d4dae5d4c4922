"""The shape ledger: every step of one attention layer as it ran, its totals, and where illegal sizes break (H1, H2)."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from urllib.parse import urlencode

import streamlit as st
import torch

from attention_core.handout import write_ledger_csv, write_ledger_markdown
from attention_core.kv_sharing import cache_bytes, cache_token_bytes
from attention_core.ledger import UNCOUNTED, Ledger, Row, Step, build_ledger, list_steps
from attention_core.multi_head import MultiHeadAttention, cut_width, join_width, turn_heads
from attention_core.sizes import find_faults
from dashboard import controls
from dashboard.controls import State
from dashboard.frame import source
from dashboard.grid import by_rows, compact, grid_part
from dashboard.grid.bench import Area, Part, show_bench
from dashboard.grid.picture import visible
from dashboard.number_format import BINARY, DECIMAL, NOTHING, in_units
from dashboard.number_table import grid_labels, table_part, with_texts
from dashboard.panels.heads.ledger_said import (
    facts_part,
    note_part,
    picked_part,
    program,
    question_parts,
    said_part,
)
from dashboard.panels.heads.ledger_sizes import (
    Asked,
    ask_sizes,
    fault_title,
    models_of,
    read_asked,
    told_fault,
)
from dashboard.panels.heads.ledger_split import split_parts
from dashboard.panels.heads.shared import put_sizes
from dashboard.text import Language
from dashboard.text import head_ledger as words

Parts = dict[str, tuple[Area, Part]]


def ledger(state: State) -> None:
    """Show the view; below it the functions that ran."""
    ledger_bench(state)
    ran = [build_ledger, MultiHeadAttention, cut_width, turn_heads, join_width, find_faults, cache_bytes]
    source(ran, state.language)


@controls.fragment
def ledger_bench(state: State) -> bool:
    """Ask for sizes; show every step of a layer of these, what they come to, and a handout."""
    asked = read_asked(state)
    ask_sizes(state, asked)
    made = None if asked.faults else build_ledger(asked.sizes)
    steps = list_steps(asked.sizes)
    row = picked_place(state, steps)
    parts: Parts = {
        "address": ("top", controls.address_part(state)),
        "note": ("top", note_part(asked, made, state.language)),
        "picked": (
            "top",
            picked_part(made, steps[row], row, state.language, partial(follow, state, asked)),
        ),
        "ledger": ("below", ledger_part(state, asked, made, steps, row)),
    }
    if made is not None:
        parts["facts"] = ("below", facts_part(state.language))
        parts |= split_parts(state.language)
        parts["totals"] = ("below", totals_part(made, state["ledger_layers"], state.language))
        parts["said"] = ("end", said_part(made, state["ledger_layers"], state.language))
    show_bench("bench.ledger", parts | question_parts(asked, made, state.language))
    if made is not None:
        offer_handouts(state, asked, made)
        st.caption(words.CODE.say(state.language))
        st.code(program(made.sizes), language="python")
    return True


def picked_place(state: State, steps: Sequence[Step]) -> int:
    """Give the row that is explained; where heads are not repeated, the one that is read in its place."""
    names = [step.name for step in steps]
    name = state["ledger_row"]
    return names.index(name if name in names else name.replace("_repeated", "_heads"))


def ledger_part(state: State, asked: Asked, made: Ledger | None, steps: Sequence[Step], picked: int) -> Part:
    """Describe the table: a row a step. Where sizes are illegal, rows from the break on have no shape."""
    language, columns, broken_at = state.language, len(words.COLUMNS), asked.broken_at
    has_shape = [broken_at is None or place < broken_at for place in range(len(steps))]
    rows = [None] * len(steps) if made is None else made.rows
    texts, exact = (
        [cells(step, row, language, write) for step, row in zip(steps, rows, strict=True)]
        for write in (separated, str)
    )
    labels = replace(
        grid_labels(language, "row", "column"),
        keys=words.PICK_KEYS.say(language),
        masked=words.NO_SHAPE.say(language),
        dead_row=words.NO_SHAPE.say(language),
    )
    part = grid_part(
        [[0.0] * columns for _ in steps],
        title=title_of(state, asked),
        labels=labels,
        row_labels=[
            words.ROW.say(language, symbol=step.symbol, name=words.STEPS[step.name].say(language))
            for step in steps
        ],
        column_labels=[text.say(language) for text in words.COLUMNS.values()],
        masked=[[not holds] * columns for holds in has_shape],
        picked=(picked, 0),
        refused=None if broken_at is None else (broken_at, 1, told_break(state, asked)),
        on_pick=partial(pick, state, steps),
    )
    return by_rows(compact(with_texts(part, texts, exact)))


def pick(state: State, steps: Sequence[Step], row: int, _column: int) -> None:
    """Explain another row."""
    state.put("ledger_row", steps[row].name)


def follow(state: State, asked: Asked, view: str) -> None:
    """Go on to another view; shared heads are shown at the sizes of the ledger where they can be."""
    if view == "shared" and not asked.faults and asked.sizes.n_heads <= state.fields["shared_h"].highest:
        put_sizes(state, asked.sizes, state["ledger_layers"])
    state.put("view", view)


def told_break(state: State, asked: Asked) -> str:
    """Say under the table why the row breaks."""
    names = [step.name for step in list_steps(asked.sizes)]
    first = min(asked.faults, key=lambda fault: names.index(fault.row))
    return told_fault(state, asked, first, visible)


def separated(count: int) -> str:
    """Write a count with the separators of its thousands.

    Example:
        >>> separated(13920)
        '13,920'
    """
    return f"{count:,}"


def cells(step: Step, row: Row | None, language: Language, write: Callable[[int], str]) -> list[str]:
    """Write what one row says; symbols alone where nothing ran."""
    axes = f"[{', '.join(step.axes)}]"
    if row is None:
        return [axes, *[NOTHING] * (len(words.COLUMNS) - 1)]
    contiguous = (words.YES if row.is_contiguous else words.NO).say(language)
    counts = [write(count) for count in (row.elements, row.bytes, row.parameters, row.flops)]
    if step.name in UNCOUNTED:
        counts[-1] = words.NOT_COUNTED.say(language)
    return [axes, str(list(row.shape)), str(list(row.strides)), contiguous, *counts]


def title_of(state: State, asked: Asked) -> str:
    """Say over the table whose attention this is, or where it breaks."""
    if asked.faults:
        return fault_title(asked, state.language)
    names = [
        words.PRESETS[name].say(state.language) for name in models_of(asked.sizes, state["ledger_layers"])
    ]
    if not names:
        return words.TABLE.say(state.language)
    return words.TABLE_PRESET.say(state.language, preset=words.OR.say(state.language).join(names))


def totals_of(made: Ledger, n_layers: int) -> dict[str, int]:
    """Add up what so many layers come to."""
    return {
        "parameters": n_layers * made.parameters,
        "parameter_bytes": n_layers * made.parameter_bytes,
        "activation_bytes": n_layers * made.activation_bytes,
        "flops": n_layers * made.flops,
        "cache_token": cache_token_bytes(made, n_layers),
        "cache": cache_bytes(made, n_layers),
    }


def totals_part(made: Ledger, n_layers: int, language: Language) -> Part:
    """Describe the totals of one layer and, where there are several, of all."""
    layers = sorted({1, n_layers})
    totals = [totals_of(made, count) for count in layers]
    rows = [[one[name] for one in totals] for name in words.TOTAL_ROWS]
    heads = [(words.ONE_LAYER if one == 1 else words.ALL_LAYERS) for one in layers]
    part = table_part(
        rows,
        words.TOTALS.say(language),
        language,
        rows=[text.say(language) for text in words.TOTAL_ROWS.values()],
        columns=[
            head.say(language, **({"layers": count} if count > 1 else {}))
            for head, count in zip(heads, layers, strict=True)
        ],
        verdicts=[
            in_units(row[-1], DECIMAL if name in {"parameters", "flops"} else BINARY)
            for name, row in zip(words.TOTAL_ROWS, rows, strict=True)
        ],
        verdict=words.READABLE.say(language),
    )
    texts, exact = ([[write(one) for one in row] for row in rows] for write in (separated, str))
    return compact(with_texts(part, texts, exact))


def offer_handouts(state: State, asked: Asked, made: Ledger) -> None:
    """Offer the ledger as files; they are written when they are asked for."""
    language, title = state.language, title_of(state, asked)
    notes, link = handout_notes(made, language), address_of(state)
    with st.container(horizontal=True, gap="small"):
        for label, write, kind in (
            (words.CSV, partial(csv_file, made, language, [title, *notes], link), "csv"),
            (words.MARKDOWN, partial(markdown_file, made, language, title, notes, link), "markdown"),
        ):
            st.download_button(
                label.say(language),
                write,
                file_name=f"shape-ledger.{'md' if kind == 'markdown' else kind}",
                mime=f"text/{kind}",
                key=f"ledger.{kind}",
                on_click="ignore",
            )


def handout_notes(made: Ledger, language: Language) -> list[str]:
    """Say under a handout whose numbers these are and how they are counted."""
    sizes = made.sizes
    fields = {
        name: getattr(sizes, name) for name in ("batch", "n", "d_model", "n_heads", "kv_heads", "dtype")
    }
    bias = (words.YES if sizes.use_bias else words.NO).say(language)
    told = words.HANDOUT_SIZES.say(language, **fields, d_k=made.d_k, bias=bias, version=torch.__version__)
    return [told, words.HANDOUT_BYTES.say(language), words.NOTE_STRIDES.say(language)]


def address_of(state: State) -> str:
    """Give the address at which these sizes open again."""
    page = (st.context.url or "").partition("?")[0]
    return f"{page}?{urlencode(state.query[0])}"


def handout_words(language: Language) -> dict[str, str]:
    """Give the reader's words for columns and steps."""
    said = {**words.STEPS, **words.HANDOUT_COLUMNS}
    return {name: text.say(language) for name, text in said.items()}


def csv_file(made: Ledger, language: Language, notes: Sequence[str], link: str) -> bytes:
    """Write the table for a spreadsheet, with the mark by which Excel knows UTF-8."""
    return write_ledger_csv(made, handout_words(language), notes, link).encode("utf-8-sig")


def markdown_file(made: Ledger, language: Language, title: str, notes: Sequence[str], link: str) -> bytes:
    """Write the table for a text."""
    return write_ledger_markdown(made, handout_words(language), title, notes, link).encode()
