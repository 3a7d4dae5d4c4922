"""Shuffling the words (P6)."""

from collections.abc import Sequence

import numpy as np
import streamlit as st
from torch import Tensor

from attention_core.experiments.equivariance import Equivariance, arrange, measure_equivariance, shuffle
from attention_core.single_head import trace_single_head
from attention_core.tokens import tokenize
from attention_core.trace import SingleHeadTrace
from dashboard import controls
from dashboard.controls import State
from dashboard.frame import ask, code_span
from dashboard.number_format import significant
from dashboard.number_table import show_table
from dashboard.panels.qkv.matrices import show_array
from dashboard.panels.qkv.model import Model, build, matrices_of
from dashboard.text import Text
from dashboard.text import qkv as words


def shuffled_words(state: State) -> None:
    """Compare the weights of the shuffled sentence with the shuffled weights of the sentence."""
    language = state.language
    tokens = tokenize(state["text"])
    if len(tokens) < 2:
        st.info(words.ONE_TOKEN.say(language))
        return
    controls.button(words.SHUFFLE.say(language), "shuffle", next_order, state)
    order = list(shuffle(len(tokens), state["order"]))
    moved_tokens = tuple(tokens[place] for place in order)
    model = build(state)
    shuffled = shuffled_trace(model, order)
    moved = model.trace.weights[order][:, order]
    difference = shuffled.weights - moved
    st.markdown(words.SHUFFLED.say(language, tokens=" ".join(map(code_span, moved_tokens))))
    records = measure_equivariance(
        model.trace.embedding, matrices_of(model), order, seed=state["seed"], edits=model.edits_of("x")
    )
    say_verdict(state, records)
    moved_mask = None if model.hidden is None else model.hidden[order][:, order]
    nowhere = None if moved_mask is None else moved_mask & model.hidden
    left, right = st.columns(2, gap="small")
    with left:
        show_picture(state, moved_tokens, words.MOVED_A, moved, "weights", "grid.shuffle.0", moved_mask)
        show_picture(
            state, moved_tokens, words.DIFFERENCE, difference, "difference", "grid.shuffle.2", nowhere
        )
    with right:
        show_picture(
            state, moved_tokens, words.SHUFFLED_A, shuffled.weights, "weights", "grid.shuffle.1", model.hidden
        )
        show_settings(state, records)
    (masked,) = (record for record in records if record.positions == "none" and record.is_causal)
    ask(
        words.QUESTION_MASK.say(language),
        words.ANSWER_MASK.say(language, n=len(tokens), difference=significant(masked.weights_difference)),
        language,
    )


def shuffled_trace(model: Model, order: Sequence[int]) -> SingleHeadTrace:
    """Send the shuffled words through the reader's W; edits of X move with their word."""
    trace = model.trace
    x = arrange(trace.embedding, trace.position, order, model.edits_of("x"))
    return trace_single_head(matrices_of(model) | {"x": x}, is_causal=trace.allowed is not None)


def show_picture(
    state: State,
    tokens: tuple[str, ...],
    title: Text,
    values: Tensor,
    role: str,
    key: str,
    masked: np.ndarray | None,
) -> None:
    """Show a matrix of the shuffled tokens."""
    show_array(
        state,
        values.numpy(),
        title.say(state.language),
        key=key,
        rows=tokens,
        columns=tokens,
        row="query",
        role=role,
        masked=masked,
    )


def next_order(state: State) -> None:
    """Move on to another order."""
    field = state.fields["order"]
    state.put("order", (state["order"] + 1) % (field.highest + 1))


def say_verdict(state: State, records: Sequence[Equivariance]) -> None:
    """Say what shuffling did in the present setting."""
    language = state.language
    (record,) = (
        record
        for record in records
        if (record.positions, record.is_causal) == (state["positions"], state["causal"])
    )
    verdict = words.SHUFFLE_VERDICT_SAME if record.is_equivariant else words.SHUFFLE_VERDICT_OTHER
    said = verdict.say(
        language,
        positions=words.POSITION_NAMES[record.positions].say(language),
        causal=(words.ON if record.is_causal else words.OFF).say(language),
        weights=significant(record.weights_difference),
        output=significant(record.output_difference),
    )
    if record.positions == "none" and not record.is_causal:
        said = f"{said} {words.SHUFFLE_BAG.say(language)}"
    st.markdown(said)


def show_settings(state: State, records: Sequence[Equivariance]) -> None:
    """List all kinds of positions with and without the mask."""
    language = state.language
    show_table(
        [(record.weights_difference, record.output_difference) for record in records],
        words.SHUFFLE_TABLE.say(language),
        language,
        key="grid.settings",
        rows=[
            words.SHUFFLE_ROW.say(
                language,
                positions=words.POSITION_NAMES[record.positions].say(language),
                causal=(words.ON if record.is_causal else words.OFF).say(language),
            )
            for record in records
        ],
        columns=[words.SHUFFLE_COLUMNS[name].say(language) for name in ("weights", "output")],
        verdicts=[(words.YES if record.is_equivariant else words.NO).say(language) for record in records],
        verdict=words.SHUFFLE_COLUMNS["verdict"].say(language),
    )
