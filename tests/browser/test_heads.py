"""The heads lesson in the hands of a reader: the ledger, the drill, picked cells, phone, dark, the link (H1 to H4)."""

import csv
import io
from itertools import pairwise
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from attention_core.drill import draw_drill
from dashboard.panels.heads import fields as shared_fields
from dashboard.text import frame as frame_words
from dashboard.text import head_drill as drill_words
from dashboard.text import head_growth as growth_words
from dashboard.text import head_ledger as ledger_words
from dashboard.text import head_shared as shared_words
from dashboard.text import heads as words
from tests.browser.hands import assert_nothing_hangs_over, assert_sound, cell, focus, part, said

PHONE = {"width": 390, "height": 844}
# The words in the names of rows that stand on more than one line.
BROKEN_JS = r"""names => names.filter(name => name.firstChild).flatMap(name => {
  const text = name.firstChild;
  return [...text.data.matchAll(/\S+/g)].filter(({0: word, index}) => {
    const range = document.createRange();
    range.setStart(text, index);
    range.setEnd(text, index + word.length);
    return new Set([...range.getClientRects()].map(({top}) => Math.round(top))).size > 1;
  }).map(([word]) => word);
})"""

# How wide the frame around a cell's row is, and how far inside of the row its letters begin and end.
ROOM_JS = """cell => {
  const row = cell.closest('tr'), letters = document.createRange(), edge = row.getBoundingClientRect();
  const boxes = [...row.children].flatMap(one => {
    letters.selectNodeContents(one);
    return [...letters.getClientRects()];
  });
  const left = Math.min(...boxes.map(box => box.left)) - edge.left;
  const right = edge.right - Math.max(...boxes.map(box => box.right));
  return [parseFloat(getComputedStyle(row).outlineWidth), left, right];
}"""


@pytest.fixture
def open_lesson(server, visit):
    return lambda query="lang=en", **options: visit(f"{server}/heads?{query}", **options)


def address(page) -> dict[str, str]:
    return {name: value for name, (value,) in parse_qs(urlsplit(page.url).query).items()}


def test_H1_H2_a_preset_fills_the_ledger_and_an_illegal_h_is_put_right_by_a_button(open_lesson, settle):
    page = open_lesson()
    page.get_by_role("button", name=ledger_words.PRESETS["gpt2_small"].en, exact=True).click()
    settle(page)
    assert "2,362,368" in said(page, "totals")
    box = page.get_by_role("textbox", name="h (heads)")
    box.fill("5")
    box.press("Enter")
    settle(page)
    assert address(page)["ledger_h"] == "5"
    alert = page.get_by_role("alert").first.inner_text()
    assert "768 ÷ 5 leaves 3" in alert
    page.get_by_role("button", name="h = 6").first.click()
    settle(page)
    assert page.get_by_role("alert").count() == 0
    assert address(page)["ledger_h"] == "6"
    assert_sound(page)


def test_H1_the_drill_is_answered_by_keyboard_and_says_which_axis_is_wrong(open_lesson, settle):
    page = open_lesson("lang=en&view=drill&drill_seed=3")
    right = draw_drill(3, 0).answer
    box = page.get_by_role("textbox", name=drill_words.ANSWER.en)
    box.fill(" ".join(map(str, (right[0] + 1, *right[1:]))))
    box.press("Enter")
    settle(page)
    main = page.get_by_test_id("stMain")
    assert main.get_by_text("Not yet:", exact=False).count() == 1
    box.fill(f"[{', '.join(map(str, right))}]")
    box.press("Enter")
    settle(page)
    assert main.get_by_text("Not yet:", exact=False).count() == 0
    assert f"= [{', '.join(map(str, right))}]." in main.get_by_text("Right:", exact=False).inner_text()
    assert_sound(page)


def downloaded(page, name: str, kind: str) -> bytes:
    """The file that a grid of the bench makes."""
    with page.expect_download() as download:
        part(page, name).get_by_role("button", name=f"Download {kind}").click()
    return Path(download.value.path()).read_bytes()


def test_H1_texts_of_the_ledger_keep_their_columns_in_its_files(open_lesson):
    page = open_lesson("lang=en&ledger_layers=3")
    for name, last in (("ledger", ["144", "2880"]), ("totals", ["2880", "2.81 KiB"])):
        rows = list(csv.reader(io.StringIO(downloaded(page, name, "CSV").decode("utf-8-sig"))))
        assert {len(row) for row in rows} == {len(rows[0])}, name
        assert rows[-1][-2:] == last
    # Twice as many pixels as on a screen; a column as wide as "[B, N, h_kv·d_k]" and not as a number.
    picture = downloaded(page, "ledger", "PNG")
    assert int.from_bytes(picture[16:20], "big") > 2 * (8 * 96 + 100)
    assert_sound(page)


