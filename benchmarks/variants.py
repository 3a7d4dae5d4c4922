"""Time attention over few pairs, and linear attention, against the dense one that records every step.

Run it from the repository: `python -m benchmarks.variants`. Both sides of a ratio run in turn on one thread, with the same
numbers; the ratio of each pair is taken, and a table gives their median. Exponents are fitted to a variant's own times over
all N of one round, 1 in proportion and 2 with the square; a table gives the median over the rounds.
"""

import math
import os
import platform
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import date

import torch
from torch import Tensor

from attention_core import patterns
from attention_core.patterns import Pattern
from attention_core.steps import scaled_dot_product_attention
from attention_core.variants.block import attend_block
from attention_core.variants.linear import attend_linear
from attention_core.variants.window import attend_window
from benchmarks.core import paired_times_s

N_HEADS, D_K, WIDTH, PAIRS, ROUNDS = 4, 64, 128, 7, 15
COMPARED = (2048, 4096)
# The dense path is not run here: it would hold gigabytes. A variant's own growth is fitted over all of these.
GROWN = (2048, 4096, 8192, 16384)
BAR_RATIO, BAR_EXPONENT = 1.0, 1.2
# Outputs of both sides may differ by so much, which is rounding in float32.
ROUNDING = 1e-5

Attend = Callable[[Tensor, Tensor, Tensor], Tensor]
# Each with the rule by which the dense path gives the same outputs; None: it is another function.
RUNS: Mapping[str, tuple[Attend, Pattern | None]] = {
    "window": (lambda q, k, v: attend_window(q, k, v, WIDTH).out, patterns.window(WIDTH, is_causal=True)),
    "block": (lambda q, k, v: attend_block(q, k, v, WIDTH).out, patterns.block(WIDTH)),
    "linear": (lambda q, k, v: attend_linear(q, k, v).out, None),
    "linear, causal": (lambda q, k, v: attend_linear(q, k, v, is_causal=True).out, None),
}


def draw(n: int) -> tuple[Tensor, Tensor, Tensor]:
    """Give q, k and v."""
    return torch.randn(3, 1, N_HEADS, n, D_K, generator=torch.Generator().manual_seed(n)).unbind(0)


def both_ways(name: str, n: int) -> tuple[Callable[[], Tensor], Callable[[], Tensor]]:
    """Give dense attention, with the same mask where there is one, and the variant, on the same tensors."""
    attend, rule = RUNS[name]
    x = draw(n)
    allowed = None if rule is None else rule(*patterns.place_sides(n, n, 0))
    return lambda: scaled_dot_product_attention(*x, allowed=allowed).out, lambda: attend(*x)


def fit_exponent(sizes: Sequence[int], seconds: Sequence[float]) -> float:
    """Fit the slope of log seconds over log sizes by least squares."""
    x, y = ([math.log(number) for number in numbers] for numbers in (sizes, seconds))
    return statistics.linear_regression(x, y).slope


def own_times_s(attend: Attend, sizes: Sequence[int], rounds: int) -> list[tuple[float, ...]]:
    """Time a variant at each size in turn, so that other work on the machine meets all alike: seconds, a row a round."""
    drawn = [draw(n) for n in sizes]
    found = []
    for _ in range(rounds + 1):
        row = []
        for x in drawn:
            started = time.perf_counter()
            attend(*x)
            row.append(time.perf_counter() - started)
        found.append(tuple(row))
    return found[1:]  # the first round warms up


def print_ratios(pairs: int, sizes: Sequence[int]) -> None:
    """Print how many times as long the dense path takes."""
    print("| | N | dense, ms | variant, ms | ratio | middle half | bar | | outputs |")
    print("|---|---:|---:|---:|---:|---:|---:|---|---|")
    for name, (_, rule) in RUNS.items():
        for n in sizes:
            dense, variant = both_ways(name, n)
            difference = float((dense() - variant()).abs().max())
            times = paired_times_s(dense, variant, pairs)
            slow, fast = (1000 * statistics.median(side) for side in zip(*times, strict=True))
            low, ratio, high = statistics.quantiles([one / other for one, other in times], n=4)
            row = f"| {name} | {n} | {slow:.1f} | {fast:.1f} | {ratio:.1f} | {low:.1f} to {high:.1f}"
            verdict = "holds" if ratio > BAR_RATIO else "MISSED"
            print(f"{row} | > {BAR_RATIO:.0f} | {verdict} | {judge(difference, rule)} |", flush=True)


def judge(difference: float, rule: Pattern | None) -> str:
    """Say whether outputs are those of the dense path, which those of another function are not meant to be."""
    if rule is None:
        return "another function"
    return "the same" if difference <= ROUNDING else f"OTHERS, by {difference:.1e}"


def print_exponents(rounds: int, sizes: Sequence[int]) -> None:
    """Print how each variant's own time grows: medians, and the median of the exponents of each round."""
    print(f"\n| | {' | '.join(f'N = {n}, ms' for n in sizes)} | exponent | middle half | bar | |")
    print(f"|---|{'---:|' * len(sizes)}---:|---:|---:|---|")
    for name, (attend, _) in RUNS.items():
        times = own_times_s(attend, sizes, rounds)
        low, exponent, high = statistics.quantiles([fit_exponent(sizes, row) for row in times], n=4)
        cells = " | ".join(f"{1000 * statistics.median(side):.1f}" for side in zip(*times, strict=True))
        row = f"| {name} | {cells} | {exponent:.2f} | {low:.2f} to {high:.2f}"
        print(f"{row} | ≤ {BAR_EXPONENT} | {'holds' if exponent <= BAR_EXPONENT else 'MISSED'} |", flush=True)


def main() -> None:
    """Print the tables."""
    torch.set_num_threads(1)
    print(
        f"{date.today()}, Python {platform.python_version()}, torch {torch.__version__}, {os.cpu_count()} cores\n"
    )
    sizes = f"h = {N_HEADS}, d_k = {D_K}, window and block of {WIDTH}, float32, one thread"
    print(f"Against the dense path, {sizes}, {PAIRS} pairs\n")
    print_ratios(PAIRS, COMPARED)
    print_exponents(ROUNDS, GROWN)


if __name__ == "__main__":
    main()
