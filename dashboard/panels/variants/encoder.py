"""A decoder that reads an encoder: from one vector of fixed size, and by cross-attention (V6)."""

from collections.abc import Callable
from functools import lru_cache

import streamlit as st

from attention_core.experiments.bottleneck import (
    ORDERS,
    Bottleneck,
    Order,
    attend_places,
    crosstalk_variance,
    encode,
    make_order,
    read_nearest,
    read_sentence,
    unroll,
)
from attention_core.experiments.recall import expected_recall, measure_attended, measure_recall
from attention_core.tokens import check_text, tokenize
from dashboard import controls
from dashboard.controls import State
from dashboard.frame import code_span, source
from dashboard.grid.bench import show_bench
from dashboard.link import shorten
from dashboard.panels.sentence import sentence
from dashboard.panels.variants.encoder_chart import note_part, show_recall
from dashboard.panels.variants.encoder_parts import Parts, Shown, pictures, vectors_part
from dashboard.panels.variants.encoder_said import made_by_hand, question_parts, say_sum, step_part, why_part
from dashboard.text import frame as frame_words
from dashboard.text import qkv as qkv_words
from dashboard.text import variant_encoder as words

WIDTHS = (2, 4, 8, 16, 32, 64)
SHARPNESSES = (0, 1, 2, 4, 8, 16, 32, 64)
KEEPS = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1.0)
LIST_WIDTH, STOPS_WIDTH, STEP_WIDTH = 300, 120, 200
RESETTABLE = (
    "encoder_order",
    "encoder_d_model",
    "encoder_sharpness",
    "encoder_keep",
    "encoder_step",
    "encoder_seed",
)
RAN: list[Callable[..., object]] = [
    read_sentence,
    make_order,
    encode,
    unroll,
    attend_places,
    read_nearest,
    crosstalk_variance,
    measure_recall,
    measure_attended,
    expected_recall,
]


@controls.fragment
def encoder(state: State) -> bool:
    """Ask for an order; show both ways of reading, step by step, and how they go on with length."""
    language = state.language
    controls_place = st.container()  # filled last: see controls.fragment
    found = found_of(state)
    state.narrow("encoder_step", len(found.places))
    shown = Shown(found, state["encoder_step"] - 1, language)
    parts: Parts = {
        "address": ("top", controls.address_part(state)),
        "sum": ("top", say_sum(shown)),
        **pictures(shown, lambda row: state.put("encoder_step", row + 1)),
        "step": ("right", step_part(shown, state["encoder_seed"])),
    }
    show_bench("bench.encoder", parts)
    controls.picture_goes_ahead()
    show_recall(state, found)
    why: Parts = {
        "measured": ("top", note_part(state)),
        "vectors": ("top", vectors_part(shown)),
        "why": ("end", why_part(shown, state["encoder_keep"])),
        "made": ("end", made_by_hand(found, language)),
    }
    show_bench("bench.encoder.why", why | question_parts(state, found))
    with controls_place:
        ask(state, len(found.places))
    source(RAN, language)
    return True


def ask(state: State, n_steps: int) -> None:
    """Ask for the order, the widths and the step."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        labels = words.ORDER, words.ORDER_HELP, {order: words.ORDERS[order] for order in ORDERS}
        controls.choose(state, "encoder_order", *labels, in_sidebar=True, width=LIST_WIDTH)
        stops = {"width": STOPS_WIDTH}
        controls.steps(state, "encoder_d_model", words.D_MODEL, words.D_MODEL_HELP, WIDTHS, **stops)
        controls.steps(
            state, "encoder_sharpness", words.SHARPNESS, words.SHARPNESS_HELP, SHARPNESSES, **stops
        )
        moved = {"highest": n_steps, "moved": words.STEP_MOVED}
        controls.slider(state, "encoder_step", words.STEP, words.STEP_HELP, **moved, width=STEP_WIDTH)
        if n_steps > 1:
            is_last = state["encoder_step"] == n_steps
            label = (words.AGAIN if is_last else words.NEXT).say(state.language)
            next_step = 1 if is_last else state["encoder_step"] + 1
            controls.button(label, "encoder.next", state.put, "encoder_step", next_step)


def ask_aside(state: State) -> None:
    """Ask in the sidebar for what matters less; it runs the view alone."""
    with st.sidebar, controls.running_alone(state, encoder):
        keeps = words.KEEP, words.KEEP_HELP, KEEPS, "{:g}".format
        controls.steps(state, "encoder_keep", *keeps)
        controls.whole_number(state, "encoder_seed", qkv_words.SEED, words.SEED_HELP)
        controls.button(frame_words.RESET.say(state.language), "reset.encoder", state.reset, RESETTABLE)


def ask_sentence(state: State) -> bool:
    """Ask for the encoder's sentence, and offer the one that the reader gave in other views; tell whether it can be shown."""
    is_shown = sentence(state, "encoder_text", words.SENTENCE)
    own = state["text"]
    if own not in (state["encoder_text"], state.fields["text"].default) and check_text(own) is None:
        label = words.TAKE_OWN.say(state.language, sentence=code_span(shorten(own)))
        controls.button(label, "encoder.own", state.put, "encoder_text", own)
    return is_shown


def found_of(state: State) -> Bottleneck:
    """Read the reader's sentence with the present settings."""
    return _found(
        tokenize(state["encoder_text"]),
        state["encoder_order"],
        state["encoder_seed"],
        state["encoder_d_model"],
        state["encoder_sharpness"],
        state["encoder_keep"],
    )


@lru_cache(maxsize=16)
def _found(
    tokens: tuple[str, ...], order: Order, seed: int, d_model: int, sharpness: int, keep: float
) -> Bottleneck:
    """Keep the last: a step, a language or a pick changes what is drawn, not what ran. Nobody writes into it."""
    return read_sentence(tokens, order, seed=seed, d_model=d_model, sharpness=sharpness, keep=keep)
