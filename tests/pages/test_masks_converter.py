"""Claim M5 as it stands on the page: one mask in four ways, the wrong call, and a mask that does not say how it is written."""

import itertools
import math
import re
from collections.abc import Iterator

import jaxtyping
import numpy as np
import pytest
import torch

from attention_core.conventions import CONVENTIONS, AmbiguousMaskError, guess_convention, read_mask
from attention_core.experiments.mask_feeds import CALLS, Fed, feed_mask, weigh_reading
from dashboard.controls import State
from dashboard.panels.masks.converter import say_fed, say_right, written_part
from dashboard.panels.masks.converter_code import TAKES, snippet
from dashboard.panels.masks.fields import mask_fields
from dashboard.panels.masks.mask_guess import say_readings
from dashboard.panels.masks.model import name_queries
from dashboard.panels.masks.typed_mask import nearest_mask, read_drawn, read_numbers, write_drawn
from dashboard.text import LANGUAGES
from dashboard.text import mask_converter as words
from tests.pages.reading import dangers, drawings, hidden, labels, numbers, sentences, told, wrong_language

ONE_OF_MANY = re.compile(r"(?<![.,=−\d] )\b1 (rows|keys|queries|pairs|outputs)\b")
CAUSAL = ((True, False, False), (True, True, False), (True, True, True))


@pytest.fixture(autouse=True)
def unchecked() -> Iterator[None]:
    """Without the shape checker of the tests the core says its own refusals, as readers see them."""
    jaxtyping.config.update("jaxtyping_disable", True)
    yield
    jaxtyping.config.update("jaxtyping_disable", False)


def opened(open_page, language: str = "en", **query: str):
    at = open_page("masks", lang=language, view="converter", **query)
    assert not at.exception
    return at


def put(at, name: str, value: str):
    at.text_input(key=f"masks.converter_{name}").set_value(value).run()
    assert not at.exception
    return at


def press(at, key: str):
    at.button(key=key).click().run()
    assert not at.exception
    return at


def texts(at, name: str) -> list[list[str]]:
    drawn = drawings(at)[name]
    return np.array(drawn["texts"]).reshape(drawn["sides"]).tolist()


def test_M5_four_grids_hold_what_the_tensors_hold(open_page) -> None:
    at = opened(open_page)
    t, f = "True", "False"
    assert texts(at, "allowed") == [[t, f, f], [t, t, f], [t, t, t]]
    assert texts(at, "blocked") == [[f, t, t], [f, f, t], [f, f, f]]
    assert texts(at, "additive") == [["0", "−∞", "−∞"], ["0", "0", "−∞"], ["0", "0", "0"]]
    assert texts(at, "binary") == [["1", "0", "0"], ["1", "1", "0"], ["1", "1", "1"]]
    for convention in CONVENTIONS:
        drawn = drawings(at)[convention]
        assert hidden(drawn).tolist() == (~np.array(CAUSAL)).tolist()
        assert drawn["is_pickable"]
    assert numbers(drawings(at)["additive"])[0, 1] == -math.inf


def test_M5_a_pick_in_any_grid_changes_the_pair_in_all() -> None:
    state = State("masks", mask_fields("en"))
    state.values.update(state.defaults(), lang="en")
    for convention in CONVENTIONS:
        written_part(state, CAUSAL, convention).hear("pick", {"row": 0, "column": 2})
        assert state["converter_mask"] == "101/110/111"
    written_part(state, CAUSAL, "blocked").hear("pick", {"row": 2, "column": 0})
    assert state["converter_mask"] == "100/110/011"


