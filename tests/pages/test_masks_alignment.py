"""Causal masks from either corner as they stand on the page: the decoding case, more queries than keys, torch's own choice."""

import re

import numpy as np
import pytest
import torch

from attention_core.experiments.causal_corners import attend_by_torch, attend_from, compare_decoding
from dashboard.number_format import significant
from dashboard.panels.masks.alignment import snippet
from dashboard.panels.masks.model import name_queries
from dashboard.text import LANGUAGES
from dashboard.text import mask_alignment as words
from tests.pages.reading import dangers, drawings, hidden, labels, numbers, told, wrong_language


def opened(open_page, queries: object, keys: object, language: str = "en"):
    query = {"align_queries": str(queries), "align_keys": str(keys)}
    at = open_page("masks", lang=language, view="alignment", **query)
    assert not at.exception
    return at


def kept(at, corner: str) -> list[list[int]]:
    return (~hidden(drawings(at)[corner])).astype(int).tolist()


def answer_of(at) -> str:
    return "".join(piece["text"] for piece in drawings(at)["answer"]["lines"][0]["pieces"])


@pytest.mark.parametrize("language", LANGUAGES)
def test_M1_two_queries_on_five_keys_differ_by_corner(open_page, language: str) -> None:
    at = opened(open_page, 2, 5, language)
    assert kept(at, "top_left") == [[1, 0, 0, 0, 0], [1, 1, 0, 0, 0]]
    assert kept(at, "bottom_right") == [[1, 1, 1, 1, 0], [1, 1, 1, 1, 1]]
    assert np.allclose(numbers(drawings(at)["bottom_right"]), [[0.25] * 4 + [0], [0.2] * 5])
    assert drawings(at)["bottom_right"]["footer"] == ["[4.5, 2.25]", "[3.6, 3.6]"]
    assert np.allclose(numbers(drawings(at)["torch"]), [[3, 0], [1.5, 1.5]])
    said = "\n".join(told(at))
    fields = {"queries": 2, "cached": 3, "left_keys": 2, "keys": 5, "lost": 6}
    assert words.FEWER.say(language, **fields, left="[1.5, 1.5]", right="[3.6, 3.6]") in said
    assert words.TORCH_SAID.say(language, corner=words.NAMES["top_left"].say(language)) in said
    assert torch.__version__ in said
    assert not wrong_language(at, language)
    assert not list(dangers(at))


@pytest.mark.parametrize("language", LANGUAGES)
def test_M1_one_token_decoded_on_cached_keys_needs_the_bottom_right(open_page, language: str) -> None:
    at = opened(open_page, 1, 3, language)
    assert drawings(at)["top_left"]["footer"] == ["[3, 0]"]
    assert drawings(at)["bottom_right"]["footer"] == ["[3, 3]"]
    assert words.DECODE.say(language, keys=3, left="[3, 0]", right="[3, 3]") in "\n".join(told(at))
    left, right = compare_decoding(1, 3)
    answer = answer_of(at)
    for number in (left.at_once, left.by_token, right.at_once, right.by_token):
        assert significant(number) in answer
    assert words.ONLY_RIGHT.say(language) in answer
    assert max(right.at_once, right.by_token) < 1e-10 < 0.1 < min(left.at_once, left.by_token)


@pytest.mark.parametrize("language", LANGUAGES)
def test_M4_four_queries_on_two_keys_leave_the_first_two_blind(open_page, language: str) -> None:
    at = opened(open_page, 4, 2, language)
    seen = drawings(at)["bottom_right"]
    assert numbers(seen).tolist() == [[0, 0], [0, 0], [1, 0], [0.5, 0.5]]
    assert seen["dead"] == [0, 1]
    assert seen["footer"] == ["[0, 0]", "[0, 0]", "[3, 0]", "[1.5, 1.5]"]
    assert words.BLIND_SIGN.say(language) in told(at)
    fields = {"offset": "−2", "queries": name_queries([0, 1], language), "zeros": "[0, 0]", "keys": 2}
    assert words.MORE.say(language, **fields) in "\n".join(told(at))
    torch_says = numbers(drawings(at)["torch"])
    assert np.allclose(torch_says, attend_by_torch(4, 2).out.numpy())
    assert np.allclose(torch_says, attend_from("top_left", 4, 2).out.numpy())


