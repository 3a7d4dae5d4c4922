"""The grid in a real browser: hands, keys, looks, downloads, speed."""

import base64
import csv
import io
import json
import re
from pathlib import Path

import numpy as np
import pytest

from dashboard.grid.palette import colours, contrast
from dashboard.grid.picture import as_csv

BED = Path(__file__).with_name("grid_bed") / "bed.py"
PHONE = {"width": 390, "height": 844}
# As text: a million numbers one by one take the driver seconds.
PIXELS_JS = """canvas => {
  const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
  let bytes = '';
  for (let start = 0; start < data.length; start += 8192) {
    bytes += String.fromCharCode(...data.subarray(start, start + 8192));
  }
  return btoa(bytes);
}"""
SCORES, MASKED, WEIGHTS = "scores S = Q·Kᵀ", "masked", "weights"


@pytest.fixture(scope="module")
def bed(request, tmp_path_factory):
    """The address of one server of the test bed."""
    house = request.config.pluginmanager.get_plugin(str(Path(__file__).with_name("conftest.py")))
    with house.running_server(BED, tmp_path_factory.mktemp("bed") / "bed.log") as started:
        yield started.url


@pytest.fixture
def open_bed(bed, visit):
    return lambda side=8, **options: visit(f"{bed}/?side={side}", **options)


def section(page, title):
    return page.locator("section.grid").filter(
        has=page.locator(".words", has_text=re.compile(f"^{re.escape(title)}$"))
    )


def cell(page, title, row, column):
    return section(page, title).locator(f"tbody tr:nth-child({row + 1}) td:nth-of-type({column + 1})")


def said(page, word):
    return page.locator('[data-testid="stText"]').filter(has_text=f"{word}:").inner_text()


def focused(page):
    """Row and column, counted from 0, of the cell that has the focus; None when no cell has it."""
    place = page.evaluate(
        """() => {
          let active = document.activeElement;
          while (active?.shadowRoot) active = active.shadowRoot.activeElement;
          if (active?.getAttribute('role') !== 'gridcell') return null;
          const heads = active.closest('table') ? 2 : 1;
          return [+active.closest('[role=row]').getAttribute('aria-rowindex') - heads,
                  +active.getAttribute('aria-colindex') - heads];
        }"""
    )
    return None if place is None else tuple(place)


def move_shift(page, settle, key="ArrowRight"):
    page.get_by_role("slider").nth(1).focus()
    page.keyboard.press(key)
    settle(page)


def scores_of(side):
    return np.random.default_rng(7).normal(size=(side, side))


def rgb(text):
    unit = 255 if text.startswith("color(srgb") else 1
    return tuple(round(float(part) * unit) for part in re.findall(r"[\d.]+", text)[:3])


def test_a_click_reaches_python_and_comes_back_as_the_only_picked_cell(open_bed, settle):
    page = open_bed()
    cell(page, SCORES, 1, 2).click()
    settle(page)
    assert said(page, "picked") == "picked: (1, 2)"
    for title in (SCORES, WEIGHTS):
        selected = section(page, title).locator('td[aria-selected="true"]')
        assert selected.count() == 1
        assert selected.get_attribute("aria-label") == cell(page, title, 1, 2).get_attribute("aria-label")


def test_the_keys_of_a_grid_move_the_focus_and_stop_at_the_edges(open_bed):
    page = open_bed(side=5)
    cell(page, SCORES, 1, 2).focus()
    for key, place in [
        ("ArrowRight", (1, 3)),
        ("ArrowDown", (2, 3)),
        ("Home", (2, 0)),
        ("ArrowLeft", (2, 0)),
        ("End", (2, 4)),
        ("ArrowRight", (2, 4)),
        ("Control+Home", (0, 0)),
        ("ArrowUp", (0, 0)),
        ("Control+End", (4, 4)),
        ("ArrowDown", (4, 4)),
        ("PageUp", (2, 4)),
        ("PageDown", (4, 4)),
    ]:
        page.keyboard.press(key)
        assert focused(page) == place, key
    assert section(page, SCORES).locator('td[tabindex="0"]').count() == 1


