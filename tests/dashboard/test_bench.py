"""What the parts of a bench accept from a browser, which may send anything, and what they send to it."""

import json
import math
from urllib.parse import parse_qs

import pytest
import streamlit as st
from hypothesis import given
from hypothesis import strategies as some

from dashboard import controls
from dashboard.controls import State
from dashboard.grid import bench
from dashboard.grid.bench import Part, fresh_events, show_bench, show_part
from dashboard.grid.lines import Line, Piece, lines_part, prose, word
from dashboard.grid.strip import Stage, strip_part
from dashboard.link import Choice, Integer
from dashboard.link import Line as Text

STAGES = [Stage("q", "Q", "2 × 3", "queries", "#0072b2", "→"), Stage("k", "K", "2 × 3", "keys", None, ",")]
LINES = [
    Line(prose("no number"), "prose"),
    Line([Piece("0.5", "q[1, 1]"), Piece("×"), Piece("2.0", "k[1, 1]")]),
]
ANYTHING = some.recursive(
    some.none() | some.booleans() | some.integers() | some.floats() | some.text(max_size=6),
    lambda inner: some.lists(inner, max_size=3) | some.dictionaries(some.text(max_size=6), inner, max_size=3),
    max_leaves=6,
)


class Ear(list):
    """Keeps what it was told."""

    def hear(self, *told):
        self.append(told)


@given(ANYTHING)
def test_a_strip_hears_of_none_but_its_own_stages(event):
    ear = Ear()
    strip_part("stages", STAGES, "q", ear.hear).hear("choose", event)
    assert ear == ([(event,)] if isinstance(event, str) and event in ("q", "k") else [])


def test_a_strip_hears_of_a_stage_that_it_has():
    ear = Ear()
    strip_part("stages", STAGES, "q", ear.hear).hear("choose", "k")
    assert ear == [("k",)]


@given(ANYTHING)
def test_lines_raise_at_nothing_and_tell_of_no_place_without_a_cell(event):
    ear = Ear()
    lines_part("lines", LINES, ear.hear).hear("pick", event)
    assert set(ear) <= {(1, 0), (1, 2)}


FORGED = [
    None,
    [1],
    [1, 0, 0],
    [True, 0],
    [1.0, 0],
    ["1", "0"],
    [math.nan, 0],
    [-1, 0],
    [2, 0],
    [1, 3],
    [1, -1],
    [0, 0],
    [1, 1],
    [10**30, 0],
    {"0": 1, "1": 0},
    "1.0",
]


@pytest.mark.parametrize("is_folded", [False, True])
@pytest.mark.parametrize("event", FORGED, ids=str)
def test_a_forged_place_reaches_no_page(event, is_folded):
    ear = Ear()
    part = lines_part("lines", LINES, ear.hear, is_folded=is_folded)
    part.hear("pick", event)
    assert ear == []
    part.hear("pick", [1, 2])
    assert ear == [(1, 2)]


@pytest.mark.parametrize("name", [None, 1, "edit", "__class__", ["choose"], {"choose": 1}, math.nan], ids=str)
def test_an_event_that_a_part_does_not_know_reaches_nobody(name):
    ear = Ear()
    strip_part("stages", STAGES, "q", ear.hear).hear(name, "k")
    assert ear == []


@pytest.fixture
def mounted(monkeypatch):
    """What the component was mounted with, by its key."""
    calls = {}
    monkeypatch.setattr(bench, "_draw", lambda *, key, **arguments: calls.update({key: arguments}))
    return calls


CHOSEN = {"part": "strip", "name": "choose", "value": "k"}
EVENTS = [
    None,
    3,
    "strip",
    [],
    {},
    {"part": "strip"},
    {"part": ["strip"], "name": "choose", "value": "k"},
    {"part": "other", "name": "choose", "value": "k"},
    {"part": "strip", "name": "pick", "value": "k"},
    {"part": "strip", "name": {}, "value": "k"},
    {"part": "strip", "name": "choose", "value": ["k"]},
    {"part": "lines", "name": "choose", "value": "k"},
    {"part": {"part": "strip"}, "name": "choose", "value": "k"},
]


@pytest.mark.parametrize("event", EVENTS, ids=str)
def test_a_bench_passes_on_only_what_one_of_its_parts_sends(mounted, event):
    ear = Ear()
    show_bench(
        "forged_bench",
        {
            "strip": ("top", strip_part("stages", STAGES, "q", ear.hear)),
            "lines": ("right", lines_part("lines", LINES, ear.hear)),
        },
    )
    hear = mounted["forged_bench"]["on_event_change"]
    st.session_state["forged_bench.heard"] = 0
    numbered = {"number": 1, **event} if isinstance(event, dict) else event
    for sent in (event, [event], [numbered], numbered):
        st.session_state["forged_bench"] = {"event": sent}
        hear()
        assert ear == []
    st.session_state["forged_bench"] = {}
    hear()
    assert ear == []
    st.session_state["forged_bench"] = {"event": [numbered, {**CHOSEN, "number": 2}]}
    hear()
    assert ear == [("k",)]


@pytest.mark.parametrize("number", [None, "7", 7.0, True, -1, 0, 5, 2**53, [6]])
def test_an_event_without_a_fresh_number_is_not_heard(number):
    assert fresh_events([{**CHOSEN, "number": number}], 5) == []


