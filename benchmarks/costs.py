"""Time what the cost lesson claims: writing with a KV cache, fused attention, and a sweep as a reader starts it.

Run it from the repository: `python -m benchmarks.costs`. Both sides of a ratio run in turn on one thread, with the same
numbers; the ratio of each pair is taken, and a table gives their median. The sweep goes through the server's own queue and
its process, which is warm as it is once the server has started.
"""

import os
import platform
import statistics
import time
from collections.abc import Callable, Sequence
from datetime import date

import torch
import torch.nn.functional as F
from torch import Tensor

from attention_core.device import peak_bytes
from attention_core.experiments.decoding import DecodingPlan, collect, write_in_stretches
from attention_core.experiments.timed_kernels import Plan, measure_kernels
from attention_core.steps import scaled_dot_product_attention
from benchmarks.core import paired_times_s
from dashboard.runs import Runner

DECODED = DecodingPlan(n=512)
FUSED_N, N_HEADS, D_K = 2048, 4, 64
TEXTS, PAIRS, SWEEPS = 5, 15, 3
# At least so many times as fast; at most so many seconds to the first point and in all.
BAR_CACHE, BAR_FUSED = 10.0, 2.0
FIRST_S, ALL_S = 1.0, 10.0
# Outputs of both sides may differ by so much, which is rounding in float32.
ROUNDING = 1e-5
LOOK_S = 0.005


def decode_times_s(plan: DecodingPlan, texts: int) -> tuple[list[tuple[float, float]], float]:
    """Write texts without a cache and with one: the seconds of each, and the largest difference of their outputs."""
    list(write_in_stretches(plan))
    found = [collect(tuple(write_in_stretches(plan))) for _ in range(texts)]
    return [(sum(one.recomputed_s), sum(one.cached_s)) for one in found], max(one.difference for one in found)


def both_ways(n: int) -> tuple[Callable[[], Tensor], Callable[[], Tensor]]:
    """Give attention that records every step, and torch's own, on the same tensors."""
    generator = torch.Generator().manual_seed(n)
    q, k, v = torch.randn(3, 1, N_HEADS, n, D_K, generator=generator)
    return (
        lambda: scaled_dot_product_attention(q, k, v).out,
        lambda: F.scaled_dot_product_attention(q, k, v),
    )


def sweep_s(runner: Runner, plan: Plan) -> tuple[float, float]:
    """Ask for a sweep: the seconds to its first point, and to its end."""
    started, first = time.perf_counter(), None
    job = runner.submit("a reader", measure_kernels, plan)
    while not job.is_over:
        time.sleep(LOOK_S)
        job = runner.look(job.number)
        if job.items and first is None:
            first = time.perf_counter() - started
    wanted = len(plan.kernels) * len(plan.lengths)
    if job.state != "done" or first is None or len(job.items) != wanted:
        raise RuntimeError(
            f"the sweep gave {len(job.items)} of {wanted} points and is {job.state}: {job.error}"
        )
    return first, time.perf_counter() - started


def print_ratio(head: Sequence[str], times: Sequence[tuple[float, float]], bar: float) -> None:
    """Print how many times as long the first side takes."""
    slow, fast = (1000 * statistics.median(side) for side in zip(*times, strict=True))
    low, ratio, high = statistics.quantiles([slow / fast for slow, fast in times], n=4)
    print(f"| {head[0]}, ms | {head[1]}, ms | ratio | middle half | bar | |\n|---:|---:|---:|---:|---:|---|")
    row = f"| {slow:.1f} | {fast:.1f} | {ratio:.1f} | {low:.1f} to {high:.1f} | ≥ {bar:.0f}"
    print(f"{row} | {'holds' if ratio >= bar else 'MISSED'} |\n", flush=True)


def same_outputs(difference: float) -> str:
    """Say how far two outputs lie apart, and whether that is rounding."""
    verdict = "the same outputs" if difference <= ROUNDING else "OTHER OUTPUTS"
    return f"Largest difference {difference:.1e}, {verdict}\n"


def main() -> None:
    """Print the tables."""
    torch.set_num_threads(1)
    print(
        f"{date.today()}, Python {platform.python_version()}, torch {torch.__version__}, {os.cpu_count()} cores\n"
    )
    times, difference = decode_times_s(DECODED, TEXTS)
    sizes = f"N = {DECODED.n}, d_model = {DECODED.d_model}, h = {DECODED.n_heads}, {DECODED.dtype}"
    print(f"Writing a text with a KV cache, {sizes}, one thread, {TEXTS} texts\n")
    print_ratio(("recomputed", "cached"), times, BAR_CACHE)
    print(same_outputs(difference))
    traced, fused = both_ways(FUSED_N)
    print(f"Fused attention, N = {FUSED_N}, h = {N_HEADS}, d_k = {D_K}, float32, one thread, {PAIRS} pairs\n")
    paired_times_s(traced, fused, 2)
    print_ratio(("traced", "fused"), paired_times_s(traced, fused, PAIRS), BAR_FUSED)
    peaks = [peak_bytes(run) / 2**20 for run in (traced, fused)]
    print(f"Peak memory {peaks[0]:.1f} MiB traced, {peaks[1]:.1f} MiB fused")
    print(same_outputs(float((traced() - fused()).abs().max())))
    plan, runner = Plan(), Runner(lambda _visitor: True)
    try:
        sweep_s(runner, Plan(lengths=(8,), kernels=("math",)))  # the process has started
        swept = [sweep_s(runner, plan) for _ in range(SWEEPS)]
    finally:
        runner.close()
    print(
        f"Sweep of {len(plan.kernels)} kernels, N {plan.lengths[0]} to {plan.lengths[-1]}, {SWEEPS} sweeps\n"
    )
    print("| | median, s | each, s | bar | |\n|---|---:|---|---:|---|")
    for name, seconds, bar in zip(
        ("first point", "all points"), zip(*swept, strict=True), (FIRST_S, ALL_S), strict=True
    ):
        median, each = statistics.median(seconds), ", ".join(f"{one:.2f}" for one in seconds)
        print(
            f"| {name} | {median:.2f} | {each} | ≤ {bar:.0f} s | {'holds' if median <= bar else 'MISSED'} |"
        )


if __name__ == "__main__":
    main()