@pytest.mark.parametrize("key", ["Enter", " "])
def test_enter_and_space_pick_and_the_focus_stays(open_bed, settle, key):
    page = open_bed()
    cell(page, SCORES, 0, 0).focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press(key)
    settle(page)
    assert said(page, "picked") == "picked: (1, 0)"
    assert focused(page) == (1, 0)


def test_new_numbers_are_written_into_the_cells_that_are_there(open_bed, settle):
    page = open_bed()
    target = cell(page, SCORES, 0, 0)
    before = target.inner_text()
    target.evaluate("element => { element.kept = true; }")
    move_shift(page, settle)
    assert target.inner_text() != before
    assert target.evaluate("element => element.kept")
    assert section(page, SCORES).locator("td").evaluate_all("cells => cells.length") == 64


def test_a_smaller_matrix_keeps_the_focus_in_the_grid(open_bed, settle):
    page = open_bed(side=3)
    cell(page, SCORES, 2, 2).click()
    settle(page)
    page.evaluate(
        """() => {
          const lab = globalThis.attentionLabGrid, draw = lab.draw;
          lab.draw = (component) => draw({...component, data: shrink(component.data)});
          const shrink = (data) => data.title !== 'scores S = Q·Kᵀ' ? data : {
            ...data, rows: 2, columns: 2, row_names: data.row_names.slice(0, 2), column_names: data.column_names.slice(0, 2),
            texts: data.texts.slice(0, 4), exact: data.exact.slice(0, 4), levels: btoa('abcd'), marked: [], edited: [], picked: null, dead: []};
        }"""
    )
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    settle(page)
    assert focused(page) == (1, 1)


def test_a_cell_is_edited_in_place_and_python_reads_the_text(open_bed, settle):
    page = open_bed()
    target = cell(page, SCORES, 1, 3)
    target.focus()
    page.keyboard.press("F2")
    assert target.locator("input").input_value() == repr(float(scores_of(8)[1, 3]))
    page.keyboard.type("-2.5")
    page.keyboard.press("Enter")
    settle(page)
    assert said(page, "edits") == "edits: [((1, 3), -2.5)]"
    assert target.inner_text() == "−2.50"
    assert "edited" in target.get_attribute("aria-label")
    assert focused(page) == (1, 3)


def test_a_digit_starts_an_edit_and_escape_leaves_the_cell_alone(open_bed, settle):
    page = open_bed()
    target = cell(page, SCORES, 2, 1)
    target.focus()
    page.keyboard.press("7")
    assert target.locator("input").input_value() == "7"
    page.keyboard.type("r" * 60)  # 32 characters are the most; r is Streamlit's key for a new run
    assert len(target.locator("input").input_value()) == 32
    page.keyboard.press("Escape")
    settle(page)
    assert target.locator("input").count() == 0
    assert (said(page, "edits"), said(page, "runs")) == ("edits: []", "runs: 1")
    assert focused(page) == (2, 1)


def test_a_refused_edit_is_said_in_place(open_bed, settle):
    page = open_bed()
    target = cell(page, SCORES, 0, 0)
    target.dblclick()
    settle(page)
    page.keyboard.press("Control+a")
    page.keyboard.type("<b>no</b>")
    page.keyboard.press("Enter")
    settle(page)
    assert target.get_attribute("aria-invalid") == "true"
    assert section(page, SCORES).get_by_role("alert").inner_text() == "'<b>no</b>' is not a number"
    assert target.inner_text() == "0.00123"


