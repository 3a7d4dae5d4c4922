"""Runs in pieces: cut anywhere they are the same run, and time ends a piece."""

import pickle

import pytest
from torch.testing import assert_close

from attention_core.training.checkpoint import load_run
from attention_core.training.chunk import MOST_STEPS_AT_ONCE, go_on, read_look
from attention_core.training.loop import Run
from attention_core.training.recipe import Recipe

RECIPE = Recipe("recall", d_model=8, batch=4, dropout_p=0.1)
LONG_S = 60.0


@pytest.mark.parametrize("cuts", [(12,), (1, 11), (5, 0, 7), (3, 3, 3, 3)])
def test_a_run_is_the_same_however_it_is_cut(cuts):
    state, records = None, ()
    for n_steps in cuts:
        chunk = go_on(RECIPE, state, n_steps, LONG_S)
        state, records = chunk.state, records + chunk.records
    assert records == tuple(Run(RECIPE).go(12))


def test_time_ends_a_piece_after_one_step_at_least():
    assert [record.step for record in go_on(RECIPE, None, 50, 0).records] == [1]


def test_a_run_whose_loss_is_no_number_ends_its_piece():
    recipe = Recipe("recall", d_model=8, batch=4, norm="none", optimiser="sgd", learning_rate=1e20)
    records = go_on(recipe, None, 50, LONG_S).records
    assert len(records) < 50
    assert not records[-1].is_finite


def test_the_look_is_the_models_own_weights_of_the_watched_example():
    chunk = go_on(RECIPE, None, 2, LONG_S, watched=3)
    run = load_run(chunk.state)
    trace = run.model.trace(run.task.hold_out().tokens[3][None])
    assert_close(read_look(chunk), trace.stack.weights[:, 0], rtol=0, atol=1e-3)
    assert chunk.answers == tuple(trace.logits[0].argmax(dim=-1).tolist())


def test_of_examples_beyond_the_last_the_last_is_watched():
    assert (
        go_on(RECIPE, None, 0, LONG_S, watched=10**9).answers
        == go_on(RECIPE, None, 0, LONG_S, watched=255).answers
    )


def test_a_piece_goes_through_a_queue_between_processes():
    chunk = go_on(RECIPE, None, 1, LONG_S)
    assert pickle.loads(pickle.dumps(chunk)) == chunk


@pytest.mark.parametrize(("n_steps", "watched"), [(-1, 0), (MOST_STEPS_AT_ONCE + 1, 0), (1, -1)])
def test_what_is_out_of_range_is_refused(n_steps, watched):
    with pytest.raises(ValueError, match="must"):
        go_on(RECIPE, None, n_steps, LONG_S, watched)
