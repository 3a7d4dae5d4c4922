"""Other attentions in the hands of a reader: choose, pick a row and a cell, refused and put right, timed, phone and dark."""

from urllib.parse import parse_qs, urlsplit

import pytest

from dashboard.text import variant_compare as words
from dashboard.text import variant_timeline as timeline_words
from dashboard.text import variant_times as time_words
from tests.browser.hands import assert_nothing_hangs_over, assert_sound, cell, part, said

PHONE = {"width": 390, "height": 844}
LAPTOP = {"width": 1280, "height": 720}


@pytest.fixture
def open_lesson(server, visit):
    return lambda query="lang=en", **options: visit(f"{server}/variants?{query}", **options)


def address(page) -> dict[str, str]:
    return {name: value for name, (value,) in parse_qs(urlsplit(page.url).query).items()}


def test_attentions_are_chosen_a_row_and_a_cell_are_picked(open_lesson, settle):
    page = open_lesson(viewport=LAPTOP)
    top = part(page, "weights.a").evaluate("one => one.getBoundingClientRect().top")
    assert top < LAPTOP["height"] - 150, "the picture begins on the first screen"
    cell(page, "variants", 7, 1).click()
    settle(page)
    assert address(page)["b"] == "rotary"
    assert "rotary" in said(page, "weights.b")
    cell(page, "weights.b", 3, 5).click()
    settle(page)
    assert address(page)["cell"] == "3.5"
    assert "query 3 saw → key 5 big" in said(page, "cell").replace("  ", " ")
    cell(page, "change.b", 2, 1).focus()
    for key in ("ArrowDown", "Enter"):
        page.keyboard.press(key)
    settle(page)
    assert (address(page)["cell"], address(page)["cell_in"]) == ("3.1", "out")
    part(page, "cell.a").get_by_role("button").nth(1).click()
    settle(page)
    assert "cell_in" not in address(page)
    assert address(page)["cell"] == "3.2"
    assert_sound(page)


def test_what_cannot_run_is_put_right_by_a_button(open_lesson, settle):
    page = open_lesson("lang=en&b=low_rank&is_causal=1")
    assert "no causal form" in page.get_by_role("alert").first.inner_text()
    page.get_by_role("button", name=words.NO_CAUSAL.en).click()
    settle(page)
    assert page.get_by_role("alert").count() == 0
    assert "N × r" in said(page, "weights.b")
    assert_sound(page)


def test_the_chosen_ones_are_timed_on_the_server(open_lesson, settle):
    page = open_lesson("lang=en&time_n=128&c=none")
    page.get_by_role("button", name=time_words.TITLE.en).click()
    settle(page)
    page.get_by_role("button", name="Start", exact=True).click()
    part(page, "times").wait_for(timeout=60_000)
    assert "window" in said(page, "times")
    assert_sound(page)


def test_the_timeline_leads_to_the_view_side_by_side(open_lesson, settle):
    page = open_lesson("lang=en&view=timeline", viewport=LAPTOP)
    cell(page, "papers", 9, 1).click()
    settle(page)
    bottom = part(page, "said").evaluate("one => one.getBoundingClientRect().bottom")
    assert bottom < LAPTOP["height"], "what a picked row changed is seen where it was picked"
    assert timeline_words.MORE["linear"].en in said(page, "said")
    page.get_by_role("button", name="Compare side by side: linear as B").click()
    settle(page)
    assert address(page)["b"] == "linear"
    assert "view" not in address(page)
    assert "no N × N weights" in said(page, "phi_q.b")
    assert_sound(page)


@pytest.mark.parametrize("view", ["compare", "error", "timeline"])
@pytest.mark.parametrize("lang", ["zh", "en"])
def test_on_a_phone_in_the_dark_nothing_hangs_over(open_lesson, lang, view):
    page = open_lesson(f"lang={lang}&view={view}", viewport=PHONE, color_scheme="dark")
    assert_nothing_hangs_over(page, view, PHONE["width"])
    assert_sound(page)