def test_M1_both_corners_are_one_where_the_numbers_agree(open_page) -> None:
    for side in (1, 4, 12):
        at = opened(open_page, side, side)
        assert kept(at, "top_left") == kept(at, "bottom_right") == np.tri(side, dtype=int).tolist()
        said = "\n".join(told(at))
        assert words.SAME.say("en", n=side) in said
        assert words.TORCH_EITHER.en in said
        expected = words.ONLY_ONE_TOKEN if side == 1 else words.ONLY_RIGHT
        assert expected.en in answer_of(at)


@pytest.mark.parametrize("language", LANGUAGES)
def test_M1_the_question_says_how_the_tokens_are_fed(open_page, language: str) -> None:
    for queries, keys, fed in ((1, 1, "single"), (4, 4, "all"), (5, 3, "all"), (1, 5, "last"), (2, 5, "few")):
        at = opened(open_page, queries, keys, language)
        new = min(queries, keys)
        feeds = words.FEEDS[fed].say(language, new=new)
        assert words.QUESTION.say(language, tokens=keys, seed=0, feeds=feeds) in told(at)
        for found in compare_decoding(new, keys):
            numbers_said = {name: significant(getattr(found, name)) for name in ("at_once", "by_token")}
            corner = words.NAMES[found.corner].say(language)
            assert words.ANSWER_EACH[fed].say(language, corner=corner, new=new, **numbers_said) in answer_of(
                at
            )
        assert words.CACHE.say(language) in told(at)
        assert (words.BLIND_SIGN.say(language) in told(at)) == (queries > keys)


def test_M1_english_counts_of_one_are_singular(open_page) -> None:
    several = re.compile(r"(?<![\w.−])1 (?:\w+ )?(?:queries|keys|tokens|rows|cells)\b|\bqueries 1\b(?!,)")
    for queries, keys in ((1, 1), (1, 2), (2, 1), (2, 3), (3, 2)):
        at = opened(open_page, queries, keys)
        assert [line for line in told(at) if several.search(line)] == []


def test_M1_presets_and_sliders_set_both_numbers(open_page) -> None:
    at = opened(open_page, 12, 1)
    assert drawings(at)["bottom_right"]["dead"] == list(range(11))
    for name, sides in {"decode": [1, 5], "chunk": [2, 5], "more": [4, 2], "square": [4, 4]}.items():
        at.button(key=f"align.{name}").click().run()
        assert not at.exception
        assert drawings(at)["top_left"]["sides"] == drawings(at)["bottom_right"]["sides"] == sides
    at.slider(key="masks.align_keys").set_value(12).run()
    assert drawings(at)["top_left"]["sides"] == [4, 12]


def test_M1_links_out_of_range_open_at_the_nearest(open_page) -> None:
    for queries, keys, sides in (
        (0, 99, [1, 12]),
        ("🐱", "<b>", [2, 5]),
        (-3, "1e9", [1, 12]),
        ("9" * 30, "", [12, 5]),
    ):
        at = opened(open_page, queries, keys)
        assert drawings(at)["top_left"]["sides"] == sides
        assert not list(dangers(at))


@pytest.mark.parametrize(("n_queries", "n_keys"), [(1, 1), (1, 5), (2, 5), (4, 2), (12, 12)])
def test_M1_the_code_gives_the_output_from_the_bottom_right(n_queries: int, n_keys: int) -> None:
    names: dict[str, object] = {}
    exec(snippet(n_queries, n_keys), names)
    torch.testing.assert_close(names["out"], attend_from("bottom_right", n_queries, n_keys).out)


def test_M1_the_code_on_the_page_is_the_code_that_is_tested(open_page) -> None:
    at = opened(open_page, 2, 5)
    assert [block.value.strip() for block in at.code] == [snippet(2, 5).strip()]
    at.session_state["is_open:open.source"] = True
    at.run()
    assert "def compare_decoding" in at.code[-1].value
    assert words.QUERIES.en in labels(at)
