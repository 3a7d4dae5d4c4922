"""What each head looks at: all heads small, one of them or all as one large, their numbers side by side (H3)."""

import streamlit as st

from attention_core.experiments.head_facts import (
    attend_sentence,
    compare_heads,
    join_heads,
    read_heads,
    read_uniform,
    summarise_over_heads,
)
from dashboard import controls
from dashboard.controls import State
from dashboard.frame import source
from dashboard.grid.bench import Part, show_bench
from dashboard.grid.lines import Line, lines_part, prose
from dashboard.number_format import significant
from dashboard.panels.heads.head_pictures import (
    WITHIN,
    Enlarged,
    HeadsSeen,
    Parts,
    head_parts,
    stretched_reach,
)
from dashboard.panels.heads.head_readings import question_parts, readings
from dashboard.panels.heads.legal import has_legal_heads
from dashboard.panels.heads.own_heads import own_heads
from dashboard.text import head_heads as words
from dashboard.text import heads as head_words

RAN = [attend_sentence, read_heads, read_uniform, compare_heads, summarise_over_heads, join_heads]


@controls.fragment
def heads(state: State) -> bool:
    """Ask what to draw large; show every head of the reader's sentence, the numbers, what they say, the question."""
    if not has_legal_heads(state):
        return False
    over, head = ask(state)
    found = own_heads(state)
    seen = HeadsSeen(found.tokens, found.allowed, found.facts, found.uniform)
    reach = stretched_reach(seen) if state["heads_stretch"] else 1.0
    shown = Enlarged(over, head, reach)
    parts: Parts = {
        "address": ("top", controls.address_part(state)),
        "note": ("top", note_part(state, reach)),
    }
    parts |= head_parts(seen, shown, lambda head: enlarge(state, head), state.language)
    parts["said"] = ("right", said_part(state, seen, shown))
    show_bench("bench.heads", parts | question_parts(state, seen))
    source(RAN, state.language)
    return True


def ask(state: State) -> tuple[str, int]:
    """Ask for one head, from 0, or all as one, and for the colours; a head that there is not is moved to the last, which is said."""
    language, highest = state.language, state["h"]
    with st.container(horizontal=True):
        over = controls.choose(state, "heads_over", words.OVER, words.OVER_HELP, words.OVERS)
        wish = state.narrow("heads_head", highest)
        if over == "each":
            controls.slider(state, "heads_head", words.HEAD, words.HEAD_HELP, highest=highest, width=200)
        controls.toggle(state, "heads_stretch", words.STRETCH, words.STRETCH_HELP)
    if over == "each" and wish > highest:
        st.caption(head_words.HEAD_MOVED.say(language, given=wish, used=highest))
    return over, state["heads_head"] - 1


def enlarge(state: State, head: int) -> None:
    """Draw one head large."""
    state.put("heads_head", head + 1)
    state.put("heads_over", "each")


def note_part(state: State, reach: float) -> Part:
    """Say where the numbers come from."""
    language = state.language
    note = words.NOTE.say(
        language,
        seed=state["seed"],
        mask=words.MASKS[state["is_causal"]].say(language),
        h=state["h"],
        width=state["d_model"] // state["h"],
    )
    if state["heads_stretch"]:
        stretched = words.STRETCHED.say(language, reach=significant(reach), share=f"{WITHIN:.0%}")
        note = f"{note} · {stretched}"
    return lines_part(words.PICTURES.say(language), [Line(prose(note), "note")], has_own_row=True)


def said_part(state: State, seen: HeadsSeen, shown: Enlarged) -> Part:
    """Say what the pictures show, and that these heads have learnt nothing."""
    language = state.language
    texts = [
        *readings(seen, shown, language),
        words.RANDOM.say(language, seed=state["seed"]),
        words.TRAINED.say(language),
    ]
    return lines_part(words.SAID.say(language), [Line(prose(text), "prose") for text in texts])
