"""One mask applied in several ways: what each does to weights and output, and what leaks through it (M2, M3)."""

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

import streamlit as st
import torch

from attention_core.components import DTYPES
from attention_core.experiments.blind_rows import mask_by_adding, mask_by_filling, scale_products
from attention_core.experiments.masking import (
    MASKS_BY,
    WAYS,
    Way,
    WayRecord,
    apply_way,
    compare_ways,
    find_leaks,
    measure_leaks,
    name_fault,
)
from dashboard import controls
from dashboard.controls import State
from dashboard.frame import asked_parts, source
from dashboard.grid import compact, grid_part, verdicts_first
from dashboard.grid.bench import Area, Part, show_bench
from dashboard.grid.lines import Line, Piece, lines_part, prose
from dashboard.number_format import significant
from dashboard.number_table import grid_labels
from dashboard.panels.masks.way_leaks import choose_change, leak_parts, pairs_part
from dashboard.panels.masks.way_readings import of_way, quoted, readings
from dashboard.panels.masks.way_setting import (
    SIZE,
    Setting,
    ask_for_mask,
    mask_of,
    setting_of,
    without_numbers,
)
from dashboard.text import Language
from dashboard.text import mask_ways as words

SCORES = (0.43, -0.21, 0.99, 0.32, -0.35, 0.04)
N_SEEN = 3


def ways(state: State) -> None:
    """Show the ways in parts that run alone, and the code of what ran."""
    compared(state)
    ran = [*MASKS_BY.values(), apply_way, compare_ways, measure_leaks, find_leaks]
    source([*dict.fromkeys([mask_by_filling, mask_by_adding, *ran])], state.language)


@controls.fragment
def compared(state: State) -> bool:
    """Show two grids of weights, a row of numbers for each way and what they say; then the leak meter."""
    language = state.language
    with st.container(horizontal=True):
        choose_way(state)
    allowed = ask_for_mask(state)
    if allowed is None:
        return False
    setting = setting_of(state, allowed)
    records = compare_ways(setting.q, setting.k, setting.v, setting.allowed, setting.dtype)
    said = [Line(prose(text), "prose") for text in readings(setting, records)]
    parts: dict[str, tuple[Area, Part]] = {
        "address": ("top", controls.address_part(state)),
        "note": ("top", lines_part(words.VIEW.say(language), notes(setting))),
        **weights_parts(state, setting, records),
        "ways": ("below", ways_part(state, setting, records)),
        "said": ("below", lines_part(words.SAID.say(language), said)),
        "meter": ("below", introduction(language)),
    }
    show_bench("bench.ways", parts)
    leak_meter(state)
    return True


@controls.fragment
def leak_meter(state: State) -> bool:
    """Ask what is changed; show what moved, the test of every pair and a question."""
    allowed = mask_of(state)
    if allowed is None:
        return False
    setting = setting_of(state, allowed)

    def choose(way: Way) -> None:
        state.put("way", way)
        controls.run_alone(compared)

    leaks = leak_parts(state, setting, choose) if choose_change(state, setting) else {}
    parts: dict[str, tuple[Area, Part]] = {"address": ("top", controls.address_part(state)), **leaks}
    show_bench(
        "bench.leaks", parts | {"pairs": ("end", pairs_part(state, setting))} | question_parts(state.language)
    )
    return True


def notes(setting: Setting) -> list[Line]:
    """Say where the numbers come from, and what the sign before a row means that sees no key."""
    drawn = {"seed": setting.seed, "dtype": setting.dtype, "version": torch.__version__}
    said = [words.NOTE.say(setting.language, **drawn)]
    if setting.blind:
        said.append(words.BLIND_SIGN.say(setting.language))
    return [Line(prose(text), "note") for text in said]


@lru_cache(maxsize=2)
def introduction(language: Language) -> Part:
    """Describe the heading of the leak meter: what a leak is, and what a name in its table stands for."""
    heading = words.LEAK.say(language)
    said = [Line(prose(words.LEAK_IS.say(language)), "prose"), Line(prose(words.SDPA.say(language)), "note")]
    return lines_part(heading, [Line([Piece(heading)], "heading"), *said])


def choose_way(state: State) -> None:
    """Ask for the mask, the way and the type."""
    sizes = {name: {"size": SIZE} if text.fields("en") else {} for name, text in words.MASKS.items()}
    masks = {name: text.say(state.language, **sizes[name]) for name, text in words.MASKS.items()}
    types = {name: name for name in DTYPES}
    controls.choose(state, "way_mask", words.MASK, words.MASK_HELP, masks, in_sidebar=True, width=230)
    controls.choose(state, "way", words.WAY, words.WAY_HELP, words.WAYS, in_sidebar=True, width=250)
    controls.choose(state, "way_dtype", words.DTYPE, words.DTYPE_HELP, types, in_sidebar=True, width=130)


