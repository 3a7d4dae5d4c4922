"""What the reader has chosen in the view of the ways to mask."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import streamlit as st
from torch import Tensor

from attention_core.components import DTypeName
from attention_core.experiments.masking import Way
from attention_core.patterns import Pattern, block, causal, window
from attention_core.tokens import tokenize
from dashboard import controls
from dashboard.controls import State
from dashboard.grid.bench import Part
from dashboard.grid.lines import word
from dashboard.number_format import NOTHING
from dashboard.panels.masks.gallery_upload import kept_upload, mask_for, say_fault, shown_name
from dashboard.panels.masks.model import first_of
from dashboard.text import Language
from dashboard.text import mask_ways as words

SIZE = 3
GALLERY = "gallery"
PATTERN_OF: dict[str, Pattern] = {
    "causal": causal(),
    "window": window(SIZE, is_causal=True),
    "block": block(SIZE),
    "others": ~window(1),
    "future": ~causal(),
}


@dataclass(frozen=True, eq=False)
class Setting:
    """Hold the first sentence's queries, keys and values (N × d), a mask (N × N), a way and a type."""

    tokens: tuple[str, ...]
    q: Tensor
    k: Tensor
    v: Tensor
    allowed: Tensor
    way: Way
    dtype: DTypeName
    seed: int
    language: Language

    @property
    def n(self) -> int:
        """Count the tokens."""
        return len(self.tokens)

    @property
    def hidden_pairs(self) -> int:
        """Count the pairs that the mask hides."""
        return int((~self.allowed).sum())

    @property
    def blind(self) -> list[int]:
        """List the queries that may see no key."""
        return (~self.allowed.any(dim=-1)).nonzero().flatten().tolist()

    def place(self, at: int) -> str:
        """Name a position by its number and token."""
        return words.PLACE.say(self.language, place=at + 1, token=word(self.tokens[at]))

    def way_name(self) -> str:
        """Name the way."""
        return words.WAYS[self.way].say(self.language)


def mask_of(state: State) -> Tensor | None:
    """Build the chosen mask for the sentence; the gallery may have none for it."""
    chosen, n = state["way_mask"], len(tokenize(state["text"]))
    return mask_for(state, n) if chosen == GALLERY else PATTERN_OF[chosen].build(n)


def ask_for_mask(state: State) -> Tensor | None:
    """Build the chosen mask; where the gallery has none for the sentence, say so and offer another."""
    allowed = mask_of(state)
    if allowed is None:
        st.error(say_no_mask(state, len(tokenize(state["text"]))))
        said = words.TAKE_MASK.say(state.language, mask=words.MASKS["causal"].say(state.language))
        controls.button(said, "take.causal", state.put, "way_mask", "causal")
    return allowed


def say_no_mask(state: State, n: int) -> str:
    """Say why the gallery's file is no mask for the sentence: there is none, it was refused, or it is too small."""
    kept, language = kept_upload(), state.language
    if kept is None:
        return words.NO_GALLERY["none"].say(language, n=n)
    if kept.allowed is None:
        fault = say_fault(kept, state["gallery_n"], language)
        return words.NO_GALLERY["refused"].say(language, n=n, fault=fault)
    size = {"name": shown_name(kept, language), "side": len(kept.allowed)}
    return words.NO_GALLERY["small"].say(language, n=n, **size)


def setting_of(state: State, allowed: Tensor) -> Setting:
    """Draw the first sentence under a mask."""
    batch = first_of(state)
    q, k, v = (x[0] for x in (batch.q, batch.k, batch.v))
    chosen = (state["way"], state["way_dtype"], state["seed"])
    return Setting(batch.tokens[0], q, k, v, allowed, *chosen, state.language)


def without_numbers(part: Part, is_empty: Sequence[Sequence[bool]]) -> Part:
    """Write a dash in the cells that have no number, where a NaN would seem to be an answer."""
    empty = [one for row in is_empty for one in row]
    if len(part.data["texts"]) != len(empty):  # a picture has no texts
        return part
    texts = [NOTHING if one else text for one, text in zip(empty, part.data["texts"], strict=True)]
    return replace(part, data={**part.data, "texts": texts})


def joined(sentences: Sequence[str], language: Language) -> str:
    """Put sentences behind one another; Chinese ones stand without a space."""
    return ("" if language == "zh" else " ").join(sentences)
