"""Dropout on the weights of one head: one draw, many draws, both modes, and PyTorch's function (H7)."""

import math
from dataclasses import replace
from functools import partial

import streamlit as st
import torch

from attention_core.experiments.weight_dropout import (
    DROPOUT_PS,
    Careful,
    Careless,
    MeanOfDraws,
    OneDraw,
    average_draws,
    compare_modes,
    compare_with_torch,
    draw_once,
    show_trap,
)
from attention_core.steps import drop
from dashboard import controls
from dashboard.controls import State
from dashboard.frame import asked_and_measured, source
from dashboard.grid import compact, grid_part, verdicts_first
from dashboard.grid.bench import Area, Part, show_bench
from dashboard.grid.lines import Line, lines_part, prose
from dashboard.number_format import MINUS, significant
from dashboard.number_table import grid_labels, table_part
from dashboard.panels.heads.dropout_model import (
    TORCH_DRAWS,
    OneHead,
    attended,
    drawn,
    head_of,
    means_of,
    modes_of,
    torch_of,
    traps_of,
)
from dashboard.panels.heads.legal import has_legal_heads
from dashboard.text import Language
from dashboard.text import frame as frame_words
from dashboard.text import head_dropout as words
from dashboard.text.heads import HEAD_MOVED

Parts = dict[str, tuple[Area, Part]]

RAN = [
    drop,
    Careless,
    Careful,
    draw_once,
    average_draws,
    compare_modes,
    show_trap,
    compare_with_torch,
]
# Deviations in float64 below this are rounding; chance stays below so many standard deviations.
ROUNDING, MOST_STDS = 1e-12, 5


@controls.fragment
def dropout(state: State) -> bool:
    """Ask for p, the mode, the draw and the head; show the weights before and after, and what they say."""
    if not has_legal_heads(state):
        return False
    language, row = state.language, st.container(horizontal=True)  # filled last: see controls.fragment
    state.narrow("dropout_head", state["h"])
    one, p = head_of(state), state["dropout_p"]
    now = drawn(one, p, state["dropout_mode"], state["dropout_draw"])
    before = before_part(one, now, language)
    parts: Parts = {
        "address": ("top", controls.address_part(state)),
        "note": ("top", note_part(state, one, now, has_sums=before.data["footer"] is not None)),
        "before": ("below", before),
        "after": ("below", after_part(state, one, now)),
        "means": ("below", means_part(state, one)),
    }
    lines = [Line(prose(text), "prose") for text in readings(state, one, now)]
    parts["said"] = ("end", lines_part(words.SAID.say(language), lines))
    show_bench("bench.dropout", parts | question_parts(state, one))
    with row:
        choose(state)
    source(RAN, language)
    return True


def choose(state: State) -> None:
    """Ask for p, the mode, the draw and the head."""
    controls.steps(state, "dropout_p", words.P, words.P_HELP, DROPOUT_PS, said, width=300)
    controls.choose(state, "dropout_mode", words.MODE, words.MODE_HELP, words.MODES)
    controls.whole_number(state, "dropout_draw", words.DRAW, words.DRAW_HELP, width=190)
    names = [words.HEAD_NAME.say(state.language, head=head) for head in range(1, state["h"] + 1)]
    head = words.HEAD, words.HEAD_HELP, names
    controls.choose_place(state, "dropout_head", *head, moved=HEAD_MOVED, width=150)


def said(p: float) -> str:
    """Write a probability as a reader typed it.

    Example:
        >>> said(0.5), said(0.0), said(1e-9)
        ('0.5', '0', '1e−09')
    """
    return f"{p:g}".replace("-", MINUS)


def note_part(state: State, one: OneHead, now: OneDraw, *, has_sums: bool) -> Part:
    """Say where the numbers come from, and what the signs of the pictures mean."""
    language = state.language
    note = words.NOTE.say(
        language, seed=one.seed, head=one.head + 1, heads=one.n_heads, version=torch.__version__
    )
    said_of = say_signs(now, language, is_eval=state["dropout_mode"] == "eval", is_causal=one.is_causal)
    said_of += words.LEGEND_SUMS.say(language) if has_sums else ""
    lines = [Line(prose(note), "note"), Line(prose(said_of), "note")]
    return lines_part(words.VIEW.say(language), lines)


