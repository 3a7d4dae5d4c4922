"""What every way of attending answers for a query that may see no key (M4)."""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import streamlit as st
import torch

from attention_core.components import DTYPES
from attention_core.experiments.blind_rows import (
    BlindAnswer,
    answer_blind_rows,
    attend_by_core,
    attend_by_mha,
    attend_by_mha_with_weights,
    attend_by_sdpa_fused,
    attend_by_sdpa_math,
    distance_where_seeing,
    mask_by_adding,
    mask_by_filling,
    measure_past_blind,
    scale_products,
    step_beside,
)
from dashboard import controls
from dashboard.controls import State
from dashboard.frame import asked_parts, markdown_table, source
from dashboard.grid import as_bits, grid_part
from dashboard.grid.bench import Area, Part, show_bench
from dashboard.grid.lines import Line, lines_part, prose
from dashboard.link import shorten
from dashboard.number_format import significant
from dashboard.number_table import grid_labels
from dashboard.panels.masks.blind_mask import FIELD, FIRST, Rows, toggled, typed_mask, write_mask
from dashboard.panels.masks.model import name_queries
from dashboard.text import Language
from dashboard.text import mask_blind as words

PRESETS = {"one": FIRST, "all": "000/000/000", "aligned": "00/00/10/11", "none": "100/110/111"}
VALUES = torch.tensor([[1.0, 0.0], [0.0, 1.0], [4.0, 4.0], [2.0, 0.0], [0.0, 2.0], [3.0, 1.0]])
# The scores of the first keys, and so on by the same step.
SCORES = {"zeros": 0.0, "rising": 1.0, "far": 100.0}
LONGEST_QUOTE = 120
SHOWN = 3

Records = tuple[BlindAnswer, ...]


def blind(state: State) -> None:
    """Show the view, and below it the functions that ran."""
    bench(state)
    ran: list[Callable[..., object]] = [attend_by_core, attend_by_sdpa_math, attend_by_sdpa_fused]
    ran += [attend_by_mha_with_weights, attend_by_mha, scale_products, mask_by_filling, mask_by_adding]
    source([*ran, measure_past_blind], state.language)


@controls.fragment
def bench(state: State) -> bool:
    """Ask for a mask, scores and a type; show what each way answers, and what that says."""
    language = state.language
    rows = typed_mask(state)
    with st.container(horizontal=True, gap="small"):
        for name, mask in PRESETS.items():
            label = words.PRESETS[name].say(language)
            controls.button(label, f"blind.preset.{name}", state.put, FIELD, mask)
    with st.container(horizontal=True):
        offered = {name: scores_name(step, SHOWN) for name, step in SCORES.items()}
        controls.choose(state, "blind_scores", words.SCORES, words.SCORES_HELP, offered)
        controls.choose(state, "blind_dtype", words.DTYPE, words.DTYPE_HELP, {name: name for name in DTYPES})
    address: dict[str, tuple[Area, Part]] = {"address": ("top", controls.address_part(state))}
    if rows is None:
        show_bench("bench.blind.mask", address)
        return True
    allowed = torch.tensor(rows, dtype=torch.bool)
    q, k, v = inputs_of(state, *allowed.shape)
    records = answer_blind_rows(q, k, v, allowed, state["blind_dtype"])
    values = words.VALUES.say(language, values=", ".join(map(listed, v.tolist())))
    parts = address | {
        "mask": ("left", mask_part(state, rows)),
        "see": ("right", see_part(state, records, values)),
    }
    show_bench("bench.blind.mask", parts)
    st.markdown(answers_table(records, language))
    show_bench("bench.blind", reasons(records, language) | question_parts(q, k, allowed, language))
    return True


