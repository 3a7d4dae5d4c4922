"""The scaling lesson: why scores are divided by √d_k, measured (claims S1 to S6)."""

import streamlit as st

from dashboard.frame import open_lesson, say_left_out
from dashboard.panels.scaling.fields import scaling_fields
from dashboard.panels.scaling.settings import choose_view, sidebar
from dashboard.panels.scaling.views import show_view
from dashboard.text import scaling as words

state = open_lesson("scaling", words.TITLE, words.CLAIM, scaling_fields)
choose_view(state)
sidebar(state)
with st.sidebar:
    say_left_out(state)
show_view(state)
