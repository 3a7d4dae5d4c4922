"""Claims C2 and C3: attention by several kernels, timed and weighed on this machine, beside what formulas expect."""

import warnings
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Literal, get_args

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn.attention import SDPBackend, sdpa_kernel

from attention_core.components import DTYPES
from attention_core.cost import PROJECTIONS, Setting, list_terms
from attention_core.device import CPU, Kind, finish, free, is_out_of_memory, peak_bytes
from attention_core.masks import causal
from attention_core.measure import time_each_s
from attention_core.sizes import DType
from attention_core.steps import scaled_dot_product_attention
from attention_core.variants.linear import attend_linear
from attention_core.variants.window import attend_window

Kernel = Literal["traced", "math", "flash", "efficient", "module_weights", "module", "window", "linear"]
KERNELS: tuple[Kernel, ...] = get_args(Kernel)
# none: every pair. causal: by is_causal. explicit: the same mask as a tensor of bools.
Mask = Literal["none", "causal", "explicit"]
BACKENDS: dict[Kernel, SDPBackend] = {
    "math": SDPBackend.MATH,
    "flash": SDPBackend.FLASH_ATTENTION,
    "efficient": SDPBackend.EFFICIENT_ATTENTION,
}
MODULES: tuple[Kernel, ...] = ("module_weights", "module")
# The variant whose formulas hold for a kernel.
VARIANT_OF: dict[Kernel, str] = {
    "traced": "full",
    "math": "full",
    "flash": "fused",
    "efficient": "fused",
    "module_weights": "full",
    "module": "fused",
    "window": "window",
    "linear": "linear",
}
MAX_LENGTHS, MAX_LENGTH, MAX_REPEATS = 16, 2**20, 50
# Up to here outputs are compared with those of the definition in float64.
LONGEST_COMPARED = 512


@dataclass(frozen=True)
class Plan:
    """What is to be measured.

    Attributes:
        lengths: Of queries and of keys, each on its own.
        with_backward: The gradients of q, k and v too.
        width: Of the window, the query itself counted. A window looks back alone, whatever the mask is.
        repeats: Timed runs of each kernel at each length, after one that does not count.

    Raises:
        ValueError: nothing to measure, or a size outside its bounds.
    """

    kernels: tuple[Kernel, ...] = ("traced", "math", "flash", "linear")
    lengths: tuple[int, ...] = (64, 128, 256, 512, 1024, 2048)
    batch: int = 1
    n_heads: int = 4
    d_k: int = 64
    dtype: DType = "float32"
    device: Kind = CPU
    mask: Mask = "none"
    with_backward: bool = False
    width: int = 128
    repeats: int = 5
    seed: int = 0

    def __post_init__(self) -> None:
        unknown = [kernel for kernel in self.kernels if kernel not in KERNELS]
        if not self.kernels or unknown:
            raise ValueError(f"kernels are some of {', '.join(KERNELS)}, got {self.kernels}")
        if not 1 <= len(self.lengths) <= MAX_LENGTHS or not all(1 <= n <= MAX_LENGTH for n in self.lengths):
            raise ValueError(
                f"there must be 1 to {MAX_LENGTHS} lengths from 1 to {MAX_LENGTH}, got {self.lengths}"
            )
        if min(self.batch, self.n_heads, self.d_k, self.width) < 1:
            raise ValueError(
                f"sizes must be at least 1, got batch={self.batch}, n_heads={self.n_heads}, d_k={self.d_k} and "
                f"width={self.width}"
            )
        if not 1 <= self.repeats <= MAX_REPEATS:
            raise ValueError(f"repeats must lie within 1 and {MAX_REPEATS}, got {self.repeats}")

    def setting(self, n: int) -> Setting:
        """Give the sizes that formulas ask for."""
        return Setting(
            n=n,
            d_model=self.n_heads * self.d_k,
            n_heads=self.n_heads,
            batch=self.batch,
            element_bytes=DTYPES[self.dtype].itemsize,
            width=self.width,
        )


@dataclass(frozen=True)
class Point:
    """One kernel at one length, as it was on this machine.

    Attributes:
        median_s: Of the timed runs; lowest_s and highest_s are their ends.
        peak_bytes: Beyond the inputs; None where the device's memory cannot be watched.
        difference: The largest distance of an output from the definition's in float64; None for long inputs. Of window
            and linear attention too: they compute something else.
        flops: By formula, of a forward pass; projections only where the kernel has them.
    """

    kernel: Kernel
    n: int
    median_s: float
    lowest_s: float
    highest_s: float
    repeats: int
    peak_bytes: int | None
    difference: float | None
    flops: int