def test_events_that_came_together_are_heard_once_each_in_order(mounted):
    ear = Ear()
    show_bench("quick_bench", {"strip": ("top", strip_part("stages", STAGES, "q", ear.hear))})
    hear = mounted["quick_bench"]["on_event_change"]
    first, second, third = (
        {**CHOSEN, "value": value, "number": number} for value, number in zip("kqk", (4, 5, 6), strict=True)
    )
    for sent in ([second, first], [first, second], [first, second, third]):
        st.session_state["quick_bench"] = {"event": sent}
        hear()
    assert ear == [("k",), ("q",), ("k",)]
    show_bench("quick_bench", {"strip": ("top", strip_part("stages", STAGES, "q", ear.hear))})
    assert mounted["quick_bench"]["data"]["heard"] == 6


def test_no_more_events_are_read_than_a_hand_can_make():
    many = [{**CHOSEN, "number": number} for number in range(1, 1000)]
    assert len(fresh_events(many, 0)) == bench.MAX_EVENTS


def test_a_part_by_itself_hears_each_event_under_its_own_name(mounted):
    ear = Ear()
    show_part("alone", strip_part("stages", STAGES, "q", ear.hear))
    assert {name for name in mounted["alone"] if name.startswith("on_")} == {"on_choose_change"}
    for given_event in ({}, {"choose": None}, {"choose": "nothing"}, {"choose": "k"}):
        st.session_state["alone"] = given_event
        mounted["alone"]["on_choose_change"]()
    assert ear == [("k",)]


def test_a_bench_sends_its_parts_in_order_as_plain_data(mounted):
    show_bench(
        "plain_bench",
        {
            "strip": ("top", strip_part("stages", STAGES, "q", print, note="by hand")),
            "lines": ("right", lines_part("lines", LINES, print)),
            "steps": ("below", lines_part("steps", LINES, print, is_folded=True)),
        },
    )
    sent = mounted["plain_bench"]["data"]
    assert json.loads(json.dumps(sent, allow_nan=False)) == sent
    assert [(part["name"], part["area"], part["data"]["kind"]) for part in sent["parts"]] == [
        ("strip", "top", "strip"),
        ("lines", "right", "lines"),
        ("steps", "below", "fold"),
    ]


@given(some.lists(some.text(max_size=8), max_size=4), some.text(alphabet="ab <&$#\n", max_size=8))
def test_prose_finds_every_word_of_the_reader_and_nothing_else(given_words, between):
    pieces = prose(between + between.join(word(text) for text in given_words))
    assert [piece.text for piece in pieces if piece.is_word] == [
        word(text).strip("\ue000") for text in given_words
    ]
    assert all(piece.is_word or set(piece.text) <= set(between) for piece in pieces)
    assert not any("\ue000" in piece.text for piece in pieces)


def test_a_word_of_the_reader_cannot_end_its_own_mark():
    assert prose(f"see {word('a' + chr(0xE000) + 'b')}!") == [
        Piece("see "),
        Piece("aU+E000b", is_word=True),
        Piece("!"),
    ]
    assert prose(word("")) == [Piece("∅", is_word=True)]
    assert prose("") == []


def state_with(**values):
    fields = {
        "lang": Choice("en", ("zh", "en")),
        "text": Text("the cat", 512),
        "d_k": Integer(4, 1, 64),
    }
    state = State("qkv", fields)
    state.values.update({name: field.default for name, field in fields.items()} | values)
    return state


def test_the_address_part_holds_the_link_and_listens_to_nothing():
    part = controls.address_part(state_with(text="猫 & mouse = #1?", d_k=7))
    assert part.kind == "address"
    assert not part.receivers
    assert part.data["slug"] == "qkv"
    query = parse_qs(part.data["query"], strict_parsing=True)
    assert query["text"] == ["猫 & mouse = #1?"]
    assert query["d_k"] == ["7"]
    assert part.data["query"].isascii()


def test_the_address_part_leaves_out_what_a_link_cannot_hold():
    for text in ("\ud800", "a" * 10_000):
        assert "text=" not in controls.address_part(state_with(text=text)).data["query"]


def test_a_later_address_has_no_smaller_number_and_javascript_holds_it_exactly():
    numbers = [controls.address_part(state_with()).data["number"] for _ in range(3)]
    assert numbers == sorted(numbers)
    assert numbers[-1] < 2**53


def test_an_event_that_no_receiver_waits_for_reaches_none():
    heard = []
    part = Part("strip", {}, {"choose": heard.append})
    for name in ("pick", "", None, ["choose"], 1):
        part.hear(name, "q")
    Part("address", {}).hear("pick", [0, 0])
    assert heard == []
    part.hear("choose", "q")
    assert heard == ["q"]


def test_a_fold_that_is_kept_tells_when_the_reader_unfolds_it_and_nothing_else():
    ear = Ear()
    part = lines_part("steps", [], ear.hear, is_folded=True, on_unfold=ear.hear, is_open=True)
    assert part.data["is_kept"]
    assert part.data["is_open"]
    for event in (None, 1, "true", [True], {}, True, False):
        part.hear("unfold", event)
    assert ear == [(True,), (False,)]
    by_itself = lines_part("answer", LINES, ear.hear, is_folded=True)
    by_itself.hear("unfold", True)
    assert not by_itself.data["is_kept"]
    assert len(ear) == 2


def test_a_piece_says_no_more_than_it_must():
    (line,) = lines_part("lines", [Line([Piece(""), Piece("a", is_word=True)])], print).data["lines"]
    assert line["pieces"] == [{"text": ""}, {"text": "a", "is_word": True}]
