"""What a check-up says, in sentences with its numbers."""

from collections.abc import Sequence

from attention_core.experiments.clinic import (
    INIT_FACTORS,
    ONE_HOT_WEIGHT,
    THRESHOLDS,
    CheckUp,
    Sign,
    Symptom,
    signs_of,
)
from dashboard.controls import DEVICES
from dashboard.frame import asked_parts
from dashboard.grid.bench import Area, Part
from dashboard.grid.lines import Line, lines_part, prose
from dashboard.number_format import significant
from dashboard.panels.scaling.patient import (
    STANDARD_SIGNS,
    Patient,
    alone,
    change_something,
    layers_needed,
    without_layer_norm,
)
from dashboard.text import Language
from dashboard.text import clinic as words


def said_symptoms(language: Language, symptoms: Sequence[Symptom]) -> str:
    """List symptoms, or say that there are none."""
    names = [words.SYMPTOMS[symptom].say(language) for symptom in symptoms]
    return words.AND.say(language).join(names) or words.NO_SYMPTOM.say(language)


def of_layer(language: Language, symptoms: Sequence[Symptom]) -> str:
    """List the symptoms of one layer in a word each."""
    names = [words.SHORT_SYMPTOMS[symptom].say(language) for symptom in symptoms]
    return words.AND.say(language).join(names) or words.LAYER_WELL.say(language)


def said_cures(language: Language, cures: Sequence[str]) -> str:
    """List cures."""
    names = [words.CURES[name].say(language) for name in cures]
    return words.AND.say(language).join(names)


def limit(threshold: float) -> str:
    """Write a threshold as people say it.

    Example:
        >>> limit(0.99), limit(1 / 3), limit(1e-3)
        ('0.99', '0.33', '0.001')
    """
    return significant(threshold, 2).rstrip("0")


def begins(language: Language, meter: str) -> str:
    """Say from where on a meter shows a symptom; nothing of one that shows none."""
    if meter not in THRESHOLDS:
        return ""
    symptom, threshold = THRESHOLDS[meter]
    name = words.SYMPTOMS[symptom].say(language)
    return words.BEGINS[symptom].say(language, threshold=limit(threshold), symptom=name)


def sign_of(record: CheckUp, symptom: Symptom) -> Sign:
    """Pick the sign by which a symptom is best seen."""
    return next(sign for sign in signs_of(record.layers) if sign.meter == STANDARD_SIGNS[symptom])


def note(language: Language, patient: Patient) -> str:
    """Say where the numbers come from."""
    setup = patient.now.setup
    sizes = {"n": setup.n, "d_model": setup.d_model, "heads": setup.n_heads, "layers": setup.n_layers}
    return words.NOTE.say(language, seed=patient.seed, device=DEVICES[patient.device], **sizes)


def verdict(language: Language, patient: Patient) -> str:
    """Say which symptoms there were and are."""
    before, now = (said_symptoms(language, one.symptoms) for one in (patient.admitted, patient.now))
    if patient.cures and patient.is_ill:
        return words.VERDICT.say(language, before=before, now=now)
    text = words.ONLY_VERDICT if patient.is_ill else words.WELL_VERDICT
    return text.say(language, before=before)


def reading_parts(
    language: Language, patient: Patient, meter: str, notes: Sequence[str]
) -> dict[str, tuple[Area, Part]]:
    """Say what the meter means, how bad the symptom is, what the cures did, and why.

    Each is a part of its own: long lines scroll in their frame, and on a phone all together would.
    """
    prosaic: dict[str, list[str]] = {
        "meter": [meaning(language, patient, meter), *notes],
        "said": [how_bad(language, patient), *missing(language, patient)],
        "treated": [*treated(language, patient), *tokens(language, patient)],
        "look": [first_look(language, patient)],
        "why": [why(language, patient)],
    }
    first = {
        "meter": Line(prose(note(language, patient)), "note"),
        "said": Line(prose(verdict(language, patient)), "heading"),
    }
    parts: dict[str, tuple[Area, Part]] = {}
    for name, said in prosaic.items():
        lines = [*([first[name]] if name in first else []), *(Line(prose(text), "prose") for text in said)]
        if lines:
            parts[name] = ("top", lines_part(words.FINDINGS.say(language), lines))
    return parts


def meaning(language: Language, patient: Patient, meter: str) -> str:
    """Say what a meter measures."""
    said = words.METER_MEANINGS[meter].say(
        language,
        n=patient.now.setup.n,
        uniform=significant(patient.now.uniform_weight),
        peak=significant(ONE_HOT_WEIGHT, 1),
    )
    return words.METER_SAID.say(language, meter=words.METERS[meter].say(language), meaning=said)


def how_bad(language: Language, patient: Patient) -> str:
    """Say how bad the patient's symptom was and is, and where it begins."""
    before, now, healthy = (
        sign_of(record, patient.symptom) for record in (patient.admitted, patient.now, patient.healthy)
    )
    text = words.SIGN_SAID_ONCE if patient.now == patient.admitted else words.SIGN_SAID
    return text.say(
        language,
        meter=words.METERS[now.meter].say(language),
        before=significant(before.value),
        before_layer=before.layer,
        now=significant(now.value),
        now_layer=now.layer,
        healthy=significant(healthy.value),
        begins=words.BEGINS_SAID[now.symptom].say(language, threshold=limit(now.threshold)),
    )


