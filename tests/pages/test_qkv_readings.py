"""What the QKV lesson says beside its numbers (readings, answers, badges, marks, limits), against the numbers."""

import re
from urllib.parse import parse_qs

import numpy as np
import pytest
import torch

from attention_core.experiments.equivariance import measure_equivariance, shuffle
from attention_core.single_head import own_sentence, trace_from_qkv, trace_single_head
from attention_core.tokens import MAX_CHARACTERS, MAX_TOKENS, ids, tokenize
from dashboard.link import MAX_EDIT, MAX_EDITS_BYTES
from dashboard.number_format import significant
from dashboard.panels.qkv.fields import RESETTABLE, qkv_fields
from dashboard.text import LANGUAGES
from dashboard.text import frame as frame_words
from dashboard.text import qkv as words
from dashboard.text import start as start_words
from tests.pages.reading import chart_of, drawings, hidden, numbers, sentences

TEXT = "the cat saw a dog"
REPEATED = "the cat saw the dog and the bird"
SIZES = {"seed": 3, "d_model": 5, "d_k": 3, "d_v": 2, "positions": "sinusoidal"}
in_both_languages = pytest.mark.parametrize("language", LANGUAGES)


def query_of(language: str = "en", **changed: object) -> dict[str, str]:
    return {"lang": language} | {
        name: str(value) for name, value in ({"text": TEXT} | SIZES | changed).items()
    }


def core(text: str = TEXT, *, is_causal: bool = False, **changed: object):
    return trace_single_head(own_sentence(tokenize(text), **(SIZES | changed)), is_causal=is_causal)


def shown(at, key: str = "result") -> np.ndarray:
    return numbers(drawings(at)[key])


def told(at, name: str = "cell") -> list[str]:
    """The lines of a part of the bench."""
    return ["".join(piece["text"] for piece in line["pieces"]) for line in drawings(at)[name]["lines"]]


def listed(values) -> str:
    return f"[{', '.join(significant(float(value)) for value in values)}]"


# E4: what "it" looks at


@in_both_languages
def test_e4_the_row_of_it_moves_from_tired_to_high_and_the_note_denies_that_it_means_anything(
    open_page, language: str
) -> None:
    rows, note = [], words.IT_NOTE.say(language)
    for label, text in ((words.TRY_TIRED, words.TIRED_SENTENCE), (words.TRY_HIGH, words.HIGH_SENTENCE)):
        at = open_page("qkv", lang=language)
        assert note not in sentences(at), "the first sentence has no such word"
        at.button(key="open.settings").click().run()
        (button,) = (button for button in at.button if button.label == label.say(language))
        button.click().run()
        at.run()
        assert at.text_input(key="qkv.text").value == text.say(language)
        assert note in sentences(at)
        place = tokenize(text.say(language)).index({"zh": "它", "en": "it"}[language])
        rows.append(shown(at)[place])
    assert np.abs(rows[0] - rows[1]).max() > 0.01


@in_both_languages
def test_the_rule_of_the_tokens_stands_on_the_stage_that_looks_them_up(open_page, language: str) -> None:
    rule = words.RULE.say(language)
    assert rule in sentences(open_page("qkv", **query_of(language, stage="embedding")))
    assert rule not in sentences(open_page("qkv", **query_of(language, stage="x")))


# The readings of the stages


def best_in(row) -> dict[str, object]:
    best = int(np.argmax(row))
    return {"best": f"{best + 1} {tokenize(TEXT)[best]}", "value": significant(float(row[best]))}


def facts(language: str, stage: str, row: int, *, is_causal: bool) -> dict[str, object]:
    """What is so of one row of one stage, computed here: all that a reading could say."""
    trace, tokens = core(is_causal=is_causal), tokenize(TEXT)
    matrix = getattr(trace, stage).numpy()
    said = {"n": len(matrix), "width": matrix.shape[1], "row": row + 1, "token": tokens[row]}
    said |= {"ids": ", ".join(map(str, ids(tokens))), "unique": len(set(tokens))}
    said |= {"kind": words.POSITION_NAMES["sinusoidal"].say(language), "d_k": 3, "root": significant(3**0.5)}
    said |= {"pairs": 25, "hidden": 10, "sum": "1.00"}
    if stage in {"scores", "scaled", "weights"}:
        said |= best_in(matrix[row])
    if stage == "out":
        said |= best_in(trace.weights[row].numpy())
        said["n"] = row + 1 if is_causal else 5
    if stage in {"scores", "scaled", "weights", "out"}:
        said["token"] = f"{row + 1} {tokens[row]}"
    return said


