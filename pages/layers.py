"""The layers lesson: bare and dressed, layer by layer, and what can be read from it (claims P8 and M6)."""

from dashboard.frame import end_sidebar, open_lesson
from dashboard.panels.layers.fields import layer_fields
from dashboard.panels.layers.settings import choose_view, sentences, sidebar
from dashboard.panels.layers.views import show_view
from dashboard.text import layers as words

state = open_lesson("layers", words.TITLE, words.CLAIM, layer_fields)
choose_view(state)
sidebar(state)
end_sidebar(state)
if sentences(state):
    show_view(state)
