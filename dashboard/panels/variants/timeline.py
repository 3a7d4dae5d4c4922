"""Attentions in the order of their publication; each leads to where it can be tried."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import streamlit as st

from attention_core.variant_runs import KINDS, Kind, Name
from dashboard import controls
from dashboard.catalog import LESSONS
from dashboard.controls import State
from dashboard.frame import asked_parts
from dashboard.grid import by_rows, compact, grid_part
from dashboard.grid.bench import Part, show_bench
from dashboard.grid.lines import Line, Piece, lines_part, prose
from dashboard.number_format import significant
from dashboard.number_table import grid_labels, with_texts
from dashboard.panels.heads.legal import has_legal_heads
from dashboard.panels.variants.compare_model import choices_of, inputs_of, summary
from dashboard.panels.variants.compare_settings import narrow
from dashboard.text import Language, Text
from dashboard.text import variant_compare as compare_words
from dashboard.text import variant_timeline as words
from dashboard.text import variants as lesson_words

COSTS = next(lesson for lesson in LESSONS if lesson.slug == "complexity")
ENTRIES = tuple(words.YEARS)
# Which variant shows what a paper changed.
VARIANT_OF: Mapping[str, Name] = {
    "bahdanau": "additive",
    "luong": "multiplicative",
    "transformer": "full",
    "sparse": "strided",
    "one_kv": "grouped",
    "longformer": "global_window",
    "linformer": "low_rank",
    "linear": "linear",
    "rotary": "rotary",
    "alibi": "alibi",
    "grouped": "grouped",
    "sink": "sink",
}


@dataclass(frozen=True)
class Elsewhere:
    """A view of another lesson, with the settings that show it."""

    label: Text
    query: Mapping[str, str]


ELSEWHERE: Mapping[str, Elsewhere] = {
    "fused": Elsewhere(
        words.GO_FUSED,
        {"view": "growth", "measure": "score_bytes", "lines": "full,fused", "variant": "fused"},
    ),
    "cache": Elsewhere(words.GO_CACHE, {"view": "decoding"}),
}


@controls.fragment
def timeline(state: State) -> bool:
    """List what was published when; say what the picked one changed, and lead to it."""
    if not has_legal_heads(state):
        return False
    narrow(state, inputs_of(state).n)
    language, entry = state.language, state["paper"]
    parts = {
        "address": ("top", controls.address_part(state)),
        "note": ("top", note_part(state)),
        "papers": ("left", papers_part(state)),
        "said": ("right", said_part(state, entry)),
    }
    show_bench("bench.timeline", parts)
    lead(state, entry)
    show_bench("bench.sorted", asked_parts(words.QUESTION.say(language), answer(language), language))
    return True


def note_part(state: State) -> Part:
    """Say where years and numbers come from."""
    mask = compare_words.MASKS[state["is_causal"]].say(state.language)
    note = words.NOTE.say(state.language, seed=state["seed"], mask=mask)
    return lines_part(words.TABLE.say(state.language), [Line(prose(note), "note")], has_own_row=True)


def papers_part(state: State) -> Part:
    """Describe the table: a row a paper; a pick opens it."""
    language = state.language
    texts = [[words.YEARS[entry], words.PAPERS[entry], words.SHORT[entry].say(language)] for entry in ENTRIES]
    part = grid_part(
        [[0.0] * len(words.COLUMNS) for _ in ENTRIES],
        title=words.TABLE.say(language),
        labels=replace(
            grid_labels(language, "row", "column"),
            row=words.ENTRY.say(language),
            keys=words.PICK_KEYS.say(language),
        ),
        row_labels=[words.ONE[entry].say(language) for entry in ENTRIES],
        column_labels=[text.say(language) for text in words.COLUMNS],
        picked=(ENTRIES.index(state["paper"]), 0),
        on_pick=lambda row, _column: state.put("paper", ENTRIES[row]),
    )
    return by_rows(compact(with_texts(part, texts, texts)))


def said_part(state: State, entry: str) -> Part:
    """Say what one paper changed, and what its attention gives on the reader's sentence."""
    language = state.language
    title = f"{words.YEARS[entry]} · {words.ONE[entry].say(language)} · {words.PAPERS[entry]}"
    lines = [Line([Piece(title)], "heading"), Line(prose(words.MORE[entry].say(language)), "prose")]
    if entry in VARIANT_OF:
        lines.append(Line(prose(say_own(state, VARIANT_OF[entry], entry)), "prose"))
    return lines_part(words.SAID.say(language), lines)


def say_own(state: State, name: Name, entry: str) -> str:
    """Say what a variant computes on the reader's sentence, and how far from full attention it is."""
    language, inputs, choices = state.language, inputs_of(state), choices_of(state)
    if entry == "one_kv":
        choices = replace(choices, n_kv_heads=1)
    found = summary(name, inputs, choices)
    if found is None:
        return words.OWN_REFUSED.say(language)
    scores = {"n": inputs.n, "scores": f"{found.n_scores:,}"}
    if name == "full":
        return words.OWN_FULL.say(language, **scores)
    full = summary("full", inputs, choices)
    return words.OWN.say(
        language,
        **scores,
        name=lesson_words.NAMES[name].say(language),
        all=f"{full.n_scores:,}",
        error=significant(found.error),
    )


def lead(state: State, entry: str) -> None:
    """Offer the way to where this can be tried."""
    language = state.language
    if entry in ELSEWHERE:
        there = ELSEWHERE[entry]
        st.page_link(
            COSTS.file, label=f"{there.label.say(language)} →", query_params={"lang": language, **there.query}
        )
    elif entry in VARIANT_OF:
        label = words.GO_COMPARE.say(language, name=lesson_words.NAMES[VARIANT_OF[entry]].say(language))
        controls.button(label, f"timeline.{entry}", put_beside, state, entry)
    else:
        controls.button(words.GO_ENCODER.say(language), f"timeline.{entry}", state.put, "view", "encoder")


def put_beside(state: State, entry: str) -> None:
    """Go to the view side by side, with a paper's attention in the second place."""
    if entry == "one_kv":
        state.put("h_kv", 1)
    state.put("b", VARIANT_OF[entry])
    state.put("view", "compare")


def answer(language: Language) -> str:
    """Sort the papers by what they change."""

    def of_kind(kind: Kind) -> str:
        names = [entry for entry, name in VARIANT_OF.items() if KINDS[name] == kind]
        return words.JOIN.say(language).join(words.ONE[entry].say(language) for entry in names)

    kinds = {"exact": of_kind("exact"), "near": of_kind("approximation"), "other": of_kind("function")}
    return words.ANSWER.say(language, **kinds)
