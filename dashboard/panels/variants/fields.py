"""What the link of the lesson on other attentions holds."""

from collections.abc import Mapping
from typing import get_args

from attention_core.experiments.approximation import ERROR_LINES, MAX_LENGTH
from attention_core.experiments.bottleneck import MIN_KEEP, MIN_WIDTH, ORDERS
from attention_core.tokens import MAX_CHARACTERS, MAX_TOKENS
from attention_core.variant_runs import NAMES, Choices, Mixture, Slopes
from attention_core.variants.linear import FEATURES
from attention_core.variants.rotary import PAIRINGS
from dashboard.link import Choice, Decimal, Field, Flag, Integer, Line, Position, Some
from dashboard.text import Language
from dashboard.text import qkv as qkv_words
from dashboard.text import variant_encoder as encoder_words
from dashboard.text import variant_timeline as timeline_words
from dashboard.text import variants as words

MOST_WIDE = 64
MOST_HEADS = 16
# Additive attention keeps so many numbers for each pair of each head.
MOST_HIDDEN = 16
# The third attention may be left away.
NONE = "none"
# Of a measurement: its lengths, and the width, block, stride and rank there.
TIMED_LENGTHS = ("128", "256", "512", "1024", "2048", "4096")
MOST_TIMED_SIZE = 1024
# In which picture the picked cell stands: a column is a key there, or a number of an output.
CELLS_IN = ("weights", "out")


def variant_fields(language: Language) -> Mapping[str, Field]:
    """List the fields in the order of the link; the first sentence depends on the language."""
    return {
        "view": Choice("compare", tuple(words.VIEWS)),
        "text": Line(qkv_words.SECOND_SENTENCE.say(language), MAX_CHARACTERS),
        "seed": Integer(0, 0, 9999),
        "d_model": Integer(12, 1, MOST_WIDE),
        "h": Integer(3, 1, MOST_HEADS),
        "positions": Choice("sinusoidal", tuple(qkv_words.POSITION_NAMES)),
        "is_causal": Flag(False),
        "cell": Position((1, 0), MAX_TOKENS),
        **compare_fields(),
        **error_fields(),
        **encoder_fields(language),
        "paper": Choice("bahdanau", tuple(timeline_words.YEARS)),
    }


def compare_fields() -> Mapping[str, Field]:
    """List those of the view that puts attentions side by side."""
    first = Choices()
    return {
        "a": Choice("full", NAMES),
        "b": Choice("window", NAMES),
        "c": Choice("linear", (NONE, *NAMES)),
        "head": Integer(1, 1, MOST_HEADS),
        "cell_in": Choice("weights", CELLS_IN),
        "width": Integer(first.width, 1, MAX_TOKENS),
        "dilation": Integer(first.dilation, 1, MAX_TOKENS),
        "block": Integer(first.block, 1, MAX_TOKENS),
        "stride": Integer(first.stride, 1, MAX_TOKENS),
        "n_global": Integer(first.n_global, 0, MAX_TOKENS),
        "feature": Choice(first.feature, FEATURES),
        "rank": Integer(first.rank, 1, MAX_TOKENS),
        "mixture": Choice(first.mixture, get_args(Mixture)),
        "h_kv": Integer(first.n_kv_heads, 1, MOST_HEADS),
        "sink": Decimal(first.sink, -20, 20),
        "temperature": Decimal(first.temperature, 0.01, 10),
        "slopes": Choice(first.slopes, get_args(Slopes)),
        "pairing": Choice(first.pairing, PAIRINGS),
        "base": Decimal(first.base, 2, 1e6),
        "d_a": Integer(first.d_a, 1, MOST_HIDDEN),
        "d_q": Integer(MOST_WIDE, 1, MOST_WIDE),
        "time_n": Choice("1024", TIMED_LENGTHS),
        "time_size": Integer(64, 1, MOST_TIMED_SIZE),
    }


def error_fields() -> Mapping[str, Field]:
    """List those of the view that measures errors."""
    first = ("window", "block", "low_rank_pooled", "linear_elu")
    return {
        "error_lines": Some(first, ERROR_LINES),
        "error_axis": Choice("size", ("size", "n")),
        "error_n": Integer(256, 1, MAX_LENGTH),
        "error_size": Integer(16, 1, MAX_LENGTH),
        "sharpness": Decimal(2, 0.25, 16),
        "nearness": Decimal(0.9, 0, 0.99),
    }


def encoder_fields(language: Language) -> Mapping[str, Field]:
    """List those of the decoder that reads an encoder; its sentence is its own, with the verb last."""
    return {
        "encoder_text": Line(encoder_words.FIRST_SENTENCE.say(language), MAX_CHARACTERS),
        "encoder_order": Choice(ORDERS[0], ORDERS),
        "encoder_d_model": Integer(8, MIN_WIDTH, MOST_WIDE),
        "encoder_sharpness": Integer(32, 0, 64),
        "encoder_keep": Decimal(1.0, MIN_KEEP, 1.0),
        "encoder_step": Integer(MAX_TOKENS, 1, MAX_TOKENS),
        "encoder_seed": Integer(0, 0, 9999),
    }


RESETTABLE = ("seed", "d_model", "h", "positions", "is_causal", *compare_fields(), *error_fields())
