"""Claim H4 as it stands on the page: four faults keep the shape and change the numbers; which check catches which."""

import math

import numpy as np
import pytest
import torch

from attention_core.experiments.blind_rows import PENALTY
from attention_core.experiments.reshape_faults import TOLERANCE, compare_faults
from dashboard.number_format import significant
from dashboard.panels.heads.fault_model import SHOWN
from dashboard.panels.heads.fields import head_fields
from dashboard.text import LANGUAGES
from dashboard.text import head_faults as words
from tests.pages.reading import dangers, drawings, hidden, levels, numbers, told, wrong_language

COLUMNS = ("difference", "leak", "reach", "items", "literal", "sums", "trip")
# What catches each, at sizes above 1: worked out from what each fault does.
CAUGHT = {
    "right": set(),
    "split_by_view": {"leak", "literal", "trip"},
    "merge_without_transpose": {"leak", "literal", "trip"},
    "heads_before_batch": {"items", "literal", "trip"},
    "softmax_over_heads": {"leak", "sums"},
    "viewed_both_ways": {"reach", "literal"},
}


@pytest.fixture
def opened(look_at):
    def open_it(language="en", *, is_touched=False, **fields):
        named = {f"faults_{name}": value for name, value in ({"way": "split_by_view"} | fields).items()}
        return look_at("heads", is_touched=is_touched, lang=language, view="faults", **named)

    return open_it


def records(
    *, seed: int = 0, batch: int = 2, n: int = 5, d_model: int = 6, h: int = 3, **rest: object
) -> dict:
    generator = torch.Generator().manual_seed(seed)
    sizes = {"batch": batch, "n": n, "d_model": d_model, "n_heads": h}
    return {record.way: record for record in compare_faults(**sizes, generator=generator, ways=SHOWN, **rest)}


def marked(drawing: dict) -> set[tuple[int, int]]:
    return {divmod(place, drawing["columns"]) for place in drawing["marked"]}


def whole(drawing: dict) -> list[list[int]]:
    return np.array([int(text) for text in drawing["texts"]]).reshape(drawing["sides"]).tolist()


def caught_cells(at) -> dict[str, set[str]]:
    """By way, the checks whose cell is framed and says so."""
    table = drawings(at)["checks"]
    texts = np.array(table["texts"]).reshape(table["sides"])
    framed = marked(table)
    found: dict[str, set[str]] = {way: set() for way in SHOWN}
    for row, way in enumerate(SHOWN):
        for column, check in enumerate(COLUMNS):
            says = texts[row, column].startswith("caught")
            assert says == ((row, column) in framed)
            if says:
                found[way].add(check)
    return found


def answer_of(at) -> str:
    return drawings(at)["answer"]["lines"][0]["pieces"][0]["text"]


def test_H4_a_split_by_view_gives_head_1_the_first_position_whole(opened) -> None:
    drawn = drawings(opened(way="split_by_view"))
    # x = [[0, 1, 2, 3], [4, 5, 6, 7]], heads one under the other.
    assert whole(drawn["hand.right"]) == [[0, 1], [4, 5], [2, 3], [6, 7]]
    assert whole(drawn["hand.wrong"]) == [[0, 1], [2, 3], [4, 5], [6, 7]]
    assert marked(drawn["hand.wrong"]) == {(1, 0), (1, 1), (2, 0), (2, 1)}
    assert not marked(drawn["hand.right"])
    assert drawn["hand.right"]["row_names"] == ["1·1", "1·2", "2·1", "2·2"]
    assert drawn["hand.right"]["words"]["row"] == "head·position"
    assert whole(drawn["hand.given"]) == [[0, 1, 2, 3], [4, 5, 6, 7]]
    assert not drawn["hand.given"]["row_names"], "a position names itself"


