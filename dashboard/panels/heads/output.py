"""What W^O mixes: each head's contribution, another W^O in its place, one head switched off."""

from functools import lru_cache

import streamlit as st

from attention_core.experiments.head_facts import SentenceHeads, attend_sentence
from attention_core.experiments.head_output import (
    HeadOutput,
    Kind,
    contribute,
    measure_head_output,
    replace_w_o,
)
from dashboard import controls
from dashboard.controls import State
from dashboard.frame import source
from dashboard.grid.bench import Part, show_bench
from dashboard.grid.lines import Line, lines_part, prose
from dashboard.panels.heads.legal import has_legal_heads
from dashboard.panels.heads.output_pictures import Parts, output_parts
from dashboard.panels.heads.output_readings import deeper, question_parts, readings
from dashboard.panels.heads.own_heads import own_heads
from dashboard.text import head_output as words
from dashboard.text.head_heads import MASKS

RAN = [attend_sentence, replace_w_o, contribute, measure_head_output]


@controls.fragment
def output(state: State) -> bool:
    """Ask for W^O and for the head that is off; show contributions, output, numbers, what they say, the question."""
    if not has_legal_heads(state):
        return False
    controls_place, language = st.container(), state.language  # filled last: see controls.fragment
    wish = state.narrow("output_off", state["h"])
    off = state["output_off"] - 1 if state["output_off"] else None
    sentence = own_heads(state)
    found = mixed(sentence, state["output_w_o"])
    parts: Parts = {
        "address": ("top", controls.address_part(state)),
        "note": ("top", note_part(state)),
    }
    parts |= output_parts(
        sentence.tokens, found, off, lambda head: state.put("output_off", head + 1), language
    )
    parts |= said_parts(state, found, off)
    show_bench("bench.output", parts | question_parts(found, language))
    with controls_place:
        ask(state, wish)
    source(RAN, language)
    return True


@lru_cache(maxsize=4)
def mixed(sentence: SentenceHeads, kind: Kind) -> HeadOutput:
    """Keep the last: switching a head off changes what is shown, not what was measured."""
    return measure_head_output(sentence.attention.out, sentence.w_o, kind=kind)


def ask(state: State, wish: int) -> None:
    """Ask for W^O and which head is off; one that there is not was moved to the last, which is said."""
    language, highest = state.language, state["h"]

    def said(head: int) -> str:
        return words.HEAD_NAME.say(language, head=head) if head else words.NOBODY.say(language)

    with st.container(horizontal=True):
        controls.choose(state, "output_w_o", words.W_O, words.W_O_HELP, words.KINDS)
        stops = range(highest + 1)
        controls.steps(state, "output_off", words.OFF, words.OFF_HELP, stops, said, width=300)
    if wish > highest:
        st.caption(words.HEAD_MOVED.say(language, given=wish, used=highest))


def note_part(state: State) -> Part:
    """Say where the numbers come from."""
    language = state.language
    note = words.NOTE.say(
        language,
        seed=state["seed"],
        d_model=state["d_model"],
        h=state["h"],
        width=state["d_model"] // state["h"],
        mask=MASKS[state["is_causal"]].say(language),
        kind=words.KINDS[state["output_w_o"]].say(language),
    )
    return lines_part(words.PICTURES.say(language), [Line(prose(note), "note")], has_own_row=True)


def said_parts(state: State, found: HeadOutput, off: int | None) -> Parts:
    """Say what the pictures show, that these matrices have learnt nothing, and on demand what lies behind it."""
    language = state.language
    texts = [*readings(found, off, language), words.RANDOM[found.kind].say(language, seed=state["seed"])]
    label, more = deeper(found, language)
    said, folded = ([Line(prose(text), "prose") for text in lines] for lines in (texts, more))
    return {
        "said": ("right", lines_part(words.SAID.say(language), said)),
        "deeper": ("right", lines_part(label, folded, is_folded=True)),
    }
