"""Several attentions on the same queries, keys and values (V1 to V5)."""

from dataclasses import replace

import streamlit as st

from attention_core.experiments.head_facts import attend_sentence
from dashboard import controls
from dashboard.controls import State
from dashboard.frame import source
from dashboard.grid import compact, grid_part
from dashboard.grid.bench import show_bench
from dashboard.number_table import grid_labels
from dashboard.panels.heads.head_pictures import Parts, hidden_pairs, see_heads
from dashboard.panels.heads.legal import has_legal_heads
from dashboard.panels.heads.own_heads import own_heads
from dashboard.text import variant_compare as words
from dashboard.text.heads import HEAD_MOVED


@controls.fragment
def compare(state: State) -> bool:
    """Show the weights of full attention."""
    if not has_legal_heads(state):
        return False
    state.narrow("head", state["h"])
    found, language, head = own_heads(state), state.language, state["head"]
    seen = see_heads(found.tokens, found.facts.weights, found.allowed)
    weights = grid_part(
        found.facts.weights[head - 1].numpy(),
        title=words.WEIGHTS.say(language, head=head),
        labels=replace(grid_labels(language, "query", "key"), value=words.WEIGHT.say(language)),
        row_labels=found.tokens,
        column_labels=found.tokens,
        role="weights",
        scale="sequential",
        masked=hidden_pairs(seen),
    )
    parts: Parts = {"address": ("top", controls.address_part(state)), "a": ("left", compact(weights))}
    row = st.container(horizontal=True)
    show_bench("bench.compare", parts)
    with row:
        labels = words.HEAD, words.HEAD_HELP
        controls.slider(state, "head", *labels, highest=state["h"], moved=HEAD_MOVED, width=200)
    source([attend_sentence], language)
    return True
