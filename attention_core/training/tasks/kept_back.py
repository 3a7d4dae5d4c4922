"""Which of all possible sequences are never trained on: a rule, so that no list of them is needed."""

from collections.abc import Callable

import torch
from jaxtyping import Bool, Int
from torch import Tensor

from attention_core.training.examples import Examples
from attention_core.training.tasks.task import Task

ONE_IN, HELD_OUT_SEED, N_HELD_OUT = 5, 2**40, 256
MOST_ROUNDS = 1000

DrawTokens = Callable[[int, torch.Generator], Int[Tensor, "B N"]]


def is_kept_back(tokens: Int[Tensor, "*B N"]) -> Bool[Tensor, "*B"]:
    """Say which sequences are held out: about one in ONE_IN.

        Σ_n n · tokens[n]  is a multiple of ONE_IN,  n from 1

    Example:
        >>> is_kept_back(torch.tensor([[1, 2], [1, 1]])).tolist()
        [True, False]
    """
    return (tokens * torch.arange(1, tokens.shape[-1] + 1)).sum(dim=-1) % ONE_IN == 0


def draw_split(
    draw: DrawTokens, n_examples: int, generator: torch.Generator, *, held_out: bool = False
) -> Int[Tensor, "B N"]:
    """Draw sequences of one side of the split; what is of the other side is drawn again.

    Raises:
        ValueError: hardly anything that is drawn is of this side.

    Example:
        >>> def flip(n_examples, generator):
        ...     return torch.randint(2, (n_examples, 3), generator=generator)
        >>> bool(is_kept_back(draw_split(flip, 50, torch.Generator(), held_out=True)).all())
        True
    """
    found: list[Int[Tensor, "B N"]] = []
    for _ in range(MOST_ROUNDS):
        tokens = draw(2 * n_examples, generator)
        found.append(tokens[is_kept_back(tokens) == held_out])
        if sum(map(len, found)) >= n_examples:
            return torch.cat(found)[:n_examples]
    raise ValueError(f"{MOST_ROUNDS} draws gave {sum(map(len, found))} sequences of {n_examples}")


def make_task(
    vocab: tuple[str, ...],
    draw_tokens: DrawTokens,
    write: Callable[[Int[Tensor, "B N"]], Examples],
    *,
    n: int,
    is_causal: bool,
) -> Task:
    """Make a task whose examples are written from random sequences.

    Args:
        draw_tokens: Gives sequences of either side of the split.
        write: Makes examples of them.
    """

    def draw(n_examples: int, generator: torch.Generator) -> Examples:
        return write(draw_split(draw_tokens, n_examples, generator))

    def hold_out() -> Examples:
        generator = torch.Generator().manual_seed(HELD_OUT_SEED)
        return write(draw_split(draw_tokens, N_HELD_OUT, generator, held_out=True))

    return Task(vocab, n, is_causal, draw, hold_out)
