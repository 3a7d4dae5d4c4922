"""Claim M6: the mask can be typed or pasted as a table; it is the same mask that clicks change and the link holds."""

import pytest

from attention_core.patterns import MAX_SIDE, PATTERNS
from dashboard.panels.masks.gallery_fields import MOST_CELLS
from dashboard.panels.masks.gallery_table import DRAFT, LONGEST, MOST_TYPED, write_table
from dashboard.text import LANGUAGES
from dashboard.text import mask_gallery as words
from tests.pages.reading import dangers, drawings, wrong_language
from tests.pages.test_masks_gallery import by_loops, opened, press, said, shown, upload  # noqa: F401

CAUSAL = "1000\n1100\n1110\n1111"


def table(open_it, language: str = "en", **values: object):
    """The gallery with the table unfolded."""
    return press(open_it(language, **values), "gallery.table")


def box(at):
    return at.text_area(key="gallery.table.box")


def put(at, text: str):
    box(at).set_value(text).run()
    assert not at.exception
    return at


def buttons(at) -> set[str]:
    return {
        one.key.removeprefix("gallery.table.") for one in at.button if one.key.startswith("gallery.table.")
    }


def cells(at) -> tuple[tuple[int, int], ...]:
    return at.session_state["lesson:masks"]["gallery_cells"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_M6_the_table_clicks_and_the_link_are_one_mask(opened, language: str) -> None:  # noqa: F811
    at = table(opened, language, n=4, pattern="causal", cells="1.4~6.6")
    assert box(at).label == words.TABLE_BOX.say(language)
    assert box(at).value == "1001\n1100\n1110\n1111"
    put(at, "1000\n1100\n0110\n1110")
    assert shown(at).tolist() == [[1, 0, 0, 0], [1, 1, 0, 0], [0, 1, 1, 0], [1, 1, 1, 0]]
    assert cells(at) == ((2, 0), (3, 3), (5, 5)), "what was flipped beyond N stays"
    assert drawings(at)["mask"]["edited"] == [8, 15]
    assert "gallery_cells=3.1~4.4~6.6" in drawings(at)["address"]["query"].replace("%7E", "~")
    press(at, "gallery.remove.cells")
    assert box(at).value == CAUSAL
    assert not at.error
    assert not wrong_language(at, language)


@pytest.mark.parametrize(
    "typed",
    [
        "1 0 0/1 1 1/0 0 1",
        "[[1,0,0],[1,1,1],[0,0,1]]",
        ",0,1,2\n0,1,0,0\n1,1,1,1\n2,0,0,1",
        "１００\n１１１\n００１",
    ],
)
def test_M6_a_table_is_taken_however_it_is_written(opened, typed: str) -> None:  # noqa: F811
    at = put(table(opened, n=3, pattern="causal"), typed)
    assert shown(at).tolist() == [[1, 0, 0], [1, 1, 1], [0, 0, 1]]
    assert box(at).value == "100\n111\n001"
    assert DRAFT not in at.session_state


BAD_TABLES = {
    "1000\n1x00\n1110\n1111": (("line 2, column 2", "`x`"), "1000\n1100\n1110\n1111"),
    "1,0,0,0\n1,NaN,0,0\n0,1,1,0\n1,1,1,1": (("`NaN`",), "1000\n1100\n0110\n1111"),
    "1000\n10\n1110\n1111": (("(4) have different lengths",), "1000\n1000\n1110\n1111"),
    "1000\n0100\n1111": (("is 3 × 4 (rows × columns)",), "1000\n0100\n1111\n1111"),
    "": (("no cell in this table", "4 × 4"), CAUSAL),
    "1000\n1$00\n1<b>0\n1111": (("(4) have different lengths",), "1000\n1100\n1110\n1111"),
    "1 0 0 0/1 `$x$ 0 0/1 1 <b> 0/1 1 1 1": (("`` `$x$ ``",), CAUSAL),
    "🐱": (("`🐱`",), CAUSAL),
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_M6_what_is_no_table_is_named_kept_and_put_right(opened, language: str) -> None:  # noqa: F811
    at = table(opened, language, n=4, pattern="causal")
    for typed, (parts, nearest) in BAD_TABLES.items():
        put(at, typed)
        (error,) = at.error
        assert box(at).value == typed
        assert language == "zh" or all(part in error.value for part in parts), error.value
        assert shown(at).tolist() == by_loops(4, lambda i, j: j <= i)
        assert buttons(at) == {"box", "nearest", "drop"} - {"box"}
        assert not wrong_language(at, language)
        assert not list(dangers(at))
        press(at, "gallery.table.nearest")
        if nearest != box(at).value:
            pytest.fail(f"{typed!r}: {box(at).value!r}")
        assert not at.error
        at.session_state["lesson:masks"]["gallery_cells"] = ()
        at.run()


def test_M6_what_cannot_be_used_is_kept_on_other_pages_and_thrown_away_on_demand(opened) -> None:  # noqa: F811
    at = put(table(opened, n=4, pattern="causal"), "10\n1")
    at.button_group(key="masks.view").set_value("buffer").run()
    at.button_group(key="masks.view").set_value("gallery").run()
    assert box(at).value == "10\n1"
    press(at, "gallery.table.drop")
    assert box(at).value == CAUSAL
    assert not at.error


def test_M6_a_square_of_another_side_is_offered_its_side(opened) -> None:  # noqa: F811
    at = put(table(opened, n=4, pattern="causal", cells="6.6"), "11\n11")
    assert "is 2 × 2 (rows" in at.error[0].value
    assert buttons(at) == {"side", "drop"}
    press(at, "gallery.table.side")
    assert shown(at).tolist() == [[1, 1], [1, 1]]
    assert cells(at) == ((0, 1), (5, 5))
    put(at, "10000\n11000\n11100\n11110\n11111")
    at.number_input(key="masks.gallery_n").set_value(5).run()
    assert at.info[0].value == words.TABLE_WAITS.en
    press(at, "gallery.table.take")
    assert cells(at) == ((5, 5),)
    assert not at.info


def test_M6_more_cells_than_a_link_holds_become_a_mask_of_their_own(opened) -> None:  # noqa: F811
    at = table(opened, n=15, pattern="full", cells="20.20")
    typed = "\n".join(["0" * 15] * 15)
    put(at, typed)
    assert (
        f"differ from the pattern: 225; the link holds {MOST_CELLS} at most, 1 of which" in at.error[0].value
    )
    assert box(at).value == typed
    press(at, "gallery.table.own")
    assert not at.error
    assert not shown(at).any()
    assert "the mask comes from the table you typed" in said(at, "note")
    assert words.TYPED.en in at.caption[0].value or any(words.TYPED.en in one.value for one in at.caption)
    assert at.session_state["lesson:masks"]["gallery_pattern"] == "file"
    put(at, typed[:-1] + "1")
    assert cells(at) == ((14, 14), (19, 19))
    upload(at, "mine.csv", write_table(PATTERNS["causal"].make().build(15)).encode())
    assert shown(at).tolist() == by_loops(15, lambda i, j: j <= i and i + j < 28), "digits alone"


def test_M6_a_table_of_a_wide_mask_is_left_to_a_file(opened) -> None:  # noqa: F811
    at = table(opened, n=MOST_TYPED)
    assert len(box(at).value) == MOST_TYPED * (MOST_TYPED + 1) - 1 < LONGEST == box(at).max_chars
    at.number_input(key="masks.gallery_n").set_value(MAX_SIDE).run()
    assert not at.text_area
    assert words.TABLE_TOO_WIDE.say("en", most=MOST_TYPED, n=MAX_SIDE) in [one.value for one in at.caption]


def test_M6_a_table_and_another_n_may_come_in_one_moment(opened) -> None:  # noqa: F811
    at = table(opened, n=15, pattern="full")
    put(at, "\n".join(["0" * 15] * 15))
    press(at, "gallery.table.own")
    at.number_input(key="masks.gallery_n").set_value(16)
    put(at, "\n".join(["1" * 16] * 16))
    assert "15 × 15" in at.error[0].value
    assert at.session_state[DRAFT].startswith("1")


def test_M6_the_longest_text_is_answered(opened) -> None:  # noqa: F811
    at = put(table(opened, n=4, pattern="causal"), "1" * LONGEST)
    assert f"is 1 × {LONGEST}" in at.error[0].value
    assert "这张表有 1 行" in words_in_chinese(at)


def words_in_chinese(at) -> str:
    at.button_group(key="lang.choice").set_value("zh").run()
    assert not at.exception
    return at.error[0].value


def test_M6_one_token_can_be_typed_too(opened) -> None:  # noqa: F811
    at = put(table(opened, n=1, pattern="full"), "0")
    assert shown(at).tolist() == [[0]]
    assert words.ONLY_TOKEN[False, True].en in said(at)
