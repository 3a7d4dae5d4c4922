"""Kernels measured on this machine, over lines by formula: time, peak memory, exponents, speed-ups (C2, C3)."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import pandas as pd
import streamlit as st

from attention_core.experiments.timed_kernels import (
    KERNELS,
    LONGEST_COMPARED,
    Point,
    chosen_kernel,
    count_moved,
    count_records,
    measure_kernels,
    measure_plan,
    measure_rates,
    predict,
    read_record,
)
from attention_core.kernel_readings import (
    FITTED,
    Fit,
    fit_growth,
    foresee_bytes,
    foresee_seconds,
    speed_ups,
)
from dashboard import controls
from dashboard.charts.measured import measured_frame, measured_points, spans_widely
from dashboard.controls import State
from dashboard.frame import asked_parts, source, table
from dashboard.grid import compact, grid_part
from dashboard.grid.bench import Area, Part, show_bench
from dashboard.grid.lines import Line, lines_part, prose
from dashboard.number_format import NOTHING, significant
from dashboard.number_table import grid_labels, with_texts
from dashboard.panels.complexity.measure_said import answer, question, readings
from dashboard.panels.complexity.measure_settings import Wish, ask, read_wish
from dashboard.panels.complexity.measured import (
    Measured,
    foresee_plan,
    in_shown,
    name_of,
    rate_fields,
    settings_fields,
    sort_records,
)
from dashboard.panels.long_run import Found, Task, latest, long_run
from dashboard.text import Language
from dashboard.text import complexity as lesson_words
from dashboard.text import complexity_measure as words

RUN = "measure"
Parts = dict[str, tuple[Area, Part]]
RAN: list[Callable[..., object]] = [
    measure_plan,
    measure_kernels,
    measure_rates,
    chosen_kernel,
    predict,
    foresee_seconds,
    foresee_bytes,
    count_moved,
    fit_growth,
    speed_ups,
]


@controls.fragment
def measure(state: State) -> None:
    """Ask for kernels and sizes, measure them beside the page, and show what formulas foresee and what comes as it comes."""
    controls_place, wish = st.container(), read_wish(state)  # filled last: see controls.fragment
    task = task_of(wish)
    has_chart = wish.plan is not None or latest(RUN) is not None
    beside = partial(ask_meter, state) if has_chart else None
    long_run(RUN, task, state.language, partial(show, state, wish), beside=beside)
    with controls_place:
        ask(state, wish)
    source(RAN, state.language)


def ask_meter(state: State) -> None:
    """Offer time or memory."""
    controls.choose(state, "meter", words.METER, words.METER_HELP, words.METERS, hide_label=True)


def task_of(wish: Wish) -> Task | None:
    """Make the work of what is asked for; None where it may not be run."""
    if not wish.is_legal:
        return None
    return Task(measure_plan, (wish.plan,), read_record, count_records(wish.plan))


def show(state: State, wish: Wish, found: Found | None) -> None:
    """Draw what a run has given so far over what formulas foresee; before the first point the formulas alone."""
    measured = None if found is None else sort_records(found)
    if measured is None:
        show_foreseen(state, wish, found)
        return
    language = state.language
    say_moved_on(wish, found, language)
    if measured.drawn:
        show_chart(state, measured)
    told = [Line(prose(text), "prose") for text in readings(measured, language)]
    parts: Parts = {
        "note": ("top", note_part(state, measured)),
        **(tables(state, measured) if measured.points else {}),
        "said": ("end", lines_part(lesson_words.SAID.say(language), told)),
    }
    reply = answer(measured, language) if measured.points else None
    asks = {} if reply is None else asked_parts(question(measured, language), reply, language)
    show_bench("bench.measure", parts | asks)


def show_foreseen(state: State, wish: Wish, found: Found | None) -> None:
    """Draw the formulas' lines, where no point is measured yet: of a run on its way, else of what the controls say."""
    language, plan = state.language, wish.plan
    if found is not None and not found.is_over:
        (plan,) = found.task.arguments
        say_moved_on(wish, found, language)
    if plan is None:
        return
    foreseen = foresee_plan(plan, found)
    show_chart(state, foreseen)
    rate = rate_fields(foreseen) if state["meter"] == "time" else {}
    lines = [Line(prose(words.NOTES_FORESEEN[state["meter"]].say(language, **rate)), "note")]
    if plan != wish.plan:
        settings = words.SETTINGS.say(language, **settings_fields(plan, language))
        lines.append(Line(prose(settings), "note"))
    part = lines_part(lesson_words.SAID.say(language), lines, has_own_row=True)
    show_bench("bench.measure", {"note": ("top", part)})


