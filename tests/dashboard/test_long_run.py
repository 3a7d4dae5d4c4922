"""Long work on a page: started, waited for, stopped, taken over from others; for each visitor their own."""

import time
from collections.abc import Callable, Iterator

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from dashboard import runs
from dashboard.panels.long_run import Found, Task, provenance
from dashboard.text import LANGUAGES
from dashboard.text import long_run as words
from tests.dashboard.light_worker import MACHINE, count_to
from tests.pages.reading import dangers, wrong_language


def page():
    import operator

    import streamlit as st

    from dashboard import controls
    from dashboard.panels.long_run import Task, long_run
    from tests.dashboard.light_worker import pause_each

    task = None
    if st.session_state["asked"] is not None:
        first, seconds = st.session_state["asked"]
        task = Task(
            pause_each, (tuple(range(first, first + len(seconds))), seconds), operator.index, len(seconds)
        )

    def draw(found):
        st.text("nothing" if found is None else f"drawn {found.records} of {found.task.steps}")

    name = st.session_state.get("name", "test")
    st.fragment(lambda: long_run(name, task, st.session_state["lang"], draw))()
    controls.end_run()


@pytest.fixture
def here() -> dict[str, bool]:
    """Who is there: everybody, unless they have left."""
    return {}


@pytest.fixture
def runner(monkeypatch, here) -> Iterator[runs.Runner]:
    made = runs.Runner(
        lambda who: here.get(who, True), limit_s=30, away_s=0.1, module="tests.dashboard.light_worker"
    )
    monkeypatch.setattr(runs, "runner", lambda: made)
    monkeypatch.setattr(runs, "visitor", lambda: st.session_state["who"])
    yield made
    made.close()


QUICK, SLOW = (0.0, 0.0, 0.0), (0.0, 60.0, 0.0)


def open_it(who: str, seconds: tuple = QUICK, *, first: int = 10, language: str = "en") -> AppTest:
    at = AppTest.from_function(page, default_timeout=30)
    at.session_state["asked"] = (first, seconds)
    at.session_state["who"], at.session_state["lang"] = who, language
    return checked(at.run())


def checked(at: AppTest) -> AppTest:
    assert not at.exception
    assert not list(dangers(at))
    assert not wrong_language(at, at.session_state["lang"])
    return at


def press(at: AppTest, key: str) -> AppTest:
    return checked(at.button(key=f"test.{key}").click().run())


def buttons(at: AppTest) -> list[str]:
    return [button.key.removeprefix("test.") for button in at.button]


def bar(at: AppTest) -> str:
    (found,) = at.get("progress")
    return found.proto.text


def said(at: AppTest) -> str:
    return "\n".join(one.value for one in at.caption)


def until(at: AppTest, holds: Callable[[AppTest], bool]) -> AppTest:
    """Run the page as its own fragment would, until something holds."""
    end = time.monotonic() + 30
    while not holds(at):
        assert time.monotonic() < end, (at.text[0].value, said(at))
        time.sleep(0.02)
        checked(at.run())
    return at


def is_done(at: AppTest) -> bool:
    return "start" in buttons(at)


def draws(text: str) -> Callable[[AppTest], bool]:
    return lambda at: at.text[0].value == text


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_run_gives_what_it_has_and_says_where_and_when(runner, language):
    at = open_it("a", language=language)
    assert (at.text[0].value, said(at), buttons(at)) == ("nothing", words.NOTHING.say(language), ["start"])
    until(press(at, "start"), is_done)
    assert at.text[0].value == "drawn (10, 11, 12) of 3"
    found = at.session_state["long_run:test"]
    assert provenance(found, language) in said(at)
    assert "`abacus`" in said(at)
    assert found.when in said(at)
    assert at.button(key="test.start").label == words.AGAIN.say(language)


@pytest.mark.parametrize("language", LANGUAGES)
def test_stopping_keeps_what_there_is_and_leaves_no_process_at_work(runner, language):
    at = until(press(open_it("a", SLOW, language=language), "start"), draws("drawn (10,) of 3"))
    assert bar(at).startswith(words.RUNNING.say(language, given=1, steps=3, seconds="0")[:8])
    assert buttons(at) == ["stop"]
    process = runner._worker.process
    press(at, "stop")
    assert process.poll() is not None
    assert at.text[0].value == "drawn (10,) of 3"
    assert words.STOPPED.say(language, given=1, steps=3) in said(at)
    assert buttons(at) == ["start"]
    assert runner.count_active() == 0


@pytest.mark.parametrize("language", LANGUAGES)
def test_two_visitors_at_once_wait_in_turn_and_get_their_own_numbers(runner, language):
    first = press(open_it("a", SLOW, language=language), "start")
    second = press(open_it("b", first=20, language=language), "start")
    third = press(open_it("c", first=30, language=language), "start")
    until(first, draws("drawn (10,) of 3"))
    assert bar(second) == words.WAITING_ONE.say(language)
    assert bar(third) == words.WAITING.say(language, ahead=2)
    assert second.text[0].value == "drawn () of 3"
    press(first, "stop")
    assert until(second, is_done).text[0].value == "drawn (20, 21, 22) of 3"
    assert until(third, is_done).text[0].value == "drawn (30, 31, 32) of 3"
    assert checked(first.run()).text[0].value == "drawn (10,) of 3"


