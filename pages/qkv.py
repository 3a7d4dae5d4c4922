"""The QKV lesson: from a sentence to every multiplication of one head (claims P1 to P8, examples E1 to E3)."""

from dashboard.frame import open_lesson
from dashboard.panels.qkv.fields import qkv_fields
from dashboard.panels.qkv.settings import sentence, sidebar
from dashboard.panels.qkv.views import show_view
from dashboard.text import qkv as words

state = open_lesson("qkv", words.TITLE, words.CLAIM, qkv_fields)
sidebar(state)
if state["source"] != "own" or sentence(state):
    show_view(state)
