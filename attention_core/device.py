"""Where tensors live and code runs: the processor, and whatever accelerator torch sees."""

import gc
import os
import platform
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

import torch

Kind = Literal["cpu", "cuda", "mps", "xpu"]
CPU: Kind = "cpu"
# What an error says that is no OutOfMemoryError, from the allocator of the processor, of CUDA, of Apple, and from cuBLAS.
OUT_OF_MEMORY = ("not enough memory", "out of memory", "ALLOC_FAILED")


@dataclass(frozen=True)
class Device:
    """A place to run.

    Attributes:
        kind: As torch names it.
        name: Of the machine's part, where torch knows it.
        memory_bytes: All that it has; None where torch does not say.
    """

    kind: Kind
    name: str
    memory_bytes: int | None


def cuda_of_build() -> str | None:
    """Name the CUDA that this torch was built for; None for a build without."""
    return torch.version.cuda


def version_of_build() -> str:
    """Name this torch, the way it was built included."""
    return str(torch.__version__)


@dataclass(frozen=True)
class Machine:
    """What a measurement was made with.

    Attributes:
        processor: As it names itself.
        cores: That the system shows.
        threads: That torch may use for one operation.
    """

    processor: str
    cores: int
    threads: int
    python: str
    torch: str


def describe_machine() -> Machine:
    """Say on what this process runs.

    Example:
        >>> describe_machine().threads >= 1
        True
    """
    return Machine(
        processor=_processor(),
        cores=os.cpu_count() or 1,
        threads=torch.get_num_threads(),
        python=platform.python_version(),
        torch=version_of_build(),
    )


def _processor() -> str:
    """Give the processor's own name; where the system does not tell, its kind."""
    with suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


@cache
def list_devices() -> tuple[Device, ...]:
    """List what torch can run on here: the processor first. It is looked up once, for devices do not come and go.

    A part that torch sees but cannot use, as one too old or too new for how torch was built, is left out.

    Example:
        >>> list_devices()[0].kind
        'cpu'
    """
    found = [Device(CPU, "CPU", None)]
    if torch.cuda.is_available() and _works("cuda"):
        properties = torch.cuda.get_device_properties(0)
        found.append(Device("cuda", properties.name, properties.total_memory))
    if torch.backends.mps.is_available():
        found.append(Device("mps", "Apple GPU", None))
    if torch.xpu.is_available():
        found.append(Device("xpu", torch.xpu.get_device_name(0), None))
    return tuple(found)


def _works(kind: Kind) -> bool:
    """Try one sum on a device; one that is full for now works all the same."""
    try:
        return torch.ones(2, device=kind).sum().item() == 2
    except (AssertionError, RuntimeError) as error:
        return is_out_of_memory(error, kind)


def find_device(kind: str) -> Device:
    """Give the device of this kind; the processor where there is none.

    Example:
        >>> find_device("no such thing").kind
        'cpu'
    """
    devices = {device.kind: device for device in list_devices()}
    return devices.get(kind, devices[CPU])


def finish(kind: Kind) -> None:
    """Wait until all work handed to a device is done; the processor has never more than one thing to do."""
    if kind != CPU:
        torch.accelerator.synchronize()


def free(kind: Kind, failed: BaseException | None = None) -> None:
    """Give back what the allocator keeps for later.

    Args:
        failed: An error whose traceback still holds the tensors of the run that it ended; they are dropped first, and
            those of the errors that led to it.
    """
    is_any = failed is not None
    while failed is not None:
        traceback.clear_frames(failed.__traceback__)
        failed = failed.__cause__ or failed.__context__
    if is_any:
        gc.collect()
    if kind == "cuda":
        torch.cuda.empty_cache()


def is_out_of_memory(error: BaseException, kind: Kind | None = None) -> bool:
    """Say whether an error means that memory did not suffice.

    Args:
        kind: Of the device whose memory is meant; None for whatever device.

    Example:
        >>> is_out_of_memory(MemoryError()), is_out_of_memory(RuntimeError("CUDA error: out of memory"))
        (True, True)
        >>> is_out_of_memory(ValueError("out of memory")), is_out_of_memory(MemoryError(), "cuda")
        (False, False)
    """
    is_processors = isinstance(error, MemoryError) or "DefaultCPUAllocator" in str(error)
    if kind is not None and is_processors != (kind == CPU):
        return False
    is_refused = isinstance(error, RuntimeError) and any(words in str(error) for words in OUT_OF_MEMORY)
    return is_refused or isinstance(error, (MemoryError, torch.OutOfMemoryError))


def peak_bytes(run: Callable[[], object], kind: Kind = CPU) -> int:
    """Measure how much memory one run takes at its fullest, beyond what was there before.

    Returns:
        On the processor what torch's allocator gave out, by the profiler's events; memory that a library takes by
        itself is not seen. On CUDA the allocator's own peak.

    Raises:
        ValueError: a device whose memory cannot be watched.

    Example:
        >>> peak_bytes(lambda: torch.zeros(1000) + 1.0) >= 8000
        True
    """
    if kind == CPU:
        return _profiled_peak(run)
    if kind != "cuda":
        raise ValueError(f"peak memory is watched on cpu and cuda, got {kind}")
    torch.cuda.synchronize()
    torch.cuda.reset_peak_memory_stats()
    before = torch.cuda.memory_allocated()
    run()
    torch.cuda.synchronize()
    return torch.cuda.max_memory_allocated() - before


def _profiled_peak(run: Callable[[], object]) -> int:
    """Add up what the profiler saw being taken and given back."""
    activities = [torch.profiler.ProfilerActivity.CPU]
    with torch.profiler.profile(activities=activities, profile_memory=True) as profiler:
        result = run()
    del result
    events = [event for event in profiler.profiler.kineto_results.events() if event.name() == "[memory]"]
    level = peak = 0
    for event in sorted(events, key=lambda event: event.start_ns()):
        level += event.nbytes()
        peak = max(peak, level)
    return peak


def run_s(run: Callable[[], object], kind: Kind = CPU) -> float:
    """Time one run: by the wall's clock on the processor, by the device's own events on CUDA.

    Example:
        >>> run_s(lambda: None) >= 0
        True
    """
    if kind == "cuda":
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        run()
        end.record()
        end.synchronize()
        return start.elapsed_time(end) / 1000
    finish(kind)
    started = time.perf_counter()
    run()
    finish(kind)
    return time.perf_counter() - started