def say_signs(now: OneDraw, language: Language, *, is_eval: bool, is_causal: bool) -> str:
    """Say what a hatched cell is; where nothing is dropped, that."""
    if now.n_dropped:
        return (words.LEGEND_CAUSAL if is_causal else words.LEGEND).say(language)
    legend = (words.LEGEND_EVAL if is_eval else words.LEGEND_NONE).say(language)
    return legend + (words.LEGEND_MASKED.say(language) if is_causal else "")


def reach_of(now: OneDraw) -> float:
    """Give both pictures one scale: 1 reaches to the top unless an enlarged weight is larger."""
    return max(1.0, float(now.dropped.max()))


def before_part(one: OneHead, now: OneDraw, language: Language) -> Part:
    """Describe the weights before dropout."""
    allowed = attended(one).allowed
    part = grid_part(
        now.weights.numpy(),
        title=words.BEFORE.say(language),
        labels=replace(grid_labels(language, "query", "key"), value=words.WEIGHT.say(language)),
        row_labels=one.tokens,
        column_labels=one.tokens,
        role="weights",
        scale="sequential",
        domain=reach_of(now),
        masked=None if allowed is None else (~allowed).numpy(),
        footer=[significant(total) for total in now.weights.sum(dim=-1).tolist()],
    )
    return verdicts_first(compact(part))


def after_part(state: State, one: OneHead, now: OneDraw) -> Part:
    """Describe the weights that this draw leaves; what is dropped and what a mask hides are told apart."""
    language, allowed = state.language, attended(one).allowed
    is_dropped = (now.weights > 0) & (now.dropped == 0)
    is_gone = is_dropped if allowed is None else is_dropped | ~allowed
    labels = replace(
        grid_labels(language, "query", "key"),
        value=words.WEIGHT.say(language),
        masked=(words.DROPPED_CELL if allowed is None else words.ZERO_CELL).say(language),
        marked=words.DROPPED_CELL.say(language),
        dead_row=words.NOTHING_LEFT.say(language),
    )
    title = words.AFTER.say(language, draw=state["dropout_draw"], p=said(now.dropout_p))
    part = grid_part(
        now.dropped.numpy(),
        title=words.AFTER_EVAL.say(language) if state["dropout_mode"] == "eval" else title,
        labels=labels,
        row_labels=one.tokens,
        column_labels=one.tokens,
        role="weights",
        scale="sequential",
        domain=reach_of(now),
        masked=is_gone.numpy(),
        marked=() if allowed is None else [tuple(place) for place in is_dropped.nonzero().tolist()],
        footer=[significant(total) for total in now.row_sums.tolist()],
    )
    return verdicts_first(compact(part))


def means_part(state: State, one: OneHead) -> Part:
    """Describe how far the mean over draws is from the undropped weights."""
    language, p = state.language, state["dropout_p"]
    records = means_of(one, p, state["dropout_draw"])
    return table_part(
        [[r.largest_deviation, r.largest_std, r.rms_deviation, r.expected_rms] for r in records],
        words.TABLE.say(language, p=said(p)),
        language,
        rows=[words.DRAWS_ROW.say(language, draws=record.draws) for record in records],
        columns=[text.say(language) for text in words.COLUMNS],
    )


def readings(state: State, one: OneHead, now: OneDraw) -> list[str]:
    """Say what this draw took, what many come to, what evaluation does, and where the trap is."""
    return [
        *say_draw(state, now),
        say_mean(state, one),
        say_layer(state, one),
        say_trap(state, one),
        words.WHY.say(state.language),
    ]


def say_draw(state: State, now: OneDraw) -> list[str]:
    """Say what is dropped, what the kept are multiplied by, and what rows sum to."""
    language, p = state.language, said(state["dropout_p"])
    sums = of_rows(now.row_sums, language)
    if state["dropout_mode"] == "eval":
        difference = significant(float((now.dropped - now.weights).abs().max()))
        return [words.EVAL_SHOWN.say(language, p=p, difference=difference, sums=sums)]
    dropped = words.DROPPED.say(
        language,
        draw=state["dropout_draw"],
        n=now.n_weights,
        dropped=now.n_dropped,
        share=significant(now.dropped_share),
        p=p,
        factor=significant(now.kept_factor),
    )
    if now.dropout_p == 0:
        return [dropped, words.ROWS_AT_ZERO.say(language, sums=sums)]
    strays = of_rows(now.expected_row_std, language)
    return [dropped, words.ROWS.say(language, sums=sums, strays=strays)]


