"""The random numbers are the same for the same seed and name, at every width and in every process."""

import os
import subprocess
import sys
import time

import pytest
import torch

from attention_core.embedding import MAX_WIDTH, embed, projection, token_vector

TOKENS = ("the", "猫", "the", "\ud83d", "👍🏽")


def test_a_token_has_one_vector_in_any_sentence_and_at_any_place():
    rows = embed(TOKENS, 5, 7)
    assert rows.shape == (5, 7)
    assert rows.dtype == torch.float64
    assert torch.equal(rows[0], rows[2])
    for n, token in enumerate(TOKENS):
        assert torch.equal(rows[n], token_vector(token, 5, 7))
        assert torch.equal(rows[n], embed((token,), 5, 7)[0])


def test_another_seed_or_another_token_has_other_numbers():
    assert not torch.equal(token_vector("cat", 0, 7), token_vector("cat", 1, 7))
    assert not torch.equal(token_vector("cat", 0, 7), token_vector("dog", 0, 7))
    assert not torch.equal(token_vector("1", 2, 7), token_vector("", 21, 7))


def test_a_wider_model_keeps_the_numbers_that_were_there():
    assert torch.equal(embed(TOKENS, 3, MAX_WIDTH)[:, :11], embed(TOKENS, 3, 11))
    assert torch.equal(projection("w_q", 3, 11, 13)[:, :5], projection("w_q", 3, 11, 5))
    wide, narrow = projection("w_q", 3, 13, 5), projection("w_q", 3, 11, 5)
    torch.testing.assert_close(wide[:11] * 13**0.5, narrow * 11**0.5, rtol=0, atol=1e-15)


def test_each_projection_has_numbers_of_its_own_and_keeps_unit_variance():
    matrices = [projection(name, 0, MAX_WIDTH, MAX_WIDTH) for name in ("w_q", "w_k", "w_v", "w_o")]
    for i, matrix in enumerate(matrices):
        assert abs(float(matrix.var() * MAX_WIDTH) - 1) < 0.1
        assert all(not torch.equal(matrix, other) for other in matrices[:i])
    assert not torch.equal(projection("w_q", 0, 7, 3)[0], token_vector("w_q", 0, 3))


def test_numbers_are_standard_normal_over_many_tokens():
    rows = embed([f"token {i}" for i in range(400)], 0, MAX_WIDTH)
    assert abs(float(rows.mean())) < 0.02
    assert abs(float(rows.var()) - 1) < 0.03


def test_no_caller_can_spoil_the_numbers_of_another():
    token_vector("cat", 0, 7).zero_()
    embed(("cat",), 0, 7).zero_()
    projection("w_q", 0, MAX_WIDTH, MAX_WIDTH).zero_()
    assert float(embed(("cat",), 0, 7).abs().min()) > 0
    assert float(projection("w_q", 0, 7, 7).abs().min()) > 0


def test_every_process_draws_the_same_numbers():
    program = (
        "from attention_core.embedding import embed, projection\n"
        "print(embed(('cat', '猫', chr(0xd83d)), 7, 3).tolist(), projection('w_q', 7, 3, 2).tolist())"
    )
    other = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONHASHSEED": "1", "PYTHONPATH": os.getcwd()},
        capture_output=True,
        text=True,
        check=True,
    )
    here = f"{embed(('cat', '猫', chr(0xD83D)), 7, 3).tolist()} {projection('w_q', 7, 3, 2).tolist()}"
    assert other.stdout.strip() == here


def test_the_global_generator_is_neither_read_nor_moved():
    torch.manual_seed(1)
    before = torch.get_rng_state()
    first = embed(("a token nobody drew before",), 123, 7)
    assert torch.equal(torch.get_rng_state(), before)
    torch.manual_seed(2)
    assert torch.equal(embed(("a token nobody drew before",), 123, 7), first)


def test_no_tokens_give_no_rows():
    assert embed((), 0, 7).shape == (0, 7)
    assert embed((), 0, 7).dtype == torch.float64


@pytest.mark.parametrize("width", [0, -1, MAX_WIDTH + 1])
@pytest.mark.parametrize(
    "draw",
    [
        lambda width: embed(("cat",), 0, width),
        lambda width: token_vector("cat", 0, width),
        lambda width: projection("w_q", 0, width, 3),
        lambda width: projection("w_q", 0, 3, width),
    ],
)
def test_a_width_out_of_range_is_refused_with_both_values(draw, width):
    with pytest.raises(ValueError, match=f"must be from 1 to {MAX_WIDTH}, got {width}"):
        draw(width)


def test_eight_tokens_never_seen_take_less_than_a_millisecond():
    seconds = []
    for attempt in range(20):
        tokens = [f"fresh {attempt} {i}" for i in range(8)]
        started = time.perf_counter()
        embed(tokens, 0, 8)
        seconds.append(time.perf_counter() - started)
    assert min(seconds) < 0.001
