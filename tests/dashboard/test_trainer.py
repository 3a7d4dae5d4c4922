"""Runs beside the server: they stream, pause, step, queue, outlive their process, and end with their visitor."""

import os
import signal
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool

import pytest
import torch

from attention_core.training.checkpoint import load_run, save_run
from attention_core.training.loop import Run
from attention_core.training.recipe import Recipe
from dashboard import trainer as trainer_module
from dashboard.trainer import Full, Trainer, Training
from dashboard.training_pool import LocalPool

RECIPE = Recipe("copy", n_layers=1, d_model=8, batch=4)
LONG_S = 60.0


class ThreadPool:
    """Slots in this process, which can be told to break."""

    def __init__(self, n_slots: int) -> None:
        self.n_slots, self.breaks, self.renewed = n_slots, 0, 0
        self._threads = [ThreadPoolExecutor(1) for _ in range(n_slots)]

    def executor(self, slot: int) -> Executor:
        return self._threads[slot] if not self.breaks else BrokenExecutor(self)

    def renew(self, slot: int) -> None:
        self.renewed += 1

    def close(self) -> None:
        for threads in self._threads:
            threads.shutdown()


class BrokenExecutor(Executor):
    """Its process has died; the next one will not."""

    def __init__(self, pool: ThreadPool) -> None:
        self.pool = pool

    def submit(self, *arguments: object) -> Future:
        self.pool.breaks -= 1
        future: Future = Future()
        future.set_exception(BrokenProcessPool("died"))
        return future


@pytest.fixture
def here() -> set[str]:
    return {"ann", "ben", "cat"}


@pytest.fixture
def pool() -> ThreadPool:
    return ThreadPool(1)


@pytest.fixture
def trainer(pool: ThreadPool, here: set[str]) -> Iterator[Trainer]:
    made = Trainer(pool, here.__contains__, away_s=0.2)
    yield made
    made.close()


def until(holds: Callable[[], bool]) -> None:
    ends = time.monotonic() + LONG_S
    while not holds():
        assert time.monotonic() < ends
        time.sleep(0.01)


def settled(trainer: Trainer, number: int, owner: str = "ann") -> Training:
    until(lambda: trainer.look(number, owner).state not in ("waiting", "running"))
    return trainer.look(number, owner)


def test_before_its_first_step_a_run_is_looked_at_and_waits_to_be_told(trainer):
    run = settled(trainer, trainer.start("ann", 0, RECIPE).number)
    assert (run.state, run.step, run.records) == ("paused", 0, ())
    (look,) = run.looks
    assert look.step == 0
    assert look.shape == (1, 2, 16, 16)


def test_steps_are_those_of_the_run_itself_whatever_the_pieces(trainer):
    number = trainer.start("ann", 0, RECIPE).number
    trainer.go(number, "ann", 1)
    settled(trainer, number)
    trainer.go(number, "ann", 30)
    run = settled(trainer, number)
    assert run.records == tuple(Run(RECIPE).go(31))
    assert run.looks[-1].step == 31


def test_pause_ends_the_steps_and_go_takes_them_up_again(trainer):
    number = trainer.start("ann", 0, RECIPE).number
    trainer.go(number, "ann", 5000)
    until(lambda: trainer.look(number, "ann").step > 3)
    began = time.monotonic()
    trainer.pause(number, "ann")
    stopped = settled(trainer, number)
    assert time.monotonic() - began < LONG_S
    assert 3 < stopped.step < 5000
    trainer.go(number, "ann", 2)
    run = settled(trainer, number)
    assert run.step == stopped.step + 2
    assert run.records == tuple(Run(RECIPE).go(run.step))


def test_a_run_may_be_slow(trainer):
    number = trainer.start("ann", 0, RECIPE).number
    settled(trainer, number)
    trainer.go(number, "ann", 9, steps_per_s=20)
    began = time.monotonic()
    assert settled(trainer, number).step == 9
    assert time.monotonic() - began > 0.25