def of_rows(numbers: torch.Tensor, language: Language) -> str:
    """Say what all rows have: from the least to the most, or the one number that all come to."""
    low, high = (significant(float(end)) for end in numbers.aminmax())
    return words.OF_ROWS[low == high].say(language, low=low, high=high)


def say_mean(state: State, one: OneHead) -> str:
    """Say that the mean comes to the undropped weights, and how much of it is chance; rounding does not shrink."""
    first, *_, last = means_of(one, state["dropout_p"], state["dropout_draw"])
    fields = {
        "few": first.draws,
        "many": last.draws,
        "first": significant(first.largest_deviation),
        "last": significant(last.largest_deviation),
    }
    if last.largest_deviation <= ROUNDING:
        return words.MEAN_ROUNDING.say(state.language, **fields)
    stds = last.largest_deviation / last.largest_std
    return words.MEAN.say(
        state.language,
        **fields,
        root=significant(math.sqrt(last.draws / first.draws)),
        stds=significant(stds),
        verdict=words.BY_CHANCE[stds <= MOST_STDS].say(state.language, most=MOST_STDS),
    )


def twice(dropout_p: float, difference: float) -> str:
    """Name what two runs that drop show: that they differ, or by chance do not, or that there is nothing to drop."""
    if dropout_p == 0:
        return "at_zero"
    return "differs" if difference > 0 else "alike"


def say_layer(state: State, one: OneHead) -> str:
    """Say that a layer in evaluation repeats itself and equals the one without dropout, and what training does."""
    modes = modes_of(one, state["dropout_p"])
    layer = words.LAYER.say(
        state.language,
        eval_twice=significant(modes.eval_twice),
        eval_plain=significant(modes.eval_to_undropped),
    )
    trained = words.TRAINED_TWICE[twice(modes.dropout_p, modes.train_twice)]
    return layer + trained.say(state.language, difference=significant(modes.train_twice))


def say_trap(state: State, one: OneHead) -> str:
    """Say what a module does in evaluation that hands dropout_p over in either mode."""
    careless, careful = traps_of(one, state["dropout_p"], state["dropout_draw"])
    found = {
        "careless": significant(careless.eval_twice),
        "careless_plain": significant(careless.eval_to_undropped),
        "careful": significant(careful.eval_twice),
        "careful_plain": significant(careful.eval_to_undropped),
        "code": frame_words.SOURCE_CODE.say(state.language),
    }
    language, text = state.language, words.TRAPPED[twice(careless.dropout_p, careless.eval_twice)]
    fields = {name: found[name] for name in text.fields(language)}
    return words.TRAP.say(language) + text.say(language, **fields)


def question_parts(state: State, one: OneHead) -> Parts:
    """Ask what PyTorch's function comes to on average; it is run while the answer is unfolded."""
    question = words.QUESTION.say(state.language, p=said(state["dropout_p"]), draws=TORCH_DRAWS)
    return asked_and_measured("dropout", question, partial(answer, state, one), state.language)


def answer(state: State, one: OneHead) -> str:
    """Run PyTorch's function many times, and say how far its mean is off."""
    language, record = state.language, torch_of(one, state["dropout_p"], state["dropout_draw"])
    return words.ANSWER.say(
        language,
        verdict=words.VERDICTS[verdict_of(record.dropout_p, record.torch)].say(language),
        draws=record.torch.draws,
        torch=significant(record.torch.largest_deviation),
        core=significant(record.core.largest_deviation),
        std=significant(record.torch.largest_std),
        torch_rms=significant(record.torch.rms_deviation),
        core_rms=significant(record.core.rms_deviation),
        expected=significant(record.torch.expected_rms),
        share=significant(record.dropped_share),
        plain=significant(record.without_dropout),
    )


def verdict_of(dropout_p: float, mean: MeanOfDraws) -> str:
    """Judge whether a mean is off by more than chance allows."""
    if dropout_p == 0:
        return "nothing"
    is_off = mean.largest_deviation > max(ROUNDING, MOST_STDS * mean.largest_std)
    return "off" if is_off else "same"
