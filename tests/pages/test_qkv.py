"""The QKV page, every view by every source in both languages: nothing raises, every value is kept."""

from itertools import product

import pytest

from dashboard.panels.qkv.fields import STAGES, qkv_fields
from dashboard.text import LANGUAGES
from dashboard.text import qkv as words
from tests.pages.reading import dangers, drawings, numbers, outside_code, sentences, wrong_language

VIEWS = tuple(words.VIEWS)
EXTREMES = {
    "d_k 1": {"d_k": "1"},
    "d_k 64": {"d_k": "64"},
    "d_model 1": {"d_model": "1", "d_v": "1", "positions": "learned"},
    "d_model 64": {"d_model": "64", "d_v": "64"},
    "one token": {"text": "cat", "text2": "cat", "positions": "none"},
    "64 tokens": {"text": "猫" * 64, "text2": "狗" * 64},
    "everything large": {"text": "猫" * 64, "d_model": "64", "d_k": "64", "d_v": "64"},
}
TEXTS = {
    "html": "<img src=x onerror=alert(1)>",
    "dollars": "$5 and $6",
    "backticks": "a `b` ``c`` | d **e** :red[f]",
    "emoji": "👩‍👩‍👧 e\u0301 🇨🇳 مرحبا",
    "a long word": "x" * 512,
}
REFUSED = {"10 000 characters": "x" * 10_000, "65 tokens": "猫" * 65}
EMPTY = {"empty": "", "spaces": "   ", "no shape": "\u200b\ufeff"}
ELSEWHERE = {
    "view": "query",
    "text": "狗 追 猫",
    "text2": "one two",
    "seed": "7",
    "d_model": "5",
    "d_k": "3",
    "d_v": "2",
    "positions": "learned",
    "causal": "1",
    "stage": "w_q",
    "cell": "2.3",
    "query": "3",
    "angle": "40",
    "order": "9",
    "edit_own": "w_q.2.3_1.5~x.1.1_-2",
    "edit_e1": "q.1.1_3",
    "edit_e2": "x.1.1_3",
    "edit_e3": "scaled.1.1_3",
}


def assert_sound(at, language: str) -> None:
    assert not at.exception
    assert at.title[0].value == words.TITLE.say(language)
    assert list(dangers(at)) == []
    assert wrong_language(at, language) == []


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("source", words.SOURCES)
def test_every_view_of_every_source_shows_without_an_exception(open_page, language, view, source) -> None:
    for causal in "01":
        at = open_page("qkv", lang=language, view=view, source=source, causal=causal)
        assert_sound(at, language)
        assert not at.warning
        assert not at.error


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("name", EXTREMES)
def test_the_smallest_and_the_largest_sizes_show_in_every_view(open_page, view: str, name: str) -> None:
    for language, causal in zip(LANGUAGES, "10", strict=True):
        at = open_page("qkv", lang=language, view=view, causal=causal, **EXTREMES[name])
        assert_sound(at, language)
        assert not at.warning


@pytest.mark.parametrize("source", words.SOURCES)
@pytest.mark.parametrize("stage", [*STAGES, "w_q", "w_k", "w_v", "w_o"])
def test_every_stage_opens_on_any_cell_even_one_that_it_lacks(open_page, stage: str, source: str) -> None:
    for language, (causal, cell) in zip(LANGUAGES, (("1", "1.3"), ("0", "64.64")), strict=True):
        query = {"source": source, "stage": stage, "cell": cell, "causal": causal}
        assert_sound(open_page("qkv", lang=language, **query), language)


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_unfolds_unfolds_without_an_exception(open_page, language: str) -> None:
    for view in VIEWS:
        at = open_page("qkv", lang=language, view=view, text="<b>cat</b> `dog` $5")
        for key in [button.key for button in at.button if (button.key or "").startswith("open.")]:
            at = open_page("qkv", lang=language, view=view, text="<b>cat</b> `dog` $5")
            at.button(key=key).click().run()
            assert_sound(at, language)


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("name", TEXTS)
def test_hostile_text_is_shown_literally_in_every_view(open_page, view: str, name: str) -> None:
    for language in LANGUAGES:
        at = open_page("qkv", lang=language, view=view, text=TEXTS[name], text2=TEXTS[name])
        assert_sound(at, language)
        assert at.session_state["lesson:qkv"]["text"] == TEXTS[name]
        for said in sentences(at):
            assert "$5" not in outside_code(said)
            assert ":red[" not in outside_code(said)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", REFUSED)
def test_too_much_text_is_refused_in_the_readers_language_and_kept(open_page, language, name) -> None:
    at = open_page("qkv", left_here={"text": REFUSED[name]}, lang=language)
    assert_sound(at, language)
    assert len(at.error) == 1
    assert at.text_input(key="qkv.text").value == REFUSED[name]
    assert drawings(at) == {}
    at.button(key="begin.text").click().run()
    at.run()
    assert_sound(at, language)
    assert not at.error
    assert "result" in drawings(at)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", EMPTY)
def test_no_token_is_no_error_and_a_first_sentence_is_offered(open_page, language: str, name: str) -> None:
    at = open_page("qkv", lang=language, text=EMPTY[name])
    assert_sound(at, language)
    assert [info.value for info in at.info] == [words.EMPTY_TEXT.say(language)]
    at.button(key="first.text").click().run()
    at.run()
    assert at.text_input(key="qkv.text").value == words.FIRST_SENTENCE.say(language)
    assert "result" in drawings(at)


