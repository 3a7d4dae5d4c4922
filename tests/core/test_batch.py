"""A batch of sentences of unequal length: the numbers of each are those it has alone."""

import pytest
import torch

from attention_core.batch import MAX_SENTENCES, PAD, draw_batch, fill_up
from attention_core.single_head import own_sentence

SIZES = {"seed": 3, "d_model": 6, "d_k": 4, "d_v": 3, "positions": "sinusoidal"}


@pytest.mark.parametrize("positions", ["none", "sinusoidal", "learned"])
def test_a_sentence_has_the_numbers_it_has_alone(positions: str) -> None:
    sizes = {**SIZES, "positions": positions}
    batch = draw_batch([("the", "cat", "saw", "it"), ("it", "ran")], **sizes)
    alone = own_sentence(("it", "ran"), **sizes)
    assert batch.lengths == (4, 2)
    assert batch.tokens[1] == ("it", "ran", PAD, PAD)
    for got, name in ((batch.q, "w_q"), (batch.k, "w_k"), (batch.v, "w_v")):
        torch.testing.assert_close(got[1, :2], alone["x"] @ alone[name], rtol=0, atol=1e-12)


def test_filler_is_a_token_like_another() -> None:
    batch = draw_batch([("a", "b"), ()], **SIZES)
    assert batch.lengths == (2, 0)
    assert batch.k[1].abs().sum() > 0
    assert fill_up([]) == ()


@pytest.mark.parametrize("sentences", [[], [()], [("a",)] * (MAX_SENTENCES + 1)])
def test_a_batch_that_is_none_is_refused(sentences: list[tuple[str, ...]]) -> None:
    with pytest.raises(ValueError, match="sentence"):
        draw_batch(sentences, **SIZES)
