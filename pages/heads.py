"""The heads lesson: shapes, splits and what heads are for (claims H1 to H9)."""

import streamlit as st

from dashboard.frame import open_lesson, say_left_out
from dashboard.panels.heads.fields import head_fields
from dashboard.panels.heads.settings import choose_view, sentences, sidebar
from dashboard.panels.heads.views import show_view
from dashboard.text import heads as words

state = open_lesson("heads", words.TITLE, words.CLAIM, head_fields)
choose_view(state)
sidebar(state)
with st.sidebar:
    say_left_out(state)
if sentences(state):
    show_view(state)
