"""The lesson on other attentions: exact, approximate and different ones on the same q, k and v (claims V1 to V6)."""

from dashboard.frame import end_sidebar, open_lesson
from dashboard.panels.variants.fields import variant_fields
from dashboard.panels.variants.settings import choose_view, sentences, sidebar
from dashboard.panels.variants.views import show_view
from dashboard.text import variants as words

state = open_lesson("variants", words.TITLE, words.CLAIM, variant_fields)
choose_view(state)
sidebar(state)
end_sidebar(state)
if sentences(state):
    show_view(state)
