"""From bare to dressed, as it stands on the page: the core's numbers in plane, lines, table and sentences (P8)."""

import math

import numpy as np
import pytest

from attention_core.experiments.dressing import (
    cosines_to_bare,
    distances_to_bare,
    heaviest_keys,
    lay_out,
    moved_if_weighed_again,
)
from dashboard.number_format import significant
from dashboard.panels.layers import stack as view
from dashboard.text import LANGUAGES
from dashboard.text import heads as head_words
from dashboard.text import layers as lesson_words
from dashboard.text import layers_stack as words
from tests.pages.layer_values import LONG, dressed, lines_of, parts_of
from tests.pages.reading import (
    chart_of,
    dangers,
    drawings,
    labels,
    numbers,
    sentences,
    told,
    wrong_language,
)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("layer", [0, 1, 4])
def test_P8_plane_lines_and_table_hold_the_cores_numbers(look_at, language: str, layer: int) -> None:
    at = look_at("layers", lang=language, stack_layer=layer, stack_token=5)
    sentence = dressed(at)
    vectors, laid = sentence.trace.vectors, lay_out(sentence)
    table = numbers(drawings(at)["tokens"])
    assert np.allclose(table[:, 0], distances_to_bare(vectors)[layer], atol=1e-12)
    assert np.allclose(table[:, 1], cosines_to_bare(vectors)[layer], atol=1e-12)
    assert np.allclose(table[:, 2:4].T, vectors[[0, layer]].norm(dim=-1), atol=1e-12)
    assert np.allclose(table[:, 4:], laid.places[0][layer], atol=1e-12)
    arrows, _ = chart_of(at, "arrow")
    for part, depth in (("foot", 0), ("tip", layer)):
        ends = arrows[arrows["part"] == part].sort_values("arrow")
        assert np.allclose(ends[["x", "y"]], laid.places[0][depth], atol=1e-12)
    lines, _ = chart_of(at, "depth")
    chosen = lines[lines["kind"] == words.CHOSEN.say(language)]["value"]
    assert np.allclose(chosen, cosines_to_bare(vectors)[:, 4], atol=1e-12)
    assert lines["line"].nunique() == 6
    assert lines["open"].dropna().tolist() == [layer]
    assert not wrong_language(at, language)
    assert not list(dangers(at))


def test_P8_repeated_words_stay_apart_in_plane_and_table(look_at) -> None:
    at = look_at("layers", lang="en", text="the cat saw the cat", positions="none")
    arrows, _ = chart_of(at, "arrow")
    assert set(arrows["arrow"]) == {-1, 0, 1, 2, 3, 4}
    feet = arrows[arrows["part"] == "foot"].sort_values("arrow")["said"].tolist()
    assert feet == [f"{name} · bare" for name in ("1 the", "2 cat", "3 saw", "4 the", "5 cat")]
    assert drawings(at)["tokens"]["row_names"] == ["the", "cat", "saw", "the", "cat"]


def test_P8_the_plane_stays_where_it_is_from_layer_to_layer(look_at) -> None:
    corners = []
    for layer in (0, 2, 4):
        arrows, _ = chart_of(look_at("layers", lang="en", stack_layer=layer), "arrow")
        corners.append(arrows[arrows["part"] == "corner"][["x", "y"]].to_numpy())
        tips = arrows[arrows["part"] != "corner"]
        for axis in (0, 1):
            assert (
                corners[-1][0][axis] < tips["xy"[axis]].min() <= tips["xy"[axis]].max() < corners[-1][1][axis]
            )
    assert np.array_equal(corners[0], corners[1])
    assert np.array_equal(corners[0], corners[2])
    (left, low), (right, high) = corners[0]
    assert right - left == pytest.approx(high - low), "a unit is as long across as up"


@pytest.mark.parametrize("language", LANGUAGES)
def test_P8_sentences_say_what_became_of_the_token_and_whom_it_took_from(look_at, language: str) -> None:
    at = look_at("layers", lang=language, stack_layer=3, stack_token=2)
    sentence = dressed(at)
    vectors, said = sentence.trace.vectors, lines_of(at, "said")
    token = f"2 {sentence.tokens[1]}"
    moved = words.MOVED.say(
        language,
        layer=3,
        token=token,
        distance=significant(math.dist(vectors[3, 1].tolist(), vectors[0, 1].tolist())),
        cosine=significant(float(cosines_to_bare(vectors)[3, 1])),
        before=significant(math.hypot(*vectors[0, 1].tolist())),
        after=significant(math.hypot(*vectors[3, 1].tolist())),
    )
    assert moved in said
    keys = heaviest_keys(sentence, 2, 1)
    named = [
        words.KEY.say(language, token=f"{key + 1} {sentence.tokens[key]}", share=significant(share))
        for key, share in keys[:4]
    ]
    rest = significant(sum(share for _, share in keys[4:]))
    named.append(words.REST.say(language, n=2, share=rest))
    took = words.TOOK[True].say(language, layer=3, h=2, keys=lesson_words.JOIN.say(language).join(named))
    assert took in said
    laid = lay_out(sentence)
    for share in (laid.plane.kept, *laid.plane.shares, laid.shares[3]):
        assert f"{significant(100 * share)}%" in said[-1]


