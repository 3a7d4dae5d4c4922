"""How a module keeps its mask, and what one step of the optimiser and a move do to it (M8)."""

from collections.abc import Sequence

import streamlit as st
import torch

from attention_core.components import DTYPES
from attention_core.experiments.mask_buffer import (
    KEEPS,
    CausalSelfAttention,
    StepRecord,
    Watched,
    watch_step,
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
from dashboard.text import Language
from dashboard.text import mask_buffer as words

LONGEST_QUOTE = 200
KEEPING_WIDTH, NUMBER_WIDTH = 260, 150


def buffer(state: State) -> None:
    """Show the view, and below it the functions that ran."""
    bench(state)
    source([CausalSelfAttention, *KEEPS.values(), watch_step], state.language)


@controls.fragment
def bench(state: State) -> bool:
    """Ask how the mask is kept; show every tensor before and after a step, and what that says."""
    language = state.language
    with st.container(horizontal=True):
        keepings = words.KEEPING, words.KEEPING_HELP, words.KEEPINGS
        controls.choose(state, "buffer_keeping", *keepings, in_sidebar=True, width=KEEPING_WIDTH)
        controls.choose(state, "buffer_dtype", words.DTYPE, words.DTYPE_HELP, {name: name for name in DTYPES})
        controls.decimal(state, "buffer_rate", words.RATE, words.RATE_HELP, 0.1, width=NUMBER_WIDTH)
        controls.whole_number(state, "buffer_n", words.N, words.N_HELP, width=NUMBER_WIDTH)
        controls.whole_number(state, "buffer_seed", words.SEED, words.SEED_HELP, width=NUMBER_WIDTH)
    record = watch_step(
        state["buffer_seed"],
        state["buffer_dtype"],
        state["buffer_keeping"],
        n=state["buffer_n"],
        learning_rate=float(state["buffer_rate"]),
    )
    st.markdown(tensors_table(record, state["buffer_dtype"], language))
    note = words.NOTE.say(language, seed=state["buffer_seed"], version=torch.__version__)
    parts: dict[str, tuple[Area, Part]] = {
        "address": ("top", controls.address_part(state)),
        "note": ("top", lines_part(words.VIEW.say(language), [Line(prose(note), "note")])),
        "before": (
            "left",
            mask_part(record.mask_before, record.hidden_before, words.BEFORE.say(language), language),
        ),
        "after": (
            "right",
            mask_part(record.mask_after, record.hidden_after, words.AFTER.say(language), language),
        ),
        "said": ("end", said_part(record, state["buffer_dtype"], state["buffer_rate"], language)),
    }
    show_bench("bench.buffer", parts | question_parts(record, state["buffer_n"], language))
    return True


def mask_part(
    rows: Sequence[Sequence[float]], hidden: Sequence[Sequence[bool]], title: str, language: Language
) -> Part:
    """Describe the mask as the module keeps it."""
    labels = grid_labels(language, "query", "key")
    part = grid_part(rows, title=title, labels=labels, role="mask", masked=hidden)
    return as_bits(part) if all(cell in {0, 1} for row in rows for cell in row) else part


def tensors_table(record: StepRecord, dtype: str, language: Language) -> str:
    """Lay out what every tensor of the module went through, the mask first."""
    ordered = [record.mask, *(watched for watched in record.tensors if watched is not record.mask)]
    head = tuple(
        text.say(language, **({"dtype": dtype} if "dtype" in text.fields(language) else {}))
        for text in words.COLUMNS
    )
    return markdown_table(head, [tensor_row(watched, language) for watched in ordered])


def tensor_row(watched: Watched, language: Language) -> tuple[str, ...]:
    """Lay out one tensor."""
    return (
        f"`{watched.name}`",
        words.KINDS[watched.kind].say(language),
        by_times(watched.shape),
        watched.dtype,
        significant(watched.largest_change),
        (words.YES if watched.is_saved else words.NO).say(language),
        watched.dtype_after,
        watched.device_after,
    )


def by_times(shape: Sequence[int]) -> str:
    """Write a shape."""
    return " × ".join(map(str, shape))


def said_part(record: StepRecord, dtype: str, rate: float, language: Language) -> Part:
    """Say what the step changed, whether the mask holds, why, and what a move does."""
    between, mask = words.BETWEEN.say(language), record.mask
    changed = between.join(watched.name for watched in record.tensors if watched.is_changed)
    step = words.STEP.say(
        language,
        before=significant(record.loss[0]),
        after=significant(record.loss[1]),
        changed=changed or words.NOTHING.say(language),
        mask=significant(mask.largest_change),
        saved=between.join(record.state_dict),
    )
    why = words.WHY[record.keeping].say(language, dtype=dtype, after=mask.dtype_after)
    texts = [step, say_mask(record, rate, language), why, say_move(record, language)]
    return lines_part(words.VIEW.say(language), [Line(prose(text), "prose") for text in texts])


def say_mask(record: StepRecord, rate: float, language: Language) -> str:
    """Say whether the causal mask still stands."""
    before, after = (sum(map(sum, hidden)) for hidden in (record.hidden_before, record.hidden_after))
    if record.hidden_before != record.hidden_after:
        return words.BROKEN.say(language, before=before, after=after)
    if record.mask.is_changed:
        change = significant(record.mask.largest_change)
        return words.TRAINED.say(language, change=change, pairs=after)
    if record.mask.kind == "parameter":
        reason = words.STILL[rate == 0, record.mask.largest_gradient == 0].say(language)
        return words.UNMOVED.say(language, reason=reason)
    return words.HOLDS.say(language, pairs=after)


def say_move(record: StepRecord, language: Language) -> str:
    """Say what stands where on another device, and whether the module runs there."""
    where = {"weights": record.tensors[0].device_after, "mask": record.mask.device_after}
    if record.fails_on_device is None:
        return words.MOVED.say(language, **where)
    return words.LEFT_BEHIND.say(language, **where, error=quoted(record.fails_on_device))


def quoted(error: str) -> str:
    """Cut what torch said; its last line says what is wrong."""
    return shorten(error.strip().splitlines()[-1].strip(), LONGEST_QUOTE)


def question_parts(record: StepRecord, n: int, language: Language) -> dict[str, tuple[Area, Part]]:
    """Ask whether what is saved fits another length; the answer was tried."""
    if record.fails_on_load is None:
        saved = words.BETWEEN.say(language).join(record.state_dict)
        answer = words.LOADS.say(language, saved=saved)
    else:
        shape, error = by_times(record.mask.shape), quoted(record.fails_on_load)
        answer = words.FAILS.say(language, shape=shape, error=error)
    return asked_parts(words.QUESTION.say(language, longer=n + 1), answer, language)