@pytest.mark.parametrize("way", [way for way in words.WAYS if way != "softmax_over_heads"])
def test_H4_each_number_by_hand_has_the_colour_of_its_head_wherever_it_lands(opened, way: str) -> None:
    drawn = drawings(opened(way=way))
    # Columns 1 and 2 of x are head 1's; 0 to 7 are the first item, 8 to 15 the second.
    shades: dict[tuple[bool, bool], set[int]] = {}
    for name in ("hand.given", "hand.right", "hand.wrong"):
        for text, level in zip(drawn[name]["texts"], levels(drawn[name]).flatten().tolist(), strict=True):
            shades.setdefault((int(text) % 4 < 2, int(text) < 8), set()).add(level)
        assert not drawn[name]["ends"], "colours are no numbers here"
    assert all(len(found) == 1 for found in shades.values())
    assert len(set.union(*shades.values())) == len(shades) == (4 if way == "heads_before_batch" else 2)
    assert all((level > 125) == is_first for (is_first, _), (level,) in shades.items())
    assert ([0, 1, 2, 3] in whole(drawn["hand.given"])) == (way != "merge_without_transpose")


def test_H4_a_merge_without_transpose_joins_positions(opened) -> None:
    drawn = drawings(opened(way="merge_without_transpose"))
    assert whole(drawn["hand.right"]) == [[0, 1, 2, 3], [4, 5, 6, 7]]
    assert whole(drawn["hand.wrong"]) == [[0, 1, 4, 5], [2, 3, 6, 7]]
    assert marked(drawn["hand.wrong"]) == {(0, 2), (0, 3), (1, 0), (1, 1)}


def test_H4_heads_before_batch_lay_another_item_where_head_2_belongs(opened) -> None:
    drawn = drawings(opened(way="heads_before_batch"))
    assert whole(drawn["hand.right"])[2:4] == [[2, 3], [6, 7]]
    assert whole(drawn["hand.wrong"])[2:4] == [[8, 9], [12, 13]]
    record = records()["heads_before_batch"]
    assert numbers(drawn["items"]).tolist() == record.moved_items.tolist()
    assert marked(drawn["items"]) == {(0, 1), (1, 0)}
    assert drawn["hand.right"]["row_names"][4] == "2·1·1"
    drawn = drawings(opened(way="heads_before_batch", h=1))
    assert not marked(drawn["items"])
    assert hidden(drawn["items"]).tolist() == [[False, True], [True, False]]


def test_H4_softmax_over_heads_shows_rows_that_sum_to_anything(opened) -> None:
    at = opened(way="softmax_over_heads")
    drawn, record = drawings(at), records()["softmax_over_heads"]
    assert drawn["hand.right"]["footer"] == ["1.00"] * 5
    sums = record.weights[0, 0].sum(dim=-1)
    assert drawn["hand.wrong"]["footer"] == [significant(float(one)) for one in sums]
    # A hidden pair is hidden in each of the three heads.
    assert np.allclose(numbers(drawn["hand.wrong"])[0, 1:], 1 / 3)
    # 2 items of 5 rows, 6 wide: only the last row of each has no hidden pair.
    said = words.INFINITE.say("en", nan=2 * 4 * 6, all=60)
    assert said in told(at)
    assert records(penalty=-math.inf)["softmax_over_heads"].n_nan == 48


def test_H4_one_number_that_is_none_is_counted_as_one(opened) -> None:
    at = opened(way="softmax_over_heads", batch=1, n=2, d_model=1, h=1)
    assert any("NaN among the numbers of the output: 1 of 2." in line for line in told(at))


def test_H4_help_and_note_say_what_holds() -> None:
    for name, text in (("batch", words.BATCH_HELP), ("n", words.N_HELP), ("d_model", words.D_MODEL_HELP)):
        field = head_fields("en")[f"faults_{name}"]
        assert f"{field.lowest} to {field.highest}" in text.en
        assert f"{field.lowest} 到 {field.highest}" in text.zh
    assert significant(PENALTY) == "−1e9"
    for language in LANGUAGES:
        assert "−1e9" in words.NOTE.say(language, seed=0)


def test_H4_softmax_over_one_head_gives_every_key_all_of_it(opened) -> None:
    drawn = drawings(opened(way="softmax_over_heads", h=1))
    assert (numbers(drawn["hand.wrong"]) == 1).all()
    assert drawn["hand.wrong"]["footer"] == ["5.00"] * 5


