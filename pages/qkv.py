"""The QKV lesson: from a sentence to every multiplication of one head (claims P1 to P8, examples E1 to E3)."""

from dashboard.frame import end_sidebar, open_lesson
from dashboard.panels.qkv.fields import qkv_fields
from dashboard.panels.qkv.settings import choose_view, sidebar
from dashboard.panels.qkv.views import WITHOUT_SETTINGS, on_device, show_view
from dashboard.panels.sentence import sentence
from dashboard.text import qkv as words

state = open_lesson("qkv", words.TITLE, words.CLAIM, qkv_fields)
uses_settings = state["view"] not in WITHOUT_SETTINGS
if uses_settings:
    sidebar(state)
end_sidebar(state, on_device(state))
can_show = not uses_settings or state["source"] != "own" or sentence(state)
choose_view(state)
if can_show:
    show_view(state)
