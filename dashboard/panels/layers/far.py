"""One word replaced: at which layer each token notices, beside what the mask foretells (M6, P8)."""

from collections.abc import Callable
from dataclasses import replace

import streamlit as st

from attention_core.experiments.changed_word import ChangedWord, change_word
from attention_core.mask_facts import layers_until
from attention_core.masks import window
from dashboard import controls
from dashboard.catalog import LESSONS
from dashboard.controls import State
from dashboard.frame import asked_parts, source
from dashboard.grid import compact, grid_part
from dashboard.grid.bench import Part, show_bench
from dashboard.grid.lines import Line, lines_part, prose
from dashboard.link import write_link
from dashboard.number_table import grid_labels, table_part, with_texts
from dashboard.panels.heads.legal import has_legal_heads
from dashboard.panels.layers.far_said import answer, changed_word, note, question, readings
from dashboard.panels.layers.model import names_of, tokens_of
from dashboard.panels.layers.replacement import ask_word, can_replace
from dashboard.panels.layers.script import offer_script
from dashboard.panels.masks.fields import mask_fields
from dashboard.text import Language
from dashboard.text import layers as lesson_words
from dashboard.text import layers_far as words

LIST_WIDTH, WORD_WIDTH, SLIDER_WIDTH = 170, 130, 190
RAN: list[Callable[..., object]] = [change_word, window, layers_until]
(MASKS,) = [lesson for lesson in LESSONS if lesson.slug == "masks"]


@controls.fragment
def far(state: State) -> bool:
    """Ask for the word and the mask; show the change of every token at every layer, and when each notices."""
    if not has_legal_heads(state):
        return False
    controls_place = st.container()  # filled last: see controls.fragment
    tokens, language = tokens_of(state["text"]), state.language
    for name in ("far_changed", "far_token"):
        state.narrow(name, len(tokens))
    is_legal = can_replace(state, "far_word", tokens[state["far_changed"] - 1])
    if is_legal:
        found = changed_word(state)
        told = [Line(prose(text), "prose") for text in readings(state, found)]
        provenance = [Line(prose(note(state)), "note")]
        parts = {
            "address": ("top", controls.address_part(state)),
            "note": ("top", lines_part(lesson_words.WHERE_FROM.say(language), provenance, has_own_row=True)),
            "changes": ("top", changes_part(state, found)),
            "firsts": ("top", firsts_part(state, found)),
            "said": ("below", lines_part(lesson_words.SAID.say(language), told)),
            **asked_parts(question(state), answer(state), language),
        }
        show_bench("bench.far", parts)
    with controls_place:
        ask(state, tokens)
    if is_legal:
        st.page_link(MASKS.file, label=words.MASK_PAGE.say(language), query_params=mask_query(state))
        offer_script(state)
        source(RAN, language)
    return is_legal


def ask(state: State, tokens: tuple[str, ...]) -> None:
    """Ask for the word, what replaces it, the window and the token to watch."""
    names = names_of(tokens)
    with st.container(horizontal=True):
        changed = words.CHANGED, words.CHANGED_HELP, names
        controls.choose_place(state, "far_changed", *changed, width=LIST_WIDTH)
        ask_word(state, "far_word", words.WORD, words.WORD_HELP, width=WORD_WIDTH)
        controls.choose_place(state, "far_token", words.TOKEN, words.TOKEN_HELP, names, width=LIST_WIDTH)
        controls.toggle(state, "far_has_window", words.WINDOW, words.WINDOW_HELP)
        if state["far_has_window"]:
            # Beyond the sentence a width changes nothing more; one that is larger stays, for longer sentences.
            highest = max(len(tokens), state["far_width"])
            width = words.WIDTH, words.WIDTH_HELP
            controls.slider(state, "far_width", *width, highest=highest, width=SLIDER_WIDTH)


def changes_part(state: State, found: ChangedWord) -> Part:
    """Describe the change of each token at each depth; cells where no number moved have a look of their own."""
    language, tokens = state.language, tokens_of(state["text"])
    changes = found.changes.numpy()
    labels = replace(
        grid_labels(language, "layer", "token"),
        value=words.CHANGE.say(language),
        masked=words.ZERO.say(language),
        dead_row=words.ZERO.say(language),
        marked=words.FORETOLD.say(language),
        keys=words.PICK_KEYS.say(language),
    )
    picked = state["far_token"] - 1
    first = found.first_depths[picked]
    part = grid_part(
        changes,
        title=words.TITLE.say(language),
        labels=labels,
        column_labels=tokens,
        role="difference",
        scale="sequential",
        domain=float(changes.max()) or 1.0,
        masked=changes == 0,
        marked=[(depth, place) for place, depth in enumerate(found.predicted) if depth is not None],
        picked=(first if first is not None else len(changes) - 1, picked),
        on_pick=lambda _row, column: state.put("far_token", column + 1),
        first_row=0,
    )
    return compact(part)


def firsts_part(state: State, found: ChangedWord) -> Part:
    """Describe the depth at which each token first changes, foretold and measured."""
    language, tokens = state.language, tokens_of(state["text"])
    rows = (found.predicted, found.first_depths)
    part = table_part(
        [[0.0 for _ in tokens] for _ in rows],
        words.FIRSTS.say(language),
        language,
        rows=[text.say(language) for text in words.FIRST_ROWS.values()],
        columns=names_of(tokens),
    )
    texts = [[say_depth(depth, language) for depth in row] for row in rows]
    return compact(with_texts(part, texts, texts))


def say_depth(depth: int | None, language: Language) -> str:
    """Write a depth, or that there is none."""
    return words.NEVER.say(language) if depth is None else str(depth)


def mask_query(state: State) -> dict[str, str]:
    """Lead to the mask lesson's gallery with this mask, this many layers, and all that the reader set there before."""
    fields = controls.with_language(state.language, mask_fields)
    pattern = "window" if state["far_has_window"] else "causal" if state["is_causal"] else "full"
    here = {
        "lang": state.language,
        "view": "gallery",
        "text": state["text"],
        "gallery_pattern": pattern,
        "gallery_n": len(tokens_of(state["text"])),
        "gallery_join": "alone",
        "gallery_cells": (),
        "gallery_layers": state["n_layers"],
        "gallery_residual": state["has_residual"],
        "gallery_window_width": state["far_width"],
        "gallery_window_is_causal": state["is_causal"],
    }
    query, _ = write_link(
        controls.kept_values(MASKS.slug, fields) | here,
        fields,
        frozenset({"lang", "view", "gallery_pattern"}),
    )
    return query
