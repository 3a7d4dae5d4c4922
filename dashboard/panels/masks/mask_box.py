"""The boxes in which a reader types a mask: what is wrong is said beside them, with the nearest that is right."""

import streamlit as st

from dashboard import controls
from dashboard.controls import State
from dashboard.frame import code_span
from dashboard.link import shorten
from dashboard.panels.masks.typed_mask import (
    LONGEST_TEXT,
    MOST,
    DrawnMask,
    Rows,
    TypedNumbers,
    read_drawn,
    read_numbers,
    write_drawn,
)
from dashboard.text import Language, Text
from dashboard.text import mask_converter as words

MOST_NAMED, LONGEST_NAMED, LONGEST_OFFER = 3, 20, 60


def drawn_mask(state: State) -> Rows | None:
    """Ask for rows of 0 and 1.

    Returns:
        None where they may not be used.
    """
    text = controls.line(state, "converter_mask", words.MASK, words.MASK_HELP, words.MASK_EMPTY)
    reading = read_drawn(text)
    if not reading.faults:
        return reading.rows
    say_faults(reading, words.LEGAL_DRAWN, len(text), state.language)
    offer(state, "converter_mask", write_drawn(reading.rows))
    return None


def typed_numbers(state: State) -> TypedNumbers:
    """Ask for a mask that does not say its convention."""
    text = controls.line(state, "converter_guess", words.GUESS, words.GUESS_HELP, words.GUESS_EMPTY)
    reading = read_numbers(text)
    if reading.faults:
        say_faults(reading, words.LEGAL_NUMBERS, len(text), state.language)
        offer(state, "converter_guess", reading.nearest)
    return reading


def say_faults(reading: DrawnMask | TypedNumbers, legal: Text, length: int, language: Language) -> None:
    """Say each rule that was broken, with both values; the reader's pieces are shown literally."""
    pieces = ", ".join(code_span(shorten(piece, LONGEST_NAMED)) for piece in reading.strange[:MOST_NAMED])
    if len(reading.strange) > MOST_NAMED:
        pieces = words.AND_MORE.say(language, pieces=pieces, found=len(reading.strange))
    rows, narrow, wide = reading.found
    told = {"pieces": pieces, "legal": legal.say(language), "most": MOST}
    told |= {"length": length, "longest": LONGEST_TEXT}
    told |= {"rows": rows, "narrow": narrow, "wide": wide}
    st.error("  \n".join(words.FAULTS[fault].say(language, **told) for fault in reading.faults))


def offer(state: State, name: str, text: str) -> None:
    """Offer a text that is right."""
    label = words.TAKE.say(state.language, text=shorten(text, LONGEST_OFFER).replace("-", "−"))
    controls.button(label, f"take.{name}", state.put, name, text)
