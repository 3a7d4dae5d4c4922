"""The drill in shapes as it stands on the page: judged axis by axis, never told the right size, scored in the visit."""

import re
from types import SimpleNamespace

import pytest

from attention_core.drill import MAX_SEED, N_QUESTIONS, draw_drill
from attention_core.ledger import build_ledger
from dashboard.panels.heads import drill as view
from dashboard.text import LANGUAGES
from dashboard.text import head_drill as words
from tests.pages.reading import dangers, drawings, labels, told, wrong_language

BOX = "heads.drill.answer"


@pytest.fixture
def opened(open_page):
    def open_it(language="en", **query):
        at = open_page("heads", lang=language, view="drill", **query)
        assert not at.exception
        return at

    return open_it


def answer(at, text: str):
    next(box for box in at.text_input if box.key == BOX).set_value(text)
    at.run()
    assert not at.exception, text
    return at


def press(at, name: str):
    next(button for button in at.button if button.key == f"drill.{name}").click().run()
    assert not at.exception
    return at


def offers(at) -> set[str]:
    return {button.key.removeprefix("drill.") for button in at.button if button.key.startswith("drill.")}


def score(at) -> str:
    (line,) = [text for text in told(at) if text.startswith(("This round", "The round", "这一轮", "一轮"))]
    return line


def listed(shape) -> str:
    return ", ".join(map(str, shape))


def wrong_axis(question, index: int) -> list[int]:
    given = list(question.answer)
    given[index] += 100
    return given


@pytest.mark.parametrize("language", LANGUAGES)
def test_H1_the_question_shows_its_sizes_and_the_rows_before_but_not_its_answer(
    opened, language: str
) -> None:
    at, question = opened(language, drill_seed="3"), draw_drill(3, 0)
    sizes, shown = question.sizes, "\n".join(told(at))
    names = {name: getattr(sizes, name) for name in ("batch", "n", "d_model", "n_heads", "kv_heads")}
    assert words.SIZES.say(language, **names) in shown
    assert question.step.line in shown
    help_lines = drawings(at)["help"]["lines"]
    rows = build_ledger(sizes).rows
    place = [row.step.name for row in rows].index(question.step.name)
    assert len(help_lines) == place
    for line, row in zip(help_lines, rows, strict=False):
        assert str(list(row.shape)) in "".join(piece["text"] for piece in line["pieces"])
    assert not list(at.error) + list(at.success) + list(at.info)
    assert offers(at) == {"show", "next", "new"}
    assert words.ANSWER.say(language) in labels(at)
    assert not wrong_language(at, language)


@pytest.mark.parametrize("language", LANGUAGES)
def test_H1_right_answers_in_every_way_of_writing_are_right(opened, language: str) -> None:
    at = opened(language)
    ways = ("{}", "[{}]", "({})", "（{}）", "torch.Size([{}])")
    for place in range(N_QUESTIONS):
        question = draw_drill(0, place)
        text = ways[place % len(ways)].format(listed(question.answer))
        text = text.replace(",", "，") if place % 2 else text
        answer(at, text)
        (success,) = at.success
        assert str(list(question.answer)) in success.value
        assert f"[{', '.join(question.step.axes)}]" in success.value
        assert not at.error
        if place < N_QUESTIONS - 1:
            press(at, "next")
            assert words.TITLE.say(language, place=place + 2, count=N_QUESTIONS) in told(at)
            assert next(box for box in at.text_input if box.key == BOX).value == ""
    assert score(at) == words.OVER.say(language, count=10, right=10, first=10)
    assert offers(at) == {"back", "new"}
    press(at, "back")
    assert words.TITLE.say(language, place=N_QUESTIONS - 1, count=N_QUESTIONS) in told(at)
    assert offers(at) == {"back", "next", "new"}, "a round that is over can be read through"
    assert len(at.success) == 1
    press(at, "new")
    assert draw_drill(1, 0).step.line in "\n".join(told(at))
    assert score(at) == words.SCORE.say(language, right=0, first=0, shown=0, left=10)


