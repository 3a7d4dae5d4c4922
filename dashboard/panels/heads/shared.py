"""Query heads that share heads of keys and values: shapes, cache, and who reads whom (H9)."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import streamlit as st
import torch

from attention_core.experiments.shared_heads import (
    HeadSharing,
    check_sharing,
    compare_sharing,
    find_reads,
    legal_kv_heads,
    longest_context,
)
from attention_core.kv_sharing import cache_bytes, cache_token_bytes
from attention_core.ledger import PRESETS, Preset, build_ledger, list_steps
from attention_core.sizes import DTYPE_NAMES, Fault, SizeName, Sizes, find_faults
from attention_core.steps import repeat_heads
from dashboard import controls
from dashboard.cached import sharings_of
from dashboard.controls import State
from dashboard.frame import asked_parts, source
from dashboard.grid import as_bits, by_rows, compact, grid_part
from dashboard.grid.bench import Area, Part, show_bench
from dashboard.grid.lines import Line, lines_part, prose
from dashboard.number_table import grid_labels, with_texts
from dashboard.panels.heads.ledger_said import joined
from dashboard.panels.heads.legal import offer_choices
from dashboard.panels.heads.shared_said import answer, binary, by_times, question, readings
from dashboard.text import Language
from dashboard.text import head_shared as words
from dashboard.text import heads as lesson_words

OFFERED = {
    "small": Preset(Sizes(batch=1, n=8, d_model=16, n_heads=4, n_kv_heads=2), n_layers=1),
    "gpt2_small": PRESETS["gpt2_small"],
    "llama3_8b": PRESETS["llama3_8b"],
}
FIELDS: dict[SizeName, str] = {
    "d_model": "shared_d_model",
    "n_heads": "shared_h",
    "n_kv_heads": "shared_h_kv",
}
Parts = dict[str, tuple[Area, Part]]
MOST_IN_CELLS = 16
NUMBER_WIDTH, LIST_WIDTH, STOPS_WIDTH = 150, 190, 300
RAN = [
    compare_sharing,
    build_ledger,
    cache_bytes,
    cache_token_bytes,
    find_reads,
    repeat_heads,
    check_sharing,
    longest_context,
]


@controls.fragment
def shared(state: State) -> bool:
    """Ask for the sizes; show every legal number of key/value heads, and who reads whom with one of them."""
    controls_place = st.container()  # filled last: see controls.fragment
    sizes, language = sizes_of(state), state.language
    faults = find_faults(sizes)
    if faults:
        with controls_place:
            ask_sizes(state)
    has_table = not any("d_model" in fault.names for fault in faults)
    for fault in faults:
        say_fault(state, fault, has_table=has_table)
    if not has_table:
        return False
    rows = sharings_of(sizes.d_model, sizes.n_heads, state["shared_layers"], sizes.n, state["shared_dtype"])
    parts: Parts = {
        "address": ("top", controls.address_part(state)),
        "sharings": ("top", sharings_part(state, rows)),
        "note": ("top", note_part(state)),
    }
    chosen = next((row for row in rows if row.n_kv_heads == sizes.kv_heads), None)
    show_bench("bench.shared", parts if chosen is None else parts | parts_of(state, rows, chosen))
    if not faults:
        with controls_place:
            ask_sizes(state)
    if chosen is not None:
        show_code(sizes, language)
        source(RAN, language)
    return True


def parts_of(state: State, rows: Sequence[HeadSharing], chosen: HeadSharing) -> Parts:
    """Describe one number of key/value heads: who reads whom, what is said of it, a question."""
    language, said = state.language, readings(rows, chosen, state)
    parts: Parts = {
        "reads": ("left", reads_part(chosen, language)),
        "said": ("right", lines_part(words.SAID.say(language), [Line(prose(x), "prose") for x in said])),
    }
    return parts | asked_parts(question(rows, chosen, language), answer(rows, chosen, state), language)


def ask_sizes(state: State) -> None:
    """Ask for the layer's sizes, known ones first, and for the number of key/value heads."""
    language = state.language
    with st.container(horizontal=True, gap="small"):
        for name, text in words.PRESET_NAMES.items():
            controls.button(text.say(language), f"shared.{name}", take_preset, state, OFFERED[name])
    with st.container(horizontal=True):
        width = {"width": NUMBER_WIDTH}
        controls.whole_number(state, "shared_d_model", words.D_MODEL, words.D_MODEL_HELP, **width)
        controls.whole_number(state, "shared_h", words.H, words.H_HELP, **width)
        controls.whole_number(state, "shared_n", words.N, words.N_HELP, **width)
        controls.whole_number(state, "shared_layers", words.LAYERS, words.LAYERS_HELP, **width)
        types = words.DTYPE, words.DTYPE_HELP, {name: name for name in DTYPE_NAMES}
        controls.choose(state, "shared_dtype", *types, in_sidebar=True, width=LIST_WIDTH)
        legal = legal_kv_heads(state["shared_h"])
        if {*legal, state["shared_h_kv"]} != {1}:
            labels = words.H_KV, words.H_KV_HELP, legal
            controls.steps(state, "shared_h_kv", *labels, width=STOPS_WIDTH)


