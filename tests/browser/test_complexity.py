"""The cost lesson in the hands of a reader: keyboard, sizes that are refused, exact numbers, a link, phone and dark (C1, C4)."""

from urllib.parse import parse_qs, urlsplit

import pytest

from attention_core.cost import Setting, count
from dashboard.text import complexity as words
from tests.browser.hands import assert_nothing_hangs_over, assert_sound, cell, focus, part, said

PHONE = {"width": 390, "height": 844}
LAPTOP = {"width": 1280, "height": 800}
OWN_VIEWS = ("growth", "limits")


@pytest.fixture
def open_lesson(server, visit):
    return lambda query="lang=en", **options: visit(f"{server}/complexity?{query}", **options)


def address(page) -> dict[str, str]:
    return {name: value for name, (value,) in parse_qs(urlsplit(page.url).query).items()}


def chart(page):
    return page.locator('[data-testid="stVegaLiteChart"]')


def box(page, name):
    return page.get_by_test_id("stMain").locator(f'input[aria-label*="{name}"]').first


def test_c1_by_keyboard_a_row_is_picked_and_a_size_that_is_refused_keeps_the_focus(open_lesson, settle):
    page = open_lesson(viewport=LAPTOP)
    ends = chart(page).evaluate("one => one.getBoundingClientRect().bottom")
    assert ends <= LAPTOP["height"], "the picture is there without scrolling"
    cell(page, "costs", 1, 1).focus()
    for key in ("ArrowDown", "ArrowDown", "Enter"):
        page.keyboard.press(key)
    settle(page)
    assert said(page, "picked").startswith("causal (useful): computation = 25,773,998,080 FLOPs")
    assert address(page)["variant"] == "causal_useful"
    assert focus(page)[0] == "gridcell"

    box(page, "N (positions)").focus()
    page.keyboard.press("Control+A")
    page.keyboard.type("12.5")
    page.keyboard.press("Enter")
    settle(page)
    assert page.get_by_test_id("stAlert").inner_text() == "N has to be a whole number; 12.5 was given."
    assert "N (positions)" in focus(page)[1]
    assert chart(page).count() == part(page, "costs").count() == 0
    page.get_by_role("button", name="Take N = 12", exact=True).click()
    settle(page)
    assert address(page)["n"] == "12"
    assert chart(page).count() == 1
    assert_sound(page)


def test_c1_after_another_size_the_points_move_and_say_other_numbers(open_lesson, settle):
    page = open_lesson("lang=en&lines=linear", viewport=LAPTOP)
    point = chart(page).locator(".mark-symbol.role-mark path").first.element_handle()
    before = point.get_attribute("transform")
    box(page, "layers").focus()
    page.keyboard.press("ArrowUp")
    settle(page)
    assert point.evaluate("one => one.isConnected"), (
        "the browser has made the points anew, which takes longer"
    )
    assert point.get_attribute("transform") != before
    point.hover(force=True)
    exact = count("linear", "flops", Setting(16, 512, 8, n_layers=2))
    assert page.locator("#vg-tooltip-element").inner_text() == f"linear · N = 16 · {exact:,} FLOPs"


def test_c1_a_link_gives_numbers_beyond_2_to_the_53_to_the_last_digit(open_lesson, settle):
    sizes = "n=1048575&d_model=65536&h=1024&batch=255&layers=1023&bytes=8"
    page = open_lesson(f"lang=zh&measure=kept_bytes&variant=full&{sizes}")
    exact = count("full", "kept_bytes", Setting(2**20 - 1, 65536, 1024, 255, n_layers=1023, element_bytes=8))
    assert exact > 2**53
    assert cell(page, "costs", 1, 1).inner_text() == f"{exact:,}"
    assert f"{exact:,}" in said(page, "picked")
    page.get_by_role("radio", name=words.VIEWS["limits"].zh).click()
    settle(page)
    assert address(page) == {"lang": "zh", "view": "limits", "measure": "kept_bytes"} | dict(
        one.split("=") for one in sizes.split("&")
    )
    page.get_by_role("button", name="一块大 GPU", exact=False).click()
    settle(page)
    assert {"memory": "80", "speed": "100"}.items() <= address(page).items()
    assert f"{80 * 2**30:,}" in said(page, "note")
    assert_sound(page)


@pytest.mark.parametrize("language", ["zh", "en"])
def test_on_a_phone_in_the_dark_nothing_hangs_over_the_edge_and_every_term_of_a_formula_is_in_sight(
    open_lesson, settle, language
):
    page = open_lesson(
        f"lang={language}&measure=moved_bytes&variant=low_rank", viewport=PHONE, color_scheme="dark"
    )
    for view in OWN_VIEWS:
        page.get_by_role("radio", name=words.VIEWS[view].say(language)).click()
        settle(page)
        assert_sound(page)
        assert_nothing_hangs_over(page, view, PHONE["width"])
        hidden = part(page, "picked").evaluate(
            "host => { const box = host.shadowRoot.querySelector('.lines'); return box.scrollHeight - box.clientHeight; }"
        )
        assert hidden <= 0, "nothing of it is to be scrolled to"
