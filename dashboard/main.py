"""The script that every visit runs: page settings, navigation, the page."""

import base64
from pathlib import Path

import streamlit as st

from dashboard import controls
from dashboard.catalog import LESSONS
from dashboard.grid.bench import prepare

SIDEBAR_WIDTH = 250

# In the page itself: Streamlit forgets the files of a page when a control outside of a fragment runs that alone.
FAVICON = base64.b64encode((Path(__file__).parent / "favicon.png").read_bytes()).decode("ascii")

language = controls.visit_language()
st.set_page_config(
    layout="wide", page_icon=f"data:image/png;base64,{FAVICON}", initial_sidebar_state=SIDEBAR_WIDTH
)
sections: dict[str, list] = {}
for lesson in LESSONS:
    page = st.Page(
        lesson.file,
        title=lesson.title.say(language),
        url_path=lesson.slug,
        default=not lesson.slug,
    )
    sections.setdefault(lesson.section.say(language), []).append(page)
prepare()
try:
    with controls.going_on_on_the_cpu():
        st.navigation(sections).run()
finally:
    controls.end_run()
