"""A run in pieces: each takes the run as bytes and gives it back as bytes, so that it can stop, wait, move and start again."""

import time
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from attention_core.training.checkpoint import load_run, save_run
from attention_core.training.loop import Run, StepRecord
from attention_core.training.recipe import Recipe

MOST_STEPS_AT_ONCE = 200


@dataclass(frozen=True)
class Chunk:
    """What some steps gave: plain values and bytes, which any queue between processes takes.

    Attributes:
        records: A record a step; fewer than asked where time ran out or the loss is no number any more.
        state: The run after them.
        look: The weights of the example that is watched, as `read_look` reads them.
        look_shape: Layers, heads, queries and keys.
        answers: What the model says to that example, a place in the vocabulary for each position.
    """

    records: tuple[StepRecord, ...]
    state: bytes
    look: bytes
    look_shape: tuple[int, int, int, int]
    answers: tuple[int, ...]


def go_on(recipe: Recipe, state: bytes | None, n_steps: int, most_s: float | int, watched: int = 0) -> Chunk:
    """Take some steps more.

    Args:
        recipe: Where the run begins, if state is None.
        state: As a chunk gave it.
        n_steps: 0 only looks.
        most_s: No step begins after so many seconds; one always does.
        watched: Which of the held-out examples is looked at; of those beyond the last, the last.

    Returns:
        The same records, however the run is cut into chunks.

    Raises:
        ValueError: more than MOST_STEPS_AT_ONCE, a negative place, a state that is none.

    Example:
        >>> chunk = go_on(Recipe("copy", d_model=8, batch=2), None, 3, 60)
        >>> [record.step for record in go_on(Recipe("copy"), chunk.state, 2, 60).records]
        [4, 5]
    """
    if not 0 <= n_steps <= MOST_STEPS_AT_ONCE:
        raise ValueError(f"n_steps must lie within 0 and {MOST_STEPS_AT_ONCE}, got {n_steps}")
    if watched < 0:
        raise ValueError(f"watched must not be negative, got {watched}")
    run = Run(recipe) if state is None else load_run(state)
    ends, records = time.monotonic() + most_s, []
    for record in run.go(n_steps):
        records.append(record)
        if time.monotonic() > ends:
            break
    examples = run.task.hold_out()
    trace = run.model.trace(examples.tokens[min(watched, len(examples) - 1)][None])
    weights = trace.stack.weights[:, 0]
    answers = tuple(trace.logits[0].argmax(dim=-1).tolist())
    # Half precision is more than a picture shows.
    look = weights.half().cpu().contiguous().numpy().tobytes()
    return Chunk(tuple(records), save_run(run), look, tuple(weights.shape), answers)


def read_look(chunk: Chunk) -> Float[Tensor, "layers H N N"]:
    """Give the weights that a chunk looked at.

    Example:
        >>> tuple(read_look(go_on(Recipe("copy", d_model=8), None, 0, 60)).shape)
        (2, 2, 16, 16)
    """
    return torch.frombuffer(bytearray(chunk.look), dtype=torch.float16).view(chunk.look_shape).float()