@pytest.mark.parametrize("language", LANGUAGES)
def test_M5_an_inverted_bool_is_shown_with_its_numbers(open_page, language: str) -> None:
    at = opened(open_page, language)
    used, meant = drawings(at)["used"], drawings(at)["meant"]
    assert np.allclose(numbers(used), [[0, 0.5, 0.5], [0, 0, 1], [0, 0, 0]])
    assert np.allclose(numbers(meant), [[1, 0, 0], [0.5, 0.5, 0], [1 / 3] * 3])
    assert used["footer"] == ["[2, 2.5]", "[4, 4]", "[0, 0]"]
    assert meant["footer"] == ["[1, 0]", "[0.5, 0.5]", "[1.67, 1.67]"]
    said = "\n".join(told(at))
    assert words.INVERTED_CAUSAL.say(language) in said
    assert words.BLINDED.say(language, queries=name_queries([2], language), got="[0, 0]") in said
    counts = {"rows": 3, "differing": 3, "leaks": 3, "lost": 6}
    assert words.WRONG.say(language, **counts) in said
    expected = {"query": 1, "meant": "1", "expected": "[1, 0]", "seen": "2, 3", "got": "[2, 2.5]"}
    assert words.FIRST_WRONG.say(language, **expected) in said
    assert words.PRODUCT.say(language, product="NaN", chosen="0") in said
    assert torch.__version__ in said
    assert not wrong_language(at, language)
    assert not list(dangers(at))


def test_M5_floats_of_0_and_1_are_added_and_said_so(open_page) -> None:
    at = opened(open_page, converter_mask="001", converter_as="binary")
    assert np.allclose(numbers(drawings(at)["used"]), [[0.2119, 0.2119, 0.5761]], atol=5e-5)
    said = "\n".join(told(at))
    fields = {"e": "2.718", "query": 1, "weights": "[0.212, 0.212, 0.576]", "leaked": "0.424"}
    assert words.ADDED.say("en", **fields) in said


def test_M5_every_way_to_every_call_says_what_came_of_it(open_page) -> None:
    """One page, every pair: right, right by luck, wrong without a warning, or refused in the call's words."""
    at = opened(open_page, converter_mask="110/110")
    for call in CALLS:
        at.selectbox(key="masks.converter_to").set_value(call)
        for convention in CONVENTIONS:
            at.selectbox(key="masks.converter_as").set_value(convention).run()
            assert not at.exception
            fed = feed_mask(torch.tensor([[True, True, False]] * 2), convention, call)
            said = "\n".join(told(at))
            assert (fed.outcome.out is None) == ("used" not in drawings(at))
            names = [name for name in drawings(at) if name in ("meant", "used")]
            assert names == ["meant", "used"][: len(names)], "what was meant stands first"
            given = [
                name
                for name in CONVENTIONS
                if words.HANDED_OVER.say("en", grid=words.GRIDS[name].en) == drawings(at)[name]["title"]
            ]
            assert given == [convention]
            if fed.outcome.out is None:
                assert " ".join(fed.outcome.refusal.split())[:60] in said
                assert convention not in TAKES[call]
            else:
                assert (words.RIGHT.en[:20] in said) == (convention in TAKES[call])
                assert ("No error, but" in said) == (convention not in TAKES[call])
                assert np.allclose(numbers(drawings(at)["used"]), fed.weights.numpy(), equal_nan=True)
        answer = "".join(piece["text"] for piece in drawings(at)["answer"]["lines"][0]["pieces"])
        assert [one.split(": ")[-1].startswith("right") for one in answer.split("; ")] == [
            convention in TAKES[call] for convention in CONVENTIONS
        ]


