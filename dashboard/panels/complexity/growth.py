"""Costs against one size, by formula: lines, a table with a row a variant, and the formula of one (C1, C4)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

import pandas as pd
import streamlit as st

from attention_core.cost import AXES, VARIANTS, Setting, count, crossing, intensity, list_terms, split_flops
from attention_core.cost_lines import (
    collect_terms,
    evaluate,
    group_parallel,
    list_stops,
    slope,
    times_doubled,
    trace_line,
    write_sum,
)
from dashboard import controls
from dashboard.cached import cost_row, costs_along, flops_along
from dashboard.charts.costs import Points, cost_lines, cost_table, point_said, spans_widely
from dashboard.controls import State
from dashboard.frame import asked_parts, source, table
from dashboard.grid import by_rows, compact, grid_part
from dashboard.grid.bench import Area, Part, show_bench
from dashboard.grid.lines import Line, lines_part, prose
from dashboard.number_format import NOTHING, significant
from dashboard.number_table import grid_labels, with_texts
from dashboard.panels.complexity.growth_said import (
    answer,
    in_full,
    picked_part,
    question,
    readable,
    readings,
    say_drawn,
    short,
    whole,
)
from dashboard.panels.complexity.sizes import ask_sizes, read_asked, setting_of
from dashboard.text import Language
from dashboard.text import complexity as lesson_words
from dashboard.text import complexity_growth as words

Parts = dict[str, tuple[Area, Part]]
NAMES = lesson_words.VARIANTS | words.PARTS
LIST_WIDTH = 230
# So many stops are drawn all.
MOST_DRAWN = 12
RAN: list[Callable[..., object]] = [
    list_terms,
    count,
    intensity,
    crossing,
    split_flops,
    evaluate,
    list_stops,
    trace_line,
    times_doubled,
    slope,
    group_parallel,
    collect_terms,
    write_sum,
]


def growth(state: State) -> None:
    """Ask what to draw; the sizes and what follows from them run alone."""
    with controls.running_alone(state, shown_costs):
        choose(state)
    shown_costs(state)
    source(RAN, state.language)


@controls.fragment
def shown_costs(state: State) -> bool:
    """Ask for sizes; draw, lay out and say what the formulas give."""
    # The boxes are filled last: see controls.fragment. They keep their place whether or not there is a picture: the
    # browser makes a box anew that has moved, and the reader's focus is lost.
    picture, boxes = st.container(), st.container()
    asked = read_asked(state)
    if asked.faults:
        with boxes:
            ask_sizes(state, asked)
        return False
    language, setting = state.language, setting_of(state, asked.sizes)
    with picture:
        show_lines(state, setting)
    controls.picture_goes_ahead()
    told = [Line(prose(text), "prose") for text in readings(state, setting)]
    parts: Parts = {
        "address": ("top", controls.address_part(state)),
        "note": ("top", note_part(state)),
        "costs": ("below", costs_part(state, setting)),
        "picked": ("below", picked_part(state, setting)),
        "said": ("end", lines_part(lesson_words.SAID.say(language), told)),
    }
    show_bench(
        "bench.growth", parts | asked_parts(question(state, setting), answer(state, setting), language)
    )
    with boxes:
        ask_sizes(state, asked)
    return True


def choose(state: State) -> None:
    """Ask for the quantity, the size that grows, and the lines."""
    with st.container(horizontal=True):
        lists = {"in_sidebar": True, "width": LIST_WIDTH}
        controls.choose(state, "measure", words.MEASURE, words.MEASURE_HELP, words.MEASURES, **lists)
        controls.choose(state, "axis", words.AXIS, words.AXIS_HELP, words.AXES, **lists)
    controls.choose_some(state, "lines", words.LINES, words.LINES_HELP, lesson_words.VARIANTS)


def y_title(measure: str, language: Language) -> str:
    """Name the vertical axis with its unit."""
    name, unit = words.MEASURES[measure].say(language), words.UNITS[measure].say(language)
    return words.Y_TITLE.say(language, measure=name, unit=unit)


def show_lines(state: State, setting: Setting) -> None:
    """Draw the chosen lines with a rule at the present size; offer their numbers."""
    measure, axis, language = state["measure"], state["axis"], state.language
    stops, chosen = list_stops(setting, axis), state["lines"]
    names = {name: text.say(language) for name, text in NAMES.items()}
    drawn = {name: costs_along(name, measure, setting, axis) for name in chosen}
    if has_parts(state):
        drawn |= zip(words.PARTS, flops_along(setting), strict=True)
    y, x = y_title(measure, language), words.AXES[axis].say(language)
    points = points_of(state, setting, {names[name]: costs for name, costs in drawn.items()})
    st.vega_lite_chart(
        points,
        cost_lines(
            x,
            y,
            tuple((names[name], [*NAMES].index(name)) for name in drawn),
            (stops[0], stops[-1]),
            is_wide=spans_widely(points),
        ),
        key="chart.costs",
        alt=alt_of(state, setting, stops, [*drawn]),
    )
    if not any(any(costs) for costs in drawn.values()):
        for text in say_drawn(state, setting):
            st.caption(text)

    def numbers() -> pd.DataFrame:
        columns = {names[name]: list(map(in_full, costs)) for name, costs in drawn.items()}
        return pd.DataFrame({words.SIGNS[axis].say(language): stops, **columns})

    table(numbers, "costs", language)


def points_of(state: State, setting: Setting, drawn: Mapping[str, Sequence[int | Fraction]]) -> Points:
    """Put the points of named lines into the table of the chart, with the rules."""
    language, measure, axis = state.language, state["measure"], state["axis"]
    stops = list_stops(setting, axis)
    places = thin_out(stops, getattr(setting, axis))
    sign, unit = words.SIGNS[axis].say(language), words.UNITS[measure].say(language)
    said = [
        point_said(name, f"{sign} = {stops[place]:,}", whole(costs[place]), unit)
        for name, costs in drawn.items()
        for place in places
    ]
    lines = [(name, [(stops[place], costs[place]) for place in places]) for name, costs in drawn.items()]
    return cost_table(lines, said, marks_of(state, setting))


def thin_out(stops: Sequence[int], size: int) -> list[int]:
    """Choose the places of the stops that are drawn: of many every second one, the last one and the present size.

    Lines that bend as slowly as these are the same to the eye; the browser draws half as many points in less time.

    Example:
        >>> thin_out((16, 24, 32), 24), thin_out(range(20), 5)
        ([0, 1, 2], [0, 2, 4, 5, 6, 8, 10, 12, 14, 16, 18, 19])
    """
    every = 1 if len(stops) <= MOST_DRAWN else 2
    last = len(stops) - 1
    return [place for place, stop in enumerate(stops) if place % every == 0 or place == last or stop == size]


def has_parts(state: State) -> bool:
    """Tell whether the projections and the products of full attention are lines of their own, which cross."""
    return (state["axis"], state["measure"]) == ("n", "flops") and "full" in state["lines"]


def marks_of(state: State, setting: Setting) -> list[tuple[str, float]]:
    """Name the sizes at which rules stand: the present one, and where products cost as much as projections."""
    language, axis = state.language, state["axis"]
    size, sign = getattr(setting, axis), words.SIGNS[axis].say(language)
    marks = [(words.NOW.say(language, sign=sign, size=f"{size:,}"), float(size))]
    stops = list_stops(setting, axis)
    if has_parts(state) and stops[0] <= crossing(setting) <= stops[-1]:
        at = crossing(setting)
        marks.append((words.CROSSING_MARK.say(language, n=short(at)), float(at)))
    return marks


def alt_of(state: State, setting: Setting, stops: tuple[int, ...], names: Sequence[str]) -> str:
    """Describe the chart by what stays when a size is changed: with another text the browser makes the chart anew."""
    language, measure, axis = state.language, state["measure"], state["axis"]
    sign = words.SIGNS[axis].say(language)
    rules = [words.NOW_ALT.say(language, sign=sign)]
    if has_parts(state):
        rules.append(words.CROSSING_ALT.say(language))
    join = lesson_words.JOIN.say(language)
    return words.LINES_ALT.say(
        language,
        measure=words.MEASURES[measure].say(language),
        unit=words.UNITS[measure].say(language),
        sign=sign,
        first=f"{stops[0]:,}",
        last=f"{stops[-1]:,}",
        curves=join.join(curve_alt(name, state, setting) for name in names) or words.NO_LINES.say(language),
        marks=join.join(rules),
    )


def curve_alt(name: str, state: State, setting: Setting) -> str:
    """Describe one line by its exponent far out, where it has one."""
    language, axis = state.language, state["axis"]
    steep = cost_row(name, state["measure"], setting, axis).far if name in VARIANTS else None
    if steep is None:
        return NAMES[name].say(language)
    return words.CURVE_ALT.say(language, variant=NAMES[name].say(language), slope=significant(steep))


def note_part(state: State) -> Part:
    """Say that these are formulas, what counts, what the quantity is, and what an exponent is."""
    language, sign = state.language, words.SIGNS[state["axis"]].say(state.language)
    about = words.ABOUT[state["measure"]].say(language)
    exponents = words.EXPONENTS[state["axis"] == "n_heads"].say(language, sign=sign)
    lines = [
        Line(prose(lesson_words.NOTE.say(language)), "note"),
        Line(prose(about), "prose"),
        Line(prose(exponents), "prose"),
    ]
    return lines_part(lesson_words.SAID.say(language), lines, has_own_row=True)


def costs_part(state: State, setting: Setting) -> Part:
    """Describe the table: a row for each variant; picking one shows its formula."""
    language, measure, axis = state.language, state["measure"], state["axis"]
    kinds = [kind for kind in words.COLUMNS if has_column(kind, measure, axis)]
    fields = {"unit": words.UNITS[measure].say(language), "sign": words.SIGNS[axis].say(language)}
    both = [cells(name, kinds, state, setting) for name in VARIANTS]
    columns = [
        text.say(language, **{name: fields[name] for name in text.fields(language)})
        for kind, text in words.COLUMNS.items()
        if kind in kinds
    ]
    part = grid_part(
        [[0.0] * len(columns) for _ in VARIANTS],
        title=words.TABLE.say(
            language,
            measure=words.MEASURES[measure].say(language),
            unit=fields["unit"],
            sizes=sizes_said(setting, language),
        ),
        labels=replace(
            grid_labels(language, "row", "column"),
            row=lesson_words.VARIANT.say(language),
            keys=lesson_words.PICK_KEYS.say(language),
        ),
        row_labels=[lesson_words.VARIANTS[name].say(language) for name in VARIANTS],
        column_labels=columns,
        picked=([*VARIANTS].index(state["variant"]), 0),
        on_pick=lambda row, _column: state.put("variant", [*VARIANTS][row]),
    )
    texts, exact = ([one[place] for one in both] for place in (0, 1))
    return by_rows(compact(with_texts(part, texts, exact)))


def has_column(kind: str, measure: str, axis: str) -> bool:
    """Leave away what a quantity or an axis does not have."""
    return not (kind == "far" and axis == "n_heads") and not (kind == "readable" and measure == "intensity")


def cells(name: str, kinds: list[str], state: State, setting: Setting) -> tuple[list[str], list[str]]:
    """Write one row: as it stands in cells, and in full."""
    measure, axis = state["measure"], state["axis"]
    row = cost_row(name, measure, setting, axis)
    value, formula = row.value, row.formula or words.FORMULA_INTENSITY.say(state.language)
    slopes = {kind: steep for kind, steep in (("slope", row.slope), ("far", row.far)) if kind in kinds}
    texts = {"value": whole(value), "readable": readable(value, measure) or NOTHING, "formula": formula}
    texts |= {kind: significant(one) for kind, one in slopes.items()}
    full = {"value": in_full(value)}
    full |= {kind: NOTHING if one is None else repr(one) for kind, one in slopes.items()}
    return [texts[kind] for kind in kinds], [full.get(kind, texts[kind]) for kind in kinds]


def sizes_said(setting: Setting, language: Language) -> str:
    """List the present sizes."""
    return " · ".join(f"{words.SIGNS[axis].say(language)} = {getattr(setting, axis):,}" for axis in AXES)
