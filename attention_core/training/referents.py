"""Whom a trained pronoun looks at: the word it stands for, or the other one."""

from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor

from attention_core.training.examples import Examples
from attention_core.training.model import TokenModel
from attention_core.training.tasks.pronoun import Words


@dataclass(frozen=True, eq=False)
class Referents:
    """Mean weights of the pronoun over examples.

    Attributes:
        right: On the word that it stands for.
        wrong: On the other of the two.
    """

    right: Float[Tensor, "layers H"]
    wrong: Float[Tensor, "layers H"]

    @property
    def best_head(self) -> tuple[int, int]:
        """Give layer and head of which the right word gets most beyond the wrong one, both from 0."""
        place = int((self.right - self.wrong).argmax())
        return divmod(place, self.right.shape[1])

    def gap(self, head: tuple[int, int]) -> float:
        """Say how much more the right word gets in a head, by layer and number."""
        return float((self.right - self.wrong)[head])


def measure_referents(model: TokenModel, words: Words, examples: Examples) -> Referents:
    """Average how much the pronoun gives to the two words that it may stand for.

    Example:
        >>> from attention_core.training.recipe import Recipe
        >>> from attention_core.training.tasks.pronoun import CHINESE, build_pronoun
        >>> task = build_pronoun(CHINESE)
        >>> model = TokenModel(Recipe("pronoun_zh", is_causal=False, d_model=8), len(task.vocab), task.n)
        >>> tuple(measure_referents(model, CHINESE, task.hold_out()).right.shape)
        (2, 2)
    """
    weights = model.trace(examples.tokens).stack.weights
    row = torch.arange(len(examples))
    at = examples.counted.int().argmax(dim=1)
    said = examples.targets[row, at]
    animal, thing = (_places(examples.tokens, words.vocab, group) for group in (words.animals, words.things))
    is_animal = examples.tokens[row, animal] == said
    right = torch.where(is_animal, animal, thing)
    wrong = torch.where(is_animal, thing, animal)
    means = [weights[:, row, :, at, place].mean(dim=0) for place in (right, wrong)]
    return Referents(*means)


def _places(tokens: Int[Tensor, "B N"], vocab: tuple[str, ...], group: tuple[str, ...]) -> Int[Tensor, " B"]:
    """Find the one word of a group in each example."""
    wanted = torch.tensor([vocab.index(word) for word in group])
    return torch.isin(tokens, wanted).int().argmax(dim=1)
