"""The complexity lesson: what attention costs, by formula and measured (claims C1 to C5)."""

from dashboard.frame import end_sidebar, open_lesson
from dashboard.panels.complexity.fields import ON_DEVICE, complexity_fields
from dashboard.panels.complexity.settings import choose_view, sidebar
from dashboard.panels.complexity.views import show_view
from dashboard.text import complexity as words

state = open_lesson("complexity", words.TITLE, words.CLAIM, complexity_fields)
choose_view(state)
sidebar(state)
end_sidebar(state, ON_DEVICE.get(state["view"]))
show_view(state)