def test_an_open_input_survives_new_numbers(open_bed):
    page = open_bed()
    page.evaluate(
        """() => {
          const lab = globalThis.attentionLabGrid, draw = lab.draw;
          lab.draw = (component) => { if (component.data.is_editable) globalThis.drawn = component; draw(component); };
          globalThis.drawAgain = () => draw({...globalThis.drawn, data: {...globalThis.drawn.data, texts: Array(64).fill('9.99')}});
        }"""
    )
    cell(page, SCORES, 2, 2).click()
    page.wait_for_function("globalThis.drawn !== undefined")
    page.keyboard.press("4")
    page.evaluate("globalThis.drawAgain()")
    page.keyboard.type(".5")
    assert cell(page, SCORES, 2, 2).locator("input").input_value() == "4.5"
    assert cell(page, SCORES, 2, 3).inner_text() == "9.99"


def test_a_grid_without_editing_opens_no_input(open_bed):
    page = open_bed()
    cell(page, WEIGHTS, 1, 1).focus()
    page.keyboard.press("F2")
    page.keyboard.press("5")
    assert section(page, WEIGHTS).locator("input").count() == 0


def test_labels_are_text_and_repeated_words_keep_their_own_rows(open_bed):
    page = open_bed(side=12)
    heads = section(page, SCORES).locator("tbody th")
    assert heads.locator(".place").all_inner_texts() == [str(place) for place in range(1, 13)]
    assert heads.locator(".name").all_inner_texts() == [
        "the", "cat", "<b>x</b>", "cat", "∅", "a⏎", "注意力", "שלום", "👩‍👩‍👧", '"quoted, and long" token', "$5", "=1+1",
    ]  # fmt: skip
    assert section(page, SCORES).locator("thead th").count() == 13
    assert section(page, SCORES).locator(".frame b, img, script").count() == 0
    assert heads.nth(9).get_attribute("title") == '10 · "quoted, and long" token'


def test_a_screen_reader_hears_who_a_cell_is_and_what_is_special(open_bed):
    page = open_bed()
    table = section(page, MASKED).get_by_role("grid")
    assert (table.get_attribute("aria-rowcount"), table.get_attribute("aria-colcount")) == ("9", "9")
    assert page.get_by_role("grid", name=MASKED, exact=True).count() == 1
    assert cell(page, MASKED, 0, 1).get_attribute("aria-label") == "query 1 the · key 2 cat: −∞, masked"
    assert cell(page, MASKED, 2, 0).get_attribute("aria-label").endswith("−∞, masked, sees no key")
    assert cell(page, SCORES, 0, 1).get_attribute("aria-label").endswith("0.299, used in the explanation")
    assert cell(page, SCORES, 3, 2).get_attribute("aria-colindex") == "4"
    roles = (
        section(page, SCORES)
        .locator(".frame [role]")
        .evaluate_all("all => [...new Set(all.map(e => e.getAttribute('role')))]")
    )
    assert set(roles) == {"grid", "rowgroup", "row", "columnheader", "rowheader", "gridcell"}


def test_masked_cells_stay_and_have_their_own_look(open_bed):
    page = open_bed()
    texts = section(page, MASKED).locator("td").all_inner_texts()
    assert len(texts) == 64
    assert texts.count("−∞") == 28 + 3
    look = cell(page, MASKED, 0, 1).evaluate("cell => getComputedStyle(cell).backgroundImage")
    assert look.startswith("repeating-linear-gradient")
    assert section(page, MASKED).locator("th.dead").get_attribute("title") == "3 · <b>x</b> · sees no key"


@pytest.mark.parametrize("color_scheme", ["light", "dark"])
def test_every_number_can_be_read_on_its_cell(open_bed, color_scheme):
    page = open_bed(side=11, color_scheme=color_scheme)
    looks = page.locator("section.grid td").evaluate_all(
        "cells => cells.map(cell => [getComputedStyle(cell).color, getComputedStyle(cell).backgroundColor, cell.className])"
    )
    assert len(looks) > 300
    for ink, fill, name in looks:
        if "masked" not in name and "rgba" not in fill and "color(" not in ink + fill:
            assert contrast(rgb(ink), rgb(fill)) >= 4.5, (ink, fill, name)


