"""Causal masks whose queries and keys differ in number: from which corner, what torch takes, and what decoding needs."""

from dataclasses import replace

import streamlit as st
import torch
from torch import Tensor

from attention_core.consumers import Outcome
from attention_core.experiments.causal_corners import (
    CORNERS,
    FromCorner,
    attend_by_torch,
    attend_from,
    compare_decoding,
    corners_like,
    offset_of,
    values_of,
)
from attention_core.masks import causal
from dashboard import controls
from dashboard.controls import State
from dashboard.frame import asked_parts, source
from dashboard.grid import compact, grid_part
from dashboard.grid.bench import Area, Part, show_bench
from dashboard.grid.lines import Line, lines_part, prose, word
from dashboard.link import shorten
from dashboard.number_format import significant
from dashboard.number_table import grid_labels
from dashboard.panels.masks.model import name_queries
from dashboard.panels.masks.typed_mask import brief, vector
from dashboard.text import Language
from dashboard.text import mask_alignment as words

PRESETS = {"decode": (1, 5), "chunk": (2, 5), "more": (4, 2), "square": (4, 4)}
SEED = 0
MOST_NAMED = 3
LONGEST_REFUSAL = 160
# Differences in float64 below this are rounding.
ROUNDING = 1e-10
CODE = """import torch
import torch.nn.functional as F

q, k = torch.zeros({queries}, 4), torch.zeros({keys}, 4)
v = torch.tensor({values})
allowed = torch.ones({queries}, {keys}, dtype=torch.bool).tril({offset})
out = F.scaled_dot_product_attention(q, k, v, attn_mask=allowed)
"""


def alignment(state: State) -> None:
    """Show the view; below it the functions that ran."""
    align(state)
    source([offset_of, causal, attend_from, attend_by_torch, compare_decoding], state.language)


@controls.fragment
def align(state: State) -> bool:
    """Ask for both numbers; show both corners, torch's answer, and which one decoding needs."""
    language = state.language
    with st.container(horizontal=True):
        controls.slider(state, "align_queries", words.QUERIES, words.QUERIES_HELP, width=260)
        controls.slider(state, "align_keys", words.KEYS, words.KEYS_HELP, width=260)
    with st.container(horizontal=True, gap="small"):
        for name, text in words.PRESETS.items():
            controls.button(text.say(language), f"align.{name}", take_preset, state, name)
    n_queries, n_keys = state["align_queries"], state["align_keys"]
    left, right = (attend_from(corner, n_queries, n_keys) for corner in CORNERS)
    torch_says = attend_by_torch(n_queries, n_keys)
    parts: dict[str, tuple[Area, Part]] = {
        "address": ("top", controls.address_part(state)),
        "note": ("top", note_part(n_keys, bool(left.blind or right.blind), language)),
        "top_left": ("top", corner_part(left, language)),
        "bottom_right": ("top", corner_part(right, language)),
    }
    if torch_says.out is not None:
        parts["torch"] = ("left", out_part(torch_says.out, language))
    texts = [
        say_corners(left, right, language),
        say_torch(torch_says, n_keys, language),
        words.WHY.say(language),
    ]
    said = [Line(prose(text), "prose") for text in texts]
    parts["said"] = ("right", lines_part(words.PICTURES.say(language), said))
    show_bench("bench.alignment", parts | question_parts(n_queries, n_keys, language))
    show_code(n_queries, n_keys, language)
    return True


def take_preset(state: State, name: str) -> None:
    """Set both numbers."""
    queries, keys = PRESETS[name]
    state.put("align_queries", queries)
    state.put("align_keys", keys)


def note_part(n_keys: int, is_blind: bool, language: Language) -> Part:
    """Say why queries are fewer than keys, what is attended on, and what the sign of a row that sees no key means."""
    note = words.NOTE.say(language, values=say_values(n_keys), version=torch.__version__)
    lines = [Line(prose(words.CACHE.say(language)), "prose"), Line(prose(note), "note")]
    lines += [Line(prose(words.BLIND_SIGN.say(language)), "note")] if is_blind else []
    return lines_part(words.PICTURES.say(language), lines)


def say_values(n_keys: int) -> str:
    """Write the first few values."""
    rows = [vector(row) for row in values_of(n_keys).tolist()]
    return ", ".join(rows[:MOST_NAMED]) + (", …" if n_keys > MOST_NAMED else "")


