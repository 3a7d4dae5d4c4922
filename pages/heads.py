"""The heads lesson: shapes, splits and what heads are for (claims H1 to H9)."""

from dashboard.frame import end_sidebar, open_lesson
from dashboard.panels.heads.fields import head_fields
from dashboard.panels.heads.settings import ON_DEVICE, choose_view, sentences, sidebar
from dashboard.panels.heads.views import show_view
from dashboard.text import heads as words

state = open_lesson("heads", words.TITLE, words.CLAIM, head_fields)
choose_view(state)
sidebar(state)
end_sidebar(state, ON_DEVICE.get(state["view"]))
if sentences(state):
    show_view(state)
