"""The layers lesson in the hands of a reader: plane, picked tokens and cells, two sentences, phone, dark (P8, M6)."""

from urllib.parse import parse_qs, urlsplit

import pytest

from attention_core.experiments.dressing import distances_to_bare
from attention_core.layers import Design, dress
from dashboard.number_format import significant
from dashboard.text import layers as words
from dashboard.text import layers_far as far_words
from dashboard.text import layers_stack as stack_words
from dashboard.text import layers_twice as twice_words
from tests.browser.hands import assert_nothing_hangs_over, assert_sound, cell, focus, part, said

PHONE = {"width": 390, "height": 844}
TOKENS = tuple(words.FIRST_SENTENCE.en.split())


def address(page) -> dict[str, str]:
    return {name: values[-1] for name, values in parse_qs(urlsplit(page.url).query).items()}


@pytest.fixture
def open_lesson(server, visit):
    return lambda query="lang=en", **options: visit(f"{server}/layers?{query}", **options)


def test_P8_layer_and_token_are_chosen_by_keyboard_and_the_sentences_follow(open_lesson, settle):
    page = open_lesson("lang=en")
    slider = page.get_by_role("slider", name=stack_words.LAYER.en)
    slider.focus()
    page.keyboard.press("ArrowLeft")
    settle(page)
    assert address(page)["stack_layer"] == "3"
    cell(page, "tokens", 2, 1).click()
    settle(page)
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    settle(page)
    assert address(page)["stack_token"] == "4"
    assert focus(page)[0] == "gridcell"
    vectors = dress(TOKENS, Design(), seed=0).trace.vectors
    assert significant(float(distances_to_bare(vectors)[3, 3])) in said(page, "said")
    assert page.get_by_test_id("stVegaLiteChart").count() == 2
    assert_sound(page)


def test_P8_the_first_screen_shows_controls_and_the_whole_picture(open_lesson):
    for view in ("stack", "twice"):
        page = open_lesson(f"lang=en&view={view}", viewport={"width": 1280, "height": 720})
        pictures = page.get_by_test_id("stVegaLiteChart")
        for at in range(2):
            box = pictures.nth(at).bounding_box()
            assert box["y"] > 0
            assert box["y"] + box["height"] <= 745, "its last pixels are room below the axis title"
        name = stack_words.LAYER.en if view == "stack" else twice_words.WORD.en
        assert page.get_by_test_id("stMain").get_by_text(name, exact=True).first.bounding_box()["y"] < 500


def test_P8_a_second_sentence_without_a_shared_word_is_answered_and_the_pair_can_be_taken(
    open_lesson, settle
):
    page = open_lesson("lang=zh&view=twice")
    box = page.get_by_role("textbox", name=twice_words.SECOND.zh)
    box.fill("zzz")
    box.press("Enter")
    settle(page)
    main = page.get_by_test_id("stMain")
    assert main.get_by_text(twice_words.NONE_SHARED.zh).is_visible()
    main.get_by_role("button").filter(has_text=words.SECOND_SENTENCE.zh).click()
    settle(page)
    assert page.get_by_test_id("stVegaLiteChart").count() == 2
    assert_sound(page)


def test_M6_a_changed_word_reaches_as_far_as_the_window_and_the_link_leads_to_the_same_mask(
    open_lesson, settle
):
    page = open_lesson("lang=en&view=far&is_causal=1")
    assert cell(page, "changes", 5, 5).inner_text() != "0"
    assert cell(page, "changes", 4, 5).inner_text() == "0"
    cell(page, "changes", 5, 6).click()
    settle(page)
    assert far_words.UNNOTICED.say("en", token="", n=4).split("not small")[0][-20:] in said(page, "said")
    page.get_by_test_id("stMain").get_by_role("link", name=far_words.MASK_PAGE.en).click()
    page.get_by_test_id("stMain").get_by_role("heading", level=1, name="mask").wait_for()
    settle(page)
    there = address(page)
    assert urlsplit(page.url).path == "/masks"
    taken = {name: there.get(name) for name in ("view", "gallery_n", "gallery_window_width")}
    assert taken == {"view": "gallery", "gallery_n": "6", "gallery_window_width": "2"}
    assert_sound(page)


def test_on_a_phone_in_the_dark_no_view_of_the_layers_hangs_over_the_edge(open_lesson, settle):
    page = open_lesson("lang=en", viewport=PHONE, color_scheme="dark")
    for text in words.VIEWS.values():
        page.get_by_role("radio", name=text.en, exact=True).click()
        settle(page)
        assert_sound(page)
        assert_nothing_hangs_over(page, text.en, PHONE["width"])
        assert page.get_by_text(words.IN_SIDEBAR.en).is_visible()
    assert part(page, "changes").count() == 1