def test_a_visitor_who_is_gone_makes_room(runner, here):
    first = until(press(open_it("a", SLOW), "start"), draws("drawn (10,) of 3"))
    second = press(open_it("b", first=20), "start")
    here["a"] = False
    assert until(second, is_done).text[0].value == "drawn (20, 21, 22) of 3"
    checked(first.run())
    assert words.GONE.say("en", given=1, steps=3, away=runs.AWAY_S) in said(first)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_full_queue_refuses_with_both_numbers_and_takes_the_next_try(runner, monkeypatch, language):
    monkeypatch.setattr(runs, "MOST_WAITING", 1)
    first = until(press(open_it("a", SLOW), "start"), draws("drawn (10,) of 3"))
    at = press(open_it("b", language=language), "start")
    assert [one.value for one in at.warning] == [words.FULL.say(language, waiting=1, most=1)]
    assert at.text[0].value == "nothing"
    press(first, "stop")
    until(press(at, "start"), is_done)
    assert not at.warning
    assert at.text[0].value == "drawn (10, 11, 12) of 3"


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_busy_server_offers_its_result_of_the_same_settings_and_labels_it(runner, language):
    mine = until(press(open_it("a"), "start"), is_done)
    assert "take" not in buttons(mine)
    until(press(open_it("busy", SLOW), "start"), draws("drawn (10,) of 3"))
    other = open_it("c", first=30, language=language)
    assert "take" not in buttons(other)
    at = press(open_it("b", language=language), "start")
    kept = runner.finished(at.session_state["long_run:test"].task.key)
    assert words.OFFER.say(language, when=kept.when) in said(at)
    assert words.BUSY_ONE.say(language) in said(at)
    press(at, "take")
    assert runner.count_active() == 1
    assert at.text[0].value == "drawn (10, 11, 12) of 3"
    for told in (words.CACHED.say(language), kept.when, "`abacus`"):
        assert told in said(at)
    assert buttons(at) == ["start"]
    press(at, "start")
    assert bar(at) == words.WAITING_ONE.say(language)
    assert at.text[0].value == "drawn () of 3"


def test_settings_that_were_changed_leave_the_old_result_and_its_settings(runner):
    at = until(press(open_it("a"), "start"), is_done)
    at.session_state["asked"] = (50, QUICK)
    checked(at.run())
    assert at.text[0].value == "drawn (10, 11, 12) of 3"
    assert at.button(key="test.start").label == words.START.say("en")
    at.session_state["asked"] = None
    checked(at.run())
    assert (buttons(at), at.text[0].value) == ([], "drawn (10, 11, 12) of 3")


@pytest.mark.parametrize("language", LANGUAGES)
def test_starting_a_second_run_elsewhere_says_beforehand_that_it_stops_the_first(runner, language):
    at = until(press(open_it("a", SLOW, language=language), "start"), draws("drawn (10,) of 3"))
    assert words.STOPS_ANOTHER.say(language) not in said(at)
    at.session_state["name"] = "other"
    checked(at.run())
    assert words.STOPS_ANOTHER.say(language) in said(at)
    checked(at.button(key="other.start").click().run())
    assert words.STOPS_ANOTHER.say(language) not in said(at)
    at.session_state["name"] = "test"
    checked(at.run())
    assert words.STOPPED.say(language, given=1, steps=3) in said(at)
    assert words.STOPS_ANOTHER.say(language) in said(at)


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_fails_shows_its_words_literally_and_what_came_before(runner, language):
    at = until(press(open_it("a", (0.0, "<b>$x$`"), language=language), "start"), is_done)
    (error,) = [one.value for one in at.error]
    assert "<b>$x$" in error
    assert words.FAILED.say(language, given=1, steps=2, error="")[:12] in error
    assert at.text[0].value == "drawn (10,) of 2"


def test_a_run_that_the_queue_has_forgotten_stays_as_it_was_seen(runner):
    at = until(press(open_it("a", SLOW), "start"), draws("drawn (10,) of 3"))
    runner._entries.clear()
    checked(at.run())
    assert at.text[0].value == "drawn (10,) of 3"
    assert words.STOPPED.say("en", given=1, steps=3) in said(at)


def test_a_run_that_took_too_long_says_the_limit(runner):
    at = open_it("a", SLOW)
    task = Task(count_to, (), int, 3)
    at.session_state["long_run:test"] = Found(task, "late", (1, 2), when="now", machine=MACHINE)
    checked(at.run())
    assert words.LATE.say("en", given=2, steps=3, limit=runs.LIMIT_S) in said(at)


def test_one_step_and_one_run_are_counted_as_one(runner):
    at = until(press(open_it("a", (0.0,)), "start"), is_done)
    assert "Done: 1 step in" in said(at)
