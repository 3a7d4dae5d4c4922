"""Attention without parameters beside attention with trainable matrices."""

import streamlit as st

from attention_core.experiments.reuse import SimplifiedPair, compare_with_simplified
from dashboard import controls
from dashboard.controls import State
from dashboard.frame import ask
from dashboard.number_format import significant
from dashboard.panels.qkv.matrices import show_array
from dashboard.panels.qkv.model import Model, build, matrices_of
from dashboard.text import qkv as words


def plain(state: State) -> None:
    """Show both on the same X."""
    language = state.language
    model = build(state)
    if model.trace.x is None:
        st.info(words.NEEDS_X.say(language))
        controls.button(words.USE_OWN.say(language), "plain.own", state.put, "source", "own")
        return
    pair = compare_with_simplified(matrices_of(model) | {"x": model.trace.x}, is_causal=state["causal"])
    st.markdown(
        words.PLAIN_READING.say(
            language,
            plain=significant(pair.simplified_asymmetry),
            trainable=significant(pair.trainable_asymmetry),
            weights=significant(pair.weights_difference),
        )
    )
    show_pair(state, model, pair)
    both = {
        name: int((trace.weights.diagonal() == trace.weights.amax(dim=1)).sum())
        for name, trace in (("plain", pair.simplified), ("trainable", pair.trainable))
    }
    ask(
        words.QUESTION_SELF.say(language, n=len(model.queries)),
        words.ANSWER_SELF.say(language, **both),
        language,
    )


def show_pair(state: State, model: Model, pair: SimplifiedPair) -> None:
    """Show weights and scores of both, beside each other."""
    language = state.language
    left, right = st.columns(2, gap="medium")
    titles = ((words.PLAIN_A, words.PLAIN_SCORES), (words.TRAINABLE_A, words.TRAINABLE_SCORES))
    for column, trace, pictures in zip((left, right), (pair.simplified, pair.trainable), titles, strict=True):
        with column:
            for role, title in zip(("weights", "scores"), pictures, strict=True):
                show_array(
                    state,
                    getattr(trace, role).numpy(),
                    title.say(language),
                    key=f"grid.plain.{'simplified' if trace is pair.simplified else 'trainable'}.{role}",
                    rows=model.queries,
                    columns=model.keys,
                    row="query",
                    role=role,
                    masked=model.hidden if role == "weights" else None,
                )
