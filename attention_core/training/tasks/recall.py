"""Associative recall: pairs of a key and a value, then keys alone, each to be answered by its value.

A value's token does not say whose it is: that stands before it. One layer cannot bring the two together; two can, the first
by looking at the token before, the second by looking for the key (an induction head).
"""

import torch
from jaxtyping import Int
from torch import Tensor

from attention_core.training.examples import Examples, ask_next
from attention_core.training.tasks.task import Task

N_KEYS, N_VALUES, N_PAIRS = 12, 12, 6
N_HELD_OUT, HELD_OUT_SEED = 256, 2**40
KEYS, VALUES = "abcdefghijkl", tuple(str(number) for number in range(N_VALUES))


def build_recall(n_keys: int = N_KEYS, n_values: int = N_VALUES, n_pairs: int = N_PAIRS) -> Task:
    """Make the task.

        k₁ v₁ k₂ v₂ … then the same keys in another order, each followed by its value

    Args:
        n_pairs: Of different keys; values may repeat.

    Returns:
        What should be said counts at the second coming of each key. What is held out are draws of a seed of its own;
        there are n_values^n_pairs · n_keys! / (n_keys − n_pairs)! lists, so hardly one is drawn twice.

    Raises:
        ValueError: no pair, or more pairs than keys.
    """
    if not 1 <= n_pairs <= n_keys:
        raise ValueError(f"there must be 1 to {n_keys} pairs, as many as keys, got {n_pairs}")

    def draw(n_examples: int, generator: torch.Generator) -> Examples:
        keys = _shuffled(n_examples, n_keys, generator)[:, :n_pairs]
        values = torch.randint(n_values, keys.shape, generator=generator) + n_keys
        again = _shuffled(n_examples, n_pairs, generator)
        pairs, asked = (
            torch.stack([k, v], dim=-1).flatten(1)
            for k, v in ((keys, values), (keys.gather(1, again), values.gather(1, again)))
        )
        return ask_next(torch.cat([pairs, asked], dim=1), range(2 * n_pairs, 4 * n_pairs, 2))

    def hold_out() -> Examples:
        return draw(N_HELD_OUT, torch.Generator().manual_seed(HELD_OUT_SEED))

    vocab = tuple(KEYS[:n_keys]) + VALUES[:n_values]
    return Task(vocab, 4 * n_pairs - 1, is_causal=True, draw=draw, hold_out=hold_out)


def _shuffled(n_rows: int, n: int, generator: torch.Generator) -> Int[Tensor, "_ _"]:
    """Shuffle 0 to n − 1, each row by itself."""
    return torch.rand(n_rows, n, generator=generator).argsort(dim=1)
