"""The lesson's heads on the reader's sentence."""

from functools import lru_cache

from attention_core.experiments.head_facts import SentenceHeads, attend_sentence
from attention_core.single_head import Positions
from attention_core.tokens import tokenize
from dashboard.controls import State


def own_heads(state: State, seed: int | None = None) -> SentenceHeads:
    """Attend with the settings of the sidebar, or with another seed."""
    seed = state["seed"] if seed is None else seed
    return _attended(
        _tokens(state["text"]),
        seed,
        state["d_model"],
        state["h"],
        state["positions"],
        state["is_causal"],
    )


@lru_cache(maxsize=8)
def _tokens(text: str) -> tuple[str, ...]:
    return tokenize(text)


@lru_cache(maxsize=8)
def _attended(
    tokens: tuple[str, ...], seed: int, d_model: int, n_heads: int, positions: Positions, is_causal: bool
) -> SentenceHeads:
    """Keep the last: most presses of these views change what is drawn, not what ran. Nobody writes into it."""
    return attend_sentence(
        tokens, seed=seed, d_model=d_model, n_heads=n_heads, positions=positions, is_causal=is_causal
    )
