"""Addresses in a real browser: Back and Forward, the sidebar, the document's language, one visitor beside another."""

import re

from dashboard.catalog import LESSONS
from tests.browser.hands import assert_sound, cell, numbers, part, sentence_box, stage


def type_sentence(page, settle, text):
    sentence_box(page).fill(text)
    sentence_box(page).press("Enter")
    settle(page)


def open_from_sidebar(page, settle, name):
    page.get_by_test_id("stSidebarNav").get_by_role("link", name=name).click()
    page.wait_for_function("settled => location.pathname === settled", arg="/qkv" if "uery" in name else "/")
    settle(page)


def test_back_and_forward_between_the_start_page_and_the_lesson_keep_the_values(server, visit, settle):
    page = visit(f"{server}/?lang=en")
    type_sentence(page, settle, "a b a")
    assert page.url == f"{server}/?lang=en&text=a+b+a"
    page.get_by_role("link", name="Follow this sentence through attention").click()
    page.wait_for_url("**/qkv?*")
    settle(page)
    stage(page, "q").click()
    settle(page)
    cell(page, "result", 3, 2).click()
    settle(page)
    before, address = numbers(page), page.url
    assert "text=a+b+a" in address
    assert "stage=q" in address
    assert "cell=3.2" in address

    page.go_back()
    settle(page)
    assert_sound(page)
    assert page.get_by_role("heading", level=1).inner_text() == "Attention Lab"
    assert sentence_box(page).input_value() == "a b a"

    page.go_forward()
    settle(page)
    assert_sound(page)
    assert sentence_box(page).input_value() == "a b a"
    assert numbers(page) == before
    assert page.url == address


def test_the_sidebar_leads_away_and_back_with_all_values_and_the_same_address(server, visit, settle):
    page = visit(f"{server}/qkv?lang=en&text=a+b+a&d_k=3&stage=k&cell=2.3&edit_own=w_k.1.1_2")
    before, address = numbers(page), page.url
    open_from_sidebar(page, settle, "Attention Lab")
    assert_sound(page)
    open_from_sidebar(page, settle, "Query, key, value")
    assert_sound(page)
    assert numbers(page) == before
    assert page.url == address


def test_the_language_of_the_document_the_tab_and_the_sidebar_follows_the_switch(server, visit, settle):
    page = visit(f"{server}/qkv", locale="zh-CN")
    html = page.locator("html")
    assert html.get_attribute("lang") == "zh-CN"
    assert page.title() == "查询、键、值"
    page.get_by_role("radio", name="English").click()
    settle(page)
    assert html.get_attribute("lang") == "en"
    assert page.title() == "Query, key, value"
    assert page.get_by_test_id("stSidebarNav").get_by_role("link").all_inner_texts() == [
        lesson.title.en for lesson in LESSONS
    ]
    assert "lang=en" in page.url
    open_from_sidebar(page, settle, "Attention Lab")
    assert html.get_attribute("lang") == "en"
    assert not re.search("[一-鿿]", page.get_by_role("heading", level=1).inner_text())


def test_two_visitors_do_not_see_each_others_values(server, visit, settle):
    first = visit(f"{server}/qkv?lang=en")
    second = visit(f"{server}/qkv?lang=en")
    untouched, address = numbers(second), second.url
    type_sentence(first, settle, "x y z x")
    stage(first, "q").click()
    settle(first)
    assert numbers(first) != untouched
    stage(second, "out").click()
    settle(second)
    stage(second, "weights").click()
    settle(second)
    assert numbers(second) == untouched
    assert second.url == address
    assert "text=" not in second.url
    assert sentence_box(first).input_value() == "x y z x"
    assert part(first, "input.w_q").count() == 1


def test_a_move_writes_the_address_without_an_entry_in_the_history(server, visit, settle):
    page = visit(f"{server}/qkv?lang=en")
    length = page.evaluate("history.length")
    slider = page.get_by_role("slider").first
    slider.focus()
    for _ in range(3):
        slider.press("ArrowRight")
    settle(page)
    assert "d_k=7" in page.url
    assert page.evaluate("history.length") == length
