"""The start page: what the lab is, a first sentence, the pipeline, readings and the glossary."""

import streamlit as st

from dashboard.controls import address_part
from dashboard.frame import open_lesson, say_left_out
from dashboard.grid.bench import show_part
from dashboard.panels.start import first_sentence, pipeline_picture, readings, start_fields, terms
from dashboard.text import start as words

state = open_lesson("", words.TITLE, words.CLAIM, start_fields)
with st.sidebar:
    say_left_out(state)
first_sentence(state)
pipeline_picture(state)
readings(state.language)
terms(state.language)
show_part("address", address_part(state))
