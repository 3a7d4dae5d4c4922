"""The word that takes another's place: one token, and another one."""

import streamlit as st

from attention_core.tokens import tokenize
from dashboard import controls
from dashboard.controls import State
from dashboard.frame import code_span
from dashboard.grid.picture import visible
from dashboard.link import Line
from dashboard.text import Text
from dashboard.text import layers as words


def one_token(text: str) -> str | None:
    """Read the replacement; None unless it is one token.

    Example:
        >>> one_token(" cat "), one_token("two words"), one_token("")
        ('cat', None, None)
    """
    tokens = tokenize(text[:1000])
    return tokens[0] if len(tokens) == 1 else None


def can_replace(state: State, name: str, taken: str | None = None) -> bool:
    """Tell whether the field holds one token, and another one than `taken`; say why not, and offer what can be."""
    language, text, field = state.language, state[name], state.fields[name]
    longest = field.highest if isinstance(field, Line) else 0
    found = tokenize(text[:1000])
    if len(text) <= longest and len(found) == 1 and found[0] != taken:
        return True
    if not found:
        st.error(words.NO_WORD.say(language))
    elif len(text) > longest:
        st.error(words.TOO_LONG_WORD.say(language, limit=longest, n=len(text)))
    elif len(found) > 1:
        st.error(words.ONE_WORD.say(language, given=code_span(text), n=len(found)))
    else:
        st.error(words.SAME_WORD.say(language, given=code_span(text.strip())))
    offered = [token for token in (*found[:1], field.default, "?", "x") if token != taken]
    word = next(token for token in offered if len(token) <= longest)
    label = words.TAKE_WORD.say(language, word=code_span(visible(word)))
    controls.button(label, f"take.{name}", state.put, name, word)
    return False


def ask_word(state: State, name: str, label: Text, help_text: Text, *, width: int) -> None:
    """Ask for the replacement."""
    controls.line(state, name, label, help_text, words.WORD_PLACEHOLDER, width=width)
