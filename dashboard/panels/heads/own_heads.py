"""The lesson's heads on the reader's sentence."""

from attention_core.experiments.head_facts import SentenceHeads, attend_sentence
from attention_core.tokens import tokenize
from dashboard.controls import State


def own_heads(state: State, seed: int | None = None) -> SentenceHeads:
    """Attend with the settings of the sidebar, or with another seed."""
    return attend_sentence(
        tokenize(state["text"]),
        seed=state["seed"] if seed is None else seed,
        d_model=state["d_model"],
        n_heads=state["h"],
        positions=state["positions"],
        is_causal=state["is_causal"],
    )
