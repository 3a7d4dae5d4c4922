"""A decoder that reads an encoder in the hands of a reader: word by word, a picked row, the answer, phone and dark (V6)."""

from urllib.parse import parse_qs, urlsplit

import pytest

from dashboard.text import variant_encoder as words
from tests.browser.hands import assert_nothing_hangs_over, assert_sound, cell, focus, part, said

PHONE = {"width": 390, "height": 844}
LAPTOP = {"width": 1280, "height": 720}


@pytest.fixture
def open_lesson(server, visit):
    return lambda query="lang=en", **options: visit(f"{server}/variants?view=encoder&{query}", **options)


def address(page) -> dict[str, str]:
    return {name: value for name, (value,) in parse_qs(urlsplit(page.url).query).items()}


def test_v6_a_decoder_is_led_word_by_word_and_a_picked_row_goes_back(open_lesson, settle):
    page = open_lesson("lang=en&encoder_step=1", viewport=LAPTOP)
    top = part(page, "weights").evaluate("one => one.getBoundingClientRect().top")
    assert top < LAPTOP["height"] - 150, "the picture begins on the first screen"
    page.get_by_role("button", name=words.NEXT.en, exact=True).click()
    settle(page)
    assert said(page, "step").startswith("Step 2 wants place 9, saw")
    assert "fixed vector 1 of 2, attention 2 of 2" in said(page, "sum")
    assert part(page, "weights").locator("tbody tr").count() == 2
    cell(page, "weights", 2, 1).focus()
    for key in ("ArrowUp", "Enter"):
        page.keyboard.press(key)
    settle(page)
    assert address(page)["encoder_step"] == "1"
    assert focus(page)[0] == "gridcell"
    assert_sound(page)


def test_v6_another_sentence_another_order_and_the_answer(open_lesson, settle):
    page = open_lesson(viewport=LAPTOP)
    box = page.get_by_role("textbox", name=words.SENTENCE.en)
    box.fill("we <b>saw</b> $5 today")
    box.press("Enter")
    settle(page)
    assert part(page, "weights").locator("tbody tr").count() == 12
    page.get_by_test_id("stSelectbox").locator("input").click()
    page.get_by_role("option", name=words.ORDERS["reverse"].en).click()
    settle(page)
    assert address(page)["encoder_order"] == "reverse"
    assert part(page, "weights").locator("tbody th").first.inner_text() == "1today"
    part(page, "answer").get_by_text("Show the answer").click()
    settle(page)
    assert "Right out of 12: d = 2: fixed vector" in said(page, "answer")
    assert_sound(page)


def test_v6_a_table_of_many_steps_scrolls_in_its_frame(open_lesson):
    page = open_lesson(
        f"lang=en&encoder_text={'+'.join(f'w{place}' for place in range(40))}", viewport=LAPTOP
    )
    table = part(page, "read")
    assert table.locator("tbody tr").count() == 40
    assert table.bounding_box()["height"] < LAPTOP["height"], "the chart is not pushed out of reach"
    assert_sound(page)


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_v6_on_a_phone_in_the_dark_nothing_hangs_over(open_lesson, lang):
    page = open_lesson(f"lang={lang}&encoder_d_model=64", viewport=PHONE, color_scheme="dark")
    assert_nothing_hangs_over(page, "encoder", PHONE["width"])
    assert page.get_by_text(words.IN_SIDEBAR.say(lang)).is_visible()
    assert_sound(page)
