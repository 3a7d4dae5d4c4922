"""Softmax in three forms and four number types, and one scaled score in two orders: what overflows (S6)."""

import math
from collections.abc import Sequence
from dataclasses import replace

import pandas as pd
import streamlit as st
import torch

from attention_core.components import DTYPES
from attention_core.experiments.overflow import (
    RUNS,
    ExpLimit,
    ScaleOrder,
    SoftmaxRun,
    compare_with_torch,
    measure_exp_limits,
    measure_scale_order,
    measure_softmaxes,
)
from dashboard import controls
from dashboard.controls import State
from dashboard.frame import asked_parts, source, table
from dashboard.grid import grid_part
from dashboard.grid.bench import Area, Part, show_bench
from dashboard.grid.lines import Line, Piece, lines_part, prose
from dashboard.number_format import exact, significant
from dashboard.number_table import grid_labels, table_part
from dashboard.panels.scaling.rows import typed_row
from dashboard.panels.scaling.settings import keep_script_in_line
from dashboard.panels.scaling.temperature import plain
from dashboard.text import Language, Text
from dashboard.text import softmax as words

PRESETS = {
    "notes": "151.29, 150.29",
    "far": "10000, 0",
    "low": "-1000, -1000, -1000",
    "small": "12, 11",
    "limit": "89, 88",
}
SHIFT = 1000.0
# A weight below this is 0 for any reader.
NEGLIGIBLE = 1e-6
MOST_LISTED = 8


@controls.fragment
def overflow(state: State) -> None:
    """Show what each form gives in each type, the steps of one, the limits behind it, and the two orders."""
    language = state.language
    row = typed_row(state, "scores", words.ROW, words.SCORES_HELP)
    keep_script_in_line(state)
    with st.container(horizontal=True, gap="small"):
        for name, scores in PRESETS.items():
            controls.button(f"[{scores}]".replace("-", "−"), f"preset.{name}", take_preset, state, name)
    if row is not None:
        show_runs(state, row)
    st.subheader(words.ORDER_HEADING.say(language), anchor=False)
    show_order(state)
    source([*RUNS.values(), compare_with_torch, measure_scale_order], language)


def take_preset(state: State, name: str) -> None:
    """Put a row into the box, and open the run in which it shows something."""
    state.put("scores", PRESETS[name])
    state.put("run_dtype", "float16" if name == "small" else "float32")
    state.put("run_form", "naive")


def show_runs(state: State, row: tuple[float, ...]) -> None:
    """Show all runs, the reader's own step by step, and how large an argument exp takes."""
    language = state.language
    with st.container(horizontal=True):
        controls.choose(state, "run_dtype", words.DTYPE, words.DTYPE_HELP, {name: name for name in DTYPES})
        controls.choose(state, "run_form", words.FORM, words.FORM_HELP, words.FORMS)
    runs, limits = measure_softmaxes(row), measure_exp_limits()
    run = chosen(runs, state["run_dtype"], state["run_form"])
    badge = Line(prose(words.RUNS_NOTE.say(language)), "note")
    said = [Line(prose(say_run(row, run, limits, language)), "prose")]
    why = [Line(prose(text), "prose") for text in reasons(row, runs, run, limits, language)]
    parts: dict[str, tuple[Area, Part]] = {
        "runs": ("left", runs_part(state, runs, run)),
        "steps": ("right", steps_part(run, language)),
        "said": ("right", lines_part(words.RUNS_TITLE.say(language), [badge, *said])),
        "why": ("right", lines_part(words.FORM.say(language), why)),
        "limits": ("below", limits_part(limits, language)),
    }
    show_bench("bench.overflow", parts | question_parts(row, language))
    table(lambda: steps_frame(runs, language), "softmaxes", language, words.STEPS_TABLE)


def chosen(runs: Sequence[SoftmaxRun], dtype: str, form: str) -> SoftmaxRun:
    """Find the run of one type and form."""
    return next(run for run in runs if (run.dtype, run.form) == (dtype, form))


def runs_part(state: State, runs: Sequence[SoftmaxRun], run: SoftmaxRun) -> Part:
    """Describe the weights of every run; picking one shows its steps."""
    language = state.language

    def pick(place: int, _: int) -> None:
        state.put("run_dtype", runs[place].dtype)
        state.put("run_form", runs[place].form)

    labels = grid_labels(language, "row", "key")
    found = len(run.weights)
    title = words.RUNS_TITLE if found <= MOST_LISTED else words.RUNS_FIRST
    counts = {} if found <= MOST_LISTED else {"shown": MOST_LISTED, "found": found}
    return grid_part(
        [one.weights[:MOST_LISTED] for one in runs],
        title=title.say(language, **counts),
        labels=replace(labels, footer=words.OUTCOME.say(language)),
        role="weights",
        row_labels=[name_of(one, language) for one in runs],
        column_labels=[f"k{place}" for place in range(1, min(found, MOST_LISTED) + 1)],
        picked=(runs.index(run), 0),
        on_pick=pick,
        footer=[outcome(one, language) for one in runs],
    )