@pytest.mark.parametrize("color_scheme", ["light", "dark"])
def test_every_small_text_around_the_numbers_can_be_read(open_bed, color_scheme):
    page = open_bed(color_scheme=color_scheme)
    looks = page.locator(
        ".place, .name, .corner span, .where, .low, .quantity, .tools button, td.masked, .title"
    ).evaluate_all(
        """texts => texts.map(text => {
          let paper = text;
          while (getComputedStyle(paper).backgroundColor === 'rgba(0, 0, 0, 0)') paper = paper.parentElement;
          return [getComputedStyle(text).color, getComputedStyle(paper).backgroundColor, text.className];
        })"""
    )
    assert {"place", "name", "where", "masked"} <= {name for _, _, name in looks}
    for ink, paper, name in looks:
        assert contrast(rgb(ink), rgb(paper)) >= 4.5, (ink, paper, name)


def test_the_colours_follow_the_theme_without_a_new_run(open_bed, settle):
    page = open_bed(color_scheme="light")
    look = "cell => getComputedStyle(cell).backgroundColor"
    target = cell(page, SCORES, 6, 1)
    light = rgb(target.evaluate(look))
    page.emulate_media(color_scheme="dark")
    settle(page)
    dark = rgb(target.evaluate(look))
    assert light in colours("diverging", "light")
    assert dark in colours("diverging", "dark")
    assert light != dark
    assert said(page, "runs") == "runs: 1"


def test_pointing_and_focusing_tell_the_whole_number(open_bed):
    page = open_bed()
    line = section(page, SCORES).locator("output")
    exact = [repr(float(value)) for value in scores_of(8)[1]]
    cell(page, SCORES, 1, 3).hover()
    assert line.locator(".number").inner_text() == exact[3]
    assert line.locator(".where").inner_text() == "query 2 cat · key 4 cat"
    cell(page, SCORES, 1, 2).focus()
    assert line.locator(".number").inner_text() == exact[2]
    assert line.locator(".where").inner_text() == "query 2 cat · key 3 <b>x</b>"
    assert line.get_attribute("aria-live") == "polite"


def test_a_symbol_is_raised_and_lowered_and_the_title_is_text(open_bed):
    page = open_bed()
    heading = section(page, WEIGHTS).get_by_role("heading")
    assert heading.locator(".symbol").inner_html() == "A<sub>ij</sub>"
    assert heading.inner_text() == "Aij weights"


def test_pointing_at_cells_moves_nothing_on_the_page(open_bed):
    page = open_bed(side=12, viewport=PHONE)
    boxes = "() => [...document.querySelectorAll('[data-testid=stElementContainer]')].map(e => JSON.stringify(e.getBoundingClientRect()))"
    page.mouse.move(1, 1)
    cell(page, SCORES, 9, 2).scroll_into_view_if_needed()
    before = page.evaluate(boxes)
    for place in [(9, 1), (9, 2), (3, 1)]:
        cell(page, SCORES, *place).hover()
        assert page.evaluate(boxes) == before


def test_in_a_fragment_a_pick_runs_the_fragment_only(open_bed, settle):
    page = open_bed()
    cell(page, "odd numbers", 1, 2).click()
    settle(page)
    assert said(page, "part") == "part: (1, 2)"
    assert said(page, "runs") == "runs: 1"


def test_picked_marked_edited_and_focused_differ_in_more_than_colour(open_bed, settle):
    page = open_bed()
    cell(page, SCORES, 4, 4).click()
    settle(page)
    page.keyboard.press("ArrowRight")
    look = "cell => { const s = getComputedStyle(cell); return [s.outlineStyle, s.outlineWidth, s.fontWeight].join(' '); }"
    looks = {cell(page, SCORES, *place).evaluate(look) for place in [(4, 4), (0, 1), (4, 5), (6, 6)]}
    assert len(looks) == 4


