"""Several attentions on the same queries, keys and values (V1 to V5)."""

from functools import partial

import streamlit as st

from attention_core.experiments.linear_forms import compare_linear_forms
from attention_core.experiments.timed_variants import measure_variants
from attention_core.variant_cells import explain_out, explain_share
from attention_core.variant_runs import (
    attend_densely,
    count_flops,
    find_seen,
    relative_error,
    run_variant,
)
from dashboard import controls
from dashboard.controls import State
from dashboard.frame import source
from dashboard.grid.bench import Part, show_bench
from dashboard.grid.lines import Line, lines_part, prose
from dashboard.panels.heads.legal import has_legal_heads
from dashboard.panels.variants.compare_cells import cell_parts
from dashboard.panels.variants.compare_model import Compared, compared, inputs_of
from dashboard.panels.variants.compare_outs import change_pictures, given_pictures, out_pictures
from dashboard.panels.variants.compare_pictures import (
    Hands,
    Parts,
    Picked,
    made_of_pictures,
    weight_pictures,
)
from dashboard.panels.variants.compare_said import question_parts, readings
from dashboard.panels.variants.compare_settings import ask, narrow, say_refusal
from dashboard.panels.variants.compare_table import variants_part
from dashboard.panels.variants.compare_times import timing
from dashboard.text import variant_compare as words

RAN = [
    run_variant,
    find_seen,
    attend_densely,
    relative_error,
    count_flops,
    explain_share,
    explain_out,
    compare_linear_forms,
    measure_variants,
]


@controls.fragment
def compare(state: State) -> bool:
    """Ask which attentions to compare; show their weights, outputs and differences, and what they say."""
    if not has_legal_heads(state):
        return False
    n_tokens = inputs_of(state).n
    narrow(state, n_tokens)
    now, language = compared(state), state.language
    picked = picked_cell(state, now)
    hands = Hands(partial(pick, state, "weights"), partial(pick, state, "out"))
    parts: Parts = {
        "address": ("top", controls.address_part(state)),
        "note": ("top", note_part(state)),
        **weight_pictures(now, picked, hands, language),
    }
    # Right before what is drawn, so that both leave together; filled last: see controls.fragment.
    row = st.container()
    show_bench("bench.compare", parts)
    controls.picture_goes_ahead()
    # What differs and what is said of it come before what it was made of.
    more: Parts = {
        **change_pictures(now, picked, hands, language),
        **cell_parts(state, now, picked, hands),
        "said": ("right", said_part(state, now, picked)),
        **out_pictures(now, picked, hands, language),
        **made_of_pictures(now, language),
        **given_pictures(inputs_of(state), now.tokens, now.head, language),
        "variants": ("end", variants_part(state)),
    }
    show_bench("bench.variants", more | question_parts(state))
    with row:
        ask(state, n_tokens)
        for slot in now.slots:
            if slot.refusal is not None:
                say_refusal(state, slot)
    timing(state, now)
    source(RAN, language)
    return True


def picked_cell(state: State, now: Compared) -> Picked:
    """Find the picked cell, moved to the nearest that there is."""
    row, column = state["cell"]
    n, wide = len(now.tokens), now.full.out.shape[-1]
    most = n if state["cell_in"] == "weights" else wide
    return Picked(state["cell_in"], min(row, n - 1), min(column, most - 1))


def pick(state: State, cell_in: str, row: int, column: int) -> None:
    """Open another cell."""
    state.put("cell", (row, column))
    state.put("cell_in", cell_in)


def note_part(state: State) -> Part:
    """Say where the numbers come from."""
    note = words.NOTE.say(
        state.language,
        seed=state["seed"],
        mask=words.MASKS[state["is_causal"]].say(state.language),
        h=state["h"],
        width=state["d_model"] // state["h"],
    )
    return lines_part(words.PICTURES.say(state.language), [Line(prose(note), "note")], has_own_row=True)


def said_part(state: State, now: Compared, picked: Picked) -> Part:
    """Say what each attention is, and what it sees."""
    lines = [Line(prose(text), "prose") for text in readings(state, now, picked)]
    return lines_part(words.SAID.say(state.language), lines)
