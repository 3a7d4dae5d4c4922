"""The lesson's own controls: the sentences and the widths."""

import streamlit as st

from attention_core.batch import MAX_SENTENCES
from attention_core.tokens import check_text
from dashboard import controls
from dashboard.controls import State
from dashboard.frame import code_span
from dashboard.panels.masks.compare import side_by_side
from dashboard.panels.masks.fields import RESETTABLE
from dashboard.panels.masks.model import further_texts
from dashboard.panels.masks.ways import compared
from dashboard.panels.sentence import sentence
from dashboard.text import frame as frame_words
from dashboard.text import masks as words
from dashboard.text import qkv as qkv_words

# Views that attend on the reader's first sentence, and those that attend on the whole batch.
FRAGMENTS = {"compare": side_by_side, "ways": compared}
USES_SENTENCE = FRAGMENTS.keys()
USES_BATCH = frozenset({"compare"})


def choose_view(state: State) -> None:
    """Offer the views, and say what the chosen one is for."""
    view = controls.choose(state, "view", words.VIEW, words.VIEW_HELP, words.VIEWS, hide_label=True)
    st.caption(words.LEADS[view].say(state.language))


def sidebar(state: State) -> None:
    """Show what the views with a sentence share."""
    if state["view"] not in USES_SENTENCE:
        return
    with st.sidebar, controls.running_alone(state, FRAGMENTS[state["view"]]):
        controls.slider(state, "d_k", qkv_words.D_K, qkv_words.D_K_HELP)
        controls.slider(state, "d_v", qkv_words.D_V, qkv_words.D_V_HELP)
        names = qkv_words.POSITIONS, qkv_words.POSITIONS_HELP, qkv_words.POSITION_NAMES
        controls.choose(state, "positions", *names, in_sidebar=True)
        controls.whole_number(state, "seed", qkv_words.SEED, qkv_words.SEED_HELP)
        controls.button(frame_words.RESET.say(state.language), "reset.masks", state.reset, RESETTABLE)


def sentences(state: State) -> bool:
    """Ask for the sentences that the view uses; say what cannot be shown, and tell whether the rest can."""
    if state["view"] not in USES_SENTENCE:
        return True
    can_show = sentence(state)
    if state["view"] in USES_BATCH:
        further(state)
    return can_show


def further(state: State) -> None:
    """Ask for the further sentences of the batch; name those that are cut or left out."""
    language = state.language
    labels = words.MORE_SENTENCES, words.MORE_SENTENCES_HELP, words.MORE_SENTENCES_PLACEHOLDER
    controls.line(state, "more", *labels)
    texts = further_texts(state)
    for place, text in enumerate(texts[: MAX_SENTENCES - 1]):
        fault = check_text(text)
        if fault is None:
            continue
        number = {"place": place + 2}
        if fault.kind == "empty":
            st.warning(words.NOTHING_IN_SENTENCE.say(language, **number, text=code_span(text[:40])))
        else:
            rule = words.CUT_CHARACTERS if fault.kind == "too_many_characters" else words.CUT_TOKENS
            st.warning(rule.say(language, **number, limit=fault.limit, value=fault.value))
    if len(texts) > MAX_SENTENCES - 1:
        st.warning(words.TOO_MANY_SENTENCES.say(language, limit=MAX_SENTENCES, value=len(texts) + 1))
