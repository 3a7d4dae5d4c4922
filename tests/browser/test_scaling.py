"""The scaling lesson in the hands of a reader: keyboard, a guess, any width, every view, phone, dark, the link (S1 to S6)."""

import re
from urllib.parse import parse_qs, urlsplit

import pytest

from dashboard.text import scaling as words
from tests.browser.hands import assert_nothing_hangs_over, assert_sound, cell, part, said

PHONE = {"width": 390, "height": 844}
RISE_JS = """cells => cells.map(one => {
  const bar = getComputedStyle(one), box = one.getBoundingClientRect();
  return [Number(bar.getPropertyValue('--rise')), box.height];
})"""


@pytest.fixture
def open_lesson(server, visit):
    return lambda query="lang=en", **options: visit(f"{server}/scaling?{query}", **options)


def address(page) -> dict[str, str]:
    return {name: value for name, (value,) in parse_qs(urlsplit(page.url).query).items()}


def charts(page) -> int:
    return page.locator('[data-testid="stVegaLiteChart"] svg').count()


def slider(page, name):
    return page.locator(f'[data-testid="stSlider"] input[aria-label*="{name}"]').first


def show_view(page, settle, name):
    page.get_by_role("radio", name=name, exact=True).click()
    settle(page)


def test_s1_s2_the_keyboard_moves_the_width_and_everything_at_that_width_follows(open_lesson, settle):
    page = open_lesson()
    slider(page, "d_k").focus()
    page.keyboard.press("ArrowRight")
    settle(page)
    assert "At d_k = 128" in said(page, "said")
    assert address(page)["d_k"] == "128"
    assert charts(page) == 2

    show_view(page, settle, "Saturation")
    assert charts(page) == 0, "the curves wait for a guess"
    bars = part(page, "sample.weights").locator("tbody td")
    before = bars.evaluate_all(RISE_JS)
    assert before[0][0] > 0.5 > before[12][0], "one key has nearly everything, and less once it is scaled"
    page.get_by_role("button", name="it rises", exact=True).click()
    settle(page)
    assert charts(page) == 1
    assert page.get_by_text("You were right.").count() == 1
    assert address(page)["guess"] == "largest_weight.rises"

    slider(page, "d_k").focus()
    for _ in range(6):
        page.keyboard.press("ArrowLeft")
    settle(page)
    assert bars.evaluate_all(RISE_JS) != before
    assert "d_k = 2:" in said(page, "meters")
    page.wait_for_url(lambda _: address(page)["d_k"] == "2")  # on a busy machine it follows later


def test_s2_any_width_can_be_typed_and_survives_the_other_language_and_a_link(open_lesson, settle):
    page = open_lesson("lang=en&view=saturation&guess=shown&trials=50")
    box = page.get_by_role("textbox", name="d_k, any value")
    box.fill("100")
    box.press("Enter")
    settle(page)
    assert box.input_value() == ""
    assert "d_k = 100:" in said(page, "meters")
    box.fill("<b>wide</b>")
    box.press("Enter")
    settle(page)
    assert box.input_value() == "<b>wide</b>", "nothing the reader typed is lost"
    assert page.get_by_text("That is no number; 100 stays.").count() == 1
    page.get_by_text("中文", exact=True).click()
    settle(page)
    assert address(page) | {"lang": "en"} == {
        "lang": "en",
        "view": "saturation",
        "d_k": "100",
        "trials": "50",
        "guess": "shown",
    }
    numbers = part(page, "meters").locator("tbody td").all_inner_texts()
    again = open_lesson(page.url.split("?")[1])
    assert part(again, "meters").locator("tbody td").all_inner_texts() == numbers
    assert_sound(again)


def test_s4_s5_s6_presets_cures_and_runs_do_what_they_say(open_lesson, settle):
    page = open_lesson("lang=en&view=temperature")
    slider(page, "temperature").focus()
    page.keyboard.press("ArrowRight")
    settle(page)
    assert "At T = 5" in said(page, "said")
    row = page.get_by_role("textbox", name="a row of scores")
    row.fill("1, x, 2")
    row.press("Enter")
    settle(page)
    assert page.get_by_text("Not a number").count() == 1
    page.get_by_role("button", name="Take 1, 2", exact=True).click()
    settle(page)
    assert row.input_value() == "1, 2"

    show_view(page, settle, "Clinic")
    page.get_by_role("button", name=re.compile("^Give the cure for this cause")).click()
    settle(page)
    assert address(page)["cure_xavier"] == "1"
    assert "no symptom" in page.locator("[data-part]").evaluate_all(
        "hosts => hosts.map(one => one.shadowRoot?.textContent ?? '').join(' ')"
    )

    show_view(page, settle, "Overflow")
    cell(page, "runs", 12, 1).click()
    settle(page)
    assert {"run_dtype": "float16", "run_form": "log"}.items() <= address(page).items()
    assert_sound(page)


def test_on_a_phone_in_the_dark_no_view_hangs_over_the_edge_in_english_whose_words_are_long(
    open_lesson, settle
):
    page = open_lesson("lang=en&guess=shown&trials=20", viewport=PHONE, color_scheme="dark")
    for text in words.VIEWS.values():
        show_view(page, settle, text.en)
        assert_sound(page)
        assert_nothing_hangs_over(page, text.en, PHONE["width"])
