"""What the link of the heads lesson holds."""

from collections.abc import Mapping

from attention_core.components import DTYPES
from attention_core.experiments.growth import STEPS
from attention_core.kv_sharing import MAX_LAYERS
from attention_core.sizes import MAX_N, MAX_WIDTH
from attention_core.tokens import MAX_CHARACTERS
from dashboard.link import Choice, Field, Flag, Integer, Line
from dashboard.text import Language
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
        # projections
        # initial
        # dropout
        # growth
        "growth_step": Choice("causal", STEPS),
        "growth_head": Integer(1, 1, MOST_HEADS),
        # shared
        "shared_d_model": Integer(4096, 1, MAX_WIDTH),
        "shared_h": Integer(32, 1, 128),
        "shared_h_kv": Integer(8, 1, 128),
        "shared_n": Integer(8192, 1, MAX_N),
        "shared_layers": Integer(32, 1, MAX_LAYERS),
        "shared_dtype": Choice("bfloat16", tuple(DTYPES)),
    }


RESETTABLE = ("seed", "d_model", "h", "positions", "is_causal")