def test_H9_a_row_of_the_table_takes_its_key_value_heads_by_mouse_and_keyboard(open_lesson, settle):
    page = open_lesson("lang=en&view=shared")
    cell(page, "sharings", 4, 5).click()
    settle(page)
    assert address(page)["shared_h_kv"] == "4"
    assert "2 · 32 · 4 · 128 · 2 = 65,536 bytes" in said(page, "said")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    settle(page)
    assert address(page)["shared_h_kv"] == "2"
    assert focus(page)[0] == "gridcell"
    assert page.get_by_role("slider").first.get_attribute("aria-valuetext") == "2"
    assert_sound(page)


def test_a_link_in_the_ledger_and_one_in_the_drill_lead_to_another_view(open_lesson, settle):
    page = open_lesson("lang=en&ledger_row=turned&drill_seed=3")
    main = page.get_by_test_id("stMain")
    part(page, "picked").get_by_role("button", name=ledger_words.LINKS["faults"].en).click()
    settle(page)
    assert address(page)["view"] == "faults"
    assert main.get_by_text(words.LEADS["faults"].en).count() == 1
    assert main.get_by_text(words.LEADS["ledger"].en).count() == 0
    page.get_by_role("radio", name=words.VIEWS["drill"].en, exact=True).click()
    settle(page)
    page.get_by_role("button", name=drill_words.SHOW.en).click()
    settle(page)
    part(page, "question").get_by_role("button", name=drill_words.LEDGER.en).click()
    settle(page)
    asked = draw_drill(3, 0)
    assert address(page)["ledger_d_model"] == str(asked.sizes.d_model)
    assert asked.step.line in said(page, "picked")
    assert page.get_by_role("radio", name=words.VIEWS["ledger"].en, exact=True).is_checked()
    assert_sound(page)


def test_only_on_a_phone_a_line_says_where_the_sidebar_is(open_lesson, settle):
    page = open_lesson("lang=en&view=heads", viewport=PHONE)
    line = page.get_by_test_id("stMain").get_by_text(words.IN_SIDEBAR.en)
    assert line.is_visible()
    page.set_viewport_size({"width": 1280, "height": 900})
    settle(page)
    assert not line.is_visible()


def test_on_a_phone_in_the_dark_no_view_of_the_heads_hangs_over_the_edge(open_lesson, settle):
    page = open_lesson("lang=en", viewport=PHONE, color_scheme="dark")
    for text in words.VIEWS.values():
        page.get_by_role("radio", name=text.en, exact=True).click()
        settle(page)
        assert_sound(page)
        assert_nothing_hangs_over(page, text.en, PHONE["width"])
        assert not page.get_by_test_id("stMain").locator(".prose tbody .name").evaluate_all(BROKEN_JS), (
            text.en
        )


@pytest.mark.parametrize("language", ["zh", "en"])
def test_H2_a_fraction_typed_for_a_whole_number_is_answered_at_its_box(open_lesson, settle, language):
    page = open_lesson(f"lang={language}&view=shared&shared_n=16")
    box = page.get_by_role("spinbutton", name=shared_words.N.say(language))
    assert box.input_value() == "16"
    box.fill("12.5")
    box.press("Enter")
    settle(page)
    bounds = {"lowest": 1, "highest": shared_fields.MAX_N, "given": "12.5", "used": 12}
    note = frame_words.NEAREST_WHOLE_TAKEN.say(language, **bounds)
    assert page.get_by_test_id("stMain").get_by_text(note).is_visible()
    assert (box.input_value(), address(page)["shared_n"]) == ("12", "12")
    box.press("ArrowUp")
    box.press("Enter")
    settle(page)
    assert (box.input_value(), address(page)["shared_n"]) == ("13", "13")
    assert page.get_by_text(note).count() == 0


def test_H5_a_picked_column_shows_its_head_and_stands_in_the_link(open_lesson, settle):
    page = open_lesson("lang=en&view=projections")
    cell(page, "w.big", 2, 9).click()
    settle(page)
    assert address(page)["projections_head"] == "3"
    assert "head 3" in said(page, "w.small")
    assert_sound(page)


HANDS = {"viewport": PHONE, "has_touch": True, "is_mobile": True}


def tap(page, text):
    page.get_by_text(text, exact=True).first.tap()


