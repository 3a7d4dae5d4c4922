"""Kernels timed and weighed (C2, C3): what is counted, what is exact, what memory does, what is refused."""

import itertools
from dataclasses import replace

import pytest
import torch

from attention_core import device
from attention_core.experiments.timed_kernels import (
    KERNELS,
    Plan,
    Prediction,
    Rates,
    chosen_kernel,
    count_flops,
    largest_length,
    measure_kernels,
    measure_rates,
    predict,
    why_not,
)
from attention_core.steps import scaled_dot_product_attention

ON_CPU = tuple(kernel for kernel in KERNELS if kernel != "efficient")
SMALL = Plan(kernels=ON_CPU, lengths=(32,), n_heads=2, d_k=8, width=4, repeats=1)


@pytest.mark.parametrize("mask", ["none", "causal", "explicit"])
@pytest.mark.parametrize("with_backward", [False, True])
def test_C2_every_kernel_gives_a_point_or_a_reason(mask, with_backward):
    plan = replace(SMALL, mask=mask, with_backward=with_backward)
    able = tuple(kernel for kernel in ON_CPU if why_not(kernel, plan) is None)
    assert set(ON_CPU) - set(able) == ({"linear"} if mask == "explicit" else set())
    points = list(measure_kernels(replace(plan, kernels=able)))
    assert [point.kernel for point in points] == list(able)
    assert all(0 < point.lowest_s <= point.median_s <= point.highest_s for point in points)
    assert all(point.peak_bytes > 0 for point in points)


@pytest.mark.parametrize("mask", ["none", "causal", "explicit"])
def test_C3_fused_and_stepwise_kernels_are_exact(mask):
    plan = replace(SMALL, kernels=("traced", "math", "flash"), dtype="float64", mask=mask)
    assert all(point.difference < 1e-13 for point in measure_kernels(plan))


def test_C4_window_and_linear_attention_are_something_else():
    found = {point.kernel: point.difference for point in measure_kernels(replace(SMALL, dtype="float64"))}
    assert min(found["window"], found["linear"]) > 1e-2
    assert found["module"] is None


def test_C2_a_kernel_that_is_not_there_is_named_in_torchs_words():
    reason = why_not("efficient", SMALL)
    assert torch.cuda.is_available() or "backend" in reason


def test_C2_points_come_as_they_are_measured_and_shortest_first():
    plan = replace(SMALL, kernels=("math",), lengths=(16, 8, 8))
    points = measure_kernels(plan)
    assert next(points).n == 8
    assert [point.n for point in points] == [16]


def test_C2_flops_by_formula_leave_out_projections_that_a_kernel_has_not():
    setting = SMALL.setting(32)
    assert count_flops("math", setting) == 2 * 2 * 2 * 32 * 32 * 8
    assert count_flops("module", setting) == count_flops("math", setting) + 8 * 32 * 16 * 16


def peak(kernel: str, n: int) -> int:
    (point,) = measure_kernels(Plan(kernels=(kernel,), lengths=(n,), repeats=1))
    return point.peak_bytes


def test_C3_peak_memory_of_math_grows_with_the_square_and_of_flash_in_proportion():
    peaks = {kernel: [peak(kernel, n) for n in (1024, 2048)] for kernel in ("math", "flash")}
    ratios = {kernel: [b / a for a, b in itertools.pairwise(found)] for kernel, found in peaks.items()}
    assert all(3.6 <= ratio <= 4.4 for ratio in ratios["math"])
    assert all(ratio <= 2.2 for ratio in ratios["flash"])
    assert peaks["math"][-1] > 40 * peaks["flash"][-1]


@pytest.mark.parametrize("with_backward", [False, True])
@pytest.mark.parametrize("mask", ["none", "causal", "explicit"])
@pytest.mark.parametrize("dtype", ["float64", "float32", "bfloat16", "float16"])
@pytest.mark.parametrize("sizes", [(512, 2, 16), (64, 1, 1)])
def test_what_is_foreseen_of_memory_is_not_passed(sizes, dtype, mask, with_backward):
    n, n_heads, d_k = sizes
    kernels = tuple(kernel for kernel in ON_CPU if mask != "explicit" or kernel != "linear")
    plan = Plan(
        kernels=kernels,
        lengths=(n,),
        n_heads=n_heads,
        d_k=d_k,
        dtype=dtype,
        mask=mask,
        with_backward=with_backward,
        repeats=1,
    )
    fixed = 2**20 * (1 + torch.get_num_threads())
    for point in measure_kernels(plan):
        foreseen = predict(replace(plan, kernels=(point.kernel,)), Rates(1e9, 1e9)).peak_bytes
        assert point.peak_bytes <= foreseen <= 8 * point.peak_bytes + fixed, point.kernel


def test_what_is_foreseen_of_time_grows_and_is_refused_with_the_largest_length_that_fits():
    rates = measure_rates()
    assert rates.flops_a_s > 1e8
    assert rates.bytes_a_s > 1e8
    plan = Plan(kernels=("math",), lengths=(4096,))
    limit = Prediction(seconds=1e9, peak_bytes=2**26)
    n = largest_length(plan, rates, limit)
    assert predict(replace(plan, lengths=(n,)), rates).peak_bytes <= limit.peak_bytes
    assert predict(replace(plan, lengths=(n + 1,)), rates).peak_bytes > limit.peak_bytes
    assert largest_length(plan, rates, Prediction(0.0, 0)) == 0


def test_C3_which_kernel_torch_takes_and_what_rules_the_fused_one_out():
    assert (
        chosen_kernel(16) == chosen_kernel(16, mask="causal") == chosen_kernel(16, mask="explicit") == "flash"
    )
    assert chosen_kernel(16, dropout_p=0.5) == chosen_kernel(16, is_mask_learnt=True) == "math"


@pytest.mark.usefixtures("unchecked")
def test_plans_that_cannot_be_are_refused():
    with pytest.raises(ValueError, match="kernels are some of traced, "):
        Plan(kernels=("best",))
    with pytest.raises(ValueError, match="1 to 16 lengths from 1 to 1048576, got"):
        Plan(lengths=(0,))
    with pytest.raises(ValueError, match="repeats must lie within 1 and 50, got 0"):
        Plan(repeats=0)
    with pytest.raises(ValueError, match="sizes must be at least 1, got batch=0"):
        Plan(batch=0)


def test_peak_memory_counts_what_is_alive_at_once():
    def run():
        first = torch.zeros(2**16)
        del first
        return torch.zeros(2**15), torch.zeros(2**15)

    assert 2**18 <= device.peak_bytes(run) < 2**18 + 2**12


def test_C2_the_traced_kernel_keeps_every_copy_of_the_scores():
    q = torch.zeros(1, 2, 256, 8)
    kept = device.peak_bytes(lambda: scaled_dot_product_attention(q, q, q))
    assert kept >= 3 * 2 * 256 * 256 * 4


@pytest.mark.cuda
def test_C2_cuda_gives_the_same_numbers_and_its_own_peak():
    if not torch.cuda.is_available():
        pytest.skip("no CUDA device")
    plan = replace(
        SMALL, device="cuda", kernels=("traced", "math", "flash", "window", "linear"), dtype="float16"
    )
    able = tuple(kernel for kernel in plan.kernels if why_not(kernel, plan) is None)
    points = list(measure_kernels(replace(plan, kernels=able)))
    assert all(point.peak_bytes > 0 for point in points)
    assert all(point.difference < 5e-2 for point in points if point.kernel in ("traced", "math", "flash"))
