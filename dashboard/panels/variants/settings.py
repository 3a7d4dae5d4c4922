"""The lesson's own controls: the sentence, the widths and the number of heads."""

import streamlit as st

from dashboard import controls
from dashboard.controls import State
from dashboard.panels.sentence import sentence
from dashboard.panels.variants.encoder import ask_aside, ask_sentence
from dashboard.panels.variants.fields import RESETTABLE
from dashboard.panels.variants.views import VIEWS
from dashboard.text import frame as frame_words
from dashboard.text import heads as head_words
from dashboard.text import qkv as qkv_words
from dashboard.text import variant_encoder as encoder_words
from dashboard.text import variants as words

# Views that attend on the reader's sentence with the lesson's heads.
USES_SENTENCE = frozenset({"compare", "error", "timeline"})


def choose_view(state: State) -> None:
    """Offer the views, and say what the chosen one is for."""
    offered = {view: words.VIEWS[view] for view in VIEWS}
    view = controls.choose(state, "view", words.VIEW, words.VIEW_HELP, offered, hide_label=True)
    aside = {"encoder": encoder_words.IN_SIDEBAR} | dict.fromkeys(USES_SENTENCE, words.IN_SIDEBAR)
    said = [words.LEADS[view], *([aside[view]] if view in aside else [])]
    # The style sheet of the page hides the second paragraph under this key where the sidebar stands open: link.css.
    with st.container(key="lead_and_sidebar"):
        st.caption("\n\n".join(text.say(state.language) for text in said))


def sidebar(state: State) -> None:
    """Show what the views with a sentence share, or what one has of its own."""
    if state["view"] == "encoder":
        ask_aside(state)
    if state["view"] not in USES_SENTENCE:
        return
    with st.sidebar, controls.running_alone(state, VIEWS[state["view"]]):
        controls.slider(state, "d_model", qkv_words.D_MODEL, qkv_words.D_MODEL_HELP)
        controls.slider(state, "h", head_words.HEADS, head_words.HEADS_HELP)
        controls.toggle(state, "is_causal", qkv_words.CAUSAL, qkv_words.CAUSAL_HELP)
        names = qkv_words.POSITIONS, qkv_words.POSITIONS_HELP, qkv_words.POSITION_NAMES
        controls.choose(state, "positions", *names, in_sidebar=True)
        controls.whole_number(state, "seed", qkv_words.SEED, qkv_words.SEED_HELP)
        controls.button(frame_words.RESET.say(state.language), "reset.variants", state.reset, RESETTABLE)


def sentences(state: State) -> bool:
    """Ask for the sentence where the view uses one; tell whether the view can be shown."""
    if state["view"] == "encoder":
        return ask_sentence(state)
    return state["view"] not in USES_SENTENCE or sentence(state)
