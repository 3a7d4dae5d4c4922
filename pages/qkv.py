"""The QKV lesson: from a sentence to every multiplication of one head (claims P1 to P8, examples E1 to E3)."""

from dashboard.frame import open_lesson
from dashboard.panels.qkv.fields import qkv_fields
from dashboard.panels.qkv.settings import choose_view, sentence, sidebar
from dashboard.panels.qkv.views import show_view
from dashboard.text import qkv as words

state = open_lesson("qkv", words.TITLE, words.CLAIM, qkv_fields)
sidebar(state)
can_show = state["source"] != "own" or sentence(state)
choose_view(state)
if can_show:
    show_view(state)
