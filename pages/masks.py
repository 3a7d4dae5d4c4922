"""The mask lesson: who may see whom, how to say so, and whether it holds (claims M1 to M6 and M8)."""

from dashboard.frame import end_sidebar, open_lesson
from dashboard.panels.masks.fields import mask_fields
from dashboard.panels.masks.settings import choose_view, sentences, sidebar
from dashboard.panels.masks.views import show_view
from dashboard.text import masks as words

state = open_lesson("masks", words.TITLE, words.CLAIM, mask_fields)
choose_view(state)
sidebar(state)
end_sidebar(state)
if sentences(state):
    show_view(state)
