"""Writing token by token with a cache of keys and values and without: by formula, one step opened, and measured (C5)."""

from collections.abc import Callable
from dataclasses import replace

import pandas as pd
import streamlit as st

from attention_core.cost import Setting, list_terms
from attention_core.decode_cost import Writing, list_places, look_at_step, step_flops, text_cost
from attention_core.experiments.decoding import bytes_of, find_excess, write_in_stretches
from attention_core.kv_cache import KVCache, decode_step
from attention_core.sizes import DTYPE_NAMES, SizeName
from dashboard import controls
from dashboard.charts.costs import cost_lines, cost_table, point_said, spans_widely
from dashboard.controls import State
from dashboard.frame import asked_parts, source, table
from dashboard.grid import by_rows, compact, grid_part
from dashboard.grid.bench import Area, Part, show_bench
from dashboard.grid.lines import Line, lines_part, prose
from dashboard.number_format import significant
from dashboard.number_table import grid_labels, with_texts
from dashboard.panels.complexity.decoding_run import run_or_refuse
from dashboard.panels.complexity.decoding_said import (
    answer,
    cache_part,
    question,
    readings,
    slots_part,
    step_part,
)
from dashboard.panels.complexity.sizes import BOX_WIDTH, LIST_WIDTH, Asked, read_asked, say_faults
from dashboard.text import complexity as lesson_words
from dashboard.text import complexity_decoding as words
from dashboard.text import complexity_measure as measure_words
from dashboard.text import head_ledger as size_words

Parts = dict[str, tuple[Area, Part]]
FIELDS: dict[SizeName, str] = {"n": "decode_n", "d_model": "d_model", "n_heads": "h", "n_kv_heads": "h_kv"}
# Places in the list of looks: blue and orange, as measured times have them.
LOOKS = {"again": 0, "cached": 1}
# So far under the top the name of the rule meets no line.
NAME_HEIGHT = 60
RAN: list[Callable[..., object]] = [
    KVCache,
    decode_step,
    write_in_stretches,
    find_excess,
    look_at_step,
    step_flops,
    text_cost,
    list_terms,
]


@controls.fragment
def decoding(state: State) -> bool:
    """Ask for a text and its cache; show what formulas say, and let the reader measure it."""
    controls_place = st.container()  # filled last: see controls.fragment
    asked = read_asked(state, fields=FIELDS)
    writing = None if asked.faults else writing_of(state, asked)
    if writing is None:
        with controls_place:
            ask(state, asked)
        return False
    language = state.language
    state.narrow("token", writing.setting.n)
    show_lines(state, writing)
    run_or_refuse(state, writing)
    told = [Line(prose(text), "prose") for text in readings(state, writing)]
    parts: Parts = {
        "address": ("top", controls.address_part(state)),
        "note": ("top", note_part(state)),
        "steps": ("below", steps_part(state, writing)),
        **slots_part(writing, state["token"], language),
        "step": ("below", step_part(state, writing)),
        "held": ("end", cache_part(writing, language)),
        "said": ("end", lines_part(lesson_words.SAID.say(language), told)),
    }
    asks = asked_parts(question(writing, language), answer(writing, language), language)
    show_bench("bench.decoding", parts | asks)
    with controls_place:
        ask(state, asked)
    source(RAN, language)
    return True


def writing_of(state: State, asked: Asked) -> Writing | None:
    """Put the text together; None where a rolling cache has no window."""
    if state["cache"] == "rolling" and not state["windowed"]:
        return None
    sizes = asked.sizes
    setting = Setting(
        n=sizes.n,
        d_model=sizes.d_model,
        n_heads=sizes.n_heads,
        n_kv_heads=sizes.n_kv_heads,
        element_bytes=bytes_of(state["dtype"]),
    )
    return Writing(setting, state["width"] if state["windowed"] else None, state["cache"])


def ask(state: State, asked: Asked) -> None:
    """Offer the sizes, the cache and the token; say what is wrong with them."""
    wrong = {name for fault in asked.faults for name in fault.names}
    boxes = size_words.BOXES | {"n": (words.N, words.N_WRONG)}
    helps = lesson_words.BOX_HELPS | {"n": words.N_HELP}
    with st.container(horizontal=True):
        for name in asked.names:
            empty = size_words.AS_MANY if name == "n_kv_heads" else size_words.WHOLE
            label = boxes[name][name in wrong]
            controls.line(state, FIELDS[name], label, helps[name], empty, width=BOX_WIDTH)
        lists = {"in_sidebar": True, "width": LIST_WIDTH}
        controls.choose(state, "cache", words.CACHE, words.CACHE_HELP, words.CACHES, **lists)
        kinds = measure_words.DTYPE, words.DTYPE_HELP, {name: name for name in DTYPE_NAMES}
        controls.choose(state, "dtype", *kinds, **lists)
        controls.toggle(state, "windowed", words.WINDOWED, words.WINDOWED_HELP)
        if state["windowed"]:
            controls.whole_number(state, "width", words.WIDTH, words.WIDTH_HELP, width=BOX_WIDTH)
        if not asked.faults:
            n = asked.sizes.n
            controls.slider(state, "token", words.TOKEN, words.TOKEN_HELP, highest=n, width=2 * LIST_WIDTH)
    say_faults(state, asked)
    if state["cache"] == "rolling" and not state["windowed"]:
        say_no_window(state)