def inputs_of(state: State, n_queries: int, n_keys: int) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Give q, k and v whose scaled scores are the chosen ones in every row."""
    step = SCORES[state["blind_scores"]]
    if not step:
        return torch.zeros(n_queries, 2), torch.zeros(n_keys, 2), VALUES[:n_keys]
    return torch.ones(n_queries, 1), scores_of(step, n_keys)[:, None], VALUES[:n_keys]


def scores_of(step: float, n_keys: int) -> torch.Tensor:
    """Give equal steps: from 1 on for a step of 1, else from 0."""
    return torch.arange(n_keys) * step + (1.0 if step == 1 else 0.0)


def scores_name(step: float, n_keys: int) -> str:
    """Write the scores of some keys."""
    return listed(scores_of(step, n_keys).tolist())


def listed(numbers: Sequence[float]) -> str:
    """Write a row of numbers."""
    return f"[{', '.join(map(significant_or_whole, numbers))}]"


def significant_or_whole(value: float) -> str:
    """Write whole numbers without a fraction."""
    is_whole = math.isfinite(value) and value == round(value) and abs(value) < 1e4
    return str(round(value)).replace("-", "−") if is_whole else significant(value)


def mask_part(state: State, rows: Rows) -> Part:
    """Describe the mask, whose cells a pick turns over."""
    language = state.language
    labels = replace(grid_labels(language, "query", "key"), footer=words.SEEN.say(language))
    part = grid_part(
        rows,
        title=words.MASK_TITLE.say(language),
        labels=labels,
        role="mask",
        masked=[[not cell for cell in row] for row in rows],
        on_pick=partial(switch, state, rows),
        footer=[str(sum(row)) for row in rows],
    )
    return as_bits(part)


def switch(state: State, rows: Rows, query: int, key: int) -> None:
    """Turn one pair over."""
    state.put(FIELD, write_mask(toggled(rows, query, key)))


def see_part(state: State, records: Records, values: str) -> Part:
    """Say what ran on what, what the sign of a blind row means, and who answers what."""
    language = state.language
    note = words.NOTE.say(language, version=records[0].version, dtype=records[0].dtype)
    notes = [f"{note} · {values}", *([words.BLIND_SIGN.say(language)] if records[0].blind else [])]
    lines = [Line(prose(text), "note") for text in notes]
    lines += [Line(prose(text), "prose") for text in see(state, records)]
    return lines_part(words.VIEW.say(language), lines)


def see(state: State, records: Records) -> list[str]:
    """Say who answers what."""
    language, core = state.language, records[0]
    refused = [record for record in records if record.refused]
    quotes = []
    if refused:
        quote = shorten(refused[0].refused.splitlines()[0], LONGEST_QUOTE)
        name = words.KERNELS[refused[0].kernel].say(language)
        quotes = [words.SAID.say(language, kernel=name, quote=quote)]
    if not core.blind:
        distances = [distance_where_seeing(record, core) for record in records]
        farthest = max(distance for distance in distances if distance is not None)
        return [words.NONE_BLIND.say(language, distance=significant(farthest, 2)), *quotes]
    groups: dict[str | None, list[str]] = {}
    for record in records:
        name = words.KERNELS[record.kernel].say(language)
        groups.setdefault(record.answer, []).append(name)
    between = words.BETWEEN_NAMES.say(language)
    said = [say_group(answer, between.join(who), language) for answer, who in groups.items()]
    queries = name_queries(core.blind, language)
    groups_said = words.BETWEEN_GROUPS.say(language).join(said)
    text = words.SEE_BLIND.say(language, queries=queries, groups=groups_said)
    same = []
    if core.weights.shape[-1] == 1:
        same = [words.ONE_KEY.say(language)]
    elif state["blind_scores"] == "zeros":
        same = [words.SAME_LOOK.say(language)]
    return [text, *same, *quotes]


def say_group(answer: str | None, kernels: str, language: Language) -> str:
    """Say who gave one answer."""
    if answer is None:
        return words.NO_ANSWER.say(language, kernels=kernels)
    return words.GROUP.say(language, answer=words.ANSWERS[answer].say(language), kernels=kernels)


def called(record: BlindAnswer, language: Language) -> str:
    """Name what a way answered."""
    if record.refused:
        return words.REFUSED.say(language)
    return words.ANSWERS[record.answer].say(language) if record.answer else "–"


def answers_table(records: Records, language: Language) -> str:
    """Lay out what each way answers for the first blind query; for the first query where none is blind."""
    core = records[0]
    query = core.blind[0] if core.blind else 0
    head = tuple(
        text.say(language, **({"query": query + 1} if "query" in text.fields(language) else {}))
        for text in words.COLUMNS
    )
    return markdown_table(head, [answer_row(record, core, query, language) for record in records])


def answer_row(record: BlindAnswer, core: BlindAnswer, query: int, language: Language) -> tuple[str, ...]:
    """Lay out one way's answer."""
    name = words.KERNELS[record.kernel].say(language)
    if record.refused or record.out is None:
        return name, "–", "–", words.REFUSED.say(language), "–", "–"
    weights = words.NOT_SHOWN.say(language)
    if record.weights is not None:
        weights = unbroken(listed(record.weights[query].tolist()))
    distance = significant(distance_where_seeing(record, core), 2)
    gradients = unbroken(say_gradients(record.gradients, language))
    out = unbroken(listed(record.out[query].tolist()))
    return name, weights, out, called(record, language), gradients, distance


def unbroken(text: str) -> str:
    """Keep a cell of the table on one line."""
    return text.replace(" ", "\N{NO-BREAK SPACE}")


