"""One measurement a file, for one claim or for two that share it, and what theory says. The table is the only list of them."""

from collections.abc import Callable, Iterator

from attention_core.experiments.alignment import measure_alignment
from attention_core.experiments.approximation import measure_errors
from attention_core.experiments.blind_rows import answer_blind_rows
from attention_core.experiments.bottleneck import read_sentence
from attention_core.experiments.causal_corners import compare_decoding
from attention_core.experiments.changed_word import change_word
from attention_core.experiments.clinic import check_up
from attention_core.experiments.decoding import measure_decoding, write_in_stretches
from attention_core.experiments.dot_products import measure_dot_products
from attention_core.experiments.dressing import follow_word
from attention_core.experiments.equivariance import measure_equivariance
from attention_core.experiments.growth import grow
from attention_core.experiments.head_facts import read_heads
from attention_core.experiments.head_output import compare_w_o
from attention_core.experiments.independence import measure_independence
from attention_core.experiments.initial_weights import measure_starts
from attention_core.experiments.linear_forms import compare_linear_forms
from attention_core.experiments.mask_buffer import watch_step
from attention_core.experiments.mask_columns import compare_masks
from attention_core.experiments.mask_feeds import feed_mask
from attention_core.experiments.masking import compare_ways, measure_leak
from attention_core.experiments.one_projection import compare_projections
from attention_core.experiments.overflow import measure_softmaxes
from attention_core.experiments.recall import measure_recall
from attention_core.experiments.reshape_faults import compare_faults
from attention_core.experiments.reuse import compare_traces, distances_by_layer
from attention_core.experiments.rollout import check_rollout
from attention_core.experiments.scaling import sweep_divisors
from attention_core.experiments.shared_heads import compare_sharing
from attention_core.experiments.smoothing import measure_smoothing
from attention_core.experiments.temperature import measure_temperatures
from attention_core.experiments.timed_kernels import chosen_kernel, measure_kernels, measure_plan
from attention_core.experiments.timed_variants import measure_variants
from attention_core.experiments.weight_dropout import average_draws

EXPERIMENTS: dict[str, Callable[..., object]] = {
    "P3": measure_alignment,
    "P5": measure_independence,
    "P6": measure_equivariance,
    "P7": compare_traces,
    "P8": distances_by_layer,
    "P8_dressing": follow_word,
    "P8_smoothing": measure_smoothing,
    "P8_rollout": check_rollout,
    "S1": measure_dot_products,
    "S2": sweep_divisors,
    "S3": sweep_divisors,
    "S4": measure_temperatures,
    "S5": check_up,
    "S6": measure_softmaxes,
    "M1": compare_masks,
    "M2": compare_ways,
    "M3": measure_leak,
    "M4": answer_blind_rows,
    "M5": feed_mask,
    "M5_corners": compare_decoding,
    "M6": change_word,
    "M8": watch_step,
    "H3": read_heads,
    "H4": compare_faults,
    "H5": compare_projections,
    "H5_w_o": compare_w_o,
    "H6": measure_starts,
    "H7": average_draws,
    "H8": grow,
    "H9": compare_sharing,
    "C2": measure_kernels,
    "C3": chosen_kernel,
    "C5": measure_decoding,
    "V1": measure_variants,
    "V3": measure_errors,
    "V4": measure_errors,
    "V5": compare_linear_forms,
    "V6": read_sentence,
    "V6_recall": measure_recall,
}
# What takes so long that a process of its own runs it: no other function can be asked for there.
LONG_WORK: tuple[Callable[..., Iterator[object]], ...] = (
    write_in_stretches,
    measure_plan,
    measure_variants,
)