def say_no_window(state: State) -> None:
    """Say what a rolling cache needs, and offer it or another cache."""
    language = state.language
    st.error(words.NO_WINDOW.say(language))
    with st.container(horizontal=True, gap="small"):
        window = words.TAKE_WINDOW.say(language, w=f"{state['width']:,}")
        controls.button(window, "decoding.take.window", state.put, "windowed", True)
        reserved = words.TAKE_RESERVED.say(language)
        controls.button(reserved, "decoding.take.reserved", state.put, "cache", "reserved")


def show_lines(state: State, writing: Writing) -> None:
    """Draw the FLOPs of each token by formula, with a rule at the one whose step is open; offer the numbers."""
    language, n, token = state.language, writing.setting.n, state["token"]
    places = list_places(n)
    costs = {
        name: [step_flops(writing, place, has_cache=name == "cached") for place in places] for name in LOOKS
    }
    names = {"cached": words.WITH.say(language), "again": words.WITHOUT.say(language)}
    points = cost_table(
        [(names[name], list(zip(places, costs[name], strict=True))) for name in LOOKS],
        [
            point_said(names[name], f"t = {place:,}", f"{cost:,}", "FLOPs")
            for name in LOOKS
            for place, cost in zip(places, costs[name], strict=True)
        ],
        [(words.MARK.say(language, t=f"{token:,}"), float(token))],
        NAME_HEIGHT,
    )
    ends = {
        f"{name}_{place}": significant(costs[name][index])
        for name in LOOKS
        for place, index in (("first", 0), ("last", -1))
    }
    x, y = words.T_AXIS.say(language), words.FLOPS_AXIS.say(language)
    looks = tuple((names[name], look) for name, look in LOOKS.items())
    st.vega_lite_chart(
        points,
        cost_lines(x, y, looks, (1, n), is_wide=spans_widely(points)),
        key="chart.decoding",
        alt=words.FLOPS_ALT.say(language, n=f"{n:,}", t=f"{token:,}", **ends),
    )
    columns = {names[name]: list(map(str, costs[name])) for name in LOOKS}
    table(lambda: pd.DataFrame({x: places, **columns}), "decoding", language, words.FLOPS_TITLE)


def note_part(state: State) -> Part:
    """Say that these are formulas, and what is recomputed without a cache."""
    language = state.language
    line = Line(prose(words.NOTE.say(language)), "note")
    return lines_part(lesson_words.SAID.say(language), [line], has_own_row=True)


def steps_part(state: State, writing: Writing) -> Part:
    """Describe the table: a row for each doubling of the text; picking one opens the step of its token."""
    language, setting = state.language, writing.setting
    places = list_places(setting.n)
    sizes = {"n": setting.n, "d_model": setting.d_model, "h": setting.n_heads, "kv": setting.kv_heads}
    part = grid_part(
        [[0.0] * len(words.COLUMNS) for _ in places],
        title=words.TABLE.say(language, **{name: f"{size:,}" for name, size in sizes.items()}),
        labels=replace(
            grid_labels(language, "row", "column"),
            row=words.T_AXIS.say(language),
            keys=words.PICK_KEYS.say(language),
        ),
        row_labels=[f"t = {place:,}" for place in places],
        column_labels=[text.say(language) for text in words.COLUMNS.values()],
        picked=(places.index(state["token"]), 0) if state["token"] in places else None,
        on_pick=lambda row, _column: state.put("token", places[row]),
    )
    both = [cells(writing, place) for place in places]
    texts, exact = ([one[index] for one in both] for index in (0, 1))
    return by_rows(compact(with_texts(part, texts, exact)))


def cells(writing: Writing, token: int) -> tuple[list[str], list[str]]:
    """Write one row: as it stands in cells, and in full."""
    asked = look_at_step(writing, token).n_asked
    cached, again = (step_flops(writing, token, has_cache=has_cache) for has_cache in (True, False))
    ratio = again / cached
    texts = [f"{asked:,}", f"{cached:,}", f"{again:,}", significant(ratio)]
    return texts, [str(asked), str(cached), str(again), repr(ratio)]