@in_both_languages
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("stage", words.READINGS)
def test_the_reading_of_a_stage_names_the_picked_row_and_its_largest_number(
    open_page, stage: str, causal: bool, language: str
) -> None:
    if stage == "masked" and not causal:
        return
    for row in (1, 4):
        query = query_of(language, stage=stage, cell=f"{row + 1}.1", causal=int(causal))
        expected = words.READINGS[stage].say(language, **facts(language, stage, row, is_causal=causal))
        assert told(open_page("qkv", **query))[0] == expected


@in_both_languages
def test_keys_that_share_the_largest_weight_are_all_named(open_page, language: str) -> None:
    at = open_page("qkv", lang=language, source="e1", stage="weights", cell="1.1")
    tied = words.AND.say(language).join(("1 A", "3 C"))
    assert told(at)[0] == words.READINGS["weights"].say(
        language, token="1 A", best=tied, value="0.401", sum="1.00"
    )


@in_both_languages
def test_what_an_example_gives_by_hand_is_read_as_given(open_page, language: str) -> None:
    for stage in "qkv":
        at = open_page("qkv", lang=language, source="e1", stage=stage, cell="3.1")
        assert told(at)[0] == words.GIVEN_READINGS[stage].say(language, row=3, token="C")
    at = open_page("qkv", lang=language, source="e2", stage="x", cell="1.1")
    assert told(at)[0] == words.GIVEN_READINGS["x"].say(language, n=3, width=4)
    at = open_page("qkv", lang=language, source="e2", stage="q", cell="2.1")
    token = words.EXAMPLE_WORDS["chases"].say(language)
    assert told(at)[0] == words.READINGS["q"].say(language, row=2, token=token)
    at = open_page("qkv", lang=language, source="e3", stage="scaled", cell="1.1")
    assert told(at)[0] == words.E3_READING.say(language)


@in_both_languages
@pytest.mark.parametrize(
    ("name", "rows", "width"), [("w_q", 5, 3), ("w_k", 5, 3), ("w_v", 5, 2), ("w_o", 2, 5)]
)
def test_a_picked_cell_of_w_is_read_by_its_columns(open_page, name, rows, width, language: str) -> None:
    at = open_page("qkv", **query_of(language, stage=name, cell="2.1"))
    named = words.NAMES[name].say(language)
    assert told(at)[0] == words.W_READING.say(language, name=named, rows=rows, width=width)


