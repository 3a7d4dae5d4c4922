"""What Python sends to the grid, and what it accepts from it. How it looks and moves: tests/browser/test_grid.py."""

import csv
import io
import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some
from streamlit.testing.v1 import AppTest

from dashboard import grid as face
from dashboard.grid import bench, picture
from dashboard.grid.palette import STEPS, colours, contrast, ink
from dashboard.roles import HUES

BED = Path(__file__).parents[1] / "browser" / "grid_bed" / "bed.py"
LIGHT_PAPER, DARK_PAPERS = (255, 255, 255), ((14, 17, 23), (26, 25, 24))
WORDS = {name: name for name in face.GridLabels.__dataclass_fields__} | {"pooled": "%(rows)d×%(columns)d"}
LABELS = face.GridLabels(**WORDS)


def rgb(code: str) -> tuple[int, int, int]:
    return int(code[1:3], 16), int(code[3:5], 16), int(code[5:7], 16)


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("scale", ["sequential", "diverging"])
def test_a_number_can_be_read_on_every_colour_of_every_scale(scale, theme):
    steps = colours(scale, theme)
    assert len(steps) == STEPS
    assert min(contrast(step, ink(step)) for step in steps) >= 4.5


def test_the_diverging_scale_is_neutral_at_zero_and_tells_the_signs_apart():
    for theme, paper in (("light", LIGHT_PAPER), ("dark", DARK_PAPERS[0])):
        steps = colours("diverging", theme)
        middle = steps[STEPS // 2]
        assert max(middle) - min(middle) <= 12
        assert contrast(middle, paper) < 1.25
        assert all(
            low[0] > low[2] and high[2] > high[0] for low, high in zip(steps[:80], steps[-80:], strict=True)
        )


def test_the_hue_of_every_role_can_be_read_in_both_themes_and_reaches_the_browser():
    assert set(HUES) <= set(face.ROLES)
    for role, shades in HUES.items():
        for theme, papers in (("light", (LIGHT_PAPER,)), ("dark", DARK_PAPERS)):
            assert (
                f'[data-theme="{theme}"][data-role="{role}"] {{ --hue: {shades[theme]}; }}'
                in bench._LIBRARY["css"]
            )
            assert all(contrast(rgb(shades[theme]), paper) >= 4.5 for paper in papers), role


def test_levels_are_symmetric_about_zero_and_clipped_at_the_ends():
    values = np.array([[-9.0, -0.5, -0.0, 0.5, 9.0]])
    steps = picture.levels(values, "diverging", 1.0, None).astype(int)
    assert (steps + steps[:, ::-1]).tolist() == [[250] * 5]
    assert steps.tolist() == [[0, 62, 125, 188, 250]]
    assert picture.levels(values, "sequential", 1.0, None).tolist() == [[0, 0, 0, 125, 250]]


def test_no_number_breaks_the_levels():
    values = np.array([[math.nan, math.inf, -math.inf, 1e308, -1e308, 5e-324]])
    hidden = np.array([[False] * 5 + [True]])
    with np.errstate(all="raise", under="ignore"):
        for scale in face.SCALES:
            steps = picture.levels(values, scale, picture.half_width(values), hidden)[0].tolist()
            assert steps[0] == picture.UNDEFINED
            assert steps[5] == picture.HIDDEN
            assert all(step < STEPS or step == picture.PLAIN for step in steps[1:5])


def test_a_matrix_of_zeros_or_of_nothing_finite_has_a_scale():
    assert picture.half_width(np.zeros((2, 3))) == 1.0
    assert picture.half_width(np.full((2, 3), -math.inf)) == 1.0
    assert picture.half_width(np.zeros((0, 3))) == 1.0


def test_fewer_pixels_make_larger_blocks_and_lose_no_cell():
    values = np.zeros((7, 5))
    values[6, 4] = 1
    assert picture.lay_out(values, None, 7).mode == "cells"
    layout = picture.lay_out(values, None, 3)
    assert (layout.mode, layout.tall, layout.wide, layout.rows, layout.columns) == ("blocks", 3, 2, 3, 3)
    assert layout.cell(2, 2) == (6, 4)
    assert layout.place((6, 4)) == (2, 2)


def test_a_block_shows_its_visible_value_farthest_from_zero():
    rows, columns = 1031, 523
    values = np.random.default_rng(3).normal(size=(rows, columns))
    hidden = np.random.default_rng(4).random((rows, columns)) < 0.5
    hidden[:3, :2] = True
    layout = picture.lay_out(values, hidden)
    assert (layout.mode, layout.rows, layout.columns) == ("blocks", 344, 262)
    for row, column in [(0, 0), (0, 261), (343, 0), (343, 261), (17, 101), (200, 200)]:
        block = np.s_[3 * row : 3 * row + 3, 2 * column : 2 * column + 2]
        visible = np.abs(values[block])[~hidden[block]]
        cell = layout.cell(row, column)
        assert layout.place(cell) == (row, column)
        if visible.size:
            assert not hidden[cell]
            assert abs(values[cell]) == visible.max()
        else:
            assert cell == (3 * row, 2 * column)


def test_each_size_gets_its_way_of_drawing():
    shapes = [(0, 3), (1, 3), (32, 32), (33, 32), (64, 16), (64, 17), (65, 3), (3, 512), (3, 513)]
    modes = [picture.lay_out(np.zeros(shape), None).mode for shape in shapes]
    assert modes == [*["cells"] * 3, "pixels", "cells", *["pixels"] * 3, "blocks"]
    bare = [picture.lay_out(np.zeros(shape), None, has_numbers=False).mode for shape in shapes]
    assert bare == [*["pixels"] * 8, "blocks"]


@pytest.mark.parametrize(
    ("label", "shown"),
    [
        ("", "∅"),
        (" ", "␠"),
        ("  ", "␠␠"),
        ("a  b", "a  b"),
        (" a ", "␠a␠"),
        ("\n", "⏎"),
        ("\t", "⇥"),
        ("\u00a0", "⍽"),
        ("\u200b", "U+200B"),
        ("\u200d", "U+200D"),
        ("a\u202eb", "aU+202Eb"),
        ("\x00", "U+0000"),
        ("\ud800", "U+D800"),
        ("👩‍👩‍👧", "👩‍👩‍👧"),
        ("می‌خواهم", "می‌خواهم"),
        ("<img src=x onerror=alert(1)>", "<img src=x onerror=alert(1)>"),
        ("$5 and $6", "$5 and $6"),
    ],
)
def test_a_label_shows_what_is_in_it(label, shown):
    assert picture.visible(label) == shown


@given(some.text(max_size=12))
def test_no_label_is_invisible_or_turns_the_text_around(label):
    shown = picture.visible(label)
    assert shown.strip()
    assert not set(shown) & set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\n\r\t\x00")
    shown.encode("utf-8")


def test_csv_holds_every_number_in_full_and_runs_no_formula():
    values = np.array([[0.1, -math.inf], [math.nan, 1e-300]])
    text = picture.as_csv(values, ['a,"b"', "=HYPERLINK(1)"], ["-", "@x\ny"])
    rows = list(csv.reader(io.StringIO(text.removeprefix("\ufeff"))))
    assert rows == [["", "-", "'@x⏎y"], ['a,"b"', "0.1", "-inf"], ["'=HYPERLINK(1)", "nan", "1e-300"]]


HOSTILE = [
    None,
    3,
    "0,0",
    [0, 0],
    {},
    {"row": 0},
    {"row": "0", "column": 0},
    {"row": True, "column": 0},
    {"row": 0.0, "column": 0},
    {"row": math.nan, "column": 0},
    {"row": -1, "column": 0},
    {"row": 0, "column": 3},
    {"row": 2, "column": 0},
    {"row": 10**30, "column": 0},
    {"row": {"row": 0}, "column": []},
]


@pytest.mark.parametrize("event", HOSTILE, ids=str)
def test_what_no_grid_sends_reaches_no_page(event):
    layout = picture.lay_out(np.zeros((2, 3)), None)
    told = []
    receive = face._receivers(layout, lambda *cell: told.append(cell), lambda *edit: told.append(edit))
    receive["pick"](event)
    receive["edit"](event | {"text": "1"} if isinstance(event, dict) else event)
    assert told == []


@pytest.mark.parametrize("text", [None, 1.5, ["1"], "1" * 33])
def test_a_typed_text_that_is_none_or_too_long_reaches_no_page(text):
    told = []
    layout = picture.lay_out(np.zeros((2, 3)), None)
    receive = face._receivers(layout, None, lambda *edit: told.append(edit))
    receive["edit"]({"row": 1, "column": 2, "text": text})
    assert told == []
    receive["edit"]({"row": 1, "column": 2, "text": "1" * 32})
    assert told == [(1, 2, "1" * 32)]


def test_a_pick_in_a_block_is_the_cell_that_the_block_shows():
    values = np.zeros((1026, 7))
    values[5, 4] = -3.0
    told = []
    layout = picture.lay_out(values, None)
    receive = face._receivers(layout, lambda *cell: told.append(cell), None)
    receive["pick"]({"row": 1, "column": 4})
    assert layout.tall == 3
    assert told == [(5, 4)]


@pytest.mark.parametrize(
    ("values", "arguments", "rule"),
    [
        ([1.0, 2.0], {}, "two axes; got 1"),
        ([[1.0, 2.0]], {"row_labels": ["a", "b"]}, "row_labels must hold one text for each of 1; got 2"),
        ([[1.0, 2.0]], {"column_labels": ["a"]}, "column_labels must hold one text for each of 2; got 1"),
        ([[1.0, 2.0]], {"footer": []}, "footer must hold one text for each of 1; got 0"),
        ([[1.0, 2.0]], {"masked": [[0, 1]]}, "masked must be bool; got int64"),
        ([[1.0, 2.0]], {"masked": [[True]]}, r"shape \(1, 2\); got \(1, 1\)"),
        ([[1.0, 2.0]], {"scale": "rainbow"}, "got rainbow"),
        ([[1.0, 2.0]], {"role": "z"}, "got z"),
        ([[1.0, 2.0]], {"domain": 0.0}, "must be positive and finite; got 0.0"),
        ([[1.0, 2.0]], {"domain": math.inf}, "must be positive and finite; got inf"),
    ],
)
def test_a_call_that_does_not_fit_names_the_rule_and_both_values(values, arguments, rule):
    with pytest.raises(ValueError, match=rule):
        face.grid("wrong", values, title="", labels=LABELS, **arguments)


def refuse(word: str) -> None:
    raise AssertionError(f"{word} is no JSON")


def sent_by_bed(side: int) -> dict[str, dict]:
    bed = AppTest.from_file(str(BED), default_timeout=60)
    bed.query_params["side"] = str(side)
    bed.run()
    assert not bed.exception
    protos = [element.proto for element in bed.get("bidi_component")]
    assert [proto.component_name for proto in protos].count("attention_lab_grid_library") == 1
    assert max(len(proto.js_content + proto.css_content + proto.html_content) for proto in protos[1:]) < 1000
    sent = [json.loads(proto.json, parse_constant=refuse) for proto in protos[1:]]
    return {
        shown["title"]: shown | {"bytes": len(proto.json)}
        for shown, proto in zip(sent, protos[1:], strict=True)
    }


@pytest.mark.parametrize("side", [1, 2, 11, 37, 613])
def test_every_kind_of_grid_is_sent_as_json_and_carries_no_drawing_code(side):
    sent = sent_by_bed(side)
    assert set(sent) == {
        "queries",
        "scores S = Q·Kᵀ",
        "masked",
        "weights",
        "odd numbers",
        "no colour",
        "nothing",
    }
    assert sent["odd numbers"]["texts"] == ["NaN", "∞", "−∞", "0", "0", "1e−12"]


def test_small_matrices_send_numbers_and_large_ones_one_byte_a_cell():
    small, large = sent_by_bed(8)["weights"], sent_by_bed(128)["weights"]
    assert len(small["exact"]) == len(small["texts"]) == 64
    assert "exact" not in large
    assert len(large["steps"]) == STEPS
    assert large["bytes"] < 128 * 128 * 4 / 3 + 128 * 40 + 5000


def test_a_pick_outside_the_matrix_is_no_pick():
    layout = picture.lay_out(np.zeros((2, 3)), None)
    names = face.Names(None, None, 1)
    for picked in (None, (2, 0), (0, 3), (-1, 0)):
        assert face._picked(np.zeros((2, 3)), layout, names, LABELS, picked) == {"picked": None}


def test_bars_rise_on_a_sequential_scale_alone():
    part = face.grid_part([[0.25, 1.0]], title="weights", labels=LABELS, scale="sequential", is_bars=True)
    assert part.data["is_bars"]
    assert part.data["texts"] == ["0.250", "1.00"]
    with pytest.raises(ValueError, match=r"sequential.*got diverging"):
        face.grid_part([[0.25]], title="scores", labels=LABELS, scale="diverging", is_bars=True)
