"""What the link of the mask lesson holds."""

from collections.abc import Mapping

from attention_core.batch import MAX_SENTENCES
from attention_core.components import DTYPES
from attention_core.embedding import MAX_WIDTH
from attention_core.experiments.mask_buffer import KEEPINGS
from attention_core.tokens import MAX_CHARACTERS, MAX_TOKENS
from dashboard.link import STANDARD, Choice, Decimal, Field, Flag, Integer, Line
from dashboard.panels.masks.blind_mask import FIRST as FIRST_MASK
from dashboard.panels.masks.blind_mask import LONGEST_TEXT as LONGEST_MASK
from dashboard.panels.masks.gallery_fields import gallery_fields
from dashboard.text import Language
from dashboard.text import mask_compare as compare_words
from dashboard.text import mask_converter as converter_words
from dashboard.text import mask_ways as way_words
from dashboard.text import masks as words
from dashboard.text import qkv as qkv_words

LONGEST_BATCH = 800
LONGEST_GUESS = 400
MOST_ALIGNED = 12


def mask_fields(language: Language) -> Mapping[str, Field]:
    """List the fields in the order of the link; the first sentences depend on the language."""
    return {
        "view": Choice("compare", tuple(words.VIEWS)),
        "text": Line(qkv_words.SECOND_SENTENCE.say(language), MAX_CHARACTERS),
        "more": Line(words.MORE_SENTENCES_FIRST.say(language), LONGEST_BATCH),
        "seed": Integer(0, 0, 9999),
        "d_k": Integer(4, 1, MAX_WIDTH),
        "d_v": Integer(2, 1, MAX_WIDTH),
        "positions": Choice("sinusoidal", tuple(qkv_words.POSITION_NAMES)),
        "compare_role": Choice("encoder", tuple(compare_words.ROLES)),
        "compare_stage": Choice("allowed", tuple(compare_words.STAGES)),
        "compare_sentence": Integer(2, 1, MAX_SENTENCES),
        **{f"compare_{kind}": Flag(True) for kind in compare_words.KINDS},
        "compare_with": Choice(STANDARD, (STANDARD, *compare_words.KINDS)),
        "compare_target": Line(compare_words.TARGET_FIRST.say(language), MAX_CHARACTERS),
        "way": Choice("zero", tuple(way_words.WAYS)),
        "way_mask": Choice("causal", tuple(way_words.MASKS)),
        "way_dtype": Choice("float64", tuple(DTYPES)),
        "way_key": Integer(5, 1, MAX_TOKENS),
        "way_change": Choice("one", tuple(way_words.CHANGES)),
        "way_part": Choice("both", tuple(way_words.PARTS)),
        "way_test": Flag(False),
        "blind_mask": Line(FIRST_MASK, LONGEST_MASK),
        "blind_scores": Choice("zeros", ("zeros", "rising", "far")),
        "blind_dtype": Choice("float32", tuple(DTYPES)),
        "converter_mask": Line("100/110/111", 60),
        "converter_as": Choice("blocked", tuple(converter_words.CONVENTIONS)),
        "converter_to": Choice("sdpa", tuple(converter_words.CALLS)),
        "converter_guess": Line("0.0 0.0 1.0", LONGEST_GUESS),
        **gallery_fields(),
        "align_queries": Integer(2, 1, MOST_ALIGNED),
        "align_keys": Integer(5, 1, MOST_ALIGNED),
        "buffer_keeping": Choice("buffer", KEEPINGS),
        "buffer_dtype": Choice("float16", tuple(DTYPES)),
        "buffer_rate": Decimal(0.5, 0, 100),
        "buffer_n": Integer(4, 1, 8),
        "buffer_seed": Integer(0, 0, 9999),
    }


RESETTABLE = ("seed", "d_k", "d_v", "positions")
