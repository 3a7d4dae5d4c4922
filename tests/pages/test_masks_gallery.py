"""Claim M6 as it stands on the page: patterns of masks, joined, drawn and uploaded; what they allow and reach."""

import base64
import re

import numpy as np
import pytest
import torch

from attention_core.mask_csv import MAX_CSV_BYTES, read_mask_csv, write_mask_csv
from attention_core.mask_facts import causal_window_field, layers_until, measure_mask, reach
from attention_core.patterns import PATTERNS
from dashboard.controls import State
from dashboard.grid.bench import Part
from dashboard.grid.picture import HIDDEN, as_csv
from dashboard.panels.masks import gallery_upload
from dashboard.panels.masks.fields import mask_fields
from dashboard.panels.masks.gallery import field_part, mask_part
from dashboard.panels.masks.gallery_fields import MOST_CELLS, Cells
from dashboard.panels.masks.gallery_model import draw_mask, flip
from dashboard.text import LANGUAGES
from dashboard.text import mask_gallery as words
from tests.pages.reading import CHINESE, dangers, drawings, hidden, numbers, told, wrong_language

MOST_BYTES = 400_000


@pytest.fixture
def opened(open_page):
    """A function that opens the gallery with values of its fields, without the word that they begin with."""

    def open_it(language: str = "en", **values: object):
        given = {
            f"gallery{name}" if name[0] == "2" else f"gallery_{name}": str(v) for name, v in values.items()
        }
        at = open_page("masks", lang=language, view="gallery", **given)
        assert not at.exception
        return at

    return open_it


def state_of(**values: object) -> State:
    state = State("masks", mask_fields("en"))
    state.values.update({name: field.default for name, field in state.fields.items()}, lang="en", **values)
    return state


def shown(at, name: str = "mask") -> np.ndarray:
    """The matrix on the screen; what is 0 must look hidden, and nothing else."""
    drawing = drawings(at)[name]
    assert (hidden(drawing) == (numbers(drawing) == 0)).all()
    assert drawing["texts"] == [f"{bit:.0f}" for bit in numbers(drawing).ravel()]
    return numbers(drawing).astype(int)


def said(at, name: str | None = None) -> str:
    if name is None:
        return "\n".join(told(at))
    lines = drawings(at)[name]["lines"]
    return "\n".join("".join(piece["text"] for piece in line["pieces"]) for line in lines)


def by_loops(n: int, allows) -> list[list[int]]:
    return [[int(allows(query, key)) for key in range(n)] for query in range(n)]


def above(at, key: str) -> str:
    """What is said directly above a button."""

    def walk(block) -> list:
        return [
            one
            for child in block.children.values()
            for one in (walk(child) if hasattr(child, "children") else [child])
        ]

    elements = walk(at.main)
    place = next(n for n, one in enumerate(elements) if getattr(one, "key", None) == key)
    return elements[place - 1].value


def press(at, key: str):
    next(button for button in at.button if button.key == key).click().run()
    assert not at.exception
    return at


def upload(at, name: str, data: bytes):
    at.file_uploader[0].set_value((name, data, "text/csv")).run()
    assert not at.exception
    return at


@pytest.mark.parametrize(
    ("values", "pairs", "dense", "useful", "largest"),
    [
        ({"pattern": "causal", "n": 1024}, "524,800 of 1,048,576", "268,435,456", "134,348,800", 1024),
        ({"pattern": "full", "n": 1024}, "1,048,576 of 1,048,576", "268,435,456", "268,435,456", 1024),
        ({"n": 1024}, "3,069 of 1,048,576", "268,435,456", "785,664", 3),
        ({"n": 12, "pattern": "causal", "d_k": 1, "d_v": 2}, "78 of 144", "864", "468", 12),
    ],
)
def test_M6_pairs_and_flops_are_those_worked_by_hand(opened, values, pairs, dense, useful, largest) -> None:
    text = said(opened(**values), "facts")
    assert f"Allowed pairs: {pairs}," in text
    assert (
        f"takes {dense} FLOPs (additions and multiplications of floats), the allowed ones alone {useful}:"
        in text
    )
    assert f"keys in the largest row: {largest}." in text
    assert words.ALL_SEE.en in text
    if values["n"] == 12:
        assert "78 of 144, 54.2%" in text
        assert "throws 45.8% of its work away" in text
        assert "d_k = 1 and d_v = 2" in text