def name_of(run: SoftmaxRun, language: Language) -> str:
    """Name a run by its type and form."""
    return f"{run.dtype} · {words.FORMS[run.form].say(language)}"


def fault_of(run: SoftmaxRun) -> str:
    """Name what first went wrong; a score sunk to −∞ is a fault of its own."""
    is_sunk = run.first_fault_step == "scores" and math.isfinite(max(run.steps["scores"]))
    return "sunk" if is_sunk else run.first_fault_step


def symbol_of(run: SoftmaxRun) -> str:
    """Write the first fault as a sign."""
    return words.FAULTS["sunk" if fault_of(run) == "sunk" else run.first_fault]


def outcome(run: SoftmaxRun, language: Language) -> str:
    """Say in a few words what became of a run."""
    if run.first_fault_step is None:
        return words.FINE.say(language, difference=significant(run.largest_difference, 2))
    step = words.STEPS[run.first_fault_step].say(language)
    return words.FAULT_AT.say(language, step=step, fault=symbol_of(run))


def steps_part(run: SoftmaxRun, language: Language) -> Part:
    """Describe every number of a run, step by step."""
    form = words.FORMS[run.form].say(language)
    title = words.STEPS_OF.say(language, dtype=run.dtype, form=form)
    lines = [Line([Piece(title)], "heading")]
    for step, values in run.steps.items():
        pieces = [Piece(f"{words.STEPS[step].say(language)}:"), *(Piece(plain(v, 5)) for v in values)]
        if step == run.first_fault_step:
            pieces.append(Piece(words.FIRST_HERE.say(language, fault=symbol_of(run))))
        lines.append(Line(pieces))
    return lines_part(title, lines)


def limits_part(limits: Sequence[ExpLimit], language: Language) -> Part:
    """Describe how large an argument of exp each type takes."""
    return table_part(
        [(limit.largest, limit.expected, limit.exp_of_largest) for limit in limits],
        words.LIMITS_TITLE.say(language),
        language,
        rows=[limit.dtype for limit in limits],
        columns=[text.say(language) for text in words.LIMITS_COLUMNS],
    )


def say_limit(limit: ExpLimit, language: Language) -> str:
    """Say where exp ends in the reader's type, with as many digits as tell the two numbers apart."""
    digits = next(n for n in range(9, 18) if plain(limit.largest, n) != plain(limit.next_number, n))
    return words.LIMITS_SEE.say(
        language,
        dtype=limit.dtype,
        largest=plain(limit.largest, digits),
        next=plain(limit.next_number, digits),
    )


def reasons(
    row: tuple[float, ...],
    runs: Sequence[SoftmaxRun],
    run: SoftmaxRun,
    limits: Sequence[ExpLimit],
    language: Language,
) -> list[str]:
    """Say where exp ends, why subtracting helps, what torch does, and what bfloat16 is like."""
    difference = compare_with_torch(row, run.dtype)
    by_torch = words.TORCH_LOST.say(language, dtype=run.dtype)
    if difference is not None:
        by_torch = words.TORCH.say(language, dtype=run.dtype, difference=significant(difference, 2))
    top = max(range(len(row)), key=row.__getitem__)
    held = chosen(runs, "bfloat16", "shifted").steps["scores"][top]
    half = words.BFLOAT16.say(
        language,
        limit=significant(next(one.largest for one in limits if one.dtype == "bfloat16")),
        top=plain(row[top]),
        held=plain(held),
    )
    limit = next(one for one in limits if one.dtype == run.dtype)
    said = [say_limit(limit, language), words.WHY_SHIFT.say(language), by_torch]
    return [*said, half] if held != row[top] else said


def say_run(row: tuple[float, ...], run: SoftmaxRun, limits: Sequence[ExpLimit], language: Language) -> str:
    """Say what became of one run, with the numbers that made it so."""
    limit = next(one.largest for one in limits if one.dtype == run.dtype)
    known = {
        "dtype": run.dtype,
        "form": words.FORMS[run.form].say(language),
        "difference": significant(run.largest_difference, 2),
        "top": plain(max(run.steps["scores"])),
        "limit": significant(limit),
        "largest": plain(max(row)),
        "smallest": plain(min(row)),
        "held": significant(max(run.steps["scores"])),
        "n": len(row),
        "lost": sum(map(math.isnan, run.weights)),
        "sunk": significant(run.sunk_weight),
    }
    fault = fault_of(run)
    if fault == "sunk" and run.sunk_weight > NEGLIGIBLE:
        fault = "sunk_lost"
    text = words.RUN_FINE if run.first_fault_step is None else words.RUN_FAULTS[fault]
    return text.say(language, **known)


