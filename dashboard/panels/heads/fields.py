"""What the link of the heads lesson holds."""

from collections.abc import Mapping

from attention_core.components import DTYPES
from attention_core.tokens import MAX_CHARACTERS
from dashboard.link import Choice, Field, Flag, Integer, Line
from dashboard.text import Language
from dashboard.text import head_faults as fault_words
from dashboard.text import head_projections as projection_words
from dashboard.text import heads as words
from dashboard.text import qkv as qkv_words

MOST_WIDE = 64
MOST_HEADS = 16


def head_fields(language: Language) -> Mapping[str, Field]:
    """List the fields in the order of the link; the first sentence depends on the language."""
    return {
        "view": Choice("ledger", tuple(words.VIEWS)),
        "text": Line(qkv_words.SECOND_SENTENCE.say(language), MAX_CHARACTERS),
        "seed": Integer(0, 0, 9999),
        "d_model": Integer(12, 1, MOST_WIDE),
        "h": Integer(3, 1, MOST_HEADS),
        "positions": Choice("sinusoidal", tuple(qkv_words.POSITION_NAMES)),
        "is_causal": Flag(False),
        # ledger
        # drill
        # heads
        # output
        # faults
        "faults_way": Choice("split_by_view", tuple(fault_words.WAYS)),
        "faults_batch": Integer(2, 1, 4),
        "faults_n": Integer(5, 1, 8),
        "faults_d_model": Integer(6, 1, 24),
        "faults_h": Integer(3, 1, 8),
        "faults_seed": Integer(0, 0, 9999),
        # projections
        "projections_d_model": Integer(12, 1, 32),
        "projections_h": Integer(3, 1, 16),
        "projections_n": Integer(5, 1, 16),
        "projections_dtype": Choice("float64", tuple(DTYPES)),
        "projections_seed": Integer(0, 0, 9999),
        "projections_form": Choice("matmul", tuple(projection_words.FORMS)),
        "projections_head": Integer(1, 1, 16),
        # initial
        # dropout
        # growth
        # shared
    }


RESETTABLE = ("seed", "d_model", "h", "positions", "is_causal")