@pytest.mark.parametrize("language", LANGUAGES)
def test_M6_a_window_counts_itself_and_the_other_convention_stands_beside_it(opened, language: str) -> None:
    at = opened(language, n=6)
    assert drawings(at)["mask"]["footer"] == ["1", "2", "3", "3", "3", "3"]
    assert shown(at).sum(axis=1).tolist() == [1, 2, 3, 3, 3, 3]
    text = said(at, "said")
    assert "1, 2, 3, 3, 3, 3" in text
    assert "1, 2, 3, 4, 4, 4" in text
    assert not wrong_language(at, language)
    assert all(bool(CHINESE.search(line)) == (language == "zh") for line in told(at))
    both_sides = opened(language, n=6, window_is_causal=0)
    assert shown(both_sides).sum(axis=1).tolist() == [3, 4, 5, 5, 4, 3]
    assert "1, 2, 3, 4, 4, 4" not in said(both_sides), "the counts are those of a causal window"


LOOPS = {
    "banded": ({"banded_below": 2, "banded_above": 1}, lambda i, j: -2 <= j - i <= 1),
    "block": ({"block_size": 4}, lambda i, j: i // 4 == j // 4),
    "dilated": ({"dilated_width": 2, "dilated_dilation": 3}, lambda i, j: abs(i - j) in (0, 3)),
    "strided": ({"strided_stride": 4}, lambda i, j: j <= i and (i - j < 4 or (i - j) % 4 == 0)),
    "prefix": ({"prefix_length": 3}, lambda i, j: j < 3 or j <= i),
}


@pytest.mark.parametrize("name", LOOPS)
def test_M6_patterns_equal_plain_loops_around_the_size_of_a_block(opened, name: str) -> None:
    values, allows = LOOPS[name]
    at = opened(pattern=name, n=3, **values)
    for n in (3, 4, 5, 9):
        at.number_input(key="masks.gallery_n").set_value(n).run()
        assert shown(at).tolist() == by_loops(n, allows)
        assert f"{sum(map(sum, by_loops(n, allows)))} of {n * n}," in said(at, "facts")


def test_M6_patches_of_an_image_and_tokens_beyond_it(opened) -> None:
    at = opened(pattern="patches", n=11, patches_height=3, patches_width=3)
    near = by_loops(11, lambda i, j: max(i, j) < 9 and max(abs(i // 3 - j // 3), abs(i % 3 - j % 3)) <= 1)
    assert shown(at).tolist() == near
    assert shown(at).sum(axis=1).tolist() == [4, 6, 4, 6, 9, 6, 4, 6, 4, 0, 0]
    assert "Tokens that see nothing: 2 (10, 11)" in said(at, "facts")
    assert "Tokens that nobody sees: 2 (10, 11)" in said(at, "facts")
    assert "Patches in the image: 9; tokens: 11. Tokens outside the image: 2;" in above(
        at, "gallery.take.image"
    )
    assert "Patches in the image" not in said(at), "it is said once"
    press(at, "gallery.take.image")
    assert shown(at).shape == (9, 9)
    assert words.ALL_SEE.en in said(at)
    assert not [button for button in at.button if button.key == "gallery.take.image"]


def test_M6_two_patterns_are_joined(opened) -> None:
    window, first = (lambda i, j: i - 2 <= j <= i), (lambda i, j: i < 1 or j < 1)
    for join, allows in {
        "or": lambda i, j: window(i, j) or first(i, j),
        "and": lambda i, j: window(i, j) and first(i, j),
        "and_not": lambda i, j: window(i, j) and not first(i, j),
    }.items():
        at = opened(n=7, join=join)
        assert shown(at).tolist() == by_loops(7, allows)
        assert words.JOINED[join].en in said(at)
        assert "formula" not in said(at), "a joined mask is no causal window"
    same_kind = opened(n=7, join="and_not", second="window", **{"2_window_width": 2})
    assert shown(same_kind).tolist() == by_loops(7, lambda i, j: i - j == 2)
    assert "Tokens that see nothing: 2 (1, 2)" in said(same_kind)


@pytest.mark.parametrize("has_residual", [1, 0])
def test_M6_the_field_of_a_causal_window_grows_by_w_minus_1_and_is_capped(opened, has_residual: int) -> None:
    at = opened(window_width=4, n=12, layers=1, residual=has_residual)
    for layers in (1, 2, 3, 4, 12):
        at.slider(key="masks.gallery_layers").set_value(layers).run()
        by_hand = layers * 3 + 1
        assert causal_window_field(4, layers) == by_hand
        sizes = [min(row + 1, by_hand) for row in range(12)]
        assert drawings(at)["field"]["footer"] == [str(size) for size in sizes]
        assert shown(at, "field").sum(axis=1).tolist() == sizes
        assert f"may depend on {sizes[-1]} of 12 inputs" in said(at)
        assert f"= {layers} · (4 − 1) + 1 = {by_hand}; with N = 12 it is {sizes[-1]} at most" in said(at)
        assert f"Counted: {sizes[-1]}." in said(at)
    assert words.WALK[bool(has_residual)].en in said(at)
    assert words.WALK[not has_residual].en not in said(at)


def test_M6_the_residual_keeps_a_token_that_does_not_see_itself(opened) -> None:
    values = {"pattern": "global_tokens", "n": 5, "layers": 1}
    kept, lost = (shown(opened(**values, residual=has), "field") for has in (1, 0))
    allowed = PATTERNS["global_tokens"].make(count=1).build(5)
    assert kept.tolist() == reach(allowed, 1, has_residual=True).int().tolist()
    assert kept.diagonal().tolist() == [1, 1, 1, 1, 1]
    assert lost.diagonal().tolist() == [1, 0, 0, 0, 0]


@pytest.mark.parametrize(
    ("values", "answer"),
    [
        ({"n": 12}, "6 at least"),
        ({"n": 512}, "256 at least"),
        ({"n": 12, "pattern": "causal"}, "1 at least"),
        ({"n": 12, "pattern": "block"}, words.ANSWER_NEVER.en),
        ({"n": 12, "pattern": "strided", "strided_stride": 4}, "2 at least"),
        ({"n": 12, "join": "or", "second": "global_tokens"}, "1 at least"),
        ({"n": 1, "pattern": "full"}, words.ANSWER_ONE.en),
        ({"n": 1, "pattern": "full", "cells": "1.1"}, words.ANSWER_ONE.en),
        ({"n": 1, "pattern": "full", "cells": "1.1", "residual": 0}, words.ANSWER_ONE_NEVER.en),
    ],
)
def test_M6_the_question_is_answered_by_counting(opened, values, answer: str) -> None:
    text = said(opened(**values), "answer")
    assert text.startswith(answer)
    if values == {"n": 12}:
        assert "the way is 11: 11 ÷ 2, rounded up" in text
        assert layers_until(PATTERNS["window"].make().build(12), 11, 0, has_residual=True) == 6


def test_M6_cells_are_flipped_by_hand_kept_in_the_link_and_taken_back(opened) -> None:
    at = opened(n=4, pattern="causal", cells="1.4~2.1~5.5")
    expected = [[1, 0, 0, 1], [0, 1, 0, 0], [1, 1, 1, 0], [1, 1, 1, 1]]
    assert shown(at).tolist() == expected
    assert drawings(at)["mask"]["edited"] == [3, 4]
    assert "Cells that you flipped: 3 (200 at most)" in said(at)
    assert "Beyond N = 4 and back with a larger N: 1 of them" in said(at)
    press(at, "gallery.remove.cells")
    assert shown(at).tolist() == by_loops(4, lambda i, j: j <= i)
    assert not [button for button in at.button if button.key == "gallery.remove.cells"]


def test_M6_a_pick_flips_a_cell_and_flips_it_back_up_to_200() -> None:
    state = state_of(gallery_n=20, gallery_pattern="causal")

    def pick(row: int, column: int) -> torch.Tensor:
        part = mask_part(state, draw_mask(state, None), is_alone=False)
        assert part.data["is_pickable"]
        part.hear("pick", {"row": row, "column": column})
        return draw_mask(state, None).allowed

    assert pick(0, 19)[0, 19]
    assert state["gallery_cells"] == ((0, 19),)
    assert not pick(0, 19)[0, 19]
    assert state["gallery_cells"] == ()
    for place in range(MOST_CELLS + 5):
        flip(state, *divmod(place, 20))
    assert len(state["gallery_cells"]) == MOST_CELLS == 200
    flip(state, 0, 0)
    assert len(state["gallery_cells"]) == MOST_CELLS - 1
    field = state.fields["gallery_cells"]
    assert field.read(field.write(state["gallery_cells"])) == (state["gallery_cells"], None)
    assert state.left_out() == ()


def test_M6_the_link_of_cells_takes_anything() -> None:
    field = Cells(3, 10)
    for raw, cells, problem in (
        ("", (), None),
        ("1.1", ((0, 0),), None),
        ("1.1~1.1", ((0, 0),), "repeated"),
        ("0.1~11.1~10.10", ((9, 9),), "out_of_range"),
        ("a~1.2.3~２.2~-1.1~2.1", ((1, 0),), "malformed"),
        ("1.1~1.2~1.3~1.4~1.5", ((0, 0), (0, 1), (0, 2)), "too_long"),
        ("9" * 8000, (), "malformed"),
    ):
        assert field.read(raw) == (cells, problem)


@pytest.mark.parametrize("name", PATTERNS)
def test_M6_a_bound_at_the_side_hides_no_mask(name: str) -> None:
    """The sliders end at N unless the reader gave more: a larger whole number makes the same mask."""
    whole = [p for p in PATTERNS[name].parameters if type(p.default) is int and p.name != "seed"]
    for parameter in whole:
        largest, at_side = (
            PATTERNS[name].make(**{parameter.name: v}).build(7) for v in (parameter.highest, 7)
        )
        assert torch.equal(largest, at_side)


def test_M6_a_parameter_beyond_the_side_is_kept_for_a_larger_one(opened) -> None:
    at = opened(n=4, pattern="block", block_size=6)
    assert (at.slider[0].value, at.slider[0].max) == (6, 6)
    assert shown(at).all()
    at.number_input(key="masks.gallery_n").set_value(8).run()
    assert (at.slider[0].value, at.slider[0].max) == (6, 8)
    assert shown(at).tolist() == by_loops(8, lambda i, j: i // 6 == j // 6)


def test_M6_parameters_are_bounded_by_their_record_and_the_side(opened) -> None:
    at = opened(n=9)
    for name, choice in PATTERNS.items():
        at.selectbox(key="masks.gallery_pattern").set_value(name).run()
        sliders = {slider.key: slider for slider in at.slider}
        for parameter in choice.parameters:
            key = f"masks.gallery_{name}_{parameter.name}"
            if type(parameter.default) is int and parameter.name != "seed":
                assert (sliders[key].min, sliders[key].max) == (parameter.lowest, 9)
        expected = choice.make().build(9)
        assert shown(at).tolist() == expected.int().tolist()
        facts = measure_mask(expected, 64, 64)
        assert f"{facts.pairs} of 81," in said(at)
        assert f"{facts.useful_flops:,}" in said(at)


@pytest.mark.parametrize("language", LANGUAGES)
def test_M6_every_pattern_at_its_extremes(opened, language: str) -> None:
    at = opened(language, n=1, join="or", cells="1.1")
    for name in (*PATTERNS, "file"):
        at.selectbox(key="masks.gallery_pattern").set_value(name).run()
        assert not at.exception
        assert not at.error
        assert not wrong_language(at, language)
        if name != "file":
            assert shown(at).shape == (1, 1)
            assert all(bool(CHINESE.search(line)) == (language == "zh") for line in told(at))


@pytest.mark.parametrize("n", [360, 361, 512, 513, 2048])
def test_M6_no_message_is_larger_than_its_limit(opened, n: int) -> None:
    at = opened("zh", n=n, pattern="random", random_seed=2**31 - 1, cells="1.1~2.2")
    bench = [e.proto.json for e in at.get("bidi_component") if '"bench"' in e.proto.json[:2000]]
    assert len(bench) == 1
    assert 50_000 < len(bench[0]) <= MOST_BYTES
    assert ("field" in drawings(at)) == (n <= 512)
    mask = drawings(at)["mask"]
    assert mask["is_pickable"] == (n <= 360)
    assert mask["mode"] == ("pixels" if n <= 360 else "blocks")
    assert mask["rows"] == -(-n // mask["block"][0])
    if n > 512:
        assert f"{2 * n**3:,}" in said(at)


def test_M6_a_block_of_pixels_shows_a_pair_that_is_allowed(opened) -> None:
    at = opened(n=2048, pattern="block", block_size=1, cells="1.2048")
    mask = drawings(at)["mask"]
    levels = np.frombuffer(base64.b64decode(mask["levels"]), dtype=np.uint8).reshape(512, 512)
    expected = np.eye(512, dtype=bool)
    expected[0, 511] = True
    assert ((levels != HIDDEN) == expected).all()
    assert "2,049 of 4,194,304," in said(at)
    assert "may depend on 1 of 2048 inputs" in said(at)


def test_M6_files_go_out_and_come_back() -> None:
    state = state_of(gallery_n=40, gallery_pattern="random")
    drawn = draw_mask(state, None)
    part = mask_part(state, drawn, is_alone=False)
    assert torch.equal(read_mask_csv(part.offer.make(), 40, 40), drawn.allowed)
    reached = reach(drawn.allowed, 1, has_residual=False)
    assert torch.equal(read_mask_csv(field_part(state, reached).offer.make(), 40, 40), reached)
    # Of small ones the browser makes the file itself, as Python would, from the texts that it holds.
    small = draw_mask(state_of(gallery_n=5), None)
    texts = mask_part(state_of(gallery_n=5), small, is_alone=False).data["exact"]
    lines = as_csv(small.allowed.numpy(), None, None).replace("1.0", "1").replace("0.0", "0")
    assert texts == re.findall(r"(?<=,)[01](?=[,\r])", lines.split("\n", 1)[1])
    assert torch.equal(read_mask_csv(lines, 5, 5), small.allowed)


@pytest.mark.parametrize("language", LANGUAGES)
def test_M6_an_uploaded_mask_is_shown_and_lives_in_the_visit(opened, language: str) -> None:
    at = opened(language, pattern="file", n=3, cells="1.3")
    assert words.NO_FILE.say(language, limit="8.4 MB") in [info.value for info in at.info]
    assert 8.4e6 <= MAX_CSV_BYTES < 8.5e6
    assert "mask" not in drawings(at)
    upload(at, "<b>$x$ 🐱`.csv", b",a,b,c\nx,1,0,0\ny,true,FALSE,0\nz,0,1,1\n")
    assert shown(at).tolist() == [[1, 0, 1], [1, 0, 0], [0, 1, 1]]
    assert "<b>$x$ 🐱`.csv" in said(at, "note")
    assert any("``<b>$x$ 🐱`.csv``" in caption.value for caption in at.caption)
    assert not list(dangers(at))
    assert not at.error
    assert not wrong_language(at, language)
    at.selectbox(key="masks.gallery_pattern").set_value("full").run()
    at.selectbox(key="masks.gallery_pattern").set_value("file").run()
    assert shown(at)[2].tolist() == [0, 1, 1]
    upload(at, "joined.csv", b"1,0,0\n1,0,0\n0,1,1")
    at.button_group(key="masks.gallery_join").set_value("and_not").run()
    assert shown(at).tolist() == [[0, 0, 1], [0, 0, 0], [0, 1, 1]]


@pytest.mark.parametrize("language", LANGUAGES)
def test_M6_a_file_of_another_shape_is_refused_with_both_values_and_its_side_offered(
    opened, language
) -> None:
    at, asked = opened(language, pattern="file"), 12
    causal = write_mask_csv(PATTERNS["causal"].make().build(5))
    labelled = "".join(f"t{n},{line}\n" for n, line in enumerate(causal.splitlines()))
    for text in (causal, f"q,a,b,c,d,e\n{labelled}"):
        # Not the side that the button replaced: so soon afterwards that would be taken for an echo.
        asked += 1
        at.number_input(key="masks.gallery_n").set_value(asked).run()
        upload(at, "five.csv", text.encode())
        (error,) = at.error
        given = {"name": "`five.csv`", "n": asked, "rows": 5, "columns": 5}
        assert error.value == words.FAULTS["wrong_shape"].say(language, **given)
        assert "mask" not in drawings(at)
        press(at, "gallery.take.side")
        assert not at.error
        assert shown(at).tolist() == by_loops(5, lambda i, j: j <= i)


NUMBERED = ("0,1\n1,0\n1,1\n", ",0,1\n0,1,0\n1,1,1\n", '"","V1","V2"\n"1",1,0\n"2",1,1\n')


@pytest.mark.parametrize("n", [2, 3, 12])
@pytest.mark.parametrize("text", NUMBERED)
def test_M6_names_that_only_count_are_not_taken_for_cells(text: str, n: int) -> None:
    upload = gallery_upload.read_upload("pandas.csv", text.encode(), n)
    assert upload.fault is None
    assert upload.allowed.int().tolist() == [[1, 0], [1, 1]]


def test_M6_a_cell_that_is_wrong_is_named_whatever_side_is_asked_for() -> None:
    for n in (2, 3, 4, 12):
        upload = gallery_upload.read_upload("bad.csv", b"1,0,0\n0,NaN,0\n0,0,1", n)
        assert upload.fault == ("wrong_cell", (2, 2, "NaN"))


BAD_FILES = {
    b"1,0,0\n0,1,0\n": ("wrong_shape", ("3 × 3", "2 × 3 (rows")),
    b"1,0\n0,1,0\n1,1,1": ("ragged", ("(3) have different lengths",)),
    b"": ("empty", ("no cell in", "3 × 3")),
    b"\n , ,\n": ("empty", ("no cell in", "3 × 3")),
    b"1,0,0\n0,nan,0\n0,0,1\n": ("wrong_cell", ("line 2, column 2", "`nan`")),
    b"1,0,0\n0,0.5,0\n0,0,1\n": ("wrong_cell", ("`0.5`",)),
    b"1,0,0\n0,$x$,0\n0,<b>,1\n": ("wrong_cell", ("`$x$`",)),
    b"1,0,0\n0,\xff\xfe,0\n0,0,1\n": ("not_utf8", ("byte 9",)),
    b'1,0,"' + b"x" * 200_000: ("not_csv", ("Line 1",)),
    b"q,a,b,c,d\nt,1,0,0,0\nt,0,1,0,0\nt,0,0,1,0\nt,0,0,0,NaN": ("wrong_cell", ("line 5, column 5", "`NaN`")),
    b"1\n" * 3000: ("one_column", ("only one column was found (rows: 3000)",)),
    b'"V1" "V2"\n"1" 1 0\n"2" 1 1\n': ("ragged", ("(3) have different lengths",)),
    b"1.0,0.0,0.0\n1.0,1.0,0.0\n1,1,1": ("wrong_cell", ("line 1, column 1", "`1.0`")),
    b'"1,0,0\n1,1,0\n1,1,1': ("not_csv", ("Line 1 ",)),
    b'1,0,0\n"1,1,0\n1,1,1': ("not_csv", ("Line 2 ",)),
    b"1 0\n0 1\n1 1\n0 0\n1 1": ("wrong_shape", ("5 × 2 (rows",)),
}


def test_M6_what_is_no_mask_is_refused_by_name_in_both_languages(opened) -> None:
    for language in LANGUAGES:
        at = opened(language, pattern="file", n=3)
        for data, (kind, parts) in BAD_FILES.items():
            upload(at, "<i>.csv", data)
            (error,) = at.error
            start = words.FAULTS[kind].say(language, **dict.fromkeys(words.FAULTS[kind].fields("en"), 7))
            assert re.sub(r"`.*?`|[\d,.]+", "", error.value) == re.sub(r"`.*?`|[\d,.]+", "", start)
            assert "mask" not in drawings(at)
            assert not wrong_language(at, language)
            assert not list(dangers(at))
            if language == "en":
                assert all(part in error.value for part in parts)
        for place, good in enumerate((b"1,0,0\n0,1,0\n0,0,1\n", b'"1";"0";"0"\n"0";"1";"0"\n"0";"0";"1"')):
            upload(at, f"good{place}.csv", good)
            assert not at.error
            assert shown(at).tolist() == np.eye(3).tolist()


def test_M6_ten_megabytes_are_refused_before_they_are_read(opened, monkeypatch) -> None:
    at = opened(pattern="file", n=3)
    assert at.file_uploader[0].proto.max_upload_size_mb * 1024**2 < 10_000_000
    read = []
    monkeypatch.setattr(gallery_upload, "read_upload", lambda *given: read.append(given))
    upload(at, "huge.csv", b"1,0,0\n" * 1_700_000)
    (error,) = at.error
    assert "10,200,000 bytes" in error.value
    assert f"{MAX_CSV_BYTES:,}" in error.value
    assert not read
    assert "mask" not in drawings(at)


@pytest.mark.parametrize("language", LANGUAGES)
def test_M6_a_malformed_link_is_named_and_shown_anyway(opened, language: str) -> None:
    bad = {
        "pattern": "<script>",
        "n": "-5",
        "window_width": "nan",
        "layers": "-3",
        "residual": "maybe",
        "join": "xor",
        "cells": "0.0~x~1.1",
        "random_share": "1e999",
        "d_k": "0",
    }
    at = opened(language, **bad)
    assert len(at.warning) == 8, "as many notices as a link gets"
    assert not wrong_language(at, language)
    assert not list(dangers(at))
    values = at.session_state["lesson:masks"]
    assert (values["gallery_n"], values["gallery_pattern"], values["gallery_layers"]) == (
        1,
        "window",
        1,
    )
    assert (values["gallery_cells"], values["gallery_random_share"]) == (((0, 0),), 1.0)


def test_M6_the_code_shown_is_that_of_the_pattern(opened) -> None:
    at = opened(pattern="dilated", join="or", second="block")
    press(at, "open.source")
    code = "\n".join(element.value for element in at.code)
    for name in ("dilated", "block", "measure_mask", "reach", "layers_until"):
        assert f"def {name}(" in code
    at.selectbox(key="masks.gallery_pattern").set_value("prefix").run()
    assert "def prefix(" in "\n".join(element.value for element in at.code)


def test_M6_random_masks_tell_their_seed(opened) -> None:
    at = opened(pattern="random", random_seed=7, random_share=0.5)
    assert "seed 7" in said(at, "note")
    assert "chance 0.5" in said(at)
    assert shown(at).tolist() == PATTERNS["random"].make(share=0.5, seed=7).build(12).int().tolist()
    assert isinstance(mask_part(state_of(), draw_mask(state_of(), None), is_alone=False), Part)


def test_M6_what_is_said_of_one_pattern_holds_where_two_are_joined(opened) -> None:
    at = opened(pattern="patches", patches_height=2, patches_width=2, n=12, join="or", second="full")
    assert "Tokens outside the image: 8; in this pattern they see nobody" in above(at, "gallery.take.image")
    assert "144 of 144," in said(at)
    joined = {"join": "and", "second": "patches", "2_patches_height": 2, "2_patches_width": 2}
    at = press(opened(pattern="full", n=12, **joined), "gallery.take.image")
    assert shown(at).shape == (4, 4)
    at = opened(pattern="patches", n=12, **joined)
    assert not [button for button in at.button if button.key == "gallery.take.image"], "two images, two sides"
    assert "Patches in the image: 16; tokens: 12." in said(at)
    second = {"second": "window", "2_window_is_causal": 1, "2_window_width": 2}
    at = opened(pattern="full", n=4, join="and_not", **second)
    assert "this rule allows nothing that comes after" in said(at)


def test_M6_the_other_window_is_said_only_where_the_first_rows_differ(opened) -> None:
    assert "1, 2, 3, 4, 4, 4 keys instead of 1, 2, 3, 3, 3, 3" in said(opened(n=12))
    assert "keys instead of" not in said(opened(n=12, window_width=8))


@pytest.mark.parametrize(
    "data",
    [
        b"1 0 0\n1 1 0\n0 1 1",
        b"1\t0\t0\r\n1\t1\t0\r\n0\t1\t1\r\n",
        b"a;b;c\n1;0;0\n1;1;0\n0;1;1",
        b"100\n110\n011",
    ],
)
def test_M6_a_file_without_commas_is_read_as_the_table_would_be(opened, data: bytes) -> None:
    at = upload(opened(pattern="file", n=3), "spaces.txt", b"\xef\xbb\xbf" + data)
    assert not at.error
    assert shown(at).tolist() == [[1, 0, 0], [1, 1, 0], [0, 1, 1]]


def test_M6_the_largest_file_is_judged_by_its_own_bytes_and_one_typed_column_is_no_matter_of_commas() -> None:
    long = b"1" * (MAX_CSV_BYTES // 2 + 9)
    assert gallery_upload.with_commas(long) is long
    table = gallery_upload.read_upload(None, "1\n1\n0", 3)
    given = {"name": words.TABLE_NAME.en, "n": 3, "rows": 3, "columns": 1}
    assert gallery_upload.say_fault(table, 3, "en") == words.FAULTS["wrong_shape"].say("en", **given)


@pytest.mark.parametrize("n", [6, 40])
def test_M6_the_mark_before_a_row_is_explained_where_one_stands(opened, n: int) -> None:
    at = opened(pattern="block", n=n)
    for residual, cells, marked in ((1, "", ()), (1, "1.1", ("mask",)), (0, "1.1", ("mask", "field"))):
        at = opened(pattern="block", block_size=1, n=n, residual=residual, cells=cells)
        pictures = {name: drawings(at)[name] for name in words.MARKED}
        assert tuple(name for name, drawn in pictures.items() if drawn["dead"]) == marked
        for name, text in words.MARKED.items():
            assert (text.say("en", mark=words.MARKS[n == 6].en) in said(at, "note")) == (name in marked)
