"""The scaling lesson: why scores are divided by √d_k, measured (claims S1 to S6)."""

from dashboard.frame import end_sidebar, open_lesson
from dashboard.panels.scaling.fields import scaling_fields
from dashboard.panels.scaling.settings import ON_DEVICE, choose_view, sidebar
from dashboard.panels.scaling.views import show_view
from dashboard.text import scaling as words

state = open_lesson("scaling", words.TITLE, words.CLAIM, scaling_fields)
choose_view(state)
sidebar(state)
end_sidebar(state, ON_DEVICE.get(state["view"]))
show_view(state)
