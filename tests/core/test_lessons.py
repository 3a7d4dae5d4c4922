"""Claims S7, M7, T1, T4, T6, P6 and H1 by training: each lesson holds when it is run, and its verdict can fail."""

from functools import cache

import pytest

from attention_core.training.checkpoint import save_run
from attention_core.training.lessons import LESSONS, Lesson, judge, measure_writing, steps_to
from attention_core.training.loop import Run, StepRecord
from attention_core.training.recipe import Recipe


@cache
def trained(recipe: Recipe, n_steps: int) -> tuple[tuple[StepRecord, ...], bytes]:
    run = Run(recipe)
    return tuple(run.go(n_steps)), save_run(run, weights_only=True)


@pytest.mark.parametrize("claim", LESSONS)
def test_S7_M7_T1_T4_T6_P6_H1_each_lesson_holds(claim):
    lesson = LESSONS[claim]
    runs = [trained(one, lesson.n_steps) for one in (lesson.first, lesson.second) if one is not None]
    verdict = judge(lesson, *(records for records, _ in runs), written=[written for _, written in runs])
    assert verdict.holds, verdict


@pytest.mark.parametrize("claim", LESSONS)
def test_runs_of_a_lesson_differ_in_one_thing(claim):
    first, second = LESSONS[claim].first, LESSONS[claim].second
    if second is not None:
        fields = [name for name in vars(first) if getattr(first, name) != getattr(second, name)]
        assert len(fields) == 1


def record(
    step: int, *, loss: float = 1.0, tested: float | None = None, right: float | None = None
) -> StepRecord:
    return StepRecord(step, loss, 0.0, (1.0,), tested, right, is_finite=loss == loss)


def lesson(rule: str) -> Lesson:
    return Lesson(Recipe("copy"), Recipe("copy", seed=1), 20, rule)


REACHED = [record(10, right=1.0), record(20, right=1.0)]
LATE = [record(10, right=0.1), record(20, right=1.0)]
NEVER = [record(10, right=0.1), record(20, right=0.2)]


@pytest.mark.parametrize(
    ("rule", "first", "second", "holds"),
    [
        ("reaches", REACHED, REACHED, True),
        ("reaches", NEVER, NEVER, False),
        ("sooner", REACHED, LATE, True),
        ("sooner", REACHED, NEVER, True),
        ("sooner", REACHED, REACHED, False),
        ("sooner", NEVER, NEVER, False),
        ("apart", [record(20, tested=0.01)], [record(20, tested=1.5)], True),
        ("apart", [record(20, tested=0.2)], [record(20, tested=1.5)], False),
        ("apart", [record(20, tested=0.01)], [record(20, tested=0.5)], False),
        ("apart", [record(20)], [record(20)], False),
        ("keeps", [record(20, loss=2.0, tested=1.0)], [record(20, loss=1.0, tested=1.5)], True),
        ("keeps", [record(20, loss=2.0, tested=1.5)], [record(20, loss=1.0, tested=1.0)], False),
        ("keeps", [record(20, loss=1.0, tested=1.0)], [record(20, loss=2.0, tested=1.5)], False),
    ],
)
def test_a_verdict_is_what_the_numbers_say(rule, first, second, holds):
    assert judge(lesson(rule), first, second).holds is holds


def test_a_run_that_ended_by_its_loss_is_judged_as_one_that_never_got_there():
    ended = [record(10, right=0.5), record(12, loss=float("nan"))]
    assert judge(lesson("sooner"), REACHED, ended).holds
    assert not judge(lesson("sooner"), ended, REACHED).holds


@pytest.mark.parametrize(("first", "second"), [(REACHED[:1], REACHED), (REACHED, []), ([], REACHED)])
def test_runs_that_are_not_through_are_not_judged(first, second):
    with pytest.raises(ValueError, match="a run needs 20 steps to be judged, got"):
        judge(lesson("sooner"), first, second)


def test_steps_beyond_the_lessons_do_not_count():
    assert steps_to(NEVER, 0.99) is None
    late = [*NEVER, record(30, right=1.0)]
    assert not judge(lesson("reaches"), late, REACHED).holds


def test_M7_without_what_was_written_nothing_is_said_to_leak():
    first, second = [record(20, loss=1.0)], [record(20, loss=0.1)]
    assert not judge(lesson("leaks"), first, second).holds


def test_M7_only_texts_can_be_written():
    with pytest.raises(ValueError, match="the task must be a text, got copy"):
        measure_writing(save_run(Run(Recipe("copy", d_model=8)), weights_only=True))
