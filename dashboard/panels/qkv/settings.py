"""The lesson's own controls: the sentence, the source of the numbers, the widths."""

import streamlit as st

from attention_core.tokens import check_text
from dashboard import controls
from dashboard.controls import State
from dashboard.frame import reproduce
from dashboard.panels.qkv.fields import RESETTABLE
from dashboard.panels.qkv.model import Model, build
from dashboard.panels.qkv.script import script_of
from dashboard.text import frame as frame_words
from dashboard.text import qkv as words


def sidebar(state: State) -> None:
    """Show what the whole page shares."""
    with st.sidebar:
        source = controls.choose(
            state, "source", words.SOURCE, words.SOURCE_HELP, words.SOURCES, in_sidebar=True
        )
        if source != "e3":
            controls.toggle(state, "causal", words.CAUSAL, words.CAUSAL_HELP)
        if source == "own":
            with controls.disclosure(words.MORE_SETTINGS.say(state.language), "open.settings") as is_open:
                if is_open:
                    more_settings(state)
        if source != "own" or check_text(state["text"]) is None:
            help_text = words.REPRODUCE_HELP.say(state.language)
            reproduce(lambda: script_of(state, build(state)), "qkv", state.language, help_text)


def width_control(state: State) -> None:
    """Show the control that matters most, beside the picture, so that only the picture follows it."""
    if state["source"] == "own":
        controls.slider(state, "d_k", words.D_K, words.D_K_HELP, width=320)


def more_settings(state: State) -> None:
    """Show the settings that a first visit does not need."""
    controls.slider(state, "d_v", words.D_V, words.D_V_HELP)
    controls.slider(state, "d_model", words.D_MODEL, words.D_MODEL_HELP)
    controls.choose(
        state, "positions", words.POSITIONS, words.POSITIONS_HELP, words.POSITION_NAMES, in_sidebar=True
    )
    controls.whole_number(state, "seed", words.SEED, words.SEED_HELP)
    st.caption(words.EXAMPLE_SENTENCES.say(state.language))
    for label, text in (
        (words.TRY_TIRED, words.TIRED_SENTENCE),
        (words.TRY_HIGH, words.HIGH_SENTENCE),
    ):
        said = text.say(state.language)
        controls.button(label.say(state.language), f"try.{said}", state.put, "text", said)
    controls.button(frame_words.RESET.say(state.language), "reset", state.reset, RESETTABLE)


def choose_view(state: State) -> None:
    """Offer the views."""
    controls.choose(state, "view", words.VIEW, words.VIEW_HELP, words.VIEWS, hide_label=True)


def say_source(state: State, model: Model) -> str:
    """Say where the numbers of the lesson come from."""
    language = state.language
    kinds = [
        frame_words.RANDOM.say(language, seed=state["seed"])
        if model.source == "own"
        else frame_words.HAND_MADE.say(language)
    ]
    n_edited = len(model.edits) - len(model.dormant)
    if n_edited:
        kinds.append(frame_words.EDITED.say(language, n=n_edited))
    return frame_words.WEIGHTS_ARE.say(language, kinds=" + ".join(kinds))


def offer_to_restore(state: State, model: Model) -> None:
    """Offer the way back from edits, and name those that have no cell at present."""
    language = state.language
    if model.dormant:
        st.caption(words.DORMANT.say(language, n=len(model.dormant)))
    n_edits = len(model.edits)
    if n_edits:
        controls.button(
            words.RESTORE_ALL.say(language, n=n_edits), "restore.all", restore_all, state, model.source
        )


def restore_all(state: State, source: str) -> None:
    """Give every cell of a source its first number back."""
    state.values.pop("refused", None)
    state.put(f"edit_{source}", {})
