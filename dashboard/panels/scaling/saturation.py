"""What every divisor does to weights and gradients, at one width and against the width (S2, S3)."""

import math
from dataclasses import replace

import pandas as pd
import streamlit as st

from attention_core.components import common_variance
from attention_core.experiments.scaling import (
    DIVISORS,
    METERS,
    Saturation,
    meter_range,
    read_meters,
    sweep_divisors,
)
from attention_core.sharpness import entropy, jacobian_norm, scores_gradient
from dashboard import controls
from dashboard.charts.sweep import sweep_frame, sweep_lines
from dashboard.controls import State
from dashboard.frame import asked_parts, source, table
from dashboard.grid.bench import Area, Part, show_bench
from dashboard.grid.lines import Line, lines_part, prose
from dashboard.number_format import significant
from dashboard.number_table import table_part
from dashboard.panels.scaling.guess import guessed_points, has_guessed, predict, say_guess
from dashboard.panels.scaling.model import (
    GRADIENTS,
    Sampling,
    average_of,
    divisor_names,
    sampling_of,
    saturation_of,
    saturations,
    standard_average,
    widths_of,
)
from dashboard.panels.scaling.sample import draw_sample, sample_parts
from dashboard.panels.scaling.settings import (
    fits,
    is_affordable,
    remember_shown,
    say_measured,
    show_anew_if_needed,
    width,
)
from dashboard.text import Language
from dashboard.text import scaling as words

Records = list[tuple[Saturation, ...]]
# A mean so many times the median is made by few trials.
HELD_UP = 2
NEARLY_ONE_HOT = 0.9
# Of fewer trials "the few that" is no explanation.
ENOUGH_TRIALS = 30


def saturation(state: State) -> None:
    """Ask for a guess, then show the sweep; below it what happens at the reader's width, which runs alone."""
    with st.container(horizontal=True):
        meters = words.METER, words.METER_HELP, words.METERS
        controls.choose(state, "meter", *meters, in_sidebar=True, width=270)
        averages = words.AVERAGE, words.AVERAGE_HELP, words.AVERAGES
        controls.choose(state, "average", *averages, standard=standard_average(state["meter"]))
        controls.choose(state, "divisor", words.DIVISOR, words.DIVISOR_HELP, words.DIVISORS)
    if is_affordable(state):
        if has_guessed(state):
            against_the_width(state)
        else:
            predict(state, widths_of(state)[-1])
    remember_shown(state)
    at_one_width(state)
    source([sweep_divisors, read_meters, entropy, jacobian_norm, scores_gradient], state.language)


def against_the_width(state: State) -> None:
    """Show the sweep, what became of the guess, and the numbers."""
    language, sampling = state.language, sampling_of(state)
    records = saturations(sampling, widths_of(state), language)
    verdict = say_guess(state, records)
    show_sweep(state, sampling, records, verdict)
    if verdict:
        st.markdown(verdict)
    for warning in overflows(state, sampling, records):
        st.warning(warning)
    whiskers = [words.WHISKERS.say(language)] if average_of(state) == "mean" else []
    meaning = words.METER_MEANINGS[state["meter"]].say(language)
    st.caption("  \n".join([say_measured(state, sampling), *whiskers, meaning]))
    show_table(state, sampling, records)
    controls.button(words.GUESS_AGAIN.say(language), "guess.again", state.put, "guess", "none")


@controls.fragment
def at_one_width(state: State) -> bool:
    """Show a sample row, every meter of every divisor, and what they say."""
    language, d_k = state.language, width(state, None)
    show_anew_if_needed(state)
    parts: dict[str, tuple[Area, Part]] = {
        "address": ("top", controls.address_part(state)),
        "help": (
            "top",
            lines_part(words.D_K.say(language), [Line(prose(words.D_K_HELP.say(language)), "note")]),
        ),
    }
    if fits(state):
        sampling = sampling_of(state)
        parts |= sample_parts(state, sampling, draw_sample(state, sampling, d_k))
        # What is to be guessed is not told before.
        if has_guessed(state):
            parts |= width_parts(state, sampling, saturation_of(sampling, d_k))
    show_bench("bench.saturation", parts)
    return True


def read(record: Saturation, meter: str, average: str) -> float | None:
    """Read one meter of one record."""
    return getattr(getattr(record, meter), average)


