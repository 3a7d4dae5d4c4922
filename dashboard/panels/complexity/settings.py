"""The lesson's own controls: its views, and the way back to the first sizes."""

import streamlit as st

from dashboard import controls
from dashboard.controls import State
from dashboard.panels.complexity.fields import RESETTABLE
from dashboard.panels.complexity.views import VIEWS
from dashboard.text import complexity as words
from dashboard.text import frame as frame_words


def choose_view(state: State) -> None:
    """Offer the views, and say what the chosen one is for."""
    offered = {view: words.VIEWS[view] for view in VIEWS}
    view = controls.choose(state, "view", words.VIEW, words.VIEW_HELP, offered, hide_label=True)
    st.caption(words.LEADS[view].say(state.language))


def sidebar(state: State) -> None:
    """Offer the way back."""
    with st.sidebar:
        controls.button(frame_words.RESET.say(state.language), "reset.complexity", state.reset, RESETTABLE)