def test_csv_of_the_browser_is_that_of_python(open_bed):
    page = open_bed(side=12)
    names = [
        "the",
        "cat",
        "<b>x</b>",
        "cat",
        "",
        "a\n",
        "注意力",
        "שלום",
        "👩‍👩‍👧",
        '"quoted, and long" token',
        "$5",
        "=1+1",
    ]
    with page.expect_download() as download:
        section(page, SCORES).get_by_role("button", name="CSV").click()
    assert download.value.suggested_filename == "scores_S_Q_Kᵀ.csv"
    text = Path(download.value.path()).read_bytes().decode("utf-8")
    assert text == as_csv(scores_of(12), names, names)


@pytest.mark.parametrize("side", [12, 40])
def test_png_is_a_picture_of_the_whole_matrix(open_bed, side):
    page = open_bed(side=side)
    with page.expect_download() as download:
        section(page, WEIGHTS).get_by_role("button", name="PNG").click()
    picture = Path(download.value.path()).read_bytes()
    assert picture.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = int.from_bytes(picture[16:20], "big"), int.from_bytes(picture[20:24], "big")
    assert width > 2 * side * 16
    assert height > 2 * side * 16


def test_csv_of_a_large_matrix_comes_from_python(open_bed):
    page = open_bed(side=40)
    with page.expect_download() as download:
        page.locator('[data-testid="stDownloadButton"] button').nth(1).click()
    rows = list(csv.reader(io.StringIO(Path(download.value.path()).read_text(encoding="utf-8-sig"))))
    assert len(rows) == 41
    assert [float(text) for text in rows[-1][1:]] == scores_of(40)[-1].tolist()


def press_canvas(page, title, row, column, side):
    section(page, title).locator("canvas").click(
        position={"x": (column + 0.5) * side, "y": (row + 0.5) * side}
    )


def test_a_large_matrix_has_the_same_hands_and_keys(open_bed, settle):
    page = open_bed(side=128)
    press_canvas(page, SCORES, 7, 20, 5)
    settle(page)
    assert said(page, "picked") == "picked: (7, 20)"
    assert focused(page) == (7, 20)
    exact = repr(float(scores_of(128)[7, 20]))
    assert section(page, SCORES).locator("output .number").inner_text() == exact
    for key, place in [
        ("ArrowDown", (8, 20)),
        ("ArrowLeft", (8, 19)),
        ("PageDown", (18, 19)),
        ("Home", (18, 0)),
        ("End", (18, 127)),
        ("Control+End", (127, 127)),
        ("Control+Home", (0, 0)),
        ("ArrowUp", (0, 0)),
    ]:
        page.keyboard.press(key)
        assert focused(page) == place, key
    page.keyboard.press("Control+End")
    page.keyboard.press("Enter")
    settle(page)
    assert said(page, "picked") == "picked: (127, 127)"
    active = section(page, SCORES).get_by_role("gridcell")
    assert active.count() == 1
    assert active.get_attribute("aria-selected") == "true"


def test_a_large_matrix_can_be_edited_where_the_focus_is(open_bed, settle):
    page = open_bed(side=64)
    press_canvas(page, SCORES, 3, 5, 11)
    settle(page)
    page.keyboard.press("F2")
    section(page, SCORES).locator("input").fill("1.5")
    page.keyboard.press("Enter")
    settle(page)
    assert said(page, "edits") == "edits: [((3, 5), 1.5)]"


