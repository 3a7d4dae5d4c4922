"""One mask applied in several ways: what each does to weights and output, and what leaks through it (M2, M3)."""

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

import streamlit as st
import torch

from attention_core.components import DTYPES
from attention_core.experiments.blind_rows import mask_by_adding, mask_by_filling
from attention_core.experiments.masking import (
    MASKS_BY,
    WAYS,
    WayRecord,
    apply_way,
    compare_ways,
    find_leaks,
    measure_leak,
    name_fault,
)
from dashboard import controls
from dashboard.controls import State
from dashboard.frame import asked_parts, source
from dashboard.grid import compact, grid_part
from dashboard.grid.bench import Area, Part, show_bench
from dashboard.grid.lines import Line, lines_part, prose, word
from dashboard.link import shorten
from dashboard.number_format import NOTHING, significant
from dashboard.number_table import grid_labels
from dashboard.panels.masks.way_leaks import choose_change, leak_parts, pair_parts
from dashboard.panels.masks.way_setting import (
    SIZE,
    Setting,
    ask_for_mask,
    joined,
    setting_of,
    without_numbers,
)
from dashboard.text import Language
from dashboard.text import mask_ways as words

SCORES = (0.43, -0.21, 0.99, 0.32, -0.35, 0.04)
N_SEEN = 3
LONGEST_SAID = 100


def ways(state: State) -> None:
    """Show the ways in a part that runs alone, and the code of what ran."""
    compared(state)
    ran = [*MASKS_BY.values(), apply_way, compare_ways, measure_leak, find_leaks]
    source([*dict.fromkeys([mask_by_filling, mask_by_adding, *ran])], state.language)


@controls.fragment
def compared(state: State) -> bool:
    """Show two grids of weights, a row of numbers for each way, what they say, the leak meter and a question."""
    language = state.language
    with st.container(horizontal=True):
        choose_way(state)
    allowed = ask_for_mask(state)
    if allowed is None:
        return False
    setting = setting_of(state, allowed)
    has_leaks = choose_change(state, setting)
    records = compare_ways(setting.q, setting.k, setting.v, setting.allowed, setting.dtype)
    said = [Line(prose(text), "prose") for text in readings(setting, records)]
    where = words.NOTE.say(language, seed=setting.seed, dtype=setting.dtype, version=torch.__version__)
    parts: dict[str, tuple[Area, Part]] = {
        "address": ("top", controls.address_part(state)),
        "note": ("top", lines_part(words.VIEW.say(language), [Line(prose(where), "note")])),
        **weights_parts(state, setting, records),
        "ways": ("below", ways_part(state, setting, records)),
        "said": ("below", lines_part(words.SAID.say(language), said)),
        **(leak_parts if has_leaks else pair_parts)(state, setting),
    }
    show_bench("bench.ways", parts | question_parts(language))
    return True


def choose_way(state: State) -> None:
    """Ask for the mask, the way and the type."""
    sizes = {name: {"size": SIZE} if text.fields("en") else {} for name, text in words.MASKS.items()}
    masks = {name: text.say(state.language, **sizes[name]) for name, text in words.MASKS.items()}
    types = {name: name for name in DTYPES}
    controls.choose(state, "way_mask", words.MASK, words.MASK_HELP, masks, in_sidebar=True, width=230)
    controls.choose(state, "way", words.WAY, words.WAY_HELP, words.WAYS, in_sidebar=True, width=250)
    controls.choose(state, "way_dtype", words.DTYPE, words.DTYPE_HELP, types, in_sidebar=True, width=130)


def of_way(records: Sequence[WayRecord], way: str) -> WayRecord:
    """Find the record of one way."""
    return next(record for record in records if record.way == way)


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
    (record,) = compare_ways(setting.q, setting.k, setting.v, setting.allowed, ways=("minus_inf",))
    return record.weights


def quoted(record: WayRecord) -> str:
    """Cut what torch said to its beginning, set apart."""
    return word(shorten(" ".join(record.refused.split()), LONGEST_SAID))


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
        part, [[record.refused is not None] * len(words.WAYS_COLUMNS) for record in records]
    )