@dataclass(frozen=True)
class Rates:
    """How fast a device multiplies and copies when nothing else is in the way."""

    flops_a_s: float
    bytes_a_s: float


@dataclass(frozen=True)
class Absent:
    """A kernel that could not run at one length, and why, in torch's own words where they are torch's.

    Attributes:
        is_full: Memory ran out; at another length it may run.
    """

    kernel: Kernel
    n: int
    reason: str
    is_full: bool = False


@dataclass(frozen=True)
class Chosen:
    """Which kernel torch takes by itself for inputs as planned, and what changes its choice.

    Attributes:
        plain: With the plan's own mask.
        by_mask: For each mask in turn, as pairs.
        with_dropout, with_learnt_mask: Where weights are dropped; where the mask is made of floats that want a gradient.
        reasons: Of torch's own kernels that cannot run at all here, as pairs.
    """

    plain: str
    by_mask: tuple[tuple[Mask, str], ...]
    with_dropout: str
    with_learnt_mask: str
    reasons: tuple[tuple[Kernel, str], ...]


Record = Rates | Point | Absent | Chosen


@dataclass(frozen=True)
class Prediction:
    """What a plan would take."""

    seconds: float
    peak_bytes: int

    def exceeds(self, most: "Prediction") -> bool:
        """Tell whether it is more than this in time or in memory."""
        return self.seconds > most.seconds or self.peak_bytes > most.peak_bytes


def count_flops(kernel: Kernel, setting: Setting) -> int:
    """Count by formula what a kernel multiplies in a forward pass.

    Example:
        >>> count_flops("flash", Setting(n=1024, d_model=512, n_heads=8))
        2147483648
    """
    terms = list_terms(VARIANT_OF[kernel], "flops", setting)
    return sum(term.value for term in terms if kernel in MODULES or term.name not in PROJECTIONS)


def count_moved(kernel: Kernel, setting: Setting) -> int:
    """Count by formula what a kernel reads from main memory and writes there; projections only where it has them.

    Example:
        >>> long = Setting(n=4096, d_model=256, n_heads=4)
        >>> count_moved("traced", long) > 10 * count_moved("flash", long)
        True
    """
    around = ("x", "out", "w_q", "w_k", "w_v", "w_o")
    terms = list_terms(VARIANT_OF[kernel], "moved_bytes", setting)
    return sum(term.value for term in terms if kernel in MODULES or term.name not in around)


def why_not(kernel: Kernel, plan: Plan) -> str | None:
    """Say why a kernel cannot run as planned, in torch's own words where they are torch's; None where it can.

    A lack of memory is no such reason: whether it lasts is seen when the kernel is measured.

    Example:
        >>> why_not("math", Plan()), why_not("linear", Plan(mask="explicit"))
        (None, 'linear attention has no N × N scores that a mask could hide')
    """
    if kernel == "linear" and plan.mask == "explicit":
        return "linear attention has no N × N scores that a mask could hide"
    small = replace(plan, lengths=(8,), kernels=(kernel,), width=4)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            _runner(kernel, small, 8)()
            finish(plan.device)
        except (RuntimeError, NotImplementedError) as error:
            if is_out_of_memory(error):
                free(plan.device, error)
                return None
            reasons = [str(error), *(str(warning.message) for warning in said)]
            return " ".join(reason.partition(" (Triggered internally")[0] for reason in reasons)
    return None


def measure_kernels(plan: Plan) -> Iterator[Point]:
    """Measure each kernel at each length, shortest first.

    Returns:
        Points as they come; kernels of one length take turns. Stop asking and nothing more is run.

    Raises:
        RuntimeError: a kernel that cannot run as planned; ask why_not before.

    Example:
        >>> [point.kernel for point in measure_kernels(Plan(kernels=("math", "flash"), lengths=(8,), repeats=1))]
        ['math', 'flash']
    """
    for n in sorted(set(plan.lengths)):
        runs = [_runner(kernel, plan, n) for kernel in plan.kernels]
        timings = time_each_s(runs, repeats=plan.repeats, warmup=1, device=plan.device)
        for kernel, run, timing in zip(plan.kernels, runs, timings, strict=True):
            yield Point(
                kernel=kernel,
                n=n,
                median_s=timing.median_s,
                lowest_s=timing.lowest_s,
                highest_s=timing.highest_s,
                repeats=timing.repeats,
                peak_bytes=peak_bytes(run, plan.device) if plan.device in (CPU, "cuda") else None,
                difference=_difference(kernel, plan, n) if n <= LONGEST_COMPARED else None,
                flops=count_flops(kernel, plan.setting(n)),
            )
        free(plan.device)