@pytest.mark.parametrize("side", [33, 512])
def test_every_pixel_has_the_colour_of_its_level_and_masked_ones_a_texture(open_bed, side):
    page = open_bed(side=side)
    pixels = section(page, WEIGHTS).locator("canvas").evaluate(PIXELS_JS)
    image = (
        np.frombuffer(base64.b64decode(pixels), dtype=np.uint8).astype(int).reshape(side, side, 4)[..., :3]
    )
    assert tuple(image[0, 0]) == colours("sequential", "light")[-1]
    assert tuple(image[3, 4]) != tuple(image[3, 5])
    assert {tuple(image[3, 4]), tuple(image[3, 5])} == {(0xE4,) * 3, (0xAE,) * 3}
    shares = np.exp(scores_of(side)) * np.tri(side)
    shares = shares / shares.sum(-1, keepdims=True)
    palette = np.array(colours("sequential", "light"))
    row = side - 1
    assert (image[row] == palette[np.rint(shares[row] * 250).astype(int)]).all()


def test_a_block_leads_to_the_cell_it_shows(open_bed, settle):
    page = open_bed(side=1030)
    press_canvas(page, SCORES, 4, 9, 3)
    settle(page)
    values = scores_of(1030)
    block = np.abs(values[12:15, 27:30])
    row, column = np.unravel_index(block.argmax(), block.shape)
    place = (12 + int(row), 27 + int(column))
    assert said(page, "picked") == f"picked: {place}"
    line = section(page, SCORES).locator("output")
    assert line.locator(".where").inner_text().startswith(f"query {place[0] + 1} ")
    assert line.locator(".number").inner_text() == repr(float(values[place]))
    assert "3 × 3 cells" in section(page, SCORES).locator(".note").inner_text()


def test_nothing_to_show_is_said_and_odd_numbers_are_shown(open_bed):
    page = open_bed()
    assert section(page, "nothing").locator(".empty").inner_text() == "No token, no matrix."
    assert section(page, "nothing").get_by_role("grid").count() == 0
    assert section(page, "odd numbers").locator("td").all_inner_texts() == [
        "NaN",
        "∞",
        "−∞",
        "0",
        "0",
        "1e−12",
    ]


@pytest.mark.parametrize("side", [11, 64])
def test_on_a_phone_the_frame_scrolls_and_the_heads_stay(open_bed, side):
    page = open_bed(side=side, viewport=PHONE)
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    main = page.locator('[data-testid="stMain"]')
    assert main.evaluate("main => main.scrollWidth <= main.clientWidth")
    frame = section(page, SCORES).locator(".frame")
    assert frame.evaluate("frame => frame.scrollWidth > frame.clientWidth")
    frame.evaluate("frame => { frame.scrollLeft = 200; frame.scrollTop = 100; }")
    head = section(page, SCORES).locator("tbody th, .sides").first
    assert abs(head.bounding_box()["x"] - frame.bounding_box()["x"]) < 3
    if side == 11:
        box = cell(page, SCORES, 0, 5).bounding_box()
        assert box["width"] >= 48
        assert box["height"] >= 28


def test_heads_stick_only_where_the_frame_really_scrolls(open_bed, settle):
    page = open_bed(side=5)
    head = section(page, SCORES).locator("tbody th").first
    look = "head => getComputedStyle(head).position"
    assert head.evaluate(look) == "static"
    page.set_viewport_size({"width": 250, "height": 844})
    settle(page)
    assert head.evaluate(look) == "sticky"
    page.set_viewport_size({"width": 1280, "height": 900})
    settle(page)
    assert head.evaluate(look) == "static"


def test_on_a_phone_the_heads_stay_visible_wherever_the_frame_is_scrolled(open_bed):
    page = open_bed(side=20, viewport=PHONE)
    frame = section(page, SCORES).locator(".frame")
    frame.evaluate("frame => { frame.scrollLeft = 400; frame.scrollTop = 150; }")
    left = frame.bounding_box()["x"]
    heads = section(page, SCORES).locator("tbody th")
    assert heads.count() == 20
    assert all(abs(heads.nth(row).bounding_box()["x"] - left) < 3 for row in (0, 8, 19))
    top = section(page, SCORES).locator("thead th:not(.corner)").first.bounding_box()["y"]
    assert abs(top - frame.bounding_box()["y"]) < 3
    # What lies on top at the frame's left edge is a head and no number that slid under it.
    shown = section(page, SCORES).evaluate(
        """grid => {
          grid.querySelector('.frame').scrollIntoView({ block: 'center' });
          const box = grid.querySelector('.frame').getBoundingClientRect();
          return grid.getRootNode().elementFromPoint(box.left + 12, box.bottom - 40).closest('th, td').tagName;
        }"""
    )
    assert shown == "TH"


