"""Two sentences through the same W (P7), and one word dressed twice (P8)."""

import streamlit as st

from attention_core.experiments.reuse import SharedWord, compare_traces, distances_by_layer
from attention_core.tokens import tokenize
from dashboard.controls import State
from dashboard.frame import code_span
from dashboard.number_format import significant
from dashboard.panels.qkv.matrices import show_array, show_table
from dashboard.panels.qkv.model import Model, build, from_tokens
from dashboard.panels.qkv.settings import sentence
from dashboard.text import qkv as words


def sentences(state: State) -> None:
    """Show both weights and what the shared words become."""
    language = state.language
    if not sentence(state, "text2", words.SECOND):
        return
    first, second = build(state), from_tokens(state, tokenize(state["text2"]))
    pair = compare_traces(first.trace, second.trace, first.queries, second.queries)
    st.markdown(words.SAME_W.say(language, w=significant(pair.parameters_difference)))
    left, right = st.columns(2, gap="medium")
    for place, (column, model, title) in enumerate(
        ((left, first, words.FIRST_A), (right, second, words.SECOND_A))
    ):
        with column:
            show_weights(state, model, title.say(language), f"grid.sentence.{place}")
    if not pair.shared_words:
        st.info(words.SHARED_NONE.say(language))
        return
    show_table(
        state,
        [(word.bare_distance, word.input_distance, word.dressed_distance) for word in pair.shared_words],
        words.SHARED.say(language),
        key="grid.shared",
        rows=[
            words.SHARED_ROW.say(
                language, token=word.token, first=word.first_place + 1, second=word.second_place + 1
            )
            for word in pair.shared_words
        ],
        columns=[text.say(language) for text in words.SHARED_COLUMNS.values()],
    )
    say_dressed(state, pair.shared_words[-1])


def show_weights(state: State, model: Model, title: str, key: str) -> None:
    """Show one model's weights, masked cells marked."""
    allowed = model.trace.allowed
    show_array(
        state,
        model.trace.weights.numpy(),
        title,
        key=key,
        rows=model.queries,
        columns=model.keys,
        row="query",
        role="weights",
        masked=None if allowed is None else ~allowed.numpy(),
    )


def say_dressed(state: State, word: SharedWord) -> None:
    """Tell one shared word's distances, then layer by layer."""
    language = state.language
    token = code_span(word.token)
    st.markdown(
        words.DRESSED.say(
            language,
            token=token,
            bare=significant(word.bare_distance),
            input=significant(word.input_distance),
            dressed=significant(word.dressed_distance),
        )
    )
    distances = distances_by_layer(
        tokenize(state["text"]),
        tokenize(state["text2"]),
        word.first_place,
        word.second_place,
        seed=state["seed"],
        d_model=state["d_model"],
        d_k=state["d_k"],
        d_v=state["d_v"],
        positions=state["positions"],
        is_causal=state["causal"],
    )
    st.markdown(
        words.LAYERS_DISTANCE.say(language, token=token, distances=" → ".join(map(significant, distances)))
    )
    st.caption(words.IMAGE_LIMIT.say(language))