def say_gradients(is_finite: dict[str, bool], language: Language) -> str:
    """Name the inputs whose gradient is not finite."""
    names = [name for name, finite in is_finite.items() if not finite]
    if not names:
        return words.FINITE.say(language)
    return words.NOT_FINITE.say(language, names=words.BETWEEN_NAMES.say(language).join(names))


def reasons(records: Records, language: Language) -> dict[str, tuple[Area, Part]]:
    """Say why there is no right answer, where NaN comes from, what the core's costs, and what the others cause."""
    core = records[0]
    said = [say_why(core, language), *say_nan(records, language)]
    if core.blind and core.weights is not None and core.out is not None:
        row = core.blind[0]
        total, out = significant(float(core.weights[row].sum())), listed(core.out[row].tolist())
        said.append(words.OURS.say(language, sum=total, out=out))
    said.append(say_penalty(language))
    if core.blind and len(core.blind) < len(core.out):
        said.append(say_live(records, language))
    lines = [Line(prose(text), "prose") for text in said]
    return {"why": ("end", lines_part(words.VIEW.say(language), lines))}


def say_why(core: BlindAnswer, language: Language) -> str:
    """Say why there is no right answer, and why −1e9 gives one, where the type holds it."""
    opening = words.BLIND_OPENING if core.blind else words.IF_BLIND_OPENING
    why = words.WHY.say(language, opening=opening.say(language))
    if step_beside(core.dtype) is None:
        return why
    return joined([why, words.WHY_UNIFORM.say(language)], language)


def joined(sentences: Sequence[str], language: Language) -> str:
    """Set sentences one after another."""
    return ("" if language == "zh" else " ").join(sentences)


def say_nan(records: Records, language: Language) -> list[str]:
    """Say where NaN comes from, and why it reaches the gradients that it reaches; nothing where no way gives it."""
    ways: dict[tuple[str, ...], list[str]] = {}
    for record in records:
        if record.answer == "nan":
            names = tuple(name for name, finite in record.gradients.items() if not finite)
            ways.setdefault(names, []).append(words.KERNELS[record.kernel].say(language))
    if not ways:
        return []
    said, dtype = [words.NAN.say(language)], records[0].dtype
    if step_beside(dtype) is None:
        said.append(words.HELD_AS_INFINITY.say(language, dtype=dtype))
    between = words.BETWEEN_NAMES.say(language)
    for names, text in ((("v",), words.NAN_IN_V), (("q", "k", "v"), words.NAN_IN_ALL)):
        if names in ways:
            said.append(text.say(language, kernels=between.join(ways[names])))
    return [joined(said, language)]


def say_penalty(language: Language) -> str:
    """Measure what −1e9 added to every score gives in two types."""
    one, keys = torch.ones(1, 1), scores_of(SCORES["rising"], SHOWN)[:, None]
    hidden = torch.zeros(1, SHOWN, dtype=torch.bool)
    found = {}
    for name, dtype in (("narrow", "float32"), ("wide", "float64")):
        (record,) = answer_blind_rows(one, keys, VALUES[:SHOWN], hidden, dtype, ("add_1e9",))
        found[name] = listed(record.weights[0].tolist())
        found[f"{name}_step"] = significant_or_whole(step_beside(dtype))
    return words.PENALTY.say(language, **found)


def say_live(records: Records, language: Language) -> str:
    """Name the ways whose gradients are not finite although no blind row is in the loss."""
    between = words.BETWEEN_NAMES.say(language)
    harmed = []
    for record in records:
        names = between.join(name for name, finite in record.live_gradients.items() if not finite)
        if names:
            kernel = words.KERNELS[record.kernel].say(language)
            harmed.append(words.OF_INPUTS.say(language, kernel=kernel, names=names))
    return (
        words.LIVE_NAN.say(language, kernels=between.join(harmed))
        if harmed
        else words.LIVE_FINE.say(language)
    )


def question_parts(
    q: torch.Tensor, k: torch.Tensor, allowed: torch.Tensor, language: Language
) -> dict[str, tuple[Area, Part]]:
    """Ask whether cleaning after softmax is enough; the answer is differentiated."""
    past = measure_past_blind(scale_products(q, k), allowed)
    if past is None:
        return asked_parts(words.QUESTION.say(language), words.ANSWER_NOTHING.say(language), language)
    found = {
        "right": significant(past.without_blind),
        "cleaned": significant(past.by_cleaning),
        "core": significant(past.by_core),
    }
    text = words.ANSWER if math.isnan(past.by_cleaning) else words.ANSWER_FINE
    return asked_parts(words.QUESTION.say(language), text.say(language, **found), language)
