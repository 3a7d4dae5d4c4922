"""Claims M2 and M3 as they stand on the page: the ways to apply a mask, and what leaks through each."""

import json
import math
from collections.abc import Callable
from functools import partial
from operator import itemgetter
from urllib.parse import parse_qs

import numpy as np
import pytest
import torch
from streamlit.runtime.scriptrunner_utils.script_requests import RerunData
from streamlit.testing.v1 import local_script_runner
from streamlit.testing.v1.element_tree import parse_tree_from_messages

from attention_core.experiments.masking import WAYS, attend_by, compare_ways, find_leaks, measure_leak
from attention_core.masks import causal
from attention_core.patterns import dilated
from attention_core.single_head import own_sentence
from attention_core.tokens import tokenize
from dashboard.number_format import NOTHING, significant
from dashboard.panels.masks.gallery_upload import Upload, read_upload
from dashboard.panels.masks.way_leaks import ALL, leak_parts, pairs_part
from dashboard.panels.masks.way_setting import Setting
from dashboard.text import LANGUAGES
from dashboard.text import mask_gallery as gallery_words
from dashboard.text import mask_ways as words
from tests.pages.reading import dangers, drawings, hidden, numbers, sentences, told, wrong_language

SENTENCE = "the cat saw the dog and ran away"
N = 8
SAYS_NO = "value cannot be converted to type c10::Half without overflow"
# What adds its mask, torch's own functions among it, or multiplies by it: NaN in a hidden key passes.
PASS_NAN = ("add_1e9", "zero", "after_softmax", "renormalised", "added_softmax")
PASS_NAN_BY_TORCH = ("sdpa_math", "sdpa_fused", "mha_with_weights", "mha")


def qkv(text: str = SENTENCE):
    """Queries, keys and values as the first lesson draws them, without a batch."""
    drawn = own_sentence(tokenize(text), seed=0, d_model=6, d_k=4, d_v=2, positions="sinusoidal")
    return [drawn["x"] @ drawn[name] for name in ("w_q", "w_k", "w_v")]


def opened(open_page, language: str = "en", **query: str):
    at = open_page("masks", lang=language, view="ways", **{"text": SENTENCE, **query})
    assert not at.exception
    return at


ONCE: dict = {}


def read(open_page, language: str = "en", **query: str):
    """A page that a test only reads: opened once for all of them."""
    key = (language, *sorted(query.items()))
    if key not in ONCE:
        ONCE[key] = opened(open_page, language, **query)
    return ONCE[key]


def press(at, key: str):
    next(button for button in at.button if button.key == key).click().run()
    assert not at.exception
    return at


def put(at, kind: str, key: str, value: object):
    next(one for one in getattr(at, kind) if one.key == f"masks.{key}").set_value(value).run()
    assert not at.exception
    return at


def said(at) -> str:
    return "\n".join(told(at))


def of_test(hidden_pairs: int) -> str:
    return words.TESTED.say("en", seed=0, hidden=hidden_pairs)


def shown(drawing: dict) -> dict[str, tuple[np.ndarray, list[str], str]]:
    """Numbers, texts and the end of each row, by its name."""
    width = drawing["sides"][1]
    texts = [drawing["texts"][at : at + width] for at in range(0, len(drawing["texts"]), width)]
    return dict(
        zip(
            drawing["row_names"],
            zip(numbers(drawing), texts, drawing["footer"], strict=True),
            strict=True,
        )
    )


def by_id(drawing: dict, language: str = "en"):
    names = {text.say(language): name for name, text in (words.WAYS | words.KERNELS).items()}
    return {names[name]: row for name, row in shown(drawing).items()}


def by_loops(text: str = SENTENCE) -> np.ndarray:
    """Causal weights, one at a time."""
    q, k, _ = (x.tolist() for x in qkv(text))
    weights = np.zeros((len(q), len(q)))
    for n, query in enumerate(q):
        exps = [math.exp(sum(a * b for a, b in zip(query, key, strict=True)) / 2) for key in k[: n + 1]]
        weights[n, : n + 1] = [one / sum(exps) for one in exps]
    return weights