def measure_plan(plan: Plan) -> Iterator[Record]:
    """Measure a plan whatever of it this machine can run.

    Returns:
        The rates; then, shortest length first, a point or a reason for each kernel; last what torch chooses by itself.
        `count_records` says how many.

    Example:
        >>> plan = Plan(kernels=("math", "linear"), lengths=(8,), mask="explicit", repeats=1)
        >>> [type(record).__name__ for record in measure_plan(plan)]
        ['Rates', 'Absent', 'Point', 'Chosen']
    """
    yield measure_rates(plan.device, plan.dtype)
    reasons = {kernel: why_not(kernel, plan) for kernel in plan.kernels}
    able = tuple(kernel for kernel, reason in reasons.items() if reason is None)
    for n in sorted(set(plan.lengths)):
        yield from (Absent(kernel, n, reason) for kernel, reason in reasons.items() if reason is not None)
        if able:
            yield from _measure_or_say(replace(plan, kernels=able, lengths=(n,)))
    yield _ask_torch(plan)


def _measure_or_say(plan: Plan) -> Iterator[Point | Absent]:
    """Measure one length; where memory runs out, give back what was held, try each kernel left alone, and say so of those
    for which it runs out again.
    """
    left = list(plan.kernels)
    try:
        for point in measure_kernels(plan):
            left.remove(point.kernel)
            yield point
        return
    except Exception as error:
        if not is_out_of_memory(error):
            raise
        reason = str(error)
        free(plan.device, error)
    if len(plan.kernels) == 1:
        yield Absent(plan.kernels[0], plan.lengths[0], reason, is_full=True)
        return
    for kernel in left:
        yield from _measure_or_say(replace(plan, kernels=(kernel,)))


def count_records(plan: Plan) -> int:
    """Say how many records `measure_plan` gives.

    Example:
        >>> count_records(Plan(kernels=("math",), lengths=(8, 16)))
        4
    """
    return len(set(plan.kernels)) * len(set(plan.lengths)) + 2


def read_record(**fields: object) -> Record:
    """Make a record of its fields, by their names.

    Example:
        >>> read_record(kernel="math", n=8, reason="no reason", is_full=False)
        Absent(kernel='math', n=8, reason='no reason', is_full=False)
    """
    for kind in (Rates, Point, Absent, Chosen):
        if set(fields) == set(kind.__dataclass_fields__):
            return kind(**fields)
    raise ValueError(f"a record has the fields of one of {Record}, got {', '.join(fields)}")


def _ask_torch(plan: Plan) -> Chosen:
    n = min(plan.lengths)
    sizes = {"dtype": plan.dtype, "n_heads": plan.n_heads, "d_k": plan.d_k, "device": plan.device}
    by_mask = {mask: chosen_kernel(n, mask=mask, **sizes) for mask in get_args(Mask)}
    reasons = {kernel: why_not(kernel, plan) for kernel in BACKENDS}
    return Chosen(
        plain=by_mask[plan.mask],
        by_mask=tuple(by_mask.items()),
        with_dropout=chosen_kernel(n, dropout_p=0.1, **sizes),
        with_learnt_mask=chosen_kernel(n, is_mask_learnt=True, **sizes),
        reasons=tuple((kernel, reason) for kernel, reason in reasons.items() if reason is not None),
    )


# The side of the matrices, and the bytes that are copied. A GPU is done with small ones before the call has returned, and
# holds a copy of them in a cache.
_PROBES = ((384, 2**22), (2048, 2**28))


def probe_side(device: Kind = CPU) -> int:
    """Give the side of the matrices whose product tells how fast a device multiplies.

    Example:
        >>> probe_side()
        384
    """
    return _PROBES[device != CPU][0]


def measure_rates(device: Kind = CPU, dtype: DType = "float32") -> Rates:
    """Time one product and one copy, to know what a plan will take before it runs.

    Returns:
        By the fastest of several runs: what else goes on in the machine can only slow them down.

    Example:
        >>> measure_rates().flops_a_s > 1e6
        True

    Cost: a few hundredths of a second, and half a GiB of another device's memory.
    """
    side, copied = _PROBES[device != CPU]
    a = torch.ones(side, side, dtype=DTYPES[dtype], device=device)
    x = torch.ones(copied, dtype=torch.uint8, device=device)
    product, copy = time_each_s([lambda: a @ a, x.clone], repeats=9, warmup=1, device=device)
    return Rates(2 * side**3 / product.lowest_s, 2 * copied / copy.lowest_s)