@pytest.mark.parametrize("language", LANGUAGES)
def test_P8_the_bare_layer_a_lonely_query_and_one_head_are_said_as_such(look_at, language: str) -> None:
    at = look_at("layers", lang=language, stack_layer=0)
    token = f"2 {dressed(at).tokens[1]}"
    assert words.AT_BARE.say(language, token=token) in told(at)
    lonely = look_at("layers", lang=language, is_causal=1, stack_token=1, stack_layer=2)
    assert words.TOOK_ITSELF.say(language, layer=2) in told(lonely)
    single = look_at("layers", lang=language, h=1, stack_layer=1)
    assert any(
        line.startswith(words.TOOK[False].say(language, layer=1, keys="")[:12]) for line in told(single)
    )
    assert not any("h = 1)" in line for line in lines_of(single, "said"))
    one = look_at("layers", lang=language, text="a", stack_layer=1, n_layers=1)
    assert not any(
        line.startswith(words.FARTHEST.say(language, most="", far="", least="", near="")[:6])
        for line in told(one)
    )


def test_P8_the_image_is_computed_once_it_is_open_and_says_where_it_ends(look_at, monkeypatch) -> None:
    parts = parts_of(monkeypatch, view)
    at = look_at("layers", is_touched=True, lang="en", stack_layer=2, stack_token=3)
    assert lines_of(at, "image") == []
    parts["image"][1].hear("unfold", True)
    at.run()
    moved = moved_if_weighed_again(dressed(at), 1, 2)
    assert moved > 0.01
    computed = words.IMAGE_COMPUTED.say("en", layer=2, token="3 of", moved=significant(moved))
    assert lines_of(at, "image")[-1] == computed
    limit = " ".join(lines_of(at, "image"))
    assert "self-consistent" in limit
    assert "nothing is solved" in limit
    at.toggle(key="layers.is_causal").set_value(True)
    at.selectbox(key="layers.stack_token").set_value(1).run()
    assert lines_of(at, "image")[-1] == words.IMAGE_ALONE.say("en", layer=2, token="1 the", moved="0")


@pytest.mark.parametrize("has_residual", [1, 0])
def test_P8_the_question_about_the_residual_runs_both_stacks(look_at, has_residual: int) -> None:
    at = look_at("layers", is_touched=True, lang="en", has_residual=has_residual, stack_token=4)
    assert lines_of(at, "question")[1] == words.QUESTION[bool(has_residual)].say("en", token="4 the", n=4)
    at.session_state["is_open:answer:stack"] = True
    at.run()
    having, without = (
        float(cosines_to_bare(dressed(at, has_residual=has).trace.vectors)[-1, 3]) for has in (True, False)
    )
    assert having > without + 0.05
    verdict = words.VERDICTS["larger"].en
    expected = words.ANSWER.say(
        "en", having=significant(having), without=significant(without), verdict=verdict
    )
    assert lines_of(at, "answer") == [expected]


def test_P8_a_row_of_the_table_chooses_its_token_and_the_link_holds_it(look_at, monkeypatch) -> None:
    parts = parts_of(monkeypatch, view)
    at = look_at("layers", is_touched=True, lang="en")
    parts["tokens"][1].hear("pick", {"row": 4, "column": 3})
    at.run()
    assert at.selectbox(key="layers.stack_token").value == 5
    assert "stack_token=5" in drawings(at)["address"]["query"]
    lines, _ = chart_of(at, "depth")
    chosen = lines[lines["kind"] == words.CHOSEN.en]["said"].tolist()
    assert chosen[0] == "5 river · layer 0 · 1.00"


def test_P8_fewer_layers_and_tokens_than_the_link_names_are_said(look_at) -> None:
    at = look_at("layers", lang="en", n_layers=2, stack_layer=7, stack_token=9, text="a b c")
    assert drawings(at)["tokens"]["title"] == words.TABLE.say("en", layer=2)
    assert any("7" in text and "2" in text for text in sentences(at))
    assert at.selectbox(key="layers.stack_token").value == 3


@pytest.mark.parametrize("language", LANGUAGES)
def test_heads_that_do_not_divide_the_width_are_refused_in_every_view(look_at, language: str) -> None:
    for name in ("stack", "attention", "smoothing", "rollout", "twice", "far"):
        at = look_at("layers", lang=language, view=name, h=3)
        rule = head_words.H_DIVIDES.say(language, h=3, d_model=16, rest=1)
        assert [error.value for error in at.error] == [rule], name
        assert "address" in drawings(at)
    at.button(key="take.h.4").click().run()
    assert not at.error
    assert not at.exception


def test_the_largest_sentence_stays_small_on_the_wire_and_names_leave_room(look_at) -> None:
    at = look_at("layers", lang="en", text=LONG, n_layers=12, h=8, d_model=64)
    arrows, _ = chart_of(at, "arrow")
    tips = arrows[arrows["part"] == "tip"]
    assert len(tips) == 64
    unnamed = int((tips["label"] == "").sum())
    assert words.UNNAMED.say("en", n=unnamed) in sentences(at)
    assert tips[tips["arrow"] == 1]["label"].tolist() == ["2 w1"], "the chosen token keeps its name"
    assert max(len(element.proto.json) for element in at.get("bidi_component")[1:]) < 400_000
    assert words.LAYER.en in labels(at)
