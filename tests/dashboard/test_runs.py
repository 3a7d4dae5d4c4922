"""Long work beside the server: one at a time, in order, stopped at once, ended when its visitor is gone."""

import itertools
import os
import signal
import time
from collections.abc import Iterator

import pytest

from dashboard.runs import MOST_ITEMS, MOST_WAITING, Full, Job, Runner

SLEEPS = (time.sleep, [0.0, 60.0])


@pytest.fixture
def away() -> set[str]:
    """The visitors who have left."""
    return set()


@pytest.fixture
def runner(away) -> Iterator[Runner]:
    made = Runner(lambda owner: owner not in away, limit_s=30, away_s=0.2)
    yield made
    made.close()
    assert made._worker is None


def until(runner: Runner, job: Job, *states: str, items: int = 0) -> Job:
    end = time.monotonic() + 30
    while time.monotonic() < end:
        now = runner.look(job.number)
        if now.state in states and len(now.items) >= items:
            return now
        time.sleep(0.01)
    raise AssertionError(f"still {now}")


def test_results_come_one_by_one_and_in_order(runner):
    job = until(runner, runner.submit("a", range, 5), "done")
    assert job.items == (0, 1, 2, 3, 4)
    assert job.is_over


def test_two_visitors_get_their_own_results_one_after_the_other(runner):
    first, second = runner.submit("a", map, *SLEEPS), runner.submit("b", range, 3)
    until(runner, first, "running", items=1)
    waiting = runner.look(second.number)
    assert (waiting.state, waiting.ahead) == ("waiting", 1)
    runner.stop(first.number, "a")
    assert until(runner, second, "done").items == (0, 1, 2)
    assert runner.look(first.number).items == (None,)


def test_stopping_ends_at_once_keeps_what_there_is_and_leaves_no_process(runner):
    job = runner.submit("a", map, *SLEEPS)
    until(runner, job, "running", items=1)
    process = runner._worker.process
    started = time.monotonic()
    runner.stop(job.number, "a")
    assert process.poll() == -signal.SIGKILL
    assert time.monotonic() - started < 2
    now = runner.look(job.number)
    assert (now.state, now.items) == ("stopped", (None,))
    assert until(runner, runner.submit("a", range, 1), "done").items == (0,)


def test_nobody_stops_the_work_of_somebody_else(runner):
    job = runner.submit("a", map, *SLEEPS)
    until(runner, job, "running", items=1)
    runner.stop(job.number, "b")
    assert runner.look(job.number).state == "running"


def test_asking_again_stops_what_the_same_visitor_asked_before(runner):
    first = runner.submit("a", map, *SLEEPS)
    second = runner.submit("a", range, 2)
    assert until(runner, second, "done").items == (0, 1)
    assert runner.look(first.number).state == "stopped"


def test_work_ends_soon_after_its_visitor_is_gone_and_not_for_a_blink(runner, away):
    job = runner.submit("a", map, *SLEEPS)
    waiting = runner.submit("b", range, 1)
    until(runner, job, "running", items=1)
    away.add("a")
    time.sleep(0.1)
    away.discard("a")
    time.sleep(0.3)
    assert runner.look(job.number).state == "running"
    away.update("ab")
    until(runner, job, "gone")
    until(runner, waiting, "gone")


def test_what_fails_says_why_and_the_next_one_runs(runner):
    job = until(runner, runner.submit("a", map, int, ["1", "x"]), "failed")
    assert job.items == (1,)
    assert job.error.startswith("ValueError: invalid literal")
    assert until(runner, runner.submit("a", range, 1), "done").items == (0,)


def test_a_process_that_dies_is_a_failure_and_not_the_end(runner):
    job = runner.submit("a", map, *SLEEPS)
    until(runner, job, "running", items=1)
    os.kill(runner._worker.process.pid, signal.SIGKILL)
    assert until(runner, job, "failed").error == "the process ended"
    assert until(runner, runner.submit("a", range, 1), "done").items == (0,)


def test_work_that_cannot_be_sent_fails_and_the_queue_goes_on(runner):
    assert "pickle" in until(runner, runner.submit("a", lambda: range(2)), "failed").error
    assert until(runner, runner.submit("a", range, 1), "done").items == (0,)


def test_too_much_ends_and_what_came_before_is_kept(runner):
    assert until(runner, runner.submit("a", itertools.count), "late").items == tuple(range(MOST_ITEMS))


def test_too_long_ends():
    runner = Runner(lambda _owner: True, limit_s=0.3)
    try:
        assert until(runner, runner.submit("a", map, time.sleep, [60.0]), "late").items == ()
    finally:
        runner.close()


def test_only_so_many_may_wait(runner):
    for owner in range(MOST_WAITING):
        runner.submit(str(owner), map, *SLEEPS)
    with pytest.raises(Full):
        runner.submit("one more", range, 1)


def test_what_is_long_over_is_forgotten(runner):
    assert runner.look(10**9) is None
