"""The sizes that the ledger is asked for: boxes that keep what was typed, and what is wrong said beside them."""

import math
import re
from collections.abc import Callable
from dataclasses import dataclass, replace

import streamlit as st

from attention_core.ledger import PRESETS, list_steps
from attention_core.sizes import DTYPE_NAMES, Choice, Fault, SizeName, Sizes, find_faults
from dashboard import controls
from dashboard.controls import State
from dashboard.frame import code_span
from dashboard.link import FULL_WIDTH, number, shorten
from dashboard.number_format import MINUS
from dashboard.panels.heads.legal import SIGNS, offer_choices
from dashboard.text import Language
from dashboard.text import head_ledger as words

FIELDS: dict[SizeName, str] = {
    "batch": "ledger_batch",
    "n": "ledger_n",
    "d_model": "ledger_d_model",
    "n_heads": "ledger_h",
    "n_kv_heads": "ledger_h_kv",
}
MOST_DIGITS = 4000  # Python reads a few more
LONGEST_SHOWN = 32
BOX_WIDTH, LIST_WIDTH = 130, 150


@dataclass(frozen=True)
class Asked:
    """What the boxes ask for.

    Attributes:
        sizes: Where a box holds no whole number, 0 stands for it: that is illegal too, and breaks the same row.
        unread: The sizes whose box holds no whole number.
        faults: In the order of the rows; one for each of the unread among them.
    """

    sizes: Sizes
    unread: tuple[SizeName, ...]
    faults: tuple[Fault, ...]

    @property
    def broken_at(self) -> int | None:
        """The place of the row that cannot have its shape, from 0."""
        if not self.faults:
            return None
        names = [step.name for step in list_steps(self.sizes)]
        return min(names.index(fault.row) for fault in self.faults)


def read_whole(text: str) -> int | None:
    """Read a whole number as a reader types it.

    Example:
        >>> read_whole(" 12 "), read_whole("−3"), read_whole("１２"), read_whole("12.5"), read_whole("abc")
        (12, -3, 12, None, None)
    """
    cleaned = text.translate(FULL_WIDTH).strip().replace(MINUS, "-")
    is_whole = re.fullmatch(rf"[+-]?\d{{1,{MOST_DIGITS}}}", cleaned, re.ASCII)
    return int(cleaned) if is_whole else None


def read_asked(state: State) -> Asked:
    """Read the boxes and judge them."""
    texts = {name: state[field] for name, field in FIELDS.items()}
    is_left_out = not texts["n_kv_heads"].strip()
    read = {name: read_whole(text) for name, text in texts.items()}
    unread = tuple(
        name for name, value in read.items() if value is None and not (name == "n_kv_heads" and is_left_out)
    )
    whole = {name: 0 if name in unread else value for name, value in read.items()}
    sizes = Sizes(**whole, use_bias=state["ledger_bias"], dtype=state["ledger_dtype"])
    faults = tuple(
        choose_near(sizes, fault, texts[fault.names[0]]) if fault.names[0] in unread else fault
        for fault in find_faults(sizes)
    )
    return Asked(sizes, unread, faults)


def choose_near(sizes: Sizes, fault: Fault, text: str) -> Fault:
    """Where a box holds a number that is not whole, offer what is legal near it and not near the 0 that stands for it.

    Example:
        >>> sizes = Sizes(2, 5, d_model=0, n_heads=3)
        >>> (fault,) = find_faults(sizes)
        >>> [[choice.value for choice in choose_near(sizes, fault, text).choices] for text in ("12.4", "1e3", "x")]
        [[12], [999, 1002], [3]]
    """
    name, wanted = fault.names[0], number(text, math.inf)
    if wanted is None or math.isinf(wanted):
        return fault
    near = round(wanted)
    left = find_faults(replace(sizes, **{name: near}))
    about = next((one for one in left if name in one.names), None)
    if about is None:
        return replace(fault, choices=(Choice(name, near, is_enough=not left),))
    return replace(fault, choices=tuple(choice for choice in about.choices if choice.name == name))


