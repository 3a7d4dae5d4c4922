"""The chosen attentions timed on the server beside full attention, at a length the reader picks."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import streamlit as st

from attention_core.experiments.timed_variants import (
    TimedVariant,
    VariantPlan,
    longest_length,
    measure_variants,
    predict_bytes,
)
from attention_core.variant_runs import Choices, Name
from dashboard import controls
from dashboard.controls import State
from dashboard.grid import compact, grid_part
from dashboard.grid.bench import Part, show_bench
from dashboard.grid.lines import Line, lines_part, prose
from dashboard.number_format import BINARY, in_units, significant
from dashboard.number_table import grid_labels, with_texts
from dashboard.panels.long_run import Found, Task, latest, long_run
from dashboard.panels.variants.compare_model import Compared, choices_of
from dashboard.panels.variants.fields import TIMED_LENGTHS
from dashboard.text import Language
from dashboard.text import variant_compare as compare_words
from dashboard.text import variant_times as words
from dashboard.text import variants as lesson_words

RUN = "variants"
MOST_BYTES = 2**30
MILLI = 1e3
N_HEADS, D_K = 4, 64


def timing(state: State, now: Compared) -> None:
    """Offer the measurement, folded away at first."""
    language = state.language
    with controls.disclosure(words.TITLE.say(language), "variants.times") as is_open:
        if is_open:
            measure(state, now)


def measure(state: State, now: Compared) -> None:
    """Ask for length and size, run, and show what came."""
    language = state.language
    with st.container(horizontal=True, vertical_alignment="bottom"):
        lengths = {n: f"{int(n):,}" for n in TIMED_LENGTHS}
        controls.choose(state, "time_n", words.LENGTH, words.LENGTH_HELP, lengths)
        controls.whole_number(state, "time_size", words.SIZE, words.SIZE_HELP, width=150)
    names = tuple(dict.fromkeys(run.name for _, run in now.runs() if run.name != "full"))
    if not names:
        st.info(words.NOTHING.say(language))
    plan, choices = plan_of(state, names), sizes_of(state)
    task = None
    if plan is not None and not refuses(state, plan, choices):
        task = Task(measure_variants, (plan, choices), TimedVariant, len(plan.names))
        mask = compare_words.MASKS[plan.is_causal].say(language)
        st.caption(words.LEAD.say(language, h=N_HEADS, d_k=D_K, mask=mask, repeats=plan.repeats))
    found = latest(RUN)
    if found is not None and task is not None and found.task != task:
        st.caption(words.MOVED.say(language))
    long_run(RUN, task, language, partial(draw, language=language))


def plan_of(state: State, names: tuple[Name, ...]) -> VariantPlan | None:
    """Turn the settings into a plan; None where nothing but full attention is chosen."""
    if not names:
        return None
    sizes = {"n_heads": N_HEADS, "d_k": D_K, "is_causal": state["is_causal"]}
    return VariantPlan(names=names, n=int(state["time_n"]), **sizes)


def sizes_of(state: State) -> Choices:
    """Give the settings of the measurement: those of the view, but for sizes that belong to a long text."""
    size = state["time_size"]
    long_sizes = dict.fromkeys(("width", "block", "stride"), size)
    return replace(
        choices_of(state),
        **long_sizes,
        rank=min(size, int(state["time_n"])),
        n_kv_heads=1,
        d_q=D_K,
    )


def refuses(state: State, plan: VariantPlan, choices: Choices) -> bool:
    """Tell whether a plan holds too much; say so, and offer the longest that does not."""
    language, size = state.language, predict_bytes(plan, choices)
    if size <= MOST_BYTES:
        return False
    fields = {"memory": in_units(size, BINARY), "most": in_units(MOST_BYTES, BINARY)}
    st.error(words.TOO_LARGE.say(language, n=f"{plan.n:,}", **fields))
    lengths = [int(n) for n in TIMED_LENGTHS]
    nearest = longest_length(plan, choices, MOST_BYTES, lengths)
    if nearest is not None:
        label = words.TAKE.say(language, n=f"{nearest:,}")
        controls.button(label, "variants.take.n", state.put, "time_n", str(nearest))
    return True


def draw(found: Found | None, *, language: Language) -> None:
    """Show what has been timed so far, and what it says."""
    if found is None or not found.records:
        return
    plan, _ = found.task.arguments
    said = [say_one(timed, language) for timed in found.records]
    said += [words.ALL_SCORES.say(language), words.RANDOM.say(language)]
    lines = [Line(prose(text), "prose") for text in said]
    parts = {
        "times": ("top", times_part(plan, found.records, language)),
        "said": ("end", lines_part(words.SAID.say(language), lines)),
    }
    show_bench("bench.times", parts)


def say_one(timed: TimedVariant, language: Language) -> str:
    """Say whether one attention is faster; where the runs lie on both sides of 1, that it cannot be told."""
    text = words.UNCLEAR
    if timed.lowest_ratio > 1:
        text = words.FASTER
    elif timed.highest_ratio < 1:
        text = words.SLOWER
    fields = {
        "name": lesson_words.NAMES[timed.name].say(language),
        "ratio": significant(timed.ratio),
        "low": significant(timed.lowest_ratio),
        "high": significant(timed.highest_ratio),
        "flops": significant(timed.full_flops / timed.own_flops),
    }
    return text.say(language, **{name: fields[name] for name in text.fields(language)})


def times_part(plan: VariantPlan, records: Sequence[TimedVariant], language: Language) -> Part:
    """Describe the table: a row an attention."""
    texts = [
        [
            significant(MILLI * timed.full_s),
            significant(MILLI * timed.own_s),
            significant(timed.ratio),
            f"{significant(timed.lowest_ratio)} – {significant(timed.highest_ratio)}",
            significant(timed.full_flops / timed.own_flops),
            significant(timed.error),
        ]
        for timed in records
    ]
    part = grid_part(
        [[0.0] * len(words.COLUMNS) for _ in records],
        title=words.TABLE.say(language, n=f"{plan.n:,}"),
        labels=replace(grid_labels(language, "row", "column"), row=words.ATTENTION.say(language)),
        row_labels=[lesson_words.NAMES[timed.name].say(language) for timed in records],
        column_labels=[text.say(language) for text in words.COLUMNS],
    )
    return compact(with_texts(part, texts, texts))
