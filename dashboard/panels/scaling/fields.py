"""What the link of the scaling lesson holds."""

from collections.abc import Mapping

from attention_core.components import DISTRIBUTIONS, DTYPES
from attention_core.experiments.clinic import CAUSES, CURES, PATIENTS
from attention_core.experiments.clinic import METERS as CLINIC_METERS
from attention_core.experiments.overflow import FORMS
from attention_core.experiments.scaling import DIVISORS, METERS
from dashboard.controls import device_field
from dashboard.link import STANDARD, Choice, Decimal, Field, Flag, Integer, Line
from dashboard.text import Language
from dashboard.text import scaling as words

WIDEST, MOST_KEYS, MOST_TRIALS, MOST_SEEDS = 4096, 512, 20_000, 20
POWERS = tuple(2**power for power in range(13))
REACHES = ("64", "256", "1024", "4096")
FATES = ("rises", "stays", "falls")
LONGEST_ROW = 800


def scaling_fields(language: Language) -> Mapping[str, Field]:
    """List the fields in the order of the link; they are the same in every language."""
    return {
        "view": Choice("variance", tuple(words.VIEWS)),
        "d_k": Integer(64, 1, WIDEST),
        "reach": Choice("1024", REACHES),
        "n": Integer(16, 2, MOST_KEYS),
        "distribution": Choice("normal", DISTRIBUTIONS),
        "mean_q": Decimal(0.0, -1000.0, 1000.0),
        "mean_k": Decimal(0.0, -1000.0, 1000.0),
        "std_q": Decimal(1.0, 0.0, 1000.0),
        "std_k": Decimal(1.0, 0.0, 1000.0),
        "correlation": Decimal(0.0, -1.0, 1.0),
        "trials": Integer(1000, 2, MOST_TRIALS),
        "seeds": Integer(5, 1, MOST_SEEDS),
        "seed": Integer(0, 0, 9999),
        "dtype": Choice("float64", tuple(DTYPES)),
        "device": device_field(),
        "divisor": Choice("sqrt_d_k", DIVISORS),
        "heads": Integer(8, 1, 64),
        "temperature": Decimal(4.0, 0.01, 1000.0),
        "meter": Choice("largest_weight", METERS),
        # The mean, but the median for a gradient, whose mean few trials make.
        "average": Choice(STANDARD, (STANDARD, "mean", "median")),
        # What the reader expects of the meter without a divisor; "shown" once it was looked up without a guess.
        "guess": Choice(
            "none", ("none", "shown", *(f"{meter}.{fate}" for meter in METERS for fate in FATES))
        ),
        "row": Line("32, 0, 0", LONGEST_ROW),
        "patient": Choice("uniform", tuple(PATIENTS)),
        # Both follow the patient.
        "cause": Choice(STANDARD, (STANDARD, *CAUSES)),
        "ill": Flag(True),
        **{f"cure_{name}": Flag(False) for name in CURES},
        "layers": Integer(6, 1, 8),
        "sign": Choice(STANDARD, (STANDARD, *CLINIC_METERS)),
        "scores": Line("151.29, 150.29", LONGEST_ROW),
        "run_dtype": Choice("float32", tuple(DTYPES)),
        "run_form": Choice("naive", FORMS),
        "size": Decimal(40.0, 0.0, 1e6),
    }


SAMPLING = (
    "d_k",
    "reach",
    "n",
    "distribution",
    "mean_q",
    "mean_k",
    "std_q",
    "std_k",
    "correlation",
    "trials",
)
RESETTABLE = (*SAMPLING, "seeds", "seed", "dtype", "heads", "temperature")
