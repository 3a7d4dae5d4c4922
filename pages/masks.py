"""The mask lesson: who may see whom, how to say so, and whether it holds (claims M1 to M6 and M8)."""

import streamlit as st

from dashboard.frame import open_lesson, say_left_out
from dashboard.panels.masks.fields import mask_fields
from dashboard.panels.masks.settings import choose_view, sentences, sidebar
from dashboard.panels.masks.views import show_view
from dashboard.text import masks as words

state = open_lesson("masks", words.TITLE, words.CLAIM, mask_fields)
choose_view(state)
sidebar(state)
with st.sidebar:
    say_left_out(state)
if sentences(state):
    show_view(state)
