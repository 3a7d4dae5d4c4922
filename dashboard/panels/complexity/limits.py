"""How long a sequence can be within the reader's memory and speed, by formula (C1, C4)."""

from collections.abc import Callable
from dataclasses import replace

import streamlit as st

from attention_core.cost import MOST_N, VARIANTS, Quantity, Setting, count, largest_n, list_terms
from attention_core.cost_lines import GIB, TERA, in_whole
from dashboard import controls
from dashboard.cached import longest_n
from dashboard.controls import State
from dashboard.frame import asked_parts, source
from dashboard.grid import by_rows, compact, grid_part
from dashboard.grid.bench import Area, Part, show_bench
from dashboard.grid.lines import Line, lines_part, prose
from dashboard.number_table import grid_labels, with_texts
from dashboard.panels.complexity.limits_said import (
    Budgets,
    answer,
    picked_part,
    question,
    readings,
    typed,
)
from dashboard.panels.complexity.sizes import Asked, ask_sizes, read_asked, setting_of
from dashboard.text import complexity as lesson_words
from dashboard.text import complexity_limits as words

Parts = dict[str, tuple[Area, Part]]
# GiB and TFLOP/s of machines, round numbers.
PRESETS: dict[str, tuple[float, float]] = {"laptop": (16, 1), "large": (80, 100), "eight": (640, 800)}
BOX_WIDTH = 190
RAN: list[Callable[..., object]] = [largest_n, count, list_terms, in_whole]


@controls.fragment
def limits(state: State) -> bool:
    """Ask for a machine and sizes; say how long N can be for every variant."""
    controls_place = st.container()  # filled last: see controls.fragment
    asked = read_asked(state, has_n=False)
    if asked.faults:
        with controls_place:
            ask(state, asked)
        return False
    language, setting, budgets = state.language, setting_of(state, asked.sizes), budgets_of(state)
    told = [Line(prose(text), "prose") for text in readings(state, setting, budgets)]
    parts: Parts = {
        "address": ("top", controls.address_part(state)),
        "limits": ("left", limits_part(state, setting, budgets)),
        "note": ("right", note_part(state, budgets)),
        "picked": ("right", picked_part(state, setting, budgets)),
        "said": ("end", lines_part(lesson_words.SAID.say(language), told)),
    }
    asks = asked_parts(question(state), answer(state, setting, budgets), language)
    show_bench("bench.limits", parts | asks)
    with controls_place:
        ask(state, asked)
    source(RAN, language)
    return True


def ask(state: State, asked: Asked) -> None:
    """Offer the machines, their two boxes, and the sizes."""
    language = state.language
    with st.container(horizontal=True, gap="small"):
        for name, (memory, speed) in PRESETS.items():
            label = words.PRESETS[name].say(language, memory=typed(memory), speed=typed(speed))
            controls.button(label, f"limits.{name}", take_preset, state, name)
    with st.container(horizontal=True):
        box = {"step": 1.0, "width": BOX_WIDTH}
        controls.decimal(state, "memory", words.MEMORY, words.MEMORY_HELP, **box)
        controls.decimal(state, "speed", words.SPEED, words.SPEED_HELP, **box)
    ask_sizes(state, asked)


def take_preset(state: State, name: str) -> None:
    """Put a machine into the boxes."""
    for field, value in zip(("memory", "speed"), PRESETS[name], strict=True):
        state.put(field, value)


def budgets_of(state: State) -> Budgets:
    """Turn memory and one second of speed into whole bytes and FLOPs."""
    memory = in_whole(float(state["memory"]), GIB)
    return {"score_bytes": memory, "kept_bytes": memory, "flops": in_whole(float(state["speed"]), TERA)}


def note_part(state: State, budgets: Budgets) -> Part:
    """Say that these are formulas, what the budgets are, and what the machines on the buttons are."""
    language = state.language
    given = words.BUDGETS.say(
        language,
        memory=typed(state["memory"]),
        bytes=f"{budgets['kept_bytes']:,}",
        speed=typed(state["speed"]),
        flops=f"{budgets['flops']:,}",
    )
    notes = lesson_words.NOTE.say(language), words.NOTE_PRESETS.say(language)
    about = given, words.ABOUT.say(language)
    lines = [*(Line(prose(text), "prose") for text in about), *(Line(prose(note), "note") for note in notes)]
    return lines_part(lesson_words.SAID.say(language), lines)


def limits_part(state: State, setting: Setting, budgets: Budgets) -> Part:
    """Describe the table: a row for each variant, a column for each budget; picking a row shows where N ends."""
    language, names = state.language, [*VARIANTS]
    found = [[limit(name, column, setting, budgets) for column in words.COLUMNS] for name in names]
    part = grid_part(
        [[0.0] * len(words.COLUMNS) for _ in names],
        title=words.TABLE.say(language, memory=typed(state["memory"]), speed=typed(state["speed"])),
        labels=replace(
            grid_labels(language, "row", "column"),
            row=lesson_words.VARIANT.say(language),
            keys=words.PICK_KEYS.say(language),
        ),
        row_labels=[(words.ROWS.get(name) or lesson_words.VARIANTS[name]).say(language) for name in names],
        column_labels=[text.say(language) for text in words.COLUMNS.values()],
        picked=(names.index(state["variant"]), 0),
        on_pick=lambda row, _column: state.put("variant", names[row]),
    )
    unbound = words.NO_BOUND.say(language)
    texts, exact = (
        [[unbound if n == MOST_N else write(n) for n in row] for row in found] for write in (separated, str)
    )
    return by_rows(compact(with_texts(part, texts, exact)))


def limit(name: str, quantity: Quantity, setting: Setting, budgets: Budgets) -> int:
    """Find the largest N of one cell."""
    return longest_n(name, quantity, setting, budgets[quantity])


def separated(n: int) -> str:
    """Write a count with separators."""
    return f"{n:,}"