def corner_part(seen: FromCorner, language: Language) -> Part:
    """Describe who sees whom from one corner by the weights, with each query's output at the end of its row."""
    fields = {"offset": brief(seen.offset)} if seen.corner == "bottom_right" else {}
    part = grid_part(
        seen.weights.numpy(),
        title=words.CORNERS[seen.corner].say(language, **fields),
        labels=replace(
            grid_labels(language, "query", "key"),
            value=words.WEIGHT.say(language),
            footer=words.OUT.say(language),
        ),
        role="weights",
        scale="sequential",
        masked=(~seen.allowed).numpy(),
        footer=[vector(row) for row in seen.out.tolist()],
    )
    return compact(part)


def out_part(out: Tensor, language: Language) -> Part:
    """Describe what torch answered."""
    part = grid_part(
        out.numpy(),
        title=words.TORCH.say(language),
        labels=replace(grid_labels(language, "query", "column"), value=words.OUT.say(language)),
        role="out",
        scale="diverging",
    )
    return compact(part)


def say_corners(left: FromCorner, right: FromCorner, language: Language) -> str:
    """Say what the corner decides at these numbers."""
    n_queries, n_keys = left.allowed.shape
    if n_queries == n_keys:
        return words.SAME.say(language, n=n_keys)
    if n_queries > n_keys:
        return words.MORE.say(
            language,
            offset=brief(right.offset),
            queries=name_queries(right.blind, language),
            zeros=vector(right.out[right.blind[0]].tolist()),
            keys=n_keys,
        )
    last = {"keys": n_keys, "left": vector(left.out[-1].tolist()), "right": vector(right.out[-1].tolist())}
    if n_queries == 1:
        return words.DECODE.say(language, **last)
    return words.FEWER.say(
        language,
        **last,
        queries=n_queries,
        cached=n_keys - n_queries,
        left_keys=int(left.allowed[-1].sum()),
        lost=int((right.allowed & ~left.allowed).sum()),
    )


def say_torch(answer: Outcome, n_keys: int, language: Language) -> str:
    """Say from which corner is_causal=True counts, or how it was refused."""
    if answer.out is None:
        told = shorten(" ".join((answer.refusal or "").split()), LONGEST_REFUSAL)
        return words.TORCH_REFUSED.say(language, said=word(told))
    like = corners_like(answer.out, n_keys)
    if len(like) == 1:
        return words.TORCH_SAID.say(language, corner=words.NAMES[like[0]].say(language))
    return (words.TORCH_EITHER if like else words.TORCH_NEITHER).say(language)


def question_parts(n_queries: int, n_keys: int, language: Language) -> dict[str, tuple[Area, Part]]:
    """Ask which corner cached decoding needs; both are run against the whole pass."""
    n_new = min(n_queries, n_keys)
    found = compare_decoding(n_new, n_keys, SEED)
    fed = feed_of(n_new, n_keys)
    each = [
        words.ANSWER_EACH[fed].say(
            language,
            corner=words.NAMES[one.corner].say(language),
            new=n_new,
            at_once=significant(one.at_once),
            by_token=significant(one.by_token),
        )
        for one in found
    ]
    agree = [one.corner for one in found if max(one.at_once, one.by_token) < ROUNDING]
    verdict = words.ONLY_ONE_TOKEN if len(agree) == len(CORNERS) else words.NEITHER
    verdict = words.ONLY_RIGHT if agree == ["bottom_right"] else verdict
    joined = words.BETWEEN.say(language).join(each)
    answer = words.ANSWER.say(language, each=joined, verdict=verdict.say(language))
    feeds = words.FEEDS[fed].say(language, new=n_new)
    question = words.QUESTION.say(language, tokens=n_keys, seed=SEED, feeds=feeds)
    return asked_parts(question, answer, language)


def feed_of(n_new: int, n_tokens: int) -> str:
    """Name how tokens are fed anew, so that the sentence fits one, all, and some of them.

    Example:
        >>> [feed_of(*sizes) for sizes in ((1, 1), (4, 4), (1, 5), (2, 5))]
        ['single', 'all', 'last', 'few']
    """
    if n_new == n_tokens:
        return "single" if n_tokens == 1 else "all"
    return "last" if n_new == 1 else "few"


def snippet(n_queries: int, n_keys: int) -> str:
    """Write the code that attends from the bottom right."""
    offset = offset_of("bottom_right", n_queries, n_keys)
    return CODE.format(queries=n_queries, keys=n_keys, offset=offset, values=values_of(n_keys).tolist())


def show_code(n_queries: int, n_keys: int, language: Language) -> None:
    """Offer the code for the corner that decoding needs."""
    st.caption(words.CODE.say(language))
    st.code(snippet(n_queries, n_keys), language="python")
