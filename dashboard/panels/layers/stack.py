"""A sentence from bare to dressed: all tokens in one plane, one of them layer by layer (P8)."""

from collections.abc import Callable
from functools import lru_cache

import pandas as pd
import streamlit as st

from attention_core.experiments.dressing import (
    cosines_to_bare,
    distances_to_bare,
    heaviest_keys,
    lay_out,
    moved_if_weighed_again,
)
from attention_core.layers import DressedSentence, dress
from attention_core.principal_plane import fit_plane
from dashboard import controls
from dashboard.charts.depths import LOW, THIN, DepthLine, depth_lines, depth_table
from dashboard.charts.dressed import Place, arrows_table, dressed_arrows, square_around
from dashboard.controls import State
from dashboard.frame import source, table
from dashboard.grid.bench import Part, show_bench
from dashboard.grid.lines import Line, lines_part, prose
from dashboard.number_format import significant
from dashboard.panels.heads.legal import has_legal_heads
from dashboard.panels.layers.model import laid_out, names_of, own_stack, provenance
from dashboard.panels.layers.script import offer_script
from dashboard.panels.layers.stack_said import image_part, question_parts, readings
from dashboard.panels.layers.tables import picked_rows
from dashboard.roles import hue
from dashboard.text import Language
from dashboard.text import layers as lesson_words
from dashboard.text import layers_stack as words

LAYER_WIDTH, TOKEN_WIDTH = 240, 200
SIDES = (3, 4)
RAN: list[Callable[..., object]] = [
    dress,
    cosines_to_bare,
    distances_to_bare,
    lay_out,
    fit_plane,
    heaviest_keys,
    moved_if_weighed_again,
]


@controls.fragment
def stack(state: State) -> bool:
    """Ask for layer and token; show the plane, the cosines, what became of the token, the numbers of all."""
    if not has_legal_heads(state):
        return False
    sentence = own_stack(state)
    state.narrow("stack_layer", state["n_layers"])
    state.narrow("stack_token", len(sentence.tokens))
    left, right = st.columns(SIDES, gap="medium")
    with left:
        show_plane(state, sentence)
    controls.picture_goes_ahead()
    with right:
        controls_place = st.container()  # filled last: see controls.fragment
        show_cosines(state, sentence)
    language = state.language
    said = [Line(prose(text), "prose") for text in readings(state, sentence)]
    note = lines_part(
        lesson_words.WHERE_FROM.say(language), [Line(prose(provenance(state)), "note")], has_own_row=True
    )
    parts = {
        "address": ("top", controls.address_part(state)),
        "note": ("top", note),
        "tokens": ("left", tokens_part(state, sentence)),
        "said": ("right", lines_part(lesson_words.SAID.say(language), said)),
        "image": ("right", image_part(state, sentence)),
    }
    show_bench("bench.stack", parts | question_parts(state, sentence))
    with controls_place:
        ask(state, sentence)
    table(lambda: all_numbers(sentence, language), "layers", language, words.ALL_LAYERS)
    offer_script(state)
    source(RAN, language)
    return True


def ask(state: State, sentence: DressedSentence) -> None:
    """Ask for the layer and the token."""
    with st.container(horizontal=True):
        layer = words.LAYER, words.LAYER_HELP
        controls.slider(state, "stack_layer", *layer, highest=state["n_layers"], width=LAYER_WIDTH)
        token = lesson_words.TOKEN, lesson_words.TOKEN_HELP, names_of(sentence.tokens)
        controls.choose_place(state, "stack_token", *token, width=TOKEN_WIDTH)


