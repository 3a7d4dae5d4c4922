"""Every device gives the same numbers, gives its memory back, and keeps its tensors to itself."""

import gc
import weakref
from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace

import pytest
import torch

from attention_core import device
from attention_core.experiments import timed_kernels
from attention_core.experiments.clinic import CAUSES, check_up
from attention_core.experiments.dot_products import measure_dot_products, sweep_variance
from attention_core.experiments.independence import measure_independence
from attention_core.experiments.initial_weights import measure_starts, time_products
from attention_core.experiments.scaling import draw_sample_row, sweep_divisors
from attention_core.experiments.timed_kernels import Plan, chosen_kernel, measure_kernels
from attention_core.measure import Timing
from tests.core.far_device import FAR, FarDevice

# Each experiment that the lessons' switch reaches, as numbers that no clock has a part in.
EXPERIMENTS: dict[str, Callable[[str], list[float]]] = {
    "dot_products": lambda on: [measure_dot_products(8, n_keys=3, trials=20, device=on).variance.mean],
    "variance": lambda on: [found.mean for found in sweep_variance((8,), trials=20, device=on)[0].variances],
    "divisors": lambda on: [
        value.mean
        for record in sweep_divisors((4, 16), n_keys=5, trials=20, device=on)
        for value in (record.largest_weight, record.jacobian_norm, record.q_gradient, record.k_gradient)
    ],
    "row": lambda on: draw_sample_row(8, n_keys=4, device=on).weights.flatten().tolist(),
    "clinic": lambda on: [
        value
        for name in ("no_divisor", "large_embeddings")
        for layer in check_up(replace(CAUSES[name].setup, n_layers=2, d_model=32), device=on).layers
        for value in vars(layer).values()
    ],
    "starts": lambda on: [
        value
        for record in measure_starts((16,), n=6, n_heads=2, trials=3, device=on)
        for value in (
            record.lowest,
            record.std,
            record.scaled_std.mean,
            record.largest_weight.mean,
            record.x_gradient.mean,
        )
    ],
    "products": lambda on: [r.largest_difference for r in time_products((8,), n=4, repeats=2, device=on)],
    "forms": lambda on: [
        record.largest_difference or 0.0
        for record in measure_independence((4, 9), d_k=8, repeats=2, device=on)
    ],
    "kernels": lambda on: [
        point.difference
        for mask in ("none", "causal", "explicit")
        for point in measure_kernels(
            Plan(kernels=("traced", "math"), lengths=(9,), n_heads=2, d_k=8, repeats=1, mask=mask, device=on)
        )
    ],
}
every_experiment = pytest.mark.parametrize("name", EXPERIMENTS)


@every_experiment
def test_C2_an_experiment_keeps_its_tensors_on_the_device_and_gives_the_same_numbers(name, monkeypatch):
    monkeypatch.setattr(device, "finish", lambda _kind: None)
    monkeypatch.setattr("attention_core.experiments.timed_kernels.finish", lambda _kind: None)
    expected = EXPERIMENTS[name]("cpu")
    with FarDevice() as far:
        assert EXPERIMENTS[name](FAR) == pytest.approx(expected, rel=1e-12)
    assert far.ran & {"mm", "bmm"}


@pytest.mark.parametrize("asked", [{"mask": "explicit"}, {"is_mask_learnt": True}, {"mask": "causal"}])
def test_C3_torch_is_asked_for_its_choice_on_the_device(asked):
    with FarDevice() as far:
        chosen_kernel(8, device=FAR, **asked)
    assert any("bmm" in name or "scaled_dot_product" in name for name in far.ran)


def test_C2_where_memory_runs_out_for_one_kernel_at_one_length_the_others_are_measured(monkeypatch):
    runner, freed = timed_kernels._runner, []

    def run_out(kernel, plan, n):
        if (kernel, n) == ("math", 8) and len(plan.lengths) == 1 and plan.width != 4:
            raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB.")
        return runner(kernel, plan, n)

    monkeypatch.setattr(timed_kernels, "_runner", run_out)
    monkeypatch.setattr(timed_kernels, "measure_rates", lambda *_: timed_kernels.Rates(1.0, 1.0))
    monkeypatch.setattr(timed_kernels, "free", lambda _kind, failed=None: freed.append(failed))
    plan = Plan(kernels=("math", "linear"), lengths=(8, 16), repeats=1)
    _, *found, _ = timed_kernels.measure_plan(plan)
    assert [(type(record).__name__, record.kernel, record.n) for record in found] == [
        ("Absent", "math", 8),
        ("Point", "linear", 8),
        ("Point", "math", 16),
        ("Point", "linear", 16),
    ]
    assert found[0].is_full
    assert found[0].reason.startswith("CUDA out of memory")
    assert [type(error) for error in freed if error] == [torch.OutOfMemoryError] * 2