def say_moved_on(wish: Wish, found: Found, language: Language) -> None:
    """Say where a run is not what the controls ask for by now."""
    if task_of(wish) != found.task:
        st.info(words.MOVED_SINCE.say(language))


def show_chart(state: State, measured: Measured) -> None:
    """Draw the formula's lines and the points that there are; offer their numbers."""
    language, meter, lengths = state.language, state["meter"], measured.planned
    rows, said = [], []
    for kernel in measured.drawn:
        for n in lengths:
            point = measured.by_place.get((kernel, n))
            value, formula = measured.read(kernel, n, meter), measured.foresee(kernel, n, meter)
            ends = (value, value)
            if point is not None and meter == "time":
                ends = tuple(in_shown(seconds, "time") for seconds in (point.lowest_s, point.highest_s))
            rows.append((name_of(kernel, language), n, value, *ends, formula))
            said.append((significant(value), significant(formula)))
    frame = measured_frame(rows, said)
    spec = measured_points(
        words.N_TITLE.say(language),
        words.Y_TITLES[meter].say(language),
        words.KERNEL.say(language),
        words.FORMULA.say(language),
        tuple((name_of(kernel, language), KERNELS.index(kernel)) for kernel in measured.drawn),
        (lengths[0], lengths[-1]),
        is_wide=spans_widely(frame),
    )
    st.vega_lite_chart(frame, spec, key="chart.measured", alt=alt_of(state, measured))
    table(lambda: pd.DataFrame(all_numbers(state, measured)), "measured", language)


def alt_of(state: State, measured: Measured) -> str:
    """Describe the chart: its points, or its lines where there is no point yet."""
    language, meter, curves = state.language, state["meter"], []
    is_foreseen = not measured.points
    read = measured.foresee if is_foreseen else measured.read
    for kernel in measured.drawn if is_foreseen else measured.kernels:
        lengths = [n for n in measured.planned if is_foreseen or (kernel, n) in measured.by_place]
        first, last = (significant(read(kernel, n, meter)) for n in (lengths[0], lengths[-1]))
        fields = {"kernel": name_of(kernel, language), "first_n": f"{lengths[0]:,}", "first": first}
        if len(lengths) == 1:
            curves.append(words.POINT_ALT.say(language, **fields))
        else:
            curves.append(words.CURVE_ALT.say(language, **fields, last_n=f"{lengths[-1]:,}", last=last))
    told = lesson_words.JOIN.say(language).join(curves)
    alt = words.FORESEEN_ALT if is_foreseen else words.CHART_ALT
    return alt.say(language, meter=words.Y_TITLES[meter].say(language), curves=told)


def all_numbers(state: State, measured: Measured) -> list[dict[str, object]]:
    """Give every number of every point and line, for the table and the file; without a point the lines' alone."""
    titles = {name: text.say(state.language) for name, text in words.CSV.items()}
    rows = []
    for kernel in measured.drawn:
        for n in measured.planned:
            row = {"kernel": name_of(kernel, state.language), "n": n}
            if measured.points:
                row |= numbers_of(measured.by_place.get((kernel, n)))
            row |= {f"{meter}_formula": measured.foresee(kernel, n, meter) for meter in ("time", "memory")}
            rows.append({titles[name]: value for name, value in row.items()})
    return rows


def numbers_of(point: Point | None) -> dict[str, object]:
    """Give the numbers of a point; None for each where it is not measured."""
    if point is None:
        return dict.fromkeys(("median", "lowest", "highest", "peak", "difference"))
    return {
        "median": in_shown(point.median_s, "time"),
        "lowest": in_shown(point.lowest_s, "time"),
        "highest": in_shown(point.highest_s, "time"),
        "peak": in_shown(point.peak_bytes, "memory"),
        "difference": point.difference,
    }


def note_part(state: State, measured: Measured) -> Part:
    """Say what points and lines are, and to which settings they belong."""
    language, plan = state.language, measured.plan
    if state["meter"] == "memory":
        note = words.NOTE_MEMORY.say(language)
    elif plan.repeats == 1:
        note = words.NOTE_TIME_ONE.say(language, **rate_fields(measured))
    else:
        note = words.NOTE_TIME.say(language, **rate_fields(measured), repeats=plan.repeats)
    settings = words.SETTINGS.say(language, **settings_fields(plan, language))
    lines = [Line(prose(note), "note"), Line(prose(settings), "note")]
    return lines_part(lesson_words.SAID.say(language), lines, has_own_row=True)


