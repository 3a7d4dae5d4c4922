"""The QKV lesson in the hands of a reader: mouse, keyboard, hostile text, phone, dark, the link (P1 to P8, E1 to E3)."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.hands import assert_sound, cell, focus, numbers, part, said, sentence_box, stage

PHONE = {"width": 390, "height": 844}
VIEWS = {
    "query": ("One query", 3, 2),
    "sentences": ("Two sentences", 3, 0),
    "shuffle": ("Shuffle", 4, 0),
    "plain": ("Without W", 4, 0),
    "loops": ("Loop or matrix", 1, 0),
    "textbook": ("Check the textbook", 0, 0),
    "pipeline": ("Pipeline", 2, 0),
}


@pytest.fixture
def open_lesson(server, visit):
    return lambda query="lang=en", **options: visit(f"{server}/qkv?{query}", **options)


def type_sentence(page, settle, text):
    sentence_box(page).fill(text)
    sentence_box(page).press("Enter")
    settle(page)


def pick_by_mouse_and_keyboard(page, settle):
    cell(page, "result", 4, 2).click()
    settle(page)
    assert cell(page, "result", 4, 2).get_attribute("aria-selected") == "true"
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    settle(page)
    assert cell(page, "result", 5, 3).get_attribute("aria-selected") == "true"
    assert "cell=5.3" in page.url


def edit_two_weights(page, settle):
    stage(page, "q").click()
    settle(page)
    before = numbers(page)
    cell(page, "input.w_q", 2, 3).click()
    settle(page)
    box = page.get_by_role("textbox", name=re.compile(r"W\^Q\[2, 3\]"))
    box.fill("-1.25")
    box.press("Enter")
    settle(page)
    assert cell(page, "input.w_q", 2, 3).inner_text() == "−1.25"
    assert numbers(page) != before

    cell(page, "input.w_q", 1, 1).focus()
    page.keyboard.press("F2")
    page.keyboard.type("0.5")
    page.keyboard.press("Enter")
    settle(page)
    assert cell(page, "input.w_q", 1, 1).inner_text() == "0.500"


def test_a_copied_link_shows_the_same_numbers_in_another_browser_and_language(
    open_lesson, visit, settle, server
):
    """The whole way: a sentence, picked cells, edited weights, another language, the link (P1, P2)."""
    page = open_lesson()
    page.context.grant_permissions(["clipboard-read", "clipboard-write"], origin=server)
    type_sentence(page, settle, "The cat sat on the mat, 猫!")
    assert part(page, "result").locator("tbody tr").count() == 9

    pick_by_mouse_and_keyboard(page, settle)
    edit_two_weights(page, settle)
    english = numbers(page)
    page.get_by_role("radio", name="中文").click()
    settle(page)
    chinese = numbers(page)
    assert chinese == english
    page.get_by_role("button", name="复制链接").click()
    page.get_by_text("已复制").wait_for()
    page.wait_for_timeout(200)
    address = page.evaluate("location.href")
    assert page.evaluate("navigator.clipboard.readText()") == address
    assert len(address) < 300

    other = visit(address, locale="en-US")
    assert numbers(other) == english
    assert other.locator("html").get_attribute("lang") == "zh-CN"
    assert sentence_box(other).input_value() == "The cat sat on the mat, 猫!"
    assert other.url == address
    stage(other, "weights").click()
    stage(page, "weights").click()
    settle(other)
    settle(page)
    assert numbers(other) == numbers(page)


def test_an_edit_that_is_no_number_is_refused_in_place(open_lesson, settle):
    page = open_lesson("lang=en&stage=w_q&cell=1.1")
    before = numbers(page)
    box = page.get_by_role("textbox", name=re.compile(r"W\^Q\[1, 1\]"))
    box.fill("<b>one</b>")
    box.press("Enter")
    settle(page)
    assert page.get_by_test_id("stAlert").count() == 1
    assert "<b>one</b>" in page.get_by_test_id("stAlert").inner_text()
    assert box.input_value() == "<b>one</b>"
    assert numbers(page) == before
    assert_sound(page)


@pytest.mark.parametrize(
    ("text", "says", "has_grid"),
    [
        ("<img src=x onerror=alert(1)>", None, True),
        ("$5 and $6", None, True),
        ("👩‍👩‍👧 é `x` $$ [a](javascript:alert(1)) **b** 🙂", None, True),
        ("a" * 10_000, "this one has 10000.", False),
        ("   \u3000  ", "No token yet", False),
    ],
    ids=["markup", "dollars", "emoji and markdown", "10 000 characters", "spaces"],
)
def test_hostile_text_is_shown_literally_or_refused_kindly(open_lesson, settle, text, says, has_grid):
    page = open_lesson()
    dialogs = []
    page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    type_sentence(page, settle, text)
    assert sentence_box(page).input_value() == text
    assert (part(page, "result").count() == 1) == has_grid
    if says:
        assert says in page.get_by_test_id("stAlert").inner_text().replace(",", "")
    for name in ("Pipeline", "One query") if has_grid else ():
        page.get_by_role("radio", name=name, exact=True).click()
        settle(page)
        assert_sound(page)
        heads = page.locator("section.grid tbody th .name").all_inner_texts()
        assert heads[0] == {"<": "<", "$": "$", "👩": "👩‍👩‍👧"}[text[0]]
        assert page.locator('img[src="x"], [onerror], .katex-error, a[href^="javascript"]').count() == 0
        told = page.locator('[data-testid="stMain"]')
        assert told.locator("[data-testid=stMarkdown] .katex:not([data-testid=stHeading] *)").count() <= 3
    assert_sound(page)
    assert dialogs == []


def test_a_refused_sentence_can_be_shortened_by_its_button(open_lesson, settle):
    page = open_lesson()
    type_sentence(page, settle, "ab " * 100)
    page.get_by_role("button", name="Take the first 64 tokens").click()
    settle(page)
    assert sentence_box(page).input_value().split() == ["ab"] * 64
    assert part(page, "result").locator("[role=grid]").get_attribute("aria-rowcount") == "64"


def test_the_pipeline_works_with_the_keyboard_alone(open_lesson, settle):
    page = open_lesson()
    sentence_box(page).focus()
    for _ in range(20):
        page.keyboard.press("Tab")
        role, name = focus(page)
        if role == "radio" and name.startswith("weights A"):
            break
    else:
        pytest.fail("Tab does not reach the strip")
    page.keyboard.press("ArrowLeft")
    assert focus(page)[1].startswith("scaled")
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert focus(page)[1].startswith("query Q")
    page.keyboard.press("Enter")
    settle(page)
    assert stage(page, "q").get_attribute("aria-checked") == "true"
    assert focus(page)[1].startswith("query Q"), "the focus stays where the reader left it"

    for _ in range(8):
        page.keyboard.press("Tab")
        if focus(page)[0] == "gridcell":
            break
    assert focus(page)[0] == "gridcell"
    page.keyboard.press("Control+Home")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    settle(page)
    assert cell(page, "result", 2, 2).get_attribute("aria-selected") == "true"
    assert focus(page)[0] == "gridcell", "the focus stays in the grid"
    assert "q[2, 2]" in said(page, "cell")


def test_a_number_of_the_arithmetic_leads_to_its_cell(open_lesson, settle):
    """Any cell can be traced to the inputs (P1)."""
    page = open_lesson("lang=en&stage=scores&cell=2.3")
    part(page, "cell").get_by_role("button", name=re.compile(r"^q\[2, 1\]")).click()
    settle(page)
    assert stage(page, "q").get_attribute("aria-checked") == "true"
    assert cell(page, "result", 2, 1).get_attribute("aria-selected") == "true"


@pytest.mark.parametrize("path", ["", "qkv"])
def test_on_a_phone_in_the_dark_nothing_hangs_over_the_edge(server, visit, settle, path):
    page = visit(f"{server}/{path}?lang=zh", viewport=PHONE, color_scheme="dark")
    assert_sound(page)
    main = page.get_by_test_id("stMain")
    fits = (
        "main => [main.scrollWidth <= main.clientWidth, document.documentElement.scrollWidth <= innerWidth]"
    )
    assert main.evaluate(fits) == [True, True]
    red, green, blue = map(
        int,
        re.findall(
            r"\d+", page.get_by_test_id("stApp").evaluate("app => getComputedStyle(app).backgroundColor")
        )[:3],
    )
    assert max(red, green, blue) < 64
    if path:
        page.get_by_role("radio", name="一个查询").click()
        settle(page)
        assert main.evaluate(fits) == [True, True]


def test_on_a_phone_no_view_hangs_over_the_edge_in_english_whose_words_are_long(open_lesson, settle):
    page = open_lesson(viewport=PHONE)
    main = page.get_by_test_id("stMain")
    for name, _, _ in VIEWS.values():
        page.get_by_role("radio", name=name, exact=True).click()
        settle(page)
        assert main.evaluate("main => main.scrollWidth - main.clientWidth") <= 0, name


def test_reproduce_in_python_opens_a_window_with_the_script(open_lesson, settle):
    page = open_lesson("lang=en&text=a+b&edit_own=w_q.1.1_2")
    page.get_by_role("button", name="Reproduce in Python").click()
    window = page.get_by_role("dialog")
    window.wait_for()
    settle(page)
    script = window.get_by_test_id("stCode").inner_text()
    assert "import torch" in script
    assert "tokens = ['a', 'b']" in script
    assert "w_q[0, 0] = 2.0" in script
    assert window.get_by_role("button", name="Download the script").count() == 1
    compile(script.replace("\xa0", " "), "qkv.py", "exec")
    page.keyboard.press("Escape")
    window.wait_for(state="detached")
    assert_sound(page)


def test_every_view_shows_its_pictures_and_no_exception(open_lesson, settle):
    """One view after the other: P3 to P8, and the printed numbers of E1 to E3."""
    page = open_lesson()
    for slug, (name, n_grids, n_charts) in VIEWS.items():
        page.get_by_role("radio", name=name, exact=True).click()
        settle(page)
        assert_sound(page)
        expect(page.locator("section.grid"), name).to_have_count(n_grids)
        expect(page.get_by_test_id("stVegaLiteChart"), name).to_have_count(n_charts)
        assert all(texts and all(texts) for texts in numbers(page)), name
        assert (f"view={slug}" in page.url) == (slug != "pipeline"), name


@pytest.mark.parametrize("example", ["e1", "e2", "e3"])
def test_an_example_of_the_notes_opens_in_the_pipeline(open_lesson, settle, example):
    page = open_lesson("lang=en&view=textbook")
    page.get_by_role("button", name="Open this example in the pipeline").nth(int(example[1]) - 1).click()
    settle(page)
    assert_sound(page)
    assert f"source={example}" in page.url
    assert "hand-made" in said(page, "strip")
    assert stage(page, "weights").get_attribute("aria-checked") == "true"


def test_the_terms_unfold_and_stay_unfolded_while_another_cell_is_picked(open_lesson, settle):
    """P2: down to the inputs, step by step."""
    page = open_lesson()
    steps = part(page, "steps")
    steps.locator("summary").click()
    expect(steps.locator("p").first).to_be_visible()
    before = steps.locator("p").all_inner_texts()
    assert len(before) > 8
    cell(page, "result", 5, 2).click()
    settle(page)
    after = steps.locator("p").all_inner_texts()
    assert len(after) > 8
    assert after != before
    steps.locator("summary").click()
    settle(page)
    cell(page, "result", 1, 1).click()
    settle(page)
    expect(steps.locator("p").first).to_be_hidden()