# How many matrices of scores are alive at the fullest, without and with the backward pass: a little above what was measured.
_SCORES_ALIVE: Mapping[Kernel, tuple[float, float]] = {
    "traced": (4.5, 8.0),
    "math": (3.5, 6.0),
    "module_weights": (4.0, 7.0),
    "window": (4.0, 7.0),
}
# In half precision these make them in float32.
_WIDENED: tuple[Kernel, ...] = ("traced", "math", "window")
# How many tensors as large as q.
_INPUTS_ALIVE = 16
# Whatever the length: chunks of scores, for each head of each sequence, and the blocks of a fused kernel, for each thread.
_CHUNK_BYTES, _BLOCK_BYTES = 3 * 2**15, 2**20
# A run takes so much longer than products and copies alone would; with gradients as many times more.
_SLOWNESS, _BACKWARD = 3.0, 4.0
_CALL_S = 0.002


def predict(plan: Plan, rates: Rates) -> Prediction:
    """Say what a plan will take at most, so that it can be refused before it begins.

    Example:
        >>> few, many = (predict(Plan(lengths=(n,)), Rates(1e9, 1e9)) for n in (64, 4096))
        >>> few.seconds < many.seconds, few.peak_bytes < many.peak_bytes
        (True, True)
    """
    seconds, peak = 0.0, 0
    for n in plan.lengths:
        setting = plan.setting(n)
        for kernel in plan.kernels:
            once = count_flops(kernel, setting) / rates.flops_a_s
            once += count_moved(kernel, setting) / rates.bytes_a_s
            n_calls = 1 + plan.repeats + 2
            seconds += n_calls * (_CALL_S + _SLOWNESS * once * (_BACKWARD if plan.with_backward else 1))
            peak = max(peak, _predict_peak(kernel, plan, setting))
    return Prediction(seconds, peak)


def largest_length(plan: Plan, rates: Rates, most: Prediction) -> int:
    """Find the largest length that the plan's kernels may have within these limits, alone; 0 where none may.

    Example:
        >>> largest_length(Plan(kernels=("math",)), Rates(1e12, 1e12), Prediction(1.0, 2**30)) > 1000
        True
    """
    return bisect_left(
        range(1, MAX_LENGTH + 1),
        True,
        key=lambda n: predict(replace(plan, lengths=(n,)), rates).exceeds(most),
    )