@pytest.mark.parametrize("language", LANGUAGES)
def test_H4_both_outputs_and_maps_are_the_cores_for_each_way(opened, language: str) -> None:
    found, lower = records(), np.tri(5, dtype=bool)
    for way in words.WAYS:
        at = opened(language, way=way)
        drawn, record = drawings(at), found[way]
        for side, one in (("right", found["right"]), ("wrong", record)):
            assert numbers(drawn[f"out.{side}"]).tolist() == one.out[0].tolist()
        moved = numbers(drawn["reach"])
        assert moved.tolist() == record.moved.tolist()
        assert marked(drawn["reach"]) == set(map(tuple, np.argwhere((moved > TOLERANCE) != lower)))
        assert (hidden(drawn["reach"]) == ~(lower | (moved > TOLERANCE))).all()
        assert drawn["out.right"]["ends"] == drawn["out.wrong"]["ends"]
        differs = {"shape": "[2, 5, 6]", "first": significant(record.first_difference)}
        assert words.DIFFERS.say(language, **differs, all=significant(record.out_difference)) in told(at)
        assert not wrong_language(at, language)
        assert not list(dangers(at))
    assert not marked(drawings(opened(h=1))["reach"]), "with one head nothing is wrong"


def test_H4_the_table_says_what_catches_what_and_the_shape_never_does(opened) -> None:
    at, found = opened(), records()
    assert caught_cells(at) == CAUGHT
    table = drawings(at)["checks"]
    assert table["footer"] == ["[2, 5, 6]"] + ["[2, 5, 6] missed"] * 5
    texts = np.array(table["texts"]).reshape(table["sides"])
    for row, way in enumerate(SHOWN):
        record, of = found[way], dict(zip(COLUMNS, texts[row], strict=True))
        assert of["difference"] == significant(record.out_difference)
        for check, number in (
            ("leak", record.leak),
            ("items", record.mixing),
            ("sums", record.sums_difference),
        ):
            assert of[check].split(" ")[1] == significant(number)
        assert of["reach"].split(" ")[1] == str(record.n_unreached)
    assert texts[0, 1:].tolist()[0] == "passes 0"
    assert [float(text) for text in table["exact"][7:9]] == [
        found[SHOWN[1]].out_difference,
        found[SHOWN[1]].leak,
    ]


def test_H4_a_file_of_the_table_names_the_ways_and_nothing_else(opened) -> None:
    for way in words.WAYS:
        table = drawings(opened(way=way))["checks"]
        assert table["row_names"] == [words.RIGHT.en, *(text.en for text in words.WAYS.values())]


def test_H4_the_round_trip_hides_both_views(opened) -> None:
    for language in LANGUAGES:
        fails, passes = {"en": ("fails", "passes"), "zh": ("不通过", "通过")}[language]
        said = words.ROUND_TRIPS.say(language, split=fails, merge=fails, both=passes)
        for way in words.WAYS:
            assert said in told(opened(language, way=way))


@pytest.mark.parametrize(
    ("size", "harmless"),
    [
        ({"h": 1}, ("split_by_view", "merge_without_transpose", "heads_before_batch", "viewed_both_ways")),
        ({"n": 1}, ("split_by_view", "merge_without_transpose", "viewed_both_ways")),
        ({"batch": 1}, ("heads_before_batch",)),
    ],
)
def test_H4_a_size_of_1_leaves_only_the_literal(opened, size: dict, harmless: tuple[str, ...]) -> None:
    at = opened(way=harmless[0], **size)
    found = caught_cells(at)
    assert {way for way in SHOWN if found[way] == {"literal"}} == set(harmless)
    (letter,) = {"h": "h = 1", "n": "N = 1", "batch": "B = 1"}[next(iter(size))].splitlines()
    record = records(**size)[harmless[0]]
    fields = {"shape": str(list(record.shape)), "all": significant(record.out_difference), "sizes": letter}
    assert words.HARMLESS.say("en", **fields) in told(at)