def question_parts(row: tuple[float, ...], language: Language) -> dict[str, tuple[Area, Part]]:
    """Ask what a shift of all scores does; the answer is run."""
    before = chosen(measure_softmaxes(row, ["float64"]), "float64", "shifted")
    moved = measure_softmaxes([score + SHIFT for score in row], ["float64"])
    naive, shifted = (chosen(moved, "float64", form) for form in ("naive", "shifted"))
    change = max(abs(a - b) for a, b in zip(shifted.weights, before.weights, strict=True))
    answer = words.ANSWER_SHIFT.say(
        language,
        naive=listed(naive.weights),
        shifted=listed(shifted.weights),
        difference=significant(change, 2),
    )
    return asked_parts(words.QUESTION_SHIFT.say(language), answer, language)


def listed(numbers: Sequence[float]) -> str:
    """Write the first few numbers of a row."""
    said = ", ".join(map(significant, numbers[:MOST_LISTED]))
    return f"[{said}{', …' if len(numbers) > MOST_LISTED else ''}]"


def steps_frame(runs: Sequence[SoftmaxRun], language: Language) -> pd.DataFrame:
    """List every number of every run; as text, so that ∞ and NaN are seen in a table and in CSV."""
    rows = [
        (run.dtype, words.FORMS[run.form].say(language), words.STEPS[step].say(language), place, exact(value))
        for run in runs
        for step, values in run.steps.items()
        for place, value in enumerate(values, 1)
    ]
    return pd.DataFrame(rows, columns=[text.say(language) for text in words.STEPS_COLUMNS])


def show_order(state: State) -> None:
    """Show one scaled score in both orders, in every type."""
    language = state.language
    with st.container(horizontal=True):
        controls.whole_number(state, "d_k", words.D_K, words.D_K_HELP, width=170)
        controls.decimal(state, "size", words.SIZE, words.SIZE_HELP, 1.0, width=260)
    side = [float(state["size"])] * state["d_k"]
    orders = measure_scale_order(side, side)
    said = [
        Line(prose(words.ORDER_NOTE.say(language)), "note"),
        *(Line(prose(text), "prose") for text in say_order(state, orders)),
    ]
    parts: dict[str, tuple[Area, Part]] = {
        "orders": ("left", orders_part(orders, language)),
        "order": ("right", lines_part(words.ORDER_HEADING.say(language), said)),
    }
    show_bench("bench.order", parts)


def orders_part(orders: Sequence[ScaleOrder], language: Language) -> Part:
    """Describe the numbers of both orders, and whether the order matters."""
    return table_part(
        [(one.score, one.scaled_after, one.scaled_before, one.expected) for one in orders],
        words.ORDER_TITLE.say(language),
        language,
        rows=[one.dtype for one in orders],
        columns=[text.say(language) for text in words.ORDER_COLUMNS],
        verdicts=[verdict(one).say(language) for one in orders],
        verdict=words.OUTCOME.say(language),
    )


def verdict(order: ScaleOrder) -> Text:
    """Choose the words for one type."""
    if order.is_cured:
        return words.CURED
    if order.scaled_before == 0 != order.expected:
        return words.UNDERFLOW
    return words.FITS if math.isfinite(order.scaled_before) else words.LOST


def say_order(state: State, orders: Sequence[ScaleOrder]) -> list[str]:
    """Say what the two orders give in float16, and why."""
    language = state.language
    half, exact_one = (next(one for one in orders if one.dtype == name) for name in ("float16", "float64"))
    see = words.ORDER_SEE.say(
        language,
        d_k=state["d_k"],
        size=plain(state["size"]),
        score=significant(exact_one.score),
        expected=significant(exact_one.expected),
        largest=plain(torch.finfo(DTYPES["float16"]).max),
    )
    why = {words.CURED: words.ORDER_CURED, words.FITS: words.ORDER_FITS, words.LOST: words.ORDER_LOST}
    why[words.UNDERFLOW] = words.ORDER_UNDERFLOW
    fields = {"before": significant(half.scaled_before)} if half.is_cured else {}
    return [see, why[verdict(half)].say(language, **fields), words.LAB_FLOAT32.say(language)]
