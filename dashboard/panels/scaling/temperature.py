"""One row of scores at a temperature: how sharp its weights are, and what of a gradient comes through (S4)."""

import math
from dataclasses import replace
from functools import lru_cache

import pandas as pd
import streamlit as st

from attention_core.experiments.scaling import draw_sample_row
from attention_core.experiments.temperature import (
    TemperatureRow,
    TemperatureSweep,
    TopTwo,
    compare_top_two,
    measure_temperatures,
    weigh_at,
)
from attention_core.sharpness import entropy, scores_gradient
from dashboard import controls
from dashboard.cached import halved_at, temperatures_of
from dashboard.charts.temperature import temperature_curves, temperature_frame
from dashboard.controls import State
from dashboard.frame import asked_parts, source, table
from dashboard.grid import grid_part
from dashboard.grid.bench import Area, Part, show_bench, show_part
from dashboard.grid.lines import Line, lines_part, prose
from dashboard.number_format import significant
from dashboard.number_table import grid_labels, table_part
from dashboard.panels.scaling.rows import row_of, typed_row
from dashboard.text import Language
from dashboard.text import softmax as words

STOPS = (*(float(f"{digit}e{power}") for power in range(-2, 3) for digit in (1, 2, 5)), 1000.0)
DRAWN_WIDTH, DRAWN_KEYS, DRAWN_SEED = 1024, 8, 0
ROWS = {
    "notes": ("32, 0, 0", 1),
    "e3": ("2, -1, 0.5", 1),
    "near": ("3, 2.9, 0", 0.1),
    "equal": ("1, 1, 1, 1", 1),
}
MOST_LISTED = 8


def temperature(state: State) -> None:
    """Show the weights at the reader's temperature, which run alone, beside their sharpness at every temperature."""
    language = state.language
    first, second = st.columns([5, 1], gap="small")
    with first:
        row = typed_row(state, "row", words.ROW, words.ROW_HELP)
    with second:
        controls.any_number(state, "temperature", words.ANY_TEMPERATURE, words.ANY_TEMPERATURE_HELP)
    show_presets(state)
    if row is None:
        show_part("address", controls.address_part(state))
        return
    left, right = st.columns([5, 6], gap="medium")
    with left:
        sweep = sweep_of(state, row)
        show_curves(sweep, language)
        show_table(sweep, language)
    with right:
        at_one_temperature(state)
    source([measure_temperatures, weigh_at, entropy, scores_gradient], language)


@controls.fragment
def at_one_temperature(state: State) -> bool:
    """Show the row's weights, the gradient of each, and what both say."""
    language = state.language
    help_text = words.TEMPERATURE_HELP
    controls.steps(state, "temperature", words.TEMPERATURE, help_text, STOPS, plain, width=440)
    row = row_of(state, "row")
    now, sweep, two = weighed(state, row)
    badge = Line(prose(provenance(state)), "note")
    sharp, moved = (
        [Line(prose(text), "prose") for text in texts] for texts in readings(state, row, now, sweep, two)
    )
    parts: dict[str, tuple[Area, Part]] = {
        "address": ("top", controls.address_part(state)),
        "weights": ("below", weights_part(row, now, language)),
        "said": ("below", lines_part(words.TEMPERATURE.say(language), [badge, *sharp, *moved])),
        "keys": ("below", keys_part(row, now, language)),
    }
    show_bench("bench.temperature", parts | question_parts(row, sweep, language))
    return True


def weighed(state: State, row: tuple[float, ...]) -> tuple[TemperatureRow, TemperatureSweep, TopTwo]:
    """Weigh the row at the reader's temperature and at all those of the slider."""
    t = float(state["temperature"])
    (now,) = measure_temperatures(row, [t])
    return now, sweep_of(state, row), compare_top_two(row, t)


def sweep_of(state: State, row: tuple[float, ...]) -> TemperatureSweep:
    """Weigh the row at all temperatures of the slider."""
    field = state.fields["temperature"]
    return temperatures_of(row, field.lowest, field.highest)