def test_who_finds_no_slot_waits_and_sees_the_place(trainer):
    numbers = {name: trainer.start(name, 0, RECIPE).number for name in ("ann", "ben", "cat")}
    for name, number in numbers.items():
        settled(trainer, number, name)
    for name, number in numbers.items():
        trainer.go(number, name, 5000)
        until(lambda: trainer.look(numbers["ann"], "ann").state == "running")
    places = [trainer.look(numbers[name], name) for name in ("ben", "cat")]
    assert [(run.state, run.ahead) for run in places] == [("waiting", 0), ("waiting", 1)]
    assert trainer.count_active() == 3
    trainer.pause(numbers["ann"], "ann")
    until(lambda: trainer.look(numbers["ben"], "ben").step > 0)
    assert trainer.look(numbers["cat"], "cat").ahead == 0


def test_two_runs_of_a_visitor_go_side_by_side_and_a_new_one_replaces_its_lanes(here):
    trainer = Trainer(ThreadPool(2), here.__contains__)
    one, two = (trainer.start("ann", lane, RECIPE).number for lane in (0, 1))
    for number in (one, two):
        trainer.go(number, "ann", 5000)
    until(lambda: all(trainer.look(number, "ann").step > 0 for number in (one, two)))
    new = trainer.start("ann", 1, RECIPE).number
    assert trainer.look(two, "ann") is None
    assert trainer.look(one, "ann").state == "running"
    assert settled(trainer, new).step == 0
    trainer.close()


def test_nobody_reaches_anothers_run(trainer):
    number = trainer.start("ann", 0, RECIPE).number
    trainer.go(number, "ben", 5)
    trainer.pause(number, "ben")
    trainer.watch(number, "ben", 3)
    trainer.forget(number, "ben")
    assert trainer.look(number, "ben") is None
    assert trainer.written(number, "ben") is None
    assert settled(trainer, number).step == 0


def test_the_runs_of_who_leaves_are_forgotten(trainer, here):
    number = trainer.start("ann", 0, RECIPE).number
    trainer.go(number, "ann", 5000)
    until(lambda: trainer.look(number, "ann").step > 0)
    here.remove("ann")
    until(lambda: trainer.look(number, "ann") is None)
    assert trainer.count_active() == 0


def test_a_run_whose_process_dies_goes_on_from_its_last_piece(trainer, pool):
    number = trainer.start("ann", 0, RECIPE).number
    settled(trainer, number)
    trainer.go(number, "ann", 5)
    settled(trainer, number)
    pool.breaks = 1
    trainer.go(number, "ann", 5)
    run = settled(trainer, number)
    assert (run.restarts, pool.renewed) == (1, 1)
    assert run.records == tuple(Run(RECIPE).go(10))


def test_a_run_whose_process_dies_again_and_again_has_failed(trainer, pool):
    pool.breaks = 10**9
    number = trainer.start("ann", 0, RECIPE).number
    run = settled(trainer, number)
    assert run.state == "failed"
    assert "died" in run.error
    pool.breaks = 0
    assert settled(trainer, trainer.start("ben", 0, RECIPE).number, "ben").state == "paused"


def test_a_loss_that_is_no_number_ends_the_run_and_says_so(trainer):
    recipe = Recipe("copy", n_layers=1, d_model=8, batch=4, norm="none", optimiser="sgd", learning_rate=1e20)
    number = trainer.start("ann", 0, recipe).number
    trainer.go(number, "ann", 100)
    run = settled(trainer, number)
    assert (run.state, run.reason) == ("ended", "loss")
    trainer.go(number, "ann", 100)
    assert trainer.look(number, "ann") == run