def test_M5_luck_blind_rows_and_differing_rows_are_named(open_page) -> None:
    at = opened(open_page, converter_mask="11/11", converter_as="binary")
    assert words.LUCK.say("en", difference="0") in "\n".join(told(at))
    put(at, "mask", "00/11")
    at.selectbox(key="masks.converter_as").set_value("blocked")
    at.selectbox(key="masks.converter_to").set_value("mha").run()
    assert words.NO_RIGHT_ANSWER.say("en", queries="query 1", got="[NaN, NaN]") in "\n".join(told(at))
    assert drawings(at)["meant"]["dead"] == [0]
    at.selectbox(key="masks.converter_to").set_value("mha_padding").run()
    assert "2 different rows" in "\n".join(told(at))
    assert not at.code
    assert any(words.CODE_NONE.en in one for one in sentences(at))


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("convention", CONVENTIONS)
def test_M5_the_code_runs_and_gives_what_the_mask_means(convention: str, call: str) -> None:
    for rows in (CAUSAL, ((True, False, True),) * 2, ((True,),), ((True,) * 6,) * 5):
        if call == "mha_padding" and len(set(rows)) > 1:
            continue
        names: dict[str, object] = {}
        exec(snippet(rows, convention, call), names)
        meant = feed_mask(torch.tensor(rows), "allowed", "core").outcome.out
        torch.testing.assert_close(names["out"], meant)
        code = snippet(rows, convention, call)
        assert ("import inf" in code) == ("inf" in code.replace("import inf", ""))


def test_M5_the_code_on_the_page_is_the_code_that_is_tested(open_page) -> None:
    at = opened(open_page, converter_as="additive", converter_to="mha")
    assert [block.value for block in at.code] == [snippet(CAUSAL, "additive", "mha")]


def test_presets_keep_the_size(open_page) -> None:
    at = opened(open_page, converter_mask="0000/0000")
    for name, expected in {
        "causal": "1110/1111",
        "padding": "1110/1110",
        "all": "1111/1111",
        "blind": "1111/0000",
    }.items():
        press(at, f"converter.{name}")
        assert at.text_input(key="masks.converter_mask").value == expected
        assert drawings(at)["binary"]["sides"] == [2, 4]