def test_C2_a_lack_of_memory_is_not_taken_for_a_kernel_that_cannot_run(monkeypatch):
    def run_out(*_):
        raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB.")

    monkeypatch.setattr(timed_kernels, "_runner", run_out)
    monkeypatch.setattr(timed_kernels, "measure_rates", lambda *_: timed_kernels.Rates(1.0, 1.0))
    assert timed_kernels.why_not("math", Plan()) is None
    _, *found, _ = timed_kernels.measure_plan(Plan(kernels=("math", "linear"), lengths=(8,)))
    assert [(one.kernel, one.is_full) for one in found] == [("math", True), ("linear", True)]


@pytest.mark.parametrize("mask", ["none", "causal", "explicit"])
def test_C2_a_whole_plan_runs_on_the_device(mask, monkeypatch):
    monkeypatch.setattr(device, "finish", lambda _kind: None)
    monkeypatch.setattr(timed_kernels, "finish", lambda _kind: None)
    monkeypatch.setattr(timed_kernels, "_PROBES", ((8, 64), (16, 128)))
    kernels = ("traced", "math", "window", "linear", "module_weights", "module")
    plan = Plan(kernels=kernels, lengths=(9,), n_heads=2, d_k=8, width=3, repeats=1, mask=mask, device=FAR)
    with FarDevice() as far:
        rates, *found, chosen = timed_kernels.measure_plan(plan)
    assert rates.flops_a_s > 0
    assert [getattr(one, "reason", None) for one in found if one.kernel != "linear"] == [None] * 5
    assert all(one.difference < 1e-6 for one in found if one.kernel in ("traced", "math"))
    assert isinstance(chosen, timed_kernels.Chosen)
    assert far.ran & {"mm", "bmm"}


def test_C2_the_probe_of_another_device_is_larger(monkeypatch):
    made = []
    monkeypatch.setattr(
        torch, "ones", lambda *shape, device, dtype: made.append(shape) or torch.zeros(2, 2, dtype=dtype)
    )
    for kind in ("cpu", "cuda"):
        monkeypatch.setattr(timed_kernels, "time_each_s", lambda *_, **__: [Timing(*[1.0] * 3, 1, ())] * 2)
        timed_kernels.measure_rates(kind)
    assert made == [(384, 384), (2**22,), (2048, 2048), (2**28,)]


def test_C2_what_fails_for_another_reason_is_not_taken_for_a_lack_of_memory(monkeypatch):
    def fail(*_, **__):
        raise RuntimeError("an illegal memory access was encountered")

    monkeypatch.setattr(timed_kernels, "time_each_s", fail)
    with pytest.raises(RuntimeError, match="illegal"):
        list(timed_kernels._measure_or_say(Plan(kernels=("math",), lengths=(8,), repeats=1)))


def test_the_second_device_of_the_tests_keeps_its_tensors_apart():
    x = torch.ones(3)
    with FarDevice():
        far = x.to(FAR)
        assert far.device.type == FAR
        assert (far + far).tolist() == [2.0, 2.0, 2.0]
        for mixed in (lambda: far + x, lambda: torch.rand(2, generator=torch.Generator(), device=FAR)):
            with pytest.raises(RuntimeError, match="expected"):
                mixed()


@pytest.mark.cuda
@every_experiment
def test_C2_cuda_gives_the_numbers_of_the_processor(name):
    if not torch.cuda.is_available():
        pytest.skip("no CUDA device")
    expected = EXPERIMENTS[name]("cpu")
    assert EXPERIMENTS[name]("cuda") == pytest.approx(expected, rel=1e-4, abs=1e-5)


@pytest.mark.cuda
def test_C2_the_peak_on_cuda_is_the_allocators():
    if not torch.cuda.is_available():
        pytest.skip("no CUDA device")
    run = lambda: torch.zeros(2**20, device="cuda") + 1.0  # noqa: E731
    assert 2**23 <= device.peak_bytes(run, "cuda") <= 2**23 + 2**21


