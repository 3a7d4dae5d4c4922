"""The lesson's own controls: the sentence, the widths and the number of heads."""

import streamlit as st

from dashboard import controls
from dashboard.controls import State
from dashboard.panels.heads.fields import RESETTABLE
from dashboard.panels.heads.views import VIEWS
from dashboard.panels.sentence import sentence
from dashboard.text import frame as frame_words
from dashboard.text import heads as words
from dashboard.text import qkv as qkv_words

# Views that attend on the reader's sentence with the lesson's heads.
USES_SENTENCE = frozenset({"heads", "output", "dropout", "growth"})


def choose_view(state: State) -> None:
    """Offer the views, and say what the chosen one is for."""
    offered = {view: words.VIEWS[view] for view in VIEWS}
    view = controls.choose(state, "view", words.VIEW, words.VIEW_HELP, offered, hide_label=True)
    st.caption(words.LEADS[view].say(state.language))


def sidebar(state: State) -> None:
    """Show what the views with a sentence share."""
    if state["view"] not in USES_SENTENCE:
        return
    with st.sidebar, controls.running_alone(state, VIEWS[state["view"]]):
        controls.slider(state, "d_model", qkv_words.D_MODEL, qkv_words.D_MODEL_HELP)
        controls.slider(state, "h", words.HEADS, words.HEADS_HELP)
        controls.toggle(state, "is_causal", qkv_words.CAUSAL, qkv_words.CAUSAL_HELP)
        names = qkv_words.POSITIONS, qkv_words.POSITIONS_HELP, qkv_words.POSITION_NAMES
        controls.choose(state, "positions", *names, in_sidebar=True)
        controls.whole_number(state, "seed", qkv_words.SEED, qkv_words.SEED_HELP)
        controls.button(frame_words.RESET.say(state.language), "reset.heads", state.reset, RESETTABLE)


def sentences(state: State) -> bool:
    """Ask for the sentence where the view uses one; tell whether the view can be shown."""
    return state["view"] not in USES_SENTENCE or sentence(state)


def has_legal_heads(state: State) -> bool:
    """Tell whether h divides d_model; where it does not, name the rule and offer the nearest that are legal.

    Call it first in the fragment of a view with a sentence: the controls run that alone.
    """
    d_model, h, language = state["d_model"], state["h"], state.language
    if d_model % h == 0:
        return True
    st.error(words.H_DIVIDES.say(language, h=h, d_model=d_model, rest=d_model % h))
    with st.container(horizontal=True):
        for name, legal in nearest_legal(state).items():
            for value in legal:
                label = words.TAKE_VALUE.say(language, name=words.NAMES[name], value=value)
                controls.button(label, f"take.{name}.{value}", state.put, name, value)
    return False


def nearest_legal(state: State) -> dict[str, list[int]]:
    """For h and for d_model, the nearest legal values below and above, the other kept."""
    d_model, h = state["d_model"], state["h"]
    fits = {
        "h": [value for value in range(1, state.fields["h"].highest + 1) if d_model % value == 0],
        "d_model": [value for value in range(1, state.fields["d_model"].highest + 1) if value % h == 0],
    }
    return {
        name: [
            *[value for value in values if value < state[name]][-1:],
            *[value for value in values if value > state[name]][:1],
        ]
        for name, values in fits.items()
    }
