"""Claim T5: a recurrent encoder–decoder forgets long inputs, and one with additive attention does much less."""

import pytest
import torch
from torch.testing import assert_close

from attention_core.training.encoder_decoder import MOST_LENGTH, EncoderDecoder
from attention_core.training.forgetting import LONGEST, TEST_EVERY, TESTED, watch_forgetting

B, M, N, N_WORDS, D_MODEL = 3, 5, 7, 11, 8


def made(*, has_attention: bool) -> EncoderDecoder:
    return EncoderDecoder(N_WORDS, D_MODEL, has_attention=has_attention, seed=0)


def rows(n: int, seed: int = 0) -> torch.Tensor:
    return torch.randint(N_WORDS, (B, n), generator=torch.Generator().manual_seed(seed))


def test_T5_with_attention_long_inputs_are_kept_and_without_they_are_forgotten():
    attention, fixed = (
        dict(zip(TESTED, list(watch_forgetting(kind, 300))[-1].accuracies, strict=True))
        for kind in (True, False)
    )
    assert min(attention[2], fixed[2]) > 0.9
    assert attention[8] > fixed[8] + 0.1
    assert attention[LONGEST] > fixed[LONGEST] + 0.1
    assert fixed[2] > fixed[8] > fixed[LONGEST]


def test_T5_the_same_seed_gives_the_same_run_and_tests_come_every_so_many_steps():
    once, again = (list(watch_forgetting(True, TEST_EVERY, d_model=4, batch=2)) for _ in range(2))
    assert once == again
    assert [record.step for record in once if record.accuracies is not None] == [TEST_EVERY]


@pytest.mark.parametrize("has_attention", [True, False])
def test_T5_gru_cells_are_torchs_and_the_context_is_the_weighted_states(has_attention):
    model, tokens, answers = made(has_attention=has_attention), rows(M), rows(N, 1)
    found = model(tokens, answers)
    states, last = model.encoder(model.table(tokens))
    state, before = last[0], torch.cat([torch.full((B, 1), N_WORDS), answers[:, :-1]], dim=1)
    for step in range(N):
        read, said = [model.table(before[:, step])], []
        if has_attention:
            hidden = torch.tanh((state @ model.w_q)[:, None] + states @ model.w_k)
            weights = (hidden @ model.w_score).softmax(dim=-1)
            assert_close(found.weights[:, step], weights)
            said = [torch.einsum("bm,bmd->bd", weights, states)]
        state = model.decoder(torch.cat(read + said, dim=-1), state)
        assert_close(found.logits[:, step], model.w_out(torch.cat([state, *said], dim=-1)))
    assert (found.weights is None) is not has_attention


def test_T5_writing_by_oneself_is_being_told_what_one_said():
    model = made(has_attention=True)
    written = model.write(rows(M), N)
    assert_close(model(rows(M), written.logits.argmax(dim=-1)).logits, written.logits)
    assert not written.logits.requires_grad


def test_T5_without_attention_only_the_last_state_is_handed_over():
    """Whatever the earlier states are, the decoder says the same as long as the last is the same."""
    model = made(has_attention=False)
    with torch.no_grad():
        for p in model.encoder.parameters():
            p.zero_()
    assert_close(model.write(rows(M), N).logits, model.write(rows(M, 2), N).logits)


def test_both_kinds_begin_with_the_same_numbers():
    one, other = (dict(made(has_attention=kind).named_parameters()) for kind in (True, False))
    same = [name for name in other if one[name].shape == other[name].shape]
    assert "encoder.weight_hh_l0" in same
    assert all(torch.equal(one[name], other[name]) for name in same)


@pytest.mark.parametrize(("d_model", "n_words"), [(0, 3), (129, 3), (4, 0)])
def test_sizes_out_of_range_are_refused(d_model, n_words):
    with pytest.raises(ValueError, match="d_model must be from 1 to 128 and n_words at least 1"):
        EncoderDecoder(n_words, d_model, has_attention=True, seed=0)


@pytest.mark.parametrize("n_new", [0, MOST_LENGTH + 1])
def test_no_more_is_written_than_allowed(n_new):
    with pytest.raises(ValueError, match=f"within 1 and {MOST_LENGTH}, got {n_new}"):
        made(has_attention=True).write(rows(M), n_new)
