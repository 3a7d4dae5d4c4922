"""A decoder that reads an encoder, as it stands on the page (V6): the core's numbers, sentences that stay true, extremes."""

import math
import re

import numpy as np
import pytest

from attention_core.experiments.bottleneck import hidden_by_causal, read_sentence
from attention_core.experiments.recall import LENGTHS, expected_recall, longest_recalled, measure_recall
from attention_core.tokens import tokenize
from dashboard.grid.bench import show_bench
from dashboard.number_format import significant
from dashboard.panels.variants import encoder as view
from dashboard.panels.variants.encoder_chart import ALWAYS
from dashboard.panels.variants.encoder_said import WIDTHS_ASKED
from dashboard.text import LANGUAGES
from dashboard.text import variant_encoder as words
from tests.pages.reading import (
    chart_of,
    dangers,
    drawings,
    labels,
    levels,
    numbers,
    sentences,
    told,
    wrong_language,
)

LONG = " ".join(f"w{place}" for place in range(64))


def opened(open_page, language: str = "en", **query: object):
    named = {f"encoder_{name}": str(value) for name, value in query.items()}
    at = open_page("variants", lang=language, view="encoder", **named)
    assert not at.exception
    return at


def core_of(at, **changed):
    state = at.session_state["lesson:variants"]
    return read_sentence(
        tokenize(state["encoder_text"]),
        state["encoder_order"],
        **{
            "seed": state["encoder_seed"],
            "d_model": state["encoder_d_model"],
            "sharpness": state["encoder_sharpness"],
            "keep": state["encoder_keep"],
        }
        | changed,
    )


@pytest.fixture
def shown(monkeypatch) -> dict:
    """The parts of the benches as Python holds them, so that a test can do what a browser would."""
    parts: dict = {}

    def show(key: str, described: dict) -> None:
        parts.update(described)
        show_bench(key, described)

    monkeypatch.setattr(view, "show_bench", show)
    return parts


def signs(found, out) -> list[str]:
    return [
        f"{'✓' if is_right else '✗'} {found.vocabulary[word]}"
        for word, is_right in zip(out.read, out.is_right, strict=True)
    ]


@pytest.mark.parametrize("language", LANGUAGES)
def test_V6_the_first_sight_shows_that_attention_reads_what_a_fixed_vector_does_not(
    look_at, language: str
) -> None:
    at = look_at("variants", lang=language, view="encoder")
    found, drawn = core_of(at), drawings(at)
    assert found.attended.n_right == len(found.places) == 9
    assert found.fixed.n_right <= 4
    assert np.array_equal(numbers(drawn["weights"]), found.attention.weights)
    assert drawn["weights"]["row_names"] == [found.vocabulary[word] for word in found.wanted]
    assert drawn["weights"]["column_names"] == list(found.tokens)
    assert drawn["weights"]["footer"] == signs(found, found.attended)
    step = len(found.places) - 1
    cosines = np.stack([out.cosines[step].numpy() for out in (found.fixed, found.attended)])
    assert np.array_equal(numbers(drawn["cosines"]), cosines)
    assert drawn["cosines"]["footer"] == [signs(found, out)[step] for out in (found.fixed, found.attended)]
    texts = np.array(drawn["read"]["texts"]).reshape(9, 4)
    assert texts[:, 0].tolist() == signs(found, found.fixed)
    assert texts[:, 1].tolist() == signs(found, found.attended)
    assert texts[:, 2].tolist() == [significant(number) for number in found.crosstalk]
    assert texts[:, 3].tolist() == [str(number) for number in found.n_steps_between]
    vectors = numbers(drawn["vectors"])
    assert np.array_equal(vectors, found.directions(step))
    assert np.allclose((vectors @ vectors.T)[0, 2:], cosines[:, found.wanted[step]])
    counted = {"steps": 9, "fixed": found.fixed.n_right, "attended": 9, "n": 9, "d": 8, "all": 72}
    assert words.SUM.say(language, **counted) in told(at)
    assert words.NOTE.say(language, seed=0) in told(at)