def test_drawing_reads_no_size_that_would_make_the_browser_lay_the_page_out(open_bed, settle):
    page = open_bed(side=11, viewport=PHONE)
    page.evaluate(
        """() => {
          globalThis.measured = [];
          globalThis.drawn = 0;
          let isDrawing = false;
          for (const [owner, name] of [[Element, 'scrollWidth'], [Element, 'clientWidth'], [Element, 'scrollHeight'],
                                       [Element, 'clientHeight'], [HTMLElement, 'offsetWidth'], [HTMLElement, 'offsetHeight']]) {
            const { get } = Object.getOwnPropertyDescriptor(owner.prototype, name);
            Object.defineProperty(owner.prototype, name, { configurable: true, get() {
              if (isDrawing) globalThis.measured.push(name);
              return get.call(this);
            }});
          }
          const box = Element.prototype.getBoundingClientRect;
          Element.prototype.getBoundingClientRect = function () {
            if (isDrawing) globalThis.measured.push('box');
            return box.call(this);
          };
          const lab = globalThis.attentionLabGrid, draw = lab.draw;
          lab.draw = (component) => { isDrawing = true; globalThis.drawn++; draw(component); isDrawing = false; };
        }"""
    )
    move_shift(page, settle)
    assert page.evaluate("globalThis.drawn") >= 4
    assert page.evaluate("globalThis.measured") == []


@pytest.mark.parametrize("side", [30, 100])
def test_the_focused_cell_is_never_behind_the_heads(open_bed, side):
    page = open_bed(side=side, viewport={"width": 700, "height": 700})
    first = section(page, SCORES).locator("[role=gridcell]").first
    first.focus()
    page.keyboard.press("Control+End")
    page.keyboard.press("Home")
    page.keyboard.press("Control+Home")
    boxes = section(page, SCORES).evaluate(
        """grid => {
          const box = (element) => { const {left, top, right, bottom} = element.getBoundingClientRect(); return {left, top, right, bottom}; };
          const root = grid.getRootNode();
          return [box(root.activeElement), box(grid.querySelector('.corner'))];
        }"""
    )
    active, corner = boxes
    assert active["left"] >= corner["right"] - 1
    assert active["top"] >= corner["bottom"] - 1


def test_a_redraw_is_short_and_carries_numbers_only(open_bed, settle, browser, bed):
    page = browser.new_page()
    frames = []
    page.on("websocket", lambda socket: socket.on("framereceived", lambda frame: frames.append(len(frame))))
    page.goto(f"{bed}/?side=8")
    settle(page)
    page.evaluate(
        """() => {
          const lab = globalThis.attentionLabGrid, draw = lab.draw;
          globalThis.times = [];
          lab.draw = (component) => { const start = performance.now(); draw(component); globalThis.times.push(performance.now() - start); };
        }"""
    )
    frames.clear()
    for _ in range(7):
        move_shift(page, settle)
    times = page.evaluate("globalThis.times")
    page.close()
    assert len(times) >= 7 * 4
    assert np.median(times) < 5
    assert sum(frames) / 7 < 40_000, "the drawing code must not travel with the numbers"


def test_the_payload_of_the_library_is_plain_data():
    from dashboard.grid.bench import _LIBRARY

    assert json.loads(json.dumps(_LIBRARY)) == _LIBRARY
    assert "http" not in "".join(_LIBRARY[name] for name in _LIBRARY if name != "palettes")
