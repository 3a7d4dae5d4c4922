"""A reader who does not wait: what is typed and clicked in quick order arrives, and the focus and the link follow."""

import re
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.browser.hands import assert_sound, cell, part, stage

# The part of the bench and the name of the cell that have the focus.
FOCUSED_CELL_JS = """() => {
  let active = document.activeElement, part = null;
  while (active?.shadowRoot?.activeElement) {
    active = active.shadowRoot.activeElement;
    part = active.dataset.part ?? part;
  }
  return [part, active.getAttribute('aria-label')];
}"""


# All of the bench is in view, so that nothing scrolls between two events.
TALL = {"width": 1280, "height": 1600}


@pytest.fixture
def open_lesson(server, visit):
    return lambda query: visit(f"{server}/qkv?lang=en&{query}", viewport=TALL)


def address(page) -> dict[str, str]:
    return {name: value for name, (value,) in parse_qs(urlsplit(page.url).query).items()}


def middle(locator) -> tuple[float, float]:
    box = locator.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def type_into(page, name, row, column, text):
    """Begin to edit as the keyboard does: a digit on a focused cell. Nothing commits it."""
    cell(page, name, row, column).focus()
    page.keyboard.type(text)
    assert part(page, name).locator("input").input_value() == text


def to_the_keys(page):
    stage(page, "k").click()


def to_one_query(page):
    page.get_by_role("radio", name="One query", exact=True).click()


# On W^Q[3, 1] itself the box under the bench still holds the old number, and the browser sends that along.
@pytest.mark.parametrize(
    ("start", "leave", "then"),
    [
        ("stage=q&cell=1.1", to_the_keys, {"stage": "k"}),
        ("stage=w_q&cell=3.1", to_one_query, {"view": "query"}),
    ],
    ids=["to another stage", "to another view"],
)
def test_a_number_typed_without_enter_counts_when_the_reader_goes_elsewhere(
    open_lesson, settle, start, leave, then
):
    page = open_lesson(start)
    assert cell(page, "input.w_q", 3, 1).inner_text() != "9.00"
    type_into(page, "input.w_q", 3, 1, "9")
    leave(page)
    settle(page)
    assert_sound(page)
    assert {"edit_own": "w_q.3.1_9", **then}.items() <= address(page).items()
    page.get_by_role("radio", name="Pipeline", exact=True).click()
    settle(page)
    stage(page, "q").click()
    settle(page)
    assert cell(page, "input.w_q", 3, 1).inner_text() == "9.00"


SAME = ("input.w_q", 1, 2, {"stage": "w_q", "cell": "1.2"})
OTHER = ("result", 2, 3, {"stage": "q", "cell": "2.3"})


@pytest.mark.parametrize(
    ("start", "entered_ms", "clicked"),
    [
        ("stage=q&cell=1.1", None, SAME),
        ("stage=q&cell=1.1", None, OTHER),
        ("stage=q&cell=1.1", 30, OTHER),
        ("stage=w_q&cell=3.1", 0, SAME),
    ],
    ids=["at once", "at once in another matrix", "30 ms after Enter", "after Enter in the picked cell"],
)
def test_an_edit_and_the_click_on_another_cell_right_after_it_both_arrive(
    open_lesson, settle, start, entered_ms, clicked
):
    name, row, column, then = clicked
    page = open_lesson(start)
    place = middle(cell(page, name, row, column))
    type_into(page, "input.w_q", 3, 1, "9")
    if entered_ms is not None:
        page.keyboard.press("Enter")
        page.wait_for_timeout(entered_ms)
    page.mouse.click(*place)
    settle(page)
    assert_sound(page)
    assert ({"edit_own": "w_q.3.1_9"} | then).items() <= address(page).items()
    assert cell(page, "input.w_q", 3, 1).inner_text() == "9.00"
    assert cell(page, name, row, column).get_attribute("aria-selected") == "true"


@pytest.mark.parametrize(("here", "there"), [("weights", "scaled"), ("scaled", "scores")])
def test_the_focus_goes_along_with_a_cell_that_enter_opens_on_another_stage(open_lesson, settle, here, there):
    page = open_lesson(f"stage={here}&cell=1.1")
    cell(page, f"input.{there}", 3, 2).focus()
    assert page.evaluate(FOCUSED_CELL_JS)[0] == f"input.{there}"
    page.keyboard.press("Enter")
    settle(page)
    assert stage(page, there).get_attribute("aria-checked") == "true"
    opened = cell(page, "result", 3, 2)
    assert opened.get_attribute("aria-selected") == "true"
    assert page.evaluate(FOCUSED_CELL_JS) == ["result", opened.get_attribute("aria-label")]


def test_a_double_click_edits_where_a_click_leads_away(open_lesson, settle):
    page = open_lesson("stage=q&cell=1.1")
    cell(page, "input.x", 2, 3).dblclick()
    page.wait_for_timeout(600)
    editor = part(page, "input.x").locator("input")
    assert editor.count() == 1
    assert stage(page, "q").get_attribute("aria-checked") == "true"
    page.keyboard.type("5")
    page.keyboard.press("Enter")
    settle(page)
    assert address(page)["edit_own"] == "x.2.3_5"
    assert_sound(page)


def test_a_click_that_leads_away_does_so_after_a_moment(open_lesson, settle):
    page = open_lesson("stage=q&cell=1.1")
    cell(page, "input.x", 2, 3).click()
    stage(page, "x").and_(page.locator("[aria-checked=true]")).wait_for(timeout=3000)
    settle(page)
    assert {"stage": "x", "cell": "2.3"}.items() <= address(page).items()
    assert "edit_own" not in address(page)
    assert cell(page, "result", 2, 3).get_attribute("aria-selected") == "true"


def test_a_link_copied_right_after_a_step_of_the_slider_holds_the_new_value(open_lesson, server):
    page = open_lesson("stage=weights")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"], origin=server)
    place = middle(page.get_by_role("button", name="Copy link"))
    slider = page.get_by_role("slider", name=re.compile("^d_k"))
    slider.focus()
    slider.press("ArrowRight")
    page.mouse.click(*place)
    page.get_by_text("Copied").wait_for()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert parse_qs(urlsplit(copied).query)["d_k"] == ["5"]


def test_a_text_too_large_for_the_link_is_told_at_once_though_only_the_view_is_drawn_again(
    open_lesson, settle
):
    page = open_lesson("view=sentences")
    told = page.get_by_text("Too large for the link: text2.")
    box = page.get_by_role("textbox", name="A second sentence")
    box.fill("a " * 300)
    box.press("Enter")
    settle(page)
    assert told.count() == 1
    page.get_by_role("button", name=re.compile("^Take the first")).click()
    settle(page)
    assert told.count() == 0