@lru_cache(maxsize=1)
def drawn_row() -> str:
    """Draw scores of a wide query, which nothing has scaled yet."""
    sample = draw_sample_row(DRAWN_WIDTH, n_keys=DRAWN_KEYS, seed=DRAWN_SEED)
    return ", ".join(f"{score:.4g}" for score in sample.scores.tolist())


def show_presets(state: State) -> None:
    """Offer rows at temperatures where they show something."""
    rows = ROWS | {"drawn": (drawn_row(), math.isqrt(DRAWN_WIDTH))}
    with st.container(horizontal=True, gap="small"):
        for name, (row, t) in rows.items():
            label = words.PRESETS[name].say(state.language)
            controls.button(label, f"preset.{name}", take_preset, state, row, float(t))


def take_preset(state: State, row: str, t: float) -> None:
    """Put a row and its temperature into the boxes."""
    state.put("row", row)
    state.put("temperature", t)


def plain(value: float, digits: int = 6) -> str:
    """Write a number that a reader chose, without zeros at its end.

    Example:
        >>> plain(4.0), plain(-0.5), plain(1e38), plain(math.inf)
        ('4', '−0.5', '1e38', '∞')
    """
    text = f"{value:.{digits}g}"
    if "e" in text or not math.isfinite(value):
        return significant(value, digits)
    return text.replace("-", "\N{MINUS SIGN}")


def weights_part(row: tuple[float, ...], now: TemperatureRow, language: Language) -> Part:
    """Describe the weights at the reader's temperature as bars."""
    return grid_part(
        [now.weights],
        title=words.WEIGHTS_TITLE.say(language, t=plain(now.temperature)),
        labels=replace(grid_labels(language, "row", "key"), value=words.WEIGHT.say(language)),
        row_labels=[words.WEIGHT.say(language)],
        column_labels=[plain(score) for score in row],
        role="weights",
        scale="sequential",
        is_bars=True,
    )


def show_curves(sweep: TemperatureSweep, language: Language) -> None:
    """Draw sharpness and gradient against the temperature."""
    curves = tuple(text.say(language) for text in words.CURVES.values())
    shares = sweep.gradient_shares or [None] * len(sweep.records)
    rows = [
        (record.temperature, (record.largest_weight, record.entropy_share, share))
        for record, share in zip(sweep.records, shares, strict=True)
    ]
    first, last = sweep.records[0], sweep.records[-1]
    st.vega_lite_chart(
        temperature_frame(rows, curves),
        temperature_curves(
            words.TEMPERATURE.say(language),
            words.CURVE_TITLE.say(language),
            curves,
            first.temperature,
            last.temperature,
        ),
        key="chart.temperatures",
        alt=words.CURVES_ALT.say(
            language,
            lowest=plain(first.temperature),
            highest=plain(last.temperature),
            cold=significant(first.largest_weight),
            hot=significant(last.largest_weight),
            cold_entropy=significant(first.entropy_share),
            hot_entropy=significant(last.entropy_share),
            peak=significant(sweep.peak.temperature if sweep.peak else None),
        ),
    )


def share_of_peak(now: TemperatureRow, sweep: TemperatureSweep) -> float | None:
    """Hold the present gradient against the largest."""
    return min(now.gradient_norm / sweep.peak.gradient_norm, 1.0) if sweep.peak else None


def provenance(state: State) -> str:
    """Say where the row comes from."""
    if state["row"] == drawn_row():
        return words.DRAWN.say(state.language, seed=DRAWN_SEED, d_k=DRAWN_WIDTH)
    return words.TYPED.say(state.language)