def test_V6_the_decoder_goes_on_word_by_word_and_begins_again(open_page) -> None:
    at = opened(open_page, step=8)
    assert drawings(at)["weights"]["sides"] == [8, 9]
    at.button(key="encoder.next").click().run()
    assert drawings(at)["weights"]["sides"] == [9, 9]
    assert at.button(key="encoder.next").label == words.AGAIN.en
    at.button(key="encoder.next").click().run()
    assert drawings(at)["weights"]["sides"] == [1, 9]
    assert "encoder_step=1" in drawings(at)["address"]["query"].split("&")
    at.button(key="encoder.next").click().run()
    assert at.slider(key="variants.encoder_step").value == 2
    found = core_of(at)
    assert words.HEADING.say("en", step=2, place=9, word="saw") in told(at)
    counted = sum(found.fixed.is_right[:2])
    assert any(f"up to step 2: fixed vector {counted} of 2, attention 2 of 2" in line for line in told(at))


@pytest.mark.parametrize("name", ["weights", "read"])
def test_V6_a_picked_row_goes_back_to_its_step(open_page, shown, name: str) -> None:
    at = opened(open_page, step=9)
    shown[name][1].hear("pick", {"row": 3, "column": 0})
    at.run()
    assert at.session_state["lesson:variants"]["encoder_step"] == 4
    assert drawings(at)["weights"]["picked"] // 9 == 3
    shown[name][1].hear("pick", {"row": 7, "column": 0})
    at.run()
    assert at.session_state["lesson:variants"]["encoder_step"] == 4, (
        "rows after the present step are not there"
    )


def test_V6_queries_need_not_be_as_many_as_keys(open_page) -> None:
    at = opened(open_page, order="every_second")
    assert drawings(at)["weights"]["sides"] == [5, 9]
    assert drawings(at)["weights"]["row_names"] == ["she", "in", "park", "old", "saw"]
    assert at.slider(key="variants.encoder_step").max == 5


SETTINGS = [
    {"order": "verb_back"},
    {"order": "reverse", "keep": 0.8, "step": 3},
    {"order": "copy", "d_model": 64},
    {"order": "every_second", "sharpness": 1},
    {"text": "the dog saw the dog", "step": 2},
    {"text": "dog cat", "d_model": 2},
]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("query", SETTINGS, ids=str)
def test_V6_every_sentence_is_true_of_what_the_core_computes(open_page, language: str, query: dict) -> None:
    at = opened(open_page, language, **query)
    found, said = core_of(at), told(at)
    n, d_model = found.states.shape
    step = at.session_state["lesson:variants"]["encoder_step"] - 1
    for texts, out in ((words.FIXED, found.fixed), (words.ATTENDED, found.attended)):
        is_right = out.is_right[step]
        assert (out.read[step] == found.wanted[step]) == is_right
        assert texts[is_right].say(language, **fields_of(found, out, step)) in said
    keep = at.session_state["lesson:variants"]["encoder_keep"]
    formula = words.FORMULA_KEEPS if keep == 1 else words.FORMULA_FADES
    (line,) = [line for line in said if formula.say(language) in line]
    assert f"= {significant(found.expected_rms)}" in line
    assert significant(found.crosstalk[step]) in line
    assert (words.REPEATED.say(language) in line) == (len(found.vocabulary) < n)
    if keep == 1:
        assert found.expected_rms == pytest.approx(math.sqrt((n - 1) / d_model))
        assert words.KEEPS.say(language, n=n, d=d_model) in said
    hidden = hidden_by_causal(found.places)
    if hidden:
        counts = {"hidden": len(hidden), "steps": len(found.places), "right": found.causal.n_right}
        assert words.CAUSAL.say(language, n=n, **counts) in said
    else:
        assert words.CAUSAL_HARMLESS.say(language, n=n) in said
    foreseen = f"{expected_recall(n, d_model, keep):.0%}", f"{found.fixed.share_right:.0%}"
    assert any(all(share in line for share in foreseen) for line in said)
    assert not wrong_language(at, language)
    assert not re.search(r"(?<![\w.])1 (?:different words|tokens|steps)\b", "\n".join(said))


def fields_of(found, out, step: int) -> dict[str, str]:
    """What a sentence on one way of reading says, worked out anew."""
    wanted, row = found.wanted[step], out.cosines[step].numpy()
    others = np.delete(np.arange(len(row)), wanted)
    best = others[row[others].argmax()]
    return {
        "read": found.vocabulary[row.argmax()],
        "wanted": found.vocabulary[wanted],
        "own": significant(row[wanted]),
        "other": found.vocabulary[best],
        "next": significant(row[best]),
        "weight": significant(float(found.attention.weights[step, found.places[step]])),
    }


