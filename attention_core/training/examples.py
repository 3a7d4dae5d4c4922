"""Examples of a task: what a model reads, what it should say, and at which positions that counts."""

from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor


@dataclass(frozen=True, eq=False)
class Examples:
    """Examples of one length, side by side.

    Attributes:
        tokens: Places in the vocabulary.
        targets: What should be said at each position; of no meaning where it does not count.
        counted: Where the answer counts, in the loss and in the accuracy.
    """

    tokens: Int[Tensor, "*B N"]
    targets: Int[Tensor, "*B N"]
    counted: Bool[Tensor, "*B N"]

    def __len__(self) -> int:
        """Count the examples."""
        return len(self.tokens)

    def take(self, places: Int[Tensor, " _"] | slice) -> "Examples":
        """Pick some of the examples."""
        return Examples(self.tokens[places], self.targets[places], self.counted[places])

    def to(self, device: torch.device | str) -> "Examples":
        """Put them where a model is."""
        return Examples(self.tokens.to(device), self.targets.to(device), self.counted.to(device))


def ask_next(tokens: Int[Tensor, "B N"], at: range) -> Examples:
    """Ask at some positions what comes next; the last token is only an answer.

    Example:
        >>> examples = ask_next(torch.tensor([[4, 5, 6]]), range(1, 2))
        >>> examples.tokens.tolist(), examples.targets.tolist(), examples.counted.tolist()
        ([[4, 5]], [[5, 6]], [[False, True]])
    """
    counted = torch.zeros(tokens.shape[1] - 1, dtype=torch.bool)
    counted[list(at)] = True
    return Examples(tokens[:, :-1], tokens[:, 1:], counted.expand(len(tokens), -1))


def share_right(logits: Float[Tensor, "*B N vocab"], examples: Examples) -> float:
    """Measure how many of the answers that count are the right ones.

    Returns:
        Between 0 and 1. An answer is the entry with the largest logit; 0 where a logit that counts is not a number.

    Example:
        >>> yes = torch.tensor([[True, False]])
        >>> zeros = torch.zeros(1, 2, dtype=torch.long)
        >>> share_right(torch.tensor([[[2.0, 1.0], [0.0, 5.0]]]), Examples(zeros, zeros, yes))
        1.0
    """
    counted = logits[examples.counted]
    is_right = (counted.argmax(dim=-1) == examples.targets[examples.counted]) & counted.isfinite().all(dim=-1)
    return is_right.double().mean().item()
