"""What the link of the complexity lesson holds."""

from collections.abc import Mapping

from attention_core.cost import AXES, VARIANTS
from attention_core.cost_lines import MEASURES, MOST_LAYERS
from attention_core.decode_cost import CACHE_KINDS
from attention_core.experiments.timed_kernels import KERNELS, Plan
from attention_core.sizes import DTYPE_NAMES, MAX_N, MAX_WIDTH
from dashboard.controls import device_field
from dashboard.link import Choice, Decimal, Field, Flag, Integer, Line, Some
from dashboard.text import Language
from dashboard.text import complexity as words
from dashboard.text import complexity_measure as measure_words
from dashboard.text import frame as frame_words

# Of what a box of a size holds, legal or not.
LONGEST_SIZE = 40
LEAST_MACHINE, MOST_MACHINE = 0.001, 1e5
LENGTHS = tuple(str(2**power) for power in range(6, 14))


def complexity_fields(_language: Language) -> Mapping[str, Field]:
    """List the fields in the order of the link."""
    return {
        "view": Choice("growth", tuple(words.VIEWS)),
        "measure": Choice("flops", MEASURES),
        "axis": Choice("n", AXES),
        "lines": Some(("full", "causal_useful", "window"), tuple(VARIANTS)),
        "variant": Choice("full", tuple(VARIANTS)),
        **size_fields(),
        "memory": Decimal(16, LEAST_MACHINE, MOST_MACHINE),
        "speed": Decimal(1, LEAST_MACHINE, MOST_MACHINE),
        **measurement_fields(),
        **decoding_fields(),
        "device": device_field(),
    }


def measurement_fields() -> Mapping[str, Field]:
    """List what a measurement depends on, and what is shown of it."""
    first = Plan()
    return {
        "kernels": Some(first.kernels, KERNELS),
        "lengths": Some(tuple(map(str, first.lengths)), LENGTHS),
        "dtype": Choice(first.dtype, DTYPE_NAMES),
        "mask": Choice(first.mask, tuple(measure_words.MASKS)),
        "backward": Flag(first.with_backward),
        "heads": Integer(first.n_heads, 1, 16),
        "d_k": Integer(first.d_k, 1, 128),
        "sequences": Integer(first.batch, 1, 8),
        "repeats": Integer(first.repeats, 1, 15),
        "meter": Choice("time", tuple(measure_words.METERS)),
        "at": Choice(str(first.lengths[-1]), LENGTHS),
    }


def size_fields() -> Mapping[str, Field]:
    """List the sizes, which the views share."""
    return {
        "batch": Line("1", LONGEST_SIZE),
        "n": Line("4096", LONGEST_SIZE),
        "d_model": Line("512", LONGEST_SIZE),
        "h": Line("8", LONGEST_SIZE),
        "h_kv": Line("", LONGEST_SIZE),
        "layers": Integer(1, 1, MOST_LAYERS),
        "bytes": Choice("4", tuple(words.BYTES_OPTIONS)),
        "width": Integer(128, 1, MAX_WIDTH),
        "block": Integer(128, 1, MAX_WIDTH),
        "dilation": Integer(4, 1, MAX_WIDTH),
        "rank": Integer(128, 1, MAX_WIDTH),
    }


def decoding_fields() -> Mapping[str, Field]:
    """List what the view that writes token by token asks for, besides the sizes that it shares."""
    return {
        "decode_n": Line("256", LONGEST_SIZE),
        "cache": Choice("reserved", CACHE_KINDS),
        "windowed": Flag(default=False),
        "token": Integer(256, 1, MAX_N),
    }


RESETTABLE = (*size_fields(), "memory", "speed", *measurement_fields(), *decoding_fields())
# What is computed on the reader's device, by view; formulas have none.
ON_DEVICE = {"measure": frame_words.TIMES_THERE}
