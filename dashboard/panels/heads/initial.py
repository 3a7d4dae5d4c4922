"""The same matrix begun in four ways: spread, scores, gradient, what is stored, and what is faster (H6)."""

from functools import partial

import pandas as pd
import streamlit as st
import torch

from attention_core.experiments.independence import FELT_SHARE, Comparison
from attention_core.experiments.initial_weights import (
    D_MODELS,
    DEAD,
    STARTS_BY,
    InitialWeights,
    compare_storage,
    expected_scaled_std,
    expected_spread,
    measure_starts,
    time_products,
)
from dashboard import controls
from dashboard.cached import measured_products
from dashboard.charts.histogram import histogram, histogram_frame
from dashboard.charts.starts import start_frame, start_lines
from dashboard.controls import State
from dashboard.frame import asked_and_measured, source, table
from dashboard.grid.bench import Area, Part, show_bench
from dashboard.grid.lines import Line, lines_part, prose, word
from dashboard.link import shorten
from dashboard.number_format import significant
from dashboard.number_table import table_part
from dashboard.panels.heads.initial_model import TOKENS, TRIALS, Records, bins_at, measure
from dashboard.text import Language
from dashboard.text import head_initial as words

Parts = dict[str, tuple[Area, Part]]

# Meters between 0 and 1, which are read on an even axis.
SHARES = frozenset({"largest_weight", "entropy_share", "dead_share"})
GRADIENTS = frozenset({"w_q_gradient", "x_gradient"})
TIMED_ROWS, TIMED_REPEATS = 64, 15
# Differences in float64 below this are rounding.
ROUNDING = 1e-12
LONGEST_REFUSAL = 160
RAN = [
    *STARTS_BY.values(),
    expected_spread,
    expected_scaled_std,
    measure_starts,
    compare_storage,
    time_products,
]


def initial(state: State) -> None:
    """Show the four beginnings, then how nn.Linear stores its weight, then the functions that ran."""
    beginnings(state)
    storage(state)
    source(RAN, state.language)


@controls.fragment
def beginnings(state: State) -> bool:
    """Ask for the width, the beginning and the meter; draw, lay out and say what was measured."""
    language = state.language
    choose(state)
    start, d_model = state["initial_start"], state["initial_d_model"]
    records = measure(d_model, state["initial_seed"], state["device"], language)
    left, right = st.columns((3, 2), gap="medium")
    with left:
        show_lines(records, state["initial_meter"], language)
    with right:
        show_bins(state, records[d_model][start])
    parts: Parts = {
        "address": ("top", controls.address_part(state)),
        "note": ("top", note_part(state)),
        **table_parts(records, d_model, state["initial_meter"], language),
    }
    lines = [Line(prose(text), "prose") for text in readings(records, d_model, start, language)]
    parts["said"] = ("end", lines_part(words.SAID.say(language), lines))
    show_bench("bench.initial", parts | question_parts(state["device"], language))
    return True


def choose(state: State) -> None:
    """Ask for the width, the beginning, the meter and the seed."""
    with st.container(horizontal=True):
        controls.steps(state, "initial_d_model", words.D_MODEL, words.D_MODEL_HELP, D_MODELS, width=280)
        names = words.START, words.START_HELP, words.STARTS
        controls.choose(state, "initial_start", *names, in_sidebar=True, width=240)
        names = words.METER, words.METER_HELP, words.METERS
        controls.choose(state, "initial_meter", *names, in_sidebar=True, width=240)
        controls.whole_number(state, "initial_seed", words.SEED, words.SEED_HELP, width=130)


def read(record: InitialWeights, meter: str) -> float | None:
    """Read a meter: of gradients the draw in the middle, for few draws make their mean."""
    found = getattr(record, meter)
    return found.median if meter in GRADIENTS else found.mean


def show_lines(records: Records, meter: str, language: Language) -> None:
    """Draw one meter of the four against the width."""
    names = {start: text.say(language) for start, text in words.STARTS.items()}
    rows = [
        (names[start], width, read(record, meter))
        for width, at_width in records.items()
        for start, record in at_width.items()
    ]
    curves = [
        words.CURVE_ALT.say(
            language,
            start=name,
            first=significant(read(next(iter(records.values()))[start], meter)),
            last=significant(read(list(records.values())[-1][start], meter)),
        )
        for start, name in names.items()
    ]
    title, is_share = words.METERS[meter].say(language), meter in SHARES
    widths = list(records)
    st.vega_lite_chart(
        start_frame(rows, is_share=is_share),
        start_lines(words.D_MODEL_TITLE.say(language), title, tuple(names.values()), is_share=is_share),
        key="chart.starts",
        alt=words.LINES_ALT.say(
            language,
            meter=title,
            first=widths[0],
            last=widths[-1],
            curves=words.BETWEEN.say(language).join(curves),
        ),
    )
    if not is_share and any(value == 0 for *_, value in rows):
        st.caption(words.NO_PLACE_FOR_ZERO.say(language))