@pytest.mark.parametrize("view", VIEWS)
def test_a_lone_surrogate_does_no_harm(open_page, view: str) -> None:
    text = "a\ud800b \ud83d cat"
    at = open_page("qkv", left_here={"view": view, "text": text, "text2": text}, lang="en")
    assert_sound(at, "en")


MALFORMED = [
    ("d_k", "abc", 4),
    ("d_k", "", 4),
    ("d_k", "NaN", 4),
    ("d_k", "999", 64),
    ("d_k", "-1", 1),
    ("d_k", "1e308", 64),
    ("d_k", "9" * 9000, 4),
    ("d_k", ["2", "7"], 7),
    ("d_k", ["2", "abc"], 4),
    ("d_model", "0", 1),
    ("seed", "3.7", 4),
    ("view", "nope", "pipeline"),
    ("view", "流水线", "pipeline"),
    ("source", "e9", "own"),
    ("positions", "<b>", "sinusoidal"),
    ("causal", "yes", False),
    ("stage", "w_x", "weights"),
    ("cell", "a", (1, 0)),
    ("cell", "0.0", (0, 0)),
    ("cell", "999999.1", (63, 0)),
    ("query", "0", 1),
    ("angle", "181", 180),
    ("edit_own", "x.1.1_nan", {}),
    ("edit_own", "q.1.1_2", {}),
    ("edit_own", "x.999.1_2~x.1.1_2", {("x", 0, 0): 2.0}),
    ("edit_own", "x.1.1_2~" * 1000, {}),
    ("edit_e1", "<img src=x onerror=alert(1)>", {}),
    ("stranger", "$5 `and` <b>$6</b>", None),
    ("lang2", "\u202eabc", None),
]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(("name", "given", "used"), MALFORMED)
def test_a_malformed_link_gives_a_notice_and_the_nearest_legal_value(
    open_page, language, name, given, used
) -> None:
    at = open_page("qkv", lang=language, **{name: given})
    assert_sound(at, language)
    assert len(at.warning) == 1
    assert f"`{name}`" in at.warning[0].value
    state = at.session_state["lesson:qkv"]
    if used is None:
        assert name not in state
    elif name != "cell":
        assert state[name] == used
    else:
        assert state[name] <= used, "the cell moves on to the nearest that the matrix has"


def test_a_huge_text_in_a_link_is_refused_with_a_notice(open_page) -> None:
    at = open_page("qkv", lang="zh", text="x" * 10_000)
    assert_sound(at, "zh")
    assert len(at.warning) == 1
    assert at.session_state["lesson:qkv"]["text"] == words.FIRST_SENTENCE.zh


def test_a_link_full_of_strangers_is_answered_with_a_few_notices(open_page) -> None:
    at = open_page("qkv", lang="en", **{f"p{place}": "x" * 500 for place in range(200)})
    assert_sound(at, "en")
    assert 1 <= len(at.warning) <= 8


@pytest.mark.parametrize(("given", "used"), [(["en", "zh"], "zh"), ("fr", "en"), ("ZH", "en"), ("", "en")])
def test_the_last_language_of_a_link_counts_and_an_unknown_one_is_told(open_page, given, used) -> None:
    at = open_page("qkv", lang=given)
    assert_sound(at, used)
    assert len(at.warning) == 1


def test_all_values_of_a_link_arrive_and_switching_language_and_page_keeps_them(open_page, go_to) -> None:
    at = open_page("qkv", lang="en", **ELSEWHERE)
    assert not at.warning
    first = dict(at.session_state["lesson:qkv"])
    fields = qkv_fields("en")
    assert first["edit_own"] == {("w_q", 1, 2): 1.5, ("x", 0, 0): -2.0}
    left_at_default = {name for name in fields if first[name] == fields[name].default}
    assert left_at_default == {"source", "device"}  # of devices this machine may have but one
    at.button_group(key="lang.choice").set_value("zh").run()
    assert at.title[0].value == words.TITLE.zh
    assert {**at.session_state["lesson:qkv"], "lang": "en"} == first
    go_to(at, "")
    assert not at.exception
    assert not at.warning
    go_to(at, "qkv")
    at.button_group(key="lang.choice").set_value("en").run()
    assert_sound(at, "en")
    assert at.session_state["lesson:qkv"] == first
    for view, source in product(VIEWS, words.SOURCES):
        at.session_state["lesson:qkv"] |= {"view": view, "source": source}
        at.run()
        assert_sound(at, "en")
    kept = at.session_state["lesson:qkv"]
    changed = {name for name in fields if kept[name] != first[name]}
    assert changed <= {"view", "source", "stage", "cell", "query"}, "a view moves only what it cannot show"


def test_a_value_outlives_the_widget_that_showed_it(open_page) -> None:
    at = open_page("qkv", lang="en")
    at.slider(key="qkv.d_k").set_value(7).run()
    at.run()
    at.selectbox(key="qkv.source").select("e3").run()
    assert not [slider for slider in at.slider if slider.key == "qkv.d_k"]
    at.selectbox(key="qkv.source").select("own").run()
    assert at.slider(key="qkv.d_k").value == 7
    at.button_group(key="qkv.view").set_value("textbook").run()
    at.button_group(key="qkv.view").set_value("pipeline").run()
    assert at.slider(key="qkv.d_k").value == 7
    assert_sound(at, "en")


def test_the_default_page_shows_the_same_numbers_in_both_languages(open_page) -> None:
    shown = [
        numbers(drawings(open_page("qkv", lang=language, text="a b c"))["result"]).tolist()
        for language in LANGUAGES
    ]
    assert shown[0] == shown[1]
