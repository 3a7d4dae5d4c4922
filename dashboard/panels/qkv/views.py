"""The seven views of the lesson, by the id that the link holds."""

from collections.abc import Callable

import streamlit as st

from dashboard import controls
from dashboard.controls import State
from dashboard.panels.qkv.loops import loops
from dashboard.panels.qkv.model import build
from dashboard.panels.qkv.pipeline import pipeline
from dashboard.panels.qkv.plain import plain
from dashboard.panels.qkv.sentences import sentences
from dashboard.panels.qkv.settings import say_source, width_control
from dashboard.panels.qkv.shuffle import shuffled_words
from dashboard.panels.qkv.story import story
from dashboard.panels.qkv.textbook import textbook
from dashboard.text import Text
from dashboard.text import frame as frame_words
from dashboard.text import qkv as words

# What is computed on the reader's device, by view.
ON_DEVICE = {"loops": frame_words.TIMES_THERE}
VIEWS: dict[str, Callable[[State], bool | None]] = {
    "pipeline": pipeline,
    "query": story,
    "sentences": sentences,
    "shuffle": shuffled_words,
    "plain": plain,
    "loops": loops,
    "textbook": textbook,
}
NEED_OWN_SENTENCE = frozenset({"sentences", "shuffle"})
# The pipeline's strip carries the badge itself; printed numbers say on the spot where they come from.
NAMES_ITS_SOURCE = frozenset({"query", "sentences", "shuffle", "plain", "loops"})
# The printed numbers have inputs of their own: no control of the lesson changes them.
WITHOUT_SETTINGS = frozenset({"textbook"})


def on_device(state: State) -> Text | None:
    """Say what of the view in sight is computed on the reader's device; E3 has no queries that could be timed."""
    return ON_DEVICE.get(state["view"]) if state["source"] != "e3" else None


@controls.fragment
def show_view(state: State) -> bool | None:
    """Show the chosen view, or why it has nothing to show for the present source."""
    view = state["view"]
    if view not in WITHOUT_SETTINGS:
        width_control(state)
    if view in NEED_OWN_SENTENCE and state["source"] != "own":
        st.info(words.NEEDS_OWN.say(state.language))
        controls.button(words.USE_OWN.say(state.language), "use.own", state.put, "source", "own")
        return None
    if view in NAMES_ITS_SOURCE:
        st.caption(say_source(state, build(state)))
    return VIEWS[view](state)