@pytest.mark.cuda
def test_memory_that_ran_out_on_cuda_is_named_and_given_back():
    if not torch.cuda.is_available():
        pytest.skip("no CUDA device")

    def fill() -> None:
        kept = [torch.zeros(2**26, device="cuda")]
        while True:
            kept.append(torch.zeros(2**40, device="cuda"))

    before = torch.cuda.memory_reserved()
    with pytest.raises(RuntimeError) as caught:
        fill()
    assert device.is_out_of_memory(caught.value)
    device.free("cuda", caught.value)
    assert torch.cuda.memory_reserved() <= before


def test_what_a_failed_run_held_is_dropped_before_memory_is_given_back(monkeypatch):
    held = []

    def fill() -> None:
        tensor = torch.zeros(8)
        held.append(weakref.ref(tensor))
        raise torch.OutOfMemoryError("CUDA out of memory")

    given_back = []
    monkeypatch.setattr(torch.cuda, "empty_cache", lambda: given_back.append(held[0]() is None))
    gc.disable()  # what is dropped is dropped by free, and not by chance
    try:
        fill()
    except RuntimeError as error:
        device.free("cuda", error)
    finally:
        gc.enable()
    assert given_back == [True]


@pytest.mark.parametrize(
    ("error", "is_one"),
    [
        (torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2 GiB"), True),
        (RuntimeError("CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`"), True),
        (
            RuntimeError(
                "[enforce fail at alloc_cpu.cpp:117] err == 0. DefaultCPUAllocator: not enough memory"
            ),
            True,
        ),
        (RuntimeError("MPS backend out of memory (MPS allocated: 1 GB)"), True),
        (RuntimeError("mat1 and mat2 shapes cannot be multiplied"), False),
        (ValueError("out of memory"), False),
    ],
)
def test_an_error_says_whether_memory_ran_out(error, is_one):
    assert device.is_out_of_memory(error) is is_one


def test_the_memory_of_the_processor_is_not_that_of_another_device():
    own, other = (
        RuntimeError("DefaultCPUAllocator: not enough memory"),
        torch.OutOfMemoryError("CUDA out of memory"),
    )
    asked = [device.is_out_of_memory(error, kind) for error in (own, other) for kind in ("cpu", "cuda")]
    assert asked == [True, False, False, True]


@pytest.mark.parametrize(
    ("error", "is_listed"),
    [
        (RuntimeError("CUDA error: no kernel image is available for execution on the device"), False),
        (RuntimeError("CUDA error: CUDA-capable device(s) is/are busy or unavailable"), False),
        (AssertionError("Torch not compiled with CUDA enabled"), False),
        (torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 MiB"), True),
        (None, True),
    ],
)
def test_a_gpu_that_torch_sees_and_cannot_use_is_not_offered(monkeypatch, error, is_listed):
    ones = torch.ones

    def make(*shape, device):
        if error is not None:
            raise error
        return ones(*shape)

    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(
        torch.cuda, "get_device_properties", lambda _: SimpleNamespace(name="GPU", total_memory=2**30)
    )
    monkeypatch.setattr(torch, "ones", make)
    found = device.list_devices.__wrapped__()
    assert (device.Device("cuda", "GPU", 2**30) in found) is is_listed


def test_what_an_earlier_error_of_a_failed_run_held_is_dropped_too(monkeypatch):
    held, given_back = [], []

    def fill() -> None:
        tensor = torch.zeros(8)
        held.append(weakref.ref(tensor))
        raise torch.OutOfMemoryError("CUDA out of memory")

    def pass_on() -> None:
        try:
            fill()
        except RuntimeError as error:
            raise RuntimeError("CUDA error: out of memory") from error

    monkeypatch.setattr(torch.cuda, "empty_cache", lambda: given_back.append(held[0]() is None))
    gc.disable()
    try:
        pass_on()
    except RuntimeError as error:
        device.free("cuda", error)
    finally:
        gc.enable()
    assert given_back == [True]


def test_the_processor_comes_first_and_stands_in_for_what_is_not_there():
    assert device.list_devices()[0].kind == device.find_device("abacus").kind == "cpu"
