"""The clinic: a patient with a symptom, its cause, cures, and the meters of every layer before and after (S5)."""

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from attention_core.experiments.clinic import (
    CAUSES,
    CURES,
    METERS,
    PATIENTS,
    THRESHOLDS,
    CheckUp,
    causes_of,
    check_up,
    cure,
    draw_stack,
    run_stack,
    signs_of,
)
from dashboard import controls
from dashboard.charts.layers import layer_frame, layer_lines
from dashboard.controls import State
from dashboard.frame import source, table
from dashboard.grid.bench import Area, Part, show_bench
from dashboard.link import STANDARD
from dashboard.number_format import significant
from dashboard.number_table import show_table, table_part
from dashboard.panels.scaling.clinic_readings import (
    begins,
    of_layer,
    question_parts,
    reading_parts,
    said_symptoms,
)
from dashboard.panels.scaling.patient import (
    STANDARD_SIGNS,
    Patient,
    alone,
    cause_of,
    layers_needed,
    patient_of,
)
from dashboard.text import Language
from dashboard.text import clinic as words

# Below this share of the whole a difference is what float64 rounds away.
ROUNDING = 1e-14
# Meters between 0 and 1 that are read on an even axis.
SHARES = frozenset({"largest_weight", "entropy_share", "one_hot_rows", "jacobian_norm"})


@controls.fragment
def clinic(state: State) -> None:
    """Show the patient's controls, the chosen meter, what the check-up says, and the numbers of all layers."""
    language = state.language
    choose_patient(state)
    left, right = st.columns((11, 13), gap="medium")
    with left:
        treat(state)
    patient = patient_of(state)
    with left:
        offer_depth(state, patient)
    with right:
        signs = words.SIGN, words.SIGN_HELP, words.METERS
        meter = controls.choose(
            state, "sign", *signs, in_sidebar=True, standard=STANDARD_SIGNS[patient.symptom]
        )
        show_meter(language, patient, meter)
    notes = [words.NO_PLACE_FOR_ZERO] * is_zero(patient, meter) + [words.NOISE] * is_noise(patient, meter)
    parts = reading_parts(language, patient, meter, [note.say(language) for note in notes])
    show_bench("bench.clinic", parts | table_parts(language, patient) | question_parts(language, patient))
    show_each_cure(language, patient)
    table(lambda: all_meters(language, patient), "clinic", language, words.ALL_METERS)
    source([check_up, draw_stack, run_stack, signs_of, cure], language)


def choose_patient(state: State) -> None:
    """Offer the patients, and the causes that show this one's symptom."""
    with st.container(horizontal=True):
        # In a container buttons that do not fit in a row take two; beside other controls they are cut off.
        with st.container(width=520):
            symptom = controls.choose(state, "patient", words.PATIENT, words.PATIENT_HELP, words.SYMPTOMS)
        offered = {name: words.CAUSES[name] for name in causes_of(symptom)}
        own = PATIENTS[symptom]
        if state["cause"] not in {*offered, STANDARD}:
            given, used = (words.CAUSES[name].say(state.language) for name in (state["cause"], own))
            st.caption(words.NOT_THIS_PATIENTS.say(state.language, given=given, used=used))
        causes = words.CAUSE, words.CAUSE_HELP, offered
        controls.choose(state, "cause", *causes, in_sidebar=True, width=260, standard=own)


def treat(state: State) -> None:
    """Offer to take the cause away, the cures, the depth and the draws."""
    language = state.language
    controls.toggle(state, "ill", words.ILL, words.ILL_HELP)
    with st.container(horizontal=True):
        for name in CURES:
            controls.toggle(state, f"cure_{name}", words.CURES[name], words.CURE_HELPS[name])
    right_ones = CAUSES[cause_of(state)].cures
    with st.container(horizontal=True):
        if state["ill"]:
            names = words.AND.say(language).join(words.CURES[name].say(language) for name in right_ones)
            controls.button(words.GIVE.say(language, cures=names), "clinic.give", give, state, right_ones)
        controls.button(words.TAKE_AWAY.say(language), "clinic.take", take_away, state)
    with st.container(horizontal=True):
        controls.slider(state, "layers", words.LAYERS, words.LAYERS_HELP, width=240)
        controls.whole_number(state, "seed", words.SEED, words.SEED_HELP, width=130)


def give(state: State, cures: Sequence[str]) -> None:
    """Give cures beside those given already."""
    for name in cures:
        state.put(f"cure_{name}", True)


def take_away(state: State) -> None:
    """Take all cures away."""
    for name in CURES:
        state.put(f"cure_{name}", False)


def offer_depth(state: State, patient: Patient) -> None:
    """Where the symptom needs more layers, offer as many."""
    needed = layers_needed(patient)
    if needed is not None:
        label = words.TAKE_LAYERS.say(state.language, layers=needed)
        controls.button(label, "clinic.layers", state.put, "layers", needed)


