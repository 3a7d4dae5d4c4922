"""The mask lesson in the hands of a reader: picked rows and cells, the keyboard, a file, phone, dark, the link (M1 to M6)."""

from urllib.parse import parse_qs, urlsplit

import pytest

from dashboard.text import masks as words
from tests.browser.hands import assert_nothing_hangs_over, assert_sound, cell, part, said

PHONE = {"width": 390, "height": 844}


@pytest.fixture
def open_lesson(server, visit):
    return lambda query="lang=en", **options: visit(f"{server}/masks?{query}", **options)


def address(page) -> dict[str, str]:
    return {name: value for name, (value,) in parse_qs(urlsplit(page.url).query).items()}


def show_view(page, settle, name):
    page.get_by_role("radio", name=name, exact=True).click()
    settle(page)


def test_M1_M3_a_sentence_goes_through_every_mask_and_a_picked_row_is_shown(open_lesson, settle):
    page = open_lesson("lang=en&text=the+cat+ran&more=it&compare_sentence=1")
    assert cell(page, "column.causal", 1, 2).inner_text() == "0"
    box = page.get_by_role("textbox", name="Your sentence")
    box.fill("<b>it</b> ran $5")
    box.press("Enter")
    settle(page)
    assert address(page)["text"] == "<b>it</b> ran $5"

    show_view(page, settle, "Ways to mask")
    assert "scores × 0" in said(page, "chosen")
    cell(page, "ways", 6, 1).click()
    settle(page)
    assert "weights × 0" in said(page, "chosen")
    assert address(page)["way"] == "after_softmax"
    page.get_by_text("中文", exact=True).click()
    settle(page)
    assert address(page)["way"] == "after_softmax"
    assert_sound(page)


def test_M3_the_leak_meter_is_a_part_of_its_own_and_a_row_of_it_chooses_the_way(open_lesson, settle):
    page = open_lesson("lang=en&view=ways", viewport=PHONE | {"height": 600})
    for name, rows in (("ways", 7), ("leaks", 14)):
        verdicts = part(page, name).locator("td.verdict")
        assert verdicts.count() == rows
        boxes = [verdict.bounding_box() for verdict in verdicts.all()]
        assert max(box["x"] + box["width"] for box in boxes) <= PHONE["width"], name
        frame = part(page, name).locator(".frame")
        assert frame.evaluate("frame => frame.scrollHeight - frame.clientHeight") <= 0, name
    choose(page, settle, "what is added", "NaN")
    assert address(page)["way_change"] == "nan"
    assert "NaN" in said(page, "leaks")
    cell(page, "leaks", 3, 1).click()
    settle(page)
    assert "add −1e9" in said(page, "chosen")
    assert address(page) | {"way": "add_1e9", "way_change": "nan"} == address(page)
    page.get_by_text("Test every hidden pair under").click()
    settle(page)
    assert address(page)["way_test"] == "1"
    assert "Pairs that the mask hides: 15." in said(page, "pairs")
    assert_sound(page)


def choose(page, settle, label, option):
    box = page.get_by_role("combobox", name=label)
    box.click()
    box.fill(option)
    box.press("Enter")
    settle(page)


def test_M6_a_cell_flips_by_keyboard_and_mouse_and_comes_back_from_the_link(open_lesson, settle):
    page = open_lesson("lang=en&view=gallery&gallery_n=4")
    assert cell(page, "mask", 1, 4).inner_text() == "0"
    cell(page, "mask", 1, 4).click()
    settle(page)
    assert cell(page, "mask", 1, 4).inner_text() == "1"
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    settle(page)
    assert cell(page, "mask", 2, 4).inner_text() == "1"
    slider = page.locator('[data-testid="stSlider"] input[aria-label*="L ("]').first
    slider.focus()
    page.keyboard.press("ArrowRight")
    settle(page)
    assert address(page)["gallery_layers"] == "4"
    again = open_lesson(page.url.split("?")[1])
    assert [cell(again, "mask", row, 4).inner_text() for row in (1, 2, 3)] == ["1", "1", "0"]
    assert part(again, "field").count() == 1
    assert_sound(again)


def test_on_a_phone_in_the_dark_no_view_of_the_masks_hangs_over_the_edge(open_lesson, settle):
    page = open_lesson("lang=en", viewport=PHONE, color_scheme="dark")
    for text in words.VIEWS.values():
        show_view(page, settle, text.en)
        assert_sound(page)
        assert_nothing_hangs_over(page, text.en, PHONE["width"])