@in_both_languages
@pytest.mark.parametrize("cell", ["1.1", "3.1", "3.2", "4.5"])
def test_a_sinusoidal_position_is_the_sine_or_cosine_that_its_cell_names(open_page, cell, language) -> None:
    at = open_page("qkv", **query_of(language, stage="position", cell=cell))
    row, column = (int(number) - 1 for number in cell.split("."))
    even, function = 2 * (column // 2), ("sin", "cos")[column % 2]
    angle = row / 10_000 ** (even / 5)
    assert shown(at)[row, column] == pytest.approx(getattr(np, function)(angle), abs=1e-15)
    expected = words.GIVEN_POSITION["sinusoidal"].say(
        language,
        function=function,
        place=row,
        even=even,
        width=5,
        angle=significant(angle),
        row=row + 1,
    )
    assert expected in told(at)


@in_both_languages
def test_a_position_that_is_off_or_learned_says_so_at_its_cell(open_page, language: str) -> None:
    off = open_page("qkv", **query_of(language, stage="position", cell="3.2", positions="none"))
    assert words.GIVEN_POSITION["none"].say(language, row=3) in told(off)
    assert shown(off)[2, 1] == 0
    learned = open_page("qkv", **query_of(language, stage="position", cell="3.2", positions="learned"))
    assert words.GIVEN_POSITION["learned"].say(language, row=3, seed=3) in told(learned)
    assert shown(learned)[2, 1] == float(core(positions="learned").position[2, 1])


@in_both_languages
@pytest.mark.parametrize(("cell", "number"), [("4.2", 0), ("5.3", 3), ("1.1", 0)])
def test_a_cell_of_the_embedding_names_its_row_of_e_and_marks_it(open_page, cell, number, language) -> None:
    at = open_page("qkv", **query_of(language, text=REPEATED, stage="embedding", cell=cell))
    row, column = (int(number) - 1 for number in cell.split("."))
    token = tokenize(REPEATED)[row]
    said = {"id": number, "token": token, "column": column + 1, "seed": 3}
    assert words.GIVEN_EMBEDDING.say(language, **said) in told(at)
    table = drawings(at)["input.table"]
    assert table["marked"] == [number * 5 + column]
    assert numbers(table)[number, column] == shown(at)[row, column]
    assert table["row_names"][number] == words.ID_ROW.say(language, id=number, token=token)


# One query: the story and the question about length


@in_both_languages
def test_the_story_of_e1_names_both_keys_that_fit_best_and_asks_nothing(open_page, language: str) -> None:
    at = open_page("qkv", lang=language, view="query", source="e1", query="1")
    both = words.AND.say(language).join(("`1 A`", "`3 C`"))
    assert words.STORY.say(language, token="`A`", seen=3, best=both, value="0.401") in sentences(at)
    assert not questions(at, language)


def test_the_picture_of_a_story_is_described_with_the_tokens_as_they_are(open_page) -> None:
    at = open_page("qkv", lang="en", view="query", text="` $x$", query="1")
    assert "Weights of query ` over the keys" in chart_of(at, "weight")[1]


@in_both_languages
def test_the_story_of_e3_speaks_of_given_scores(open_page, language: str) -> None:
    at = open_page("qkv", lang=language, view="query", source="e3", query="1")
    best = f"`1 {words.EXAMPLE_WORDS['first'].say(language)}`"
    assert words.STORY_GIVEN.say(language, seen=3, best=best, value="0.786") in sentences(at)
    assert not questions(at, language)


def questions(at, language: str) -> list[str]:
    return [said for said in sentences(at) if said.startswith(f"**{frame_words.QUESTION.say(language)}**")]


WIDE = {"d_model": 6, "d_k": 4, "d_v": 4}
ANSWERS = {
    "a shorter key is better aligned": (REPEATED, WIDE | {"seed": 2}, 1, False, "ANSWER_OTHER", 1, [7]),
    "the leader is best aligned": (REPEATED, WIDE | {"seed": 2}, 2, False, "ANSWER_SAME", 4, [4]),
    "hidden keys do not take part": (REPEATED, WIDE | {"seed": 3}, 6, True, "ANSWER_SAME", 4, [4]),
    "in one dimension there are two directions": (TEXT, {"d_k": 1}, 1, False, "ANSWER_TIE", 2, [2, 3]),
}


@in_both_languages
@pytest.mark.parametrize("name", ANSWERS)
def test_the_question_about_length_is_answered_from_cosines(open_page, name: str, language: str) -> None:
    text, sizes, query, is_causal, *expected = ANSWERS[name]
    place = {"view": "query", "text": text, "query": query, "causal": int(is_causal)}
    at = open_page("qkv", **query_of(language, **place, **sizes))
    trace = core(text, **sizes)
    seen = query if is_causal else len(trace.k)
    assert_answered(at, language, trace.q[query - 1], trace.k[:seen], tokenize(text), *expected)


@in_both_languages
@pytest.mark.parametrize(("first", "third"), [((1, 0), (2, 0)), ((3, 1), (21, 7))], ids=["exact", "rounded"])
def test_the_question_about_length_ends_in_a_tie_where_two_keys_of_e1_point_the_same_way(
    open_page, first: tuple[int, int], third: tuple[int, int], language: str
) -> None:
    edits = "k.1.1_{}~k.1.2_{}~k.3.1_{}~k.3.2_{}".format(*first, *third)
    at = open_page("qkv", lang=language, view="query", source="e1", query="1", edit_e1=edits)
    q, k = (torch.tensor(rows, dtype=torch.float64) for rows in ((1, 0), (first, (0, 1), third)))
    assert_answered(at, language, q, k, "ABC", "ANSWER_TIE", 3, [1, 3])


def assert_answered(at, language, q, k, keys, answer, leader, aligned) -> None:
    lengths, scores = k.norm(dim=1), k @ q
    cosines = scores / (lengths * q.norm())
    best = int(scores.argmax())
    assert best + 1 == leader
    assert (cosines > cosines.max() - 1e-9).nonzero().flatten().tolist() == [place - 1 for place in aligned]
    said = getattr(words, answer).say(
        language,
        aligned=words.AND.say(language).join(f"`{place} {keys[place - 1]}`" for place in aligned),
        cosine=significant(cosines.max()),
        length=significant(lengths[aligned[0] - 1]),
        best=f"`{leader} {keys[best]}`",
        best_cosine=significant(cosines[best]),
        best_length=significant(lengths[best]),
    )
    assert said in sentences(at)
    (asked,) = questions(at, language)
    assert f"`{leader} {keys[best]}`" in asked


@in_both_languages
def test_the_answer_about_length_begins_with_yes_or_no(open_page, language: str) -> None:
    begins = {
        "zh": {"ANSWER_SAME": "会", "ANSWER_OTHER": "不会"},
        "en": {"ANSWER_SAME": "Yes", "ANSWER_OTHER": "No"},
    }
    for answer, word in begins[language].items():
        assert getattr(getattr(words, answer), language).startswith(word)


@in_both_languages
def test_a_query_that_sees_one_key_is_asked_nothing(open_page, language: str) -> None:
    first, second = (
        open_page("qkv", **query_of(language, view="query", query=query, causal=1)) for query in (1, 2)
    )
    assert not questions(first, language)
    assert questions(second, language)


# The other views


@in_both_languages
def test_the_textbook_names_what_a_took_from_b_and_from_c(open_page, language: str) -> None:
    weights = np.exp(np.array([1, 0, 1]) / np.sqrt(2))
    weights /= weights.sum()
    b, c = weights[1] * 1.0, weights[2] * 0.5
    assert (round(b, 3), round(c, 3), round(b + c, 3)) == (0.198, 0.201, 0.398)
    said = words.CLAIM_ABSORBED.say(language, total="0.398", b="0.198", c="0.201")
    assert said in sentences(open_page("qkv", lang=language, view="textbook"))


@in_both_languages
@pytest.mark.parametrize("angle", [0, 60, 135])
def test_three_keys_turned_together_have_the_score_of_their_angle_and_uniform_weights(
    open_page, angle: int, language: str
) -> None:
    at = open_page("qkv", lang=language, view="textbook")
    at.slider(key="qkv.angle").set_value(angle).run()
    alone = np.exp(np.array([10 / np.sqrt(2), 0, 0]))
    said = words.CLAIM_ANGLE.say(
        language,
        angle=angle,
        length="10.0",
        score=significant(10 * np.cos(np.pi * angle / 180) / np.sqrt(2)),
        same="[0.333, 0.333, 0.333]",
        one=listed(alone / alone.sum()),
    )
    assert said in sentences(at.run())


@in_both_languages
def test_a_row_times_w_is_w_turned_times_the_column_and_not_w_times_it(open_page, language: str) -> None:
    (a, b), ((p, q), (r, s)) = (1.0, 0.5), ((0.1, 0.4), (-0.2, 0.3))
    row, column, turned = (
        (a * p + b * r, a * q + b * s),
        (p * a + q * b, r * a + s * b),
        (p * a + r * b, q * a + s * b),
    )
    assert row == turned != column
    said = words.CLAIM_SIDES.say(language, row=listed(row), column=listed(column), turned=listed(turned))
    assert said in sentences(open_page("qkv", lang=language, view="textbook"))


@in_both_languages
@pytest.mark.parametrize("causal", [False, True])
def test_without_w_the_reading_gives_each_asymmetry_to_its_own_scores(
    open_page, causal: bool, language: str
) -> None:
    at = open_page("qkv", **query_of(language, view="plain", causal=int(causal)))
    trace = core(is_causal=causal)
    bare = trace_from_qkv(trace.x, trace.x, trace.x, is_causal=causal)
    plain, trained = ((one.scores - one.scores.T).abs().max() for one in (bare, trace))
    assert plain < 1e-12 < 1 < trained
    said = words.PLAIN_READING.say(
        language,
        plain=significant(plain),
        trainable=significant(trained),
        weights=significant((bare.weights - trace.weights).abs().max()),
    )
    assert said in sentences(at)


@in_both_languages
@pytest.mark.parametrize("verdicts", ["100000", "101010"], ids=["random W", "W^Q is zero"])
def test_each_setting_of_shuffling_has_the_verdict_of_its_differences(
    open_page, verdicts: str, language: str
) -> None:
    sizes = {"d_model": 1, "d_k": 1, "d_v": 1}
    edits = "w_q.1.1_0" if verdicts == "101010" else ""
    at = open_page("qkv", **query_of(language, view="shuffle", order=4, edit_own=edits, **sizes))
    given = own_sentence(tokenize(TEXT), **SIZES | sizes)
    w = {name: given[name] for name in ("w_q", "w_k", "w_v", "w_o")}
    w["w_q"] = w["w_q"] * (not edits)
    records = measure_equivariance(given["embedding"], w, ORDER, seed=SIZES["seed"])
    assert "".join(str(int(record.is_equivariant)) for record in records) == verdicts
    drawing = drawings(at)["grid.settings"]
    yes, no = words.YES.say(language), words.NO.say(language)
    assert drawing["footer"] == [yes if record.is_equivariant else no for record in records]
    assert drawing["footer"] == [yes if row.max() < 1e-9 else no for row in numbers(drawing)]
    assert drawing["words"]["footer"] == words.SHUFFLE_COLUMNS["verdict"].say(language)


FUTURE = np.triu(np.ones((5, 5), dtype=bool), 1)
ORDER = list(shuffle(5, 4))
MOVED = FUTURE[ORDER][:, ORDER]
NOTHING = np.zeros((5, 5), dtype=bool)
HIDDEN = {
    "stage scaled": ({"stage": "scaled"}, {"result": NOTHING}),
    "stage masked": ({"stage": "masked"}, {"result": FUTURE, "input.scaled": NOTHING}),
    "stage weights": ({"stage": "weights"}, {"result": FUTURE, "input.masked": FUTURE}),
    "stage out": ({"stage": "out"}, {"input.weights": FUTURE, "result": NOTHING[:, :2]}),
    "sentences": ({"view": "sentences"}, {"grid.sentence.0": FUTURE, "grid.sentence.1": FUTURE[:3, :3]}),
    "plain": (
        {"view": "plain"},
        {f"grid.plain.{kind}.weights": FUTURE for kind in ("simplified", "trainable")}
        | {f"grid.plain.{kind}.scores": NOTHING for kind in ("simplified", "trainable")},
    ),
    "shuffle": (
        {"view": "shuffle", "order": 4},
        {"grid.shuffle.0": MOVED, "grid.shuffle.1": FUTURE, "grid.shuffle.2": MOVED & FUTURE},
    ),
}


@pytest.mark.parametrize("name", HIDDEN)
def test_what_the_mask_hides_is_marked_and_nothing_else(open_page, name: str) -> None:
    place, masks = HIDDEN[name]
    drawn = drawings(open_page("qkv", **query_of(**place, causal=1, text2="a dog ran")))
    assert {key: hidden(drawn[key]).tolist() for key in masks} == {
        key: mask.tolist() for key, mask in masks.items()
    }
    drawn = drawings(open_page("qkv", **query_of(**place, causal=0, text2="a dog ran")))
    assert not any(hidden(drawn[key]).any() for key in masks if key in drawn)


@pytest.mark.parametrize(("view", "key"), [("query", "grid.terms"), ("sentences", "grid.shared")])
def test_a_table_of_more_rows_than_a_large_matrix_shows_keeps_its_numbers(open_page, view, key) -> None:
    text = " ".join(f"w{place}" for place in range(40))
    drawing = drawings(open_page("qkv", **query_of(view=view, text=text, text2=text, causal=1)))[key]
    assert drawing["mode"] == "cells"
    assert len(numbers(drawing)) == len(drawing["row_names"]) == 40


# Where the numbers come from, and what the link holds


def badge(at) -> str:
    """What is said of the source of the numbers: on the strip, or above a view without one."""
    drawn = drawings(at)
    if "strip" in drawn:
        return drawn["strip"]["note"]
    starts = tuple(frame_words.WEIGHTS_ARE.say(language, kinds="") for language in LANGUAGES)
    (said,) = (caption.value for caption in at.caption if caption.value.startswith(starts))
    return said


@in_both_languages
@pytest.mark.parametrize("view", ["pipeline", "query"])
def test_the_badge_says_random_or_hand_made_and_counts_the_edits_in_force(open_page, view, language) -> None:
    random, by_hand = frame_words.RANDOM.say(language, seed=42), frame_words.HAND_MADE.say(language)
    one = frame_words.EDITED.say(language, n=1)
    for query, kinds in (
        ({}, random),
        ({"edit_own": "w_q.60.1_2~x.64.64_1"}, random),
        ({"edit_own": "w_q.1.1_2~w_q.60.1_2"}, f"{random} + {one}"),
        ({"source": "e1", "edit_own": "w_q.1.1_2"}, by_hand),
        ({"source": "e2", "edit_e2": "x.1.1_3"}, f"{by_hand} + {one}"),
        ({"source": "e3"}, by_hand),
    ):
        at = open_page("qkv", lang=language, view=view, seed="42", **query)
        assert badge(at) == frame_words.WEIGHTS_ARE.say(language, kinds=kinds)


@in_both_languages
def test_reset_gives_the_settings_back_and_leaves_the_readers_own_words_and_numbers(
    open_page, language: str
) -> None:
    changed = {"seed": 7, "d_model": 5, "d_k": 3, "d_v": 2, "positions": "learned", "causal": 1}
    assert changed.keys() == set(RESETTABLE)
    own = {"text": TEXT, "text2": "a dog ran", "edit_own": "w_q.1.1_9", "stage": "q", "cell": "2.1"}
    at = open_page("qkv", **query_of(language, **changed, **own))
    before = dict(at.session_state["lesson:qkv"])
    defaults = {name: qkv_fields(language)[name].default for name in RESETTABLE}
    assert not [name for name in RESETTABLE if before[name] == defaults[name]]
    at.button(key="open.settings").click().run()
    at.button(key="reset").click().run()
    at.run()
    assert at.session_state["lesson:qkv"] == before | defaults
    assert before["edit_own"] == {("w_q", 0, 0): 9.0}
    assert (at.slider(key="qkv.d_model").value, at.slider(key="qkv.d_k").value) == (6, 4)
    assert at.text_input(key="qkv.text").value == TEXT
    given = own_sentence(tokenize(TEXT), **{key: value for key, value in defaults.items() if key in SIZES})
    given["w_q"][0, 0] = 9.0
    assert np.array_equal(shown(at), trace_single_head(given).q.numpy())


@in_both_languages
def test_a_text_too_large_for_the_link_is_named_at_once_and_no_longer_when_it_fits(
    open_page, language: str
) -> None:
    for at, name in (
        (open_page("qkv", lang=language, view="sentences"), "text2"),
        (open_page("qkv", lang=language), "text"),
        (open_page("", lang=language), "text"),
    ):
        said = frame_words.LEFT_OUT.say(language, names=f"`{name}`")
        assert said not in sentences(at)
        box = next(box for box in at.text_input if box.key.endswith(f".{name}"))
        box.set_value("a " * 300).run()
        assert said in sentences(at)
        at.button(key=f"begin.{name}").click().run()
        assert said not in sentences(at)


@in_both_languages
@pytest.mark.parametrize(
    ("text", "limits"),
    [
        ("SENTENCE_HELP", {MAX_CHARACTERS, MAX_TOKENS}),
        ("TOO_MANY_EDITS", {MAX_EDITS_BYTES}),
        ("NOT_A_NUMBER", {int(MAX_EDIT)}),
    ],
)
def test_a_limit_that_a_text_names_is_the_limit(text: str, limits: set[int], language: str) -> None:
    written = re.sub(r"%\(\w+\)s", "", getattr(getattr(words, text), language))
    assert {int(number.replace(",", "")) for number in re.findall(r"\d[\d,]*", written)} == limits


# The start page


@in_both_languages
def test_the_links_of_the_start_page_carry_its_text_and_what_was_set_in_the_lesson(
    open_page, go_to, language: str
) -> None:
    at = open_page("qkv", lang=language, view="query", d_k="7", cell="3.2", edit_own="w_q.1.1_2")
    go_to(at, "")
    at.text_input[0].set_value("a b a").run()
    links = [
        {name: value for name, (value,) in parse_qs(link.proto.query_string).items()}
        for link in at.get("page_link")
    ]
    stages = ["embedding", *(stage for stage, _, _ in start_words.STEPS)]
    carried = {"lang": language, "text": "a b a", "d_k": "7", "edit_own": "w_q.1.1_2", "cell": "1.1"}
    assert links == [carried | {"stage": stage} for stage in stages]


@in_both_languages
def test_the_shapes_under_the_boxes_of_the_start_page_are_the_cores(open_page, language: str) -> None:
    at = open_page("", lang=language)
    at.text_input[0].set_value("a b a").run()
    defaults = {name: qkv_fields(language)[name].default for name in SIZES}
    trace = core("a b a", **defaults)
    assert {(3, 6), (3, 4), (3, 3)} == {
        tuple(getattr(trace, stage).shape) for stage, _, _ in start_words.STEPS
    }
    for stage, _, meaning in start_words.STEPS:
        rows, columns = getattr(trace, stage).shape
        assert f"{meaning.say(language)}  \n{rows} × {columns}" in [caption.value for caption in at.caption]