def show_sweep(state: State, sampling: Sampling, records: Records, verdict: str) -> None:
    """Draw the chosen meter against the width."""
    language, meter, average = state.language, state["meter"], average_of(state)
    names = divisor_names(sampling, language)
    rows = [
        (
            names[record.divisor],
            record.d_k,
            read(record, meter, average),
            getattr(record, meter).standard_error if average == "mean" else None,
        )
        for at_width in records
        for record in at_width
    ]
    title = words.METERS[meter].say(language)
    _, highest = meter_range(meter, sampling.n_keys)
    titles = (words.D_K_TITLE.say(language), title, words.DIVISOR_TITLE.say(language))
    lines = {name: [(at, value) for one, at, value, _ in rows if one == name] for name in names.values()}
    st.vega_lite_chart(
        sweep_frame(rows, guessed_points(state, sampling, records)),
        sweep_lines(*titles, tuple(names.values()), words.GUESS_LINE.say(language), highest),
        key="chart.sweep",
        alt=words.SWEEP_ALT.say(
            language,
            meter=title,
            first=records[0][0].d_k,
            last=records[-1][0].d_k,
            curves="; ".join(say_curve(name, line, language) for name, line in lines.items()),
            verdict=verdict,
        ),
    )


def say_curve(name: str, line: list[tuple[int, float | None]], language: Language) -> str:
    """Say where a line begins and ends, and its peak where that is neither."""
    first, last = (significant(value) for _, value in (line[0], line[-1]))
    known = [(value, d_k) for d_k, value in line if value is not None]
    top, at = max(known, default=(None, None))
    if at in {None, line[0][0], line[-1][0]}:
        return words.CURVE_ALT.say(language, divisor=name, first=first, last=last)
    return words.PEAKED_ALT.say(language, divisor=name, first=first, last=last, top=significant(top), d_k=at)


def width_parts(
    state: State, sampling: Sampling, here: tuple[Saturation, ...]
) -> dict[str, tuple[Area, Part]]:
    """Describe all meters at one width, what they say, and the question."""
    language, average = state.language, average_of(state)
    lines = [Line(prose(text), "prose") for text in readings(state, sampling, here)]
    title = words.METERS_TABLE.say(language, d_k=here[0].d_k, average=words.AVERAGES[average].say(language))
    values = [
        [
            record.divided_by,
            number(record.scaled_std),
            record.expected_std,
            *(number(read(record, meter, average)) for meter in METERS),
        ]
        for record in here
    ]
    columns = [text.say(language) for text in words.METER_COLUMNS]
    rows = list(divisor_names(sampling, language).values())
    return {
        "meters": ("below", table_part(values, title, language, rows=rows, columns=columns, row="divisor")),
        "said": ("end", lines_part(words.VIEWS["saturation"].say(language), lines)),
        **question_parts(state, sampling),
    }


def number(value: float | None) -> float:
    """Write what is not there as NaN, which a table shows as such."""
    return float("nan") if value is None else value


def readings(state: State, sampling: Sampling, here: tuple[Saturation, ...]) -> list[str]:
    """Say what the divisors do at the reader's width, and why."""
    language, average = state.language, average_of(state)
    by_name = dict(zip(DIVISORS, here, strict=True))
    none, root, by_d_k, by_model = (by_name[name] for name in ("none", "sqrt_d_k", "d_k", "sqrt_d_model"))
    if none.largest_weight.mean is None:
        return [words.SATURATION_NOTHING.say(language, d_k=none.d_k, dtype=sampling.dtype)]
    read_here = {
        f"{side}_{short}": significant(read(record, meter, average))
        for side, record in (("none", none), ("root", root))
        for short, meter in (("top", "largest_weight"), ("keys", "effective_keys"), ("norm", "jacobian_norm"))
    }
    see = words.SATURATION_SEE.say(
        language,
        d_k=none.d_k,
        n=sampling.n_keys,
        trials=sampling.trials,
        average=words.AVERAGES[average].say(language),
        **read_here,
    )
    if not none.expected_std:
        return [see, words.VARIANCE_CONSTANT.say(language), *divided_lost(state, sampling, [here])]
    return [
        see,
        *say_gradient(state, sampling, none, root),
        words.SATURATION_WRONG.say(
            language,
            d_k_std=significant(by_d_k.scaled_std),
            d_k_top=significant(read(by_d_k, "largest_weight", average)),
            uniform=significant(1 / sampling.n_keys),
            heads=sampling.n_heads,
            model_std=significant(by_model.scaled_std),
            model_top=significant(read(by_model, "largest_weight", average)),
        ),
        *say_why(state, sampling, none, root),
        *divided_lost(state, sampling, [here]),
    ]


def say_why(state: State, sampling: Sampling, none: Saturation, root: Saturation) -> list[str]:
    """Say how far scores spread, and what stands in the way of comparing that with theory."""
    language = state.language
    why = words.SATURATION_WHY.say(
        language,
        none_std=significant(none.scaled_std),
        none_expected=significant(none.expected_std),
        root_std=significant(root.scaled_std),
        root_expected=significant(root.expected_std),
    )
    lost = none.overflow.trials
    if lost:
        some = words.SATURATION_SOME.say(language, d_k=none.d_k, trials=sampling.trials, lost=lost)
        return [why, f"{some} {words.VARIANCE_UNFAIR.say(language)}"]
    said = [why]
    if not math.isclose(root.expected_std, 1):
        said.append(words.VARIANCE_NOT_UNIT.say(language, scaled=significant(root.expected_std)))
    common = common_variance(sampling.components, none.d_k)
    return [*said, words.VARIANCE_COMMON.say(language, common=significant(common))] if common else said


