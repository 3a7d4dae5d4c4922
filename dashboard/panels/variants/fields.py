"""What the link of the lesson on other attentions holds."""

from collections.abc import Mapping

from attention_core.experiments.bottleneck import MIN_KEEP, MIN_WIDTH, ORDERS
from attention_core.tokens import MAX_CHARACTERS, MAX_TOKENS
from dashboard.link import Choice, Decimal, Field, Flag, Integer, Line, Position
from dashboard.text import Language
from dashboard.text import qkv as qkv_words
from dashboard.text import variant_encoder as encoder_words
from dashboard.text import variants as words

MOST_WIDE = 64
MOST_HEADS = 16


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
        **encoder_fields(language),
    }


def compare_fields() -> Mapping[str, Field]:
    """List those of the view that puts attentions side by side."""
    return {"head": Integer(1, 1, MOST_HEADS)}


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


RESETTABLE = ("seed", "d_model", "h", "positions", "is_causal")