def numbers_of(record: WayRecord) -> tuple[float, ...]:
    """List the numbers of a row; NaN where there are none."""
    if record.row_sums is None:
        return (math.nan,) * len(words.WAYS_COLUMNS)
    kept = (record.largest_hidden_weight, record.weights_difference, record.out_difference)
    sums = record.row_sums.double()
    return (float(sums.min()), float(sums.max()), *(math.nan if one is None else one for one in kept))


def readings(setting: Setting, records: Sequence[WayRecord]) -> list[str]:
    """Say what the ways do to these weights, with their numbers."""
    if not setting.hidden_pairs:
        return [words.NOTHING_HIDDEN.say(setting.language, n=setting.n), say_half(setting.language)]
    return [
        *say_right(setting, of_way(records, "minus_inf")),
        *say_zero(setting, of_way(records, "zero")),
        *say_after(setting, of_way(records, "after_softmax"), of_way(records, "renormalised")),
        *say_blind(setting, of_way(records, "dtype_min")),
        say_half(setting.language),
        say_printed(setting, of_way(records, "fill_1e9"), of_way(records, "minus_inf")),
    ]


def say_right(setting: Setting, record: WayRecord) -> list[str]:
    """Cite what filling −∞ keeps: nothing for hidden keys, and the sum of each row."""
    sums = record.row_sums.double()[setting.allowed.any(dim=-1)]
    if not len(sums):
        return []
    ends = {"least": significant(float(sums.min())), "most": significant(float(sums.max()))}
    return [words.HOLDS.say(setting.language, hidden=significant(record.largest_hidden_weight), **ends)]


def say_zero(setting: Setting, record: WayRecord) -> list[str]:
    """Cite the largest weight that a hidden key got from a score of 0."""
    hidden = record.weights.double().masked_fill(setting.allowed, -math.inf)
    query, key = divmod(int(hidden.argmax()), setting.n)
    weight = float(hidden[query, key])
    if not weight > 0:
        return []
    named = {"query": setting.place(query), "key": setting.place(key)}
    return [words.ZERO.say(setting.language, **named, weight=significant(weight))]


def say_after(setting: Setting, record: WayRecord, renormalised: WayRecord) -> list[str]:
    """Cite the smallest row sum that softmax left to a query with keys, and what dividing by the sums does."""
    language, said = setting.language, []
    if name_fault(record, setting.allowed) == "sums":
        # A query without keys has no right sum.
        sums = record.row_sums.double().masked_fill(~setting.allowed.any(dim=-1), math.inf)
        query = int(sums.argmin())
        left = float(sums[query])
        cited = {"sum": significant(left), "missing": significant(1 - left)}
        said.append(words.AFTER.say(language, query=setting.place(query), **cited))
    difference = renormalised.weights_difference
    if difference is None:
        said.append(words.RENORMALISED_NAN.say(language))
    elif said:
        said.append(words.RENORMALISED.say(language, difference=significant(difference, 2)))
    return [joined(said, language)] if said else []


def say_blind(setting: Setting, record: WayRecord) -> list[str]:
    """Say what a finite fill does where a query may see no key."""
    if not setting.blind:
        return []
    weight = significant(record.largest_hidden_weight)
    return [words.BLIND.say(setting.language, query=setting.place(setting.blind[0]), weight=weight)]


@lru_cache(maxsize=2)
def say_half(language: Language) -> str:
    """Ask torch for −1e9 in float16, and say what it answers."""
    one, hidden = torch.ones(1, 1), torch.tensor([[False]])
    filled, added = compare_ways(one, one, one, hidden, "float16", ("fill_1e9", "add_1e9"))
    return words.HALF.say(
        language,
        largest=f"{torch.finfo(DTYPES['float16']).max:g}",
        version=torch.__version__,
        said=quoted(filled) if filled.refused else NOTHING,
        held=significant(float(added.masked)),
    )


def say_printed(setting: Setting, printed: WayRecord, ours: WayRecord) -> str:
    """Compare the line that is often printed with filling −∞ in the same type."""
    our_weights = significant(ours.weights_difference, 2)
    if printed.refused:
        return words.PRINTED_REFUSED.say(setting.language, dtype=setting.dtype, ours=our_weights)
    return words.PRINTED.say(
        setting.language,
        dtype=setting.dtype,
        weights=significant(printed.weights_difference, 2),
        out=significant(printed.out_difference, 2),
        ours=our_weights,
        our_out=significant(ours.out_difference, 2),
    )


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
