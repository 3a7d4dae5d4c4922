"""Claim M4: a query that may see no key has no right answer, and libraries give different ones."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, get_args

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from attention_core.components import DTYPES, DTypeName
from attention_core.consumers import identity_mha
from attention_core.steps import scaled_dot_product_attention, weigh

Kernel = Literal[
    "core",
    "filled_softmax",
    "added_softmax",
    "sdpa_math",
    "sdpa_fused",
    "mha_with_weights",
    "mha",
    "fill_1e9",
    "add_1e9",
]
KERNELS: tuple[Kernel, ...] = get_args(Kernel)
# What attends is given q, k, v, allowed; it gives out, and weights where it shows them.
Attended = tuple[Float[Tensor, "N d_v"], Float[Tensor, "N M"] | None]
Masked = tuple[Float[Tensor, "*B N M"], Float[Tensor, "*B N M"]]
Answer = Literal["zeros", "nan", "uniform", "unmasked", "other"]
PENALTY = -1e9


@dataclass(frozen=True, eq=False)
class BlindAnswer:
    """What one way of attending answers where a query may see no key.

    Attributes:
        version: Of torch, which ran it.
        blind: The queries that may see no key.
        weights: Of all queries; None where the way does not show them.
        out: Of all queries; None where it was refused.
        answer: What the blind queries' rows are; None where there is none or it was refused. Where the weights
            are not shown it is read off out.
        is_finite: The blind queries' outputs, and their weights where shown, are numbers.
        gradients: Whether the gradient by q, k and v of Σ out over all queries is finite, by name.
        live_gradients: The same for Σ out over the queries that see a key.
        refused: What torch said instead of answering.
    """

    kernel: Kernel
    dtype: DTypeName
    version: str
    blind: tuple[int, ...]
    weights: Float[Tensor, "N M"] | None
    out: Float[Tensor, "N d_v"] | None
    answer: Answer | None
    is_finite: bool
    gradients: dict[str, bool]
    live_gradients: dict[str, bool]
    refused: str | None


@dataclass(frozen=True)
class PastBlind:
    """The gradient of a loss that leaves blind queries out, by a factor on all scores.

    Attributes:
        without_blind: The right one, with blind queries' rows taken away beforehand.
        by_cleaning: Where NaN weights are replaced by 0 after softmax.
        by_core: Where the row is never given to softmax.
    """

    without_blind: float
    by_cleaning: float
    by_core: float


def scale_products(q: Float[Tensor, "*B N d_k"], k: Float[Tensor, "*B M d_k"]) -> Float[Tensor, "*B N M"]:
    """Score and scale in the type of q, half precision too, as a model in that type does: q kᵀ / √d_k."""
    return q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])


def mask_by_filling(
    scaled: Float[Tensor, "*B N M"], allowed: Bool[Tensor, "*#B #N #M"], penalty: float = PENALTY
) -> Masked:
    """Replace hidden scores by a large negative number. torch refuses one that the type cannot hold."""
    masked = scaled.masked_fill(~allowed, penalty)
    return masked, masked.softmax(dim=-1)


def mask_by_adding(
    scaled: Float[Tensor, "*B N M"], allowed: Bool[Tensor, "*#B #N #M"], penalty: float = PENALTY
) -> Masked:
    """Add a large negative number to hidden scores; one that the type cannot hold becomes −∞."""
    bias = torch.zeros_like(allowed, dtype=torch.float64).masked_fill(~allowed, penalty)
    masked = scaled + bias.to(scaled.dtype)
    return masked, masked.softmax(dim=-1)


def attend_with(mask: Callable[..., Masked], penalty: float) -> Callable[..., Attended]:
    """Attend step by step, with hidden scores filled or added to."""

    def attend(
        q: Float[Tensor, "N d_k"],
        k: Float[Tensor, "M d_k"],
        v: Float[Tensor, "M d_v"],
        allowed: Bool[Tensor, "N M"],
    ) -> Attended:
        _, weights = mask(scale_products(q, k), allowed, penalty)
        return weights @ v, weights

    return attend


def attend_by_core(
    q: Float[Tensor, "N d_k"],
    k: Float[Tensor, "M d_k"],
    v: Float[Tensor, "M d_v"],
    allowed: Bool[Tensor, "N M"],
) -> Attended:
    """Attend as this project does: a row without keys is zero."""
    trace = scaled_dot_product_attention(q, k, v, allowed=allowed)
    return trace.out, trace.weights


def attend_by_sdpa_math(
    q: Float[Tensor, "N d_k"],
    k: Float[Tensor, "M d_k"],
    v: Float[Tensor, "M d_v"],
    allowed: Bool[Tensor, "N M"],
) -> Attended:
    """Call fused attention of torch on two axes, which its fused kernels do not take: plain operations run.

    Source: choosing the kernel by shape is our choice: `sdpa_kernel` sets a switch that all threads share.
    """
    return nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=allowed), None


def attend_by_sdpa_fused(
    q: Float[Tensor, "N d_k"],
    k: Float[Tensor, "M d_k"],
    v: Float[Tensor, "M d_v"],
    allowed: Bool[Tensor, "N M"],
) -> Attended:
    """Call fused attention of torch on four axes and one width, for which it takes its flash kernel on a CPU."""
    width = max(q.shape[-1], v.shape[-1])
    four_axes = (widen(x, width)[None, None] for x in (q, k, v))
    out = nn.functional.scaled_dot_product_attention(*four_axes, attn_mask=allowed, scale=q.shape[-1] ** -0.5)
    return out[0, 0, :, : v.shape[-1]], None


def attend_by_mha_with_weights(
    q: Float[Tensor, "N d_k"],
    k: Float[Tensor, "M d_k"],
    v: Float[Tensor, "M d_v"],
    allowed: Bool[Tensor, "N M"],
) -> Attended:
    """Call nn.MultiheadAttention with need_weights=True, its default."""
    return _attend_by_module(q, k, v, allowed, need_weights=True)


def attend_by_mha(
    q: Float[Tensor, "N d_k"],
    k: Float[Tensor, "M d_k"],
    v: Float[Tensor, "M d_v"],
    allowed: Bool[Tensor, "N M"],
) -> Attended:
    """Call nn.MultiheadAttention with need_weights=False, which calls fused attention."""
    return _attend_by_module(q, k, v, allowed, need_weights=False)


ATTENDS: dict[Kernel, Callable[..., Attended]] = {
    "core": attend_by_core,
    "filled_softmax": attend_with(mask_by_filling, -math.inf),
    "added_softmax": attend_with(mask_by_adding, -math.inf),
    "sdpa_math": attend_by_sdpa_math,
    "sdpa_fused": attend_by_sdpa_fused,
    "mha_with_weights": attend_by_mha_with_weights,
    "mha": attend_by_mha,
    "fill_1e9": attend_with(mask_by_filling, PENALTY),
    "add_1e9": attend_with(mask_by_adding, PENALTY),
}


def answer_blind_rows(
    q: Float[Tensor, "N d_k"],
    k: Float[Tensor, "M d_k"],
    v: Float[Tensor, "M d_v"],
    allowed: Bool[Tensor, "#N #M"],
    dtype: DTypeName = "float64",
    kernels: tuple[Kernel, ...] = KERNELS,
) -> tuple[BlindAnswer, ...]:
    """Ask every way of attending what it answers for a query that may see no key.

    Args:
        allowed: True where query n may see key m.
        dtype: The type in which each is run.

    Returns:
        One record for each way, in order.

    Raises:
        ValueError: no query or no key, a width of 0, or a mask that does not broadcast.

    Example:
        >>> one, keys = torch.ones(1, 1), torch.tensor([[1.0], [2.0], [3.0]])
        >>> blind = torch.zeros(1, 3, dtype=torch.bool)
        >>> [record.answer for record in answer_blind_rows(one, keys, keys, blind)]
        ['zeros', 'nan', 'nan', 'zeros', 'zeros', 'nan', 'zeros', 'uniform', 'unmasked']

    Source: zeros are also the answer of flash-attn and of ONNX's Attention.
    """
    if not all(x.numel() for x in (q, k, v)):
        shapes = [tuple(x.shape) for x in (q, k, v)]
        raise ValueError(f"q, k and v need at least one position and a width of 1, got {shapes}")
    q, k, v = (x.detach().to(DTYPES[dtype]) for x in (q, k, v))
    allowed = expand_mask(allowed, q.shape[0], k.shape[0])
    return tuple(_ask(kernel, dtype, q, k, v, allowed) for kernel in kernels)


def distance_where_seeing(record: BlindAnswer, other: BlindAnswer) -> float | None:
    """Give the largest distance between two ways' outputs for the queries that see a key.

    Returns:
        None where one was refused, or no query sees a key.
    """
    if record.out is None or other.out is None:
        return None
    seeing = [place for place in range(record.out.shape[0]) if place not in record.blind]
    if not seeing:
        return None
    return float((record.out[seeing].double() - other.out[seeing].double()).abs().max())


def step_beside(dtype: DTypeName, penalty: float = PENALTY) -> float | None:
    """Give the step from a penalty to the next number that a type holds; None where it cannot hold the penalty.

    Example:
        >>> step_beside("float32"), step_beside("float16")
        (64.0, None)
    """
    beside = torch.tensor(penalty, dtype=DTYPES[dtype])
    if not bool(beside.isfinite()):
        return None
    return float(torch.nextafter(beside, torch.zeros_like(beside)).double() - beside.double())


def measure_past_blind(scaled: Float[Tensor, "N M"], allowed: Bool[Tensor, "N M"]) -> PastBlind | None:
    """Differentiate a loss that leaves blind queries out: the weight of the first pair that is allowed.

        dL/dp at p = 1,  L = softmax(p · scaled + bias)[n, m]

    Returns:
        None where there is no allowed pair.

    Example:
        >>> allowed = torch.tensor([[True, False, True], [False, False, False]])
        >>> measure_past_blind(torch.ones(2, 3), allowed)
        PastBlind(without_blind=0.0, by_cleaning=nan, by_core=0.0)
    """
    pairs = allowed.nonzero()
    if not len(pairs):
        return None
    query, key = pairs[0].tolist()

    def gradient(attend: Callable[..., Float[Tensor, "_ M"]], rows: Bool[Tensor, " N"], at: int) -> float:
        p = torch.ones((), dtype=scaled.dtype, requires_grad=True)
        (found,) = torch.autograd.grad(attend(p * scaled[rows], allowed[rows])[at, key], p)
        return float(found)

    def clean(shrunk: Float[Tensor, "_ M"], seen: Bool[Tensor, "_ M"]) -> Float[Tensor, "_ M"]:
        return mask_by_adding(shrunk, seen, -math.inf)[1].nan_to_num()

    # All rows before the first query that sees a key are blind.
    every, seeing = torch.ones_like(allowed[:, 0]), allowed.any(dim=-1)
    return PastBlind(gradient(weigh, seeing, 0), gradient(clean, every, query), gradient(weigh, every, query))


def expand_mask(allowed: Bool[Tensor, "#N #M"], n_queries: int, n_keys: int) -> Bool[Tensor, "N M"]:
    """Give a mask one row for each query and one column for each key.

    Raises:
        ValueError: one that does not broadcast to them.
    """
    try:
        return allowed.expand(n_queries, n_keys)
    except RuntimeError as error:
        raise ValueError(
            f"the mask must broadcast to {n_queries} queries and {n_keys} keys, got {tuple(allowed.shape)}"
        ) from error


def widen(x: Float[Tensor, "*B N d_k"], width: int) -> Float[Tensor, "*B N {width}"]:
    """Fill up with zero columns, which change no product."""
    return nn.functional.pad(x, (0, width - x.shape[-1]))


def _attend_by_module(
    q: Float[Tensor, "N d_k"],
    k: Float[Tensor, "M d_k"],
    v: Float[Tensor, "M d_v"],
    allowed: Bool[Tensor, "N M"],
    *,
    need_weights: bool,
) -> Attended:
    """Run the module with one head and identities for its matrices, so that it attends to q, k, v themselves."""
    width = max(q.shape[-1], v.shape[-1])
    # The module divides by the root of its own width.
    q = q * math.sqrt(width / q.shape[-1]) if width != q.shape[-1] else q
    wide_q, wide_k, wide_v = (widen(x, width) for x in (q, k, v))
    module = _module_of(width, q.dtype, q.device)
    out, weights = module(wide_q, wide_k, wide_v, attn_mask=~allowed, need_weights=need_weights)
    return out[:, : v.shape[-1]], weights


# Making one takes longer than running it on a sentence; a forward pass changes nothing in it.
@lru_cache(maxsize=8)
def _module_of(width: int, dtype: torch.dtype, device: torch.device) -> nn.MultiheadAttention:
    return identity_mha(torch.empty(0, width, dtype=dtype, device=device))


def _ask(
    kernel: Kernel,
    dtype: DTypeName,
    q: Float[Tensor, "N d_k"],
    k: Float[Tensor, "M d_k"],
    v: Float[Tensor, "M d_v"],
    allowed: Bool[Tensor, "N M"],
) -> BlindAnswer:
    sees_nothing = ~allowed.any(dim=-1)
    blind = tuple(sees_nothing.nonzero().flatten().tolist())
    inputs = {"q": q.clone(), "k": k.clone(), "v": v.clone()}
    for x in inputs.values():
        x.requires_grad_()
    try:
        out, weights = ATTENDS[kernel](*inputs.values(), allowed)
    except RuntimeError as error:
        return BlindAnswer(
            kernel, dtype, torch.__version__, blind, None, None, None, False, {}, {}, refused=str(error)
        )
    gradients = _finite_gradients(out.sum(), inputs)
    live_gradients = _finite_gradients(out[~sees_nothing].sum(), inputs)
    out, weights = out.detach(), None if weights is None else weights.detach()
    shown = out[sees_nothing] if weights is None else weights[sees_nothing]
    is_finite = bool(shown.isfinite().all() and out[sees_nothing].isfinite().all())
    answer = _name_answer(shown, weights is not None, q[sees_nothing], k, v) if blind else None
    return BlindAnswer(
        kernel,
        dtype,
        torch.__version__,
        blind,
        weights,
        out,
        answer,
        is_finite,
        gradients,
        live_gradients,
        None,
    )


def _finite_gradients(loss: Float[Tensor, ""], inputs: dict[str, Float[Tensor, "..."]]) -> dict[str, bool]:
    """Say of each input whether the loss's gradient by it is finite."""
    gradients = torch.autograd.grad(loss, list(inputs.values()), retain_graph=True)
    return {name: bool(x.isfinite().all()) for name, x in zip(inputs, gradients, strict=True)}


def _name_answer(
    shown: Float[Tensor, "N _"],
    is_weights: bool,
    q: Float[Tensor, "N d_k"],
    k: Float[Tensor, "M d_k"],
    v: Float[Tensor, "M d_v"],
) -> Answer:
    """Name what the rows of blind queries are, weights or outputs; uniform where both it and unmasked fit."""
    if bool(shown.isnan().any()):
        return "nan"
    if not bool(shown.any()):
        return "zeros"
    unmasked = scale_products(q, k).softmax(dim=-1)
    uniform = torch.full_like(unmasked, 1 / unmasked.shape[-1])
    # Beside the penalty even float64 keeps a score only to the step between numbers of that size.
    close = max(8 * torch.finfo(shown.dtype).eps, -PENALTY * torch.finfo(torch.float64).eps)
    candidates: tuple[Answer, ...] = ("uniform", "unmasked")
    for answer, weights in zip(candidates, (uniform, unmasked), strict=True):
        if torch.allclose(shown, weights if is_weights else weights @ v, rtol=close, atol=close):
            return answer
    return "other"
