"""A row of numbers that the reader types: read, judged, and put right at the press of a button."""

import math
import re
from dataclasses import dataclass

import streamlit as st

from dashboard import controls
from dashboard.controls import State
from dashboard.frame import code_span
from dashboard.link import FULL_WIDTH, number, shorten
from dashboard.number_format import significant
from dashboard.text import Language, Text
from dashboard.text import frame as frame_words
from dashboard.text import softmax as words

SEPARATORS = re.compile(r"[,;\u3001\s]+")
BRACKETS = "[](){} \t"
MOST_NAMED, LONGEST_NAMED, LONGEST_OFFER = 3, 20, 6


@dataclass(frozen=True)
class Rules:
    """What a row may hold."""

    fewest: int
    most: int
    largest: float


# By field: what softmax is taken of at a temperature, and where it overflows.
RULES = {"row": Rules(fewest=2, most=64, largest=1e6), "scores": Rules(fewest=1, most=64, largest=1e38)}


@dataclass(frozen=True)
class Reading:
    """What was read.

    Attributes:
        numbers: All that could be read, of any size; infinite where a float cannot hold it.
        unreadable, too_large: The pieces as typed.
        nearest: The nearest legal row; what was read, where that is legal.
    """

    numbers: tuple[float, ...]
    unreadable: tuple[str, ...]
    too_large: tuple[str, ...]
    nearest: tuple[float, ...]

    @property
    def is_legal(self) -> bool:
        """Tell whether the row may be used as it was typed."""
        return not self.unreadable and self.numbers == self.nearest


def read_row(text: str, rules: Rules) -> Reading:
    """Read numbers between commas, semicolons or spaces, of either width, with or without brackets.

    Example:
        >>> read_row("[1, −2；３]", Rules(2, 64, 1e6)).numbers
        (1.0, -2.0, 3.0)
        >>> reading = read_row("1, x, 1e9", Rules(4, 64, 1e6))
        >>> reading.unreadable, reading.too_large, reading.nearest
        (('x',), ('1e9',), (1.0, 1000000.0, 0.0, 0.0))
    """
    pieces = [piece for piece in SEPARATORS.split(text.translate(FULL_WIDTH).strip(BRACKETS)) if piece]
    read = [(piece, number(piece, math.inf)) for piece in pieces]
    numbers = tuple(value for _, value in read if value is not None)
    near = [max(-rules.largest, min(value, rules.largest)) for value in numbers[: rules.most]]
    return Reading(
        numbers,
        tuple(piece for piece, value in read if value is None),
        tuple(piece for piece, value in read if value is not None and abs(value) > rules.largest),
        tuple(near + [0.0] * (rules.fewest - len(near))),
    )


def write_row(numbers: tuple[float, ...]) -> str:
    """Write numbers as a reader would type them, so that reading them gives the same again.

    Example:
        >>> write_row((32.0, -0.5, 1e38))
        '32, -0.5, 1e+38'
    """
    return ", ".join(repr(value).removesuffix(".0") for value in numbers)


def row_of(state: State, name: str) -> tuple[float, ...]:
    """Give the row of a field as it was typed, else the nearest legal one; the default where nothing was read."""
    reading = read_row(state[name], RULES[name])
    return reading.nearest if reading.numbers else read_row(state.fields[name].default, RULES[name]).nearest


def is_legal(state: State, name: str) -> bool:
    """Tell whether the row of a field may be used as it was typed."""
    return read_row(state[name], RULES[name]).is_legal


def typed_row(state: State, name: str, label: Text, help_text: Text) -> tuple[float, ...] | None:
    """Show the box, and beside it what is wrong with the row and the nearest one that is right.

    Returns:
        None where the row may not be used.
    """
    language, rules = state.language, RULES[name]
    text = controls.line(state, name, label, help_text, words.ROW_EMPTY)
    if name in state.query[1]:
        st.caption(frame_words.LEFT_OUT.say(language, names=code_span(label.say(language))))
    reading = read_row(text, rules)
    if reading.is_legal:
        return reading.numbers
    st.error("  \n".join(faults(reading, rules, language)))
    nearest = row_of(state, name)
    controls.button(offer(nearest, language), f"take.{name}", state.put, name, write_row(nearest))
    return None


def faults(reading: Reading, rules: Rules, language: Language) -> list[str]:
    """Say each rule that was broken, with both values; the reader's pieces are shown literally."""
    said, found = [], len(reading.numbers)
    if reading.unreadable:
        said.append(words.UNREADABLE.say(language, pieces=named(reading.unreadable, language)))
    if reading.too_large:
        limit = significant(rules.largest)
        said.append(words.TOO_LARGE.say(language, largest=limit, pieces=named(reading.too_large, language)))
    if found > rules.most:
        said.append(words.TOO_MANY.say(language, most=rules.most, found=found))
    if found < rules.fewest:
        said.append(words.TOO_FEW.say(language, fewest=rules.fewest, found=found))
    return said


def named(pieces: tuple[str, ...], language: Language) -> str:
    """Name a few pieces of a row as they were typed."""
    listed = ", ".join(code_span(shorten(piece, LONGEST_NAMED)) for piece in pieces[:MOST_NAMED])
    if len(pieces) <= MOST_NAMED:
        return listed
    return words.AND_MORE.say(language, pieces=listed, found=len(pieces))


def offer(numbers: tuple[float, ...], language: Language) -> str:
    """Say which row a button takes."""
    row = write_row(numbers[:LONGEST_OFFER])
    if len(numbers) <= LONGEST_OFFER:
        return words.TAKE_ROW.say(language, row=row)
    return words.TAKE_LONG_ROW.say(language, row=row, found=len(numbers))
