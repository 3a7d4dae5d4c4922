"""What the gallery says agrees with the mask on the screen: every pattern, joined or not, flipped or not, of any N."""

import itertools
import re
from collections.abc import Iterator

import pytest
import torch

from attention_core.mask_facts import reach
from attention_core.patterns import PATTERNS
from dashboard.controls import State
from dashboard.panels.masks.gallery_model import Drawn, draw_mask
from dashboard.panels.masks.gallery_readings import facts, note, percent, question_parts, readings
from dashboard.text import LANGUAGES
from dashboard.text import mask_gallery as words
from tests.pages.test_masks_gallery import state_of

JOINS = (("alone", "full"), ("and", "random"), ("or", "patches"), ("and_not", "full"))
ONE_OF_MANY = re.compile(
    r"(?<![.,=−\d] )(?<!of )\b1 (cells|tokens|keys|inputs|layers|patches|rows|queries|lie|are)\b"
)


def flips(n: int) -> tuple[tuple[tuple[int, int], ...], ...]:
    """No cell, one, one inside and one beyond every side but the last, that one alone, the whole diagonal."""
    return (), ((0, 0),), ((n - 1, 0), (11, 11)), ((11, 11),), tuple((place, place) for place in range(n))


def cases(name: str) -> Iterator[tuple[State, Drawn, torch.Tensor]]:
    """Every way to join a pattern, of every size, flipped in every way; a state lasts until the next one."""
    for n, (join, second), has_residual in itertools.product((1, 2, 5, 12), JOINS, (True, False)):
        for cells in flips(n):
            given = {"pattern": name, "join": join, "second": second, "n": n, "cells": cells}
            given = {f"gallery_{key}": value for key, value in given.items()}
            state = state_of(**given, gallery_residual=has_residual)
            drawn = draw_mask(state, None)
            yield state, drawn, reach(drawn.allowed, 3, has_residual=has_residual)


def one_of(texts: dict, said: list[str]) -> list:
    return [key for key, text in texts.items() if text.en in said]


def check_note(name: str, state: State, said: str) -> None:
    """The note names rules, seeds and flips that are there, and no others."""
    is_joined = state["gallery_join"] != "alone"
    kinds = {name, state["gallery_second"]} if is_joined else {name}
    assert (words.NOTE_RULE.en in said) == (not is_joined)
    assert (words.NOTE_RULES.en in said) == is_joined
    assert ("seed" in said) == ("random" in kinds)
    inside = sum(max(cell) < state["gallery_n"] for cell in state["gallery_cells"])
    assert (words.NOTE_FLIPPED.say("en", count=inside) in said) == (inside > 0)
    assert ("flipped" in said) == (inside > 0)


def check_why(state: State, drawn: Drawn, reached: torch.Tensor, said: list[str]) -> None:
    """Why an input reaches an output is said as it is."""
    n, has_residual = state["gallery_n"], state["gallery_residual"]
    own, sees_itself = torch.eye(n, dtype=torch.bool), bool(drawn.allowed[0, 0])
    travels = bool((drawn.allowed & ~own).any())
    assert travels or not bool((reached & ~own).any())
    assert one_of(words.ONLY_TOKEN, said) == ([(sees_itself, has_residual)] if n == 1 else [])
    assert one_of(words.WALK, said) == ([has_residual] if travels else [])
    assert one_of(words.NO_WALK, said) == ([] if travels or n == 1 else [has_residual])
    assert (words.READ_FIELD.en in said) == (n > 1)
    if n == 1:
        assert bool(reached[0, 0]) == (sees_itself or has_residual)
    elif not travels:
        assert torch.equal(reached, own if has_residual else drawn.allowed)


def check_question(state: State, reached: torch.Tensor, said: list[str]) -> None:
    """With one token the question is about that token."""
    is_one = state["gallery_n"] == 1
    assert (words.QUESTION_ONE.en in said) == is_one
    answers = [words.ANSWER_ONE.en in said, words.ANSWER_ONE_NEVER.en in said]
    assert answers == ([bool(reached[0, 0]), not bool(reached[0, 0])] if is_one else [False, False])


@pytest.mark.parametrize("name", PATTERNS)
def test_M6_every_sentence_agrees_with_the_mask_on_the_screen(name: str) -> None:
    for state, drawn, reached in cases(name):
        at_top, said = note(state, drawn), readings(state, drawn, reached)
        check_note(name, state, at_top)
        check_why(state, drawn, reached, said)
        lines = [line for _, part in question_parts(state, drawn).values() for line in part.data["lines"]]
        check_question(state, reached, ["".join(piece["text"] for piece in line["pieces"]) for line in lines])
        for line in (at_top, *said, *facts(state, drawn)):
            assert not ONE_OF_MANY.search(line), line


@pytest.mark.parametrize(
    ("n", "height", "width", "radius", "has_runs"),
    [
        (16, 4, 4, 1, True),
        (4, 4, 4, 1, False),
        (5, 4, 4, 1, True),
        (9, 1, 9, 1, False),
        (9, 3, 3, 1, True),
        (4, 2, 2, 1, False),
        (16, 4, 4, 3, False),
        (16, 4, 4, 0, False),
        (12, 12, 1, 1, False),
        (30, 5, 6, 2, True),
    ],
)
def test_M6_runs_are_named_where_there_are_some(
    n: int, height: int, width: int, radius: int, has_runs
) -> None:
    values = {"height": height, "width": width, "radius": radius}
    given = {f"gallery_patches_{key}": value for key, value in values.items()}
    state = state_of(gallery_pattern="patches", gallery_n=n, **given)
    drawn = draw_mask(state, None)
    rows = ["".join(map(str, row)).strip("0") for row in drawn.allowed.int().tolist()]
    assert any("101" in re.sub("0+", "0", row) for row in rows) == has_runs
    for language in LANGUAGES:
        state.values["lang"] = language
        said = readings(state, drawn, reach(drawn.allowed, 3, has_residual=True))
        assert (words.RUNS.say(language) in said[0]) == has_runs


def test_M6_beyond_the_side_of_the_picture_no_picture_is_explained() -> None:
    state = state_of(gallery_n=600)
    said = readings(state, draw_mask(state, None), None)
    assert words.WALK[True].en in said
    assert words.READ_FIELD.en not in said


def test_only_all_of_it_is_a_hundred_percent() -> None:
    told = [percent(share) for share in (0, 1e-7, 0.5, 0.9994, 0.9996, 1 - 1 / 2048**2, 1)]
    assert told == ["0", "1e−5", "50.0", "99.9", "> 99.9", "> 99.9", "100"]
