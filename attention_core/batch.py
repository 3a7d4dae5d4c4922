"""Several sentences in one tensor: shorter ones are filled up to the longest."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from attention_core.embedding import embed
from attention_core.single_head import Positions, draw_matrices, draw_position

PAD = "<pad>"
MAX_SENTENCES = 8


@dataclass(frozen=True, eq=False)
class Batch:
    """Queries, keys and values of several sentences, drawn at random.

    Attributes:
        tokens: Of each sentence, filler among them.
        lengths: How many tokens of each sentence are its own.
    """

    tokens: tuple[tuple[str, ...], ...]
    lengths: tuple[int, ...]
    q: Float[Tensor, "B N d_k"]
    k: Float[Tensor, "B N d_k"]
    v: Float[Tensor, "B N d_v"]


def fill_up(sentences: Sequence[Sequence[str]]) -> tuple[tuple[str, ...], ...]:
    """Put filler behind the shorter sentences.

    Example:
        >>> fill_up([("the", "cat"), ("it",)])
        (('the', 'cat'), ('it', '<pad>'))
    """
    longest = max(map(len, sentences), default=0)
    return tuple((*sentence, *[PAD] * (longest - len(sentence))) for sentence in sentences)


def draw_batch(
    sentences: Sequence[Sequence[str]], *, seed: int, d_model: int, d_k: int, d_v: int, positions: Positions
) -> Batch:
    """Draw queries, keys and values of a batch; filler is a token with an embedding of its own.

    Args:
        sentences: 1 to MAX_SENTENCES of them; one may be empty where another is not.

    Returns:
        float64. A sentence has the numbers here that it has alone: `own_sentence` with the same settings.

    Raises:
        ValueError: no sentence or too many, no token at all, a width that is not from 1 to MAX_WIDTH, or an
            unknown kind of positions.

    Example:
        >>> sizes = {"seed": 0, "d_model": 6, "d_k": 4, "d_v": 3, "positions": "sinusoidal"}
        >>> batch = draw_batch([("the", "cat", "ran"), ("it",)], **sizes)
        >>> tuple(batch.q.shape), tuple(batch.v.shape), batch.lengths
        ((2, 3, 4), (2, 3, 3), (3, 1))
    """
    if not 1 <= len(sentences) <= MAX_SENTENCES:
        raise ValueError(f"a batch has 1 to {MAX_SENTENCES} sentences, got {len(sentences)}")
    tokens = fill_up(sentences)
    if not tokens[0]:
        raise ValueError(f"a batch needs a token, got {len(sentences)} empty sentences")
    position = draw_position(positions, len(tokens[0]), d_model, seed)
    x = torch.stack([embed(sentence, seed, d_model) + position.double() for sentence in tokens])
    drawn = draw_matrices(seed=seed, d_model=d_model, d_k=d_k, d_v=d_v)
    return Batch(
        tokens,
        tuple(map(len, sentences)),
        q=x @ drawn["w_q"],
        k=x @ drawn["w_k"],
        v=x @ drawn["w_v"],
    )