def tables(state: State, measured: Measured) -> Parts:
    """Lay out the numbers: by length, the details of one length, the exponents, the speed-ups."""
    parts: Parts = {
        "by_length": ("below", by_length_part(state, measured)),
        "details": ("below", details_part(state, measured)),
    }
    if len(measured.lengths) > 1:
        parts["fits"] = ("below", fits_part(state, measured))
    if any(point.kernel == "traced" for point in measured.points) and len(measured.kernels) > 1:
        parts["speed_ups"] = ("below", speed_ups_part(state, measured))
    return parts


def grid_of(
    state: State,
    title: str,
    kernels: tuple[str, ...],
    columns: list[str],
    texts: list[list[str]],
    **more: object,
) -> Part:
    """Describe a table with a row a kernel."""
    language = state.language
    part = grid_part(
        [[0.0] * len(columns) for _ in kernels],
        title=title,
        labels=replace(
            grid_labels(language, "row", "column"),
            row=words.KERNEL.say(language),
            keys=words.BY_LENGTH_KEYS.say(language),
        ),
        row_labels=[name_of(kernel, language) for kernel in kernels],
        column_labels=columns,
        **more,
    )
    return compact(with_texts(part, texts, texts))


def by_length_part(state: State, measured: Measured) -> Part:
    """Describe the medians or the peaks: a row a kernel, a column a length; a pick chooses the length of the details."""
    language, meter, lengths = state.language, state["meter"], measured.lengths
    texts = [[significant(measured.read(kernel, n, meter)) for n in lengths] for kernel in measured.kernels]
    columns = [f"N = {n:,}" for n in lengths]
    return grid_of(
        state,
        words.BY_LENGTH[meter].say(language),
        measured.kernels,
        columns,
        texts,
        picked=(0, lengths.index(shown_length(state, measured))),
        on_pick=lambda _row, column: state.put("at", str(lengths[column])),
    )


def shown_length(state: State, measured: Measured) -> int:
    """Give the length whose details are shown: the longest where the wanted one is not measured."""
    wanted = int(state["at"])
    return wanted if wanted in measured.lengths else measured.lengths[-1]


def details_part(state: State, measured: Measured) -> Part:
    """Describe all that is known of one length."""
    language, n = state.language, shown_length(state, measured)
    kernels = tuple(kernel for kernel in measured.kernels if (kernel, n) in measured.by_place)
    texts = []
    for kernel in kernels:
        point, setting = measured.by_place[kernel, n], measured.setting(n)
        ends = [significant(in_shown(seconds, "time")) for seconds in (point.lowest_s, point.highest_s)]
        texts.append(
            [
                f"{ends[0]} {NOTHING} {ends[1]}",
                significant(point.median_s / foresee_seconds(kernel, setting, measured.rates)),
                significant(in_shown(point.peak_bytes, "memory")),
                significant(in_shown(foresee_bytes(kernel, setting), "memory")),
                significant(point.difference),
                significant(in_shown(count_moved(kernel, setting), "memory")),
            ]
        )
    longest = {"longest": f"{LONGEST_COMPARED:,}"}
    columns = [
        text.say(language, **(longest if text.fields(language) else {})) for text in words.DETAILS.values()
    ]
    return grid_of(state, words.AT_LENGTH.say(language, n=f"{n:,}"), kernels, columns, texts)


def fits_part(state: State, measured: Measured) -> Part:
    """Describe the exponents: fitted with their error, and by formula."""
    language, texts = state.language, []
    for kernel in measured.kernels:
        fits = {
            meter: fit_growth(kernel, meter, measured.points, measured.plan) for meter in ("time", "memory")
        }
        lengths = lesson_words.BETWEEN.say(language).join(f"{n:,}" for n in fits["time"].lengths)
        row = [
            text for meter in fits for text in (fitted(fits[meter], state), significant(fits[meter].expected))
        ]
        texts.append([*row, lengths])
    columns = [text.say(language) for text in words.FIT_COLUMNS.values()]
    return grid_of(state, words.FITS.say(language, most=FITTED), measured.kernels, columns, texts)


def fitted(fit: Fit, state: State) -> str:
    """Write an exponent with its error, where there is one."""
    if fit.power is None:
        return NOTHING
    value, error = significant(fit.power.exponent), fit.power.standard_error
    if error is None:
        return value
    # Points that lie on the line to the last bit have an error that is rounding.
    return words.WITH_ERROR.say(state.language, value=value, error=significant(round(error, 4), 2))


def speed_ups_part(state: State, measured: Measured) -> Part:
    """Describe how many times as fast as the definition each kernel is."""
    times, lengths = speed_ups(measured.points), measured.lengths
    texts = [[significant(times.get((kernel, n))) for n in lengths] for kernel in measured.kernels]
    columns = [f"N = {n:,}" for n in lengths]
    return grid_of(state, words.SPEED_UPS.say(state.language), measured.kernels, columns, texts)
