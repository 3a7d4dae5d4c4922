"""Whatever stands in a link is read without raising, and what a page writes it reads back."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.link import (
    MAX_EDITS_BYTES,
    MAX_LINK_BYTES,
    MAX_NAMES,
    MAX_NOTICES,
    Choice,
    Decimal,
    Edits,
    Flag,
    Integer,
    Line,
    Place,
    Position,
    Some,
    number,
    read_link,
    shorten,
    write_link,
)

FIELDS = {
    "d_k": Integer(4, 1, 64),
    "std": Decimal(1.0, 0.0, 1000.0),
    "view": Choice("pipeline", ("pipeline", "query")),
    "causal": Flag(False),
    "lines": Some(("full", "fused"), ("full", "causal", "fused", "window")),
    "text": Line("the cat", 512),
    "cell": Position((1, 0), 64),
    "edit": Edits(("x", "w_q"), 64),
    "device": Place("cpu", ("cpu",), ("cpu", "cuda")),
}


def read_one(name: str, *given: str) -> tuple[object, list[str]]:
    values, notices = read_link({name: list(given)}, FIELDS)
    return values[name], [notice.problem for notice in notices]


@pytest.mark.parametrize(
    ("raw", "value", "problems"),
    [
        ("7", 7, []),
        ("999", 64, ["out_of_range"]),
        ("-1", 1, ["out_of_range"]),
        ("3.7", 4, ["malformed"]),
        ("4.0", 4, ["malformed"]),
        ("64.5", 64, ["out_of_range"]),
        ("1e9", 64, ["out_of_range"]),
        ("-Infinity", 1, ["out_of_range"]),
        ("9" * 400, 64, ["out_of_range"]),
        ("NaN", 4, ["malformed"]),
        ("abc", 4, ["malformed"]),
        ("", 4, ["malformed"]),
        ("٣", 3, ["malformed"]),
        ("\ud800", 4, ["malformed"]),
        ("a" * (MAX_LINK_BYTES + 1), 4, ["too_long"]),
    ],
)
def test_a_number_becomes_the_nearest_legal_one_with_a_notice(
    raw: str, value: int, problems: list[str]
) -> None:
    assert read_one("d_k", raw) == (value, problems)


@pytest.mark.parametrize(
    ("raw", "value", "problems"),
    [
        ("2.5", 2.5, []),
        ("1e2", 100.0, []),
        (".5", 0.5, []),
        ("\N{MINUS SIGN}0.5", 0.0, ["out_of_range"]),
        ("1e400", 1000.0, ["out_of_range"]),
        ("-1e-3", 0.0, ["out_of_range"]),
        ("nan", 1.0, ["malformed"]),
        ("inf", 1.0, ["malformed"]),
        ("1,5", 1.0, ["malformed"]),
        ("", 1.0, ["malformed"]),
        ("1" * 4000, 1000.0, ["out_of_range"]),
    ],
)
def test_a_fraction_becomes_the_nearest_legal_one_with_a_notice(
    raw: str, value: float, problems: list[str]
) -> None:
    assert read_one("std", raw) == (value, problems)


@given(st.floats(0, 1000))
def test_a_fraction_comes_back_from_its_link_to_the_last_bit(value: float) -> None:
    field = FIELDS["std"]
    assert field.read(field.write(value)) == (value, None)
    assert not field.write(2.0).endswith(".0")


def test_of_repeated_values_the_last_counts_and_that_is_said() -> None:
    assert read_one("d_k", "2", "3") == (3, ["repeated"])


def test_an_unknown_name_and_an_unknown_choice_are_said() -> None:
    assert read_one("view", "paint") == ("pipeline", ["malformed"])
    _, notices = read_link({"foo": ["1"]}, FIELDS)
    assert [(notice.problem, notice.name, notice.given) for notice in notices] == [("unknown", "foo", "1")]


@pytest.mark.parametrize(("raw", "problems"), [("cpu", []), ("cuda", ["absent"]), ("abacus", ["malformed"])])
def test_a_device_that_is_not_here_is_another_thing_than_one_that_is_none(
    raw: str, problems: list[str]
) -> None:
    assert read_one("device", raw) == ("cpu", problems)


@pytest.mark.parametrize(
    ("raw", "value", "problems"),
    [
        ("window,full", ("full", "window"), []),
        ("", (), []),
        (",full,,full", ("full",), []),
        ("full,paint", ("full",), ["malformed"]),
        ("paint", ("full", "fused"), ["malformed"]),
    ],
)
def test_of_several_ids_those_that_are_known_are_kept_in_order(
    raw: str, value: tuple[str, ...], problems: list[str]
) -> None:
    assert read_one("lines", raw) == (value, problems)


@pytest.mark.parametrize(
    ("raw", "value", "problems"),
    [
        ("2.3", (1, 2), []),
        ("0.1", (0, 0), ["out_of_range"]),
        ("99.1", (63, 0), ["out_of_range"]),
        ("2", (1, 0), ["malformed"]),
        ("2.3.4", (1, 0), ["malformed"]),
    ],
)
def test_a_cell_is_counted_from_one_in_the_link_and_from_zero_here(
    raw: str, value: tuple[int, int], problems: list[str]
) -> None:
    assert read_one("cell", raw) == (value, problems)


def test_good_edits_are_kept_when_one_beside_them_is_bad() -> None:
    good = {("x", 0, 1): 0.5, ("w_q", 3, 2): -2.0}
    assert read_one("edit", "x.1.2_0.5~w_q.4.3_-2") == (good, [])
    assert read_one("edit", "x.1.2_0.5~w_q.4.3_-2~w_k.1.1_3") == (good, ["malformed"])
    assert read_one("edit", "x.1.2_0.5~w_q.4.3_-2~x.99.1_3") == (good, ["out_of_range"])
    assert read_one("edit", "x.1.2_nan") == ({}, ["malformed"])
    assert read_one("edit", "x.1.2_1e999") == ({("x", 0, 1): 1e6}, ["out_of_range"])
    assert read_one("edit", "x.1.2_-2000000") == ({("x", 0, 1): -1e6}, ["out_of_range"])
    assert read_one("edit", "x.1.2_3~x.1.2_4") == ({("x", 0, 1): 4.0}, ["repeated"])
    assert read_one("edit", "~".join(["x.1.2_0.5"] * 300)) == ({}, ["too_long"])


def test_edits_that_fill_more_than_their_share_are_not_written() -> None:
    many = {("x", row, column): 0.1234567 for row in range(20) for column in range(20)}
    query, left_out = write_link({**defaults(), "edit": many}, FIELDS)
    assert query == {}
    assert left_out == ("edit",)
    few = dict(list(many.items())[:90])
    assert len(FIELDS["edit"].write(few).encode()) <= MAX_EDITS_BYTES


def test_a_text_over_its_limit_stays_out_of_the_link_and_is_named() -> None:
    query, left_out = write_link({**defaults(), "text": "a" * 513}, FIELDS)
    assert (query, left_out) == ({}, ("text",))
    query, left_out = write_link({**defaults(), "text": "\ud800"}, FIELDS)
    assert (query, left_out) == ({}, ("text",))


def test_a_link_holds_only_what_differs_from_the_defaults_and_what_is_always_written() -> None:
    query, left_out = write_link({**defaults(), "d_k": 9, "causal": True}, FIELDS, frozenset({"view"}))
    assert (query, left_out) == ({"d_k": "9", "view": "pipeline", "causal": "1"}, ())


def test_a_flood_of_names_gives_few_notices() -> None:
    _, notices = read_link({f"n{place}": ["1"] for place in range(10 * MAX_NAMES)}, FIELDS)
    assert len(notices) == MAX_NOTICES


def defaults() -> dict[str, object]:
    return {name: field.default for name, field in FIELDS.items()}


@given(st.dictionaries(st.sampled_from([*FIELDS, "foo", ""]), st.lists(st.text(max_size=60), max_size=3)))
def test_no_query_raises_and_what_is_read_can_be_written_and_read_again(query: dict[str, list[str]]) -> None:
    values, _ = read_link(query, FIELDS)
    written, left_out = write_link(values, FIELDS)
    again, notices = read_link({name: [raw] for name, raw in written.items()}, FIELDS)
    assert notices == []
    assert {n: v for n, v in again.items() if n not in left_out} == {
        n: v for n, v in values.items() if n not in left_out
    }


@given(st.floats(-1e6, 1e6))
def test_an_edited_number_survives_the_link_exactly(value: float) -> None:
    written, _ = write_link({**defaults(), "edit": {("x", 0, 0): value}}, FIELDS)
    values, notices = read_link({name: [raw] for name, raw in written.items()}, FIELDS)
    assert notices == []
    assert values["edit"] == {("x", 0, 0): value}


@given(st.text())
def test_what_is_no_plain_number_is_refused_and_nothing_raises(text: str) -> None:
    value = number(text)
    assert value is None or abs(value) <= 1e6


def test_full_width_digits_are_digits_and_a_long_piece_is_judged_at_once() -> None:
    import time

    assert number("１２．５") == 12.5
    assert number("－３ｅ２") == -300.0
    started = time.monotonic()
    assert number("1" * 50_000 + "x") is None
    assert time.monotonic() - started < 5, (
        "a generous ceiling: a pattern that goes back and forth takes minutes"
    )


@pytest.mark.parametrize("text", ["nan", "inf", "1e7", "0x10", "1_000", "٣", "--1", "1,5", "", " "])
def test_these_are_not_taken_for_numbers(text: str) -> None:
    assert number(text) is None


def test_a_number_may_be_as_large_as_the_reader_of_it_allows() -> None:
    assert number("1e7", 1e38) == 1e7
    assert number("2e38", 1e38) is None
    assert number("-1e400", math.inf) == -math.inf
    assert number("nan", math.inf) is None


def test_a_stranger_s_value_is_cut_for_display() -> None:
    assert shorten("a" * 100) == "a" * 39 + "…"


def test_a_setting_behind_many_strangers_is_read() -> None:
    values, notices = read_link({**{f"s{n}": ["1"] for n in range(70)}, "d_k": ["7"]}, FIELDS)
    assert values["d_k"] == 7
    assert {notice.problem for notice in notices} == {"unknown"}
