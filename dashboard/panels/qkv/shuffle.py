"""Shuffling the words (P6)."""

from collections.abc import Sequence

import streamlit as st
from torch import Tensor

from attention_core.experiments.equivariance import measure_equivariance, shuffle
from attention_core.tokens import tokenize
from dashboard import controls
from dashboard.controls import State
from dashboard.frame import code_span
from dashboard.number_format import significant
from dashboard.panels.qkv.matrices import show_array, show_table
from dashboard.panels.qkv.model import build, from_tokens
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
    original, shuffled = build(state), from_tokens(state, moved_tokens)
    moved = original.trace.weights[order][:, order]
    difference = shuffled.trace.weights - moved
    largest = float(difference.abs().max())
    st.markdown(words.SHUFFLED.say(language, tokens=" ".join(map(code_span, moved_tokens))))
    verdict = words.SHUFFLE_VERDICT_SAME if largest <= 1e-9 else words.SHUFFLE_VERDICT_OTHER
    st.markdown(
        verdict.say(
            language,
            positions=words.POSITION_NAMES[state["positions"]].say(language),
            causal=(words.ON if state["causal"] else words.OFF).say(language),
            difference=significant(largest),
        )
    )
    pictures = (
        (words.MOVED_A, moved, "weights"),
        (words.SHUFFLED_A, shuffled.trace.weights, "weights"),
        (words.DIFFERENCE, difference, "difference"),
    )
    show_side_by_side(state, moved_tokens, pictures)
    show_settings(state, tokens, order)


def show_side_by_side(
    state: State, tokens: tuple[str, ...], pictures: Sequence[tuple[Text, Tensor, str]]
) -> None:
    """Show matrices of the same tokens beside each other, each with its title and role."""
    columns = st.columns(len(pictures), gap="small")
    for place, (column, (title, values, role)) in enumerate(zip(columns, pictures, strict=True)):
        with column:
            show_array(
                state,
                values.numpy(),
                title.say(state.language),
                key=f"grid.shuffle.{place}",
                rows=tokens,
                columns=tokens,
                row="query",
                role=role,
            )


def next_order(state: State) -> None:
    """Move on to another order."""
    field = state.fields["order"]
    state.put("order", (state["order"] + 1) % (field.highest + 1))


def show_settings(state: State, tokens: tuple[str, ...], order: list[int]) -> None:
    """List all kinds of positions with and without the mask."""
    language = state.language
    sizes = {name: state[name] for name in ("seed", "d_model", "d_k", "d_v")}
    records = measure_equivariance(tokens, order, **sizes)
    show_table(
        state,
        [(record.weights_difference, record.output_difference) for record in records],
        words.SHUFFLE_TABLE.say(language),
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