@pytest.mark.parametrize("language", LANGUAGES)
def test_H1_each_wrong_axis_is_named_and_no_right_size_is_told(opened, language: str) -> None:
    at, question = opened(language, drill_seed="5"), draw_drill(5, 0)
    for index, symbol in enumerate(question.step.axes):
        given = wrong_axis(question, index)
        (error,) = answer(at, listed(given)).error
        fields = {"place": index + 1, "count": len(given), "symbol": symbol, "given": f"`{given[index]}`"}
        assert error.value == words.WRONG_AXES.say(language, axes=words.WRONG_AXIS.say(language, **fields))
        told_numbers = set(re.findall(r"\d+", error.value)) - {str(index + 1), str(len(given))}
        assert told_numbers == {str(given[index])}, "only what the reader gave"
        assert not at.success
    (error,) = answer(at, listed(size + 100 for size in question.answer)).error
    assert error.value.count("`") == 2 * len(question.answer)
    assert not wrong_language(at, language)


@pytest.mark.parametrize("language", LANGUAGES)
def test_H1_another_number_of_axes_is_said_and_axes_are_not_compared(opened, language: str) -> None:
    at, question = opened(language), draw_drill(0, 0)
    needed = len(question.answer)
    for given in (1, needed - 1, needed + 1, 60):  # the box takes 200 characters
        (error,) = answer(at, listed([7] * given)).error
        assert error.value == words.WRONG_COUNT.say(language, given=given, needed=needed)


HOSTILE = (
    "abc",
    "B, h, N, d_k",
    "2; DROP TABLE",
    "<img src=x onerror=alert(1)>",
    "$5 and $6",
    "`a` **b**",
    "😀,😀",
    "2.5, 3",
    "1e3,2,3",
    "[[2, 3",
    ",,,",
    "‮2,3",
)


@pytest.mark.parametrize("language", LANGUAGES)
def test_H1_what_is_no_shape_is_shown_literally_and_counts_as_no_right_answer(opened, language: str) -> None:
    at = opened(language)
    for text in HOSTILE[:: 1 if language == "en" else 4]:
        (error,) = answer(at, text).error
        assert error.value.startswith(words.NOT_NUMBERS.say(language, typed="\0").split("\0")[0]), text
        assert len(error.value) < 300
        assert not list(dangers(at)), text
        assert not wrong_language(at, language)
        assert next(box for box in at.text_input if box.key == BOX).value == text, "what was typed stays"
    assert score(at) == words.SCORE.say(language, right=0, first=0, shown=0, left=10)
    answer(at, listed(draw_drill(0, 0).answer))
    assert score(at) == words.SCORE.say(language, right=1, first=1, shown=0, left=9), "none of it was a try"


def test_H1_huge_and_negative_sizes_are_wrong_axes(opened) -> None:
    at, question = opened(), draw_drill(0, 0)
    for wild in ("9" * 150, "-1", "0"):
        (error,) = answer(at, ", ".join([wild, *map(str, question.answer[1:])])).error
        assert error.value.startswith(f"Not yet: axis 1 of {len(question.answer)}")
        assert len(error.value) < 120


@pytest.mark.parametrize("language", LANGUAGES)
def test_H1_right_later_and_shown_are_told_apart_in_the_score(opened, language: str) -> None:
    at, questions = opened(language), [draw_drill(0, place) for place in range(3)]
    answer(at, listed(wrong_axis(questions[0], 0)))
    answer(at, "  ")
    assert not at.error, "an empty box is no answer"
    answer(at, listed(questions[0].answer))
    press(at, "next")
    press(at, "show")
    (info,) = at.info
    assert str(list(questions[1].answer)) in info.value
    answer(at, listed(questions[1].answer))
    assert not at.success, "an answer that was shown does not count"
    press(at, "next")
    answer(at, "  ")
    answer(at, listed(questions[2].answer))
    assert score(at) == words.SCORE.say(language, right=2, first=1, shown=1, left=7)
    answer(at, "1")
    assert score(at) == words.SCORE.say(language, right=2, first=1, shown=1, left=7)


def test_H1_the_score_is_kept_on_the_way_to_another_page_and_back(opened, go_to) -> None:
    at = opened()
    answer(at, listed(draw_drill(0, 0).answer))
    press(at, "next")
    answer(at, "7, 7")
    before = score(at)
    assert before == words.SCORE.say("en", right=1, first=1, shown=0, left=9)
    go_to(at, "")
    go_to(at, "heads")
    assert score(at) == before
    assert next(box for box in at.text_input if box.key == BOX).value == "7, 7"
    assert len(at.error) == 1


