"""The lesson's own controls: what is drawn, how much of it, and the width."""

import streamlit as st

from attention_core.components import MAX_BYTES
from dashboard import controls
from dashboard.controls import State
from dashboard.frame import reproduce
from dashboard.panels.scaling.fields import POWERS, REACHES, RESETTABLE
from dashboard.panels.scaling.model import (
    MOST_NUMBERS,
    Sampling,
    most_trials,
    widths_of,
)
from dashboard.panels.scaling.rows import is_legal
from dashboard.panels.scaling.script import HAS_SCRIPT, script_of
from dashboard.text import Text
from dashboard.text import frame as frame_words
from dashboard.text import scaling as words

# The views that draw with the settings of the sidebar; the others have inputs of their own.
DRAWS = frozenset({"variance", "saturation"})
# The views whose slider stops at powers of two.
HAS_WIDTH = DRAWS | {"textbook"}
# What is computed on the reader's device, by view.
ON_DEVICE = dict.fromkeys(sorted(DRAWS | {"clinic"}), frame_words.DRAWS_THERE)


def choose_view(state: State) -> None:
    """Offer the views."""
    controls.choose(state, "view", words.VIEW, words.VIEW_HELP, words.VIEWS, hide_label=True)


def sidebar(state: State) -> None:
    """Show what both sampled views share, and the script of any view that has one."""
    with st.sidebar:
        if state["view"] in HAS_WIDTH:
            controls.any_number(state, "d_k", words.ANY_D_K, words.ANY_D_K_HELP)
        if state["view"] in DRAWS:
            drawing(state)
        st.session_state["scaling.script"] = can_reproduce(state)
        if can_reproduce(state):
            help_text = words.REPRODUCE_HELP.say(state.language)
            reproduce(lambda: script_of(state), "scaling", state.language, help_text)


def can_reproduce(state: State) -> bool:
    """Tell whether the view shows numbers that a script can print."""
    view = state["view"]
    row = {"temperature": "row", "overflow": "scores"}.get(view)
    return view in HAS_SCRIPT and (row is None or is_legal(state, row)) and (view not in DRAWS or fits(state))


def keep_script_in_line(state: State) -> None:
    """Draw the whole page again where the sidebar's script no longer fits what a fragment shows."""
    if st.session_state.get("scaling.script") != can_reproduce(state):
        st.rerun()


def drawing(state: State) -> None:
    """Show what is drawn, and how much of it."""
    if state["view"] == "saturation":
        controls.whole_number(state, "n", words.N_KEYS, words.N_KEYS_HELP)
    controls.choose(
        state,
        "distribution",
        words.DISTRIBUTION,
        words.DISTRIBUTION_HELP,
        words.DISTRIBUTIONS,
        in_sidebar=True,
    )
    names = {name: name for name in state.fields["dtype"].options}
    controls.choose(state, "dtype", words.DTYPE, words.DTYPE_HELP, names, in_sidebar=True)
    controls.whole_number(state, "trials", words.TRIALS, words.TRIALS_HELP)
    with controls.disclosure(words.MORE_SETTINGS.say(state.language), "open.scaling") as is_open:
        if is_open:
            more_settings(state)


def more_settings(state: State) -> None:
    """Show the settings that a first visit does not need."""
    reaches = {reach: reach for reach in REACHES}
    controls.choose(state, "reach", words.REACH, words.REACH_HELP, reaches, in_sidebar=True)
    controls.decimal(state, "std_q", words.STD_Q, words.STD_HELP, 0.5)
    controls.decimal(state, "std_k", words.STD_K, words.STD_HELP, 0.5)
    controls.decimal(state, "mean_q", words.MEAN_Q, words.MEAN_HELP, 0.5)
    controls.decimal(state, "mean_k", words.MEAN_K, words.MEAN_HELP, 0.5)
    controls.decimal(state, "correlation", words.CORRELATION, words.CORRELATION_HELP, 0.1)
    if state["view"] == "variance":
        controls.whole_number(state, "seeds", words.SEEDS, words.SEEDS_HELP)
    else:
        controls.whole_number(state, "heads", words.HEADS, words.HEADS_HELP)
        controls.decimal(state, "temperature", words.TEMPERATURE, words.TEMPERATURE_HELP, 1.0)
    controls.whole_number(state, "seed", words.SEED, words.SEED_HELP)
    controls.button(frame_words.RESET.say(state.language), "reset.scaling", state.reset, RESETTABLE)


def width(state: State, help_text: Text | None = words.D_K_HELP) -> int:
    """Show the width on a slider that stops at powers of two; the sidebar takes any."""
    controls.steps(state, "d_k", words.D_K, help_text, POWERS, width=440)
    return state["d_k"]


def fits(state: State) -> bool:
    """Tell whether the settings ask for no more than a visitor may."""
    return state["trials"] <= most_trials(state)


def remember_shown(state: State) -> None:
    """Remember for which widths the part outside of the fragment was drawn."""
    st.session_state["scaling.shown"] = (widths_of(state), fits(state))


def show_anew_if_needed(state: State) -> None:
    """Draw the whole page again where the reader's width needs another sweep than the one that is shown."""
    if st.session_state.get("scaling.shown") != (widths_of(state), fits(state)):
        st.rerun()


def is_affordable(state: State) -> bool:
    """Say so where more is asked for than a visitor may, and offer the most that fits."""
    if fits(state):
        return True
    language, most = state.language, most_trials(state)
    limits = {"numbers": f"{MOST_NUMBERS:,}", "mib": MAX_BYTES // 2**20}
    st.error(words.TOO_MUCH.say(language, trials=state["trials"], most=most, **limits))
    controls.button(words.TAKE_TRIALS.say(language, trials=most), "take.trials", state.put, "trials", most)
    return False


def say_measured(state: State, sampling: Sampling, *, all_seeds: bool = False) -> str:
    """Say where the numbers of a view come from."""
    return words.MEASURED_ON.say(
        state.language,
        seeds=", ".join(map(str, sampling.seeds if all_seeds else sampling.seeds[:1])),
        trials=sampling.trials,
        dtype=sampling.dtype,
        device=controls.DEVICES[sampling.device],
    )