def models_of(sizes: Sizes, n_layers: int) -> tuple[str, ...]:
    """Name the models whose attention this is, whatever the batch and the type; two may differ in positions alone.

    Example:
        >>> from dataclasses import replace
        >>> gpt2 = Sizes(2, 1024, 768, 12, use_bias=True)
        >>> models_of(gpt2, 12), models_of(replace(gpt2, n=10), 12), models_of(Sizes(2, 5, 12, 3), 1)
        (('gpt2_small',), ('gpt2_small', 'bert_base'), ())
    """

    def layer(one: Sizes) -> tuple[int, int, int, bool]:
        return one.d_model, one.n_heads, one.kv_heads, one.use_bias

    alike = {
        name: preset.sizes.n
        for name, preset in PRESETS.items()
        if name != "notes" and (layer(preset.sizes), preset.n_layers) == (layer(sizes), n_layers)
    }
    return tuple(name for name, n in alike.items() if n == sizes.n) or tuple(alike)


def take_preset(state: State, name: str) -> None:
    """Put the sizes of a known model into the boxes."""
    fill_boxes(state, PRESETS[name].sizes, PRESETS[name].n_layers)


def fill_boxes(state: State, sizes: Sizes, n_layers: int) -> None:
    """Put sizes into the boxes, as an action of the reader."""
    for size, field in FIELDS.items():
        value = getattr(sizes, size)
        state.put(field, "" if value is None else str(value))
    state.put("ledger_layers", n_layers)
    state.put("ledger_bias", sizes.use_bias)
    state.put("ledger_dtype", sizes.dtype)


def ask_sizes(state: State, asked: Asked) -> None:
    """Offer the presets and the boxes; under them, what is wrong and what would be legal nearby."""
    language = state.language
    with st.container(horizontal=True, gap="small"):
        for name, text in words.PRESETS.items():
            controls.button(text.say(language), f"ledger.preset.{name}", take_preset, state, name)
    wrong = {name for fault in asked.faults for name in fault.names}
    with st.container(horizontal=True):
        for name, field in FIELDS.items():
            empty = words.AS_MANY if name == "n_kv_heads" else words.WHOLE
            label = words.BOXES[name][name in wrong]
            controls.line(state, field, label, words.BOX_HELPS[name], empty, width=BOX_WIDTH)
        controls.whole_number(state, "ledger_layers", words.LAYERS, words.LAYERS_HELP, width=BOX_WIDTH)
        kinds = words.DTYPE, words.DTYPE_HELP, {name: name for name in DTYPE_NAMES}
        controls.choose(state, "ledger_dtype", *kinds, in_sidebar=True, width=LIST_WIDTH)
        controls.toggle(state, "ledger_bias", words.BIAS, words.BIAS_HELP)
    for place, fault in enumerate(asked.faults):
        say_fault(state, asked, fault, place)


def say_fault(state: State, asked: Asked, fault: Fault, place: int) -> None:
    """Name the rule and both values, where the ledger breaks, and the nearest legal values as buttons."""
    st.error(told_fault(state, asked, fault))
    offer_choices(state, fault, FIELDS, f"ledger.take.{place}")


def told_fault(state: State, asked: Asked, fault: Fault, literal: Callable[[str], str] = code_span) -> str:
    """Write what is wrong.

    Args:
        literal: How the reader's own text is set where the sentence will stand: Markdown unless something else is said.
    """
    language, name = state.language, fault.names[0]
    steps = list_steps(asked.sizes)
    row = next(place for place, step in enumerate(steps) if step.name == fault.row)
    breaks = words.BREAKS_AT.say(language, place=row + 1, symbol=steps[row].symbol)
    if name in asked.unread:
        given = literal(shorten(state[FIELDS[name]], LONGEST_SHOWN))
        said = words.FAULTS["unread"].say(language, sign=SIGNS[name], given=given)
    elif len(fault.names) == 1:
        said = words.FAULTS[fault.rule].say(
            language, sign=SIGNS[name], bound=f"{fault.bound:,}", given=brief(fault.values[0])
        )
    else:
        first, second = fault.values
        fields = {"first": first, "second": second, "rest": first % second}
        said = words.FAULTS[fault.rule].say(language, **fields)
    return said + ("" if language == "zh" else " ") + breaks


def brief(value: int) -> str:
    """Write a whole number of any size.

    Example:
        >>> brief(-3), brief(10**9), brief(10**40)
        ('−3', '1,000,000,000', '10,000,000,000,000,000,000,000,…')
    """
    return shorten(f"{value:,}".replace("-", MINUS), LONGEST_SHOWN)


def fault_title(asked: Asked, language: Language) -> str:
    """Say over the ledger where it breaks."""
    steps, place = list_steps(asked.sizes), asked.broken_at or 0
    return words.TABLE_BROKEN.say(language, place=place + 1, symbol=steps[place].symbol)
