"""Writing a text on the server, with a cache and without: refused where it is too much, drawn as it comes."""

import math
from dataclasses import replace
from functools import partial

import streamlit as st

from attention_core.components import spacing_at
from attention_core.decode_cost import Writing, cache_term, step_flops, text_cost
from attention_core.experiments.decoding import (
    MAX_STRETCHES,
    DecodingPlan,
    Octave,
    Stretch,
    collect,
    find_excess,
    is_rounding,
    list_octaves,
    write_in_stretches,
    written_part,
)
from dashboard import controls
from dashboard.charts.decoding import spreads_widely, times_frame, token_times
from dashboard.controls import State
from dashboard.grid import compact, grid_part
from dashboard.grid.bench import Part, show_bench
from dashboard.grid.lines import Line, lines_part, prose
from dashboard.number_format import significant
from dashboard.number_table import grid_labels, with_texts
from dashboard.panels.complexity.decoding_said import numbers_of
from dashboard.panels.long_run import Found, Task, latest, long_run
from dashboard.text import Language
from dashboard.text import complexity as lesson_words
from dashboard.text import complexity_decoding as words
from dashboard.text import heads as head_words

RUN = "decoding"
MICRO = 1e6


def run_or_refuse(state: State, writing: Writing) -> None:
    """Offer to write the text; where that is too much, name the bound and what is within it."""
    language, excess = state.language, find_excess(writing, state["dtype"])
    st.markdown(words.RUN_LEAD.say(language))
    if excess is not None:
        numbers = {"value": f"{excess.value:,}", "most": f"{excess.most:,}", "nearest": f"{excess.nearest:,}"}
        numbers["dtype"] = state["dtype"]
        text = words.TOO_MUCH[excess.rule]
        st.error(text.say(language, **{name: numbers[name] for name in text.fields(language)}))
        sign, field = ("d_model", "d_model") if excess.rule == "d_model" else ("N", "decode_n")
        label = head_words.TAKE_VALUE.say(language, name=sign, value=excess.nearest)
        controls.button(label, "decoding.take.nearest", state.put, field, str(excess.nearest))
    task = None if excess is not None else task_of(plan_of(state, writing))
    found = latest(RUN)
    long_run(RUN, task, language, partial(draw, language=language))
    if found is not None and found.task != task:
        st.caption(words.MOVED.say(language))


def plan_of(state: State, writing: Writing) -> DecodingPlan:
    """Turn a text that is not too much into what is run."""
    setting = writing.setting
    return DecodingPlan(
        n=setting.n,
        d_model=setting.d_model,
        n_heads=setting.n_heads,
        n_kv_heads=setting.kv_heads,
        width=writing.width,
        cache=writing.cache,
        dtype=state["dtype"],
    )


