"""One word in two sentences: equal as it enters, different as it leaves, layer by layer (P8)."""

from collections.abc import Callable, Sequence

import pandas as pd
import streamlit as st

from attention_core.experiments.dressing import FollowedWord, follow_word, lay_out
from attention_core.experiments.reuse import shared_places
from attention_core.layers import DressedSentence, dress
from attention_core.principal_plane import fit_plane
from dashboard import controls
from dashboard.charts.depths import LOWEST, DepthLine, depth_lines, depth_table
from dashboard.charts.dressed import paths_table, word_paths
from dashboard.controls import State
from dashboard.frame import asked_and_measured, code_span, source, table
from dashboard.grid.bench import show_bench
from dashboard.grid.lines import Line, lines_part, prose
from dashboard.grid.picture import visible
from dashboard.number_format import significant
from dashboard.panels.heads.legal import has_legal_heads
from dashboard.panels.layers.model import laid_out, own_stack, provenance, tokens_of
from dashboard.panels.layers.script import offer_script
from dashboard.panels.layers.twice_said import answer, question, readings
from dashboard.panels.sentence import sentence
from dashboard.text import layers as lesson_words
from dashboard.text import layers_twice as words

WORD_WIDTH = 220
SIDES = (3, 4)
RAN: list[Callable[..., object]] = [dress, shared_places, follow_word, lay_out, fit_plane]


@controls.fragment
def twice(state: State) -> bool:
    """Ask for the second sentence and a word of both; show its two paths, and how far apart they are at each layer."""
    if not has_legal_heads(state):
        return False
    left, right = st.columns(SIDES, gap="medium")
    with right:
        if not sentence(state, "twice_text", words.SECOND):
            return False
        pairs = shared_places(tokens_of(state["text"]), tokens_of(state["twice_text"]))
        if not pairs:
            offer_pair(state)
            return False
        controls_place = st.container()  # filled last: see controls.fragment
    state.narrow("twice_place", len(pairs))
    both = own_stack(state), own_stack(state, "twice_text")
    found = follow_word(*both, *pairs[state["twice_place"] - 1])
    with left:
        show_paths(state, both, found)
    controls.picture_goes_ahead()
    with right:
        show_apart(state, found)
    language = state.language
    told = [Line(prose(text), "prose") for text in readings(state, both, found)]
    note = [Line(prose(provenance(state)), "note")]
    label = lesson_words.WHERE_FROM.say(language)
    parts = {
        "address": ("top", controls.address_part(state)),
        "note": ("top", lines_part(label, note, has_own_row=True)),
        "said": ("top", lines_part(lesson_words.SAID.say(language), told)),
        **asked_and_measured("twice", question(state), lambda: answer(state, found), language),
    }
    show_bench("bench.twice", parts)
    with controls_place:
        ask(state, pairs)
    table(lambda: numbers(state, both, found), "twice", language)
    offer_script(state)
    source(RAN, language)
    return True


def offer_pair(state: State) -> None:
    """Say that no word is in both sentences, and offer a pair that shares one."""
    language = state.language
    first, second = lesson_words.FIRST_SENTENCE.say(language), lesson_words.SECOND_SENTENCE.say(language)
    st.info(words.NONE_SHARED.say(language))
    label = words.TAKE_PAIR.say(language, first=code_span(first), second=code_span(second))
    controls.button(label, "twice.pair", take_pair, state, first, second)


def take_pair(state: State, first: str, second: str) -> None:
    """Take both sentences; the first one's box stands outside of this fragment, which then runs the page."""
    state.put("text", first)
    state.put("twice_text", second)


def ask(state: State, pairs: Sequence[tuple[int, int]]) -> None:
    """Ask for the word and the measure."""
    language, tokens = state.language, tokens_of(state["text"])
    names = [
        words.WORD_AT.say(language, token=visible(tokens[first]), first=first + 1, second=second + 1)
        for first, second in pairs
    ]
    with st.container(horizontal=True):
        word = words.WORD, words.WORD_HELP, names
        controls.choose_place(state, "twice_place", *word, moved=words.MOVED, width=WORD_WIDTH)
        controls.choose(state, "twice_meter", words.METER, words.METER_HELP, words.METERS)


def show_paths(state: State, both: Sequence[DressedSentence], found: FollowedWord) -> None:
    """Draw the word's path in each sentence."""
    language, placed = state.language, laid_out(*both).places
    kinds = tuple(text.say(language) for text in words.SENTENCES)
    at = (found.first_place, found.second_place)
    paths = [[(x, y) for x, y in places[:, place].tolist()] for places, place in zip(placed, at, strict=True)]
    last = state["n_layers"]
    # Where both begin at one point, one label is enough.
    written = [[""] * (last + 1), [""] * (last + 1)]
    written[0][0] = "0"
    written[1][0] = "" if found.is_bare_equal else "0"
    written[0][-1] = written[1][-1] = str(last)
    said = [
        [
            (words.POINT if depth else words.POINT_BARE).say(language, kind=kind, layer=depth)
            for depth in range(last + 1)
        ]
        for kind in kinds
    ]
    axes = lesson_words.AXIS_X.say(language), lesson_words.AXIS_Y.say(language)
    st.vega_lite_chart(
        paths_table(paths, kinds, written, said),
        word_paths(*axes, kinds),
        key="chart.paths",
        width="content",
        alt=words.PLANE_ALT.say(language),
    )


def show_apart(state: State, found: FollowedWord) -> None:
    """Draw how far apart the two are, layer by layer."""
    language, meter = state.language, state["twice_meter"]
    values, axis = getattr(found, meter), words.AXES[meter].say(language)
    said = [
        words.VALUE.say(language, layer=depth, value=significant(value)) for depth, value in enumerate(values)
    ]
    kind = words.METERS[meter].say(language)
    st.vega_lite_chart(
        depth_table([DepthLine(kind, values, said=said)]),
        depth_lines(
            lesson_words.LAYER_AXIS.say(language),
            axis,
            (kind,),
            top=1 if meter == "cosines" else None,
            height=LOWEST,
        ),
        key="chart.apart",
        alt=words.LINES_ALT.say(language, axis=axis),
    )


def numbers(state: State, both: Sequence[DressedSentence], found: FollowedWord) -> pd.DataFrame:
    """List both measures and both lengths, layer by layer."""
    language = state.language
    at = (found.first_place, found.second_place)
    lengths = [one.trace.vectors[:, place].norm(dim=-1).tolist() for one, place in zip(both, at, strict=True)]
    columns = [range(state["n_layers"] + 1), found.distances, found.cosines, *lengths]
    names = [lesson_words.LAYER_AXIS, *words.COLUMNS.values()]
    return pd.DataFrame(
        {text.say(language): list(column) for text, column in zip(names, columns, strict=True)}
    )