def take_preset(state: State, preset: Preset) -> None:
    """Set every size."""
    put_sizes(state, preset.sizes, preset.n_layers)


def put_sizes(state: State, sizes: Sizes, n_layers: int) -> None:
    """Set every size of this view, as an action of the reader."""
    values = {
        "shared_d_model": sizes.d_model,
        "shared_h": sizes.n_heads,
        "shared_h_kv": sizes.kv_heads,
        "shared_n": sizes.n,
        "shared_layers": n_layers,
        "shared_dtype": sizes.dtype,
    }
    for name, value in values.items():
        state.put(name, value)


def sizes_of(state: State) -> Sizes:
    """Give the reader's sizes, legal or not."""
    return Sizes(
        batch=1,
        n=state["shared_n"],
        d_model=state["shared_d_model"],
        n_heads=state["shared_h"],
        n_kv_heads=state["shared_h_kv"],
        dtype=state["shared_dtype"],
    )


def say_fault(state: State, fault: Fault, *, has_table: bool) -> None:
    """Name the rule that two sizes break, and offer the nearest that keep it."""
    language = state.language
    whole, part = fault.values
    if fault.rule == "heads_divide_width":
        text = lesson_words.H_DIVIDES.say(language, d_model=whole, h=part, rest=whole % part)
    elif part > whole:
        text = words.KV_TOO_MANY.say(language, h=whole, kv=part)
    else:
        text = words.KV_DIVIDES.say(language, h=whole, kv=part, rest=whole % part)
    st.error(joined(text, words.NONE_TAKEN.say(language), language) if has_table else text)
    offer_choices(state, fault, FIELDS, f"shared.{fault.rule}")


def sharings_part(state: State, rows: Sequence[HeadSharing]) -> Part:
    """Describe every legal number of key/value heads, one a row; picking a row chooses it."""
    language, fields = state.language, {"n": f"{state['shared_n']:,}"}
    columns = [text.say(language, **(fields if text.fields(language) else {})) for text in words.COLUMNS]
    chosen = [place for place, row in enumerate(rows) if row.n_kv_heads == state["shared_h_kv"]]
    both = [cells(row, language) for row in rows]
    part = grid_part(
        [[0.0] * len(columns) for _ in rows],
        title=words.TABLE.say(language),
        labels=replace(
            grid_labels(language, "row", "column"),
            row=words.KIND.say(language),
            keys=words.PICK_KEYS.say(language),
        ),
        row_labels=[row.kind for row in rows],
        column_labels=columns,
        picked=(chosen[0], 0) if chosen else None,
        on_pick=lambda row, _column: state.put("shared_h_kv", rows[row].n_kv_heads),
    )
    texts, exact = ([one[place] for one in both] for place in (0, 1))
    return by_rows(compact(with_texts(part, texts, exact)))


def cells(row: HeadSharing, language: Language) -> tuple[list[str], list[str]]:
    """Write what one row says: as it stands in cells, and in full."""
    shapes = [str(row.n_kv_heads), by_times(row.shapes["w_q"]), by_times(row.shapes["w_k"])]
    counts, ratio = (row.n_parameters, row.token_bytes), str(row.ratio)
    short = [*(f"{count:,}" for count in counts), binary(row.cache_bytes, language), ratio]
    full = [*map(str, counts), words.BYTES.say(language, n=row.cache_bytes), ratio]
    return shapes + short, shapes + full


def note_part(state: State) -> Part:
    """Say where the numbers come from."""
    fields = {"version": torch.__version__, "layers": state["shared_layers"]}
    note = words.NOTE.say(state.language, **fields)
    return lines_part(words.SAID.say(state.language), [Line(prose(note), "note")], has_own_row=True)


def reads_part(chosen: HeadSharing, language: Language) -> Part:
    """Describe which query head reads which key/value head; of many, in a picture that needs no scrolling."""
    reads = np.zeros((chosen.n_heads, chosen.n_kv_heads))
    reads[np.arange(chosen.n_heads), chosen.reads] = 1
    own = {"row": words.QUERY_HEAD, "column": words.KV_HEAD, "value": words.READ}
    labels = grid_labels(language, "query", "key")
    part = grid_part(
        reads,
        title=words.PICTURE.say(language, kind=chosen.kind),
        labels=replace(labels, **{name: text.say(language) for name, text in own.items()}),
        role="mask",
        scale="sequential",
        has_numbers=chosen.n_heads <= MOST_IN_CELLS,
    )
    return as_bits(part) if chosen.n_heads <= MOST_IN_CELLS else replace(part, offer=None)


def show_code(sizes: Sizes, language: Language) -> None:
    """Show the lines that let heads share, where they do."""
    lines = [step.line for step in list_steps(sizes) if step.name in {"k_repeated", "v_repeated"}]
    if lines:
        st.caption(words.CODE.say(language))
        st.code("\n".join(lines), language="python")
