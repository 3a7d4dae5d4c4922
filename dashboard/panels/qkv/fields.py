"""What the link of the QKV lesson holds."""

from collections.abc import Mapping

from attention_core.embedding import MAX_WIDTH
from attention_core.tokens import MAX_CHARACTERS, MAX_TOKENS
from dashboard.controls import device_field
from dashboard.link import Choice, Edits, Field, Flag, Integer, Line, Position
from dashboard.text import Language
from dashboard.text import qkv as words

STAGES = (
    "embedding",
    "position",
    "x",
    "q",
    "k",
    "v",
    "scores",
    "scaled",
    "masked",
    "weights",
    "out",
    "projected",
)
EDITABLE = {
    "own": ("x", "w_q", "w_k", "w_v", "w_o"),
    "e1": ("q", "k", "v"),
    "e2": ("x", "w_q", "w_k", "w_v"),
    "e3": ("scaled", "v"),
}
WIDEST = max(MAX_WIDTH, MAX_TOKENS)


def qkv_fields(language: Language) -> Mapping[str, Field]:
    """List the fields in the order of the link; the first sentences depend on the language."""
    return {
        "view": Choice("pipeline", tuple(words.VIEWS)),
        "source": Choice("own", tuple(words.SOURCES)),
        "text": Line(words.FIRST_SENTENCE.say(language), MAX_CHARACTERS),
        "text2": Line(words.SECOND_SENTENCE.say(language), MAX_CHARACTERS),
        "seed": Integer(0, 0, 9999),
        "d_model": Integer(6, 1, MAX_WIDTH),
        "d_k": Integer(4, 1, MAX_WIDTH),
        "d_v": Integer(4, 1, MAX_WIDTH),
        "positions": Choice("sinusoidal", tuple(words.POSITION_NAMES)),
        "causal": Flag(False),
        "stage": Choice("weights", (*STAGES, "w_q", "w_k", "w_v", "w_o")),
        "cell": Position((1, 0), WIDEST),
        "query": Integer(2, 1, MAX_TOKENS),
        "angle": Integer(5, 0, 180),
        "order": Integer(0, 0, 9999),
        "device": device_field(),
        **{f"edit_{source}": Edits(matrices, WIDEST) for source, matrices in EDITABLE.items()},
    }


RESETTABLE = ("seed", "d_model", "d_k", "d_v", "positions", "causal")
