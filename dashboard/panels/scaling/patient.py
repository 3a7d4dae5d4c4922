"""From the clinic's values to a patient and its check-ups."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from attention_core.experiments.clinic import (
    CAUSES,
    CURES,
    PATIENTS,
    CheckUp,
    Setup,
    Symptom,
    causes_of,
    cure,
)
from dashboard.cached import checked_up
from dashboard.controls import State

STANDARD_SIGNS: dict[Symptom, str] = {
    "uniform": "entropy_share",
    "one_hot": "one_hot_rows",
    "gradient_gone": "q_gradient",
}
DEEPEST = 8


@dataclass(frozen=True)
class Patient:
    """A stack as admitted, with the cures given, and a healthy one of the same draws.

    Attributes:
        symptom: What the patient came for.
        cause: A name in CAUSES.
        is_ill: Whether the cause is there.
        cures: Names in CURES.
        device: Where it is examined.
    """

    symptom: Symptom
    cause: str
    is_ill: bool
    cures: tuple[str, ...]
    seed: int
    device: str
    admitted: CheckUp
    now: CheckUp
    healthy: CheckUp


def cause_of(state: State) -> str:
    """Name the cause: the reader's, where it belongs to the patient, else the patient's own."""
    return state["cause"] if state["cause"] in causes_of(state["patient"]) else PATIENTS[state["patient"]]


def cures_of(state: State) -> tuple[str, ...]:
    """Name the cures that are given."""
    return tuple(name for name in CURES if state[f"cure_{name}"])


def admitted_of(state: State) -> Setup:
    """Describe the stack as admitted; the healthy one where the cause is taken away."""
    setup = CAUSES[cause_of(state)].setup if state["ill"] else Setup()
    return replace(setup, n_layers=state["layers"])


def patient_of(state: State) -> Patient:
    """Examine the patient that the values describe."""
    cures, admitted = cures_of(state), admitted_of(state)
    draws = state["seed"], state["device"]
    return Patient(
        symptom=state["patient"],
        cause=cause_of(state),
        is_ill=state["ill"],
        cures=cures,
        seed=state["seed"],
        device=state["device"],
        admitted=checked_up(admitted, *draws),
        now=checked_up(cure(admitted, cures), *draws),
        healthy=checked_up(Setup(n_layers=state["layers"]), *draws),
    )


def layers_needed(patient: Patient) -> int | None:
    """Say from how many layers on the symptom shows; None where it does, where nobody is ill, or where none are enough."""
    if not patient.is_ill or patient.symptom in patient.admitted.symptoms:
        return None
    for n_layers in range(patient.admitted.setup.n_layers + 1, DEEPEST + 1):
        deeper = _examine(patient, replace(patient.admitted.setup, n_layers=n_layers))
        if patient.symptom in deeper.symptoms:
            return n_layers
    return None


def alone(patient: Patient, *cures: str) -> CheckUp:
    """Examine the patient as admitted with these cures alone."""
    return _examine(patient, cure(patient.admitted.setup, cures))


def without_layer_norm(patient: Patient) -> CheckUp:
    """Examine the patient as admitted, its layer norm taken away."""
    return _examine(patient, replace(patient.admitted.setup, has_layer_norm=False))


def _examine(patient: Patient, setup: Setup) -> CheckUp:
    return checked_up(setup, patient.seed, patient.device)


def change_something(patient: Patient, cures: Sequence[str]) -> tuple[str, ...]:
    """Name the cures that find something to change in the stack as admitted."""
    setup = patient.admitted.setup
    return tuple(name for name in cures if cure(setup, [name]) != setup)