def missing(language: Language, patient: Patient) -> list[str]:
    """Say where the symptom does not show, and what it would need."""
    if not patient.is_ill or patient.symptom in patient.admitted.symptoms:
        return []
    sign, needed = sign_of(patient.admitted, patient.symptom), layers_needed(patient)
    said = {
        "symptom": words.SYMPTOMS[patient.symptom].say(language),
        "meter": words.METERS[sign.meter].say(language),
        "value": significant(sign.value),
        "threshold": limit(sign.threshold),
    }
    if needed is None:
        return [words.NEVER_SHOWS.say(language, **said)]
    layers = len(patient.admitted.layers)
    return [words.NEEDS_DEPTH.say(language, layers=layers, needed=needed, **said)]


def treated(language: Language, patient: Patient) -> list[str]:
    """Say which cures found something to change, and whether they helped."""
    if not patient.cures:
        return []
    useful = change_something(patient, patient.cures)
    idle = [name for name in patient.cures if name not in useful]
    said = [words.USEFUL.say(language, useful=said_cures(language, useful))] if useful else []
    said += [words.IDLE.say(language, idle=said_cures(language, idle))] if idle else []
    if patient.now.symptoms:
        before, now = patient.admitted.symptoms, patient.now.symptoms
        kept, new = ([one for one in now if (one in before) == is_kept] for is_kept in (True, False))
        if kept:
            text = words.HELPED_LITTLE if useful else words.NOT_HELPED
            names = {"symptom": said_symptoms(language, kept), "before": said_symptoms(language, before)}
            said.append(text.say(language, **{name: names[name] for name in text.fields(language)}))
        if new:
            said.append(words.NEW_SYMPTOM.say(language, symptom=said_symptoms(language, new)))
    elif patient.admitted.symptoms:
        said.append(words.RECOVERED.say(language))
    return said


def first_look(language: Language, patient: Patient) -> str:
    """Say what the divisor and the vectors' norms are: what a doctor looks at first."""
    said = {}
    for prefix, record in (("", patient.now), ("healthy_", patient.healthy)):
        first = record.layers[0]
        said |= {
            f"{prefix}divisor": f"{record.divisor:g}",
            f"{prefix}q": significant(first.q_norm),
            f"{prefix}k": significant(first.k_norm),
            f"{prefix}longest": significant(first.largest_k_norm),
            f"{prefix}scaled": significant(first.scaled_std),
        }
    return words.FIRST_LOOK.say(language, **said)


def tokens(language: Language, patient: Patient) -> list[str]:
    """Say how alike the tokens become in a stack without residual."""
    if not patient.is_ill or patient.cause != "depth_without_residual":
        return []
    before, now = patient.admitted.layers, patient.now.layers
    said = words.SPREAD.say(
        language,
        first=significant(before[0].token_spread),
        end=significant(before[-1].token_spread),
        last=len(before),
        now=significant(now[-1].token_spread),
    )
    return [said, *([words.ONE_TOKEN.say(language)] if "gradient_gone" in patient.now.symptoms else [])]


def why(language: Language, patient: Patient) -> str:
    """Say how the cause leads to the symptom, with the numbers as admitted."""
    setup, layers = patient.admitted.setup, patient.admitted.layers
    text = words.WHY[patient.cause] if patient.is_ill else words.WHY_WELL
    return text.say(
        language,
        init=f"{INIT_FACTORS[setup.init]:g}",
        embedding=f"{setup.embedding_std:g}",
        keys=f"{setup.key_factor:g}",
        standout=f"{setup.standout:g}",
        temperature=f"{setup.temperature:g}",
        d_k=setup.d_model // setup.n_heads,
        q=significant(layers[0].q_norm),
        k=significant(layers[0].k_norm),
        longest=significant(layers[0].largest_k_norm),
        scaled=significant(layers[0].scaled_std),
        last=len(layers),
        last_scaled=significant(layers[-1].scaled_std),
    )


def question_parts(language: Language, patient: Patient) -> dict[str, tuple[Area, Part]]:
    """Ask whether a layer norm alone is enough; the answer is a check-up."""
    cause = words.CAUSES[patient.cause].say(language) if patient.is_ill else words.WELL.say(language)
    question = words.QUESTION.say(language, cause=cause, layers=len(patient.admitted.layers))
    return asked_parts(question, answer(language, patient), language)


def answer(language: Language, patient: Patient) -> str:
    """Check the patient up with a layer norm alone; one that has it already, without."""
    before = patient.admitted
    if before.setup.has_layer_norm:
        without = said_symptoms(language, without_layer_norm(patient).symptoms)
        if not before.symptoms:
            return words.ANSWER_NOT_ILL.say(language, without=without)
        symptoms = said_symptoms(language, before.symptoms)
        return words.ANSWER_HAS_ONE.say(language, symptoms=symptoms, without=without)
    record = alone(patient, "layer_norm")
    worst = {sign.meter: significant(sign.value) for sign in signs_of(record.layers)}
    text = words.ANSWER_FAILS if record.symptoms else words.ANSWER_CURES
    said = text.say(
        language,
        symptoms=said_symptoms(language, record.symptoms),
        entropy=worst["entropy_share"],
        one_hot=worst["one_hot_rows"],
        gradient=worst["q_gradient"],
    )
    if not record.symptoms or patient.cause != "small_embeddings" or len(record.layers) < 2:
        return said
    first, second, last = record.layers[0], record.layers[1], record.layers[-1]
    return words.ANSWER_BESIDE_RESIDUAL.say(
        language,
        said=said,
        first_entropy=significant(first.entropy_share),
        first_rms=significant(first.x_rms),
        second_rms=significant(second.x_rms),
        first_spread=significant(first.token_spread),
        last=len(record.layers),
        last_spread=significant(last.token_spread),
    )
