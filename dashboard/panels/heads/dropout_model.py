"""From the lesson's values to one head's weights, and what dropout does to them."""

from dataclasses import dataclass
from functools import lru_cache

from attention_core.experiments.head_facts import SentenceHeads, attend_sentence
from attention_core.experiments.weight_dropout import (
    DRAWS,
    EvalTrap,
    MeanOfDraws,
    Modes,
    OneDraw,
    TorchDropout,
    average_draws,
    compare_modes,
    compare_with_torch,
    draw_once,
    show_trap,
)
from attention_core.single_head import Positions
from attention_core.tokens import tokenize
from dashboard.cached import shared
from dashboard.controls import State

# Of the longest sentence some tenths of a second.
TORCH_DRAWS = 200


@dataclass(frozen=True)
class OneHead:
    """Which head of which sentence, as the caches take it; `head` counts from 0."""

    tokens: tuple[str, ...]
    seed: int
    d_model: int
    n_heads: int
    positions: Positions
    is_causal: bool
    head: int


def head_of(state: State) -> OneHead:
    """Read which head is shown; the sentence and the number of heads must be legal."""
    names = ("seed", "d_model", "h", "positions", "is_causal")
    return OneHead(tokenize(state["text"]), *(state[name] for name in names), state["dropout_head"] - 1)


def attended(one: OneHead) -> SentenceHeads:
    """Run all heads on the sentence."""
    return _attend(one.tokens, one.seed, one.d_model, one.n_heads, one.positions, one.is_causal)


# Every control of the view but the sentence's own leaves the heads as they are.
@lru_cache(maxsize=16)
def _attend(
    tokens: tuple[str, ...], seed: int, d_model: int, n_heads: int, positions: Positions, is_causal: bool
) -> SentenceHeads:
    sizes = {"d_model": d_model, "n_heads": n_heads}
    return attend_sentence(tokens, seed=seed, positions=positions, is_causal=is_causal, **sizes)


def drawn(one: OneHead, dropout_p: float, mode: str, draw: int) -> OneDraw:
    """Drop the head's weights once; in evaluation with p = 0, as a layer does."""
    weights = attended(one).attention.weights[one.head]
    return draw_once(weights, dropout_p if mode == "train" else 0.0, seed=draw)


# A mean of the longest sentence is 32 KiB, a record has four.
@shared(128)
def means_of(one: OneHead, dropout_p: float, draw: int) -> tuple[MeanOfDraws, ...]:
    """Average ever more draws, the reader's first."""
    return average_draws(attended(one).attention.weights[one.head], dropout_p, DRAWS, seed=draw)


@shared(512)
def modes_of(one: OneHead, dropout_p: float) -> Modes:
    """Run a whole layer on the sentence in both modes."""
    return compare_modes(attended(one).x, one.n_heads, dropout_p, seed=one.seed)


@shared(512)
def traps_of(one: OneHead, dropout_p: float, draw: int) -> tuple[EvalTrap, ...]:
    """Call PyTorch's function with the head's q, k and v from both modules."""
    return show_trap(*_sides(one), dropout_p, seed=draw)


@shared(128)
def torch_of(one: OneHead, dropout_p: float, draw: int) -> TorchDropout:
    """Average what PyTorch's function drops."""
    return compare_with_torch(*_sides(one), dropout_p, draws=TORCH_DRAWS, seed=draw)


def _sides(one: OneHead) -> tuple:
    found = attended(one)
    return tuple(found.x @ w[one.head] for w in (found.w_q, found.w_k, found.w_v))
