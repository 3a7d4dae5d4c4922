"""The mask lesson in the hands of a reader: picked rows and cells, the keyboard, a file, phone, dark, the link (M1 to M6)."""

from urllib.parse import parse_qs, urlsplit

import pytest

from dashboard.text import LANGUAGES
from dashboard.text import mask_gallery as gallery_words
from dashboard.text import masks as words
from tests.browser.hands import assert_nothing_hangs_over, assert_sound, cell, part, said

# Each table's boxes up to the page, innermost first: what each hides, and how much it leaves empty.
BOXES_JS = """tables => tables.map(table => {
  const boxes = [];
  for (let box = table.parentElement; box.dataset.testid !== 'stMain'; box = box.parentElement) {
    const style = getComputedStyle(box);
    boxes.push({
      scrolls: style.overflowX !== 'visible',
      hidden_below: box.scrollHeight - box.clientHeight,
      hidden_right: box.scrollWidth - box.clientWidth,
      spare_below: box.clientHeight - table.offsetHeight,
    });
  }
  return boxes;
})"""
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


def test_M6_a_table_is_typed_by_keyboard_alone_and_a_wrong_one_is_put_right(open_lesson, settle):
    page = open_lesson("lang=en&view=gallery&gallery_n=4&gallery_pattern=causal")
    page.get_by_role("button", name=gallery_words.TABLE.en).focus()
    page.keyboard.press("Enter")
    settle(page)
    box = page.get_by_role("textbox", name=gallery_words.TABLE_BOX.en)
    assert box.input_value() == "1000\n1100\n1110\n1111"
    box.focus()
    page.keyboard.press("Control+Home")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Delete")
    page.keyboard.type("1")
    page.keyboard.press("Control+Enter")
    settle(page)
    assert cell(page, "mask", 1, 2).inner_text() == "1"
    assert address(page)["gallery_cells"] == "1.2"
    cell(page, "mask", 2, 4).click()
    settle(page)
    assert box.input_value() == "1100\n1101\n1110\n1111"
    box.fill("1100\n11x1\n1110\n1111")
    box.press("Control+Enter")
    settle(page)
    assert "line 2, column 3" in page.get_by_role("alert").first.inner_text()
    assert box.input_value().splitlines()[1] == "11x1"
    page.get_by_role("button", name=gallery_words.TAKE_NEAREST.en).click()
    settle(page)
    assert page.get_by_role("alert").count() == 0
    assert_sound(page)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_table_has_all_its_rows_and_what_is_too_wide_is_scrolled_to(open_lesson, language):
    for name in ("blind", "buffer"):
        page = open_lesson(f"lang={language}&view={name}", viewport=PHONE)
        for width in (PHONE["width"], 1280):
            page.set_viewport_size({"width": width, "height": 900})
            (boxes,) = page.locator('[data-testid="stMarkdownContainer"] > table').evaluate_all(BOXES_JS)
            scrollers = [box for box in boxes if box["scrolls"]]
            assert all(box["hidden_below"] <= 0 and box["spare_below"] <= 20 for box in scrollers), (
                name,
                width,
                boxes,
            )
            assert all(box["hidden_right"] <= 0 or box["scrolls"] for box in boxes), (name, width, boxes)
            assert scrollers
        assert_sound(page)


def test_on_a_phone_in_the_dark_no_view_of_the_masks_hangs_over_the_edge(open_lesson, settle):
    page = open_lesson("lang=en", viewport=PHONE, color_scheme="dark")
    for text in words.VIEWS.values():
        show_view(page, settle, text.en)
        assert_sound(page)
        assert_nothing_hangs_over(page, text.en, PHONE["width"])


# Notes for each column when one of its cells was written, in animation frames since the key.
FRAMES_JS = """() => {
  const frames = window.__frames = {};
  let frame = 0;
  const count = () => { frame += 1; requestAnimationFrame(count); };
  requestAnimationFrame(count);
  const find = (root) => [...root.querySelectorAll('*')].flatMap((one) => one.shadowRoot
    ? [...(one.dataset.part?.startsWith('column.') ? [one] : []), ...find(one.shadowRoot)] : []);
  for (const host of find(document)) {
    new MutationObserver(() => { frames[host.dataset.part] ??= frame; })
      .observe(host.shadowRoot.querySelector('tbody'), {subtree: true, characterData: true});
  }
}"""
CONTAINED_JS = """() => {
  const find = (root) => [...root.querySelectorAll('*')].flatMap((one) => one.shadowRoot
    ? [one, ...find(one.shadowRoot)] : []);
  return find(document).flatMap((one) => one.shadowRoot.querySelector('.bench') ? [getComputedStyle(one).contain] : []);
}"""


def test_the_first_column_is_shown_before_the_others_and_all_are_of_the_new_sentence(open_lesson, settle):
    words_of = " ".join(f"w{n}" for n in range(16))
    page = open_lesson(f"lang=en&text={words_of}&more=it+ran+off&compare_stage=weights&compare_sentence=2")
    slider = page.locator('[data-testid="stSlider"] input[aria-label*="sentence"]').first
    slider.focus()
    page.evaluate(FRAMES_JS)
    slider.press("ArrowLeft")
    settle(page)
    for kind in ("none", "causal", "padding", "causal_padding"):
        assert "w15" in said(page, f"column.{kind}")
    frames = page.evaluate("() => window.__frames")
    assert frames["column.none"] < min(frames[f"column.{kind}"] for kind in ("causal", "padding"))
    contained = page.evaluate(CONTAINED_JS)
    assert contained, "a page painted anew at every change, if this gets lost"
    assert all({"layout", "style"} <= set(one.split()) or one == "content" for one in contained)
    assert_sound(page)


def test_M5_a_picture_that_comes_later_stands_in_its_place(open_lesson, settle):
    """What was meant stands above what was used, and a switch before a summand, whichever was there first."""
    page = open_lesson(
        "lang=en&view=converter&converter_as=allowed&converter_to=core_bias&converter_guess=0.0+-inf"
    )

    def order() -> list[str]:
        names = page.locator("[data-part]").evaluate_all("parts => parts.map((part) => part.dataset.part)")
        return [name for name in names if name in ("meant", "used") or name.startswith("reading.")]

    assert order() == ["meant", "reading.additive"]
    page.get_by_role("button", name="[0.0 0.0 1.0]").click()
    settle(page)
    assert order() == ["meant", "reading.binary", "reading.additive"]
    page.get_by_role("combobox", name="the call it is handed to").click()
    page.keyboard.type("F.scaled")
    page.keyboard.press("Enter")
    settle(page)
    assert order() == ["meant", "used", "reading.binary", "reading.additive"]
    assert_sound(page)
