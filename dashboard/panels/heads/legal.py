"""Whether the heads that the reader asks for can be, and what is nearest where they cannot."""

from collections.abc import Mapping

import streamlit as st

from attention_core.sizes import Fault, SizeName, Sizes, find_faults
from dashboard import controls
from dashboard.controls import State
from dashboard.link import Line
from dashboard.text import heads as words

# The names that a reader sees.
SIGNS: dict[SizeName, str] = {
    "batch": "B",
    "n": "N",
    "d_model": "d_model",
    "n_heads": "h",
    "n_kv_heads": "h_kv",
}
# The fields of the views with a sentence, by the names that a reader sees; other views have fields of their own.
FIELDS = {"h": "h", "d_model": "d_model"}


def has_legal_heads(state: State, fields: Mapping[str, str] = FIELDS) -> bool:
    """Tell whether h divides d_model; where it does not, name the rule and offer the nearest that are legal.

    Call it first in the fragment of a view with a sentence: the controls run that alone.
    """
    d_model, h, language = state[fields["d_model"]], state[fields["h"]], state.language
    if d_model % h == 0:
        return True
    st.error(words.H_DIVIDES.say(language, h=h, d_model=d_model, rest=d_model % h))
    with st.container(horizontal=True):
        for name, legal in nearest_legal(state, fields).items():
            for value in legal:
                label = words.TAKE_VALUE.say(language, name=name, value=value)
                controls.button(label, f"take.{fields[name]}.{value}", state.put, fields[name], value)
    return False


def nearest_legal(state: State, fields: Mapping[str, str] = FIELDS) -> dict[str, list[int]]:
    """For h and for d_model, the nearest legal values below and above, the other kept."""
    (fault,) = find_faults(Sizes(batch=1, n=1, d_model=state[fields["d_model"]], n_heads=state[fields["h"]]))
    return {
        name: [
            choice.value
            for choice in fault.choices
            if SIGNS[choice.name] == name and choice.value <= state.fields[field].highest
        ]
        for name, field in fields.items()
    }


def offer_choices(state: State, fault: Fault, fields: Mapping[SizeName, str], key: str) -> None:
    """Offer the nearest legal values that a fault names, those that a field can hold."""
    with st.container(horizontal=True, gap="small"):
        for choice in fault.choices:
            name = fields[choice.name]
            field = state.fields[name]
            is_text = isinstance(field, Line)
            if not is_text and choice.value > field.highest:
                continue
            label = words.TAKE_VALUE if choice.is_enough else words.TAKE_PARTLY
            said = label.say(state.language, name=SIGNS[choice.name], value=choice.value)
            value = str(choice.value) if is_text else choice.value
            controls.button(said, f"{key}.{choice.name}.{choice.value}", state.put, name, value)