@pytest.mark.parametrize(
    ("view", "box", "typed"),
    [("ledger", "d_model", "24"), ("shared", "d_model", "2048"), ("drill", None, "1 2 3")],
)
def test_a_box_left_by_a_tap_on_another_view_keeps_what_was_typed_and_that_view_comes(
    open_lesson, settle, view, box, typed
):
    # The browser reports both and asks for a run of the box's fragment alone.
    page = open_lesson(f"lang=en&view={view}", **HANDS)
    main = page.get_by_test_id("stMain")
    name = drill_words.ANSWER.en if box is None else box
    main.get_by_label(name, exact=True).first.fill(typed)
    tap(page, words.VIEWS["faults"].en)
    settle(page)
    assert main.get_by_text(words.LEADS["faults"].en).count() == 1
    assert main.get_by_text(words.LEADS[view].en).count() == 0
    assert address(page)["view"] == "faults"
    if box is not None:
        assert address(page)[f"{view}_d_model"] == typed


def test_a_box_left_by_a_tap_on_the_other_language_changes_the_language(open_lesson, settle):
    page = open_lesson("lang=en&view=ledger", viewport={"width": 1280, "height": 900}, has_touch=True)
    page.get_by_test_id("stMain").get_by_label("d_model", exact=True).first.fill("24")
    tap(page, "中文")
    settle(page)
    assert page.get_by_test_id("stMain").get_by_text(words.LEADS["ledger"].zh).count() == 1
    assert address(page)["ledger_d_model"] == "24"


def test_H8_the_file_of_a_table_holds_what_is_said_of_its_rows(open_lesson):
    page = open_lesson("lang=en&view=growth")
    head, *rows = csv.reader(io.StringIO(downloaded(page, "numbers", "CSV").decode("utf-8-sig")))
    assert len(rows) == 4
    assert head[-1] == growth_words.VERDICT.en
    assert all(row[-1] for row in rows)


def test_H3_on_a_phone_two_small_heads_stand_side_by_side(open_lesson):
    page = open_lesson("lang=zh&view=heads&h=4", viewport=PHONE)
    boxes = [part(page, f"head.{head}").bounding_box() for head in range(4)]
    assert [round(box["y"]) for box in boxes[:2]] == [round(boxes[0]["y"])] * 2
    assert boxes[2]["y"] > boxes[0]["y"]
    assert boxes[1]["x"] + boxes[1]["width"] <= PHONE["width"]


def test_H5_names_of_rows_stand_apart_where_a_small_picture_has_many_columns(open_lesson):
    page = open_lesson("lang=en&view=output&d_model=64&h=16")
    for name, fewest in (("contribution.0", 6), ("w_o", 10)):
        ticks = part(page, name).locator(".sides .tick")
        boxes = [one.bounding_box() for one in ticks.all()]
        middles = sorted(box["y"] + box["height"] / 2 for box in boxes)
        assert len(middles) >= fewest
        assert all(below - above >= 12 for above, below in pairwise(middles)), name
    assert part(page, "contribution.0").locator("canvas").bounding_box()["height"] > 6 * 12


def test_H3_a_weight_is_picked_in_the_large_picture_and_opened_down_to_x(open_lesson, settle):
    page = open_lesson("lang=en&view=heads&text=the+dog+saw+a+cat")
    cell(page, "large", 4, 3).click()
    settle(page)
    opened = part(page, "weight")
    assert address(page)["cell"] == "4.3"
    opened.get_by_role("button", name="q[4, 1]").click()
    settle(page)
    assert "q[4, 1]" in opened.locator("p").nth(5).inner_text()
    opened.get_by_role("button", name="head 3").click()
    settle(page)
    assert address(page)["heads_head"] == "3"
    assert_sound(page)


def test_a_run_makes_no_element_fade(open_lesson, settle):
    page = open_lesson("lang=en&view=heads")
    page.evaluate("""() => {
      window.faded = 0;
      const note = ({target, propertyName}) => {
        faded += propertyName === 'opacity' && target.dataset.testid === 'stElementContainer';
      };
      addEventListener('transitionrun', note, true);
    }""")
    page.get_by_test_id("stMain").get_by_role("slider").focus()
    page.keyboard.press("ArrowRight")
    settle(page)
    assert address(page)["heads_head"] == "2"
    assert page.evaluate("faded") == 0


def test_the_frame_of_a_chosen_row_covers_none_of_its_letters(open_lesson):
    # The longest names stand on two lines, which begin at the edge of the row.
    for query, name, row in (("view=ledger", "ledger", 8), ("view=shared", "sharings", 3)):
        page = open_lesson(f"lang=en&{query}")
        width, left, right = cell(page, name, row, 1).evaluate(ROOM_JS)
        assert min(left, right) > width >= 3, name


def test_H1_the_two_pictures_of_the_split_stand_side_by_side(open_lesson):
    for language in ("zh", "en"):
        page = open_lesson(f"lang={language}&view=ledger", viewport={"width": 1280, "height": 900})
        before, after = (part(page, f"split.{name}").bounding_box() for name in ("before", "after"))
        assert before["y"] == after["y"], language
