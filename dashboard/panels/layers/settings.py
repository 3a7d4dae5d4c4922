"""The lesson's own controls: the sentence, the design of the stack, the mask."""

import streamlit as st

from dashboard import controls
from dashboard.controls import State
from dashboard.panels.layers.fields import RESETTABLE
from dashboard.panels.layers.views import VIEWS
from dashboard.panels.sentence import sentence
from dashboard.text import frame as frame_words
from dashboard.text import heads as head_words
from dashboard.text import layers as words
from dashboard.text import qkv as qkv_words

# Here both stacks are measured, with a residual and without.
HAS_BOTH = frozenset({"smoothing"})


def choose_view(state: State) -> None:
    """Offer the views, and say what the chosen one is for."""
    view = controls.choose(state, "view", words.VIEW, words.VIEW_HELP, words.VIEWS, hide_label=True)
    said = (words.LEADS[view], words.IN_SIDEBAR)
    # The style sheet of the page hides the second paragraph under this key where the sidebar stands open: link.css.
    with st.container(key="lead_and_sidebar"):
        st.caption("\n\n".join(text.say(state.language) for text in said))


def sidebar(state: State) -> None:
    """Show what all views share."""
    language = state.language
    with st.sidebar, controls.running_alone(state, VIEWS[state["view"]]):
        controls.slider(state, "n_layers", words.LAYERS, words.LAYERS_HELP)
        controls.slider(state, "d_model", qkv_words.D_MODEL, qkv_words.D_MODEL_HELP)
        controls.slider(state, "h", head_words.HEADS, words.HEADS_HELP)
        controls.choose(state, "norm", words.NORM, words.NORM_HELP, words.NORMS, in_sidebar=True)
        if state["view"] not in HAS_BOTH:
            controls.toggle(state, "has_residual", words.RESIDUAL, words.RESIDUAL_HELP)
        controls.toggle(state, "has_ffn", words.FFN, words.FFN_HELP)
        controls.toggle(state, "is_causal", qkv_words.CAUSAL, qkv_words.CAUSAL_HELP)
        names = qkv_words.POSITIONS, qkv_words.POSITIONS_HELP, qkv_words.POSITION_NAMES
        controls.choose(state, "positions", *names, in_sidebar=True)
        controls.whole_number(state, "seed", qkv_words.SEED, words.SEED_HELP)
        controls.button(frame_words.RESET.say(language), "reset.layers", state.reset, RESETTABLE)


def sentences(state: State) -> bool:
    """Ask for the sentence; tell whether it can be shown."""
    return sentence(state)
