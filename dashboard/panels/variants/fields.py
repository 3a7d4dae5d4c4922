"""What the link of the lesson on other attentions holds."""

from collections.abc import Mapping

from attention_core.tokens import MAX_CHARACTERS, MAX_TOKENS
from dashboard.link import Choice, Field, Flag, Integer, Line, Position
from dashboard.text import Language
from dashboard.text import qkv as qkv_words
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
    }


def compare_fields() -> Mapping[str, Field]:
    """List those of the view that puts attentions side by side."""
    return {"head": Integer(1, 1, MOST_HEADS)}


RESETTABLE = ("seed", "d_model", "h", "positions", "is_causal")
