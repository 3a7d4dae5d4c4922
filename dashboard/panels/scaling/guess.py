"""Predict first: the reader says where a curve goes before it is shown; both are drawn."""

from collections.abc import Sequence

import streamlit as st

from attention_core.experiments.scaling import Saturation, fate_of, meter_range
from dashboard import controls
from dashboard.controls import State
from dashboard.number_format import significant
from dashboard.panels.scaling.fields import FATES
from dashboard.panels.scaling.model import Sampling, average_of
from dashboard.text import scaling as words


def has_guessed(state: State) -> bool:
    """Tell whether the sweep is to be shown."""
    return state["guess"] != "none"


def predict(state: State, last: int) -> None:
    """Ask where the chosen meter goes without a divisor."""
    language, meter = state.language, state["meter"]
    average = words.AVERAGES[average_of(state)].say(language)
    asked = words.PREDICT.say(language, last=last, average=average, meter=words.METERS[meter].say(language))
    st.markdown(f"**{asked}**")
    st.caption(words.PREDICT_HELP.say(language))
    with st.container(horizontal=True):
        for fate in FATES:
            label = words.FATES[fate].say(language)
            controls.button(label, f"guess.{fate}", state.put, "guess", f"{meter}.{fate}")
        controls.button(words.SHOW_ANYWAY.say(language), "guess.shown", state.put, "guess", "shown")


def guess_of(state: State) -> str | None:
    """Give what the reader expects of the chosen meter; None where it was not guessed."""
    meter, _, fate = state["guess"].partition(".")
    return fate if fate and meter == state["meter"] else None


def ends(state: State, records: Sequence[tuple[Saturation, ...]]) -> tuple[float, float] | None:
    """Read both ends of the curve without a divisor; None where the number type left one without a number."""
    first, last = (
        getattr(getattr(at[0], state["meter"]), average_of(state)) for at in (records[0], records[-1])
    )
    return None if first is None or last is None else (first, last)


def guessed_points(
    state: State, sampling: Sampling, records: Sequence[tuple[Saturation, ...]]
) -> list[tuple[int, float]]:
    """Place the guess: from where the curve begins to the end of what the meter can read, or level."""
    fate, measured = guess_of(state), ends(state, records)
    if fate is None or measured is None:
        return []
    lowest, highest = meter_range(state["meter"], sampling.n_keys)
    first, last = measured
    end = {"rises": highest or 2 * max(first, last), "stays": first, "falls": lowest}[fate]
    return [(records[0][0].d_k, first), (records[-1][0].d_k, end)]


def say_guess(state: State, records: Sequence[tuple[Saturation, ...]]) -> str:
    """Hold the guess against the measurement."""
    language, guess, measured = state.language, guess_of(state), ends(state, records)
    if guess is None:
        return ""
    if measured is None:
        return words.GUESS_NO_NUMBER.say(language)
    fate = fate_of(*measured)
    verdict = words.GUESS_RIGHT if fate == guess else words.GUESS_WRONG
    said = words.GUESSED.say(
        language,
        guess=words.FATES[guess].say(language),
        fate=words.FATES[fate].say(language),
        first=significant(measured[0]),
        last=significant(measured[1]),
        average=words.AVERAGES[average_of(state)].say(language),
        verdict=verdict.say(language),
    )
    return f"{said} {words.STAYS_MEANS.say(language)}" if "stays" in {fate, guess} else said
