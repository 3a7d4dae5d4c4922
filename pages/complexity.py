"""The complexity lesson: what attention costs, by formula and measured (claims C1 to C5)."""

import streamlit as st

from dashboard.frame import open_lesson, say_left_out
from dashboard.panels.complexity.fields import complexity_fields
from dashboard.panels.complexity.settings import choose_view, sidebar
from dashboard.panels.complexity.views import show_view
from dashboard.text import complexity as words

state = open_lesson("complexity", words.TITLE, words.CLAIM, complexity_fields)
choose_view(state)
sidebar(state)
with st.sidebar:
    say_left_out(state)
show_view(state)
