"""Printed numbers of published notes beside the computed ones (E1 to E3), and two of their sentences."""

from collections import Counter

import streamlit as st
from torch import Tensor

from attention_core.examples import EXAMPLES, Example, check_textbook, matrices
from attention_core.experiments.alignment import attend_at_angles
from attention_core.explain import Cell, explain
from attention_core.single_head import trace_single_head
from dashboard import controls
from dashboard.controls import State
from dashboard.frame import markdown_table
from dashboard.number_format import significant
from dashboard.panels.qkv.explanation import name_of
from dashboard.text import qkv as words

# Every list scrolls in a frame of its own: on a phone even a short one is wider than the page.
SHORT_LIST, LOW, HIGH = 10, 290, 420


def textbook(state: State) -> None:
    """Check every printed number, example by example, then two sentences."""
    language = state.language
    st.markdown(words.TEXTBOOK.say(language))
    for slug, example in EXAMPLES.items():
        show_example(state, slug, example)
    say_absorbed(state)
    say_angle(state)
    say_sides(state)


def show_example(state: State, slug: str, example: Example) -> None:
    """List an example's printed numbers with their verdicts."""
    language = state.language
    checked = check_textbook(example)
    verdicts = Counter(number.verdict for number in checked)
    st.subheader(words.SOURCES[slug].say(language), anchor=False)
    st.markdown(
        words.TEXTBOOK_STORIES[slug].say(
            language,
            right=verdicts["right"],
            bent=verdicts["last_digit"],
            slips=verdicts["slip"],
            carried=verdicts["carried"],
        )
    )
    rows = [
        (
            f"`{name_of(Cell(n.printed.name, n.printed.row, n.printed.column, n.computed))}`"
            + (f" ({words.CAUSAL.say(language)})" if n.printed.is_causal else ""),
            words.TEXTBOOK_VERDICTS[n.verdict].say(language),
            f"{n.printed.value:.{n.printed.decimals}f}".replace("-", "\N{MINUS SIGN}"),
            significant(n.computed),
            significant(n.from_printed),
        )
        for n in checked
    ]
    head = tuple(text.say(language) for text in words.TEXTBOOK_COLUMNS.values())
    with st.container(height=HIGH if len(rows) > SHORT_LIST else LOW):
        st.markdown(markdown_table(head, rows))
    controls.button(words.OPEN_EXAMPLE.say(language), f"open.{slug}", open_example, state, slug)


def open_example(state: State, slug: str) -> None:
    """Show an example in the pipeline."""
    state.put("source", slug)
    state.put("view", "pipeline")


def say_absorbed(state: State) -> None:
    """Trace what row A of E1 is made of."""
    made = explain(trace_single_head(matrices(EXAMPLES["e1"])), "out", 0, 1)
    st.markdown(
        words.CLAIM_ABSORBED.say(
            state.language,
            total=significant(made.total),
            b=significant(made.products[1].value),
            c=significant(made.products[2].value),
        )
    )


def say_angle(state: State) -> None:
    """Let the reader turn three keys together: their weights stay uniform."""
    language = state.language
    degrees = controls.slider(state, "angle", words.ANGLE, words.ANGLE_HELP)
    same, one = (attend_at_angles(angles) for angles in ([float(degrees)] * 3, [0.0, 90.0, 90.0]))
    st.markdown(
        words.CLAIM_ANGLE.say(
            language,
            angle=degrees,
            length=significant(float(same.q.norm())),
            score=significant(round(float(same.scaled[0, 0]), 12)),  # cos 90° is 6e−17 in floating point
            same=listed(same.weights[0]),
            one=listed(one.weights[0]),
        )
    )


def say_sides(state: State) -> None:
    """Put a vector on either side of a square matrix: only one of the products is the row's."""
    given = matrices(EXAMPLES["e2"])
    x, w = given["x"][0, :2], given["w_q"][:2]
    st.markdown(
        words.CLAIM_SIDES.say(state.language, row=listed(x @ w), column=listed(w @ x), turned=listed(w.T @ x))
    )


def listed(numbers: Tensor) -> str:
    """Write a few numbers in a row."""
    return f"[{', '.join(map(significant, numbers.tolist()))}]"
