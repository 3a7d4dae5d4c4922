"""Long work on a page: started, waited for, stopped, taken over from others; in both languages, for each visitor their own."""

import time
from collections.abc import Iterator

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from dashboard import runs
from dashboard.panels import long_run
from dashboard.text import LANGUAGES
from dashboard.text import long_run as words


def page():
    import time

    import streamlit as st

    from dashboard.panels.long_run import Task, long_run

    count, pause = st.session_state["asked"]
    task = Task(map, (time.sleep, (0.0,) * count + (60.0,) * pause), str, count + pause)

    def draw(found):
        st.text(f"drawn {None if found is None else len(found.records)}")

    with st.container():
        long_run("test", task, st.session_state["lang"], draw)


@pytest.fixture
def runner(monkeypatch) -> Iterator[runs.Runner]:
    made = runs.Runner(lambda _owner: True, limit_s=30)
    monkeypatch.setattr(runs, "runner", lambda: made)
    monkeypatch.setattr(runs, "visitor", lambda: st.session_state["who"])
    yield made
    made.close()


def open_it(who: str, *, quick: int = 3, slow: int = 0, language: str = "en") -> AppTest:
    at = AppTest.from_function(page, default_timeout=30)
    at.session_state["asked"], at.session_state["who"], at.session_state["lang"] = (
        (quick, slow),
        who,
        language,
    )
    return at.run()


def until(at: AppTest, drawn: str) -> AppTest:
    end = time.monotonic() + 60
    while time.monotonic() < end:
        assert not at.exception
        if at.text[0].value == drawn and has_state(at):
            return at
        time.sleep(0.05)
        at.run()
    raise AssertionError(f"still {at.text[0].value}")


def has_state(at: AppTest) -> bool:
    return bool(at.caption or at.get("progress"))


def said(at: AppTest) -> str:
    return "\n".join(one.value for one in at.caption)


def press(at: AppTest, key: str) -> AppTest:
    return at.button(key=f"test.{key}").click().run()


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_run_is_started_and_done_and_says_where_and_when(runner, language):
    at = open_it("a", language=language)
    assert at.text[0].value == "drawn None"
    assert said(at) == words.NOTHING.say(language)
    press(at, "start")
    until(at, "drawn 3")
