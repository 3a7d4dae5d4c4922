"""The sizes that the views share: boxes that keep what was typed, and what is wrong said beside them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import streamlit as st

from attention_core.cost import Setting
from attention_core.sizes import Fault, SizeName, Sizes, find_faults
from dashboard import controls
from dashboard.controls import State
from dashboard.frame import code_span
from dashboard.link import shorten
from dashboard.panels.heads.ledger_sizes import LONGEST_SHOWN, brief, choose_near, read_whole
from dashboard.panels.heads.legal import SIGNS, offer_choices
from dashboard.text import complexity as words
from dashboard.text import head_ledger as size_words

FIELDS: dict[SizeName, str] = {
    "batch": "batch",
    "n": "n",
    "d_model": "d_model",
    "n_heads": "h",
    "n_kv_heads": "h_kv",
}
BOX_WIDTH, LIST_WIDTH = 120, 170
# The boxes that always stand there, and those that can be folded away with the fields beside them.
FIRST: tuple[SizeName, ...] = ("n", "d_model", "n_heads")
SECOND: tuple[SizeName, ...] = ("batch", "n_kv_heads")
FOLDED = ("batch", "h_kv", "bytes", "width", "block", "dilation", "rank")
MORE = "open.sizes"


@dataclass(frozen=True)
class Asked:
    """What the boxes ask for.

    Attributes:
        names: The sizes that the view asks for.
        unread: Those whose box holds no whole number; 0 stands for it in sizes.
        fields: The field of each size in the link.
    """

    names: tuple[SizeName, ...]
    sizes: Sizes
    unread: tuple[SizeName, ...]
    faults: tuple[Fault, ...]
    fields: Mapping[SizeName, str]


def read_asked(state: State, *, has_n: bool = True, fields: Mapping[SizeName, str] = FIELDS) -> Asked:
    """Read the boxes and judge them.

    Args:
        has_n: The view asks for N; else what stands in its box is no matter.
        fields: The sizes that the view asks for; of N and B that it does not there is 1.
    """
    names = tuple(name for name in fields if has_n or name != "n")
    texts = {name: state[fields[name]] for name in names}
    read = {name: read_whole(text) for name, text in texts.items()}
    is_left_out = not texts["n_kv_heads"].strip()
    unread = tuple(
        name for name, value in read.items() if value is None and not (name == "n_kv_heads" and is_left_out)
    )
    sizes = Sizes(
        **{"n": 1, "batch": 1} | {name: 0 if name in unread else value for name, value in read.items()}
    )
    faults = tuple(
        choose_near(sizes, fault, texts[fault.names[0]]) if fault.names[0] in unread else fault
        for fault in find_faults(sizes)
    )
    return Asked(names, sizes, unread, faults, fields)


def setting_of(state: State, sizes: Sizes) -> Setting:
    """Put legal sizes together with those that are legal by themselves."""
    return Setting(
        n=sizes.n,
        d_model=sizes.d_model,
        n_heads=sizes.n_heads,
        batch=sizes.batch,
        n_kv_heads=sizes.n_kv_heads,
        n_layers=state["layers"],
        element_bytes=int(state["bytes"]),
        width=state["width"],
        block=state["block"],
        dilation=state["dilation"],
        rank=state["rank"],
    )


def ask_sizes(state: State, asked: Asked) -> None:
    """Offer the boxes; under them, what is wrong and what would be legal nearby."""
    with st.container(horizontal=True):
        ask_boxes(state, asked, FIRST)
        controls.whole_number(state, "layers", words.LAYERS, words.LAYERS_HELP, width=BOX_WIDTH)
    is_open = f"is_open:{MORE}"
    if is_needed(asked):
        st.session_state[is_open] = True
    elif is_open not in st.session_state:
        st.session_state[is_open] = any(state[name] != state.fields[name].default for name in FOLDED)
    with controls.disclosure(words.MORE_SIZES.say(state.language), MORE) as is_shown:
        if is_shown:
            ask_more(state, asked)
    say_faults(state, asked)


def is_needed(asked: Asked) -> bool:
    """Tell whether something is wrong with a size whose box can be folded away."""
    return any(asked.fields[name] in FOLDED for fault in asked.faults for name in fault.names)


def ask_boxes(state: State, asked: Asked, names: Sequence[SizeName]) -> None:
    """Offer those boxes among these that the view asks for."""
    wrong = {name for fault in asked.faults for name in fault.names}
    for name in names:
        if name in asked.names:
            empty = size_words.AS_MANY if name == "n_kv_heads" else size_words.WHOLE
            label = size_words.BOXES[name][name in wrong]
            controls.line(state, asked.fields[name], label, words.BOX_HELPS[name], empty, width=BOX_WIDTH)


def ask_more(state: State, asked: Asked) -> None:
    """Offer the sizes that a first look does not need."""
    box = {"width": BOX_WIDTH}
    with st.container(horizontal=True):
        ask_boxes(state, asked, SECOND)
        kinds = words.BYTES, words.BYTES_HELP, words.BYTES_OPTIONS
        controls.choose(state, "bytes", *kinds, in_sidebar=True, width=LIST_WIDTH)
        controls.whole_number(state, "width", words.WIDTH, words.WIDTH_HELP, **box)
        controls.whole_number(state, "block", words.BLOCK, words.BLOCK_HELP, **box)
        controls.whole_number(state, "dilation", words.DILATION, words.DILATION_HELP, **box)
        controls.whole_number(state, "rank", words.RANK, words.RANK_HELP, **box)


def say_faults(state: State, asked: Asked) -> None:
    """Say what is wrong, with what would be legal nearby as buttons."""
    for place, fault in enumerate(asked.faults):
        st.error(told_fault(state, asked, fault))
        offer_choices(state, fault, asked.fields, f"complexity.take.{place}")


def told_fault(state: State, asked: Asked, fault: Fault) -> str:
    """Name the rule and the values that break it."""
    language, name = state.language, fault.names[0]
    if name in asked.unread:
        given = code_span(shorten(state[asked.fields[name]], LONGEST_SHOWN))
        return size_words.FAULTS["unread"].say(language, sign=SIGNS[name], given=given)
    text = size_words.FAULTS[fault.rule]
    if len(fault.names) == 1:
        fields = {"bound": f"{fault.bound:,}", "given": brief(fault.values[0])}
        return text.say(language, sign=SIGNS[name], **fields)
    first, second = fault.values
    return text.say(language, first=first, second=second, rest=first % second)