def _predict_peak(kernel: Kernel, plan: Plan, setting: Setting) -> int:
    input_bytes = plan.batch * setting.n * setting.d_model * setting.element_bytes
    scores = list_terms(VARIANT_OF[kernel], "score_bytes", setting)
    score_bytes = scores[0].value if scores else 0
    alive = _SCORES_ALIVE.get(kernel, (0.0, 0.0))[plan.with_backward]
    if kernel in _WIDENED:
        alive *= max(1, torch.float32.itemsize // setting.element_bytes)
    has_mask = plan.mask != "none" and (plan.mask == "explicit" or kernel in ("traced", *MODULES))
    mask_bytes = setting.n**2 * setting.element_bytes if has_mask else 0
    fixed = plan.batch * plan.n_heads * _CHUNK_BYTES
    if VARIANT_OF[kernel] == "fused":
        fixed += torch.get_num_threads() * _BLOCK_BYTES
    inputs = (2 if plan.with_backward else 1) * _INPUTS_ALIVE * input_bytes
    return int(alive * score_bytes + inputs + 2 * mask_bytes + fixed)


def _inputs(plan: Plan, n: int) -> tuple[Float[Tensor, "B H N d_k"], ...]:
    generator = torch.Generator().manual_seed(plan.seed)
    shape = (plan.batch, plan.n_heads, n, plan.d_k)
    kind = {"dtype": DTYPES[plan.dtype], "device": plan.device}
    return tuple(torch.randn(shape, generator=generator).to(**kind) for _ in range(3))


def _attend(kernel: Kernel, plan: Plan, n: int) -> Callable[..., Float[Tensor, "..."]]:
    """Give the kernel as a function of q, k and v alone."""
    is_causal = plan.mask != "none"
    if kernel == "window":
        return lambda q, k, v: attend_window(q, k, v, plan.width).out
    if kernel == "linear":
        return lambda q, k, v: attend_linear(q, k, v, is_causal=is_causal).out
    allowed = causal(n, n, device=plan.device) if kernel == "traced" or plan.mask == "explicit" else None
    allowed = allowed if is_causal else None
    if kernel == "traced":
        return lambda q, k, v: scaled_dot_product_attention(q, k, v, allowed=allowed).out

    def attend(
        q: Float[Tensor, "B H N d_k"], k: Float[Tensor, "B H N d_k"], v: Float[Tensor, "B H N d_k"]
    ) -> Float[Tensor, "B H N d_k"]:
        with sdpa_kernel(BACKENDS[kernel]):
            return F.scaled_dot_product_attention(q, k, v, allowed, is_causal=plan.mask == "causal")

    return attend


def _runner(kernel: Kernel, plan: Plan, n: int) -> Callable[[], object]:
    """Give one run as a function without arguments: inputs, mask and modules are made beforehand."""
    if kernel in MODULES:
        return _module_runner(kernel, plan, n)
    inputs, attend = _inputs(plan, n), _attend(kernel, plan, n)
    if plan.with_backward:
        inputs = tuple(x.requires_grad_() for x in inputs)
        return lambda: torch.autograd.grad(attend(*inputs).sum(), inputs)

    def run() -> Float[Tensor, "..."]:
        with torch.no_grad():
            return attend(*inputs)

    return run


def _module_runner(kernel: Kernel, plan: Plan, n: int) -> Callable[[], object]:
    """Run PyTorch's own layer: with its four projections, and with or without the weights that it gives back."""
    kind = {"dtype": DTYPES[plan.dtype], "device": plan.device}
    d_model = plan.n_heads * plan.d_k
    layer = nn.MultiheadAttention(d_model, plan.n_heads, batch_first=True, bias=False, **kind).eval()
    x = _inputs(plan, n)[0].transpose(1, 2).flatten(2).contiguous()
    hidden = ~causal(n, n, device=plan.device) if plan.mask != "none" else None
    is_causal = plan.mask == "causal" and kernel == "module"

    def attend() -> Float[Tensor, "B N d_model"]:
        wants = {"need_weights": kernel == "module_weights", "average_attn_weights": False}
        return layer(x, x, x, attn_mask=hidden, is_causal=is_causal, **wants)[0]

    if plan.with_backward:
        x.requires_grad_()
        return lambda: torch.autograd.grad(attend().sum(), [x, *layer.parameters()])

    def run() -> Float[Tensor, "B N d_model"]:
        with torch.no_grad():
            return attend()

    return run


def _difference(kernel: Kernel, plan: Plan, n: int) -> float | None:
    """Compare a kernel's output with the definition's in float64; None for a layer with weights of its own."""
    if kernel in MODULES:
        return None
    inputs = _inputs(plan, n)
    allowed = None if plan.mask == "none" else causal(n, n, device=plan.device)
    exact = scaled_dot_product_attention(*(x.double() for x in inputs), allowed=allowed).out
    with torch.no_grad():
        return float((_attend(kernel, plan, n)(*inputs).double() - exact).abs().max())


def chosen_kernel(
    n: int,
    *,
    mask: Mask = "none",
    dropout_p: float = 0.0,
    is_mask_learnt: bool = False,
    dtype: DType = "float32",
    n_heads: int = 1,
    d_k: int = 8,
    device: Kind = CPU,
) -> str:
    """Ask torch to attend and watch which of its kernels it takes there.

    Args:
        is_mask_learnt: The mask is a tensor of floats that wants a gradient.

    Returns:
        "flash", "efficient", "cuDNN", "math", or torch's own name of another one.

    Example:
        >>> chosen_kernel(8), chosen_kernel(8, mask="explicit"), chosen_kernel(8, dropout_p=0.1)
        ('flash', 'flash', 'math')
    """
    q, k, v = _inputs(Plan(n_heads=n_heads, d_k=d_k, dtype=dtype, device=device), n)
    given = None
    if is_mask_learnt:
        given = torch.zeros(n, n, dtype=q.dtype, device=device, requires_grad=True)
    elif mask == "explicit":
        given = causal(n, n, device=device)
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as profiler:
        F.scaled_dot_product_attention(q, k, v, given, dropout_p, is_causal=mask == "causal")
    names = {event.key.removeprefix("aten::") for event in profiler.key_averages()}
    known = {
        "_scaled_dot_product_flash_attention_for_cpu": "flash",
        "_scaled_dot_product_flash_attention": "flash",
        "_scaled_dot_product_efficient_attention": "efficient",
        "_scaled_dot_product_cudnn_attention": "cuDNN",
        "_scaled_dot_product_attention_math": "math",
    }
    found = [known.get(name, name) for name in sorted(names) if name.startswith("_scaled_dot_product")]
    return found[0] if found else "unknown"
