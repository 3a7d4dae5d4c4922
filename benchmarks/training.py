"""Time our training loop against a plain one: the same sizes, batches and optimiser, nn.TransformerEncoderLayer, no records.

Run it from the repository: `python -m benchmarks.training`. Both sides take as many steps in turn as ours takes in a fifth of a
second, on one thread; the ratio of each pair is taken, and the table gives their median. Ours writes a record a step and tests on
held-out examples every ten steps; in pieces it also reads and writes the whole run and looks at an example's weights.
"""

import math
import os
import platform
import statistics
from collections import deque
from collections.abc import Callable, Iterator
from datetime import date
from functools import partial
from itertools import islice

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from attention_core.training.chunk import MOST_STEPS_AT_ONCE, go_on
from attention_core.training.loop import Run
from attention_core.training.recipe import Recipe
from attention_core.training.tasks import task_of
from benchmarks.core import paired_times_s

PAIRS, WARM_UP, PIECE_S = 15, 3, 0.2
BAR_LOOP, BAR_PIECES = 0.9, 0.7
RECIPES = {
    "它": Recipe("pronoun_zh", is_causal=False),
    "recall": Recipe("recall"),
    "recall, wider": Recipe("recall", d_model=64, n_heads=4),
    "text": Recipe("text_en", n_layers=4),
}


class Plain(nn.Module):
    """The same model out of PyTorch's own parts."""

    def __init__(self, recipe: Recipe, n_words: int, n: int) -> None:
        super().__init__()
        d_model = recipe.d_model
        self.table, self.places = nn.Embedding(n_words, d_model), nn.Parameter(torch.randn(n, d_model))
        kind = {"dropout": 0.0, "activation": "gelu", "batch_first": True, "norm_first": True}
        layer = nn.TransformerEncoderLayer(d_model, recipe.n_heads, 4 * d_model, **kind)
        end = nn.LayerNorm(d_model)
        self.layers = nn.TransformerEncoder(layer, recipe.n_layers, end, enable_nested_tensor=False)
        self.out = nn.Linear(d_model, n_words)
        mask = nn.Transformer.generate_square_subsequent_mask(n) if recipe.is_causal else None
        self.register_buffer("mask", mask)

    def forward(self, tokens: Tensor) -> Tensor:
        """Give the logits."""
        x = self.table(tokens) + self.places
        return self.out(self.layers(x, mask=self.mask, is_causal=self.mask is not None))


def plain_steps(recipe: Recipe) -> Iterator[float]:
    """Train without end; give the loss of each step."""
    task = task_of(recipe)
    model = Plain(recipe, len(task.vocab), task.n)
    optimiser = torch.optim.Adam(model.parameters(), recipe.learning_rate, fused=True)
    generator = torch.Generator().manual_seed(0)
    while True:
        batch = task.draw(recipe.batch, generator)
        loss = F.cross_entropy(model(batch.tokens)[batch.counted], batch.targets[batch.counted])
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        yield loss.item()


def plain_loop(recipe: Recipe) -> Callable[[int], None]:
    """Make what takes so many steps more of the plain loop."""
    steps = plain_steps(recipe)
    return lambda n_steps: deque(islice(steps, n_steps), maxlen=0)


def our_loop(recipe: Recipe) -> Callable[[int], None]:
    """The same of ours."""
    run = Run(recipe)
    return lambda n_steps: deque(run.go(n_steps), maxlen=0)


def our_pieces(recipe: Recipe) -> Callable[[int], None]:
    """The same in one piece, which takes and returns the whole run as bytes."""
    state: list[bytes | None] = [None]

    def take(n_steps: int) -> None:
        state[0] = go_on(recipe, state[0], n_steps, math.inf).state

    return take


def steps_in_a_piece(recipe: Recipe) -> int:
    """Count what fits into PIECE_S, once everything is warm."""
    warm = go_on(recipe, None, 20, PIECE_S)
    return max(1, len(go_on(recipe, warm.state, MOST_STEPS_AT_ONCE, PIECE_S).records))


def print_row(name: str, kind: str, ours: Callable[[int], None], recipe: Recipe, bar: float) -> None:
    """Print how fast ours is beside the plain loop."""
    n_steps = steps_in_a_piece(recipe)
    plain = partial(plain_loop(recipe), n_steps)
    times = paired_times_s(plain, partial(ours, n_steps), PAIRS + WARM_UP)[WARM_UP:]
    rates = (n_steps / statistics.median(side) for side in zip(*times, strict=True))
    low, ratio, high = statistics.quantiles([one / other for one, other in times], n=4)
    cells = " | ".join(f"{rate:.0f}" for rate in rates)
    verdict = "holds" if ratio >= bar else "MISSED"
    print(
        f"| {name} | {kind} | {n_steps} | {cells} | {ratio:.2f} | {low:.2f} to {high:.2f} | ≥ {bar} | {verdict} |",
        flush=True,
    )


def main() -> None:
    """Print the table."""
    torch.set_num_threads(1)
    print(
        f"{date.today()}, Python {platform.python_version()}, torch {torch.__version__}, {os.cpu_count()} cores\n"
    )
    print("| task | ours | steps at once | plain, steps/s | ours, steps/s | ratio | middle half | bar | |")
    print("|---|---|---:|---:|---:|---:|---:|---:|---|")
    for name, recipe in RECIPES.items():
        print_row(name, "the loop", our_loop(recipe), recipe, BAR_LOOP)
        print_row(name, "in pieces", our_pieces(recipe), recipe, BAR_PIECES)


if __name__ == "__main__":
    main()