def test_M2_the_right_weights_are_lower_triangular_and_rows_sum_to_1(open_page) -> None:
    at = read(open_page)
    right = drawings(at)["right"]
    assert np.allclose(numbers(right), by_loops(), atol=1e-12)
    assert np.triu(numbers(right), 1).max() == 0
    assert np.allclose(numbers(right).sum(axis=1), 1)
    assert words.HOLDS.say("en", hidden="0", least="1.00", most="1.00") in said(at)
    assert (hidden(right) == np.triu(np.ones((N, N), dtype=bool), 1)).all()
    assert right["column_names"] == SENTENCE.split()


@pytest.mark.parametrize(("language", "dtype"), [("en", "float64"), ("zh", "float16"), ("en", "bfloat16")])
def test_M3_every_way_has_the_numbers_of_the_core(open_page, language: str, dtype: str) -> None:
    query = {} if dtype == "float64" else {"way_dtype": dtype}
    rows = by_id(drawings(read(open_page, language, **query))["ways"], language)
    assert list(rows) == list(WAYS)
    for record in compare_ways(*qkv(), causal(N), dtype):
        values, texts, verdict = rows[record.way]
        if record.way == "fill_1e9" and dtype == "float16":
            assert texts == [NOTHING] * 5
            assert verdict == words.FAULTS["refused"].say(language)
            continue
        sums = record.row_sums.double()
        kept = (record.largest_hidden_weight, record.weights_difference, record.out_difference)
        assert values.tolist() == [float(sums.min()), float(sums.max()), *kept]
        fault = {"zero": "hidden", "after_softmax": "sums"}.get(record.way)
        assert verdict == (words.FAULTS[fault] if fault else words.RIGHT).say(language)


@pytest.mark.parametrize("language", LANGUAGES)
def test_M3_0_is_not_minus_inf_and_what_is_wiped_out_is_missing(open_page, language: str) -> None:
    at = read(open_page, language)
    chosen = numbers(drawings(at)["chosen"])
    future = np.triu(chosen, 1)
    query, key = (int(i) for i in np.unravel_index(future.argmax(), future.shape))
    # By hand: e⁰ = 1 beside the row's other exponentials.
    q, k, _ = (x.numpy() for x in qkv())
    total = np.exp(q[query] @ k[: query + 1].T / 2).sum() + (N - 1 - query)
    assert math.isclose(future.max(), 1 / total)
    place = [words.PLACE.say(language, place=at + 1, token=SENTENCE.split()[at]) for at in (query, key)]
    zero = words.ZERO.say(language, query=place[0], key=place[1], weight=significant(1 / total))
    assert zero in said(at)
    unmasked = np.exp(q @ k.T / 2)
    sums = np.tril(unmasked).sum(1) / unmasked.sum(1)
    worst = int(sums.argmin())
    query = words.PLACE.say(language, place=worst + 1, token=SENTENCE.split()[worst])
    cited = {"sum": significant(sums.min()), "missing": significant(1 - sums.min())}
    assert words.AFTER.say(language, query=query, **cited) in said(at)
    assert not wrong_language(at, language)


def test_M3_the_chosen_way_is_drawn_or_torch_is_quoted(open_page) -> None:
    at = opened(open_page, way_dtype="bfloat16")
    for way in ("after_softmax", "add_1e9"):
        (record,) = compare_ways(*qkv(), causal(N), "bfloat16", (way,))
        drawing = drawings(put(at, "selectbox", "way", way))["chosen"]
        assert (numbers(drawing) == record.weights.double().numpy()).all()
        assert drawing["footer"] == [significant(total) for total in numbers(drawing).sum(axis=1)]
        assert drawings(at)["ways"]["picked"] == 5 * WAYS.index(way)
    put(at, "selectbox", "way", "fill_1e9")
    put(at, "selectbox", "way_dtype", "float16")
    assert "exact" not in drawings(at)["chosen"]
    (line,) = drawings(at)["chosen"]["lines"]
    assert SAYS_NO in "".join(piece["text"] for piece in line["pieces"])
    assert "does not run at all" in said(at)


def test_M3_in_float16_torch_refuses_1e9_whatever_the_reader_chose(open_page) -> None:
    text = said(read(open_page))
    assert SAYS_NO in text
    assert "65504" in text
    assert "it has become −∞" in text
    assert torch.__version__ in text


