"""Time the traced attention against the same torch operations written inline.

Run it from the repository: `python -m benchmarks.core`. Both sides see the same tensors in turn, one pair after
the other, on one thread; the ratio of each pair is taken, and the table gives their median.
"""

import math
import statistics
import time
from collections.abc import Callable

import torch
from torch import Tensor

from attention_core.masks import causal
from attention_core.steps import scaled_dot_product_attention

N_HEADS, D_K = 4, 16
PAIRS = 400
BARS = {16: 1.30, 128: 1.05, 256: 1.05, 512: 1.05}


def inline(q: Tensor, k: Tensor, v: Tensor, allowed: Tensor) -> tuple[Tensor, ...]:
    """Do what the traced attention does, without a call, a check or a record."""
    scores = q @ k.transpose(-2, -1)
    scaled = scores * (1 / math.sqrt(q.shape[-1]))
    masked = scaled.masked_fill(~allowed, -math.inf)
    sees_nothing = ~allowed.any(dim=-1, keepdim=True)
    weights = masked.softmax(dim=-1).masked_fill(sees_nothing, 0.0)
    return scores, scaled, masked, weights, weights @ v


def paired_times_s(
    first: Callable[[], object], second: Callable[[], object], pairs: int
) -> list[tuple[float, float]]:
    """Time two calls in turn; which of them starts changes from pair to pair."""
    times = []
    for pair in range(pairs):
        order = (first, second) if pair % 2 else (second, first)
        spent = {}
        for call in order:
            start = time.perf_counter()
            call()
            spent[call] = time.perf_counter() - start
        times.append((spent[first], spent[second]))
    return times


def measure(n: int, pairs: int = PAIRS) -> tuple[float, float, list[float]]:
    """Give the medians of the inline and the traced time in seconds, and the quartiles of the pairs' ratios."""
    generator = torch.Generator().manual_seed(n)
    q, k, v = torch.randn(3, 1, N_HEADS, n, D_K, generator=generator)
    allowed = causal(n)

    def run_inline() -> None:
        inline(q, k, v, allowed)

    def run_traced() -> None:
        scaled_dot_product_attention(q, k, v, allowed=allowed)

    paired_times_s(run_inline, run_traced, pairs // 10)
    times = paired_times_s(run_inline, run_traced, pairs)
    ratios = [traced / bare for bare, traced in times]
    bare, traced = (statistics.median(side) for side in zip(*times, strict=True))
    return bare, traced, statistics.quantiles(ratios, n=4)


def main() -> None:
    """Print the table."""
    torch.set_num_threads(1)
    print(f"Traced attention, B = 1, H = {N_HEADS}, d_k = {D_K}, float32, causal, {PAIRS} pairs\n")
    print("| N | inline, µs | traced, µs | ratio | middle half | bar | |")
    print("|---:|---:|---:|---:|---:|---:|---|")
    for n, bar in BARS.items():
        bare, traced, (low, ratio, high) = measure(n)
        row = f"| {n} | {bare * 1e6:.1f} | {traced * 1e6:.1f} | {ratio:.3f} | {low:.3f} to {high:.3f} | ≤ {bar:.2f}"
        print(f"{row} | {'holds' if ratio <= bar else 'MISSED'} |")


if __name__ == "__main__":
    main()