def readings(
    state: State, row: tuple[float, ...], now: TemperatureRow, sweep: TemperatureSweep, two: TopTwo
) -> tuple[list[str], list[str]]:
    """Say how sharp the weights are and what a gap turns into; then where a gradient is strongest."""
    language = state.language
    see = words.SEE.say(
        language,
        t=plain(now.temperature),
        first=two.first + 1,
        largest=significant(now.largest_weight),
        share=significant(now.entropy_share),
        gradient=significant(now.gradient_norm),
    )
    moved = [say_peak(now, sweep, two, language)]
    if state["row"] == drawn_row():
        moved.append(words.ROOT.say(language, d_k=DRAWN_WIDTH, root=math.isqrt(DRAWN_WIDTH)))
    spread = words.METER.say(
        language,
        entropy=significant(now.entropy),
        n=len(row),
        most=significant(math.log(len(row))),
        effective=significant(now.effective_keys),
    )
    return [see + (" " if language == "en" else "") + spread, say_stretch(row, now, two, language)], moved


def say_stretch(row: tuple[float, ...], now: TemperatureRow, two: TopTwo, language: Language) -> str:
    """Say the ratio of the two largest weights, divided and by theory."""
    text = words.STRETCH_BEYOND if math.isinf(two.ratio) else words.STRETCH if two.gap else words.TIED
    named = {"first": two.first + 1, "second": two.second + 1, "a": plain(row[two.first])}
    if two.gap:
        named |= {"b": plain(row[two.second]), "gap": plain(two.gap), "t": plain(now.temperature)}
    if text is words.STRETCH:
        named |= {"ratio": significant(two.ratio), "expected": significant(two.expected)}
    said = text.say(language, **named)
    if not two.is_in_order:
        return said
    return f"{said}{' ' if language == 'en' else ''}{words.ORDER.say(language)}"


def say_peak(now: TemperatureRow, sweep: TemperatureSweep, two: TopTwo, language: Language) -> str:
    """Say at which temperature the gradient is largest."""
    if sweep.peak is None:
        ends = {"lowest": sweep.records[0], "highest": sweep.records[-1]}
        return words.NO_GRADIENT.say(language, **{end: plain(at.temperature) for end, at in ends.items()})
    text = words.PEAK
    if sweep.is_at_end:
        text = words.PEAK_OUTSIDE if two.gap else words.PEAK_TIED
    return text.say(
        language,
        peak=significant(sweep.peak.temperature),
        norm=significant(sweep.peak.gradient_norm),
        share=significant(share_of_peak(now, sweep)),
    )


def keys_part(row: tuple[float, ...], now: TemperatureRow, language: Language) -> Part:
    """Describe the numbers of each key."""
    return table_part(
        list(zip(now.scaled, now.weights, now.gradient, strict=True)),
        words.KEYS_TITLE.say(language),
        language,
        rows=[plain(score) for score in row],
        columns=[text.say(language) for text in words.KEY_COLUMNS[1:]],
        row="key",
    )


def question_parts(
    row: tuple[float, ...], sweep: TemperatureSweep, language: Language
) -> dict[str, tuple[Area, Part]]:
    """Ask how hot it must be for one half; the answer is found by trying."""
    t, hottest = halved_at(row), sweep.records[-1]
    if math.isinf(t):
        largest = significant(hottest.largest_weight, 6)
        answer = words.ANSWER_NEVER.say(language, t=plain(hottest.temperature), largest=largest)
    elif not t:
        answer = words.ANSWER_ALWAYS.say(language, ties=row.count(max(row)))
    else:
        weights = measure_temperatures(row, [t])[0].weights
        listed = ", ".join(map(significant, weights[:MOST_LISTED])) + ("…" if len(row) > MOST_LISTED else "")
        answer = words.ANSWER_HALF.say(language, t=significant(t, 4), weights=listed)
    return asked_parts(words.QUESTION_HALF.say(language), answer, language)


def show_table(sweep: TemperatureSweep, language: Language) -> None:
    """Offer the numbers of the curves."""
    columns = [text.say(language) for text in words.CURVE_COLUMNS]
    rows = [
        (r.temperature, r.largest_weight, r.entropy, r.entropy_share, r.effective_keys, r.gradient_norm)
        for r in sweep.records
    ]
    table(lambda: pd.DataFrame(rows, columns=columns), "temperatures", language, words.CURVES_NAME)