@pytest.mark.parametrize("language", LANGUAGES)
def test_V6_the_far_word_of_the_other_order_and_the_near_one_of_this(look_at, language: str) -> None:
    at = look_at("variants", lang=language, view="encoder")
    found = core_of(at)
    verb = found.tokens[-1]
    assert found.n_steps_between[1] == 2
    assert words.BOTH_WAYS.say(language, word=verb, short=2, long=16) in told(at)
    fields = {"word": found.tokens[7], "place": 8, "step": 9, "between": 10, "least": 2, "most": 10}
    assert words.PATH.say(language, **fields) in told(at)
    other = look_at("variants", lang=language, view="encoder", encoder_order="verb_back")
    assert core_of(other).n_steps_between[-1] == max(core_of(other).n_steps_between) == 16
    assert words.BOTH_WAYS.say(language, word=verb, short=2, long=16) not in told(other)


def test_V6_the_chart_holds_the_sweeps_theory_and_the_sentences_marks(look_at) -> None:
    at = look_at("variants", lang="en", view="encoder", encoder_d_model=16)
    frame, alt = chart_of(at, "expected")
    found, measured = core_of(at), measure_recall(16)
    line = frame[(frame["line"] == words.FIXED_LINE.en) & frame["mark"].isna()]
    assert line["n"].tolist() == list(LENGTHS)
    assert line["value"].tolist() == [one.share.mean for one in measured]
    assert line["expected"].tolist() == [one.expected for one in measured]
    spread = np.array([2 * one.share.standard_error for one in measured])
    assert np.allclose(line["low"], np.clip(line["value"] - spread, 0, 1))
    assert set(frame["line"]) == {
        words.ATTENDED_LINE.en,
        words.FIXED_LINE.en,
        *(words.OTHER_LINE.say("en", d=width) for width in ALWAYS),
    }
    marks = frame[frame["mark"].notna()].set_index("mark")["value"].to_dict()
    assert marks == {
        words.WAYS["attended"].en: found.attended.share_right,
        words.WAYS["fixed"].en: found.fixed.share_right,
    }
    assert "8, 32, 128" in alt
    assert any("Your d is 16" in line for line in told(at))


def test_V6_the_numbers_of_the_chart_are_offered_as_a_table(open_page) -> None:
    at = opened(open_page)
    at.button(key="open.table.recall").click().run()
    frame = at.dataframe[0].value
    assert len(frame) == len(LENGTHS) * (2 + len(ALWAYS))
    own = frame[frame[words.TABLE_COLUMNS["way"].en] == words.FIXED_LINE.en]
    assert own[words.TABLE_COLUMNS["expected_crosstalk"].en].tolist() == [(n - 1) / 8 for n in LENGTHS]


@pytest.mark.parametrize("language", LANGUAGES)
def test_V6_the_answer_counts_at_each_width_what_is_read_right(open_page, language: str) -> None:
    at = opened(open_page, language, sharpness=4)
    at.session_state["is_open:answer:encoder"] = True
    at.run()
    (answer,) = ["".join(p["text"] for p in line["pieces"]) for line in drawings(at)["answer"]["lines"]]
    counts = {width: core_of(at, d_model=width) for width in WIDTHS_ASKED}
    for width, found in counts.items():
        fields = {"d": width, "fixed": found.fixed.n_right, "attended": found.attended.n_right}
        assert words.ANSWER_EACH.say(language, **fields) in answer
    for way in ("fixed", "attended"):
        full = [str(width) for width, found in counts.items() if all(getattr(found, way).is_right)]
        told_all = words.ALL_AT[way].say(language, widths=words.JOIN.say(language).join(full))
        assert (told_all if full else words.ALL_NOWHERE[way].say(language)) in answer


def test_V6_theory_names_the_length_at_which_recall_begins_to_fail(look_at) -> None:
    at = look_at("variants", lang="en", view="encoder", encoder_d_model=64)
    most, half = longest_recalled(64, 0.95), longest_recalled(64, 0.5)
    assert (most, half) == (6, 19)
    assert any(
        f"at least 95 percent of up to {most} different words, and at least half of up to {half} different"
        in line
        for line in told(at)
    )
    narrow = look_at("variants", lang="en", view="encoder", encoder_d_model=2)
    assert any("95 percent of up to 1 word," in line for line in told(narrow))


EXTREMES = ["dog", "dog dog dog", "!", "<b>bold</b> <script>", "$x$ `a` **b** [c](d)", "😀 👩‍👩‍👧 猫", LONG]