def test_M3_the_leak_meter_shows_what_the_core_measures(open_page) -> None:
    at = opened(open_page)
    changes = {"one": 1.0, "big": 1e10, "nan": math.nan, "inf": math.inf}
    for change, part in (("one", "both"), ("big", "both"), ("inf", "both"), ("inf", "k"), ("nan", "k")):
        for name, value in (("way_change", change), ("way_part", part)):
            if at.session_state["lesson:masks"][name] != value:
                put(at, "selectbox", name, value)
        drawing = drawings(at)["leaks"]
        assert drawing["column_names"] == [f"{n} {token}" for n, token in enumerate(SENTENCE.split()[:4], 1)]
        rows = by_id(drawing)
        assert tuple(rows) == ALL
        for way in ALL:
            leak = measure_leak(*qkv(), causal(N), way, key=4, change=changes[change], part=part)
            assert np.array_equal(rows[way][0], leak.moved[:4].numpy(), equal_nan=True)
            leaks = words.LEAKS.say("en", found=len(leak.leaks), hidden=4)
            assert (rows[way][2] == leaks) == bool(leak.leaks)


def test_M3_a_finite_change_moves_exactly_0_in_the_right_ways_and_the_wrong_ones_by_hand(open_page) -> None:
    at = opened(open_page, way_change="one", way_part="v")
    rows = by_id(drawings(at)["leaks"])
    assert {way for way, row in rows.items() if row[2] != words.STILL.en} == {"zero"}
    # 1 is added to the hidden value, so an output moves by the weight that the hidden key wrongly has.
    assert np.allclose(rows["zero"][0], numbers(drawings(at)["chosen"])[:4, 4])
    put(at, "selectbox", "way_part", "k")
    rows = by_id(drawings(at)["leaks"])
    assert rows["zero"][2] == words.STILL.en
    assert words.ZERO_BY_VALUE.en in said(at)
    assert rows["after_softmax"][2] == words.LEAKS.say("en", found=4, hidden=4)


@pytest.mark.parametrize("language", LANGUAGES)
def test_M3_nan_in_a_value_leaks_through_everything_and_in_a_key_past_what_adds(open_page, language) -> None:
    at = opened(open_page, language, way_change="nan", way_part="v")
    rows = by_id(drawings(at)["leaks"], language)
    assert {row[2] for row in rows.values()} == {words.LEAKS.say(language, found=4, hidden=4)}
    assert "0 · NaN = NaN" in said(at)
    assert words.BY_TORCH.say(language, ways=4, found=4) in said(at)
    put(at, "selectbox", "way_part", "k")
    rows = by_id(drawings(at)["leaks"], language)
    passing = {way for way, row in rows.items() if row[2] != words.STILL.say(language)}
    assert passing == {*PASS_NAN, *PASS_NAN_BY_TORCH}
    assert "NaN − ∞" in said(at)
    assert words.VALUE_NAN.say(language, change="NaN", product="NaN") not in said(at)
    assert words.BY_TORCH.say(language, ways=4, found=4) in said(at)


def test_M3_1e10_beats_the_penalty_and_is_inf_in_half_precision(open_page) -> None:
    at = opened(open_page, way_change="big", way_part="k")
    rows = by_id(drawings(at)["leaks"])
    assert rows["add_1e9"][2] != words.STILL.en
    assert rows["minus_inf"][2] == rows["mha"][2] == words.STILL.en
    assert words.TOO_WEAK.en in said(at)
    assert words.NOTHING_LEFT.en in said(at)
    put(at, "selectbox", "way_part", "both")
    put(at, "selectbox", "way_dtype", "float16")
    assert words.HELD.say("en", dtype="float16", change="1e10", held="∞") in said(at)
    assert by_id(drawings(at)["leaks"])["fill_1e9"][1:] == ([NOTHING] * 4, words.FAULTS["refused"].en)


def test_M3_the_test_of_every_pair_names_what_leaks(open_page) -> None:
    at = opened(open_page, way_mask="future")
    assert of_test(36) not in said(at)
    at.session_state["lesson:masks"]["way_test"] = True
    at.run()
    for way, pairs in {"zero": 36, "add_1e9": 8, "minus_inf": 0, "renormalised": 0}.items():
        if at.session_state["lesson:masks"]["way"] != way:
            put(at, "selectbox", "way", way)
        text, attend = said(at), attend_by(way)
        found = find_leaks(lambda *qkv, attend=attend: attend(*qkv, ~causal(N)), N, N, ~causal(N), 0)
        assert len(found.leaking) == pairs
        assert of_test(36) in text
        assert (f"Leaking: {pairs}, namely " in text) == (pairs > 0)
        if way == "add_1e9":
            assert "8 ← 1, 8 ← 2, 8 ← 3, 8 ← 4, 8 ← 5, 8 ← 6, … (query ← key)" in text
        assert (words.TEST_HOLDS.en in text) == (way == "minus_inf")
        assert (words.TEST_NAN.say("en", queries="8") in text) == (way == "renormalised")