def show_plane(state: State, sentence: DressedSentence) -> None:
    """Draw an arrow for each token, from bare to the chosen layer."""
    language, found = state.language, laid_out(sentence)
    kinds = (words.BARE.say(language), words.DRESSED.say(language))
    bare, dressed = (
        [(x, y) for x, y in found.places[0][depth].tolist()] for depth in (0, state["stack_layer"])
    )
    names, chosen = names_of(sentence.tokens), state["stack_token"] - 1
    arrows, unnamed = arrows_table(bare, dressed, names, kinds, chosen, square_of(sentence))
    theme = controls.theme()
    axes = lesson_words.AXIS_X.say(language), lesson_words.AXIS_Y.say(language)
    st.vega_lite_chart(
        arrows,
        dressed_arrows(*axes, kinds, (hue("x", theme), hue("out", theme))),
        key="chart.plane",
        width="content",
        alt=words.PLANE_ALT.say(language),
    )
    if unnamed:
        st.caption(words.UNNAMED.say(language, n=unnamed))


@lru_cache(maxsize=4)
def square_of(sentence: DressedSentence) -> tuple[Place, float]:
    """Give the square that holds every token at every depth."""
    return square_around([(x, y) for x, y in laid_out(sentence).places[0].flatten(0, 1).tolist()])


def show_cosines(state: State, sentence: DressedSentence) -> None:
    """Draw each token's cosine with its bare vector, layer by layer."""
    language, chosen = state.language, state["stack_token"] - 1
    kinds = (words.CHOSEN.say(language), words.OTHERS.say(language))
    columns = cosines_of(sentence)
    lines = [
        DepthLine(kinds[1], column, width=THIN) for place, column in enumerate(columns) if place != chosen
    ]
    name = names_of(sentence.tokens)[chosen]
    said = [
        f"{name} · {lesson_words.LAYER_NAME.say(language, layer=depth)} · {significant(cosine)}"
        for depth, cosine in enumerate(columns[chosen])
    ]
    lines.append(DepthLine(kinds[0], columns[chosen], said=said))
    theme = controls.theme()
    st.vega_lite_chart(
        depth_table(lines, state["stack_layer"]),
        depth_lines(
            lesson_words.LAYER_AXIS.say(language),
            words.COSINE.say(language),
            kinds,
            top=1,
            hues=(hue("out", theme), hue("x", theme)),
            height=LOW,
        ),
        key="chart.cosines",
        alt=words.LINES_ALT.say(language),
    )


@lru_cache(maxsize=4)
def cosines_of(sentence: DressedSentence) -> tuple[tuple[float, ...], ...]:
    """Give each token's cosines with its bare vector, depth by depth."""
    return tuple(map(tuple, cosines_to_bare(sentence.trace.vectors).T.tolist()))


def rows_of(sentence: DressedSentence, depth: int) -> list[list[float]]:
    """Give the numbers of each token at one depth, in the order of the columns."""
    vectors = sentence.trace.vectors
    return [
        [distance, cosine, before, after, x, y]
        for distance, cosine, before, after, (x, y) in zip(
            distances_to_bare(vectors)[depth].tolist(),
            [column[depth] for column in cosines_of(sentence)],
            vectors[0].norm(dim=-1).tolist(),
            vectors[depth].norm(dim=-1).tolist(),
            laid_out(sentence).places[0][depth].tolist(),
            strict=True,
        )
    ]


def tokens_part(state: State, sentence: DressedSentence) -> Part:
    """Describe the table of all tokens after the chosen layer; picking a row chooses its token."""
    language, depth = state.language, state["stack_layer"]
    title = words.TABLE.say(language, layer=depth) if depth else words.TABLE_BARE.say(language)
    return picked_rows(
        rows_of(sentence, depth),
        title,
        language,
        rows=sentence.tokens,
        columns=[text.say(language) for text in words.COLUMNS.values()],
        keys=words.PICK_KEYS.say(language),
        picked=state["stack_token"] - 1,
        on_pick=lambda row: state.put("stack_token", row + 1),
    )


def all_numbers(sentence: DressedSentence, language: Language) -> pd.DataFrame:
    """List every token at every depth."""
    names = names_of(sentence.tokens)
    rows = [
        (names[place], depth, *row)
        for depth in range(sentence.design.n_layers + 1)
        for place, row in enumerate(rows_of(sentence, depth))
    ]
    columns = [lesson_words.TOKEN, lesson_words.DEPTH, *words.COLUMNS.values()]
    return pd.DataFrame(rows, columns=[text.say(language) for text in columns])
