"""The loop: a run goes step by step, says after each what happened, and prints nothing."""

from collections.abc import Iterator
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor

from attention_core.training.examples import Examples, share_right
from attention_core.training.model import TokenModel
from attention_core.training.recipe import Recipe
from attention_core.training.tasks import task_of
from attention_core.training.tasks.task import Task

# Held-out examples are asked after so many steps.
TEST_EVERY, MOST_TESTED = 10, 128


@dataclass(frozen=True)
class StepRecord:
    """What one step did.

    Attributes:
        step: Counted from 1.
        loss: Mean cross-entropy of the answers that count, in nats, before the step.
        accuracy: Share of right answers in the same batch.
        gradient_norms: Of the loss by the weights: of the tables below the layers, of each layer, and of what is above.
        held_out_loss: Of examples that are never trained on, after the step; None but every TEST_EVERY steps.
        held_out_accuracy: Likewise.
        is_finite: Whether the loss and all gradients are numbers; a run whose are not has ended.
    """

    step: int
    loss: float
    accuracy: float
    gradient_norms: tuple[float, ...]
    held_out_loss: float | None
    held_out_accuracy: float | None
    is_finite: bool


class Run:
    """A model on its way, with all that the next step depends on.

    Args:
        recipe: Decides the run to the last digit, on one machine with one thread.
        task: None for the recipe's own.

    Raises:
        ValueError: an unknown task.

    Example:
        >>> run = Run(Recipe("recall", d_model=8))
        >>> [record.step for record in run.go(2)], run.step
        ([1, 2], 2)
    """

    def __init__(self, recipe: Recipe, task: Task | None = None) -> None:
        self.recipe, self.step = recipe, 0
        self.task = task_of(recipe) if task is None else task
        self.model = TokenModel(recipe, len(self.task.vocab), self.task.n)
        self.optimiser = make_optimiser(self.model, recipe)
        self.generator = torch.Generator().manual_seed(recipe.seed)
        self._tested: Examples | None = None

    def go(self, n_steps: int) -> Iterator[StepRecord]:
        """Train for so many steps more; end early where the loss or a gradient is no number any more."""
        for _ in range(n_steps):
            record = self._take_step()
            yield record
            if not record.is_finite:
                return

    def test(self) -> tuple[float, float]:
        """Give loss and accuracy on examples that are never trained on, of many a fixed choice."""
        if self._tested is None:
            held_out = self.task.hold_out()
            order = torch.randperm(len(held_out), generator=torch.Generator().manual_seed(0))
            self._tested = held_out.take(order[:MOST_TESTED])
        self.model.eval()
        with torch.no_grad():
            logits = self.model(self._tested.tokens)
        self.model.train()
        return answer_loss(logits, self._tested).item(), share_right(logits, self._tested)

    def _take_step(self) -> StepRecord:
        batch = self.task.draw(self.recipe.batch, self.generator)
        logits = self.model(batch.tokens, self.generator)
        loss = answer_loss(logits, batch)
        self.optimiser.zero_grad()
        loss.backward()
        norms = gradient_norms(self.model)
        is_finite = bool(torch.cat([norms, loss.detach()[None]]).isfinite().all())
        if is_finite:
            self.optimiser.step()
        self.step += 1
        tested = self.test() if is_finite and self.step % TEST_EVERY == 0 else (None, None)
        accuracy = share_right(logits.detach(), batch)
        return StepRecord(self.step, loss.item(), accuracy, tuple(norms.tolist()), *tested, is_finite)


def answer_loss(logits: Float[Tensor, "*B N vocab"], examples: Examples) -> Float[Tensor, ""]:
    """Average the cross-entropy over the answers that count.

        loss = −mean log softmax(logits)[target],  in nats

    Example:
        >>> yes = torch.tensor([[True]])
        >>> round(answer_loss(torch.zeros(1, 1, 4), Examples(yes.long(), yes.long(), yes)).item(), 4)
        1.3863
    """
    return F.cross_entropy(logits[examples.counted], examples.targets[examples.counted])


def gradient_norms(model: TokenModel) -> Float[Tensor, " _"]:
    """Measure the length of the gradient: of the tables, of each layer, of what stands above the layers.

    norm = √Σ g²  over all weights of a part
    """
    below = [model.table, *([model.places] if model.places.requires_grad else [])]
    above = [model.gain, model.shift, model.w_out, model.b_out]
    parts = [below, *([*block.parameters()] for block in model.stack.blocks), above]
    return torch.stack([torch.nn.utils.get_total_norm([p.grad for p in part]) for part in parts])


def make_optimiser(model: TokenModel, recipe: Recipe) -> torch.optim.Optimizer:
    """Make what turns gradients into steps."""
    parameters, rate = model.parameters(), recipe.learning_rate
    if recipe.optimiser == "sgd":
        return torch.optim.SGD(parameters, rate, momentum=recipe.momentum, fused=True)
    kind = torch.optim.Adam if recipe.optimiser == "adam" else torch.optim.AdamW
    return kind(parameters, rate, fused=True)