def test_steps_and_time_are_bounded(trainer, monkeypatch):
    monkeypatch.setattr(trainer_module, "MOST_STEPS", 7)
    number = trainer.start("ann", 0, RECIPE).number
    trainer.go(number, "ann", 10**9)
    run = settled(trainer, number)
    assert (run.state, run.reason, run.step) == ("ended", "steps", 7)
    monkeypatch.setattr(trainer_module, "MOST_STEPS", 10**6)
    monkeypatch.setattr(trainer_module, "MOST_SECONDS", 0.3)
    number = trainer.start("ann", 0, RECIPE).number
    trainer.go(number, "ann", 10**6)
    run = settled(trainer, number)
    assert (run.state, run.reason) == ("ended", "time")


def test_no_more_runs_and_bytes_are_kept_than_may(trainer, monkeypatch):
    number = trainer.start("ann", 0, RECIPE).number
    settled(trainer, number)
    monkeypatch.setattr(trainer_module, "MOST_STATE_BYTES", 10)
    with pytest.raises(Full):
        trainer.start("ben", 0, RECIPE)
    trainer.start("ann", 0, RECIPE)  # in the place of the one before
    monkeypatch.setattr(trainer_module, "MOST_RUNS", 1)
    with pytest.raises(Full):
        trainer.start("ben", 0, RECIPE)


def test_looks_are_thinned_and_keep_the_first_and_the_last(trainer, monkeypatch):
    monkeypatch.setattr(trainer_module, "MOST_LOOKS", 6)
    number = trainer.start("ann", 0, RECIPE).number
    for _ in range(12):
        trainer.go(number, "ann", 1)
        settled(trainer, number)
    steps = [look.step for look in trainer.look(number, "ann").looks]
    assert len(steps) <= 6
    assert steps == sorted(steps)
    assert (steps[0], steps[-1]) == (0, 12)


def test_another_example_is_looked_at_without_a_step(trainer):
    number = trainer.start("ann", 0, RECIPE).number
    settled(trainer, number)
    trainer.watch(number, "ann", 5)
    until(lambda: len(trainer.look(number, "ann").looks) == 1)
    run = settled(trainer, number)
    model = Run(RECIPE)
    weights = model.model.trace(model.task.hold_out().tokens[5][None]).stack.weights[:, 0]
    shown = torch.frombuffer(bytearray(run.looks[0].weights), dtype=torch.float16).view(run.looks[0].shape)
    torch.testing.assert_close(shown.float(), weights, rtol=0, atol=1e-3)
    assert run.step == 0


def test_a_run_that_came_as_a_file_goes_on_and_what_is_none_is_refused(trainer):
    saved = Run(RECIPE)
    list(saved.go(4))
    number = trainer.start("ann", 0, Recipe("recall"), written=save_run(saved)).number
    trainer.go(number, "ann", 3)
    run = settled(trainer, number)
    assert run.recipe == RECIPE
    assert (run.begun_at, run.step) == (4, 7)
    assert run.records == tuple(saved.go(3))
    assert load_run(trainer.written(number, "ann")).step == 7
    with pytest.raises(ValueError, match="a run is a safetensors file"):
        trainer.start("ben", 0, RECIPE, written=b"no")
    with pytest.raises(ValueError, match="lane must lie within 0 and 1, got 2"):
        trainer.start("ben", 2, RECIPE)


def test_processes_of_their_own_give_the_same_steps_and_one_that_is_killed_is_replaced(here):
    pool = LocalPool(1)
    trainer = Trainer(pool, here.__contains__)
    number = trainer.start("ann", 0, RECIPE).number
    trainer.go(number, "ann", 2000, steps_per_s=50)
    until(lambda: trainer.look(number, "ann").step > 2)
    (process,) = pool.executor(0)._processes.values()
    os.kill(process.pid, signal.SIGKILL)
    until(lambda: trainer.look(number, "ann").restarts == 1)
    before = trainer.look(number, "ann").step
    until(lambda: trainer.look(number, "ann").step > before)
    trainer.pause(number, "ann")
    run = settled(trainer, number)
    assert run.records == tuple(Run(RECIPE).go(run.step))
    (process,) = pool.executor(0)._processes.values()
    trainer.close()
    until(lambda: not process.is_alive())