def task_of(plan: DecodingPlan) -> Task:
    """Turn a plan into what the queue takes."""
    size = -(-plan.n // MAX_STRETCHES)
    return Task(write_in_stretches, (plan,), Stretch, -(-plan.n // size))


def draw(found: Found | None, *, language: Language) -> None:
    """Show what has been written so far: times, their table, and what they and the outputs say."""
    if found is None or not found.records:
        return
    (plan,) = found.task.arguments
    written = collect(found.records)
    octaves = list_octaves(written)
    show_times(octaves, plan.n, language)
    said = [say_settings(plan, language), *say_times(plan, written, octaves, language)]
    said += [*say_outputs(plan, written, language), say_bytes(plan, written, language)]
    lines = [Line(prose(text), "prose") for text in said]
    parts = {
        "times": ("below", times_part(octaves, language)),
        "measured": ("end", lines_part(lesson_words.SAID.say(language), lines, has_own_row=True)),
    }
    show_bench("bench.decoding.times", parts)


def show_times(octaves: tuple[Octave, ...], n: int, language: Language) -> None:
    """Draw the median time of a token from one doubling to the next, and how far times spread, over the whole text."""
    names = {"recomputed": words.WITHOUT.say(language), "cached": words.WITH.say(language)}
    rows = [
        (
            names[way],
            places(octave),
            octave.middle,
            *(MICRO * one for one in (of.median_s, of.lowest_s, of.highest_s)),
        )
        for way in names
        for octave in octaves
        if (of := getattr(octave, way))
    ]
    ends = {
        f"{name}_{place}": significant(MICRO * getattr(octaves[index], way).median_s)
        for name, way in (("cached", "cached"), ("again", "recomputed"))
        for place, index in (("first", 0), ("last", -1))
    }
    titles = (text.say(language) for text in (words.MIDDLE_AXIS, words.TIME_AXIS, words.FORM))
    frame = times_frame(rows)
    st.vega_lite_chart(
        frame,
        token_times(*titles, tuple(names.values()), n, is_wide=spreads_widely(frame)),
        key="chart.decoding.times",
        alt=words.TIMES_ALT.say(language, first=1, last=f"{octaves[-1].last:,}", **ends),
    )


def places(octave: Octave) -> str:
    """Write which tokens an octave holds."""
    return f"{octave.first:,}" if octave.first == octave.last else f"{octave.first:,}–{octave.last:,}"


def times_part(octaves: tuple[Octave, ...], language: Language) -> Part:
    """Describe the table: a row for each doubling, both medians with their ends, and how many times."""
    part = grid_part(
        [[0.0] * len(words.TIME_COLUMNS) for _ in octaves],
        title=words.TIMES.say(language),
        labels=replace(grid_labels(language, "row", "column"), row=words.ROW.say(language)),
        row_labels=[f"t = {places(octave)}" for octave in octaves],
        column_labels=[text.say(language) for text in words.TIME_COLUMNS.values()],
    )
    texts, exact = [], []
    for octave in octaves:
        cached, again = octave.cached, octave.recomputed
        ratio = again.median_s / cached.median_s
        ends = [
            "–".join(significant(MICRO * one) for one in (timing.lowest_s, timing.highest_s))
            for timing in (cached, again)
        ]
        medians = [MICRO * cached.median_s, MICRO * again.median_s]
        texts.append([significant(medians[0]), ends[0], significant(medians[1]), ends[1], significant(ratio)])
        exact.append([repr(medians[0]), ends[0], repr(medians[1]), ends[1], repr(ratio)])
    return compact(with_texts(part, texts, exact))


def say_settings(plan: DecodingPlan, language: Language) -> str:
    """Say what the numbers belong to."""
    setting = plan.writing.setting
    window = words.AT_NO_WINDOW if plan.width is None else words.AT_WINDOW
    return words.MEASURED_AT.say(
        language,
        n=f"{plan.n:,}",
        d_model=f"{plan.d_model:,}",
        h=f"{plan.n_heads:,}",
        kv=f"{setting.kv_heads:,}",
        window=window.say(language, **({} if plan.width is None else {"w": f"{plan.width:,}"})),
        cache=words.CACHES[plan.cache].say(language),
        dtype=plan.dtype,
        seed=plan.seed,
    )


def say_times(
    plan: DecodingPlan, written: Stretch, octaves: tuple[Octave, ...], language: Language
) -> list[str]:
    """Say how long all tokens took both ways, and what the last doubling did to the time of one."""
    fields = {
        "n": f"{written.n:,}",
        "cached": significant(sum(written.cached_s)),
        "again": significant(sum(written.recomputed_s)),
        "times": significant(written.speedup),
    }
    if written.n < plan.n:
        said = [words.TOOK_SO_FAR.say(language, all=f"{plan.n:,}", **fields)]
    else:
        both = (text_cost(plan.writing, "flops", has_cache=has_cache) for has_cache in (False, True))
        again, cached = both
        said = [words.TOOK.say(language, flops=significant(again / cached), **fields)]
    whole = [octave for octave in octaves if octave.last == 2 * octave.first - 1]
    return [*said, say_doubled(plan, whole[-2], whole[-1], language)] if len(whole) > 1 else said


def say_doubled(plan: DecodingPlan, before: Octave, after: Octave, language: Language) -> str:
    """Compare two doublings that were written whole: times as measured beside FLOPs by formula."""

    def flops(octave: Octave, *, has_cache: bool) -> float:
        around = math.floor(octave.middle), math.ceil(octave.middle)
        return sum(step_flops(plan.writing, token, has_cache=has_cache) for token in around) / 2

    return words.DOUBLED.say(
        language,
        a=places(before),
        b=places(after),
        cached=significant(after.cached.median_s / before.cached.median_s),
        cached_flops=significant(flops(after, has_cache=True) / flops(before, has_cache=True)),
        again=significant(after.recomputed.median_s / before.recomputed.median_s),
        again_flops=significant(flops(after, has_cache=False) / flops(before, has_cache=False)),
    )


def say_outputs(plan: DecodingPlan, written: Stretch, language: Language) -> list[str]:
    """Say how far outputs lie apart, and what a known fault does to them."""
    largest = max(written.difference, written.to_whole)
    same = words.SAME if is_rounding(largest, plan.dtype) else words.NOT_SAME
    said = same.say(
        language,
        difference=significant(written.difference),
        whole=significant(written.to_whole),
        dtype=plan.dtype,
        eps=significant(spacing_at(1, plan.dtype)),
    )
    if written.n == 1:
        return [said, words.FAULT_HIDDEN.say(language)]
    return [said, words.FAULT.say(language, restarted=significant(written.restarted))]


def say_bytes(plan: DecodingPlan, written: Stretch, language: Language) -> str:
    """Set the bytes of the tensors beside the formula."""
    term = cache_term(written_part(plan, written))
    text = words.BYTES_SAME if written.cache_bytes == term.value else words.BYTES_OTHER
    return text.say(
        language,
        found=f"{written.cache_bytes:,}",
        formula=term.formula,
        numbers=numbers_of(term),
        expected=f"{term.value:,}",
    )
