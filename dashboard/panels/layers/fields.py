"""What the link of the layers lesson holds."""

from collections.abc import Mapping

from attention_core.experiments.rollout import SILENCES
from attention_core.layers import MAX_LAYERS, NORMS
from attention_core.tokens import MAX_CHARACTERS, MAX_TOKENS
from dashboard.link import Choice, Field, Flag, Integer, Line, Position
from dashboard.text import Language
from dashboard.text import layers as words
from dashboard.text import layers_far as far_words
from dashboard.text import layers_smoothing as smoothing_words
from dashboard.text import layers_twice as twice_words
from dashboard.text import qkv as qkv_words

MOST_WIDE, MOST_HEADS = 64, 8
# Of a word that takes another's place.
LONGEST_WORD = 40


def layer_fields(language: Language) -> Mapping[str, Field]:
    """List the fields in the order of the link; the first sentences depend on the language."""
    return {
        "view": Choice("stack", tuple(words.VIEWS)),
        "text": Line(words.FIRST_SENTENCE.say(language), MAX_CHARACTERS),
        "seed": Integer(0, 0, 9999),
        "n_layers": Integer(4, 1, MAX_LAYERS),
        "d_model": Integer(16, 1, MOST_WIDE),
        "h": Integer(2, 1, MOST_HEADS),
        "norm": Choice("pre", NORMS),
        "has_residual": Flag(True),
        "has_ffn": Flag(True),
        "positions": Choice("sinusoidal", tuple(qkv_words.POSITION_NAMES)),
        "is_causal": Flag(False),
        "stack_layer": Integer(4, 0, MAX_LAYERS),
        "stack_token": Integer(2, 1, MAX_TOKENS),
        "attention_layer": Integer(1, 1, MAX_LAYERS),
        "attention_head": Integer(1, 1, MOST_HEADS),
        "attention_stretch": Flag(False),
        "cell": Position((1, 0), MAX_TOKENS),
        "smoothing_meter": Choice("cosines", tuple(smoothing_words.METERS)),
        "rollout_query": Integer(2, 1, MAX_TOKENS),
        "rollout_word": Line("?", LONGEST_WORD),
        "rollout_silence": Choice("zero_values", SILENCES),
        "twice_text": Line(words.SECOND_SENTENCE.say(language), MAX_CHARACTERS),
        "twice_place": Integer(2, 1, MAX_TOKENS),
        "twice_meter": Choice("distances", tuple(twice_words.METERS)),
        "far_changed": Integer(1, 1, MAX_TOKENS),
        "far_word": Line(far_words.FIRST_WORD.say(language), LONGEST_WORD),
        "far_has_window": Flag(True),
        "far_width": Integer(2, 1, MAX_TOKENS),
        "far_token": Integer(4, 1, MAX_TOKENS),
    }


RESETTABLE = (
    "seed",
    "n_layers",
    "d_model",
    "h",
    "norm",
    "has_residual",
    "has_ffn",
    "positions",
    "is_causal",
)
