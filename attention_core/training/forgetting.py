"""Does a decoder forget long inputs? Two encoder–decoders learn to say letters again, one of them with attention (T5)."""

from collections.abc import Iterator
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from jaxtyping import Int
from torch import Tensor

from attention_core.training.encoder_decoder import EncoderDecoder

N_LETTERS, SHORTEST, LONGEST = 10, 2, 16
# Longer ones than any that were trained on come last.
TESTED = (2, 4, 8, 12, 16, 24)
N_TESTED, TEST_SEED, TEST_EVERY = 128, 2**41, 50
LARGEST_NORM = 1.0


@dataclass(frozen=True)
class ForgettingRecord:
    """How far one of the two is.

    Attributes:
        step: Counted from 1.
        loss: Mean cross-entropy of the step's letters, in nats.
        accuracies: Share of letters right, for each length of TESTED, when the model writes by itself; None but every
            TEST_EVERY steps.
    """

    step: int
    loss: float
    accuracies: tuple[float, ...] | None


def watch_forgetting(
    has_attention: bool,
    n_steps: int,
    *,
    seed: int = 0,
    d_model: int = 64,
    batch: int = 32,
    learning_rate: float | int = 5e-3,
) -> Iterator[ForgettingRecord]:
    """Train one of the two to say letters again in the same order, and test it on every length.

    Args:
        has_attention: With additive attention to all states of the encoder, or with its last state alone.
        seed: Of the weights and the letters: both kinds read the same rows in the same order.

    Returns:
        A record a step. Rows have SHORTEST to LONGEST letters, one length a batch; gradients longer than LARGEST_NORM
        are shortened.

    Example:
        >>> [record.step for record in watch_forgetting(True, 2, d_model=4, batch=2)]
        [1, 2]

    Source: Bahdanau et al. 2015, figure 2 (translations by length); the task is our own.
    """
    model = EncoderDecoder(N_LETTERS, d_model, has_attention=has_attention, seed=seed)
    optimiser = torch.optim.Adam(model.parameters(), learning_rate, fused=True)
    generator = torch.Generator().manual_seed(seed)
    for step in range(1, n_steps + 1):
        n = int(torch.randint(SHORTEST, LONGEST + 1, (1,), generator=generator))
        letters = _draw(batch, n, generator)
        logits = model(letters, letters).logits
        loss = F.cross_entropy(logits.flatten(0, 1), letters.flatten())
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), LARGEST_NORM)
        optimiser.step()
        tested = tuple(measure_recall(model, n) for n in TESTED) if step % TEST_EVERY == 0 else None
        yield ForgettingRecord(step, loss.item(), tested)


def measure_recall(model: EncoderDecoder, n: int) -> float:
    """Measure the share of letters that a model says again rightly, of rows of one length that it writes by itself.

    Returns:
        Of N_TESTED rows, the same at every call; of short rows some were trained on.
    """
    letters = _draw(N_TESTED, n, torch.Generator().manual_seed(TEST_SEED + n))
    return (model.write(letters, n).logits.argmax(dim=-1) == letters).double().mean().item()


def _draw(n_rows: int, n: int, generator: torch.Generator) -> Int[Tensor, "B N"]:
    return torch.randint(N_LETTERS, (n_rows, n), generator=generator)
