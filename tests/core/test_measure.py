"""Timings count the runs they say, in turns, and order their numbers."""

import time

import pytest

from attention_core.measure import time_each_s, time_s


def test_warmup_and_repeats_are_the_runs_made():
    calls = []
    timing = time_s(lambda: calls.append(1), repeats=5, warmup=3)
    assert len(calls) == 8
    assert timing.repeats == 5
    assert len(timing.runs_s) == 5


def test_the_median_lies_between_the_extremes_and_outlives_one_slow_run():
    pauses = iter([0.0, 0.05, 0.0, 0.0, 0.0])
    timing = time_s(lambda: time.sleep(next(pauses)), repeats=5, warmup=0)
    assert timing.lowest_s <= timing.median_s <= timing.highest_s
    assert timing.highest_s >= 0.05
    assert timing.median_s < 0.05
    assert timing.lowest_s == min(timing.runs_s)


def test_seconds_are_seconds():
    assert 0.02 <= time_s(lambda: time.sleep(0.02), repeats=3).lowest_s < 0.2


def test_several_functions_take_turns_and_every_other_round_runs_backwards():
    order = []
    timings = time_each_s([lambda: order.append("a"), lambda: order.append("b")], repeats=2, warmup=1)
    assert order == ["a", "b", "a", "b", "b", "a"]
    assert len(timings) == 2


def test_the_slower_function_has_the_slower_timing():
    quick, slow = time_each_s([lambda: None, lambda: time.sleep(0.005)], repeats=3)
    assert quick.median_s < slow.lowest_s


@pytest.mark.parametrize(("repeats", "warmup"), [(0, 1), (1, -1)])
def test_no_runs_are_refused_with_both_values(repeats, warmup):
    with pytest.raises(ValueError, match=f"got repeats={repeats} and warmup={warmup}"):
        time_s(lambda: None, repeats=repeats, warmup=warmup)