def states_of(language: Language, patient: Patient) -> dict[str, CheckUp]:
    """Name the three stacks that are compared."""
    records = (patient.admitted, patient.now, patient.healthy)
    return {text.say(language): record for text, record in zip(words.KINDS.values(), records, strict=True)}


def values_of(record: CheckUp, meter: str) -> list[float]:
    """Read one meter layer by layer."""
    return [getattr(layer, meter) for layer in record.layers]


def is_zero(patient: Patient, meter: str) -> bool:
    """Tell whether a number has no place on a logarithmic axis."""
    records = (patient.admitted, patient.now, patient.healthy)
    return meter not in SHARES and any(0 in values_of(record, meter) for record in records)


def is_noise(patient: Patient, meter: str) -> bool:
    """Tell whether a number is so small that it says little but that it is small."""
    records = (patient.admitted, patient.now, patient.healthy)
    return meter not in SHARES and any(
        0 < value < ROUNDING for one in records for value in values_of(one, meter)
    )


def show_meter(language: Language, patient: Patient, meter: str) -> None:
    """Draw one meter against the layer."""
    lines = {kind: values_of(record, meter) for kind, record in states_of(language, patient).items()}
    is_share, title = meter in SHARES, words.METERS[meter].say(language)
    threshold = THRESHOLDS[meter][1] if meter in THRESHOLDS else None
    ends = {
        f"{kind}_{end}": significant(values[place])
        for kind, values in zip(words.KINDS, lines.values(), strict=True)
        for end, place in (("first", 0), ("last", -1))
    }
    st.vega_lite_chart(
        layer_frame(list(lines.items()), threshold, is_share=is_share),
        layer_lines(
            words.LAYER_TITLE.say(language), title, tuple(lines), begins(language, meter), is_share=is_share
        ),
        key="chart.clinic",
        alt=words.CHART_ALT.say(language, meter=title, last=len(patient.now.layers), **ends),
    )


def table_parts(language: Language, patient: Patient) -> dict[str, tuple[Area, Part]]:
    """Describe the worst layer for each symptom, and all meters of all layers, now and as admitted."""
    parts: dict[str, tuple[Area, Part]] = {"signs": ("below", signs_part(language, patient))}
    for name, title, record in (
        ("now", words.NOW_TITLE, patient.now),
        ("admitted", words.ADMITTED_TITLE, patient.admitted),
    ):
        parts[name] = (
            "below",
            table_part(
                [[getattr(layer, meter) for meter in METERS] for layer in record.layers],
                title.say(language),
                language,
                rows=len(record.layers),
                columns=[words.METERS[meter].say(language) for meter in METERS],
                row="layer",
                verdicts=[of_layer(language, layer.symptoms) for layer in record.layers],
                verdict=words.LAYER_VERDICT.say(language),
            ),
        )
    return parts


def signs_part(language: Language, patient: Patient) -> Part:
    """Describe the worst value of each meter that shows a symptom, beside its threshold."""
    signs = [list(signs_of(record.layers)) for record in (patient.admitted, patient.now, patient.healthy)]
    rows = list(zip(*signs, strict=True))
    verdicts = [
        words.SIGN_VERDICTS[before.is_there, now.is_there].say(
            language, symptom=words.SYMPTOMS[now.symptom].say(language)
        )
        for before, now, _ in rows
    ]
    return table_part(
        [[*(sign.value for sign in row), row[0].threshold] for row in rows],
        words.SIGNS_TITLE.say(language),
        language,
        rows=[words.SIGN_ROWS[meter].say(language) for meter in THRESHOLDS],
        columns=[text.say(language) for text in (*words.KINDS.values(), words.THRESHOLD)],
        verdicts=verdicts,
        verdict=words.SIGN_VERDICT.say(language),
    )


def show_each_cure(language: Language, patient: Patient) -> None:
    """Offer what every cure does alone."""
    with controls.disclosure(words.EACH_CURE.say(language), "open.clinic.cures") as is_open:
        if is_open:
            records = [alone(patient, name) for name in CURES]
            show_table(
                [[sign.value for sign in signs_of(record.layers)] for record in records],
                words.EACH_CURE_TITLE.say(language),
                language,
                key="grid.cures",
                rows=[words.CURES[name].say(language) for name in CURES],
                columns=[words.SIGN_ROWS[meter].say(language) for meter in THRESHOLDS],
                verdicts=[said_symptoms(language, record.symptoms) for record in records],
                verdict=words.SIGN_VERDICT.say(language),
            )


def all_meters(language: Language, patient: Patient) -> pd.DataFrame:
    """List every meter of every layer of the three stacks."""
    rows = [
        (kind, number, *(getattr(layer, meter) for meter in METERS))
        for kind, record in states_of(language, patient).items()
        for number, layer in enumerate(record.layers, 1)
    ]
    meters = [words.METERS[meter].say(language) for meter in METERS]
    return pd.DataFrame(rows, columns=[words.STATE.say(language), words.LAYER_NAME.say(language), *meters])