def say_gradient(state: State, sampling: Sampling, none: Saturation, root: Saturation) -> list[str]:
    """Say what comes back to q or to the keys, on average and in the middle trial."""
    meter = state["meter"] if state["meter"] in GRADIENTS else "q_gradient"
    ours, theirs = (getattr(record, meter) for record in (none, root))
    said = words.SATURATION_GRADIENT.say(
        state.language,
        meter=words.METERS[meter].say(state.language),
        none_median=significant(ours.median),
        none_mean=significant(ours.mean),
        root_median=significant(theirs.median),
        root_mean=significant(theirs.mean),
    )
    is_held_up = ours.mean > HELD_UP * ours.median and none.largest_weight.median > NEARLY_ONE_HOT
    has_few = is_held_up and sampling.trials >= ENOUGH_TRIALS
    return [said, words.SATURATION_TIES.say(state.language)] if has_few else [said]


def overflows(state: State, sampling: Sampling, records: Records) -> list[str]:
    """Name what the number type could not hold, at the first width and at the worst."""
    divided = divided_lost(state, sampling, records)
    lost = [at[0] for at in records if at[0].overflow.trials or at[0].overflow.infinite_scores]
    if not lost:
        return divided
    worst = max(lost, key=lambda record: (record.overflow.trials, record.overflow.infinite_scores))
    return [
        words.SATURATION_OVERFLOW.say(
            state.language,
            dtype=sampling.dtype,
            d_k=worst.d_k,
            components=worst.overflow.infinite_components,
            scores=worst.overflow.infinite_scores,
            nan=worst.overflow.nan_scores,
            trials=sampling.trials,
            lost=worst.overflow.trials,
            first=lost[0].d_k,
        ),
        *divided,
    ]


def divided_lost(state: State, sampling: Sampling, records: Records) -> list[str]:
    """Name the divisors after which scores no longer fit that did before: those below 1."""
    language, said = state.language, []
    names = divisor_names(sampling, language)
    for place, divisor in enumerate(DIVISORS):
        at = [widths for widths in records if widths[place].overflow.trials > widths[0].overflow.trials]
        if not at:
            continue
        worst = max((widths[place] for widths in at), key=lambda record: record.overflow.trials)
        text = words.DIVIDED_LOST.say(
            language,
            divisor=names[divisor],
            d_k=worst.d_k,
            dtype=sampling.dtype,
            trials=sampling.trials,
            lost=worst.overflow.trials,
        )
        begins = words.DIVIDED_BEGINS.say(language, first=at[0][0].d_k) if len(records) > 1 else ""
        said.append(f"{text} {begins}".strip())
    return said


def question_parts(state: State, sampling: Sampling) -> dict[str, tuple[Area, Part]]:
    """Ask for the divisor at one width; the answer is measured with the reader's settings where their type holds it."""
    language, asked = state.language, saturation_of(sampling, 64)
    notes = []
    if any(record.overflow.trials or record.overflow.infinite_scores for record in asked):
        notes = [words.ANSWER_FLOAT64.say(language, dtype=sampling.dtype)]
        asked = saturation_of(replace(sampling, dtype="float64"), 64)
    by_name = dict(zip(DIVISORS, asked, strict=True))
    answer = words.ANSWER_DIVISOR.say(
        language,
        root=significant(by_name["sqrt_d_k"].divided_by),
        root_std=significant(by_name["sqrt_d_k"].scaled_std),
        d_k_std=significant(by_name["d_k"].scaled_std),
        top=significant(by_name["d_k"].largest_weight.mean),
        uniform=significant(1 / sampling.n_keys),
    )
    if not by_name["none"].expected_std:
        answer = words.VARIANCE_CONSTANT.say(language)
    said = " ".join([answer, *notes])
    return asked_parts(words.QUESTION_DIVISOR.say(language), said, language)


def show_table(state: State, sampling: Sampling, records: Records) -> None:
    """Offer every number of the sweep."""
    language, names = state.language, divisor_names(sampling, state.language)
    rows = [
        (
            record.d_k,
            names[record.divisor],
            record.divided_by,
            words.METERS[meter].say(language),
            getattr(record, meter).mean,
            getattr(record, meter).standard_error,
            getattr(record, meter).median,
            record.overflow.trials,
        )
        for at_width in records
        for record in at_width
        for meter in METERS
    ]
    columns = [text.say(language) for text in words.SWEEP_COLUMNS]
    table(lambda: pd.DataFrame(rows, columns=columns), "sweep", language, words.SWEEP_TABLE)