@pytest.mark.parametrize("language", LANGUAGES)
def test_M3_the_question_has_the_values_of_the_trap(open_page, language: str) -> None:
    answer = "".join(p["text"] for p in drawings(read(open_page, language))["answer"]["lines"][0]["pieces"])
    assert "[0.3051, 0.1609, 0.5341, 0, 0, 0]" in answer
    assert "[0.1912, 0.1008, 0.3348, 0.1244, 0.1244, 0.1244]" in answer
    assert "0.617405" in answer
    assert "[0.43, −0.21, 0.99, 0.32, −0.35, 0.040]" in said(read(open_page, language))


def test_M3_a_key_that_all_see_offers_the_nearest_that_is_hidden(open_page) -> None:
    at = opened(open_page, way_key="1")
    assert "leaks" not in drawings(at)
    assert words.ALL_SEE.say("en", place=1, hidden=0, least=1) in sentences(at)
    press(at, "take.key")
    assert drawings(at)["leaks"]["column_names"] == ["1 the"]


def test_M3_a_mask_that_hides_nothing_says_so(open_page) -> None:
    at = opened(open_page, "zh", text="a b", way_mask="block")
    assert words.NOTHING_HIDDEN.say("zh", n=2) in said(at)
    assert "leaks" not in drawings(at)
    assert not [button for button in at.button if button.key == "take.key"]


@pytest.mark.parametrize(
    "query",
    [
        {"text": "a", "way_mask": "others", "way_test": "1"},
        {"text": "a", "way_mask": "others", "way_dtype": "float16", "way_change": "inf"},
        {"text": "w " * 64, "way_mask": "window", "way_key": "64", "way_test": "1", "d_k": "16", "d_v": "16"},
        {"text": "<b>x</b> $5 `a` 😀 👩‍👩‍👧 \u202e** |", "way_key": "3", "way_dtype": "float16"},
        {"text": "   "},
        {"text": "w " * 65},
        {
            "way": "?",
            "way_mask": "<i>",
            "way_dtype": "float8",
            "way_key": "-1",
            "way_part": "",
            "way_test": "x",
        },
        {"way_key": "9" * 30, "way_change": "1e99"},
    ],
    ids=["one", "one in half", "long", "strange", "empty", "too long", "malformed", "huge"],
)
def test_M3_whatever_is_typed_no_traceback_and_no_markup(open_page, query: dict[str, str]) -> None:
    language = LANGUAGES[len(query) % 2]
    at = opened(open_page, language, **query)
    assert not list(dangers(at))
    assert not wrong_language(at, language)


def test_M3_a_query_without_keys_is_named(open_page) -> None:
    at = opened(open_page, text="hi", way_mask="others")
    rows = by_id(drawings(at)["ways"])
    assert [rows[way][2] for way in ("minus_inf", "dtype_min", "renormalised")] == [
        words.RIGHT.en,
        words.FAULTS["hidden"].en,
        words.FAULTS["nan"].en,
    ]
    # Its only key is hidden: 1 of 1 goes to it.
    assert words.BLIND.say("en", query="1 (hi)", weight="1.00") in said(at)
    assert words.RENORMALISED_NAN.en in said(at)
    assert rows["after_softmax"][2] == words.RIGHT.en
    assert "wiping them out" not in said(at), "a query without keys has no right sum"


@pytest.mark.parametrize("language", ["zh", "en"])
def test_M3_any_mask_of_the_gallery_can_be_tested_for_leaks(open_page, language: str) -> None:
    drawn = {"gallery_pattern": "dilated", "gallery_dilated_dilation": "3", "gallery_cells": "1.5"}
    at = opened(open_page, language, way_mask="gallery", **drawn)
    allowed = dilated(3, 3).build(N)
    allowed[0, 4] = ~allowed[0, 4]
    assert (hidden(drawings(at)["right"]) == (~allowed).numpy()).all()

    at = opened(open_page, language, way_mask="gallery", gallery_pattern="file")
    assert words.NO_GALLERY["none"].say(language, n=N) in [error.value for error in at.error]
    at.button(key="take.causal").click().run()
    assert not at.exception
    assert (hidden(drawings(at)["right"]) == (~causal(N)).numpy()).all()


