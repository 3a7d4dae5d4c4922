"""Write on: a model says what comes next, reads what it said, and so on."""

from collections.abc import Sequence

import torch

from attention_core.training.model import TokenModel

MOST_WRITTEN = 512


def write_on(
    model: TokenModel,
    tokens: Sequence[int],
    n_new: int,
    *,
    temperature: float | int = 0.0,
    generator: torch.Generator | None = None,
) -> tuple[int, ...]:
    """Go on after a beginning.

    Args:
        temperature: 0 takes the entry with the largest logit; else logits are divided by it and one is drawn.
        generator: Where the draws come from; needed with a temperature.

    Returns:
        What was written, without the beginning. The model reads as many of the latest tokens as it has positions, and
        nothing that comes after: what it learnt to see there it does not find.

    Raises:
        ValueError: no beginning, too much to write, a negative temperature, draws without a generator.
    """
    if not tokens:
        raise ValueError("there must be a token to go on after, got none")
    if not 0 <= n_new <= MOST_WRITTEN:
        raise ValueError(f"n_new must lie within 0 and {MOST_WRITTEN}, got {n_new}")
    if not 0 <= temperature < float("inf"):
        raise ValueError(f"temperature must not be negative, and finite, got {temperature}")
    if temperature and generator is None:
        raise ValueError(f"temperature={temperature} needs a generator, got None")
    was_training, written, most = model.training, list(tokens), len(model.places)
    model.eval()
    with torch.no_grad():
        for _ in range(n_new):
            logits = model(torch.tensor([written[-most:]]))[0, -1]
            if temperature:
                chances = (logits / temperature).softmax(dim=-1)
                written.append(int(torch.multinomial(chances, 1, generator=generator)))
            else:
                written.append(int(logits.argmax()))
    model.train(was_training)
    return tuple(written[len(tokens) :])


def share_known(written: str, text: str, length: int = 4) -> float:
    """Measure how much of what was written is like a text.

    Args:
        length: Characters in a run.

    Returns:
        The share of the runs of so many characters in what was written that occur in the text; 0 where it has none.

    Example:
        >>> share_known("abcx", "zzabc", length=2)
        0.6666666666666666
    """
    runs = [written[start : start + length] for start in range(len(written) - length + 1)]
    return sum(run in text for run in runs) / len(runs) if runs else 0.0