def show_bins(state: State, record: InitialWeights) -> None:
    """Draw the weights of one matrix."""
    language = state.language
    bins = [
        (b.lower, b.upper, b.share, b.expected_share)
        for b in bins_at(record.start, record.d_model, state["initial_seed"])
    ]
    inside = [share for _, _, share, expected in bins if expected > 0]
    kinds = words.MEASURED.say(language), words.THEORY.say(language)
    axes = words.HISTOGRAM_TITLE.say(language), words.SHARE_TITLE.say(language)
    st.vega_lite_chart(
        histogram_frame(bins, *kinds),
        histogram(*axes, *kinds, is_stepped=True),
        key="chart.initial",
        alt=words.HISTOGRAM_ALT.say(
            language,
            start=words.STARTS[record.start].say(language),
            d_model=record.d_model,
            lower=significant(record.expected.lower),
            upper=significant(record.expected.upper),
            expected=significant(1 / len(inside)),
            least=significant(min(inside)),
            most=significant(max(inside)),
        ),
    )
    columns = [text.say(language) for text in words.HISTOGRAM_COLUMNS]
    table(lambda: pd.DataFrame(bins, columns=columns), "initial", language, words.HISTOGRAM_TABLE)


def note_part(state: State) -> Part:
    """Say where the numbers come from."""
    sizes = {"tokens": TOKENS, "trials": TRIALS, "version": torch.__version__}
    drawn = {"seed": state["initial_seed"], "device": controls.DEVICES[state["device"]]}
    note = words.NOTE.say(state.language, **drawn, **sizes)
    return lines_part(words.VIEW.say(state.language), [Line(prose(note), "note")])


def table_parts(records: Records, d_model: int, meter: str, language: Language) -> Parts:
    """Describe the weights, what attention makes of them, and the chosen meter at all widths."""
    rows = [text.say(language) for text in words.STARTS.values()]
    here = [records[d_model][start] for start in words.STARTS]
    effects = [[read(record, name) for name in words.METERS] for record in here]
    effects = [
        [number(row[0]), record.expected_scaled_std, *map(number, row[1:])]
        for row, record in zip(effects, here, strict=True)
    ]
    first, *others = (text.say(language) for text in words.METERS.values())
    widths = [[number(read(at[start], meter)) for at in records.values()] for start in words.STARTS]
    titles = (
        words.WEIGHTS_TABLE.say(language, d_model=d_model),
        words.EFFECTS_TABLE.say(language, d_model=d_model),
        words.WIDTHS_TABLE.say(language, meter=words.METERS[meter].say(language)),
    )
    columns = (
        [text.say(language) for text in words.WEIGHTS_COLUMNS],
        [first, words.SCALED_THEORY.say(language), *others],
        [str(width) for width in records],
    )
    values = ([spread_row(record) for record in here], effects, widths)
    return {
        name: ("below", table_part(numbers, title, language, rows=rows, columns=heads))
        for name, numbers, title, heads in zip(
            ("weights", "effects", "widths"), values, titles, columns, strict=True
        )
    }


def spread_row(record: InitialWeights) -> list[float]:
    """Put each number of the weights beside theory's."""
    theory = record.expected
    measured = (record.mean, record.std, record.lowest, record.highest)
    expected = (theory.mean, theory.std, theory.lower, theory.upper)
    return [value for pair in zip(measured, expected, strict=True) for value in pair]


def number(value: float | None) -> float:
    """Write what is not there as NaN, which a table shows as such."""
    return float("nan") if value is None else value


def readings(records: Records, d_model: int, start: str, language: Language) -> list[str]:
    """Name nn.Linear's rule, and say what the chosen beginning does here and over the widths, and why."""
    record = records[d_model][start]
    effect = words.EFFECT.say(
        language,
        start=words.STARTS[start].say(language),
        d_model=d_model,
        std=significant(record.scaled_std.mean),
        expected=significant(record.expected_scaled_std),
        largest=significant(record.largest_weight.mean),
        tokens=TOKENS,
        even=significant(1 / TOKENS),
        limit=significant(DEAD),
    )
    return [
        say_names(records[d_model], d_model, language),
        effect,
        say_widths(records, language),
        words.WHY[start].say(language, **gradients_of(records, start, language)),
    ]