def test_M3_a_file_serves_as_many_tokens_as_it_has(open_page) -> None:
    at = opened(open_page)
    at.session_state["gallery.upload"] = Upload(
        "mine.csv", torch.ones(N + 1, N + 1, dtype=torch.bool).tril(-1)
    )
    at.session_state["lesson:masks"] |= {"way_mask": "gallery", "gallery_pattern": "file"}
    at.run()
    assert not at.error
    assert hidden(drawings(at)["right"])[0].all(), "the first query sees nothing"
    at.session_state["lesson:masks"]["text"] = " ".join(["w"] * (N + 2))
    at.run()
    small = words.NO_GALLERY["small"].say("en", n=N + 2, side=N + 1, name="`mine.csv`")
    assert [error.value for error in at.error] == [small]
    at.session_state["gallery.upload"] = Upload(None, torch.ones(2, 2, dtype=torch.bool))
    at.run()
    typed = gallery_words.TYPED.en
    assert not at.exception
    assert [error.value for error in at.error] == [
        words.NO_GALLERY["small"].say("en", n=N + 2, side=2, name=typed)
    ]


@pytest.mark.parametrize("language", LANGUAGES)
def test_M3_a_file_that_was_refused_is_not_told_as_none(open_page, language: str) -> None:
    at = opened(open_page, language)
    at.session_state["gallery.upload"] = read_upload("<b>`x`.csv", b"1,0\n1,2\n", 2)
    at.session_state["lesson:masks"] |= {"way_mask": "gallery", "gallery_pattern": "file", "gallery_n": 2}
    at.run()
    assert not at.exception
    named = {"name": "``<b>`x`.csv``", "line": 2, "column": 2, "cell": "`2`"}
    fault = gallery_words.FAULTS["wrong_cell"].say(language, **named)
    refused = words.NO_GALLERY["refused"].say(language, n=N, fault=fault)
    assert [error.value for error in at.error] == [refused]
    assert not list(dangers(at))
    press(at, "take.causal")
    assert not at.error


@pytest.mark.parametrize("language", LANGUAGES)
def test_M3_an_output_that_was_nan_before_is_a_dash_and_neither_still_nor_moved(
    open_page, language: str
) -> None:
    query = {"text": "a b c d e", "way_mask": "future", "way_key": "1", "way_change": "nan", "way_part": "v"}
    at = read(open_page, language, **query)
    rows = by_id(drawings(at)["leaks"], language)
    were = [way for way in ALL if rows[way][1][-1] == NOTHING]
    assert were == ["renormalised", "filled_softmax", "added_softmax", "mha_with_weights"]
    assert {rows[way][2] for way in were} == {words.LEAKS.say(language, found=4, hidden=5)}
    # Hidden from the last query alone, which sees no key.
    one = read(open_page, language, **(query | {"way_key": "5"}))
    rows = by_id(drawings(one)["leaks"], language)
    assert [way for way in ALL if rows[way][2] == words.WAS_NAN.say(language)] == were
    assert words.STILL.say(language) not in [row[2] for row in rows.values()]
    assert words.ALL_WERE_NAN.say(language, ways=4) in said(one)
    finite = read(open_page, language, **(query | {"way_change": "one"}))
    still = words.STILL.say(language)
    outcomes = [row[2] for row in by_id(drawings(finite)["leaks"], language).values()]
    assert outcomes.count(words.OF_HIDDEN.say(language, said=still, found=4, hidden=5)) == len(were)


def test_M3_inf_in_a_key_is_explained_by_the_scores_it_makes(open_page) -> None:
    tokens = "a b c d e f"
    text = said(read(open_page, text=tokens, way_change="inf", way_part="k", way_key="5"))
    with np.errstate(invalid="ignore"):
        scores = [float((query * math.inf).sum()) for query in qkv(tokens)[0].numpy()[:4]]
    minus, plus = scores.count(-math.inf), scores.count(math.inf)
    assert 0 < minus < 4, "some pass and some do not"
    assert words.KEY_INF.say("en", hidden=4, minus=minus, plus=plus, nan=4 - minus - plus) in text
    assert "−∞ − ∞ = −∞ is a weight of 0" in text
    assert "NaN − ∞ = NaN" in text


