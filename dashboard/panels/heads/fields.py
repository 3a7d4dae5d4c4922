"""What the link of the heads lesson holds."""

from collections.abc import Mapping

from attention_core.drill import MAX_SEED, N_QUESTIONS
from attention_core.experiments.growth import STEPS
from attention_core.kv_sharing import MAX_LAYERS
from attention_core.sizes import DTYPE_NAMES, MAX_N, MAX_WIDTH
from attention_core.tokens import MAX_CHARACTERS, MAX_TOKENS
from dashboard.controls import device_field
from dashboard.link import Choice, Decimal, Field, Flag, Integer, Line, Position
from dashboard.text import Language
from dashboard.text import head_faults as fault_words
from dashboard.text import head_initial as initial_words
from dashboard.text import head_ledger as ledger_words
from dashboard.text import heads as words
from dashboard.text import qkv as qkv_words

MOST_WIDE = 64
MOST_HEADS = 16
# Of what a box of the ledger holds, legal or not.
LONGEST_SIZE = 40


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
        "cell": Position((1, 0), MAX_TOKENS),
        **shape_fields(),
        **seen_fields(),
        **fault_fields(),
        **number_fields(),
        "device": device_field(),
    }


def shape_fields() -> Mapping[str, Field]:
    """List those of the ledger and the drill."""
    return {
        "ledger_batch": Line("2", LONGEST_SIZE),
        "ledger_n": Line("5", LONGEST_SIZE),
        "ledger_d_model": Line("12", LONGEST_SIZE),
        "ledger_h": Line("3", LONGEST_SIZE),
        "ledger_h_kv": Line("", LONGEST_SIZE),
        "ledger_layers": Integer(1, 1, MAX_LAYERS),
        "ledger_bias": Flag(False),
        "ledger_dtype": Choice("float32", DTYPE_NAMES),
        "ledger_row": Choice("q_heads", tuple(ledger_words.STEPS)),
        "drill_seed": Integer(0, 0, MAX_SEED),
        "drill_place": Integer(1, 1, N_QUESTIONS),
    }


def seen_fields() -> Mapping[str, Field]:
    """List those of what heads look at and what W^O mixes."""
    return {
        "heads_over": Choice("each", ("each", "mean", "max")),
        "heads_head": Integer(1, 1, MOST_HEADS),
        "heads_stretch": Flag(False),
        "output_w_o": Choice("own", ("own", "zero", "identity")),
        "output_off": Integer(1, 0, MOST_HEADS),
    }


def fault_fields() -> Mapping[str, Field]:
    """List those of the faults and of one matrix against many."""
    return {
        "faults_way": Choice("split_by_view", tuple(fault_words.WAYS)),
        "faults_batch": Integer(2, 1, 4),
        "faults_n": Integer(5, 1, 8),
        "faults_d_model": Integer(6, 1, 24),
        "faults_h": Integer(3, 1, 8),
        "faults_seed": Integer(0, 0, 9999),
        "projections_d_model": Integer(12, 1, 32),
        "projections_h": Integer(3, 1, 16),
        "projections_n": Integer(5, 1, 16),
        "projections_dtype": Choice("float64", DTYPE_NAMES),
        "projections_seed": Integer(0, 0, 9999),
        "projections_head": Integer(1, 1, 16),
    }


def number_fields() -> Mapping[str, Field]:
    """List those of the initial weights, dropout, the growth and shared heads."""
    return {
        "initial_d_model": Integer(256, 64, 1024),
        "initial_start": Choice("rand", tuple(initial_words.STARTS)),
        "initial_meter": Choice("scaled_std", tuple(initial_words.METERS)),
        "initial_seed": Integer(0, 0, 9999),
        "initial_inputs": Integer(6, 1, 16),
        "initial_outputs": Integer(4, 1, 16),
        "dropout_p": Decimal(0.2, 0.0, 0.9),
        "dropout_mode": Choice("train", ("train", "eval")),
        "dropout_draw": Integer(1, 0, 9999),
        "dropout_head": Integer(1, 1, MOST_HEADS),
        "growth_step": Choice("causal", STEPS),
        "growth_head": Integer(1, 1, MOST_HEADS),
        "shared_d_model": Integer(4096, 1, MAX_WIDTH),
        "shared_h": Integer(32, 1, 128),
        "shared_h_kv": Integer(8, 1, 128),
        "shared_n": Integer(8192, 1, MAX_N),
        "shared_layers": Integer(32, 1, MAX_LAYERS),
        "shared_dtype": Choice("bfloat16", DTYPE_NAMES),
    }


RESETTABLE = ("seed", "d_model", "h", "positions", "is_causal")