def test_H4_the_question_is_counted_from_the_table(opened) -> None:
    assert answer_of(opened()).startswith("These do: leak + by hand; by hand + row sums.")
    assert answer_of(opened(n=1)).startswith("These do: by hand + row sums.")
    at = opened(n=1, h=1, way="softmax_over_heads")
    assert answer_of(at) == words.ANSWER_NONE.say("en", ways="softmax over heads")
    assert words.CATCHES_NOT.en in told(at)
    assert words.INFINITE_NONE.en in told(at)


@pytest.mark.parametrize("way", words.WAYS)
def test_H4_the_wrong_line_stands_over_the_right_one(opened, way: str) -> None:
    lines = told(opened(way=way))[1:]
    expected = {
        "split_by_view": ["x.view(B, H, N, d_k)", "x.view(B, N, H, d_k).transpose(1, 2)"],
        "merge_without_transpose": [
            "heads.reshape(B, N, H * d_v)",
            "heads.transpose(1, 2).reshape(B, N, H * d_v)",
        ],
        "heads_before_batch": [
            "x.view(B, N, H, d_k).permute(2, 0, 1, 3).reshape(H * B, N, d_k)",
            "x.view(B, N, H, d_k).permute(0, 2, 1, 3).reshape(B * H, N, d_k)",
        ],
        "softmax_over_heads": ["masked.softmax(dim=1)", "masked.softmax(dim=-1)"],
    }
    expected["viewed_both_ways"] = expected["split_by_view"] + expected["merge_without_transpose"]
    names = ["wrong: ", "right: "] * (len(expected[way]) // 2)
    assert lines[: len(names)] == [name + line for name, line in zip(names, expected[way], strict=True)]


@pytest.mark.parametrize("language", LANGUAGES)
def test_H4_heads_that_do_not_fit_are_named_and_the_nearest_offered(opened, language: str) -> None:
    at = opened(language, h=4, d_model=6, is_touched=True)
    (error,) = [element.value for element in at.error]
    assert "6 ÷ 4" in error
    assert "checks" not in drawings(at)
    assert not wrong_language(at, language)
    assert at.slider(key="heads.faults_h").value == 4
    offered = {button.key for button in at.button if button.key.startswith("take.")}
    assert offered == {f"take.faults_{one}" for one in ("h.3", "h.6", "d_model.4", "d_model.8")}
    at.button(key="take.faults_d_model.8").click().run()
    assert not at.error
    assert drawings(at)["out.wrong"]["sides"] == [5, 8]


def test_H4_extremes_and_bad_links_are_shown(opened) -> None:
    for fields in (
        {"batch": 4, "n": 8, "d_model": 24, "h": 8, "seed": 9999},
        {"batch": 1, "n": 1, "d_model": 1, "h": 1},
        {"batch": 10**9, "n": "🐱", "d_model": "$", "h": "nan", "way": "<b>", "seed": "-1"},
    ):
        at = opened(**fields)
        assert not list(dangers(at))
        assert drawings(at)["checks"]["sides"] == [6, 7]
    assert len(at.warning) == 6
    assert drawings(at)["checks"]["footer"][0] == "[4, 5, 6]"
    assert levels(drawings(at)["out.wrong"]).shape == (5, 6)


def test_H4_the_code_that_ran_is_on_the_page(opened) -> None:
    at = opened(is_touched=True)
    at.session_state["is_open:open.source"] = True
    at.run()
    assert not at.exception
    for name in ("def compare_faults", "def split_by_view", "def weigh_over_heads", "def merge_folded"):
        assert name in at.code[-1].value


def test_H4_controls_change_the_picture_and_the_link(opened) -> None:
    at = opened(is_touched=True)
    at.slider(key="heads.faults_h").set_value(2).run()
    at.slider(key="heads.faults_n").set_value(4).run()
    query = drawings(at)["address"]["query"]
    assert "faults_h=2" in query
    assert "faults_n=4" in query
    assert drawings(at)["out.wrong"]["sides"][0] == 4
