"""What the link of the heads lesson holds."""

from collections.abc import Mapping

from attention_core.tokens import MAX_CHARACTERS
from dashboard.link import Choice, Decimal, Field, Flag, Integer, Line
from dashboard.text import Language
from dashboard.text import head_initial as initial_words
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
        "initial_d_model": Integer(256, 64, 1024),
        "initial_start": Choice("rand", tuple(initial_words.STARTS)),
        "initial_meter": Choice("scaled_std", tuple(initial_words.METERS)),
        "initial_seed": Integer(0, 0, 9999),
        "initial_inputs": Integer(6, 1, 16),
        "initial_outputs": Integer(4, 1, 16),
        # dropout
        "dropout_p": Decimal(0.5, 0.0, 0.9),
        "dropout_mode": Choice("train", ("train", "eval")),
        "dropout_draw": Integer(1, 0, 9999),
        "dropout_head": Integer(1, 1, MOST_HEADS),
        # growth
        # shared
    }


RESETTABLE = ("seed", "d_model", "h", "positions", "is_causal")