BAD_MASKS = {
    "": ("empty",),
    "🐱": ("empty", "unreadable"),
    "<b>10</b>/11": ("unreadable",),
    "$10$/11": ("unreadable",),
    "10/1": ("ragged",),
    "1111111": ("too_large",),
    "1/1/1/1/1/1/1": ("too_large",),
    "2/`": ("empty", "unreadable"),
    "10" * 5000: ("too_large",),
    "1" + " " * 9000: ("too_long",),
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_M5_what_is_no_mask_is_named_kept_and_put_right(open_page, language: str) -> None:
    at = opened(open_page, language)
    for text, faults in BAD_MASKS.items():
        reading = read_drawn(text)
        assert set(faults) <= set(reading.faults), text[:20]
        put(at, "mask", text)
        assert at.text_input(key="masks.converter_mask").value == text
        assert len(at.error) == 1
        assert "used" not in drawings(at)
        assert not wrong_language(at, language)
        assert not list(dangers(at))
        press(at, "take.converter_mask")
        assert not at.error
        assert "used" in drawings(at)
    put(at, "mask", "10/1x/1")
    error = at.error[0].value
    for part in ("`x`", "1", "2"):
        assert part in error


def test_M5_malformed_links_open(open_page) -> None:
    for query in (
        {"converter_mask": "1 0\n1 1", "converter_as": "zzz", "converter_to": "<b>"},
        {"converter_mask": "1" * 9000, "converter_guess": "9" * 9000},
        {"converter_mask": ["1", "10/11"], "converter_guess": "nan $x$ <i>"},
    ):
        at = opened(open_page, **query)
        assert not list(dangers(at))
        assert drawings(at)


@pytest.mark.parametrize(
    "text", ["10/11", "1 0 / 1 1", "[[1, 0], [1, 1]]", "１０／１１", "10 11", "10;11", "10\n11", "1、0/1,1"]
)
def test_a_mask_is_read_however_it_is_separated(text: str) -> None:
    reading = read_drawn(text)
    assert (reading.faults, write_drawn(reading.rows)) == ((), "10/11")


def test_M5_an_ambiguous_mask_is_refused_with_both_readings_and_each_can_be_taken(open_page) -> None:
    at = opened(open_page)
    assert np.allclose(numbers(drawings(at)["reading.binary"]), [[0, 0, 1]])
    assert np.allclose(numbers(drawings(at)["reading.additive"]), [[0.2119, 0.2119, 0.5761]], atol=5e-5)
    said = "\n".join(told(at))
    assert words.AMBIGUOUS.say("en", dtype="float32", values="0 and 1") in said
    assert "[0.2119, 0.2119, 0.5761]" in said
    press(at, "take.reading.binary")
    assert at.text_input(key="masks.converter_mask").value == "001"
    assert at.selectbox(key="masks.converter_as").value == "binary"
    press(at, "take.reading.additive")
    assert at.text_input(key="masks.converter_mask").value == "111"
    put(at, "guess", "0 1 1 / 0 0 1 / 0 0 0")
    assert {"reading.binary", "reading.blocked"} <= drawings(at).keys()
    assert words.AMBIGUOUS.say("en", dtype="int64", values="0 and 1") in "\n".join(told(at))
    press(at, "take.reading.blocked")
    assert at.text_input(key="masks.converter_mask").value == "100/110/111"
    assert texts(at, "blocked")[0] == ["False", "True", "True"]


@pytest.mark.parametrize("dtype", [torch.float32, torch.int64])
def test_M5_two_readings_contradict_each_other_exactly_where_they_differ(dtype: torch.dtype) -> None:
    for bits in itertools.product((0, 1), repeat=4):
        mask = torch.tensor(bits, dtype=dtype).reshape(2, 2)
        with pytest.raises(AmbiguousMaskError) as refusal:
            guess_convention(mask)
        readings = list(refusal.value.readings)
        first, second = (weigh_reading(mask, reading)[0] for reading in readings)
        said = say_readings(mask, readings, "en")
        assert ("contradict" in said) == (not torch.equal(first, second))
        values = {1: "0 and 1", 0: "0 alone", 2: "1 alone"}[1 if len(set(bits)) == 2 else 2 * bits[0]]
        assert f"of {values} has two readings" in said


@pytest.mark.parametrize("language", LANGUAGES)
def test_M5_floats_of_one_value_are_told_as_both_readings_take_them(open_page, language: str) -> None:
    at = opened(open_page, language, converter_guess="0.0 0.0")
    given = {"dtype": "float32", "values": words.VALUES_FOUND[True, False].say(language)}
    assert words.AMBIGUOUS.say(language, **given) in told(at)
    assert hidden(drawings(at)["reading.binary"]).all()
    assert not hidden(drawings(at)["reading.additive"]).any()
    press(at, "take.reading.binary")
    assert at.text_input(key="masks.converter_mask").value == "00"
    put(at, "guess", "1.0 1.0")
    given = {"dtype": "float32", "values": words.VALUES_FOUND[False, True].say(language)}
    assert words.AMBIGUOUS_ALIKE.say(language, **given) in told(at)
    assert words.AMBIGUOUS.say(language, **given) not in told(at)
    for reading in ("binary", "additive"):
        assert not hidden(drawings(at)[f"reading.{reading}"]).any()
        assert np.allclose(numbers(drawings(at)[f"reading.{reading}"]), 0.5)
    assert not wrong_language(at, language)


def test_M5_an_output_is_called_right_of_the_queries_that_may_see_a_key() -> None:
    for rows, text in {
        ((False, False),): words.RIGHT_BLIND,
        ((False, False), (True, False)): words.RIGHT_SEEING,
        ((True, False),): words.RIGHT,
    }.items():
        for call, convention in (
            ("sdpa", "allowed"),
            ("mha", "blocked"),
            ("mha", "additive"),
            ("core", "allowed"),
        ):
            fed = feed_mask(torch.tensor(rows), convention, call)
            assert fed.is_intended
            assert not fed.differing
            given = {"difference": "0"} if text.fields("en") else {}
            assert say_right(fed, "en") == text.say("en", **given)


def test_M5_what_is_said_of_every_small_mask_agrees_with_what_came_of_it() -> None:
    for (n, m), convention, call in itertools.product(((1, 1), (1, 2), (2, 1), (2, 2)), CONVENTIONS, CALLS):
        for bits in itertools.product((False, True), repeat=n * m):
            rows = torch.tensor(bits).reshape(n, m)
            fed = feed_mask(rows, convention, call)
            state = State("masks", mask_fields("en"))
            state.values.update(state.defaults(), lang="en", converter_as=convention, converter_to=call)
            said = "\n".join(say_fed(state, fed))
            assert not ONE_OF_MANY.search(said)
            is_blind = not bool(rows.any(dim=-1).all())
            is_answered = fed.outcome.out is not None
            assert ("No error, but" in said) == bool(fed.differing)
            why_fits(said, fed, is_one_row=len(set(map(tuple, rows.tolist()))) == 1)
            if is_answered and not fed.differing:
                assert ("no answer is right there" in said) == is_blind
                assert ("the output is what the mask meant" in said) == (fed.is_intended and bool(rows.any()))
                assert ("reads the same either way" in said) == (not fed.is_intended)
                assert fed.is_intended or bool(rows.all()), "a mask that hides a key is not right by luck"
            elif fed.differing and convention != "binary":
                sees_none = not bool(rows[fed.differing[0]].any())
                assert ("should see nothing" in said) == sees_none
                assert ("should see: " in said) == (not sees_none)


def why_fits(said: str, fed: Fed, *, is_one_row: bool) -> None:
    """The reason is given for what came of it, and nothing is said to be taken where nothing was."""
    is_handed = is_one_row or not fed.consumer.has_one_row
    assert (words.WHY.en in said) == bool(fed.differing)
    assert (words.WHY_ELSEWHERE.en in said) == (is_handed and not fed.differing)
    assert ("You hand over" in said) == is_handed
    assert ("takes it for" in said) == (fed.outcome.out is not None)
    assert ("nothing was handed to PyTorch" in said) == (not is_handed)
    assert ("torch.where or masked_fill" in said) == is_handed


def test_M5_floats_of_0_and_1_are_read_as_meant_by_no_call_and_refused_by_some() -> None:
    fed = [feed_mask(torch.tensor([[True, False]]), "binary", call) for call in CALLS]
    assert not any(one.is_intended for one in fed)
    assert {one.outcome.out is None for one in fed} == {True, False}, "some accept it without an error"
    assert {one.consumer.convention for one in fed if one.outcome.out is not None} == {"additive"}


def test_M5_the_mark_before_a_row_is_explained_where_one_stands(open_page) -> None:
    at = opened(open_page, converter_mask="1/1", converter_guess="1 0 / 1 1")
    assert "(key 1: [1, 0])" in "\n".join(told(at))
    for mask, guess in (
        ("1/1", "True"),
        ("10/00", "True False / True True"),
        ("11/11", "0 0 / 1 1"),
        ("00/11", "0.0 -inf / -inf -inf"),
    ):
        put(at, "mask", mask)
        put(at, "guess", guess)
        drawn = drawings(at)
        for line, names in (
            ("note", ("allowed", "binary", "meant")),
            ("guess", [n for n in drawn if n.startswith("reading.")]),
        ):
            is_marked = any(drawn[name]["dead"] for name in names)
            texts = ["".join(piece["text"] for piece in one["pieces"]) for one in drawn[line]["lines"]]
            assert (words.BLIND_ROW.en in texts) == is_marked, (mask, guess, line)
    at.selectbox(key="masks.converter_to").set_value("mha_padding").run()
    assert not any("←" in drawings(at)[name]["title"] for name in CONVENTIONS), "nothing was handed over"


def test_M5_one_token_has_no_future_to_see(open_page) -> None:
    at = opened(open_page, converter_mask="1", converter_as="blocked", converter_to="sdpa")
    assert words.INVERTED.en in told(at)
    assert words.INVERTED_CAUSAL.en not in told(at)


@pytest.mark.parametrize("language", LANGUAGES)
def test_M5_a_mask_with_one_reading_is_named_and_other_numbers_are_refused(open_page, language: str) -> None:
    at = opened(open_page, language, converter_guess="0.0 -inf / 0.0 0.0")
    assert words.GUESSED["additive"].say(language) in "\n".join(told(at))
    assert hidden(drawings(at)["reading.additive"]).tolist() == [[False, True], [False, False]]
    weights = "[1.000, 0]"
    assert words.ADDITIVE_ALONE.say(language, weights=weights) in told(at)
    assert words.READINGS["additive"].say(language, weights=weights) not in told(at), "not every key is seen"
    put(at, "guess", "True False / True True")
    assert words.GUESSED["allowed"].say(language) in "\n".join(told(at))
    put(at, "guess", "0.0 -1e9 / 0.0 0.0")
    assert words.BAD_VALUE.say(language, row=1, column=2, value="−1e9") in at.error[0].value
    assert words.LARGE_NEGATIVE.say(language) in at.error[0].value
    assert "reading.additive" not in drawings(at)
    press(at, "take.converter_guess")
    assert at.text_input(key="masks.converter_guess").value == "0.0 -inf / 0.0 0.0"
    assert not at.error


BAD_NUMBERS = (
    "0.0 1.0" + " " * 9000 + "1.0",
    "",
    "🐱 1",
    "<b>1</b>",
    "$x$",
    "1 2 / 3",
    "True 1",
    "nan",
    "7 8",
    "0.5 banana",
    "-5 x / 0",
    "1.0 -inf / 0",
    "inf 0",
    "0 " * 400,
    "9" * 5000,
)


@pytest.mark.parametrize("language", LANGUAGES)
def test_M5_what_cannot_be_guessed_is_named_kept_and_put_right(open_page, language: str) -> None:
    at = opened(open_page, language)
    for text in BAD_NUMBERS:
        put(at, "guess", text)
        assert at.text_input(key="masks.converter_guess").value == text
        assert len(at.error) == 1, text[:20]
        assert not wrong_language(at, language)
        assert not list(dangers(at))
        press(at, "take.converter_guess")
        assert not at.error, text[:20]
    put(at, "guess", "0.5")
    assert at.error[0].value == words.BAD_VALUE.say(language, row=1, column=1, value="0.5")


def test_M5_numbers_keep_their_type_and_their_place() -> None:
    for text, dtype in {"0 1": torch.int64, "0. 1": torch.float32, "true FALSE": torch.bool}.items():
        assert read_numbers(text).mask.dtype == dtype
    for text in ("0 -inf\n0 0", "[[0, −∞], [0, 0]]", "tensor([[0., -inf], [0., 0.]])", "0 -torch.inf/0 0"):
        mask = read_numbers(text).mask
        if mask is not None:
            assert guess_convention(mask.float()) == "additive"
            assert read_mask(mask.float(), "additive").tolist() == [[True, False], [True, True]]
        else:
            assert text.startswith("tensor"), "the word in front is named as unreadable"
    assert nearest_mask(torch.tensor([[math.nan, -1e4], [0.7, math.inf]])) == "0.0 -inf / 0.0 0.0"


@pytest.mark.parametrize("language", LANGUAGES)
def test_M5_the_largest_and_the_smallest_mask_are_shown_and_the_code_unfolds(
    open_page, language: str
) -> None:
    at = opened(open_page, language, converter_mask="1")
    assert drawings(at)["used"]["dead"] == [] or drawings(at)["used"]["sides"] == [1, 1]
    put(at, "mask", "/".join(["100000"] * 6))
    assert drawings(at)["binary"]["sides"] == [6, 6]
    at.session_state["is_open:open.source"] = True
    at.run()
    assert "def write_mask" in at.code[-1].value
    assert words.CONVENTION.say(language) in labels(at)
