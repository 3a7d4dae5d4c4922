"""Everything that decides a run: the task, the model, how it is trained, and the seed."""

import math
from dataclasses import dataclass
from typing import Literal, get_args

from attention_core.layers import NORMS, Norm
from attention_core.single_head import Positions

Divisor = Literal["sqrt_d_k", "one", "d_k"]
DIVISORS: tuple[Divisor, ...] = get_args(Divisor)
Optimiser = Literal["adam", "adamw", "sgd"]
OPTIMISERS: tuple[Optimiser, ...] = get_args(Optimiser)
POSITIONS: tuple[Positions, ...] = get_args(Positions)
MOST_LAYERS, MOST_HEADS, MOST_WIDE, MOST_EXAMPLES, MAX_SEED = 4, 8, 256, 256, 9999


@dataclass(frozen=True)
class Recipe:
    """Say what is trained, on what and how. The same recipe gives the same run.

    Attributes:
        task: Its name in `attention_core.training.tasks`.
        divisor: What scores are divided by: √d_k, 1 or d_k.
        is_causal: Positions do not see what comes after them. A model that predicts what comes next and sees it leaks.
        batch: Examples a step.
        momentum: Of "sgd" only.
        dropout_p: Chance that an attention weight is dropped while training.
        text: What a character model learns, where the task is one's own text.

    Raises:
        ValueError: a number outside its range, heads that do not divide the width, an unknown word.

    Example:
        >>> Recipe("recall", n_heads=2, d_model=32).scale
        0.25
    """

    task: str
    n_layers: int = 2
    n_heads: int = 2
    d_model: int = 32
    positions: Positions = "learned"
    divisor: Divisor = "sqrt_d_k"
    is_causal: bool = True
    has_ffn: bool = True
    has_residual: bool = True
    norm: Norm = "pre"
    dropout_p: float | int = 0.0
    optimiser: Optimiser = "adam"
    learning_rate: float | int = 3e-3
    momentum: float | int = 0.9
    batch: int = 64
    seed: int = 0
    text: str = ""

    def __post_init__(self) -> None:
        whole = (("n_layers", 1, MOST_LAYERS), ("d_model", 1, MOST_WIDE), ("batch", 1, MOST_EXAMPLES))
        for name, lowest, highest in (*whole, ("seed", 0, MAX_SEED), ("n_heads", 1, MOST_HEADS)):
            value = getattr(self, name)
            if type(value) is not int or not lowest <= value <= highest:
                raise ValueError(f"{name} must be a whole number from {lowest} to {highest}, got {value}")
        if self.d_model % self.n_heads:
            raise ValueError(
                f"d_model must be a multiple of n_heads, got d_model={self.d_model} and n_heads={self.n_heads}"
            )
        words = {"divisor": DIVISORS, "optimiser": OPTIMISERS, "positions": POSITIONS, "norm": NORMS}
        for name, known in words.items():
            if getattr(self, name) not in known:
                raise ValueError(f"{name} must be one of {', '.join(known)}, got {getattr(self, name)!r}")
        for name in ("task", "text"):
            if type(getattr(self, name)) is not str:
                raise ValueError(f"{name} must be a text, got {getattr(self, name)!r:.80}")
        for name in ("is_causal", "has_ffn", "has_residual"):
            if type(getattr(self, name)) is not bool:
                raise ValueError(f"{name} must be true or false, got {getattr(self, name)!r}")
        _within("learning_rate", self.learning_rate, 0, math.inf)
        _within("dropout_p", self.dropout_p, 0, 1)
        _within("momentum", self.momentum, 0, 1)

    @property
    def scale(self) -> float:
        """What scores are multiplied by."""
        d_k = self.d_model // self.n_heads
        return {"sqrt_d_k": d_k**-0.5, "one": 1.0, "d_k": 1 / d_k}[self.divisor]


def _within(name: str, value: float | int, lowest: float | int, highest: float | int) -> None:
    """Refuse what is no number, and a number outside of its range."""
    is_number = type(value) in (int, float) and math.isfinite(value)
    if not is_number or not lowest <= value < highest:
        raise ValueError(f"{name} must be a number from {lowest} to below {highest}, got {value}")