@pytest.mark.parametrize("language", LANGUAGES)
def test_H1_what_is_typed_after_a_right_answer_is_not_called_right(opened, language: str) -> None:
    at, question = opened(language), draw_drill(0, 0)
    answer(at, listed(question.answer))
    assert len(at.success) == 1
    for later in (listed(wrong_axis(question, 0)), "abc"):
        answer(at, later)
        assert not at.success
        (info,) = at.info
        assert info.value.startswith(words.DONE.say(language, axes="\0", shape="", meaning="").split("\0")[0])
        assert f"`{list(question.answer)}`" in info.value
    answer(at, listed(question.answer))
    assert len(at.success) == 1
    assert score(at) == words.SCORE.say(language, right=1, first=1, shown=0, left=9)


def test_H1_a_round_stands_as_it_was_left_on_the_way_back_to_its_seed(opened) -> None:
    at = opened()
    answer(at, listed(draw_drill(0, 0).answer))
    press(at, "new")
    assert score(at) == words.SCORE.say("en", right=0, first=0, shown=0, left=10)
    at.session_state["lesson:heads"]["drill_seed"] = 0
    at.run()
    assert score(at) == words.SCORE.say("en", right=1, first=1, shown=0, left=9)


def test_H1_a_visit_keeps_no_more_than_its_last_rounds(opened) -> None:
    at = opened()
    for _ in range(3):
        press(at, "new")
    kept = at.session_state[view.KEPT]
    assert list(kept) == [0, 1, 2, 3]
    kept.update({seed: view.Round(seed) for seed in range(100, 100 + view.MOST_ROUNDS)})
    at.run()
    assert len(kept) == view.MOST_ROUNDS
    assert 3 in kept, "the present one"


def test_H1_two_visits_keep_two_scores(opened) -> None:
    answer(opened(), listed(draw_drill(0, 0).answer))
    assert score(opened()) == words.SCORE.say("en", right=0, first=0, shown=0, left=10)


@pytest.mark.parametrize("language", LANGUAGES)
def test_H1_a_question_that_is_done_with_leads_to_the_ledger_at_its_sizes(
    opened, open_page, language: str
) -> None:
    at = opened(language)
    assert words.LEDGER.say(language) not in told(at), "it would tell the answer"
    press(at, "next")
    assert "back" in offers(at)
    press(at, "back")
    answer(at, listed(draw_drill(0, 0).answer))
    assert words.LEDGER.say(language) in told(at)
    question = draw_drill(0, 0)
    put = {}
    view.open_ledger(SimpleNamespace(put=put.__setitem__), question)
    assert not put.pop("ledger_bias")
    shown = drawings(open_page("heads", lang=language, **{name: str(given) for name, given in put.items()}))
    wide = shown["ledger"]["sides"][1]
    assert shown["ledger"]["texts"][shown["ledger"]["picked"] + 1] == str(list(question.answer))
    assert shown["ledger"]["picked"] % wide == 0
    assert question.step.line in shown["picked"]["lines"][0]["pieces"][1]["text"]


def test_H1_next_comes_back_to_questions_that_were_passed_over(opened) -> None:
    at = opened(drill_place="10")
    press(at, "next")
    assert words.TITLE.say("en", place=1, count=N_QUESTIONS) in told(at)


def test_H1_the_last_seed_is_followed_by_the_first(opened) -> None:
    at = opened(drill_seed=str(MAX_SEED))
    assert draw_drill(MAX_SEED, 0).step.line in "\n".join(told(at))
    press(at, "new")
    assert draw_drill(0, 0).step.line in "\n".join(told(at))


@pytest.mark.parametrize("language", LANGUAGES)
def test_H1_a_malformed_link_opens_a_question(opened, language: str) -> None:
    at = opened(language, drill_seed="-1", drill_place="99")
    assert len(at.warning) == 2
    assert draw_drill(0, 9).step.line in "\n".join(told(at))
    assert not wrong_language(at, language)
