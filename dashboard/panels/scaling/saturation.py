"""What every divisor does to weights and gradients, at one width and against the width (S2, S3)."""

import pandas as pd
import streamlit as st

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
    Sampling,
    sampling_of,
    saturation_of,
    saturations,
    widths_of,
)
from dashboard.panels.scaling.sample import draw_sample, sample_parts, say_sample
from dashboard.panels.scaling.settings import (
    fits,
    is_affordable,
    remember_shown,
    say_measured,
    show_anew_if_needed,
    width,
)
from dashboard.text import scaling as words

Records = list[tuple[Saturation, ...]]
GRADIENTS = frozenset({"q_gradient", "k_gradient"})
# A mean so many times the median is made by few trials.
HELD_UP = 2


def saturation(state: State) -> None:
    """Ask for a guess, then show the sweep; below it what happens at the reader's width, which runs alone."""
    with st.container(horizontal=True):
        with st.container(width=270):
            controls.choose(state, "meter", words.METER, words.METER_HELP, words.METERS, in_sidebar=True)
        with st.container(width="content"):
            controls.choose(state, "average", words.AVERAGE, words.AVERAGE_HELP, words.AVERAGES)
        with st.container(width="content"):
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
    """Show the sweep and its numbers."""
    sampling = sampling_of(state)
    records = saturations(sampling, widths_of(state), state.language)
    show_sweep(state, sampling, records)
    lines = [say_measured(state, sampling), *say_guess(state, records)]
    for warning in overflows(state, sampling, records):
        st.warning(warning)
    st.caption("  \n".join([*lines, words.METER_MEANINGS[state["meter"]].say(state.language)]))
    with st.container(horizontal=True):
        show_tables(state, records)
        controls.button(words.GUESS_AGAIN.say(state.language), "guess.again", state.put, "guess", "none")


@controls.fragment
def at_one_width(state: State) -> bool:
    """Show a sample row, every meter of every divisor, and what they say."""
    d_k = width(state)
    show_anew_if_needed(state)
    parts: dict[str, tuple[Area, Part]] = {"address": ("top", controls.address_part(state))}
    if fits(state):
        sampling = sampling_of(state)
        parts |= sample_parts(state, sample := draw_sample(state, sampling, d_k))
        parts |= width_parts(state, sampling, saturation_of(sampling, d_k), say_sample(state, sample))
    show_bench("bench.saturation", parts)
    return True


def read(record: Saturation, meter: str, average: str) -> float | None:
    """Read one meter of one record."""
    return getattr(getattr(record, meter), average)


def show_sweep(state: State, sampling: Sampling, records: Records) -> None:
    """Draw the chosen meter against the width."""
    language, meter, average = state.language, state["meter"], state["average"]
    names = [text.say(language) for text in words.DIVISORS.values()]
    rows = [
        (
            names[place],
            record.d_k,
            read(record, meter, average),
            getattr(record, meter).standard_error if average == "mean" else None,
        )
        for at_width in records
        for place, record in enumerate(at_width)
    ]
    title = words.METERS[meter].say(language)
    last = [significant(read(record, meter, average)) for record in records[-1]]
    _, highest = meter_range(meter, sampling.n_keys)
    titles = (words.D_K_TITLE.say(language), title, words.DIVISOR_TITLE.say(language))
    st.vega_lite_chart(
        sweep_frame(rows, guessed_points(state, sampling, records)),
        sweep_lines(*titles, tuple(names), words.GUESS_LINE.say(language), highest),
        key="chart.sweep",
        alt=words.SWEEP_ALT.say(
            language,
            meter=title,
            d_k=records[-1][0].d_k,
            values="; ".join(f"{name} {value}" for name, value in zip(names, last, strict=True)),
        ),
    )


