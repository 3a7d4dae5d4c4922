"""A question whose answer the picture gives; the answer is computed and folded away."""

import streamlit as st

from dashboard.text import Language
from dashboard.text import qkv as words


def ask(question: str, answer: str, language: Language) -> None:
    """Ask; the reader unfolds the answer."""
    st.markdown(f"**{words.QUESTION.say(language)}** {question}")
    with st.expander(words.ANSWER.say(language)):
        st.markdown(answer)
