"""A character model: after every character of a text, what comes next."""

import torch
from jaxtyping import Int
from torch import Tensor

from attention_core.training.examples import Examples
from attention_core.training.tasks.task import Task

N, MOST_CHARACTERS, MOST_WORDS = 24, 20_000, 512
# The end of a text is held out: so much of it.
HELD_OUT_SHARE = 0.1


def build_text(text: str) -> Task:
    """Make the task of a text.

    Returns:
        Every N characters that follow one another, with the character after each; all count. What is held out is the
        end of the text: nothing there is trained on, but a phrase of it may stand elsewhere too.

    Raises:
        ValueError: a text that is too short to be split, too long, or of too many different characters.

    Example:
        >>> task = build_text("abcd" * 200)
        >>> examples = task.draw(1, torch.Generator().manual_seed(0))
        >>> bool(((examples.tokens + 1) % 4 == examples.targets).all())
        True
    """
    vocab = tuple(sorted(set(text[: MOST_CHARACTERS + 1])))
    shortest = round((N + 1) / HELD_OUT_SHARE)
    if not shortest <= len(text) <= MOST_CHARACTERS:
        raise ValueError(f"a text has from {shortest} to {MOST_CHARACTERS} characters, got {len(text)}")
    if len(vocab) > MOST_WORDS:
        raise ValueError(f"a text has at most {MOST_WORDS} different characters, got {len(vocab)}")
    place = {character: at for at, character in enumerate(vocab)}
    tokens = torch.tensor([place[character] for character in text])
    border = len(text) - round(len(text) * HELD_OUT_SHARE)
    trained, held_out = _windows(tokens[:border]), _windows(tokens[border:])

    def draw(n_examples: int, generator: torch.Generator) -> Examples:
        return _ask_all(trained[torch.randint(len(trained), (n_examples,), generator=generator)])

    return Task(vocab, N, is_causal=True, draw=draw, hold_out=lambda: _ask_all(held_out))


def _windows(tokens: Int[Tensor, " M"]) -> Int[Tensor, "B N"]:
    """Give all stretches of N characters and the one after them."""
    return tokens.unfold(0, N + 1, 1)


def _ask_all(windows: Int[Tensor, "B M"]) -> Examples:
    return Examples(windows[:, :-1], windows[:, 1:], torch.ones_like(windows[:, 1:], dtype=torch.bool))
