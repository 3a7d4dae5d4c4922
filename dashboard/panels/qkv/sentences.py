"""Two sentences through the same W (P7), and one word dressed twice (P8)."""

import streamlit as st

from attention_core.experiments.reuse import (
    ROUNDING,
    SentencePair,
    SharedWord,
    clearest_word,
    compare_traces,
    distances_by_layer,
)
from attention_core.single_head import trace_single_head
from attention_core.tokens import tokenize
from dashboard import controls
from dashboard.controls import State
from dashboard.frame import ask, code_span
from dashboard.grid.bench import show_bench
from dashboard.number_format import significant
from dashboard.number_table import show_table
from dashboard.panels.qkv.matrices import matrix_part, show_array
from dashboard.panels.qkv.model import Model, build, from_tokens, matrices_of, own_matrices
from dashboard.panels.sentence import sentence
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
    show_shared_w(state, first)
    if not pair.shared_words:
        st.info(words.SHARED_NONE.say(language))
        return
    show_table(
        [(word.bare_distance, word.input_distance, word.dressed_distance) for word in pair.shared_words],
        words.SHARED.say(language),
        language,
        key="grid.shared",
        rows=[
            words.SHARED_ROW.say(
                language, token=word.token, first=word.first_place + 1, second=word.second_place + 1
            )
            for word in pair.shared_words
        ],
        columns=[text.say(language) for text in words.SHARED_COLUMNS.values()],
    )
    word = clearest_word(pair.shared_words)
    say_dressed(state, pair, word)
    ask_positions(state, first, word)


def show_shared_w(state: State, model: Model) -> None:
    """Offer the matrices that neither sentence changes."""
    with controls.disclosure(words.SHARED_W.say(state.language), "open.shared_w") as is_open:
        if is_open:
            names = ("w_q", "w_k", "w_v", "w_o")
            show_bench(
                "bench.shared_w",
                {name: ("below", matrix_part(state, model, name, is_only_shown=True)) for name in names},
            )


def show_weights(state: State, model: Model, title: str, key: str) -> None:
    """Show one model's weights, masked cells marked."""
    show_array(
        state,
        model.trace.weights.numpy(),
        title,
        key=key,
        rows=model.queries,
        columns=model.keys,
        row="query",
        role="weights",
        masked=model.hidden,
    )


def say_dressed(state: State, pair: SentencePair, word: SharedWord) -> None:
    """Tell one shared word's distances, then layer by layer."""
    language = state.language
    token = code_span(word.token)
    told = words.DRESSED if word.dressed_distance > ROUNDING else words.DRESSED_ALIKE
    st.markdown(
        told.say(
            language,
            token=token,
            bare=significant(word.bare_distance),
            kind=words.POSITION_NAMES[state["positions"]].say(language),
            input=significant(word.input_distance),
            dressed=significant(word.dressed_distance),
        )
    )
    distances = distances_by_layer(
        pair.first, pair.second, word.first_place, word.second_place, seed=state["seed"]
    )
    st.markdown(
        words.LAYERS_DISTANCE.say(language, token=token, distances=" → ".join(map(significant, distances)))
    )
    st.caption(words.IMAGE_LIMIT.say(language))


def ask_positions(state: State, model: Model, word: SharedWord) -> None:
    """Ask which distances vanish without positions; the answer sends both sentences through again."""
    language = state.language
    sentences = [tokenize(state["text"]), tokenize(state["text2"])]
    traces = [
        trace_single_head(
            own_matrices(state, tokens, positions="none") | matrices_of(model),
            is_causal=model.trace.allowed is not None,
        )
        for tokens in sentences
    ]
    (bare,) = (
        other
        for other in compare_traces(*traces, *sentences).shared_words
        if other.first_place == word.first_place
    )
    ask(
        words.QUESTION_POSITIONS.say(language, token=code_span(word.token)),
        words.ANSWER_POSITIONS.say(
            language,
            bare=significant(bare.bare_distance),
            input=significant(bare.input_distance),
            dressed=significant(bare.dressed_distance),
        ),
        language,
    )
