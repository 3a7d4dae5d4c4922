"""Whether the heads that the reader asks for can be, and what is nearest where they cannot."""

from collections.abc import Mapping

import streamlit as st

from dashboard import controls
from dashboard.controls import State
from dashboard.text import heads as words

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
                label = words.TAKE_VALUE.say(language, name=words.NAMES[name], value=value)
                controls.button(label, f"take.{fields[name]}.{value}", state.put, fields[name], value)
    return False


def nearest_legal(state: State, fields: Mapping[str, str] = FIELDS) -> dict[str, list[int]]:
    """For h and for d_model, the nearest legal values below and above, the other kept."""
    d_model, h = state[fields["d_model"]], state[fields["h"]]
    most = {name: state.fields[field].highest for name, field in fields.items()}
    fits = {
        "h": [value for value in range(1, most["h"] + 1) if d_model % value == 0],
        "d_model": [value for value in range(1, most["d_model"] + 1) if value % h == 0],
    }
    return {
        name: [
            *[value for value in values if value < state[fields[name]]][-1:],
            *[value for value in values if value > state[fields[name]]][:1],
        ]
        for name, values in fits.items()
    }