def gradients_of(records: Records, start: str, language: Language) -> dict[str, object]:
    """List the gradients at W^Q that one beginning leaves, width by width."""
    widths = list(records)
    found = [significant(read(at[start], "w_q_gradient")) for at in records.values()]
    between = words.BETWEEN_NUMBERS.say(language)
    return {"first": widths[0], "last": widths[-1], "gradients": between.join(found)}


def say_names(here: dict[str, InitialWeights], d_model: int, language: Language) -> str:
    """Say by which rule nn.Linear begins, beside the two it is taken for."""
    linear, xavier, kaiming = (
        here[start].expected.upper for start in ("linear", "xavier_uniform", "kaiming_uniform")
    )
    return words.NAMES.say(
        language,
        d_model=d_model,
        bound=significant(linear),
        xavier=significant(xavier),
        xavier_times=significant(xavier / linear),
        kaiming=significant(kaiming),
        kaiming_times=significant(kaiming / linear),
    )


def say_widths(records: Records, language: Language) -> str:
    """Say how scores grow with the width, and how they do not."""
    widths = list(records)
    ends = {
        f"{start}_{end}": significant(records[width][start].scaled_std.mean)
        for start in ("rand", "linear")
        for end, width in (("first", widths[0]), ("last", widths[-1]))
    }
    theory = significant(records[widths[0]]["linear"].expected_scaled_std)
    return words.WIDER.say(language, first=widths[0], last=widths[-1], linear_theory=theory, **ends)


def question_parts(device: str, language: Language) -> Parts:
    """Ask whether nn.Linear is faster; both are timed while the answer is unfolded."""
    return asked_and_measured(
        "initial", words.QUESTION.say(language), partial(answer, device, language), language
    )


def answer(device: str, language: Language) -> str:
    """Time nn.Linear and x @ w, once for the hour, and say what came out."""
    measured = measured_products(D_MODELS, TIMED_ROWS, TIMED_REPEATS, device)
    compared = [record.comparison for record in measured.records]
    each = [
        words.EACH.say(
            language,
            d_model=record.d_model,
            ratio=significant(one.ratio),
            lower=significant(one.lower_quartile),
            upper=significant(one.upper_quartile),
            verdict=words.VERDICTS[verdict_of(one)].say(language),
        )
        for record, one in zip(measured.records, compared, strict=True)
    ]
    return words.ANSWER.say(
        language,
        each=words.BETWEEN.say(language).join(each),
        felt=f"{FELT_SHARE:.0%}",
        difference=significant(max(record.largest_difference for record in measured.records)),
        when=measured.when,
        machine=f"{controls.where(device)}, {measured.machine.processor}",
        torch=measured.machine.torch,
        threads=measured.machine.threads,
        n=TIMED_ROWS,
        repeats=TIMED_REPEATS,
    )


def verdict_of(one: Comparison) -> str:
    """Say that there is no difference only where the spread allows it."""
    return "unclear" if one.verdict == "no difference" and not one.is_close else one.verdict


@controls.fragment
def storage(state: State) -> bool:
    """Ask for the sizes of an nn.Linear; show how it stores its weight, and what a forgotten transpose gives."""
    language = state.language
    st.markdown(f"**{words.STORAGE.say(language)}**")
    with st.container(horizontal=True):
        controls.slider(state, "initial_inputs", words.INPUTS, words.SIZES_HELP, width=240)
        controls.slider(state, "initial_outputs", words.OUTPUTS, words.SIZES_HELP, width=240)
    texts = say_storage(state["initial_inputs"], state["initial_outputs"], language)
    lines = [Line(prose(text), "prose") for text in texts]
    parts: Parts = {
        "address": ("top", controls.address_part(state)),
        "storage": ("top", lines_part(words.STORAGE.say(language), lines)),
    }
    show_bench("bench.storage", parts)
    return True


def say_storage(n_inputs: int, n_outputs: int, language: Language) -> list[str]:
    """Say which shape is stored, and what x @ weight gives."""
    record = compare_storage(n_inputs, n_outputs)
    stored = words.STORED.say(
        language,
        inputs=n_inputs,
        outputs=n_outputs,
        linear=str(record.linear_shape),
        parameter=str(record.parameter_shape),
        difference=significant(record.difference),
    )
    if record.untransposed_error is not None:
        told = shorten(" ".join(record.untransposed_error.split()), LONGEST_REFUSAL)
        return [stored, words.REFUSED.say(language, error=word(told))]
    off = record.untransposed_difference
    said = words.WRONG if off > ROUNDING else words.ALIKE
    return [stored, said.say(language, difference=significant(off))]
