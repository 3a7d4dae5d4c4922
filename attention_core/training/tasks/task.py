"""What a task is: its words, what it draws to train on, and what it keeps for testing."""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from jaxtyping import Int
from torch import Tensor

from attention_core.training.examples import Examples


@dataclass(frozen=True, eq=False)
class Task:
    """Describe a task.

    Attributes:
        vocab: Its words; a token is a place in this list.
        n: Positions of its examples.
        is_causal: Whether it asks for what comes next.
        draw: Gives as many examples to train on as asked, none of which is held out.
        hold_out: Gives the examples that are never trained on, the same at every call.
    """

    vocab: tuple[str, ...]
    n: int
    is_causal: bool
    draw: Callable[[int, torch.Generator], Examples]
    hold_out: Callable[[], Examples]

    def say(self, tokens: Int[Tensor, " N"]) -> tuple[str, ...]:
        """Put tokens into words."""
        return tuple(self.vocab[token] for token in tokens.tolist())