def width_parts(
    state: State, sampling: Sampling, here: tuple[Saturation, ...], sample: list[str]
) -> dict[str, tuple[Area, Part]]:
    """Describe all meters at one width, what they say, and the question."""
    language, average = state.language, words.AVERAGES[state["average"]].say(state.language)
    lines = [Line(prose(text), "prose") for text in [*readings(state, sampling, here), *sample]]
    title = words.METERS_TABLE.say(language, d_k=here[0].d_k, average=average)
    values = [
        [
            record.divided_by,
            number(record.scaled_std),
            record.expected_std,
            *(number(read(record, meter, state["average"])) for meter in METERS),
        ]
        for record in here
    ]
    columns = [text.say(language) for text in words.METER_COLUMNS]
    rows = [text.say(language) for text in words.DIVISORS.values()]
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
    language = state.language
    by_name = dict(zip(DIVISORS, here, strict=True))
    none, root, by_d_k, by_model = (by_name[name] for name in ("none", "sqrt_d_k", "d_k", "sqrt_d_model"))
    if none.largest_weight.mean is None:
        return [words.SATURATION_NOTHING.say(language, d_k=none.d_k, dtype=sampling.dtype)]
    said = [
        words.SATURATION_SEE.say(
            language,
            d_k=none.d_k,
            n=sampling.n_keys,
            none_top=significant(none.largest_weight.mean),
            none_keys=significant(none.effective_keys.mean),
            none_norm=significant(none.jacobian_norm.mean),
            root_top=significant(root.largest_weight.mean),
            root_keys=significant(root.effective_keys.mean),
            root_norm=significant(root.jacobian_norm.mean),
        ),
        words.SATURATION_WRONG.say(
            language,
            d_k_std=significant(by_d_k.scaled_std),
            d_k_top=significant(by_d_k.largest_weight.mean),
            uniform=significant(1 / sampling.n_keys),
            heads=sampling.n_heads,
            model_std=significant(by_model.scaled_std),
            model_top=significant(by_model.largest_weight.mean),
        ),
        words.SATURATION_WHY.say(
            language,
            none_std=significant(none.scaled_std),
            none_expected=significant(none.expected_std),
            root_std=significant(root.scaled_std),
            root_expected=significant(root.expected_std),
        ),
    ]
    lost = none.overflow.trials
    if lost:
        said.append(words.SATURATION_SOME.say(language, d_k=none.d_k, trials=sampling.trials, lost=lost))
    return said + (say_gradient(state, none, root) if state["meter"] in GRADIENTS else [])


def say_gradient(state: State, none: Saturation, root: Saturation) -> list[str]:
    """Say what comes back to q or to the keys, on average and in the middle trial."""
    ours, theirs = (getattr(record, state["meter"]) for record in (none, root))
    said = words.SATURATION_GRADIENT.say(
        state.language,
        meter=words.METERS[state["meter"]].say(state.language),
        none_median=significant(ours.median),
        none_mean=significant(ours.mean),
        root_median=significant(theirs.median),
        root_mean=significant(theirs.mean),
    )
    is_held_up = ours.mean is not None and ours.mean > HELD_UP * ours.median
    return [said, words.SATURATION_TIES.say(state.language)] if is_held_up else [said]


def overflows(state: State, sampling: Sampling, records: Records) -> list[str]:
    """Name what the number type could not hold, at the first width and at the worst."""
    lost = [at[0] for at in records if at[0].overflow.trials or at[0].overflow.infinite_scores]
    if not lost:
        return []
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
        )
    ]


def question_parts(state: State, sampling: Sampling) -> dict[str, tuple[Area, Part]]:
    """Ask for the divisor at one width; the answer is measured with the reader's settings."""
    language = state.language
    by_name = dict(zip(DIVISORS, saturation_of(sampling, 64), strict=True))
    answer = words.ANSWER_DIVISOR.say(
        language,
        root=significant(by_name["sqrt_d_k"].divided_by),
        root_std=significant(by_name["sqrt_d_k"].scaled_std),
        d_k_std=significant(by_name["d_k"].scaled_std),
        top=significant(by_name["d_k"].largest_weight.mean),
        uniform=significant(1 / sampling.n_keys),
    )
    return asked_parts(words.QUESTION_DIVISOR.say(language), answer, language)


def show_tables(state: State, records: Records) -> None:
    """Offer every number of the sweep."""
    language = state.language
    rows = [
        (
            record.d_k,
            words.DIVISORS[record.divisor].say(language),
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
    table(pd.DataFrame(rows, columns=columns), "sweep", language, words.SWEEP_TABLE)