def test_M3_the_token_to_change_comes_back_with_the_longer_sentence(open_page) -> None:
    at = opened(open_page, way_key="7")
    for text, key in (("a b c", 3), (SENTENCE, 7)):
        put(at, "text_input", "text", text)
        assert at.session_state["lesson:masks"]["way_key"] == key
    assert drawings(at)["leaks"]["title"].startswith("How far outputs that may not see 7 ran")


def test_M3_every_pair_is_tested_whatever_token_is_changed(open_page) -> None:
    for key in ("1", "2"):
        at = opened(open_page, text="a b c d", way_key=key, way_test="1")
        assert of_test(6) in said(at)
        assert ("leaks" in drawings(at)) == (key == "2"), "key 1 is hidden from nobody"
    assert "leaked" not in drawings(opened(open_page, text="a b c d", way_key="1"))


def stamps(at) -> dict[str, dict]:
    """When each bench was made and for what link, by its key."""
    protos = [element.proto for element in at.get("bidi_component")]
    drawn = {proto.id.split("-")[-1]: json.loads(proto.json) for proto in protos}
    return {key: data["parts"][0]["data"] for key, data in drawn.items() if key.startswith("bench.")}


@pytest.fixture
def touch(monkeypatch: pytest.MonkeyPatch) -> Callable[..., dict[str, dict]]:
    """A function that gives a widget a value and runs its fragment, as a browser does; it gives what that drew."""
    messages: list = []

    def keep(sent):
        messages[:] = sent
        return parse_tree_from_messages(sent)

    def run(at, widget, value: object) -> dict[str, dict]:
        sent = [message.delta for message in messages]
        owner = next(delta.fragment_id for delta in sent if widget.proto.id in str(delta.new_element))
        widget.set_value(value)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(local_script_runner, "RerunData", partial(RerunData, fragment_id=owner))
            at.run()
        assert not at.exception
        drawn = stamps(at)
        at.run()
        return drawn

    monkeypatch.setattr(local_script_runner, "parse_tree_from_messages", keep)
    return run


def test_M3_the_leak_meters_controls_run_it_alone_and_the_others_run_both(open_page, touch) -> None:
    at = opened(open_page)
    meter, both = {"bench.leaks"}, {"bench.ways", "bench.leaks"}
    for expected, name, value in (
        (meter, "way_change", "nan"),
        (meter, "way_key", 4),
        (both, "way_mask", "others"),
        (both, "d_k", 3),
    ):
        kind = at.slider if name == "d_k" else at.selectbox
        drawn = touch(at, kind(key=f"masks.{name}"), value)
        assert drawn.keys() == expected, name
        newest = max(drawn.values(), key=itemgetter("number"))
        assert parse_qs(newest["query"])[name] == [str(value)]
    assert drawings(at)["leaks"]["column_names"] == ["4 the"], "all but the token itself are seen"


class Kept(dict):
    """Stands for a visit's values."""

    language = "en"

    def put(self, name: str, value: object) -> None:
        self[name] = value


def test_M3_rows_of_the_meter_and_its_test_are_heard() -> None:
    q, k, v = qkv()
    setting = Setting(tuple(SENTENCE.split()), q, k, v, causal(N), "zero", "float64", 0, "en")
    kept, chosen = Kept(way_key=5, way_change="one", way_part="both", way_test=False), []
    leaks = leak_parts(kept, setting, chosen.append)["leaks"][1]
    for row in (WAYS.index("add_1e9"), len(ALL) - 1):
        leaks.hear("pick", {"row": row, "column": 1})
    assert chosen == ["add_1e9"], "torch's own functions are not drawn above"
    pairs_part(kept, setting).hear("unfold", True)
    assert kept["way_test"]
    assert pairs_part(kept, setting).data["lines"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_M3_what_a_leak_is_and_what_the_signs_mean_is_said(open_page, language: str) -> None:
    causal_lines = told(read(open_page, language))
    assert words.LEAK_IS.say(language) in causal_lines
    assert words.BLIND_SIGN.say(language) not in causal_lines
    blind = read(open_page, language, way_mask="future")
    assert drawings(blind)["chosen"]["dead"]
    assert words.BLIND_SIGN.say(language) in told(blind)
    names = drawings(blind)["leaks"]["row_names"]
    assert len({*names}) == len(ALL)
    assert " ".join(told(blind)).count("F.scaled_dot_product_attention") == 1
