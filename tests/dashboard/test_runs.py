"""Long work beside the server: one at a time, in order, stopped at once, ended when its visitor is gone."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator

import pytest

from attention_core.worker import write_request
from dashboard import runs
from dashboard.runs import MOST_ITEMS, MOST_WAITING, Full, Job, Runner
from tests.dashboard.light_worker import (
    MACHINE,
    Pair,
    count_on,
    count_to,
    make_complex,
    pair_each,
    pause,
    print_each,
    read_each,
    sleep_each,
    split,
)

SLEEPS = (sleep_each, (0.0, 60.0))
# Not of torch: a start of it takes seconds.
LIGHT = "tests.dashboard.light_worker"


@pytest.fixture
def away() -> set[str]:
    """The visitors who have left."""
    return set()


@pytest.fixture
def runner(away) -> Iterator[Runner]:
    made = Runner(lambda owner: owner not in away, limit_s=30, away_s=0.2, module=LIGHT)
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
    job = until(runner, runner.submit("a", count_to, 5), "done")
    assert job.items == (0, 1, 2, 3, 4)
    assert job.is_over


def test_two_visitors_get_their_own_results_one_after_the_other(runner):
    first, second = runner.submit("a", *SLEEPS), runner.submit("b", count_to, 3)
    until(runner, first, "running", items=1)
    waiting = runner.look(second.number)
    assert (waiting.state, waiting.ahead) == ("waiting", 1)
    runner.stop(first.number, "a")
    assert until(runner, second, "done").items == (0, 1, 2)
    assert runner.look(first.number).items == (None,)


def test_stopping_ends_at_once_keeps_what_there_is_and_leaves_no_process(runner):
    job = runner.submit("a", *SLEEPS)
    until(runner, job, "running", items=1)
    process = runner._worker.process
    started = time.monotonic()
    runner.stop(job.number, "a")
    assert process.poll() == -signal.SIGKILL
    assert time.monotonic() - started < 2
    now = runner.look(job.number)
    assert (now.state, now.items) == ("stopped", (None,))
    assert until(runner, runner.submit("a", count_to, 1), "done").items == (0,)


def test_nobody_stops_the_work_of_somebody_else(runner):
    job = runner.submit("a", *SLEEPS)
    until(runner, job, "running", items=1)
    runner.stop(job.number, "b")
    assert runner.look(job.number).state == "running"


def test_asking_again_stops_what_the_same_visitor_asked_before(runner):
    first = runner.submit("a", *SLEEPS)
    second = runner.submit("a", count_to, 2)
    assert until(runner, second, "done").items == (0, 1)
    assert runner.look(first.number).state == "stopped"


def test_work_ends_soon_after_its_visitor_is_gone_and_not_for_a_blink(runner, away):
    job = runner.submit("a", *SLEEPS)
    waiting = runner.submit("b", count_to, 1)
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
    assert until(runner, runner.submit("a", count_to, 1), "done")
    process = runner._worker.process
    job = until(runner, runner.submit("a", read_each, ("1", "x")), "failed")
    assert job.items == (1,)
    assert job.error.startswith("ValueError: invalid literal")
    # What failed may have left its device unusable: the next one runs in a process of its own.
    assert runner._worker.process is not process
    assert until(runner, runner.submit("a", count_to, 1), "done").items == (0,)


def test_a_process_that_dies_is_a_failure_and_not_the_end(runner):
    job = runner.submit("a", *SLEEPS)
    until(runner, job, "running", items=1)
    os.kill(runner._worker.process.pid, signal.SIGKILL)
    assert until(runner, job, "failed").error == "the process ended"
    assert until(runner, runner.submit("a", count_to, 1), "done").items == (0,)


def test_work_that_cannot_be_sent_fails_and_the_queue_goes_on(runner):
    for work, arguments, said in (
        (count_to, (object(),), "TypeError: records and plain values are sent, got object"),
        (count_to, (1, 2), "TypeError: too many positional arguments"),
        (lambda: range(2), (), "ValueError: work is one of tests.dashboard.light_worker.count_to, "),
        (pause, (1, 0.0), "ValueError: work is one of tests.dashboard.light_worker.count_to, "),
    ):
        assert until(runner, runner.submit("a", work, *arguments), "failed").error.startswith(said)
    assert until(runner, runner.submit("a", count_to, 1), "done").items == (0,)


def test_a_record_is_sent_as_its_fields_and_made_anew_there(runner):
    assert until(runner, runner.submit("a", split, Pair(1, (2.5, 3.0))), "done").items == (1, 2.5, 3.0)


def test_too_much_ends_and_what_came_before_is_kept(runner):
    assert until(runner, runner.submit("a", count_on), "late").items == tuple(range(MOST_ITEMS))


def test_too_long_ends():
    runner = Runner(lambda _owner: True, limit_s=0.3, module=LIGHT)
    try:
        assert until(runner, runner.submit("a", sleep_each, (60.0,)), "late").items == ()
    finally:
        runner.close()


def test_only_so_many_may_wait(runner):
    for owner in range(MOST_WAITING):
        runner.submit(str(owner), *SLEEPS)
    with pytest.raises(Full):
        runner.submit("one more", count_to, 1)


def test_what_is_long_over_is_forgotten(runner):
    assert runner.look(10**9) is None


def test_a_job_says_when_it_began_on_what_and_how_long_it_has_run(runner):
    job = runner.submit("a", *SLEEPS)
    now = until(runner, job, "running", items=1)
    assert dict(now.machine) == MACHINE
    assert now.when.endswith(" UTC")
    assert now.seconds <= runner.look(job.number).seconds
    runner.stop(job.number, "a")
    over = runner.look(job.number)
    time.sleep(0.05)
    assert runner.look(job.number).seconds == over.seconds


def test_what_is_done_is_kept_for_others_under_its_key_and_what_is_stopped_is_not(runner):
    assert runner.finished("three") is None
    until(runner, runner.submit("a", count_to, 3, key="three"), "done")
    kept = runner.finished("three")
    assert kept.items == (0, 1, 2)
    assert kept.when
    assert dict(kept.machine) == MACHINE
    stopped = runner.submit("a", *SLEEPS, key="sleeps")
    until(runner, stopped, "running", items=1)
    runner.stop(stopped.number, "a")
    assert runner.finished("sleeps") is None
    until(runner, runner.submit("b", count_to, 4, key="three"), "done")
    assert runner.finished("three").items == (0, 1, 2, 3)


def test_only_so_many_results_are_kept_and_the_oldest_goes(runner, monkeypatch):
    monkeypatch.setattr(runs, "MOST_FINISHED", 2)
    for key in "abc":
        until(runner, runner.submit("a", count_to, 1, key=key), "done")
    assert [runner.finished(key) is not None for key in "abc"] == [False, True, True]


def test_the_start_of_the_process_does_not_count_towards_the_limit():
    runner = Runner(lambda _owner: True, limit_s=1.0, module="tests.dashboard.slow_worker")
    try:
        assert until(runner, runner.submit("a", count_to, 2), "done").items == (0, 1)
    finally:
        runner.close()


def test_a_process_that_does_not_start_is_a_failure_in_words(monkeypatch):
    monkeypatch.setattr(runs, "START_S", 0.2)
    runner = Runner(lambda _owner: True, module="tests.dashboard.slow_worker")
    try:
        job = until(runner, runner.submit("a", count_to, 2), "failed")
        assert job.error == "the process did not start within 0.2 s"
    finally:
        runner.close()


def test_closing_leaves_no_process_and_no_thread():
    before = threading.active_count()
    runner = Runner(lambda _owner: True, module=LIGHT)
    job = runner.submit("a", *SLEEPS)
    until(runner, job, "running", items=1)
    process = runner._worker.process
    runner.close()
    assert process.poll() == -signal.SIGKILL
    assert threading.active_count() == before


def test_records_come_as_their_fields_and_what_is_neither_is_a_failure(runner):
    done = until(runner, runner.submit("a", pair_each, (1,), ((2.5, 3),)), "done")
    assert done.items == ({"first": 1, "rest": [2.5, 3]},)
    failed = until(runner, runner.submit("a", make_complex, 1), "failed")
    assert failed.error == "TypeError: records and plain values are sent, got complex"


@pytest.mark.parametrize("is_busy", [False, True])
def test_the_process_ends_by_itself_when_the_server_has_died(is_busy):
    process = subprocess.Popen(
        [sys.executable, "-m", LIGHT], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=runs.ROOT
    )
    with process:
        process.stdin.write(write_request(sleep_each, ((0.0, 60.0 * is_busy),)))
        process.stdin.flush()
        assert [json.loads(process.stdout.readline())[0] for _ in range(2)] == ["begun", "item"]
        process.stdin.close()
        assert process.wait(10) == 0


def test_what_libraries_print_does_not_reach_the_answers(runner):
    job = until(runner, runner.submit("a", print_each, ("noise\n", "[1]")), "done")
    assert job.items == (6, 3)


def test_a_system_that_starts_no_process_is_a_failure_in_its_words_and_the_queue_goes_on(runner, monkeypatch):
    start = subprocess.Popen

    def refuse(*_arguments, **_options):
        raise OSError("no more processes")

    monkeypatch.setattr(subprocess, "Popen", refuse)
    runner.warm()
    assert until(runner, runner.submit("a", count_to, 2), "failed").error == "OSError: no more processes"
    monkeypatch.setattr(subprocess, "Popen", start)
    assert until(runner, runner.submit("a", count_to, 2), "done").items == (0, 1)
