"""What each head looks at: all heads small, one of them or all as one large down to one weight, their numbers (H3)."""

from functools import lru_cache, partial

import streamlit as st

from attention_core.experiments.head_facts import (
    SentenceHeads,
    attend_sentence,
    compare_heads,
    join_heads,
    name_by_place,
    read_heads,
    read_uniform,
    summarise_over_heads,
    trace_head,
)
from attention_core.explain import explain
from attention_core.single_head import SingleHeadTrace
from dashboard import controls
from dashboard.controls import State
from dashboard.frame import source
from dashboard.grid.bench import Part, show_bench
from dashboard.grid.lines import Line, lines_part, prose
from dashboard.number_format import significant
from dashboard.panels.heads.head_pictures import (
    WITHIN,
    Enlarged,
    Hands,
    HeadsSeen,
    Parts,
    head_parts,
    joined_weights,
    stretched_reach,
)
from dashboard.panels.heads.head_readings import question_parts, readings
from dashboard.panels.heads.legal import has_legal_heads
from dashboard.panels.heads.own_heads import own_heads
from dashboard.panels.heads.weight_said import Along, joined_part, pick_pair, picked_pair, weight_parts
from dashboard.text import head_heads as words
from dashboard.text import weights as weight_words
from dashboard.text.heads import HEAD_MOVED

RAN = [
    attend_sentence,
    read_heads,
    read_uniform,
    compare_heads,
    name_by_place,
    summarise_over_heads,
    join_heads,
    trace_head,
    explain,
]


@controls.fragment
def heads(state: State) -> bool:
    """Ask what to draw large; show every head of the reader's sentence, the numbers, what they say, the question."""
    if not has_legal_heads(state):
        return False
    state.narrow("heads_head", state["h"])
    over, head = state["heads_over"], state["heads_head"] - 1
    found = own_heads(state)
    seen = _seen(found)
    reach = stretched_reach(seen) if state["heads_stretch"] else 1.0
    shown = Enlarged(over, head, reach, picked_pair(state, len(found.tokens)))
    parts: Parts = {
        "address": ("top", controls.address_part(state)),
        "note": ("top", note_part(state, reach)),
    }
    hands = Hands(lambda head: enlarge(state, head), partial(pick_pair, state))
    parts |= head_parts(seen, shown, hands, state.language)
    parts |= opened_parts(state, found, seen, shown)
    parts |= said_parts(state, seen, shown) | question_parts(state, seen)
    # Right before what is drawn, so that both leave together; filled last: see controls.fragment.
    row = st.container(horizontal=True)
    show_bench("bench.heads", parts)
    with row:
        ask(state)
    source(RAN, state.language)
    return True


@lru_cache(maxsize=8)
def _seen(found: SentenceHeads) -> HeadsSeen:
    """Give what is drawn of a sentence; the same object for the same sentence, so that its parts are found again."""
    return HeadsSeen(found.tokens, found.allowed, found.facts, found.uniform)


@lru_cache(maxsize=8)
def _traced(found: SentenceHeads, head: int) -> SingleHeadTrace:
    return trace_head(found, head)


def ask(state: State) -> None:
    """Ask for one head or all as one, and for the colours."""
    if controls.choose(state, "heads_over", words.OVER, words.OVER_HELP, words.OVERS) == "each":
        labels, narrowed = (words.HEAD, words.HEAD_HELP), {"highest": state["h"], "moved": HEAD_MOVED}
        controls.slider(state, "heads_head", *labels, **narrowed, width=200)
    controls.toggle(state, "heads_stretch", words.STRETCH, words.STRETCH_HELP)


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


def opened_parts(state: State, found: SentenceHeads, seen: HeadsSeen, shown: Enlarged) -> Parts:
    """Open the picked pair of what is drawn large, and say what it weighs in each head."""
    language, (row, column) = state.language, shown.pair
    names = [words.HEAD_NAME.say(language, head=head + 1) for head in range(seen.n_heads)]
    values = seen.facts.weights[:, row, column].tolist()
    lead = weight_words.IN_HEADS.say(language)
    along = Along(lead, names, values, lambda head: enlarge(state, head))
    if shown.over == "each":
        return weight_parts(state, _traced(found, shown.head), found.tokens, names[shown.head], along)
    joined = float(joined_weights(seen, shown)[row, column])
    return {"weight": ("right", joined_part(state, shown.over, joined, found.tokens, along))}


def said_parts(state: State, seen: HeadsSeen, shown: Enlarged) -> Parts:
    """Say what the pictures show, that these heads have learnt nothing, and on demand what trained ones do."""
    language = state.language
    chance = words.RANDOM.say(language, seed=state["seed"])
    lines = [Line(prose(text), "prose") for text in [*readings(seen, shown, language), chance]]
    trained = [Line(prose(text.say(language)), "prose") for text in (words.TRAINED, words.FILTERS)]
    return {
        "said": ("right", lines_part(words.SAID.say(language), lines)),
        "trained": ("right", lines_part(words.IN_TRAINED.say(language), trained, is_folded=True)),
    }
