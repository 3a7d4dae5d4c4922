"""What the link of the mask lesson holds."""

from collections.abc import Mapping

from attention_core.components import DTYPES
from attention_core.embedding import MAX_WIDTH
from attention_core.experiments.mask_buffer import KEEPINGS
from attention_core.tokens import MAX_CHARACTERS
from dashboard.link import Choice, Decimal, Field, Integer, Line
from dashboard.panels.masks.blind_mask import FIRST as FIRST_MASK
from dashboard.panels.masks.blind_mask import LONGEST_TEXT as LONGEST_MASK
from dashboard.text import Language
from dashboard.text import masks as words
from dashboard.text import qkv as qkv_words

LONGEST_BATCH = 800


def mask_fields(language: Language) -> Mapping[str, Field]:
    """List the fields in the order of the link; the first sentences depend on the language."""
    return {
        "view": Choice("compare", tuple(words.VIEWS)),
        "text": Line(qkv_words.FIRST_SENTENCE.say(language), MAX_CHARACTERS),
        "more": Line(words.MORE_SENTENCES_FIRST.say(language), LONGEST_BATCH),
        "seed": Integer(0, 0, 9999),
        "d_k": Integer(4, 1, MAX_WIDTH),
        "d_v": Integer(2, 1, MAX_WIDTH),
        "positions": Choice("sinusoidal", tuple(qkv_words.POSITION_NAMES)),
        # compare
        # ways
        # blind
        "blind_mask": Line(FIRST_MASK, LONGEST_MASK),
        "blind_scores": Choice("zeros", ("zeros", "rising", "far")),
        "blind_dtype": Choice("float32", tuple(DTYPES)),
        # converter
        # gallery
        # alignment
        # buffer
        "buffer_keeping": Choice("buffer", KEEPINGS),
        "buffer_dtype": Choice("float16", tuple(DTYPES)),
        "buffer_rate": Decimal(0.5, 0, 100),
        "buffer_n": Integer(4, 1, 8),
        "buffer_seed": Integer(0, 0, 9999),
    }


RESETTABLE = ("seed", "d_k", "d_v", "positions")