def weights_parts(
    state: State, setting: Setting, records: Sequence[WayRecord]
) -> dict[str, tuple[Area, Part]]:
    """Describe the right weights beside those of the chosen way, or what torch said instead."""
    language = setting.language
    exact = right_weights(setting)
    right = weights_part(state, setting, exact, words.RIGHT_TITLE.say(language), has_sums=False)
    parts = {"right": ("left", right)}
    chosen = of_way(records, setting.way)
    title = words.CHOSEN_TITLE.say(language, way=setting.way_name(), dtype=setting.dtype)
    if chosen.weights is None:
        refused = words.REFUSED_HERE.say(
            language,
            way=setting.way_name(),
            dtype=setting.dtype,
            version=torch.__version__,
            said=quoted(chosen),
        )
        return {**parts, "chosen": ("right", lines_part(title, [Line(prose(refused), "prose")]))}
    return {**parts, "chosen": ("right", weights_part(state, setting, chosen.weights, title))}


def right_weights(setting: Setting) -> torch.Tensor:
    """Give the right weights."""
    return apply_way(scale_products(setting.q, setting.k), setting.allowed, "minus_inf")


def weights_part(
    state: State, setting: Setting, weights: torch.Tensor, title: str, *, has_sums: bool = True
) -> Part:
    """Describe a grid of weights; a pick chooses the token to change.

    Args:
        has_sums: Of the rows, which take the width of a column.
    """
    language = setting.language
    labels = grid_labels(language, "query", "key")
    sums = [significant(total) for total in weights.double().sum(dim=-1).tolist()]
    return compact(
        grid_part(
            weights.double().numpy(),
            title=title,
            labels=replace(labels, value=words.WEIGHT.say(language)),
            row_labels=setting.tokens,
            column_labels=setting.tokens,
            role="weights",
            scale="sequential",
            masked=(~setting.allowed).numpy(),
            on_pick=lambda _, key: state.put("way_key", key + 1),
            footer=sums if has_sums else None,
        )
    )


def ways_part(state: State, setting: Setting, records: Sequence[WayRecord]) -> Part:
    """Describe the numbers of every way; picking a row chooses the way."""
    language = setting.language
    values = [numbers_of(record) for record in records]
    faults = [name_fault(record, setting.allowed) for record in records]
    part = grid_part(
        values,
        title=words.WAYS_TITLE.say(language, dtype=setting.dtype),
        labels=replace(grid_labels(language, "row", "column"), footer=words.VERDICT.say(language)),
        row_labels=[words.WAYS[record.way].say(language) for record in records],
        column_labels=[text.say(language) for text in words.WAYS_COLUMNS],
        picked=(WAYS.index(setting.way), 0),
        on_pick=lambda row, _: state.put("way", WAYS[row]),
        footer=[(words.FAULTS[fault] if fault else words.RIGHT).say(language) for fault in faults],
    )
    return without_numbers(
        verdicts_first(part),
        [[record.refused is not None] * len(words.WAYS_COLUMNS) for record in records],
    )


def numbers_of(record: WayRecord) -> tuple[float, ...]:
    """List the numbers of a row; NaN where there are none."""
    if record.row_sums is None:
        return (math.nan,) * len(words.WAYS_COLUMNS)
    kept = (record.largest_hidden_weight, record.weights_difference, record.out_difference)
    sums = record.row_sums.double()
    return (float(sums.min()), float(sums.max()), *(math.nan if one is None else one for one in kept))


@lru_cache(maxsize=2)
def question_parts(language: Language) -> dict[str, tuple[Area, Part]]:
    """Ask for one row by hand; the ways answer."""
    scores = torch.tensor([SCORES], dtype=torch.float64)
    allowed = torch.arange(len(SCORES))[None] < N_SEEN
    right, zero, after = (
        apply_way(scores, allowed, way)[0].tolist() for way in ("minus_inf", "zero", "after_softmax")
    )
    answer = words.ANSWER.say(
        language,
        right=listed(right),
        zero=listed(zero),
        n_hidden=len(SCORES) - N_SEEN,
        share=significant(zero[-1], 4),
        sum=significant(sum(after), 6),
        missing=significant(1 - sum(after), 6),
    )
    question = words.QUESTION.say(language, scores=listed(SCORES, 2), n=N_SEEN)
    return asked_parts(question, answer, language)


def listed(numbers: Sequence[float], digits: int = 4) -> str:
    """Write a row of numbers."""
    return f"[{', '.join(significant(number, digits) for number in numbers)}]"
