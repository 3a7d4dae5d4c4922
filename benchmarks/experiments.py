"""Time the scaling sweep against the same measurement written as a plain NumPy loop over trials.

Run it from the repository: `python -m benchmarks.experiments`. Both sides draw their own numbers, read the same six
meters and take the same means; they run in turn, one pair after the other, on one thread, and the ratio of each
pair is taken. Before that it checks that both measure the same thing.
"""

import math
import statistics

import numpy as np
import torch

from attention_core.experiments.scaling import DIVISORS, METERS, divided_by, sweep_divisors
from benchmarks.core import paired_times_s

D_KS = tuple(2**power for power in range(11))
N_KEYS, TRIALS = 16, 1000
PAIRS = 5
BAR, BAR_S = 5.0, 1.0
# Of two means of so many trials, in standard errors of their difference.
AGREES = 5.0


def read_row(
    q: np.ndarray, k: np.ndarray, scores: np.ndarray, g: np.ndarray, number: float
) -> tuple[float, ...]:
    """Weigh one query's keys and read the meters."""
    scaled = scores / number
    exponentials = np.exp(scaled - scaled.max())
    weights = exponentials / exponentials.sum()
    seen = weights[weights > 0]
    entropy = -(seen * np.log(seen)).sum()
    jacobian = np.diag(weights) - np.outer(weights, weights)
    by_scores = jacobian @ g / number
    return (
        weights.max(),
        entropy / math.log(len(scores)),
        math.exp(entropy),
        np.linalg.norm(jacobian),
        np.linalg.norm(by_scores @ k),
        np.linalg.norm(np.outer(by_scores, q)),
    )


def loop_over_trials(seed: int, trials: int = TRIALS) -> dict[tuple[int, str], np.ndarray]:
    """Measure one trial after the other; six meters a trial, by width and divisor."""
    generator = np.random.default_rng(seed)
    rows = {(d_k, name): np.empty((trials, len(METERS))) for d_k in D_KS for name in DIVISORS}
    for d_k in D_KS:
        numbers = {name: divided_by(name, d_k, temperature=4.0) for name in DIVISORS}
        for trial in range(trials):
            q = generator.standard_normal(d_k)
            k = generator.standard_normal((N_KEYS, d_k))
            g = generator.standard_normal(N_KEYS)
            scores = k @ q
            for name, number in numbers.items():
                rows[d_k, name][trial] = read_row(q, k, scores, g, number)
    return rows


def largest_disagreement() -> float:
    """Compare every mean of both sides, in standard errors of their difference."""
    rows, worst = loop_over_trials(seed=1), 0.0
    for record in sweep_divisors(D_KS, n_keys=N_KEYS, trials=TRIALS):
        looped = rows[record.d_k, record.divisor]
        errors = looped.std(axis=0, ddof=1) / math.sqrt(TRIALS)
        for meter, mean, error in zip(METERS, looped.mean(axis=0), errors, strict=True):
            ours = getattr(record, meter)
            worst = max(worst, abs(ours.mean - mean) / math.hypot(ours.standard_error, error))
    return worst


def main() -> None:
    """Print the table."""
    torch.set_num_threads(1)
    times = paired_times_s(
        lambda: loop_over_trials(seed=0), lambda: sweep_divisors(D_KS, n_keys=N_KEYS, trials=TRIALS), PAIRS
    )
    looped, swept = (statistics.median(side) for side in zip(*times, strict=True))
    low, ratio, high = statistics.quantiles([loop / sweep for loop, sweep in times], n=4)
    print(f"Default sweep: d_k 1 to {D_KS[-1]} by powers of two, {len(DIVISORS)} divisors, N = {N_KEYS},")
    print(f"{TRIALS} trials, float64, one thread, {PAIRS} pairs\n")
    print("| NumPy loop, s | sweep, s | ratio | middle half | bar | |")
    print("|---:|---:|---:|---:|---:|---|")
    row = f"| {looped:.2f} | {swept:.3f} | {ratio:.1f} | {low:.1f} to {high:.1f} | ≥ {BAR:.0f}"
    print(f"{row} | {'holds' if ratio >= BAR else 'MISSED'} |")
    print(f"\nSweep within {BAR_S:.0f} s: {'holds' if swept <= BAR_S else 'MISSED'}")
    worst = largest_disagreement()
    verdict = "same measurement" if worst <= AGREES else "ANOTHER MEASUREMENT"
    print(
        f"Largest difference of {len(D_KS) * len(DIVISORS) * len(METERS)} means: {worst:.1f} s.e., {verdict}"
    )


if __name__ == "__main__":
    main()