@pytest.mark.parametrize("text", EXTREMES, ids=lambda text: text[:12])
def test_V6_any_sentence_is_read_and_none_is_markup(open_page, text: str) -> None:
    for language in LANGUAGES if len(text) < 4 else ("zh",):
        at = opened(open_page, language, d_model=2)
        at.text_input(key="variants.encoder_text").set_value(text).run()
        assert not at.exception
        found, drawn = core_of(at), drawings(at)
        assert drawn["weights"]["sides"] == [len(found.places), len(found.tokens)]
        assert levels(drawn["weights"]).shape == found.attention.weights.shape
        assert not list(dangers(at))
        assert not wrong_language(at, language)
        if len(found.vocabulary) == 1:
            assert words.ONLY_WORD.say(language, word=found.vocabulary[0]) in told(at)
        if len(found.tokens) == 1:
            assert words.NOTHING_ELSE.say(language) in told(at)
            assert "encoder.next" not in [button.key for button in at.button]


@pytest.mark.parametrize("language", LANGUAGES)
def test_V6_an_empty_or_a_long_sentence_is_answered_with_a_button(open_page, language: str) -> None:
    at = opened(open_page, language)
    at.text_input(key="variants.encoder_text").set_value("  ").run()
    assert not at.exception
    assert len(at.info) == 1
    assert "weights" not in drawings(at)
    at.text_input(key="variants.encoder_text").set_value(LONG + " more").run()
    assert len(at.error) == 1
    at.button(key="begin.encoder_text").click().run()
    assert drawings(at)["weights"]["sides"] == [64, 64]


@pytest.mark.parametrize(
    ("name", "value", "used"),
    [
        ("encoder_d_model", "1000000000000", 64),
        ("encoder_d_model", "NaN", 8),
        ("encoder_sharpness", "-5", 0),
        ("encoder_keep", "inf", 1.0),
        ("encoder_keep", "nan", 1.0),
        ("encoder_order", "<script>", "verb_forward"),
        ("encoder_step", "9999999", 9),
        ("encoder_seed", "😀", 0),
    ],
)
def test_V6_a_hostile_link_gives_a_notice_and_a_legal_value(open_page, name: str, value: str, used) -> None:
    at = open_page("variants", lang="en", view="encoder", **{name: value})
    assert not at.exception
    assert len(at.warning) == 1
    assert at.session_state["lesson:variants"][name] == used
    assert not list(dangers(at))


def test_V6_the_sentence_of_other_views_is_offered_and_taken(open_page) -> None:
    at = open_page("variants", lang="en", view="encoder", text="**we** $saw$ <b>it</b>")
    assert not list(dangers(at))
    at.button(key="encoder.own").click().run()
    assert at.session_state["lesson:variants"]["encoder_text"] == "**we** $saw$ <b>it</b>"
    assert "encoder.own" not in [button.key for button in at.button]
    assert "encoder.own" not in [button.key for button in opened(open_page).button]


def test_V6_each_control_changes_what_is_drawn_and_reset_takes_all_back(open_page) -> None:
    at = opened(open_page)
    first = drawings(at)
    weights, read = first["weights"]["exact"], first["read"]["texts"]
    at.select_slider(key="variants.encoder_sharpness").set_value(8).run()
    assert drawings(at)["weights"]["exact"] != weights
    assert [text.split()[1] for text in drawings(at)["read"]["texts"][0::4]] == [
        t.split()[1] for t in read[0::4]
    ]
    at.select_slider(key="variants.encoder_keep").set_value(0.5).run()
    assert drawings(at)["read"]["texts"][2::4] != read[2::4]
    assert any(
        line.startswith(words.FADES.say("en", keep="0.5", last="*", first="*").split("*")[0])
        for line in told(at)
    )
    at = opened(open_page, seed=7, order="reverse")
    assert drawings(at)["weights"]["row_names"][0] == "saw"
    assert drawings(at)["vectors"]["exact"] != first["vectors"]["exact"]
    at.button(key="reset.encoder").click().run()
    assert drawings(at)["weights"]["exact"] == weights
    assert drawings(at)["read"]["texts"] == read


@pytest.mark.parametrize("language", LANGUAGES)
def test_V6_the_page_speaks_one_language(look_at, language: str) -> None:
    at = look_at("variants", lang=language, view="encoder")
    said = "\n".join([*told(at), *labels(at), *sentences(at)])
    if language == "en":
        assert not re.search(r"[\u3400-\u9fff]", said.replace("中文", ""))
    legends = {name: one for name, one in drawings(at).items() if one.get("ends")}
    assert all(one["words"].get("value") for one in legends.values())
