"""Bracket matching: whenever a bracket closes, say of which kind it must be."""

import torch
from jaxtyping import Int
from torch import Tensor

from attention_core.training.examples import Examples
from attention_core.training.tasks.kept_back import make_task
from attention_core.training.tasks.task import Task

OPENING, CLOSING = tuple("([{"), tuple(")]}")
N_KINDS, N_PAIRS = len(OPENING), 7


def build_brackets() -> Task:
    """Make the task.

    Returns:
        Rows of N_PAIRS pairs of brackets, well nested. What comes next counts where it is a closing one: its kind is that of the
        last bracket that is still open.
    """

    def write(tokens: Int[Tensor, "B N"]) -> Examples:
        return Examples(tokens[:, :-1], tokens[:, 1:], tokens[:, 1:] >= N_KINDS)

    return make_task(OPENING + CLOSING, draw_nested, write, n=2 * N_PAIRS - 1, is_causal=True)


def draw_nested(n_examples: int, generator: torch.Generator) -> Int[Tensor, "B N"]:
    """Draw well-nested rows: at each place one opens with chance ½ where both are possible.

    Example:
        >>> row = draw_nested(1, torch.Generator().manual_seed(0))[0]
        >>> is_nested(row.tolist()), len(row) == 2 * N_PAIRS
        (True, True)
    """
    rows = torch.arange(n_examples)
    still_open = torch.zeros(n_examples, N_PAIRS, dtype=torch.long)
    depth, n_opened = torch.zeros(2, n_examples, dtype=torch.long)
    tokens: list[Int[Tensor, " B"]] = []
    for _ in range(2 * N_PAIRS):
        kind = torch.randint(N_KINDS, (n_examples,), generator=generator)
        wants = torch.rand(n_examples, generator=generator) < 0.5
        opens = (n_opened < N_PAIRS) & (wants | (depth == 0))
        innermost = still_open[rows, (depth - 1).clamp(min=0)]
        tokens.append(torch.where(opens, kind, innermost + N_KINDS))
        slot = depth.clamp(max=N_PAIRS - 1)
        still_open[rows, slot] = torch.where(opens, kind, still_open[rows, slot])
        depth, n_opened = torch.where(opens, depth + 1, depth - 1), n_opened + opens
    return torch.stack(tokens, dim=1)


def is_nested(tokens: list[int]) -> bool:
    """Tell whether every bracket is closed by one of its kind, the innermost first.

    Example:
        >>> is_nested([0, 1, 4, 3]), is_nested([0, 1, 3, 4]), is_nested([0])
        (True, False, False)
    """
    still_open: list[int] = []
    for token in tokens:
        if token < N_KINDS:
            still_open.append(token)
        elif not still_open or still_open.pop() != token - N_KINDS:
            return False
    return not still_open
