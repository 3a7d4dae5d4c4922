"""Tasks on a row of letters: say it again, reverse it, sort it; and one that needs two relations at once."""

import torch
from jaxtyping import Int
from torch import Tensor

from attention_core.training.examples import Examples, ask_next
from attention_core.training.tasks.kept_back import make_task
from attention_core.training.tasks.task import Task

LETTERS, AGAIN = tuple("abcdefghij"), ">"
N_LETTERS = 8


def build_copy() -> Task:
    """Make the task of going on after a sign with the letters before it, one by one.

        x₁ … x_N > x₁ … x_N

    Returns:
        What should be said counts from the sign on.
    """

    def write(letters: Int[Tensor, "B N"]) -> Examples:
        sign = torch.full((len(letters), 1), len(LETTERS))
        tokens = torch.cat([letters, sign, letters], dim=1)
        return ask_next(tokens, range(N_LETTERS, 2 * N_LETTERS))

    return make_task((*LETTERS, AGAIN), _draw_letters, write, n=2 * N_LETTERS, is_causal=True)


def build_reverse() -> Task:
    """Make the task of saying at each place the letter that stands as far from the other end.

        y_n = x_{N+1−n}

    Without positions it cannot be learnt: equal letters then get equal answers.
    """
    return make_task(
        LETTERS, _draw_letters, lambda x: _say_at_each(x, x.flip(1)), n=N_LETTERS, is_causal=False
    )


def build_sort() -> Task:
    """Make the task of saying at the n-th place the n-th letter by the alphabet."""
    return make_task(
        LETTERS, _draw_letters, lambda x: _say_at_each(x, x.sort(dim=1).values), n=N_LETTERS, is_causal=False
    )


def build_pair() -> Task:
    """Make the task of saying at each place which two letters stand one and three places before it, as one word.

        y_n = x_{n−1} x_{n−3}

    Two relations at once: what a second head is for.
    """
    n_letters = len(LETTERS)
    words = tuple(near + far for near in LETTERS for far in LETTERS)

    def write(x: Int[Tensor, "B N"]) -> Examples:
        targets = n_letters * (1 + x.roll(1, dims=1)) + x.roll(3, dims=1)
        return Examples(x, targets, (torch.arange(N_LETTERS) >= 3).expand(len(x), -1))

    return make_task(LETTERS + words, _draw_letters, write, n=N_LETTERS, is_causal=False)


def _draw_letters(n_examples: int, generator: torch.Generator) -> Int[Tensor, "B N"]:
    return torch.randint(len(LETTERS), (n_examples, N_LETTERS), generator=generator)


def _say_at_each(x: Int[Tensor, "B N"], answers: Int[Tensor, "B N"]) -> Examples:
    """Ask at every place."""
    return Examples(x, answers, torch.ones_like(x, dtype=torch.bool))
