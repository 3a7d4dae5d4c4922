"""Attention rollout beside what replacing each word really changes, and a stack in which it is wrong (P8)."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import pandas as pd
import streamlit as st

from attention_core.experiments.rollout import (
    RolloutCheck,
    check_queries,
    rank_agreement,
    roll_out,
    silence_stack,
)
from dashboard import controls
from dashboard.controls import State
from dashboard.frame import asked_parts, source, table
from dashboard.grid import compact, grid_part
from dashboard.grid.bench import Part, show_bench
from dashboard.grid.lines import Line, lines_part, prose, word
from dashboard.number_format import significant
from dashboard.number_table import grid_labels
from dashboard.panels.heads.legal import has_legal_heads
from dashboard.panels.layers.model import names_of, provenance, tokens_of
from dashboard.panels.layers.replacement import ask_word, can_replace, one_token
from dashboard.panels.layers.rollout_said import answer, checks_of, readings, shares_of, silence_of
from dashboard.panels.layers.script import offer_script
from dashboard.text import Language
from dashboard.text import layers as lesson_words
from dashboard.text import layers_rollout as words

QUERY_WIDTH, WORD_WIDTH = 200, 160
RAN: list[Callable[..., object]] = [roll_out, check_queries, silence_stack, rank_agreement]


@controls.fragment
def rollout(state: State) -> bool:
    """Ask for a token and a replacement; show rollout's shares beside the measured ones, drawn and silenced."""
    if not has_legal_heads(state):
        return False
    controls_place = st.container()  # filled last: see controls.fragment
    tokens, language = tokens_of(state["text"]), state.language
    state.narrow("rollout_query", len(tokens))
    problem_place = st.container()
    with problem_place:
        is_legal = can_replace(state, "rollout_word")
    if is_legal:
        query = state["rollout_query"] - 1
        checks = checks_of(state)[query], checks_of(state, silence_of(state))[query]
        told = [Line(prose(text), "prose") for text in readings(state, *checks)]
        parts = {
            "address": ("top", controls.address_part(state)),
            "note": ("top", note_part(state)),
            "shares": ("top", shares_part(state, checks)),
            "said": ("top", lines_part(lesson_words.SAID.say(language), told)),
            **asked_parts(words.QUESTION.say(language), answer(state), language),
        }
        show_bench("bench.rollout", parts)
    with controls_place:
        ask(state, tokens)
    if is_legal:
        table(lambda: numbers(tokens, checks, language), "rollout", language, words.ALL)
        offer_script(state)
        source(RAN, language)
    return is_legal


def ask(state: State, tokens: tuple[str, ...]) -> None:
    """Ask for the token, the word that replaces, and how attention is silenced."""
    with st.container(horizontal=True):
        token = words.QUERY, words.QUERY_HELP, names_of(tokens)
        controls.choose_place(state, "rollout_query", *token, width=QUERY_WIDTH)
        ask_word(state, "rollout_word", words.WORD, words.WORD_HELP, width=WORD_WIDTH)
        if state["h"] % 2 == 0:
            silence = words.SILENCE, words.SILENCE_HELP, words.SILENCES
            controls.choose(state, "rollout_silence", *silence)
    if state["h"] % 2 and state["rollout_silence"] == "cancelling_heads":
        st.caption(words.ODD_HEADS.say(state.language, h=state["h"]))


def note_part(state: State) -> Part:
    """Say what was measured."""
    replacement = word(one_token(state["rollout_word"]) or "")
    note = words.NOTE.say(state.language, note=provenance(state), word=replacement)
    label = lesson_words.WHERE_FROM.say(state.language)
    return lines_part(label, [Line(prose(note), "note")], has_own_row=True)


def shares_part(state: State, checks: tuple[RolloutCheck, RolloutCheck]) -> Part:
    """Describe both shares of each word, drawn and silenced; picking a column asks about its token."""
    language, tokens, query = state.language, tokens_of(state["text"]), state["rollout_query"] - 1
    rows = [row for check in checks for row in (check.shares.tolist(), shares_of(check))]
    part = grid_part(
        rows,
        title=words.TABLE.say(language, token=names_of(tokens)[query]),
        labels=replace(
            grid_labels(language, "row", "token"),
            value=words.SHARE.say(language),
            keys=words.PICK_KEYS.say(language),
            footer=words.TOTAL.say(language),
        ),
        row_labels=[text.say(language) for text in words.ROWS.values()],
        column_labels=tokens,
        scale="sequential",
        picked=(0, query),
        on_pick=lambda _row, column: state.put("rollout_query", column + 1),
        footer=[significant(sum(row)) for row in rows],
    )
    return compact(part)


def numbers(tokens: Sequence[str], checks: Sequence[RolloutCheck], language: Language) -> pd.DataFrame:
    """List shares and sizes of the changes, word by word."""
    columns = [column.tolist() for check in checks for column in (check.shares, check.effects)]
    names = [text.say(language) for text in words.ALL_COLUMNS.values()]
    token = {lesson_words.TOKEN.say(language): names_of(tuple(tokens))}
    return pd.DataFrame(token | dict(zip(names, columns, strict=True)))
