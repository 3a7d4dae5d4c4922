"""The box for a reader's own sentence, with what is said where it cannot be shown; lessons share it."""

from collections.abc import Callable

import streamlit as st

from attention_core.tokens import check_text, nearest_legal, tokenize
from dashboard import controls
from dashboard.controls import State
from dashboard.text import Text
from dashboard.text import qkv as words


def sentence(state: State, name: str = "text", label: Text = words.SENTENCE) -> bool:
    """Ask for a sentence; say why it cannot be shown, if so, and offer the nearest that can.

    Returns:
        Whether the sentence can be shown.
    """
    language = state.language
    text = controls.line(state, name, label, words.SENTENCE_HELP, words.SENTENCE_PLACEHOLDER)
    fault = check_text(text)
    if fault is None:
        return True
    beginning = nearest_legal(text)
    first: Callable[..., str] = words.FIRST_SENTENCE.say
    if fault.kind == "empty" or not beginning:
        st.info(words.EMPTY_TEXT.say(language))
        controls.button(first(language), f"first.{name}", state.put, name, first(language))
        return False
    rule = words.TOO_MANY_CHARACTERS if fault.kind == "too_many_characters" else words.TOO_MANY_TOKENS
    st.error(rule.say(language, limit=fault.limit, value=fault.value))
    controls.button(
        words.TAKE_BEGINNING.say(language, n=len(tokenize(beginning))),
        f"begin.{name}",
        state.put,
        name,
        beginning,
    )
    return False
